//! Semantic tokens: every word of a file by the rule that read it, names by what they refer to.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::index::{FileIndex, NameKind};
use crate::project::{FileKey, Meaning, Project};
use crate::text::Lines;
use gen_lsp_types as lsp;

/// The types of tokens, in the order of [`TokenType`].
pub(crate) const LEGEND: [&str; 14] = [
    "comment",
    "keyword",
    "string",
    "number",
    "regexp",
    "operator",
    "type",
    "namespace",
    "function",
    "parameter",
    "variable",
    "property",
    "class",
    "method",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenType {
    Comment,
    Keyword,
    String,
    Number,
    Regexp,
    Operator,
    Type,
    Namespace,
    Function,
    Parameter,
    Variable,
    Property,
    Class,
    Method,
}

fn type_of_rule(rule: &str) -> Option<TokenType> {
    Some(match rule {
        "doc" => TokenType::Comment,
        "string" | "reason" | "plain_string" | "block_string" => TokenType::String,
        "int" | "float" | "percent" => TokenType::Number,
        "regex" => TokenType::Regexp,
        "unit" | "needle_kind" => TokenType::Type,
        "it" | "truth" | "case_word" | "weighted_word" => TokenType::Keyword,
        "compare_sign" | "range_sign" | "upto" | "open_range" | "minus" | "plus" | "hyphen"
        | "times" | "divide" | "remainder" | "otherwise" | "equals" => TokenType::Operator,
        _ => return None,
    })
}

fn type_of_name(kind: NameKind) -> TokenType {
    match kind {
        NameKind::Group | NameKind::Import | NameKind::Tag | NameKind::Alias => {
            TokenType::Namespace
        }
        NameKind::Constraint | NameKind::Requirement | NameKind::Turn | NameKind::Question => {
            TokenType::Method
        }
        NameKind::Function | NameKind::Metric => TokenType::Function,
        NameKind::Parameter => TokenType::Parameter,
        NameKind::Column => TokenType::Property,
        NameKind::Dialogue
        | NameKind::Flow
        | NameKind::Variant
        | NameKind::Feed
        | NameKind::Scene
        | NameKind::Release
        | NameKind::Split => TokenType::Class,
        NameKind::Let
        | NameKind::Observation
        | NameKind::Part
        | NameKind::Record
        | NameKind::Variable => TokenType::Variable,
    }
}

/// The tokens of a file, each relative to the one before it.
pub(crate) fn tokens(
    project: &Project,
    key: &FileKey,
    lines: &Lines<'_>,
) -> Vec<lsp::SemanticToken> {
    let Some(index) = project.file(key) else { return Vec::new() };
    let mut found = names(project, key, index);
    words(index, &mut found);
    comments(index, &mut found);
    found.sort_by_key(|(range, _)| (range.start, range.end));
    let split = without_overlaps(found);
    let one_line = split.into_iter().flat_map(|(range, kind)| {
        by_line(&index.text, range).into_iter().map(move |range| (range, kind))
    });
    relative(one_line, lines)
}

type PlacedWord = (Range<usize>, TokenType);

fn names(project: &Project, key: &FileKey, index: &FileIndex) -> Vec<PlacedWord> {
    let declared = index.declarations.iter().map(|it| (it.name.clone(), type_of_name(it.kind)));
    let used = index.uses.iter().enumerate().map(|(at, used)| {
        let kind = match project.resolve(key, at) {
            Some(Meaning::Module(_)) => TokenType::Namespace,
            Some(meaning) => project
                .declaration(&meaning)
                .map_or(TokenType::Variable, |(_, _, declared)| type_of_name(declared.kind)),
            None => match index.nodes[used.node].parent.map(|parent| index.nodes[parent].rule) {
                Some("call" | "method") => TokenType::Function,
                _ => TokenType::Variable,
            },
        };
        (used.name.clone(), kind)
    });
    declared.chain(used).collect()
}

/// Words that are no names.
fn words(index: &FileIndex, tokens: &mut Vec<PlacedWord>) {
    let names: BTreeSet<usize> = tokens.iter().map(|(name, _)| name.start).collect();
    for (at, node) in index.nodes.iter().enumerate() {
        let kind = match type_of_rule(node.rule) {
            Some(kind) => kind,
            None if node.is_keyword => TokenType::Keyword,
            None if node.rule == "label" && !names.contains(&node.start) => {
                match node.parent.map(|parent| index.nodes[parent].rule) {
                    Some("type") => TokenType::Type,
                    _ => TokenType::Property,
                }
            }
            None => continue,
        };
        if node.end > node.start {
            tokens.push((index.range(at), kind));
        }
    }
}

/// Comments are between the nodes.
fn comments(index: &FileIndex, tokens: &mut Vec<PlacedWord>) {
    let mut leaves: Vec<Range<usize>> = (0..index.nodes.len())
        .filter(|node| index.nodes[*node].next == node + 1)
        .map(|node| index.range(node))
        .collect();
    leaves.sort_by_key(|leaf| leaf.start);
    let mut end = 0;
    let after = index.text.len()..index.text.len();
    for leaf in leaves.into_iter().chain([after]) {
        let gap = index.text.get(end..leaf.start).unwrap_or("");
        for line in gap.split_inclusive('\n') {
            if let Some(at) = line.find("//") {
                let start = end + at;
                tokens.push((start..start + line[at..].trim_end().len(), TokenType::Comment));
            }
            end += line.len();
        }
        end = end.max(leaf.end);
    }
}

/// Tokens that do not overlap: names within a string split it.
fn without_overlaps(tokens: Vec<PlacedWord>) -> Vec<PlacedWord> {
    let mut result: Vec<PlacedWord> = Vec::new();
    for (range, kind) in tokens {
        let rest = match result.last_mut() {
            Some((before, _)) if *before == range => continue,
            Some((before, around)) if range.start < before.end => {
                let rest = (range.end..before.end, *around);
                before.end = range.start;
                Some(rest)
            }
            _ => None,
        };
        result.push((range, kind));
        result.extend(rest.filter(|(rest, _)| rest.start < rest.end));
    }
    result.retain(|(range, _)| range.start < range.end);
    result
}

/// The parts of a token on each of its lines.
fn by_line(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut start = range.start;
    let mut parts = Vec::new();
    for line in text.get(range).unwrap_or("").split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        if end > start {
            parts.push(start..end);
        }
        start += line.len();
    }
    parts
}

