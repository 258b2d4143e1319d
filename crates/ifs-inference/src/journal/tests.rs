use rand::RngExt as _;

use super::*;
use ifs_value::random::SplitMix64;

fn answer(at: &str, text: &str) -> JournalRecord<'static> {
    JournalRecord::Call(CallRecord {
        at: at.to_owned().into(),
        model: "openai/m".into(),
        asked: "question".into(),
        tries: 1,
        latency_ms: None,
        batch: false,
        spent: Usage { input: Some(10), output: Some(2), ..Usage::default() },
        reply: Cow::Owned(Reply::from_text(text.to_owned())),
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A journal of three answers and a failure, as bytes.
fn written(path: &Path) -> Vec<u8> {
    let journal = Journal::create(path, "run").unwrap();
    block_on(async {
        for (at, text) in [("a/0/1", "one\ntwo"), ("a/0/2", "é→𝄞"), ("a/1/1", "")] {
            journal.append(&answer(at, text)).await.unwrap();
        }
        let failed = FailedRecord {
            at: "a/1/2".into(),
            model: "openai/m".into(),
            tries: 9,
            kind: FailureKind::Passing,
            message: "500".into(),
        };
        journal.append(&JournalRecord::Failed(failed)).await.unwrap();
    });
    drop(journal);
    std::fs::read(path).unwrap()
}

#[test]
fn journals_truncated_at_any_byte_are_resumed() {
    let folder = tempfile::TempDir::new().unwrap();
    let whole = written(&folder.path().join("whole"));
    let ends: Vec<usize> =
        (0..whole.len()).filter(|at| whole[*at] == b'\n').map(|at| at + 1).collect();
    assert_eq!(ends.len(), 5);
    let path = folder.path().join("cut");
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let found = Journal::open(&path, "run", |_| None);
        // It has its name when its first record is written: without that it is not ours.
        if cut < ends[0] - 1 {
            assert!(found.is_err(), "cut at {cut}");
            assert_eq!(std::fs::read(&path).unwrap().len(), cut, "nothing is written to it");
            continue;
        }
        let (journal, opened) = found.unwrap();
        // A record that lacks only the end of its line is complete.
        let kept = ends.iter().filter(|end| **end - 1 <= cut).count();
        assert_eq!(opened.answers, kept.saturating_sub(1).min(3) as u64, "cut at {cut}");
        let from = ends.iter().rfind(|end| **end - 1 <= cut).map_or(0, |end| *end);
        assert_eq!(opened.torn, cut.saturating_sub(from) as u64, "cut at {cut}");
        if opened.torn > 0 {
            let kept = std::fs::read(folder.path().join("cut.torn")).unwrap();
            assert!(kept.ends_with(&whole[from..cut]), "cut at {cut}");
        }
        let found = journal.find("a/0/2").unwrap();
        assert_eq!(found.is_some(), kept > 2, "cut at {cut}");
        if let Some((asked, reply)) = found {
            assert_eq!((asked.as_str(), reply.text.as_str()), ("question", "é→𝄞"));
        }
        block_on(journal.append(&answer("b", "new"))).unwrap();
        drop(journal);
        let (journal, again) = Journal::open(&path, "run", |_| None).unwrap();
        assert_eq!((again.answers, again.torn), (opened.answers + 1, 0), "cut at {cut}");
        assert_eq!(journal.find("b").unwrap().unwrap().1.text, "new");
    }
}

/// Damage by copies, editors and file systems: every response is read, or none is lost.
#[test]
fn readable_journals_are_read_and_others_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("journal");
    let whole = written(&path);
    let text = String::from_utf8(whole.clone()).unwrap();
    let windows = text.replace('\n', "\r\n").into_bytes();
    let marked = [b"\xef\xbb\xbf", &whole[..]].concat();
    let zeros = [&whole[..], &[0; 4096]].concat();
    let blank = [&whole[..], b"\n \r\n"].concat();
    for (what, bytes, torn) in [
        ("windows", &windows, 0),
        ("marked", &marked, 0),
        ("zeros", &zeros, 4096),
        ("blank lines", &blank, 0),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let (journal, opened) = Journal::open(&path, "run", |_| None).unwrap();
        assert_eq!((opened.answers, opened.torn), (3, torn), "{what}");
        for (at, text) in [("a/0/1", "one\ntwo"), ("a/1/1", "")] {
            assert_eq!(journal.find(at).unwrap().unwrap().1.text, text, "{what}");
        }
        block_on(journal.append(&answer("b", "new"))).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, "run", |_| None).unwrap().1.answers, 4, "{what}");
    }
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let last = text.trim_end().rfind('\n').unwrap() + 30;
    let header = text.find('\n').unwrap() + 1;
    let second = text.split_inclusive('\n').nth(1).unwrap().as_bytes();
    let mut flipped = whole.clone();
    flipped[last] ^= 1;
    for (what, bytes, why) in [
        ("empty", Vec::new(), "is empty"),
        ("wide", [b"\xff\xfe", &wide[..]].concat(), "is UTF-16"),
        ("wide without a mark", wide, "is UTF-16"),
        ("big", [b"\xfe\xff", &big[..]].concat(), "is UTF-16"),
        ("nothing but zeros", vec![0; 512], "it consists of zero bytes"),
        (
            "zeros for its records",
            [&whole[..header], &[0; 4097]].concat(),
            "it consists of zero bytes",
        ),
        (
            "zeros within",
            [&whole[..last], &[0; 9], &whole[last..]].concat(),
            "it contains zero bytes",
        ),
        ("a record and more", [&whole[..whole.len() - 1], b"x"].concat(), "line 5, is damaged"),
        ("a last line of something else", [&whole[..], b"hello"].concat(), "line 6, is damaged"),
        ("a record twice", [&whole[..], second].concat(), "a second response to `a/0/1`"),
        ("old mac", text.replace('\n', "\r").into_bytes(), "carriage returns"),
        (
            "old mac but for the first",
            text.replacen('\n', "\u{1}", 1).replace('\n', "\r").replace('\u{1}', "\n").into_bytes(),
            "its lines end in carriage returns",
        ),
        ("the last record has changed", flipped, "line 5, is damaged"),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&path, "run", |_| None).err().unwrap().to_string();
        assert!(error.contains(why), "{what}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what}: nothing is written to it");
    }
}

