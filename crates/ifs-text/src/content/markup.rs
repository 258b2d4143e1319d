//! What a document in HTML or XML says: its text without tags and comments.

use std::ops::Range;

use super::elements::{self, ElementFlow};
use super::entities;
use super::tracked::TrackedText;
use crate::shape::is_markup;

/// The text of a stretch that is a document; `None` for anything else.
pub(super) fn said(source: &str, body: Range<usize>) -> Option<TrackedText> {
    let part = source.get(body.clone())?;
    let encloses = part.starts_with('<') && part.ends_with('>');
    if !encloses || !is_markup(part) {
        return None;
    }
    let mut reader = MarkupReader {
        source,
        made: TrackedText::default(),
        pending: None,
        lists: Vec::new(),
        hidden: elements::HiddenElements::default(),
        is_html: has_html_root(part),
    };
    let mut at = body.start;
    while at < body.end {
        at = reader.step(at, body.end);
    }
    Some(reader.made)
}

struct MarkupReader<'s> {
    source: &'s str,
    made: TrackedText,
    /// What has to be between the text so far and the next.
    pending: Option<Pending>,
    /// The open lists, each with the number of its last item if it is numbered.
    lists: Vec<Option<u32>>,
    hidden: elements::HiddenElements,
    is_html: bool,
}

/// Whether the first element of a document is one of HTML.
pub(crate) fn has_html_root(document: &str) -> bool {
    let starts = document.match_indices('<').filter_map(|(at, _)| elements::tag(&document[at..]));
    starts.into_iter().next().is_some_and(|tag| elements::is_known(tag.name))
}

struct Pending {
    separator: &'static str,
    mark: String,
    origin: Range<usize>,
}

