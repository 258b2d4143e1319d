//! From outcomes to numbers: computes every metric of a run, without I/O and in a fixed order.
//!
//! A turn succeeds if everything that it requires held, and fails if something was missed: the
//! constraints that apply to it, and its criteria (requirements, facts, relations). A constraint
//! whose judge could not be read is [`Outcome::Unjudged`], and a turn with such a constraint and no
//! miss is *undecided*. An undecided turn counts as a turn, but it is skipped wherever success
//! matters: it is in no numerator and no denominator of a rate, it neither spends nor restores
//! patience, and it neither breaks nor lengthens a run of successes. [`ScoreTotals`] counts undecided
//! turns, so that they do not go unnoticed.
//!
//! A response without text is a separate state ([`NoText`]): if the model is the cause, the turn
//! fails; if its endpoint is, the turn is undecided.
//!
//! An empty turn can neither succeed nor fail. Like an undecided one, it is left out of every rate
//! and counted separately. Variants of metrics that follow released programs in counting it have
//! `_as_released` in their names.
//!
//! Dialogues with the same text are one cluster wherever uncertainty is computed (`texts`,
//! `statistics`).

pub mod agreement;
mod answers;
mod breakdown;
mod by_turn;
mod caveats;
mod checklist;
pub mod compare;
mod csr;
mod dialogues;
mod edr;
mod interval;
mod isr;
#[cfg(test)]
mod laws;
mod marks;
mod measurement;
mod metric;
mod no_text;
mod own;
mod pif;
mod points;
mod rec;
mod replay;
mod rob;
mod rounds;
mod samples;
mod slices;
mod statistics;
mod summary;
mod survival;
mod tally;
#[doc(hidden)]
pub mod testing;
mod texts;
mod totals;
mod turn_outcome;
mod undecided;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use ifs_model::table::{OwnMetric, Speaker};

pub use answers::{AnswerRow, AnswerScores, JointCount, Spread, answers};
pub use breakdown::{Breakdown, BreakdownRow, age_row, tag_levels};
pub use by_turn::TurnScore;
pub use dialogues::{DialogueSource, Dialogues};
pub use ifs_draw::{CriterionKind, TurnHash};
pub(crate) use interval::student;
pub use measurement::{
    ConfidenceInterval, Direction, Measurement, MetricUnit, OwnKind, ScoreValue,
};
pub use metric::{ComparedMetric, Metric, MetricScore, UndecidedBounds};
pub use no_text::NoText;
pub use own::sums as own_sums;
pub use pif::{ExactShare, PifMean, Profile, followed, profile};
pub use points::points;
pub use replay::Replay;
pub use rounds::RoundScore;
pub use samples::{SampleScore, SampleScores};
pub use slices::Slice;
pub use statistics::ratio_error;
pub use summary::{DialogueSummary, Miss};
pub use survival::SurvivalPoint;
pub use tally::OutcomeTally;
pub use texts::number_texts;
pub use totals::{EndingCount, ScoreTotals};
pub use turn_outcome::TurnOutcome;

/// Every metric, in the order in which reports show them.
pub const METRICS: &[Metric] = &[
    csr::CSR,
    isr::ISR,
    samples::CSR_MEAN,
    samples::ISR_MEAN,
    rob::ROB,
    edr::EDR_LEN,
    edr::EDR_ACC,
    edr::EDR_SUCC,
    edr::EDR_LSS,
    rec::REC,
    rec::REC_AS_RELEASED,
    checklist::DRFR,
    checklist::WCSR,
    checklist::CSR_AS_RELEASED,
    checklist::ISR_AS_RELEASED,
    checklist::WCSR_AS_RELEASED,
    points::POINTS,
    rounds::UTILITY_RATE,
    rounds::MEESEEKS_SCORE,
    pif::PIF,
    pif::PIF_AS_RELEASED,
    pif::PIF_N_1,
    pif::PIF_N_N,
    marks::MARK,
    marks::CF,
];

