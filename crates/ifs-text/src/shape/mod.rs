//! Shapes a complete answer can have: JSON, HTML, a table, a list …

mod csv;
mod html;
mod json;
mod lists;
mod markdown;
mod xml;

use std::ops::Range;

use super::content::has_html_root;
use super::{Text, python};

/// A shape. Plain names are sensible definitions; `…Released` ones are EvolIF's.
///
/// For every shape, the response is trimmed, and a single fenced code block is unwrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// JSON by RFC 8259, any value at the top.
    Json,
    /// JSON by Python's `json.loads`, including `NaN` and infinities.
    JsonReleased,
    /// Balanced elements (end tags may be omitted where HTML allows it), with nothing before or
    /// after them.
    Html,
    /// At least one tag; tags are balanced, except void elements and comments.
    HtmlReleased,
    /// A well-formed XML document: one root, declared prefixes, no HTML entities.
    Xml,
    /// At least two rows with the same number (at least two) of columns, quoted correctly.
    Csv,
    /// Every row has as many columns as the first, which is not blank; one column is enough.
    CsvReleased,
    /// Fences are closed, and there is at least one heading, list, table, quotation, rule,
    /// emphasis, code or link.
    Markdown,
    /// An even number of triple backticks, and of lines that begin with them.
    MarkdownReleased,
    /// One markdown table and nothing else.
    Table,
    /// A bulleted list and nothing else; items may contain lists.
    Bullets,
    /// A numbered list and nothing else; items may contain lists.
    Numbered,
}

/// Why a text does not have a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeError {
    /// The offset of the mistake; at most the text's length, on a character boundary.
    pub at: usize,
    /// A lower-case fragment naming the mistake.
    pub why: String,
}

impl ShapeError {
    fn new(at: usize, why: impl Into<String>) -> ShapeError {
        ShapeError { at, why: why.into() }
    }
}

impl std::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.why)
    }
}

/// Every shape with its name and what it is called in messages.
pub const SHAPES: &[(Shape, &str, &str)] = &[
    (Shape::Json, "json", "JSON"),
    (Shape::JsonReleased, "json.released", "JSON"),
    (Shape::Html, "html", "HTML"),
    (Shape::HtmlReleased, "html.released", "HTML"),
    (Shape::Xml, "xml", "XML"),
    (Shape::Csv, "csv", "CSV"),
    (Shape::CsvReleased, "csv.released", "CSV"),
    (Shape::Markdown, "markdown", "Markdown"),
    (Shape::MarkdownReleased, "markdown.released", "Markdown"),
    (Shape::Table, "table", "a table"),
    (Shape::Bullets, "bullets", "a bulleted list"),
    (Shape::Numbered, "numbered", "a numbered list"),
];

impl Shape {
    /// The shape with this name, or `None`.
    pub fn from_name(name: &str) -> Option<Shape> {
        SHAPES.iter().find(|(_, known, _)| *known == name).map(|(shape, _, _)| *shape)
    }

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        SHAPES.iter().find(|(shape, _, _)| *shape == self).map_or("", |(_, name, _)| name)
    }

    /// Its name in messages: `JSON`, `a table`.
    pub fn noun(self) -> &'static str {
        SHAPES.iter().find(|(shape, _, _)| *shape == self).map_or("", |(_, _, noun)| noun)
    }

    /// Whether the text has this shape.
    ///
    /// # Errors
    ///
    /// The first mistake, with its position in the text.
    pub fn conforms(self, text: &Text<'_>) -> Result<(), ShapeError> {
        let body = match self {
            Shape::JsonReleased
            | Shape::HtmlReleased
            | Shape::CsvReleased
            | Shape::MarkdownReleased => unwrapped_released(text.str()),
            _ => unwrapped(text.str()),
        };
        let part = &text.str()[body.clone()];
        let result = match self {
            Shape::Json => json::check(part, json::Dialect::Strict),
            Shape::JsonReleased => json::check(part, json::Dialect::Python),
            Shape::Html => html::check(part).and_then(|()| match has_html_root(part) {
                true => Ok(()),
                false => Err(ShapeError::new(0, "its first element is not one of HTML")),
            }),
            Shape::HtmlReleased => html::check_released(part),
            Shape::Xml => xml::check(part),
            Shape::Csv => csv::check(part),
            Shape::CsvReleased => csv::check_released(part),
            Shape::Markdown => markdown::check(part),
            Shape::MarkdownReleased => markdown::check_released(part),
            Shape::Table => lists::check_table(part),
            Shape::Bullets => lists::check_list(part, false),
            Shape::Numbered => lists::check_list(part, true),
        };
        result.map_err(|misfit| ShapeError { at: body.start + misfit.at, why: misfit.why })
    }
}

