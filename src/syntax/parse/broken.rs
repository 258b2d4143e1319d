//! Diagnostics for lines that are not a statement.

use super::Builder;
use super::forms::form;
use super::grammar::{self, Mistake, Pair, Parts, Rule};
use crate::diagnostic::{Code, Diagnostic, closest};
use crate::source::Span;
use crate::syntax::scan::MOST;
use crate::syntax::statement::{self, Statement};

/// The block of a mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    In(Rule),
}

impl Builder<'_> {
    /// Parses the contents of a block with `one`; returns whether a line in it has an error.
    pub(super) fn block<T>(
        &mut self,
        parts: &mut Parts<'_>,
        of: Rule,
        mut one: impl FnMut(&mut Self, Pair<'_>) -> Option<T>,
    ) -> Option<(Vec<T>, bool)> {
        let (mut made, mut broken) = (Vec::new(), false);
        while let Some(pair) = parts.next() {
            if pair.as_rule() == Rule::broken {
                self.broken(pair, of);
                broken = true;
            } else {
                made.push(one(self, pair)?);
            }
        }
        Some((made, broken))
    }

    /// Explains an invalid line inside a block.
    pub(super) fn broken(&mut self, pair: Pair<'_>, block: Rule) {
        let text = pair.as_str().trim_end();
        let start = pair.as_span().start();
        let (place, word) = (Place::In(block), first_word(text));
        self.poison(text);
        if self.diagnostics.len() >= MOST {
            return;
        }
        if text.starts_with("///") {
            self.undocumented(start, text, pair.as_span().get_input());
            return;
        }
        if self.reported(start, start + text.len()) || self.continues(start, place, word) {
            return;
        }
        if self.rest_of_line(start, text, block) {
            return;
        }
        let Some(rule) = statement(place, word) else {
            self.unknown_statement(start, text, place, word);
            return;
        };
        let rest = pair.as_span().get_input().get(start..).unwrap_or(text);
        match grammar::parse(rule, rest) {
            Ok(_) => {
                self.explain_in(text, start, &Mistake { at: start, expected: Vec::new() }, place);
            }
            Err(mistake) => {
                let mistake = Mistake { at: mistake.at + start, ..mistake };
                self.explain_in(text, start, &mistake, place);
            }
        }
    }

    /// Explains the rest of a line after a statement.
    fn rest_of_line(&mut self, start: usize, text: &str, block: Rule) -> bool {
        let at = self.base + start;
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1).max(self.base);
        // The block itself may have been opened on this line.
        let line = line + opened_last(&self.text[line..at]).map_or(0, |brace| brace + 1);
        let before = &self.text[line..at];
        let blanks = before.len() - before.trim_start().len();
        if before.trim().is_empty() || before.trim_end().ends_with(['{', '}']) {
            return false;
        }
        let from = line + blanks - self.base;
        let whole = &self.text[line + blanks..at + text.len()];
        let mistake = match grammar::parse(probe(block), whole) {
            Err(mistake) if from + mistake.at > start => {
                Mistake { at: from + mistake.at, ..mistake }
            }
            _ => Mistake { at: start, expected: Vec::new() },
        };
        self.explain_in(whole, from, &mistake, Place::In(block));
        true
    }

    /// Explains why an item could not be parsed.
    pub(super) fn explain(&mut self, text: &str, mistake: &Mistake, place: Place) {
        if self.diagnostics.len() >= MOST {
            return;
        }
        let head = undocumented(text);
        let at = text.len() - head.len();
        if self.reported(at, at + head.len().min(1)) {
            return;
        }
        if head.is_empty() {
            self.undocumented(0, text.trim_end(), text);
            return;
        }
        let word = first_word(head);
        if place == Place::Top && statement(place, word).is_none() {
            let line = head.lines().next().unwrap_or(head);
            self.unknown_statement(at, line, place, word);
            return;
        }
        self.explain_in(text, 0, mistake, place);
    }

    /// Reports doc comments without an item. Doc comments above a line with an error are not
    /// reported.
    fn undocumented(&mut self, start: usize, text: &str, chunk: &str) {
        let behind = chunk.get(start + text.len()..).unwrap_or("").trim_start();
        if !behind.is_empty() && !behind.starts_with('}') {
            return;
        }
        let span = Span::new(self.file, self.base + start, self.base + start + text.len());
        self.diagnostics.push(
            Diagnostic::error(Code::DANGLING_DOC, "this doc comment documents nothing")
                .label(span, "nothing follows it here")
                .help("move it above what it describes, or make it a comment with `//`"),
        );
    }

    fn explain_in(&mut self, text: &str, start: usize, mistake: &Mistake, place: Place) {
        let end = start + text.trim_end().len();
        let at = mistake.at.clamp(start, end);
        let behind = text.get(at - start..).unwrap_or("");
        let rest = behind.trim_start();
        let at = at + (behind.len() - rest.len());
        if self.reported(at, at + 1) {
            return;
        }
        let expected = nouns(&mistake.expected, text.get(..at - start).unwrap_or(""));
        let head = undocumented(text);
        let promised = statement(place, first_word(head));
        let form = promised.and_then(form);
        if let Some(rule) = promised.filter(|_| mistake.expected.contains(&Rule::open)) {
            // Without its `{`, the contents of the block are outside.
            self.misplaced.push((self.base, place, inside(rule)));
        }
        // Past the end of the line: the label is at the end of its text.
        let line_over =
            rest.is_empty() || behind.starts_with(['\n', '\r']) || (rest.starts_with("//"));
        if line_over {
            let written = text.get(..mistake.at.clamp(start, end) - start).unwrap_or(text);
            let last = start + written.trim_end().len();
            let message = match expected.as_str() {
                "" => "the line ends too early".to_owned(),
                expected => format!("expected {expected}, found the end of the line"),
            };
            let help = misread(head, "", mistake, promised).or(form);
            // Back to the start of the last character, which may have several bytes.
            let width = written.trim_end().chars().next_back().map_or(0, char::len_utf8);
            self.syntax(last.saturating_sub(width), last, message, help.map(str::to_owned));
            return;
        }
        if let Some((from, word, meant)) = unknown_way(text, promised)
            && text.len() - rest.len() <= from
        {
            let ways = match promised {
                Some(Rule::switch) => "`new` and `backtrack`",
                _ => "`add`, `modify` and `drop`",
            };
            let message = format!("`{word}` is not one of the ways {ways}");
            let help = meant.map(|meant| format!("did you mean `{meant}`?"));
            let help = help.or(form.map(str::to_owned));
            self.syntax(start + from, start + from + word.len(), message, help);
            return;
        }
        if mistake.expected.contains(&Rule::percent)
            && let Some((number, help)) = as_percent(rest)
        {
            let message = format!("expected {expected}, found `{number}`");
            self.syntax(at, at + number.len(), message, Some(help));
            return;
        }
        let gave_up = at;
        let (at, rest) = habit_before(text, start, at);
        let token = first_token(rest);
        let message = match expected.as_str() {
            _ if at != gave_up => format!("`{token}` does not belong here"),
            "" | OPERATOR => format!("`{token}` does not belong here"),
            expected => format!("expected {expected}, found `{token}`"),
        };
        let missing = (expected == OPERATOR)
            .then_some("an operator is missing before it, or the end of the line");
        let help = misread(head, rest, mistake, promised).or(missing).or(form);
        let help = help.map(str::to_owned);
        let help = help.or_else(|| match place {
            Place::In(_) if mistake.expected.is_empty() => Some(statements_help(place)),
            _ => None,
        });
        self.syntax(at, at + token.len(), message, help);
    }

    fn unknown_statement(&mut self, start: usize, text: &str, place: Place, word: &str) {
        let token = if word.is_empty() { first_token(text) } else { word };
        let owner = owner(place, word);
        if let Some(owner) = owner {
            // If the line that opens a block is missing, all of its lines are misplaced.
            if self.misplaced.contains(&(self.base, place, owner)) {
                return;
            }
            self.misplaced.push((self.base, place, owner));
        }
        let instead = match place {
            Place::In(Rule::evolve_rules | Rule::flow_stmt) if word == "if" => {
                Some("write `when CONDITION { … }`")
            }
            Place::In(Rule::turn) if word == "prompt" => form(Rule::ask),
            _ => hint(text),
        };
        let message = match place {
            Place::Top => format!("`{token}` does not begin an item"),
            Place::In(rule) => format!("`{token}` is not a statement of {}", block_noun(rule)),
        };
        let span = Span::new(self.file, self.base + start, self.base + start + token.len());
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, message).label(span, "");
        if let Some(named) = named_otherwise(place, word) {
            self.diagnostics.push(diagnostic.help(named));
            return;
        }
        if let (Some(owner), None) = (owner, instead) {
            let block = block_noun(owner);
            let help = format!("`{word}` belongs in {block}; is the line that opens it missing?");
            diagnostic.help = Some(help);
            self.diagnostics.push(diagnostic);
            return;
        }
        diagnostic.help = Some(instead.map_or_else(|| statements_help(place), str::to_owned));
        self.diagnostics.push(diagnostic.did_you_mean(word, words(place)));
    }

    fn syntax(&mut self, start: usize, end: usize, message: String, help: Option<String>) {
        let span = Span::new(self.file, self.base + start, (self.base + end).min(self.text.len()));
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, message).label(span, "");
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Whether a mistake was already reported on the lines of this range.
    fn reported(&self, start: usize, end: usize) -> bool {
        let start = self.base + start;
        let from = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let to = self.base + end;
        self.diagnostics.iter().filter_map(Diagnostic::span).any(|span| {
            span.file == self.file && from <= span.start as usize && (span.start as usize) < to
        })
    }

    /// Whether this line only continues an earlier line with an error.
    fn continues(&self, start: usize, place: Place, word: &str) -> bool {
        if !word.is_empty() && statement(place, word).is_some() {
            return false;
        }
        let before = self.text[..self.base + start].trim_end();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        self.diagnostics.iter().filter_map(Diagnostic::span).any(|span| {
            span.file == self.file
                && line <= span.start as usize
                && span.start as usize <= before.len()
        })
    }
}

