//! Sets that can be checked: `ifs release`, `ifs verify`, `ifs open`, `ifs secret`.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{self, Ran};

const GOOD: i32 = 0;
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const INPUT: i32 = 3;

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
import topics "topics.jsonl" { name: text, request: text }
group length {
  constraint short(n: int in 5..=60) { say "At most {{ n }} words." check count(word) <= n }
  constraint long(n: int in 61..=120) { say "At least {{ n }} words." check count(word) >= n }
}
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue talk {
  topic from topics
  constraints from length, kind
  start with 1 constraint
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 60%  modify 40% }
  end when turns >= 6
}
release held { 12 dialogues of talk }
"#;

fn desk() -> TempDir {
    let folder = TempDir::new().unwrap();
    let topics: String = ["tides", "kites", "bread", "snow"]
        .iter()
        .map(|name| format!("{{\"name\": \"{name}\", \"request\": \"Write about {name}.\"}}\n"))
        .collect();
    fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    folder
}

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn json(folder: &TempDir, name: &str) -> Json {
    serde_json::from_str(&read(folder, name)).unwrap()
}

/// A hidden set in `hidden`, by the secret in `key`.
fn hidden() -> TempDir {
    let folder = desk();
    ifs(&folder, &["secret", "key"]).ends(GOOD).says("a new secret");
    let args = ["release", "desk.ifs", "--secret", "key", "--epoch", "2026-12", "--out", "hidden"];
    ifs(&folder, &args).ends(GOOD).says("12 dialogues");
    folder
}

const VERIFY: [&str; 6] = ["verify", "hidden", "--scenario", "desk.ifs", "--secret", "key"];

#[test]
fn a_public_set_is_drawn_again() {
    let folder = desk();
    ifs(&folder, &["release", "desk.ifs", "--out", "public", "--seed", "7"])
        .ends(GOOD)
        .says("seed 7");
    ifs(&folder, &["release", "desk.ifs", "--out", "again", "--seed", "7"]).ends(GOOD);
    for file in ["dialogues.jsonl", "manifest.json"] {
        assert_eq!(
            read(&folder, &format!("public/{file}")),
            read(&folder, &format!("again/{file}"))
        );
    }
    let verify = ["verify", "public", "--scenario", "desk.ifs"];
    ifs(&folder, &verify).ends(GOOD).says("12 dialogues drawn again");
    let manifest = json(&folder, "public/manifest.json");
    let coverage = &manifest["coverage"];
    assert_eq!(coverage["turns"], 72);
    let known =
        ["witnessed", "judged_only", "without_witness"].map(|key| coverage[key].as_u64().unwrap());
    assert_eq!((known.iter().sum::<u64>(), known[2]), (72, 0));
    let topics = coverage["topics"].as_object().unwrap();
    assert!(!topics.is_empty() && topics.keys().all(|topic| DESK_TOPICS.contains(&topic.as_str())));
    let canary = manifest["canary"].as_str().unwrap();
    for line in read(&folder, "public/dialogues.jsonl").lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        assert_eq!(row["canary"], canary);
        let asks =
            row["turns"].as_array().unwrap().iter().map(|turn| turn["ask"].as_str().unwrap());
        assert!(asks.into_iter().all(|ask| !ask.contains(canary)), "a canary is in no prompt");
    }
    // Libraries that read the folder as a data set are told which file has the rows.
    let card = read(&folder, "public/README.md");
    let head = "---\nconfigs:\n- config_name: default\n  data_files: dialogues.jsonl\n---\n";
    assert!(card.starts_with(head) && card.contains(manifest["root"].as_str().unwrap()), "{card}");
    ifs(&folder, &["release", "desk.ifs", "--out", "public"]).ends(INPUT).says("already exists");
    // Another definition, and another bank.
    let desk = read(&folder, "desk.ifs");
    fs::write(folder.path().join("desk.ifs"), desk.replace("5..=60", "6..=60")).unwrap();
    ifs(&folder, &verify).ends(FAILED).says("the definition is plan-v1:");
    fs::write(folder.path().join("desk.ifs"), desk).unwrap();
    fs::write(folder.path().join("topics.jsonl"), format!("\n{}", read(&folder, "topics.jsonl")))
        .unwrap();
    // Another layout of a file is not other content.
    ifs(&folder, &verify).ends(GOOD).says("drawn again");
    fs::write(folder.path().join("public/extra.txt"), "x").unwrap();
    ifs(&folder, &verify).ends(FAILED).says("`extra.txt` was added to the set");
}

