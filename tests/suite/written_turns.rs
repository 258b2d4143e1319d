//! Written turns: how they are drawn, run and repeated with feedback.

use std::collections::BTreeSet;
use std::process::Command;

use ifs::model::check;
use ifs::model::table::{DecidedBy, RelationKind};
use ifs::plan::{Plan, build};
use ifs::predicate::print::print;
use ifs::predicate::value::Value;
use ifs::run::Transcript;
use ifs::score::Outcome;
use ifs::script::{CriterionKind, Drawer, ScriptState, ScriptTurn, Seed, ShownContent};
use ifs::world::MemoryWorld;
use tempfile::TempDir;

const FILES: [(&str, &str); 3] = [
    ("main.ifs", include_str!("../script/written.ifs")),
    ("topics.jsonl", include_str!("../script/topics.jsonl")),
    ("trips.jsonl", include_str!("../script/trips.jsonl")),
];

fn plan() -> Plan {
    let checked = check(&MemoryWorld::new(FILES), "main.ifs");
    let reported: Vec<&String> =
        checked.diagnostics.list.iter().map(|reported| &reported.message).collect();
    build(checked.model.unwrap_or_else(|| panic!("{reported:?}")))
}

fn turns(plan: &Plan, dialogue: &str, index: u64) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, dialogue).unwrap();
    drawer.script(Seed(1), index).map(Result::unwrap).collect()
}

const DIALOGUES: [&str; 4] = ["shaped", "piling", "listed", "alternating"];

#[test]
fn scripts_do_not_depend_on_the_first_turn() {
    let plan = plan();
    let again = Plan::from_json(&plan.to_json()).unwrap();
    for dialogue in DIALOGUES {
        let drawer = Drawer::new(&plan, dialogue).unwrap();
        for index in 0..6 {
            let whole = turns(&plan, dialogue, index);
            assert!(!whole.is_empty());
            assert_eq!(turns(&again, dialogue, index), whole);
            for from in 1..=whole.len() {
                let mut script = drawer.script(Seed(1), index);
                script.skip_to(from as u32).unwrap();
                let state: ScriptState =
                    serde_json::from_str(&serde_json::to_string(script.state()).unwrap()).unwrap();
                let skipped: Vec<ScriptTurn> = script.map(Result::unwrap).collect();
                assert_eq!(skipped, whole[from - 1..], "{dialogue} {index} from {from}");
                let resumed = drawer.resume(Seed(1), index, state).map(Result::unwrap);
                assert_eq!(resumed.collect::<Vec<_>>(), whole[from - 1..]);
            }
        }
    }
}

#[test]
fn relations_name_earlier_turns() {
    let plan = plan();
    let all: Vec<Vec<ScriptTurn>> = (0..12).map(|index| turns(&plan, "shaped", index)).collect();
    let lengths: BTreeSet<usize> = all.iter().map(Vec::len).collect();
    assert_eq!(lengths, BTreeSet::from([2, 5]), "both flows are drawn");
    let long = all.iter().find(|turns| turns.len() == 5).unwrap();
    let third = &long[2];
    assert_eq!(third.name, "c3");
    let to: Vec<(RelationKind, &[u32])> =
        third.relations.iter().map(|relation| (relation.kind, &*relation.to)).collect();
    assert_eq!(to, [(RelationKind::Expands, &[2][..]), (RelationKind::Recalls, &[1])]);
    assert_eq!(long[3].relations[0].to, [1, 2, 3]);
    assert!(long[4].relations[0].to.is_empty());
    let judged: Vec<(&str, CriterionKind)> =
        third.criteria.iter().map(|it| (it.name.as_str(), it.kind)).collect();
    let kind = CriterionKind::Relation;
    assert_eq!(judged, [("expands 2", kind), ("recalls 1", kind)]);
    // One topic until it is changed, and all turns have messages.
    assert!(long[..4].iter().all(|turn| turn.topic == long[0].topic));
    assert_ne!(long[4].topic, long[0].topic);
    assert!(long.iter().all(|turn| !turn.ask.is_empty()));
    // Constraints for one turn end with it, and never contradict one another.
    for turn in all.iter().flatten() {
        assert!(
            (1..=2).contains(&turn.active_constraints.len())
                && turn.changes.len() == turn.active_constraints.len()
        );
        assert!(turn.active_constraints.iter().all(|active| active.since == turn.turn));
    }
}

