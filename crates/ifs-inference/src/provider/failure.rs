//! Failures of requests.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::StopReason;

/// A failed request, which never counts as a failure of the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallFailure {
    pub kind: FailureKind,
    pub message: String,
    /// The `Retry-After` of the endpoint.
    pub wait: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A permanent failure of this request.
    Permanent,
    /// A permanent failure of all requests: the key, the address or the name of the model is wrong.
    Refused,
    /// Too many concurrent requests.
    Overloaded,
    /// A transient failure: a lost connection, a server error, a timeout.
    Passing,
    /// A malformed response. A broken server may send the same
    /// again.
    Garbled,
    /// The request does not fit into the context window of the model.
    ContextLength,
    /// The endpoint's filter refused the request for what it says.
    Blocked,
    /// The run was cancelled before the request was sent.
    Stopped,
}

impl FailureKind {
    /// The stop reason of a request that the endpoint will always refuse in this way: an outcome of
    /// its turn, and no failure.
    pub fn outcome(self) -> Option<StopReason> {
        match self {
            FailureKind::ContextLength => Some(StopReason::ContextLength),
            FailureKind::Blocked => Some(StopReason::Filter),
            FailureKind::Permanent
            | FailureKind::Refused
            | FailureKind::Overloaded
            | FailureKind::Passing
            | FailureKind::Garbled
            | FailureKind::Stopped => None,
        }
    }
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
