//! Statements act in written turns, in flows of topics, and in dialogues with
//! both.

use ifs::diagnostic::Code;
use ifs::model::check;
use ifs::model::table::Move;
use ifs::plan::{Plan, analysis, build};
use ifs::script::{Drawer, ScriptState, ScriptTurn, Seed};
use ifs::world::MemoryWorld;

const TOPICS: &str = r#"{"name":"tides","request":"Why are there two tides a day?"}
{"name":"yeast","request":"What does yeast do in a dough?"}
{"name":"moss","request":"Where does moss grow?"}
{"name":"rust","request":"Why does iron rust?"}
"#;

const PEOPLE: &str = r#"{"name":"Ada","items":["a","b","c"]}
{"name":"Bo","items":["a","b","c"]}
"#;

const HEAD: &str = r#"ifs 1
import topics "topics.jsonl"
import people "people.jsonl"
constraint plain { say "No lists." check count(item) == 0 }
constraint calm { say "No exclamation marks." check not contains("!") }
constraint ending { say "End with a full stop." check ends_with(".") }
"#;

fn checked(dialogue: &str) -> (Option<Plan>, Vec<String>) {
    let program = format!("{HEAD}\n{dialogue}");
    let files =
        [("main.ifs", program.as_str()), ("topics.jsonl", TOPICS), ("people.jsonl", PEOPLE)];
    let checked = check(&MemoryWorld::new(files), "main.ifs");
    let found = checked.diagnostics.list.iter().map(|found| found.message.clone());
    let found = found.collect();
    (checked.model.map(build), found)
}

#[track_caller]
fn plan(dialogue: &str) -> Plan {
    let (plan, found) = checked(dialogue);
    plan.unwrap_or_else(|| panic!("{found:?}"))
}

#[track_caller]
fn turns(dialogue: &str, index: u64) -> Vec<ScriptTurn> {
    let plan = plan(dialogue);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    drawer.script(Seed(1), index).take(60).map(Result::unwrap).collect()
}

#[test]
fn names_of_the_dialogue_have_values_in_a_flow_of_topics() {
    let found = turns(
        r#"dialogue talk over people as p {
          topic from topics
          constraints from plain, calm, ending
          let   most = len(p.items)
          param tone: one_of ["polite", "short"]
          system "You serve {{ p.name }}. Be {{ tone }}."
          report CSR by tone
          start with most - 1 constraints
          scope dialogue
          flow { switch 50% { new 40% backtrack 60% } }
          end when turns >= most
        }"#,
        0,
    );
    assert_eq!(found.len(), 3, "`end when turns >= most`");
    assert_eq!(found[0].active_constraints.len(), 2, "`start with most - 1 constraints`");
    let slice = found[0].slice.clone().unwrap();
    assert!(["polite", "short"].contains(&slice.as_str()));
    assert_eq!(found[0].system, Some(format!("You serve Ada. Be {slice}.")));
    assert!(found[1].system.is_none() && found[1].slice.is_none());
}

#[test]
fn guards_see_names_of_the_dialogue() {
    let found = turns(
        r#"dialogue talk {
          topic from topics
          let k = 4
          flow { stay at least 9 turns  switch 0%  when turns >= k { stay at least 1 turn  switch 100% { new 100% } } }
          end when turns >= 7
        }"#,
        0,
    );
    let moves: Vec<&str> = found.iter().map(|turn| turn.transition.word()).collect();
    assert_eq!(moves, ["new", "stay", "stay", "stay", "new", "new", "new"]);
}

#[test]
fn end_conditions_hold_in_drawn_scripts() {
    let found = turns(
        r#"dialogue talk {
          let k = 2
          turn one { ask "One?" }
          turn two { ask "Two?" }
          turn three { ask "Three?" }
          end when turns >= k
        }"#,
        0,
    );
    assert_eq!(found.len(), 2);
}

const MIXED: &str = r#"dialogue talk {
  topic from topics
  constraints from plain, calm, ending
  start with 1 constraint
  scope topic
  turn hello { ask "Hello, can you help me?"  impose 1 from ending scope dialogue }
  flow {
    stay at least 2 turns
    switch 50% { new 60% backtrack 40% }
    turn                         { require short count(word) <= 80 }
    turn backtrack recalls topic
    turn stay                    { require same contains("e") }
    until topics == 3
  }
  evolve one per turn { add 60%  modify 20%  drop 20% }
  for n in [1, 2] { turn more refines hello { ask "And point {{ n }}?" } }
  turn bye summarizes hello { ask "Sum up, please." }
  end when turns >= 50
}"#;

