//! How long users stay, and the success rate by turn number.
//!
//! Turns have the numbers of the dialogue. A given turn is not judged; like an empty one it cannot
//! cost patience. An empty turn was played, so its dialogue is at risk there (the
//! estimate is the share of dialogues that last beyond each turn: Kaplan and Meier 1958,
//! doi:10.1080/01621459.1958.10501452); it is in no success rate.
//!
//! The standard error of the estimate is Greenwood's (1926, *Reports on Public Health and Medical
//! Subjects* 33), SE(S)² = S² Σ lost / (at risk (at risk - lost)). Its interval is symmetric in
//! log(-log S), so that it stays between 0 and 1 (Kalbfleisch and Prentice 1980, *The Statistical
//! Analysis of Failure Time Data*, section 1.3). Both count every dialogue as one observation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::interval::NORMAL_QUANTILE;
use super::{ConfidenceInterval, DialogueSource, Ending, ScoredDialogue, ScoredTurn, TurnOutcome};

/// The counts of one turn number, over all dialogues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct SurvivalPoint {
    /// The turn number, from 1. Numbers that are given in every dialogue are left out.
    pub turn: u32,
    /// Dialogues that played this turn.
    pub at_risk: u64,
    /// Of those, how many lost patience on it.
    pub lost: u64,
    /// Of those, how many stopped after it for another reason.
    pub censored: u64,
    /// Share of all dialogues that played this turn.
    pub alive: f64,
    /// The Kaplan-Meier estimate of the share with patience left after this turn. Dialogues that
    /// ended for another reason than patience are censored.
    pub patient: f64,
    /// The standard error of `patient`; `None` once it is 0.
    #[serde(default)]
    pub standard_error: Option<f64>,
    /// The 95 % interval of `patient`; `None` while it is 1, and once it is 0.
    #[serde(default)]
    pub interval: Option<ConfidenceInterval>,
    /// The share of decided turns with this number that succeeded; `None` if none was decided.
    pub successful: Option<f64>,
    pub successes: u64,
    pub undecided: u64,
    /// Dialogues for which this turn is empty, or given.
    #[serde(default)]
    pub empty: u64,
}

pub(super) fn survival(dialogues: &impl DialogueSource) -> Vec<SurvivalPoint> {
    let mut numbered: BTreeMap<u32, SurvivalPoint> = BTreeMap::new();
    for dialogue in dialogues.each() {
        for turn in numbers(&dialogue) {
            numbered.entry(turn).or_insert_with(|| SurvivalPoint::empty_at(turn));
        }
    }
    let mut begun = 0;
    for dialogue in dialogues.each() {
        begun += usize::from(!dialogue.turns.is_empty());
        let numbers = numbers(&dialogue);
        let Some(last) = numbers.last() else { continue };
        let mut turns = numbers.iter().zip(&dialogue.turns).peekable();
        for (number, point) in numbered.range_mut(..=*last) {
            let turn = turns.next_if(|(own, _)| *own == number).map(|(_, turn)| turn);
            point.add(&dialogue, turn, number == last);
        }
    }
    let mut points: Vec<SurvivalPoint> = numbered.into_values().collect();
    let (mut patient, mut variance) = (1.0, 0.0);
    for point in &mut points {
        let decided = point.at_risk - point.undecided - point.empty;
        point.successful = (decided > 0).then(|| point.successes as f64 / decided as f64);
        let (at_risk, lost) = (point.at_risk as f64, point.lost as f64);
        patient *= 1.0 - lost / at_risk;
        point.patient = patient;
        if point.lost < point.at_risk {
            variance += lost / (at_risk * (at_risk - lost));
            point.standard_error = (patient > 0.0).then(|| patient * variance.sqrt());
            point.interval = greenwood(patient, variance);
        }
        point.alive = point.at_risk as f64 / begun as f64;
    }
    points
}

/// The numbers of a dialogue's turns, which rise.
fn numbers(dialogue: &ScoredDialogue) -> Vec<u32> {
    let mut last = 0_u32;
    let next = |turn: &ScoredTurn| {
        last = turn.turn.max(last.saturating_add(1));
        last
    };
    dialogue.turns.iter().map(next).collect()
}

/// The interval of an estimate S whose logarithm has this variance: S to the powers exp(±θ), with
/// θ = 1.96 √variance / log S.
fn greenwood(patient: f64, variance: f64) -> Option<ConfidenceInterval> {
    if patient <= 0.0 || patient >= 1.0 {
        return None;
    }
    let logarithm = libm::log(patient);
    let theta = NORMAL_QUANTILE * variance.sqrt() / logarithm;
    let power = |sign: f64| libm::exp(logarithm * libm::exp(sign * theta));
    let (one, other) = (power(1.0), power(-1.0));
    Some(ConfidenceInterval::between(one.min(other), one.max(other)))
}

impl SurvivalPoint {
    /// Without dialogues. INVARIANT: made only for turns that some dialogue reaches, so `at_risk`
    /// becomes at least 1.
    fn empty_at(turn: u32) -> SurvivalPoint {
        SurvivalPoint {
            turn,
            at_risk: 0,
            lost: 0,
            censored: 0,
            alive: 0.0,
            patient: 0.0,
            standard_error: None,
            interval: None,
            successful: None,
            successes: 0,
            undecided: 0,
            empty: 0,
        }
    }

