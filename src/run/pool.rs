//! Many dialogues at a time.

use super::dialogue::{Talks, hold};
use super::scored::scored_as_held;
use super::select::Selected;
use crate::calls::{Calls, Crew, News, work_through};
use crate::score::{Ending, ScoredDialogue};
use crate::script::DrawError;

/// A dialogue that is over.
pub struct Held {
    pub ending: Ending,
    /// Its transcript, as a line.
    pub line: String,
    /// Computed by the thread that held it, so that nobody waits for it at the end.
    pub scored: Result<ScoredDialogue, serde_json::Error>,
}

/// Runs all selected dialogues. `listen` gets each when it is over, by its place
/// in the selection; or the error of the scenario that it could not be drawn past.
///
/// # Errors
/// The first error of `listen`; the run stops then. Or a thread could not be had.
pub fn run_all<E: From<std::io::Error>>(
    calls: &Calls<'_>,
    talks: &Talks<'_>,
    selected: &[Selected],
    crew: Crew,
    listen: impl FnMut(News<Result<Held, DrawError>>) -> Result<(), E>,
) -> Result<(), E> {
    let held = async |desk: &crate::calls::Desk<'_>, at: usize| {
        let (ending, line) = hold(desk, talks, selected[at].index).await?;
        let transcript = serde_json::from_str(&line);
        let scored = transcript.map(|held| scored_as_held(talks.drawer.plan(), &held));
        Ok(Held { ending, line, scored })
    };
    work_through(calls, selected.len(), crew, held, listen)
}
