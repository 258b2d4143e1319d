//! Typical first mistakes with a command: the error has the right kind, a position and a help.

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const SCENARIO: &str = "ifs 1\n\nimport topics \"topics.jsonl\"\n\n\
    group g { constraint c { say \"Name the cup.\" check contains(word \"cup\") } }\n\n\
    dialogue d {\n  topic from topics\n  constraints from g\n  start with 1 constraint\n  \
    scope topic unsaid\n  FLOW\n  end when turns >= 3\n}\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("good.ifs", &SCENARIO.replace("FLOW", "flow { stay at least 9 turns }"));
    put("topics.jsonl", "{\"name\": \"tea\", \"request\": \"Why?\"}\n");
    put("empty.ifs", "");
    put("empty.jsonl", "");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    folder
}

/// The exit status, and what is printed.
fn ifs(at: &Path, args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(at).args(args).stdin(Stdio::null()).env("COLUMNS", "80");
    let output = command.output().unwrap();
    let all = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!all.contains("panicked") && !all.contains("os error"), "{args:?}: {all}");
    (output.status.code().unwrap(), all)
}

#[test]
fn missing_empty_and_directory_files() {
    let folder = folder();
    for (args, says) in [
        (
            &["check", "godo.ifs"][..],
            "did you mean `good.ifs`? `ifs new NAME` writes a first scenario",
        ),
        (&["check", "empty.ifs"], "begin with `ifs 1`"),
        (&["check", "folder"], "there is no scenario in the folder `folder`"),
        (&["draw", "godo.ifs"], "did you mean `good.ifs`?"),
        (&["fmt", "godo.ifs"], "`godo.ifs`: there is no such file"),
        (&["grade", "empty.jsonl"], "there is no row in `empty.jsonl`"),
        (&["grade", "godo.jsonl"], "`godo.jsonl` cannot be read: there is no such file"),
        (&["grade", "folder"], "it is a folder; name a file in it"),
        (&["review", "godo"], "`ifs synthesize` and `ifs construct` write such files"),
        (&["review", "folder"], "it is a folder; name a file in it"),
        (&["review", "good.ifs"], "its first line does not say what it contains"),
        (&["compare", "--marks", "godo"], "there is no such file"),
        (&["import", "structflowbench", "folder", "--out", "x"], "it is a folder"),
        (&["feed", "check", "godo"], "there is no such file"),
        (&["feed", "check", "topics.jsonl"], "feed NAME { read jsonl \"topics.jsonl\" column … }"),
        (&["score", "folder"], "it has no run.json"),
        (&["explain", "ifs::syntx"], "did you mean `syntax`?"),
        (&["man", "good.ifs"], "`good.ifs` is a file, and the pages need a folder"),
        (&["debug", "ast", "godo.ifs"], "there is no such file"),
    ] {
        let (status, reported) = ifs(folder.path(), args);
        let words: Vec<&str> = reported.split_whitespace().collect();
        assert!(words.join(" ").contains(says), "{args:?}: no `{says}` in\n{reported}");
        assert_eq!(status, 3, "{args:?}: {reported}");
        // Totals of no rows are not a result.
        assert!(!reported.contains("0 answers"), "{args:?}: {reported}");
    }
    for args in [
        &["draw", "good.ifs", "--turns", "0"][..],
        &["draw", "good.ifs", "--release", "-n", "3000000000"],
        &["run", "good.ifs", "-n", "3000000000"],
        &["check", "good.ifs", "--deep", "--sample", "3000000000"],
    ] {
        let (status, reported) = ifs(folder.path(), args);
        assert_eq!(status, 2, "{args:?}: {reported}");
    }
}

#[test]
fn a_flow_on_one_line_with_a_word_misspelt() {
    let folder = folder();
    for (flow, says, at) in [
        ("flow { switch 50% { new 70%  backtrak 30% } }", "did you mean `backtrack`?", ":12:32]"),
        ("flow { stay 3 turns }", "expected `at`, found `3`", ":12:15]"),
    ] {
        std::fs::write(folder.path().join("a.ifs"), SCENARIO.replace("FLOW", flow)).unwrap();
        let (status, reported) = ifs(folder.path(), &["check", "a.ifs"]);
        assert_eq!(status, 3, "{reported}");
        assert!(
            reported.contains(says) && reported.contains(at),
            "no `{says}`, `{at}` in\n{reported}"
        );
        assert!(!reported.contains("broken"), "{reported}");
        assert!(reported.contains("1 error, 0 warnings"), "{reported}");
    }
}

/// A log of one's own: a column that some records lack, and times as milliseconds since 1970.
#[test]
fn logs_with_gaps_and_timestamps() {
    let folder = folder();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put(
        "log.jsonl",
        "{\"at\": 1714550400000, \"text\": \"one\", \"note\": \"first\"}\n\
         {\"at\": 1714550461000, \"text\": \"two\"}\n\
         {\"at\": 1714550462500, \"text\": \"three\", \"note\": \"last\"}\n",
    );
    put(
        "log.ifs",
        "ifs 1\n\nfeed logs {\n  read jsonl \"log.jsonl\"\n  column time: clock from \"at\"\n  \
         column text: text from \"text\"\n  column note: text from \"note\"\n}\n\n\
         dialogue d over logs as log {\n  let notes = join(log.plays each it.note, \", \")\n  \
         turn { ask \"What of {{ notes }}?\" }\n}\n",
    );
    let (status, reported) = ifs(folder.path(), &["draw", "log.ifs"]);
    assert!(status == 0 && reported.contains("What of first, last?"), "{reported}");
    let (_, reported) = ifs(folder.path(), &["feed", "show", "log.ifs", "--format", "jsonl"]);
    let times: Vec<i64> = reported
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["time"].as_i64().unwrap()
        })
        .collect();
    assert_eq!(times, [0, 61_000, 62_500]);
    let (_, reported) = ifs(folder.path(), &["feed", "show", "log.ifs"]);
    assert!(reported.contains("note: first") && !reported.contains("nothing"), "{reported}");
}
