//! Requests over HTTP: a pool of connections, and one attempt of a request.

mod api;
pub(super) mod proxy;
mod refusal;
pub(super) mod status;
pub(super) mod tls;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::http::response::Parts;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::endpoint::{Endpoint, Host};
use super::wire::{Events, PartialReply};
use super::{CallFailure, Conversation, Reply};
pub use api::ApiCall;

/// The maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// The maximum number of bytes of an error that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The maximum number of characters of an endpoint's error message that are kept.
const MAX_ERROR_CHARACTERS: usize = 300;

const STREAM_ENDED_EARLY: &str = "the stream ended early";

const SYSTEM_ROLE_HELP: &str =
    " (`--system-as user` puts the system message into the first user message)";

type Sender = SendRequest<Full<Bytes>>;

/// The interval between two new connections of a thread. A server queues only a limited number of
/// them, often 128; if there are more, the system retries after a second.
const CONNECTION_INTERVAL: Duration = Duration::from_micros(250);

/// The open connections of one thread. Each carries one request at a time, so there are as many as
/// requests were ever in flight.
#[derive(Default)]
pub struct Connections {
    open: RefCell<Vec<(String, Vec<Sender>)>>,
    /// When the next new connection may be opened.
    next: Cell<Option<Instant>>,
}

impl Connections {
    fn take(&self, authority: &str) -> Option<Sender> {
        let mut open = self.open.borrow_mut();
        let (_, senders) = open.iter_mut().find(|(known, _)| known == authority)?;
        while let Some(sender) = senders.pop() {
            if !sender.is_closed() {
                return Some(sender);
            }
        }
        None
    }

    async fn wait_for_a_new_one(&self) {
        let now = Instant::now();
        let at = self.next.get().map_or(now, |next| next.max(now));
        self.next.set(Some(at + CONNECTION_INTERVAL));
        if at > now {
            sleep_until(at).await;
        }
    }

    fn return_sender(&self, authority: &str, sender: Sender) {
        let mut open = self.open.borrow_mut();
        match open.iter_mut().find(|(known, _)| known == authority) {
            Some((_, senders)) => senders.push(sender),
            None => open.push((authority.to_owned(), vec![sender])),
        }
    }
}

impl Endpoint {
    /// One attempt of a request; `plain` without structured output. Must run within the thread's
    /// tokio runtime.
    pub async fn ask(
        &self,
        connections: &Connections,
        conversation: &Conversation,
        plain: bool,
    ) -> Result<Reply, CallFailure> {
        let body = self.body(conversation, plain);
        let whole = self.timeouts.whole;
        let tried = timeout(whole, self.exchange(connections, body)).await;
        let found = tried.unwrap_or_else(|_| Err(timed_out("the complete response", whole)));
        self.finish_reply(found, !plain && conversation.shape().is_some())
    }

    /// A reply without secrets, with its text and its reasoning in their places.
    fn finish_reply(
        &self,
        found: Result<Reply, CallFailure>,
        is_shaped: bool,
    ) -> Result<Reply, CallFailure> {
        match found.and_then(Reply::complete) {
            Ok(mut reply) => {
                // Structured output may be returned as a tool call.
                if is_shaped && reply.text.is_empty() {
                    reply.text = std::mem::take(&mut reply.passed);
                    reply.called_tools &= reply.text.is_empty();
                }
                reply.passed.clear();
                if !self.parameters().raw_text {
                    reply.part_reasoning();
                }
                self.clean_reply(&mut reply);
                Ok(reply)
            }
            Err(mut failure) => {
                self.sanitize(&mut failure.message, 2 * MAX_ERROR_CHARACTERS);
                Err(failure)
            }
        }
    }

    /// The reply in the body of a response that came in a file.
    pub fn read_reply(
        &self,
        body: Result<Value, CallFailure>,
        is_shaped: bool,
    ) -> Result<Reply, CallFailure> {
        self.finish_reply(body.and_then(|body| self.reply(&body)), is_shaped)
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        match status::failure_in_response(body, "an error instead of a response") {
            Some(failure) => Err(failure),
            None => self.wire().reply(body),
        }
    }

