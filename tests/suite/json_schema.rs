//! A requirement for each field of a JSON Schema.

use ifs::judge::{Exchange, Reasons, VerdictRecord, evaluate_constraints, read_in};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::predicate::explain::Wording;
use ifs::proof::{Proof, Prover};
use ifs::score::Outcome;
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::MemoryWorld;

const CARD: &str = r#"ifs 1
tags ability { form { json }  size  names }
dialogue card {
  turn task {
    param most: int in 5..=5
    ask "A card as JSON."
    require ready judge "Is it a card?"
    require card fits {
      type: "object", required: ["name", "age", "steps"],
      properties: {
        name: { type: "string", minLength: 2, description: "a name", tag: "names" },
        age: { type: "integer", maximum: most },
        steps: { type: "array", items: { type: "object", required: ["what"],
            properties: { what: { type: "string" } } } },
        "first note": { type: "object", required: ["by"], properties: { by: { enum: ["Al", "Bo"] } } },
      },
      additionalProperties: false,
    } say "one JSON object" after ready tag json
    require small json.age < 6 say "a small age" after card.age
  }
}
"#;

fn plan(text: &str) -> Plan {
    let checked = check(&MemoryWorld::new([("main.ifs", text)]), "main.ifs");
    let reported: Vec<&String> =
        checked.diagnostics.list.iter().map(|reported| &reported.message).collect();
    build(checked.model.unwrap_or_else(|| panic!("{reported:?}")))
}

fn turn(plan: &Plan) -> ScriptTurn {
    let drawer = Drawer::new(plan, &plan.model.dialogues[0].name).unwrap();
    drawer.script(Seed(1), 0).next().unwrap().unwrap()
}

fn exchange<'a>(turn: &'a ScriptTurn, answer: &'a str) -> Exchange<'a> {
    Exchange { dialogue: "card", turn, answer, note: None, replies: &[], extracted: &[] }
}

/// The outcome of each rule, without those that held.
fn failing(text: &str, answer: &str) -> Vec<(String, Outcome)> {
    // No judge is needed here.
    let text =
        text.replace("    require ready judge \"Is it a card?\"\n", "").replace("after ready", "");
    let plan = plan(&text);
    let turn = turn(&plan);
    let verdicts = evaluate_constraints(&plan, &exchange(&turn, answer), &[]);
    let missed = verdicts.into_iter().filter(|verdict| verdict.outcome != Outcome::Held);
    missed.map(|VerdictRecord { constraint, outcome, .. }| (constraint, outcome)).collect()
}

/// The name of a criterion, what it comes after, its tags, and what it says.
type Told<'t> = (&'t str, Vec<&'t str>, Vec<&'t str>, Option<&'t str>);

#[test]
fn each_field_is_a_requirement_with_name_tags_and_prerequisite() {
    let plan = plan(CARD);
    let turn = turn(&plan);
    let found: Vec<Told<'_>> = turn
        .criteria
        .iter()
        .map(|one| {
            let words = |list: &'_ [String]| -> Vec<&'static str> {
                list.iter().map(|text| &*text.clone().leak()).collect()
            };
            (one.name.as_str(), words(&one.after), words(&one.tags), one.says.as_deref())
        })
        .collect();
    let json = "ability.form.json";
    assert_eq!(
        found,
        [
            ("ready", vec![], vec![], None),
            ("card", vec!["ready"], vec![json], Some("one JSON object")),
            ("card.name", vec!["card"], vec![json, "ability.names"], Some("a name")),
            ("card.age", vec!["card"], vec![json], None),
            ("card.steps", vec!["card"], vec![json], None),
            ("card.steps.what", vec!["card.steps"], vec![json], None),
            ("card.first_note", vec!["card"], vec![json], None),
            ("card.first_note.by", vec!["card.first_note"], vec![json], None),
            ("small", vec!["card.age"], vec![], Some("a small age")),
        ]
    );
}

#[test]
fn no_field_holds_without_json() {
    let missed = failing(CARD, "name: Al, age: 3");
    assert_eq!(missed.len(), 8, "{missed:?}");
    assert_eq!(missed[0], ("card".to_owned(), Outcome::Missed));
    assert!(missed[1..].iter().all(|(_, outcome)| *outcome == Outcome::Blocked), "{missed:?}");
}

