//! The records of the requests of a hidden set: without prompts, and without anything that could
//! verify a guess of a prompt.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::provider::{CallFailure, ConversationHash, FailureKind, Reply, StopReason};
use ifs_draw::{SecretKey, is_long};

/// The text in place of a prompt.
pub const HIDDEN_PROMPT: &str = "(hidden)";

/// The beginning of a sealed text, and the bytes of its tag.
const SEALED_PREFIX: &str = "sealed:";
const TAG_BYTES: usize = 32;

/// How the requests of a hidden set are recorded.
#[derive(Clone, Debug)]
pub struct HiddenRecords {
    pub key: SecretKey,
    /// Keep the prompts, for the owner of the set.
    pub keeps_prompts: bool,
}

impl HiddenRecords {
    /// The name of a request in journals and caches. A plain hash would confirm a guess.
    pub fn question(&self, question: ConversationHash) -> ConversationHash {
        let mut hasher = self.key.hasher("a request");
        hasher.update(question.bytes());
        ConversationHash::from_hasher(&hasher)
    }

    /// A number in place of the real one.
    pub fn number(&self, purpose: &str, number: u64) -> u64 {
        let mut hasher = self.key.hasher(purpose);
        hasher.update(&number.to_le_bytes());
        ifs_value::stable_hash::little_endian(&hasher.finalize().as_bytes()[..8])
    }

    /// A reply as journals and caches keep it. A judge's reason quotes what it was asked, so the text is
    /// sealed: only the secret opens it, and a change is found.
    ///
    /// The tag is a keyed hash of the text, and the key stream follows from the tag: a synthetic
    /// initialization vector as in RFC 5297, with BLAKE3 instead of AES.
    pub fn sealed<'r>(&self, reply: &'r Reply) -> Cow<'r, Reply> {
        // A text that starts like a sealed one is sealed too, so that sealed texts can be recognized.
        if self.keeps_prompts && !reply.text.starts_with(SEALED_PREFIX) {
            return Cow::Borrowed(reply);
        }
        let tag = self.tag(reply.text.as_bytes());
        let mut bytes = tag.as_bytes().to_vec();
        bytes.extend_from_slice(reply.text.as_bytes());
        self.apply_keystream(&tag, &mut bytes[TAG_BYTES..]);
        let text = format!("{SEALED_PREFIX}{}", BASE64.encode(bytes));
        Cow::Owned(Reply { text, ..reply.clone() })
    }

    /// The reply that was sealed; one that was recorded with the prompts is not.
    ///
    /// # Errors
    /// Says that the text is not what was sealed.
    pub fn opened(&self, reply: Reply) -> Result<Reply, String> {
        let Some(sealed) = reply.text.strip_prefix(SEALED_PREFIX) else { return Ok(reply) };
        let changed = || "a sealed response was changed, or sealed with another secret".to_owned();
        let mut bytes = BASE64.decode(sealed).map_err(|_| changed())?;
        let tag = bytes.first_chunk::<TAG_BYTES>().ok_or_else(changed)?;
        let tag = blake3::Hash::from_bytes(*tag);
        let mut text = bytes.split_off(TAG_BYTES);
        self.apply_keystream(&tag, &mut text);
        // Comparing hashes takes the same time wherever they differ.
        if self.tag(&text) != tag {
            return Err(changed());
        }
        let text = String::from_utf8(text).map_err(|_| changed())?;
        Ok(Reply { text, ..reply })
    }

    fn tag(&self, text: &[u8]) -> blake3::Hash {
        self.key.hasher("the seal of a response").update(text).finalize()
    }

    /// Encrypts or decrypts a text with the key stream of its tag.
    fn apply_keystream(&self, tag: &blake3::Hash, text: &mut [u8]) {
        let mut keystream = vec![0; text.len()];
        let mut hasher = self.key.hasher("the key stream of a response");
        hasher.update(tag.as_bytes()).finalize_xof().fill(&mut keystream);
        text.iter_mut().zip(keystream).for_each(|(byte, key)| *byte ^= key);
    }

    /// The result of a request, without what may quote its prompt: the endpoint's words about an
    /// error, and the model's reasoning.
    pub fn seal_result(&self, found: Result<Reply, CallFailure>) -> Result<Reply, CallFailure> {
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
        reply.reasoning = HIDDEN_PROMPT.to_owned();
    }
    if let Some(StopReason::Other(reason)) = &mut reply.stop
        && is_long(reason)
    {
        *reason = HIDDEN_PROMPT.to_owned();
    }
    reply.served = reply.served.filter(|name| !is_long(name));
    reply
}

/// Messages about connections have no words of the endpoint.
const CONNECTION_ERRORS: [&str; 2] = ["no connection to ", "the connection "];

fn without_words(failure: CallFailure) -> CallFailure {
    let is_own = CONNECTION_ERRORS.iter().any(|begins| failure.message.starts_with(begins));
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
    fn sealed_responses_need_their_secret() {
        let of = |key, keeps_prompts| HiddenRecords {
            key: SecretKey::new([key; 32], [0; 32]),
            keeps_prompts,
        };
        let (records, owner) = (of(7, false), of(7, true));
        for text in ["", "kites", "It asks for kites: 风筝.", "sealed:", "sealed:a2l0ZXM="] {
            let reply = Reply::from_text(text.to_owned());
            let sealed = records.sealed(&reply).into_owned();
            assert!(sealed.text.starts_with(SEALED_PREFIX) && !sealed.text.contains("kites"));
            assert_eq!(records.opened(sealed.clone()), Ok(reply.clone()));
            assert_eq!(owner.opened(sealed.clone()), Ok(reply.clone()));
            assert_eq!(owner.opened(owner.sealed(&reply).into_owned()), Ok(reply.clone()));
            assert!(of(8, false).opened(sealed.clone()).is_err());
            for at in SEALED_PREFIX.len()..sealed.text.len() {
                let mut bytes = sealed.text.clone().into_bytes();
                bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
                let text = String::from_utf8(bytes).unwrap();
                assert!(records.opened(Reply { text, ..sealed.clone() }).is_err(), "{at}");
            }
        }
        let kept = Reply::from_text("kites".to_owned());
        assert_eq!(*owner.sealed(&kept), kept, "the owner keeps them");
        assert_eq!(records.opened(kept.clone()), Ok(kept));
    }

    #[test]
    fn endpoint_messages_are_left_out() {
        let records = HiddenRecords { key: SecretKey::new([7; 32], [0; 32]), keeps_prompts: false };
        let failed = |message: &str| {
            records.seal_result(Err(CallFailure::permanent(message))).unwrap_err().message
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
            ..Reply::from_text("Kites fly.".to_owned())
        };
        let reply = records.seal_result(Ok(reply)).unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Kites fly.", HIDDEN_PROMPT));
        assert_eq!(reply.stop, Some(StopReason::Other(HIDDEN_PROMPT.to_owned())));
        let other = HiddenRecords { key: SecretKey::new([8; 32], [0; 32]), keeps_prompts: false };
        let long = "Write a letter to your aunt";
        assert_eq!(records.key.name("kites"), "kites");
        assert!(records.key.name(long).starts_with("hidden-"));
        assert_ne!(records.key.name(long), other.key.name(long));
        assert_ne!(records.number("asked", 1), other.number("asked", 1));
    }
}
