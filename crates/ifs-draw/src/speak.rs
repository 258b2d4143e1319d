//! Constraints of several speakers: which of them are overruled, how one relates to those of
//! another speaker, and what the system message and a tool's text say.

use std::sync::Arc;

use super::args;
use super::criterion::ShownContent;
use super::error::{DrawError, NotCalled};
use super::state::{Active, ActiveEntry, OtherConstraints};
use super::tally::{ChoiceKind, RecordedChoice};
use super::texts::literal;
use super::walk::Script;
use super::words::MessageInput;
use super::{InstructionChange, ScriptTurn};
use ifs_base::diagnostic::Code;
use ifs_base::source::Span;
use ifs_model::table::{Against, Case, Domain, Impose, Speaker};
use ifs_plan::{ConstraintId, GroupId};
use ifs_predicate::evaluate::Variables;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// Drawn constraints have this relation to the constraints of a speaker.
pub(super) type AgainstSpeaker = (Speaker, Case);

impl InstructionChange {
    /// Who says it.
    #[must_use]
    pub fn speaker(&self) -> Speaker {
        let active = self.after.as_ref().or(self.before.as_ref());
        active.map_or(Speaker::User, |active| active.speaker)
    }
}

impl Script<'_> {
    /// The active constraints of which another one is contradicted by an active one of a speaker
    /// that comes first, each with that one.
    pub(super) fn overruled(&self) -> Vec<(Arc<Active>, Arc<Active>)> {
        let priority = &self.drawer.dialogue.table.priority;
        if priority.is_empty() {
            return Vec::new();
        }
        let mut active: Vec<&ActiveEntry> =
            self.visible().filter(|held| self.binds(held)).collect();
        let first = active.first().map(|held| held.active.speaker);
        if active.iter().all(|held| Some(held.active.speaker) == first) {
            return Vec::new();
        }
        let facts = self.facts();
        let rank = |held: &ActiveEntry| {
            priority.iter().position(|speaker| *speaker == held.active.speaker)
        };
        // Nothing contradicts those of a speaker without a rank.
        active.sort_by_key(|held| rank(held).unwrap_or(priority.len()));
        let (mut followed, mut overruled): (Vec<&ActiveEntry>, Vec<_>) = (Vec::new(), Vec::new());
        for held in active {
            let mut higher =
                followed.iter().filter(|other| other.active.speaker != held.active.speaker);
            match higher.find(|other| self.fits.excludes(held, other, &facts)) {
                Some(by) => overruled.push((Arc::clone(&held.active), Arc::clone(&by.active))),
                None => followed.push(held),
            }
        }
        overruled
    }

    /// The constraints that another speaker overrules. They need not be contradicted again, but
    /// may be.
    pub(super) fn overruled_by_others(&self, speaker: Speaker) -> Vec<Arc<Active>> {
        let others = self.overruled().into_iter().filter(|(_, by)| by.speaker != speaker);
        others.map(|(active, _)| active).collect()
    }

    /// The active constraints that a response has to follow.
    pub(super) fn followed(&self) -> Vec<ActiveEntry> {
        let overruled = self.overruled();
        let is_followed =
            |held: &&ActiveEntry| !overruled.iter().any(|(one, _)| Arc::ptr_eq(one, &held.active));
        self.visible().filter(is_followed).cloned().collect()
    }

    /// The same constraints, with what overrules them.
    pub(super) fn marked(&self, mut active: Vec<Arc<Active>>) -> Vec<Arc<Active>> {
        for (overruled, by) in self.overruled() {
            let same = active.iter_mut().find(|one| Arc::ptr_eq(one, &overruled));
            if let Some(one) = same {
                *one = Arc::new(Active { overruled: Some(by.key()), ..Active::clone(one) });
            }
        }
        active
    }

    /// How what an `impose` gives has to relate to the constraints of another speaker.
    pub(super) fn relation(
        &self,
        impose: &Impose,
        facts: &dyn Variables,
    ) -> Result<Option<AgainstSpeaker>, DrawError> {
        let Some(Against { speaker, case }) = &impose.against else { return Ok(None) };
        let Some(tree) = case else { return Ok(Some((*speaker, Case::Conflicting))) };
        let value = args::needed(tree, "the case of `against`", facts)?;
        match value.as_str().and_then(Case::named) {
            Some(case) => {
                self.note_case(tree, (impose.by, *speaker), case);
                Ok(Some((*speaker, case)))
            }
            None => Err(fault(
                format!("`{value}` is not a case"),
                "the cases are \"conflicting\", \"aligned\" and \"unrelated\"".to_owned(),
                tree.span,
            )),
        }
    }

    /// Counts a case among the declared shares of the parameter that gives it.
    fn note_case(&self, tree: &Tree, (by, against): (Speaker, Speaker), case: Case) {
        self.fits.note(|| {
            let Node::Var(name) = &tree.node else { return None };
            let Domain::Choices(choices) = &self.drawer.param(name)?.domain else { return None };
            let share = |(tree, weight): &(Tree, u32)| {
                Some((literal(tree)?.to_owned(), f64::from(*weight)))
            };
            let shares: Vec<(String, f64)> = choices.iter().map(share).collect::<Option<_>>()?;
            let drawn = shares.iter().position(|(name, _)| name == case.word());
            let of = format!("{} against {}", by.word(), against.word());
            RecordedChoice::weighted(ChoiceKind::Case, of, shares, drawn)
        });
    }

    /// Whether an active constraint of the same speaker, which leaves the groups closed, has the
    /// relation already.
    pub(super) fn is_met(
        &self,
        impose: &Impose,
        from: &[GroupId],
        relation: AgainstSpeaker,
    ) -> bool {
        let facts = self.facts();
        let active: Vec<ActiveEntry> = self.visible().cloned().collect();
        let known = (OtherConstraints::all(&active), &*self.overruled_by_others(impose.by));
        let mut own = active
            .iter()
            .filter(|held| held.active.speaker == impose.by && from.contains(&held.id.group));
        own.any(|held| self.fits.relates((held.id, &held.active.args), known, relation, &facts))
    }

    /// Nothing that `impose` may draw has the relation.
    pub(super) fn no_case_error(
        &self,
        impose: &Impose,
        (speaker, case): AgainstSpeaker,
    ) -> DrawError {
        let from = match impose.from.as_slice() {
            [] => "the groups of the dialogue".to_owned(),
            from => from.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let said = self.constraints_of_speaker(speaker);
        if said.is_empty() {
            return nothing_stated(speaker, impose.span);
        }
        let (is, more) = match case {
            Case::Conflicting => ("contradicts", "contradict"),
            Case::Aligned => ("follows from", "follow from"),
            Case::Unrelated => ("is unrelated to", "are unrelated to"),
        };
        // Only one speaker may be contradicted.
        let third = Speaker::ALL
            .into_iter()
            .find(|other| *other != speaker && !self.constraints_of_speaker(*other).is_empty());
        if let Some(third) = third {
            return fault(
                format!(
                    "nothing of {from} {is} what the {} says ({said}) without contradicting what the {} says: {}",
                    speaker.word(),
                    third.word(),
                    self.constraints_of_speaker(third)
                ),
                format!(
                    "`against` names the only speaker who may be contradicted: have the {} and the {} say different \
                     things, or add constraints or values",
                    speaker.word(),
                    third.word()
                ),
                impose.span,
            );
        }
        fault(
            format!("nothing of {from} {is} what the {} says: {said}", speaker.word()),
            format!("add constraints or values that {more} each of those that may be drawn"),
            impose.span,
        )
    }

    /// Ensures that a constraint that is imposed by name relates to those of the other speakers as
    /// its `impose` declares.
    pub(super) fn check_relation(
        &self,
        impose: &Impose,
        (id, active): (ConstraintId, &Active),
        facts: &dyn Variables,
    ) -> Result<(), DrawError> {
        let relation = self.relation(impose, facts)?;
        let names = self.facts();
        let mut cases = Vec::new();
        let overruled = self.overruled_by_others(impose.by);
        for other in self.visible().filter(|other| other.active.speaker != active.speaker) {
            let case = self.fits.case((id, &active.args), other, &names);
            if let Some((_, wanted)) = relation.filter(|(of, _)| *of == other.active.speaker) {
                let is_overruled = overruled.iter().any(|one| Arc::ptr_eq(one, &other.active));
                if wanted == Case::Unrelated || !is_overruled {
                    cases.push(case);
                }
                continue;
            }
            let of_group = active.called.is_none()
                && other.active.called.is_none()
                && id.group == other.id.group;
            if case != Some(Case::Conflicting) && !of_group {
                continue;
            }
            let (one, two) = (written(active), written(&other.active));
            let (by, speaker) = (active.speaker.word(), other.active.speaker.word());
            let message = match of_group && case != Some(Case::Conflicting) {
                true => format!("{one} by {by} and {two} by {speaker} belong to one group"),
                false => format!("{one} by {by} contradicts {two} by {speaker}"),
            };
            let help = format!(
                "say that it does: `impose … by {by} against {speaker}`, with `priority` for whose \
                 is followed; or change one of them"
            );
            return Err(fault(message, help, impose.span));
        }
        let Some((speaker, case)) = relation else { return Ok(()) };
        let met = match case {
            Case::Conflicting => cases.contains(&Some(Case::Conflicting)),
            Case::Aligned => {
                cases.contains(&Some(Case::Aligned)) && !cases.contains(&Some(Case::Conflicting))
            }
            Case::Unrelated => cases.iter().all(|one| *one == Some(Case::Unrelated)),
        };
        if met {
            return Ok(());
        }
        if cases.is_empty() {
            return Err(nothing_stated(speaker, impose.span));
        }
        let is_not = match case {
            Case::Conflicting => "does not contradict",
            Case::Aligned => "does not follow from",
            Case::Unrelated => "is not unrelated to",
        };
        let said = self.constraints_of_speaker(speaker);
        Err(fault(
            format!("{} {is_not} what the {} says: {said}", written(active), speaker.word()),
            "change its values, or the `case`; only what the checks prove counts".to_owned(),
            impose.span,
        ))
    }

    /// The active constraints of a speaker, for messages.
    fn constraints_of_speaker(&self, speaker: Speaker) -> String {
        let own = self.visible().filter(|held| held.active.speaker == speaker);
        own.map(|held| written(&held.active)).collect::<Vec<_>>().join(", ")
    }

    /// The changes of a turn that the system message and a tool's text state.
    pub(super) fn spoken(
        &self,
        changes: &[InstructionChange],
        words: &MessageInput<'_>,
    ) -> Result<SpeakerSentences, DrawError> {
        let say = |speaker: Speaker| {
            let own = changes.iter().filter(|changed| changed.speaker() == speaker);
            let own: Vec<InstructionChange> = own.cloned().collect();
            let words = MessageInput { changes: &own, written: None, ..*words };
            let said = self.drawer.words.stated(&words);
            said.map_err(|(name, fault)| DrawError::Template { name, fault })
        };
        Ok(SpeakerSentences { system: say(Speaker::System)?, tool: say(Speaker::Tool)? })
    }
}

