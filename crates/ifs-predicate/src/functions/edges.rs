//! Texts that open and close with a pair of marks.

use super::Expect::{Fails, Holds};
use super::hooks::{Demand, EDGES, END, Finding, START, Sees};
use super::{Arguments, Function, ParamType, ReturnType, SUBJECT, param};
use crate::bound::{Property, no_facts};
use crate::fault::EvalError;
use crate::needles::SearchKind;
use crate::operand::Operand;
use ifs_text::edge::{self, EdgeMark};
use ifs_text::python::strip;

pub(super) const ROWS: &[&Function] = &[
    &OPENS_WITH_PAIR,
    &CLOSES_WITH_PAIR,
    &WRAPPED_IN,
    &WRAPPED_IN_AS_RELEASED,
    &STARTS_WITH_AS_RELEASED,
    &ENDS_WITH_AS_RELEASED,
    &OPENS_WITH_PAIR_AS_RELEASED,
    &CLOSES_WITH_PAIR_AS_RELEASED,
];

const OPENS_WITH_PAIR: Function = Function {
    name: "opens_with_pair",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text starts with text between the marks of a pair. Leading blanks and marks of \
          a heading, an item or a quotation are ignored; quotation marks may be straight or not.",
    examples: &[
        ("opens_with_pair(\"(\", \")\")", "(So) it is.", Holds),
        ("opens_with_pair(\"(\", \")\")", "<p>(So) it is.</p>", Holds),
        ("opens_with_pair(\"(\", \")\")", "() So it is.", Fails),
        ("opens_with_pair(\"(\", \")\")", "(So it is.", Fails),
        ("opens_with_pair(\"'\", \"'\")", "'", Fails),
    ],
    call: |given| pair(given, edge::opens_with_pair),
    demand: Some(Demand::Pair("<start> with {left} and have {right} later")),
    finding: Some(Finding::Start),
    implies: Some(
        |read, call, wanted| if wanted { read.pair(call, true, false) } else { no_facts() },
    ),
    repair: Some(|repairer, at, wanted| {
        let (left, right, text) = repairer.marks(at)?;
        wanted.then(|| format!("{left}so{right} {text}"))
    }),
    sees: Sees::Sought(START),
    ..Function::BARE
};

const CLOSES_WITH_PAIR: Function = Function {
    name: "closes_with_pair",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text ends with text between the marks of a pair, perhaps with a stop behind \
          them. Trailing blanks are ignored; quotation marks may be straight or not.",
    examples: &[
        ("closes_with_pair(\"(\", \")\")", "It is (so).", Holds),
        ("closes_with_pair(\"(\", \")\")", "It is **(so)**", Holds),
        ("closes_with_pair(\"(\", \")\")", "(Well) it is so )", Fails),
        ("closes_with_pair(\"'\", \"'\")", "'", Fails),
    ],
    call: |given| pair(given, edge::closes_with_pair),
    demand: Some(Demand::Pair("<end> with {right} and have {left} before")),
    finding: Some(Finding::End),
    implies: Some(
        |read, call, wanted| if wanted { read.pair(call, false, true) } else { no_facts() },
    ),
    repair: Some(|repairer, at, wanted| {
        let (left, right, text) = repairer.marks(at)?;
        wanted.then(|| format!("{text} {left}so{right}"))
    }),
    sees: Sees::Sought(END),
    ..Function::BARE
};

const WRAPPED_IN: Function = Function {
    name: "wrapped_in",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether two marks enclose all of the text: it starts with the left one, which is closed by \
          the right one at its end. Leading and trailing blanks are ignored; quotation marks may be \
          straight or not.",
    examples: &[
        ("wrapped_in(\"<<\", \">>\")", " <<title>>\n", Holds),
        ("wrapped_in(\"\\\"\", \"\\\"\")", "**“So it is.”**", Holds),
        ("wrapped_in(\"\\\"\", \"\\\"\")", "\"So\" and \"so\"", Fails),
        ("wrapped_in(\"'\", \"'\")", "'", Fails),
    ],
    call: |given| pair(given, edge::is_enclosed),
    demand: Some(Demand::Pair("<stand> between {left} and {right}")),
    finding: Some(Finding::StartAndEnd),
    implies: Some(
        |read, call, wanted| if wanted { read.pair(call, true, true) } else { no_facts() },
    ),
    repair: Some(|repairer, at, wanted| {
        let (left, right, text) = repairer.marks(at)?;
        wanted.then(|| format!("{left}{}{right}", text.trim()))
    }),
    ..Function::BARE
};

const WRAPPED_IN_AS_RELEASED: Function = Function {
    name: "wrapped_in_as_released",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text starts with exactly the left mark and ends with a separate right one, as \
          released checkers read it. Leading and trailing blanks are ignored.",
    examples: &[
        ("wrapped_in_as_released(\"'\", \"'\")", " 'a' and 'b'\n", Holds),
        ("wrapped_in_as_released(\"'\", \"'\")", "‘a’", Fails),
        ("wrapped_in_as_released(\"'\", \"'\")", "'", Fails),
    ],
    call: |given| {
        let (text, left, right) = (strip(given.text(0)?), given.text(1)?, given.text(2)?);
        let inner = text.strip_prefix(left).and_then(|rest| rest.strip_suffix(right));
        Ok(Operand::bool(inner.is_some()))
    },
    demand: Some(Demand::Pair("<stand> between {left} and {right}")),
    finding: Some(Finding::StartAndEnd),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.pair_as_released(call, true, true) } else { no_facts() }
        },
    ),
    repair: Some(|repairer, at, wanted| {
        let (left, right, text) = repairer.marks(at)?;
        wanted.then(|| format!("{left}{}{right}", text.trim()))
    }),
    sees: Sees::Sought(EDGES),
    ..Function::BARE
};

