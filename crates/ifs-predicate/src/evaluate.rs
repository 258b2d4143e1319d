//! The value of a tree in a scene.
//!
//! Evaluation is total: every tree has a value or a [`EvalError`], and a check with a fault does not
//! hold. Truth is
//! three-valued inside, so that a part that faults spoils only what depends on it: `a or b` holds
//! when one of them does, `a and b` fails when one of them fails, and `not` of a fault is a fault.
//! * `every` and `no` hold over an empty list; the library says `count(sentence) >= 1 and every …`
//!   where something has to be there.
//! * An ordinal that does not exist (`paragraph[9]`) is a fault.

mod node;
mod quantify;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::Range;

use super::fault::EvalError;
use super::number::Number;
use super::operand::{Operand, TextPiece};
use super::tree::{Node, Tree};
use super::turn_fact::TurnFact;
use super::value::Value;
use ifs_base::work::{self, Task};
use ifs_text::Text;

/// The parts of the text that a check reads.
#[derive(Clone, Copy)]
pub struct TextContext<'a> {
    /// The answer.
    pub it: &'a Text<'a>,
    /// Parameters, and the facts of the turn: `reply`, `turn`, `age`, `prompt`, `replies` ….
    pub variables: &'a dyn Variables,
}

/// Where names and facts of the turn get their values from.
pub trait Variables {
    /// The value of a name that an author gave.
    fn get(&self, name: &str) -> Option<Value>;

    /// The value of a fact of the turn.
    fn fact(&self, _fact: TurnFact) -> Option<Value> {
        None
    }

    /// The least and the greatest number that a name without a value may have.
    fn bounds_of(&self, _name: &str) -> Option<(Value, Value)> {
        None
    }
}

impl Variables for () {
    fn get(&self, _name: &str) -> Option<Value> {
        None
    }
}

/// Later pairs hide earlier ones.
impl<N: AsRef<str>> Variables for &[(N, Value)] {
    fn get(&self, name: &str) -> Option<Value> {
        let pair = self.iter().rev().find(|(have, _)| have.as_ref() == name)?;
        Some(pair.1.clone())
    }
}

impl<N: AsRef<str>> Variables for Vec<(N, Value)> {
    fn get(&self, name: &str) -> Option<Value> {
        Variables::get(&self.as_slice(), name)
    }
}

impl<N: AsRef<str>, const LENGTH: usize> Variables for [(N, Value); LENGTH] {
    fn get(&self, name: &str) -> Option<Value> {
        Variables::get(&self.as_slice(), name)
    }
}

impl Variables for std::collections::BTreeMap<String, Value> {
    fn get(&self, name: &str) -> Option<Value> {
        std::collections::BTreeMap::get(self, name).cloned()
    }
}

/// Some facts of a turn, with their values.
pub struct TurnFacts<'a>(pub &'a [(TurnFact, Value)]);

impl Variables for TurnFacts<'_> {
    fn get(&self, _name: &str) -> Option<Value> {
        None
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        let (_, value) = self.0.iter().find(|(known, _)| *known == fact)?;
        Some(value.clone())
    }
}

/// The first hides the second.
impl<A: Variables + ?Sized, B: Variables + ?Sized> Variables for (&A, &B) {
    fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name).or_else(|| self.1.get(name))
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        self.0.fact(fact).or_else(|| self.1.fact(fact))
    }

    fn bounds_of(&self, name: &str) -> Option<(Value, Value)> {
        self.0.bounds_of(name).or_else(|| self.1.bounds_of(name))
    }
}

/// The value of a tree.
///
/// # Errors
/// A fault when some part that matters has no value.
pub fn evaluate(tree: &Tree, scene: &TextContext<'_>) -> Result<Value, EvalError> {
    evaluate_within(tree, scene, &Cell::new(MAX_BUDGET))
}

/// The same within a budget of `steps`, which several evaluations share.
///
/// # Errors
/// As [`evaluate`], and when the steps are used up.
pub fn evaluate_within(
    tree: &Tree,
    scene: &TextContext<'_>,
    steps: &Cell<usize>,
) -> Result<Value, EvalError> {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    let own = budget(scene);
    let given = own.get().min(steps.get());
    own.set(given);
    let operand = Env::new(scene, &it, &own).operand(tree);
    let spent = given - own.get();
    steps.set(steps.get() - spent);
    count_work(spent);
    let operand = operand?;
    operand.value().ok_or_else(|| {
        EvalError::new(format!("{} is not a value by itself", operand.kind())).with_span(tree.span)
    })
}

