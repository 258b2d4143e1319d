//! MMMT-IF from end to end: instructions pile up as the paper says, and two runs are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use ifs::script::{Drawer, Seed};
use ifs::world::FolderWorld;
use serde_json::Value as Json;
use tempfile::TempDir;

fn scenario() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/mmmt/mmmt.ifs")
}

/// Before every question there is a new instruction with probability 1 - given/6, of a category
/// that has none yet, each with equal chances (section 2.1).
#[test]
fn instructions_pile_up_as_the_paper_says() {
    let world = FolderWorld::new(scenario().parent().unwrap()).unwrap();
    let model = ifs::model::check(&world, "mmmt.ifs").model.expect("the scenario has no mistakes");
    let plan = ifs::plan::build(model);
    let drawer = Drawer::new(&plan, "photos").unwrap();
    // By how many were given: turns, and turns that gave one more.
    let mut chances: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut first: BTreeMap<String, f64> = BTreeMap::new();
    let dialogues = 1_500;
    for index in 0..dialogues {
        let mut given: BTreeSet<String> = BTreeSet::new();
        for turn in drawer.script(Seed(11), index) {
            let turn = turn.unwrap();
            let groups: Vec<String> =
                turn.in_force.iter().map(|active| active.group().to_owned()).collect();
            let now: BTreeSet<String> = groups.iter().cloned().collect();
            assert_eq!(now.len(), groups.len(), "two of one category");
            assert!(now.is_superset(&given), "one was taken back");
            let added: Vec<&String> = now.difference(&given).collect();
            assert!(added.len() <= 1, "{added:?}");
            let chance = chances.entry(given.len()).or_default();
            chance.0 += 1.0;
            if let Some(group) = added.first() {
                chance.1 += 1.0;
                if given.is_empty() {
                    *first.entry((*group).clone()).or_default() += 1.0;
                }
            }
            given = now;
        }
    }
    for (given, (turns, added)) in &chances {
        let share = 1.0 - *given as f64 / 6.0;
        let error = (share * (1.0 - share) / turns).sqrt();
        let found = added / turns;
        assert!(
            (found - share).abs() <= 4.0 * error,
            "{given} given: {found} for {share}, {turns}"
        );
    }
    assert_eq!(chances.len(), 7, "{chances:?}");
    // The first is of each category equally often: chi-square with five degrees of freedom, 0.1 %.
    let wanted = dialogues as f64 / 6.0;
    let square: f64 = first.values().map(|found| (found - wanted).powi(2) / wanted).sum();
    assert!(first.len() == 6 && square < 20.52, "{square} {first:?}");
}

fn ifs(folder: &Path, args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_ifs")).current_dir(folder).args(args).output();
    let ran = ran.unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{args:?}\n{out}\n{err}");
    out.into_owned()
}

fn run(folder: &Path, out: &str, more: &[&str]) -> Json {
    let scenario = scenario();
    let base = ["run", scenario.to_str().unwrap(), "-n", "6", "--seed", "7", "--out", out];
    ifs(folder, &[&base, more].concat());
    serde_json::from_str(&ifs(folder, &["report", out, "--format", "json"])).unwrap()
}

fn metric(report: &Json, name: &str) -> f64 {
    let all = report["metrics"].as_array().unwrap();
    all.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn from_pictures_to_a_comparison() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let oracle = run(at, "oracle", &["-m", "sim/oracle"]);
    assert_eq!((metric(&oracle, "PIF"), metric(&oracle, "PIF_N_N")), (1.0, 1.0));
    let plain = run(at, "plain", &["-m", "sim/forgetful:0.1"]);
    let reminded = run(at, "reminded", &["-m", "sim/forgetful:0.1", "--variant", "reminded"]);
    let (low, high) = (metric(&plain, "PIF"), metric(&reminded, "PIF"));
    assert!(low < high && high < 1.0, "{low} {high}");
    assert!(metric(&plain, "PIF_N_N") <= metric(&plain, "PIF_N_1"));
    // Of what is not said again, the oldest is forgotten most.
    let ages = plain["instructions"]["by_age"].as_array().unwrap();
    let mean = |age: &Json| age["mean"].as_f64().unwrap();
    assert!(mean(&ages[0]) > mean(&ages[8]), "{ages:?}");
    let said =
        ifs(at, &["compare", "--allow-differences", "plain", "reminded", "--format", "json"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    let pair = &said["pairs"][0];
    assert_eq!(pair["other"], "sim/forgetful:0.1, reminded");
    assert!(pair["difference"].as_f64().unwrap() < 0.0, "{pair}");
    assert_eq!(pair["dominance"], "second", "{pair}");
    // Six dialogues are six observations, however many turns they have: 1 in 64 at best.
    assert!(pair["wilcoxon"]["second_larger"].as_f64().unwrap() < 0.05, "{pair}");
    assert!(
        ifs(at, &["compare", "--allow-differences", "plain", "reminded"]).contains("dominates")
    );
    let three = ["compare", "--allow-differences", "plain", "reminded", "oracle"];
    let rows = ifs(at, &[&three[..], &["--pairs", "--format", "csv"]].concat());
    let by_turn = rows.lines().filter(|row| row.contains(",PIF_by_turn,"));
    assert_eq!(by_turn.count(), 3, "{rows}");
    std::fs::write(at.join("marks.csv"), "judge,model,item,mark\nhuman,a,1,4\na,a,1,9\n").unwrap();
    assert!(ifs(at, &["compare", "--marks", "marks.csv"]).contains("its own"));
}
