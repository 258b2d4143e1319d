//! Parts that were added, removed or renamed, and those that changed.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{self, RenamedNames};
use super::notation::NotationItem;
use super::records::{self, Fields};
use super::{ChangeCollector, ChangeKind, ChangeSubject, Class, block, items};
use crate::Plan;
use crate::canonical::{Definition, PartKind};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;

type ItemsByPart = BTreeMap<(PartKind, String), NotationItem>;

/// A part with a new name.
struct Renamed {
    kind: PartKind,
    old: String,
    new: String,
}

pub(super) fn compare(
    before: &Definition,
    after: &Definition,
    plans: (&Plan, &Plan),
    found: &mut ChangeCollector,
) {
    let (mut old, masks) = items_by_part(before);
    let (mut new, new_masks) = items_by_part(after);
    // Names without an order are in the same one on both sides.
    old.values_mut().chain(new.values_mut()).for_each(|item| item.map_texts(&|_| None));
    let renamed = renamed(&old, &new);
    for Renamed { kind, old: before, new: after } in &renamed {
        let of = ChangeSubject { kind: *kind, name: after, old_name: before, variant: None };
        let names = (Some(before.clone()), Some(after.clone()));
        found.push(of, ChangeKind::Renamed, "name", names);
    }
    rename(&mut old, &renamed);
    for ((kind, name), item) in &old {
        let of = ChangeSubject { kind: *kind, name, old_name: name, variant: None };
        match new.get(&(*kind, name.clone())) {
            None => removed(of, &new, found),
            Some(other) if matches!(kind, PartKind::Bank | PartKind::Feed) => {
                bank(of, (item, other), (before, after), plans, found);
            }
            Some(other) => match names::renamed(item, other) {
                Some(renamed) => collect_renamed(of, renamed, found),
                None => block::compare(of, item, other, found),
            },
        }
    }
    for (kind, name) in new.keys().filter(|key| !old.contains_key(*key)) {
        let of = ChangeSubject { kind: *kind, name, old_name: name, variant: None };
        collect_added(of, &old, found);
    }
    let unnamed = ChangeSubject { kind: PartKind::Mask, name: "", old_name: "", variant: None };
    for mask in masks.difference(&new_masks) {
        found.push(unnamed, ChangeKind::Exclusion, "mask", (Some(mask.clone()), None));
    }
    for mask in new_masks.difference(&masks) {
        found.push(unnamed, ChangeKind::Exclusion, "mask", (None, Some(mask.clone())));
    }
}

fn collect_renamed(of: ChangeSubject<'_>, renamed: RenamedNames, found: &mut ChangeCollector) {
    let side = |names: &[String]| Some(names.join(", ")).filter(|names| !names.is_empty());
    let sides = (side(&renamed.old), side(&renamed.new));
    match renamed.is_keyed {
        true => found.push(of, ChangeKind::Renamed, "names", sides),
        false => {
            let same = (Class::Comparable, "only names differ, by which nothing is drawn");
            found.push_change(of, ChangeKind::Renamed, same, "names".to_owned(), sides);
        }
    }
}

/// The parts by name; masks have none.
fn items_by_part(definition: &Definition) -> (ItemsByPart, BTreeSet<String>) {
    let (masks, named): (Vec<_>, Vec<_>) =
        items(definition).into_iter().partition(|part| part.0 == PartKind::Mask);
    let named = named.into_iter().map(|(kind, name, item)| ((kind, name), item)).collect();
    (named, masks.into_iter().map(|(_, _, item)| item.print_parts()).collect())
}

fn removed(of: ChangeSubject<'_>, new: &ItemsByPart, found: &mut ChangeCollector) {
    // A removed dialogue has no scores to compare.
    match of.kind {
        PartKind::Group if !new.keys().any(|(_, name)| is_in_group(name, of.name)) => {}
        PartKind::Dialogue => {
            let reason = (Class::NotComparable, "the dialogue is no longer there");
            found.push_change(of, ChangeKind::Removed, reason, String::new(), (None, None));
        }
        PartKind::Release => {
            let reason = (Class::WithCare, "the release is no longer there");
            found.push_change(of, ChangeKind::Removed, reason, String::new(), (None, None));
        }
        PartKind::Split => {
            let reason = (Class::NotComparable, "every dialogue draws again what it held out");
            found.push_change(of, ChangeKind::Removed, reason, String::new(), (None, None));
        }
        _ => found.push(of, ChangeKind::Removed, "", (None, None)),
    }
}

