//! The log of requests that `-v` and `-vv` write.

use super::server::error;
use super::*;

/// The server refuses the first request with a transient error.
fn busy_at_first() -> Server {
    first_is(|| error("429 Too Many Requests", &[], "slow down"))
}

fn lines<'r>(ran: &'r Ran, with: &str) -> Vec<&'r str> {
    ran.all.lines().filter(|line| line.contains(with)).collect()
}

#[test]
fn one_line_for_each_attempt() {
    let (server, folder) = (busy_at_first(), scenario());
    let ran = run(&folder, &server, "2", &["-v"]).ends(0);
    let attempts = lines(&ran, "attempt{number=");
    assert_eq!(attempts.len(), server.log().len(), "{}", ran.all);
    let failed = lines(&ran, "WARN");
    assert_eq!(failed.len(), 1, "{}", ran.all);
    for part in ["model=\"openai/m\"", "number=1 status=429", "429 Too Many Requests: slow down"] {
        assert!(failed[0].contains(part), "{}", failed[0]);
    }
    let answered = lines(&ran, "status=200}: response latency_ms=");
    assert_eq!(answered.len(), server.answered().len());
    assert_eq!(lines(&ran, "number=2 status=200").len(), 1);
    // Every request is named by its place in the run, which is that of the journal.
    for record in records(&folder).iter().filter(|record| record["at"].is_string()) {
        assert_eq!(lines(&ran, &format!("at={} ", record["at"])).len() as u64, {
            record["tries"].as_u64().unwrap()
        });
    }
    assert_eq!(lines(&ran, "waiting").len(), 0, "waits are for -vv");
}

#[test]
fn waits_and_cache_hits_with_two() {
    let (server, folder) = (busy_at_first(), scenario());
    let cached = ["-vv", "--cache", "kept", "--rpm", "60000"];
    let ran = run(&folder, &server, "1", &cached).ends(0);
    assert_eq!(lines(&ran, "waiting before the next attempt wait_ms=").len(), 1, "{}", ran.all);
    std::fs::remove_dir_all(folder.path().join("out")).unwrap();
    let asked = server.log().len();
    let ran = run(&folder, &server, "1", &cached).ends(0);
    assert_eq!(lines(&ran, "DEBUG request{").len(), 4, "{}", ran.all);
    assert_eq!(lines(&ran, "response from the cache").len(), 4, "{}", ran.all);
    assert_eq!((server.log().len(), lines(&ran, "attempt").len()), (asked, 0));
}

#[test]
fn a_rate_limit_is_a_wait() {
    let (server, folder) = (Server::start(dutiful), scenario());
    // One request at once, then one every 20 ms.
    let ran = run(&folder, &server, "26", &["-vv", "--rpm", "3000"]).ends(0);
    assert!(!lines(&ran, "waiting for the rate limit wait_ms=").is_empty(), "{}", ran.all);
}

#[test]
fn no_log_without_verbose() {
    let (server, folder) = (busy_at_first(), scenario());
    let ran = run(&folder, &server, "1", &[]).ends(0);
    assert_eq!(lines(&ran, "attempt{").len() + lines(&ran, "request{").len(), 0, "{}", ran.all);
}

/// The log has no control characters from a server, and is not part of the output.
#[test]
fn on_standard_error_and_visible() {
    let server = first_is(|| error("503 Service Unavailable", &[], "late\u{1b}[31m\r\u{202e}red"));
    let folder = scenario();
    let args = run_args("openai/m", "1", &["-v", "--format", "json"]);
    let output = command(folder.path(), &server, &args).output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("503 Service Unavailable: late"), "{log}");
    assert!(!log.contains(['\u{1b}', '\r', '\u{202e}']), "{log}");
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(!out.contains("attempt{"), "{out}");
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
}
