//! Hashes of a turn: equal if the messages are, and if the response is judged on the same,
//! independent of the dialogue.

use serde::{Deserialize, Serialize};

use super::{Criterion, ScriptTurn};
use ifs_model::table::{Context, DecidedBy, Dialogue};
use ifs_plan::Plan;
use ifs_predicate::tree::Tree;

/// Hashes of the messages and the constraints of a turn.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub struct TurnHash {
    /// The messages of the turn: the system message, what is shown, the user message, and what the
    /// history has in place of the response if that is fixed.
    pub messages: u64,
    /// What the response is judged on.
    pub judged: u64,
}

impl TurnHash {
    /// The hashes of a drawn turn. Names (of topics, styles, records, turns) are ignored, unless a
    /// check uses their records.
    pub fn from_turn(plan: &Plan, table: &Dialogue, turn: &ScriptTurn) -> TurnHash {
        let golden = turn.golden.as_ref().filter(|_| table.context == Context::Golden);
        let fixed = turn.given.as_ref().or(golden);
        let messages = (&turn.system, &turn.show, &turn.ask, &turn.reminder, fixed);
        let over = table.over.as_ref().map_or("", |(_, name)| name);
        let read = RecordsRead::by(plan, turn, over);
        let topic = read.topic.then_some(&turn.topic);
        let style = turn.style.as_ref().filter(|_| read.style);
        let over = turn.over.as_ref().filter(|_| read.over);
        let judged = (&turn.active_constraints, &turn.criteria, &turn.parts, topic, style, over);
        let judged = match turn.most_rounds {
            None => number(&judged),
            Some(rounds) => number(&(judged, rounds)),
        };
        TurnHash { messages: number(&messages), judged }
    }
}

/// Texts, lists and finite numbers always serialize.
fn number(value: &impl Serialize) -> u64 {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    ifs_value::stable_hash::little_endian(&blake3::hash(&bytes).as_bytes()[..8])
}

/// The records that the checks of a turn use.
struct RecordsRead {
    topic: bool,
    style: bool,
    over: bool,
}

impl RecordsRead {
    fn by(plan: &Plan, turn: &ScriptTurn, over: &str) -> RecordsRead {
        let constraints =
            turn.active_constraints.iter().filter_map(|it| plan.constraint(&it.constraint));
        let trees: Vec<(&DecidedBy, Option<&Tree>)> = constraints
            .map(|it| (&it.by, it.applies.as_ref()))
            .chain(turn.criteria.iter().map(|Criterion { by, .. }| (by, None)))
            .collect();
        let reads = |name: &str| {
            let asks = |(by, applies): &(&DecidedBy, Option<&Tree>)| {
                let by = match by {
                    DecidedBy::Rule(tree) => tree.refers_to(name),
                    // A name that occurs in a question by chance only makes fewer turns equal.
                    DecidedBy::Judge(question) => question.text.contains(name),
                };
                by || applies.is_some_and(|tree| tree.refers_to(name))
            };
            !name.is_empty() && trees.iter().any(asks)
        };
        RecordsRead { topic: reads("topic"), style: reads("style"), over: reads(over) }
    }
}
