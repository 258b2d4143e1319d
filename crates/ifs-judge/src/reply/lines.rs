//! Verdicts in plain text: `1: yes`, `**Answer:** no`, `Mark: 7/10`, `So the score is [[8]].`
//!
//! A verdict is a line, or the first sentence of the first line, or the last sentence of the last
//! one. Marks of Markdown, LaTeX and tags around it are ignored; a line that quotes (`> yes`) or is
//! struck out says nothing.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{JudgeFinding, ReplyFormat, VoteValue, require_range, word};

/// The verdicts in lines of text.
#[derive(Debug, Default)]
pub struct LineVerdicts {
    /// A complete verdict that begins or ends the text.
    pub findings: Option<Vec<JudgeFinding>>,
    /// Every statement about a question, with the question's index.
    pub stray: Vec<(usize, VoteValue)>,
}

/// A contradictory verdict, such as `1: yes or no`, is an error.
pub fn parse(text: &str, wanted: ReplyFormat) -> Result<LineVerdicts, String> {
    let is_said = |line: &&str| !line.trim_matches('`').is_empty() && !line.starts_with('>');
    let lines: Vec<&str> = text.lines().map(str::trim).filter(is_said).collect();
    let mut lines: Vec<Cow<'_, str>> = lines.into_iter().map(plain).collect();
    lines.retain(|line| !line.trim().is_empty());
    let mut stray: Vec<(usize, VoteValue)> = Vec::new();
    let mut outer = false;
    // The question that a line without a verdict names: `Question 2: Is it calm?`
    let mut named: Option<usize> = None;
    for (number, line) in lines.iter().enumerate() {
        let (is_first, is_last) = (number == 0, number + 1 == lines.len());
        let mut statements: Vec<Option<(usize, VoteValue)>> = Vec::new();
        match wanted {
            ReplyFormat::Checklist(count) => {
                let verdict = parse_line(line, count, &mut named)?;
                if verdict.is_none() && count == 1 {
                    let sentence = |sentence: Option<&str>| match sentence {
                        Some(sentence) => said_in_sentence(sentence),
                        None => Ok(None),
                    };
                    let ends = (sentences(line).next(), sentences(line).last());
                    let placed = |value: Option<VoteValue>| value.map(|value| (0, value));
                    statements.push(placed(sentence(ends.0.filter(|_| is_first))?));
                    statements.push(placed(sentence(ends.1.filter(|_| is_last))?));
                }
                statements.push(verdict);
            }
            ReplyFormat::Mark { low, high } => {
                let mut value = mark(line, low, high)?;
                let ends = [
                    sentences(line).next().filter(|_| is_first),
                    sentences(line).last().filter(|_| is_last),
                ];
                for sentence in ends.into_iter().flatten() {
                    value = value.or(mark(sentence, low, high)?);
                }
                statements.push(value.map(|mark| (0, mark)));
            }
        }
        for (place, value) in statements.into_iter().flatten() {
            if stray.iter().any(|(other_place, other)| *other_place == place && *other != value) {
                return Err("it gives two verdicts on one question".to_owned());
            }
            outer |= is_first || is_last;
            stray.push((place, value));
        }
    }
    let count = match wanted {
        ReplyFormat::Checklist(count) => count,
        ReplyFormat::Mark { .. } => 1,
    };
    let findings: Option<Vec<JudgeFinding>> = (0..count)
        .map(|place| {
            let value = stray.iter().find(|(stated, _)| *stated == place)?.1;
            Some(JudgeFinding { value, why: None })
        })
        .collect();
    Ok(LineVerdicts { findings: findings.filter(|_| outer && count > 0), stray })
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

fn captures<'t>(pattern: &LazyLock<Option<Regex>>, text: &'t str) -> Option<Captures<'t>> {
    pattern.as_ref().and_then(|pattern| pattern.captures(text))
}

