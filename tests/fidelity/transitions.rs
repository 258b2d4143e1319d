//! The dialogues that `scenarios/evolif` draws, but for `redraw until witness`, against those of the official state machine: 2,000
//! dialogues of 50 turns each, with a fixed seed.
//!
//! What the official numbers count: `topic_transitions` is every turn once (the
//! first turn of a dialogue is `first`); `operations` is one a turn, the turn that
//! opens a topic adds; `ops_by_constraints_before` leaves out the turns that open a
//! topic; `constraints_per_turn_hist` is after the operation; `topic_run_length_hist`
//! holds the runs that a switch ended; `constraint_share` and `initial_arg_modes` are
//! of the constraints that were added; members of groups are compared where nothing else is in
//! force, since the released program draws contradictions and `ifs` does not.
//!
//! Turns of a dialogue are correlated. So numbers that add up over turns are compared by dialogue:
//! the difference of the means is weighted with the covariance between our dialogues (the official
//! ones have the same under the hypothesis, and as many), which gives a chi-square with as many
//! degrees of freedom as there are independent numbers. Only draws that are independent given their
//! state (which operation with this many constraints, which member of a group) are compared in a
//! plain test of homogeneity.

use std::collections::BTreeMap;
use std::path::Path;

use ifs::model::check;
use ifs::model::table::Change;
use ifs::plan::{Plan, build};
use ifs::predicate::value::Value;
use ifs::script::{Active, Drawer, ScriptTurn, Seed};
use ifs::world::FolderWorld;
use serde::Deserialize;

use crate::Row;
use crate::chi_square::{homogeneous, means_agree};

const DIALOGUES: u64 = 2_000;
const TURNS: usize = 50;
const SEED: Seed = Seed(1);

/// A less probable difference is a disagreement.
const LEVEL: f64 = 0.001;

type Counts = BTreeMap<String, f64>;

#[derive(Deserialize)]
struct Official {
    dialogues: u64,
    turns_each: usize,
    topic_transitions: Counts,
    operations: Counts,
    ops_by_constraints_before: BTreeMap<String, Counts>,
    constraints_per_turn_hist: Counts,
    mean_constraints_by_turn: Vec<f64>,
    mean_topics_per_dialogue: f64,
    topic_run_length_hist: Counts,
    constraint_share: Counts,
    share_dialogues_avg20_ge_2: f64,
    mean_avg20: f64,
    initial_arg_modes: BTreeMap<String, Counts>,
}

/// The contribution of one of our dialogues to the numbers.
#[derive(Default)]
struct Dialogue {
    transitions: Counts,
    operations: Counts,
    ops_before: BTreeMap<String, Counts>,
    constraints: Vec<f64>,
    topics: f64,
    runs: Counts,
    added: Counts,
    modes: BTreeMap<String, Counts>,
}

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let Ok(text) = std::fs::read_to_string(data.join("evolif/transition_stats.json")) else {
        eprintln!("SKIPPED: no evolif/transition_stats.json");
        return Vec::new();
    };
    let official: Official = serde_json::from_str(&text).expect("transition_stats.json");
    assert_eq!((official.dialogues, official.turns_each), (DIALOGUES, TURNS));
    let plan = plan();
    let drawn = draw(&plan);
    let mut rows = by_dialogue(&official, &drawn);
    rows.extend(by_draw(&official, &drawn));
    rows
}

fn plan() -> Plan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/evolif");
    let checked = check(&FolderWorld::new(&folder).expect("scenarios/evolif"), "evolif.ifs");
    let mut model = checked.model.expect("scenarios/evolif is without mistakes");
    // The released program asks for no text, so its state machine is compared with ours before turns
    // without one are drawn again.
    for dialogue in &mut model.dialogues {
        dialogue.witness_draws = None;
    }
    build(model)
}

fn draw(plan: &Plan) -> Vec<Dialogue> {
    let drawer = Drawer::new(plan, "evolving").expect("a drawer");
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    std::thread::scope(|scope| {
        let work: Vec<_> = (0..workers)
            .map(|worker| {
                let drawer = &drawer;
                scope.spawn(move || {
                    let indices = (worker..DIALOGUES).step_by(workers as usize);
                    indices.map(|index| dialogue(drawer, index)).collect::<Vec<_>>()
                })
            })
            .collect();
        work.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    })
}

fn count(counts: &mut Counts, name: impl Into<String>) {
    *counts.entry(name.into()).or_default() += 1.0;
}

