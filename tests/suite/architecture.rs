//! Compares ARCHITECTURE.md with the code: the crates, their dependencies, and the table of what
//! to touch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The cells of a table, found by its heading.
fn table(page: &str, heading: &str) -> Vec<(String, String)> {
    let rows = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let cells = |row: &str| {
        let mut cells = row.trim_matches('|').splitn(2, '|').map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.next().unwrap())
    };
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The code spans of a cell.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The crates of the workspace, in the order of the page.
fn crates() -> Vec<String> {
    let order: Vec<String> = table(&page(), "| in `crates/` |")
        .iter()
        .filter_map(|(cell, _)| quoted(cell).next().map(str::to_owned))
        .collect();
    assert!(order.len() > 12, "{order:?}");
    order
}

/// Every Rust file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => paths.extend(files(&path)),
            false if path.extension().is_some_and(|it| it == "rs") => paths.push(path),
            false => {}
        }
    }
    paths
}

/// The code of a file that is part of the library: without its unit tests and its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

/// The files of the library and of its crates with their code, named from the top, without files of unit tests.
fn library() -> BTreeMap<String, String> {
    let sources = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<PathBuf> =
        sources.map(|entry| entry.unwrap().path().join("src")).collect();
    folders.push(root().join("src"));
    let paths = folders.iter().flat_map(|folder| files(folder));
    let paths = paths.filter(|path| !path.ends_with("tests.rs"));
    let named = |path: PathBuf| {
        (path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned(), code(&path))
    };
    paths.map(named).collect()
}

fn manifest(name: &str) -> String {
    fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap()
}

/// The page has every crate, and each depends on crates above it alone.
#[test]
fn architecture_lists_every_crate_in_order() {
    let order = crates();
    let mut folders: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut listed = order.clone();
    listed.sort();
    assert_eq!(listed, folders);
    for (place, name) in order.iter().enumerate() {
        for line in manifest(name).lines().filter(|line| line.starts_with("ifs-")) {
            let used = &line[..line.find(['.', ' ']).unwrap()];
            let above = order.iter().position(|other| other == used).unwrap();
            assert!(above < place || used == "ifs-text", "{name} uses {used}, which is below it");
        }
    }
}

/// Libraries that one crate wraps, and output that one crate prints.
#[test]
fn wrapped_libraries_are_named_by_one_crate() {
    for (library, wrapper) in [
        ("miette", "ifs-base"),
        ("pest", "ifs-syntax"),
        ("minijinja", "ifs-parts"),
        ("hyper", "ifs-inference"),
        ("clap", "ifs-cli"),
    ] {
        let names_it = |name: &&String| {
            manifest(name).lines().any(|line| {
                line.starts_with(&format!("{library}.")) || line.starts_with(&format!("{library} "))
            })
        };
        let order = crates();
        assert_eq!(order.iter().filter(names_it).collect::<Vec<_>>(), [wrapper], "{library}");
    }
    for (file, code) in library() {
        let prints = code.contains("println!") || code.contains("process::exit");
        assert!(!prints || file.starts_with("crates/ifs-cli/"), "{file} prints or exits");
    }
}

/// The paths in the table of what a change touches exist; `NAME` is a new file.
#[test]
fn architecture_paths_exist() {
    let touched = table(&page(), "| to add |");
    assert!(touched.len() > 12, "{touched:?}");
    let mut gone = Vec::new();
    for (what, cell) in &touched {
        for path in quoted(cell).filter(|it| it.contains(['/', '.']) && !it.contains([' ', ':'])) {
            let path = if path.contains("NAME") { path.rsplit_once('/').unwrap().0 } else { path };
            if path.starts_with('.') || path == "ifs" {
                continue;
            }
            if !root().join(path).exists() {
                gone.push(format!("{what}: `{path}`"));
            }
        }
    }
    assert!(gone.is_empty(), "{gone:#?}");
}

