//! The demand of a check, in words: `have at least 50 words`, `start with "S"`. `None` if only code
//! could say it.

use super::things::{counted_things, is_given, noun, sought, thing_label, values};
use super::wording::{VerbForm, Wording, fill_placeholders};
use super::{Labels, excerpt};
use crate::evaluate::Env;
use crate::functions::Func;
use crate::functions::hooks::{CONTAIN, Demand};
use crate::operand::{Operand, SliceBounds};
use crate::tree::{ArithmeticOp, CompareOp, Node, Quantified, Quantifier, Tree};
use crate::value::Value;
use ifs_text::Shape;

/// The maximum number of list members whose own demands are collected.
const MAX_ALTERNATIVES: usize = 4;

/// The maximum nesting of parts that is put into words; a reader cannot follow more.
const MAX_NESTING: usize = 6;

/// What a response must do for a tree to hold, or to fail.
pub(super) fn demand<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let words = who.words;
    if who.nested > MAX_NESTING {
        return None;
    }
    let who = &Labels { nested: who.nested + 1, ..*who };
    match &tree.node {
        Node::Not(inner) => demand(inner, env, who, form.opposite()),
        Node::And(parts) | Node::Or(parts) => {
            let and = matches!(tree.node, Node::And(_)) != form.negated;
            let parts: Option<Vec<String>> =
                parts.iter().map(|part| demand(part, env, who, form)).collect();
            Some(parts?.join(if and { &words.and } else { &words.or }))
        }
        // Without a member, the branch that is taken is unknown.
        Node::If(condition, ..) if who.it.is_empty() && who.varies(condition) => None,
        Node::If(condition, then, otherwise) => match (env.truth(condition), otherwise) {
            (Ok(true), _) => demand(then, env, who, form),
            (Ok(false), Some(otherwise)) => demand(otherwise, env, who, form),
            _ => None,
        },
        Node::Compare(..) | Node::Within(..) => compared(tree, env, who, form),
        Node::Quantified(quantified) => every_member(quantified, env, who, form),
        Node::At(subject, body) => {
            let label = thing_label(subject, env, who)?;
            let text = match env.operand(subject) {
                Ok(operand) => {
                    let inner = Labels { it: &label, ..*who };
                    let base = VerbForm::for_polarity(true);
                    let demand = demand(body, &env.with_it(&operand), &inner, base)?;
                    let places = [("every", &*label), ("demand", &*demand)];
                    words.demand(&words.have_every, form, &places)
                }
                Err(_) => words.demand(&words.have, form, &[("label", &label)]),
            };
            Some(text)
        }
        Node::Call(name, arguments) => {
            let first = arguments.first()?;
            if !name.subject {
                return call(*name, arguments, env, who, form);
            }
            let about = thing_label(first, env, who)?;
            if about == who.it {
                return call(*name, arguments, env, who, form);
            }
            let demand = call(*name, arguments, env, who, VerbForm::for_polarity(true))?;
            let places = [("every", &*about), ("demand", &*demand)];
            Some(words.demand(&words.have_every, form, &places))
        }
        _ => None,
    }
}

/// What a comparison demands of the current text: `have at least 3 words`, `be one of “a”, “b”`.
fn compared<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let words = who.words;
    let (measure, asked, one) = demanded(tree, env, who, form)?;
    let amount = match asked {
        DemandText::Amount(amount, form) => (amount, form),
        DemandText::Words(text) if thing_label(measure, env, who)? == who.it => return Some(text),
        // `word 2 must be “tide”`, of the entire answer.
        DemandText::Words(_) => {
            let inner = VerbForm::for_polarity(!form.negated);
            let (.., DemandText::Words(text), _) = self::demanded(tree, env, who, inner)? else {
                return None;
            };
            let label = thing_label(measure, env, who)?;
            let places = [("every", &*label), ("demand", &*text)];
            return Some(words.demand(&words.have_every, form.plain(), &places));
        }
    };
    let (amount, form) = amount;
    if let Some(counted) = counted_things(measure, env, who, one) {
        let text = count_demand(&amount, &counted.noun, form, who);
        return match counted.owner {
            None => Some(text),
            Some(owner) => {
                let base = count_demand(&amount, &counted.noun, VerbForm::for_polarity(true), who);
                let places = [("every", &*owner), ("demand", &*base)];
                Some(words.demand(&words.have_every, form, &places))
            }
        };
    }
    let label = thing_label(measure, env, who)?;
    Some(if label == who.it {
        words.demand(&words.be_amount, form, &[("amount", &amount)])
    } else {
        let places = [("amount", &*amount), ("measure", &*label)];
        words.demand(&words.measure_amount, form, &places)
    })
}

