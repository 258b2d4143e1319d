//! Models. Each is named by one string, such as `anthropic/claude-sonnet-4-5` or
//! `sim/oracle`.
//!
//! * [`wire`] has the formats of APIs, without I/O;
//! * `transport` sends them over HTTP (feature `http`);
//! * `simulated` models run offline.

#[cfg(feature = "http")]
mod batch;
mod conversation;
#[cfg(feature = "http")]
mod endpoint;
mod environment;
mod failure;
mod names;
mod own;
mod parameters;
mod picture;
mod reply;
#[cfg(feature = "http")]
mod secrets;
mod simulated;
#[cfg(feature = "http")]
mod transport;
pub mod wire;

#[cfg(feature = "http")]
pub use batch::{BatchForm, BatchRow, BatchState, BatchStatus};
pub use conversation::{
    ContentPart, Conversation, ConversationHash, MessageImage, MessageRole, ResponseSchema,
    ToolMessage,
};
#[cfg(feature = "http")]
pub use endpoint::Endpoint;
pub use environment::Environment;
pub use failure::{CallFailure, FailureKind};
pub use names::{PROVIDERS, Provider, UnknownModel, is_name_of, model};
pub use own::{OwnReply, OwnRequest, ProgramModel, RespondingModel};
pub use parameters::{HttpHeader, Parameters, SystemRole, Timeouts};
pub use reply::{Reply, StopReason, Usage};
pub use simulated::{RecordedOrigin, SimulatedModel, SimulationInput};
#[cfg(feature = "http")]
pub use transport::{ApiCall, Connections};

/// The default model of a run.
pub const DEFAULT: &str = "sim/forgetful";

/// A model that accepts requests.
pub enum Model {
    /// A simulated model.
    Simulated(Box<dyn SimulatedModel>),
    #[cfg(feature = "http")]
    Remote(std::sync::Arc<Endpoint>),
    /// A model that the calling program implements.
    Program(ProgramModel),
}

impl Model {
    /// The model's name as the user gave it: `sim/oracle`.
    pub fn name(&self) -> &str {
        match self {
            Model::Simulated(model) => model.name(),
            Model::Program(own) => own.name(),
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => endpoint.name(),
        }
    }

    pub fn is_simulated(&self) -> bool {
        matches!(self, Model::Simulated(_))
    }

    /// Whether the responses are those of a simulated model, also where they are replayed.
    pub fn gives_simulated(&self) -> bool {
        self.is_simulated() && self.recorded().is_none_or(|origin| origin.simulated)
    }

    /// For recorded responses, what is known about the model that gave them.
    pub fn recorded(&self) -> Option<&RecordedOrigin> {
        match self {
            Model::Simulated(model) => model.recorded(),
            Model::Program(_) => None,
            #[cfg(feature = "http")]
            Model::Remote(_) => None,
        }
    }

    /// The system message of the run, before that of the dialogue.
    pub fn system(&self) -> Option<&str> {
        match self {
            Model::Simulated(_) | Model::Program(_) => None,
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => endpoint.parameters().system.as_deref(),
        }
    }

    /// Its address; `None` for a simulated one.
    pub fn address(&self) -> Option<String> {
        match self {
            Model::Simulated(_) | Model::Program(_) => None,
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => Some(endpoint.address().to_owned()),
        }
    }

    /// The address or proxy of requests, if the environment sets
    /// one.
    pub fn other_address(&self) -> Option<&str> {
        match self {
            Model::Simulated(_) | Model::Program(_) => None,
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => endpoint.other_address(),
        }
    }

    /// The declared token limit of responses.
    pub fn max_tokens(&self) -> Option<u64> {
        match self {
            Model::Simulated(_) | Model::Program(_) => None,
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => endpoint.parameters().max_tokens,
        }
    }

    /// An empty conversation with this model.
    pub fn conversation(&self, system: Option<&str>) -> Conversation {
        match self {
            Model::Simulated(_) => Conversation::new(None, system),
            Model::Program(_) => Conversation::keeping(system),
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => match endpoint.parameters().system_as {
                SystemRole::System => Conversation::new(Some(endpoint.wire()), system),
                SystemRole::User => Conversation::without_system_role(endpoint.wire(), system),
            },
        }
    }
}
