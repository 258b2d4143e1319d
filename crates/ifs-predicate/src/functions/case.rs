//! Capitals and small letters.

use super::Expect::{Fails, Faults, Float, Holds, Int};
use super::hooks::{CASE, Demand, Finding, Sees};
use super::{Func, Function, PlainTest, ReturnType, SUBJECT};
use crate::bound::{Letters, Measure, Property, conjunction, no_facts};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::witness::parts;
use ifs_text::case;

pub(super) const ROWS: &[&Function] = &[
    &IS_UPPER,
    &IS_LOWER,
    &IS_TITLE,
    &HAS_NO_LOWER,
    &HAS_NO_UPPER,
    &IS_UPPER_AS_RELEASED,
    &IS_LOWER_AS_RELEASED,
    &SHARE_UPPER,
    &SHARE_UPPER_AS_RELEASED,
];

/// Those that rules about several functions name.
impl Func {
    pub const IS_LOWER: Func = Func::named("is_lower");
    pub const SHARE_UPPER: Func = Func::named("share_upper");
    pub const SHARE_UPPER_AS_RELEASED: Func = Func::named("share_upper_as_released");
}

const IS_UPPER: Function = Function {
    name: "is_upper",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text has a letter with case, and all such letters are capitals.",
    examples: &[
        ("is_upper", "ALL 3 OF US", Holds),
        ("is_upper", "All of us", Fails),
        ("is_upper", "123", Fails),
    ],
    call: |given| Ok(Operand::bool(case::is_upper(given.content(0)?.as_str()))),
    plain: Some(PlainTest { ask: case::is_upper, needs_capital: true }),
    demand: Some(Demand::Plain("<be> in capitals only")),
    finding: Some(Finding::SmallLetter),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.upper(call.tree, Letters::All, true) } else { no_facts() }
        },
    ),
    repair: Some(|_, at, wanted| match wanted {
        true => Some(at.text.to_uppercase()),
        false => Some(parts::append_at_end(at.text, "so")),
    }),
    total: true,
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const IS_LOWER: Function = Function {
    name: "is_lower",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text has a letter with case, and all such letters are lower-case.",
    examples: &[
        ("is_lower", "all 3 of us", Holds),
        ("is_lower", "All of us", Fails),
        ("is_lower", "123", Fails),
    ],
    call: |given| Ok(Operand::bool(case::is_lower(given.content(0)?.as_str()))),
    plain: Some(PlainTest { ask: case::is_lower, needs_capital: false }),
    demand: Some(Demand::Plain("<be> in small letters only")),
    finding: Some(Finding::Capital),
    implies: Some(|read, call, wanted| {
        if wanted {
            conjunction(read.is_lower(call.tree, true), read.lower(call.tree, Letters::All, true))
        } else {
            no_facts()
        }
    }),
    repair: Some(|_, at, wanted| match wanted {
        true => Some(at.text.to_lowercase()),
        false => Some(parts::append_at_end(at.text, "So")),
    }),
    total: true,
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const IS_TITLE: Function = Function {
    name: "is_title",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether each word starts with a capital and continues in lower-case letters.",
    examples: &[("is_title", "The Old Man", Holds), ("is_title", "The old man", Fails)],
    call: |given| Ok(Operand::bool(case::is_title(given.content(0)?.as_str()))),
    plain: Some(PlainTest { ask: case::is_title, needs_capital: true }),
    demand: Some(Demand::Plain("<have> capitals where words start, and only there")),
    // A capital or a title letter of another script, which no small text has.
    implies: Some(
        |read, call, wanted| if wanted { read.is_lower(call.tree, false) } else { no_facts() },
    ),
    repair: Some(|_, at, wanted| wanted.then(|| parts::titled(at.text))),
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const HAS_NO_LOWER: Function = Function {
    name: "has_no_lower",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether no letter of any script is lower-case. Holds for a text without letters.",
    examples: &[("has_no_lower", "É 1", Holds), ("has_no_lower", "é", Fails)],
    call: |given| Ok(Operand::bool(!given.content(0)?.as_str().contains(char::is_lowercase))),
    demand: Some(Demand::Plain("<be> in capitals only")),
    finding: Some(Finding::SmallLetter),
    implies: Some(|read, call, wanted| match wanted {
        true => read.upper(call.tree, Letters::All, false),
        false => read.single_fact(call.tree, Property::HasLower(Letters::All)),
    }),
    repair: Some(|_, at, wanted| match wanted {
        true => Some(at.text.to_uppercase()),
        false => Some(parts::append_at_end(at.text, "so")),
    }),
    total: true,
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const HAS_NO_UPPER: Function = Function {
    name: "has_no_upper",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether no letter of any script is a capital. Holds for a text without letters.",
    examples: &[("has_no_upper", "é 1", Holds), ("has_no_upper", "É", Fails)],
    call: |given| Ok(Operand::bool(!given.content(0)?.as_str().contains(char::is_uppercase))),
    demand: Some(Demand::Plain("<be> in small letters only")),
    finding: Some(Finding::Capital),
    implies: Some(|read, call, wanted| match wanted {
        true => read.lower(call.tree, Letters::All, false),
        false => read.single_fact(call.tree, Property::HasUpper(Letters::All)),
    }),
    repair: Some(|_, at, wanted| match wanted {
        true => Some(at.text.to_lowercase()),
        false => Some(parts::append_at_end(at.text, "So")),
    }),
    total: true,
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const IS_UPPER_AS_RELEASED: Function = Function {
    name: "is_upper_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text has none of the lower-case letters a to z, as in EvolIF's released \
          checker. Letters of other alphabets are ignored, and a text without letters passes.",
    examples: &[
        ("is_upper_as_released", "ABC é", Holds),
        ("is_upper_as_released", "", Holds),
        ("is_upper_as_released", "AbC", Fails),
    ],
    call: |given| Ok(Operand::bool(case::no_ascii_lower(given.text(0)?))),
    demand: Some(Demand::Plain("<be> in capitals only")),
    finding: Some(Finding::SmallLetter),
    implies: Some(|read, call, wanted| match wanted {
        true => read.upper(call.tree, Letters::Ascii, false),
        false => read.single_fact(call.tree, Property::HasLower(Letters::Ascii)),
    }),
    repair: Some(|_, at, wanted| wanted.then(|| at.text.to_uppercase())),
    ..Function::BARE
};

const IS_LOWER_AS_RELEASED: Function = Function {
    name: "is_lower_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text has none of the capitals A to Z, as in EvolIF's released checker. \
          Letters of other alphabets are ignored, and a text without letters passes.",
    examples: &[("is_lower_as_released", "abc É", Holds), ("is_lower_as_released", "abC", Fails)],
    call: |given| Ok(Operand::bool(case::no_ascii_upper(given.text(0)?))),
    demand: Some(Demand::Plain("<be> in small letters only")),
    finding: Some(Finding::Capital),
    implies: Some(|read, call, wanted| match wanted {
        true => read.lower(call.tree, Letters::Ascii, false),
        false => read.single_fact(call.tree, Property::HasUpper(Letters::Ascii)),
    }),
    repair: Some(|_, at, wanted| wanted.then(|| at.text.to_lowercase())),
    ..Function::BARE
};

const SHARE_UPPER: Function = Function {
    name: "share_upper",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Float,
    doc: "The exact percentage of letters with case that are capitals. No value without such \
          letters.",
    examples: &[
        ("share_upper", "AbÉdé", Int(40)),
        ("share_upper == 100 / 3", "Abc", Holds),
        ("share_upper", "Abc", Float(100.0 / 3.0)),
        ("share_upper", "123", Faults),
    ],
    call: |given| {
        let content = given.content(0)?;
        let text = content.as_str();
        let upper = text.chars().filter(|c| c.is_uppercase()).count();
        let lower = text.chars().filter(|c| c.is_lowercase()).count();
        percent(upper as u64, (upper + lower) as u64)
    },
    bring: Some(|_, at, wanted| Some(parts::with_capitals(at.text, wanted.float()))),
    measures: Some(|call| call.is_about_it().then_some(Measure::Capitals(Letters::All))),
    noun: Some("the percentage of capitals"),
    sees: Sees::Also(CASE),
    ..Function::BARE
};

const SHARE_UPPER_AS_RELEASED: Function = Function {
    name: "share_upper_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Float,
    doc: "The exact percentage of the letters a to z and A to Z that are capitals, as EvolIF's \
          released checker counts. No value without such letters, where that checker passes \
          everything.",
    examples: &[
        ("share_upper_as_released", "AbÉé", Int(50)),
        ("share_upper_as_released in 47..=53", "AbCde fG", Fails),
        ("share_upper_as_released", "É", Faults),
    ],
    call: |given| {
        let share = case::upper_share(given.text(0)?);
        percent(share.part, share.whole)
    },
    bring: Some(|_, at, wanted| Some(parts::with_capitals(at.text, wanted.float()))),
    measures: Some(|call| call.is_about_it().then_some(Measure::Capitals(Letters::Ascii))),
    noun: Some("the percentage of capitals"),
    ..Function::BARE
};

fn percent<'a>(part: u64, whole: u64) -> Result<Operand<'a>, EvalError> {
    Number::ratio(i128::from(part) * 100, i128::from(whole))
        .map(Operand::from_number)
        .ok_or_else(|| EvalError::new("the text has no letters with case"))
}
