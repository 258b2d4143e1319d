//! The turns of a script.

use serde_json::Value;

use ifs_draw::{Active, ScriptTurn};

/// A turn of a drawn dialogue.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The number of the turn, from 1.
    pub number: u32,
    /// The turn's name, if it is a written turn; otherwise empty.
    pub name: String,
    /// The key of the topic's record; empty without a topic.
    pub topic: String,
    /// The flow move: `new`, `stay` or `backtrack` in a flow of topics.
    pub transition: String,
    /// The system message of the dialogue, on the first turn.
    pub system: Option<String>,
    /// The user message.
    pub ask: String,
    /// The golden answer, if the scenario gives one.
    pub golden: Option<String>,
    /// The active constraints, sorted by name.
    pub constraints: Vec<ActiveConstraint>,
}

/// A constraint that applies on a turn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ActiveConstraint {
    /// The constraint's name, such as `length.at_least`.
    pub name: String,
    /// Its arguments by name, in the order of its parameters.
    pub args: Vec<(String, Value)>,
    /// The turn on which it was imposed, or last changed.
    pub since: u32,
    /// Who says it: `system`, `user` or `tool`.
    pub speaker: String,
    /// The constraint of a speaker that comes first and contradicts it, so that it is in no score.
    pub overruled: Option<String>,
}

impl From<&ScriptTurn> for Turn {
    fn from(turn: &ScriptTurn) -> Turn {
        Turn {
            number: turn.turn,
            name: turn.name.clone(),
            topic: turn.topic.clone(),
            transition: turn.transition.word().to_owned(),
            system: turn.system.clone(),
            ask: turn.ask.clone(),
            golden: turn.golden.clone(),
            constraints: turn
                .active_constraints
                .iter()
                .map(|active| ActiveConstraint::from_active(active))
                .collect(),
        }
    }
}

impl ActiveConstraint {
    fn from_active(active: &Active) -> ActiveConstraint {
        let json = |value| serde_json::to_value(value).unwrap_or_default();
        let args = active.args.iter().map(|(name, value)| (name.clone(), json(value)));
        ActiveConstraint {
            name: active.constraint.clone(),
            args: args.collect(),
            since: active.since,
            speaker: active.speaker.word().to_owned(),
            overruled: active.overruled.clone(),
        }
    }
}
