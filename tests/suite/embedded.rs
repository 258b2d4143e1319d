//! The library, used like a program would.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ifs::{
    Benchmark, Dialogue, Ending, Error, ErrorKind, Finished, Grader, MemoryWorld, Model,
    ModelError, ModelHandle, Outcome, Request, Respond, Role, Run, Script, Session, Transcript,
    Turn,
};
use tempfile::TempDir;

#[path = "../../examples/draw.rs"]
#[expect(dead_code, reason = "its `main` is for the command line")]
mod draw;
#[path = "../../examples/grade.rs"]
#[expect(dead_code, reason = "its `main` is for the command line")]
mod grade;
#[path = "../../examples/own_model.rs"]
#[expect(dead_code, reason = "its `main` is for the command line")]
mod own_model;

const WRITTEN: &str = include_str!("../script/written.ifs");
const TALK: &str = include_str!("../script/talk.ifs");

fn benchmark(text: &str) -> Benchmark {
    let world = MemoryWorld::new([
        ("main.ifs", text),
        ("topics.jsonl", include_str!("../script/topics.jsonl")),
        ("trips.jsonl", include_str!("../script/trips.jsonl")),
        ("words/open.j2", include_str!("../script/words/open.j2")),
        ("words/continue.j2", include_str!("../script/words/continue.j2")),
        ("words/return.j2", include_str!("../script/words/return.j2")),
        ("words/changes.j2", include_str!("../script/words/changes.j2")),
    ]);
    Benchmark::check(&world, "main.ifs").unwrap()
}

/// Responses that depend on the complete request, and sometimes satisfy it.
fn answer(messages: &[ifs::Message], sample: u32) -> String {
    let mut number = u64::from(sample) + 1;
    for message in messages {
        for byte in message.role.word().bytes().chain(message.text().bytes()) {
            number = number.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        }
    }
    if number % 7 == 0 {
        return String::new();
    }
    let mut text = ["A", "B", "C", "the"][(number >> 8) as usize % 4].to_owned();
    for at in 0..(number >> 16) % 70 {
        text.push_str([" sea", " sky", ".\nIt", " gutter"][(number >> (at % 40)) as usize % 4]);
    }
    text.push(if number & 1 == 0 { '!' } else { '.' });
    text
}

/// A model that responds so, counts its calls, and fails on request.
#[derive(Default)]
struct Own {
    asked: Mutex<BTreeMap<String, usize>>,
    /// From this request on, no request is answered.
    refuses: Option<usize>,
    /// The number of requests that fail before the first one is answered.
    hiccups: AtomicUsize,
}

impl Own {
    fn requests(&self) -> usize {
        self.asked.lock().unwrap().values().sum()
    }
}

impl Model for Own {
    fn name(&self) -> &str {
        "own/agent"
    }

    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
        Box::pin(async move {
            let left = self.hiccups.load(Ordering::SeqCst);
            if left > 0 {
                self.hiccups.store(left - 1, Ordering::SeqCst);
                return Err(ModelError::transient("a hiccup"));
            }
            if self.refuses.is_some_and(|from| self.requests() >= from) {
                return Err(ModelError::permanent("out of answers"));
            }
            *self.asked.lock().unwrap().entry(request.at.clone()).or_default() += 1;
            Ok(answer(&request.messages, request.sample).into())
        })
    }
}

/// Says yes to every second question.
struct Judge;

impl Model for Judge {
    fn name(&self) -> &str {
        "own/judge"
    }

    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
        Box::pin(async move {
            let text = request.messages.last().unwrap().text();
            let count = text.lines().filter(|line| line.trim_start().starts_with("1.")).count();
            assert!(count > 0, "{text}");
            Ok(r#"{"verdicts": [{"item": 1, "reason": "so", "verdict": true}]}"#.into())
        })
    }
}