/// The demand on a measure: an amount, or that it equals or differs from a value.
enum DemandText {
    Amount(String, VerbForm),
    Words(String),
}

/// The measure of a comparison, the demand on it, and whether its noun is singular.
fn demanded<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<(&'a Tree, DemandText, bool)> {
    let words = who.words;
    match &tree.node {
        Node::Compare(op, left, right) => {
            let (measure, op, bound) = if is_measure(left) || !is_measure(right) {
                (&**left, *op, right)
            } else {
                (&**right, op.with_sides_exchanged(), left)
            };
            let op = if form.negated { op.opposite() } else { op };
            let form = form.plain();
            if let Some(said) = remainder_demand(measure, op, bound, env, who, form) {
                return Some((said.0, DemandText::Words(said.1), false));
            }
            if who.it.is_empty() && who.varies(bound) {
                return None;
            }
            let other = is_measure(bound).then(|| thing_label(bound, env, who)).flatten();
            let bound = env.operand(bound).ok()?;
            let value = value_text(&bound);
            if bound.as_number().is_some() {
                return Some((
                    measure,
                    DemandText::Amount(bounded_number(op, &value, who), form),
                    value == "1",
                ));
            }
            let form = match op {
                CompareOp::Equal => form,
                CompareOp::NotEqual => form.opposite(),
                _ => return None,
            };
            let text = match &other {
                Some(other) => {
                    words.demand(&words.same_as, form, &[("thing", other), ("value", &value)])
                }
                None => words.demand(&words.be_value, form, &[("value", &value)]),
            };
            Some((measure, DemandText::Words(text), false))
        }
        Node::Within(left, right) => match env.operand(right).ok()? {
            Operand::Range(bounds) => {
                let range = range_text(&bounds, who);
                let one = range == "1";
                Some((left, DemandText::Amount(range, form), one))
            }
            operand if operand.as_str().is_some() && matches!(right.node, Node::It) => {
                let sought = sought(left, env, who)?;
                let text = words.demand(words.phrase(CONTAIN)?, form, &[("sought", &sought)]);
                Some((right, DemandText::Words(text), false))
            }
            operand if operand.list_len().is_some() => {
                let values = values(&operand, who);
                let text = words.demand(&words.be_one_of, form, &[("values", &values)]);
                Some((left, DemandText::Words(text), false))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `x % 2 == 0`: to be even.
fn remainder_demand<'a>(
    measure: &'a Tree,
    op: CompareOp,
    bound: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<(&'a Tree, String)> {
    let Node::Arithmetic(ArithmeticOp::Remainder, number, by) = &measure.node else { return None };
    let by = env.operand(by).ok()?.as_int()?;
    let (rest, words) = (env.operand(bound).ok()?.as_int()?, who.words);
    let form = match op {
        CompareOp::Equal => form,
        CompareOp::NotEqual => form.opposite(),
        _ => return None,
    };
    let text = match (by, rest) {
        (2, 0) => &words.even,
        (2, 1) => &words.odd,
        (_, 0) => &words.divisible,
        _ => return None,
    };
    Some((number, words.demand(text, form, &[("n", &by.to_string())])))
}

/// `have at least 3 words`
fn count_demand(amount: &str, things: &str, form: VerbForm, who: &Labels<'_>) -> String {
    let words = who.words;
    if amount == fill_placeholders(&words.exactly, &[("n", "0")]) {
        return words.demand(&words.have_none, form, &[("things", things)]);
    }
    words.demand(&words.have_amount, form, &[("amount", amount), ("things", things)])
}

/// The demand on the value that was found, without its owner: `be at least 50%`, `have at least 3
/// words`.
pub(super) fn of_measure<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
) -> Option<String> {
    Some(match demanded(tree, env, who, VerbForm::for_polarity(wanted))? {
        (measure, DemandText::Amount(amount, form), one) => {
            match counted_things(measure, env, who, one) {
                Some(counted) => count_demand(&amount, &counted.noun, form, who),
                None => who.words.demand(&who.words.be_amount, form, &[("amount", &amount)]),
            }
        }
        (_, DemandText::Words(text), _) => text,
    })
}

/// The demand on the value that was found, without words for what it measures: `be at least 3`.
pub(super) fn of_value<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    wanted: bool,
) -> Option<String> {
    let words = who.words;
    Some(match demanded(tree, env, who, VerbForm::for_polarity(wanted))? {
        (_, DemandText::Amount(amount, form), _) => {
            words.demand(&words.be_amount, form, &[("amount", &amount)])
        }
        (_, DemandText::Words(text), _) => text,
    })
}

/// The demand of a quantifier.
fn every_member<'a>(
    quantified: &'a Quantified,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let words = who.words;
    if let Some(parts) = of_values(quantified, env, who, form) {
        let join = match (&quantified.quantifier, form.negated) {
            (Quantifier::Every | Quantifier::No, false) => &words.and,
            (Quantifier::Some, false) => &words.or,
            _ => return None,
        };
        return Some(parts?.join(join));
    }
    let every = quantifier_text(quantified, env, who);
    let body = demand(&quantified.body, env, who, VerbForm::for_polarity(true))?;
    let places = [("every", &*every), ("demand", &*body)];
    (!form.negated).then(|| words.demand(&words.have_every, form, &places))
}

/// The demands for each of several given values that a quantifier iterates over.
pub(super) fn of_values<'a>(
    quantified: &'a Quantified,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<Option<Vec<String>>> {
    let name = quantified.binder.as_ref()?;
    if !is_given(&quantified.domain, who) {
        return None;
    }
    let domain = env.domain(quantified).ok()?;
    let Some(len) = domain.list_len() else { return Some(None) };
    let form = match quantified.quantifier {
        Quantifier::No => form.opposite(),
        _ => form,
    };
    let of = |member| {
        let local = env.bind(name, member);
        let env = env.with_local(&local);
        match &quantified.body.node {
            Node::Call(name, arguments) => {
                thing_label(arguments.first()?, &env, who)?;
                call(*name, arguments, &env, who, form)
            }
            _ => demand(&quantified.body, &env, who, form),
        }
    };
    let parts: Option<Vec<String>> = domain.members().take(MAX_ALTERNATIVES).map(of).collect();
    Some(parts.map(|mut parts| {
        let more = len.saturating_sub(MAX_ALTERNATIVES);
        if let Some(last) = parts.last_mut().filter(|_| more > 0) {
            let places = [("demands", &**last), ("n", &*more.to_string())];
            *last = fill_placeholders(&who.words.more_such, &places);
        }
        parts
    }))
}

