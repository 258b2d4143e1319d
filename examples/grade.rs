//! Grades recorded responses by constraints of the library.
//!
//! `cargo run --example grade -- rows.jsonl`

use std::io::Read as _;

use ifs::{Error, Grader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = String::new();
    match std::env::args().nth(1) {
        Some(path) => rows = std::fs::read_to_string(path)?,
        None => {
            std::io::stdin().read_to_string(&mut rows)?;
        }
    }
    print!("{}", graded(&rows));
    Ok(())
}

/// A line for each row. A row that cannot be graded is neither a pass nor a miss.
pub fn graded(rows: &str) -> String {
    let grader = Grader::library();
    let line = |row: &str| match grader.row(row.as_bytes()) {
        Ok(grade) => {
            let whys = grade.constraints.iter().filter_map(|constraint| constraint.why.as_deref());
            let whys: Vec<&str> = whys.collect();
            match grade.strict {
                Some(true) => "pass\n".to_owned(),
                Some(false) => format!("miss: {}\n", whys.join("; ")),
                None => "needs a judge\n".to_owned(),
            }
        }
        Err(Error::Row { code, message, .. }) => format!("not graded: {message} ({code})\n"),
        Err(other) => format!("not graded: {other}\n"),
    };
    rows.lines().filter(|row| !row.trim().is_empty()).map(line).collect()
}
