//! Why a check does not hold: which part fails on which unit, with an excerpt and its place.
//!
//! Short enough to be fed back to a model. What is blamed really fails: the part at the blamed
//! span does not hold of the blamed stretch, or of the whole answer.

mod demand;
mod excerpt;
#[cfg(test)]
mod property;
mod wording;

use std::ops::Range;

use super::evaluate::{Env, Scene, budget};
use super::fault::Fault;
use super::functions::{self, shapes};
use super::operand::{Operand, Piece};
use super::schema::{Schema, Unfit};
use super::tree::{CompareOp, Node, Quantified, Quantifier, Tree};
use crate::source::Span;
use crate::text::python;
use excerpt::excerpt;
pub use wording::Wording;
use wording::fill;

#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// `the answer has 37 words; it must have at least 50 words`
    pub text: String,
    pub blamed: Vec<Blame>,
}

/// A part of the check and the stretch of the answer it fails on.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    pub span: Span,
    /// In bytes of the answer; `None` when it is about something else, such as a turn's number.
    pub place: Option<Range<usize>>,
    /// The start of that stretch, at most 40 characters.
    pub excerpt: String,
}

/// How many reasons are told; a check of ten parts can fail in ten ways.
const REASONS: usize = 3;

/// Why a check does not hold, in English; `None` when it does.
pub fn explain(tree: &Tree, scene: &Scene<'_>) -> Option<Explanation> {
    explain_in(tree, scene, Wording::english(), &[])
}

/// The same in the words of a language, with what names are called in it.
pub fn explain_in(
    tree: &Tree,
    scene: &Scene<'_>,
    words: &Wording,
    called: &[(&str, &str)],
) -> Option<Explanation> {
    let it = Operand::Piece(Piece::answer(scene.it));
    let budget = budget(scene);
    let env = Env::new(scene, &it, &budget);
    let truth = env.truth(tree);
    if truth == Ok(true) {
        return None;
    }
    let who = Who { it: &words.answer, whole: &words.it, names: None, called, words };
    let mut reasons = Vec::new();
    because(truth, tree, &env, &who, true, tree.span, &mut reasons);
    reasons.truncate(REASONS);
    let texts: Vec<String> = reasons.iter().map(|reason| reason.text.clone()).collect();
    let blamed = reasons
        .into_iter()
        .map(|reason| Blame {
            span: reason.span,
            excerpt: reason
                .piece
                .as_ref()
                .map_or_else(String::new, |piece| excerpt(piece.as_str())),
            place: reason.piece.and_then(|piece| piece.place()),
        })
        .collect();
    Some(Explanation { text: texts.join(&words.also), blamed })
}

struct Reason<'a> {
    text: String,
    span: Span,
    piece: Option<Piece<'a>>,
}

/// How the thing at hand is called.
#[derive(Clone, Copy)]
struct Who<'w> {
    /// `the answer`, `sentence 3 of 7`
    it: &'w str,
    /// What the demand is made of: `it`, `every sentence`.
    whole: &'w str,
    names: Option<&'w Named<'w>>,
    /// Other names, such as those of parts.
    called: &'w [(&'w str, &'w str)],
    words: &'w Wording,
}

/// A name bound by a quantifier, and how its member is called.
struct Named<'w> {
    name: &'w str,
    label: &'w str,
    outer: Option<&'w Named<'w>>,
}

impl<'w> Who<'w> {
    /// That a check holds of something, or does not as it was wanted to.
    fn held(&self, check: &str, of: &str, wanted: bool) -> String {
        let text = if wanted { &self.words.fails } else { &self.words.holds };
        fill(text, &[("check", check), ("who", of)])
    }

    /// The first thing of those at hand that a tree speaks of by its name.
    fn mentioned(&self, tree: &Tree) -> Option<&'w str> {
        match &tree.node {
            Node::Var(name) => self.named(name),
            _ => tree.children().into_iter().find_map(|child| self.mentioned(child)),
        }
    }

    fn named(&self, name: &str) -> Option<&'w str> {
        let mut names = self.names;
        while let Some(named) = names {
            if named.name == name {
                return Some(named.label);
            }
            names = named.outer;
        }
        self.called.iter().find(|(known, _)| *known == name).map(|(_, called)| *called)
    }
}

