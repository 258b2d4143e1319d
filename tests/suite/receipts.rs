//! Signatures: `ifs key`, `ifs sign`, `ifs run --sign`, `ifs verify --public`; and `ifs power`.

use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{self, Ran};

const GOOD: i32 = 0;
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const INPUT: i32 = 3;

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
constraint short(n: int in 5..=60) { say "At most {{ n }} words." check count(word) <= n }
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue talk {
  param city: one_of ["Rome", "Oslo", "Lima", "Bonn", "Kyiv"]
  constraints from short, kind
  start with 1 constraint
  turn first { ask "What is the weather in {{ city }}?" }
  turn second { ask "And tomorrow?" }
}
"#;

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

/// A signed run in `run`, of the signed hidden set in `set`.
fn signed() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    ifs(&folder, &["secret", "key"]).ends(GOOD);
    ifs(&folder, &["key", "sign"]).ends(GOOD).says("ed25519:");
    let release = ["release", "desk.ifs", "-n", "6", "--secret", "key", "--out", "set"];
    ifs(&folder, &release).ends(GOOD);
    ifs(&folder, &["sign", "set", "--key", "sign"]).ends(GOOD).says("manifest.signed.json");
    let run = ["run", "desk.ifs", "--set", "set", "--secret", "key", "--out", "run"];
    ifs(&folder, &[&run[..], &["--sign", "sign"]].concat()).ends(GOOD).says("signed by ed25519:");
    folder
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn write(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(folder.path().join(name), bytes).unwrap();
}

#[test]
fn a_run_and_its_set_are_signed() {
    let folder = signed();
    let public = ["verify", "run", "--public", "sign.pub"];
    ifs(&folder, &public).ends(GOOD).says("signed a run of sim/forgetful with 6 dialogues");
    // With the key, with the key's file, and away from the run.
    let key = read(&folder, "sign.pub").trim().to_owned();
    ifs(&folder, &["verify", "run/receipt.json", "--public", &key]).ends(GOOD);
    fs::create_dir(folder.path().join("away")).unwrap();
    fs::copy(folder.path().join("run/receipt.json"), folder.path().join("away/r")).unwrap();
    ifs(&folder, &["verify", "away/r", "--public", &key]).ends(GOOD).says("only the signature");
    // A manifest alone, and with the set that is drawn again.
    ifs(&folder, &["verify", "set", "--public", "sign.pub"]).ends(GOOD).says("signed the set");
    let drawn = ["verify", "set", "--public", "sign.pub", "--scenario", "desk.ifs"];
    ifs(&folder, &[&drawn[..], &["--secret", "key"]].concat()).ends(GOOD).says("every byte");
    // The same again gives the same receipt.
    let before = read(&folder, "run/receipt.json");
    ifs(&folder, &["sign", "run", "--key", "sign"]).ends(GOOD);
    assert_eq!(read(&folder, "run/receipt.json"), before);
    // What it says, for programs that know in-toto.
    let envelope: Json = serde_json::from_str(&before).unwrap();
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    let payload = BASE64_STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let statement: Json = serde_json::from_slice(&payload).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let manifest: Json = serde_json::from_str(&read(&folder, "set/manifest.json")).unwrap();
    assert_eq!(statement["predicate"]["set"], manifest);
    assert_eq!(statement["predicate"]["model"], "sim/forgetful");
    assert!(statement["predicate"]["scores"]["CSR"].is_number());
    // Keys.
    ifs(&folder, &["key", "sign"]).ends(INPUT).says("already exists");
    ifs(&folder, &["key", "other"]).ends(GOOD);
    ifs(&folder, &["verify", "run", "--public", "other.pub"]).ends(FAILED).says("another key");
    ifs(&folder, &["verify", "run", "--public", "sign"]).ends(INPUT).says("not a public key");
    ifs(&folder, &["sign", "run", "--key", "key"]).ends(INPUT).says("not a signing key");
    ifs(&folder, &["sign", "away", "--key", "sign"]).ends(INPUT).says("neither the folder");
    let both = ["verify", "run", "--public", "sign.pub", "--scenario", "desk.ifs"];
    ifs(&folder, &both).ends(USAGE).says("`--scenario` is for sets");
    // Scores that the transcripts do not give are not signed.
    let scores = read(&folder, "run/scores.json");
    write(&folder, "run/scores.json", scores.replacen("\"value\": ", "\"value\": 9", 1));
    ifs(&folder, &["sign", "run", "--key", "sign"])
        .ends(INPUT)
        .says("does not match the transcripts");
}