/// What a call demands of its own text; `None` if there are no words for it.
pub(super) fn call<'a>(
    func: Func,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
    form: VerbForm,
) -> Option<String> {
    let words = who.words;
    let argument = |at: usize| sought(arguments.get(at)?, env, who);
    match func.demand {
        Some(Demand::Plain(text)) => Some(words.demand(words.phrase(text)?, form, &[])),
        Some(Demand::Sought(text)) => {
            Some(words.demand(words.phrase(text)?, form, &[("sought", &argument(1)?)]))
        }
        Some(Demand::Pair(text)) => {
            let places = [("left", &*argument(1)?), ("right", &*argument(2)?)];
            Some(words.demand(words.phrase(text)?, form, &places))
        }
        Some(Demand::Own(demand)) => demand(arguments, env, who, form),
        None => Some(of_shape(func.shape?, words, form)),
    }
}

/// `be a table`
pub(crate) fn of_shape(shape: Shape, words: &Wording, form: VerbForm) -> String {
    let noun = words.shape(shape.name(), shape.noun());
    words.demand(&words.be_shape, form, &[("shape", noun)])
}

/// `at least 50`
fn bounded_number(op: CompareOp, number: &str, who: &Labels<'_>) -> String {
    let words = who.words;
    let text = match op {
        CompareOp::Equal => &words.exactly,
        CompareOp::NotEqual => &words.but,
        CompareOp::Less => &words.fewer,
        CompareOp::LessEqual => &words.at_most,
        CompareOp::More => &words.more,
        CompareOp::MoreEqual => &words.at_least,
    };
    fill_placeholders(text, &[("n", number)])
}

