//! For the tests of this room: trees from source text, without the checker. It reads the
//! expression language only, knows no types and panics on what it cannot read.

use super::functions;
use super::tree::{ArithmeticOp, CompareOp, Node, Pattern, Quantified, Quantifier, Tree};
use super::typing::gives_subject;
use super::value::Value;
use super::{evaluate::TextContext, needles::SearchKind};
use crate::turn_fact::TurnFact;
use ifs_base::source::{FileId, Span};
use ifs_text::{Text, Unit};

pub(super) fn tree(source: &str) -> Tree {
    let mut reader = TestParser { tokens: tokens(source), at: 0 };
    let tree = reader.expression();
    assert!(reader.at == reader.tokens.len(), "{source:?} goes on at {:?}", reader.peek());
    tree
}

pub(super) fn holds(source: &str, text: &str) -> bool {
    holds_with(source, text, &[])
}

pub(super) fn holds_with(source: &str, text: &str, variables: &[(&str, Value)]) -> bool {
    let text = Text::new(text);
    super::evaluate::holds(&tree(source), &TextContext { it: &text, variables: &variables })
}

#[derive(Clone, Debug, PartialEq)]
enum TestToken {
    Int(i64),
    Float(f64),
    Text(String),
    Regex(String, String),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 28] = [
    "..=", "..", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]",
    "{", "}", ",", ":", ".", "_", "$", "#", "@", "&", "|",
];

fn tokens(source: &str) -> Vec<(TestToken, usize, usize)> {
    let mut found: Vec<(TestToken, usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let start = at;
        let rest = &source[at..];
        let after_value = matches!(
            found.last(),
            Some((
                TestToken::Int(_)
                    | TestToken::Float(_)
                    | TestToken::Text(_)
                    | TestToken::Sign(")" | "]"),
                ..
            ))
        ) || matches!(found.last(), Some((TestToken::Name(name), ..)) if !WORDS.contains(&name.as_str()));
        let token = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c.is_ascii_digit() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let after = &rest[digits..];
            let float =
                after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
            let length = if float {
                let rest = &after[1..];
                digits + 1 + rest.len()
                    - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()
            } else {
                digits
            };
            at += length;
            let number = &rest[..length];
            let behind = &source[at..];
            // `40%` but not `5 %2` or `5 % 2`.
            if behind.starts_with('%')
                && !behind[1..].trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '(')
            {
                at += 1;
                TestToken::Float(number.parse::<f64>().unwrap() / 100.0)
            } else if float {
                TestToken::Float(number.parse().unwrap())
            } else {
                TestToken::Int(number.parse().unwrap())
            }
        } else if c == '"' {
            let mut text = String::new();
            let mut chars = rest[1..].char_indices();
            loop {
                match chars.next().unwrap() {
                    (end, '"') => {
                        at += end + 2;
                        break;
                    }
                    (_, '\\') => match chars.next().unwrap().1 {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'u' => {
                            let rest = &chars.as_str()[1..];
                            let (code, _) = rest.split_once('}').unwrap();
                            text.push(
                                char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap(),
                            );
                            for _ in 0..code.len() + 2 {
                                chars.next();
                            }
                        }
                        c => text.push(c),
                    },
                    (_, c) => text.push(c),
                }
            }
            TestToken::Text(text)
        } else if c == '/' && !after_value {
            let mut pattern = String::new();
            let mut chars = rest[1..].char_indices();
            loop {
                match chars.next().unwrap() {
                    (end, '/') => {
                        at += end + 2;
                        break;
                    }
                    (_, '\\') => match chars.next().unwrap().1 {
                        '/' => pattern.push('/'),
                        c => pattern.extend(['\\', c]),
                    },
                    (_, c) => pattern.push(c),
                }
            }
            let behind = &source[at..];
            let flags: String = behind.chars().take_while(|c| "ims".contains(*c)).collect();
            at += flags.len();
            TestToken::Regex(pattern, flags)
        } else if c.is_alphabetic() {
            let length = rest.len()
                - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
            at += length;
            let mut name = rest[..length].to_owned();
            // A unit's variant: `word.pattern`.
            if let Some(behind) = source[at..].strip_prefix('.') {
                let more: String = behind.chars().take_while(|c| c.is_alphanumeric()).collect();
                let whole = format!("{name}.{more}");
                if SearchKind::from_name(&whole).is_some() {
                    at += 1 + more.len();
                    name = whole;
                }
            }
            TestToken::Name(name)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).unwrap();
            at += sign.len();
            TestToken::Sign(sign)
        };
        found.push((token, start, at));
    }
    found
}

