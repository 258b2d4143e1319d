//! Why a call brought no answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A call that brought no answer. Never an answer, and never the model's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallFailure {
    pub kind: FailureKind,
    pub message: String,
    /// How long the endpoint asks to wait.
    pub wait: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The same request will never be answered.
    Permanent,
    /// So will no other request: the key, the address or the name of the model is wrong.
    Refused,
    /// Too many requests at a time; fewer may pass.
    Overloaded,
    /// May pass by itself: a lost connection, a server's fault, a silence.
    Passing,
    /// Something came back that is no answer. It may be a broken server that will
    /// send the same again.
    Garbled,
    /// No one was asked: the run was stopped.
    Stopped,
}

impl CallFailure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> CallFailure {
        CallFailure { kind, message: message.into(), wait: None }
    }

    pub fn garbled(message: impl Into<String>) -> CallFailure {
        CallFailure::new(FailureKind::Garbled, message)
    }

    pub fn passing(message: impl Into<String>) -> CallFailure {
        CallFailure::new(FailureKind::Passing, message)
    }

    pub fn permanent(message: impl Into<String>) -> CallFailure {
        CallFailure::new(FailureKind::Permanent, message)
    }

    pub fn stopped() -> CallFailure {
        CallFailure::new(FailureKind::Stopped, "the run was stopped")
    }
}
