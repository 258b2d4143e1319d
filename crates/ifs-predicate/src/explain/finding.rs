//! The finding that violates a check's demand: `the response has 37 words`.

use super::demand::{is_measure, value_text};
use super::things::{code, counted_things, printed_call, sought, thing_label, things};
use super::wording::{Wording, fill_placeholders};
use super::{Labels, excerpt};
use crate::evaluate::Env;
use crate::functions::hooks::Finding;
use crate::functions::{self, Func};
use crate::operand::{Operand, TextPiece};
use crate::schema::{self, Schema};
use crate::tree::{ArithmeticOp, Node, Tree};
use ifs_text::{Text, python, shape};

pub(super) struct ActualValue<'a> {
    /// `None` if only code could say it.
    pub text: Option<String>,
    pub piece: Option<TextPiece<'a>>,
    pub kind: FindingKind,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingKind {
    /// An amount, to which the demand then applies.
    Measure,
    /// The parts of a compound measure, for whose demand there are no words.
    Parts,
    Other,
}

pub(super) fn finding<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    it: Option<TextPiece<'a>>,
) -> ActualValue<'a> {
    match &tree.node {
        Node::Compare(_, left, right) => {
            // The measure is the side that is not a plain value.
            let measure = if is_measure(left) || !is_measure(right) { left } else { right };
            let (text, kind) = measured_finding(measure, env, who);
            ActualValue { text, piece: it, kind }
        }
        Node::Within(left, right) => {
            let text = match env.operand(right) {
                Ok(Operand::Range(_)) => Some(measured_finding(left, env, who)),
                Ok(whole) if whole.as_str().is_some() => {
                    let words = who.words;
                    let text = thing_label(right, env, who).zip(sought(left, env, who));
                    let said = if wanted { &words.lacks } else { &words.contains };
                    text.map(|(who, sought)| {
                        (
                            Some(fill_placeholders(said, &[("who", &who), ("sought", &sought)])),
                            FindingKind::Other,
                        )
                    })
                }
                Ok(_) => Some(measured_finding(left, env, who)),
                Err(_) => None,
            };
            let (text, kind) =
                text.unwrap_or_else(|| (check_as_code(tree, who, wanted), FindingKind::Other));
            ActualValue { text, piece: it, kind }
        }
        Node::Call(name, arguments) => {
            let (text, piece) = call(*name, arguments, env, who, wanted, it);
            ActualValue { text, piece, kind: FindingKind::Other }
        }
        _ => ActualValue {
            text: check_as_code(tree, who, wanted),
            piece: it,
            kind: FindingKind::Other,
        },
    }
}

/// The check itself, if code may be reported.
fn check_as_code(tree: &Tree, who: &Labels<'_>, wanted: bool) -> Option<String> {
    let of = who.mentioned(tree).map_or(who.it, |(label, _)| label);
    who.code.then(|| who.verdict_sentence(&code(tree), of, wanted))
}

/// `the response has 37 words`
fn measured_finding<'a>(
    measure: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> (Option<String>, FindingKind) {
    let value = match env.operand(measure) {
        Ok(operand) => value_text(&operand),
        Err(fault) => return (Some(fault.message), FindingKind::Other),
    };
    let words = who.words;
    let is = |who: &str| Some(fill_placeholders(&words.is, &[("who", who), ("value", &value)]));
    if let Some(text) = owner_and_count(measure, env, who) {
        return (Some(text), FindingKind::Measure);
    }
    // Being even is a property of the number itself.
    if let Node::Arithmetic(ArithmeticOp::Remainder, number, _) = &measure.node
        && !who.code
    {
        return measured_finding(number, env, who);
    }
    if let Node::Arithmetic(_, left, right) = &measure.node {
        // A compound is reported part by part.
        let parts: Vec<String> = [left, right]
            .into_iter()
            .filter(|part| is_measure(part))
            .filter_map(|part| measured_finding(part, env, who).0)
            .collect();
        if !parts.is_empty() && !who.code {
            return (Some(parts.join(&words.and)), FindingKind::Parts);
        }
    }
    if let Some(label) = thing_label(measure, env, who) {
        return (is(&label), FindingKind::Measure);
    }
    match &measure.node {
        Node::Var(name) if who.code => (is(&format!("`{name}`")), FindingKind::Measure),
        Node::Fact(fact) if who.code => (is(&format!("`{}`", fact.name())), FindingKind::Measure),
        Node::Units(..) => {
            let Some(things) = things(measure, env, who, 2) else {
                return (None, FindingKind::Other);
            };
            let places = [("things", &*things.noun), ("value", &*value)];
            (Some(fill_placeholders(&words.are, &places)), FindingKind::Measure)
        }
        _ if who.code => {
            let of = who.mentioned(measure).map_or(who.it, |(label, _)| label);
            let measure = code(measure);
            let places = [("measure", &*measure), ("who", of), ("value", &value)];
            (Some(fill_placeholders(&words.measure_is, &places)), FindingKind::Measure)
        }
        _ => (None, FindingKind::Other),
    }
}