#[test]
fn records_rotate_with_different_draws() {
    let plan = plan();
    let [first, second, again] = [0, 1, 2].map(|index| turns(&plan, "piling", index));
    let over = |turns: &[ScriptTurn]| turns[0].over.clone().unwrap();
    assert_eq!([&first, &second, &again].map(|turns| over(turns)), ["coast", "hills", "coast"]);
    assert_eq!([&first, &second, &again].map(Vec::len), [4, 3, 4]);
    assert_eq!(first[0].system.as_deref(), Some("You plan trips of 3 nights."));
    assert!(first[1..].iter().all(|turn| turn.system.is_none()));
    assert_eq!(
        first[0].show,
        ["Aber", "Bonn", "Cale"].map(|town| ShownContent::Text(town.to_owned()))
    );
    assert_eq!(first[0].golden.as_deref(), Some("In Aber."));
    assert!(first[1].ask.starts_with("And how is Aber?"), "{}", first[1].ask);
    assert_eq!(first[3].relations[0].to, [1]);
    let drawn = |index: u64| turns(&plan, "piling", index)[0].active_constraints.clone();
    assert!((0..20).step_by(2).any(|index| drawn(index) != first[0].active_constraints));
    let starts: BTreeSet<String> = (0..40)
        .step_by(2)
        .map(|index| {
            question(&turns(&plan, "piling", index)[0].ask).split(" of ").next().unwrap().to_owned()
        })
        .collect();
    assert_eq!(starts.len(), 3, "{starts:?}");
}

/// The question of a message, which comes after its instructions.
fn question(ask: &str) -> &str {
    ask.rsplit("\n\n").next().unwrap_or_default()
}

#[test]
fn instructions_accumulate_group_by_group() {
    let plan = plan();
    let (mut counts, mut dialogues) = ([0; 4], 0);
    for index in 0..200 {
        let turns = turns(&plan, "piling", index * 2);
        dialogues += 1;
        let mut before: Vec<String> = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            assert!(turn.changes.len() <= 1);
            let now: Vec<String> =
                turn.active_constraints.iter().map(|active| active.constraint.clone()).collect();
            assert!(before.iter().all(|old| now.contains(old)), "nothing is dropped");
            let groups: BTreeSet<&str> =
                turn.active_constraints.iter().map(|it| it.group()).collect();
            assert_eq!(groups.len(), now.len());
            counts[at] += turn.changes.len();
            before = now;
        }
    }
    // Always on the first turn, with probability 3/4 on the second; then it depends.
    assert_eq!(counts[0], dialogues);
    assert!((130..=170).contains(&counts[1]), "{counts:?}");
    assert!(counts[2] < counts[1] && counts[3] < counts[2], "{counts:?}");
}

#[test]
fn requirements_are_self_contained() {
    let plan = plan();
    let turn = turns(&plan, "listed", 0).remove(0);
    let n: i64 = turn.ask.split(' ').nth(1).unwrap().parse().unwrap();
    let word = if turn.ask.contains("the sea") { "sea" } else { "sky" };
    let names: Vec<&str> = turn.criteria.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["there", "number_of", "no_dot", "no_dot 2", "1", "2", "1"]);
    let DecidedBy::Judge(question) = &turn.criteria[0].by else { panic!("a question") };
    assert_eq!(question.text, format!("Are these things of the {word}?"));
    let DecidedBy::Rule(rule) = &turn.criteria[1].by else { panic!("a rule") };
    assert_eq!(print(rule), format!("len(things) == {n}"));
    assert_eq!(turn.criteria[1].after, ["there"]);
    assert_eq!(turn.criteria[3].after, ["number_of"]);
    assert_eq!(turn.criteria[1].tags, ["ability.numbers.count_of"]);
    let points: Vec<Option<f64>> = turn.criteria.iter().map(|it| it.points).collect();
    assert_eq!(points[4..], [Some(0.25), Some(0.75), None]);
    let items: BTreeSet<String> = (0..60).map(|index| turns_of(&plan, index).ask).collect();
    assert_eq!(items.len(), 8, "every n with every word");
}

