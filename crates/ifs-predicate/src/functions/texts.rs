//! Functions from texts to texts.

use std::fmt::Write as _;

use std::ops::Range;

use super::Expect::{Faults, Float, Holds, Int, Text, Texts};
use super::hooks::{Derived, END, FIRST_CODE_POINT, LetterChange, NOTHING_MORE, START, Sees};
use super::{Arguments, Func, Function, ParamType, ReturnType, SUBJECT, optional, param};
use crate::fault::EvalError;
use crate::operand::{Operand, TextPieces, parse_number};
use crate::value::Value;
use ifs_text::Unit;
use ifs_text::python::{is_letter, strip};

pub(super) const ROWS: &[&Function] = &[
    &CONTENT,
    &UPPER,
    &LOWER,
    &TRIM,
    &SPLIT,
    &LINES,
    &TO_NUMBER,
    &TO_TEXT,
    &REPLACE,
    &CODE_POINT,
    &INITIALS,
    &BETWEEN,
    &BEFORE,
    &AFTER,
];

impl Func {
    pub(crate) const CONTENT: Func = Func::named("content");
}

const CONTENT: Function = Function {
    name: "content",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "What the text says without its wrapping: without one fence around all of it, tags and \
          comments of HTML and XML, the structure of JSON and CSV, and marks of emphasis, code and \
          links; canonically composed, with one kind of blank and line end and without invisible \
          characters. Marks at the beginning of lines stay. Words, sentences and most other units, \
          needles that mean words, edges and capitals are read from it; regular expressions and \
          characters are not, unless it is asked for.",
    examples: &[
        ("content", "<p>One &amp; <b>two</b>.</p><!-- so -->", Text("One & two.")),
        ("content", "{\"title\": \"**Tides**\", \"days\": 2}", Text("Tides\n\n2")),
        ("matches(content, /^So$/m)", "```\n**So**\n```", Holds),
    ],
    call: |given| Ok(Operand::Piece(given.content(0)?)),
    keeps_origin: true,
    derived: Derived::Same(LetterChange::Marks),
    ..Function::BARE
};

const UPPER: Function = Function {
    name: "upper",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text in capitals.",
    examples: &[("upper", "straße", Text("STRASSE"))],
    call: |given| computed_text(given.text(0)?.to_uppercase()),
    is_common: true,
    keeps_origin: true,
    derived: Derived::Same(LetterChange::Upper),
    sees: Sees::Arguments,
    ..Function::BARE
};

const LOWER: Function = Function {
    name: "lower",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text in lower-case letters.",
    examples: &[("lower", "ÉTÉ", Text("été"))],
    call: |given| Ok(given.piece(0)?.lowered()),
    is_common: true,
    keeps_origin: true,
    derived: Derived::Same(LetterChange::Lower),
    sees: Sees::Arguments,
    ..Function::BARE
};

const TRIM: Function = Function {
    name: "trim",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text without leading and trailing blanks and line breaks.",
    examples: &[("trim", " a b \n", Text("a b"))],
    call: |given| {
        let piece = given.piece(0)?;
        let text = piece.as_str();
        let kept = strip(text);
        let start = kept.as_ptr() as usize - text.as_ptr() as usize;
        Ok(Operand::Piece(piece.cut(start..start + kept.len(), piece.unit)))
    },
    is_common: true,
    keeps_origin: true,
    derived: Derived::Same(LetterChange::Blanks),
    sees: Sees::Arguments,
    ..Function::BARE
};