/// The outcome of one constraint for one response.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The response satisfies it.
    Held,
    /// The response does not.
    Missed,
    /// The judge's reply could not be parsed: neither a pass nor a zero.
    Unjudged,
    /// A part of the response that it refers to was not found. Counts as missed.
    Unextracted,
    /// One of its prerequisites was missed. Counts as missed.
    Blocked,
}

impl Outcome {
    /// Whether it counts as missed.
    #[must_use]
    pub fn is_missed(self) -> bool {
        match self {
            Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => true,
            Outcome::Held | Outcome::Unjudged => false,
        }
    }

    /// The value of an observation with this outcome; `None` if it could not be read.
    #[must_use]
    pub fn observed(self) -> Option<bool> {
        match self {
            Outcome::Held => Some(true),
            // An observation about a missing part does not hold.
            Outcome::Missed | Outcome::Unextracted => Some(false),
            Outcome::Unjudged | Outcome::Blocked => None,
        }
    }

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Held => "held",
            Outcome::Missed => "missed",
            Outcome::Unjudged => "unjudged",
            Outcome::Unextracted => "unextracted",
            Outcome::Blocked => "blocked",
        }
    }
}

/// How the outcome was decided.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMethod {
    Rule,
    Judge,
    SimulatedJudge,
}

/// The outcome of one constraint or criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ScoredConstraint {
    /// The name, such as `length.at_least`; for a criterion, its name.
    pub constraint: String,
    /// The constraint's group; for a criterion, its kind.
    pub group: String,
    pub outcome: Outcome,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Speaker::is_user")]
    pub speaker: Speaker,
    /// Whether it was missed, and holds in the loose reading.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loose: bool,
    /// Turns since it was imposed; 0 on the turn that imposed it.
    pub age: u32,
    pub by: DecisionMethod,
    /// The explanation of a miss.
    pub why: Option<String>,
    /// Its weight in weighted scores, if declared; finite and not negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The kind of criterion; `None` for a constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CriterionKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The points of a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// The mean of the marks that judges gave on its scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<f64>,
}

impl ScoredConstraint {
    /// Whether it is the outcome of an active constraint: two speakers may say the same one.
    pub fn is_of(&self, active: &ifs_draw::Active) -> bool {
        self.constraint == active.constraint && self.speaker == active.speaker
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ScoredTurn {
    /// The turn's number, from 1.
    pub turn: u32,
    /// Its name in the scenario, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub topic: Option<String>,
    /// The flow move: `new`, `stay`, `backtrack`, or the turn's relations.
    pub transition: Option<String>,
    /// The user message, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<TurnHash>,
    /// Responses to the turn that reached the token limit or were withheld by the endpoint.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub cut: u64,
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub withheld: u64,
    /// Responses to the turn for which the endpoint gave no stop reason.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub without_stop_reason: u64,
    /// The names of the models that gave the responses to the turn, as the endpoint names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served: Vec<String>,
    /// Why the first response has no text, and further ones if they have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_without_text: Vec<NoText>,
    /// Responses with reasoning outside of their text.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub reasoned: u64,
    /// The markers of leading blocks with names that no model is known for: of those that were kept
    /// apart as reasoning, and of those that were scored as part of the response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_reasoning: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_blocks: Vec<String>,
    /// Why outcomes of the first response could not be judged, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<String>,
    /// The part of `report … by` that the turn is in, if turns have parts and not the dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// The turn's classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The observations on the response from which the dialogue continues, by name; `None` for one
    /// that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<(String, Option<bool>)>,
    /// Characters of the first response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
    /// Characters of all messages of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The tokens of the request, as the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The outcomes for the first response: the active constraints, then the criteria of the turn.
    pub constraints: Vec<Arc<ScoredConstraint>>,
    /// The outcomes of overruled constraints for the first response, which are in no score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<Arc<ScoredConstraint>>,
    /// The outcomes for the responses to feedback, by round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Vec<Arc<ScoredConstraint>>>,
    /// The outcomes for further samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Vec<Arc<ScoredConstraint>>>,
}

/// Why a dialogue ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The user's patience is spent.
    Patience,
    /// The condition of the dialogue's `end` holds, as written.
    Condition(String),
    /// The drawn turns ran out.
    Script,
    /// The run's `--max-turns` was reached first.
    MaxTurns,
    /// The conversation did not fit into the context window of the model.
    ContextLength,
    /// The run was interrupted, or the program did not continue.
    Interrupted,
    /// An infrastructure error, with its message.
    Failed(String),
    /// One that the same request would have again, with its message.
    PermanentFailure(String),
    /// Scored by other verdicts or with more patience than when it was run, it would have gone on:
    /// its later turns were never recorded.
    Unrecorded,
}

impl Ending {
    /// The message of the infrastructure error that ended the dialogue.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Ending::Failed(why) | Ending::PermanentFailure(why) => Some(why),
            Ending::Patience
            | Ending::Condition(_)
            | Ending::Script
            | Ending::MaxTurns
            | Ending::ContextLength
            | Ending::Unrecorded
            | Ending::Interrupted => None,
        }
    }

    /// Whether the dialogue was run to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failure().is_none() && *self != Ending::Interrupted
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ScoredDialogue {
    pub dialogue: String,
    pub index: u64,
    pub seed: u64,
    pub turns: Vec<ScoredTurn>,
    pub ending: Ending,
    /// The value of the dialogue's `report … by`, by which scores are grouped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// Whether the responses decide which turns are run, so that runs differ.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reacts: bool,
    /// Dialogues with the same number have the same text. [`score`] fills it in if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ScoreOptions {
    /// Scores the dialogues as if the user's patience had been this. Recorded turns can be cut but
    /// not added, so it must not exceed the patience of the recording. 0 means the same as 1.
    pub patience: Option<u32>,
    /// Whether repeats were skipped when the dialogues were drawn. Otherwise the recorded turns of
    /// texts are compared.
    #[serde(default)]
    pub distinct: bool,
    /// Metrics by expressions, after the built-in ones.
    #[serde(skip)]
    pub metrics: Vec<OwnMetric>,
}

