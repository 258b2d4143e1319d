//! The command: formats, limits, declarations, names.

use std::fs;

use tempfile::TempDir;

use super::{GAMES, about_games, audited, findings, plan, with_constraint};
use crate::cli::ifs;

const FAULTY: &str = "ifs 1
constraint named {
  say   \"Use the word don't.\"
  check contains(\"don't\")
}
dialogue talk { turn asked { ask \"Why?\" impose named } }
";

fn folder(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.ifs"), text).unwrap();
    fs::write(folder.path().join("games.jsonl"), GAMES).unwrap();
    folder
}

#[test]
fn the_exit_status_is_that_of_the_limits() {
    let faulty = folder(FAULTY);
    let at = faulty.path();
    ifs(at, &["audit", "a.ifs"]).ends(1).says("curly").says("named").says("a.ifs:4");
    ifs(at, &["audit", "a.ifs", "--max-changed", "100%"]).ends(0).says("all limits are met");
    ifs(at, &["audit", "a.ifs", "--forms", "frames"]).ends(0);
    ifs(at, &["audit", "a.ifs", "--max-changed", "nine"]).ends(2).says("write a share");
    ifs(at, &["audit", "a.ifs", "--forms", "curley"]).ends(2).says("did you mean `curly`");
    ifs(at, &["audit", "a.ifs", "--answers", "salat"]).ends(2).says("did you mean `salad`");
    ifs(at, &["audit", "none.ifs"]).ends(3);
    ifs(at, &["audit"]).ends(2);
    let sound = folder(&FAULTY.replace("\"don't\")", "word \"tide\")"));
    ifs(sound.path(), &["audit", "a.ifs"]).ends(0).says("all limits are met");
    let empty = folder("ifs 1\n");
    ifs(empty.path(), &["audit", "a.ifs"]).ends(3).says("no dialogue");
    let judged = folder(
        "ifs 1\ndialogue talk { turn a { ask \"Why?\" require kind judge \"Is it kind?\" } }\n",
    );
    ifs(judged.path(), &["audit", "a.ifs"]).ends(0).says("Turns without a rule");
    let page = ifs(judged.path(), &["audit", "a.ifs", "--format", "html"]).ends(0).out;
    assert!(page.starts_with("<!doctype html>"));
}

#[test]
fn the_texts_are_shown() {
    let faulty = folder(FAULTY);
    let at = faulty.path();
    let shown = ifs(at, &["audit", "a.ifs", "--show", "curly"]).ends(1);
    assert!(
        shown.out.contains("U+2019") && shown.out.contains("a right answer is missed"),
        "{}",
        shown.out
    );
    ifs(at, &["audit", "a.ifs", "--show", "named"]).ends(1).says("U+2019");
    ifs(at, &["audit", "a.ifs", "--show", "preamble"]).ends(1).says("no text flips");
    ifs(at, &["audit", "a.ifs", "--show", "nothing"]).ends(2).says("nothing");
    let page = ifs(at, &["audit", "a.ifs", "--format", "html"]).ends(1).out;
    assert!(page.starts_with("<!doctype html>") && page.contains("<mark>’</mark>"));
    ifs(at, &["audit", "a.ifs", "--format", "html", "--out", "a.html"]).ends(1);
    assert_eq!(fs::read_to_string(at.join("a.html")).unwrap(), page);
}

#[test]
fn forms_are_listed_and_explained() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let list = ifs(at, &["audit", "--list"]).ends(0);
    for form in ifs::forms::forms() {
        assert!(list.out.contains(form.name), "{}", form.name);
        ifs(at, &["explain", form.name]).ends(0).says(form.doc.split(' ').next().unwrap());
    }
    for answer in ifs::forms::ANSWERS {
        assert!(list.out.contains(answer.name), "{}", answer.name);
        ifs(at, &["explain", answer.name]).ends(0).says("must not pass");
    }
}

#[test]
fn the_document_is_as_its_schema_says() {
    let faulty = folder(FAULTY);
    let found = ifs(faulty.path(), &["audit", "a.ifs", "--format", "json"]).ends(1);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let schema = ifs(faulty.path(), &["schema", "audit"]).ends(0);
    let schema: serde_json::Value = serde_json::from_str(&schema.out).unwrap();
    for name in schema["required"].as_array().unwrap() {
        assert!(found.get(name.as_str().unwrap()).is_some(), "{name}");
    }
    assert_eq!(found["schema"], 1);
    assert_eq!(found["checks"][0]["changed"]["curly"], 1);
    assert_eq!(found["limits"][1]["met"], false);
}

#[test]
fn declared_changes_are_counted_apart() {
    let declared = |text: &str| format!("{FAULTY}audit {{ {text} }}\n");
    let minded = folder(&declared("minds curly in named because \"it is spelt out\""));
    ifs(minded.path(), &["audit", "a.ifs"]).ends(0).says("it is spelt out");
    let group = folder(&declared("minds typography in named because \"it is spelt out\""));
    ifs(group.path(), &["audit", "a.ifs"]).ends(0);
    let everything = folder(&declared("minds curly because \"it is spelt out\""));
    ifs(everything.path(), &["audit", "a.ifs"]).ends(0);
    let of_turn = folder(&declared("minds curly in talk.asked because \"it is spelt out\""));
    ifs(of_turn.path(), &["audit", "a.ifs"]).ends(0);
    let limited = folder(&declared("limit changed 100%"));
    ifs(limited.path(), &["audit", "a.ifs"]).ends(0);
    let other = folder(&declared("minds nbsp in named because \"no space is in it\""));
    ifs(other.path(), &["audit", "a.ifs"]).ends(1);
    let unneeded = folder(&declared(
        "minds curly in named because \"it is spelt out\"  minds preamble in named because \"so\"",
    ));
    ifs(unneeded.path(), &["audit", "a.ifs"]).ends(0).says("ifs::unneeded-minds").says("a.ifs:7");
}

#[test]
fn tolerated_forms_are_tried_although_a_check_is_about_them() {
    let scenario = |declared: &str| {
        folder(&format!(
            "ifs 1
constraint brief {{ say \"At most nine words.\" check count(word) <= 9 }}
dialogue talk {{ turn asked {{ ask \"Why?\" impose brief }} }}
audit {{ {declared} }}
"
        ))
    };
    let audit = |declared: &str| {
        let folder = scenario(declared);
        ifs(folder.path(), &["audit", "a.ifs", "--forms", "frames,nbsp"])
    };
    audit("limit changed 0%").ends(0);
    audit("tolerates both_ends in brief").ends(1).says("both_ends").says("a.ifs:2");
    audit("tolerates both_ends in talk.asked").ends(1);
    audit("tolerates both_ends").ends(1);
    // The declaration that names most counts.
    audit("tolerates both_ends in brief  minds frames because \"so\"").ends(1);
    audit("tolerates frames  minds frames in brief because \"so\"").ends(0);
    // A no-break space does not matter to a word anyway.
    audit("tolerates nbsp in brief").ends(0).says("ifs::unneeded-minds");
}

#[test]
fn declarations_name_what_there_is() {
    for (text, says) in [
        ("minds curley in named because \"so\"", "did you mean `curly`"),
        ("minds curly in name because \"so\"", "name"),
        ("minds curly in talk.ask because \"so\"", "`talk.ask` has no checks"),
        ("minds curly in talk.asked.brief because \"so\"", "has no checks"),
        ("limit change 5%", "did you mean `changed`"),
        ("floor 50% of salat because \"so\"", "did you mean `salad`"),
        ("minds curly in named", "because"),
        ("floor of salad because \"so\"", "write `floor 50% of ANSWER"),
        ("mind curly because \"so\"", "an audit takes"),
        ("tolerates curley in named", "did you mean `curly`"),
        ("tolerates 5%", "write `tolerates FORM, FORM in NAME`"),
    ] {
        let folder = folder(&format!("{FAULTY}audit {{ {text} }}\n"));
        ifs(folder.path(), &["check", "a.ifs"]).ends(3).says(says);
    }
}

#[test]
fn declarations_change_no_hash_and_are_formatted() {
    let plain = plan(FAULTY);
    let text = format!(
        "{FAULTY}audit {{ minds   curly,straight in named because \"so\"\n tolerates  frames ,nbsp in named limit changed 5%  floor 50% of salad , other in talk.asked because \"so\" }}\n"
    );
    let declared = plan(&text);
    assert_eq!(plain.hash(), declared.hash());
    assert!(!declared.model.audit.is_empty());
    let folder = folder(&text);
    ifs(folder.path(), &["fmt", "a.ifs"]).ends(0);
    let formatted = fs::read_to_string(folder.path().join("a.ifs")).unwrap();
    assert!(
        formatted.ends_with(
            "audit {\n  minds curly, straight in named because \"so\"\n  \
             tolerates frames, nbsp in named\n  limit changed 5%\n  \
             floor 50% of salad, other in talk.asked because \"so\"\n}\n"
        ),
        "{formatted}"
    );
    ifs(folder.path(), &["fmt", "--check", "a.ifs"]).ends(0);
}

#[test]
fn floors_are_declared_by_turn() {
    let text = |floor: &str| {
        about_games(
            "    ask \"Did the home team of {{ game.name }} win?\"\n    answer \"{{ game.won }}\"\n    \
             expect 1 \"right\" check contains(word (game.won))",
        ) + floor
    };
    let passed = |floor: &str| {
        let found = findings(&audited(&plan(&text(floor))));
        found.iter().any(|(_, what)| what == "passed by constant")
    };
    assert!(passed(""));
    assert!(!passed("audit { floor 70% of constant in talk.asked because \"yes or no\" }"));
    assert!(!passed("audit { floor 70% because \"yes or no\" }"));
    assert!(passed("audit { floor 70% of salad in talk.asked because \"yes or no\" }"));
    // The declaration that names most counts.
    assert!(passed(
        "audit { floor 70% because \"yes or no\"  floor 1% of constant in talk.asked because \"so\" }"
    ));
}

#[test]
fn recorded_responses_are_right_answers() {
    let folder = folder(&with_constraint("contains(\"tide\")"));
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "1", "--out", "run"]).ends(0);
    ifs(at, &["audit", "a.ifs", "--responses", "run"]).ends(0).says("1 recorded");
    ifs(at, &["audit", "a.ifs", "--responses", "none"]).ends(3);
}

#[test]
fn a_judge_is_audited() {
    let folder = folder(
        "ifs 1
constraint brief(n: int in 5..=9) { say \"At most {{ n }} words.\" check count(word) <= n }
constraint kind { say \"Be kind.\" judge \"Is it kind?\" }
dialogue talk {
  turn asked { ask \"Why?\" impose brief(n: 7) impose kind }
}
",
    );
    let at = folder.path();
    // Frames are about the number of words.
    let forms = ["--forms", "frames"];
    let args = ["audit", "a.ifs", "--judge", "sim/judge", "--format", "json", forms[0], forms[1]];
    let found = ifs(at, &args).ends(0);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let judge = &found["judge"];
    assert_eq!((judge["noise"].as_f64(), judge["right"].as_f64()), (Some(0.0), Some(1.0)));
    assert_eq!(
        (judge["sensitivity"].as_f64(), judge["specificity"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    assert!(judge["answers"].as_array().unwrap().iter().all(|row| row["held"] == 0.0), "{judge}");
    let noisy = ["audit", "a.ifs", "--judge", "sim/judge:0.5", forms[0], forms[1]];
    ifs(at, &noisy).ends(0).says("constraints whose truth is known");
    ifs(at, &["audit", "a.ifs", "--judge", "sim/judge", "--dry-run"])
        .ends(0)
        .says("texts to judge");
    ifs(at, &["audit", "a.ifs", "--dry-run"]).ends(2);
}

#[test]
fn other_commands_carry_the_summary() {
    let faulty = folder(FAULTY);
    let at = faulty.path();
    ifs(at, &["check", "--deep", "a.ifs"])
        .ends(0)
        .says("most often `curly`")
        .says("limits missed: changed");
    let page = ifs(at, &["preview", "a.ifs"]).ends(0).out;
    assert!(page.contains("Audit of the checks") && page.contains("curly"));
    ifs(at, &["release", "a.ifs", "-n", "1", "--out", "set"]).ends(0).says("most often `curly`");
    let manifest = fs::read_to_string(at.join("set/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["audit"]["changed"], 1.0);
    assert_eq!(manifest["audit"]["limits_missed"][0], "changed");
    ifs(at, &["verify", "set", "--scenario", "a.ifs"]).ends(0);
}
