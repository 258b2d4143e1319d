//! Constraints that `impose` gives to turns: drawn ones, and ones by name.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::InstructionChange;
use super::args;
use super::body::DrawnImpose;
use super::change::{ChangeContext, DrawRestrictions};
use super::error::{DrawError, NoValue, NotCalled};
use super::names::NamedValues;
use super::state::{Active, ActiveEntry, OtherConstraints, Owner, PublishedName};
use super::walk::Script;
use ifs_base::diagnostic::Code;
use ifs_model::allowed::{notation, unfit};
use ifs_model::table::{Change, Impose, ImposedConstraint, Scope, Speaker};
use ifs_plan::{ConstraintId, GroupId};
use ifs_predicate::evaluate::{TurnFacts, Variables};
use ifs_predicate::partial_eval::partial_eval;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// An `impose` that may act on the current turn.
struct PendingImpose<'d, 'n> {
    impose: &'d Impose,
    /// The key of its draws.
    key: StreamKey,
    names: &'n NamedValues,
    owner: Owner,
}

/// Two `impose` of which the second would replace the first before it is said.
fn imposed_twice(impose: &Impose, first: &Active, second: &Active) -> DrawError {
    let name = &second.constraint;
    let (message, help) = match first.constraint == *name {
        true => (
            format!("`{name}` is imposed twice on this turn, with other arguments"),
            "a constraint has one set of arguments at a time",
        ),
        false => (
            format!("`{}` and `{name}` of one group are imposed on this turn", first.constraint),
            "a group gives one constraint at a time: impose one of the two",
        ),
    };
    DrawError::NotCalled(Box::new(NotCalled {
        code: Code::DUPLICATE_NAME,
        message,
        help: Some(help.to_owned()),
        span: impose.span,
        label: "the second one",
    }))
}

/// An unsaid constraint that lasts, with other arguments than it has had.
fn changed_unsaid(impose: &Impose, before: &Active) -> DrawError {
    let message = format!(
        "`{}` has been active since turn {} with other arguments, and no message changes them",
        before.constraint, before.since
    );
    let help = "leave out `scope`, so that the list of each turn is what applies there, or leave out \
         `unsaid`";
    NotCalled::by_record(Code::DUPLICATE_NAME, message, Some(help.to_owned()), impose.span)
}

