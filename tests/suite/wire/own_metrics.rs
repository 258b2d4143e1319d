//! Weights, rounds of feedback and parts of reports from data, and metrics by expression in
//! everything that reads scores.

use super::*;

const DESK: &str = r#"ifs 1

benchmark desk { title "Desk" version "1.0.0" }

import talks "talks.jsonl" {
  name: text
  rounds: int
  asks: list of { text: text, kind: text, most: int, weight: float }
}
/// How often the user had to ask again.
metric again of dialogue lower is better { return count(turns where it.missed) }
/// The share of what counts that was followed.
metric weighed of run in percent {
  let all = flat(flat(dialogues.turns).outcomes)
  return sum((all where it.held) each it.weight) / sum(all.weight)
}
metric turns_held of turn { return held }
metric why of turn { return (if len(outcomes) > 0 then [held] else [])[1] }
dialogue talk over talks as t {
  retry up to t.rounds rounds with feedback
  for q in t.asks {
    turn question { ask q.text  require brief count(word) <= q.most weigh q.weight }
  }
  report ISR, WCSR, again, weighed, turns_held, why by q.kind
}
"#;

const TALKS: &str = r#"{"name":"one","rounds":0,"asks":[{"text":"Why?","kind":"why","most":2,"weight":3},{"text":"When?","kind":"when","most":1,"weight":1}]}
{"name":"two","rounds":2,"asks":[{"text":"Why so?","kind":"why","most":1,"weight":0.5},{"text":"When then?","kind":"when","most":2,"weight":1}]}
{"name":"three","rounds":1,"asks":[{"text":"And why?","kind":"why","most":5,"weight":0}]}
"#;

/// Two runs: one model says two words, the other six.
fn runs() -> (TempDir, Server) {
    let server = Server::start(|asked| match asked.body["model"] == "terse" {
        true => answer("Two words."),
        false => answer("This is a rather long answer."),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    std::fs::write(folder.path().join("talks.jsonl"), TALKS).unwrap();
    for model in ["terse", "wordy"] {
        let name = format!("openai/{model}");
        let args = ["run", "desk.ifs", "-m", &name, "-n", "3", "--out", model];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    }
    (folder, server)
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str], code: i32) -> String {
    Ran::of(command(folder.path(), server, args).output().unwrap()).ends(code).all
}

fn read_from(folder: &TempDir, run: &str, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(run).join(name)).unwrap()
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(&text[text.find(['{', '[']).unwrap()..]).unwrap()
}

fn metric<'j>(metrics: &'j Value, name: &str) -> &'j Value {
    let metrics = metrics.as_array().unwrap();
    metrics.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn near(found: &Value, wanted: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((number - wanted).abs() < 1e-12, "{number} is not {wanted}");
}

#[test]
fn records_set_weights_and_rounds() {
    let (folder, server) = runs();
    // The first dialogue has no round, the second two on the turn that it misses, the third holds.
    let asked = |model: &str| server.log().iter().filter(|it| it.body["model"] == model).count();
    assert_eq!(asked("terse"), 2 + (2 + 2) + 1);
    assert_eq!(asked("wordy"), 2 + (2 + 2 * 2) + 2);
    let scores = json_of(&read_from(&folder, "terse", "scores.json"));
    // 3 + 1 + 0 of 3 + 1 + 0.5 + 1 + 0 are held.
    near(&metric(&scores["metrics"], "WCSR")["value"], 4.0 / 5.5);
    near(&metric(&scores["metrics"], "weighed")["value"], 4.0 / 5.5);
    near(&metric(&scores["metrics"], "again")["value"], 2.0 / 3.0);
    let shown = ifs(&folder, &server, &["draw", "desk.ifs", "-n", "2", "--format", "jsonl"], 0);
    let line = |at: usize| json_of(shown.lines().nth(at).unwrap());
    assert_eq!(line(0)["criteria"][0]["weight"], 3.0);
    assert_eq!((&line(0)["most_rounds"], &line(2)["most_rounds"]), (&0.into(), &2.into()));
    assert_eq!((&line(0)["slice"], &line(1)["slice"]), (&"why".into(), &"when".into()));
}

#[test]
fn turn_slices_follow_bound_names() {
    let (folder, server) = runs();
    let scores = json_of(&read_from(&folder, "terse", "scores.json"));
    let slices = scores["slices"].as_array().unwrap();
    let part = |name: &str| &slices.iter().find(|one| one["name"] == name).unwrap()["metrics"];
    assert_eq!(slices.len(), 2);
    near(&metric(part("why"), "ISR")["value"], 2.0 / 3.0);
    near(&metric(part("when"), "ISR")["value"], 0.5);
    near(&metric(part("when"), "again")["value"], 0.5);
    near(&metric(part("why"), "turns_held")["value"], 2.0 / 3.0);
    let args =
        ["compare", "terse", "wordy", "--by", "slice", "--metric", "ISR", "--format", "json"];
    let parts = &json_of(&ifs(&folder, &server, &args, 0))["parts"][0];
    let row = |at: usize| parts["rows"][at]["cells"].clone();
    assert_eq!(parts["columns"][0]["name"], "when");
    near(&row(0)[0], 0.5);
    near(&row(1)[1], 0.0);
    // A part that is named on the command line is one of dialogues.
    let args = ["report", "terse", "--by", "t.name", "--format", "json"];
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    assert!(!ran.all.contains("panicked"), "{}", ran.all);
}

