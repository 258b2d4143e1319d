//! Changes within a part, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use super::notation::{NotationItem, NotationPart};
use super::{Aspect, ChangeCollector, ChangeSubject, domain};
use crate::plan::canonical::PartKind;

/// Statements with a block.
pub(super) const BLOCKS: &[&str] =
    &["steps", "turn", "for", "branch", "else", "topic-flow", "on", "rule", "require"];

/// Statements that are identified by their first text.
const NAMED_STATEMENTS: &[&str] = &[
    "argument",
    "field",
    "flow-share",
    "for",
    "let",
    "observe",
    "param",
    "part",
    "parts",
    "require",
    "template",
    "turn",
    "variant",
    "weight",
];

/// The kind of change for each statement and its name in messages; by the enclosing part or block,
/// or in any.
const STATEMENT_ASPECTS: &[(&str, Aspect, &str)] = &[
    // Of benchmarks.
    ("version", Aspect::Description, "version"),
    ("field", Aspect::Description, "description"),
    ("edition", Aspect::Protocol, "edition of the language"),
    ("first", Aspect::Default, "the first dialogue"),
    // Of constraints.
    ("say", Aspect::Wording, "say"),
    ("change", Aspect::Wording, "change"),
    ("withdraw", Aspect::Wording, "withdraw"),
    ("check", Aspect::Check, "check"),
    ("judge", Aspect::JudgePrompt, "judge"),
    ("rubric", Aspect::JudgePrompt, "judge"),
    ("applies", Aspect::Check, "applies"),
    ("excludes", Aspect::Exclusion, "excludes"),
    ("alias", Aspect::Check, "alias"),
    ("relation", Aspect::Check, "relation"),
    ("tag", Aspect::Breakdown, "tags"),
    ("tag-of", Aspect::Breakdown, "tags"),
    ("good", Aspect::JudgePrompt, "judge"),
    ("no-is-good", Aspect::JudgePrompt, "judge"),
    // Of dialogues.
    ("over", Aspect::Data, "over"),
    ("topic", Aspect::Data, "topic"),
    ("style", Aspect::Data, "style"),
    ("constraints", Aspect::Probability, "constraints"),
    ("start", Aspect::Probability, "start"),
    ("scope", Aspect::Probability, "scope"),
    ("scope-said", Aspect::Wording, "scope … says"),
    ("scope-said-again", Aspect::Wording, "scope … says"),
    ("flow-of", Aspect::Probability, "flow"),
    ("flow-share", Aspect::Probability, "flow"),
    ("evolve", Aspect::Probability, "evolve"),
    ("redraws", Aspect::Probability, "redraw"),
    ("impose", Aspect::Probability, "impose"),
    ("stay", Aspect::Probability, "stay"),
    ("switch", Aspect::Probability, "switch"),
    ("until", Aspect::Termination, "until"),
    ("endless", Aspect::Termination, "endless"),
    ("priority", Aspect::Check, "priority"),
    ("patience", Aspect::Termination, "patience"),
    ("end", Aspect::Termination, "end"),
    ("context-golden", Aspect::Protocol, "context"),
    ("retry", Aspect::Protocol, "retry"),
    ("sample", Aspect::Protocol, "sample"),
    ("system", Aspect::Wording, "system message"),
    ("template", Aspect::Wording, "template"),
    ("without-words", Aspect::Wording, "words that a split holds out"),
    ("only-words", Aspect::Wording, "words of the split"),
    ("judge-template", Aspect::JudgePrompt, "template of the judge"),
    ("judge-sees", Aspect::JudgePrompt, "what judges see"),
    ("judge-history", Aspect::JudgePrompt, "history that judges see"),
    ("facts-by-judge", Aspect::JudgePrompt, "facts by judge"),
    ("metrics", Aspect::Metric, "report"),
    ("metric", Aspect::Metric, "metric"),
    ("lower", Aspect::Metric, "lower is better"),
    ("percent", Aspect::Metric, "in percent"),
    ("slice", Aspect::Breakdown, "report … by"),
    ("slices-turns", Aspect::Breakdown, "report … by"),
    ("repeat-instructions", Aspect::Wording, "repeat instructions"),
    // Of turns.
    ("ask", Aspect::Wording, "ask"),
    ("observe", Aspect::Turns, "observe"),
    ("answer", Aspect::Data, "answer"),
    ("reply", Aspect::Protocol, "reply"),
    ("show", Aspect::Data, "show"),
    ("show-pictures", Aspect::Data, "show"),
    ("show-by-tool", Aspect::Data, "show"),
    ("let", Aspect::Data, "let"),
    ("part", Aspect::Check, "part"),
    ("parts", Aspect::Check, "part"),
    ("reader", Aspect::Check, "reader of the part"),
    ("about", Aspect::Check, "description of the part"),
    ("after", Aspect::Check, "after"),
    ("weigh", Aspect::Points, "weigh"),
    ("class", Aspect::Breakdown, "class"),
    ("expect", Aspect::Points, "expect"),
    ("void", Aspect::Points, "void"),
    // Of releases.
    ("count", Aspect::Selection, "number of dialogues"),
    ("every", Aspect::Selection, "every record"),
    ("keep", Aspect::Probability, "keep"),
    ("seed", Aspect::Selection, "seed"),
    ("cover", Aspect::Probability, "cover"),
    ("quota", Aspect::Probability, "quota"),
    ("alike", Aspect::Probability, "alike"),
    ("anchors", Aspect::Selection, "anchors"),
    // Of splits.
    ("held-groups", Aspect::Probability, "groups"),
    ("with-groups", Aspect::Probability, "groups … with"),
    ("held-topics", Aspect::Data, "topics"),
    ("held-styles", Aspect::Data, "styles"),
    ("held-flows", Aspect::Probability, "flows"),
    ("held-words", Aspect::Wording, "words"),
    ("own-template", Aspect::Wording, "templates"),
    // Of data.
    ("records", Aspect::Records, "records"),
    ("simulated", Aspect::Data, "simulation"),
];

