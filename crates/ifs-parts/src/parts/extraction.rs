//! Extraction by models: decides on the next request, and interprets replies. It sends no requests.
//!
//! A coder writes a program. If the program cannot be parsed or finds nothing, the coder gets the
//! error once and writes another. Then an extractor copies the part, and also gets one error. Only
//! the extractor can report that the part does not exist. If it fails too, or is not configured,
//! the part is [`PartValue::Unread`], and the errors are kept.

use serde::{Deserialize, Serialize};

use super::PartValue;
use super::extract::{self, Extracted};
use super::program;
use super::prompt::{ExtractionPrompts, ExtractionRole, field};
use ifs_predicate::value::Value;

/// The next step.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtractionStep {
    Ask { role: ExtractionRole, prompt: String },
    Done(Extraction),
}

/// The result of an extraction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Extraction {
    pub value: PartValue,
    /// The role that extracted it; `None` if the response is empty or no reply could be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ExtractionRole>,
    /// The coder's program, if the coder extracted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The errors of unusable replies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<String>,
}

/// The extraction of a recorded response, so that it can be judged again without requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExtractedPart {
    pub part: String,
    #[serde(flatten)]
    pub extraction: Extraction,
}

/// The maximum number of requests to each role for one part.
const MAX_REQUESTS: u8 = 2;

/// The extraction of one part of one response.
pub struct ExtractionTask<'a> {
    list: bool,
    about: &'a str,
    answer: &'a str,
    role: ExtractionRole,
    tries: u8,
    /// The last program, and the error of the last reply.
    program: Option<String>,
    last: Option<String>,
    wrong: Vec<String>,
    done: Option<Extraction>,
}

