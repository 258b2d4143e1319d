//! Secrets: 32 bytes from the operating system, in a file that only its owner may read.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use rand::TryRng as _;
use serde::{Deserialize, Serialize};

use crate::world;

/// The version of the file.
const FORMAT: u32 = 1;

const MAX_FILE_BYTES: u64 = 4096;

/// A secret and the salt of its commitment. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    secret: [u8; 32],
    salt: [u8; 32],
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("the operating system gives no random bytes: {0}")]
    NoRandom(String),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Format(String),
    #[error("others than its owner may read it (mode {0:o})")]
    Exposed(u32),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretFile {
    ifs_secret: u32,
    secret: String,
    salt: String,
}

impl Secret {
    /// A new one.
    ///
    /// # Errors
    /// The operating system has no random bytes.
    pub fn new() -> Result<Secret, SecretError> {
        Ok(Secret { secret: random_bytes()?, salt: random_bytes()? })
    }

    /// Writes a new file, which only its owner may read.
    ///
    /// # Errors
    /// With `AlreadyExists` where something is there: a secret is never overwritten.
    pub fn write_new(&self, path: &Path) -> Result<(), SecretError> {
        let file =
            SecretFile { ifs_secret: FORMAT, secret: hex(&self.secret), salt: hex(&self.salt) };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        Ok(write_new(path, &text, true)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is damaged, or others may read it.
    pub fn read(path: &Path) -> Result<Secret, SecretError> {
        only_for_its_owner(path)?;
        Secret::revealed(path)
    }

    /// Reads a file that may have been published.
    ///
    /// # Errors
    /// It is damaged.
    pub fn revealed(path: &Path) -> Result<Secret, SecretError> {
        let text = world::read_text(path, MAX_FILE_BYTES)?;
        // The text is not part of an error: it may be a secret.
        let wrong = |why: &str| SecretError::Format(format!("it is not a secret file: {why}"));
        let file: SecretFile = serde_json::from_str(&text)
            .map_err(|error| wrong(&format!("line {}, column {}", error.line(), error.column())))?;
        if file.ifs_secret != FORMAT {
            return Err(wrong(&format!(
                "its format is {}; this ifs reads {FORMAT}",
                file.ifs_secret
            )));
        }
        let read = parse_hex(&file.secret).zip(parse_hex(&file.salt));
        let (secret, salt) = read.ok_or_else(|| wrong("64 hexadecimal digits are expected"))?;
        Ok(Secret { secret, salt })
    }

    /// Its commitment in a manifest: the hash of salt and secret.
    pub fn commitment(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: the commitment to a secret");
        hasher.update(&self.salt);
        hasher.update(&self.secret);
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    pub(super) fn keyed(&self, purpose: &str, texts: &[&str]) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for text in std::iter::once(&purpose).chain(texts) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher
    }

    /// The seal of a manifest.
    pub fn seal(&self, text: &[u8]) -> String {
        self.keyed("seal", &[]).update(text).finalize().to_hex().to_string()
    }
}

/// 32 bytes from the operating system.
pub(super) fn random_bytes() -> Result<[u8; 32], SecretError> {
    let mut bytes = [0; 32];
    rand::rngs::SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| SecretError::NoRandom(error.to_string()))?;
    Ok(bytes)
}

/// Writes a file that must not exist; a private one is only for its owner.
pub(super) fn write_new(path: &Path, text: &str, is_private: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    let mut to = options.open(path)?;
    to.write_all(text.as_bytes())?;
    to.sync_all()
}

/// Refuses a file that others may read.
pub(super) fn only_for_its_owner(path: &Path) -> Result<(), SecretError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(SecretError::Exposed(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The bytes of 64 hexadecimal digits.
pub(super) fn parse_hex(hex: &str) -> Option<[u8; 32]> {
    Some(*blake3::Hash::from_hex(hex).ok()?.as_bytes())
}

/// A version 8 GUID: its bits are ours.
pub(super) fn guid(hash: &[u8; 32]) -> String {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hex(&bytes);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
