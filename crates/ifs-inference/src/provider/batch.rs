//! The formats of batches: many requests in one file, answered within a day at half the price. No I/O.

use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde_json::{Value, json};

use super::transport::status;
use super::{CallFailure, FailureKind};

/// A provider's form of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchForm {
    /// A file of requests is uploaded, and a batch refers to it.
    OpenAi,
    /// The request for a batch has all of its requests.
    Anthropic,
}

/// The state of a batch, as its endpoint reports it.
#[derive(Debug, PartialEq, Eq)]
pub struct BatchStatus {
    pub id: String,
    pub state: BatchState,
    pub done: u64,
    pub of: u64,
    /// The uploaded file that it was created from.
    pub input: Option<String>,
    /// Its results are not available any more.
    pub is_archived: bool,
    /// Paths of its results, after the base address.
    pub outputs: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum BatchState {
    Running,
    /// It has results for all requests, or for those that were in time.
    Ended,
    Cancelled,
    /// No request was carried out.
    Failed(CallFailure),
}

/// A row of results: the body of a response.
#[derive(Debug)]
pub struct BatchRow {
    pub id: String,
    pub found: Result<Value, CallFailure>,
}

/// Digits of the hash at the end of a `custom_id`.
const HASH_DIGITS: usize = 12;

/// The longest `custom_id` that both providers accept.
const MAX_ID_LENGTH: usize = 64;

impl BatchForm {
    /// The maximum number of requests in a batch, and of bytes.
    pub fn limits(self) -> (usize, usize) {
        match self {
            BatchForm::OpenAi => (50_000, 200_000_000),
            BatchForm::Anthropic => (100_000, 256_000_000),
        }
    }

    /// The name of a request in a batch: its place in the run, and a hash of the place and of what is
    /// asked there, so that the results of another run are recognized.
    pub fn custom_id(self, salt: &str, at: &str, asked: &str) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a request in a batch");
        for text in [salt, at, asked] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let hash = hasher.finalize().to_hex();
        let between = match self {
            BatchForm::OpenAi => '/',
            BatchForm::Anthropic => '-',
        };
        let letter = |letter: char| match letter {
            letter if letter.is_ascii_alphanumeric() || "_-".contains(letter) => letter,
            _ if self == BatchForm::OpenAi && letter == '/' => '/',
            _ => '-',
        };
        let place: String = at.chars().map(letter).take(MAX_ID_LENGTH - HASH_DIGITS - 1).collect();
        format!("{place}{between}{}", &hash[..HASH_DIGITS])
    }

    /// A request as a row.
    pub fn row(self, id: &str, body: &str) -> String {
        // A name has neither quotes nor control characters.
        match self {
            BatchForm::OpenAi => format!(
                r#"{{"custom_id":"{id}","method":"POST","url":"/v1/chat/completions","body":{body}}}"#
            ),
            BatchForm::Anthropic => format!(r#"{{"custom_id":"{id}","params":{body}}}"#),
        }
    }

    /// The path of batches after the base address.
    pub fn path(self) -> &'static str {
        match self {
            BatchForm::OpenAi => "/batches",
            BatchForm::Anthropic => "/v1/messages/batches",
        }
    }

