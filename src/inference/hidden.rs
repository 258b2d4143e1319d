//! What is recorded of the requests of a hidden set: neither its prompts, nor anything that a guess
//! at a prompt could be checked with.

use crate::provider::{CallFailure, Digest, FailureKind, Reply, StopReason};
use crate::script::{SecretKey, is_long};

/// What is written in the place of a prompt.
pub const HIDDEN: &str = "(hidden)";

/// How the requests of a hidden set are recorded.
#[derive(Clone, Debug)]
pub struct HiddenRecords {
    pub key: SecretKey,
    /// Keep the prompts, for the owner of the set.
    pub keeps_prompts: bool,
}

impl HiddenRecords {
    /// The name of a request in journals and caches. A plain hash would confirm a guess.
    pub fn question(&self, question: Digest) -> Digest {
        let mut hasher = self.key.hasher("a request");
        hasher.update(question.bytes());
        Digest::of(&hasher)
    }

    /// A number that stands for another one.
    pub fn number(&self, purpose: &str, number: u64) -> u64 {
        let mut hasher = self.key.hasher(purpose);
        hasher.update(&number.to_le_bytes());
        crate::stable_hash::little_endian(&hasher.finalize().as_bytes()[..8])
    }

    /// The result of a request, without what may quote its prompt: the endpoint's words about an
    /// error, and the model's reasoning.
    pub fn found(&self, found: Result<Reply, CallFailure>) -> Result<Reply, CallFailure> {
        if self.keeps_prompts {
            return found;
        }
        match found {
            Ok(reply) => Ok(without_quotations(reply)),
            Err(failure) => Err(without_words(failure)),
        }
    }
}

fn without_quotations(mut reply: Reply) -> Reply {
    if !reply.reasoning.is_empty() {
        reply.reasoning = HIDDEN.to_owned();
    }
    if let Some(StopReason::Other(reason)) = &mut reply.stop
        && is_long(reason)
    {
        *reason = HIDDEN.to_owned();
    }
    reply.served = reply.served.filter(|name| !is_long(name));
    reply
}

/// Messages about connections have no words of the endpoint.
const OWN: [&str; 2] = ["no connection to ", "the connection "];

fn without_words(failure: CallFailure) -> CallFailure {
    let is_own = OWN.iter().any(|begins| failure.message.starts_with(begins));
    match failure.message.split_once(": ") {
        Some((before, _)) if !is_own && failure.kind != FailureKind::Stopped => {
            let message =
                format!("{before} (the endpoint's words are left out: the set is hidden)");
            CallFailure { message, ..failure }
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_endpoint_says_is_left_out() {
        let records = HiddenRecords { key: SecretKey::new([7; 32], [0; 32]), keeps_prompts: false };
        let failed = |message: &str| {
            records.found(Err(CallFailure::permanent(message))).unwrap_err().message
        };
        assert_eq!(
            failed("400 Bad Request: cannot read `Write about kites`: no"),
            "400 Bad Request (the endpoint's words are left out: the set is hidden)"
        );
        let own = "no connection to 127.0.0.1:1: Connection refused";
        assert_eq!(failed(own), own);
        let reply = Reply {
            reasoning: "The user wants kites.".to_owned(),
            stop: Some(StopReason::Other("it said: write about kites for me".to_owned())),
            ..Reply::of("Kites fly.".to_owned())
        };
        let reply = records.found(Ok(reply)).unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Kites fly.", HIDDEN));
        assert_eq!(reply.stop, Some(StopReason::Other(HIDDEN.to_owned())));
        let other = HiddenRecords { key: SecretKey::new([8; 32], [0; 32]), keeps_prompts: false };
        let long = "Write a letter to your aunt";
        assert_eq!(records.key.name("kites"), "kites");
        assert!(records.key.name(long).starts_with("hidden-"));
        assert_ne!(records.key.name(long), other.key.name(long));
        assert_ne!(records.number("asked", 1), other.number("asked", 1));
    }
}
