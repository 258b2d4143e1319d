//! Drawing: what determines a script, what does not change it, and properties of all scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ifs::model::check;
use ifs::model::table::{Change, Move};
use ifs::plan::{Plan, build};
use ifs::predicate::value::Value;
use ifs::script::{Active, Drawer, ScriptState, ScriptTurn, Seed};
use ifs::world::{FolderWorld, MemoryWorld};

const TALK: &str = include_str!("../script/talk.ifs");
const TOPICS: &str = include_str!("../script/topics.jsonl");
const WORDS: [(&str, &str); 4] = [
    ("words/open.j2", include_str!("../script/words/open.j2")),
    ("words/continue.j2", include_str!("../script/words/continue.j2")),
    ("words/return.j2", include_str!("../script/words/return.j2")),
    ("words/changes.j2", include_str!("../script/words/changes.j2")),
];

#[track_caller]
fn plan(text: &str, topics: &str) -> Plan {
    let files = [("talk.ifs", text), ("topics.jsonl", topics)];
    let checked = check(&MemoryWorld::new(files.into_iter().chain(WORDS)), "talk.ifs");
    let reported: Vec<&String> =
        checked.diagnostics.list.iter().map(|reported| &reported.message).collect();
    build(checked.model.unwrap_or_else(|| panic!("{reported:?}")))
}

fn turns(plan: &Plan, seed: u64, index: u64) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, "talk").unwrap();
    drawer.script(Seed(seed), index).map(Result::unwrap).collect()
}

fn bytes(plan: &Plan, seed: u64, index: u64) -> String {
    serde_json::to_string(&turns(plan, seed, index)).unwrap()
}

/// The scenario with a part of it replaced.
#[track_caller]
fn with(from: &str, to: &str) -> String {
    assert!(TALK.contains(from), "`{from}` is not in the program");
    TALK.replacen(from, to, 1)
}

#[test]
fn seed_and_index_fix_a_script() {
    let plan = plan(TALK, TOPICS);
    let first = bytes(&plan, 1, 0);
    assert_eq!(bytes(&plan, 1, 0), first);
    assert_eq!(turns(&plan, 1, 0).len(), 40);
    let others: BTreeSet<String> =
        [(1, 1), (2, 0), (2, 1), (u64::MAX, 0), (1, u64::MAX), (0, 0), (0, 1)]
            .map(|(seed, index)| bytes(&plan, seed, index))
            .into();
    assert!(others.len() == 7 && !others.contains(&first));
}

/// A plan that was serialized and parsed draws the same.
#[test]
fn deserialized_plans_draw_the_same() {
    let plan = plan(TALK, TOPICS);
    let read = Plan::from_json(&plan.to_json()).unwrap();
    assert_eq!(read.hash(), plan.hash());
    for index in 0..5 {
        assert_eq!(bytes(&read, 3, index), bytes(&plan, 3, index));
    }
}

#[test]
fn comments_and_layout_change_nothing() {
    let plain = plan(TALK, TOPICS);
    for text in [
        with("group case", "// how it is written\ngroup case"),
        with("group case", "/// How it is written.\ngroup case"),
        with("  scope topic unsaid\n", "\n\n     scope     topic  unsaid // for now\n"),
        TALK.replace('\n', "\r\n"),
        format!("\u{feff}{TALK}"),
    ] {
        let other = plan(&text, TOPICS);
        assert_eq!(other.hash(), plain.hash());
        assert_eq!(bytes(&other, 1, 0), bytes(&plain, 1, 0));
    }
}

#[test]
fn another_definition_has_another_hash() {
    let plain = plan(TALK, TOPICS).hash();
    for text in [
        with("Capitals only.", "Only capitals."),
        with("has_no_lower", "has_no_upper"),
        with("20..=90", "20..=95"),
        with("60%", "61%"),
        with("patience 3", "patience 2"),
        with("70%", "60%").replacen("30%", "40%", 1),
        with("mask forbidden.words.terms against required.words.wants\n", ""),
    ] {
        assert_ne!(plan(&text, TOPICS).hash(), plain);
    }
    assert_ne!(plan(TALK, &TOPICS.replace("gutter", "puddle")).hash(), plain);
}

