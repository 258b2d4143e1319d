//! Judges that fail, are refused, or know no structured output.

use super::*;

/// A judge's failure is an infrastructure error: its dialogue stops, and the request is repeated.
#[test]
fn failing_judges() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static WELL: AtomicBool = AtomicBool::new(false);
    let server = Server::start(|asked| {
        if !is_judge(asked) {
            return on_wire(asked, "The sea rises.");
        }
        if WELL.load(Ordering::SeqCst) || !whole(asked).contains("How deep") {
            return on_wire(asked, &verdict(asked, "yes", 7));
        }
        error("500 Internal Server Error", &[], "out of order")
    });
    let folder = judged();
    let short = ["--max-retries", "1"];
    held(&folder, &server, &[&["-m", "openai/m", "--judge", "anthropic/j"][..], &short].concat())
        .ends(4)
        .says("the judge anthropic/j: ")
        .says("incomplete because a request failed");
    assert_eq!(manifest(&folder)["failed"], 2);
    WELL.store(true, Ordering::SeqCst);
    let before = server.log().len();
    resume(&folder, &server, &[]).ends(0);
    let asked = &server.log()[before..];
    // Of two first turns the answer, the checklist and the rubric are in the journal.
    assert_eq!(asked.iter().filter(|asked| !is_judge(asked)).count(), 4);
    assert_eq!(asked.iter().filter(|asked| is_judge(asked)).count(), 2 + 4 * 3);
    assert_eq!(outcomes(&transcripts(&folder), "deep"), ["held"; 6]);
    // The same of a judging.
    WELL.store(false, Ordering::SeqCst);
    let args = [&["--judge", "google/j"][..], &short].concat();
    score(&folder, &server, &args).ends(4).says("6 answers were not judged");
    let judged = lines(&judging_of(&folder).join("verdicts.jsonl"));
    assert_eq!(outcomes(&judged, "deep"), ["unjudged"; 6]);
    WELL.store(true, Ordering::SeqCst);
    score(&folder, &server, &args).ends(0);
    let judged = lines(&judging_of(&folder).join("verdicts.jsonl"));
    assert_eq!(outcomes(&judged, "deep"), ["held"; 6]);
}

/// A call that is under way when another fails is finished and recorded.
#[test]
fn responses_next_to_a_failure_are_kept() {
    let server = Server::start(|asked| {
        if !is_judge(asked) {
            return on_wire(asked, &format!("Answer {}.", asked.number));
        }
        if last(asked).contains("Answer 0.") {
            return error("400 Bad Request", &[], "not this one");
        }
        let mut steps = vec![Step::Sleep(Duration::from_millis(100))];
        steps.extend(on_wire(asked, &verdict(asked, "yes", 7)));
        steps
    });
    let folder = judged();
    let program = JUDGED.replace("start with", "sample 3\n  start with");
    std::fs::write(folder.path().join("judged.ifs"), program).unwrap();
    held(&folder, &server, &["-m", "openai/m", "--judge", "openai/j", "-n", "1"]).ends(4);
    let kept = || records(&folder).iter().filter(|record| record.get("call").is_some()).count();
    assert_eq!(kept(), server.answered().len());
    assert_eq!(kept(), 3 + 2 * 3, "three answers, and the verdicts on two of them");
    // The same of a panel of which one judge fails.
    let server = Server::start(|asked| {
        if !is_judge(asked) {
            return on_wire(asked, "The sea rises.");
        }
        if asked.body["model"] == "bad" {
            return error("400 Bad Request", &[], "not this one");
        }
        let mut steps = vec![Step::Sleep(Duration::from_millis(100))];
        steps.extend(on_wire(asked, &verdict(asked, "yes", 7)));
        steps
    });
    let folder = judged();
    let panel = ["-m", "openai/m", "--judge", "openai/bad", "--judge", "openai/j", "-n", "1"];
    held(&folder, &server, &panel).ends(4);
    let kept = records(&folder).iter().filter(|record| record.get("call").is_some()).count();
    assert_eq!((kept, server.answered().len()), (1 + 3, 1 + 3));
}

/// A response of the model under test does not validate a judge's key.
#[test]
fn a_judge_whose_key_is_refused_stops_the_run() {
    let server = Server::start(|asked| match is_judge(asked) {
        true => error("401 Unauthorized", &[], "who are you?"),
        false => on_wire(asked, "The sea rises."),
    });
    let folder = judged();
    let more = ["-m", "openai/m", "--judge", "anthropic/j", "-n", "30", "--max-connections", "1"];
    held(&folder, &server, &more).ends(4).says(
        "error: anthropic/j: 401 Unauthorized: who are you? (the key is that of ANTHROPIC_API_KEY)",
    );
    assert_eq!(server.answered().len(), 1, "of the model under test");
}

/// Refuses structured output, like servers without it.
fn formless(said: impl Fn(&Asked) -> String + Send + Sync + 'static) -> Server {
    Server::start(move |asked| {
        let form = ["response_format", "tools"].iter().any(|name| asked.body.get(*name).is_some())
            || asked.body.pointer("/generationConfig/responseSchema").is_some();
        match form {
            true => error("400 Bad Request", &[], "unknown field"),
            false if is_judge(asked) => on_wire(asked, &said(asked)),
            false => on_wire(asked, "The sea rises."),
        }
    })
}

#[test]
fn endpoints_without_structured_output_get_plain_requests() {
    for judge in ["openai/j", "anthropic/j", "google/j"] {
        let server = formless(|asked| verdict(asked, "yes", 7));
        let folder = judged();
        // One call at a time, so that no other is refused before it is known.
        let more = ["-m", "openai/m", "--judge", judge, "--max-connections", "1"];
        let ran = held(&folder, &server, &more).ends(0);
        let reported = format!("{judge} refuses structured output");
        assert_eq!(ran.all.matches(&reported).count(), 1, "{}", ran.all);
        assert_eq!(outcomes(&transcripts(&folder), "full"), ["held"; 6]);
        let refused = server.log().len() - server.answered().len();
        // At most the three sheets of the first answer were on their way.
        assert!((1..=3).contains(&refused), "{refused}");
        assert_eq!(server.answered().len(), 24);
        // The plain reply is used for the same question when the run resumes.
        let asked = server.log().len();
        resume(&folder, &server, &[]).ends(0);
        assert_eq!(server.log().len(), asked);
    }
}

#[test]
fn unrelated_refusals_stay_failures() {
    let server = Server::start(|asked| match is_judge(asked) {
        true => error("400 Bad Request", &[], "too long"),
        false => on_wire(asked, "The sea rises."),
    });
    let folder = judged();
    let more = ["-m", "openai/m", "--judge", "openai/j", "-n", "1"];
    let ran = held(&folder, &server, &more).ends(4).says("400 Bad Request: too long");
    assert!(!ran.all.contains("refuses to hold"), "{}", ran.all);
    // The form left out, each of three sheets is tried again and given up.
    let judges = server.log().iter().filter(|asked| is_judge(asked)).count();
    assert_eq!(judges, 6);
}
