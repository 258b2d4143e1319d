//! The instructions of a turn: expiry, `start` and `evolve`, `impose`, and the resulting active
//! constraints.
//!
//! Every active constraint has an owner and a scope. The scope determines when it expires, and only
//! the owner changes it. If two constraints of one group are active, the one with the narrower
//! scope is
//! active; it covers the other one until it expires.

use std::sync::Arc;

use super::InstructionChange;
use super::absent::absent_rule;
use super::args::{self, evaluated};
use super::body::DrawnBody;
use super::change::{ChangeContext, DrawRestrictions, MAX_COMPLETE_DRAWS};
use super::error::{DrawError, NoValue};
use super::state::{Active, ActiveEntry, Owner, UnstatedConstraint};
use super::walk::Script;
use ifs_base::work::{self, Task};
use ifs_model::table::{Change, DecidedBy, Move, Scope, Speaker};
use ifs_parts::template::render_once;
use ifs_predicate::evaluate::{TurnFacts, Variables};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// How often the changes of a turn are drawn before each of them is compared with all active
/// constraints, instead of only their result.
const MAX_REDRAWS: u32 = 10;

/// How often a choice of `start with` is made or taken back.
const MAX_CHOICES: u32 = 2_000;

/// The maximum number of changes on one turn.
const MAX_CHANGES: i64 = 1_000;

impl<'d> Script<'d> {
    /// The changes of the turn. They are drawn again, a limited number of times, while the
    /// resulting active constraints contradict one another. After that, no contradictory change is
    /// made.
    pub(super) fn instruct(
        &mut self,
        opens: bool,
        body: Option<&DrawnBody<'d>>,
    ) -> Result<(Vec<InstructionChange>, u32), DrawError> {
        let mut attempt = 0;
        let (held, given) = (self.all_and_current(), self.state.given.clone());
        let noted = self.fits.noted();
        loop {
            // Whoever counts the work reports it.
            if work::is_exhausted() {
                return Ok((Vec::new(), attempt.max(1)));
            }
            let last = attempt == MAX_REDRAWS;
            let care = DrawRestrictions { together: last, ..DrawRestrictions::default() };
            // Imposed constraints come first, so that drawn ones fit them.
            let own = body.map_or(&[][..], |body| &body.imposes);
            let mut changes = Vec::new();
            // The system message comes first, and others may be against it.
            if self.state.turn == 1 {
                self.give(own, true, &mut changes)?;
                self.impose(own, true, attempt, care, &mut changes)?;
            }
            self.give(own, false, &mut changes)?;
            if last {
                self.make_room(&mut changes);
            }
            changes.extend(match opens {
                true => self.start(attempt, care)?,
                // Before the first topic there is nothing to change.
                false if self.opened() == 0 => Vec::new(),
                // In a branch it rests, so that the turns after it are the same on both sides.
                false if self.is_in_branch() => Vec::new(),
                false => self.evolve(attempt, care)?,
            });
            self.impose(own, false, attempt, care, &mut changes)?;
            attempt += 1;
            if changes.is_empty() || last || !self.is_contradictory() {
                return Ok((changes, attempt));
            }
            self.hold(held.clone());
            self.state.given.clone_from(&given);
            self.fits.take_back(noted);
        }
    }

    /// Whether several of the active constraints contradict one another.
    fn is_contradictory(&self) -> bool {
        self.fits.contradictory(&self.followed(), &self.facts())
    }

    /// Drops constraints of `start` and `evolve` that do not fit the imposed ones, latest first.
    fn make_room(&mut self, changes: &mut Vec<InstructionChange>) {
        let given = self.visible().any(|held| held.owner != Owner::Pool);
        while given && self.is_contradictory() {
            let mut active = self.take();
            let pool: Vec<usize> =
                (0..active.len()).filter(|at| active[*at].owner == Owner::Pool).collect();
            let facts = self.facts();
            let without = |at: &usize| {
                let mut fewer = active.clone();
                fewer.remove(*at);
                !self.fits.contradictory(&fewer, &facts)
            };
            let latest = |at: &&usize| (active[**at].active.since, **at);
            let frees = pool.iter().filter(|at| without(at)).max_by_key(latest);
            let gone = frees.or(pool.iter().max_by_key(latest)).copied();
            let gone = gone.map(|at| active.remove(at).active);
            self.put_back(active);
            let Some(gone) = gone else { return };
            changes.push(InstructionChange {
                change: Change::Drop,
                after: None,
                before: Some(gone),
            });
        }
    }

