//! How many there are.

use super::Expect::Int;
use super::hooks::{Sees, Steady};
use super::sought;
use super::{Func, Function, ParamType, ReturnType, param};
use crate::bound::Measure;
use crate::explain;
use crate::fault::EvalError;
use crate::needles::SearchKind;
use crate::operand::Operand;
use crate::tree::Node;
use crate::value::Value;
use ifs_text::Unit;

pub(super) const ROWS: &[&Function] = &[&COUNT, &LEN];

/// Those that rules about several functions name.
impl Func {
    pub const COUNT: Func = Func::named("count");
    pub const LEN: Func = Func::named("len");
}

const COUNT: Function = Function {
    name: "count",
    params: &[param("what", ParamType::Countable)],
    subject: false,
    returns: ReturnType::Int,
    doc: "How many there are: members of a list, units of `it` (`count(word)`), or occurrences \
          in `it` of a needle, a regular expression or a text, none overlapping another. \
          `count(word in c)` and `count(letter \"e\" in c)` look at another text.",
    examples: &[
        ("count(word)", "one two three", Int(3)),
        ("count(word \"like\")", "Like, I like it.", Int(2)),
        ("count(letter \"e\")", "Every eel", Int(4)),
        ("count(/\\[.+?\\]/)", "[a] [b]", Int(2)),
        ("count(\"aa\")", "aaaaa", Int(2)),
        ("count(letter \"e\" in word[1])", "here there", Int(2)),
        ("count(sentence where count(word) >= 3)", "It is so. No.", Int(1)),
    ],
    call: |given| {
        let what = given.get(0)?;
        if let Some(len) = what.list_len() {
            return Ok(Operand::int(len));
        }
        sought::count(&*given.current_text()?, what).map(Operand::int)
    },
    early: Some(|env, arguments| match arguments {
        [list] => Ok(env.count_early(list)?.map(Operand::int)),
        _ => Ok(None),
    }),
    bring: Some(|repairer, at, wanted| repairer.count_to(at, wanted)),
    measures: Some(|call| match &call.arg(0)?.node {
        Node::Units(unit, None) => Some(Measure::Count(*unit)),
        Node::Needle(kind, value) => match &value.node {
            Node::Value(Value::Text(part)) => Measure::needle(*kind, part),
            _ => None,
        },
        Node::Value(Value::Text(part)) => Measure::needle(SearchKind::Text, part),
        _ => None,
    }),
    spreads: Some(|read, tree, call, interval| read.of_count(tree, call, interval)),
    steady: Steady::Count,
    counts: true,
    total: true,
    is_common: true,
    keeps_origin: true,
    counted: Some(|arguments, env, who, n| explain::things(arguments.first()?, env, who, n)),
    sees: Sees::Number,
    ..Function::BARE
};

const LEN: Function = Function {
    name: "len",
    params: &[param("what", ParamType::Sized)],
    subject: false,
    returns: ReturnType::Int,
    doc: "The length of a list, or of a text in characters (code points).",
    examples: &[
        ("len(word)", "one two", Int(2)),
        ("len(\"naïve\")", "", Int(5)),
        ("len(it)", "😀", Int(1)),
    ],
    call: |given| {
        let what = given.get(0)?;
        match (what.list_len(), what.as_str(), what) {
            (Some(len), ..) => Ok(Operand::int(len)),
            (_, Some(text), _) => Ok(Operand::int(text.chars().count())),
            (.., Operand::Value(Value::Record(fields))) => Ok(Operand::int(fields.len())),
            _ => Err(EvalError::new(format!("{} has no length", what.kind()))),
        }
    },
    bring: Some(|repairer, at, wanted| repairer.count_to(at, wanted)),
    measures: Some(|call| match &call.arg(0)?.node {
        Node::Units(unit, None) => Some(Measure::Count(*unit)),
        Node::It => Some(Measure::Count(Unit::Char)),
        _ => None,
    }),
    spreads: Some(|read, tree, call, interval| {
        read.of_length(tree, call, interval).unwrap_or_default()
    }),
    steady: Steady::Count,
    counts: true,
    total: true,
    is_common: true,
    keeps_origin: true,
    counted: Some(explain::members_or_characters),
    sees: Sees::Number,
    ..Function::BARE
};