/// The text after the comments at its beginning.
fn undocumented(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("//") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// The contents of the block that a statement opens.
fn inside(rule: Rule) -> Rule {
    match rule {
        Rule::flow_stmt | Rule::topic_when => Rule::flow_stmt,
        Rule::evolve | Rule::evolve_list | Rule::guard => Rule::evolve_rules,
        Rule::test_here => Rule::test,
        Rule::scene_for => Rule::scene,
        rule => rule,
    }
}

/// The probable intention behind a token that is valid on its own but wrong here. `rest` is the
/// text from the position of the mistake; `rule` is the expected rule.
fn within_names(before: &str) -> bool {
    let line = before.lines().next_back().unwrap_or("");
    let open = line.rfind("{{").and_then(|at| line.get(at..));
    open.is_some_and(|open| !open.contains("}}") && open.contains('"'))
}

fn misread(text: &str, rest: &str, mistake: &Mistake, rule: Option<Rule>) -> Option<&'static str> {
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
        Some(',') if before.ends_with(',') => return Some("take one of the commas out"),
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

/// Whether the text has an open bracket; brackets in strings do not count.
fn is_open(text: &str, left: char, right: char) -> bool {
    let outside = text.split('"').step_by(2).flat_map(str::chars);
    let depth = outside
        .fold(0i32, |depth, letter| depth + i32::from(letter == left) - i32::from(letter == right));
    depth > 0
}

/// `0.5` where a share is expected: `50%`.
fn as_percent(rest: &str) -> Option<(&str, String)> {
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = &rest[..end.unwrap_or(rest.len())];
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let value: f64 = number.parse().ok()?;
    let exact = !whole.is_empty() && decimals.len() <= 4;
    match value {
        // A number without a decimal point is the percentage itself.
        _ if exact && decimals.is_empty() && (0.0..=100.0).contains(&value) => {
            Some((number, format!("write `{number}%`")))
        }
        0.0..=1.0 if exact => {
            let percent = (value * 1_000_000.0).round() / 10_000.0;
            Some((number, format!("write `{percent}%`")))
        }
        _ => None,
    }
}

/// The first unknown word in a list of alternatives, and the suggestion for it.
fn unknown_way(text: &str, promised: Option<Rule>) -> Option<(usize, &str, Option<&'static str>)> {
    let ways: &[&'static str] = match promised? {
        Rule::switch => &["new", "backtrack"],
        Rule::evolve => &["add", "modify", "drop", "when"],
        _ => return None,
    };
    let from = text.find('{')? + 1;
    let to = from + text.get(from..)?.find('}').unwrap_or(text.len() - from);
    let mut at = from;
    for line in text.get(from..to)?.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or(line);
        // A condition of `when` may be anything.
        if !code.trim_start().starts_with("when") {
            for word in code.split_whitespace() {
                let name = first_word(word);
                if name.len() > 1
                    && name.starts_with(|letter: char| letter.is_ascii_lowercase())
                    && !ways.contains(&name)
                {
                    let start = at + (word.as_ptr() as usize - line.as_ptr() as usize);
                    return Some((start, name, closest(name, ways.iter().copied())));
                }
            }
        }
        at += line.len();
    }
    None
}

