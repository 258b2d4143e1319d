//! Drawing the arguments of a constraint from the domains of its parameters.

use std::fmt::Write as _;

use super::error::{DrawError, NoValue, expressions};
use super::exclusions::Exclusions;
use super::state::OtherConstraints;
use super::stream::Streams;
use super::window;
use ifs_base::work::{self, Task};
use ifs_model::table::{Constraint, Domain, Param};
use ifs_plan::ConstraintId;
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::NOTHING;
use ifs_value::stable_hash::{StreamKey, int_number, name_number};

/// Members of a list that a draw looks at in one step.
const MEMBERS_PER_STEP: u64 = 4;

/// The context of a draw: the facts that domains may refer to, and the values that masks exclude.
pub(super) struct DrawContext<'a> {
    pub streams: &'a Streams,
    /// The position in the dialogue that the draws depend on.
    pub at: u64,
    /// Distinguishes several draws for the same thing at one position.
    pub attempt: u32,
    pub facts: &'a dyn Variables,
    pub exclusions: &'a Exclusions,
    /// The other active constraints.
    pub active_constraints: OtherConstraints<'a>,
}

/// Draws the arguments of a constraint; `None` if a domain has no values left.
pub(super) fn draw(
    (id, constraint): (ConstraintId, &Constraint),
    place: &DrawContext<'_>,
) -> Option<Vec<(String, Value)>> {
    let mut args: Vec<(String, Value)> = Vec::with_capacity(constraint.params.len());
    for param in &constraint.params {
        let forbidden = place.exclusions.masked(id, &param.name, place.active_constraints);
        let key = key(&constraint.name, &param.name, place.attempt);
        let value = value(param, key, &args, &forbidden, place)?;
        args.push((param.name.clone(), value));
    }
    Some(args)
}

fn key(constraint: &str, param: &str, attempt: u32) -> StreamKey {
    StreamKey::new(constraint).and(param).and_number(u64::from(attempt))
}

/// Draws one value of a parameter. `args` are those before it.
pub(super) fn value(
    param: &Param,
    key: StreamKey,
    args: &[(String, Value)],
    forbidden: &[Value],
    place: &DrawContext<'_>,
) -> Option<Value> {
    let vars: (&dyn Variables, &dyn Variables) = (&args, place.facts);
    work::spend(Task::Draws, 1);
    let count_list = |list: &Value| {
        let members = list.as_list().map_or(0, <[Value]>::len) as u64;
        work::spend(Task::Draws, members * (1 + forbidden.len() as u64) / MEMBERS_PER_STEP)
    };
    let mut stream = place.streams.choice_stream(place.at, "arg", key);
    match &param.domain {
        Domain::Int { low, high, step } => {
            let (low, high) = (int(low, &vars)?, int(high, &vars)?);
            let step = int(step, &vars)?.max(1);
            if low > high {
                return None;
            }
            let steps = (i128::from(high) - i128::from(low)) / i128::from(step);
            Some(Value::Int(match i64::try_from(steps) {
                // Overflow of intermediate results is harmless: the result is within the domain.
                Ok(steps) => low.wrapping_add(step.wrapping_mul(stream.int(0, steps))),
                // For more than 2^63 steps, every step is 1.
                Err(_) => stream.int(low, high),
            }))
        }
        Domain::Float { low, high, step } => {
            let (low, high, step) = (float(low, &vars)?, float(high, &vars)?, float(step, &vars)?);
            if low > high || step <= 0.0 {
                return None;
            }
            // A tolerance of half a step: 0.3 / 0.1 is a little less than 3.
            let steps = ((high - low) / step + 0.5) as i64;
            Some(Value::Float(low + step * stream.int(0, steps) as f64))
        }
        Domain::Choices(choices) => {
            let mut open: Vec<(Value, u32)> = Vec::with_capacity(choices.len());
            for (tree, weight) in choices {
                let value = evaluated(tree, &vars)?;
                if !forbids(forbidden, &value) {
                    open.push((value, *weight));
                }
            }
            let at =
                stream.named(open.iter().map(|(value, weight)| (value_number(value), *weight)))?;
            Some(open.swap_remove(at).0)
        }
        Domain::OneOf(list) => {
            let list = evaluated(list, &vars)?;
            if !count_list(&list) {
                return None;
            }
            let open: Vec<&Value> =
                list.as_list()?.iter().filter(|value| !forbids(forbidden, value)).collect();
            let at = stream.named(open.iter().map(|value| (value_number(value), 1)))?;
            open.get(at).map(|value| (*value).clone())
        }
        Domain::Some { low, high, of, with } => {
            let (low, high) = (int(low, &vars)?, int(high, &vars)?);
            let of = evaluated(of, &vars)?;
            if !count_list(&of) {
                return None;
            }
            let open: Vec<&Value> =
                of.as_list()?.iter().filter(|value| !forbids(forbidden, value)).collect();
            if (open.len() as i64) < low {
                return None;
            }
            let count = stream.int(low, high.min(open.len() as i64));
            let names: Vec<u64> = open.iter().map(|value| value_number(value)).collect();
            let chosen = stream.several(&names, usize::try_from(count).unwrap_or(0));
            let members: Option<Vec<Value>> =
                chosen.into_iter().map(|at| member(open[at], with, key, place)).collect();
            members.map(Value::list)
        }
        Domain::Window { within, by, condition } => {
            let within = evaluated(within, &vars)?;
            window::drawn(within.as_list()?, by.as_ref(), condition.as_ref(), &vars, &mut stream)
        }
        Domain::Scene(scene) => super::scene::draw(scene, key, place).ok().map(|drawn| drawn.value),
        Domain::Given => None,
    }
}