const DESK_TOPICS: [&str; 4] = ["tides", "kites", "bread", "snow"];

#[test]
fn hidden_sets_depend_only_on_the_secret() {
    let folder = hidden();
    ifs(&folder, &VERIFY).ends(GOOD).says("every byte is the same");
    let manifest = json(&folder, "hidden/manifest.json");
    assert!(manifest.get("seed").is_none() && manifest.get("file").is_none());
    // Published files contain nothing of the secret or the dialogues.
    let (key, text) = (json(&folder, "key"), read(&folder, "hidden/manifest.json"));
    for secret in ["secret", "salt"] {
        assert!(!text.contains(key[secret].as_str().unwrap()));
    }
    for word in ["Write about", "At most"] {
        assert!(!text.contains(word), "{word}");
    }
    // Another epoch and another secret are other sets; the same is the same.
    let dialogues = read(&folder, "hidden/dialogues.jsonl");
    let asks = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap()["turns"].to_string())
            .collect()
    };
    ifs(&folder, &["secret", "other"]).ends(GOOD);
    for (secret, epoch, same) in
        [("key", "2026-12", true), ("key", "2027-01", false), ("other", "2026-12", false)]
    {
        let out = format!("{secret}-{epoch}");
        let args = ["release", "desk.ifs", "--secret", secret, "--epoch", epoch, "--out", &out];
        ifs(&folder, &args).ends(GOOD);
        let again = read(&folder, &format!("{out}/dialogues.jsonl"));
        assert_eq!(again == dialogues, same, "{out}");
        let shared = asks(&again).iter().filter(|ask| asks(&dialogues).contains(ask)).count();
        assert!(same || shared < 3, "{shared} of 12 are alike");
    }
    // No small seed draws a dialogue of it.
    let hidden: Vec<Vec<String>> = dialogues
        .lines()
        .map(|line| {
            let row: Json = serde_json::from_str(line).unwrap();
            let turns = row["turns"].as_array().unwrap().clone();
            turns.iter().map(|turn| turn["ask"].to_string()).collect()
        })
        .collect();
    for seed in 0..40 {
        let seed = seed.to_string();
        let draw =
            ["draw", "desk.ifs", "-n", "4", "--seed", &seed, "--no-witness", "--format", "jsonl"];
        let drawn = ifs(&folder, &draw).ends(GOOD);
        let mut by_index: std::collections::BTreeMap<u64, Vec<String>> = Default::default();
        for line in drawn.out.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()) {
            let asks = by_index.entry(line["index"].as_u64().unwrap()).or_default();
            asks.push(line["ask"].to_string());
        }
        assert!(by_index.len() == 4 && by_index.values().all(|asks| !hidden.contains(asks)));
    }
    let both = ["release", "desk.ifs", "--secret", "key", "--seed", "1", "--out", "x"];
    ifs(&folder, &both).ends(USAGE).says("--seed");
    ifs(&folder, &VERIFY[..4]).ends(USAGE).says("--secret FILE");
    ifs(&folder, &["secret", "key"]).ends(INPUT).says("never overwritten");
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = hidden();
    let mode =
        |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("key"), mode("hidden/dialogues.jsonl")), (0o600, 0o600));
    fs::set_permissions(folder.path().join("key"), fs::Permissions::from_mode(0o644)).unwrap();
    let args = ["release", "desk.ifs", "--secret", "key", "--out", "x"];
    ifs(&folder, &args).ends(INPUT).says("others than its owner may read it").says("chmod 600 key");
    // A revealed secret is public.
    ifs(&folder, &VERIFY).ends(GOOD);
}