#[test]
fn written_turns_before_and_after_a_flow_of_topics() {
    for index in 0..20 {
        let found = turns(MIXED, index);
        assert_eq!(found[0].name, "hello");
        let ask = &found[0].ask;
        assert!(ask.ends_with("\n\nHello, can you help me?") && ask.contains("full stop"), "{ask}");
        assert_eq!(found[0].topic, "", "no topic is open before the flow");
        assert!(found[0].active_constraints.iter().all(|active| active.constraint == "ending"));
        assert_eq!((found[1].transition.word(), found[1].topic.is_empty()), ("new", false));
        let names: Vec<&str> = found.iter().rev().take(3).map(|turn| turn.name.as_str()).collect();
        assert_eq!(names, ["bye", "more", "more"], "{index}");
        assert!(found[found.len() - 3].ask.ends_with("And point 1?"));
        let flow = &found[1..found.len() - 3];
        assert_eq!(
            flow.last().unwrap().transition,
            Move::New,
            "left as soon as there are three topics"
        );
        assert_eq!(flow.iter().filter(|turn| turn.transition == Move::New).count(), 3);
        for (at, turn) in flow.iter().enumerate() {
            let names: Vec<&str> = turn.criteria.iter().map(|it| it.name.as_str()).collect();
            assert!(names.contains(&"short"), "{names:?}");
            assert_eq!(names.contains(&"same"), turn.transition == Move::Stay);
            assert_eq!(turn.relations.len(), usize::from(turn.transition == Move::Backtrack));
            for relation in &turn.relations {
                let same = |other: &&ScriptTurn| other.topic == turn.topic;
                let last = flow[..at].iter().rfind(same).unwrap().turn;
                assert_eq!(relation.to, [last], "the last turn on the topic");
                assert!(turn.ask.contains(&turn.topic), "{}", turn.ask);
            }
        }
        let kept =
            |turn: &ScriptTurn| turn.active_constraints.iter().any(|it| it.constraint == "ending");
        assert!(found.iter().all(kept), "imposed for the whole dialogue");
    }
}

#[test]
fn mixtures_do_not_depend_on_the_first_turn() {
    let plan = plan(MIXED);
    let again = Plan::from_json(&plan.to_json()).unwrap();
    let drawer = Drawer::new(&plan, "talk").unwrap();
    for index in 0..5 {
        let complete: Vec<ScriptTurn> = drawer.script(Seed(1), index).map(Result::unwrap).collect();
        let read = Drawer::new(&again, "talk").unwrap();
        assert_eq!(read.script(Seed(1), index).map(Result::unwrap).collect::<Vec<_>>(), complete);
        for from in 1..=complete.len() {
            let mut script = drawer.script(Seed(1), index);
            script.skip_to(from as u32).unwrap();
            let state: ScriptState =
                serde_json::from_str(&serde_json::to_string(script.state()).unwrap()).unwrap();
            let resumed = drawer.resume(Seed(1), index, state).map(Result::unwrap);
            assert_eq!(resumed.collect::<Vec<_>>(), complete[from - 1..], "{index} from {from}");
        }
    }
}

#[test]
fn a_turn_before_the_flow_does_not_change_its_moves() {
    let moves = |dialogue: &str, behind: usize| -> Vec<(Move, String)> {
        let found = turns(dialogue, 3);
        let flow = found.into_iter().skip(behind).take(12);
        flow.map(|turn| (turn.transition, turn.topic)).collect()
    };
    let flow = "flow { switch 50% { new 60% backtrack 40% } } end when turns >= 30";
    let alone = format!("dialogue talk {{ topic from topics  {flow} }}");
    let mixed =
        format!("dialogue talk {{ topic from topics  turn hello {{ ask \"Hello.\" }}  {flow} }}");
    assert_eq!(moves(&alone, 0), moves(&mixed, 1));
}