    /// The body of the request that creates a batch of an uploaded file, or of these rows.
    pub fn create(self, file: Option<&str>, rows: &[String]) -> String {
        match self {
            BatchForm::OpenAi => json!({
                "input_file_id": file,
                "endpoint": "/v1/chat/completions",
                "completion_window": "24h",
            })
            .to_string(),
            BatchForm::Anthropic => format!(r#"{{"requests":[{}]}}"#, rows.join(",")),
        }
    }

    /// # Errors
    /// Says what is missing in a status.
    pub fn status(self, body: &Value) -> Result<BatchStatus, CallFailure> {
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let lacks = |what: &str| CallFailure::garbled(format!("the batch has no `{what}`"));
        let count = |path: &str| body.pointer(path).and_then(Value::as_u64).unwrap_or(0);
        let id = text("id").ok_or_else(|| lacks("id"))?;
        // It becomes a part of a path.
        if id.is_empty() || !id.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it)) {
            return Err(CallFailure::garbled("the batch has an `id` that cannot be read"));
        }
        let id = id.to_owned();
        Ok(match self {
            BatchForm::OpenAi => {
                let files = ["output_file_id", "error_file_id"].into_iter().filter_map(text);
                BatchStatus {
                    state: match text("status").ok_or_else(|| lacks("status"))? {
                        "completed" | "expired" => BatchState::Ended,
                        "cancelled" => BatchState::Cancelled,
                        "failed" => BatchState::Failed(refusal(body)),
                        _ => BatchState::Running,
                    },
                    done: count("/request_counts/completed") + count("/request_counts/failed"),
                    of: count("/request_counts/total"),
                    input: text("input_file_id").map(str::to_owned),
                    is_archived: false,
                    outputs: files.map(|file| format!("/files/{file}/content")).collect(),
                    id,
                }
            }
            BatchForm::Anthropic => {
                let kinds = ["succeeded", "errored", "canceled", "expired"];
                let done: u64 =
                    kinds.iter().map(|kind| count(&format!("/request_counts/{kind}"))).sum();
                let ended = text("processing_status");
                let ended = ended.ok_or_else(|| lacks("processing_status"))? == "ended";
                let cancelled = text("cancel_initiated_at").is_some();
                BatchStatus {
                    state: match (ended, cancelled) {
                        (true, true) => BatchState::Cancelled,
                        (true, false) => BatchState::Ended,
                        (false, _) => BatchState::Running,
                    },
                    done,
                    of: done + count("/request_counts/processing"),
                    input: None,
                    is_archived: text("archived_at").is_some(),
                    outputs: vec![format!("{}/{id}/results", self.path())],
                    id,
                }
            }
        })
    }

    /// Reads a row of results.
    ///
    /// # Errors
    /// Says why it is not one.
    pub fn result(self, line: &str) -> Result<BatchRow, String> {
        let row: Value =
            serde_json::from_str(line).map_err(|error| format!("it is not JSON: {error}"))?;
        let id = row.get("custom_id").and_then(Value::as_str);
        let id = id.ok_or("it has no `custom_id`")?.to_owned();
        let found = match self {
            BatchForm::OpenAi => of_response(&row)?,
            BatchForm::Anthropic => of_result(&row)?,
        };
        Ok(BatchRow { id, found })
    }
}

fn of_response(row: &Value) -> Result<Result<Value, CallFailure>, String> {
    let response = row.get("response").filter(|response| response.is_object());
    let error = row.get("error").filter(|error| !error.is_null());
    Ok(match (response, error) {
        (Some(response), None) => {
            let body = response.get("body").ok_or("its `response` has no `body`")?;
            let code = response.get("status_code").and_then(Value::as_u64).unwrap_or(200);
            match u16::try_from(code).ok().and_then(|code| StatusCode::from_u16(code).ok()) {
                Some(StatusCode::OK) => Ok(body.clone()),
                Some(code) => {
                    Err(status::failure(code, &HeaderMap::new(), &body.to_string(), "the batch"))
                }
                None => return Err(format!("{code} is not a `status_code`")),
            }
        }
        // The request may have been carried out or not; some engines repeat its status here.
        (response, Some(error)) => {
            let code = response.and_then(|it| it.get("status_code")?.as_u64());
            let code = code.and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok());
            let code = code.filter(|code| !code.is_success());
            let body = json!({ "error": error });
            Err(match (code, error.get("code").and_then(Value::as_str)) {
                (_, Some("batch_expired")) => expired(),
                (_, Some("batch_cancelled")) => cancelled(),
                (Some(code), _) => {
                    status::failure(code, &HeaderMap::new(), &body.to_string(), "the batch")
                }
                (None, _) => status::error_in_body(&body, "an error in the batch")
                    .unwrap_or_else(|| CallFailure::passing("an error in the batch")),
            })
        }
        (None, None) => return Err("it has neither a `response` nor an `error`".to_owned()),
    })
}

fn of_result(row: &Value) -> Result<Result<Value, CallFailure>, String> {
    let result = row.get("result").ok_or("it has no `result`")?;
    Ok(match result.get("type").and_then(Value::as_str) {
        Some("succeeded") => {
            Ok(result.get("message").ok_or("its `result` has no `message`")?.clone())
        }
        Some("expired") => Err(expired()),
        Some("canceled") => Err(cancelled()),
        Some("errored") => Err(result
            .get("error")
            .and_then(|error| {
                status::error_in_body(error, "an error in the batch").or_else(|| {
                    status::error_in_body(&json!({ "error": error }), "an error in the batch")
                })
            })
            .unwrap_or_else(|| CallFailure::passing("an error in the batch"))),
        _ => return Err("its `result` has no known `type`".to_owned()),
    })
}

fn expired() -> CallFailure {
    CallFailure::passing("the batch expired before this request was carried out")
}

/// The message of a request whose batch was cancelled.
pub fn cancelled() -> CallFailure {
    CallFailure::passing("the batch was cancelled before this request was carried out")
}

