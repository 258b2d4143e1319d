//! Do 95 % intervals contain the true value 95 times in 100, and are two equal models called different
//! 5 times in 100? Runs are drawn from models whose true values are known from many more dialogues, and
//! scored and compared as recorded ones are. `IFS_COVERAGE=1000 cargo test --release --test suite
//! intervals -- --nocapture` draws the runs of docs/comparing.md; without the variable a few of them are
//! drawn, and the bounds are as much wider as chance is.

use std::collections::BTreeMap;
use std::sync::Arc;

use ifs::compare::{ComparedRun, SplitBy, compare, compare_metric, moves};
use ifs::model::check;
use ifs::model::table::{OwnMetric, Speaker};
use ifs::score::{
    ComparedMetric, DecisionMethod, Ending, METRICS, Outcome, ScoreOptions, Scorecard,
    ScoredConstraint, ScoredDialogue, ScoredTurn, own_sums, score,
};
use ifs::world::MemoryWorld;

/// Of a turn, a dialogue and the run; shares, numbers and a median.
const SCENARIO: &str = r#"ifs 1
metric clean of turn { return held }
metric missed_in of dialogue lower is better { return count(turns where it.missed) }
metric mean_clean of run in percent {
  return mean(dialogues each count(it.turns where it.held) / len(it.turns))
}
metric median_length of run {
  let lengths = sorted(dialogues each len(it.turns))
  return (lengths[floor((len(lengths) + 1) / 2)] + lengths[floor((len(lengths) + 2) / 2)]) / 2
}
dialogue d {
  turn { ask "A" require r contains("a") }
  report clean, missed_in, mean_clean, median_length
}
"#;

fn own_metrics() -> Vec<OwnMetric> {
    let checked = check(&MemoryWorld::new([("main.ifs", SCENARIO)]), "main.ifs");
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    model.dialogues[0].own_metrics.clone()
}

/// SplitMix64, written again here, so that the test is independent of the code under test.
struct Draws(u64);

impl Draws {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A model that follows an instruction with the first chance in an easy dialogue and with the second in
/// a hard one; the difficulty of a dialogue lies between. The user leaves after three misses.
#[derive(Clone, Copy)]
struct Model {
    easy: f64,
    hard: f64,
}

const MIDDLING: Model = Model { easy: 0.98, hard: 0.6 };
const NEARLY_PERFECT: Model = Model { easy: 0.999, hard: 0.96 };
const POOR: Model = Model { easy: 0.4, hard: 0.05 };
const MODELS: [(&str, Model); 3] =
    [("middling", MIDDLING), ("nearly perfect", NEARLY_PERFECT), ("poor", POOR)];
const MAX_TURNS: u32 = 10;
const PATIENCE: u32 = 3;
const GROUPS: [&str; 2] = ["length", "format"];

fn outcome(group: &str, holds: bool) -> Arc<ScoredConstraint> {
    Arc::new(ScoredConstraint {
        constraint: group.to_owned(),
        group: group.to_owned(),
        outcome: if holds { Outcome::Held } else { Outcome::Missed },
        speaker: Speaker::User,
        loose: false,
        age: 0,
        by: DecisionMethod::Rule,
        why: None,
        weight: None,
        kind: None,
        tags: Vec::new(),
        points: None,
        mark: None,
    })
}

impl Model {
    /// `hardness` is from 0 to 1. The dialogue ends at `limit` for another reason than patience.
    fn dialogue(self, index: u64, hardness: f64, limit: u32, draws: &mut Draws) -> ScoredDialogue {
        let follows = self.easy + (self.hard - self.easy) * hardness;
        let (mut turns, mut misses) = (Vec::new(), 0);
        while misses < PATIENCE && (turns.len() as u32) < limit {
            let holds = GROUPS.map(|_| draws.share() < follows);
            misses += u32::from(holds.contains(&false));
            let constraints = GROUPS.into_iter().zip(holds).map(|(group, it)| outcome(group, it));
            turns.push(ScoredTurn {
                turn: turns.len() as u32 + 1,
                constraints: constraints.collect(),
                ..ScoredTurn::default()
            });
        }
        ScoredDialogue {
            dialogue: "d".to_owned(),
            index,
            seed: 1,
            turns,
            ending: if misses == PATIENCE { Ending::Patience } else { Ending::MaxTurns },
            slice: None,
            reacts: false,
            text: Some(index),
        }
    }