/// The owner of a count, and the count.
fn owner_and_count<'a>(measure: &'a Tree, env: &Env<'_, 'a>, who: &Labels<'_>) -> Option<String> {
    let value = value_text(&env.operand(measure).ok()?);
    let counted = counted_things(measure, env, who, value == "1")?;
    let owner = counted.owner.as_deref().unwrap_or(who.it);
    let text = if value == "0" { &who.words.has_no } else { &who.words.has };
    let places = [("who", owner), ("n", &*value), ("things", &*counted.noun)];
    let finding = fill_placeholders(text, &places);
    Some(match matching_texts(measure, env, who) {
        Some(texts) => {
            fill_placeholders(&who.words.matching, &[("finding", &finding), ("texts", &texts)])
        }
        None => finding,
    })
}

/// How many matches of a pattern without a name are shown.
const MAX_MATCHES: usize = 3;

/// The first matches of a pattern that has no name, since they say what was counted.
fn matching_texts<'a>(measure: &'a Tree, env: &Env<'_, 'a>, who: &Labels<'_>) -> Option<String> {
    let Node::Call(Func::COUNT, arguments) = &measure.node else { return None };
    let Node::Pattern(pattern) = &arguments.first()?.node else { return None };
    if who.code || who.words.pattern(&pattern.pattern, 1).is_some() {
        return None;
    }
    let text = env.it.as_piece()?;
    let matches = pattern.regex()?.find_iter(text.as_str()).take(MAX_MATCHES);
    let texts: Vec<String> = matches.map(|found| excerpt::excerpt(found.as_str())).collect();
    (!texts.is_empty()).then(|| texts.join("”, “"))
}

