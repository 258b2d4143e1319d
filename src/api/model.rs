//! Models under test and judges: by name, or implemented by the program.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Error, Message, Response, Role};
use ifs_base::world::MAX_FILE_BYTES;
use ifs_inference::provider::{
    self, CallFailure, Environment, FailureKind, OwnReply, OwnRequest, Parameters, ProgramModel,
    RespondingModel, Timeouts,
};

/// A request to a [`Model`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The complete conversation so far, with the user message last.
    pub messages: Vec<Message>,
    /// The index of the sample; 0 for the first. Further samples repeat the request for another
    /// response.
    pub sample: u32,
    /// The request's place in the run: `talk/3/7/answer`. It is unique in a run.
    pub at: String,
}

/// A pending response.
pub type Respond<'a> = Pin<Box<dyn Future<Output = Result<Response, ModelError>> + Send + 'a>>;

/// A model of your own: an agent, a local network, an endpoint that ifs does not support.
///
/// ```
/// use ifs::{Model, Request, Respond};
///
/// struct Parrot;
///
/// impl Model for Parrot {
///     fn name(&self) -> &str {
///         "own/parrot"
///     }
///
///     fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
///         Box::pin(async move {
///             let last = request.messages.last().map(|message| message.text());
///             Ok(last.unwrap_or_default().into())
///         })
///     }
/// }
/// ```
pub trait Model: Send + Sync {
    /// The model's name in reports and in the journal. A run resumes only with a model of the same
    /// name.
    fn name(&self) -> &str;

    /// Answers a request. It runs within a tokio runtime; many requests may be in flight.
    ///
    /// # Errors
    /// Returns a [`ModelError`] for an infrastructure error, which never counts as a violated
    /// constraint.
    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a>;
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    kind: FailureKind,
    message: String,
}

impl ModelError {
    /// A transient error: the request is sent again after a delay.
    pub fn transient(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::Passing, message: message.into() }
    }

    /// Too many concurrent requests: the request is sent again, and fewer are in flight from then
    /// on.
    pub fn overloaded(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::Overloaded, message: message.into() }
    }

    /// A permanent error for this request: its dialogue is incomplete.
    pub fn permanent(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::Permanent, message: message.into() }
    }

    /// The request does not fit into the context window of the model: the dialogue ends there, and
    /// that is an outcome, not an error of the run.
    pub fn context_length(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::ContextLength, message: message.into() }
    }

    /// A filter refused the request for what it says: the turn is not judged, and the dialogue goes
    /// on.
    pub fn blocked(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::Blocked, message: message.into() }
    }

    /// A permanent error for every request, such as a wrong key or address: the run stops.
    pub fn refused(message: impl Into<String>) -> ModelError {
        ModelError { kind: FailureKind::Refused, message: message.into() }
    }
}

impl std::fmt::Display for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}

/// A model under test or a judge.
#[derive(Clone)]
pub struct ModelHandle {
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Named(String),
    Program(Arc<dyn Model>),
}

impl ModelHandle {
    /// A model by name, such as `openai/gpt-4o`, `sim/oracle` or `sim/judge`; `ifs run --help`
    /// lists them. Keys and addresses are read from the environment when the run starts.
    pub fn named(name: impl Into<String>) -> ModelHandle {
        ModelHandle { inner: Inner::Named(name.into()) }
    }

    /// A model of your own.
    pub fn own(model: impl Model + 'static) -> ModelHandle {
        ModelHandle::shared(Arc::new(model))
    }

    /// A model of your own that is shared with other owners.
    pub fn shared(model: Arc<dyn Model>) -> ModelHandle {
        ModelHandle { inner: Inner::Program(model) }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        match &self.inner {
            Inner::Named(name) => name,
            Inner::Program(model) => model.name(),
        }
    }

    pub(super) fn is_named(&self) -> bool {
        matches!(self.inner, Inner::Named(_))
    }

    /// The model that the runtime sends requests to.
    pub(super) fn resolve(&self, parameters: &Parameters) -> Result<provider::Model, Error> {
        let name = match &self.inner {
            Inner::Program(model) => {
                let answers = Arc::new(Adapter(Arc::clone(model)));
                return Ok(provider::Model::Program(ProgramModel::new(answers)));
            }
            Inner::Named(name) => name,
        };
        let infrastructure =
            |error: std::io::Error| Error::Infrastructure { message: error.to_string() };
        let here = std::env::current_dir().map_err(infrastructure)?;
        let environment = Environment::read(&here).map_err(Error::usage)?;
        let read = |path: &str| {
            let text = ifs_base::world::read_text(std::path::Path::new(path), MAX_FILE_BYTES);
            text.map_err(|error| error.to_string())
        };
        provider::model(name, parameters, &[], Timeouts::default(), &environment, read)
            .map_err(|error| Error::usage(error.to_string()))
    }
}

impl std::fmt::Debug for ModelHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelHandle").field(&self.name()).finish()
    }
}

impl From<&str> for ModelHandle {
    fn from(name: &str) -> ModelHandle {
        ModelHandle::named(name)
    }
}

impl From<String> for ModelHandle {
    fn from(name: String) -> ModelHandle {
        ModelHandle::named(name)
    }
}

impl From<Arc<dyn Model>> for ModelHandle {
    fn from(model: Arc<dyn Model>) -> ModelHandle {
        ModelHandle::shared(model)
    }
}

/// Adapts the program's model to the runtime.
struct Adapter(Arc<dyn Model>);

impl RespondingModel for Adapter {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn answer<'a>(&'a self, request: OwnRequest<'a>) -> OwnReply<'a> {
        let OwnRequest { system, messages, sample, at } = request;
        let system = system.map(|text| Message::text_of(Role::System, text));
        let messages = messages.iter().map(|(role, parts)| {
            let role = match role {
                provider::MessageRole::User => Role::User,
                provider::MessageRole::Assistant => Role::Assistant,
            };
            Message::from_parts(role, parts)
        });
        let messages = system.into_iter().chain(messages).collect();
        Box::pin(async move {
            let request = Request { messages, sample, at: at.to_owned() };
            match self.0.respond(&request).await {
                Ok(response) => Ok(response.into_reply()),
                Err(ModelError { kind, message }) => Err(CallFailure::new(kind, message)),
            }
        })
    }
}
