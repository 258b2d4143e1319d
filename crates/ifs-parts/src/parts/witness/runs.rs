//! Texts of plain words or Chinese characters in the form that conditions require: the number of
//! words and paragraphs, literals and their counts, the beginning and the end.
//!
//! The form is found by local search: changes that satisfy more conditions are kept. Texts of one
//! form differ by their seed, so a list needs the search only once.

use regex_syntax::hir::{Class, Hir, HirKind};

use ifs_predicate::evaluate::{TextContext, evaluate};
use ifs_predicate::functions::Reads;
use ifs_predicate::needles::SearchKind;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::Text;

use super::schema::Condition;

/// Words for a circular sequence, common characters, and characters whose only reading has a level
/// tone.
const ENGLISH_WORDS: &str = "the small boat waits near an old harbour while one quiet moon climbs over \
    green hills and some tired sailor counts bright stars from his narrow window then sleeps till \
    early morning when cold wind brings salt air to every open door";
const COMMON_CHARACTERS: &str = "大海月光山水花草春秋江河风雨云雪日星天地人心手书字画灯火石木竹梅松鸟鱼马牛羊门窗桌椅茶酒饭菜米面豆瓜果桃李杏金银铜铁红黄蓝绿白黑东西南北前后左右上下里外早晚今明新旧高低远近老少男女父母子孙友邻城乡村镇街巷桥船车路田园林泉";
const LEVEL_TONE_CHARACTERS: &str = "天山花春江风书灯街车钟诗歌衣瓜星光香家乡村冬秋心金汤虾刀窗霜";

const LINE_ENDS: [&str; 8] = ["", ".", "?", "!", "。", "？", "！", "…"];
const MAX_LITERALS: usize = 5;
const MAX_SIZE: i64 = 2_000;

/// The form of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LineForm {
    pub palette: usize,
    pub size: usize,
    pub paragraphs: usize,
    /// Whether paragraphs are single lines.
    pub lines: bool,
    /// The count of each literal.
    pub times: Vec<usize>,
    /// The end of each paragraph.
    pub end: usize,
    /// A literal or a sample of a pattern at the beginning.
    pub lead: Option<usize>,
    /// A literal or a sample at the end, on its own line.
    pub tail: Option<usize>,
    pub tail_line: bool,
    /// Other letters at the beginning and at the end.
    pub first: Option<char>,
    pub last: Option<char>,
    /// A letter before the first word.
    pub initial: Option<char>,
}

impl LineForm {
    /// The same form with the literals in a bit set, this many times.
    fn with_times(&self, which: usize, count: usize) -> LineForm {
        let mut form = self.clone();
        for (at, times) in form.times.iter_mut().enumerate() {
            if which >> at & 1 == 1 {
                *times = count;
            }
        }
        form
    }
}

/// The literals, patterns and numbers of conditions.
pub(super) struct Materials {
    pub literals: Vec<String>,
    /// Numbers that sizes are close to.
    sizes: Vec<usize>,
    /// Patterns for the beginning of a text, or for all of it.
    patterns: Vec<Hir>,
    letters: Vec<char>,
    han: bool,
    /// Whether only characters with a level tone are used.
    level: bool,
}

