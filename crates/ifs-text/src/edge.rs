//! The beginning and end of a response: as readers see it, and as in EvolIF's released checker.
//!
//! The functions for readers take the content of a text. They look through marks at its edges: those
//! that make a line a heading, an item or a quotation, quotation marks and brackets.

use super::fold;
use super::python;
use super::stops;

/// Whether the content begins with `part`, with its case.
pub fn begins_with(content: &str, part: &str) -> bool {
    let part = fold::alike(python::strip(part));
    let content = content.trim_start_matches(python::is_space);
    let body = &content[body_start(content)..];
    let opened = body.trim_start_matches(stops::is_opener);
    [content, body, opened].into_iter().any(|text| {
        // A folded text has no more characters than twice its source.
        let length = text.char_indices().nth(2 * part.len() + 2).map_or(text.len(), |(at, _)| at);
        fold::alike(&text[..length]).trim_start().starts_with(&*part)
    })
}

/// Whether the content ends with `part`, with its case.
pub fn finishes_with(content: &str, part: &str) -> bool {
    let part = fold::alike(python::strip(part));
    let content = content.trim_end_matches(python::is_space);
    // A German quotation ends with the mark that opens an English one.
    let closed = content.trim_end_matches(|c| stops::is_closer(c) || c == '“');
    [content, closed].into_iter().any(|text| {
        let start = text.char_indices().nth_back(2 * part.len() + 1).map_or(0, |(at, _)| at);
        fold::alike(&text[start..]).trim_end().ends_with(&*part)
    })
}

/// The length of the blanks and marks before the text of a first line: `# `, `- `, `> `, `1. `.
pub fn body_start(content: &str) -> usize {
    let mut rest = content.trim_start_matches(python::is_space);
    while let Some(after) = without_mark(rest) {
        rest = after.trim_start_matches(python::is_space);
    }
    content.len() - rest.len()
}

fn without_mark(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix(['>', '|']) {
        return Some(after);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits) {
        Some(b'.' | b')') if (1..=3).contains(&digits) => digits + 1,
        Some(b'#') if digits == 0 => text.bytes().take_while(|byte| *byte == b'#').count(),
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        _ if text.starts_with('•') => '•'.len_utf8(),
        _ => return None,
    };
    let after = &text[mark..];
    // A numeral or a mark alone is what the text says.
    (after.starts_with(python::is_space) && !python::strip(after).is_empty()).then_some(after)
}

/// Whether the content begins with text between two marks.
pub fn opens_with_pair(content: &str, left: &str, right: &str) -> bool {
    let (content, Some(marks)) = (quote_form(content), EdgeMarks::new(left, right)) else {
        return false;
    };
    let content = content.trim_start_matches(python::is_space);
    let starts = [content, &content[body_start(content)..]];
    starts.into_iter().any(|text| {
        let Some(inner) = text.strip_prefix(&*marks.left) else { return false };
        let end = marks.places(inner, &marks.right).next();
        end.is_some_and(|end| says_something(&inner[..end]))
    })
}

/// Whether the content ends with text between two marks, perhaps with a stop behind them.
pub fn closes_with_pair(content: &str, left: &str, right: &str) -> bool {
    let (content, Some(marks)) = (quote_form(content), EdgeMarks::new(left, right)) else {
        return false;
    };
    let content = content.trim_end_matches(python::is_space);
    let unstopped = content.trim_end_matches(is_trailing_stop).trim_end_matches(python::is_space);
    [content, unstopped].into_iter().any(|text| {
        let Some(inner) = text.strip_suffix(&*marks.right) else { return false };
        marks.opening(inner).is_some_and(|start| says_something(&inner[start..]))
    })
}

/// Whether two marks enclose all of the content: the first one is not closed before its end.
pub fn is_enclosed(content: &str, left: &str, right: &str) -> bool {
    let (content, Some(marks)) = (quote_form(content), EdgeMarks::new(left, right)) else {
        return false;
    };
    let text = python::strip(&content);
    let inner = text.strip_prefix(&*marks.left).and_then(|rest| rest.strip_suffix(&*marks.right));
    inner.is_some_and(|inner| !python::strip(inner).is_empty() && !marks.is_closed_in(inner))
}

/// A pair of marks, in one form for quotation marks.
struct EdgeMarks {
    left: String,
    right: String,
}

impl EdgeMarks {
    /// `None` if one of them is empty.
    fn new(left: &str, right: &str) -> Option<EdgeMarks> {
        let marks = EdgeMarks { left: quote_form(left), right: quote_form(right) };
        (!marks.left.is_empty() && !marks.right.is_empty()).then_some(marks)
    }

    fn are_same(&self) -> bool {
        self.left == self.right
    }

    /// Where a mark is, apart from apostrophes in words.
    fn places<'t>(&self, text: &'t str, mark: &'t str) -> impl Iterator<Item = usize> + 't {
        text.match_indices(mark).map(|(at, _)| at).filter(move |at| {
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
            let after = text[at + mark.len()..].chars().next();
            mark != "'" || !(is_letter(text[..*at].chars().next_back()) && is_letter(after))
        })
    }

