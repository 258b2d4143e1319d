//! The definition hash: golden values for two scenarios, changes that do not affect it, and the
//! parts that each small change affects.

use std::collections::BTreeSet;
use std::path::Path;

use ifs::model::check;
use ifs::plan::canonical::Definition;
use ifs::plan::{Plan, build};
use ifs::script::{Drawer, Seed};
use ifs::world::MemoryWorld;

const TALK: &str = include_str!("../script/talk.ifs");
const WRITTEN: &str = include_str!("../script/written.ifs");
const TOPICS: &str = include_str!("../script/topics.jsonl");
const TRIPS: &str = include_str!("../script/trips.jsonl");
const FILES: [(&str, &str); 6] = [
    ("topics.jsonl", TOPICS),
    ("trips.jsonl", TRIPS),
    ("words/open.j2", include_str!("../script/words/open.j2")),
    ("words/continue.j2", include_str!("../script/words/continue.j2")),
    ("words/return.j2", include_str!("../script/words/return.j2")),
    ("words/changes.j2", include_str!("../script/words/changes.j2")),
];

/// A scenario, with some files replaced.
#[track_caller]
fn plan_with(text: &str, others: &[(&'static str, &str)]) -> Plan {
    tried(text, others).unwrap()
}

fn tried(text: &str, others: &[(&'static str, &str)]) -> Result<Plan, Vec<String>> {
    let files = FILES.into_iter().chain([("main.ifs", text)]);
    let checked = check(&MemoryWorld::new(files.chain(others.iter().copied())), "main.ifs");
    let found = checked.diagnostics.list.into_iter().map(|it| it.message);
    checked.model.map(build).ok_or_else(|| found.collect())
}

#[track_caller]
fn plan(text: &str) -> Plan {
    plan_with(text, &[])
}

#[track_caller]
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` is in the program once");
    text.replacen(from, to, 1)
}

/// The first turns of the first dialogues, by name.
fn drawn(plan: &Plan) -> BTreeSet<String> {
    let scripts = plan.model.dialogues.iter().flat_map(|dialogue| {
        let drawer = Drawer::new(plan, &dialogue.name).unwrap();
        let script = |index| drawer.script(Seed(3), index).take(8).map(Result::unwrap);
        (0..4)
            .flat_map(script)
            .map(|turn| serde_json::to_string(&turn).unwrap())
            .collect::<Vec<_>>()
    });
    scripts.collect()
}

/// Kinds and names of the parts that differ between two definitions, except the plan itself, which
/// then always differs.
fn differing(one: &Definition, other: &Definition) -> Vec<String> {
    let alone = |of: &Definition, than: &Definition| -> Vec<String> {
        let parts = of.parts().iter().skip(1).filter(|part| !than.parts().contains(part));
        parts.map(|part| format!("{} {}", part.kind.word(), part.name).trim().to_owned()).collect()
    };
    let names: BTreeSet<String> = alone(one, other).into_iter().chain(alone(other, one)).collect();
    names.into_iter().collect()
}

/// A change here requires a new version of the notation: every definition gets another hash.
#[test]
fn two_programs_have_these_hashes() {
    let hashes = [TALK, WRITTEN].map(|text| plan(text).hash());
    assert_eq!(hashes, HASHES);
}

const HASHES: [&str; 2] = [
    "plan-v1:8e569c1b3a370739b7c48d00149bb4fc12bd6a56ecd2b757d0394b807603c5f7",
    "plan-v1:573e4cf56cf0eb31e9e927bdf4715c69f7ad88629623f38c4617c83b5352caaf",
];

/// An alias is a part of the definition where `impose called` looks for it.
#[test]
fn aliases_that_are_called_are_hashed() {
    let with = |alias: &str, imposed: &str| {
        plan(&format!(
            "ifs 1\nconstraint most(n: int) {{ say \"At most {{{{ n }}}}.\" check count(word) <= n alias {alias} }}\n\
             dialogue d {{ turn a {{ ask \"A\" impose {imposed} }} }}\n"
        ))
    };
    let called = "called \"q\" given { n: 7 } from most";
    let (one, ten) = ("\"q\" (n: given.n)", "\"q\" (n: given.n * 10)");
    assert_ne!(with(one, called).hash(), with(ten, called).hash());
    assert_eq!(with(one, "most(n: 7)").hash(), with(ten, "most(n: 7)").hash());
    // What a run stores has them.
    let stored = serde_json::to_value(&with(ten, called).model.groups).unwrap();
    assert!(stored.to_string().contains("given"), "{stored}");
}

/// The canonical texts, which show what is hashed.
#[test]
fn the_canonical_texts_on_file() {
    for (name, text) in [("talk", TALK), ("written", WRITTEN)] {
        let definition = plan(text).definition();
        let parts = definition.parts().iter().map(|part| {
            assert_eq!(
                part.digest.to_string(),
                format!("{}-v1:{}", part.kind.word(), blake3::hash(part.text.as_bytes()).to_hex())
            );
            part.text.as_str()
        });
        let found: String = parts.collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/script/{name}.parts"));
        if std::env::var_os("IFS_BLESS").is_some() {
            std::fs::write(&path, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&path).unwrap());
    }
}

/// Comments, layout and the order of unordered things change neither the definition nor the draws.
#[test]
fn edits_that_keep_the_hash() {
    let swapped = |text: &str, one: &str, other: &str| {
        let (one, other) = (one.trim_matches('\n'), other.trim_matches('\n'));
        let held = edited(text, one, "\u{1}");
        edited(&edited(&held, other, one), "\u{1}", other)
    };
    let block = |text: &'static str, head: &str| {
        let start = text.find(head).unwrap();
        &text[start..start + text[start..].find("\n}\n").unwrap() + 3]
    };
    let of_groups = |groups: &str| {
        let start = format!("  constraints from {groups}\n  start with 2 constraints");
        edited(TALK, "  start with 1 constraint", &start)
    };
    let two_groups = of_groups("length, case, required");
    let same: [(&str, String); 14] = [
        (&two_groups, of_groups("required, length, case")),
        (WRITTEN, edited(WRITTEN, "one_of [detour, pair]", "one_of [pair, detour]")),
        (TALK, edited(TALK, "group case", "// A comment.\n/// A doc comment.\ngroup case")),
        (
            TALK,
            edited(TALK, "  scope topic unsaid\n", "\n\n     scope     topic  unsaid // here\n"),
        ),
        (TALK, TALK.replace('\n', "\r\n")),
        (TALK, format!("\u{feff}{TALK}")),
        // Imports, groups, members of a group, flows, fields of the benchmark.
        (
            WRITTEN,
            swapped(
                WRITTEN,
                "import topics \"topics.jsonl\"",
                "import trips \"trips.jsonl\" { name: text  towns: list of text  nights: int }",
            ),
        ),
        (WRITTEN, swapped(WRITTEN, block(WRITTEN, "group start"), block(WRITTEN, "group many"))),
        (TALK, swapped(TALK, block(TALK, "group tone"), block(TALK, "group length"))),
        (WRITTEN, swapped(WRITTEN, block(WRITTEN, "flow detour"), block(WRITTEN, "flow pair"))),
        (TALK, swapped(TALK, "title   \"Talk\"", "version \"1.0.0\"")),
        (
            WRITTEN,
            swapped(WRITTEN, block(WRITTEN, "dialogue piling"), block(WRITTEN, "/// Requirements")),
        ),
        // Records written with their fields in another order.
        (
            WRITTEN,
            edited(WRITTEN, "name: text  towns: list of text", "towns: list of text  name: text"),
        ),
        (
            WRITTEN,
            edited(
                WRITTEN,
                "with probability 1 - given / groups",
                "with probability (1 - (given / groups))",
            ),
        ),
    ];
    for (before, after) in same {
        assert_ne!(before, after);
        let (before, other) = (plan(before), plan(&after));
        assert_eq!(differing(&before.definition(), &other.definition()), [""; 0], "{after}");
        assert_eq!(other.hash(), before.hash(), "{after}");
        assert_eq!(drawn(&other), drawn(&before), "{after}");
    }
}

/// Changes of meaning, and the parts that they affect.
#[test]
fn edits_that_change_the_hash() {
    let table: &[(&str, &str, &str, &[&str])] = &[
        (TALK, "\"1.0.0\"", "\"1.0.1\"", &["benchmark"]),
        (TALK, "Capitals only.", "Only capitals.", &["constraint case.upper", "group case"]),
        (TALK, "has_no_lower", "has_no_upper", &["constraint case.upper", "group case"]),
        (
            TALK,
            "n: int in 20..=90 step 5) {\n    say    \"Fewer",
            "n: int in 20..=95 step 5) {\n    say    \"Fewer",
            &["constraint length.under", "group length"],
        ),
        (TALK, "count(word) > n", "count(word) >= n", &["constraint length.over", "group length"]),
        (
            TALK,
            "count(word) < n",
            "count(word.pattern) < n",
            &["constraint length.under", "group length"],
        ),
        (
            TALK,
            "w.value)) == w.times",
            "w.value)) >= w.times",
            &["constraint required.words", "group required"],
        ),
        (
            TALK,
            "wants: 1..=2 of topic",
            "wants: 1..=3 of topic",
            &["constraint required.words", "group required"],
        ),
        (
            TALK,
            "add 1  modify 1  drop 1",
            "add 2  modify 1  drop 1",
            &["constraint required.words", "group required"],
        ),
        (
            TALK,
            "\"merry\" 70%, \"grave\" 30%",
            "\"merry\" 30%, \"grave\" 70%",
            &["constraint tone.sounds", "group tone"],
        ),
        (
            TALK,
            "judge \"Does it sound",
            "judge \"Does it really sound",
            &["constraint tone.sounds", "group tone"],
        ),
        (TALK, "step 0.1)", "step 0.2)", &["constraint share.capitals", "group share"]),
        (TALK, "mask forbidden.words.terms against required.words.wants\n", "", &["mask"]),
        (TALK, "start with 1 constraint", "start with 2 constraints", &["dialogue talk"]),
        (TALK, "scope topic unsaid", "scope dialogue", &["dialogue talk"]),
        (TALK, "patience 3", "patience 2", &["dialogue talk"]),
        (TALK, "at least 3 turns", "at least 4 turns", &["dialogue talk"]),
        (TALK, "switch 60%", "switch 60.0001%", &["dialogue talk"]),
        (TALK, "new 50%  backtrack 50%", "new 60%  backtrack 40%", &["dialogue talk"]),
        (
            TALK,
            "add 50%  modify 30%  drop 20%",
            "add 50%  modify 20%  drop 30%",
            &["dialogue talk"],
        ),
        (TALK, "when constraints == 1 {", "when constraints <= 1 {", &["dialogue talk"]),
        (TALK, "turns >= 40", "turns >= 41", &["dialogue talk"]),
        (TALK, "  templates from \"words\"\n", "", &["dialogue talk"]),
        (
            TALK,
            "group case {",
            "group cases {",
            &[
                "constraint case.lower",
                "constraint case.upper",
                "constraint cases.lower",
                "constraint cases.upper",
                "dialogue talk",
                "group case",
                "group cases",
            ],
        ),
        (WRITTEN, "  nights: int }", "  nights?: int }", &["bank trips"]),
        (WRITTEN, "tags ability { theme ", "tags ability { theme style ", &["tags"]),
        (WRITTEN, "turn c3 expands c2", "turn c3 refines c2", &["flow detour"]),
        (WRITTEN, "About 300 metres.", "About 301 metres.", &["flow answered"]),
        (WRITTEN, "one_of [detour, pair]", "one_of [detour, answered]", &["dialogue shaped"]),
        (WRITTEN, "context golden\n", "context golden\n  overflow omitted\n", &["dialogue shaped"]),
        (WRITTEN, "context golden\n", "", &["dialogue shaped"]),
        (WRITTEN, "impose  1..=2 from", "impose  1..=3 from", &["dialogue shaped"]),
        (WRITTEN, "scope turn", "scope dialogue", &["dialogue shaped"]),
        (WRITTEN, "1 - given / groups", "1 - given / (groups + 1)", &["dialogue piling"]),
        (WRITTEN, "1 new group", "1", &["dialogue piling"]),
        (WRITTEN, "sample 3", "sample 2", &["dialogue piling"]),
        (WRITTEN, "You plan trips", "You plan all trips", &["dialogue piling"]),
        (WRITTEN, "start_at + trip.nights", "trip.nights + start_at", &["dialogue piling"]),
        (WRITTEN, "repeat instructions at end", "sample 4", &["dialogue piling"]),
        (WRITTEN, "turn asked refines first", "turn asked expands first", &["dialogue piling"]),
        (WRITTEN, "list from lines", "list from sentences", &["dialogue listed"]),
        (WRITTEN, " after there tag count_of", " after there", &["dialogue listed"]),
        (WRITTEN, "expect 0.25 ", "expect 0.5 ", &["dialogue listed"]),
        (WRITTEN, "  void   \"repeats itself\"\n", "", &["dialogue listed"]),
        (
            WRITTEN,
            "up to 2 rounds with feedback\n  variant",
            "up to 3 rounds with feedback\n  variant",
            &["dialogue listed"],
        ),
        (WRITTEN, "feedback as fresh", "feedback as chat", &["dialogue listed"]),
        (WRITTEN, "reply % 2 == 0", "reply % 3 == 0", &["dialogue alternating"]),
        (
            WRITTEN,
            "dialogue alternating",
            "dialogue alternates",
            &["dialogue alternates", "dialogue alternating"],
        ),
    ];
    let known: Vec<(&str, Plan)> = [TALK, WRITTEN].map(|text| (text, plan(text))).into();
    let mut hashes: BTreeSet<String> = known.iter().map(|(_, plan)| plan.hash()).collect();
    let mut wrong = Vec::new();
    for (before, from, to, reached) in table {
        let (_, plain) = known.iter().find(|(text, _)| text == before).unwrap();
        let other = match tried(&edited(before, from, to), &[]) {
            Ok(other) => other,
            Err(found) => {
                wrong.push(format!("`{from}`: {found:?}"));
                continue;
            }
        };
        let found = differing(&plain.definition(), &other.definition());
        if found != *reached {
            wrong.push(format!("`{from}` reaches {found:?}"));
        }
        if !hashes.insert(other.hash()) {
            wrong.push(format!("`{from}` has the hash of another program"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (file, from, to, reached) in [
        ("topics.jsonl", "gutter", "puddle", "bank topics"),
        ("trips.jsonl", "\"nights\":3", "\"nights\":4", "bank trips"),
        ("words/open.j2", "", "Well. ", "dialogue talk"),
    ] {
        let content = FILES.iter().find(|(name, _)| *name == file).unwrap().1;
        let (_, plain) = &known[usize::from(file == "trips.jsonl")];
        let text = known[usize::from(file == "trips.jsonl")].0;
        let other = plan_with(text, &[(file, &content.replacen(from, to, 1))]);
        assert_eq!(differing(&plain.definition(), &other.definition()), [reached], "{file}");
        assert!(hashes.insert(other.hash()));
    }
}

/// The first dialogue is the default one.
#[test]
fn plan_graph_with_one_dialogue() {
    let text = "ifs 1\ndialogue a { turn one { ask \"One?\" } }\ndialogue b { turn two { ask \"Two?\" } }\n";
    let other = "ifs 1\ndialogue b { turn two { ask \"Two?\" } }\ndialogue a { turn one { ask \"One?\" } }\n";
    let (one, other) = (plan(text).definition(), plan(other).definition());
    assert_eq!(differing(&one, &other), [""; 0]);
    assert_ne!(one.digest(), other.digest());
}