    async fn exchange(
        &self,
        connections: &Connections,
        body: String,
    ) -> Result<Reply, CallFailure> {
        let request = self.request(Method::POST, &self.path, Bytes::from(body))?;
        let (sender, response) = self.send(connections, request).await?;
        let (head, mut incoming) = response.into_parts();
        tracing::Span::current().record("status", head.status.as_u16());
        if head.status != StatusCode::OK {
            let failure = self.refusal(&head, &mut incoming).await?;
            self.return_connection(connections, sender, &incoming);
            return Err(failure);
        }
        let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or("nothing").to_owned();
        let reply = if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            self.stream(&mut incoming).await?
        } else {
            let text = self.read(&mut incoming, MAX_RESPONSE_BYTES, false).await?;
            self.reply(&parsed(&text, &kind)?)?
        };
        self.return_connection(connections, sender, &incoming);
        Ok(reply)
    }

    /// The failure that a status other than 200 means.
    async fn refusal(
        &self,
        head: &Parts,
        incoming: &mut Incoming,
    ) -> Result<CallFailure, CallFailure> {
        let text = self.read(incoming, MAX_ERROR_BYTES, true).await?;
        let mut failure = status::failure(head.status, &head.headers, &text, &self.place.authority);
        self.sanitize(&mut failure.message, MAX_ERROR_CHARACTERS);
        match failure.kind {
            super::FailureKind::Refused => {
                failure.message.push_str(&self.probable_cause(head.status));
            }
            super::FailureKind::Permanent if names_system_role(&failure.message) => {
                failure.message.push_str(SYSTEM_ROLE_HELP);
            }
            _ => {}
        }
        Ok(failure)
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, CallFailure> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() =
            path.parse().map_err(|_| CallFailure::permanent(format!("`{path}` is not a path")))?;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }

    /// Makes one line of an error message, without secrets and control sequences. It is shortened
    /// last, so that no part of a secret is left.
    fn sanitize(&self, message: &mut String, most: usize) {
        self.clean(message);
        let words: Vec<&str> = message.split_whitespace().collect();
        *message = words.join(" ").chars().take(most).map(ifs_base::diagnostic::visible).collect();
    }

    /// The probable cause, when an endpoint refuses all requests.
    fn probable_cause(&self, status: StatusCode) -> String {
        match (status.as_u16(), self.has_key) {
            (400 | 401 | 403, true) => format!(" (the key is that of {})", self.key_variable),
            (401 | 403, false) => format!(" (no key was sent: {} is not set)", self.key_variable),
            (404 | 405 | 410, _) => format!(" (it was asked for at {})", self.address()),
            _ => String::new(),
        }
    }

    /// Keeps a connection whose response was read completely.
    fn return_connection(&self, connections: &Connections, sender: Sender, incoming: &Incoming) {
        if hyper::body::Body::is_end_stream(incoming) && !sender.is_closed() {
            connections.return_sender(&self.place.authority, sender);
        }
    }

    async fn send(
        &self,
        connections: &Connections,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Sender, Response<Incoming>), CallFailure> {
        while let Some(mut sender) = connections.take(&self.place.authority) {
            if sender.ready().await.is_err() {
                continue;
            }
            match self.first_byte(&mut sender, request).await? {
                Ok(response) => return Ok((sender, response)),
                // The server had closed the connection before it saw the request.
                Err(unsent) => request = unsent,
            }
        }
        let mut sender = self.connect(connections).await?;
        match self.first_byte(&mut sender, request).await? {
            Ok(response) => Ok((sender, response)),
            Err(_) => {
                Err(CallFailure::passing("the connection closed before the request was sent"))
            }
        }
    }

    /// The head of the response, or the request if it was never sent.
    async fn first_byte(
        &self,
        sender: &mut Sender,
        request: Request<Full<Bytes>>,
    ) -> Result<Result<Response<Incoming>, Request<Full<Bytes>>>, CallFailure> {
        let patience = self.timeouts.first_byte;
        match timeout(patience, sender.try_send_request(request)).await {
            Err(_) => Err(timed_out("the first byte of a response", patience)),
            Ok(Ok(response)) => Ok(Ok(response)),
            Ok(Err(mut error)) => match error.take_message() {
                Some(request) => Ok(Err(request)),
                None => Err(connection_lost(&error.into_error())),
            },
        }
    }

    async fn connect(&self, connections: &Connections) -> Result<Sender, CallFailure> {
        connections.wait_for_a_new_one().await;
        let patience = self.timeouts.connect;
        timeout(patience, connect(&self.place)).await.unwrap_or_else(|_| {
            Err(timed_out(&format!("a connection to {}", self.place.authority), patience))
        })
    }

    /// The complete body as text.
    async fn read(
        &self,
        incoming: &mut Incoming,
        most: usize,
        may_be_cut: bool,
    ) -> Result<String, CallFailure> {
        let mut bytes: Vec<u8> = Vec::new();
        let announced = hyper::body::Body::size_hint(incoming).exact().unwrap_or(0);
        if announced > most as u64 && !may_be_cut {
            return Err(too_large(most));
        }
        bytes.reserve(usize::try_from(announced).unwrap_or(0).min(most));
        while let Some(piece) = self.piece(incoming).await? {
            if bytes.len() + piece.len() > most {
                if may_be_cut {
                    break;
                }
                return Err(too_large(most));
            }
            bytes.extend_from_slice(&piece);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) if may_be_cut => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            Err(_) => Err(CallFailure::garbled("the response is not UTF-8")),
        }
    }

    async fn piece(&self, incoming: &mut Incoming) -> Result<Option<Bytes>, CallFailure> {
        let patience = self.timeouts.idle;
        match timeout(patience, incoming.frame()).await {
            Err(_) => Err(timed_out("the next chunk of a response", patience)),
            Ok(None) => Ok(None),
            Ok(Some(Err(error))) => Err(connection_lost(&error)),
            // Trailers contain nothing that is used.
            Ok(Some(Ok(frame))) => Ok(Some(frame.into_data().unwrap_or_default())),
        }
    }

    async fn stream(&self, incoming: &mut Incoming) -> Result<Reply, CallFailure> {
        let mut events = Events::default();
        let mut partial = PartialReply::default();
        let mut size = 0;
        while let Some(piece) = self.piece(incoming).await? {
            size += piece.len();
            if size > MAX_RESPONSE_BYTES {
                return Err(too_large(MAX_RESPONSE_BYTES));
            }
            for event in events.push(&piece)? {
                // Bytes after the end are not part of the response.
                if partial.over {
                    continue;
                }
                if event.is_error() {
                    return Err(status::failure_of_event(&event.data, STREAM_ENDED_EARLY));
                }
                if event.data.trim() == "[DONE]" {
                    (partial.done, partial.over) = (true, true);
                    continue;
                }
                let data: Value = serde_json::from_str(&event.data).map_err(|error| {
                    CallFailure::garbled(format!("an event of the stream is broken JSON: {error}"))
                })?;
                if let Some(failure) = status::failure_in_response(&data, STREAM_ENDED_EARLY) {
                    return Err(failure);
                }
                self.wire().event(&data, &mut partial)?;
            }
        }
        if events.is_cut() || !partial.done || partial.reply.stop.is_none() {
            return Err(CallFailure::passing(
                "the stream was cut before the response was complete",
            ));
        }
        Ok(partial.reply)
    }
}

