//! Verdicts on responses.

use std::fmt;

use ifs_draw::ScriptTurn;
use ifs_judge as judge;
use ifs_plan::Plan;
use ifs_run::weight_of;
use ifs_score::{DecisionMethod, Outcome};

/// The verdict on one constraint or criterion of a response.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The name of a constraint (`length.at_least`), or the key of a criterion (`fact 1`).
    pub key: String,
    /// The name of the constraint's group; `None` for a criterion.
    pub group: Option<String>,
    /// Whether the constraint holds.
    pub outcome: Outcome,
    /// Whether the verdict comes from a judge instead of a rule.
    pub by_judge: bool,
    /// Why the constraint failed or could not be judged.
    pub why: Option<String>,
    /// Who states the constraint: `system`, `user` or `tool`.
    pub speaker: &'static str,
    /// Its weight in weighted scores, if the scenario declares one.
    pub weight: Option<f64>,
}

impl Verdict {
    pub(crate) fn from_record(
        record: &judge::VerdictRecord,
        plan: &Plan,
        dialogue: &str,
        turn: &ScriptTurn,
    ) -> Verdict {
        let group = record.kind.is_none().then(|| plan.group_of(&record.constraint));
        Verdict {
            key: record.key(),
            group: group.flatten().map(|group| group.name.clone()),
            outcome: record.outcome,
            by_judge: record.by != DecisionMethod::Rule,
            why: record.why.clone(),
            speaker: record.speaker.word(),
            weight: weight_of(plan, dialogue, turn, record),
        }
    }
}

/// `length.at_least: missed: it has 12 words; at least 40 are required`
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.outcome.word())?;
        match &self.why {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}
