//! Logs of inspect_ai have what the model was sent: each model event its request, and the sample the
//! last one with its response.

use super::judges::is_judge;
use super::*;

const TURNS: &str = r#"
  turn a { ask "A" answer "GOLD" require r contains("x") }
  turn b { ask "B" require r contains("x") }
  turn c { ask "C" answer "LAST" require r contains("x") }
"#;

/// The messages of a request: the role and the text of each.
type Sent = Vec<(String, String)>;

fn message(message: &Value) -> (String, String) {
    let text = match &message["content"] {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    (message["role"].as_str().unwrap().to_owned(), text)
}

fn messages(all: &Value) -> Sent {
    all.as_array().unwrap().iter().map(message).collect()
}

/// Runs a dialogue with these statements, and compares its log with the requests.
fn logged(head: &str, statements: &str, turns: &str) -> Sent {
    let server = Server::start(|asked| answer(&format!("No {}.", asked.number)));
    let folder = TempDir::new().unwrap();
    let text = format!("ifs 1\n{head}\ndialogue d {{\n{statements}\n{turns}\n}}\n");
    std::fs::write(folder.path().join("d.ifs"), text).unwrap();
    let ifs =
        |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap()).ends(0);
    ifs(&["run", "d.ifs", "-m", "openai/m", "-n", "1", "-j", "1", "--out", "out"]);
    let said = ifs(&["report", "out", "--format", "inspect", "--out", "logs"]);
    let path = said.all.lines().find(|line| line.ends_with(".eval")).unwrap();
    let bytes = std::fs::read(folder.path().join(path)).unwrap();
    let sample = crate::cli::exports::unpacked(&bytes).remove("samples/0_epoch_1.json").unwrap();

    let sent: Vec<Sent> =
        server.log().iter().map(|asked| messages(&asked.body["messages"])).collect();
    assert!(server.log().iter().all(|asked| !is_judge(asked)));
    let pool = messages(&sample["events_data"]["messages"]);
    let events = sample["events"].as_array().unwrap();
    let events = events.iter().filter(|event| event["event"] == "model");
    let requests: Vec<Sent> = events
        .map(|event| {
            let ranges = event["input_refs"].as_array().unwrap().iter();
            let ends = |range: &Value| [0, 1].map(|at| range[at].as_u64().unwrap() as usize);
            ranges.flat_map(|range| pool[ends(range)[0]..ends(range)[1]].to_vec()).collect()
        })
        .collect();
    assert_eq!(requests, sent, "{statements}\n{turns}");
    assert_eq!(messages(&sample["input"]), sent[0], "{statements}");
    // Further samples, which are asked for in any order, are in the events only.
    let samples = if statements == "sample 2" { 2 } else { 1 };
    let logged = messages(&sample["messages"]);
    let (response, before) = logged.split_last().unwrap();
    assert_eq!(before, sent.last().unwrap(), "{statements}");
    let number: usize = response.1.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    assert!((sent.len() - samples..sent.len()).contains(&number), "{response:?}");
    assert_eq!(sample["output"]["completion"], response.1.as_str());
    logged
}

fn texts(sent: &Sent) -> Vec<&str> {
    sent.iter().map(|(_, text)| text.as_str()).collect()
}

#[test]
fn every_form_of_history_is_logged_as_it_is_sent() {
    let plain = logged("", "", TURNS);
    assert_eq!(texts(&plain), ["A", "No 0.", "B", "No 1.", "C", "No 2."]);
    let golden = logged("", "context golden", &TURNS.replace("\"B\"", "\"B\" answer \"SILVER\""));
    assert_eq!(texts(&golden), ["A", "GOLD", "B", "SILVER", "C", "No 2."]);
    let given = logged(
        "",
        "",
        &TURNS.replace("answer \"GOLD\" require r contains(\"x\")", "reply \"GIVEN\""),
    );
    assert_eq!(texts(&given), ["A", "GIVEN", "B", "No 0.", "C", "No 1."]);
    let system = logged("", "system \"Be brief.\"", TURNS);
    assert_eq!(texts(&system)[..3], ["Be brief.", "A", "No 0."]);
    logged("", "sample 2", TURNS);
    logged("", "retry up to 1 rounds with feedback", TURNS);
    logged("", "retry up to 1 rounds with feedback as fresh", TURNS);
    let stop = "constraint stop { say \"End with a full stop.\" check ends_with(\".\") }";
    logged(stop, "repeat instructions at end\nimpose stop", TURNS);
    let tool = TURNS.replace("ask \"B\"", "ask \"B\" show \"A page.\" by tool \"page\"");
    logged("", "", &tool);
    let golden = TURNS.replace("\"B\"", "\"B\" answer \"SILVER\"");
    logged("", "context golden\nretry up to 1 rounds with feedback", &golden);
}

/// The last turn may be given: then the dialogue ends with it, and the output is the last response.
#[test]
fn a_dialogue_may_end_with_a_given_turn() {
    let server = Server::start(|_| answer("No."));
    let folder = TempDir::new().unwrap();
    let text = "ifs 1\ndialogue d { turn { ask \"A\" require r contains(\"x\") } turn { ask \"B\" reply \"GIVEN\" } }";
    std::fs::write(folder.path().join("d.ifs"), text).unwrap();
    let ifs =
        |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap()).ends(0);
    ifs(&["run", "d.ifs", "-m", "openai/m", "-n", "1", "--out", "out"]);
    let said = ifs(&["report", "out", "--format", "inspect", "--out", "logs"]);
    let path = said.all.lines().find(|line| line.ends_with(".eval")).unwrap();
    let bytes = std::fs::read(folder.path().join(path)).unwrap();
    let sample = crate::cli::exports::unpacked(&bytes).remove("samples/0_epoch_1.json").unwrap();
    assert_eq!(texts(&messages(&sample["messages"])), ["A", "No.", "B", "GIVEN"]);
    assert_eq!(sample["output"]["completion"], "No.");
}
