//! Branches: observations decide which turns are run, but not their wording.

use super::judges::is_judge;
use super::*;

const DESK: &str = r#"ifs 1

benchmark desk { title "Desk" version "1.0.0" }

group wish {
  constraint polite(w: one_of ["please", "kindly"]) {
    say   "Say {{ w }}."
    check contains(w)
  }
  constraint brief { say "Be brief." check count(word) <= 50 }
}

constraint bold { say "Be BOLD." check contains("now") }

metric asked of dialogue { return count(turns where count(it.observations) > 0) }

dialogue desk {
  report CSR, asked
  impose 1 from wish scope dialogue
  turn plea {
    ask     "My kettle broke. I want my money back."
    observe gave judge "Does it give the MONEY back?"
    observe sorry contains("sorry")
    require kept count(word) > 1
  }
  for p in ["GIFT.", "REVIEW."] {
    when not gave {
      turn insist {
        ask     p
        impose  bold scope dialogue
        impose  wish.brief scope dialogue
        observe gave judge "Does it give the MONEY back?"
      }
    }
  }
  when gave and sorry { turn thanks { ask "THANKS." } } else { turn resigned { ask "PITY." } }
  turn bye recalls plea { ask "BYE." }
  variant until_given {
    for p in ["FIRST.", "GIFT.", "REVIEW."] {
      turn insist { ask p  observe gave judge "Does it give the MONEY back?" }
    }
    end when gave
  }
}
"#;

/// A user message of the last turn.
fn last(asked: &Asked) -> String {
    asked.texts().last().cloned().unwrap_or_default()
}

