//! Synthesis: the requests to synthesizers and checkers, and what is recorded.

use super::server::{Asked, error};
use super::*;

/// A valid user message: the demands, verbatim from the prompt.
fn dutiful_words(asked: &Asked) -> String {
    let prompt = &asked.texts()[0];
    let plain = prompt.split("<plain>\n").nth(1).unwrap().split("\n</plain>").next().unwrap();
    format!("In my own words: {plain}")
}

const GOOD: &str = r#"{"left_out": [], "added": []}"#;

fn fine(asked: &Asked) -> Vec<Step> {
    match asked.body["model"].as_str() {
        Some("checker") if asked.texts()[0].contains("on_topic\":") => {
            answer(r#"{"on_topic": true, "why": "it is"}"#)
        }
        Some("checker") => answer(GOOD),
        _ => answer(&dutiful_words(asked)),
    }
}

fn words(folder: &TempDir, server: &Server, more: &[&str]) -> Ran {
    let mut args = vec!["synthesize", "wire.ifs", "--synthesizer", "openai/writer"];
    if !more.contains(&"-n") {
        args.extend(["-n", "2"]);
    }
    args.extend([
        "--checker",
        "openai/checker",
        "--out",
        "utterances.jsonl",
        "--retry-wait",
        "1ms",
    ]);
    args.extend(more);
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

fn file(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

/// The header of a set, and its turns.
fn set(folder: &TempDir) -> (Value, Vec<Value>) {
    let text = file(folder, "utterances.jsonl");
    let mut rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (rows.next().unwrap(), rows.collect())
}

fn of<'a>(log: &'a [Asked], model: &str) -> Vec<&'a Asked> {
    log.iter().filter(|asked| asked.body["model"] == model).collect()
}

#[test]
fn messages_are_written_checked_and_frozen() {
    let server = Server::start(fine);
    let folder = scenario();
    words(&folder, &server, &["--temperature", "1.2"]).ends(0).says("frozen").says("100.00 %");
    let (header, lines) = set(&folder);
    assert_eq!(
        (&header["version"], &header["made"]["seed"], &header["made"]["turns"]),
        (&1.into(), &1.into(), &20.into())
    );
    // Two dialogues of four turns; each demand is checked, and the subject if it is new.
    assert_eq!(lines.len(), 8);
    let log = server.log();
    assert_eq!((of(&log, "writer").len(), of(&log, "checker").len()), (8, 10));
    assert!(of(&log, "writer").iter().all(|asked| asked.body["temperature"] == 1.2));
    assert!(of(&log, "checker").iter().all(|asked| asked.body.get("temperature").is_none()));
    for line in &lines {
        assert_eq!((&line["state"], &line["by"]), (&"passed".into(), &"openai/writer".into()));
        let plain = line["plain"].as_str().unwrap();
        assert_eq!(line["message"], format!("In my own words: {plain}"));
        // The checker saw the user message and each demand.
        let seen = of(&log, "checker").into_iter().any(|asked| {
            let text = &asked.texts()[0];
            text.contains(line["message"].as_str().unwrap())
                && line["demands"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|ask| text.contains(ask.as_str().unwrap()))
        });
        assert!(seen, "{line}");
    }
    words(&folder, &server, &[]).ends(3).says("already exists");
}

#[test]
fn incomplete_messages_are_retried_and_flagged() {
    // The first attempt lacks the number; the checker rejects every message of dialogue 1.
    let server = Server::start(|asked| match asked.body["model"].as_str() {
        Some("writer") if asked.texts().len() == 1 => answer("\"Please be brief.\""),
        Some("checker") if asked.texts()[0].contains("on_topic\":") => fine(asked),
        Some("checker") if asked.texts()[0].contains("tides") => {
            answer("```json\n{\"left_out\": [\"the words\"], \"added\": [\"a poem\"]}\n```")
        }
        _ => fine(asked),
    });
    let folder = scenario();
    words(&folder, &server, &["-n", "6"]).ends(0).says("ifs review utterances.jsonl");
    let (header, lines) = set(&folder);
    assert_eq!((&header["version"], &header["hash"]), (&0.into(), &Value::Null));
    let flagged: Vec<&Value> = lines.iter().filter(|line| line["state"] == "flagged").collect();
    let retried: Vec<&Value> = lines.iter().filter(|line| line["state"] == "retried").collect();
    assert!(!flagged.is_empty() && !retried.is_empty());
    assert_eq!(flagged.len() + retried.len(), lines.len());
    assert!(retried.iter().all(|line| line["tries"] == 2 && line.get("why").is_none()));
    for line in flagged {
        assert_eq!(
            (&line["tries"], &line["why"]),
            (&3.into(), &"it leaves out: the words. it adds: a poem".into())
        );
    }
    let log = server.log();
    // A message that a rule rejects is not sent to the checker, and the writer gets the reason.
    assert!(of(&log, "checker").iter().all(|asked| !asked.texts()[0].contains("Please be brief.")));
    let again = of(&log, "writer").into_iter().find(|asked| asked.texts().len() == 3).unwrap();
    assert_eq!(again.texts()[1], "\"Please be brief.\"");
    assert!(again.texts()[2].contains("of length.short is missing"), "{}", again.texts()[2]);
}

#[test]
fn unreadable_checker_replies_reject() {
    let server = Server::start(|asked| match asked.body["model"].as_str() {
        Some("checker") => answer("All is well!"),
        _ => fine(asked),
    });
    let folder = scenario();
    words(&folder, &server, &["-n", "1", "--turns", "1", "--tries", "2"]).ends(0);
    let (_, lines) = set(&folder);
    assert_eq!((&lines[0]["state"], &lines[0]["tries"]), (&"flagged".into(), &2.into()));
    assert_eq!(lines[0]["why"], "the checker's answer could not be read");
    // Two requests for each attempt.
    assert_eq!(of(&server.log(), "checker").len(), 4);
}

#[test]
fn recorded_responses_are_not_requested_again() {
    let broken = Server::start(|asked| match asked.body["model"].as_str() {
        Some("checker") if asked.number > 6 => error("400 Bad Request", &[], "not now"),
        _ => fine(asked),
    });
    let folder = scenario();
    let more = ["-n", "3", "--max-connections", "2"];
    let ran = words(&folder, &broken, &more).ends(4);
    ran.says("400 Bad Request: not now")
        .says("could not be written")
        .says("run the same command again");
    assert!(!folder.path().join("utterances.jsonl").exists());
    let answered = broken.answered().len();
    assert!(answered >= 7);
    // Another address would be another journal; the server behind it may change.
    let other = Server::start(fine);
    words(&folder, &other, &more)
        .ends(3)
        .says("belongs to another run")
        .says("choose another `--out`");
    let whole = |server: &Server| {
        let folder = scenario();
        words(&folder, server, &more).ends(0);
        file(&folder, "utterances.jsonl")
    };
    let wanted = whole(&Server::start(fine));
    let journal = file(&folder, "utterances.journal");
    assert_eq!(journal.lines().filter(|line| line.contains("\"call\"")).count(), answered);
    // Complete runs have the same result in any order of replies; a second one reads everything
    // from the journal.
    let server = Server::start(fine);
    let folder = scenario();
    words(&folder, &server, &more).ends(0);
    assert_eq!(file(&folder, "utterances.jsonl"), wanted);
    let asked = server.log().len();
    std::fs::remove_file(folder.path().join("utterances.jsonl")).unwrap();
    words(&folder, &server, &more).ends(0).says("27 from the journal");
    assert_eq!((server.log().len(), asked), (27, 27));
    assert_eq!(file(&folder, "utterances.jsonl"), wanted);
}

#[test]
fn judging_resumes_after_a_failed_request() {
    let broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let now = broken.clone();
    let server = Server::start(move |asked| {
        let fails = now.load(std::sync::atomic::Ordering::SeqCst) && asked.number > 5;
        if fails { error("400 Bad Request", &[], "not now") } else { fine(asked) }
    });
    let folder = scenario();
    words(&folder, &server, &["-n", "3"]).ends(4);
    let answered = server.answered().len();
    broken.store(false, std::sync::atomic::Ordering::SeqCst);
    words(&folder, &server, &["-n", "3"]).ends(0).says(&format!("{answered} from the journal"));
    // Three dialogues of four turns: 12 words, 12 looks at the demands and 3 at the subject.
    assert_eq!(server.answered().len(), 27);
}

#[test]
fn synthesizers_are_mixed_by_weight() {
    let server = Server::start(fine);
    let go = |more: &[&str]| {
        let folder = scenario();
        let mut args = vec!["-n", "24", "--turns", "1", "--synthesizer", "openai/other=3"];
        args.extend(more);
        words(&folder, &server, &args).ends(0).says("openai/other");
        let (header, lines) = set(&folder);
        assert_eq!(header["made"]["synthesizers"][1], serde_json::json!(["openai/other", 3]));
        lines.iter().map(|line| line["by"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = go(&[]);
    assert_eq!(first, go(&["--max-connections", "1"]));
    let others = first.iter().filter(|by| *by == "openai/other").count();
    assert!((12..24).contains(&others), "{others}");
    // A further run reads both, and copies nothing between them.
    let more = go(&["--synthesizer", "openai/third"]);
    assert!(more.iter().zip(&first).all(|(now, before)| now == before || now == "openai/third"));
    assert!(more.iter().any(|by| by == "openai/third"));
}

#[test]
fn budgets_and_dry_runs_apply_to_synthesis() {
    let server = Server::start(fine);
    let folder = scenario();
    let dry = words(&folder, &server, &["--dry-run"]).ends(0);
    dry.says("openai/writer: 8 calls").says("openai/checker: 10 calls").says("No request was sent");
    assert!(server.log().is_empty());
    words(&folder, &server, &["--budget", "1"]).ends(2).says("has no price");
    words(&folder, &server, &["--budget-calls", "5"])
        .ends(4)
        .says("the budget of 5 calls is spent");
    assert_eq!(server.log().len(), 5);
    words(&folder, &server, &["--budget-calls", "18"]).ends(0);
    assert_eq!(server.answered().len(), 18);
}

#[test]
fn every_model_gets_the_same_messages() {
    let server = Server::start(|asked| match asked.body["model"].as_str() {
        Some("m" | "n") => dutiful(asked),
        _ => fine(asked),
    });
    let folder = scenario();
    words(&folder, &server, &["--seed", "7"]).ends(0);
    let (_, lines) = set(&folder);
    for model in ["m", "n"] {
        let (name, out) = (format!("openai/{model}"), format!("out-{model}"));
        let args =
            ["run", "wire.ifs", "--utterances", "utterances.jsonl", "-m", &name, "--out", &out];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let log = server.log();
        for line in &lines {
            let said = |asked: &&Asked| asked.texts().iter().any(|text| *text == line["message"]);
            assert!(of(&log, model).iter().any(said), "{model}: {line}");
        }
        let held: Value = serde_json::from_str(&file(&folder, &format!("{out}/run.json"))).unwrap();
        assert_eq!((&held["seed"], &held["dialogues"]), (&7.into(), &2.into()));
        assert_eq!(held["utterances"].as_str().unwrap().len(), 64);
        // Scores are computed again from the transcripts.
        let args = ["score", out.as_str()];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    }
}

#[test]
fn utterance_sets_of_other_definitions_are_refused() {
    let server = Server::start(|asked| match asked.body["model"].as_str() {
        Some("m") => dutiful(asked),
        _ => fine(asked),
    });
    let folder = scenario();
    words(&folder, &server, &["--turns", "3"]).ends(0);
    let before = server.log().len();
    let go = |more: &[&str]| {
        let mut args =
            vec!["run", "wire.ifs", "--utterances", "utterances.jsonl", "-m", "openai/m"];
        args.extend(more);
        Ran::of(command(folder.path(), &server, &args).output().unwrap())
    };
    go(&["--seed", "2"]).ends(3).says("has seed 1, and this run has seed 2").says("help:");
    go(&["-n", "3"]).ends(3).says("no dialogue 2").says("help:");
    go(&["--max-turns", "4"]).ends(3).says("3 turns for each dialogue").says("help:");
    std::fs::write(folder.path().join("wire.ifs"), SCENARIO.replace("5..=9", "5..=8")).unwrap();
    go(&[]).ends(3).says("for another definition").says("help:");
    std::fs::write(folder.path().join("wire.ifs"), SCENARIO).unwrap();
    let text = file(&folder, "utterances.jsonl");
    std::fs::write(
        folder.path().join("utterances.jsonl"),
        text.replace("own words", "other words"),
    )
    .unwrap();
    go(&[]).ends(3).says("was changed after it was frozen").says("help:");
    std::fs::write(folder.path().join("utterances.jsonl"), "{\"a\":1}\n").unwrap();
    go(&[]).ends(3).says("utterances.jsonl`, line 1");
    assert_eq!(server.log().len(), before, "nobody was asked");
    std::fs::write(folder.path().join("utterances.jsonl"), &text).unwrap();
    go(&["--out", "out"]).ends(0);
    // Two dialogues, as far as there are user messages.
    assert_eq!(server.log().len(), before + 6);
    // A resumed run has its user messages.
    std::fs::remove_file(folder.path().join("utterances.jsonl")).unwrap();
    let kept = folder.path().join("out/utterances.jsonl");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text);
    resume(&folder, &server, &[]).ends(0);
    std::fs::write(&kept, text.replace("own words", "other words")).unwrap();
    resume(&folder, &server, &[]).ends(3).says("was changed");
    assert_eq!(server.log().len(), before + 6);
}

#[test]
fn unknown_synthesizers() {
    let server = Server::start(fine);
    let folder = scenario();
    for (more, why) in [
        (["--synthesizer", "openai/writer"], "named twice"),
        (["--synthesizer", "sim/oracle"], "`sim/oracle` cannot be a synthesizer"),
        (["--synthesizer", "openai/m=0"], "`0` is not a weight"),
        (["--synthesizer", "opnai/m"], "no provider `opnai`"),
    ] {
        words(&folder, &server, &more).ends(2).says(why);
    }
    let args = [
        "synthesize",
        "wire.ifs",
        "--synthesizer",
        "sim/plain",
        "--checker",
        "sim/oracle",
        "--out",
        "w",
    ];
    Ran::of(command(folder.path(), &server, &args).output().unwrap())
        .ends(2)
        .says("cannot be a checker");
    assert!(server.log().is_empty());
}

/// Paid requests for a set are not repeated because its journal was lost.
#[test]
fn synthesis_journal_with_lost_responses() {
    let server = Server::start(fine);
    let folder = scenario();
    let at = |name: &str| folder.path().join(name);
    words(&folder, &server, &["-n", "1"]).ends(0);
    let (whole, journal) = (file(&folder, "utterances.jsonl"), file(&folder, "utterances.journal"));
    let asked = server.log().len();
    let paid: Value = serde_json::from_str(&file(&folder, "utterances.spent")).unwrap();
    assert_eq!(paid["spent"]["calls"], asked);
    std::fs::remove_file(at("utterances.jsonl")).unwrap();
    let half: String = journal.split_inclusive('\n').take(3).collect();
    std::fs::write(at("utterances.journal"), &half).unwrap();
    let lost = format!("has lost {} answers of the {asked}", asked - 2);
    words(&folder, &server, &["-n", "1"]).ends(3).says(&lost).says("--ask-again");
    std::fs::remove_file(at("utterances.journal")).unwrap();
    words(&folder, &server, &["-n", "1"]).ends(3).says("is missing").says("--ask-again");
    assert!(!at("utterances.journal").exists(), "nothing is made in its place");
    words(&folder, &server, &["-n", "2"]).ends(3).says("what was paid for another set");
    assert_eq!(server.log().len(), asked);
    std::fs::write(at("utterances.journal"), &half).unwrap();
    words(&folder, &server, &["-n", "1", "--ask-again"]).ends(0);
    assert_eq!(file(&folder, "utterances.jsonl"), whole);
    assert_eq!(server.log().len(), 2 * asked - 2);
}

/// Neither are those for dialogues that models construct.
#[test]
fn a_dialogue_journal_with_lost_responses() {
    let server = Server::start(|_| answer("no plan"));
    let folder = scenario();
    let at = |name: &str| folder.path().join(name);
    let scenario =
        concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/structflowbench/structflowbench.ifs");
    let construct = |more: &[&str]| {
        let models = ["--planner", "openai/a", "--writer", "openai/b", "--extractor", "openai/c"];
        let what =
            ["construct", scenario, "--dialogue", "structured", "-n", "1", "--out", "t.jsonl"];
        let args = [&what[..], &models, more].concat();
        Ran::of(command(folder.path(), &server, &args).output().unwrap())
    };
    construct(&[]).ends(0);
    let asked = server.log().len();
    assert!(asked > 1);
    let paid: Value = serde_json::from_str(&file(&folder, "t.spent")).unwrap();
    assert_eq!(paid["spent"]["calls"], asked);
    let (whole, journal) = (file(&folder, "t.jsonl"), file(&folder, "t.journal"));
    std::fs::remove_file(at("t.jsonl")).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    std::fs::write(at("t.journal"), lines[..2].concat()).unwrap();
    let lost = format!(
        "has lost {} of the {asked}",
        match asked - 1 {
            1 => "1 answer".to_owned(),
            many => format!("{many} answers"),
        }
    );
    construct(&[]).ends(3).says(&lost).says("--ask-again");
    std::fs::write(at("t.journal"), [&lines[..1], &lines[2..]].concat().concat()).unwrap();
    construct(&[]).ends(3).says("has lost 1 record before its last one").says("--ask-again");
    std::fs::remove_file(at("t.journal")).unwrap();
    construct(&[]).ends(3).says("is missing").says("--ask-again");
    assert!(!at("t.journal").exists(), "nothing is made in its place");
    assert_eq!(server.log().len(), asked);
    construct(&["--ask-again"]).ends(0);
    assert_eq!(file(&folder, "t.jsonl"), whole);
    assert_eq!(server.log().len(), 2 * asked);
}
