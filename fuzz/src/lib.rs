//! What is fuzzed: every place where bytes of others come in. Nothing panics, and what a reader
//! accepts keeps its promises.

use std::path::Path;

use ifs::Grader;
use ifs::diagnostic::Diagnostics;
use ifs::feed::{FeedSchema, READERS};
use ifs::inference::{Journal, JournalError};
use ifs::judge::reply::{self, ReplyFormat};
use ifs::plan::{analysis, build};
use ifs::predicate::value::Value;
use ifs::source::FileId;
use ifs::syntax::{format, parse as parse_program};
use ifs::template;
use ifs::world::MemoryWorld;

/// Deep programs are checked on a large stack, as the command line does.
const STACK: usize = 64 << 20;

/// The parser finds its way through everything, and what it accepts is formatted once for all.
pub fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    deep(move || {
        let mut found = Diagnostics::default();
        let ast = parse_program(FileId(0), &text, &mut found);
        for one in &found.list {
            let place = one.span().map(|span| span.range());
            assert!(place.is_none_or(|place| text.get(place).is_some()), "{one:?}");
        }
        if !found.list.is_empty() {
            return;
        }
        let once = format(&ast, &text);
        let mut again = Diagnostics::default();
        let ast = parse_program(FileId(0), &once, &mut again);
        assert!(again.list.is_empty(), "{once}\n{:?}", again.list);
        assert_eq!(format(&ast, &once), once, "formatted twice");
    });
}

/// The checker ends, whatever a program says; one without mistakes has a plan.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    deep(move || {
        let topics = "{\"name\": \"tides\", \"level\": 1}\n{\"name\": \"bread\", \"level\": 3}\n";
        let world = MemoryWorld::new([("main.ifs", text.as_str()), ("topics.jsonl", topics)]);
        if let Some(model) = ifs::model::check(&world, "main.ifs").model {
            let plan = build(model);
            analysis::check(&plan);
            assert_eq!(plan.hash(), plan.hash());
        }
    });
}

/// A row is graded or refused.
pub fn grade(bytes: &[u8]) {
    thread_local!(static GRADER: Grader = Grader::library());
    GRADER.with(|grader| {
        if let Ok(grade) = grader.row(bytes) {
            let missed = grade.constraints.iter().any(|one| one.strict == Some(false));
            assert!(!missed || grade.strict == Some(false), "{grade:?}");
        }
    });
}

/// A judge's reply has one finding for each question, or it cannot be read.
pub fn judge(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for questions in 1..4 {
        if let Ok(findings) = reply::parse_reply(&text, ReplyFormat::Checklist(questions), "k7") {
            assert_eq!(findings.len(), questions, "{findings:?}");
        }
    }
    if let Ok(findings) = reply::parse_reply(&text, ReplyFormat::Mark { low: 1, high: 5 }, "k7") {
        assert_eq!(findings.len(), 1, "{findings:?}");
    }
}

/// A journal with any damage is opened without what is damaged, or refused and left as it is. What
/// is opened once has the same answers the next time.
pub fn journal(bytes: &[u8]) {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let path = folder.path().join("journal");
    std::fs::write(&path, bytes).expect("a file in it");
    match open(&path) {
        Some(answers) => assert_eq!(open(&path), Some(answers), "opened again"),
        None => assert_eq!(std::fs::read(&path).expect("it is there"), bytes, "it was changed"),
    }
}

fn open(path: &Path) -> Option<u64> {
    let run = "ca385b9e1e2080866c8af039bfbb647c";
    loop {
        match Journal::open(path, run, |_| None) {
            Ok((_, opened)) => return Some(opened.answers),
            // A process that a test beside this one is starting has the lock, until it is a program.
            Err(JournalError::InUse(_)) => std::thread::yield_now(),
            Err(_) => return None,
        }
    }
}

/// Every reader of logs takes any file: as a table, or with what is wrong with it.
pub fn feed(bytes: &[u8]) {
    // A second file comes after a NUL.
    let mut files = bytes.splitn(2, |byte| *byte == 0);
    let (first, beside) = (files.next().unwrap_or_default(), files.next());
    _ = ifs::feed::detect_reader(first);
    for reader in READERS {
        let Ok(read) = reader.read("games/one.json", first, beside, &FeedSchema::default()) else {
            continue;
        };
        for table in &read.tables {
            _ = table.value();
            for period in &table.periods {
                _ = (table.plays(period).len(), table.line_score(period));
            }
        }
    }
}

/// A template is filled in or has a fault; its names are found either way.
pub fn template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    _ = template::names_in(&text);
    let fields = vec![
        ("n", Value::Int(3)),
        ("topic", Value::record([("name", Value::text("tides"))])),
        ("items", Value::List(["one", "", "three"].map(Value::text).into())),
    ];
    _ = template::render_once(&text, fields);
}

fn deep(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
