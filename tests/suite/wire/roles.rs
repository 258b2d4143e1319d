//! What each role of the five systems is sent: the shipped scenarios against a server that records
//! every request, and for each role what the paper gives it.

use serde_json::json;

use super::server::Asked;
use super::*;

/// A judge that always says no, or gives the mark 3; a coder whose program extracts the lines; and
/// models that respond with two lines.
fn recording() -> Server {
    Server::start(|asked| {
        let said = prompt(asked);
        let code = said.rsplit_once("{\"code\": \"").map(|(_, rest)| rest[..8].to_owned());
        match (asked.body["model"].as_str(), code) {
            (Some("judge"), Some(code)) if said.contains("\"mark\":") => {
                answer(&json!({"code": code, "reason": "plain", "mark": 3}).to_string())
            }
            (Some("judge"), Some(code)) => {
                let (_, count) = said.rsplit_once("for each of the ").unwrap();
                let count: usize = count.split(' ').next().unwrap().parse().unwrap();
                let items: Vec<Value> = (1..=count)
                    .map(|id| json!({"id": id, "reason": "it is not there", "answer": "no"}))
                    .collect();
                answer(&json!({"code": code, "items": items}).to_string())
            }
            (Some("coder"), _) => answer("```\nlines\n```"),
            _ => answer("First line.\nSecond line."),
        }
    })
}

/// The last message of a request.
fn prompt(asked: &Asked) -> String {
    asked.texts().pop().unwrap_or_default()
}

/// Runs a command on a shipped scenario, with two dialogues; returns the requests.
fn asked(command_line: &str, scenario: &str, more: &str) -> (Vec<Asked>, TempDir) {
    let server = recording();
    let folder = TempDir::new().unwrap();
    let file = format!("{}/scenarios/{scenario}", env!("CARGO_MANIFEST_DIR"));
    let mut args = vec![command_line, &file, "-n", "2", "--retry-wait", "1ms"];
    args.extend(more.split_whitespace());
    if !args.contains(&"--seed") {
        args.extend(["--seed", "5"]);
    }
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    (server.log(), folder)
}

fn run_of(scenario: &str, more: &str) -> Vec<Asked> {
    let roles = "-m openai/m --judge openai/judge --coder openai/coder --out out";
    asked("run", scenario, &format!("{roles} {more}")).0
}

/// The requests of a role.
#[track_caller]
fn of<'l>(log: &'l [Asked], model: &str) -> Vec<&'l Asked> {
    let found: Vec<&Asked> = log.iter().filter(|asked| asked.body["model"] == model).collect();
    assert!(!found.is_empty(), "nothing was sent to {model}");
    found
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

fn roles(asked: &Asked) -> Vec<&str> {
    let messages = asked.body["messages"].as_array().unwrap();
    messages.iter().map(|message| message["role"].as_str().unwrap()).collect()
}

#[test]
fn evolif_sends_system_message_and_judge_scale() {
    let log = run_of("evolif/evolif.ifs", "--max-turns 6");
    for asked in of(&log, "m") {
        assert_eq!(roles(asked)[..2], ["system", "user"]);
        has(&asked.texts()[0], &["An instruction belongs to the topic", "comes back to a topic"]);
    }
    // Emotion, age and style are a judge's, from 1 to 10.
    for asked in of(&log, "judge") {
        has(&prompt(asked), &["[[system message ", "[[answer ", "Give a mark from 1 to 10"]);
        has(&prompt(asked), &["First line.\nSecond line.", "How well does the response"]);
    }
    let without = run_of("evolif/evolif.ifs", "--variant without_system_prompt --max-turns 2");
    assert!(of(&without, "m").iter().all(|asked| roles(asked)[0] == "user"));
}

#[test]
fn evolif_synthesizer_sees_topic_style_and_instructions() {
    let more = "--turns 6 --synthesizer openai/synthesizer --checker openai/checker --out set.jsonl \
                --temperature 1.2 --tries 1";
    let (log, _folder) = asked("synthesize", "evolif/evolif.ifs", more);
    let prompts: Vec<String> = of(&log, "synthesizer").iter().map(|asked| prompt(asked)).collect();
    for said in &prompts {
        has(said, &["How the person writes: ", "on the answer, and no other:\n1. "]);
    }
    let some = |part: &str| prompts.iter().any(|said| said.contains(part));
    assert!(some("It opens the topic: ") && some("goes on with the topic at hand"), "{prompts:?}");
    assert!(of(&log, "synthesizer").iter().all(|asked| asked.body["temperature"] == 1.2));
}

