//! Names that a part gives: two parts are the same under other names if they are equal once every
//! name is replaced by the number of its declaration.

use std::collections::BTreeSet;

use super::notation::{NotationItem, NotationPart};

/// Declarations whose names are part of nothing that is drawn.
const LOCAL: [&str; 4] = ["for", "let", "part", "parts"];

/// Declarations by whose names is drawn.
const KEYING: [&str; 2] = ["param", "turn"];

/// Statements of a turn that name other turns.
const RELATIONS: [&str; 6] =
    ["follows", "recalls", "refines", "expands", "summarizes", "unrelated"];

/// Names that differ, on both sides; none if only those within functions do.
pub(super) struct RenamedNames {
    pub old: Vec<String>,
    pub new: Vec<String>,
    /// Whether draws are keyed by one of them.
    pub is_keyed: bool,
}

/// The names that alone differ between two parts; `None` if there is another difference.
pub(super) fn renamed(old: &NotationItem, new: &NotationItem) -> Option<RenamedNames> {
    if old == new {
        return None;
    }
    let (was, is) = (declared(old), declared(new));
    let differing: Vec<usize> =
        (0..was.len().min(is.len())).filter(|at| was[*at].1 != is[*at].1).collect();
    let names = |all: &[(String, String)]| -> BTreeSet<String> {
        all.iter().map(|(_, name)| name.clone()).collect()
    };
    let (old_names, new_names) = (names(&was), names(&is));
    let is_free = |at: &usize| !new_names.contains(&was[*at].1) && !old_names.contains(&is[*at].1);
    if was.len() != is.len() || !differing.iter().all(is_free) {
        return None;
    }
    // A name that is bound again inside would be taken for the one outside.
    if binds(old, &old_names) || binds(new, &new_names) {
        return None;
    }
    let numbers = |all: &[(String, String)]| -> Vec<String> {
        all.iter().map(|(_, name)| name.clone()).collect()
    };
    if numbered(old, &number_of(&numbers(&was))) != numbered(new, &number_of(&numbers(&is))) {
        return None;
    }
    let side = |all: &[(String, String)]| differing.iter().map(|at| all[*at].1.clone()).collect();
    let is_keyed = differing.iter().any(|at| KEYING.contains(&was[*at].0.as_str()));
    Some(RenamedNames { old: side(&was), new: side(&is), is_keyed })
}

/// The replacement of a name.
type NameNumber<'n> = dyn Fn(&str) -> Option<String> + 'n;

fn number_of(names: &[String]) -> impl Fn(&str) -> Option<String> + '_ {
    |name| names.iter().position(|known| known == name).map(|at| format!("\u{0}{at}"))
}

/// The distinct names with the statements that declare them first, without those within functions.
fn declared(item: &NotationItem) -> Vec<(String, String)> {
    fn collect(item: &NotationItem, found: &mut Vec<(String, String)>) {
        for inner in item.items().filter(|inner| inner.head != "applied") {
            let declares = LOCAL.contains(&inner.head.as_str()) || is_keying(item, inner);
            if let Some(name) = inner.name().filter(|_| declares)
                && !found.iter().any(|(_, known)| known == name)
            {
                found.push((inner.head.clone(), name.to_owned()));
            }
            collect(inner, found);
        }
    }
    let mut found = Vec::new();
    collect(item, &mut found);
    found
}

/// The arguments that are given to a constraint have the names of its parameters.
fn is_keying(outer: &NotationItem, inner: &NotationItem) -> bool {
    KEYING.contains(&inner.head.as_str()) && outer.head != "given"
}

/// Whether an expression binds one of these names.
fn binds(item: &NotationItem, names: &BTreeSet<String>) -> bool {
    let is_quantifier =
        matches!(item.head.as_str(), "every" | "some" | "no" | "at-least" | "at-most" | "exactly");
    is_quantifier && item.direct_texts().any(|text| names.contains(text))
        || item.items().any(|inner| binds(inner, names))
}

/// The item with numbers in place of names.
fn numbered(item: &NotationItem, number: &NameNumber<'_>) -> NotationItem {
    if item.head == "applied" {
        return applied(item, number);
    }
    let is_var = item.head == "var" || RELATIONS.contains(&item.head.as_str());
    let parts = item.parts.iter().map(|part| match part {
        NotationPart::Item(inner) => {
            let mut inner_parts = numbered(inner, number);
            if LOCAL.contains(&inner.head.as_str()) || is_keying(item, inner) {
                rename(&mut inner_parts, number);
            }
            NotationPart::Item(inner_parts)
        }
        NotationPart::Text(text) if is_var => {
            NotationPart::Text(number(text).unwrap_or_else(|| text.clone()))
        }
        NotationPart::Text(text) => NotationPart::Text(in_template(text, number)),
        NotationPart::Word(_) => part.clone(),
    });
    NotationItem { head: item.head.clone(), parts: parts.collect() }
}

/// A function that is applied: its body knows the names of its arguments and of its own `let`s alone.
fn applied(item: &NotationItem, number: &NameNumber<'_>) -> NotationItem {
    let is_named = |inner: &&NotationItem| matches!(inner.head.as_str(), "argument" | "let");
    let own = item.items().filter(is_named).filter_map(|inner| inner.name().map(str::to_owned));
    let own: Vec<String> = own.collect();
    let inside = number_of(&own);
    let parts = item.parts.iter().map(|part| match part {
        NotationPart::Item(inner) if inner.head == "argument" => {
            let mut argument = numbered(inner, number);
            rename(&mut argument, &inside);
            NotationPart::Item(argument)
        }
        NotationPart::Item(inner) => {
            let mut body = numbered(inner, &inside);
            if inner.head == "let" {
                rename(&mut body, &inside);
            }
            NotationPart::Item(body)
        }
        part => part.clone(),
    });
    NotationItem { head: item.head.clone(), parts: parts.collect() }
}

fn rename(item: &mut NotationItem, number: &NameNumber<'_>) {
    if let Some(NotationPart::Text(name)) = item.parts.first_mut()
        && let Some(other) = number(name)
    {
        *name = other;
    }
}

/// A template with the names between its braces replaced.
fn in_template(text: &str, number: &NameNumber<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = ["{{", "{%"].iter().filter_map(|open| rest.find(open)).min() {
        let (plain, inside) = rest.split_at(start);
        out.push_str(plain);
        let close = if inside.starts_with("{{") { "}}" } else { "%}" };
        let end = inside.find(close).unwrap_or(inside.len());
        let (code, after) = inside.split_at(end);
        words(code, number, &mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Replaces names, and no field (`topic.n`) and nothing in quotation marks.
fn words(code: &str, number: &NameNumber<'_>, out: &mut String) {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut quote = None;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let end = match is_letter(first) {
            true => rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        let is_name = quote.is_none() && is_letter(first) && !out.ends_with('.');
        match number(token).filter(|_| is_name) {
            Some(other) => out.push_str(&other),
            None => out.push_str(token),
        }
        quote = match (quote, first) {
            (None, '"' | '\'') => Some(first),
            (Some(open), _) if open == first => None,
            (quote, _) => quote,
        };
        rest = after;
    }
}
