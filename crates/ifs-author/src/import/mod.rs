//! Converts published data into releases: a scenario with its bank, and recorded verdicts as a
//! recorded run.

pub mod chats;
pub mod drawn;
pub mod evolif;
mod field;
mod judged;
pub mod records;
pub mod structflowbench;

#[cfg(test)]
mod tests;

pub use judged::{JudgedOutcome, Judgement, SEED, transcripts};

use serde::Serialize;

/// The scenario's file in a release.
pub const MAIN: &str = crate::release::MAIN_FILE;

/// A defect in a record of published data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    pub kind: DefectKind,
    /// The record's key in the release, which is its position: `d137`.
    pub record: String,
    /// The turn's name in the data, for a defect of one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DefectKind {
    /// The record cannot be used.
    Unusable,
    MissingField,
    EmptyText,
    RepeatedTurn,
    RepeatedDialogue,
    DanglingEdge,
    BackwardEdge,
    UnknownRelation,
    /// A relation of the structure without a question.
    UnaskedRelation,
    /// A question about a relation that the structure does not have.
    UnfoundedQuestion,
    UnknownType,
    UnknownTask,
    UnknownUser,
    NotJudged,
    OddJudgement,
}

impl DefectKind {
    pub const ALL: [DefectKind; 15] = [
        DefectKind::Unusable,
        DefectKind::MissingField,
        DefectKind::EmptyText,
        DefectKind::RepeatedTurn,
        DefectKind::RepeatedDialogue,
        DefectKind::DanglingEdge,
        DefectKind::BackwardEdge,
        DefectKind::UnknownRelation,
        DefectKind::UnaskedRelation,
        DefectKind::UnfoundedQuestion,
        DefectKind::UnknownType,
        DefectKind::UnknownTask,
        DefectKind::UnknownUser,
        DefectKind::NotJudged,
        DefectKind::OddJudgement,
    ];

    /// The defect as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            DefectKind::Unusable => "unusable records",
            DefectKind::MissingField => "missing fields, or fields of another type",
            DefectKind::EmptyText => "empty texts",
            DefectKind::RepeatedTurn => "repeated turns",
            DefectKind::RepeatedDialogue => "repeated dialogues",
            DefectKind::DanglingEdge => "edges to a missing turn",
            DefectKind::BackwardEdge => {
                "edges that do not lead from an earlier turn to a later one"
            }
            DefectKind::UnknownRelation => "undeclared relations",
            DefectKind::UnaskedRelation => "relations that no question asks about",
            DefectKind::UnfoundedQuestion => "questions about a missing relation",
            DefectKind::UnknownType => "questions of an undeclared type",
            DefectKind::UnknownTask => "undeclared tasks",
            DefectKind::UnknownUser => "users of no known type",
            DefectKind::NotJudged => "questions without a judgement",
            DefectKind::OddJudgement => "judgements that are neither `Yes` nor `No`",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("the file is empty")]
    Empty,
    #[error("the file breaks off: {0}")]
    BreaksOff(serde_json::Error),
    #[error("the file is not JSON: {0}")]
    NoJson(serde_json::Error),
    #[error("the file is JSON, but {found} and not a list of dialogues")]
    NoList { found: &'static str },
    #[error("the file is a list without dialogues")]
    NoDialogues,
    #[error("the data cannot be drawn: {0}")]
    Refused(String),
}
