//! Inverts measures: from a wanted value to a text that has it.

use super::parts;
use super::{Repairer, sample};
use crate::functions::hooks::{Call, Derived};
use crate::functions::json;
use crate::record::Record;
use crate::schema::Schema;
use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_text::Unit;

/// The maximum number of members that are added so that one of them exists.
const MAX_ADDED_MEMBERS: usize = 1_000;

impl Repairer<'_, '_> {
    /// Changes the text so that a measure has a given text as its value.
    pub(super) fn set_measure(
        &mut self,
        measure: &Tree,
        value: &str,
        text: &str,
    ) -> Option<String> {
        match &measure.node {
            Node::It => Some(value.to_owned()),
            Node::Call(name, arguments) => match (name.derived, arguments.as_slice()) {
                (derived, [inner, ..]) if derived.is_mostly_the_same() => {
                    self.set_measure(inner, value, text)
                }
                (Derived::Joined, [list, between @ ..]) => {
                    let between = match between.first() {
                        Some(between) => self.value(between, text)?.as_str()?.to_owned(),
                        None => String::new(),
                    };
                    let members: Vec<String> = if between.is_empty() {
                        value.chars().map(String::from).collect()
                    } else {
                        value.split(&between).map(str::to_owned).collect()
                    };
                    self.lists(list, &members, text)
                }
                _ => None,
            },
            Node::Index(list, at) => {
                if let Some([place]) = self.places(measure, text).as_deref() {
                    return parts::replaced(text, place.clone(), value);
                }
                let mut members = self.texts(list, text)?;
                let len = members.len();
                let at = match self.value(at, text)?.as_int()? {
                    at if at > 0 => usize::try_from(at - 1).ok()?,
                    at => len.checked_sub(usize::try_from(at.checked_neg()?).ok()?)?,
                };
                if at >= len.max(MAX_ADDED_MEMBERS) {
                    return None;
                }
                members.resize(len.max(at + 1), "so".to_owned());
                value.clone_into(members.get_mut(at)?);
                self.lists(list, &members, text)
            }
            _ => None,
        }
    }

    /// The members of a list of texts.
    fn texts(&self, list: &Tree, text: &str) -> Option<Vec<String>> {
        let members = self.value(list, text)?;
        Some(members.as_list()?.iter().map(ToString::to_string).collect())
    }

    /// Changes the text so that a list has these members.
    pub(crate) fn lists(&mut self, list: &Tree, members: &[String], text: &str) -> Option<String> {
        match &list.node {
            Node::Units(unit, None) => {
                let between = match unit {
                    Unit::Char | Unit::Grapheme | Unit::Letter => "",
                    Unit::Number | Unit::NumberDigits | Unit::Date => ", ",
                    Unit::Line | Unit::LineAll | Unit::LineEntry => "\n",
                    Unit::Paragraph | Unit::ParagraphReleased => "\n\n",
                    _ => " ",
                };
                Some(members.join(between))
            }
            Node::Call(func, arguments) => {
                let call = Call { tree: list, func: *func, arguments };
                func.with_members?(self, &call, members, text)
            }
            Node::Each(inner, _) => self.lists(inner, members, text),
            Node::Index(inner, at) => match &inner.node {
                // A row of a table.
                Node::Call(name, arguments) if name.derived == Derived::Rows => {
                    let between = match arguments.get(1) {
                        Some(between) => self.value(between, text)?.as_str()?.to_owned(),
                        None => ",".to_owned(),
                    };
                    let row = self.value(at, text)?.as_int()?.checked_sub(1)?;
                    let row = usize::try_from(row).ok()?;
                    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    if row >= lines.len().max(MAX_ADDED_MEMBERS) {
                        return None;
                    }
                    lines.resize(lines.len().max(row + 1), String::new());
                    let quote = if between == "," { "" } else { "\"" };
                    let cells: Vec<String> =
                        members.iter().map(|cell| format!("{quote}{cell}{quote}")).collect();
                    *lines.get_mut(row)? = cells.join(&between);
                    Some(lines.join("\n"))
                }
                // All members from an index.
                _ => {
                    let Node::Range { low: Some(low), high: None, .. } = &at.node else {
                        return None;
                    };
                    let low = self.value(low, text)?.as_int()?.checked_sub(1)?;
                    let low = usize::try_from(low).ok()?;
                    let mut all = self.texts(inner, text)?;
                    if low > all.len().max(MAX_ADDED_MEMBERS) {
                        return None;
                    }
                    all.resize(low, "So".to_owned());
                    all.extend(members.iter().cloned());
                    self.lists(inner, &all, text)
                }
            },
            _ => None,
        }
    }

