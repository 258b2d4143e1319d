//! The word lists of the grammars for editors, compared with the tables of the language. `IFS_BLESS=1`
//! writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ifs::predicate::functions;
use ifs::syntax::statement::{BLOCK_TABLE, TABLE};
use ifs::text::UNITS;

const GRAMMAR: &str = include_str!("../../grammar/ifs.pest");

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors")
}

/// The words of the language by the part that they have in it.
struct Words {
    statements: BTreeSet<&'static str>,
    /// Words of expressions, which cannot be names.
    operators: BTreeSet<&'static str>,
    /// The other fixed words.
    clauses: BTreeSet<&'static str>,
    units: BTreeSet<&'static str>,
    functions: BTreeSet<&'static str>,
}

fn words() -> Words {
    let statements: BTreeSet<&str> =
        TABLE.iter().map(|row| row.word).chain(BLOCK_TABLE.iter().map(|row| row.word)).collect();
    let reserved = GRAMMAR.split("reserved  = _{").nth(1).unwrap().split('}').next().unwrap();
    let operators: BTreeSet<&str> = reserved.split('"').skip(1).step_by(2).collect();
    let constants = ["true", "false"];
    let operators = operators.into_iter().filter(|word| !constants.contains(word)).collect();
    let keywords = GRAMMAR.lines().filter_map(|line| line.strip_prefix("k_"));
    let keywords = keywords.filter_map(|line| line.split('"').nth(1));
    let clauses: BTreeSet<&str> = keywords.collect();
    assert!(clauses.len() > 150, "{clauses:?}");
    let clauses = &(&clauses - &statements) - &operators;
    let units = UNITS.iter().map(|unit| unit.name.split('.').next().unwrap()).collect();
    let functions = functions::all().map(|function| function.name).collect();
    Words { statements, operators, clauses, units, functions }
}

/// Compares a file with what the tables say.
#[track_caller]
fn fresh(name: &str, wanted: &dyn Fn(&str) -> String) {
    let path = editors().join(name);
    let have = std::fs::read_to_string(&path).unwrap();
    let wanted = wanted(&have);
    if std::env::var_os("IFS_BLESS").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    assert!(
        have == wanted,
        "editors/{name} lacks words of the language, or has others; \
         `IFS_BLESS=1 cargo test --test suite editors` writes it"
    );
}

fn joined(words: &BTreeSet<&str>, between: &str) -> String {
    words.iter().copied().collect::<Vec<_>>().join(between)
}

/// Writes the pattern of a rule of the TextMate grammar, which is on the rule's line.
fn with_pattern(text: &str, scope: &str, pattern: &str) -> String {
    let mark = format!("\"name\": \"{scope}\", \"match\": \"");
    let (before, rest) = text.split_once(&mark).unwrap_or_else(|| panic!("no {scope}"));
    let (_, after) = rest.split_once("\" }").unwrap();
    format!("{before}{mark}{}\" }}{after}", pattern.replace('\\', "\\\\"))
}

#[test]
fn the_textmate_grammar_has_the_words_of_the_language() {
    let words = words();
    fresh("vscode/syntaxes/ifs.tmLanguage.json", &|text| {
        let any = |words| format!("\\b(?:{})\\b", joined(words, "|"));
        // `topic.name`, `reply:` and `count(…)` are names.
        let word = |words| format!("{}(?![.:(])", any(words));
        let patterns = [
            ("support.type.unit.ifs", format!("{}(?:\\.[a-z_]+\\b)?", any(&words.units))),
            ("keyword.control.statement.ifs", word(&words.statements)),
            ("keyword.operator.word.ifs", any(&words.operators)),
            ("keyword.other.clause.ifs", word(&words.clauses)),
            ("support.function.ifs", format!("{}(?=\\()", any(&words.functions))),
        ];
        patterns
            .iter()
            .fold(text.to_owned(), |text, (scope, pattern)| with_pattern(&text, scope, pattern))
    });
}

/// Writes the words of a list of a query: what is between its capture and its end.
fn with_list(text: &str, capture: &str, words: &BTreeSet<&str>) -> String {
    let mark = format!("(#any-of? @{capture}\n");
    let (before, rest) = text.split_once(&mark).unwrap_or_else(|| panic!("no {capture}"));
    let (_, after) = rest.split_once("\n  ))").unwrap();
    let mut lines = vec![String::from("   ")];
    for word in words {
        let last = lines.last_mut().unwrap();
        if last.len() + word.len() > 95 {
            lines.push(String::from("   "));
        }
        lines.last_mut().unwrap().push_str(&format!(" \"{word}\""));
    }
    format!("{before}{mark}{}\n  )){after}", lines.join("\n"))
}

#[test]
fn the_tree_sitter_queries_have_the_words_of_the_language() {
    let words = words();
    let keywords = &words.statements | &words.clauses;
    fresh("tree-sitter-ifs/queries/highlights.scm", &|text| {
        let text = with_list(text, "keyword", &keywords);
        let text = with_list(&text, "keyword.operator", &words.operators);
        let text = with_list(&text, "type", &words.units);
        with_list(&text, "function.builtin", &words.functions)
    });
}

/// Snippets are scenarios once their places are filled in.
#[test]
fn snippets_can_be_read() {
    let path = editors().join("vscode/snippets/ifs.json");
    let snippets: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let place = regex::Regex::new(r"\$\{\d+:((?:\\\}|[^}])*)\}|\$0").unwrap();
    let snippets = snippets.as_object().unwrap();
    assert!(snippets.len() >= 5);
    for (name, snippet) in snippets {
        let lines: Vec<&str> =
            snippet["body"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        let text = place.replace_all(&lines.join("\n"), "$1").replace("\\}", "}");
        let text = match name.as_str() {
            "written turn" => format!("ifs 1\ndialogue d {{\n{text}\n}}\n"),
            _ => format!("ifs 1\n{text}\n"),
        };
        let mut diagnostics = ifs::diagnostic::Diagnostics::default();
        ifs::syntax::parse(ifs::source::FileId::default(), &text, &mut diagnostics);
        assert!(diagnostics.list.is_empty(), "{name}: {:?}\n{text}", diagnostics.list);
    }
}

/// The server is a command of the program.
#[test]
fn the_program_serves_an_editor() {
    use std::io::Write as _;

    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let messages = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///nowhere/a.ifs","languageId":"ifs","version":1,"text":"ifs 2\ncheck"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///nowhere/a.ifs"},"position":{"line":0,"character":1}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ];
    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_ifs"))
        .arg("lsp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    for message in messages {
        input.write_all(frame(message).as_bytes()).unwrap();
    }
    drop(input);
    let output = server.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{out}");
    for wanted in ["\"hoverProvider\":true", "ifs::bad-edition", "\"id\":2", "\"id\":3"] {
        assert!(out.contains(wanted), "no {wanted} in {out}");
    }
}
