//! Checks the documents: their examples compile, their tables are generated, and every part of the
//! grammar and every module is documented.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ifs::diagnostic::{Code, Severity};
use ifs::model::check;
use ifs::model::reference::{self, LibraryItemKind};
use ifs::predicate::functions;
use ifs::program::find_in;
use ifs::provider::Provider;
use ifs::syntax::statement::{BlockKind, DialogueForm, StatementPlace, TABLE, Times};
use ifs::testing::{TestOutcome, run_tests};
use ifs::text::UNITS;
use ifs::world::MemoryWorld;

/// The folder of the chapters of the language.
const LANGUAGE: &str = "docs/language";
/// The folder of the library's pages, one for each module.
const LIBRARY: &str = "docs/library";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The pages in a folder, sorted by name.
fn pages_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| name.ends_with(".md"));
    let mut pages: Vec<String> = pages.map(|name| format!("{folder}/{name}")).collect();
    pages.sort();
    assert!(pages.len() > 5, "{folder}: {pages:?}");
    pages
}

/// The text of all chapters of the language.
fn language() -> String {
    pages_in(LANGUAGE).iter().map(|page| read(page)).collect()
}

fn read(name: &str) -> String {
    let text = std::fs::read_to_string(root().join(name));
    text.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A fenced example: `ifs` is a scenario, `ifs,part:KIND` a part of one.
struct Fence {
    line: usize,
    info: String,
    text: String,
}

fn fences(name: &str) -> Vec<Fence> {
    let text = read(name);
    let mut fences: Vec<Fence> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                open = true;
                fences.push(Fence { line: at + 1, info: info.to_owned(), text: String::new() });
            }
            None if open => {
                if let Some(fence) = fences.last_mut() {
                    fence.text.push_str(line);
                    fence.text.push('\n');
                }
            }
            None => {}
        }
    }
    assert!(!open, "{name}: a fence is never closed");
    fences.retain(|fence| fence.info == "ifs" || fence.info.starts_with("ifs,"));
    fences
}

/// The surroundings of parts: banks, groups, templates.
const FRAME: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text  keywords: list of text }
import styles "styles.jsonl" { name: text  voice: text }
group length {
  constraint at_most(n: int in 30..=200) { say "{{ n }}." check count(word) <= n }
  constraint at_least(n: int in 1..=20) { say "{{ n }}." check count(word) >= n }
}
constraint calm { say "Be calm." check not contains("!") }
"#;

const FILES: [(&str, &str); 5] = [
    (
        "topics.jsonl",
        "{\"name\":\"a\",\"request\":\"A?\",\"keywords\":[\"b\",\"c\"]}\n{\"name\":\"b\",\"request\":\"B?\",\"keywords\":[]}\n",
    ),
    ("styles.jsonl", "{\"name\":\"plain\",\"voice\":\"plain\"}\n"),
    ("words/open.j2", "{{ topic.request }}"),
    ("system.j2", "Be kind."),
    ("judge.j2", "Is it so?"),
];

fn constraint(statements: &str) -> String {
    let has = |word: &str| statements.lines().any(|line| line.starts_with(word));
    let say = if has("say") { "" } else { "say \"So.\"\n" };
    let reading = if has("check") || has("judge") { "" } else { "check count(word) > 1\n" };
    let params = "n: int in 1..=9, words: 1..=3 of [\"a\", \"b\", \"c\"]";
    format!("constraint example({params}) {{\n{say}{reading}{statements}}}\n")
}

fn dialogue(statements: &str) -> String {
    let mut text = format!("dialogue example {{\n{statements}");
    let has = |word: &str| statements.lines().any(|line| line.starts_with(word));
    if !has("turn") {
        for (word, statement) in [
            ("topic", "topic from topics"),
            ("flow", "flow { switch 50% { new 50% backtrack 50% } }"),
            ("patience", if statements.contains("patience") { "patience 3" } else { "" }),
            ("end", "end when turns >= 9"),
        ] {
            if !has(word) {
                writeln!(text, "{statement}").unwrap();
            }
        }
    }
    text + "}\n"
}

