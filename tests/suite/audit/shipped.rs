//! The audit of each shipped scenario: what is by design is declared in it, and what is left to mend
//! is in audit/left.txt, a check a line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ifs::audit::{Options, SampleSize, survey};
use ifs::model::check;
use ifs::plan::build;
use ifs::script::Seed;
use ifs::world::FolderWorld;

use super::findings;

/// The scenarios, and how many dialogues and turns of each are enough for a test.
const SCENARIOS: [(&str, u64, usize); 17] = [
    ("chess/chess.ifs", 2, 20),
    ("evolif/evolif.ifs", 2, 30),
    ("hierarchy/hierarchy.ifs", 8, 16),
    ("ifbench/ifbench.ifs", 8, 16),
    ("intake/intake.ifs", 1, 13),
    ("mars/chinese.ifs", 1, 24),
    ("mars/hockey.ifs", 1, 24),
    ("mars/mars.ifs", 1, 32),
    ("meeseeks/meeseeks.ifs", 20, 20),
    ("mmmt/mmmt.ifs", 4, 40),
    ("multi_if/multi_if.ifs", 12, 40),
    ("multichallenge/multichallenge.ifs", 12, 40),
    ("schreibstube/schreibstube.ifs", 3, 30),
    ("sharded/sharded.ifs", 6, 40),
    ("structflowbench/structflowbench.ifs", 4, 20),
    ("support/support.ifs", 3, 27),
    ("sysbench/sysbench.ifs", 4, 20),
];

/// Those that take a second or two.
const QUICK: [&str; 4] =
    ["chess/chess.ifs", "hierarchy/hierarchy.ifs", "sharded/sharded.ifs", "support/support.ifs"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/audit")
}

/// What the audit of a scenario reports, as lines of the list.
fn reported(file: &str, dialogues: u64, turns: usize) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(file);
    let world = FolderWorld::new(path.parent().unwrap()).unwrap();
    let checked = check(&world, path.file_name().unwrap().to_str().unwrap());
    let mut plan = build(checked.model.expect("a scenario without mistakes"));
    plan.sources = std::sync::Arc::new(checked.sources);
    let names: Vec<&str> = plan.model.dialogues.iter().map(|one| one.name.as_str()).collect();
    let sample = SampleSize { dialogues, turns, seed: Seed(1) };
    let audit = survey(&plan, &names, sample, &Options::default()).unwrap();
    let mut forms: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, what) in findings(&audit) {
        forms.entry(name).or_default().push(what);
    }
    forms.iter().map(|(name, what)| format!("{file}: {name}: {}", what.join(", "))).collect()
}

fn left() -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder().join("left.txt")).unwrap();
    text.lines().filter(|line| !line.starts_with("//")).map(str::to_owned).collect()
}

fn names(file: &str, line: &str) -> bool {
    line.starts_with(&format!("{file}: "))
}

fn are_as_listed(scenarios: &[(&str, u64, usize)]) {
    let left = left();
    let mut wrong = Vec::new();
    for (file, dialogues, turns) in scenarios {
        let reported = reported(file, *dialogues, *turns);
        let listed: BTreeSet<String> =
            left.iter().filter(|line| names(file, line)).cloned().collect();
        wrong.extend(reported.difference(&listed).map(|line| format!("not listed: {line}")));
        wrong.extend(listed.difference(&reported).map(|line| format!("mended: {line}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn quick_scenarios_have_what_is_listed_and_nothing_else() {
    let mut quick = SCENARIOS.to_vec();
    quick.retain(|(file, ..)| QUICK.contains(file));
    assert_eq!(quick.len(), QUICK.len());
    are_as_listed(&quick);
}

#[test]
#[ignore = "half a minute: `just audits`"]
fn shipped_scenarios_have_what_is_listed_and_nothing_else() {
    are_as_listed(&SCENARIOS);
}
