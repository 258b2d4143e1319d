//! `ifs import multi-if`, `ifbench`, `sysbench` and `multichallenge`: from the data's own fields to
//! a run of the shipped scenario.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

/// The output of a command on both channels, and its status.
fn ifs(at: &Path, args: &[&str]) -> (String, i32) {
    let ran = Command::new(env!("CARGO_BIN_EXE_ifs")).current_dir(at).args(args).output().unwrap();
    let all = [ran.stdout, ran.stderr].concat();
    (String::from_utf8_lossy(&all).into_owned(), ran.status.code().unwrap())
}

#[track_caller]
fn good(at: &Path, args: &[&str]) -> String {
    let (all, status) = ifs(at, args);
    assert_eq!(status, 0, "{args:?}\n{all}");
    all
}

fn imported(source: &str, text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("data"), text).unwrap();
    let said = good(folder.path(), &["import", source, "data", "--out", "out"]);
    assert!(said.contains("1 dialogue, 0 defects"), "{said}");
    good(folder.path(), &["check", "out/published.ifs"]);
    folder
}

#[test]
fn multi_if_from_csv() {
    let quoted = |value: serde_json::Value| value.to_string().replace('"', "\"\"");
    let say = |text: &str| quoted(json!({"role": "user", "content": text}));
    let ids = quoted(json!(["punctuation:no_comma"]));
    let given = quoted(json!(["{\"letter\": null}"]));
    let text = format!(
        "key,language,turn_1_prompt,turn_1_instruction_id_list,turn_1_kwargs,turn_2_prompt\n\
         k1,English,\"{}\",\"{ids}\",\"{given}\",None\n",
        say("Write of tides, without commas.")
    );
    let folder = imported("multi-if", &text);
    let drawn = good(folder.path(), &["draw", "out/published.ifs", "-n", "1"]);
    assert!(drawn.contains("Write of tides, without commas."), "{drawn}");
    assert!(drawn.contains("active: punctuation.no_comma_as_released"), "{drawn}");
}

#[test]
fn ifbench_single_two_turns_and_training() {
    let row = json!({"key": 7, "prompt": "No white space.",
        "instruction_id_list": ["format:no_whitespace"], "kwargs": [{"N": null}]});
    let folder = imported("ifbench", &row.to_string());
    let drawn = good(folder.path(), &["draw", "out/published.ifs", "-d", "single", "-n", "1"]);
    assert!(drawn.contains("active: format.no_whitespace"), "{drawn}");
    let say = |role: &str, content: &str| json!({"role": role, "content": content});
    let talk = [say("user", "Why?"), say("assistant", "So."), say("user", "In title case.")];
    let row = json!({"key": "t", "messages": talk,
        "instruction_id_list": ["format:title_case"], "kwargs": [{}]});
    let folder = imported("ifbench", &row.to_string());
    let drawn = good(folder.path(), &["draw", "out/published.ifs", "-d", "rewritten", "-n", "1"]);
    assert!(drawn.contains("reply: So.") && drawn.contains("format.title_case"), "{drawn}");
    let row = json!({"key": "t", "prompt": "No dots.",
        "instruction_id_list": ["punctuation:punctuation_dot"], "kwargs": [{}]});
    let folder = imported("ifbench", &row.to_string());
    let drawn = good(folder.path(), &["draw", "out/published.ifs", "-d", "trained", "-n", "1"]);
    assert!(drawn.contains("No dots."), "{drawn}");
}

#[test]
fn sysbench_with_reference_answers() {
    let say = |role: &str, content: &str| json!({"role": role, "content": content});
    let criterion = json!({"criteria_id": 1, "criteria_content": "Is it rhymed?",
        "criteria_type": "风格约束"});
    let row = json!([{
        "system_id": 3, "system_prompt": "Rhyme.", "rounds_related": true,
        "messages": [say("system", "Rhyme."), say("user", "Hello?"), say("assistant", "Yellow.")],
        "prompt_infos": {"Hello?": {"alignment": "misalign", "criteria": {"1": criterion}}},
    }]);
    let folder = imported("sysbench", &row.to_string());
    let args = ["draw", "out/published.ifs", "-n", "1", "--format", "json"];
    let drawn = good(folder.path(), &args);
    assert!(drawn.contains("kind.style") && drawn.contains("alignment: misaligned"), "{drawn}");
}

#[test]
fn multichallenge_with_invalid_rows() {
    let say = |role: &str, content: &str| json!({"role": role, "content": content});
    let mut row = json!({
        "QUESTION_ID": "q1", "AXIS": "SELF_COHERENCE", "TARGET_QUESTION": "Does it give in?",
        "PASS_CRITERIA": "NO",
        "CONVERSATION": [say("user", "A"), say("assistant", "B"), say("user", "C")],
    });
    let folder = imported("multichallenge", &row.to_string());
    let run = ["run", "out/published.ifs", "-m", "sim/oracle", "--out", "run"];
    let said = good(folder.path(), &run);
    assert!(said.contains("self coherence") && said.contains("mean_over_slices"), "{said}");
    row["PASS_CRITERIA"] = json!("MAYBE");
    std::fs::write(folder.path().join("bad"), row.to_string()).unwrap();
    let (said, status) = ifs(folder.path(), &["import", "multichallenge", "bad", "--out", "b"]);
    assert!(status != 0 && said.contains("q1: `PASS_CRITERIA` is `maybe`"), "{said}");
    assert!(!folder.path().join("b").exists());
}

