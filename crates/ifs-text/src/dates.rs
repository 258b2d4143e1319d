//! Calendar dates.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::stops::GERMAN_MONTHS;

/// Dates whose month and day exist. The year is not used to rule out 29 February.
pub(super) fn dates(text: &str) -> Vec<Range<usize>> {
    // Checked before the pattern is compiled: most texts contain no digit.
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let Some(pattern) = PATTERN.as_ref() else {
        return Vec::new();
    };
    pattern
        .captures_iter(text)
        .filter(exists)
        .filter_map(|found| found.get(0).map(|whole| whole.range()))
        .filter(|range| is_standalone(text, range))
        .collect()
}

const MONTHS: [(&str, u32); 12] = [
    ("jan", 31),
    ("feb", 29),
    ("mar", 31),
    ("apr", 30),
    ("may", 31),
    ("jun", 30),
    ("jul", 31),
    ("aug", 31),
    ("sep", 30),
    ("oct", 31),
    ("nov", 30),
    ("dec", 31),
];

/// `None` only if the constant pattern did not compile, which the tests would show.
static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let month = "(?:Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|Mar(?:ch|\\.)?|Apr(?:il|\\.)?|May|June?\\.?|\
                 July?\\.?|Aug(?:ust|\\.)?|Sept?(?:ember|\\.)?|Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|\
                 Dec(?:ember|\\.)?)";
    let german = "(?:Jan(?:uar|\\.)?|Jänner|Feb(?:ruar|\\.)?|März|Mär\\.?|Apr(?:il|\\.)?|Mai|Juni|Juli|\
                  Aug(?:ust|\\.)?|Sept?(?:ember|\\.)?|Okt(?:ober|\\.)?|Nov(?:ember|\\.)?|\
                  Dez(?:ember|\\.)?)";
    let pattern = [
        "(?P<y1>[0-9]{4})(?:-(?P<m1>[0-9]{1,2})-(?P<d1>[0-9]{1,2})|/(?P<m2>[0-9]{1,2})/(?P<d2>[0-9]{1,2}))".to_owned(),
        "(?P<a>[0-9]{1,2})(?:\\.(?P<b1>[0-9]{1,2})\\.|/(?P<b2>[0-9]{1,2})/|-(?P<b3>[0-9]{1,2})-)(?:[0-9]{4}|[0-9]{2})".to_owned(),
        format!("(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m3>{month})(?:,? [0-9]{{4}})?"),
        format!("(?P<m4>{month}) (?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,? [0-9]{{4}})?"),
        format!("(?P<d6>[0-9]{{1,2}})\\. (?P<m6>{german})(?: (?:[0-9]{{4}}|[0-9]{{2}}))?"),
        "[0-9]{4}年(?P<m5>[0-9]{1,2})月(?P<d5>[0-9]{1,2})日".to_owned(),
    ]
    .join("|");
    Regex::new(&pattern).ok()
});

fn exists(found: &Captures<'_>) -> bool {
    let number = |names: &[&str]| {
        names.iter().find_map(|name| found.name(name)).and_then(|m| m.as_str().parse::<u32>().ok())
    };
    if let Some(first) = number(&["a"]) {
        let Some(second) = number(&["b1", "b2", "b3"]) else {
            return false;
        };
        // Day and month may be in either order.
        return is_day(second, first) || is_day(first, second);
    }
    let month = number(&["m1", "m2", "m5"]).or_else(|| {
        let name = found.name("m3").or_else(|| found.name("m4"))?.as_str();
        let known = MONTHS.iter().position(|(m, _)| name.to_ascii_lowercase().starts_with(m))?;
        u32::try_from(known + 1).ok()
    });
    let month = month.or_else(|| {
        // `Jänner` is the only one that begins otherwise.
        let name = found.name("m6")?.as_str().replace('ä', "a");
        let german = GERMAN_MONTHS.iter().map(|month| month.replace('ä', "a"));
        let known = german.into_iter().position(|month| name.starts_with(&month))?;
        u32::try_from(known + 1).ok()
    });
    match (month, number(&["d1", "d2", "d3", "d4", "d5", "d6"])) {
        (Some(month), Some(day)) => is_day(month, day),
        _ => false,
    }
}

fn is_day(month: u32, day: u32) -> bool {
    let length = month.checked_sub(1).and_then(|index| MONTHS.get(index as usize));
    length.is_some_and(|(_, days)| (1..=*days).contains(&day))
}

/// Whether it is not part of a longer word or number.
fn is_standalone(text: &str, range: &Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let in_word = |c: char| c.is_ascii_alphanumeric();
    let cut_short = text[range.clone()].ends_with(in_word) && after.starts_with(in_word);
    !before.ends_with(in_word) && !cut_short
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    #[test]
    fn date_notations() {
        for (text, expected) in [
            ("the 1st of May 2024 and Sept. 3", vec!["1st of May 2024", "Sept. 3"]),
            ("5/31/2024, 31/5/24, 32/13/2024", vec!["5/31/2024", "31/5/24"]),
            ("Feb 30, Feb 29", vec!["Feb 29"]),
            ("am 3. Mai 2024, 1. März und 5. Jänner", vec!["3. Mai 2024", "1. März", "5. Jänner"]),
            ("31. Februar, 2. Dezember 26", vec!["2. Dezember 26"]),
            ("Marcus 5, 2024-05-311", vec![]),
        ] {
            assert_eq!(Text::new(text).pieces(Unit::Date).collect::<Vec<_>>(), expected);
        }
    }
}
