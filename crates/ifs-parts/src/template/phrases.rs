//! Banks of phrases next to a scenario's own templates.

use std::collections::BTreeMap;

/// Lists of texts by two names: a voice and a purpose, or a constraint and a form.
pub type PhraseBank = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Phrases by voice, which override the built-in ones of the same voice.
pub const OWN_VOICES: &str = "voices.yaml";
/// Phrases for templates, for all voices.
pub const OWN_PHRASES: &str = "phrases.yaml";
/// The instructions of constraints, in forms that fit into the phrases.
pub const OWN_DEMANDS: &str = "demands.yaml";
/// The names of the files.
pub const PHRASE_BANKS: [&str; 3] = [OWN_VOICES, OWN_PHRASES, OWN_DEMANDS];

/// The form of a demand in [`OWN_DEMANDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandForm {
    /// A verb phrase after "please …": the instruction.
    Do,
    /// The same in a few words without a verb.
    Note,
    /// A verb phrase for a change of values.
    Redo,
    /// A verb phrase for the withdrawal.
    Undo,
}

impl DemandForm {
    pub const ALL: [DemandForm; 4] =
        [DemandForm::Do, DemandForm::Note, DemandForm::Redo, DemandForm::Undo];

    pub fn word(self) -> &'static str {
        match self {
            DemandForm::Do => "do",
            DemandForm::Note => "note",
            DemandForm::Redo => "redo",
            DemandForm::Undo => "undo",
        }
    }
}

/// Parses a bank in YAML.
///
/// # Errors
/// Returns the fault and its line if it is invalid.
pub fn phrase_bank(text: &str) -> Result<PhraseBank, (usize, String)> {
    let bank: PhraseBank = serde_yaml::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        (error.location().map_or(1, |place| place.line()), message)
    })?;
    let lists = bank.iter().flat_map(|(name, lists)| lists.iter().map(move |list| (name, list)));
    for (name, (list, texts)) in lists {
        if texts.is_empty() {
            return Err((1, format!("the list `{list}` of `{name}` is empty")));
        }
    }
    Ok(bank)
}
