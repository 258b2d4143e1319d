//! Rounds that are answered by batches of an endpoint.
//!
//! A batch is paid for when it is created. So that none is created twice, the journal has a record of
//! it before that, and a run that is resumed looks for the batch at the endpoint: by the file that was
//! uploaded, or by the names of its requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ifs_base::diagnostic::visible_text;
use rand::RngExt as _;
use serde_json::Value;
use tokio::time::sleep;

use super::{QueuedRequest, Rounds};
use crate::RequestContext;
use crate::journal::{BatchRecord, JournalRecord, PlannedBatch};
use crate::provider::{
    ApiCall, BatchForm, BatchState, BatchStatus, CallFailure, Connections, Endpoint, FailureKind,
};

/// The longest wait between two polls of a batch, unless `--batch-poll` is longer.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(300);

/// The maximum number of pages of batches that are searched.
const MAX_PAGES: usize = 100;

/// Batches of this run and of its earlier sessions.
pub struct BatchStore {
    /// The wait before the second poll of a batch.
    interval: Duration,
    known: Mutex<Vec<KnownBatches>>,
    /// Requests of batches of earlier sessions that this one has not read.
    submitted: Mutex<BTreeSet<(String, String)>>,
}

struct KnownBatches {
    plan: PlannedBatch,
    id: Option<String>,
    /// Its requests without a response are sent again.
    dropped: bool,
    /// Requests whose result was used in this session.
    used: BTreeSet<(String, String)>,
    rows: BTreeSet<(String, String)>,
}

impl KnownBatches {
    fn from_planned(plan: PlannedBatch) -> KnownBatches {
        let rows = plan.rows.iter().cloned().collect();
        KnownBatches { plan, id: None, dropped: false, used: BTreeSet::new(), rows }
    }

    fn contains(&self, row: &(String, String)) -> bool {
        !self.dropped && self.rows.contains(row) && !self.used.contains(row)
    }
}

/// Requests that wait for the results of one batch, by their names in it.
struct WaitingBatch {
    at: usize,
    id: String,
    endpoint: Arc<Endpoint>,
    rows: BTreeMap<String, QueuedRequest>,
}

impl BatchStore {
    /// `before` is what the journal has.
    pub fn new(interval: Duration, before: Vec<BatchRecord>) -> BatchStore {
        let mut known: Vec<KnownBatches> = Vec::new();
        for record in before {
            match record {
                BatchRecord::Planned(plan) => known.push(KnownBatches::from_planned(plan)),
                BatchRecord::Created { number, id } => {
                    known
                        .iter_mut()
                        .filter(|it| it.plan.number == number)
                        .for_each(|it| it.id = Some(id.clone()));
                }
                BatchRecord::Dropped { number } => {
                    known
                        .iter_mut()
                        .filter(|it| it.plan.number == number)
                        .for_each(|it| it.dropped = true);
                }
            }
        }
        let submitted =
            known.iter().filter(|it| !it.dropped).flat_map(|it| it.rows.iter().cloned());
        let submitted = Mutex::new(submitted.collect());
        BatchStore { interval, known: Mutex::new(known), submitted }
    }

    pub(super) fn was_submitted(&self, at: &str, asked: &str) -> bool {
        let submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        submitted.contains(&(at.to_owned(), asked.to_owned()))
    }

    fn forget<'r>(&self, rows: impl IntoIterator<Item = &'r (String, String)>) {
        let mut submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        for row in rows {
            submitted.remove(row);
        }
    }

    pub(super) async fn answer_round(&self, rounds: &Rounds, context: &RequestContext<'_>) {
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        let connections = Connections::default();
        let mut driver = Driver { store: self, rounds, context, connections, known };
        let mut round = 0;
        while let Some(parked) = rounds.next_round().await {
            round += 1;
            if let Err(failure) = driver.round(round, parked).await {
                context.end(failure);
                return;
            }
        }
    }
}

struct Driver<'a> {
    store: &'a BatchStore,
    rounds: &'a Rounds,
    context: &'a RequestContext<'a>,
    connections: Connections,
    known: Vec<KnownBatches>,
}