#[test]
fn single_dialogues_are_opened() {
    let folder = hidden();
    for number in ["0", "7", "11"] {
        let opened =
            ifs(&folder, &["open", "hidden", "--number", number, "--secret", "key"]).ends(GOOD);
        fs::write(folder.path().join("one"), &opened.out).unwrap();
        let away = TempDir::new().unwrap();
        for (from, to) in [("one", "one"), ("hidden/manifest.json", "manifest")] {
            fs::copy(folder.path().join(from), away.path().join(to)).unwrap();
        }
        let verify = ["verify", "one", "--manifest", "manifest"];
        ifs(&away, &verify).ends(GOOD).says(&format!("dialogue {number} of 12 is in the set"));
        for (from, to) in [
            ("Write about", "Write on"),
            ("\"number\": ", "\"number\": 1"),
            ("\"dialogues\": 12", "\"dialogues\": 13"),
        ] {
            assert!(opened.out.contains(from), "{from}");
            fs::write(away.path().join("one"), opened.out.replacen(from, to, 1)).unwrap();
            ifs(&away, &verify).ends(FAILED);
        }
        let salt =
            serde_json::from_str::<Json>(&opened.out).unwrap()["salt"].as_str().unwrap().to_owned();
        fs::write(
            away.path().join("one"),
            opened.out.replace(&salt, &salt.chars().rev().collect::<String>()),
        )
        .unwrap();
        ifs(&away, &verify).ends(FAILED).says("the salt, the path or the line was changed");
    }
    ifs(&folder, &["open", "hidden", "--number", "12", "--secret", "key"])
        .ends(USAGE)
        .says("no number 12");
}

const HIDDEN: [&str; 6] = ["release", "desk.ifs", "--secret", "key", "--epoch", "2027-01"];

/// The key of an epoch verifies the sets of that epoch, and draws no other.
#[test]
fn an_epoch_is_revealed_alone() {
    let folder = hidden();
    let key = json(&folder, "key");
    let commitment = json(&folder, "hidden/manifest.json")["commitment"].clone();
    let said = ifs(&folder, &["secret", "key", "--epoch", "2026-12"]).ends(GOOD);
    said.says(commitment.as_str().unwrap());
    ifs(&folder, &[&HIDDEN[..], &["--out", "next"]].concat()).ends(GOOD);
    assert_ne!(json(&folder, "next/manifest.json")["commitment"], commitment);
    let revealed = ifs(&folder, &["reveal", "key", "--epoch", "2026-12"]).ends(GOOD);
    fs::write(folder.path().join("revealed"), &revealed.out).unwrap();
    for secret in ["secret", "salt"] {
        assert!(!revealed.out.contains(key[secret].as_str().unwrap()), "{}", revealed.out);
    }
    assert!(json(&folder, "revealed").get("anchors").is_none());
    let verify = |set: &str| {
        ifs(&folder, &["verify", set, "--scenario", "desk.ifs", "--secret", "revealed"])
    };
    verify("hidden").ends(GOOD).says("every byte is the same");
    verify("next").ends(INPUT).says("the key of the epoch `2026-12`, and that of `2027-01`");
    // Renamed, it is still not the key of the other epoch.
    let renamed = revealed.out.replace("2026-12", "2027-01");
    fs::write(folder.path().join("revealed"), renamed).unwrap();
    verify("next").ends(FAILED).says("the secret is not the one");
    let owner = ["verify", "next", "--scenario", "desk.ifs", "--secret", "key"];
    ifs(&folder, &owner).ends(GOOD);
    for (text, says) in [("{}", "not a secret file"), ("", "not a secret file")] {
        fs::write(folder.path().join("revealed"), text).unwrap();
        verify("hidden").ends(INPUT).says(says);
    }
}