#[test]
fn fields_are_missed_separately() {
    let good = r#"{"name": "Al", "age": 3, "steps": [{"what": "sit"}]}"#;
    assert_eq!(failing(CARD, good), []);
    let one = |name: &str| vec![(name.to_owned(), Outcome::Missed)];
    let of = |answer: &str| failing(CARD, answer);
    assert_eq!(of(&good.replace("Al", "A")), one("card.name"));
    assert_eq!(of(&good.replace(r#""name": "Al", "#, "")), one("card.name"));
    assert_eq!(of(&good.replace("\"what\": \"sit\"", "")), one("card.steps.what"));
    // No member, no field of a member.
    assert_eq!(of(&good.replace(r#"{"what": "sit"}"#, "")), one("card.steps.what"));
    let other = good.replace("\"age\"", "\"more\": 1, \"age\"");
    assert_eq!(
        of(&other)[0],
        ("card".to_owned(), Outcome::Missed),
        "a field more than there may be"
    );
    let noted = good.replace("\"age\"", "\"first note\": {\"by\": \"Cy\"}, \"age\"");
    assert_eq!(of(&noted), one("card.first_note.by"));
    let blocked = |name: &str| (name.to_owned(), Outcome::Blocked);
    assert_eq!(
        of(&good.replace("3", "9")),
        [("card.age".to_owned(), Outcome::Missed), blocked("small")]
    );
    let flat = good.replace(r#"[{"what": "sit"}]"#, "\"sit\"");
    assert_eq!(of(&flat), [("card.steps".to_owned(), Outcome::Missed), blocked("card.steps.what")]);
}

#[test]
fn empty_lists_satisfy_their_fields() {
    let empty = r#"{"name": "Al", "age": 3, "steps": []}"#;
    let allowed =
        CARD.replace("steps: { type: \"array\",", "steps: { type: \"array\", minItems: 0,");
    assert_eq!(failing(&allowed, empty), []);
}

#[test]
fn schema_fields_have_witnesses() {
    let plan = plan(CARD);
    let turn = turn(&plan);
    let Proof::Witness(answer) = Prover::new(&plan, "card").prove(&turn) else {
        panic!("no answer")
    };
    assert_eq!(failing(CARD, &answer), [], "{answer}");
}

#[test]
fn the_fields_of_a_loop_come_after_those_of_their_own_round() {
    let plan = plan(
        r#"ifs 1
dialogue card {
  turn task {
    ask "x"
    for name in ["a", "b"] {
      require card fits { type: "object", properties: { a: { type: "string" } } }
      require other json.a == name after card.a
    }
  }
}
"#,
    );
    let turn = turn(&plan);
    let found: Vec<(&str, String)> =
        turn.criteria.iter().map(|one| (one.name.as_str(), one.after.join(","))).collect();
    assert_eq!(
        found,
        [
            ("card", String::new()),
            ("card.a", "card".to_owned()),
            ("other", "card.a".to_owned()),
            ("card 2", String::new()),
            ("card.a 2", "card 2".to_owned()),
            ("other 2", "card.a 2".to_owned()),
        ]
    );
}

#[test]
fn a_schema_in_a_file_and_as_text_are_the_same() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string", "tag": "size"}}}"#;
    let written = |fits: &str| {
        format!(
            "ifs 1\ntags ability {{ size }}\ndialogue card {{\n  turn t {{\n    ask \"x\"\n    require card fits {fits}\n  }}\n}}\n"
        )
    };
    let of = |text: String| {
        let files = [("main.ifs", text.as_str()), ("card.json", schema)];
        let checked = check(&MemoryWorld::new(files), "main.ifs");
        let plan = build(checked.model.unwrap());
        turn(&plan).criteria
    };
    let in_file = of(written("\"card.json\""));
    let names: Vec<&str> = in_file.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["card", "card.a"]);
    assert_eq!(in_file[1].tags, ["ability.size"]);
    let as_text = of(written(&format!("{schema:?}")));
    let rules = |all: &[ifs::script::Criterion]| -> Vec<String> {
        all.iter().map(|one| format!("{:?}", one.tags)).collect()
    };
    assert_eq!(rules(&in_file), rules(&as_text));
}

#[test]
fn reasons_use_the_requested_language() {
    let plan = plan(
        "ifs 1\ndialogue card {\n  turn t {\n    ask \"请写两行。\"\n    part rows: list from lines \"诗行\"\n    require two len(rows) == 2 say \"两行\"\n  }\n}\n",
    );
    let turn = turn(&plan);
    let exchange = exchange(&turn, "一行");
    let why = |words: &Wording| {
        let reasons = Reasons { words, for_model: true };
        read_in(&plan, &exchange, &[], reasons)[0].why.clone().unwrap()
    };
    assert_eq!(why(Wording::for_language("zh").unwrap()), "诗行有1项；它应当恰好有2项");
    assert_eq!(
        why(Wording::english()),
        "the list of 诗行 has 1 item; it must have exactly 2 items"
    );
}
