//! A text that satisfies several checks at once, on a topic.
//!
//! A text is constructed first: what the checks imply (`bound`) becomes a brief, the brief a plan
//! with numbers of sentences, items and words, and the plan a text of plain sentences in the
//! required frame. Then the text is measured and the plan corrected, several times. If construction
//! fails, a search follows. Every text that is returned has passed *evaluate* and has nothing that is
//! there for the checks alone (`natural`); otherwise the unmet goals are returned.

mod brief;
mod casing;
mod distance;
mod draft;
mod frame;
mod json;
mod languages;
mod natural;
mod repair;
mod search;
#[cfg(test)]
mod tests;
mod words;

use super::bound::{self, Interval};
use super::evaluate::{TextContext, Variables, holds};
use super::needles::SearchPattern;
use super::partial_eval::simplified;
use super::tree::{CompareOp, Node, Tree};
use super::value::Value;
use crate::functions::count_of;
use brief::{Border, Brief, ITEMS, PARAGRAPHS, SENTENCES, WORDS};
use draft::{Borders, DraftPlan};
use frame::DraftFrame;
use ifs_base::work::{self, Task};
use ifs_text::python::simple_fold;
use ifs_text::{Text, Unit};
use words::{Vocabulary, WordDraw};

pub(crate) use distance::from_unique;
pub(crate) use repair::{Repairer, parts};

/// A check, and whether it should hold or fail.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    pub tree: &'a Tree,
    pub variables: &'a dyn Variables,
    pub wanted: bool,
}

/// What the text is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextTopic<'a> {
    pub subject: &'a str,
    pub keywords: &'a [&'a str],
    /// The golden answer, if it is known.
    pub said: Option<&'a str>,
}

/// No text was found that somebody would write.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessFailure {
    /// The goals that the best attempt missed; all of them if it missed none.
    pub goals: Vec<usize>,
    /// A text that meets all goals by a trick, such as bare marks.
    pub contrived: Option<String>,
}

impl WitnessFailure {
    /// Nothing is known of the goals.
    pub fn of_all(goals: &[Goal<'_>]) -> WitnessFailure {
        WitnessFailure { goals: (0..goals.len()).collect(), contrived: None }
    }
}

/// The text of a search, even one that meets the goals by a trick.
///
/// # Errors
/// The failure, if no text meets the goals.
pub fn any_text(found: Result<String, WitnessFailure>) -> Result<String, WitnessFailure> {
    found.or_else(|failure| failure.contrived.clone().ok_or(failure))
}

/// The effort of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Texts are constructed from what the checks imply, and repaired: milliseconds.
    Built,
    /// If that fails, texts are searched, which takes up to seconds.
    Searched,
}

/// The maximum number of briefs, one for each alternative of the checks.
const MAX_BRIEFS: usize = 6;
/// The maximum number of steps for one text, about one for each byte that is written or read. It
/// bounds time and memory.
pub const SEARCH_STEPS: usize = 6_000_000;
/// Counts the work of reading a long text once; what shorter ones take is counted by whoever asked for
/// the search.
fn count_long(text: &str) {
    let long = text.len().saturating_sub(LONG_TEXT_BYTES) as u64;
    if long > 0 {
        work::spend(Task::Witnesses, 2 * long);
    }
}

const LONG_TEXT_BYTES: usize = 10_000;

/// The number of steps for the random search.
const RANDOM_SEARCH_STEPS: usize = 2_500_000;
/// The approximate number of passes over a constructed text.
const TEXT_PASSES: usize = 4;
/// The maximum number of corrections of a plan.
const MAX_CORRECTIONS: usize = 10;
/// The largest count in a plan, so that sums cannot overflow.
const MAX_COUNT: i64 = 1 << 40;

/// A shortest text that a regular expression matches; `None` if none was found.
pub fn matching(pattern: &str) -> Option<String> {
    repair::matching(pattern)
}

/// A text that meets all goals. The same goals, topic and seed give the same text.
///
/// # Errors
/// The goals that could not be met together; perhaps no text meets them.
pub fn witness(
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
) -> Result<String, WitnessFailure> {
    witness_within(goals, about, seed, (Effort::Searched, &mut SEARCH_STEPS.clone()))
}