/// No request is sent if the journal is gone.
#[cfg(unix)]
#[test]
fn deleted_or_moved_journals_refuse_records() {
    let folder = tempfile::TempDir::new().unwrap();
    for moved in [true, false] {
        let path = folder.path().join(format!("journal-{moved}"));
        let journal = Journal::create(&path, "run").unwrap();
        block_on(journal.append(&answer("a", "one"))).unwrap();
        match moved {
            true => std::fs::rename(&path, folder.path().join("elsewhere")).unwrap(),
            false => std::fs::remove_file(&path).unwrap(),
        }
        let why = block_on(journal.append(&answer("b", "two"))).unwrap_err();
        assert!(why.contains("was moved or deleted"), "{why}");
        assert!(block_on(journal.append(&answer("c", "three"))).is_err());
    }
}

/// A journal is never read or written through a link, and neither is what was torn off it.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let whole = written(&at("elsewhere"));
    symlink(at("elsewhere"), at("journal")).unwrap();
    let found = Journal::open(&at("journal"), "run", |_| None);
    assert!(matches!(found, Err(JournalError::Link(_))));
    assert!(Journal::create(&at("journal"), "run").is_err());
    assert_eq!(std::fs::read(at("elsewhere")).unwrap(), whole);
    std::fs::write(at("precious"), "precious").unwrap();
    symlink(at("precious"), at("torn.torn")).unwrap();
    for cut in [3, 5] {
        std::fs::write(at("torn"), &whole[..whole.len() - cut]).unwrap();
        let (_, opened) = Journal::open(&at("torn"), "run", |_| None).unwrap();
        assert_eq!(opened.torn_in, at("torn.torn"));
    }
    assert_eq!(std::fs::read_to_string(at("precious")).unwrap(), "precious");
    // Earlier incomplete records are kept too.
    let kept = std::fs::read(at("torn.torn")).unwrap();
    let last =
        &whole[whole.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').unwrap() + 1..];
    let parts = [&last[..last.len() - 3], b"\n", &last[..last.len() - 5]];
    assert_eq!(kept, parts.concat());
}

#[test]
fn damage_before_the_end_is_an_error() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("journal");
    let whole = written(&path);
    let third = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 40;
    for byte in [b'x', b'\n', 0xff] {
        let mut damaged = whole.clone();
        damaged[third] = byte;
        std::fs::write(&path, damaged).unwrap();
        let error = Journal::open(&path, "run", |_| None).err().unwrap();
        assert!(matches!(error, JournalError::Damaged { line: 3, .. }), "{error}");
    }
}