/// The JSON of a response.
fn parsed(text: &str, kind: &str) -> Result<Value, CallFailure> {
    if text.trim().is_empty() {
        return Err(CallFailure::garbled("the response is empty"));
    }
    serde_json::from_str(text).map_err(|error| {
        let what = if kind.contains("json") { "broken JSON" } else { kind };
        CallFailure::garbled(format!("expected a JSON response, found {what}: {error}"))
    })
}

/// Whether an error message is about system messages.
fn names_system_role(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    [
        "system role",
        "system message",
        "system prompt",
        "role 'system'",
        "role \"system\"",
        "`system`",
    ]
    .iter()
    .any(|name| message.contains(name))
}

async fn connect(place: &Host) -> Result<Sender, CallFailure> {
    let to = &place.authority;
    let (way, host, port) = match &place.proxy {
        Some(proxy) => (format!("the proxy {}", proxy.authority), &proxy.host, proxy.port),
        None => (to.clone(), &place.host, place.port),
    };
    let stream = TcpStream::connect((host.as_str(), port))
        .await
        .map_err(|error| CallFailure::passing(format!("no connection to {way}: {error}")))?;
    // A request is sent in one piece, so there is nothing to delay.
    let _ = stream.set_nodelay(true);
    let failed =
        |error: hyper::Error| CallFailure::passing(format!("no connection to {to}: {error}"));
    // Connections end when their sender is dropped; their errors are reported to the request that
    // uses them.
    match &place.tls {
        None => {
            let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(failed)?;
            tokio::spawn(async move { drop(connection.await) });
            Ok(sender)
        }
        Some(config) => {
            let name = ServerName::try_from(place.host.clone()).map_err(|_| {
                CallFailure::permanent(format!("`{}` is not the name of a host", place.host))
            })?;
            let connector = TlsConnector::from(config.clone());
            let untrusted = |error: std::io::Error| unencrypted(to, &error);
            let sender = match &place.proxy {
                None => {
                    let stream = connector.connect(name, stream).await.map_err(untrusted)?;
                    let (sender, connection) =
                        handshake(TokioIo::new(stream)).await.map_err(failed)?;
                    tokio::spawn(async move { drop(connection.await) });
                    sender
                }
                Some(proxy) => {
                    let tunnel = proxy.tunnel(stream, (&place.host, place.port)).await?;
                    let stream = connector.connect(name, tunnel).await.map_err(untrusted)?;
                    let (sender, connection) =
                        handshake(TokioIo::new(stream)).await.map_err(failed)?;
                    tokio::spawn(async move { drop(connection.await) });
                    sender
                }
            };
            Ok(sender)
        }
    }
}

/// An untrusted certificate would also be refused by the next attempt.
fn unencrypted(to: &str, error: &std::io::Error) -> CallFailure {
    use tokio_rustls::rustls::Error;
    let message = format!("no encrypted connection to {to}: {error}");
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<Error>());
    match cause {
        Some(Error::InvalidCertificate(_)) => {
            CallFailure::new(super::FailureKind::Refused, message)
        }
        _ => CallFailure::passing(message),
    }
}

fn connection_lost(error: &hyper::Error) -> CallFailure {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    CallFailure::passing(format!("the connection was lost: {error}{}", cause.unwrap_or_default()))
}

fn timed_out(what: &str, patience: Duration) -> CallFailure {
    CallFailure::passing(format!("{what} did not arrive within {patience:?}"))
}

fn too_large(most: usize) -> CallFailure {
    CallFailure::permanent(format!("the response is larger than {} MiB", most >> 20))
}
