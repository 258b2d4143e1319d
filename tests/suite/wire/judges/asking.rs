//! What judges are asked, and how they are asked again.

use super::*;

/// Whether a request asks for one word or number.
pub(super) fn is_simple(asked: &Asked) -> bool {
    last(asked).contains("and nothing else: yes or no")
        || last(asked).contains("Reply with one integer")
}

const POLITE: &str = r#"ifs 1
benchmark j { version "0.1.0" }
constraint polite { say "Be polite." judge "Is the response polite?" }
dialogue d { impose polite turn a { ask "Hello?" } }
"#;

fn asked_of(program: &str, server: &Server, more: &[&str]) -> (TempDir, Ran) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("j.ifs"), program).unwrap();
    let mut args = vec!["run", "j.ifs", "-n", "1", "-m", "openai/m", "--judge", "openai/j"];
    args.extend(["--out", "out", "--retry-wait", "1ms", "-j", "1"]);
    args.extend(more);
    let ran = Ran::of(command(folder.path(), server, &args).output().unwrap());
    (folder, ran)
}

/// A reply that was cut at a limit below `enough`, without a word of text.
fn cut_below(asked: &Asked, enough: u64) -> Vec<Step> {
    let limit = asked.body["max_completion_tokens"].as_u64().unwrap_or(0);
    if limit >= enough {
        return on_wire(asked, "yes");
    }
    let message = json!({"role": "assistant", "content": null, "reasoning_content": "hm hm"});
    let choices = json!([{"finish_reason": "length", "message": message}]);
    let usage = json!({"prompt_tokens": 11, "completion_tokens": limit});
    response("200 OK", &[JSON], &json!({"choices": choices, "usage": usage}).to_string())
}

fn limits(server: &Server) -> Vec<u64> {
    let asked = server.log().into_iter().filter(is_judge);
    asked.map(|asked| asked.body["max_completion_tokens"].as_u64().unwrap_or(0)).collect()
}

#[test]
fn a_reply_that_was_cut_is_requested_with_a_higher_limit() {
    let server = Server::start(|asked| match is_judge(asked) {
        true => cut_below(asked, 1_000),
        false => on_wire(asked, "Dear you."),
    });
    let (folder, ran) = asked_of(POLITE, &server, &["--judge-max-tokens", "100"]);
    ran.ends(0);
    assert_eq!(limits(&server), [100, 400, 1_600]);
    assert_eq!(outcomes(&transcripts(&folder), "polite"), ["held"]);
    // The same from the journal, and from a limit that only the endpoint knows.
    let before = server.log().len();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), before);
}

#[test]
fn reports_say_why_outcomes_could_not_be_judged() {
    let server = Server::start(|asked| match is_judge(asked) {
        true => cut_below(asked, u64::MAX),
        false => on_wire(asked, "Dear you."),
    });
    let (folder, ran) = asked_of(POLITE, &server, &["--judge-max-tokens", "100"]);
    ran.ends(0)
        .says("1 constraint outcome could not be judged (1 since a reply of openai/j cannot");
    for format in ["html", "json"] {
        let args = ["report", "out", "--format", format];
        let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
        ran.ends(0).says("cannot be read: it was cut at the token limit; raise");
    }
}

#[test]
fn a_checklist_that_cannot_be_read_is_asked_question_by_question() {
    let server = Server::start(|asked| {
        if !is_judge(asked) {
            return on_wire(asked, "Dear you.");
        }
        let said = last(asked);
        match () {
            () if !is_simple(asked) => {
                on_wire(asked, "The first is fine. I am not sure otherwise.")
            }
            () if said.contains("Is it warm") => on_wire(asked, "**Answer:** No"),
            () => on_wire(asked, "Yes."),
        }
    });
    let program = POLITE.replace("dialogue d { impose polite ", "constraint warm { say \"Be warm.\" judge \"Is it warm?\" }\ndialogue d { impose polite impose warm ");
    let (folder, ran) = asked_of(&program, &server, &[]);
    ran.ends(0);
    let held = transcripts(&folder);
    assert_eq!(
        (outcomes(&held, "polite"), outcomes(&held, "warm")),
        (vec!["held".to_owned()], vec!["missed".to_owned()])
    );
    let judges: Vec<Asked> = server.log().into_iter().filter(is_judge).collect();
    assert_eq!(judges.len(), 3, "the checklist, and each question once");
    assert!(judges[1..].iter().all(|asked| asked.body.get("response_format").is_none()));
    assert!(judges[1..].iter().all(|asked| asked.texts().len() == judges[1].texts().len()));
}

