//! Quick fixes: what the help of a diagnostic says to write, as edits. A help is a sentence, so the edits
//! that it may mean are tried, and only those are offered after which a check has one mistake less.

use std::ops::Range;
use std::path::Path;

use crate::check::check;
use crate::files::Buffers;
use crate::index::FileIndex;
use ifs_base::diagnostic::{Diagnostic, Severity};

/// An edit of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    pub title: String,
    pub range: Range<usize>,
    pub text: String,
    /// Whether the help names this edit, so that a mistake that it uncovers is no reason against it.
    is_named: bool,
}

/// Edits that are tried for one diagnostic.
const MAX_TRIED: usize = 12;

/// What is checked to see whether an edit helps.
pub(crate) struct FixTrial<'t> {
    pub path: &'t Path,
    pub index: &'t FileIndex,
    /// The scenarios that the file is part of, with their diagnostics.
    pub scenarios: Vec<(&'t Path, &'t [Diagnostic])>,
    pub buffers: &'t Buffers,
}

impl FixTrial<'_> {
    /// The fixes of a diagnostic of the file.
    pub fn fixes(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let Some(span) = diagnostic.span() else { return Vec::new() };
        let mut fixes: Vec<Fix> = Vec::new();
        for fix in candidates(diagnostic, span.range(), self.index).into_iter().take(MAX_TRIED) {
            let is_known = fixes.iter().any(|known| known.title == fix.title);
            if !is_known && self.helps(&fix, diagnostic) {
                fixes.push(fix);
            }
        }
        fixes
    }

    /// Whether the diagnostic is gone after an edit, and nothing worse is there instead.
    fn helps(&self, fix: &Fix, diagnostic: &Diagnostic) -> bool {
        let mut edited = self.buffers.clone();
        let mut text = (*self.index.text).clone();
        text.replace_range(fix.range.clone(), &fix.text);
        edited.open(self.path.to_owned(), text, 0);
        self.scenarios.iter().all(|(root, before)| {
            let after = check(root, &edited).0.fast;
            let (errors, errors_before) = (errors(&after), errors(before));
            count_same(&after, diagnostic) < count_same(before, diagnostic)
                && match diagnostic.severity {
                    Severity::Error if fix.is_named => true,
                    Severity::Error => errors < errors_before,
                    Severity::Warning => errors <= errors_before && after.len() < before.len(),
                }
        })
    }
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
}

fn count_same(diagnostics: &[Diagnostic], wanted: &Diagnostic) -> usize {
    let is_it = |one: &&Diagnostic| one.code == wanted.code && one.message == wanted.message;
    diagnostics.iter().filter(is_it).count()
}

fn candidates(diagnostic: &Diagnostic, place: Range<usize>, index: &FileIndex) -> Vec<Fix> {
    let Some(help) = diagnostic.help.as_deref() else { return Vec::new() };
    let mut fixes = Vec::new();
    let wrong = index.word(&place);
    let help = match help.strip_prefix("did you mean `").and_then(|rest| rest.split_once('`')) {
        Some((meant, rest)) => {
            let written = quoted(&diagnostic.message).into_iter().rev();
            let name = { written }
                .find_map(|name| Some(wrong.find(name)?..wrong.find(name)? + name.len()));
            let name =
                name.map_or(place.clone(), |name| place.start + name.start..place.start + name.end);
            let title = format!("Replace `{}` by `{meant}`", index.word(&name));
            fixes.push(Fix { title, range: name, text: meant.to_owned(), is_named: true });
            rest
        }
        None => help,
    };
    if ["remove", "leave out", "leave it out", "keep one"].iter().any(|word| help.contains(word))
        && let Some(statement) = statement(index, place.start)
    {
        let title = format!("Remove `{}`", first_words(index.word(&statement)));
        let range = with_line(&index.text, statement);
        fixes.push(Fix { title, range, text: String::new(), is_named: false });
    }
    for code in quoted(help).into_iter().filter(|code| is_complete(code)) {
        fixes.extend(writings(code, &place, index));
    }
    fixes
}

