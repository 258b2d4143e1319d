//! JSON with a known schema, borrowed from the text.

use serde::Deserialize;

use crate::bytes::starts;
use crate::notice::FeedError;

/// # Errors
/// Returns an error if the text is not JSON, is incomplete, or has another schema.
pub fn parse<'t, T: Deserialize<'t>>(text: &'t str, what: &str) -> Result<T, FeedError> {
    serde_json::from_str(text).map_err(|error| {
        let line = error.line().max(1);
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or(&said).to_owned();
        if error.is_eof() {
            return FeedError::new(
                line,
                format!("the JSON is cut off in column {}", error.column()),
            )
            .help("download the file again: its end is missing");
        }
        if error.is_data() {
            return FeedError::new(line, format!("it is not {what}: {said}"))
                .help("check that the file comes from that source, or name another reader");
        }
        let found = text_near(text.lines().nth(line - 1).unwrap_or(""), error.column());
        FeedError::new(line, format!("not valid JSON in column {}: {said}", error.column()))
            .help(format!("found `{found}`"))
    })
}

/// The text at a column, and a little before it: a line may be a complete file.
fn text_near(line: &str, column: usize) -> String {
    let before = column.saturating_sub(20);
    let before = (0..=before.min(line.len())).rev().find(|at| line.is_char_boundary(*at));
    starts(line.get(before.unwrap_or(0)..).unwrap_or(""))
}
