//! Tests of what users see, in one binary because linking is slow.

#![expect(clippy::disallowed_methods, reason = "an environment variable requests blessing")]

mod absent_values;
mod absurd_responses;
mod architecture;
mod banks;
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
#[cfg(feature = "run")]
mod embedded;
mod feeds;
#[cfg(feature = "cli")]
mod first_mistakes;
mod format;
#[cfg(feature = "run")]
mod fuzz;
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
mod phrases;
mod preview;
#[cfg(feature = "run")]
mod published_files;
mod random_programs;
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
mod written_turns;
