//! Changes within a part, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use super::notation::{NotationItem, NotationPart};
use super::{ChangeCollector, ChangeKind, ChangeSubject, Class, domain, said};
use crate::canonical::PartKind;

/// Statements with a block.
pub(super) const BLOCKS: &[&str] =
    &["steps", "turn", "for", "branch", "else", "topic-flow", "on", "rule", "require"];

/// Statements that are identified by their first text.
const NAMED_STATEMENTS: &[&str] = &[
    "argument",
    "built-in",
    "field",
    "flow-share",
    "for",
    "let",
    "metric",
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
const STATEMENT_ASPECTS: &[(&str, ChangeKind, &str)] = &[
    // Of benchmarks.
    ("version", ChangeKind::Description, "version"),
    ("field", ChangeKind::Description, "description"),
    ("edition", ChangeKind::Protocol, "edition of the language"),
    ("first", ChangeKind::Default, "the first dialogue"),
    // Of constraints.
    ("say", ChangeKind::Wording, "say"),
    ("change", ChangeKind::Wording, "change"),
    ("withdraw", ChangeKind::Wording, "withdraw"),
    ("check", ChangeKind::Check, "check"),
    ("judge", ChangeKind::JudgePrompt, "judge"),
    ("rubric", ChangeKind::JudgePrompt, "judge"),
    ("applies", ChangeKind::Check, "applies"),
    ("excludes", ChangeKind::Exclusion, "excludes"),
    ("alias", ChangeKind::Check, "alias"),
    ("relation", ChangeKind::Check, "relation"),
    ("tag", ChangeKind::Breakdown, "tags"),
    ("tag-of", ChangeKind::Breakdown, "tags"),
    ("good", ChangeKind::JudgePrompt, "judge"),
    ("no-is-good", ChangeKind::JudgePrompt, "judge"),
    // Of dialogues.
    ("over", ChangeKind::Data, "over"),
    ("topic", ChangeKind::Data, "topic"),
    ("style", ChangeKind::Data, "style"),
    ("constraints", ChangeKind::Probability, "constraints"),
    ("start", ChangeKind::Probability, "start"),
    ("scope", ChangeKind::Probability, "scope"),
    ("scope-said", ChangeKind::Wording, "scope … says"),
    ("scope-said-again", ChangeKind::Wording, "scope … says"),
    ("flow-of", ChangeKind::Probability, "flow"),
    ("flow-share", ChangeKind::Probability, "flow"),
    ("evolve", ChangeKind::Probability, "evolve"),
    ("redraws", ChangeKind::Probability, "redraw"),
    ("redraws_until_witness", ChangeKind::Probability, "redraw"),
    ("impose", ChangeKind::Probability, "impose"),
    ("stay", ChangeKind::Probability, "stay"),
    ("switch", ChangeKind::Probability, "switch"),
    ("until", ChangeKind::Termination, "until"),
    ("endless", ChangeKind::Termination, "endless"),
    ("priority", ChangeKind::Check, "priority"),
    ("patience", ChangeKind::Termination, "patience"),
    ("end", ChangeKind::Termination, "end"),
    ("context-golden", ChangeKind::Protocol, "context"),
    ("overflow-omitted", ChangeKind::Protocol, "overflow"),
    ("retry", ChangeKind::Protocol, "retry"),
    ("sample", ChangeKind::Protocol, "sample"),
    ("system", ChangeKind::Wording, "system message"),
    ("template", ChangeKind::Wording, "template"),
    ("built-in", ChangeKind::Wording, "built-in words"),
    ("without-words", ChangeKind::Wording, "words that a split holds out"),
    ("only-words", ChangeKind::Wording, "words of the split"),
    ("judge-template", ChangeKind::JudgePrompt, "template of the judge"),
    ("judge-sees", ChangeKind::JudgePrompt, "what judges see"),
    ("judge-history", ChangeKind::JudgePrompt, "history that judges see"),
    ("facts-by-judge", ChangeKind::JudgePrompt, "facts by judge"),
    ("metrics", ChangeKind::Metric, "report"),
    ("metric", ChangeKind::Metric, "metric"),
    ("lower", ChangeKind::Metric, "lower is better"),
    ("percent", ChangeKind::Metric, "in percent"),
    ("slice", ChangeKind::Breakdown, "report … by"),
    ("slices-turns", ChangeKind::Breakdown, "report … by"),
    ("repeat-instructions", ChangeKind::Wording, "repeat instructions"),
    // Of turns.
    ("ask", ChangeKind::Wording, "ask"),
    ("observe", ChangeKind::Turns, "observe"),
    ("answer", ChangeKind::Data, "answer"),
    ("reply", ChangeKind::Protocol, "reply"),
    ("show", ChangeKind::Data, "show"),
    ("show-pictures", ChangeKind::Data, "show"),
    ("show-by-tool", ChangeKind::Data, "show"),
    ("let", ChangeKind::Data, "let"),
    ("part", ChangeKind::Check, "part"),
    ("parts", ChangeKind::Check, "part"),
    ("reader", ChangeKind::Check, "reader of the part"),
    ("about", ChangeKind::Check, "description of the part"),
    ("after", ChangeKind::Check, "after"),
    ("weigh", ChangeKind::Points, "weigh"),
    ("class", ChangeKind::Breakdown, "class"),
    ("expect", ChangeKind::Points, "expect"),
    ("void", ChangeKind::Points, "void"),
    // Of releases.
    ("count", ChangeKind::Selection, "number of dialogues"),
    ("every", ChangeKind::Selection, "every record"),
    ("keep", ChangeKind::Probability, "keep"),
    ("seed", ChangeKind::Selection, "seed"),
    ("cover", ChangeKind::Probability, "cover"),
    ("quota", ChangeKind::Probability, "quota"),
    ("alike", ChangeKind::Probability, "alike"),
    ("anchors", ChangeKind::Selection, "anchors"),
    // Of splits.
    ("held-groups", ChangeKind::Probability, "groups"),
    ("with-groups", ChangeKind::Probability, "groups … with"),
    ("held-topics", ChangeKind::Data, "topics"),
    ("held-styles", ChangeKind::Data, "styles"),
    ("held-flows", ChangeKind::Probability, "flows"),
    ("held-words", ChangeKind::Wording, "words"),
    ("own-template", ChangeKind::Wording, "templates"),
    // Of data.
    ("records", ChangeKind::Records, "records"),
    ("simulated", ChangeKind::Data, "simulation"),
];

pub(super) fn statement(head: &str) -> (ChangeKind, String) {
    match STATEMENT_ASPECTS.iter().find(|(word, _, _)| *word == head) {
        Some((_, aspect, words)) => (*aspect, (*words).to_owned()),
        // A statement that is not in the table makes scores not comparable.
        None => (ChangeKind::Turns, head.replace('-', " ")),
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
        PartKind::Tags if old != new => {
            let sides = formatted_sides(Some(old), Some(new));
            if found.has_weights(of) {
                let reason = (Class::NotComparable, "weighted scores take weights from tags");
                found.push_change(of, ChangeKind::Breakdown, reason, "tags".to_owned(), sides);
            } else {
                found.push(of, ChangeKind::Breakdown, "tags", sides);
            }
        }
        PartKind::Picture if old != new => {
            let reason = (Class::NotComparable, "another picture is shown");
            let sides = formatted_sides(Some(&old.unnamed()), Some(&new.unnamed()));
            found.push_change(of, ChangeKind::Data, reason, "the picture".to_owned(), sides);
        }
        PartKind::Bank | PartKind::Feed if old.child("records") == new.child("records") => {
            if old != new {
                found.push(
                    of,
                    ChangeKind::Data,
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
                found.push_change(of, ChangeKind::Added, reason, String::new(), (None, None));
            }
            (_, None) => {
                let reason = (super::Class::NotComparable, "the variant is no longer there");
                found.push_change(of, ChangeKind::Removed, reason, String::new(), (None, None));
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
        found.push(of, ChangeKind::Turns, place, (shown(was), shown(is)));
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
    let (order_was, order_is) = (in_order(&was, &is), in_order(&is, &was));
    is.retain(|item| match was.iter().position(|old| old == item) {
        Some(at) => {
            was.remove(at);
            false
        }
        None => true,
    });
    if order_was != order_is {
        let place = format!("{path}order of its statements");
        let sides = (Some(order_was.join(", ")), Some(order_is.join(", ")));
        found.push(of, ChangeKind::Turns, place, sides);
    } else if was.is_empty() && is.is_empty() {
        let reason = (Class::Comparable, "these statements have no order");
        let place = format!("{path}order of its statements");
        found.push_change(of, ChangeKind::Description, reason, place, (None, None));
        return;
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

/// Statements whose order among each other has no meaning: they are found by their names.
const UNORDERED_STATEMENTS: &[&str] = &[
    "alias", "argument", "class", "excludes", "field", "let", "metric", "param", "tag", "tag-of",
    "template", "variant", "weight",
];

/// The statements that both sides have, where their order matters.
fn in_order(items: &[&NotationItem], others: &[&NotationItem]) -> Vec<String> {
    let is_shared = |item: &NotationItem| {
        others.iter().any(|other| {
            *other == item
                || NAMED_STATEMENTS.contains(&item.head.as_str())
                    && (&other.head, other.name()) == (&item.head, item.name())
        })
    };
    let mut seen: Vec<&NotationItem> = Vec::new();
    let ordered = items.iter().filter(|item| {
        let is_first = !seen.contains(item);
        seen.push(item);
        is_first && !UNORDERED_STATEMENTS.contains(&item.head.as_str()) && is_shared(item)
    });
    ordered
        .map(|item| match item.name() {
            Some(name) => format!("{} {name}", item.head),
            None => item.print(),
        })
        .collect()
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
                ("require" | "part" | "parts", _) => ChangeKind::Check,
                (_, Some(_)) => ChangeKind::Removed,
                (_, None) => ChangeKind::Added,
            };
            let word = if one.is_some() { "removed" } else { "added" };
            found.push(of, aspect, format!("{path}{head} {name} {word}"), (None, None));
        }
        // Metrics that give their weights to constraints and tags.
        ("weight", ..) if of.kind == PartKind::Dialogue => {
            let reason = (super::Class::NotComparable, "weighted metrics have other weights");
            let place = format!("{path}weigh {name}");
            found.push_change(of, ChangeKind::Metric, reason, place, formatted_sides(old, new));
        }
        ("weight", ..) => found.push(
            of,
            ChangeKind::Probability,
            format!("{path}weight"),
            formatted_sides(old, new),
        ),
        ("metrics", ..) => metrics(of, path, (old, new), found),
        ("metric", Some(_), Some(_)) => {
            let reason = (Class::NotComparable, "scores of this metric are computed otherwise");
            let place = format!("{path}metric {name}");
            found.push_change(of, ChangeKind::Metric, reason, place, formatted_sides(old, new));
        }
        ("tag" | "tag-of", ..) if found.weighs_tags(of, old.into_iter().chain(new)) => {
            let reason = (Class::NotComparable, "weighted scores give it another weight");
            let place = format!("{path}tags");
            found.push_change(of, ChangeKind::Breakdown, reason, place, formatted_sides(old, new));
        }
        // It is what the model is sent as its own response.
        ("answer", ..) if found.has_golden_history(of) => {
            found.push(
                of,
                ChangeKind::Protocol,
                format!("{path}answer"),
                formatted_sides(old, new),
            );
        }
        (head, ..) => {
            let (aspect, words) = statement(head);
            let name = if name.is_empty() { String::new() } else { format!(" {name}") };
            let place = format!("{path}{words}{name}");
            let sides = formatted_sides(old, new);
            match said::other_content(head, (old, new)).filter(|_| aspect == ChangeKind::Wording) {
                Some(reason) => {
                    let class = (Class::NotComparable, reason);
                    found.push_change(of, aspect, class, place, sides);
                }
                None => found.push(of, aspect, place, sides),
            }
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
    found.push(of, ChangeKind::Metric, format!("{path}report"), formatted_sides(old, new));
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
            ChangeKind::DomainWidened => "domain widened",
            ChangeKind::DomainNarrowed => "domain narrowed",
            ChangeKind::Probability => "shares or order of its values",
            _ => "domain",
        };
        let shown = (Some(domain::print(old)), Some(domain::print(new)));
        found.push(of, aspect, format!("{path}{name}: {place}"), shown);
    }
    if old.child("evolve") != new.child("evolve") {
        let (old, new) = (old.child("evolve"), new.child("evolve"));
        found.push(
            of,
            ChangeKind::Probability,
            format!("{path}{name}: evolve"),
            formatted_sides(old, new),
        );
    }
    if found.changes.len() == before {
        let shown = formatted_sides(Some(&old.unnamed()), Some(&new.unnamed()));
        found.push(of, ChangeKind::DomainChanged, format!("{path}{name}: type"), shown);
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
        // The names of functions are the same, and their definitions are not.
        (Some(old), Some(new)) if old != new && text(Some(old)) == text(Some(new)) => {
            let opened = |item: &NotationItem| Some(item.opened().print_parts());
            (opened(old), opened(new))
        }
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
