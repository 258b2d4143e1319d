//! Reports branches on what no earlier turn observes, and sides that no response leads to.
//!
//! Follows the graph with the values that each observation may have, and refines them on each side
//! of a branch.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::NodeIndex;

use crate::{DialoguePlan, EdgeKind, Plan, PlanNodeKind, ordered_edges};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use ifs_model::table::{DecidedBy, MISSED, Turn, TurnPart};
use ifs_predicate::bound::{always_holds, never};
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};

/// The values that an observation may have, as a set: not observed, it holds, it does not, it could
/// not be read.
type Values = u8;
const NONE: Values = 1;
const TRUE: Values = 2;
const FALSE: Values = 4;
const UNREAD: Values = 8;
const ALL: [Values; 4] = [NONE, TRUE, FALSE, UNREAD];

/// The most observations in one condition whose combinations are tried.
const MAX_OBSERVATIONS: usize = 6;

/// The observations of a dialogue, in alphabetical order.
struct ObservationNames<'p>(Vec<&'p str>);

/// The values of all observations, by their position.
type KnownFacts = Vec<Values>;

impl<'p> ObservationNames<'p> {
    fn position(&self, name: &str) -> Option<usize> {
        self.0.binary_search(&name).ok()
    }

    /// Those that a condition reads.
    fn read_by(&self, condition: &Tree) -> Vec<usize> {
        let mut read = BTreeSet::new();
        let mut open = vec![condition];
        while let Some(tree) = open.pop() {
            if let Node::Var(name) = &tree.node {
                read.extend(self.position(name));
            }
            open.extend(tree.children());
        }
        read.into_iter().collect()
    }
}

pub(super) fn check(plan: &Plan, dialogue: DialoguePlan<'_>) -> Vec<Diagnostic> {
    let graph = &dialogue.graph;
    let turns = dialogue.table.written_turns(&plan.model.flows);
    let start = graph.node_indices().find(|at| graph[*at].kind == PlanNodeKind::Start);
    let (Some(start), true) = (start, dialogue.table.is_reactive(&plan.model.flows)) else {
        return Vec::new();
    };
    let names: Vec<&str> =
        turns.iter().flat_map(|turn| turn.observes()).map(|(name, _)| name).collect();
    // Constraints that are active on a turn may come from anywhere in the dialogue.
    let table = dialogue.table;
    let imposes = !table.groups.is_empty() || table.all_imposes(&plan.model.flows).next().is_some();
    let mut known: BTreeMap<NodeIndex, KnownFacts> = BTreeMap::new();
    let names: BTreeSet<&str> = names.into_iter().chain([MISSED]).collect();
    let names = ObservationNames(names.into_iter().collect());
    known.insert(start, vec![NONE; names.0.len()]);
    // Earlier nodes first: what is known before a node is then known when it is looked at.
    let mut open = BTreeSet::from([start]);
    while let Some(at) = open.pop_first() {
        if !work::spend(Task::Paths, 1 + names.0.len() as u64 / 8) {
            return Vec::new();
        }
        let mut values = known[&at].clone();
        let own = graph[at].turns.iter().filter_map(|turn| turns.get(*turn as usize).copied());
        let own: Vec<&Turn> = own.collect();
        let responds = match graph[at].kind {
            PlanNodeKind::New | PlanNodeKind::Stay | PlanNodeKind::Backtrack => true,
            PlanNodeKind::Turn => !own.iter().any(|turn| turn.is_given()),
            _ => false,
        };
        if responds {
            let judged = imposes || own.iter().any(|turn| is_judged(turn));
            if let Some(missed) = names.position(MISSED) {
                values[missed] = if judged { TRUE | FALSE | UNREAD } else { UNREAD };
            }
        }
        own.into_iter().for_each(|turn| observe(turn, &names, &mut values));
        for edge in ordered_edges(graph, at) {
            let Some((_, to)) = graph.edge_endpoints(edge) else { continue };
            if !matches!(graph[edge].kind, EdgeKind::Control { .. }) {
                continue;
            }
            let values = match (graph[at].kind, condition(dialogue, at)) {
                (PlanNodeKind::When, Some(condition)) => {
                    let holds = graph[edge].guard.is_some();
                    let Some(values) = refined(&names, &values, condition, holds) else { continue };
                    values
                }
                _ => values.clone(),
            };
            let more = match known.get_mut(&to) {
                None => known.insert(to, values).is_none(),
                Some(before) => join(before, &values),
            };
            if more {
                open.insert(to);
            }
        }
    }
    let mut found = Vec::new();
    for at in graph.node_indices().filter(|at| graph[*at].kind == PlanNodeKind::When) {
        let (Some(values), Some(condition)) = (known.get(&at), condition(dialogue, at)) else {
            continue;
        };
        let read = names.read_by(condition);
        match read.into_iter().find(|position| values[*position] & NONE != 0) {
            Some(position) => {
                let name = names.0[position];
                found.push(too_early(condition, name, observed_at(&turns, name)));
            }
            None => found.extend(unreachable_side(dialogue, at, (&names, values), condition)),
        }
    }
    found
}

