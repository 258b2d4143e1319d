//! The statements of a written turn after its values are drawn: what is shown, which parts are
//! extracted, and the criteria in addition to the active constraints.

use serde::{Deserialize, Serialize};

use ifs_model::table::{DecidedBy, RelationKind};
use ifs_parts::image::{Drawing, Pictures, is_address};
use ifs_parts::parts::witness::WitnessPart;
use ifs_parts::parts::{PartReader, ReaderTree};

/// A relation of a turn to earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownContent {
    Text(String),
    Image(ShownImage),
    /// A message of a tool, after the user message.
    Tool {
        name: String,
        text: String,
    },
}

/// A picture that is shown, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownImage {
    /// A URL, which only the endpoint fetches.
    Address(String),
    /// A file of the scenario: its name, and the hash of its bytes.
    File { name: String, hash: String },
    /// A picture of a scene, with the data for painting it, and the hash of its PNG.
    Drawn { hash: String, drawing: Drawing },
}

impl ShownContent {
    /// The name of the tool and its text, of a message of a tool.
    #[must_use]
    pub fn of_tool(&self) -> Option<(&str, &str)> {
        match self {
            ShownContent::Tool { name, text } => Some((name, text)),
            ShownContent::Text(_) | ShownContent::Image(_) => None,
        }
    }

    /// A tool's message as a text in a fence, for models without tools and for judges.
    #[must_use]
    pub fn fenced(&self) -> Option<String> {
        match self {
            ShownContent::Tool { name, text } => {
                // Longer than any fence in the text.
                let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(longest.max(2) + 1);
                Some(format!("{fence}tool {name}\n{text}\n{fence}"))
            }
            ShownContent::Text(_) | ShownContent::Image(_) => None,
        }
    }
}

impl ShownImage {
    /// The picture that an image's value refers to; `None` for an unknown file.
    pub fn from_value(value: &str, pictures: &Pictures) -> Option<ShownImage> {
        if is_address(value) {
            return Some(ShownImage::Address(value.to_owned()));
        }
        if let Some(drawing) = Drawing::read(value) {
            return Some(ShownImage::Drawn { hash: drawing.paint().hash, drawing });
        }
        let hash = pictures.get(value)?.hash.clone();
        Some(ShownImage::File { name: value.to_owned(), hash })
    }

    /// A short label.
    pub fn label(&self) -> String {
        match self {
            ShownImage::Address(address) => address.clone(),
            ShownImage::File { name, .. } => name.clone(),
            ShownImage::Drawn { hash, drawing } => {
                format!("drawn, {} by {}, {}", drawing.width, drawing.height, &hash[..12])
            }
        }
    }
}

/// A part that is extracted from the response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PartCriterion {
    pub name: String,
    /// Whether it is a list of texts, or one text.
    pub list: bool,
    /// The reader; without one, a model extracts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    pub reader: Option<ReaderTree>,
    /// The description of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl PartCriterion {
    /// How to locate it: with its reader, or in the layout of simulated models.
    pub fn witness_part(&self) -> WitnessPart {
        let reader = self.reader.as_ref().and_then(|tree| PartReader::evaluate(tree, &()).ok());
        match reader {
            Some(reader) => WitnessPart { name: self.name.clone(), list: self.list, reader },
            None => {
                let about = self.about.as_deref().unwrap_or(&self.name);
                WitnessPart::unread(&self.name, self.list, about)
            }
        }
    }

    /// The placeholder for an extracted part in a judge's question.
    pub fn place(&self) -> String {
        format!("{{{{ {} }}}}", self.name)
    }
}

/// A criterion of a response, in addition to the active constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Criterion {
    pub kind: CriterionKind,
    /// Unique among its kind on its turn: for a requirement its name, with a number for repetitions
    /// in a loop; for a relation its keyword and the turns it refers to; for a fact or a voiding
    /// condition a number.
    pub name: String,
    /// With drawn values. Remaining names are parts, and the facts of the response (`prompt`,
    /// `replies`).
    pub by: DecidedBy,
    /// The question in the user message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// Requirements of the turn that must hold first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The points of a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// The weight that the requirement has in weighted scores, if its statement gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CriterionKind {
    /// The response relates to an earlier turn as the user message does.
    Relation,
    Requirement,
    /// Something that a right answer states, with points.
    Fact,
    /// A condition that voids a response. The criterion holds for a response without it.
    Void,
    /// Observations of the response, which are not scored.
    Observation,
}

impl CriterionKind {
    pub const ALL: [CriterionKind; 5] = [
        CriterionKind::Relation,
        CriterionKind::Requirement,
        CriterionKind::Fact,
        CriterionKind::Void,
        CriterionKind::Observation,
    ];

    pub fn word(self) -> &'static str {
        match self {
            CriterionKind::Relation => "relation",
            CriterionKind::Requirement => "requirement",
            CriterionKind::Fact => "fact",
            CriterionKind::Void => "void",
            CriterionKind::Observation => "observation",
        }
    }
}

/// The first word of a criterion's name: its keyword in the scenario.
pub fn written(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

impl Criterion {
    /// The name in the scenario: for a requirement without its number, for a relation its keyword.
    pub fn written_name(&self) -> &str {
        written(&self.name)
    }

    /// A name that no other criterion or constraint of the turn has: `fact 2`.
    pub fn key(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }
}
