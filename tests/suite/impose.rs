//! Constraints of `impose`: their owner, their scope and how they are stated.

use ifs::model::check;
use ifs::model::table::{Change, Dialogue, Move};
use ifs::plan::{Plan, analysis, build};
use ifs::script::{Active, Drawer, InstructionChange, ScriptTurn, Seed, TopicState};
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
    let found = found.filter(|message| message != "`topics` is never used");
    let mut found: Vec<String> = found.collect();
    let plan = checked.model.map(build);
    if let Some(plan) = &plan {
        found.extend(analysis::check(plan).into_iter().map(|found| found.message));
    }
    (plan, found)
}

#[track_caller]
fn turns(dialogue: &str, index: u64) -> Vec<ScriptTurn> {
    let (plan, found) = checked(dialogue);
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let drawer = Drawer::new(&plan, &plan.model.dialogues[0].name).unwrap();
    drawer.script(Seed(1), index).take(40).map(Result::unwrap).collect()
}

fn names(turn: &ScriptTurn) -> Vec<&str> {
    turn.active_constraints.iter().map(|active| active.constraint.as_str()).collect()
}

/// Every constraint that is no longer active on a topic was withdrawn in words.
#[test]
fn expiry_on_one_topic_keeps_the_others() {
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
            returned += usize::from(turn.transition == Move::Backtrack);
            expired += script.state().held.len();
            before = now;
        }
    }
    assert!(returned > 100 && expired > 100, "{returned}, {expired}");
}

