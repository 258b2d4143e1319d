//! Reading templates, with minijinja's rules for blanks as `environment` sets them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::vec::IntoIter;

use super::{Expr, Function, LoopFact, Op, Piece, Slot};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Int(i64),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 19] = [
    "==", "!=", "<=", ">=", "//", "<", ">", "+", "-", "*", "%", "~", "|", "(", ")", ",", ".", "=",
    "/",
];

/// Words of minijinja that are not names.
const WORDS: [&str; 16] = [
    "true", "false", "none", "True", "False", "None", "not", "and", "or", "in", "is", "if", "else",
    "loop", "self", "super",
];

/// Deeper expressions are left to minijinja, and longer ones, since a sum of many is deep too.
const DEPTH: usize = 40;
const TOKENS: usize = 1_000;

enum Part {
    Text(String),
    Print(Vec<Token>),
    Block(Vec<Token>),
}

/// The names in a template by their slots, and what it is made of.
pub(super) fn read(
    text: &str,
    others: &BTreeMap<String, String>,
) -> Option<(Vec<String>, Vec<Piece>)> {
    let mut names = Names(Vec::new());
    let pieces = whole(text, &mut names, Some(others))?;
    Some((names.0, pieces))
}

fn whole(
    text: &str,
    names: &mut Names,
    others: Option<&BTreeMap<String, String>>,
) -> Option<Vec<Piece>> {
    let mut blocks = Blocks { parts: parts(text)?.into_iter(), names, others };
    let (pieces, end) = blocks.pieces(false, 0)?;
    end.is_none().then_some(pieces)
}

/// Names by their slots.
struct Names(Vec<String>);

impl Names {
    fn slot(&mut self, name: String) -> Slot {
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }
}

/// The names of a template that has nothing but names in its braces, as most of what users say
/// has: told without reading it into a tree.
pub(in crate::template) fn names_alone(text: &str) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (name, behind) = rest[open..].strip_prefix("{{")?.split_once("}}")?;
        let name = name.trim_matches(' ');
        let is_word = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !WORDS.contains(&word)
        };
        if !name.split('.').all(is_word) {
            return None;
        }
        names.insert(name.to_owned());
        rest = behind;
    }
    Some(names)
}

/// Cuts a template into texts and what is in braces.
fn parts(text: &str) -> Option<Vec<Part>> {
    // minijinja takes one line's end off the end of a template.
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('{') {
        let mut open = at + found;
        while !matches!(text.as_bytes().get(open + 1), Some(b'{' | b'%' | b'#')) {
            match text[open + 1..].find('{') {
                Some(next) => open += 1 + next,
                None => {
                    parts.push(Part::Text(text[at..].to_owned()));
                    return Some(parts);
                }
            }
        }
        let block = match text.as_bytes()[open + 1] {
            b'{' => false,
            b'%' => true,
            _ => return None,
        };
        let mut before = &text[at..open];
        let mut inside = open + 2;
        match text.as_bytes().get(inside) {
            Some(b'-') => {
                before = before.trim_end();
                inside += 1;
            }
            Some(b'+') => return None,
            _ if block => {
                let line = text[..open].trim_end_matches([' ', '\t']);
                if line.is_empty() || line.ends_with('\n') {
                    before = before.trim_end_matches([' ', '\t']);
                }
            }
            _ => {}
        }
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let (tokens, length, trims) = tokens(&text[inside..], if block { "%}" } else { "}}" })?;
        at = inside + length;
        if trims {
            at = text.len() - text[at..].trim_start().len();
        } else if block {
            let rest = &text[at..];
            let rest = rest.strip_prefix('\r').unwrap_or(rest);
            at = text.len() - rest.strip_prefix('\n').unwrap_or(rest).len();
        }
        parts.push(if block { Part::Block(tokens) } else { Part::Print(tokens) });
    }
    if at < text.len() {
        parts.push(Part::Text(text[at..].to_owned()));
    }
    Some(parts)
}

/// The tokens up to the closing braces, the bytes they take, and whether the
/// blanks after go.
fn tokens(text: &str, close: &str) -> Option<(Vec<Token>, usize, bool)> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let done = |rest: &str| text.len() - rest.len();
        if let Some(behind) = rest.strip_prefix(close) {
            return Some((tokens, done(behind), false));
        }
        if let Some(behind) = rest.strip_prefix('-').and_then(|rest| rest.strip_prefix(close)) {
            return Some((tokens, done(behind), true));
        }
        let first = rest.chars().next()?;
        if first == '"' || first == '\'' {
            let (read, behind) = quoted(&rest[1..], first)?;
            tokens.push(Token::Text(read));
            rest = behind;
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if rest[end..].starts_with(|c: char| c == '.' || c == '_' || c.is_ascii_alphabetic()) {
                return None;
            }
            tokens.push(Token::Int(rest[..end].parse().ok()?));
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            if !rest[end..].chars().next().is_none_or(|c| c.is_ascii()) {
                return None;
            }
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut read = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' => read.push('\n'),
                c @ ('"' | '\'' | '\\') => read.push(c),
                _ => return None,
            },
            c if c == quote => return Some((read, &text[at + 1..])),
            c => read.push(c),
        }
    }
    None
}

