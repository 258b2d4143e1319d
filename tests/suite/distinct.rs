//! Dialogues with the same text are one; empty turns are in no rate; runs with different messages
//! are not compared.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::cli::ifs;

/// Two records, and no other choice.
const TWO: &str = r#"ifs 1
import cities "cities.jsonl" { name: text, river: text }
dialogue quiz over cities as city {
  turn hello { ask "Hello!" }
  turn river {
    ask "Which river runs through {{ city.name }}?"
    require named contains(word (city.river))
  }
}
"#;

/// Three alternatives: a colour is drawn.
const THREE: &str = r#"ifs 1
dialogue colours {
  turn one {
    param colour: one_of ["red", "green", "blue"]
    ask "Name something {{ colour }}."
    require brief count(word) <= 5
  }
}
"#;

const CITIES: &str = r#"{"name": "Köln", "river": "Rhein"}
{"name": "Paris", "river": "Seine"}
"#;

/// A folder with a scenario `a.ifs`.
fn folder(scenario: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.ifs"), scenario).unwrap();
    fs::write(folder.path().join("cities.jsonl"), CITIES).unwrap();
    folder
}

fn lines(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(folder: &Path, run: &str) -> Json {
    let ran = ifs(folder, &["score", run, "--format", "json"]).ends(0);
    serde_json::from_str(&ran.out).unwrap()
}

fn metric<'r>(report: &'r Json, name: &str) -> &'r Json {
    let all = report["metrics"].as_array().unwrap();
    all.iter().find(|metric| metric["name"] == name).unwrap()
}

/// Responses for a replay: for each dialogue of the scenario by index, its turns in order.
fn answers(folder: &Path, name: &str, dialogue: &str, dialogues: &[&[&str]]) {
    let line = |(index, turns): (usize, &&[&str])| {
        let turn =
            |(at, answer): (usize, &&str)| json!({"turn": at + 1, "samples": [{"answer": answer}]});
        let turns: Vec<Json> = turns.iter().enumerate().map(turn).collect();
        json!({"dialogue": dialogue, "index": index, "turns": turns}).to_string()
    };
    let text: Vec<String> = dialogues.iter().enumerate().map(line).collect();
    fs::write(folder.join(name), text.join("\n")).unwrap();
}

#[test]
fn runs_skip_repeated_texts() {
    let folder = folder(TWO);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"]).ends(0).says("2 dialogues, ");
    assert_eq!(lines(&at.join("out/transcripts.jsonl")).len(), 2);
    let refused = ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "30", "--out", "no"])
        .ends(3)
        .says("30 dialogues are requested, but the dialogue `quiz` has 2 distinct texts")
        .says("╭─[a.ifs:3:10]")
        .says("`--samples 15`")
        .says("`sample 15`");
    assert!(refused.out.is_empty() && !at.join("no").exists());
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "2", "--samples", "15", "--out", "many"])
        .ends(0);
    let many = lines(&at.join("many/transcripts.jsonl"));
    assert_eq!(many[1]["turns"][1]["samples"].as_array().unwrap().len(), 15);
    for command in [&["run", "a.ifs", "-m", "sim/oracle"][..], &["draw", "a.ifs"]] {
        ifs(at, &[command, &["-n", "0"]].concat()).ends(2).says("write 1 or more");
    }
    ifs(at, &["draw", "a.ifs", "-n", "3"])
        .ends(3)
        .says("has 2 distinct texts")
        .says("╭─[a.ifs:3:10]");
    ifs(at, &["draw", "a.ifs", "-n", "2"]).ends(0);
    // A larger index is also valid.
    let far = ifs(at, &["draw", "a.ifs", "--index", "41"]).ends(0);
    assert!(far.out.contains("Paris"), "{}", far.out);
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "3", "--dry-run"]).ends(3);
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--dry-run"]).ends(0).says("2 dialogues of");
}

#[test]
fn drawing_stops_without_new_texts() {
    let folder = folder(THREE);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"])
        .ends(0)
        .says("only 3 distinct texts of the dialogue `colours` were found among ");
    let asked = |name: &str| -> Vec<String> {
        let held = lines(&at.join(name).join("transcripts.jsonl"));
        let mut asked: Vec<String> =
            held.iter().map(|held| held["turns"][0]["ask"].as_str().unwrap().to_owned()).collect();
        asked.sort();
        asked
    };
    let all = ["Name something blue.", "Name something green.", "Name something red."];
    assert_eq!(asked("out"), all);
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "4"]).ends(3).says("`-n 3`");
    // Exactly as many as exist: repeats are skipped.
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "3", "--out", "three"]).ends(0);
    assert_eq!(asked("three"), all);
    ifs(at, &["draw", "a.ifs", "-n", "30"]).ends(0).says("30 dialogues with 3 distinct texts");
}

