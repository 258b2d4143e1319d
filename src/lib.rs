//! ifs: a language for multi-turn instruction-following benchmarks, with its compiler and runtime.
//!
//! A scenario is compiled once. Then a program draws its dialogues, runs them itself or with a
//! model, and grades recorded responses:
//!
//! ```
//! use ifs::{Benchmark, MemoryWorld};
//!
//! # let world = MemoryWorld::new([("tides.ifs", r#"ifs 1
//! # constraint short(n: int in 5..=9) { say "At most {{ n }} words." check count(word) <= n }
//! # dialogue talk {
//! #   turn first { ask "Why are there tides?" impose 1 from short scope dialogue }
//! #   turn second { ask "And when?" }
//! # }
//! # "#)]);
//! let benchmark = Benchmark::check(&world, "tides.ifs")?; // or `Benchmark::open("tides.ifs")`
//! let dialogue = benchmark.dialogue("talk")?;
//! for turn in dialogue.script(1, 0) {
//!     println!("{}", turn?.ask); // two user messages, the same for this seed everywhere
//! }
//! let finished = dialogue.run("sim/oracle").dialogues(1).folder(folder()).start()?;
//! assert_eq!(finished.scorecard().metric("CSR"), Some(1.0));
//! let row = br#"{"answer": "Low tide.", "constraint": "short", "args": {"n": 5}}"#;
//! assert_eq!(benchmark.grader().row(row)?.strict, Some(true));
//! # fn folder() -> std::path::PathBuf {
//! #     let folder = std::env::temp_dir().join(format!("ifs-doc-{}", std::process::id()));
//! #     let _ = std::fs::remove_dir_all(&folder);
//! #     folder
//! # }
//! # Ok::<(), ifs::Error>(())
//! ```
//!
//! * [`Benchmark`] is a compiled scenario, [`Dialogue`] one of its dialogues or variants;
//! * [`Script`] draws the turns of a dialogue; equal seeds give equal turns on every machine;
//! * [`Session`] is a dialogue that your program runs itself, without network or files;
//! * [`Run`] runs dialogues with a [`Model`] of your own or one behind an endpoint, and resumes;
//! * [`Grader`] grades recorded responses, row by row;
//! * [`Error`] says what is wrong, and [`Error::kind`] says who has to act.
//!
//! All of them are owned, `Send`, and cheap to clone where they can be cloned.
//!
//! The feature `run` adds runs (and tokio), `http` adds models behind endpoints, `languages` adds
//! identifying languages, and `cli` adds the command line. Without any of them the library starts no threads and builds for `wasm32-unknown-unknown`.
//!
//! The modules of the crate are hidden. They implement the library and the command line, and change
//! without notice. ARCHITECTURE.md has a map of them.

mod api;

/// Runs the programs in docs/embedding.md.
#[cfg(all(doctest, feature = "run"))]
#[doc = include_str!("../docs/embedding.md")]
pub struct PageOfTheLibrary;

pub use api::*;

#[doc(hidden)]
pub use ifs_feed as feed;
#[doc(hidden)]
pub use ifs_forms as forms;

#[doc(hidden)]
pub use ifs_audit as audit;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_author::construct;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_author::import;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_author::release;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_author::synthesis;
#[doc(hidden)]
pub use ifs_base::diagnostic;
#[doc(hidden)]
pub use ifs_base::minhash;
#[doc(hidden)]
pub use ifs_base::parallel;
#[doc(hidden)]
pub use ifs_base::replace;
#[doc(hidden)]
pub use ifs_base::source;
#[doc(hidden)]
pub use ifs_base::work;
#[doc(hidden)]
pub use ifs_base::world;
#[doc(hidden)]
pub use ifs_draw as script;
#[doc(hidden)]
pub use ifs_draw::preview;
#[doc(hidden)]
pub use ifs_draw::program;
#[doc(hidden)]
pub use ifs_draw::proof;
#[doc(hidden)]
pub use ifs_inference as inference;
#[doc(hidden)]
pub use ifs_inference::panel;
#[doc(hidden)]
pub use ifs_inference::provider;
#[doc(hidden)]
pub use ifs_judge as judge;
#[doc(hidden)]
pub use ifs_judge::grade;
#[doc(hidden)]
pub use ifs_judge::testing;
#[doc(hidden)]
pub use ifs_model as model;
#[doc(hidden)]
pub use ifs_parts::image;
#[doc(hidden)]
pub use ifs_parts::parts;
#[doc(hidden)]
pub use ifs_parts::template;
#[doc(hidden)]
pub use ifs_plan as plan;
#[doc(hidden)]
pub use ifs_plan::changes;
#[doc(hidden)]
pub use ifs_plan::lock;
#[doc(hidden)]
pub use ifs_predicate as predicate;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_report as report;
#[doc(hidden)]
pub use ifs_run as run;
#[doc(hidden)]
pub use ifs_run::curated_set;
#[doc(hidden)]
#[cfg(feature = "run")]
pub use ifs_run::shrink;
#[doc(hidden)]
pub use ifs_score as score;
#[doc(hidden)]
pub use ifs_score::compare;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_sets as hidden;
#[doc(hidden)]
#[cfg(feature = "cli")]
pub use ifs_sets::power;
#[doc(hidden)]
pub use ifs_syntax as syntax;
#[doc(hidden)]
pub use ifs_text as text;
