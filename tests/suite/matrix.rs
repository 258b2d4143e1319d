//! The table of statements, cell by cell: each statement, in each form of dialogue and at each
//! place, is either an error or has its effect. Effects are observed in the requests to a server on
//! 127.0.0.1, in the transcripts and in the scores; without the statement, the same scenario does
//! not show them.

mod examples;
mod prerequisites;
mod programs;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ifs::syntax::statement::{DialogueForm, Statement, StatementPlace, StatementRow, TABLE};
use ifs::world::MemoryWorld;
use serde_json::Value;
use tempfile::TempDir;

use crate::wire::server::{Server, answer, error};
use examples::{Example, example};
use programs::{Base, Program, program};

/// The results of a run of one dialogue.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The messages of each request to the model: role and text.
    pub asked: Vec<Vec<(String, String)>>,
    /// The texts of each request to the judge.
    pub judged: Vec<String>,
    /// The turns, with what each was judged on.
    pub turns: Vec<Value>,
    pub scores: Value,
    pub printed: String,
}

impl Seen {
    /// Whether a message of a role contains a text.
    pub fn says(&self, role: &str, text: &str) -> bool {
        self.asked.iter().flatten().any(|(of, said)| of == role && said.contains(text))
    }

    pub fn judge_reads(&self, text: &str) -> bool {
        self.judged.iter().any(|said| said.contains(text))
    }

    /// Whether the last message of the last request contains a text.
    pub fn says_at_last(&self, text: &str) -> bool {
        let last = self.asked.last().and_then(|messages| messages.last());
        last.is_some_and(|(_, said)| said.contains(text))
    }

    pub fn transcript(&self) -> String {
        Value::from(self.turns.clone()).to_string()
    }
}