impl Driver<'_> {
    /// Answers all requests of a round.
    async fn round(&mut self, round: u64, parked: Vec<QueuedRequest>) -> Result<(), CallFailure> {
        let mut submitted: BTreeMap<usize, Vec<QueuedRequest>> = BTreeMap::new();
        let mut fresh: BTreeMap<String, Vec<QueuedRequest>> = BTreeMap::new();
        for request in parked {
            let row = (request.at.clone(), request.asked.clone());
            match self.known.iter().rposition(|batch| batch.contains(&row)) {
                Some(at) => submitted.entry(at).or_default().push(request),
                None => fresh.entry(request.endpoint.name().to_owned()).or_default().push(request),
            }
        }
        let mut waiting = Vec::new();
        if !submitted.is_empty() {
            // The others wait until all dialogues are where they were when the run was stopped.
            fresh.into_values().for_each(|requests| self.rounds.requeue(requests));
            for (at, requests) in submitted {
                match self.resume_batch(at, &requests).await? {
                    Some(id) => waiting.push(self.wait_for(at, id, requests)),
                    None => self.rounds.requeue(requests),
                }
            }
            return self.results(waiting).await;
        }
        for mut requests in fresh.into_values() {
            requests.sort_by(|one, other| one.key().cmp(&other.key()));
            for requests in divided(requests) {
                let (at, id) = self.submit(&requests).await?;
                let name = requests.first().map(|it| it.endpoint.name()).unwrap_or_default();
                self.context.meter.report(format!(
                    "round {round}: batch {id} has {} for {name}",
                    request_count_text(requests.len())
                ));
                waiting.push(self.wait_for(at, id, requests));
            }
        }
        self.results(waiting).await
    }

    /// The id of a batch of an earlier session; `None` if it was never created.
    async fn resume_batch(
        &mut self,
        at: usize,
        requests: &[QueuedRequest],
    ) -> Result<Option<String>, CallFailure> {
        let Some(first) = requests.first() else { return Ok(None) };
        let found = match &self.known[at].id {
            Some(id) => Some(id.clone()),
            None => self.find(at, &first.endpoint).await?,
        };
        let number = self.known[at].plan.number;
        match &found {
            Some(id) => {
                if self.known[at].id.is_none() {
                    self.created(at, id).await?;
                }
                self.context.meter.report(format!(
                    "batch {id} for {} was created before: waiting for its results",
                    first.endpoint.name()
                ));
            }
            None => {
                self.known[at].dropped = true;
                self.store.forget(&self.known[at].rows);
                self.record(BatchRecord::Dropped { number }).await?;
            }
        }
        Ok(found)
    }

    fn wait_for(&mut self, at: usize, id: String, requests: Vec<QueuedRequest>) -> WaitingBatch {
        let endpoint = Arc::clone(&requests[0].endpoint);
        let known = &mut self.known[at];
        let form = form_of(&endpoint);
        let rows = requests.into_iter().map(|request| {
            let row = (request.at.clone(), request.asked.clone());
            self.store.forget([&row]);
            known.used.insert(row);
            (form.custom_id(&known.plan.salt, &request.at, &request.asked), request)
        });
        WaitingBatch { at, id, rows: rows.collect(), endpoint }
    }

    /// Creates a batch of these requests, which are of one model.
    async fn submit(&mut self, requests: &[QueuedRequest]) -> Result<(usize, String), CallFailure> {
        let endpoint = Arc::clone(&requests[0].endpoint);
        let form = form_of(&endpoint);
        let salt = format!("{:016x}", ifs_value::random::unpredictable().random::<u64>());
        let rows: Vec<String> = requests
            .iter()
            .map(|it| form.row(&form.custom_id(&salt, &it.at, &it.asked), &it.body))
            .collect();
        let file = match form {
            BatchForm::OpenAi => {
                let lines: String = rows.iter().flat_map(|row| [row, "\n"]).collect();
                let upload = ApiCall::Upload("ifs-batch.jsonl", lines);
                let uploaded = self.call(&endpoint, &upload).await?;
                let id = uploaded.get("id").and_then(Value::as_str);
                let id =
                    id.ok_or_else(|| CallFailure::permanent("the uploaded file has no `id`"))?;
                Some(id.to_owned())
            }
            BatchForm::Anthropic => None,
        };
        let number = self.known.last().map_or(0, |last| last.plan.number) + 1;
        let plan = PlannedBatch {
            number,
            model: endpoint.name().to_owned(),
            salt,
            file: file.clone(),
            rows: requests.iter().map(|it| (it.at.clone(), it.asked.clone())).collect(),
        };
        self.record(BatchRecord::Planned(plan.clone())).await?;
        self.known.push(KnownBatches::from_planned(plan));
        let at = self.known.len() - 1;
        let create = ApiCall::Post(form.path().to_owned(), form.create(file.as_deref(), &rows));
        let id = self.create(at, &endpoint, &create).await?;
        self.created(at, &id).await?;
        Ok((at, id))
    }

    /// Creates a batch once: after a failure that leaves open whether it was created, it is looked for.
    async fn create(
        &mut self,
        at: usize,
        endpoint: &Arc<Endpoint>,
        create: &ApiCall,
    ) -> Result<String, CallFailure> {
        let mut random = ifs_value::random::unpredictable();
        let (mut tries, mut garbled) = (0, 0);
        loop {
            tries += 1;
            let found = endpoint.api(&self.connections, create).await;
            let failure = match found.and_then(|body| form_of(endpoint).status(&body)) {
                Ok(status) => return Ok(status.id),
                Err(failure) => failure,
            };
            garbled += u32::from(failure.kind == FailureKind::Garbled);
            let Some(wait) = self.context.retries.after(tries, garbled, &failure, &mut random)
            else {
                return Err(batch_failure(endpoint, failure));
            };
            self.report(endpoint, &failure);
            sleep(wait).await;
            if failure.kind != FailureKind::Overloaded
                && let Some(id) = self.find(at, endpoint).await?
            {
                return Ok(id);
            }
        }
    }

    async fn created(&mut self, at: usize, id: &str) -> Result<(), CallFailure> {
        self.known[at].id = Some(id.to_owned());
        let number = self.known[at].plan.number;
        self.record(BatchRecord::Created { number, id: id.to_owned() }).await
    }

    /// Looks for a batch that was planned and perhaps created, by what it was made of: a time would be
    /// one of another clock.
    ///
    /// # Errors
    /// Returns an infrastructure error, also if the endpoint has too many batches to look through: a
    /// batch that was created is paid for.
    async fn find(
        &self,
        at: usize,
        endpoint: &Arc<Endpoint>,
    ) -> Result<Option<String>, CallFailure> {
        let form = form_of(endpoint);
        let (plan, mut after) = (&self.known[at].plan, String::new());
        for _ in 0..MAX_PAGES {
            let page = ApiCall::Get(format!("{}?limit=100{after}", form.path()));
            let page = self.call(endpoint, &page).await?;
            let batches = page.get("data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for body in batches {
                // Another kind of batch, which is not ours.
                let Ok(status) = form.status(body) else { continue };
                let id = status.id.clone();
                let of_another = self.known.iter().any(|known| known.id.as_ref() == Some(&id));
                if !of_another && self.belongs_to_run(plan, status, endpoint).await? {
                    return Ok(Some(id));
                }
            }
            let last = batches.last().and_then(|last| last.get("id")?.as_str());
            match last.filter(|_| page.get("has_more").and_then(Value::as_bool) == Some(true)) {
                Some(last) => {
                    let name = if form == BatchForm::OpenAi { "after" } else { "after_id" };
                    after = format!("&{name}={last}");
                }
                None => return Ok(None),
            }
        }
        Err(CallFailure::permanent(format!(
            "{}: whether a batch was created could not be found out among the latest {} batches; \
             `--ask-again` creates it anew, and pays for it again if it was",
            endpoint.name(),
            MAX_PAGES * 100,
        )))
    }

    async fn belongs_to_run(
        &self,
        plan: &PlannedBatch,
        mut status: BatchStatus,
        endpoint: &Arc<Endpoint>,
    ) -> Result<bool, CallFailure> {
        let form = form_of(endpoint);
        if form == BatchForm::OpenAi {
            return Ok(status.input.is_some() && status.input == plan.file);
        }
        // Only the results have the names of the requests, and old ones are gone.
        if status.is_archived || status.of != plan.rows.len() as u64 {
            return Ok(false);
        }
        let mut wait = self.store.interval;
        while status.state == BatchState::Running {
            self.wait_longer(&mut wait).await;
            status = self.status(endpoint, &status.id).await?;
        }
        let mut ours = BTreeSet::new();
        for (at, asked) in &plan.rows {
            ours.insert(form.custom_id(&plan.salt, at, asked));
        }
        let mut found = false;
        for path in &status.outputs {
            self.lines(endpoint, path, |line| {
                found |= form.result(line).is_ok_and(|row| ours.contains(&row.id));
                Ok(())
            })
            .await?;
        }
        Ok(found)
    }

    /// Waits for batches, and delivers their results.
    async fn results(&mut self, mut waiting: Vec<WaitingBatch>) -> Result<(), CallFailure> {
        let mut wait = self.store.interval;
        loop {
            let mut running = Vec::new();
            for batch in waiting {
                let status = self.status(&batch.endpoint, &batch.id).await?;
                match status.state {
                    BatchState::Running => running.push(batch),
                    _ => self.deliver(batch, status).await?,
                }
            }
            if running.is_empty() {
                return Ok(());
            }
            waiting = running;
            self.wait_longer(&mut wait).await;
        }
    }

    async fn deliver(
        &mut self,
        batch: WaitingBatch,
        status: BatchStatus,
    ) -> Result<(), CallFailure> {
        let WaitingBatch { at, id, endpoint, mut rows } = batch;
        let form = form_of(&endpoint);
        let plan = &self.known[at].plan;
        // The first result for each request of the batch, also of those that were answered before.
        let asked = plan.rows.iter().map(|(at, asked)| form.custom_id(&plan.salt, at, asked));
        let mut results: BTreeMap<String, Option<blake3::Hash>> =
            asked.map(|id| (id, None)).collect();
        let mut is_whole = true;
        for path in &status.outputs {
            self.lines(&endpoint, path, |line| {
                match form.result(line) {
                    Ok(row) => {
                        let hash = blake3::hash(line.as_bytes());
                        let fault = match results.get_mut(&row.id) {
                            None => Some("that it was not asked for"),
                            Some(first) => {
                                let differs = *first.get_or_insert(hash) != hash;
                                differs.then_some("besides another one, which counts")
                            }
                        };
                        if let Some(fault) = fault {
                            let name = visible_text(&row.id);
                            let about = format!("{id} {fault} {name}");
                            self.context.meter.report_once(about, || {
                                format!("batch {id} has a result for `{name}` {fault}")
                            });
                        } else if let Some(request) = rows.remove(&row.id) {
                            // Lines are read again after the connection was lost.
                            is_whole &= row.found.is_ok();
                            self.rounds.deliver(request, row.found);
                        }
                    }
                    Err(why) => self.context.meter.report_once(format!("{id} {why}"), || {
                        format!("batch {id}: a row of its results cannot be read: {why}")
                    }),
                }
                Ok(())
            })
            .await?;
        }
        // The requests that have no response are sent again, also by a run that is resumed. What it has is
        // recorded first.
        if !is_whole || !rows.is_empty() {
            self.rounds.responses_recorded().await;
            let number = self.known[at].plan.number;
            self.known[at].dropped = true;
            self.record(BatchRecord::Dropped { number }).await?;
        }
        if status.state == BatchState::Cancelled {
            let why = format!("{}: batch {id} was cancelled", endpoint.name());
            return Err(CallFailure::new(FailureKind::Stopped, why));
        }
        let missing = match status.state {
            BatchState::Failed(failure) => failure,
            _ => CallFailure::passing(format!("batch {id} has no result for this request")),
        };
        for request in rows.into_values() {
            self.rounds.deliver(request, Err(missing.clone()));
        }
        Ok(())
    }

    async fn status(&self, endpoint: &Arc<Endpoint>, id: &str) -> Result<BatchStatus, CallFailure> {
        let form = form_of(endpoint);
        let look = ApiCall::Get(format!("{}/{id}", form.path()));
        let body = self.call(endpoint, &look).await.map_err(|failure| {
            let help =
                "`--ask-again` sends the requests of a batch again that the endpoint has lost";
            let message = match failure.kind {
                FailureKind::Refused => format!("{}; {help}", failure.message),
                _ => failure.message,
            };
            CallFailure { message, ..failure }
        })?;
        form.status(&body)
    }

    /// Waits, longer each time.
    async fn wait_longer(&self, wait: &mut Duration) {
        let _shown = self.context.meter.wait(*wait);
        sleep(*wait).await;
        *wait = (*wait * 3 / 2).min(MAX_POLL_INTERVAL.max(self.store.interval));
    }

    /// Sends a request that may be repeated.
    async fn call(&self, endpoint: &Arc<Endpoint>, call: &ApiCall) -> Result<Value, CallFailure> {
        self.retry(endpoint, async || endpoint.api(&self.connections, call).await).await
    }

    async fn lines(
        &self,
        endpoint: &Arc<Endpoint>,
        path: &str,
        mut each: impl FnMut(&str) -> Result<(), CallFailure>,
    ) -> Result<(), CallFailure> {
        let mut random = ifs_value::random::unpredictable();
        let mut tries = 0;
        loop {
            tries += 1;
            let read = endpoint.api_lines(&self.connections, path, &mut each).await;
            let Err(failure) = read.map_err(|failure| self.redact_failure(failure)) else {
                return Ok(());
            };
            let wait = self.context.retries.after(tries, tries, &failure, &mut random);
            let Some(wait) = wait else { return Err(batch_failure(endpoint, failure)) };
            self.report(endpoint, &failure);
            sleep(wait).await;
        }
    }

    async fn retry<T>(
        &self,
        endpoint: &Arc<Endpoint>,
        attempt: impl AsyncFn() -> Result<T, CallFailure>,
    ) -> Result<T, CallFailure> {
        let mut random = ifs_value::random::unpredictable();
        let mut tries = 0;
        loop {
            tries += 1;
            let failure = match attempt().await {
                Ok(found) => return Ok(found),
                Err(failure) => self.redact_failure(failure),
            };
            let wait = self.context.retries.after(tries, tries, &failure, &mut random);
            let Some(wait) = wait else { return Err(batch_failure(endpoint, failure)) };
            self.report(endpoint, &failure);
            sleep(wait).await;
        }
    }

    /// A failure without the endpoint's words if the set is hidden.
    fn redact_failure(&self, failure: CallFailure) -> CallFailure {
        match &self.context.hidden {
            Some(hidden) => hidden.seal_result(Err(failure.clone())).err().unwrap_or(failure),
            None => failure,
        }
    }

    fn report(&self, endpoint: &Endpoint, failure: &CallFailure) {
        let name = endpoint.name();
        let about = format!("{name} {:?} batches", failure.kind);
        self.context.meter.report_once(about, || format!("{name}: {}; retrying", failure.message));
    }

    async fn record(&self, record: BatchRecord) -> Result<(), CallFailure> {
        let Some(journal) = &self.context.journal else { return Ok(()) };
        journal.append(&JournalRecord::Batch(record)).await.map_err(CallFailure::permanent)
    }
}

/// The requests in parts that a batch can hold.
fn divided(requests: Vec<QueuedRequest>) -> Vec<Vec<QueuedRequest>> {
    /// More than what a row has in addition to its body.
    const ROW_OVERHEAD: usize = 200;
    let mut parts: Vec<Vec<QueuedRequest>> = Vec::new();
    let mut bytes = 0;
    for request in requests {
        let (most, most_bytes) = form_of(&request.endpoint).limits();
        let length = request.body.len() + ROW_OVERHEAD;
        bytes += length;
        match parts.last_mut().filter(|part| part.len() < most && bytes <= most_bytes) {
            Some(part) => part.push(request),
            None => {
                bytes = length;
                parts.push(vec![request]);
            }
        }
    }
    parts
}

/// The command line accepts no model without batches.
fn form_of(endpoint: &Endpoint) -> BatchForm {
    endpoint.batches().unwrap_or(BatchForm::OpenAi)
}

fn batch_failure(endpoint: &Endpoint, failure: CallFailure) -> CallFailure {
    CallFailure { message: format!("{}: {}", endpoint.name(), failure.message), ..failure }
}

fn request_count_text(requests: usize) -> String {
    if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") }
}
