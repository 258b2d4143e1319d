//! What records decide about judges and tags, and metrics by expression.

use super::judges::is_judge;
use super::*;

const JUDGED: &str = r#"ifs 1

benchmark judged { title "Judged" version "1.0.0" }

use std.metrics.*
import talks "talks.jsonl" {
  name: text
  kind: text
  want: text
}
tags kinds { content, form { length } }
dialogue talk over talks as t {
  system "SYSTEM"
  judge  sees system, answer
  turn a { ask "MESSAGE {{ t.name }}" require r judge "Is it so?" pass == t.want tag kinds[t.kind] }
  turn b { ask "Again." require s count(word) <= 1 }
  turn c { ask "Again." require s count(word) <= 2 }
  report SSR, CSL, lowest_turn, followed, mean_over_slices by t.kind
}
"#;

fn run() -> (TempDir, Server) {
    let server = Server::start(|asked| match is_judge(asked) {
        true => {
            let text = asked.texts().pop().unwrap();
            let code = &text.rsplit_once("{\"code\": \"").unwrap().1[..8];
            let items = serde_json::json!([{"id": 1, "reason": "so", "answer": "no"}]);
            answer(&serde_json::json!({"code": code, "items": items}).to_string())
        }
        false => answer("Two words."),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("judged.ifs"), JUDGED).unwrap();
    let talks = "{\"name\":\"one\",\"kind\":\"length\",\"want\":\"no\"}\n\
                 {\"name\":\"two\",\"kind\":\"content\",\"want\":\"yes\"}\n";
    std::fs::write(folder.path().join("talks.jsonl"), talks).unwrap();
    let mut args =
        vec!["run", "judged.ifs", "-m", "openai/m", "-n", "2", "--out", "out", "-j", "1"];
    args.extend(["--judge", "openai/judge", "--retry-wait", "1ms"]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    (folder, server)
}

#[test]
fn records_set_passing_answer_and_tag() {
    let (folder, server) = run();
    for asked in server.log().iter().filter(|asked| is_judge(asked)) {
        let text = asked.body.to_string();
        assert!(text.contains("SYSTEM") && text.contains("Two words."), "{text}");
        assert!(!text.contains("MESSAGE"), "{text}");
    }
    let verdict = |at: usize| {
        let turn = transcripts(&folder)[at]["turns"][0].clone();
        (
            turn["samples"][0]["verdicts"][0]["outcome"].clone(),
            turn["criteria"][0]["tags"][0].clone(),
        )
    };
    assert_eq!(verdict(0), ("held".into(), "kinds.form.length".into()));
    assert_eq!(verdict(1), ("missed".into(), "kinds.content".into()));
}

#[test]
fn metrics_are_expressions_and_apply_to_old_runs() {
    let (folder, server) = run();
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    let metric = |scores: &Value, name: &str| {
        let metrics = scores["metrics"].as_array().unwrap();
        metrics.iter().find(|one| one["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    // The first dialogue holds, misses, holds; the second misses, misses, holds.
    let near = |name: &str, wanted: f64| {
        let found = metric(&scores, name);
        assert!((found - wanted).abs() < 1e-12, "{name}: {found}");
    };
    near("SSR", (1.0 / 3.0) / 2.0);
    near("CSL", 0.5);
    near("lowest_turn", 0.0);
    near("followed", 0.5);
    near("mean_over_slices", (2.0 / 3.0 + 1.0 / 3.0) / 2.0);
    let newer = JUDGED.replace(
        "tags kinds",
        "metric last_held of dialogue { return turns[-1].held }\ntags kinds",
    );
    let newer = newer.replace("report SSR", "report last_held, SSR");
    std::fs::write(folder.path().join("newer.ifs"), newer).unwrap();
    let args = ["score", "out", "--under", "newer.ifs", "--format", "json"];
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let scores: Value = serde_json::from_str(&ran.all[ran.all.find('{').unwrap()..]).unwrap();
    assert_eq!(metric(&scores, "last_held"), 1.0);
}

/// The passing answer may be a literal, a constant, a parameter or a field, for every question to a judge.
#[test]
fn passing_answers_count_in_every_statement() {
    const GOOD: &str = r#"ifs 1
benchmark good { title "Good" version "1.0.0" }
import talks "talks.jsonl" { name: text  want: text }
let want = "no"
group tone { constraint kind { say "Be kind." judge "Is it rude?" pass == "no" } }
dialogue literal { turn a { ask "A?" require r judge "Is it rude?" pass == "no" } }
dialogue constant { turn a { ask "A?" require r judge "Is it rude?" pass == want } }
dialogue drawn { param w: one_of ["no"] turn a { ask "A?" require r judge "Is it rude?" pass == w } }
dialogue read over talks as t { turn a { ask "A?" require r judge "Is it rude?" pass == t.want } }
dialogue imposed { turn a { ask "A?" impose tone.kind } }
dialogue seen {
  turn a { ask "A?" observe polite judge "Is it rude?" pass == "no" }
  when polite { turn b { ask "GOOD" } } else { turn c { ask "BAD" } }
}
"#;
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("good.ifs"), GOOD).unwrap();
    std::fs::write(folder.path().join("talks.jsonl"), "{\"name\":\"n\",\"want\":\"no\"}\n")
        .unwrap();
    for says in ["yes", "no"] {
        let server = Server::start(move |asked| match is_judge(asked) {
            true => answer(&super::judges::verdict(asked, says, 1)),
            false => answer("Words."),
        });
        for dialogue in ["literal", "constant", "drawn", "read", "imposed", "seen"] {
            let out = format!("{dialogue}-{says}");
            let mut args = vec!["run", "good.ifs", "-d", dialogue, "-m", "openai/m", "--out", &out];
            args.extend(["--judge", "openai/judge", "--retry-wait", "1ms"]);
            Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
            let text = std::fs::read_to_string(folder.path().join(&out).join("transcripts.jsonl"));
            let text = text.unwrap();
            let good = says == "no";
            if dialogue == "seen" {
                assert_eq!(text.contains("GOOD"), good, "{dialogue} {says}: {text}");
                continue;
            }
            let outcome = if good { "\"outcome\":\"held\"" } else { "\"outcome\":\"missed\"" };
            assert!(text.contains(outcome), "{dialogue} {says}: {text}");
            let shown = Ran::of(command(folder.path(), &server, &["show", &out]).output().unwrap());
            shown.ends(0).says(&format!("openai/judge: {says} (no is good)"));
        }
    }
}

/// The library's metrics leave out empty turns.
#[test]
fn metrics_omit_empty_turns() {
    const EMPTY: &str = r#"ifs 1
benchmark empty { title "Empty" version "1.0.0" }
use std.metrics.*
dialogue talk {
  report ISR, usable, held_loosely, followed, SSR, SSR_of_held, lowest_turn, mean_over_slices by "all"
  turn hello { ask "Hello." }
  turn a { ask "Say sea." require r contains("sea") }
  turn bye { ask "Bye." }
}
"#;
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("empty.ifs"), EMPTY).unwrap();
    for (says, wanted) in [("The sea.", 1.0), ("The lake.", 0.0)] {
        let server = Server::start(move |_| answer(says));
        let out = if wanted == 1.0 { "sea" } else { "lake" };
        let args = ["run", "empty.ifs", "-m", "openai/m", "--out", out];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let scores = std::fs::read_to_string(folder.path().join(out).join("scores.json")).unwrap();
        let scores: Value = serde_json::from_str(&scores).unwrap();
        let metrics = scores["metrics"].as_array().unwrap();
        for name in [
            "ISR",
            "usable",
            "held_loosely",
            "followed",
            "SSR",
            "SSR_of_held",
            "lowest_turn",
            "mean_over_slices",
        ] {
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            assert_eq!(metric["value"], wanted, "{metric}");
        }
    }
}

const SEEN: &str = r#"ifs 1
constraint deep { say "Go deep." judge "How deep is it?" scale 1..=5 pass > 3 }
constraint full { say "Be full." judge rubric "Names a cause." }
constraint rich { say "Be rich." judge rubric "Names many." scale 1..=5 pass > 3 }
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue d {
  system "SYSTEM"
  SEES
  turn { ask "EARLIER" require r judge "Is it?" }
  turn {
    ask "MESSAGE"
    answer "RIGHT"
    part title: text "the title"
    impose deep
    impose full
    impose rich
    impose kind
    require titled judge "Is {{ title }} short?"
    expect 1 "It rains."
    void "It is rude."
  }
}
"#;

/// Every built-in prompt, with each combination of what a judge is shown: what is not shown has no
/// heading either.
#[test]
fn prompts_have_no_empty_sections() {
    for shown in 0..8 {
        let has = |bit: usize| shown >> bit & 1 == 1;
        let kinds = ["system", "history", "message"].into_iter().enumerate();
        let seen: Vec<&str> = kinds.filter(|(bit, _)| has(*bit)).map(|(_, kind)| kind).collect();
        let sees = format!("judge sees {}", [&seen[..], &["answer"]].concat().join(", "));
        let folder = TempDir::new().unwrap();
        let text = SEEN.replace("SEES", &sees);
        std::fs::write(folder.path().join("d.ifs"), text).unwrap();
        let server = Server::start(|_| answer("RESPONSE"));
        let mut args = vec!["run", "d.ifs", "-m", "openai/m", "--judge", "openai/judge", "-n", "1"];
        args.extend(["--judge-tries", "1", "-j", "1", "--out", "out"]);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let log = server.log();
        let prompts: Vec<String> = log
            .iter()
            .filter(|asked| is_judge(asked))
            .map(|asked| asked.texts().pop().unwrap())
            .collect();
        assert!(prompts.len() >= 5, "{sees}: {}", prompts.len());
        for prompt in &prompts {
            let blocks: Vec<&str> = prompt.split("\n\n").map(str::trim).collect();
            let empty = blocks
                .windows(2)
                .find(|two| two[0].ends_with(':') && (two[1].is_empty() || two[1].ends_with(':')));
            assert_eq!(empty, None, "{sees}\n{prompt}");
            assert!(!prompt.contains("\n\n\n"), "{sees}\n{prompt}");
            assert_eq!(prompt.contains("SYSTEM"), has(0), "{sees}\n{prompt}");
            assert_eq!(prompt.contains("The user's message:"), has(2), "{sees}\n{prompt}");
        }
        let earlier = prompts.iter().any(|prompt| prompt.contains("What was said before"));
        assert_eq!(earlier, has(1), "{sees}");
    }
}