fn dialogue(drawer: &Drawer<'_>, index: u64) -> Dialogue {
    let mut numbers = Dialogue::default();
    let mut run = 0;
    for turn in drawer.script(SEED, index).plain().take(TURNS) {
        let turn: ScriptTurn = turn.expect("a turn");
        let transition = match (turn.turn, turn.transition.word()) {
            (1, _) => "first",
            (_, "stay") => "continue",
            (_, other) => other,
        };
        count(&mut numbers.transitions, transition);
        if matches!(transition, "new" | "backtrack") {
            count(&mut numbers.runs, run.to_string());
            run = 0;
        }
        run += 1;
        let opens = matches!(transition, "first" | "new");
        numbers.topics += f64::from(u8::from(opens));
        let [changed] = turn.changes.as_slice() else {
            panic!("dialogue {index} turn {}: {} changes", turn.turn, turn.changes.len());
        };
        let operation = match changed.change {
            Change::Add => "add",
            Change::Modify => "modify",
            Change::Drop => "remove",
        };
        count(&mut numbers.operations, operation);
        let before = turn.active_constraints.len() + usize::from(changed.change == Change::Drop)
            - usize::from(changed.change == Change::Add);
        if !opens {
            count(numbers.ops_before.entry(before.to_string()).or_default(), operation);
        }
        numbers.constraints.push(turn.active_constraints.len() as f64);
        if let (Change::Add, Some(added)) = (changed.change, &changed.after) {
            let group = match added.group() {
                "countable_items" => "countableItems",
                other => other,
            };
            count(&mut numbers.added, group);
            // Members that contradict other constraints are left out here, but not in the released
            // program.
            if turn.active_constraints.len() == 1 {
                count(numbers.modes.entry(group.to_owned()).or_default(), mode(added));
            }
        }
    }
    assert_eq!(numbers.constraints.len(), TURNS, "dialogue {index} ended");
    numbers
}

/// The name of a group's member in the official statistics.
fn mode(added: &Active) -> String {
    let name = added.constraint.rsplit('.').next().unwrap_or_default();
    let value = added.args.first().map(|(_, value)| value);
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let size = || value.and_then(Value::as_list).map_or(0, <[Value]>::len);
    match added.group() {
        "startwith" | "endwith" => match name.split('_').next().unwrap_or_default() {
            "pair" => "quotation".to_owned(),
            kind => kind.to_owned(),
        },
        "countable_items" => value.map(Value::to_string).unwrap_or_default(),
        "length" => match name.split('_').next().unwrap_or_default() {
            "characters" => "characters".to_owned(),
            unit => unit.trim_end_matches('s').to_owned(),
        },
        "existence" | "forbidden" => format!("n={}", size()),
        "case" if name == "share_of_capitals" => "min_upper".to_owned(),
        "punctuation" if name == "include" => "must_include".to_owned(),
        "punctuation" => "must_not_include".to_owned(),
        "emotion" => text.to_owned(),
        "reader_age" => ["child", "youth", "adult", "senior"]
            .into_iter()
            .find(|age| text.replace("young person", "youth").contains(age))
            .unwrap_or(text)
            .to_owned(),
        "style" => text.trim_start_matches("the ").trim_end_matches(" language").to_owned(),
        _ => name.to_owned(),
    }
}

fn row(what: &str, (statistic, degrees, p): (f64, usize, f64)) -> Row {
    let note = format!("chi-square {statistic:.2}, {degrees} degrees, p {p:.4}");
    let agreeing = usize::from(p >= LEVEL);
    Row { suite: format!("evolif draws {what}"), compared: 1, agreeing, note }
}