/// The places where a piece of code may belong: instead of what is marked, around it, or on a line of its
/// own before or after it.
fn writings(code: &str, place: &Range<usize>, index: &FileIndex) -> Vec<Fix> {
    let text = &index.text;
    let line = text[..place.start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent: String = text[line..].chars().take_while(|it| matches!(it, ' ' | '\t')).collect();
    let statement = statement(index, place.start).unwrap_or(place.clone());
    let fix = |title: String, range: Range<usize>, text: String| Fix {
        title,
        range,
        text,
        is_named: false,
    };
    // Nothing is marked where something is missing.
    if place.is_empty() {
        return vec![fix(format!("Add `{code}`"), line..line, format!("{indent}{code}\n"))];
    }
    let mut fixes = vec![
        fix(format!("Write `{code}`"), place.clone(), code.to_owned()),
        fix(format!("Add `{code}`"), line..line, format!("{indent}{code}\n")),
        fix(format!("Add `{code}` after it"), place.end..place.end, format!(" {code}")),
        fix(format!("Add `{code}` before it"), place.start..place.start, format!("{code} ")),
        fix(
            format!("Add `{code}` below"),
            statement.end..statement.end,
            format!("\n{indent}{code}"),
        ),
    ];
    // A block that lacks a statement is marked at its name.
    if let Some(open) = text[place.end..].find('{').map(|open| place.end + open + 1)
        && !text[place.end..open].contains('\n')
    {
        fixes.push(fix(format!("Add `{code}` to it"), open..open, format!("\n{indent}  {code}")));
    }
    fixes
}

/// Whether a piece of code in a help is to be written as it is: it has no ellipsis and no placeholder.
fn is_complete(code: &str) -> bool {
    let is_placeholder =
        |word: &str| !word.is_empty() && word.chars().all(|it| it.is_ascii_uppercase());
    let words = code.split(|letter: char| !letter.is_alphanumeric());
    !code.is_empty() && code.len() < 100 && !code.contains('…') && !{ words }.any(is_placeholder)
}

/// The code spans of a sentence.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn first_words(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 40;
    let line = text.lines().find(|line| !line.trim_start().starts_with("///")).unwrap_or("");
    match line.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The statement, item or parameter around an offset.
fn statement(index: &FileIndex, offset: usize) -> Option<Range<usize>> {
    let is_one = |rule: &str| {
        rule.ends_with("stmt")
            || rule.ends_with("_member")
            || rule.ends_with("_field")
            || rule == "chunk"
    };
    let node = index.node_at(offset)?;
    let found = index.ancestors(node).find(|node| is_one(index.nodes[*node].rule))?;
    Some(index.range(found))
}

/// A statement with its indentation and its line end, if it is alone on its lines.
fn with_line(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].trim_end_matches([' ', '\t']).len();
    let rest = &text[range.end..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    match text[range.end + blanks..].strip_prefix('\n') {
        Some(_) if start == 0 || text[..start].ends_with('\n') => start..range.end + blanks + 1,
        _ => range,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn statements_are_removed_with_their_lines() {
        let text = "ifs 1\nlet a = 1\n\nlet b = 2\n";
        let index = FileIndex::new(Arc::new(text.to_owned()));
        let range = with_line(text, statement(&index, text.find('b').unwrap()).unwrap());
        assert_eq!(&text[range], "let b = 2\n");
        assert_eq!(with_line("a b\n", 2..3), 2..3);
    }

    #[test]
    fn placeholders_are_not_code() {
        assert!(is_complete("ifs 1") && is_complete("list of text") && is_complete("weigh a 2"));
        assert!(!is_complete("import NAME \"FILE\"") && !is_complete("`… >= 1`"));
    }
}
