//! Banks of phrases that are next to a scenario's own templates.

use std::collections::BTreeMap;

/// Lists of texts by two names: a voice and what its phrases are for, a constraint and a form.
pub type PhraseBank = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Turns of phrase by voice, in place of the built-in ones of the same voice.
pub const OWN_VOICES: &str = "voices.yaml";
/// Phrases that templates choose from, whoever speaks.
pub const OWN_PHRASES: &str = "phrases.yaml";
/// What constraints ask for, in forms that fit into the phrases.
pub const OWN_DEMANDS: &str = "demands.yaml";
/// All of them.
pub const PHRASE_BANKS: [&str; 3] = [OWN_VOICES, OWN_PHRASES, OWN_DEMANDS];

/// How a demand is said in [`OWN_DEMANDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A verb phrase, for "please …": what is asked for.
    Do,
    /// The same in a few words without a verb.
    Note,
    /// A verb phrase: other values instead of the old ones.
    Redo,
    /// A verb phrase: it is taken back.
    Undo,
}

impl Form {
    pub const ALL: [Form; 4] = [Form::Do, Form::Note, Form::Redo, Form::Undo];

    pub fn word(self) -> &'static str {
        match self {
            Form::Do => "do",
            Form::Note => "note",
            Form::Redo => "redo",
            Form::Undo => "undo",
        }
    }
}

/// Reads a bank as it is written, in YAML.
///
/// # Errors
/// Where it is none, and on which line.
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
