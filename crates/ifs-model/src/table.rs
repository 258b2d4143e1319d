//! The tables of a model. They are serialisable; spans are in fields that serde
//! skips, so that formatting does not change the hash of a plan.

mod dialogue;
mod speaker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

pub use dialogue::*;
use ifs_base::source::Span;
use ifs_feed::simulate::SimulatedSport;
use ifs_feed::{EventTable, FeedNotice};
use ifs_parts::image::Pictures;
use ifs_predicate::tree::{CompareOp, Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
pub use ifs_syntax::ast::RelationKind;
pub use speaker::*;

/// A share in millionths: 40 % is 400,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub u32);

impl Share {
    pub const ONE: Share = Share(1_000_000);

    /// Parses `12.5` as 12.5 %. `None` for more than four decimals or more than
    /// 100 %.
    pub fn parse(digits: &str) -> Option<Share> {
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        if decimals.len() > 4 {
            return None;
        }
        let whole: u32 = whole.parse().ok().filter(|whole| *whole <= 100)?;
        let mut millionths = whole * 10_000;
        let mut unit = 1_000;
        for digit in decimals.bytes() {
            millionths += u32::from(digit.checked_sub(b'0').filter(|digit| *digit <= 9)?) * unit;
            unit /= 10;
        }
        Some(Share(millionths)).filter(|share| *share <= Share::ONE)
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decimals = format!("{:04}", self.0 % 10_000);
        let decimals = decimals.trim_end_matches('0');
        match decimals {
            "" => write!(f, "{}%", self.0 / 10_000),
            decimals => write!(f, "{}.{decimals}%", self.0 / 10_000),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    pub name: String,
    pub version: String,
    /// `cites`, `author`, `licence`, …
    pub fields: BTreeMap<String, String>,
    #[serde(skip)]
    pub span: Span,
}

/// Typed records from a data file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bank {
    pub name: String,
    /// Always a record type.
    pub ty: Type,
    pub records: Vec<Value>,
    /// The unique name of the record: its `name`, `id` or `key`, or its number.
    pub keys: Vec<String>,
    #[serde(skip)]
    pub place: BankPlace,
}

/// Where the records are written, for diagnostics; not part of the bank's contents.
#[derive(Clone, Debug, Default)]
pub struct BankPlace {
    pub file: String,
    /// The first line of each record.
    pub lines: Vec<usize>,
}

impl PartialEq for BankPlace {
    fn eq(&self, _: &BankPlace) -> bool {
        true
    }
}

impl Bank {
    /// The file and the line of a record, as in "talks.jsonl, line 4".
    pub fn place_of(&self, key: &str) -> Option<String> {
        let at = self.keys.iter().position(|known| known == key)?;
        Some(format!("{}, line {}", self.place.file, self.place.lines.get(at)?))
    }

    /// The record with a key.
    pub fn record(&self, key: &str) -> Option<&Value> {
        self.records.get(self.keys.iter().position(|known| known == key)?)
    }
}

/// Constraints that exclude one another: at most one is active at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    pub constraints: Vec<Constraint>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// `length.at_least`; for a constraint that is its own group, its name.
    pub name: String,
    pub params: Vec<Param>,
    /// Templates; one of them is drawn. `change` and `withdraw` may be empty; the
    /// template of the turn then uses general words.
    pub say: Vec<String>,
    pub change: Vec<String>,
    pub withdraw: Vec<String>,
    pub by: DecidedBy,
    /// The replies on which it applies; all if absent.
    pub applies: Option<Tree>,
    /// Its weight among the members of its group.
    pub weight: u32,
    /// Constraints that it is never active together with.
    pub excludes: Vec<String>,
    pub tags: Vec<String>,
    /// The relation between turns that it defines: its wording refers back to earlier turns, and
    /// its check judges the relation. Such a constraint is not drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<RelationKind>,
    /// Its names in published data, by which `impose called` finds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// Whether it is in the library.
    #[serde(skip)]
    pub library: bool,
    #[serde(skip)]
    pub span: Span,
}

/// A name of a constraint in published data, and how its parameters follow from the published
/// arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    pub name: String,
    /// Parameters by expressions over `given`, the record of the published arguments; those
    /// that are not here are the published arguments of the same name.
    pub args: Vec<(String, Tree)>,
    /// The condition on published arguments, if several constraints share the name.
    pub condition: Option<Tree>,
}

