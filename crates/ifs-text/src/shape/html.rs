//! HTML: balanced tags.

use super::ShapeError;
use crate::python;

/// The text begins and ends with a tag, and all tags are closed in order. Void elements need no end
/// tag, `p`, `li`, cells and similar elements may omit it, and `script` and `style` contain no
/// tags.
pub(super) fn check(text: &str) -> Result<(), ShapeError> {
    if !text.starts_with('<') {
        return Err(ShapeError::new(0, "it does not begin with a tag"));
    }
    if !text.ends_with('>') {
        return Err(ShapeError::new(text.len(), "it does not end with a tag"));
    }
    let mut open: Vec<HtmlTag<'_>> = Vec::new();
    let mut any = false;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        let rest = &text[start..];
        at = if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(length) = comment.find("-->") else {
                return Err(ShapeError::new(start, "a comment is not closed"));
            };
            start + 4 + length + 3
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            match tag_length(rest) {
                Some(length) => start + length,
                None => return Err(ShapeError::new(start, "a declaration is not finished")),
            }
        } else if let Some(tag) = HtmlTag::parse_at(text, start)? {
            any = true;
            let end = start + tag.length;
            if tag.closes {
                close(&mut open, &tag)?;
                end
            } else if is_listed(VOID_ELEMENTS, tag.name) || tag.closes_itself {
                end
            } else {
                let is_raw = is_listed(RAW_TEXT_ELEMENTS, tag.name);
                let next = if is_raw { raw_end(text, end, tag.name) } else { end };
                open.push(tag);
                next
            }
        } else {
            start + 1
        };
    }
    if !any {
        return Err(ShapeError::new(0, "there is no tag"));
    }
    match open.iter().rev().find(|tag| !is_listed(OPTIONAL_END_TAGS, tag.name)) {
        Some(tag) => Err(ShapeError::new(tag.start, format!("`<{}>` is not closed", tag.name))),
        None => Ok(()),
    }
}

/// At least one tag, and every tag that is neither void nor self-closing is closed in order. A name
/// ends at a word boundary, so `<b_>` is not a tag.
pub(super) fn check_released(text: &str) -> Result<(), ShapeError> {
    let mut open: Vec<HtmlTag<'_>> = Vec::new();
    let mut any = false;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        let Some(mut tag) = HtmlTag::named(text, start).and_then(HtmlTag::at_word_end) else {
            at = start + 1;
            continue;
        };
        // A tag ends at the next `>`, quoted or not; without one, no further tag can end either.
        let Some(length) = text[start..].find('>') else {
            break;
        };
        tag.length = length + 1;
        tag.closes_itself = text[..start + length].ends_with('/');
        any = true;
        at = start + tag.length;
        if !tag.closes {
            if !is_listed(VOID_ELEMENTS, tag.name) && !tag.closes_itself {
                open.push(tag);
            }
        } else if !open.pop().is_some_and(|last| last.name.eq_ignore_ascii_case(tag.name)) {
            return Err(ShapeError::new(start, format!("`</{}>` closes nothing open", tag.name)));
        }
    }
    match open.last() {
        _ if !any => Err(ShapeError::new(0, "there is no tag")),
        Some(tag) => Err(ShapeError::new(tag.start, format!("`<{}>` is not closed", tag.name))),
        None => Ok(()),
    }
}

struct HtmlTag<'a> {
    name: &'a str,
    /// The character after the name.
    behind: Option<char>,
    start: usize,
    length: usize,
    closes: bool,
    closes_itself: bool,
}