/// A server whose judge says this of the observation, and whose model says `said`.
fn desk(verdict: fn(&Asked) -> &'static str, said: &'static str) -> (TempDir, Server) {
    let server = Server::start(move |asked| match is_judge(asked) {
        true if asked.body.to_string().contains("MONEY") => answer(verdict(asked)),
        true => answer("Yes."),
        false => answer(said),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    (folder, server)
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

fn run_desk(folder: &TempDir, server: &Server, out: &str, more: &[&str]) -> Ran {
    let mut args = vec!["run", "desk.ifs", "-m", "openai/m", "--judge", "openai/judge"];
    args.extend(["--judge-tries", "1", "--retry-wait", "1ms", "-j", "1", "--out", out]);
    args.extend(more);
    ifs(folder, server, &args)
}

fn transcripts_of(folder: &TempDir, out: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path().join(out).join("transcripts.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of the turns of each dialogue.
fn names(folder: &TempDir, out: &str) -> Vec<Vec<String>> {
    let name = |turn: &Value| turn["name"].as_str().unwrap().to_owned();
    let turns = |one: &Value| one["turns"].as_array().unwrap().iter().map(name).collect();
    transcripts_of(folder, out).iter().map(turns).collect()
}

fn messages(folder: &TempDir, out: &str, name: &str) -> Vec<String> {
    let all = transcripts_of(folder, out);
    let turns = all.iter().flat_map(|one| one["turns"].as_array().unwrap().clone());
    let own = turns.filter(|turn| turn["name"] == name);
    own.map(|turn| turn["ask"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn responses_decide_branches() {
    let (folder, server) = desk(|_| "Yes.", "I am sorry; please, kindly, now.");
    run_desk(&folder, &server, "gave", &["-n", "2"]).ends(0);
    assert_eq!(names(&folder, "gave"), [["plea", "thanks", "bye"], ["plea", "thanks", "bye"]]);

    let (other, server) = desk(|_| "No.", "Never, please and kindly now.");
    run_desk(&other, &server, "not", &["-n", "2"]).ends(0);
    let path = ["plea", "insist", "insist", "resigned", "bye"];
    assert_eq!(names(&other, "not"), [path, path]);
    // The turns after a branch have the same wording after both sides.
    let said = messages(&other, "not", "insist");
    assert!(said[0].contains("BOLD") && said[0].contains("GIFT."), "{said:?}");
    assert_eq!(messages(&folder, "gave", "bye"), messages(&other, "not", "bye"));
    let active = |turn: &Value| turn["active_constraints"].to_string();
    for dialogue in transcripts_of(&other, "not") {
        let turns = dialogue["turns"].as_array().unwrap().clone();
        assert!(active(&turns[1]).contains("bold") && active(&turns[2]).contains("bold"));
        assert!(!active(&turns[3]).contains("bold"), "what a branch imposes ends with it");
        let before = &turns[0]["active_constraints"][0];
        let after = &turns[4]["active_constraints"][0];
        assert_eq!(before["constraint"], after["constraint"]);
        assert_eq!(before["args"], after["args"]);
    }
}

#[test]
fn observations_are_not_scored() {
    let (folder, server) = desk(|_| "No.", "Never, please and kindly now.");
    run_desk(&folder, &server, "out", &["-n", "1"]).ends(0).says("asked");
    let asked = server.log().iter().filter(|it| is_judge(it)).count();
    assert_eq!(asked, 4, "three observations and a relation");
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    let of = |name: &str| {
        let all = scores["metrics"].as_array().unwrap().iter();
        all.clone().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!(of("CSR")["value"], 1.0, "{}", of("CSR"));
    assert_eq!(of("asked")["value"], 3.0, "{}", of("asked"));
    assert!(!scores["breakdown"].to_string().contains("observation"));
    assert!(transcripts_of(&folder, "out")[0].to_string().contains("\"observation\""));
    ifs(&folder, &server, &["show", "out"]).ends(0).says("· observation gave: no");
    ifs(&folder, &server, &["export", "out", "--format", "html", "--out", "p.html"]);
    // Scored again from the recorded votes.
    ifs(&folder, &server, &["score", "out"]).ends(0).says("100.0 %");
}

#[test]
fn no_readable_verdict_takes_else_and_is_counted() {
    let (folder, server) = desk(|_| "Hard to say.", "I am sorry; please, kindly, now.");
    let ran = run_desk(&folder, &server, "out", &["-n", "2"]).ends(0);
    ran.says("2 observations could not be read; a branch that depends on one took its `else`");
    let path = ["plea", "resigned", "bye"];
    assert_eq!(names(&folder, "out"), [path, path], "neither `gave` nor `not gave` holds");
}

#[test]
fn a_resumed_run_takes_the_same_branches() {
    fn verdict(asked: &Asked) -> &'static str {
        if asked.body.to_string().contains("GIFT.") { "Yes." } else { "No." }
    }
    let (folder, server) = desk(verdict, "Never, please and kindly now.");
    run_desk(&folder, &server, "out", &["-n", "3"]).ends(0);
    let path = ["plea", "insist", "resigned", "bye"];
    assert_eq!(names(&folder, "out"), [path; 3]);
    let before = read(&folder, "transcripts.jsonl");
    let asked = server.log().len();
    std::fs::remove_file(folder.path().join("out/transcripts.jsonl")).unwrap();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), before);
    assert_eq!(server.log().len(), asked, "nothing is asked twice");
}

#[test]
fn a_dialogue_ends_when_an_observation_holds() {
    fn verdict(asked: &Asked) -> &'static str {
        if asked.body.to_string().contains("GIFT.") { "Yes." } else { "No." }
    }
    let (folder, server) = desk(verdict, "Never, please and kindly now.");
    run_desk(&folder, &server, "out", &["-n", "1", "--variant", "until_given"]).ends(0);
    assert_eq!(names(&folder, "out"), [["insist", "insist"]]);
    let ending = &transcripts_of(&folder, "out")[0]["ending"];
    assert_eq!(ending["condition"], "gave", "{ending}");
    let model = server.log().into_iter().filter(|asked| !is_judge(asked));
    assert!(model.map(|asked| last(&asked)).all(|said| !said.contains("REVIEW.")));
}

#[test]
fn runs_are_compared_on_turns_after_the_same_messages() {
    fn verdict(asked: &Asked) -> &'static str {
        if asked.body["messages"].to_string().contains("SORRY") { "Yes." } else { "No." }
    }
    let (folder, server) = desk(verdict, "Never, please and kindly now.");
    run_desk(&folder, &server, "hard", &["-n", "2"]).ends(0);
    let (second, server) = desk(verdict, "I am SORRY, please, kindly, now.");
    std::fs::rename(folder.path().join("hard"), second.path().join("hard")).unwrap();
    run_desk(&second, &server, "soft", &["-n", "2"]).ends(0);
    let ran = ifs(&second, &server, &["compare", "hard", "soft"]).ends(0);
    ran.says("4 turns of both with other messages before: the responses led to other turns");
    let args = ["compare", "hard", "soft", "--format", "json"];
    let json: Value = serde_json::from_str(&ifs(&second, &server, &args).ends(0).all).unwrap();
    let pair = &json["pairs"][0];
    assert_eq!((&pair["turns"], &pair["unmatched"]["parted"]), (&2.into(), &4.into()), "{pair}");
}

const TABLE: &str = r#"ifs 1
let pieces = [{ text: "SIX people.", keys: ["how many"] }, { text: "FRIDAY.", keys: ["day"] }, { text: "WINDOW.", keys: ["sit"] }]
constraint bold { say "Be BOLD." check contains("o") }
dialogue table {
  turn first { ask "A table, please." }
  for s in pieces by (some k in s.keys: contains(phrase (k))) {
    turn piece { ask s.text  impose bold scope dialogue  observe done contains("DONE") }
  }
  turn bye { ask "BYE." }
  end when done
}
"#;

#[test]
fn the_last_response_chooses_the_next_member() {
    let asked = |said: &'static str| {
        let server = Server::start(move |_| answer(said));
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("table.ifs"), TABLE).unwrap();
        let args = ["run", "table.ifs", "-m", "openai/m", "-n", "1", "-j", "1", "--out", "out"];
        ifs(&folder, &server, &args).ends(0);
        let before = read(&folder, "transcripts.jsonl");
        let calls = server.log().len();
        std::fs::remove_file(folder.path().join("out/transcripts.jsonl")).unwrap();
        resume(&folder, &server, &[]).ends(0);
        assert_eq!((read(&folder, "transcripts.jsonl"), server.log().len()), (before, calls));
        let said = |asked: &Asked| last(asked).split("\n\n").last().unwrap().to_owned();
        (server.log().iter().map(said).collect::<Vec<_>>(), folder)
    };
    let (said, folder) = asked("Where do you want to sit?");
    assert_eq!(said, ["A table, please.", "WINDOW.", "SIX people.", "FRIDAY.", "BYE."]);
    let words = |name: &str, folder: &TempDir| {
        let all = messages(folder, "out", "piece").into_iter();
        all.filter(|said| said.contains(name)).collect::<Vec<_>>()
    };
    let (said, other) = asked("On which day?");
    assert_eq!(said, ["A table, please.", "FRIDAY.", "SIX people.", "WINDOW.", "BYE."]);
    for name in ["SIX", "FRIDAY", "WINDOW"] {
        assert_eq!(words(name, &folder), words(name, &other), "in any order the same words");
    }
    let (said, _) = asked("Good.");
    assert_eq!(said, ["A table, please.", "SIX people.", "FRIDAY.", "WINDOW.", "BYE."]);
    let (said, _) = asked("DONE.");
    assert_eq!(said, ["A table, please.", "SIX people."]);
}

#[test]
fn simulated_models_and_drawings_walk_both_sides() {
    let (folder, server) = desk(|_| "No.", "No.");
    let drawn = ifs(&folder, &server, &["draw", "desk.ifs", "--both-sides"]).ends(0);
    for word in ["GIFT.", "REVIEW.", "THANKS.", "PITY.", "BYE."] {
        assert!(drawn.all.contains(word), "{}", drawn.all);
    }
    assert!(!drawn.all.contains("no witness"), "{}", drawn.all);
    let args = ["run", "desk.ifs", "-m", "sim/oracle", "-n", "20", "--out", "sim"];
    ifs(&folder, &server, &args).ends(0);
    let all = names(&folder, "sim").concat();
    for name in ["insist", "thanks", "resigned"] {
        assert!(all.iter().any(|one| one == name), "{name}: {all:?}");
    }
    ifs(&folder, &server, &["check", "desk.ifs"]).ends(0).says("at most 5 turns");
    let dot = ifs(&folder, &server, &["graph", "desk.ifs", "--format", "dot"]).ends(0);
    assert!(dot.all.contains("gave and sorry?") && dot.all.contains("label=\"no\""), "{}", dot.all);
    let args = ["synthesize", "desk.ifs", "--synthesizer", "sim/plain", "--checker", "rules"];
    let ran = ifs(&folder, &server, &[&args[..], &["--out", "s.jsonl"]].concat());
    ran.says("has turns that depend on the responses");
}

#[test]
fn sharded_instructions_end_when_the_answer_is_found() {
    let server = Server::start(|asked| match last(asked).contains("a quarter of the sum") {
        true => answer("I add it up.\nAnswer: 30 euros"),
        false => answer("How late are they?"),
    });
    let folder = TempDir::new().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/sharded/sharded.ifs");
    let turns = |variant: &str, out: &str| {
        let mut args = vec!["run", file, "-m", "openai/m", "-n", "1", "--out", out];
        args.extend([&["--variant", variant][..], &[]][usize::from(variant.is_empty())]);
        ifs(&folder, &server, &args).ends(0).says("performance");
        let scores = std::fs::read_to_string(folder.path().join(out).join("scores.json")).unwrap();
        let scores: Value = serde_json::from_str(&scores).unwrap();
        let all = scores["metrics"].as_array().unwrap().clone();
        let found = all.iter().find(|one| one["name"] == "performance").unwrap();
        assert_eq!(found["value"], 1.0, "{found}");
        messages(&folder, out, "piece")
    };
    let said = turns("", "sharded");
    assert_eq!(said.len(), 5);
    assert_eq!(said[1], "Each of them was five days late.", "the piece that was asked for");
    assert_eq!(turns("full", "full").len(), 1);
    assert_eq!(turns("concat", "concat").len(), 1);
    assert_eq!(turns("recap", "recap").len(), 5);
    let snowball = turns("snowball", "snowball");
    assert_eq!(snowball.len(), 5);
    assert!(snowball[4].starts_with(&snowball[3]), "{snowball:?}");
}

const MISSED: &str = r#"ifs 1

benchmark missed { title "Missed" version "1.0.0" }

constraint brief { say "Be brief." withdraw "Any length." check count(word) <= 3 }
constraint kind { say "Be kind." judge "Is it KIND?" }

dialogue desk {
  impose brief scope dialogue
  retry up to 1 round with feedback
  turn hello { ask "HELLO."  reply "Hello." }
  turn first { ask "FIRST." }
  when missed { turn shorter { ask "SHORTER." } } else { turn good { ask "GOOD." } }
  turn last { ask "LAST." impose kind }
  when missed { turn unkind { ask "UNKIND." } }
  variant over { end when missed }
}
"#;

/// The first response has four words; after feedback it has two. A judge cannot be read.
#[test]
fn missed_is_evaluated_after_rounds() {
    let server = Server::start(|asked| {
        let last = last(asked);
        match is_judge(asked) {
            true => answer("Perhaps."),
            false if last.contains("SHORTER") || last.contains("LAST") => answer("Two words."),
            false => answer("There are four words."),
        }
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), MISSED).unwrap();
    run_desk(&folder, &server, "out", &["-n", "1"]).ends(0);
    // The branch on a turn that is undecided takes its `else`, which has no turn.
    assert_eq!(names(&folder, "out"), [["hello", "first", "shorter", "last"]]);
    run_desk(&folder, &server, "over", &["-n", "1", "--variant", "over"]).ends(0);
    assert_eq!(names(&folder, "over"), [["hello", "first"]]);

    let drawn = ifs(&folder, &server, &["draw", "desk.ifs", "-n", "1", "--both-sides"]).ends(0);
    for name in ["shorter", "good", "unkind"] {
        assert!(drawn.all.contains(name), "{}", drawn.all);
    }
    let early = MISSED.replace("  turn first { ask \"FIRST.\" }\n", "");
    std::fs::write(folder.path().join("desk.ifs"), early).unwrap();
    let ran = ifs(&folder, &server, &["check", "desk.ifs"]).ends(3);
    assert!(ran.all.contains("`missed` may not have been observed here"), "{}", ran.all);
    let named = MISSED.replace("ask \"FIRST.\"", "ask \"FIRST.\" observe missed contains(\"x\")");
    std::fs::write(folder.path().join("desk.ifs"), named).unwrap();
    let ran = ifs(&folder, &server, &["check", "desk.ifs"]).ends(3);
    assert!(ran.all.contains("give the observation another name"), "{}", ran.all);
}

#[test]
fn both_sides_are_listed_as_they_are_asked() {
    let scenario = "ifs 1\nbenchmark desk { title \"Desk\" version \"1.0.0\" }\n\
        constraint most(n: int) { say \"At most {{ n }}.\" change \"Now {{ n }}.\" check count(word) <= n }\n\
        dialogue desk {\n  impose most(n: 20)\n  turn a { ask \"A\" observe o contains(\"x\") }\n\
        when o { turn b { ask \"B\" impose most(n: 40) scope dialogue } } else { turn e { ask \"E\" } }\n\
        turn c { ask \"C\" }\n}\n";
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), scenario).unwrap();
    let asks = |text: &str| -> Vec<String> {
        let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let turns = line["turns"].as_array().unwrap().iter();
        turns.map(|turn| turn["ask"].as_str().unwrap().to_owned()).collect()
    };
    let server = Server::start(|_| answer("x"));
    ifs(&folder, &server, &["release", "desk.ifs", "--seed", "1", "-n", "1", "--out", "set"])
        .ends(0);
    let listed = asks(&std::fs::read_to_string(folder.path().join("set/dialogues.jsonl")).unwrap());
    run_desk(&folder, &server, "first", &["-n", "1"]).ends(0);
    let server = Server::start(|_| answer("y"));
    run_desk(&folder, &server, "other", &["-n", "1"]).ends(0);
    let read = |run: &str| {
        asks(&std::fs::read_to_string(folder.path().join(run).join("transcripts.jsonl")).unwrap())
    };
    let (first, other) = (read("first"), read("other"));
    assert!(first[2].contains("now 20.") && other[2] == "C", "{first:?} {other:?}");
    let wanted = [&first[0], &first[1], &other[1], &first[2]];
    assert_eq!(listed.iter().collect::<Vec<_>>(), wanted);
}