#[cfg(unix)]
#[test]
fn signing_keys_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = signed();
    let path = folder.path().join("sign");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    ifs(&folder, &["sign", "run", "--key", "sign"]).ends(INPUT).says("chmod 600 sign");
    // None of it is published.
    let seed: Json = serde_json::from_str(&read(&folder, "sign")).unwrap();
    let seed = seed["seed"].as_str().unwrap();
    for name in ["sign.pub", "run/receipt.json", "set/manifest.signed.json", "run/run.json"] {
        assert!(!read(&folder, name).contains(seed), "{name}");
    }
}

/// Every change of a signed run, of its receipt, and of a signed manifest is found and named.
#[test]
fn tampering_with_what_is_signed_is_found() {
    let folder = signed();
    let mut changes = 0;
    let mut found = |name: &str, bytes: Option<&[u8]>, says: &str, of: &str| {
        let path = folder.path().join(name);
        let before = fs::read(&path).ok();
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let ran = ifs(&folder, &["verify", of, "--public", "sign.pub"]);
        assert!(ran.status == Some(FAILED) || ran.status == Some(INPUT), "{name}: {}", ran.err);
        ran.says(says);
        match before {
            Some(before) => fs::write(&path, before).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        changes += 1;
    };
    let files = ["manifest.json", "run.json", "plan.json", "transcripts.jsonl", "scores.json"];
    for file in files {
        let name = format!("run/{file}");
        let bytes = fs::read(folder.path().join(&name)).unwrap();
        for step in 0..6 {
            let mut bytes = bytes.clone();
            let place = step * (bytes.len() - 1) / 5;
            bytes[place] ^= 1;
            found(&name, Some(&bytes), &format!("`{file}` ("), "run");
        }
        found(&name, None, &format!("`{file}` ("), "run");
    }
    // What a run does not write is named, too; so is a list of rejected dialogues that was altered.
    for (name, of) in [("run/extra.txt", "run"), ("run/.hidden", "run"), ("set/extra.txt", "set")] {
        let file = name.rsplit('/').next().unwrap();
        found(name, Some(b"x"), &format!("`{file}` was added after it was signed"), of);
    }
    let differs = "`rejected.jsonl` differs from what the manifest binds";
    found("set/rejected.jsonl", Some(b"{}\n"), differs, "set");
    for file in ["journal", "utterances.jsonl"] {
        found(&format!("run/{file}"), Some(b"{}"), "was added after the run was signed", "run");
    }
    let lines = read(&folder, "run/transcripts.jsonl");
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    let mut swapped = lines.clone();
    swapped.swap(1, 2);
    for lines in
        [swapped.concat(), lines[1..].concat(), [&lines[..], &lines[..1]].concat().concat()]
    {
        found("run/transcripts.jsonl", Some(lines.as_bytes()), "the transcripts) differs", "run");
    }
    // Every field, by its name.
    for (name, of) in
        [("run/run.json", "run"), ("run/manifest.json", "run"), ("set/manifest.json", "set")]
    {
        let json: Json = serde_json::from_str(&read(&folder, name)).unwrap();
        for (field, value) in json.as_object().unwrap() {
            let mut changed = json.clone();
            changed[field] = match value {
                Json::String(text) => Json::from(format!("{text}0")),
                Json::Number(number) => Json::from(number.as_u64().unwrap() + 1),
                Json::Bool(value) => Json::from(!value),
                _ => Json::Null,
            };
            found(name, Some(changed.to_string().as_bytes()), &format!("`{field}"), of);
        }
    }
    // The receipt.
    let text = read(&folder, "run/receipt.json");
    let receipt: Json = serde_json::from_str(&text).unwrap();
    let payload = receipt["payload"].as_str().unwrap();
    let signature = receipt["signatures"][0]["sig"].as_str().unwrap();
    let with = |place: &str, value: &str| {
        let mut changed = receipt.clone();
        *changed.pointer_mut(place).unwrap() = Json::from(value);
        changed.to_string()
    };
    let flipped = |text: &str, at: usize| {
        let other = if &text[at..=at] == "A" { "B" } else { "A" };
        format!("{}{other}{}", &text[..at], &text[at + 1..])
    };
    for step in 0..10 {
        let changed = with("/payload", &flipped(payload, step * (payload.len() - 8) / 9));
        found("run/receipt.json", Some(changed.as_bytes()), "changed after it was signed", "run");
        let changed = with("/signatures/0/sig", &flipped(signature, step * 80 / 9));
        found("run/receipt.json", Some(changed.as_bytes()), "changed after it was signed", "run");
    }
    let statement = String::from_utf8(BASE64_STANDARD.decode(payload).unwrap()).unwrap();
    let better = BASE64_STANDARD.encode(statement.replace("sim/forgetful", "sim/oracle000"));
    ifs(&folder, &["key", "other"]).ends(GOOD);
    fs::rename(folder.path().join("run/receipt.json"), folder.path().join("kept")).unwrap();
    ifs(&folder, &["sign", "run", "--key", "other"]).ends(GOOD);
    let by_other = read(&folder, "run/receipt.json");
    fs::rename(folder.path().join("kept"), folder.path().join("run/receipt.json")).unwrap();
    let of_set = read(&folder, "set/manifest.signed.json");
    for (changed, says) in [
        (with("/payload", &better), "changed after it was signed"),
        (with("/payloadType", "application/json"), "changed after it was signed"),
        (with("/signatures/0/keyid", "00"), "another key"),
        (with("/payload", "%"), "not base64"),
        (text.replacen('{', "{\"more\": 1, ", 1), "unknown field `more`"),
        (by_other, "another key"),
        (of_set, "a statement about something else"),
        (String::new(), "EOF"),
    ] {
        found("run/receipt.json", Some(changed.as_bytes()), says, "run");
    }
    let mut unsigned = receipt.clone();
    unsigned["signatures"] = Json::Array(Vec::new());
    found("run/receipt.json", Some(unsigned.to_string().as_bytes()), "it has no signature", "run");
    found("run/receipt.json", None, "ifs sign run --key FILE", "run");
    found("set/manifest.signed.json", None, "ifs sign set --key FILE", "set");
    assert!(changes >= 100, "{changes} changes");
    ifs(&folder, &["verify", "run", "--public", "sign.pub"]).ends(GOOD);
    ifs(&folder, &["verify", "set", "--public", "sign.pub"]).ends(GOOD);
}

fn json(ran: &Ran) -> Json {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn power_says_how_many_dialogues_separate_two_models() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    let power = |more: &[&str]| {
        let args = ["power", "desk.ifs", "--sample", "50", "--format", "json"];
        json(&ifs(&folder, &[&args[..], more].concat()).ends(GOOD))
    };
    let needed = |more: &[&str]| power(more)["needed"].as_u64().unwrap();
    let plain = needed(&["--strengths", "0.6", "0.8"]);
    assert_eq!(plain, needed(&["--strengths", "0.6", "0.8"]), "a seed gives the same");
    // A smaller difference, more confidence, more power, and no common difficulty need more.
    for more in [
        &["--strengths", "0.7", "0.8"][..],
        &["--strengths", "0.6", "0.8", "--confidence", "0.99"],
        &["--strengths", "0.6", "0.8", "--power", "0.95"],
        &["--strengths", "0.6", "0.8", "--correlation", "0.8", "--shared", "0"],
    ] {
        assert!(needed(more) > plain, "{more:?}");
    }
    // Two turns with one constraint each.
    let found = power(&["--strengths", "0.6", "0.8"]);
    assert_eq!((found["turns"].as_f64(), found["instructions"].as_f64()), (Some(2.0), Some(1.0)));
    let at = found["sizes"].as_array().unwrap().iter().find(|it| it["dialogues"] == plain).unwrap();
    assert!((at["power"].as_f64().unwrap() - 0.8).abs() < 0.05, "{at}");
    assert!((at["scores"][0]["mean"].as_f64().unwrap() - 0.6).abs() < 0.02, "{at}");
    let text = ifs(&folder, &["power", "desk.ifs", "--strengths", "0.6", "0.8", "--sample", "50"]);
    text.ends(GOOD).says(&format!("{plain} dialogues separate them at 95 % confidence"));
    for (args, says) in [
        (&["--strengths", "0.8", "0.6"][..], "the second has to be greater"),
        (&["--strengths", "0.8", "1.5"], "is not between 0 and 1"),
        (&["--strengths", "0.6", "0.8", "--correlation", "1"], "is not from 0 to below 1"),
        (&["--moved", "1"], "is not a factor"),
        (&[], "--strengths"),
    ] {
        ifs(&folder, &[&["power", "desk.ifs"][..], args].concat()).ends(USAGE).says(says);
    }
}

/// A definition with one probability changed by a fifth is distinguished at the predicted size.
#[test]
fn power_predicts_what_compare_sets_finds() {
    let folder = TempDir::new().unwrap();
    let flow = DESK.replace("turn first { ask \"What is the weather in {{ city }}?\" }", "").replace(
        "turn second { ask \"And tomorrow?\" }",
        "topic from topics\n  flow { stay at least 1 turns  switch 50% { new 100% } }\n  end when turns >= 9",
    );
    let flow = flow.replace(
        "dialogue talk",
        "import topics \"topics.jsonl\" { name: text, request: text }\ndialogue talk",
    );
    let topics: String = (0..12)
        .map(|at| format!("{{\"name\": \"t{at}\", \"request\": \"Write about thing {at}.\"}}\n"))
        .collect();
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    fs::write(folder.path().join("desk.ifs"), &flow).unwrap();
    fs::write(folder.path().join("moved.ifs"), flow.replace("50%", "60%")).unwrap();
    let args =
        ["power", "desk.ifs", "--against", "moved.ifs", "--sample", "800", "--power", "0.99"];
    let found = json(&ifs(&folder, &[&args[..], &["--format", "json"]].concat()).ends(GOOD));
    let first = &found["features"][0];
    assert!(first["feature"].as_str().unwrap().starts_with("move "), "{first}");
    let needed = first["dialogues"].as_u64().unwrap().to_string();
    // No feature needs fewer, and one is enough for the sets to differ.
    assert_eq!(found["any_feature"], first["dialogues"]);
    let text = ["power", "desk.ifs", "--against", "moved.ifs", "--sample", "100"];
    ifs(&folder, &text).ends(GOOD).says("any feature, at most");
    let release = |file: &str, seed: &str| {
        let args = ["release", file, "-n", &needed, "--seed", seed, "--out", seed];
        ifs(&folder, &args).ends(GOOD);
    };
    release("desk.ifs", "11");
    release("moved.ifs", "12");
    release("desk.ifs", "13");
    ifs(&folder, &["compare-sets", "11", "12"]).ends(FAILED).says("move ");
    ifs(&folder, &["compare-sets", "11", "13"]).ends(GOOD);
    // By a factor: each share that can be moved, and none above 1.
    let moved = ["power", "desk.ifs", "--moved", "1.2", "--sample", "200", "--format", "json"];
    let moved = json(&ifs(&folder, &moved).ends(GOOD));
    for feature in moved["features"].as_array().unwrap() {
        let name = feature["feature"].as_str().unwrap();
        let is_share =
            !["turns", "active ", "words "].iter().any(|begins| name.starts_with(begins));
        let above = is_share && feature["other"].as_f64().unwrap() > 1.0;
        assert_eq!(feature["dialogues"].is_null(), above, "{feature}");
    }
    let text = ["power", "desk.ifs", "--moved", "0.8", "--sample", "200"];
    ifs(&folder, &text).ends(GOOD).says("dialogues of each set that `ifs compare-sets` needs");
}