/// A key for goals and topic: goals with the same key have the same witnesses. `None` if they
/// cannot be serialized.
pub fn name(goals: &[Goal<'_>], about: &TextTopic<'_>) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: what a witness is to meet");
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for goal in goals {
        let tree = simplified(goal.tree, goal.variables);
        put(&serde_json::to_string(&tree).ok()?);
        put(if goal.wanted { "wanted" } else { "missed" });
    }
    put(about.subject);
    about.keywords.iter().for_each(|word| put(word));
    about.said.iter().for_each(|said| put(said));
    Some(hasher.finalize().into())
}

/// The same as [`witness`] with a given effort and a shared budget of steps.
///
/// # Errors
/// The goals that could not be met together within the steps.
pub fn witness_within(
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
    (effort, steps): (Effort, &mut usize),
) -> Result<String, WitnessFailure> {
    let mut draw = WordDraw::new(seed, *steps);
    let mut found = searched(goals, about, (seed, effort), &mut draw);
    // Checks on each word hold for a text without words, which is a poor witness.
    let text = found.as_ref().map_or_else(|failure| failure.contrived.as_ref(), Some);
    if text.is_some_and(|text| Text::new(text).count(Unit::Word) == 0) {
        let words = has_words();
        let words = Goal { tree: &words, variables: &(), wanted: true };
        let more: Vec<Goal<'_>> = goals.iter().copied().chain([words]).collect();
        if !excluded(&more) {
            found = searched(&more, about, (seed, effort), &mut draw).or(found);
        }
    }
    *steps = draw.steps_left();
    found
}

/// `count(word) >= 1`
fn has_words() -> Tree {
    let words = Tree::without_place(Node::Units(Unit::Word, None));
    let count = count_of(words);
    let one = Tree::without_place(Node::Value(Value::Int(1)));
    Tree::without_place(Node::Compare(CompareOp::MoreEqual, Box::new(count), Box::new(one)))
}

