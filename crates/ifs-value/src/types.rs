//! The types of expressions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// Unknown because of a mistake elsewhere: fits everything, so that
    /// one mistake is reported once.
    Unknown,
    Bool,
    Int,
    Float,
    Text,
    /// Game time in milliseconds.
    Clock,
    /// A picture: a path or a URL.
    Image,
    List(Box<Type>),
    Record(BTreeMap<String, Field>),
    /// `3..=5`
    Range,
    /// `/[a-z]+/`
    Pattern,
    /// `word "like"`
    Needle,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Field {
    pub ty: Type,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The texts that it may be, if they are known and few.
    #[serde(skip)]
    pub values: Option<FieldValues>,
}

/// The texts that a field may be.
#[derive(Clone, Debug)]
pub enum FieldValues {
    /// The language defines them.
    Closed(Arc<[String]>),
    /// Those of the records of a bank.
    Recorded(Arc<[String]>),
}

/// What is known of its values is no part of a type.
impl PartialEq for Field {
    fn eq(&self, other: &Field) -> bool {
        self.ty == other.ty && self.optional == other.optional
    }
}

impl Eq for Field {}

impl Field {
    pub fn new(ty: Type, optional: bool) -> Field {
        Field { ty, optional, values: None }
    }

    /// A text that is one of these.
    pub fn one_of<'a>(values: impl IntoIterator<Item = &'a str>) -> Field {
        let values = values.into_iter().map(str::to_owned).collect();
        Field { values: Some(FieldValues::Closed(values)), ..Field::new(Type::Text, false) }
    }
}

impl Type {
    pub fn list(of: Type) -> Type {
        Type::List(Box::new(of))
    }

    pub fn record<'a>(fields: impl IntoIterator<Item = (&'a str, Type)>) -> Type {
        Type::Record(
            fields.into_iter().map(|(name, ty)| (name.to_owned(), Field::new(ty, false))).collect(),
        )
    }

    pub fn record_of<'a>(fields: impl IntoIterator<Item = (&'a str, Field)>) -> Type {
        Type::Record(fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect())
    }

    /// Whether a value of this type is accepted for `wanted`.
    pub fn fits(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Int, Type::Float) => true,
            (Type::List(have), Type::List(want)) => have.fits(want),
            (Type::Record(have), Type::Record(want)) => want.iter().all(|(name, want)| {
                have.get(name).map_or(want.optional, |have| have.ty.fits(&want.ty))
            }),
            (have, want) => have == want,
        }
    }

    /// The number of types in it, itself included; `None` if there are more than `most`.
    pub fn parts(&self, most: usize) -> Option<usize> {
        let (mut parts, mut open) = (0, vec![self]);
        while let Some(ty) = open.pop() {
            parts += 1;
            match ty {
                Type::List(of) => open.push(of),
                Type::Record(fields) => open.extend(fields.values().map(|field| &field.ty)),
                _ => {}
            }
            if parts + open.len() > most {
                return None;
            }
        }
        Some(parts)
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float | Type::Clock | Type::Unknown)
    }
}

/// As the author would say it.
impl Type {
    /// The type with its article, as messages speak of a value of it.
    pub fn noun(&self) -> String {
        match self {
            Type::Unknown => "something".to_owned(),
            Type::Bool => "a condition".to_owned(),
            Type::Int => "a whole number".to_owned(),
            Type::Float => "a number".to_owned(),
            Type::Text => "a text".to_owned(),
            Type::Clock => "a time".to_owned(),
            Type::Image => "an image".to_owned(),
            other => format!("a {other}"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unknown => f.write_str("unknown"),
            Type::Bool => f.write_str("true or false"),
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Text => f.write_str("text"),
            Type::Clock => f.write_str("clock"),
            Type::Image => f.write_str("image"),
            Type::List(of) => write!(f, "list of {of}"),
            Type::Record(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                write!(f, "record with {}", names.join(", "))
            }
            Type::Range => f.write_str("range"),
            Type::Pattern => f.write_str("regular expression"),
            Type::Needle => f.write_str("needle"),
        }
    }
}
