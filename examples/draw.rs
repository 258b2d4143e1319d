//! Draws dialogues of a scenario and prints what the user says.
//!
//! `cargo run --example draw -- scenarios/support support 3`

use std::path::Path;

use ifs::{Benchmark, Error};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "scenarios/support".to_owned());
    let name = args.next();
    let count = args.next().and_then(|count| count.parse().ok()).unwrap_or(2);
    print!("{}", drawn(Path::new(&path), name.as_deref(), count)?);
    Ok(())
}

/// The user messages of the first dialogues, five turns of each.
pub fn drawn(path: &Path, dialogue: Option<&str>, count: u64) -> Result<String, Error> {
    let benchmark = Benchmark::open(path)?;
    for warning in benchmark.warnings() {
        eprintln!("{warning}");
    }
    let name = dialogue.or_else(|| benchmark.dialogues().next()).unwrap_or_default().to_owned();
    let dialogue = benchmark.dialogue(&name)?;
    let mut text = format!("{}\n", benchmark.definition_hash());
    for index in 0..count {
        // A dialogue may have no end: take as many turns as you need.
        for turn in dialogue.script(1, index).take(5) {
            let turn = turn?;
            let names: Vec<&str> = turn.constraints.iter().map(|it| it.name.as_str()).collect();
            text.push_str(&format!("{index}.{} [{}]\n", turn.number, names.join(", ")));
            text.push_str(&format!("  {}\n", turn.ask.replace('\n', "\n  ")));
        }
    }
    Ok(text)
}
