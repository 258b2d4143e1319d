//! Where a value does not fit a schema and why, to be said in any language.

use std::fmt;

use crate::explain::wording::Wording;

/// Where a value is not as it has to be: a JSON Pointer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    pub pointer: String,
    why: MisfitMessage,
}

/// The message, by its key in `templates/reasons`, and the values to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MisfitMessage {
    key: &'static str,
    places: Vec<(&'static str, TextPlace)>,
}

/// What is filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPlace {
    Text(String),
    /// Any of these values.
    Values(Vec<String>),
    /// Any of these types, as JSON Schema calls them.
    Types(Vec<&'static str>),
    /// A number of something.
    Amount(usize, &'static str),
}

impl MisfitMessage {
    pub(super) fn new(key: &'static str) -> MisfitMessage {
        MisfitMessage { key, places: Vec::new() }
    }

    fn with(mut self, name: &'static str, place: TextPlace) -> MisfitMessage {
        self.places.push((name, place));
        self
    }

    pub(super) fn with_text(self, name: &'static str, text: impl Into<String>) -> MisfitMessage {
        self.with(name, TextPlace::Text(text.into()))
    }

    pub(super) fn values(self, name: &'static str, values: Vec<String>) -> MisfitMessage {
        self.with(name, TextPlace::Values(values))
    }

    pub(super) fn types(self, name: &'static str, types: &[&'static str]) -> MisfitMessage {
        self.with(name, TextPlace::Types(types.to_vec()))
    }

    pub(super) fn with_amount(
        self,
        name: &'static str,
        amount: usize,
        of: &'static str,
    ) -> MisfitMessage {
        self.with(name, TextPlace::Amount(amount, of))
    }

    pub(super) fn at_root(self) -> SchemaMismatch {
        SchemaMismatch { pointer: String::new(), why: self }
    }
}

impl SchemaMismatch {
    /// The same, seen from the value that this one is in.
    pub(super) fn inside_member(self, name: &str) -> SchemaMismatch {
        SchemaMismatch { pointer: super::pointer_inside(name, &self.pointer), why: self.why }
    }

    /// In a language.
    pub fn said(&self, words: &Wording) -> String {
        words.misfit(&self.pointer, &self.why.said(words))
    }
}

impl fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said(Wording::english()))
    }
}

impl MisfitMessage {
    fn said(&self, words: &Wording) -> String {
        let filled: Vec<(&str, String)> =
            self.places.iter().map(|(name, place)| (*name, place.said(words))).collect();
        let places: Vec<(&str, &str)> =
            filled.iter().map(|(name, text)| (*name, text.as_str())).collect();
        words.why_unfit(self.key, &places)
    }
}

impl TextPlace {
    fn said(&self, words: &Wording) -> String {
        match self {
            TextPlace::Text(text) => text.clone(),
            TextPlace::Values(values) => super::excerpt(&values.join(words.either())),
            TextPlace::Types(types) => {
                let types: Vec<&str> = types.iter().map(|ty| words.json_type(ty)).collect();
                types.join(words.either())
            }
            TextPlace::Amount(amount, of) => words.json_size(*amount, of),
        }
    }
}
