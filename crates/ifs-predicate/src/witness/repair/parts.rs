//! Edits of a text: insertions, removals, changes at an edge.

use std::ops::Range;

use crate::witness::json;
use crate::witness::words::{Vocabulary, WordDraw};
use ifs_text::{Shape, Text, Unit};

/// The maximum number of numbers inserted at one position.
const MAX_INSERTED_NUMBERS: usize = 40;

/// A plain sentence.
pub(in crate::witness) fn sentence(vocabulary: &Vocabulary<'_>, draw: &mut WordDraw) -> String {
    let length = 6 + draw.index_below(4);
    let words = vocabulary.words(length, draw).join(" ");
    let mut chars = words.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        None => String::new(),
    }
}

/// Adds units.
pub(in crate::witness) fn add(
    unit: Unit,
    many: usize,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
) -> Option<String> {
    let end = text.trim_end();
    let several =
        |mut one: Box<dyn FnMut() -> String + '_>| -> String { (0..many).map(|_| one()).collect() };
    Some(match unit {
        Unit::Word
        | Unit::WordPart
        | Unit::WordPattern
        | Unit::WordSpace
        | Unit::WordIcu
        | Unit::Token => {
            let words = vocabulary.words(many, draw).join(" ");
            insert_words(text, &words, draw)
        }
        Unit::Char | Unit::Grapheme | Unit::Letter => {
            with_letters(unit, many, text, vocabulary, draw)
        }
        Unit::Sentence | Unit::SentencePunkt | Unit::SentenceSimple => {
            let more = several(Box::new(|| format!(" {}", sentence(vocabulary, draw))));
            let stop =
                if end.is_empty() || end.ends_with(['.', '!', '?', '…']) { "" } else { "." };
            format!("{end}{stop}{more}").trim_start().to_owned()
        }
        Unit::Paragraph | Unit::ParagraphReleased => {
            let more = several(Box::new(|| format!("\n\n{}", sentence(vocabulary, draw))));
            format!("{end}{more}").trim_start().to_owned()
        }
        Unit::Line | Unit::LineAll | Unit::LineEntry
            if Shape::Json.conforms(&Text::new(text)).is_ok() =>
        {
            json::with_line_ends(text, many, draw)
        }
        Unit::Line | Unit::LineAll | Unit::LineEntry => {
            let more = several(Box::new(|| format!("\n{}", sentence(vocabulary, draw))));
            format!("{end}{more}").trim_start().to_owned()
        }
        Unit::Item | Unit::ItemBullet | Unit::ItemReleased => {
            let more = several(Box::new(|| format!("\n- {}", vocabulary.words(4, draw).join(" "))));
            listed(text, &more, Unit::Item)
        }
        Unit::ItemNumbered => {
            let have = Text::new(text).count(Unit::ItemNumbered);
            let more: String = (have + 1..=have + many)
                .map(|number| format!("\n{number}. {}", vocabulary.words(4, draw).join(" ")))
                .collect();
            listed(text, &more, Unit::Item)
        }
        Unit::ItemNested => {
            let item = |indent: &str, draw: &mut WordDraw| {
                format!("\n{indent}- {}", vocabulary.words(4, draw).join(" "))
            };
            let is_first = Text::new(text).units(Unit::Item).is_empty();
            let above = if is_first { item("", draw) } else { String::new() };
            let more = several(Box::new(|| item("    ", draw)));
            listed(text, &format!("{above}{more}"), Unit::Item)
        }
        Unit::Heading | Unit::Section => {
            let more = several(Box::new(|| {
                let name = vocabulary.words(2, draw).join(" ");
                format!("\n\n## On {name}\n\n{}", sentence(vocabulary, draw))
            }));
            format!("{end}{more}").trim_start().to_owned()
        }
        // Around JSON rather than after it.
        Unit::CodeBlock if Shape::Json.conforms(&Text::new(text)).is_ok() => {
            format!("```json\n{}\n```", text.trim())
        }
        Unit::CodeBlock => {
            format!("{end}{}", "\n\n```\nlet sea = 1;\n```".repeat(many)).trim_start().to_owned()
        }
        Unit::Table => {
            let table = "\n\n| what | how |\n| --- | --- |\n| sea | calm |";
            let more: String =
                (0..many).map(|_| format!("{table}\n\n{}", sentence(vocabulary, draw))).collect();
            format!("{end}{more}").trim_start().to_owned()
        }
        Unit::TableRow => match Text::new(text).units(Unit::TableRow).last() {
            Some(row) => {
                let columns = text.get(row.clone())?.matches('|').count().saturating_sub(1).max(1);
                let cells: String = (0..columns)
                    .map(|_| format!(" {} |", vocabulary.words(1, draw).join("")))
                    .collect();
                let mut text = text.to_owned();
                text.insert_str(row.end, &format!("\n|{cells}").repeat(many));
                text
            }
            None => add(Unit::Table, 1, text, vocabulary, draw)?,
        },
        // New ones, each on its own.
        Unit::Number | Unit::NumberDigits => {
            let fresh = (7..).map(|number: usize| number.to_string());
            let fresh = fresh.filter(|number| !text.contains(number.as_str())).take(many);
            let numbers: Vec<String> = fresh.collect();
            if many > MAX_INSERTED_NUMBERS {
                return Some(insert_words(text, &numbers.join(" and "), draw));
            }
            numbers.iter().fold(text.to_owned(), |text, number| insert_words(&text, number, draw))
        }
        Unit::Date => {
            let dates = ["2024-05-01", "2024-12-24", "24 May 2024", "May 14th, 2024"];
            let date = dates[draw.index_below(dates.len())];
            insert_words(text, &vec![date; many].join(" and "), draw)
        }
        Unit::Emoji => insert_words(text, &vec!["🙂"; many].join(" "), draw),
        Unit::Placeholder | Unit::PlaceholderReleased => {
            insert_words(text, &vec!["[name]"; many].join(" or "), draw)
        }
        Unit::Highlight | Unit::HighlightItalic => {
            insert_words(text, &vec!["*calm*"; many].join(" and "), draw)
        }
        Unit::HighlightBold => insert_words(text, &vec!["**calm**"; many].join(" and "), draw),
        Unit::Quote => insert_words(text, &vec!["\"calm\""; many].join(" and "), draw),
    })
}