impl Materials {
    pub fn from_conditions(conditions: &[&Condition<'_>]) -> Materials {
        let mut materials = Materials {
            literals: Vec::new(),
            sizes: (1..=30).collect(),
            patterns: Vec::new(),
            letters: Vec::new(),
            han: false,
            level: false,
        };
        for condition in conditions {
            materials.collect(&condition.tree, condition);
        }
        materials.sizes.sort_unstable();
        materials.sizes.dedup();
        materials
    }

    fn collect(&mut self, tree: &Tree, condition: &Condition<'_>) {
        match &tree.node {
            Node::Pattern(pattern) => {
                self.han |= pattern.pattern.contains("\\p{Han}");
                self.patterns.extend(pattern.hir());
            }
            Node::Call(func, _) => {
                self.han |= func.reads == Reads::Han;
                self.level |= func.reads == Reads::Tones;
            }
            Node::Needle(SearchKind::Letter, inner) => {
                if let Some(Value::Text(text)) = value(inner, condition) {
                    self.letters.extend(text.chars().take(1));
                }
            }
            Node::Needle(SearchKind::Regex, inner) => {
                if let Some(Value::Text(text)) = value(inner, condition) {
                    self.patterns.extend(regex_syntax::parse(&text).ok());
                }
                return;
            }
            Node::Value(_) | Node::Var(_) | Node::Fact(_) | Node::Arithmetic(..) => {
                if let Some(value) = value(tree, condition) {
                    self.collect_value(&value);
                }
            }
            _ => {}
        }
        for child in tree.children() {
            self.collect(child, condition);
        }
    }

    fn collect_value(&mut self, value: &Value) {
        match value {
            Value::Text(text) if (1..=60).contains(&text.chars().count()) => {
                let text = text.to_string();
                self.han |= text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
                if self.literals.len() < MAX_LITERALS && !self.literals.contains(&text) {
                    self.literals.push(text);
                }
            }
            Value::Int(number @ 0..=MAX_SIZE) => {
                let number = *number as usize;
                self.sizes.extend(number.saturating_sub(12)..=number + 4);
            }
            Value::List(members) => members.iter().for_each(|member| self.collect_value(member)),
            _ => {}
        }
    }

    /// A literal, or a sample of a pattern, by a common index.
    fn fixed(&self, at: usize, seed: u64) -> String {
        match self.literals.get(at) {
            Some(literal) => literal.clone(),
            None => {
                let pattern = self.patterns.get(at - self.literals.len());
                let mut text = String::new();
                if let Some(pattern) = pattern {
                    sample(pattern, &mut seed.clone(), &mut text);
                }
                text
            }
        }
    }

    fn fixed_count(&self) -> usize {
        self.literals.len() + self.patterns.len()
    }

    /// The form that satisfies most conditions, and the number of violated ones.
    pub fn form(
        &self,
        wrong: &mut dyn FnMut(&str) -> usize,
        seed: u64,
        lines: bool,
    ) -> (LineForm, usize) {
        let start = LineForm {
            palette: if self.level { 2 } else { usize::from(self.han) },
            size: 6,
            paragraphs: 1,
            lines: false,
            times: vec![0; self.literals.len()],
            end: 0,
            lead: None,
            tail: None,
            tail_line: false,
            first: None,
            last: None,
            initial: None,
        };
        let mut best = start;
        let mut least = wrong(&self.text(&best, seed));
        for _ in 0..3 {
            let before = least;
            for dimension in 0..8 {
                if least == 0 {
                    return (best, 0);
                }
                for next in self.neighbours(&best, dimension, lines) {
                    let now = wrong(&self.text(&next, seed));
                    if now < least {
                        least = now;
                        best = next;
                        if least == 0 {
                            return (best, 0);
                        }
                    }
                }
            }
            if least == before {
                break;
            }
        }
        (best, least)
    }

    /// The same form with one change.
    pub fn neighbours(&self, form: &LineForm, dimension: usize, lines: bool) -> Vec<LineForm> {
        let fixed = (0..self.fixed_count()).map(Some).chain([None]);
        match dimension {
            0 => self.sizes.iter().map(|size| LineForm { size: *size, ..form.clone() }).collect(),
            1 => fixed
                .flat_map(|lead| {
                    // The beginning of a text may be all of it.
                    [form.size, 0].map(|size| LineForm { lead, size, ..form.clone() })
                })
                .collect(),
            2 => fixed
                .flat_map(|tail| {
                    [false, true].map(|tail_line| LineForm { tail, tail_line, ..form.clone() })
                })
                .collect(),
            3 if lines => (1..=24)
                .flat_map(|paragraphs| {
                    [false, true].map(|lines| LineForm { paragraphs, lines, ..form.clone() })
                })
                .collect(),
            4 => (0..LINE_ENDS.len()).map(|end| LineForm { end, ..form.clone() }).collect(),
            5 => {
                let one =
                    (0..form.times.len()).flat_map(|at| (0..=6).map(move |count| (1 << at, count)));
                // `every` requires several at once.
                let several = (1..1usize << form.times.len()).map(|which| (which, 1));
                one.chain(several).map(|(which, count)| form.with_times(which, count)).collect()
            }
            6 => (0..3).map(|palette| LineForm { palette, ..form.clone() }).collect(),
            7 => self
                .letters
                .iter()
                .map(|letter| LineForm { initial: Some(*letter), ..form.clone() })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The form with a literal repeated.
    pub fn with_one_more(&self, form: &LineForm, at: usize) -> LineForm {
        let mut more = form.clone();
        if let Some(times) = more.times.get_mut(at) {
            *times += 1;
        }
        more
    }

    /// Generates a text of a form.
    pub fn text(&self, form: &LineForm, seed: u64) -> String {
        let mut tokens = self.tokens(form, seed);
        // Literals are spread over it.
        let mut inserted = 0;
        for (literal, times) in self.literals.iter().zip(&form.times) {
            for _ in 0..*times {
                let at = if tokens.is_empty() { 0 } else { (inserted * 7 + 3) % tokens.len() };
                tokens.insert(at, literal.clone());
                inserted += 1;
            }
        }
        let between = if form.palette == 0 { " " } else { "" };
        let end = LINE_ENDS.get(form.end).copied().unwrap_or("");
        let count = form.paragraphs.clamp(1, tokens.len().max(1));
        let mut paragraphs: Vec<String> = Vec::new();
        for at in 0..count {
            let part = tokens.get(tokens.len() * at / count..tokens.len() * (at + 1) / count);
            let words = part.unwrap_or_default().join(between);
            paragraphs.push(if words.is_empty() { words } else { format!("{words}{end}") });
        }
        let mut text = paragraphs.join(if form.lines { "\n" } else { "\n\n" });
        if let Some(lead) = form.lead {
            let lead = self.fixed(lead, seed);
            let blank = if text.is_empty() || lead.ends_with(' ') { "" } else { between };
            text = format!("{lead}{blank}{text}");
        }
        if let Some(tail) = form.tail {
            let tail = self.fixed(tail, seed);
            let is_mark = !tail.starts_with(|c: char| c.is_alphanumeric() || c == '#');
            let blank = match (form.tail_line, is_mark || text.is_empty()) {
                (true, _) => "\n",
                (false, true) => "",
                (false, false) => between,
            };
            text = format!("{text}{blank}{tail}");
        }
        text
    }

    fn tokens(&self, form: &LineForm, seed: u64) -> Vec<String> {
        let all: Vec<String> = match form.palette {
            0 => ENGLISH_WORDS.split(' ').map(str::to_owned).collect(),
            1 => COMMON_CHARACTERS.chars().map(String::from).collect(),
            _ => LEVEL_TONE_CHARACTERS.chars().map(String::from).collect(),
        };
        let shunned = |token: &String| self.literals.contains(token);
        let count = all.len() as u64;
        // Words follow one another; characters use a step that reaches all of them.
        let step = if form.palette == 0 {
            1
        } else {
            [7, 11, 13].into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1)
        };
        // Neighbouring seeds start far apart.
        let start = seed.wrapping_mul(17) % count;
        let round = (0..).map(|at| (start + at * step + at / count * seed) % count);
        let mut tokens: Vec<String> = round
            .take(form.size * 2 + 8)
            .filter_map(|at| all.get(at as usize).cloned())
            .filter(|token| !shunned(token))
            .take(form.size)
            .collect();
        if let (Some(c), Some(first)) = (form.first, tokens.first_mut()) {
            *first = c.to_string();
        }
        if let (Some(c), Some(last)) = (form.last, tokens.last_mut()) {
            *last = c.to_string();
        }
        if let (Some(c), Some(first)) = (form.initial, tokens.first_mut()) {
            *first = format!("{c}{first}");
        }
        tokens
    }
}

/// The value of a tree without free names.
fn value(tree: &Tree, condition: &Condition<'_>) -> Option<Value> {
    let nothing = Text::new("");
    evaluate(tree, &TextContext { it: &nothing, variables: condition.variables }).ok()
}

/// A text that matches a pattern, with digits and alternatives chosen by the seed; unbounded
/// repetitions are kept short.
fn sample(hir: &Hir, seed: &mut u64, text: &mut String) {
    let mut pick = |of: u32| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        ((*seed >> 33) % u64::from(of)) as u32
    };
    match hir.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let Some(range) = class.ranges().first() else { return };
            let (start, end) = (range.start(), range.end());
            let digits = start.is_ascii_digit() && end.is_ascii_digit() && start < end;
            let ahead = if digits { pick(end as u32 - start as u32 + 1) } else { 0 };
            text.push(char::from_u32(start as u32 + ahead).unwrap_or(start));
        }
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min.max(1) {
                sample(&repetition.sub, seed, text);
            }
        }
        HirKind::Capture(capture) => sample(&capture.sub, seed, text),
        HirKind::Concat(all) => all.iter().for_each(|part| sample(part, seed, text)),
        HirKind::Alternation(all) => {
            if let Some(one) = all.get(pick(all.len() as u32) as usize) {
                sample(one, seed, text);
            }
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => {}
    }
}
