//! Shapes of an entire text; `text::shape` has the exact definitions.

use super::Expect::{Fails, Holds};
use super::hooks::{Demand, FORMAT, Finding, HAVE_FORM, MARKDOWN, Sees};
use super::{Arguments, Func, Function, ParamType, ReturnType, SUBJECT, optional};
use crate::explain::of_shape;
use crate::fault::EvalError;
use crate::operand::Operand;
use ifs_text::Shape;

pub(super) const ROWS: &[&Function] = &[
    &IS_JSON,
    &IS_JSON_AS_RELEASED,
    &IS_XML,
    &IS_HTML,
    &IS_HTML_AS_RELEASED,
    &IS_CSV,
    &IS_CSV_AS_RELEASED,
    &IS_MARKDOWN,
    &IS_MARKDOWN_AS_RELEASED,
    &IS_TABLE,
    &IS_BULLETS,
    &IS_NUMBERED,
];

/// Those that rules about several functions name.
impl Func {
    pub const IS_JSON: Func = Func::named("is_json");
}

const IS_JSON: Function = Function {
    name: "is_json",
    params: &[SUBJECT, optional("schema", ParamType::Schema)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is JSON (RFC 8259) with any value at the top. A response that is one fenced code block is unwrapped. With a JSON Schema, whether it is also valid against the schema: see `fits_schema`, and `json` for values that are not read then.",
    examples: &[
        ("is_json", "{\"a\": [1, 2]}", Holds),
        ("is_json({ required: [\"a\"] })", "{\"a\": [1, 2]}", Holds),
        ("is_json({ required: [\"b\"] })", "{\"a\": [1, 2]}", Fails),
        ("is_json({ required: [\"b\"] })", "a, b", Fails),
        ("is_json", "```json\n[]\n```", Holds),
        ("is_json", "{'a': 1}", Fails),
        ("is_json", "", Fails),
    ],
    call: |given| {
        if given.len() < 2 {
            return conforms(given);
        }
        let schema = super::json::schema(given, 1)?;
        let value = super::json::parse_json(given.text(0)?);
        Ok(Operand::bool(value.is_ok_and(|value| schema.fits(&value).is_ok())))
    },
    shape: Some(Shape::Json),
    demand: Some(Demand::Own(|arguments, _, who, form| {
        let words = who.words;
        match arguments.len() {
            0 | 1 => Some(of_shape(Shape::Json, words, form)),
            _ => Some(words.demand(words.phrase(HAVE_FORM)?, form, &[])),
        }
    })),
    finding: Some(Finding::TextMisfit),
    implies: Some(|read, call, wanted| match call.arg(1).filter(|_| wanted) {
        Some(schema) => read.json(call, schema),
        None => read.shaped(call, wanted),
    }),
    repair: Some(|repairer, at, wanted| match at.call.arg(1) {
        Some(schema) if wanted => repairer.fits_schema(None, schema, at.text),
        _ => wanted.then(|| json_with(at.text)),
    }),
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

const IS_JSON_AS_RELEASED: Function = Function {
    name: "is_json_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether Python's JSON reader accepts the response, as in EvolIF's released checker: `NaN` and infinities included.",
    examples: &[("is_json_as_released", "[NaN]", Holds), ("is_json_as_released", "[1,]", Fails)],
    call: conforms,
    shape: Some(Shape::JsonReleased),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| json_with(at.text))),
    ..Function::BARE
};

const IS_XML: Function = Function {
    name: "is_xml",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is a well-formed XML document: one root, declared prefixes, no HTML entities.",
    examples: &[
        ("is_xml", "<a><b/>x</a>", Holds),
        ("is_xml", "<a>&nbsp;</a>", Fails),
        ("is_xml", "plain", Fails),
    ],
    call: conforms,
    shape: Some(Shape::Xml),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| element("answer", at.text))),
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

const IS_HTML: Function = Function {
    name: "is_html",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is HTML: elements that nest and are closed where HTML requires it, with nothing around them.",
    examples: &[("is_html", "<p>One.</p><p>Two.</p>", Holds), ("is_html", "so <b>be it", Fails)],
    call: conforms,
    shape: Some(Shape::Html),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| element("p", at.text))),
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

const IS_HTML_AS_RELEASED: Function = Function {
    name: "is_html_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response has a tag and its tags balance, as in EvolIF's released checker. Text around them is ignored.",
    examples: &[
        ("is_html_as_released", "so <b>be</b> it", Holds),
        ("is_html_as_released", "so be it", Fails),
    ],
    call: conforms,
    shape: Some(Shape::HtmlReleased),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| element("p", at.text))),
    ..Function::BARE
};

