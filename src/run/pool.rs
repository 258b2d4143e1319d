//! Many dialogues at a time.

use super::dialogue::{Held, Talks, hold};
use super::select::Selected;
use crate::calls::{Calls, Crew, News, work_through};

/// Holds all selected dialogues. `listen` gets each when it is over, by its place
/// in the selection.
///
/// # Errors
/// The first error of `listen`; the run stops then. Or a thread could not be had.
pub fn run_all<E: From<std::io::Error>>(
    calls: &Calls<'_>,
    talks: &Talks<'_>,
    selected: &[Selected],
    crew: Crew,
    listen: impl FnMut(News<Held>) -> Result<(), E>,
) -> Result<(), E> {
    let held = async |desk: &crate::calls::Desk<'_>, at: usize| {
        hold(desk, talks, selected[at].index).await
    };
    work_through(calls, selected.len(), crew, held, listen)
}
