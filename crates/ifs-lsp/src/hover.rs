//! What is shown of a word: its documentation, its type, where it is from.

use std::ops::Range;

use crate::complete::Types;
use crate::files::library_module;
use crate::index::FileIndex;
use crate::project::{FileKey, Meaning, Project};
use ifs_base::diagnostic::Code;
use ifs_syntax::statement::{BLOCK_TABLE, TABLE};

/// Explains a word of the language in plain text, as `ifs explain` does.
pub type Explain = fn(&str) -> Option<String>;

/// Markdown about the word at an offset, and the place of the word.
pub(crate) fn hover(
    project: &Project,
    types: &dyn Types,
    explain: Explain,
    key: &FileKey,
    offset: usize,
) -> Option<(String, Range<usize>)> {
    if let Some((meaning, range)) = project.meaning_at(key, offset) {
        return Some((named(project, types, key, &meaning, &range)?, range));
    }
    let file = project.file(key)?;
    let node = file.node_at(offset)?;
    let range = file.range(node);
    let rule = file.nodes[node].rule;
    let word = file.node_text(node);
    let parent = file.nodes[node].parent.map(|parent| file.nodes[parent].rule);
    let text = match rule {
        "code" => Code::find(word)?.page().to_owned(),
        "string" | "label" if parent == Some("field") => field(types, key, word)?,
        "label" | "unit" | "needle_kind" | "name" => marked_up(&explain(word)?),
        _ if file.nodes[node].is_keyword => {
            statement(word, parent.unwrap_or("")).or_else(|| Some(marked_up(&explain(word)?)))?
        }
        _ => return None,
    };
    Some((text, range))
}

/// The row of a statement that begins with a word and that a rule reads.
fn statement(word: &str, rule: &str) -> Option<String> {
    let rows = TABLE.iter().filter(|row| row.word == word && row.rule == rule);
    let rows = rows.map(|row| (row.form, row.doc, row.places()));
    let others = BLOCK_TABLE.iter().filter(|row| row.word == word && row.rule == rule);
    let others = others.map(|row| {
        let nouns: Vec<&str> = row.at.iter().map(|block| block.noun()).collect();
        (row.form, row.doc, nouns.join(" or "))
    });
    let texts = rows
        .chain(others)
        .map(|(form, doc, places)| format!("```ifs\n{form}\n```\n{doc}\n\nIn {places}."));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n---\n\n"))
}

/// The first line of an explanation is a form; lines with indentation are a list.
fn marked_up(text: &str) -> String {
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or("");
    let mut result = format!("```ifs\n{first}\n```\n");
    for line in lines {
        match line.strip_prefix("  ") {
            Some(item) => result.push_str(&format!("- {}\n", item.trim().replace('<', "\\<"))),
            None => result.push_str(&format!("{line}\n")),
        }
    }
    result
}

fn named(
    project: &Project,
    types: &dyn Types,
    key: &FileKey,
    meaning: &Meaning,
    range: &Range<usize>,
) -> Option<String> {
    let Some((owner, file, declared)) = project.declaration(meaning) else {
        let Meaning::Module(FileKey::Library(module)) = meaning else { return None };
        return Some(format!("```ifs\nstd.{module}\n```\nA module of the library."));
    };
    let name = file.word(&declared.name);
    let mut text = format!(
        "```ifs\n{}\n```\n`{name}` is {}",
        heading(file, declared.node),
        declared.kind.noun()
    );
    let written = project.text(key)?;
    let ty = types.type_of(key, written.get(range.clone()).unwrap_or(name), Some(meaning));
    if let Some(ty) = ty.filter(|_| declared.kind.is_value()) {
        text.push_str(&format!(": {ty}"));
    }
    match owner {
        FileKey::Library(module) => text.push_str(&format!(", in `std.{module}`")),
        FileKey::File(path) if owner != key && library_module(path).is_none() => {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
            text.push_str(&format!(", in `{}`", file.unwrap_or_default()));
        }
        FileKey::File(_) => {}
    }
    let docs = file.docs(declared);
    text.push_str(&format!(".\n\n{docs}"));
    Some(text.trim_end().to_owned())
}

/// A declaration without its block, and of a constraint its statements but not its tests.
fn heading(file: &FileIndex, node: usize) -> String {
    const MAX_LINES: usize = 12;
    let own = file.range(node);
    let Some(open) = file.child(node, "open") else {
        let text = file.node_text(node);
        return text.lines().take(MAX_LINES).collect::<Vec<_>>().join("\n");
    };
    let head = file.text[own.start..file.nodes[open].start].trim_end().to_owned();
    if file.nodes[node].rule != "constraint" {
        return head;
    }
    let shown = file.children(node).filter(|child| file.nodes[*child].rule == "constraint_stmt");
    let shown = shown.filter(|stmt| file.child(*stmt, "test_here").is_none());
    let lines = shown.map(|stmt| format!("  {}", file.node_text(stmt)));
    format!("{head} {{\n{}\n}}", lines.take(MAX_LINES).collect::<Vec<_>>().join("\n"))
}

fn field(types: &dyn Types, key: &FileKey, name: &str) -> Option<String> {
    let ty = types.type_of(key, name, None)?;
    Some(format!("```ifs\n{name}: {ty}\n```\nA field."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart_by_their_rules() {
        let judge = statement("judge", "judge_history").unwrap();
        assert!(judge.contains("judge history all") && !judge.contains("rubric"), "{judge}");
        assert_eq!(statement("judge", "expr"), None);
    }

    #[test]
    fn explanations_are_markup() {
        let text = marked_up("f(x) (a function)\n\nDoes.\n\n  f(1)   of \"a\": 2\n");
        assert_eq!(text, "```ifs\nf(x) (a function)\n```\n\nDoes.\n\n- f(1)   of \"a\": 2\n");
    }
}