    /// The initial constraints of a topic.
    fn start(
        &mut self,
        attempt: u32,
        care: DrawRestrictions<'_>,
    ) -> Result<Vec<InstructionChange>, DrawError> {
        let facts = self.facts();
        let count = &self.drawer.dialogue.table.start;
        let count = args::needed_int(count, "the count of `start with`", &facts)?;
        let count = u32::try_from(count.max(0)).unwrap_or(u32::MAX);
        if self.drawer.dialogue.table.redraws
            && let Some(changes) = self.start_at_once(count, attempt, care)
        {
            return Ok(changes);
        }
        self.start_by_choice(count, attempt, care)
    }

    /// Draws all of them again if they contradict one another; `None` if every attempt fails.
    fn start_at_once(
        &mut self,
        count: u32,
        attempt: u32,
        care: DrawRestrictions<'_>,
    ) -> Option<Vec<InstructionChange>> {
        let held = self.all_and_current();
        let earlier = self.fits.set_refused(Vec::new());
        let mut refused = Vec::new();
        let mut found = None;
        for again in 0..MAX_COMPLETE_DRAWS {
            if work::is_exhausted() {
                break;
            }
            let noted = self.fits.noted();
            let mut changes = Vec::new();
            for step in 0..count {
                let facts = self.facts();
                let mut active = self.take();
                let step = step.wrapping_add(again << 20);
                let care = DrawRestrictions { once: true, ..care };
                let added =
                    ChangeContext { care, ..self.pool(step, attempt, &facts) }.add(&mut active);
                self.put_back(active);
                let Some(added) = added else { break };
                changes.push(added);
            }
            let contradicted = self.fits.set_refused(Vec::new());
            let closed = contradicted.is_empty();
            refused.extend(contradicted);
            if changes.len() == count as usize {
                found = Some(changes);
                break;
            }
            self.hold(held.clone());
            self.fits.take_back(noted);
            // There are too few groups for any draw.
            if closed {
                break;
            }
        }
        self.fits.set_refused(earlier.into_iter().chain(refused).collect());
        found
    }

    /// Draws them in sequence. A choice that leaves too few others is taken back and drawn
    /// again. Whether constraints fit together does not depend on their order, so a failed choice
    /// is not tried again at a later position.
    fn start_by_choice(
        &mut self,
        count: u32,
        attempt: u32,
        care: DrawRestrictions<'_>,
    ) -> Result<Vec<InstructionChange>, DrawError> {
        let turn = self.state.turn;
        let mut changes: Vec<InstructionChange> = Vec::new();
        // For each step: what must not be drawn, what was active before, and what was recorded.
        let mut steps: Vec<(Vec<Arc<Active>>, Vec<ActiveEntry>, usize)> = Vec::new();
        let mut but: Vec<Arc<Active>> = Vec::new();
        for _ in 0..MAX_CHOICES.max(count) {
            let copied = 1 + changes.len() + but.len();
            if changes.len() == count as usize || !work::spend(Task::Draws, copied as u64) {
                break;
            }
            let facts = self.facts();
            let (before, noted) = (self.take(), self.fits.noted());
            let mut active = before.clone();
            let step = u32::try_from(changes.len()).unwrap_or(u32::MAX);
            let care = DrawRestrictions { but: &but, ..care };
            let added = ChangeContext { care, ..self.pool(step, attempt, &facts) }.add(&mut active);
            let given = active.iter().any(|held| held.owner != Owner::Pool);
            self.put_back(active);
            match added {
                Some(added) => {
                    steps.push((but.clone(), before, noted));
                    changes.push(added);
                }
                // Constraints that are imposed by name may leave fewer.
                None if given => return Ok(changes),
                None => {
                    let taken_back = steps.pop().zip(changes.pop().and_then(|made| made.after));
                    let Some(((others, before, noted), choice)) = taken_back else {
                        return Err(DrawError::NothingToImpose { turn });
                    };
                    self.take();
                    self.put_back(before);
                    self.fits.take_back(noted);
                    but = others;
                    but.push(choice);
                }
            }
        }
        match changes.len() == count as usize {
            true => Ok(changes),
            false => Err(DrawError::NothingToImpose { turn }),
        }
    }

