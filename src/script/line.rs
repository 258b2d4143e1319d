//! A turn as JSON: the very text that serde_json makes of it (the test below) at
//! a third of the cost. Names of fields need not be searched for what is to be
//! escaped, and texts are searched many bytes at a time.

use std::sync::Arc;

use super::{Active, Changed, ScriptTurn};
use crate::predicate::json_plain;
use crate::predicate::value::Value;

/// Writes the turns of a dialogue. What stays active from turn to turn is written once and
/// copied.
#[derive(Default)]
pub struct Lines {
    actives: Vec<(Arc<Active>, Vec<u8>)>,
}

/// The most constraints whose JSON is remembered.
const REMEMBERED: usize = 24;

impl Lines {
    /// Writes the fields of the turn's JSON object, without its braces.
    pub fn put_fields(&mut self, script_turn: &ScriptTurn, into: &mut Vec<u8>) {
        let ScriptTurn { turn, transition, topic, style, changes, tries, in_force, ask, .. } =
            script_turn;
        into.extend_from_slice(b"\"turn\":");
        put_number(u64::from(*turn), into);
        into.extend_from_slice(b",\"transition\":");
        put_text(transition, into);
        put_some(&script_turn.name, !script_turn.name.is_empty(), b",\"name\":", into);
        put_some(
            &script_turn.relations,
            !script_turn.relations.is_empty(),
            b",\"relations\":",
            into,
        );
        put_some(&script_turn.over, script_turn.over.is_some(), b",\"over\":", into);
        if !topic.is_empty() {
            into.extend_from_slice(b",\"topic\":");
            put_text(topic, into);
        }
        into.extend_from_slice(b",\"style\":");
        match style {
            Some(style) => put_text(style, into),
            None => into.extend_from_slice(b"null"),
        }
        into.extend_from_slice(b",\"changes\":");
        put_list(changes, |changed, into| self.put_changed(changed, into), into);
        if *tries != 1 {
            into.extend_from_slice(b",\"tries\":");
            put_number(u64::from(*tries), into);
        }
        into.extend_from_slice(b",\"in_force\":");
        put_list(in_force, |active, into| self.put_active(active, into), into);
        put_some(&script_turn.slice, script_turn.slice.is_some(), b",\"slice\":", into);
        put_some(&script_turn.system, script_turn.system.is_some(), b",\"system\":", into);
        put_some(&script_turn.show, !script_turn.show.is_empty(), b",\"show\":", into);
        into.extend_from_slice(b",\"ask\":");
        put_text(ask, into);
        put_some(&script_turn.reminder, script_turn.reminder.is_some(), b",\"reminder\":", into);
        put_some(&script_turn.golden, script_turn.golden.is_some(), b",\"golden\":", into);
        put_some(&script_turn.classes, !script_turn.classes.is_empty(), b",\"classes\":", into);
        put_some(&script_turn.parts, !script_turn.parts.is_empty(), b",\"parts\":", into);
        put_some(&script_turn.criteria, !script_turn.criteria.is_empty(), b",\"criteria\":", into);
    }
    fn put_changed(&mut self, changed: &Changed, into: &mut Vec<u8>) {
        let Changed { change, after, before } = changed;
        into.extend_from_slice(b"{\"change\":");
        put_text(change.word(), into);
        if let Some(after) = after {
            into.extend_from_slice(b",\"after\":");
            self.put_active(after, into);
        }
        if let Some(before) = before {
            into.extend_from_slice(b",\"before\":");
            self.put_active(before, into);
        }
        into.push(b'}');
    }

    fn put_active(&mut self, active: &Arc<Active>, into: &mut Vec<u8>) {
        let known = self.actives.iter().find(|(known, _)| Arc::ptr_eq(known, active));
        if let Some((_, written)) = known {
            return into.extend_from_slice(written);
        }
        let start = into.len();
        put_active(active, into);
        if self.actives.len() == REMEMBERED {
            self.actives.remove(0);
        }
        self.actives.push((Arc::clone(active), into[start..].to_vec()));
    }
}

/// A field that turns of a flow of topics do not have.
fn put_some<T: serde::Serialize>(value: &T, there: bool, name: &[u8], into: &mut Vec<u8>) {
    if there {
        into.extend_from_slice(name);
        put_any(value, into);
    }
}

fn put_active(active: &Active, into: &mut Vec<u8>) {
    let Active { constraint, args, since } = active;
    into.extend_from_slice(b"{\"constraint\":");
    put_text(constraint, into);
    into.extend_from_slice(b",\"args\":");
    let put_arg = |(name, value): &(String, Value), into: &mut Vec<u8>| {
        into.push(b'[');
        put_text(name, into);
        into.push(b',');
        put_value(value, into);
        into.push(b']');
    };
    put_list(args, put_arg, into);
    into.extend_from_slice(b",\"since\":");
    put_number(u64::from(*since), into);
    into.push(b'}');
}

fn put_value(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Text(text) => put_text(text, into),
        Value::List(members) => put_list(members, put_value, into),
        Value::Record(fields) => {
            into.push(b'{');
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    into.push(b',');
                }
                put_text(name, into);
                into.push(b':');
                put_value(value, into);
            }
            into.push(b'}');
        }
        Value::Nothing | Value::Bool(_) | Value::Int(_) | Value::Float(_) => put_any(value, into),
    }
}

