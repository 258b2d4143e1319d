//! Malicious files: every one gets a helpful message, and none makes the program panic or hang.

mod files;
mod sizes;

use ifs::diagnostic::{Severity, render, to_json};
use ifs::model::check;
use ifs::plan::{analysis, build, picture};
use ifs::script::{Drawer, Seed};
use ifs::world::{MemoryWorld, World};

use crate::time_limit::ends;

/// The stack of the program.
const STACK: usize = 64 << 20;

/// The outcome for a file.
#[derive(Debug, Default)]
struct Fate {
    /// The distinct codes of the errors.
    codes: Vec<String>,
    /// The complete output for the user.
    reported: String,
    /// Why a dialogue could not be drawn.
    draw: Option<String>,
    /// The user messages that were drawn.
    asks: Vec<String>,
}

impl Fate {
    #[track_caller]
    fn is(self, code: &str) -> Fate {
        let reported: String = self.reported.chars().take(3_000).collect();
        assert!(
            self.codes.iter().any(|have| have == code),
            "no {code}: {:?}\n{reported}",
            self.codes
        );
        self
    }

    #[track_caller]
    fn only(self, code: &str) -> Fate {
        let reported: String = self.reported.chars().take(3_000).collect();
        assert!(self.codes == [code], "not only {code}: {:?}\n{reported}", self.codes);
        self
    }

    /// With some error.
    #[track_caller]
    fn fails(self) -> Fate {
        assert!(!self.codes.is_empty(), "taken for good");
        self
    }

    #[track_caller]
    fn good(self) -> Fate {
        let reported: String = self.reported.chars().take(3_000).collect();
        assert!(self.codes.is_empty(), "{:?}\n{reported}", self.codes);
        self
    }

    /// Turns of it can be drawn.
    #[track_caller]
    fn draws(self) {
        assert!(self.draw.is_none() && !self.asks.is_empty(), "{self:?}");
    }

    #[track_caller]
    fn says(self, text: &str) -> Fate {
        let draw = self.draw.as_deref().unwrap_or_default();
        assert!(self.reported.contains(text) || draw.contains(text), "no `{text}` in\n{self:?}");
        self
    }
}

/// Everything that the program does with a file before a request is sent.
fn fate(world: &dyn World, name: &str) -> Fate {
    let checked = check(world, name);
    let mut diagnostics = checked.diagnostics;
    let plan = checked.model.map(build);
    if let Some(plan) = &plan {
        diagnostics.extend(analysis::check(plan));
    }
    let mut fate = Fate::default();
    for diagnostic in &diagnostics.list {
        if diagnostic.severity == Severity::Error {
            fate.codes.push(diagnostic.code.name().to_owned());
        }
    }
    fate.codes.sort();
    fate.codes.dedup();
    fate.reported = render(&diagnostics.list, &checked.sources, false, 100);
    _ = to_json(&diagnostics.list, &checked.sources);
    let all = plan.iter().flat_map(|plan| plan.dialogues().map(move |it| (plan, it)));
    for (plan, dialogue) in all {
        _ = (picture::svg(plan, dialogue), picture::dot(plan, dialogue));
        if !fate.codes.is_empty() {
            continue;
        }
        let drawn = Drawer::new(plan, &dialogue.table.name).and_then(|drawer| {
            for turn in drawer.script(Seed(1), 0).take(6) {
                fate.asks.push(turn?.ask);
            }
            Ok(())
        });
        fate.draw = drawn.err().map(|error| error.to_string());
    }
    fate
}

#[track_caller]
fn of_world(what: &str, world: impl World + Send + 'static) -> Fate {
    ends(what, STACK, move || fate(&world, "main.ifs"))
}

/// A program in memory next to a small bank.
#[track_caller]
fn of(what: &str, text: &str) -> Fate {
    of_world(what, MemoryWorld::new([("main.ifs", text), ("topics.jsonl", TOPICS)]))
}

/// A program that imports one data file.
#[track_caller]
fn bank(what: &str, name: &str, text: impl Into<Vec<u8>>) -> Fate {
    let program = format!("ifs 1\n\nimport things \"{name}\" {{\n  name: text\n}}\n");
    let mut world = MemoryWorld::new([("main.ifs", program.as_str())]);
    world.files.insert(name.to_owned(), text.into());
    of_world(what, world)
}