/// Collects why a tree is not as wanted. `blame` is the part that fails by it.
fn reason<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<Reason<'a>>,
) {
    if reasons.len() >= REASONS {
        return;
    }
    if !reasons.is_empty() {
        env.hurry();
    }
    let truth = env.truth(tree);
    // What could not be looked at for want of time is no reason where there is another.
    if !env.is_exhausted() || reasons.is_empty() {
        because(truth, tree, env, who, wanted, blame, reasons);
    }
}

/// The same of a tree whose truth is known.
fn because<'a>(
    truth: Result<bool, Fault>,
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<Reason<'a>>,
) {
    match &truth {
        Ok(value) if *value == wanted => return,
        Ok(_) => {}
        Err(fault) => {
            // A part that faults may still have a part that explains more.
            if !matches!(tree.node, Node::And(_) | Node::Or(_) | Node::Not(_)) {
                reasons.push(faulted(fault, tree, env, who, wanted, blame));
                return;
            }
        }
    }
    match &tree.node {
        Node::Not(inner) => reason(inner, env, who, !wanted, blame, reasons),
        Node::And(parts) if wanted => {
            for part in parts {
                reason(part, env, who, true, part.span, reasons);
            }
        }
        // All of them hold, or none does: each alone would have to be otherwise.
        Node::And(parts) | Node::Or(parts) => {
            let mut found = Vec::new();
            for part in parts {
                // Each alternative fails by itself only where the whole was wanted to hold.
                let span = if wanted { part.span } else { blame };
                reason(part, env, who, wanted, span, &mut found);
            }
            let only = matches!(tree.node, Node::Or(_)) && wanted && parts.len() > 1;
            for (at, mut reason) in found.into_iter().enumerate() {
                if only && at > 0 {
                    reason.text = fill(&who.words.otherwise, &[("reason", &reason.text)]);
                }
                reasons.push(reason);
            }
        }
        Node::If(condition, then, otherwise) => {
            let chosen = match env.truth(condition) {
                Ok(true) => Some(&**then),
                Ok(false) => otherwise.as_deref(),
                Err(_) => None,
            };
            match chosen {
                Some(chosen) => {
                    let span = if wanted { chosen.span } else { blame };
                    reason(chosen, env, who, wanted, span, reasons);
                }
                None => reasons.push(plain(tree, env, who, wanted, blame)),
            }
        }
        Node::At(subject, body) => {
            let Ok(operand) = env.operand(subject) else {
                reasons.push(plain(tree, env, who, wanted, blame));
                return;
            };
            let label = demand::label(subject, who.words);
            let inner = Who { it: &label, whole: &who.words.it, ..*who };
            let span = if wanted { body.span } else { blame };
            reason(body, &env.with_it(&operand), &inner, wanted, span, reasons);
        }
        Node::Quantified(quantified) => {
            quantified_reason(tree, quantified, env, who, wanted, blame, reasons);
        }
        _ => reasons.push(plain(tree, env, who, wanted, blame)),
    }
}

