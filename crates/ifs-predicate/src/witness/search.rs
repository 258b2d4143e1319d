//! Random small edits towards checks without a known repair: those that reduce the `distance` are
//! kept. Words, marks and lines to try come from the checks
//! themselves, from the examples of the functions they use, and from plain vocabulary.

mod json;
mod members;

use std::collections::BTreeSet;
use std::ops::Range;

use super::distance::distance;
use super::natural::is_natural;
use super::repair::{self, parts};
use super::words::{Vocabulary, WordDraw};
use super::{Goal, count_long};
use crate::evaluate::TextContext;
use crate::functions::hooks::Call;
use crate::functions::{FunctionParam, ParamType};
use crate::needles::SearchKind;
use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_base::work;
use ifs_text::{Text, Unit};

/// The fixed cost of evaluating a text.
const EVALUATION_COST: usize = 150;
/// The number of nodes of the checks of a text that cost nothing.
const FREE_NODES: usize = 5_000;
/// How many more of them take as long as a byte that is written and read.
const NODES_PER_STEP: usize = 2;
/// The maximum length of a text.
const MAX_TEXT_BYTES: usize = 6_000;
/// The number of initial texts.
const INITIAL_TEXTS: usize = 6;
/// The maximum number of removals that are tried on a text that was found.
const MAX_REMOVALS: usize = 60;
/// The number of steps without progress after which the search restarts.
const RESTART_AFTER: usize = 1_200;

/// The material for edits.
#[derive(Debug, Default)]
struct EditMaterial {
    /// Texts in the checks without line ends, and each line of those with them.
    parts: Vec<String>,
    /// The same for the examples of the functions that they use.
    examples: Vec<String>,
    /// Texts that may be the complete response.
    wholes: Vec<String>,
    /// Possible members of lists.
    members: Vec<String>,
    /// Units in the checks.
    units: BTreeSet<Unit>,
}

impl EditMaterial {
    fn collect(trees: &[Tree], vocabulary: &Vocabulary<'_>, draw: &mut WordDraw) -> EditMaterial {
        let mut pool = EditMaterial::default();
        trees.iter().for_each(|tree| pool.add(tree));
        for unit in std::mem::take(&mut pool.units) {
            let one = parts::add(unit, 1, "", vocabulary, draw);
            one.iter().for_each(|one| pool.text(one));
        }
        pool.parts.extend(LINE_MARKERS.map(str::to_owned));
        for parts in [&mut pool.parts, &mut pool.examples] {
            parts.sort();
            parts.dedup();
        }
        pool
    }

    fn add(&mut self, tree: &Tree) {
        match &tree.node {
            Node::Value(value) => self.value(value),
            Node::Units(unit, _) => self.units.extend([*unit]),
            Node::Pattern(pattern) => self.pattern(&pattern.pattern, &pattern.flags),
            Node::Needle(SearchKind::Regex, value) => {
                if let Node::Value(Value::Text(pattern)) = &value.node {
                    self.pattern(pattern, "");
                }
            }
            Node::Call(func, _) if !func.is_common => {
                let own = std::mem::take(&mut self.parts);
                for (_, text, _) in func.examples {
                    self.text(text);
                }
                self.examples.append(&mut self.parts);
                self.parts = own;
            }
            _ => {}
        }
        tree.children().into_iter().for_each(|child| self.add(child));
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.text(text),
            Value::Int(_) | Value::Float(_) => self.text(&value.to_string()),
            Value::List(members) => {
                let texts: Vec<String> = members.iter().map(ToString::to_string).collect();
                if texts.len() > 1 {
                    for between in [" ", "\n", ", ", ",", "\t", ". "] {
                        self.wholes.push(texts.join(between));
                    }
                    self.wholes.push(format!("\"{}\"", texts.join("\",\"")));
                    self.wholes.push(format!("\"{}\"", texts.join("\"\t\"")));
                }
                members.iter().for_each(|member| self.value(member));
            }
            Value::Record(fields) => fields.iter().for_each(|(_, field)| self.value(field)),
            Value::Nothing | Value::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && line.len() <= 200);
        self.parts.extend(lines.clone().map(str::to_owned));
        self.parts.extend(lines.flat_map(str::split_whitespace).map(str::to_owned));
        if text.len() <= 2_000 {
            self.wholes.push(text.to_owned());
        }
    }

    fn pattern(&mut self, pattern: &str, flags: &str) {
        for turn in 0..6 {
            if let Some(found) = repair::sampled(pattern, flags, turn)
                && !found.is_empty()
            {
                self.text(&found);
            }
        }
    }
}

