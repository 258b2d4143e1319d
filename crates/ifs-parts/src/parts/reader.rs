//! The readers that a scenario may use: each is total, and linear in the length of the response.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{headings, json, lists, tables};
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::fault::EvalError;
use ifs_predicate::tree::Tree;
use ifs_predicate::value::Value;
use ifs_text::{Text, Unit};

/// Extracts pieces from a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartReader {
    /// The complete response, with what is said to the user around the answer.
    Response,
    Whole,
    Lines,
    Paragraphs,
    Sentences,
    Numbered,
    Bullets,
    Quoted,
    Code,
    Table(Option<TableColumn>),
    Json(String),
    Between(String, String),
    Section(String),
    Label(String),
    /// Applies the first reader to what the second one finds.
    In(Box<PartReader>, Box<PartReader>),
}

/// A reader in a scenario: arguments are expressions whose values may be drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReaderTree {
    /// By name in [`READERS`].
    Call(String, Vec<Tree>),
    /// Applies the first reader to what the second one finds.
    Within(Box<ReaderTree>, Box<ReaderTree>),
}

impl ReaderTree {
    /// The same with other arguments.
    #[must_use]
    pub fn map(&self, map: &mut dyn FnMut(&Tree) -> Tree) -> ReaderTree {
        match self {
            ReaderTree::Call(name, args) => {
                ReaderTree::Call(name.clone(), args.iter().map(map).collect())
            }
            ReaderTree::Within(reader, source) => {
                ReaderTree::Within(Box::new(reader.map(map)), Box::new(source.map(map)))
            }
        }
    }

