//! The client: a request to a model, with journal, cache, budget, limits and retries.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::{Instrument as _, debug, field, info, info_span, warn};

use super::budget::BudgetExceeded;
use super::journal::{CallRecord, FailedRecord, JournalRecord};
use super::retry::too_long;
use super::{
    AdaptiveLimit, Budget, Cache, CancelToken, HiddenRecords, Journal, Meter, Price, RateLimiter,
    Retries, Rounds, Spent,
};
use crate::provider::{
    CallFailure, Conversation, ConversationHash, FailureKind, Model, ProgramModel, Reply,
    SimulationInput, Usage,
};

/// A model in a role: the one under test, a judge, a synthesizer.
pub struct Caller {
    pub model: Model,
    pub limits: AdaptiveLimit,
    pub price: Option<Price>,
    /// Rate limits for requests and tokens.
    pub requests: Option<RateLimiter>,
    pub tokens: Option<RateLimiter>,
    pub record: CallerRecord,
}

/// What is known about a model from earlier requests.
#[derive(Default)]
pub struct CallerRecord {
    answered: AtomicBool,
    given_up: AtomicU32,
}

/// The state that all requests of a run share.
pub struct RequestContext<'a> {
    /// `None` for simulated models, whose responses are deterministic.
    pub journal: Option<Journal>,
    pub cache: Option<Cache>,
    /// How the requests of a hidden set are recorded.
    pub hidden: Option<HiddenRecords>,
    /// If requests are answered in rounds, and not one by one.
    pub rounds: Option<Rounds>,
    pub budget: Budget,
    pub retries: Retries,
    pub meter: Meter,
    pub cancel: &'a CancelToken,
    /// Notifies tasks that wait for a part of the budget.
    pub room: Notify,
    /// Why the run stopped by itself: a spent budget, a journal that cannot be
    /// written, an endpoint that refuses everything.
    pub ended: OnceLock<CallFailure>,
}

/// Sends the requests of one thread.
pub struct Client<'a> {
    pub context: &'a RequestContext<'a>,
    #[cfg(feature = "http")]
    connections: crate::provider::Connections,
}

/// A request to a model.
#[derive(Clone, Copy)]
pub struct ModelCall<'a> {
    /// Its place in the run, which is unique.
    pub at: &'a str,
    pub conversation: &'a Conversation,
    /// The number of earlier requests for another response to the same conversation.
    pub sample: u32,
    /// The input of simulated models.
    pub simulation: Option<SimulationInput<'a>>,
}

/// After this many failed requests to a model that has never answered, the run stops.
const MAX_FIRST_FAILURES: u32 = 20;

/// Estimated output tokens of a response without `max_tokens`.
const DEFAULT_OUTPUT_TOKENS: u64 = 500;

/// Bytes per token, for estimates.
pub const BYTES_PER_TOKEN: u64 = 4;

/// Tokens per picture, for estimates: endpoints count between some hundreds and two thousand.
pub const TOKENS_PER_PICTURE: u64 = 1000;

/// A model whose responses are recorded and may fail: every one that is not simulated.
#[derive(Clone, Copy)]
enum RecordedModel<'m> {
    #[cfg(feature = "http")]
    Remote(&'m std::sync::Arc<crate::provider::Endpoint>),
    Program(&'m ProgramModel),
}

impl RecordedModel<'_> {
    fn name(&self) -> &str {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.name(),
            RecordedModel::Program(own) => own.name(),
        }
    }

    fn question(&self, conversation: &Conversation, sample: u32) -> ConversationHash {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.question(conversation, sample),
            RecordedModel::Program(own) => own.question(conversation, sample),
        }
    }

    /// The reasoning of a program's own model is separated where its response is received.
    fn keeps_raw_text(&self) -> bool {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.parameters().raw_text,
            RecordedModel::Program(_) => true,
        }
    }

    fn max_tokens(&self) -> Option<u64> {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.parameters().max_tokens,
            RecordedModel::Program(_) => None,
        }
    }

    fn takes_no_form(&self) -> bool {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.takes_no_form(),
            RecordedModel::Program(_) => true,
        }
    }

    fn refuses_structured_output(&self) -> bool {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => endpoint.refuses_structured_output(),
            RecordedModel::Program(_) => false,
        }
    }

    #[cfg_attr(
        not(feature = "http"),
        expect(unused_variables, reason = "connections and rounds are HTTP's")
    )]
    async fn ask(
        &self,
        client: &Client<'_>,
        call: &ModelCall<'_>,
        (asked, plain): (&str, bool),
    ) -> Result<Reply, CallFailure> {
        match self {
            #[cfg(feature = "http")]
            RecordedModel::Remote(endpoint) => {
                if let Some(rounds) = &client.context.rounds {
                    let body = endpoint.body(call.conversation, plain);
                    let found = rounds.wait_for_round((call.at, asked), endpoint, body).await;
                    let is_shaped = !plain && call.conversation.shape().is_some();
                    return endpoint.read_reply(found, is_shaped);
                }
                endpoint.ask(&client.connections, call.conversation, plain).await
            }
            RecordedModel::Program(own) => own.ask(call.conversation, call.sample, call.at).await,
        }
    }
}

