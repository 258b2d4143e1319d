//! Every scenario and every module of the library: checked, formatted, documented, and
//! its examples hold.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ifs::model::table::SemanticModel;
use ifs::model::{LIBRARY, check};
use ifs::syntax::format;
use ifs::testing::{TestOutcome, run_tests};
use ifs::world::FolderWorld;

use crate::tree_shape::read;

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// The programs under a folder, in the order of their paths.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|ending| ending == "ifs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn checked(path: &Path) -> Result<SemanticModel, String> {
    let world = FolderWorld::new(path.parent().unwrap()).unwrap();
    let checked = check(&world, path.file_name().unwrap().to_str().unwrap());
    let reported: Vec<String> = checked
        .diagnostics
        .list
        .iter()
        .map(|diagnostic| {
            let place = diagnostic
                .span()
                .map(|span| (checked.sources.name(span.file), checked.sources.line_column(span)));
            format!("{place:?} {} {:?}", diagnostic.message, diagnostic.help)
        })
        .collect();
    match checked.model {
        Some(model) if reported.is_empty() => Ok(model),
        _ => Err(format!("{}:\n{}", path.display(), reported.join("\n"))),
    }
}

/// The files of the library and those of the scenarios, each checked separately.
fn models() -> &'static [(PathBuf, SemanticModel)] {
    static MODELS: LazyLock<Vec<(PathBuf, SemanticModel)>> = LazyLock::new(check_all);
    &MODELS
}

fn check_all() -> Vec<(PathBuf, SemanticModel)> {
    let found = programs(&scenarios());
    assert!(found.len() >= 10, "{found:?}");
    let (mut models, mut faults) = (Vec::new(), Vec::new());
    for path in found {
        match checked(&path) {
            Ok(model) => models.push((path, model)),
            Err(fault) => faults.push(fault),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    models
}

#[test]
fn shipped_scenarios_have_no_diagnostics() {
    assert!(models().iter().any(|(_, model)| !model.dialogues.is_empty()));
}

#[test]
fn shipped_scenarios_are_formatted() {
    for path in programs(&scenarios()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let once = format(&read(&text).0, &text);
        assert_eq!(once, text, "{}: run `ifs fmt`", path.display());
        assert_eq!(format(&read(&once).0, &once), once, "{}", path.display());
    }
}

#[test]
fn examples_pass_and_fail_as_declared() {
    let mut wrong = Vec::new();
    for (path, model) in models() {
        for result in run_tests(model) {
            if let TestOutcome::Otherwise(why) = &result.outcome {
                let said = if result.pass { "pass" } else { "fail" };
                let (name, answer) = (path.display(), &result.answer);
                wrong.push(format!("{name}: {} {said} {answer:?}: {why}", result.constraint));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The models of the library's modules by name.
fn library() -> Vec<(&'static str, &'static SemanticModel)> {
    let folder = scenarios().join("std");
    let model = |name: &str| {
        let file = folder.join(format!("{name}.ifs"));
        &models().iter().find(|(path, _)| *path == file).unwrap().1
    };
    LIBRARY.iter().map(|(name, _)| (*name, model(name))).collect()
}

#[test]
fn every_module_of_the_library_is_registered() {
    let mut known: Vec<String> = LIBRARY.iter().map(|(name, _)| format!("{name}.ifs")).collect();
    known.sort();
    let files: Vec<String> = programs(&scenarios().join("std"))
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(known, files);
}

#[test]
fn everything_in_the_library_is_documented_and_has_examples() {
    use ifs::model::table::DecidedBy;

    for (module, model) in library() {
        for group in &model.groups {
            let own = |name: &str| model.docs.contains_key(name);
            for constraint in &group.constraints {
                let name = &constraint.name;
                assert!(own(name) || own(&group.name), "std.{module}: {name} has no doc comment");
                assert!(!constraint.say.is_empty(), "std.{module}: {name} has no wording");
                let cases = || {
                    model
                        .tests
                        .iter()
                        .filter(|test| test.constraint == *name)
                        .flat_map(|test| &test.cases)
                };
                if matches!(constraint.by, DecidedBy::Judge(_)) {
                    continue;
                }
                // The language of a text is not known to the analysis.
                let reported = name.starts_with("language.");
                assert!(
                    reported || cases().any(|case| case.pass),
                    "std.{module}: {name} passes nothing"
                );
                assert!(
                    reported || cases().any(|case| !case.pass),
                    "std.{module}: {name} fails nothing"
                );
            }
        }
    }
}

#[test]
fn library_matches_the_benchmarks() {
    let members = |module: &str| -> Vec<String> {
        let (_, model) = library().into_iter().find(|(name, _)| *name == module).unwrap();
        let constraints = model.groups.iter().flat_map(|group| &group.constraints);
        constraints.map(|constraint| constraint.name.clone()).collect()
    };
    let plain = |module: &str| {
        members(module).iter().filter(|name| !name.ends_with("_as_released")).count()
    };
    for (module, count) in
        [("evolif", 12), ("ifeval", 25), ("ifbench", 58), ("meeseeks", 38), ("structflow", 13)]
    {
        assert!(plain(module) >= count, "std.{module} has {}", plain(module));
    }
    // Every released constraint is in the plain module too.
    let plain = members("ifbench");
    assert!(members("ifbench_as_released").iter().all(|name| plain.contains(name)));
    let (_, mmmt) = library().into_iter().find(|(name, _)| *name == "mmmt").unwrap();
    assert_eq!(mmmt.groups.len(), 6);
    // Each of the eight kinds is a group; the five relations have a meaning each.
    let (_, structflow) = library().into_iter().find(|(name, _)| *name == "structflow").unwrap();
    let mut groups: Vec<&str> = structflow.groups.iter().map(|group| group.name.as_str()).collect();
    groups.sort_unstable();
    let kinds = [
        "basic_format",
        "content",
        "expansion",
        "follow_up",
        "inverse",
        "keyword",
        "quantity",
        "recall",
        "refinement",
        "situation",
        "style",
        "summary",
        "template",
    ];
    assert_eq!(groups, kinds);
}