/// The value of a beacon decides what is drawn, and is part of the manifest.
#[test]
fn a_beacon_is_in_the_streams() {
    let folder = hidden();
    let value = "5f".repeat(32);
    let beacon = |value: &str, out: &str| {
        let round = ["--beacon", value, "--beacon-source", "drand", "--beacon-round", "7"];
        ifs(&folder, &[&HIDDEN[..], &["--out", out], &round].concat())
    };
    ifs(&folder, &[&HIDDEN[..], &["--out", "plain"]].concat()).ends(GOOD);
    beacon(&value, "one").ends(GOOD);
    beacon(&value.replace('f', "e"), "other").ends(GOOD);
    let dialogues = |set: &str| read(&folder, &format!("{set}/dialogues.jsonl"));
    assert_ne!(dialogues("plain"), dialogues("one"));
    assert_ne!(dialogues("one"), dialogues("other"));
    let manifest = json(&folder, "one/manifest.json");
    assert_eq!(manifest["beacon"]["round"], "7");
    assert_eq!(manifest["commitment"], json(&folder, "other/manifest.json")["commitment"]);
    let verify = ["verify", "one", "--scenario", "desk.ifs", "--secret", "key"];
    ifs(&folder, &verify).ends(GOOD);
    let mut changed = manifest.clone();
    changed["beacon"]["value"] = Json::from(value.replace('f', "e"));
    fs::write(folder.path().join("one/manifest.json"), changed.to_string()).unwrap();
    ifs(&folder, &verify).ends(FAILED).says("its seal does not match, in `beacon`");
    for short in ["5f", "XYZ", ""] {
        beacon(short, "x").ends(USAGE).says("hexadecimal digits are expected");
    }
    let alone = [&HIDDEN[..], &["--out", "x", "--beacon", &value]].concat();
    ifs(&folder, &alone).ends(USAGE).says("--beacon-source");
}

/// The field that differs is named, and an opening is of one manifest.
#[test]
fn changed_fields_of_a_manifest_are_named() {
    let folder = hidden();
    let opened = ifs(&folder, &["open", "hidden", "--number", "3", "--secret", "key"]).ends(GOOD);
    fs::write(folder.path().join("opened"), &opened.out).unwrap();
    let open = ["verify", "opened", "--manifest", "hidden/manifest.json"];
    ifs(&folder, &open).ends(GOOD);
    let manifest = json(&folder, "hidden/manifest.json");
    for field in [
        "/coverage/turns",
        "/acceptance/repeats",
        "/version",
        "/canary",
        "/rejected",
        "/root",
        "/turns",
        "/dialogue",
        "/ifs_version",
        "/holder",
    ] {
        let mut changed = manifest.clone();
        match changed.pointer_mut(field) {
            Some(value) if value.is_number() => *value = Json::from(99),
            Some(value) => *value = Json::from("x"),
            None => changed["holder"] = Json::from("someone else"),
        }
        fs::write(folder.path().join("hidden/manifest.json"), changed.to_string()).unwrap();
        let name = field.split('/').nth(1).unwrap();
        let says = format!("its seal does not match, in `{name}`");
        ifs(&folder, &VERIFY).ends(FAILED).says(&says);
        ifs(&folder, &open).ends(FAILED).says("not the one that the dialogue was opened with");
    }
    // The layout of the file is not part of it.
    let pretty = serde_json::to_string(&manifest).unwrap();
    fs::write(folder.path().join("hidden/manifest.json"), pretty).unwrap();
    ifs(&folder, &VERIFY).ends(GOOD);
    ifs(&folder, &open).ends(GOOD);
    let older = opened.out.replace("\"ifs_opening\": 2", "\"ifs_opening\": 1");
    fs::write(folder.path().join("opened"), older).unwrap();
    ifs(&folder, &open).ends(FAILED).says("the format of the opening is 1");
}