/// The value of a parameter of a dialogue, a turn or a scene. The error distinguishes a domain
/// without values from an expression without a value.
pub(super) fn needed_param(
    param: &Param,
    key: StreamKey,
    names: &[(String, Value)],
    place: &DrawContext<'_>,
) -> Result<Value, DrawError> {
    if let Some(value) = value(param, key, names, &[], place) {
        return Ok(value);
    }
    let vars: (&dyn Variables, &dyn Variables) = (&names, place.facts);
    let what = format!("`{}`", param.name);
    for tree in expressions(&param.domain) {
        needed(tree, &what, &vars)?;
    }
    if let Domain::Scene(scene) = &param.domain
        && let Err(fault) = super::scene::draw(scene, key, place)
    {
        return Err(NoValue::without_expression(&what, fault.to_string(), fault.span));
    }
    Err(NoValue::empty(&what, param.span, &param.domain, &vars))
}

/// The same arguments with one of them replaced by another of its values, so that the constraint
/// fits. Parameters that later ones depend on, and lists, keep their drawn values.
pub(super) fn narrowed(
    (id, constraint): (ConstraintId, &Constraint),
    args: &[(String, Value)],
    place: &DrawContext<'_>,
    fits: impl Fn(&[(String, Value)]) -> bool,
) -> Option<Vec<(String, Value)>> {
    for (at, param) in constraint.params.iter().enumerate().rev() {
        let later = constraint.params.get(at + 1..).unwrap_or(&[]);
        if later.iter().any(|later| mentions(&later.domain, &param.name)) {
            continue;
        }
        let forbidden = place.exclusions.masked(id, &param.name, place.active_constraints);
        let before = args.get(..at).unwrap_or(&[]);
        let Some(open) = every(&param.domain, before, place) else { continue };
        let mut fitting: Vec<(Vec<(String, Value)>, u32)> = open
            .into_iter()
            .filter(|(value, _)| !forbids(&forbidden, value))
            .take_while(|_| work::spend(Task::Draws, 1))
            .map(|(value, weight)| {
                let mut args = args.to_vec();
                args[at].1 = value;
                (args, weight)
            })
            .filter(|(args, _)| fits(args))
            .collect();
        let key = key(&constraint.name, &param.name, place.attempt);
        let names = fitting.iter().map(|(args, weight)| (value_number(&args[at].1), *weight));
        if let Some(chosen) = place.streams.choice_stream(place.at, "arg", key).named(names) {
            return Some(fitting.swap_remove(chosen).0);
        }
    }
    None
}

