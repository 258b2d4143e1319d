//! Many dialogues with a server that fails one request in ten: all of them end, and every failure
//! is counted.

use std::collections::BTreeMap;

use super::server::{JSON, error, response};
use super::*;

/// One request in ten fails, each time with another transient error.
fn one_in_ten(asked: &Asked) -> Vec<Step> {
    if asked.number % 10 != 3 {
        return dutiful(asked);
    }
    // Invalid responses are rare: three for one request would end it.
    match asked.number / 10 % 30 {
        0 => response("200 OK", &[JSON], "{\"choices\": ["),
        1..=6 => error("429 Too Many Requests", &[("retry-after", "0")], "slower"),
        7..=12 => error("503 Service Unavailable", &[], "later"),
        13..=18 => vec![Step::Close],
        19..=24 => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{\"choi".to_vec()),
            Step::Close,
        ],
        _ => error("500 Internal Server Error", &[], "later"),
    }
}

/// The number before a text of the summary.
fn reported(ran: &Ran, what: &str) -> usize {
    let Some(at) = ran.all.find(what) else { return 0 };
    let number = ran.all[..at].trim_end().rsplit(|letter: char| !letter.is_ascii_digit()).next();
    number.unwrap().parse().unwrap()
}

fn counted(folder: &TempDir) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in records(folder) {
        let kind = record.as_object().unwrap().keys().next().unwrap().clone();
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

fn all_dialogues_end(dialogues: usize) {
    let server = Server::start(one_in_ten);
    let folder = scenario();
    let count = dialogues.to_string();
    let ran = run(&folder, &server, &count, &["--max-connections", "100"]).ends(0);
    let asked = server.log().len();
    let failed = (0..asked).filter(|number| number % 10 == 3).count();
    assert_eq!(asked, 4 * dialogues + failed, "each call is answered once");
    assert_eq!(reported(&ran, "requests answered"), 4 * dialogues);
    assert_eq!(reported(&ran, "attempts failed"), failed);
    assert_eq!(reported(&ran, "requests failed for good"), 0);
    let held = transcripts(&folder);
    assert_eq!(held.len(), dialogues);
    assert!(held.iter().all(|held| held["turns"].as_array().unwrap().len() == 4));
    assert_eq!(
        (&manifest(&folder)["complete"], &manifest(&folder)["failed"]),
        (&true.into(), &0.into())
    );
    // The attempts add up to all requests.
    let tries = |record: &Value| record["call"]["tries"].as_u64().unwrap_or(0) as usize;
    assert_eq!(records(&folder).iter().map(tries).sum::<usize>(), asked);
}

#[test]
fn three_hundred_dialogues_and_one_failure_in_ten() {
    all_dialogues_end(300);
}

#[test]
#[ignore = "some minutes; see `just failures`"]
fn ten_thousand_dialogues_and_one_failure_in_ten() {
    all_dialogues_end(10_000);
}

#[test]
fn permanent_failures_are_counted() {
    const DIALOGUES: usize = 200;
    let server = Server::start(one_in_ten);
    let folder = scenario();
    let more = ["--max-retries", "0", "--max-connections", "20"];
    let ran = run(&folder, &server, &DIALOGUES.to_string(), &more).ends(4);
    let asked = server.log().len();
    let failed = (0..asked).filter(|number| number % 10 == 3).count();
    assert!(failed > 20, "{failed}");
    // A failure ends its dialogue, and no other.
    assert_eq!(manifest(&folder)["failed"], failed);
    assert_eq!(reported(&ran, "requests failed for good"), failed);
    assert_eq!(counted(&folder)["failed"], failed);
    assert_eq!(counted(&folder)["call"], asked - failed);
    let broken = |held: &&Value| held["turns"].as_array().unwrap().len() < 4;
    assert_eq!(transcripts(&folder).iter().filter(broken).count(), failed);
    // Resuming requests only what is missing.
    resume(&folder, &server, &[]).ends(0);
    let asked = server.log().len();
    let failed = (0..asked).filter(|number| number % 10 == 3).count();
    assert_eq!(asked, 4 * DIALOGUES + failed, "no answer was asked for twice");
    assert_eq!(counted(&folder)["call"], 4 * DIALOGUES);
    assert_eq!(manifest(&folder)["failed"], 0);
}