fn first_word(text: &str) -> &str {
    let end = text
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    &text[..end]
}

fn last_word(text: &str) -> &str {
    let start = text.rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    &text[start.map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))..]
}

/// A word, a run of punctuation, or one character; never longer than a label allows.
fn first_token(text: &str) -> &str {
    let word = first_word(text);
    if !word.is_empty() {
        return word;
    }
    if text.starts_with("->") {
        return &text[..2];
    }
    let sign = |letter: char| "=!<>&|+*^~".contains(letter);
    let end = match text.chars().next() {
        None => 0,
        Some(letter) if sign(letter) => text.find(|letter| !sign(letter)).unwrap_or(text.len()),
        Some(letter) => letter.len_utf8(),
    };
    &text[..end.min(8)]
}

/// Common mistakes, and what to write instead.
fn hint(text: &str) -> Option<&'static str> {
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
        ("while ", "there are no loops; a flow repeats by itself"),
        ("return", "a `check` is one expression; leave `return` out"),
        ("\0", "there is a NUL byte in the file; save it as UTF-8 text"),
    ];
    HABITS.iter().find(|(habit, _)| text.starts_with(habit)).map(|(_, help)| *help)
}

/// Names of statements in other languages and libraries, and the form here.
fn named_otherwise(place: Place, word: &str) -> Option<&'static str> {
    Some(match (place, word) {
        (Place::Top, "from") => {
            "write `import NAME \"FILE\"` for a file of data, `use std.NAME` for a module of the library"
        }
        (Place::Top, "bank" | "data" | "dataset") => "write `import NAME \"FILE\" { name: text }`",
        (Place::Top, "const" | "var") => form(Rule::let_item)?,
        (Place::Top, "fn" | "func") => form(Rule::def)?,
        (Place::Top, "conversation" | "scenario") => form(Rule::dialogue)?,
        (Place::Top, "rule" | "instruction") => form(Rule::constraint)?,
        (Place::In(_), "system_prompt" | "system_message" | "sys" | "instructions") => {
            "did you mean `system`? write `system \"…\"` or `system template \"FILE\"`"
        }
        (Place::In(Rule::dialogue), "max_turns" | "turns") => "write `end when turns >= 10`",
        (Place::In(Rule::dialogue), "user" | "prompt" | "message") => {
            "a user message is in a turn: write `turn { ask \"…\" }`"
        }
        (Place::In(Rule::turn), "user" | "message" | "say") => form(Rule::ask)?,
        (Place::In(Rule::turn), "assistant" | "reference" | "expected") => form(Rule::answer)?,
        (Place::In(Rule::turn), "check" | "assert") => form(Rule::require)?,
        (Place::In(Rule::dialogue), "model") => {
            "the model is chosen when it is run: `ifs run FILE -m MODEL`"
        }
        (Place::In(Rule::dialogue), "temperature" | "max_tokens") => {
            "this is set when it is run: `ifs run FILE --temperature NUMBER --max-tokens N`"
        }
        (Place::In(Rule::constraint), "assert" | "verify") => form(Rule::check)?,
        _ => return None,
    })
}