fn transcripts(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("transcripts.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn handles_are_send_and_sync() {
    fn shared<T: Send + Sync + 'static>() {}
    fn sent<T: Send + 'static>() {}
    shared::<Benchmark>();
    shared::<Dialogue>();
    shared::<Grader>();
    shared::<Run>();
    shared::<ModelHandle>();
    shared::<Error>();
    shared::<Finished>();
    shared::<Transcript>();
    sent::<Script>();
    sent::<Session>();
    let script = benchmark(TALK).dialogue("talk").unwrap().script(1, 0);
    let drawn = std::thread::spawn(move || script.take(3).map(Result::unwrap).count());
    assert_eq!(drawn.join().unwrap(), 3);
}

#[test]
fn turns_are_those_of_the_seed() {
    let benchmark = benchmark(TALK);
    assert_eq!((benchmark.name(), benchmark.version()), ("talk", "1.0.0"));
    assert!(benchmark.definition_hash().starts_with("plan-v1:"));
    assert_eq!(benchmark.dialogues().collect::<Vec<_>>(), ["talk"]);
    let dialogue = benchmark.dialogue("talk").unwrap();
    let turns = |index| -> Vec<Turn> { dialogue.script(1, index).map(Result::unwrap).collect() };
    assert_eq!(turns(0), turns(0));
    assert_ne!(turns(0), turns(1));
    // The first two dialogues of this seed are on file.
    let kept = include_str!("../script/talk.seed1.jsonl").lines();
    let kept: Vec<serde_json::Value> =
        kept.map(|line| serde_json::from_str(line).unwrap()).collect();
    let drawn = turns(0).into_iter().take(8).chain(turns(1).into_iter().take(8));
    for (turn, kept) in drawn.zip(&kept) {
        assert_eq!(turn.ask, kept["ask"]);
        assert_eq!(turn.topic, kept["topic"]);
        let active = kept["active_constraints"].as_array().unwrap().iter();
        let names: Vec<&str> = active.map(|one| one["constraint"].as_str().unwrap()).collect();
        assert_eq!(turn.constraints.iter().map(|it| &*it.name).collect::<Vec<_>>(), names);
        let first = &turn.constraints[0];
        assert_eq!(first.args[0].1, kept["active_constraints"][0]["args"][0][1]);
    }
}

/// A session and a run with the same answers write the same transcripts: rounds of feedback in both
/// forms, samples, reminders, histories of golden answers, patience.
#[test]
fn sessions_equal_runs() {
    let folder = TempDir::new().unwrap();
    let forms = [
        (TALK, "talk", None),
        (WRITTEN, "shaped", None),
        (WRITTEN, "shaped", Some("fixed")),
        (WRITTEN, "piling", None),
        (WRITTEN, "piling", Some("reminded")),
        (WRITTEN, "listed", None),
        (WRITTEN, "listed", Some("fresh")),
        (WRITTEN, "alternating", None),
    ];
    let (mut rounds, mut samples) = (0, 0);
    for (number, (text, name, variant)) in forms.into_iter().enumerate() {
        let dialogue = benchmark(text).dialogue(name).unwrap();
        let dialogue = match variant {
            None => dialogue,
            Some(variant) => dialogue.variant(variant).unwrap(),
        };
        let path = folder.path().join(number.to_string());
        let finished =
            dialogue.run(ModelHandle::own(Own::default())).seed(5).folder(&path).start().unwrap();
        assert!(finished.is_complete() && finished.stopped().is_none());
        let lines = transcripts(&path);
        assert!(!lines.is_empty());
        let mut held = Vec::new();
        for line in &lines {
            let kept: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut session = dialogue.session(5, kept["index"].as_u64().unwrap());
            while let Some(ask) = session.next().unwrap() {
                assert_eq!(session.next().unwrap().as_ref(), Some(&ask));
                assert_eq!(ask.messages.last().unwrap().role, Role::User);
                rounds += usize::from(ask.round > 0);
                samples += usize::from(ask.sample > 0);
                session.answer(answer(&ask.messages, ask.sample)).unwrap();
            }
            let transcript = session.finish();
            assert_eq!(transcript.to_json(), *line, "{name} {variant:?}");
            held.push(transcript);
        }
        let scores = ifs::Scorecard::from_transcripts(&held);
        assert_eq!(scores.metric("CSR"), finished.scorecard().metric("CSR"));
        assert!(scores.to_string().contains("CSR"), "{scores}");
    }
    assert!(rounds > 10 && samples > 10, "{rounds} {samples}");
}

/// A model that thinks aloud before every response.
struct Aloud;

impl Model for Aloud {
    fn name(&self) -> &str {
        "own/aloud"
    }

    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
        Box::pin(async move {
            assert!(request.messages.iter().all(|message| !message.text().contains("hm")));
            Ok("[THINK]hm, five words or so[/THINK]Dear all.".into())
        })
    }
}