#[test]
fn fast_forward_and_resume_agree_with_drawing_through() {
    let plan = plan(TALK, TOPICS);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    for index in 0..3 {
        let through = turns(&plan, 7, index);
        let mut script = drawer.script(Seed(7), index);
        for at in 0..=through.len() {
            let mut skipped = drawer.script(Seed(7), index);
            skipped.skip_to(at as u32 + 1).unwrap();
            let rest: Vec<ScriptTurn> = skipped.map(Result::unwrap).collect();
            assert_eq!(rest, through[at..], "skipped to turn {}", at + 1);

            let kept = serde_json::to_string(script.state()).unwrap();
            let state: ScriptState = serde_json::from_str(&kept).unwrap();
            let resumed = drawer.resume(Seed(7), index, state);
            let rest: Vec<ScriptTurn> = resumed.map(Result::unwrap).collect();
            assert_eq!(rest, through[at..], "resumed after turn {at}");
            assert_eq!(script.next().map(Result::unwrap).as_ref(), through.get(at));
        }
    }
}

/// Messages are written last: they do not affect draws.
#[test]
fn scripts_without_messages_are_otherwise_equal() {
    let plan = plan(TALK, TOPICS);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let plain: Vec<ScriptTurn> = drawer.script(Seed(5), 2).plain().map(Result::unwrap).collect();
    let worded =
        turns(&plan, 5, 2).into_iter().map(|turn| ScriptTurn { ask: String::new(), ..turn });
    assert!(plain.into_iter().eq(worded));
}

/// The first turns in which the dialogues of two scenarios differ, as the second draws them; and
/// the number of equal dialogues.
fn first_differences(one: &Plan, other: &Plan) -> (Vec<ScriptTurn>, usize) {
    let (mut differences, mut same) = (Vec::new(), 0);
    let (one, other) = (Drawer::new(one, "talk").unwrap(), Drawer::new(other, "talk").unwrap());
    for index in 0..60 {
        let draw = |drawer: &Drawer<'_>| -> Vec<ScriptTurn> {
            drawer.script(Seed(11), index).plain().map(Result::unwrap).collect()
        };
        let (before, after) = (draw(&one), draw(&other));
        let differing = before.into_iter().zip(after).find(|(before, after)| before != after);
        match differing {
            Some((_, after)) => differences.push(after),
            None => same += 1,
        }
    }
    (differences, same)
}

#[test]
fn a_new_topic_changes_nothing_until_it_is_drawn() {
    let topic = "{\"name\": \"salt\", \"request\": \"Where does salt come from?\", \"keywords\": [\"sea\", \"mine\", \"grain\", \"crystal\"]}\n";
    let few = plan(TALK, TOPICS);
    // Its position in the file does not matter either.
    let (first, rest) = TOPICS.split_once('\n').unwrap();
    for topics in [format!("{TOPICS}{topic}"), format!("{first}\n{topic}{rest}")] {
        let (differences, same) = first_differences(&few, &plan(TALK, &topics));
        assert!(same >= 5 && differences.len() >= 5, "{same} of 60 are the same");
        for turn in differences {
            assert_eq!((turn.transition.word(), turn.topic.as_str()), ("new", "salt"));
        }
    }
}

#[test]
fn a_new_group_changes_nothing_until_it_is_drawn() {
    let group = "group pace {\n  constraint slow {\n    say   \"Slowly.\"\n    check count(sentence) > 2\n  }\n}\n\n";
    let more = with("group tone", &format!("{group}group tone"));
    let (differences, same) = first_differences(&plan(TALK, TOPICS), &plan(&more, TOPICS));
    assert!(differences.len() >= 30 && same < 30);
    for turn in differences {
        let after = turn.changes.iter().find_map(|changed| changed.after.as_ref());
        assert_eq!(after.map(|after| after.constraint.as_str()), Some("pace.slow"), "{turn:?}");
    }
}

#[test]
fn a_new_constraint_changes_nothing_until_it_is_drawn() {
    let more = with(
        "  constraint lower {",
        "  constraint none {\n    say   \"No letters.\"\n    check count(letter) == 0\n  }\n  constraint lower {",
    );
    let (differences, same) = first_differences(&plan(TALK, TOPICS), &plan(&more, TOPICS));
    assert!(same >= 1 && !differences.is_empty());
    for turn in differences {
        let after = turn.changes.iter().find_map(|changed| changed.after.as_ref());
        assert_eq!(after.map(|after| after.constraint.as_str()), Some("case.none"), "{turn:?}");
    }
}