/// Puts together what is between blocks.
struct Blocks<'r> {
    parts: IntoIter<Part>,
    names: &'r mut Names,
    /// What may be included; nothing in what is included itself.
    others: Option<&'r BTreeMap<String, String>>,
}

impl Blocks<'_> {
    /// Pieces up to the end, or to a block that ends or divides the one they are in:
    /// its tokens are given back.
    fn pieces(&mut self, in_loop: bool, depth: usize) -> Option<(Vec<Piece>, Option<Vec<Token>>)> {
        if depth > DEPTH {
            return None;
        }
        let mut pieces = Vec::new();
        while let Some(part) = self.parts.next() {
            match part {
                Part::Text(text) => pieces.push(Piece::Text(text)),
                Part::Print(tokens) => pieces.push(Piece::Print(self.expr(tokens, in_loop)?)),
                Part::Block(mut tokens) => {
                    let Some(Token::Word(word)) = tokens.first() else { return None };
                    if matches!(word.as_str(), "elif" | "else" | "endif" | "endfor") {
                        return Some((pieces, Some(tokens)));
                    }
                    let Token::Word(word) = tokens.remove(0) else { return None };
                    pieces.push(self.block(&word, tokens, in_loop, depth)?);
                }
            }
        }
        Some((pieces, None))
    }

    fn block(
        &mut self,
        word: &str,
        mut rest: Vec<Token>,
        in_loop: bool,
        depth: usize,
    ) -> Option<Piece> {
        Some(match word {
            "set" => {
                let Some([Token::Word(name), Token::Sign("=")]) = rest.get(..2) else {
                    return None;
                };
                let slot = self.slot(name.clone())?;
                Piece::Set(slot, self.expr(rest.split_off(2), in_loop)?)
            }
            "include" => {
                let [Token::Text(name)] = rest.as_slice() else { return None };
                let pieces = whole(self.others?.get(name)?, self.names, None)?;
                pieces.iter().all(Piece::leaves_nothing).then_some(Piece::Included(pieces))?
            }
            "for" => {
                let Some([Token::Word(name), Token::Word(within)]) = rest.get(..2) else {
                    return None;
                };
                if within != "in" {
                    return None;
                }
                let slot = self.slot(name.clone())?;
                let list = self.expr(rest.split_off(2), in_loop)?;
                let (inner, end) = self.pieces(true, depth + 1)?;
                if end? != [Token::Word("endfor".to_owned())] {
                    return None;
                }
                Piece::For(slot, list, inner)
            }
            "if" => self.branches(rest, in_loop, depth)?,
            _ => return None,
        })
    }

    fn branches(&mut self, condition: Vec<Token>, in_loop: bool, depth: usize) -> Option<Piece> {
        let mut cases = Vec::new();
        let mut condition = Some(self.expr(condition, in_loop)?);
        loop {
            let last = condition.is_none();
            let (inner, end) = self.pieces(in_loop, depth + 1)?;
            cases.push((condition.take(), inner));
            let mut end = end?;
            let Token::Word(word) = end.remove(0) else { return None };
            match word.as_str() {
                "endif" if end.is_empty() => return Some(Piece::If(cases)),
                "else" if end.is_empty() && !last => {}
                "elif" if !last => condition = Some(self.expr(end, in_loop)?),
                _ => return None,
            }
        }
    }

    /// The slot of a name that is given to something.
    fn slot(&mut self, name: String) -> Option<Slot> {
        (!WORDS.contains(&name.as_str())).then(|| self.names.slot(name))
    }

    fn expr(&mut self, tokens: Vec<Token>, in_loop: bool) -> Option<Expr> {
        if tokens.len() > TOKENS {
            return None;
        }
        let tokens = tokens.into_iter().peekable();
        let mut reader = ExprParser { tokens, names: self.names, in_loop, depth: 0 };
        let expr = reader.choice()?;
        reader.tokens.next().is_none().then_some(expr)
    }
}

/// Reads an expression, from the loosest operator to the tightest.
struct ExprParser<'r> {
    tokens: Peekable<IntoIter<Token>>,
    names: &'r mut Names,
    in_loop: bool,
    depth: usize,
}