/// Why a quantifier does not hold: members that fail, or members that should.
fn quantified_reason<'a>(
    tree: &'a Tree,
    quantified: &'a Quantified,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<Reason<'a>>,
) {
    let (Ok(domain), true) = (env.domain(quantified), wanted) else {
        reasons.push(plain(tree, env, who, wanted, blame));
        return;
    };
    let words = who.words;
    let len = domain.list_len().unwrap_or(0);
    let of = len.to_string();
    let noun = |n: usize| demand::noun(&quantified.domain, n, words);
    let holding: Vec<bool> =
        domain.members().map(|member| env.of_member(quantified, member) == Ok(true)).collect();
    let count = holding.iter().filter(|holds| **holds).count();
    let body = demand::demand(&quantified.body, env, words, true);
    let Ok(wanted_count) = env.wanted(&quantified.quantifier, len) else {
        reasons.push(plain(tree, env, who, wanted, blame));
        return;
    };
    // Too many members hold: the first of them is to blame.
    if count > wanted_count.most {
        let Some(at) = holding.iter().position(|holds| *holds) else { return };
        let Some(member) = domain.member(at) else { return };
        let piece = member.as_piece().map(|piece| piece.into_owned());
        let shown = piece.as_ref().map_or_else(String::new, |piece| {
            fill(&words.shown, &[("text", &excerpt(piece.as_str()))])
        });
        let (number, count) = ((at + 1).to_string(), count.to_string());
        let most = wanted_count.most.to_string();
        let text = match wanted_count.most {
            0 => &words.none_may,
            _ => &words.too_many,
        };
        let text = fill(
            text,
            &[
                ("member", noun(1)),
                ("members", noun(len)),
                ("n", &number),
                ("count", &count),
                ("len", &of),
                ("shown", &shown),
                ("demand", &body),
                ("most", &most),
            ],
        );
        reasons.push(Reason { text, span: blame, piece });
        return;
    }
    if len == 0 {
        let every = demand::every(quantified, env, words);
        let text = fill(
            &words.has_none,
            &[("who", who.it), ("member", noun(1)), ("every", &every), ("demand", &body)],
        );
        reasons.push(Reason {
            text,
            span: blame,
            piece: env.it.as_piece().map(|p| p.into_owned()),
        });
        return;
    }
    if !matches!(quantified.quantifier, Quantifier::Every) {
        let (count, least) = (count.to_string(), wanted_count.least.to_string());
        let text = fill(
            &words.too_few,
            &[
                ("count", &count),
                ("len", &of),
                ("members", noun(len)),
                ("demand", &body),
                ("least", &least),
            ],
        );
        reasons.push(Reason {
            text,
            span: blame,
            piece: env.it.as_piece().map(|p| p.into_owned()),
        });
        return;
    }
    let Some(at) = holding.iter().position(|holds| !holds) else { return };
    let Some(member) = domain.member(at) else { return };
    let number = (at + 1).to_string();
    let label = fill(&words.nth, &[("member", noun(1)), ("n", &number), ("len", &of)]);
    let whole = fill(&words.every, &[("member", noun(1))]);
    let mut found = Vec::new();
    match &quantified.binder {
        Some(name) => {
            let named = Named { name, label: &label, outer: who.names };
            let inner = Who { it: who.it, whole: &whole, names: Some(&named), ..*who };
            let local = env.bind(name, member.clone());
            let inner_env = env.with_local(&local);
            reason(&quantified.body, &inner_env, &inner, true, quantified.body.span, &mut found);
        }
        None => {
            let inner = Who { it: &label, whole: &whole, ..*who };
            reason(
                &quantified.body,
                &env.with_it(&member),
                &inner,
                true,
                quantified.body.span,
                &mut found,
            );
        }
    }
    let failing = holding.iter().filter(|holds| !**holds).count();
    for mut reason in found.into_iter().take(1) {
        if reason.piece.is_none() || quantified.binder.is_some() {
            reason.piece = member.as_piece().map(|piece| piece.into_owned());
        }
        if quantified.binder.is_some() {
            // The body reads the name, so it can be checked with the quantifier only.
            reason.span = blame;
        }
        // How many of those within one of them fail would only confuse.
        if failing > 1 && who.whole == words.it {
            let failing = failing.to_string();
            reason.text = fill(
                &words.some_fail,
                &[("reason", &reason.text), ("failing", &failing), ("len", &of)],
            );
        }
        reasons.push(reason);
    }
}

fn faulted<'a>(
    fault: &Fault,
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    blame: Span,
) -> Reason<'a> {
    let demand = demand::demand(tree, env, who.words, wanted);
    let subject = subject_of_demand(tree, who);
    let places = [("fault", &*fault.message), ("who", &subject), ("demand", &demand)];
    Reason {
        text: fill(&who.words.fault, &places),
        span: blame,
        piece: env.it.as_piece().map(|piece| piece.into_owned()),
    }
}

