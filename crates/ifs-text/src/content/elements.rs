//! The elements of HTML, by what they do to the text around them.

/// What a tag does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementFlow {
    /// The text goes on.
    Inline,
    /// A new line.
    Line,
    /// A new paragraph.
    Block,
    /// What is inside is not shown.
    Hidden,
}

/// Whether HTML has an element with this name; authors may define others with a hyphen.
pub(super) fn is_known(name: &str) -> bool {
    const OTHERS: [&str; 8] = ["area", "base", "embed", "link", "math", "meta", "param", "slot"];
    flow(name).is_some()
        || name.contains('-')
        || OTHERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The flow of an element of HTML; `None` for any other name.
pub(super) fn flow(name: &str) -> Option<ElementFlow> {
    let name = name.to_ascii_lowercase();
    let listed = |names: &str| names.split_ascii_whitespace().any(|known| known == name);
    if listed(INLINE) {
        Some(ElementFlow::Inline)
    } else if listed(LINES) {
        Some(ElementFlow::Line)
    } else if listed(BLOCKS) {
        Some(ElementFlow::Block)
    } else if listed(HIDDEN) {
        Some(ElementFlow::Hidden)
    } else {
        None
    }
}

const INLINE: &str = "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input \
    ins kbd label mark meter output progress q ruby s samp select small span strike strong sub sup \
    svg time tt u var wbr";

const LINES: &str = "br dd dt li option rp rt td th tr";

const BLOCKS: &str = "address article aside audio blockquote body canvas caption center col colgroup \
    datalist details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header \
    hgroup hr html iframe legend main menu nav object ol optgroup p picture pre search section \
    source summary table tbody textarea tfoot thead title track ul video";

const HIDDEN: &str = "head noscript script style template";

/// A tag.
pub(super) struct MarkupTag<'a> {
    pub(super) name: &'a str,
    pub(super) closes: bool,
    attributes: &'a str,
    /// Its length with the brackets.
    pub(super) length: usize,
}

/// The tag at the start of `text`, whose quoted attributes may contain brackets.
pub(super) fn tag(text: &str) -> Option<MarkupTag<'_>> {
    let rest = text.strip_prefix('<')?;
    let inner = rest.strip_prefix('/').unwrap_or(rest);
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    if !inner.starts_with(is_start) {
        return None;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '.');
    let after = inner.trim_start_matches(is_name);
    let name = &inner[..inner.len() - after.len()];
    if !after.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/')) {
        return None;
    }
    let end = end_of_attributes(after)?;
    let length = text.len() - after.len() + end;
    Some(MarkupTag { name, closes: inner.len() < rest.len(), attributes: &after[..end], length })
}

/// Finds elements that an attribute hides, such as `hidden` or `style="display: none"`.
#[derive(Default)]
pub(crate) struct HiddenElements {
    /// Whether one was not closed; then none is looked for any more, so that a text is read once.
    has_open: bool,
}

impl HiddenElements {
    /// The length of a hidden element at the start of `text`.
    pub(crate) fn length(&mut self, text: &str) -> Option<usize> {
        let tag = tag(text).filter(|tag| !self.has_open && tag.hides())?;
        let length = past_end_tag(text, &tag);
        self.has_open = length.is_none();
        length
    }
}

/// Styles of what is not shown.
const HIDING: [&str; 5] =
    ["display:none", "visibility:hidden", "font-size:0", "font-size:0px", "opacity:0"];

impl MarkupTag<'_> {
    fn hides(&self) -> bool {
        if self.closes || flow(self.name).is_none() {
            return false;
        }
        let attributes = self.attributes.to_ascii_lowercase();
        let mut words = attributes.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
        let style: String = attributes.split_whitespace().collect();
        let mut rules = style.split(['"', '\'', ';', '=', '>', '/']);
        let hides = |rule: &str| HIDING.contains(&rule.trim_end_matches("!important"));
        words.any(|word| word == "hidden" || word.starts_with("hidden=")) || rules.any(hides)
    }
}

/// The length up to the end of the element that a tag opens.
pub(super) fn past_end_tag(text: &str, opening: &MarkupTag<'_>) -> Option<usize> {
    let (mut at, mut depth) = (opening.length, 1_usize);
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        at = start + 1;
        let Some(tag) = tag(&text[start..]) else { continue };
        if tag.name.eq_ignore_ascii_case(opening.name) {
            depth = if tag.closes { depth - 1 } else { depth + 1 };
        }
        if depth == 0 {
            return Some(start + tag.length);
        }
    }
    None
}

/// The length up to the bracket that closes a tag.
fn end_of_attributes(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, _) => {}
        }
    }
    None
}