/// The keywords that begin a statement in a block.
fn words(place: Place) -> Vec<&'static str> {
    match place {
        Place::In(rule) if let Some(block) = table_place(rule) => statement::words(block),
        _ => statements(place).iter().map(|(word, _)| *word).collect(),
    }
}

/// The block in the table of statements that a rule parses.
fn table_place(rule: Rule) -> Option<statement::Place> {
    Some(match rule {
        Rule::dialogue => statement::Place::Dialogue,
        Rule::flow => statement::Place::Flow,
        Rule::flow_stmt => statement::Place::Topics,
        Rule::turn => statement::Place::Turn,
        _ => return None,
    })
}

/// The rule that parses a statement of the table.
fn rule_of(statement: Statement) -> Rule {
    match statement {
        Statement::Topic => Rule::topic,
        Statement::Style => Rule::style,
        Statement::Constraints => Rule::constraints,
        Statement::Start => Rule::start,
        Statement::Scope => Rule::scope,
        Statement::Evolve => Rule::evolve,
        Statement::Redraw => Rule::redraw,
        Statement::Impose | Statement::Since => Rule::impose,
        Statement::Patience => Rule::patience,
        Statement::End => Rule::end,
        Statement::Endless => Rule::endless,
        Statement::System => Rule::system,
        Statement::Param => Rule::param_stmt,
        Statement::Let => Rule::let_item,
        Statement::Templates => Rule::templates_from,
        Statement::Context => Rule::context,
        Statement::Sample => Rule::sample,
        Statement::Retry => Rule::retry,
        Statement::Repeat => Rule::repeat,
        Statement::Judge => Rule::judge_by,
        Statement::JudgeHistory => Rule::judge_history,
        Statement::Facts => Rule::facts,
        Statement::Weigh => Rule::weigh,
        Statement::Report => Rule::report,
        Statement::Records | Statement::Over => Rule::over_other,
        Statement::Variant => Rule::variant,
        Statement::Topics | Statement::Flow => Rule::flow_stmt,
        Statement::Turn | Statement::Relation => Rule::turn,
        Statement::For => Rule::for_stmt,
        Statement::Ask => Rule::ask,
        Statement::Show => Rule::show,
        Statement::Part => Rule::part,
        Statement::Require => Rule::require,
        Statement::Expect => Rule::expect,
        Statement::Void => Rule::void,
        Statement::Answer => Rule::answer,
        Statement::Class => Rule::class,
        Statement::Stay => Rule::stay,
        Statement::Switch => Rule::switch,
        Statement::When => Rule::topic_when,
        Statement::Until => Rule::until,
    }
}

