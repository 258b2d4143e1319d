//! Another layout of the same lines.

use ifs_text::{Aspect, Aspects};

use super::{ALL, ANSWER, Apply, BaseText, Form, FormGroup, has_marks, is_formatted, payload};

const MARKS: Aspects =
    Aspects::of(&[Aspect::Marks, Aspect::Characters, Aspect::Words, Aspect::Values, Aspect::Start]);

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "marks_swapped",
        group: FormGroup::Marks,
        doc: "Stars for the dashes of a list, and dashes for stars.",
        example: ("- a\n- b", "* a\n* b"),
        touches: Aspects::of(&[Aspect::Start, Aspect::Code]),
        subjects: ALL,
        apply: Apply::Text(|base| {
            remarked(base, |_, mark| match mark {
                "-" => Some("*".to_owned()),
                "*" => Some("-".to_owned()),
                _ => None,
            })
        }),
    },
    Form {
        name: "marks_dot",
        group: FormGroup::Marks,
        doc: "Dots for the dashes and stars of a list.",
        example: ("- a\n- b", "• a\n• b"),
        touches: MARKS,
        subjects: ALL,
        apply: Apply::Text(|base| {
            remarked(base, |_, mark| is_bullet(mark).then(|| "•".to_owned()))
        }),
    },
    Form {
        name: "marks_number",
        group: FormGroup::Marks,
        doc: "Numbers for the dashes and stars of a list.",
        example: ("- a\n- b", "1. a\n2. b"),
        touches: MARKS,
        subjects: ALL,
        apply: Apply::Text(|base| {
            remarked(base, |at, mark| is_bullet(mark).then(|| format!("{}.", at + 1)))
        }),
    },
    Form {
        name: "number_paren",
        group: FormGroup::Marks,
        doc: "A bracket after the numbers of a list.",
        example: ("1. a\n2. b", "1) a\n2) b"),
        touches: Aspects::of(&[Aspect::Marks, Aspect::Start]),
        subjects: ALL,
        apply: Apply::Text(|base| {
            remarked(base, |_, mark| Some(format!("{})", mark.strip_suffix('.')?)))
        }),
    },
    Form {
        name: "bulleted_lines",
        group: FormGroup::Marks,
        doc: "Several lines as a bulleted list.",
        example: ("a\nb", "- a\n- b"),
        touches: MARKS.and(Aspect::Lines.set()),
        subjects: ANSWER,
        apply: Apply::Text(|base| {
            let lines = plain_lines(base)?;
            Some(lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"))
        }),
    },
    Form {
        name: "table",
        group: FormGroup::Marks,
        doc: "Several lines with as many values each as a table.",
        example: (
            "9:30, Gulls\n8:10, Cranes",
            "|  |  |\n| --- | --- |\n| 9:30 | Gulls |\n| 8:10 | Cranes |",
        ),
        touches: MARKS.and(Aspects::of(&[Aspect::Lines, Aspect::Signs, Aspect::End])),
        subjects: ANSWER,
        apply: Apply::Text(table),
    },
    Form {
        name: "blank_lines",
        group: FormGroup::Marks,
        doc: "Several lines with an empty line between any two.",
        example: ("a\nb", "a\n\nb"),
        touches: Aspects::of(&[Aspect::Lines, Aspect::Characters]),
        subjects: ANSWER,
        apply: Apply::Text(|base| Some(plain_lines(base)?.join("\n\n"))),
    },
];

fn is_bullet(mark: &str) -> bool {
    matches!(mark, "-" | "*" | "+")
}

/// The text with other marks for its list items: by the number of the item in its list, and its mark.
/// `None` if not all of them can be changed, or there are none.
fn remarked(base: &BaseText<'_>, mark: fn(usize, &str) -> Option<String>) -> Option<String> {
    if is_formatted(base.text) {
        return None;
    }
    let mut lines = Vec::new();
    let (mut count, mut changed) = (0, false);
    for line in base.text.split('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let (before, rest) = line.split_at(indent);
        let item = rest.split_once(' ').filter(|(mark, content)| {
            let number = mark.strip_suffix(['.', ')']).is_some_and(|number| {
                !number.is_empty()
                    && number.len() < 4
                    && number.chars().all(|digit| digit.is_ascii_digit())
            });
            (is_bullet(mark) || number) && !content.trim().is_empty() && !is_rule(rest)
        });
        let Some((old, content)) = item else {
            if !line.trim().is_empty() {
                count = 0;
            }
            lines.push(line.to_owned());
            continue;
        };
        // Nested lists keep theirs.
        if indent > 0 {
            lines.push(line.to_owned());
            continue;
        }
        let new = mark(count, old)?;
        count += 1;
        changed = true;
        lines.push(format!("{before}{new} {content}"));
    }
    changed.then(|| lines.join("\n"))
}

/// Whether a line of stars or dashes is a rule.
fn is_rule(line: &str) -> bool {
    line.chars().all(|sign| matches!(sign, '-' | '*' | ' '))
}

/// The lines of an answer of several lines without marks.
fn plain_lines<'a>(base: &BaseText<'a>) -> Option<Vec<&'a str>> {
    let text = base.text.trim();
    if is_formatted(text) && !text.contains(',') || has_marks(text) || payload(text).is_some() {
        return None;
    }
    if text.contains("\n\n") || text.starts_with(['{', '[', '<']) || text.contains("```") {
        return None;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let short = lines.iter().all(|line| !line.is_empty() && line.split_whitespace().count() <= 12);
    (lines.len() >= 2 && short).then_some(lines)
}

fn table(base: &BaseText<'_>) -> Option<String> {
    let lines = plain_lines(base)?;
    let rows: Vec<Vec<&str>> =
        lines.iter().map(|line| line.split([',', '，']).map(str::trim).collect()).collect();
    let columns = rows.first()?.len();
    if columns < 2 || rows.iter().any(|row| row.len() != columns) {
        return None;
    }
    let line = |cells: &[&str]| format!("| {} |", cells.join(" | "));
    let mut table = vec![format!("|{}", "  |".repeat(columns)), line(&vec!["---"; columns])];
    table.extend(rows.iter().map(|row| line(row)));
    Some(table.join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::{BaseText, Tongue, form};

    #[test]
    fn only_lists_have_other_marks() {
        for (name, text, wanted) in [
            ("marks_swapped", "So:\n- a\n  - b\n- c", Some("So:\n* a\n  - b\n* c")),
            ("marks_swapped", "- - -\na", None),
            ("marks_swapped", "-5 degrees", None),
            ("marks_number", "- a\n\n- b\nText\n- c", Some("1. a\n\n2. b\nText\n1. c")),
            ("marks_number", "1. a", None),
            ("number_paren", "1. a\n- b", None),
            ("number_paren", "1948 was", None),
            ("bulleted_lines", "one line", None),
            ("bulleted_lines", "- a\n- b", None),
            ("table", "a\nb", None),
            ("table", "a, b\nc", None),
        ] {
            let base = BaseText { text, tongue: Tongue::English, rosters: &[] };
            let found = form(name).unwrap().applied(&base, 0);
            assert_eq!(found.as_deref(), wanted, "{name} {text:?}");
        }
    }
}