const TOPICS: &str = r#"{"name": "tea", "request": "How?", "keywords": ["leaf", "cup", "water", "heat"]}
{"name": "rain", "request": "Why?", "keywords": ["cloud", "drop", "roof", "wind"]}
"#;

/// A complete program around some constraints.
fn talk(group: &str) -> String {
    format!(
        "ifs 1

import topics \"topics.jsonl\" {{
  name: text
  request: text
  keywords: list of text
}}

group g {{
{group}
}}

constraint short {{
  say   \"Be short.\"
  check count(word) < 9
}}

dialogue d {{
  topic from topics
  start with 1 constraint
  scope topic
  flow {{
    stay   at least 2 turns
    switch 50% {{ new 50%  backtrack 50% }}
  }}
  evolve one per turn {{ add 50%  modify 40%  drop 10% }}
  end   when turns >= 9
}}
"
    )
}

const EVOLIF: &str = include_str!("../../scenarios/evolif/evolif.ifs");

fn evolif(text: &[u8]) -> MemoryWorld {
    let topics = r#"{"name": "tea", "task": "t", "subject": "s", "request": "How?", "do": "explain tea", "about": "tea", "neutral": true, "keywords": ["leaf", "cup", "water"], "angles": []}"#;
    let styles = r#"{"name": "a", "voice": "plain", "register": "formal", "persona": "P.", "phrases": ["short"], "demand_first": false, "paragraphs": false, "signs": true}"#;
    let open = "{{ topic.request }} {% include \"changes.j2\" %}";
    let mut world = MemoryWorld::new([
        ("banks/topics.jsonl", topics),
        ("banks/styles.jsonl", styles),
        ("words/open.j2", open),
    ]);
    world.files.insert("main.ifs".to_owned(), text.to_vec());
    world
}

#[test]
fn truncation_at_any_byte() {
    of_world("the whole file", evolif(EVOLIF.as_bytes())).good();
    ends("all prefixes", STACK, || {
        for end in (0..EVOLIF.len()).step_by(13) {
            let fate = fate(&evolif(&EVOLIF.as_bytes()[..end]), "main.ifs");
            // A file that is cut between two items, or after the name of a module or of a bank's
            // file, is a valid scenario, or lacks an edition.
            let cut = EVOLIF[..end].trim_end();
            let is_whole = cut.ends_with(['}', '*', '1', '/'])
                || ["use std.evolif", ".jsonl\""].iter().any(|last| cut.ends_with(last));
            assert!(!fate.codes.is_empty() || is_whole, "cut at {end}");
        }
    });
}

#[test]
fn missing_pieces_of_a_file() {
    ends("all gaps", STACK, || {
        let mut refused = 0;
        for start in (0..EVOLIF.len() - 40).step_by(59) {
            let text = [&EVOLIF.as_bytes()[..start], &EVOLIF.as_bytes()[start + 13..]].concat();
            let fate = fate(&evolif(&text), "main.ifs");
            refused += usize::from(!fate.codes.is_empty());
            // A file without mistakes can be drawn, and one with mistakes is explained.
            match fate.codes.is_empty() {
                true => assert!(!fate.asks.is_empty(), "{start}: {:?}", fate.draw),
                false => assert!(fate.reported.contains("main.ifs"), "{start}: {}", fate.reported),
            }
        }
        assert!(refused > 10, "{refused}");
    });
}

#[test]
fn unbounded_nesting() {
    let many = 100_000;
    let opened = [
        ("blocks", "dialogue d ", "{ flow "),
        ("bare braces", "", "{"),
        ("groups", "", "group g { "),
        ("loops", "dialogue d { ", "for q in things { "),
        ("variants", "dialogue d { ", "variant v { "),
        ("parentheses", "let x = ", "("),
        ("lists", "let x = ", "["),
        ("records", "let x = ", "{ a: "),
        ("calls", "let x = ", "len("),
        ("negations", "let x = ", "not "),
        ("minuses", "let x = ", "-"),
        ("conditions", "let x = ", "if true then 1 else "),
        ("quantifiers", "let x = ", "every w in [1]: "),
        ("fields", "let x = a", ".b"),
        ("ordinals", "let x = a", "[1]"),
        ("sums", "let x = 1", " + 1"),
        ("powers of and", "let x = true", " and true"),
        ("filters", "let x = [1]", " where it > 0"),
        ("types", "import a \"topics.jsonl\" { name: ", "list of "),
        ("comparisons", "let x = 1", " < 1"),
        ("tags", "tags t ", "{ a "),
    ];
    for (what, start, piece) in opened {
        let text = format!("ifs 1\n{start}{}", piece.repeat(many));
        let fate = of(what, &text);
        assert!(!fate.codes.is_empty(), "{what} are taken for good");
        assert!(fate.codes.len() < 4, "{what}: {:?}", fate.codes);
    }
    for (what, start, open, middle, shut) in [
        ("parentheses", "let x = ", "(", "1", ")"),
        ("lists", "let x = ", "[", "1", "]"),
        ("calls", "let x = ", "max(1, ", "1", ")"),
        ("loops", "dialogue d { ", "for q in things { ", "", "} "),
    ] {
        let close = if start.contains('{') { "}" } else { "" };
        let text =
            format!("ifs 1\n{start}{}{middle}{}{close}\n", open.repeat(many), shut.repeat(many));
        of(&format!("closed {what}"), &text).is("too-deep");
    }
}