/// The keywords of statements that are not in the table, with their rules.
fn statements(place: Place) -> &'static [(&'static str, Rule)] {
    match place {
        Place::Top => &[
            ("benchmark", Rule::benchmark),
            ("constraint", Rule::constraint),
            ("def", Rule::def),
            ("dialogue", Rule::dialogue),
            ("feed", Rule::feed),
            ("flow", Rule::flow),
            ("group", Rule::group),
            ("ifs", Rule::edition),
            ("import", Rule::import),
            ("let", Rule::let_item),
            ("mask", Rule::mask),
            ("release", Rule::release),
            ("scene", Rule::scene),
            ("tags", Rule::tags),
            ("test", Rule::test),
            ("use", Rule::use_item),
        ],
        Place::In(Rule::group) => &[("constraint", Rule::constraint), ("test", Rule::test)],
        Place::In(Rule::constraint) => &[
            ("alias", Rule::alias),
            ("applies", Rule::applies),
            ("change", Rule::change),
            ("check", Rule::check),
            ("evolve", Rule::evolve_list),
            ("excludes", Rule::excludes),
            ("judge", Rule::judge_stmt),
            ("relation", Rule::means),
            ("say", Rule::say),
            ("tag", Rule::tag_stmt),
            ("test", Rule::test_here),
            ("weight", Rule::weight),
            ("withdraw", Rule::withdraw),
        ],
        Place::In(Rule::test) => &[
            ("fail", Rule::case),
            ("pass", Rule::case),
            ("prompt", Rule::case),
            ("reply", Rule::case),
        ],
        Place::In(Rule::def) => &[("let", Rule::let_item), ("return", Rule::return_stmt)],
        Place::In(Rule::feed) => &[
            ("column", Rule::column),
            ("order", Rule::order),
            ("periods", Rule::periods),
            ("read", Rule::read),
            ("simulate", Rule::simulate),
        ],
        Place::In(Rule::scene) => &[
            ("draw", Rule::draw),
            ("for", Rule::scene_for),
            ("let", Rule::let_item),
            ("param", Rule::param_stmt),
            ("question", Rule::question),
        ],
        Place::In(Rule::question) => &[
            ("answer", Rule::answer),
            ("ask", Rule::question_ask),
            ("let", Rule::let_item),
            ("param", Rule::param_stmt),
        ],
        Place::In(Rule::evolve_rules) => {
            &[("add", Rule::way), ("drop", Rule::way), ("modify", Rule::way), ("when", Rule::guard)]
        }
        Place::In(Rule::release) => &[("keep", Rule::release_keep), ("seed", Rule::release_seed)],
        Place::In(Rule::benchmark) => &[],
        Place::In(_) => &[],
    }
}

