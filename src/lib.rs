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
//! The feature `run` adds runs (and tokio), `http` adds models behind endpoints, `languages` and
//! `punkt` add data learnt from corpora, and `cli` adds the command line. Without any of them the
//! library starts no threads and builds for `wasm32-unknown-unknown`.
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
use ifs_value::{random, stable_hash};

#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
#[cfg(feature = "run")]
pub mod construct;
#[doc(hidden)]
pub mod curated_set;
#[doc(hidden)]
pub mod diagnostic;
#[doc(hidden)]
pub mod grade;
#[doc(hidden)]
#[cfg(feature = "run")]
pub mod hidden;
#[doc(hidden)]
pub mod image;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod inference;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod lock;
#[doc(hidden)]
pub mod minhash;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod panel;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod parts;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
#[cfg(feature = "run")]
pub mod power;
#[doc(hidden)]
pub mod predicate;
#[doc(hidden)]
pub mod preview;
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod proof;
#[doc(hidden)]
pub mod provider;
#[doc(hidden)]
pub mod release;
#[doc(hidden)]
pub mod replace;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod score;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
#[cfg(feature = "run")]
pub mod shrink;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
#[cfg(feature = "run")]
pub mod synthesis;
#[doc(hidden)]
pub mod template;
#[doc(hidden)]
pub mod testing;
#[doc(hidden)]
pub use ifs_text as text;
#[doc(hidden)]
pub mod world;
