//! Answers that were judged elsewhere, as a recorded run.

/// What came of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What a model answered.
    pub response: Option<String>,
    /// What a judge said to each question, in their order.
    pub judgements: Vec<Judgement>,
}

/// What a judge said of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Yes,
    /// With what the judge, or the reader of its reply, has to say.
    No(String),
    /// Nothing that could be read, and why.
    None(String),
}
