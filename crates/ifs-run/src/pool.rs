//! Runs several dialogues concurrently.

use super::context::RunContext;
use super::dialogue::run_dialogue;
use super::scored::scored_as_held;
use super::selection::Selected;
use ifs_draw::DrawError;
use ifs_inference::{Concurrency, PoolEvent, RequestContext, run_in_pool};
use ifs_score::{Ending, ScoredDialogue};

/// A dialogue that has ended.
pub struct FinishedDialogue {
    pub ending: Ending,
    /// Its transcript, as a line.
    pub line: String,
    /// Computed by the thread that ran the dialogue, so that scores are ready at the end.
    pub scored: Result<ScoredDialogue, serde_json::Error>,
}

/// Runs all selected dialogues. `listen` gets each when it ends, by its index in
/// the selection, or the error of the scenario that stopped it.
///
/// # Errors
/// Returns the first error of `listen`, which stops the run, or an error if a thread could not be
/// started.
pub fn run_all<E: From<std::io::Error>>(
    context: &RequestContext<'_>,
    run: &RunContext<'_>,
    selected: &[Selected],
    concurrency: Concurrency,
    listen: impl FnMut(PoolEvent<Result<FinishedDialogue, DrawError>>) -> Result<(), E>,
) -> Result<(), E> {
    let held = async |client: &ifs_inference::Client<'_>, at: usize| {
        let (ending, line) = run_dialogue(client, run, selected[at].index).await?;
        let transcript = serde_json::from_str(&line);
        let scored = transcript.map(|held| scored_as_held(run.drawer.plan(), &held));
        Ok(FinishedDialogue { ending, line, scored })
    };
    run_in_pool(context, selected.len(), concurrency, held, listen)
}
