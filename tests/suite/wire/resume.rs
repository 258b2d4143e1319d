//! Interrupted runs resume, without repeated requests and without losses.

use std::collections::BTreeMap;
use std::time::Duration;

use super::server::Gate;
use super::*;

/// Slow enough to be interrupted during a request.
fn slow(asked: &Asked) -> Vec<Step> {
    let mut steps = vec![Step::Sleep(Duration::from_millis(3))];
    steps.extend(dutiful(asked));
    steps
}

/// The transcripts of an uninterrupted run.
fn undisturbed(count: &str) -> String {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, count, &[]).ends(0);
    read(&folder, "transcripts.jsonl")
}

/// Kills a run after a number of requests, resumes it, and compares both with the server's log.
fn killed_after(requests: usize, whole: &str) {
    let (server, folder) = (Server::start(slow), scenario());
    let args = run_args("openai/m", "20", &["--max-connections", "7"]);
    let mut child = command(folder.path(), &server, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.until_asked(requests, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    if !folder.path().join("out/run.json").exists() {
        // Before there was anything to resume.
        assert!(server.log().is_empty());
        return;
    }
    // The server finishes the request in flight; then nothing changes any more.
    server.settle();
    let asked_before = server.log().len();
    // An incomplete run can be scored, with a warning first.
    let scored = Ran::of(command(folder.path(), &server, &["score", "out"]).output().unwrap());
    match manifest(&folder)["complete"] == true {
        true => scored.ends(0),
        false => scored.ends(1).says("INCOMPLETE RUN: "),
    };
    let journal = std::fs::read(folder.path().join("out/journal")).unwrap_or_default();
    let journal = String::from_utf8_lossy(&journal).into_owned();
    // A complete record must not be requested again.
    let recorded = journal.split_inclusive('\n').filter(|line| line.ends_with('\n')).count();
    let recorded = recorded.saturating_sub(1);
    assert!(recorded <= server.answered().len());

    resume(&folder, &server, &[]).ends(0);
    let asked_after = &server.log()[asked_before..];
    assert_eq!(asked_after.len(), 80 - recorded, "what was not recorded was asked, once");
    let mut times: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for asked in asked_after {
        *times.entry(asked.texts()).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "no call was made twice");
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    assert_eq!(manifest(&folder)["spent"]["calls"], 80, "totals count what was spent before");
    // Again: everything is recorded.
    let asked = server.log().len();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), asked);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
}

#[test]
fn killed_at_some_moments() {
    let whole = undisturbed("20");
    for requests in [0, 1, 8, 41, 77] {
        killed_after(requests, &whole);
    }
}

/// `just kills`: it takes a minute and rarely finds anything new.
#[test]
#[ignore = "200 runs; `just kills` does it"]
fn killed_at_200_moments() {
    let whole = undisturbed("20");
    for moment in 0..200 {
        // The point of interruption differs between machines.
        killed_after(moment * 37 % 81, &whole);
    }
}

/// `run.json` of a run that was killed on its first turn.
fn as_killed(folder: &TempDir) {
    let mut killed = manifest(folder);
    let fields = killed.as_object_mut().unwrap();
    fields.remove("transcripts");
    fields.insert("complete".to_owned(), false.into());
    fields.remove("spent");
    write(folder, "run.json", crate::sealed(&killed).as_bytes());
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) {
    std::fs::write(folder.path().join("out").join(name), bytes).unwrap();
}

