//! Parts of responses that models extract, over HTTP.

use super::server::Asked;
use super::*;

const PARTS: &str = r#"ifs 1

benchmark parts { title "Parts" version "1.0.0" }

dialogue talk {
  turn {
    ask "Write two casual comments and two formal ones."
    part casual: list "the casual comments"
    require number len(casual) == 2
    require brief every c in casual: count(word in c) <= 2 after number
    require tone judge "Do these sound casual: {{ casual }}?"
  }
}
"#;

const ANSWER: &str = "Sure!\n## Casual\n1. so good\n2. want it\n## Formal\n1. Well made.";
const PROGRAM: &str = "```\nsection \"Casual\"\nnumbered\n```";

/// A run of one dialogue, with a coder and an extractor with constant replies.
fn cut(coder: &'static str, extractor: &'static str, more: &[&str]) -> (TempDir, Server, Ran) {
    let server = Server::start(move |asked| match asked.body["model"].as_str() {
        Some("coder") => answer(coder),
        Some("extractor") => answer(extractor),
        _ => answer(ANSWER),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("parts.ifs"), PARTS).unwrap();
    let mut args = vec!["run", "parts.ifs", "-n", "1", "-m", "openai/m", "--out", "out"];
    args.extend(["--retry-wait", "1ms"]);
    args.extend(more);
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    (folder, server, ran)
}

const BOTH: &[&str] = &["--coder", "openai/coder", "--extractor", "openai/extractor"];

/// The number of requests to each model: the one under test, the coder, the extractor.
fn asked(server: &Server) -> [usize; 3] {
    let log = server.log();
    let of = |model: &str| log.iter().filter(|asked: &&Asked| asked.body["model"] == model).count();
    [of("m"), of("coder"), of("extractor")]
}

/// The first recorded turn.
fn turn(folder: &TempDir) -> Value {
    transcripts(folder)[0]["turns"][0].clone()
}

fn outcomes(turn: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let verdicts = turn["samples"][0]["verdicts"].as_array().unwrap().iter();
    verdicts.map(|verdict| (word(&verdict["constraint"]), word(&verdict["outcome"]))).collect()
}

#[track_caller]
fn expect_outcomes(folder: &TempDir, number: &str, brief: &str, tone: &str) {
    let expected = [("number", number), ("brief", brief), ("tone", tone)];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect();
    assert_eq!(outcomes(&turn(folder)), expected);
}

/// Scores again without a request; the result is the same.
#[track_caller]
fn scores_again(folder: &TempDir, server: &Server) {
    let (before, calls) = (read(folder, "scores.json"), server.log().len());
    Ran::of(command(folder.path(), server, &["score", "out"]).output().unwrap()).ends(0);
    assert_eq!((read(folder, "scores.json"), server.log().len()), (before, calls));
}

#[test]
fn scoring_reuses_extracted_parts_without_requests() {
    let (folder, server, ran) = cut(PROGRAM, "NONE", BOTH);
    ran.ends(0);
    assert_eq!(asked(&server), [1, 1, 0]);
    let turn = turn(&folder);
    assert_eq!(turn["samples"][0]["extracted"][0]["part"], "casual");
    assert_eq!(
        turn["samples"][0]["extracted"][0]["value"]["list"],
        serde_json::json!(["so good", "want it"])
    );
    assert_eq!(turn["samples"][0]["extracted"][0]["program"], "section \"Casual\"\nnumbered");
    expect_outcomes(&folder, "held", "held", "unjudged");
    assert_eq!(manifest(&folder)["coder"]["model"], "openai/coder");
    scores_again(&folder, &server);
    let coder = server.log().into_iter().find(|asked| asked.body["model"] == "coder").unwrap();
    assert!(coder.texts()[0].contains("the casual comments") && coder.texts()[0].contains(ANSWER));
}

#[test]
fn extractor_is_the_fallback_of_the_coder() {
    let (folder, server, ran) = cut("import re", "[\"so good\", \"want  it\"]", BOTH);
    ran.ends(0);
    assert_eq!(asked(&server), [1, 2, 1]);
    let cut = &turn(&folder)["samples"][0]["extracted"][0];
    assert_eq!(cut["by"], "extractor");
    assert_eq!(cut["value"]["list"], serde_json::json!(["so good", "want it"]));
    expect_outcomes(&folder, "held", "held", "unjudged");
    scores_again(&folder, &server);
}

#[test]
fn invented_extractions_are_refused_and_unjudged() {
    let (folder, server, ran) = cut("import re", "[\"so nice\", \"love it\"]", BOTH);
    ran.ends(0);
    assert_eq!(asked(&server), [1, 2, 2]);
    let cut = &turn(&folder)["samples"][0]["extracted"][0];
    assert_eq!(cut["value"], "unread");
    assert!(cut["wrong"][3].as_str().unwrap().contains("does not occur in the response: so nice"));
    expect_outcomes(&folder, "unjudged", "unjudged", "unjudged");
    scores_again(&folder, &server);
}

#[test]
fn a_missing_part_is_unextracted() {
    let (folder, server, ran) = cut("", "NONE", &["--extractor", "openai/extractor"]);
    ran.ends(0);
    assert_eq!(asked(&server), [1, 0, 1]);
    assert_eq!(turn(&folder)["samples"][0]["extracted"][0]["value"], "nothing");
    expect_outcomes(&folder, "unextracted", "blocked", "unextracted");
    scores_again(&folder, &server);
}

#[test]
fn judges_see_extracted_parts() {
    let judge = &["--judge", "openai/judge", "--judge-tries", "1"];
    let (_folder, server, ran) = cut(PROGRAM, "NONE", &[BOTH, judge].concat());
    ran.ends(0);
    let log = server.log();
    let judge = log.iter().find(|asked| asked.body["model"] == "judge").unwrap();
    let said = judge.texts().pop().unwrap();
    assert!(said.contains("Do these sound casual: the part `casual`?"), "{said}");
}

#[test]
fn extraction_resumes_after_a_stop() {
    let budget = [BOTH, &["--budget-calls", "2"]].concat();
    let (folder, server, ran) = cut("import re", "[\"so good\", \"want it\"]", &budget);
    ran.ends(4).says("is spent");
    assert_eq!(asked(&server), [1, 1, 0]);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(asked(&server), [1, 2, 1]);
    expect_outcomes(&folder, "held", "held", "unjudged");
    let (whole, _server, ran) = cut("import re", "[\"so good\", \"want it\"]", BOTH);
    ran.ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), read(&whole, "transcripts.jsonl"));
}