/// As in earlier versions and imports: the same two texts fifteen times each.
#[test]
fn errors_of_repeats_are_those_of_their_texts() {
    let folder = folder(TWO);
    let at = folder.path();
    answers(at, "mixed.jsonl", "quiz", &[&["Hi.", "The Rhein."], &["Hi.", "The Loire."]]);
    ifs(at, &["run", "a.ifs", "-m", "replay:mixed.jsonl", "--out", "out"]).ends(0);
    let once = report(at, "out");
    assert_eq!(metric(&once, "ISR")["distinct"], 2);
    let held = lines(&at.join("out/transcripts.jsonl"));
    let repeated: Vec<String> = (0..30)
        .map(|index| {
            let mut one = held[index % 2].clone();
            one["index"] = json!(index);
            one.to_string() + "\n"
        })
        .collect();
    let repeated = repeated.concat();
    fs::write(at.join("out/transcripts.jsonl"), &repeated).unwrap();
    let mut manifest: Json = lines_of_one(&at.join("out/run.json"));
    manifest.as_object_mut().unwrap().remove("distinct");
    manifest["transcripts"] = json!(blake3::hash(repeated.as_bytes()).to_hex().to_string());
    manifest["dialogues"] = json!(30);
    fs::write(at.join("out/run.json"), crate::sealed(&manifest)).unwrap();
    let many = report(at, "out");
    assert_eq!(many["totals"]["dialogues"], 30);
    assert_eq!(many["totals"]["distinct_dialogues"], 2);
    for name in ["CSR", "ISR", "ROB", "EDR_succ", "PIF", "utility_rate"] {
        let (one, all) = (metric(&once, name), metric(&many, name));
        assert_eq!(all["distinct"], 2, "{name}");
        for field in ["value", "standard_error"] {
            let (one, all) = (one[field].as_f64().unwrap(), all[field].as_f64().unwrap());
            assert!((one - all).abs() < 1e-12, "{name} {field}: {one} {all}");
        }
    }
    let caveat = "30 dialogues have 2 distinct texts: repeats of a text are one cluster";
    assert!(many["caveats"].to_string().contains(caveat), "{}", many["caveats"]);
    ifs(at, &["score", "out"]).ends(0).says("30 dialogues (2 distinct)");
    let rows = ifs(at, &["report", "out", "--format", "csv"]).ends(0).out;
    let mut rows_read = csv::Reader::from_reader(rows.as_bytes());
    let text = rows_read.headers().unwrap().iter().position(|name| name == "text").unwrap();
    let texts: std::collections::BTreeSet<String> =
        rows_read.records().map(|row| row.unwrap()[text].to_owned()).collect();
    assert_eq!(texts.len(), 2, "{rows}");
}

