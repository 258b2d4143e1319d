//! `ifs view`

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::report::html;
use super::requests::cancel_on_interrupt;
use super::score;
use ifs_report::live_page;

/// Serve the HTML report of a run on this computer, also during the run.
///
/// The page has the dialogues that have ended, and is loaded again as more end. Only programs on
/// this computer can read it, and only the report is served: no address leads to a file. Ctrl-C
/// ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs view runs/gpt-4o
  ifs view runs/gpt-4o runs/claude --port 8080     several runs on one page")]
pub(crate) struct Args {
    /// The folder of a run, or of several
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Port to listen on; a free one by default
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// The longest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// How long a request, and the response to it, may take.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// The most open connections that have not sent a request yet.
const MAX_IDLE_CONNECTIONS: usize = 64;

/// How often it looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let cancel = cancel_on_interrupt();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| {
        CommandError::infrastructure(format!("port {} of 127.0.0.1: {error}", args.port))
            .help("without `--port` a free one is chosen")
    })?;
    let address = listener.local_addr()?;
    let mut pages = Pages { runs: args.runs, made: None };
    // A folder that is not of a run is an error now, not a page later.
    pages.page(output)?;
    output.line(&format!("http://{address}/"));
    output.note("Ctrl-C ends it");
    output.flush();
    let (send, receive) = mpsc::channel();
    std::thread::Builder::new()
        .name("view".to_owned())
        .spawn(move || accept(&listener, address, &send))?;
    while !cancel.is_cancelled() {
        match receive.recv_timeout(POLL_INTERVAL) {
            Ok((stream, asked)) => pages.respond(stream, asked, output),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CommandError::infrastructure(format!(
                    "{address}: it takes no connections"
                )));
            }
        }
    }
    Ok(Exit::Good)
}

/// The target of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Page,
    State,
}

/// A request without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ViewRequest {
    /// Or the status that says why it is refused.
    asked: Result<Asked, &'static str>,
    /// Without the body of the response.
    is_head: bool,
}

/// Reads requests, each on a thread of its own, because browsers open connections that they do not
/// use.
fn accept(
    listener: &TcpListener,
    address: SocketAddr,
    send: &mpsc::Sender<(TcpStream, ViewRequest)>,
) {
    let waiting = Arc::new(IdleConnections::default());
    for stream in listener.incoming().filter_map(Result::ok) {
        let Some(number) = waiting.add(&stream) else { continue };
        let (send, of) = (send.clone(), Arc::clone(&waiting));
        let read = move || {
            let request = read(stream, address);
            of.remove(number);
            if let Some(request) = request {
                let _ = send.send(request);
            }
        };
        if std::thread::Builder::new().spawn(read).is_err() {
            waiting.remove(number);
        }
    }
}

/// Connections that have not sent a request yet, the oldest first. If there are too many, the oldest
/// is closed: whoever sends a request does so at once, and nobody keeps others out by sending none.
#[derive(Default)]
struct IdleConnections(Mutex<(u64, VecDeque<(u64, TcpStream)>)>);

impl IdleConnections {
    /// Adds a connection, and returns its number.
    fn add(&self, stream: &TcpStream) -> Option<u64> {
        let stream = stream.try_clone().ok()?;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, open) = &mut *state;
        *last += 1;
        open.push_back((*last, stream));
        if open.len() > MAX_IDLE_CONNECTIONS
            && let Some((_, oldest)) = open.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        Some(*last)
    }

    fn remove(&self, number: u64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.retain(|(other, _)| *other != number);
    }
}

/// `None` if the connection is closed before there is a request.
#[expect(clippy::disallowed_methods, reason = "a request has a time to be sent in")]
fn read(mut stream: TcpStream, address: SocketAddr) -> Option<(TcpStream, ViewRequest)> {
    stream.set_write_timeout(Some(IO_TIMEOUT)).ok()?;
    let (mut head, mut bytes) = (Vec::new(), [0; 1024]);
    let begun = Instant::now();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        // For the complete head: a byte now and then is not a request.
        let left = IO_TIMEOUT.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
        let read = stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&bytes[..read]);
        // Read further, so that the sender reads why it is refused.
        if head.len() > 4 * MAX_HEAD_BYTES {
            return None;
        }
    }
    let request = match head.len() > MAX_HEAD_BYTES {
        true => ViewRequest { asked: Err("431 Request Header Fields Too Large"), is_head: false },
        false => request(&String::from_utf8_lossy(&head), address),
    };
    Some((stream, request))
}

