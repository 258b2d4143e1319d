//! The tables of dialogues: turns, `impose` statements, and the flow of topics.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Against, ChangeRules, DecidedBy, Domain, DrawFrom, Param, RelationKind, Scope, Share, Speaker,
};
use ifs_base::source::Span;
use ifs_parts::parts::ReaderTree;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// How the dialogue moves between topics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicRules {
    /// Guarded rules in order, the unguarded ones last.
    pub rules: Vec<TopicRule>,
    /// The condition to leave the flow; without it, the flow continues to the `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Tree>,
    /// The statements for its turns: for all, or for those of one move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<(Option<Move>, Turn)>,
}

impl TopicRules {
    /// The statements for the turns of a move, by index.
    pub fn turns_for(&self, to: Move) -> impl Iterator<Item = (usize, &Turn)> {
        let all = self.turns.iter().enumerate();
        all.filter(move |(_, (of, _))| of.is_none_or(|of| of == to)).map(|(at, (_, it))| (at, it))
    }
}

/// In a move, a relation to this name refers to the last turn on its topic.
pub const TOPIC: &str = "topic";

/// The move of a turn between topics. A turn without topics stays.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    New,
    #[default]
    Stay,
    Backtrack,
}

impl Move {
    pub const ALL: [Move; 3] = [Move::New, Move::Stay, Move::Backtrack];

    pub fn word(self) -> &'static str {
        match self {
            Move::New => "new",
            Move::Stay => "stay",
            Move::Backtrack => "backtrack",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicRule {
    pub guard: Option<Tree>,
    /// Turns on a topic before it may be left.
    pub stay: u32,
    pub switch: Share,
    /// Shares of the switch.
    pub new: Share,
    pub backtrack: Share,
    #[serde(skip)]
    pub span: Span,
}

/// A written turn in a flow or a dialogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub name: String,
    pub relations: Vec<Relation>,
    pub body: Vec<TurnPart>,
    /// The part of `report … by` that it is in, if it binds the names of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<Tree>,
    #[serde(skip)]
    pub span: Span,
}

impl Turn {
    /// Whether it has an `ask`.
    pub fn has_ask(&self) -> bool {
        fn any_requirement(parts: &[TurnPart]) -> bool {
            parts.iter().any(|part| match part {
                TurnPart::Ask(_) => true,
                TurnPart::For { body, .. } => any_requirement(body),
                _ => false,
            })
        }
        any_requirement(&self.body)
    }

    /// Whether its response is given.
    pub fn is_given(&self) -> bool {
        self.body.iter().any(|part| matches!(part, TurnPart::Reply(_)))
    }

    /// The names of its observations, with what decides them.
    pub fn observes(&self) -> impl Iterator<Item = (&str, &DecidedBy)> {
        self.body.iter().filter_map(|part| match part {
            TurnPart::Observe { name, by } => Some((name.as_str(), by)),
            _ => None,
        })
    }

    /// Whether it has a tool's message.
    pub fn has_tool(&self) -> bool {
        fn any(parts: &[TurnPart]) -> bool {
            parts.iter().any(|part| match part {
                TurnPart::Show(show) => show.tool.is_some(),
                TurnPart::For { body, .. } => any(body),
                _ => false,
            })
        }
        any(&self.body)
    }

    /// Its `impose` statements, in source order.
    pub fn imposes(&self) -> Vec<&Impose> {
        imposes(&self.body)
    }
}

/// Reads the plans of older runs too, which have `impose` statements alone.
fn stored_imposes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<TurnPart>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Part(TurnPart),
        Alone(Impose),
    }
    let stored = Vec::<Stored>::deserialize(from)?.into_iter();
    let part = |stored| match stored {
        Stored::Part(part) => part,
        Stored::Alone(impose) => TurnPart::Impose(impose),
    };
    Ok(stored.map(part).collect())
}

