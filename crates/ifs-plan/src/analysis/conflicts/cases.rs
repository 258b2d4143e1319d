//! The possible values of a constraint's parameters, as far as the plan determines them.

use crate::Plan;
use ifs_model::table::{Domain, Param};
use ifs_predicate::evaluate::{TextContext, TurnFacts, Variables, evaluate};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_text::NOTHING;

/// The maximum number of values of one constraint.
const MAX_CASES: usize = 256;

/// Values of some names and facts, and ranges of integers for others.
#[derive(Clone, Debug, Default)]
pub(in crate::analysis) struct KnownValues {
    pub known: Vec<(String, Value)>,
    ends: Vec<(String, Value, Value)>,
    facts: Vec<(TurnFact, Value)>,
}

impl Variables for KnownValues {
    fn get(&self, name: &str) -> Option<Value> {
        self.known.get(name)
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        TurnFacts(&self.facts).fact(fact)
    }

    fn bounds_of(&self, name: &str) -> Option<(Value, Value)> {
        let (_, low, high) = self.ends.iter().find(|(known, ..)| known == name)?;
        Some((low.clone(), high.clone()))
    }
}

impl KnownValues {
    /// Only the ranges of integers are known.
    pub fn with_ranges(params: &[Param]) -> KnownValues {
        let mut case = KnownValues::default();
        for param in params {
            if let Domain::Int { low, high, .. } = &param.domain
                && let (Some(low), Some(high)) = (constant(low, &case), constant(high, &case))
            {
                case.ends.push((param.name.clone(), low, high));
            }
        }
        case
    }

    /// Adds the knowledge of another case.
    pub fn and(mut self, other: &KnownValues) -> KnownValues {
        self.known.extend(other.known.iter().cloned());
        self.facts.extend(other.facts.iter().cloned());
        self
    }

    /// The same where a fact is known too.
    pub fn with_fact(mut self, fact: TurnFact, value: Value) -> KnownValues {
        self.facts.push((fact, value));
        self
    }

    pub fn with(mut self, name: &str, value: Value) -> KnownValues {
        self.known.push((name.to_owned(), value));
        self
    }
}

/// Every combination of values of parameters, starting with the extremes of each domain. A
/// parameter with too many or undetermined values stays open.
pub(in crate::analysis) fn cases(params: &[Param], outer: &KnownValues) -> Vec<KnownValues> {
    let mut all =
        vec![KnownValues { ends: KnownValues::with_ranges(params).ends, ..outer.clone() }];
    for param in params {
        let mut next = Vec::new();
        for case in &all {
            match values(&param.domain, case) {
                Some(values) if values.len() * all.len() <= MAX_CASES => {
                    for value in values {
                        next.push(case.clone().with(&param.name, value));
                    }
                }
                _ => next.push(case.clone()),
            }
        }
        all = next;
    }
    all
}

/// Whether parameters have a combination of values.
pub(in crate::analysis) fn has_combination(params: &[Param], outer: &KnownValues) -> bool {
    let depends = |param: &Param| {
        let low = match &param.domain {
            Domain::Some { low, .. } => Some(low),
            _ => None,
        };
        let trees = domain_trees(&param.domain).into_iter().chain(low);
        trees.into_iter().any(|tree| params.iter().any(|other| tree.mentions(&other.name)))
    };
    if params.iter().any(depends) {
        return !cases(params, outer).is_empty();
    }
    // Each domain has the same values in every combination, so none needs to be made.
    let case = KnownValues { ends: KnownValues::with_ranges(params).ends, ..outer.clone() };
    let has_none = |param: &Param| values(&param.domain, &case).is_some_and(|all| all.is_empty());
    !params.iter().any(has_none)
}

