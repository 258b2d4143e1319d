//! Changes between two definitions, in the terms of the language, and their effect on scores.
//!
//! Both sides are compared by their canonical texts ([`crate::plan::canonical`]), so a change that
//! affects the definition hash has at least one [`DefinitionChange`], and nothing else has one. A split is compared
//! as it is written, and not as the variants that it makes of dialogues.

mod block;
mod domain;
mod notation;
mod pairs;
mod records;
mod usage;
mod version;

use std::collections::BTreeSet;

use serde::Serialize;

pub use self::version::{Version, required};
use crate::plan::Plan;
use crate::plan::canonical::{Definition, PartKind};

/// The effect of a change on the comparability of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Scores mean the same as before.
    Comparable,
    /// The same constraints are imposed as often as before, with other messages.
    WithCare,
    /// The constraints, their frequency, their verdicts or the end of a dialogue changed.
    NotComparable,
}

impl Class {
    pub fn phrase(self) -> &'static str {
        match self {
            Class::Comparable => "scores stay comparable",
            Class::WithCare => "comparable with care",
            Class::NotComparable => "not comparable",
        }
    }
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    Added,
    Removed,
    Renamed,
    DomainWidened,
    DomainNarrowed,
    DomainChanged,
    Check,
    JudgePrompt,
    Probability,
    Exclusion,
    Termination,
    Turns,
    Protocol,
    Data,
    Points,
    Wording,
    Records,
    /// Records that decide more than messages.
    DecidingRecords,
    Selection,
    Default,
    Metric,
    Breakdown,
    Description,
}

impl Aspect {
    /// The effect of such a change on a dialogue that uses the changed part, and the reason.
    pub fn meaning(self) -> (Class, &'static str) {
        use Class::{Comparable, NotComparable, WithCare};
        match self {
            Aspect::Added => (NotComparable, "something new is drawn or sent"),
            Aspect::Removed => (NotComparable, "something is no longer drawn or sent"),
            Aspect::Renamed => (
                WithCare,
                "the distribution is the same; draws are keyed by names, so the dialogues differ",
            ),
            Aspect::DomainWidened => (NotComparable, "values are drawn that were not drawn before"),
            Aspect::DomainNarrowed => (NotComparable, "values are no longer drawn"),
            Aspect::DomainChanged => (NotComparable, "other values are drawn"),
            Aspect::Check => (
                NotComparable,
                "verdicts differ; `ifs score RUN --under` grades recorded responses again",
            ),
            Aspect::JudgePrompt => (NotComparable, "questions to judges differ"),
            Aspect::Probability => {
                (NotComparable, "constraints or moves are drawn with other probabilities")
            }
            Aspect::Exclusion => (NotComparable, "other constraints are active together"),
            Aspect::Termination => (NotComparable, "dialogues end at other turns"),
            Aspect::Turns => (NotComparable, "dialogues have other turns"),
            Aspect::Protocol => (NotComparable, "requests to models differ"),
            Aspect::Data => {
                (NotComparable, "messages or expected answers are computed from other data")
            }
            Aspect::Points => (NotComparable, "points are given for something else"),
            Aspect::Wording => (WithCare, "the same is asked in other words"),
            Aspect::Records => (WithCare, "messages are drawn from other records"),
            Aspect::DecidingRecords => {
                (NotComparable, "records decide what is imposed, judged or counted")
            }
            Aspect::Selection => {
                (WithCare, "a release has other dialogues of the same distribution")
            }
            Aspect::Default => (WithCare, "the default dialogue differs"),
            Aspect::Metric => (Comparable, "recorded runs can be scored with the new metrics"),
            Aspect::Breakdown => (Comparable, "scores are grouped in another way"),
            Aspect::Description => (Comparable, "only the description changed"),
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinitionChange {
    pub class: Class,
    pub aspect: Aspect,
    /// `constraint length.short`, `dialogue talk, variant calm`.
    pub subject: String,
    /// The changed place in it; empty if all of it was added or removed.
    pub place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The reason for its class.
    pub reason: String,
    /// The names of the affected dialogues.
    pub dialogues: Vec<String>,
}

/// All changes from one definition to another: those that are not comparable first, then by
/// subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub changes: Vec<DefinitionChange>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The class of all changes: that of the most severe one.
    pub fn class(&self) -> Class {
        self.changes.iter().map(|change| change.class).max().unwrap_or(Class::Comparable)
    }

    /// The changes that affect a dialogue.
    pub fn of_dialogue(&self, name: &str) -> Changes {
        let concerns =
            |change: &&DefinitionChange| change.dialogues.iter().any(|dialogue| dialogue == name);
        Changes { changes: self.changes.iter().filter(concerns).cloned().collect() }
    }
}

/// The changes from one definition to another.
pub fn between(old: &Plan, new: &Plan) -> Changes {
    // The plan of a run does not say how its splits were written.
    let is_written = |plan: &Plan| plan.model.splits.is_empty() || plan.model.undivided.is_some();
    let (before, after) = match is_written(old) && is_written(new) {
        true => (old.written_definition(), new.written_definition()),
        false => (old.definition(), new.definition()),
    };
    let mut usage = usage::PartUsage::between(&before, &after);
    [old, new].iter().for_each(|plan| usage.add_splits(plan));
    let mut found = ChangeCollector { usage, golden: BTreeSet::new(), changes: Vec::new() };
    for (kind, name, item) in [&before, &after].into_iter().flat_map(items) {
        let variants = item.items().filter(|item| item.head == "variant");
        let mut all = std::iter::once(&item).chain(variants);
        if kind == PartKind::Dialogue && all.any(|item| item.child("context-golden").is_some()) {
            found.golden.insert(name);
        }
    }
    if old.definition().digest() != new.definition().digest() {
        pairs::compare(&before, &after, (old, new), &mut found);
    }
    let mut changes = found.changes;
    changes.sort_by(|one, other| {
        (other.class, &one.subject, one.aspect, &one.place).cmp(&(
            one.class,
            &other.subject,
            other.aspect,
            &other.place,
        ))
    });
    changes.dedup();
    Changes { changes }
}

/// The changes that were found so far.
struct ChangeCollector {
    usage: usage::PartUsage,
    /// The dialogues of either side with `context golden`.
    golden: BTreeSet<String>,
    changes: Vec<DefinitionChange>,
}

/// The subject of a change.
#[derive(Clone, Copy)]
struct ChangeSubject<'s> {
    kind: PartKind,
    /// Its name, and its old name.
    name: &'s str,
    old_name: &'s str,
    /// The variant of a dialogue.
    variant: Option<&'s str>,
}

impl ChangeSubject<'_> {
    fn description(&self) -> String {
        let ChangeSubject { kind, name, old_name: _, variant } = self;
        let mut words = kind.word().to_owned();
        if !name.is_empty() {
            words.push_str(&format!(" {name}"));
        }
        if let Some(variant) = variant {
            words.push_str(&format!(", variant {variant}"));
        }
        words
    }
}

