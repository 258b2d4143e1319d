//! Parses the sentences of logs, in the wording of each source.

mod basketball;
mod hockey;
mod hupu;

pub use basketball::basketball;
pub use hockey::hockey;
pub use hupu::hupu;

use super::table::{EventKind, EventRole};

/// The content of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence<'t> {
    pub kind: EventKind,
    pub detail: &'t str,
    pub made: bool,
    pub worth: i64,
    /// The players in the order of their roles, as written.
    pub who: Vec<(EventRole, &'t str)>,
    /// A team that is named instead of a player.
    pub team: Option<&'t str>,
    /// A time within the sentence.
    pub clock: Option<&'t str>,
    /// A three-pointer that only its distance shows.
    pub silent_three: bool,
}

impl<'t> Sentence<'t> {
    fn new(kind: EventKind) -> Sentence<'t> {
        Sentence {
            kind,
            detail: "",
            made: false,
            worth: 0,
            who: Vec::new(),
            team: None,
            clock: None,
            silent_three: false,
        }
    }

    fn who(mut self, role: EventRole, name: &'t str) -> Sentence<'t> {
        let name = name.trim();
        if !name.is_empty() {
            self.who.push((role, name));
        }
        self
    }

    fn detail(mut self, detail: &'t str) -> Sentence<'t> {
        self.detail = detail.trim();
        self
    }

    fn shot(mut self, made: bool, worth: i64) -> Sentence<'t> {
        self.made = made;
        self.worth = worth;
        self
    }
}

/// Splits a sentence before an ending, if it has one of them.
fn ending<'t>(text: &'t str, endings: &[&'static str]) -> Option<(&'t str, &'static str)> {
    endings.iter().find_map(|ending| Some((text.strip_suffix(ending)?, *ending)))
}

/// The text in the last parentheses, before the last word in them.
fn bracketed<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let (before, inside) = text.strip_suffix(')')?.rsplit_once('(')?;
    Some((before.trim_end(), inside.strip_suffix(word)?.trim_end()))
}
