//! Conditions as short text, for labels of pictures and messages.

use crate::predicate::tree::{Node, Quantifier, Tree};
use crate::predicate::value::Value;

/// The condition as it would be written, on one line.
pub(super) fn condition(tree: &Tree) -> String {
    let mut text = String::new();
    write(tree, 0, &mut text);
    text
}

/// How tightly an operator binds; brackets stand around what binds looser than
/// its surroundings.
fn binding(node: &Node) -> u8 {
    match node {
        Node::Quantified(_) | Node::If(..) | Node::At(..) => 1,
        Node::Where(..) => 2,
        Node::Or(parts) | Node::And(parts) if parts.len() < 2 => 9,
        Node::Or(_) => 3,
        Node::And(_) => 4,
        Node::Not(_) => 5,
        Node::Compare(..) | Node::Within(..) => 6,
        Node::Range { .. } => 7,
        Node::Arithmetic(..) | Node::Negative(_) => 8,
        Node::Value(_)
        | Node::Var(_)
        | Node::It
        | Node::Field(..)
        | Node::Index(..)
        | Node::Units(..)
        | Node::Needle(..)
        | Node::Pattern(_)
        | Node::Call(..)
        | Node::List(_)
        | Node::Record(_) => 9,
    }
}

fn write(tree: &Tree, around: u8, text: &mut String) {
    let own = binding(&tree.node);
    if own < around {
        text.push('(');
        write(tree, 0, text);
        text.push(')');
        return;
    }
    match &tree.node {
        Node::Value(value) => constant(value, text),
        Node::Var(name) => text.push_str(name),
        Node::It => text.push_str("it"),
        Node::Field(of, name) => {
            write(of, 9, text);
            text.push('.');
            text.push_str(name);
        }
        Node::Index(of, at) => {
            write(of, 9, text);
            text.push('[');
            write(at, 0, text);
            text.push(']');
        }
        Node::Units(unit, None) => text.push_str(unit),
        Node::Units(unit, Some(of)) => {
            text.push_str(unit);
            text.push_str(" in ");
            write(of, 7, text);
        }
        Node::Needle(kind, what) => {
            text.push_str(kind);
            text.push(' ');
            write(what, 9, text);
        }
        Node::Pattern(pattern) => {
            text.push('/');
            text.push_str(&pattern.pattern);
            text.push('/');
            text.push_str(&pattern.flags);
        }
        Node::Call(name, arguments) => {
            text.push_str(name);
            listed('(', arguments, ')', text);
        }
        Node::Not(of) => {
            text.push_str("not ");
            write(of, 6, text);
        }
        Node::Negative(of) => {
            text.push('-');
            write(of, 9, text);
        }
        Node::And(parts) => joined(parts, " and ", 5, text),
        Node::Or(parts) => joined(parts, " or ", 4, text),
        Node::Compare(op, left, right) => infix(left, op.sign(), right, 7, text),
        Node::Within(left, right) => infix(left, "in", right, 7, text),
        Node::Arithmetic(op, left, right) => infix(left, op.sign(), right, 9, text),
        Node::Range { low, high, inclusive } => {
            if let Some(low) = low {
                write(low, 8, text);
            }
            text.push_str(if *inclusive { "..=" } else { ".." });
            if let Some(high) = high {
                write(high, 8, text);
            }
        }
        Node::Where(list, condition) => infix(list, "where", condition, 3, text),
        Node::Quantified(quantified) => {
            let (word, count) = match &quantified.quantifier {
                Quantifier::Every => ("every", None),
                Quantifier::Some => ("some", None),
                Quantifier::No => ("no", None),
                Quantifier::AtLeast(count) => ("at_least", Some(count)),
                Quantifier::AtMost(count) => ("at_most", Some(count)),
                Quantifier::Exactly(count) => ("exactly", Some(count)),
            };
            text.push_str(word);
            if let Some(count) = count {
                listed('(', std::slice::from_ref(count), ')', text);
            }
            text.push(' ');
            if let Some(binder) = &quantified.binder {
                text.push_str(binder);
                text.push_str(" in ");
            }
            write(&quantified.domain, 2, text);
            text.push_str(": ");
            write(&quantified.body, 1, text);
        }
        Node::At(of, body) => {
            write(of, 2, text);
            text.push_str(": ");
            write(body, 1, text);
        }
        Node::If(condition, then, otherwise) => {
            text.push_str("if ");
            write(condition, 2, text);
            text.push_str(" then ");
            write(then, 2, text);
            if let Some(otherwise) = otherwise {
                text.push_str(" else ");
                write(otherwise, 2, text);
            }
        }
        Node::List(members) => listed('[', members, ']', text),
        Node::Record(fields) => {
            text.push('{');
            for (at, (name, value)) in fields.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                text.push_str(name);
                text.push_str(": ");
                write(value, 0, text);
            }
            text.push('}');
        }
    }
}

fn constant(value: &Value, text: &mut String) {
    match value {
        Value::Text(_) => text.push_str(&format!("\"{value}\"")),
        Value::List(members) => {
            text.push('[');
            for (at, member) in members.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                constant(member, text);
            }
            text.push(']');
        }
        Value::Nothing | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Record(_) => {
            text.push_str(&value.to_string())
        }
    }
}

fn infix(left: &Tree, sign: &str, right: &Tree, around: u8, text: &mut String) {
    write(left, around, text);
    text.push(' ');
    text.push_str(sign);
    text.push(' ');
    write(right, around, text);
}

fn joined(parts: &[Tree], word: &str, around: u8, text: &mut String) {
    for (at, part) in parts.iter().enumerate() {
        text.push_str(if at > 0 { word } else { "" });
        write(part, if parts.len() > 1 { around } else { 9 }, text);
    }
}

fn listed(open: char, members: &[Tree], close: char, text: &mut String) {
    text.push(open);
    for (at, member) in members.iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        write(member, 0, text);
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::condition;
    use crate::plan::sample::{and, at_least, less, not, or};

    #[test]
    fn brackets_only_where_they_are_needed() {
        let tree = and([or([less("turn", 3), at_least("topics", 2)]), not(less("given", 1))]);
        assert_eq!(condition(&tree), "(turn < 3 or topics >= 2) and not given < 1");
    }
}
