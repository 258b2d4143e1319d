//! A file of prompts with their constraints, separate from the responses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::catalogue::{BoundConstraint, Catalogue};
use super::row::{GradeRow, RowError};
use ifs_base::diagnostic::Code;
use ifs_predicate::value::Value;

pub(super) struct RowPrompt<'c> {
    pub text: String,
    pub wanted: Result<Vec<BoundConstraint<'c>>, RowError>,
    answered: AtomicBool,
}

/// The prompts of a file, by `key` and by text.
#[derive(Default)]
pub struct RowPrompts<'c> {
    list: Vec<RowPrompt<'c>>,
    keys: BTreeMap<String, usize>,
    texts: BTreeMap<String, Vec<usize>>,
}

impl<'c> RowPrompts<'c> {
    /// Adds one line of the file.
    ///
    /// # Errors
    /// Returns an error if it is not a row, has no prompt, or has a duplicate key. Constraints that
    /// cannot be graded are reported for the rows that answer the prompt.
    pub fn add(&mut self, line: &[u8], catalogue: &'c Catalogue) -> Result<(), RowError> {
        let row = GradeRow::parse(line)?;
        let Some(text) = &row.prompt else {
            return Err(RowError::new(Code::BAD_ROW, "the row has no `prompt`"));
        };
        let at = self.list.len();
        if let Some(key) = row.key.as_ref() {
            let key = key.to_string();
            if self.keys.contains_key(&key) {
                return Err(RowError::new(
                    Code::DUPLICATE_NAME,
                    format!("the key `{key}` occurs twice"),
                ));
            }
            self.keys.insert(key, at);
        }
        self.texts.entry(text.to_string()).or_default().push(at);
        let wanted = catalogue.bind_constraints(&row);
        self.list.push(RowPrompt {
            text: text.to_string(),
            wanted,
            answered: AtomicBool::new(false),
        });
        Ok(())
    }

    /// The prompt of a row: by key if it has one, otherwise by text.
    pub(super) fn find(&self, row: &GradeRow<'_>) -> Result<&RowPrompt<'c>, RowError> {
        let at = match (&row.key, &row.prompt) {
            (Some(key), _) => self.keys.get(&Value::to_string(key)).copied().ok_or_else(|| {
                RowError::new(Code::UNKNOWN_NAME, format!("no prompt has the key `{key}`"))
            })?,
            (None, Some(text)) => match self.texts.get(text.as_ref()).map(Vec::as_slice) {
                Some([only]) => *only,
                Some(several) => {
                    return Err(RowError::new(
                        Code::DUPLICATE_NAME,
                        format!("{} prompts have this text", several.len()),
                    )
                    .help("say which by `key`"));
                }
                None => {
                    return Err(RowError::new(Code::UNKNOWN_NAME, "no prompt has this text")
                        .help("it has to match exactly; or identify it by `key`"));
                }
            },
            (None, None) => {
                return Err(RowError::new(Code::BAD_ROW, "the row does not name its prompt")
                    .help("give it the `key` or the `prompt` of the file of prompts"));
            }
        };
        let prompt = &self.list[at];
        prompt.answered.store(true, Ordering::Relaxed);
        Ok(prompt)
    }

    /// The number of prompts without a row.
    pub fn unanswered(&self) -> usize {
        self.list.iter().filter(|prompt| !prompt.answered.load(Ordering::Relaxed)).count()
    }
}
