//! The pages of docs/ as a book: its table of contents and the links between pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages below docs/, by their paths there.
fn pages() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in ["", "language/", "library/", "systems/"] {
        for entry in std::fs::read_dir(docs().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "md") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.insert(format!("{folder}{name}"), read(&path));
            }
        }
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// Lines outside of code, without inline code.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// The targets of links on a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let defined = prose.lines().filter(|line| line.starts_with('['));
    let defined = defined.filter_map(|line| Some(line.split_once("]: ")?.1));
    inline.chain(defined).map(|link| link.trim().to_owned()).collect()
}

#[test]
fn the_table_of_contents_names_every_page_once() {
    let pages = pages();
    let listed = links(&pages["SUMMARY.md"]);
    let unique: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), listed.len(), "{listed:?}");
    let all: BTreeSet<&str> =
        pages.keys().map(String::as_str).filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(unique, all);
}

/// A page outside of docs/ is not in the book, so no page may link to it.
#[test]
fn every_link_leads_to_a_page_of_the_book() {
    let pages = pages();
    let mut broken = Vec::new();
    for (name, text) in &pages {
        for link in links(text).iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let mut parts: Vec<&str> = name.split('/').collect();
            if !file.is_empty() {
                parts.pop();
                for part in Path::new(file).components() {
                    match part {
                        Component::Normal(part) => parts.push(part.to_str().unwrap()),
                        // A path that leaves docs/ is found nowhere.
                        Component::ParentDir if parts.pop().is_none() => parts.push(".."),
                        _ => {}
                    }
                }
            }
            let anchors = |text: &String| crate::docs::anchors(text).contains(anchor);
            let found =
                pages.get(&parts.join("/")).is_some_and(|it| anchor.is_empty() || anchors(it));
            if !found {
                broken.push(format!("docs/{name}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The tour is a part of README.md, where links lead to docs/; its page defines them again.
#[test]
fn the_tour_of_the_book_is_that_of_the_readme() {
    let readme = read(&docs().join("../README.md"));
    let (_, tour) = readme.split_once("<!-- ANCHOR: tour -->").unwrap();
    let (tour, _) = tour.split_once("<!-- ANCHOR_END: tour -->").unwrap();
    assert!(tour.contains("ifs check") && links(tour).iter().all(|link| link.contains("://")));
    let page = &pages()["tour.md"];
    assert!(page.contains("{{#include ../README.md:tour}}"));
    let used = prose(tour)
        .split("][")
        .skip(1)
        .map(|rest| rest.split(']').next().unwrap().to_owned())
        .collect::<BTreeSet<_>>();
    assert!(!used.is_empty());
    for name in used {
        let target = |text: &str| {
            let start = format!("[{name}]: ");
            text.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
        };
        let of_page = target(page).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(target(&readme), Some(format!("docs/{of_page}")));
    }
}
