//! Voices are varied and distinct, and no change goes unmentioned.

use std::collections::BTreeSet;

use super::*;
use crate::{Drawer, Seed};
use ifs_base::world::FolderWorld;

type Voices = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The lists of a voice: the minimum number of phrases, and their placeholders.
const LISTS: [(&str, usize, &str); 10] = [
    ("hello", 5, ""),
    ("new", 6, ""),
    ("more", 8, "ANGLE"),
    ("again", 12, ""),
    ("back", 6, "TOPIC"),
    ("still", 3, ""),
    ("first", 5, "SAY"),
    ("add", 7, "SAY"),
    ("change", 6, "SAY"),
    ("drop", 5, "SAY"),
];

const STYLES: &str = include_str!("../../../../scenarios/evolif/banks/styles.jsonl");

fn voices() -> Voices {
    serde_json::from_str(VOICES).unwrap()
}

fn plan() -> Plan {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/evolif");
    let world = FolderWorld::new(std::path::Path::new(root)).unwrap();
    ifs_plan::build(ifs_model::check(&world, "evolif.ifs").model.unwrap())
}

#[test]
fn every_voice_has_every_list() {
    for (voice, lists) in voices() {
        let have: BTreeSet<&str> = lists.keys().map(String::as_str).collect();
        assert_eq!(have, LISTS.iter().map(|(name, _, _)| *name).collect(), "{voice}");
        for (name, least, open) in LISTS {
            let phrases = &lists[name];
            let different: BTreeSet<&String> = phrases.iter().collect();
            assert!(different.len() >= least, "{voice} {name}: {}", different.len());
            assert_eq!(different.len(), phrases.len(), "{voice} {name}: one comes twice");
            for phrase in phrases {
                for place in ["SAY", "ANGLE", "TOPIC"] {
                    let times = phrase.matches(place).count();
                    assert_eq!(times, usize::from(place == open), "{voice} {name}: {phrase}");
                }
                assert_eq!(phrase.trim(), phrase, "{voice} {name}");
            }
        }
    }
}

#[test]
fn every_style_has_a_voice() {
    let voices = voices();
    for line in STYLES.lines() {
        let style: Value = serde_json::from_str(line).unwrap();
        let voice = style.field("voice").and_then(Value::as_str).unwrap();
        assert!(voices.contains_key(voice), "{voice}");
    }
}

fn bullets(n: i64) -> Arc<Active> {
    let constraint = "countable_items.bullets".to_owned();
    Arc::new(Active {
        constraint,
        args: vec![("n".to_owned(), Value::Int(n))],
        since: 1,
        ..Active::default()
    })
}

fn words_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The parts of a user message that are neither from the topic nor from the constraint.
fn own_words(ask: &str, of_others: &[String]) -> BTreeSet<String> {
    let mut ask = ask.to_lowercase();
    for words in of_others {
        ask = ask.replace(&words.to_lowercase(), " ");
    }
    words_of(&ask)
}

#[test]
fn voices_differ_in_wording() {
    let plan = plan();
    let words = MessageTemplates::new(&plan, &BTreeMap::new(), HeldWords::default()).unwrap();
    let topic: Value = serde_json::from_str(
        r#"{"name": "tides", "request": "Why do tides turn?", "angles": ["neap tides", "bays"]}"#,
    )
    .unwrap();
    let voices: Vec<String> = voices().into_keys().collect();
    assert_eq!(voices.len(), 12);
    let add = InstructionChange { change: Change::Add, after: Some(bullets(3)), before: None };
    let modify = InstructionChange {
        change: Change::Modify,
        after: Some(bullets(4)),
        before: Some(bullets(3)),
    };
    let drop = InstructionChange { change: Change::Drop, after: None, before: Some(bullets(3)) };
    let shapes = [
        (Move::New, 1, 1, &add),
        (Move::Stay, 2, 2, &modify),
        (Move::Stay, 3, 3, &add),
        (Move::Stay, 4, 4, &drop),
        (Move::New, 9, 1, &add),
        (Move::Backtrack, 13, 5, &modify),
    ];
    let active_constraints = [bullets(3)];
    for (transition, turn, topic_turns, changed) in shapes {
        for roll in 0..8 {
            let dice = mix(roll);
            let mut asks: Vec<(String, BTreeSet<String>)> = Vec::new();
            for voice in &voices {
                let style =
                    Value::record([("name", Value::text("x")), ("voice", Value::text(voice))]);
                let turn = MessageInput {
                    written: None,
                    transition,
                    turn,
                    topic: &topic,
                    topic_turns,
                    style: &style,
                    changes: std::slice::from_ref(changed),
                    active_constraints: &active_constraints,
                    again: &[],
                    dice,
                    dialogue_dice: mix(roll + 100),
                };
                let ask = words.word(&turn).unwrap();
                assert!(!ask.contains("  "), "{ask}");
                let changed = words.changed(changed, &turn).unwrap();
                let mut others: Vec<String> = ["modify", "say", "withdraw"]
                    .iter()
                    .filter_map(|kind| changed.field(kind)?.as_str().map(str::to_owned))
                    .collect();
                others.extend(["Why do tides turn?", "neap tides", "bays"].map(str::to_owned));
                let own = own_words(&ask, &others);
                asks.push((ask, own));
            }
            for (at, (ask, own)) in asks.iter().enumerate() {
                for (other_ask, other) in &asks[..at] {
                    assert_ne!(ask, other_ask);
                    let shared = own.intersection(other).count();
                    let all = own.union(other).count();
                    assert!(shared * 2 < all.max(1), "too alike:\n{ask}\n{other_ask}");
                }
            }
        }
    }
}