fn lines_of_one(path: &Path) -> Json {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Five of twenty turns have constraints, and two of those are missed.
#[test]
fn empty_turns_are_left_out_of_rates() {
    let folder = folder(
        r#"ifs 1
dialogue long {
  for block in [1, 2, 3, 4, 5] {
    for remark in [1, 2, 3] { turn chat { ask "Remark {{ block }}.{{ remark }}." } }
    turn asked {
      ask "Say {{ block }}."
      require number contains(word (to_text(block)))
    }
  }
}
"#,
    );
    let at = folder.path();
    let mut turns: Vec<&str> = vec!["Fine."; 20];
    for (place, answer) in [(3, "1"), (7, "2"), (11, "3"), (15, "no"), (19, "no")] {
        turns[place] = answer;
    }
    answers(at, "a.jsonl", "long", &[&turns]);
    ifs(at, &["run", "a.ifs", "-m", "replay:a.jsonl", "--out", "out"]).ends(0);
    let found = report(at, "out");
    let value = |name: &str| metric(&found, name)["value"].as_f64().unwrap();
    assert_eq!((value("ISR"), value("CSR"), value("ROB"), value("PIF")), (0.6, 0.6, 0.6, 0.6));
    assert_eq!((value("ISR_as_released"), value("PIF_as_released")), (0.9, 1.0));
    assert_eq!((value("EDR_len"), value("EDR_succ"), value("EDR_lss")), (20.0, 3.0, 3.0));
    assert_eq!(found["totals"]["empty_turns"], 15);
    assert_eq!(found["totals"]["successful_turns"], 3);
    assert!(found["caveats"].to_string().contains("15 turns have no active constraint"));
    assert_eq!(found["survival"][0]["successful"], Json::Null);
}

/// Patience is neither spent nor restored by an empty turn, both in a run and when its recording is
/// scored with the same patience.
#[test]
fn empty_turns_do_not_change_patience() {
    let folder = folder(
        r#"ifs 1
dialogue patient {
  patience 2
  end when patience == 0
  turn first { ask "Say one." require it contains("one") }
  turn chat { ask "Well." }
  turn second { ask "Say two." require it contains("two") }
  turn third { ask "Say three." require it contains("three") }
}
"#
        .replace("require it", "require said")
        .as_str(),
    );
    let at = folder.path();
    answers(at, "a.jsonl", "patient", &[&["no", "Well.", "no", "three"]]);
    ifs(at, &["run", "a.ifs", "-m", "replay:a.jsonl", "--out", "out"]).ends(0);
    let held = lines(&at.join("out/transcripts.jsonl"));
    assert_eq!(held[0]["turns"].as_array().unwrap().len(), 3, "{}", held[0]);
    assert_eq!(held[0]["ending"], "patience");
    let again = ifs(at, &["score", "out", "--patience", "2", "--format", "json"]).ends(0);
    let again: Json = serde_json::from_str(&again.out).unwrap();
    assert_eq!(metric(&again, "EDR_len")["value"], 3.0);
    assert_eq!(again["patience_replayed"]["cut"], 0);
}

/// Only requirements differ, which is a difference.
#[test]
fn compare_includes_requirements() {
    let folder = folder(TWO);
    let at = folder.path();
    answers(at, "good.jsonl", "quiz", &[&["Hi.", "The Rhein."], &["Hi.", "The Seine."]]);
    answers(at, "bad.jsonl", "quiz", &[&["Hi.", "The Elbe."], &["Hi.", "The Seine."]]);
    for name in ["good", "bad"] {
        let model = format!("replay:{name}.jsonl");
        ifs(at, &["run", "a.ifs", "-m", &model, "--out", name]).ends(0);
    }
    let said = ifs(at, &["compare", "good", "bad", "--format", "json"]).ends(0);
    let said: Json = serde_json::from_str(&said.out).unwrap();
    let pair = &said["pairs"][0];
    assert_eq!((&pair["turns"], &pair["dialogues"]), (&json!(2), &json!(2)));
    assert_eq!((&pair["difference"], &pair["dominance"]), (&json!(0.5), &json!("first")));
    assert_eq!(pair["wilcoxon"]["differing"], 1);
    assert!(said.get("differences").is_none(), "{said}");
    ifs(at, &["compare", "good", "bad"])
        .ends(0)
        .says("over 2 turns of 2 distinct dialogues that both have")
        .says("dominates");
    ifs(at, &["compare", "good", "./good"]).ends(2).says("is named twice");
    // A longer run: its additional turns are listed.
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "1", "--out", "short"]).ends(0);
    ifs(at, &["compare", "good", "short"]).ends(0).says("1 dialogue of").says("(number 1)");
}

#[test]
fn compare_refuses_runs_without_constraints() {
    let folder = folder("ifs 1\ndialogue chat { turn hello { ask \"Hello!\" } }\n");
    let at = folder.path();
    for (model, out) in [("sim/echo", "a"), ("sim/oracle", "b")] {
        ifs(at, &["run", "a.ifs", "-m", model, "--out", out]).ends(0);
    }
    ifs(at, &["compare", "a", "b"])
        .ends(3)
        .says("there is nothing to compare: nothing was judged on any turn of `sim/echo`");
}

#[test]
fn compare_lists_unmatched_turns() {
    let scenario =
        TWO.replace("  turn hello", "  variant polite { system \"Be polite.\" }\n  turn hello");
    let folder = folder(&scenario);
    let at = folder.path();
    let run = |out: &str, more: &[&str]| {
        let args = ["run", "a.ifs", "-m", "sim/oracle", "--out", out];
        ifs(at, &[&args, more].concat()).ends(0);
    };
    run("plain", &[]);
    run("polite", &["--variant", "polite"]);
    run("told", &["--system", "Be brief."]);
    fs::write(at.join("cities.jsonl"), CITIES.replace("Köln", "Bonn")).unwrap();
    run("moved", &[]);
    ifs(at, &["compare", "plain", "polite"])
        .ends(3)
        .says("`plain` and `polite` sent different messages")
        .says("variant: none | `polite`")
        .says("definition: ")
        .says("messages: differ in 2 of the 2 dialogues that both have (number 0, 1), first in `quiz` 0, turn 1")
        .says("  system: Be polite.")
        .says("`--allow-differences`");
    ifs(at, &["compare", "plain", "moved"])
        .ends(3)
        .says("bank: `cities` with 2 records | `cities` with 2 records, not the same")
        .says("(number 0), first in `quiz` 0, turn 2")
        .says("hich river runs through Köln?")
        .says("hich river runs through Bonn?");
    ifs(at, &["compare", "plain", "told"])
        .ends(3)
        .says("system message (`--system`): none | `Be brief.`");
    let said = ifs(at, &["compare", "--allow-differences", "plain", "polite"])
        .ends(0)
        .says("! `plain` and `polite` sent different messages:")
        .says("variant: none | `polite`");
    assert!(said.out.contains("mean difference"), "{}", said.out);
    let json = ["compare", "--allow-differences", "plain", "moved", "--format", "json"];
    let json: Json = serde_json::from_str(&ifs(at, &json).ends(0).out).unwrap();
    let turn = json!({"dialogue": "quiz", "index": 0, "turn": 2, "what": "messages"});
    assert_eq!(json["differences"][0]["turns"], json!([turn]));
}