/// Reasoning is kept apart in sessions and of models of the program, as it is of endpoints.
#[test]
fn reasoning_of_programs_is_kept_apart() {
    let text = JUDGED.replace(" impose 1 from kind scope dialogue", "");
    let dialogue = benchmark(&text).dialogue("talk").unwrap();
    let mut session = dialogue.session(1, 0);
    while let Some(ask) = session.next().unwrap() {
        assert!(ask.messages.iter().all(|message| !message.text().contains("hm")));
        let verdicts = session.answer("<reasoning>hm, so so so</reasoning>Dear all.").unwrap();
        assert!(verdicts.iter().all(|verdict| verdict.outcome == Outcome::Held), "{verdicts:?}");
    }
    let transcript = session.finish();
    assert_eq!(transcript.responses().collect::<Vec<_>>(), ["Dear all."; 2]);
    assert!(transcript.to_json().contains("hm, so so so"));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("aloud");
    let run = dialogue.run(ModelHandle::own(Aloud)).dialogues(1).folder(&path);
    assert!(run.start().unwrap().is_complete());
    let kept: serde_json::Value = serde_json::from_str(&transcripts(&path)[0]).unwrap();
    assert_eq!(kept["turns"][1]["samples"][0]["answer"], "Dear all.");
    assert_eq!(kept["turns"][1]["samples"][0]["reasoning"], "hm, five words or so");
}

const JUDGED: &str = r#"ifs 1
constraint kind { say "Be kind." judge "Is it kind?" }
constraint short(n: int in 3..=5) { say "At most {{ n }} words." check count(word) <= n }
dialogue talk {
  patience 1
  turn first { ask "Hello?" impose 1 from kind scope dialogue impose 1 from short scope dialogue }
  turn second { ask "And now?" }
  end when patience == 0
}
"#;

#[test]
fn judge_questions_are_passed_to_the_program() {
    let dialogue = benchmark(JUDGED).dialogue("talk").unwrap();
    for (kind, turns) in [(true, 2), (false, 1)] {
        let mut session = dialogue.session(1, 0);
        while session.next().unwrap().is_some() {
            let verdicts = session.answer("Dear all.").unwrap();
            let unjudged = verdicts.iter().find(|verdict| verdict.key == "kind").unwrap();
            assert!(unjudged.outcome == Outcome::Unjudged && unjudged.by_judge);
            let questions = session.questions().unwrap();
            assert_eq!(questions.len(), 1);
            assert_eq!((&*questions[0].key, &*questions[0].text), ("kind", "Is it kind?"));
            let verdicts = session.judge("kind", kind, Some("it says so")).unwrap();
            let settled = verdicts.iter().find(|verdict| verdict.key == "kind").unwrap();
            assert_eq!(settled.outcome == Outcome::Held, kind);
            assert_eq!(session.questions().unwrap(), []);
            assert!(session.judge("kind", true, None).is_err());
        }
        let transcript = session.finish();
        assert_eq!(transcript.len(), turns);
        assert_eq!(*transcript.ending() == Ending::Patience, !kind);
        assert_eq!(transcript.responses().next(), Some("Dear all."));
    }
}

/// Yes always passes, even if the scenario's passing answer is no.
#[test]
fn questions_that_pass_with_no() {
    let judged = JUDGED.replace("judge \"Is it kind?\"", "judge \"Is it rude?\" pass == \"no\"");
    assert_ne!(judged, JUDGED);
    let mut session = benchmark(&judged).dialogue("talk").unwrap().session(1, 0);
    session.next().unwrap().unwrap();
    session.answer("Dear all.").unwrap();
    let text = session.questions().unwrap().remove(0).text;
    assert_eq!(text, "Is no the answer to this question? Is it rude?");
}

#[test]
fn dropped_sessions_are_interrupted() {
    let dialogue = benchmark(JUDGED).dialogue("talk").unwrap();
    let mut session = dialogue.session(1, 0);
    let error = session.answer("Too early.").unwrap_err();
    assert_eq!((error.kind(), error.kind().exit_status()), (ErrorKind::Usage, 2));
    session.next().unwrap().unwrap();
    session.answer("Yes.").unwrap();
    let transcript = session.finish();
    assert_eq!((transcript.len(), transcript.ending()), (1, &Ending::Interrupted));
}

#[test]
fn custom_judges() {
    let folder = TempDir::new().unwrap();
    let dialogue = benchmark(JUDGED).dialogue("talk").unwrap();
    let finished = dialogue
        .run(ModelHandle::own(Own::default()))
        .judge(ModelHandle::own(Judge))
        .folder(folder.path().join("run"))
        .start()
        .unwrap();
    assert!(finished.is_complete());
    let text = transcripts(finished.folder()).concat();
    assert!(text.contains("own/judge") && !text.contains("no judge was asked"), "{text}");
}