#[test]
fn a_relation_goes_back_to_an_earlier_topic() {
    let found = turns(
        r#"dialogue talk {
          topic from topics
          turn a
          turn b unrelated
          turn c refines a
        }"#,
        0,
    );
    let moves: Vec<(&str, &str)> =
        found.iter().map(|turn| (turn.transition.word(), turn.topic.as_str())).collect();
    assert_eq!(moves.iter().map(|(to, _)| *to).collect::<Vec<_>>(), ["new", "new", "backtrack"]);
    assert_eq!(moves[0].1, moves[2].1);
}

#[test]
fn statements_invalid_in_topic_flows_are_errors() {
    let flow = |inner: &str| {
        let talk = format!(
            "dialogue talk {{ topic from topics  flow {{ {inner} }}  end when turns >= 9 }}"
        );
        checked(&talk).1
    };
    assert_eq!(
        flow("turn again { ask \"Again.\" }"),
        ["`again` is not a move of a flow of topics"]
    );
    assert_eq!(flow("turn new refines topic"), ["a new topic has no earlier turn"]);
    assert_eq!(
        flow("when turns >= 3 { until turns >= 4 }"),
        ["only `stay` and `switch` depend on a `when` of a flow"]
    );
}

#[test]
fn a_condition_without_a_value_is_an_error() {
    let plan = plan(
        r#"dialogue talk over people as p {
          topic from topics
          flow { switch 50% }
          end when turns >= len(p.items[5])
          endless
        }"#,
    );
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let found: Vec<_> = drawer.script(Seed(1), 0).collect();
    assert_eq!(found.len(), 2, "one turn, and the error");
    assert!(found[1].as_ref().unwrap_err().to_string().contains("has no value"));
}

/// A bound may be computed from the dialogue's names, and `until` is one.
#[test]
fn computed_values_bound_dialogues() {
    let longest = |names: &str, flow: &str, end: &str| {
        let talk = format!(
            "dialogue talk over people as p {{ topic from topics  impose plain  {names} \
             turn hello {{ ask \"Hello, {{{{ p.name }}}}.\" }}  {flow} \
             turn bye {{ ask \"Goodbye.\" }}  {end} }}"
        );
        let plan = plan(&talk);
        let found =
            analysis::check(&plan).into_iter().find(|found| found.code == Code::ENDLESS_FLOW);
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let turns = |index| drawer.script(Seed(1), index).map(Result::unwrap).count();
        (found.map(|found| found.message), (0..20).map(turns).max().unwrap())
    };
    let without = "flow { switch 50% }";
    assert_eq!(longest("", "flow { switch 50%  until turns >= 4 }", ""), (None, 5));
    assert_eq!(longest("let k = 2", "flow { switch 50%  until turns >= 3 * k }", ""), (None, 7));
    assert_eq!(longest("", "flow { switch 50%  until turns >= len(p.items) * 2 }", ""), (None, 7));
    // Nothing runs after a flow that is never left.
    let (found, turns) = longest("param k: int in 2..=4", without, "end when turns >= 2 * k");
    assert_eq!((found, turns), (None, 8));
    let (found, _) = longest("", "flow { switch 50%  until topics == 9 }", "end when turns >= 30");
    assert_eq!(found.as_deref(), Some("dialogue `talk` can never end"));
    let unsure = "flow { switch 50%  until topics == 3 }";
    let plan = plan(&format!("dialogue talk {{ topic from topics  impose plain  {unsure} }}"));
    let found = analysis::check(&plan).into_iter().find(|found| found.code == Code::ENDLESS_FLOW);
    assert_eq!(found.unwrap().message, "dialogue `talk` may never end");
}

/// A range alone is not a value, and the right side of `or` may never be evaluated.
#[test]
fn a_rule_with_all_its_values_is_drawn() {
    for rule in [
        "count(word) in 1..=len(p.items)",
        "join((word)[1..=len(p.items)], \" \") == \"a b\"",
        "count(word) >= 1 or p.items[9] == \"a\"",
        "len(p.items) < 9 or p.items[9] == \"a\"",
        "if len(p.items) > 8 then p.items[9] == \"a\" else count(word) > 1",
    ] {
        let plan = plan(&format!(
            "dialogue talk over people as p {{ turn {{ ask \"{{{{ p.name }}}}\"  require r {rule} }} }}"
        ));
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let found: Result<Vec<_>, _> = drawer.script(Seed(1), 0).collect();
        assert!(found.is_ok(), "{rule}: {found:?}");
    }
}