    fn run(self, count: u64, draws: &mut Draws) -> Vec<ScoredDialogue> {
        let dialogue = |index| {
            let hardness = draws.share();
            // Some end before, so that lives are censored.
            let limit = MAX_TURNS.min(3 + (draws.share() * 20.0) as u32);
            self.dialogue(index, hardness, limit, draws)
        };
        (0..count).map(dialogue).collect()
    }
}

/// How many runs of each kind are drawn, and of how many sizes.
fn repeats() -> (u32, usize) {
    asked_for().map_or((25, 2), |repeats| (repeats, 9))
}

/// The number of dialogues for the true values.
fn many() -> u64 {
    if asked_for().is_some() { 20_000 } else { 4_000 }
}

fn asked_for() -> Option<u32> {
    std::env::var("IFS_COVERAGE").ok()?.parse().ok()
}

/// Counts of successes and trials.
#[derive(Clone, Copy, Default)]
struct Count {
    so: u32,
    of: u32,
}

impl Count {
    fn add(&mut self, so: bool) {
        self.so += u32::from(so);
        self.of += 1;
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.so) / f64::from(self.of)
    }

    /// Whether the percentage is within bounds, give or take four times its standard error.
    fn is_within(self, least: f64, most: f64) -> bool {
        let chance = 400.0 * (0.05 * 0.95 / f64::from(self.of)).sqrt();
        (least - chance..=most + chance).contains(&self.percent())
    }
}

#[derive(Default)]
struct Counts(BTreeMap<(String, usize), Count>);

impl Counts {
    fn add(&mut self, row: &str, column: usize, so: bool) {
        self.0.entry((row.to_owned(), column)).or_default().add(so);
    }

    /// Prints the table, and fails if a cell is beyond its bounds: for each row and column, the least and the
    /// most percent.
    fn check(&self, title: &str, bounds: impl Fn(&str, usize) -> (f64, f64)) {
        println!("{title}");
        let mut row = String::new();
        for ((name, _), count) in &self.0 {
            if row != *name {
                print!("\n{name:>24}");
                row.clone_from(name);
            }
            print!("  {:5.1} ({})", count.percent(), count.of);
        }
        println!("\n");
        for ((name, column), count) in &self.0 {
            let (least, most) = bounds(name, *column);
            // Cells with few intervals are not tested.
            let fits = count.of < 20 || count.is_within(least, most);
            assert!(
                fits,
                "{title}: {name}, size {column}: {:.1} %, not {least} to {most}",
                count.percent()
            );
        }
    }
}

const REPORTED: [&str; 9] =
    ["CSR", "ISR", "ROB", "EDR_len", "EDR_acc", "EDR_lss", "REC", "DRFR", "PIF"];

