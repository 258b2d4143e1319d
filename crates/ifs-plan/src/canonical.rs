//! The canonical text of a plan, and its hashes.
//!
//! A definition has the same hash as long as it means the same. So the text is written explicitly
//! here, and is not the output of a serializer: renaming a field of a struct changes no hash, and
//! neither do comments, layout, or the order of unordered things. Each part (a constraint, a group,
//! a flow, …) has its own text and digest; the plan's text lists the digests of its parts. A digest
//! is the BLAKE3 hash of a text, with the name of its algorithm: `plan-v1:…`.
//!
//! Absent values are not written, so a new statement changes no hash of a scenario that does not
//! use it. Changing the text of an existing scenario requires a new version.

mod constraint;
mod data;
mod dialogue;
mod text;
mod tree;
mod words;

use std::collections::BTreeSet;
use std::fmt;

pub use self::data::value_digests;
use self::text::ListWriter;
use super::Plan;
use ifs_model::table::{Benchmark, Cover, Dialogue, Group, Quota, Release, Share, Split};

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    Plan,
    Benchmark,
    Bank,
    Picture,
    Feed,
    Tags,
    Group,
    Constraint,
    Mask,
    Flow,
    Dialogue,
    Release,
    /// In the definition as it is written; elsewhere a split is variants of dialogues.
    Split,
}

impl PartKind {
    pub fn word(self) -> &'static str {
        match self {
            PartKind::Plan => "plan",
            PartKind::Benchmark => "benchmark",
            PartKind::Bank => "bank",
            PartKind::Picture => "picture",
            PartKind::Feed => "feed",
            PartKind::Tags => "tags",
            PartKind::Group => "group",
            PartKind::Constraint => "constraint",
            PartKind::Mask => "mask",
            PartKind::Flow => "flow",
            PartKind::Dialogue => "dialogue",
            PartKind::Release => "release",
            PartKind::Split => "split",
        }
    }
}

/// The version of the notation, and of the digests.
const VERSION: u32 = 1;

/// A hash with the name of its algorithm: `constraint-v1:1f0c…`.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest {
    kind: PartKind,
    hash: blake3::Hash,
}

impl Digest {
    fn of_text(kind: PartKind, text: &str) -> Digest {
        Digest { kind, hash: blake3::hash(text.as_bytes()) }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-v{VERSION}:{}", self.kind.word(), self.hash.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A definition hash, shortened to this many digits for people.
pub fn short(hash: &str, digits: usize) -> &str {
    let start = hash.find(':').map_or(0, |at| at + 1);
    hash.get(..start + digits).unwrap_or(hash)
}

/// A part of a definition: its canonical text and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionPart {
    pub kind: PartKind,
    /// Empty if a plan has only one part of the kind.
    pub name: String,
    pub text: String,
    pub digest: Digest,
}

impl DefinitionPart {
    fn new(kind: PartKind, name: &str, write: impl FnOnce(&mut ListWriter)) -> DefinitionPart {
        let mut writer = ListWriter::default();
        write(&mut writer);
        let text = writer.into_text();
        DefinitionPart { kind, name: name.to_owned(), digest: Digest::of_text(kind, &text), text }
    }

    /// Its line in the text of the enclosing part.
    fn list_in(&self, into: &mut ListWriter) {
        into.line(self.kind.word(), |line| {
            line.text(&self.name);
            line.word(&self.digest.to_string());
        });
    }
}

/// The parts of a plan with their texts; the plan comes first, then the parts sorted by kind and
/// name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    parts: Vec<DefinitionPart>,
}

impl Definition {
    pub fn parts(&self) -> &[DefinitionPart] {
        &self.parts
    }

    pub fn part(&self, kind: PartKind, name: &str) -> Option<&DefinitionPart> {
        self.parts.iter().find(|part| part.kind == kind && part.name == name)
    }

    /// The digest of the plan.
    pub fn digest(&self) -> &Digest {
        &self.parts[0].digest
    }
}

impl Plan {
    /// The definition, part by part.
    pub fn definition(&self) -> Definition {
        self.definition_with(self.model.dialogues.iter(), &[])
    }

    /// The definition as it is written: with its splits, and the dialogues without them.
    pub fn written_definition(&self) -> Definition {
        let Some(undivided) = &self.model.undivided else { return self.definition() };
        let as_written = self
            .model
            .dialogues
            .iter()
            .map(|table| undivided.dialogues.get(&table.name).unwrap_or(table));
        self.definition_with(as_written, &undivided.splits)
    }

