//! Votes of judges and their aggregation.

use serde::{Deserialize, Serialize};

use ifs_model::table::Scale;
use ifs_score::Outcome;

/// One vote of a judge on one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Vote {
    /// The judge's name as the user gave it: `openai/gpt-4o`.
    pub judge: String,
    /// The repeat; 0 is the first.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub repeat: u32,
    pub value: VoteValue,
    /// The judge said the opposite of `value`: no is the good answer to its question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_is_good: bool,
    /// The judge's reason, or why the reply could not be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The complete reply, if it could not be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

impl Vote {
    /// The judge's answer, and the passing answer if that is no.
    pub fn answer(&self) -> String {
        match self.value {
            VoteValue::Yes if self.no_is_good => "no (no is good)".to_owned(),
            VoteValue::No if self.no_is_good => "yes (no is good)".to_owned(),
            VoteValue::Yes => "yes".to_owned(),
            VoteValue::No => "no".to_owned(),
            VoteValue::Mark(mark) => mark.to_string(),
            VoteValue::Unreadable => "unreadable".to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoteValue {
    Yes,
    No,
    Mark(i64),
    /// Neither a pass nor a zero.
    Unreadable,
}

impl VoteValue {
    /// Whether the vote passes; `None` for an unreadable vote.
    pub fn passes(self, scale: Option<&Scale>) -> Option<bool> {
        match (self, scale) {
            (VoteValue::Yes, None) => Some(true),
            (VoteValue::No, None) => Some(false),
            (VoteValue::Mark(mark), Some(scale)) => Some(scale.passes(mark)),
            (VoteValue::Yes | VoteValue::No | VoteValue::Mark(_) | VoteValue::Unreadable, _) => {
                None
            }
        }
    }
}

/// The aggregation rule of a panel.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AggregationRule {
    /// The verdict of more than half of all votes.
    #[default]
    Majority,
    /// The verdict that all votes agree on.
    Consensus,
    /// The mean of the marks, compared with the threshold; for yes and no, the verdict
    /// of more than half of the readable votes. More than half of all votes must be readable.
    Mean,
}

impl AggregationRule {
    pub fn word(self) -> &'static str {
        match self {
            AggregationRule::Majority => "majority",
            AggregationRule::Consensus => "consensus",
            AggregationRule::Mean => "mean",
        }
    }

    /// Unreadable votes count as votes, but for neither side.
    pub fn outcome(self, votes: &[Vote], scale: Option<&Scale>) -> Outcome {
        let read: Vec<bool> = votes.iter().filter_map(|vote| vote.value.passes(scale)).collect();
        let passed = read.iter().filter(|passed| **passed).count();
        let failed = read.len() - passed;
        let more_than = |part: usize, whole: usize| part * 2 > whole;
        match (self, scale) {
            (AggregationRule::Majority, _) if more_than(passed, votes.len()) => Outcome::Held,
            (AggregationRule::Majority, _) if more_than(failed, votes.len()) => Outcome::Missed,
            (AggregationRule::Consensus, _) if passed > 0 && passed == votes.len() => Outcome::Held,
            (AggregationRule::Consensus, _) if failed > 0 && failed == votes.len() => {
                Outcome::Missed
            }
            (AggregationRule::Mean, _) if !more_than(read.len(), votes.len()) => Outcome::Unjudged,
            (AggregationRule::Mean, None) if more_than(passed, read.len()) => Outcome::Held,
            (AggregationRule::Mean, None) if more_than(failed, read.len()) => Outcome::Missed,
            (AggregationRule::Mean, Some(scale)) => {
                let marks = votes.iter().filter_map(|vote| match vote.value {
                    VoteValue::Mark(mark) => Some(i128::from(mark)),
                    VoteValue::Yes | VoteValue::No | VoteValue::Unreadable => None,
                });
                let limit = i128::from(scale.threshold) * read.len() as i128;
                if scale.pass.holds(marks.sum::<i128>().cmp(&limit)) {
                    Outcome::Held
                } else {
                    Outcome::Missed
                }
            }
            (AggregationRule::Majority | AggregationRule::Consensus | AggregationRule::Mean, _) => {
                Outcome::Unjudged
            }
        }
    }
}

/// The aggregated votes of a panel on one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregatedVote {
    pub name: String,
    pub outcome: Outcome,
    pub votes: Vec<Vote>,
    pub why: Option<String>,
    /// Whether a simulated judge voted.
    pub simulated: bool,
}

