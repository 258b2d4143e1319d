//! Named values. The records of one bank share their names.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::value::Value;

/// INVARIANT: a value for each name; names in their order, none of them twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    names: Arc<[String]>,
    values: Box<[Value]>,
}

impl Record {
    /// A value for each of the names, which are in their order.
    pub fn from_parts(names: Arc<[String]>, values: Box<[Value]>) -> Record {
        debug_assert_eq!(names.len(), values.len());
        debug_assert!(names.is_sorted_by(|one, next| one < next));
        Record { names, values }
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = match self.names.len() {
            // Few enough to be looked through, which compares lengths first.
            0..=16 => self.names.iter().position(|known| known == name)?,
            _ => self.names.binary_search_by(|known| known.as_str().cmp(name)).ok()?,
        };
        self.values.get(at)
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// The later of two values with one name stays.
impl FromIterator<(String, Value)> for Record {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Record {
        let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
        if !fields.is_sorted_by(|(one, _), (next, _)| one < next) {
            // The later of two comes first, and stays.
            fields.reverse();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            fields.dedup_by(|(one, _), (before, _)| one == before);
        }
        let (names, values): (Vec<String>, Vec<Value>) = fields.into_iter().unzip();
        Record { names: names.into(), values: values.into() }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_the_later_value_stays() {
        let field = |name: &str, value| (name.to_owned(), Value::Int(value));
        let record: Record =
            [field("b", 1), field("a", 2), field("b", 3), field("c", 4)].into_iter().collect();
        let fields: Vec<(&str, i64)> =
            record.iter().filter_map(|(name, value)| Some((name, value.as_int()?))).collect();
        assert_eq!(fields, [("a", 2), ("b", 3), ("c", 4)]);
        assert_eq!((record.get("b"), record.get("d")), (Some(&Value::Int(3)), None));
        assert_eq!(serde_json::to_string(&record).unwrap(), r#"{"a":2,"b":3,"c":4}"#);
    }
}
