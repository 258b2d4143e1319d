//! `ifs grade`: rows in, verdicts out.

use super::*;

/// A row that requires at least this many words.
pub fn row(answer: &str, words: u32) -> String {
    format!(
        r#"{{"answer":"{answer}","constraint":"std.ifeval.length_constraints.number_words","args":{{"num_words":{words},"relation":"at least"}}}}"#
    )
}

fn strict(lines: &str) -> Vec<Json> {
    let rows = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    rows.map(|row| row["strict"].clone()).collect()
}

#[test]
fn rows_are_graded_in_order_with_errors() {
    let folder = TempDir::new().unwrap();
    let good: String = (0..500).map(|n| row("so it is", n % 7) + "\n").collect();
    fs::write(file(&folder, "good.jsonl"), &good).unwrap();
    let ran = ifs(folder.path(), &["grade", "good.jsonl", "--workers", "3"]).ends(GOOD);
    let wanted: Vec<Json> = (0..500).map(|n| (n % 7 <= 3).into()).collect();
    assert_eq!(strict(&ran.out), wanted);
    assert!(ran.err.contains("500 answers, 500 constraints; 0 rows"), "{}", ran.err);

    let bad = format!("{}\r\n\nnope\n{}", row("one two", 2), row("one", 2));
    fs::write(file(&folder, "bad.jsonl"), bad).unwrap();
    let ran = ifs(folder.path(), &["grade", "bad.jsonl"]).ends(INPUT);
    let rows: Vec<Json> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lines: Vec<&Json> = rows.iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [1, 3, 4]);
    assert_eq!(rows[1]["error"]["code"], "ifs::bad-row");
    assert_eq!(rows[2]["strict"], false);
    assert_eq!(rows[2]["constraints"][0]["measures"]["count(word)"], 1);

    ifs(folder.path(), &["grade", "none.jsonl"]).ends(INPUT).says("none.jsonl");
    ifs(folder.path(), &["grade", "good.jsonl", "--out", "no/where.jsonl"]).ends(MACHINE);
}

/// Rules are graded next to constraints that need a judge, which are never a pass.
#[test]
fn a_judged_constraint_does_not_stop_the_rules_of_its_row() {
    let folder = TempDir::new().unwrap();
    let row = |relation: &str| {
        let length = format!(r#"{{"mode":"word","relation":"{relation}","number":5}}"#);
        let emotion = r#"{"id":"emotion","args":{"emotion":"sad"}}"#;
        format!(
            r#"{{"response":"one two","instructions":[{{"id":"length","args":{length}}},{emotion}]}}"#
        )
    };
    let rows = format!("{}\n{}\n", row("less_than"), row("more_than"));
    fs::write(file(&folder, "rows.jsonl"), rows).unwrap();
    let ran = ifs(folder.path(), &["grade", "rows.jsonl"]).ends(GOOD);
    assert_eq!(strict(&ran.out), [Json::Null, false.into()]);
    let first: Json = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["constraints"][0]["strict"], true);
    assert_eq!(first["constraints"][1]["unjudged"], true);
    assert!(ran.err.contains(
        "decided by a judge, not graded: 2 constraints; left out of the totals: 1 answer"
    ));
}

#[test]
fn packed_rows_are_read_and_written() {
    let folder = TempDir::new().unwrap();
    let rows: String = (0..40).map(|n| row("so it is", n) + "\n").collect();
    fs::write(file(&folder, "rows.jsonl"), &rows).unwrap();
    let plain = ifs(folder.path(), &["grade", "rows.jsonl"]).ends(GOOD).out;
    for ending in ["gz", "zst"] {
        let packed = format!("verdicts.jsonl.{ending}");
        let args = ["grade", "rows.jsonl", "--out", &packed, "--format", "json"];
        let totals = ifs(folder.path(), &args).ends(GOOD).json();
        assert_eq!(totals["answers"]["of"], 40);
        assert_eq!(totals["prompt_level"]["strict"], 0.1);
        // Verdicts are not rows; the error for each line shows that they were decompressed.
        let again = ifs(folder.path(), &["grade", &packed]).ends(INPUT);
        assert_eq!(again.out.matches("unknown field `strict`").count(), 40, "{}", again.out);
        let first = fs::read(file(&folder, &packed)).unwrap();
        ifs(folder.path(), &args).ends(GOOD);
        assert_eq!(fs::read(file(&folder, &packed)).unwrap(), first);
        assert!(first.len() < plain.len());
        fs::write(file(&folder, &packed), &first[..first.len() / 2]).unwrap();
        ifs(folder.path(), &["grade", &packed]).ends(INPUT).says("cannot be read");
    }
}

