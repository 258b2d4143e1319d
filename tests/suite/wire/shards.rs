//! `ifs run --shard` and `ifs runs merge`: a run in parts has the same requests and totals.

use super::*;

/// Runs one shard into a folder.
fn shard(folder: &TempDir, server: &Server, shard: &str, out: &str, more: &[&str]) -> Ran {
    let mut args = vec!["run", "wire.ifs", "-m", "openai/m", "-n", "7", "--retry-wait", "1ms"];
    args.extend(["--shard", shard, "--out", out]);
    args.extend(more);
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

fn merge(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    let args = [&["runs", "merge"], args].concat();
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

/// The requests to a model, unordered.
fn asked(server: &Server) -> Vec<String> {
    let mut asked: Vec<String> =
        server.log().iter().map(|asked| asked.texts().join("\n")).collect();
    asked.sort();
    asked
}

#[test]
fn shards_ask_and_total_what_the_whole_run_does() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "7", &[]).ends(0);
    let whole = Server::start(dutiful);
    for (number, out) in [("1/3", "a"), ("2/3", "b"), ("3/3", "c")] {
        shard(&folder, &whole, number, out, &[]).ends(0);
    }
    assert_eq!(asked(&server), asked(&whole));
    let lines = |name: &str| read_in(&folder, name, "transcripts.jsonl").lines().count();
    assert_eq!((lines("a"), lines("b"), lines("c")), (3, 2, 2));

    // In any order.
    merge(&folder, &whole, &["c", "a", "b", "--out", "merged"])
        .ends(0)
        .says("the run is in merged");
    for name in ["transcripts.jsonl", "scores.json", "plan.json"] {
        let files = [read_in(&folder, "merged", name), read(&folder, name)];
        let [merged, run] = files.map(|text| crate::without_times(&text));
        assert_eq!(merged, run, "{name}");
    }
    let of = |name: &str| -> Value {
        let mut manifest: Value =
            serde_json::from_str(&crate::without_times(&read_in(&folder, name, "run.json")))
                .unwrap();
        // Each server has a port of its own.
        assert!(manifest.as_object_mut().unwrap().remove("address").is_some());
        manifest
    };
    assert_eq!(of("merged"), of("out"));
    assert_eq!(of("b")["shard"], serde_json::json!({"index": 2, "of": 3}));

    // Everything is in the merged journal: nothing is asked again.
    let before = whole.log().len();
    let args = ["run", "--resume", "merged"];
    Ran::of(command(folder.path(), &whole, &args).output().unwrap()).ends(0);
    assert_eq!(whole.log().len(), before);
    assert_eq!(read_in(&folder, "merged", "transcripts.jsonl"), read(&folder, "transcripts.jsonl"));
}

#[test]
fn a_shard_that_was_stopped_is_resumed_and_merged() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "7", &[]).ends(0);
    shard(&folder, &server, "1/2", "a", &[]).ends(0);
    shard(&folder, &server, "2/2", "b", &["--budget-calls", "3"]).ends(4);
    merge(&folder, &server, &["a", "b", "--out", "merged"])
        .ends(3)
        .says("shard 2/2 in `b` is not complete")
        .says("complete it with `ifs run --resume b`");
    assert!(!folder.path().join("merged").exists(), "nothing is written");
    let args = ["run", "--resume", "b"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    merge(&folder, &server, &["a", "b", "--out", "merged"]).ends(0);
    assert_eq!(read_in(&folder, "merged", "transcripts.jsonl"), read(&folder, "transcripts.jsonl"));
}

#[test]
fn incomplete_shard_sets_are_refused() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "7", &[]).ends(0);
    for (number, out) in [("1/2", "a"), ("2/2", "b"), ("1/3", "c")] {
        shard(&folder, &server, number, out, &[]).ends(0);
    }
    shard(&folder, &server, "2/2", "d", &["--temperature", "0.5"]).ends(0);
    for (args, text, help) in [
        (&["out"][..], "the run in `out` is not a shard", "--shard 1/4"),
        (&["a"], "shard 2/2 is missing", "`--shard 2/2`, then merge all 2"),
        (&["a", "a"], "`a` and `a` are both shard 1/2", "give each shard once"),
        (&["b", "c"], "one of 2", "the shards of one division"),
        (&["a", "d"], "`parameters` is", "the same scenario, model, seed and settings"),
        (&["nothing"], "is not a run folder", "`ifs run SCENARIO`"),
    ] {
        let args = [args, &["--out", "merged"]].concat();
        merge(&folder, &server, &args).ends(3).says(text).says(help);
        assert!(!folder.path().join("merged").exists(), "{args:?}");
    }
    merge(&folder, &server, &["a", "b", "--out", "out"]).ends(3).says("already contains a run");

    let transcripts = folder.path().join("b/transcripts.jsonl");
    let text = std::fs::read_to_string(&transcripts).unwrap();
    std::fs::write(&transcripts, text.replace("\"turn\":1", "\"turn\":2")).unwrap();
    merge(&folder, &server, &["a", "b", "--out", "merged"]).ends(3).says("its hash does not match");

    for (number, text) in
        [("3/2", "shards of 2 are `1/2` to `2/2`"), ("two", "a shard is written `1/4`")]
    {
        shard(&folder, &server, number, "e", &[]).ends(2).says(text);
    }
    shard(&folder, &server, "8/8", "e", &[]).ends(2).says("shard 8/8 is empty").says("at most 7");
}

#[test]
fn shards_may_use_a_model_at_several_addresses() {
    let (one, other, folder) = (Server::start(dutiful), Server::start(dutiful), scenario());
    run(&folder, &one, "7", &[]).ends(0);
    shard(&folder, &one, "1/2", "a", &[]).ends(0);
    shard(&folder, &other, "2/2", "b", &[]).ends(0);
    merge(&folder, &one, &["a", "b", "--out", "merged"]).ends(0);
    for name in ["transcripts.jsonl", "scores.json"] {
        let files = [read_in(&folder, "merged", name), read(&folder, name)];
        let [merged, run] = files.map(|text| crate::without_times(&text));
        assert_eq!(merged, run, "{name}");
    }
    let manifest: Value = serde_json::from_str(&read_in(&folder, "merged", "run.json")).unwrap();
    let of = |name: &str| -> Value {
        let manifest: Value = serde_json::from_str(&read_in(&folder, name, "run.json")).unwrap();
        manifest["address"].clone()
    };
    assert_ne!(of("a"), of("b"));
    assert_eq!(manifest["address"], of("a"));
    assert_eq!(manifest["addresses"], serde_json::json!({"openai/m": [of("a"), of("b")]}));
    // Nothing is left to request, and its journal has names of requests to both.
    let before = read_in(&folder, "merged", "transcripts.jsonl");
    let args = ["run", "--resume", "merged"];
    Ran::of(command(folder.path(), &one, &args).output().unwrap())
        .ends(2)
        .says("the run in `merged` was merged from shards at several addresses")
        .says("`ifs score` and `ifs report` read it");
    assert_eq!(read_in(&folder, "merged", "transcripts.jsonl"), before);
    Ran::of(command(folder.path(), &one, &["score", "merged"]).output().unwrap()).ends(0);
    // Shards at one address have no list.
    shard(&folder, &one, "2/2", "c", &[]).ends(0);
    merge(&folder, &one, &["a", "c", "--out", "same"]).ends(0);
    assert!(!read_in(&folder, "same", "run.json").contains("addresses"));
}

/// A file in a folder of the scenario's.
fn read_in(folder: &TempDir, run: &str, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(run).join(name)).unwrap()
}
