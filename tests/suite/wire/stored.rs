//! Stored things are whole, or they are named: cache entries, manifests, journals, drafts, unfinished
//! sets and merges, batches.

use serde_json::json;

use super::server::{Gate, JSON, response};
use super::*;

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}

/// A run from a cache of which one file was changed: the same answers, and the file is named.
#[test]
fn damaged_cache_entries_are_asked_again() {
    let (server, folder) = (Server::start(dutiful), scenario());
    let cached = |out: &str| {
        let _ = std::fs::remove_dir_all(folder.path().join(out));
        ifs(
            &folder,
            &server,
            &["run", "wire.ifs", "-m", "openai/m", "-n", "2", "--cache", "kept", "--out", out],
        )
        .ends(0)
    };
    cached("first");
    let whole = std::fs::read_to_string(folder.path().join("first/transcripts.jsonl")).unwrap();
    let entries = files(&folder.path().join("kept"));
    assert_eq!(entries.len(), 8);
    let (mut asked, victim) = (server.log().len(), &entries[3]);
    let sound = std::fs::read(victim).unwrap();
    let name = victim.file_name().unwrap().to_str().unwrap();
    // Beginning, checksum, version, hash, name of the model, text, counts, end; and no content at all.
    let mut damages: Vec<Vec<u8>> = (0..24)
        .map(|at| {
            let mut bytes = sound.clone();
            let place = at * (bytes.len() - 2) / 23;
            bytes[place] ^= 1 << (at % 8);
            bytes
        })
        .collect();
    damages.push(sound[..sound.len() / 2].to_vec());
    damages.push(Vec::new());
    damages.push(std::fs::read(&entries[5]).unwrap());
    for bytes in damages {
        std::fs::write(victim, &bytes).unwrap();
        let ran = cached("again").says("is damaged, and its request is sent again").says(name);
        assert_eq!(ran.all.matches("is damaged").count(), 1, "{}", ran.all);
        let again = std::fs::read_to_string(folder.path().join("again/transcripts.jsonl")).unwrap();
        assert_eq!(again, whole);
        asked += 1;
        assert_eq!(server.log().len(), asked);
        assert_eq!(std::fs::read(victim).unwrap(), sound, "it was written again");
    }
    // Entries of an older ifs have no checksum, and are named once.
    for path in &entries {
        std::fs::write(path, r#"{"version":1,"model":"openai/m","reply":{"text":"Wrong."}}"#)
            .unwrap();
    }
    let ran = cached("again").says("are of an older ifs and have no checksum");
    assert_eq!(ran.all.matches("no checksum").count(), 1);
    assert_eq!(server.log().len(), asked + 8);
}

/// Every setting of a run is covered by a checksum, and those of its requests by the journal, too.
#[test]
fn changed_manifests_are_errors() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "2", &[]).ends(0);
    let path = folder.path().join("out/run.json");
    let sound = read(&folder, "run.json");
    let refused = |text: &str, why: &str| {
        std::fs::write(&path, text).unwrap();
        for args in [
            &["score", "out"][..],
            &["report", "out"],
            &["run", "--resume", "out"],
            &["gate", "out", "--fail-under", "ISR=0"],
        ] {
            ifs(&folder, &server, args).ends(3).says(why).says("run.json");
        }
        std::fs::write(&path, &sound).unwrap();
    };
    for (from, to) in [
        ("\"model\": \"openai/m\"", "\"model\": \"openai/gpt-4o\""),
        ("\"seed\": 1", "\"seed\": 7"),
        ("\"dialogues\": 2", "\"dialogues\": 3"),
        ("\"complete\": true", "\"complete\": false"),
        ("\"ifs_version\": \"0", "\"ifs_version\": \"9"),
        ("\"m-served\": 8", "\"m-served\": 9"),
        ("\"count\": 2", "\"count\": 60"),
        ("\"schema\": 3", "\"schema\": 2"),
    ] {
        assert!(sound.contains(from), "{from}: {sound}");
        refused(&sound.replacen(from, to, 1), "its checksum does not match");
    }
    refused(&sound.replace("\"checksum\"", "\"checksun\""), "its checksum is missing");
    // With a checksum of its own, the journal has the other model.
    for (name, value) in [
        ("model", json!("openai/gpt-4o")),
        ("seed", json!(7)),
        ("parameters", json!({"top_p": 0.5})),
    ] {
        let mut changed: Value = serde_json::from_str(&sound).unwrap();
        changed[name] = value;
        refused(&crate::sealed(&changed), "a run.json and a journal of two runs");
    }
    // Copies with other line ends and indentation are the same.
    let value: Value = serde_json::from_str(&sound).unwrap();
    for text in [sound.replace('\n', "\r\n"), value.to_string()] {
        std::fs::write(&path, text).unwrap();
        ifs(&folder, &server, &["score", "out"]).ends(0);
    }
    let asked = server.log().len();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), asked);
}

