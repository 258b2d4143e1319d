//! Collects what models write, for `ifs synthesize` and `ifs construct`.

use std::collections::BTreeMap;

use super::exit::CommandError;
use super::output::Output;
use super::progress::{ProgressLine, summary};
use super::spending::RecordedCost;
use ifs_inference::{Client, Concurrency, PoolEvent, Prices, RequestContext, run_in_pool};

/// The help after an incomplete command.
pub(crate) const RESUME_HELP: &str =
    "run the same command again to resume; the journal has the responses so far";

/// The results and failures, by index.
pub(crate) struct CollectedResults<T, F> {
    pub done: BTreeMap<usize, T>,
    pub failed: BTreeMap<usize, F>,
}

/// Requests all pieces; `None` if the user interrupted it. `prices` and the cost so far are used if
/// requests are sent.
pub(crate) fn run_concurrently<T: Send, F: Send>(
    context: &RequestContext<'_>,
    count: usize,
    concurrency: Concurrency,
    work: impl AsyncFn(&Client<'_>, usize) -> Result<T, F> + Sync,
    mut asked: Option<(&Prices, &mut RecordedCost)>,
    output: &mut Output,
) -> Result<Option<CollectedResults<T, F>>, CommandError> {
    let mut gathered = CollectedResults { done: BTreeMap::new(), failed: BTreeMap::new() };
    if let Some((_, paid)) = &mut asked {
        // Requests in the journal of a killed command were paid for too.
        paid.note(context)?;
    }
    let mut progress = ProgressLine::new(count);
    let outcome = run_in_pool(context, count, concurrency, work, |news| {
        if let PoolEvent::Done(at, done) = news {
            progress.finish_line();
            match done {
                Ok(piece) => _ = gathered.done.insert(at, piece),
                Err(why) => _ = gathered.failed.insert(at, why),
            }
        }
        progress.show(context, output);
        Ok::<(), std::io::Error>(())
    });
    output.progress("");
    if let Some((prices, paid)) = asked {
        paid.note(context)?;
        output.note(&summary(context, &prices.day()));
    }
    outcome.map_err(|error| CommandError::infrastructure(error.to_string()))?;
    if gathered.done.len() < count {
        if let Some(why) = context.ended.get() {
            return Err(CommandError::infrastructure(why.to_string()).help(RESUME_HELP));
        }
        if context.cancel.is_cancelled() {
            output.note(RESUME_HELP);
            return Ok(None);
        }
    }
    Ok(Some(gathered))
}
