//! How the columns of a log become events.

use std::sync::Arc;

use crate::predicate::tree::Tree;
use crate::predicate::types::Type;

/// What a feed with columns declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub columns: Vec<Column>,
    /// Columns that events are sorted by; the file's order where empty.
    pub order: Vec<String>,
    pub periods: Option<Periods>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Arc<str>,
    pub ty: Type,
    pub from: From,
}

/// Where the value of a column comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// A field of the file; dots lead into records.
    Field(String),
    /// An expression over the columns before it.
    Rule(Tree),
}

/// `periods 4 of "12:00" then "5:00"`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// Those before overtime.
    pub count: u32,
    /// Milliseconds.
    pub length: Option<i64>,
    pub overtime: Option<i64>,
}

/// Columns that mean something to every feed, with the type each has.
pub const KNOWN: [(&str, Type); 16] = [
    ("against", Type::Text),
    ("assist", Type::Text),
    ("away", Type::Int),
    ("clock", Type::Clock),
    ("detail", Type::Text),
    ("game", Type::Text),
    ("home", Type::Int),
    ("kind", Type::Text),
    ("made", Type::Bool),
    ("period", Type::Int),
    ("player", Type::Text),
    ("points", Type::Int),
    ("side", Type::Text),
    ("team", Type::Text),
    ("text", Type::Text),
    ("time", Type::Clock),
];

/// Fields of a play that no column fills.
pub const FILLED: [&str; 7] = ["assists", "at", "line", "number", "people", "scoring", "worth"];

impl Schema {
    /// The columns next to those that every feed knows: their names and types.
    pub fn own(&self) -> Vec<(String, Type)> {
        let known = |column: &&Column| !KNOWN.iter().any(|(name, _)| **name == *column.name);
        let own = self.columns.iter().filter(known);
        own.map(|column| (column.name.to_string(), column.ty.clone())).collect()
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| &*column.name == name)
    }
}
