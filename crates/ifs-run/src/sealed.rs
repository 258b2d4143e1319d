//! JSON objects with a checksum of themselves: a damaged or edited file is an error, whichever value
//! of it changed. Indentation, the order of fields and line ends do not count.

use serde_json::Value;

/// The field with the checksum, the last one of a file.
const FIELD: &str = "checksum";

/// The text of an object with its checksum.
///
/// # Errors
/// Returns an error if the text is not the JSON of an object.
pub fn seal(text: &str) -> Result<String, serde_json::Error> {
    // What a reader will see: numbers may change when they are parsed.
    let value: Value = serde_json::from_str(text)?;
    let open = text.trim_end().strip_suffix('}').unwrap_or_default().trim_end();
    let separator = if open.ends_with('{') { "" } else { "," };
    Ok(format!("{open}{separator}\n  \"{FIELD}\": \"{}\"\n}}\n", checksum(&value)))
}

/// Whether an object is what was sealed; `None` if it has no checksum.
pub fn is_intact(value: &Value) -> Option<bool> {
    let sum = value.get(FIELD)?;
    Some(sum.as_str() == Some(&checksum(value)))
}

/// The checksum of an object, except the field with it.
fn checksum(value: &Value) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: a JSON file with a checksum");
    let Value::Object(fields) = value else { return String::new() };
    add_fields(fields.iter().filter(|(name, _)| *name != FIELD), &mut hasher);
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

/// Fields are in the order of their names, because maps keep another one in some builds.
fn add_fields<'f>(
    fields: impl Iterator<Item = (&'f String, &'f Value)>,
    hasher: &mut blake3::Hasher,
) {
    let mut fields: Vec<(&String, &Value)> = fields.collect();
    fields.sort_by_key(|(name, _)| *name);
    hasher.update(b"{");
    for (name, value) in fields {
        add_text(name, hasher);
        add(value, hasher);
    }
    hasher.update(b"}");
}

fn add(value: &Value, hasher: &mut blake3::Hasher) {
    match value {
        Value::Object(fields) => add_fields(fields.iter(), hasher),
        Value::Array(list) => {
            hasher.update(b"[");
            list.iter().for_each(|value| add(value, hasher));
            hasher.update(b"]");
        }
        Value::String(text) => add_text(text, hasher),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            hasher.update(value.to_string().as_bytes());
            hasher.update(b";");
        }
    }
}

fn add_text(text: &str, hasher: &mut blake3::Hasher) {
    hasher.update(b"\"");
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "schema": 3,
  "model": "openai/gpt-4o",
  "temperature": 0.30000000000000004,
  "stop": ["é", ""],
  "spent": {"calls": 12, "money": 1e-7},
  "complete": true,
  "set": null
}"#;

    fn state(text: &str) -> Option<bool> {
        is_intact(&serde_json::from_str(text).ok()?)
    }

    #[test]
    fn only_values_count() {
        let sealed = seal(TEXT).unwrap();
        assert_eq!(state(&sealed), Some(true), "{sealed}");
        assert_eq!(state(&sealed.replace('\n', "\r\n").replace("  ", "\t")), Some(true));
        assert_eq!(
            (state(TEXT), state("{}"), state(&seal("{}").unwrap())),
            (None, None, Some(true))
        );
        // Sealed again it has one checksum.
        let value: Value = serde_json::from_str(&sealed).unwrap();
        assert_eq!(checksum(&value), checksum(&serde_json::from_str(TEXT).unwrap()));
    }

    /// A changed bit leaves no file that passes for intact with other values.
    #[test]
    fn every_bit_counts() {
        let sealed = seal(TEXT).unwrap();
        let whole: Value = serde_json::from_str(&sealed).unwrap();
        for at in 0..sealed.len() * 8 {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at / 8] ^= 1 << (at % 8);
            let Ok(changed) = serde_json::from_slice::<Value>(&bytes) else { continue };
            assert!(changed == whole || is_intact(&changed) != Some(true), "bit {at}");
        }
    }
}
