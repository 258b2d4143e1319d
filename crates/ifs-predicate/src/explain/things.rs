//! Labels for the parts of a check: `word 2 of sentence 3`, `words that start with "S"`.
//! `None` if only code could say it.

use super::demand::{demand, value_text};
use super::wording::{VerbForm, Wording, fill_placeholders};
use super::{Labels, excerpt};
use crate::evaluate::Env;
use crate::functions::Func;
use crate::functions::hooks::Derived;
use crate::needles::SearchKind;
use crate::operand::Operand;
use crate::print::print;
use crate::tree::{Node, Tree};
use ifs_text::Unit;

/// A part of the check as source text.
pub(super) fn code(tree: &Tree) -> String {
    excerpt::code(&print(tree))
}

pub(super) fn printed_call(func: Func, arguments: &[Tree]) -> String {
    code(&Tree::without_place(Node::Call(func, arguments.to_vec())))
}

/// The label of one thing: `paragraph 2`, `the last sentence`.
pub(super) fn thing_label<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> Option<String> {
    let words = who.words;
    let of = |thing: &str, owner: String| {
        fill_placeholders(&words.of, &[("thing", thing), ("who", &owner)])
    };
    match &tree.node {
        Node::It => Some(who.it.to_owned()),
        Node::Var(name) => who.label_of(name).map(str::to_owned),
        Node::Fact(fact) => words.fact(*fact).map(str::to_owned),
        Node::Index(list, at) => nth_member(list, at, env, who),
        Node::Field(record, field) => {
            Some(of(&format!("`{field}`"), thing_label(record, env, who)?))
        }
        Node::At(subject, body) => {
            let label = thing_label(subject, env, who)?;
            let operand = env.operand(subject).ok()?;
            thing_label(body, &env.with_it(&operand), &Labels { it: &label, ..*who })
        }
        Node::Call(name, arguments) => {
            let first = arguments.first()?;
            if matches!(name.derived, Derived::Same(_)) {
                return thing_label(first, env, who);
            }
            let is_some = |func: Func| matches!(func.derived, Derived::Replaced | Derived::Part);
            let part = if name.derived == Derived::Replaced { &words.rest } else { &words.part };
            if is_some(*name) {
                let whole = thing_label(first, env, who)?;
                // A remainder of a remainder has the same label; so has a remainder of an unnamed
                // member.
                let made = matches!(&first.node, Node::Call(inner, _) if is_some(*inner));
                return Some(if made || whole.is_empty() {
                    whole
                } else {
                    fill_placeholders(part, &[("who", &whole)])
                });
            }
            let measure = words.measure(*name)?;
            Some(of(measure, thing_label(first, env, who).unwrap_or_else(|| who.it.to_owned())))
        }
        _ => None,
    }
}

/// A member of a list by its place.
fn nth_member<'a>(
    list: &'a Tree,
    at: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> Option<String> {
    let words = who.words;
    let at = env.operand(at).ok()?.as_int()?;
    if let Node::Var(name) = &list.node
        && let Some((of, first)) = who.window(name)
    {
        // A window of adjacent members: `p[2]` is its second.
        let number = (first as i64 + at).to_string();
        let label =
            fill_placeholders(&words.number, &[("noun", noun(of, 1, words)), ("n", &number)]);
        return match &of.node {
            Node::Each(_, body) => thing_label(body, env, &Labels { it: &label, ..*who }),
            _ => Some(label),
        };
    }
    let owner = match &list.node {
        Node::Units(_, owner) => owner.as_deref(),
        Node::Within(_, owner) => Some(&**owner),
        Node::Where(inner, _) => match &inner.node {
            Node::Units(_, owner) => owner.as_deref(),
            _ => None,
        },
        Node::Call(name, arguments) if name.derived == Derived::Split => arguments.first(),
        _ => return None,
    };
    let number = at.unsigned_abs().to_string();
    let text = match at {
        -1 => &words.last,
        -2 => &words.last_but_one,
        at if at > 0 => &words.number,
        _ => &words.from_end,
    };
    let label = fill_placeholders(text, &[("noun", noun(list, 1, words)), ("n", &number)]);
    let owner = match owner {
        Some(owner) => thing_label(owner, env, who)?,
        None => who.it.to_owned(),
    };
    // The response is the default owner of a word.
    if owner == words.answer {
        return Some(label);
    }
    Some(fill_placeholders(&words.of, &[("thing", &label), ("who", &owner)]))
}

/// The noun for the members of a domain.
pub(super) fn noun<'w>(domain: &Tree, n: usize, words: &'w Wording) -> &'w str {
    let unit = match &domain.node {
        Node::Units(unit, _) => Some(unit),
        Node::Within(left, _)
        | Node::Where(left, _)
        | Node::Index(left, _)
        | Node::Each(left, _) => return noun(left, n, words),
        Node::Call(name, arguments) => match (*name, arguments.as_slice()) {
            (func, [_, list]) if func.takes_part || func.derived == Derived::Windows => {
                return noun(list, n, words);
            }
            (name, _) => return words.list(name, n).unwrap_or_else(|| words.member(n)),
        },
        _ => None,
    };
    unit.map_or_else(|| words.member(n), |unit| words.unit(*unit, n))
}