/// Each line is a condition on a response.
fn conditions(lines: &str) -> String {
    let mut text = String::new();
    for (at, line) in lines.lines().enumerate() {
        writeln!(
            text,
            "constraint c{at}(n: int in 1..=9, terms: 1..=3 of [\"aa\", \"b\", \"c\"]) {{\n  \
             say \"{{{{ n }}}} {{{{ terms }}}}\"\n  check {line}\n}}"
        )
        .unwrap();
    }
    text
}

/// The files of an example; the first is the scenario.
fn files(fence: &Fence) -> Vec<(String, String)> {
    let part = match fence.info.strip_prefix("ifs,part:") {
        None => {
            let mut files: Vec<(String, String)> = Vec::new();
            for line in fence.text.lines() {
                if let Some(name) = line.strip_prefix("// file: ") {
                    files.push((name.to_owned(), String::new()));
                    continue;
                }
                if files.is_empty() {
                    files.push(("main.ifs".to_owned(), String::new()));
                }
                if let Some((_, text)) = files.last_mut() {
                    writeln!(text, "{line}").unwrap();
                }
            }
            return files;
        }
        Some("constraint") => constraint(&fence.text),
        Some("dialogue") => dialogue(&fence.text),
        Some("turn") => dialogue(&format!("turn example {{\n{}}}\n", fence.text)),
        Some("expr") => conditions(&fence.text),
        Some(other) => panic!("line {}: there is no kind of part `{other}`", fence.line),
    };
    let mut files = vec![("main.ifs".to_owned(), format!("{FRAME}{part}"))];
    files.extend(FILES.map(|(name, text)| (name.to_owned(), text.to_owned())));
    files
}