/// The target of a request's head. Only requests to this address are answered: a page from
/// elsewhere whose name was made to lead here has its own name in `Host`.
fn request(head: &str, address: SocketAddr) -> ViewRequest {
    let mut lines = head.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, path, "HTTP/1.1" | "HTTP/1.0"] = first[..] else {
        return ViewRequest { asked: Err("400 Bad Request"), is_head: false };
    };
    let is_head = method == "HEAD";
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let all = |name: &str| -> Vec<&str> {
        let named = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.trim()).collect()
    };
    let own = [address.to_string(), format!("localhost:{}", address.port())];
    let is_own = matches!(all("host")[..], [host] if own.iter().any(|own| own == host));
    // What other pages load, with or without their reader's knowledge.
    let is_elsewhere = |site: &&str| !matches!(*site, "same-origin" | "none");
    let asked = match path {
        _ if !is_own => Err("421 Misdirected Request"),
        _ if all("sec-fetch-site").iter().any(is_elsewhere) => Err("403 Forbidden"),
        _ if method != "GET" && !is_head => Err("405 Method Not Allowed"),
        "/" => Ok(Asked::Page),
        "/state" => Ok(Asked::State),
        _ => Err("404 Not Found"),
    };
    ViewRequest { asked, is_head }
}

/// The report, made again when the runs have changed.
struct Pages {
    runs: Vec<PathBuf>,
    made: Option<(String, String)>,
}

impl Pages {
    fn respond(&mut self, mut stream: TcpStream, request: ViewRequest, output: &mut Output) {
        let (status, kind, body) = match request.asked {
            Err(status) => (status, "text/plain", format!("{status}\n")),
            Ok(Asked::State) => ("200 OK", "text/plain", self.state()),
            Ok(Asked::Page) => match self.page(output) {
                Ok(page) => ("200 OK", "text/html", page.to_owned()),
                // The run may be writing its files.
                Err(problem) => {
                    ("503 Service Unavailable", "text/plain", format!("{}\n", problem.message))
                }
            },
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}; charset=utf-8\r\ncontent-length: {}\r\n\
             cache-control: no-store\r\nx-content-type-options: nosniff\r\nx-frame-options: DENY\r\n\
             referrer-policy: no-referrer\r\ncross-origin-resource-policy: same-origin\r\n\
             connection: close\r\n\r\n",
            body.len()
        );
        let body = if request.is_head { "" } else { body.as_str() };
        // The reader may be gone.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let _ = stream.shutdown(Shutdown::Write);
    }

    /// The page of the runs in their current state.
    fn page(&mut self, output: &mut Output) -> Result<&str, CommandError> {
        let state = self.state();
        self.runs.iter().try_for_each(|run| own_files(run))?;
        if self.made.as_ref().is_none_or(|(of, _)| *of != state) {
            let page = html(&self.runs, None, &score::RescoreOptions::default(), output)?;
            self.made = Some((state.clone(), live_page(&page, &state)));
        }
        Ok(self.made.as_ref().map_or("", |(_, page)| page))
    }

    /// A name for what the runs have recorded so far.
    fn state(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let files = ["run.json", "transcripts.jsonl", "transcripts.jsonl.part"];
        for path in self.runs.iter().flat_map(|run| files.map(|name| run.join(name))) {
            let facts = std::fs::metadata(path).ok();
            let length = facts.as_ref().map_or(u64::MAX, std::fs::Metadata::len);
            let changed = facts.and_then(|facts| facts.modified().ok());
            let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            hasher.update(&length.to_le_bytes());
            hasher.update(&changed.map_or(0, |at| at.as_nanos()).to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// Refuses a run whose files are links: they could lead to another folder.
fn own_files(run: &Path) -> Result<(), CommandError> {
    let pictures = std::fs::read_dir(run.join("pictures")).into_iter().flatten().flatten();
    let names = ["run.json", "plan.json", "transcripts.jsonl", "transcripts.jsonl.part"];
    let own = names.into_iter().chain(["journal", "pictures"]).map(|name| run.join(name));
    for path in own.chain(pictures.map(|entry| entry.path())) {
        if std::fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_symlink()) {
            return Err(CommandError::input(format!(
                "`{}` is a link, and a run has files of its own",
                path.display()
            )));
        }
    }
    Ok(())
}
