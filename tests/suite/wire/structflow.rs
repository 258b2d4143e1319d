//! StructFlowBench over HTTP: dialogues written by models, then run with and judged by others.

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

/// A planner, a writer and an extractor that follow their prompts.
fn dutiful(asked: &Asked) -> String {
    let prompt = &asked.texts()[0];
    let of = |turn: fn(&str) -> Value| -> Vec<Value> {
        names(prompt).iter().map(|name| turn(name)).collect()
    };
    match asked.body["model"].as_str() {
        Some("planner") => {
            let turns = of(|name| {
                let plan = format!("The user asks {name}.");
                json!({"name": name, "plan": plan, "explanation": "It opens."})
            });
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
        _ => {
            let question =
                json!({"type": "style", "question": "Is it plain?", "explanation": "A tone."});
            json!({ "questions": [question] }).to_string()
        }
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
    // The prompts of each: the structure line by line, definitions and examples, and no temperature
    // for roles that only read.
    let reported = |model: &str| log.iter().find(|asked| asked.body["model"] == model).unwrap();
    let plan = &reported("planner").texts()[0];
    assert!(plan.contains("\n- c1 opens the dialogue\n- c2 "), "{plan}");
    assert!(plan.contains("\"explanation\": \"…\"") && plan.contains("- recalls: "), "{plan}");
    let questions = &reported("extractor").texts()[0];
    assert_eq!(questions.matches("{\"questions\": [").count(), 3, "two examples and the form");
    for kind in ["content", "keyword", "style", "situation", "inverse", "basic_format", "template"]
    {
        let line = questions.lines().find(|line| line.starts_with(&format!("- {kind}: ")));
        assert!(line.is_some_and(|line| line.len() > 40), "{kind} is defined in {questions}");
    }
    assert!(
        reported("writer").texts()[0].contains("\n- quantity: An exact number or a limit of words")
    );
    let temperature = |model: &str| reported(model).body["temperature"].as_f64();
    assert_eq!((temperature("planner"), temperature("writer")), (Some(1.0), Some(1.0)));
    assert_eq!((temperature("extractor"), temperature("checker")), (Some(0.0), Some(0.0)));
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

/// Responds briefly, and judges in the requested form: a mark, or no to one question in four.
fn judged() -> Server {
    Server::start(|asked| {
        let texts = asked.texts();
        let said = texts.last().cloned().unwrap_or_default();
        let code =
            |said: &str| said.rsplit_once("{\"code\": \"").map(|(_, rest)| rest[..8].to_owned());
        let Some(code) = code(&said).filter(|_| asked.body["model"] == "judge") else {
            return answer(&format!("Answer {}.", texts.len()));
        };
        if said.contains("\"mark\":") {
            let mark = if said.contains("Goal clarity") { 2 } else { 5 };
            return answer(&json!({"code": code, "reason": "so", "mark": mark}).to_string());
        }
        let count = said.rsplit_once("for each of the ").unwrap().1;
        let count: usize = count.split(' ').next().unwrap().parse().unwrap();
        let items = (1..=count).map(|id| {
            let answer = if id % 4 == 0 { "no" } else { "yes" };
            json!({"id": id, "reason": "so", "answer": answer})
        });
        answer(&json!({"code": code, "items": items.collect::<Vec<_>>()}).to_string())
    })
}

fn metric(folder: &TempDir, name: &str) -> f64 {
    let scores: Value = serde_json::from_str(&read(folder, "scores.json")).unwrap();
    let metrics = scores["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn structured_dialogues_run_end_to_end() {
    let server = judged();
    let folder = TempDir::new().unwrap();
    let mut args = vec!["run", SCENARIO, "-d", "structured", "-m", "openai/m", "-n", "6"];
    args.extend(["--judge", "openai/judge", "--out", "out", "--retry-wait", "1ms"]);
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    ran.ends(0).says("Judged relations between turns").says("By slice");
    // The metrics by hand, from what was recorded.
    let (mut held, mut all, mut weighed, mut weights) = (0.0, 0.0, 0.0, 0.0);
    let mut turns = Vec::new();
    for transcript in transcripts(&folder) {
        for turn in transcript["turns"].as_array().unwrap() {
            let verdicts = turn["samples"][0]["verdicts"].as_array().unwrap();
            let of_turn = verdicts.iter().filter(|it| it["outcome"] == "held").count();
            for verdict in verdicts {
                let weight = if verdict["kind"] == "relation" { 2.0 } else { 1.0 };
                let yes = f64::from(u8::from(verdict["outcome"] == "held"));
                (held, all) = (held + yes, all + 1.0);
                (weighed, weights) = (weighed + weight * yes, weights + weight);
            }
            turns.push((of_turn, verdicts.len()));
        }
    }
    assert!(turns.iter().any(|(of_turn, all)| of_turn < all), "a fourth question was a no");
    let count = turns.len() as f64;
    let shares = turns.iter().map(|(of_turn, all)| *of_turn as f64 / *all as f64);
    let near = |name: &str, wanted: f64| {
        let have = metric(&folder, name);
        assert!((have - wanted).abs() < 1e-9, "{name}: {have}, {wanted} by hand");
    };
    near("DRFR", held / all);
    near("WCSR", weighed / weights);
    near("CSR", shares.sum::<f64>() / count);
    near("ISR", turns.iter().filter(|(of_turn, all)| of_turn == all).count() as f64 / count);
    let log = server.log();
    let judge = log.iter().find(|asked| asked.body["model"] == "judge").unwrap();
    let said = judge.texts().join("\n");
    assert!(said.contains("You are checking one response in a dialogue"), "its own checklist");
    // The history is golden, and a judge sees all of it.
    let longest = log.iter().filter(|asked| asked.body["model"] == "judge");
    let longest = longest.map(|asked| asked.texts().join("\n")).max_by_key(String::len).unwrap();
    assert!(
        longest.contains("[[earlier answer 1 ") && !longest.contains("\nAnswer 1."),
        "{longest}"
    );
}

#[test]
fn the_quality_of_dialogues_is_marked_end_to_end() {
    let server = judged();
    let folder = TempDir::new().unwrap();
    let quality = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/structflowbench/quality.ifs");
    let mut args = vec!["run", quality, "-m", "sim/golden", "-n", "2", "--judge", "openai/judge"];
    args.extend(["--out", "out", "--retry-wait", "1ms"]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0).says("MARK");
    // In both dialogues, two of three marks are 5 and one is 2.
    assert_eq!(metric(&folder, "MARK"), 4.0);
    assert_eq!(metric(&folder, "CF"), 1.0);
    let log = server.log();
    assert_eq!(log.len(), 6, "three marks of each dialogue, and nobody answers");
    let read =
        |asked: &&Asked| asked.texts().join("\n").contains("everyone has seen that one film");
    assert_eq!(log.iter().filter(read).count(), 3, "each mark is given for the whole talk");
}

const GOLDEN: &str = r#"ifs 1
import topics "topics.jsonl"
constraint plain { say "Be plain." judge "Is it plain?" }
dialogue talk {
  topic   from topics
  templates   from "words"
  impose  1 from plain scope turn
  context golden
  judge   history all
  turn a
  turn b follows a
  turn c unrelated
  turn d refines a
  turn e recalls b
}
release { 2 dialogues of talk }
"#;

/// Responses that a template writes are the history, and a judge sees all of it; a turn that is
/// unrelated to all before is not judged on that; users say what an earlier turn was about; a
/// release says how many dialogues there are.
#[test]
fn templates_write_the_golden_history() {
    let server = judged();
    let folder = TempDir::new().unwrap();
    let topics = "{\"name\": \"tides\", \"request\": \"Why?\", \"angles\": [\"the moon\"]}\n\
                  {\"name\": \"yeast\", \"request\": \"How?\", \"angles\": [\"warm dough\"]}\n";
    std::fs::write(folder.path().join("a.ifs"), GOLDEN).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    std::fs::create_dir(folder.path().join("words")).unwrap();
    let golden = "On {{ about }}{% for it in active %}, {{ it.group }}{% endfor %}.";
    std::fs::write(folder.path().join("words/answer.j2"), golden).unwrap();
    let mut args = vec!["run", "a.ifs", "-m", "openai/m", "--judge", "openai/judge"];
    args.extend(["--out", "out", "--retry-wait", "1ms"]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0).says("2 dialogues");
    let log = server.log();
    let asked = log.iter().filter(|asked| asked.body["model"] == "m");
    let longest = asked.map(|asked| asked.texts()).max_by_key(Vec::len).unwrap();
    let (first, side) = match longest[1].contains("tides") {
        true => ("tides", "the moon"),
        false => ("yeast", "warm dough"),
    };
    assert_eq!(longest[1], format!("On {first}, plain."));
    assert_eq!(longest[3], format!("On {side}, plain."));
    assert!(longest[6].starts_with(&format!("Do {first} once more")), "{longest:?}");
    assert!(longest[8].starts_with(&format!("Back to {side}")), "{longest:?}");
    assert!(longest.iter().all(|said| !said.contains("message 1")), "{longest:?}");
    // The last turn was judged with all four before it.
    let judged = log.iter().filter(|asked| asked.body["model"] == "judge");
    let judged = judged.map(|asked| asked.texts().join("\n")).max_by_key(String::len).unwrap();
    assert!(judged.contains(&format!("On {first}, plain.")), "{judged}");
    assert!(judged.contains("earlier answer 1") && judged.contains("earlier answer 4"), "{judged}");
    let turns = transcripts(&folder)[0]["turns"].as_array().unwrap().clone();
    let kinds = turns.iter().map(|turn| {
        let verdicts = turn["samples"][0]["verdicts"].as_array().unwrap();
        verdicts.iter().filter(|one| one["kind"] == "relation").count()
    });
    assert_eq!(kinds.collect::<Vec<_>>(), [0, 1, 0, 1, 1]);
}