/// A line without marks that only lay it out: emphasis, code, headings, bullets, tags, boxes.
fn plain(line: &str) -> Cow<'_, str> {
    pattern!(STRUCK, r"~~[^~]*~~");
    pattern!(BOXED, r"\\(?:boxed|text|textbf|mathrm)\s*\{([^{}]*)\}");
    pattern!(TAG, r"</?[A-Za-z][\w:-]{0,30}\s*/?>");
    pattern!(DOUBLE, r"\[\[\s*([^\[\]{}\s]{1,20})\s*\]\]");
    pattern!(WORD, r"(?i)\[\s*(yes|no|true|false|是|否)\s*\]");
    pattern!(AFTER_LABEL, r"(?i)([:：=]|\bis)\s*\[\s*(-?\d{1,18}(?:\.0+)?(?:\s*/\s*\d+)?)\s*\]");
    let mut text = Cow::Borrowed(line);
    let removed = [
        (&STRUCK, ""),
        (&BOXED, "$1"),
        // `\boxed{\text{yes}}`
        (&BOXED, "$1"),
        (&TAG, " "),
        (&DOUBLE, "$1"),
        (&WORD, "$1"),
        (&AFTER_LABEL, "$1 $2"),
    ];
    for (pattern, by) in removed {
        let Some(pattern) = pattern.as_ref() else { continue };
        if pattern.is_match(&text) {
            text = Cow::Owned(pattern.replace_all(&text, by).into_owned());
        }
    }
    if text.contains(['*', '`', '_', '$']) {
        let kept = text.replace("__", "");
        let kept: String = kept.chars().filter(|c| !matches!(c, '*' | '`' | '$')).collect();
        text = Cow::Owned(kept);
    }
    let marks = |c: char| c.is_whitespace() || matches!(c, '#' | '•' | '-' | '–' | '—' | '_' | '+');
    let shorter = text.trim_end().trim_end_matches('_').trim_start_matches(marks);
    // `-3` is a mark.
    let is_number = shorter.starts_with(|c: char| c.is_ascii_digit()) && text.starts_with('-');
    match is_number && !text.starts_with("- ") {
        true => text,
        false => Cow::Owned(shorter.to_owned()),
    }
}

/// The sentences of a line. A stop inside a number ends none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        let wide = ['。', '！', '？'];
        let is_end = |(at, c): (usize, char)| {
            let next = rest[at + c.len_utf8()..].chars().next();
            // `1. It is calm.`
            let is_numeral = next.is_some() && rest[..at].bytes().all(|byte| byte.is_ascii_digit());
            let ends =
                matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace) && !is_numeral;
            (ends || wide.contains(&c)).then_some(at + c.len_utf8())
        };
        let end = rest.char_indices().find_map(is_end).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        (!sentence.trim().is_empty()).then(|| sentence.trim())
    })
}

/// What a verdict may be called, and the words around the name.
const VERDICT_NAMES: &str = r"answer|verdict|judge?ment|decision|conclusion|result|ruling|assessment|evaluation|final|判断|答案|结论|结果|判定|回答|antwort|urteil|ergebnis|bewertung|entscheidung|fazit";
const MARK_NAMES: &str =
    r"mark|score|rating|grade|评分|得分|分数|打分|总分|评级|note|bewertung|punktzahl|wertung";
const BEFORE_NAME: &str = r"(?:(?:the|my|a|an|overall|final|total|short|最终|最后|我的|die|das|mein|meine|endgültige|gesamte)\s*)*";
const AFTER_NAME: &str = r"(?:\s+to\s+(?:the\s+|this\s+)?question(?:\s*\d+)?)?(?:\s*(?:is|would be|of|是|为|ist|lautet|beträgt)?\s*(?:[:：=]|-\s|–|—)+\s*|\s*(?:\bis\b|\bwould be\b|\bof\b|是|为|\bist\b|\blautet\b|\bbeträgt\b)\s*)";
const LEAD_IN: &str = r"(?:(?:and|so|thus|therefore|hence|overall|accordingly|finally|in (?:summary|conclusion|short)|to (?:sum up|conclude)|因此|所以|综上所述|综上|总之|also|daher|somit|insgesamt|folglich)[,，:：]?\s*)?(?:i(?:'d|’d| would| will)?\s+(?:say|answer|conclude)(?:\s+that)?[,:]?\s*)?";