fn collect_added(of: ChangeSubject<'_>, old: &ItemsByPart, found: &mut ChangeCollector) {
    match of.kind {
        PartKind::Group if !old.keys().any(|(_, name)| is_in_group(name, of.name)) => {}
        PartKind::Dialogue | PartKind::Release => {
            let reason = (Class::Comparable, "earlier parts are unchanged");
            found.push_change(of, ChangeKind::Added, reason, String::new(), (None, None));
        }
        PartKind::Split => {
            let reason = (Class::NotComparable, "what it holds out is drawn with it alone");
            found.push_change(of, ChangeKind::Added, reason, String::new(), (None, None));
        }
        _ => found.push(of, ChangeKind::Added, "", (None, None)),
    }
}

fn is_in_group(name: &str, group: &str) -> bool {
    name.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'))
}

/// Removed parts that have the content of added ones.
fn renamed(old: &ItemsByPart, new: &ItemsByPart) -> Vec<Renamed> {
    let only = |these: &ItemsByPart, those: &ItemsByPart| -> Vec<(PartKind, String)> {
        let kinds = [
            PartKind::Bank,
            PartKind::Picture,
            PartKind::Feed,
            PartKind::Constraint,
            PartKind::Flow,
            PartKind::Dialogue,
        ];
        let keys = these.keys().filter(|key| !those.contains_key(*key));
        keys.filter(|(kind, _)| kinds.contains(kind)).cloned().collect()
    };
    let (gone, mut come) = (only(old, new), only(new, old));
    let mut renamed = Vec::new();
    // First by equal content; then by content without wording.
    for same in [NotationItem::unnamed as fn(&NotationItem) -> NotationItem, core] {
        for key in &gone {
            if renamed.iter().any(|of: &Renamed| (of.kind, &of.old) == (key.0, &key.1)) {
                continue;
            }
            let content = same(&old[key]);
            if content.parts.is_empty() {
                continue;
            }
            let at = come.iter().position(|other| other.0 == key.0 && same(&new[other]) == content);
            if let Some(at) = at {
                let (kind, new) = come.remove(at);
                renamed.push(Renamed { kind, old: key.1.clone(), new });
            }
        }
    }
    groups(&mut renamed, old, new);
    renamed.sort_by(|one, other| (one.kind, &one.old).cmp(&(other.kind, &other.old)));
    renamed
}

/// The content of a part without its wording.
fn core(item: &NotationItem) -> NotationItem {
    let mut core = item.unnamed();
    core.parts.retain(|part| match part {
        super::notation::NotationPart::Item(item) => {
            !matches!(item.head.as_str(), "say" | "change" | "withdraw" | "tag" | "ask")
        }
        _ => true,
    });
    // A constraint is identified by its check or its question, a dialogue only by all of its
    // content.
    match item.head.as_str() {
        "constraint" => core,
        _ => item.unnamed(),
    }
}

/// If all constraints of a group moved to one other group, the group was renamed.
fn groups(renamed: &mut Vec<Renamed>, old: &ItemsByPart, new: &ItemsByPart) {
    let mut moves: BTreeMap<(String, String), usize> = BTreeMap::new();
    for of in renamed.iter().filter(|of| of.kind == PartKind::Constraint) {
        if let (Some((from, a)), Some((to, b))) = (of.old.rsplit_once('.'), of.new.rsplit_once('.'))
            && a == b
        {
            *moves.entry((from.to_owned(), to.to_owned())).or_default() += 1;
        }
    }
    let members = |parts: &ItemsByPart, group: &str| {
        parts
            .keys()
            .filter(|(kind, name)| *kind == PartKind::Constraint && is_in_group(name, group))
            .count()
    };
    for ((from, to), count) in moves {
        let complete = members(old, &from) == count && members(new, &to) == count;
        let is_new = !old.contains_key(&(PartKind::Group, to.clone()))
            && !new.contains_key(&(PartKind::Group, from.clone()));
        if complete && is_new {
            renamed.retain(|of| {
                !(of.kind == PartKind::Constraint
                    && is_in_group(&of.old, &from)
                    && is_in_group(&of.new, &to))
            });
            renamed.push(Renamed { kind: PartKind::Group, old: from, new: to });
        }
    }
}

/// The old parts with new names, wherever they are mentioned.
fn rename(parts: &mut ItemsByPart, renamed: &[Renamed]) {
    let new_name = |name: &str| {
        renamed.iter().find_map(|of| {
            let rest = name.strip_prefix(of.old.as_str())?;
            let is_member = of.kind == PartKind::Group && rest.starts_with('.');
            (rest.is_empty() || is_member).then(|| format!("{}{rest}", of.new))
        })
    };
    if renamed.is_empty() {
        return;
    }
    let old = std::mem::take(parts);
    for ((kind, name), mut item) in old {
        item.map_texts(&new_name);
        let own = renamed.iter().any(|of| {
            (of.kind == kind && of.old == name)
                || (of.kind == PartKind::Constraint && kind == PartKind::Group && of.old == name)
                || (of.kind == PartKind::Group
                    && (kind == PartKind::Group && of.old == name
                        || kind == PartKind::Constraint && is_in_group(&name, &of.old)))
        });
        let name = if own { new_name(&name).unwrap_or(name) } else { name };
        parts.insert((kind, name), item);
    }
}