/// Whether a plan represents everything in a check, so that a random search finds no more.
pub(super) fn is_planned(tree: &Tree) -> bool {
    let number = |tree: &Tree| matches!(tree.node, Node::Value(_) | Node::Range { .. });
    let measure = |tree: &Tree| match &tree.node {
        Node::Call(func, arguments) => {
            let call = Call { tree, func: *func, arguments };
            func.measures.and_then(|measures| measures(&call)).is_some()
        }
        _ => false,
    };
    match &tree.node {
        Node::Value(_) => true,
        Node::Not(inner) => is_planned(inner),
        Node::And(parts) | Node::Or(parts) => parts.iter().all(is_planned),
        Node::If(condition, then, otherwise) => {
            is_planned(condition) && is_planned(then) && otherwise.as_deref().is_none_or(is_planned)
        }
        Node::Compare(_, left, right) => measure(left) && number(right),
        Node::Within(left, right) => measure(left) && number(right),
        Node::Call(name, arguments) => match arguments.as_slice() {
            [] | [Tree { node: Node::It, .. }] => true,
            [Tree { node: Node::It, .. }, sought @ ..] => {
                let plan = |param: &FunctionParam| {
                    !matches!(param.ty, ParamType::Pattern | ParamType::Schema)
                };
                name.params.iter().all(plan)
                    && sought.iter().all(|sought| {
                        !matches!(&sought.node, Node::Pattern(_))
                            && !matches!(&sought.node, Node::Needle(SearchKind::Regex, _))
                    })
            }
            _ => false,
        },
        _ => false,
    }
}

/// Prefixes that change the kind of a line.
const LINE_MARKERS: [&str; 4] = ["# ", "- ", "1. ", "***"];