impl MarkupReader<'_> {
    /// Reads a tag or the text up to the next one; returns the place behind it.
    fn step(&mut self, at: usize, end: usize) -> usize {
        let rest = &self.source[at..end];
        if !rest.starts_with('<') {
            let length = rest.find('<').unwrap_or(rest.len());
            self.text(at..at + length);
            return at + length;
        }
        let past = |mark: &str| rest.find(mark).map_or(end, |found| at + found + mark.len());
        if rest.starts_with("<!--") {
            return past("-->");
        }
        if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let length = inside.find("]]>").unwrap_or(inside.len());
            let start = at + rest.len() - inside.len();
            self.characters(start..start + length);
            return past("]]>");
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            let subset = rest.find('[').zip(rest.find('>')).is_some_and(|(open, end)| open < end);
            return past(if subset { "]>" } else { ">" });
        }
        let Some(tag) = elements::tag(rest) else {
            self.characters(at..at + 1);
            return at + 1;
        };
        if let Some(length) = self.hidden.length(rest) {
            return at + length;
        }
        let span = at..at + tag.length;
        match elements::flow(tag.name) {
            // `<r><a>sun</a><b>moon</b></r>` has elements of its own.
            Some(ElementFlow::Inline) if self.is_html => {}
            Some(ElementFlow::Line) => self.separate("\n", span.clone()),
            Some(ElementFlow::Block) => self.separate("\n\n", span.clone()),
            Some(ElementFlow::Hidden) if !tag.closes => {
                return elements::past_end_tag(rest, &tag).map_or(span.end, |length| at + length);
            }
            Some(ElementFlow::Hidden) => {}
            Some(ElementFlow::Inline) | None => self.unknown_tag(&span, tag.closes, end),
        }
        self.mark(&tag, span.clone());
        span.end
    }

    /// The mark of a list item or a heading.
    fn mark(&mut self, tag: &elements::MarkupTag<'_>, span: Range<usize>) {
        let name = tag.name.to_ascii_lowercase();
        match (&*name, tag.closes) {
            ("ul" | "menu", false) => self.lists.push(None),
            ("ol", false) => self.lists.push(Some(0)),
            ("ul" | "menu" | "ol", true) => drop(self.lists.pop()),
            ("li", false) => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{number}. ")
                    }
                    _ => "- ".to_owned(),
                };
                self.separate("\n", span);
                self.pending.iter_mut().for_each(|pending| pending.mark.clone_from(&mark));
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.separate("\n\n", span);
                self.pending.iter_mut().for_each(|pending| "# ".clone_into(&mut pending.mark));
            }
            _ => {}
        }
    }

    /// An element of XML is a block, unless text touches its tag: `a <term>tide</term> of`.
    fn unknown_tag(&mut self, span: &Range<usize>, closes: bool, end: usize) {
        let before = self.source[..span.start].chars().next_back();
        let after = self.source[span.end..end].chars().next();
        let is_text =
            |c: Option<char>| c.is_some_and(|c| !c.is_whitespace() && !matches!(c, '<' | '>'));
        let beside = match closes {
            true => self.source[span.end..end].split('<').next(),
            false => self.source[..span.start].rsplit('>').next(),
        };
        let is_mixed = beside.is_some_and(|text| !text.trim().is_empty());
        let goes_on = !closes || after.is_some_and(|c| !c.is_uppercase());
        match is_mixed {
            true if is_text(before) && is_text(after) && !(closes && goes_on) => {
                self.separate("\n", span.clone());
            }
            true => {}
            false => self.separate("\n\n", span.clone()),
        }
    }

    fn separate(&mut self, separator: &'static str, origin: Range<usize>) {
        match &mut self.pending {
            Some(known) if known.separator.len() >= separator.len() => {}
            Some(known) => known.separator = separator,
            None => self.pending = Some(Pending { separator, mark: String::new(), origin }),
        }
    }

    /// Text between tags. Blanks between blocks are layout.
    fn text(&mut self, range: Range<usize>) {
        let text = &self.source[range.clone()];
        let shown = text.trim_start();
        let is_layout = self.pending.is_some() || self.made.text.is_empty();
        if shown.is_empty() && (is_layout || text.contains('\n')) {
            return self.separate_words(&range);
        }
        let start = if is_layout { range.end - shown.len() } else { range.start };
        self.characters(start..range.end);
    }

    /// Blanks between two tags in a line of text.
    fn separate_words(&mut self, range: &Range<usize>) {
        if self.pending.is_none() && !self.made.text.is_empty() && !range.is_empty() {
            self.made.push('\n', range.clone());
        }
    }

    fn characters(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        if let Some(Pending { separator, mark, origin }) = self.pending.take() {
            if !self.made.text.is_empty() {
                let kept = self.made.text.trim_end().len();
                self.made.truncate(kept);
                self.made.push_str(separator, &origin);
            }
            self.made.push_str(&mark, &origin);
        }
        let mut at = range.start;
        while at < range.end {
            let rest = &self.source[at..range.end];
            match entities::reference(rest) {
                Some((c, length)) => {
                    self.made.push(c, at..at + length);
                    at += length;
                }
                None => {
                    let Some(c) = rest.chars().next() else { return };
                    self.made.push(c, at..at + c.len_utf8());
                    at += c.len_utf8();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    fn read(text: &str) -> Option<String> {
        said(text, 0..text.len()).map(|made| made.text)
    }

    #[test]
    fn tags_separate_what_they_separate_for_readers() {
        for (text, content) in [
            ("<p>One <b>t</b>wo.</p><p>Three.</p>", "One two.\n\nThree."),
            (
                "<h1>Tides</h1>\n<ul>\n  <li>ebb</li>\n  <li>flow</li>\n</ul>",
                "# Tides\n\n- ebb\n- flow",
            ),
            ("<ol><li><p>a</p></li><li>b</li></ol>", "1. a\n\n2. b"),
            ("<r><a>sun</a><b>moon</b></r>", "sun\n\nmoon"),
            ("<p><b>sun</b><i>moon</i></p>", "sunmoon"),
            ("<p>So.<span hidden>No.</span></p>", "So."),
            ("<p>So.<b style=\"color: red; display: none !important\">No.</b></p>", "So."),
            ("<p>So. <b style='opacity: 0.5'>Yes.</b></p>", "So. Yes."),
            ("<!-- 🌙 --><p>So.<!-- moon --></p>", "So."),
            ("<p>Gr&uuml;&szlig;e &lt;3</p>", "Grüße <3"),
            (
                "<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body>x</body></html>",
                "x",
            ),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
            ("<a><line>One.</line>\n<line>Two.</line></a>", "One.\n\nTwo."),
            ("<a>The <term>tide</term>s turn<![CDATA[ <now>]]>.</a>", "The tides turn <now>."),
            ("<a>Intro<item>one</item></a>", "Intro\none"),
            ("<a><title>T</title><body>x</body></a>", "T\n\nx"),
            ("<a title='x > y'>so</a>", "so"),
            ("<p>a<br>b</p>", "a\nb"),
            ("<div>\n* one\n* two\n</div>", "* one\n* two\n"),
            ("<p></p>", ""),
        ] {
            assert_eq!(read(text).as_deref(), Some(content), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_documents() {
        for text in ["<name>, meet me at <place>", "<3 you >", "<<Title>>", "a <b>c</b>", "<>"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