#[test]
fn evolve_keeps_imposed_constraints() {
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

/// With `scope turn`, only the constraints of the pool end after each turn.
#[test]
fn scopes_end_their_constraints() {
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

fn reported(turn: &ScriptTurn) -> Vec<String> {
    let shown = |active: &Active| {
        let args: Vec<String> = active.args.iter().map(|(_, value)| value.to_string()).collect();
        format!("{}({})", active.constraint, args.join(", "))
    };
    let change = |changed: &InstructionChange| {
        let before = changed.before.iter().map(|active| shown(active));
        let after = changed.after.iter().map(|active| shown(active));
        let parts: Vec<String> = before.chain(after).collect();
        format!("{} {}", changed.change.word(), parts.join(" -> "))
    };
    turn.changes.iter().map(change).collect()
}

fn spoken(dialogue: &str) -> Vec<Vec<String>> {
    turns(dialogue, 0).iter().map(reported).collect()
}

#[test]
fn one_constraint_is_imposed_by_its_name_from_a_turn_on() {
    let talk = "dialogue talk {
        let most = 3
        for n in [1, 2, 3, 4, 5] { turn { let more = n + 1 ask \"And {{ n }}?\" } }
        impose calm
        from turn 3 impose length.at_most(n: 10 * most + 10)
        from turn 5 impose length.at_most(n: 90)
    }";
    let said = spoken(talk);
    let nothing: [&str; 0] = [];
    assert_eq!(said[0], ["add calm()"]);
    assert_eq!(said[1], nothing);
    assert_eq!(said[2], ["add length.at_most(40)"]);
    assert_eq!(said[3], nothing);
    assert_eq!(said[4], ["modify length.at_most(40) -> length.at_most(90)"]);
    let turns = turns(talk, 0);
    assert_eq!(names(&turns[4]), ["calm", "length.at_most"]);
    // The age counts from the turn that imposed a constraint.
    assert_eq!(turns[3].active_constraints[1].since, 3);
    assert!(turns[2].ask.contains("at most 40 words."), "{}", turns[2].ask);
}

#[test]
fn values_use_the_scope_of_their_place() {
    let talk = "dialogue talk {
        for n in [1, 2, 3] {
          turn { let words = n + 1 ask \"And {{ n }}?\" impose length.at_least(n: words + turn) }
        }
        impose length.at_most(n: 40 + 10 * turn) scope turn with probability 1
    }";
    // Both belong to one group: the turn's constraint precedes the dialogue's.
    let said = spoken(talk);
    assert_eq!(said[0], ["add length.at_least(3)"]);
    assert_eq!(said[1], ["add length.at_least(5)"]);
    assert_eq!(said[2], ["add length.at_least(7)"]);
}

#[test]
fn displaced_constraints_return_and_are_stated() {
    let talk = "dialogue talk {
        turn a { ask \"A?\" }
        turn b { ask \"B?\" impose length.at_most(n: 30) }
        turn c { ask \"C?\" }
        turn d { ask \"D?\" impose length.at_most(n: 60) scope dialogue }
        turn e { ask \"E?\" }
        turn f { ask \"F?\" impose length.at_most(n: 60) }
        turn g { ask \"G?\" }
        impose length.at_most(n: 90)
    }";
    let said = spoken(talk);
    let modify =
        |from: u32, to: u32| vec![format!("modify length.at_most({from}) -> length.at_most({to})")];
    assert_eq!(said[0], ["add length.at_most(90)"]);
    assert_eq!(said[1], modify(90, 30));
    assert_eq!(said[2], modify(30, 90));
    assert_eq!(said[3], modify(90, 60));
    assert!(said[4..].iter().all(Vec::is_empty), "{:?}", &said[4..]);
}

/// In a flow of topics too, where the pool's constraint is replaced.
#[test]
fn imposed_constraints_precede_drawn_ones() {
    let talk = format!(
        "dialogue talk {{
           topic from topics
           constraints from length, plain
           start with 2 constraints
           scope topic
           {FLOW}
           from turn 6 impose length.at_least(n: 9)
           from turn 9 impose bullets
           evolve one per turn {{ add 40%  modify 40%  drop 20% }}
           end when turns >= 30
         }}
         constraint bullets {{ say \"A list, please.\" check count(item) >= 2 }}"
    );
    let mut dropped = 0;
    for index in 0..20 {
        let turns = turns(&talk, index);
        for turn in &turns {
            let now = names(turn);
            assert_eq!(now.contains(&"bullets"), turn.turn >= 9, "{now:?}");
            if turn.turn >= 6 {
                assert!(now.contains(&"length.at_least"), "turn {}: {now:?}", turn.turn);
            }
            if turn.turn >= 9 {
                assert!(!now.contains(&"plain"), "turn {}: {now:?}", turn.turn);
                dropped += usize::from(reported(turn).contains(&"drop plain()".to_owned()));
            }
        }
        assert_eq!(turns.len(), 30);
    }
    assert!(dropped > 5, "{dropped}");
}

#[test]
fn variants_add_imposes() {
    let (plan, found) = checked(
        "dialogue talk {
           turn a { ask \"A?\" }
           turn b { ask \"B?\" }
           impose calm
           variant short { from turn 2 impose length.at_most(n: 30) }
         }",
    );
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let short = plan.varied("talk", "short").unwrap();
    let drawer = Drawer::new(&short, "talk").unwrap();
    let turns: Vec<ScriptTurn> = drawer.script(Seed(1), 0).map(Result::unwrap).collect();
    assert_eq!(reported(&turns[0]), ["add calm()"]);
    assert_eq!(reported(&turns[1]), ["add length.at_most(30)"]);
}

#[test]
fn mistakes_in_imposes_by_name() {
    let cases = [
        ("impose spanish", "there is no `spanish`"),
        ("impose length", "`length` is a group of 2 constraints"),
        ("impose length.at_mots(n: 30)", "`length` has no constraint `at_mots`"),
        ("impose length.at_most", "`length.at_most` needs `n`"),
        ("impose length.at_most(m: 30)", "`length.at_most` has no parameter `m`"),
        ("impose length.at_most(n: 30, n: 40)", "`n` is given twice"),
        ("impose calm(n: 30)", "`calm` has no parameter `n`"),
        ("impose length.at_most(n: \"a\")", "a text where a whole number is expected"),
        (
            "impose length.at_most(n: 45)",
            "`45` is outside of the domain of `n` of `length.at_most`",
        ),
        (
            "impose length.at_most(n: 100)",
            "`100` is outside of the domain of `n` of `length.at_most`",
        ),
        ("impose length.at_most(45)", "the arguments of a constraint have names"),
        ("from turn 0 impose calm", "there is no turn 0"),
        ("impose 1 from length.at_most", "`length.at_most` is a member of the group `length`"),
    ];
    for (written, message) in cases {
        let (_, found) = checked(&format!("dialogue talk {{ turn {{ ask \"A?\" }} {written} }}"));
        assert!(found.first().is_some_and(|found| found == message), "{written}: {found:?}");
    }
    // Names of a turn are evaluated there.
    let (_, found) =
        checked("dialogue talk { turn { ask \"A?\" impose length.at_most(n: nothing_known) } }");
    assert_eq!(found.len(), 1, "{found:?}");
}

/// An invalid value that is known only when drawn is an error of the scenario, with the valid ones.
#[test]
fn a_value_outside_of_its_domain_is_not_imposed() {
    let (plan, found) =
        checked("dialogue talk { turn { ask \"A?\" } impose length.at_most(n: 41 + turn) }");
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let error = drawer.script(Seed(1), 0).next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`n` of `length.at_most` is given `42` on turn 1, and is from 30 to 90 in steps of 10; \
         found on turn 1 of dialogue `talk` number 0"
    );
}

#[test]
fn imposes_by_name_are_checked_for_contradictions() {
    let (_, found) = checked(
        "dialogue talk {
           turn { ask \"A?\" }
           impose length.at_most(n: 30)
           impose long(n: 40)
         }
         constraint long(n: int in 20..=50) { say \"Over {{ n }} words.\" check count(word) > n }",
    );
    assert_eq!(found, ["`length.at_most` and `long` can never hold together"]);
    let (plan, found) = checked(
        "dialogue talk {
           turn { ask \"A?\" }
           impose length.at_most(n: 30)
           impose long(n: 20)
         }
         constraint long(n: int in 20..=50) { say \"Over {{ n }} words.\" check count(word) > n }",
    );
    assert!(plan.is_some() && found.is_empty(), "{found:?}");
}

#[test]
fn undrawable_constraints_are_reported_once() {
    let three = "turn a { ask \"A?\" impose 1 new group from std.ifeval }
        turn b { ask \"B?\" impose 1 new group from std.ifeval }
        turn c { ask \"C?\" impose 1 new group from std.ifeval }";
    let program = format!("ifs 1\ndialogue talk {{ {three} }}");
    let checked = check(&MemoryWorld::new([("main.ifs", program.as_str())]), "main.ifs");
    let [only] = checked.diagnostics.list.as_slice() else {
        panic!("{:?}", checked.diagnostics.list.len())
    };
    assert_eq!(only.labels.len(), 3);
    assert!(
        only.help.as_deref().is_some_and(|help| help.contains("`impose std.ifeval.")),
        "{only:?}"
    );
    let given = "ifs 1\ndialogue talk { turn a { ask \"A?\"
        impose std.ifeval.length_constraints.number_words(num_words: 50, relation: \"at least\") } }";
    let checked = check(&MemoryWorld::new([("main.ifs", given)]), "main.ifs");
    let reported: Vec<&String> =
        checked.diagnostics.list.iter().map(|found| &found.message).collect();
    assert!(checked.model.is_some() && reported.is_empty(), "{reported:?}");
}

/// A name alone is a number if a number has that name.
#[test]
fn numbers_by_name_draw() {
    let talk = "dialogue talk {
        let calm = 2
        turn { ask \"A?\" impose calm from plain, ending impose calm }
    }";
    let turns = turns(talk, 0);
    assert_eq!(turns[0].active_constraints.len(), 4, "{:?}", names(&turns[0]));
}

#[test]
fn inapplicable_constraints_are_not_stated() {
    let talk = "dialogue talk {
        for n in [1, 2, 3, 4] { turn { ask \"And {{ n }}?\" } }
        impose third
        from turn 2 impose length.at_most(n: 10 * turn + 30) applies when reply >= 4
    }
    constraint third {
        say \"In every third answer, no exclamation marks.\"
        check not contains(\"!\")
        applies when reply % 3 == 0
    }";
    let said = spoken(talk);
    let nothing: [&str; 0] = [];
    assert_eq!(said[0], nothing);
    assert_eq!(said[1], nothing);
    assert_eq!(said[2], ["add third()"]);
    assert_eq!(said[3], ["add length.at_most(70)"]);
}

#[test]
fn a_flow_of_topics_has_a_bound_or_is_endless() {
    let talk = |more: &str| {
        let flow = format!("topic from topics {FLOW} start with 1 constraint");
        checked(&format!("dialogue talk {{ {flow} constraints from calm {more} }}"))
    };
    let most = |more: &str| {
        let (plan, found) = talk(more);
        let plan = plan.unwrap_or_else(|| panic!("{more}: {found:?}"));
        assert!(found.is_empty(), "{more}: {found:?}");
        analysis::expectations(&plan, plan.dialogues().next().unwrap()).max_turns
    };
    assert_eq!(most("patience 3 end when patience == 0 or turns >= 20"), Some(20));
    assert_eq!(most("patience 3 end when patience == 0 endless"), None);
    assert_eq!(most("endless"), None);
    let (_, found) = talk("patience 3 end when patience == 0");
    assert_eq!(found, ["dialogue `talk` may never end"]);
    let (_, found) = talk("end when turns >= 20 endless");
    assert_eq!(found, ["dialogue `talk` is not endless: it has 20 turns at most"]);
}

/// A name of the dialogue works like a number; of a `param`, the largest value counts.
#[test]
fn bounds_may_be_named() {
    let most = |steps: &str| {
        let (plan, found) = checked(&format!("dialogue talk {{ {steps} }}"));
        let plan = plan.unwrap_or_else(|| panic!("{steps}: {found:?}"));
        let expectations = analysis::expectations(&plan, plan.dialogues().next().unwrap());
        let longest = expectations.expected.iter().map(|(_, turns)| *turns).fold(0.0, f64::max);
        (expectations.max_turns, longest)
    };
    let six = "for n in [1, 2, 3, 4, 5, 6] { turn { ask \"{{ n }}?\" } }";
    assert_eq!(most(six), (Some(6), 6.0));
    assert_eq!(most(&format!("let k = 2 {six} end when turns >= k")), (Some(2), 2.0));
    assert_eq!(most(&format!("let k = 2 let m = 2 * k {six} end when turns >= m")).0, Some(4));
    let drawn = format!("param k: int in 2..=4 let more = k + 1 {six} end when turns >= more");
    assert_eq!(most(&drawn).0, Some(5));
    // No more turns are expected than the loop has.
    assert_eq!(most(&format!("{six} end when turns >= 100")), (Some(6), 6.0));
}

#[test]
fn topic_scopes_are_stated_or_unsaid() {
    let talk = |scope: &str| {
        format!(
            "dialogue talk {{
               topic from topics
               constraints from plain, calm, ending
               start with 2 constraints
               {scope}
               {FLOW}
               end when turns >= 20
             }}"
        )
    };
    let (_, found) = checked(&talk("scope topic"));
    assert_eq!(found, ["no message says that instructions belong to a topic"]);
    for scope in ["scope topic unsaid", "scope dialogue", "scope topic says \"Per topic.\""] {
        let (_, found) = checked(&talk(scope));
        assert!(found.is_empty(), "{scope}: {found:?}");
    }
    let (_, found) = checked(&talk("scope dialogue unsaid"));
    assert_eq!(found, ["nothing is said of the scope `dialogue`"]);
    let mut returned = 0;
    for (scope, reported, again) in [
        ("scope topic says \"Per topic.\"", Some("Per topic."), true),
        ("scope topic says \"Per topic.\" unsaid", Some("Per topic."), false),
        ("scope topic unsaid", None, false),
    ] {
        for turn in turns(&talk(scope), 0) {
            assert_eq!(turn.system.as_deref(), reported.filter(|_| turn.turn == 1));
            if turn.transition == Move::Backtrack {
                returned += 1;
                assert_eq!(turn.active_constraints.len(), 2);
                let said = turn.ask.contains("Here this applies again: ");
                assert_eq!(said, again, "{scope}: {}", turn.ask);
            }
        }
    }
    assert!(returned > 6, "{returned}");
}

/// The constraints that a named turn imposes, for many dialogues.
fn of_turn(dialogue: &str, name: &str) -> Vec<Vec<(String, String)>> {
    let (plan, found) = checked(dialogue);
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let imposed = |index| {
        let turns = drawer.script(Seed(3), index).map(Result::unwrap);
        let turn = turns.into_iter().find(|turn| turn.name == name).unwrap();
        let given = turn.changes.into_iter().filter_map(|changed| changed.after);
        given.map(|after| (after.constraint.clone(), format!("{:?}", after.args))).collect()
    };
    (0..40).map(imposed).collect()
}

/// Section 19 of the language: one statement more does not draw the others again.
#[test]
fn earlier_turns_do_not_change_draws() {
    const ASKED: &str =
        r#"turn second { ask "And now?" impose 1 from length scope turn with probability 60% }"#;
    let of = |before: &str| {
        let dialogue =
            format!("dialogue talk {{ turn first {{ ask \"Hello.\" }} {before} {ASKED} }}");
        of_turn(&dialogue, "second")
    };
    let alone = of("");
    assert!(alone.iter().any(Vec::is_empty) && alone.iter().any(|given| !given.is_empty()));
    assert_eq!(of("turn between { ask \"Wait.\" }"), alone);
    assert_eq!(of("turn between { ask \"Wait.\" impose 1 from length scope turn }"), alone);
    // In loops, each round has its own draws, and a turn before the loop changes none of them.
    let rounds = |before: &str| {
        let asked = r#"for n in [1, 2, 3] { turn again { ask "Round {{ n }}." impose 1 from length scope turn } }"#;
        let (plan, found) = checked(&format!("dialogue talk {{ {before} {asked} }}"));
        let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let turns: Vec<ScriptTurn> = drawer.script(Seed(3), 0).map(Result::unwrap).collect();
        let again = turns.into_iter().filter(|turn| turn.name == "again");
        let active_constraints =
            |turn: ScriptTurn| format!("{:?}", turn.active_constraints[0].args);
        again.map(active_constraints).collect::<Vec<String>>()
    };
    let bare = rounds("");
    assert!(bare.len() == 3 && bare[0] != bare[1]);
    assert_eq!(rounds("turn first { ask \"Hello.\" }"), bare);
    // One `impose` more, before another one.
    let two = |before: &str| {
        let turn = format!("turn only {{ ask \"Now.\" {before} impose 1 from length scope turn }}");
        of_turn(&format!("dialogue talk {{ {turn} }}"), "only")
    };
    let length = |given: &[(String, String)]| {
        given.iter().find(|(name, _)| name.starts_with("length")).cloned()
    };
    for (alone, with) in two("").iter().zip(two("impose 1 from calm scope turn")) {
        assert_eq!(length(alone), length(&with));
    }
}

/// A later `from turn` replaces an earlier one.
#[test]
fn later_imposes_replace_earlier_ones() {
    for imposes in [
        "from turn 2 impose length.at_most(n: 60) from turn 3 impose length.at_most(n: 40) \
         from turn 5 impose length.at_least(n: 5)",
        "for n in [2, 3] { from turn n impose length.at_most(n: 100 - 20 * n) } \
         from turn 5 impose length.at_least(n: 5)",
    ] {
        let asks = "turn { ask \"Q.\" } ".repeat(7);
        let turns = turns(&format!("dialogue talk {{ {imposes} {asks} }}"), 0);
        let active = |turn: &ScriptTurn| {
            turn.active_constraints.first().map(|it| (it.constraint.clone(), it.since))
        };
        let most = |since| Some(("length.at_most".to_owned(), since));
        let least = Some(("length.at_least".to_owned(), 5));
        let found: Vec<_> = turns.iter().map(active).collect();
        assert_eq!(found, [None, most(2), most(3), most(3), least.clone(), least.clone(), least]);
        let said: Vec<usize> = turns.iter().map(|turn| turn.changes.len()).collect();
        assert_eq!(said, [0, 1, 1, 0, 1, 0, 0]);
    }
}

/// The plan of a run that was stored before there were loops of `impose` can be read.
#[test]
fn stored_imposes_without_loops_are_read() {
    let (plan, found) = checked(
        "dialogue talk { impose plain from turn 2 impose calm turn { ask \"Q.\" } turn { ask \"R.\" } }",
    );
    let plan = plan.unwrap_or_else(|| panic!("{found:?}"));
    let mut stored = serde_json::to_value(&plan.model.dialogues[0]).unwrap();
    let imposes = stored["imposes"].as_array_mut().unwrap();
    for part in imposes.iter_mut() {
        let (_, alone) = part.as_object().unwrap().iter().next().unwrap();
        *part = alone.clone();
    }
    assert!(imposes.len() == 2 && imposes[0].get("low").is_some(), "{imposes:?}");
    let read: Dialogue = serde_json::from_value(stored).unwrap();
    let whole = serde_json::to_value(&plan.model.dialogues[0]).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), whole);
}
