//! Texts as readers compare them: without case, with one form for characters that look alike.
//!
//! A folded text has one form for apostrophes, for quotation marks, for hyphens and dashes, and for
//! blanks; letters and digits of full width and of mathematical alphabets are plain ones; variation
//! selectors, joiners and marks struck through letters are gone. Letters of Cyrillic, Greek and
//! Armenian that look like Latin ones are Latin where a word has letters of both, and so is a word of
//! two or more Cyrillic letters that all look so in a text that is mostly Latin.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::python;

/// A folded text, and the place in the source of each of its characters.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// For each byte of `text`, where its character begins and ends in the source; `None` if all
    /// offsets are equal.
    origins: Option<Vec<(u32, u32)>>,
}

/// Whether capitals and small letters are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LetterCase {
    Ignored,
    Kept,
}

impl Folded {
    /// Folds a text, which is the content of one.
    pub(crate) fn new(source: &str) -> Folded {
        if source.is_ascii() && !has_runs_of_blanks(source) {
            return Folded { text: source.to_ascii_lowercase(), origins: None };
        }
        let mut folded =
            Folded { text: String::with_capacity(source.len()), origins: Some(Vec::new()) };
        let skeleton = Skeleton::new(source);
        let mut chars = source.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_blank(c) {
                // Between two paragraphs a phrase does not go on.
                let mut line_ends = usize::from(c == '\n');
                let mut end = at + c.len_utf8();
                while let Some((next, c)) =
                    chars.next_if(|(next, c)| is_blank(*c) || is_quote_mark(source, *next))
                {
                    line_ends += usize::from(c == '\n');
                    end = next + c.len_utf8();
                }
                folded.push(if line_ends > 1 { '\n' } else { ' ' }, at..end);
                continue;
            }
            let end = at + c.len_utf8();
            match skeleton.letter(at, c) {
                Some(letter) => folded.push(python::simple_fold(letter), at..end),
                None => each_folded(c, LetterCase::Ignored, |c| folded.push(c, at..end)),
            }
        }
        folded
    }

    fn push(&mut self, c: char, origin: Range<usize>) {
        self.text.push(c);
        if let Some(origins) = &mut self.origins {
            origins.resize(self.text.len(), (origin.start as u32, origin.end as u32));
        }
    }

    /// Whether a stretch begins and ends where characters of the source do.
    pub(crate) fn is_uncut(&self, range: &Range<usize>) -> bool {
        let Some(origins) = &self.origins else { return true };
        let is_end = |at: usize| at == 0 || origins.get(at - 1) != origins.get(at);
        is_end(range.start) && is_end(range.end)
    }

    /// The stretch of the source that a stretch comes from.
    pub(crate) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let Some(origins) = &self.origins else { return range };
        let start = origins.get(range.start).map_or(0, |origin| origin.0 as usize);
        let end = range.end.checked_sub(1).and_then(|last| origins.get(last));
        start..end.map_or(start, |origin| origin.1 as usize).max(start)
    }
}

/// A short text as readers compare it.
pub fn folded(part: &str) -> String {
    collapsed(part, LetterCase::Ignored)
}

/// A short text in one form, with its case.
pub fn alike(part: &str) -> String {
    collapsed(part, LetterCase::Kept)
}

fn collapsed(part: &str, case: LetterCase) -> String {
    let plain: String = part.nfc().collect();
    let mut made = String::with_capacity(plain.len());
    for c in plain.chars() {
        if is_blank(c) {
            if !made.ends_with(' ') {
                made.push(' ');
            }
        } else {
            each_folded(c, case, |c| made.push(c));
        }
    }
    made
}

/// A needle of other scripts as it is written with Latin letters, if it can be.
pub(crate) fn skeleton(folded: &str) -> Option<String> {
    let is_vietnamese = folded.contains(VIETNAMESE);
    let letter = |c: char| look_alike(c).or_else(|| marked_below(c).filter(|_| !is_vietnamese));
    let has_other = folded.chars().any(|c| letter(c).is_some());
    has_other.then(|| folded.chars().map(|c| letter(c).unwrap_or(c)).collect())
}