/// Several things: their noun, and their owner unless it is the current text.
pub(crate) struct Things {
    pub owner: Option<String>,
    pub noun: String,
}

/// The noun for the members of a list.
pub(crate) fn things<'a>(
    list: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    n: usize,
) -> Option<Things> {
    let words = who.words;
    let owned = |owner: Option<&'a Tree>, noun: String| {
        let owner = match owner {
            None => None,
            Some(owner) => Some(thing_label(owner, env, who)?).filter(|owner| owner != who.it),
        };
        Some(Things { owner, noun })
    };
    let occurrences = |tree: &'a Tree| match &tree.node {
        Node::Pattern(pattern) => match words.pattern(&pattern.pattern, n) {
            None if who.code => None,
            noun => Some(noun.unwrap_or(words.matches(n)).to_owned()),
        },
        _ => Some(words.occurrence(&sought(tree, env, who)?, n == 1)),
    };
    let is_text = |tree: &'a Tree| {
        !matches!(tree.node, Node::It)
            && env.operand(tree).is_ok_and(|operand| operand.as_str().is_some())
    };
    match &list.node {
        Node::Units(unit, owner) => owned(owner.as_deref(), words.unit(*unit, n).to_owned()),
        Node::Needle(..) | Node::Pattern(_) => owned(None, occurrences(list)?),
        Node::Within(left, owner) => match &left.node {
            Node::Units(unit, None) => owned(Some(owner), words.unit(*unit, n).to_owned()),
            Node::Needle(..) | Node::Pattern(_) => owned(Some(owner), occurrences(left)?),
            _ if is_text(left) => owned(Some(owner), occurrences(left)?),
            _ => None,
        },
        _ if is_text(list) => owned(None, occurrences(list)?),
        Node::Where(list, condition) => {
            let things = things(list, env, who, n)?;
            // A condition is about the current member, which has no name here.
            let member = Labels { it: "", ..*who };
            let named = demand(condition, env, &member, VerbForm::for_count(n))?;
            let places = [("things", &*things.noun), ("do", &*named)];
            Some(Things { noun: fill_placeholders(&words.things_that, &places), ..things })
        }
        Node::Call(func, arguments) => {
            let own = func.things.and_then(|things| things(arguments, env, who, n));
            own.or_else(|| match arguments.as_slice() {
                [_, list] if func.takes_part => things(list, env, who, n),
                [of, ..] => owned(Some(of), words.list(*func, n)?.to_owned()),
                [] => None,
            })
        }
        Node::Applied(applied) => {
            let owner = match applied.arguments.as_slice() {
                [(_, tree)] => Some(tree),
                _ => None,
            };
            owned(owner, applied.function.replace('_', " "))
        }
        Node::Each(list, _) => things(list, env, who, n),
        Node::Var(name) => {
            let noun = words.member(n).to_owned();
            // A name without a label is printed as code.
            let unnamed = || Things { owner: Some(format!("`{name}`")), noun: noun.clone() };
            Some(owned(Some(list), noun.clone()).unwrap_or_else(unnamed))
        }
        Node::Fact(fact) => {
            let noun = words.member(n).to_owned();
            let unnamed =
                || Things { owner: Some(format!("`{}`", fact.name())), noun: noun.clone() };
            Some(owned(Some(list), noun.clone()).unwrap_or_else(unnamed))
        }
        _ => None,
    }
}

/// The noun for the members of a list without repeats.
pub(crate) fn distinct<'a>(
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    n: usize,
) -> Option<Things> {
    let (words, list) = (who.words, arguments.first()?);
    let (things, text) = match &list.node {
        Node::Each(list, _) => {
            let [one, many] = &words.different_values;
            (things(list, env, who, 2)?, if n == 1 { one } else { many })
        }
        _ => (things(list, env, who, n)?, &words.different),
    };
    Some(Things { noun: fill_placeholders(text, &[("things", &things.noun)]), ..things })
}

/// The noun for the members of a list that are in a given one.
pub(crate) fn shared_things<'a>(
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    n: usize,
) -> Option<Things> {
    let [given, list] = arguments else { return None };
    if !is_given(given, who) {
        return None;
    }
    let (words, things) = (who.words, things(list, env, who, n)?);
    let values = values(&env.operand(given).ok()?, who);
    let one_of = words.demand(&words.be_one_of, VerbForm::for_count(n), &[("values", &values)]);
    let places = [("things", &*things.noun), ("do", &*one_of)];
    let noun = fill_placeholders(&words.things_that, &places);
    Some(Things { noun: fill_placeholders(&words.different, &[("things", &noun)]), ..things })
}

