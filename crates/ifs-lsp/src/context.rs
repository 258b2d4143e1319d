//! Where in a file the cursor is: in which block, after which words of a statement. Only brackets, strings
//! and comments are read, since the line that is being written is rarely complete.

use std::ops::Range;

use ifs_syntax::statement::{BlockKind, StatementBlock};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CursorContext {
    pub block: StatementBlock,
    /// The text of the statement before the word at the cursor; empty where a statement begins.
    pub statement: Range<usize>,
    /// Whether the cursor is in a comment, or in a string outside of its template braces.
    pub is_text: bool,
    /// Whether the cursor is in the braces of a template.
    pub in_template: bool,
}

/// An open bracket.
struct Open {
    /// The block that it opens; none for records, lists and arguments.
    block: Option<StatementBlock>,
    /// Where the current statement of the block begins.
    statement: Option<usize>,
}

pub(crate) fn context(text: &str, offset: usize) -> CursorContext {
    let bytes = text.as_bytes();
    let word = crate::text::word_at(text, offset).start;
    let mut open =
        vec![Open { block: Some(StatementBlock::Other(BlockKind::File)), statement: None }];
    let (mut at, mut line_begins) = (0, true);
    while at < word {
        match bytes[at] {
            b'\n' => line_begins = true,
            b' ' | b'\t' | b'\r' => {}
            b'/' if text[at..].starts_with("//") => {
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                if end >= offset {
                    return found(&open, offset..offset, true, false);
                }
                at = end;
                continue;
            }
            b'"' => {
                begin_statement(&mut open, text, at, line_begins);
                line_begins = false;
                let end = string_end(text, at);
                if end > offset {
                    let in_template = in_braces(&text[at..offset]);
                    return found(&open, offset..offset, !in_template, in_template);
                }
                at = end;
                continue;
            }
            b'{' | b'(' | b'[' => {
                begin_statement(&mut open, text, at, line_begins);
                line_begins = false;
                let block = (bytes[at] == b'{').then(|| block_after(&open, text)).flatten();
                open.push(Open { block, statement: None });
            }
            b'}' | b')' | b']' => {
                line_begins = false;
                if open.len() > 1 && open.pop().is_some_and(|closed| closed.block.is_some()) {
                    end_statement(&mut open);
                }
            }
            _ => {
                begin_statement(&mut open, text, at, line_begins);
                line_begins = false;
                let letter = text[at..].chars().next().map_or(1, char::len_utf8);
                at = crate::text::word_at(text, at).end.max(at + letter);
                continue;
            }
        }
        at += 1;
    }
    // The word at the cursor is rarely complete: on a line of its own it begins a statement, unless the line
    // before it goes on.
    let goes_on = text[..word].trim_end().ends_with([',', ':', '=', '+', '-', '*', '<', '>', '?']);
    if let Some(Open { block: Some(_), statement }) = open.last_mut()
        && line_begins
        && !goes_on
    {
        *statement = Some(word);
    }
    let start = innermost(&open).and_then(|block| block.statement).unwrap_or(word);
    found(&open, start.min(word)..word, false, false)
}

fn found(
    open: &[Open],
    statement: Range<usize>,
    is_text: bool,
    in_template: bool,
) -> CursorContext {
    let block = innermost(open).and_then(|open| open.block);
    let block = block.unwrap_or(StatementBlock::Other(BlockKind::File));
    CursorContext { block, statement, is_text, in_template }
}

fn innermost(open: &[Open]) -> Option<&Open> {
    open.iter().rev().find(|open| open.block.is_some())
}

/// Notes that a statement may begin here: a word of the block that is the first one on its line, or the
/// first one after a statement that ended.
fn begin_statement(open: &mut [Open], text: &str, at: usize, line_begins: bool) {
    let Some(Open { block: Some(block), statement }) = open.last_mut() else { return };
    let word = &text[crate::text::word_at(text, at)];
    let is_word = || block.statements().iter().any(|(known, ..)| *known == word);
    if statement.is_none() || line_begins && is_word() {
        *statement = Some(at);
    }
}