/// The verdict of a line, and its question.
fn parse_line(
    line: &str,
    count: usize,
    named: &mut Option<usize>,
) -> Result<Option<(usize, VoteValue)>, String> {
    // A number with its separator or its noun, and the rest.
    pattern!(
        NUMBERED,
        r"(?i)^(?:(?:q|question|item|criterion|answer|frage|问题)\s*#?(\d{1,6})|第\s*(\d{1,6})\s*[题条]|[#(]?(\d{1,6}))\s*([.):：、-]*)\s*(.*)$"
    );
    if let Some(cells) = line.strip_prefix('|') {
        return table_row(cells, count);
    }
    if let Some(parts) = captures(&NUMBERED, line) {
        let number = parts.get(1).or(parts.get(2));
        let is_marked = number.is_some() || !parts[4].is_empty();
        let digits = number.or(parts.get(3)).map_or("", |digits| digits.as_str());
        let rest = &parts[5];
        if is_marked {
            let number: usize = digits.parse().unwrap_or(0);
            let place = number.checked_sub(1).filter(|place| *place < count);
            // The question may be repeated before its answer.
            let after = rest
                .rfind(['?', '？'])
                .map_or(rest, |mark| rest[mark..].trim_start_matches(['?', '？']).trim_start());
            let value = match labelled(after)? {
                None if after.len() < rest.len() => labelled(rest)?,
                value => value,
            };
            if let Some(value) = value {
                let place = place
                    .ok_or_else(|| format!("it answers a question {number} that was not asked"))?;
                *named = None;
                return Ok(Some((place, value)));
            }
            *named = place;
            return Ok(None);
        }
    }
    let is_label = label_of(VERDICT_LINE.as_ref(), line).is_some();
    let place = match *named {
        Some(place) if is_label => Some(place),
        _ => (count == 1).then_some(0),
    };
    let Some(place) = place else { return Ok(None) };
    Ok(labelled(line)?.map(|value| (place, value)))
}

/// `| 1 | yes | It is calm. |`
fn table_row(cells: &str, count: usize) -> Result<Option<(usize, VoteValue)>, String> {
    let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
    let Some(Ok(number)) = cells.first().map(|cell| cell.parse::<usize>()) else {
        return Ok(None);
    };
    let words: Vec<bool> = cells.iter().filter_map(|cell| word(cell)).collect();
    let place = number.checked_sub(1).filter(|place| *place < count);
    match (words.as_slice(), place) {
        ([is_yes], Some(place)) => Ok(Some((place, vote(*is_yes)))),
        ([_], None) => Err(format!("it answers a question {number} that was not asked")),
        ([], _) => Ok(None),
        _ => Err("a line has both yes and no".to_owned()),
    }
}

static VERDICT_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)^{LEAD_IN}{BEFORE_NAME}(?:{VERDICT_NAMES})\s*(?:{VERDICT_NAMES})?{AFTER_NAME}"
    ))
    .ok()
});

/// The text after a label; `None` without a label.
fn label_of<'t>(pattern: Option<&Regex>, line: &'t str) -> Option<&'t str> {
    pattern?.find(line).map(|label| &line[label.end()..])
}

/// Yes or no, with or without a label.
fn labelled(line: &str) -> Result<Option<VoteValue>, String> {
    decided(label_of(VERDICT_LINE.as_ref(), line).unwrap_or(line))
}

/// A verdict in a sentence of its own: with a label or words that conclude, or as its only word.
fn said_in_sentence(sentence: &str) -> Result<Option<VoteValue>, String> {
    static CONCLUDED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!(r"(?i)^{LEAD_IN}")).ok());
    let rest = label_of(VERDICT_LINE.as_ref(), sentence).or_else(|| {
        label_of(CONCLUDED.as_ref(), sentence).filter(|rest| rest.len() < sentence.len())
    });
    match rest {
        Some(rest) => decided(rest),
        None => Ok(word(unquoted(sentence)).map(vote)),
    }
}

