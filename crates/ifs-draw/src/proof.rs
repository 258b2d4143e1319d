//! Witnesses for turns: a text that satisfies every active rule shows that a turn can be answered.
//!
//! A witness is constructed by `predicate::witness`, or part by part by `parts::witness`. It is
//! then verified with the judge's own scene, so the same rules are checked as for a response.
//! Constraints that only a judge can decide are not covered.

mod drawn;
mod steps;
mod survey;
mod text_cache;

pub(crate) use drawn::{DrawnWitnesses, WitnessedDraw, rules_read};
pub use steps::{DialogueBudget, Steps};
pub use survey::{ConstraintSet, ExcludedDraw, Survey, survey};
pub use text_cache::WitnessCache;

use std::collections::BTreeMap;

use crate::{CriterionKind, PartCriterion, PlacedResponse, ScriptTurn, TurnVariables};
use ifs_base::work::{self, Task};
use ifs_model::table::DecidedBy;
use ifs_parts::parts::witness::{WitnessPart, missed, name_with_parts, witness_within};
use ifs_plan::Plan;
use ifs_predicate::bound::{BoundedCheck, Exclusion, Texts, conflict_for, exclusion};
use ifs_predicate::evaluate::{TextContext, evaluate};
use ifs_predicate::partial_eval::simplified;
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_predicate::witness::{Effort, Goal, SEARCH_STEPS, TextTopic, WitnessFailure};
use ifs_text::Text;

/// The outcome of a search for a witness.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// A text that satisfies every active rule.
    Witness(String),
    /// No rule is active: a judge grades the turn, or nothing does.
    Nothing,
    /// No witness was found. The constraints are a minimal set of active ones without a witness, as
    /// far as could be determined. They do not necessarily contradict one another.
    Missing(Vec<String>),
}

impl Proof {
    /// The name of a witness: the first 16 digits of its BLAKE3 hash.
    pub fn hash(&self) -> Option<String> {
        match self {
            Proof::Witness(text) => {
                Some(blake3::hash(text.as_bytes()).to_hex().as_str().chars().take(16).collect())
            }
            Proof::Nothing | Proof::Missing(_) => None,
        }
    }
}

/// Finds witnesses for the turns of one dialogue, in order.
pub struct Prover<'p> {
    plan: &'p Plan,
    dialogue: &'p str,
    /// Whether a constraint refers to earlier responses; their witnesses take their place.
    looks_back: bool,
    replies: Vec<String>,
    known: ProofCache,
    steps: DialogueBudget<'p>,
}

/// The steps of constructing a text that cost nothing: few texts need more.
const FREE_STEPS: usize = SEARCH_STEPS / 32;
/// The steps of work in one step of a search for a text with parts: 400 parts take 0.5 µs a step.
const STEPS_ON_PARTS: u64 = 2;

impl<'p> Prover<'p> {
    pub fn new(plan: &'p Plan, dialogue: &'p str) -> Prover<'p> {
        let (replies, known, steps) =
            (Vec::new(), ProofCache::default(), DialogueBudget::default());
        Prover { plan, dialogue, looks_back: looks_back(plan), replies, known, steps }
    }

    /// The same, with another budget of search steps than that of one dialogue.
    pub fn with_budget(self, steps: DialogueBudget<'p>) -> Prover<'p> {
        Prover { steps, ..self }
    }

    /// Exchanges its knowledge with `known`: takes what other searches found, or returns it.
    fn exchange_cache(&mut self, known: &mut ProofCache) {
        std::mem::swap(&mut self.known, known);
    }

    /// The remaining steps of its searches.
    pub fn steps_left(&mut self) -> usize {
        self.steps.steps_left()
    }

    /// Whether the earlier turns need witnesses first.
    pub fn looks_back(&self) -> bool {
        self.looks_back
    }

    /// Searches a witness for the next turn. Sets of rules without a witness are not searched
    /// again. After the budget is spent, texts are only constructed.
    pub fn prove(&mut self, turn: &ScriptTurn) -> Proof {
        if let Some(given) = &turn.given {
            self.replies.push(given.clone());
            return Proof::Nothing;
        }
        let search = ProofSearch { known: &mut self.known, steps: &mut self.steps };
        let proof = prove_with(self.plan, self.dialogue, turn, &self.replies, search);
        if self.looks_back {
            self.replies.push(match &proof {
                Proof::Witness(text) => text.clone(),
                Proof::Nothing | Proof::Missing(_) => String::new(),
            });
        }
        proof
    }
}