/// One combination of values: the extreme of each domain.
pub(in crate::analysis) fn first_combination(params: &[Param], outer: &KnownValues) -> KnownValues {
    let mut case = KnownValues { ends: KnownValues::with_ranges(params).ends, ..outer.clone() };
    for param in params {
        let value = match &param.domain {
            Domain::Int { low, high, .. } => constant(low, &case).filter(|low| {
                constant(high, &case).is_some_and(|high| low.as_int() <= high.as_int())
            }),
            Domain::Choices(choices) => choices.first().and_then(|(tree, _)| constant(tree, &case)),
            other => values(other, &case).and_then(|values| values.into_iter().next()),
        };
        if let Some(value) = value {
            case = case.with(&param.name, value);
        }
    }
    case
}

/// The values of a domain; `None` if they are undetermined or too many.
pub(in crate::analysis) fn values(domain: &Domain, case: &KnownValues) -> Option<Vec<Value>> {
    match domain {
        Domain::Int { low, high, step } => {
            let low = constant(low, case)?.as_int()?;
            let high = constant(high, case)?.as_int()?;
            let step = constant(step, case)?.as_int()?.max(1);
            if low > high {
                return Some(Vec::new());
            }
            let count = usize::try_from((i128::from(high) - i128::from(low)) / i128::from(step));
            if count.ok()? >= MAX_CASES {
                return None;
            }
            let mut values: Vec<Value> = std::iter::successors(Some(low), |at| {
                at.checked_add(step).filter(|at| *at <= high)
            })
            .map(Value::Int)
            .collect();
            // The last value comes directly after the first: combinations that fit are often at an
            // end.
            if let Some(last) = values.pop() {
                values.insert(values.len().min(1), last);
            }
            Some(values)
        }
        Domain::Choices(choices) => {
            choices.iter().map(|(tree, _)| constant(tree, case)).collect::<Option<Vec<Value>>>()
        }
        Domain::OneOf(list) => {
            let list = constant(list, case)?;
            Some(list.as_list()?.to_vec()).filter(|values| values.len() <= MAX_CASES)
        }
        Domain::Some { low, of, with, .. } => {
            let (low, of) = (constant(low, case)?.as_int()?, constant(of, case)?);
            let all = i64::try_from(of.as_list()?.len()).ok()?;
            match low.cmp(&all) {
                std::cmp::Ordering::Greater => Some(Vec::new()),
                // All of a list is one choice.
                std::cmp::Ordering::Equal if with.is_empty() => Some(vec![of]),
                _ => None,
            }
        }
        Domain::Float { .. } | Domain::Window { .. } | Domain::Scene(_) | Domain::Given => None,
    }
}

pub(in crate::analysis) fn constant(tree: &Tree, case: &KnownValues) -> Option<Value> {
    if let Node::Value(value) = &tree.node {
        return Some(value.clone());
    }
    evaluate(tree, &TextContext { it: &NOTHING, variables: case }).ok()
}

/// The possible records of a topic, if one of the trees refers to it; otherwise one empty case.
pub(in crate::analysis) fn topics<'p>(
    plan: &'p Plan,
    bank: Option<&str>,
    asked: bool,
) -> Vec<Option<&'p Value>> {
    match bank.and_then(|bank| plan.bank(bank)).filter(|_| asked) {
        Some(bank) => bank.records.iter().map(Some).collect(),
        None => vec![None],
    }
}

/// Whether the values that parameters may have depend on a fact.
pub(in crate::analysis) fn domains_read(params: &[Param], fact: TurnFact) -> bool {
    params.iter().flat_map(|param| domain_trees(&param.domain)).any(|tree| tree.reads(fact))
}

/// The expressions that determine the values of a domain.
fn domain_trees(domain: &Domain) -> Vec<&Tree> {
    match domain {
        Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
            vec![low, high, step]
        }
        Domain::Choices(choices) => choices.iter().map(|(tree, _)| tree).collect(),
        Domain::OneOf(tree)
        | Domain::Some { of: tree, .. }
        | Domain::Window { within: tree, .. } => vec![tree],
        Domain::Scene(_) | Domain::Given => Vec::new(),
    }
}