fn vote(is_yes: bool) -> VoteValue {
    if is_yes { VoteValue::Yes } else { VoteValue::No }
}

/// A text without quotation marks, brackets and stops around it.
fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(|c: char| {
        c.is_whitespace() || "\"'“”‘’„«»「」『』()（）[]{}.。!！,，:：;".contains(c)
    })
}

/// Words after yes or no that take the answer back in part.
const HEDGES: [&str; 14] = [
    "partly",
    "partially",
    "somewhat",
    "mostly",
    "largely",
    "maybe",
    "perhaps",
    "almost",
    "teilweise",
    "vielleicht",
    "größtenteils",
    "部分",
    "基本",
    "可能",
];

/// Words that begin a sentence after yes or no: `Yes it is calm.`, but not `No commas are used.`
const CONTINUED: [&str; 6] = ["it", "this", "because", "since", "as", "weil"];

/// Yes or no at the beginning of a text: `None` if the word only begins a sentence, an error if the
/// rest contradicts it.
pub fn decided(text: &str) -> Result<Option<VoteValue>, String> {
    let opening = |c: char| c.is_whitespace() || "\"'“”‘’„«»「」『』(（[{:：".contains(c);
    let text = text.trim_start_matches(opening);
    let length = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    // Chinese has no blanks: `是的，很平静`, `是。`
    let answer = word(&text[..length]).map(|is_yes| (is_yes, &text[length..]));
    let Some((is_yes, rest)) = answer else { return Ok(None) };
    let words: Vec<&str> =
        rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let closing = rest.trim_start_matches([' ', '\t']);
    let goes_on = closing.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if goes_on
        && !words.first().is_some_and(|next| CONTINUED.contains(&next.to_lowercase().as_str()))
    {
        // `yes and no`, `no or yes`
        let joined = words.first().is_some_and(|next| {
            ["and", "or", "but", "und", "oder", "aber"].contains(&next.to_lowercase().as_str())
        });
        return match joined && words.iter().any(|other| word(other).is_some()) {
            true => Err("a line has both yes and no".to_owned()),
            false => Ok(None),
        };
    }
    if contradicts(rest, is_yes) {
        return Err("a line has both yes and no".to_owned());
    }
    let hedged = |other: &&&str| HEDGES.contains(&other.to_lowercase().as_str());
    if words.iter().take(3).find(hedged).is_some() {
        return Err("it answers neither yes nor no".to_owned());
    }
    Ok(Some(vote(is_yes)))
}

/// Whether the other answer is in a text as an answer. In `Yes, there are no commas` it belongs to a
/// noun.
fn contradicts(rest: &str, is_yes: bool) -> bool {
    let mut from = 0;
    while let Some(start) = rest[from..].find(char::is_alphanumeric).map(|offset| from + offset) {
        let length = rest[start..].find(|c: char| !c.is_alphanumeric());
        let end = length.map_or(rest.len(), |length| start + length);
        from = end;
        let alone = !rest[end..].trim_start_matches([' ', '\t']).starts_with(char::is_alphanumeric);
        if alone && word(&rest[start..end]).is_some_and(|other| other != is_yes) {
            return true;
        }
    }
    false
}