/// Another program empties or shortens the journal while a run writes to it.
#[test]
fn a_journal_that_shrinks_stops_the_run() {
    for keep in [0, 60, 400] {
        let folder = scenario();
        let path = folder.path().join("out/journal");
        let server = Server::start(move |asked| {
            if asked.number == 4 {
                std::fs::File::options().write(true).open(&path).unwrap().set_len(keep).unwrap();
            }
            dutiful(asked)
        });
        run(&folder, &server, "20", &["--max-connections", "1"])
            .ends(4)
            .says("another program changed it");
        assert_eq!(server.log().len(), 5, "the response that is lost is the last one");
    }
}

/// What killed commands leave is removed by those that come after them, and nothing else is.
#[test]
fn drafts_of_killed_runs_are_removed() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "1", &[]).ends(0);
    let out = folder.path().join("out");
    std::fs::create_dir_all(out.join("judgings/abc")).unwrap();
    std::fs::create_dir_all(out.join("shrink")).unwrap();
    let drafts = [
        "run.json.0a8b5891a87adacc.part",
        "scores.json.0123456789abcdef.part",
        "journal.fedcba9876543210.part",
        "shrink/journal.00000000ffffffff.part",
        "judgings/abc/judging.json.1111111111111111.part",
    ];
    let others = ["notes.part", "run.json.part", "x.0123.part", "shrink/cache.txt"];
    for args in [&["score", "out"][..], &["run", "--resume", "out"]] {
        for name in drafts.iter().chain(&others) {
            std::fs::write(out.join(name), "{").unwrap();
        }
        // Not those of a command that writes at the moment.
        let held = std::fs::File::open(&out).unwrap();
        held.try_lock().unwrap();
        ifs(&folder, &server, &["score", "out"]).ends(0);
        assert!(drafts.iter().all(|name| out.join(name).exists()));
        drop(held);
        ifs(&folder, &server, args).ends(0);
        assert!(drafts.iter().all(|name| !out.join(name).exists()), "{args:?}");
        assert!(others.iter().all(|name| out.join(name).exists()), "{args:?}");
    }
}

/// Kills a command at different moments, and gives how often it was killed before its end.
#[cfg(unix)]
fn killed(
    folder: &TempDir,
    server: &Server,
    args: &[&str],
    times: u64,
    after: impl Fn(bool),
) -> usize {
    let mut unfinished = 0;
    for moment in 0..times {
        let mut child = command(folder.path(), server, args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 + moment * 13 % 160));
        let is_over = child.try_wait().unwrap().is_some();
        let _ = child.kill();
        child.wait().unwrap();
        unfinished += usize::from(!is_over);
        after(is_over);
    }
    unfinished
}

