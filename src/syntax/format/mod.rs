//! The one way a program is laid out: `ifs fmt`.
//!
//! Three steps. The tree becomes [`node::Node`]s: a head of words and perhaps a
//! block (`items.rs`, `constraint.rs`, `dialogue.rs`; `expression.rs` and
//! `parens.rs` write expressions). `layout.rs` turns nodes and comments into
//! lines, and `lines.rs` aligns those and puts them together.
//!
//! What comes out depends on the tree, on the comments, on where the author left
//! a blank line and on which short blocks was on one line. All four can be
//! read back from the result, which is why formatting twice changes nothing.

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
const WIDTH: usize = 100;

/// Lays a program out in the canonical way. Its meaning and its comments stay.
///
/// Call it for texts that were read without a mistake: lines that could not be
/// read are not in the tree, and would be lost.
pub fn format(ast: &Ast, text: &str) -> String {
    layout::layout(&items::file(ast, text), &ast.comments, text)
}
