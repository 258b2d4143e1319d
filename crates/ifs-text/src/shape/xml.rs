//! XML: well-formed documents, by `roxmltree`.

use super::ShapeError;

/// The maximum nesting of elements.
const MAX_DEPTH: usize = 1000;

/// One well-formed document: one root, declared prefixes, only XML's own entities and declared
/// ones.
pub(super) fn check(text: &str) -> Result<(), ShapeError> {
    if let Some(at) = too_deep(text) {
        return Err(ShapeError::new(at, format!("elements nest more than {MAX_DEPTH} deep")));
    }
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    match roxmltree::Document::parse_with_options(text, options) {
        Ok(_) => Ok(()),
        Err(error) => Err(ShapeError::new(place(text, error.pos()), reason(&error))),
    }
}

/// The offset of the first element that is nested too deep. It counts tags without parsing them, so
/// it never underestimates the depth of a well-formed document.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (at, _) in text.match_indices('<') {
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(b'!' | b'?') => {}
            _ => {
                let end = text[at + 1..].find(['<', '>']).map_or(text.len(), |end| at + 1 + end);
                if !text[..end].ends_with('/') {
                    depth += 1;
                }
            }
        }
        if depth > MAX_DEPTH {
            return Some(at);
        }
    }
    None
}

/// The offset of a row and a column, both from 1, with the column in characters.
fn place(text: &str, pos: roxmltree::TextPos) -> usize {
    let row = usize::try_from(pos.row).unwrap_or(usize::MAX).saturating_sub(1);
    let column = usize::try_from(pos.col).unwrap_or(usize::MAX).saturating_sub(1);
    let mut start = 0;
    for line in text.split_inclusive('\n').take(row) {
        start += line.len();
    }
    let within: usize = text[start..].chars().take(column).map(char::len_utf8).sum();
    start + within
}

/// The parser's message without the position, as a fragment.
fn reason(error: &roxmltree::Error) -> String {
    let message = error.to_string();
    let position = format!(" at {}", error.pos());
    let message = message.strip_suffix(&position).unwrap_or(&message);
    message.replace('\'', "`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_or_not() {
        for (text, fits) in [
            ("<a/>", true),
            ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b='1'>x &amp; <c/></a>", true),
            ("<a></a><b></b>", false),
            ("<a>", false),
            ("<a>&nbsp;</a>", false),
            ("<x:a/>", false),
            ("<a b='1' b='2'/>", false),
            ("text", false),
            ("", false),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", true),
        ] {
            assert_eq!(check(text).is_ok(), fits, "{text} {:?}", check(text));
        }
    }

    #[test]
    fn places_are_bytes() {
        let misfit = check("<a>\né<b></c></a>").expect_err("a wrong end tag");
        assert!(misfit.at >= "<a>\né<b>".len() && misfit.at <= 15, "{misfit:?}");
    }

    #[test]
    fn nesting_uses_no_stack() {
        let text = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
        assert!(check(&text).is_err_and(|misfit| misfit.why.contains("deep")));
        let text = "<a>".repeat(1000) + &"</a>".repeat(1000);
        assert_eq!(check(&text), Ok(()));
        assert!(check(&"<".repeat(100_000)).is_err());
    }
}