/// A text that meets the goals, or one that does so by a trick, if that is all there is.
pub(super) fn searched(
    goals: &[Goal<'_>],
    trees: &[Tree],
    starts: &[String],
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
    bytes: usize,
) -> Result<String, Option<String>> {
    let mut pool = EditMaterial::collect(trees, vocabulary, draw);
    let mut left = bytes;
    members::add(&mut pool, goals, trees, vocabulary, draw, &mut left);
    let (contrived, literal_cost) = (None, literal_cost(trees));
    let mut search = WitnessSearch {
        goals,
        trees,
        pool,
        vocabulary,
        draw,
        left,
        literal_cost,
        contrived,
        nodes: 0,
    };
    let found = best_climb(&mut search, starts);
    let (spent, contrived) = (bytes.saturating_sub(search.left), search.contrived);
    draw.spend(spent);
    found.ok_or(contrived)
}

/// Searches from the best of several initial texts.
fn best_climb(search: &mut WitnessSearch<'_, '_>, starts: &[String]) -> Option<String> {
    let mut starts: Vec<String> =
        starts.iter().filter(|text| text.len() <= MAX_TEXT_BYTES).cloned().collect();
    starts.push(parts::sentence(search.vocabulary, search.draw));
    let mut ranked: Vec<(u64, String)> = Vec::new();
    for text in starts.into_iter().chain(std::mem::take(&mut search.pool.wholes)) {
        if search.left == 0 {
            break;
        }
        ranked.push((search.cost(&text), text));
    }
    ranked.sort();
    ranked.dedup();
    // Alternates between the nearest texts and the constructed ones.
    let few = ranked.len().min(INITIAL_TEXTS);
    let mut unclear = None;
    for at in 0.. {
        let (_, start) = ranked.get(at % few.max(1))?;
        if let Some(found) = search.climb(start.clone()) {
            let found = search.shortened(found);
            if unspaced_position(&found).is_none() {
                return Some(found);
            }
            unclear.get_or_insert(found);
        }
        if search.left == 0 {
            return unclear;
        }
    }
    None
}

/// Bytes of a literal that cost one step.
const LITERAL_BYTES_PER_STEP: usize = 16;

/// The cost of reading the texts, lists and records in checks: a long reference text, a large schema.
fn literal_cost(trees: &[Tree]) -> usize {
    fn of_value(value: &Value) -> usize {
        match value {
            Value::Text(text) => text.len(),
            Value::List(members) => members.iter().map(of_value).sum(),
            Value::Record(fields) => {
                fields.iter().map(|(name, value)| name.len() + of_value(value)).sum()
            }
            Value::Nothing | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 8,
        }
    }
    fn of_tree(tree: &Tree) -> usize {
        let own = match &tree.node {
            Node::Value(value) => of_value(value),
            _ => 0,
        };
        own + tree.children().into_iter().map(of_tree).sum::<usize>()
    }
    trees.iter().map(of_tree).sum::<usize>() / LITERAL_BYTES_PER_STEP
}

struct WitnessSearch<'s, 'w> {
    goals: &'s [Goal<'s>],
    trees: &'s [Tree],
    pool: EditMaterial,
    vocabulary: &'s Vocabulary<'w>,
    draw: &'s mut WordDraw,
    left: usize,
    /// The cost of reading the texts and records in the checks, for each evaluation.
    literal_cost: usize,
    /// The first text that meets the goals by a trick.
    contrived: Option<String>,
    /// The nodes of the checks that the last text took, beyond those that cost nothing.
    nodes: usize,
}

impl WitnessSearch<'_, '_> {
    fn cost(&mut self, text: &str) -> u64 {
        self.left = self.left.saturating_sub(text.len() + EVALUATION_COST + self.literal_cost);
        let read = Text::new(text);
        let mut far = 0;
        self.nodes = 0;
        for (goal, tree) in std::iter::zip(self.goals, self.trees) {
            let scene = TextContext { it: &read, variables: goal.variables };
            let (more, nodes) = distance(tree, &scene, goal.wanted);
            far += more;
            self.nodes += nodes;
        }
        // Plain checks of a short text cost its length.
        self.nodes = self.nodes.saturating_sub(FREE_NODES) / NODES_PER_STEP;
        self.left = self.left.saturating_sub(self.nodes);
        count_long(text);
        if work::is_exhausted() {
            self.left = 0;
        }
        // A trick is as far as a text that nearly misses something.
        let contrived = far == 0 && !is_natural(text, self.trees);
        if contrived && self.contrived.is_none() {
            self.contrived = Some(text.to_owned());
        }
        far + u64::from(contrived)
    }

    /// Minimizes a text: removes lines, sentences, words, marks and blanks that it does not need.
    fn shortened(&mut self, text: String) -> String {
        let mut text = text;
        self.keep_if_satisfied(&mut text, text_trimmed);
        for unit in [Unit::Line, Unit::Sentence, Unit::Word] {
            let mut at = Text::new(&text).count(unit);
            let mut tries = MAX_REMOVALS;
            while at > 0 && tries > 0 {
                (at, tries) = (at - 1, tries - 1);
                self.keep_if_satisfied(&mut text, |text| {
                    let place = Text::new(text).units(unit).get(at).cloned()?;
                    Some(parts::without(text, place))
                });
            }
        }
        let mut marks = 0;
        for (at, c) in text.clone().char_indices().rev() {
            if ".,;:!?…。\\'\n".contains(c) && marks < MAX_REMOVALS {
                marks += 1;
                let gap = if c == '\n' { " " } else { "" };
                let place = at..at + c.len_utf8();
                self.keep_if_satisfied(&mut text, |text| Some(replace_range(text, place, gap)));
            }
        }
        while let Some(at) = unspaced_position(&text) {
            let before = text.len();
            self.keep_if_satisfied(&mut text, |text| Some(replace_range(text, at..at, " ")));
            if text.len() == before {
                break;
            }
        }
        self.keep_if_satisfied(&mut text, text_trimmed);
        text
    }

