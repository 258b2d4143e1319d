//! Details of messages and reports: ends of sentences, blank lines, counts.

use std::fs;

use tempfile::TempDir;

use super::cli::ifs;

fn folder(scenario: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.ifs"), scenario).unwrap();
    let topics = "{\"name\": \"tides\", \"request\": \"Why are there tides?\"}\n";
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    folder
}

/// What a constraint says is a sentence of a message, also where its author wrote no full stop.
#[test]
fn sentences_of_a_message_end() {
    let folder = folder(
        r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
constraint short(n: int in 20..=40) { say "no more than {{ n }} words" check count(word) <= n }
constraint why { say "Why not end with a question?" check ends_with("?") }
dialogue talk {
  topic from topics
  start with 2 constraints
  flow { stay at least 9 turns }
  evolve one per turn { modify 100% }
  end when turns >= 3
}
dialogue written { turn one { ask "List some sheep." require many count(line) >= 3 say "three lines" } }
dialogue unasked {
  topic from topics
  flow { stay at least 9 turns  turn { require many count(line) >= 3 say "three lines" } }
  end when turns >= 1
}
"#,
    );
    let drawn = ifs(folder.path(), &["draw", "a.ifs", "-n", "3", "--no-witness"]).ends(0).out;
    assert!(drawn.contains("Why not end with a question?"), "{drawn}");
    assert_eq!(drawn.matches(" words\n").count(), 0, "{drawn}");
    let ended = drawn.matches(" words.").count();
    assert!(ended >= 9 && ended == drawn.matches(" words").count(), "{drawn}");
    let unasked = ifs(folder.path(), &["draw", "a.ifs", "-d", "unasked"]).ends(0);
    assert!(unasked.out.contains("hree lines."), "{}", unasked.out);
}

/// Paragraphs of a system message are separated by blank lines.
#[test]
fn a_system_message_of_paragraphs() {
    let folder = folder(
        "ifs 1\ndialogue d {\n  system \"One.\\n\\nTwo.\"\n  turn one { ask \"Say it.\\n\\nNow.\" }\n}\n",
    );
    let drawn = ifs(folder.path(), &["draw", "a.ifs"]).ends(0).out;
    assert!(drawn.contains("     system: One.\n     system: Two.\n     Say it.\n"), "{drawn}");
}

/// A list found in a response is counted, independent of the comparison.
#[test]
fn members_of_a_part_are_counted() {
    let folder = folder(
        r#"ifs 1
dialogue d {
  turn one {
    param k: int in 5..=6
    ask "List {{ k }} things."
    part lines: list from sentences
    require many len(lines) >= k say "at least {{ k }} things"
  }
}
"#,
    );
    let ran = ifs(folder.path(), &["run", "a.ifs", "-m", "sim/echo", "-n", "1", "--out", "out"]);
    let ran = ran.ends(0);
    assert!(ran.out.contains("many: the part “lines” has 1 item"), "{}", ran.out);
    assert!(ran.out.contains("it must have at least "), "{}", ran.out);
}

/// The messages of a user are not numbered like turns where feedback is one of them, and people do
/// not number what they said: turns quote the one that they go back to, wherever drawing begins.
#[test]
fn earlier_messages_are_quoted() {
    let scenario = |retry: &str| {
        format!(
            r#"ifs 1
import topics "topics.jsonl" {{ name: text  request: text }}
dialogue d {{
  topic from topics
  {retry}
  turn first {{ ask "Say \"why\" there are tides on the coast of a small round island." require a count(word) < 9 }}
  turn second {{ ask "And now?" require b count(word) < 9 }}
  turn third recalls first {{ require c count(word) < 9 say "Briefly." }}
  turn fourth summarizes first, third {{ require e count(word) < 9 say "Briefly." }}
}}
"#
        )
    };
    let quote = "\"Say 'why' there are tides on the coast of a …\"";
    for retry in ["", "retry up to 1 round with feedback as chat"] {
        let folder = folder(&scenario(retry));
        for from in [&[][..], &["--from", "3"]] {
            let args = [&["draw", "a.ifs", "--no-witness"][..], from].concat();
            let drawn = ifs(folder.path(), &args).ends(0).out;
            assert!(drawn.contains(&format!("Back to {quote}: ")), "{drawn}");
            assert!(drawn.contains(&format!("Sum up what you said so far on {quote}.")), "{drawn}");
        }
    }
}