    /// Adds a dialogue that continues to this turn; it is given without `turn`.
    fn add(&mut self, dialogue: &ScoredDialogue, turn: Option<&ScoredTurn>, is_last: bool) {
        self.at_risk += 1;
        match turn.map_or(TurnOutcome::Empty, ScoredTurn::verdict) {
            TurnOutcome::Success => self.successes += 1,
            TurnOutcome::Failure => {}
            TurnOutcome::Undecided => self.undecided += 1,
            TurnOutcome::Empty => self.empty += 1,
        }
        if is_last {
            match dialogue.ending {
                Ending::Patience => self.lost += 1,
                Ending::Condition(_)
                | Ending::Script
                | Ending::MaxTurns
                | Ending::ContextLength
                | Ending::Interrupted
                | Ending::Failed(_)
                | Ending::PermanentFailure(_)
                | Ending::Unrecorded => self.censored += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dialogue, dialogues};
    use super::*;

    #[test]
    fn by_hand() {
        // Two lose patience after turns 2 and 4, two are censored after turns 2 and 3.
        let mut given = dialogues(&["SF", "SSFF", "S?", "SSS"]);
        for dialogue in given.iter_mut().take(2) {
            dialogue.ending = Ending::Patience;
        }
        let points = survival(&given);
        let at_risk: Vec<_> = points.iter().map(|point| point.at_risk).collect();
        assert_eq!(at_risk, [4, 4, 2, 1]);
        let patient: Vec<_> = points.iter().map(|point| point.patient).collect();
        assert_eq!(patient, [1.0, 0.75, 0.75, 0.0]);
        let alive: Vec<_> = points.iter().map(|point| point.alive).collect();
        assert_eq!(alive, [1.0, 1.0, 0.5, 0.25]);
        let successful: Vec<_> = points.iter().map(|point| point.successful).collect();
        assert_eq!(successful, [Some(1.0), Some(2.0 / 3.0), Some(0.5), Some(0.0)]);
        let censored: Vec<_> = points.iter().map(|point| point.censored).collect();
        assert_eq!(censored, [0, 1, 1, 0]);
    }

    /// lifelines 0.30.3: `KaplanMeierFitter().fit(T, E)` with its default interval.
    #[test]
    fn survival_estimates_match_lifelines() {
        let turns = [3, 3, 4, 5, 5, 6, 8, 8, 10, 10, 12, 12];
        let is_lost = [1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0];
        let lives = turns.into_iter().zip(is_lost).map(|(turns, is_lost)| {
            let ending = if is_lost == 1 { Ending::Patience } else { Ending::MaxTurns };
            ScoredDialogue { ending, ..dialogue(&"S".repeat(turns)) }
        });
        let points = survival(&lives.collect::<Vec<_>>());
        for (turn, patient, lower, upper) in [
            (3, 0.833_333_333_333_333_5, 0.481_714_942_195_378_64, 0.955_509_365_728_065),
            (4, 0.75, 0.408_415_913_151_594_9, 0.911_720_406_125_698_4),
            (6, 0.571_428_571_428_571_4, 0.253_802_780_459_909_67, 0.795_812_687_538_135),
            (10, 0.357_142_857_142_857_1, 0.098_265_349_260_506_74, 0.633_224_596_778_101_7),
            (12, 0.178_571_428_571_428_55, 0.012_171_692_865_675_926, 0.510_070_630_561_836_4),
        ] {
            let point = &points[turn - 1];
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(
                near(point.patient, patient)
                    && point
                        .interval
                        .is_some_and(|it| near(it.lower, lower) && near(it.upper, upper)),
                "{point:?}"
            );
        }
        assert_eq!((points[0].standard_error, points[0].interval), (Some(0.0), None));
    }

    #[test]
    fn empty_turns_are_left_out_of_shares() {
        let points = survival(&dialogues(&["E", "S", "F"]));
        assert_eq!((points[0].at_risk, points[0].empty), (3, 1));
        assert_eq!(points[0].successful, Some(0.5));
        assert_eq!(survival(&dialogues(&["E"]))[0].successful, None);
    }

    #[test]
    fn given_turns_keep_their_numbers() {
        let mut one = dialogue("SF");
        (one.turns[0].turn, one.turns[1].turn) = (2, 5);
        let mut other = dialogue("S");
        other.turns[0].turn = 3;
        let points = survival(&[one, other]);
        let short: Vec<_> = points.iter().map(|it| (it.turn, it.at_risk, it.empty)).collect();
        assert_eq!(short, [(2, 2, 1), (3, 2, 1), (5, 1, 0)]);
        assert_eq!((points[0].successful, points[1].censored), (Some(1.0), 1));
    }

    #[test]
    fn patience_never_spent_stays_at_one() {
        let points = survival(&[dialogue("SFS")]);
        assert!(points.iter().all(|point| point.patient == 1.0));
        assert!(survival(&[dialogue("")]).is_empty());
    }
}
