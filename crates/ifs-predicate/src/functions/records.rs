//! Queries over lists of records: order, groups, stretches, sums so far.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::Expect::{Faults, Holds, Int, Ints, Text, Texts};
use super::alike::BySize;
use super::hooks::Sees;
use super::{Arguments, Function, ParamType, ReturnType, optional, param};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::value::Value;

pub(super) const ROWS: &[&Function] = &[
    &SORTED_BY, &GREATEST, &LEAST, &GROUP_BY, &RUNNING, &DIVIDE, &FLAT, &FIELDS, &NUMBERED,
    &EXCHANGES,
];

const SORTED_BY: Function = Function {
    name: "sorted_by",
    params: &[
        param("list", ParamType::List),
        param("key", ParamType::Key),
        optional("then", ParamType::Key),
        optional("last", ParamType::Key),
    ],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members by a key, from small to large; `it` in the key is the member. Where keys \
          are equal, the next key decides, and after the last one the order of the list. \
          Numbers go by size, texts by code point, `false` before `true`, and what has no such \
          field before all. `-key` of a number turns the order round.",
    examples: &[
        ("sorted_by(word, len(it))", "ccc a bb d", Texts(&["a", "d", "bb", "ccc"])),
        ("first(2, sorted_by(word, -len(it), it))", "b ccc aaa", Texts(&["aaa", "ccc"])),
        ("sorted_by(word, it)", "b a B", Texts(&["B", "a", "b"])),
    ],
    call: |given| {
        let mut keyed: Vec<(Vec<Rank>, Operand<'_>)> =
            given.members_at(0)?.map(|member| (Vec::new(), member)).collect();
        for at in 1..given.len() {
            for ((ranks, _), key) in keyed.iter_mut().zip(given.members_at(at)?) {
                ranks.push(rank(&key)?);
            }
        }
        keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
        list(keyed.into_iter().map(|(_, member)| member).collect())
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const GREATEST: Function = Function {
    name: "greatest",
    params: &[param("list", ParamType::List), param("key", ParamType::Key)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members with the greatest key, in the order of the list; several if they tie, none \
          for an empty list.",
    examples: &[
        ("greatest(word, len(it))", "ccc a ddd", Texts(&["ccc", "ddd"])),
        ("sorted_by(greatest(word, len(it)), it)[1]", "b c a", Text("a")),
        ("greatest(word, len(it))", "", Texts(&[])),
    ],
    call: |given| extreme(given, Ordering::Greater),
    sees: Sees::Members,
    ..Function::BARE
};

const LEAST: Function = Function {
    name: "least",
    params: &[param("list", ParamType::List), param("key", ParamType::Key)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The members with the least key, in the order of the list; several if they tie, none for \
          an empty list.",
    examples: &[("least(word, len(it))", "ccc a d", Texts(&["a", "d"]))],
    call: |given| extreme(given, Ordering::Less),
    sees: Sees::Members,
    ..Function::BARE
};

const GROUP_BY: Function = Function {
    name: "group_by",
    params: &[param("list", ParamType::List), param("key", ParamType::Key)],
    subject: false,
    returns: ReturnType::Groups,
    doc: "The members grouped by key: records of `key` and `members`, in the order in which the \
          keys first occur. Keys are compared exactly, so `a` and `A` are different.",
    examples: &[
        ("group_by(word, len(it)) each it.key", "a bb c dd", Ints(&[1, 2])),
        ("group_by(word, len(it)) each count(it.members)", "a bb c dd e", Ints(&[3, 2])),
        ("greatest(group_by(word, it), count(it.members))[1].key", "a b a", Text("a")),
    ],
    call: |given| {
        let mut places: BTreeMap<Rank, usize> = BTreeMap::new();
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for (member, key) in given.members_at(0)?.zip(given.members_at(1)?) {
            let place = *places.entry(rank(&key)?).or_insert(groups.len());
            if place == groups.len() {
                groups.push((value(&key)?, Vec::new()));
            }
            if let Some((_, members)) = groups.get_mut(place) {
                members.push(value(&member)?);
            }
        }
        let groups = groups
            .into_iter()
            .map(|(key, members)| Value::record([("key", key), ("members", Value::list(members))]));
        Ok(Operand::Value(Value::list(groups)))
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const RUNNING: Function = Function {
    name: "running",
    params: &[param("numbers", ParamType::Numbers)],
    subject: false,
    returns: ReturnType::Same(0),
    doc: "The running sums: each number plus all numbers before it.",
    examples: &[
        ("running(number)", "1, 2 and 4", Ints(&[1, 3, 7])),
        ("max(running(number))", "5, -3 and 1", Int(5)),
    ],
    call: |given| {
        let mut sum = Number::Int(0);
        let mut sums = Vec::new();
        for number in given.numbers(0)? {
            sum = sum.plus(number).ok_or_else(|| EvalError::new("the number is too large"))?;
            sums.push(Operand::from_number(sum));
        }
        list(sums)
    },
    sees: Sees::Members,
    ..Function::BARE
};

const DIVIDE: Function = Function {
    name: "divide",
    params: &[param("n", ParamType::Int), param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::ListOf(1),
    doc: "The list divided into `n` consecutive parts. If it cannot be divided evenly, the first \
          parts have one member more; if it has fewer members than `n`, the last parts are empty. \
          No value unless `n` is from 1 to 10,000.",
    examples: &[
        ("divide(2, word) each join(it, \"-\")", "a b c d e", Texts(&["a-b-c", "d-e"])),
        ("divide(3, word) each count(it)", "a b", Ints(&[1, 1, 0])),
        ("divide(0, word)", "a b", Faults),
    ],
    call: |given| {
        let parts = usize::try_from(given.int(0)?).ok().filter(|n| (1..=10_000).contains(n));
        let parts = parts.ok_or_else(|| EvalError::new("a list has from 1 to 10,000 stretches"))?;
        let members = given.members_at(1)?.map(|member| value(&member));
        let members = members.collect::<Result<Vec<Value>, EvalError>>()?;
        let (each, more) = (members.len() / parts, members.len() % parts);
        let mut members = members.into_iter();
        let stretches = (0..parts)
            .map(|part| Value::list(members.by_ref().take(each + usize::from(part < more))));
        Ok(Operand::Value(Value::list(stretches.collect::<Vec<Value>>())))
    },
    sees: Sees::Members,
    ..Function::BARE
};

const FLAT: Function = Function {
    name: "flat",
    params: &[param("lists", ParamType::List)],
    subject: false,
    returns: ReturnType::Member(0),
    doc: "The members of all lists in a list, as one list. No value if a member is not a list.",
    examples: &[("flat([[1, 2], [], [3]])", "", Ints(&[1, 2, 3])), ("flat(word)", "a", Faults)],
    call: |given| {
        let mut all = Vec::new();
        for member in given.members_at(0)? {
            if member.list_len().is_none() {
                return Err(EvalError::new(format!("{} is not a list", member.kind())));
            }
            all.extend(member.members());
        }
        list(all)
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const FIELDS: Function = Function {
    name: "fields",
    params: &[param("record", ParamType::Any)],
    subject: false,
    returns: ReturnType::Any,
    doc: "Records of `name` and `value`, one for each field of a record.",
    examples: &[
        ("fields({ a: 1, b: 2 }) each it.name", "", Texts(&["a", "b"])),
        ("every f in fields({ tide: 2 }): count(word (f.name)) == f.value", "Tide on tide.", Holds),
        ("count(fields(word))", "a", Faults),
    ],
    call: fields,
    sees: Sees::Arguments,
    ..Function::BARE
};

const NUMBERED: Function = Function {
    name: "numbered",
    params: &[param("list", ParamType::List)],
    subject: false,
    returns: ReturnType::Numbered,
    doc: "Records of `number`, from 1, and `member`.",
    examples: &[
        ("numbered(word) where it.number == 2 each it.member", "a b c", Texts(&["b"])),
        ("every n in numbered(word): n.number <= len(n.member)", "a bb", Holds),
    ],
    call: |given| {
        let members = given.members_at(0)?.map(|member| value(&member));
        let members = members.collect::<Result<Vec<Value>, EvalError>>()?;
        let numbered = members.into_iter().zip(1..).map(|(member, number)| {
            Value::record([("number", Value::Int(number)), ("member", member)])
        });
        Ok(Operand::Value(Value::list(numbered)))
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const EXCHANGES: Function = Function {
    name: "exchanges",
    params: &[param("messages", ParamType::List)],
    subject: false,
    returns: ReturnType::Exchanges,
    doc: "The exchanges of a conversation in the form of chat APIs: from messages with `role` \
          (`user` or `assistant`) and `content`, records of `ask` and `reply`. A last user message \
          that is not answered is left out. No value if the messages do not alternate, beginning \
          with the user's.",
    examples: &[
        (
            "exchanges([{ role: \"user\", content: \"Hi\" }, { role: \"assistant\", content: \"Ho\" }]) \
             each it.reply",
            "",
            Texts(&["Ho"]),
        ),
        ("count(exchanges([{ role: \"user\", content: \"Hi\" }]))", "", Int(0)),
        ("count(exchanges([{ role: \"assistant\", content: \"Hi\" }]))", "", Faults),
    ],
    call: |given| {
        let mut pairs = Vec::new();
        let mut open: Option<String> = None;
        for (member, number) in given.members_at(0)?.zip(1..) {
            let message = value(&member)?;
            let text = |name: &str| {
                let text = message.field(name).and_then(Value::as_str).map(str::to_owned);
                text.ok_or_else(|| EvalError::new(format!("message {number} has no text `{name}`")))
            };
            let (role, content) = (text("role")?, text("content")?);
            match (role.as_str(), open.take()) {
                ("user", None) => open = Some(content),
                ("assistant", Some(ask)) => pairs.push(Value::record([
                    ("ask", Value::text(&ask)),
                    ("reply", Value::text(&content)),
                ])),
                ("user" | "assistant", before) => {
                    let wanted = if before.is_some() { "assistant" } else { "user" };
                    return Err(EvalError::new(format!(
                        "message {number} is from `{role}`, and {wanted} comes next"
                    )));
                }
                (other, _) => {
                    return Err(EvalError::new(format!(
                        "message {number} is from `{other}`, not from `user` or `assistant`"
                    )));
                }
            }
        }
        Ok(Operand::Value(Value::list(pairs)))
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

fn fields<'a>(given: &Arguments<'_, 'a>) -> Result<Operand<'a>, EvalError> {
    let operand = given.get(0)?;
    let Operand::Value(Value::Record(record)) = operand else {
        return Err(EvalError::new(format!("`fields` needs a record, not {}", operand.kind())));
    };
    let field = |name: &str, value: &Value| {
        Value::record([("name", Value::text(name)), ("value", value.clone())])
    };
    Ok(Operand::Value(Value::list(record.iter().map(|(name, value)| field(name, value)))))
}

/// The keys for ordering and grouping members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Nothing,
    Bool(bool),
    Number(BySize),
    Text(String),
}

fn rank(key: &Operand<'_>) -> Result<Rank, EvalError> {
    if let Some(text) = key.as_str() {
        return Ok(Rank::Text(text.to_owned()));
    }
    if let Some(number) = key.as_number() {
        return Ok(Rank::Number(BySize::new(number)));
    }
    match key {
        Operand::Value(Value::Nothing) => Ok(Rank::Nothing),
        Operand::Value(Value::Bool(value)) => Ok(Rank::Bool(*value)),
        other => Err(EvalError::new(format!("{} is not a key", other.kind()))),
    }
}

fn extreme<'a>(given: &Arguments<'_, 'a>, wanted: Ordering) -> Result<Operand<'a>, EvalError> {
    let mut best: Option<Rank> = None;
    let mut members = Vec::new();
    for (member, key) in given.members_at(0)?.zip(given.members_at(1)?) {
        let rank = rank(&key)?;
        let order = best.as_ref().map_or(wanted, |best| rank.cmp(best));
        if order == wanted {
            best = Some(rank);
            members.clear();
        }
        if order == wanted || order == Ordering::Equal {
            members.push(member);
        }
    }
    list(members)
}

fn value(member: &Operand<'_>) -> Result<Value, EvalError> {
    member.value().ok_or_else(|| EvalError::new(format!("a list cannot hold {}", member.kind())))
}

fn list(members: Vec<Operand<'_>>) -> Result<Operand<'_>, EvalError> {
    Operand::list(members).ok_or_else(|| EvalError::new("the members are no values"))
}
