//! How long users stay, and the success rate by turn number.
//!
//! An empty turn cannot cost patience. It was played, so its dialogue is at risk there (the
//! estimate is the share of dialogues that last beyond each turn: Kaplan and Meier 1958,
//! doi:10.1080/01621459.1958.10501452); it is in no success rate.

use serde::{Deserialize, Serialize};

use super::{Ending, ScoredDialogue, TurnOutcome};

/// The counts of one turn number, over all dialogues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct SurvivalPoint {
    /// The turn number, from 1.
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
    /// The share of decided turns with this number that succeeded; `None` if none was decided.
    pub successful: Option<f64>,
    pub successes: u64,
    pub undecided: u64,
    /// Dialogues for which this turn is empty.
    #[serde(default)]
    pub empty: u64,
}

pub(super) fn survival(dialogues: &[ScoredDialogue]) -> Vec<SurvivalPoint> {
    let longest = dialogues.iter().map(|dialogue| dialogue.turns.len()).max().unwrap_or(0);
    let begun = dialogues.iter().filter(|dialogue| !dialogue.turns.is_empty()).count();
    let mut patient = 1.0;
    let mut points = Vec::with_capacity(longest);
    for place in 0..longest {
        let mut point = at(dialogues, place);
        patient *= 1.0 - point.lost as f64 / point.at_risk as f64;
        point.patient = patient;
        point.alive = point.at_risk as f64 / begun as f64;
        points.push(point);
    }
    points
}

/// INVARIANT: called only for turns that some dialogue reaches, so `at_risk` is at least 1.
fn at(dialogues: &[ScoredDialogue], place: usize) -> SurvivalPoint {
    let mut point = SurvivalPoint {
        turn: u32::try_from(place + 1).unwrap_or(u32::MAX),
        at_risk: 0,
        lost: 0,
        censored: 0,
        alive: 0.0,
        patient: 0.0,
        successful: None,
        successes: 0,
        undecided: 0,
        empty: 0,
    };
    for dialogue in dialogues {
        let Some(turn) = dialogue.turns.get(place) else {
            continue;
        };
        point.at_risk += 1;
        match turn.verdict() {
            TurnOutcome::Success => point.successes += 1,
            TurnOutcome::Failure => {}
            TurnOutcome::Undecided => point.undecided += 1,
            TurnOutcome::Empty => point.empty += 1,
        }
        if place + 1 == dialogue.turns.len() {
            match dialogue.ending {
                Ending::Patience => point.lost += 1,
                Ending::Condition(_)
                | Ending::Script
                | Ending::MaxTurns
                | Ending::Interrupted
                | Ending::Failed(_) => point.censored += 1,
            }
        }
    }
    let decided = point.at_risk - point.undecided - point.empty;
    point.successful = (decided > 0).then(|| point.successes as f64 / decided as f64);
    point
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

    #[test]
    fn a_turn_on_which_nothing_is_asked_is_in_no_share() {
        let points = survival(&dialogues(&["E", "S", "F"]));
        assert_eq!((points[0].at_risk, points[0].empty), (3, 1));
        assert_eq!(points[0].successful, Some(0.5));
        assert_eq!(survival(&dialogues(&["E"]))[0].successful, None);
    }

    #[test]
    fn patience_never_spent_stays_at_one() {
        let points = survival(&[dialogue("SFS")]);
        assert!(points.iter().all(|point| point.patient == 1.0));
        assert!(survival(&[dialogue("")]).is_empty());
    }
}
