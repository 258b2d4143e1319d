//! Requests to an endpoint that are not for a response: files and batches.

use bytes::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::Value;
use tokio::time::timeout;

use super::{Connections, MAX_ERROR_CHARACTERS, MAX_RESPONSE_BYTES, parsed, status, timed_out};
use crate::provider::{CallFailure, Endpoint, FailureKind};

/// The longest line of results, in bytes: a response is at most 16 MB, and JSON writes a control
/// character with six.
const MAX_RESULT_LINE_BYTES: usize = 6 * MAX_RESPONSE_BYTES;

/// Such a request.
#[derive(Clone, Debug)]
pub enum ApiCall {
    Get(String),
    Post(String, String),
    /// A file of requests for a batch: its name and its lines.
    Upload(&'static str, String),
}

/// Between the parts of an upload; no row has it, since rows have no line that begins with `--`.
const BOUNDARY: &str = "ifs-rows-of-a-batch";

impl Endpoint {
    /// Sends such a request, and returns the JSON of the answer.
    ///
    /// # Errors
    /// Returns an infrastructure error.
    pub async fn api(
        &self,
        connections: &Connections,
        call: &ApiCall,
    ) -> Result<Value, CallFailure> {
        let whole = self.timeouts.whole;
        let done = timeout(whole, self.answered(connections, call)).await;
        let found = done.unwrap_or_else(|_| Err(timed_out("the complete response", whole)));
        found.map_err(|failure| self.without_secrets(failure, call))
    }

    /// Reads the lines of a file one by one.
    ///
    /// # Errors
    /// Returns an infrastructure error, or that of `each`.
    pub async fn api_lines(
        &self,
        connections: &Connections,
        path: &str,
        mut each: impl FnMut(&str) -> Result<(), CallFailure>,
    ) -> Result<(), CallFailure> {
        let call = ApiCall::Get(path.to_owned());
        let lines = self.lines(connections, &call, &mut each).await;
        lines.map_err(|failure| self.without_secrets(failure, &call))
    }

    async fn lines(
        &self,
        connections: &Connections,
        call: &ApiCall,
        each: &mut impl FnMut(&str) -> Result<(), CallFailure>,
    ) -> Result<(), CallFailure> {
        let (sender, head, mut incoming) = self.send_once(connections, call).await?;
        if head.status != StatusCode::OK {
            return Err(self.refusal(&head, &mut incoming).await?);
        }
        let mut bytes: Vec<u8> = Vec::new();
        let mut line = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| CallFailure::garbled("a line of results is not UTF-8"))?;
            if text.trim().is_empty() { Ok(()) } else { each(text) }
        };
        while let Some(piece) = self.piece(&mut incoming).await? {
            let mut rest = &piece[..];
            while let Some(end) = memchr::memchr(b'\n', rest) {
                bytes.extend_from_slice(&rest[..end]);
                line(&bytes)?;
                bytes.clear();
                rest = &rest[end + 1..];
            }
            bytes.extend_from_slice(rest);
            if bytes.len() > MAX_RESULT_LINE_BYTES {
                return Err(CallFailure::permanent(
                    "a line of results is longer than any response",
                ));
            }
        }
        line(&bytes)?;
        self.return_connection(connections, sender, &incoming);
        Ok(())
    }

    async fn answered(
        &self,
        connections: &Connections,
        call: &ApiCall,
    ) -> Result<Value, CallFailure> {
        let (sender, head, mut incoming) = self.send_once(connections, call).await?;
        if !head.status.is_success() {
            return Err(self.refusal(&head, &mut incoming).await?);
        }
        let text = self.read(&mut incoming, MAX_RESPONSE_BYTES, false).await?;
        self.return_connection(connections, sender, &incoming);
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let body = parsed(&text, kind.unwrap_or("nothing"))?;
        // A batch that was refused has its errors in a field of another name.
        match status::error_in_body(&body, "an error instead of a response") {
            Some(failure) => Err(failure),
            None => Ok(body),
        }
    }

    async fn send_once(
        &self,
        connections: &Connections,
        call: &ApiCall,
    ) -> Result<(super::Sender, super::Parts, super::Incoming), CallFailure> {
        let (before, query) = &self.around;
        let (method, path, body) = match call {
            ApiCall::Get(path) => (Method::GET, path.as_str(), String::new()),
            ApiCall::Post(path, body) => (Method::POST, path.as_str(), body.clone()),
            ApiCall::Upload(name, lines) => (Method::POST, "/files", multipart(name, lines)),
        };
        // A path may have its own parameters.
        let query = if path.contains('?') { query.replacen('?', "&", 1) } else { query.clone() };
        let path = format!("{before}{path}{query}");
        let mut request = self.request(method, &path, Bytes::from(body))?;
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        match call {
            ApiCall::Get(_) => {
                headers.remove(header::CONTENT_TYPE);
            }
            ApiCall::Post(..) => {}
            ApiCall::Upload(..) => {
                let kind =
                    HeaderValue::from_str(&format!("multipart/form-data; boundary={BOUNDARY}"));
                // The boundary has only letters and hyphens.
                let kind = kind.unwrap_or_else(|_| HeaderValue::from_static("multipart/form-data"));
                headers.insert(header::CONTENT_TYPE, kind);
            }
        }
        let (sender, response) = self.send(connections, request).await?;
        let (head, incoming) = response.into_parts();
        Ok((sender, head, incoming))
    }

    /// The same failure without secrets; one because there is no such address says so.
    fn without_secrets(&self, mut failure: CallFailure, call: &ApiCall) -> CallFailure {
        let path = match call {
            ApiCall::Get(path) | ApiCall::Post(path, _) => path,
            ApiCall::Upload(..) => "/files",
        };
        if failure.kind == FailureKind::Refused {
            let at = format!("{}{path}", self.around.0);
            failure.message = format!("{} (batches are at {at})", failure.message);
        }
        self.sanitize(&mut failure.message, 2 * MAX_ERROR_CHARACTERS);
        failure
    }
}

fn multipart(name: &str, lines: &str) -> String {
    format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         content-type: application/jsonl\r\n\r\n{lines}\r\n--{BOUNDARY}--\r\n"
    )
}
