//! Templates that are nothing but text and names, as most sentences of constraints
//! are: read and filled in without minijinja, to the same text.

use std::fmt::Write as _;

use super::Fields;
use crate::predicate::value::Value;

#[derive(Debug, PartialEq)]
pub(super) struct Plain(Vec<Part>);

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    /// `old.pair.left`, by its names.
    Name(Vec<String>),
}

/// Names that mean something to minijinja.
const WORDS: [&str; 14] = [
    "true", "false", "none", "True", "False", "None", "not", "and", "or", "in", "is", "if", "else",
    "loop",
];

impl Plain {
    /// `None` for a template that is more than text and names.
    pub fn new(text: &str) -> Option<Plain> {
        // minijinja takes a line's end off the end of a template.
        if text.ends_with('\n') || text.contains("{%") || text.contains("{#") {
            return None;
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, behind) = after.split_once("}}")?;
            let names: Vec<String> = name.trim_matches(' ').split('.').map(str::to_owned).collect();
            if !names.iter().all(|name| is_name(name)) {
                return None;
            }
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Name(names));
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Some(Plain(parts))
    }

    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|part| match part {
            Part::Name(names) => Some(names.join(".")),
            Part::Text(_) => None,
        })
    }

    /// `None` where a name has no value, or one that is printed in a way of its own.
    pub fn fill(&self, fields: &Fields) -> Option<String> {
        let mut filled = String::with_capacity(96);
        for part in &self.0 {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Name(names) => {
                    let (first, more) = names.split_first()?;
                    let value = fields.iter().find(|(known, _)| known == first)?;
                    match more.iter().try_fold(&value.1, |value, name| value.field(name))? {
                        Value::Text(text) => filled.push_str(text),
                        Value::Int(number) => write!(filled, "{number}").ok()?,
                        _ => return None,
                    }
                }
            }
        }
        Some(filled)
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !WORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::Templates;
    use super::*;

    #[test]
    fn plain_templates_are_filled_in_as_minijinja_does() {
        let pair = Value::record([("left", Value::text("[")), ("n", Value::Int(7))]);
        let fields = || -> Fields {
            vec![
                ("n".into(), Value::Int(-3)),
                ("word".into(), Value::text("ü \"x\" <b>")),
                ("pair".into(), pair.clone()),
                ("list".into(), Value::list([Value::text("a")])),
                ("share".into(), Value::Float(2.0)),
            ]
        };
        let plain = ["", "text", "{{n}}", "a {{ n }}b{{  word }}", "{{ pair.left }}{{ pair.n }}"];
        let open = ["} {{ n }} }} %}", "\n {{ n }} \n "];
        let more =
            ["{{ list }}", "{{ share }}", "{{ n + 1 }}", "{{- n }} ", "{{ n }}\n", "{{ true }}"];
        for text in plain.iter().chain(&open).chain(&more) {
            let mut templates = Templates::new(&[].into()).unwrap();
            let read = templates.read("a".to_owned(), text).unwrap();
            templates.compile("b", text).unwrap();
            let filled = templates.fill_in(&read, fields()).unwrap();
            assert_eq!(filled, templates.fill("b", fields()).unwrap(), "{text}");
        }
        for text in plain {
            assert!(
                Plain::new(text).is_some_and(|plain| plain.fill(&fields()).is_some()),
                "{text}"
            );
        }
        for text in ["{{ n", "{{ }}", "{{ missing }}", "{{ pair.right }}"] {
            let mut templates = Templates::new(&[].into()).unwrap();
            let read = templates.read("a".to_owned(), text);
            assert!(
                read.and_then(|read| templates
                    .fill_in(&read, fields())
                    .map_err(|f| (text.to_owned(), f)))
                    .is_err()
            );
        }
    }
}
