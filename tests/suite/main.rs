//! Tests of what users see, in one binary because linking is slow.

#![expect(clippy::disallowed_methods, reason = "an environment variable requests blessing")]

mod absent_values;
mod absurd_responses;
mod answers;
mod architecture;
#[cfg(feature = "cli")]
mod audit;
mod banks;
mod bombs;
mod book;
mod cli;
#[cfg(feature = "cli")]
mod compare_runs;
#[cfg(feature = "cli")]
mod conflicts;
#[cfg(feature = "run")]
mod construct;
mod declared;
mod definition;
mod dialogue_forms;
#[cfg(feature = "cli")]
mod distinct;
mod docs;
mod domains;
mod draw;
#[cfg(feature = "cli")]
mod editors;
#[cfg(feature = "run")]
mod embedded;
#[cfg(feature = "cli")]
mod feed_columns;
mod feeds;
#[cfg(feature = "cli")]
mod first_mistakes;
#[cfg(unix)]
mod foreign_programs;
mod format;
mod frames;
#[cfg(feature = "run")]
mod fuzz;
#[cfg(feature = "cli")]
mod golden;
mod hedging;
#[cfg(feature = "cli")]
mod hidden_requirements;
mod hostile;
mod hostile_responses;
mod hostile_texts;
mod import_chats;
mod import_records;
mod impose;
mod independent_checks;
#[cfg(feature = "cli")]
mod interactive;
#[cfg(feature = "cli")]
mod intervals;
mod joint_constraints;
#[cfg(feature = "run")]
mod json_schema;
mod library;
#[cfg(feature = "http")]
mod mars;
mod matrix;
mod meeseeks;
mod message_wording;
#[cfg(feature = "cli")]
mod metrics;
mod mistakes;
#[cfg(feature = "cli")]
mod mmmt_if;
#[cfg(feature = "cli")]
mod numbers;
mod own_answers;
mod part_witnesses;
mod partial_eval;
mod phrases;
mod planted;
mod preview;
#[cfg(feature = "cli")]
mod proven;
#[cfg(feature = "run")]
mod published_files;
mod random_programs;
mod readings;
mod reasons;
#[cfg(feature = "cli")]
mod receipts;
mod releases;
mod reported_parts;
#[cfg(feature = "cli")]
mod review;
mod scenarios;
mod scenes;
mod speakers;
mod splits;
mod statements;
mod syntax;
mod time_limit;
mod tree_shape;
#[cfg(feature = "cli")]
mod ui;
#[cfg(feature = "cli")]
mod versions;
#[cfg(feature = "http")]
mod wire;
mod witness;
#[cfg(feature = "cli")]
mod witnessed_draws;
#[cfg(feature = "cli")]
mod written_turns;

/// A changed manifest with the checksum that it has as a file of its own: what is tested is what
/// follows from its values.
#[cfg(feature = "run")]
fn sealed(manifest: &serde_json::Value) -> String {
    let mut manifest = manifest.clone();
    manifest.as_object_mut().unwrap().remove("checksum");
    ifs::run::sealed::seal(&manifest.to_string()).unwrap()
}

/// A file of a run without what depends on the clock; transcripts have nothing of that.
#[cfg(feature = "run")]
fn without_times(text: &str) -> String {
    let Ok(serde_json::Value::Object(mut fields)) = serde_json::from_str(text) else {
        return text.to_owned();
    };
    for name in ["started", "ended", "checksum"] {
        fields.remove(name);
    }
    let spending = fields.get_mut("spending").and_then(serde_json::Value::as_array_mut);
    for row in spending.into_iter().flatten().filter_map(serde_json::Value::as_object_mut) {
        row.remove("latency");
    }
    serde_json::Value::Object(fields).to_string()
}
