//! Dialogues of a run as chats: `ifs show`, and the browser in the HTML report.

use std::io::Read as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::read::GzDecoder;

use super::*;

const EVERY: &str = r#"ifs 1
benchmark wire { title "Wire" version "1.0.0" }
import topics "topics.jsonl" { name: text  request: text }
group length {
  constraint short(n: int in 2..=6) { say "Use at most {{ n }} words." check count(word) <= n }
}
constraint calm { say "No exclamation." check every sentence: not contains("!") }
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue talk {
  topic from topics
  constraints from length, calm, kind
  start with 3 constraints
  flow { stay at least 9 turns }
  evolve one per turn { modify 100% }
  end when turns >= 3
}
"#;

const LOUD: &str = "Two tides <script>alert(1)</script> come. Stop & look at them!";

const WHY: &str = "it </script> shouts, and is \
    a-word-that-is-longer-than-a-line-of-the-terminal-can-hold-without-a-break-in-it";

/// The model shouts, and the judge says so.
fn reply(asked: &Asked) -> Vec<Step> {
    match judges::is_judge(asked) {
        true => answer(&judges::verdict(asked, "no", 1).replace("plainly", WHY)),
        false => answer(LOUD),
    }
}

fn held() -> (TempDir, Server) {
    let server = Server::start(reply);
    let folder = scenario();
    std::fs::write(folder.path().join("wire.ifs"), EVERY).unwrap();
    super::run(&folder, &server, "3", &["--judge", "openai/j"]).ends(0);
    (folder, server)
}

/// What a command prints, and then its messages.
fn ifs(folder: &TempDir, server: &Server, args: &[&str], status: i32) -> (String, String) {
    let mut command = command(folder.path(), server, args);
    let output = command.env("COLUMNS", "80").output().unwrap();
    let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(status), "{texts:?}");
    texts.into()
}

#[test]
fn shown_transcripts_have_all_verdict_details() {
    let (folder, server) = held();
    let shown = ifs(&folder, &server, &["show", "out"], 0).0;
    for part in [
        "dialogue talk number 0, seed 1",
        "── turn 1",
        "+ calm",
        "user     │ ",
        // The sentence that the rule blames, and the verdict with its number.
        "⟦Stop & look at them!⟧1",
        "✗ calm ⟦1⟧",
        "✗ length.short (n: ",
        // What was found, and what was expected.
        "the response has ",
        "openai/j: no: it </script> shouts",
        " tokens",
        " in the request · ",
        " ms",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The long word of the judge is complete, over two lines.
    let joined: String = shown.split_whitespace().collect();
    let wanted: String = WHY.split_whitespace().collect();
    assert!(joined.contains(&wanted), "{shown}");
    let wide = shown.lines().filter(|line| line.chars().count() > 80);
    assert_eq!(wide.count(), 0, "{shown}");
}

#[test]
fn turns_are_selected() {
    let (folder, server) = held();
    let turns = |args: &[&str]| {
        let all = [&["show", "out"][..], args].concat();
        let shown = ifs(&folder, &server, &all, 0).0;
        (shown.matches("dialogue talk number").count(), shown.matches("── turn").count())
    };
    assert_eq!(turns(&[]), (3, 9));
    assert_eq!(turns(&["--dialogue", "1"]), (1, 3));
    assert_eq!(turns(&["--dialogue", "1", "--turn", "2"]), (1, 1));
    assert_eq!(turns(&["--failed"]), (3, 9));
    assert_eq!(turns(&["--constraint", "length", "--turn", "3"]), (3, 3));
    assert_eq!(turns(&["--constraint", "length.short", "--failed", "--turn", "3"]), (3, 3));
    let refused = |args: &[&str]| ifs(&folder, &server, &[&["show", "out"], args].concat(), 3).1;
    assert!(refused(&["--dialogue", "9"]).contains("the run has no dialogue 9"));
    assert!(refused(&["--dialogue", "9"]).contains("indices up to 2"));
    assert!(refused(&["--constraint", "lenght"]).contains("no turn of the run is selected"));
}

/// The chats in the chunks of a page.
pub fn chats(page: &str) -> String {
    let chunks = page.split("class=\"chunk\">").skip(1);
    let chunks = chunks.map(|rest| rest.split('<').next().unwrap());
    let mut all = String::new();
    for chunk in chunks {
        let bytes = BASE64_STANDARD.decode(chunk).unwrap();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut all).unwrap();
    }
    all
}