fn call<'a>(
    func: Func,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    it: Option<TextPiece<'a>>,
) -> (Option<String>, Option<TextPiece<'a>>) {
    let words = who.words;
    let first = arguments.first();
    if func.finding == Some(Finding::Twice) && wanted {
        let said = first.and_then(|list| repeated_member(list, env, who));
        return match said {
            Some((text, piece)) => (Some(text), piece.or(it)),
            None => (None, it),
        };
    }
    let subject = match first {
        Some(first) if func.subject => {
            env.operand(first).ok().and_then(|first| first.as_piece().map(|p| p.into_owned()))
        }
        _ => None,
    };
    let held = |of: &str| {
        who.code.then(|| who.verdict_sentence(&printed_call(func, arguments), of, wanted))
    };
    if let (Some(Finding::Misfit), true, [value, schema]) = (func.finding, wanted, arguments) {
        let value = env.operand(value).ok().and_then(|value| value.value());
        let schema =
            env.operand(schema).ok().and_then(|schema| Schema::from_value(&schema.value()?).ok());
        let misfit = value.zip(schema).and_then(|(value, schema)| schema.fits(&value).err());
        if let Some(misfit) = misfit {
            let places = [("who", who.it), ("misfit", &*misfit.said(words))];
            return (Some(fill_placeholders(&words.misfit, &places)), it);
        }
    }
    let Some(piece) = subject else {
        let text = first.and_then(|first| measured_finding(first, env, who).0);
        return (text.or_else(|| held(who.it)), it);
    };
    let owner = match first {
        Some(first) => match thing_label(first, env, who) {
            Some(owner) => owner,
            // A parameter that is the response, or what a response asserts somewhere in it.
            None if piece.is_answer() || func.finding == Some(Finding::Claim) => who.it.to_owned(),
            None if who.code => format!("`{}`", code(first)),
            None => return (None, Some(piece)),
        },
        None => who.it.to_owned(),
    };
    let text = piece.as_str();
    let owned = |said: &str, places: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> =
            std::iter::once(("who", &*owner)).chain(places.iter().copied()).collect();
        fill_placeholders(said, &all)
    };
    let said = match func.finding {
        Some(Finding::Start | Finding::End) if python::strip(text).is_empty() => {
            Some(owned(&words.empty, &[]))
        }
        Some(Finding::Start) => {
            Some(owned(&words.starts, &[("text", &excerpt::first_words(text))]))
        }
        Some(Finding::End) => Some(owned(&words.ends, &[("text", &excerpt::tail(text))])),
        Some(Finding::StartAndEnd) => {
            let (start, end) = (excerpt::first_words(text), excerpt::tail(text));
            Some(if start == end {
                owned(
                    &words.is,
                    &[("value", &fill_placeholders(&words.marks, &[("text", &start)]))],
                )
            } else {
                owned(&words.runs, &[("start", &start), ("end", &end)])
            })
        }
        Some(Finding::Sought) => {
            let sought_tree = arguments.get(1);
            let sought = sought_tree.and_then(|tree| sought(tree, env, who));
            match (sought, sought_tree.map(|tree| &tree.node)) {
                // The match is reported, or the expression itself if nothing matches.
                (_, Some(Node::Pattern(pattern))) if !wanted => {
                    let found = pattern.regex().and_then(|regex| regex.find(text));
                    found.map(|found| match excerpt::excerpt(found.as_str()) {
                        shown if shown.is_empty() => {
                            let sought = words.quoted(found.as_str(), "");
                            owned(&words.contains, &[("sought", &sought)])
                        }
                        shown => owned(&words.contains_this, &[("text", &shown)]),
                    })
                }
                (Some(sought), _) => {
                    let said = if wanted { &words.lacks } else { &words.contains };
                    Some(owned(said, &[("sought", &sought)]))
                }
                (None, Some(Node::Needle(..))) if !who.code && wanted => {
                    Some(owned(&words.lacks, &[("sought", &words.asked_for)]))
                }
                // A regular expression that is not shown: what it matches is.
                (None, Some(Node::Needle(..))) if !who.code => {
                    let needle = sought_tree.and_then(|tree| env.operand(tree).ok());
                    let Some(Operand::Needle(needle)) = needle else { return (None, Some(piece)) };
                    let regex = ifs_text::compiled_regex(&needle.needle_text(), "").ok();
                    let found = regex.as_ref().and_then(|regex| regex.find(text));
                    let found = found.map(|found| excerpt::excerpt(found.as_str()));
                    found.map(|shown| owned(&words.contains_this, &[("text", &shown)]))
                }
                (None, Some(Node::Pattern(_))) if !who.code => {
                    Some(owned(&words.lacks, &[("sought", &words.asked_for)]))
                }
                (None, Some(_)) if who.code => {
                    let sought = code(&arguments[1]);
                    let said = if wanted { &words.lacks } else { &words.contains };
                    Some(owned(said, &[("sought", &sought)]))
                }
                _ => None,
            }
        }
        Some(Finding::Empty) if !wanted => Some(owned(&words.empty, &[])),
        Some(Finding::SmallLetter) if wanted => Some(
            offender(text, &words.has_small, &owned, char::is_lowercase)
                .unwrap_or_else(|| owned(&words.no_case, &[])),
        ),
        Some(Finding::Capital) if wanted => Some(
            offender(text, &words.has_capital, &owned, char::is_uppercase)
                .unwrap_or_else(|| owned(&words.no_case, &[])),
        ),
        Some(Finding::Claim) => {
            functions::claims::finding(func.name, arguments, env, (who, &owner), text)
                .or_else(|| held(&owner))
        }
        Some(Finding::TextMisfit) if wanted && arguments.len() > 1 => {
            match schema_misfit(text, &arguments[1], env) {
                Some(SchemaFinding::NoJson(misfit)) => {
                    let place = fault_position(text, misfit.at, words);
                    Some(owned(&words.no_json, &[("why", &misfit.why), ("place", &place)]))
                }
                Some(SchemaFinding::Unfit(misfit)) => {
                    Some(owned(&words.misfit, &[("misfit", &misfit.said(words))]))
                }
                None => held(&owner),
            }
        }
        _ => match func.shape {
            Some(shape) => {
                let noun = words.shape(shape.name(), shape.noun());
                let misfit = match wanted {
                    true => piece.read(|text| shape.conforms(text)).err(),
                    false => None,
                };
                Some(match misfit {
                    Some(misfit) => {
                        let place = fault_position(text, misfit.at, words);
                        let places = [("shape", noun), ("why", &*misfit.why), ("place", &*place)];
                        owned(&words.no_shape, &places)
                    }
                    None => owned(&words.is_shape, &[("shape", noun)]),
                })
            }
            None => held(&owner),
        },
    };
    (said, Some(piece))
}

