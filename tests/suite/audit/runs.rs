//! Simulated models play in a run what an audit tries, and an audit is the same every time.

use std::fs;
use std::path::Path;

use ifs::audit::{Options, SampleSize, survey};
use ifs::model::check;
use ifs::plan::build;
use ifs::script::Seed;
use ifs::world::MemoryWorld;
use tempfile::TempDir;

use super::{GAMES, about_games, audited, findings, plan};
use crate::cli::ifs;

/// A scenario whose checks are about the answer alone, with two faults: a line that a preamble moves,
/// and a fact that word salad passes.
fn scenario() -> String {
    about_games(
        "    ask \"It was a game of {{ game.name }}. Who was best?\"\n    answer \"{{ game.star }}\"\n    \
         expect 1 \"star\" check line[1] == game.star or game.points > 90\n    \
         expect 1 \"something\" check count(word) >= 2 or game.other > 90",
    )
}

fn folder(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("main.ifs"), text).unwrap();
    fs::write(folder.path().join("games.jsonl"), GAMES).unwrap();
    folder
}

/// The share of successful turns of a simulated model in a run.
fn success(folder: &TempDir, model: &str) -> f64 {
    let out = TempDir::new().unwrap();
    let out = out.path().join("run");
    let args = ["run", "main.ifs", "-m", model, "-n", "8", "--out", out.to_str().unwrap()];
    ifs(folder.path(), &args).ends(0);
    let scores = fs::read_to_string(out.join("scores.json")).unwrap();
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    let count = |name: &str| scores["totals"][name].as_f64().unwrap();
    count("successful_turns") / count("turns")
}

#[test]
fn runs_give_the_shares_of_the_audit() {
    let folder = folder(&scenario());
    let audit = audited(&plan(&scenario()));
    let oracle = success(&folder, "sim/oracle");
    assert_eq!(oracle, 1.0);
    for form in ["preamble", "closing", "both_ends"] {
        let row = audit.forms.iter().find(|row| row.name == form).unwrap();
        let polite = success(&folder, &format!("sim/polite:{form}"));
        assert_eq!(1.0 - polite, row.changed as f64 / audit.sample.turns as f64, "{form}");
    }
    assert_eq!(success(&folder, "sim/polite"), success(&folder, "sim/polite:both_ends"));
    for (model, answer) in [("sim/salad", "salad"), ("sim/retract", "retracted")] {
        let row = audit.answers.iter().find(|row| row.name == answer).unwrap();
        assert_eq!(success(&folder, model), row.all_held, "{model}");
    }
    assert!(success(&folder, "sim/offtopic") < oracle);
    let ran = ifs(folder.path(), &["run", "main.ifs", "-m", "sim/polite:curled", "-n", "1"]);
    ran.ends(2).says("`curled`").says("ifs audit --list");
}

#[test]
fn an_audit_is_the_same_every_time() {
    let folder = folder(&scenario());
    let args = ["audit", "main.ifs", "--format", "json"];
    let first = ifs(folder.path(), &args).ends(1);
    assert_eq!(first.out, ifs(folder.path(), &args).ends(1).out);
    assert_eq!(findings(&audited(&plan(&scenario()))), findings(&audited(&plan(&scenario()))));
}

/// The scenarios of the documentation, in all formats.
#[test]
fn every_documented_scenario_can_be_audited() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let folders = [docs.clone(), docs.join("language")];
    let mut pages: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|page| page.unwrap().path()))
        .collect();
    pages.retain(|page| page.extension().is_some_and(|ext| ext == "md"));
    pages.sort();
    let mut audited = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let blocks = text.split("```ifs\n").skip(1).filter_map(|rest| rest.split("```").next());
        for block in blocks.filter(|block| block.starts_with("ifs 1")) {
            let Some(model) = check(&MemoryWorld::new([("a.ifs", block)]), "a.ifs").model else {
                continue;
            };
            let plan = build(model);
            let names: Vec<&str> =
                plan.model.dialogues.iter().map(|one| one.name.as_str()).collect();
            let sample = SampleSize { dialogues: 2, turns: 6, seed: Seed(1) };
            let Ok(audit) = survey(&plan, &names, sample, &Options::default()) else { continue };
            audited += usize::from(audit.sample.turns > 0);
            let shares = audit.limits.iter().map(|limit| limit.found);
            let shares = shares.chain(audit.answers.iter().map(|answer| answer.all_held));
            for share in shares {
                assert!((0.0..=1.0).contains(&share), "{}: {share}\n{block}", page.display());
            }
            assert!(ifs::report::audit::text(&audit, "a.ifs", true).lines().count() >= 3);
            assert!(ifs::report::audit::page(&audit).ends_with("</html>\n"));
        }
    }
    // The others have no dialogue, files of their own, or no turn that a rule decides.
    assert!(audited >= 7, "{audited}");
}