const IS_CSV: Function = Function {
    name: "is_csv",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is CSV: at least two rows with the same number of columns, which is at least two.",
    examples: &[
        ("is_csv", "a,b\n1,2", Holds),
        ("is_csv", "a,b\n1", Fails),
        ("is_csv", "one line, only", Fails),
    ],
    call: conforms,
    shape: Some(Shape::Csv),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| csv_with(at.text))),
    sees: Sees::Also(FORMAT),
    ..Function::BARE
};

const IS_CSV_AS_RELEASED: Function = Function {
    name: "is_csv_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the first row is not blank and every row has as many columns, as in EvolIF's released checker. One column is enough, so most lines of prose pass.",
    examples: &[("is_csv_as_released", "one line", Holds), ("is_csv_as_released", "a,b\n1", Fails)],
    call: conforms,
    shape: Some(Shape::CsvReleased),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| csv_with(at.text))),
    ..Function::BARE
};

const IS_MARKDOWN: Function = Function {
    name: "is_markdown",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response uses Markdown (a heading, list, table, quotation, rule, emphasis, code or link) and all code fences are closed.",
    examples: &[("is_markdown", "# Title\n\ntext", Holds), ("is_markdown", "plain prose", Fails)],
    call: conforms,
    shape: Some(Shape::Markdown),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| format!("{}\n\n**So.**", at.text))),
    sees: Sees::Also(MARKDOWN),
    ..Function::BARE
};

const IS_MARKDOWN_AS_RELEASED: Function = Function {
    name: "is_markdown_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the number of triple backticks is even, and so is the number of lines that begin with them, as in EvolIF's released checker. Nearly every response passes.",
    examples: &[
        ("is_markdown_as_released", "plain prose", Holds),
        ("is_markdown_as_released", "```a", Fails),
        ("is_markdown_as_released", "```a```", Fails),
    ],
    call: conforms,
    shape: Some(Shape::MarkdownReleased),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| wanted.then(|| format!("{}\n\n**So.**", at.text))),
    ..Function::BARE
};

const IS_TABLE: Function = Function {
    name: "is_table",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is one Markdown table and nothing else.",
    examples: &[
        ("is_table", "| a | b |\n|---|---|\n| 1 | 2 |", Holds),
        ("is_table", "a | b", Fails),
    ],
    call: conforms,
    shape: Some(Shape::Table),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| {
        let rows: Vec<String> =
            lines(at.text).map(|line| format!("\n| {} | so |", line.replace('|', " "))).collect();
        wanted.then(|| format!("| what | how |\n| --- | --- |{}", rows.concat()))
    }),
    sees: Sees::Also(MARKDOWN),
    ..Function::BARE
};

const IS_BULLETS: Function = Function {
    name: "is_bullets",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is a bulleted list and nothing else. Items may have nested lists.",
    examples: &[("is_bullets", "- a\n- b", Holds), ("is_bullets", "Here:\n- a", Fails)],
    call: conforms,
    shape: Some(Shape::Bullets),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| {
        let items: Vec<String> = items(at.text).map(|item| format!("- {item}")).collect();
        wanted.then(|| items.join("\n"))
    }),
    sees: Sees::Also(MARKDOWN),
    ..Function::BARE
};

const IS_NUMBERED: Function = Function {
    name: "is_numbered",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the response is a numbered list and nothing else. Items may have nested lists.",
    examples: &[("is_numbered", "1. a\n2. b", Holds), ("is_numbered", "- a", Fails)],
    call: conforms,
    shape: Some(Shape::Numbered),
    implies: Some(|read, call, wanted| read.shaped(call, wanted)),
    repair: Some(|_, at, wanted| {
        let items = items(at.text).enumerate();
        let items: Vec<String> = items.map(|(at, item)| format!("{}. {item}", at + 1)).collect();
        wanted.then(|| items.join("\n"))
    }),
    sees: Sees::Also(MARKDOWN),
    ..Function::BARE
};

/// Whether the text has the shape that the row names.
fn conforms<'a>(given: &Arguments<'_, 'a>) -> Result<Operand<'a>, EvalError> {
    let holds = match given.function.shape {
        Some(shape) => given.piece(0)?.read(|text| shape.conforms(text).is_ok()),
        None => false,
    };
    Ok(Operand::bool(holds))
}

// ---- texts in these shapes ----------------------------------------------------------------

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The lines without marks of a list.
fn items(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|line| line.trim_start_matches(['-', '*', '#', ' ']))
}

fn json_with(text: &str) -> String {
    format!("{{\"answer\": {}}}", serde_json::to_string(text).unwrap_or_default())
}

fn element(name: &str, text: &str) -> String {
    let inner = text.replace('&', "and").replace(['<', '>'], "");
    format!("<{name}>{inner}</{name}>")
}

fn csv_with(text: &str) -> String {
    format!("what,how\nanswer,\"{}\"", text.replace('"', "\"\""))
}