/// Results of earlier searches.
#[derive(Debug, Default)]
pub struct ProofCache {
    /// Sets of rules without a witness. A turn whose active rules include one of these sets has
    /// none either.
    sets: Vec<Vec<String>>,
    /// Texts by the rules that they satisfy, if a text may be used twice.
    texts: Option<BTreeMap<[u8; 32], String>>,
}

/// The earlier results, and the remaining budget.
struct ProofSearch<'a, 's> {
    known: &'a mut ProofCache,
    steps: &'a mut DialogueBudget<'s>,
}

/// The most texts that are remembered.
const MAX_CACHED_TEXTS: usize = 4096;

impl ProofCache {
    /// Also remembers the texts that were found.
    fn with_texts() -> ProofCache {
        ProofCache { sets: Vec::new(), texts: Some(BTreeMap::new()) }
    }

    /// The rules of a set, by position. `sources` has all active rules.
    fn rule_positions(&self, sources: &[Option<String>]) -> Option<Vec<usize>> {
        let place = |rule: &String| sources.iter().position(|one| one.as_ref() == Some(rule));
        self.sets.iter().find_map(|set| set.iter().map(place).collect())
    }
}

/// Searches a witness for one turn.
pub fn prove(plan: &Plan, dialogue: &str, turn: &ScriptTurn, replies: &[String]) -> Proof {
    let search =
        ProofSearch { known: &mut ProofCache::default(), steps: &mut DialogueBudget::default() };
    prove_with(plan, dialogue, turn, replies, search)
}

fn prove_with(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    replies: &[String],
    ProofSearch { known, steps }: ProofSearch<'_, '_>,
) -> Proof {
    let rules = rules(plan, &PlacedResponse { dialogue, turn, replies });
    let parts = required_parts(turn);
    if rules.is_empty() {
        return Proof::Nothing;
    }
    let goals: Vec<Goal<'_>> = rules.iter().map(|rule| rule.goal(true)).collect();
    let subject = TurnTopic::from_turn(plan, dialogue, turn);
    let about = subject.text_topic();
    // A right answer that was written for the turn is better than any generated text, and one that was
    // found when the turn was drawn need not be sought again.
    let mut given = turn.golden.iter().chain(&turn.witness);
    if let Some(text) = given.find(|text| missed(&parts, &goals, text).is_empty()) {
        return Proof::Witness(text.clone());
    }
    let names = |set: Vec<usize>| {
        let names = set.into_iter().filter_map(|at| Some(rules.get(at)?.key.clone()));
        Proof::Missing(names.collect())
    };
    let sources = || -> Vec<Option<String>> { goals.iter().map(source).collect() };
    if parts.is_empty()
        && !known.sets.is_empty()
        && let Some(set) = known.rule_positions(&sources())
    {
        return names(set);
    }
    let key = known.texts.as_ref().and_then(|_| name_with_parts(&parts, &goals, &about));
    if let (Some(texts), Some(key)) = (&known.texts, &key)
        && let Some(text) = texts.get(key)
    {
        return Proof::Witness(text.clone());
    }
    let failed = match construct_or_search(&parts, &goals, &about, u64::from(turn.turn), steps) {
        Ok(text) => {
            if let (Some(texts), Some(key)) = (&mut known.texts, key)
                && texts.len() < MAX_CACHED_TEXTS
            {
                texts.insert(key, text.clone());
            }
            return Proof::Witness(text);
        }
        Err(unproven) => unproven.goals,
    };
    let set = fewest((&parts, &goals), failed, &about, steps);
    let sources = sources();
    let known_set = set.iter().map(|at| sources.get(*at)?.clone());
    if parts.is_empty() {
        known.sets.extend(known_set.collect::<Option<Vec<String>>>());
    }
    names(set)
}

/// Constructs a text, or searches one with the remaining steps.
fn construct_or_search(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
    steps: &mut DialogueBudget<'_>,
) -> Result<String, WitnessFailure> {
    let most = if steps.is_spent() { FREE_STEPS } else { SEARCH_STEPS };
    let mut left = most;
    let built = witness_within(parts, goals, about, seed, (Effort::Built, &mut left));
    // A step that is spent on parts reads more than it counts.
    let weight = if parts.is_empty() { 1 } else { STEPS_ON_PARTS };
    work::spend(Task::Witnesses, weight * (most - left) as u64);
    if most - left > FREE_STEPS {
        steps.spend(most - left - FREE_STEPS);
    }
    let all = match &built {
        Err(_) => steps.steps_left().min(SEARCH_STEPS),
        Ok(_) => 0,
    };
    if all == 0 {
        return built;
    }
    let mut left = all;
    let found = witness_within(parts, goals, about, seed, (Effort::Searched, &mut left));
    work::spend(Task::Witnesses, weight * (all - left) as u64);
    steps.spend(all - left);
    found
}

