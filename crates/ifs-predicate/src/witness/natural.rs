//! Whether a text is one that somebody would write. Checks can be met by a comment, by an empty element
//! or by bare marks, which no reader takes for an answer.

use serde_json::Value as Json;

use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_text::edge::body_start;
use ifs_text::{Text, Unit};

/// Lists that hold nothing but another list are one layout; more of them say nothing.
const MAX_BARE_LISTS: usize = 2;

/// Characters that are not seen, except those that writing needs: blanks, and joiners of letters and
/// emoji.
const UNSEEN: [char; 16] = [
    '\u{ad}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{2060}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{61c}', '\u{feff}',
];

/// Whether nothing in a text is there for the checks alone. What the checks name is not.
pub(super) fn is_natural(text: &str, trees: &[Tree]) -> bool {
    let names = || Literals::of(trees);
    let hidden =
        |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t') || UNSEEN.contains(&c);
    if !says_something(text)
        || text.contains(hidden) && !text.chars().filter(|c| hidden(*c)).all(|c| names().have(c))
    {
        return false;
    }
    let inner = unfenced(text);
    if let Ok(json) = serde_json::from_str::<Json>(inner) {
        return says_something_in_json(&json) && bare_lists(&json) <= MAX_BARE_LISTS;
    }
    if ["<!--", "\"\""].iter().any(|mark| inner.contains(mark) && !names().have_text(mark)) {
        return false;
    }
    let is_markup = inner.starts_with('<') && inner.ends_with('>');
    if inner.contains("</") && has_empty_element(inner)
        || is_markup && (has_empty_tag(inner) || !says_something(&without_tags(inner)))
    {
        return false;
    }
    let bare = bare_words(text).chain(bare_lines(text).filter(|_| !is_markup));
    bare.into_iter().all(|marks| names().ask_for(marks))
}

/// Whether a reader finds a word, a number or a picture in it.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric) || Text::new(text).count(Unit::Emoji) > 0
}

/// The text in the one fence around all of it.
fn unfenced(text: &str) -> &str {
    let inner = || {
        let (_, inner) = text.trim().strip_prefix("```")?.split_once('\n')?;
        inner.strip_suffix("```")
    };
    inner().unwrap_or(text).trim()
}

fn says_something_in_json(json: &Json) -> bool {
    match json {
        Json::Null | Json::Bool(_) => false,
        Json::Number(_) => true,
        Json::String(text) => says_something(text),
        Json::Array(members) => members.iter().any(says_something_in_json),
        Json::Object(fields) => {
            fields.iter().any(|(name, value)| says_something(name) || says_something_in_json(value))
        }
    }
}

/// The most lists around a value that have no other member.
fn bare_lists(json: &Json) -> usize {
    match json {
        Json::Array(members) => match members.as_slice() {
            [Json::Array(_)] => 1 + bare_lists(&members[0]),
            members => members.iter().map(bare_lists).max().unwrap_or(0),
        },
        Json::Object(fields) => fields.values().map(bare_lists).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether an element has nothing in it: `<b></b>`. Elements of HTML without an end tag are not written
/// so.
fn has_empty_element(text: &str) -> bool {
    text.match_indices("</").any(|(at, _)| {
        let before = text[..at].trim_end();
        let Some(open) = before.strip_suffix('>').and_then(|before| before.rfind('<')) else {
            return false;
        };
        let name = |tag: &str| -> String {
            tag.chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
                .collect()
        };
        let (opened, closed) = (name(&before[open + 1..]), name(&text[at + 2..]));
        !opened.is_empty() && opened == closed && !before.ends_with("/>")
    })
}

/// Whether a tag has no name: `</>`, `< so`.
fn has_empty_tag(text: &str) -> bool {
    text.split('<').skip(1).any(|tag| {
        let name = tag.strip_prefix('/').unwrap_or(tag);
        !name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '!' | '?'))
    })
}

fn without_tags(text: &str) -> String {
    let mut inside = false;
    let outside = text.chars().filter(|c| {
        let here = inside;
        inside = *c == '<' || inside && *c != '>';
        !here && !inside
    });
    outside.collect()
}

/// Different marks in a row that are no word, and no dots or dashes either: `##//`.
fn bare_words(text: &str) -> impl Iterator<Item = &str> {
    let prose = lines_outside_of_code(text).flat_map(str::split_whitespace);
    prose.filter(|word| {
        let mut kinds: Vec<char> = word.chars().collect();
        let many = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        let comment = matches!(*word, "<!--" | "-->");
        many > 2 && kinds.len() > 1 && !comment && !says_something(word) && !is_rule_of_table(word)
    })
}