    fn definition_with<'p>(
        &'p self,
        dialogues: impl Iterator<Item = &'p Dialogue>,
        splits: &[Split],
    ) -> Definition {
        let mut parts = vec![DefinitionPart::new(PartKind::Benchmark, "", |into| {
            benchmark(&self.model.benchmark, into);
        })];
        parts.extend(self.model.banks.iter().map(|bank| {
            DefinitionPart::new(PartKind::Bank, &bank.name, |into| data::bank(bank, into))
        }));
        parts.extend(self.model.pictures.iter().map(|(name, picture)| {
            DefinitionPart::new(PartKind::Picture, name, |into| data::picture(name, picture, into))
        }));
        parts.extend(self.model.feeds.iter().map(|feed| {
            DefinitionPart::new(PartKind::Feed, &feed.name, |into| data::feed(feed, into))
        }));
        if !self.model.tags.is_empty() {
            parts.push(DefinitionPart::new(PartKind::Tags, "", |into| {
                into.line("tags", |into| constraint::tags(&self.model.tags, into));
            }));
        }
        let called = self.called_groups();
        for group in &self.model.groups {
            let (constraints, group) = group_parts(group, called.contains(group.name.as_str()));
            parts.extend(constraints);
            parts.push(group);
        }
        parts.extend(self.model.masks.iter().map(|mask| {
            DefinitionPart::new(PartKind::Mask, "", |into| constraint::mask(mask, into))
        }));
        parts.extend(self.model.flows.iter().map(|flow| {
            DefinitionPart::new(PartKind::Flow, &flow.name, |into| dialogue::flow(flow, into))
        }));
        parts.extend(dialogues.map(|table| {
            DefinitionPart::new(PartKind::Dialogue, &table.name, |into| {
                dialogue::dialogue(table, into)
            })
        }));
        parts.extend(
            splits
                .iter()
                .map(|of| DefinitionPart::new(PartKind::Split, &of.name, |into| split(of, into))),
        );
        // Releases keep their order: the first one that counts a dialogue determines the number.
        // Everything else is found by name.
        parts.sort_by(|one, other| {
            (one.kind, &one.name, &one.text).cmp(&(other.kind, &other.name, &other.text))
        });
        parts.dedup();
        parts.extend(
            self.model.releases.iter().map(|of| {
                DefinitionPart::new(PartKind::Release, &of.name, |into| release(of, into))
            }),
        );
        let plan = DefinitionPart::new(PartKind::Plan, "", |into| {
            into.line("plan", |into| {
                into.line("edition", |line| line.int(self.model.edition));
                // The default dialogue.
                into.text_lines("first", self.model.dialogues.first().map(|first| &first.name));
                let whole = |part: &&DefinitionPart| part.kind != PartKind::Constraint;
                parts.iter().filter(whole).for_each(|part| part.list_in(into));
            });
        });
        parts.insert(0, plan);
        Definition { parts }
    }

    /// The groups whose constraints an `impose called` looks for.
    fn called_groups(&self) -> BTreeSet<&str> {
        let all = self.model.dialogues.iter().flat_map(|table| {
            std::iter::once(table).chain(table.variants.iter().map(|(_, variant)| &**variant))
        });
        let imposes = all.flat_map(|table| table.all_imposes(&self.model.flows));
        let called = imposes.filter(|impose| impose.called.is_some());
        called.flat_map(|impose| &impose.from).map(String::as_str).collect()
    }

    /// The definition hash, `plan-v1:…`: the same for two scenarios that differ only in comments,
    /// layout, and the order of unordered things.
    pub fn hash(&self) -> String {
        self.definition().digest().to_string()
    }
}

fn benchmark(benchmark: &Benchmark, into: &mut ListWriter) {
    let Benchmark { name, version, fields, span: _ } = benchmark;
    into.line("benchmark", |into| {
        into.text(name);
        into.text_line("version", version);
        fields.iter().for_each(|(name, value)| into.text_lines("field", [name, value]));
    });
}

/// The parts of a group: its constraints, and the group.
fn group_parts(group: &Group, is_called: bool) -> (Vec<DefinitionPart>, DefinitionPart) {
    let Group { name, constraints, span: _ } = group;
    let mut constraints: Vec<DefinitionPart> = constraints
        .iter()
        .map(|of| {
            DefinitionPart::new(PartKind::Constraint, &of.name, |into| {
                constraint::constraint(of, is_called, into)
            })
        })
        .collect();
    constraints.sort_by(|one, other| one.name.cmp(&other.name));
    let group = DefinitionPart::new(PartKind::Group, name, |into| {
        into.line("group", |into| {
            into.text(name);
            constraints.iter().for_each(|part| part.list_in(into));
        });
    });
    (constraints, group)
}

fn split(split: &Split, into: &mut ListWriter) {
    let Split { name, groups, with, topics, styles, flows, words, templates } = split;
    into.line("split", |into| {
        into.text(name);
        into.text_lines("held-groups", groups);
        into.text_lines("with-groups", with);
        topics.iter().for_each(|from| constraint::draw_from("held-topics", Some(from), into));
        styles.iter().for_each(|from| constraint::draw_from("held-styles", Some(from), into));
        into.text_lines("held-flows", flows);
        words.iter().for_each(|text| into.text_lines("held-words", [text]));
        templates.iter().for_each(|(name, text)| into.text_lines("own-template", [name, text]));
    });
}

fn release(release: &Release, into: &mut ListWriter) {
    let Release { name, counts, every, keep, seed, covers, quotas, alike, anchors, span: _ } =
        release;
    into.line("release", |into| {
        into.text(name);
        into.text_lines("every", every);
        for (count, dialogue) in counts.iter().filter(|(_, dialogue)| !every.contains(dialogue)) {
            into.line("count", |line| {
                line.int(*count);
                line.text(dialogue);
            });
        }
        keep.iter().for_each(|condition| tree::line("keep", condition, into));
        if let Some(seed) = seed {
            into.line("seed", |line| line.int(*seed));
        }
        for Cover { feature, groups, least, span: _ } in covers {
            into.line("cover", |line| {
                line.text(feature.word());
                line.int(*least);
                groups.iter().for_each(|group| line.text(group));
            });
        }
        for Quota { feature, name, least, count, span: _ } in quotas {
            into.line("quota", |line| {
                line.text(feature.word());
                line.word(if *least { "least" } else { "most" });
                line.int(*count);
                name.iter().for_each(|name| line.text(name));
            });
        }
        if let Some(Share(share)) = alike {
            into.line("alike", |line| line.int(*share));
        }
        if *anchors > 0 {
            into.line("anchors", |line| line.int(*anchors));
        }
    });
}
