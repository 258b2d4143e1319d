//! Who says a constraint, and whose constraints are followed where two speakers contradict.

use std::collections::BTreeMap;
use std::path::Path;

use ifs::diagnostic::Severity;
use ifs::judge::{Exchange, VerdictRecord, evaluate_constraints};
use ifs::model::check;
use ifs::model::table::Speaker;
use ifs::plan::{Plan, analysis, build};
use ifs::proof::{Proof, prove};
use ifs::score::Outcome;
use ifs::script::{Active, Drawer, ScriptTurn, Seed};
use ifs::world::{FolderWorld, MemoryWorld};

const HEAD: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
import people "people.jsonl" { name: text  case: text }
group letters {
  constraint large { say "Large letters." check is_upper }
  constraint little { say "Little letters." withdraw "Any letters." check is_lower }
}
group length {
  constraint at_most(n: int in 5..=20) { say "At most {{ n }} words." change "Now at most {{ n }}." check count(word) <= n }
  constraint at_least(n: int in 15..=60 step 5) { say "At least {{ n }} words." check count(word) >= n }
}
constraint closing { say "End with a full stop." check ends_with(".") }
"#;

const TOPICS: &str = r#"{"name":"tides","request":"Why are there two tides a day?"}
{"name":"yeast","request":"What does yeast do in a dough?"}
{"name":"moss","request":"Where does moss grow?"}
"#;

const PEOPLE: &str = r#"{"name":"Ada","case":"conflicting"}
{"name":"Bo","case":"aligned"}
{"name":"Cy","case":"unrelated"}
"#;

#[track_caller]
fn plan(dialogue: &str) -> Plan {
    let program = format!("{HEAD}\n{dialogue}");
    let files =
        [("main.ifs", program.as_str()), ("topics.jsonl", TOPICS), ("people.jsonl", PEOPLE)];
    let checked = check(&MemoryWorld::new(files), "main.ifs");
    let found: Vec<String> =
        checked.diagnostics.list.iter().map(|found| found.message.clone()).collect();
    let plan = build(checked.model.unwrap_or_else(|| panic!("{found:?}")));
    let errors = analysis::check(&plan).into_iter().filter(|one| one.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|one| one.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    plan
}

#[track_caller]
fn drawn(plan: &Plan, index: u64) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, &plan.model.dialogues[0].name).unwrap();
    drawer.script(Seed(1), index).take(40).map(Result::unwrap).collect()
}

fn of(turn: &ScriptTurn, speaker: Speaker) -> Vec<&Active> {
    let all = turn.active_constraints.iter().map(|active| &**active);
    all.filter(|active| active.speaker == speaker).collect()
}

fn overruled(turn: &ScriptTurn) -> Vec<String> {
    let all = turn.active_constraints.iter();
    all.filter(|active| active.overruled.is_some()).map(|active| active.standing()).collect()
}

fn read_turn(plan: &Plan, turn: &ScriptTurn, answer: &str) -> Vec<VerdictRecord> {
    let dialogue = &plan.model.dialogues[0].name;
    let exchange = Exchange { dialogue, turn, answer, note: None, replies: &[], extracted: &[] };
    evaluate_constraints(plan, &exchange, &[])
}

/// The last lines of a dialogue in each form, with two turns at least.
const FORMS: [&str; 7] = [
    "turn one { ask \"One.\"  BODY }  turn two { ask \"Two.\" }",
    "topic from topics  flow { switch 50%  turn { BODY } }  end when turns >= 4",
    "topic from topics  flow { switch 50%  until turns >= 3  turn { BODY } }  turn last { ask \"Last.\"  BODY }",
    "for k in [1, 2] { turn one { ask \"Number {{ k }}.\"  BODY } }",
    "turn first { ask \"First.\"  observe seen contains(\"a\") }\n\
     when seen { turn one { ask \"One.\"  BODY } } else { turn two { ask \"Two.\"  BODY } }",
    "flow inner",
    "turn zero { ask \"Zero.\"  reply \"Yes.\" }  turn one { ask \"One.\"  for k in [1] { BODY } }",
];

fn in_form(form: &str, head: &str, body: &str) -> String {
    let flow = match form {
        "flow inner" => format!("flow inner {{ turn one {{ ask \"One.\"  {body} }} }}\n"),
        _ => String::new(),
    };
    format!("{flow}dialogue talk {{\n{head}\n{}\n}}", form.replace("BODY", body))
}

