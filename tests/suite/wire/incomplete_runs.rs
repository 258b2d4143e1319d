//! Incomplete runs of many kinds, then scored, reported, compared and exported: each command warns
//! first, or refuses the run.

use std::time::Duration;

use super::server::Gate;
use super::*;

/// What every command on a run must do.
enum Wanted {
    /// Starts with this warning, and exits with status 1.
    Says(&'static str),
    /// Writes nothing, and prints this.
    Refuses(&'static str),
}

use Wanted::{Refuses, Says};

type ChangeRule = (&'static str, fn() -> TempDir, Wanted);

/// A number of responses, and then none.
fn silent_after(count: usize) -> Server {
    Server::start(move |asked| match asked.number < count {
        true => dutiful(asked),
        false => vec![Step::Sleep(Duration::from_secs(60)), Step::Close],
    })
}

/// Kills a command when the server has got this many requests.
fn killed_at(folder: &TempDir, server: &Server, args: &[&str], requests: usize) {
    let mut child = command(folder.path(), server, args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // One thread records a dialogue while another requests the next.
    let written = || {
        let draft = std::fs::read_to_string(path(folder, "transcripts.jsonl.part"));
        draft.map_or(0, |text| text.matches('\n').count())
    };
    while server.log().len() < requests || written() < (requests - 1) / 4 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Five dialogues of four turns, in sequence, killed after this many responses.
fn killed_after(answers: usize) -> TempDir {
    let (server, folder) = (silent_after(answers), scenario());
    let args = run_args("openai/m", "5", &["--max-connections", "1"]);
    killed_at(&folder, &server, &args, answers + 1);
    folder
}

/// A run of five dialogues that ends with a status.
fn ended(script: fn(&Asked) -> Vec<Step>, more: &[&str], status: i32) -> TempDir {
    let (server, folder) = (Server::start(script), scenario());
    let one_by_one = [more, &["--max-connections", "1"]].concat();
    run(&folder, &server, "5", &one_by_one).ends(status);
    folder
}

fn complete() -> TempDir {
    ended(dutiful, &[], 0)
}

fn path(folder: &TempDir, name: &str) -> std::path::PathBuf {
    folder.path().join("out").join(name)
}

fn edit(folder: &TempDir, name: &str, change: impl Fn(String) -> String) {
    std::fs::write(path(folder, name), change(read(folder, name))).unwrap();
}

fn edit_manifest(folder: &TempDir, change: impl Fn(&mut serde_json::Map<String, Value>)) {
    edit(folder, "run.json", |text| {
        let mut manifest: Value = serde_json::from_str(&text).unwrap();
        change(manifest.as_object_mut().unwrap());
        crate::sealed(&manifest)
    });
}

fn lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

/// Resumes an incomplete run, and kills it. The base address is that of the first start, whatever
/// server uses it now.
fn resumed_and_killed(folder: &TempDir) {
    let server = silent_after(0);
    edit_manifest(folder, |manifest| {
        let address = format!("{}/chat/completions", server.base());
        manifest.insert("address".to_owned(), address.into());
    });
    // The journal belongs to the address, too, so a new one is started.
    std::fs::remove_file(path(folder, "journal")).unwrap();
    killed_at(folder, &server, &["run", "--resume", "out", "--ask-again"], 1);
}

fn refused_at(number: usize) -> impl Fn(&Asked) -> Vec<Step> {
    move |asked| match asked.number == number {
        true => error("400 Bad Request", &[], "no"),
        false => dutiful(asked),
    }
}

fn error(status: &str, headers: &[(&str, &str)], message: &str) -> Vec<Step> {
    super::server::error(status, headers, message)
}

const WAYS: &[ChangeRule] = &[
    ("killed in its first call", || killed_after(0), Says("5 of 5 dialogues are missing.")),
    ("killed in its first dialogue", || killed_after(3), Says("5 of 5 dialogues are missing.")),
    ("killed after a dialogue", || killed_after(4), Says("4 of 5 dialogues are missing.")),
    ("killed in its last dialogue", || killed_after(18), Says("1 of 5 dialogues is missing.")),
    (
        "killed while a line was written",
        || {
            let folder = killed_after(9);
            let torn = read(&folder, "transcripts.jsonl.part");
            std::fs::write(path(&folder, "transcripts.jsonl.part"), &torn[..torn.len() - 30])
                .unwrap();
            folder
        },
        Says("4 of 5 dialogues are missing."),
    ),
    (
        "killed, and its draft is gone",
        || {
            let folder = killed_after(9);
            std::fs::remove_file(path(&folder, "transcripts.jsonl.part")).unwrap();
            folder
        },
        Says("5 of 5 dialogues are missing."),
    ),
    #[cfg(unix)]
    (
        "interrupted",
        || {
            let gate = Gate::default();
            let held = gate.clone();
            let server = Server::start(move |asked| {
                if asked.number == 5 {
                    held.wait();
                }
                dutiful(asked)
            });
            let folder = scenario();
            let args = run_args("openai/m", "5", &["--max-connections", "1"]);
            let mut child = command(folder.path(), &server, &args)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            server.until_asked(6, &mut child);
            interrupted(child, "-INT", &gate).ends(130);
            folder
        },
        Says("3 of 5 dialogues are missing, 1 interrupted."),
    ),
    (
        "a budget of calls",
        || ended(dutiful, &["--budget-calls", "6"], 4),
        Says("3 of 5 dialogues are missing, 1 interrupted."),
    ),
    (
        "a budget of tokens",
        || ended(dutiful, &["--budget-tokens", "200", "--max-tokens", "8"], 4),
        Says("dialogues are missing"),
    ),
    (
        "one call failed",
        || ended(|asked| refused_at(6)(asked), &[], 4),
        Says("1 of 5 dialogues was stopped by an error."),
    ),
    (
        "each dialogue failed in its third turn",
        || {
            let script = |asked: &Asked| match asked.texts().len() {
                5 => error("400 Bad Request", &[], "no"),
                _ => dutiful(asked),
            };
            ended(script, &[], 4)
        },
        Says("5 of 5 dialogues were stopped by an error."),
    ),
    (
        "every call failed",
        || ended(|_| error("400 Bad Request", &[], "no"), &[], 4),
        Says("5 of 5 dialogues were stopped by an error."),
    ),
    (
        "a refused key",
        || ended(|_| error("401 Unauthorized", &[], "who?"), &[], 4),
        Says("dialogues are missing, 1 stopped by an error."),
    ),
    (
        "connections that close",
        || {
            let script = |asked: &Asked| match asked.number % 7 {
                6 => vec![Step::Close],
                _ => dutiful(asked),
            };
            ended(script, &["--max-retries", "0"], 4)
        },
        Says("stopped by an error."),
    ),
    (
        "answers that are none",
        || {
            let script = |asked: &Asked| match asked.number {
                9 => super::server::response("200 OK", &[super::server::JSON], "{"),
                _ => dutiful(asked),
            };
            ended(script, &["--max-retries", "0"], 4)
        },
        Says("1 of 5 dialogues was stopped by an error."),
    ),
    (
        "complete, then resumed and killed",
        || {
            let folder = complete();
            resumed_and_killed(&folder);
            folder
        },
        Says("run.json does not record its end, though all 5 dialogues have a transcript."),
    ),
    (
        "out of budget, then resumed and killed",
        || {
            let folder = ended(dutiful, &["--budget-calls", "9"], 4);
            resumed_and_killed(&folder);
            folder
        },
        Says("2 of 5 dialogues are missing, 1 interrupted."),
    ),
    (
        "a model that knows some answers",
        || {
            let folder = complete();
            let kept = lines(&read(&folder, "transcripts.jsonl"), 3);
            std::fs::write(folder.path().join("some.jsonl"), kept).unwrap();
            std::fs::remove_dir_all(folder.path().join("out")).unwrap();
            let server = Server::start(dutiful);
            let args = ["run", "wire.ifs", "-m", "replay:some.jsonl", "-n", "5", "--out", "out"];
            Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(4);
            folder
        },
        Says("2 of 5 dialogues were stopped by an error."),
    ),
    (
        "transcripts taken out, and the hash made again",
        || {
            let folder = complete();
            edit(&folder, "transcripts.jsonl", |text| lines(&text, 2));
            let hash =
                blake3::hash(read(&folder, "transcripts.jsonl").as_bytes()).to_hex().to_string();
            edit_manifest(&folder, |manifest| {
                manifest.insert("transcripts".to_owned(), hash.clone().into());
            });
            folder
        },
        Says("3 of 5 dialogues are missing."),
    ),
    (
        "run.json of a run that goes on",
        || {
            let folder = complete();
            edit_manifest(&folder, |manifest| {
                manifest.insert("complete".to_owned(), false.into());
            });
            folder
        },
        Says("run.json does not record its end"),
    ),
    (
        "transcripts cut in a line",
        || {
            let folder = complete();
            edit(&folder, "transcripts.jsonl", |text| text[..text.len() - 99].to_owned());
            folder
        },
        Refuses("line 5"),
    ),
    (
        "transcripts cut after a line",
        || {
            let folder = complete();
            edit(&folder, "transcripts.jsonl", |text| lines(&text, 4));
            folder
        },
        Refuses("its hash is not the one in run.json"),
    ),
    (
        "empty transcripts",
        || {
            let folder = complete();
            edit(&folder, "transcripts.jsonl", |_| String::new());
            folder
        },
        Refuses("its hash is not the one in run.json"),
    ),
    (
        "no transcripts",
        || {
            let folder = complete();
            std::fs::remove_file(path(&folder, "transcripts.jsonl")).unwrap();
            folder
        },
        Refuses("it is gone"),
    ),
    (
        "a transcript with another answer",
        || {
            let folder = ended(dutiful, &["--budget-calls", "9"], 4);
            edit(&folder, "transcripts.jsonl", |text| text.replacen("Answer", "answer", 1));
            folder
        },
        Refuses("its hash is not the one in run.json"),
    ),
];

/// Every command on a run.
const COMMANDS: [&[&str]; 12] = [
    &["score", "out"],
    &["score", "out", "--format", "json"],
    &["score", "out", "--patience", "1"],
    &["score", "out", "--judge", "sim/judge"],
    &["report", "out"],
    &["report", "out", "--format", "json"],
    &["report", "out", "--format", "html"],
    &["report", "out", "--format", "csv"],
    &["compare", "out", "copy"],
    &["compare", "out", "copy", "--format", "json"],
    &["compare", "out", "copy", "--format", "csv"],
    &["agreement", "out"],
];

/// Whether a warning precedes every number of an output.
fn is_first(warning: &str, args: &[&str], out: &str) -> bool {
    let at = out.find(warning).unwrap_or(usize::MAX);
    match args.last() {
        Some(&"json") => out[..at.min(out.len())].lines().count() <= 4,
        Some(&"html") => at < out.find("<h1").unwrap_or(0),
        Some(&"csv") => {
            let mut lines = out.lines();
            let head = lines.next().unwrap_or_default();
            head.starts_with("incomplete,")
                && lines.next().is_some_and(|row| row.trim_start_matches('"').contains(warning))
        }
        _ => out.lines().next().is_some_and(|line| line.starts_with("! ")) && at < 40,
    }
}

/// The run a second time, for comparison.
fn copy(folder: &TempDir) {
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for entry in std::fs::read_dir(folder.path().join("out")).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
}

fn each_says_so(ways: &[ChangeRule]) {
    let server = Server::start(dutiful);
    for (way, cut, wanted) in ways {
        let folder = cut();
        copy(&folder);
        for args in COMMANDS {
            let output = command(folder.path(), &server, args).output().unwrap();
            let (out, err) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
            let (out, err, status) = (out.unwrap(), err.unwrap(), output.status.code());
            let reported = format!("{way}: {args:?} ended with {status:?}\n{out}\n{err}");
            match wanted {
                Refuses(why) => {
                    assert_eq!(status, Some(3), "{reported}");
                    assert!(out.is_empty(), "{reported}");
                    assert!(err.contains("transcripts.jsonl") && err.contains(why), "{reported}");
                    assert!(
                        err.contains("help: restore it from a backup, or let `ifs run"),
                        "{reported}"
                    );
                }
                Says(why) => {
                    // Terminal output is wrapped.
                    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(err.contains("warning: "), "{reported}");
                    assert!(flat(&err).contains(why), "{reported}");
                    if out.is_empty() {
                        let nothing = ["no turn in common", "there is nothing to compare"];
                        let says = nothing.iter().any(|why| err.contains(why));
                        assert!(args[0] == "compare" && says, "{reported}");
                        continue;
                    }
                    assert_eq!(status, Some(1), "{reported}");
                    assert!(flat(&out).contains(why), "{reported}");
                    assert!(is_first("INCOMPLETE RUN: ", args, &out), "{reported}");
                    let allowed = [args, &["--allow-incomplete"]].concat();
                    let again = command(folder.path(), &server, &allowed).output().unwrap();
                    assert_eq!(again.status.code(), Some(0), "{reported}");
                    assert_eq!(String::from_utf8(again.stdout).unwrap(), out, "{reported}");
                }
            }
        }
    }
}

/// Four tests, so that they run in parallel.
fn quarter(number: usize) {
    assert!(WAYS.len() >= 20);
    let quarter = WAYS.len().div_ceil(4);
    each_says_so(WAYS.chunks(quarter).nth(number).unwrap());
}

#[test]
fn each_says_so_first_1() {
    quarter(0);
}

#[test]
fn each_says_so_first_2() {
    quarter(1);
}

#[test]
fn each_says_so_first_3() {
    quarter(2);
}

#[test]
fn each_says_so_first_4() {
    quarter(3);
}

/// A complete run has no warning, and resuming completes an incomplete one.
#[test]
fn complete_runs_have_no_warning() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "5", &["--budget-calls", "9", "--max-connections", "1"]).ends(4);
    resume(&folder, &server, &[]).ends(0);
    copy(&folder);
    for args in COMMANDS {
        let ran = Ran::of(command(folder.path(), &server, args).output().unwrap()).ends(0);
        assert!(!ran.all.contains("INCOMPLETE"), "{args:?}: {}", ran.all);
    }
}

/// A judging that lacks replies has a warning, and one of other transcripts is refused.
#[test]
fn incomplete_judgings() {
    // Identified by content instead of number, because the order of attempts differs from run to run.
    let script = |asked: &Asked| {
        let is_refused = asked.body["model"] == "j" && asked.body.to_string().contains("bread");
        if is_refused { error("400 Bad Request", &[], "no") } else { dutiful(asked) }
    };
    let (server, folder) = (Server::start(script), scenario());
    let text =
        SCENARIO.replace("check count(word) <= n", r#"judge "Is it at most {{ n }} words?""#);
    std::fs::write(folder.path().join("wire.ifs"), text).unwrap();
    run(&folder, &server, "3", &["--judge", "sim/judge"]).ends(0);
    let ifs = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    ifs(&["score", "out", "--judge", "openai/j", "--judge-tries", "1", "--retry-wait", "1ms"])
        .ends(4)
        .says("! INCOMPLETE JUDGING: ");
    let name = std::fs::read_dir(path(&folder, "judgings")).unwrap().next().unwrap().unwrap();
    let name = name.file_name().into_string().unwrap();
    for args in [["score", "out", "--judging", &name], ["report", "out", "--judging", &name]] {
        ifs(&args).ends(1).says("! INCOMPLETE JUDGING: ").says("not judged. The same");
    }
    ifs(&["agreement", "out"]).ends(1).says("! INCOMPLETE JUDGING: ");
    ifs(&["score", "out"]).ends(0);
    let verdicts = path(&folder, &format!("judgings/{name}/verdicts.jsonl"));
    let text = std::fs::read_to_string(&verdicts).unwrap();
    std::fs::write(&verdicts, text.replacen("unjudged", "held", 1)).unwrap();
    ifs(&["score", "out", "--judging", &name]).ends(3).says("verdicts.jsonl").says("hash");
    std::fs::write(&verdicts, text).unwrap();
    edit(&folder, "transcripts.jsonl", |text| lines(&text, 2));
    let hash = blake3::hash(read(&folder, "transcripts.jsonl").as_bytes()).to_hex().to_string();
    edit_manifest(&folder, |manifest| {
        manifest.insert("transcripts".to_owned(), hash.clone().into());
    });
    ifs(&["score", "out", "--judging", &name]).ends(3).says("is of other transcripts");
}
