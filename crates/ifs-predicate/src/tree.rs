//! The tree of an expression after names and types were resolved: what a check,
//! a guard, a bound and a `let` are in a plan.
//!
//! A predicate is a tree whose type is truth. The readings of it (evaluate,
//! explain, bound, witness, print) are in files of those names.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::functions::Func;
use super::needles::SearchKind;
use super::turn_fact::TurnFact;
use super::value::Value;
use ifs_base::source::Span;
pub use ifs_syntax::ast::{ArithmeticOp, CompareOp};
use ifs_text::{Unit, compiled_regex};

/// In a plan a unit is its name; one that does not exist is refused when the plan is read.
mod unit_name {
    use std::borrow::Cow;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use ifs_text::Unit;

    pub(super) fn serialize<S: Serializer>(unit: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(unit.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Unit, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Unit::from_name(&name).ok_or_else(|| D::Error::custom(format!("there is no unit `{name}`")))
    }
}

/// A node and where it was written. The place is not part of a plan's bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree {
    pub node: Node,
    #[serde(skip)]
    pub span: Span,
}

/// Two trees are the same when they say the same, wherever they were written.
impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.node == other.node
    }
}

impl Eq for Tree {}

impl PartialOrd for Tree {
    fn partial_cmp(&self, other: &Tree) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Some order, so that a tree can be a key.
impl Ord for Tree {
    fn cmp(&self, other: &Tree) -> Ordering {
        self.node.cmp(&other.node)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    Value(Value),
    /// A parameter, a `let`, a part or a loop's name.
    Var(String),
    /// A fact of the turn: `reply`, `age`.
    Fact(TurnFact),
    /// The current text: the response, or a unit.
    It,
    Field(Box<Tree>, String),
    /// Ordinal from 1, or from the end (-1 is the last); a range gives a list.
    Index(Box<Tree>, Box<Tree>),
    /// All units of a kind in a text; in `it` when no text is given.
    Units(#[serde(with = "unit_name")] Unit, Option<Box<Tree>>),
    /// `word "like"`: something to look for.
    Needle(SearchKind, Box<Tree>),
    Pattern(Pattern),
    /// A call of a function of the language. Those that are about a text have it as first argument:
    /// `it` unless another was given.
    Call(Func, Vec<Tree>),
    Not(Box<Tree>),
    Negative(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Compare(CompareOp, Box<Tree>, Box<Tree>),
    /// `n in 3..=5`, `x in words`
    Within(Box<Tree>, Box<Tree>),
    Arithmetic(ArithmeticOp, Box<Tree>, Box<Tree>),
    Range {
        low: Option<Box<Tree>>,
        high: Option<Box<Tree>>,
        inclusive: bool,
    },
    /// The members of a list for which a condition holds; `it` is the member.
    Where(Box<Tree>, Box<Tree>),
    /// The value of an expression for each member of a list; `it` is the member.
    Each(Box<Tree>, Box<Tree>),
    Quantified(Box<Quantified>),
    /// The body with another `it`.
    At(Box<Tree>, Box<Tree>),
    /// Without `else` it holds where the condition does not.
    If(Box<Tree>, Box<Tree>, Option<Box<Tree>>),
    List(Vec<Tree>),
    Record(Vec<(String, Tree)>),
    Applied(Box<Applied>),
}

/// An author's function (`def`), with its arguments. Its body knows nothing but
/// its own names, so the tree is complete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Applied {
    pub function: String,
    /// Its parameters, and what each of them is here.
    pub arguments: Vec<(String, Tree)>,
    /// Its local names; each may use the earlier ones. Shared with the body by all copies, since each
    /// criterion of each turn has one.
    #[serde(default, skip_serializing_if = "has_no_lets")]
    pub lets: Arc<Vec<(String, Tree)>>,
    pub body: Arc<Tree>,
}

fn has_no_lets(lets: &[(String, Tree)]) -> bool {
    lets.is_empty()
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quantified {
    pub quantifier: Quantifier,
    /// The name of the current member; `it` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binder: Option<String>,
    /// A list.
    pub domain: Tree,
    pub body: Tree,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantifier {
    Every,
    Some,
    No,
    AtLeast(Tree),
    AtMost(Tree),
    Exactly(Tree),
}

impl Quantifier {
    /// The same over another number of members.
    #[must_use]
    pub fn map(&self, map: &mut dyn FnMut(&Tree) -> Tree) -> Quantifier {
        match self {
            Quantifier::AtLeast(count) => Quantifier::AtLeast(map(count)),
            Quantifier::AtMost(count) => Quantifier::AtMost(map(count)),
            Quantifier::Exactly(count) => Quantifier::Exactly(map(count)),
            plain @ (Quantifier::Every | Quantifier::Some | Quantifier::No) => plain.clone(),
        }
    }
}

/// A regular expression, compiled when it is first used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pattern {
    pub pattern: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub flags: String,
    #[serde(skip)]
    compiled: Arc<OnceLock<Option<Arc<regex::Regex>>>>,
    /// The same, tied to the end of the text.
    #[serde(skip)]
    compiled_at_end: Arc<OnceLock<Option<Arc<regex::Regex>>>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.pattern == other.pattern && self.flags == other.flags
    }
}

impl Eq for Pattern {}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Pattern) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Pattern) -> Ordering {
        (&self.pattern, &self.flags).cmp(&(&other.pattern, &other.flags))
    }
}