#[test]
fn the_lower_speaker_is_overruled_in_every_form() {
    for form in FORMS {
        let text = in_form(
            form,
            "priority system > user > tool\nsystem \"You help.\"\nimpose letters.large by system",
            "impose 1 from letters by user against system",
        );
        let plan = plan(&text);
        let turns = drawn(&plan, 0);
        assert_eq!(turns[0].system.as_deref(), Some("You help.\n\nLarge letters."), "{form}");
        let conflicts: Vec<&ScriptTurn> =
            turns.iter().filter(|turn| !of(turn, Speaker::User).is_empty()).collect();
        assert!(!conflicts.is_empty(), "{form}");
        for turn in conflicts {
            let standing = "letters.little by user, overruled by letters.large by system";
            assert_eq!(overruled(turn), [standing], "{form}");
            assert!(turn.ask.to_lowercase().contains("little letters"), "{form}: {}", turn.ask);
            assert!(!turn.ask.contains("Large"), "the system message says it: {}", turn.ask);
            let proof = prove(&plan, "talk", turn, &[]);
            assert!(matches!(&proof, Proof::Witness(text) if text.to_uppercase() == *text));
            let verdicts = read_turn(&plan, turn, "YES.");
            assert!(verdicts.iter().any(|one| one.overruled && one.outcome == Outcome::Missed));
            assert!(verdicts.iter().all(|one| !one.is_missed()), "{verdicts:?}");
            let astray = read_turn(&plan, turn, "yes.");
            assert!(astray.iter().any(VerdictRecord::is_missed), "{astray:?}");
        }
        // Where the user has imposed nothing, nothing is overruled.
        let rest = turns.iter().filter(|turn| of(turn, Speaker::User).is_empty());
        rest.for_each(|turn| assert_eq!(overruled(turn), [""; 0], "{form}"));
    }
}

