//! Pathological responses, and every rule of the library to evaluate on them: for the
//! test `odd` at a size that a debug build can be, and for `cargo bench --bench grade -- hostile`.

use ifs::model::table::DecidedBy;
use ifs::model::{LIBRARY, check};
use ifs::world::MemoryWorld;
use serde_json::{Value, json};

/// A rule with the arguments of one of its examples.
pub struct Rule {
    pub constraint: String,
    args: Value,
}

impl Rule {
    /// The row that asks for it.
    pub fn row(&self, answer: &str) -> String {
        json!({
            "answer": answer, "constraint": self.constraint, "args": self.args, "prompt": "Why?",
            "turn": 2, "age": 1, "topic": { "name": "tides", "keywords": ["tide"] },
            "replies": ["The moon pulls.\n\n- one\n- two"],
        })
        .to_string()
    }
}

/// Each rule of the library, or of one module, once, with its first example's arguments.
pub fn rules(only: Option<&str>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (module, text) in LIBRARY.iter().filter(|(name, _)| only.is_none_or(|only| *name == only)) {
        let checked = check(&MemoryWorld::new([("main.ifs", *text)]), "main.ifs");
        let model = checked.model.expect("the library has no mistake");
        for constraint in model.groups.iter().flat_map(|group| &group.constraints) {
            let DecidedBy::Rule(_) = &constraint.by else { continue };
            let test = model.tests.iter().find(|test| test.constraint == constraint.name);
            let Some(test) = test else { continue };
            let args = test.args.iter().map(|(name, value)| (name.clone(), json!(value)));
            rules.push(Rule {
                constraint: format!("std.{module}.{}", constraint.name),
                args: Value::Object(args.collect()),
            });
        }
    }
    rules
}

/// Answers of about this many bytes.
pub fn answers(bytes: usize) -> Vec<(&'static str, String)> {
    let of = |part: &str| part.repeat(bytes / part.len());
    let nested = (bytes / 2).min(10_000);
    // A character of each plane except the first has four bytes.
    let step = (0x11_0000 * 4 / bytes.max(1)).max(97);
    let planes = (0..=0x10_ffff_u32).step_by(step).filter_map(char::from_u32).collect::<String>();
    vec![
        ("one letter", of("a")),
        ("capitals", of("A")),
        ("words", of("moon and tide ")),
        ("sentences", of("The moon pulls. Why? ")),
        ("stops", of(".")),
        ("stops and blanks", of(". ")),
        ("abbreviations", of("a.")),
        ("line ends", of("\n")),
        ("blanks", of(" ")),
        ("lines", of("a\n")),
        ("paragraphs", of("a\n\n")),
        ("items", of("- a\n")),
        ("numbered", of("1. a\n")),
        ("headings", of("# a\n")),
        ("brackets", of("[")),
        ("closing brackets", of("]")),
        ("quotation marks", of("\"")),
        ("apostrophes", of("'")),
        ("opening marks", of("“")),
        ("stars", of("*")),
        ("stars and letters", of("*a")),
        ("divided", of("***\n")),
        ("fences", of("```\n")),
        ("backticks", of("`")),
        ("tags", of("<a>")),
        ("closing tags", of("</a>")),
        ("angles", of("<")),
        ("table", of("|a")),
        ("table rows", format!("|a|b|\n|-|-|\n{}", of("|1|2|\n"))),
        ("digits", of("1")),
        ("numbers", of("1,")),
        ("dashes", of("-")),
        ("commas", of("a,")),
        ("hanzi", of("海")),
        ("emoji", of("👍🏽")),
        ("joined emoji", of("👩\u{200d}")),
        ("marks on a letter", format!("e{}", of("\u{301}"))),
        ("bidi", of("\u{202e}a\u{2066}")),
        ("zero width", of("\u{200b}")),
        ("every plane", planes),
        ("nested JSON", format!("{}{}", "[".repeat(nested), "]".repeat(nested))),
        ("nested records", format!("{}1{}", "{\"a\":".repeat(nested), "}".repeat(nested))),
        ("long JSON", format!("[{}1]", of("1,"))),
        ("JSON of one string", format!("{{\"a\": \"{}\"}}", of("b"))),
        ("escapes", of("\\\"")),
    ]
}
