//! The response cache: one file for each response, named by the hash of its request.
//!
//! A file is a line as in the journal: a checksum and JSON, which repeats the hash of the request. So
//! neither a damaged file nor one in the place of another is used.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::sealed_line;
use crate::provider::{ConversationHash, Reply};
use ifs_base::replace;
use ifs_base::world;

/// The format version of the files. Those of version 1 had no checksum.
const VERSION: u32 = 2;

pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct CachedReply {
    version: u32,
    /// The hash of the request.
    asked: String,
    model: String,
    reply: Reply,
}

/// A file that is not used: its request is sent again.
#[derive(Debug, PartialEq, Eq)]
pub enum CacheDamage {
    /// It was written by an ifs without checksums.
    Unsealed(PathBuf),
    Damaged {
        path: PathBuf,
        why: String,
    },
}

impl CacheDamage {
    /// What is reported once: each damaged file, and files of an older ifs together.
    pub fn about(&self) -> String {
        match self {
            CacheDamage::Unsealed(_) => "cached responses without a checksum".to_owned(),
            CacheDamage::Damaged { path, .. } => format!("cached response {}", path.display()),
        }
    }
}

impl fmt::Display for CacheDamage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheDamage::Unsealed(path) => write!(
                formatter,
                "`{}` and other cached responses are of an older ifs and have no checksum: their \
                 requests are sent again",
                path.display()
            ),
            CacheDamage::Damaged { path, why } => write!(
                formatter,
                "the cached response `{}` is damaged, and its request is sent again: {why}",
                path.display()
            ),
        }
    }
}

impl Cache {
    pub fn open(folder: &Path) -> Result<Cache, std::io::Error> {
        replace::make_folder(folder)?;
        Ok(Cache { folder: folder.to_owned() })
    }

    fn path(&self, question: ConversationHash) -> PathBuf {
        let name = question.to_string();
        let (folder, name) = name.split_at(2);
        self.folder.join(folder).join(format!("{name}.json"))
    }

    /// The response to a request; `None` if it is not cached.
    ///
    /// # Errors
    /// Returns what is wrong with its file.
    pub fn get(&self, question: ConversationHash) -> Result<Option<Reply>, CacheDamage> {
        let path = self.path(question);
        let damaged = |why: String| CacheDamage::Damaged { path: path.clone(), why };
        let bytes = match world::read_regular(&path, world::MAX_FILE_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| damaged(error.to_string()))?,
        };
        let text =
            std::str::from_utf8(&bytes).map_err(|_| damaged("it is not UTF-8 text".to_owned()))?;
        if text.starts_with("{\"version\":1,") {
            return Err(CacheDamage::Unsealed(path));
        }
        let json = sealed_line::open(text).map_err(|why| damaged(why.to_owned()))?;
        let cached: CachedReply =
            serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
        if cached.version != VERSION {
            return Err(damaged(format!("its version is {}", cached.version)));
        }
        if cached.asked != question.to_string() {
            return Err(damaged("it is the response to another request".to_owned()));
        }
        Ok(Some(cached.reply))
    }

    /// Writes the file atomically. Several threads may do so at a time.
    pub fn store(
        &self,
        question: ConversationHash,
        model: &str,
        reply: &Reply,
    ) -> Result<(), std::io::Error> {
        let path = self.path(question);
        if let Some(folder) = path.parent() {
            replace::make_folder(folder)?;
            // Where a link leads to is not of the cache.
            if std::fs::symlink_metadata(folder)?.is_symlink() {
                return Err(std::io::Error::other("it is a link"));
            }
        }
        let (asked, model) = (question.to_string(), model.to_owned());
        let cached = CachedReply { version: VERSION, asked, model, reply: reply.clone() };
        let line = sealed_line::line(&serde_json::to_string(&cached)?);
        replace::write_again(&path, line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(of: &[u8]) -> ConversationHash {
        ConversationHash::from_hasher(blake3::Hasher::new().update(of))
    }

    /// Every bit of a file, the end of it, and the file of another request.
    #[test]
    fn damaged_entries_are_not_used() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let (one, other) = (hash(b"one"), hash(b"other"));
        let reply = Reply::from_text("Two a day.".to_owned());
        cache.store(one, "openai/m", &reply).unwrap();
        cache.store(other, "openai/m", &Reply::from_text("Four.".to_owned())).unwrap();
        assert_eq!(cache.get(one), Ok(Some(reply.clone())));
        assert_eq!(cache.get(hash(b"third")), Ok(None));
        let path = cache.path(one);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[at / 8] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            // The end of the line says nothing.
            let found = cache.get(one);
            assert!(
                found.is_err() || found == Ok(Some(reply.clone())) && at / 8 + 1 == whole.len(),
                "{at}"
            );
        }
        for length in 0..whole.len() - 1 {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(cache.get(one).is_err(), "{length} bytes");
        }
        std::fs::copy(cache.path(other), &path).unwrap();
        let swapped = cache.get(one).unwrap_err().to_string();
        assert!(swapped.contains("the response to another request"), "{swapped}");
        std::fs::write(&path, r#"{"version":1,"model":"m","reply":{"text":"Five."}}"#).unwrap();
        assert_eq!(cache.get(one), Err(CacheDamage::Unsealed(path)));
    }
}