pub(super) fn statement(head: &str) -> (Aspect, String) {
    match STATEMENT_ASPECTS.iter().find(|(word, _, _)| *word == head) {
        Some((_, aspect, words)) => (*aspect, (*words).to_owned()),
        // A statement that is not in the table makes scores not comparable.
        None => (Aspect::Turns, head.replace('-', " ")),
    }
}

/// Compares the two texts of a part.
pub(super) fn compare(
    of: ChangeSubject<'_>,
    old: &NotationItem,
    new: &NotationItem,
    found: &mut ChangeCollector,
) {
    match of.kind {
        // Their lines are digests of parts, which are compared separately.
        PartKind::Group => {}
        PartKind::Plan => {
            let own = |item: &NotationItem| {
                let mut item = item.clone();
                item.parts.retain(|part| {
                    matches!(part, NotationPart::Item(item) if matches!(item.head.as_str(), "edition" | "first"))
                });
                item
            };
            block(of, "", &own(old), &own(new), found);
        }
        PartKind::Dialogue => dialogue(of, old, new, found),
        PartKind::Tags if old != new => found.push(of, Aspect::Breakdown, "tags", (None, None)),
        PartKind::Picture if old != new => {
            found.push(of, Aspect::Records, "the picture", (None, None));
        }
        PartKind::Bank | PartKind::Feed if old.child("records") == new.child("records") => {
            if old != new {
                found.push(
                    of,
                    Aspect::Data,
                    "its fields",
                    formatted_sides(Some(&old.unnamed()), Some(&new.unnamed())),
                );
            }
        }
        _ => block(of, "", old, new, found),
    }
}

/// A dialogue and its variants; statements that a variant shares with its dialogue are reported
/// once.
fn dialogue(
    of: ChangeSubject<'_>,
    old: &NotationItem,
    new: &NotationItem,
    found: &mut ChangeCollector,
) {
    let content = |item: &NotationItem| {
        let mut item = item.clone();
        item.parts
            .retain(|part| !matches!(part, NotationPart::Item(item) if item.head == "variant"));
        item
    };
    let variants = |item: &NotationItem| -> BTreeMap<String, NotationItem> {
        let variants = item.items().filter(|item| item.head == "variant");
        variants.map(|item| (item.name().unwrap_or_default().to_owned(), item.clone())).collect()
    };
    let start = found.changes.len();
    block(of, "", &content(old), &content(new), found);
    let shared = found.changes[start..].to_vec();
    let (old, new) = (variants(old), variants(new));
    for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let of = ChangeSubject { variant: Some(name), ..of };
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => {
                let start = found.changes.len();
                block(of, "", old, new, found);
                let own = found.changes.split_off(start);
                found.changes.extend(own.into_iter().filter(|change| {
                    !shared.iter().any(|shared| {
                        (&shared.place, shared.aspect, &shared.before, &shared.after)
                            == (&change.place, change.aspect, &change.before, &change.after)
                    })
                }));
            }
            (None, _) => {
                let reason = (super::Class::Comparable, "earlier parts are unchanged");
                found.push_change(of, Aspect::Added, reason, String::new(), (None, None));
            }
            (_, None) => {
                let reason = (super::Class::NotComparable, "the variant is no longer there");
                found.push_change(of, Aspect::Removed, reason, String::new(), (None, None));
            }
        }
    }
}

