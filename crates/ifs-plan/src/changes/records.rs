//! The fields of records that decide more than messages: what is imposed, judged or counted, or
//! when a dialogue ends.
//!
//! A name that has a value from a record is followed to the statements that use it. What is not
//! known to be a message counts as deciding.

use std::collections::{BTreeMap, BTreeSet};

use super::ChangeKind;
use super::block::{BLOCKS, condition, statement};
use super::notation::{NotationItem, NotationPart};
use super::usage::PartUsage;
use crate::canonical::PartKind;
use ifs_parts::template::names_in;

/// The sources of a value: fields of records, or complete records (`None`).
pub(super) type Fields = BTreeSet<Option<String>>;

/// The fields of a bank that decide something in a dialogue.
pub(super) fn deciding(
    parts: &[(PartKind, String, NotationItem)],
    usage: &PartUsage,
    (bank, dialogue): (&str, &str),
) -> Fields {
    let reached = parts.iter().filter(|(kind, name, _)| match kind {
        PartKind::Dialogue => name == dialogue,
        PartKind::Flow | PartKind::Constraint => usage.dialogues(*kind, &[name]).contains(dialogue),
        _ => false,
    });
    let items: Vec<&NotationItem> = reached.map(|(_, _, item)| item).collect();
    let mut names = FieldsByName::from([(bank.to_owned(), Fields::from([None]))]);
    let mut found = Fields::new();
    // A name may be used before the statement that gives its value, as in a flow.
    loop {
        let before = names.clone();
        items.iter().for_each(|item| statements(item, bank, &mut names, &mut found));
        if names == before {
            return found;
        }
    }
}

/// The sources of the values of names.
type FieldsByName = BTreeMap<String, Fields>;

fn statements(item: &NotationItem, bank: &str, names: &mut FieldsByName, found: &mut Fields) {
    match item.head.as_str() {
        "over" => {
            let mut texts = item.direct_texts();
            if let (Some(from), Some(record)) = (texts.next(), texts.next())
                && from == bank
            {
                add(names, record, Fields::from([None]));
            }
        }
        "topic" | "style" if item.name() == Some(bank) => {
            add(names, &item.head, Fields::from([None]));
        }
        "let" | "param" => add(names, item.name().unwrap_or_default(), of_item(item, names)),
        // The names of its parameters are its own.
        "constraint" => {
            let mut own = names.clone();
            let params = || item.items().filter(|item| item.head == "param");
            params().for_each(|param| drop(own.remove(param.name().unwrap_or_default())));
            item.items().for_each(|item| statements(item, bank, &mut own, found));
        }
        head if BLOCKS.contains(&head) || matches!(head, "dialogue" | "variant" | "flow") => {
            let (condition, body) = condition(item);
            if let Some(condition) = condition {
                let of = of_item(condition, names);
                found.extend(of.iter().cloned());
                if head == "for" {
                    add(names, item.name().unwrap_or_default(), of);
                }
            }
            body.items().for_each(|item| statements(item, bank, names, found));
        }
        head => {
            let says = matches!(
                statement(head).0,
                ChangeKind::Wording
                    | ChangeKind::Breakdown
                    | ChangeKind::Description
                    | ChangeKind::Selection
                    | ChangeKind::Default
            );
            if !says
                && !matches!(head, "topic" | "style" | "show" | "show-pictures" | "show-by-tool")
            {
                found.extend(of_item(item, names));
            }
        }
    }
}

fn add(names: &mut FieldsByName, name: &str, fields: Fields) {
    if !fields.is_empty() {
        names.entry(name.to_owned()).or_default().extend(fields);
    }
}

/// The sources of an expression, or of a statement with expressions.
fn of_item(item: &NotationItem, names: &FieldsByName) -> Fields {
    match (item.head.as_str(), item.parts.as_slice()) {
        // A number of the turn (`turns`, `topics`), and not the bank of that name: a bank is not
        // compared, and nothing is added to it.
        ("==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%", parts) => parts
            .iter()
            .filter(|part| !is_fact(part))
            .flat_map(|part| of_part(part, names))
            .collect(),
        ("var", _) => names.get(item.name().unwrap_or_default()).cloned().unwrap_or_default(),
        ("field", [of, NotationPart::Text(name)]) => {
            let of = of_part(of, names).into_iter();
            of.map(|field| field.or_else(|| Some(name.clone()))).collect()
        }
        // The body is about members of the list.
        ("where" | "each" | "at", [list, body]) => within(list, ("it", body), names),
        (
            "every" | "some" | "no" | "at-least" | "at-most" | "exactly",
            [count @ .., name, list, body],
        ) if matches!(name, NotationPart::Text(_) | NotationPart::Word(_)) => {
            let name = match name {
                NotationPart::Text(name) | NotationPart::Word(name) => name,
                NotationPart::Item(_) => "it",
            };
            let mut found = within(list, (name, body), names);
            found.extend(count.iter().flat_map(|part| of_part(part, names)));
            found
        }
        (_, parts) => parts.iter().flat_map(|part| of_part(part, names)).collect(),
    }
}

/// Whether it is a fact of the turn that is a number.
fn is_fact(part: &NotationPart) -> bool {
    use ifs_predicate::turn_fact::TurnFact;
    let NotationPart::Item(item) = part else { return false };
    let named = |fact: &&TurnFact| item.name() == Some(fact.name());
    let is_value = |fact: &TurnFact| {
        matches!(fact, TurnFact::Prompt | TurnFact::Replies | TurnFact::Style | TurnFact::Topic)
    };
    item.head == "var" && TurnFact::ALL.iter().find(named).is_some_and(|fact| !is_value(fact))
}

fn within(
    list: &NotationPart,
    (name, body): (&str, &NotationPart),
    names: &FieldsByName,
) -> Fields {
    let mut found = of_part(list, names);
    let mut inner = names.clone();
    inner.insert(name.to_owned(), found.clone());
    found.extend(of_part(body, &inner));
    found
}

fn of_part(part: &NotationPart, names: &FieldsByName) -> Fields {
    match part {
        NotationPart::Item(item) => of_item(item, names),
        // Other words belong to the notation: the `topic` of `scope topic` is not the record.
        NotationPart::Word(word) if word == "it" => names.get(word).cloned().unwrap_or_default(),
        NotationPart::Word(_) => Fields::new(),
        // A template, which was compiled before.
        NotationPart::Text(text) => {
            let mut found = Fields::new();
            for path in names_in(text).unwrap_or_default() {
                let mut path = path.split('.');
                let of = path.next().and_then(|name| names.get(name));
                let field = path.next().map(str::to_owned);
                found.extend(of.into_iter().flatten().map(|of| of.clone().or(field.clone())));
            }
            found
        }
    }
}
