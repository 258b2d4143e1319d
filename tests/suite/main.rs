//! What users see, tested in one binary: linking is what costs.

#![expect(clippy::disallowed_methods, reason = "blessing is asked for by the environment")]

#[cfg(feature = "cli")]
mod album;
mod answers;
mod architecture;
mod banks;
mod chats;
mod cli;
#[cfg(feature = "cli")]
mod compared;
#[cfg(feature = "cli")]
mod conflicts;
#[cfg(feature = "run")]
mod construct;
mod declared;
mod definition;
#[cfg(feature = "cli")]
mod distinct;
mod docs;
mod domains;
mod draw;
#[cfg(feature = "run")]
mod embedded;
mod feeds;
#[cfg(feature = "run")]
mod fits;
mod format;
mod forms;
#[cfg(feature = "run")]
mod fuzz;
mod guard;
mod hedged;
mod hostile;
mod imposed;
mod independent;
mod library;
#[cfg(feature = "http")]
mod mars;
mod matrix;
mod meeseeks;
#[cfg(feature = "cli")]
mod metrics;
mod mistakes;
#[cfg(feature = "cli")]
mod newcomer;
mod odd;
mod odd_answers;
#[cfg(feature = "cli")]
mod person;
mod phrases;
mod preview;
mod programs;
#[cfg(feature = "run")]
mod published;
mod reasons;
#[cfg(feature = "cli")]
mod receipts;
mod releases;
#[cfg(feature = "cli")]
mod review;
mod said;
mod scenarios;
mod scenes;
mod shape;
mod splits;
mod syntax;
#[cfg(feature = "cli")]
mod together;
#[cfg(feature = "cli")]
mod ui;
#[cfg(feature = "cli")]
mod versions;
#[cfg(feature = "cli")]
mod visible;
#[cfg(feature = "http")]
mod wire;
mod witness;
#[cfg(feature = "cli")]
mod written;
