//! Records of a declared type, read straight into values that share their names.
//!
//! What is not as declared, or no JSON, has no value here: the record is read again by serde_json,
//! which says what is wrong with it.

use std::sync::Arc;

use crate::predicate::json_plain;
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

pub(super) struct RecordReader<'t> {
    shape: Shape,
    /// The file, in which texts stay where they are.
    file: &'t Arc<String>,
    /// Members of the lists and fields of the records that are not complete yet.
    open: Vec<Option<Value>>,
}

impl<'t> RecordReader<'t> {
    pub fn new(wanted: &Type, file: &'t Arc<String>) -> Option<RecordReader<'t>> {
        Some(RecordReader { shape: Shape::of(wanted)?, file, open: Vec::new() })
    }

    pub fn read(&mut self, text: &str) -> Option<Value> {
        self.open.clear();
        let mut json = Json { text, at: 0, file: self.file, open: &mut self.open };
        let value = json.value(&self.shape, false)?;
        json.next().is_none().then_some(value)
    }
}

/// JSON from where it is read next.
struct Json<'a> {
    text: &'a str,
    at: usize,
    file: &'a Arc<String>,
    open: &'a mut Vec<Option<Value>>,
}

impl<'a> Json<'a> {
    /// The next byte that is not a blank.
    fn next(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    fn take(&mut self, sign: u8) -> bool {
        let there = self.next() == Some(sign);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, shape: &Shape, optional: bool) -> Option<Value> {
        match (shape, self.next()?) {
            (_, b'n') if optional => self.word("null", Value::Nothing),
            (Shape::Bool, b't') => self.word("true", Value::Bool(true)),
            (Shape::Bool, b'f') => self.word("false", Value::Bool(false)),
            (Shape::Int, _) => Some(Value::Int(serde_json::from_str(self.number()).ok()?)),
            (Shape::Float, _) => {
                let number = self.number();
                let value = match number.contains(['.', 'e', 'E']) {
                    true => serde_json::from_str(number).ok()?,
                    false => serde_json::from_str::<i64>(number).ok()? as f64,
                };
                Some(Value::Float(value))
            }
            (Shape::Text, b'"') => self.string(),
            (Shape::List(of), b'[') => self.list(of),
            (Shape::Record(names, fields), b'{') => self.record(names, fields),
            _ => None,
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let there = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        there.then_some(value)
    }

    /// What a number is written with; whether it is one is asked later.
    fn number(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let number = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += number.len();
        number
    }

    /// What is between quotation marks, where nothing in it is escaped.
    fn plain(&mut self) -> Option<&'a str> {
        let inner = self.text.get(self.at + 1..)?;
        let plain = &inner[..json_plain(inner.as_bytes())];
        let closed = inner.as_bytes().get(plain.len()) == Some(&b'"');
        self.at += if closed { plain.len() + 2 } else { 0 };
        closed.then_some(plain)
    }

    fn string(&mut self) -> Option<Value> {
        if let Some(plain) = self.plain() {
            return Some(Value::Text(SharedText::part(self.file, plain)));
        }
        let rest = self.text.get(self.at..)?;
        let mut escaped = false;
        let end = rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let quoted = &rest[..end + 2];
        self.at += quoted.len();
        Some(Value::text(&serde_json::from_str::<String>(quoted).ok()?))
    }

    fn list(&mut self, of: &Shape) -> Option<Value> {
        let start = self.open.len();
        self.at += 1;
        while !(self.open.len() == start && self.take(b']')) {
            let member = self.value(of, false)?;
            self.open.push(Some(member));
            if self.take(b']') {
                break;
            }
            self.take(b',').then_some(())?;
        }
        Some(Value::list(self.open.drain(start..).map(Option::unwrap_or_default)))
    }

    fn record(&mut self, names: &Arc<[String]>, fields: &[Field]) -> Option<Value> {
        let start = self.open.len();
        self.open.resize(start + fields.len(), None);
        self.at += 1;
        let mut closed = self.take(b'}');
        while !closed {
            (self.next()? == b'"').then_some(())?;
            let name = self.plain()?;
            let at = names.iter().position(|known| known == name)?;
            self.take(b':').then_some(())?;
            let value = self.value(&fields[at].shape, fields[at].optional)?;
            if self.open[start + at].replace(value).is_some() {
                return None;
            }
            closed = self.take(b'}');
            if !closed {
                self.take(b',').then_some(())?;
            }
        }
        let missing = |(value, field): (&Option<Value>, &Field)| value.is_none() && !field.optional;
        if self.open[start..].iter().zip(fields).any(missing) {
            return None;
        }
        let values = self.open.drain(start..).map(Option::unwrap_or_default).collect();
        Some(Value::Record(Arc::new(Record::of(Arc::clone(names), values))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::bank::conform;
    use crate::predicate::types::Field;

    fn wanted() -> Type {
        let field = |ty, optional| Field { ty, optional };
        let fields = [
            ("a", field(Type::Text, false)),
            ("b", field(Type::Int, true)),
            ("c", field(Type::list(Type::list(Type::Text)), true)),
            ("d", field(Type::Float, true)),
            ("e", field(Type::Bool, true)),
        ];
        Type::Record(fields.map(|(name, field)| (name.to_owned(), field)).into())
    }

    /// What is read quickly is what is read slowly; the rest is left to that.
    fn alike(text: &str) -> Option<Value> {
        let file = Arc::new(text.to_owned());
        let quick = RecordReader::new(&wanted(), &file)?.read(&file)?;
        let slow = serde_json::from_str::<Value>(text).expect(text);
        assert_eq!(Ok(&quick), conform(slow, &wanted()).as_ref(), "{text}");
        Some(quick)
    }

    #[test]
    fn records_as_declared_are_read() {
        for text in [
            r#"{"a":""}"#,
            r#" { "a" : "x", "b" : -70 , "c" : [ ] } "#,
            r#"{"b":0,"a":"ü \u00e9\n\\ \"x\" and more than eight","c":[["x","yy"],[]]}"#,
            r#"{"a":"x","b":null,"c":null,"d":3,"e":false}"#,
            r#"{"a":"x","d":-2.5e3,"e":true}"#,
        ] {
            assert!(alike(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_no_such_record_is_left() {
        for text in [
            "",
            "{}",
            r#"{"a":"x"}}"#,
            r#"{"a":"x",}"#,
            r#"{"a":"x" "b":1}"#,
            r#"{"a":"x","a":"y"}"#,
            r#"{"a":null}"#,
            r#"{"a":1}"#,
            r#"{"a":"x","b":01}"#,
            r#"{"a":"x","b":1.0}"#,
            r#"{"a":"x","b":9223372036854775808}"#,
            r#"{"a":"x","c":[["x",]]}"#,
            r#"{"a":"x","c":[,]}"#,
            r#"{"a":"x","d":1e999}"#,
            r#"{"a":"x","d":nan}"#,
            r#"{"a":"x","e":truer}"#,
            r#"{"a":"x","z":1}"#,
            "{\"a\":\"tab\t\"}",
            r#"{"a":"\ud800"}"#,
            r#"{"a":"x"#,
        ] {
            assert_eq!(alike(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn anything_is_read_alike(text in r#"\{("[abcd]" ?: ?("[a-zü\\n\"]{0,12}"|-?[0-9.e]{1,4}|null|\[("x",?)*\]),? ?){0,4}\}?"#) {
            alike(&text);
        }
    }
}
