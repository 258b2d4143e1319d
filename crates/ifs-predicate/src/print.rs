//! A tree as source text: canonical, with as few parentheses as possible.

use super::functions::Func;
use super::needles::SearchKind;
use super::tree::{ArithmeticOp, Node, Pattern, Quantified, Quantifier, Tree};
use super::typing;
use super::value::Value;

/// The source text of a tree. Read again, it gives the same tree.
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer { out: String::new() };
    printer.tree(tree, Level::Open, true);
    printer.out
}

/// How tightly a form binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Quantifiers, `if` and `subject: body`, which go on as far to the right as they can.
    Open,
    Where,
    Or,
    And,
    Not,
    Compare,
    Range,
    Sum,
    Product,
    Negative,
    Postfix,
}

struct Printer {
    out: String,
}

impl Printer {
    /// `last` says that nothing follows which a form could swallow that goes on to the right.
    fn tree(&mut self, tree: &Tree, least: Level, last: bool) {
        let own = level(tree);
        let starts_with_word = matches!(tree.node, Node::Quantified(_) | Node::If(..));
        let fits = match own {
            // `a and every sentence: b` needs none; `(every sentence: b) and a` does.
            Level::Open if starts_with_word => last && least <= Level::Not,
            own => own >= least,
        };
        if fits {
            self.node(tree, last);
        } else {
            self.out.push('(');
            self.node(tree, true);
            self.out.push(')');
        }
    }

