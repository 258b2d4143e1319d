//! Models that the program at hand brings itself.

use std::pin::Pin;
use std::sync::Arc;

use super::{CallFailure, Conversation, Digest, Part, Reply, Role};

/// What is asked of it.
pub struct OwnRequest<'a> {
    pub system: Option<&'a str>,
    pub messages: &'a [(Role, Arc<[Part]>)],
    /// Asked so often before, in the same words, for another answer.
    pub sample: u32,
    /// Where in the run it belongs; no two requests of a run have the same place.
    pub at: &'a str,
}

pub type OwnReply<'a> = Pin<Box<dyn Future<Output = Result<Reply, CallFailure>> + Send + 'a>>;

/// How such a model is asked.
pub trait Answers: Send + Sync {
    fn name(&self) -> &str;
    fn answer<'a>(&'a self, request: OwnRequest<'a>) -> OwnReply<'a>;
}

/// A model of the program.
pub struct Own {
    pub(super) model: Arc<dyn Answers>,
}

impl Own {
    pub fn new(model: Arc<dyn Answers>) -> Own {
        Own { model }
    }

    pub fn name(&self) -> &str {
        self.model.name()
    }

    /// A hash of everything that a response depends on, as far as it is known here.
    pub fn question(&self, conversation: &Conversation, sample: u32) -> Digest {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a question to a program's own model");
        hasher.update(&(self.name().len() as u64).to_le_bytes());
        hasher.update(self.name().as_bytes());
        hasher.update(&sample.to_le_bytes());
        hasher.update(conversation.digest().bytes());
        Digest::of(&hasher)
    }

    pub async fn ask(
        &self,
        conversation: &Conversation,
        sample: u32,
        at: &str,
    ) -> Result<Reply, CallFailure> {
        let (system, messages) = (conversation.system(), conversation.kept());
        self.model.answer(OwnRequest { system, messages, sample, at }).await
    }
}