fn subject_of_demand(tree: &Tree, who: &Who<'_>) -> String {
    if matches!(tree.node, Node::At(..)) || who.whole != who.words.it {
        who.whole.to_owned()
    } else {
        who.it.to_owned()
    }
}

/// The reason for a part that has no parts of its own.
fn plain<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    blame: Span,
) -> Reason<'a> {
    let it = env.it.as_piece().map(|piece| piece.into_owned());
    let (finding, piece) = finding(tree, env, who, wanted, it);
    let (whole, demand) = match demand::of_printed(tree, env, who.words, wanted) {
        Some(demand) => (&*who.words.it, demand),
        None => (who.whole, demand::demand(tree, env, who.words, wanted)),
    };
    let places = [("finding", &*finding), ("who", whole), ("demand", &demand)];
    Reason { text: fill(&who.words.must, &places), span: blame, piece }
}

/// What was found instead, and where.
fn finding<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    it: Option<Piece<'a>>,
) -> (String, Option<Piece<'a>>) {
    match &tree.node {
        Node::Compare(op, left, right) => {
            // The measure is the side that is not a plain value.
            let measure =
                if demand::is_measure(left) || !demand::is_measure(right) { left } else { right };
            (measured(measure, *op, env, who), it)
        }
        Node::Within(left, right) if matches!(env.operand(right), Ok(Operand::Range(_))) => {
            (measured(left, CompareOp::Equal, env, who), it)
        }
        Node::Call(name, arguments) => call_finding(name, arguments, env, who, wanted, it),
        _ => {
            let of = who.mentioned(tree).unwrap_or(who.it);
            (who.held(&demand::code(tree), of, wanted), it)
        }
    }
}

/// `the answer has 37 words`
fn measured<'a>(measure: &'a Tree, _op: CompareOp, env: &Env<'_, 'a>, who: &Who<'_>) -> String {
    let shown = match env.operand(measure) {
        Ok(operand) => demand::shown(&operand),
        Err(fault) => return fault.message,
    };
    let words = who.words;
    let is = |who: &str| fill(&words.is, &[("who", who), ("value", &shown)]);
    if let Some((owner, things)) = demand::counted(measure, env, words, shown.as_str() == "1") {
        let owner = match owner {
            None => who.it.to_owned(),
            Some(tree) => match &tree.node {
                Node::Var(name) => who.named(name).unwrap_or(name).to_owned(),
                Node::It => who.it.to_owned(),
                _ => demand::label(tree, words),
            },
        };
        let text = if shown == "0" { &words.has_no } else { &words.has };
        return fill(text, &[("who", &owner), ("n", &shown), ("things", &things)]);
    }
    if matches!(measure.node, Node::It) {
        return is(who.it);
    }
    match &measure.node {
        Node::Var(name) => match who.named(name) {
            Some(label) => is(label),
            None => is(&format!("`{name}`")),
        },
        _ => {
            let of = who.mentioned(measure).unwrap_or(who.it);
            let measure = demand::code(measure);
            let places = [("measure", &*measure), ("who", of), ("value", &shown)];
            fill(&words.measure_is, &places)
        }
    }
}