/// The value of a part of an expression; `None` for what is not a value by itself, such as a range.
pub fn value_of_part(tree: &Tree, scene: &TextContext<'_>) -> Result<Option<Value>, EvalError> {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    Ok(Env::new(scene, &it, &budget(scene)).operand(tree)?.value())
}

/// The positions in the response of the members of a list, or of the value of a tree, in bytes.
/// `None` if the value is not part of the response.
pub(super) fn positions_in_response(
    tree: &Tree,
    scene: &TextContext<'_>,
) -> Option<Vec<Range<usize>>> {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    match Env::new(scene, &it, &budget(scene)).operand(tree).ok()? {
        Operand::Needle(sought) => Some(sought.occurrences(scene.it)),
        Operand::Piece(piece) => Some(vec![piece.response_range()?]),
        Operand::Pieces(pieces) => pieces.iter().map(|piece| piece.response_range()).collect(),
        _ => None,
    }
}

/// Whether a check holds; one with a fault, or without a truth value, does not.
pub fn holds(tree: &Tree, scene: &TextContext<'_>) -> bool {
    verdict(tree, scene) == Verdict::Holds
}

/// Whether a check holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Holds,
    Fails,
    /// It takes too long.
    Exhausted,
    /// It cannot be told from this text, and why.
    Undecided(String),
}

/// Whether a check holds, if that can be told.
pub fn verdict(tree: &Tree, scene: &TextContext<'_>) -> Verdict {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    let budget = budget(scene);
    let given = budget.get();
    let env = Env::new(scene, &it, &budget);
    let truth = env.truth(tree);
    count_work(given - budget.get());
    match truth {
        Ok(true) => Verdict::Holds,
        Ok(false) => Verdict::Fails,
        Err(_) if env.is_exhausted() => Verdict::Exhausted,
        Err(fault) if fault.is_undecided => Verdict::Undecided(fault.message),
        Err(_) => Verdict::Fails,
    }
}

/// Whether a condition on a record (`it`) holds.
pub fn record_meets(condition: &Tree, record: &Value) -> bool {
    let list = Tree::without_place(Node::Value(Value::list([record.clone()])));
    let filtered = Tree::without_place(Node::Where(Box::new(list), Box::new(condition.clone())));
    let nothing = Text::new("");
    let scene = TextContext { it: &nothing, variables: &() };
    match evaluate(&filtered, &scene) {
        Ok(Value::List(kept)) => !kept.is_empty(),
        _ => false,
    }
}

/// The budget: in proportion to the response, since quantifiers iterate over its units, up to a few
/// seconds. Nested quantifiers could run forever otherwise.
/// A node costs one step; lists and texts cost more, see [`Env::spend`].
pub(super) fn budget(scene: &TextContext<'_>) -> Cell<usize> {
    let nodes = (2_000_000 + scene.it.str().len().saturating_mul(64)).min(MAX_BUDGET);
    let left = usize::try_from(work::steps_left()).unwrap_or(usize::MAX);
    Cell::new(nodes.min(left.saturating_mul(NODES_PER_STEP)))
}

/// Nodes that are one step of the work of a command.
const NODES_PER_STEP: usize = 2;

fn count_work(nodes: usize) {
    work::spend(Task::Evaluation, (nodes / NODES_PER_STEP) as u64);
}

/// The fault of a check that would take longer.
pub const TOO_LONG: &str = "the expression takes too long";
const MAX_BUDGET: usize = 40_000_000;
/// The budget for further reasons.
const REASON_BUDGET: usize = 2_000_000;
/// The number of list members, and of bytes read, that cost as much as one node.
const MEMBERS_PER_NODE: usize = 4;
const BYTES_PER_NODE: usize = 64;
/// The number of bytes of a new text that cost as much as one node.
const MADE_BYTES_PER_NODE: usize = 8;

/// The parser limits trees to a depth of 256; this is for constructed trees.
const MAX_DEPTH: usize = 320;

/// The state of an evaluation: what `it` is, and the names bound by quantifiers.
#[derive(Clone, Copy)]
pub(super) struct Env<'e, 'a> {
    pub(super) scene: &'a TextContext<'a>,
    pub(super) it: &'e Operand<'a>,
    local: Option<&'e Local<'e, 'a>>,
    depth: usize,
    /// How many nodes may still be evaluated.
    budget: &'e Cell<usize>,
}

