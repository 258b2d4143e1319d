//! A server on 127.0.0.1 that responds, and misbehaves, as scripted. It logs all requests, and
//! those that it answered completely.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// From 0, over all connections.
    pub number: usize,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// `GET` or `POST`, and the body as it was sent.
    pub method: String,
    pub text: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The texts of the messages, which identify a request of a run.
    pub fn texts(&self) -> Vec<String> {
        let messages = ["messages", "contents"].iter().find_map(|name| self.body.get(*name));
        let text = |message: &Value| match message.get("parts").unwrap_or(&message["content"]) {
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part["text"].as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
            content => content.as_str().unwrap_or_default().to_owned(),
        };
        messages.and_then(Value::as_array).unwrap().iter().map(text).collect()
    }
}

/// The steps of the server for a request. The connection is kept if the
/// response has a length, and closed otherwise.
pub enum Step {
    Send(Vec<u8>),
    Sleep(Duration),
    /// Without sending anything.
    Close,
}

pub const CERTIFICATE: &str = include_str!("certificate.pem");

type Script = dyn Fn(&Asked) -> Vec<Step> + Send + Sync;

pub struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
    answered: Arc<Mutex<Vec<usize>>>,
    /// Open connections, and all that were ever accepted.
    open: Arc<AtomicUsize>,
    taken: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

/// Counts a connection until it is over.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(open: &Arc<AtomicUsize>) -> Open {
        open.fetch_add(1, Ordering::SeqCst);
        Open(open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Responses that wait until a test releases them.
#[derive(Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    pub fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn wait(&self) {
        while !self.0.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Server {
    pub fn start(script: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static) -> Server {
        Server::listen(script, None)
    }

    /// Encrypted, with a certificate that no system trusts.
    pub fn encrypted(script: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static) -> Server {
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        Server::listen(script, Some(Arc::new(config)))
    }

    fn listen(
        script: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static,
        config: Option<Arc<ServerConfig>>,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            log: Arc::default(),
            answered: Arc::default(),
            open: Arc::default(),
            taken: Arc::default(),
            over: Arc::default(),
        };
        let (log, answered) = (server.log.clone(), server.answered.clone());
        let (open, taken) = (server.open.clone(), server.taken.clone());
        let (over, script): (_, Arc<Script>) = (server.over.clone(), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (log, answered, script) = (log.clone(), answered.clone(), script.clone());
                let (config, connection) = (config.clone(), Open::new(&open));
                taken.fetch_add(1, Ordering::SeqCst);
                // A client that disconnects is not an error of the server.
                std::thread::spawn(move || {
                    let _connection = connection;
                    let stream = stream?;
                    stream.set_nodelay(true)?;
                    match config {
                        None => serve(stream, &log, &answered, &*script),
                        Some(config) => {
                            let session = ServerConnection::new(config).unwrap();
                            serve(StreamOwned::new(session, stream), &log, &answered, &*script)
                        }
                    }
                });
            }
        });
        server
    }

    /// Waits until every connection so far is closed: then a killed client sends nothing more.
    pub fn settle(&self) {
        // Connections are accepted in order: when this one is closed, no earlier one waits.
        let before = self.taken();
        drop(TcpStream::connect(self.address).unwrap());
        while self.taken() == before || self.open.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Waits for a number of requests, or until the client exits.
    pub fn until_asked(&self, requests: usize, client: &mut std::process::Child) {
        while self.log().len() < requests && client.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The base address of an API.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn log(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// The requests that were answered completely, with status 200.
    pub fn answered(&self) -> Vec<Asked> {
        let log = self.log();
        self.answered.lock().unwrap().iter().map(|at| log[*at].clone()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // The listener wakes up and sees it.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(
    stream: impl Read + Write,
    log: &Mutex<Vec<Asked>>,
    answered: &Mutex<Vec<usize>>,
    script: &Script,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = read(&mut reader)? {
        {
            let mut log = log.lock().unwrap();
            asked.number = log.len();
            log.push(asked.clone());
        }
        let mut sent = Vec::new();
        for step in script(&asked) {
            match step {
                Step::Send(bytes) => {
                    reader.get_mut().write_all(&bytes)?;
                    reader.get_mut().flush()?;
                    sent.extend(bytes);
                }
                Step::Sleep(time) => std::thread::sleep(time),
                Step::Close => return Ok(()),
            }
        }
        if sent.starts_with(b"HTTP/1.1 200") {
            answered.lock().unwrap().push(asked.number);
        }
        let head = sent.windows(16).any(|part| part.eq_ignore_ascii_case(b"content-length: "));
        let chunked = sent.ends_with(b"0\r\n\r\n");
        if !head && !chunked {
            return Ok(());
        }
    }
    Ok(())
}

fn read(reader: &mut BufReader<impl Read>) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().unwrap();
        }
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Asked { number: 0, path, headers, body, method, text }))
}

/// A response with a status, headers and a body.
pub fn response(status: &str, headers: &[(&str, &str)], body: &str) -> Vec<Step> {
    let mut text = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    vec![Step::Send(text.into_bytes())]
}

pub const JSON: (&str, &str) = ("content-type", "application/json");

/// A valid response of chat completions.
pub fn answer(text: &str) -> Vec<Step> {
    response("200 OK", &[JSON], &chat(text).to_string())
}

pub fn chat(text: &str) -> Value {
    json!({
        "model": "m-served",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    })
}

/// An error as APIs describe it.
pub fn error(status: &str, headers: &[(&str, &str)], message: &str) -> Vec<Step> {
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([JSON]).collect();
    response(status, &headers, &json!({"error": {"message": message}}).to_string())
}

/// Pieces of a stream of events, each in a chunk of its own.
pub fn stream(pieces: &[&[u8]], whole: bool) -> Vec<Step> {
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Send(head.to_vec())];
    for piece in pieces {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        steps.push(Step::Send(chunk));
        steps.push(Step::Sleep(Duration::from_millis(1)));
    }
    steps.push(if whole { Step::Send(b"0\r\n\r\n".to_vec()) } else { Step::Close });
    steps
}
