//! A provider with batches in both forms, which counts what it is paid for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::server::{Asked, JSON, Server, Step, chat, error, response};

/// What a request in a batch gets.
pub enum Row {
    Says(String),
    /// The body of a response.
    Body(Value),
    /// An error with this status.
    Error(u16),
    /// The batch ends before the request is carried out.
    Expired,
    /// No row at all.
    Absent,
}

#[derive(Default)]
pub struct State {
    files: BTreeMap<String, String>,
    batches: Vec<Batch>,
    /// Requests that were carried out, by their texts.
    pub paid: BTreeMap<String, usize>,
}

struct Batch {
    id: String,
    input: Option<String>,
    rows: Vec<(String, Value)>,
    /// How often it was polled.
    looks: usize,
    results: Option<String>,
}

/// What a request gets in a batch of this number.
type Rows = dyn Fn(&Asked, usize) -> Row + Send + Sync;

/// The behaviour of the provider.
pub struct Settings {
    /// The number of polls of a batch before it ends.
    pub looks: usize,
    /// Before each answer.
    pub delay: Duration,
    /// Whether a batch ends by being cancelled.
    pub cancels: bool,
    pub row: Box<Rows>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            looks: 1,
            delay: Duration::ZERO,
            cancels: false,
            row: Box::new(|asked, _| Row::Says(dutiful(asked))),
        }
    }
}

/// The response of `super::super::dutiful`.
pub fn dutiful(asked: &Asked) -> String {
    format!("Answer number {}.", asked.texts().len())
}

pub fn start(settings: Settings) -> (Server, Arc<Mutex<State>>) {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = state.clone();
    let server = Server::start(move |asked| {
        let mut steps = vec![Step::Sleep(settings.delay)];
        steps.extend(shared.lock().unwrap().answer(asked, &settings));
        steps
    });
    (server, state)
}

impl State {
    pub fn batches(&self) -> usize {
        self.batches.len()
    }

    /// The names and bodies of the requests of a batch.
    pub fn rows(&self, batch: usize) -> &[(String, Value)] {
        &self.batches[batch].rows
    }

    pub fn answer(&mut self, asked: &Asked, settings: &Settings) -> Vec<Step> {
        let path = asked.path.split('?').next().unwrap();
        let parts: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
        let ok = |body: Value| response("200 OK", &[JSON], &body.to_string());
        match (asked.method.as_str(), &parts[..]) {
            ("POST", ["files"]) => {
                assert!(
                    asked
                        .header("content-type")
                        .unwrap()
                        .starts_with("multipart/form-data; boundary=")
                );
                assert!(asked.text.contains("name=\"purpose\"\r\n\r\nbatch\r\n"));
                let lines =
                    asked.text.split("\r\n\r\n").nth(2).unwrap().split("\r\n--").next().unwrap();
                let id = format!("file-{}", self.files.len());
                self.files.insert(id.clone(), lines.to_owned());
                ok(json!({"id": id, "purpose": "batch"}))
            }
            ("POST", ["batches"]) => {
                assert_eq!(asked.body["endpoint"], "/v1/chat/completions");
                let file = asked.body["input_file_id"].as_str().unwrap();
                let rows = self.files[file].lines().map(|line| {
                    let row: Value = serde_json::from_str(line).unwrap();
                    assert_eq!(
                        (&row["method"], &row["url"]),
                        (&json!("POST"), &json!("/v1/chat/completions"))
                    );
                    (row["custom_id"].as_str().unwrap().to_owned(), row["body"].clone())
                });
                let rows = rows.collect();
                let id = self.created(Some(file.to_owned()), rows);
                ok(self.look(&id, settings))
            }
            ("POST", ["messages", "batches"]) => {
                let rows = asked.body["requests"].as_array().unwrap().iter();
                let rows = rows.map(|row| {
                    (row["custom_id"].as_str().unwrap().to_owned(), row["params"].clone())
                });
                let id = self.created(None, rows.collect());
                ok(self.look(&id, settings))
            }
            ("GET", ["files", name, "content"]) => {
                let id = name.trim_start_matches("output-");
                let batch = self.batches.iter().find(|batch| batch.id == id).unwrap();
                response("200 OK", &[], batch.results.as_deref().unwrap())
            }
            ("GET", ["messages", "batches", id, "results"]) => {
                let batch = self.batches.iter().find(|batch| batch.id == *id).unwrap();
                response("200 OK", &[], batch.results.as_deref().unwrap())
            }
            ("GET", ["messages", "batches"] | ["batches"]) => {
                let ids: Vec<String> = self.batches.iter().rev().map(|it| it.id.clone()).collect();
                let all: Vec<Value> = ids.iter().map(|id| self.look(id, settings)).collect();
                ok(json!({"data": all, "has_more": false}))
            }
            ("GET", ["messages", "batches", id] | ["batches", id]) => {
                match self.batches.iter().any(|it| it.id == *id) {
                    true => ok(self.look(id, settings)),
                    false => error("404 Not Found", &[], "no such batch"),
                }
            }
            ("POST", ["chat", "completions"]) => ok(chat(&dutiful(asked))),
            _ => error("404 Not Found", &[], "no such path"),
        }
    }

