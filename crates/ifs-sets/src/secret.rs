//! Secrets: 32 bytes from the operating system, in a file that only its owner may read.
//!
//! A set is drawn with the key of its epoch, which is derived from the secret by BLAKE3's keyed hash.
//! That is one-way: who has the key of an epoch knows neither the secret nor another epoch's key. So
//! an epoch can be revealed while the secret stays in use. The anchors, which all epochs share, have
//! a key of their own, which is not part of the key of an epoch.

use std::fmt;
use std::io;
use std::path::Path;

use rand::TryRng as _;
use serde::{Deserialize, Serialize};

use ifs_base::{replace, world};

/// The version of the file.
const FORMAT: u32 = 1;

const MAX_FILE_BYTES: u64 = 4096;

/// The secret of a holder, from which the keys of all epochs are derived. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterSecret {
    secret: [u8; 32],
    salt: [u8; 32],
}

/// The key of an epoch, and the salt of its commitment. Nothing prints it, except to reveal it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    epoch: String,
    key: [u8; 32],
    salt: [u8; 32],
    /// The key of the anchors; a revealed key of an epoch may lack it.
    anchors: Option<[u8; 32]>,
}

impl fmt::Debug for MasterSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterSecret")
    }
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
    #[error("it is the key of the epoch `{found}`, and that of `{expected}` is needed")]
    OtherEpoch { found: String, expected: String },
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

/// The revealed key of an epoch, which anyone may read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EpochFile {
    ifs_epoch_key: u32,
    epoch: String,
    key: String,
    salt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anchors: Option<String>,
}

impl MasterSecret {
    /// A new one.
    ///
    /// # Errors
    /// The operating system has no random bytes.
    pub fn new() -> Result<MasterSecret, SecretError> {
        Ok(MasterSecret { secret: random_bytes()?, salt: random_bytes()? })
    }

    /// The key of an epoch.
    pub fn epoch(&self, epoch: &str) -> Secret {
        let derived = |purpose: &str, texts: &[&str]| {
            let mut hasher = keyed(&self.secret, purpose, texts);
            hasher.update(&self.salt);
            *hasher.finalize().as_bytes()
        };
        Secret {
            epoch: epoch.to_owned(),
            key: derived("key of an epoch", &[epoch]),
            salt: derived("salt of an epoch", &[epoch]),
            anchors: Some(derived("key of the anchors", &[])),
        }
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
        Ok(replace::write_once(path, text.as_bytes(), true)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is damaged, or others may read it.
    pub fn read(path: &Path) -> Result<MasterSecret, SecretError> {
        only_for_its_owner(path)?;
        MasterSecret::parse(&world::read_text(path, MAX_FILE_BYTES)?)
    }

    fn parse(text: &str) -> Result<MasterSecret, SecretError> {
        // The text is not part of an error: it may be a secret.
        let wrong = |why: &str| SecretError::Format(format!("it is not a secret file: {why}"));
        let file: SecretFile = serde_json::from_str(text)
            .map_err(|error| wrong(&format!("line {}, column {}", error.line(), error.column())))?;
        if file.ifs_secret != FORMAT {
            return Err(wrong(&format!(
                "its format is {}; this ifs reads {FORMAT}",
                file.ifs_secret
            )));
        }
        let read = parse_hex(&file.secret).zip(parse_hex(&file.salt));
        let (secret, salt) = read.ok_or_else(|| wrong("64 hexadecimal digits are expected"))?;
        Ok(MasterSecret { secret, salt })
    }
}

impl Secret {
    /// Reads the key of an epoch: from the file of the secret, which only its owner may read, or from
    /// that of a revealed key.
    ///
    /// # Errors
    /// It is damaged, it is the key of another epoch, or others may read a secret.
    pub fn read(path: &Path, epoch: &str) -> Result<Secret, SecretError> {
        Secret::read_unless(path, epoch, only_for_its_owner)
    }

    /// The same from a file that may have been published.
    ///
    /// # Errors
    /// It is damaged, or it is the key of another epoch.
    pub fn revealed(path: &Path, epoch: &str) -> Result<Secret, SecretError> {
        Secret::read_unless(path, epoch, |_| Ok(()))
    }

    fn read_unless(
        path: &Path,
        epoch: &str,
        refuse: impl Fn(&Path) -> Result<(), SecretError>,
    ) -> Result<Secret, SecretError> {
        let text = world::read_text(path, MAX_FILE_BYTES)?;
        let Ok(file) = serde_json::from_str::<EpochFile>(&text) else {
            refuse(path)?;
            return Ok(MasterSecret::parse(&text)?.epoch(epoch));
        };
        let wrong =
            |why: &str| SecretError::Format(format!("it is not the key of an epoch: {why}"));
        if file.ifs_epoch_key != FORMAT {
            return Err(wrong(&format!(
                "its format is {}; this ifs reads {FORMAT}",
                file.ifs_epoch_key
            )));
        }
        if file.epoch != epoch {
            let expected = epoch.to_owned();
            return Err(SecretError::OtherEpoch { found: file.epoch, expected });
        }
        let anchors = file.anchors.as_deref().map(parse_hex);
        match (parse_hex(&file.key), parse_hex(&file.salt), anchors) {
            (Some(key), Some(salt), None | Some(Some(_))) => {
                Ok(Secret { epoch: file.epoch, key, salt, anchors: anchors.flatten() })
            }
            _ => Err(wrong("64 hexadecimal digits are expected")),
        }
    }

    /// The text of a file that reveals the key, without that of the anchors unless they are revealed,
    /// too.
    pub fn reveal(&self, with_anchors: bool) -> String {
        let file = EpochFile {
            ifs_epoch_key: FORMAT,
            epoch: self.epoch.clone(),
            key: hex(&self.key),
            salt: hex(&self.salt),
            anchors: self.anchors.filter(|_| with_anchors).map(|key| hex(&key)),
        };
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    /// Whether it draws the anchors.
    pub fn has_anchors(&self) -> bool {
        self.anchors.is_some()
    }

    /// The commitment to the key of the anchors, if it is known.
    pub fn anchor_commitment(&self) -> Option<String> {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: the commitment to the anchors");
        hasher.update(self.anchors.as_ref()?);
        Some(format!("blake3:{}", hasher.finalize().to_hex()))
    }

    /// Its commitment in a manifest: the hash of salt and key.
    pub fn commitment(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: the commitment to an epoch");
        hasher.update(&self.salt);
        hasher.update(&self.key);
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    pub(super) fn keyed(&self, purpose: &str, texts: &[&str]) -> blake3::Hasher {
        keyed(&self.key, purpose, texts)
    }

    /// A hash with the key of the anchors. Without it no anchor is drawn.
    pub(super) fn anchored(&self, texts: &[&str]) -> [u8; 32] {
        let key = self.anchors.as_ref().unwrap_or(&self.key);
        *keyed(key, "anchors", texts).finalize().as_bytes()
    }

    /// The seal of a manifest.
    pub fn seal(&self, text: &[u8]) -> String {
        self.keyed("seal", &[]).update(text).finalize().to_hex().to_string()
    }
}

/// A hash of a purpose and texts, keyed.
fn keyed(key: &[u8; 32], purpose: &str, texts: &[&str]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for text in std::iter::once(&purpose).chain(texts) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher
}

/// 32 bytes from the operating system.
pub(super) fn random_bytes() -> Result<[u8; 32], SecretError> {
    let mut bytes = [0; 32];
    rand::rngs::SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| SecretError::NoRandom(error.to_string()))?;
    Ok(bytes)
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