    /// Applies an edit to a text that meets the checks, if it still does afterwards.
    fn keep_if_satisfied(
        &mut self,
        text: &mut String,
        change: impl FnOnce(&str) -> Option<String>,
    ) {
        if let Some(less) = change(text)
            && less != *text
            && !less.trim().is_empty()
            && self.cost(&less) == 0
        {
            *text = less;
        }
    }

    /// Removes sentences and words that bring the text no nearer. Where a check takes long to evaluate,
    /// more edits of a short text can be tried.
    fn lightened(&mut self, text: &mut String, mut cost: u64) -> u64 {
        for unit in [Unit::Sentence, Unit::Word] {
            let places = Text::new(text).units(unit).to_vec();
            for place in places.into_iter().rev().take(MAX_REMOVALS) {
                let less = parts::without(text, place);
                if self.nodes == 0 || self.left == 0 {
                    return cost;
                }
                if less.trim().is_empty() {
                    continue;
                }
                let far = self.cost(&less);
                if far <= cost {
                    (*text, cost) = (less, far);
                }
            }
        }
        cost
    }

    fn climb(&mut self, start: String) -> Option<String> {
        let mut text = start;
        let mut cost = self.cost(&text);
        if self.nodes > 0 {
            cost = self.lightened(&mut text, cost);
        }
        let mut patience = RESTART_AFTER;
        while self.left > 0 && patience > 0 {
            if cost == 0 {
                return Some(text);
            }
            patience -= 1;
            let Some(changed) = self.change(&text) else { continue };
            if changed.len() > MAX_TEXT_BYTES || changed == text {
                continue;
            }
            let far = self.cost(&changed);
            // An edit that is not worse is kept, and sometimes one that is slightly worse.
            let slack = if self.draw.index_below(30) == 0 { cost / 8 + 8 } else { 0 };
            // Of two equally near texts, the shorter one is easier to change and to read.
            let idle = far == cost && changed.len() > text.len() && self.draw.index_below(3) > 0;
            if far <= cost + slack && !idle {
                if far < cost {
                    patience = RESTART_AFTER;
                }
                (text, cost) = (changed, far);
            }
        }
        (cost == 0).then_some(text)
    }

    /// A random edit; JSON usually stays JSON.
    fn change(&mut self, text: &str) -> Option<String> {
        if let Some(changed) = self.value_changed(text) {
            return Some(changed);
        }
        match self.draw.index_below(20) {
            16 | 19 => self.cell(text),
            17..=18 if !self.pool.members.is_empty() => self.membered(text),
            17..=18 => self.replace_stop(text),
            0..=1 => self.directed(text),
            2..=4 => self.swap_word(text),
            5 => self.drop_one(text),
            6 => self.insert(text),
            7 => self.replace_stop(text),
            8 => self.rebreak(text),
            9 => self.copy(text),
            10 => self.recase(text),
            11 => self.letters(text),
            12 => self.replace_line(text),
            13 => self.append(text),
            14 => self.edge(text),
            _ => {
                let once = self.change(text)?;
                self.change(&once)
            }
        }
    }