/// The rule with its values, if nothing else of the turn is referred to.
fn source(goal: &Goal<'_>) -> Option<String> {
    fn is_open(tree: &Tree) -> bool {
        matches!(&tree.node, Node::Var(_) | Node::Fact(_) | Node::Applied(_))
            || tree.children().into_iter().any(is_open)
    }
    let tree = simplified(goal.tree, goal.variables);
    (!is_open(&tree)).then(|| print(&tree))
}

/// The parts that a response to the turn must have.
pub fn required_parts(turn: &ScriptTurn) -> Vec<WitnessPart> {
    turn.parts.iter().map(PartCriterion::witness_part).collect()
}

/// A rule that is checked on a response.
pub struct CheckedRule<'a> {
    /// The name of the constraint, or the key of the criterion.
    pub key: String,
    /// Turns since it was imposed.
    pub age: u32,
    tree: &'a Tree,
    facts: TurnVariables<'a>,
}

impl CheckedRule<'_> {
    pub fn goal(&self, wanted: bool) -> Goal<'_> {
        Goal { tree: self.tree, variables: &self.facts, wanted }
    }
}

/// The rules of a turn: those of its active constraints and of its criteria. What is observed is
/// not required, nor is what is overruled.
pub fn rules<'a>(plan: &'a Plan, place: &PlacedResponse<'a>) -> Vec<CheckedRule<'a>> {
    let mut rules = rules_and_observations(plan, place);
    let observed = |key: &str| {
        let mut own = place.turn.criteria.iter();
        own.any(|it| it.kind == CriterionKind::Observation && it.key() == *key)
    };
    rules.retain(|rule| !observed(&rule.key));
    rules
}

/// The same with those of its observations.
pub fn rules_and_observations<'a>(
    plan: &'a Plan,
    place: &PlacedResponse<'a>,
) -> Vec<CheckedRule<'a>> {
    let nothing = Text::new("");
    let turn = place.turn;
    let followed = turn.active_constraints.iter().filter(|active| active.overruled.is_none());
    let constraints = followed.filter_map(|active| {
        let constraint = plan.constraint(&active.constraint)?;
        let DecidedBy::Rule(tree) = &constraint.by else { return None };
        let facts = TurnVariables::new(plan, active, place);
        let age = turn.turn.saturating_sub(active.since);
        if let Some(applies) = &constraint.applies {
            let scene = TextContext { it: &nothing, variables: &facts };
            if evaluate(applies, &scene) != Ok(Value::Bool(true)) {
                return None;
            }
        }
        Some(CheckedRule { key: active.key(), age, tree, facts })
    });
    let criteria = turn.criteria.iter().filter_map(|criterion| {
        let DecidedBy::Rule(tree) = &criterion.by else { return None };
        let facts = TurnVariables::of_criteria(plan, place, &[]);
        Some(CheckedRule { key: criterion.key(), age: 0, tree, facts })
    });
    constraints.chain(criteria).collect()
}

/// Why no text satisfies the named rules on a turn, if that is proven or holds for prose. A reason refers
/// to a rule by its position in the list.
pub fn reason_for_missing(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    replies: &[String],
    names: &[String],
) -> Option<Exclusion> {
    let rules = rules(plan, &PlacedResponse { dialogue, turn, replies });
    let goal =
        |name: &String| rules.iter().find(|rule| rule.key == *name).map(|one| one.goal(true));
    let goals: Vec<Goal<'_>> = names.iter().map(goal).collect::<Option<_>>()?;
    exclusion(&bounded_checks(&goals))
}

fn bounded_checks<'g>(goals: &[Goal<'g>]) -> Vec<BoundedCheck<'g>> {
    goals.iter().map(|goal| (goal.tree, goal.variables)).collect()
}

/// The search for a minimal set may take this many times the steps of one text.
const MINIMAL_SET_FACTOR: usize = 3;

