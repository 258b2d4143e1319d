//! Runs a benchmark with a model of one's own, and holds one dialogue by hand.
//!
//! `cargo run --example own_model -- scenarios/support runs/mine`

use std::path::Path;

use ifs::{Benchmark, Error, Finished, Model, ModelHandle, Request, Respond};

/// Answers in one sentence. Yours sends `request.messages` to an agent or a network.
struct Terse;

impl Model for Terse {
    fn name(&self) -> &str {
        "own/terse"
    }

    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
        Box::pin(async move {
            let turns = request.messages.len().div_ceil(2);
            Ok(format!("This is my answer to your message number {turns}.").into())
        })
    }
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "scenarios/support".to_owned());
    let folder = args.next().unwrap_or_else(|| "runs/terse".to_owned());
    let finished = run(Path::new(&path), Path::new(&folder))?;
    println!("{}", finished.scorecard());
    print!("{}", held(Path::new(&path))?);
    Ok(())
}

/// A run with a folder, which `ifs report` reads and `Run::resume` continues.
pub fn run(path: &Path, folder: &Path) -> Result<Finished, Error> {
    let benchmark = Benchmark::open(path)?;
    let name = benchmark.dialogues().next().unwrap_or_default().to_owned();
    let run = benchmark.dialogue(&name)?.run(ModelHandle::own(Terse)).dialogues(4).folder(folder);
    run.start_with(|progress| eprint!("\r{} of {}", progress.done, progress.of))
}

/// One dialogue without network, files or a runtime: the session says what to ask.
pub fn held(path: &Path) -> Result<String, Error> {
    let benchmark = Benchmark::open(path)?;
    let name = benchmark.dialogues().next().unwrap_or_default().to_owned();
    let mut session = benchmark.dialogue(&name)?.session(1, 0);
    let mut text = String::new();
    while let Some(ask) = session.next()? {
        text.push_str(&format!("turn {}\n", ask.turn.number));
        for verdict in session.answer("A short answer.")? {
            text.push_str(&format!("  {verdict}\n"));
        }
    }
    let transcript = session.finish();
    text.push_str(&format!("{} turns, {:?}\n", transcript.len(), transcript.ending()));
    Ok(text)
}
