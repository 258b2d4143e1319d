//! StructFlowBench over HTTP: dialogues written by models, then held and judged by others.

use serde_json::json;

use super::server::Asked;
use super::*;

const SCENARIO: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/structflowbench/structflowbench.ifs");

/// The names of the turns in the form that a prompt shows.
fn names(prompt: &str) -> Vec<String> {
    let form = prompt.rsplit("JSON alone").next().unwrap_or_default();
    let parts = form.split("{\"name\": \"").skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect()
}

/// A planner, a writer and an extractor that do as they are told.
fn dutiful(asked: &Asked) -> String {
    let prompt = &asked.texts()[0];
    let of = |turn: fn(&str) -> Value| -> Vec<Value> {
        names(prompt).iter().map(|name| turn(name)).collect()
    };
    match asked.body["model"].as_str() {
        Some("planner") => {
            let turns = of(|name| json!({"name": name, "plan": format!("The user asks {name}.")}));
            json!({"purpose": "to know", "turns": turns}).to_string()
        }
        Some("writer") => {
            let turns = of(|name| {
                let number = name.trim_start_matches('c');
                json!({"name": name, "user": format!("Question {number}?"), "assistant": "So it is."})
            });
            json!({ "turns": turns }).to_string()
        }
        Some("checker") => json!({"wrong": []}).to_string(),
        _ => json!({"questions": [{"type": "style", "question": "Is it plain?"}]}).to_string(),
    }
}

#[test]
fn dialogues_are_written_by_models_in_their_roles() {
    // The first plan lacks its turns.
    let server = Server::start(|asked| match asked.body["model"].as_str() {
        Some("planner") if asked.texts().len() == 1 => {
            answer(r#"{"purpose": "to know", "turns": []}"#)
        }
        _ => answer(&dutiful(asked)),
    });
    let folder = TempDir::new().unwrap();
    let mut args = vec!["construct", SCENARIO, "--dialogue", "structured", "-n", "2"];
    args.extend(["--planner", "openai/planner", "--writer", "openai/writer"]);
    args.extend(["--extractor", "openai/extractor", "--checker", "openai/checker"]);
    args.extend(["--out", "talks.jsonl", "--retry-wait", "1ms"]);
    let constructed = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    constructed.ends(0).says("2 at a later try").says("frozen");
    let log = server.log();
    let of = |model: &str| log.iter().filter(|asked| asked.body["model"] == model).count();
    assert_eq!((of("planner"), of("checker"), of("writer")), (4, 2, 2));
    let text = std::fs::read_to_string(folder.path().join("talks.jsonl")).unwrap();
    let turns: usize = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|entry| entry["talk"]["turns"].as_array().unwrap().len())
        .sum();
    assert_eq!(of("extractor"), turns, "each message is read by itself");
    assert!(!text.contains(KEY));
    let import = ["import", "dialogues", "talks.jsonl", "--out", "ours"];
    Ran::of(command(folder.path(), &server, &import).output().unwrap()).ends(0);
}

#[test]
fn golden_context_is_sent_and_not_the_models_own_answers() {
    let server = Server::start(|asked| answer(&format!("Mine, {}.", asked.texts().len())));
    let folder = TempDir::new().unwrap();
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/structflowbench/published.ifs");
    let mut args = vec!["run", published, "-m", "openai/m", "-n", "1", "--out", "out"];
    args.extend(["--retry-wait", "1ms"]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let log = server.log();
    let last = log.iter().map(|asked| asked.texts()).max_by_key(Vec::len).unwrap();
    // Three questions with the written answers to the first two between them.
    assert_eq!(last.len(), 5, "{last:?}");
    assert!(last[1].starts_with("Hello, I was expecting parcel 4471"));
    assert!(last[3].starts_with("Parcel 4471 was due on Monday"));
    assert!(last.iter().all(|text| !text.starts_with("Mine")));
}
