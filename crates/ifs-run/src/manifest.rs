//! `run.json`: what a run is, and how far it came.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::shard::Shard;
use ifs_inference::panel::Judging;
use ifs_inference::provider::Parameters;
use ifs_inference::{ModelSpending, ServedNames, Spent};
use ifs_model::table::Dialogue;

/// The version of the files of a run. Since version 3 a turn of a transcript has its `samples`, and
/// `run.json` a checksum of itself.
pub const SCHEMA: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunManifest {
    /// The format version of this file.
    pub schema: u32,
    pub ifs_version: String,
    /// The edition of the language.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub edition: u32,
    /// The git commit that the scenario was read from, if it is in a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Whether files that the scenario was read from differed from that commit.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub dirty: bool,
    pub benchmark: String,
    pub benchmark_version: String,
    /// What the benchmark says about itself: `author`, `licence`, `cites`, `homepage` and others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub about: BTreeMap<String, String>,
    pub plan_hash: String,
    pub dialogue: String,
    /// The variant of the dialogue, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    pub model: String,
    pub simulated_model: bool,
    pub simulated_judge: bool,
    /// If the responses were recorded before the run and replayed, what is known about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<ReplayedEntry>,
    /// The judges and their settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<Judging>,
    /// Models that extract parts without a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coder: Option<ExtractorEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extractor: Option<ExtractorEntry>,
    /// The parameters of every request.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub parameters: Parameters,
    /// The address of the model, and the names of additional headers. Keys are never
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// If the shards of a merged run used a model at several addresses, all of them, by the name of
    /// the model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub addresses: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    pub seed: u64,
    /// The set that the dialogues are of, if `ifs release` wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetEntry>,
    /// The run is of a hidden set, but its transcripts contain the prompts.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub prompts_kept: bool,
    /// The requested number of dialogues, of all shards together.
    #[serde(default)]
    pub count: u64,
    /// Which part of the dialogues the run has, if it is not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    pub dialogues: u64,
    /// How many dialogues there are to run, if that is known: those of the set or of the release, or
    /// one for each record that the dialogue goes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available: Option<u64>,
    /// Candidates that the `keep` of the release rejected.
    pub rejected: u64,
    /// Whether repeats were skipped, so that no two dialogues have the same text.
    #[serde(default)]
    pub distinct: bool,
    /// Candidates that were skipped because they repeat a text.
    #[serde(default)]
    pub repeats: u64,
    pub max_turns: u32,
    /// The number of responses to each turn, if it is not that of the dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Whether the requests of a round are sent as a batch.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub batch: bool,
    /// The hash of the utterance set; absent if templates make the user messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utterances: Option<String>,
    /// Whether all dialogues have ended.
    pub complete: bool,
    /// The hash of `transcripts.jsonl`, once it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcripts: Option<String>,
    /// Dialogues that are incomplete because a request failed.
    #[serde(default)]
    pub failed: u64,
    /// Those of them whose request would fail again.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub permanent: u64,
    /// The models that answered, as the endpoints name them, by the names that they were asked by,
    /// with the number of responses. Tested models, judges and extractors.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub served: ServedNames,
    /// The cost of all requests of the run.
    #[serde(default)]
    pub spent: Spent,
    /// The same by role and model, with attempts and latencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spending: Vec<ModelSpending>,
    /// When the run was started, and when it ended or was last stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ended: Option<Timestamp>,
}

/// A set of dialogues that was released before it was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SetEntry {
    /// The root of its tree, which is in its manifest.
    pub root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenEntry>,
}

/// The inputs of a hidden set's draws, except its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HiddenEntry {
    pub release: String,
    pub epoch: String,
    pub commitment: String,
    /// The commitment to the key of the anchors, which all epochs of a secret share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beacon: Option<Beacon>,
}

/// Public randomness that nobody could know when the secret was committed to, such as a round of drand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Beacon {
    pub source: String,
    pub round: String,
    pub value: String,
}

/// The source of responses that a run replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReplayedEntry {
    /// The model that gave them, if the run that recorded them says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A model that extracts parts of responses, and its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExtractorEntry {
    pub model: String,
    pub address: Option<String>,
    /// Whether it extracts parts with a reader too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_parts: bool,
}

impl RunManifest {
    /// The number of responses to each turn of its dialogue.
    pub fn samples(&self, table: &Dialogue) -> u32 {
        self.samples.unwrap_or(table.sample).max(1)
    }

    /// Whether the dialogues are of a hidden set.
    pub fn is_hidden(&self) -> bool {
        self.set.as_ref().is_some_and(|set| set.hidden.is_some())
    }

    /// Whether its transcripts have no prompts.
    pub fn leaves_prompts_out(&self) -> bool {
        self.is_hidden() && !self.prompts_kept
    }

    /// Whether the model under test was used at this address.
    pub fn used(&self, address: Option<&str>) -> bool {
        let others = self.addresses.get(&self.model);
        let among = |one: &str| others.is_some_and(|others| others.iter().any(|of| of == one));
        self.address.as_deref() == address || address.is_some_and(among)
    }

    /// Why the run is not resumed, if it never is: the name of a request in a journal has the
    /// address in it.
    pub fn never_resumed(&self) -> Option<&'static str> {
        let is_mixed = !self.addresses.is_empty();
        is_mixed.then_some("was merged from shards at several addresses, and it is complete")
    }

    /// A name for all settings that the requests of a run depend on. A journal belongs to one run.
    pub fn identity(&self) -> String {
        let parameters = self.parameters.identity();
        let address = self.address.as_deref().unwrap_or_default();
        // Without judges behind endpoints, the journal contains no judge's replies.
        let asked = |judging: &&Judging| judging.judges.iter().any(|judge| judge.address.is_some());
        let judges = self.judging.as_ref().filter(asked).map(Judging::identity);
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a run");
        let texts = [&self.plan_hash, &self.dialogue, &self.model, &parameters, address];
        for text in texts.into_iter().chain(judges.as_deref()) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        for number in [self.seed, u64::from(self.max_turns)] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(self.utterances.as_deref().unwrap_or_default().as_bytes());
        // Hidden sets share a seed that has no part in them.
        if let Some(SetEntry { root, hidden: Some(_) }) = &self.set {
            hasher.update(root.as_bytes());
        }
        for (role, entry) in [("coder", &self.coder), ("extractor", &self.extractor)] {
            let Some(ExtractorEntry { model, address, all_parts }) = entry else { continue };
            for text in [role, model, address.as_deref().unwrap_or_default()] {
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
            if *all_parts {
                hasher.update(b"all parts");
            }
        }
        hasher.finalize().to_hex().as_str()[..32].to_owned()
    }
}