/// Whether it is known that no text meets all goals.
fn excluded(goals: &[Goal<'_>]) -> bool {
    let turned = oriented_checks(goals);
    let bounded: Vec<bound::BoundedCheck<'_>> =
        turned.iter().zip(goals).map(|(tree, goal)| (tree, goal.variables)).collect();
    bound::conflict(&bounded).is_some()
}

/// The checks of goals, negated for those that should fail.
fn oriented_checks(goals: &[Goal<'_>]) -> Vec<Tree> {
    let turn = |goal: &Goal<'_>| match goal.wanted {
        true => goal.tree.clone(),
        false => Tree::new(Node::Not(Box::new(goal.tree.clone())), goal.tree.span),
    };
    goals.iter().map(turn).collect()
}

fn searched(
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    (seed, effort): (u64, Effort),
    draw: &mut WordDraw,
) -> Result<String, WitnessFailure> {
    let turned = oriented_checks(goals);
    let bounded: Vec<bound::BoundedCheck<'_>> =
        turned.iter().zip(goals).map(|(tree, goal)| (tree, goal.variables)).collect();
    let trees: Vec<Tree> = goals.iter().map(|goal| simplified(goal.tree, goal.variables)).collect();
    let mut contrived = None;
    let mut is_witness = |missed: &[usize], text: &str| {
        let natural = missed.is_empty() && natural::is_natural(text, &trees);
        if missed.is_empty() && !natural {
            contrived.get_or_insert_with(|| text.to_owned());
        }
        natural
    };
    let mut best: Option<(Vec<usize>, String)> = None;
    let mut avoided: Option<Brief> = None;
    for facts in bound::plans(&bounded).take(MAX_BRIEFS) {
        let brief = Brief::new(&facts);
        for attempt in 0..2 {
            if best.is_some() && draw.steps_left() == 0 {
                break;
            }
            draw.reseed(seed.wrapping_add(attempt));
            let text = build(&brief, about, draw);
            let missed = missed_goals(goals, &text);
            if is_witness(&missed, &text) {
                return Ok(text);
            }
            if best.as_ref().is_none_or(|(best, _)| missed.len() < best.len()) {
                best = Some((missed, text));
            }
        }
        avoided.get_or_insert(brief);
    }
    let Some(((missed, text), brief)) = best.zip(avoided) else {
        return Err(WitnessFailure::of_all(goals));
    };
    let vocabulary = vocabulary(&brief, about, 14);
    let mut repaired = text.clone();
    draw.reseed(seed);
    if repair::repaired(goals, &trees, &mut repaired, &vocabulary, draw)
        && is_witness(&[], &repaired)
    {
        return Ok(repaired);
    }
    let mut starts = vec![text, repaired];
    if let Some(said) = about.said {
        let mut joined = join_golden(said, &starts[0]);
        draw.reseed(seed);
        if (self::missed_goals(goals, &joined).is_empty()
            || repair::repaired(goals, &trees, &mut joined, &vocabulary, draw))
            && is_witness(&[], &joined)
        {
            return Ok(joined);
        }
        starts.push(joined);
    }
    let failure = |contrived| match missed.is_empty() {
        true => WitnessFailure { contrived, ..WitnessFailure::of_all(goals) },
        false => WitnessFailure { goals: missed, contrived },
    };
    if effort == Effort::Built {
        return Err(failure(contrived));
    }
    // If the plan represents every check, a random search finds little more.
    let bytes = if trees.iter().all(search::is_planned) {
        RANDOM_SEARCH_STEPS / 8
    } else {
        RANDOM_SEARCH_STEPS
    };
    let bytes = bytes.min(draw.steps_left());
    match search::searched(goals, &trees, &starts, &vocabulary, draw, bytes) {
        Ok(text) if is_witness(&self::missed_goals(goals, &text), &text) => Ok(text),
        Ok(_) => Err(failure(contrived)),
        Err(last) => Err(failure(contrived.or(last))),
    }
}

/// The golden answer as a sentence before a text.
fn join_golden(said: &str, text: &str) -> String {
    let said = said.trim();
    let end = if said.ends_with(char::is_alphanumeric) { "." } else { "" };
    format!("{said}{end} {text}")
}

/// The goals a text misses.
fn missed_goals(goals: &[Goal<'_>], text: &str) -> Vec<usize> {
    let text = Text::new(text);
    let met = |goal: &Goal<'_>| {
        let scene = TextContext { it: &text, variables: goal.variables };
        holds(goal.tree, &scene) == goal.wanted
    };
    goals.iter().enumerate().filter(|(_, goal)| !met(goal)).map(|(at, _)| at).collect()
}

fn build(brief: &Brief, about: &TextTopic<'_>, draw: &mut WordDraw) -> String {
    let frame = DraftFrame::from_brief(brief);
    let (lead, tail) = (&brief.lead, &brief.tail);
    let (mut lead_inline, mut tail_inline) = (lead.clone(), tail.clone());
    if frame == DraftFrame::Json && lead.written || (frame == DraftFrame::Tagged && angled(lead)) {
        lead_inline.pair = None;
    }
    if frame == DraftFrame::Json && tail.written || (frame == DraftFrame::Tagged && angled(tail)) {
        tail_inline.pair = None;
    }
    let mut plan = first_plan(brief, frame);
    let chars = brief.counts.get(&Unit::Char).copied().unwrap_or_default();
    let mut tight =
        chars.high_int().is_some_and(|high| high < 12 * plan.pieces.max(plan.words / 3));
    let mut best: Option<(usize, String)> = None;
    let start = draw.place();
    for round in 0..MAX_CORRECTIONS {
        if (round > 0 && draw.steps_left() == 0) || plan.bytes(brief) > SEARCH_STEPS {
            break;
        }
        let vocabulary = vocabulary(brief, about, if tight { 4 } else { 14 });
        // Every round uses the same words, so that a correction changes only what it must.
        draw.reseed(start);
        let borders = Borders { lead: &lead_inline, tail: &tail_inline };
        let mut pieces = draft::pieces(brief, &plan, &borders, &vocabulary, draw);
        let mut rendered = frame::render(frame, brief, &pieces);
        if let Some(missing) = missing(chars, &rendered.text) {
            let may_add = brief.count(&WORDS).is_none();
            draft::fit_length(&mut pieces, missing, may_add, &vocabulary, draw);
            rendered = frame::render(frame, brief, &pieces);
        }
        let text = casing::cased(rendered, brief);
        // Each round writes the text, measures it for each bound and evaluates the checks.
        draw.spend(text.len().saturating_mul(TEXT_PASSES));
        let wrong = correct(brief, &text, &mut plan);
        if wrong == 0 {
            return text;
        }
        if best.as_ref().is_none_or(|(have, _)| wrong <= *have) {
            best = Some((wrong, text));
        }
        tight |= round > 3 && chars.high_int().is_some();
    }
    best.map(|(_, text)| text).unwrap_or_default()
}

fn angled(border: &Border) -> bool {
    border.pair.as_ref().is_some_and(|(here, _)| here == "<" || here == ">")
}

/// The number of missing characters (negative for a surplus); `None` within bounds.
fn missing(interval: Interval, text: &str) -> Option<i64> {
    let have = text.chars().count() as i64;
    let near = |end: i64| end.clamp(-MAX_COUNT, MAX_COUNT);
    let (low, high) = (interval.low_int().map(near), interval.high_int().map(near));
    match (low, high) {
        (Some(low), Some(high)) if have < low || have > high => Some((low + high) / 2 - have),
        (Some(low), None) if have < low => Some(low + 4 - have),
        (None, Some(high)) if have > high => Some((high - 4).max(high / 2) - have),
        _ => None,
    }
}

fn vocabulary<'w>(brief: &Brief, about: &TextTopic<'w>, longest: usize) -> Vocabulary<'w> {
    let fold = |text: &str| -> String { text.chars().map(simple_fold).collect() };
    let avoid: Vec<String> = brief
        .needles
        .iter()
        .filter(|wanted| wanted.interval.high_int().is_some())
        .map(|wanted| fold(&wanted.text))
        // A letter with a small maximum cannot be avoided in every word.
        .filter(|text| {
            text.chars().count() > 1
                || brief.needles.iter().any(|wanted| {
                    fold(&wanted.text) == *text
                        && wanted.interval.high_int().is_some_and(|high| high < 40)
                })
        })
        .collect();
    let own =
        about.keywords.iter().copied().chain(about.subject.split_whitespace()).filter(|word| {
            word.chars().count() > 3 && word.chars().all(|c| c.is_ascii_lowercase())
        });
    let foreign = brief.language.as_deref().and_then(languages::words);
    let chars = brief.word_chars.unwrap_or_default();
    let bound = |end: Option<i64>| end.and_then(|end| usize::try_from(end).ok());
    let shortest = bound(chars.low_int()).unwrap_or(1);
    let longest = bound(chars.high_int()).unwrap_or(longest).min(longest);
    Vocabulary::new(own, avoid, shortest..=longest, foreign)
}

