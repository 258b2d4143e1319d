//! JSON Schemas of what is written as JSON, generated from the types that are written. Each has the
//! number that the document has in `schema`: it changes if a field changes its meaning or is removed.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The schema of a document, with its name and number.
#[must_use]
pub fn schema_of<T: JsonSchema>(name: &str, number: u32) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    schema["$id"] = json!(format!("urn:ifs:{name}:{number}"));
    schema["title"] = json!(format!("ifs {name}, schema {number}"));
    if let Some(own) = schema.pointer_mut("/properties/schema") {
        *own = json!({ "description": "The number of this schema.", "const": number });
    }
    schema
}

/// The schema of `run.json` in the folder of a run.
#[must_use]
pub fn of_run() -> Value {
    let mut schema = schema_of::<ifs_run::RunManifest>("run", ifs_run::SCHEMA);
    // It is added to the text of the file.
    schema["properties"]["checksum"] =
        json!({ "description": "A checksum of all other fields.", "type": "string" });
    schema
}

/// The schema of a line of `transcripts.jsonl` in the folder of a run. `run.json` has its number.
#[must_use]
pub fn of_transcript() -> Value {
    schema_of::<ifs_run::Transcript>("transcript", ifs_run::SCHEMA)
}

/// The schema of `ifs audit FILE --format json`.
#[must_use]
pub fn of_audit() -> Value {
    schema_of::<ifs_audit::Audit>("audit", ifs_audit::SCHEMA)
}

/// The schema of `ifs report RUN --format json` and of `scores.json`.
#[must_use]
pub fn of_report() -> Value {
    schema_of::<super::json::JsonReport<'static>>("report", super::json::SCHEMA)
}
