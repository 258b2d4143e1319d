//! Texts of several parts that are all to be alike: one part is looked for by itself, in a text that
//! is short, and the whole is put together of such parts.

use super::{EditMaterial, WitnessSearch, best_climb};
use crate::functions::count_of;
use crate::functions::hooks::Derived;
use crate::subject::with_it_for;
use serde_json::Value as Json;

use crate::print::print;
use crate::tree::{CompareOp, Node, Quantified, Quantifier, Tree};
use crate::value::Value;
use crate::witness::Goal;
use crate::witness::repair;
use crate::witness::words::{Vocabulary, WordDraw};
use ifs_text::Unit;

/// How many lists are looked at.
const MAX_LISTS: usize = 2;
/// How many parts of each are kept, and how many changes are tried for others.
const MAX_PARTS: usize = 12;
const MAX_OTHER_MEMBERS: usize = 240;
/// How much longer another one may be.
const EXTRA_LENGTH: usize = 40;
/// The share of the time of a search that the parts of one list may take.
const TIME_SHARE: usize = 5;
/// How many parts a text is put together of, at most.
const MAX_COMBINED_PARTS: usize = 8;

/// A condition on every member of a list.
struct MemberCondition<'t> {
    list: &'t Tree,
    /// The goal that says so, and what it says.
    bodies: Vec<(usize, Tree)>,
}