impl AggregatedVote {
    pub fn aggregate(
        name: &str,
        votes: Vec<Vote>,
        rule: AggregationRule,
        scale: Option<&Scale>,
    ) -> AggregatedVote {
        let outcome = rule.outcome(&votes, scale);
        AggregatedVote {
            name: name.to_owned(),
            outcome,
            why: failure_reason(&votes, outcome, scale),
            simulated: votes.iter().any(|vote| is_simulated(&vote.judge)),
            votes,
        }
    }
}

pub fn is_simulated(judge: &str) -> bool {
    judge.starts_with("sim/")
}

/// Why the item failed, in the judges' words, or why there is no outcome.
fn failure_reason(votes: &[Vote], outcome: Outcome, scale: Option<&Scale>) -> Option<String> {
    let reported = |vote: &Vote| {
        let answer = vote.answer();
        match &vote.why {
            Some(why) => format!("{}: {answer}, {why}", vote.judge),
            None => format!("{}: {answer}", vote.judge),
        }
    };
    let chosen: Vec<String> = match outcome {
        Outcome::Held => return None,
        Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => votes
            .iter()
            .filter(|vote| vote.value.passes(scale) == Some(false))
            .map(reported)
            .collect(),
        Outcome::Unjudged => votes.iter().map(reported).collect(),
    };
    Some(chosen.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_predicate::tree::CompareOp;

    fn votes(said: &[VoteValue]) -> Vec<Vote> {
        let vote = |said: &VoteValue| Vote {
            judge: "openai/m".to_owned(),
            repeat: 0,
            value: *said,
            no_is_good: false,
            why: None,
            reply: None,
        };
        said.iter().map(vote).collect()
    }

    #[test]
    fn rules_over_yes_and_no() {
        use Outcome::{Held, Missed, Unjudged};
        use VoteValue::{No, Unreadable as Lost, Yes};
        for (said, wanted) in [
            (&[Yes][..], [Held, Held, Held]),
            (&[No], [Missed, Missed, Missed]),
            (&[Lost], [Unjudged, Unjudged, Unjudged]),
            (&[], [Unjudged, Unjudged, Unjudged]),
            (&[Yes, Yes, No], [Held, Unjudged, Held]),
            (&[Yes, No], [Unjudged, Unjudged, Unjudged]),
            (&[Yes, Yes, Lost], [Held, Unjudged, Held]),
            (&[Yes, Lost, Lost], [Unjudged, Unjudged, Unjudged]),
            // Two of four are not a majority, but the mean uses the three readable ones.
            (&[Yes, Yes, No, Lost], [Unjudged, Unjudged, Held]),
            (&[No, No, No], [Missed, Missed, Missed]),
        ] {
            let found =
                [AggregationRule::Majority, AggregationRule::Consensus, AggregationRule::Mean]
                    .map(|rule| rule.outcome(&votes(said), None));
            assert_eq!(found, wanted, "{said:?}");
        }
    }

    #[test]
    fn rules_over_marks() {
        use Outcome::{Held, Missed, Unjudged};
        use VoteValue::{Mark, Unreadable as Lost};
        let scale = Scale { low: 1, high: 10, pass: CompareOp::More, threshold: 6 };
        for (said, wanted) in [
            (&[Mark(7), Mark(7), Mark(1)][..], [Held, Unjudged, Missed]),
            (&[Mark(6), Mark(6), Mark(10)], [Missed, Unjudged, Held]),
            (&[Mark(6), Mark(6)], [Missed, Missed, Missed]),
            (&[Mark(9), Mark(9), Lost], [Held, Unjudged, Held]),
            (&[Mark(9), Lost], [Unjudged, Unjudged, Unjudged]),
            // A yes is not a mark.
            (&[VoteValue::Yes], [Unjudged, Unjudged, Unjudged]),
        ] {
            let found =
                [AggregationRule::Majority, AggregationRule::Consensus, AggregationRule::Mean]
                    .map(|rule| rule.outcome(&votes(said), Some(&scale)));
            assert_eq!(found, wanted, "{said:?}");
        }
    }
}
