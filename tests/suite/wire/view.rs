//! `ifs view` over real HTTP: the report while a run goes on, and nothing else.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use super::server::Gate;
use super::*;

/// A server that is ended with the test.
struct View {
    child: Child,
    address: String,
}

impl View {
    fn start(folder: &TempDir, server: &Server, runs: &[&str]) -> View {
        let mut command = command(folder.path(), server, &[&["view"][..], runs].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|it| it.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("no address: {line:?}")).to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        View { child, address }
    }

    /// The response to a request as it is sent.
    fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// The status and the body.
    fn get(&self, path: &str) -> (String, String) {
        let host = &self.address;
        let text = self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
    }

    #[track_caller]
    fn refuses(&self, request: &str, status: &str) {
        let text = self.raw(request);
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {text}");
        assert!(!text.contains("Why ") && !text.contains("<html"), "{request:?}: {text}");
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn running_runs_are_shown() {
    let gate = Gate::default();
    let held = gate.clone();
    // Two dialogues of four turns are answered at once, the third waits.
    let server = Server::start(move |asked| {
        if asked.number >= 8 {
            held.wait();
        }
        dutiful(asked)
    });
    let folder = scenario();
    let args = run_args("openai/m", "3", &["--max-connections", "1"]);
    let mut running = command(folder.path(), &server, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let draft = folder.path().join("out/transcripts.jsonl.part");
    let lines = || std::fs::read_to_string(&draft).unwrap_or_default().lines().count();
    while lines() < 2 {
        std::thread::yield_now();
        assert!(running.try_wait().unwrap().is_none(), "the run is over");
    }
    let view = View::start(&folder, &server, &["out"]);
    let (status, before) = view.get("/");
    assert_eq!(status, "200");
    assert!(before.contains("2 dialogues") && before.contains("missing"), "{before}");
    let state = view.get("/state");
    assert!(before.contains(&format!("data-state=\"{}\"", state.1)) && state.0 == "200");
    assert!(before.contains("connect-src 'self'") && before.contains("location.reload"));
    gate.open();
    assert!(running.wait().unwrap().success());
    let (_, after) = view.get("/");
    assert!(after.contains("3 dialogues") && !after.contains("INCOMPLETE"), "{after}");
    assert_ne!(view.get("/state").1, state.1);
}

#[test]
fn view_serves_only_the_report() {
    let server = Server::start(dutiful);
    let folder = scenario();
    run(&folder, &server, "2", &[]).ends(0);
    std::fs::write(folder.path().join("secret.txt"), "Why is this secret?").unwrap();
    let view = View::start(&folder, &server, &["out"]);
    let host = view.address.clone();
    let port = host.split(':').next_back().unwrap().to_owned();
    let paths = [
        "/run.json",
        "/journal",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "//secret.txt",
        "/..\\secret.txt",
        "/out",
        "/state/../run.json",
        "/?file=../secret.txt",
        "http://127.0.0.1/run.json",
        "/\0",
    ];
    for path in paths {
        view.refuses(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "404");
    }
    // A name that was made to lead here, no name, and two.
    for host in [
        "Host: evil.example\r\n".to_owned(),
        format!("Host: evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: {host}\r\nHost: evil.example\r\n"),
        format!("Host: {host}.evil.example\r\n"),
        String::new(),
    ] {
        view.refuses(&format!("GET / HTTP/1.1\r\n{host}\r\n"), "421");
    }
    view.refuses(
        &format!("GET / HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: cross-site\r\n\r\n"),
        "403",
    );
    view.refuses(&format!("POST / HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405");
    view.refuses("nonsense\r\n\r\n", "400");
    view.refuses(
        &format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "x".repeat(20_000)),
        "431",
    );
    let local = view.raw(&format!("HEAD / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert!(local.starts_with("HTTP/1.1 200 OK") && local.ends_with("\r\n\r\n"), "{local}");
    for header in ["cache-control: no-store", "x-frame-options: DENY", "nosniff"] {
        assert!(local.contains(header), "{local}");
    }
    // An idle connection blocks no one.
    let _idle = TcpStream::connect(&host).unwrap();
    assert_eq!(view.get("/").0, "200");
}

/// Whoever sends a request is answered, however many others send only the beginning of one.
#[test]
fn half_sent_heads_lock_nobody_out() {
    let (server, folder) = (Server::start(dutiful), scenario());
    run(&folder, &server, "1", &[]).ends(0);
    let view = View::start(&folder, &server, &["out"]);
    let mut half: Vec<TcpStream> = Vec::new();
    for round in 0..3 {
        for _ in 0..100 {
            let mut stream = TcpStream::connect(&view.address).unwrap();
            // Closed ones may refuse it.
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
            half.push(stream);
        }
        let begun = std::time::Instant::now();
        assert_eq!(view.get("/state").0, "200", "round {round}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "round {round}");
        // A byte now and then keeps no place.
        for stream in &mut half {
            let _ = stream.write_all(b"1");
        }
    }
    assert_eq!(view.get("/").0, "200");
}

#[cfg(unix)]
#[test]
fn view_follows_no_links_and_stops_on_interrupt() {
    let server = Server::start(dutiful);
    let folder = scenario();
    run(&folder, &server, "1", &[]).ends(0);
    let mut view = View::start(&folder, &server, &["out"]);
    let path = folder.path().join("out/transcripts.jsonl");
    let other = folder.path().join("other.jsonl");
    std::fs::rename(&path, &other).unwrap();
    std::os::unix::fs::symlink(&other, &path).unwrap();
    let (status, body) = view.get("/");
    assert!(status == "503" && body.contains("is a link") && !body.contains("Why "), "{body}");
    send("-INT", &view.child);
    assert_eq!(view.child.wait().unwrap().code(), Some(0));
    let refused = command(folder.path(), &server, &["view", "out"]).output().unwrap();
    Ran::of(refused).ends(3).says("is a link");
    let nowhere = command(folder.path(), &server, &["view", "nowhere"]).output().unwrap();
    Ran::of(nowhere).ends(3).says("is not a run folder");
}