impl Constraint {
    /// The names of the published arguments that an alias of it may have: those that the expressions of
    /// its aliases refer to, and the parameters without one.
    pub fn published_arguments(&self, alias: &Alias) -> Vec<&str> {
        fn fields<'t>(tree: &'t Tree, into: &mut Vec<&'t str>) {
            if let Node::Field(record, name) = &tree.node
                && matches!(&record.node, Node::Var(var) if var == "given")
                && !into.contains(&name.as_str())
            {
                into.push(name);
            }
            tree.children().into_iter().for_each(|child| fields(child, into));
        }
        let mut names = Vec::new();
        for alias in &self.aliases {
            let trees = alias.args.iter().map(|(_, tree)| tree).chain(&alias.condition);
            trees.for_each(|tree| fields(tree, &mut names));
        }
        let is_own = |param: &Param| alias.args.iter().any(|(name, _)| *name == param.name);
        let unnamed = self.params.iter().filter(|param| !is_own(param));
        names.extend(unnamed.map(|param| param.name.as_str()));
        names
    }

    /// Whether an expression of an alias reads the published arguments as a whole, as in
    /// `fields(given)`, so that they may have any name.
    pub fn takes_any_argument(&self) -> bool {
        fn reads_all(tree: &Tree) -> bool {
            match &tree.node {
                Node::Var(var) => var == "given",
                Node::Field(record, _) if matches!(record.node, Node::Var(_)) => false,
                _ => tree.children().into_iter().any(reads_all),
            }
        }
        let trees = |alias: &Alias| {
            alias.args.iter().map(|(_, tree)| tree).chain(&alias.condition).any(reads_all)
        };
        self.aliases.iter().any(trees)
    }
}

/// How a constraint is decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// Its expression as a tree, whose form is not part of the schema.
    Rule(#[schemars(with = "serde_json::Value")] Tree),
    Judge(Question),
}

/// A question to a judge: yes or no, or a mark on a scale.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Question {
    /// A template over the constraint's parameters.
    pub text: String,
    pub scale: Option<Scale>,
    /// Whether the text is a rubric instead of a question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rubric: bool,
    /// The good answer, `yes` or `no`, before it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub good: Option<Tree>,
    /// Whether the good answer is no. Votes are recorded as what they mean: a no as a yes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_no_good: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Scale {
    pub low: i64,
    pub high: i64,
    pub pass: CompareOp,
    pub threshold: i64,
}

impl Question {
    /// The passing answers, if not just yes: `pass > 6`.
    pub fn passes(&self) -> Option<String> {
        match &self.scale {
            Some(scale) => Some(format!("pass {} {}", scale.pass.sign(), scale.threshold)),
            None => self.is_no_good.then(|| "pass == \"no\"".to_owned()),
        }
    }
}

impl Scale {
    pub fn passes(&self, mark: i64) -> bool {
        self.pass.holds(mark.cmp(&self.threshold))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    pub ty: Type,
    pub domain: Domain,
    /// How `modify` changes a list.
    pub evolve: Option<ChangeRules>,
    #[serde(skip)]
    pub span: Span,
}

/// The values a parameter may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Both ends included.
    Int {
        low: Tree,
        high: Tree,
        step: Tree,
    },
    Float {
        low: Tree,
        high: Tree,
        step: Tree,
    },
    /// A choice; weights are relative, all 1 when none is written.
    Choices(Vec<(Tree, u32)>),
    /// A member of a list.
    OneOf(Tree),
    /// `low..=high` different members of a list; with `with`, records of
    /// `value` and one more field for each of those.
    Some {
        low: Tree,
        high: Tree,
        of: Tree,
        with: Vec<Param>,
    },
    /// Consecutive members of a list: the list without the others.
    Window {
        within: Tree,
        /// A key: members with the same key are either all in the window, or none of them is.
        by: Option<Tree>,
        condition: Option<Tree>,
    },
    /// A picture, with its facts.
    Scene(Arc<Scene>),
    /// A value that every use of the constraint has to give.
    Given,
}

