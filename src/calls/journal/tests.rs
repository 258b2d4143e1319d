use super::*;

fn answer(at: &str, text: &str) -> Record<'static> {
    Record::Call(CallRecord {
        at: at.to_owned().into(),
        model: "openai/m".into(),
        asked: "question".into(),
        tries: 1,
        spent: Usage { input: Some(10), output: Some(2), ..Usage::default() },
        reply: Cow::Owned(Reply::of(text.to_owned())),
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
        journal.append(&Record::Failed(failed)).await.unwrap();
    });
    drop(journal);
    std::fs::read(path).unwrap()
}

#[test]
fn a_journal_cut_at_any_byte_goes_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let whole = written(&folder.path().join("whole"));
    let ends: Vec<usize> =
        (0..whole.len()).filter(|at| whole[*at] == b'\n').map(|at| at + 1).collect();
    assert_eq!(ends.len(), 5);
    let path = folder.path().join("cut");
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (journal, opened) = Journal::open(&path, "run", |_| None).unwrap();
        let kept = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(opened.answers, kept.saturating_sub(1).min(3) as u64, "cut at {cut}");
        let from = ends.iter().rfind(|end| **end <= cut).map_or(0, |end| *end);
        assert_eq!(opened.torn, (cut - from) as u64, "cut at {cut}");
        let found = journal.find("a/0/2").unwrap();
        assert_eq!(found.is_some(), kept > 2, "cut at {cut}");
        if let Some((asked, reply)) = found {
            assert_eq!((asked.as_str(), reply.text.as_str()), ("question", "é→𝄞"));
        }
        // It goes on where it was cut.
        block_on(journal.append(&answer("b", "new"))).unwrap();
        drop(journal);
        let (journal, again) = Journal::open(&path, "run", |_| None).unwrap();
        assert_eq!((again.answers, again.torn), (opened.answers + 1, 0), "cut at {cut}");
        assert_eq!(journal.find("b").unwrap().unwrap().1.text, "new");
    }
}

#[test]
fn damage_before_the_end_is_not_passed_over() {
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
    drop(held);
    assert!(Journal::open(&path, "run", |_| None).is_ok());
}
