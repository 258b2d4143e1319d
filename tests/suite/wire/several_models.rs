//! `ifs run -m MODEL -m MODEL …`: a run for each model, and one table.

use super::*;

fn both(folder: &TempDir, server: &Server, more: &[&str]) -> Ran {
    let args = run_args("openai/a", "2", &[&["-m", "openai/b"], more].concat());
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

fn manifest_of(folder: &TempDir, model: &str) -> Value {
    let text = read(folder, &format!("{model}/run.json"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_model_gets_the_same_requests_and_a_row_of_the_table() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let ran = both(&folder, &server, &[]).ends(0);
    for said in ["model 1 of 2: openai/a", "model 2 of 2: openai/b", "openai/b: 1.000 over 8 turns"]
    {
        assert!(ran.all.contains(said), "no `{said}` in\n{}", ran.all);
    }
    let of = |model: &str| -> Vec<Value> {
        let log = server.log().into_iter().filter(|asked| asked.body["model"] == model);
        let mut bodies: Vec<Value> = log.map(|asked| asked.body["messages"].clone()).collect();
        bodies.sort_by_key(Value::to_string);
        bodies
    };
    assert_eq!(of("a").len(), 8, "two dialogues of four turns");
    assert_eq!(of("a"), of("b"));
    for model in ["openai-a", "openai-b"] {
        assert_eq!(manifest_of(&folder, model)["complete"], true, "{model}");
        assert!(read(&folder, &format!("{model}/scores.json")).contains("\"PIF\""), "{model}");
    }
    // The comparison is the one of the folders.
    let args = ["compare", "out/openai-a", "out/openai-b"];
    let compared = command(folder.path(), &server, &args).output().unwrap();
    assert!(ran.all.contains(&String::from_utf8(compared.stdout).unwrap()));
}

#[test]
fn budget_covers_all_models() {
    let server = Server::start(dutiful);
    let folder = scenario();
    both(&folder, &server, &["--budget-calls", "11"])
        .ends(4)
        .says("the budget of 11 calls is spent")
        .says("resume it with `ifs run --resume out/openai-b`");
    assert_eq!(server.log().len(), 11);
    assert_eq!(manifest_of(&folder, "openai-a")["complete"], true);
    assert_eq!(manifest_of(&folder, "openai-b")["complete"], false);
    assert_eq!(manifest_of(&folder, "openai-b")["spent"]["calls"], 3);
    // The rest of the second run.
    let args = ["run", "--resume", "out/openai-b", "--budget-calls", "8"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    assert_eq!(server.log().len(), 16);
}

/// What would stop a later run is found before the first request.
#[test]
fn mistakes_are_found_before_a_run() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let more = |more: &[&str]| both(&folder, &server, more).ends(2);
    more(&["-m", "openai/a"]).says("`openai/a` is named twice").says("--samples N");
    more(&["-m", "opnai/c"]).says("opnai");
    more(&["-m", "openai-a"]).says("openai-a");
    std::fs::create_dir_all(folder.path().join("out/openai-b")).unwrap();
    more(&[]).says("`out/openai-b` is there already");
    let by_hand = ["turn", "next", "wire.ifs", "-m", "openai/a", "-m", "openai/b"];
    Ran::of(command(folder.path(), &server, &by_hand).output().unwrap())
        .ends(2)
        .says("`ifs turn` runs one model");
    assert!(server.log().is_empty());
}

#[test]
fn estimates_are_per_model() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let ran = both(&folder, &server, &["--dry-run"]).ends(0);
    assert_eq!(ran.all.matches("model 2 of 2: openai/b").count(), 1, "{}", ran.all);
    assert_eq!(ran.all.matches("requests").count() % 2, 0, "{}", ran.all);
    assert!(server.log().is_empty() && !folder.path().join("out").exists());
}
