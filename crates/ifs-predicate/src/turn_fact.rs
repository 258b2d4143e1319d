//! The facts of a turn that an expression may refer to: a closed set, so that a fact is an id in a
//! tree and never looked up by its name.

use serde::{Deserialize, Serialize};

macro_rules! facts {
    ($($(#[doc = $doc:literal])* $fact:ident $name:literal)*) => {
        /// A fact of the turn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum TurnFact {
            $($(#[doc = $doc])* $fact,)*
        }

        impl TurnFact {
            /// The name in the language, which is also its name in a plan.
            pub const fn name(self) -> &'static str {
                match self {
                    $(TurnFact::$fact => $name,)*
                }
            }

            pub const ALL: &[TurnFact] = &[$(TurnFact::$fact,)*];
        }
    };
}

facts! {
    /// The number of turns since the constraint was imposed.
    Age "age"
    /// The number of active constraints.
    Constraints "constraints"
    /// The number of groups that have given a constraint.
    Given "given"
    /// The number of groups that are drawn from.
    Groups "groups"
    /// How many failed turns the user still accepts.
    Patience "patience"
    /// The user message.
    Prompt "prompt"
    /// The earlier responses.
    Replies "replies"
    /// The number of the response.
    Reply "reply"
    /// The record of the style.
    Style "style"
    /// The tokens that the dialogue has used.
    Tokens "tokens"
    /// The record of the current topic.
    Topic "topic"
    /// The number of turns on the current topic.
    TopicTurns "topic_turns"
    /// The number of topics so far.
    Topics "topics"
    /// The number of the turn.
    Turn "turn"
    /// The number of turns so far.
    Turns "turns"
}

impl TurnFact {
    /// The fact with a name.
    pub fn from_name(name: &str) -> Option<TurnFact> {
        TurnFact::ALL.iter().copied().find(|fact| fact.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::TurnFact;

    #[test]
    fn facts_are_serialized_by_name() {
        for fact in TurnFact::ALL {
            assert_eq!(TurnFact::from_name(fact.name()), Some(*fact));
            assert_eq!(serde_json::to_value(fact).unwrap(), fact.name());
        }
    }
}