    /// The repair of a missed check.
    fn directed(&mut self, text: &str) -> Option<String> {
        let read = Text::new(text);
        let missed = |at: &usize| {
            let goal = self.goals.get(*at).zip(self.trees.get(*at));
            goal.is_some_and(|(goal, tree)| {
                distance(tree, &TextContext { it: &read, variables: goal.variables }, goal.wanted).0
                    > 0
            })
        };
        let missed: Vec<usize> = (0..self.goals.len()).filter(missed).collect();
        let at = *missed.get(self.draw.index_below(missed.len()))?;
        let (goal, tree) = self.goals.get(at).zip(self.trees.get(at))?;
        repair::met(goal, tree, text, self.vocabulary, self.draw)
    }

    fn unit(&mut self, text: &str, unit: Unit) -> Option<Range<usize>> {
        let read = Text::new(text);
        let units = read.units(unit);
        units.get(self.draw.index_below(units.len())).cloned()
    }

    fn part(&mut self) -> Option<String> {
        let parts = match self.draw.index_below(3) {
            0 if !self.pool.examples.is_empty() => &self.pool.examples,
            _ => &self.pool.parts,
        };
        parts.get(self.draw.index_below(parts.len())).cloned()
    }

    /// A word: from the checks, from the vocabulary, or one with a given first letter.
    fn word(&mut self) -> String {
        match self.draw.index_below(6) {
            0 | 1 => self.part().unwrap_or_default(),
            2 | 3 => {
                let letter = char::from(b'a' + self.draw.index_below(26) as u8);
                if self.draw.index_below(2) == 0 {
                    self.vocabulary.starting(letter)
                } else {
                    self.vocabulary.ending(letter)
                }
            }
            _ => {
                let length = 2 + self.draw.index_below(10);
                self.vocabulary.of_length(length, self.draw).unwrap_or("so").to_owned()
            }
        }
    }

    fn swap_word(&mut self, text: &str) -> Option<String> {
        let place = self.unit(text, Unit::Word)?;
        let old = text.get(place.clone())?;
        let mut word = self.word();
        if old.starts_with(char::is_uppercase) && self.draw.index_below(4) > 0 {
            word = capital(&word);
        }
        Some(replace_range(text, place, &word))
    }

    fn drop_one(&mut self, text: &str) -> Option<String> {
        let unit = [Unit::Word, Unit::Word, Unit::Sentence, Unit::Line, Unit::Char]
            [self.draw.index_below(5)];
        let place = self.unit(text, unit)?;
        let less = parts::without(text, place);
        (!less.trim().is_empty()).then_some(less)
    }

    fn insert(&mut self, text: &str) -> Option<String> {
        let part = self.word();
        let place = self.unit(text, Unit::Word)?;
        Some(match self.draw.index_below(4) {
            0 => replace_range(text, place.end..place.end, &part),
            1 => replace_range(text, place.end..place.end, &format!(" {part}")),
            _ => replace_range(text, place.start..place.start, &format!("{part} ")),
        })
    }

    /// Another stop after a sentence.
    fn replace_stop(&mut self, text: &str) -> Option<String> {
        let place = self.unit(text, Unit::Sentence)?;
        let end = text.get(place.clone())?.trim_end();
        let bare = end.trim_end_matches(['.', '!', '?', '…', ',', ';', ':']);
        let stop = match self.draw.index_below(9) {
            0 => ["。", "…"][self.draw.index_below(2)],
            1..=5 => [".", "!", "?"][self.draw.index_below(3)],
            _ => ["", ";", ","][self.draw.index_below(3)],
        };
        Some(replace_range(text, place.start + bare.len()..place.start + end.len(), stop))
    }

