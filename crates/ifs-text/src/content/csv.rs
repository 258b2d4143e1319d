//! What CSV says: its cells, without quotes around them.

use std::ops::Range;

use super::tracked::TrackedText;
use crate::python::strip;
use crate::shape::is_csv;

/// Whether a text may be CSV with quoted cells.
pub(super) fn has_quotes(source: &str) -> bool {
    let text = strip(source);
    text.contains('"') && text.contains(',') && text.contains('\n') && is_csv(text)
}

/// The cells of a stretch that is CSV with quoted cells, with tabs and line ends between them;
/// `None` for anything else. Lines of a dialogue with commas at the same places have blanks after
/// them.
pub(super) fn said(source: &str, body: Range<usize>) -> Option<TrackedText> {
    let part = source.get(body.clone())?;
    if !part.contains('"') || !is_csv(part) {
        return None;
    }
    let mut made = TrackedText::default();
    let mut quoted = false;
    let mut chars = part.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let at = body.start + offset;
        match c {
            '"' if quoted && chars.next_if(|(_, next)| *next == '"').is_some() => {
                made.push('"', at..at + 2);
            }
            '"' => quoted = !quoted,
            ',' if !quoted && chars.peek().is_some_and(|(_, next)| *next == ' ') => return None,
            ',' if !quoted => made.push('\t', at..at + 1),
            c => made.push(c, at..at + c.len_utf8()),
        }
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn cells_lose_their_quotes() {
        let read = |text: &str| said(text, 0..text.len()).map(|made| made.text);
        assert_eq!(read("a,b\n\"x, y\",\"\"\"z\"\"\""), Some("a\tb\nx, y\t\"z\"".to_owned()));
        assert_eq!(read("\"Stop\", he said.\n\"Go\", she said."), None);
        assert_eq!(read("a,b\n1,2"), None);
    }
}
