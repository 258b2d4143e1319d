//! Changes of instructions: one is added, modified or dropped.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::InstructionChange;
use super::args::{self, DrawContext, evaluated};
use super::exclusions::Exclusions;
use super::fit::Fits;
use super::speak::AgainstSpeaker;
use super::state::{Active, ActiveEntry, OtherConstraints, Owner};
use super::stream::{Stream, Streams};
use super::tally::{ChoiceKind, RecordedChoice};
use ifs_base::work::{self, Task};
use ifs_model::table::{
    Case, Change, ChangeRule, ChangeRules, Constraint, Domain, Param, Scope, Speaker,
};
use ifs_plan::{ConstraintId, GroupId, Plan};
use ifs_predicate::evaluate::Variables;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_value::stable_hash::{StreamKey, name_number};

/// The number of draws for the same change before another one is tried.
const MAX_ATTEMPTS: u32 = 10;

/// The number of complete draws of a change before a rejected part is replaced.
pub(super) const MAX_COMPLETE_DRAWS: u32 = 1_000;

/// The context of a change.
pub(super) struct ChangeContext<'a> {
    pub streams: &'a Streams,
    pub turn: u32,
    /// The position in the dialogue that the draws depend on.
    pub place: u64,
    /// The index of the change within the turn.
    pub step: u32,
    pub plan: &'a Plan,
    /// The groups to draw from.
    pub groups: &'a [GroupId],
    pub exclusions: &'a Exclusions,
    pub facts: &'a dyn Variables,
    /// The owner and scope of added constraints.
    pub owner: Owner,
    pub scope: Scope,
    /// Who says what is added, and how that relates to the constraints of another speaker.
    pub speaker: Speaker,
    pub relation: Option<AgainstSpeaker>,
    /// Overruled constraints, which a drawn one need not contradict or follow from.
    pub overruled: &'a [Arc<Active>],
    pub applies: Option<Arc<Tree>>,
    pub fits: &'a Fits<'a>,
    pub care: DrawRestrictions<'a>,
}

/// Restrictions of a draw, in addition to constraints that a single active one excludes.
#[derive(Clone, Copy, Default)]
pub(super) struct DrawRestrictions<'a> {
    /// Nor constraints that several active ones exclude together.
    pub together: bool,
    /// These are excluded too: no combination was found for them.
    pub but: &'a [Arc<Active>],
    /// Rejected draws are not replaced.
    pub once: bool,
}