fn imposes(parts: &[TurnPart]) -> Vec<&Impose> {
    fn all<'a>(parts: &'a [TurnPart], found: &mut Vec<&'a Impose>) {
        for part in parts {
            match part {
                TurnPart::Impose(impose) => found.push(impose),
                TurnPart::For { body, .. } => all(body, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    all(parts, &mut found);
    found
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    pub kind: RelationKind,
    pub to: Vec<String>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPart {
    Ask(TextSource),
    Show(Show),
    Let(String, Tree),
    Param(Param),
    Part {
        name: String,
        list: bool,
        reader: Option<ReaderTree>,
        about: Option<String>,
    },
    Require {
        name: String,
        by: DecidedBy,
        /// The question in the user message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        says: Option<String>,
        after: Vec<String>,
        tags: Vec<String>,
        /// Tags by a text: the tree or a part of it, and the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tagged: Vec<(String, Tree)>,
        /// The weight in weighted scores, if the statement gives one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weight: Option<Tree>,
    },
    /// Observations, which are read from the response without being scored.
    Observe {
        name: String,
        by: DecidedBy,
    },
    Answer(String),
    /// The response of a turn that is given: nothing is requested for it, and nothing judged.
    Reply(TextSource),
    /// The classes for scores of the turn.
    Class(String),
    /// A fact that a right answer states, decided by a rule or a judge.
    Expect {
        points: Tree,
        fact: String,
        check: Option<Tree>,
    },
    Void(String, Option<Tree>),
    Impose(Impose),
    For {
        name: String,
        list: Tree,
        body: Vec<TurnPart>,
    },
}

/// What the turn shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Show {
    /// A list, or a single value.
    pub what: Tree,
    /// Pictures, by their names in `Model::pictures` or their URLs; otherwise lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pictures: bool,
    /// The tool whose message the text is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// A template file of the scenario.
    Template {
        name: String,
        text: String,
    },
    Expr(Tree),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impose {
    pub low: Tree,
    pub high: Tree,
    pub new_group: bool,
    /// Names of groups.
    pub from: Vec<String>,
    /// The imposed constraint, of the group in `from`; `None` if constraints are drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<ImposedConstraint>,
    /// The imposed constraint is found by its alias in the groups of `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<Box<CalledConstraint>>,
    /// The first turn on which it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Tree>,
    pub scope: Scope,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Speaker::is_user")]
    pub by: Speaker,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    pub probability: Option<Tree>,
    pub applies: Option<Tree>,
    #[serde(skip)]
    pub span: Span,
}

/// A constraint by its name in published data, with the published arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalledConstraint {
    pub name: Tree,
    /// The record of arguments; none if absent.
    pub given: Option<Tree>,
    /// Whether the message says it already.
    pub unsaid: bool,
}

impl Impose {
    /// Whether it draws constraints, instead of naming one.
    pub fn draws(&self) -> bool {
        self.given.is_none() && self.called.is_none()
    }
}

/// A constraint with arguments: its parameters, each with a single value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImposedConstraint {
    pub constraint: String,
    pub params: Vec<Param>,
}

impl ImposedConstraint {
    /// The argument of each parameter.
    pub fn args(&self) -> impl Iterator<Item = (&Param, &Tree)> {
        self.params.iter().filter_map(|param| match &param.domain {
            Domain::Choices(choices) => Some((param, &choices.first()?.0)),
            _ => None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    pub name: String,
    /// Turns, and branches around turns.
    #[serde(rename = "turns", with = "flow_steps")]
    pub steps: Vec<Step>,
    #[serde(skip)]
    pub span: Span,
}

impl Flow {
    /// Its turns, in source order.
    pub fn turns(&self) -> Vec<&Turn> {
        Step::turns(&self.steps)
    }
}

/// Turns are serialised without a tag, as they were when flows had no branches.
mod flow_steps {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Step, Turn};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Turn(Box<Turn>),
        Step(Step),
    }

    pub fn serialize<S: Serializer>(steps: &[Step], into: S) -> Result<S::Ok, S::Error> {
        let written = steps.iter().map(|step| match step {
            Step::Turn(turn) => Written::Turn(turn.clone()),
            step => Written::Step(step.clone()),
        });
        into.collect_seq(written)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Step>, D::Error> {
        let written = Vec::<Written>::deserialize(from)?;
        let step = |written| match written {
            Written::Turn(turn) => Step::Turn(turn),
            Written::Step(step) => step,
        };
        Ok(written.into_iter().map(step).collect())
    }
}

/// The steps of a dialogue, in the order written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Turn(Box<Turn>),
    /// The position of its `flow`: one of [`Dialogue::flows`], or moves between topics.
    Flow,
    Let(String, Tree),
    Param(Box<Param>),
    For {
        name: String,
        list: Tree,
        /// A check on the last response, for each member that is left: the first one for which it
        /// holds comes next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Tree>,
        body: Vec<Step>,
    },
    /// The first steps if the condition on observations holds, and the others if not.
    When {
        condition: Tree,
        body: Vec<Step>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        otherwise: Vec<Step>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// The model's own responses.
    #[default]
    Own,
    /// The golden answers.
    Golden,
}

/// What turns count as that do not fit into the context window of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// Everything is missed on them.
    #[default]
    Missed,
    /// They are in no score: the dialogue ends before them.
    Omitted,
}

impl Overflow {
    fn is_missed(&self) -> bool {
        *self == Overflow::Missed
    }
}

/// The name by which a branch depends on whether the last turn missed something.
pub const MISSED: &str = "missed";

/// Repeats the turn with feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The maximum number of rounds after the first response.
    pub rounds: u32,
    pub form: Feedback,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// As the next message of the dialogue.
    #[default]
    Chat,
    /// One message with the question, the response and the feedback, which replaces the question.
    Fresh,
}

/// A sentence that tells the model that instructions belong to the topic they were given on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScopeSentence {
    pub words: TextSource,
    /// Whether the user names what applies again when the dialogue returns to a topic.
    pub again: bool,
}

/// What judges are shown in addition to the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeSees {
    pub system: bool,
    pub history: bool,
    pub message: bool,
}