fn first_plan(brief: &Brief, frame: DraftFrame) -> DraftPlan {
    let aim = |interval: Option<Interval>, usual: i64| {
        let interval = interval.unwrap_or_default();
        let low = interval.low_int().unwrap_or(0).clamp(-MAX_COUNT, MAX_COUNT);
        let high = interval.high_int().unwrap_or(i64::MAX);
        usual.max(if high == i64::MAX { low + low / 50 } else { low }).min(high).max(low).max(0)
    };
    let must: Vec<(String, i64)> = brief
        .needles
        .iter()
        .filter(|wanted| is_word_like(&wanted.text))
        .map(|wanted| (wanted.text.clone(), 0))
        .collect();
    let items = aim(brief.count(&ITEMS), 0);
    let usual = match brief.counts.get(&Unit::Char).or(brief.counts.get(&Unit::Letter)) {
        Some(chars) => {
            let high = chars.high_int().unwrap_or(i64::MAX);
            let low = chars.low_int().unwrap_or(0);
            // About six characters a word, blank included.
            (low.max(high.min(360)).min(MAX_COUNT) / 6).max(items)
        }
        None => 60,
    };
    let pieces_words = brief.sentence_words.and_then(|each| each.low_int()).unwrap_or(0);
    let sentences = brief.count(&SENTENCES);
    let words = aim(brief.count(&WORDS), usual);
    let paragraphs = aim(brief.count(&PARAGRAPHS), 1).max(1);
    let extra = if frame == DraftFrame::Csv { 2 } else { 0 };
    let pieces = match sentences {
        Some(_) => aim(sentences, (words / 12).clamp(1, 8).max(items)),
        None => (words / 12).clamp(1, 200).max(items + 2 * i64::from(items > 0)),
    };
    let pieces = pieces.max(paragraphs).max(if sentences.is_some() { 1 } else { 1 + extra });
    let (pieces, paragraphs) = spread_sentences(brief.paragraph_sentences, pieces, paragraphs);
    DraftPlan {
        words: words.max(pieces_words.saturating_mul(pieces).min(MAX_COUNT)),
        pieces,
        paragraphs,
        items,
        must,
        marks: Vec::new(),
        rules: 0,
        mute_items: frame == DraftFrame::Json && brief.counts.contains_key(&Unit::ItemReleased),
        rows: frame == DraftFrame::Csv,
    }
}