/// Records with the same messages, each of which leads to another branch.
#[test]
fn branch_conditions_make_texts_distinct() {
    let by = "ifs 1\nimport cities \"cities.jsonl\" { name: text, river: text }\n\
              dialogue d over cities as city {\n  turn g { ask \"Write.\" }\n\
              for p in [\"A\", \"B\"] by (contains(city.river)) { turn h { ask p require r contains(\"a\") } }\n}\n";
    let rounds = "ifs 1\nimport cities \"cities.jsonl\" { name: text, river: text }\n\
                  dialogue d over cities as city {\n  retry up to len(city.name) rounds with feedback\n\
                  turn g { ask \"Write.\" require r contains(\"zz\") }\n}\n";
    for scenario in [by, rounds] {
        let folder = folder(scenario);
        let cities = "{\"name\": \"K\", \"river\": \"R\"}\n{\"name\": \"Pa\", \"river\": \"S\"}\n";
        fs::write(folder.path().join("cities.jsonl"), cities).unwrap();
        ifs(folder.path(), &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"]).ends(0);
        assert_eq!(lines(&folder.path().join("out/transcripts.jsonl")).len(), 2, "{scenario}");
    }
}

#[test]
fn records_with_equal_texts_are_all_run() {
    let alike = "ifs 1\nimport cities \"cities.jsonl\" { name: text, river: text }\n\
                 dialogue d over cities as city {\n  report ISR by city.river\n\
                 turn g { ask \"Write.\" require r contains(\"a\") }\n}\nrelease { every record of d }\n";
    let folder = folder(alike);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"]).ends(0);
    assert_eq!(lines(&at.join("out/transcripts.jsonl")).len(), 2);
    ifs(at, &["release", "a.ifs", "--out", "set"]).ends(0).says("2 dialogues");
    // They are one text for the statistics.
    ifs(at, &["report", "out"]).ends(0).says("2 dialogues have 1 distinct text");
}

/// Dialogues of several definitions are one task only if that is asked for, and are named then.
#[test]
fn several_definitions_are_pooled_on_request() {
    let folder = folder(THREE);
    let at = folder.path();
    fs::write(at.join("b.ifs"), THREE.replace("<= 5", "<= 9")).unwrap();
    for (scenario, out) in [("a.ifs", "one"), ("a.ifs", "same"), ("b.ifs", "other")] {
        ifs(at, &["run", scenario, "-m", "sim/oracle", "--out", out]).ends(0);
    }
    let alike = ifs(at, &["report", "one", "same"]).ends(0);
    assert!(!alike.err.contains("definitions"), "{}", alike.err);
    let separate = ifs(at, &["report", "one", "other"]).ends(0);
    separate.says("`colours` is of 2 definitions, which are separate tasks here: ");
    let tasks = |args: &[&str]| -> Json {
        let table = ifs(at, &[&["report", "one", "other", "--format", "json"], args].concat());
        serde_json::from_str(&table.ends(0).out).unwrap()
    };
    let table = tasks(&[]);
    assert_eq!(table["tasks"].as_array().unwrap().len(), 2, "{table}");
    assert!(table["models"][0]["overall"].is_null(), "{table}");
    let pooled = tasks(&["--pool"]);
    assert_eq!(pooled["tasks"], json!(["colours"]));
    assert_eq!(pooled["models"][0]["scores"][0]["dialogues"], 6);
    assert!(pooled["models"][0]["overall"].is_number(), "{pooled}");
    ifs(at, &["report", "one", "other", "--pool"])
        .ends(0)
        .says("POOLED: `colours` is of 2 definitions");
}
