//! Why a check does not hold: which part fails on which unit, with an excerpt and its place.
//!
//! Reasons are short enough to be sent back to a model. The blamed part is false for the blamed
//! excerpt, or for the entire response.

mod demand;
pub(crate) mod excerpt;
mod finding;
mod look_alike;
#[cfg(test)]
mod property;
mod quantified;
mod things;
pub(crate) mod wording;

use std::ops::Range;

use super::evaluate::{Env, TextContext, budget};
use super::fault::EvalError;
use super::operand::{Operand, TextPiece};
use super::tree::{Applied, CompareOp, Node, Tree};
pub(crate) use demand::of_shape;
use excerpt::excerpt;
use finding::{FindingKind, finding};
use ifs_base::source::Span;
pub(crate) use quantified::frequency;
pub(crate) use things::{
    Things, distinct, in_all_members, members_or_characters, shared_things, things,
};
pub(crate) use wording::VerbForm;
pub use wording::Wording;
pub(crate) use wording::fill_placeholders;

#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// `the response has 37 words; it must have at least 50 words`
    pub text: String,
    /// Whether some of the demand can only be given in the author's own words.
    pub unsaid: bool,
    /// Whether it only shows the response, because there are no words for what was found.
    pub is_excerpt: bool,
    pub blamed: Vec<FailingSpan>,
}

impl Explanation {
    /// The text, followed by the instruction if the text does not state the demand.
    pub fn with_instruction(self, asked: Option<&str>, words: &Wording) -> String {
        match asked {
            Some(asked) if self.unsaid => {
                let asked = excerpt::instruction_line(asked);
                fill_placeholders(&words.asked, &[("reason", &self.text), ("asked", &asked)])
            }
            _ => self.text,
        }
    }
}

/// A part of the check, and the excerpt of the response on which it fails.
#[derive(Clone, Debug, PartialEq)]
pub struct FailingSpan {
    pub span: Span,
    /// Bytes of the response; `None` if the reason is about something else, such as the turn's
    /// number.
    pub place: Option<Range<usize>>,
    /// The start of that stretch, at most 40 characters.
    pub excerpt: String,
}

/// How many reasons are reported; a check of ten parts can fail in ten ways.
const MAX_REASONS: usize = 3;

/// Why a check does not hold, in English and for its author: what has no words is printed as code.
/// `None` when it holds.
pub fn explain(tree: &Tree, scene: &TextContext<'_>) -> Option<Explanation> {
    explained(tree, scene, Wording::english(), &[], true)
}

/// The same for the model, in a language and with labels for names, without code. The instruction
/// is reported separately.
pub fn explain_in(
    tree: &Tree,
    scene: &TextContext<'_>,
    words: &Wording,
    called: &[(&str, &str)],
) -> Option<Explanation> {
    explained(tree, scene, words, called, false)
}

fn explained(
    tree: &Tree,
    scene: &TextContext<'_>,
    words: &Wording,
    called: &[(&str, &str)],
    code: bool,
) -> Option<Explanation> {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    let budget = budget(scene);
    let env = Env::new(scene, &it, &budget);
    let truth = env.truth(tree);
    if truth == Ok(true) {
        return None;
    }
    let who = Labels {
        it: &words.answer,
        whole: &words.it,
        member: None,
        names: None,
        called,
        words,
        code,
        depth: 0,
        nested: 0,
    };
    let mut reasons = Vec::new();
    collect_reasons(truth, tree, &env, &who, true, tree.span, &mut reasons);
    reasons.truncate(MAX_REASONS);
    let mut texts: Vec<String> = Vec::new();
    for reason in &reasons {
        if !texts.contains(&reason.text) {
            texts.push(reason.text.clone());
        }
    }
    let unsaid = reasons.iter().any(|reason| reason.unsaid);
    let is_excerpt = reasons.iter().all(|reason| reason.is_excerpt);
    let blamed: Vec<FailingSpan> = reasons
        .into_iter()
        .map(|reason| FailingSpan {
            span: reason.span,
            excerpt: reason
                .piece
                .as_ref()
                .map_or_else(String::new, |piece| excerpt(piece.as_str())),
            place: reason.piece.and_then(|piece| piece.response_range()),
        })
        .collect();
    let text = words.apply_replacements(texts.join(&words.also));
    let spans: Vec<Span> = blamed.iter().map(|part| part.span).collect();
    let text = look_alike::with_look_alike(text, tree, &spans, &env, words);
    Some(Explanation { text, unsaid, is_excerpt, blamed })
}

