//! The mapping from the columns of a log to events.

use std::fmt;
use std::sync::Arc;

use ifs_value::types::Type;
use ifs_value::value::Value;

/// The declaration of a feed with columns.
#[derive(Clone, Debug, Default)]
pub struct FeedSchema {
    pub columns: Vec<FeedColumn>,
    /// Columns by which events are sorted; file order if empty.
    pub order: Vec<String>,
    pub periods: Option<Periods>,
}

#[derive(Clone, Debug)]
pub struct FeedColumn {
    pub name: Arc<str>,
    pub ty: Type,
    pub from: ColumnSource,
}

/// The source of a column's value.
#[derive(Clone, Debug)]
pub enum ColumnSource {
    /// A field of the file; dots separate the path into nested records.
    Field(String),
    /// An expression over the earlier columns.
    Rule(Arc<dyn FeedColumnRule>),
}

/// How a column follows from the ones before it.
pub trait FeedColumnRule: fmt::Debug + Send + Sync {
    /// The value in a row, of which `before` has the earlier columns by name.
    ///
    /// # Errors
    /// Says why there is no value.
    fn value(&self, before: &dyn Fn(&str) -> Option<Value>) -> Result<Value, String>;
}

/// `periods 4 of "12:00" then "5:00"`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// The number of periods before overtime.
    pub count: u32,
    /// The length in milliseconds.
    pub length: Option<i64>,
    pub overtime: Option<i64>,
}

/// Columns with a meaning for every feed, and their types.
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

/// Fields of a play that no column sets.
pub const FILLED: [&str; 7] = ["assists", "at", "line", "number", "people", "scoring", "worth"];

impl FeedSchema {
    /// The additional columns: their names and types.
    pub fn added_columns(&self) -> Vec<(String, Type)> {
        let known = |column: &&FeedColumn| !KNOWN.iter().any(|(name, _)| **name == *column.name);
        let own = self.columns.iter().filter(known);
        own.map(|column| (column.name.to_string(), column.ty.clone())).collect()
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| &*column.name == name)
    }
}
