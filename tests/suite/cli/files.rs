//! The folder of a run: scored again, damaged, foreign, on a full disk.

use super::*;

#[test]
fn a_run_is_scored_again() {
    let folder = with_run(&[]);
    let scores = read(&folder, "out/scores.json");
    fs::remove_file(file(&folder, "out/scores.json")).unwrap();
    // Only the folder is needed.
    fs::remove_dir_all(file(&folder, "talks")).unwrap();
    let ran = ifs(folder.path(), &["score", "out", "--format", "json"]).ends(GOOD);
    assert_eq!(ran.out, scores);
    assert_eq!(read(&folder, "out/scores.json"), scores);
    let ran = ifs(folder.path(), &["report", "out", "--format", "json"]).ends(GOOD);
    assert_eq!(ran.out, scores);
    let patient = ifs(folder.path(), &["score", "out", "--patience", "1", "--format", "json"]);
    assert_ne!(patient.ends(GOOD).out, scores);
    assert_eq!(read(&folder, "out/scores.json"), scores, "another patience is only shown");
    ifs(folder.path(), &["score", "out", "--patience", "0"]).ends(USAGE);
}

/// Devices are endless and are not read in place of a file, even through a link.
#[cfg(unix)]
#[test]
fn devices_in_a_run_are_not_read() {
    let folder = with_run(&[]);
    let at = folder.path();
    for name in ["plan.json", "transcripts.jsonl"] {
        let place = file(&folder, &format!("out/{name}"));
        let kept = fs::read(&place).unwrap();
        fs::remove_file(&place).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &place).unwrap();
        for args in [["score", "out"], ["report", "out"]] {
            let ran = ifs(at, &args).says(name).says("it is not a regular file");
            assert!(ran.out.is_empty(), "{}", ran.out);
        }
        fs::remove_file(&place).unwrap();
        fs::write(&place, kept).unwrap();
    }
    // The message names the file without a dialogue.
    fs::write(
        file(&folder, "none.ifs"),
        "ifs 1\n\ngroup g {\n  constraint c {\n    say \"c\"\n    check count(word) >= 3\n  }\n}\n",
    )
    .unwrap();
    ifs(at, &["draw", "none.ifs"]).ends(INPUT).says("none.ifs");
}

#[test]
fn damaged_runs() {
    let folder = with_run(&[]);
    let at = folder.path();
    let whole = |name: &str| read(&folder, &format!("out/{name}"));
    let write = |name: &str, text: &str| fs::write(file(&folder, &format!("out/{name}")), text);

    for name in ["run.json", "plan.json"] {
        let text = whole(name);
        for damaged in ["", "{", &text[..text.len() / 2], "[1, 2]", "\0\0\0"] {
            write(name, damaged).unwrap();
            ifs(at, &["score", "out"]).ends(INPUT).says(name);
            ifs(at, &["report", "out"]).ends(INPUT).says(name);
        }
        write(name, &text).unwrap();
    }
    let plan = whole("plan.json");
    write("plan.json", &plan.replacen("Begin with", "Start with", 1)).unwrap();
    ifs(at, &["score", "out"]).ends(INPUT).says("not the plan of this run");
    write("plan.json", &plan).unwrap();

    // No change of the transcripts gives scores.
    let transcripts = whole("transcripts.jsonl");
    let scores = whole("scores.json");
    let (first, rest) = transcripts.split_once('\n').unwrap();
    let middle = transcripts.len() / 2;
    for (changed, why) in [
        (transcripts[..transcripts.len() - 40].to_owned(), "line 4"),
        (format!("{}\n{rest}", &first[..first.len() - 9]), "line 1"),
        (transcripts.replacen("\"held\"", "\"missed\"", 1), "hash"),
        (rest.to_owned(), "hash"),
        (format!("{rest}{first}\n"), "hash"),
        (
            format!("{}{}", &transcripts[..middle], &transcripts[middle..].replace(' ', "  ")),
            "hash",
        ),
        (String::new(), "hash"),
    ] {
        write("transcripts.jsonl", &changed).unwrap();
        for args in [&["score", "out"][..], &["report", "out"], &["compare", "out", "other"]] {
            let ran = ifs(at, args).ends(INPUT).says("transcripts.jsonl").says(why);
            assert!(ran.out.is_empty(), "{}", ran.out);
            ran.says("`ifs run --resume out` write it again");
        }
        ifs(at, &["agreement", "out"]).ends(INPUT).says("transcripts.jsonl");
    }
    fs::remove_file(file(&folder, "out/transcripts.jsonl")).unwrap();
    ifs(at, &["score", "out"]).ends(INPUT).says("transcripts.jsonl").says("it is gone");
    ifs(at, &["run", "--resume", "out"]).ends(GOOD);
    assert_eq!(whole("transcripts.jsonl"), transcripts);
    assert_eq!(crate::without_times(&whole("scores.json")), crate::without_times(&scores));
}