/// Lines of a list after the last item, or at the end.
fn listed(text: &str, lines: &str, unit: Unit) -> String {
    match Text::new(text).units(unit).last() {
        Some(last) => {
            let end = text.get(last.end..).and_then(|rest| rest.find('\n')).map(|at| last.end + at);
            let mut text = text.to_owned();
            text.insert_str(end.unwrap_or(text.len()), lines);
            text
        }
        None => format!("{}\n{lines}", text.trim_end()).trim_start().to_owned(),
    }
}

/// Adds words, and letters to words, to reach a number of characters.
fn with_letters(
    unit: Unit,
    many: usize,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
) -> String {
    let blank = usize::from(unit != Unit::Letter);
    let mut words: Vec<String> = Vec::new();
    let mut left = many;
    while left > blank {
        let length = (left - blank).min(4 + draw.index_below(4));
        // The rest must not be a single blank.
        let length = if blank == 1 && left - blank - length == 1 { length + 1 } else { length };
        let word =
            vocabulary.of_length(length, draw).map_or_else(|| "m".repeat(length), str::to_owned);
        words.push(word);
        left = left.saturating_sub(length + blank);
    }
    let mut text =
        if words.is_empty() { text.to_owned() } else { insert_words(text, &words.join(" "), draw) };
    if left > 0 {
        let end = Text::new(&text).units(Unit::Word).last().map_or(text.len(), |word| word.end);
        text.insert_str(end, &"m".repeat(left));
    }
    text
}

