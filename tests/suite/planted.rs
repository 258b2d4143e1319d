//! Planted changes: each has the class that `planted/changes.txt` gives it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ifs::changes::{Class, between};
use ifs::diagnostic::Severity;
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::script::compare_drawn;
use ifs::world::{FolderWorld, ReadError, World};

/// The number of dialogues that are drawn of each: the definitions of some take long to draw.
const DIALOGUES: u64 = 4;

struct Planted {
    scenario: PathBuf,
    classes: String,
    file: String,
    old: String,
    new: String,
}

fn planted() -> Vec<Planted> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (lab, shipped) = (root.join("tests/suite/planted"), root.join("scenarios"));
    let mut scenario = PathBuf::new();
    let mut found = Vec::new();
    for line in include_str!("planted/changes.txt").lines() {
        if let Some(section) = line.strip_prefix("== ") {
            let (name, file) = section.split_once(' ').expect("a name and a file");
            scenario = if name == "lab" { lab.join(file) } else { shipped.join(file) };
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [classes, file, change] = parts[..] else { panic!("not a planted change: {line}") };
        let (old, new) = match change.split_once(" => ") {
            Some(sides) => sides,
            None => (change.strip_suffix(" =>").expect("` =>` and nothing"), ""),
        };
        let text = |side: &str| side.replace("\\r", "\r").replace("\\n", "\n");
        found.push(Planted {
            scenario: scenario.clone(),
            classes: classes.to_owned(),
            file: file.to_owned(),
            old: text(old),
            new: text(new),
        });
    }
    found
}

/// A folder in which one file differs.
struct Edited {
    folder: FolderWorld,
    name: String,
    bytes: Vec<u8>,
}

impl World for Edited {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        if name == self.name { Ok(self.bytes.clone()) } else { self.folder.read(name) }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        self.folder.list(folder)
    }
}

/// The plan alone: its analyses say nothing about changes.
fn compiled(world: &dyn World, name: &str) -> Result<Plan, String> {
    let checked = check(world, name);
    let list = &checked.diagnostics.list;
    let errors = list.iter().filter(|one| one.severity == Severity::Error);
    let messages: Vec<&str> = errors.map(|one| one.message.as_str()).collect();
    match checked.model {
        Some(model) if messages.is_empty() => Ok(build(model)),
        _ => Err(messages.join("; ")),
    }
}

/// The class of a planted change, and what was found.
fn class_of(planted: &Planted, before: &Plan) -> Result<(&'static str, String), String> {
    let Planted { scenario, file, old, new, .. } = planted;
    let folder = scenario.parent().unwrap();
    let bytes = std::fs::read(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let text = || String::from_utf8(bytes.clone()).map_err(|error| error.to_string());
    let bytes = match old.as_str() {
        "PICTURE" => std::fs::read(folder.join(new)).map_err(|error| error.to_string())?,
        "CRLF" => text()?.replace('\n', "\r\n").into_bytes(),
        "APPEND" => format!("{}{new}\n", text()?.trim_end()).into_bytes(),
        old if !text()?.contains(old) => return Err(format!("`{old}` is not in {file}")),
        old => text()?.replacen(old, new, 1).into_bytes(),
    };
    let name = scenario.file_name().unwrap().to_str().unwrap();
    let folder = FolderWorld::new(folder).map_err(|error| error.to_string())?;
    let after = compiled(&Edited { folder, name: file.clone(), bytes }, name)?;
    let mut changes = between(before, &after);
    // Draws only add changes that are not comparable.
    if changes.class() != Class::NotComparable {
        let drawn = compare_drawn(before, &after, DIALOGUES);
        (changes, _) = drawn.map_err(|error| error.to_string())?;
    }
    let class = match changes.class() {
        _ if changes.is_empty() => "same",
        Class::Comparable => "comparable",
        Class::WithCare => "care",
        Class::NotComparable => "not",
    };
    if class == "same" && before.hash() != after.hash() {
        return Err("the hash differs without a change".to_owned());
    }
    let shown = changes
        .changes
        .iter()
        .take(3)
        .map(|change| format!("{}, {}: {}", change.subject, change.place, change.reason));
    Ok((class, shown.collect::<Vec<_>>().join("; ")))
}

#[test]
fn planted_changes_have_their_class() {
    let all = planted();
    assert!(all.len() >= 160, "{}", all.len());
    let mut before = BTreeMap::new();
    for planted in &all {
        before.entry(planted.scenario.clone()).or_insert_with(|| {
            let world = FolderWorld::new(planted.scenario.parent().unwrap()).unwrap();
            let name = planted.scenario.file_name().unwrap().to_str().unwrap();
            compiled(&world, name).unwrap_or_else(|why| panic!("{name}: {why}"))
        });
    }
    // The classes from the most harmless on.
    const CLASSES: [&str; 4] = ["same", "comparable", "care", "not"];
    let rank = |class: &str| CLASSES.iter().position(|known| *known == class);
    let [mut harmless, mut severe, mut faulty] = [const { Vec::new() }; 3];
    for planted in &all {
        let Planted { classes, file, old, new, .. } = planted;
        let found = class_of(planted, &before[&planted.scenario]);
        let line = format!("{classes} | {file} | {old} => {new}: {found:?}");
        let allowed: Option<Vec<usize>> = classes.split('/').map(rank).collect();
        let allowed = allowed.unwrap_or_else(|| panic!("not a class: {classes}"));
        match found.ok().and_then(|(class, _)| rank(class)) {
            None => faulty.push(line),
            Some(class) if allowed.iter().all(|least| class < *least) => harmless.push(line),
            Some(class) if allowed.iter().all(|most| class > *most) => severe.push(line),
            Some(_) => {}
        }
    }
    assert!(faulty.is_empty(), "{}", faulty.join("\n"));
    assert!(harmless.is_empty(), "too harmless:\n{}", harmless.join("\n"));
    assert!(severe.is_empty(), "too severe:\n{}", severe.join("\n"));
}