/// All scores of a run, for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Scorecard {
    pub options: ScoreOptions,
    pub totals: ScoreTotals,
    /// One for each of [`METRICS`], in that order, and then for each of `options.metrics`.
    pub metrics: Vec<MetricScore>,
    pub survival: Vec<SurvivalPoint>,
    pub breakdown: Breakdown,
    /// The metrics of each slice, by name; empty without slices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// The metrics of the turns of each name; empty where no turn states facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_turn: Vec<TurnScore>,
    /// The scores of each round of feedback; empty without rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundScore>,
    /// The scores over all responses to a turn; absent where no turn has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleScores>,
    pub endings: Vec<EndingCount>,
    /// Present if `Options::patience` was set.
    pub replay: Option<Replay>,
    /// Caveats about the numbers; empty if there are none.
    pub caveats: Vec<String>,
    /// The dialogues as they were scored: after a replay of patience, ordered by index.
    pub dialogues: Dialogues,
}

impl Scorecard {
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&Measurement> {
        let found = self.metrics.iter().find(|metric| metric.name == name)?;
        Some(&found.measured)
    }

    /// The caveats about what endpoints did besides answering: they belong next to every table.
    #[must_use]
    pub fn endpoint_caveats(&self) -> Vec<String> {
        caveats::of_endpoints(&self.dialogues, &self.totals)
    }

    /// The dialogues with the smallest share of successful turns that missed anything, worst first.
    #[must_use]
    pub fn worst(&self, most: usize) -> Vec<DialogueSummary> {
        summary::worst(&self.dialogues, most)
    }
}

/// Scores a run. Dialogues are sorted by index first, so the same outcomes give the same bytes in
/// any order.
#[must_use]
pub fn score(dialogues: &[ScoredDialogue], options: &ScoreOptions) -> Scorecard {
    score_all(dialogues.iter().cloned().collect(), options)
}