/// Without a hash, 14 of 100 flipped bits in transcripts changed scores unnoticed.
#[test]
fn every_flipped_bit_of_a_transcript_is_noticed() {
    let folder = with_run(&[]);
    let path = file(&folder, "out/transcripts.jsonl");
    let bytes = fs::read(&path).unwrap();
    for at in (0..24).map(|step| step * bytes.len() / 24) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 7);
        fs::write(&path, flipped).unwrap();
        ifs(folder.path(), &["score", "out"]).ends(INPUT).says("transcripts.jsonl");
    }
}

/// Runs without hashes, from earlier versions, can be read, with a warning.
#[test]
fn a_run_without_a_hash() {
    let folder = with_run(&[]);
    let mut manifest: Json = serde_json::from_str(&read(&folder, "out/run.json")).unwrap();
    manifest.as_object_mut().unwrap().remove("transcripts");
    fs::write(file(&folder, "out/run.json"), crate::sealed(&manifest)).unwrap();
    ifs(folder.path(), &["score", "out"])
        .ends(INPUT)
        .says("the hash of the transcripts is missing");
    for schema in [1, 2, 4] {
        manifest["schema"] = schema.into();
        fs::write(file(&folder, "out/run.json"), crate::sealed(&manifest)).unwrap();
        let other = format!("its schema is {schema}");
        ifs(folder.path(), &["score", "out"]).ends(INPUT).says(&other);
    }
}

/// Files are replaced atomically, and verdicts never overwrite their rows.
#[test]
fn files_are_never_half_written() {
    let folder = scaffold();
    let at = |name: &str| file(&folder, name);
    let row = graded::row("one two three", 5);
    fs::write(at("g.jsonl"), &row).unwrap();
    fs::hard_link(at("g.jsonl"), at("other.jsonl")).unwrap();
    for out in ["g.jsonl", "./g.jsonl", "other.jsonl"] {
        let ran = ifs(folder.path(), &["grade", "g.jsonl", "--out", out]).ends(USAGE);
        ran.says("is the file that is read");
        assert_eq!(read(&folder, "g.jsonl"), row);
    }
    // If reading fails, earlier verdicts are kept.
    fs::write(at("verdicts.jsonl"), "before").unwrap();
    fs::write(at("cut.jsonl.gz"), b"\x1f\x8b\x08\0\0\0\0\0").unwrap();
    ifs(folder.path(), &["grade", "g.jsonl", "cut.jsonl.gz", "--out", "verdicts.jsonl"])
        .ends(INPUT);
    assert_eq!(read(&folder, "verdicts.jsonl"), "before");
    ifs(folder.path(), &["grade", "g.jsonl", "--out", "/dev/null"]).ends(GOOD);
    // If no draft can be written, the file is unchanged.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let scenario = read(&folder, "talks/talks.ifs").replace("  ", "     ");
        fs::write(at("talks/talks.ifs"), &scenario).unwrap();
        fs::set_permissions(at("talks"), fs::Permissions::from_mode(0o555)).unwrap();
        let ran = ifs(folder.path(), &["fmt", "talks/talks.ifs"]);
        fs::set_permissions(at("talks"), fs::Permissions::from_mode(0o755)).unwrap();
        // The superuser may write anywhere.
        if ran.status != Some(GOOD) {
            ran.ends(MACHINE).says("talks.ifs");
            assert_eq!(read(&folder, "talks/talks.ifs"), scenario);
        }
        // No byte fits on the disk.
        fs::write(at("talks/talks.ifs"), &scenario).unwrap();
        let full = r#"trap "" XFSZ; ulimit -f 0; exec "$0" fmt talks/talks.ifs"#;
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", full, env!("CARGO_BIN_EXE_ifs")]);
        finished(shell.output().unwrap()).ends(MACHINE).says("talks.ifs");
        assert_eq!(read(&folder, "talks/talks.ifs"), scenario);
        ifs(folder.path(), &["fmt", "talks/talks.ifs"]).ends(GOOD);
        assert_ne!(read(&folder, "talks/talks.ifs"), scenario);
        let left = fs::read_dir(at("talks")).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(left.into_iter().all(|name| !name.to_string_lossy().contains("part")));
    }
}

#[test]
fn run_folder_in_use() {
    let folder = with_run(&[]);
    let before = read(&folder, "out/transcripts.jsonl");
    let again = ifs(folder.path(), &["run", "talks", "--out", "out", "--seed", "9"]);
    again.ends(INPUT).says("already contains a run").says("--out");
    assert_eq!(read(&folder, "out/transcripts.jsonl"), before);
}