/// The folded forms of a character: none for one that is not seen, three for an ellipsis.
fn each_folded(c: char, case: LetterCase, mut push: impl FnMut(char)) {
    if c.is_ascii() {
        push(if case == LetterCase::Ignored { c.to_ascii_lowercase() } else { c });
        return;
    }
    if is_unseen(c) {
        return;
    }
    if let Some(several) = spelt_out(c) {
        several.chars().for_each(push);
        return;
    }
    let c = one_form(c);
    push(if case == LetterCase::Ignored { python::simple_fold(c) } else { c });
}

/// What a character stands for that is several.
fn spelt_out(c: char) -> Option<&'static str> {
    Some(match c {
        '…' => "...",
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// The form of a character that stands for all that look like it.
pub(crate) fn one_form(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' | 'ʼ' | 'ʻ' | 'ʹ' | 'ˈ' | '′' | '´' | '＇' | '\u{55a}' => {
            '\''
        }
        '“' | '”' | '„' | '‟' | '″' | '〃' | '＂' | '〝' | '〞' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹣' | '－' | '﹘' | '⁃' => {
            '-'
        }
        'ᴀ'..='ᴢ' | 'ɪ' | 'ʀ' | 'ɴ' | 'ʟ' | 'ʙ' | 'ɢ' | 'ʜ' | 'ʏ' | 'ꜰ' | 'ꜱ' => {
            SMALL_CAPITALS.iter().find(|(small, _)| *small == c).map_or(c, |(_, letter)| *letter)
        }
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{1d400}'..='\u{1d7ff}'
        | '\u{2100}'..='\u{214f}'
        | '\u{ff61}'..='\u{ff9f}'
        | '\u{2160}'..='\u{217f}'
        | '\u{24b6}'..='\u{24e9}'
        | '\u{fe50}'..='\u{fe6b}' => compatible(c),
        _ => c,
    }
}

const SMALL_CAPITALS: [(char, char); 25] = [
    ('ᴀ', 'a'),
    ('ʙ', 'b'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ꜰ', 'f'),
    ('ɢ', 'g'),
    ('ʜ', 'h'),
    ('ɪ', 'i'),
    ('ᴊ', 'j'),
    ('ᴋ', 'k'),
    ('ʟ', 'l'),
    ('ᴍ', 'm'),
    ('ɴ', 'n'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ʀ', 'r'),
    ('ꜱ', 's'),
    ('ᴛ', 't'),
    ('ᴜ', 'u'),
    ('ᴠ', 'v'),
    ('ᴡ', 'w'),
    ('ʏ', 'y'),
    ('ᴢ', 'z'),
    ('ᴁ', 'æ'),
];

/// The single character that a character is compatible with.
fn compatible(c: char) -> char {
    let mut forms = std::iter::once(c).nfkc();
    match (forms.next(), forms.next()) {
        (Some(form), None) => form,
        _ => c,
    }
}

pub(crate) fn is_blank(c: char) -> bool {
    python::is_space(c)
}

/// Variation selectors, joiners, tags, and lines through, over and under letters.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200d}' | '\u{334}'..='\u{338}'
        | '\u{20d0}'..='\u{20f0}' | '\u{e0100}'..='\u{e01ef}' | '\u{ad}'
        | '\u{305}' | '\u{332}' | '\u{333}' | '\u{33f}' | '\u{e0000}'..='\u{e007f}')
}

/// A `>` that begins a quoted line.
fn is_quote_mark(source: &str, at: usize) -> bool {
    source[at..].starts_with("> ") && source[..at].trim_end_matches(' ').ends_with('\n')
}

fn has_runs_of_blanks(text: &str) -> bool {
    let is_blank = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0xb | 0x1c..=0x1f);
    text.bytes().any(|byte| byte != b' ' && is_blank(byte)) || text.contains("  ")
}

/// Which words of a text are written with letters of several scripts.
struct Skeleton<'t> {
    source: &'t str,
    is_latin: bool,
    /// Whether the text has any letter that looks like a Latin one.
    has_any: bool,
    /// Whether it is in Vietnamese, whose letters have marks below.
    has_marks_of_its_own: bool,
}