#[test]
fn sharded_arithmetic() {
    let shard = |text: &str| json!({"shard_id": 1, "shard": text});
    let rows = json!([
        {"task_id": "sharded-gsm8k/1", "task": "math", "answer": "5 * 400 = 2,000\n#### 2,000",
            "shards": [shard("How much is it?"), shard("There are five."), shard("Each costs 400.")]},
        {"task_id": "sharded-sql/1", "task": "database", "answer": "", "shards": [shard("Query?")]},
    ]);
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("data"), rows.to_string()).unwrap();
    let (said, status) = ifs(folder.path(), &["import", "sharded", "data", "--out", "out"]);
    assert!(
        status != 0 && said.contains("no rule checks the answers of the task `database`"),
        "{said}"
    );
    good(folder.path(), &["import", "sharded", "data", "--leave-out", "--out", "out"]);
    let args = ["draw", "out/published.ifs", "-n", "1", "--variant", "full"];
    let drawn = good(folder.path(), &args);
    assert!(drawn.contains("How much is it? There are five. Each costs 400."), "{drawn}");
    assert!(drawn.contains("2000"), "{drawn}");
}

/// What `ifs check` and `ifs run` would refuse is a defect of the data, by record.
#[test]
fn records_that_cannot_be_drawn_are_defects() {
    let row = |key: u32, id: &str, given: serde_json::Value| {
        json!({"key": key, "prompt": format!("Task {key}."), "instruction_id_list": [id], "kwargs": [given]})
            .to_string()
            + "\n"
    };
    let twice = json!({"key": 5, "prompt": "Twice.", "instruction_id_list": ["keywords:existence", "keywords:existence"],
        "kwargs": [{"keywords": ["a"]}, {"keywords": ["b"]}]});
    let wrong = [
        row(1, "words:no_such_thing", json!({})),
        row(2, "format:no_whitespace", json!({"bogus": 3})),
        row(
            3,
            "length_constraints:number_words",
            json!({"num_words": "many", "relation": "at least"}),
        ),
        row(
            4,
            "length_constraints:number_words",
            json!({"num_words": null, "relation": "at least"}),
        ),
        twice.to_string() + "\n",
    ];
    let right = [
        row(6, "format:no_whitespace", json!({"N": null})),
        row(7, "punctuation:no_comma", json!({})),
        row(
            8,
            "length_constraints:number_words",
            json!({"num_words": 30.0, "relation": "at least"}),
        ),
    ];
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    std::fs::write(at.join("data"), wrong.concat() + &right.concat()).unwrap();
    let (said, status) = ifs(at, &["import", "ifbench", "data", "--out", "out"]);
    assert_eq!(status, 3, "{said}");
    for part in [
        "unusable records: 5",
        "1: no constraint has the alias `words:no_such_thing`",
        "2: ",
        "bogus",
        "5: ",
    ] {
        assert!(said.contains(part), "no {part} in\n{said}");
    }
    assert!(!at.join("out").exists());
    let said = good(at, &["import", "ifbench", "data", "--leave-out", "--out", "out"]);
    assert!(said.contains("3 of 8 dialogues, 5 defects"), "{said}");
    let defects = std::fs::read_to_string(at.join("out/defects.jsonl")).unwrap();
    let records: Vec<serde_json::Value> = defects
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["record"].clone())
        .collect();
    assert_eq!(records, ["1", "2", "3", "4", "5"]);
    good(at, &["check", "out/published.ifs"]);
    let said =
        good(at, &["run", "out/published.ifs", "-d", "single", "-m", "sim/oracle", "--out", "run"]);
    assert!(said.contains("3 dialogues,"), "{said}");
}

/// The release of an import is all of its records: more than the twenty dialogues of a flow, and records
/// with the same text too.
#[test]
fn all_imported_records_are_run() {
    let say = |role: &str, content: &str| json!({"role": role, "content": content});
    let rows: String = (0..30)
        .map(|at| {
            json!({"QUESTION_ID": format!("q{at}"), "AXIS": "SELF_COHERENCE", "TARGET_QUESTION": "Does it give in?",
                "PASS_CRITERIA": "NO",
                "CONVERSATION": [say("user", &format!("A{}", at / 2)), say("assistant", "B"), say("user", "C")]})
            .to_string()
                + "\n"
        })
        .collect();
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    std::fs::write(at.join("data"), rows).unwrap();
    let said = good(at, &["import", "multichallenge", "data", "--out", "out"]);
    assert!(said.contains("30 dialogues, 0 defects"), "{said}");
    let said = good(at, &["run", "out/published.ifs", "-m", "sim/oracle", "--out", "run"]);
    assert!(said.contains("30 dialogues"), "{said}");
    let said =
        good(at, &["run", "out/published.ifs", "-m", "sim/oracle", "-n", "4", "--out", "part"]);
    assert!(said.contains("4 of 30 dialogues"), "{said}");
    let said = good(at, &["release", "out/published.ifs", "--out", "set"]);
    assert!(said.contains("30 dialogues"), "{said}");
    // Each sharded instruction once, and several times on request.
    let shard = |text: String| json!({"shard_id": 1, "shard": text});
    let tasks: Vec<serde_json::Value> = (0..25)
        .map(|at| {
            json!({"task_id": format!("t{at}"), "task": "math", "answer": format!("#### {at}"),
                "shards": [shard(format!("How much is {at}?")), shard(format!("It is {at}."))]})
        })
        .collect();
    std::fs::write(at.join("tasks"), json!(tasks).to_string()).unwrap();
    good(at, &["import", "sharded", "tasks", "--out", "sharded"]);
    let said = good(at, &["run", "sharded/published.ifs", "-m", "sim/oracle", "--out", "once"]);
    assert!(said.contains("25 dialogues"), "{said}");
    let said = good(
        at,
        &["run", "sharded/published.ifs", "-m", "sim/oracle", "-n", "75", "--out", "thrice"],
    );
    assert!(said.contains("75 dialogues"), "{said}");
}