#[test]
fn a_truncated_journal_loses_only_its_last_record() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "1", &[]).ends(0);
    let (journal, whole) = (read(&folder, "journal"), read(&folder, "transcripts.jsonl"));
    let ends: Vec<usize> = journal.match_indices('\n').map(|(at, _)| at + 1).collect();
    let cuts = [ends[0], ends[0] + 5, ends[1] - 1, ends[2], ends[3] + 30, journal.len() - 1];
    for cut in cuts {
        write(&folder, "journal", &journal.as_bytes()[..cut]);
        as_killed(&folder);
        std::fs::remove_file(folder.path().join("out/transcripts.jsonl")).unwrap();
        let before = server.log().len();
        let ran = resume(&folder, &server, &[]).ends(0);
        // A record that lacks only the end of its line is complete.
        let kept = ends.iter().filter(|end| **end - 1 <= cut).count().saturating_sub(1);
        assert_eq!(server.log().len() - before, 4 - kept, "cut at {cut}");
        let whole_records = ends.iter().any(|end| *end == cut || *end - 1 == cut);
        assert_eq!(ran.all.contains("torn"), !whole_records, "cut at {cut}");
        assert_eq!(read(&folder, "transcripts.jsonl"), whole, "cut at {cut}");
    }
    let damaged = journal.replacen("Answer", "Reply!", 1);
    write(&folder, "journal", damaged.as_bytes());
    resume(&folder, &server, &[]).ends(3).says("line 2, is damaged");
}

/// Damage by copies and editors: readable records are not requested again, and an unreadable
/// journal stops the run.
#[test]
fn journal_with_foreign_records() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "2", &[]).ends(0);
    let (journal, whole) = (read(&folder, "journal"), read(&folder, "transcripts.jsonl"));
    let asked = server.log().len();
    let zeros = [journal.as_bytes(), &[0; 4096]].concat();
    for readable in [journal.replace('\n', "\r\n").into_bytes(), zeros] {
        write(&folder, "journal", &readable);
        resume(&folder, &server, &[]).ends(0);
        assert_eq!(server.log().len(), asked);
        assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    }
    let wide: Vec<u8> = journal.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let header = journal.split_inclusive('\n').next().unwrap();
    let half: String = journal.split_inclusive('\n').take(4).collect();
    for (bytes, why) in [
        (b"\xff\xfe".iter().copied().chain(wide).collect(), "is UTF-16"),
        (Vec::new(), "is empty"),
        (header.as_bytes().to_vec(), "has lost 8 answers of the 8"),
        (half.into_bytes(), "has lost 5 answers of the 8"),
    ] {
        write(&folder, "journal", &bytes);
        let ran = resume(&folder, &server, &[]).ends(3).says(why).says("help: ");
        assert!(!ran.all.contains("dropped"), "{}", ran.all);
        assert_eq!(server.log().len(), asked, "{why}");
        assert_eq!(std::fs::read(folder.path().join("out/journal")).unwrap(), bytes, "{why}");
        // The scores are unchanged.
        Ran::of(command(folder.path(), &server, &["score", "out"]).output().unwrap()).ends(0);
    }
    resume(&folder, &server, &["--ask-again"]).ends(0);
    assert_eq!(server.log().len(), asked + 5);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
}

/// A killed run lacks its total cost. Its records have costs, and its transcripts have responses.
#[test]
fn a_killed_run_whose_journal_has_lost_records() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "2", &[]).ends(0);
    let (journal, whole) = (read(&folder, "journal"), read(&folder, "transcripts.jsonl"));
    let asked = server.log().len();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let without_third = [&lines[..2], &lines[3..]].concat().concat();
    for (lost, why) in [
        (without_third, "has lost 1 record before its last one"),
        (lines[..6].concat(), "has lost 3 answers of the 8 that the transcripts of the run hold"),
        (lines[0].to_owned(), "has lost 8 answers of the 8 that the transcripts of the run hold"),
    ] {
        as_killed(&folder);
        write(&folder, "journal", lost.as_bytes());
        resume(&folder, &server, &[]).ends(3).says(why).says("--ask-again");
        assert_eq!(server.log().len(), asked, "{why}");
        assert_eq!(read(&folder, "journal"), lost);
    }
    // A lost record is requested once more, and then complete.
    write(&folder, "journal", [&lines[..2], &lines[3..]].concat().concat().as_bytes());
    resume(&folder, &server, &["--ask-again"]).ends(0);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), asked + 1);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    // The order of records does not matter.
    write(
        &folder,
        "journal",
        [&lines[..1], &lines[4..], &lines[1..4]].concat().concat().as_bytes(),
    );
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), asked + 1);
}

