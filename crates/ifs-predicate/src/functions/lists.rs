//! Functions over lists.

use super::Expect::{Fails, Faults, Float, Holds, Int, Text, Texts};
use super::alike::Kinds;
use super::hooks::{Demand, Derived, END, Finding, START, Sees, Steady};
use super::{Arguments, Func, Function, ParamType, ReturnType, optional, param};
use crate::bound::{Interval, no_facts};
use crate::evaluate::Env;
use crate::explain::{self, Labels, VerbForm, things};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::tree::Tree;
use crate::value::Value;
use crate::witness;
use ifs_text::python::casefold;

pub(super) const ROWS: &[&Function] = &[
    &SUM,
    &MEAN,
    &MIN,
    &MAX,
    &FIRST,
    &LAST,
    &UNIQUE,
    &DISTINCT,
    &DISTINCT_EXACTLY,
    &SORTED,
    &REVERSED,
    &JOIN,
    &VALUE_OR,
];

/// Those that rules about several functions name.
impl Func {
    pub const UNIQUE: Func = Func::named("unique");
    pub const VALUE_OR: Func = Func::named("value_or");
}

const SUM: Function = Function {
    name: "sum",
    params: &[param("numbers", ParamType::Numbers)],
    subject: false,
    returns: ReturnType::Number(0),
    doc: "The sum of a list of numbers; 0 for an empty list.",
    examples: &[("sum(number)", "1 and 2 and 3.5", Float(6.5)), ("sum(number)", "", Int(0))],
    call: |given| {
        let mut sum = Number::Int(0);
        for number in given.numbers(0)? {
            sum = sum.plus(number).ok_or_else(too_large)?;
        }
        Ok(Operand::from_number(sum))
    },
    bring: Some(|repairer, at, wanted| repairer.total(at.call.arg(0)?, wanted, at.text)),
    spreads: Some(|read, tree, call, interval| read.facts_of_sum(tree, call, interval)),
    steady: Steady::Arguments,
    keeps_origin: true,
    counted: Some(explain::in_all_members),
    sees: Sees::Members,
    ..Function::BARE
};

const MEAN: Function = Function {
    name: "mean",
    params: &[param("numbers", ParamType::NumbersOrConditions)],
    subject: false,
    returns: ReturnType::Float,
    doc: "The arithmetic mean of a list of numbers; of conditions, the share that hold. No value for an empty list.",
    examples: &[
        ("mean(number)", "1 and 2", Float(1.5)),
        ("mean(word each (it == \"a\"))", "a b", Float(0.5)),
        ("mean(number)", "", Faults),
    ],
    call: |given| {
        let numbers = given.numbers_or_conditions(0)?;
        let mut sum = Number::Int(0);
        for number in &numbers {
            sum = sum.plus(*number).ok_or_else(too_large)?;
        }
        let count = Number::Int(numbers.len() as i64);
        sum.over(count).map(Operand::from_number).ok_or_else(|| empty("mean"))
    },
    noun: Some("the mean"),
    is_between: true,
    sees: Sees::Members,
    ..Function::BARE
};

const MIN: Function = Function {
    name: "min",
    params: &[param("numbers", ParamType::NumberOrNumbers), optional("other", ParamType::Number)],
    subject: false,
    returns: ReturnType::Number(0),
    doc: "The smaller of two numbers, or the smallest of a list. No value for an empty list.",
    examples: &[
        ("min(number)", "3 and 2", Int(2)),
        ("min(3, 2)", "", Int(2)),
        ("min(number)", "", Faults),
    ],
    call: |given| extreme(given, |have, best| have < best),
    spreads: Some(|read, tree, call, interval| match interval.low {
        Some(_) => read.of_extreme(tree, call, Interval { high: None, ..interval }),
        None => Vec::new(),
    }),
    steady: Steady::Arguments,
    keeps_origin: true,
    is_between: true,
    sees: Sees::Members,
    ..Function::BARE
};

const MAX: Function = Function {
    name: "max",
    params: &[param("numbers", ParamType::NumberOrNumbers), optional("other", ParamType::Number)],
    subject: false,
    returns: ReturnType::Number(0),
    doc: "The larger of two numbers, or the largest of a list. No value for an empty list.",
    examples: &[("max(number)", "3 and 2", Int(3)), ("max(3, 4)", "", Int(4))],
    call: |given| extreme(given, |have, best| have > best),
    // If the maximum has an upper bound, so has each member.
    spreads: Some(|read, tree, call, interval| match interval.high {
        Some(_) => read.of_extreme(tree, call, Interval { low: None, ..interval }),
        None => Vec::new(),
    }),
    steady: Steady::Arguments,
    keeps_origin: true,
    is_between: true,
    sees: Sees::Members,
    ..Function::BARE
};

