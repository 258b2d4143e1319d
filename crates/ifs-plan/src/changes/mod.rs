//! Changes between two definitions, in the terms of the language, and their effect on scores.
//!
//! Both sides are compared by their canonical texts ([`crate::canonical`]), so a change that
//! affects the definition hash has at least one [`DefinitionChange`], and nothing else has one. A split is compared
//! as it is written, and not as the variants that it makes of dialogues.

mod block;
mod domain;
mod names;
mod notation;
mod pairs;
mod records;
mod said;
mod usage;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::version::{Version, required};
use crate::Plan;
use crate::canonical::{Definition, PartKind};

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
pub enum ChangeKind {
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

impl ChangeKind {
    /// The effect of such a change on a dialogue that uses the changed part, and the reason.
    pub fn meaning(self) -> (Class, &'static str) {
        use Class::{Comparable, NotComparable, WithCare};
        match self {
            ChangeKind::Added => (NotComparable, "something new is drawn or sent"),
            ChangeKind::Removed => (NotComparable, "something is no longer drawn or sent"),
            ChangeKind::Renamed => (
                WithCare,
                "the distribution is the same; draws are keyed by names, so the dialogues differ",
            ),
            ChangeKind::DomainWidened => {
                (NotComparable, "values are drawn that were not drawn before")
            }
            ChangeKind::DomainNarrowed => (NotComparable, "values are no longer drawn"),
            ChangeKind::DomainChanged => (NotComparable, "other values are drawn"),
            ChangeKind::Check => (
                NotComparable,
                "verdicts differ; `ifs score RUN --under` grades recorded responses again",
            ),
            ChangeKind::JudgePrompt => (NotComparable, "questions to judges differ"),
            ChangeKind::Probability => {
                (NotComparable, "constraints or moves are drawn with other probabilities")
            }
            ChangeKind::Exclusion => (NotComparable, "other constraints are active together"),
            ChangeKind::Termination => (NotComparable, "dialogues end at other turns"),
            ChangeKind::Turns => (NotComparable, "dialogues have other turns"),
            ChangeKind::Protocol => (NotComparable, "requests to models differ"),
            ChangeKind::Data => {
                (NotComparable, "messages or expected answers are computed from other data")
            }
            ChangeKind::Points => (NotComparable, "points are given for something else"),
            ChangeKind::Wording => {
                (WithCare, "other words; whether they ask the same is for a reader")
            }
            ChangeKind::Records => (WithCare, "messages are drawn from other records"),
            ChangeKind::DecidingRecords => {
                (NotComparable, "records decide what is imposed, judged or counted")
            }
            ChangeKind::Selection => {
                (WithCare, "a release has other dialogues of the same distribution")
            }
            ChangeKind::Default => (WithCare, "the default dialogue differs"),
            ChangeKind::Metric => (Comparable, "recorded runs can be scored with the new metrics"),
            ChangeKind::Breakdown => (Comparable, "scores are grouped in another way"),
            ChangeKind::Description => (Comparable, "only the description changed"),
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefinitionChange {
    pub class: Class,
    pub aspect: ChangeKind,
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

    /// Sorts them, those that are not comparable first, and drops repeated ones.
    pub fn sort(&mut self) {
        self.changes.sort_by(|one, other| {
            (other.class, &one.subject, one.aspect, &one.place).cmp(&(
                one.class,
                &other.subject,
                other.aspect,
                &other.place,
            ))
        });
        self.changes.dedup();
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
    for plan in [old, new] {
        usage.add_splits(plan);
        usage.add_pictures(plan);
    }
    let mut found = ChangeCollector {
        usage,
        golden: BTreeSet::new(),
        weights: BTreeMap::new(),
        changes: Vec::new(),
    };
    for plan in [old, new] {
        for table in &plan.model.dialogues {
            let variants = table.variants.iter().map(|(_, variant)| &**variant);
            let weighed = std::iter::once(table).chain(variants).flat_map(|it| it.weights.keys());
            found.weights.entry(table.name.clone()).or_default().extend(weighed.cloned());
        }
    }
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
    let changes = found.changes;
    let mut changes = Changes { changes };
    changes.sort();
    changes
}

/// The changes that were found so far.
struct ChangeCollector {
    usage: usage::PartUsage,
    /// The dialogues of either side with `context golden`.
    golden: BTreeSet<String>,
    /// The names of groups, constraints and tags with a weight, by dialogue.
    weights: BTreeMap<String, BTreeSet<String>>,
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

    /// The names with a weight in the dialogues that use a part.
    fn weights<'c>(&'c self, of: ChangeSubject<'_>) -> impl Iterator<Item = &'c String> {
        let dialogues = self.usage.dialogues(of.kind, &[of.name, of.old_name]);
        let weights = self.weights.iter().filter(move |(name, _)| dialogues.contains(*name));
        weights.flat_map(|(_, weights)| weights)
    }

    fn has_weights(&self, of: ChangeSubject<'_>) -> bool {
        self.weights(of).next().is_some()
    }

    /// Whether one of these tags, or a level above it, has a weight. A tag that is drawn has the
    /// name of its axis.
    fn weighs_tags<'i>(
        &self,
        of: ChangeSubject<'_>,
        mut tags: impl Iterator<Item = &'i notation::NotationItem>,
    ) -> bool {
        let weights: Vec<&String> = self.weights(of).collect();
        tags.any(|item| {
            item.head == "tag-of" && !weights.is_empty()
                || item.direct_texts().any(|tag| {
                    tag.split('.').any(|level| weights.iter().any(|weighed| *weighed == level))
                })
        })
    }

    fn push(
        &mut self,
        of: ChangeSubject<'_>,
        aspect: ChangeKind,
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
        aspect: ChangeKind,
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
