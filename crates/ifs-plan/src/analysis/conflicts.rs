//! Constraints that can never hold: alone, or together with others that are active with them;
//! and those that ask for nothing, or for nothing more than another.
//!
//! Only what `predicate::bound` proves is an error, for all values that the plan lets parameters and
//! topics have. What holds for prose only is a hint: a warning, unless a text refutes it.

mod active;
pub(super) mod cases;
mod partial;
mod start;
mod triples;
mod turns;

pub use partial::{PartialConflict, partial};

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::Plan;
use cases::{KnownValues, cases, domains_read, first_combination, topics};
use ifs_base::diagnostic::{Code, Diagnostic, Severity};
use ifs_base::source::{FileId, Span};
use ifs_base::work::{self, Task};
use ifs_model::table::{Constraint, DecidedBy, Param, Speaker};
use ifs_predicate::bound::{
    AnalysedCheck, Conflict, Exclusion, Texts, conflict_among, conflict_between,
};
use ifs_predicate::tree::{ArithmeticOp, Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_predicate::witness::{Effort, Goal, TextTopic, witness_within};

/// The maximum number of combinations of values.
const MAX_COMBINATIONS: usize = 4096;
/// Replies that are looked at one by one, where a check depends on which it is.
const EXAMINED_REPLIES: i64 = 24;

/// The search for pairs that exclude one another ends after this many, and so does that for pairs of
/// which one follows from the other: nobody reads more.
const MAX_REPORTED_PAIRS: usize = 500;

/// The steps of the search for a text that refutes a hint.
const HINT_STEPS: usize = 300_000;

/// One check that may be active.
pub(super) struct PossibleCheck<'p> {
    /// The number by which a reason names it.
    id: usize,
    name: &'p str,
    /// Who says it, and the speakers that it may contradict.
    speaker: Speaker,
    against: Vec<Speaker>,
    /// At most one of a group is active; requirements have none.
    group: Option<&'p str>,
    tree: &'p Tree,
    /// The conditions under which it applies, all of which have to hold.
    applies: Vec<Tree>,
    params: &'p [Param],
    excludes: BTreeSet<&'p str>,
    /// The module of the library that it is in.
    library: Option<FileId>,
    /// Whether it is active whatever is drawn.
    always: bool,
    memo: CheckMemo,
}

/// The properties of a check, each computed when it is first read.
#[derive(Default)]
struct CheckMemo {
    cases: OnceCell<Option<Vec<KnownValues>>>,
    first: OnceCell<Vec<AnalysedCheck>>,
    denied: OnceCell<AnalysedCheck>,
    total: OnceCell<bool>,
    by_reply: OnceCell<bool>,
    by_topic: OnceCell<bool>,
}