const STARTS_WITH_AS_RELEASED: Function = Function {
    name: "starts_with_as_released",
    params: &[SUBJECT, param("sought", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text starts with something, as EvolIF's released checker reads it: \
          `letter` is the first of the letters a to z ignoring case, whatever precedes it; any \
          other needle, or a text, is a beginning ignoring case, behind blanks and a fixed list \
          of punctuation marks, and a word may go on behind it.",
    examples: &[
        ("starts_with_as_released(letter \"a\")", "42 Éa", Holds),
        ("starts_with_as_released(keyword \"tide\")", "**Tidepools**", Holds),
        ("starts_with_as_released(keyword \"tide\")", "A tide", Fails),
    ],
    call: |given| {
        let text = given.text(0)?;
        released(given, |mark| edge::begins_released(text, mark))
    },
    demand: Some(Demand::Sought("<start> with {sought}")),
    finding: Some(Finding::Start),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.released_edge(call, Property::Starts) } else { no_facts() }
        },
    ),
    repair: Some(|repairer, at, wanted| repairer.start(at).filter(|_| wanted)),
    ..Function::BARE
};

const ENDS_WITH_AS_RELEASED: Function = Function {
    name: "ends_with_as_released",
    params: &[SUBJECT, param("sought", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text ends with something, as EvolIF's released checker reads it; see \
          `starts_with_as_released`.",
    examples: &[
        ("ends_with_as_released(letter \"e\")", "Low tide é 42", Holds),
        ("ends_with_as_released(keyword \"tide\")", "A riptide.", Holds),
        ("ends_with_as_released(keyword \"tide\")", "A tide pool.", Fails),
    ],
    call: |given| {
        let text = given.text(0)?;
        released(given, |mark| edge::finishes_released(text, mark))
    },
    demand: Some(Demand::Sought("<end> with {sought}")),
    finding: Some(Finding::End),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.released_edge(call, Property::Ends) } else { no_facts() }
        },
    ),
    repair: Some(|repairer, at, wanted| repairer.end(at).filter(|_| wanted)),
    ..Function::BARE
};

const OPENS_WITH_PAIR_AS_RELEASED: Function = Function {
    name: "opens_with_pair_as_released",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Like `opens_with_pair`, with the characters that EvolIF's released checker treats as blanks.",
    examples: &[
        ("opens_with_pair_as_released(\"(\", \")\")", "\n(So) it is.", Holds),
        ("opens_with_pair_as_released(\"(\", \")\")", "So (it) is.", Fails),
    ],
    call: |given| {
        let mark = EdgeMark::Quotation { left: given.text(1)?, right: given.text(2)? };
        Ok(Operand::bool(edge::begins_released(given.text(0)?, mark)))
    },
    demand: Some(Demand::Pair("<start> with {left} and have {right} later")),
    finding: Some(Finding::Start),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.pair_as_released(call, true, false) } else { no_facts() }
        },
    ),
    ..Function::BARE
};

const CLOSES_WITH_PAIR_AS_RELEASED: Function = Function {
    name: "closes_with_pair_as_released",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Like `closes_with_pair`, with the characters that EvolIF's released checker treats as blanks.",
    examples: &[
        ("closes_with_pair_as_released(\"(\", \")\")", "It is (so)\n", Holds),
        ("closes_with_pair_as_released(\"(\", \")\")", "It is (so).", Fails),
    ],
    call: |given| {
        let mark = EdgeMark::Quotation { left: given.text(1)?, right: given.text(2)? };
        Ok(Operand::bool(edge::finishes_released(given.text(0)?, mark)))
    },
    demand: Some(Demand::Pair("<end> with {right} and have {left} before")),
    finding: Some(Finding::End),
    implies: Some(
        |read, call, wanted| {
            if wanted { read.pair_as_released(call, false, true) } else { no_facts() }
        },
    ),
    ..Function::BARE
};

fn released<'a>(
    given: &Arguments<'_, 'a>,
    test: impl Fn(EdgeMark<'_>) -> bool,
) -> Result<Operand<'a>, EvalError> {
    let sought = given.get(1)?;
    let held;
    let (kind, text) = match (sought, sought.as_str()) {
        (Operand::Needle(needle), _) => {
            held = needle.needle_text();
            (needle.kind(), held.as_str())
        }
        (_, Some(text)) => (SearchKind::Text, text),
        _ => return Err(EvalError::new(format!("{} cannot be at an edge", sought.kind()))),
    };
    let mut chars = text.chars();
    let mark = match (kind, chars.next(), chars.next()) {
        (SearchKind::Letter, Some(letter), None) => EdgeMark::Letter(letter),
        _ => EdgeMark::Part(text),
    };
    Ok(Operand::bool(test(mark)))
}

fn pair<'a>(
    given: &Arguments<'_, 'a>,
    test: fn(&str, &str, &str) -> bool,
) -> Result<Operand<'a>, EvalError> {
    let (left, right) = (given.text(1)?, given.text(2)?);
    Ok(Operand::bool(test(given.content(0)?.as_str(), left, right)))
}