struct ReasonPart<'a> {
    text: String,
    /// Whether the demand is left out.
    unsaid: bool,
    /// Whether it only shows the response.
    is_excerpt: bool,
    span: Span,
    piece: Option<TextPiece<'a>>,
}

/// The labels of the current text.
#[derive(Clone, Copy)]
pub(crate) struct Labels<'w> {
    /// `the answer`, `sentence 3 of 7`
    it: &'w str,
    /// The subject of the demand: `it`, `every sentence`.
    whole: &'w str,
    /// The label of the member that `whole` is about.
    member: Option<&'w str>,
    names: Option<&'w BoundLabel<'w>>,
    /// Other names, such as those of parts.
    called: &'w [(&'w str, &'w str)],
    pub words: &'w Wording,
    /// Whether code is printed if there are no words.
    code: bool,
    /// The depth of nesting.
    depth: usize,
    /// The depth to which demands are put into words.
    nested: usize,
}

/// The maximum depth at which a part that explains more is sought.
const MAX_DEPTH: usize = 40;

/// A name bound by a quantifier, and the label of its member.
struct BoundLabel<'w> {
    name: &'w str,
    label: &'w str,
    /// The list of which it is a window, and the position of the window.
    window: Option<(&'w Tree, usize)>,
    outer: Option<&'w BoundLabel<'w>>,
}

impl<'w> Labels<'w> {
    /// The sentence that a check holds, or fails, for something.
    fn verdict_sentence(&self, check: &str, of: &str, wanted: bool) -> String {
        let text = if wanted { &self.words.fails } else { &self.words.holds };
        fill_placeholders(text, &[("check", check), ("who", of)])
    }

    /// The first labelled name that a tree uses.
    fn mentioned<'t>(&self, tree: &'t Tree) -> Option<(&'w str, &'t Tree)> {
        match &tree.node {
            Node::Var(name) => Some((self.label_of(name).filter(|label| !label.is_empty())?, tree)),
            _ => tree.children().into_iter().find_map(|child| self.mentioned(child)),
        }
    }

    fn bound_label(&self, name: &str) -> Option<&'w BoundLabel<'w>> {
        let mut names = self.names;
        while let Some(named) = names.filter(|named| named.name != name) {
            names = named.outer;
        }
        names
    }

    /// The list of which a name is a window, and the window's position.
    fn window(&self, name: &str) -> Option<(&'w Tree, usize)> {
        self.bound_label(name)?.window
    }

    /// Whether the value of a tree depends on the current member.
    fn varies(&self, tree: &Tree) -> bool {
        match &tree.node {
            Node::It | Node::Units(_, None) => true,
            Node::Var(name) => self.bound_label(name).is_some(),
            _ => tree.children().into_iter().any(|child| self.varies(child)),
        }
    }

    fn label_of(&self, name: &str) -> Option<&'w str> {
        if let Some(named) = self.bound_label(name) {
            return Some(named.label);
        }
        self.called.iter().find(|(known, _)| *known == name).map(|(_, called)| *called)
    }
}

/// Collects the reasons why a tree does not have the wanted verdict. `blame` is the part that
/// fails.
fn reason<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    if reasons.len() >= MAX_REASONS {
        return;
    }
    if !reasons.is_empty() {
        env.reduce_budget();
    }
    let truth = env.truth(tree);
    // A part that ran out of budget is a reason only if there is no other.
    if !env.is_exhausted() || reasons.is_empty() {
        collect_reasons(truth, tree, env, who, wanted, blame, reasons);
    }
}

