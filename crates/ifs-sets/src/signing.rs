//! Signatures by ed25519 over in-toto statements, in DSSE envelopes.
//!
//! A statement names files with their SHA-256 hashes and says something about them, its predicate.
//! What is signed is the pre-authentication encoding of its bytes, so no verifier has to agree with
//! us on a canonical form of JSON.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::secret::{SecretError, hex, only_for_its_owner, parse_hex, random_bytes};
use ifs_base::{replace, world};

/// The version of the file of a key.
const FORMAT: u32 = 1;

/// The type of a payload, and of the statement in it.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// The prefix of public keys.
const ED25519_NAME: &str = "ed25519:";

const MAX_FILE_BYTES: u64 = 4096;

/// A key that signs. Nothing prints it.
pub struct SigningKey {
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

/// The key that signatures are checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    ifs_signing_key: u32,
    seed: String,
    public: String,
}

fn not_a_key(why: &str) -> SecretError {
    SecretError::Format(format!("it is not a signing key: {why}"))
}

impl SigningKey {
    /// A new one, from 32 bytes of the operating system.
    ///
    /// # Errors
    /// The operating system has no random bytes.
    pub fn new() -> Result<SigningKey, SecretError> {
        SigningKey::from_seed(random_bytes()?)
    }

    fn from_seed(seed: [u8; 32]) -> Result<SigningKey, SecretError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        let pair = pair.map_err(|error| not_a_key(&error.to_string()))?;
        Ok(SigningKey { seed, pair })
    }

    /// Writes the key to a new file that only its owner may read.
    ///
    /// # Errors
    /// With `AlreadyExists` where something is there: a key is never overwritten.
    pub fn write_new(&self, path: &Path) -> Result<(), SecretError> {
        let file = KeyFile {
            ifs_signing_key: FORMAT,
            seed: hex(&self.seed),
            public: self.public().to_string(),
        };
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        Ok(replace::write_once(path, text.as_bytes(), true)?)
    }

    /// # Errors
    /// It is damaged, or others may read it.
    pub fn read(path: &Path) -> Result<SigningKey, SecretError> {
        only_for_its_owner(path)?;
        let text = world::read_text(path, MAX_FILE_BYTES)?;
        // The text is not part of an error: it may be a key.
        let file: KeyFile = serde_json::from_str(&text).map_err(|error| {
            not_a_key(&format!("line {}, column {}", error.line(), error.column()))
        })?;
        if file.ifs_signing_key != FORMAT {
            let found = file.ifs_signing_key;
            return Err(not_a_key(&format!("its format is {found}; this ifs reads {FORMAT}")));
        }
        let seed = parse_hex(&file.seed);
        let key = SigningKey::from_seed(
            seed.ok_or_else(|| not_a_key("64 hexadecimal digits are expected"))?,
        )?;
        match key.public().to_string() == file.public {
            true => Ok(key),
            false => Err(not_a_key("its public key is another one's")),
        }
    }

    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }

    /// Signs a statement.
    pub fn sign(&self, statement: &InTotoStatement) -> Envelope {
        let payload = serde_json::to_vec(statement).unwrap_or_default();
        let signature = self.pair.sign(&pre_authentication(PAYLOAD_TYPE, &payload));
        Envelope {
            payload_type: PAYLOAD_TYPE.to_owned(),
            payload: BASE64_STANDARD.encode(&payload),
            signatures: vec![Signature {
                keyid: self.public().id(),
                sig: BASE64_STANDARD.encode(signature.as_ref()),
            }],
        }
    }
}

impl PublicKey {
    /// Reads `ed25519:` and 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<PublicKey> {
        parse_hex(text.trim().strip_prefix(ED25519_NAME)?).map(PublicKey)
    }

    /// A hint for verifiers: the SHA-256 hash of the key.
    pub fn id(&self) -> String {
        sha256(&self.0)
    }

    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }
}

impl std::fmt::Display for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{ED25519_NAME}{}", hex(&self.0))
    }
}

fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Sha256::default();
    hasher.update(bytes);
    hasher.finish()
}

/// The SHA-256 hash of bytes that come one after the other.
pub struct Sha256(ring::digest::Context);

impl Default for Sha256 {
    fn default() -> Sha256 {
        Sha256(ring::digest::Context::new(&ring::digest::SHA256))
    }
}

impl Sha256 {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(self) -> String {
        hex(self.0.finish().as_ref())
    }
}

/// A DSSE envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    pub payload: String,
    pub signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    pub keyid: String,
    pub sig: String,
}

/// An in-toto statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InTotoStatement {
    #[serde(rename = "_type")]
    pub ty: String,
    pub subject: Vec<SignedFile>,
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    pub predicate: Json,
}

/// A file by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedFile {
    pub name: String,
    pub digest: Digests,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    pub sha256: String,
}