type StatementKey<'i> = (&'i str, &'i str, usize);

/// Statements by keyword and name; duplicates are numbered. Statements that are equal on both sides
/// need no number, so inserting one does not change all others.
fn keyed<'i>(items: &'i [&'i NotationItem]) -> Vec<(StatementKey<'i>, &'i NotationItem)> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    items
        .iter()
        .map(|item| {
            let named = NAMED_STATEMENTS.contains(&item.head.as_str());
            let name = item.name().filter(|_| named).unwrap_or_default();
            let count = counts.entry((&item.head, name)).or_default();
            *count += 1;
            ((item.head.as_str(), name, *count), *item)
        })
        .collect()
}

/// The condition of a branch, or the list of a loop, and the block without it.
pub(super) fn condition(item: &NotationItem) -> (Option<&NotationItem>, NotationItem) {
    let mut body = item.clone();
    let is_item = |part: &NotationPart| matches!(part, NotationPart::Item(_));
    let at = match item.head.as_str() {
        "branch" | "for" => item.parts.iter().position(is_item),
        _ => None,
    };
    at.into_iter().for_each(|at| drop(body.parts.remove(at)));
    let condition = at.and_then(|at| match &item.parts[at] {
        NotationPart::Item(item) => Some(item),
        _ => None,
    });
    (condition, body)
}

fn block(
    of: ChangeSubject<'_>,
    path: &str,
    old: &NotationItem,
    new: &NotationItem,
    found: &mut ChangeCollector,
) {
    if old == new {
        return;
    }
    let ((was, old), (is, new)) = (condition(old), condition(new));
    if was != is {
        let word = if old.head == "branch" { "when" } else { "in" };
        let shown = |item: Option<&NotationItem>| item.map(|it| format!("{word} {}", it.print()));
        let place = path.strip_suffix(", ").unwrap_or(path);
        found.push(of, Aspect::Turns, place, (shown(was), shown(is)));
        if old == new {
            return;
        }
    }
    let (old, new) = (&old, &new);
    // Values in the head itself, such as the bank in `topic from`, or the name in `for`.
    let own = |item: &NotationItem| -> Vec<NotationPart> {
        item.parts.iter().filter(|part| !matches!(part, NotationPart::Item(_))).cloned().collect()
    };
    if own(old) != own(new) && path.is_empty() {
        let (aspect, words) = statement(&old.head);
        let shown = |item: &NotationItem| {
            NotationItem { head: String::new(), parts: own(item) }.print_parts()
        };
        found.push(of, aspect, words, (Some(shown(old)), Some(shown(new))));
    }
    // Statements that are equal on both sides are skipped.
    let (mut was, mut is): (Vec<&NotationItem>, Vec<&NotationItem>) =
        (old.items().collect(), new.items().collect());
    let in_order = |items: &[&NotationItem]| -> Vec<String> {
        let named = items.iter().filter(|item| NAMED_STATEMENTS.contains(&item.head.as_str()));
        named.map(|item| format!("{} {}", item.head, item.name().unwrap_or_default())).collect()
    };
    let (order_was, order_is) = (in_order(&was), in_order(&is));
    is.retain(|item| match was.iter().position(|old| old == item) {
        Some(at) => {
            was.remove(at);
            false
        }
        None => true,
    });
    if was.is_empty() && is.is_empty() {
        let place = format!("{path}order of its statements");
        found.push(of, Aspect::Turns, place, (None, None));
        return;
    }
    if sorted(&order_was) == sorted(&order_is) && order_was != order_is {
        let place = format!("{path}order of its statements");
        found.push(
            of,
            Aspect::Turns,
            place,
            (Some(order_was.join(", ")), Some(order_is.join(", "))),
        );
    }
    let (was, is) = (keyed(&was), keyed(&is));
    for (key, old) in &was {
        let new = is.iter().find(|(other, _)| other == key).map(|(_, item)| *item);
        changed(of, path, *key, (Some(*old), new), found);
    }
    for (key, new) in &is {
        if !was.iter().any(|(other, _)| other == key) {
            changed(of, path, *key, (None, Some(*new)), found);
        }
    }
}