/// The same for a tree whose truth is known.
fn collect_reasons<'a>(
    truth: Result<bool, EvalError>,
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
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
    let who = &Labels { depth: who.depth + 1, ..*who };
    match &tree.node {
        _ if who.depth > MAX_DEPTH => reasons.push(plain(tree, env, who, wanted, blame)),
        Node::Not(inner) => reason(inner, env, who, !wanted, blame, reasons),
        Node::And(parts) if wanted => {
            for part in parts {
                reason(part, env, who, true, part.span, reasons);
            }
        }
        // All of them hold, or none does: each one is a reason.
        Node::And(parts) | Node::Or(parts) => {
            let mut found = Vec::new();
            for part in parts {
                // An alternative fails by itself only if the complete tree was wanted to hold.
                let span = if wanted { part.span } else { blame };
                reason(part, env, who, wanted, span, &mut found);
            }
            let only = matches!(tree.node, Node::Or(_)) && wanted && parts.len() > 1;
            let first = found.first().map(|reason| reason.text.clone());
            for (at, mut reason) in found.into_iter().enumerate() {
                if only && at > 0 {
                    // Duplicates are dropped.
                    if first.as_ref() == Some(&reason.text) {
                        continue;
                    }
                    reason.text =
                        fill_placeholders(&who.words.otherwise, &[("reason", &reason.text)]);
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
            let label = match things::thing_label(subject, env, who) {
                Some(label) => label,
                None if who.code => format!("`{}`", things::code(subject)),
                // It has no name, but can be quoted.
                None => {
                    match operand.as_piece().filter(|piece| !piece.as_str().trim().is_empty()) {
                        Some(piece) => format!("“{}”", excerpt(piece.as_str())),
                        None => {
                            reasons.push(plain(tree, env, who, wanted, blame));
                            return;
                        }
                    }
                }
            };
            let inner = Labels { it: &label, whole: &who.words.it, ..*who };
            let span = if wanted { body.span } else { blame };
            reason(body, &env.with_it(&operand), &inner, wanted, span, reasons);
        }
        Node::Quantified(quantified) => {
            quantified::reasons(tree, quantified, env, who, wanted, blame, reasons);
        }
        // For an author's function, the reasons come from its body.
        Node::Applied(applied) => {
            let given: Result<Vec<_>, EvalError> = applied
                .arguments
                .iter()
                .map(|(name, tree)| {
                    let value = env.operand(tree)?;
                    Ok((name, quoted_label(tree, &value, who), value))
                })
                .collect();
            match given {
                Ok(given) => {
                    // The body knows its own names only.
                    let who = &Labels { names: None, ..*who };
                    reasons_inside_def(&given, applied, env, who, wanted, blame, reasons);
                }
                Err(_) => reasons.push(plain(tree, env, who, wanted, blame)),
            }
        }
        _ => reasons.push(plain(tree, env, who, wanted, blame)),
    }
}

/// The label of a text that was made from the response and has no other name than that of a parameter.
fn quoted_label(tree: &Tree, value: &Operand<'_>, who: &Labels<'_>) -> Option<String> {
    let place = value.as_piece().and_then(|piece| piece.response_range());
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    let made = !who.code && place.is_none() && is_made_of_response(tree, who);
    made.then(|| format!("“{}”", excerpt(text)))
}

fn is_made_of_response(tree: &Tree, who: &Labels<'_>) -> bool {
    match &tree.node {
        Node::It | Node::Units(_, None) => true,
        // A parameter that has such a label itself.
        Node::Var(name) => who.bound_label(name).is_some_and(|bound| bound.label.starts_with('“')),
        _ => tree.children().into_iter().any(|child| is_made_of_response(child, who)),
    }
}

/// Why the body of a function does not hold, with its parameters bound in sequence, each with its label
/// and value.
fn reasons_inside_def<'a>(
    given: &[(&'a String, Option<String>, Operand<'a>)],
    applied: &'a Applied,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    match given {
        [(name, label, value), rest @ ..] => {
            let local = env.bind(name, value.clone());
            let env = &env.with_local(&local);
            let quoted = label.as_deref().map(|label| BoundLabel {
                name,
                label,
                window: None,
                outer: who.names,
            });
            let who = &Labels { names: quoted.as_ref().or(who.names), ..*who };
            reasons_inside_def(rest, applied, env, who, wanted, blame, reasons);
        }
        [] => lets(&applied.lets, &applied.body, env, who, wanted, blame, reasons),
    }
}

