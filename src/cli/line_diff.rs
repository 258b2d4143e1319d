//! A line diff.

use ifs::diagnostic::visible_text;

/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 2;

/// Longer changes than this are shown as one: all old lines are removed, all new ones added.
const MAX_DIFF_LINES: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffKind {
    Same,
    Gone,
    New,
}

/// The changed lines with context: `-` is removed, `+` is added. Empty without changes.
pub(super) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = compared(&old, &new);
    let changed: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].0 != DiffKind::Same).collect();
    let mut text = String::new();
    let mut shown = 0;
    let mut number = 1;
    for (at, (kind, line)) in lines.iter().enumerate() {
        let next = changed.partition_point(|changed| *changed + CONTEXT_LINES < at);
        let near = changed.get(next).is_some_and(|changed| *changed <= at + CONTEXT_LINES);
        if near {
            if shown == 0 || shown < at {
                text.push_str(&format!("@@ line {number} @@\n"));
            }
            text.push(match kind {
                DiffKind::Same => ' ',
                DiffKind::Gone => '-',
                DiffKind::New => '+',
            });
            text.push_str(&visible_text(line));
            text.push('\n');
            shown = at + 1;
        }
        if *kind != DiffKind::New {
            number += 1;
        }
    }
    if changed.is_empty() && !old.is_empty() {
        // Only line endings differ.
        text.push_str("@@ the ends of lines, or the end of the file @@\n");
    }
    text
}

fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(DiffKind, &'t str)> {
    let before = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let behind = old[before..]
        .iter()
        .rev()
        .zip(new[before..].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (mid_old, mid_new) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
    let mut lines: Vec<(DiffKind, &str)> =
        old[..before].iter().map(|line| (DiffKind::Same, *line)).collect();
    if mid_old.len() > MAX_DIFF_LINES || mid_new.len() > MAX_DIFF_LINES {
        lines.extend(mid_old.iter().map(|line| (DiffKind::Gone, *line)));
        lines.extend(mid_new.iter().map(|line| (DiffKind::New, *line)));
    } else {
        longest_common(mid_old, mid_new, &mut lines);
    }
    lines.extend(old[old.len() - behind..].iter().map(|line| (DiffKind::Same, *line)));
    lines
}

/// Aligns the lines of both texts by their longest common subsequence.
fn longest_common<'t>(old: &[&'t str], new: &[&'t str], lines: &mut Vec<(DiffKind, &'t str)>) {
    let width = new.len() + 1;
    let mut common = vec![0u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((DiffKind::Same, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]
        {
            lines.push((DiffKind::Gone, old[i]));
            i += 1;
        } else {
            lines.push((DiffKind::New, new[j]));
            j += 1;
        }
    }
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
        assert_eq!(diff("a\n", "a\n").lines().count(), 1);
        assert_eq!(diff("", ""), "");
    }
}