impl<'a> HtmlTag<'a> {
    /// The tag at `start`; `None` if the `<` is text.
    fn parse_at(text: &'a str, start: usize) -> Result<Option<HtmlTag<'a>>, ShapeError> {
        let Some(mut tag) = HtmlTag::named(text, start) else {
            return Ok(None);
        };
        match tag_length(&text[start..]) {
            Some(length) => {
                tag.length = length;
                tag.closes_itself = text[..start + length].ends_with("/>");
                Ok(Some(tag))
            }
            None => Err(ShapeError::new(start, "a tag is not finished")),
        }
    }

    fn named(text: &'a str, start: usize) -> Option<HtmlTag<'a>> {
        let rest = text.get(start + 1..)?;
        let inner = rest.strip_prefix('/').unwrap_or(rest);
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let tail =
            inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == ':');
        Some(HtmlTag {
            name: &inner[..inner.len() - tail.len()],
            behind: tail.chars().next(),
            start,
            length: 0,
            closes: inner.len() < rest.len(),
            closes_itself: false,
        })
    }

    /// The same, with the part of the name up to a word boundary.
    fn at_word_end(mut self) -> Option<HtmlTag<'a>> {
        let is_word = |c: Option<char>| c.is_some_and(python::is_word);
        while is_word(self.name.chars().next_back()) == is_word(self.behind) {
            let mut rest = self.name.chars();
            self.behind = rest.next_back();
            self.name = rest.as_str();
        }
        (!self.name.is_empty()).then_some(self)
    }
}

/// The length of a tag up to the first `>` outside of quoted attributes.
fn tag_length(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, _) => {}
        }
    }
    None
}

/// Removes the element that `tag` closes from the stack, with inner elements whose end tags may be
/// omitted.
fn close(open: &mut Vec<HtmlTag<'_>>, tag: &HtmlTag<'_>) -> Result<(), ShapeError> {
    while let Some(last) = open.pop() {
        if last.name.eq_ignore_ascii_case(tag.name) {
            return Ok(());
        }
        if !is_listed(OPTIONAL_END_TAGS, last.name) {
            let why = format!("`</{}>` closes while `<{}>` is open", tag.name, last.name);
            return Err(ShapeError::new(tag.start, why));
        }
    }
    Err(ShapeError::new(tag.start, format!("`</{}>` closes nothing open", tag.name)))
}

/// The end of the raw text that begins at `at`: its closing tag, or the end of the text.
fn raw_end(text: &str, at: usize, name: &str) -> usize {
    let mut from = at;
    while let Some(start) = text[from..].find("</").map(|offset| from + offset) {
        let after = &text.as_bytes()[start + 2..];
        if after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        {
            return start;
        }
        from = start + 2;
    }
    text.len()
}

fn is_listed(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(name))
}

const VOID_ELEMENTS: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements whose end tag may be omitted in HTML.
const OPTIONAL_END_TAGS: &[&str] = &[
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup",
    "colgroup", "rt", "rp",
];

const RAW_TEXT_ELEMENTS: &[&str] = &["script", "style", "textarea", "title"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_html_nests() {
        for (text, why) in [
            ("<p>a<br>b</p>", None),
            ("<!DOCTYPE html>\n<html><body><ul><li>a<li>b</ul><img src='>'/></body></html>", None),
            ("<script>if (a < b) \"</p>\"</script>", None),
            ("<!-- </p> --><p>", None),
            ("Hi <b>x</b>", Some("it does not begin with a tag")),
            ("<b>x</b> bye", Some("it does not end with a tag")),
            ("<b><i>x</b></i>", Some("`</b>` closes while `<i>` is open")),
            ("<div><p>x", Some("it does not end with a tag")),
            ("<div><p>", Some("`<div>` is not closed")),
            ("</p>", Some("`</p>` closes nothing open")),
            ("<3 >", Some("there is no tag")),
            ("<a href=\"x>", Some("a tag is not finished")),
        ] {
            assert_eq!(check(text).err().map(|m| m.why).as_deref(), why, "{text}");
        }
    }

    #[test]
    fn released_html_balances() {
        for (text, fits) in [
            ("Hi <b>x</b> bye", true),
            ("<br>", true),
            ("<p>a", false),
            ("<ul><li>a<li>b</ul>", false),
            ("a < b > c", false),
            ("<B>x</b>", true),
            ("</br>", false),
            ("<b_>x", false),
            ("<bé>x</bé>", false),
            ("<i-ä>x</i-ä>", true),
        ] {
            assert_eq!(check_released(text).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn nesting_uses_no_stack() {
        let text = "<b>".repeat(100_000) + &"</b>".repeat(100_000);
        assert_eq!(check(&text), Ok(()));
        assert_eq!(check_released(&text), Ok(()));
    }
}