/// The same with its names.
fn lets<'a>(
    named: &'a [(String, Tree)],
    body: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    let [(name, tree), rest @ ..] = named else {
        let found = reasons.len();
        reason(body, env, who, wanted, blame, reasons);
        // The body uses the parameters, so it can only be evaluated inside the call.
        reasons.iter_mut().skip(found).for_each(|reason| reason.span = blame);
        return;
    };
    match env.operand(tree) {
        Ok(value) => {
            let local = env.bind(name, value);
            lets(rest, body, &env.with_local(&local), who, wanted, blame, reasons);
        }
        Err(_) => reasons.push(plain(body, env, who, wanted, blame)),
    }
}

fn faulted<'a>(
    fault: &EvalError,
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
) -> ReasonPart<'a> {
    let words = who.words;
    let measure = match &tree.node {
        Node::Compare(_, left, right) | Node::Within(left, right) => {
            let measure = if demand::is_measure(left) { left } else { right };
            things::thing_label(measure, env, who).filter(|thing| thing != who.it)
        }
        _ => None,
    };
    let demand = match &measure {
        Some(_) => demand::of_measure(tree, env, who, wanted),
        None => demand::demand(tree, env, who, VerbForm::for_polarity(wanted)),
    };
    let demand = demand.or_else(|| {
        let places = [("check", &*things::code(tree))];
        who.code.then(|| words.demand(&words.satisfy, VerbForm::for_polarity(wanted), &places))
    });
    let subject = measure.unwrap_or_else(|| subject_of_demand(tree, who));
    let text = match &demand {
        Some(demand) => {
            let places = [("fault", &*fault.message), ("who", &subject), ("demand", demand)];
            fill_placeholders(&words.fault, &places)
        }
        None => fault.message.clone(),
    };
    ReasonPart {
        text,
        unsaid: demand.is_none(),
        is_excerpt: false,
        span: blame,
        piece: env.it.as_piece().map(|piece| piece.into_owned()),
    }
}

fn subject_of_demand(tree: &Tree, who: &Labels<'_>) -> String {
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
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
) -> ReasonPart<'a> {
    let (words, form) = (who.words, VerbForm::for_polarity(wanted));
    let it = env.it.as_piece().map(|piece| piece.into_owned());
    let found = finding(tree, env, who, wanted, it);
    let asked = match &tree.node {
        // A demand needs a label for its text.
        Node::Call(name, arguments) if found.text.is_some() => {
            demand::call(*name, arguments, env, who, form)
        }
        Node::Compare(..) | Node::Within(..) if found.kind == FindingKind::Measure => {
            demand::of_measure(tree, env, who, wanted)
        }
        _ if found.kind == FindingKind::Parts => None,
        _ => demand::demand(tree, env, who, form),
    };
    let asked = asked.or_else(|| {
        let places = [("check", &*things::code(tree))];
        who.code.then(|| words.demand(&words.satisfy, form, &places))
    });
    // A demand on one member becomes a demand on each, if the finding is about the member itself
    // and the demand does not depend on it.
    let general = match &tree.node {
        Node::Compare(_, left, right) | Node::Within(left, right) => {
            !(who.varies(left) && who.varies(right))
        }
        Node::Call(_, arguments) => !arguments.iter().skip(1).any(|tree| who.varies(tree)),
        _ => true,
    };
    let of_member = match (who.member, &found.text) {
        (Some(label), Some(text)) => text.starts_with(label),
        _ => false,
    };
    let whole = match &tree.node {
        // A count is not a label for the text in which it was counted.
        Node::Call(func, _) if func.is_about_number() => &words.that,
        _ if general && of_member => who.whole,
        _ => &words.it,
    };
    let is_compared = matches!(tree.node, Node::Compare(..) | Node::Within(..));
    let deciding = match is_compared && found.kind != FindingKind::Measure {
        true => deciding_value(tree, env, who, wanted),
        false => None,
    };
    // A reader is not shown the pattern of what matches.
    let is_unnamed = |text: &Option<String>| {
        let nouns = [words.matches(1), words.matches(2), &words.asked_for];
        text.as_ref().is_some_and(|text| nouns.iter().any(|noun| text.contains(noun)))
    };
    let unsaid = asked.is_none()
        || deciding.is_some()
        || !who.code
            && has_unnamed_pattern(tree, words)
            && (is_unnamed(&asked) || is_unnamed(&found.text));
    let is_excerpt = found.text.is_none()
        && asked.is_none()
        && deciding.is_none()
        && who.member.is_none()
        && who.it == words.answer;
    let text = match (found.text, asked) {
        // The parts of a compound, or the member that it is about, and then the value.
        (found, None) if deciding.is_some() => {
            let (value, demand) = deciding.unwrap_or_default();
            let finding = found.or_else(|| who.member.map(|_| as_it_is(tree, env, who)));
            let places = [
                ("finding", finding.as_deref()),
                ("who", Some(&*value)),
                ("demand", Some(&*demand)),
            ];
            let places = places.map(|(name, text)| (name, text.unwrap_or_default()));
            let text = if finding.is_some() { &words.must } else { &words.alone };
            fill_placeholders(text, &places)
        }
        (Some(finding), Some(demand)) => fill_placeholders(
            &words.must,
            &[("finding", &finding), ("who", whole), ("demand", &demand)],
        ),
        (Some(finding), None) => finding,
        (None, Some(demand)) => {
            fill_placeholders(&words.alone, &[("who", who.it), ("demand", &demand)])
        }
        (None, None) => as_it_is(tree, env, who),
    };
    ReasonPart { text, unsaid, is_excerpt, span: blame, piece: found.piece }
}