/// Why all of a batch was refused.
fn refusal(body: &Value) -> CallFailure {
    let errors = body.pointer("/errors/data").and_then(Value::as_array);
    let first = errors.and_then(|errors| errors.first());
    let field = |name: &str| first.and_then(|error| error.get(name)?.as_str());
    let kind = match field("code") {
        Some(code) if code.contains("limit") => FailureKind::Overloaded,
        Some("model_not_found" | "billing_hard_limit_reached") => FailureKind::Refused,
        _ => FailureKind::Permanent,
    };
    let line = first.and_then(|error| error.get("line")?.as_u64());
    let line = line.map(|line| format!(" (line {line} of its file)")).unwrap_or_default();
    let said = field("message").unwrap_or("no reason is given");
    CallFailure::new(kind, format!("the batch was refused: {said}{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [BatchForm; 2] = [BatchForm::OpenAi, BatchForm::Anthropic];

    #[test]
    fn names_fit_into_the_limits_of_the_providers() {
        let long = format!("{}/1/2/answer", "ein_sehr_langer_name_é→".repeat(9));
        for form in FORMS {
            for at in ["talk/3/7/answer", "talk/3/7/round1/judge/0/1/2/0", &long] {
                let id = form.custom_id("", at, "asked");
                let plain = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
                assert!((1..=64).contains(&id.len()), "{id}");
                assert!(id.chars().all(|it| plain(it) || form == BatchForm::OpenAi && it == '/'));
                assert_ne!(id, form.custom_id("", at, "another"));
                assert_ne!(id, form.custom_id("salt", at, "asked"));
            }
        }
        assert!(
            BatchForm::OpenAi.custom_id("", "talk/3/7/answer", "x").starts_with("talk/3/7/answer/")
        );
    }

    #[test]
    fn results_are_read() {
        use FailureKind::*;
        let kind = |form: BatchForm, row: Value| {
            form.result(&row.to_string()).unwrap().found.map_err(|failure| failure.kind)
        };
        let openai = |row: Value| kind(BatchForm::OpenAi, row);
        let body = json!({"choices": []});
        assert_eq!(
            openai(
                json!({"custom_id": "a", "response": {"status_code": 200, "body": body}, "error": null})
            ),
            Ok(body)
        );
        for (code, expected) in
            [(400, Permanent), (401, Refused), (429, Overloaded), (500, Passing)]
        {
            let response = json!({"status_code": code, "body": {"error": {"message": "no"}}});
            assert_eq!(openai(json!({"custom_id": "a", "response": response})), Err(expected));
        }
        let expired =
            json!({"custom_id": "a", "response": null, "error": {"code": "batch_expired"}});
        assert_eq!(openai(expired), Err(Passing));
        let anthropic =
            |result: Value| kind(BatchForm::Anthropic, json!({"custom_id": "a", "result": result}));
        let message = json!({"content": []});
        assert_eq!(anthropic(json!({"type": "succeeded", "message": message})), Ok(message));
        let error =
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}});
        assert_eq!(anthropic(json!({"type": "errored", "error": error})), Err(Permanent));
        let error = json!({"type": "overloaded_error", "message": "no"});
        assert_eq!(anthropic(json!({"type": "errored", "error": error})), Err(Overloaded));
        assert_eq!(anthropic(json!({"type": "expired"})), Err(Passing));
        for form in FORMS {
            for line in ["", "{", "{}", "[]", r#"{"custom_id": 3}"#, r#"{"custom_id": "a"}"#] {
                assert!(form.result(line).is_err(), "{line}");
            }
        }
    }

    #[test]
    fn batch_states() {
        let state = |body: Value| BatchForm::OpenAi.status(&body).map(|status| status.state);
        for running in ["validating", "in_progress", "finalizing", "cancelling", "queued"] {
            assert_eq!(state(json!({"id": "b", "status": running})), Ok(BatchState::Running));
        }
        for ended in ["completed", "expired"] {
            assert_eq!(state(json!({"id": "b", "status": ended})), Ok(BatchState::Ended));
        }
        assert_eq!(state(json!({"id": "b", "status": "cancelled"})), Ok(BatchState::Cancelled));
        let failed = json!({"id": "b", "status": "failed", "errors": {"data": [
            {"code": "token_limit_exceeded", "message": "too many tokens", "line": null}]}});
        let Ok(BatchState::Failed(failure)) = state(failed) else { panic!() };
        assert_eq!(failure.kind, FailureKind::Overloaded);
        assert_eq!(failure.message, "the batch was refused: too many tokens");
        assert!(state(json!({"id": "../x", "status": "completed"})).is_err());
        let body = json!({"id": "b", "processing_status": "ended", "cancel_initiated_at": null,
            "request_counts": {"processing": 1, "succeeded": 2, "errored": 1}});
        let status = BatchForm::Anthropic.status(&body).unwrap();
        assert_eq!((status.state, status.done, status.of), (BatchState::Ended, 3, 4));
        assert_eq!(status.outputs, ["/v1/messages/batches/b/results"]);
    }
}