const WORDS: [&str; 18] = [
    "and", "or", "not", "in", "where", "each", "if", "then", "else", "every", "some", "no",
    "at_least", "at_most", "exactly", "it", "true", "false",
];

struct TestParser {
    tokens: Vec<(TestToken, usize, usize)>,
    at: usize,
}

impl TestParser {
    fn peek(&self) -> Option<&TestToken> {
        self.tokens.get(self.at).map(|(token, ..)| token)
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(TestToken::Sign(have)) if *have == sign);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(TestToken::Name(have)) if have == word);
        self.at += usize::from(found);
        found
    }

    fn expect_sign(&mut self, sign: &str) {
        assert!(self.sign(sign), "`{sign}` is missing before {:?}", self.peek());
    }

    fn spanned(&self, start: usize, node: Node) -> Tree {
        let from = self.tokens.get(start).map_or(0, |(_, from, _)| *from);
        let to = self.tokens.get(self.at.saturating_sub(1)).map_or(0, |(.., to)| *to);
        Tree::new(node, Span::new(FileId(0), from, to))
    }

    fn expression(&mut self) -> Tree {
        let start = self.at;
        if self.take_word("if") {
            let condition = self.expression();
            assert!(self.take_word("then"), "`then` is missing");
            let then = self.expression();
            let otherwise = self.take_word("else").then(|| Box::new(self.expression()));
            return self.spanned(start, Node::If(Box::new(condition), Box::new(then), otherwise));
        }
        if let Some(quantifier) = self.quantifier() {
            let binder = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Some(TestToken::Name(name)), Some((TestToken::Name(word), ..)))
                    if word == "in" && Unit::from_name(name).is_none() =>
                {
                    let name = name.clone();
                    self.at += 2;
                    Some(name)
                }
                _ => None,
            };
            let domain = self.filter();
            self.expect_sign(":");
            let body = self.expression();
            let quantified = Quantified { quantifier, binder, domain, body };
            return self.spanned(start, Node::Quantified(Box::new(quantified)));
        }
        let tree = self.filter();
        if self.sign(":") {
            let body = self.expression();
            return self.spanned(start, Node::At(Box::new(tree), Box::new(body)));
        }
        tree
    }

    fn quantifier(&mut self) -> Option<Quantifier> {
        for (word, quantifier) in
            [("every", Quantifier::Every), ("some", Quantifier::Some), ("no", Quantifier::No)]
        {
            if self.take_word(word) {
                return Some(quantifier);
            }
        }
        for (word, quantifier) in [
            ("at_least", Quantifier::AtLeast as fn(Tree) -> Quantifier),
            ("at_most", Quantifier::AtMost),
            ("exactly", Quantifier::Exactly),
        ] {
            if self.take_word(word) {
                self.expect_sign("(");
                let count = self.expression();
                self.expect_sign(")");
                return Some(quantifier(count));
            }
        }
        None
    }

    fn filter(&mut self) -> Tree {
        let start = self.at;
        let mut tree = self.or();
        loop {
            let made = match (self.take_word("where"), Node::Where as fn(_, _) -> _) {
                (true, made) => made,
                (false, _) if self.take_word("each") => Node::Each,
                (false, _) => return tree,
            };
            let body = self.or();
            tree = self.spanned(start, made(Box::new(tree), Box::new(body)));
        }
    }

    fn or(&mut self) -> Tree {
        let start = self.at;
        let mut parts = vec![self.and()];
        while self.take_word("or") {
            parts.push(self.and());
        }
        self.node_of_parts(start, parts, Node::Or)
    }

    fn and(&mut self) -> Tree {
        let start = self.at;
        let mut parts = vec![self.not()];
        while self.take_word("and") {
            parts.push(self.not());
        }
        self.node_of_parts(start, parts, Node::And)
    }

    fn node_of_parts(
        &self,
        start: usize,
        mut parts: Vec<Tree>,
        node: fn(Vec<Tree>) -> Node,
    ) -> Tree {
        if parts.len() == 1 { parts.remove(0) } else { self.spanned(start, node(parts)) }
    }

    fn not(&mut self) -> Tree {
        let start = self.at;
        if self.take_word("not") {
            let inner = self.not();
            return self.spanned(start, Node::Not(Box::new(inner)));
        }
        // These extend as far right as they can, wherever they are.
        if matches!(self.peek(), Some(TestToken::Name(name)) if ["if", "every", "some", "no", "at_least", "at_most", "exactly"].contains(&name.as_str()))
        {
            return self.expression();
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Tree {
        let start = self.at;
        let left = self.range();
        for (sign, op) in [
            ("==", CompareOp::Equal),
            ("!=", CompareOp::NotEqual),
            ("<=", CompareOp::LessEqual),
            (">=", CompareOp::MoreEqual),
            ("<", CompareOp::Less),
            (">", CompareOp::More),
        ] {
            if self.sign(sign) {
                let right = self.range();
                return self.spanned(start, Node::Compare(op, Box::new(left), Box::new(right)));
            }
        }
        let negated = matches!((self.peek(), self.tokens.get(self.at + 1)), (Some(TestToken::Name(not)), Some((TestToken::Name(word), ..))) if not == "not" && word == "in");
        self.at += usize::from(negated);
        if self.take_word("in") {
            let right = self.range();
            let tree = self.spanned(start, Node::Within(Box::new(left), Box::new(right)));
            return if negated { self.spanned(start, Node::Not(Box::new(tree))) } else { tree };
        }
        left
    }

    fn range(&mut self) -> Tree {
        let start = self.at;
        let inclusive = |sign| sign == "..=";
        for sign in ["..=", ".."] {
            if self.sign(sign) {
                let high = Some(Box::new(self.sum()));
                return self
                    .spanned(start, Node::Range { low: None, high, inclusive: inclusive(sign) });
            }
        }
        let low = self.sum();
        for sign in ["..=", ".."] {
            if self.sign(sign) {
                let open = self.peek().is_none()
                    || matches!(self.peek(), Some(TestToken::Sign(")" | "]" | "," | "}" | ":")))
                    || matches!(self.peek(), Some(TestToken::Name(word)) if ["and", "or", "then", "else", "where", "each"].contains(&word.as_str()));
                let high = (!open).then(|| Box::new(self.sum()));
                let inclusive = inclusive(sign);
                return self
                    .spanned(start, Node::Range { low: Some(Box::new(low)), high, inclusive });
            }
        }
        low
    }

    fn sum(&mut self) -> Tree {
        let start = self.at;
        let mut tree = self.product();
        loop {
            let op = if self.sign("+") {
                ArithmeticOp::Add
            } else if self.sign("-") {
                ArithmeticOp::Subtract
            } else {
                return tree;
            };
            let right = self.product();
            tree = self.spanned(start, Node::Arithmetic(op, Box::new(tree), Box::new(right)));
        }
    }

    fn product(&mut self) -> Tree {
        let start = self.at;
        let mut tree = self.negative();
        loop {
            let op = if self.sign("*") {
                ArithmeticOp::Multiply
            } else if self.sign("/") {
                ArithmeticOp::Divide
            } else if self.sign("%") {
                ArithmeticOp::Remainder
            } else {
                return tree;
            };
            let right = self.negative();
            tree = self.spanned(start, Node::Arithmetic(op, Box::new(tree), Box::new(right)));
        }
    }

    fn negative(&mut self) -> Tree {
        let start = self.at;
        if self.sign("-") {
            if let Some(TestToken::Int(value)) = self.peek() {
                let value = -*value;
                self.at += 1;
                return self.spanned(start, Node::Value(Value::Int(value)));
            }
            let inner = self.negative();
            return self.spanned(start, Node::Negative(Box::new(inner)));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Tree {
        let start = self.at;
        let mut tree = self.atom();
        loop {
            if self.sign("[") {
                let index = self.expression();
                self.expect_sign("]");
                tree = self.spanned(start, Node::Index(Box::new(tree), Box::new(index)));
            } else if self.sign(".") {
                let Some(TestToken::Name(name)) = self.peek().cloned() else { panic!("a field") };
                self.at += 1;
                tree = self.spanned(start, Node::Field(Box::new(tree), name));
            } else {
                return tree;
            }
        }
    }

    fn atom(&mut self) -> Tree {
        let start = self.at;
        let token = self.peek().cloned().expect("an expression");
        self.at += 1;
        let node = match token {
            TestToken::Int(value) => Node::Value(Value::Int(value)),
            TestToken::Float(value) => Node::Value(Value::Float(value)),
            TestToken::Text(value) => Node::Value(Value::text(&value)),
            TestToken::Regex(pattern, flags) => Node::Pattern(Pattern::new(pattern, flags)),
            TestToken::Sign("(") => {
                let inner = self.expression();
                self.expect_sign(")");
                return inner;
            }
            TestToken::Sign("[") => Node::List(self.list("]")),
            TestToken::Sign("{") => {
                let mut fields = Vec::new();
                while !self.sign("}") {
                    let Some(TestToken::Name(name)) = self.peek().cloned() else {
                        panic!("a field")
                    };
                    self.at += 1;
                    self.expect_sign(":");
                    fields.push((name, self.expression()));
                    self.sign(",");
                }
                Node::Record(fields)
            }
            TestToken::Sign(sign) => panic!("`{sign}` begins no expression"),
            TestToken::Name(name) => self.name(name),
        };
        self.spanned(start, node)
    }

    fn name(&mut self, name: String) -> Node {
        match name.as_str() {
            "it" => return Node::It,
            "true" => return Node::Value(Value::Bool(true)),
            "false" => return Node::Value(Value::Bool(false)),
            _ => {}
        }
        if let Some(kind) = SearchKind::from_name(&name) {
            let needle = matches!(self.peek(), Some(TestToken::Text(_)));
            let function = functions::lookup(&name).is_some();
            if needle || (!function && matches!(self.peek(), Some(TestToken::Sign("(")))) {
                let value = self.atom();
                return Node::Needle(kind, Box::new(value));
            }
        }
        if self.sign("(") {
            let mut arguments = self.list(")");
            let func = functions::lookup(&name).unwrap_or_else(|| panic!("no function `{name}`"));
            if !gives_subject(&func, arguments.len()) {
                arguments.insert(0, Tree::without_place(Node::It));
            }
            return Node::Call(func, arguments);
        }
        if let Some(unit) = Unit::from_name(&name) {
            return Node::Units(unit, None);
        }
        match functions::lookup(&name) {
            Some(func) if func.subject && func.least_arguments() == 1 => {
                Node::Call(func, vec![Tree::without_place(Node::It)])
            }
            _ => TurnFact::from_name(&name).map_or(Node::Var(name), Node::Fact),
        }
    }

    fn list(&mut self, end: &str) -> Vec<Tree> {
        let mut members = Vec::new();
        while !self.sign(end) {
            members.push(self.expression());
            if !self.sign(",") {
                self.expect_sign(end);
                break;
            }
        }
        members
    }
}