/// Sentences of constraints outside of the user message.
pub(super) struct SpeakerSentences {
    system: String,
    tool: String,
}

impl SpeakerSentences {
    /// Adds them to the system message and to the last text of a tool. `span` is where the
    /// tool's are imposed.
    pub fn apply_to(self, turn: &mut ScriptTurn, span: Span) -> Result<(), DrawError> {
        if !self.system.is_empty() {
            let before = turn.system.take();
            let all: Vec<String> = before.into_iter().chain([self.system]).collect();
            turn.system = Some(all.join("\n\n"));
        }
        if self.tool.is_empty() {
            return Ok(());
        }
        let shown = turn.show.iter_mut().rev().find_map(|shown| match shown {
            ShownContent::Tool { text, .. } => Some(text),
            ShownContent::Text(_) | ShownContent::Image(_) => None,
        });
        let Some(text) = shown else {
            return Err(fault(
                "a tool states a constraint on this turn, but its text is absent".to_owned(),
                "give the record a text, or `show` another one with `??`".to_owned(),
                span,
            ));
        };
        text.push_str("\n\n");
        text.push_str(&self.tool);
        Ok(())
    }
}

impl super::fit::Fits<'_> {
    /// Whether a constraint with these arguments has a relation to those of a speaker among the
    /// active ones.
    pub(super) fn relates(
        &self,
        drawn: (ConstraintId, &[(String, Value)]),
        (others, overruled): (OtherConstraints<'_>, &[Arc<Active>]),
        (speaker, wanted): AgainstSpeaker,
        facts: &dyn Variables,
    ) -> bool {
        let own = others.iter().filter(|other| other.active.speaker == speaker).filter(|other| {
            let is_overruled = overruled.iter().any(|one| Arc::ptr_eq(one, &other.active));
            wanted == Case::Unrelated || !is_overruled
        });
        let mut met = wanted == Case::Unrelated;
        for other in own {
            let case = self.case(drawn, other, facts);
            match wanted {
                Case::Conflicting => met |= case == Some(Case::Conflicting),
                Case::Aligned if case == Some(Case::Conflicting) => return false,
                Case::Aligned => met |= case == Some(Case::Aligned),
                Case::Unrelated => met &= case == Some(Case::Unrelated),
            }
        }
        met
    }
}

/// A constraint with its values: `length.at_most(n: 50)`.
fn written(active: &Active) -> String {
    let args = active.args.iter();
    let args: Vec<String> = args.map(|(name, value)| format!("{name}: {value}")).collect();
    match args.is_empty() {
        true => format!("`{}`", active.constraint),
        false => format!("`{}({})`", active.constraint, args.join(", ")),
    }
}

fn nothing_stated(speaker: Speaker, span: Span) -> DrawError {
    fault(
        format!("no constraint of the {} is active here", speaker.word()),
        "impose one before it, or use another `case`".to_owned(),
        span,
    )
}

fn fault(message: String, help: String, span: Span) -> DrawError {
    NotCalled::by_record(Code::BAD_SPEAKER, message, Some(help), span)
}
