//! Classifies goals by what they depend on: the number of pieces of a part, one piece, one text, or
//! several parts.

use ifs_predicate::evaluate::Variables;
use ifs_predicate::functions::len_of;
use ifs_predicate::subject::{reads_it, with_it_for};
use ifs_predicate::tree::{ArithmeticOp, CompareOp, Node, Quantifier, Tree};
use ifs_predicate::value::Value;
use ifs_predicate::witness::Goal;
use ifs_text::Unit;

use super::schema::Condition;
use super::{WitnessPart, schema};
use crate::parts::PartReader;

/// The goals that must hold, classified. Those that must fail are for `spoil`.
pub(super) struct SplitGoals<'a> {
    /// By part: conditions on the number of its pieces.
    pub counts: Vec<Vec<Condition<'a>>>,
    /// By part: conditions on each piece, or on the text, as `it`.
    pub each: Vec<Vec<Condition<'a>>>,
    /// Conditions on several pieces or parts, or on the complete response.
    pub others: Vec<Condition<'a>>,
}

impl<'a> SplitGoals<'a> {
    pub fn classify(parts: &[WitnessPart], goals: &[Goal<'a>]) -> SplitGoals<'a> {
        let mut split = SplitGoals {
            counts: vec![Vec::new(); parts.len()],
            each: vec![Vec::new(); parts.len()],
            others: Vec::new(),
        };
        for goal in goals.iter().filter(|goal| goal.wanted) {
            split.sort(parts, goal.tree, goal.variables);
        }
        split.sizes(parts);
        split
    }

    /// The lengths that schemas prescribe for a list, as conditions on its part.
    fn sizes(&mut self, parts: &[WitnessPart]) {
        for (at, part) in parts.iter().enumerate() {
            let (true, PartReader::Json(path)) = (part.list, &part.reader) else { continue };
            let (least, most) = schema::size(&self.others, path);
            let bounds = [(CompareOp::MoreEqual, least), (CompareOp::LessEqual, most)];
            for (op, bound) in bounds {
                let Some(bound) = bound else { continue };
                let part = Box::new(len_of(Tree::without_place(Node::Var(part.name.clone()))));
                let bound = Box::new(Tree::without_place(Node::Value(Value::Int(bound))));
                let tree = Tree::without_place(Node::Compare(op, part, bound));
                self.counts[at].push(Condition { tree, variables: &() });
            }
        }
    }

    fn sort(&mut self, parts: &[WitnessPart], tree: &Tree, variables: &'a dyn Variables) {
        if let Node::And(trees) = &tree.node {
            for tree in trees {
                self.sort(parts, tree, variables);
            }
            return;
        }
        let condition = Condition { tree: tree.clone(), variables };
        let spoken_of: Vec<usize> = (0..parts.len())
            .filter(|at| parts.get(*at).is_some_and(|part| tree.mentions(&part.name)))
            .collect();
        if let Some((of, body)) = every(tree)
            && let Some(of) = members(parts, of)
            && !parts.iter().any(|part| body.mentions(&part.name))
        {
            for at in of {
                if let Some(each) = self.each.get_mut(at) {
                    each.push(Condition { tree: body.clone(), variables });
                }
            }
            return;
        }
        if let [at] = spoken_of.as_slice()
            && let Some(part) = parts.get(*at)
        {
            if part.list && is_only_counted(tree, &part.name) {
                self.counts[*at].push(condition);
                return;
            }
            let is_whole = matches!(part.reader, PartReader::Whole | PartReader::Response);
            if !part.list && !is_whole && !reads_it(tree) {
                let tree = with_it_for(&part.name, tree);
                self.each[*at].push(Condition { tree, variables });
                return;
            }
            if !part.list && is_whole {
                let tree = with_it_for(&part.name, tree);
                self.each[*at].push(Condition { tree, variables });
                return;
            }
        }
        // A condition on the response is one on a text that is the complete response.
        let whole = parts.iter().position(|part| part.reader == PartReader::Whole);
        match whole {
            Some(at) if spoken_of.is_empty() => self.each[at].push(condition),
            _ => self.others.push(condition),
        }
    }
}

/// `every x in LIST: BODY` or `no x in LIST: BODY`, with the member as `it`.
fn every(tree: &Tree) -> Option<(&Tree, Tree)> {
    let Node::Quantified(quantified) = &tree.node else { return None };
    let body = match &quantified.binder {
        Some(name) if reads_it(&quantified.body) && quantified.body.mentions(name) => {
            return None;
        }
        Some(name) => with_it_for(name, &quantified.body),
        None => quantified.body.clone(),
    };
    match quantified.quantifier {
        Quantifier::Every => Some((&quantified.domain, body)),
        Quantifier::No => {
            Some((&quantified.domain, Tree::new(Node::Not(Box::new(body)), tree.span)))
        }
        _ => None,
    }
}

/// The parts whose pieces are in a list: `a`, `a + b`.
fn members(parts: &[WitnessPart], list: &Tree) -> Option<Vec<usize>> {
    match &list.node {
        Node::Var(name) => {
            let at = parts.iter().position(|part| part.name == *name && part.list)?;
            Some(vec![at])
        }
        Node::Arithmetic(ArithmeticOp::Add, left, right) => {
            let mut all = members(parts, left)?;
            all.extend(members(parts, right)?);
            Some(all)
        }
        _ => None,
    }
}

/// Whether only the length of a list is used.
fn is_only_counted(tree: &Tree, name: &str) -> bool {
    match &tree.node {
        Node::Call(function, args) if function.counts_members() => match args.as_slice() {
            [arg] if matches!(&arg.node, Node::Var(var) if var == name) => true,
            args => args.iter().all(|arg| is_only_counted(arg, name)),
        },
        Node::Var(var) => var != name,
        Node::It | Node::Units(_, None) => false,
        _ => tree.children().into_iter().all(|child| is_only_counted(child, name)),
    }
}

/// The goals with units of the response in place of parts, if a part is such a unit.
pub(super) fn goals_over_response(parts: &[WitnessPart], goals: &[Goal<'_>]) -> Vec<Tree> {
    let replaced = |tree: &Tree| {
        parts.iter().fold(tree.clone(), |tree, part| {
            let unit = match part.reader {
                PartReader::Whole | PartReader::Response => None,
                PartReader::Lines => Some(Unit::LineEntry),
                PartReader::Paragraphs => Some(Unit::Paragraph),
                PartReader::Sentences => Some(Unit::Sentence),
                PartReader::Numbered => Some(Unit::ItemNumbered),
                PartReader::Bullets => Some(Unit::ItemBullet),
                _ => return tree,
            };
            match unit {
                Some(unit) => {
                    with(&tree, &part.name, &Tree::without_place(Node::Units(unit, None)))
                }
                None => with_it_for(&part.name, &tree),
            }
        })
    };
    goals.iter().map(|goal| replaced(goal.tree)).collect()
}

/// The tree with a name replaced by another tree.
fn with(tree: &Tree, name: &str, other: &Tree) -> Tree {
    match &tree.node {
        Node::Var(var) if var == name => other.clone(),
        _ => tree.map_children(&mut |child| with(child, name, other)),
    }
}
