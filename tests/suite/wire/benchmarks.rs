//! Benchmarks of the repository over HTTP, from one command to their own metrics.

use serde_json::json;

use super::server::Asked;
use super::*;

fn scenario_file(name: &str) -> String {
    format!("{}/scenarios/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A judge that always says yes, a coder that extracts the lines, and a model with a constant
/// response.
fn at_its_word(said: &'static str) -> Server {
    Server::start(move |asked| {
        let text = asked.texts().pop().unwrap_or_default();
        match asked.body["model"].as_str() {
            Some("judge") => answer(&yes(&text)),
            Some("coder") => answer("```\nlines\n```"),
            _ => answer(said),
        }
    })
}

fn yes(prompt: &str) -> String {
    let (_, rest) = prompt.rsplit_once("{\"code\": \"").expect("a form");
    let code = &rest[..8];
    let (_, count) = prompt.rsplit_once("for each of the ").expect("a checklist");
    let count: usize =
        count.split(' ').next().and_then(|count| count.parse().ok()).expect("a number");
    let items = (1..=count).map(|id| json!({"id": id, "reason": "so", "answer": "yes"}));
    json!({"code": code, "items": items.collect::<Vec<_>>()}).to_string()
}

fn scores(folder: &TempDir) -> Value {
    serde_json::from_str(&read(folder, "scores.json")).unwrap()
}

fn metric(scores: &Value, name: &str) -> f64 {
    let metrics = scores["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn meeseeks_repeats_turns_and_reports_its_metrics() {
    let server = at_its_word("One line.\nAnother line.\n\nA third, on its own?");
    let folder = TempDir::new().unwrap();
    let scenario = scenario_file("meeseeks/meeseeks.ifs");
    let mut args = vec!["run", &scenario, "-m", "openai/m", "-n", "30", "--seed", "3"];
    args.extend(["--judge", "openai/judge"]);
    args.extend(["--coder", "openai/coder", "--out", "out", "--retry-wait", "1ms"]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap())
        .ends(0)
        .says("Round by round")
        .says("utility_rate");
    let scores = scores(&folder);
    let rounds = scores["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 3, "the first answer and two after feedback");
    // By hand: an item is usable if its last response meets every requirement.
    let (mut useful, mut asked_again) = (0.0, 0);
    for transcript in transcripts(&folder) {
        let turn = &transcript["turns"][0];
        let held = |verdicts: &Value| {
            verdicts.as_array().unwrap().iter().all(|one| one["outcome"] == "held")
        };
        useful += f64::from(u8::from(held(&turn["samples"][0]["verdicts"])));
        let rounds = turn["rounds"].as_array().map_or(0, Vec::len);
        assert_eq!(
            rounds,
            if held(&turn["samples"][0]["verdicts"]) { 0 } else { 2 },
            "the answer is always the same"
        );
        asked_again += rounds;
    }
    assert!((metric(&scores, "utility_rate") - useful / 30.0).abs() < 1e-9);
    let log = server.log();
    let of = |model: &str| log.iter().filter(|asked: &&Asked| asked.body["model"] == model).count();
    assert_eq!(of("m"), 30 + asked_again);
    assert!(of("coder") > 0 && of("judge") > 0);
    // The feedback of a Chinese task has no English except names.
    let feedback =
        log.iter().flat_map(|asked| asked.texts()).find(|text| text.contains("没有做到"));
    let feedback = feedback.expect("a Chinese item among thirty");
    assert!(!feedback.contains("must") && !feedback.contains("comes after"), "{feedback}");
}

#[test]
fn pictures_are_sent_and_instructions_are_counted_over_http() {
    let server = at_its_word("I see a shelf with things on it.");
    let folder = TempDir::new().unwrap();
    let scenario = scenario_file("mmmt/mmmt.ifs");
    let args =
        ["run", &scenario, "-m", "openai/m", "-n", "1", "--out", "out", "--retry-wait", "1ms"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0).says("PIF");
    let scores = scores(&folder);
    // Golden answers are scored in addition to PIF, and separately.
    assert!((0.0..=1.0).contains(&metric(&scores, "points")));
    assert!(!scores["answers"]["by_class"].as_array().unwrap().is_empty());
    let pif = metric(&scores, "PIF");
    assert!((0.0..=1.0).contains(&pif), "{pif}");
    // By hand, from the active constraints on each turn.
    let turns = transcripts(&folder)[0]["turns"].as_array().unwrap().clone();
    let shares = turns.iter().map(|turn| {
        let constraints: Vec<&Value> = (turn["samples"][0]["verdicts"].as_array().unwrap().iter())
            .filter(|one| one.get("kind").is_none_or(Value::is_null))
            .collect();
        let held = constraints.iter().filter(|one| one["outcome"] == "held").count();
        if constraints.is_empty() { 1.0 } else { held as f64 / constraints.len() as f64 }
    });
    assert!((shares.sum::<f64>() / turns.len() as f64 - pif).abs() < 1e-9);
    // All pictures are in the first message; instructions precede the question.
    let log = server.log();
    let messages = log.iter().map(|request| &request.body["messages"]);
    let longest = messages.max_by_key(|messages| messages.as_array().unwrap().len()).unwrap();
    let users = longest.as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let users: Vec<&Value> = users.collect();
    let pictures = |message: &Value| message.to_string().matches("data:image/png;base64,").count();
    assert!((2..=5).contains(&pictures(users[0])), "{} pictures", pictures(users[0]));
    assert!(users[1..].iter().all(|message| pictures(message) == 0));
    let parts = users[0]["content"].as_array().unwrap();
    let text = parts.last().unwrap()["text"].as_str().unwrap();
    assert!(text.starts_with("Instruction: ") && text.contains("\n\n"), "{text}");
    for message in &users[1..] {
        let text = message["content"].as_str().unwrap();
        let asked = text.split_once("\n\n").map_or(text, |(_, asked)| asked);
        assert!(!asked.contains("Instruction: "), "an instruction after the question: {text}");
    }
}