/// The values over many dialogues.
fn truth(model: Model, own: &[OwnMetric]) -> BTreeMap<String, f64> {
    let run = model.run(many(), &mut Draws(1));
    let mut found = BTreeMap::new();
    let mut add = |name: &str, sums: &dyn Fn(&ScoredDialogue) -> (f64, f64)| {
        let all = run.iter().map(sums).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        found.insert(name.to_owned(), all.0 / all.1);
    };
    for metric in METRICS.iter().filter(|it| REPORTED.contains(&it.name)) {
        add(metric.name, &|dialogue| metric.sums(dialogue));
    }
    for metric in own {
        add(&metric.name, &|dialogue| own_sums(metric, dialogue));
    }
    found.insert("mean_clean".to_owned(), found["ROB"]);
    let mut lengths: Vec<usize> = run.iter().map(|it| it.turns.len()).collect();
    lengths.sort_unstable();
    found.insert("median_length".to_owned(), lengths[lengths.len() / 2] as f64);
    // Without censoring the curve is a share.
    let mut draws = Draws(2);
    let mut lives = vec![0_u32; MAX_TURNS as usize + 1];
    for _ in 0..many() {
        let hardness = draws.share();
        let dialogue = model.dialogue(0, hardness, MAX_TURNS, &mut draws);
        let last = if dialogue.ending == Ending::Patience { dialogue.turns.len() } else { 99 };
        lives.iter_mut().enumerate().for_each(|(turn, left)| *left += u32::from(last > turn));
    }
    for turn in SURVIVAL_AT {
        found.insert(survival_row(turn), f64::from(lives[turn as usize]) / many() as f64);
    }
    found
}

const SURVIVAL_AT: [u32; 2] = [4, 8];

fn survival_row(turn: u32) -> String {
    format!("patient after turn {turn}")
}

#[test]
fn intervals_of_scores_cover_the_truth() {
    let own = own_metrics();
    let sizes = [10_u64, 30, 120];
    for (model_name, model) in MODELS {
        let truth = truth(model, &own);
        let mut counts = Counts::default();
        let mut draws = Draws(3);
        let (repeats, columns) = repeats();
        for (column, size) in sizes.into_iter().enumerate().take(columns) {
            for repeat in 0..repeats {
                // Metrics of a run are scored 200 times.
                let metrics = own.iter().filter(|it| repeat % 5 == 0 || !it.name.starts_with("me"));
                let options = ScoreOptions {
                    distinct: true,
                    metrics: metrics.cloned().collect(),
                    ..ScoreOptions::default()
                };
                let card = score(&model.run(size, &mut draws), &options);
                for score in &card.metrics {
                    let Some(truth) = truth.get(&score.name) else { continue };
                    let Some(interval) = score.measured.interval else { continue };
                    let covers = interval.lower <= *truth && *truth <= interval.upper;
                    counts.add(&score.name, column, covers);
                }
                for point in &card.survival {
                    let row = survival_row(point.turn);
                    let (Some(truth), Some(it)) = (truth.get(&row), point.interval) else {
                        continue;
                    };
                    counts.add(&row, column, it.lower <= *truth && *truth <= it.upper);
                }
            }
        }
        let title = format!("{model_name}: intervals with the truth, of {sizes:?} dialogues");
        counts.check(&title, |name, column| match name {
            // If nearly every dialogue has the same number, few dialogues show little of the other values.
            "missed_in" | "EDR_len" | "EDR_lss" if model_name != "middling" => (0.0, 100.0),
            "EDR_acc" if model_name != "middling" => ([88.0, 92.0, 93.0][column], 100.0),
            // An interval needs a dialogue that was lost, so that the first ones are all too low.
            _ if name.starts_with("patient") && model_name != "middling" => (0.0, 100.0),
            // Half a turn more or less is beyond a median of whole turns.
            "median_length" => (88.0, 100.0),
            _ => (92.5, 100.0),
        });
    }
}

/// Two models on the same dialogues.
fn two_runs(models: [Model; 2], count: u64, draws: &mut Draws) -> [ComparedRun; 2] {
    let hardness: Vec<f64> = (0..count).map(|_| draws.share()).collect();
    let mut at = 0;
    models.map(|model| {
        at += 1;
        let dialogues: Vec<ScoredDialogue> = (0..)
            .zip(&hardness)
            .map(|(index, hardness)| model.dialogue(index, *hardness, MAX_TURNS, draws))
            .collect();
        let options = ScoreOptions { distinct: true, ..ScoreOptions::default() };
        let card: Scorecard = score(&dialogues, &options);
        ComparedRun::new(format!("run {at}"), &card)
    })
}

fn compared(name: &str) -> ComparedMetric {
    METRICS.iter().find(|it| it.name == name).map(ComparedMetric::from).unwrap()
}

