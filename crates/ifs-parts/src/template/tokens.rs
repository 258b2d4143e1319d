//! Tokens in the braces of a template: words, texts, numbers and punctuation.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TemplateToken<'t> {
    Word(&'t str),
    Text(&'t str),
    Number(u64),
    Sign(char),
}

/// A token and its range of bytes in the template.
pub(super) type PlacedToken<'t> = (TemplateToken<'t>, (usize, usize));

/// The tokens from a position without their own positions, and the end of the closing braces.
pub(super) fn tokens(text: &str, from: usize, close: u8) -> (Vec<TemplateToken<'_>>, usize) {
    let (placed, end) = placed(text, from, close);
    (placed.into_iter().map(|(token, _)| token).collect(), end)
}

/// The next `{{`, `{%` or `{#`.
pub(super) fn next_brace(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from..bytes.len().saturating_sub(1))
        .find(|at| bytes[*at] == b'{' && matches!(bytes[at + 1], b'{' | b'%' | b'#'))
}

/// The braces of a template: `{` or `%`, the tokens in them, and their bytes. Comments and raw texts
/// are skipped.
pub(super) fn braces(
    text: &str,
) -> impl Iterator<Item = (u8, Vec<PlacedToken<'_>>, (usize, usize))> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let found = next_brace(text, at)?;
            let kind = text.as_bytes()[found + 1];
            if kind == b'#' {
                at = text[found..].find("#}").map_or(text.len(), |end| found + end + 2);
                continue;
            }
            let close = if kind == b'%' { b'%' } else { b'}' };
            let (tokens, end) = placed(text, found + 2, close);
            let is_raw = matches!(tokens.first(), Some((TemplateToken::Word("raw"), _)));
            at = if kind == b'%' && is_raw { end_of_raw(text, end) } else { end };
            return Some((kind, tokens, (found, end)));
        }
    })
}

pub(super) fn end_of_raw(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text[at..].find("{%") {
        let (tokens, end) = tokens(text, at + found + 2, b'%');
        if tokens == [TemplateToken::Word("endraw")] {
            return end;
        }
        at += found + 2;
    }
    text.len()
}

/// The contents of braces, and their end.
pub(super) fn placed(text: &str, from: usize, close: u8) -> (Vec<PlacedToken<'_>>, usize) {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            _ if depth == 0 && *byte == close && bytes.get(at) == Some(&b'}') => {
                // A `-` or `+` before the end controls whitespace.
                if tokens
                    .last()
                    .is_some_and(|(token, _)| matches!(token, TemplateToken::Sign('-' | '+')))
                {
                    tokens.pop();
                }
                return (tokens, at + 1);
            }
            b'"' | b'\'' => {
                while let Some(inner) = bytes.get(at) {
                    at += if *inner == b'\\' { 2 } else { 1 };
                    if inner == byte {
                        break;
                    }
                }
                at = at.min(bytes.len());
                tokens.push((
                    TemplateToken::Text(text.get(start + 1..at - 1).unwrap_or("")),
                    (start, at),
                ));
            }
            b'0'..=b'9' => {
                while bytes
                    .get(at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                {
                    at += 1;
                }
                let digits: String = text[start..at].chars().filter(|c| *c != '_').collect();
                tokens
                    .push((TemplateToken::Number(digits.parse().unwrap_or(u64::MAX)), (start, at)));
            }
            byte if byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80 => {
                let more =
                    |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
                while bytes.get(at).is_some_and(more) {
                    at += 1;
                }
                tokens.push((TemplateToken::Word(&text[start..at]), (start, at)));
            }
            b' ' | b'\t' | b'\n' | b'\r' => {}
            sign => {
                match sign {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                // `{%-` controls whitespace too.
                if start > from || !matches!(sign, b'-' | b'+') {
                    tokens.push((TemplateToken::Sign(char::from(*sign)), (start, at)));
                }
            }
        }
    }
    (tokens, bytes.len())
}