/// A minimal set of goals that exclude one another, if all of them do; otherwise a few that do in prose,
/// or a minimal set without a witness.
fn fewest(
    (parts, goals): (&[WitnessPart], &[Goal<'_>]),
    failed: Vec<usize>,
    about: &TextTopic<'_>,
    share: &mut DialogueBudget<'_>,
) -> Vec<usize> {
    let chosen = |set: &[usize]| -> Vec<Goal<'_>> {
        set.iter().filter_map(|at| goals.get(*at).copied()).collect()
    };
    let excluded =
        |set: &[usize], texts| conflict_for(&bounded_checks(&chosen(set)), texts).is_some();
    // When the budget is spent, the remaining goals may include some that are not needed.
    let mut steps = (MINIMAL_SET_FACTOR * SEARCH_STEPS).min(share.steps_left());
    let mut missed = |set: &[usize]| {
        steps > 0 && {
            let mut own = steps.min(SEARCH_STEPS);
            let before = own;
            let found = witness_within(parts, &chosen(set), about, 0, (Effort::Searched, &mut own));
            steps -= before - own;
            share.spend(before - own);
            found.is_err() && work::spend(Task::Witnesses, (before - own) as u64) && steps > 0
        }
    };
    let all: Vec<usize> = (0..goals.len()).collect();
    // Contradictions of two or three goals are reported before larger ones.
    let small = |texts| small_sets(goals.len()).find(|set| excluded(set, texts));
    if let Some(set) = small(Texts::All) {
        return set;
    }
    let proven = excluded(&all, Texts::All);
    if !proven && let Some(set) = small(Texts::Prose) {
        return set;
    }
    // A minimal set of few goals is found by trying: one or two goals quickly have a witness.
    if !proven
        && goals.len() <= MAX_MINIMIZED_GOALS
        && let Some(set) =
            small_sets(goals.len()).find(|set| set.len() < goals.len() && missed(set))
    {
        return set;
    }
    let mut set = all;
    // The goals that the best attempt missed are tried last.
    let order = (0..goals.len()).rev().filter(|at| !failed.contains(at));
    for at in order.chain(failed.iter().rev().copied()) {
        let fewer: Vec<usize> = set.iter().copied().filter(|other| *other != at).collect();
        if !fewer.is_empty() && if proven { excluded(&fewer, Texts::All) } else { missed(&fewer) } {
            set = fewer;
        }
    }
    set
}

/// The most goals for which a minimal set is searched by size.
const MAX_MINIMIZED_GOALS: usize = 5;
/// The most sets that are tried.
const MAX_TRIED_SETS: usize = 2_000;

/// The sets of one, two and three of `many` goals, smaller ones first.
fn small_sets(many: usize) -> impl Iterator<Item = Vec<usize>> {
    let ones = (0..many).map(|a| vec![a]);
    let twos = (0..many).flat_map(move |a| (a + 1..many).map(move |b| vec![a, b]));
    let threes = (0..many).flat_map(move |a| {
        (a + 1..many).flat_map(move |b| (b + 1..many).map(move |c| vec![a, b, c]))
    });
    ones.chain(twos).chain(threes).take(MAX_TRIED_SETS)
}

/// The topic of a turn: its name and keywords.
pub struct TurnTopic<'p> {
    name: &'p str,
    keywords: Vec<&'p str>,
    said: Option<&'p str>,
}

impl<'p> TurnTopic<'p> {
    pub fn from_turn(plan: &'p Plan, dialogue: &str, turn: &'p ScriptTurn) -> TurnTopic<'p> {
        let record = record(plan, dialogue, &turn.topic);
        let field = |name| record.and_then(|record| record.field(name));
        let keywords = field("keywords").and_then(Value::as_list).unwrap_or_default();
        TurnTopic {
            name: field("name").and_then(Value::as_str).unwrap_or(
                match (&*turn.topic, &turn.over) {
                    ("", Some(over)) => over,
                    ("", None) => "this",
                    (topic, _) => topic,
                },
            ),
            keywords: keywords.iter().filter_map(Value::as_str).collect(),
            said: turn.golden.as_deref(),
        }
    }

    pub fn text_topic(&self) -> TextTopic<'_> {
        TextTopic { subject: self.name, keywords: &self.keywords, said: self.said }
    }
}

fn record<'p>(plan: &'p Plan, dialogue: &str, topic: &str) -> Option<&'p Value> {
    let dialogue = plan.dialogue(dialogue)?;
    plan.bank(&dialogue.table.topic.as_ref()?.bank)?.record(topic)
}

fn looks_back(plan: &Plan) -> bool {
    let dialogues = &plan.model.dialogues;
    dialogues.iter().any(|table| rules_read(plan, table, TurnFact::Replies))
}