impl<'a> ExtractionTask<'a> {
    pub fn new(list: bool, about: &'a str, answer: &'a str) -> ExtractionTask<'a> {
        let mut task = ExtractionTask {
            list,
            about,
            answer,
            role: ExtractionRole::Coder,
            tries: 0,
            program: None,
            last: None,
            wrong: Vec::new(),
            done: None,
        };
        if answer.trim().is_empty() {
            task.record_nothing("the response is empty", None);
        }
        task
    }

    /// The next request, until the extraction is complete.
    pub fn step(&mut self, prompts: &ExtractionPrompts) -> ExtractionStep {
        loop {
            if let Some(done) = &self.done {
                return ExtractionStep::Done(done.clone());
            }
            let fields = vec![
                ("about", Value::text(self.about)),
                ("list", Value::Bool(self.list)),
                ("answer", Value::text(self.answer)),
                ("program", field(self.program.as_deref())),
                ("wrong", field(self.last.as_deref())),
            ];
            match prompts.render(self.role, fields) {
                Ok(prompt) => return ExtractionStep::Ask { role: self.role, prompt },
                Err(fault) => self.unavailable(&fault.message),
            }
        }
    }

    /// Handles the reply to the last request.
    pub fn reply(&mut self, text: &str) {
        let wrong = match self.role {
            ExtractionRole::Coder => {
                let written = program::written_in(text);
                let cut = self.run(&written);
                self.program = Some(written);
                match cut {
                    Ok(cut) => return self.found(cut),
                    Err(wrong) => wrong,
                }
            }
            ExtractionRole::Extractor => match extract::read(text, self.answer) {
                Ok(Extracted::Pieces(pieces)) => {
                    let cut = PartValue::from_pieces(self.list, pieces.iter().map(String::as_str));
                    return self.found(cut);
                }
                Ok(Extracted::Nothing) => {
                    return self.record_nothing(
                        "there is no such part in the response",
                        Some(ExtractionRole::Extractor),
                    );
                }
                Err(unusable) => unusable.to_string(),
            },
        };
        self.unusable(wrong);
    }

    /// Reports that the reply cannot be used, with the error for the model.
    pub fn unusable(&mut self, wrong: String) {
        self.tries += 1;
        self.wrong.push(wrong.clone());
        self.last = Some(wrong);
        if self.tries == MAX_REQUESTS {
            self.next_role();
        }
    }

    /// Reports that the role is not configured.
    pub fn unavailable(&mut self, why: &str) {
        self.wrong.push(why.to_owned());
        self.next_role();
    }

    fn run(&self, written: &str) -> Result<PartValue, String> {
        let program = program::parse(written).map_err(|bad| bad.to_string())?;
        let pieces = program.run(self.answer).map_err(|failure| failure.to_string())?;
        if !self.list && pieces.len() > 1 {
            let count = pieces.len();
            return Err(format!(
                "{count} pieces were extracted, but one text is expected; end with `first 1` or `span`"
            ));
        }
        match PartValue::from_pieces(self.list, pieces.iter().map(AsRef::as_ref)) {
            PartValue::Nothing => Err("nothing came out".to_owned()),
            cut => Ok(cut),
        }
    }

    fn next_role(&mut self) {
        self.tries = 0;
        self.last = None;
        match self.role {
            ExtractionRole::Coder => self.role = ExtractionRole::Extractor,
            ExtractionRole::Extractor => self.finish(PartValue::Unread, None),
        }
    }

    fn found(&mut self, cut: PartValue) {
        self.finish(cut, Some(self.role));
    }

    fn record_nothing(&mut self, why: &str, by: Option<ExtractionRole>) {
        self.wrong.push(why.to_owned());
        self.finish(PartValue::Nothing, by);
    }

    fn finish(&mut self, cut: PartValue, by: Option<ExtractionRole>) {
        let program = self.program.take().filter(|_| by == Some(ExtractionRole::Coder));
        self.done =
            Some(Extraction { value: cut, by, program, wrong: std::mem::take(&mut self.wrong) });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const ANSWER: &str = "Sure!\n## Casual\n1. so good\n2. want it\n## Formal\n1. Well made.";

    /// Plays the replies in order; `None` is a role that is not configured.
    fn cut(list: bool, replies: &[Option<&str>]) -> (Extraction, Vec<(ExtractionRole, String)>) {
        let prompts = ExtractionPrompts::new(&BTreeMap::new()).unwrap();
        let mut task = ExtractionTask::new(list, "the casual comments", ANSWER);
        let mut asked = Vec::new();
        let mut replies = replies.iter();
        loop {
            match task.step(&prompts) {
                ExtractionStep::Ask { role, prompt } => {
                    asked.push((role, prompt));
                    match replies.next().expect("another reply") {
                        Some(reply) => task.reply(reply),
                        None => task.unavailable("no model has this role"),
                    }
                }
                ExtractionStep::Done(extraction) => return (extraction, asked),
            }
        }
    }

    #[test]
    fn programs_extract() {
        let (done, asked) = cut(true, &[Some("```\nsection \"Casual\"\nnumbered\n```")]);
        assert_eq!(done.value, PartValue::List(vec!["so good".into(), "want it".into()]));
        assert_eq!((done.by, asked.len()), (Some(ExtractionRole::Coder), 1));
        assert_eq!(done.program.as_deref(), Some("section \"Casual\"\nnumbered"));
        assert!(asked[0].1.contains("the casual comments") && asked[0].1.contains(ANSWER));
    }

    #[test]
    fn failed_programs_are_retried_before_the_extractor() {
        let replies =
            [Some("import re"), Some("section \"casul\""), Some("[\"so good\", \"want it\"]")];
        let (done, asked) = cut(true, &replies);
        let roles: Vec<ExtractionRole> = asked.iter().map(|(role, _)| *role).collect();
        assert_eq!(
            roles,
            [ExtractionRole::Coder, ExtractionRole::Coder, ExtractionRole::Extractor]
        );
        assert!(asked[1].1.contains("`import` is not a step") && asked[1].1.contains("import re"));
        assert!(!asked[2].1.contains("import"));
        assert_eq!((done.by, done.program), (Some(ExtractionRole::Extractor), None));
        assert_eq!(done.wrong.len(), 2);
        assert_eq!(done.wrong[1], "step 1 leaves nothing");
    }

    #[test]
    fn repeated_inventions_are_unreadable() {
        let (done, asked) = cut(true, &[None, Some("[\"so nice\"]"), Some("[\"so nice\"]")]);
        assert_eq!((done.value, done.by, asked.len()), (PartValue::Unread, None, 3));
        assert!(asked[2].1.contains("this does not occur in the response: so nice"));
        let (done, _) = cut(true, &[None, None]);
        assert_eq!(done.value, PartValue::Unread);
        let (done, asked) = cut(true, &[None, Some("NONE")]);
        assert_eq!(
            (done.value, done.by, asked.len()),
            (PartValue::Nothing, Some(ExtractionRole::Extractor), 2)
        );
    }

    #[test]
    fn one_text_is_one_piece() {
        let (done, asked) = cut(
            false,
            &[Some("section \"Casual\"\nnumbered"), Some("section \"Casual\"\nnumbered\nspan")],
        );
        assert!(asked[1].1.contains("2 pieces were extracted, but one text is expected"));
        assert_eq!(done.value, PartValue::Text("so good\n2. want it".into()));
    }
}