impl<'a> Client<'a> {
    pub fn new(context: &'a RequestContext<'a>) -> Client<'a> {
        Client {
            context,
            #[cfg(feature = "http")]
            connections: crate::provider::Connections::default(),
        }
    }

    /// Sends a request, and returns when the response is in the journal.
    pub async fn ask(&self, caller: &Caller, call: ModelCall<'_>) -> Result<Reply, CallFailure> {
        match &caller.model {
            Model::Simulated(model) => match &call.simulation {
                Some(brief) => model.answer(brief),
                None => {
                    Err(CallFailure::permanent(format!("{} has no part in this", model.name())))
                }
            },
            #[cfg(feature = "http")]
            Model::Remote(endpoint) => {
                self.ask_recorded(caller, RecordedModel::Remote(endpoint), call).await
            }
            Model::Program(own) => {
                self.ask_recorded(caller, RecordedModel::Program(own), call).await
            }
        }
    }
}

/// The attempts of a request, and how long the last one took; a cached response took none.
#[derive(Clone, Copy)]
struct Attempts {
    tries: u32,
    latency_ms: Option<u64>,
}

impl Client<'_> {
    async fn ask_recorded(
        &self,
        caller: &Caller,
        endpoint: RecordedModel<'_>,
        call: ModelCall<'_>,
    ) -> Result<Reply, CallFailure> {
        let span = info_span!("request", at = call.at, model = endpoint.name());
        #[cfg(feature = "http")]
        let _busy = self.context.rounds.as_ref().map(Rounds::busy);
        let reply = self.recorded_or_requested(caller, endpoint, call).instrument(span).await?;
        if let Some(served) = &reply.served {
            self.context.meter.count_served(endpoint.name(), served);
        }
        Ok(reply)
    }

    /// From the journal, from the cache or from the endpoint.
    async fn recorded_or_requested(
        &self,
        caller: &Caller,
        endpoint: RecordedModel<'_>,
        call: ModelCall<'_>,
    ) -> Result<Reply, CallFailure> {
        let context = self.context;
        let question = endpoint.question(call.conversation, call.sample);
        let question = context.hidden.as_ref().map_or(question, |hidden| hidden.question(question));
        let asked = question.to_string();
        if let Some(journal) = &context.journal
            && let Some((before, reply)) =
                journal.find(call.at).map_err(|why| self.end(CallFailure::permanent(why)))?
        {
            if before != asked {
                return Err(CallFailure::permanent(
                    "the journal has the response to another request here; was the run folder changed?",
                ));
            }
            context.meter.count(|counts| counts.recorded += 1);
            debug!("response from the journal");
            let reply = self.opened(reply)?;
            #[cfg(feature = "http")]
            if let Some(files) = context.rounds.as_ref().and_then(Rounds::files) {
                files.answered_before(call.at, &asked, &reply.text);
            }
            return Ok(reply);
        }
        if let Some(cache) = &context.cache {
            let found = cache.get(question).unwrap_or_else(|damage| {
                context.meter.report_once(damage.about(), || damage.to_string());
                None
            });
            // An entry that cannot be opened is requested again, like a damaged file.
            let found = found.and_then(|reply| self.opened(reply).ok());
            let hit = found.is_some();
            context.meter.count(|counts| if hit { counts.hits += 1 } else { counts.misses += 1 });
            if let Some(mut reply) = found {
                debug!("response from the cache");
                // It may have been put there by an ifs that did not part them.
                if !endpoint.keeps_raw_text() && reply.reasoning.is_empty() {
                    reply.part_reasoning();
                }
                let took = Attempts { tries: 0, latency_ms: None };
                self.record(caller, &call, &asked, took, Usage::default(), &reply).await?;
                return Ok(reply);
            }
        }
        let estimate = estimate(endpoint, caller, call.conversation);
        if self.was_submitted(call.at, &asked).await? {
            context.budget.reserve_paid(&estimate);
        } else if context.budget.reserve(&estimate).is_err() {
            debug!("waiting for requests in flight: the rest of the budget is reserved for them");
            self.or_cancelled(self.room(&estimate)).await??;
        }
        let found = self.call_with_retries(caller, endpoint, &call, (&asked, &estimate)).await;
        let (took, reply) = match found {
            Ok(found) => found,
            Err((tries, failure)) => {
                context.budget.record_cost(&estimate, &Spent::default());
                context.room.notify_waiters();
                return Err(self.record_failure(caller, &call, tries, failure).await);
            }
        };
        caller.record.answered.store(true, Ordering::Relaxed);
        let is_refused = !reply.refusal.is_empty();
        let (usage, counted) = match is_refused {
            // Nothing was read or written.
            true => (Usage { input: Some(0), output: Some(0), ..Usage::default() }, true),
            false => usage_or_estimate(&reply, &estimate),
        };
        context.meter.count(|counts| {
            counts.answered += 1;
            counts.uncounted += u64::from(!counted);
        });
        let spent = Spent::of_call(&usage, caller.price);
        context.budget.record_cost(&estimate, &spent);
        context.room.notify_waiters();
        if let Some(pace) = &caller.tokens {
            pace.correct(estimate.tokens(), spent.tokens());
        }
        self.record(caller, &call, &asked, took, usage, &reply).await?;
        // Another filter, or a larger context window, may be a setting away.
        if let Some(cache) = context.cache.as_ref().filter(|_| !is_refused)
            && cache.store(question, caller.model.name(), &self.sealed(&reply)).is_err()
        {
            context.meter.count(|counts| counts.unkept += 1);
        }
        Ok(reply)
    }

    /// A response as it is recorded.
    fn sealed<'r>(&self, reply: &'r Reply) -> Cow<'r, Reply> {
        match &self.context.hidden {
            Some(hidden) => hidden.sealed(reply),
            None => Cow::Borrowed(reply),
        }
    }

    /// A response as it was recorded.
    fn opened(&self, reply: Reply) -> Result<Reply, CallFailure> {
        match &self.context.hidden {
            Some(hidden) => {
                hidden.opened(reply).map_err(|why| self.end(CallFailure::permanent(why)))
            }
            None => Ok(reply),
        }
    }

    /// Whether an earlier session sent the request in a batch.
    #[cfg(feature = "http")]
    async fn was_submitted(&self, at: &str, asked: &str) -> Result<bool, CallFailure> {
        match &self.context.rounds {
            Some(rounds) => self.or_cancelled(rounds.was_submitted(at, asked)).await,
            None => Ok(false),
        }
    }

    /// Without an endpoint there are no batches.
    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_async, reason = "as with an endpoint")]
    async fn was_submitted(&self, _: &str, _: &str) -> Result<bool, CallFailure> {
        Ok(false)
    }

    /// Reserves the estimated cost of a request. If requests in flight may cost less than
    /// estimated, it waits for them.
    async fn room(&self, estimate: &Spent) -> Result<(), CallFailure> {
        let context = self.context;
        // The round is closed without it.
        #[cfg(feature = "http")]
        let _idle = context.rounds.as_ref().map(Rounds::idle);
        loop {
            let mut news = std::pin::pin!(context.room.notified());
            // From here on no news is missed.
            news.as_mut().enable();
            match context.budget.reserve(estimate) {
                Ok(()) => return Ok(()),
                Err(BudgetExceeded::InFlight) => news.await,
                Err(BudgetExceeded::Spent(what)) => {
                    let spent = CallFailure::new(FailureKind::Stopped, format!("{what} is spent"));
                    return Err(self.end(spent));
                }
            }
        }
    }

    /// The response, with how long it took, or the last failure with the number of attempts.
    async fn call_with_retries(
        &self,
        caller: &Caller,
        endpoint: RecordedModel<'_>,
        call: &ModelCall<'_>,
        (asked, estimate): (&str, &Spent),
    ) -> Result<(Attempts, Reply), (u32, CallFailure)> {
        let meter = &self.context.meter;
        let (mut tries, mut garbled) = (0, 0);
        // Whether this call is made without asking for a form, though there is one.
        let mut without = false;
        loop {
            // Neither rate limits nor concurrency limits apply to rounds.
            let permit = match &self.context.rounds {
                Some(_) => None,
                None => {
                    let permit = self.or_cancelled(self.enter(caller, estimate)).await;
                    Some(permit.map_err(|stopped| (tries, stopped))?)
                }
            };
            tries += 1;
            meter.count(|counts| counts.in_flight += 1);
            let shaped = call.conversation.shape().is_some() && !endpoint.takes_no_form();
            let plain = without || !shaped;
            let found = self.attempt(endpoint, call, (asked, plain), tries).await;
            meter.count(|counts| {
                counts.in_flight -= 1;
                counts.failed_tries += u64::from(found.is_err());
            });
            let failure = match found {
                Ok((latency_ms, reply)) => {
                    permit.as_ref().inspect(|permit| permit.answered());
                    if without && endpoint.refuses_structured_output() {
                        meter.report(format!(
                            "{} refuses structured output; the format is requested in the prompt instead",
                            endpoint.name()
                        ));
                    }
                    // An error of a batch says nothing about the model.
                    let latency_ms = Some(latency_ms).filter(|_| self.context.rounds.is_none());
                    return Ok((Attempts { tries, latency_ms }, reply));
                }
                Err(failure) => failure,
            };
            if failure.kind == FailureKind::Overloaded {
                permit.as_ref().inspect(|permit| permit.overloaded());
            }
            if let Some(stop) = failure.kind.outcome() {
                permit.as_ref().inspect(|permit| permit.answered());
                let so = match failure.kind {
                    FailureKind::Blocked => "counts as blocked",
                    _ => "counts as context_length",
                };
                self.report(caller, &failure, so);
                let reply = Reply::refused(stop, failure.message);
                return Ok((Attempts { tries, latency_ms: None }, reply));
            }
            drop(permit);
            if failure.kind == FailureKind::Permanent && !plain {
                // It may be the form that is refused. If it is not, so is the next try.
                without = true;
                continue;
            }
            garbled += u32::from(failure.kind == FailureKind::Garbled);
            let mut random = ifs_value::random::unpredictable();
            let wait = self.context.retries.after(tries, garbled, &failure, &mut random);
            let Some(wait) = wait else { return Err((tries, failure)) };
            self.report(caller, &failure, "retrying");
            if self.takes_files() {
                continue;
            }
            debug!(wait_ms = millis(wait), "waiting before the next attempt");
            let _shown = meter.wait(wait);
            self.or_cancelled(tokio::time::sleep(wait))
                .await
                .map_err(|stopped| (tries, stopped))?;
        }
    }

    /// One attempt, with its milliseconds. Its log line has the status, the latency and the tokens, or the failure without
    /// secrets.
    async fn attempt(
        &self,
        endpoint: RecordedModel<'_>,
        call: &ModelCall<'_>,
        (asked, plain): (&str, bool),
        number: u32,
    ) -> Result<(u64, Reply), CallFailure> {
        let span = info_span!("attempt", number, status = field::Empty);
        let begun = Instant::now();
        let found = endpoint.ask(self, call, (asked, plain)).instrument(span.clone()).await;
        // Before anything is logged, reported or recorded.
        let found = match &self.context.hidden {
            Some(hidden) => hidden.seal_result(found),
            None => found,
        };
        let latency_ms = millis(begun.elapsed());
        span.in_scope(|| match &found {
            Ok(Reply { usage, .. }) => {
                info!(
                    latency_ms,
                    input_tokens = usage.input,
                    output_tokens = usage.output,
                    "response"
                );
            }
            Err(failure) => warn!(latency_ms, kind = ?failure.kind, "{}", failure.message),
        });
        found.map(|reply| (latency_ms, reply))
    }

    /// Whether responses are read from files: a request that failed is in the next round at once.
    fn takes_files(&self) -> bool {
        #[cfg(feature = "http")]
        return self.context.rounds.as_ref().is_some_and(|rounds| !rounds.is_batches());
        #[cfg(not(feature = "http"))]
        false
    }

    /// Whether a response costs half.
    fn is_batched(&self) -> bool {
        #[cfg(feature = "http")]
        return self.context.rounds.as_ref().is_some_and(Rounds::is_batches);
        #[cfg(not(feature = "http"))]
        false
    }

    /// Waits for the rate limits and for a slot.
    async fn enter<'c>(&self, caller: &'c Caller, estimate: &Spent) -> super::adaptive::Permit<'c> {
        let now = Instant::now();
        let requests = caller.requests.as_ref().map(|pace| pace.reserve(1, now));
        let tokens = caller.tokens.as_ref().map(|pace| pace.reserve(estimate.tokens(), now));
        if let Some(at) = requests.max(tokens).filter(|at| *at > now) {
            debug!(wait_ms = millis(at - now), "waiting for the rate limit");
            let _shown = self.context.meter.wait(at - now);
            tokio::time::sleep_until(at).await;
        }
        let begun = Instant::now();
        let permit = caller.limits.enter().await;
        let waited = millis(begun.elapsed());
        if waited > 0 {
            debug!(
                waited_ms = waited,
                "waited for other requests: the concurrency limit is reached"
            );
        }
        permit
    }

    async fn or_cancelled<T>(&self, future: impl Future<Output = T>) -> Result<T, CallFailure> {
        if self.context.cancel.is_cancelled() {
            return Err(CallFailure::stopped());
        }
        let stopped = std::pin::pin!(self.context.cancel.cancelled());
        let future = std::pin::pin!(future);
        match futures_util::future::select(future, stopped).await {
            futures_util::future::Either::Left((found, _)) => Ok(found),
            futures_util::future::Either::Right(_) => Err(CallFailure::stopped()),
        }
    }

    /// Writes a response to the journal before anything is built on it.
    async fn record(
        &self,
        caller: &Caller,
        call: &ModelCall<'_>,
        asked: &str,
        took: Attempts,
        spent: Usage,
        reply: &Reply,
    ) -> Result<(), CallFailure> {
        let Some(journal) = &self.context.journal else { return Ok(()) };
        let record = JournalRecord::Call(CallRecord {
            at: call.at.into(),
            model: caller.model.name().into(),
            asked: asked.into(),
            tries: took.tries,
            latency_ms: took.latency_ms,
            batch: took.tries > 0 && self.is_batched(),
            spent,
            reply: self.sealed(reply),
        });
        let written = journal.append(&record).await;
        written.map_err(|why| self.end(CallFailure::permanent(why)))
    }

    async fn record_failure(
        &self,
        caller: &Caller,
        call: &ModelCall<'_>,
        tries: u32,
        mut failure: CallFailure,
    ) -> CallFailure {
        if failure.kind == FailureKind::Stopped {
            return failure;
        }
        if let Some(why) = too_long(&failure) {
            failure.message = format!("{}; {why}", failure.message);
        }
        self.context.meter.count(|counts| counts.failed += 1);
        if let Some(journal) = &self.context.journal {
            let record = JournalRecord::Failed(FailedRecord {
                at: call.at.into(),
                model: caller.model.name().into(),
                tries,
                kind: failure.kind,
                message: failure.message.as_str().into(),
            });
            if let Err(why) = journal.append(&record).await {
                return self.end(CallFailure::permanent(why));
            }
        }
        let named = format!("{}: {}", caller.model.name(), failure.message);
        let given_up = caller.record.given_up.fetch_add(1, Ordering::Relaxed) + 1;
        let hopeless = failure.kind == FailureKind::Refused || given_up >= MAX_FIRST_FAILURES;
        // Where nothing was ever answered, nothing will be.
        if hopeless && !caller.record.answered.load(Ordering::Relaxed) {
            return self.end(CallFailure { message: named, ..failure });
        }
        self.report(caller, &failure, "not retried");
        CallFailure { message: named, ..failure }
    }

    /// Reports the first failure of each kind at once, because a run may take hours.
    fn report(&self, caller: &Caller, failure: &CallFailure, so: &str) {
        let name = caller.model.name();
        let about = format!("{name} {:?} {so}", failure.kind);
        self.context.meter.report_once(about, || format!("{name}: {}; {so}", failure.message));
    }

    fn end(&self, why: CallFailure) -> CallFailure {
        self.context.end(why.clone());
        why
    }
}