/// The effects of a scenario, or its output if it does not run.
fn run(program: &Program) -> Result<Seen, String> {
    // It misses every rule of these scenarios; as a judge it says no. With this system message, nothing
    // fits into its context window.
    let server = Server::start(|asked| match asked.texts().concat().contains("SMALLWINDOW") {
        true => error("400 Bad Request", &[], "prompt is too long: 9 tokens > 8 maximum"),
        false => answer("No."),
    });
    let folder = TempDir::new().unwrap();
    for (name, text) in &program.files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(folder.path()).stdin(Stdio::null()).env("OPENAI_API_KEY", "k");
    command.env("OPENAI_BASE_URL", server.base());
    command.args(["run", "main.ifs", "-m", "openai/m", "--judge", "openai/judge", "-n", "1"]);
    command.args(["--judge-tries", "1", "--retry-wait", "1ms", "-j", "1", "--out", "out"]);
    command.args(program.variant.iter().flat_map(|name| ["--variant", name]));
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if !output.status.success() {
        return Err(printed);
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let mut seen = Seen { printed, ..Seen::default() };
    for asked in server.log() {
        let messages = asked.body["messages"].as_array().unwrap();
        let role = |message: &Value| message["role"].as_str().unwrap_or_default().to_owned();
        let of: Vec<(String, String)> = messages.iter().map(role).zip(asked.texts()).collect();
        match asked.body["model"].as_str() {
            Some("judge") => seen.judged.push(asked.texts().join("\n")),
            _ => seen.asked.push(of),
        }
    }
    for line in read("transcripts.jsonl").lines() {
        let transcript: Value = serde_json::from_str(line).unwrap();
        seen.turns.extend(transcript["turns"].as_array().into_iter().flatten().cloned());
    }
    seen.scores = serde_json::from_str(&read("scores.json")).unwrap();
    Ok(seen)
}

/// The errors of a program: code, message, and whether the statement is what it is about.
fn errors(program: &Program) -> Vec<(String, String, bool)> {
    let world = MemoryWorld::new(program.files.iter().map(|(name, text)| (*name, text.as_str())));
    let checked = ifs::model::check(&world, "main.ifs");
    let mut found: Vec<_> = checked.diagnostics.list;
    if let Some(model) = checked.model {
        found.extend(ifs::plan::analysis::check(&ifs::plan::build(model)));
    }
    let of = program.files.iter().find(|(name, _)| *name == "main.ifs").unwrap();
    let errors = found.iter().filter(|one| one.severity == ifs::diagnostic::Severity::Error);
    errors
        .map(|one| {
            let about = one.labels.iter().any(|label| {
                let text = of.1.get(label.span.range()).unwrap_or("");
                program.write.contains(text.lines().next().unwrap_or("").trim())
            });
            (one.code.name().to_owned(), one.message.clone(), about)
        })
        .collect()
}

/// A statement at a place of a form.
struct Cell {
    row: &'static StatementRow,
    base: Base,
    place: StatementPlace,
}

impl Cell {
    fn name(&self) -> String {
        format!("`{}` in {} ({:?})", self.row.form, self.place.noun(), self.base)
    }

    /// Whether the table allows it here.
    fn may(&self) -> bool {
        let form = match self.base {
            Base::Topics | Base::Mixed => DialogueForm::Topics,
            _ => DialogueForm::Written,
        };
        // A dialogue has one flow, of one kind; that of a variant is instead of the dialogue's.
        let second = self.place == StatementPlace::Dialogue;
        let acts = match self.row.statement {
            Statement::Topics => !(second && self.base == Base::Flow),
            Statement::Flow => !(second && form == DialogueForm::Topics),
            // The moves of a flow of topics are not given.
            Statement::Reply => self.base != Base::Topics,
            _ => self.row.acts.contains(&form),
        };
        self.row.times(self.place).is_some() && acts
    }

    /// The error, if there is one.
    fn wrong(&self, known: &Known) -> Option<String> {
        let example: Example = example(self.row.statement, self.place, self.base);
        if !self.may() {
            let with = program(self.base, self.place, &example.alone(), true);
            let found = errors(&with);
            let codes = match self.row.statement {
                Statement::Topics | Statement::Flow => &CODES[..],
                // Written turns need no `end`.
                Statement::Endless => &["misplaced-statement", "endless-flow"],
                _ => &CODES[..1],
            };
            return match &found[..] {
                [(code, ..)] if codes.contains(&code.as_str()) => None,
                [] => Some(format!("is accepted and may not be here\n{}", with.text())),
                found => Some(format!("{found:?}\n{}", with.text())),
            };
        }
        let with = program(self.base, self.place, &example, true);
        let without = program(self.base, self.place, &example, false);
        match (known.run(&with), known.run(&without)) {
            (Err(printed), _) => Some(format!("{printed}\n{}", with.text())),
            (_, Err(printed)) => Some(format!("without it: {printed}\n{}", without.text())),
            (Ok(seen), _) if !(example.seen)(&seen) => {
                Some(format!("has no effect\n{}", with.text()))
            }
            (_, Ok(seen)) => (example.seen)(&seen)
                .then(|| format!("shows its effect without being there\n{}", without.text())),
        }
    }
}

/// The kind of error for a misplaced statement; there is only one for flows.
const CODES: [&str; 2] = ["misplaced-statement", "duplicate-statement"];

/// The outcomes of scenarios, each run once.
#[derive(Default)]
struct Known(Mutex<BTreeMap<String, Result<Seen, String>>>);

impl Known {
    fn run(&self, program: &Program) -> Result<Seen, String> {
        let text = format!("{:?}{}", program.variant, program.text());
        if let Some(seen) = self.0.lock().unwrap().get(&text) {
            return seen.clone();
        }
        let seen = run(program);
        self.0.lock().unwrap().insert(text, seen.clone());
        seen
    }
}

#[test]
fn every_cell_acts_or_is_an_error() {
    let bases = [Base::Topics, Base::Flow, Base::Written, Base::Loop, Base::Branch, Base::Mixed];
    let mut cells = Vec::new();
    for row in TABLE {
        for base in bases {
            for place in StatementPlace::ALL.into_iter().filter(|place| base.has(*place)) {
                // The records of a dialogue are named in its head.
                if row.statement != Statement::Records || place == StatementPlace::Dialogue {
                    cells.push(Cell { row, base, place });
                }
            }
        }
    }
    let (next, known) = (AtomicUsize::new(0), Known::default());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problem = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        cell.wrong(&known)
                    }));
                    let problem = problem.unwrap_or_else(|_| Some("does not run".to_owned()));
                    let reported = problem.map(|problem| format!("{}: {problem}", cell.name()));
                    wrong.lock().unwrap().extend(reported);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    let acting = cells.iter().filter(|cell| cell.may()).count();
    assert!(acting > 100 && cells.len() > 2 * acting, "{acting} of {}", cells.len());
    assert!(wrong.is_empty(), "{} of {}:\n\n{}", wrong.len(), cells.len(), wrong.join("\n\n"));
}
