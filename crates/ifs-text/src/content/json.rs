//! What JSON says: its texts and numbers, each in a block of its own.

use std::ops::Range;

use super::tracked::TrackedText;
use crate::shape::is_json;

/// The values of a JSON object or array, and the same with the names of its fields; `None` for
/// anything else.
pub(super) fn said(source: &str, body: Range<usize>) -> Option<(TrackedText, TrackedText)> {
    let part = source.get(body.clone())?;
    let encloses = part.starts_with('{') && part.ends_with('}')
        || part.starts_with('[') && part.ends_with(']');
    if !encloses || !is_json(part) {
        return None;
    }
    let (mut values, mut all) = (TrackedText::default(), TrackedText::default());
    let bytes = part.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'"' => {
                let mut text = TrackedText::default();
                at = read_string(source, body.start + at, &mut text) - body.start;
                let is_name = part[at..].trim_start().starts_with(':');
                let span = body.start + start..body.start + at;
                if !is_name {
                    append(&mut values, &text, &span);
                }
                append(&mut all, &text, &span);
            }
            b'-' | b'0'..=b'9' => {
                at += bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                let span = body.start + start..body.start + at;
                let number = TrackedText::stretch(source, span.clone());
                append(&mut values, &number, &span);
                append(&mut all, &number, &span);
            }
            _ => at += 1,
        }
    }
    Some((values, all))
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
}

/// Appends a block. Its separator comes from the mark before it.
fn append(into: &mut TrackedText, block: &TrackedText, span: &Range<usize>) {
    if block.text.is_empty() {
        return;
    }
    if !into.text.is_empty() {
        into.push_str("\n\n", &(span.start..span.start + 1));
    }
    for (at, c) in block.text.char_indices() {
        into.push(c, block.origin(at..at + c.len_utf8()));
    }
}

/// Reads the string at a place of valid JSON, and returns the place behind it.
fn read_string(source: &str, start: usize, into: &mut TrackedText) -> usize {
    let mut chars = source[start + 1..].char_indices().peekable();
    // The first half of a surrogate pair, and where it is.
    let mut half: Option<(u32, usize)> = None;
    while let Some((offset, c)) = chars.next() {
        let at = start + 1 + offset;
        match c {
            '"' => return at + 1,
            '\\' => {
                let Some((_, escaped)) = chars.next() else { break };
                let origin = at..at + 1 + escaped.len_utf8();
                let plain = match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' | 'f' => ' ',
                    'u' => {
                        let digits = source.get(at + 2..at + 6).unwrap_or("");
                        let code = u32::from_str_radix(digits, 16).unwrap_or(0xfffd);
                        chars.nth(3);
                        let origin = at..at + 6;
                        match (half.take(), code) {
                            (None, 0xd800..=0xdbff) => half = Some((code, at)),
                            (Some((high, first)), 0xdc00..=0xdfff) => {
                                let code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
                                let c = char::from_u32(code).unwrap_or('\u{fffd}');
                                into.push(c, first..origin.end);
                            }
                            (_, code) => {
                                into.push(char::from_u32(code).unwrap_or('\u{fffd}'), origin)
                            }
                        }
                        continue;
                    }
                    other => other,
                };
                half = None;
                into.push(plain, origin);
            }
            plain => {
                half = None;
                into.push(plain, at..at + plain.len_utf8());
            }
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn fields_are_told_from_values() {
        let read =
            |text: &str| said(text, 0..text.len()).map(|(values, all)| (values.text, all.text));
        let pair = |values: &str, all: &str| Some((values.to_owned(), all.to_owned()));
        assert_eq!(
            read("{\"a\": \"x\\n\\\"y\\\"\", \"b\" : [1, -2.5e1, true]}"),
            pair("x\n\"y\"\n\n1\n\n-2.5e1", "a\n\nx\n\"y\"\n\nb\n\n1\n\n-2.5e1")
        );
        assert_eq!(read("[\"\\u00e9\\ud83d\\ude00\\ud83d\"]"), pair("é😀", "é😀"));
        assert_eq!(read("{}"), pair("", ""));
        for other in ["\"so\"", "42", "[intake]", "{a: 1}", "[1] [2]"] {
            assert_eq!(read(other), None, "{other}");
        }
        let text = "{\"a\": \"\\u00e9t\"}";
        let (values, _) = said(text, 0..text.len()).expect("an object");
        assert_eq!(&text[values.origin(0..2)], "\\u00e9");
    }
}
