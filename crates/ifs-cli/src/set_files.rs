//! The files of a set: its manifest, and the secret of a hidden one.

use std::io::ErrorKind;
use std::path::Path;

use super::exit::CommandError;
use super::shell::quoted;
use ifs_base::world;
use ifs_sets::{SetManifest, manifest};

pub(crate) const MANIFEST: &str = "manifest.json";

/// The manifest of a set that is not finished.
pub(crate) const UNFINISHED_SET: &str = "manifest.json.unfinished";

/// The largest manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;

pub(crate) fn of_secret(path: &Path, error: &ifs_sets::SecretError) -> CommandError {
    use ifs_sets::SecretError;
    let problem = CommandError::input(format!("`{}`: {error}", path.display()));
    match error {
        SecretError::NoRandom(_) => CommandError::infrastructure(error.to_string()),
        SecretError::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            problem.help("a secret is never overwritten; choose another name")
        }
        SecretError::Io(_) => problem,
        SecretError::OtherEpoch { .. } => {
            problem.help("`ifs reveal SECRET --epoch NAME` prints the key of an epoch")
        }
        SecretError::Format(_) => problem.help("`ifs secret FILE` writes one"),
        SecretError::Exposed(_) => problem.help(format!("chmod 600 {}", quoted(path))),
    }
}

/// Why a new secret or key could not be written.
pub(crate) fn unwritten_secret(path: &Path, error: &ifs_sets::SecretError) -> CommandError {
    match error {
        ifs_sets::SecretError::Io(cause)
            if !matches!(cause.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) =>
        {
            CommandError::infrastructure(format!("`{}`: {error}", path.display()))
                .help("nothing was written")
        }
        error => of_secret(path, error),
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    world::read_text(path, MAX_MANIFEST_BYTES)
        .map_err(|error| CommandError::input(format!("`{}`: {error}", path.display())))
}

pub(crate) fn read_manifest(path: &Path) -> Result<SetManifest, CommandError> {
    if !path.exists() && path.with_file_name(UNFINISHED_SET).is_file() {
        let folder = path.parent().unwrap_or(path).display();
        return Err(CommandError::input(format!(
            "the set in `{folder}` is unfinished: `ifs release` was stopped before its end"
        ))
        .help("run the same `ifs release` again, which finishes it, or remove the folder"));
    }
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
