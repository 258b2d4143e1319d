//! What a text starts with, ends with and contains.

use super::Expect::{Fails, Faults, Holds, Text};
use super::sought;
use super::{Function, ParamType, Returns, SUBJECT, optional, param};
use crate::predicate::operand::Operand;
use crate::text::python::is_space;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "starts_with",
        params: &[SUBJECT, param("sought", ParamType::Sought)],
        subject: true,
        returns: Returns::Bool,
        doc: "Whether the text starts with something. Blanks before it do not matter. A text is \
              compared letter by letter, with case. A regular expression has to match at the \
              start. A needle ignores case and what is not of its kind: `letter \"a\"` looks at \
              the first letter whatever stands before it, `word` at the first word, `emoji`, \
              `keyword` and `phrase` skip opening punctuation and markup.",
        examples: &[
            ("starts_with(\"In short\")", "In short, yes.", Holds),
            ("starts_with(\"in short\")", "In short, yes.", Fails),
            ("starts_with(\"S\")", "  Some say so.", Holds),
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
    },
    Function {
        name: "ends_with",
        params: &[SUBJECT, param("sought", ParamType::Sought)],
        subject: true,
        returns: Returns::Bool,
        doc: "Whether the text ends with something. Blanks behind it do not matter. A text is \
              compared letter by letter, with case. A regular expression has to match up to the \
              end. A needle ignores case and what is not of its kind, as in `starts_with`.",
        examples: &[
            ("ends_with(\"?\")", "Really? ", Holds),
            ("ends_with(\"?\")", "Really.", Fails),
            ("ends_with(letter \"y\")", "Really?!", Holds),
            ("ends_with(word \"tide\")", "It is the tide.", Holds),
            ("ends_with(word \"tide\")", "It is the riptide.", Fails),
            ("ends_with(/\\d+\\./)", "It is 42.", Holds),
            ("ends_with(/a|ab/)", "ab", Holds),
        ],
        call: |given| sought::ends(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    },
    Function {
        name: "contains",
        params: &[SUBJECT, param("sought", ParamType::Sought)],
        subject: true,
        returns: Returns::Bool,
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
    },
    Function {
        name: "matches",
        params: &[SUBJECT, param("pattern", ParamType::Pattern)],
        subject: true,
        returns: Returns::Bool,
        doc: "Whether a regular expression matches somewhere in the text; `^` and `$` tie it to \
              its ends, and with the flag `m` to those of a line.",
        examples: &[
            ("matches(/^yes/i)", "Yes, it is.", Holds),
            ("matches(/^is/)", "Yes, it is.", Fails),
            ("matches(/^b$/m)", "a\nb\nc", Holds),
        ],
        call: |given| sought::contains(&*given.piece(0)?, given.get(1)?).map(Operand::bool),
    },
    Function {
        name: "is_blank",
        params: &[SUBJECT],
        subject: true,
        returns: Returns::Bool,
        doc: "Whether there is nothing but blanks and line ends.",
        examples: &[
            ("is_blank", " \n\t", Holds),
            ("is_blank", "", Holds),
            ("is_blank", ".", Fails),
        ],
        call: |given| Ok(Operand::bool(given.text(0)?.chars().all(is_space))),
    },
    Function {
        name: "language",
        params: &[SUBJECT, optional("otherwise", ParamType::Text)],
        subject: true,
        returns: Returns::Text,
        doc: "The language of the text, as an ISO 639 code. Where it cannot be told: the other \
              text that was given, else no value.",
        examples: &[("language", "", Faults), ("language(\"en\")", "", Text("en"))],
        call: |given| {
            given.text(0)?;
            if let Some(otherwise) = given.given(1) {
                return Ok(otherwise.clone());
            }
            Err(crate::predicate::fault::Fault::new("the language of this text cannot be told"))
        },
    },
];
