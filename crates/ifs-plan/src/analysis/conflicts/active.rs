//! The checks that may be active at the same time.

use std::collections::BTreeSet;

use super::cases::{KnownValues, constant};
use super::turns::TurnNumbers;
use super::{CheckMemo, JointChecks, PossibleCheck};
use crate::Plan;
use ifs_model::table::{
    DecidedBy, Dialogue, Impose, ImposedConstraint, Scope, Speaker, Step, Turn, TurnPart,
};
use ifs_predicate::tree::{Node, Tree};

/// For each dialogue the constraints that it draws, and for each of its turns the requirements. For
/// groups that no dialogue draws from, nothing is known: others may use some of them.
pub(super) fn pools(plan: &Plan) -> Vec<JointChecks<'_>> {
    let mut pools = Vec::new();
    for dialogue in plan.dialogues() {
        let table = dialogue.table;
        let bank = table.topic.as_ref().map(|from| from.bank.as_str());
        let drawn = drawn(table);
        let in_dialogue = table.steps.iter().filter_map(|step| match step {
            Step::Let(name, value) => Some((name.as_str(), value)),
            _ => None,
        });
        let lets = with_lets(plan, KnownValues::default(), in_dialogue);
        let passed = TurnNumbers::none();
        let mut walk = Walk { plan, table, bank, lets, passed, pools: Vec::new() };
        walk.steps(&table.steps, vec![drawn.clone()]);
        pools.append(&mut walk.pools);
        let lets = std::mem::take(&mut walk.lets);
        pools.push(walk.pool(&drawn, None, lets));
    }
    pools
}

/// With more flows than this, the constraints of each may be active after any of them.
const MAX_PATHS: usize = 8;

/// The turns of a dialogue in their order. Constraints that were imposed for the dialogue are active
/// on later turns; those of one side of a branch, or of one of several flows, are never active on
/// the turns of another.
struct Walk<'p> {
    plan: &'p Plan,
    table: &'p Dialogue,
    bank: Option<&'p str>,
    lets: KnownValues,
    /// The number of turns so far.
    passed: TurnNumbers,
    pools: Vec<JointChecks<'p>>,
}

impl<'p> Walk<'p> {
    /// The constraints that may be active afterwards, for each path to these steps.
    fn steps(
        &mut self,
        steps: &'p [Step],
        mut paths: Vec<PossibleConstraints<'p>>,
    ) -> Vec<PossibleConstraints<'p>> {
        for step in steps {
            paths = match step {
                Step::Turn(turn) => self.turn(turn, paths),
                Step::For { body, by, .. } => {
                    let before = self.passed;
                    self.passed = before.or_more();
                    let after = self.steps(body, paths.clone());
                    self.passed = before.or_more();
                    // Constraints imposed for members that responses choose end with their rounds.
                    if by.is_none() { after } else { paths }
                }
                Step::When { body, otherwise, .. } => {
                    let before = self.passed;
                    self.steps(body, paths.clone());
                    let first = self.passed;
                    // Both sides may be run, the second one after the first.
                    self.passed = before.to(first);
                    self.steps(otherwise, paths.clone());
                    self.passed = before.to(self.passed);
                    paths
                }
                Step::Flow => self.flow(paths),
                Step::Let(..) | Step::Param(_) => paths,
            };
        }
        paths
    }

    fn flow(&mut self, paths: Vec<PossibleConstraints<'p>>) -> Vec<PossibleConstraints<'p>> {
        let flows = &self.plan.model.flows;
        let mut after = Vec::new();
        let before = self.passed;
        let mut passed = before;
        for name in &self.table.flows {
            let Some(flow) = flows.iter().find(|flow| flow.name == *name) else { continue };
            self.passed = before;
            after.extend(self.steps(&flow.steps, paths.clone()));
            passed = passed.to(self.passed);
        }
        // Turns of moves between topics come in any order.
        let moves = self.table.topics.iter().flat_map(|rules| &rules.turns);
        let mut moved = paths;
        if self.table.topics.is_some() {
            passed = passed.or_more();
        }
        for (_, turn) in moves {
            self.passed = before.or_more();
            moved = self.turn(turn, moved);
        }
        self.passed = passed;
        match after.is_empty() {
            true => moved,
            false => joined(after),
        }
    }

    fn turn(
        &mut self,
        turn: &'p Turn,
        mut paths: Vec<PossibleConstraints<'p>>,
    ) -> Vec<PossibleConstraints<'p>> {
        let at_turn = turn.body.iter().filter_map(|part| match part {
            TurnPart::Let(name, value) => Some((name.as_str(), value)),
            _ => None,
        });
        let lets = with_lets(self.plan, self.lets.clone(), at_turn);
        self.passed = self.passed.next();
        for lasting in &mut paths {
            let mut here = lasting.clone();
            for impose in turn.imposes() {
                add(&mut here, self.table, impose);
                if impose.scope != Scope::Turn {
                    add(lasting, self.table, impose);
                }
            }
            let pool = self.pool(&here, Some(turn), lets.clone());
            self.pools.push(pool);
        }
        paths
    }

    /// The checks of these constraints, and of a written turn if they are active on one.
    fn pool(
        &self,
        drawn: &PossibleConstraints<'p>,
        turn: Option<&'p Turn>,
        lets: KnownValues,
    ) -> JointChecks<'p> {
        let mut checks = possible_checks(self.plan, drawn);
        if let Some(turn) = turn {
            required(&turn.body, &mut checks);
        }
        let turns = turn.map(|_| self.passed.reading());
        JointChecks { plan: self.plan, bank: self.bank, checks, lets, turns }
    }
}

