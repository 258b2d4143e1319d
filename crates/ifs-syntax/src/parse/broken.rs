//! Diagnostics for lines that are not a statement.

mod habits;
mod nouns;
mod statements;

use super::TreeBuilder;
use super::forms::{self, form};
use super::grammar::{self, GrammarPair, Mistake, PairChildren, Rule};
use crate::scan::MAX_MISTAKES;
use habits::{hint, misread, named_otherwise, strayed};
use ifs_base::diagnostic::{Code, Diagnostic, closest};
use ifs_base::source::Span;
use nouns::{OPERATOR, habit_before, last_open_bracket, nouns};
use statements::{block_noun, keywords_of, owner, probe, statement, statements_help};

/// The block of a mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BrokenIn {
    Top,
    In(Rule),
}

impl TreeBuilder<'_> {
    /// Parses the contents of a block with `one`; returns whether a line in it has an error.
    pub(super) fn block<T>(
        &mut self,
        parts: &mut PairChildren<'_>,
        of: Rule,
        mut one: impl FnMut(&mut Self, GrammarPair<'_>) -> Option<T>,
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
    pub(super) fn broken(&mut self, pair: GrammarPair<'_>, block: Rule) {
        let text = pair.as_str().trim_end();
        let start = pair.as_span().start();
        let (place, word) = (BrokenIn::In(block), first_word(text));
        self.record_broken_names(text);
        if self.diagnostics.len() >= MAX_MISTAKES {
            return;
        }
        if text.starts_with("///") || grammar::parse(Rule::allow, text).is_ok() {
            self.undocumented(start, text, pair.as_span().get_input());
            return;
        }
        if self.was_reported(start, start + text.len()) || self.continues_error(start, place, word)
        {
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
        let line = line + last_open_bracket(&self.text[line..at]).map_or(0, |brace| brace + 1);
        let before = &self.text[line..at];
        let blanks = before.len() - before.trim_start().len();
        if before.trim().is_empty() || before.trim_end().ends_with(['{', '}']) {
            return false;
        }
        let place = BrokenIn::In(block);
        let mut from = line + blanks - self.base;
        // The last of the statements before it on the line.
        let (whole, next, mistake) = loop {
            let whole = &self.text[self.base + from..at + text.len()];
            let mistake = grammar::parse(probe(block), whole).err();
            let gave_up = mistake.as_ref().map_or(0, |mistake| mistake.at);
            let next = from + gave_up;
            let is_next = next > from && next < start;
            if is_next && statement(place, first_word(&whole[gave_up..])).is_some() {
                from = next;
                continue;
            }
            break (whole, next, mistake.filter(|_| next > start));
        };
        let word = first_word(text);
        let begins_statement = statement(place, word).is_some();
        if next == start && begins_statement && !CLAUSE_KEYWORDS.contains(&word) {
            // The line is complete before it: the mistake is in its own statement.
            return false;
        }
        let near = closest(word, keywords_of(place)).is_some() && !CLAUSE_KEYWORDS.contains(&word);
        if mistake.is_none() && near && !begins_statement {
            self.unknown_statement(start, text, place, word);
            return true;
        }
        let mistake = match mistake {
            Some(mistake) => Mistake { at: from + mistake.at, ..mistake },
            None => Mistake { at: start, expected: Vec::new() },
        };
        self.explain_in(whole, from, &mistake, place);
        true
    }

    /// Explains why an item could not be parsed.
    pub(super) fn explain(&mut self, text: &str, mistake: &Mistake, place: BrokenIn) {
        if self.diagnostics.len() >= MAX_MISTAKES {
            return;
        }
        let head = undocumented(text);
        let at = text.len() - head.len();
        if self.was_reported(at, at + head.len().min(1)) {
            return;
        }
        if head.is_empty() {
            self.undocumented(0, text.trim_end(), text);
            return;
        }
        let word = first_word(head);
        if place == BrokenIn::Top && statement(place, word).is_none() {
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
            Diagnostic::error(
                Code::DANGLING_DOC,
                "this doc comment or `allow` is above nothing that it is about",
            )
            .label(span, "nothing follows it here")
            .help("move it above what it is about, or make it a comment with `//`"),
        );
    }

    fn explain_in(&mut self, text: &str, start: usize, mistake: &Mistake, place: BrokenIn) {
        let end = start + text.trim_end().len();
        let at = mistake.at.clamp(start, end);
        let behind = text.get(at - start..).unwrap_or("");
        let rest = behind.trim_start();
        let at = at + (behind.len() - rest.len());
        if self.was_reported(at, at + 1) {
            return;
        }
        let expected = nouns(&mistake.expected, text.get(..at - start).unwrap_or(""));
        let head = undocumented(text);
        let promised = statement(place, first_word(head));
        let form = promised.and_then(forms::help);
        if let Some(rule) = promised.filter(|_| mistake.expected.contains(&Rule::open)) {
            // Without its `{`, the contents of the block are outside.
            self.misplaced.push((self.base, place, contents_rule(rule)));
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
            let help = misread(head, "", mistake, promised).map(str::to_owned).or(form);
            // Back to the start of the last character, which may have several bytes.
            let width = written.trim_end().chars().next_back().map_or(0, char::len_utf8);
            self.syntax(last.saturating_sub(width), last, message, help);
            return;
        }
        if let Some((from, word, meant)) = unknown_change(text, promised)
            && text.len() - rest.len() <= from
        {
            let known = match promised {
                Some(Rule::switch) => "`new` and `backtrack`",
                _ => "`add`, `modify` and `drop`",
            };
            let message = format!("`{word}` is not one of {known}");
            let help = meant.map(|meant| format!("did you mean `{meant}`?"));
            let help = help.or(form);
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
        if let Some((word, help)) = strayed(place, head, rest) {
            let from = if first_word(rest) == word { at } else { end - head.trim_end().len() };
            let message = format!("`{word}` does not belong here");
            self.syntax(from, from + word.len(), message, Some(help.to_owned()));
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
        let help = misread(head, rest, mistake, promised).or(missing);
        let help = help.map(str::to_owned).or(form);
        let help = help.or_else(|| match place {
            BrokenIn::In(_) if mistake.expected.is_empty() => Some(statements_help(place)),
            _ => None,
        });
        self.syntax(at, at + token.len(), message, help);
    }

    fn unknown_statement(&mut self, start: usize, text: &str, place: BrokenIn, word: &str) {
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
            BrokenIn::In(Rule::evolve_rules | Rule::flow_stmt) if word == "if" => {
                Some("write `when CONDITION { … }`")
            }
            BrokenIn::In(Rule::turn) if word == "prompt" => form(Rule::ask),
            BrokenIn::In(Rule::dialogue | Rule::flow) if is_other_side(word) => {
                Some(match text[word.len()..].trim_start().starts_with('{') {
                    true => "an `else` follows the block of a `when`",
                    false => {
                        "a further condition is a `when` in the block of the `else`: \
                         `else { when NAME { turn … } else { turn … } }`"
                    }
                })
            }
            _ => hint(text),
        };
        let message = match place {
            BrokenIn::Top => format!("`{token}` does not begin an item"),
            BrokenIn::In(rule) => format!("`{token}` is not a statement of {}", block_noun(rule)),
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
        self.diagnostics.push(diagnostic.did_you_mean(word, keywords_of(place)));
    }

    fn syntax(&mut self, start: usize, end: usize, message: String, help: Option<String>) {
        let span = Span::new(self.file, self.base + start, (self.base + end).min(self.text.len()));
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, message).label(span, "");
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Whether a mistake was already reported on the lines of this range.
    fn was_reported(&self, start: usize, end: usize) -> bool {
        let start = self.base + start;
        let from = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let to = self.base + end;
        self.diagnostics.iter().filter_map(Diagnostic::span).any(|span| {
            span.file == self.file && from <= span.start as usize && (span.start as usize) < to
        })
    }

    /// Whether this line only continues an earlier line with an error.
    fn continues_error(&self, start: usize, place: BrokenIn, word: &str) -> bool {
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

/// The text after the comments and `allow` lines at its beginning.
fn undocumented(text: &str) -> &str {
    let is_allow =
        |text: &str| first_word(text) == "allow" && grammar::parse(Rule::allow, text).is_ok();
    let mut rest = text.trim_start();
    while rest.starts_with("//") || is_allow(rest) {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// The contents of the block that a statement opens.
fn contents_rule(rule: Rule) -> Rule {
    match rule {
        Rule::flow_stmt | Rule::when_stmt => Rule::flow_stmt,
        Rule::evolve | Rule::evolve_list | Rule::guard => Rule::evolve_rules,
        Rule::test_here => Rule::test,
        Rule::scene_for => Rule::scene,
        rule => rule,
    }
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
fn unknown_change(
    text: &str,
    promised: Option<Rule>,
) -> Option<(usize, &str, Option<&'static str>)> {
    let known: &[&'static str] = match promised? {
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
                    && !known.contains(&name)
                {
                    let start = at + (word.as_ptr() as usize - line.as_ptr() as usize);
                    return Some((start, name, closest(name, known.iter().copied())));
                }
            }
        }
        at += line.len();
    }
    None
}

/// Words with which a clause of a statement begins; some begin statements too.
const CLAUSE_KEYWORDS: &[&str] = &[
    "after", "against", "as", "by", "case", "each", "from", "given", "new", "pass", "say", "says",
    "scale", "scope", "tag", "unsaid", "when", "where", "with",
];

fn is_other_side(word: &str) -> bool {
    matches!(word, "else" | "elif" | "elseif" | "otherwise")
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
