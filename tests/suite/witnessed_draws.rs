//! No turn without a natural witness: `redraw until witness`, the warning of `check`, and releases.

use std::fs;

use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::program::find_in;
use ifs::proof::{Proof, Prover};
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::MemoryWorld;
use tempfile::TempDir;

use crate::cli::ifs;

/// Half of the draws have no text that somebody would write, though nothing proves it.
const HALF: &str = "ifs 1
group words {
  constraint marks { say \"Only marks.\" check matches(/^[!-.]{3}$/) }
  constraint rule { say \"A rule.\" check matches(/^[*_-]{4,9}$/) }
  constraint some(n: int in 5..=20) { say \"{{ n }} words.\" check count(word) == n }
  constraint plain(banned: one_of [\"a\", \"e\"]) { say \"No {{ banned }}.\" check not contains(banned) }
}
dialogue talk {
  start with 1 constraint
  evolve one per turn { modify 100% }
  REDRAW
  for at in 1..=6 { turn t { ask \"Well?\" } }
}
";

fn half(redraw: &str) -> String {
    HALF.replace("REDRAW", redraw)
}

fn plan(main: &str) -> Plan {
    build(check(&MemoryWorld::new([("main.ifs", main)]), "main.ifs").model.expect("a scenario"))
}

fn drawn(drawer: &Drawer<'_>, index: u64) -> Vec<ScriptTurn> {
    drawer.script(Seed(1), index).collect::<Result<_, _>>().expect("turns")
}

/// Draws that have no witness are not drawn; what is drawn is natural and proven.
#[test]
fn turns_are_redrawn_until_a_witness_is_found() {
    let unproven = |redraw: &str| {
        let plan = plan(&half(redraw));
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let (mut unproven, mut tricky) = (0, 0);
        for index in 0..8 {
            let mut prover = Prover::new(&plan, "talk");
            for turn in drawn(&drawer, index) {
                let proof = prover.prove(&turn);
                unproven += usize::from(matches!(proof, Proof::Missing(_)));
                tricky += usize::from(
                    turn.active_constraints
                        .iter()
                        .any(|active| matches!(&*active.constraint, "words.marks" | "words.rule")),
                );
            }
        }
        (unproven, tricky)
    };
    let (without, _) = unproven("");
    assert!(without > 8, "{without} of 48");
    assert_eq!(unproven("redraw until witness"), (0, 0));
}

/// A turn depends on definition, seed and index only, and not on what was drawn and remembered before.
#[test]
fn redrawn_turns_depend_on_nothing_else() {
    let plan = plan(&half("redraw until witness"));
    let fresh = |index| drawn(&Drawer::new(&plan, "talk").unwrap(), index);
    let shared = Drawer::new(&plan, "talk").unwrap();
    let forward: Vec<_> = (0..6).map(|index| drawn(&shared, index)).collect();
    for index in (0..6).rev() {
        assert_eq!(forward[index as usize], fresh(index));
        assert_eq!(forward[index as usize], drawn(&shared, index));
    }
    // Without the messages before it.
    let mut script = shared.script(Seed(1), 3);
    script.skip_to(4).unwrap();
    assert_eq!(script.next().unwrap().unwrap(), forward[3][3]);
    // Something was drawn again, and the rejected draws are reported.
    let tries = forward.iter().flatten().map(|turn| turn.tries).max();
    assert!(tries > Some(1), "{tries:?}");
}

#[test]
fn turns_that_cannot_be_drawn_are_named() {
    let main = half("redraw until witness within 5 draws")
        .replace("  constraint some(n: int in 5..=20) { say \"{{ n }} words.\" check count(word) == n }\n", "")
        .replace("  constraint plain(banned: one_of [\"a\", \"e\"]) { say \"No {{ banned }}.\" check not contains(banned) }\n", "");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("main.ifs"), main).unwrap();
    ifs(folder.path(), &["check", "main.ifs"])
        .ends(3)
        .says("unproven-turn")
        .says("has no witness in 5 draws");
    for wrong in ["0", "-1", "2.5", "1000001"] {
        let main = half(&format!("redraw until witness within {wrong} draws"));
        let found = find_in(&MemoryWorld::new([("main.ifs", &*main)]), "main.ifs");
        assert!(found.errors() > 0, "{wrong}: {:?}", found.diagnostics);
    }
}

#[test]
fn check_warns_of_turns_without_a_witness() {
    let codes = |main: &str| -> Vec<&str> {
        let mut checked = find_in(&MemoryWorld::new([("main.ifs", main)]), "main.ifs");
        checked.draw_first();
        checked.diagnostics.iter().map(|found| found.code.name()).collect()
    };
    assert_eq!(codes(&half("")), ["unproven-turn"]);
    assert!(!codes(&half("redraw until witness")).contains(&"unproven-turn"));
    let golden = "ifs 1\ndialogue talk { turn t { ask \"Which mark?\"\nrequire mark count(word) == 0 and count(char) == 1\nANSWER } }\n";
    assert_eq!(codes(&golden.replace("ANSWER", "")), ["unproven-turn"]);
    // An answer by hand is a witness, whatever it looks like.
    assert_eq!(codes(&golden.replace("ANSWER", "answer \"?\"")), [""; 0]);
}

#[test]
fn releases_have_a_witness_for_every_turn() {
    let folder = TempDir::new().unwrap();
    let main = folder.path().join("main.ifs");
    let release = |out: &str, more: &[&str]| {
        let mut args = vec!["release", "main.ifs", "-n", "6", "--out", out];
        args.extend(more);
        ifs(folder.path(), &args)
    };
    fs::write(&main, half("")).unwrap();
    release("refused", &[]).ends(3).says("no text was found that satisfies").says("dialogue ");
    assert!(!folder.path().join("refused/manifest.json").exists());
    release("allowed", &["--allow-unproven"]).ends(0);
    let manifest = || -> serde_json::Value {
        let text = fs::read_to_string(folder.path().join("allowed/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(manifest()["allow_unproven"], true);
    assert!(manifest()["coverage"]["without_witness"].as_u64() > Some(0));
    ifs(folder.path(), &["verify", "allowed", "--scenario", "main.ifs"]).ends(0);
    // The manifest does not say that it was allowed where it was not needed.
    fs::write(&main, half("redraw until witness")).unwrap();
    release("proven", &[]).ends(0);
    let text = fs::read_to_string(folder.path().join("proven/manifest.json")).unwrap();
    assert!(!text.contains("allow_unproven"), "{text}");
}

/// EvolIF: natural texts for all turns of a sample; the docs have the figure for 15,000 turns.
#[test]
fn evolif_draws_turns_with_natural_witnesses() {
    let (world, name) = ifs::program::open("scenarios/evolif".as_ref()).unwrap();
    let plan = build(check(&world, &name).model.unwrap());
    let drawer = Drawer::new(&plan, "evolving").unwrap();
    let mut turns = 0;
    for index in 0..6 {
        let mut prover = Prover::new(&plan, "evolving");
        for turn in drawer.script(Seed(1), index).take(30) {
            let turn = turn.unwrap();
            match prover.prove(&turn) {
                Proof::Witness(text) => assert!(!text.contains("<!--"), "{index}: {text}"),
                Proof::Nothing => {}
                Proof::Missing(set) => panic!("{index}, turn {}: {set:?}", turn.turn),
            }
            turns += 1;
        }
    }
    assert_eq!(turns, 180);
}