/// A scene: drawn values, computed values, and shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    pub name: String,
    pub width: u32,
    pub height: u32,
    pub body: Vec<ScenePart>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenePart {
    Param(Box<Param>),
    Let(String, Tree),
    /// A shape of [`ifs_parts::image::SHAPES`].
    Draw {
        shape: String,
        fields: BTreeMap<String, Tree>,
        #[serde(skip)]
        span: Span,
    },
    For {
        name: String,
        list: Tree,
        body: Vec<ScenePart>,
    },
    Question {
        name: String,
        /// Parameters and constants.
        body: Vec<ScenePart>,
        /// Templates; one of them is drawn.
        ask: Vec<String>,
        answer: String,
        #[serde(skip)]
        span: Span,
    },
}

/// Alternatives with weights, and guarded ones; the first guard that holds is
/// used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChangeRules {
    pub changes: Vec<ChangeRule>,
    pub guards: Vec<(Tree, Vec<ChangeRule>)>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeRule {
    pub change: Change,
    pub share: Share,
    /// The number of members, for a change of a list.
    pub amount: Option<Tree>,
}

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
pub enum Change {
    Add,
    Modify,
    Drop,
}

impl Change {
    pub const ALL: [Change; 3] = [Change::Add, Change::Modify, Change::Drop];

    pub fn word(self) -> &'static str {
        match self {
            Change::Add => "add",
            Change::Modify => "modify",
            Change::Drop => "drop",
        }
    }
}

/// No value is drawn for a left parameter while a right one has it, and vice
/// versa.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mask {
    /// (constraint, parameter)
    pub left: Vec<(String, String)>,
    pub right: Vec<(String, String)>,
}

/// How long an imposed constraint stays active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Turn,
    Topic,
    Dialogue,
}

/// Records to draw from: a bank, narrowed by a condition on the record (`it`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawFrom {
    pub bank: String,
    pub condition: Option<Tree>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Release {
    pub name: String,
    pub counts: Vec<(u64, String)>,
    /// Those of the dialogues that have each of their records once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub every: Vec<String>,
    pub keep: Vec<Tree>,
    pub seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<Cover>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<Quota>,
    /// The share of their wording that two dialogues may have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<Share>,
    /// The number of dialogues that are the same in every epoch.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub anchors: u64,
    #[serde(skip)]
    pub span: Span,
}

/// A feature of dialogues that a release counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    Constraint,
    Group,
    Move,
    Relation,
    Style,
    Topic,
    /// Two groups that are active on one turn.
    Pair,
}

impl Feature {
    /// The features that have a name of their own in a release.
    pub const NAMED: [Feature; 6] = [
        Feature::Constraint,
        Feature::Group,
        Feature::Move,
        Feature::Relation,
        Feature::Style,
        Feature::Topic,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Feature::Constraint => "constraint",
            Feature::Group => "group",
            Feature::Move => "move",
            Feature::Relation => "relation",
            Feature::Style => "style",
            Feature::Topic => "topic",
            Feature::Pair => "pair of groups",
        }
    }

    /// Whether it is counted in dialogues; the others are counted in turns.
    pub fn by_dialogue(self) -> bool {
        matches!(self, Feature::Style | Feature::Topic)
    }
}

/// Everything of a kind occurs at least so often in a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    pub feature: Feature,
    /// The groups of pairs; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    pub least: u64,
    #[serde(skip)]
    pub span: Span,
}

/// How many dialogues of a release have a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    pub feature: Feature,
    /// Its name; each one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A lower or an upper bound.
    pub least: bool,
    pub count: u64,
    #[serde(skip)]
    pub span: Span,
}

