//! The files of a set: its manifest, and the secret of a hidden one.

use std::path::Path;

use super::exit::CommandError;
use ifs::hidden::{SetManifest, manifest};
use ifs::world;

pub(crate) const MANIFEST: &str = "manifest.json";

/// The largest manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;

pub(crate) fn of_secret(path: &Path, error: &ifs::hidden::SecretError) -> CommandError {
    use ifs::hidden::SecretError;
    let problem = CommandError::input(format!("`{}`: {error}", path.display()));
    match error {
        SecretError::NoRandom(_) => CommandError::infrastructure(error.to_string()),
        SecretError::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            problem.help("a secret is never overwritten; choose another name")
        }
        SecretError::Io(_) => problem,
        SecretError::Format(_) => problem.help("`ifs secret FILE` writes one"),
        SecretError::Exposed(_) => problem.help(format!("chmod 600 {}", path.display())),
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    world::read_text(path, MAX_MANIFEST_BYTES)
        .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))
}

pub(crate) fn read_manifest(path: &Path) -> Result<SetManifest, CommandError> {
    let text = read_text(path)?;
    let wrong =
        |why: String| CommandError::input(format!("`{}` is not a manifest: {why}", path.display()));
    let made: SetManifest =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if made.ifs_release != manifest::FORMAT {
        return Err(wrong(format!(
            "its format is {}; this ifs reads {}",
            made.ifs_release,
            manifest::FORMAT
        )));
    }
    Ok(made)
}
