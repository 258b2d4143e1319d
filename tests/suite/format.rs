//! The formatter's laws: the tree and the comments stay; twice is as good as once.

use std::path::{Path, PathBuf};

use ifs::syntax::format;
use proptest::prelude::*;

use crate::programs::program;
use crate::shape::{read, shape};

/// Formats a good program and holds the result to the laws.
fn formatted(text: &str) -> String {
    let (ast, diagnostics) = read(text);
    assert_eq!(diagnostics.list, [], "not a good program:\n{text}");
    let once = format(&ast, text);
    let (again, diagnostics) = read(&once);
    assert_eq!(diagnostics.list, [], "formatted:\n{once}\nfrom:\n{text}");
    let (left, right) = (shape(&again), shape(&ast));
    let differs =
        left.0.char_indices().zip(right.0.chars()).find(|((_, left), right)| left != right);
    let at = differs.map_or(0, |((at, _), _)| at);
    let around = |tree: &str| {
        tree.get(at.saturating_sub(200)..).map(|tree| tree.chars().take(300).collect::<String>())
    };
    assert!(
        left == right,
        "formatted:\n{once}\nfrom:\n{text}\n{:?}\n{:?}",
        around(&left.0),
        around(&right.0)
    );
    let twice = format(&again, &once);
    assert_eq!(twice, once, "from:\n{text}");
    assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"), "{once:?}");
    once
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs(numbers in prop::collection::vec(any::<u16>(), 0..600)) {
        let text = program(&numbers);
        if read(&text).1.list.is_empty() {
            formatted(&text);
        }
    }
}

#[test]
fn most_random_programs_are_good() {
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u16
    };
    let good = (0..200)
        .filter(|_| {
            let numbers: Vec<u16> = (0..300).map(|_| next()).collect();
            let text = program(&numbers);
            let list = read(&text).1.list;
            for d in &list {
                eprintln!(
                    "{} {:?} {:?}",
                    d.message,
                    d.help,
                    text.get(
                        d.span().unwrap().range().start.saturating_sub(60)
                            ..d.span().unwrap().range().end
                    )
                );
            }
            list.is_empty()
        })
        .count();
    assert!(good >= 120, "{good} of 200");
}

#[test]
fn every_program_of_the_project() {
    let mut seen = 0;
    for folder in ["scenarios", "tests"] {
        for path in programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if read(&text).1.list.is_empty() {
                formatted(&text);
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "ifs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
