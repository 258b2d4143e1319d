//! Sessions of many edits: after each one, the diagnostics are those of the compiler for the same text.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::client::{Client, path, position, root, uri};
use ifs_base::diagnostic::Severity;
use ifs_base::world::{FolderWorld, ReadError, World};
use ifs_draw::program::find_in;
use serde_json::{Value, json};

/// A folder with one file that is not saved.
struct Unsaved<'t> {
    files: FolderWorld,
    name: &'t str,
    text: &'t str,
}

impl World for Unsaved<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        match name == self.name {
            true => Ok(self.text.as_bytes().to_vec()),
            false => self.files.read(name),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        self.files.list(folder)
    }
}

/// The diagnostics of a text in the place of a file: whether each is an error, its line and its message.
fn compiled(file: &Path, text: &str) -> BTreeSet<(bool, u64, String)> {
    let name = file.file_name().unwrap().to_str().unwrap();
    let files = FolderWorld::new(file.parent().unwrap()).unwrap();
    let found = find_in(&Unsaved { files, name, text }, name);
    let here = found.diagnostics.iter().filter_map(|diagnostic| {
        let line = match diagnostic.span() {
            Some(span) if found.sources.name(span.file) != name => return None,
            Some(span) => found.sources.line_column(span).0 as u64 - 1,
            None => 0,
        };
        let message = diagnostic.message.lines().next().unwrap_or("").to_owned();
        Some((diagnostic.severity == Severity::Error, line, message))
    });
    here.collect()
}

/// The same as the server published it; what follows the message is left out.
fn published(found: &[Value]) -> BTreeSet<(bool, u64, String)> {
    let one = |it: &Value| {
        let line = it["range"]["start"]["line"].as_u64().unwrap();
        (
            it["severity"] == 1,
            line,
            it["message"].as_str().unwrap().lines().next().unwrap().to_owned(),
        )
    };
    found.iter().map(one).collect()
}

/// What the server reports of the present text is what the compiler says of it.
#[track_caller]
fn fresh(client: &mut Client, file: &Path) {
    let found = published(&client.diagnostics(file));
    let wanted = compiled(file, client.text(file));
    let matches = |one: &(bool, u64, String), of: &BTreeSet<(bool, u64, String)>| {
        let is_it = |other: &(bool, u64, String)| {
            (one.0, one.1) == (other.0, other.1)
                && (one.2.starts_with(&other.2) || other.2.starts_with(&one.2))
        };
        of.iter().any(is_it)
    };
    for one in &found {
        assert!(matches(one, &wanted), "stale: {one:?}\n{wanted:?}");
    }
    for one in &wanted {
        assert!(matches(one, &found), "missing: {one:?}\n{found:?}");
    }
}

/// A copy of a shipped scenario: its folder and its file. Each test has its own.
fn copied(name: &str) -> (PathBuf, PathBuf) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let (folder, file) = name.rsplit_once('/').unwrap();
    let place = std::env::temp_dir().join(format!("ifs-lsp-{}-{number}", std::process::id()));
    _ = std::fs::remove_dir_all(&place);
    copy(&root().join("scenarios").join(folder), &place);
    (place.clone(), place.join(file))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => _ = std::fs::copy(entry.path(), target).unwrap(),
        }
    }
}