fn call_finding<'a>(
    name: &'a str,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Who<'_>,
    wanted: bool,
    it: Option<Piece<'a>>,
) -> (String, Option<Piece<'a>>) {
    let subject = match (functions::lookup(name), arguments.first()) {
        (Some(function), Some(first)) if function.subject => {
            env.operand(first).ok().and_then(|first| first.as_piece().map(|p| p.into_owned()))
        }
        _ => None,
    };
    let about_it = matches!(arguments.first(), Some(Tree { node: Node::It, .. }));
    let owner = match arguments.first() {
        Some(first) if !about_it => match &first.node {
            Node::Var(name) => who.named(name).unwrap_or(name).to_owned(),
            _ => demand::label(first, who.words),
        },
        _ => who.it.to_owned(),
    };
    let Some(piece) = subject else {
        return (who.held(name, who.it, wanted), it);
    };
    let (words, text) = (who.words, piece.as_str());
    let owned = |said: &str, places: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> =
            std::iter::once(("who", &*owner)).chain(places.iter().copied()).collect();
        fill(said, &all)
    };
    let about_edges = ["starts_with", "opens_with", "ends_with", "closes_with"]
        .iter()
        .any(|start| name.starts_with(start));
    let said = match name {
        _ if about_edges && python::strip(text).is_empty() => owned(&words.empty, &[]),
        _ if name.starts_with("starts_with") || name.starts_with("opens_with_pair") => {
            owned(&words.starts, &[("text", &excerpt::head(text))])
        }
        _ if name.starts_with("ends_with") || name.starts_with("closes_with_pair") => {
            owned(&words.ends, &[("text", &excerpt::tail(text))])
        }
        "wrapped_in" => {
            let (start, end) = (excerpt::head(text), excerpt::tail(text));
            owned(&words.runs, &[("start", &start), ("end", &end)])
        }
        "contains" | "matches" => {
            let sought = arguments.get(1);
            let sought = sought.map_or_else(String::new, |tree| demand::sought(tree, env, words));
            owned(if wanted { &words.lacks } else { &words.contains }, &[("sought", &sought)])
        }
        "is_upper" | "is_upper_as_released" | "has_no_lower" if wanted => {
            offender(text, &words.has_small, &owned, char::is_lowercase)
                .unwrap_or_else(|| owned(&words.no_case, &[]))
        }
        "is_lower" | "is_lower_as_released" | "has_no_upper" if wanted => {
            offender(text, &words.has_capital, &owned, char::is_uppercase)
                .unwrap_or_else(|| owned(&words.no_case, &[]))
        }
        "is_json" if wanted && arguments.len() > 1 => match schema_misfit(text, &arguments[1], env)
        {
            Some(Misfit::NoJson(why)) => owned(&words.no_json, &[("why", &why)]),
            Some(Misfit::Unfit(unfit)) => {
                let pointer = if unfit.pointer.is_empty() { "/" } else { &unfit.pointer };
                owned(&words.misfit, &[("misfit", &unfit.to_string()), ("pointer", pointer)])
            }
            None => who.held(&demand::printed_call(name, arguments), &owner, wanted),
        },
        _ => match shapes::shape_of(name) {
            Some(shape) => {
                let noun = words.shape(shape.name(), shape.noun());
                let misfit = match wanted {
                    true => piece.read(|text| shape.conforms(text)).err(),
                    false => None,
                };
                match misfit {
                    Some(misfit) => {
                        owned(&words.no_shape, &[("shape", noun), ("why", &misfit.why)])
                    }
                    None => owned(&words.is_shape, &[("shape", noun)]),
                }
            }
            None => who.held(&demand::printed_call(name, arguments), &owner, wanted),
        },
    };
    (said, Some(piece))
}

/// What is not as a schema says.
enum Misfit {
    NoJson(String),
    Unfit(Unfit),
}

fn schema_misfit<'a>(text: &str, schema: &'a Tree, env: &Env<'_, 'a>) -> Option<Misfit> {
    let schema = Schema::of(&env.operand(schema).ok()?.value()?).ok()?;
    match functions::json::read(text) {
        Ok(value) => schema.fits(&value).err().map(Misfit::Unfit),
        Err(why) => Some(Misfit::NoJson(why)),
    }
}

/// Fills in a text, with whom it is about and what else there is.
type Filled<'f> = dyn Fn(&str, &[(&str, &str)]) -> String + 'f;