    fn created(&mut self, input: Option<String>, rows: Vec<(String, Value)>) -> String {
        let id = format!("batch_{}", self.batches.len());
        self.batches.push(Batch { id: id.clone(), input, rows, looks: 0, results: None });
        id
    }

    /// The status of a batch, which ends after some polls.
    fn look(&mut self, id: &str, settings: &Settings) -> Value {
        let at = self.batches.iter().position(|batch| batch.id == id).unwrap();
        self.batches[at].looks += 1;
        let ended = self.batches[at].looks > settings.looks;
        let is_openai = self.batches[at].input.is_some();
        if ended && self.batches[at].results.is_none() {
            let mut lines = Vec::new();
            for (number, (id, body)) in self.batches[at].rows.clone().into_iter().enumerate() {
                let asked = Asked {
                    number,
                    path: if is_openai { "/v1/chat/completions" } else { "/v1/messages" }
                        .to_owned(),
                    headers: Vec::new(),
                    text: body.to_string(),
                    method: "POST".to_owned(),
                    body,
                };
                let row = match settings.cancels && number % 2 == 1 {
                    true => Row::Absent,
                    false => (settings.row)(&asked, at),
                };
                if matches!(row, Row::Says(_)) {
                    *self.paid.entry(asked.text.clone()).or_default() += 1;
                }
                lines.extend(line(is_openai, &id, row).map(|line| format!("{line}\n")));
            }
            // Results come in any order.
            lines.reverse();
            self.batches[at].results = Some(lines.concat());
        }
        let batch = &self.batches[at];
        let count = batch.rows.len();
        // Its clock is one of its own: years behind.
        if is_openai {
            let done = if settings.cancels { "cancelled" } else { "completed" };
            return json!({
                "id": id, "status": if ended { done } else { "in_progress" },
                "input_file_id": batch.input, "created_at": 1,
                "output_file_id": ended.then(|| format!("output-{id}")), "error_file_id": null,
                "request_counts": {"total": count, "completed": if ended { count } else { 0 }, "failed": 0},
            });
        }
        json!({
            "id": id, "processing_status": if ended { "ended" } else { "in_progress" },
            "created_at": "1970-01-01T00:00:01Z",
            "cancel_initiated_at": settings.cancels.then_some("2026-01-01T00:00:00Z"),
            "request_counts": {"processing": if ended { 0 } else { count }, "succeeded": if ended { count } else { 0 }},
        })
    }
}

fn line(is_openai: bool, id: &str, row: Row) -> Option<Value> {
    let error =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "refused"}});
    Some(match (is_openai, row) {
        (_, Row::Absent) => return None,
        (_, Row::Body(body)) => json!({
            "id": "r", "custom_id": id, "error": null,
            "response": {"status_code": 200, "request_id": "q", "body": body}}),
        (true, Row::Says(text)) => json!({
            "id": "r", "custom_id": id, "error": null,
            "response": {"status_code": 200, "request_id": "q", "body": chat(&text)}}),
        (true, Row::Error(status)) => json!({
            "id": "r", "custom_id": id, "error": null,
            "response": {"status_code": status, "body": {"error": {"message": "refused"}}}}),
        (true, Row::Expired) => json!({
            "id": "r", "custom_id": id, "response": null,
            "error": {"code": "batch_expired", "message": "too late"}}),
        (false, Row::Says(text)) => {
            json!({"custom_id": id, "result": {"type": "succeeded", "message": {
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "model": "m-served",
            "usage": {"input_tokens": 11, "output_tokens": 7}}}})
        }
        (false, Row::Error(_)) => {
            json!({"custom_id": id, "result": {"type": "errored", "error": error}})
        }
        (false, Row::Expired) => json!({"custom_id": id, "result": {"type": "expired"}}),
    })
}
