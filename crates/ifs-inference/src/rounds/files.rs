//! Rounds whose requests are written to a file, and whose responses are read from one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{QueuedRequest, Rounds};
use crate::RequestContext;
use crate::provider::{BatchForm, CallFailure};

/// The form of the files.
const FILE_FORM: BatchForm = BatchForm::OpenAi;

/// Responses from files, by the names of their requests.
#[derive(Default)]
pub struct Files(Mutex<BatchFilesState>);

#[derive(Default)]
struct BatchFilesState {
    responses: BTreeMap<String, Result<Value, CallFailure>>,
    /// Responses that were used, and those whose request was answered before.
    taken: u64,
    before: u64,
    /// The names of requests that were answered before, with another text.
    differing: Vec<String>,
    open: Vec<OpenRequest>,
}

/// A request that has no response yet.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    pub id: String,
    pub model: String,
    pub row: String,
}

impl Files {
    pub fn new(responses: BTreeMap<String, Result<Value, CallFailure>>) -> Files {
        Files(Mutex::new(BatchFilesState { responses, ..BatchFilesState::default() }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BatchFilesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request has a response in the journal, which stays.
    pub(crate) fn answered_before(&self, at: &str, asked: &str, text: &str) {
        let mut state = self.lock();
        let id = FILE_FORM.custom_id("", at, asked);
        let Some(found) = state.responses.remove(&id) else { return };
        let said = found.ok().and_then(|body| {
            Some(body.pointer("/choices/0/message/content")?.as_str()?.to_owned())
        });
        // Reasoning may have been parted from it.
        match said.is_none_or(|said| said.contains(text.trim())) {
            true => state.before += 1,
            false => state.differing.push(id),
        }
    }

    /// The names of requests that were answered before, with another text.
    pub fn differing(&self) -> Vec<String> {
        self.lock().differing.clone()
    }

    /// The number of responses that were used, and of those whose request was answered before.
    pub fn counts(&self) -> (u64, u64) {
        let state = self.lock();
        (state.taken, state.before)
    }

    /// The names of responses without a request.
    pub fn unknown(&self) -> Vec<String> {
        self.lock().responses.keys().cloned().collect()
    }

    /// The requests of the next round, in order.
    pub fn open_requests(&self) -> Vec<OpenRequest> {
        self.lock().open.clone()
    }

    pub(super) async fn answer_round(&self, rounds: &Rounds, context: &RequestContext<'_>) {
        while let Some(parked) = rounds.next_round().await {
            let mut rest = Vec::new();
            let mut taken = 0;
            for request in parked {
                let found = self.lock().responses.remove(&name(&request));
                match found {
                    Some(found) => {
                        taken += 1;
                        rounds.deliver(request, found);
                    }
                    None => rest.push(request),
                }
            }
            self.lock().taken += taken;
            if taken == 0 {
                self.lock().open = rest.iter().map(open_request).collect();
                context.cancel.cancel();
                return;
            }
            rounds.requeue(rest);
        }
    }
}

fn name(request: &QueuedRequest) -> String {
    FILE_FORM.custom_id("", &request.at, &request.asked)
}

fn open_request(request: &QueuedRequest) -> OpenRequest {
    let id = name(request);
    let row = FILE_FORM.row(&id, &request.body);
    OpenRequest { id, model: request.endpoint.name().to_owned(), row }
}