impl ExprParser<'_> {
    fn word(&mut self, wanted: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Word(word) if word == wanted)).is_some()
    }

    fn sign(&mut self, wanted: &'static str) -> bool {
        self.tokens.next_if_eq(&Token::Sign(wanted)).is_some()
    }

    fn choice(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let mut expr = self.or()?;
        while self.word("if") {
            let condition = self.or()?;
            let other = if self.word("else") { Some(Box::new(self.choice()?)) } else { None };
            expr = Expr::If(Box::new(expr), Box::new(condition), other);
        }
        self.depth -= 1;
        Some(expr)
    }

    fn or(&mut self) -> Option<Expr> {
        let mut expr = self.and()?;
        while self.word("or") {
            expr = Expr::Or(Box::new(expr), Box::new(self.and()?));
        }
        Some(expr)
    }

    fn and(&mut self) -> Option<Expr> {
        let mut expr = self.not()?;
        while self.word("and") {
            expr = Expr::And(Box::new(expr), Box::new(self.not()?));
        }
        Some(expr)
    }

    fn not(&mut self) -> Option<Expr> {
        if self.word("not") {
            return Some(Expr::Not(Box::new(self.comparison()?)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Option<Expr> {
        const OPS: [(&str, Op); 6] = [
            ("==", Op::Equal),
            ("!=", Op::NotEqual),
            ("<=", Op::LessEqual),
            (">=", Op::MoreEqual),
            ("<", Op::Less),
            (">", Op::More),
        ];
        let one = self.sum()?;
        for (sign, op) in OPS {
            if self.sign(sign) {
                return Some(Expr::Operation(op, Box::new(one), Box::new(self.sum()?)));
            }
        }
        Some(one)
    }

    fn row(
        &mut self,
        ops: &[(&'static str, Op)],
        inner: fn(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut expr = inner(self)?;
        'more: loop {
            for (sign, op) in ops {
                if self.sign(sign) {
                    expr = Expr::Operation(*op, Box::new(expr), Box::new(inner(self)?));
                    continue 'more;
                }
            }
            return Some(expr);
        }
    }

    fn sum(&mut self) -> Option<Expr> {
        self.row(&[("+", Op::Add), ("-", Op::Subtract)], Self::concat)
    }

    fn concat(&mut self) -> Option<Expr> {
        self.row(&[("~", Op::Concat)], Self::product)
    }

    fn product(&mut self) -> Option<Expr> {
        let ops = [("*", Op::Multiply), ("//", Op::Divide), ("%", Op::Remainder)];
        self.row(&ops, Self::filtered)
    }

    fn filtered(&mut self) -> Option<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.sign("|") {
                let Token::Word(name) = self.tokens.next()? else { return None };
                let mut given = vec![expr];
                if self.sign("(") {
                    given.extend(self.arguments()?);
                }
                let (function, count) = match name.as_str() {
                    "saying" => (Function::Saying, 2),
                    "naming" => (Function::Naming, 3),
                    "replace" => (Function::Replace, 3),
                    "join" => (Function::Join, 2),
                    _ => return None,
                };
                if given.len() != count {
                    return None;
                }
                expr = Expr::Call(function, given);
            } else if self.word("is") {
                let wanted = !self.word("not");
                let Expr::Name(slot) = expr else { return None };
                if !self.word("defined") {
                    return None;
                }
                expr = Expr::Defined(slot, wanted);
            } else {
                return Some(expr);
            }
        }
    }

    fn primary(&mut self) -> Option<Expr> {
        let mut expr = match self.tokens.next()? {
            Token::Text(text) => Expr::Text(text),
            Token::Int(number) => Expr::Int(number),
            Token::Sign("(") => {
                let inner = self.choice()?;
                self.sign(")").then_some(inner)?
            }
            Token::Word(name) if name == "loop" && self.in_loop => {
                if !self.sign(".") {
                    return None;
                }
                let Token::Word(fact) = self.tokens.next()? else { return None };
                return Some(Expr::Loop(match fact.as_str() {
                    "index" => LoopFact::Index,
                    "index0" => LoopFact::IndexFromZero,
                    "first" => LoopFact::First,
                    "last" => LoopFact::Last,
                    _ => return None,
                }));
            }
            Token::Word(name) if name == "pick" && self.sign("(") => {
                let given = self.arguments()?;
                if !(2..=3).contains(&given.len()) {
                    return None;
                }
                return Some(Expr::Call(Function::Pick, given));
            }
            Token::Word(name) if !WORDS.contains(&name.as_str()) => {
                Expr::Name(self.names.slot(name))
            }
            Token::Word(_) | Token::Sign(_) => return None,
        };
        while self.sign(".") {
            let Token::Word(name) = self.tokens.next()? else { return None };
            expr = Expr::Field(Box::new(expr), name);
        }
        // Calls, indices and the like are for minijinja.
        match self.tokens.peek() {
            Some(Token::Sign("(")) => None,
            _ => Some(expr),
        }
    }

    /// The rest of `(a, b)`.
    fn arguments(&mut self) -> Option<Vec<Expr>> {
        let mut given = Vec::new();
        loop {
            given.push(self.choice()?);
            if self.sign(")") {
                return Some(given);
            }
            if !self.sign(",") {
                return None;
            }
        }
    }
}
