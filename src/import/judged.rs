//! Answers that were judged elsewhere, as a recorded run.

/// What a judge said of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Yes,
    /// With what the judge, or the reader of its reply, has to say.
    No(String),
    /// Nothing that could be read, and why.
    None(String),
}
