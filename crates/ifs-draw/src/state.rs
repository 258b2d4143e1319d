//! The state of a script between turns, from which it can be continued.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use ifs_model::table::{Scope, Speaker};
use ifs_plan::{ConstraintId, GroupId};
use ifs_predicate::tree::Tree;
use ifs_predicate::value::Value;

/// The position of a script. It contains no generator, because streams are keyed by place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptState {
    /// Turns drawn so far.
    pub turn: u32,
    /// Topics in the order they were opened.
    pub topics: Vec<TopicState>,
    /// The index of the current topic in `topics`.
    pub current: Option<usize>,
    /// Turns on it since it was last opened or returned to.
    pub topic_turns: u32,
    /// The style's record in its bank.
    pub style: Option<usize>,
    /// The node of the last turn in the graph.
    pub node: u32,
    /// The enclosing loops, outermost first: their nodes and iterations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<(u32, u32)>,
    /// The members that had a round, for each enclosing loop that depends on responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<Vec<u32>>,
    /// The enclosing branches, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// Turns in branches so far.
    #[serde(default)]
    pub aside: u32,
    /// The last values of the observations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Observations,
    /// Turns in the flow of topics since it was entered.
    #[serde(default)]
    pub since: u32,
    /// The turns so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<PastTurn>,
    /// The end was reached.
    pub ended: bool,
    /// Active constraints of the scopes `dialogue` and `turn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<ActiveEntry>,
    /// Groups that have given a constraint to `impose`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GroupId>,
}

/// A drawn turn: its node, its topic by index in `State::topics`, and the place of its streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastTurn {
    pub node: u32,
    pub topic: Option<u32>,
    #[serde(default)]
    pub place: u64,
    /// Its subject, as the user refers to it later; the topic's name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Arc<str>>,
}

/// An active constraint with its owner and scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveEntry {
    pub id: ConstraintId,
    /// The same by name with its arguments, as outputs have it. Shared with the turns that were drawn.
    pub active: Arc<Active>,
    pub owner: Owner,
    pub scope: Scope,
    /// The condition of its `impose` on responses; active on all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<Arc<Tree>>,
    /// The user's last statement about its group, if it has not applied since it was given and so
    /// was not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaid: Option<UnstatedConstraint>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnstatedConstraint {
    pub before: Option<Arc<Active>>,
}

/// The owner of a constraint. No other statement removes it, except an `impose` that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// `start` and `evolve`, which draw from the dialogue's pool.
    Pool,
    /// An `impose` of the dialogue, for all its turns.
    Dialogue,
    /// An `impose` in a turn, which takes precedence over those of the dialogue.
    Turn,
}

impl ActiveEntry {
    /// Whether another of these constraints is of its group, has a narrower scope, and is active in its
    /// place.
    pub fn covered_by<'s>(all: &[&'s [ActiveEntry]]) -> impl Fn(&ActiveEntry) -> bool + use<'s> {
        // Most constraints have the widest scope, and cover none.
        let narrow = all.iter().copied().flatten().filter(|held| held.scope != Scope::Dialogue);
        let narrow: Vec<&ActiveEntry> = narrow.collect();
        move |held| narrow.iter().any(|other| other.scope < held.scope && other.replaces(held))
    }

    /// Whether two constraints are not active together: of one group, or the same constraint where
    /// one was imposed by its name in published data.
    pub fn replaces(&self, other: &ActiveEntry) -> bool {
        if self.active.speaker != other.active.speaker {
            return false;
        }
        match (self.active.called, other.active.called) {
            (None, None) => self.id.group == other.id.group,
            _ => self.id == other.id,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicState {
    /// The record in the bank; `None` in a dialogue without topics.
    pub record: Option<usize>,
    /// Constraints of scope `topic`, which are inactive on other topics.
    pub held: Vec<ActiveEntry>,
    /// The total number of turns on it.
    pub turns: u32,
}

/// An active constraint, with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Active {
    pub constraint: String,
    /// In the order of the parameters.
    #[schemars(with = "Vec<(String, serde_json::Value)>")]
    pub args: Vec<(String, Value)>,
    /// The turn on which it was imposed, or last changed.
    pub since: u32,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Speaker::is_user")]
    pub speaker: Speaker,
    /// The constraint that overrules it on this turn: one of a higher speaker, which it
    /// contradicts. It is then not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overruled: Option<String>,
    /// Whether it was imposed by its name in published data. Then it excludes no other constraint
    /// of its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<PublishedName>,
}

/// How a constraint of published data was imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublishedName {
    Said,
    /// The user message says it in the words of the data.
    Unsaid,
}

impl Active {
    pub fn group(&self) -> &str {
        self.constraint.rsplit_once('.').map_or(&self.constraint, |(group, _)| group)
    }

    /// What it excludes while it is active: the rest of its group, or itself with other arguments;
    /// of its speaker.
    pub fn slot(&self) -> (Speaker, &str) {
        match self.called {
            None => (self.speaker, self.group()),
            Some(_) => (self.speaker, &self.constraint),
        }
    }

    /// A name that no other active constraint has: two speakers may say the same one.
    pub fn key(&self) -> String {
        match self.speaker {
            Speaker::User => self.constraint.clone(),
            speaker => format!("{} by {}", self.constraint, speaker.word()),
        }
    }

    /// Its name with who says it, and with what overrules it.
    pub fn standing(&self) -> String {
        match &self.overruled {
            None => self.key(),
            // The user is not named elsewhere, since nearly everything is said by the user.
            Some(by) if self.speaker == Speaker::User => {
                format!("{} by user, overruled by {by}", self.constraint)
            }
            Some(by) => format!("{}, overruled by {by}", self.key()),
        }
    }

    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.args.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// The active constraints, except one that is about to change.
#[derive(Clone, Copy)]
pub(super) struct OtherConstraints<'a> {
    pub all: &'a [ActiveEntry],
    pub but: Option<usize>,
}

impl<'a> OtherConstraints<'a> {
    pub fn none() -> OtherConstraints<'a> {
        OtherConstraints { all: &[], but: None }
    }

    pub fn all(all: &'a [ActiveEntry]) -> OtherConstraints<'a> {
        OtherConstraints { all, but: None }
    }

    pub fn iter(self) -> impl Iterator<Item = &'a ActiveEntry> {
        let others = self.all.iter().enumerate().filter(move |(at, _)| Some(*at) != self.but);
        others.map(|(_, held)| held)
    }
}

/// The names of observations with their last values; `None` for one without a value.
pub type Observations = Vec<(String, Option<bool>)>;

/// A branch that the script is in, with what was before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The other side, if it is run too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<u32>,
    /// The number of turns before it.
    pub(super) turn: u32,
    /// Its own turns so far, without those of branches in it; in a loop that depends on responses,
    /// from the position of the member on.
    #[serde(default)]
    pub(super) own: u32,
    pub(super) held: Vec<ActiveEntry>,
    pub(super) topics: Vec<TopicState>,
    pub(super) current: Option<usize>,
    pub(super) topic_turns: u32,
    pub(super) given: Vec<GroupId>,
    /// The constraints that were active at the end of the first side, while the other one is run too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first_side: Option<Vec<ActiveEntry>>,
}

/// The outcome of the dialogue so far. A script without responses assumes that every turn was
/// satisfied, that no tokens were used, and draws what its observations show.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The remaining patience; all of it if absent.
    pub patience: Option<u32>,
    pub tokens: u64,
    /// What the response to the last turn showed.
    pub observations: Observations,
    /// That response.
    pub reply: Option<String>,
}
