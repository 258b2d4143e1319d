//! `ifs turn next` and `ifs turn take`: rounds by hand, for engines that read batch files.

use serde_json::json;

use super::judges::{is_judge, verdict};
use super::server::{Asked, chat};
use super::*;

/// No request is sent.
fn nowhere() -> Server {
    Server::start(|asked| panic!("{} was asked for", asked.path))
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Output {
    let mut command = command(folder.path(), server, args);
    // An engine on this machine has no key.
    command.env("VLLM_BASE_URL", server.base()).env_remove("OPENAI_API_KEY");
    command.output().unwrap()
}

fn take(folder: &TempDir, server: &Server, files: &[&str]) -> Ran {
    Ran::of(ifs(folder, server, &[&["turn", "take", "out"], files].concat()))
}

/// The rows of the next round; none when the run is complete.
fn next(folder: &TempDir, server: &Server, args: &[&str]) -> Vec<Value> {
    let output = ifs(folder, server, &[&["turn", "next"], args].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let rows = String::from_utf8(output.stdout).unwrap();
    rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn asked(row: &Value) -> Asked {
    let body = row["body"].clone();
    let (path, method) = (row["url"].as_str().unwrap().to_owned(), "POST".to_owned());
    Asked { number: 0, path, headers: Vec::new(), text: body.to_string(), body, method }
}

fn row(row: &Value, text: &str) -> String {
    let response = json!({"status_code": 200, "request_id": "q", "body": chat(text)});
    let row =
        json!({"id": "r", "custom_id": row["custom_id"], "response": response, "error": null});
    format!("{row}\n")
}

fn dutiful_row(it: &Value) -> String {
    row(it, &format!("Answer number {}.", asked(it).texts().len()))
}

fn write(folder: &TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).unwrap();
}

const NEW: [&str; 7] = ["wire.ifs", "-m", "vllm/m", "-n", "5", "--out", "out"];

#[test]
fn manual_runs_equal_automatic_runs() {
    let (server, folder) = (Server::start(super::dutiful), scenario());
    run(&folder, &server, "5", &[]).ends(0);
    let whole = read(&folder, "transcripts.jsonl");
    let (server, folder) = (nowhere(), scenario());
    let mut rows = next(&folder, &server, &NEW);
    for round in 1..=4 {
        assert_eq!(rows.len(), 5);
        assert_eq!(
            (&rows[0]["method"], &rows[0]["url"]),
            (&json!("POST"), &json!("/v1/chat/completions"))
        );
        assert!(
            rows[2]["custom_id"].as_str().unwrap().starts_with(&format!("talk/2/{round}/answer/"))
        );
        // The same round again, until its responses are taken.
        assert_eq!(next(&folder, &server, &["out"]), rows);
        write(&folder, "responses.jsonl", &rows.iter().rev().map(dutiful_row).collect::<String>());
        let ran = take(&folder, &server, &["responses.jsonl"]).ends(0).says("took 5 responses");
        match round {
            4 => drop(ran.says("no request is open").says("Scores, with")),
            _ => {
                drop(ran.says("the next round has 5 requests: write them with `ifs turn next out`"))
            }
        }
        rows = next(&folder, &server, &["out"]);
    }
    assert!(rows.is_empty());
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    take(&folder, &server, &["responses.jsonl"]).ends(0).says("took 0 responses, 5 taken before");
}

#[test]
fn files_in_parts_and_with_mistakes() {
    let (server, folder) = (nowhere(), scenario());
    let rows = next(&folder, &server, &NEW);
    let said: Vec<String> = rows.iter().map(dutiful_row).collect();
    write(&folder, "part.jsonl", &said[..2].concat());
    let missing = format!(
        "warning: 3 requests without a response: `{}`",
        rows[2]["custom_id"].as_str().unwrap()
    );
    take(&folder, &server, &["part.jsonl"]).ends(0).says("took 2 responses").says(&missing);
    // Cut within a row, as by an engine that is still writing; one again, one twice, one of another run.
    let other = said[2].replace("talk/2/1", "talk/2/9");
    let twice = said[4].replace("Answer", "Reply");
    let bad = [
        &said[0][..],
        "\n",
        &other,
        "[]\n",
        &said[4],
        &twice,
        "{\"custom_id\": \"x\"}\n",
        &said[3][..40],
    ];
    write(&folder, "bad.jsonl", &bad.concat());
    let lines = |line: usize, why: &str| format!("error: `bad.jsonl`, line {line}: {why}");
    take(&folder, &server, &["bad.jsonl"])
        .ends(3)
        .says(&lines(3, "no request of the run is named `talk/2/9/answer/"))
        .says(&lines(4, "it has no `custom_id`"))
        .says(&lines(6, "a second response to `talk/4/1/answer/"))
        .says("the first is in `bad.jsonl`, line 5, and neither is taken")
        .says(&lines(7, "it has neither a `response` nor an `error`"))
        .says(&lines(8, "it is not JSON"))
        .says("took 0 responses, 1 taken before");
    write(&folder, "same.jsonl", &[&said[2][..], &said[2]].concat());
    take(&folder, &server, &["same.jsonl"])
        .ends(0)
        .says("warning: `same.jsonl`, line 2: the same row as in `same.jsonl`, line 1")
        .says("took 1 response\n");
    // What was taken stays.
    write(&folder, "other.jsonl", &said[2].replace("Answer", "Reply"));
    take(&folder, &server, &["other.jsonl"])
        .ends(3)
        .says("error: `other.jsonl`, line 1: another response to `talk/2/1/answer/")
        .says("than the one that was taken before, which stays");
    // A row of an engine that failed; the request is in the next round again.
    let failed = json!({"custom_id": rows[3]["custom_id"], "error": null, "response": {
        "status_code": 500, "body": {"error": {"message": "out of memory"}}}});
    write(&folder, "failed.jsonl", &format!("{failed}\n{}", said[4]));
    take(&folder, &server, &["failed.jsonl"])
        .ends(0)
        .says("warning: `failed.jsonl`, line 1: 500 Internal Server Error: out of memory")
        .says("took 1 response\n");
    let open = next(&folder, &server, &["out"]);
    assert_eq!(open.len(), 5);
    assert_eq!(open.iter().filter(|it| **it == rows[3]).count(), 1);
    take(&folder, &server, &["nothing.jsonl"]).ends(3).says("`nothing.jsonl`");
}

#[test]
fn judges_and_several_models_by_hand() {
    let judged = "ifs 1\nbenchmark judged { version \"1.0.0\" }\n\
        constraint calm { say \"Sound calm.\" judge \"Does it sound calm?\" }\n\
        dialogue talk {\n  param day: int in 1..=9\n\
        turn one { ask \"What is on day {{ day }}?\" impose 1 from calm scope dialogue }\n\
        turn two { ask \"And then?\" }\n}\n";
    let (server, folder) = (nowhere(), scenario());
    write(&folder, "wire.ifs", judged);
    let judges = ["--judge", "vllm/a", "--judge", "vllm/b"];
    let mut rows = next(&folder, &server, &[&NEW[..], &judges].concat());
    for round in 1..=4 {
        let expected = if round % 2 == 0 { 10 } else { 5 };
        assert_eq!(rows.len(), expected, "round {round}");
        if round == 2 {
            let only = next(&folder, &server, &["out", "--only", "vllm/b"]);
            assert!(only.len() == 5 && only.iter().all(|it| it["body"]["model"] == "b"));
            let ran = Ran::of(ifs(&folder, &server, &["turn", "next", "out", "--only", "vllm/c"]));
            ran.ends(2).says("it has requests for `vllm/a` and `vllm/b`");
        }
        let said = |it: &Value| match is_judge(&asked(it)) {
            true => row(it, &verdict(&asked(it), "yes", 8)),
            false => dutiful_row(it),
        };
        write(&folder, "responses.jsonl", &rows.iter().map(said).collect::<String>());
        take(&folder, &server, &["responses.jsonl"]).ends(0);
        rows = next(&folder, &server, &["out"]);
    }
    assert!(rows.is_empty());
    assert_eq!(manifest(&folder)["complete"], true);
}

#[test]
fn options_refused_for_manual_runs() {
    let (server, folder) = (nowhere(), scenario());
    for (args, why) in [
        (
            &["wire.ifs", "-m", "anthropic/m", "--out", "out"][..],
            "does not read OpenAI's batch files",
        ),
        (
            &["wire.ifs", "-m", "sim/oracle", "--out", "out"],
            "is simulated: no request is sent for it",
        ),
        (&["wire.ifs", "-m", "vllm/m", "--out", "out", "--batch"], "takes no `--batch`"),
        (&["wire.ifs", "-m", "vllm/m", "--out", "out", "--stream"], "cannot be streamed"),
    ] {
        Ran::of(ifs(&folder, &server, &[&["turn", "next"], args].concat())).ends(2).says(why);
        assert!(!folder.path().join("out").exists());
    }
    next(&folder, &server, &NEW);
    // The settings of a started run do not change.
    Ran::of(ifs(&folder, &server, &["turn", "next", "out", "--seed", "9"])).ends(2).says("--seed");
}