/// Without its journal, a run does not repeat paid requests, whether or not it was killed before it
/// recorded the total.
#[test]
fn a_killed_run_without_its_journal() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "2", &[]).ends(0);
    as_killed(&folder);
    std::fs::remove_file(folder.path().join("out/journal")).unwrap();
    let asked = server.log().len();
    resume(&folder, &server, &[]).ends(3).says("has no journal, and calls were made for it");
    assert_eq!(server.log().len(), asked);
    resume(&folder, &server, &["--ask-again"]).ends(0);
    assert_eq!(server.log().len(), 2 * asked);
}

/// Links that lead out of a run's folder are neither read nor written.
#[cfg(unix)]
#[test]
fn links_in_a_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (server, folder) = (Server::start(dutiful), scenario());
    let at = |name: &str| folder.path().join(name);
    run(&folder, &server, "2", &[]).ends(0);
    let whole = read(&folder, "transcripts.jsonl");
    std::fs::create_dir(at("elsewhere")).unwrap();
    std::fs::write(at("precious"), "precious").unwrap();
    symlink(at("elsewhere"), at("out/judgings")).unwrap();
    let judge = ["score", "out", "--judge", "openai/j", "--retry-wait", "1ms"];
    Ran::of(command(folder.path(), &server, &judge).output().unwrap()).ends(3).says("is a link");
    let names = ["transcripts.jsonl", "transcripts.jsonl.part", "transcripts.jsonl.early"];
    for name in names.into_iter().chain(["scores.json", "run.json.part"]) {
        let _ = std::fs::remove_file(at("out").join(name));
        symlink(at("precious"), at("out").join(name)).unwrap();
    }
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    assert_eq!(std::fs::read_to_string(at("precious")).unwrap(), "precious");
    std::fs::rename(at("out/journal"), at("journal")).unwrap();
    symlink(at("journal"), at("out/journal")).unwrap();
    let asked = server.log().len();
    resume(&folder, &server, &[]).ends(3).says("is a link");
    assert_eq!(server.log().len(), asked);
    assert_eq!(std::fs::read_dir(at("elsewhere")).unwrap().count(), 0);
}

/// A run whose folder is gone sends no further requests.
#[cfg(unix)]
#[test]
fn run_folder_deleted_during_the_run() {
    let folder = scenario();
    let out = folder.path().join("out");
    let server = Server::start(move |asked| {
        // Before the fifth response, with every record that was written.
        if asked.number == 4 {
            std::fs::remove_dir_all(&out).unwrap();
        }
        dutiful(asked)
    });
    let ran = run(&folder, &server, "5", &["--max-connections", "1"]).ends(4);
    ran.says("`out/journal` was moved or deleted");
    assert_eq!(server.log().len(), 5, "the answer that is lost is the last one");
}