/// The condition of a branch.
fn condition(dialogue: DialoguePlan<'_>, at: NodeIndex) -> Option<&Tree> {
    dialogue.graph.edges(at).find_map(|edge| edge.weight().guard.as_ref())
}

/// Whether a turn requires something of its response.
fn is_judged(turn: &Turn) -> bool {
    fn any(parts: &[TurnPart]) -> bool {
        parts.iter().any(|part| match part {
            TurnPart::Require { .. }
            | TurnPart::Expect { .. }
            | TurnPart::Void(..)
            | TurnPart::Impose(_) => true,
            TurnPart::For { body, .. } => any(body),
            TurnPart::Ask(_)
            | TurnPart::Show(_)
            | TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Part { .. }
            | TurnPart::Observe { .. }
            | TurnPart::Answer(_)
            | TurnPart::Reply(_)
            | TurnPart::Class(_) => false,
        })
    }
    !turn.relations.is_empty() || any(&turn.body)
}

fn observe(turn: &Turn, names: &ObservationNames<'_>, values: &mut KnownFacts) {
    for (name, by) in turn.observes() {
        let seen = match by {
            DecidedBy::Rule(tree) if always_holds(tree, &()) => TRUE,
            DecidedBy::Rule(tree) if never(tree, &()).is_some() => FALSE,
            DecidedBy::Rule(_) => TRUE | FALSE,
            DecidedBy::Judge(_) => TRUE | FALSE | UNREAD,
        };
        if let Some(position) = names.position(name) {
            values[position] = seen;
        }
    }
}

/// Adds values. Whether any is new.
fn join(into: &mut KnownFacts, values: &KnownFacts) -> bool {
    let mut new = false;
    for (known, more) in into.iter_mut().zip(values) {
        new |= *more & !*known != 0;
        *known |= more;
    }
    new
}

/// The values with which a condition holds, or does not; `None` if there are none.
fn refined(
    names: &ObservationNames<'_>,
    values: &KnownFacts,
    condition: &Tree,
    holds: bool,
) -> Option<KnownFacts> {
    let read = names.read_by(condition);
    if read.len() > MAX_OBSERVATIONS {
        return Some(values.clone());
    }
    let mut possible: Vec<Values> = vec![0; read.len()];
    for combination in 0..ALL.len().pow(read.len() as u32) {
        work::spend(Task::Paths, 1);
        let mut rest = combination;
        let single: Vec<(&str, Values)> = read
            .iter()
            .map(|position| {
                let value = ALL[rest % ALL.len()];
                rest /= ALL.len();
                (names.0[*position], value)
            })
            .collect();
        let occurs = single.iter().zip(&read).all(|((_, value), at)| value & values[*at] != 0);
        if !occurs {
            continue;
        }
        // An undecided value may be either.
        let truth = truth(condition, &single);
        if truth == Truth::Open || (truth == Truth::Known(Some(true))) == holds {
            for (all, (_, value)) in possible.iter_mut().zip(&single) {
                *all |= value;
            }
        }
    }
    // A condition without observations may go either way.
    if read.is_empty() {
        let truth = truth(condition, &[]);
        let either = truth == Truth::Open || (truth == Truth::Known(Some(true))) == holds;
        return either.then(|| values.clone());
    }
    if possible.contains(&0) {
        return None;
    }
    let mut refined = values.clone();
    for (position, possible) in read.iter().zip(possible) {
        refined[*position] = possible;
    }
    Some(refined)
}

