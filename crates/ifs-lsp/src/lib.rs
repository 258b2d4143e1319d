//! The language server: `ifs lsp`.
//!
//! `server` has the loop and names the protocol; `check` runs the compiler over the open texts (`files`)
//! of the scenarios that a file is part of (`workspace`). `index` finds the names of a file by the rules
//! of the grammar, and `project` what they refer to across files; completion, hovers, renames and tokens
//! follow from these two and from the tables of the compiler. No keyword is written here.

mod capabilities;
mod check;
mod complete;
mod context;
mod files;
mod fixes;
mod format;
mod hints;
mod hover;
mod index;
mod outline;
mod project;
mod server;
mod text;
mod tokens;
mod workspace;

pub use hover::Explain;
pub use server::{ServerError, serve, serve_stdio};
