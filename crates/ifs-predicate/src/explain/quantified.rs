//! Why a quantifier does not hold: members that fail, or members that should.

use std::collections::BTreeSet;

use super::excerpt::excerpt;
use super::finding::finding;
use super::wording::{VerbForm, Wording, fill_placeholders};
use super::{BoundLabel, Labels, ReasonPart, demand, plain, reason, things};
use crate::evaluate::Env;
use crate::functions::hooks::{Demand, Derived, Finding};
use crate::operand::Operand;
use crate::tree::{Node, Quantified, Quantifier, Tree};
use ifs_base::source::Span;
use ifs_text::python;

/// The members of a quantifier's list, and which of them meet its condition.
struct QuantifiedMembers<'q, 'a> {
    quantified: &'a Quantified,
    domain: Operand<'a>,
    holding: Vec<bool>,
    /// Whether the members were given, rather than found in a response.
    given: bool,
    words: &'q Wording,
}

impl<'a> QuantifiedMembers<'_, 'a> {
    fn noun(&self, n: usize) -> &str {
        things::noun(&self.quantified.domain, n, self.words)
    }

    fn len(&self) -> usize {
        self.holding.len()
    }

    /// How many hold.
    fn count(&self) -> usize {
        self.holding.iter().filter(|holds| **holds).count()
    }

    /// The first that holds, or does not.
    fn first_member(&self, holds: bool) -> Option<(usize, Operand<'a>)> {
        let at = self.holding.iter().position(|one| *one == holds)?;
        Some((at, self.domain.member(at)?))
    }

    /// `sentence 3 of 7`
    fn nth(&self, at: usize) -> String {
        let (number, len) = ((at + 1).to_string(), self.len().to_string());
        fill_placeholders(
            &self.words.nth,
            &[("member", self.noun(1)), ("n", &number), ("len", &len)],
        )
    }

    /// ` (“It ebbs.”)`; for adjacent members, all texts among them.
    fn member_excerpt(&self, member: &Operand<'_>) -> String {
        let text = match member.as_piece() {
            Some(piece) => Some(excerpt(piece.as_str())),
            None => {
                let texts = member.members().map(|one| one.as_str().map(excerpt));
                let texts: Option<Vec<String>> = texts.collect();
                texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("”, “"))
            }
        };
        text.map_or_else(String::new, |text| {
            fill_placeholders(&self.words.shown, &[("text", &text)])
        })
    }

    /// ` (“tide”, “moon”, …)`: the first members that do not hold.
    fn first_excerpts(&self) -> String {
        const MOST: usize = 3;
        let missing = self.holding.iter().enumerate().filter(|(_, holds)| !**holds);
        let texts = missing.filter_map(|(at, _)| {
            let member = self.domain.member(at)?;
            let text = member.as_str().map(excerpt)?;
            (!text.is_empty()).then_some(text)
        });
        let texts: Vec<String> = texts.take(MOST).collect();
        match texts.is_empty() {
            true => String::new(),
            false => fill_placeholders(&self.words.shown, &[("text", &texts.join("”, “"))]),
        }
    }

    /// The label of a given value; a number is printed unchanged.
    fn given(&self, at: usize, member: &Operand<'_>) -> String {
        match member.as_number() {
            Some(_) => demand::value_text(member),
            None => format!("{}{}", self.nth(at), self.member_excerpt(member)),
        }
    }

    /// The demand on a member, if no member is current.
    fn body(&self, env: &Env<'_, 'a>, who: &Labels<'_>, form: VerbForm) -> Option<String> {
        let Quantified { binder, body, .. } = self.quantified;
        // It has no name for the reader, whatever the check calls it.
        let named = binder.as_deref().filter(|_| !self.given);
        let named =
            named.map(|name| BoundLabel { name, label: "", window: None, outer: who.names });
        let names = named.as_ref().or(who.names);
        let said = demand::demand(body, env, &Labels { it: "", names, ..*who }, form);
        said.or_else(|| {
            let code = things::code(body);
            who.code.then(|| self.words.demand(&self.words.satisfy, form, &[("check", &code)]))
        })
    }
}

pub(super) fn reasons<'a>(
    tree: &'a Tree,
    quantified: &'a Quantified,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    let (Ok(domain), true) = (env.domain(quantified), wanted) else {
        reasons.push(plain(tree, env, who, wanted, blame));
        return;
    };
    let holds = |member| env.of_member(quantified, member) == Ok(true);
    let members = QuantifiedMembers {
        quantified,
        holding: domain.members().map(holds).collect(),
        given: quantified.binder.is_some() && things::is_given(&quantified.domain, who),
        domain,
        words: who.words,
    };
    let Ok(wanted) = env.required_counts(&quantified.quantifier, members.len()) else {
        reasons.push(plain(tree, env, who, wanted, blame));
        return;
    };
    if members.count() > wanted.most {
        too_many(&members, wanted.most, env, who, blame, reasons);
    } else if members.len() == 0 || !matches!(quantified.quantifier, Quantifier::Every) {
        reasons.push(too_few(&members, wanted.least, env, who, blame));
    } else {
        explain_every(&members, env, who, blame, reasons);
    }
}