/// The errors of an example, with its position.
fn errors(document: &str, fence: &Fence) -> Vec<String> {
    let files = files(fence);
    let world = MemoryWorld::new(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let checked = find_in(&world, &files[0].0);
    let mut found = checked.diagnostics;
    let whole = !fence.info.contains("part:");
    // Unused items are allowed in examples.
    found.retain(|found| {
        found.severity == Severity::Error || (whole && found.code.name() != "unused-name")
    });
    let place = |found: &ifs::diagnostic::Diagnostic| {
        found.span().map_or("", |span| checked.sources.text(span)).to_owned()
    };
    let reported = |found: &ifs::diagnostic::Diagnostic| {
        format!("{document}:{}: {}: {} `{}`", fence.line, found.code, found.message, place(found))
    };
    found.iter().map(reported).collect()
}

#[test]
fn every_example_compiles() {
    let mut all = Vec::new();
    let single = [
        "docs/feeds.md",
        "docs/tutorial.md",
        "docs/cookbook.md",
        "docs/cookbook-dialogues.md",
        "README.md",
    ];
    for document in single {
        assert!(!fences(document).is_empty(), "{document} has no example");
    }
    let folders = [pages_in(LANGUAGE), pages_in(LIBRARY)].concat();
    let mut examples = 0;
    for document in folders.iter().map(String::as_str).chain(single) {
        let fences = fences(document);
        examples += fences.len();
        all.extend(fences.iter().flat_map(|fence| errors(document, fence)));
    }
    assert!(examples > 80, "{examples}");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The `test` blocks of the library's examples.
#[test]
fn library_examples_pass() {
    let (mut wrong, mut looked_at) = (Vec::new(), 0);
    let pages = pages_in(LIBRARY);
    for (page, fence) in
        pages.iter().flat_map(|page| fences(page).into_iter().map(move |fence| (page, fence)))
    {
        let files = files(&fence);
        let texts = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let model = check(&MemoryWorld::new(texts), &files[0].0).model.expect("no mistakes");
        for result in run_tests(&model) {
            looked_at += 1;
            if let TestOutcome::Otherwise(why) = &result.outcome {
                let said = if result.pass { "pass" } else { "fail" };
                let place = format!("{page}:{}", fence.line);
                wrong.push(format!("{place}: {said} {:?}: {why}", result.answer));
            }
        }
    }
    assert!(looked_at > 20, "{looked_at}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn words(text: &str) -> BTreeSet<&str> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).collect()
}

#[test]
fn every_keyword_has_an_example() {
    let chapters = pages_in(LANGUAGE);
    let examples: String =
        chapters.iter().flat_map(|page| fences(page)).map(|fence| fence.text).collect();
    let examples = words(&examples);
    let grammar = read("grammar/ifs.pest");
    let keywords: Vec<&str> = grammar
        .lines()
        .filter(|line| line.starts_with("k_"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert!(keywords.len() > 100, "{keywords:?}");
    let missing: Vec<&&str> =
        keywords.iter().filter(|keyword| !examples.contains(**keyword)).collect();
    assert!(missing.is_empty(), "in no example of {LANGUAGE}: {missing:?}");
}

/// The names in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The help of a scenario's only mistake, which has that code.
fn help_of(code: Code, files: &[(&str, &str)]) -> String {
    let found = check(&MemoryWorld::new(files.iter().copied()), "main.ifs").diagnostics;
    let mut mistakes = found.list.iter().filter(|one| one.code == code);
    let only = mistakes.next().unwrap_or_else(|| panic!("{code} is not in {:?}", found.list));
    only.help.clone().unwrap_or_default()
}

#[test]
fn every_template_name_and_voice_can_be_found() {
    let page = language();
    let known = |name: &str| page.contains(&format!("`{name}`"));
    let program = |statement: &str, line: &str| {
        format!(
            "ifs 1\nimport topics \"t.jsonl\" {{ name: text  request: text }}\n\
             import styles \"s.jsonl\" {{ name: text  voice: text }}\n\
             dialogue d {{ topic from topics {statement} flow {{ switch 50% }} end when turns >= 3 }}\n{line}"
        )
    };
    let topics = ("t.jsonl", "{\"name\":\"a\",\"request\":\"A?\"}\n");
    let styles = ("s.jsonl", "{\"name\":\"a\",\"voice\":\"none\"}\n");
    let empty = program("templates from \"w\"", "");
    let help = help_of(Code::UNREADABLE_FILE, &[("main.ifs", &empty), topics, styles]);
    let templates: Vec<&str> = quoted(&help).collect();
    assert!(templates.len() > 10 && templates.iter().all(|name| known(name)), "{templates:?}");
    let voiced = program("style from styles", "");
    let help = help_of(Code::UNKNOWN_VOICE, &[("main.ifs", &voiced), topics, styles]);
    let voices: Vec<&str> = quoted(&help).collect();
    assert!(voices.len() > 10 && voices.iter().all(|name| known(name)), "{voices:?}");

    // The fields that the page lists for templates exist.
    let section = page.split("## What a template sees").nth(1).unwrap_or_default();
    let table = section.split("\n\n").find(|block| block.starts_with('|')).unwrap_or_default();
    let first = |row: &str| row.split('|').nth(1).unwrap_or_default().to_owned();
    let cells: Vec<String> = table.lines().skip(2).map(first).collect();
    let names: Vec<&str> = cells.iter().flat_map(|cell| quoted(cell)).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let file = match name {
            "active" => "w/answer.j2",
            "missed" => "w/feedback.j2",
            _ => "w/open.j2",
        };
        let retried = program("templates from \"w\"", "");
        let text = format!("{{{{ {name} }}}}");
        let files = [("main.ifs", retried.as_str()), topics, styles, (file, text.as_str())];
        let found = check(&MemoryWorld::new(files), "main.ifs").diagnostics;
        let unknown = found.list.iter().find(|one| one.code == Code::UNKNOWN_NAME);
        assert!(unknown.is_none(), "{name}: {unknown:?}");
    }
}

#[test]
fn every_unit_and_function_can_be_found() {
    let text = language();
    let text = words(&text);
    let plain = UNITS.iter().map(|unit| unit.name).filter(|name| !name.contains('.'));
    let missing: Vec<&str> = plain.filter(|name| !text.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The text without fences and code spans: each ends at as many backticks as it begins with.
fn without_code(text: &str) -> String {
    let ticks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let (mut prose, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('`') {
        let (before, code) = rest.split_at(at);
        prose.push_str(before);
        let (fence, inner) = code.split_at(ticks(code));
        let mut ends = inner.match_indices(fence);
        let end = ends
            .find(|(at, _)| !inner[..*at].ends_with('`') && ticks(&inner[*at..]) == fence.len());
        rest = end.map_or(inner, |(at, _)| &inner[at + fence.len()..]);
    }
    prose + rest
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let chapters = pages_in(LANGUAGE);
    let single = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "docs/language.md",
        "docs/cookbook.md",
        "docs/formats.md",
        "docs/functions.md",
        "docs/glossary.md",
        "docs/library.md",
        "docs/judges.md",
        "docs/systems/structflowbench.md",
        "docs/cookbook-dialogues.md",
        "docs/comparing.md",
        "docs/metrics.md",
        "docs/models.md",
        "docs/runs.md",
        "docs/tutorial.md",
        "docs/units.md",
        "docs/synthesis.md",
    ];
    for document in chapters.iter().map(String::as_str).chain(single) {
        let text = read(document);
        let folder = root().join(document).parent().unwrap().to_owned();
        let prose = without_code(&text);
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") {
                continue;
            }
            if !file.is_empty() && !folder.join(file).exists() {
                broken.push(format!("{document}: {link}"));
            }
            if file.is_empty() && !anchors(&text).contains(anchor) {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The anchors of a document's headings, as code hosts generate them.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
        heading
            .chars()
            .filter(kept)
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect()
    };
    headings.map(anchor).collect()
}

// ---- the tour --------------------------------------------------------------------

/// The output of a command on both channels.
fn shown(command: &str, folder: &Path) -> Vec<String> {
    // `cargo run -- …` is the same command from the repository.
    let command = command.replace("cargo run -- ", "ifs ");
    let script = format!("ifs() {{ \"$IFS_BIN\" \"$@\"; }}\n{command}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder);
    shell.env("IFS_BIN", env!("CARGO_BIN_EXE_ifs")).env("COLUMNS", "90").env("NO_COLOR", "1");
    let output = shell.output().unwrap();
    let status = output.status.code();
    // The tour has one invalid input, and no others.
    let wanted = if command.contains("broken.ifs") && command.starts_with("ifs") { 3 } else { 0 };
    let mut reported = String::from_utf8_lossy(&output.stdout).into_owned();
    reported.push_str(&String::from_utf8_lossy(&output.stderr));
    assert_eq!(status, Some(wanted), "$ {command}\n{reported}");
    // The clock is no part of what a document says.
    let clock = regex::Regex::new(r"(started|ended) 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap();
    let reported = clock.replace_all(&reported, "$1 2026-11-28T09:00:00Z");
    reported.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The lines that an abbreviated part stands for: as many, from the first that begins with the same
/// text.
fn part(lines: &[String], quoted: &[&str]) -> std::ops::Range<usize> {
    let beginning = |line: &str| {
        line.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or("").to_owned()
    };
    let first = quoted.first().map_or(String::new(), |line| beginning(line));
    let at = lines.iter().position(|line| beginning(line).starts_with(&first)).unwrap_or(0);
    at..lines.len().min(at + quoted.len())
}

/// A `console` example with the actual output of its commands; `…` stands for omitted lines.
fn console(example: &str, folder: &Path) -> String {
    let mut out = String::new();
    for step in example.split("$ ").filter(|step| !step.is_empty()) {
        let mut lines = step.lines();
        let command = lines.next().unwrap_or("");
        writeln!(out, "$ {command}").unwrap();
        let printed = shown(command, folder);
        let quoted: Vec<&str> = lines.collect();
        if !quoted.contains(&"…") {
            printed.iter().for_each(|line| writeln!(out, "{line}").unwrap());
            continue;
        }
        for quoted in quoted.split(|line| *line == "…").filter(|quoted| !quoted.is_empty()) {
            let part = part(&printed, quoted);
            printed[part.clone()].iter().for_each(|line| writeln!(out, "{line}").unwrap());
            if part.end < printed.len() {
                out.push_str("…\n");
            }
        }
    }
    out
}

#[test]
fn tour_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    let evolif = root().join("scenarios/evolif");
    copy(&evolif, &folder.path().join("scenarios/evolif"));
    walk("README.md", folder.path());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(path, to).unwrap()),
        }
    }
}

#[test]
fn results_page_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("scenarios/evolif"), &folder.path().join("scenarios/evolif"));
    walk("docs/results.md", folder.path());
}

#[test]
fn tables_and_figures_of_the_papers_are_made() {
    let folder = tempfile::tempdir().unwrap();
    for system in ["evolif", "mars", "meeseeks", "mmmt", "structflowbench"] {
        let from = root().join("scenarios").join(system);
        copy(&from, &folder.path().join("scenarios").join(system));
    }
    walk("docs/figures.md", folder.path());
}

#[test]
fn tutorial_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/tutorial.md", folder.path());
}

#[test]
fn shrinking_page_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/shrinking.md", folder.path());
}

#[test]
fn batches_page_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/batches.md", folder.path());
}

