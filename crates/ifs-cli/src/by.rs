//! `--by`: separate scores for groups of dialogues.

use std::str::FromStr;

use super::exit::CommandError;
use ifs_author::synthesis::UtteranceSet;
use ifs_plan::Plan;
use ifs_predicate::value::Value;
use ifs_run::{Folder, RunManifest, Transcript, UTTERANCES};

/// `synthesizer`, `style`, `topic`, or a field of one of these records: `style.register`. The topic
/// is that of the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReportBy {
    Synthesizer,
    Style(Option<String>),
    Topic(Option<String>),
}

impl ReportBy {
    /// As it is written after `--by`.
    pub fn name(&self) -> String {
        match self {
            ReportBy::Synthesizer => "synthesizer".to_owned(),
            ReportBy::Style(None) => "style".to_owned(),
            ReportBy::Style(Some(field)) => format!("style.{field}"),
            ReportBy::Topic(None) => "topic".to_owned(),
            ReportBy::Topic(Some(field)) => format!("topic.{field}"),
        }
    }
}

impl FromStr for ReportBy {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportBy, String> {
        let (name, field) = match text.split_once('.') {
            Some((name, field)) => (name, Some(field.to_owned())),
            None => (text, None),
        };
        match (name, field) {
            ("synthesizer", None) => Ok(ReportBy::Synthesizer),
            ("style", field) => Ok(ReportBy::Style(field)),
            ("topic", field) => Ok(ReportBy::Topic(field)),
            _ => {
                Err("write `synthesizer`, `style`, `style.FIELD`, `topic` or `topic.FIELD`"
                    .to_owned())
            }
        }
    }
}

/// The group of a dialogue.
pub(crate) struct DialogueGroups<'a> {
    by: &'a ReportBy,
    plan: &'a Plan,
    utterances: Option<UtteranceSet>,
}

impl<'a> DialogueGroups<'a> {
    pub fn new(
        by: &'a ReportBy,
        folder: &Folder,
        manifest: &RunManifest,
        plan: &'a Plan,
    ) -> Result<DialogueGroups<'a>, CommandError> {
        let utterances = match by {
            ReportBy::Synthesizer if manifest.utterances.is_none() => {
                return Err(CommandError::input(format!(
                    "`{}` took its user messages from templates: it has no synthesizer",
                    folder.path().display()
                ))
                .help("`--by synthesizer` is for runs with `--utterances`"));
            }
            ReportBy::Synthesizer => Some(UtteranceSet::read_frozen(&folder.file(UTTERANCES))?),
            ReportBy::Style(_) | ReportBy::Topic(_) => None,
        };
        let table = plan.dialogue(&manifest.dialogue).map(|dialogue| dialogue.table);
        let drawn = match by {
            ReportBy::Synthesizer => None,
            ReportBy::Style(_) => Some(("style", table.and_then(|table| table.style.as_ref()))),
            ReportBy::Topic(_) => Some(("topic", table.and_then(|table| table.topic.as_ref()))),
        };
        if let Some((name, None)) = drawn {
            return Err(CommandError::input(format!(
                "the dialogue `{}` has no `{name}`",
                manifest.dialogue
            )));
        }
        Ok(DialogueGroups { by, plan, utterances })
    }

    /// The group of a dialogue; `None` if it has no turn.
    pub fn group_of(&self, transcript: &Transcript) -> Result<Option<String>, CommandError> {
        let Some(first) = transcript.turns.first() else { return Ok(None) };
        let script = &first.script;
        let table = self.plan.dialogue(&transcript.dialogue).map(|dialogue| dialogue.table);
        let (from, key, field) = match self.by {
            ReportBy::Synthesizer => {
                let by = self.utterances.as_ref().and_then(|set| set.by(transcript.index));
                return Ok(by.map(str::to_owned));
            }
            ReportBy::Style(field) => {
                (table.and_then(|table| table.style.as_ref()), script.style.as_deref(), field)
            }
            ReportBy::Topic(field) => {
                (table.and_then(|table| table.topic.as_ref()), Some(script.topic.as_str()), field)
            }
        };
        let (Some(from), Some(key)) = (from, key) else { return Ok(None) };
        let Some(field) = field else { return Ok(Some(key.to_owned())) };
        let value = self.plan.record(from, key).and_then(|record| record.field(field));
        match value {
            Some(Value::List(_) | Value::Record(_)) => {
                Err(CommandError::input(format!("`{field}` of `{}` is not one value", from.bank)))
            }
            Some(value) => Ok(Some(value.to_string())),
            None => {
                Err(CommandError::input(format!("records of `{}` have no `{field}`", from.bank)))
            }
        }
    }
}