    /// A blank for a line end, or the other way.
    fn rebreak(&mut self, text: &str) -> Option<String> {
        let gap = match self.draw.index_below(9) {
            0 => [", ", ",", ";"][self.draw.index_below(3)],
            _ => [" ", "\n", "\n\n", "\n", "", ". "][self.draw.index_below(6)],
        };
        if self.draw.index_below(8) == 0 {
            let words: Vec<&str> = text.split_whitespace().collect();
            return Some(words.join(gap));
        }
        let word = self.unit(text, Unit::Word)?;
        // At a position without a blank.
        if self.draw.index_below(6) == 0 {
            let gap = format!("{gap}{}", " ".repeat(self.draw.index_below(3)));
            return Some(replace_range(text, word.start..word.start, &gap));
        }
        let behind = text.get(word.end..)?;
        let start = word.end + behind.find(char::is_whitespace)?;
        let blank = text.get(start..)?;
        let end = start + blank.find(|c: char| !c.is_whitespace())?;
        // Checks differ on whether a full stop without a blank after it ends a word.
        let glued =
            gap.is_empty() && text.get(..start)?.ends_with(|c: char| c.is_ascii_punctuation());
        (!glued).then(|| replace_range(text, start..end, gap))
    }

    /// Puts one unit in place of another, or after it.
    fn copy(&mut self, text: &str) -> Option<String> {
        let unit = [Unit::Word, Unit::Word, Unit::Line, Unit::Sentence, Unit::Line]
            [self.draw.index_below(5)];
        let (one, two) = (self.unit(text, unit)?, self.unit(text, unit)?);
        let part = text.get(one.clone())?;
        if unit == Unit::Line && self.draw.index_below(2) == 0 {
            return Some(replace_range(text, two.end..two.end, &format!("\n{part}")));
        }
        if self.draw.index_below(2) == 0 && one.end <= two.start {
            // Swaps the two.
            let other = text.get(two.clone())?;
            let between = text.get(one.end..two.start)?;
            return Some(replace_range(
                text,
                one.start..two.end,
                &format!("{other}{between}{part}"),
            ));
        }
        Some(replace_range(text, two, part))
    }

    fn recase(&mut self, text: &str) -> Option<String> {
        let unit = [Unit::Word, Unit::Word, Unit::Line, Unit::Paragraph][self.draw.index_below(4)];
        let place = self.unit(text, unit)?;
        let part = text.get(place.clone())?;
        let cased = match self.draw.index_below(4) {
            0 => part.to_lowercase(),
            1 => part.to_uppercase(),
            2 => parts::titled(part),
            _ => capital(&part.to_lowercase()),
        };
        Some(replace_range(text, place, &cased))
    }

    /// Adds, removes or changes a letter.
    fn letters(&mut self, text: &str) -> Option<String> {
        let digits = || text.char_indices().filter(|(_, c)| c.is_ascii_digit());
        if self.draw.index_below(5) == 0
            && let Some((at, _)) = digits().nth(self.draw.index_below(digits().count()))
        {
            return Some(replace_range(text, at..at + 1, &self.draw.index_below(10).to_string()));
        }
        let place = self.unit(text, Unit::Letter)?;
        let mut letter = char::from(b'a' + self.draw.index_below(26) as u8).to_string();
        // From the checks, or from the text itself.
        let known = match self.draw.index_below(4) {
            0 => self.part(),
            1 => self.unit(text, Unit::Letter).and_then(|at| Some(text.get(at)?.to_owned())),
            _ => None,
        };
        if let Some(known) = known {
            let letters: Vec<char> = known.chars().filter(|c| c.is_alphanumeric()).collect();
            letter = letters.get(self.draw.index_below(letters.len()))?.to_string();
        }
        Some(match self.draw.index_below(5) {
            // Everywhere in its line.
            4 => {
                let read = Text::new(text);
                let lines = read.units(Unit::Line);
                let line = lines.iter().find(|line| line.contains(&place.start))?.clone();
                let other = text.get(line.clone())?.replace(text.get(place)?, &letter);
                replace_range(text, line, &other)
            }
            0 => replace_range(text, place, ""),
            1 => replace_range(text, place.end..place.end, &letter),
            _ => replace_range(text, place, &letter),
        })
    }