impl<'p> PossibleCheck<'p> {
    fn from_constraint(
        constraint: &'p Constraint,
        group: &'p str,
        params: &'p [Param],
        id: usize,
        always: bool,
    ) -> Option<PossibleCheck<'p>> {
        let DecidedBy::Rule(tree) = &constraint.by else { return None };
        Some(PossibleCheck {
            id,
            name: &constraint.name,
            speaker: Speaker::User,
            against: Vec::new(),
            group: Some(group),
            tree,
            applies: constraint.applies.iter().cloned().collect(),
            params,
            excludes: constraint.excludes.iter().map(String::as_str).collect(),
            library: constraint.library.then_some(constraint.span.file),
            always,
            memo: CheckMemo::default(),
        })
    }

    /// The same as a speaker says it, perhaps on some responses only.
    fn said(
        self,
        speaker: Speaker,
        against: impl Iterator<Item = Speaker>,
        applies: Option<Tree>,
    ) -> PossibleCheck<'p> {
        let applies = self.applies.into_iter().chain(applies).collect();
        PossibleCheck { speaker, against: against.collect(), applies, ..self }
    }

    /// The check, and then the conditions under which it applies.
    fn analyse(&self, case: &KnownValues) -> Vec<AnalysedCheck> {
        let trees = std::iter::once(self.tree).chain(&self.applies);
        trees.map(|tree| AnalysedCheck::new((tree, case), self.id)).collect()
    }

    /// Whether the two are never active together.
    fn is_exclusive_with(&self, other: &PossibleCheck<'_>) -> bool {
        let named_by_two = self.speaker != other.speaker && self.always && other.always;
        self.group.is_some() && self.group == other.group && !named_by_two
            || self.excludes.contains(other.name)
            || other.excludes.contains(self.name)
    }

    /// Whether the two may contradict one another, and `priority` says which is followed.
    fn may_contradict(&self, other: &PossibleCheck<'_>) -> bool {
        self.against.contains(&other.speaker) || other.against.contains(&self.speaker)
    }

    /// Whether the relation of two is known: both are of one module of the library, whose own
    /// tests look at that, and nothing of the program reaches them.
    fn is_settled_with(&self, other: &PossibleCheck<'_>) -> bool {
        self.library.is_some()
            && self.library == other.library
            && !(self.always && other.always)
            && !self.is_by_topic()
            && !other.is_by_topic()
    }

    /// Whether what is in it alone is known: nothing of the program reaches it, and the tests
    /// of the library look at it.
    fn is_settled(&self) -> bool {
        self.library.is_some() && !self.is_by_topic()
    }

    /// Whether it has a value for every answer.
    fn is_total(&self) -> bool {
        *self.memo.total.get_or_init(|| is_total(self.tree))
    }

    /// The ways to choose its parameters' values, if they are the same on every topic.
    fn same_cases(&self, lets: &KnownValues) -> Option<&[KnownValues]> {
        let made =
            || (!domains_read(self.params, TurnFact::Topic)).then(|| cases(self.params, lets));
        self.memo.cases.get_or_init(made).as_deref()
    }

    /// Whether it depends on the number of the reply.
    fn is_by_reply(&self) -> bool {
        *self
            .memo
            .by_reply
            .get_or_init(|| self.reads(TurnFact::Reply) || self.reads(TurnFact::Turn))
    }

    /// Whether it depends on what the topic is.
    fn is_by_topic(&self) -> bool {
        *self.memo.by_topic.get_or_init(|| self.reads(TurnFact::Topic))
    }

    fn reads(&self, fact: TurnFact) -> bool {
        self.tree.reads(fact)
            || domains_read(self.params, fact)
            || self.applies.iter().any(|applies| applies.reads(fact))
    }
}

/// The checks that may be active together, and what their topics are drawn from.
pub(super) struct JointChecks<'p> {
    plan: &'p Plan,
    bank: Option<&'p str>,
    checks: Vec<PossibleCheck<'p>>,
    /// The values of `let` in the dialogue and the turn, if they are always the same.
    lets: KnownValues,
    /// The number of the written turn that they are active on.
    turns: Option<AnalysedCheck>,
}

pub(super) fn check(plan: &Plan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    for group in &plan.model.groups {
        for constraint in &group.constraints {
            let params = &constraint.params;
            let Some(check) =
                PossibleCheck::from_constraint(constraint, &group.name, params, 0, false)
            else {
                continue;
            };
            if check.is_settled() {
                continue;
            }
            let lets = KnownValues::default();
            let pool = JointChecks { plan, bank: None, checks: vec![check], lets, turns: None };
            let alone = pool.own_conflict(&pool.checks[0]);
            broken.extend(alone.as_ref().map(|_| &*constraint.name));
            found.extend(alone);
        }
    }
    for pool in active::pools(plan) {
        found.extend(pool.diagnostics(&broken));
    }
    // Where constraints that are always active contradict, that is why `start` fails.
    if found.iter().all(|one| one.severity != Severity::Error) {
        found.extend(start::check(plan));
    }
    found
}

