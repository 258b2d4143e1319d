//! Blocks of reasoning in responses: kept apart, counted, and never sent back.

use super::*;

const PROGRAM: &str = r#"ifs 1
benchmark talk { version "0.1.0" }
constraint short { say "Use at most 5 words." check count(word) <= 5 }
constraint nocomma { say "Use no commas." check not contains(",") }
dialogue talk {
  impose short scope dialogue
  impose nocomma scope dialogue
  turn a { ask "Why do tides turn?" }
  turn b { ask "And when?" }
}
"#;

/// A run of one dialogue with this response to every turn.
fn told(response: &'static str) -> (TempDir, Server, Ran) {
    let server = Server::start(move |_| answer(response));
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("talk.ifs"), PROGRAM).unwrap();
    let args = ["run", "talk.ifs", "-n", "1", "-m", "openai/m", "--out", "out"];
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    (folder, server, ran)
}

#[test]
fn blocks_of_any_model_are_kept_apart_and_not_sent_back() {
    for response in [
        "<think>well, hm, I need, let me see</think>one two three",
        "[THINK]well, hm, I need, let me see, so[/THINK]one two three",
        "<reasoning>\nwell, hm\n</reasoning>\n\none two three",
        "<|channel|>analysis<|message|>well, hm, I need<|end|><|start|>assistant<|channel|>final<|message|>one two three",
        "◁think▷well, hm, so◁/think▷one two three",
        "<|START_THINKING|>well, hm<|END_THINKING|><|START_RESPONSE|>one two three<|END_RESPONSE|>",
        "【思考】well, hm【/思考】one two three",
    ] {
        let (folder, server, ran) = told(response);
        ran.ends(0).says("reasoning stored separately in 2 responses");
        let turns = transcripts(&folder)[0]["turns"].clone();
        for turn in turns.as_array().unwrap() {
            assert_eq!(turn["samples"][0]["answer"], "one two three", "{response}");
            assert!(turn["samples"][0]["reasoning"].as_str().unwrap().contains("hm"), "{response}");
            let outcomes = turn["samples"][0]["verdicts"].as_array().unwrap().iter();
            assert!(outcomes.into_iter().all(|verdict| verdict["outcome"] == "held"), "{response}");
        }
        let second = server.log().into_iter().find(|asked| asked.texts().len() > 2).unwrap();
        assert_eq!(second.texts()[1], "one two three", "{response}");
    }
}

#[test]
fn unknown_blocks_of_the_same_shape_are_reported() {
    let (folder, _server, ran) = told("<pondering>well, hm</pondering>\none two three");
    ran.ends(0).says("(`<pondering>` 2); it was kept apart as");
    assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"], "one two three");
    let (folder, _server, ran) = told("<plan>first, this</plan>\none two three");
    ran.ends(0).says("(`<plan>` 2); it was scored as part");
    assert!(
        transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"]
            .as_str()
            .unwrap()
            .starts_with("<plan>")
    );
    let (_folder, _server, ran) = told("one two three");
    assert!(!ran.ends(0).all.contains("begin in a block"));
}

#[test]
fn recorded_responses_are_read_alike() {
    let server = Server::start(|_| answer(""));
    let folder = TempDir::new().unwrap();
    let row = |answer: &str| {
        let row = serde_json::json!({
            "answer": answer, "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}],
        });
        std::fs::write(folder.path().join("rows.jsonl"), format!("{row}\n")).unwrap();
        let args = ["grade", "rows.jsonl"];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0)
    };
    row("[THINK]hm, one, two[/THINK]Tides come twice.").says("\"strict\":true");
    row("<|channel|>analysis<|message|>hm, so<|end|><|start|>assistant<|channel|>final<|message|>Tides come.")
        .says("\"strict\":true");
    row("<musing>hm, so</musing>Tides come.").says("`<musing>`").says("\"strict\":true");
    row("[THINK]hm, one, two").says("reasoning_only").says("\"strict\":false");
}
