//! What reports say of parts: slices of turns and of variants, units of metrics, and how the output of
//! commands names what a dialogue has.

use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::cli::ifs;

const GOOD: i32 = 0;
const INPUT: i32 = 3;

const TOPICS: &str = r#"{"name":"tides","request":"Why are there two tides a day?"}
{"name":"yeast","request":"What does yeast do in a dough?"}
{"name":"moss","request":"Where does moss grow?"}
"#;

const HEAD: &str = r#"ifs 1
use std.metrics.*
import topics "topics.jsonl" { name: text  request: text }
group length { constraint short(n: int in 4..=9) { say "At most {{ n }} words." check count(word) <= n } }
"#;

fn folder(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.ifs"), format!("{HEAD}{text}")).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    folder
}

fn json(at: &Path, file: &str) -> Json {
    serde_json::from_str(&std::fs::read_to_string(at.join(file)).unwrap()).unwrap()
}

/// Slices are left out where there are none.
fn names(scores: &Json) -> Vec<&str> {
    let slices = scores["slices"].as_array().into_iter().flatten();
    slices.map(|one| one["name"].as_str().unwrap()).collect()
}

fn metric<'j>(of: &'j Json, name: &str) -> &'j Json {
    let all = of["metrics"].as_array().unwrap();
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn turn_slices_follow_topics() {
    let folder = folder(
        r#"dialogue talk {
          topic from topics
          start with 1 constraint
          report ISR by topic.name
          flow { switch 60% { new 50%  backtrack 50% } }
          end when turns >= 8
          variant counted { report ISR by to_text(turn) }
          variant plain { report ISR }
        }
        dialogue still {
          topic from topics
          start with 1 constraint
          report ISR, mean_over_slices by topic.name
          turn a { }
          turn b follows a { ask "And then?" }
        }"#,
    );
    let at = folder.path();
    let drawn = ifs(at, &["draw", "a.ifs", "-n", "3", "--format", "jsonl"]).ends(GOOD).out;
    let mut topics = Vec::new();
    for line in drawn.lines() {
        let turn: Json = serde_json::from_str(line).unwrap();
        assert_eq!(turn["slice"], turn["topic"], "{line}");
        topics.push(turn["topic"].as_str().unwrap().to_owned());
    }
    topics.sort();
    topics.dedup();
    assert!(topics.len() > 1);
    let run = |more: &[&str], out: &str| {
        let args = [&["run", "a.ifs", "-m", "sim/oracle", "-n", "3", "--out", out], more].concat();
        ifs(at, &args).ends(GOOD).out
    };
    let text = run(&[], "by-topic");
    assert!(text.contains("By slice: topic.name"), "{text}");
    assert_eq!(names(&json(at, "by-topic/scores.json")), topics);
    run(&["--variant", "counted"], "by-turn");
    let wanted = ["1", "2", "3", "4", "5", "6", "7", "8"];
    assert_eq!(names(&json(at, "by-turn/scores.json")), wanted);
    // A restated report has the parts that it names, which are none here.
    run(&["--variant", "plain"], "plain");
    assert!(names(&json(at, "plain/scores.json")).is_empty());
    // One topic throughout: the dialogues have the slice.
    run(&["-d", "still"], "still");
    let still = json(at, "still/scores.json");
    assert!(metric(&still, "mean_over_slices")["value"].is_number(), "{still}");
    // Tables of other formats have the parts, too.
    let report = |format: &str| ifs(at, &["report", "by-topic", "--format", format]).ends(GOOD).out;
    assert!(report("markdown").contains("| tides "), "{}", report("markdown"));
    assert!(report("latex").contains("tides & "), "{}", report("latex"));
    let rows = report("csv");
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let column = rows.headers().unwrap().iter().position(|name| name == "slice").unwrap();
    assert!(
        rows.records()
            .all(|row| topics.iter().any(|topic| *topic == row.as_ref().unwrap()[column]))
    );
}

/// A parameter of the dialogue gives parts of dialogues wherever it is written, and a variant's report
/// without `by` has none.
#[test]
fn a_variant_replaces_the_report() {
    let folder = folder(
        r#"dialogue talk {
          report ISR by to_text(n)
          param  n: int in 1..=3
          impose 1 from length
          turn a { ask "Why {{ n }}?" }
          variant plain { report CSR }
          variant other { report CSR by "all" }
          variant turns { turn b { ask "How {{ n }}?" } }
        }"#,
    );
    let at = folder.path();
    for (variant, wanted) in [("plain", 0), ("other", 1), ("turns", 3)] {
        let args = ["run", "a.ifs", "--variant", variant, "-n", "12", "--out", variant];
        ifs(at, &args).ends(GOOD);
        let scores = json(at, &format!("{variant}/scores.json"));
        assert_eq!(names(&scores).len(), wanted, "{variant}");
    }
}

