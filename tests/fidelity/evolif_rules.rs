//! EvolIF's nine rule groups, as its released checker reads them, written in the
//! language: every official verdict is asked of a tree that was built from source.

use std::path::Path;

use ifs::model::check;
use ifs::model::table::By;
use ifs::plan::{Plan, build};
use ifs::predicate::evaluate::{Scene, holds};
use ifs::predicate::value::Value;
use ifs::text::Text;
use ifs::world::MemoryWorld;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::Row;
use crate::official::{Tally, records, texts};

const RULES: &str = r#"ifs 1

import topics "topics.jsonl" { name: text  keywords: list of text }

group startwith {
  constraint letter(value: one_of ["a"]) { say "{{ value }}" check starts_with_as_released(letter (value)) }
  constraint emoji(value: one_of ["a"]) { say "{{ value }}" check starts_with_as_released(emoji (value)) }
  constraint keyword(value: one_of ["a"]) { say "{{ value }}" check starts_with_as_released(keyword (value)) }
  constraint quotation(left: one_of ["a"], right: one_of ["a"]) {
    say "{{ left }}{{ right }}"
    check opens_with_pair_as_released(left, right)
  }
}

group endwith {
  constraint letter(value: one_of ["a"]) { say "{{ value }}" check ends_with_as_released(letter (value)) }
  constraint emoji(value: one_of ["a"]) { say "{{ value }}" check ends_with_as_released(emoji (value)) }
  constraint keyword(value: one_of ["a"]) { say "{{ value }}" check ends_with_as_released(keyword (value)) }
  constraint quotation(left: one_of ["a"], right: one_of ["a"]) {
    say "{{ left }}{{ right }}"
    check closes_with_pair_as_released(left, right)
  }
}

group format {
  constraint json { say "JSON" check is_json_as_released }
  constraint html { say "HTML" check is_html_as_released }
  constraint xml { say "XML" check is_xml }
  constraint csv { say "CSV" check is_csv_as_released }
  constraint markdown { say "Markdown" check is_markdown_as_released }
}

group countableItems {
  constraint items(num: int in 0..=99) { say "{{ num }}" check count(item.released) == num }
}

group length {
  constraint word_less_than(n: int in 0..=99) { say "{{ n }}" check count(word.pattern) < n }
  constraint word_more_than(n: int in 0..=99) { say "{{ n }}" check count(word.pattern) > n }
  constraint word_exactly(n: int in 0..=99) { say "{{ n }}" check count(word.pattern) == n }
  constraint sentence_less_than(n: int in 0..=99) { say "{{ n }}" check count(sentence.punkt) < n }
  constraint sentence_more_than(n: int in 0..=99) { say "{{ n }}" check count(sentence.punkt) > n }
  constraint sentence_exactly(n: int in 0..=99) { say "{{ n }}" check count(sentence.punkt) == n }
  constraint paragraph_less_than(n: int in 0..=99) { say "{{ n }}" check count(paragraph) < n }
  constraint paragraph_more_than(n: int in 0..=99) { say "{{ n }}" check count(paragraph) > n }
  constraint paragraph_exactly(n: int in 0..=99) { say "{{ n }}" check count(paragraph) == n }
  constraint characters_less_than(n: int in 0..=99) { say "{{ n }}" check count(char) < n }
  constraint characters_more_than(n: int in 0..=99) { say "{{ n }}" check count(char) > n }
  constraint characters_exactly(n: int in 0..=99) { say "{{ n }}" check count(char) == n }
}

group existence {
  constraint words(wants: 1..=3 of topic.keywords with times: int in 1..=10) {
    say   "{{ wants }}"
    check every w in wants: count(keyword (w.value)) == w.times
  }
}

group forbidden {
  constraint words(terms: 1..=3 of topic.keywords) {
    say   "{{ terms }}"
    check no t in terms: contains(keyword (t))
  }
}