fn expect_bool(operand: &Operand<'_>) -> Result<bool, EvalError> {
    operand
        .as_bool()
        .ok_or_else(|| EvalError::new(format!("{} is neither true nor false", operand.kind())))
}

/// A name bound by a quantifier.
pub(super) struct Local<'e, 'a> {
    name: &'a str,
    value: Operand<'a>,
    outer: Option<&'e Local<'e, 'a>>,
}

impl<'e, 'a> Env<'e, 'a> {
    pub(super) fn new(
        scene: &'a TextContext<'a>,
        it: &'e Operand<'a>,
        budget: &'e Cell<usize>,
    ) -> Env<'e, 'a> {
        Env { scene, it, local: None, depth: 0, budget }
    }

    pub(super) fn with_it<'f>(&self, it: &'f Operand<'a>) -> Env<'f, 'a>
    where
        'e: 'f,
    {
        Env { it, ..*self }
    }

    pub(super) fn bind(&self, name: &'a str, value: Operand<'a>) -> Local<'e, 'a> {
        Local { name, value, outer: self.local }
    }

    pub(super) fn with_local<'f>(&self, local: &'f Local<'f, 'a>) -> Env<'f, 'a>
    where
        'e: 'f,
    {
        Env { local: Some(local), ..*self }
    }

    /// The value of a tree.
    pub(crate) fn operand(&self, tree: &'a Tree) -> Result<Operand<'a>, EvalError> {
        if self.depth >= MAX_DEPTH {
            return Err(EvalError::new("the expression is nested too deeply").with_span(tree.span));
        }
        self.spend(1).map_err(|fault| fault.with_span(tree.span))?;
        let deeper = Env { depth: self.depth + 1, ..*self };
        deeper.node(tree).map_err(|fault| fault.with_span(tree.span))
    }

    /// Subtracts from the budget. An exhausted budget stays exhausted.
    fn spend(&self, nodes: usize) -> Result<(), EvalError> {
        let left = self.budget.get().checked_sub(nodes);
        self.budget.set(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(EvalError::new(TOO_LONG)),
        }
    }

    /// The cost of iterating over a value once.
    fn spend_iteration(&self, operand: &Operand<'_>) -> Result<(), EvalError> {
        let members = operand.list_len().unwrap_or(0) / MEMBERS_PER_NODE;
        self.spend(members + operand.as_str().map_or(0, str::len) / BYTES_PER_NODE)
    }

    /// The cost of a text or list that was made.
    fn spend_on_result(&self, result: Operand<'a>) -> Result<Operand<'a>, EvalError> {
        // What makes a text does more for each byte than what reads it.
        if let Operand::Value(Value::Text(text)) = &result {
            self.spend(text.len() / MADE_BYTES_PER_NODE)?;
        }
        self.spend_iteration(&result)?;
        Ok(result)
    }

    /// The cost of segmenting a text; the response is segmented only once.
    fn spend_on_units(&self, piece: &TextPiece<'_>) -> Result<(), EvalError> {
        if piece.is_answer() { Ok(()) } else { self.spend(piece.as_str().len() / BYTES_PER_NODE) }
    }

    /// Reduces the budget: only quick results are useful from here on.
    pub(super) fn reduce_budget(&self) {
        self.budget.set(self.budget.get().min(REASON_BUDGET));
    }

    /// Whether nothing more can be evaluated.
    pub(super) fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
    }

    /// Whether a tree holds.
    pub(super) fn truth(&self, tree: &'a Tree) -> Result<bool, EvalError> {
        expect_bool(&self.operand(tree)?).map_err(|fault| fault.with_span(tree.span))
    }

    pub(super) fn number(&self, tree: &'a Tree) -> Result<Number, EvalError> {
        let operand = self.operand(tree)?;
        operand.as_number().ok_or_else(|| {
            EvalError::new(format!("{} is not a number", operand.kind())).with_span(tree.span)
        })
    }

    /// The value a name has here.
    fn name(&self, name: &str) -> Result<Operand<'a>, EvalError> {
        let mut local = self.local;
        while let Some(binding) = local {
            if binding.name == name {
                return Ok(binding.value.clone());
            }
            local = binding.outer;
        }
        match self.scene.variables.get(name) {
            Some(value) => Ok(Operand::Value(value)),
            None => Err(EvalError::new(format!("`{name}` has no value"))),
        }
    }
}
