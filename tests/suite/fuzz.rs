//! The fuzz targets without a fuzzer: over the seeds, the counterexamples that were saved among them,
//! and damaged copies of both. `just fuzz` looks for new ones.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// Fragments that many formats contain, to be inserted anywhere.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    "\n",
    "\r",
    "\0",
    "{{ ",
    " }}",
    "{% ",
    " %}",
    ":",
    ",",
    ".",
    "-1",
    "9223372036854775808",
    "1e400",
    "null",
    "é",
    "\u{feff}",
    "\u{2028}",
    "\u{202e}",
    "<think>",
    "not every line",
];

/// A copy with some damage.
fn damaged(seed: &[u8], other: &[u8], random: &mut SmallRng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(..=bytes.len());
        let end = (at + random.random_range(..40_usize)).min(bytes.len());
        match random.random_range(..7_u8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(..8_u32),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].repeat(random.random_range(1..4));
                bytes.splice(at..at, part);
            }
            4 if !other.is_empty() => {
                let from = random.random_range(..other.len());
                let to = (from + random.random_range(..60_usize)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => {
                let piece = PIECES[random.random_range(..PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

/// The files of a folder, in the order of their names, small ones only.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).ok()?;
        (bytes.len() < 4096).then(|| (path.display().to_string(), bytes))
    };
    paths.into_iter().filter(|path| path.is_file()).filter_map(read).collect()
}

/// Runs a target over its seeds and damaged copies of them; `IFS_FUZZ` multiplies their
/// number.
fn smoke(name: &str, more: Option<&str>, target: fn(&[u8]), rounds: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = files(&root.join("fuzz/seeds").join(name));
    assert!(!seeds.is_empty());
    for (_, bytes) in &seeds {
        target(bytes);
    }
    seeds.extend(more.into_iter().flat_map(|folder| files(&root.join(folder))));
    let factor = std::env::var("IFS_FUZZ").ok().and_then(|it| it.parse().ok()).unwrap_or(1_usize);
    let mut random = SmallRng::seed_from_u64(factor as u64);
    for round in 0..rounds * factor {
        let (from, seed) = &seeds[random.random_range(..seeds.len())];
        let (_, other) = &seeds[random.random_range(..seeds.len())];
        let bytes = damaged(seed, other, &mut random);
        let ran = std::panic::catch_unwind(|| target(&bytes));
        assert!(
            ran.is_ok(),
            "{name}, round {round}: a damaged copy of {from}; save it below fuzz/seeds/{name}:\n{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn parse() {
    smoke("parse", Some("tests/ui"), targets::parse, 400);
}

#[test]
fn check() {
    smoke("check", Some("tests/ui"), targets::check, 100);
}

#[test]
fn grade() {
    smoke("grade", None, targets::grade, 150);
}

#[test]
fn judge() {
    smoke("judge", None, targets::judge, 2000);
}

#[test]
fn journal() {
    smoke("journal", None, targets::journal, 200);
}

#[test]
fn feed() {
    smoke("feed", None, targets::feed, 300);
}

#[test]
fn template() {
    smoke("template", None, targets::template, 1000);
}