#[test]
fn every_recipe_runs() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/cookbook.md", folder.path());
    walk("docs/cookbook-dialogues.md", folder.path());
}

#[test]
fn every_format_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/formats.md", folder.path());
}

#[test]
fn citing_page_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    walk("docs/citing.md", folder.path());
}

/// Runs a document: writes the files of its scenarios, and compares the output of its commands with
/// the quoted one.
fn walk(document: &str, folder: &Path) {
    let text = read(document);
    let mut wanted = String::new();
    for (at, piece) in text.split("```console\n").enumerate() {
        let (example, rest) = match at {
            0 => ("", piece),
            _ => piece.split_once("```\n").unwrap(),
        };
        if at > 0 {
            write!(wanted, "```console\n{}```\n", console(example, folder)).unwrap();
        }
        for program in rest.split("```ifs\n// file: ").skip(1) {
            let (program, _) = program.split_once("```\n").unwrap();
            for file in program.split("// file: ") {
                let (name, text) = file.split_once('\n').unwrap();
                let path = folder.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }
        wanted.push_str(rest);
    }
    fresh(document, &wanted);
}

// ---- written from tables ---------------------------------------------------------

/// Compares a document with the tables; `IFS_BLESS=1` writes it.
fn fresh(name: &str, wanted: &str) {
    let bless = std::env::var_os("IFS_BLESS").is_some();
    if bless {
        std::fs::write(root().join(name), wanted).unwrap();
        return;
    }
    let have = std::fs::read_to_string(root().join(name)).unwrap_or_default();
    assert!(
        have == wanted,
        "{name} is not what the program says; `IFS_BLESS=1 cargo test --test suite docs` writes it"
    );
}

/// Text for a cell or a sentence of Markdown.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for letter in text.chars() {
        match letter {
            '`' => code = !code,
            '|' => out.push('\\'),
            '*' | '_' | '<' | '[' if !code => out.push('\\'),
            _ => {}
        }
        out.push(letter);
    }
    out
}