impl ChangeCollector {
    /// Whether golden answers of a part are in the history that a model is sent.
    fn has_golden_history(&self, of: ChangeSubject<'_>) -> bool {
        let dialogues = self.usage.dialogues(of.kind, &[of.name, of.old_name]);
        dialogues.iter().any(|dialogue| self.golden.contains(dialogue))
    }

    fn push(
        &mut self,
        of: ChangeSubject<'_>,
        aspect: Aspect,
        place: impl Into<String>,
        (before, after): (Option<String>, Option<String>),
    ) {
        let (class, reason) = aspect.meaning();
        self.push_change(of, aspect, (class, reason), place.into(), (before, after));
    }

    /// Says which dialogues the last change is about.
    fn keep_dialogues(&mut self, keep: impl Fn(&str) -> bool) {
        if let Some(change) = self.changes.last_mut() {
            change.dialogues.retain(|name| keep(name));
        }
    }

    fn push_change(
        &mut self,
        of: ChangeSubject<'_>,
        aspect: Aspect,
        (mut class, mut reason): (Class, &str),
        place: String,
        (before, after): (Option<String>, Option<String>),
    ) {
        let dialogues: BTreeSet<String> = self.usage.dialogues(of.kind, &[of.name, of.old_name]);
        let matters = match of.kind {
            PartKind::Plan
            | PartKind::Benchmark
            | PartKind::Release
            | PartKind::Dialogue
            | PartKind::Split => true,
            _ => !dialogues.is_empty(),
        };
        if !matters && class != Class::Comparable {
            (class, reason) = (Class::Comparable, "no dialogue uses it");
        }
        self.changes.push(DefinitionChange {
            class,
            aspect,
            subject: of.description(),
            place,
            before,
            after,
            reason: reason.to_owned(),
            dialogues: dialogues.into_iter().collect(),
        });
    }
}

/// The trees of a definition's parts.
fn items(definition: &Definition) -> Vec<(PartKind, String, notation::NotationItem)> {
    let parts = definition.parts().iter();
    parts
        .map(|part| (part.kind, part.name.clone(), notation::NotationItem::parse(&part.text)))
        .collect()
}

#[cfg(test)]
mod tests;