/// `7`, `Mark: 7`, `7/10`, `I would give it 8 out of 10.`
fn mark(line: &str, low: i64, high: i64) -> Result<Option<VoteValue>, String> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(&format!(
            r"(?i)^{LEAD_IN}(?:{BEFORE_NAME}(?:{MARK_NAMES}|overall|final)\s*(?:{MARK_NAMES})?{AFTER_NAME}|i(?:'d|’d|'ll| would| will| can)?\s+(?:give|rate|score|assign|award|grade)\s+(?:(?:it|this|the|response|answer|text)\s+)*(?:(?:as|at|with|an?|{MARK_NAMES}|of)\s+)*|我(?:给|打)(?:出)?(?:它|这个回答)?(?:打)?\s*|ich\s+(?:gebe|vergebe)\s+(?:(?:der|dem|ihr|ihm|antwort|text)\s+)*)"
        ))
        .ok()
    });
    pattern!(
        NUMBER,
        r"(?i)^(-?\d{1,18})(?:\.0+)?(?:\s*(/|out of|von)\s*(\d{1,18})(?:\.0+)?)?(.*)$"
    );
    let label = label_of(LABEL.as_ref(), line);
    let text = unquoted_start(label.unwrap_or(line));
    let Some(parts) = captures(&NUMBER, text) else { return Ok(None) };
    let number =
        |group: usize| parts.get(group).and_then(|digits| digits.as_str().parse::<i64>().ok());
    let (scale, rest) = (number(3), &parts[4]);
    let after = rest.trim_start_matches(|c: char| "\"'“”’»」』)）]} ".contains(c));
    let units = ["points", "point", "marks", "punkten", "punkte", "punkt", "分", "点"];
    let is_unit =
        |unit: &&&str| after.get(..unit.len()).is_some_and(|start| start.to_lowercase() == **unit);
    let after = after[units.iter().find(is_unit).map_or(0, |unit| unit.len())..].trim_start();
    let is_whole = after.trim_matches(|c: char| ".。!！ ".contains(c)).is_empty();
    if label.is_none() && !is_whole {
        // `8/10 - it is deep`, but not `1. It is deep` or `7.5`.
        let reasoned =
            scale.is_some() && after.starts_with(['-', '–', '—', ':', '：', ',', '，', '.', '(']);
        if !reasoned
            || rest.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            return Ok(None);
        }
    }
    let digit_follows = |marks: &[&str]| {
        let next = marks.iter().find_map(|mark| after.strip_prefix(mark));
        next.is_some_and(|next| next.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    };
    if after.starts_with(['%', '％']) {
        return Err("its mark is on another scale".to_owned());
    }
    if label.is_some() {
        let is_fraction =
            rest.starts_with(['.', ',']) && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if is_fraction {
            return Err("its mark is not an integer".to_owned());
        }
        if digit_follows(&[
            "-", "–", "—", "~", "to ", "or ", "and ", "bis ", "oder ", "到", "至", "或",
        ]) {
            return Err("it gives a range of marks".to_owned());
        }
        let separated = after.is_empty()
            || after.starts_with(|c: char| !c.is_alphanumeric())
            || ["because", "since", "as ", "for ", "weil", "因为"]
                .iter()
                .any(|by| after.starts_with(by))
            || !after.is_ascii();
        if !separated {
            return Ok(None);
        }
    }
    if scale.is_some_and(|scale| scale != high) {
        return Err("its mark is on another scale".to_owned());
    }
    let Some(mark) = number(1) else { return Ok(None) };
    require_range(mark, low, high)?;
    // `8/10 for depth, 6/10 for style`
    pattern!(OTHER, r"(-?\d{1,18})\s*/\s*(\d{1,18})");
    let others = OTHER.as_ref().into_iter().flat_map(|other| other.captures_iter(after));
    for other in others {
        let value = (other[1].parse::<i64>().ok(), other[2].parse::<i64>().ok());
        if value.1 == Some(high) && value.0 != Some(mark) {
            return Err("it gives two marks".to_owned());
        }
    }
    Ok(Some(VoteValue::Mark(mark)))
}

/// A text without quotation marks and opening brackets before it.
fn unquoted_start(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || "\"'“”‘’„«»「」『』(（[{:：".contains(c))
}

/// The mark in a text that is nothing else: `8`, `8.0`, `8/10`.
pub fn mark_alone(text: &str, low: i64, high: i64) -> Result<Option<VoteValue>, String> {
    mark(&plain(text.trim()), low, high)
}