/// Removes units.
pub(super) fn remove(unit: Unit, many: usize, text: &str, draw: &mut WordDraw) -> Option<String> {
    let mut text = text.to_owned();
    let read = Text::new(&text);
    let finer = matches!(
        unit,
        Unit::Char
            | Unit::Grapheme
            | Unit::Letter
            | Unit::Word
            | Unit::WordPattern
            | Unit::WordSpace
    );
    // Far too many: sometimes a complete sentence, since each may need its words.
    if finer
        && many > read.count(unit) / 4
        && read.count(Unit::Sentence) > 1
        && draw.index_below(2) == 0
    {
        return remove(Unit::Sentence, 1, &text, draw);
    }
    match unit {
        Unit::Char | Unit::Grapheme | Unit::Letter => {
            let wanted = Text::new(&text).count(unit).saturating_sub(many);
            // Words first; letters make up for a surplus.
            while many > 5 && Text::new(&text).count(unit) > wanted {
                text = remove(Unit::Word, 1, &text, draw)?;
            }
            for _ in 0..if many > 5 { 0 } else { many } {
                let read = Text::new(&text);
                let longest = read.units(Unit::Word).iter().max_by_key(|word| word.len())?;
                let (at, last) = text.get(longest.clone())?.char_indices().next_back()?;
                let at = longest.start + at;
                text.replace_range(at..at + last.len_utf8(), "");
            }
        }
        Unit::Paragraph | Unit::ParagraphReleased | Unit::Line | Unit::LineAll => {
            for _ in 0..many {
                text = joined(unit, &text, draw)?;
            }
        }
        _ => {
            for _ in 0..many {
                let read = Text::new(&text);
                let units = read.units(unit);
                // Neither the first nor the last, if there are others.
                let at = match units.len() {
                    0 => return None,
                    1 | 2 => units.len() - 1,
                    more => 1 + draw.index_below(more - 2),
                };
                let place = units.get(at)?.clone();
                text = without(&text, place);
            }
        }
    }
    Some(text)
}

/// Joins a paragraph or a line to the previous one, which keeps its text.
fn joined(unit: Unit, text: &str, draw: &mut WordDraw) -> Option<String> {
    let read = Text::new(text);
    let units = read.units(unit);
    let plain = |place: &Range<usize>| {
        let first = text.get(place.clone()).and_then(|part| part.trim().chars().next());
        first.is_some_and(|first| first.is_alphanumeric() || "\"'(“*".contains(first))
    };
    let open: Vec<usize> = (1..units.len())
        .filter(|at| units.get(*at).is_some_and(plain) && units.get(at - 1).is_some_and(plain))
        .collect();
    match open.get(draw.index_below(open.len())) {
        Some(at) => {
            let place = units.get(*at)?;
            let before = text.get(..place.start)?.trim_end();
            Some(format!("{before} {}", text.get(place.start..)?))
        }
        None => Some(without(text, units.last()?.clone()).trim_end().to_owned()),
    }
}

/// The text without a range, and without the double blank that it would leave.
pub(in crate::witness) fn without(text: &str, place: Range<usize>) -> String {
    let before = text.get(..place.start).unwrap_or("");
    let after = text.get(place.end..).unwrap_or("");
    // Neither two blanks nor one before a full stop.
    if after.starts_with(['.', ',', ';', ':', '!', '?', '…']) {
        return format!("{}{after}", before.trim_end());
    }
    let after = if before.ends_with(char::is_whitespace) || before.is_empty() {
        after.strip_prefix(' ').unwrap_or(after)
    } else {
        after
    };
    format!("{before}{after}")
}

/// The text with a range replaced.
pub(super) fn replaced(text: &str, place: Range<usize>, part: &str) -> Option<String> {
    Some(format!("{}{part}{}", text.get(..place.start)?, text.get(place.end..)?))
}