fn turns_of(plan: &Plan, index: u64) -> ScriptTurn {
    turns(plan, "listed", index).remove(0)
}

#[test]
fn conditional_constraints_apply_only_when_their_condition_holds() {
    let plan = plan();
    for index in 0..5 {
        let turns = turns(&plan, "alternating", index);
        let bound: Vec<usize> = turns.iter().map(|turn| turn.active_constraints.len()).collect();
        assert_eq!(bound, [0, 1, 0, 1]);
        assert_eq!(turns[0].ask, "One?", "what does not apply is not said");
        assert_eq!(turns[1].changes.len(), 1, "it is said when it applies first");
        assert!(
            question(&turns[1].ask) == "Two?" && turns[1].ask.to_lowercase().contains("end with")
        );
        assert!(turns[2..].iter().all(|turn| turn.changes.is_empty()));
    }
}

/// Runs a dialogue with a model and reads its transcripts.
fn held(dialogue: &str, more: &[&str]) -> (Vec<Transcript>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(folder.path()).args(["run", "main.ifs", "--dialogue", dialogue]);
    let done = command.args(["-n", "8", "--out", "out"]).args(more).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let lines = std::fs::read_to_string(folder.path().join("out/transcripts.jsonl")).unwrap();
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), folder)
}

#[test]
fn a_fixed_history_is_the_same_for_every_model() {
    let (one, _folder) = held("shaped", &["--variant", "fixed", "--model", "sim/noisy:0.5"]);
    let (other, _folder) = held("shaped", &["--variant", "fixed", "--model", "sim/echo"]);
    for (one, other) in one.iter().zip(&other) {
        for (one, other) in one.turns.iter().zip(&other.turns) {
            assert!(one.history.is_some() && one.history == other.history);
            assert_ne!(one.samples[0].answer, other.samples[0].answer);
            assert_eq!(one.reply(), one.history.as_deref().unwrap());
        }
    }
}

#[test]
fn feedback_repeats_missed_constraints() {
    for (variant, again) in [(&[][..], "again"), (&["--variant", "fresh"], "Name ")] {
        let args = [&["--model", "sim/noisy:0.4"], variant].concat();
        let (transcripts, _folder) = held("listed", &args);
        let turns = || transcripts.iter().flat_map(|transcript| &transcript.turns);
        let missed = |verdicts: &[ifs::judge::VerdictRecord]| {
            verdicts.iter().any(|verdict| verdict.outcome.is_missed())
        };
        for turn in turns() {
            // Repeated exactly while something was missed.
            let rounds: Vec<bool> = turn.conversation().map(|it| missed(&it.verdicts)).collect();
            assert!(rounds.len() <= 3);
            assert!(rounds[..rounds.len() - 1].iter().all(|missed| *missed), "{rounds:?}");
            assert!(rounds.len() == 3 || !rounds[rounds.len() - 1]);
            for round in &turn.rounds {
                assert!(round.ask.contains(again), "{}", round.ask);
            }
        }
        assert!(turns().any(|turn| turn.rounds.len() == 2));
        let blocked = turns()
            .flat_map(|turn| &turn.samples[0].verdicts)
            .find(|verdict| verdict.outcome == Outcome::Blocked && verdict.constraint == "no_dot");
        let blocked = blocked.unwrap();
        assert_eq!(blocked.cause.as_deref(), Some("number_of"));
        assert!(blocked.why.as_deref().unwrap().starts_with("comes after `number_of`"));
    }
}

