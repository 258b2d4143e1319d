//! Whether `start with` can have as many constraints as it requires: of different groups, without
//! contradictions. A reported `start with` fails for every draw.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::{KnownValues, constant, domains_read, has_combination};
use super::{JointChecks, PossibleCheck};
use crate::Plan;
use ifs_base::diagnostic::{Code, Diagnostic, visible_text};
use ifs_base::work::{self, Task};
use ifs_model::split::described;
use ifs_model::table::{Constraint, Dialogue};
use ifs_predicate::bound::Texts;
use ifs_predicate::evaluate::record_meets;
use ifs_predicate::turn_fact::TurnFact;

/// The maximum number of sets for one topic, and of topics.
const MAX_SETS: usize = 2_000;
const MAX_TOPICS: usize = 256;

/// A constraint that `start` may draw.
struct StartCandidate<'p> {
    group: usize,
    constraint: &'p Constraint,
    excludes: BTreeSet<&'p str>,
    /// Whether its parameters have values, if they are the same for every topic.
    open: Option<bool>,
    /// `None` if a judge decides it.
    check: Option<PossibleCheck<'p>>,
}

struct StartSearch<'p> {
    pool: JointChecks<'p>,
    candidates: Vec<StartCandidate<'p>>,
    wanted: usize,
    /// Whether two exclude one another, as far as it was computed.
    apart: BTreeMap<(usize, usize), bool>,
    left: usize,
    most: usize,
}

/// Checks the `start` of a dialogue, and of each variant that has its own.
pub(super) fn check(plan: &Plan) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for dialogue in plan.dialogues() {
        let variants =
            dialogue.table.variants.iter().map(|(name, table)| (name.as_str(), &**table));
        let own = variants.filter(|(_, table)| !has_same_start(plan, dialogue.table, table));
        for (variant, table) in std::iter::once(("", dialogue.table)).chain(own) {
            let known = |one: &Diagnostic| found.iter().any(|known| known.span() == one.span());
            let Some(mut one) = of_dialogue(plan, table).filter(|one| !known(one)) else {
                continue;
            };
            if !variant.is_empty() {
                let of = described(variant, &plan.model.splits);
                one.message = format!("{} in `{}`, {of}", one.message, table.name);
            }
            found.push(one);
        }
    }
    found
}

/// Whether a variant's `start` is that of its dialogue, and draws from the same.
fn has_same_start(plan: &Plan, one: &Dialogue, other: &Dialogue) -> bool {
    one.start.span == other.start.span
        && one.groups == other.groups
        && one.topic == other.topic
        && imposes_by_name(plan, one) == imposes_by_name(plan, other)
}

/// Constraints that are imposed by name may leave fewer to draw.
fn imposes_by_name(plan: &Plan, table: &Dialogue) -> bool {
    table.all_imposes(&plan.model.flows).any(|impose| !impose.draws())
}

fn of_dialogue(plan: &Plan, table: &Dialogue) -> Option<Diagnostic> {
    let wanted = constant(&table.start, &KnownValues::default())?.as_int()?;
    let wanted = usize::try_from(wanted).ok().filter(|wanted| *wanted >= 1)?;
    if imposes_by_name(plan, table) {
        return None;
    }
    let mut search = StartSearch::new(plan, table, wanted);
    let all: Vec<usize> = (0..search.candidates.len()).collect();
    if search.is_proven_inconsistent(&all) {
        return Some(search.diagnostic(table, None));
    }
    let bank = table.topic.as_ref().and_then(|from| plan.bank(&from.bank));
    let mut failing: Vec<&str> = Vec::new();
    let mut most = wanted;
    for (key, record) in bank.iter().flat_map(|bank| bank.keys.iter().zip(&bank.records)) {
        let from = table.topic.as_ref().and_then(|from| from.condition.as_ref());
        if failing.len() >= MAX_TOPICS
            || from.is_some_and(|condition| !record_meets(condition, record))
        {
            continue;
        }
        let topic = KnownValues::default().with_fact(TurnFact::Topic, record.clone());
        let open = |at: &usize| {
            search.candidates.get(*at).is_some_and(|one| match one.open {
                Some(open) => open,
                None => has_combination(&one.constraint.params, &topic),
            })
        };
        let open: Vec<usize> = all.iter().copied().filter(open).collect();
        if open.len() < all.len() && search.is_proven_inconsistent(&open) {
            most = most.min(search.most);
            failing.push(key);
        }
    }
    search.most = most;
    (!failing.is_empty()).then(|| search.diagnostic(table, Some(&failing)))
}

