//! The manifest of a set: everything about it that may be published before it is used.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::secret::{Secret, guid};
use ifs_audit::AuditSummary;
use ifs_draw::SecretKey;
use ifs_run::Beacon;

/// Digits of the hash of a field: they name what was changed, and the seal of the whole shows that
/// something was.
const FIELD_SEAL_DIGITS: usize = 12;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// The description of a set, and its commitments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetManifest {
    /// The version of this format.
    pub ifs_release: u32,
    pub benchmark: String,
    pub version: String,
    /// What the benchmark says about itself: `author`, `licence`, `cites`, `homepage` and others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub about: BTreeMap<String, String>,
    pub edition: u32,
    pub ifs_version: String,
    /// The git commit of the scenario, and whether files that it was read from differed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    #[serde(default)]
    pub dirty: bool,
    /// The definition hash.
    pub definition: String,
    /// The BLAKE3 hash of the scenario's lock.
    pub lock: String,
    /// The name of the release, and the period that it is for.
    pub release: String,
    pub epoch: String,
    pub dialogue: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The split whose held-out parts it draws; it is then that variant of the dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    pub dialogues: u64,
    /// The maximum number of turns of a dialogue that are written.
    pub turns: u32,
    /// The seed of a public set; a hidden one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The commitment to the secret of a hidden set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// The commitment to the key of its anchors, which is the same in every epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_commitment: Option<String>,
    /// Public randomness in the streams of a hidden set, so that nobody could choose its secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beacon: Option<Beacon>,
    /// In every line of the set, and never in a prompt.
    pub canary: String,
    /// The root of the tree over salted hashes of all lines, in their order.
    pub root: String,
    /// The BLAKE3 hash of the file of dialogues; for a hidden set only the root is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The rule by which results are interpreted, the keeper of the secret, and the time when it is
    /// revealed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision_rule: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub holder: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reveal: String,
    /// Whether it may have turns for which no witness is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_unproven: bool,
    pub acceptance: Acceptance,
    /// The BLAKE3 hash of the file of rejected dialogues.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rejected: String,
    /// Wording shared with the public set of the same size, if a split is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<SharedWording>,
    /// What an audit of the dialogue's checks found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditSummary>,
    pub coverage: Coverage,
    #[serde(default)]
    pub difficulty: Difficulty,
    /// A hash of everything above, and hashes of its fields that name what was changed, keyed by the
    /// secret of a hidden set.
    #[serde(default)]
    pub seal: String,
    #[serde(default)]
    pub seals: BTreeMap<String, String>,
}

/// The selection of the dialogues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// Dialogues that were drawn.
    pub candidates: u64,
    /// Dialogues that a `keep` rejected, and those that repeat the text of an earlier one.
    pub rejected: u64,
    pub repeats: u64,
    /// Those that share too much wording with an earlier one, those of which a quota has enough,
    /// and those with nothing that a cover or a quota still lacked.
    #[serde(default)]
    pub near_duplicates: u64,
    #[serde(default)]
    pub over_quota: u64,
    #[serde(default)]
    pub not_needed: u64,
    /// Dialogues of the set that are the same in every epoch.
    #[serde(default)]
    pub anchors: u64,
}

/// The wording of a set that another one has, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedWording {
    /// The other set: its dialogues, and its seed.
    pub dialogues: u64,
    pub seed: u64,
    /// The shares of distinct messages and of distinct 8-grams of words.
    pub messages: f64,
    pub grams: f64,
}

/// How hard the set is, as far as its dialogues say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difficulty {
    /// Dialogues by their number of turns.
    pub turns: BTreeMap<u32, u64>,
    /// Turns by the number of turns since the oldest active constraint was imposed.
    pub oldest: BTreeMap<u32, u64>,
    /// Turns by the number of changed constraints.
    pub changes: BTreeMap<u32, u64>,
    /// Turns by the number of active constraints that only a judge decides.
    pub judged: BTreeMap<u32, u64>,
    /// Turns by the words of the user message and of the witness, up to a power of two.
    pub message_words: BTreeMap<u64, u64>,
    pub witness_words: BTreeMap<u64, u64>,
}

/// The frequencies in the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    pub turns: u64,
    /// Turns with a witness, turns without an active rule, and turns for which no witness was
    /// found.
    pub witnessed: u64,
    pub judged_only: u64,
    pub without_witness: u64,
    /// Turns on which each is active.
    pub constraints: BTreeMap<String, u64>,
    /// Turns on which a constraint of each is active.
    #[serde(default)]
    pub groups: BTreeMap<String, u64>,
    /// Turns on which both groups of a pair are active: `case + length`.
    pub pairs_of_groups: BTreeMap<String, u64>,
    pub relations: BTreeMap<String, u64>,
    pub moves: BTreeMap<String, u64>,
    /// Dialogues with each.
    pub topics: BTreeMap<String, u64>,
    pub styles: BTreeMap<String, u64>,
    /// Turns by the number of active constraints.
    pub active: BTreeMap<u32, u64>,
}