impl<'t> Skeleton<'t> {
    fn new(source: &'t str) -> Skeleton<'t> {
        let has_any = source.chars().any(|c| look_alike(c).is_some());
        let (mut latin, mut others) = (0usize, 0usize);
        if has_any {
            for c in source.chars().filter(|c| c.is_alphabetic()) {
                if is_latin(c) { latin += 1 } else { others += 1 }
            }
        }
        let has_marks_of_its_own = source.contains(VIETNAMESE);
        Skeleton { source, is_latin: latin > others, has_any, has_marks_of_its_own }
    }

    /// The Latin letter that the one at a place is read as; `None` for itself.
    fn letter(&self, at: usize, c: char) -> Option<char> {
        if let Some(letter) = marked_below(c).filter(|_| !self.has_marks_of_its_own) {
            return Some(letter);
        }
        if !self.has_any {
            return None;
        }
        let letter = look_alike(c)?;
        const MAX_WORD_BYTES: usize = 80;
        let floor = self.source.floor_char_boundary(at.saturating_sub(MAX_WORD_BYTES));
        let ceiling = self.source.ceil_char_boundary((at + MAX_WORD_BYTES).min(self.source.len()));
        let before = self.source[floor..at].chars().rev().take_while(|c| c.is_alphabetic());
        let after = self.source[at..ceiling].chars().take_while(|c| c.is_alphabetic());
        let word = before.chain(after);
        let is_mixed = word.clone().any(is_latin);
        let is_disguised = || {
            self.is_latin
                && word.clone().count() > 1
                && word.clone().all(|c| is_cyrillic(c) && look_alike(c).is_some())
        };
        (is_mixed || is_disguised()).then_some(letter)
    }
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') && c.is_alphabetic()
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

/// Letters that only Vietnamese has.
const VIETNAMESE: [char; 8] = ['đ', 'ơ', 'ư', 'ă', 'Đ', 'Ơ', 'Ư', 'Ă'];

/// The plain letter of one with a dot or a line below it, which few languages have.
fn marked_below(c: char) -> Option<char> {
    if !matches!(c, '\u{1e00}'..='\u{1ef9}') {
        return None;
    }
    let mut parts = std::iter::once(c).nfd();
    let letter = parts.next().filter(char::is_ascii_alphabetic)?;
    let is_below =
        |mark: char| matches!(mark, '\u{323}' | '\u{325}' | '\u{32d}' | '\u{330}' | '\u{331}');
    (parts.next().is_some_and(is_below) && parts.next().is_none()).then_some(letter)
}

/// The Latin letter that a letter of another script looks like.
fn look_alike(c: char) -> Option<char> {
    let at = LOOK_ALIKES.iter().position(|(other, _)| *other == c)?;
    Some(LOOK_ALIKES[at].1)
}

const LOOK_ALIKES: &[(char, char)] = &[
    // Cyrillic
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
    ('Ԝ', 'W'),
    ('ё', 'ë'),
    ('ї', 'ï'),
    // Greek
    ('α', 'a'),
    ('β', 'ß'),
    ('γ', 'y'),
    ('ε', 'e'),
    ('η', 'n'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('ω', 'w'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('ϲ', 'c'),
    ('Ϲ', 'C'),
    ('ϳ', 'j'),
    ('ϰ', 'k'),
    ('ϱ', 'p'),
    // Armenian and letters of phonetics
    ('օ', 'o'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('հ', 'h'),
    ('ɡ', 'g'),
    ('ɑ', 'a'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_are_alike() {
        for (text, same) in [
            ("don’t “So” well‑known – …", "don't \"so\" well-known - ..."),
            ("ａｒｔ 𝐚𝐫𝐭 Ⓐrt ﬁsh", "art art art fish"),
            ("a\u{fe0f}r\u{200d}t t\u{336}i\u{336}de\u{336}", "art tide"),
            ("baker's\ndozen", "baker's dozen"),
            ("one\n> two", "one two"),
            ("one\n\ntwo", "one\ntwo"),
            ("an\tа rt is аrt", "an а rt is art"),
            ("сор is a cop", "cop is a cop"),
            ("Grüβen", "grüßen"),
            ("Он пил сок.", "он пил сок."),
            ("an angle α and Δx", "an angle α and δx"),
        ] {
            assert_eq!(Folded::new(text).text, same, "{text}");
        }
        assert_eq!(folded("  Don’t  stop "), " don't stop ");
        assert_eq!(alike("Don’t"), "Don't");
    }

    #[test]
    fn places_lead_back() {
        let text = "x ﹣ don’t  stop…";
        let made = Folded::new(text);
        let at = made.text.find("don't stop").expect("folded");
        assert_eq!(&text[made.origin(at..at + "don't stop".len())], "don’t  stop");
        let at = made.text.find("...").expect("folded");
        assert_eq!(&text[made.origin(at..at + 3)], "…");
    }
}