/// The numbers of sentences and paragraphs, given the sentences of each paragraph.
fn spread_sentences(each: Option<Interval>, pieces: i64, paragraphs: i64) -> (i64, i64) {
    let Some(each) = each else { return (pieces, paragraphs) };
    let low = each.low_int().unwrap_or(1).max(1);
    let high = each.high_int().unwrap_or(i64::MAX).max(low);
    let paragraphs = paragraphs.max(pieces / high + i64::from(pieces % high != 0));
    (pieces.max(low.saturating_mul(paragraphs).min(MAX_COUNT)), paragraphs)
}

/// Whether a needle can be a word of its own, rather than part of one.
fn is_word_like(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).count() > 0 || text.chars().count() > 2
}

/// Compares a text with the brief and corrects the plan by the difference. Returns the number of
/// measures that are off.
fn correct(brief: &Brief, text: &str, plan: &mut DraftPlan) -> usize {
    let read = Text::new(text);
    let mut wrong = 0;
    // Needles come first: they change all other counts.
    for wanted in &brief.needles {
        let Ok(sought) = SearchPattern::new(wanted.kind, &wanted.text) else { continue };
        let have = sought.count(&read) as i64;
        let off = distance(wanted.interval, have);
        if off == 0 {
            continue;
        }
        wrong += 1;
        match plan.must.iter_mut().find(|(text, _)| *text == wanted.text) {
            Some((text, times)) if off < 0 && *times == 0 => {
                let part = text.clone();
                inflect(plan, &part, -off);
            }
            Some((_, times)) => *times = (*times + off).max(0),
            None if off > 0 && wanted.minimum() > 0 => {
                for _ in 0..off.min(20) {
                    plan.marks.push(wanted.text.clone());
                }
            }
            None => {}
        }
    }
    let mut off = |units: &[Unit]| {
        let found = units.iter().find_map(|unit| {
            let interval = brief.counts.get(unit)?;
            let off = distance(*interval, read.count(*unit) as i64);
            (off != 0).then_some(off)
        });
        wrong += usize::from(found.is_some());
        found.unwrap_or(0)
    };
    let items = off(&ITEMS);
    plan.items = (plan.items + items).max(0);
    let paragraphs = off(&PARAGRAPHS);
    plan.paragraphs = (plan.paragraphs + paragraphs).max(1);
    (plan.pieces, plan.paragraphs) =
        spread_sentences(brief.paragraph_sentences, plan.pieces, plan.paragraphs);
    let sentences = off(&SENTENCES);
    if sentences != 0 {
        // Fewer sentences than items: some items have no words.
        let floor = plan.items.max(1);
        if plan.pieces + sentences < floor {
            plan.rules = (plan.rules + floor - plan.pieces - sentences).min(plan.items);
        } else if sentences > 0 && plan.rules > 0 {
            plan.rules = (plan.rules - sentences).max(0);
        }
        plan.pieces = (plan.pieces + sentences).max(floor);
    } else if items > 0 || paragraphs > 0 {
        // Frames that use the first and last piece themselves need more pieces.
        plan.pieces += items.max(0) + paragraphs.max(0);
    }
    let words = off(&WORDS);
    plan.words = (plan.words + words).max(0);
    let chars = off(&[Unit::Char]);
    if chars != 0 && brief.count(&WORDS).is_none() {
        plan.words = (plan.words + chars / 6).max(0);
    }
    let letters = off(&[Unit::Letter, Unit::Grapheme]);
    if letters != 0 && brief.count(&WORDS).is_none() {
        plan.words = (plan.words + letters / 5).max(0);
    }
    wrong
}

/// Makes a word occur less often inside something longer: `spring tides` still is an occurrence of
/// the released keyword `spring tide`, but none of `tide`.
fn inflect(plan: &mut DraftPlan, part: &str, times: i64) {
    let whole = plan.must.iter_mut().find(|(text, have)| {
        *have > 0 && text != part && (text.ends_with(part) || text.starts_with(part))
    });
    let Some((text, have)) = whole else { return };
    let times = times.min(*have);
    *have -= times;
    let bent = if text.ends_with(part) { format!("{text}s") } else { format!("mid{text}") };
    plan.must.push((bent, times));
}

/// How far a number is from an interval: positive when there are too few.
fn distance(interval: Interval, have: i64) -> i64 {
    let off = match (interval.low_int(), interval.high_int()) {
        (Some(low), _) if have < low => low.saturating_sub(have),
        (_, Some(high)) if have > high => high.saturating_sub(have),
        _ => 0,
    };
    off.clamp(-MAX_COUNT, MAX_COUNT)
}