impl SetManifest {
    /// The commitments of a set with these settings before it is drawn: its canary, and the hash of
    /// the secret.
    pub fn commit(&mut self, secret: Option<&Secret>) {
        self.ifs_release = FORMAT;
        self.commitment = secret.map(Secret::commitment);
        // A revealed key of an epoch does not know the anchors.
        if let Some(anchors) = secret.and_then(Secret::anchor_commitment) {
            self.anchor_commitment = Some(anchors);
        }
        self.canary = match secret {
            Some(secret) => secret.canary(self),
            None => {
                let mut hasher = blake3::Hasher::new_derive_key("ifs: the canary of a public set");
                let seed = self.seed.unwrap_or_default().to_string();
                let variant = self.variant.as_deref().unwrap_or_default();
                let of =
                    [&self.definition, &self.dialogue, variant, &self.release, &self.epoch, &seed];
                for text in of {
                    hasher.update(&(text.len() as u64).to_le_bytes());
                    hasher.update(text.as_bytes());
                }
                guid(hasher.finalize().as_bytes())
            }
        };
    }

    /// Seals everything else in it.
    pub fn seal(&mut self, secret: Option<&Secret>) {
        (self.seal, self.seals) = self.sealed_by(secret);
    }

    fn sealed_by(&self, secret: Option<&Secret>) -> (String, BTreeMap<String, String>) {
        let seal = |text: &[u8]| match secret {
            Some(secret) => secret.seal(text),
            None => blake3::hash(text).to_hex().to_string(),
        };
        let plain = SetManifest { seal: String::new(), seals: BTreeMap::new(), ..self.clone() };
        // Texts, numbers and maps with text keys always serialize.
        let text = serde_json::to_vec(&plain).unwrap_or_default();
        let fields = match serde_json::to_value(&plain) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let fields = fields.into_iter().map(|(name, value)| {
            let sealed = seal(format!("{name}: {value}").as_bytes());
            (name, sealed.chars().take(FIELD_SEAL_DIGITS).collect())
        });
        (seal(&text), fields.collect())
    }

    /// The top-level fields that were changed since it was sealed; `None` if it was not changed.
    pub fn changed_fields(&self, secret: Option<&Secret>) -> Option<Vec<String>> {
        let (seal, seals) = self.sealed_by(secret);
        let names: BTreeSet<&String> = seals.keys().chain(self.seals.keys()).collect();
        let changed = names.into_iter().filter(|name| seals.get(*name) != self.seals.get(*name));
        let changed: Vec<String> = changed.cloned().collect();
        (seal != self.seal || !changed.is_empty()).then_some(changed)
    }

    /// The hash of all of it, whatever its layout in the file is.
    pub fn digest(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        format!("blake3:{}", blake3::hash(&text).to_hex())
    }

    pub fn is_hidden(&self) -> bool {
        self.commitment.is_some()
    }
}

/// What a set takes from its secret.
impl Secret {
    /// The key of the streams of a set, and of its anchors, which all epochs share. Its streams
    /// depend on the beacon, its anchors do not.
    pub fn key(&self, of: &SetManifest) -> SecretKey {
        let variant = of.variant.as_deref().unwrap_or_default();
        let anchors = [of.definition.as_str(), &of.dialogue, variant, &of.release];
        let anchors = self.anchored(&anchors);
        let texts =
            [of.definition.as_str(), &of.dialogue, of.variant.as_deref().unwrap_or_default()];
        let beacon = of.beacon.iter().flat_map(|beacon| {
            let Beacon { source, round, value } = beacon;
            [source.as_str(), round, value]
        });
        let texts = [&texts[..], &[of.release.as_str(), &of.epoch]].concat();
        let texts: Vec<&str> = texts.into_iter().chain(beacon).collect();
        SecretKey::new(*self.keyed("streams", &texts).finalize().as_bytes(), anchors)
    }

    /// The salt of a dialogue's leaf in the tree.
    pub fn leaf_salt(&self, of: &SetManifest, place: u64) -> [u8; 32] {
        let texts = [of.definition.as_str(), &of.dialogue, &of.release, &of.epoch];
        let mut hasher = self.keyed("salt of a leaf", &texts);
        hasher.update(of.variant.as_deref().unwrap_or_default().as_bytes());
        hasher.update(&place.to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The canary of a set, as a GUID: the same each time the set is drawn.
    pub fn canary(&self, of: &SetManifest) -> String {
        let texts = [of.definition.as_str(), &of.dialogue, &of.release, &of.epoch];
        guid(self.keyed("canary", &texts).finalize().as_bytes())
    }
}
