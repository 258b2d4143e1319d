//! Parts of an answer: what a requirement is about, cut out of what a model said around it.
//!
//! A part is cut by a [`PartReader`] that the scenario names; or by a [`program`] that a coder
//! model writes for the one answer, and where that fails by an extractor model that copies it out
//! ([`extract`]). [`cutting`] says who is asked next, without asking. Whatever cuts, what comes out
//! is in the answer, and a part that finds nothing is [`Cut::Nothing`]: it has no value, so that no
//! check holds of it.

pub mod extract;
pub mod extraction;
mod headings;
mod json;
mod lists;
pub mod program;
mod prompt;
mod reader;
mod tables;
pub mod witness;

use serde::{Deserialize, Serialize};

use crate::predicate::value::Value;
pub use extraction::{ExtractedPart, Extraction, ExtractionTask, Role, Step};
pub use prompt::Prompts;
pub use reader::{Column, PartReader, READERS, ReaderEntry, ReaderTree};

/// A part of an answer as a drawn turn has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    /// A list of texts, or one text.
    pub list: bool,
    /// Without one, models cut it out from what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<PartReader>,
    /// "the casual comments"
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// What was cut out of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartValue {
    Text(String),
    List(Vec<String>),
    /// There is no such part in the answer: an outcome of its own, never an empty list.
    Nothing,
    /// Whoever was asked replied nothing that can be used: whether there is such a part is not
    /// known.
    Unread,
}

impl PartValue {
    /// From pieces in the order of the answer. Blank ones are none; a text is the first.
    pub fn of<'p>(list: bool, pieces: impl IntoIterator<Item = &'p str>) -> PartValue {
        let mut kept =
            pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned);
        if !list {
            return kept.next().map_or(PartValue::Nothing, PartValue::Text);
        }
        let kept: Vec<String> = kept.collect();
        if kept.is_empty() { PartValue::Nothing } else { PartValue::List(kept) }
    }

    /// What the part's name stands for in a requirement; none where nothing was cut out.
    pub fn value(&self) -> Option<Value> {
        match self {
            PartValue::Text(text) => Some(Value::text(text)),
            PartValue::List(pieces) => {
                Some(Value::list(pieces.iter().map(|piece| Value::text(piece))))
            }
            PartValue::Nothing | PartValue::Unread => None,
        }
    }
}

impl Part {
    /// Cuts the part by its reader; `None` where it has none.
    pub fn read(&self, answer: &str) -> Option<PartValue> {
        let pieces = self.reader.as_ref()?.read(answer);
        Some(PartValue::of(self.list, pieces.iter().map(AsRef::as_ref)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_nothing() {
        let part = Part {
            name: "steps".into(),
            list: true,
            reader: Some(PartReader::Numbered),
            about: None,
        };
        assert_eq!(part.read("No list here."), Some(PartValue::Nothing));
        assert_eq!(part.read("1. \n2.   "), Some(PartValue::Nothing));
        assert_eq!(part.read(""), Some(PartValue::Nothing));
        assert_eq!(PartValue::Nothing.value(), None);
        assert_eq!(part.read("1. a\n2. b"), Some(PartValue::List(vec!["a".into(), "b".into()])));
    }

    #[test]
    fn a_text_is_the_first_piece() {
        assert_eq!(PartValue::of(false, ["  ", " a ", "b"]), PartValue::Text("a".into()));
    }
}