    /// All its arguments.
    pub fn arguments(&self) -> Vec<&Tree> {
        match self {
            ReaderTree::Call(_, args) => args.iter().collect(),
            ReaderTree::Within(reader, source) => {
                [reader, source].into_iter().flat_map(|reader| reader.arguments()).collect()
            }
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum TableColumn {
    /// By number, from 1.
    Number(u32),
    /// By its header.
    Name(String),
}

/// The declaration of a reader.
pub struct ReaderEntry {
    pub name: &'static str,
    /// The minimum and maximum number of arguments.
    pub arguments: (usize, usize),
    /// An example with arguments: `between("a", "b")`.
    pub written: &'static str,
    pub doc: &'static str,
}

/// All readers, by name.
pub const READERS: &[ReaderEntry] = &[
    entry(
        "between",
        (2, 2),
        "between(\"<c>\", \"</c>\")",
        "each stretch from the first marker to the next second one, without them; one that is not closed does not count",
    ),
    entry(
        "bullets",
        (0, 0),
        "bullets",
        "the items of lists with `-`, `*`, `+`, `•` and the like, without the marker; what is indented belongs to the item above",
    ),
    entry("code", (0, 0), "code", "the content of each fenced block"),
    entry(
        "json",
        (0, 1),
        "json(\"steps\")",
        "the value at a path of the JSON that is the response, is fenced in it, or begins in it; `a.b` or `/a/0/b`; a path goes into each member of a list",
    ),
    entry(
        "label",
        (1, 1),
        "label(\"Title\")",
        "the text after `Title:` on a line, after any emphasis or marker",
    ),
    entry(
        "lines",
        (0, 0),
        "lines",
        "lines without their list marker; blank lines, headings, rules and fences are left out",
    ),
    entry(
        "numbered",
        (0, 0),
        "numbered",
        "the items of numbered lists (`1.`, `2)`, `（3）`, `四、`, `⑤`, `第六条：`, `Step 7:`), without the number; what is indented belongs to the item above",
    ),
    entry("paragraphs", (0, 0), "paragraphs", "blocks between blank lines"),
    entry(
        "quoted",
        (0, 0),
        "quoted",
        "quotations without their marks, outermost only; an unmatched mark does not count",
    ),
    entry(
        "response",
        (0, 0),
        "lines in response",
        "the complete response, with what is addressed to the user around the answer",
    ),
    entry(
        "section",
        (1, 1),
        "section(\"Casual\")",
        "the text under each heading with these words: `#`, a line in bold, in `【】`, numbered `一、`, or ending in a colon",
    ),
    entry("sentences", (0, 0), "sentences", "the sentences"),
    entry(
        "table",
        (0, 1),
        "table(\"Price\")",
        "the cells of a column, by its heading or its number; without one, the rows",
    ),
    entry(
        "whole",
        (0, 0),
        "whole",
        "the answer: the response without what is addressed to the user around it, and without a title",
    ),
];

const fn entry(
    name: &'static str,
    arguments: (usize, usize),
    written: &'static str,
    doc: &'static str,
) -> ReaderEntry {
    ReaderEntry { name, arguments, written, doc }
}

impl PartReader {
    /// The pieces in order of the text. They differ from it only by unescaped JSON, by markers of lines within an item,
    /// and where the text is a document of HTML or a quotation, whose marks are not shown.
    pub fn read<'t>(&self, text: &'t str) -> Vec<Cow<'t, str>> {
        match self.shown(text) {
            Some(shown) => self
                .read_lines(&shown)
                .into_iter()
                .map(|piece| Cow::Owned(piece.into_owned()))
                .collect(),
            None => self.read_lines(text),
        }
    }

    /// What a reader of lines is shown of a document of HTML, or of a text that is all in a quotation.
    fn shown(&self, text: &str) -> Option<String> {
        let written = text.trim();
        match self {
            PartReader::Table(_) => tables::of_html(written),
            PartReader::Lines
            | PartReader::Paragraphs
            | PartReader::Sentences
            | PartReader::Numbered
            | PartReader::Bullets => {
                let is_document = written.starts_with('<') && written.ends_with('>');
                if is_document && !Text::new(written).is_plain() {
                    return Some(Text::new(written).reading().str().to_owned());
                }
                let mut lines = written.lines().filter(|line| !line.trim().is_empty()).peekable();
                let is_quotation =
                    lines.peek().is_some() && lines.all(|line| line.starts_with('>'));
                let inside = |line: &str| {
                    let inside = line.strip_prefix('>').unwrap_or(line);
                    inside.strip_prefix(' ').unwrap_or(inside).to_owned()
                };
                is_quotation.then(|| written.lines().map(inside).collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        }
    }

    fn read_lines<'t>(&self, text: &'t str) -> Vec<Cow<'t, str>> {
        let borrowed =
            |pieces: Vec<&'t str>| pieces.into_iter().map(Cow::Borrowed).collect::<Vec<_>>();
        let units = |unit| borrowed(Text::new(text).pieces(unit).collect());
        match self {
            PartReader::Response | PartReader::Whole => borrowed(vec![text.trim()]),
            PartReader::Lines => borrowed(lists::lines(text)),
            PartReader::Paragraphs => units(Unit::Paragraph),
            PartReader::Sentences => units(Unit::Sentence),
            PartReader::Numbered => borrowed(lists::numbered(text)),
            PartReader::Bullets => borrowed(lists::bullets(text)),
            PartReader::Quoted => {
                borrowed(Text::new(text).pieces(Unit::Quote).map(without_marks).collect())
            }
            PartReader::Code => {
                borrowed(Text::new(text).pieces(Unit::CodeBlock).map(lists::unfenced).collect())
            }
            PartReader::Table(column) => borrowed(tables::read(text, column.as_ref())),
            PartReader::Json(path) => json::read(text, path),
            PartReader::Between(open, close) => borrowed(texts_between(text, open, close)),
            PartReader::Section(name) => borrowed(headings::sections(text, name)),
            PartReader::Label(name) => borrowed(headings::labels(text, name)),
            PartReader::In(reader, source) => {
                let mut found = Vec::new();
                for piece in source.read(text) {
                    found.extend(reader.read_piece(piece));
                }
                found
            }
        }
    }

    /// The pieces in a piece that another reader has found.
    pub(super) fn read_piece<'t>(&self, piece: Cow<'t, str>) -> Vec<Cow<'t, str>> {
        match piece {
            Cow::Borrowed(text) => self.read(text),
            Cow::Owned(text) => {
                self.read(&text).into_iter().map(|part| Cow::Owned(part.into_owned())).collect()
            }
        }
    }

    /// A reader with evaluated arguments.
    ///
    /// # Errors
    /// Returns an error if an argument has no value, or an invalid one.
    pub fn evaluate(
        written: &ReaderTree,
        variables: &dyn Variables,
    ) -> Result<PartReader, EvalError> {
        let (name, args) = match written {
            ReaderTree::Within(reader, source) => {
                let reader = PartReader::evaluate(reader, variables)?;
                return Ok(PartReader::In(
                    Box::new(reader),
                    Box::new(PartReader::evaluate(source, variables)?),
                ));
            }
            ReaderTree::Call(name, args) => (name.as_str(), args.as_slice()),
        };
        let nothing = Text::new("");
        let scene = TextContext { it: &nothing, variables };
        let mut values = Vec::new();
        for arg in args {
            values.push(evaluate(arg, &scene)?);
        }
        let text = |at: usize| {
            let value = values.get(at).and_then(Value::as_str).filter(|text| !text.is_empty());
            value
                .map(str::to_owned)
                .ok_or_else(|| EvalError::new(format!("`{name}` needs a text that is not empty")))
        };
        Ok(match name {
            "response" => PartReader::Response,
            "whole" => PartReader::Whole,
            "lines" => PartReader::Lines,
            "paragraphs" => PartReader::Paragraphs,
            "sentences" => PartReader::Sentences,
            "numbered" => PartReader::Numbered,
            "bullets" => PartReader::Bullets,
            "quoted" => PartReader::Quoted,
            "code" => PartReader::Code,
            "table" => PartReader::Table(match values.first() {
                None => None,
                Some(Value::Int(number)) => {
                    let number = u32::try_from(*number).ok().filter(|number| *number > 0);
                    Some(TableColumn::Number(
                        number.ok_or_else(|| EvalError::new("columns are counted from 1"))?,
                    ))
                }
                Some(_) => Some(TableColumn::Name(text(0)?)),
            }),
            "json" => PartReader::Json(match values.first() {
                None => String::new(),
                Some(_) => text(0)?,
            }),
            "between" => PartReader::Between(text(0)?, text(1)?),
            "section" => PartReader::Section(text(0)?),
            "label" => PartReader::Label(text(0)?),
            _ => return Err(EvalError::new(format!("there is no reader `{name}`"))),
        })
    }
}