impl<'p> StartSearch<'p> {
    fn new(plan: &'p Plan, table: &Dialogue, wanted: usize) -> StartSearch<'p> {
        let groups = plan.model.groups.iter().filter(|group| table.groups.contains(&group.name));
        let mut candidates = Vec::new();
        for (at, group) in groups.enumerate() {
            for constraint in group.constraints.iter().filter(|one| one.weight > 0) {
                let id = candidates.len();
                let check = PossibleCheck::from_constraint(
                    constraint,
                    &group.name,
                    &constraint.params,
                    id,
                    false,
                );
                let open = (!domains_read(&constraint.params, TurnFact::Topic))
                    .then(|| has_combination(&constraint.params, &KnownValues::default()));
                let excludes = constraint.excludes.iter().map(String::as_str).collect();
                candidates.push(StartCandidate { group: at, constraint, excludes, open, check });
            }
        }
        let lets = KnownValues::default();
        let pool = JointChecks { plan, bank: None, checks: Vec::new(), lets, turns: None };
        StartSearch { pool, candidates, wanted, apart: BTreeMap::new(), left: 0, most: 0 }
    }

    /// Whether certainly no set of this size is consistent.
    fn is_proven_inconsistent(&mut self, open: &[usize]) -> bool {
        (self.left, self.most) = (MAX_SETS, 0);
        !self.can_complete(open, &mut Vec::new()) && self.left > 0
    }

    fn can_complete(&mut self, open: &[usize], chosen: &mut Vec<usize>) -> bool {
        self.most = self.most.max(chosen.len());
        if chosen.len() == self.wanted {
            return true;
        }
        for (place, at) in open.iter().enumerate() {
            // Each is compared with all that are chosen.
            if self.left == 0 || !work::spend(Task::Conflicts, 1 + chosen.len() as u64 / 4) {
                self.left = 0;
                return false;
            }
            self.left -= 1;
            if chosen.iter().any(|other| self.are_apart(*other, *at)) {
                continue;
            }
            chosen.push(*at);
            let goes = !self.excludes_together(chosen)
                && self.can_complete(open.get(place + 1..).unwrap_or(&[]), chosen);
            if goes {
                return true;
            }
            chosen.pop();
        }
        false
    }

    fn are_apart(&mut self, one: usize, other: usize) -> bool {
        if let Some(known) = self.apart.get(&(one, other)) {
            return *known;
        }
        let apart = match (self.candidates.get(one), self.candidates.get(other)) {
            (Some(one), Some(other)) => {
                one.group == other.group
                    || one.excludes.contains(other.constraint.name.as_str())
                    || other.excludes.contains(one.constraint.name.as_str())
                    || match (&one.check, &other.check) {
                        (Some(one), Some(other)) => self.pool.never_hold_together(&[one, other]),
                        _ => false,
                    }
            }
            _ => false,
        };
        self.apart.insert((one, other), apart);
        apart
    }

    fn excludes_together(&self, chosen: &[usize]) -> bool {
        let checks = chosen.iter().filter_map(|at| self.candidates.get(*at)?.check.as_ref());
        let checks: Vec<&PossibleCheck<'p>> = checks.collect();
        checks.len() >= 3 && self.pool.never_hold_together(&checks)
    }

    fn diagnostic(&self, table: &Dialogue, topics: Option<&[&str]>) -> Diagnostic {
        let constraints = if self.wanted == 1 { "constraint" } else { "constraints" };
        let mut message = format!("`start with {} {constraints}` cannot be drawn", self.wanted);
        if let Some([first, rest @ ..]) = topics {
            message.push_str(&format!(" on the topic \"{}\"", visible_text(first)));
            match rest.len() {
                0 => {}
                1 => message.push_str(" and one more"),
                more => message.push_str(&format!(" and {more} more")),
            }
        }
        let most = match self.most {
            0 => "no constraint can be active here".to_owned(),
            most => format!("at most {most} of different groups can be active together"),
        };
        Diagnostic::error(Code::NOTHING_TO_DRAW, message).label(table.start.span, most).help(
            "ask for fewer, or change the constraints so that more of different groups can hold \
             together",
        )
    }
}

impl<'p> JointChecks<'p> {
    /// Whether checks never hold together.
    fn never_hold_together(&self, checks: &[&PossibleCheck<'p>]) -> bool {
        let first: Vec<_> = checks.iter().flat_map(|check| self.first_readings(check)).collect();
        if first.iter().any(|reading| reading.is_open()) && checks.len() == 2 {
            return false;
        }
        super::conflict_between(&first).is_some() && self.never(checks, None, Texts::All).is_some()
    }
}