#[test]
fn a_report_has_every_dialogue_and_loads_nothing() {
    let (folder, server) = held();
    let page = ifs(&folder, &server, &["report", "out", "--format", "html"], 0).0;
    // Anything that is fetched or executed would need one of these.
    for loaded in ["http://", "https://", "src=", "@import", "<link", "<iframe"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    // The arrows of the plan are parts of the page.
    assert!(page.split("url(").skip(1).all(|rest| rest.starts_with('#')), "{page}");
    assert!(page.contains("The plan of the dialogue"), "{page}");
    assert!(page.contains("default-src 'none'; img-src data:"), "{page}");
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, page.matches("</script>").count());
    let nonce = page.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(page.matches(&format!("<script nonce=\"{nonce}\">")).count(), 1);
    let index = page.split("id=\"index\">").nth(1).unwrap().split("</script>").next().unwrap();
    let index: Value = serde_json::from_str(index).unwrap();
    assert_eq!(index["dialogues"].as_array().unwrap().len(), 3);
    assert_eq!(index["dialogues"][2]["n"], 2);
    assert_eq!(index["dialogues"][0]["v"], "✗✗✗");
    assert!(index["names"].as_array().unwrap().contains(&"length.short".into()), "{index}");

    let chats = chats(&page);
    for part in [
        "id=\"dialogue-1-turn-3\"",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<mark>Stop &amp; look at them!<sup>1</sup></mark>",
        "<code>length.short (n: ",
        "openai/j: no: it &lt;/script&gt; shouts",
        " ms</p>",
    ] {
        assert!(chats.contains(part), "{part}: {chats}");
    }
    assert!(!chats.contains("<script"), "{chats}");
    // The worst dialogues and their turns link to the browser.
    assert!(page.contains("<a href=\"#dialogue-0-turn-1\">turn 1</a>"), "{page}");
}

#[test]
fn several_runs_are_on_one_page() {
    let (folder, server) = held();
    let other = ["run", "wire.ifs", "-m", "openai/other", "-n", "2", "--judge", "openai/j"];
    let other = [&other[..], &["--retry-wait", "1ms", "--out", "second"]].concat();
    ifs(&folder, &server, &other, 0);
    let html = ["report", "out", "second", "--format", "html"];
    let page = ifs(&folder, &server, &html, 0).0;
    for part in [
        "<h1>2 runs</h1>",
        "openai/other</b>: wire 1.0.0",
        "<figcaption>Success rate by turn</figcaption>",
        "<details class=\"data\"><summary>Success rate by turn as a table",
        "<h3>openai/other</h3>",
        "With 95 % intervals over distinct dialogues",
        "<nav class=\"contents\" aria-label=\"On this page\">",
        "<table class=\"dots\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let index = page.split("id=\"index\">").nth(1).unwrap().split("</script>").next().unwrap();
    let index: Value = serde_json::from_str(index).unwrap();
    assert_eq!(index["runs"][1], "openai/other");
    let of = |run: u64| {
        let all = index["dialogues"].as_array().unwrap().iter();
        all.filter(|one| one["r"] == run).count()
    };
    assert_eq!((of(1), of(2)), (3, 2));
    assert!(chats(&page).contains("id=\"run-2-dialogue-1-turn-3\""));
    // Runs of one model are distinguished by their folders.
    let same = ["report", "out", "out", "--format", "html"];
    assert!(ifs(&folder, &server, &same, 0).0.contains("<b>openai/m (out)</b>"));
    let metric = [&html[..], &["--metric", "CSR"]].concat();
    assert!(ifs(&folder, &server, &metric, 2).1.contains("shows every metric"));
}