fn statement(place: Place, word: &str) -> Option<Rule> {
    if place == Place::In(Rule::release) && word.is_empty() {
        return Some(Rule::release_count);
    }
    if place == Place::In(Rule::benchmark) {
        return Some(Rule::benchmark_field);
    }
    if let Place::In(rule) = place
        && table_place(rule).is_some()
    {
        // Any statement is accepted in any of these blocks.
        let mut rows = statement::TABLE.iter().filter(|row| row.statement != Statement::Relation);
        return rows.find(|row| row.word == word).map(|row| rule_of(row.statement));
    }
    statements(place).iter().find(|(known, _)| *known == word).map(|(_, rule)| *rule)
}

/// The block that a misplaced statement belongs to.
fn owner(place: Place, word: &str) -> Option<Rule> {
    const BLOCKS: [Rule; 8] = [
        Rule::constraint,
        Rule::test,
        Rule::turn,
        Rule::flow_stmt,
        Rule::evolve_rules,
        Rule::feed,
        Rule::release,
        Rule::dialogue,
    ];
    let knows = |block: &Rule| words(Place::In(*block)).contains(&word);
    let first = if place == Place::Top { Rule::dialogue } else { Rule::constraint };
    std::iter::once(first).chain(BLOCKS).find(knows)
}

/// The rule for one statement of a block and nothing after it.
fn probe(block: Rule) -> Rule {
    match block {
        Rule::group => Rule::probe_group,
        Rule::constraint => Rule::probe_constraint,
        Rule::test => Rule::probe_test,
        Rule::feed => Rule::probe_feed,
        Rule::def => Rule::probe_def,
        Rule::scene => Rule::probe_scene,
        Rule::question => Rule::probe_question,
        Rule::flow | Rule::turn | Rule::dialogue | Rule::flow_stmt => Rule::probe_stmt,
        Rule::evolve_rules => Rule::probe_evolve,
        Rule::release => Rule::probe_release,
        _ => Rule::probe_benchmark,
    }
}

