//! Given turns: they are in the history of requests and of judges, and nowhere else.

use super::judges::is_judge;
use super::*;

const GIVEN: &str = r#"ifs 1

benchmark given { title "Given" version "1.0.0" }

import talks "talks.jsonl" {
  name: text
  messages: list of { role: text content: text }
}

constraint brief(n: int) { say "At most {{ n }} words." check count(word) <= n }

flow opening {
  turn welcome { ask "Hello." reply "Hello! I am GIVEN0." }
  turn favour { ask "A favour, please." }
}

dialogue last over talks as talk {
  system "You help {{ talk.name }}."
  patience 1
  for m in exchanges(talk.messages) {
    turn given { ask m.ask reply m.reply impose brief(n: 1) scope dialogue }
  }
  turn last { ask talk.messages[-1].content require kind judge "Is it kind?" }
  turn more { ask "And now?" }
  end when patience == 0
  variant opened { flow opening }
  variant drawn {
    for k in [1, 2] {
      turn { ask "Round {{ k }}." reply "GIVEN{{ k }}." }
      turn { ask "Question {{ k }}." }
    }
  }
}
"#;

const TALKS: &str = r#"{"name":"Ada","messages":[{"role":"user","content":"ONE"},{"role":"assistant","content":"GIVEN1"},{"role":"user","content":"TWO"},{"role":"assistant","content":"GIVEN2"},{"role":"user","content":"THREE"}]}
{"name":"Bo","messages":[{"role":"user","content":"FOUR"}]}
"#;

fn run(more: &[&str]) -> (TempDir, Server, Ran) {
    let server = Server::start(|asked| match is_judge(asked) {
        true => answer("No verdict."),
        false => answer("So."),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("given.ifs"), GIVEN).unwrap();
    std::fs::write(folder.path().join("talks.jsonl"), TALKS).unwrap();
    let mut args = vec!["run", "given.ifs", "-m", "openai/m", "--judge", "openai/judge"];
    args.extend(["--judge-tries", "1", "--retry-wait", "1ms", "-j", "1", "--out", "out"]);
    args.extend(more);
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
    (folder, server, ran)
}

fn sent(server: &Server) -> Vec<Vec<String>> {
    server.log().iter().filter(|asked| !is_judge(asked)).map(Asked::texts).collect()
}

#[test]
fn given_history_is_sent_without_requests() {
    let (folder, server, ran) = run(&["-n", "2"]);
    ran.ends(0);
    let sent = sent(&server);
    assert_eq!(sent.len(), 4, "two turns of two dialogues: {sent:?}");
    // Dialogues run in any order.
    let of_ada = |asked: &Asked| !is_judge(asked) && asked.texts()[0].contains("Ada");
    let first = server.log().into_iter().find(of_ada).unwrap();
    let sent = [first.texts()];
    let roles: Vec<Value> = first.body["messages"].as_array().unwrap().clone();
    let roles: Vec<&str> = roles.iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    assert!(sent[0][1].contains("ONE") && sent[0][1].contains("at most 1 words"), "{sent:?}");
    assert_eq!(sent[0][2], "GIVEN1");
    assert_eq!(sent[0][4], "GIVEN2");
    assert_eq!(sent[0][5], "THREE");
    // A judge sees them as earlier turns.
    let judged = server.log().into_iter().filter(is_judge);
    assert!(judged.into_iter().any(|asked| asked.body.to_string().contains("GIVEN2")));
    // What was imposed on them is active, and they are not scored.
    let first = &transcripts(&folder)[0];
    let turns = first["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 4);
    assert_eq!(turns[0]["given"], "GIVEN1");
    assert!(turns[0].get("samples").is_none());
    assert_eq!(turns[2]["samples"][0]["verdicts"].as_array().unwrap().len(), 2, "{}", turns[2]);
    assert_eq!(turns[2]["patience"], 1, "a given turn costs no patience");
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    assert_eq!(scores["totals"]["turns"], 4, "{}", scores["totals"]);
    // Run again from the journal, and scored again: the same.
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().iter().filter(|asked| !is_judge(asked)).count(), 4);
    let args = ["show", "out", "--dialogue", "0"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0).says("GIVEN2");
    let args = ["score", "out"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
}

#[test]
fn flows_and_loops_have_given_turns() {
    let (_folder, server, ran) = run(&["-n", "1", "--variant", "opened"]);
    ran.ends(0);
    assert_eq!(sent(&server)[0][1..], ["Hello.", "Hello! I am GIVEN0.", "A favour, please."]);
    let (_folder, server, ran) = run(&["-n", "1", "--variant", "drawn"]);
    ran.ends(0);
    let sent = sent(&server);
    assert_eq!(sent.len(), 2);
    let all = ["Round 1.", "GIVEN1.", "Question 1.", "So.", "Round 2.", "GIVEN2.", "Question 2."];
    assert_eq!(sent[1][1..], all);
}

#[test]
fn given_turns_have_no_witness_and_dashed_nodes() {
    let (folder, server, _) = run(&["-n", "1"]);
    let ifs = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    let drawn = ifs(&["draw", "given.ifs", "-n", "1"]).ends(0).says("reply: GIVEN1");
    let first = drawn.all.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
    assert!(first.ends_with("· given"), "{first}");
    ifs(&["graph", "given.ifs", "--format", "dot"]).ends(0).says("rounded,dashed");
    ifs(&["graph", "given.ifs", "--format", "mermaid"])
        .ends(0)
        .says("[/\"given<br/>imposes brief\"/]");
    let written =
        "dialogue d { turn a { ask \"A\" reply template \"r.j2\" } turn b { ask \"B\" } }";
    std::fs::write(folder.path().join("r.j2"), "Nice.").unwrap();
    std::fs::write(folder.path().join("w.ifs"), format!("ifs 1\n{written}\n")).unwrap();
    ifs(&["draw", "w.ifs", "-n", "1"]).ends(0).says("reply: Nice.");
    let one = std::fs::read_to_string(folder.path().join("w.ifs")).unwrap();
    let other = one.replace("template \"r.j2\"", "\"Other.\"");
    std::fs::write(folder.path().join("v.ifs"), other).unwrap();
    ifs(&["diff", "w.ifs", "v.ifs"]).says("reply");
}

#[test]
fn given_responses_choose_branches() {
    let scenario = "ifs 1\nbenchmark given { title \"Given\" version \"1.0.0\" }\n\
        dialogue d {\n  turn hello { ask \"H\" reply \"Take two.\" }\n\
        for x in [\"one\", \"two\"] by (contains(x)) {\n\
          turn t { ask \"Say {{ x }}.\" require r contains(\"z\") }\n  }\n}\n";
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), scenario).unwrap();
    let server = Server::start(|_| answer("Nothing."));
    super::run(&folder, &server, "1", &[]).ends(0);
    let said = |texts: &[String]| texts.last().cloned().unwrap();
    let asked: Vec<String> = server.log().iter().map(|it| said(&it.texts())).collect();
    assert_eq!(asked, ["Say two.", "Say one."]);
    let drawn = command(folder.path(), &server, &["draw", "wire.ifs", "-n", "1"]).output().unwrap();
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    let places = asked.iter().map(|text| drawn.find(text.as_str()));
    assert!(places.clone().all(|at| at.is_some()) && places.is_sorted(), "{drawn}");
}