impl RequestContext<'_> {
    /// Stops the run, and stores the reason.
    pub(super) fn end(&self, why: CallFailure) {
        let _ = self.ended.set(why);
        self.cancel.cancel();
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn estimate(endpoint: RecordedModel<'_>, caller: &Caller, conversation: &Conversation) -> Spent {
    let (bytes, pictures) = conversation.size();
    let usage = Usage {
        input: Some(bytes as u64 / BYTES_PER_TOKEN + pictures * TOKENS_PER_PICTURE + 1),
        output: conversation.limit().or(endpoint.max_tokens()).or(Some(DEFAULT_OUTPUT_TOKENS)),
        ..Usage::default()
    };
    Spent::of_call(&usage, caller.price)
}

/// The usage of a reply, estimated if the endpoint reported none, and whether
/// it reported all numbers.
fn usage_or_estimate(reply: &Reply, estimate: &Spent) -> (Usage, bool) {
    let counted = reply.usage.input.is_some() && reply.usage.output.is_some();
    let said = (reply.text.len() + reply.reasoning.len()) as u64 / BYTES_PER_TOKEN + 1;
    let usage = Usage {
        input: reply.usage.input.or(Some(estimate.input)),
        output: reply.usage.output.or(Some(said)),
        ..reply.usage
    };
    (usage, counted)
}