    fn node(&mut self, tree: &Tree, last: bool) {
        match &tree.node {
            Node::Value(value) => self.value(value),
            Node::Var(name) => self.out.push_str(name),
            Node::Fact(fact) => self.out.push_str(fact.name()),
            Node::It => self.out.push_str("it"),
            Node::Field(record, name) => {
                self.tree(record, Level::Postfix, false);
                self.out.push('.');
                self.out.push_str(name);
            }
            Node::Index(list, at) => {
                self.tree(list, Level::Postfix, false);
                self.out.push('[');
                self.tree(at, Level::Open, true);
                self.out.push(']');
            }
            Node::Units(unit, text) => {
                self.out.push_str(unit.name());
                if let Some(text) = text {
                    self.out.push_str(" in ");
                    self.tree(text, Level::Range, false);
                }
            }
            Node::Needle(kind, value) => {
                self.out.push_str(kind.name());
                self.out.push(' ');
                if let Node::Value(Value::Text(text)) = &value.node {
                    self.print_text(text);
                } else {
                    self.out.push('(');
                    self.tree(value, Level::Open, true);
                    self.out.push(')');
                }
            }
            Node::Pattern(pattern) => self.pattern(pattern),
            Node::Call(func, arguments) => self.call(*func, arguments),
            Node::Not(inner) => {
                if let Node::Within(left, right) = &inner.node {
                    self.pair(left, " not in ", right, Level::Range, Level::Range);
                } else {
                    self.out.push_str("not ");
                    self.tree(inner, Level::Not, last);
                }
            }
            Node::Negative(inner) => {
                self.out.push('-');
                let number = matches!(inner.node, Node::Value(Value::Int(_) | Value::Float(_)));
                if number {
                    self.out.push('(');
                    self.node(inner, true);
                    self.out.push(')');
                } else {
                    self.tree(inner, Level::Negative, false);
                }
            }
            Node::And(parts) => self.print_operands(parts, " and ", Level::Not, last),
            Node::Or(parts) => self.print_operands(parts, " or ", Level::And, last),
            Node::Compare(op, left, right) => {
                let sign = format!(" {} ", op.sign());
                self.pair(left, &sign, right, Level::Range, Level::Range);
            }
            Node::Within(left, right) => {
                self.pair(left, " in ", right, Level::Range, Level::Range);
            }
            Node::Arithmetic(op, left, right) => {
                let (own, tighter) = match op {
                    ArithmeticOp::Add | ArithmeticOp::Subtract => (Level::Sum, Level::Product),
                    ArithmeticOp::Multiply | ArithmeticOp::Divide | ArithmeticOp::Remainder => {
                        (Level::Product, Level::Negative)
                    }
                };
                self.pair(left, &format!(" {} ", op.sign()), right, own, tighter);
            }
            Node::Range { low, high, inclusive } => {
                if let Some(low) = low {
                    self.tree(low, Level::Sum, false);
                }
                self.out.push_str(if *inclusive && high.is_some() { "..=" } else { ".." });
                if let Some(high) = high {
                    self.tree(high, Level::Sum, false);
                }
            }
            Node::Where(list, condition) => {
                self.tree(list, Level::Where, false);
                self.out.push_str(" where ");
                self.tree(condition, Level::Or, last);
            }
            Node::Each(list, body) => {
                self.tree(list, Level::Where, false);
                self.out.push_str(" each ");
                self.tree(body, Level::Or, last);
            }
            Node::Quantified(quantified) => self.quantified(quantified),
            Node::Applied(applied) => {
                self.out.push_str(&applied.function);
                self.out.push('(');
                for (at, (_, argument)) in applied.arguments.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    self.tree(argument, Level::Open, true);
                }
                self.out.push(')');
            }
            Node::At(subject, body) => {
                // `a and b: c` asks `c` of `b` alone.
                let joined = matches!(subject.node, Node::And(_) | Node::Or(_) | Node::Not(_));
                self.tree(subject, if joined { Level::Compare } else { Level::Where }, false);
                self.out.push_str(": ");
                self.tree(body, Level::Open, true);
            }
            Node::If(condition, then, otherwise) => {
                self.out.push_str("if ");
                self.tree(condition, Level::Where, false);
                self.out.push_str(" then ");
                match otherwise {
                    Some(otherwise) => {
                        self.tree(then, Level::Where, false);
                        self.out.push_str(" else ");
                        self.tree(otherwise, Level::Open, true);
                    }
                    None => self.tree(then, Level::Open, true),
                }
            }
            Node::List(members) => {
                self.out.push('[');
                self.commas(members);
                self.out.push(']');
            }
            Node::Record(fields) => {
                self.out.push_str("{ ");
                for (at, (name, tree)) in fields.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    self.field(name);
                    self.tree(tree, Level::Open, true);
                }
                self.out.push_str(" }");
            }
        }
    }

    fn pair(&mut self, left: &Tree, sign: &str, right: &Tree, least: Level, right_least: Level) {
        self.tree(left, least, false);
        self.out.push_str(sign);
        self.tree(right, right_least, false);
    }

    fn print_operands(&mut self, parts: &[Tree], sign: &str, least: Level, last: bool) {
        let Some((end, before)) = parts.split_last() else {
            self.out.push_str(if sign == " and " { "true" } else { "false" });
            return;
        };
        for part in before {
            self.tree(part, least, false);
            self.out.push_str(sign);
        }
        self.tree(end, least, last);
    }

    fn commas(&mut self, trees: &[Tree]) {
        for (at, tree) in trees.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.tree(tree, Level::Open, true);
        }
    }

    fn quantified(&mut self, quantified: &Quantified) {
        let (word, count) = match &quantified.quantifier {
            Quantifier::Every => ("every", None),
            Quantifier::Some => ("some", None),
            Quantifier::No => ("no", None),
            Quantifier::AtLeast(count) => ("at_least", Some(count)),
            Quantifier::AtMost(count) => ("at_most", Some(count)),
            Quantifier::Exactly(count) => ("exactly", Some(count)),
        };
        self.out.push_str(word);
        if let Some(count) = count {
            self.out.push('(');
            self.tree(count, Level::Open, true);
            self.out.push(')');
        }
        self.out.push(' ');
        if let Some(binder) = &quantified.binder {
            self.out.push_str(binder);
            self.out.push_str(" in ");
        }
        // `every x in list: …` would bind `x`.
        let binds = matches!(&quantified.domain.node, Node::Within(left, _) if matches!(left.node, Node::Var(_) | Node::Fact(_)));
        let least =
            if binds && quantified.binder.is_none() { Level::Postfix } else { Level::Where };
        self.tree(&quantified.domain, least, false);
        self.out.push_str(": ");
        self.tree(&quantified.body, Level::Open, true);
    }

    fn call(&mut self, func: Func, arguments: &[Tree]) {
        let name = func.name;
        let written = match (func.subject, arguments) {
            (true, [Tree { node: Node::It, .. }, others @ ..])
                if !typing::gives_subject(&func, others.len()) =>
            {
                others
            }
            (true, [subject, others @ ..]) if !typing::gives_subject(&func, arguments.len()) => {
                // The subject cannot be distinguished from an optional argument.
                self.out.push('(');
                self.tree(subject, Level::Where, false);
                self.out.push_str(": ");
                self.call_with(name, others);
                self.out.push(')');
                return;
            }
            _ => arguments,
        };
        match (func.subject, written) {
            (true, []) if SearchKind::from_name(name).is_some() => self.call_with(name, arguments),
            (true, []) => self.out.push_str(name),
            _ => self.call_with(name, written),
        }
    }

    fn call_with(&mut self, name: &str, arguments: &[Tree]) {
        self.out.push_str(name);
        self.out.push('(');
        self.commas(arguments);
        self.out.push(')');
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Nothing => self.out.push_str("nothing"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => self.out.push_str(&value.to_string()),
            Value::Float(value) => {
                let digits = value.to_string();
                self.out.push_str(&digits);
                if !digits.contains('.') && value.is_finite() {
                    self.out.push_str(".0");
                }
            }
            Value::Text(text) => self.print_text(text),
            Value::List(values) => {
                self.out.push('[');
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    self.value(value);
                }
                self.out.push(']');
            }
            Value::Record(fields) => {
                self.out.push_str("{ ");
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(", ");
                    }
                    self.field(name);
                    self.value(value);
                }
                self.out.push_str(" }");
            }
        }
    }

    /// The name of a record's field, in quotation marks where it is not a word, and the colon.
    fn field(&mut self, name: &str) {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.out.push_str(name);
        } else {
            self.print_text(name);
        }
        self.out.push_str(": ");
    }

    fn print_text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                c if c.is_control() => self.out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.out.push('/');
        let mut chars = pattern.pattern.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    self.out.push('\\');
                    self.out.extend(chars.next());
                }
                '/' => self.out.push_str("\\/"),
                '\n' => self.out.push_str("\\n"),
                c => self.out.push(c),
            }
        }
        self.out.push('/');
        self.out.push_str(&pattern.flags);
    }
}