#[test]
fn samples_are_judged_and_the_first_continues() {
    let (transcripts, _folder) = held("piling", &["--model", "sim/noisy:0.5"]);
    let turns: Vec<_> = transcripts.iter().flat_map(|transcript| &transcript.turns).collect();
    assert!(turns.iter().all(|turn| turn.samples.len() == 3 && turn.rounds.is_empty()));
    assert!(
        turns.iter().any(|turn| turn.samples.iter().any(|it| it.answer != turn.samples[0].answer))
    );
    assert!(turns.iter().all(|turn| turn.reply() == turn.samples[0].answer));
    // The variant repeats active constraints at the end, with the same draws.
    let (reminded, _folder) =
        held("piling", &["--model", "sim/noisy:0.5", "--variant", "reminded"]);
    let again: Vec<_> = reminded.iter().flat_map(|transcript| &transcript.turns).collect();
    assert_eq!(again.len(), turns.len());
    for (plain, again) in turns.iter().zip(&again) {
        assert_eq!(plain.script.ask, again.script.ask);
        let reminder = again.script.reminder.as_deref().unwrap();
        assert_eq!(
            reminder.lines().filter(|line| line.starts_with("- ")).count(),
            plain.script.active_constraints.len()
        );
        assert!(plain.script.reminder.is_none());
    }
}

#[test]
fn oracle_satisfies_all_it_can() {
    for dialogue in ["shaped", "piling", "alternating"] {
        let (transcripts, folder) = held(dialogue, &["--model", "sim/oracle"]);
        let mut turns = transcripts.iter().flat_map(|transcript| &transcript.turns);
        let all =
            turns.all(|turn| turn.samples[0].verdicts.iter().all(|it| it.outcome == Outcome::Held));
        assert!(all, "{dialogue}");
        // Scored again from the folder, with the same result.
        let score = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
            let done = command.current_dir(folder.path()).args(args).output().unwrap();
            serde_json::from_slice::<serde_json::Value>(&done.stdout).unwrap()
        };
        let card = score(&["score", "out", "--format", "json"]);
        assert!(card.to_string().contains("\"missed\":0"), "{card}");
    }
}

#[test]
fn values_of_a_turn_are_values_of_the_record() {
    let plan = plan();
    let (_, records) = plan.records("trips").unwrap();
    let nights: Vec<Option<&Value>> = records.iter().map(|one| one.field("nights")).collect();
    assert_eq!(nights, [Some(&Value::Int(3)), Some(&Value::Int(5))]);
    for index in 0..20 {
        let turn = turns(&plan, "piling", index).remove(0);
        let number = |at: usize| -> i64 {
            let words = question(&turn.ask)
                .split_whitespace()
                .filter_map(|word| word.trim_end_matches('?').parse().ok());
            words.collect::<Vec<i64>>()[at]
        };
        let nights = if index % 2 == 0 { 3 } else { 5 };
        assert!((1..=nights).contains(&number(0)) && number(1) == number(0) + nights);
    }
}

/// What a dialogue binds is known to the turns of its variants, drawn alike; a name of the
/// variant's own hides it.
#[test]
fn variants_keep_what_their_dialogue_binds() {
    let text = "ifs 1
dialogue counting {
  let   few = [2, 3, 5, 7, 11]
  param one: one_of few
  turn { ask \"One is {{ one }}.\" }
  variant twice {
    turn { ask \"It is {{ one }}.\" }
    turn { ask \"Still {{ one }} of {{ few | length }}.\" }
  }
  variant other {
    let one = \"none\"
    turn { ask \"It is {{ one }}.\" }
  }
  variant plain {
    let none = 0
  }
}
";
    let world = MemoryWorld::new([("main.ifs", text)]);
    let plan = build(check(&world, "main.ifs").model.unwrap());
    let asks = |plan: &Plan, index| -> Vec<String> {
        turns(plan, "counting", index).into_iter().map(|turn| turn.ask).collect()
    };
    let varied = |name| plan.clone().varied("counting", name).unwrap();
    for index in 0..5 {
        let [said] = &asks(&plan, index)[..] else { panic!("one turn is written") };
        let one = said.strip_prefix("One is ").and_then(|rest| rest.strip_suffix('.')).unwrap();
        let twice = [format!("It is {one}."), format!("Still {one} of 5.")];
        assert_eq!(asks(&varied("twice"), index), twice);
        assert_eq!(asks(&varied("other"), index), ["It is none."]);
        assert_eq!(asks(&varied("plain"), index), std::slice::from_ref(said));
    }
}