fn sorted(lines: &[String]) -> Vec<&String> {
    let mut lines: Vec<&String> = lines.iter().collect();
    lines.sort();
    lines
}

fn changed(
    of: ChangeSubject<'_>,
    path: &str,
    (head, name, _): StatementKey<'_>,
    (old, new): (Option<&NotationItem>, Option<&NotationItem>),
    found: &mut ChangeCollector,
) {
    let step = match (head, name) {
        ("steps" | "topic-flow" | "rule", _) => String::new(),
        ("on", _) => {
            let to = old.or(new).and_then(|item| item.direct_words().next()).unwrap_or_default();
            format!("turn {to}, ")
        }
        ("branch", _) => "when, ".to_owned(),
        (head, "") => format!("{head}, "),
        (head, name) => format!("{head} {name}, "),
    };
    match (head, old, new) {
        ("param", Some(old), Some(new)) => param(of, path, name, (old, new), found),
        (head, Some(old), Some(new)) if BLOCKS.contains(&head) => {
            block(of, &format!("{path}{step}"), old, new, found);
        }
        // All turns of a dialogue that no longer has any.
        ("steps" | "topic-flow", one, other) => {
            let empty = NotationItem { head: head.to_owned(), parts: Vec::new() };
            block(of, path, one.unwrap_or(&empty), other.unwrap_or(&empty), found);
        }
        ("turn" | "for" | "require" | "param" | "part" | "parts", one, _) => {
            let aspect = match (head, one) {
                ("require" | "part" | "parts", _) => Aspect::Check,
                (_, Some(_)) => Aspect::Removed,
                (_, None) => Aspect::Added,
            };
            let word = if one.is_some() { "removed" } else { "added" };
            found.push(of, aspect, format!("{path}{head} {name} {word}"), (None, None));
        }
        // Metrics that give their weights to constraints and tags.
        ("weight", ..) if of.kind == PartKind::Dialogue => {
            let reason = (super::Class::NotComparable, "weighted metrics have other weights");
            let place = format!("{path}weigh {name}");
            found.push_change(of, Aspect::Metric, reason, place, formatted_sides(old, new));
        }
        ("weight", ..) => {
            found.push(of, Aspect::Probability, format!("{path}weight"), formatted_sides(old, new))
        }
        ("metrics", ..) => metrics(of, path, (old, new), found),
        // It is what the model is sent as its own response.
        ("answer", ..) if found.has_golden_history(of) => {
            found.push(of, Aspect::Protocol, format!("{path}answer"), formatted_sides(old, new));
        }
        (head, ..) => {
            let (aspect, words) = statement(head);
            let name = if name.is_empty() { String::new() } else { format!(" {name}") };
            found.push(of, aspect, format!("{path}{words}{name}"), formatted_sides(old, new));
        }
    }
}

/// Metrics that are no longer reported can still be computed.
fn metrics(
    of: ChangeSubject<'_>,
    path: &str,
    (old, new): (Option<&NotationItem>, Option<&NotationItem>),
    found: &mut ChangeCollector,
) {
    found.push(of, Aspect::Metric, format!("{path}report"), formatted_sides(old, new));
}

fn param(
    of: ChangeSubject<'_>,
    path: &str,
    name: &str,
    (old, new): (&NotationItem, &NotationItem),
    found: &mut ChangeCollector,
) {
    let before = found.changes.len();
    if let Some(aspect) = domain::compare(old, new) {
        let place = match aspect {
            Aspect::DomainWidened => "domain widened",
            Aspect::DomainNarrowed => "domain narrowed",
            Aspect::Probability => "shares or order of its values",
            _ => "domain",
        };
        let shown = (Some(domain::print(old)), Some(domain::print(new)));
        found.push(of, aspect, format!("{path}{name}: {place}"), shown);
    }
    if old.child("evolve") != new.child("evolve") {
        let (old, new) = (old.child("evolve"), new.child("evolve"));
        found.push(
            of,
            Aspect::Probability,
            format!("{path}{name}: evolve"),
            formatted_sides(old, new),
        );
    }
    if found.changes.len() == before {
        let shown = formatted_sides(Some(&old.unnamed()), Some(&new.unnamed()));
        found.push(of, Aspect::DomainChanged, format!("{path}{name}: type"), shown);
    }
}