    fn evolve(
        &mut self,
        attempt: u32,
        care: DrawRestrictions<'_>,
    ) -> Result<Vec<InstructionChange>, DrawError> {
        let Some(evolve) = &self.drawer.dialogue.table.evolve else { return Ok(Vec::new()) };
        let facts = self.facts();
        let low = args::needed_int(&evolve.low, "the count of `evolve`", &facts)?;
        let high = args::needed_int(&evolve.high, "the count of `evolve`", &facts)?;
        let count = self
            .streams
            .choice_stream(self.place, "changes", StreamKey::NONE)
            .int(low.min(MAX_CHANGES), high.min(MAX_CHANGES));
        let mut changes = Vec::new();
        for step in 0..u32::try_from(count.max(0)).unwrap_or(0) {
            let facts = self.facts();
            let mut active = self.take();
            let pool = ChangeContext { care, ..self.pool(step, attempt, &facts) };
            let redraws = self.drawer.dialogue.table.redraws;
            changes.extend(
                pool.drawn(redraws, &mut active, |pool, active| pool.change(&evolve.rules, active)),
            );
            self.put_back(active);
        }
        Ok(self.net(changes))
    }

    /// The net result of several changes of a turn, by group: what was never stated is not
    /// withdrawn, and a constraint that was dropped and added again is unchanged.
    pub(super) fn net(&mut self, changes: Vec<InstructionChange>) -> Vec<InstructionChange> {
        let mut net: Vec<InstructionChange> = Vec::with_capacity(changes.len());
        for changed in changes {
            match net.iter().position(|earlier| earlier.slot() == changed.slot()) {
                Some(earlier) => net[earlier].after = changed.after,
                None => net.push(changed),
            }
        }
        net.retain_mut(|changed| {
            changed.change = match (&changed.before, &changed.after) {
                (None, None) => return false,
                (None, Some(_)) => Change::Add,
                (Some(_), None) => Change::Drop,
                (Some(before), Some(after)) => {
                    if before.constraint == after.constraint && before.args == after.args {
                        self.restore(before, after);
                        return false;
                    }
                    Change::Modify
                }
            };
            true
        });
        net
    }

    /// Restores the age of a constraint that is active again with its previous values.
    pub(super) fn restore(&mut self, before: &Arc<Active>, after: &Arc<Active>) {
        let own = self.state.current.and_then(|at| self.state.topics.get_mut(at));
        let own = own.into_iter().flat_map(|topic| &mut topic.held);
        for held in self.state.held.iter_mut().chain(own) {
            if Arc::ptr_eq(&held.active, after) {
                held.active = Arc::clone(before);
            }
        }
    }

