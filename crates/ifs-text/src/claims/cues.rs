//! The words by which a text asserts, denies, takes back or hedges, from the table `cues.tsv`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tokens::{Token, tokens};

/// What a phrase does. Clauses end at commas, colons, brackets, and before a contrast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CueClass {
    /// Before a colon, it labels the answer: `Answer: 30`.
    Label,
    /// Denies what follows in its clause.
    Negator,
    /// Denies only what directly follows: `without the Gulls`.
    NegatorNear,
    /// Has the words of another class and does not deny, bound or take back anything.
    Harmless,
    /// Denies the rest of its sentence.
    Deny,
    /// Denies what precedes it: `30 is wrong`.
    Wrong,
    /// At the start of a sentence or a clause, takes back what was said.
    TakesBack,
    /// Takes back what was said, wherever it is.
    AllWrong,
    /// What follows replaces the value before it.
    Instead,
    /// Between two values: either may be meant.
    Or,
    /// What follows may be meant as well.
    Alternative,
    /// Before a value, or after it: the value is only a bound, or an approximation.
    Bound,
    BoundAfter,
    /// Before a time: it is only a bound.
    BoundClock,
    /// `between 20 and 40`, `20 to 40`
    Between,
    To,
    /// What somebody else would say.
    Reported,
    /// Of another time.
    Elsewhen,
    /// A verb in the past.
    Past,
    /// Before a number, or after it: a difference, and not the points of a side.
    Margin,
    MarginAfter,
    /// Of the present, which ends what was reported.
    Now,
    /// Begins a condition.
    Condition,
    /// The value is asserted with modesty.
    Unsure,
    /// Draws a conclusion.
    Conclusion,
    /// Beside a sum.
    Total,
    /// In a clause that says who is the best.
    Claim,
    /// Begins a clause of its own.
    Contrast,
    /// Begins a reason.
    Cause,
    /// Between two names: the second one is only what the first is compared with.
    Over,
    /// Between two names: the first one is.
    Under,
    /// After a name: the other side is ahead.
    Trail,
    /// Between numbers that are worked with.
    Operator,
    /// Before a result.
    Equals,
    Yes,
    No,
    Ignorance,
    /// Neither of two sides.
    Tie,
    /// Two cases have the same answer.
    Both,
    /// The position in an order.
    First,
    Last,
    /// A word for what was said before.
    Pronoun,
    /// Turns a statement into a question that expects agreement.
    Tag,
    /// After two names: which of them is meant stays open.
    EitherOf,
    /// Leads the label of things that are not quite it: `Nearly taken: …`.
    NearMiss,
    /// Beside the points of a side: it has others.
    Wanted,
    /// A try that did not succeed.
    Failed,
    /// Labels the side that lost.
    Loser,
    /// Of the future, which counts only beside what is so now.
    Later,
    /// Before a number: what is meant is a share or a multiple of it.
    PartOf,
    /// After a name, or as its label: who is not there.
    Absent,
    /// Beside a side: it has no points.
    Zero,
    /// Before a list: its last item comes first.
    Reverse,
    /// A word by which the language is recognized.
    Language,
}

impl CueClass {
    fn from_name(name: &str) -> Option<CueClass> {
        Some(match name {
            "label" => CueClass::Label,
            "negator" => CueClass::Negator,
            "negator_near" => CueClass::NegatorNear,
            "harmless" => CueClass::Harmless,
            "deny" => CueClass::Deny,
            "wrong" => CueClass::Wrong,
            "takes_back" => CueClass::TakesBack,
            "all_wrong" => CueClass::AllWrong,
            "instead" => CueClass::Instead,
            "or" => CueClass::Or,
            "alternative" => CueClass::Alternative,
            "bound" => CueClass::Bound,
            "bound_after" => CueClass::BoundAfter,
            "between" => CueClass::Between,
            "to" => CueClass::To,
            "reported" => CueClass::Reported,
            "elsewhen" => CueClass::Elsewhen,
            "past" => CueClass::Past,
            "margin" => CueClass::Margin,
            "margin_after" => CueClass::MarginAfter,
            "now" => CueClass::Now,
            "bound_clock" => CueClass::BoundClock,
            "condition" => CueClass::Condition,
            "unsure" => CueClass::Unsure,
            "conclusion" => CueClass::Conclusion,
            "total" => CueClass::Total,
            "claim" => CueClass::Claim,
            "contrast" => CueClass::Contrast,
            "cause" => CueClass::Cause,
            "over" => CueClass::Over,
            "under" => CueClass::Under,
            "trail" => CueClass::Trail,
            "operator" => CueClass::Operator,
            "equals" => CueClass::Equals,
            "yes" => CueClass::Yes,
            "no" => CueClass::No,
            "later" => CueClass::Later,
            "part_of" => CueClass::PartOf,
            "absent" => CueClass::Absent,
            "zero" => CueClass::Zero,
            "reverse" => CueClass::Reverse,
            "ignorance" => CueClass::Ignorance,
            "tie" => CueClass::Tie,
            "both" => CueClass::Both,
            "first" => CueClass::First,
            "last" => CueClass::Last,
            "pronoun" => CueClass::Pronoun,
            "tag" => CueClass::Tag,
            "either_of" => CueClass::EitherOf,
            "near_miss" => CueClass::NearMiss,
            "wanted" => CueClass::Wanted,
            "failed" => CueClass::Failed,
            "loser" => CueClass::Loser,
            "language" => CueClass::Language,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CueLanguage {
    English,
    Chinese,
    German,
}

/// A phrase of the table at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cue {
    pub class: CueClass,
    /// Tokens from `start`, before `end`.
    pub start: usize,
    pub end: usize,
}

struct CuePhrase {
    class: CueClass,
    language: CueLanguage,
    words: Vec<String>,
}

struct CueTable {
    phrases: Vec<CuePhrase>,
    /// The phrases that begin with a word.
    starts: HashMap<String, Vec<usize>>,
}

static TABLE: LazyLock<CueTable> = LazyLock::new(|| read(include_str!("cues.tsv")));

fn read(table: &str) -> CueTable {
    let mut phrases = Vec::new();
    for line in table.lines() {
        let mut columns = line.split('\t');
        let (Some(class), Some(language), Some(list)) =
            (columns.next().and_then(CueClass::from_name), columns.next(), columns.next())
        else {
            continue;
        };
        let language = match language {
            "zh" => CueLanguage::Chinese,
            "de" => CueLanguage::German,
            _ => CueLanguage::English,
        };
        for phrase in list.split(" | ").flat_map(expanded) {
            let words = tokens(&phrase).into_iter().map(|token| token.text).collect();
            phrases.push(CuePhrase { class, language, words });
        }
    }
    let mut starts: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, phrase) in phrases.iter().enumerate() {
        if let Some(first) = phrase.words.first() {
            starts.entry(first.clone()).or_default().push(at);
        }
    }
    CueTable { phrases, starts }
}

/// The phrases of one with choices: `{this,that} is wrong`.
fn expanded(phrase: &str) -> Vec<String> {
    let parts = phrase.split_once('{').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once('}')?;
        Some((before, choices, after))
    });
    let Some((before, choices, after)) = parts else { return vec![phrase.to_owned()] };
    let endings = expanded(after);
    let starts = choices.split(',').map(|choice| format!("{before}{choice}"));
    starts.flat_map(|start| endings.iter().map(move |end| format!("{start}{end}"))).collect()
}