fn relative(
    tokens: impl Iterator<Item = PlacedWord>,
    lines: &Lines<'_>,
) -> Vec<lsp::SemanticToken> {
    let mut before = lsp::Position::default();
    let mut result = Vec::new();
    for (range, kind) in tokens {
        let lsp::Range { start, end } = lines.range(&range);
        let delta_line = start.line - before.line;
        result.push(lsp::SemanticToken {
            delta_line,
            delta_start: if delta_line == 0 {
                start.character - before.character
            } else {
                start.character
            },
            length: end.character.saturating_sub(start.character),
            token_type: kind as u32,
            token_modifiers_bitset: 0,
        });
        before = start;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_every_type() {
        assert_eq!(LEGEND[TokenType::Method as usize], "method");
        assert_eq!(LEGEND[TokenType::Property as usize], "property");
        assert_eq!(LEGEND[TokenType::Comment as usize], "comment");
    }

    #[test]
    fn names_split_strings() {
        let tokens = vec![(0..10, TokenType::String), (3..4, TokenType::Parameter)];
        let kinds = [TokenType::String, TokenType::Parameter, TokenType::String];
        let ranges = [0..3, 3..4, 4..10];
        assert_eq!(without_overlaps(tokens), Vec::from_iter(ranges.into_iter().zip(kinds)));
        assert_eq!(by_line("ab\r\ncd", 1..6), [1..2, 4..6]);
    }
}