    /// Replaces a line, or inserts one before or after it.
    fn replace_line(&mut self, text: &str) -> Option<String> {
        let place = self.unit(text, Unit::Line)?;
        let part = self.part().unwrap_or_default();
        Some(match self.draw.index_below(6) {
            5 => replace_range(text, place.start..place.start, &format!("{part}\n")),
            0 => replace_range(text, place, &part),
            1 => replace_range(text, place.start..place.start, &part),
            2 => replace_range(text, place.end..place.end, &part),
            3 => replace_range(
                text,
                place.start..place.start,
                &" ".repeat(1 + self.draw.index_below(3)),
            ),
            _ => replace_range(text, place.end..place.end, &format!("\n{part}")),
        })
    }

    /// Replaces, appends or removes a line, with a line that is known to be valid.
    fn membered(&mut self, text: &str) -> Option<String> {
        let unit = [Unit::Line, Unit::Line, Unit::Sentence][self.draw.index_below(3)];
        let place = self.unit(text, unit)?;
        let at = self.draw.index_below(self.pool.members.len());
        let member = self.pool.members.get(at)?;
        Some(match self.draw.index_below(5) {
            0 => replace_range(text, place.end..place.end, &format!("\n{member}")),
            1 => parts::without(text, place),
            _ => replace_range(text, place, member),
        })
    }

    /// Replaces a field between two commas or tabs of a line.
    fn cell(&mut self, text: &str) -> Option<String> {
        let line = self.unit(text, Unit::Line)?;
        let inner = text.get(line.clone())?;
        let between = [',', '\t'].into_iter().find(|mark| inner.contains(*mark))?;
        let cells: Vec<&str> = inner.split(between).collect();
        let at = self.draw.index_below(cells.len());
        let part = match self.draw.index_below(3) {
            0 => self.word(),
            _ => self.part()?,
        };
        let start: usize = cells.iter().take(at).map(|cell| cell.len() + 1).sum();
        let start = line.start + start;
        Some(replace_range(text, start..start + cells.get(at)?.len(), &part))
    }

    fn append(&mut self, text: &str) -> Option<String> {
        let many = 1 + self.draw.index_below(6);
        let words = capital(&self.vocabulary.words(many, self.draw).join(" "));
        let gap = [" ", " ", "\n", "\n\n"][self.draw.index_below(4)];
        let stop = [".", "!", "?"][self.draw.index_below(3)];
        Some(format!("{}{gap}{words}{stop}", text.trim_end()))
    }

    /// Edits the start or end.
    fn edge(&mut self, text: &str) -> Option<String> {
        let part = self.word();
        let gap = ["", " ", "\n"][self.draw.index_below(3)];
        Some(if self.draw.index_below(2) == 0 {
            format!("{part}{gap}{text}")
        } else {
            format!("{text}{gap}{part}")
        })
    }
}

/// After a full stop between two letters or digits, or between a letter and a digit: checks differ
/// on whether a word or number ends there.
fn unspaced_position(text: &str) -> Option<usize> {
    let all: Vec<(usize, char)> = text.char_indices().collect();
    let stop = all.windows(3).find_map(|three| match three {
        [(_, a), (_, '.' | ':'), (at, b)] if a.is_alphabetic() && b.is_alphabetic() => Some(*at),
        [(_, a), (_, ',' | ';'), (at, b)] if a.is_ascii_digit() && b.is_ascii_digit() => Some(*at),
        _ => None,
    });
    let digit = |pair: &[(usize, char)]| match pair {
        [(_, a), (at, b)] => {
            let mixed =
                a.is_ascii_digit() && b.is_alphabetic() || a.is_alphabetic() && b.is_ascii_digit();
            mixed.then_some(*at)
        }
        _ => None,
    };
    stop.or_else(|| all.windows(2).find_map(digit))
}

/// A text without blanks around it, around its lines, and without two blank lines in a row.
fn text_trimmed(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.trim().lines().map(str::trim) {
        if !(line.is_empty() && lines.last().is_some_and(|last| last.is_empty())) {
            lines.push(line);
        }
    }
    Some(lines.join("\n"))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn replace_range(text: &str, place: Range<usize>, part: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(place, part);
    text
}