/// The first member of a list that repeats an earlier one.
fn repeated_member<'a>(
    list: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> Option<(String, Option<TextPiece<'a>>)> {
    let words = who.words;
    let members = env.list(list).ok()?;
    let mut seen = std::collections::BTreeMap::new();
    for (at, member) in members.members().enumerate() {
        let value = member.value()?;
        let key = match value.as_str() {
            Some(text) => python::strip(text).to_lowercase(),
            None => value.to_string(),
        };
        let Some(before) = seen.insert(key, at) else { continue };
        let things = things(list, env, who, 2);
        let (owner, noun) = match things {
            Some(things) => (things.owner, things.noun),
            None => (None, words.member(2).to_owned()),
        };
        let shown =
            excerpt::excerpt(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let (n, m) = ((before + 1).to_string(), (at + 1).to_string());
        let places = [
            ("who", owner.as_deref().unwrap_or(who.it)),
            ("text", &*shown),
            ("things", &*noun),
            ("n", &*n),
            ("m", &*m),
        ];
        return Some((fill_placeholders(&words.twice, &places), None));
    }
    None
}

/// What does not fit a schema.
enum SchemaFinding {
    NoJson(shape::ShapeError),
    Unfit(schema::SchemaMismatch),
}

fn schema_misfit<'a>(text: &str, schema: &'a Tree, env: &Env<'_, 'a>) -> Option<SchemaFinding> {
    let schema = Schema::from_value(&env.operand(schema).ok()?.value()?).ok()?;
    match functions::json::parse_json(text) {
        Ok(value) => schema.fits(&value).err().map(SchemaFinding::Unfit),
        Err(why) => {
            // The parser of the shape has a better message than the comparison of values.
            let misfit =
                Func::IS_JSON.shape.and_then(|shape| shape.conforms(&Text::new(text)).err());
            Some(SchemaFinding::NoJson(misfit.unwrap_or(shape::ShapeError { at: 0, why })))
        }
    }
}

/// The position of a fault in a text: the line, and its content.
fn fault_position(text: &str, at: usize, words: &Wording) -> String {
    let before = text.get(..at).unwrap_or(text);
    let rest = text.get(at..).unwrap_or_default();
    let line = (before.matches('\n').count() + 1).to_string();
    let shown = excerpt::first_words(rest.lines().next().unwrap_or_default());
    let place = if shown.is_empty() { &words.place_at_end } else { &words.place };
    fill_placeholders(place, &[("line", &line), ("text", &shown)])
}

/// Fills in a text with the thing it is about and other values.
type Filled<'f> = dyn Fn(&str, &[(&str, &str)]) -> String + 'f;

/// The first letter with the wrong case, in its word.
fn offender(text: &str, said: &str, owned: &Filled<'_>, is: fn(char) -> bool) -> Option<String> {
    let (at, c) = text.char_indices().find(|(_, c)| is(*c))?;
    let behind = text.get(at..).unwrap_or("");
    let end = behind.find(|c: char| !python::is_word(c)).unwrap_or(behind.len());
    let before = text.get(..at).unwrap_or("");
    let start = before.rfind(|c: char| !python::is_word(c)).map_or(0, |found| {
        found + before.get(found..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    });
    let word = text.get(start..at + end).unwrap_or("");
    Some(owned(said, &[("letter", &c.to_string()), ("word", &excerpt::excerpt(word))]))
}