    /// Where the text begins that a mark behind `inner` closes.
    fn opening(&self, inner: &str) -> Option<usize> {
        if self.are_same() {
            let places: Vec<usize> = self.places(inner, &self.left).collect();
            // Of an even number the last one is closed.
            return places.last().filter(|_| places.len() % 2 == 1).map(|at| at + self.left.len());
        }
        let mut depth = 0usize;
        let mut end = inner.len();
        loop {
            let open = inner[..end].rfind(&*self.left);
            let close = inner[..end].rfind(&*self.right);
            match (open, close) {
                (Some(open), close) if close.is_none_or(|close| close < open) => {
                    if depth == 0 {
                        return Some(open + self.left.len());
                    }
                    (depth, end) = (depth - 1, open);
                }
                (_, Some(close)) => (depth, end) = (depth + 1, close),
                _ => return None,
            }
        }
    }

    /// Whether a mark before `inner` is closed in it.
    fn is_closed_in(&self, inner: &str) -> bool {
        let mut depth = 1usize;
        let mut at = 0;
        while let Some(offset) = self.next_mark(&inner[at..]) {
            let start = at + offset;
            let (opens, length) = match self.are_same() {
                true => (self.is_opening(inner, start), self.left.len()),
                false => {
                    let opens = inner[start..].starts_with(&*self.left);
                    (opens, if opens { self.left.len() } else { self.right.len() })
                }
            };
            depth = if opens { depth + 1 } else { depth - 1 };
            if depth == 0 {
                return true;
            }
            at = start + length;
        }
        false
    }

    fn next_mark(&self, text: &str) -> Option<usize> {
        let open = self.places(text, &self.left).next();
        open.into_iter().chain(self.places(text, &self.right).next()).min()
    }

    /// Whether a mark that may open or close opens: text follows, and none is before it.
    fn is_opening(&self, text: &str, at: usize) -> bool {
        let before = text[..at].chars().next_back();
        let after = text[at + self.left.len()..].chars().next();
        let is_text = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        is_text(after)
            && before.is_none_or(|c| c.is_whitespace() || stops::is_opener(c) || c == '—')
    }
}

/// Quotation marks in one form for double and one for single ones.
fn quote_form(text: &str) -> String {
    let form = |c| match c {
        '“' | '”' | '„' | '‟' | '＂' => '"',
        '‘' | '’' | '‚' | '‛' | '＇' => '\'',
        c => c,
    };
    text.chars().map(form).collect()
}

fn is_trailing_stop(c: char) -> bool {
    stops::is_stop(c) || matches!(c, ',' | ';' | ':' | '，' | '；' | '：')
}

/// Whether a text has a letter, a digit or a picture.
pub(crate) fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric) || !super::emoji::emoji(text).is_empty()
}

/// The mark that EvolIF requires at the beginning or end of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeMark<'a> {
    /// The first or last ASCII letter, ignoring case; other characters are ignored.
    Letter(char),
    /// A keyword or an emoji, ignoring case, right after or before stripped punctuation.
    Part(&'a str),
    /// A quotation mark here, and its partner anywhere else.
    Quotation { left: &'a str, right: &'a str },
}

/// Whether the text begins with `mark` as EvolIF reads it.
pub fn begins_released(text: &str, mark: EdgeMark<'_>) -> bool {
    let text = text.trim_start_matches(is_plain_blank);
    match mark {
        EdgeMark::Letter(letter) => {
            first_letter(head_released(text)).is_some_and(|c| c.eq_ignore_ascii_case(&letter))
        }
        EdgeMark::Part(part) => {
            python::casefold(head_released(text)).starts_with(&*python::casefold(part))
        }
        EdgeMark::Quotation { left, right } => {
            text.strip_prefix(left).is_some_and(|rest| rest.contains(right))
        }
    }
}

/// Whether the text ends with `mark` as EvolIF reads it.
pub fn finishes_released(text: &str, mark: EdgeMark<'_>) -> bool {
    let text = text.trim_end_matches(is_plain_blank);
    match mark {
        EdgeMark::Letter(letter) => {
            last_letter(tail_released(text)).is_some_and(|c| c.eq_ignore_ascii_case(&letter))
        }
        EdgeMark::Part(part) => {
            python::casefold(tail_released(text)).ends_with(&*python::casefold(part))
        }
        EdgeMark::Quotation { left, right } => {
            text.strip_suffix(right).is_some_and(|rest| rest.contains(left))
        }
    }
}

/// The text from the first character in EvolIF's sense: without leading blanks and zero-width
/// characters, then without leading punctuation. A blank after that stays.
pub fn head_released(text: &str) -> &str {
    text.trim_start_matches(is_any_blank).trim_start_matches(is_stripped)
}

/// The text up to the last character in EvolIF's sense: without trailing plain blanks, then without
/// trailing punctuation. Unlike at the beginning, no other blanks are removed.
pub fn tail_released(text: &str) -> &str {
    text.trim_end_matches(is_plain_blank).trim_end_matches(is_stripped)
}