const CHAIN: &str = r#"ifs 1
benchmark j { version "0.1.0" }
dialogue d {
  turn a {
    ask "Greet me in two lines, kindly."
    require lines count(line) == 2
    require greets judge "Does it greet?"
    require kind judge "Is it kind?" after greets
    require warm judge "Is it warm?" after kind
    require formal judge "Is it formal?" after lines
  }
}
"#;

/// The questions of the requests to judges, in their order.
fn questions(server: &Server) -> Vec<String> {
    let all = ["Does it greet", "Is it kind", "Is it warm", "Is it formal"];
    let asked = server.log().into_iter().filter(is_judge).map(|asked| last(&asked));
    asked
        .flat_map(|said| all.into_iter().filter(move |one| said.contains(one)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn requirements_that_are_blocked_are_not_sent() {
    // The rule fails, and then the first judged requirement.
    let server = judging(|asked| verdict(asked, "no", 0));
    let (folder, ran) = asked_of(CHAIN, &server, &[]);
    ran.ends(0);
    assert_eq!(questions(&server), ["Does it greet"]);
    let held = transcripts(&folder);
    assert_eq!(outcomes(&held, "greets"), ["missed"]);
    for blocked in ["kind", "warm", "formal"] {
        assert_eq!(outcomes(&held, blocked), ["blocked"], "{blocked}");
    }
    // Each one is asked when the one before it holds.
    let server = Server::start(|asked| match is_judge(asked) {
        true => on_wire(asked, &verdict(asked, "yes", 0)),
        false => on_wire(asked, "Hello!\nBe well."),
    });
    let (folder, ran) = asked_of(CHAIN, &server, &[]);
    ran.ends(0);
    assert_eq!(questions(&server), ["Does it greet", "Is it formal", "Is it kind", "Is it warm"]);
    let held = transcripts(&folder);
    for one in ["lines", "greets", "kind", "warm", "formal"] {
        assert_eq!(outcomes(&held, one), ["held"], "{one}");
    }
    let before = server.log().len();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), before);
}

#[test]
fn undecided_turns_bound_the_rates() {
    let server = Server::start(|asked| match is_judge(asked) {
        true => on_wire(asked, "I cannot tell."),
        false => on_wire(asked, "Dear you."),
    });
    let program = POLITE.replace("turn a { ask \"Hello?\" }", "turn a { ask \"Hello?\" }\n turn b { ask \"Hello?\" require long count(word) > 5 }\n turn c { ask \"And?\" }");
    let program = program.replace("impose polite ", "impose polite scope dialogue ");
    let (folder, ran) = asked_of(&program, &server, &["--judge-tries", "1"]);
    ran.ends(0).says("0.0 to 66.7 %, by what was not judged");
    let args = ["report", "out", "--format", "json"];
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let report: Value = serde_json::from_str(ran.all.trim()).unwrap();
    let isr =
        report["metrics"].as_array().unwrap().iter().find(|one| one["name"] == "ISR").unwrap();
    assert_eq!(isr["value"], 0.0);
    assert_eq!(isr["undecided"]["all_missed"], 0.0);
    assert!((isr["undecided"]["all_held"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    let reasons = &report["totals"]["unjudged_reasons"];
    assert_eq!(reasons["a reply of openai/j cannot be read: it has no verdict"], 3, "{reasons}");
}