#[test]
fn false_positive_rate_of_comparisons() {
    let sizes = [8_u64, 12, 30, 100];
    for (model_name, model) in MODELS {
        let mut counts = Counts::default();
        let mut draws = Draws(5);
        let (repeats, columns) = repeats();
        for (column, size) in sizes.into_iter().enumerate().take(columns) {
            for _ in 0..repeats {
                let sides = two_runs([model; 2], size, &mut draws);
                for metric in ["CSR", "ISR", "EDR_len", "REC"] {
                    let Some(found) = compare_metric(&sides, &compared(metric)) else { continue };
                    found
                        .pairs
                        .iter()
                        .for_each(|it| counts.add(metric, column, it.tested.p <= 0.05));
                }
                let found = compare(&sides);
                let pair = &found.pairs[0];
                counts.add("Wilcoxon", column, pair.wilcoxon.two_sided <= 0.05);
                counts.add("McNemar", column, pair.mcnemar.p <= 0.05);
                if let Some(found) = &pair.log_rank {
                    counts.add("log-rank", column, found.p <= 0.05);
                    counts.add("log-rank, paired", column, found.paired_p <= 0.05);
                }
                let parts = moves(&sides, SplitBy::Turn, &compared("CSR"));
                let any = parts.iter().flat_map(|it| &it.parts).any(|it| it.adjusted_p <= 0.05);
                counts.add("any turn, Holm", column, any);
            }
        }
        let title = format!("{model_name}: called different, of {sizes:?} dialogues");
        counts.check(&title, |_, _| (0.0, 5.0));
    }
}

#[test]
fn intervals_of_differences_cover_the_truth() {
    let sizes = [10_u64, 30, 120];
    for (title, models) in [
        ("middling and poor", [MIDDLING, POOR]),
        ("nearly perfect and middling", [NEARLY_PERFECT, MIDDLING]),
        ("two that are nearly perfect", [NEARLY_PERFECT; 2]),
    ] {
        let metrics = ["CSR", "ISR", "EDR_len", "REC"];
        let mut draws = Draws(6);
        let whole = two_runs(models, many(), &mut draws);
        let value = |run: &ComparedRun, name: &str| {
            run.metrics.iter().find(|it| it.name == name).and_then(|it| it.measured.number())
        };
        let alike = title.starts_with("two");
        let truth = metrics.map(|name| match alike {
            true => 0.0,
            false => value(&whole[0], name).unwrap() - value(&whole[1], name).unwrap(),
        });
        let of_group = |run: &ComparedRun| {
            let groups = &run.breakdown.by_group;
            groups.iter().find(|it| it.name == GROUPS[0]).and_then(|it| it.rate).unwrap()
        };
        let group = if alike { 0.0 } else { of_group(&whole[0]) - of_group(&whole[1]) };
        let mut counts = Counts::default();
        let (repeats, columns) = repeats();
        for (column, size) in sizes.into_iter().enumerate().take(columns) {
            for _ in 0..repeats {
                let sides = two_runs(models, size, &mut draws);
                for (metric, truth) in metrics.into_iter().zip(truth) {
                    let found = compare_metric(&sides, &compared(metric));
                    let pair = found.as_ref().and_then(|it| it.pairs.first());
                    let Some(interval) = pair.and_then(|it| it.tested.interval) else { continue };
                    counts.add(metric, column, interval.lower <= truth && truth <= interval.upper);
                }
                for part in
                    moves(&sides, SplitBy::Group, &compared("CSR")).iter().flat_map(|it| &it.parts)
                {
                    let Some(it) = part.tested.interval.filter(|_| part.part == GROUPS[0]) else {
                        continue;
                    };
                    counts.add("group", column, it.lower <= group && group <= it.upper);
                }
            }
        }
        let title = format!("{title}: intervals with the true difference, of {sizes:?} dialogues");
        counts.check(&title, |_, column| ([90.0, 92.5, 92.5][column], 100.0));
    }
}