const SPLIT: Function = Function {
    name: "split",
    params: &[SUBJECT, param("at", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The parts of the text between the occurrences of a text or a regular expression, \
          including empty parts.",
    examples: &[
        ("split(\"***\")", "a***b***", Texts(&["a", "b", ""])),
        ("split(/\\s*,\\s*/)", "a , b,c", Texts(&["a", "b", "c"])),
    ],
    call: |given| {
        let piece = given.piece(0)?;
        let places = super::sought::places(&piece, given.get(1)?)?;
        let mut parts = Vec::with_capacity(places.len() + 1);
        let mut start = 0;
        for place in places {
            parts.push(start..place.start);
            start = place.end;
        }
        parts.push(start..piece.as_str().len());
        Ok(Operand::Pieces(TextPieces::slice(&piece, None, parts.into_iter())))
    },
    with_members: Some(|repairer, call, members, text| {
        Some(members.join(&repairer.separator(call.arg(1)?, text)?))
    }),
    grow: Some(|repairer, at| repairer.another_part(at.call.arg(1)?, at.text)),
    member_nouns: Some(["part", "parts"]),
    derived: Derived::Split,
    sees: Sees::Sought(NOTHING_MORE),
    ..Function::BARE
};

const LINES: Function = Function {
    name: "lines",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The lines of the text, including blank ones: the same as its unit `line.all`.",
    examples: &[("lines", "a\n\nb", Texts(&["a", "", "b"]))],
    call: |given| Ok(Operand::Pieces(given.piece(0)?.units(Unit::LineAll))),
    member_nouns: Some(["line", "lines"]),
    sees: Sees::Arguments,
    ..Function::BARE
};

const TO_NUMBER: Function = Function {
    name: "to_number",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Float,
    doc: "The number that a text represents, ignoring blanks around it. No value if it is not a number.",
    examples: &[
        ("to_number", " 1,234 ", Int(1234)),
        ("to_number", "3.5", Float(3.5)),
        ("to_number", "three", Faults),
    ],
    call: |given| {
        let text = given.text(0)?;
        parse_number(strip(text))
            .map(Operand::from_number)
            .ok_or_else(|| EvalError::new(format!("`{}` is not a number", excerpt(text))))
    },
    noun: Some("the number"),
    ..Function::BARE
};

const TO_TEXT: Function = Function {
    name: "to_text",
    params: &[param("value", ParamType::Key)],
    subject: false,
    returns: ReturnType::Text,
    doc: "A number as it is printed, a text unchanged, or `true` or `false`.",
    examples: &[
        ("to_text(3 + 4)", "", Text("7")),
        ("to_text(7 / 2)", "", Text("3.5")),
        ("contains(word (to_text(10 * 2)))", "It is 20 to 9.", Holds),
    ],
    call: |given| {
        let value = given.get(0)?.value().ok_or_else(|| EvalError::new("it has no value"))?;
        // A value may hold the same list many times over: its text is many times as long.
        let mut text = BoundedText(String::new());
        write!(text, "{value}").map_err(|_| EvalError::new("the text is too long"))?;
        computed_text(text.0)
    },
    sees: Sees::Arguments,
    ..Function::BARE
};

const REPLACE: Function = Function {
    name: "replace",
    params: &[SUBJECT, param("sought", ParamType::Sought), param("by", ParamType::Text)],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text with every occurrence replaced.",
    examples: &[("replace(\"*\", \"\")", "*a* b", Text("a b"))],
    call: |given| {
        let piece = given.piece(0)?;
        let places = super::sought::places(&piece, given.get(1)?)?;
        let by = given.text(2)?;
        let text = piece.as_str();
        if by.is_empty()
            && let Some(kept) = contiguous_rest(text.len(), &places)
        {
            return Ok(Operand::Piece(piece.cut(kept, None)));
        }
        if places.len().saturating_mul(by.len()) > MAX_TEXT_BYTES {
            return Err(EvalError::new("the text is too long"));
        }
        let mut result = String::new();
        let mut start = 0;
        for place in places {
            result.push_str(text.get(start..place.start).unwrap_or(""));
            result.push_str(by);
            start = place.end;
        }
        result.push_str(text.get(start..).unwrap_or(""));
        computed_text(result)
    },
    derived: Derived::Replaced,
    sees: Sees::Sought(NOTHING_MORE),
    ..Function::BARE
};

const CODE_POINT: Function = Function {
    name: "code_point",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Int,
    doc: "The Unicode code point of the text's first character; successive letters of an alphabet \
          differ by 1. No value for an empty text.",
    examples: &[
        ("code_point(\"b\") - code_point(\"a\")", "", Int(1)),
        ("code_point", "é", Int(233)),
        ("code_point", "", Faults),
    ],
    call: |given| {
        let first = given.text(0)?.chars().next();
        first
            .map(|c| Operand::Value(Value::Int(i64::from(u32::from(c)))))
            .ok_or_else(|| EvalError::new("the text is empty"))
    },
    sees: Sees::Also(FIRST_CODE_POINT),
    ..Function::BARE
};

const INITIALS: Function = Function {
    name: "initials",
    params: &[param("list", ParamType::Texts)],
    subject: false,
    returns: ReturnType::Text,
    doc: "The first letter of each member that has one, in its original case: what an acrostic \
          spells.",
    examples: &[
        ("initials(line)", "Sun\n- over\nsea", Text("Sos")),
        ("lower(initials(line)) == \"sos\"", "Sun\nOver\nSea", Holds),
    ],
    call: |given| {
        let members = given.members(0)?;
        let letters =
            members.iter().filter_map(|member| member.as_str()?.chars().find(|c| is_letter(*c)));
        computed_text(letters.collect())
    },
    derived: Derived::Initials,
    sees: Sees::Members,
    ..Function::BARE
};

const BETWEEN: Function = Function {
    name: "between",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The text between two marks, for each pair of them.",
    examples: &[("between(\"<\", \">\")", "<a> b <c> <d", Texts(&["a", "c"]))],
    call: text_between,
    derived: Derived::Part,
    sees: Sees::Sought(NOTHING_MORE),
    ..Function::BARE
};

const BEFORE: Function = Function {
    name: "before",
    params: &[SUBJECT, param("mark", ParamType::Text), optional("otherwise", ParamType::Text)],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text before the first occurrence of a mark. If there is none: the fallback text if \
          one is given, otherwise no value.",
    examples: &[("before(\":\")", "a: b: c", Text("a")), ("before(\":\")", "a", Faults)],
    call: |given| part(given, |text, mark| text.find(mark).map(|at| 0..at)),
    derived: Derived::Part,
    sees: Sees::Sought(START),
    ..Function::BARE
};

const AFTER: Function = Function {
    name: "after",
    params: &[SUBJECT, param("mark", ParamType::Text), optional("otherwise", ParamType::Text)],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text after the first occurrence of a mark. If there is none: the fallback text if \
          one is given, otherwise no value.",
    examples: &[("after(\":\")", "a: b: c", Text(" b: c"))],
    call: |given| part(given, |text, mark| text.find(mark).map(|at| at + mark.len()..text.len())),
    derived: Derived::Part,
    sees: Sees::Sought(END),
    ..Function::BARE
};

/// The rest without these ranges, if it is contiguous.
fn contiguous_rest(len: usize, without: &[Range<usize>]) -> Option<Range<usize>> {
    let starts = std::iter::once(0).chain(without.iter().map(|place| place.end));
    let ends = without.iter().map(|place| place.start).chain([len]);
    let mut kept: Option<Range<usize>> = None;
    for (start, end) in starts.zip(ends).filter(|(start, end)| start < end) {
        match &mut kept {
            Some(kept) if kept.end == start => kept.end = end,
            Some(_) => return None,
            None => kept = Some(start..end),
        }
    }
    Some(kept.unwrap_or(0..0))
}

/// Texts longer than this are not made.
pub(crate) const MAX_TEXT_BYTES: usize = 1 << 23;

/// A text that ends up no longer than what may be made.
struct BoundedText(String);

impl std::fmt::Write for BoundedText {
    fn write_str(&mut self, more: &str) -> std::fmt::Result {
        if self.0.len() + more.len() > MAX_TEXT_BYTES {
            return Err(std::fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

fn computed_text<'a>(text: String) -> Result<Operand<'a>, EvalError> {
    Ok(Operand::Value(Value::Text(text.into())))
}

fn excerpt(text: &str) -> String {
    text.chars().take(20).collect()
}

fn part<'a>(
    given: &Arguments<'_, 'a>,
    find: fn(&str, &str) -> Option<Range<usize>>,
) -> Result<Operand<'a>, EvalError> {
    let piece = given.piece(0)?;
    let mark = given.text(1)?;
    match find(piece.as_str(), mark) {
        Some(range) => Ok(Operand::Piece(piece.cut(range, None))),
        None => match given.optional(2) {
            Some(otherwise) => Ok(otherwise.clone()),
            None => Err(EvalError::new(format!("there is no `{}` in the text", excerpt(mark)))),
        },
    }
}

fn text_between<'a>(given: &Arguments<'_, 'a>) -> Result<Operand<'a>, EvalError> {
    let piece = given.piece(0)?;
    let (left, right) = (given.text(1)?, given.text(2)?);
    if left.is_empty() || right.is_empty() {
        return Err(EvalError::new("`between` needs two marks"));
    }
    let text = piece.as_str();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find(left)) {
        let start = at + open + left.len();
        let Some(len) = text.get(start..).and_then(|rest| rest.find(right)) else { break };
        parts.push(start..start + len);
        at = start + len + right.len();
    }
    Ok(Operand::Pieces(TextPieces::slice(&piece, None, parts.into_iter())))
}