/// [`score`] for dialogues in their compact form, so that a large run is not copied.
#[must_use]
pub fn score_all(mut dialogues: Dialogues, options: &ScoreOptions) -> Scorecard {
    dialogues.sort();
    texts::number(&mut dialogues, options.distinct);
    let (dialogues, replay) = match options.patience {
        Some(patience) => {
            let (dialogues, replay) = replay::replay(&dialogues, patience);
            (dialogues, Some(replay))
        }
        None => (dialogues, None),
    };
    let totals = totals::totals(&dialogues);
    let endings = totals::endings(&dialogues);
    let mut metrics = scores(&dialogues, &options.metrics);
    if totals.constraints.unjudged > 0 {
        undecided::add_bounds(&mut metrics, &dialogues, &options.metrics);
    }
    let caveats = caveats::caveats(&dialogues, &totals, &endings, &metrics);
    Scorecard {
        options: options.clone(),
        metrics,
        survival: survival::survival(&dialogues),
        breakdown: breakdown::breakdown(&dialogues),
        slices: slices::slices(&dialogues, &options.metrics),
        by_turn: by_turn::by_turn(&dialogues),
        rounds: rounds::rounds(&dialogues),
        samples: samples::samples(&dialogues),
        totals,
        endings,
        replay,
        caveats,
        dialogues,
    }
}

/// Every built-in metric, then those by expressions.
fn scores(dialogues: &impl DialogueSource, own: &[OwnMetric]) -> Vec<MetricScore> {
    let own = own.iter().map(|metric| own::score(metric, dialogues));
    metric::scores(dialogues).into_iter().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::testing::{dialogue, dialogues};
    use super::*;

    #[test]
    fn empty_runs_score_undefined() {
        let card = score(&[], &ScoreOptions::default());
        for metric in &card.metrics {
            assert!(
                matches!(metric.measured.value, ScoreValue::Undefined { .. }),
                "{}",
                metric.name
            );
        }
        assert!(card.survival.is_empty());
        assert!(card.worst(3).is_empty());
    }

    #[test]
    fn order_of_arrival_does_not_matter() {
        let mut given = dialogues(&["SFSFF", "SSSFSFFF", "FFF", "S?F", "EM"]);
        for (index, dialogue) in given.iter_mut().enumerate() {
            dialogue.index = index as u64;
        }
        let forward = score(&given, &ScoreOptions::default());
        given.reverse();
        assert_eq!(forward, score(&given, &ScoreOptions::default()));
    }

    #[test]
    fn a_scorecard_survives_json() -> Result<(), serde_json::Error> {
        let card = score(
            &dialogues(&["SFS", "M?E"]),
            &ScoreOptions { patience: Some(2), ..ScoreOptions::default() },
        );
        let text = serde_json::to_string(&card)?;
        assert_eq!(serde_json::from_str::<Scorecard>(&text)?, card);
        Ok(())
    }

    #[test]
    fn one_turn() {
        let card = score(&[dialogue("S")], &ScoreOptions::default());
        for name in ["CSR", "ISR", "ROB", "EDR_len", "EDR_acc", "EDR_succ", "EDR_lss"] {
            assert_eq!(card.metric(name).and_then(Measurement::number), Some(1.0), "{name}");
        }
        assert_eq!(card.metric("REC").and_then(Measurement::number), None);
    }

    /// docs/metrics.md has the formula and the source of each metric.
    #[test]
    fn every_metric_is_documented_with_its_source() {
        let page = include_str!("../../../docs/metrics.md");
        for Metric { name, source, .. } in METRICS {
            let row = format!("| `{name}` | ");
            let row = page.lines().find(|line| line.starts_with(&row));
            let row = row.unwrap_or_else(|| panic!("no row for {name}"));
            assert!(row.ends_with(&format!(" | {source} |")), "{name}: {source}: {row}");
        }
    }

    #[test]
    fn metric_names_are_unique_and_in_table_order() {
        let card = score(&[], &ScoreOptions::default());
        let names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
        let scored: Vec<_> = card.metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, scored);
        assert_eq!(names, ifs_model::METRICS, "what `report` may name");
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
    }
}
