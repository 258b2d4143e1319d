//! Texts that a response has with other characters that look the same: the reason names them.

use super::wording::{Wording, fill_placeholders};
use crate::evaluate::Env;
use crate::functions::Func;
use crate::needles::SearchKind;
use crate::tree::{CompareOp, Node, Tree};
use ifs_base::source::Span;
use ifs_text::look_alike_of;

/// The reason with the character that differs, if the response has what the blamed parts of the check
/// look for in a form that looks the same.
pub(super) fn with_look_alike<'a>(
    reason: String,
    tree: &'a Tree,
    blamed: &[Span],
    env: &Env<'_, 'a>,
    words: &Wording,
) -> String {
    let mut wanted = Vec::new();
    exact_texts(tree, &mut wanted);
    let is_within = |part: Span, all: Span| {
        part.file == all.file && all.start <= part.start && part.end <= all.end
    };
    wanted.retain(|text| blamed.iter().any(|span| is_within(text.span, *span)));
    let response = env.scene.it.str();
    let found = wanted.into_iter().find_map(|tree| {
        let sought = env.operand(tree).ok()?;
        look_alike_of(response, sought.as_str()?)
    });
    let Some(found) = found else { return reason };
    let shown = |c: char| match c {
        c if c.is_control()
            || c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}') =>
        {
            format!("U+{:04X}", u32::from(c))
        }
        c => format!("U+{:04X} {c}", u32::from(c)),
    };
    let places = [
        ("reason", reason.as_str()),
        ("text", response.get(found.range).unwrap_or_default()),
        ("there", &shown(found.found)),
        ("wanted", &shown(found.wanted)),
    ];
    fill_placeholders(&words.look_alike, &places)
}

/// The texts that a check compares letter by letter.
fn exact_texts<'a>(tree: &'a Tree, texts: &mut Vec<&'a Tree>) {
    match &tree.node {
        Node::Needle(SearchKind::Text | SearchKind::Char, text) => texts.push(text),
        Node::Call(Func::CONTAINS, arguments) => {
            texts.extend(arguments.get(1).filter(|text| is_text(text)));
        }
        Node::Compare(CompareOp::Equal, left, right) => {
            texts
                .extend([left, right].into_iter().map(|side| &**side).filter(|side| is_text(side)));
        }
        _ => {}
    }
    tree.children().into_iter().for_each(|child| exact_texts(child, texts));
}

fn is_text(tree: &Tree) -> bool {
    match &tree.node {
        Node::Value(value) => value.as_str().is_some(),
        Node::Var(_) => true,
        _ => false,
    }
}