/// The refusal of an opening names what was changed.
#[test]
fn changed_fields_of_an_opening_are_named() {
    let folder = hidden();
    let opened = ifs(&folder, &["open", "hidden", "--number", "3", "--secret", "key"]).ends(GOOD);
    let opening: Json = serde_json::from_str(&opened.out).unwrap();
    let open = ["verify", "opened", "--manifest", "hidden/manifest.json"];
    let line = opening["line"].as_str().unwrap();
    let changed_line = line.replacen("\"turns\":", "\"turns\" :", 1);
    assert_ne!(changed_line, line);
    let one_of_three = "the salt, the path or the line was changed";
    for (field, value, says) in [
        (
            "number",
            Json::from(2),
            "the number of the opening is 2, and its line is that of dialogue 3",
        ),
        ("salt", Json::from("00".repeat(32)), one_of_three),
        ("salt", Json::from("x"), "the salt is not what the manifest says"),
        ("path", Json::Array(Vec::new()), "the path was changed"),
        ("line", Json::from(changed_line.as_str()), one_of_three),
        ("line", Json::from("{}"), "the line was changed"),
        ("root", Json::from("00".repeat(32)), "the root of the tree"),
    ] {
        let mut changed = opening.clone();
        changed[field] = value;
        fs::write(folder.path().join("opened"), changed.to_string()).unwrap();
        ifs(&folder, &open).ends(FAILED).says(says);
    }
}

/// The data card follows from the manifest.
#[test]
fn a_changed_card_is_found() {
    let folder = hidden();
    let path = folder.path().join("hidden/README.md");
    let card = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{card}\nRead more at example.com.\n")).unwrap();
    ifs(&folder, &VERIFY).ends(FAILED).says("`README.md` is not the one that follows");
    fs::remove_file(&path).unwrap();
    ifs(&folder, &VERIFY).ends(FAILED).says("`README.md` is missing");
    fs::write(&path, card).unwrap();
    ifs(&folder, &VERIFY).ends(GOOD);
}

/// Each change of a set or of its manifest is found.
#[test]
fn tampering_is_found() {
    let folder = hidden();
    let at = |name: &str| folder.path().join("hidden").join(name);
    let mut changes = 0;
    let dialogues = fs::read(at("dialogues.jsonl")).unwrap();
    for step in 0..40 {
        let mut bytes = dialogues.clone();
        let place = step * (bytes.len() - 1) / 39;
        bytes[place] ^= 1;
        refused(&folder, &at("dialogues.jsonl"), &bytes, "dialogue");
        changes += 1;
    }
    let lines: Vec<&[u8]> = dialogues.split_inclusive(|byte| *byte == b'\n').collect();
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    refused(&folder, &at("dialogues.jsonl"), &swapped.concat(), "dialogue 2 differs");
    refused(
        &folder,
        &at("dialogues.jsonl"),
        &lines[..11].concat(),
        "the set has 11 dialogues, and 12 are drawn",
    );
    refused(
        &folder,
        &at("dialogues.jsonl"),
        &[&lines[..], &lines[..1]].concat().concat(),
        "the set has 13",
    );
    let manifest = json(&folder, "hidden/manifest.json");
    let text = read(&folder, "hidden/manifest.json");
    for (key, value) in manifest.as_object().unwrap() {
        let other = match value {
            Json::String(text) => Json::String(format!("{text}0")),
            Json::Number(number) => Json::from(number.as_u64().unwrap() + 1),
            Json::Bool(value) => Json::Bool(!value),
            _ => continue,
        };
        let mut changed = manifest.clone();
        changed[key] = other;
        let status = if key == "ifs_release" { INPUT } else { FAILED };
        fs::write(at("manifest.json"), changed.to_string()).unwrap();
        ifs(&folder, &VERIFY).ends(status);
        changes += 1;
    }
    for (part, counts) in
        [("coverage", "turns"), ("coverage", "witnessed"), ("acceptance", "repeats")]
    {
        let mut changed = manifest.clone();
        changed[part][counts] = Json::from(99);
        fs::write(at("manifest.json"), changed.to_string()).unwrap();
        ifs(&folder, &VERIFY).ends(FAILED).says(&format!("its seal does not match, in `{part}`"));
    }
    assert!(changes > 50, "{changes}");
    fs::write(at("manifest.json"), text).unwrap();
    ifs(&folder, &VERIFY).ends(GOOD);
    // Missing files are errors without a fallback.
    fs::remove_file(at("dialogues.jsonl")).unwrap();
    ifs(&folder, &VERIFY).ends(INPUT).says("dialogues.jsonl");
    ifs(&folder, &["secret", "other"]).ends(GOOD);
    let other = [&VERIFY[..5], &["other"]].concat();
    ifs(&folder, &other).ends(FAILED).says("the secret is not the one");
}

