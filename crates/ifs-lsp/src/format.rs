//! Formatting, as the lines that change.

use std::ops::Range;

use ifs_base::diagnostic::Diagnostics;
use ifs_base::source::FileId;
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The edits that bring a text into its canonical form: ranges and what replaces them. None if a line
/// cannot be read: it would be lost.
pub(crate) fn edits(text: &str) -> Option<Vec<(Range<usize>, String)>> {
    let mut diagnostics = Diagnostics::default();
    let ast = ifs_syntax::parse(FileId::default(), text, &mut diagnostics);
    if diagnostics.errors() > 0 {
        return None;
    }
    let mut formatted = ifs_syntax::format(&ast, text);
    // Lines end as the first one does.
    let is_crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if is_crlf {
        formatted = formatted.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let mut starts = vec![0];
    for line in &old {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    let changed = operations.iter().filter(|operation| operation.tag() != DiffTag::Equal);
    let edits = changed.map(|operation| {
        let (before, after) = (operation.old_range(), operation.new_range());
        (starts[before.start]..starts[before.end], new[after].concat())
    });
    Some(edits.collect())
}

#[cfg(test)]
mod tests {
    use super::edits;

    fn apply(text: &str) -> String {
        let mut result = text.to_owned();
        for (range, new) in edits(text).unwrap().into_iter().rev() {
            result.replace_range(range, &new);
        }
        result
    }

    #[test]
    fn only_changed_lines_are_edited() {
        let text = "ifs 1\n\n// comment\nlet  a = 1\nlet b = 2\n";
        let found = edits(text).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(&text[found[0].0.clone()], "let  a = 1\n");
        assert_eq!(apply(text), text.replace("  ", " "));
        assert_eq!(edits("let = 1\n"), None);
    }

    #[test]
    fn line_ends_are_kept() {
        let text = "ifs 1\r\nlet  a = \"\"\"\r\n  x\r\n  y\r\n\"\"\"\r\n";
        let formatted = apply(text);
        assert!(
            formatted.contains("let a =") && formatted.starts_with("ifs 1\r\n"),
            "{formatted:?}"
        );
        assert_eq!(formatted.matches('\n').count(), formatted.matches("\r\n").count());
        assert_eq!(apply(&formatted), formatted);
    }
}