/// More members hold than may: the first of them is to blame.
fn too_many<'a>(
    members: &QuantifiedMembers<'_, 'a>,
    most: usize,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    let words = who.words;
    let Some((at, member)) = members.first_member(true) else { return };
    let does = members.body(env, who, VerbForm::for_count(1));
    // The number of a place says nothing itself.
    let is_place = does.is_none() && member.as_int().is_some();
    if let (Some(name), true, 0) = (&members.quantified.binder, members.given || is_place, most) {
        // For a given value, only the text in which it is sought can be reported.
        let label = if members.given { members.given(at, &member) } else { members.nth(at) };
        let named = BoundLabel { name, label: &label, window: None, outer: who.names };
        let inner = Labels { names: Some(&named), ..*who };
        let local = env.bind(name, member.clone());
        let found = reasons.len();
        let body = &members.quantified.body;
        reason(body, &env.with_local(&local), &inner, false, blame, reasons);
        // The body uses the name, so it can only be evaluated inside the quantifier.
        reasons.iter_mut().skip(found).for_each(|reason| reason.span = blame);
        if reasons.len() > found {
            return;
        }
    }
    let many = members.body(env, who, VerbForm::for_count(2));
    let text = match (&does, most) {
        (Some(_), 0) => &words.none_may,
        (Some(_), _) => &words.too_many,
        (None, _) => &words.is,
    };
    let places = [
        ("member", members.noun(1)),
        ("members", members.noun(2)),
        ("n", &(at + 1).to_string()),
        ("count", &members.count().to_string()),
        ("len", &members.len().to_string()),
        ("shown", &members.member_excerpt(&member)),
        ("does", does.as_deref().unwrap_or_default()),
        ("do", many.as_deref().unwrap_or_default()),
        ("most", &most.to_string()),
        ("who", &members.nth(at)),
        ("value", &demand::value_text(&member)),
    ];
    reasons.push(ReasonPart {
        text: fill_placeholders(text, &places),
        unsaid: does.is_none(),
        is_excerpt: false,
        span: blame,
        piece: member.as_piece().map(|piece| piece.into_owned()),
    });
}

/// Too few members meet the condition, or there are none.
fn too_few<'a>(
    members: &QuantifiedMembers<'_, 'a>,
    least: usize,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    blame: Span,
) -> ReasonPart<'a> {
    let words = who.words;
    let piece = env.it.as_piece().map(|piece| piece.into_owned());
    let tell = |text, unsaid| ReasonPart { text, unsaid, is_excerpt: false, span: blame, piece };
    if members.len() == 0 {
        let every = demand::quantifier_text(members.quantified, env, who);
        return match members.body(env, who, VerbForm::for_polarity(true)) {
            Some(asked) => {
                let places = [
                    ("who", who.it),
                    ("member", members.noun(1)),
                    ("every", &*every),
                    ("demand", &*asked),
                ];
                tell(fill_placeholders(&words.has_none, &places), false)
            }
            None => tell(
                fill_placeholders(&words.has_no, &[("who", who.it), ("things", members.noun(2))]),
                true,
            ),
        };
    }
    let asked =
        demand::of_values(members.quantified, env, who, VerbForm::for_polarity(true)).flatten();
    let asked = asked.map(|asked| asked.join(&words.or)).filter(|_| members.given);
    if let (Some(asked), 1) = (&asked, least) {
        return tell(explain_none(members, asked, env, who), false);
    }
    let hold = members.body(env, who, VerbForm::for_count(2));
    let text = match (&asked, &hold) {
        (Some(_), _) => &words.too_few_values,
        (None, Some(_)) => &words.too_few,
        (None, None) => &words.too_few_of,
    };
    let places = [
        ("count", &*members.count().to_string()),
        ("len", &members.len().to_string()),
        ("members", members.noun(2)),
        ("least", &least.to_string()),
        ("who", who.member.unwrap_or(who.it)),
        ("do", hold.as_deref().unwrap_or_default()),
        ("demands", asked.as_deref().unwrap_or_default()),
    ];
    let text = fill_placeholders(text, &places);
    match (&asked, &hold) {
        // Without words for the condition, what was looked at is shown.
        (None, None) => tell(format!("{text}{}", members.first_excerpts()), true),
        _ => tell(text, false),
    }
}