fn is_rule_of_table(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn lines_outside_of_code(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().map(str::trim).filter(move |line| {
        let fence = line.starts_with("```") || line.starts_with("~~~");
        code ^= fence;
        !code && !fence
    })
}

/// Lines of marks alone, except those of code and the one below the head of a table.
fn bare_lines(text: &str) -> impl Iterator<Item = &str> {
    lines_outside_of_code(text).filter(|line| {
        // A cell of CSV may begin or end with a line end.
        let edge_of_cell = line.contains('"') && line.chars().all(|c| matches!(c, '"' | ',' | ';'));
        let structure = is_rule_of_table(line) || edge_of_cell;
        !line.is_empty() && !structure && !says_something(&line[body_start(line)..])
    })
}

/// The texts and patterns in checks.
struct Literals<'t>(Vec<&'t str>);

impl<'t> Literals<'t> {
    fn of(trees: &'t [Tree]) -> Literals<'t> {
        fn add<'t>(tree: &'t Tree, into: &mut Vec<&'t str>) {
            match &tree.node {
                Node::Value(value) => add_value(value, into),
                Node::Pattern(pattern) => into.push(&pattern.pattern),
                _ => {}
            }
            tree.children().into_iter().for_each(|child| add(child, into));
        }
        fn add_value<'t>(value: &'t Value, into: &mut Vec<&'t str>) {
            match value {
                Value::Text(text) => into.push(text),
                Value::List(members) => members.iter().for_each(|member| add_value(member, into)),
                Value::Record(fields) => {
                    fields.iter().for_each(|(_, field)| add_value(field, into));
                }
                Value::Nothing | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {}
            }
        }
        let mut all = Vec::new();
        trees.iter().for_each(|tree| add(tree, &mut all));
        Literals(all)
    }

    fn have(&self, letter: char) -> bool {
        self.0.iter().any(|text| text.contains(letter))
    }

    fn have_text(&self, sought: &str) -> bool {
        self.0.iter().any(|text| text.contains(sought))
    }

    /// Whether one asks for these marks: one mark alone is asked for beside words.
    fn ask_for(&self, line: &str) -> bool {
        let marks = |text: &&&str| {
            text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count() > 1
        };
        let mut literals = self.0.iter().filter(marks);
        literals.any(|text| line.chars().all(|c| c.is_whitespace() || text.contains(c)))
    }
}

#[cfg(test)]
mod tests {
    use super::is_natural;
    use crate::test_parser::tree;

    #[test]
    fn texts_for_the_checks_alone() {
        for text in [
            "",
            " ",
            "***",
            "---\n",
            "()",
            "<!--🌙--><p>So.</p>",
            "<p>So.</p><!-- so -->",
            "So <!-- --> so.",
            "<p>So.<b></b></p>",
            "<p> </p>",
            "<answer says=\"so\"/>",
            "<br/>",
            "[]",
            "{}",
            "\"\"",
            "[[[[\"so\"]]]]",
            "{\"\": null}",
            "So.\n***\nSo.",
            "- so\n-\n- so",
            "1. **",
            "So\u{1c}so",
            "So\u{200b}so",
            "# \nSo.",
            "```\n\n```",
            "> \n> ",
            "\"…\"",
            "< so <p>So</p>",
            "<p>So</>",
            "So ##// so.",
        ] {
            assert!(!is_natural(text, &[]), "{text:?}");
        }
    }

    #[test]
    fn texts_that_somebody_writes() {
        for text in [
            "So.",
            "42",
            "😀",
            "(So)",
            "So…",
            "日本",
            "<p>So <b>so</b>.</p>",
            "<ul>\n<li>so</li>\n</ul>",
            "a < b",
            "{\"answer\": \"so\"}",
            "[1, 2]",
            "[[\"a\"], [\"b\"]]",
            "```json\n{\n  \"a\": [\n    1\n  ]\n}\n```",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "```\nif a {\n}\n```",
            "- so\n- so",
            "so,so\nso,so",
            "👩‍👩‍👧 So",
            "می‌روم",
            "<p>So<br/>so</p>",
            "<p>\n  So.\n</p>",
            "so,\"\n- so\n\",so\nso,so",
        ] {
            assert!(is_natural(text, &[]), "{text:?}");
        }
    }

    #[test]
    fn what_the_checks_name_is_natural() {
        let asks = |check: &str| [tree(check)];
        assert!(is_natural("So.\n***\nSo.", &asks("count(\"***\") == 1")));
        assert!(is_natural("So.\n* * *\nSo.", &asks("matches(/\\* \\* \\*/)")));
        assert!(!is_natural("So.\n(\nSo.", &asks("contains(\"(\")")));
        assert!(is_natural("<!-- so -->\nSo.", &asks("contains(\"<!--\")")));
        assert!(is_natural("So\u{ad}so", &asks("contains(\"\u{ad}\")")));
    }
}
