//! Released sets over HTTP: requests, files and resuming.

use super::*;

const DESK: &str = r#"ifs 1
constraint short(n: int in 5..=60) { say "At most {{ n }} words." check count(word) <= n }
dialogue talk {
  param city: one_of ["Rome", "Oslo", "Lima", "Bonn", "Kyiv"]
  turn first { ask "What is the weather in {{ city }}?" impose 1 from short scope dialogue }
  turn second { ask "And tomorrow?" }
}
"#;

fn ran(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

#[test]
fn hidden_runs_send_the_released_dialogues() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    let server = Server::start(|_| answer("Rain."));
    ran(&folder, &server, &["secret", "key"]).ends(0);
    let release =
        ["release", "desk.ifs", "-n", "5", "--secret", "key", "--epoch", "e", "--out", "set"];
    ran(&folder, &server, &release).ends(0);
    let run = ["run", "desk.ifs", "--set", "set", "-m", "openai/m", "--out", "out"];
    // Without its secret a set cannot run, and no requests are sent.
    ran(&folder, &server, &run).ends(2).says("there is no other way to draw it");
    ran(&folder, &server, &["secret", "other"]).ends(0);
    let other = [&run[..], &["--secret", "other"]].concat();
    ran(&folder, &server, &other).ends(3).says("is not the secret that `set` commits to");
    assert_eq!(server.log().len(), 0);
    let run = [&run[..], &["--secret", "key"]].concat();
    ran(&folder, &server, &run).ends(0).says("prompts are left out of the run's folder");
    let set = std::fs::read_to_string(folder.path().join("set/dialogues.jsonl")).unwrap();
    let mut asks: Vec<String> = set
        .lines()
        .flat_map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            row["turns"].as_array().unwrap().clone()
        })
        .map(|turn| turn["ask"].as_str().unwrap().to_owned())
        .collect();
    let mut sent: Vec<String> =
        server.log().iter().map(|asked| asked.texts().pop().unwrap()).collect();
    asks.sort();
    sent.sort();
    assert_eq!(sent, asks);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("out/run.json")).unwrap())
            .unwrap();
    assert_eq!(manifest["set"]["hidden"]["epoch"], "e");
    let key: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("key")).unwrap()).unwrap();
    for entry in std::fs::read_dir(folder.path().join("out")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(key["secret"].as_str().unwrap()), "{}", path.display());
        }
    }
    let verify = ["verify", "set", "--scenario", "desk.ifs", "--secret", "key"];
    let exposed = "exposed: it was sent to openai/m (5 of 5 dialogues)";
    ran(&folder, &server, &verify).ends(0).says(exposed);
    // Resuming needs the secret again, and repeats no request.
    ran(&folder, &server, &["run", "--resume", "out"]).ends(2).says("--secret FILE");
    let before = server.log().len();
    ran(&folder, &server, &["run", "--resume", "out", "--secret", "key"]).ends(0);
    assert_eq!(server.log().len(), before);
    // The contents of a report, and what needs the secret.
    ran(&folder, &server, &["report", "out"]).ends(0).says(" · hidden set ");
    let scores = std::fs::read_to_string(folder.path().join("out/scores.json")).unwrap();
    let scores: Value = serde_json::from_str(&scores).unwrap();
    assert!(scores.get("seed").is_none() && scores["set"]["hidden"]["epoch"] == "e");
    let under = ["score", "out", "--under", "desk.ifs"];
    ran(&folder, &server, &under).ends(2).says("`--secret FILE` names its secret");
    let resumed = ifs::Run::resume(folder.path().join("out")).start();
    assert!(resumed.unwrap_err().to_string().contains("--secret"));
    // Another definition is not the set's.
    std::fs::write(folder.path().join("desk.ifs"), DESK.replace("5..=60", "6..=60")).unwrap();
    let again = [&run[..7], &["again", "--secret", "key"]].concat();
    ran(&folder, &server, &again).ends(3).says("is a set of another definition");
}