/// None of several values is as expected: reports the actual value, if it does not depend on them.
fn explain_none<'a>(
    members: &QuantifiedMembers<'_, 'a>,
    asked: &str,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> String {
    let (words, body) = (who.words, &members.quantified.body);
    let found = match (&members.quantified.binder, members.domain.member(0), &body.node) {
        (Some(name), Some(first), Node::Call(func, _))
            if matches!(func.finding, Some(Finding::Start | Finding::End))
                && matches!(func.demand, Some(Demand::Sought(_))) =>
        {
            finding(body, &env.with_local(&env.bind(name, first)), who, true, None).text
        }
        _ => None,
    };
    match &found {
        Some(finding) => fill_placeholders(
            &words.must,
            &[("finding", finding), ("who", &words.it), ("demand", asked)],
        ),
        None => {
            let of = who.mentioned(body).map_or(who.it, |(label, _)| label);
            let sought =
                matches!(&body.node, Node::Call(func, _) if func.finding == Some(Finding::Sought));
            let lacks = [("who", of), ("sought", &*words.asked_for)];
            let lacks = fill_placeholders(&words.lacks, &lacks);
            let places = [("finding", &*lacks), ("who", &words.it), ("demand", asked)];
            match sought && !of.is_empty() {
                true => fill_placeholders(&words.must, &places),
                false => fill_placeholders(&words.alone, &[("who", of), ("demand", asked)]),
            }
        }
    }
}

/// The first member that fails, and how many do.
fn explain_every<'a>(
    members: &QuantifiedMembers<'_, 'a>,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    blame: Span,
    reasons: &mut Vec<ReasonPart<'a>>,
) {
    let words = who.words;
    let Some((at, member)) = members.first_member(false) else { return };
    let Quantified { binder, domain, body, .. } = members.quantified;
    let window = match &domain.node {
        Node::Call(name, arguments) if name.derived == Derived::Windows => {
            arguments.get(1).map(|of| (of, at))
        }
        _ => None,
    };
    let frequency = match &domain.node {
        Node::Call(func, arguments) => {
            func.member_label.and_then(|label| label(arguments, at, env, words))
        }
        _ => None,
    };
    let every = fill_placeholders(&words.every, &[("member", members.noun(1))]);
    let whole = if frequency.is_some() { &words.it } else { &every };
    let label = match (window, frequency) {
        (Some((list, _)), _) => {
            let (first, last) = (at + 1, at + member.list_len().unwrap_or(1));
            let (n, m) = (first.to_string(), last.to_string());
            let noun = things::noun(list, 2, words);
            fill_placeholders(&words.pair, &[("members", noun), ("n", &n), ("m", &m)])
        }
        (None, Some(frequency)) => frequency,
        (None, None) if members.given => members.given(at, &member),
        (None, None) => members.nth(at),
    };
    let mut found = Vec::new();
    match binder {
        Some(name) => {
            let named = BoundLabel { name, label: &label, window, outer: who.names };
            let inner = Labels { whole, member: Some(&label), names: Some(&named), ..*who };
            let local = env.bind(name, member.clone());
            reason(body, &env.with_local(&local), &inner, true, body.span, &mut found);
        }
        None => {
            let inner = Labels { it: &label, whole, member: Some(&label), ..*who };
            reason(body, &env.with_it(&member), &inner, true, body.span, &mut found);
        }
    }
    let failing = members.len() - members.count();
    // Two of several alternatives are reported, and the first of several parts.
    let most = if matches!(body.node, Node::Or(_)) { 2 } else { 1 };
    for mut reason in found.into_iter().take(most) {
        // The unit is shown if the finding does not quote it.
        if let Some((before, rest)) = reason.text.split_once(&label)
            && !members.given
            && !rest.contains('“')
        {
            reason.text = format!("{before}{label}{}{rest}", members.member_excerpt(&member));
        }
        if reason.piece.is_none() || binder.is_some() {
            reason.piece = member.as_piece().map(|piece| piece.into_owned());
        }
        if binder.is_some() {
            // The body uses the name, so it can only be evaluated inside the quantifier.
            reason.span = blame;
        }
        // The number of failing inner members would only confuse.
        if failing > 1 && who.whole == words.it {
            let (failing, len) = (failing.to_string(), members.len().to_string());
            let places = [("reason", &*reason.text), ("failing", &*failing), ("len", &*len)];
            reason.text = fill_placeholders(&words.some_fail, &places);
        }
        reasons.push(reason);
    }
}

/// The label of a member of `frequencies`: the text that was counted.
pub(crate) fn frequency<'a>(
    arguments: &'a [Tree],
    at: usize,
    env: &Env<'_, 'a>,
    words: &Wording,
) -> Option<String> {
    let list = env.list(arguments.first()?).ok()?;
    let mut seen = BTreeSet::new();
    let mut kinds = list.members().filter(|member| {
        let text = member.as_str().unwrap_or_default();
        seen.insert(python::strip(text).to_lowercase())
    });
    let text = kinds.nth(at)?;
    Some(fill_placeholders(&words.frequency, &[("text", &excerpt(text.as_str()?))]))
}
