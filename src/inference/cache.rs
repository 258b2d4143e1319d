//! The response cache: one file for each response, named by the hash of its request.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::provider::{ConversationHash, Reply};
use crate::{replace, world};

/// The format version of the files.
const VERSION: u32 = 1;

pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct CachedReply {
    version: u32,
    model: String,
    reply: Reply,
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

    /// `None` for a file that is damaged or has another version.
    pub fn get(&self, question: ConversationHash) -> Option<Reply> {
        let bytes = world::read_regular(&self.path(question), world::MAX_FILE_BYTES).ok()?;
        let cached: CachedReply = serde_json::from_slice(&bytes).ok()?;
        (cached.version == VERSION).then_some(cached.reply)
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
        let cached =
            CachedReply { version: VERSION, model: model.to_owned(), reply: reply.clone() };
        replace::write_again(&path, serde_json::to_string(&cached)?.as_bytes())
    }
}
