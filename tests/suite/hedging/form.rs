//! Scenarios whose responses are read for their form by rules, and for the rest by judges:
//! responses that say nothing, that say everything twice, that are someone else's, or that keep to
//! what held before.

use std::path::Path;

use ifs::judge::{
    AggregatedVote, EarlierExchange, Exchange, JudgeOptions, JudgePrompts, Note, TurnHistory,
    VerdictRecord, evaluate_constraints, items as asked, without_text,
};
use ifs::model::check;
use ifs::model::table::TestCase;
use ifs::plan::Plan;
use ifs::proof::{Proof, prove};
use ifs::score::{NoText, Outcome};
use ifs::script::{Active, CriterionKind, ScriptTurn};
use ifs::testing::run_tests;
use ifs::world::FolderWorld;

use super::{plan, turns};

/// Responses without a word.
const WORDLESS: [&str; 6] = ["", " \n ", "---", "…", "```\n```", "***"];

/// Responses that have nothing to do with any message.
const OFF: [&str; 3] = [
    "Hello there, do something nice.",
    "I am sorry, but I cannot help with that.",
    "我很抱歉，这个我做不到。",
];

/// No rule of the library holds for a response without words. The released readings do what the
/// released programs do.
#[test]
fn no_library_rule_holds_of_blank_responses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/std");
    let world = FolderWorld::new(&folder).unwrap();
    for module in ["evolif", "ifbench", "ifeval", "meeseeks", "mmmt"] {
        let checked = check(&world, &format!("{module}.ifs"));
        let mut model = checked.model.expect("a module without mistakes");
        model.tests.retain(|test| !test.constraint.ends_with("_as_released"));
        for test in &mut model.tests {
            let like = test.cases[0].clone();
            let nothing = |answer: &&str| TestCase {
                answer: (*answer).to_owned(),
                pass: false,
                ..like.clone()
            };
            test.cases = WORDLESS.iter().map(nothing).collect();
        }
        let results = run_tests(&model);
        assert!(results.len() > 40, "{module}: {}", results.len());
        let held = results.iter().filter(|one| !one.is_good());
        let held: Vec<String> =
            held.map(|one| format!("{} {:?}", one.constraint, one.answer)).collect();
        assert!(held.is_empty(), "{module}: {held:#?}");
    }
}

/// All verdicts on a response, with judges that give one answer to everything.
fn verdicts(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    answer: &str,
    judges: Outcome,
) -> Vec<VerdictRecord> {
    // Parts that models extract are in the layout of simulated models.
    let note = Note::default();
    let exchange =
        Exchange { dialogue, turn, answer, note: Some(&note), replies: &[], extracted: &[] };
    if let Some(why) = NoText::from_text(answer) {
        return without_text(plan, &exchange, &why);
    }
    let keys = turn.active_constraints.iter().map(|active| active.constraint.clone());
    let keys = keys.chain(turn.criteria.iter().map(ifs::script::Criterion::key));
    let aggregated = keys.map(|name| AggregatedVote {
        name,
        outcome: judges,
        votes: Vec::new(),
        why: None,
        simulated: true,
    });
    evaluate_constraints(plan, &exchange, &aggregated.collect::<Vec<_>>())
}

fn all_held(verdicts: &[VerdictRecord]) -> bool {
    verdicts.iter().all(|one| one.outcome == Outcome::Held)
}

fn held(verdicts: &[VerdictRecord]) -> Vec<String> {
    verdicts.iter().filter(|one| one.outcome == Outcome::Held).map(VerdictRecord::key).collect()
}

/// A text that meets all rules of a turn.
fn witness(plan: &Plan, dialogue: &str, turn: &ScriptTurn) -> String {
    match prove(plan, dialogue, turn, &[]) {
        Proof::Witness(text) => text,
        Proof::Nothing => panic!("turn {}: no rule is active", turn.turn),
        Proof::Missing(names) => panic!("turn {}: nothing meets {names:?}", turn.turn),
    }
}