/// The paths that differ, or one for all of them if they are many.
fn joined(mut paths: Vec<PossibleConstraints<'_>>) -> Vec<PossibleConstraints<'_>> {
    let mut differing: Vec<PossibleConstraints<'_>> = Vec::new();
    for path in paths.drain(..) {
        if !differing.iter().any(|known| known.is(&path)) {
            differing.push(path);
        }
    }
    if differing.len() <= MAX_PATHS {
        return differing;
    }
    let mut one = PossibleConstraints::default();
    for path in &differing {
        for given in &path.given {
            if one.given.iter().any(|other| other.is(given)) {
                continue;
            }
            let everywhere = |path: &PossibleConstraints<'_>| {
                path.given.iter().any(|other| other.is(given) && other.surely)
            };
            let surely = given.surely && differing.iter().all(everywhere);
            one.given.push(GivenConstraint { surely, ..*given });
        }
        for group in &path.groups {
            if one.groups.iter().any(|other| other.is(group)) {
                continue;
            }
            let everywhere = |path: &PossibleConstraints<'_>| {
                path.groups.iter().any(|other| other.is(group) && other.always)
            };
            let always = group.always && differing.iter().all(everywhere);
            one.groups.push(DrawnGroup { always, ..*group });
        }
    }
    vec![one]
}

/// The known names, and those of these `let`s that have the same value in every dialogue.
fn with_lets<'t>(
    plan: &Plan,
    known: KnownValues,
    lets: impl Iterator<Item = (&'t str, &'t Tree)>,
) -> KnownValues {
    // In a constraint, its own parameter hides the name.
    let is_param = |name: &str| {
        let constraints = plan.model.groups.iter().flat_map(|group| &group.constraints);
        constraints.flat_map(|one| &one.params).any(|param| param.name == name)
    };
    lets.fold(known, |known, (name, value)| match constant(value, &known) {
        Some(value) if !is_param(name) => known.with(name, value),
        _ => known,
    })
}

/// Who says a constraint, against whom, and on which responses it applies, if not on all.
#[derive(Clone, Copy)]
struct StatementTerms<'p> {
    speaker: Speaker,
    against: Option<Speaker>,
    applies: Option<&'p Tree>,
}

impl<'p> StatementTerms<'p> {
    fn from_impose(impose: &'p Impose) -> StatementTerms<'p> {
        let against = impose.against.as_ref().map(|against| against.speaker);
        StatementTerms { speaker: impose.by, against, applies: impose.applies.as_ref() }
    }

    fn is(&self, other: &StatementTerms<'_>) -> bool {
        let applies = |terms: &StatementTerms<'_>| terms.applies.map(std::ptr::from_ref);
        (self.speaker, self.against, applies(self))
            == (other.speaker, other.against, applies(other))
    }
}

/// A constraint that is imposed by name, and whether it certainly is.
#[derive(Clone, Copy)]
struct GivenConstraint<'p> {
    imposed: &'p ImposedConstraint,
    terms: StatementTerms<'p>,
    surely: bool,
}

impl GivenConstraint<'_> {
    fn is(&self, other: &GivenConstraint<'_>) -> bool {
        std::ptr::eq(self.imposed, other.imposed) && self.terms.is(&other.terms)
    }
}

/// A group that is drawn from, and whether one of its constraints is always active.
#[derive(Clone, Copy)]
struct DrawnGroup<'p> {
    name: &'p str,
    terms: StatementTerms<'p>,
    always: bool,
}

impl DrawnGroup<'_> {
    fn is(&self, other: &DrawnGroup<'_>) -> bool {
        self.name == other.name && self.terms.is(&other.terms)
    }
}

/// The constraints that may be active.
#[derive(Clone, Default)]
struct PossibleConstraints<'p> {
    groups: Vec<DrawnGroup<'p>>,
    given: Vec<GivenConstraint<'p>>,
}

impl PossibleConstraints<'_> {
    fn is(&self, other: &PossibleConstraints<'_>) -> bool {
        let same_groups = self.groups.len() == other.groups.len()
            && std::iter::zip(&self.groups, &other.groups)
                .all(|(one, two)| one.is(two) && one.always == two.always);
        same_groups
            && self.given.len() == other.given.len()
            && std::iter::zip(&self.given, &other.given).all(|(one, two)| one.is(two))
    }
}