impl<'p> JointChecks<'p> {
    fn diagnostics(&self, broken: &[&str]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut open: Vec<&PossibleCheck<'p>> = Vec::new();
        for check in &self.checks {
            let alone = match check.group {
                None => self.own_conflict(check),
                Some(_) => None,
            };
            // What nothing satisfies excludes everything, and what everything satisfies follows from
            // everything: that is one mistake.
            if alone.is_none() && !broken.contains(&check.name) {
                open.push(check);
            }
            found.extend(alone);
        }
        let reported = found.len();
        let mut together = vec![vec![false; open.len()]; open.len()];
        let (mut apart, mut redundant) = (0, 0);
        for (at, one) in open.iter().enumerate() {
            for (other_at, other) in open.iter().enumerate().skip(at + 1) {
                if !work::spend(Task::Conflicts, 1) {
                    return found;
                }
                if one.is_exclusive_with(other) || one.may_contradict(other) {
                    continue;
                }
                together[at][other_at] = true;
                if one.is_settled_with(other) {
                    continue;
                }
                let exclude =
                    (apart < MAX_REPORTED_PAIRS).then(|| self.excluding(one, other)).flatten();
                if let Some(pair) = exclude {
                    apart += 1;
                    together[at][other_at] = false;
                    found.push(pair);
                } else if redundant < MAX_REPORTED_PAIRS
                    && let Some(pair) = self.redundant(one, other)
                {
                    redundant += 1;
                    found.push(pair);
                }
            }
        }
        found.extend(self.triples(&open, &together));
        if found.len() == reported {
            found.extend(self.conflict_of_always_active(&open));
        }
        found
    }

    // ---- diagnostics --------------------------------------------------------------------

    fn own_conflict(&self, check: &PossibleCheck<'p>) -> Option<Diagnostic> {
        let what = describe(check);
        if let Some(Exclusion { conflict, texts }) = self.exclusion(&[check]) {
            let (diagnostic, help) = match texts {
                Texts::All => (
                    Diagnostic::error(
                        Code::IMPOSSIBLE_CONSTRAINT,
                        format!("{what} can never hold"),
                    ),
                    "change the check so that a response can satisfy it",
                ),
                Texts::Prose => (
                    Diagnostic::warning(
                        Code::IMPOSSIBLE_CONSTRAINT,
                        format!("{what} is unlikely to hold: prose does not satisfy it"),
                    ),
                    UNLIKELY_HELP,
                ),
            };
            return Some(labelled(diagnostic, &[check], &conflict).help(help));
        }
        if check.is_total()
            && conflict_between(&[self.negated_reading(check)]).is_some()
            && self.never(&[], Some(check), Texts::All).is_some()
        {
            return Some(
                Diagnostic::warning(
                    Code::TRIVIAL_CONSTRAINT,
                    format!("every response satisfies {what}"),
                )
                .label(check.tree.span, "this requires nothing")
                .help("require something that a response may miss, or remove the constraint"),
            );
        }
        None
    }

    /// That two never hold together, or not on some replies.
    fn excluding(&self, one: &PossibleCheck<'p>, other: &PossibleCheck<'p>) -> Option<Diagnostic> {
        let (first, second) = (self.first_readings(one), self.first_readings(other));
        // Asked of every pair: what is cheap and mostly says no comes first.
        if first[0].may_exclude(&second[0])
            && !first[0].is_open()
            && !second[0].is_open()
            && let Some(exclusion) = self.exclusion(&[one, other])
        {
            return Some(self.contradictory(&[one, other], &exclusion));
        }
        self.on_some_replies(one, other)
    }

    /// That every text that satisfies one of them satisfies the other.
    fn redundant(&self, one: &PossibleCheck<'p>, other: &PossibleCheck<'p>) -> Option<Diagnostic> {
        // One constraint that two speakers say: `case` is about that.
        if one.tree.span == other.tree.span {
            return None;
        }
        for (one, other) in [(one, other), (other, one)] {
            let read = [&self.first_readings(one)[0], self.negated_reading(other)];
            if !read[0].may_exclude(read[1])
                || read[1].is_open()
                || !one.applies.is_empty()
                || !other.is_total()
                || conflict_between(&read).is_none()
            {
                continue;
            }
            // Unless it holds for every response, which is reported separately.
            if let Some(conflict) = self.never(&[one], Some(other), Texts::All)
                && conflict.reasons.iter().any(|reason| reason.goal == one.id)
            {
                let shown = |name: &str| format!("`{name}`");
                return Some(
                    Diagnostic::warning(
                        Code::REDUNDANT_CONSTRAINT,
                        format!("{} already follows from {}", describe(other), shown(one.name)),
                    )
                    .label(
                        other.tree.span,
                        "every text that satisfies the other one satisfies this one too",
                    )
                    .label(one.tree.span, "the other")
                    .help(
                        "a turn that has both states one requirement and counts two: make this one \
                         stricter, or put both into one group",
                    ),
                );
            }
        }
        None
    }