/// Retypes 500 characters of a shipped scenario, one key after the other.
#[test]
fn five_hundred_keystrokes() {
    const KEYSTROKES: usize = 500;
    let (folder, file) = copied("schreibstube/schreibstube.ifs");
    let mut client = Client::start(&folder);
    let original = client.open(&file).to_owned();
    fresh(&mut client, &file);
    let start = original.find("dialogue ").unwrap();
    let retyped: Vec<char> = original[start..].chars().take(KEYSTROKES).collect();
    assert_eq!(retyped.len(), KEYSTROKES);
    let end = start + retyped.iter().map(|letter| letter.len_utf8()).sum::<usize>();
    let places = (position(&original, start), position(&original, end));
    client.edit(&file, &places.0, &places.1, "");
    fresh(&mut client, &file);
    let mut at = start;
    for letter in retyped {
        let place = position(client.text(&file), at);
        client.edit(&file, &place, &place, &letter.to_string());
        at += letter.len_utf8();
        fresh(&mut client, &file);
    }
    assert_eq!(client.text(&file), original);
    assert!(!published(&client.diagnostics(&file)).iter().any(|one| one.0));
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const SNIPPETS: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "\"",
    "\"\"\"",
    "\n",
    "\r\n",
    " ",
    "//",
    "/",
    "{{ n }}",
    "😀",
    "ü",
    "n",
    ".",
    "turn ",
    "check ",
    "std.",
    "\u{FEFF}",
    "%",
    "}\n}\n",
    "use std.evolif.*\n",
    "\\",
];

/// Random edits, also within surrogate pairs and beyond lines, each followed by requests.
#[test]
fn random_edits() {
    const EDITS: usize = 120;
    let (folder, file) = copied("evolif/evolif.ifs");
    for seed in 1..=3 {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ seed);
        let mut client = Client::start(&folder);
        let text = std::fs::read_to_string(&file).unwrap().replacen("imports", "😀", 1);
        client.open_text(&file, &text);
        for edit in 0..EDITS {
            let lines = client.text(&file).lines().count();
            let line = numbers.below(lines + 2);
            let start = json!({ "line": line, "character": numbers.below(60) });
            let end = match numbers.below(3) {
                0 => json!({ "line": line + numbers.below(2), "character": numbers.below(60) }),
                _ => start.clone(),
            };
            let new = SNIPPETS[numbers.below(SNIPPETS.len())];
            client.edit(&file, &start, &end, if numbers.below(4) == 0 { "" } else { new });
            fresh(&mut client, &file);
            if edit % 6 == 0 {
                ask_everything(&mut client, &file, &start);
            }
        }
    }
}

fn ask_everything(client: &mut Client, file: &Path, place: &Value) {
    let params = json!({
        "textDocument": { "uri": uri(file) }, "position": place,
        "range": { "start": place, "end": place },
        "context": { "diagnostics": [], "includeDeclaration": true, "triggerKind": 1 },
        "options": { "tabSize": 2, "insertSpaces": true }, "newName": "renamed",
    });
    for method in [
        "completion",
        "hover",
        "definition",
        "references",
        "documentSymbol",
        "foldingRange",
        "codeLens",
        "semanticTokens/full",
        "inlayHint",
        "documentHighlight",
        "formatting",
        "codeAction",
    ] {
        client.request(&format!("textDocument/{method}"), params.clone());
    }
}

/// Renames every name of some scenarios, one by one: each time the scenario compiles as before.
#[test]
fn renamed_scenarios_compile() {
    let (mut renamed, mut refused) = (0, BTreeSet::new());
    for name in [
        "evolif/evolif.ifs",
        "intake/desk.ifs",
        "schreibstube/schreibstube.ifs",
        "support/support.ifs",
    ] {
        let (folder, file) = copied(name);
        let mut client = Client::start(&folder);
        let text = client.open(&file).to_owned();
        let warnings = compiled(&file, &text).len();
        let document = client.file(&file);
        let symbols = client.request("textDocument/documentSymbol", document);
        let mut places = Vec::new();
        collect(&symbols, &mut places);
        for (symbol, place) in places {
            let mut params = json!({ "textDocument": { "uri": uri(&file) }, "position": place });
            params["newName"] = json!(format!("{symbol}_renamed"));
            let response = client.respond("textDocument/rename", params);
            let Ok(edit) = response.response_result else {
                refused.insert(symbol);
                continue;
            };
            let mut texts = client.edited(&edit);
            let new = texts.remove(&file).unwrap();
            // Other files are written, since the compiler reads them from the disk.
            let saved: Vec<(PathBuf, String)> = texts
                .into_iter()
                .map(|(path, text)| {
                    let before = std::fs::read_to_string(&path).unwrap();
                    std::fs::write(&path, text).unwrap();
                    (path, before)
                })
                .collect();
            let found = compiled(&file, &new);
            assert!(found.len() == warnings, "{name}: {symbol}: {found:?}");
            for (path, before) in saved {
                std::fs::write(path, before).unwrap();
            }
            renamed += 1;
        }
    }
    assert!(renamed >= 60, "{renamed}");
    // Columns are fields of events, which only types tell from other fields.
    let columns = ["minutes", "player", "priority", "solved", "team", "text", "time"];
    assert_eq!(refused, columns.map(str::to_owned).into());
}