/// A run is not written to a folder with other files, nor a log over another one.
#[test]
fn a_folder_with_other_files() {
    let folder = scaffold();
    let at = |name: &str| file(&folder, name);
    let run = ["run", "talks", "-n", "1", "--out", "out"];
    for name in [
        "notes.txt",
        "plan.json",
        "utterances.jsonl",
        "transcripts.jsonl",
        "run.json.0123456789abcdef.part",
    ] {
        fs::create_dir(at("out")).unwrap();
        fs::write(at("out").join(name), "mine").unwrap();
        let ran = ifs(folder.path(), &run).ends(INPUT);
        ran.says(&format!("`out` contains `{name}`, which no run wrote")).says("--out");
        assert_eq!(read(&folder, &format!("out/{name}")), "mine");
        assert_eq!(fs::read_dir(at("out")).unwrap().count(), 1);
        fs::remove_dir_all(at("out")).unwrap();
    }
    // A run that was killed before it had its `run.json` can start again.
    ifs(folder.path(), &run).ends(GOOD);
    let plan = fs::read(at("out/plan.json")).unwrap();
    fs::remove_dir_all(at("out")).unwrap();
    fs::create_dir(at("out")).unwrap();
    fs::write(at("out/plan.json"), plan).unwrap();
    fs::write(at("out/run.json.fedcba9876543210.part"), "{").unwrap();
    ifs(folder.path(), &run).ends(GOOD);
    let games = ["feed", "simulate", "basketball", "--out", "logs"];
    ifs(folder.path(), &games).ends(GOOD);
    ifs(folder.path(), &games).ends(GOOD);
    let log = fs::read_dir(at("logs")).unwrap().next().unwrap().unwrap().path();
    fs::write(&log, "mine").unwrap();
    ifs(folder.path(), &games).ends(INPUT).says("already exists");
    assert_eq!(fs::read_to_string(&log).unwrap(), "mine");
}

#[test]
fn unwritable_locations() {
    let folder = scaffold();
    let at = folder.path();
    fs::write(file(&folder, "file"), "").unwrap();
    ifs(at, &["run", "talks", "-n", "1", "--out", "file/run"]).ends(MACHINE).says("file/run");
    ifs(at, &["run", "talks", "-n", "1", "--out", "file"]).ends(MACHINE).says("file");
    ifs(at, &["new", "file/talks"]).ends(MACHINE).says("file/talks");
    ifs(at, &["man", "file/man"]).ends(MACHINE).says("file/man");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_infrastructure_error() {
    let folder = scaffold();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command(folder.path(), &["draw", "talks"]).stdout(full).output().unwrap();
    finished(output).ends(MACHINE).says("cannot be written");
}

#[test]
fn replayed_answers_score_the_same() {
    let folder = with_run(&["-m", "sim/noisy:0.3"]);
    let at = folder.path();
    let replay = "replay:out/transcripts.jsonl";
    ifs(at, &["run", "talks", "-n", "4", "-m", replay, "--out", "again"]).ends(GOOD);
    let scores = |name: &str| -> Json {
        let mut scores: Json = serde_json::from_str(&read(&folder, name)).unwrap();
        for name in ["model", "started", "ended"] {
            scores.as_object_mut().unwrap().remove(name);
        }
        scores
    };
    let mut again = scores("again/scores.json");
    // Its source is named, and is the only caveat.
    assert_eq!(again["replayed"]["model"], "sim/noisy:0.3");
    assert_eq!(again["caveats"].as_array().unwrap().len(), 1, "{}", again["caveats"]);
    again["caveats"] = Json::Array(Vec::new());
    again.as_object_mut().unwrap().remove("replayed");
    assert_eq!(again, scores("out/scores.json"));
    // Without a recorded response the dialogue is incomplete, which is not a miss.
    let more = ifs(at, &["run", "talks", "-n", "5", "-m", replay, "--out", "more"]);
    more.ends(MACHINE).says("incomplete because a request failed");
}

/// A scenario may be published without its logs: dialogues that need none are drawn, and those that do
/// say what is missing when they are run.
#[test]
fn a_feed_without_logs_is_one_warning() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let scenario = r#"ifs 1
import tasks "tasks.jsonl" { name: text }
feed games { read espn_text "games/*.txt" }
dialogue live over games as game { turn { show game.plays.line ask "Who?" } }
dialogue other over tasks as task { turn { ask "What is {{ task.name }}?" } }
"#;
    fs::write(at.join("a.ifs"), scenario).unwrap();
    fs::write(at.join("tasks.jsonl"), "{\"name\":\"tides\"}\n").unwrap();
    let checked = ifs(at, &["check", "a.ifs"]).ends(GOOD).says("no file matches `games/*.txt`");
    assert!(!checked.err.contains("there are no records"), "{}", checked.err);
    let drawn = ifs(at, &["draw", "a.ifs", "-d", "other"]).ends(GOOD).out;
    assert!(drawn.contains("What is tides?"), "{drawn}");
    let ran = ifs(at, &["run", "a.ifs", "-d", "live", "--out", "out"]).ends(INPUT);
    ran.says("there are no records in `games`");
}
