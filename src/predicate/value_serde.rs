//! Reading values from JSON, YAML and the like, without going through another tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::value::Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true or false, a list or a record")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value).map(Value::Int).map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if value.is_finite() {
            Ok(Value::Float(value))
        } else {
            Err(E::custom("the number is not finite"))
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut values = Vec::with_capacity(8);
        while let Some(value) = members.next_element()? {
            values.push(value);
        }
        Ok(Value::list(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            match fields.entry(name) {
                Entry::Vacant(place) => place.insert(value),
                Entry::Occupied(twice) => {
                    let name = twice.key();
                    return Err(A::Error::custom(format!("the field `{name}` stands there twice")));
                }
            };
        }
        Ok(Value::record(fields))
    }
}

/// How many bytes of a text stand in JSON as they are: none of them is a quotation mark, a
/// backslash or without a picture. Eight are looked at together.
pub(crate) fn json_plain(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        let found = escaped(*eight);
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    // The end, with some of what was looked at already.
    if bytes.last_chunk().is_some_and(|last| escaped(*last) == 0) {
        return bytes.len();
    }
    let found = rest.iter().position(|byte| matches!(byte, 0..b' ' | b'"' | b'\\'));
    eights.len() * 8 + found.unwrap_or(rest.len())
}

/// The highest bit of each byte that JSON escapes; above the first of them, of others too.
fn escaped(eight: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(eight);
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    // What is below a number borrows from above when that is taken off.
    let below = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let same = quote.wrapping_sub(ONES) & !quote | slash.wrapping_sub(ONES) & !slash;
    (below | same) & (ONES << 7)
}
