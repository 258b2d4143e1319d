//! Whether a set is the one that its manifest commits to.

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::manifest::SetManifest;
use super::secret::hex;
use super::{Secret, tree};

/// The differences from a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    #[error("the manifest was changed after it was made: its seal does not match{}", in_fields(.0))]
    Seal(Vec<String>),
    #[error("the secret is not the one that the manifest commits to")]
    Secret,
    #[error("the definition is {found}, and the manifest commits to {expected}")]
    Definition { found: String, expected: String },
    #[error("the files that the scenario imports differ from those in the manifest")]
    Lock,
    #[error("dialogue {number} differs from what is drawn, first at byte {byte} of its line")]
    Line { number: u64, byte: usize },
    #[error("the set has {found} dialogues, and {expected} are drawn")]
    Count { found: u64, expected: u64 },
    #[error("the root of the tree is not that of the manifest")]
    Root,
    #[error("{0} is not what the manifest says")]
    Field(&'static str),
    #[error("the manifest is not the one that the dialogue was opened with")]
    Manifest,
    #[error("{0} was changed: the opened line does not lead to the root of the manifest")]
    Opening(&'static str),
    #[error("the number of the opening is {found}, and its line is that of dialogue {line}")]
    OpeningNumber { found: u64, line: u64 },
    #[error("the format of the opening is {0}; this ifs reads {OPENING_FORMAT}")]
    OpeningFormat(u32),
}

fn in_fields(fields: &[String]) -> String {
    match fields {
        [] => String::new(),
        fields => format!(", in `{}`", fields.join("`, `")),
    }
}

/// The version of openings.
const OPENING_FORMAT: u32 = 2;

/// One dialogue of a set, shown without the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    pub ifs_opening: u32,
    /// The hash of the set's manifest, and the root of its tree.
    pub manifest: String,
    pub root: String,
    /// The place of the dialogue, and how many there are.
    pub number: u64,
    pub dialogues: u64,
    pub salt: String,
    /// Hashes from the leaf to the root.
    pub path: Vec<String>,
    /// The line with the dialogue, without its end.
    pub line: String,
}

impl Opening {
    /// Opens a dialogue. `lines` are all lines of the set with their ends.
    pub fn open_line(
        manifest: &SetManifest,
        secret: Option<&Secret>,
        lines: &[&[u8]],
        number: u64,
    ) -> Opening {
        let salt = |number| secret.map_or([0; 32], |secret| secret.leaf_salt(manifest, number));
        let leaves: Vec<Hash> =
            (0u64..).zip(lines).map(|(at, line)| tree::leaf(&salt(at), line)).collect();
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        let line = String::from_utf8_lossy(lines.get(at).copied().unwrap_or_default());
        Opening {
            ifs_opening: OPENING_FORMAT,
            manifest: manifest.digest(),
            root: manifest.root.clone(),
            number,
            dialogues: lines.len() as u64,
            salt: hex(&salt(number)),
            path: tree::path(&leaves, at).iter().map(|hash| hash.to_hex().to_string()).collect(),
            line: line.trim_end_matches('\n').to_owned(),
        }
    }
}

/// Checks one dialogue against a manifest, without the secret.
///
/// # Errors
/// It is not the dialogue at this place of this set.
pub fn verify_opening(opening: &Opening, manifest: &SetManifest) -> Result<(), Mismatch> {
    if opening.ifs_opening != OPENING_FORMAT {
        return Err(Mismatch::OpeningFormat(opening.ifs_opening));
    }
    if opening.manifest != manifest.digest() {
        return Err(Mismatch::Manifest);
    }
    if opening.root != manifest.root {
        return Err(Mismatch::Root);
    }
    if opening.dialogues != manifest.dialogues || opening.number >= manifest.dialogues {
        return Err(Mismatch::Count { found: opening.dialogues, expected: manifest.dialogues });
    }
    let salt = Hash::from_hex(&opening.salt).map_err(|_| Mismatch::Field("the salt"))?;
    let path: Result<Vec<Hash>, _> = opening.path.iter().map(Hash::from_hex).collect();
    let path = path.map_err(|_| Mismatch::Field("the path"))?;
    let line = serde_json::from_str::<serde_json::Value>(&opening.line).ok();
    let Some(number) = line.and_then(|line| line["number"].as_u64()) else {
        return Err(Mismatch::Opening("the line"));
    };
    if number != opening.number {
        return Err(Mismatch::OpeningNumber { found: opening.number, line: number });
    }
    let leaf = tree::leaf(salt.as_bytes(), format!("{}\n", opening.line).as_bytes());
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let top = tree::climb(leaf, place(opening.number), place(opening.dialogues), &path);
    match top.map(|hash| hash.to_hex().to_string()) {
        // The number of hashes follows from the place.
        None => return Err(Mismatch::Opening("the path")),
        Some(top) if top == manifest.root => {}
        // A hash does not say which of what it was made from was another.
        Some(_) => return Err(Mismatch::Opening("the salt, the path or the line")),
    }
    Ok(())
}