impl ChangeContext<'_> {
    /// The result of a change. With `redraws`, a contradictory change is drawn again completely, so
    /// that possible changes have their declared weights.
    pub fn drawn(
        self,
        redraws: bool,
        active_constraints: &mut Vec<ActiveEntry>,
        draw: impl Fn(&ChangeContext<'_>, &mut Vec<ActiveEntry>) -> Option<InstructionChange>,
    ) -> Option<InstructionChange> {
        if redraws {
            let earlier = self.fits.set_refused(Vec::new());
            let mut refused = Vec::new();
            let mut found = None;
            for again in 0..MAX_COMPLETE_DRAWS {
                if work::is_exhausted() {
                    break;
                }
                let noted = self.fits.noted();
                let pool = ChangeContext {
                    step: self.step.wrapping_add(again << 20),
                    care: DrawRestrictions { once: true, ..self.care },
                    applies: self.applies.clone(),
                    ..self
                };
                let changed = draw(&pool, active_constraints);
                let contradicted = self.fits.set_refused(Vec::new());
                let over = changed.is_some() || contradicted.is_empty();
                refused.extend(contradicted);
                if over {
                    found = Some(changed);
                    break;
                }
                self.fits.take_back(noted);
            }
            self.fits.set_refused(earlier.into_iter().chain(refused).collect());
            if let Some(changed) = found {
                return changed;
            }
        }
        draw(&self, active_constraints)
    }

    /// One change by the shares of `ways`. The share of a closed alternative (no group to add from,
    /// nothing to drop) goes to the others. Constraints of other owners are not changed.
    pub fn change(
        &self,
        changes: &ChangeRules,
        active_constraints: &mut Vec<ActiveEntry>,
    ) -> Option<InstructionChange> {
        let changes = chosen(changes, self.facts);
        let mut open: Vec<&ChangeRule> = changes
            .iter()
            .filter(|rule| match rule.change {
                Change::Add => self.inactive_groups(active_constraints).next().is_some(),
                Change::Modify | Change::Drop => !self.owned_indexes(active_constraints).is_empty(),
            })
            .collect();
        let all = open.clone();
        while !open.is_empty() {
            let weights: Vec<u64> = open.iter().map(|rule| u64::from(rule.share.0)).collect();
            let at = self.stream("change", StreamKey::NONE).weighted(&weights)?;
            let rule = open.remove(at);
            let changed = match rule.change {
                Change::Add => self.add(active_constraints),
                Change::Modify => self.modify(active_constraints),
                Change::Drop => self.drop_one(active_constraints),
            };
            if changed.is_some() {
                self.fits.note(|| {
                    let share = |rule: &&ChangeRule| {
                        (rule.change.word().to_owned(), f64::from(rule.share.0))
                    };
                    let shares = all.iter().map(share).collect();
                    let drawn = all.iter().position(|one| one.change == rule.change);
                    RecordedChoice::weighted(ChoiceKind::Change, String::new(), shares, drawn)
                });
            }
            if changed.is_some() || self.is_over() {
                return changed;
            }
        }
        None
    }

    /// Whether a draw was rejected and must not be replaced.
    fn is_over(&self) -> bool {
        self.care.once && self.fits.has_refused()
    }

    /// Adds a constraint from a group without an active one.
    pub fn add(&self, active_constraints: &mut Vec<ActiveEntry>) -> Option<InstructionChange> {
        let mut open: Vec<GroupId> = self.inactive_groups(active_constraints).collect();
        let name = |group: &GroupId| self.plan.group_by_id(*group).name.as_str();
        let all: Vec<&str> = open.iter().map(name).collect();
        while !open.is_empty() {
            if !work::spend(Task::Draws, 1 + open.len() as u64 / 4) {
                return None;
            }
            let names = open.iter().map(|group| (name_number(name(group)), 1));
            let at = self.stream("add", StreamKey::NONE).named(names)?;
            let group = open.remove(at);
            let member = self.member(group, OtherConstraints::all(active_constraints), None);
            if let Some((id, active)) = member {
                let active = Arc::new(active);
                if self.relation.is_none() {
                    self.note_group(ChoiceKind::Added, &all, name(&group));
                }
                active_constraints.push(ActiveEntry {
                    id,
                    active: Arc::clone(&active),
                    owner: self.owner,
                    scope: self.scope,
                    applies: self.applies.clone(),
                    unsaid: None,
                });
                return Some(InstructionChange {
                    change: Change::Add,
                    after: Some(active),
                    before: None,
                });
            }
            if self.is_over() {
                return None;
            }
        }
        None
    }

    /// The constraints of the same owner, by index.
    fn owned_indexes(&self, active_constraints: &[ActiveEntry]) -> Vec<usize> {
        let all = active_constraints.iter().enumerate();
        all.filter(|(_, held)| held.owner == self.owner).map(|(at, _)| at).collect()
    }

    fn drop_one(&self, active_constraints: &mut Vec<ActiveEntry>) -> Option<InstructionChange> {
        let own = self.owned_indexes(active_constraints);
        let names = own.iter().map(|at| (name_number(active_constraints[*at].active.group()), 1));
        let at = self.stream("drop", StreamKey::NONE).named(names)?;
        let active = active_constraints.remove(own[at]).active;
        Some(InstructionChange { change: Change::Drop, after: None, before: Some(active) })
    }

    /// Draws the constraint of a group again until it differs, or changes its list.
    fn modify(&self, active_constraints: &mut [ActiveEntry]) -> Option<InstructionChange> {
        let mut open = self.owned_indexes(active_constraints);
        let all: Vec<Arc<Active>> =
            open.iter().map(|at| Arc::clone(&active_constraints[*at].active)).collect();
        while !open.is_empty() {
            let names =
                open.iter().map(|at| (name_number(active_constraints[*at].active.group()), 1));
            let chosen = self.stream("modify", StreamKey::NONE).named(names)?;
            let at = open.remove(chosen);
            let ActiveEntry { id, active: before, .. } = &active_constraints[at];
            let (id, before) = (*id, Arc::clone(before));
            let others = OtherConstraints { all: active_constraints, but: Some(at) };
            let params = &self.plan.constraint_by_id(id).params;
            let after = match params.iter().find(|param| param.evolve.is_some()) {
                Some(param) => self.evolve(id, param, &before, others).map(|after| (id, after)),
                None => self.member(id.group, others, Some((id, &before))),
            };
            if let Some((id, after)) = after {
                let after = Arc::new(after);
                active_constraints[at].id = id;
                active_constraints[at].active = Arc::clone(&after);
                let all: Vec<&str> = all.iter().map(|active| active.group()).collect();
                self.note_group(ChoiceKind::Modified, &all, before.group());
                return Some(InstructionChange {
                    change: Change::Modify,
                    after: Some(after),
                    before: Some(before),
                });
            }
            if self.is_over() {
                return None;
            }
        }
        None
    }

    /// A member of a group with arguments, other than `unlike`.
    fn member(
        &self,
        group: GroupId,
        others: OtherConstraints<'_>,
        unlike: Option<(ConstraintId, &Active)>,
    ) -> Option<(ConstraintId, Active)> {
        // Two speakers may state constraints that one speaker may not state together.
        let apart: Vec<ActiveEntry>;
        let all = others;
        let others = match self.relation {
            Some((_, Case::Conflicting | Case::Aligned)) => {
                apart = all
                    .iter()
                    .filter(|other| !self.may_be_active_together(other))
                    .cloned()
                    .collect();
                OtherConstraints::all(&apart)
            }
            _ => all,
        };
        let by_name = |id| self.exclusions.find_excluding(id, others);
        let allowed: Vec<(ConstraintId, &Constraint)> = self
            .plan
            .members(group)
            .filter(|(id, _)| self.care.once || by_name(*id).is_none())
            .collect();
        let group = self.plan.group_by_id(group);
        for attempt in 0..MAX_ATTEMPTS {
            let mut open = allowed.clone();
            while !open.is_empty() {
                if !work::spend(Task::Draws, 4 + open.len() as u64 / 8) {
                    return None;
                }
                let key = StreamKey::new(&group.name).and_number(u64::from(attempt));
                let names = open
                    .iter()
                    .map(|(_, constraint)| (name_number(&constraint.name), constraint.weight));
                let at = self.stream("member", key).named(names)?;
                let (id, constraint) = open.remove(at);
                if let Some(by) = by_name(id) {
                    self.fits.refuse(constraint, vec![by.active.constraint.clone()]);
                    return None;
                }
                let place = self.place(attempt, others);
                let against = |args: &[(String, Value)]| {
                    let relates = self.relation.is_none_or(|relation| {
                        let known = (all, self.overruled);
                        self.fits.relates((id, args), known, relation, self.facts)
                    });
                    match relates {
                        true => self.against(id, args, others),
                        false => Some(Vec::new()),
                    }
                };
                let drawn = args::draw((id, constraint), &place);
                if let Some(args) = &drawn
                    && self.is_taken_back(constraint, args)
                {
                    continue;
                }
                let fitting = drawn.and_then(|args| match against(&args) {
                    None => Some(args),
                    Some(others) => {
                        if self.relation.is_none() {
                            self.fits.refuse(constraint, others);
                        }
                        let fits = |args: &[(String, Value)]| {
                            !self.is_taken_back(constraint, args) && against(args).is_none()
                        };
                        (!self.care.once)
                            .then(|| args::narrowed((id, constraint), &args, &place, fits))
                            .flatten()
                    }
                });
                if self.is_over() {
                    return None;
                }
                // A domain has no values left, or none that fits the active constraints.
                let Some(args) = fitting else { continue };
                let same = unlike.is_some_and(|(of, other)| of == id && other.args == args);
                if !same {
                    // With a relation, the drawn frequencies differ from the declared weights.
                    if self.relation.is_none() {
                        self.note_member((id, constraint), &args, unlike, &place);
                    }
                    let constraint = constraint.name.clone();
                    return Some((
                        id,
                        Active {
                            constraint,
                            args,
                            since: self.turn,
                            speaker: self.speaker,
                            ..Active::default()
                        },
                    ));
                }
                break;
            }
        }
        None
    }

    fn note_group(&self, choice: ChoiceKind, all: &[&str], drawn: &str) {
        self.fits.note(|| {
            let shares = all.iter().map(|name| ((*name).to_owned(), 1.0)).collect();
            let drawn = all.iter().position(|name| *name == drawn);
            RecordedChoice::weighted(choice, String::new(), shares, drawn)
        });
    }

    /// Records which constraint of a group was drawn, and its values. A draw that must differ from
    /// `unlike` has the declared shares among the different ones.
    fn note_member(
        &self,
        (id, drawn): (ConstraintId, &Constraint),
        args: &[(String, Value)],
        unlike: Option<(ConstraintId, &Active)>,
        place: &DrawContext<'_>,
    ) {
        self.fits.note(|| {
            let group = self.plan.group_by_id(id.group);
            let same = |(one, constraint): (ConstraintId, &Constraint)| -> f64 {
                let Some((_, unlike)) = unlike.filter(|(of, _)| *of == one) else { return 0.0 };
                let shares = (0..constraint.params.len()).map(|at| {
                    let (values, drawn) = args::shares((one, constraint), at, &unlike.args, place)?;
                    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
                    Some(values.get(drawn?)?.1 / total)
                });
                shares.map(|share| share.unwrap_or(0.0)).product()
            };
            let members = self.plan.members(id.group);
            let weights: Vec<(String, f64)> = members
                .filter(|(_, one)| one.weight > 0)
                .map(|(id, one)| {
                    (one.name.clone(), f64::from(one.weight) * (1.0 - same((id, one))))
                })
                .collect();
            let at = weights.iter().position(|(name, _)| *name == drawn.name);
            RecordedChoice::weighted(ChoiceKind::Constraint, group.name.clone(), weights, at)
        });
        if unlike.is_some_and(|(of, _)| of == id) {
            return;
        }
        for (at, param) in drawn.params.iter().enumerate() {
            self.fits.note(|| {
                let (values, at) = args::shares((id, drawn), at, args, place)?;
                let of = format!("{}({})", drawn.name, param.name);
                let values = values.into_iter().map(|(value, weight)| (value.to_string(), weight));
                RecordedChoice::weighted(ChoiceKind::Value, of, values.collect(), at)
            });
        }
    }

    /// Adds members to a list, drops some, or draws some again.
    fn evolve(
        &self,
        id: ConstraintId,
        param: &Param,
        before: &Active,
        others: OtherConstraints<'_>,
    ) -> Option<Active> {
        let (Some(changes), Domain::Some { of, with, .. }) = (&param.evolve, &param.domain) else {
            return None;
        };
        let constraint = self.plan.constraint_by_id(id);
        let list: Vec<Value> = before.arg(&param.name)?.as_list()?.to_vec();
        let args: &[(String, Value)] = &before.args;
        let vars: (&dyn Variables, &dyn Variables) = (&args, self.facts);
        let place = self.place(0, others);
        let forbidden = self.exclusions.masked(id, &param.name, others);
        let all = evaluated(of, &vars)?;
        let compared = all.as_list()?.len() as u64 * (1 + list.len() as u64);
        if !work::spend(Task::Draws, 1 + compared / 16) {
            return None;
        }
        let plain = |value: &Value| value.field("value").unwrap_or(value).clone();
        let have: Vec<Value> = list.iter().map(plain).collect();
        let fresh: Vec<Value> = all
            .as_list()?
            .iter()
            .filter(|value| !have.contains(value) && !args::forbids(&forbidden, value))
            .cloned()
            .collect();
        let mut open: Vec<&ChangeRule> = chosen(changes, &vars)
            .iter()
            .filter(|rule| match rule.change {
                Change::Add => !fresh.is_empty(),
                Change::Drop => list.len() > 1,
                Change::Modify => !list.is_empty(),
            })
            .collect();
        let key = StreamKey::new(&constraint.name).and(&param.name);
        while !open.is_empty() {
            let weights: Vec<u64> = open.iter().map(|rule| u64::from(rule.share.0)).collect();
            let at = self.stream("evolve", key).weighted(&weights)?;
            let rule = open.remove(at);
            let amount = self.draw_amount(rule, key, &vars);
            let changed = match rule.change {
                Change::Add => self.add_members(&list, &fresh, amount, with, key, &place),
                Change::Drop => self.shrink(&list, &have, amount.min(list.len() - 1), key),
                Change::Modify => self.renew(&list, &have, &fresh, amount, with, key, others),
            };
            if let Some(members) = changed.filter(|members| *members != list) {
                let mut after = before.clone();
                after.since = self.turn;
                for (name, value) in &mut after.args {
                    if *name == param.name {
                        *value = Value::list(members.clone());
                    }
                }
                match self.against(id, &after.args, others) {
                    None => return Some(after),
                    Some(others) => self.fits.refuse(constraint, others),
                }
                if self.is_over() {
                    return None;
                }
            }
        }
        None
    }

    /// The active constraints that a draw contradicts.
    fn against(
        &self,
        id: ConstraintId,
        args: &[(String, Value)],
        others: OtherConstraints<'_>,
    ) -> Option<Vec<String>> {
        let found = self.fits.against(id, args, others, self.facts);
        if let Some(other) = found {
            return Some(vec![other.constraint.clone()]);
        }
        self.care
            .together
            .then(|| self.fits.against_several(id, args, others, self.facts))
            .flatten()
    }

    fn is_taken_back(&self, constraint: &Constraint, args: &[(String, Value)]) -> bool {
        let mut but = self.care.but.iter();
        but.any(|active| active.constraint == constraint.name && active.args == args)
    }

    fn add_members(
        &self,
        list: &[Value],
        fresh: &[Value],
        amount: usize,
        with: &[Param],
        key: StreamKey,
        place: &DrawContext<'_>,
    ) -> Option<Vec<Value>> {
        let names: Vec<u64> = fresh.iter().map(args::value_number).collect();
        let chosen = self.stream("grow", key).several(&names, amount);
        let mut members = list.to_vec();
        for at in chosen {
            members.push(args::member(&fresh[at], with, key, place)?);
        }
        Some(members)
    }

    fn shrink(
        &self,
        list: &[Value],
        have: &[Value],
        amount: usize,
        key: StreamKey,
    ) -> Option<Vec<Value>> {
        let names: Vec<u64> = have.iter().map(args::value_number).collect();
        let gone = self.stream("shrink", key).several(&names, amount);
        Some(
            list.iter()
                .enumerate()
                .filter(|(at, _)| !gone.contains(at))
                .map(|(_, value)| value.clone())
                .collect(),
        )
    }

    /// New companions for some members (`times` of a word), or new members.
    #[expect(clippy::too_many_arguments, reason = "the parts of one step, used nowhere else")]
    fn renew(
        &self,
        list: &[Value],
        have: &[Value],
        fresh: &[Value],
        amount: usize,
        with: &[Param],
        key: StreamKey,
        others: OtherConstraints<'_>,
    ) -> Option<Vec<Value>> {
        let names: Vec<u64> = have.iter().map(args::value_number).collect();
        let renewed = self.stream("renew", key).several(&names, amount);
        let mut members = list.to_vec();
        match with {
            [_, ..] => {
                for at in renewed {
                    let other = (0..MAX_ATTEMPTS).find_map(|attempt| {
                        let key = key.and_number(u64::from(attempt));
                        let drawn =
                            args::member(&have[at], with, key, &self.place(attempt, others))?;
                        (drawn != list[at]).then_some(drawn)
                    });
                    members[at] = other?;
                }
            }
            [] => {
                let names: Vec<u64> = fresh.iter().map(args::value_number).collect();
                let chosen = self.stream("replace", key).several(&names, renewed.len());
                for (at, new) in renewed.into_iter().zip(chosen) {
                    members[at] = fresh[new].clone();
                }
            }
        }
        Some(members)
    }

    fn draw_amount(&self, rule: &ChangeRule, key: StreamKey, vars: &dyn Variables) -> usize {
        let Some(tree) = &rule.amount else { return 1 };
        let (low, high) = match &tree.node {
            Node::Range { low: Some(low), high: Some(high), .. } => {
                (args::int(low, vars), args::int(high, vars))
            }
            _ => (args::int(tree, vars), args::int(tree, vars)),
        };
        let (low, high) = (low.unwrap_or(1).max(1), high.unwrap_or(1).max(1));
        let drawn = self.stream("amount", key).int(low, high.max(low));
        usize::try_from(drawn).unwrap_or(1)
    }

    fn inactive_groups<'a>(
        &'a self,
        active_constraints: &'a [ActiveEntry],
    ) -> impl Iterator<Item = GroupId> {
        let alone = active_constraints.iter().filter(|held| !self.may_be_active_together(held));
        let taken: BTreeSet<GroupId> = alone.map(|held| held.id.group).collect();
        self.groups.iter().copied().filter(move |group| !taken.contains(group))
    }

    /// Whether what is added may be of the group of an active constraint: that is what it is
    /// against.
    fn may_be_active_together(&self, held: &ActiveEntry) -> bool {
        match self.relation {
            Some((speaker, Case::Conflicting | Case::Aligned)) => held.active.speaker == speaker,
            Some((_, Case::Unrelated)) | None => false,
        }
    }

    fn place<'a>(
        &'a self,
        attempt: u32,
        active_constraints: OtherConstraints<'a>,
    ) -> DrawContext<'a> {
        // Several changes on a turn have separate streams.
        let attempt = attempt.wrapping_add(self.step.wrapping_mul(MAX_ATTEMPTS));
        DrawContext {
            streams: self.streams,
            at: self.place,
            attempt,
            facts: self.facts,
            exclusions: self.exclusions,
            active_constraints,
        }
    }

    /// The stream of a draw of this change.
    fn stream(&self, purpose: &str, name: StreamKey) -> Stream {
        self.streams.choice_stream(self.place, purpose, name.and_number(u64::from(self.step)))
    }
}

/// The alternatives under the first guard that holds.
fn chosen<'w>(changes: &'w ChangeRules, facts: &dyn Variables) -> &'w [ChangeRule] {
    let holds =
        |guard: &ifs_predicate::tree::Tree| evaluated(guard, facts) == Some(Value::Bool(true));
    changes
        .guards
        .iter()
        .find(|(guard, _)| holds(guard))
        .map_or(&changes.changes, |(_, changes)| changes)
}