/// The same for a text with fenced examples, which are unchanged.
fn plain_around_fences(text: &str) -> String {
    let parts = text.split("```").enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { plain(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("```")
}

/// An example as code; one with a backtick is between two.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[test]
fn the_page_of_functions_is_fresh() {
    let mut page = String::from(
        "# Functions\n\n\
         Written by a test from the table in `crates/ifs-predicate/src/functions`; do not change it by hand.\n\n\
         A function about a text takes the current text (`it`) unless one is given before its other\n\
         arguments: `starts_with(\"A\")` is `starts_with(it, \"A\")`. A `?` marks an argument that may be\n\
         left out; where that is a text, the one that the function is about is written in front of it:\n\
         `language(it, \"en\")`. An expression without a value fails the check that it is in. Names that end in\n\
         `_as_released` read an answer as a benchmark's published checker does, defects included.\n",
    );
    for function in functions::all() {
        let about = if function.subject { " (about a text)" } else { "" };
        write!(
            page,
            "\n## {}\n\n`{}`{about}\n\n{}\n",
            function.name,
            function.signature(),
            plain(function.doc)
        )
        .unwrap();
        if !function.examples.is_empty() {
            page.push_str("\n| expression | of | |\n| --- | --- | --- |\n");
        }
        for (expression, text, expected) in function.examples {
            let (expression, text) = (code(expression), code(&format!("{text:?}")));
            writeln!(page, "| {expression} | {text} | {} |", plain(&expected.to_string())).unwrap();
        }
    }
    fresh("docs/functions.md", &page);
}

/// The rows of the providers in docs/models.md are those of their table.
#[test]
fn the_table_of_providers_is_fresh() {
    let page = read("docs/models.md");
    let heading = "| `-m` | address | key |\n| --- | --- | --- |\n";
    let (before, table) = page.split_once(heading).unwrap();
    let end = table.find("| `openai-api/NAME/MODEL`").unwrap();
    let mut rows = String::new();
    for Provider { name, variables, base, needs_key, .. } in ifs::provider::PROVIDERS {
        let if_any = if *needs_key { "" } else { ", if there is one" };
        writeln!(
            rows,
            "| `{name}/MODEL` | `{variables}_BASE_URL`, else `{base}` | `{variables}_API_KEY`{if_any} |"
        )
        .unwrap();
    }
    fresh("docs/models.md", &format!("{before}{heading}{rows}{}", &table[end..]));
}

#[test]
fn the_pages_of_the_library_are_fresh() {
    let mut index = String::from(
        "# The library\n\n\
         Written by a test from the files of `scenarios/std` and their doc comments, like the page of each\n\
         module; do not change them by hand. `use std.evolif.*` takes all of a module, `use\n\
         std.evolif.length` one group. `ifs explain std.evolif.length` shows the same in the terminal. The page\n\
         of a module has for each constraint its parameters and their domains, one of its wordings, how it is\n\
         read, its aliases (its names in published data, for `impose called`), and an answer that passes and\n\
         one that fails.\n\n",
    );
    // The path and the text of the page of each module.
    let mut pages: Vec<(String, String)> = Vec::new();
    for entry in reference::entries() {
        if entry.kind == LibraryItemKind::Module {
            let module = entry.name.trim_start_matches("std.");
            writeln!(index, "* [{}](library/{module}.md)", entry.name).unwrap();
            pages.push((format!("{LIBRARY}/{module}.md"), String::new()));
        }
        let (_, page) = pages.last_mut().expect("a module comes before its items");
        let level = match entry.kind {
            LibraryItemKind::Module => "#",
            LibraryItemKind::Group(_)
            | LibraryItemKind::Flow(_)
            | LibraryItemKind::Function(_)
            | LibraryItemKind::Scene(..) => "\n##",
            LibraryItemKind::Constraint(_) => "\n###",
        };
        let name = entry.name.rsplit('.').next().unwrap_or(&entry.name);
        let name = if entry.kind == LibraryItemKind::Module { &entry.name } else { name };
        writeln!(page, "{level} {}", plain(name)).unwrap();
        if !entry.doc.is_empty() {
            write!(page, "\n{}\n", plain_around_fences(&entry.doc)).unwrap();
        }
        match &entry.kind {
            LibraryItemKind::Module | LibraryItemKind::Group(_) => {}
            LibraryItemKind::Function(written) => {
                write!(page, "\n```text\n{written}\n```\n").unwrap()
            }
            LibraryItemKind::Scene((width, height), questions) => {
                let questions = plain(&questions.join(", "));
                write!(page, "\n{width} by {height} pixels. Questions: {questions}.\n").unwrap();
            }
            LibraryItemKind::Flow(turns) => {
                write!(page, "\nTurns: {}.\n", plain(&turns.join(", "))).unwrap()
            }
            LibraryItemKind::Constraint(facts) => {
                page.push('\n');
                for (param, domain) in &facts.params {
                    writeln!(page, "* {}", inline(&format!("{param}: {domain}"))).unwrap();
                }
                for say in facts.say.iter().take(1) {
                    writeln!(page, "* says {}", inline(&format!("{say:?}"))).unwrap();
                }
                writeln!(page, "* {}", inline(&facts.by)).unwrap();
                for alias in &facts.aliases {
                    writeln!(page, "* {}", inline(alias)).unwrap();
                }
                for (word, example) in [("passes", &facts.pass), ("fails", &facts.fail)] {
                    let Some((args, answer)) = example else { continue };
                    let with = if args.is_empty() {
                        String::new()
                    } else {
                        format!(" with {}", inline(args))
                    };
                    writeln!(page, "* {word}{with}: {}", inline(&format!("{answer:?}"))).unwrap();
                }
            }
        }
    }
    fresh("docs/library.md", &index);
    for (name, page) in &pages {
        fresh(name, page);
    }
    let names: BTreeSet<String> = pages.into_iter().map(|(name, _)| name).collect();
    let found: BTreeSet<String> = pages_in(LIBRARY).into_iter().collect();
    assert_eq!(found, names, "a page without a module");
}

/// Code within a line of text, where `|` is not escaped.
fn inline(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if longest > 0 { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// A generated section of a page, between two marks.
fn section(name: &str, mark: &str, wanted: &str) {
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->\n"));
    let page = read(name);
    let (before, rest) = page.split_once(&open).unwrap();
    let (_, after) = rest.split_once(&close).unwrap();
    fresh(name, &format!("{before}{open}{wanted}{close}{after}"));
}

#[test]
fn the_table_of_statements_is_fresh() {
    let places = StatementPlace::ALL.map(|place| place.noun().split_once(' ').unwrap().1);
    let mut table = format!("| statement | {} | acts in |\n", places.join(" | "));
    table += &format!("|{}\n", " --- |".repeat(places.len() + 2));
    for row in TABLE {
        let form = row.form.replace('|', "\\|");
        write!(table, "| `{form}` |").unwrap();
        for place in StatementPlace::ALL {
            table += match row.times(place) {
                Some(Times::Once) => " once |",
                Some(Times::Many) => " many |",
                None => " |",
            };
        }
        let acts = match row.acts {
            [DialogueForm::Topics] => "flows of topics",
            [DialogueForm::Written] => "written turns",
            _ => "both",
        };
        writeln!(table, " {acts} |").unwrap();
    }
    table += "\n| statement | needs |\n| --- | --- |\n";
    for row in TABLE.iter().filter(|row| !row.needs.is_empty()) {
        let needs: Vec<&str> = row.needs.iter().map(|need| need.noun()).collect();
        writeln!(table, "| `{}` | {} |", row.form, needs.join(", and ")).unwrap();
    }
    section("docs/language/statements.md", "statements", &table);
}

#[test]
fn the_table_of_blocks_is_fresh() {
    let mut table = "| in | statement | effect |\n| --- | --- | --- |\n".to_owned();
    for block in BlockKind::ALL {
        for row in block.statements() {
            let [form, doc] = [row.form, row.doc].map(|text| text.replace('|', "\\|"));
            writeln!(table, "| {} | `{form}` | {doc} |", block.noun()).unwrap();
        }
    }
    section("docs/language/blocks.md", "blocks", &table);
}

#[test]
fn the_page_of_units_is_fresh() {
    let mut page = String::from(
        "# Units\n\n\
         Written by a test from the table in `crates/ifs-text/src/unit.rs`; do not change it by hand.\n\n\
         A plain name is the sensible reading. A name with a dot is another definition of the same\n\
         thing; `.released` and `.punkt` are those that published checkers use, defects included.\n",
    );
    for unit in UNITS {
        write!(
            page,
            "\n## {}\n\n{}\n\n| text | count |\n| --- | --- |\n",
            unit.name,
            plain(unit.doc)
        )
        .unwrap();
        for (text, count) in unit.examples {
            writeln!(page, "| {} | {count} |", code(&format!("{text:?}"))).unwrap();
        }
    }
    fresh("docs/units.md", &page);
}
