//! Parts of a response: what a requirement is about, extracted from the text around it.
//!
//! A part is extracted by a [`PartReader`] in the scenario; or by a [`program`] that a coder model
//! writes for this response and, if that fails, by an extractor model that copies it ([`extract`]).
//! [`extraction`] decides on the next request without sending it. Every extracted text occurs in
//! the response. A part that is not found is [`PartValue::Nothing`]: it has no value, so no check
//! holds for it.

mod answer;
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

pub use answer::NamedTexts;
pub use extraction::{ExtractedPart, Extraction, ExtractionStep, ExtractionTask};
use ifs_predicate::value::Value;
pub use prompt::{ExtractionPrompts, ExtractionRole};
pub use reader::{PartReader, READERS, ReaderEntry, ReaderTree, TableColumn};

/// A part of a response, as declared by a drawn turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DeclaredPart {
    pub name: String,
    /// A list of texts, or one text.
    pub list: bool,
    /// Without one, models extract it from its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<PartReader>,
    /// "the casual comments"
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// The result of extracting a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartValue {
    Text(String),
    List(Vec<String>),
    /// The response does not have the part: a separate outcome, never an empty list.
    Nothing,
    /// No reply could be used: it is not known whether the part exists.
    Unread,
}

impl PartValue {
    /// Creates it from pieces in order of the response. Blank ones are dropped; a text is the first
    /// piece.
    pub fn from_pieces<'p>(list: bool, pieces: impl IntoIterator<Item = &'p str>) -> PartValue {
        let mut kept =
            pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned);
        if !list {
            return kept.next().map_or(PartValue::Nothing, PartValue::Text);
        }
        let kept: Vec<String> = kept.collect();
        if kept.is_empty() { PartValue::Nothing } else { PartValue::List(kept) }
    }

    /// The same from what a reader of a scenario found: an empty item of a list counts, unless all are empty.
    pub fn from_items<'p>(list: bool, items: impl IntoIterator<Item = &'p str>) -> PartValue {
        let items: Vec<&str> = items.into_iter().map(str::trim).collect();
        if list && items.iter().any(|item| !item.is_empty()) {
            return PartValue::List(items.into_iter().map(str::to_owned).collect());
        }
        PartValue::from_pieces(list, items)
    }

    /// The value of the part's name in a requirement; `None` if nothing was extracted.
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

impl DeclaredPart {
    /// Extracts the part with its reader; `None` if it has none.
    pub fn read(&self, answer: &str) -> Option<PartValue> {
        let pieces = self.reader.as_ref()?.read_answer(answer, &NamedTexts::default());
        Some(PartValue::from_items(self.list, pieces.iter().map(AsRef::as_ref)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lists_have_no_value() {
        let part = DeclaredPart {
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
        assert_eq!(part.read("1. a\n2."), Some(PartValue::List(vec!["a".into(), String::new()])));
    }

    #[test]
    fn a_text_is_the_first_piece() {
        assert_eq!(PartValue::from_pieces(false, ["  ", " a ", "b"]), PartValue::Text("a".into()));
    }
}