/// Whoever spoke last is followed: what is overruled, and not what overrules it. A difference of shares
/// is in percent in every part, with an interval that may have 0 in it.
#[test]
fn a_misled_model_is_led_astray() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let hierarchy = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/hierarchy/hierarchy.ifs");
    let hierarchy = hierarchy.to_str().unwrap();
    let run = |model: &str, out: &str| {
        ifs(at, &["run", hierarchy, "-m", model, "-n", "16", "--out", out]).ends(GOOD).out
    };
    run("sim/misled", "misled");
    let scores = json(at, "misled/scores.json");
    assert_eq!(metric(&scores, "led_astray")["value"], 1.0);
    let slices = scores["slices"].as_array().unwrap();
    let part = |name: &str| slices.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(metric(part("conflicting"), "ISR")["value"], 0.0);
    assert_eq!(metric(part("aligned"), "ISR")["value"], 1.0);
    assert_eq!(metric(&scores, "case_gap")["value"], 1.0);
    run("sim/noisy:0.3", "noisy");
    let gap = json(at, "noisy/scores.json");
    let gap = metric(&gap, "case_gap");
    assert_eq!(gap["unit"], "share", "{gap}");
    let (lower, upper) = (&gap["interval"]["lower"], &gap["interval"]["upper"]);
    let width = upper.as_f64().unwrap() - lower.as_f64().unwrap();
    let middle = (upper.as_f64().unwrap() + lower.as_f64().unwrap()) / 2.0;
    // It is symmetric: nothing is cut at 0.
    assert!((middle - gap["value"].as_f64().unwrap()).abs() < 1e-9 && width > 0.0, "{gap}");
    let args = ["compare", "misled", "noisy", "--by", "speaker", "--format", "json"];
    let found = ifs(at, &args).ends(GOOD).out;
    let found: Json = serde_json::from_str(&found).unwrap();
    let columns: Vec<&str> = found["parts"][0]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(columns, ["system", "user"]);
}

#[test]
fn record_releases_are_limited_to_their_records() {
    let text = r#"dialogue talk over topics as one {
          impose length.short(n: 5)
          turn a { ask one.request }
        }"#;
    for release in ["", "\nrelease { every record of talk }"] {
        let folder = folder(&format!("{text}{release}"));
        let many = ["run", "a.ifs", "-n", "30", "--out", "run"];
        ifs(folder.path(), &many).ends(INPUT).says("30 dialogues are requested");
        ifs(folder.path(), &["run", "a.ifs", "-n", "3", "--out", "run"]).ends(GOOD);
    }
}

#[test]
fn drawn_dialogues_show_their_criteria() {
    let folder = folder(
        r#"tags skill { depth  breadth }
        dialogue talk {
          context golden
          report ISR by kind
          param kind: one_of ["easy", "hard"]
          turn a {
            ask     "Why?"
            answer  "So."
            class   "why"
            require far judge "Does it go far?" tag skill.depth weigh 2
            require near judge "How near is it?" scale 1..=5 pass >= 4
          }
          turn b { ask "And?"  answer "Yes."  require short count(word) < 9 }
        }"#,
    );
    let text = ifs(folder.path(), &["draw", "a.ifs", "-n", "1"]).ends(GOOD).out;
    for part in
        ["context golden", "class: why", "part: ", "tag skill.depth", "weight 2", "pass >= 4"]
    {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn library_tests_are_counted_separately() {
    let folder = folder(
        r#"
        constraint calm { say "No exclamation marks." check not contains("!") test { pass "a" fail "a!" } }
        dialogue talk { constraints from calm, std.evolif.length  start with 1 constraint turn a { ask "Why?" } }"#,
    );
    ifs(folder.path(), &["test", "a.ifs"])
        .ends(GOOD)
        .says("2 passed, 0 failed")
        .says("tests of the library passed");
}

/// Runs that differ in the history, or in what is judged, are not said to differ in their messages.
#[test]
fn compare_lists_differences() {
    let folder = folder(
        r#"dialogue talk {
          turn a { ask "Which sea is saltiest?"  answer "The Dead Sea."  require sea contains("Sea") }
          turn b { ask "How deep is it?"  require deep contains("metres") }
          variant golden { context golden }
        }"#,
    );
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-n", "1", "--out", "own"]).ends(GOOD);
    ifs(at, &["run", "a.ifs", "--variant", "golden", "-n", "1", "--out", "golden"]).ends(GOOD);
    ifs(at, &["compare", "own", "golden"])
        .says("then the history has the model's own response")
        .says("then the history has the golden answer");
    let text = std::fs::read_to_string(at.join("a.ifs")).unwrap();
    std::fs::write(at.join("b.ifs"), text.replace("contains(\"metres\")", "contains(\"m\")"))
        .unwrap();
    ifs(at, &["run", "b.ifs", "-n", "1", "--out", "other"]).ends(GOOD);
    ifs(at, &["compare", "own", "other"]).says("sent the same messages and judge them differently");
}

/// Values as written in the definition, not as in the plan.
#[test]
fn changes_are_shown_as_in_the_source() {
    let text = r#"dialogue talk {
          priority system > user
          param    kind: one_of ["conflicting" 50%, "aligned" 50%]
          impose   1 from length by system
          turn a { ask "Why?"  impose 1 from length by user against system case kind }
        }"#;
    let folder = folder(
        &text
            .replace("\"conflicting\" 50%", "\"conflicting\" 25%")
            .replace("\"aligned\" 50%", "\"aligned\" 75%")
            .replace("system > user", "user > system"),
    );
    std::fs::write(
        folder.path().join("b.ifs"),
        format!("{HEAD}{text}").replace("1 from length by system", "1..=2 from length by system"),
    )
    .unwrap();
    let ran = ifs(folder.path(), &["diff", "a.ifs", "b.ifs"]);
    let ran = ran.says("user > system").says("impose 1..=2 from length").says("\"aligned\" 75%");
    assert!(!ran.out.contains("750000") && !ran.out.contains("1 1 "), "{}", ran.out);
}