/// The records of a bank, or the games of a feed.
struct Records<'p> {
    keys: &'p [String],
    records: &'p [Value],
    ty: &'p Type,
}

/// Records are identified by their keys.
fn bank<'p>(
    of: ChangeSubject<'_>,
    (old, new): (&NotationItem, &NotationItem),
    definitions: (&Definition, &Definition),
    plans: (&'p Plan, &'p Plan),
    found: &mut ChangeCollector,
) {
    if old.child("records") == new.child("records") {
        return block::compare(of, old, new, found);
    }
    let bank = |plan: &'p Plan, name: &str| match of.kind {
        PartKind::Feed => {
            let feed = plan.model.feeds.iter().find(|feed| feed.name == name)?;
            let (keys, records) = feed.records();
            feed.fresh.is_none().then_some(Records { keys, records, ty: &feed.ty })
        }
        _ => {
            let bank = plan.model.banks.iter().find(|bank| bank.name == name)?;
            Some(Records { keys: &bank.keys, records: &bank.records, ty: &bank.ty })
        }
    };
    let before = bank(plans.0, of.old_name).or_else(|| bank(plans.0, of.name));
    let (Some(before), Some(after)) = (before, bank(plans.1, of.name)) else {
        return block::compare(of, old, new, found);
    };
    let was: RecordsByKey<'_> = before.keys.iter().zip(before.records).collect();
    let is: RecordsByKey<'_> = after.keys.iter().zip(after.records).collect();
    let gone: Vec<&str> = keys(was.keys().filter(|key| !is.contains_key(*key)));
    let come: Vec<&str> = keys(is.keys().filter(|key| !was.contains_key(*key)));
    let other: Vec<&str> = keys(
        was.iter()
            .filter(|(key, record)| is.get(*key).is_some_and(|now| now != *record))
            .map(|(key, _)| key),
    );
    let before_changes = found.changes.len();
    // Every field of records that come or go is another.
    let every = || Fields::from([None]);
    let differing = other.iter().flat_map(|key| {
        let (old, new) = (was.get(&(*key).to_owned()), is.get(&(*key).to_owned()));
        differing_fields(old.unwrap_or(&&Value::Nothing), new.unwrap_or(&&Value::Nothing))
    });
    let differing: Fields = differing.collect();
    let changed = sides_of_records(&other, &was, &is);
    for (count, word, fields, sides) in [
        (gone.len(), "removed", every(), (Some(first_few(&gone)), None)),
        (come.len(), "added", every(), (None, Some(first_few(&come)))),
        (other.len(), "changed", differing, changed),
    ] {
        if count > 0 {
            let place = format!("{} {word}", counted(count, "record"));
            of_records(of, definitions, (&place, &sides, &fields), found);
        }
    }
    if before.ty != after.ty {
        let (mut old, mut new) = (old.clone(), new.clone());
        for item in [&mut old, &mut new] {
            item.parts.retain(
                |part| !matches!(part, super::notation::NotationPart::Item(item) if item.head == "records"),
            );
        }
        let aspect = fields(before.ty, after.ty);
        found.push(
            of,
            aspect,
            "fields",
            (Some(old.unnamed().print_parts()), Some(new.unnamed().print_parts())),
        );
    }
    if found.changes.len() == before_changes {
        found.push(of, ChangeKind::Records, "order of its records", (None, None));
    }
}

type RecordsByKey<'r> = BTreeMap<&'r String, &'r Value>;

/// The first few values that differ, on both sides: `tides.request: "Write about tides."`
fn sides_of_records(
    keys: &[&str],
    was: &RecordsByKey<'_>,
    is: &RecordsByKey<'_>,
) -> (Option<String>, Option<String>) {
    const MAX_VALUES: usize = 3;
    let mut values = Vec::new();
    for key in keys {
        let key = (*key).to_owned();
        if let (Some(old), Some(new)) = (was.get(&key), is.get(&key)) {
            differing_values(&key, (Some(old), Some(new)), &mut values);
        }
        if values.len() > MAX_VALUES {
            break;
        }
    }
    let more = if values.len() > MAX_VALUES { "; …" } else { "" };
    values.truncate(MAX_VALUES);
    let (old, new): (Vec<String>, Vec<String>) = values.into_iter().unzip();
    let line = |values: Vec<String>| Some(format!("{}{more}", values.join("; ")));
    match old.is_empty() {
        true => (None, Some(first_few(keys))),
        false => (line(old), line(new)),
    }
}