/// A metric by an expression over `turns`, `outcomes` and the fields of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnMetric {
    pub name: String,
    pub of: MetricOf,
    pub tree: Tree,
    /// Whether a lower value is better.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lower: bool,
    #[serde(default, skip_serializing_if = "MetricForm::is_number")]
    pub form: MetricForm,
    /// Whether its expression shows that no value is below 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_negative: bool,
    /// Its doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// How a metric is shown: decided by its definition, never by its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricForm {
    #[default]
    Number,
    /// `in percent`: 0.5 is 50 %. Values may be below 0 and above 1.
    Percent,
    /// A condition, or an expression that can only be from 0 to 1: in percent.
    Share,
}

impl MetricForm {
    fn is_number(&self) -> bool {
        *self == MetricForm::Number
    }
}

/// The units that a metric is computed for and averaged over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricOf {
    Outcome,
    Turn,
    Dialogue,
    Run,
}

impl MetricOf {
    pub const ALL: [MetricOf; 4] =
        [MetricOf::Outcome, MetricOf::Turn, MetricOf::Dialogue, MetricOf::Run];

    pub fn word(self) -> &'static str {
        match self {
            MetricOf::Outcome => "outcome",
            MetricOf::Turn => "turn",
            MetricOf::Dialogue => "dialogue",
            MetricOf::Run => "run",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dialogue {
    pub name: String,
    /// The bank or feed of `over`, and the name of the record.
    pub over: Option<(String, String)>,
    pub topic: Option<DrawFrom>,
    pub style: Option<DrawFrom>,
    /// Names of the groups that constraints are drawn from.
    pub groups: Vec<String>,
    /// Constraints active when a topic opens.
    pub start: Tree,
    pub scope: Scope,
    /// The message about the scope of topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_said: Option<ScopeSentence>,
    /// The user message does not mention it when the dialogue returns to a topic.
    #[serde(skip)]
    pub scope_unsaid: bool,
    #[serde(skip)]
    pub scope_span: Span,
    /// Whether it may be unbounded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
    #[serde(skip)]
    pub endless_span: Span,
    pub topics: Option<TopicRules>,
    /// Names of flows; one of them is drawn.
    pub flows: Vec<String>,
    /// The shares of the flows; empty if all are equally likely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow_shares: Vec<Share>,
    pub steps: Vec<Step>,
    pub evolve: Option<Evolve>,
    /// Whether a change that contradicts an active constraint is drawn again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redraws: bool,
    /// The most draws of a turn until there is a witness for it, if they are repeated until then.
    pub witness_draws: Option<u32>,
    /// Its `impose` statements for all turns, and loops of them.
    #[serde(deserialize_with = "stored_imposes")]
    pub imposes: Vec<TurnPart>,
    /// Whose constraints are followed where two contradict, highest first; empty if not declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priority: Vec<Speaker>,
    pub patience: Option<u32>,
    pub end: Option<Tree>,
    pub context: Context,
    #[serde(default, skip_serializing_if = "Overflow::is_missed")]
    pub overflow: Overflow,
    pub retry: Option<Retry>,
    /// The most rounds of `retry`, if the record decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_rounds: Option<Tree>,
    pub sample: u32,
    pub system: Option<TextSource>,
    /// Templates of the scenario that replace the built-in ones, by their name.
    pub words: BTreeMap<String, String>,
    /// Wordings of constraints and phrases that are not used, because a split holds them out, and
    /// those that a split uses alone wherever it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_words: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_words: Vec<String>,
    pub judge_template: Option<(String, String)>,
    /// The number of earlier turns that judges see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_history: Option<u32>,
    /// What judges are shown, if not everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_sees: Option<JudgeSees>,
    pub weights: BTreeMap<String, Tree>,
    /// The metrics of a report, in its order; the default ones if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// Those of them that the scenario or the library defines by expressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_metrics: Vec<OwnMetric>,
    /// A text that groups dialogues for separate scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<Tree>,
    /// Whether turns have values of `report … by` instead, since they bind what it uses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slices_turns: bool,
    pub repeat_instructions: bool,
    /// Whether a judge decides facts that have a rule.
    pub facts_by_judge: bool,
    /// The same dialogue with statements replaced, by name.
    pub variants: Vec<(String, Box<Dialogue>)>,
    #[serde(skip)]
    pub span: Span,
    #[serde(skip)]
    pub end_span: Span,
}

impl Dialogue {
    /// A dialogue with only a name.
    pub fn new(name: String, span: Span) -> Dialogue {
        Dialogue {
            name,
            over: None,
            topic: None,
            style: None,
            groups: Vec::new(),
            start: Tree::without_place(Node::Value(Value::Int(0))),
            scope: Scope::Dialogue,
            scope_said: None,
            scope_unsaid: false,
            scope_span: span,
            endless: false,
            endless_span: span,
            topics: None,
            flows: Vec::new(),
            flow_shares: Vec::new(),
            steps: Vec::new(),
            evolve: None,
            redraws: false,
            witness_draws: None,
            imposes: Vec::new(),
            priority: Vec::new(),
            patience: None,
            end: None,
            context: Context::Own,
            overflow: Overflow::Missed,
            retry: None,
            retry_rounds: None,
            sample: 1,
            system: None,
            words: BTreeMap::new(),
            without_words: Vec::new(),
            only_words: Vec::new(),
            judge_template: None,
            judge_history: None,
            judge_sees: None,
            weights: BTreeMap::new(),
            metrics: Vec::new(),
            own_metrics: Vec::new(),
            slice: None,
            slices_turns: false,
            repeat_instructions: false,
            facts_by_judge: false,
            variants: Vec::new(),
            span,
            end_span: span,
        }
    }
}

/// A name that a dialogue binds outside of its turns.
#[derive(Clone, Copy, Debug)]
pub enum Binder<'a> {
    Let(&'a str, &'a Tree),
    Param(&'a Param),
    /// The current member of a loop's list.
    Member(&'a str, &'a Tree),
}

impl Step {
    /// Whether responses decide which of its turns are run, or in which order.
    pub fn is_reactive(&self) -> bool {
        match self {
            Step::When { .. } => true,
            Step::For { by, body, .. } => by.is_some() || body.iter().any(Step::is_reactive),
            Step::Turn(_) | Step::Flow | Step::Let(..) | Step::Param(_) => false,
        }
    }

    /// The turns of steps, in source order, without those of flows.
    pub fn turns(steps: &[Step]) -> Vec<&Turn> {
        let mut all = Vec::new();
        for step in steps {
            match step {
                Step::Turn(turn) => all.push(&**turn),
                Step::For { body, .. } => all.extend(Step::turns(body)),
                Step::When { body, otherwise, .. } => {
                    all.extend(Step::turns(body));
                    all.extend(Step::turns(otherwise));
                }
                Step::Flow | Step::Let(..) | Step::Param(_) => {}
            }
        }
        all
    }
}

impl Dialogue {
    /// Whether responses decide which of its turns are run, or in which order.
    pub fn is_reactive(&self, flows: &[Flow]) -> bool {
        let named = flows.iter().filter(|flow| self.flows.contains(&flow.name));
        self.steps.iter().chain(named.flat_map(|flow| &flow.steps)).any(Step::is_reactive)
    }

    /// Its named flows, with their shares.
    pub fn weighed_flows(&self) -> impl Iterator<Item = (&str, Share)> {
        let share = |at| self.flow_shares.get(at).copied().unwrap_or(Share(1));
        self.flows.iter().enumerate().map(move |(at, name)| (name.as_str(), share(at)))
    }

    /// Whether all its turns are written out, so that it ends by itself: none is chosen by a move
    /// between topics or by a flow.
    pub fn is_written_out(&self) -> bool {
        fn all(steps: &[Step]) -> bool {
            steps.iter().all(|step| match step {
                Step::Flow => false,
                Step::For { body, .. } => all(body),
                Step::When { body, otherwise, .. } => all(body) && all(otherwise),
                Step::Turn(_) | Step::Let(..) | Step::Param(_) => true,
            })
        }
        all(&self.steps)
    }

    /// All turns that are written out in it, in source order; those of named flows are at the
    /// `flow` statement. The nodes of its graph refer to them by index.
    pub fn written_turns<'a>(&'a self, flows: &'a [Flow]) -> Vec<&'a Turn> {
        fn all<'a>(
            dialogue: &'a Dialogue,
            steps: &'a [Step],
            flows: &'a [Flow],
            into: &mut Vec<&'a Turn>,
        ) {
            for step in steps {
                match step {
                    Step::Turn(turn) => into.push(turn),
                    Step::Flow => {
                        let named = |name: &String| flows.iter().find(|flow| flow.name == *name);
                        let own = dialogue.flows.iter().filter_map(named);
                        into.extend(own.flat_map(Flow::turns));
                        let moves = dialogue.topics.iter().flat_map(|rules| &rules.turns);
                        into.extend(moves.map(|(_, turn)| turn));
                    }
                    Step::For { body, .. } => all(dialogue, body, flows, into),
                    Step::When { body, otherwise, .. } => {
                        all(dialogue, body, flows, into);
                        all(dialogue, otherwise, flows, into);
                    }
                    Step::Let(..) | Step::Param(_) => {}
                }
            }
        }
        let mut turns = Vec::new();
        all(self, &self.steps, flows, &mut turns);
        turns
    }

    /// All names that it binds outside of its turns, in source order, each with the number of
    /// enclosing loops. The nodes of its graph refer to them by index.
    pub fn binders(&self) -> Vec<(usize, Binder<'_>)> {
        fn all<'a>(steps: &'a [Step], depth: usize, into: &mut Vec<(usize, Binder<'a>)>) {
            for step in steps {
                match step {
                    Step::Let(name, tree) => into.push((depth, Binder::Let(name, tree))),
                    Step::Param(param) => into.push((depth, Binder::Param(param))),
                    Step::For { name, list, body, .. } => {
                        into.push((depth + 1, Binder::Member(name, list)));
                        all(body, depth + 1, into);
                    }
                    Step::When { body, otherwise, .. } => {
                        all(body, depth + 1, into);
                        all(otherwise, depth + 1, into);
                    }
                    Step::Turn(_) | Step::Flow => {}
                }
            }
        }
        let mut binders = Vec::new();
        all(&self.steps, 0, &mut binders);
        binders
    }

    /// Its `impose` statements for all turns, in source order.
    pub fn own_imposes(&self) -> Vec<&Impose> {
        imposes(&self.imposes)
    }

    /// All of its `impose` statements: for every turn, and for one.
    pub fn all_imposes<'a>(&'a self, flows: &'a [Flow]) -> impl Iterator<Item = &'a Impose> {
        let turns = self.written_turns(flows);
        self.own_imposes().into_iter().chain(turns.into_iter().flat_map(Turn::imposes))
    }
}

/// How instructions change from turn to turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evolve {
    pub low: Tree,
    pub high: Tree,
    pub rules: ChangeRules,
}