/// The table's claims for a new file hold for existing ones: each is named in the one other file of
/// its row, and in no third one.
#[test]
fn one_file_and_one_line() {
    let touched = table(&page(), "| to add |");
    // A row, the folder of its files, a text that identifies them, and the file with a line for
    // each.
    let rows = [
        (
            "a report",
            "crates/ifs-report/src",
            "fn write(report: &Report",
            "crates/ifs-report/src/lib.rs",
        ),
        (
            "an analysis",
            "crates/ifs-plan/src/analysis",
            "fn check(",
            "crates/ifs-plan/src/analysis/mod.rs",
        ),
        (
            "a source of feeds",
            "crates/ifs-feed/src/reader",
            "fn read(file: &FeedFile<'_>) -> Result<TableDraft",
            "crates/ifs-feed/src/reader.rs",
        ),
        (
            "a provider with another API",
            "crates/ifs-inference/src/provider/wire",
            "impl Wire for",
            "crates/ifs-inference/src/provider/wire/mod.rs",
        ),
        ("a metric", "crates/ifs-score/src", ": Metric = Metric {", "crates/ifs-score/src/lib.rs"),
    ];
    let library = library();
    for (row, folder, sign, list) in rows {
        let (_, cell) = touched.iter().find(|(what, _)| what == row).expect(row);
        assert!(cell.contains(&format!("`{folder}/`")), "{row}: {cell}");
        let files = library.iter().filter(|(file, code)| *file != list && code.contains(sign));
        let names: Vec<&str> = files
            .filter_map(|(file, _)| {
                file.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")
            })
            .filter(|name| !name.contains('/'))
            .collect();
        assert!(names.len() > 2, "{row}: {names:?}");
        for name in names {
            let line = format!("{name}::");
            assert!(library[list].contains(&line), "{row}: {list} has no line for {name}");
        }
    }
}

/// A module of the library is in the list that embeds it, and on its page.
#[test]
fn modules_of_the_library_are_listed() {
    let list = fs::read_to_string(root().join("crates/ifs-model/src/library.rs")).unwrap();
    let page = fs::read_to_string(root().join("docs/library.md")).unwrap();
    let language = fs::read_to_string(root().join("docs/language/files.md")).unwrap();
    for entry in fs::read_dir(root().join("scenarios/std")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            list.contains(&format!("\"{name}\"")),
            "crates/ifs-model/src/library.rs has no line for {name}"
        );
        assert!(page.contains(&format!("std.{name}")), "docs/library.md does not have std.{name}");
        let is_named =
            name.ends_with("_as_released") || language.contains(&format!("`std.{name}`"));
        assert!(is_named, "docs/language/files.md does not name std.{name} at `use`");
    }
}

/// A type has a name of its own, so that a name says which one is meant. The same idea keeps its name
/// from stage to stage (`ast` to `ifs-model`, the crates to `src/api`), a reader names the fields of
/// its format, and every subcommand has its `Args`.
#[test]
fn one_name_for_one_type() {
    const STAGES: [&str; 3] =
        ["crates/ifs-syntax/src/ast", "src/api/", "crates/ifs-feed/src/reader/"];
    let library = library();
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, code) in &library {
        if STAGES.iter().any(|stage| file.starts_with(stage)) {
            continue;
        }
        for line in code.lines() {
            let line = line.strip_prefix("pub").unwrap_or(line);
            let line =
                line.split_once(") ").filter(|_| line.starts_with('(')).map_or(line, |it| it.1);
            let line = line.strip_prefix(' ').unwrap_or(line);
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            if matches!(words.next(), Some("struct" | "enum" | "trait" | "type"))
                && let Some(name) = words.next()
            {
                places.entry(name.to_owned()).or_default().push(file);
            }
        }
    }
    assert!(places.len() > 1000, "{}", places.len());
    // `Format` is what a command prints, and what a report is written in; `Rounds` depends on a feature.
    let known = ["Args", "Format", "Rounds"];
    places.retain(|name, files| files.len() > 1 && !known.contains(&name.as_str()));
    assert!(places.is_empty(), "{places:#?}");
}

/// Every library has a line that says why it is there, and every line is of a library.
#[test]
fn every_library_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, list) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let names = list.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| {
        let (name, _) = line.split_once(" = ")?;
        (!name.starts_with('#') && !name.starts_with("ifs-")).then(|| name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    let rows = table(&page(), "| library | why |");
    let mut named: Vec<String> =
        rows.iter().flat_map(|(cell, _)| quoted(cell).map(str::to_owned)).collect();
    names.sort();
    named.sort();
    assert!(names.len() > 50, "{names:?}");
    assert_eq!(named, names);
}