/// The names of an outline that can be renamed, with their places. Tags, dialogues and the like have names
/// that only reports use.
fn collect(symbols: &Value, places: &mut Vec<(String, Value)>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let name = symbol["name"].as_str().unwrap().to_owned();
        places.push((name, symbol["selectionRange"]["start"].clone()));
        collect(&symbol["children"], places);
    }
}

/// The mistakes of `tests/ui`, one file each: fixes that are offered work, and many are.
#[test]
fn fixes_of_first_mistakes() {
    let folder = root().join("tests/ui");
    let mut client = Client::start(&std::env::temp_dir().join("ifs-lsp-nowhere"));
    let (mut mistakes, mut fixed) = (0, 0);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let scenarios = files.iter().filter(|file| file.extension().is_some_and(|it| it == "ifs"));
    for file in scenarios.step_by(6) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        client.open_text(file, &text);
        let found = client.diagnostics(file);
        for diagnostic in &found {
            mistakes += 1;
            let params = json!({
                "textDocument": { "uri": uri(file) },
                "range": diagnostic["range"],
                "context": { "diagnostics": [diagnostic] },
            });
            let actions = client.request("textDocument/codeAction", params);
            let Some(action) = actions.as_array().and_then(|actions| actions.first()) else {
                let message = diagnostic["message"].as_str().unwrap();
                assert!(!message.contains("help: did you mean"), "{}: {message}", file.display());
                continue;
            };
            fixed += 1;
            let texts = client.edited(&action["edit"]);
            let after = compiled(file, &texts[file]);
            let of = published(std::slice::from_ref(diagnostic));
            assert!(
                !of.iter().any(|one| after.iter().any(|other| one.2.starts_with(&other.2))),
                "{}: {}\n{after:?}",
                file.display(),
                action["title"]
            );
        }
        client.close(file);
    }
    assert!(path(&uri(&folder)) == folder && mistakes >= 60, "{mistakes}");
    // Most helps are sentences about what the author wants; those that name an edit are edits.
    assert!(fixed * 5 >= mistakes, "{fixed} of {mistakes} mistakes have a fix");
    println!("{fixed} of {mistakes} mistakes have a fix");
}

/// How long it takes from a keystroke to its diagnostics: what docs/editors.md says.
#[test]
#[ignore = "it measures"]
#[expect(clippy::disallowed_methods, reason = "the time is what is measured")]
fn time_from_keystroke_to_diagnostic() {
    use std::time::{Duration, Instant};

    const KEYSTROKES: usize = 200;
    for name in ["mars/chinese.ifs", "mars/mars.ifs", "evolif/evolif.ifs"] {
        let (folder, file) = copied(name);
        let mut client = Client::start(&folder);
        let text = client.open(&file).to_owned();
        client.diagnostics(&file);
        let at = text.find("dialogue ").unwrap() + "dialogue ".len();
        let mut times: Vec<Duration> = Vec::new();
        for keystroke in 0..KEYSTROKES {
            let start = position(client.text(&file), at + keystroke);
            let before = Instant::now();
            client.edit(&file, &start, &start, "x");
            client.diagnostics(&file);
            times.push(before.elapsed());
        }
        times.sort();
        let lines = text.lines().count();
        let (median, last) = (times[KEYSTROKES / 2], times[KEYSTROKES * 99 / 100]);
        println!("{name}, {lines} lines: median {median:.1?}, 99 of 100 within {last:.1?}");
        assert_eq!(times.len(), KEYSTROKES);
    }
}
