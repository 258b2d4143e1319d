//! What a scenario declares as by design.

use std::collections::BTreeSet;

use super::checks::TurnCheck;
use super::limits::Limits;
use super::survey::{Options, is_free_of};
use ifs_base::source::{FileId, Span};
use ifs_draw::{CriterionKind, ScriptTurn};
use ifs_forms::Form;
use ifs_model::table::{AuditDeclarations, AuditScope, Floor, Share};
use ifs_plan::Plan;

pub(crate) struct Declarations<'p> {
    declared: &'p AuditDeclarations,
    /// The places of declarations that something needed.
    needed: BTreeSet<Span>,
    /// Those that something could have needed: the form occurred where it may matter.
    tried: BTreeSet<Span>,
}

impl<'p> Declarations<'p> {
    pub fn new(plan: &'p Plan) -> Declarations<'p> {
        let declared = &plan.model.audit;
        Declarations { declared, needed: BTreeSet::new(), tried: BTreeSet::new() }
    }

    /// The limits: those of the command, else of the scenario.
    pub fn limits(&self, options: &Options) -> Limits {
        let of = |name: &str, given: Option<f64>, default: f64| {
            given
                .or_else(|| self.declared.limits.get(name).map(|share| fraction(*share)))
                .unwrap_or(default)
        };
        let default = Limits::default();
        Limits {
            changed: of("changed", options.limits.changed, default.changed),
            floor: of("floor", options.limits.floor, default.floor),
            evaded: of("evaded", options.limits.evaded, default.evaded),
            golden: of("golden", options.limits.golden, default.golden),
        }
    }

    /// Why a form may matter to a check, if it may.
    pub fn minds(
        &mut self,
        dialogue: &str,
        turn: &ScriptTurn,
        check: &TurnCheck,
        form: &str,
    ) -> Option<&'p str> {
        let minds = self.declared.minds.iter().filter_map(|minds| {
            depth(&minds.forms, &minds.within, dialogue, turn, check, form)
                .map(|depth| (depth, minds))
        });
        let (depth, best) = minds.max_by_key(|(depth, _)| *depth)?;
        if tolerance(self.declared, dialogue, turn, check, form) > Some(depth) {
            return None;
        }
        self.needed.insert(best.span);
        Some(&best.because)
    }

    /// Notes that a form was tried on a check, so that a declaration which it did not need is known.
    pub fn note_form(&mut self, dialogue: &str, turn: &ScriptTurn, check: &TurnCheck, form: &Form) {
        let covers = |forms: &[String], within: &[AuditScope]| {
            depth(forms, within, dialogue, turn, check, form.name).is_some()
        };
        let declared = self.declared;
        for minds in declared.minds.iter().filter(|one| covers(&one.forms, &one.within)) {
            self.tried.insert(minds.span);
        }
        for tolerates in declared.tolerates.iter().filter(|one| covers(&one.forms, &one.within)) {
            self.tried.insert(tolerates.span);
            if !is_free_of(form, check) {
                self.needed.insert(tolerates.span);
            }
        }
    }

    /// The share of the turns of a kind that an answer passes by design.
    pub fn floor(&self, dialogue: &str, kind: &str, answer: &str) -> Option<f64> {
        self.floor_of(dialogue, kind, None, answer).map(|floor| fraction(floor.share))
    }

    fn floor_of(
        &self,
        dialogue: &str,
        kind: &str,
        check: Option<&str>,
        answer: &str,
    ) -> Option<&'p Floor> {
        let floors = self.declared.floors.iter().filter(|floor| {
            floor.answers.is_empty() || floor.answers.iter().any(|name| name == answer)
        });
        let fits = floors.filter_map(|floor| {
            covers(&floor.within, dialogue, kind, check).map(|depth| (depth, floor))
        });
        fits.max_by_key(|(depth, _)| *depth).map(|(_, floor)| floor)
    }

    /// Whether a fact may be held by word salad by design.
    pub fn is_formal(&mut self, dialogue: &str, check: &TurnCheck) -> bool {
        let floor = self.floor_of(dialogue, &check.id.turn, Some(check_name(check)), "salad");
        let Some(floor) = floor.filter(|floor| floor.share == Share::ONE) else { return false };
        self.needed.insert(floor.span);
        true
    }

    /// Notes the share of the turns of a kind that an answer passed: whether its declaration is needed.
    pub fn note_floor(
        &mut self,
        (dialogue, kind): (&str, &str),
        answer: &str,
        found: f64,
        limit: f64,
    ) {
        let Some(floor) = self.floor_of(dialogue, kind, None, answer) else { return };
        self.tried.insert(floor.span);
        if found > limit {
            self.needed.insert(floor.span);
        }
    }

    /// The places of declarations that nothing needed, although it could have. Those of the library
    /// are for all scenarios.
    pub fn unneeded(&self) -> Vec<Span> {
        let unneeded = self.tried.difference(&self.needed).copied();
        unneeded.filter(|span| span.file < FileId::FIRST_FIXED).collect()
    }
}

/// How much a declaration names by which a form must not matter to a check; `None` without one.
pub(crate) fn tolerance(
    declared: &AuditDeclarations,
    dialogue: &str,
    turn: &ScriptTurn,
    check: &TurnCheck,
    form: &str,
) -> Option<usize> {
    let tolerates = declared.tolerates.iter();
    tolerates.filter_map(|one| depth(&one.forms, &one.within, dialogue, turn, check, form)).max()
}

/// How much a declaration about these forms names; `None` if it is not about this form and check.
fn depth(
    forms: &[String],
    within: &[AuditScope],
    dialogue: &str,
    turn: &ScriptTurn,
    check: &TurnCheck,
    form: &str,
) -> Option<usize> {
    if !forms.iter().any(|name| name == form) {
        return None;
    }
    covers(within, dialogue, &turn.name, Some(check_name(check)))
}

/// How much the scope names that covers a check; `None` if none does.
fn covers(within: &[AuditScope], dialogue: &str, turn: &str, check: Option<&str>) -> Option<usize> {
    let fits = within.iter().filter(|scope| scope.covers(dialogue, turn, check));
    fits.map(AuditScope::depth).max()
}

/// The name of a check in a scenario.
fn check_name(check: &TurnCheck) -> &str {
    let name = check.id.name.as_str();
    match check.kind {
        // The constraint, without the speaker.
        None => name.split(" by ").next().unwrap_or(name),
        Some(CriterionKind::Fact | CriterionKind::Void) => "",
        Some(_) => name.split_once(' ').map_or(name, |(_, name)| name),
    }
}

fn fraction(share: Share) -> f64 {
    f64::from(share.0) / f64::from(Share::ONE.0)
}