fn level(tree: &Tree) -> Level {
    match &tree.node {
        Node::Quantified(_) | Node::At(..) | Node::If(..) => Level::Open,
        Node::Where(..) | Node::Each(..) => Level::Where,
        Node::Or(parts) => match parts.as_slice() {
            [] => Level::Postfix,
            [only] => level(only),
            _ => Level::Or,
        },
        Node::And(parts) => match parts.as_slice() {
            [] => Level::Postfix,
            [only] => level(only),
            _ => Level::And,
        },
        Node::Not(inner) if matches!(inner.node, Node::Within(..)) => Level::Compare,
        Node::Not(_) => Level::Not,
        Node::Compare(..) | Node::Within(..) | Node::Units(_, Some(_)) => Level::Compare,
        Node::Range { .. } => Level::Range,
        Node::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, ..) => Level::Sum,
        Node::Arithmetic(..) => Level::Product,
        Node::Negative(_) => Level::Negative,
        Node::Value(Value::Int(value)) if *value < 0 => Level::Negative,
        Node::Value(Value::Float(value)) if value.is_sign_negative() => Level::Negative,
        Node::Value(_)
        | Node::Var(_)
        | Node::Fact(_)
        | Node::Applied(_)
        | Node::It
        | Node::Field(..)
        | Node::Index(..)
        | Node::Units(_, None)
        | Node::Needle(..)
        | Node::Pattern(_)
        | Node::Call(..)
        | Node::List(_)
        | Node::Record(_) => Level::Postfix,
    }
}

#[cfg(test)]
mod tests {
    use super::print;
    use crate::test_parser::tree;

    #[test]
    fn canonical_text_is_given_back_unchanged() {
        for source in [
            "count(word) >= 50",
            "count(sentence) in 3..=5",
            "every sentence: starts_with(\"S\")",
            "count(sentence) >= 1 and every sentence: starts_with(\"S\")",
            "(every sentence: starts_with(\"S\")) and count(sentence) >= 1",
            "not every sentence: is_upper",
            "not (every sentence: is_upper) and is_json",
            "every c in casual + formal: count(word in c) == 7",
            "at_least(2) sentence: count(word) > 3 or is_upper",
            "exactly(n + 1) word \"like\" in it: true",
            "paragraph[2]: starts_with(\"In short\")",
            "paragraph[-1]: sentence[1]: ends_with(\"?\")",
            "count(letter \"e\") <= 9",
            "count(phrase (w.value)) == w.times",
            "count(/\\[.+?\\]/ims) >= 3",
            "a and b or not c and (d or e)",
            "x not in [1, 2] and not (x in [1, 2] or y)",
            "if reply % 4 == 1 then contains(\"A\") else contains(\"B\")",
            "if a then (if b then c) else d",
            "-x + 2 * (3 - 1) - (2 - 1)",
            "x[-1][2..] == x[..=2]",
            "wrapped_in(\"(\", \")\")",
            "starts_with(c, \"S\")",
            "to_number > 3",
            "count(word where len(it) > 3 or it == \"a\") < 0.4",
            "{ left: \"(\", right: \"\\n\\\"\\\\\" }.left",
            "some w in words: contains(word (w))",
            "max(sentence where is_upper each count(word) + 1) < 5",
            "(line each trim) == reversed(line each (word each lower)[1])",
            "a / b * c % d",
        ] {
            let read = tree(source);
            assert_eq!(print(&read), source);
            assert_eq!(tree(&print(&read)), read);
        }
    }

    #[test]
    fn needless_parentheses_are_removed() {
        for (source, printed) in [
            ("((count(word))) >= (50)", "count(word) >= 50"),
            ("(a and b) or (c)", "a and b or c"),
            ("not (x in y)", "x not in y"),
            ("starts_with(it, \"S\")", "starts_with(\"S\")"),
            ("is_json()", "is_json"),
            ("40%", "0.4"),
        ] {
            assert_eq!(print(&tree(source)), printed);
        }
    }
}
