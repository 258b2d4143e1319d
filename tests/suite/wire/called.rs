//! Constraints that records name: judged, not restated, with strict and loose readings.

use super::*;

const CALLED: &str = r#"ifs 1

benchmark called { title "Called" version "1.0.0" }

import tasks "tasks.jsonl" {
  name: text
  turns: list of { prompt: text ids: list of text kwargs: list of any }
}

import topics "topics.jsonl" { name: text  request: text }

dialogue multi over tasks as task {
  for step in task.turns {
    turn step {
      ask step.prompt
      for at in 1..=len(step.ids) {
        impose called step.ids[at] given step.kwargs[at] from std.ifeval unsaid
      }
    }
  }
}
dialogue listed over tasks as task {
  param least: one_of [1]
  for step in task.turns {
    turn step { ask step.prompt }
  }
  for step in task.turns {
    for at in least..=len(step.ids) {
      impose called step.ids[at] given step.kwargs[at] from std.ifeval by system
    }
  }
  impose std.ifeval.startend.end_checker(end_phrase: "sea.")
}
dialogue moved over tasks as task {
  topic from topics
  flow  { switch 100% { new } }
  end   when turns >= 2
  for at in 1..=len(task.turns[1].ids) {
    impose called task.turns[1].ids[at] given task.turns[1].kwargs[at] from std.ifeval by system
  }
}
dialogue kept {
  turn a { ask "A" impose called "punctuation:no_comma" from std.ifeval scope dialogue }
  turn b {
    ask    "B"
    impose called "length_constraints:number_words" given { num_words: 9, relation: "less than" } from
      std.ifeval scope dialogue
  }
  turn c {
    ask    "C"
    impose called "length_constraints:number_words" given { num_words: 2, relation: "less than" } from
      std.ifeval scope dialogue
  }
}
"#;

const TASKS: &str = r#"{"name":"t1","turns":[{"prompt":"ONE","ids":["keywords:existence","keywords:forbidden_words"],"kwargs":[{"keywords":["tide"],"letter":null},{"forbidden_words":["sun"]}]},{"prompt":"TWO","ids":["keywords:existence","length_constraints:number_words"],"kwargs":[{"keywords":["tide"]},{"num_words":3.0,"relation":"less than"}]}]}
"#;

const TOPICS: &str = r#"{"name":"tides","request":"Why are there tides?"}
{"name":"moss","request":"Where does moss grow?"}
"#;

fn run(dialogue: &str) -> (TempDir, Server) {
    // Without its first line, the response has two words.
    let server = Server::start(|_| answer("Sure, here it is:\nThe tide."));
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("called.ifs"), CALLED).unwrap();
    std::fs::write(folder.path().join("tasks.jsonl"), TASKS).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    let args =
        ["run", "called.ifs", "-m", "openai/m", "-n", "1", "--out", "out", "--dialogue", dialogue];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    (folder, server)
}

/// For each turn: constraints with their outcomes, and whether they hold in the loose reading.
fn outcomes(folder: &TempDir) -> Vec<Vec<(String, String, bool)>> {
    let turns = transcripts(folder)[0]["turns"].as_array().unwrap().clone();
    let verdict = |verdict: &Value| {
        let text = |name: &str| verdict[name].as_str().unwrap().to_owned();
        (text("constraint"), text("outcome"), verdict["loose"] == true)
    };
    let of = |turn: &Value| {
        turn["samples"][0]["verdicts"].as_array().unwrap().iter().map(verdict).collect()
    };
    turns.iter().map(of).collect()
}

#[test]
fn called_constraints_are_judged_and_not_restated() {
    let (folder, server) = run("multi");
    let sent: Vec<Vec<String>> = server.log().iter().map(Asked::texts).collect();
    assert_eq!((sent[0][0].as_str(), sent[1][2].as_str()), ("ONE", "TWO"));
    let row = |name: &str, outcome: &str, loose| (name.to_owned(), outcome.to_owned(), loose);
    let (tide, sun) = ("keywords.existence_as_released", "keywords.forbidden_words_as_released");
    let words = "length_constraints.number_words_as_released";
    assert_eq!(
        outcomes(&folder),
        [
            vec![row(tide, "held", false), row(sun, "held", false)],
            vec![row(tide, "held", false), row(words, "missed", true)],
        ]
    );
}

#[test]
fn the_system_message_has_the_constraints_of_the_record() {
    let (folder, server) = run("listed");
    let log = server.log();
    let system = &log[0].texts()[0];
    let found: Vec<Option<usize>> =
        ["tide", "sun", "3 words"].iter().map(|text| system.find(text)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{system}");
    assert!(!system.contains("sea."), "{system}");
    assert_eq!(log[1].texts()[0], *system);
    assert!(log[0].texts()[1].contains("sea."), "{:?}", log[0].texts());
    assert_eq!(log[1].texts()[3], "TWO");
    let outcomes = outcomes(&folder);
    assert_eq!(outcomes[0].len(), 4, "{outcomes:?}");
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn a_flow_of_topics_has_the_constraints_of_its_record() {
    let (folder, server) = run("moved");
    let log = server.log();
    let system = &log[0].texts()[0];
    assert!(system.contains("tide") && system.contains("sun"), "{system}");
    assert_eq!(outcomes(&folder).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn stated_constraints_stay_and_change() {
    let (folder, server) = run("kept");
    let last = server.log().pop().unwrap().texts();
    assert!(
        last[0].contains("comma") && last[2].contains('9') && last[4].contains('2'),
        "{last:?}"
    );
    let names: Vec<usize> = outcomes(&folder).iter().map(Vec::len).collect();
    assert_eq!(names, [1, 2, 2], "the same constraint with other arguments is a change");
}

#[test]
fn runs_with_record_constraints_resume() {
    let (whole, _) = run("multi");
    let (folder, server) = run("kept");
    let ifs = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    let begun = [
        "run",
        "called.ifs",
        "-m",
        "openai/m",
        "-n",
        "1",
        "--dialogue",
        "multi",
        "--budget-calls",
        "1",
        "--out",
        "cut",
    ];
    ifs(&begun).ends(4);
    ifs(&["run", "--resume", "cut", "--budget-calls", "9"]).ends(0);
    let read = |folder: &TempDir, run: &str| {
        std::fs::read_to_string(folder.path().join(run).join("transcripts.jsonl")).unwrap()
    };
    assert_eq!(read(&folder, "cut"), read(&whole, "out"));
    ifs(&["shrink", "cut", "--dialogue", "0", "--budget-calls", "40"]).ends(0);
}