#[cfg(unix)]
#[test]
fn killed_releases_are_unfinished_and_go_on() {
    let (server, folder) = (Server::start(dutiful), scenario());
    ifs(&folder, &server, &["secret", "key.json"]).ends(0);
    let release = |out: &'static str| {
        [
            "release", "wire.ifs", "--secret", "key.json", "--epoch", "e", "-n", "40", "--turns",
            "9", "--out", out,
        ]
    };
    ifs(&folder, &server, &release("whole")).ends(0);
    let whole = std::fs::read_to_string(folder.path().join("whole/manifest.json")).unwrap();
    let set = folder.path().join("set");
    let unfinished = killed(&folder, &server, &release("set"), 25, |_| {
        let is_begun = set.join("manifest.json.unfinished").exists();
        if is_begun {
            assert!(!set.join("manifest.json").exists());
            let verify = ["verify", "set", "--scenario", "wire.ifs", "--secret", "key.json"];
            ifs(&folder, &server, &verify)
                .ends(3)
                .says("is unfinished")
                .says("the same `ifs release` again");
        }
        let ran = ifs(&folder, &server, &release("set"));
        match set.join("manifest.json").exists() && ran.status == Some(3) {
            // It was finished before it was killed.
            true => assert!(ran.all.contains("already exists"), "{}", ran.all),
            false => {
                let ran = ran.ends(0);
                assert_eq!(is_begun, ran.all.contains("it is drawn again"), "{}", ran.all);
            }
        }
        let names: Vec<String> = files(&set)
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            names,
            [".gitignore", "README.md", "dialogues.jsonl", "manifest.json", "rejected.jsonl"]
        );
        assert_eq!(std::fs::read_to_string(set.join("manifest.json")).unwrap(), whole);
        std::fs::remove_dir_all(&set).unwrap();
    });
    assert!(unfinished > 5, "{unfinished}");
    // What a person put there stays.
    std::fs::create_dir(&set).unwrap();
    std::fs::write(set.join("dialogues.jsonl"), "mine").unwrap();
    ifs(&folder, &server, &release("set")).ends(3).says("already exists");
    assert_eq!(std::fs::read_to_string(set.join("dialogues.jsonl")).unwrap(), "mine");
}

/// `git add .` in the folder of a hidden set publishes its manifest alone.
#[test]
fn hidden_sets_are_ignored_by_git() {
    let (server, folder) = (Server::start(dutiful), scenario());
    ifs(&folder, &server, &["secret", "key.json"]).ends(0);
    let hidden = [
        "release", "wire.ifs", "--secret", "key.json", "-n", "3", "--turns", "9", "--out", "hidden",
    ];
    ifs(&folder, &server, &hidden).ends(0);
    ifs(&folder, &server, &["release", "wire.ifs", "-n", "3", "--turns", "9", "--out", "public"])
        .ends(0);
    assert!(!folder.path().join("public/.gitignore").exists());
    let run = [
        "run",
        "wire.ifs",
        "--set",
        "hidden",
        "--secret",
        "key.json",
        "--keep-prompts",
        "-m",
        "openai/m",
        "--out",
        "out",
    ];
    ifs(&folder, &server, &run).ends(0);
    let git = |args: &[&str]| Command::new("git").current_dir(folder.path()).args(args).output();
    let Ok(made) = git(&["init", "-q"]) else { return };
    assert!(made.status.success());
    assert!(git(&["add", "hidden", "out"]).unwrap().status.success());
    let listed = git(&["diff", "--cached", "--name-only"]).unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<&str> = listed.lines().collect();
    assert_eq!(
        names,
        [
            "hidden/.gitignore",
            "hidden/manifest.json",
            "out/.gitignore",
            "out/manifest.json",
            "out/scores.json"
        ]
    );
    // The set is what it was: its folder verifies, and resuming the run changes nothing.
    let verify = ["verify", "hidden", "--scenario", "wire.ifs", "--secret", "key.json"];
    ifs(&folder, &server, &verify).ends(0);
}

