//! What is in a turn that was written out, once its values are drawn: what is
//! shown, what is cut out of the answer, and what the answer is judged on besides
//! the active constraints.

use serde::{Deserialize, Serialize};

use crate::image::{Drawing, Pictures, is_address};
use crate::model::table::{By, RelationKind};
use crate::parts::witness::WitnessPart;
use crate::parts::{PartReader, ReaderTree};

/// How a turn relates to earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub kind: RelationKind,
    /// The numbers of the earlier turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<u32>,
}

impl Related {
    /// `follows 1`, `summarizes 1, 2`, `unrelated`.
    pub fn label(&self) -> String {
        let to: Vec<String> = self.to.iter().map(ToString::to_string).collect();
        match to.as_slice() {
            [] => self.kind.word().to_owned(),
            to => format!("{} {}", self.kind.word(), to.join(", ")),
        }
    }
}

/// What the turn shows, before the user message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Text(String),
    Image(Image),
}

/// A picture that is shown, by what it is and not by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    /// Passed on as it is: what is after it, only the endpoint looks at.
    Address(String),
    /// A file of the scenario: its name, and the hash of its bytes.
    File { name: String, hash: String },
    /// A picture of a scene, with all that it takes to paint it, and the hash of its PNG.
    Drawn { hash: String, drawing: Drawing },
}

impl Image {
    /// The picture that the value of an image stands for; `None` where the plan knows no such file.
    pub fn of(value: &str, pictures: &Pictures) -> Option<Image> {
        if is_address(value) {
            return Some(Image::Address(value.to_owned()));
        }
        if let Some(drawing) = Drawing::read(value) {
            return Some(Image::Drawn { hash: drawing.paint().hash, drawing });
        }
        let hash = pictures.get(value)?.hash.clone();
        Some(Image::File { name: value.to_owned(), hash })
    }

    /// How it is called where there is room for a few words.
    pub fn label(&self) -> String {
        match self {
            Image::Address(address) => address.clone(),
            Image::File { name, .. } => name.clone(),
            Image::Drawn { hash, drawing } => {
                format!("drawn, {} by {}, {}", drawing.width, drawing.height, &hash[..12])
            }
        }
    }
}

/// A part that is cut out of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    /// A list of texts; else one text.
    pub list: bool,
    /// The call of a reader; without one, someone who reads cuts it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderTree>,
    /// What it is, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Part {
    /// Where it is looked for: by its reader, or as simulated models lay it out.
    pub fn wanted(&self) -> WitnessPart {
        let reader = self.reader.as_ref().and_then(|tree| PartReader::of(tree, &()).ok());
        match reader {
            Some(reader) => WitnessPart { name: self.name.clone(), list: self.list, reader },
            None => {
                let about = self.about.as_deref().unwrap_or(&self.name);
                WitnessPart::unread(&self.name, self.list, about)
            }
        }
    }

    /// What is in a judge's question for what will be cut out.
    pub fn place(&self) -> String {
        format!("{{{{ {} }}}}", self.name)
    }
}

/// What an answer is judged on besides the active constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    pub kind: CriterionKind,
    /// One of its kind on its turn: a requirement's name, with a number where a loop brings it
    /// again; for a relation its word and the
    /// turns it goes to; a number for a fact and a voiding condition.
    pub name: String,
    /// What was drawn is in it as values. Names that are left are parts, and the facts of the
    /// answer (`prompt`, `replies`).
    pub by: By,
    /// The question in the user message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// Requirements of the turn without which this one fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The points of a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionKind {
    /// The answer relates to an earlier turn as the user message do.
    Relation,
    Requirement,
    /// Something that a right answer states, worth points.
    Fact,
    /// What makes an answer worth nothing. It holds of an answer that is free of it.
    Void,
}

impl CriterionKind {
    pub const ALL: [CriterionKind; 4] = [
        CriterionKind::Relation,
        CriterionKind::Requirement,
        CriterionKind::Fact,
        CriterionKind::Void,
    ];

    pub fn word(self) -> &'static str {
        match self {
            CriterionKind::Relation => "relation",
            CriterionKind::Requirement => "requirement",
            CriterionKind::Fact => "fact",
            CriterionKind::Void => "void",
        }
    }
}

/// The first word of a criterion's name: what stands for it in the program.
pub fn written(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

impl Criterion {
    /// The name as it is in the program: of a requirement without its number, of a relation its
    /// word.
    pub fn written_name(&self) -> &str {
        written(&self.name)
    }

    /// The name that no other criterion and no constraint of the turn has: `fact 2`.
    pub fn key(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }
}
