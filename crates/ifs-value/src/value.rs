//! The value of an expression.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::record::Record;
use crate::shared::SharedText;

/// A value of the expression language. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// An optional field of a bank that a record does not have.
    #[default]
    Nothing,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(SharedText),
    List(Arc<[Value]>),
    Record(Arc<Record>),
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Some order, so that a value can be part of a key; `<` of the language is another.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        let kind = |value: &Value| match value {
            Value::Nothing => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Float(_) => 3,
            Value::Text(_) => 4,
            Value::List(_) => 5,
            Value::Record(_) => 6,
        };
        match (self, other) {
            (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
            (Value::Int(one), Value::Int(other)) => one.cmp(other),
            (Value::Float(one), Value::Float(other)) => {
                one.partial_cmp(other).unwrap_or_else(|| one.total_cmp(other))
            }
            (Value::Text(one), Value::Text(other)) => (**one).cmp(&**other),
            (Value::List(one), Value::List(other)) => one.cmp(other),
            (Value::Record(one), Value::Record(other)) => one.iter().cmp(other.iter()),
            _ => kind(self).cmp(&kind(other)),
        }
    }
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(SharedText::from(text))
    }

    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        Value::List(values.into_iter().collect())
    }

    pub fn record<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
        Value::Record(Arc::new(fields.collect()))
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(values) => Some(values),
            _ => None,
        }
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(fields) => fields.get(name),
            _ => None,
        }
    }
}

/// As a person would read it in a sentence: texts bare, lists with commas.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str("nothing"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value}"),
            Value::Text(text) => f.write_str(text),
            Value::List(values) => {
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    value.fmt(f)?;
                }
                Ok(())
            }
            Value::Record(fields) => {
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    f.write_str(name)?;
                    f.write_str(" ")?;
                    value.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}
