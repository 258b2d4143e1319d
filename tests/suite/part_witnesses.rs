//! Witnesses for turns as scenarios write them.

use ifs::model::check;
use ifs::model::table::{DecidedBy, Step, TurnPart};
use ifs::parts::PartReader;
use ifs::parts::witness::{WitnessPart, missed, witness};
use ifs::predicate::value::Value;
use ifs::predicate::witness::{Goal, TextTopic};
use ifs::world::MemoryWorld;

/// A turn's parts and rules, with `n` as 5; those named in `fail` must fail.
fn answer(body: &str, fail: &[&str]) -> Result<String, Vec<String>> {
    let source =
        format!("ifs 1\ndialogue d {{ param n: int in 5..=5 turn {{ ask \"x\" {body} }} }}");
    let world = MemoryWorld::new([("main.ifs", source.as_str())]);
    let checked = check(&world, "main.ifs");
    let errors: Vec<String> =
        checked.diagnostics.list.iter().map(|found| found.message.clone()).collect();
    let model = checked.model.unwrap_or_else(|| panic!("{errors:?}"));
    let turn = model.dialogues[0].steps.iter().find_map(|step| match step {
        Step::Turn(turn) => Some(turn),
        _ => None,
    });
    let values = [("n", Value::Int(5))];
    let (mut parts, mut goals, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for part in &turn.unwrap().body {
        match part {
            TurnPart::Part { name, list, reader, about } => parts.push(match reader {
                Some(reader) => {
                    let reader = PartReader::evaluate(reader, &values).unwrap();
                    WitnessPart { name: name.clone(), list: *list, reader }
                }
                None => WitnessPart::unread(name, *list, about.as_deref().unwrap()),
            }),
            TurnPart::Require { name, by: DecidedBy::Rule(tree), .. } => {
                let wanted = !fail.contains(&name.as_str());
                goals.push(Goal { tree, variables: &values, wanted });
                names.push(name.clone());
            }
            _ => {}
        }
    }
    let about = TextTopic { subject: "tides", keywords: &["moon", "harbour"], said: None };
    match witness(&parts, &goals, &about, 7) {
        Ok(text) => {
            assert_eq!(missed(&parts, &goals, &text), [0usize; 0]);
            Ok(text)
        }
        Err(unproven) => {
            Err(unproven.goals.into_iter().filter_map(|at| names.get(at).cloned()).collect())
        }
    }
}

fn good(body: &str) -> String {
    answer(body, &[]).unwrap_or_else(|missed| panic!("{missed:?} are missed: {body}"))
}

#[test]
fn lists_under_headings() {
    let body = r#"
      part casual: list "the casual comments"
      part formal: list from bullets in section("Formal")
      require number len(casual) == n and len(formal) == n + 2
      require seven every c in casual + formal: count(word in c) == 7
      require fresh unique(casual + formal)
      require other every c in casual: every d in formal: similarity(c, d) < 0.9
    "#;
    let text = good(body);
    assert!(text.contains("## the casual comments") && text.contains("## Formal"), "{text}");
}

#[test]
fn numbered_and_quoted_items_with_words_in_them() {
    good(
        r#"
      part names: list from numbered
      require number len(names) in n..=9
      require short every x in names: count(word in x) in 2..=3
      require letter every x in names: starts_with(x, letter "m")
      require dry no x in names: contains(x, regex "(?i)water|wave")
      require fresh unique(names)
    "#,
    );
    good(
        r#"
      part slogans: list from quoted
      require number len(slogans) == n
      require word every s in slogans: contains(s, word "harbour")
      require end every s in slogans: ends_with(s, "!")
    "#,
    );
}

#[test]
fn json_with_lists_of_records() {
    let text = good(
        r#"
      part title: text from json("card.title")
      part names: list from json("people.name")
      part roles: list from json("people.role")
      require json is_json
      require short count(word in title) in 2..=4
      require number len(names) == n and len(roles) == n
      require roles every r in roles: r in ["cook", "guest"]
      require age fits_schema(json(it, "/age"), { type: "integer", minimum: 3 })
    "#,
    );
    assert!(text.contains("\"age\": 3"), "{text}");
}

#[test]
fn tables_labels_and_marked_ranges() {
    good(
        r#"
      part tea: list from table("Tea")
      part price: list from table("Price")
      require rows len(tea) == n and len(price) == n
      require number every p in price: matches(p, /^\d+$/)
    "#,
    );
    good(
        r#"
      part title: text from label("Title")
      part body: text from between("<text>", "</text>")
      require short count(word in title) <= 5
      require long count(word in body) in 50..=80
      require three count(paragraph in body) == 3
    "#,
    );
}

#[test]
fn complete_text_and_paragraphs() {
    good(
        r#"
      part stanzas: list from paragraphs
      require number len(stanzas) == 3
      require couplets every s in stanzas: count(line in s) == 2
      require all count(paragraph) == 3
    "#,
    );
    good(
        r#"
      part all: text from whole
      require length count(word in all) in 90..=100
      require paragraphs count(paragraph) == 3
      require questions every paragraph: ends_with("?")
    "#,
    );
}

#[test]
fn chinese_chains_rhymes_and_tones() {
    let text = good(
        r#"
      part idioms: list from numbered
      require number len(idioms) == n
      require four every c in idioms: matches(c, /^\p{Han}{4}$/)
      require chain every p in windows(2, idioms): (letter in p[1])[-1] == (letter in p[2])[1]
      require fresh unique(idioms)
    "#,
    );
    assert_eq!(text.lines().count(), 5);
    good(
        r#"
      part verse: list from lines
      require number len(verse) == 4
      require seven every v in verse: count(/\p{Han}/ in v) == 7
      require rhyme rhyme_share(verse) >= 50%
    "#,
    );
}

#[test]
fn failing_goals_fail_alone() {
    let body = r#"
      part names: list from numbered
      require number len(names) == n
      require short every x in names: count(word in x) in 2..=3
      require fresh unique(names)
    "#;
    for fail in [&["number"][..], &["short"], &["fresh"], &["number", "short"], &["short", "fresh"]]
    {
        let done = answer(body, fail);
        assert!(done.is_ok(), "{fail:?}: {done:?}");
    }
}

#[test]
fn unsatisfiable_requirements_are_named() {
    let body = r#"
      part names: list from numbered
      require number len(names) == n
      require never every x in names: count(word in x) == 2 and count(word in x) == 3
    "#;
    assert_eq!(answer(body, &[]), Err(vec!["never".to_owned()]));
}