/// A stopped run resumes with the model of the same name.
#[test]
fn resumed_runs_repeat_no_request() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run");
    let dialogue = benchmark(WRITTEN).dialogue("piling").unwrap();
    let whole = folder.path().join("whole");
    let all = Arc::new(Own::default());
    let run = |model: &Arc<Own>, path: &Path| {
        let model: Arc<dyn Model> = Arc::clone(model) as Arc<dyn Model>;
        dialogue.run(model).folder(path).concurrency(1)
    };
    run(&all, &whole).start().unwrap();

    let first = Arc::new(Own::default());
    let stopped = run(&first, &path).budget_responses(7).start().unwrap();
    assert!(!stopped.is_complete());
    assert!(stopped.stopped().is_some_and(|why| why.contains("budget")), "{stopped:?}");
    let asked = first.requests();
    assert!(asked > 0 && asked < all.requests());

    let again = Run::resume(&path).start().unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Usage, "{again}");
    let model: Arc<dyn Model> = Arc::clone(&first) as Arc<dyn Model>;
    let mut seen = Vec::new();
    let finished = Run::resume(&path).model(model).start_with(|news| seen.push(news.done)).unwrap();
    assert!(finished.is_complete());
    assert_eq!(seen.last(), Some(&transcripts(&path).len()));
    assert_eq!(*first.asked.lock().unwrap(), *all.asked.lock().unwrap(), "nothing is asked twice");
    assert_eq!(transcripts(&path), transcripts(&whole));

    let taken = run(&first, &path).start().unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::Input, "{taken}");
}

#[test]
fn model_errors_are_not_misses() {
    let folder = TempDir::new().unwrap();
    let dialogue = benchmark(WRITTEN).dialogue("alternating").unwrap();
    let hiccups = Own { hiccups: AtomicUsize::new(2), ..Own::default() };
    let run = |model: Own| dialogue.run(ModelHandle::own(model)).concurrency(1);
    let finished = run(hiccups)
        .retries(5, Duration::from_millis(1))
        .folder(folder.path().join("a"))
        .start()
        .unwrap();
    assert!(finished.is_complete());
    let failing = Own { refuses: Some(2), ..Own::default() };
    let finished = run(failing).folder(folder.path().join("b")).start().unwrap();
    assert!(!finished.is_complete() && finished.incomplete() > 0);
    let line = &transcripts(finished.folder())[0];
    assert!(line.contains("out of answers"), "{line}");
}

#[test]
fn errors_have_a_kind() {
    let world =
        MemoryWorld::new([("a.ifs", "ifs 1\ndialogue talk { turn one { aks \"Why?\" } }\n")]);
    let error = Benchmark::check(&world, "a.ifs").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    let Error::Scenario { problems, .. } = &error else { panic!("{error}") };
    assert_eq!(
        problems[0].place.as_ref().map(|(file, line, _)| (&**file, *line)),
        Some(("a.ifs", 2))
    );
    assert!(error.to_string().contains("a.ifs:2:"), "{error}");

    let benchmark = benchmark(JUDGED);
    let unknown = benchmark.dialogue("tlak").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no dialogue `tlak`; there is talk");
    assert_eq!(unknown.kind().exit_status(), 2);
    let dialogue = benchmark.dialogue("talk").unwrap();
    assert_eq!(dialogue.variant("hard").unwrap_err().kind(), ErrorKind::Usage);
    assert!(dialogue.run("nobody/nothing").start().is_err());
    assert!(dialogue.run("sim/oracle").budget_dollars("five").is_err());
    assert_eq!(Benchmark::open("no/such/folder").unwrap_err().kind(), ErrorKind::Input);
    let row = benchmark.grader().row(b"{}").unwrap_err();
    assert_eq!((row.kind(), matches!(row, Error::Row { .. })), (ErrorKind::Input, true));
}

#[test]
fn rows_are_graded() {
    let grader = benchmark(JUDGED).grader();
    let row =
        br#"{"answer": "One two three four five six.", "constraint": "short", "args": {"n": 5}}"#;
    let grade = grader.row(row).unwrap();
    assert_eq!((grade.strict, grade.constraints.len()), (Some(false), 1));
    assert!(grade.constraints[0].why.as_ref().is_some_and(|why| why.contains('6')));
    let row = br#"{"answer": "One and two.", "constraint": "std.ifeval.punctuation.no_comma"}"#;
    assert_eq!(Grader::library().row(row).unwrap().strict, Some(true));
}

