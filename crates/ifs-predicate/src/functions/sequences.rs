//! Neighbours in a list, and frequencies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Expect::{Fails, Faults, Holds, Int, Ints, Text, Texts};
use super::alike::Kinds;
use super::hooks::{Derived, Sees, Steady};
use super::{Arguments, Func, Function, ParamType, ReturnType, param};
use crate::bound::{Interval, Measure, Property};
use crate::explain;
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::tree::Node;
use crate::value::Value;

pub(super) const ROWS: &[&Function] =
    &[&WINDOWS, &NTH, &RUNS, &FREQUENCIES, &SHARED, &SHARED_EXACTLY, &PATTERN_OF];

/// Those that rules about several functions name.
impl Func {
    pub const PATTERN_OF: Func = Func::named("pattern_of");
}

const WINDOWS: Function = Function {
    name: "windows",
    params: &[param("n", ParamType::Int), param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::ListOf(1),
    doc: "All runs of `n` consecutive members: with 2, every member with its successor. None if \
          there are fewer than `n` members. No value if `n` is less than 1.",
    examples: &[
        ("windows(2, word) each join(it, \"-\")", "a b c", Texts(&["a-b", "b-c"])),
        ("every p in windows(2, number): p[1] < p[2]", "1, 2 and 9", Holds),
        ("every p in windows(2, number): p[1] < p[2]", "1, 9 and 2", Fails),
        ("count(windows(2, number) where it[1] < it[2])", "1, 2, 9 and 3", Int(2)),
        ("count(windows(3, word))", "a b", Int(0)),
        ("windows(2, word) where it[1] == \"b\" each it[2]", "a b c b", Texts(&["c"])),
        ("windows(0, word)", "a b", Faults),
    ],
    call: |given| {
        let size = usize::try_from(given.int(0)?).ok().filter(|size| *size > 0);
        let size = size.ok_or_else(|| EvalError::new("a window has at least one member"))?;
        let list = given.list(1)?;
        Ok(Operand::Windows(Arc::new(list.clone()), size))
    },
    steady: Steady::Members,
    derived: Derived::Windows,
    sees: Sees::Members,
    ..Function::BARE
};

const NTH: Function = Function {
    name: "nth",
    params: &[param("n", ParamType::Int), param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(1),
    doc: "Every n-th member of a list: with 2, the second, the fourth and so on. No value if `n` \
          is less than 1.",
    examples: &[
        ("nth(2, word)", "a b c d e", Texts(&["b", "d"])),
        ("nth(9, word)", "a b", Texts(&[])),
        ("nth(0, word)", "a b", Faults),
    ],
    call: |given| {
        let step = usize::try_from(given.int(0)?).ok().filter(|step| *step > 0);
        let step = step.ok_or_else(|| EvalError::new("members are counted from 1"))?;
        Operand::list(given.members_at(1)?.skip(step - 1).step_by(step).collect())
            .ok_or_else(|| EvalError::new("the members are no values"))
    },
    steady: Steady::Members,
    takes_part: true,
    sees: Sees::Members,
    ..Function::BARE
};

const RUNS: Function = Function {
    name: "runs",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Ints,
    doc: "The lengths of runs of equal neighbours, run by run. Members are compared as in \
          `unique`.",
    examples: &[
        ("runs(word)", "a A b a a a", Ints(&[2, 1, 3])),
        ("max(runs(word each (letter)[1]))", "big bad wolf", Int(2)),
        ("runs(word)", "", Ints(&[])),
    ],
    call: |given| {
        let kinds = Kinds::new(false).of_all(given.list(0)?);
        let runs = kinds.chunk_by(|one, next| one == next).map(|run| run.len() as i64).collect();
        Ok(numbers(runs))
    },
    sees: Sees::Members,
    ..Function::BARE
};

const FREQUENCIES: Function = Function {
    name: "frequencies",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Ints,
    doc: "How often each distinct member occurs, in the order of first occurrence. Members are \
          compared as in `unique`.",
    examples: &[
        ("frequencies(word)", "a b A c a", Ints(&[3, 1, 1])),
        ("every frequencies(word): it <= 2", "one two two", Holds),
        ("max(frequencies(word)) / count(word) >= 50%", "one two two", Holds),
    ],
    call: |given| {
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut counts: Vec<i64> = Vec::new();
        for kind in Kinds::new(false).of_all(given.list(0)?) {
            let place = *places.entry(kind).or_insert(counts.len());
            match counts.get_mut(place) {
                Some(count) => *count += 1,
                None => counts.push(1),
            }
        }
        Ok(numbers(counts))
    },
    steady: Steady::OfMembers,
    member_label: Some(explain::frequency),
    sees: Sees::Members,
    ..Function::BARE
};

const SHARED: Function = Function {
    name: "shared",
    params: &[param("list", ParamType::List), param("other", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members of the first list that are also in the second, each once. Members are \
          compared as in `unique`.",
    examples: &[
        ("shared(word, [\"b\", \"c\", \"d\"])", "a B c B", Texts(&["B", "c"])),
        (
            "count(shared(windows(2, word), windows(2, word in \"one two three\")))",
            "two three one two",
            Int(2),
        ),
    ],
    call: |given| shared(given, Kinds::new(false)),
    things: Some(explain::shared_things),
    sees: Sees::Arguments,
    ..Function::BARE
};

const SHARED_EXACTLY: Function = Function {
    name: "shared_exactly",
    params: &[param("list", ParamType::List), param("other", ParamType::List)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "Like `shared`, but case and blanks count.",
    examples: &[
        ("shared_exactly(word, [\"b\", \"c\", \"d\"])", "a B c B", Texts(&["c"])),
        (
            "count(shared_exactly(windows(2, word), windows(2, word in \"one two three\")))",
            "two three One two",
            Int(1),
        ),
    ],
    call: |given| shared(given, Kinds::new(true)),
    things: Some(explain::shared_things),
    sees: Sees::Arguments,
    ..Function::BARE
};

const PATTERN_OF: Function = Function {
    name: "pattern_of",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Text,
    doc: "The pattern of equal members, as letters: the first is `A`, and each new one gets the \
          next letter. No value for more than 26 distinct members.",
    examples: &[
        ("pattern_of(letter)", "Anna", Text("ABBA")),
        ("pattern_of(/\\p{Han}/ in it)", "高高兴兴", Text("AABB")),
        ("pattern_of(line each word[-1])", "in a tree\nby a sea\nmy tree", Text("ABA")),
        ("pattern_of(word)", "", Text("")),
    ],
    call: |given| {
        let mut letters: BTreeMap<u32, char> = BTreeMap::new();
        let mut unused = 'A'..='Z';
        let mut pattern = String::new();
        for kind in Kinds::new(false).of_all(given.list(0)?) {
            let letter = match letters.get(&kind) {
                Some(letter) => *letter,
                None => {
                    let letter = unused.next().ok_or_else(|| {
                        EvalError::new("there are more than 26 different members")
                    })?;
                    letters.insert(kind, letter);
                    letter
                }
            };
            pattern.push(letter);
        }
        Ok(Operand::Value(Value::Text(pattern.into())))
    },
    noun: Some("the pattern"),
    if_equal: Some(|read, tree, call, letters| match call.arg(0).map(|list| &list.node) {
        Some(Node::Units(unit, None)) => {
            let many = i64::try_from(letters.chars().count()).unwrap_or(i64::MAX);
            let many = Interval::exactly(Number::Int(many));
            vec![read.fact(tree, Property::Measured(Measure::Count(*unit), many))]
        }
        _ => Vec::new(),
    }),
    sees: Sees::Members,
    ..Function::BARE
};

fn numbers<'a>(counts: Vec<i64>) -> Operand<'a> {
    Operand::Value(Value::list(counts.into_iter().map(Value::Int)))
}

/// The first of each kind that the other list has, too.
fn shared<'a>(given: &Arguments<'_, 'a>, mut kinds: Kinds) -> Result<Operand<'a>, EvalError> {
    let mut wanted: BTreeSet<u32> = kinds.of_all(given.list(1)?).into_iter().collect();
    let list = given.list(0)?;
    let own = kinds.of_all(list).into_iter().enumerate();
    let fitting = own.filter(|(_, kind)| wanted.remove(kind));
    Operand::list(fitting.filter_map(|(at, _)| list.member(at)).collect())
        .ok_or_else(|| EvalError::new("the members are no values"))
}