impl<'d> Script<'d> {
    /// The `impose` statements of the dialogue, each with the names of its loops.
    fn shared_imposes(&self) -> Result<Vec<DrawnImpose<'d>>, DrawError> {
        self.source(&self.facts()).imposes(self.drawer.dialogue.table)
    }

    /// All `impose` statements of a turn: those of the dialogue, then its own.
    fn imposes<'n>(
        shared: &'n [DrawnImpose<'d>],
        own: &'n [DrawnImpose<'d>],
    ) -> Vec<PendingImpose<'d, 'n>> {
        let shared = shared
            .iter()
            .map(|DrawnImpose { impose, key, names }| (*impose, *key, names, Owner::Dialogue));
        let own = own.iter().map(|DrawnImpose { impose, key, names }| {
            (*impose, StreamKey::new("turn").and_number(key.number()), names, Owner::Turn)
        });
        let mut passed: Vec<StreamKey> = Vec::new();
        let here =
            |(impose, key, names, owner): (&'d Impose, StreamKey, &'n NamedValues, Owner)| {
                // Its stream depends on its contents and not on its number, so another `impose` does
                // not change the others. Statements with the same contents are distinguished by their
                // order.
                let given = impose.given.as_ref().map(|given| &given.constraint);
                let key = impose.from.iter().chain(given).fold(key, |key, name| key.and(name));
                let same = passed.iter().filter(|other| **other == key).count();
                passed.push(key);
                PendingImpose { impose, key: key.and_number(same as u64), names, owner }
            };
        shared.chain(own).map(here).collect()
    }

    /// Imposes constraints from groups: those of the system message, or the others.
    pub(super) fn impose(
        &mut self,
        own: &[DrawnImpose<'d>],
        system: bool,
        attempt: u32,
        care: DrawRestrictions<'_>,
        changes: &mut Vec<InstructionChange>,
    ) -> Result<(), DrawError> {
        let shared = self.shared_imposes()?;
        for here in Self::imposes(&shared, own) {
            if here.impose.draws() && (here.impose.by == Speaker::System) == system {
                self.impose_one(&here, attempt, care, changes)?;
            }
        }
        Ok(())
    }

    /// Imposes constraints by name: those of the system message, or the others.
    pub(super) fn give(
        &mut self,
        own: &[DrawnImpose<'d>],
        system: bool,
        changes: &mut Vec<InstructionChange>,
    ) -> Result<(), DrawError> {
        let shared = self.shared_imposes()?;
        let imposes = Self::imposes(&shared, own);
        for (at, here) in imposes.iter().enumerate() {
            if !here.impose.draws()
                && (here.impose.by == Speaker::System) == system
                && !self.is_superseded(here, &imposes[at + 1..])?
            {
                self.impose_single(here, changes)?;
            }
        }
        Ok(())
    }

    /// Whether a later `from turn … impose` of the dialogue has replaced it by now.
    fn is_superseded(
        &self,
        here: &PendingImpose<'d, '_>,
        later: &[PendingImpose<'d, '_>],
    ) -> Result<bool, DrawError> {
        let lasts = |impose: &Impose| impose.probability.is_none() && impose.applies.is_none();
        let Some(begun) = self.begins(here)? else { return Ok(false) };
        let turn = i64::from(self.state.turn - self.state.aside);
        for other in later {
            if other.owner == here.owner
                && other.impose.given.is_some()
                && other.impose.from == here.impose.from
                && other.impose.by == here.impose.by
                && lasts(other.impose)
                && self.begins(other)?.is_some_and(|first| begun < first && first <= turn)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The turn from which it acts, if it says one.
    fn begins(&self, here: &PendingImpose<'d, '_>) -> Result<Option<i64>, DrawError> {
        let Some(since) = &here.impose.since else { return Ok(None) };
        let facts = self.facts();
        let facts: (&dyn Variables, &dyn Variables) = (here.names, &facts);
        args::needed_int(since, "`from turn`", &facts).map(Some)
    }

    /// Whether it acts on the current turn.
    fn applies_now(
        &self,
        here: &PendingImpose<'_, '_>,
        facts: &dyn Variables,
    ) -> Result<bool, DrawError> {
        let impose = here.impose;
        // Turns in branches are not counted, so that it begins on the same turn after both sides.
        let turn = self.state.turn - self.state.aside;
        if let Some(since) = &impose.since
            && i64::from(turn) < args::needed_int(since, "`from turn`", facts)?
        {
            return Ok(false);
        }
        // A constraint that applies on this turn only, and does not apply, need not be stated.
        if impose.scope == Scope::Turn
            && let Some(applies) = &impose.applies
            && !args::needed_truth(applies, "the condition of `impose`", facts)?
        {
            return Ok(false);
        }
        let Some(probability) = &impose.probability else { return Ok(true) };
        let share = args::needed_float(probability, "the probability of `impose`", facts)?;
        let drawn = self.streams.choice_stream(self.place, "impose", here.key).number();
        // The upper 53 bits as a number in [0, 1).
        Ok(((drawn >> 11) as f64 / (1u64 << 53) as f64) < share)
    }

    /// The groups it draws from.
    fn eligible_groups(&self, impose: &Impose) -> Vec<GroupId> {
        match impose.from.as_slice() {
            [] => self.drawer.groups.clone(),
            from => {
                let id = |name: &String| self.drawer.plan.group_id(name);
                let named: BTreeSet<GroupId> = from.iter().filter_map(id).collect();
                named.into_iter().collect()
            }
        }
    }

    fn impose_one(
        &mut self,
        here: &PendingImpose<'d, '_>,
        attempt: u32,
        care: DrawRestrictions<'_>,
        changes: &mut Vec<InstructionChange>,
    ) -> Result<(), DrawError> {
        let PendingImpose { impose, key, names, owner } = *here;
        let from = self.eligible_groups(impose);
        let given = from.iter().filter(|group| self.state.given.contains(group)).count();
        let facts = self.facts();
        let counts = [(TurnFact::Groups, from.len()), (TurnFact::Given, given)];
        let counts = counts.map(|(fact, count)| (fact, Value::Int(count as i64)));
        let counts = TurnFacts(&counts);
        let inner: (&dyn Variables, &dyn Variables) = (&counts, &facts);
        let facts: (&dyn Variables, &dyn Variables) = (names, &inner);
        if !self.applies_now(here, &facts)? {
            return Ok(());
        }
        let low = args::needed_int(&impose.low, "the count of `impose`", &facts)?.max(0);
        let high = args::needed_int(&impose.high, "the count of `impose`", &facts)?;
        let count = self.streams.choice_stream(self.place, "imposed", key).int(low, high);
        let relation = self.relation(impose, &facts)?;
        let applies =
            impose.applies.as_ref().map(|applies| Arc::new(partial_eval(applies, names, &[])));
        for step in 0..u32::try_from(count).unwrap_or(0) {
            let open: Vec<GroupId> = from
                .iter()
                .copied()
                .filter(|group| !impose.new_group || !self.state.given.contains(group))
                .collect();
            let overruled: Vec<Arc<Active>> = match relation {
                Some(_) => self.overruled_by_others(impose.by),
                None => Vec::new(),
            };
            let mut active = self.take();
            // Each occurrence of an `impose` has its own streams.
            let step = step.wrapping_add((key.number() as u32) << 6 | 1 << 31);
            let pool = ChangeContext {
                groups: &open,
                owner,
                scope: impose.scope,
                speaker: impose.by,
                relation,
                overruled: &overruled,
                applies: applies.clone(),
                care,
                ..self.pool(step, attempt, &facts)
            };
            let redraws = self.drawer.dialogue.table.redraws && relation.is_none();
            let added = pool.drawn(redraws, &mut active, |pool, active| pool.add(active));
            let group = active.last().map(|last| last.id.group);
            self.put_back(active);
            // As many as can be active together, which may be fewer than requested.
            let Some(added) = added else {
                match relation {
                    Some(relation) if !self.is_met(impose, &from, relation) => {
                        return Err(self.no_case_error(impose, relation));
                    }
                    _ => break,
                }
            };
            if let Some(group) = group {
                self.has_given(group);
            }
            changes.push(added);
        }
        Ok(())
    }

    fn has_given(&mut self, group: GroupId) {
        if !self.state.given.contains(&group) {
            self.state.given.push(group);
        }
    }

    fn impose_single(
        &mut self,
        here: &PendingImpose<'d, '_>,
        changes: &mut Vec<InstructionChange>,
    ) -> Result<(), DrawError> {
        let facts = self.facts();
        let facts: (&dyn Variables, &dyn Variables) = (here.names, &facts);
        if !self.applies_now(here, &facts)? {
            return Ok(());
        }
        let applies = here.impose.applies.as_ref();
        let applies = applies.map(|applies| Arc::new(partial_eval(applies, here.names, &[])));
        let (id, mut active) = match (&here.impose.given, &here.impose.called) {
            (Some(given), _) => self.evaluate_imposed(given, &facts)?,
            (None, Some(called)) => self.constraint_by_alias(here.impose, called, &facts)?,
            (None, None) => return Ok(()),
        };
        active.speaker = here.impose.by;
        self.check_relation(here.impose, (id, &active), &facts)?;
        let (scope, owner) = (here.impose.scope, here.owner);
        let active = Arc::new(active);
        let held = ActiveEntry { id, active, owner, scope, applies, unsaid: None };
        // A turn may replace what its dialogue imposes, and neither may replace its own.
        let turn = self.state.turn;
        let replaced = self.visible().find(|other| {
            other.replaces(&held)
                && other.owner == owner
                && other.active.since == turn
                && (other.id != id || other.active.args != held.active.args)
        });
        if let Some(other) = replaced {
            return Err(imposed_twice(here.impose, &other.active, &held.active));
        }
        // No message says that what it lasted with has changed.
        let lasting = self.visible().find(|other| {
            held.active.called == Some(PublishedName::Unsaid)
                && held.scope > Scope::Turn
                && other.replaces(&held)
                && other.scope > Scope::Turn
                && other.active.args != held.active.args
        });
        if let Some(other) = lasting {
            return Err(changed_unsaid(here.impose, &other.active));
        }
        self.has_given(id.group);
        self.place(held, changes);
        // The message says it in the words of the data.
        let is_said = |changed: &InstructionChange| {
            changed.after.as_ref().is_none_or(|after| after.called != Some(PublishedName::Unsaid))
        };
        changes.retain(is_said);
        Ok(())
    }

    /// The constraint with its arguments evaluated here.
    fn evaluate_imposed(
        &self,
        given: &ImposedConstraint,
        facts: &dyn Variables,
    ) -> Result<(ConstraintId, Active), DrawError> {
        let (plan, turn) = (self.drawer.plan, self.state.turn);
        let id = plan.constraint_id(&given.constraint);
        let id = id.ok_or(DrawError::NothingToImpose { turn })?;
        let constraint = plan.constraint_by_id(id);
        let declared = &constraint.params;
        let mut args: Vec<(String, Value)> = Vec::new();
        for (param, tree) in given.args() {
            let what = format!("`{}.{}`", given.constraint, param.name);
            let value = args::needed(tree, &what, facts)?;
            if value == Value::Nothing {
                return Err(NoValue::unfit(&what, tree, &value, "a value", facts));
            }
            let vars: (&dyn Variables, &dyn Variables) = (&args.as_slice(), facts);
            let domain = declared.iter().find(|declared| declared.name == param.name);
            if let Some(wanted) = domain.and_then(|of| unfit(constraint, of, &value, &vars)) {
                return Err(DrawError::OutsideDomain {
                    constraint: given.constraint.clone(),
                    param: param.name.clone(),
                    value: notation(&value),
                    wanted,
                    turn,
                    span: tree.span,
                });
            }
            args.push((param.name.clone(), value));
        }
        let constraint = given.constraint.clone();
        Ok((id, Active { constraint, args, since: turn, ..Active::default() }))
    }

    /// Replaces the constraint of the same group, unless that has a wider scope, and removes
    /// constraints of the pool that contradict it.
    fn place(&mut self, held: ActiveEntry, changes: &mut Vec<InstructionChange>) {
        let own = held.clone();
        let same = |other: &&ActiveEntry| other.replaces(&own);
        let before = self.visible().find(same).cloned();
        let by_turn =
            |before: &ActiveEntry| before.owner == Owner::Turn && before.scope > Scope::Turn;
        if held.owner == Owner::Dialogue && before.as_ref().is_some_and(by_turn) {
            return;
        }
        let mut held = held;
        if let Some(before) = &before
            && before.id == held.id
            && before.active.args == held.active.args
        {
            // It is active already: nothing is stated, and it keeps its age.
            held.active = Arc::clone(&before.active);
            held.unsaid.clone_from(&before.unsaid);
            if before.owner != Owner::Pool && before.scope > held.scope {
                return;
            }
        }
        let (id, active, scope) = (held.id, Arc::clone(&held.active), held.scope);
        let stays = |other: &ActiveEntry| other.scope > scope || !other.replaces(&own);
        self.state.held.retain(stays);
        if let Some(topic) = self.current_mut() {
            topic.held.retain(stays);
        }
        self.put_back(vec![held]);
        let before = before.map(|before| before.active);
        if before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, &active)) {
            let change = if before.is_some() { Change::Modify } else { Change::Add };
            self.record_change(
                InstructionChange { change, after: Some(Arc::clone(&active)), before },
                changes,
            );
        }
        for dropped in self.remove_contradicted(id, &active) {
            changes.push(InstructionChange {
                change: Change::Drop,
                after: None,
                before: Some(dropped),
            });
        }
    }

    /// Adds a change to those of the turn. If one statement of a turn replaces what another one
    /// gave, only the result is stated.
    fn record_change(&mut self, changed: InstructionChange, changes: &mut Vec<InstructionChange>) {
        let said = changed.before.as_ref().and_then(|before| {
            let after = |earlier: &InstructionChange| {
                earlier.after.as_ref().is_some_and(|after| Arc::ptr_eq(after, before))
            };
            changes.iter().position(after)
        });
        let Some(at) = said else {
            changes.push(changed);
            return;
        };
        let first = changes.remove(at);
        let same = match (&first.before, &changed.after) {
            (Some(before), Some(after)) => {
                before.constraint == after.constraint && before.args == after.args
            }
            _ => false,
        };
        if !same {
            changes.push(InstructionChange { after: changed.after, ..first });
            return;
        }
        // It is active again with its previous values, so it keeps its age.
        if let (Some(before), Some(after)) = (first.before, changed.after) {
            self.restore(&before, &after);
        }
    }

    /// Removes constraints of `start` and `evolve` that contradict an imposed one.
    fn remove_contradicted(&mut self, id: ConstraintId, given: &Active) -> Vec<Arc<Active>> {
        // Those are of the user.
        if given.speaker != Speaker::User {
            return Vec::new();
        }
        let facts = self.facts();
        let all = self.take();
        let contradicts = |held: &ActiveEntry| {
            let other = OtherConstraints::all(std::slice::from_ref(held));
            self.drawer.exclusions.exclude(id, held.id)
                || self.fits.against(id, &given.args, other, &facts).is_some()
        };
        let (gone, kept): (Vec<ActiveEntry>, Vec<ActiveEntry>) =
            all.into_iter().partition(|held| held.owner == Owner::Pool && contradicts(held));
        self.put_back(kept);
        gone.into_iter().map(|held| held.active).collect()
    }
}