pub fn put_list<T>(list: &[T], mut put: impl FnMut(&T, &mut Vec<u8>), into: &mut Vec<u8>) {
    into.push(b'[');
    for (at, member) in list.iter().enumerate() {
        if at > 0 {
            into.push(b',');
        }
        put(member, into);
    }
    into.push(b']');
}

/// A text in quotation marks.
pub fn put_text(text: &str, into: &mut Vec<u8>) {
    into.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, behind) = rest.split_at(json_plain(rest));
        into.extend_from_slice(plain);
        match behind.first() {
            None => break,
            Some(sign @ (b'"' | b'\\')) => into.extend_from_slice(&[b'\\', *sign]),
            Some(b'\n') => into.extend_from_slice(b"\\n"),
            // Other signs without a picture are rare, and have names in JSON or numbers.
            Some(sign) => {
                let mut quoted = Vec::new();
                put_any(&char::from(*sign), &mut quoted);
                into.extend(quoted.get(1..quoted.len() - 1).unwrap_or_default());
            }
        }
        rest = &behind[1..];
    }
    into.push(b'"');
}

pub fn put_number(number: u64, into: &mut Vec<u8>) {
    put_any(&number, into);
}

fn put_any<T: serde::Serialize + ?Sized>(what: &T, into: &mut Vec<u8>) {
    // Texts and values have an order of fields and text for keys: writing them to
    // memory does not fail.
    let _ = serde_json::to_writer(into, what);
}

#[cfg(test)]
mod tests {
    use super::super::{Criterion, CriterionKind, Part, Related, Shown};
    use super::*;
    use crate::model::table::{By, Change, RelationKind};
    use crate::predicate::tree::{Node, Tree};

    #[test]
    fn it_is_what_serde_json_writes() {
        let active = |constraint: &str, args: Vec<(String, Value)>| {
            Arc::new(Active { constraint: constraint.to_owned(), args, since: 17 })
        };
        let named = Value::record([("value", Value::text("a\"b")), ("times", Value::Int(-3))]);
        let args = vec![
            ("n".to_owned(), Value::Float(2.5)),
            ("list".to_owned(), Value::list([named, Value::Bool(true), Value::Nothing])),
            ("texts".to_owned(), Value::list(["", "\u{1}\n\\", "ü😀/\u{7f}"].map(Value::text))),
        ];
        let before = active("a.b", args.clone());
        let changes = [Change::Add, Change::Modify, Change::Drop].map(|change| Changed {
            change,
            after: (change != Change::Drop).then(|| active("a.\"b\"", Vec::new())),
            before: (change != Change::Add).then(|| before.clone()),
        });
        let mut turn = ScriptTurn {
            turn: 4_000_000_000,
            transition: "stay".to_owned(),
            topic: "a \"topic\"\twith more".to_owned(),
            style: None,
            changes: changes.into(),
            tries: 1,
            in_force: vec![before, active("c", args)],
            ask: "Two\n\nlines, \\ and a mark: \u{2028}\t\u{1f}\u{7f}\"ü\".".repeat(9),
            ..ScriptTurn::default()
        };
        let mut lines = Lines::default();
        for (style, tries) in [(None, 1), (Some("plain".to_owned()), 3)] {
            (turn.style, turn.tries) = (style, tries);
            written_alike(&turn, &mut lines);
        }
        for sign in (0..=0x7f).map(char::from) {
            for at in 0..9 {
                turn.topic = format!("{}{sign}{}", "ü".repeat(at / 2), "y".repeat(at));
                written_alike(&turn, &mut lines);
            }
        }
        turn.topic.clear();
        turn.name = "back".to_owned();
        turn.relations = vec![Related { kind: RelationKind::Summarizes, to: vec![1, 2] }];
        turn.over = Some("a \"record\"".to_owned());
        turn.system = Some("Be\nbrief.".to_owned());
        turn.show = vec![
            Shown::Text("a line".to_owned()),
            Shown::Image(crate::script::Image::Address("https://a.example/a.png".to_owned())),
        ];
        turn.reminder = Some("Again.".to_owned());
        turn.golden = Some("Yes.".to_owned());
        turn.classes = vec!["a \"class\"".to_owned(), "b".to_owned()];
        turn.parts = vec![Part {
            name: "p".to_owned(),
            list: true,
            reader: None,
            about: Some("it".to_owned()),
        }];
        turn.criteria = vec![Criterion {
            kind: CriterionKind::Fact,
            name: "1".to_owned(),
            by: By::Rule(Tree::made(Node::Value(Value::Bool(true)))),
            says: Some("Be \"r\".".to_owned()),
            after: vec!["r".to_owned()],
            tags: vec!["t".to_owned()],
            points: Some(1.0 / 3.0),
        }];
        written_alike(&turn, &mut lines);
    }

    fn written_alike(turn: &ScriptTurn, lines: &mut Lines) {
        let mut line = b"{".to_vec();
        lines.put_fields(turn, &mut line);
        line.push(b'}');
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line, serde_json::to_string(turn).unwrap());
        assert_eq!(serde_json::from_str::<ScriptTurn>(&line).unwrap(), *turn);
    }
}