#[test]
fn unused_definitions_change_nothing() {
    let plain = plan(TALK, TOPICS);
    let mut other = "dialogue other {\n  topic from topics\n  start with 1 constraint\n".to_owned();
    other.push_str("  flow { stay at least 2 turns  switch 50% { new 50%  backtrack 50% } }\n");
    other.push_str("  evolve one per turn { add 50%  drop 50% }\n  end when turns >= 9\n}\n");
    for text in
        [with("import topics", &format!("{other}\nimport topics")), format!("{TALK}\n{other}")]
    {
        let (differences, same) = first_differences(&plain, &plan(&text, TOPICS));
        assert_eq!((differences.len(), same), (0, 60));
    }
    let start = TALK.find("group tone").unwrap();
    let end = TALK.find("group share").unwrap();
    let moved = format!("{}{}\n{}", &TALK[..start], &TALK[end..], &TALK[start..end]);
    let (differences, _) = first_differences(&plain, &plan(&moved, TOPICS));
    assert_eq!(differences, [], "the order of groups is drawn from");
}

/// Single texts in an argument: members, and members with what goes with them.
fn words(active: &Active) -> Vec<&str> {
    fn collect<'v>(value: &'v Value, words: &mut Vec<&'v str>) {
        match value {
            Value::Text(text) => words.push(text),
            Value::List(members) => members.iter().for_each(|member| collect(member, words)),
            Value::Record(_) => {
                value.field("value").into_iter().for_each(|value| collect(value, words))
            }
            _ => {}
        }
    }
    let mut words = Vec::new();
    active.args.iter().for_each(|(_, value)| collect(value, &mut words));
    words
}

/// Properties of 20,000 turns of EvolIF.
#[test]
fn properties_of_drawn_dialogues() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/evolif");
    let checked = check(&FolderWorld::new(&folder).unwrap(), "evolif.ifs");
    let plan = build(checked.model.unwrap());
    let drawer = Drawer::new(&plan, "evolving").unwrap();
    let limits: BTreeMap<&str, usize> = plan
        .model
        .groups
        .iter()
        .map(|group| (group.name.as_str(), group.constraints.len()))
        .collect();
    for index in 0..400 {
        let mut topics: BTreeMap<String, Vec<Arc<Active>>> = BTreeMap::new();
        let (mut topic, mut stayed) = (String::new(), 0);
        for turn in drawer.script(Seed(99), index).plain().take(50) {
            let turn = turn.unwrap();
            let place = format!("dialogue {index} turn {}", turn.turn);
            let groups: BTreeSet<&str> =
                turn.active_constraints.iter().map(|active| active.group()).collect();
            assert_eq!(groups.len(), turn.active_constraints.len(), "{place}: two of a group");
            assert!(groups.iter().all(|group| limits.contains_key(group)), "{place}");

            match turn.transition.word() {
                "stay" => assert_eq!(turn.topic, topic, "{place}"),
                "new" => assert!(!topics.contains_key(&turn.topic), "{place}: an old topic"),
                "backtrack" => assert!(
                    turn.topic != topic && topics.contains_key(&turn.topic),
                    "{place}: back to nowhere"
                ),
                other => panic!("{place}: {other}"),
            }
            if turn.transition != Move::Stay {
                assert!(turn.turn == 1 || stayed >= 4, "{place}: left after {stayed} turns");
                stayed = 0;
            }
            stayed += 1;
            topic.clone_from(&turn.topic);

            // What was active on this topic, and one change.
            let mut expected = topics.remove(&topic).unwrap_or_default();
            let before = expected.len();
            let [changed] = turn.changes.as_slice() else { panic!("{place}: not one change") };
            if let Some(gone) = &changed.before {
                let at = expected.iter().position(|active| active == gone);
                expected.remove(at.unwrap_or_else(|| panic!("{place}: {gone:?} was not active")));
            }
            expected.extend(changed.after.clone());
            expected.sort_by(|one, other| one.constraint.cmp(&other.constraint));
            assert_eq!(turn.active_constraints, expected, "{place}");
            match changed.change {
                Change::Add => assert!(changed.before.is_none() && before < 12, "{place}"),
                Change::Drop => assert!(changed.after.is_none() && before > 1, "{place}"),
                Change::Modify => {
                    let (old, new) = (changed.before.as_ref(), changed.after.as_ref());
                    let (old, new) = (old.unwrap(), new.unwrap());
                    assert_eq!(old.group(), new.group(), "{place}");
                    assert!(
                        old.constraint != new.constraint || old.args != new.args,
                        "{place}: nothing modified"
                    );
                }
            }
            if let Some(after) = &changed.after {
                assert_eq!(after.since, turn.turn, "{place}");
            }

            let of = |names: &[&str]| -> Vec<&str> {
                let active_constraints = turn.active_constraints.iter();
                active_constraints
                    .filter(|one| names.contains(&&*one.constraint))
                    .flat_map(|one| words(one))
                    .collect()
            };
            let forbidden = of(&["forbidden.words"]);
            let needed =
                of(&["existence.required", "startwith.keyword_first", "endwith.keyword_last"]);
            for word in &needed {
                assert!(!forbidden.contains(word), "{place}: `{word}` is needed and forbidden");
            }
            topics.insert(topic.clone(), turn.active_constraints);
        }
    }
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script/talk.seed1.jsonl")
}