/// Adds to a pool what the members of a list may be, and texts put together of them.
pub(super) fn add(
    pool: &mut EditMaterial,
    goals: &[Goal<'_>],
    trees: &[Tree],
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
    left: &mut usize,
) {
    let parts: Vec<(usize, &Tree)> = std::iter::zip(goals, trees)
        .enumerate()
        .filter(|(_, (goal, _))| goal.wanted)
        .flat_map(|(at, (_, tree))| conjuncts(tree).into_iter().map(move |part| (at, part)))
        .collect();
    let mut lists: Vec<MemberCondition<'_>> = Vec::new();
    for (goal, part) in &parts {
        let Some((list, body)) = split_every(part) else { continue };
        match lists.iter_mut().find(|known| print(known.list) == print(list)) {
            Some(known) => known.bodies.push((*goal, body)),
            None => lists.push(MemberCondition { list, bodies: vec![(*goal, body)] }),
        }
    }
    lists.sort_by_key(|alike| std::cmp::Reverse(alike.bodies.len()));
    for alike in lists.iter().take(MAX_LISTS) {
        let mut share = *left / TIME_SHARE;
        *left -= share;
        let found = alike.found(goals, &parts, vocabulary, draw, &mut share);
        *left += share;
        let Some(goal) = alike.bodies.first().and_then(|(goal, _)| goals.get(*goal)) else {
            continue;
        };
        let in_json = trees.iter().any(asks_for_json);
        for many in (1..=MAX_COMBINED_PARTS).filter(|_| !found.is_empty()) {
            let alone = found.iter().take(1).cycle().take(many).cloned().collect();
            let different: Vec<String> = found.iter().cycle().take(many).cloned().collect();
            let mut longer = different.clone();
            longer.sort_by_key(String::len);
            let shorter = longer.iter().rev().cloned().collect();
            for members in [alone, different, longer, shorter] {
                if in_json {
                    let texts = members.iter().map(|text| Json::from(text.as_str()).to_string());
                    pool.wholes.push(format!("[{}]", texts.collect::<Vec<String>>().join(",\n")));
                }
                pool.wholes.extend(repair::listed(goal, alike.list, &members, vocabulary, draw));
            }
        }
        pool.members.extend(found);
    }
}

impl MemberCondition<'_> {
    /// Parts for which all conditions on members hold.
    fn found(
        &self,
        goals: &[Goal<'_>],
        parts: &[(usize, &Tree)],
        vocabulary: &Vocabulary<'_>,
        draw: &mut WordDraw,
        left: &mut usize,
    ) -> Vec<String> {
        let mut wanted = self.bodies.clone();
        let mut given = wanted.clone();
        // What the text must not contain, its parts must not contain.
        let handed = parts.iter().filter(|(_, part)| is_handed_down(part));
        wanted.extend(handed.map(|(at, part)| (*at, (*part).clone())));
        if let (Node::Units(unit, None), Some((goal, _))) = (&self.list.node, given.pop()) {
            wanted.push((goal, exactly_one(*unit)));
        }
        let (own, trees): (Vec<Goal<'_>>, Vec<Tree>) = wanted
            .iter()
            .filter_map(|(at, tree)| {
                let goal = goals.get(*at)?;
                Some((Goal { tree, variables: goal.variables, wanted: true }, tree.clone()))
            })
            .unzip();
        let pool = EditMaterial::collect(&trees, vocabulary, draw);
        let mut search = WitnessSearch {
            goals: &own,
            trees: &trees,
            pool,
            vocabulary,
            draw,
            left: *left,
            literal_cost: super::literal_cost(&trees),
            contrived: None,
            nodes: 0,
        };
        // A member alone need not say something.
        let first = best_climb(&mut search, &[]).or_else(|| search.contrived.take());
        let first = first.map(|text| search.shortened(text));
        let mut found: Vec<String> = first.into_iter().collect();
        // Checks differ on whether letters in different case are equal.
        if let Some(first) = found.first_mut() {
            search.keep_if_satisfied(first, |text| Some(text.to_lowercase()));
        }
        for turn in 0..MAX_OTHER_MEMBERS {
            // Alternates between the first and the last.
            let known = if turn % 2 == 0 { found.first() } else { found.last() };
            let Some(known) = known.filter(|_| found.len() < MAX_PARTS).cloned() else { break };
            let Some(other) = search.change(&known) else { continue };
            let is_near = other.len() < 2 * known.len() + EXTRA_LENGTH;
            if is_near && search.cost(&other) == 0 && !found.contains(&other) {
                found.push(other);
            }
        }
        *left = search.left;
        found
    }
}

fn asks_for_json(tree: &Tree) -> bool {
    matches!(&tree.node, Node::Call(func, _) if func.reads_json())
        || tree.children().into_iter().any(asks_for_json)
}

/// The conditions that must all hold.
fn conjuncts(tree: &Tree) -> Vec<&Tree> {
    match &tree.node {
        Node::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        _ => vec![tree],
    }
}

/// `every line.entry: …`: the list, and the condition on its members.
fn split_every(tree: &Tree) -> Option<(&Tree, Tree)> {
    let Node::Quantified(quantified) = &tree.node else { return None };
    let Quantified { quantifier, binder, domain, body } = &**quantified;
    let body = match binder {
        Some(name) => with_it_for(name, body),
        None => body.clone(),
    };
    let is_cut = match &domain.node {
        Node::Units(_, None) => true,
        Node::Call(name, _) => name.derived == Derived::Split,
        Node::Index(list, _) => {
            matches!(&list.node, Node::Call(name, _) if name.derived == Derived::Split)
        }
        _ => false,
    };
    match quantifier {
        _ if !is_cut => None,
        Quantifier::Every => Some((domain, body)),
        Quantifier::No => Some((domain, Tree::new(Node::Not(Box::new(body)), tree.span))),
        _ => None,
    }
}

/// Whether a property of a text also holds for its parts: that something does not occur, or that no
/// two units are equal.
fn is_handed_down(tree: &Tree) -> bool {
    match &tree.node {
        Node::Not(inner) => {
            matches!(&inner.node, Node::Call(func, _) if func.handed_down == Some(false))
        }
        Node::Call(func, _) => func.handed_down == Some(true),
        Node::Quantified(quantified) => {
            matches!(quantified.quantifier, Quantifier::Every | Quantifier::No)
                && matches!(
                    quantified.domain.node,
                    Node::Units(Unit::Word | Unit::Letter | Unit::Char, None)
                )
        }
        _ => false,
    }
}

fn exactly_one(unit: Unit) -> Tree {
    let units = Tree::without_place(Node::Units(unit, None));
    let count = count_of(units);
    let one = Tree::without_place(Node::Value(Value::Int(1)));
    Tree::without_place(Node::Compare(CompareOp::Equal, Box::new(count), Box::new(one)))
}