#[test]
fn published_files_give_the_four_accuracies() {
    let folder = TempDir::new().unwrap();
    let prompts = r#"{"key":1,"prompt":"Why?","instruction_id_list":["punctuation:no_comma","startend:quotation"],"kwargs":[{},{}]}
{"key":2,"prompt":"How?","instruction_id_list":["punctuation:no_comma"],"kwargs":[{}]}
"#;
    let answers = r#"{"prompt":"Why?","response":"Sure:\n\"It is so.\""}
{"prompt":"How?","response":"So, it is."}
"#;
    fs::write(file(&folder, "prompts.jsonl"), prompts).unwrap();
    fs::write(file(&folder, "answers.jsonl"), answers).unwrap();
    let args = ["grade", "--prompts", "prompts.jsonl", "answers.jsonl", "--totals"];
    let text = ifs(folder.path(), &args).ends(GOOD).out;
    assert!(text.contains("0.00 %   50.00 %"), "{text}");
    assert!(text.contains("33.33 %   66.67 %"), "{text}");
    let json = [&args[..], &["--format", "json"]].concat();
    let totals = ifs(folder.path(), &json).ends(GOOD).json();
    assert_eq!(totals["prompt_level"]["loose"], 0.5);
    assert_eq!(totals["instruction_level"]["strict"], 1.0 / 3.0);
    fs::write(file(&folder, "answers.jsonl"), answers.lines().next().unwrap()).unwrap();
    ifs(folder.path(), &args).ends(INPUT).says("1 prompt without an answer");
}

/// Each row is in one shard, with the line that it has in its file.
#[test]
fn shards_of_rows_are_graded_once() {
    let folder = scaffold();
    let rows: String = (0..300).map(|at| row(&"one ".repeat(at % 9), 5) + "\n\n").collect();
    fs::write(file(&folder, "g.jsonl"), &rows).unwrap();
    let grade = |more: &[&str]| {
        let args = [&["grade", "g.jsonl", "--brief"][..], more].concat();
        let ran = ifs(folder.path(), &args).ends(GOOD);
        ran.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = grade(&[]);
    let mut parts = Vec::new();
    for shard in ["3/3", "1/3", "2/3"] {
        let part = grade(&["--shard", shard]);
        assert_eq!(part.len(), 100);
        parts.extend(part);
    }
    let line = |row: &String| serde_json::from_str::<Json>(row).unwrap()["line"].as_u64().unwrap();
    parts.sort_by_key(line);
    assert_eq!(parts, whole);
    ifs(folder.path(), &["grade", "g.jsonl", "--shard", "4/3"]).ends(USAGE).says("this is `4/3`");
}

/// An argument that a constraint does not know is an error, in published names too; null members are not
/// arguments.
#[test]
fn unknown_arguments_are_row_errors() {
    let row = |id: &str, ids: &str, kwargs: &str| {
        format!(
            "{{\"id\":\"{id}\",\"answer\":\"a b\",\"instruction_id_list\":[{ids}],\"kwargs\":[{kwargs}]}}\n"
        )
    };
    let comma = "\"punctuation:no_comma\"";
    let words = "\"length_constraints:number_words\"";
    let wrong = [
        row("shifted", comma, "{\"num_highlights\":3}"),
        row("zero", comma, "{\"num_highlights\":0}"),
        row(
            "second",
            &format!("{comma},{words}"),
            "{},{\"num_words\":1,\"relation\":\"at least\",\"num_sentences\":2}",
        ),
        row("misspelt", words, "{\"num_word\":1,\"relation\":\"at least\"}"),
        row("list", comma, "{\"keywords\":[]}"),
    ];
    let right = [
        row("none", comma, "{}"),
        row("null", comma, "{\"num_highlights\":null,\"keywords\":null}"),
        row("known", words, "{\"num_words\":1,\"relation\":\"at least\",\"keywords\":null}"),
        row(
            "both",
            &format!("{comma},{words}"),
            "null,{\"num_words\":1,\"relation\":\"at least\"}",
        ),
    ];
    let folder = scaffold();
    fs::write(file(&folder, "wrong.jsonl"), wrong.concat()).unwrap();
    fs::write(file(&folder, "right.jsonl"), right.concat()).unwrap();
    let ran = ifs(folder.path(), &["grade", "wrong.jsonl"]).ends(INPUT);
    for line in lines(&ran.out) {
        assert_eq!(line["error"]["code"], "ifs::bad-argument", "{line}");
    }
    assert_eq!(lines(&ran.out).len(), 5, "{}", ran.out);
    let ran = ifs(folder.path(), &["grade", "right.jsonl"]).ends(GOOD);
    assert!(lines(&ran.out).iter().all(|line| line["strict"] == true), "{}", ran.out);
}
