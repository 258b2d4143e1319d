//! What a text starts with, ends with and contains.

use super::Expect::{Fails, Faults, Holds, Text};
use super::hooks::{
    CONTAIN, Demand, END, Finding, NOTHING_MORE, START, Sees, Steady, WHICH_LANGUAGE,
};
use super::sought;
use super::{
    Arguments, Func, Function, ParamType, PlainTest, ReturnType, SUBJECT, optional, param,
};
use crate::bound::{Property, no_facts};
use crate::fault::EvalError;
use crate::operand::Operand;
use crate::tree::{Node, Tree};
use crate::value::Value;
use crate::witness::parts;
use ifs_text::python::is_space;

pub(super) const ROWS: &[&Function] =
    &[&STARTS_WITH, &ENDS_WITH, &CONTAINS, &MATCHES, &IS_BLANK, &LANGUAGE, &LANGUAGE_AS_RELEASED];

/// Those that rules about several functions name.
impl Func {
    pub const CONTAINS: Func = Func::named("contains");
    pub const LANGUAGE: Func = Func::named("language");
}

const STARTS_WITH: Function = Function {
    name: "starts_with",
    params: &[SUBJECT, param("sought", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text starts with something. Blanks and marks of emphasis, headings, items and \
          quotations before it do not matter. A text is compared with case, `text` letter by letter \
          with what is written. A regular expression has to match at the start of what is written. A \
          needle ignores case and what is not of its kind: `letter \"a\"` looks at the first letter \
          whatever precedes it, `word` at the first word, `emoji`, `keyword` and `phrase` skip opening \
          punctuation and markup.",
    examples: &[
        ("starts_with(\"In short\")", "In short, yes.", Holds),
        ("starts_with(\"in short\")", "In short, yes.", Fails),
        ("starts_with(\"S\")", "  Some say so.", Holds),
        ("starts_with(\"Don't\")", "> **Don’t** stop.", Holds),
        ("starts_with(text \"Don't\")", "Don’t stop.", Fails),
        ("starts_with(letter \"a\")", "\"A rose,\" she said.", Holds),
        ("starts_with(letter \"a\")", "The rose.", Fails),
        ("starts_with(word \"the\")", "**The** tide.", Holds),
        ("starts_with(word \"the\")", "Then it ebbs.", Fails),
        ("starts_with(keyword \"tide\")", "Tide pools.", Holds),
        ("starts_with(emoji \"😀\")", "😀 Hello.", Holds),
        ("starts_with(/\\d+/)", "42 is it.", Holds),
        ("starts_with(/\\d+/)", "It is 42.", Fails),
    ],
    call: |given| sought::starts(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    demand: Some(Demand::Sought("<start> with {sought}")),
    finding: Some(Finding::Start),
    implies: Some(|read, call, wanted| match wanted {
        true => read.edge(call, Property::Starts),
        false => read.exclude_edge(call, Property::StartsNot),
    }),
    repair: Some(|repairer, at, wanted| match wanted {
        true => repairer.start(at),
        false => Some(parts::in_front(at.text, "indeed")),
    }),
    total: true,
    is_common: true,
    sees: Sees::Sought(START),
    ..Function::BARE
};

const ENDS_WITH: Function = Function {
    name: "ends_with",
    params: &[SUBJECT, param("sought", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text ends with something. Trailing blanks, marks of emphasis, quotation marks and \
          brackets are ignored. A text is compared with case, `text` character by character with what \
          is written. A regular expression has to match up to the end of what is written. A needle \
          ignores case and everything that is not of its kind, as in `starts_with`.",
    examples: &[
        ("ends_with(\"?\")", "Really? ", Holds),
        ("ends_with(\"?\")", "**Really?**", Holds),
        ("ends_with(text \"?\")", "**Really?**", Fails),
        ("ends_with(\"?\")", "Really.", Fails),
        ("ends_with(letter \"y\")", "Really?!", Holds),
        ("ends_with(word \"tide\")", "It is the tide.", Holds),
        ("ends_with(word \"tide\")", "It is the riptide.", Fails),
        ("ends_with(/\\d+\\./)", "It is 42.", Holds),
        ("ends_with(/a|ab/)", "ab", Holds),
    ],
    call: |given| sought::ends(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    demand: Some(Demand::Sought("<end> with {sought}")),
    finding: Some(Finding::End),
    implies: Some(|read, call, wanted| match wanted {
        true => read.edge(call, Property::Ends),
        false => read.exclude_edge(call, Property::EndsNot),
    }),
    repair: Some(|repairer, at, wanted| match wanted {
        true => repairer.end(at),
        false => Some(repairer.replace_end(at)),
    }),
    total: true,
    is_common: true,
    sees: Sees::Sought(END),
    ..Function::BARE
};

const CONTAINS: Function = Function {
    name: "contains",
    params: &[SUBJECT, param("sought", ParamType::Sought)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether something occurs in the text: a text letter by letter, with case; a regular \
          expression anywhere; a needle by the rules of its kind.",
    examples: &[
        ("contains(\"per se\")", "Not bad per se.", Holds),
        ("contains(\"Per se\")", "Not bad per se.", Fails),
        ("contains(word \"like\")", "I LIKE it.", Holds),
        ("contains(word \"like\")", "It is likely.", Fails),
        ("contains(/\\[.+?\\]/)", "Dear [name]", Holds),
        ("contains(regex \"tides?\\\\b\")", "Two tides.", Holds),
        ("contains(\"\")", "", Holds),
    ],
    call: |given| sought::contains(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    demand: Some(Demand::Sought(CONTAIN)),
    finding: Some(Finding::Sought),
    implies: Some(|read, call, wanted| read.sought(call, wanted)),
    repair: Some(|repairer, at, wanted| repairer.set_occurrence(at, wanted)),
    steady: Steady::Sought,
    total: true,
    is_common: true,
    handed_down: Some(false),
    sees: Sees::Sought(NOTHING_MORE),
    ..Function::BARE
};

const MATCHES: Function = Function {
    name: "matches",
    params: &[SUBJECT, param("pattern", ParamType::Pattern)],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether a regular expression matches somewhere in the text; `^` and `$` tie it to \
          its ends, and with the flag `m` to those of a line.",
    examples: &[
        ("matches(/^yes/i)", "Yes, it is.", Holds),
        ("matches(/^is/)", "Yes, it is.", Fails),
        ("matches(/^b$/m)", "a\nb\nc", Holds),
    ],
    call: |given| sought::contains(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    demand: Some(Demand::Sought(CONTAIN)),
    finding: Some(Finding::Sought),
    implies: Some(|read, call, wanted| read.sought(call, wanted)),
    repair: Some(|repairer, at, wanted| repairer.set_occurrence(at, wanted)),
    steady: Steady::Sought,
    total: true,
    handed_down: Some(false),
    sees: Sees::Sought(NOTHING_MORE),
    ..Function::BARE
};

const IS_BLANK: Function = Function {
    name: "is_blank",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the text has only blanks and line breaks, or nothing.",
    examples: &[("is_blank", " \n\t", Holds), ("is_blank", "", Holds), ("is_blank", ".", Fails)],
    call: |given| Ok(Operand::bool(is_blank(given.text(0)?))),
    plain: Some(PlainTest { ask: is_blank, needs_capital: false }),
    demand: Some(Demand::Plain("<be> blank")),
    finding: Some(Finding::Empty),
    implies: Some(|read, call, wanted| if wanted { read.blank(call.tree) } else { no_facts() }),
    repair: Some(|repairer, _, wanted| match wanted {
        true => Some(String::new()),
        false => Some(repairer.sentence()),
    }),
    sees: Sees::Arguments,
    ..Function::BARE
};

const LANGUAGE: Function = Function {
    name: "language",
    params: &[SUBJECT, optional("otherwise", ParamType::Text)],
    subject: true,
    returns: ReturnType::Text,
    doc: "The language of the text, as an ISO 639-1 code: one of the 54 that \
          langdetect knows, with Chinese in either script as `zh`, or one of six more with a \
          script of their own. Case does not matter. Where it cannot be determined (no letters, a few words, \
          two languages): the other text that was given, else no value. Of a few words, a comparison \
          with a code is undecided, unless their script decides.",
    examples: &[
        ("language", "Der Mond zieht das Wasser des Meeres an.", Text("de")),
        ("language == \"en\"", "THE MOON PULLS THE WATER OF THE SEA.", Holds),
        ("language", "今天月亮很圆，潮水也很高。", Text("zh")),
        ("language", "42", Faults),
        ("language(it, \"en\")", "42", Text("en")),
    ],
    call: |given| of_language(given, |text| text.language().certain()),
    noun: Some("the language"),
    is_language: true,
    if_equal: Some(|read, tree, call, code| match call.arguments {
        [] | [Tree { node: Node::It, .. }] => read.written_in(tree, code),
        _ => Vec::new(),
    }),
    sees: Sees::Also(WHICH_LANGUAGE),
    ..Function::BARE
};

const LANGUAGE_AS_RELEASED: Function = Function {
    name: "language_as_released",
    params: &[SUBJECT, optional("otherwise", ParamType::Text)],
    subject: true,
    returns: ReturnType::Text,
    doc: "The language that langdetect reports, which IFEval's released checker asks: a guess \
          however short the text is, `unknown` where no guess is likely, `zh-cn` or `zh-tw` for \
          Chinese. The chance it uses is seeded. Where it finds nothing to go by: the other text \
          that was given, else no value.",
    examples: &[
        ("language_as_released", "Der Mond zieht das Wasser an.", Text("de")),
        ("language_as_released", "今天月亮很圆，潮水也很高。", Text("zh-cn")),
        ("language_as_released", "42", Faults),
        ("language_as_released(it, \"en\")", "42", Text("en")),
    ],
    call: |given| of_language(given, |text| text.language_released()),
    noun: Some("the language"),
    is_language: true,
    ..Function::BARE
};

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

fn of_language<'a>(
    given: &Arguments<'_, 'a>,
    language: impl FnOnce(&ifs_text::Text<'_>) -> Option<&'static str>,
) -> Result<Operand<'a>, EvalError> {
    match (given.piece(0)?.read(language), given.optional(1)) {
        (Some(code), _) => Ok(Operand::Value(Value::text(code))),
        (None, Some(otherwise)) => Ok(otherwise.clone()),
        (None, None) => Err(no_language()),
    }
}

pub(crate) fn no_language() -> EvalError {
    EvalError::new("the language of this text cannot be determined")
}
