//! Locks: the inputs of a scenario with their hashes, so that drift is noticed.
//!
//! A lock pins every file that a scenario imports, every bank field by field, and every part of the
//! definition by its digest.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Plan;
use crate::canonical::{PartKind, value_digests};
use ifs_base::world::{ReadError, World};
use ifs_model::{LIBRARY, library_file};

/// The version of the format.
pub const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    pub lock: u32,
    /// The edition of the language.
    pub edition: u32,
    /// The version of the benchmark.
    pub version: String,
    /// The definition hash.
    pub definition: String,
    /// Files other than the scenario's own, by name: the BLAKE3 hashes of their contents. Only
    /// the digests of parts and banks decide whether there is drift; these say where it comes from.
    pub files: BTreeMap<String, String>,
    pub banks: BTreeMap<String, LockedBank>,
    /// `constraint length.short` and its digest.
    pub parts: BTreeMap<String, String>,
    /// The modules of the library that the scenario imports: the BLAKE3 hashes of their texts. Only
    /// the digests of parts decide whether there is drift; these say where it comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub library: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedBank {
    pub digest: String,
    pub records: u64,
    pub fields: BTreeMap<String, LockedField>,
}

/// The BLAKE3 hashes of a field's values: in the order of the records, and without their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedField {
    pub ordered: String,
    pub unordered: String,
}

impl Lock {
    /// The lock of a plan that was compiled from these files.
    pub fn for_plan(plan: &Plan, files: BTreeMap<String, String>) -> Lock {
        let definition = plan.definition();
        let mut parts = BTreeMap::new();
        let mut digests = BTreeMap::new();
        for part in definition.parts() {
            match part.kind {
                // A digest of them all is the definition's.
                PartKind::Plan | PartKind::Benchmark => {}
                PartKind::Bank => {
                    digests.insert(part.name.as_str(), part.digest.to_string());
                }
                kind => {
                    let name = format!("{} {}", kind.word(), part.name).trim_end().to_owned();
                    // Masks have no names.
                    let mut numbered = name.clone();
                    for number in 2.. {
                        if !parts.contains_key(&numbered) {
                            break;
                        }
                        numbered = format!("{name} {number}");
                    }
                    parts.insert(numbered, part.digest.to_string());
                }
            }
        }
        let banks = plan.model.banks.iter().map(|bank| {
            let fields: Vec<&str> = match &bank.ty {
                ifs_predicate::types::Type::Record(fields) => {
                    fields.keys().map(AsRef::as_ref).collect()
                }
                _ => Vec::new(),
            };
            let fields = fields.into_iter().map(|field| {
                let (ordered, unordered) =
                    value_digests(bank.records.iter().map(|record| record.field(field)));
                (field.to_owned(), LockedField { ordered, unordered })
            });
            let locked = LockedBank {
                digest: digests.get(bank.name.as_str()).cloned().unwrap_or_default(),
                records: bank.records.len() as u64,
                fields: fields.collect(),
            };
            (bank.name.clone(), locked)
        });
        Lock {
            lock: FORMAT,
            edition: plan.model.edition,
            version: plan.model.benchmark.version.clone(),
            definition: definition.digest().to_string(),
            files,
            banks: banks.collect(),
            parts,
            library: library(plan),
        }
    }

    /// The modules of the library that both have with other texts: `std.german`.
    pub fn other_library(&self, found: &Lock) -> Vec<String> {
        let other = |(module, hash): &(&String, &String)| {
            found.library.get(*module).is_some_and(|found| found != *hash)
        };
        let others = self.library.iter().filter(other);
        others.map(|(module, _)| format!("std.{module}")).collect()
    }

