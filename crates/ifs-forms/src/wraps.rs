//! Marks around an answer, or around its end.

use ifs_text::{Aspect, Aspects, Shape};

use super::{ALL, ANSWER, Apply, BaseText, CheckSubject, Form, FormGroup};
use super::{has_marks, is_csv, is_formatted, is_json, is_one_line, is_shape, payload};

const BLOCK: Aspects =
    Aspects::of(&[Aspect::Start, Aspect::End, Aspect::Characters, Aspect::Lines, Aspect::Marks]);
const INLINE: Aspects = Aspects::of(&[Aspect::Characters, Aspect::Marks, Aspect::Format]);
const IN_ANSWER: &[CheckSubject] = ANSWER;

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "fence",
        group: FormGroup::Wraps,
        doc: "The answer as a fenced block. A text with marks of Markdown is none.",
        example: ("30", "```\n30\n```"),
        touches: BLOCK,
        subjects: ALL,
        apply: Apply::Text(|base| fenced(base, "")),
    },
    Form {
        name: "fence_named",
        group: FormGroup::Wraps,
        doc: "A fenced block that names its format, for JSON, CSV, XML and HTML.",
        example: ("{\"a\": 1}", "```json\n{\"a\": 1}\n```"),
        touches: BLOCK.and(Aspects::of(&[Aspect::Words, Aspect::Letters, Aspect::Every])),
        subjects: ALL,
        apply: Apply::Text(|base| fenced(base, format_of(base.text)?)),
    },
    Form {
        name: "bold",
        group: FormGroup::Wraps,
        doc: "The answer in bold, or its last line: what follows its label, if it has one.",
        example: ("Is it so?", "**Is it so?**"),
        touches: INLINE,
        subjects: ALL,
        apply: Apply::Text(bold),
    },
    Form {
        name: "code_span",
        group: FormGroup::Wraps,
        doc: "A short answer in backticks.",
        example: ("M002", "`M002`"),
        touches: INLINE.and(Aspect::Code.set()),
        subjects: ALL,
        apply: Apply::Text(|base| {
            let short = |value: &str| value.split_whitespace().count() <= 6;
            around(base, "`", "`").filter(|_| short(base.text))
        }),
    },
    Form {
        name: "quoted",
        group: FormGroup::Wraps,
        doc: "A short answer in quotation marks.",
        example: ("M002", "\"M002\""),
        touches: Aspects::of(&[
            Aspect::Start,
            Aspect::End,
            Aspect::Characters,
            Aspect::Signs,
            Aspect::Glyphs,
        ]),
        subjects: IN_ANSWER,
        apply: Apply::Text(|base| {
            let short = |value: &str| value.split_whitespace().count() <= 6;
            around(base, "\"", "\"").filter(|_| short(base.text) && !base.text.contains('"'))
        }),
    },
    Form {
        name: "comment_stripped",
        group: FormGroup::Wraps,
        doc: "Without comments of HTML and XML, which no reader sees.",
        example: ("<!--🌙--><p>So.</p>", "<p>So.</p>"),
        touches: Aspects::NONE,
        subjects: ALL,
        apply: Apply::Text(|base| without_comments(base.text)),
    },
];

/// The name of the format of a text.
fn format_of(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.starts_with("```") {
        return None;
    }
    match text.chars().next()? {
        '{' | '[' | '"' if is_json(text) => Some("json"),
        '<' if is_shape(Shape::Html, text) => Some("html"),
        '<' if is_shape(Shape::Xml, text) => Some("xml"),
        _ if is_csv(text) => Some("csv"),
        _ => None,
    }
}

fn fenced(base: &BaseText<'_>, name: &str) -> Option<String> {
    let text = base.text;
    if text.trim().is_empty() || text.contains("```") {
        return None;
    }
    // Prose in a fence is code; so is a list whose marks are asked for.
    let fits = format_of(text).is_some() || (!has_marks(text) && is_short(text));
    fits.then(|| format!("```{name}\n{}\n```", text.trim_end_matches('\n')))
}

/// Whether a text consists of values, and not of prose.
fn is_short(text: &str) -> bool {
    text.lines().all(|line| line.split_whitespace().count() <= 8)
        && !text.trim_end_matches(['.', '。']).contains(['.', '!', '?', '。', '！', '？'])
}

fn bold(base: &BaseText<'_>) -> Option<String> {
    let text = base.text;
    if text.contains('*') {
        return None;
    }
    if is_one_line(text) {
        return around(base, "**", "**");
    }
    if is_formatted(text) {
        return None;
    }
    let end = text.trim_end();
    let start = end.rfind('\n').map_or(0, |at| at + 1);
    let line = &end[start..];
    let is_prose = line.chars().next().is_some_and(|first| !"-*+#>|`<{[ \t".contains(first))
        && !line.chars().take_while(|letter| *letter != ' ').any(|letter| letter == ')')
        && !begins_with_number(line);
    is_prose.then(|| format!("{}**{line}**{}", &text[..start], &text[end.len()..]))
}

fn begins_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')', '、'])
}

/// One line between two marks: what follows its label, if it has one.
fn around(base: &BaseText<'_>, left: &str, right: &str) -> Option<String> {
    let text = base.text;
    // A tag in backticks is no tag.
    if text.contains(['*', '`', '<']) {
        return None;
    }
    if let Some((before, value)) = payload(text) {
        return Some(format!("{before}{left}{value}{right}"));
    }
    if !is_one_line(text) || is_formatted(text) || has_marks(text) {
        return None;
    }
    let value = text.trim();
    Some(format!("{left}{value}{right}"))
}

fn without_comments(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        result.push_str(before);
        let (_, end) = after.split_once("-->")?;
        rest = end;
    }
    result.push_str(rest);
    (result.len() < text.len()).then_some(result)
}

#[cfg(test)]
mod tests {
    use crate::{BaseText, Tongue, form};

    fn applied(name: &str, text: &str) -> Option<String> {
        let base = BaseText { text, tongue: Tongue::English, rosters: &[] };
        form(name).unwrap().applied(&base, 0)
    }

    #[test]
    fn marks_are_where_they_can_be() {
        for (name, text, wanted) in [
            ("bold", "Answer: 30", Some("Answer: **30**")),
            ("bold", "One.\nTwo?\n", Some("One.\n**Two?**\n")),
            ("bold", "One.\n- two", None),
            ("bold", "One.\n2. two", None),
            ("bold", "<p>One.</p>", None),
            ("bold", "{\"a\": 1}", None),
            ("bold", "", None),
            ("code_span", "Answer: 30", Some("Answer: `30`")),
            ("code_span", "a b c d e f g", None),
            ("code_span", "<b>M002</b>", None),
            ("quoted", "say \"so\"", None),
            ("fence", "It is so. It is not.", None),
            ("fence", "- a\n- b", None),
            ("fence", "a\nb", Some("```\na\nb\n```")),
            ("fence_named", "a,b\n1,2", Some("```csv\na,b\n1,2\n```")),
            ("fence_named", "30", None),
            ("comment_stripped", "a<!--b--><!-- c -->d", Some("ad")),
            ("comment_stripped", "a<!--b", None),
        ] {
            assert_eq!(applied(name, text).as_deref(), wanted, "{name} {text:?}");
        }
    }
}