/// The unit of a measure, and its owner.
pub(super) fn counted_things<'a>(
    measure: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    one: bool,
) -> Option<Things> {
    let words = who.words;
    let (name, arguments) = match &measure.node {
        Node::Call(name, arguments) => (*name, arguments.as_slice()),
        // What was measured on each member of a list: `p[1]` of `windows(2, sentence each …)`.
        Node::Index(list, _) => {
            let Node::Var(name) = &list.node else { return None };
            let (of, _) = who.window(name)?;
            let Node::Each(_, body) = &of.node else { return None };
            let counted = counted_things(body, env, &Labels { it: "", ..*who }, one)?;
            let owner = {
                let Node::Index(_, at) = &measure.node else { return None };
                let number =
                    (who.window(name)?.1 as i64 + env.operand(at).ok()?.as_int()?).to_string();
                fill_placeholders(&words.number, &[("noun", noun(of, 1, words)), ("n", &number)])
            };
            return counted.owner.is_none().then_some(Things { owner: Some(owner), ..counted });
        }
        Node::If(condition, then, otherwise) => {
            let otherwise = otherwise.as_deref()?;
            let known = !(who.it.is_empty() && who.varies(condition));
            let chosen = if env.truth(condition).ok()? { &**then } else { otherwise };
            return known.then(|| counted_things(chosen, env, who, one)).flatten();
        }
        _ => return None,
    };
    name.counted?(arguments, env, who, if one { 1 } else { 2 })
}

/// What the number of members of a list counts, or the length of a text.
pub(crate) fn members_or_characters<'a>(
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    n: usize,
) -> Option<Things> {
    let [what] = arguments else { return None };
    if env.operand(what).is_ok_and(|what| what.as_str().is_some()) {
        let owner = Some(thing_label(what, env, who)?).filter(|owner| owner != who.it);
        return Some(Things { owner, noun: who.words.unit(Unit::Char, n).to_owned() });
    }
    things(what, env, who, n)
}

/// What a sum over all members of a list counts.
pub(crate) fn in_all_members<'a>(
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    n: usize,
) -> Option<Things> {
    let [Tree { node: Node::Each(members, body), .. }] = arguments else { return None };
    let inner = counted_things(body, env, &Labels { it: "", ..*who }, n == 1)?;
    let members = things(members, env, who, 2)?;
    let places = [("things", &*inner.noun), ("members", &*members.noun)];
    let noun = fill_placeholders(&who.words.in_all, &places);
    inner.owner.is_none().then_some(Things { owner: members.owner, noun })
}

/// Whether a list was given, rather than extracted from a response.
pub(super) fn is_given(list: &Tree, who: &Labels<'_>) -> bool {
    match &list.node {
        Node::Value(_) | Node::Fact(_) => true,
        Node::Call(_, arguments) if !arguments.is_empty() => {
            arguments.iter().all(|argument| is_given(argument, who))
        }
        Node::Var(name) => !who.called.iter().any(|(part, _)| part == name),
        Node::List(members) => members.iter().all(|member| is_given(member, who)),
        _ => false,
    }
}

/// `the word "like"`, `"S"`
pub(super) fn sought<'a>(tree: &'a Tree, env: &Env<'_, 'a>, who: &Labels<'_>) -> Option<String> {
    let words = who.words;
    match &tree.node {
        // A regular expression is code, which a model is not shown, unless it is plain text.
        Node::Needle(SearchKind::Regex, _) if !who.code => match env.operand(tree) {
            Ok(Operand::Needle(needle)) => {
                let text = needle.needle_text();
                let text = text.strip_prefix("(?i)").unwrap_or(&text);
                let is_plain = !text.is_empty() && regex_syntax::escape(text) == text;
                is_plain.then(|| words.quoted(text, &excerpt::excerpt(text)))
            }
            _ => None,
        },
        Node::Needle(kind, _) => match env.operand(tree) {
            Ok(Operand::Needle(needle)) => {
                let text = needle.needle_text();
                let text = excerpt::excerpt(text.strip_prefix("(?i)").unwrap_or(&text));
                let noun = match kind.unit() {
                    Some(unit) => Some(words.unit(unit, 1)),
                    None => words.needle(*kind),
                };
                Some(match noun {
                    Some(noun) => {
                        fill_placeholders(&words.sought, &[("noun", noun), ("text", &text)])
                    }
                    None => words.quoted(&text, &text),
                })
            }
            _ => None,
        },
        Node::Pattern(pattern) => words.pattern(&pattern.pattern, 2).map(str::to_owned),
        _ => env.operand(tree).ok().map(|operand| match operand.as_str() {
            Some(text) => words.quoted(text, &excerpt::excerpt(text)),
            None => value_text(&operand),
        }),
    }
}

/// How many values of a list are reported.
const MAX_REPORTED_VALUES: usize = 5;

/// The first members of a list, and how many more there are.
pub(super) fn values(list: &Operand<'_>, who: &Labels<'_>) -> String {
    let values: Vec<String> =
        list.members().take(MAX_REPORTED_VALUES).map(|member| value_text(&member)).collect();
    let values = values.join(", ");
    match list.list_len().unwrap_or(0).saturating_sub(MAX_REPORTED_VALUES) {
        0 => values,
        more => {
            fill_placeholders(&who.words.and_more, &[("values", &values), ("n", &more.to_string())])
        }
    }
}