/// Numbers that add up over the turns of a dialogue.
fn by_dialogue(official: &Official, drawn: &[Dialogue]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut counts = |what: &str, ours: &dyn Fn(&Dialogue) -> &Counts, theirs: &Counts| {
        let unknown = drawn.iter().flat_map(|dialogue| ours(dialogue).keys());
        let unknown: Vec<&String> = unknown.filter(|name| !theirs.contains_key(*name)).collect();
        // Rare values are pooled: the mean of a few is far from normal.
        let (common, rare): (Vec<_>, Vec<_>) =
            theirs.iter().partition(|(_, count)| **count >= 100.0);
        let vector = |counts: &Counts| -> Vec<f64> {
            let mut numbers: Vec<f64> = common
                .iter()
                .map(|(name, _)| counts.get(*name).copied().unwrap_or_default())
                .collect();
            if !rare.is_empty() || !unknown.is_empty() {
                numbers.push(counts.values().sum::<f64>() - numbers.iter().sum::<f64>());
            }
            numbers
        };
        let means: Vec<f64> =
            vector(theirs).into_iter().map(|count| count / DIALOGUES as f64).collect();
        let ours: Vec<Vec<f64>> = drawn.iter().map(|dialogue| vector(ours(dialogue))).collect();
        rows.push(row(what, means_agree(&ours, &means)));
    };
    counts("transitions", &|dialogue| &dialogue.transitions, &official.topic_transitions);
    counts("operations", &|dialogue| &dialogue.operations, &official.operations);
    counts("runs on a topic", &|dialogue| &dialogue.runs, &official.topic_run_length_hist);

    let sizes: Vec<Counts> = drawn
        .iter()
        .map(|dialogue| {
            let mut sizes = Counts::new();
            for constraints in &dialogue.constraints {
                count(&mut sizes, constraints.to_string());
            }
            sizes
        })
        .collect();
    let names: Vec<&String> = official.constraints_per_turn_hist.keys().collect();
    let vector = |counts: &Counts| -> Vec<f64> {
        names.iter().map(|name| counts.get(*name).copied().unwrap_or_default()).collect()
    };
    let means: Vec<f64> = vector(&official.constraints_per_turn_hist)
        .into_iter()
        .map(|count| count / DIALOGUES as f64)
        .collect();
    let sizes: Vec<Vec<f64>> = sizes.iter().map(vector).collect();
    rows.push(row("active constraints", means_agree(&sizes, &means)));

    let by_turn: Vec<Vec<f64>> =
        drawn.iter().map(|dialogue| dialogue.constraints.clone()).collect();
    rows.push(row(
        "constraints by turn",
        means_agree(&by_turn, &official.mean_constraints_by_turn),
    ));

    let topics: Vec<Vec<f64>> = drawn.iter().map(|dialogue| vec![dialogue.topics]).collect();
    rows.push(row("topics", means_agree(&topics, &[official.mean_topics_per_dialogue])));

    let first: Vec<Vec<f64>> = drawn
        .iter()
        .map(|dialogue| {
            let mean = dialogue.constraints.iter().take(20).sum::<f64>() / 20.0;
            vec![mean, f64::from(u8::from(mean >= 2.0))]
        })
        .collect();
    let theirs = [official.mean_avg20, official.share_dialogues_avg20_ge_2];
    rows.push(row("first 20 turns", means_agree(&first, &theirs)));

    // The shares of the groups: the excess of each dialogue over the expected share.
    let whole: f64 = official.constraint_share.values().sum();
    let beyond: Vec<Vec<f64>> = drawn
        .iter()
        .map(|dialogue| {
            let all: f64 = dialogue.added.values().sum();
            official
                .constraint_share
                .iter()
                .map(|(group, share)| {
                    dialogue.added.get(group).copied().unwrap_or_default() - share / whole * all
                })
                .collect()
        })
        .collect();
    let nothing = vec![0.0; official.constraint_share.len()];
    rows.push(row("groups", means_agree(&beyond, &nothing)));
    rows
}

/// Draws that are independent given their state.
fn by_draw(official: &Official, drawn: &[Dialogue]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (before, theirs) in &official.ops_by_constraints_before {
        let ours = summed(drawn.iter().filter_map(|dialogue| dialogue.ops_before.get(before)));
        rows.push(row(&format!("operations on {before}"), homogeneous(&ours, theirs)));
    }
    let added: f64 = official.operations.get("add").copied().unwrap_or_default();
    for (group, shares) in &official.initial_arg_modes {
        let ours = summed(drawn.iter().filter_map(|dialogue| dialogue.modes.get(group)));
        let size = added * official.constraint_share.get(group).copied().unwrap_or_default();
        let theirs: Counts = shares
            .iter()
            // Their count of `existence` treats keywords such as "num" as a mode.
            .filter(|(name, _)| group != "existence" || name.starts_with("n="))
            .map(|(name, share)| (name.clone(), share * size))
            .collect();
        rows.push(row(&format!("members of {group}"), homogeneous(&ours, &theirs)));
    }
    rows
}

fn summed<'c>(all: impl Iterator<Item = &'c Counts>) -> Counts {
    let mut sum = Counts::new();
    for (name, count) in all.flatten() {
        *sum.entry(name.clone()).or_default() += count;
    }
    sum
}
