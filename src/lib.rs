//! ifs: a language for multi-turn instruction-following benchmarks, with its compiler and its runtime.
//!
//! A text goes in, an answer comes out, and every step between is a function from one type to the
//! next:
//!
//! ```text
//!  .ifs text
//!     │  syntax::parse        never fails: as much tree as there is, and every mistake
//!     ▼
//!  Ast                        what was written, with its places; knows nothing of meaning
//!     │  model::check         names, types, units, domains; collects all mistakes
//!     ▼
//!  Model                      cannot hold a mistake that the checker finds
//!     │  plan::build          cannot fail
//!     ▼
//!  Plan                       tables and a graph for each dialogue; has a content hash, no seed
//!     │  script::Drawer       (plan, seed, index) -> Script: lazy, endless where the flow goes round
//!     ▼
//!  ScriptTurn                 who asks what, what changed, which constraints are in force
//!     │  run::run_all         the only step that talks to models
//!     ▼
//!  Transcript                 what was said; replayable to the byte
//!     │  score::score         pure
//!     ▼
//!  Scorecard                  every metric, with what it was made of
//!     │  report::write        one file a format
//!     ▼
//!  terminal, JSON, HTML, CSV
//! ```
//!
//! Everything left of `run` is pure. What the compiler needs from outside comes through
//! [`world::World`].
//!
//! * [`source`], [`diagnostic`], [`world`]: texts and places, mistakes, the outside;
//! * [`syntax`]: the tree, the parser, the formatter;
//! * [`text`], [`predicate`], [`parts`], [`template`]: units of text, checks as data, what is cut out
//!   of an answer, filling in texts;
//! * [`model`], [`plan`], [`script`]: meaning, graph, drawing;
//! * [`score`], [`judge`], [`provider`], [`run`], [`report`]: metrics, verdicts, models, runs, reports;
//! * [`parallel`]: work on several threads whose results stay in order;
//! * [`testing`]: the examples in a program;
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
pub mod proof;
pub mod provider;
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