/// Inserts words into the text, before one of its inner words.
pub(super) fn insert_words(text: &str, part: &str, draw: &mut WordDraw) -> String {
    let within = |said: &str, draw: &mut WordDraw| insert_words(said, part, draw);
    if let Some(text) = json::with_changed_string(text, draw, within) {
        return text;
    }
    let read = Text::new(text);
    let words = read.units(Unit::WordSpace);
    // Segmenting the text again for each word would be expensive.
    draw.spend(text.len());
    // Neither edge is touched, and a mark that begins a line stays there.
    let (mut read_to, mut begun) = (0, false);
    let free = |place: &&Range<usize>| {
        for c in text.get(read_to..place.start).unwrap_or_default().chars() {
            begun = c != '\n' && (begun || c.is_alphanumeric());
        }
        read_to = place.start;
        begun
    };
    let mut inner: Vec<&Range<usize>> = words.iter().skip(1).filter(free).collect();
    let within = |place: &&Range<usize>| {
        let before = text.get(..place.start).map(str::trim_end);
        before.is_some_and(|before| !before.ends_with(['.', '!', '?', '…', '。']))
    };
    // Inside a sentence rather than at its start.
    if inner.iter().any(within) {
        inner.retain(within);
    }
    match inner.get(draw.index_below(inner.len())) {
        Some(place) => {
            let mut text = text.to_owned();
            text.insert_str(place.start, &format!("{part} "));
            text
        }
        None => {
            let end = text.trim_end();
            let stop = end.char_indices().next_back().filter(|(_, c)| ".!?…|\"'”)]}>".contains(*c));
            match stop {
                Some((at, _)) if at > 0 => {
                    let (before, after) = text.split_at(at);
                    format!("{before} {part}{after}")
                }
                _ if end.is_empty() => part.to_owned(),
                _ => format!("{end} {part}"),
            }
        }
    }
}

/// A word with nested pairs of marks around it.
pub(super) fn nested(
    text: &str,
    open: &str,
    close: &str,
    deep: usize,
    draw: &mut WordDraw,
) -> Option<String> {
    let pairs: Vec<(char, char)> = open.chars().zip(close.chars()).collect();
    let read = Text::new(text);
    let words = read.units(Unit::Word);
    let place = words.get(draw.index_below(words.len()))?.clone();
    let mut part = text.get(place.clone())?.to_owned();
    // The outermost pair is the first of them.
    for at in (0..deep.min(64)).rev() {
        let (open, close) = pairs.get(at % pairs.len().max(1))?;
        part = format!("{open}{part}{close}");
    }
    replaced(text, place, &part)
}

pub(crate) fn in_front(text: &str, part: &str) -> String {
    let text = text.trim_start();
    if text.is_empty() { part.to_owned() } else { format!("{part} {text}") }
}

/// At the very end: words after the last stop, marks in its place.
pub(crate) fn append_at_end(text: &str, part: &str) -> String {
    let end = text.trim_end();
    if part.chars().any(char::is_alphanumeric) {
        return if end.is_empty() { part.to_owned() } else { format!("{end} {part}") };
    }
    let bare = end.trim_end_matches(['.', '!', '?', '…', ',', ';', ':']);
    format!("{bare}{part}")
}

/// Capitalizes a share of the letters, from the front.
pub(crate) fn with_capitals(text: &str, percent: f64) -> String {
    let cased = text.chars().filter(|c| c.is_lowercase() || c.is_uppercase()).count();
    let mut left = libm::round(cased as f64 * percent / 100.0) as usize;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if left > 0 && (c.is_lowercase() || c.is_uppercase()) {
            left -= 1;
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// A capital at the start of each word.
pub(crate) fn titled(text: &str) -> String {
    let mut start = true;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if start {
            out.extend(c.to_uppercase())
        } else {
            out.extend(c.to_lowercase())
        }
        start = !c.is_alphabetic();
    }
    out
}