const FIRST: Function = Function {
    name: "first",
    params: &[param("n", ParamType::Int), param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(1),
    doc: "The first members of a list, or all of them if it is shorter.",
    examples: &[
        ("first(2, word)", "one two three", Texts(&["one", "two"])),
        ("count(first(9, word))", "one two", Int(2)),
    ],
    call: |given| {
        let (count, members) = (size(given.int(0)?), given.members(1)?);
        list(members.into_iter().take(count).collect())
    },
    takes_part: true,
    grow: Some(|repairer, at| repairer.grow(at.call.arg(1)?, at.text, at.depth)),
    sees: Sees::Also(START),
    ..Function::BARE
};

const LAST: Function = Function {
    name: "last",
    params: &[param("n", ParamType::Int), param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(1),
    doc: "The last members of a list in their order, or all of them if it is shorter.",
    examples: &[("last(2, word)", "one two three", Texts(&["two", "three"]))],
    call: |given| {
        let (count, members) = (size(given.int(0)?), given.members(1)?);
        let skipped = members.len().saturating_sub(count);
        list(members.into_iter().skip(skipped).collect())
    },
    takes_part: true,
    grow: Some(|repairer, at| repairer.grow(at.call.arg(1)?, at.text, at.depth)),
    sees: Sees::Also(END),
    ..Function::BARE
};

const UNIQUE: Function = Function {
    name: "unique",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Bool,
    doc: "Whether no two members are equal. Texts are compared ignoring case and surrounding \
          blanks, lists by their members.",
    examples: &[
        ("unique(line)", "one\ntwo", Holds),
        ("unique(line)", "one\nOne ", Fails),
        ("unique(line)", "", Holds),
    ],
    call: |given| {
        let list = given.list(0)?;
        Ok(Operand::bool(Some(first_of_each(list, Kinds::new(false)).len()) == list.list_len()))
    },
    demand: Some(Demand::Own(demand_of_unique)),
    finding: Some(Finding::Twice),
    implies: Some(|read, call, wanted| if wanted { read.unique(call) } else { no_facts() }),
    steady: Steady::OfMembers,
    distance: Some(witness::from_unique),
    handed_down: Some(true),
    sees: Sees::Members,
    ..Function::BARE
};

const DISTINCT: Function = Function {
    name: "distinct",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The list without repeats, compared as in `unique`. The first of each kind is kept.",
    examples: &[("distinct(word)", "a b A c", Texts(&["a", "b", "c"]))],
    call: |given| distinct(given, Kinds::new(false)),
    steady: Steady::Members,
    things: Some(explain::distinct),
    with_members: Some(|repairer, call, members, text| repairer.lists(call.arg(0)?, members, text)),
    derived: Derived::Distinct,
    sees: Sees::Arguments,
    ..Function::BARE
};

const DISTINCT_EXACTLY: Function = Function {
    name: "distinct_exactly",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "Like `distinct`, but case and blanks count.",
    examples: &[("distinct_exactly(word)", "a b A a", Texts(&["a", "b", "A"]))],
    call: |given| distinct(given, Kinds::new(true)),
    things: Some(explain::distinct),
    sees: Sees::Arguments,
    ..Function::BARE
};

const SORTED: Function = Function {
    name: "sorted",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members in ascending order: numbers by value, texts ignoring case. No value for a \
          list of anything else.",
    examples: &[
        ("sorted(word)", "b C a", Texts(&["a", "b", "C"])),
        ("word == sorted(word)", "Anna bakes cakes", Holds),
    ],
    call: |given| {
        let members = given.members(0)?;
        let mut numbers: Vec<(Number, &Operand<'_>)> =
            members.iter().filter_map(|member| Some((member.as_number()?, member))).collect();
        if numbers.len() == members.len() {
            numbers.sort_by(|(a, _), (b, _)| a.order(*b));
            return list(numbers.into_iter().map(|(_, member)| member.clone()).collect());
        }
        let mut texts: Vec<(String, &Operand<'_>)> = members
            .iter()
            .filter_map(|member| Some((casefold(member.as_str()?).into_owned(), member)))
            .collect();
        if texts.len() < members.len() {
            return Err(EvalError::new("only numbers and texts can be sorted"));
        }
        texts.sort_by(|(a, _), (b, _)| a.cmp(b));
        list(texts.into_iter().map(|(_, member)| member.clone()).collect())
    },
    with_members: Some(|repairer, call, members, text| repairer.lists(call.arg(0)?, members, text)),
    derived: Derived::Sorted,
    sees: Sees::Arguments,
    ..Function::BARE
};

const REVERSED: Function = Function {
    name: "reversed",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members in reverse order.",
    examples: &[("reversed(word)", "a b c", Texts(&["c", "b", "a"]))],
    call: |given| list(given.members(0)?.into_iter().rev().collect()),
    with_members: Some(|repairer, call, members, text| {
        let members: Vec<String> = members.iter().rev().cloned().collect();
        repairer.lists(call.arg(0)?, &members, text)
    }),
    derived: Derived::Reversed,
    sees: Sees::Arguments,
    ..Function::BARE
};

const JOIN: Function = Function {
    name: "join",
    params: &[param("list", ParamType::Texts), optional("between", ParamType::Text)],
    subject: false,
    returns: ReturnType::Text,
    doc: "The members joined into one text, with a separator if one is given. Absent members are \
          skipped.",
    examples: &[("join(word, \"-\")", "a b c", Text("a-b-c"))],
    call: |given| {
        let members = given.members(0)?;
        let between = if given.len() > 1 { given.text(1)? } else { "" };
        let there = members.iter().filter(|it| !matches!(it, Operand::Value(Value::Nothing)));
        let texts: Option<Vec<&str>> = there.map(Operand::as_str).collect();
        let texts = texts.ok_or_else(|| EvalError::new("only texts can be joined"))?;
        let length: usize = texts.iter().map(|text| text.len() + between.len()).sum();
        if length > super::texts::MAX_TEXT_BYTES {
            return Err(EvalError::new("the text is too long"));
        }
        Ok(Operand::Value(Value::text(&texts.join(between))))
    },
    derived: Derived::Joined,
    sees: Sees::Arguments,
    ..Function::BARE
};

const VALUE_OR: Function = Function {
    name: "value_or",
    params: &[param("value", ParamType::Any), param("other", ParamType::Any)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The value, or the other one if an optional field is absent; written `value ?? other`.",
    examples: &[("value_or(3, 4)", "", Int(3))],
    call: |given| {
        let value = given.get(0)?;
        let is_absent = matches!(value, Operand::Value(Value::Nothing));
        Ok(if is_absent { given.get(1)?.clone() } else { value.clone() })
    },
    is_between: true,
    sees: Sees::Arguments,
    ..Function::BARE
};

fn too_large() -> EvalError {
    EvalError::new("the number is too large")
}

fn empty(what: &str) -> EvalError {
    EvalError::new(format!("an empty list has no {what}"))
}

fn size(count: i64) -> usize {
    usize::try_from(count.max(0)).unwrap_or(usize::MAX)
}

fn list(members: Vec<Operand<'_>>) -> Result<Operand<'_>, EvalError> {
    Operand::list(members).ok_or_else(|| EvalError::new("the members are no values"))
}

fn extreme<'a>(
    given: &Arguments<'_, 'a>,
    better: fn(Number, Number) -> bool,
) -> Result<Operand<'a>, EvalError> {
    let numbers = match given.len() {
        2 => vec![given.number(0)?, given.number(1)?],
        _ if given.get(0)?.as_number().is_some() => vec![given.number(0)?],
        _ => given.numbers(0)?,
    };
    let best =
        numbers.into_iter().reduce(|best, have| if better(have, best) { have } else { best });
    best.map(Operand::from_number).ok_or_else(|| empty("smallest or largest member"))
}

/// Where the first member of each kind is.
fn first_of_each(list: &Operand<'_>, mut kinds: Kinds) -> Vec<usize> {
    let kinds = kinds.of_all(list);
    let mut seen = vec![false; kinds.iter().max().map_or(0, |most| *most as usize + 1)];
    let mut is_new = |kind: u32| !std::mem::replace(&mut seen[kind as usize], true);
    (0..kinds.len()).filter(|at| is_new(kinds[*at])).collect()
}

fn distinct<'a>(given: &Arguments<'_, 'a>, kinds: Kinds) -> Result<Operand<'a>, EvalError> {
    let all = given.list(0)?;
    let places = first_of_each(all, kinds).into_iter();
    list(places.filter_map(|at| all.member(at)).collect())
}

fn demand_of_unique<'a>(
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let words = who.words;
    let noun = things(arguments.first()?, env, who, 1);
    let noun = noun.map_or_else(|| words.member(1).to_owned(), |things| things.noun);
    Some(words.demand(&words.unique, form, &[("thing", &noun)]))
}
