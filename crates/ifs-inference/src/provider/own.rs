//! Models that the calling program implements.

use std::pin::Pin;
use std::sync::Arc;

use super::{CallFailure, ContentPart, Conversation, ConversationHash, MessageRole, Reply};

/// A request to such a model.
pub struct OwnRequest<'a> {
    pub system: Option<&'a str>,
    pub messages: &'a [(MessageRole, Arc<[ContentPart]>)],
    /// The index of the sample; further samples repeat the request for another response.
    pub sample: u32,
    /// The request's place in the run, which is unique.
    pub at: &'a str,
}

pub type OwnReply<'a> = Pin<Box<dyn Future<Output = Result<Reply, CallFailure>> + Send + 'a>>;

/// The interface of such a model.
pub trait RespondingModel: Send + Sync {
    fn name(&self) -> &str;
    fn answer<'a>(&'a self, request: OwnRequest<'a>) -> OwnReply<'a>;
}

/// A model of the calling program.
pub struct ProgramModel {
    pub(super) model: Arc<dyn RespondingModel>,
}

impl ProgramModel {
    pub fn new(model: Arc<dyn RespondingModel>) -> ProgramModel {
        ProgramModel { model }
    }

    pub fn name(&self) -> &str {
        self.model.name()
    }

    /// A hash of everything that a response depends on, as far as it is known here.
    pub fn question(&self, conversation: &Conversation, sample: u32) -> ConversationHash {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a question to a program's own model");
        hasher.update(&(self.name().len() as u64).to_le_bytes());
        hasher.update(self.name().as_bytes());
        hasher.update(&sample.to_le_bytes());
        hasher.update(conversation.digest().bytes());
        ConversationHash::from_hasher(&hasher)
    }

    pub async fn ask(
        &self,
        conversation: &Conversation,
        sample: u32,
        at: &str,
    ) -> Result<Reply, CallFailure> {
        let (system, messages) = (conversation.system(), conversation.kept_messages());
        self.model.answer(OwnRequest { system, messages, sample, at }).await
    }
}
