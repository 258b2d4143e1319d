//! What `impose` gives: whose it is, for how long, and what is said of it.

use ifs::model::check;
use ifs::model::table::Change;
use ifs::plan::{Plan, build};
use ifs::script::{Drawer, ScriptTurn, Seed, TopicState};
use ifs::world::MemoryWorld;

const TOPICS: &str = r#"{"name":"tides","request":"Why are there two tides a day?"}
{"name":"yeast","request":"What does yeast do in a dough?"}
{"name":"moss","request":"Where does moss grow?"}
"#;

const GROUPS: &str = r#"
import topics "topics.jsonl"
group length {
  constraint at_most(n: int in 30..=90 step 10) { say "At most {{ n }} words." check count(word) <= n }
  constraint at_least(n: int in 2..=9) { say "At least {{ n }} words." check count(word) >= n }
}
constraint plain { say "No lists." check count(item) == 0 }
constraint calm { say "No exclamation marks." check not contains("!") }
constraint ending { say "End with a full stop." check ends_with(".") }
"#;

const FLOW: &str = "flow { switch 60% { new 40% backtrack 60% } }";

fn checked(dialogue: &str) -> (Option<Plan>, Vec<String>) {
    let program = format!("ifs 1\n{GROUPS}\n{dialogue}");
    let files = [("main.ifs", program.as_str()), ("topics.jsonl", TOPICS)];
    let checked = check(&MemoryWorld::new(files), "main.ifs");
    let found = checked.diagnostics.list.iter().map(|found| found.message.clone());
    let found = found.collect();
    (checked.model.map(build), found)
}

#[track_caller]
fn turns(dialogue: &str, index: u64) -> Vec<ScriptTurn> {
    let (plan, found) = checked(dialogue);
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let drawer = Drawer::new(&plan, &plan.dialogues[0].table.name).unwrap();
    drawer.script(Seed(1), index).take(40).map(Result::unwrap).collect()
}

fn names(turn: &ScriptTurn) -> Vec<&str> {
    turn.in_force.iter().map(|active| active.constraint.as_str()).collect()
}

/// Every constraint that is no longer active on a topic was withdrawn in words.
#[test]
fn what_expires_on_one_topic_stays_on_the_others() {
    let talk = format!(
        "dialogue talk {{
           topic from topics
           constraints from plain, calm, ending
           start with 2 constraints
           scope topic
           {FLOW}
           impose 1 from plain, calm, ending scope turn
           evolve one per turn {{ add 70%  modify 15%  drop 15% }}
           end when turns >= 40
         }}"
    );
    let (plan, found) = checked(&talk);
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let (mut returned, mut expired) = (0, 0);
    for index in 0..30 {
        let mut script = drawer.script(Seed(1), index);
        let mut before: Vec<Vec<String>> = Vec::new();
        while let Some(turn) = script.next() {
            let turn = turn.unwrap();
            let own = |topic: &TopicState| -> Vec<String> {
                topic.held.iter().map(|held| held.active.constraint.clone()).collect()
            };
            let now: Vec<Vec<String>> = script.state().topics.iter().map(own).collect();
            let withdrawn = |name: &String| {
                let mut gone = turn.changes.iter().filter_map(|changed| changed.before.as_ref());
                gone.any(|before| before.constraint == *name)
            };
            for (at, held) in before.iter().enumerate() {
                let here = script.state().current == Some(at);
                for name in held {
                    let kept = now[at].contains(name) || here && withdrawn(name);
                    assert!(kept, "{index}, turn {}: {name}", turn.turn);
                }
            }
            returned += usize::from(turn.transition == "backtrack");
            expired += script.state().held.len();
            before = now;
        }
    }
    assert!(returned > 100 && expired > 100, "{returned}, {expired}");
}

#[test]
fn evolve_leaves_alone_what_impose_gave() {
    let talk = format!(
        "dialogue talk {{
           topic from topics
           constraints from length, plain, calm
           start with 1 constraint
           {FLOW}
           impose 1 new group from ending scope dialogue
           evolve 3 per turn {{ modify 50%  drop 50% }}
           end when turns >= 40
         }}"
    );
    let mut dropped = 0;
    for index in 0..20 {
        for turn in turns(&talk, index) {
            assert!(names(&turn).contains(&"ending"), "turn {}", turn.turn);
            for changed in &turn.changes {
                let touched = changed.before.iter().any(|before| before.constraint == "ending");
                assert!(!touched, "turn {}: {:?}", turn.turn, changed.change);
                dropped += usize::from(changed.change == Change::Drop);
            }
        }
    }
    assert!(dropped >= 20, "{dropped}");
}

/// With `scope turn` the pool's own are gone after each turn, and nobody else's.
#[test]
fn a_scope_ends_what_it_is_the_scope_of() {
    let talk = format!(
        "dialogue talk {{
           topic from topics
           constraints from plain, calm
           start with 2 constraints
           scope turn
           {FLOW}
           impose 1 new group from ending scope dialogue
           end when turns >= 5
         }}"
    );
    let turns = turns(&talk, 0);
    assert_eq!(names(&turns[0]), ["calm", "ending", "plain"]);
    for turn in &turns[1..] {
        assert_eq!((names(turn), turn.changes.len()), (vec!["ending"], 0));
    }
}