/// The first letter that is not as it should be, in its word.
fn offender(text: &str, said: &str, owned: &Filled<'_>, is: fn(char) -> bool) -> Option<String> {
    let (at, c) = text.char_indices().find(|(_, c)| is(*c))?;
    let behind = text.get(at..).unwrap_or("");
    let end = behind.find(|c: char| !python::is_word(c)).unwrap_or(behind.len());
    let before = text.get(..at).unwrap_or("");
    let start = before.rfind(|c: char| !python::is_word(c)).map_or(0, |found| {
        found + before.get(found..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    });
    let word = text.get(start..at + end).unwrap_or("");
    Some(owned(said, &[("letter", &c.to_string()), ("word", &excerpt(word))]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::spoken::tree;
    use crate::predicate::value::Value;
    use crate::text::Text;

    fn said(source: &str, text: &str) -> String {
        let variables =
            [("n", Value::Int(3)), ("items", Value::list([Value::text("a b"), Value::text("c")]))];
        let text = Text::new(text);
        let scene = Scene { it: &text, variables: &variables };
        explain(&tree(source), &scene).map_or_else(String::new, |explanation| explanation.text)
    }

    #[test]
    fn reasons_read_well() {
        let text = "Some say so. They left! Sure, it was 7 or 9.";
        for (source, expected) in [
            ("count(word) >= 1", ""),
            ("count(word) >= 50", "the answer has 11 words; it must have at least 50 words"),
            (
                "count(sentence) in 4..=5",
                "the answer has 3 sentences; it must have 4 to 5 sentences",
            ),
            (
                "every sentence: starts_with(\"S\")",
                "sentence 2 of 3 starts with “They left!”; every sentence must start with \"S\"",
            ),
            (
                "every sentence: count(word) > n",
                "sentence 1 of 3 has 3 words; every sentence must have more than 3 words (2 of 3 fail)",
            ),
            (
                "every c in items: count(word in c) == 2",
                "member 2 of 2 has 1 word; every member must have exactly 2 words",
            ),
            (
                "paragraph[2]: starts_with(\"In\")",
                "there is no paragraph 2, only one paragraph; it must have paragraph 2",
            ),
            (
                "sentence[-1]: ends_with(\"?\")",
                "the last sentence ends with “Sure, it was 7 or 9.”; it must end with \"?\"",
            ),
            (
                "not contains(word \"they\")",
                "the answer contains the word \"they\"; it must not contain the word \"they\"",
            ),
            ("is_json", "the answer is not JSON: expected a value, found `S`; it must be JSON"),
            (
                "is_upper",
                "the answer has the small letter “o” in “Some”; it must be in capitals only",
            ),
            (
                "count(letter \"e\") == 9",
                "the answer has 4 occurrences of the letter \"e\"; it must have exactly 9 occurrences of the letter \"e\"",
            ),
            (
                "at_least(3) sentence: contains(\"a\")",
                "2 of 3 sentences contain \"a\"; at least 3 must",
            ),
            (
                "no sentence: contains(\"left\")",
                "sentence 2 of 3 (“They left!”) does contain \"left\", and none may",
            ),
            (
                "if n == 3 then is_lower",
                "the answer has the capital “S” in “Some”; it must be in small letters only",
            ),
        ] {
            assert_eq!(said(source, text), expected, "{source}");
        }
    }

    #[test]
    fn reasons_are_told_in_the_words_of_a_language() {
        let words = Wording::of("zh").expect("Chinese");
        for (source, text, expected) in [
            ("count(word) == 4", "今天天气好", "回答有5个字；它应当有恰好4个字"),
            (
                "every sentence: count(word) in 2..=3",
                "好。太好了。",
                "第1个句子（共2个）有1个字；每个句子应当有2到3个字",
            ),
            ("not contains(text \"潮\")", "大潮", "回答含有“潮”；它应当不含有“潮”"),
            ("ends_with(\"！\")", "好的。", "回答以“好的。”结尾；它应当以“！”结尾"),
            ("is_json", "好", "回答不是JSON；它应当是JSON"),
            ("count(line) >= 3", "一\n二", "回答有2个行；它应当有至少3个行"),
            ("paragraph[2]: contains(\"潮\")", "一", "没有可以检查的内容；它应当有第2个段落"),
        ] {
            let answer = Text::new(text);
            let scene = Scene { it: &answer, variables: &() };
            let said = explain_in(&tree(source), &scene, words, &[]).map(|why| why.text);
            assert_eq!(said.as_deref(), Some(expected), "{source}");
        }
    }
}