impl Release {
    /// The number of dialogues by name.
    pub fn count(&self, dialogue: &str) -> Option<u64> {
        self.counts.iter().find(|(_, of)| of == dialogue).map(|(count, _)| *count)
    }

    /// Whether it has each record of a dialogue once.
    pub fn has_every_record_of(&self, dialogue: &str) -> bool {
        self.every.iter().any(|of| of == dialogue)
    }
}

/// Logs of events, each with its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    pub name: String,
    /// The record type of each game.
    pub ty: Type,
    /// Sorted by the statements that read them, then by file name.
    pub games: Vec<EventTable>,
    /// Each dialogue has its own simulated game; `games` has one for checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<SimulatedSport>,
    /// The files that were read.
    #[serde(skip)]
    pub logs: Vec<FeedLog>,
    #[serde(skip)]
    pub(super) seen: GameValues,
}

/// A file of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedLog {
    pub file: String,
    /// The number of games.
    pub games: usize,
    pub notices: Vec<FeedNotice>,
}

/// The games as values, computed on first use.
#[derive(Clone, Debug, Default)]
pub(super) struct GameValues(Arc<OnceLock<(Vec<String>, Vec<Value>)>>);

/// It is derived from the games.
impl PartialEq for GameValues {
    fn eq(&self, _: &GameValues) -> bool {
        true
    }
}

impl Feed {
    pub fn new(name: String, ty: Type, games: Vec<EventTable>) -> Feed {
        Feed { name, ty, games, fresh: None, logs: Vec::new(), seen: GameValues::default() }
    }

    /// The game of a dialogue with its own game, and its name.
    pub fn fresh(&self, seed: u64, index: u64) -> Option<(String, Value)> {
        let simulated = self.fresh.as_ref()?;
        let game = simulated.game(seed, &self.name, index)?;
        Some((format!("{} seed {seed}", game.name), game.value()))
    }

    /// A game by name.
    pub fn game_named(&self, key: &str) -> Option<Value> {
        if self.fresh.is_some() {
            // `basketball-4 seed 7` is the game of dialogue 3.
            let (name, seed) = key.rsplit_once(" seed ")?;
            let number: u64 = name.rsplit_once('-')?.1.parse().ok()?;
            return Some(self.fresh(seed.parse().ok()?, number.checked_sub(1)?)?.1);
        }
        let (keys, records) = self.records();
        records.get(keys.iter().position(|known| known == key)?).cloned()
    }

    /// The unique name of each game, and its record.
    pub fn records(&self) -> (&[String], &[Value]) {
        let (keys, records) = self.seen.0.get_or_init(|| {
            let mut keys: Vec<String> = Vec::new();
            for game in &self.games {
                let mut key = game.name.to_string();
                for number in 2.. {
                    if !keys.contains(&key) {
                        break;
                    }
                    key = format!("{} ({number})", game.name);
                }
                keys.push(key);
            }
            (keys, self.games.iter().map(EventTable::value).collect())
        });
        (keys, records)
    }
}

/// A level of a tree of tags: its full name and its children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tag {
    pub name: String,
    pub children: Vec<Tag>,
}

/// Examples that `ifs test` runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The constraint's name.
    pub constraint: String,
    pub args: Vec<(String, Value)>,
    pub cases: Vec<TestCase>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    pub answer: String,
    pub pass: bool,
    pub prompt: String,
    pub replies: Vec<String>,
    pub span: Span,
}

/// The parts of the dialogues that a split holds out, and those drawn with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Split {
    pub name: String,
    pub groups: BTreeSet<String>,
    /// Groups that are drawn in the split and outside of it.
    pub with: BTreeSet<String>,
    pub topics: Vec<DrawFrom>,
    pub styles: Vec<DrawFrom>,
    pub flows: BTreeSet<String>,
    pub words: Vec<String>,
    /// Templates by their names.
    pub templates: BTreeMap<String, String>,
}