#[test]
fn ten_megabytes_in_a_line() {
    let fill = |piece: &str| piece.repeat((10 << 20) / piece.len());
    // A tenth of the size, because the unoptimised parser is slow.
    let some = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for (what, text, code) in [
        ("one word", fill("a"), Some("syntax")),
        ("one name", format!("ifs 1\nlet {} = 1", fill("a")), None),
        ("garbage", some("\u{7f}%$"), Some("too-deep")),
        ("shut braces", format!("ifs 1 {}", some("}")), Some("unclosed")),
        ("quotes", format!("ifs 1 let x = {}", some("\"")), None),
        ("a string that is not closed", format!("ifs 1 let x = \"{}", fill("a")), Some("unclosed")),
        ("blanks", format!("ifs 1{}", fill(" ")), None),
        ("a comment", format!("ifs 1 // {}", fill("x")), None),
        ("numbers", format!("ifs 1 let x = {}", some("9")), None),
        ("words", format!("ifs 1 {}", some("word ")), Some("syntax")),
        ("strange letters", format!("ifs 1 {}", some("ö😀")), Some("syntax")),
    ] {
        let fate = of(what, &text);
        assert!(fate.reported.len() < 100_000, "{what}: {} bytes are told", fate.reported.len());
        if let Some(code) = code {
            fate.is(code);
        }
    }
}

#[test]
fn characters_that_cannot_be_seen() {
    of("a NUL", "ifs 1\nlet a\0b = 1\n").is("syntax");
    of("only NULs", &"\0".repeat(1_000)).is("syntax");
    of("a NUL in a string", &talk("  constraint c { say \"a\0b\" check count(word) > 1 }")).good();
    of("marks of direction", "ifs 1\nlet a\u{202e}b = 1\n").is("syntax");
    of("zero width", "ifs 1\n\u{200b}let a = 1\n").is("syntax");
    of("a mark of order in the middle", "ifs 1\n\u{feff}let a = 1\n").good();
    of("old line ends", "ifs 1\rlet a = 1\r").is("syntax");
    of("line separators", "ifs 1\u{2028}let a = 1\u{85}").is("syntax");
}

#[test]
fn empty_files() {
    of("an empty file", "").only("empty-file").says("ifs new");
    of("blanks", " \n\t\n").only("empty-file");
    of("comments", "// nothing yet\n// and nothing more\n").is("bad-edition");
    of("a doc comment", "/// nothing yet\n").fails();
    of("an edition alone", "ifs 1\n").good();
    of("another edition", "ifs 2\n").only("bad-edition").says("ifs 1");
    of("no edition to speak of", "ifs 99999999999999999999999\n").fails();
}

#[test]
fn windows_text_files() {
    let text = format!("\u{feff}{}", EVOLIF.replace('\n', "\r\n"));
    of_world("a mark of order and CRLF", evolif(text.as_bytes())).good();
    let hash =
        |text: &str| build(check(&evolif(text.as_bytes()), "main.ifs").model.unwrap()).hash();
    assert_eq!(hash(&text), hash(EVOLIF));
    bank(
        "a bank with a mark of order",
        "a.jsonl",
        "\u{feff}{\"name\": \"a\"}\r\n{\"name\": \"b\"}\r\n",
    )
    .good();
    bank("a table with a mark of order", "a.csv", "\u{feff}name\r\na\r\nb\r\n").good();
}
