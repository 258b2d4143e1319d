//! Expressions and values in canonical texts.

use super::text::ListWriter;
use ifs_parts::parts::ReaderTree;
use ifs_predicate::tree::{ArithmeticOp, CompareOp, Node, Pattern, Quantifier, Tree};
use ifs_predicate::types::{Field, Type};
use ifs_predicate::value::Value;

pub(super) fn tree(tree: &Tree, into: &mut ListWriter) {
    match &tree.node {
        Node::Value(value) => self::value(value, into),
        Node::Var(name) => into.list("var", |list| list.text(name)),
        Node::Fact(fact) => into.list("var", |list| list.text(fact.name())),
        Node::It => into.word("it"),
        Node::Field(of, name) => into.list("field", |list| {
            self::tree(of, list);
            list.text(name);
        }),
        Node::Index(of, at) => trees("index", [&**of, &**at], into),
        Node::Units(unit, text) => into.list("units", |list| {
            list.word(unit.name());
            match text {
                Some(text) => self::tree(text, list),
                // The default subject.
                None => list.word("it"),
            }
        }),
        Node::Needle(kind, text) => into.list("needle", |list| {
            list.word(kind.name());
            self::tree(text, list);
        }),
        Node::Pattern(Pattern { pattern, flags, .. }) => into.list("pattern", |list| {
            list.text(pattern);
            let mut flags: Vec<char> = flags.chars().collect();
            flags.sort_unstable();
            flags.dedup();
            list.text(&flags.into_iter().collect::<String>());
        }),
        Node::Call(function, arguments) => into.list("call", |list| {
            list.word(function.name);
            arguments.iter().for_each(|argument| self::tree(argument, list));
        }),
        Node::Not(inner) => trees("not", [&**inner], into),
        Node::Negative(inner) => trees("negative", [&**inner], into),
        Node::And(all) => trees("and", all, into),
        Node::Or(all) => trees("or", all, into),
        Node::Compare(op, left, right) => trees(compare(*op), [&**left, &**right], into),
        Node::Within(part, whole) => trees("in", [&**part, &**whole], into),
        Node::Arithmetic(op, left, right) => trees(arithmetic(*op), [&**left, &**right], into),
        Node::Range { low, high, inclusive } => {
            into.list(if *inclusive { "range-to" } else { "range-below" }, |list| {
                for end in [low, high] {
                    match end {
                        Some(end) => self::tree(end, list),
                        None => list.word("open"),
                    }
                }
            });
        }
        Node::Where(of, condition) => trees("where", [&**of, &**condition], into),
        Node::Each(of, made) => trees("each", [&**of, &**made], into),
        Node::Quantified(quantified) => {
            let (word, count) = match &quantified.quantifier {
                Quantifier::Every => ("every", None),
                Quantifier::Some => ("some", None),
                Quantifier::No => ("no", None),
                Quantifier::AtLeast(count) => ("at-least", Some(count)),
                Quantifier::AtMost(count) => ("at-most", Some(count)),
                Quantifier::Exactly(count) => ("exactly", Some(count)),
            };
            into.list(word, |list| {
                if let Some(count) = count {
                    self::tree(count, list);
                }
                match &quantified.binder {
                    Some(name) => list.text(name),
                    None => list.word("it"),
                }
                self::tree(&quantified.domain, list);
                self::tree(&quantified.body, list);
            });
        }
        Node::At(text, body) => trees("at", [&**text, &**body], into),
        Node::If(condition, then, otherwise) => {
            trees("if", [condition, then].into_iter().chain(otherwise).map(|tree| &**tree), into);
        }
        Node::List(members) => trees("list", members, into),
        // Fields are unordered.
        Node::Record(fields) => into.list("record", |list| {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (name, tree) in fields {
                list.text(name);
                self::tree(tree, list);
            }
        }),
        Node::Applied(applied) => into.list("applied", |list| {
            list.text(&applied.function);
            for (word, named) in [("argument", &applied.arguments), ("let", &*applied.lets)] {
                for (name, tree) in named {
                    list.list(word, |list| {
                        list.text(name);
                        self::tree(tree, list);
                    });
                }
            }
            self::tree(&applied.body, list);
        }),
    }
}

/// The reader of a part.
pub(super) fn reader(reader: &ReaderTree, into: &mut ListWriter) {
    match reader {
        ReaderTree::Call(name, arguments) => into.list("call", |list| {
            list.word(name);
            arguments.iter().for_each(|argument| tree(argument, list));
        }),
        ReaderTree::Within(reader, source) => into.list("in", |list| {
            self::reader(reader, list);
            self::reader(source, list);
        }),
    }
}

/// A line with an expression.
pub(super) fn line(word: &str, tree: &Tree, into: &mut ListWriter) {
    into.line(word, |line| self::tree(tree, line));
}

/// A line with an expression; omitted if there is none.
pub(super) fn line_if(word: &str, tree: Option<&Tree>, into: &mut ListWriter) {
    if let Some(tree) = tree {
        line(word, tree, into);
    }
}

fn trees<'t>(word: &str, trees: impl IntoIterator<Item = &'t Tree>, into: &mut ListWriter) {
    into.list(word, |list| trees.into_iter().for_each(|tree| self::tree(tree, list)));
}

pub(super) fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::More => ">",
        CompareOp::MoreEqual => ">=",
    }
}

fn arithmetic(op: ArithmeticOp) -> &'static str {
    match op {
        ArithmeticOp::Add => "+",
        ArithmeticOp::Subtract => "-",
        ArithmeticOp::Multiply => "*",
        ArithmeticOp::Divide => "/",
        ArithmeticOp::Remainder => "%",
    }
}

pub(super) fn value(value: &Value, into: &mut ListWriter) {
    match value {
        Value::Nothing => into.word("nothing"),
        Value::Bool(true) => into.word("true"),
        Value::Bool(false) => into.word("false"),
        Value::Int(number) => into.int(*number),
        Value::Float(number) => into.float(*number),
        Value::Text(text) => into.text(text),
        Value::List(members) => {
            into.list("list", |list| members.iter().for_each(|member| self::value(member, list)));
        }
        Value::Record(fields) => into.list("record", |list| {
            for (name, value) in fields.iter() {
                list.text(name);
                self::value(value, list);
            }
        }),
    }
}

pub(super) fn ty(ty: &Type, into: &mut ListWriter) {
    match ty {
        Type::Unknown => into.word("unknown"),
        Type::Bool => into.word("bool"),
        Type::Int => into.word("int"),
        Type::Float => into.word("float"),
        Type::Text => into.word("text"),
        Type::Clock => into.word("clock"),
        Type::Image => into.word("image"),
        Type::Range => into.word("range"),
        Type::Pattern => into.word("pattern"),
        Type::Needle => into.word("needle"),
        Type::List(of) => into.list("list", |list| self::ty(of, list)),
        Type::Record(fields) => into.list("record", |list| {
            for (name, Field { ty, optional, values: _ }) in fields {
                list.text(name);
                match optional {
                    true => list.list("optional", |list| self::ty(ty, list)),
                    false => self::ty(ty, list),
                }
            }
        }),
    }
}