/// The innermost values that differ, with their places.
fn differing_values(
    place: &str,
    sides: (Option<&Value>, Option<&Value>),
    found: &mut Vec<(String, String)>,
) {
    match sides {
        (Some(old), Some(new)) if old == new => {}
        (Some(Value::Record(old)), Some(Value::Record(new))) => {
            let [old, new] = [old, new].map(|record| record.iter().collect::<BTreeMap<_, _>>());
            for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
                let sides = (old.get(*name).copied(), new.get(*name).copied());
                differing_values(&format!("{place}.{name}"), sides, found);
            }
        }
        (Some(Value::List(old)), Some(Value::List(new))) if old.len() == new.len() => {
            for (at, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                differing_values(&format!("{place}[{}]", at + 1), (Some(old), Some(new)), found);
            }
        }
        (old, new) => {
            let shown = |value: Option<&Value>| match value {
                None => format!("{place}: none"),
                Some(value) => format!("{place}: {}", shown_value(value)),
            };
            found.push((shown(old), shown(new)));
        }
    }
}

fn shown_value(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The fields that differ; `None` for other values than records.
fn differing_fields(old: &Value, new: &Value) -> Fields {
    match (old, new) {
        (Value::Record(old), Value::Record(new)) => {
            let [old, new] = [old, new].map(|record| record.iter().collect::<BTreeMap<_, _>>());
            let names = old.keys().chain(new.keys());
            let differ = names.filter(|name| old.get(*name) != new.get(*name));
            differ.map(|name| Some((*name).to_owned())).collect()
        }
        _ => Fields::from([None]),
    }
}

/// A change of records: one for the dialogues in which these fields decide something, one for the
/// others.
fn of_records(
    of: ChangeSubject<'_>,
    (before, after): (&Definition, &Definition),
    (place, shown, fields): (&str, &(Option<String>, Option<String>), &Fields),
    found: &mut ChangeCollector,
) {
    let sides = [(items(before), of.old_name), (items(after), of.name)];
    let mut deciding: BTreeMap<String, Fields> = BTreeMap::new();
    let all = found.usage.dialogues(of.kind, &[of.name, of.old_name]);
    for dialogue in &all {
        let decide = sides
            .iter()
            .flat_map(|(parts, bank)| records::deciding(parts, &found.usage, (bank, dialogue)));
        let every = fields.contains(&None);
        let decide: Fields =
            decide.filter(|field| every || field.is_none() || fields.contains(field)).collect();
        if !decide.is_empty() {
            deciding.insert(dialogue.clone(), decide);
        }
    }
    let sides = || shown.clone();
    if deciding.len() < all.len() || all.is_empty() {
        found.push(of, ChangeKind::Records, place, sides());
        found.keep_dialogues(|name| !deciding.contains_key(name));
    }
    if !deciding.is_empty() {
        let decide: Fields = deciding.values().flatten().cloned().collect();
        let names: Vec<String> =
            decide.iter().flatten().map(|field| format!("`{field}`")).collect();
        let subject = match names.is_empty() || decide.contains(&None) {
            true => "records decide".to_owned(),
            false => {
                format!("{} decide{}", names.join(", "), if names.len() == 1 { "s" } else { "" })
            }
        };
        let reason = format!("{subject} what is imposed, judged or counted");
        let class = (Class::NotComparable, reason.as_str());
        found.push_change(of, ChangeKind::DecidingRecords, class, place.to_owned(), sides());
        found.keep_dialogues(|name| deciding.contains_key(name));
    }
}

/// Added fields do not affect existing ones; their uses are changes of their own.
fn fields(before: &Type, after: &Type) -> ChangeKind {
    match (before, after) {
        (Type::Record(before), Type::Record(after))
            if before.iter().all(|field| after.iter().any(|other| other == field)) =>
        {
            ChangeKind::Records
        }
        _ => ChangeKind::Data,
    }
}

fn keys<'k>(keys: impl Iterator<Item = &'k &'k String>) -> Vec<&'k str> {
    keys.map(|key| key.as_str()).collect()
}

/// The first few of many names.
fn first_few(keys: &[&str]) -> String {
    const MAX_NAMES: usize = 5;
    let mut shown = keys.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    if keys.len() > MAX_NAMES {
        shown.push_str(&format!(" and {} more", keys.len() - MAX_NAMES));
    }
    shown
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
