//! The library for programs: compile, draw, grade, and run with a model of your own.
//!
//! Everything here is owned and can be shared between threads. The other modules of the crate
//! implement it, the command line and the tests, and change without notice.

#![deny(missing_docs)]

mod benchmark;
mod drawn;
mod error;
mod grader;
mod message;
#[cfg(feature = "run")]
mod model;
#[cfg(feature = "run")]
mod run;
mod session;
mod transcript;
mod turn;
mod verdict;

pub use benchmark::{Benchmark, Dialogue, Script};
pub use drawn::{DrawnDialogue, TurnGrade, Witness};
pub use error::{Error, ErrorKind, Problem};
pub use grader::{ConstraintGrade, Grade, Grader, in_order_of};
pub use message::{Content, Message, Role};
#[cfg(feature = "run")]
pub use model::{Model, ModelError, ModelHandle, Request, Respond};
#[cfg(feature = "run")]
pub use run::{Finished, Progress, Run, Stop};
pub use session::{Ask, Question, Response, Session};
pub use transcript::{Scorecard, Transcript};
pub use turn::{ActiveConstraint, Turn};
pub use verdict::Verdict;

pub use ifs_base::world::{MemoryWorld, ReadError, World};
pub use ifs_score::{Ending, Outcome};