    /// The differences of a scenario from its lock, in words.
    pub fn drift(&self, found: &Lock) -> Vec<String> {
        let mut drift = Vec::new();
        if self.edition != found.edition {
            drift.push(format!("expected edition {}, found {}", self.edition, found.edition));
        }
        compare(&self.banks, &found.banks, &mut |name, change| {
            drift.push(match change {
                LockChange::Gone => format!("bank {name} is locked and no longer there"),
                LockChange::New => format!("bank {name} is not locked"),
                LockChange::Other(one, other) => format!("bank {name}: {}", bank(one, other)),
            });
        });
        compare(&self.parts, &found.parts, &mut |name, change| {
            drift.push(match change {
                LockChange::Gone => format!("{name} is locked and no longer there"),
                LockChange::New => format!("{name} is not locked"),
                LockChange::Other(..) => format!("{name} differs from the locked one"),
            });
        });
        if !drift.is_empty() {
            compare(&self.files, &found.files, &mut |name, change| {
                drift.push(match change {
                    LockChange::Gone => format!("file {name} is locked and no longer read"),
                    LockChange::New => format!("file {name} is read and not locked"),
                    LockChange::Other(..) => format!("file {name} has other contents"),
                });
            });
            drift.extend(
                self.other_library(found)
                    .into_iter()
                    .map(|module| format!("{module} of the library differs from the locked one")),
            );
        }
        if drift.is_empty() && self.definition != found.definition {
            drift.push(if self.version == found.version {
                "the description of the benchmark differs from the locked one".to_owned()
            } else {
                format!("expected version {:?}, found {:?}", self.version, found.version)
            });
        }
        drift
    }
}

/// The hashes of the library's modules that a plan was made of.
fn library(plan: &Plan) -> BTreeMap<String, String> {
    let module = |(at, (module, _)): (usize, &(&str, &str))| {
        let source = plan.sources.get(library_file(at))?;
        let hash = blake3::hash(source.text.as_bytes()).to_hex().to_string();
        Some(((*module).to_owned(), hash))
    };
    LIBRARY.iter().enumerate().filter_map(module).collect()
}

fn bank(locked: &LockedBank, found: &LockedBank) -> String {
    let mut drift = Vec::new();
    if locked.records != found.records {
        drift.push(format!("{} records are locked, {} found", locked.records, found.records));
    }
    compare(&locked.fields, &found.fields, &mut |name, change| {
        drift.push(match change {
            LockChange::Gone => format!("field {name} is gone"),
            LockChange::New => format!("field {name} is new"),
            LockChange::Other(one, other) if one.unordered == other.unordered => {
                format!("field {name} has its values in another order")
            }
            LockChange::Other(..) => format!("field {name} has other values"),
        });
    });
    if drift.is_empty() {
        return "the types of its fields or its keys differ".to_owned();
    }
    drift.join(", ")
}

enum LockChange<'c, T> {
    Gone,
    New,
    Other(&'c T, &'c T),
}

fn compare<'c, T: PartialEq>(
    locked: &'c BTreeMap<String, T>,
    found: &'c BTreeMap<String, T>,
    report: &mut dyn FnMut(&str, LockChange<'c, T>),
) {
    for (name, one) in locked {
        match found.get(name) {
            None => report(name, LockChange::Gone),
            Some(other) if one != other => report(name, LockChange::Other(one, other)),
            Some(_) => {}
        }
    }
    for name in found.keys().filter(|name| !locked.contains_key(*name)) {
        report(name, LockChange::New);
    }
}

/// What a scenario was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The BLAKE3 hashes of files by name; `None` for a file that was looked for and could not be read.
    pub files: BTreeMap<String, Option<String>>,
    /// The names of the files in folders that were listed.
    pub folders: BTreeMap<String, Vec<String>>,
}

/// A world that remembers what was read from it.
pub struct RecordingWorld<'w> {
    world: &'w dyn World,
    inputs: RefCell<Inputs>,
}

impl<'w> RecordingWorld<'w> {
    pub fn new(world: &'w dyn World) -> RecordingWorld<'w> {
        RecordingWorld { world, inputs: RefCell::default() }
    }

    pub fn into_inputs(self) -> Inputs {
        self.inputs.into_inner()
    }
}

impl World for RecordingWorld<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        let bytes = self.world.read(name);
        let hash = bytes.as_ref().ok().map(|bytes| blake3::hash(bytes).to_hex().to_string());
        self.inputs.borrow_mut().files.insert(name.to_owned(), hash);
        bytes
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let names = self.world.list(folder);
        let listed = names.clone().unwrap_or_default();
        self.inputs.borrow_mut().folders.insert(folder.to_owned(), listed);
        names
    }

    fn display(&self, name: &str) -> String {
        self.world.display(name)
    }

    fn library(&self, module: &str) -> Option<String> {
        self.world.library(module)
    }
}