fn drawn(dialogue: &Dialogue) -> PossibleConstraints<'_> {
    let start = constant(&dialogue.start, &KnownValues::default()).and_then(|start| start.as_int());
    let always = start.is_some_and(|start| start >= dialogue.groups.len() as i64);
    let terms = StatementTerms { speaker: Speaker::User, against: None, applies: None };
    let groups = dialogue.groups.iter().map(|name| DrawnGroup { name, terms, always });
    let mut drawn = PossibleConstraints { groups: groups.collect(), given: Vec::new() };
    for impose in dialogue.own_imposes() {
        add(&mut drawn, dialogue, impose);
    }
    drawn
}

fn add<'p>(drawn: &mut PossibleConstraints<'p>, dialogue: &'p Dialogue, impose: &'p Impose) {
    let terms = StatementTerms::from_impose(impose);
    if let Some(imposed) = &impose.given {
        let surely = impose.probability.is_none();
        drawn.given.push(GivenConstraint { imposed, terms, surely });
        return;
    }
    // Which of them are active together is known for each record (`preview::clash`).
    if impose.called.is_some() {
        return;
    }
    let low = constant(&impose.low, &KnownValues::default()).and_then(|low| low.as_int());
    // Without groups of its own it draws from those of the dialogue.
    let from = if impose.from.is_empty() { &dialogue.groups } else { &impose.from };
    let always = low.is_some_and(|low| low >= from.len() as i64) && impose.probability.is_none();
    for name in from {
        let group = DrawnGroup { name, terms, always };
        match drawn.groups.iter_mut().find(|other| other.is(&group)) {
            Some(known) => known.always |= always,
            None => drawn.groups.push(group),
        }
    }
}

fn possible_checks<'p>(plan: &'p Plan, drawn: &PossibleConstraints<'p>) -> Vec<PossibleCheck<'p>> {
    let mut checks = Vec::new();
    for group in &plan.model.groups {
        for GivenConstraint { imposed, terms, surely } in &drawn.given {
            let constraint =
                group.constraints.iter().find(|known| known.name == imposed.constraint);
            checks.extend(constraint.and_then(|constraint| {
                let id = checks.len();
                let params = &imposed.params;
                let check =
                    PossibleCheck::from_constraint(constraint, &group.name, params, id, *surely)?;
                Some(check.said(terms.speaker, terms.against.into_iter(), terms.applies.cloned()))
            }));
        }
        for speaker in Speaker::ALL {
            let draws: Vec<&DrawnGroup<'_>> = drawn
                .groups
                .iter()
                .filter(|drawn| drawn.name == group.name && drawn.terms.speaker == speaker)
                .collect();
            if draws.is_empty() {
                continue;
            }
            let always = draws.iter().any(|drawn| drawn.always) && group.constraints.len() == 1;
            let against = || draws.iter().filter_map(|drawn| drawn.terms.against);
            let applies = any_of(draws.iter().map(|drawn| drawn.terms.applies));
            for constraint in &group.constraints {
                let (id, params) = (checks.len(), &constraint.params);
                let check =
                    PossibleCheck::from_constraint(constraint, &group.name, params, id, always);
                checks.extend(check.map(|check| check.said(speaker, against(), applies.clone())));
            }
        }
    }
    checks
}

/// That one of these conditions holds; `None` if one is no condition.
fn any_of<'p>(conditions: impl Iterator<Item = Option<&'p Tree>>) -> Option<Tree> {
    let mut all: Vec<Tree> = conditions.map(Option::<&Tree>::cloned).collect::<Option<_>>()?;
    match all.len() {
        0 | 1 => all.pop(),
        _ => Some(Tree::without_place(Node::Or(all))),
    }
}

fn required<'p>(parts: &'p [TurnPart], checks: &mut Vec<PossibleCheck<'p>>) {
    for part in parts {
        match part {
            TurnPart::Require { name, by: DecidedBy::Rule(tree), .. } => {
                checks.push(PossibleCheck {
                    id: checks.len(),
                    name,
                    speaker: Speaker::User,
                    against: Vec::new(),
                    group: None,
                    tree,
                    applies: Vec::new(),
                    params: &[],
                    excludes: BTreeSet::new(),
                    library: None,
                    always: true,
                    memo: CheckMemo::default(),
                })
            }
            TurnPart::For { body, .. } => required(body, checks),
            TurnPart::Require { by: DecidedBy::Judge(_), .. }
            | TurnPart::Observe { .. }
            | TurnPart::Ask(_)
            | TurnPart::Show(_)
            | TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Part { .. }
            | TurnPart::Impose(_)
            | TurnPart::Answer(_)
            | TurnPart::Reply(_)
            | TurnPart::Class(_)
            | TurnPart::Expect { .. }
            | TurnPart::Void(..) => {}
        }
    }
}