#[test]
fn dry_run_counts_extractions() {
    let (_folder, server, ran) = cut(PROGRAM, "NONE", &[BOTH, &["--dry-run"]].concat());
    ran.ends(0)
        .says("coder: openai/coder\ncalls        1")
        .says("extractor, if the coder fails: openai/extractor\ncalls        0");
    assert_eq!(server.log().len(), 0);
    let (_folder, _server, ran) = cut(PROGRAM, "NONE", &["--coder", "sim/oracle"]);
    ran.ends(2).says("`sim/oracle` cannot extract parts");
}

#[test]
fn a_run_is_scored_again_with_another_extraction() {
    // The first coder's program extracts one comment too many.
    let wrong = "```\nnumbered\n```";
    let (folder, server, ran) = cut(wrong, "NONE", &["--coder", "openai/coder"]);
    ran.ends(0);
    expect_outcomes(&folder, "missed", "blocked", "unjudged");
    let before = read(&folder, "scores.json");
    let other = Server::start(|asked| match asked.body["model"].as_str() {
        Some("other") => answer(PROGRAM),
        _ => panic!("only the new coder is asked"),
    });
    let args =
        ["score", "out", "--coder", "openai/other", "--format", "json", "--retry-wait", "1ms"];
    let mut again = command(folder.path(), &server, &args);
    again.env("OPENAI_BASE_URL", other.base());
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let scores: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(scores["totals"]["constraints"]["held"], 2, "{scores}");
    assert_eq!(scores["totals"]["constraints"]["missed"], 0, "{scores}");
    assert_eq!(other.log().len(), 1);
    // The run's own scores stay, and the same command sends no requests.
    assert_eq!(read(&folder, "scores.json"), before);
    let mut once_more = command(folder.path(), &server, &args);
    once_more.env("OPENAI_BASE_URL", other.base());
    assert!(once_more.output().unwrap().status.success());
    assert_eq!(other.log().len(), 1);
    // A missing model is an error.
    let nobody = command(folder.path(), &server, &["score", "out", "--dry-run"]).output().unwrap();
    Ran::of(nobody).ends(2).says("no judge, coder or extractor was named");
}