/// An item of Meeseeks whose rules come after what judges look at: even where judges find no fault
/// with anything, what is not an answer to this item misses a rule; where judges see what it is,
/// nothing at all holds of it. Text around an item is for judges to find: parts are cut out of it.
fn items(variant: &str, indices: &[u64]) {
    let plain = plan("meeseeks/meeseeks.ifs");
    let plan = if variant.is_empty() { plain } else { plain.varied("item", variant).unwrap() };
    let mut faults = Vec::new();
    let mut another = String::new();
    for index in indices {
        let turns = turns(&plan, "item", *index);
        let turn = &turns[0];
        let read = |text: &str, judges| verdicts(&plan, "item", turn, text, judges);
        let right = witness(&plan, "item", turn);
        let mut fault = |what: &str, text: &str, holds: Vec<String>| {
            let text: String = text.chars().take(200).collect();
            faults.push(format!("{index}, {what}, holds {holds:?}: {text:?} for {:?}", turn.ask));
        };
        if !all_held(&read(&right, Outcome::Held)) {
            fault("a right answer does not pass", &right, Vec::new());
        }
        let mut off: Vec<&str> = [&WORDLESS[..], &OFF[..]].concat();
        off.push(&turn.ask);
        let conversation = format!("{}\n\n{another}\n\n{}", turn.ask, turn.ask);
        off.push(&conversation);
        for text in off {
            let verdicts = read(text, Outcome::Missed);
            if !held(&verdicts).is_empty() {
                fault("off the subject", text, held(&verdicts));
            }
            let verdicts = read(text, Outcome::Held);
            if all_held(&verdicts) {
                fault("off the subject, and judges say yes", text, held(&verdicts));
            }
        }
        let lines: Vec<&str> = right.lines().collect();
        let mut wrong = vec![
            ("twice", format!("{right}\n{right}")),
            ("twice, in two paragraphs", format!("{right}\n\n{right}")),
            ("another item's answer", another.clone()),
        ];
        if lines.len() > 1 {
            wrong.push(("without its first line", lines[1..].join("\n")));
            wrong.push(("without its last line", lines[..lines.len() - 1].join("\n")));
        }
        for (what, text) in wrong {
            let verdicts = read(&text, Outcome::Held);
            if !another.is_empty() && all_held(&verdicts) {
                fault(what, &text, held(&verdicts));
            }
        }
        another = right;
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn items_in_english_and_chinese() {
    items("", &[1, 9, 15, 17, 18, 26, 51, 53]);
}

#[test]
fn other_items() {
    items("b", &[1, 3, 19]);
}

/// Rules that an answer to the value before may meet too: bounds, and words that may also occur.
fn is_bound(name: &str) -> bool {
    ["_under", "_over", "include", "exclude", "forbidden.", "existence.", "share_of"]
        .iter()
        .any(|part| name.contains(part))
}

/// Whether a rule looks at the beginning, or at the end.
fn looks_at(name: &str) -> (bool, bool) {
    (name.contains("first") || name.contains("startwith"), name.contains("last"))
}

/// After a change of an instruction, the earlier response misses it, and so do both together.
#[test]
fn values_before_a_change() {
    let plan = plan("evolif/evolif.ifs");
    let (mut tried, mut faults) = (0, Vec::new());
    for index in 0..6 {
        let turns = turns(&plan, "evolving", index);
        for pair in turns[..turns.len().min(14)].windows(2) {
            let [before, turn] = pair else { continue };
            let changed = turn.changes.iter().find_map(|one| {
                let (old, new) = (one.before.as_ref()?, one.after.as_ref()?);
                (old.constraint == new.constraint && before.topic == turn.topic)
                    .then(|| (old.clone(), new.clone()))
            });
            let Some((old, new)) = changed else { continue };
            let is_active = |turn: &ScriptTurn, one: &Active| {
                turn.active_constraints.iter().any(|active| active.as_ref() == one)
            };
            if is_bound(&new.constraint) || !is_active(before, &old) {
                continue;
            }
            let (kept, right) =
                (witness(&plan, "evolving", before), witness(&plan, "evolving", turn));
            let misses = |text: &str| {
                let verdicts = verdicts(&plan, "evolving", turn, text, Outcome::Missed);
                verdicts
                    .iter()
                    .any(|one| one.constraint == new.constraint && one.outcome == Outcome::Missed)
            };
            let (at_start, at_end) = looks_at(&new.constraint);
            let mut wrong = vec![kept.clone()];
            if !at_end {
                wrong.push(format!("{kept}\n\n{right}"));
            }
            if !at_start {
                wrong.push(format!("{right}\n\n{kept}"));
            }
            for text in wrong {
                tried += 1;
                if !misses(&text) {
                    let text: String = text.chars().take(160).collect();
                    faults.push(format!("{index} turn {} {:?}: {text:?}", turn.turn, new));
                }
            }
        }
    }
    assert!(tried >= 10, "{tried}");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Responses without words satisfy nothing, in the scenarios with instructions about form only.
#[test]
fn empty_responses_follow_nothing() {
    for (path, dialogue) in [("evolif/evolif.ifs", "evolving"), ("mmmt/mmmt.ifs", "album")] {
        let plan = plan(path);
        let mut tried = 0;
        for index in 0..3 {
            for turn in turns(&plan, dialogue, index).iter().take(12) {
                for text in WORDLESS {
                    let mut verdicts = verdicts(&plan, dialogue, turn, text, Outcome::Missed);
                    // Nothing is invented in an empty response, which earns nothing by it.
                    verdicts.retain(|one| one.kind != Some(CriterionKind::Void));
                    tried += verdicts.len();
                    assert_eq!(held(&verdicts), Vec::<String>::new(), "{path} {text:?}");
                }
            }
        }
        assert!(tried > 100, "{path}: {tried}");
    }
}

/// If judges decide everything, nothing holds before they are asked or after they say no.
#[test]
fn judged_dialogues_name_the_response() {
    let judged = [
        ("structflowbench/structflowbench.ifs", "structured"),
        ("structflowbench/structflowbench.ifs", "wandering"),
        ("structflowbench/published.ifs", "published"),
        ("structflowbench/quality.ifs", "quality"),
    ];
    for (path, dialogue) in judged {
        let plan = plan(path);
        for index in 0..2 {
            for turn in turns(&plan, dialogue, index) {
                let everything = format!("{}\n{}", turn.ask, turn.golden.as_deref().unwrap_or(""));
                for text in WORDLESS.iter().chain(&OFF).chain([&everything.as_str()]) {
                    let note = Note::default();
                    let exchange = Exchange {
                        dialogue,
                        turn: &turn,
                        answer: text,
                        note: Some(&note),
                        replies: &[],
                        extracted: &[],
                    };
                    let unasked = evaluate_constraints(&plan, &exchange, &[]);
                    assert!(!unasked.is_empty(), "{path} {}", turn.turn);
                    assert!(held(&unasked).is_empty(), "{path} {text:?} {unasked:?}");
                    let denied = verdicts(&plan, dialogue, &turn, text, Outcome::Missed);
                    assert!(held(&denied).is_empty(), "{path} {text:?} {denied:?}");
                }
            }
        }
    }
}

/// A judge sees the system message, what was said on the turns before and on those that a relation
/// goes back to, the message, the response and each question, and not the answer that is written
/// for the history.
#[test]
fn judges_see_what_they_need() {
    let judged = [
        ("structflowbench/structflowbench.ifs", "structured"),
        ("structflowbench/structflowbench.ifs", "wandering"),
        ("structflowbench/published.ifs", "published"),
    ];
    for (path, dialogue) in judged {
        let plan = plan(path);
        let prompts = JudgePrompts::new(&plan).unwrap();
        let turns = turns(&plan, dialogue, 0);
        let system = turns[0].system.as_deref().unwrap_or_default();
        let replies: Vec<String> =
            turns.iter().map(|turn| format!("This is response {}.", turn.turn)).collect();
        for (at, turn) in turns.iter().enumerate() {
            let exchange = Exchange {
                dialogue,
                turn,
                answer: &replies[at],
                note: None,
                replies: &replies[..at],
                extracted: &[],
            };
            let earlier: Vec<EarlierExchange<'_>> = turns[..at]
                .iter()
                .zip(&replies)
                .map(|(turn, answer)| EarlierExchange {
                    turn: turn.turn,
                    ask: &turn.ask,
                    show: &turn.show,
                    answer,
                })
                .collect();
            let before = TurnHistory { system: turns[0].system.as_deref(), earlier: &earlier };
            let manner = JudgeOptions { apart: false, history: Some(3), pictures: false };
            let asked = asked(&plan, &exchange, &[]);
            let sent = prompts.ask(&asked, &exchange, before, manner).unwrap();
            let all: String =
                sent.iter().map(|one| one.user.as_str()).collect::<Vec<_>>().join("\n");
            let place = format!("{path} turn {}\n{all}", turn.turn);
            assert!(system.is_empty() || all.contains(system.trim()), "{place}");
            assert!(all.contains(&turn.ask) && all.contains(&replies[at]), "{place}");
            let related = turn.relations.iter().flat_map(|one| &one.to);
            let shown = related.map(|to| *to as usize - 1).chain(at.saturating_sub(3)..at);
            for other in shown {
                let said = all.contains(&turns[other].ask) && all.contains(&replies[other]);
                assert!(said, "turn {} in {place}", other + 1);
            }
            let judged = turn.criteria.iter().filter_map(|one| match &one.by {
                ifs::model::table::DecidedBy::Judge(question) => Some(question.text.trim()),
                ifs::model::table::DecidedBy::Rule(_) => None,
            });
            for question in judged {
                assert!(all.contains(question), "{question:?} in {place}");
            }
            assert_eq!(asked.len(), turn.active_constraints.len() + turn.criteria.len(), "{place}");
            assert!(turn.golden.as_ref().is_none_or(|golden| !all.contains(golden)), "{place}");
        }
    }
}