/// Whether a text without blanks around it is JSON.
pub(crate) fn is_json(text: &str) -> bool {
    json::check(text, json::Dialect::Strict).is_ok()
}

/// The same for HTML or XML.
pub(crate) fn is_markup(text: &str) -> bool {
    html::check(text).is_ok() || xml::check(text).is_ok()
}

/// The same for CSV.
pub(crate) fn is_csv(text: &str) -> bool {
    csv::check(text).is_ok()
}

/// The text without surrounding blanks, and without fences if it is one fenced block.
pub fn unwrapped(text: &str) -> Range<usize> {
    // A byte order mark is no part of a text.
    let marked = text.trim_start_matches(|c| python::is_space(c) || c == '\u{feff}');
    let start = text.len() - marked.len();
    let body = python::strip(marked);
    let whole = start..start + body.len();
    let Some(inside) = body.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return whole;
    };
    let Some((info, content)) = inside.split_once('\n') else {
        return whole;
    };
    if info.contains('`') || content.contains("```") {
        return whole;
    }
    let stripped = python::strip(content);
    let indent = content.len() - content.trim_start_matches(python::is_space).len();
    if stripped.is_empty() {
        return whole.end - 3..whole.end - 3;
    }
    let start = start + 3 + info.len() + 1 + indent;
    start..start + stripped.len()
}

/// The same as in EvolIF's released checker: from a fence line with an optional word to the last
/// fence on a line of its own, including any fences between them.
fn unwrapped_released(text: &str) -> Range<usize> {
    let body = python::strip(text);
    let start = text.len() - text.trim_start_matches(python::is_space).len();
    let inside = || {
        let rest = body.strip_prefix("```")?;
        let rest = rest.trim_start_matches(|c| python::is_word(c) || matches!(c, '.' | '+' | '-'));
        let blanks = rest.len() - rest.trim_start_matches(python::is_space).len();
        let line_end = body.len() - rest.len() + rest.get(..blanks)?.find('\n')?;
        let content = body.strip_suffix("\n```")?.get(line_end + 1..)?;
        let stripped = content.trim_start_matches(python::is_space);
        let from = start + line_end + 1 + content.len() - stripped.len();
        Some(from..from + python::strip(stripped).len())
    };
    inside().unwrap_or(start..start + body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_names_round_trip() {
        for (shape, name, noun) in SHAPES {
            assert_eq!(Shape::from_name(name), Some(*shape));
            assert_eq!((shape.name(), shape.noun()), (*name, *noun));
        }
    }

    #[test]
    fn a_single_fenced_block_is_unwrapped() {
        for (text, inside) in [
            (" ```json\n{}\n``` ", "{}"),
            ("```\n\n```", ""),
            ("``` ```", "``` ```"),
            ("```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"),
            ("```\na", "```\na"),
        ] {
            assert_eq!(&text[unwrapped(text)], inside, "{text:?}");
        }
    }

    #[test]
    fn the_released_checker_unwraps_otherwise() {
        for (text, inside) in [
            (" ```json\n{}\n``` ", "{}"),
            ("```c++ \n\n a\n```\nb\n\n```", "a\n```\nb"),
            ("```\n\n```", ""),
            ("```\n```", "```\n```"),
            ("``` json\n{}\n```", "``` json\n{}\n```"),
            ("```json\n{}```", "```json\n{}```"),
        ] {
            assert_eq!(&text[unwrapped_released(text)], inside, "{text:?}");
        }
    }

    #[test]
    fn places_refer_to_the_complete_text() {
        let text = Text::new("\n```json\n{\"a\": }\n```");
        let misfit = Shape::Json.conforms(&text).expect_err("no value");
        assert_eq!(&text.str()[misfit.at..=misfit.at], "}");
    }
}