/// `3 to 5`
fn range_text(bounds: &SliceBounds, who: &Labels<'_>) -> String {
    let words = who.words;
    let shown = |bound: &Option<_>| bound.as_ref().map_or_else(String::new, ToString::to_string);
    let (low, high) = (shown(&bounds.low), shown(&bounds.high));
    let one = |text: &str, n: &str| fill_placeholders(text, &[("n", n)]);
    let both = |text: &str| fill_placeholders(text, &[("low", &low), ("high", &high)]);
    match (&bounds.low, &bounds.high, bounds.inclusive) {
        (Some(_), Some(_), true) if low == high => one(&words.exactly, &low),
        (Some(_), Some(_), true) => both(&words.between),
        (Some(_), Some(_), false) => both(&words.half_open),
        (Some(_), None, _) => one(&words.at_least, &low),
        (None, Some(_), true) => one(&words.at_most, &high),
        (None, Some(_), false) => one(&words.fewer, &high),
        (None, None, _) => words.any.clone(),
    }
}

pub(super) fn value_text(operand: &Operand<'_>) -> String {
    if let Some(number) = operand.as_number() {
        return number.to_string();
    }
    match (operand.as_str(), operand.value()) {
        (Some(text), _) => format!("“{}”", excerpt::excerpt(text)),
        (None, Some(Value::List(members))) => {
            let members: Vec<String> = members.iter().map(ToString::to_string).collect();
            excerpt::excerpt(&members.join(", "))
        }
        (None, Some(value)) => excerpt::excerpt(&value.to_string()),
        (None, None) => operand.kind().to_owned(),
    }
}

/// Whether a value is measured on a text, rather than given.
pub(super) fn is_measure(tree: &Tree) -> bool {
    match &tree.node {
        Node::Call(..) | Node::Units(..) | Node::It => true,
        Node::Arithmetic(_, left, right) => is_measure(left) || is_measure(right),
        Node::Negative(inner) | Node::Field(inner, _) => is_measure(inner),
        Node::Index(list, _) => is_measure(list),
        Node::If(_, then, Some(otherwise)) => is_measure(then) || is_measure(otherwise),
        _ => false,
    }
}

/// `every sentence`, `at least 2 sentences`
pub(super) fn quantifier_text<'a>(
    quantified: &'a Quantified,
    env: &Env<'_, 'a>,
    who: &Labels<'_>,
) -> String {
    let words = who.words;
    let one =
        |text: &str| fill_placeholders(text, &[("member", noun(&quantified.domain, 1, words))]);
    let of = |text: &str, tree: &'a Tree| {
        let count = env.operand(tree).map_or_else(|_| String::new(), |count| value_text(&count));
        fill_placeholders(text, &[("n", &count), ("members", noun(&quantified.domain, 2, words))])
    };
    match &quantified.quantifier {
        Quantifier::Every => one(&words.every),
        Quantifier::Some => one(&words.some),
        Quantifier::No => one(&words.no),
        Quantifier::AtLeast(n) => of(&words.at_least_of, n),
        Quantifier::AtMost(n) => of(&words.at_most_of, n),
        Quantifier::Exactly(n) => of(&words.exactly_of, n),
    }
}