fn statements_help(place: Place) -> String {
    let words: Vec<String> = words(place).iter().map(|word| format!("`{word}`")).collect();
    match place {
        Place::Top => format!("an item begins with one of {}", words.join(", ")),
        Place::In(Rule::release) => {
            "write `150 dialogues of NAME`, `keep where CONDITION` or `seed NUMBER`".to_owned()
        }
        Place::In(rule) => format!("{} takes {}", block_noun(rule), words.join(", ")),
    }
}

fn block_noun(rule: Rule) -> &'static str {
    match rule {
        Rule::group => "a group",
        Rule::constraint => "a constraint",
        Rule::test => "a test",
        Rule::feed => "a feed",
        Rule::def => "a function",
        Rule::scene => "a scene",
        Rule::question => "a question",
        Rule::flow => "a flow",
        Rule::turn => "a turn",
        Rule::dialogue => "a dialogue",
        Rule::flow_stmt => "a flow of topics",
        Rule::evolve_rules => "an evolution",
        Rule::release => "a release",
        Rule::benchmark => "a benchmark",
        _ => "this block",
    }
}

/// `a name, `{` or `step``: what was expected, most likely first. `before` is the text before it.
fn nouns(expected: &[Rule], before: &str) -> String {
    if let [Rule::k_where] = expected {
        return "`where`".to_owned();
    }
    let mut nouns: Vec<String> = expected.iter().filter_map(|rule| noun(*rule)).collect();
    nouns.sort();
    nouns.dedup();
    // Expressions can begin and continue in many ways, so both are left out.
    let drop = |nouns: &mut Vec<String>, all: &[&str]| {
        if nouns.iter().any(|noun| !all.contains(&noun.as_str())) {
            nouns.retain(|noun| !all.contains(&noun.as_str()));
        }
    };
    if nouns.iter().any(|noun| noun == EXPRESSION) {
        let begins =
            ["`not`", "`if`", "`(`", "`[`", "`{`", "`every`", "`some`", "`no`", "`at_least`"];
        drop(&mut nouns, &begins);
        drop(&mut nouns, &["`at_most`", "`exactly`", "`template`", "a string", "a name"]);
        drop(&mut nouns, &["a whole number", "a share such as `40%`"]);
    }
    drop(&mut nouns, &["`not`", "`(`", "`[`"]);
    // `:` may follow any operand; only a quantifier requires it.
    if expected.iter().any(|rule| is_operator(*rule)) && !awaits_colon(before) {
        nouns.retain(|noun| !["`:`", "`not`", "`(`", "`[`"].contains(&noun.as_str()));
    }
    if nouns.iter().any(|noun| noun == "`:`") {
        drop(&mut nouns, &["a string"]);
    }
    if nouns.iter().any(|noun| noun == "`)`" || noun == "`]`") {
        drop(&mut nouns, &["`:`"]);
    }
    let closers = ["`)`", "`]`", "`}`"];
    if nouns.len() > 5 && nouns.iter().any(|noun| closers.contains(&noun.as_str())) {
        nouns.retain(|noun| closers.contains(&noun.as_str()) || noun == "`,`");
    }
    if nouns.is_empty() && expected.iter().any(|rule| is_operator(*rule)) {
        nouns.push(OPERATOR.to_owned());
    }
    if nouns.len() > 5 {
        return String::new();
    }
    match nouns.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

const EXPRESSION: &str = "an expression";
const OPERATOR: &str = "an operator";

/// The position of the innermost block on the line that is still open at its end. Braces in strings
/// do not count.
fn opened_last(line: &str) -> Option<usize> {
    let mut open = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if !escaped => in_string = !in_string,
            '{' if !in_string => open.push(at),
            '}' if !in_string => {
                open.pop();
            }
            _ => {}
        }
        escaped = in_string && letter == '\\' && !escaped;
    }
    open.pop()
}

/// Whether a quantifier on the last line still lacks its `:`.
fn awaits_colon(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or("");
    let behind = line.rsplit(':').next().unwrap_or("");
    let mut words = behind.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.any(|word| matches!(word, "every" | "some" | "no" | "at_least" | "at_most" | "exactly"))
}