/// A quotation without its quotation marks.
fn without_marks(quote: &str) -> &str {
    let mut chars = quote.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

/// Each range from `open` to the next `close`.
pub(super) fn texts_between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, inside)) = rest.split_once(open) {
        let Some((piece, after)) = inside.split_once(close) else { break };
        found.push(piece);
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_predicate::tree::Node;

    fn read(reader: &PartReader, text: &str) -> Vec<String> {
        reader.read(text).into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn the_table_is_sorted_and_every_reader_can_be_made() {
        assert!(READERS.is_sorted_by_key(|entry| entry.name));
        for entry in READERS {
            let args =
                |count: usize| vec![Tree::without_place(Node::Value(Value::text("a"))); count];
            for count in entry.arguments.0..=entry.arguments.1 {
                let tree = ReaderTree::Call(entry.name.to_owned(), args(count));
                assert!(PartReader::evaluate(&tree, &()).is_ok(), "{}", entry.name);
            }
        }
    }

    #[test]
    fn unclosed_markers_do_not_count() {
        let marks = PartReader::Between("<c>".into(), "</c>".into());
        assert_eq!(read(&marks, "<c>a</c> x <c>b</c> <c>open"), ["a", "b"]);
        let same = PartReader::Between("**".into(), "**".into());
        assert_eq!(read(&same, "**a** b **c**"), ["a", "c"]);
    }

    #[test]
    fn unclosed_quotations_do_not_count() {
        assert_eq!(read(&PartReader::Quoted, "“a” and \"b\" and “open"), ["a", "b"]);
        assert_eq!(read(&PartReader::Quoted, "她说：「走『吧』」。"), ["走『吧』"]);
    }

    #[test]
    fn documents_and_quotations_are_read_as_they_are_shown() {
        let html = "<ol><li>Fill the pot.</li><li>Wait.</li></ol>";
        assert_eq!(read(&PartReader::Numbered, html), ["Fill the pot.", "Wait."]);
        let poem = "<p>a<br>b</p><p>c<br>d</p>";
        assert_eq!(read(&PartReader::Lines, poem), ["a", "b", "c", "d"]);
        assert_eq!(read(&PartReader::Paragraphs, poem), ["a\nb", "c\nd"]);
        assert_eq!(read(&PartReader::Paragraphs, "> a\n> b\n>\n> c\n> d"), ["a\nb", "c\nd"]);
        assert_eq!(read(&PartReader::Paragraphs, "a<br>\nb\n\nc"), ["a<br>\nb", "c"]);
    }

    #[test]
    fn readers_nest() {
        let reader = PartReader::In(
            Box::new(PartReader::Bullets),
            Box::new(PartReader::Section("formal".into())),
        );
        let text = "## Casual\n- a\n- b\n\n## Formal\r\n- c\r\n- d\r\n";
        assert_eq!(read(&reader, text), ["c", "d"]);
        let in_json =
            PartReader::In(Box::new(PartReader::Lines), Box::new(PartReader::Json("poem".into())));
        assert_eq!(read(&in_json, "{\"poem\": \"a\\nb\"}"), ["a", "b"]);
    }

    #[test]
    fn unclosed_openings_take_linear_time() {
        let readers = [
            PartReader::Between("<".into(), ">".into()),
            PartReader::Quoted,
            PartReader::Code,
            PartReader::Numbered,
            PartReader::Bullets,
            PartReader::Lines,
            PartReader::Json("a".into()),
            PartReader::Section("a".into()),
            PartReader::Label("a".into()),
            PartReader::Table(Some(TableColumn::Name("a".into()))),
        ];
        for unit in ["<", "“", "```\n", "1. ", "{\"a\":", "a:\n", "|a|\n|-|\n", "- ", "[", "\"\\"]
        {
            let text = unit.repeat(60_000 / unit.len());
            for reader in &readers {
                assert!(reader.read(&text).len() <= text.len(), "{reader:?} on {unit}");
            }
        }
        let text = "1. “ {\"a\": \n".repeat(10_000_000 / 14);
        assert_eq!(PartReader::Numbered.read(&text).len(), 10_000_000 / 14);
    }
}
