//! Compares ARCHITECTURE.md with the code: the modules, their dependencies, and the table of what
//! to touch.

use std::collections::{BTreeMap, BTreeSet};
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

/// The modules of the library, in the order of the page.
fn rooms() -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    for (cell, _) in table(&page(), "| in `src/` |") {
        for name in quoted(&cell).filter(|name| !name.starts_with("crates/")) {
            let room = name.trim_end_matches('/').trim_end_matches(".rs").to_owned();
            if !order.contains(&room) {
                order.push(room);
            }
        }
    }
    assert!(order.len() > 30, "{order:?}");
    order
}

/// Every Rust file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|it| it == "rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// The code of a file that is part of the library: without its unit tests and its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

/// The files of the library, named from `src`, without those that only tests compile.
fn library() -> BTreeMap<String, String> {
    let src = root().join("src");
    let mut tests = BTreeSet::new();
    for path in files(&src) {
        let text = fs::read_to_string(&path).unwrap();
        let named = text.split("#[cfg(test)]\nmod ").skip(1);
        tests.extend(named.filter_map(|rest| {
            let name = rest.split_once(';').map(|(name, _)| name)?;
            let folder = match path.file_name()? == "mod.rs" {
                true => path.parent()?.to_owned(),
                false => path.with_extension(""),
            };
            name.chars().all(|it| it.is_alphanumeric() || it == '_').then(|| folder.join(name))
        }));
    }
    let only_tests = |path: &Path| {
        tests.iter().any(|test| path.with_extension("") == *test || path.starts_with(test))
    };
    let kept = files(&src).into_iter().filter(|path| !only_tests(path));
    let named = |path: PathBuf| {
        (path.strip_prefix(&src).unwrap().to_str().unwrap().to_owned(), code(&path))
    };
    kept.map(named).collect()
}

fn room_of(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The modules that code refers to after `crate::`, including groups.
fn used(code: &str) -> BTreeSet<&str> {
    let name = |text: &str| {
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        end.unwrap_or(text.len())
    };
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(&rest[..name(rest)]);
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ if start && !letter.is_whitespace() => {
                    found.insert(&group[at..][..name(&group[at..])]);
                    start = false;
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn import_groups_are_parsed() {
    let text = "use crate::a::b; use crate::{c::{d, e}, f};\nuse crate::g;";
    assert_eq!(used(text), BTreeSet::from(["a", "c", "f", "g"]));
}

#[test]
fn architecture_lists_every_module() {
    let order = rooms();
    let is_there = |room: &&String| {
        let path = root().join("src").join(room);
        path.is_dir() || path.with_extension("rs").is_file()
    };
    let gone: Vec<&String> = order.iter().filter(|room| !is_there(room)).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md has rooms that do not exist: {gone:?}");
    let library = library();
    let rooms: BTreeSet<&str> = library.keys().map(|file| room_of(file)).collect();
    let missing: Vec<_> =
        rooms.into_iter().filter(|room| !order.iter().any(|it| it == room)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:?}");
}

/// Each module uses only those above it in the table.
#[test]
fn rooms_use_those_above_them() {
    let order = rooms();
    let place = |room: &str| order.iter().position(|known| known == room);
    let mut wrong = BTreeSet::new();
    for (file, code) in library() {
        let room = room_of(&file);
        if ["lib", "main"].contains(&room) {
            continue;
        }
        for used in used(&code) {
            if let (Some(from), Some(to)) = (place(room), place(used))
                && to > from
            {
                wrong.insert(format!("{file}: crate::{used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Dependencies that only some files may name, according to the page.
#[test]
fn wrapped_crates_are_named_only_in_their_modules() {
    let library = library();
    let elsewhere = |name: &str, rooms: &[&str]| -> Vec<String> {
        let named = library.iter().filter(|(_, code)| code.contains(name));
        let outside = named.filter(|(file, _)| !rooms.iter().any(|room| file.starts_with(room)));
        outside.map(|(file, _)| format!("{file} names {name}")).collect()
    };
    let page = page();
    let asynchronous = page.split("Async code is limited to").nth(1).unwrap();
    let asynchronous = asynchronous.split(':').next().unwrap();
    let asynchronous: Vec<&str> = quoted(asynchronous).collect();
    // The command line starts the async code.
    let asynchronous = [asynchronous, vec!["cli/"]].concat();
    let found = [
        elsewhere("miette::", &["diagnostic/render.rs"]),
        elsewhere("pest::", &["syntax/parse/"]),
        elsewhere("minijinja::", &["template.rs", "template/"]),
        elsewhere("hyper::", &["provider/"]),
        elsewhere("clap::", &["cli/"]),
        elsewhere("println!", &["cli/"]),
        elsewhere("process::exit", &["cli/", "main.rs"]),
        elsewhere("async fn", &asynchronous),
        elsewhere(".await", &asynchronous),
    ]
    .concat();
    assert!(found.is_empty(), "{found:#?}");
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
            let places = [root().join("src").join(path), root().join(path)];
            if !places.iter().any(|place| place.exists()) {
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
        ("a report", "report", "fn write(report: &Report", "report/mod.rs"),
        ("an analysis", "plan/analysis", "fn check(", "plan/analysis/mod.rs"),
        (
            "a source of feeds",
            "crates/ifs-feed/src/reader",
            "fn read(file: &FeedFile<'_>) -> Result<TableDraft",
            "crates/ifs-feed/src/reader.rs",
        ),
        ("a provider with another API", "provider/wire", "impl Wire for", "provider/wire/mod.rs"),
        ("a metric", "score", ": Metric = Metric {", "score/mod.rs"),
    ];
    let mut library = library();
    library.extend(files(&root().join("crates")).into_iter().map(|path| {
        (path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned(), code(&path))
    }));
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
    let list = fs::read_to_string(root().join("src/model/library.rs")).unwrap();
    let page = fs::read_to_string(root().join("docs/library.md")).unwrap();
    let language = fs::read_to_string(root().join("docs/language.md")).unwrap();
    for entry in fs::read_dir(root().join("scenarios/std")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(list.contains(&format!("\"{name}\"")), "model/library.rs has no line for {name}");
        assert!(page.contains(&format!("std.{name}")), "docs/library.md does not have std.{name}");
        let is_named =
            name.ends_with("_as_released") || language.contains(&format!("`std.{name}`"));
        assert!(is_named, "docs/language.md does not name std.{name} where it is about `use`");
    }
}

/// A type has a name of its own, so that a name says which one is meant. The same idea keeps its name
/// from stage to stage (`syntax/ast` to `model`, the rooms to `api`), a reader names the fields of
/// its format, and every subcommand has its `Args`.
#[test]
fn one_name_for_one_type() {
    const STAGES: [&str; 3] = ["syntax/ast", "api/", "crates/ifs-feed/src/reader/"];
    let mut library: Vec<(String, String)> = library().into_iter().collect();
    library.extend(
        files(&root().join("src/cli")).into_iter().chain(files(&root().join("crates"))).map(
            |path| {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
                (name.trim_start_matches("src/").to_owned(), code(&path))
            },
        ),
    );
    library.sort();
    library.dedup_by(|one, other| one.0 == other.0);
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