/// Turns without a style, without aspects, with no changes or many.
#[test]
fn turns_without_ask_have_messages() {
    let plan = plan();
    let words = MessageTemplates::new(&plan, &BTreeMap::new(), HeldWords::default()).unwrap();
    let topic: Value = serde_json::from_str(r#"{"name": "tides", "request": "Why?"}"#).unwrap();
    let add = InstructionChange { change: Change::Add, after: Some(bullets(3)), before: None };
    let drop = InstructionChange { change: Change::Drop, after: None, before: Some(bullets(9)) };
    for transition in [Move::New, Move::Stay, Move::Backtrack] {
        for (many, dice) in (0..5).flat_map(|many| (0..5).map(move |dice| (many, mix(dice)))) {
            let mut changes = vec![add.clone(); many];
            changes.extend((many > 2).then(|| drop.clone()));
            let ask = words
                .word(&MessageInput {
                    written: None,
                    transition,
                    turn: 6,
                    topic: &topic,
                    topic_turns: 2,
                    style: &Value::Nothing,
                    changes: &changes,
                    active_constraints: &[],
                    again: &[],
                    dice,
                    dialogue_dice: 1,
                })
                .unwrap();
            assert!(!ask.is_empty() && !ask.contains("  "), "{ask}");
            assert_eq!(ask.matches(" 3 bullet").count(), many, "{ask}");
        }
    }
}

#[test]
fn every_change_is_stated() {
    let plan = plan();
    let drawer = Drawer::new(&plan, &plan.model.dialogues[0].name).unwrap();
    let words = drawer.words();
    let said = |ask: &str, kind: &str, active: &Active, old: Option<&Active>| {
        let args = active.args.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let mut fields: TemplateFields<'_> = args.collect();
        if let Some(old) = old {
            fields.push(("old", Value::record(old.args.clone())));
        }
        let have = &words.sentences[&active.constraint];
        // In one of the scenario's own forms.
        let forms: &[DemandForm] = match kind {
            "say" => &[DemandForm::Do, DemandForm::Note],
            "change" => &[DemandForm::Redo],
            _ => &[DemandForm::Undo],
        };
        let found = forms.iter().flat_map(|form| &have.own[*form as usize]).any(|template| {
            let phrase = words.templates.render_template(template, fields.clone()).unwrap();
            let mut rest = phrase.chars();
            rest.next();
            ask.contains(rest.as_str())
        });
        assert!(found, "{kind} {}: {ask}", active.constraint);
    };
    let mut turns = 0;
    for index in 0..10 {
        for turn in drawer.script(Seed(7), index).take(20) {
            let turn = turn.unwrap();
            turns += 1;
            for changed in &turn.changes {
                match (&changed.after, &changed.before) {
                    (Some(after), None) => said(&turn.ask, "say", after, None),
                    (None, Some(before)) => said(&turn.ask, "withdraw", before, None),
                    (Some(after), Some(before)) if after.constraint == before.constraint => {
                        said(&turn.ask, "change", after, Some(before));
                    }
                    (Some(after), Some(before)) => {
                        said(&turn.ask, "withdraw", before, None);
                        said(&turn.ask, "say", after, None);
                    }
                    (None, None) => {}
                }
            }
        }
    }
    assert_eq!(turns, 200);
}
