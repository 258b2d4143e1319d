//! JSON changed a little: what it says, how much of it there is, and how it is laid out.

use std::ops::Range;

use serde_json::Value;

use super::{WitnessSearch, WordDraw, capital};
use crate::witness::json::{tokens, written};

/// What a block of JSON begins with.
const JSON_FENCE: &str = "```json\n";

impl WitnessSearch<'_, '_> {
    /// Other JSON, in half of the cases; `None` if the text is not JSON.
    pub(super) fn value_changed(&mut self, text: &str) -> Option<String> {
        if let Some(inner) =
            text.strip_prefix(JSON_FENCE).and_then(|text| text.strip_suffix("\n```"))
        {
            return Some(format!("{JSON_FENCE}{}\n```", self.value_changed(inner)?));
        }
        if !text.starts_with(['{', '[', '"']) {
            return None;
        }
        let mut whole: Value = serde_json::from_str(text).ok()?;
        if self.draw.index_below(3) == 0 {
            return None;
        }
        let pretty = text.contains('\n');
        match self.draw.index_below(10) {
            0 => return written(&whole, !pretty),
            1 => self.longer(&mut whole)?,
            2 => self.shorter(&mut whole)?,
            3..=5 => return self.change_layout(text),
            _ => return self.leaf_changed(text),
        }
        written(&whole, pretty)
    }

    /// Other line ends and blanks after a bracket, a comma or a colon, or before a bracket.
    fn change_layout(&mut self, text: &str) -> Option<String> {
        let marks: Vec<Range<usize>> =
            tokens(text).into_iter().filter(|place| !is_leaf(text, place)).collect();
        let place = marks.get(self.draw.index_below(marks.len()))?;
        let gap = ["", " ", "\n", "\n\n"][self.draw.index_below(4)];
        let (before, after) = (text.get(..place.start)?, text.get(place.end..)?);
        let mark = text.get(place.clone())?;
        Some(match mark {
            "]" | "}" => format!("{}{gap}{mark}{after}", before.trim_end()),
            _ => format!("{before}{mark}{gap}{}", after.trim_start()),
        })
    }

    /// Replaces one text or number, and nothing else.
    fn leaf_changed(&mut self, text: &str) -> Option<String> {
        let leaves: Vec<Range<usize>> =
            tokens(text).into_iter().filter(|place| is_leaf(text, place)).collect();
        let place = leaves.get(self.draw.index_below(leaves.len()))?.clone();
        let old: Value = serde_json::from_str(text.get(place.clone())?).ok()?;
        let is_key = text.get(place.end..)?.trim_start().starts_with(':');
        let other = self.leaf(&old);
        let other = match other {
            Value::String(_) => other,
            other if is_key => Value::String(other.to_string()),
            other => other,
        };
        Some(super::replace_range(text, place, &other.to_string()))
    }

    /// Something else in the place of a number or a text.
    fn leaf(&mut self, old: &Value) -> Value {
        let said = match old {
            Value::String(said) => said.clone(),
            Value::Number(number) if self.draw.index_below(2) == 0 => {
                let number = number.as_i64().unwrap_or(0);
                return Value::from(number.saturating_add(self.draw.index_below(21) as i64 - 10));
            }
            other => other.to_string(),
        };
        let word = self.word();
        Value::String(match self.draw.index_below(8) {
            0 => said.to_uppercase(),
            1 => said.to_lowercase(),
            2 => capital(&said),
            3 => format!("{said} {word}"),
            4 => format!("{word} {said}"),
            5 => format!("{said}{said}"),
            _ => word,
        })
    }

    /// One member more in some list; a value becomes a list of itself.
    fn longer(&mut self, whole: &mut Value) -> Option<()> {
        let word = self.word();
        let Some(list) = list(whole, self.draw) else {
            let old = whole.take();
            *whole = Value::Array(vec![old]);
            return Some(());
        };
        let copy = list.get(self.draw.index_below(list.len())).cloned();
        list.push(match copy {
            Some(copy) if self.draw.index_below(2) == 0 => copy,
            _ => Value::String(word),
        });
        Some(())
    }

    fn shorter(&mut self, whole: &mut Value) -> Option<()> {
        list(whole, self.draw)?.pop().map(|_| ())
    }
}

fn is_leaf(text: &str, place: &Range<usize>) -> bool {
    !matches!(text.get(place.clone()), Some("{" | "}" | "[" | "]" | "," | ":"))
}

/// A list in it, as chance has it.
fn list<'v>(value: &'v mut Value, draw: &mut WordDraw) -> Option<&'v mut Vec<Value>> {
    let holds = |value: &Value| value.is_array() || value.is_object();
    match value {
        Value::Array(members) => {
            let inner: Vec<usize> =
                (0..members.len()).filter(|at| members.get(*at).is_some_and(holds)).collect();
            match inner.get(draw.index_below(2 * inner.len().max(1))) {
                Some(at) => list(members.get_mut(*at)?, draw),
                None => Some(members),
            }
        }
        Value::Object(fields) => {
            let mut inner: Vec<&mut Value> =
                fields.values_mut().filter(|value| holds(value)).collect();
            let at = draw.index_below(inner.len());
            (at < inner.len()).then(|| inner.swap_remove(at)).and_then(|value| list(value, draw))
        }
        _ => None,
    }
}