fn end_statement(open: &mut [Open]) {
    if let Some(last) = open.last_mut() {
        last.statement = None;
    }
}

/// The block that `{` opens after the current statement.
fn block_after(open: &[Open], text: &str) -> Option<StatementBlock> {
    let Open { block: Some(block), statement: Some(start) } = open.last()? else { return None };
    block.opened_by(&text[crate::text::word_at(text, *start)])
}

fn string_end(text: &str, start: usize) -> usize {
    let quotes = if text[start..].starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
    let mut at = start + quotes.len();
    while at < text.len() {
        match text.as_bytes()[at] {
            b'\\' => at += 1,
            b'\n' if quotes.len() == 1 => return at,
            _ if text.get(at..).is_some_and(|rest| rest.starts_with(quotes)) => {
                return at + quotes.len();
            }
            _ => {}
        }
        at += 1;
    }
    text.len() + 1
}

/// Whether a string that ends at the cursor has template braces open.
fn in_braces(text: &str) -> bool {
    let last = |signs: [&str; 2]| signs.iter().filter_map(|sign| text.rfind(sign)).max();
    match (last(["{{", "{%"]), last(["}}", "%}"])) {
        (Some(open), Some(close)) => open > close,
        (open, _) => open.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use ifs_syntax::statement::StatementPlace;

    use super::*;

    /// The context at the `|` of a text, with the words before it.
    fn at(text: &str) -> (StatementBlock, String, bool, bool) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let found = context(&text, offset);
        let before = text[found.statement.clone()].to_owned();
        (found.block, before, found.is_text, found.in_template)
    }

    #[test]
    fn blocks_and_statements() {
        use StatementPlace as Place;
        let place = |place| StatementBlock::Place(place);
        let other = |kind| StatementBlock::Other(kind);
        let constraint = "ifs 1\ngroup g {\n  constraint c(n: int in 1..=3) {\n";
        for (text, block, before) in [
            ("|", other(BlockKind::File), ""),
            ("ifs 1\ngro|", other(BlockKind::File), ""),
            ("ifs 1\nlet a = |", other(BlockKind::File), "let a = "),
            ("dialogue d {\n  topic f|rom", place(Place::Dialogue), "topic "),
            ("dialogue d {\n  flow { stay at least 2 turns\n sw|", place(Place::Topics), ""),
            ("dialogue d {\n  turn a {\n  }\n  tu|", place(Place::Dialogue), ""),
            ("dialogue d { turn a { for x in [1] { re|", place(Place::TurnLoop), ""),
            ("dialogue d {\n when x {\n } else {\n t|", place(Place::Branch), ""),
            ("dialogue d {\n let r = { a: |", place(Place::Dialogue), "let r = { a: "),
        ] {
            assert_eq!(at(text), (block, before.to_owned(), false, false), "{text}");
        }
        let inside = |rest: &str| at(&format!("{constraint}{rest}"));
        let block = other(BlockKind::Constraint);
        assert_eq!(inside("    |"), (block, String::new(), false, false));
        assert_eq!(inside("    check count(w|"), (block, "check count(".to_owned(), false, false));
        assert_eq!(inside("    say \"a {{ n|"), (block, String::new(), false, true));
        assert_eq!(inside("    say \"a |\""), (block, String::new(), true, false));
        assert_eq!(inside("    // not |"), (block, String::new(), true, false));
        assert_eq!(
            inside("    say \"a\",\n      \"b\"\n    ch|"),
            (block, String::new(), false, false)
        );
    }

    #[test]
    fn any_text_has_a_context() {
        let text = "ü \"\\\n}})]{{\"\"\" {% ü";
        for offset in 0..=text.len() {
            context(text, text.floor_char_boundary(offset));
        }
    }
}