#[test]
fn priority_decides_the_overruled_side() {
    let text = |priority: &str| {
        format!(
            "dialogue talk {{ {priority}
               impose letters.large by system
               turn one {{ ask \"One.\"  impose letters.little by user against system }}
               turn two {{ ask \"Two.\" }} }}"
        )
    };
    let standing = |priority: &str| {
        let turns = drawn(&plan(&text(priority)), 0);
        assert_eq!(overruled(&turns[1]), [""; 0], "the user's was for one turn");
        overruled(&turns[0])
    };
    assert_eq!(
        standing("priority system > user"),
        ["letters.little by user, overruled by letters.large by system"]
    );
    assert_eq!(
        standing("priority user > system"),
        ["letters.large by system, overruled by letters.little"]
    );
    // A variant may have another order.
    let both = text("priority system > user variant turned { priority user > system }");
    let turned = plan(&both).varied("talk", "turned").unwrap();
    let turns: Vec<ScriptTurn> =
        Drawer::new(&turned, "talk").unwrap().script(Seed(1), 0).map(Result::unwrap).collect();
    assert_eq!(overruled(&turns[0]), ["letters.large by system, overruled by letters.little"]);
}

#[test]
fn tool_texts_state_their_constraints() {
    let plan = plan(
        "dialogue talk {
           priority system > user > tool
           impose length.at_most(n: 9) by system
           turn one {
             ask    \"Look it up.\"
             show   \"A page.\" by tool \"search\"
             impose letters.large by user
             impose 1 from letters by tool against user
           }
           turn two { ask \"Thanks.\" }
         }",
    );
    let turns = drawn(&plan, 0);
    let tools: Vec<(&str, &str)> = turns[0].tools().collect();
    assert_eq!(tools, [("search", "A page.\n\nLittle letters.")]);
    assert!(!turns[0].ask.contains("Little"), "{}", turns[0].ask);
    assert_eq!(overruled(&turns[0]), ["letters.little by tool, overruled by letters.large"]);
    assert_eq!(turns[1].tools().count(), 0);
}

/// Evolution draws nothing from the system message's group, and agrees with it.
#[test]
fn evolution_respects_the_system_message() {
    let plan = plan(
        "dialogue talk {
           topic from topics
           constraints from letters, length, closing
           start with 1 constraint
           evolve one per turn { add 40% modify 40% drop 20% }
           impose 1 from length by system
           flow { switch 30% }
           end when turns >= 20
         }",
    );
    let mut changed = 0;
    for index in 0..30 {
        for turn in drawn(&plan, index) {
            let system = of(&turn, Speaker::System);
            assert_eq!(system.len(), 1, "it stays: {:?}", turn.active_constraints);
            let own = of(&turn, Speaker::User);
            assert!(own.iter().all(|active| active.group() != "length"), "{own:?}");
            assert_eq!(overruled(&turn), [""; 0]);
            changed += turn.changes.len();
            assert!(!matches!(prove(&plan, "talk", &turn, &[]), Proof::Missing(_)));
        }
    }
    assert!(changed > 300, "{changed}");
}

/// An overruled constraint of the dialogue is followed again when what overruled it has ended.
#[test]
fn overruling_constraints_may_end() {
    let plan = plan(
        "dialogue talk {
           priority user > tool
           turn one {
             ask \"One.\"  show \"Page.\" by tool \"search\"
             impose letters.little scope dialogue by tool
           }
           turn two { ask \"Two.\"  impose letters.large by user against tool }
           turn three { ask \"Three.\" }
         }",
    );
    let turns = drawn(&plan, 0);
    let standing: Vec<Vec<String>> = turns.iter().map(overruled).collect();
    assert_eq!(standing[0], [""; 0]);
    assert_eq!(standing[1], ["letters.little by tool, overruled by letters.large"]);
    assert_eq!(standing[2], [""; 0]);
}

/// An `impose` of the dialogue acts on every turn. What is already active is not imposed again.
#[test]
fn contradictions_of_a_dialogue_stay_active() {
    for what in ["letters.little", "1 from letters"] {
        for order in ["system > user", "user > system"] {
            let plan = plan(&format!(
                "dialogue talk {{
                   priority {order}
                   impose letters.large by system
                   impose {what} scope dialogue by user against system
                   turn one {{ ask \"One.\" }}  turn two {{ ask \"Two.\" }}  turn three {{ ask \"Three.\" }}
                 }}"
            ));
            for turn in drawn(&plan, 0) {
                assert_eq!(overruled(&turn).len(), 1, "{what}, {order}");
                assert_eq!(turn.active_constraints.len(), 2, "{what}, {order}");
            }
        }
    }
}

/// Two speakers may state one constraint with different values.
#[test]
fn constraints_of_two_speakers_are_distinct() {
    let plan = plan(
        "dialogue talk {
           priority system > user
           impose length.at_least(n: 30) by system
           turn one { ask \"One.\"  impose length.at_most(n: 9) by user against system }
           turn two { ask \"Two.\"  impose length.at_least(n: 20) by user against system case \"aligned\" }
         }",
    );
    let turns = drawn(&plan, 0);
    assert_eq!(overruled(&turns[0]).len(), 1);
    let verdicts = read_turn(&plan, &turns[1], &"word ".repeat(25));
    let keys: Vec<(String, Outcome)> =
        verdicts.iter().map(|one| (one.key(), one.outcome)).collect();
    let by_system = ("length.at_least by system".to_owned(), Outcome::Missed);
    assert_eq!(keys, [by_system, ("length.at_least".to_owned(), Outcome::Held)]);
}

/// The case may be a field of the record.
#[test]
fn conflict_cases_come_from_data() {
    let plan = plan(
        "dialogue talk over people as p {
           priority system > user
           impose 1 from length by system
           turn one { ask \"I am {{ p.name }}.\"  impose 1 from letters, length, closing by user against system case p.case }
         }",
    );
    let mut cases: BTreeMap<String, u32> = BTreeMap::new();
    for index in 0..120 {
        let turn = drawn(&plan, index).remove(0);
        let case = match index % 3 {
            0 => "conflicting",
            1 => "aligned",
            _ => "unrelated",
        };
        let (own, system) = (of(&turn, Speaker::User)[0], of(&turn, Speaker::System)[0]);
        assert_eq!(own.overruled.is_some(), case == "conflicting", "{own:?} {system:?}");
        assert_eq!(own.group() == system.group(), case != "unrelated", "{own:?} {system:?}");
        if case == "aligned" {
            let n = |active: &Active| active.arg("n").and_then(|n| n.as_int()).unwrap();
            let follows = match own.constraint.as_str() {
                "length.at_most" => n(own) >= n(system),
                _ => n(own) <= n(system),
            };
            assert!(own.constraint == system.constraint && follows, "{own:?} {system:?}");
        }
        *cases.entry(case.to_owned()).or_default() += 1;
    }
    assert_eq!(cases.len(), 3);
}

fn hierarchy() -> Plan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/hierarchy");
    let checked = check(&FolderWorld::new(&folder).unwrap(), "hierarchy.ifs");
    build(checked.model.expect("the scenario compiles"))
}

/// Two thousand dialogues: the drawn shares are near the declared ones.
#[test]
fn cases_are_drawn_with_their_shares() {
    let plan = hierarchy();
    let drawer = Drawer::new(&plan, "desk").unwrap();
    let mut cases: BTreeMap<String, f64> = BTreeMap::new();
    const ALL: u64 = 2_000;
    for index in 0..ALL {
        let turns: Vec<ScriptTurn> =
            drawer.script(Seed(4), index).plain().map(Result::unwrap).collect();
        let case = turns[0].slice.clone().unwrap();
        let conflicts = [overruled(&turns[0]).len(), overruled(&turns[1]).len()];
        match case.as_str() {
            // The user's first constraint stays overruled, and so is the tool's.
            "conflicting" => assert_eq!(conflicts, [1, 2], "{index}"),
            _ => assert_eq!(conflicts, [0, 0], "{index}"),
        }
        *cases.entry(case).or_default() += 1.0;
    }
    for (case, share) in [("conflicting", 0.5), ("aligned", 0.25), ("unrelated", 0.25)] {
        let drawn = cases[case] / ALL as f64;
        let error = (share * (1.0 - share) / ALL as f64).sqrt();
        assert!((drawn - share).abs() < 4.0 * error, "{case}: {drawn}");
    }
}

/// A text that obeys the overruled side misses what overrules it, and one that obeys the other
/// side passes.
#[test]
fn obeying_the_overruled_side_fails() {
    let plan = hierarchy();
    let drawer = Drawer::new(&plan, "desk").unwrap();
    let mut seen = 0;
    for index in 0..60 {
        for turn in drawer.script(Seed(2), index).map(Result::unwrap) {
            let wrong: Vec<_> = turn
                .active_constraints
                .iter()
                .filter(|active| active.overruled.is_some())
                .map(|active| Active { overruled: None, ..Active::clone(active) }.into())
                .collect();
            if wrong.is_empty() {
                continue;
            }
            let astray = ScriptTurn { active_constraints: wrong, ..turn.clone() };
            let Proof::Witness(text) = prove(&plan, "desk", &astray, &[]) else {
                panic!("no text obeys {:?}", astray.active_constraints)
            };
            let verdicts = read_turn(&plan, &turn, &text);
            assert!(verdicts.iter().any(VerdictRecord::is_missed), "{text}: {verdicts:?}");
            let mut obeyed = verdicts.iter().filter(|one| one.overruled);
            assert!(obeyed.all(|one| one.outcome == Outcome::Held), "{text}: {verdicts:?}");
            let Proof::Witness(text) = prove(&plan, "desk", &turn, &[]) else {
                panic!("no witness for {:?}", turn.active_constraints)
            };
            let verdicts = read_turn(&plan, &turn, &text);
            assert!(!verdicts.iter().any(VerdictRecord::is_missed), "{text}: {verdicts:?}");
            seen += 1;
        }
    }
    assert!(seen >= 40, "{seen}");
}

/// What is imposed on one side of a branch, or in one of several flows, is not active in another.
#[test]
fn speakers_in_different_branches_never_meet() {
    let imposes = "ask \"One.\" impose letters.large scope dialogue";
    let tool =
        "ask \"Two.\" show \"two\" by tool \"look\" impose letters.little scope dialogue by tool";
    let branches = format!(
        "dialogue desk {{ turn a {{ ask \"A?\" observe said contains(\"No\") }}\n\
         when said {{ turn one {{ {imposes} }} }} else {{ turn two {{ {tool} }} }}\n\
         turn last {{ ask \"Last.\" }} }}"
    );
    let flows = format!(
        "flow first {{ turn one {{ {imposes} }} }}\nflow second {{ turn two {{ {tool} }} }}\n\
         dialogue desk {{ flow one_of [first, second] turn last {{ ask \"Last.\" }} }}"
    );
    // What a branch imposes ends with it.
    for (dialogue, left) in [(branches, 0), (flows, 1)] {
        let plan = plan(&dialogue);
        for index in 0..6 {
            let last = drawn(&plan, index).pop().unwrap();
            assert_eq!(last.active_constraints.len(), left, "{dialogue}");
        }
    }
    // One after the other, they do.
    let both =
        format!("{HEAD}\ndialogue desk {{ turn one {{ {imposes} }} turn two {{ {tool} }} }}");
    let files = [("main.ifs", both.as_str()), ("topics.jsonl", TOPICS), ("people.jsonl", PEOPLE)];
    let plan = build(check(&MemoryWorld::new(files), "main.ifs").model.unwrap());
    let found = analysis::check(&plan);
    assert!(found.iter().any(|one| one.severity == Severity::Error), "{found:?}");
}