#[test]
fn runs_are_compared_by_metrics_of_the_scenario() {
    let (folder, server) = runs();
    let found =
        json_of(&ifs(&folder, &server, &["compare", "terse", "wordy", "--format", "json"], 0));
    let names: Vec<&str> = found["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["metric"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ISR", "WCSR", "again", "weighed", "turns_held", "why"]);
    assert_eq!(found["metrics"][5]["unit"], "share");
    let again = &found["metrics"][2];
    assert_eq!(
        (&again["unit"], &again["direction"]),
        (&"number".into(), &"lower_is_better".into())
    );
    near(&again["values"][0]["value"], 2.0 / 3.0);
    near(&again["values"][1]["value"], 5.0 / 3.0);
    assert_eq!(again["values"][0]["is_best"], true);
    // Clustered by dialogue, and tested by exchanging dialogues.
    assert!(again["values"][0]["standard_error"].as_f64().is_some());
    near(&again["pairs"][0]["difference"], -1.0);
    // A number of the run has an error over resampled dialogues, and no test.
    let weighed = &found["metrics"][3];
    assert!(weighed["values"][0]["standard_error"].as_f64().unwrap() > 0.0);
    assert_eq!(weighed["pairs"].as_array().unwrap().len(), 0);
    for format in ["text", "csv", "markdown", "latex", "html", "junit"] {
        let text = ifs(&folder, &server, &["compare", "terse", "wordy", "--format", format], 0);
        let name = if format == "latex" { "turns\\_held" } else { "turns_held" };
        assert!(text.contains(name), "{format}: {text}");
    }
    let unknown = ["compare", "terse", "wordy", "--metric", "agin"];
    let text = ifs(&folder, &server, &unknown, 2);
    assert!(text.contains("weighed"), "{text}");
    let table = ["report", "terse", "wordy", "--metric", "again"];
    assert!(ifs(&folder, &server, &table, 0).contains("0.67"));
}

#[test]
fn gates_and_exports_have_metrics_of_the_scenario() {
    let (folder, server) = runs();
    let gate = ["gate", "terse", "--fail-under", "turns_held=50%", "--fail-over", "again=0.7"];
    assert!(ifs(&folder, &server, &gate, 0).contains("turns_held is at least 50.0 %"));
    let share = ["gate", "terse", "--fail-over", "again=50%"];
    assert!(ifs(&folder, &server, &share, 2).contains("`again` is not a share"));
    // A model with more rounds would pass.
    let wrong = ["gate", "terse", "--fail-under", "again=0.5"];
    assert!(ifs(&folder, &server, &wrong, 2).contains("write `--fail-over again=0.5`"));
    let wordy = ["gate", "wordy", "--fail-over", "again=0.7"];
    assert!(ifs(&folder, &server, &wordy, 1).contains("again is at most 0.70: the value"));
    let failing = ["gate", "wordy", "--fail-under", "turns_held=0.9", "--format", "junit"];
    assert!(ifs(&folder, &server, &failing, 1).contains("turns_held is at least 90.0 %"));
    for format in ["text", "json", "markdown", "latex", "every-eval-ever", "html", "csv"] {
        let text = ifs(&folder, &server, &["report", "terse", "--format", format], 0);
        let name = if format == "latex" { "turns\\_held" } else { "turns_held" };
        assert!(format == "csv" || text.contains(name), "{format}: {text}");
    }
    let record =
        json_of(&ifs(&folder, &server, &["report", "terse", "--format", "every-eval-ever"], 0));
    let results = record["evaluation_results"].as_array().unwrap();
    let again = results.iter().find(|it| it["evaluation_name"] == "desk: again").unwrap();
    assert_eq!(again["metric_config"]["lower_is_better"], true);
    let doc = again["metric_config"]["evaluation_description"].as_str().unwrap();
    assert!(doc.contains("How often the user had to ask again."), "{doc}");
    assert!(again["score_details"]["uncertainty"]["standard_error"]["value"].is_number());
}

#[test]
fn record_values_must_fit() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    let server = Server::start(|_| answer("Two words."));
    for (from, to, wanted) in [
        ("\"weight\":3", "\"weight\":-3", "talks.jsonl, line 1"),
        ("\"rounds\":2", "\"rounds\":-2", "talks.jsonl, line 2"),
    ] {
        std::fs::write(folder.path().join("talks.jsonl"), TALKS.replace(from, to)).unwrap();
        let text = ifs(&folder, &server, &["check", "desk.ifs"], 3);
        assert!(text.contains(wanted), "{text}");
    }
    let mistakes = [
        ("weigh q.weight", "weigh q.text", "a text where a number"),
        ("by q.kind", "by q.colour", "colour"),
        ("lower is better", "lower", "expected `is`"),
        ("up to t.rounds", "up to t.name", "t"),
    ];
    std::fs::write(folder.path().join("talks.jsonl"), TALKS).unwrap();
    for (from, to, wanted) in mistakes {
        std::fs::write(folder.path().join("desk.ifs"), DESK.replace(from, to)).unwrap();
        let text = ifs(&folder, &server, &["check", "desk.ifs"], 3);
        assert!(text.contains(wanted), "{from}: {text}");
    }
}