/// The first ASCII letter.
pub fn first_letter(text: &str) -> Option<char> {
    text.chars().find(char::is_ascii_alphabetic)
}

/// The last ASCII letter.
pub fn last_letter(text: &str) -> Option<char> {
    text.chars().rev().find(char::is_ascii_alphabetic)
}

/// The blanks that EvolIF removes first, from either end.
fn is_plain_blank(c: char) -> bool {
    matches!(c, '\u{feff}' | '\n' | '\r' | '\t' | ' ')
}

/// The additional blanks that EvolIF removes from the beginning: all blanks, and invisible
/// characters.
fn is_any_blank(c: char) -> bool {
    python::is_space(c)
        || matches!(c, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The punctuation that EvolIF removes: ASCII punctuation, and Chinese punctuation without `“ ”`,
/// `‘ ’` and `« »`.
fn is_stripped(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(
            c,
            '·' | '—' | '…' | '、' | '。' | '！' | '，' | '：' | '；' | '？' | '～' | '￥'
        )
        || matches!(
            c,
            '《' | '》' | '〈' | '〉' | '「' | '」' | '『' | '』' | '（' | '）' | '【' | '】'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_seen_through_marks() {
        for (text, part, begins) in [
            ("# Betreff: so", "Betreff:", true),
            ("> Don’t stop", "Don't", true),
            ("1. “So it goes”", "So", true),
            ("1. So", "1.", true),
            ("- [x] so", "- ", true),
            ("so", "So", false),
            ("Sooner", "So", true),
        ] {
            assert_eq!(begins_with(text, part), begins, "{text}");
        }
        for (text, part, ends) in [
            ("Really? ", "?", true),
            ("(„Really?“)", "?", true),
            ("真的吗？", "?", true),
            ("Really.", "?", false),
            ("Wait…", "...", true),
        ] {
            assert_eq!(finishes_with(text, part), ends, "{text}");
        }
    }

    #[test]
    fn pairs_enclose_text() {
        for (text, left, right, opens, closes, encloses) in [
            ("(In short) it floats", "(", ")", true, false, false),
            ("> (In short)", "(", ")", true, true, false),
            ("It floats (in short).", "(", ")", false, true, false),
            ("(well) it floats, so )", "(", ")", true, false, false),
            ("() it is ()", "(", ")", false, false, false),
            ("“In short” it “floats”", "“", "”", true, true, false),
            ("\"It floats.\"", "“", "”", true, true, true),
            ("\"He said \"no\" to me.\"", "\"", "\"", true, true, true),
            ("'It's low' it's said 'so'", "'", "'", true, true, false),
            ("‘It’s low’", "'", "'", true, true, true),
            ("\"Tide\" is what we call the \"turn\"", "\"", "\"", true, true, false),
            ("\"One.\n\n\"Two.\"", "\"", "\"", true, false, true),
            ("<<a>>", "<<", ">>", true, true, true),
            ("\"", "\"", "\"", false, false, false),
            ("(a (b) c)", "(", ")", true, true, true),
        ] {
            assert_eq!(opens_with_pair(text, left, right), opens, "{text} opens");
            assert_eq!(closes_with_pair(text, left, right), closes, "{text} closes");
            assert_eq!(is_enclosed(text, left, right), encloses, "{text} is enclosed");
        }
    }

    #[test]
    fn released_letters_are_the_first_and_last_anywhere() {
        assert!(begins_released("1. 日本 apple", EdgeMark::Letter('A')));
        assert!(finishes_released("Hello 123 é!", EdgeMark::Letter('O')));
        assert!(!begins_released("123", EdgeMark::Letter('a')));
    }

    #[test]
    fn released_parts_follow_punctuation_at_once() {
        assert!(begins_released("\u{feff} **Apple", EdgeMark::Part("apple")));
        assert!(!begins_released("* apple", EdgeMark::Part("apple")));
        assert!(!begins_released("“apple", EdgeMark::Part("apple")));
        assert!(finishes_released("STRASSE!」\n", EdgeMark::Part("straße")));
        assert!(finishes_released("Great 😀.", EdgeMark::Part("😀")));
        assert!(begins_released("\u{200f}\u{180e}\u{a0}Apple", EdgeMark::Part("apple")));
        assert!(finishes_released("Low tide.\r\n\u{feff}", EdgeMark::Part("tide")));
        assert!(!finishes_released("Low tide.\u{a0}", EdgeMark::Part("tide")));
    }

    #[test]
    fn released_quotations_need_their_partner() {
        let pair = EdgeMark::Quotation { left: "(", right: ")" };
        assert!(begins_released(" (a) b", pair) && !begins_released("(a", pair));
        assert!(finishes_released("b (a) ", pair) && !finishes_released("a)", pair));
        assert!(!finishes_released("b (a)\u{2028}", pair));
        let same = EdgeMark::Quotation { left: "\"", right: "\"" };
        assert!(begins_released("\"\"", same) && !begins_released("\"", same));
    }
}