impl Pattern {
    /// The expression as a tree; `None` for one that cannot be read.
    pub fn hir(&self) -> Option<regex_syntax::hir::Hir> {
        let mut builder = regex_syntax::ParserBuilder::new();
        for flag in self.flags.chars() {
            match flag {
                'i' => builder.case_insensitive(true),
                'm' => builder.multi_line(true),
                's' => builder.dot_matches_new_line(true),
                _ => &mut builder,
            };
        }
        builder.build().parse(&self.pattern).ok()
    }

    /// Flags: `i` ignores case, `m` lets `^` and `$` meet line ends, `s` lets `.` meet one.
    pub fn new(pattern: impl Into<String>, flags: impl Into<String>) -> Pattern {
        Pattern {
            pattern: pattern.into(),
            flags: flags.into(),
            compiled: Arc::default(),
            compiled_at_end: Arc::default(),
        }
    }

    /// Compiles it now and keeps the result, for all its copies.
    pub fn compiled(self) -> Result<Pattern, regex::Error> {
        let regex = compiled_regex(&self.pattern, &self.flags)?;
        let _ = self.compiled.set(Some(regex));
        Ok(self)
    }

    /// `None` when the pattern does not compile, which the checker reports.
    pub fn regex(&self) -> Option<&regex::Regex> {
        let regex = || compiled_regex(&self.pattern, &self.flags).ok();
        self.compiled.get_or_init(regex).as_deref()
    }

    /// A regular expression that matches where this one does up to the end of the text.
    pub fn at_end(&self) -> Option<&regex::Regex> {
        let tied = || compiled_regex(&format!("(?:{})\\z", self.pattern), &self.flags).ok();
        self.compiled_at_end.get_or_init(tied).as_deref()
    }
}

impl Tree {
    pub fn new(node: Node, span: Span) -> Tree {
        Tree { node, span }
    }

    /// A tree without a place in a file.
    /// That the other tree holds where this one does.
    pub fn implies(self, other: Tree) -> Tree {
        let span = other.span;
        let not = Tree { span: self.span, node: Node::Not(Box::new(self)) };
        Tree { node: Node::Or(vec![not, other]), span }
    }

    pub fn without_place(node: Node) -> Tree {
        Tree { node, span: Span::default() }
    }

    /// Whether it reads a fact of the turn.
    pub fn reads(&self, fact: TurnFact) -> bool {
        self.node == Node::Fact(fact) || self.children().into_iter().any(|child| child.reads(fact))
    }

    /// Whether it reads what a name means to an author: a fact of the turn, or a name.
    pub fn refers_to(&self, name: &str) -> bool {
        TurnFact::from_name(name).is_some_and(|fact| self.reads(fact)) || self.mentions(name)
    }

    /// Whether it reads a name of the author's.
    pub fn mentions(&self, name: &str) -> bool {
        if let Node::Applied(applied) = &self.node {
            // Its own names are others, though they may be written alike.
            return applied.arguments.iter().any(|(_, tree)| tree.mentions(name));
        }
        matches!(&self.node, Node::Var(known) if known == name)
            || self.children().into_iter().any(|child| child.mentions(name))
    }