/// Why an envelope is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    #[error("its payload is `{0}`, and `{PAYLOAD_TYPE}` is expected")]
    PayloadType(String),
    #[error("its payload is not base64")]
    Encoding,
    #[error("it has no signature")]
    Unsigned,
    #[error("it was signed by another key, or changed after it was signed")]
    Signature,
    #[error("its payload is not an in-toto statement: {0}")]
    Statement(String),
}

impl Envelope {
    /// The statement, if this key signed it.
    ///
    /// # Errors
    /// No signature is this key's, or the payload is of another form.
    pub fn verified_statement(&self, key: &PublicKey) -> Result<InTotoStatement, EnvelopeError> {
        if self.signatures.is_empty() {
            return Err(EnvelopeError::Unsigned);
        }
        let payload = decode(&self.payload).ok_or(EnvelopeError::Encoding)?;
        let signed = pre_authentication(&self.payload_type, &payload);
        // An envelope may have signatures of others, and one may leave its key unnamed.
        let is_ours = |signature: &Signature| {
            let names_it = signature.keyid.is_empty() || signature.keyid == key.id();
            let bytes = decode(&signature.sig).filter(|_| names_it);
            bytes.is_some_and(|bytes| key.verifies(&signed, &bytes))
        };
        if !self.signatures.iter().any(is_ours) {
            return Err(EnvelopeError::Signature);
        }
        // Only what is signed is read.
        if self.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeError::PayloadType(self.payload_type.clone()));
        }
        let statement: InTotoStatement = serde_json::from_slice(&payload)
            .map_err(|error| EnvelopeError::Statement(error.to_string()))?;
        match statement.ty == STATEMENT_TYPE {
            true => Ok(statement),
            false => Err(EnvelopeError::Statement(format!("its type is `{}`", statement.ty))),
        }
    }
}

/// DSSE allows both alphabets.
fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).or_else(|_| BASE64_URL_SAFE.decode(text)).ok()
}

/// DSSE's pre-authentication encoding: type and payload with their lengths.
pub fn pre_authentication(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification (secure-systems-lab/dsse, protocol.md and its test vectors).
    #[test]
    fn the_encoding_is_that_of_the_specification() {
        assert_eq!(
            pre_authentication("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
        // Lengths are of bytes.
        assert_eq!(pre_authentication("é", "→".as_bytes()), "DSSEv1 2 é 3 →".as_bytes());
    }

    /// RFC 8032, section 7.1, tests 1 to 3: seed, public key, message, signature.
    #[test]
    fn signatures_are_those_of_the_standard() {
        for (seed, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
                "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            ),
        ] {
            let bytes = |digits: &str| -> Vec<u8> {
                (0..digits.len() / 2)
                    .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
                    .collect()
            };
            let key = SigningKey::from_seed(parse_hex(seed).unwrap()).unwrap();
            assert_eq!(key.public().to_string(), format!("ed25519:{public}"));
            assert_eq!(hex(key.pair.sign(&bytes(message)).as_ref()), signature);
            assert!(key.public().verifies(&bytes(message), &bytes(signature)));
        }
    }

    #[test]
    fn envelopes_need_their_key() {
        let (key, other) =
            (SigningKey::from_seed([1; 32]).unwrap(), SigningKey::from_seed([2; 32]).unwrap());
        let statement = InTotoStatement {
            ty: STATEMENT_TYPE.to_owned(),
            subject: vec![SignedFile {
                name: "a".to_owned(),
                digest: Digests { sha256: sha256(b"text") },
            }],
            predicate_type: "urn:ifs:run:1".to_owned(),
            predicate: serde_json::json!({ "model": "m" }),
        };
        let envelope = key.sign(&statement);
        assert_eq!(envelope.verified_statement(&key.public()), Ok(statement.clone()));
        assert_eq!(envelope.verified_statement(&other.public()), Err(EnvelopeError::Signature));
        let changed = |change: &dyn Fn(&mut Envelope)| {
            let mut envelope = envelope.clone();
            change(&mut envelope);
            envelope.verified_statement(&key.public()).unwrap_err()
        };
        assert_eq!(changed(&|it| it.signatures.clear()), EnvelopeError::Unsigned);
        assert_eq!(changed(&|it| it.payload.push('!')), EnvelopeError::Encoding);
        assert_eq!(changed(&|it| it.payload_type.push('x')), EnvelopeError::Signature);
        let text = String::from_utf8(decode(&envelope.payload).unwrap()).unwrap();
        let text = text.replace("\"m\"", "\"n\"");
        assert_eq!(
            changed(&|it| it.payload = BASE64_STANDARD.encode(&text)),
            EnvelopeError::Signature
        );
        // The other alphabet is the same payload.
        let mut again = envelope.clone();
        again.payload = BASE64_URL_SAFE.encode(decode(&envelope.payload).unwrap());
        assert_eq!(again.verified_statement(&key.public()), Ok(statement));
    }
}
