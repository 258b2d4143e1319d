//! A benchmark examines itself: a right answer in another form must pass, a wrong one must not pass
//! because of its form, and an answer that knows nothing must not pass at all.
//!
//! [`survey`] draws dialogues, takes a right answer for each turn (recorded, golden or constructed),
//! writes it in the forms of `ifs-forms`, and evaluates the checks of the turn on each text. Which
//! form may not matter to which check follows from what the check notices of a text
//! (`ifs_predicate::aspects`). No I/O and no models.

mod audit;
mod base;
mod checks;
mod course;
mod declared;
mod examples;
mod judged;
mod limits;
mod materials;
mod play;
mod survey;
mod tally;

pub use audit::{
    Audit, AuditSummary, BluffRow, CheckRow, ExampleKind, FlippedText, FormRow, LimitRow,
    MissedBase, Sampled, TurnRow, Unneeded,
};
pub use base::{BaseAnswer, BaseSource, Bases};
pub use course::{Course, Courses};
pub use judged::{
    JudgeAudit, JudgedAnswer, JudgedCase, JudgedForm, JudgedText, KnownTruth, judge_audit,
    judged_cases, judged_sample, known_cases,
};
pub use limits::{GivenLimits, Limits, exceeds};
pub use play::{Habit, Played, played};
pub use survey::{Options, Recorded, SampleSize, summary, survey};
pub use tally::SCHEMA;

/// The text of a reply without reasoning, as a run receives it.
pub fn received(text: &str) -> &str {
    ifs_text::part_reasoning(text).map_or(text, |(_, text)| text)
}