/// The value of a comparison that has no words for what it measures, and the demand on it.
fn deciding_value<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
) -> Option<(String, String)> {
    let (Node::Compare(_, left, right) | Node::Within(left, right)) = &tree.node else {
        return None;
    };
    let (measure, bound) = match demand::is_measure(left) || !demand::is_measure(right) {
        true => (left, right),
        false => (right, left),
    };
    let value = env.operand(measure).ok()?;
    if value.as_number().is_none() && value.as_str().is_none() && value.list_len().is_none() {
        return None;
    }
    if who.code {
        return None;
    }
    let words = who.words;
    let label = |value: &Operand<'_>| {
        fill_placeholders(&words.decides, &[("value", &demand::value_text(value))])
    };
    // Long lists look alike where they are cut: the first member that differs says more.
    let expected = env.operand(bound).ok().filter(|bound| bound.list_len().is_some());
    let differing = expected.filter(|_| value.list_len().is_some() && wanted).and_then(|bound| {
        let mut pairs = value.members().zip(bound.members()).enumerate();
        let (at, pair) = pairs.find(|(_, (one, other))| one.value() != other.value())?;
        Some((at, pair.0, pair.1))
    });
    if let (Some((at, found, expected)), Node::Compare(CompareOp::Equal, ..)) =
        (differing, &tree.node)
    {
        let (noun, n) = (words.member(1), (at + 1).to_string());
        let thing = fill_placeholders(&words.number, &[("noun", noun), ("n", &n)]);
        let places = [("thing", &*thing), ("who", &*label(&found))];
        let form = VerbForm::for_polarity(true);
        let value = demand::value_text(&expected);
        let demand = words.demand(&words.be_value, form, &[("value", &value)]);
        return Some((fill_placeholders(&words.decides_in, &places), demand));
    }
    Some((label(&value), demand::of_value(tree, env, who, wanted)?))
}

/// Whether a check looks for a pattern that a reader is not shown.
fn has_unnamed_pattern(tree: &Tree, words: &Wording) -> bool {
    match &tree.node {
        Node::Pattern(pattern) => words.pattern(&pattern.pattern, 1).is_none(),
        _ => tree.children().into_iter().any(|child| has_unnamed_pattern(child, words)),
    }
}