/// All values of a domain with their weights; `None` for lists and for domains with too many.
fn every(
    domain: &Domain,
    args: &[(String, Value)],
    place: &DrawContext<'_>,
) -> Option<Vec<(Value, u32)>> {
    /// The maximum number of integers that are enumerated.
    const MAX_INTEGERS: usize = 1024;
    let vars: (&dyn Variables, &dyn Variables) = (&args, place.facts);
    match domain {
        Domain::Int { low, high, step } => {
            let (low, high) = (int(low, &vars)?, int(high, &vars)?);
            let step = int(step, &vars)?.max(1);
            let numbers = std::iter::successors(Some(low), |at| at.checked_add(step));
            let numbers: Vec<i64> =
                numbers.take_while(|at| *at <= high).take(MAX_INTEGERS + 1).collect();
            (numbers.len() <= MAX_INTEGERS)
                .then(|| numbers.into_iter().map(|number| (Value::Int(number), 1)).collect())
        }
        Domain::Choices(choices) => {
            choices.iter().map(|(tree, weight)| Some((evaluated(tree, &vars)?, *weight))).collect()
        }
        Domain::OneOf(list) => {
            let list = evaluated(list, &vars)?;
            Some(list.as_list()?.iter().map(|value| (value.clone(), 1)).collect())
        }
        Domain::Float { .. }
        | Domain::Some { .. }
        | Domain::Window { .. }
        | Domain::Scene(_)
        | Domain::Given => None,
    }
}

/// The maximum number of values that are counted.
const MAX_COUNTED_VALUES: usize = 32;

/// Values with their weights, and the index of one of them.
pub(super) type WeightedValues = (Vec<(Value, f64)>, Option<usize>);

/// The values that a parameter of a constraint may take, with their weights, and the index of its
/// argument; `None` for lists and for domains with too many.
pub(super) fn shares(
    (id, constraint): (ConstraintId, &Constraint),
    at: usize,
    args: &[(String, Value)],
    place: &DrawContext<'_>,
) -> Option<WeightedValues> {
    let param = constraint.params.get(at)?;
    let forbidden = place.exclusions.masked(id, &param.name, place.active_constraints);
    let all = every(&param.domain, args.get(..at)?, place)?;
    let open = all.into_iter().filter(|(value, _)| !forbids(&forbidden, value));
    let open: Vec<(Value, f64)> = open.map(|(value, weight)| (value, f64::from(weight))).collect();
    if open.len() > MAX_COUNTED_VALUES {
        return None;
    }
    let value = &args.get(at)?.1;
    let drawn = open.iter().position(|(open, _)| open == value);
    Some((open, drawn))
}

fn mentions(domain: &Domain, name: &str) -> bool {
    fn asks(tree: &Tree, name: &str) -> bool {
        matches!(&tree.node, Node::Var(var) if var == name)
            || tree.children().into_iter().any(|child| asks(child, name))
    }
    match domain {
        Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
            [low, high, step].into_iter().any(|tree| asks(tree, name))
        }
        Domain::Choices(choices) => choices.iter().any(|(tree, _)| asks(tree, name)),
        Domain::OneOf(list) => asks(list, name),
        Domain::Some { low, high, of, with } => {
            [low, high, of].into_iter().any(|tree| asks(tree, name))
                || with.iter().any(|with| mentions(&with.domain, name))
        }
        Domain::Window { within, by, condition } => {
            let more = by.iter().chain(condition);
            std::iter::once(within).chain(more).any(|tree| asks(tree, name))
        }
        Domain::Scene(_) | Domain::Given => false,
    }
}

/// A member of a drawn list: the value, or a record with its additional fields.
pub(super) fn member(
    value: &Value,
    with: &[Param],
    key: StreamKey,
    place: &DrawContext<'_>,
) -> Option<Value> {
    if with.is_empty() {
        return Some(value.clone());
    }
    let key = key.and_number(value_number(value));
    let mut fields = vec![("value".to_owned(), value.clone())];
    for (at, param) in with.iter().enumerate() {
        // The first attempt uses the original stream; each further one has its own.
        let key = if at == 0 { key } else { key.and(&param.name) };
        fields.push((param.name.clone(), self::value(param, key, &[], &[], place)?));
    }
    Some(Value::record(fields))
}