/// Byte for byte; `IFS_BLESS=1` writes it again.
#[test]
fn the_script_on_file() {
    let plan = plan(TALK, TOPICS);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let mut drawn = String::new();
    for index in 0..2 {
        for turn in drawer.script(Seed(1), index).take(8) {
            drawn.push_str(&serde_json::to_string(&turn.unwrap()).unwrap());
            drawn.push('\n');
        }
    }
    if std::env::var_os("IFS_BLESS").is_some() {
        std::fs::write(golden(), &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(golden()).unwrap_or_default();
    for (kept, drawn) in kept.lines().zip(drawn.lines()) {
        assert_eq!(kept, drawn, "the script of this edition changed");
    }
    assert_eq!(kept.len(), drawn.len());
}

/// A domain is narrowed to consistent values; if none is left, nothing is drawn.
#[test]
fn contradictory_constraints_are_not_drawn() {
    let program = r#"ifs 1
import topics "topics.jsonl"
constraint most(n: int in 10..=100 step 10) {
  say   "At most {{ n }} words."
  check count(word) <= n
}
constraint least(n: int in 10..=100 step 10) {
  say   "At least {{ n }} words."
  check count(word) >= n
}
constraint format(shape: one_of ["JSON", "text"]) {
  say   "As {{ shape }}."
  check if shape == "JSON" then is_json else not is_json
}
constraint listed {
  say   "Only as a list with bullets."
  check is_bullets
}
dialogue talk {
  topic from topics
  start with 2 constraints
  scope dialogue
  flow { stay at least 9 turns  switch 50% }
  evolve one per turn { add 50%  modify 40%  drop 10% }
  end when turns >= 200
}
"#;
    let plan = plan(program, TOPICS);
    let arg = |turn: &ScriptTurn, constraint: &str, name: &str| {
        let active =
            turn.active_constraints.iter().find(|active| active.constraint == constraint)?;
        active.arg(name).cloned()
    };
    let (mut both, mut close, mut listed) = (0, 0, 0);
    for index in 0..5 {
        for turn in turns(&plan, 1, index) {
            let most = arg(&turn, "most", "n").and_then(|n| n.as_int());
            let least = arg(&turn, "least", "n").and_then(|n| n.as_int());
            if let (Some(most), Some(least)) = (most, least) {
                both += 1;
                close += u32::from(most - least <= 20);
                assert!(least <= most, "{least}..{most} on turn {}", turn.turn);
            }
            let lists = turn.active_constraints.iter().any(|active| active.constraint == "listed");
            if let (Some(shape), true) = (arg(&turn, "format", "shape"), lists) {
                listed += 1;
                assert_eq!(shape, Value::text("text"));
            }
            assert_eq!(turn.tries, 1);
        }
    }
    assert!(both > 100 && close > 10 && listed > 100, "{both} {close} {listed}");
}

/// Three constraints that only together contradict: the changes are drawn again, and this is
/// recorded.
#[test]
fn a_contradictory_turn_is_drawn_again() {
    let program = r#"ifs 1
import topics "topics.jsonl"
group size {
  constraint long { say "Long." check count(sentence) >= 1 and every sentence: count(letter) >= 30 }
  constraint free { say "Free." check not contains("!") }
}
group amount {
  constraint three { say "Three." check count(sentence) >= 3 }
  constraint any { say "Any." check not contains("?") }
}
constraint tiny { say "Tiny." check count(letter) < 80 }
constraint soft { say "Soft." check has_no_upper }
dialogue talk {
  topic from topics
  start with 2 constraints
  scope dialogue
  flow { stay at least 9 turns  switch 50% }
  evolve one per turn { add 40%  modify 50%  drop 10% }
  end when turns >= 200
}
"#;
    let plan = plan(program, TOPICS);
    let all: Vec<ScriptTurn> = (0..5).flat_map(|index| turns(&plan, 1, index)).collect();
    let has = |turn: &ScriptTurn, name: &str| {
        turn.active_constraints.iter().any(|active| active.constraint == name)
    };
    assert!(all.iter().any(|turn| has(turn, "size.long") && has(turn, "amount.three")));
    assert!(all.iter().any(|turn| has(turn, "size.long") && has(turn, "tiny")));
    assert!(all.iter().any(|turn| turn.tries > 1));
    for turn in &all {
        let three = ["size.long", "amount.three", "tiny"].map(|name| has(turn, name));
        assert!(three != [true; 3], "turn {}", turn.turn);
        let proof = ifs::proof::prove(&plan, "talk", turn, &[]);
        match turn.active_constraints.is_empty() {
            true => assert_eq!(proof, ifs::proof::Proof::Nothing),
            false => assert!(proof.hash().is_some(), "{:?} {proof:?}", turn.active_constraints),
        }
    }
}

/// One of the named flows is drawn, by its share.
#[test]
fn flows_are_drawn_by_their_shares() {
    let program = |choices: &str| {
        format!(
            "ifs 1\nflow one {{ turn a {{ ask \"Name a river.\" }} }}\n\
             flow two {{ turn a {{ ask \"Name a colour.\" }}  turn b {{ ask \"Why?\" }} }}\n\
             flow three {{ turn a {{ ask \"A\" }}  turn b {{ ask \"B\" }}  turn c {{ ask \"C\" }} }}\n\
             dialogue talk {{ flow one_of [{choices}] }}\n"
        )
    };
    let lengths = |choices: &str| {
        let plan = plan(&program(choices), TOPICS);
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let mut lengths = BTreeMap::new();
        for index in 0..2000 {
            *lengths.entry(drawer.script(Seed(1), index).count()).or_insert(0) += 1;
        }
        lengths
    };
    // Four standard deviations of 2,000 draws are at most 90.
    let near = |count: Option<&u32>, share: f64| {
        (f64::from(count.copied().unwrap_or(0)) - 2000.0 * share).abs() < 90.0
    };
    let weighed = lengths("one 62.5%, two 32.5%, three 5%");
    for (length, share) in [(1, 0.625), (2, 0.325), (3, 0.05)] {
        assert!(near(weighed.get(&length), share), "{weighed:?}");
    }
    let equal = lengths("one, two, three");
    for length in 1..=3 {
        assert!(near(equal.get(&length), 1.0 / 3.0), "{equal:?}");
    }
    assert_eq!(lengths("one 0%, two 100%"), BTreeMap::from([(2, 2000)]));
}

/// A constraint's wording ends like a sentence, with a single full stop.
#[test]
fn sentences_of_constraints_end_once() {
    let program = |say: &str| {
        format!(
            "ifs 1\nconstraint one {{ say {say:?}  judge \"Is it so?\" }}\n\
             dialogue talk {{ turn a {{ ask \"Name a river.\"  impose 1 from one scope turn }} }}\n"
        )
    };
    for (say, said) in [
        ("No digits", "No digits."),
        ("No digits, please!", "No digits, please!"),
        ("End with \"That is all.\"", "End with \"That is all.\""),
        ("Leave out every \".\"", "Leave out every \".\"."),
        ("Use the word \"very\"", "Use the word \"very\"."),
    ] {
        let ask = turns(&plan(&program(say), TOPICS), 1, 0)[0].ask.clone();
        let said = format!("{}\n\nName a river.", &said[1..]);
        assert!(ask.ends_with(&said), "{ask}");
    }
}
