//! Diagnostics as JSON.

use serde_json::{Value, json};

use super::{Diagnostic, Label};
use crate::source::{Places, Sources};

/// A list with one object for each diagnostic, in order:
///
/// | field | holds |
/// | --- | --- |
/// | `code` | `"ifs::unknown-name"` |
/// | `severity` | `"error"` or `"warning"` |
/// | `message` | what is wrong |
/// | `labels` | places, the one of the mistake first; may be empty |
/// | `help` | what to write instead, or `null` |
///
/// and for each label:
///
/// | field | holds |
/// | --- | --- |
/// | `file` | the file's name as it is shown to users |
/// | `line`, `column` | where it begins, from 1; columns count characters |
/// | `end_line`, `end_column` | the place just after its end |
/// | `start`, `end` | the same in bytes from the file's start, from 0 |
/// | `text` | what is at this place; may be empty |
pub fn to_json(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let mut places = Places::new(sources);
    let list = diagnostics.iter().map(|diagnostic| {
        let labels = diagnostic.labels.iter();
        let labels: Vec<Value> =
            labels.map(|label| label_to_json(label, sources, &mut places)).collect();
        json!({
            "code": diagnostic.code,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "labels": labels,
            "help": diagnostic.help,
        })
    });
    Value::Array(list.collect())
}

fn label_to_json(label: &Label, sources: &Sources, places: &mut Places) -> Value {
    let span = label.span;
    let (line, column) = places.line_column(span.file, span.start);
    let (end_line, end_column) = places.line_column(span.file, span.end);
    json!({
        "file": sources.name(span.file),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "start": span.start,
        "end": span.end,
        "text": label.text,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_json;
    use crate::diagnostic::{Code, Diagnostic};
    use crate::source::{Sources, Span};

    #[test]
    fn places_are_lines_columns_and_bytes() {
        let mut sources = Sources::default();
        let file = sources.add("a.ifs", "ifs 1\nlet ü = 3\n").unwrap();
        let found = Diagnostic::warning(Code::UNUSED_NAME, "`ü` is never used")
            .label(Span::new(file, 10, 12), "this name");
        let expected = json!([{
            "code": "ifs::unused-name",
            "severity": "warning",
            "message": "`ü` is never used",
            "labels": [{
                "file": "a.ifs", "line": 2, "column": 5, "end_line": 2, "end_column": 6,
                "start": 10, "end": 12, "text": "this name",
            }],
            "help": null,
        }]);
        assert_eq!(to_json(&[found], &sources), expected);
    }
}