    /// The text between the parts of `split`.
    pub(crate) fn separator(&self, at: &Tree, text: &str) -> Option<String> {
        match &at.node {
            Node::Pattern(pattern) => Some(sample::shortest_match(pattern)?.text),
            _ => Some(self.value(at, text)?.as_str()?.to_owned()),
        }
    }

    // ---- JSON --------------------------------------------------------------------------------

    /// JSON with a value that fits a schema at a position.
    pub(crate) fn fits_schema(
        &mut self,
        value: Option<&Tree>,
        schema: &Tree,
        text: &str,
    ) -> Option<String> {
        let schema = Schema::remembered(&self.value(schema, text)?).ok()?;
        let sample = |pattern: &_| Some(sample::shortest_match(pattern)?.text);
        let made = schema.instance(&sample)?;
        let path = value.map_or_else(|| Some(Vec::new()), |value| self.path(value, text))?;
        let whole = json::parse_json(text).unwrap_or(Value::Nothing);
        Some(crate::schema::json(&with_value_at(&whole, &path, made)))
    }

    /// A position in JSON: `json(it, "/a/0").name`.
    fn path(&self, tree: &Tree, text: &str) -> Option<Vec<String>> {
        match &tree.node {
            Node::Field(inner, name) => {
                let mut path = self.path(inner, text)?;
                path.push(name.clone());
                Some(path)
            }
            Node::Call(name, arguments) if name.derived == Derived::JsonValue => {
                match arguments.get(1) {
                    None => Some(Vec::new()),
                    Some(pointer) => {
                        let pointer = self.value(pointer, text)?;
                        let steps = pointer.as_str()?.split('/').skip(1);
                        Some(steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect())
                    }
                }
            }
            _ => None,
        }
    }

    /// JSON with more or fewer members in the list at a position.
    pub(super) fn members_in_json(
        &mut self,
        place: &Tree,
        more: i64,
        text: &str,
    ) -> Option<String> {
        self.path(place, text)?;
        let mut members = match self.value(place, text) {
            Some(Value::List(members)) => members.to_vec(),
            _ => Vec::new(),
        };
        let many = i64::try_from(members.len()).ok()?.checked_add(more)?;
        let many = usize::try_from(many).ok()?.min(MAX_ADDED_MEMBERS);
        while members.len() < many {
            let word = self.vocabulary.words(1, self.draw).concat();
            members.push(members.last().cloned().unwrap_or_else(|| Value::text(&word)));
        }
        members.truncate(many);
        self.set_in_json(place, Value::list(members), text)
    }

    /// JSON with a value at a position.
    pub(super) fn set_in_json(&mut self, place: &Tree, value: Value, text: &str) -> Option<String> {
        let path = self.path(place, text)?;
        let whole = json::parse_json(text).unwrap_or(Value::Nothing);
        Some(crate::schema::json(&with_value_at(&whole, &path, value)))
    }
}

/// A value with another one at a position.
fn with_value_at(whole: &Value, path: &[String], value: Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return value };
    if let (Value::List(members), Ok(at)) = (whole, first.parse::<usize>()) {
        let mut members = members.to_vec();
        members.resize(members.len().max(at.min(MAX_ADDED_MEMBERS) + 1), Value::Nothing);
        if let Some(member) = members.get_mut(at) {
            *member = with_value_at(member, rest, value);
        }
        return Value::list(members);
    }
    let mut fields: Vec<(String, Value)> = match whole {
        Value::Record(fields) => {
            fields.iter().map(|(name, field)| (name.to_owned(), field.clone())).collect()
        }
        _ => Vec::new(),
    };
    match fields.iter_mut().find(|(name, _)| name == first) {
        Some((_, field)) => *field = with_value_at(field, rest, value),
        None => fields.push((first.clone(), with_value_at(&Value::Nothing, rest, value))),
    }
    Value::Record(std::sync::Arc::new(fields.into_iter().collect::<Record>()))
}
