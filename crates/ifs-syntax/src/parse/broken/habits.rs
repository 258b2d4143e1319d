//! The intended syntax where a word or a sign of another language is written.

use super::{BrokenIn, first_word, last_word};
use crate::parse::forms::form;
use crate::parse::grammar::{self, Mistake, Rule};

/// Whether a string before it ended within `{{ … }}`.
pub(super) fn within_names(before: &str) -> bool {
    let line = before.lines().next_back().unwrap_or("");
    let open = line.rfind("{{").and_then(|at| line.get(at..));
    open.is_some_and(|open| !open.contains("}}") && open.contains('"'))
}

/// The intended text where a sign or a word is valid but wrong in its place.
/// `rest` is what follows the place of the mistake, `rule` what was promised.
pub(super) fn misread(
    text: &str,
    rest: &str,
    mistake: &Mistake,
    rule: Option<Rule>,
) -> Option<&'static str> {
    let expects = |rule: Rule| mistake.expected.contains(&rule);
    let before = text.get(..text.len() - rest.len()).unwrap_or("").trim_end();
    if within_names(before) {
        return Some(
            "a string ends at the next `\"`: compute it above, as in `let NAME = …`, and write `{{ NAME }}`",
        );
    }
    if rest.starts_with(['=', ':']) && before.len() == first_word(before).len() {
        let line = rest.lines().next().unwrap_or(rest);
        let without = format!("{before} {}", &line[1..]);
        let reads = rule.is_some_and(|rule| grammar::parse(rule, &without).is_ok());
        return reads.then_some("leave it out: a statement is its word and what follows");
    }
    if rest.starts_with('=') && expects(Rule::colon) {
        return Some("write `:` and a domain, such as `n: int in 1..=5`");
    }
    if rest.starts_with('=') && rule == Some(Rule::let_item) {
        return form(Rule::let_item);
    }
    if expects(Rule::k_then) {
        return Some("write `if A then B` or `if A then B else C`");
    }
    let digit = rest.starts_with(|letter: char| letter.is_ascii_digit());
    if digit && expects(Rule::percent) && expects(Rule::unbracket) {
        return Some("a share is written with `%`, as in `\"a\" 60%`");
    }
    if expects(Rule::k_of) && ["int", "float"].contains(&last_word(before)) {
        return Some("write `in` before the range: `int in 1..=9`");
    }
    let last = before.rsplit([' ', ':', ',', '(']).next().unwrap_or(before);
    if expects(Rule::k_of) && last.contains("..") {
        return Some("write the type before the range: `int in 3..=9`");
    }
    if expects(Rule::k_of) && before.split_whitespace().any(|word| word == "in") {
        return Some("write `one_of LIST` for a member of a list");
    }
    if expects(Rule::k_step) {
        match first_word(rest) {
            "to" => return Some("a range is written `LOW..=HIGH`"),
            "by" => return Some("write `step` before how far one value is from the next"),
            _ => {}
        }
    }
    let habit = hint(rest);
    match rest.chars().next() {
        Some(')') if !is_open(before, '(', ')') => return Some("there is no `(` for it"),
        Some(']') if !is_open(before, '[', ']') => return Some("there is no `[` for it"),
        Some('"') if before.ends_with('"') => return Some("write a comma between two strings"),
        Some(',') if before.ends_with(',') => return Some("remove one of the commas"),
        _ if habit.is_some() => return habit,
        _ => {}
    }
    if matches!(rule, Some(Rule::constraint | Rule::param_stmt)) {
        return None;
    }
    let comma = expects(Rule::comma);
    match () {
        () if comma && expects(Rule::unparen) => Some("close with `)`, or go on with `,`"),
        () if comma && expects(Rule::unbracket) => Some("close with `]`, or go on with `,`"),
        () if expects(Rule::colon) && rule == Some(Rule::check) => {
            Some("write a `:` before what must hold, as in `every sentence: starts_with(\"S\")`")
        }
        () => None,
    }
}

/// A clause that is written with a statement, or at a place in it, that does not take it: its word, and
/// where it belongs. `head` is the line, `rest` what follows the place of the mistake.
pub(super) fn strayed<'w>(
    place: BrokenIn,
    head: &'w str,
    rest: &'w str,
) -> Option<(&'w str, &'static str)> {
    let is_dialogue = matches!(place, BrokenIn::In(Rule::dialogue | Rule::variant));
    let alone = !is_dialogue && first_word(head) == "weigh";
    match first_word(if alone { head } else { rest }) {
        word @ "weigh" if matches!(place, BrokenIn::In(_)) => Some((
            word,
            "only a requirement takes a weight, at its end: `require NAME … weigh NUMBER`; in a \
             dialogue, `weigh NAME NUMBER` gives one to a tag or a group",
        )),
        word @ "case" if matches!(place, BrokenIn::In(_)) => Some((
            word,
            "`case` follows `against`: `impose … by user against system case \"aligned\"`",
        )),
        word @ "pass" if matches!(place, BrokenIn::In(Rule::turn | Rule::constraint)) => Some((
            word,
            "`pass` follows a question to a judge: `judge \"QUESTION?\" pass == \"no\"`, or with a \
             scale `judge \"QUESTION?\" scale 1..=5 pass >= 4`; a rule needs none",
        )),
        word @ "unsaid" => Some((
            word,
            "write it after the modules and before `scope`: `impose called NAME given RECORD from \
             MODULE unsaid scope dialogue`; constraints of topics have `scope topic unsaid`",
        )),
        _ => None,
    }
}