#[cfg(unix)]
#[test]
fn killed_merges_are_unfinished_and_go_on() {
    let (server, folder) = (Server::start(dutiful), scenario());
    for (shard, out) in [("1/2", "a"), ("2/2", "b")] {
        let args =
            ["run", "wire.ifs", "-m", "openai/m", "-n", "60", "--shard", shard, "--out", out];
        ifs(&folder, &server, &args).ends(0);
    }
    let merge = |out: &'static str| ["runs", "merge", "a", "b", "--out", out];
    ifs(&folder, &server, &merge("whole")).ends(0);
    let whole = std::fs::read_to_string(folder.path().join("whole/transcripts.jsonl")).unwrap();
    let out = folder.path().join("merged");
    let mut begun = 0;
    let counted = std::cell::Cell::new(0);
    killed(&folder, &server, &merge("merged"), 25, |_| {
        let is_unfinished = out.join("merge.unfinished").exists();
        if is_unfinished {
            counted.set(counted.get() + 1);
            for args in
                [&["score", "merged"][..], &["run", "--resume", "merged"], &["report", "merged"]]
            {
                ifs(&folder, &server, args)
                    .ends(3)
                    .says("is unfinished")
                    .says("the same `ifs runs merge` again");
            }
        }
        let ran = ifs(&folder, &server, &merge("merged"));
        match ran.status {
            Some(0) => {}
            _ => {
                assert!(!is_unfinished && ran.all.contains("already contains a run"), "{}", ran.all)
            }
        }
        assert_eq!(std::fs::read_to_string(out.join("transcripts.jsonl")).unwrap(), whole);
        assert!(!out.join("merge.unfinished").exists());
        ifs(&folder, &server, &["score", "merged"]).ends(0);
        std::fs::remove_dir_all(&out).unwrap();
    });
    begun += counted.get();
    // Whenever it is killed, also with files of another merge in the folder.
    ifs(&folder, &server, &merge("merged")).ends(0);
    std::fs::write(out.join("merge.unfinished"), "").unwrap();
    std::fs::write(out.join("utterances.jsonl"), "of another").unwrap();
    ifs(&folder, &server, &["score", "merged"]).ends(3).says("is unfinished");
    ifs(&folder, &server, &merge("merged")).ends(0);
    assert!(!out.join("utterances.jsonl").exists());
    assert_eq!(std::fs::read_to_string(out.join("transcripts.jsonl")).unwrap(), whole);
    eprintln!("{begun} merges were killed before their end");
}

/// A list of batches that says nothing of ours, page after page: it is not bought a second time.
#[test]
fn endless_lists_of_batches_stop_the_run() {
    let server = Server::start(|asked| {
        let ok = |body: Value| response("200 OK", &[JSON], &body.to_string());
        match (asked.method.as_str(), asked.path.split('?').next().unwrap()) {
            ("POST", "/v1/files") => ok(json!({"id": "file-1"})),
            ("POST", "/v1/batches") => vec![Step::Close],
            ("GET", "/v1/batches") => ok(json!({"has_more": true, "data": [
                {"id": "batch_x", "status": "completed", "input_file_id": "file-0", "created_at": 1}]})),
            _ => vec![Step::Close],
        }
    });
    let folder = scenario();
    run(&folder, &server, "2", &["--batch", "--batch-poll", "1ms"])
        .ends(4)
        .says("whether a batch was created could not be found out")
        .says("--ask-again");
    let created =
        server.log().iter().filter(|it| it.method == "POST" && it.path == "/v1/batches").count();
    assert_eq!(created, 1);
}

/// Paths in printed commands are one word for a shell.
#[test]
fn printed_commands_can_be_copied() {
    let gate = Gate::default();
    gate.open();
    let server = Server::start(move |asked| match asked.texts().len() {
        1 => dutiful(asked),
        _ => super::server::error("500 Internal Server Error", &[], "out of memory"),
    });
    let folder = scenario();
    let args = [
        "run",
        "wire.ifs",
        "-m",
        "openai/m",
        "-n",
        "1",
        "--max-retries",
        "0",
        "--out",
        "my runs;x",
    ];
    ifs(&folder, &server, &args).ends(4).says("`ifs run --resume 'my runs;x'`");
    let (server, folder) =
        (Server::start(|_| answer("one two three four five six seven eight nine ten")), scenario());
    let args = ["run", "wire.ifs", "-m", "openai/m", "-n", "1", "--out", "r;x $(touch y)"];
    ifs(&folder, &server, &args).ends(0);
    ifs(&folder, &server, &["shrink", "r;x $(touch y)", "--dialogue", "0"])
        .says("ifs shrink 'r;x $(touch y)' --dialogue 0");
}