group case {
  constraint all_upper { say "upper" check is_upper_as_released }
  constraint all_lower { say "lower" check is_lower_as_released }
  constraint min_upper(min: int in 0..=100) {
    say   "{{ min }}"
    // Without a letter everything passes.
    check (is_upper_as_released and is_lower_as_released) or share_upper_as_released in min - 3..=min + 3
  }
}

group punctuation {
  constraint must_include(value: one_of ["a"]) { say "{{ value }}" check contains(text (value)) }
  constraint must_not_include(value: one_of ["a"]) { say "{{ value }}" check not contains(text (value)) }
}

dialogue all {
  topic from topics
  start with 1 constraint
  flow { stay at least 4 turns  switch 80% { new 40%  backtrack 60% } }
  evolve one per turn { add 50%  modify 40%  drop 10% }
  end when turns >= 10
}
"#;

const GROUPS: [&str; 9] = [
    "startwith",
    "endwith",
    "format",
    "countableItems",
    "length",
    "existence",
    "forbidden",
    "case",
    "punctuation",
];

#[derive(Deserialize)]
struct Official {
    response_id: String,
    id: String,
    args: Json,
    verdict: bool,
}

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let Some(texts) = texts(data) else { return Vec::new() };
    let Some(verdicts) = records::<Official>(data, "evolif/verdicts.jsonl.gz") else {
        return Vec::new();
    };
    let plan = plan();
    GROUPS
        .iter()
        .map(|group| {
            let mut tally = Tally::new(format!("evolif rules {group}"));
            for official in verdicts.iter().filter(|official| official.id == *group) {
                let Some(text) = texts.get(&official.response_id) else {
                    tally.leave_out();
                    continue;
                };
                let ours = verdict(&plan, official, text);
                tally.compare(ours == Some(official.verdict), || {
                    let Official { response_id, args, verdict, .. } = official;
                    format!("{response_id} {args}: official {verdict}, here {ours:?}")
                });
            }
            tally.row()
        })
        .collect()
}

fn plan() -> Plan {
    let topic = r#"{"name": "a", "keywords": ["b", "c", "d"]}"#;
    let world = MemoryWorld::new([("rules.ifs", RULES), ("topics.jsonl", topic)]);
    let checked = check(&world, "rules.ifs");
    let told: Vec<&String> = checked.diagnostics.list.iter().map(|told| &told.message).collect();
    assert_eq!(checked.diagnostics.errors(), 0, "{told:#?}");
    build(checked.model.expect("a model"))
}

/// Whether the rule of a verdict holds here; `None` where there is no such rule.
fn verdict(plan: &Plan, official: &Official, text: &str) -> Option<bool> {
    let (name, args) = rule(&official.id, &official.args)?;
    let By::Rule(tree) = &plan.constraint(&format!("{}.{name}", official.id))?.by else {
        return None;
    };
    let text = Text::new(text);
    Some(holds(tree, &Scene { it: &text, variables: &args }))
}

/// `number` is a unit of the language.
fn param(name: &str) -> String {
    if name == "number" { "n" } else { name }.to_owned()
}

fn rule(id: &str, args: &Json) -> Option<(String, Vec<(String, Value)>)> {
    let value = |json: &Json| serde_json::from_value::<Value>(json.clone()).ok();
    match id {
        "existence" => {
            let wants: Option<Vec<Value>> = args
                .as_object()?
                .iter()
                .map(|(word, times)| {
                    let times = value(times)?;
                    Some(Value::record([("value", Value::text(word)), ("times", times)]))
                })
                .collect();
            Some(("words".to_owned(), vec![("wants".to_owned(), Value::list(wants?))]))
        }
        "forbidden" => Some(("words".to_owned(), vec![("terms".to_owned(), value(args)?)])),
        _ => {
            let args = args.as_object()?;
            let named: Option<Vec<(String, Value)>> =
                args.iter().map(|(name, json)| Some((param(name), value(json)?))).collect();
            let mode = args.get("mode").and_then(Json::as_str).unwrap_or("items");
            let name = match args.get("relation").and_then(Json::as_str) {
                Some(relation) => format!("{mode}_{relation}"),
                None => mode.to_owned(),
            };
            Some((name, named?))
        }
    }
}