/// Whether the text has an open bracket; brackets in strings do not count.
pub(super) fn is_open(text: &str, left: char, right: char) -> bool {
    let outside = text.split('"').step_by(2).flat_map(str::chars);
    let depth = outside
        .fold(0i32, |depth, letter| depth + i32::from(letter == left) - i32::from(letter == right));
    depth > 0
}

/// Common mistakes, and what to write instead.
pub(super) fn hint(text: &str) -> Option<&'static str> {
    const HABITS: &[(&str, &str)] = &[
        (
            "random.",
            "what is random is a parameter: `param x: one_of [\"a\", \"b\"]`, `param n: int in 1..=9`",
        ),
        ("&&", "write `and`"),
        ("||", "write `or`"),
        ("===", "write `==`"),
        ("<>", "write `!=`"),
        ("=>", "write `>=`"),
        ("=<", "write `<=`"),
        ("=", "`==` compares; `=` only follows `let NAME`"),
        ("!", "write `not`"),
        ("'", "strings are in double quotation marks"),
        ("`", "strings are in double quotation marks"),
        ("\u{201C}", "use straight quotation marks"),
        ("\u{2018}", "use straight quotation marks"),
        ("#", "comments begin with `//`"),
        (";", "statements need no `;`"),
        ("/*", "comments begin with `//` and end with the line"),
        ("/", "a regular expression ends with `/` on the same line"),
        ("->", "write `if A then B`"),
        ("is not ", "write `!=`"),
        ("is ", "write `==`"),
        ("between ", "write `in 3..=5`"),
        ("? ", "write `if A then B else C`"),
        ("elif", "write `else if`"),
        ("function ", "constraints are written `constraint NAME(PARAMETERS) { … }`"),
        ("while ", "there are no such loops; a flow repeats by itself"),
        ("return", "a `check` is one expression; leave `return` out"),
        ("\0", "there is a NUL byte in the file; save it as UTF-8 text"),
    ];
    HABITS.iter().find(|(habit, _)| text.starts_with(habit)).map(|(_, help)| *help)
}

/// Names of statements in other languages and libraries, and the form here.
pub(super) fn named_otherwise(place: BrokenIn, word: &str) -> Option<&'static str> {
    Some(match (place, word) {
        (BrokenIn::Top, "from") => {
            "write `import NAME \"FILE\"` for a file of data, `use std.NAME` for a module of the library"
        }
        (BrokenIn::Top, "bank" | "data" | "dataset") => {
            "write `import NAME \"FILE\" { name: text }`"
        }
        (BrokenIn::Top, "const" | "var") => form(Rule::let_item)?,
        (BrokenIn::Top, "fn" | "func") => form(Rule::def)?,
        (BrokenIn::Top, "conversation" | "scenario") => form(Rule::dialogue)?,
        (BrokenIn::Top, "rule" | "instruction") => form(Rule::constraint)?,
        (BrokenIn::In(_), "system_prompt" | "system_message" | "sys" | "instructions") => {
            "did you mean `system`? write `system \"…\"` or `system template \"FILE\"`"
        }
        (BrokenIn::In(Rule::dialogue), "max_turns" | "turns") => "write `end when turns >= 10`",
        (BrokenIn::In(Rule::dialogue), "user" | "prompt" | "message") => {
            "a user message is in a turn: write `turn { ask \"…\" }`"
        }
        (BrokenIn::In(Rule::turn), "user" | "message" | "say") => form(Rule::ask)?,
        (BrokenIn::In(Rule::turn), "assistant" | "reference" | "expected") => form(Rule::answer)?,
        (BrokenIn::In(Rule::turn), "check" | "assert") => form(Rule::require)?,
        (BrokenIn::In(Rule::dialogue), "model") => {
            "the model is chosen when it is run: `ifs run FILE -m MODEL`"
        }
        (BrokenIn::In(Rule::dialogue), "temperature" | "max_tokens") => {
            "this is set when it is run: `ifs run FILE --temperature NUMBER --max-tokens N`"
        }
        (BrokenIn::In(Rule::constraint), "assert" | "verify") => form(Rule::check)?,
        _ => return None,
    })
}