    /// Checks that look at which reply it is and exclude one another on some.
    fn on_some_replies(
        &self,
        one: &PossibleCheck<'p>,
        other: &PossibleCheck<'p>,
    ) -> Option<Diagnostic> {
        if !one.is_by_reply() || !other.is_by_reply() {
            return None;
        }
        let mut replies = Vec::new();
        let mut why = None;
        for reply in 1..=EXAMINED_REPLIES {
            let case = |check: &PossibleCheck<'_>| {
                let case = KnownValues::with_ranges(check.params)
                    .with_fact(TurnFact::Reply, Value::Int(reply));
                case.with_fact(TurnFact::Turn, Value::Int(reply))
            };
            let (first, second) = (one.analyse(&case(one)), other.analyse(&case(other)));
            if let Some(conflict) = self.conflict_where_all_apply(&[&first, &second], Texts::All) {
                replies.push(reply.to_string());
                why.get_or_insert(conflict);
            }
        }
        let conflict = why?;
        let more = if replies.len() > 4 { ", …" } else { "" };
        replies.truncate(4);
        let diagnostic = Diagnostic::warning(
            Code::CONTRADICTORY_CONSTRAINTS,
            format!(
                "`{}` and `{}` cannot hold together on reply {}{more}",
                one.name,
                other.name,
                replies.join(", ")
            ),
        );
        Some(
            labelled(diagnostic, &[one, other], &conflict)
                .help("let them ask for different things on the same reply, or bind on others"),
        )
    }

    /// The constraints that are active in every draw, if no two of them exclude one another.
    fn conflict_of_always_active(&self, open: &[&PossibleCheck<'p>]) -> Option<Diagnostic> {
        // A constraint that may contradict others is overruled, or overrules them.
        let agrees = |check: &&PossibleCheck<'p>| check.always && check.against.is_empty();
        let mut set: Vec<&PossibleCheck<'p>> = open.iter().copied().filter(agrees).collect();
        if set.len() < 3 {
            return None;
        }
        let mut conflict = self.never(&set, None, Texts::All)?;
        // Down to those without which there is none.
        for at in (0..set.len()).rev() {
            let mut fewer = set.clone();
            fewer.remove(at);
            if let Some(smaller) = self.never(&fewer, None, Texts::All) {
                (set, conflict) = (fewer, smaller);
            }
        }
        Some(self.contradictory(&set, &Exclusion { conflict, texts: Texts::All }))
    }

    // ---- what is proven --------------------------------------------------------------------

    /// Why checks never hold together, for any value of their parameters: as a proof, or as a hint
    /// that no text is known to refute.
    fn exclusion(&self, checks: &[&PossibleCheck<'p>]) -> Option<Exclusion> {
        let first: Vec<&[AnalysedCheck]> =
            checks.iter().map(|check| self.first_readings(check)).collect();
        // Everything that is proven is a hint, too.
        self.conflict_where_all_apply(&first, Texts::Prose)?;
        let excluded = |texts| {
            let conflict = self.never(checks, None, texts)?;
            Some(Exclusion { conflict, texts })
        };
        let proven = excluded(Texts::All);
        if proven.is_some() {
            return proven;
        }
        excluded(Texts::Prose).filter(|_| !self.has_text(checks))
    }

    /// Whether a text is found that satisfies the checks with their first values.
    fn has_text(&self, checks: &[&PossibleCheck<'p>]) -> bool {
        let values: Vec<KnownValues> = checks.iter().map(|check| self.first_case(check)).collect();
        let goals: Vec<Goal<'_>> = std::iter::zip(checks, &values)
            .map(|(check, values)| Goal { tree: check.tree, variables: values, wanted: true })
            .collect();
        let mut steps = HINT_STEPS;
        let about = TextTopic::default();
        witness_within(&goals, &about, 0, (Effort::Searched, &mut steps)).is_ok()
    }

    /// Why no text satisfies checks where all of them apply; `None` also if they never apply to the
    /// same response.
    fn conflict_where_all_apply(
        &self,
        readings: &[&[AnalysedCheck]],
        texts: Texts,
    ) -> Option<Conflict> {
        let all = readings.iter().copied().flatten().chain(&self.turns);
        let conflict = conflict_among(&all.collect::<Vec<_>>(), texts)?;
        let applies = readings.iter().flat_map(|list| list.iter().skip(1)).chain(&self.turns);
        conflict_between(&applies.collect::<Vec<_>>()).is_none().then_some(conflict)
    }

    /// Whether a check applies to every response here.
    fn always_applies(&self, check: &PossibleCheck<'p>) -> bool {
        let values = self.open_values(check);
        check.applies.iter().all(|applies| {
            let not = AnalysedCheck::of_negation((applies, &values), check.id);
            conflict_between(&self.turns.iter().chain([&not]).collect::<Vec<_>>()).is_some()
        })
    }

    /// Why checks never hold together (and another one fails), for any value of their parameters.
    fn never(
        &self,
        held: &[&PossibleCheck<'p>],
        failed: Option<&PossibleCheck<'p>>,
        texts: Texts,
    ) -> Option<Conflict> {
        if !work::spend(Task::Conflicts, 30) {
            return None;
        }
        let all: Vec<&PossibleCheck<'p>> = held.iter().copied().chain(failed).collect();
        let read = |at: usize, case: &KnownValues| match (all[at], failed) {
            (check, Some(_)) if at + 1 == all.len() => {
                vec![AnalysedCheck::of_negation((check.tree, case), check.id)]
            }
            (check, _) => check.analyse(case),
        };
        let conflict =
            |readings: &[&[AnalysedCheck]]| self.conflict_where_all_apply(readings, texts);
        let open: Vec<Vec<AnalysedCheck>> =
            (0..all.len()).map(|at| read(at, &self.open_values(all[at]))).collect();
        let conflict_of_open = conflict(&open.iter().map(Vec::as_slice).collect::<Vec<_>>());
        if conflict_of_open.is_some() {
            return conflict_of_open;
        }
        let asked = all.iter().any(|check| check.is_by_topic());
        let (mut first, mut left) = (None, MAX_COMBINATIONS);
        for topic in topics(self.plan, self.bank, asked) {
            let outer = match topic {
                Some(topic) => self.lets.clone().with_fact(TurnFact::Topic, topic.clone()),
                None => self.lets.clone(),
            };
            let lists: Vec<Cow<'_, [KnownValues]>> = all
                .iter()
                .map(|check| match check.same_cases(&self.lets) {
                    Some(cases) => Cow::Borrowed(cases),
                    None => Cow::Owned(cases(check.params, &outer)),
                })
                .collect();
            // On a topic that leaves a parameter no value, the check is never active.
            if lists.iter().any(|cases| cases.is_empty()) {
                continue;
            }
            if lists.iter().all(|list| list.len() == 1) && !asked && self.is_plain(&all) {
                return None;
            }
            let mut done: Vec<Vec<OnceCell<Vec<AnalysedCheck>>>> =
                lists.iter().map(|list| vec![OnceCell::new(); list.len()]).collect();
            let mut at = vec![0; lists.len()];
            loop {
                left = left.checked_sub(1)?;
                if !work::spend(Task::Conflicts, 20) {
                    return None;
                }
                let readings: Vec<&[AnalysedCheck]> = at
                    .iter()
                    .enumerate()
                    .map(|(check, case)| {
                        let analysed = || match (&lists[check], topic) {
                            (Cow::Borrowed(cases), Some(topic)) => {
                                let case =
                                    cases[*case].clone().with_fact(TurnFact::Topic, topic.clone());
                                read(check, &case)
                            }
                            (cases, _) => read(check, &cases[*case]),
                        };
                        done[check][*case].get_or_init(analysed).as_slice()
                    })
                    .collect();
                let found = conflict(&readings)?;
                first = first.or(Some(found));
                let Some(next) = (0..at.len()).find(|place| at[*place] + 1 < lists[*place].len())
                else {
                    break;
                };
                at[next] += 1;
                at[..next].fill(0);
            }
            done.clear();
        }
        first
    }

    /// Only the ranges of the check's integer parameters are known.
    fn open_values(&self, check: &PossibleCheck<'p>) -> KnownValues {
        KnownValues::with_ranges(check.params).and(&self.lets)
    }

    /// Whether no value would say more than what was read with all of them open.
    fn is_plain(&self, checks: &[&PossibleCheck<'p>]) -> bool {
        checks.iter().all(|check| check.params.is_empty())
    }

    fn first_readings<'c>(&self, check: &'c PossibleCheck<'p>) -> &'c [AnalysedCheck] {
        check.memo.first.get_or_init(|| check.analyse(&self.first_case(check)))
    }

    fn negated_reading<'c>(&self, check: &'c PossibleCheck<'p>) -> &'c AnalysedCheck {
        check.memo.denied.get_or_init(|| {
            AnalysedCheck::of_negation((check.tree, &self.first_case(check)), check.id)
        })
    }

    fn first_case(&self, check: &PossibleCheck<'p>) -> KnownValues {
        let topic = topics(self.plan, self.bank, check.is_by_topic()).into_iter().next().flatten();
        let outer = match topic {
            Some(topic) => self.lets.clone().with_fact(TurnFact::Topic, topic.clone()),
            None => self.lets.clone(),
        };
        first_combination(check.params, &outer)
    }

    fn contradictory(&self, checks: &[&PossibleCheck<'p>], exclusion: &Exclusion) -> Diagnostic {
        let names: Vec<String> = checks.iter().map(|check| format!("`{}`", check.name)).collect();
        let names = match names.split_last() {
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        };
        let everywhere = checks.iter().all(|check| self.always_applies(check));
        let speakers = checks.iter().any(|check| check.speaker != checks[0].speaker);
        let diagnostic = match exclusion.texts {
            Texts::Prose => {
                let message =
                    format!("{names} are unlikely to hold together: prose does not satisfy them");
                Diagnostic::warning(Code::CONTRADICTORY_CONSTRAINTS, message).help(UNLIKELY_HELP)
            }
            Texts::All => {
                let fixed = everywhere && checks.iter().all(|check| check.always);
                let condition = if everywhere { "" } else { " on a response to which they apply" };
                let message = format!("{names} can never hold together{condition}");
                let diagnostic = match fixed {
                    true => Diagnostic::error(Code::CONTRADICTORY_CONSTRAINTS, message),
                    false => Diagnostic::warning(Code::CONTRADICTORY_CONSTRAINTS, message),
                };
                diagnostic.help(exclusion_help(checks, fixed, speakers))
            }
        };
        labelled(diagnostic, checks, &exclusion.conflict)
    }
}

/// What to do about checks that hold together in unusual texts only.
const UNLIKELY_HELP: &str = "no text was found that satisfies this, and there may be none: change the \
                             check, or write `allow` with its code and a reason";

fn describe(check: &PossibleCheck<'_>) -> String {
    match check.group {
        Some(_) => format!("the constraint `{}`", check.name),
        None => format!("the requirement `{}`", check.name),
    }
}

/// What to do about checks that exclude one another.
fn exclusion_help(checks: &[&PossibleCheck<'_>], fixed: bool, speakers: bool) -> &'static str {
    match (fixed, speakers) {
        (true, true) => {
            "two speakers always state them: write `against SPEAKER` and `priority`, or change one"
        }
        (true, false) => "they are always active together: change one of them",
        (false, true) => {
            "where two speakers say them, write `against SPEAKER` and `priority`, or change one"
        }
        (false, false) if checks.iter().all(|check| check.always) => {
            "let them apply to different responses, or change one of them"
        }
        (false, false) if checks.len() == 2 => {
            "they are never drawn together: put them into one group, say `excludes`, or change \
             one of them"
        }
        (false, false) => {
            "they are never drawn together, all of them: put two of them into one group, say \
             `excludes`, or change one of them"
        }
    }
}

/// A label for each check: the part that contradicts the others.
fn labelled(
    mut diagnostic: Diagnostic,
    checks: &[&PossibleCheck<'_>],
    conflict: &Conflict,
) -> Diagnostic {
    for check in checks {
        let mut reasons =
            conflict.reasons.iter().filter(|reason| reason.goal == check.id).peekable();
        if reasons.peek().is_none() {
            diagnostic = diagnostic.label(check.tree.span, "");
        }
        for reason in reasons {
            let span = if reason.span == Span::default() { check.tree.span } else { reason.span };
            diagnostic = diagnostic.label(span, reason.fragment.clone());
        }
    }
    diagnostic
}

/// Whether a check has a value for every answer: nothing in it may be missing.
pub fn is_total(tree: &Tree) -> bool {
    let here = match &tree.node {
        Node::Index(..) | Node::At(..) | Node::Field(..) => false,
        Node::Arithmetic(op, ..) => {
            matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply)
        }
        Node::Call(func, _) => func.total,
        _ => true,
    };
    here && tree.children().into_iter().all(is_total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use ifs_base::world::MemoryWorld;
    use ifs_model::check;

    /// The quick check dismisses nothing that the complete one finds.
    #[test]
    fn disjoint_branches_do_not_contradict() {
        let more = "ifs 1

            group more {
              constraint each_long { say \"a\" check every sentence: count(word) >= 9 }
              constraint each_short { say \"b\" check every sentence: count(word) <= 3 }
              constraint some_long { say \"c\" check some sentence: count(word) >= 50 }
              constraint wide { say \"d\" check count(paragraph) == 3 and count(sentence) <= 2 }
              constraint lines { say \"e\" check every line: starts_with(text \"x\") and count(line) == 2 }
              constraint often { say \"f\" check count(word \"sea\") >= 10 and count(char) < 400 }
              constraint few { say \"g\" check count(word) <= 5 }
            }";
        let modules = ifs_model::LIBRARY.iter().map(|(_, text)| *text);
        let mut read: Vec<(String, AnalysedCheck)> = Vec::new();
        for part in modules.chain([more]) {
            let world = MemoryWorld::new([("main.ifs", part)]);
            let plan = build(check(&world, "main.ifs").model.expect("a program without mistakes"));
            for constraint in plan.model.groups.iter().flat_map(|group| &group.constraints) {
                let DecidedBy::Rule(tree) = &constraint.by else { continue };
                let cases = cases(&constraint.params, &KnownValues::default());
                let case = &cases[cases.len() / 2];
                read.push((constraint.name.clone(), AnalysedCheck::new((tree, case), 0)));
            }
        }
        assert!(read.len() > 200, "{}", read.len());
        let (mut dismissed, mut contradict) = (0, 0);
        for (at, (one, first)) in read.iter().enumerate() {
            for (other, second) in &read[at + 1..] {
                // One that contradicts itself contradicts everything.
                if conflict_between(&[first]).is_some() || conflict_between(&[second]).is_some() {
                    continue;
                }
                let apart = conflict_between(&[first, second]).is_some();
                let meets = first.may_exclude(second);
                assert!(meets || !apart, "{one} and {other} contradict one another");
                dismissed += u32::from(!meets);
                contradict += u32::from(apart);
            }
        }
        assert!(contradict > 50 && dismissed > 5_000, "{contradict}, {dismissed}");
    }
}
