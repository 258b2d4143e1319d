//! Untrusted text (a scenario, a bank, a feed, a server, a model) is printed without control
//! characters and invisible characters: by every command, in results and in messages.

use std::io::Write as _;

use super::server::error;
use super::*;

/// A window title, a cleared screen, a C1 colour, reversed or hidden text, a carriage return, a
/// backspace, and a NUL.
const STRANGE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{61c}\u{200f}\u{2066}\u{feff}\u{8}\u{7f}\u{85}end";

const HOSTILE: &str = r#"ifs 1

/// A doc comment @@.
benchmark wire { title "Wire @@" version "1.0.0@@" }

import topics "topics.jsonl" { name: text  request: text }

feed logs {
  read   jsonl "log.jsonl"
  column time: clock from "time"
  column text: text from "text"
  column who: text from "@@who"
}

/// Short @@.
group length {
  constraint short(n: int in 5..=9) {
    say "Use at most {{ n }} words @@."
    change "At most {{ n }} words from now on."
    withdraw "The length no longer matters."
    check count(word) <= n
  }
  constraint kind { say "Be kind @@." judge "Is it kind @@?" }
}

scene plain 20 by 20 {
  draw rect { x: 0, y: 0, width: 9, height: 9, fill: "red" }
}

dialogue talk {
  topic from topics
  constraints from length
  start with 1 constraint
  scope topic says "Keep to it @@."
  flow { stay at least 9 turns }
  evolve one per turn { modify 100% }
  end when turns >= 2
}

dialogue live over logs as log {
  let texts = join(log.plays each it.text, " ")
  turn one {
    ask "What of {{ texts }} {{ log.name }}?"
    answer "They don't say {{ texts }}."
    expect 1 "says what they don't @@" check contains("don't")
  }
}

audit {
  minds preamble in length because "only so many words @@"
  floor 9% of salad in talk because "talk @@"
}
"#;

/// Whether a terminal would interpret a character instead of printing it.
fn obeyed(letter: char) -> bool {
    matches!(letter, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}'
        | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[track_caller]
fn shown(what: &[&str], output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    let all = String::from_utf8(all).unwrap();
    assert!(!all.contains("panicked"), "{what:?}: {all}");
    let found: Vec<char> = all.chars().filter(|letter| obeyed(*letter)).collect();
    assert!(found.is_empty(), "{what:?}: {found:?} in\n{all:?}");
    all
}

fn hostile() -> TempDir {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text.replace("@@", STRANGE)).unwrap();
    };
    put("wire.ifs", HOSTILE);
    let record = |name: &str| {
        let name = format!("{name} {STRANGE}\r");
        serde_json::json!({ "name": name, "request": format!("Why are there {name}?") }).to_string()
    };
    put(
        "topics.jsonl",
        &format!("{}\n{}\n{}\n", record("tides"), record("leaves"), record("bread")),
    );
    let event = |time: &str, text: &str| {
        let text = format!("={text}{STRANGE}");
        serde_json::json!({ "time": time, "text": text, format!("{STRANGE}who"): STRANGE })
            .to_string()
    };
    put("log.jsonl", &format!("{}\n{}\n", event("0:01", "one"), event("0:02", "two")));
    put(
        "broken.ifs",
        "ifs 1\n\nimport @@ \"x\"\nlet a = \"@@\" +\ngroup g { constraint c { say \"{{ @@ }}\" check b@@ } }\n",
    );
    put("bad.jsonl", "{\"name\": \"@@\"\n");
    put("labels.csv", "dialogue,index,turn,constraint,label\n@@,0,1,@@,@@\n");
    put("marks.csv", "judge,model,item,mark\n@@,@@,@@,@@\n");
    let rows = [
        serde_json::json!({ "key": STRANGE, "answer": STRANGE, "constraint": STRANGE }),
        serde_json::json!({ "answer": STRANGE, "constraint": "length.short", "args": { "n": 5 } }),
    ];
    put("rows.jsonl", &format!("{}\n{}\n", rows[0], rows[1]));
    folder
}

