//! The outline of a file, and what can be folded in it.

use std::ops::Range;

use crate::index::{FileIndex, NameKind};
use crate::text::Lines;
use gen_lsp_types as lsp;

/// An entry of an outline, with those in it.
#[derive(Debug)]
struct OutlineEntry {
    symbol: lsp::DocumentSymbol,
    end: usize,
}

/// The declarations of a file, nested as their statements are.
pub(crate) fn symbols(index: &FileIndex, lines: &Lines<'_>) -> Vec<lsp::DocumentSymbol> {
    let mut open: Vec<OutlineEntry> = Vec::new();
    let mut top = Vec::new();
    let listed = index.declarations.iter().filter_map(|it| Some((it, symbol_kind(it.kind)?)));
    for (declared, kind) in listed {
        let range = index.range(declared.node);
        while open.last().is_some_and(|entry| entry.end <= range.start) {
            close(&mut open, &mut top);
        }
        let symbol = lsp::DocumentSymbol {
            name: index.word(&declared.name).to_owned(),
            detail: Some(declared.kind.noun().to_owned()),
            kind,
            range: lines.range(&range),
            selection_range: lines.range(&declared.name),
            tags: None,
            #[expect(deprecated, reason = "the field has no default")]
            deprecated: None,
            children: None,
        };
        open.push(OutlineEntry { symbol, end: range.end });
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

/// Adds the innermost open entry to the one around it.
fn close(open: &mut Vec<OutlineEntry>, top: &mut Vec<lsp::DocumentSymbol>) {
    let Some(entry) = open.pop() else { return };
    match open.last_mut() {
        Some(around) => around.symbol.children.get_or_insert_default().push(entry.symbol),
        None => top.push(entry.symbol),
    }
}

fn symbol_kind(kind: NameKind) -> Option<lsp::SymbolKind> {
    Some(match kind {
        NameKind::Group | NameKind::Tag => lsp::SymbolKind::Namespace,
        NameKind::Constraint | NameKind::Requirement => lsp::SymbolKind::Method,
        NameKind::Function | NameKind::Metric => lsp::SymbolKind::Function,
        NameKind::Dialogue | NameKind::Flow | NameKind::Variant => lsp::SymbolKind::Class,
        NameKind::Turn | NameKind::Question => lsp::SymbolKind::Event,
        NameKind::Feed | NameKind::Scene | NameKind::Release | NameKind::Split => {
            lsp::SymbolKind::Object
        }
        NameKind::Import => lsp::SymbolKind::Module,
        NameKind::Let => lsp::SymbolKind::Constant,
        NameKind::Column => lsp::SymbolKind::Field,
        NameKind::Observation | NameKind::Part => lsp::SymbolKind::Variable,
        NameKind::Alias | NameKind::Parameter | NameKind::Record | NameKind::Variable => {
            return None;
        }
    })
}

/// Blocks, long texts and lists from their first line to the one before their last, and runs of comments.
pub(crate) fn folds(index: &FileIndex, lines: &Lines<'_>) -> Vec<lsp::FoldingRange> {
    let mut folds = Vec::new();
    let mut add = |start: usize, end: usize, kind: Option<lsp::FoldingRangeKind>| {
        if start < end {
            let (start_line, end_line) = (start as u32, end as u32);
            folds.push(lsp::FoldingRange {
                start_line,
                end_line,
                kind,
                ..lsp::FoldingRange::default()
            });
        }
    };
    for (at, node) in index.nodes.iter().enumerate() {
        let opens = match node.rule {
            "string" => Some(node.start),
            _ => ["open", "bracket", "paren"]
                .iter()
                .find_map(|rule| Some(index.nodes[index.child(at, rule)?].start)),
        };
        if let Some(start) = opens {
            add(lines.line(start), lines.line(node.end).saturating_sub(1), None);
        }
    }
    for run in comment_runs(&index.text) {
        add(run.start, run.end - 1, Some(lsp::FoldingRangeKind::Comment));
    }
    folds.sort_by_key(|fold| (fold.start_line, fold.end_line));
    folds.dedup_by_key(|fold| (fold.start_line, fold.end_line));
    folds
}

/// The lines of consecutive comments.
fn comment_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (line, written) in text.lines().enumerate() {
        if !written.trim_start().starts_with("//") {
            continue;
        }
        match runs.last_mut().filter(|run| run.end == line) {
            Some(run) => run.end = line + 1,
            None => runs.push(line..line + 1),
        }
    }
    runs
}
