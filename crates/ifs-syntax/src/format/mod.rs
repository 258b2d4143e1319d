//! The canonical layout of a scenario: `ifs fmt`.
//!
//! There are three steps. The tree is converted to [`node::FormatNode`]s: a head of words and an optional
//! block (`items.rs`, `constraint.rs`, `dialogue.rs`; `expression.rs` and `parens.rs` write
//! expressions). `layout.rs` converts nodes and comments to lines, and `lines.rs` aligns and joins
//! them.
//!
//! The result depends on the tree, on the comments, on where the author left blank lines and on
//! which short blocks were on one line. All four are the same in the result, so formatting twice
//! changes nothing.

mod constraint;
mod dialogue;
mod expression;
mod items;
mod layout;
mod lines;
mod node;
mod parens;
mod phrase;
mod scene;

use super::ast::Ast;

/// The longest line that is not broken, in characters.
const LINE_WIDTH: usize = 100;

/// Formats a scenario in the canonical layout. Its meaning and its comments are kept.
///
/// Call it only for texts without syntax errors: lines with errors are not in the tree, and would
/// be lost.
pub fn format(ast: &Ast, text: &str) -> String {
    layout::layout(&items::file(ast, text), &ast.comments, text)
}
