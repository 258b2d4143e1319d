//! JSON in a text: found between other words, and keeping duplicate fields, which a map would drop.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Nothing,
    Truth(bool),
    /// A number; `None` unless it is an integer.
    Number(Option<i64>),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// A list or an object in a text.
#[derive(Debug)]
pub struct JsonFragment {
    pub value: Json,
    /// Whether only whitespace and the marks of a fenced block are before it, or after it.
    pub begins: bool,
    pub ends: bool,
}

/// All outermost lists and objects of a text, and the text without them.
pub fn blocks(text: &str) -> (Vec<JsonFragment>, String) {
    let mut found: Vec<(usize, usize, Json)> = Vec::new();
    let (mut rest, mut kept, mut from) = (String::new(), 0, 0);
    while let Some(at) = text[from..].find(['{', '[']).map(|at| at + from) {
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Json>();
        match stream.next() {
            // `[[8]]` and `[1]` are marks and references, and no JSON of a judge.
            Some(Ok(value)) if value.is_number() => from = at + stream.byte_offset(),
            Some(Ok(value)) => {
                let end = at + stream.byte_offset();
                rest.push_str(&text[kept..at]);
                rest.push('\n');
                found.push((at, end, value));
                (kept, from) = (end, end);
            }
            _ => from = at + 1,
        }
    }
    rest.push_str(&text[kept..]);
    let block = |(start, end, value)| JsonFragment {
        value,
        begins: is_fence(&text[..start]),
        ends: is_fence(&text[end..]),
    };
    (found.into_iter().map(block).collect(), rest)
}

/// Whether the text is only whitespace and the marks of a code block.
fn is_fence(text: &str) -> bool {
    let text = text.trim().trim_matches('`');
    text.is_empty() || text.eq_ignore_ascii_case("json")
}

impl Json {
    /// Whether it is a number, or one in lists.
    fn is_number(&self) -> bool {
        match self {
            Json::Number(_) => true,
            Json::List(members) => matches!(members.as_slice(), [member] if member.is_number()),
            _ => false,
        }
    }

    /// A field of an object; the first one for duplicates.
    pub fn field(&self, name: &str) -> Option<&Json> {
        let Json::Object(fields) = self else { return None };
        let same = |(known, _): &&(String, Json)| known.eq_ignore_ascii_case(name);
        fields.iter().find(same).map(|(_, value)| value)
    }

    /// Whether no field of an object is duplicated.
    pub fn whole(&self) -> Result<(), String> {
        let Json::Object(fields) = self else { return Ok(()) };
        for (at, (name, _)) in fields.iter().enumerate() {
            if fields[..at].iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(format!("it holds `{name}` twice"));
            }
        }
        Ok(())
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_text(&self, wanted: &str) -> bool {
        self.text().is_some_and(|text| text.trim() == wanted)
    }

    /// An integer, which may be written as a text.
    pub fn whole_number(&self) -> Option<i64> {
        match self {
            Json::Number(number) => *number,
            Json::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Nothing)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Truth(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(Some(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(i64::try_from(number).ok()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        // 7.0 is 7; beyond this limit a float represents several integers.
        let whole = number == libm::trunc(number) && number.abs() < 1e15;
        Ok(Json::Number(whole.then_some(number as i64)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = list.next_element()? {
            members.push(member);
        }
        Ok(Json::List(members))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}