/// Both sides of a statement, formatted for people.
fn formatted_sides(
    old: Option<&NotationItem>,
    new: Option<&NotationItem>,
) -> (Option<String>, Option<String>) {
    let text = |item: &NotationItem| {
        let named = NAMED_STATEMENTS.contains(&item.head.as_str()) && item.parts.len() > 1;
        let item = if named { item.unnamed() } else { item.clone() };
        shares(&item).unwrap_or_else(|| item.print_parts())
    };
    let text = |item: Option<&NotationItem>| item.map(text).filter(|text| !text.is_empty());
    match (old, new) {
        (Some(old), Some(new)) => (text(Some(old)), text(Some(new))),
        // A flag without a value.
        (old, new) => {
            let shown = |item: Option<&NotationItem>| {
                item.map(|item| text(Some(item)).unwrap_or_else(|| "yes".to_owned()))
            };
            (shown(old), shown(new))
        }
    }
}

/// `impose 1..=2 new group from a, b by system with probability 0.5`
fn impose(item: &NotationItem) -> String {
    let value = |head: &str| item.child(head).map(NotationItem::print_parts);
    let counts: Vec<String> = item.parts.iter().take(2).map(super::notation::print_part).collect();
    let names = |head: &str| -> Option<String> {
        let texts = item.items().filter(|one| one.head == head);
        let names: Vec<&str> = texts.flat_map(NotationItem::direct_texts).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let what = match (item.child("given"), item.child("called"), counts.as_slice()) {
        (Some(given), ..) => {
            let values = given.items().filter(|param| param.head == "param");
            let values: Vec<String> = values
                .map(|param| {
                    format!("{}: {}", param.name().unwrap_or_default(), domain::print(param))
                })
                .collect();
            format!("{}({})", given.name().unwrap_or_default(), values.join(", "))
        }
        (_, Some(called), _) => {
            let name = called.parts.first().map(super::notation::print_part).unwrap_or_default();
            let given = called.child("given").map(|it| format!(" given {}", it.print_parts()));
            format!("called {name}{}", given.unwrap_or_default())
        }
        (_, _, [low, high]) if low == high => low.clone(),
        (_, _, counts) => counts.join("..="),
    };
    let is_named = item.child("given").is_some();
    let unsaid = item.child("called").is_some_and(|called| called.child("unsaid").is_some());
    let against = item.child("against").map(|against| {
        let case = against.child("case").map(|case| format!(" case {}", case.print_parts()));
        let speaker = against.direct_words().next().unwrap_or_default();
        format!(" against {speaker}{}", case.unwrap_or_default())
    });
    let clauses = [
        item.child("new-group").map(|_| " new group".to_owned()),
        names("from").filter(|_| !is_named).map(|names| format!(" from {names}")),
        unsaid.then(|| " unsaid".to_owned()),
        value("scope").map(|scope| format!(" scope {scope}")),
        value("by").map(|by| format!(" by {by}")),
        against,
        value("probability").map(|share| format!(" with probability {share}")),
        value("applies").map(|when| format!(" applies when {when}")),
    ];
    let since = value("since").map(|turn| format!("from turn {turn} ")).unwrap_or_default();
    let clauses: String = clauses.into_iter().flatten().collect();
    format!("{since}impose {what}{clauses}")
}

/// Statements that the notation has in another form than the source, such as probabilities in
/// millionths.
fn shares(item: &NotationItem) -> Option<String> {
    let percent = domain::percent;
    let words: Vec<&str> = item.direct_words().collect();
    match (item.head.as_str(), words.as_slice()) {
        ("impose", _) => Some(impose(item)),
        ("priority", speakers) => Some(speakers.join(" > ")),
        ("flow-share", [share]) => Some(percent(share)),
        // As many turns as there are.
        ("judge-history", [turns]) if *turns == u32::MAX.to_string() => Some("all".to_owned()),
        ("switch", [switch, new, back]) => Some(format!(
            "{} {{ new {}  backtrack {} }}",
            percent(switch),
            percent(new),
            percent(back)
        )),
        ("evolve", _) => {
            let mut out: Vec<String> = Vec::new();
            for part in &item.parts {
                out.push(match part {
                    NotationPart::Item(item)
                        if ["add", "modify", "drop"].contains(&item.head.as_str()) =>
                    {
                        let mut text = format!("{} ", item.head);
                        let share = item.direct_words().next().unwrap_or_default();
                        text.push_str(&percent(share));
                        text
                    }
                    NotationPart::Item(guard) if guard.head == "when" => {
                        let inner =
                            NotationItem { head: "evolve".to_owned(), parts: guard.parts.clone() };
                        format!("when {}", shares(&inner).unwrap_or_default())
                    }
                    other => super::notation::print_part(other),
                });
            }
            Some(out.join("  "))
        }
        _ => None,
    }
}