/// The excerpt that a check without words is about. The instruction is reported separately.
fn as_it_is<'a>(tree: &'a Tree, env: &Env<'_, 'a>, who: &Labels<'_>) -> String {
    let words = who.words;
    let mentioned =
        who.mentioned(tree).and_then(|(label, tree)| Some((label, tree, env.operand(tree).ok()?)));
    // A number over which a quantifier runs is a place in something, and says nothing itself.
    let is_place = |tree: &Tree, found: &Operand<'_>| {
        matches!(&tree.node, Node::Var(name) if who.bound_label(name).is_some())
            && found.as_int().is_some()
    };
    let (label, found) = match mentioned {
        Some((label, tree, found)) if !is_place(tree, &found) => (label, found),
        _ => (who.it, env.it.clone()),
    };
    if let Some(text) = found.as_str() {
        let shown = excerpt(text);
        // A label with an excerpt is enough.
        return match () {
            () if text.trim().is_empty() => fill_placeholders(&words.empty, &[("who", label)]),
            () if label.contains(&format!("“{shown}”")) => label.to_owned(),
            () if shown.ends_with('…') => {
                fill_placeholders(&words.starts, &[("who", label), ("text", &shown)])
            }
            () => fill_placeholders(&words.is, &[("who", label), ("value", &format!("“{shown}”"))]),
        };
    }
    let members: Vec<String> = found.members().map(|one| demand::value_text(&one)).collect();
    match members.len() {
        // Adjacent members.
        2 | 3 => {
            let values = members.join(&words.and);
            fill_placeholders(&words.are_these, &[("who", label), ("values", &values)])
        }
        _ => {
            fill_placeholders(&words.is, &[("who", label), ("value", &demand::value_text(&found))])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_parser::tree;
    use crate::value::Value;
    use ifs_text::Text;

    fn said(source: &str, text: &str) -> String {
        let variables =
            [("n", Value::Int(3)), ("items", Value::list([Value::text("a b"), Value::text("c")]))];
        let text = Text::new(text);
        let scene = TextContext { it: &text, variables: &variables };
        explain(&tree(source), &scene).map_or_else(String::new, |explanation| explanation.text)
    }

    #[test]
    fn reasons_are_readable() {
        let text = "Some say so. They left! Sure, it was 7 or 9.";
        for (source, expected) in [
            ("count(word) >= 1", ""),
            ("count(word) >= 50", "the response has 11 words; it must have at least 50 words"),
            (
                "count(sentence) in 4..=5",
                "the response has 3 sentences; it must have 4 to 5 sentences",
            ),
            (
                "every sentence: starts_with(\"S\")",
                "sentence 2 of 3 starts with “They left!”; every sentence must start with \"S\"",
            ),
            (
                "every sentence: count(word) > n",
                "sentence 1 of 3 (“Some say so.”) has 3 words; every sentence must have more than 3 words (2 of 3 fail)",
            ),
            (
                "every c in items: count(word in c) == 2",
                "item 2 of 2 (“c”) has 1 word; every item must have exactly 2 words",
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
                "the response contains the word \"they\"; it must not contain the word \"they\"",
            ),
            (
                "is_json",
                "the response is not JSON: expected a value, found `S` (line 1: “Some say so. They left!…”); \
                 it must be JSON",
            ),
            (
                "is_upper",
                "the response has the small letter “o” in “Some”; it must be in capitals only",
            ),
            (
                "count(letter \"e\") == 9",
                "the response has 4 occurrences of the letter \"e\"; it must have exactly 9 occurrences of the letter \"e\"",
            ),
            (
                "at_least(3) sentence: contains(\"a\")",
                "2 of 3 sentences contain \"a\"; at least 3 must",
            ),
            (
                "no sentence: contains(\"left\")",
                "sentence 2 of 3 (“They left!”) contains \"left\", and none may",
            ),
            (
                "if n == 3 then is_lower",
                "the response has the capital “S” in “Some”; it must be in small letters only",
            ),
        ] {
            assert_eq!(said(source, text), expected, "{source}");
        }
    }

    /// Without code: texts and patterns that are counted, and comparisons without words.
    #[test]
    fn models_read_what_was_found_and_expected() {
        let words = |code| Wording::for_language(code).expect("a table");
        for (source, text, code, expected) in [
            (
                "count(\"?\") == 1",
                "No. Not at all. It is so long that an excerpt of it would be cut.",
                "en",
                "the response has no occurrences of \"?\"; it must have exactly 1 occurrence of \"?\"",
            ),
            (
                "count(\"?\") == 1",
                "Ja? Nein?",
                "de",
                "die Antwort hat 2 Vorkommen von „?“; verlangt ist: genau 1 Vorkommen von „?“ haben",
            ),
            ("count(\"？\") == 1", "好？不好？", "zh", "回答有2个“？”；它应当恰好有1个“？”"),
            (
                "count(/\\[.+?\\]/) >= 3",
                "[a] [b]",
                "en",
                "the response has 2 matches (“[a]”, “[b]”); it must have at least 3 matches",
            ),
            (
                "count(sentence) * 2 == count(word)",
                "One two three. Four five.",
                "en",
                "the response has 2 sentences; the value that decides, 4, must be exactly 5",
            ),
            (
                "some w in [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]: contains(w)",
                "x",
                "en",
                "the response does not contain what is asked for; it must contain \"a\" or contain \"b\" \
                 or contain \"c\" or contain \"d\" and 2 more",
            ),
        ] {
            let answer = Text::new(text);
            let scene = TextContext { it: &answer, variables: &() };
            let said = explain_in(&tree(source), &scene, words(code), &[]).map(|why| why.text);
            assert_eq!(said.as_deref(), Some(expected), "{source}");
        }
    }

    #[test]
    fn reasons_use_the_table_of_a_language() {
        let chinese = Wording::for_language("zh").expect("Chinese");
        let german = Wording::for_language("de").expect("German");
        for (source, text, expected) in [
            (
                "count(sentence) >= 3",
                "Am 3. Mai kam er. Danach nicht.",
                "die Antwort hat 2 Sätze; verlangt ist: mindestens 3 Sätze haben",
            ),
            (
                "every sentence: count(word) <= 2",
                "Er kam. Er kam nicht.",
                "Satz 2 von 2 („Er kam nicht.“) hat 3 Wörter; jeder Satz soll höchstens 2 Wörter haben",
            ),
            (
                "not contains(word \"bald\")",
                "Bis bald",
                "die Antwort enthält das Wort „bald“; verlangt ist: das Wort „bald“ nicht enthalten",
            ),
            (
                "line[-1]: it == \"Bis bald\"",
                "Bald\nGruß",
                "Zeile am Ende ist „Gruß“; verlangt ist: „Bis bald“ sein",
            ),
            (
                "not contains(/\\d/)",
                "3",
                "die Antwort enthält „3“; verlangt ist: Ziffern nicht enthalten",
            ),
        ] {
            let answer = Text::new(text);
            let scene = TextContext { it: &answer, variables: &() };
            let said = explain_in(&tree(source), &scene, german, &[]).map(|why| why.text);
            assert_eq!(said.as_deref(), Some(expected), "{source}");
        }
        let words = chinese;
        for (source, text, expected) in [
            ("count(word) == 4", "今天天气好", "回答有5个字；它应当恰好有4个字"),
            (
                "every sentence: count(word) in 2..=3",
                "好。太好了。",
                "第1句（共2个）（“好。”）有1个字；每句应当有2到3个字",
            ),
            ("not contains(text \"潮\")", "大潮", "回答含有“潮”；它应当不含有“潮”"),
            ("ends_with(\"！\")", "好的。", "回答以“好的。”结尾；它应当以“！”结尾"),
            ("is_json", "好", "回答不是JSON：第1行“好”处有问题；它应当是JSON"),
            ("is_json", "{\"a\": 1,\n \"b\": 2,}", "回答不是JSON：第2行“}”处有问题；它应当是JSON"),
            (
                "is_json({ required: [\"价格\"] })",
                "{}",
                "回答里的值缺少字段`价格`；它应当是符合要求的JSON",
            ),
            (
                "is_json({ properties: { n: { type: \"integer\" } } })",
                "{\"n\": \"三\"}",
                "回答里的`/n`是字符串，而不是整数；它应当是符合要求的JSON",
            ),
            (
                "fits_schema(json, { minItems: 3 })",
                "[1]",
                "回答里的值有1个成员，至少应当有3个；它应当是符合要求的JSON",
            ),
            ("count(line) >= 3", "一\n二", "回答有2行；它应当至少有3行"),
            ("paragraph[2]: contains(\"潮\")", "一", "没有可以检查的内容；它应当有第2段"),
        ] {
            let answer = Text::new(text);
            let scene = TextContext { it: &answer, variables: &() };
            let said = explain_in(&tree(source), &scene, words, &[]).map(|why| why.text);
            assert_eq!(said.as_deref(), Some(expected), "{source}");
        }
    }
}
