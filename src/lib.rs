//! ifs: a language for multi-turn instruction-following benchmarks, with its compiler and its
//! runtime.
//!
//! Each stage is a function from one type to the next:
//!
//! ```text
//!  .ifs text
//!     │  syntax::parse        never fails: a partial tree, and every mistake
//!     ▼
//!  Ast                        the syntax with its spans; no names are resolved
//!     │  model::check         names, types, units, domains; collects all mistakes
//!     ▼
//!  Model                      free of every mistake that the checker finds
//!     │  plan::build          cannot fail
//!     ▼
//!  Plan                       tables, and a graph for each dialogue; has a content hash, no seed
//!     │  script::Drawer       (plan, seed, index) -> Script: a lazy iterator
//!     ▼
//!  ScriptTurn                 the user message, what changed, and the active constraints
//!     │  run::run_all         the only step that calls models
//!     ▼
//!  Transcript                 responses and verdicts; replayable byte for byte
//!     │  score::score         pure
//!     ▼
//!  Scorecard                  every metric, with the counts behind it
//!     │  report::write        one file for each format
//!     ▼
//!  terminal, JSON, HTML, CSV
//! ```
//!
//! Everything before `run` is pure. The compiler accesses files only through [`world::World`].
//!
//! * [`source`], [`diagnostic`], [`world`]: source texts and spans, diagnostics, access to files;
//! * [`syntax`]: the tree, the parser, the formatter;
//! * [`text`], [`predicate`], [`parts`], [`template`]: units of text, checks as data, extraction of
//!   parts, templates;
//! * [`model`], [`plan`], [`script`]: semantic analysis, graph, drawing;
//! * [`score`], [`judge`], [`provider`], [`run`], [`report`]: metrics, verdicts, models, runs,
//!   reports;
//! * [`parallel`]: work on several threads whose results stay in order;
//! * [`testing`]: the `test` blocks of a scenario.
//!
//! ```
//! use ifs::{model, plan, script, world::MemoryWorld};
//!
//! let world = MemoryWorld::new([
//!     ("topics.jsonl", r#"{"name":"tides","request":"Why are there two tides a day?"}"#),
//!     ("main.ifs", r#"ifs 1
//! import topics "topics.jsonl"
//! constraint short { say "Be short." check count(word) < 50 }
//! dialogue talk {
//!   topic from topics
//!   start with 1 constraint
//!   flow { stay at least 9 turns }
//!   end when turns >= 9
//! }
//! "#),
//! ]);
//! let checked = model::check(&world, "main.ifs");
//! let plan = plan::build(checked.model.expect("no mistakes"));
//! let drawer = script::Drawer::new(&plan, "talk").expect("a flow of topics");
//! let first = drawer.script(script::Seed(1), 0).next().expect("a turn").expect("its words");
//! assert_eq!(first.in_force[0].constraint, "short");
//! ```

mod api;
pub mod compare;
#[cfg(feature = "run")]
pub mod construct;
pub mod curated_set;
pub mod diagnostic;
pub mod feed;
pub mod grade;
pub mod image;
pub mod import;
pub mod inference;
pub mod judge;
pub mod model;
pub mod panel;
pub mod parallel;
pub mod parts;
pub mod plan;
pub mod predicate;
pub mod preview;
pub mod program;
pub mod proof;
pub mod provider;
mod random;
pub mod release;
pub mod replace;
pub mod report;
pub mod run;
pub mod score;
pub mod script;
pub mod source;
mod stable_hash;
pub mod syntax;
#[cfg(feature = "run")]
pub mod synthesis;
pub mod template;
pub mod testing;
pub use ifs_text as text;
pub mod world;

pub use api::*;
