//! What a message says, as far as it can be told without reading it: whether there is a message,
//! the values in it, and its numbers.

use std::collections::BTreeSet;

use super::notation::{NotationItem, NotationPart};
use ifs_parts::template::names_in;

/// Statements whose removal leaves something unsaid. For others there are built-in words.
const SAYING: &[&str] = &["ask", "repeat-instructions", "say", "scope-said", "system"];

/// Why two forms of a statement do not say the same; `None` if only a reader can tell.
pub(super) fn other_content(
    head: &str,
    sides: (Option<&NotationItem>, Option<&NotationItem>),
) -> Option<&'static str> {
    match sides {
        (Some(_), None) if SAYING.contains(&head) => Some("it is no longer said"),
        (None, Some(_)) if SAYING.contains(&head) => Some("it was not said before"),
        (Some(old), Some(new)) if values(old) != values(new) => Some("other values are said"),
        (Some(old), Some(new)) if numbers(old) != numbers(new) => Some("another number is said"),
        _ => None,
    }
}

/// The names and fields whose values are in each text: alternatives have to agree.
fn values(item: &NotationItem) -> BTreeSet<BTreeSet<String>> {
    let is_named = item.head == "template";
    let parts = item.parts.iter().skip(usize::from(is_named));
    parts.map(values_of_part).collect()
}

fn values_of_part(part: &NotationPart) -> BTreeSet<String> {
    match part {
        NotationPart::Word(_) => BTreeSet::new(),
        NotationPart::Text(text) => names_in(text).unwrap_or_default(),
        NotationPart::Item(item) => match path(item) {
            Some(path) => BTreeSet::from([path]),
            None => item.parts.iter().flat_map(values_of_part).collect(),
        },
    }
}

/// `topic.request`
fn path(item: &NotationItem) -> Option<String> {
    match (item.head.as_str(), item.parts.as_slice()) {
        ("var", _) => item.name().map(str::to_owned),
        ("field", [NotationPart::Item(inner), NotationPart::Text(name)]) => {
            Some(format!("{}.{name}", path(inner)?))
        }
        _ => None,
    }
}

/// The numbers that are written in the texts, outside of template braces.
fn numbers(item: &NotationItem) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in &item.parts {
        match part {
            NotationPart::Word(_) => {}
            NotationPart::Item(item) => found.extend(numbers(item)),
            NotationPart::Text(text) => {
                for (at, piece) in text.split('{').enumerate() {
                    let plain = match at {
                        0 => piece,
                        _ => piece.rsplit_once('}').map_or("", |(_, plain)| plain),
                    };
                    let digits = plain.split(|letter: char| !letter.is_numeric());
                    found.extend(digits.filter(|digits| !digits.is_empty()).map(str::to_owned));
                }
            }
        }
    }
    found
}