    /// Draws from the dialogue's pool, as `start` and `evolve` do.
    pub(super) fn pool<'a>(
        &'a self,
        step: u32,
        attempt: u32,
        facts: &'a dyn Variables,
    ) -> ChangeContext<'a> {
        ChangeContext {
            streams: &self.streams,
            turn: self.state.turn,
            place: self.place,
            // Each attempt has its own streams.
            step: step.wrapping_add(attempt << 16),
            plan: self.drawer.plan,
            groups: &self.drawer.groups,
            exclusions: &self.drawer.exclusions,
            facts,
            owner: Owner::Pool,
            scope: self.drawer.dialogue.table.scope,
            speaker: Speaker::User,
            relation: None,
            overruled: &[],
            applies: None,
            fits: &self.fits,
            care: DrawRestrictions::default(),
        }
    }

    /// Removes constraints with the scope of one turn.
    pub(super) fn expire(&mut self) {
        self.state.held.retain(|held| held.scope != Scope::Turn);
    }

    /// Changes from the end of a scope: a covered constraint is active again with values that were
    /// not the last ones stated, or is covered again. `met`: a branch has ended, with what was
    /// imposed in it. A difference between the constraints of two
    /// topics is not a change.
    pub(super) fn uncovered(
        &mut self,
        before: &[ActiveEntry],
        met: bool,
    ) -> Vec<InstructionChange> {
        let turn = self.state.turn;
        let mut now = self.take();
        let mut changes = Vec::new();
        for held in &mut now {
            let same = |was: &&ActiveEntry| was.replaces(held);
            let Some(was) = before.iter().find(same) else { continue };
            let reported = was.id == held.id && was.active.args == held.active.args;
            let ended = met && held.scope != Scope::Topic;
            if reported || was.scope == held.scope && !ended {
                continue;
            }
            held.active = Arc::new(Active { since: turn, ..Active::clone(&held.active) });
            changes.push(InstructionChange {
                change: Change::Modify,
                after: Some(Arc::clone(&held.active)),
                before: Some(Arc::clone(&was.active)),
            });
        }
        self.put_back(now);
        changes
    }

    /// The active constraints, before their conditions on responses.
    pub(super) fn visible(&self) -> impl Iterator<Item = &ActiveEntry> {
        let all = [self.state.held.as_slice(), self.current().map_or(&[], |topic| &topic.held)];
        let is_covered = ActiveEntry::covered_by(&all);
        all.into_iter().flatten().filter(move |held| !is_covered(held))
    }

    pub(super) fn active_constraints(&self) -> Vec<Arc<Active>> {
        self.visible().map(|held| Arc::clone(&held.active)).collect()
    }

    /// The constraints that are active on the current turn.
    pub(super) fn binding(&self) -> Vec<Arc<Active>> {
        let binding = self.visible().filter(|held| self.binds(held));
        binding.map(|held| Arc::clone(&held.active)).collect()
    }

    /// Checks that every active rule has the values that it needs from the current records, and every
    /// question a text.
    pub(super) fn check_values(&self) -> Result<(), DrawError> {
        let facts = self.facts();
        for ActiveEntry { id, active, .. } in self.visible().filter(|held| self.binds(held)) {
            let constraint = self.drawer.plan.constraint_by_id(*id);
            let tree = match &constraint.by {
                DecidedBy::Rule(tree) => tree,
                DecidedBy::Judge(question) => {
                    if is_emptied(&question.text, active) {
                        let what = format!("the question of `{}`", constraint.name);
                        return Err(NoValue::empty_text(&what, constraint.span));
                    }
                    continue;
                }
            };
            if !(tree.reads(TurnFact::Topic) || tree.reads(TurnFact::Style)) {
                continue;
            }
            let age = self.state.turn.saturating_sub(active.since);
            let age = [(TurnFact::Age, Value::Int(i64::from(age)))];
            let age = TurnFacts(&age);
            let args = active.args.as_slice();
            let outer: (&dyn Variables, &dyn Variables) = (&age, &facts);
            let vars: (&dyn Variables, &dyn Variables) = (&args, &outer);
            let applies = |applies| evaluated(applies, &vars) == Some(Value::Bool(true));
            if !constraint.applies.as_ref().is_none_or(applies) {
                continue;
            }
            if let Some(fault) = absent_rule(tree, &vars, &[]) {
                let what = format!("the check of `{}`", constraint.name);
                return Err(NoValue::error(&what, tree, fault, &vars));
            }
        }
        Ok(())
    }

    /// The constraints that are active and apply on the current turn, which are stated again.
    pub(super) fn applying(&self, asked: Option<&str>) -> Vec<Arc<Active>> {
        let own = self.visible().filter(|held| held.active.speaker == Speaker::User);
        let all = own.filter(|held| self.binds(held) && self.applies(held, asked));
        all.map(|held| Arc::clone(&held.active)).collect()
    }

    /// Whether an active constraint applies on the current turn, according to its `impose`.
    pub(super) fn binds(&self, held: &ActiveEntry) -> bool {
        let Some(applies) = &held.applies else { return true };
        let age = self.state.turn.saturating_sub(held.active.since);
        let age = [(TurnFact::Age, Value::Int(i64::from(age)))];
        let age = TurnFacts(&age);
        let facts = self.facts();
        let vars: (&dyn Variables, &dyn Variables) = (&age, &facts);
        evaluated(applies, &vars) == Some(Value::Bool(true))
    }

    /// Active constraints that have not been stated yet, and constraints of the previous turn.
    pub(super) fn unsaid(&self, before: &[ActiveEntry]) -> Vec<(Arc<Active>, UnstatedConstraint)> {
        let all = self.visible().chain(before);
        let unsaid = |held: &ActiveEntry| Some((Arc::clone(&held.active), held.unsaid.clone()?));
        all.filter_map(unsaid).collect()
    }

    /// The changes in the user message: without those of constraints that do not apply on this
    /// turn, and with constraints that apply now for the first time. `asked` is the turn's own
    /// message.
    pub(super) fn stated_changes(
        &mut self,
        mut changes: Vec<InstructionChange>,
        unsaid: &[(Arc<Active>, UnstatedConstraint)],
        asked: Option<&str>,
    ) -> Vec<InstructionChange> {
        let of = |active: &Arc<Active>| {
            unsaid.iter().find(|(known, _)| Arc::ptr_eq(known, active)).map(|(_, unsaid)| unsaid)
        };
        // A changed or dropped constraint may never have been stated; then the old value is the one
        // that was.
        changes.retain_mut(|changed| {
            let Some(unsaid) = changed.before.as_ref().and_then(&of) else { return true };
            changed.before.clone_from(&unsaid.before);
            match (&changed.before, &changed.after) {
                (None, None) => return false,
                (None, Some(_)) => changed.change = Change::Add,
                (Some(_), _) => {}
            }
            true
        });
        let mut active = self.take();
        for held in &mut active {
            let applies = self.binds(held) && self.applies(held, asked);
            let after = |changed: &InstructionChange| {
                changed.after.as_ref().is_some_and(|after| Arc::ptr_eq(after, &held.active))
            };
            match (changes.iter().position(after), applies) {
                (Some(at), false) => {
                    held.unsaid = Some(UnstatedConstraint { before: changes.remove(at).before });
                }
                (Some(_), true) => held.unsaid = None,
                (None, true) => {
                    if let Some(UnstatedConstraint { before }) = held.unsaid.take() {
                        let change = if before.is_some() { Change::Modify } else { Change::Add };
                        let after = Some(Arc::clone(&held.active));
                        changes.push(InstructionChange { change, after, before });
                    }
                }
                (None, false) => {}
            }
        }
        self.put_back(active);
        changes
    }

    /// Whether a constraint's own condition holds on the current turn; conditions on the response
    /// or on other messages are assumed to hold.
    fn applies(&self, held: &ActiveEntry, asked: Option<&str>) -> bool {
        let Some(applies) = &self.drawer.plan.constraint_by_id(held.id).applies else {
            return true;
        };
        let age = self.state.turn.saturating_sub(held.active.since);
        let mut turn = vec![(TurnFact::Age, Value::Int(i64::from(age)))];
        turn.extend(asked.map(|asked| (TurnFact::Prompt, Value::text(asked))));
        let (turn, facts) = (TurnFacts(&turn), self.facts());
        let facts: (&dyn Variables, &dyn Variables) = (&turn, &facts);
        let args = held.active.args.as_slice();
        let vars: (&dyn Variables, &dyn Variables) = (&args, &facts);
        evaluated(applies, &vars) != Some(Value::Bool(false))
    }

    /// The constraints that apply again when the dialogue returns to a topic, if the dialogue names
    /// them.
    pub(super) fn applies_again(&self, to: Move, asked: Option<&str>) -> Vec<Arc<Active>> {
        let said = self.drawer.dialogue.table.scope_said.as_ref();
        if to != Move::Backtrack || !said.is_some_and(|said| said.again) {
            return Vec::new();
        }
        let own = self.visible().filter(|held| {
            held.scope == Scope::Topic
                && held.active.speaker == Speaker::User
                && self.binds(held)
                && self.applies(held, asked)
        });
        let mut again: Vec<Arc<Active>> = own.map(|held| Arc::clone(&held.active)).collect();
        again.sort_by(|one, other| one.constraint.cmp(&other.constraint));
        again
    }

    /// Removes active constraints; covered ones stay. `put` restores them.
    pub(super) fn take(&mut self) -> Vec<ActiveEntry> {
        let (held, own) = self.all_and_current();
        let all = [held.as_slice(), own.as_slice()];
        let is_covered = ActiveEntry::covered_by(&all);
        let (covered, active): (Vec<ActiveEntry>, Vec<ActiveEntry>) =
            all.into_iter().flatten().cloned().partition(is_covered);
        self.hold((Vec::new(), Vec::new()));
        self.put_back(covered);
        active
    }

    pub(super) fn put_back(&mut self, active: Vec<ActiveEntry>) {
        let current = self.state.current.and_then(|at| self.state.topics.get_mut(at));
        let (own, held): (Vec<ActiveEntry>, Vec<ActiveEntry>) =
            active.into_iter().partition(|held| held.scope == Scope::Topic);
        self.state.held.extend(held);
        if let Some(topic) = current {
            topic.held.extend(own);
        }
    }

    /// The constraints of all topics, and of the current one.
    fn all_and_current(&self) -> (Vec<ActiveEntry>, Vec<ActiveEntry>) {
        let own = self.current().map(|topic| topic.held.clone());
        (self.state.held.clone(), own.unwrap_or_default())
    }

    fn hold(&mut self, (held, own): (Vec<ActiveEntry>, Vec<ActiveEntry>)) {
        self.state.held = held;
        if let Some(topic) = self.state.current.and_then(|at| self.state.topics.get_mut(at)) {
            topic.held = own;
        }
    }
}

/// Whether a text has nothing but arguments, and these are empty.
fn is_emptied(text: &str, active: &Active) -> bool {
    let is_blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
    let args = active.args.iter();
    let fields = || args.clone().map(|(name, value)| (name.as_str(), value.clone())).collect();
    args.clone().any(|(_, value)| is_blank(value))
        && render_once(text, fields()).is_ok_and(|text| text.trim().is_empty())
}
