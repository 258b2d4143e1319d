//! A diff of lines, as people read it.

use ifs_base::diagnostic::visible_text;
use similar::{ChangeTag, TextDiff};

/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 2;

/// The changed lines with context: `-` is removed, `+` is added. Empty without changes.
pub(super) fn diff(old: &str, new: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = TextDiff::from_slices(&before, &after);
    let mut text = String::new();
    for group in lines.grouped_ops(CONTEXT_LINES) {
        let first = group.first().map_or(0, |operation| operation.old_range().start);
        text.push_str(&format!("@@ line {} @@\n", first + 1));
        for change in group.iter().flat_map(|operation| lines.iter_changes(operation)) {
            text.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            text.push_str(&visible_text(change.value()));
            text.push('\n');
        }
    }
    if text.is_empty() && old != new {
        text.push_str("@@ the ends of lines, or the end of the file @@\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn shows_what_changes_with_its_surroundings() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\n";
        let shown = "@@ line 2 @@\n b\n c\n-d\n+D\n e\n f\n g\n+h\n";
        assert_eq!(diff(old, new), shown);
        assert_eq!(diff("a\r\n", "a\n").lines().count(), 1);
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("", ""), "");
    }
}