/// A journal of the form before records had numbers is gone on with.
#[test]
fn the_first_version_is_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("journal");
    let first = [&JournalRecord::Journal { version: 1, run: "run".into() }, &answer("a", "one")];
    std::fs::write(&path, first.map(|record| line(None, &json(record))).concat()).unwrap();
    let (journal, opened) = Journal::open(&path, "run", |_| None).unwrap();
    assert_eq!((opened.answers, opened.lost), (1, 0));
    block_on(journal.append(&answer("b", "two"))).unwrap();
    drop(journal);
    let (journal, opened) = Journal::open(&path, "run", |_| None).unwrap();
    assert_eq!((opened.answers, opened.lost, journal.response_count()), (2, 0, 2));
    assert!(std::fs::read_to_string(&path).unwrap().lines().last().unwrap().contains(" 2 {"));
}

#[test]
fn totals_count_everything_that_was_paid() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("journal");
    written(&path);
    let (_journal, opened) = Journal::open(&path, "run", |_| None).unwrap();
    let spent = opened.spent;
    assert_eq!((spent.calls, spent.input, spent.output), (3, 30, 6));
    assert_eq!(opened.failures, 1);
}

#[test]
fn another_run_and_another_process() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("journal");
    written(&path);
    assert!(matches!(Journal::open(&path, "other", |_| None), Err(JournalError::OtherRun(_))));
    let held = Journal::open(&path, "run", |_| None).unwrap();
    assert!(matches!(Journal::open(&path, "run", |_| None), Err(JournalError::InUse(_))));
    // If two start at the same time, one is first.
    assert!(matches!(Journal::create(&path, "run"), Err(JournalError::InUse(_))));
    drop(held);
    assert!(Journal::open(&path, "run", |_| None).is_ok());
}

/// The journal with some random damage.
fn damaged(whole: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let (one, other) = (random.random_range(..lines.len()), random.random_range(..lines.len()));
    let at = random.random_range(..bytes.len());
    let length = 1 + random.random_range(..200.min(bytes.len() - at));
    match random.random_range(..9u8) {
        0 | 1 => bytes[at] ^= 1 << random.random_range(..8u32),
        2 => bytes.truncate(at),
        3 => {
            bytes.truncate(at);
            bytes.resize(whole.len() + random.random_range(..5000usize), 0);
        }
        4 => bytes[at..at + length].fill(0),
        5 => drop(bytes.drain(at..at + length)),
        6 => {
            let part = bytes[at..at + length].to_vec();
            let to = random.random_range(..bytes.len());
            bytes.splice(to..to, part);
        }
        7 => {
            let mut lines = lines;
            lines.swap(one, other);
            bytes = lines.concat();
        }
        _ => {
            let mut lines = lines;
            lines.insert(other, lines[one]);
            bytes = lines.concat();
        }
    }
    // Some are damaged twice.
    if random.random_range(..4u8) == 0 && !bytes.is_empty() {
        let at = random.random_range(..bytes.len());
        bytes[at] = [b'\n', 0, b' ', b'"', 0xff][random.random_range(..5usize)];
    }
    bytes
}

/// A damaged journal is refused unchanged, or every readable response in it is found, and
/// removed bytes are kept next to it.
#[test]
fn damaged_archives_are_errors() {
    let folder = tempfile::TempDir::new().unwrap();
    let whole = written(&folder.path().join("whole"));
    let path = folder.path().join("journal");
    let beside = folder.path().join("journal.torn");
    let intact: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let texts = [("a/0/1", "one\ntwo"), ("a/0/2", "é→𝄞"), ("a/1/1", "")];
    let (mut random, mut refused, mut torn) = (SplitMix64::new(16), 0, 0);
    for round in 0..400 {
        let bytes = damaged(&whole, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let Ok((journal, opened)) = Journal::open(&path, "run", |_| None) else {
            refused += 1;
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "round {round}");
            continue;
        };
        let mut found = 0;
        for ((at, text), line) in texts.iter().zip(&intact[1..]) {
            let answer = journal.find(at).unwrap();
            let there = bytes.split_inclusive(|byte| *byte == b'\n').any(|have| have == *line);
            assert!(answer.is_some() || !there, "round {round}: {at} is there and not found");
            if let Some((asked, reply)) = answer {
                assert_eq!((asked.as_str(), reply.text.as_str()), ("question", *text));
                found += 1;
            }
        }
        assert_eq!((opened.answers, opened.spent.calls), (found, found), "round {round}");
        drop(journal);
        let kept = usize::try_from(opened.torn).unwrap();
        if kept > 0 {
            torn += 1;
            assert_eq!(std::fs::read(&beside).unwrap(), bytes[bytes.len() - kept..]);
            std::fs::remove_file(&beside).unwrap();
        }
        assert_eq!(Journal::open(&path, "run", |_| None).unwrap().1.torn, 0, "round {round}");
    }
    assert!(refused > 150 && torn > 20, "{refused} were refused, {torn} torn");
}
