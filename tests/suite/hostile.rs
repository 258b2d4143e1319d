//! Malicious files: every one gets a helpful message, and none makes the program panic or hang.

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
    for dialogue in plan.iter().flat_map(|plan| &plan.dialogues) {
        _ = (picture::svg(dialogue, None), picture::dot(dialogue, None));
        let Some(plan) = plan.as_ref().filter(|_| fate.codes.is_empty()) else { continue };
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
fn a_file_cut_anywhere() {
    of_world("the whole file", evolif(EVOLIF.as_bytes())).good();
    ends("all prefixes", STACK, || {
        for end in (0..EVOLIF.len()).step_by(13) {
            let fate = fate(&evolif(&EVOLIF.as_bytes()[..end]), "main.ifs");
            // A file that is cut between two items is a valid scenario, or lacks an edition.
            let cut = EVOLIF[..end].trim_end();
            assert!(!fate.codes.is_empty() || cut.ends_with(['}', '*', '1', '/']), "cut at {end}");
        }
    });
}

#[test]
fn a_file_with_a_piece_missing() {
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
fn nested_without_end() {
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
    // What takes the parser long where nothing is optimised is a tenth of that.
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
fn files_of_nothing() {
    of("an empty file", "").only("empty-file").says("ifs new");
    of("blanks", " \n\t\n").only("empty-file");
    of("comments", "// nothing yet\n// and nothing more\n").is("bad-edition");
    of("a doc comment", "/// nothing yet\n").fails();
    of("an edition alone", "ifs 1\n").good();
    of("another edition", "ifs 2\n").only("bad-edition").says("ifs 1");
    of("no edition to speak of", "ifs 99999999999999999999999\n").fails();
}

#[test]
fn files_as_windows_writes_them() {
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

#[test]
fn binary_files_are_refused() {
    for bytes in [&b"ifs 1\nlet a = \"\xff\"\n"[..], b"\xff\xfei\0f\0s\0", b"ifs 1\n\xc3"] {
        let mut world = MemoryWorld::default();
        world.files.insert("main.ifs".to_owned(), bytes.to_vec());
        of_world("bytes", world).only("unreadable-file").says("UTF-8");
    }
    bank("a bank of bytes", "a.jsonl", b"{\"name\": \"a\"}\n\xff\xfe\n".to_vec())
        .only("unreadable-file")
        .says("line 2");
    of_world("no file", MemoryWorld::default()).only("unreadable-file").says("main.ifs");
}

#[test]
fn banks_that_are_broken() {
    bank("a lone surrogate", "a.jsonl", "{\"name\": \"ok\"}\n{\"name\": \"\\ud800\"}\n")
        .only("bad-bank")
        .says("a.jsonl:2");
    bank("a lone surrogate", "a.json", "[{\"name\": \"\\udc00 x\"}]")
        .only("bad-bank")
        .says("a.json");
    bank("half a surrogate pair", "a.jsonl", "{\"name\": \"\\ud83d\\u0041\"}").only("bad-bank");
    for (name, open) in
        [("a.json", "["), ("a.jsonl", "["), ("a.json", "{\"name\":"), ("a.yaml", "[")]
    {
        let code = if name == "a.yaml" { "too-deep" } else { "bad-bank" };
        bank("10,000 deep", name, open.repeat(10_000)).only(code).says(name);
    }
    bank("deep lines of YAML", "a.yaml", "- ".repeat(10_000)).only("too-deep");
    let deep: String = (0..3_000).map(|at| format!("{}- \n", " ".repeat(at))).collect();
    bank("a staircase of YAML", "a.yaml", deep).only("too-deep");
    bank("half a file", "a.json", "[{\"name\": \"a\"}").only("bad-bank");
    bank("nothing", "a.json", "").only("bad-bank");
    bank("nothing", "a.jsonl", "").fails();
    bank("nothing", "a.csv", "").fails();
    bank("nothing", "a.yaml", "").fails();
    bank("NULs", "a.jsonl", "\0\0\0").only("bad-bank");
    bank("NULs", "a.csv", "\0\0\0").fails();
    bank("a field too few", "a.csv", "name,b\na\n").is("bad-bank");
    bank("quotes that stay open", "a.csv", "name\n\"a\n").says("a.csv");
    bank("another field", "a.jsonl", "{\"nmae\": \"a\"}").says("name");
    bank("another type", "a.jsonl", "{\"name\": [1, 2]}").says("name");
    bank("numbers too large", "a.jsonl", "{\"name\": 1e999}").is("bad-bank");
    bank("another kind of file", "a.exe", "MZ").says("a.exe");
}

#[test]
fn aliases_that_grow() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for at in 1..12 {
        let inner = vec![format!("*a{}", at - 1); 9].join(", ");
        bomb.push_str(&format!("a{at}: &a{at} [{inner}]\n"));
    }
    bank("a YAML bomb", "a.yaml", bomb).is("bad-bank");
    let wide = format!("- name: &a {}\n{}", "x".repeat(100_000), "- name: *a\n".repeat(2_000));
    bank("a wide YAML bomb", "a.yaml", wide).is("bad-bank");
    bank("an alias of itself", "a.yaml", "- &a\n  name: *a\n").is("bad-bank");
}

#[test]
fn imports_in_a_circle() {
    let world = |files: &[(&str, &str)]| MemoryWorld::new(files.iter().copied());
    let files = [("main.ifs", "ifs 1\nimport me \"main.ifs\"\n")];
    of_world("itself", world(&files)).is("import-cycle").says("main.ifs");
    let files = [
        ("main.ifs", "ifs 1\nimport a \"a.ifs\"\n"),
        ("a.ifs", "ifs 1\nimport b \"./main.ifs\"\n"),
    ];
    of_world("two", world(&files)).is("import-cycle").says("`main.ifs` imports `a.ifs`");
    let files = [
        ("main.ifs", "ifs 1\nimport a \"x/a.ifs\"\n"),
        ("x/a.ifs", "ifs 1\nimport b \"y/b.ifs\"\n"),
        ("x/y/b.ifs", "ifs 1\nimport c \"../../main.ifs\"\n"),
    ];
    of_world("three", world(&files)).is("import-cycle").says("x/y/b.ifs");
    // A long chain is not a cycle, but deep.
    let mut chain = MemoryWorld::new([("main.ifs", "ifs 1\nimport a \"a0.ifs\"\n")]);
    for at in 0..3_000 {
        let text = format!("ifs 1\nimport a \"a{}.ifs\"\nlet x{at} = 1\n", at + 1);
        chain.files.insert(format!("a{at}.ifs"), text.into_bytes());
    }
    assert!(!of_world("a chain of 3,000", chain).codes.is_empty());
    of("let in a circle", "ifs 1\nlet a = b\nlet b = c\nlet c = a\n").is("dependency-cycle");
}

#[test]
fn paths_that_lead_elsewhere() {
    for (path, code) in [
        ("/etc/passwd", "outside-root"),
        ("../..", "outside-root"),
        ("../../x.jsonl", "outside-root"),
        ("a/../../x.jsonl", "outside-root"),
        ("C:/x.jsonl", "outside-root"),
        ("..\\\\x.jsonl", "bad-path"),
        ("", "bad-path"),
        (".", "bad-path"),
        ("x\\u{0}.jsonl", "unreadable-file"),
        ("none.jsonl", "unreadable-file"),
    ] {
        let text = format!("ifs 1\nimport x \"{path}\" {{\n  name: text\n}}\n");
        of(path, &text).is(code).says("main.ifs:2");
        let text = format!("ifs 1\nimport x \"{path}\"\n");
        assert!(!of(path, &text).codes.is_empty(), "{path}");
    }
}

/// Links, devices and other special files.
#[cfg(unix)]
#[test]
fn files_that_are_no_files() {
    use ifs::world::FolderWorld;
    use std::os::unix::fs::symlink;

    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.jsonl"), "{\"name\": \"s\"}\n").unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder.jsonl")).unwrap();
    std::fs::create_dir(at("folder.ifs")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("pipe.jsonl")).status().unwrap();
    assert!(made.success());
    symlink(outside.path().join("secret.jsonl"), at("link.jsonl")).unwrap();
    symlink(outside.path(), at("linked")).unwrap();
    symlink("loop.jsonl", at("loop.jsonl")).unwrap();
    symlink("/dev/zero", at("zero.jsonl")).unwrap();
    std::fs::write(at("good.jsonl"), "{\"name\": \"g\"}\n").unwrap();
    symlink("good.jsonl", at("inside.jsonl")).unwrap();
    let long = "x".repeat(5_000);
    for (path, code) in [
        ("folder.jsonl", "unreadable-file"),
        ("folder.ifs", "unreadable-file"),
        ("pipe.jsonl", "unreadable-file"),
        ("link.jsonl", "outside-root"),
        ("linked/secret.jsonl", "outside-root"),
        ("loop.jsonl", "unreadable-file"),
        ("zero.jsonl", "outside-root"),
        ("good.jsonl/x.jsonl", "unreadable-file"),
        (long.as_str(), "unreadable-file"),
    ] {
        let fields = if path.ends_with(".ifs") { "" } else { " {\n  name: text\n}" };
        std::fs::write(at("main.ifs"), format!("ifs 1\nimport x \"{path}\"{fields}\n")).unwrap();
        let world = FolderWorld::new(folder.path()).unwrap();
        of_world(path, world).is(code).says("main.ifs:2");
    }
    let text = "ifs 1\nimport x \"inside.jsonl\" {\n  name: text\n}\n";
    std::fs::write(at("main.ifs"), text).unwrap();
    of_world("a link inside", FolderWorld::new(folder.path()).unwrap()).good();
    // The scenario itself may be any of these.
    for name in ["pipe.jsonl", "folder.ifs", "loop.jsonl", "zero.jsonl"] {
        let world = FolderWorld::new(folder.path()).unwrap();
        let fate = ends(name, STACK, move || fate(&world, name));
        assert_eq!(fate.codes.len(), 1, "{name}: {:?}", fate.codes);
    }
}

#[test]
fn a_bank_of_many_lines() {
    let lines: String = (0..200_000).map(|at| format!("{{\"name\": \"n{at}\"}}\n")).collect();
    let program = "ifs 1\nimport things \"a.jsonl\" {\n  name: text\n}\n";
    let world = MemoryWorld::new([("main.ifs", program), ("a.jsonl", &lines)]);
    ends("200,000 lines", STACK, move || fate(&world, "main.ifs")).good();
    let wrong = "{\"nmae\": 1}\n".repeat(20_000);
    let fate = bank("20,000 wrong lines", "a.jsonl", wrong);
    assert!(fate.reported.len() < 200_000, "{} bytes are told", fate.reported.len());
    let same = "{\"name\": \"a\"}\n".repeat(20_000);
    let fate = bank("20,000 times the same", "a.jsonl", same).is("bad-bank");
    assert!(fate.reported.len() < 200_000, "{} bytes are told", fate.reported.len());
}

#[test]
fn numbers_at_the_edge() {
    let domain = |domain: &str| {
        let check = match domain.contains("keywords") {
            true => "check count(word) > len(n)",
            false => "check count(word) > n",
        };
        talk(&format!("  constraint c(n: {domain}) {{\n    say \"{{{{ n }}}}\"\n    {check}\n  }}"))
    };
    for (domain_text, code) in [
        ("int in 0..=99999999999999999999", Some("bad-number")),
        ("int in 1..=9223372036854775807 step 1", None),
        ("int in 1..=9223372036854775807 step 9223372036854775807", None),
        ("int in -9223372036854775808..=9223372036854775807", Some("bad-number")),
        ("int in -9223372036854775807..=9223372036854775807", None),
        ("int in -9223372036854775807..=9223372036854775807 step 3", None),
        ("int in 5..=1", Some("empty-domain")),
        ("int in 1..=5 step 0", Some("bad-domain")),
        ("int in 1..=5 step -1", Some("bad-domain")),
        ("float in 0.0..=1.0 step 0.0", Some("bad-domain")),
        ("float in 0.0..=1.0 step 0.000000000000000000001", None),
        ("float in 0.0..=99999999999999999999999999999999999999.0 step 0.1", None),
        ("1..=9223372036854775807 of topic.keywords", None),
        ("0..=0 of topic.keywords", None),
        ("one_of []", Some("empty-domain")),
    ] {
        let fate = of(domain_text, &domain(domain_text));
        match code {
            Some(code) => _ = fate.is(code),
            None => fate.good().draws(),
        }
    }
    // What does not fit a whole number is a decimal one.
    for (value, shown) in [
        ("9223372036854775807 + 1", Ok("9223372036854776000.0")),
        (
            "9223372036854775807 * 9223372036854775807",
            Ok("85070591730234620000000000000000000000.0"),
        ),
        ("-9223372036854775807 - 2", Ok("-9223372036854776000.0")),
        ("(-9223372036854775807 - 1) / -1", Ok("9223372036854776000.0")),
        (
            "0.00000000000000000000000000000000000000000000001",
            Ok("0.00000000000000000000000000000000000000000000001"),
        ),
        ("1 / 0", Err("division by zero")),
        ("1 % 0", Err("division by zero")),
        ("1e999", Err("expected an expression, found `1e999`")),
        ("round(1.0 / 0.0)", Err("`x` has no value: nothing can be divided by 0")),
        ("abs(-9223372036854775807 - 1)", Err("`x` has no value: the number is too large")),
    ] {
        let text = format!(
            "ifs 1\ndialogue d {{\n  let x = {value}\n  turn t {{ ask \"{{{{ x }}}}\" }}\n}}\n"
        );
        let fate = of(value, &text);
        match shown {
            Ok(shown) => assert_eq!(fate.good().asks, [shown], "{value}"),
            Err(why) => {
                assert!(fate.asks.is_empty(), "{value}: {fate:?}");
                fate.says(why);
            }
        }
    }
    let text = talk("  constraint c { say \"c\" check count(word) > 1 }");
    let none = None;
    let number = Some("bad-number");
    let (start, end) = (Some("nothing-to-draw"), Some("endless-flow"));
    for (turns, [stays, ends, starts, evolves, patience]) in [
        ("0", [number, none, none, Some("no-effect"), number]),
        ("4294967295", [number, end, start, none, number]),
        ("4294967296", [number, end, start, none, number]),
        ("9223372036854775807", [number, end, start, none, number]),
        ("99999999999999999999", [number, number, number, number, number]),
    ] {
        for (from, to, code) in [
            ("at least 2 turns", format!("at least {turns} turns"), stays),
            ("turns >= 9", format!("turns >= {turns}"), ends),
            ("start with 1", format!("start with {turns}"), starts),
            ("evolve one", format!("evolve 1..={turns}"), evolves),
            ("end   when", format!("patience {turns}\n  end when"), patience),
        ] {
            let fate = of(&to, &text.replace(from, &to));
            match code {
                Some(code) => _ = fate.is(code),
                None => fate.good().draws(),
            }
        }
    }
}

#[test]
fn weights_at_the_edge() {
    let weighed = |weight: &str| {
        talk(&format!(
            "  constraint a {{ say \"a\" check count(word) > 1 weight {weight} }}
  constraint b {{ say \"b\" check count(word) > 1 weight {weight} }}"
        ))
    };
    of("the largest weight", &weighed("1000000")).good().draws();
    of("a weight too large", &weighed("4294967295")).only("bad-weight");
    of("a weight of 33 bits", &weighed("4294967296")).only("bad-weight");
    of("a weight far too large", &weighed("99999999999999999999")).is("bad-number");
    of("no weight", &weighed("0")).only("bad-weight").says("every member has the weight 0");
    of("a weight below nothing", &weighed("-1")).only("bad-weight");
    of("half a weight", &weighed("0.5")).only("wrong-type");
    let text = talk("  constraint c { say \"c\" check count(word) > 1 }");
    for (shares, code) in [
        ("add 101%", "bad-weight"),
        ("add 60%  drop 60%", "weights-do-not-add-up"),
        ("add 0%  drop 0%  modify 0%", "weights-do-not-add-up"),
        ("add 0.00001%", "bad-weight"),
    ] {
        of(shares, &text.replace("add 50%  modify 40%  drop 10%", shares)).is(code);
    }
}

#[test]
fn templates_that_explode() {
    let said = |say: &str| {
        talk(&format!(
            "  constraint c {{\n    say \"\"\"{say}\"\"\"\n    check count(word) > 1\n  }}"
        ))
    };
    for (what, say) in [
        ("a long loop", "{% for i in range(1000000) %}x{% endfor %}"),
        (
            "loops in loops",
            "{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}",
        ),
        ("a long text", "{{ 'x' * 1000000000 }}"),
        ("a long format", "{{ '%999999999d' | format(1) }}"),
        ("a long indent", "{{ 'x' | indent(999999999) }}"),
        (
            "doubling",
            "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s | length }}",
        ),
        (
            "doubling lists",
            "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s | length }}",
        ),
        (
            "doubling in a loop",
            "{% set x = 'x' %}{% for i in range(60) %}{% set x = x ~ x %}{{ x | length }}{% endfor %}{{ nobody }}",
        ),
        (
            "doubling line by line",
            &format!("{{% set x = 'x' %}}{}{{{{ x | length }}}}", "{% set x = x ~ x %}".repeat(60)),
        ),
        (
            "doubling behind what only minijinja prints",
            &format!(
                "{{{{ 1.5 }}}}{{% set x = [1] %}}{}{{{{ x | pprint | length }}}}",
                "{% set x = [x, x] %}".repeat(60)
            ),
        ),
        (
            "catching text",
            &format!(
                "{{% set x = 'x' %}}{}{{{{ x | length }}}}",
                "{% set x %}{{ x }}{{ x }}{% endset %}".repeat(60)
            ),
        ),
        ("many slices", "{{ [1] | slice(1000000000) | length }}"),
        ("large batches", "{{ [1] | batch(1000000000, 'x') | list | length }}"),
        ("recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
        ("itself", "{% include 'g.c/say/0' %}"),
        ("the parent", "{% extends 'open.j2' %}"),
        ("another file", "{% include '/etc/passwd' %}"),
        ("a name nobody knows", "{{ nobody }}"),
        ("a division", "{{ 1 // 0 }}"),
        ("a tag that stays open", "{% if true %}x"),
        ("an end too many", "{% endfor %}"),
    ] {
        let fate = of(what, &said(say));
        let failed = !fate.codes.is_empty() || fate.draw.is_some();
        assert!(failed, "{what}: {:?}", fate.asks.iter().map(String::len).collect::<Vec<_>>());
    }
    let deep = Some("bad-template");
    for (what, say, code) in [
        (
            "deep parentheses",
            format!("{{{{ {}1{} }}}}", "(".repeat(20_000), ")".repeat(20_000)),
            deep,
        ),
        (
            "deep conditions",
            format!("{}x{}", "{% if true %}".repeat(20_000), "{% endif %}".repeat(20_000)),
            deep,
        ),
        ("deep lists", format!("{{{{ {} }}}}", "[".repeat(20_000)), deep),
        ("deep negations", format!("{{{{ {}1 }}}}", "not ".repeat(20_000)), None),
        ("a long sum", format!("{{{{ 1{} }}}}", " + 1".repeat(20_000)), None),
        ("a long chain", format!("{{{{ 'x'{} }}}}", " | upper".repeat(20_000)), None),
        ("many tags", "{{ 1 }}".repeat(50_000), None),
    ] {
        match (of(what, &said(&say)), code) {
            (fate, Some(code)) => _ = fate.is(code),
            (fate, None) => fate.good().draws(),
        }
    }
}

#[test]
fn patterns_that_explode() {
    let checked =
        |check: &str| talk(&format!("  constraint c {{\n    say \"c\"\n    check {check}\n  }}"));
    for (what, pattern) in [
        ("counted twice", "(a{1000}){1000}"),
        ("counted thrice", "((a{100}){100}){100}"),
        ("all letters", r"(\p{L}{500}){50}"),
        ("deep", &"(".repeat(5_000)),
        ("deep and closed", &format!("{}{}", "(".repeat(5_000), ")".repeat(5_000))),
    ] {
        of(what, &checked(&format!("matches(/{pattern}/)"))).is("bad-regex");
    }
    of("many ways", &checked("matches(/(a|a)*(a|a)*(a|a)*b/)")).good();
    of("an empty one", &checked("contains(regex \"\")")).is("bad-needle");
    of("a broken one", &checked("matches(/(/)")).is("bad-regex");
}

/// Each is refused once, by its size, before it fills the memory.
#[test]
fn more_than_a_scenario_may_take() {
    let doubled: String = (1..26).map(|at| format!("let a{at} = [a{0}, a{0}]\n", at - 1)).collect();
    let of = |what: &str, text: &str| of(what, &format!("ifs 1\n\n{text}")).only("too-large");
    of("doubled lists", &format!("let a0 = [1, 2]\n{doubled}")).says("the value of `a1");
    of("lists of lists", "let a = len(1..=100000 each (1..=100000 each it))\n").says("too long");
    let lets: String =
        (0..20).map(|at| format!("let u{at} = len(1..=900 each (1..=900 each 1))\n")).collect();
    let reported = of("many lists of lists", &lets).reported;
    assert_eq!(reported.matches("takes too long").count(), 1, "{reported}");
    let long = "x".repeat(60_000);
    let text = format!("ifs 1\n\nlet t = \"{long}\"\nlet u = join(1..=100000 each t)\n");
    self::of("a text of gigabytes", &text).says("the text is too long");
    // One bank, imported many times.
    let imports: String = (0..300).map(|at| format!("import b{at} \"b.jsonl\"\n")).collect();
    let lines: String =
        (0..12_000).map(|at| format!("{{\"name\": \"{at}{}\"}}\n", "x".repeat(990))).collect();
    let program = format!("ifs 1\n\n{imports}");
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("b.jsonl", &lines)]);
    let fate = of_world("one bank, 300 times", world).only("too-large");
    assert_eq!(fate.reported.matches("needs more than 512 MiB").count(), 1, "{}", fate.reported);
    // Small records take more than they look.
    let rows = format!("a,b\n{}", "1,2\n".repeat(2_000_000));
    let feed = "ifs 1\n\nfeed log {\n  read csv \"a.csv\"\n  column kind: text from \"a\"\n}\n";
    let world = MemoryWorld::new([("main.ifs", feed), ("a.csv", &rows)]);
    of_world("a feed of two million rows", world).only("too-large").says("`a.csv`");
}

/// Thousands of fields that only one record has.
#[test]
fn records_that_have_nothing_in_common() {
    let record = |at: usize| {
        let fields: Vec<String> = (0..50).map(|field| format!("\"f{at}_{field}\": 1")).collect();
        format!("{{\"name\": \"r{at}\", {}}}\n", fields.join(", "))
    };
    let lines: String = (0..800).map(record).collect();
    let inferred = |what: &str, lines: &str| {
        let world =
            MemoryWorld::new([("main.ifs", "ifs 1\n\nimport a \"a.jsonl\"\n"), ("a.jsonl", lines)]);
        of_world(what, world)
    };
    inferred("fields of their own", &lines).good();
    // A value that does not fit is reported for the first record with it, by field.
    let lines =
        "{\"a\": {\"b\": 1}}\n{\"a\": {}, \"c\": 1}\n{\"a\": {\"b\": [\"x\"]}, \"c\": \"x\"}\n";
    inferred("two types", lines)
        .only("bad-bank")
        .says("record 3, field `a.b` is list of text; above it is int");
}

/// More pairs that follow from one another than a person reads.
#[test]
fn constraints_that_all_follow_from_one_another() {
    let one = |n: usize| {
        format!("constraint c{n} {{ say \"At least {n} words.\" check count(word) >= {n} }}\n")
    };
    let all: String = (1..=60).map(one).collect();
    let program = format!(
        "ifs 1\n\n{all}import t \"t.jsonl\" {{ name: text  request: text }}\ndialogue d {{\n  topic from t\n  \
         start with 1 constraint\n  flow {{ stay at least 3 turns }}\n  evolve one per turn {{ add 100% }}\n  \
         end when turns >= 3\n}}\n"
    );
    let topics = "{\"name\": \"a\", \"request\": \"Why?\"}\n";
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("t.jsonl", topics)]);
    let fate = of_world("60 bounds of one count", world).good();
    assert_eq!(fate.reported.matches("already follows from").count(), 500);
}

#[test]
fn games_beyond_number() {
    let program = "ifs 1\n\nfeed games { simulate basketball 10000 }\n\
                   dialogue d over games as g { turn { ask \"Who is {{ g.name }}?\" } }\n";
    of("10,000 games", program).only("bad-number").says("from 1 to 1000 can");
}

#[test]
fn yaml_that_is_deep() {
    for (what, text) in [
        ("brackets", "[".repeat(200_000)),
        ("braces", format!("- name: {}", "{a: ".repeat(50_000))),
        ("dashes", "- ".repeat(100_000)),
        ("blanks", (0..3_000).map(|deep| format!("{}-\n", " ".repeat(deep))).collect()),
    ] {
        bank(what, "a.yaml", text).only("too-deep");
    }
    // What is in a text is not a nesting.
    let rule = "-".repeat(300);
    bank("a rule", "a.yaml", format!("- name: |\n    {rule}\n    [[[[ {{{{\n")).good();
}