#[test]
fn no_command_prints_control_characters() {
    let server = Server::start(|asked| match asked.number % 9 {
        8 => error("500 Internal Server Error", &[], STRANGE),
        _ => answer(&format!("Yes {STRANGE}\r\u{1b}[31m\n{}", asked.number)),
    });
    let folder = hostile();
    let at = folder.path();
    let mut seen: Vec<&str> = Vec::new();
    let mut ran = |args: &[&'static str], input: &str| {
        let mut command = command(at, &server, args);
        command.env("COLUMNS", "80").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // A command that reads no input may exit before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        seen.push(args[0]);
        shown(args, &output)
    };
    let run = ["run", "wire.ifs", "-n", "3", "--retry-wait", "1ms", "--judge", "sim/judge"];
    let one = [&run[..], &["-m", "openai/m", "--out", "out"]].concat();
    let other = [&run[..], &["-m", "openai/other", "--out", "other"]].concat();
    let strange = "openai/\u{1b}[31m\u{202e}";
    let words = ["synthesize", "wire.ifs", "--synthesizer", "openai/writer", "--checker", "rules"];
    let words =
        [&words[..], &["-n", "2", "--tries", "1", "--retry-wait", "1ms", "--out", "w"]].concat();
    let construct = ["construct", "wire.ifs", "--planner", "openai/a", "--writer", "openai/b"];
    let more = ["--extractor", "openai/c", "-n", "1", "--retry-wait", "1ms", "--out", "talks"];
    let construct = [&construct[..], &more].concat();
    for args in [
        &["new", "\u{1b}[2Jnew"][..],
        &["check", "wire.ifs"],
        &["check", "wire.ifs", "--deep", "--sample", "2"],
        &["check", "broken.ifs", "wire\u{1b}[2J\u{202e}.ifs"],
        &["fmt", "--check", "wire.ifs", "broken.ifs"],
        &["test", "wire.ifs"],
        &["test", "broken.ifs"],
        &["explain", "\u{1b}[2J\u{202e}"],
        &["explain", "wire.ifs"],
        &["graph", "wire.ifs", "-d", "\u{1b}[2J"],
        &["draw", "wire.ifs"],
        &["preview", "wire.ifs", "-n", "2", "--sample", "2"],
        &["lock", "wire.ifs"],
        &["lock", "broken.ifs"],
        &["lsp"],
        &["diff", "wire.ifs", "\u{1b}[2J\u{202e}.ifs"],
        &["diff", "wire.ifs", "wire.ifs"],
        &["secret", "\u{1b}[2Jkey"],
        // The key that it prints is data for programs, too.
        &["reveal", "\u{1b}[2J\u{202e}", "--epoch", "one"],
        &["release", "wire.ifs", "-n", "1", "--out", "set"],
        &["verify", "set", "--scenario", "broken.ifs"],
        &["key", "\u{1b}[2Jsign"],
        &["sign", "set", "--key", "\u{1b}[2Jsign"],
        &["verify", "set", "--public", "\u{1b}[2Jsign.pub"],
        &["power", "wire.ifs", "--strengths", "0.5", "0.7", "--sample", "5"],
        &["power", "wire.ifs", "--moved", "1.2", "--sample", "5"],
        &["verify", "\u{1b}[2J\u{202e}", "--scenario", "wire.ifs"],
        &["open", "set", "--number", "0"],
        &["compare-sets", "set", "rows.jsonl"],
        &["equate", "run", "\u{1b}[2J\u{202e}"],
        &["prove", "wire.ifs"],
        &["prove", "wire.ifs", "-d", "live"],
        &["audit", "wire.ifs", "-n", "3", "--all"],
        &["audit", "wire.ifs", "-n", "3", "--show", "curly"],
        &["audit", "wire.ifs", "--show", "\u{1b}[2J\u{202e}"],
        &["audit", "wire.ifs", "-n", "1", "--judge", "openai/j", "--retry-wait", "1ms"],
        &["draw", "wire.ifs", "-d", "live"],
        &["scene", "wire.ifs"],
        &one,
        &other,
        &["run", "wire.ifs", "-m", strange],
        &["run", "wire.ifs", "--dry-run"],
        &words,
        &construct,
        &["score", "out", "--allow-incomplete"],
        &["report", "out"],
        &["report", "out", "--format", "markdown"],
        &["report", "out", "--format", "latex"],
        &["report", "out", "--format", "junit"],
        &["report", "out", "other", "--format", "markdown"],
        &["gate", "out", "--fail-under", "CSR=0.5"],
        &["schema", "\u{1b}[2J\u{202e}"],
        // `turn next` writes data for programs, which keeps every byte.
        &["turn", "take", "\u{1b}[2J\u{202e}hand", "bad.jsonl"],
        &["runs", "merge", "\u{1b}[2J\u{202e}", "--out", "\u{1b}[2J\u{202e}merged"],
        &["gate", "out", "--fail-under", "\u{1b}[2J\u{202e}=0.5"],
        &["show", "out"],
        &["view", "\u{1b}[2J\u{202e}"],
        &["shrink", "out", "--all", "--repeats", "1", "--trials", "3"],
        &["report", "\u{1b}[2J\u{202e}"],
        &["compare", "out", "other", "--allow-incomplete"],
        &["compare", "--marks", "marks.csv"],
        &["agreement", "out", "--labels", "labels.csv"],
        &["grade", "rows.jsonl", "--with", "wire.ifs", "--totals"],
        &["import", "structflowbench", "bad.jsonl", "--out", "imported"],
        &["import", "dialogues", "talks", "--out", "imported"],
        &["feed", "check", "wire.ifs"],
        &["feed", "show", "wire.ifs"],
        &["feed", "check", "log.jsonl", "bad.jsonl"],
        &["completions", "\u{1b}[2J\u{202e}"],
        &["man", "man"],
        &["debug", "model", "broken.ifs"],
        &["\u{1b}[2J\u{202e}", "--\u{9b}x"],
    ] {
        ran(args, "");
    }
    let reported = ran(&["review", "w", "--all"], "e\nnew words\n.\na\nr\ns\nq\n");
    assert!(reported.contains("[a]ccept"), "{reported}");
    // No command is left out.
    let help = command(at, &server, &["--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.len() > 20, "{commands}");
    for name in names {
        assert!(seen.contains(&name), "`{name}` was not tried");
    }
    // The run was real: the responses are in its files unchanged.
    assert!(transcripts(&folder).iter().any(|it| it.to_string().contains("owned")));
}

/// A spreadsheet would run them.
#[test]
fn no_export_has_a_cell_that_is_a_formula() {
    let server = Server::start(|asked| answer(&format!("=SUM({})", asked.number)));
    let folder = hostile();
    std::fs::write(folder.path().join("wire.ifs"), HOSTILE.replace("@@", "")).unwrap();
    let topics = TOPICS.replace(r#"{"name": ""#, r#"{"name": "=1+1 "#);
    std::fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    let log = "{\"time\": \"0:01\", \"text\": \"=one\", \"who\": \"@two\"}\n\
               {\"time\": \"0:02\", \"text\": \"-2\", \"who\": \"+three\"}\n";
    std::fs::write(folder.path().join("log.jsonl"), log).unwrap();
    super::run(&folder, &server, "2", &["--judge", "sim/judge"]).ends(0);
    let more = ["--judge", "sim/judge", "--retry-wait", "1ms"];
    let other = ["run", "wire.ifs", "-m", "openai/m", "-n", "2", "--out", "=other"];
    let other = [&other[..], &more].concat();
    Ran::of(command(folder.path(), &server, &other).output().unwrap()).ends(0);
    for (args, wanted) in [
        (&["report", "out", "--format", "csv"][..], "'=1+1 "),
        (&["feed", "show", "wire.ifs", "--format", "csv"], "'@two"),
        (&["compare", "out", "=other", "--format", "csv"], ""),
    ] {
        let output = command(folder.path(), &server, args).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let cells: Vec<String> = reader
            .records()
            .flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        assert!(cells.len() > 20, "{args:?}: {text}");
        let formula = |cell: &&String| {
            cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
        };
        assert_eq!(cells.iter().find(formula), None, "{args:?}");
        assert!(
            wanted.is_empty() || cells.iter().any(|cell| cell.starts_with(wanted)),
            "{args:?}: {text}"
        );
    }
}