/// What `ifs audit` may find by design, and how much.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditDeclarations {
    /// Largest accepted shares by name: `changed`, `evaded`, `golden`, `floor`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, Share>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minds: Vec<Minds>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerates: Vec<Tolerates>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floors: Vec<Floor>,
}

impl AuditDeclarations {
    pub fn is_empty(&self) -> bool {
        let AuditDeclarations { limits, minds, tolerates, floors } = self;
        limits.is_empty() && minds.is_empty() && tolerates.is_empty() && floors.is_empty()
    }
}

/// Forms of an answer that matter by design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Minds {
    pub forms: Vec<String>,
    pub within: Vec<AuditScope>,
    pub because: String,
    #[serde(skip)]
    pub span: Span,
}

/// Forms of an answer that must not matter, although a check notices them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerates {
    pub forms: Vec<String>,
    pub within: Vec<AuditScope>,
    #[serde(skip)]
    pub span: Span,
}

/// The share of the turns that answers which know nothing pass by design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    pub share: Share,
    /// All if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    pub within: Vec<AuditScope>,
    pub because: String,
    #[serde(skip)]
    pub span: Span,
}

/// What a declaration is about. Absent names leave it open, so without any it is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AuditScope {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// A group, a constraint; with a turn, a requirement or an observation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

impl AuditScope {
    /// How much it names: the declaration that names most is the one that counts.
    pub fn depth(&self) -> usize {
        let named = [&self.dialogue, &self.turn, &self.check];
        named.iter().filter(|name| name.is_some()).count()
    }

    /// Whether a turn is in it, with this check if it is about one.
    pub fn covers(&self, dialogue: &str, turn: &str, check: Option<&str>) -> bool {
        let is =
            |name: &Option<String>, other: &str| name.as_deref().is_none_or(|name| name == other);
        let has_check = match (&self.check, check) {
            (None, _) => true,
            (Some(_), None) => false,
            // A group has its constraints.
            (Some(name), Some(check)) => {
                check == name
                    || check.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            }
        };
        is(&self.dialogue, dialogue) && is(&self.turn, turn) && has_check
    }
}

/// A scenario with splits as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnsplitScenario {
    pub splits: Vec<Split>,
    pub dialogues: BTreeMap<String, Dialogue>,
}

/// The tables of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SemanticModel {
    pub edition: u32,
    pub benchmark: Benchmark,
    pub banks: Vec<Bank>,
    /// All pictures in banks and expressions.
    #[serde(default, skip_serializing_if = "Pictures::is_empty")]
    pub pictures: Pictures,
    /// The scenes of the scenario; those that a dialogue draws are in its parameters.
    #[serde(skip)]
    pub scenes: Vec<Arc<Scene>>,
    pub feeds: Vec<Feed>,
    pub tags: Vec<Tag>,
    pub groups: Vec<Group>,
    pub masks: Vec<Mask>,
    pub flows: Vec<Flow>,
    pub dialogues: Vec<Dialogue>,
    /// The names of the splits; each is a variant of the dialogues that it holds something out of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<String>,
    /// The splits, and the dialogues as they are without them.
    #[serde(skip)]
    pub undivided: Option<UnsplitScenario>,
    pub releases: Vec<Release>,
    #[serde(skip)]
    pub tests: Vec<Test>,
    /// What audits may find by design. Not part of the definition hash: no draw and no verdict depends
    /// on it.
    #[serde(default, skip_serializing_if = "AuditDeclarations::is_empty")]
    pub audit: AuditDeclarations,
    /// Doc comments by the name of their item (`length.at_least`). Not part of the definition hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub docs: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn shares() {
        assert_eq!(Share::parse("40"), Some(Share(400_000)));
        assert_eq!(Share::parse("12.5"), Some(Share(125_000)));
        assert_eq!(Share::parse("100"), Some(Share::ONE));
        assert_eq!(Share::parse("100.1"), None);
        assert_eq!(Share::parse("0.00001"), None);
        assert_eq!(Share(125_000).to_string(), "12.5%");
    }
}
