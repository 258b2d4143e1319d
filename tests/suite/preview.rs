//! `ifs preview`: the page that an author looks at before a release.

use std::fs;

use tempfile::TempDir;

use crate::cli::{self, Ran};

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
import topics "topics.jsonl" { name: text, request: text }
group length {
  constraint short(n: int in 5..=60) { say "At most {{ n }} words." check count(word) <= n }
  constraint long(n: int in 61..=120) { say "At least {{ n }} words." check count(word) >= n }
}
constraint calm { say "No exclamation." check every sentence: not contains("!") }
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue talk {
  topic from topics
  constraints from length, calm, kind
  start with 1 constraint
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 60%  modify 40% }
  end when turns >= 6
  variant brief { end when turns >= 2 }
}
flow ask_again {
  turn first { ask "What is new?" impose 1 from length scope dialogue }
  turn second follows first { ask "And what else?" require brief count(word) < 9 }
}
dialogue written {
  flow ask_again
}
dialogue asked over topics as topic {
  turn one { ask "{{ topic.request }}" answer "{{ topic.name }}" expect 1 "{{ topic.name }}" check contains(topic.name) }
}
"#;

const HOSTILE: &str = r#"</script><img src=x onerror=alert(1)>"#;

fn desk() -> TempDir {
    let folder = TempDir::new().unwrap();
    let names = ["tides", "kites", "snow", HOSTILE];
    let topics: String = names
        .iter()
        .map(|name| {
            let request = format!("Write about {name}.");
            format!("{}\n", serde_json::json!({ "name": name, "request": request }))
        })
        .collect();
    fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    folder
}

fn preview(folder: &TempDir, args: &[&str]) -> Ran {
    let all = [&["preview", "desk.ifs", "--sample", "20"][..], args].concat();
    cli::ifs(folder.path(), &all)
}

#[test]
fn preview_page_has_its_sections() {
    let folder = desk();
    let page = preview(&folder, &["-n", "20", "--turns", "6"]).ends(0).out;
    for part in [
        "<h1>desk 1.0</h1>",
        "other dialogues of this scenario: <code>-d written</code>",
        "id=\"warnings\"",
        "turns with a witness",
        // Coverage.
        "<caption>length</caption>",
        "Pairs of groups, by the turns on which both are active",
        "Topics, by dialogues",
        "Moves, by turns",
        // Declared and drawn.
        "<summary>constraints of length</summary>",
        "<summary>changes</summary>",
        "Distinct n-grams per token",
        "words of a user message",
        // The chats.
        "id=\"dialogue-19-turn-6\"",
        "<li class=\"added\">",
        "✓ satisfiable</span> by this witness",
        "No rule is active",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<article").count(), 20);
}

#[test]
fn preview_page_is_self_contained_and_escaped() {
    let folder = desk();
    let page = preview(&folder, &["-n", "20"]).ends(0).out;
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    for loaded in ["<script", "<img", "http://", "https://", "@import", "url(", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert!(page.contains("default-src 'none'"));
    for tag in [
        "table", "tr", "td", "th", "p", "section", "details", "article", "div", "ul", "li", "small",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn every_form_of_dialogue_has_a_page() {
    let folder = desk();
    let written = preview(&folder, &["-d", "written"]).ends(0).out;
    for part in ["follows 1", "Relations, by turns", "<code>requirement brief</code>"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let asked = preview(&folder, &["-d", "asked"]).ends(0).out;
    // A dialogue for each of the four records, and no repeats.
    assert_eq!(asked.matches("<article").count(), 4, "{asked}");
    assert!(asked.contains("<summary>Golden answer</summary>") && asked.contains("fact 1"));
    let brief = preview(&folder, &["--variant", "brief"]).ends(0).out;
    assert!(brief.contains("variant <b>brief</b>") && !brief.contains("-turn-3\""));
    let out = preview(&folder, &["-n", "1", "--out", "page.html"]).ends(0);
    assert!(out.out.is_empty() && out.err.contains("1 dialogue written to `page.html`"));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn preview_page_has_the_checkers_warnings() {
    let folder = desk();
    let clash = r#"constraint loud { say "Shout." check contains("!") }"#;
    let text = DESK.replace("constraint kind", &format!("{clash}\nconstraint kind"));
    let text = text.replace("length, calm, kind", "length, calm, loud, kind");
    fs::write(folder.path().join("desk.ifs"), text).unwrap();
    let page = preview(&folder, &["-n", "1"]).ends(0).out;
    let warned =
        page.split("id=\"warnings\"").nth(1).unwrap().split("id=\"coverage\"").next().unwrap();
    assert!(warned.contains("calm") && warned.contains("loud"), "{warned}");
    preview(&folder, &["-n", "0"]).ends(2);
    preview(&folder, &["-n", "501"]).ends(2);
}