/// The value of a condition for some values of observations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// True, false, or without a value.
    Known(Option<bool>),
    /// It depends on other names.
    Open,
}

fn truth(tree: &Tree, values: &[(&str, Values)]) -> Truth {
    let all = |parts: &[Tree], absorbing: bool| {
        let parts: Vec<Truth> = parts.iter().map(|part| truth(part, values)).collect();
        if parts.contains(&Truth::Known(Some(absorbing))) {
            Truth::Known(Some(absorbing))
        } else if parts.contains(&Truth::Open) {
            Truth::Open
        } else if parts.contains(&Truth::Known(None)) {
            Truth::Known(None)
        } else {
            Truth::Known(Some(!absorbing))
        }
    };
    match &tree.node {
        Node::And(parts) => all(parts, false),
        Node::Or(parts) => all(parts, true),
        Node::Not(part) => match truth(part, values) {
            Truth::Known(value) => Truth::Known(value.map(|value| !value)),
            Truth::Open => Truth::Open,
        },
        Node::Value(value) => value.as_bool().map_or(Truth::Open, |it| Truth::Known(Some(it))),
        Node::Var(name) => {
            match values.iter().find(|(read, _)| read == name).map(|(_, one)| *one) {
                Some(TRUE) => Truth::Known(Some(true)),
                Some(FALSE) => Truth::Known(Some(false)),
                Some(NONE | UNREAD) => Truth::Known(None),
                _ => Truth::Open,
            }
        }
        _ => Truth::Open,
    }
}

fn observed_at(turns: &[&Turn], name: &str) -> Option<Span> {
    let observes = |turn: &&&Turn| turn.observes().any(|(known, _)| known == name);
    turns.iter().find(observes).map(|turn| turn.span)
}

fn too_early(condition: &Tree, name: &str, observed: Option<Span>) -> Diagnostic {
    let message = format!("`{name}` may not have been observed here");
    let mut diagnostic = Diagnostic::error(Code::BAD_BRANCH, message)
        .label(condition.span, "not every path to this branch observes it");
    if let Some(span) = observed {
        diagnostic = diagnostic.label(span, "this turn does");
    }
    diagnostic.help(match name {
        MISSED => "it is whether the last response missed something: write a turn that the model \
                   responds to before it"
            .to_owned(),
        name => format!("write `observe {name} …` in a turn that always comes before it"),
    })
}

/// Reports a side that no response leads to.
fn unreachable_side(
    dialogue: DialoguePlan<'_>,
    at: NodeIndex,
    (names, values): (&ObservationNames<'_>, &KnownFacts),
    condition: &Tree,
) -> Option<Diagnostic> {
    let graph = &dialogue.graph;
    for edge in ordered_edges(graph, at) {
        let (_, to) = graph.edge_endpoints(edge)?;
        let holds = graph[edge].guard.is_some();
        // Without `else`, nothing is written for that side.
        if graph[to].kind == PlanNodeKind::Join
            || refined(names, values, condition, holds).is_some()
        {
            continue;
        }
        let (message, label) = match holds {
            true => ("can never hold", "no response leads to this side"),
            false => ("always holds", "no response leads to the `else`"),
        };
        let message = format!("`{}` {message}", print(condition));
        let missed = names.position(MISSED).map(|position| values[position]);
        let unasked = condition.mentions(MISSED) && missed == Some(UNREAD);
        let help = match unasked {
            true => {
                "nothing is required of the response before it, so it cannot miss anything: add \
                     a `require`, an `expect` or an `impose`"
            }
            false => "change what is observed, or write the turns of the other side alone",
        };
        return Some(
            Diagnostic::error(Code::BAD_BRANCH, message).label(condition.span, label).help(help),
        );
    }
    None
}