#[test]
fn turns_without_ask_state_their_requirements() {
    let found = turns(
        r#"dialogue talk {
          topic from topics
          flow {
            switch 50% { new 50%  backtrack 50% }
            turn { require short count(word) <= 80 say "At most 80 words." }
            turn new { ask "Now {{ topic.name }}, in 80 words." }
            until topics == 3
          }
          turn bye { ask "Sum up." require calm not contains("!") say "No shouting." }
          end when turns >= 30
        }"#,
        1,
    );
    let silent = |turn: &&ScriptTurn| turn.transition != Move::New && turn.ask != "Sum up.";
    assert!(found.iter().filter(silent).count() > 1);
    for turn in found {
        let said = turn.ask.to_lowercase().matches("at most 80 words.").count();
        match (turn.transition.word(), turn.ask.as_str()) {
            // What is written is sent as it is.
            ("new", ask) => assert_eq!(ask, format!("Now {}, in 80 words.", turn.topic)),
            (_, "Sum up.") => {}
            (_, ask) => assert_eq!(said, 1, "{ask}"),
        }
    }
}

#[test]
fn restored_constraints_are_stated_on_written_turns() {
    for written in ["turn backtrack recalls topic", r#"turn backtrack { ask "Back again." }"#] {
        let found = turns(
            &format!(
                r#"dialogue talk {{
                  topic from topics
                  constraints from plain, calm, ending
                  start with 3 constraints
                  scope topic says "Instructions belong to their topic."
                  flow {{ switch 90% {{ new 50%  backtrack 50% }} {written} }}
                  end when turns >= 12
                }}"#
            ),
            0,
        );
        let back: Vec<_> = found.iter().filter(|turn| turn.transition == Move::Backtrack).collect();
        assert!(!back.is_empty());
        for turn in back {
            for said in ["No lists.", "No exclamation marks.", "End with a full stop."] {
                assert_eq!(turn.ask.matches(said).count(), 1, "{written}: {}", turn.ask);
            }
        }
    }
}

#[test]
fn several_changes_of_one_group_are_one() {
    let mut back = 0;
    for index in 0..20 {
        let found = turns(
            r#"dialogue talk {
              topic from topics
              constraints from plain, calm
              start with 1 constraint
              flow { switch 10% }
              evolve 3 per turn { add 50%  drop 50% }
              end when turns >= 8
            }"#,
            index,
        );
        for pair in found.windows(2) {
            let names = |turn: &ScriptTurn| -> Vec<(String, u32)> {
                turn.active_constraints.iter().map(|it| (it.constraint.clone(), it.since)).collect()
            };
            let (before, after) = (names(&pair[0]), names(&pair[1]));
            // Each of the two groups is said to change at most once, and only where it did.
            let changed: Vec<_> = pair[1].changes.iter().collect();
            assert!(changed.len() <= 2);
            for it in changed {
                let active = it.after.as_ref().or(it.before.as_ref()).unwrap();
                let has = |all: &[(String, u32)]| all.iter().any(|it| it.0 == active.constraint);
                assert_ne!(has(&before), has(&after), "{}", pair[1].ask);
            }
            back += usize::from(pair[1].changes.len() == 1 && before == after);
            let kept = before.iter().filter(|it| after.iter().any(|now| now.0 == it.0));
            for it in kept {
                assert!(after.contains(it), "{it:?} is not as old as it was: {after:?}");
            }
        }
    }
    assert_eq!(back, 0);
}

#[test]
fn inapplicable_constraints_are_not_repeated() {
    let program = "constraint odd { say \"End with a question.\" check ends_with(\"?\") applies when reply % 2 == 0 }\n\
        constraint short { say \"Be short.\" check count(word) < 50 }\n\
        dialogue talk { impose odd\nimpose short\nrepeat instructions at end\n\
        turn a { ask \"One.\" }\nturn b { ask \"Two.\" }\nturn c { ask \"Three.\" } }\n";
    let plan = plan(program);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let said: Vec<(bool, bool)> = drawer
        .script(Seed(1), 0)
        .map(|turn| turn.unwrap().reminder.unwrap())
        .map(|said| (said.contains("End with a question."), said.contains("Be short.")))
        .collect();
    assert_eq!(said, [(false, true), (true, true), (false, true)]);
}
