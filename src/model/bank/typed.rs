//! Records of a declared type, read straight into values that share their names.
//!
//! What is not as declared is an error here without a message: the record is read
//! again the slow way, which says what is wrong with it.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::predicate::record::Record;
use crate::predicate::shared::SharedText;
use crate::predicate::types::Type;
use crate::predicate::value::Value;

/// A type, as it is looked at for every value.
enum Shape {
    Bool,
    Int,
    Float,
    Text,
    List(Box<Shape>),
    Record(Arc<[String]>, Vec<Field>),
}

struct Field {
    shape: Shape,
    optional: bool,
}

impl Shape {
    fn of(ty: &Type) -> Option<Shape> {
        Some(match ty {
            Type::Bool => Shape::Bool,
            Type::Int | Type::Clock => Shape::Int,
            Type::Float => Shape::Float,
            Type::Text | Type::Image => Shape::Text,
            Type::List(of) => Shape::List(Box::new(Shape::of(of)?)),
            Type::Record(fields) => {
                let shapes = fields.values().map(|field| {
                    Some(Field { shape: Shape::of(&field.ty)?, optional: field.optional })
                });
                let shapes = shapes.collect::<Option<Vec<_>>>()?;
                Shape::Record(fields.keys().cloned().collect(), shapes)
            }
            Type::Unknown | Type::Range | Type::Pattern | Type::Needle => return None,
        })
    }
}

pub(super) struct Reader<'t> {
    shape: Shape,
    /// The file, in which texts stay where they are.
    file: &'t Arc<String>,
    /// Members of the lists and fields of the records that are not complete yet.
    open: Vec<Option<Value>>,
}

impl<'t> Reader<'t> {
    pub fn new(wanted: &Type, file: &'t Arc<String>) -> Option<Reader<'t>> {
        Some(Reader { shape: Shape::of(wanted)?, file, open: Vec::new() })
    }

    pub fn read(&mut self, text: &str) -> Option<Value> {
        self.open.clear();
        let mut json = serde_json::Deserializer::from_str(text);
        let (file, open) = (self.file, &mut self.open);
        let value = Seed { shape: &self.shape, optional: false, file, open };
        let value = value.deserialize(&mut json).ok()?;
        json.end().ok()?;
        Some(value)
    }
}

struct Seed<'a> {
    shape: &'a Shape,
    optional: bool,
    file: &'a Arc<String>,
    open: &'a mut Vec<Option<Value>>,
}

impl Seed<'_> {
    fn when<E: Error>(&self, fits: bool, value: Value) -> Result<Value, E> {
        if fits { Ok(value) } else { Err(E::custom("")) }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what is declared")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.when(self.optional, Value::Nothing)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.when(matches!(self.shape, Shape::Bool), Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        match self.shape {
            Shape::Float => Ok(Value::Float(value as f64)),
            shape => self.when(matches!(shape, Shape::Int), Value::Int(value)),
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.visit_i64(i64::try_from(value).map_err(E::custom)?)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let fits = matches!(self.shape, Shape::Float) && value.is_finite();
        self.when(fits, Value::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        match self.shape {
            Shape::Text => Ok(Value::text(value)),
            _ => Err(E::custom("")),
        }
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Value, E> {
        match self.shape {
            Shape::Text => Ok(Value::Text(SharedText::part(self.file, value))),
            _ => Err(E::custom("")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let Shape::List(of) = self.shape else { return Err(A::Error::custom("")) };
        let start = self.open.len();
        while let Some(member) = members.next_element_seed(Seed {
            shape: of,
            optional: false,
            file: self.file,
            open: self.open,
        })? {
            self.open.push(Some(member));
        }
        Ok(Value::list(self.open.drain(start..).map(Option::unwrap_or_default)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let Shape::Record(names, fields) = self.shape else { return Err(A::Error::custom("")) };
        let start = self.open.len();
        self.open.resize(start + fields.len(), None);
        while let Some(at) = entries.next_key_seed(Name(names))? {
            let Field { shape, optional } = &fields[at];
            let value = Seed { shape, optional: *optional, file: self.file, open: self.open };
            let value = entries.next_value_seed(value)?;
            if self.open[start + at].replace(value).is_some() {
                return Err(A::Error::custom(""));
            }
        }
        let missing = |(value, field): (&Option<Value>, &Field)| value.is_none() && !field.optional;
        if self.open[start..].iter().zip(fields).any(missing) {
            return Err(A::Error::custom(""));
        }
        let values = self.open.drain(start..).map(Option::unwrap_or_default).collect();
        Ok(Value::Record(Arc::new(Record::of(Arc::clone(names), values))))
    }
}

/// The place of a field's name.
struct Name<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        self.0.iter().position(|known| known == name).ok_or_else(|| E::custom(""))
    }
}