    /// The same node over other subtrees, which are given in the order of `children`. What is inside
    /// an author's function has names of its own and is unchanged.
    #[must_use]
    pub fn map_children(&self, map: &mut dyn FnMut(&Tree) -> Tree) -> Tree {
        let mut boxed = |tree: &Tree| Box::new(map(tree));
        let node = match &self.node {
            leaf
            @ (Node::Value(_) | Node::Var(_) | Node::Fact(_) | Node::It | Node::Pattern(_)) => {
                leaf.clone()
            }
            Node::Field(tree, name) => Node::Field(boxed(tree), name.clone()),
            Node::Needle(kind, tree) => Node::Needle(*kind, boxed(tree)),
            Node::Not(tree) => Node::Not(boxed(tree)),
            Node::Negative(tree) => Node::Negative(boxed(tree)),
            Node::Units(unit, text) => Node::Units(*unit, text.as_ref().map(|text| boxed(text))),
            Node::Index(left, right) => Node::Index(boxed(left), boxed(right)),
            Node::Compare(op, left, right) => Node::Compare(*op, boxed(left), boxed(right)),
            Node::Within(left, right) => Node::Within(boxed(left), boxed(right)),
            Node::Arithmetic(op, left, right) => Node::Arithmetic(*op, boxed(left), boxed(right)),
            Node::Where(left, right) => Node::Where(boxed(left), boxed(right)),
            Node::Each(left, right) => Node::Each(boxed(left), boxed(right)),
            Node::At(left, right) => Node::At(boxed(left), boxed(right)),
            Node::Call(func, trees) => Node::Call(*func, trees.iter().map(map).collect()),
            Node::And(trees) => Node::And(trees.iter().map(map).collect()),
            Node::Or(trees) => Node::Or(trees.iter().map(map).collect()),
            Node::List(trees) => Node::List(trees.iter().map(map).collect()),
            Node::Range { low, high, inclusive } => Node::Range {
                low: low.as_ref().map(|tree| boxed(tree)),
                high: high.as_ref().map(|tree| boxed(tree)),
                inclusive: *inclusive,
            },
            Node::Quantified(quantified) => {
                let quantifier = quantified.quantifier.map(map);
                let domain = map(&quantified.domain);
                let body = map(&quantified.body);
                let binder = quantified.binder.clone();
                Node::Quantified(Box::new(Quantified { quantifier, binder, domain, body }))
            }
            Node::If(condition, then, otherwise) => {
                Node::If(boxed(condition), boxed(then), otherwise.as_ref().map(|tree| boxed(tree)))
            }
            Node::Record(fields) => {
                Node::Record(fields.iter().map(|(name, tree)| (name.clone(), map(tree))).collect())
            }
            Node::Applied(applied) => Node::Applied(Box::new(Applied {
                function: applied.function.clone(),
                arguments: applied
                    .arguments
                    .iter()
                    .map(|(name, tree)| (name.clone(), map(tree)))
                    .collect(),
                lets: Arc::clone(&applied.lets),
                body: Arc::clone(&applied.body),
            })),
        };
        Tree::new(node, self.span)
    }

    /// The subtrees, in the order they were written.
    pub fn children(&self) -> Vec<&Tree> {
        match &self.node {
            Node::Value(_) | Node::Var(_) | Node::Fact(_) | Node::It | Node::Pattern(_) => {
                Vec::new()
            }
            Node::Field(tree, _)
            | Node::Needle(_, tree)
            | Node::Not(tree)
            | Node::Negative(tree) => vec![tree],
            Node::Units(_, text) => text.iter().map(|tree| &**tree).collect(),
            Node::Index(left, right)
            | Node::Compare(_, left, right)
            | Node::Within(left, right)
            | Node::Arithmetic(_, left, right)
            | Node::Where(left, right)
            | Node::Each(left, right)
            | Node::At(left, right) => vec![left, right],
            Node::Call(_, trees) | Node::And(trees) | Node::Or(trees) | Node::List(trees) => {
                trees.iter().collect()
            }
            Node::Range { low, high, .. } => low.iter().chain(high).map(|tree| &**tree).collect(),
            Node::Quantified(quantified) => {
                let count = match &quantified.quantifier {
                    Quantifier::AtLeast(count)
                    | Quantifier::AtMost(count)
                    | Quantifier::Exactly(count) => Some(count),
                    Quantifier::Every | Quantifier::Some | Quantifier::No => None,
                };
                count.into_iter().chain([&quantified.domain, &quantified.body]).collect()
            }
            Node::If(condition, then, otherwise) => [&**condition, &**then]
                .into_iter()
                .chain(otherwise.iter().map(|tree| &**tree))
                .collect(),
            Node::Record(fields) => fields.iter().map(|(_, tree)| tree).collect(),
            Node::Applied(applied) => {
                let named = applied.arguments.iter().chain(applied.lets.iter());
                named.map(|(_, tree)| tree).chain([&*applied.body]).collect()
            }
        }
    }
}