/// A drawn dialogue has the messages and grades of a session, for the same responses.
#[test]
fn drawn_dialogues_are_those_of_sessions() {
    for (text, name) in [(WRITTEN, None), (TALK, None)] {
        let dialogue = benchmark(text).select(name, None, None).unwrap();
        for index in 0..5 {
            let (drawn, mut session) = (dialogue.draw(3, index), dialogue.session(3, index));
            let mut responses: Vec<String> = Vec::new();
            while let Some(ask) = session.next().unwrap() {
                if ask.round > 0 || ask.sample > 0 || ask.turn.number > 6 {
                    break;
                }
                let number = ask.turn.number;
                assert_eq!(drawn.turn(number).unwrap().as_ref(), Some(&ask.turn));
                assert_eq!(drawn.messages(number, &responses).unwrap(), ask.messages);
                let text = format!("{} seas.", answer(&ask.messages, 0).replace("<think>", ""));
                let candidate = session.verdicts(text.as_str()).unwrap();
                let grade = drawn.grade(number, &text, &responses).unwrap();
                assert_eq!(grade.verdicts, candidate);
                assert_eq!(session.answer(text.as_str()).unwrap(), candidate);
                responses.push(text);
            }
            assert!(!responses.is_empty());
            let error = session.verdicts("x");
            assert!(matches!(error, Err(Error::Usage { .. })) || session.next().unwrap().is_some());
        }
    }
    let unknown = benchmark(WRITTEN).select(None, None, Some("hidden")).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Usage);
}

/// A constraint of the user that the system's overrules, and an observation.
const OVERRULED: &str = r#"ifs 1
group letters {
  constraint large { say "Write in capital letters." check is_upper }
  constraint small { say "Write in small letters." check is_lower }
}
dialogue desk {
  priority system > user > tool
  system "You answer for the library."
  impose letters.large by system
  weigh letters 3
  turn plea {
    ask "Do you lend out maps?"
    impose 1 from letters by user against system
    observe denied contains("no")
  }
}
"#;

#[test]
fn grades_omit_overruled_constraints_and_observations() {
    let dialogue = benchmark(OVERRULED).select(None, None, None).unwrap();
    let (drawn, mut session) = (dialogue.draw(1, 0), dialogue.session(1, 0));
    session.next().unwrap();
    for (text, share) in [("YES.", 1.0), ("yes.", 0.0)] {
        let grade = drawn.grade(1, text, &[]).unwrap();
        assert_eq!((grade.share(), grade.strict), (Some(share), Some(share == 1.0)));
        assert_eq!(grade.verdicts, session.verdicts(text).unwrap());
        let [verdict] = grade.verdicts.as_slice() else { panic!("{grade:?}") };
        assert_eq!((verdict.speaker, verdict.weight), ("system", Some(3.0)));
    }
}

#[test]
fn rows_are_graded_on_threads_in_their_order() {
    let grader = benchmark(JUDGED).grader();
    let rows: Vec<String> = (0..500)
        .map(|at| match at % 50 {
            49 => "no row".to_owned(),
            _ => format!(
                r#"{{"answer": "{}end.", "constraint": "short", "args": {{"n": 5}}}}"#,
                "one ".repeat(at % 9)
            ),
        })
        .collect();
    let alone = grader.rows(&rows, 1).unwrap();
    assert_eq!(grader.rows(&rows, 4).unwrap(), alone);
    assert_eq!(alone.iter().filter(|grade| grade.is_err()).count(), 10);
    let brief = grader.clone().brief(true).loose(false).rows(&rows, 2).unwrap();
    for (brief, grade) in brief.iter().zip(&alone) {
        let (Ok(brief), Ok(grade)) = (brief, grade) else { continue };
        assert_eq!((brief.strict, brief.loose), (grade.strict, None));
        assert!(brief.constraints.iter().all(|one| one.why.is_none()));
        assert_eq!(grade.share(), grade.strict.map(|held| f64::from(u8::from(held))));
    }
}

/// The programs of `examples/`.
#[test]
fn examples_have_the_declared_results() {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/support");
    let drawn = draw::drawn(&scenario, None, 2).unwrap();
    assert!(
        drawn.starts_with("plan-v1:") && drawn.contains("\n0.1 [") && drawn.contains("\n1.1 [")
    );
    let rows = [
        r#"{"answer": "One and two.", "constraint": "std.ifeval.punctuation.no_comma"}"#,
        r#"{"answer": "One, two.", "constraint": "std.ifeval.punctuation.no_comma"}"#,
        r#"{"answer": "No constraint"}"#,
    ];
    let graded = grade::graded(&rows.join("\n"));
    let lines: Vec<&str> = graded.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "pass"));
    assert!(lines[1].starts_with("miss: ") && lines[2].starts_with("not graded: "), "{graded}");
    let folder = TempDir::new().unwrap();
    let finished = own_model::run(&scenario, &folder.path().join("run")).unwrap();
    assert!(finished.is_complete() && finished.scorecard().metric("CSR").is_some());
    let held = own_model::held(&scenario).unwrap();
    assert!(held.starts_with("turn 1\n") && held.contains(" turns, "), "{held}");
}