#[track_caller]
fn refused(folder: &TempDir, path: &Path, bytes: &[u8], says: &str) {
    let before = fs::read(path).unwrap();
    fs::write(path, bytes).unwrap();
    ifs(folder, &VERIFY).ends(FAILED).says(says);
    fs::write(path, before).unwrap();
}

/// Two sets of one definition do not differ; a definition with another probability does.
#[test]
fn different_distributions_are_detected() {
    let folder = desk();
    // Secrets would give other sets each time, and one pair in twenty differs by chance.
    let release = |folder: &TempDir, seed: &str, out: &str| {
        let args = ["release", "desk.ifs", "-n", "300", "--seed", seed, "--out", out];
        ifs(folder, &args).ends(GOOD);
    };
    release(&folder, "1001", "one");
    release(&folder, "1002", "other");
    let ran = ifs(&folder, &["compare-sets", "one", "other"]).ends(GOOD);
    ran.says("no feature differs").says("of 8-grams");
    let desk = fs::read_to_string(folder.path().join("desk.ifs")).unwrap();
    let altered = desk.replace("switch 40%", "switch 80%");
    assert_ne!(altered, desk);
    fs::write(folder.path().join("desk.ifs"), altered).unwrap();
    release(&folder, "1003", "altered");
    let ran = ifs(&folder, &["compare-sets", "one", "altered", "--format", "json"]).ends(FAILED);
    let json: Json = serde_json::from_str(&ran.out).unwrap();
    let first = json["likeness"]["tested"][0]["feature"].as_str().unwrap();
    assert!(first.starts_with("move "), "{first}");
    // A corpus with the very messages shares all of their wording.
    let text = fs::read_to_string(folder.path().join("other/dialogues.jsonl")).unwrap();
    fs::write(folder.path().join("corpus"), text.replace("\\n", " ")).unwrap();
    let args = ["compare-sets", "one", "other", "--corpus", "corpus", "--format", "json"];
    let json: Json = serde_json::from_str(&ifs(&folder, &args).ends(GOOD).out).unwrap();
    assert!(json["corpora"][0][1].as_f64().unwrap() > 0.9, "{}", json["corpora"]);
    ifs(&folder, &["compare-sets", "one", "desk.ifs"]).ends(INPUT).says("line 1 is not a dialogue");
}

/// No limit on work keeps a shipped scenario from its release and its preview.
#[test]
fn shipped_scenarios_are_released_and_previewed() {
    let folder = TempDir::new().unwrap();
    for name in ["chess", "hierarchy", "ifbench", "meeseeks", "mmmt", "multichallenge", "sysbench"]
    {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("scenarios/{name}/{name}.ifs"))
            .to_string_lossy()
            .into_owned();
        let args = ["release", &file, "-n", "2", "--allow-unproven", "--out", name];
        ifs(&folder, &args).ends(GOOD).says("2 dialogues");
        let page = format!("{name}.html");
        let args = ["preview", &file, "-n", "1", "--sample", "2", "--out", &page];
        ifs(&folder, &args).ends(GOOD).says("1 dialogue written");
    }
}