/// If two processes resume a run, one is first, with or without a journal.
#[test]
fn two_concurrent_resumes() {
    let (server, folder) = (Server::start(dutiful), scenario());
    let args = ["run", "wire.ifs", "-n", "3", "--out", "out"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let whole = read(&folder, "transcripts.jsonl");
    let held = std::fs::File::open(folder.path().join("out")).unwrap();
    held.try_lock().unwrap();
    resume(&folder, &server, &[]).ends(4).says("`out` is being written by another ifs");
    assert_eq!(manifest(&folder)["complete"], true);
    drop(held);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
}

#[test]
fn runs_that_cannot_be_resumed() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "1", &[]).ends(0);
    resume(&folder, &server, &["--temperature", "1"]).ends(2);
    let other = Server::start(dutiful);
    resume(&folder, &other, &[]).ends(2).says("the run was started with");
    // The journal of another run.
    let journal = read(&folder, "journal");
    let moved = scenario();
    let args = run_args("openai/m", "1", &["--seed", "2"]);
    Ran::of(command(moved.path(), &server, &args).output().unwrap()).ends(0);
    std::fs::write(moved.path().join("out/journal"), journal).unwrap();
    resume(&moved, &server, &[]).ends(3).says("a run.json and a journal of two runs");
    // Paid requests are not repeated because a file is missing.
    std::fs::remove_file(moved.path().join("out/journal")).unwrap();
    let asked = server.log().len();
    resume(&moved, &server, &[])
        .ends(3)
        .says("has no journal, and 4 calls were paid")
        .says("help:");
    assert_eq!(server.log().len(), asked);
    let simulated = scenario();
    let args = ["run", "wire.ifs", "-n", "3", "--out", "out"];
    Ran::of(command(simulated.path(), &server, &args).output().unwrap()).ends(0);
    let before = read(&simulated, "transcripts.jsonl");
    resume(&simulated, &server, &[]).ends(0);
    assert_eq!(read(&simulated, "transcripts.jsonl"), before);
}

/// If two runs use one folder, one is first, and loses nothing.
#[test]
fn two_at_a_time() {
    let (server, folder) = (Server::start(slow), scenario());
    let begin = |seed: &str| {
        let args = run_args("openai/m", "5", &["--seed", seed]);
        let mut command = command(folder.path(), &server, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = ["1", "2"].map(begin).map(|child| child.wait_with_output().unwrap());
    let both = both.map(Ran::of);
    let well = both.iter().filter(|ran| ran.status == Some(0)).count();
    assert_eq!(well, 1, "{}\n{}", both[0].all, both[1].all);
    let other = both.into_iter().find(|ran| ran.status != Some(0)).unwrap();
    let late = other.all.contains("`out` already contains a run");
    assert!(late || other.all.contains("`out` is being written by another ifs"), "{}", other.all);
    assert_eq!(server.log().len(), 20);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), 20);
}

#[test]
fn scores_need_no_model() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "3", &[]).ends(0);
    let asked = server.log().len();
    let scores = read(&folder, "scores.json");
    for args in [vec!["score", "out"], vec!["report", "out"]] {
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    }
    assert_eq!(server.log().len(), asked);
    assert_eq!(read(&folder, "scores.json"), scores);
}

/// Requests in flight at Ctrl-C are finished and recorded; also if the terminal is closed or the
/// machine shuts down.
#[cfg(unix)]
#[test]
fn interrupted_once() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        interrupted_by(signal);
    }
}

#[cfg(unix)]
fn interrupted_by(signal: &str) {
    let gate = Gate::default();
    let held = gate.clone();
    let server = Server::start(move |asked| {
        held.wait();
        dutiful(asked)
    });
    let folder = scenario();
    let args = run_args("openai/m", "10", &["--max-connections", "4"]);
    let mut child = command(folder.path(), &server, &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    server.until_asked(4, &mut child);
    let ran = interrupted(child, signal, &gate).ends(130);
    ran.says("stopping: waiting for the requests in flight; Ctrl-C exits at once")
        .says("--resume out");
    assert_eq!(server.log().len(), 4);
    assert_eq!(records(&folder).len(), 5, "a header and what was in flight");
    assert_eq!(manifest(&folder)["complete"], false);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), 40);
}

/// The second Ctrl-C does not wait for a silent endpoint.
#[cfg(unix)]
#[test]
fn interrupted_twice() {
    let server = Server::start(|_| vec![Step::Sleep(Duration::from_secs(30)), Step::Close]);
    let folder = scenario();
    let args = run_args("openai/m", "1", &[]);
    let mut child = command(folder.path(), &server, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while server.log().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let begun = std::time::Instant::now();
    // The first one may still be pending when the second arrives; then a third is needed.
    while child.try_wait().unwrap().is_none() {
        send("-INT", &child);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(30));
}