/// The cues of a text: of each class the longest at a place, in order.
pub(super) fn cues(tokens: &[Token]) -> Vec<Cue> {
    let mut found: Vec<Cue> = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        let first = found.len();
        for at in TABLE.starts.get(&token.text).into_iter().flatten() {
            let phrase = &TABLE.phrases[*at];
            let here = tokens.get(start..start + phrase.words.len()).unwrap_or(&[]);
            if here.is_empty() || !here.iter().map(|token| &token.text).eq(&phrase.words) {
                continue;
            }
            let cue = Cue { class: phrase.class, start, end: start + phrase.words.len() };
            // `Calder Falls` is a name, and no condition.
            let before = start.checked_sub(1).and_then(|before| tokens.get(before));
            if cue.class == CueClass::Condition
                && token.is_capital
                && before.is_some_and(|before| before.is_capital && before.is_word())
            {
                continue;
            }
            match found[first..].iter_mut().find(|other| other.class == cue.class) {
                Some(other) => other.end = other.end.max(cue.end),
                None => found.push(cue),
            }
        }
        // `n't` is a negator in every word.
        if token.text.ends_with("n't")
            && !found[first..].iter().any(|cue| cue.class == CueClass::Negator)
        {
            found.push(Cue { class: CueClass::Negator, start, end: start + 1 });
        }
    }
    found.retain({
        let harmless: Vec<(usize, usize)> = found
            .iter()
            .filter(|cue| cue.class == CueClass::Harmless)
            .map(|cue| (cue.start, cue.end))
            .collect();
        move |cue| {
            let disarms = matches!(
                cue.class,
                CueClass::Negator
                    | CueClass::NegatorNear
                    | CueClass::TakesBack
                    | CueClass::AllWrong
                    | CueClass::No
                    | CueClass::Wrong
                    | CueClass::Deny
                    | CueClass::NearMiss
            );
            !disarms || !harmless.iter().any(|(start, end)| *start <= cue.start && cue.end <= *end)
        }
    });
    found
}

/// The language of most function words of a text, between English and German; `None` if it has none.
pub(super) fn language(tokens: &[Token]) -> Option<CueLanguage> {
    let mut counts: HashMap<CueLanguage, usize> = HashMap::new();
    for token in tokens {
        let list = TABLE.starts.get(&token.text).into_iter().flatten();
        let mut languages: Vec<CueLanguage> = list
            .map(|at| &TABLE.phrases[*at])
            .filter(|phrase| phrase.class == CueClass::Language)
            .map(|phrase| phrase.language)
            .collect();
        languages.dedup();
        // A word of two languages tells nothing.
        if let [language] = languages.as_slice() {
            *counts.entry(*language).or_default() += 1;
        }
    }
    let count = |language| counts.get(&language).copied().unwrap_or(0);
    let all = [CueLanguage::English, CueLanguage::German];
    all.into_iter().max_by_key(|language| count(*language)).filter(|language| count(*language) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_class() {
        for line in include_str!("cues.tsv").lines() {
            let class = line.split('\t').next().unwrap_or("");
            assert!(
                line.is_empty() || line.starts_with('#') || CueClass::from_name(class).is_some(),
                "{line}"
            );
        }
        assert!(TABLE.phrases.iter().all(|phrase| !phrase.words.is_empty()));
    }
}