/// The start of a common mistake before the position of the syntax error: `->` is first parsed as a
/// minus, and `return` as a name.
fn habit_before(text: &str, start: usize, at: usize) -> (usize, &str) {
    let before = text.get(..at - start).unwrap_or("");
    let rest = text.get(at - start..).unwrap_or("");
    let last = before.len().saturating_sub(1);
    if ["->", "<>"].iter().any(|sign| text.get(last..).is_some_and(|text| text.starts_with(sign))) {
        return (start + last, text.get(last..).unwrap_or(rest));
    }
    let read = before.trim_end();
    let returns = read.strip_suffix("return").is_some_and(|read| read.ends_with(' '));
    let from = read.len().saturating_sub("return".len());
    match text.get(from..).filter(|_| returns) {
        Some(from_return) => (start + from, from_return),
        None => (at, rest),
    }
}

fn is_operator(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::k_where
            | Rule::k_each
            | Rule::k_or
            | Rule::k_and
            | Rule::k_in
            | Rule::not_in
            | Rule::compare_sign
            | Rule::range_sign
            | Rule::plus
            | Rule::hyphen
            | Rule::times
            | Rule::divide
            | Rule::remainder
            | Rule::open_range
            | Rule::minus
            | Rule::upto
            | Rule::method
            | Rule::field
            | Rule::index
            | Rule::dot
            | Rule::star
            | Rule::optional
    )
}

/// The author's term for a rule; `None` for rules that would only lengthen a message.
fn noun(rule: Rule) -> Option<String> {
    if is_operator(rule)
        || matches!(
            rule,
            Rule::broken
                | Rule::broken_text
                | Rule::broken_block
                | Rule::EOI
                | Rule::docs
                | Rule::doc
        )
    {
        return None;
    }
    let fixed = match rule {
        Rule::open => "`{`",
        Rule::close => "`}`",
        Rule::paren | Rule::args | Rule::params | Rule::def_params => "`(`",
        Rule::unparen => "`)`",
        Rule::bracket => "`[`",
        Rule::unbracket => "`]`",
        Rule::colon => "`:`",
        Rule::comma => "`,`",
        Rule::equals => "`=`",
        Rule::label | Rule::name | Rule::turn_name | Rule::binder => "a name",
        Rule::path | Rule::paths | Rule::flow_choice => "a name",
        Rule::string | Rule::plain_string | Rule::block_string | Rule::texts => "a string",
        Rule::int => "a whole number",
        Rule::percent => "a share such as `40%`",
        Rule::r#type | Rule::domain => "a type or a domain",
        Rule::choices | Rule::list => "a list in `[ ]`",
        Rule::expr
        | Rule::operand
        | Rule::group_expr
        | Rule::needle
        | Rule::units
        | Rule::call
        | Rule::record
        | Rule::regex
        | Rule::truth
        | Rule::it
        | Rule::float
        | Rule::quantified
        | Rule::conditional
        | Rule::arg
        | Rule::words
        | Rule::unit
        | Rule::needle_kind
        | Rule::primary
        | Rule::quantifier => EXPRESSION,
        Rule::relations | Rule::relation => "a relation",
        Rule::stmts | Rule::test_body | Rule::evolve_rules | Rule::ways | Rule::bank_fields => {
            "`{`"
        }
        Rule::way | Rule::way_word => "a way such as `add 50%`",
        Rule::part_shape => "`list` or `text`",
        Rule::case | Rule::case_word => "`pass`, `fail`, `prompt` or `reply`",
        Rule::benchmark_field => "a name",
        Rule::group_member
        | Rule::constraint_stmt
        | Rule::def_stmt
        | Rule::feed_stmt
        | Rule::scene_stmt
        | Rule::question_stmt
        | Rule::stmt
        | Rule::guard
        | Rule::release_stmt => "a statement",
        rule if rule.is_keyword() => {
            let name = format!("{rule:?}");
            return Some(format!("`{}`", name.trim_start_matches("k_")));
        }
        other => return Some(format!("`{other:?}`").replace('_', " ")),
    };
    Some(fixed.to_owned())
}