pub(super) fn forbids(forbidden: &[Value], value: &Value) -> bool {
    forbidden.contains(value)
}

/// A value as a number, for choices that an additional value does not reshuffle.
pub(super) fn value_number(value: &Value) -> u64 {
    match value {
        Value::Text(text) => name_number(text),
        Value::Int(number) => int_number(*number),
        other => {
            let mut text = String::with_capacity(32);
            // Writing to memory cannot fail.
            let _ = write!(text, "{other}");
            name_number(&text)
        }
    }
}

pub(super) fn evaluated(tree: &Tree, vars: &dyn Variables) -> Option<Value> {
    simple(tree, vars)
        .or_else(|| evaluate(tree, &TextContext { it: &NOTHING, variables: vars }).ok())
}

/// The value of an expression, or an error that names its purpose.
pub(super) fn needed(tree: &Tree, what: &str, vars: &dyn Variables) -> Result<Value, DrawError> {
    if let Some(value) = simple(tree, vars) {
        return Ok(value);
    }
    evaluate(tree, &TextContext { it: &NOTHING, variables: vars })
        .map_err(|fault| NoValue::error(what, tree, fault, vars))
}

/// The same for an integer.
pub(super) fn needed_int(tree: &Tree, what: &str, vars: &dyn Variables) -> Result<i64, DrawError> {
    let value = needed(tree, what, vars)?;
    rounded(&value).ok_or_else(|| NoValue::unfit(what, tree, &value, "a whole number", vars))
}

/// The same for a number.
pub(super) fn needed_float(
    tree: &Tree,
    what: &str,
    vars: &dyn Variables,
) -> Result<f64, DrawError> {
    match needed(tree, what, vars)? {
        Value::Int(number) => Ok(number as f64),
        Value::Float(number) => Ok(number),
        other => Err(NoValue::unfit(what, tree, &other, "a number", vars)),
    }
}

/// The same for a condition.
pub(super) fn needed_truth(
    tree: &Tree,
    what: &str,
    vars: &dyn Variables,
) -> Result<bool, DrawError> {
    match needed(tree, what, vars)? {
        Value::Bool(truth) => Ok(truth),
        other => Err(NoValue::unfit(what, tree, &other, "a condition", vars)),
    }
}

/// A fast path for most guards and bounds: values, names, and comparisons of integers. `None` for
/// everything else.
fn simple(tree: &Tree, vars: &dyn Variables) -> Option<Value> {
    match &tree.node {
        Node::Value(value) => Some(value.clone()),
        Node::Var(name) => vars.get(name),
        Node::Fact(fact) => vars.fact(*fact),
        Node::Compare(op, left, right) => {
            let (left, right) = (whole(left, vars)?, whole(right, vars)?);
            Some(Value::Bool(op.holds(left.cmp(&right))))
        }
        Node::And(parts) => joined(parts, true, vars),
        Node::Or(parts) => joined(parts, false, vars),
        _ => None,
    }
}

/// An integer, or the name of one.
fn whole(tree: &Tree, vars: &dyn Variables) -> Option<i64> {
    match &tree.node {
        Node::Value(value) => value.as_int(),
        Node::Var(name) => vars.get(name)?.as_int(),
        Node::Fact(fact) => vars.fact(*fact)?.as_int(),
        _ => None,
    }
}

/// Whether all of several conditions hold, or any.
fn joined(parts: &[Tree], all: bool, vars: &dyn Variables) -> Option<Value> {
    let mut whole = all;
    for part in parts {
        let holds = simple(part, vars)?.as_bool()?;
        whole = if all { whole && holds } else { whole || holds };
    }
    Some(Value::Bool(whole))
}

pub(super) fn int(tree: &Tree, vars: &dyn Variables) -> Option<i64> {
    rounded(&evaluated(tree, vars)?)
}

fn rounded(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        // A division that is used as an integer: `len(words) / 2` is rounded down.
        Value::Float(number) if number.abs() < 1e15 => Some(*number as i64),
        _ => None,
    }
}

fn float(tree: &Tree, vars: &dyn Variables) -> Option<f64> {
    match evaluated(tree, vars)? {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}
