//! String literals.

/// Parses an escape sequence; `None` if it does not exist.
fn escape(rest: &str) -> Option<(char, usize)> {
    let mut chars = rest.chars();
    let simple = match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '\\' => '\\',
        '"' => '"',
        'u' => {
            let digits = rest.strip_prefix("u{")?.split_once('}')?.0;
            let value = u32::from_str_radix(digits, 16).ok()?;
            return Some((char::from_u32(value)?, digits.len() + 3));
        }
        _ => return None,
    };
    Some((simple, 1))
}

/// The value of a string literal with its quotation marks, and the positions (byte offset, length)
/// of invalid escapes.
///
/// A block string loses its first line break, its last one with the blanks after it, and the
/// indentation that all its lines share. Its line endings are `\n` even in a file with Windows line
/// endings.
pub fn value(literal: &str) -> (String, bool, Vec<(usize, usize)>) {
    let block = literal.len() >= 6 && literal.starts_with("\"\"\"");
    let quote = if block { 3 } else { 1 };
    let inner = literal.get(quote..literal.len().saturating_sub(quote)).unwrap_or("");
    let mut wrong = Vec::new();
    if !block {
        return (unescape(inner, quote, &mut wrong), false, wrong);
    }
    (unescape(&dedent(inner), quote, &mut wrong), true, wrong)
}

fn unescape(text: &str, offset: usize, wrong: &mut Vec<(usize, usize)>) -> String {
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        match escape(behind) {
            Some((meant, length)) => {
                value.push(meant);
                rest = &behind[length..];
            }
            None => {
                let length = behind.chars().next().map_or(0, char::len_utf8);
                wrong.push((offset + text.len() - rest.len() + at, 1 + length));
                value.push('\\');
                rest = behind;
            }
        }
    }
    value.push_str(rest);
    value
}

/// The contents of a block string, without its layout.
pub(super) fn dedent(text: &str) -> String {
    let plain: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    let mut lines = plain.as_slice();
    if let [first, rest @ ..] = lines
        && first.is_empty()
        && !rest.is_empty()
    {
        lines = rest;
    }
    if let [rest @ .., last] = lines
        && is_blank(last)
        && !rest.is_empty()
    {
        lines = rest;
    }
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(|line| !is_blank(line)).map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| if is_blank(line) { "" } else { line.get(shared..).unwrap_or("") })
        .collect();
    lines.join("\n")
}

/// Writes a text as a string literal on one line.
pub fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for letter in text.chars() {
        match letter {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            '\r' => literal.push_str("\\r"),
            letter if letter.is_control() || is_invisible(letter) => {
                literal.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter => literal.push(letter),
        }
    }
    literal.push('"');
    literal
}

/// Characters that are invisible in a diff: byte order marks, zero-width and directional
/// characters.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::{quoted, value};

    #[test]
    fn blocks_lose_their_indentation() {
        assert_eq!(value("\"\"\"\n    a\n      b\n\n    c\n  \"\"\"").0, "a\n  b\n\nc");
        assert_eq!(value("\"\"\"\r\n  a\r\n  b\r\n\"\"\"").0, "a\nb");
        assert_eq!(value("\"\"\"\"\"\"").0, "");
    }

    #[test]
    fn escapes() {
        assert_eq!(value(r#""a\"b\n\u{41}""#), ("a\"b\nA".to_owned(), false, vec![]));
        assert_eq!(value(r#""a\qb""#).2, vec![(2, 2)]);
        assert_eq!(value(&quoted("a\"\\\n\u{202E}é")).0, "a\"\\\n\u{202E}é");
    }
}