#[test]
fn structflowbench_judge_sees_the_golden_context() {
    let log = run_of("structflowbench/structflowbench.ifs", "-d structured");
    for asked in of(&log, "m") {
        let own = asked.texts().iter().any(|text| text.contains("First line."));
        assert!(!own, "the history is golden: {:?}", asked.texts());
    }
    let longest = of(&log, "judge").into_iter().max_by_key(|asked| prompt(asked).len()).unwrap();
    let said = prompt(longest);
    let earlier = said.matches("[[earlier message ").count();
    assert!(earlier >= 1 && said.matches("[[earlier answer ").count() == earlier, "{said}");
    has(&said, &["What the user asks now:", "The response:\n[[answer ", "\n1. ", "yes or no"]);
    // The number of previous turns in this dialogue.
    let history = of(&log, "m").iter().map(|asked| roles(asked).len() / 2).max().unwrap();
    assert!(earlier <= history, "{earlier} of {history}");
}

#[test]
fn meeseeks_feedback_is_readable() {
    let log = run_of("meeseeks/meeseeks.ifs", "");
    let (first, again): (Vec<&Asked>, Vec<&Asked>) =
        of(&log, "m").into_iter().partition(|asked| asked.texts().len() == 1);
    assert_eq!(first.len(), 2, "the question alone");
    assert_eq!(again.len(), 4, "two rounds for each");
    for asked in again {
        let said = prompt(asked);
        assert!(!said.contains("openai/") && !said.contains('_'), "{said}");
        assert!(said.contains("That is not all") || said.contains("还有不符合要求"), "{said}");
    }
    for asked in of(&log, "judge") {
        has(&prompt(asked), &["[[message ", "[[answer ", "yes or no"]);
    }
}

#[test]
fn meeseeks_coder_sees_part_and_response() {
    // An item whose parts models extract.
    let log = run_of("meeseeks/meeseeks.ifs", "--seed 34");
    for asked in of(&log, "coder") {
        let said = prompt(asked);
        has(&said, &["The part to cut out: ", "A program is one step a line", "First line.\n"]);
    }
}

#[test]
fn mars_sends_rosters_and_judge_checklists() {
    for dialogue in ["retrieved", "reasoned"] {
        let more = format!("-d {dialogue} --variant by_judge --max-turns 8");
        let log = run_of("mars/mars.ifs", &more);
        for asked in of(&log, "m") {
            has(&asked.texts()[0], &["These are the teams:", ": ", ", "]);
        }
        // Lines of the log, and no more than the segment's.
        let first = of(&log, "m").into_iter().min_by_key(|asked| asked.texts().len()).unwrap();
        has(&first.texts()[1], &["12:00\t", "\n\n"]);
        for asked in of(&log, "judge") {
            let said = prompt(asked);
            has(&said, &["These are the teams:", "[[right answer ", "Does the answer state this"]);
            has(&said, &["(points: ", "[[answer ", "states something that contradicts it"]);
        }
    }
}

#[test]
fn mmmt_sends_instructions_first_and_pictures_to_the_judge() {
    let log = run_of("mmmt/mmmt.ifs", "-d album --variant judged --max-turns 2");
    for asked in of(&log, "m") {
        let first = &asked.body["messages"][0]["content"];
        let pictures = first.to_string().matches("data:image/png;base64,").count();
        assert!((2..=5).contains(&pictures), "{pictures} pictures");
        for said in asked.texts().iter().step_by(2) {
            let at = said.rfind("Instruction: ");
            let question = said.find("In picture").or(said.find("[square brackets]"));
            if let (Some(at), Some(question)) = (at, question) {
                assert!(at < question, "{said}");
            }
        }
    }
    for asked in of(&log, "judge") {
        let body = asked.body.to_string();
        assert!(
            body.matches("data:image/png;base64,").count() >= 2,
            "the pictures are judged with"
        );
        has(&prompt(asked), &["[[right answer ", "[[answer ", "(points: "]);
    }
}
