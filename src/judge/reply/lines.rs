//! Verdicts in lines of plain text: `1: yes`, `Answer: no`, `Mark: 7/10`.

use std::sync::LazyLock;

use regex::Regex;

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
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.trim_matches('`').is_empty()).collect();
    let mut stray: Vec<(usize, VoteValue)> = Vec::new();
    let mut outer = false;
    for (at, line) in lines.iter().enumerate() {
        let found = match wanted {
            ReplyFormat::Checklist(count) => parse_line(line, count)?,
            ReplyFormat::Mark { low, high } => mark(line, low, high)?.map(|mark| (0, mark)),
        };
        if let Some((place, said)) = found {
            if stray.iter().any(|(known, other)| *known == place && *other != said) {
                return Err("it gives two verdicts on one question".to_owned());
            }
            outer |= at == 0 || at + 1 == lines.len();
            stray.push((place, said));
        }
    }
    let count = match wanted {
        ReplyFormat::Checklist(count) => count,
        ReplyFormat::Mark { .. } => 1,
    };
    let findings: Option<Vec<JudgeFinding>> = (0..count)
        .map(|place| {
            let said = stray.iter().find(|(known, _)| *known == place)?.1;
            Some(JudgeFinding { value: said, why: None })
        })
        .collect();
    Ok(LineVerdicts { findings: findings.filter(|_| outer && count > 0), stray })
}

/// The verdict of a line, and its question.
fn parse_line(line: &str, count: usize) -> Result<Option<(usize, VoteValue)>, String> {
    /// A number, a separator, yes or no, and the rest.
    static NUMBERED_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^[\s*_#•-]*(?:(?:q|question|item|answer|问题)\s*)?(\d{1,6})\s*[*_]*\s*[.):：、-]\s*[*_]*\s*(?:answer\s*[:：]\s*)?[*_']*(yes|no|是|否)[*_']*(.*)$",
        )
        .ok()
    });
    /// The number may be omitted for a single question.
    static SINGLE_ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^[\s*_#•-]*(?:(?:the\s+)?(?:final\s+)?(?:answer|verdict|judge?ment|判断)\s*[*_]*\s*[:：]\s*)?[*_']*(yes|no|是|否)[*_']*(.*)$",
        )
        .ok()
    });
    if let Some(found) = NUMBERED_LINE.as_ref().and_then(|pattern| pattern.captures(line)) {
        let Some(said) = decided(&found[2], &found[3])? else { return Ok(None) };
        let number: usize = found[1].parse().unwrap_or(0);
        let place = number.checked_sub(1).filter(|place| *place < count);
        let place =
            place.ok_or_else(|| format!("it answers a question {number} that was not asked"))?;
        return Ok(Some((place, said)));
    }
    if count == 1
        && let Some(found) = SINGLE_ANSWER.as_ref().and_then(|pattern| pattern.captures(line))
    {
        return Ok(decided(&found[1], &found[2])?.map(|said| (0, said)));
    }
    Ok(None)
}

/// Yes or no, and the rest of the line: `None` if the word only begins a sentence, an error if the
/// rest contradicts it.
fn decided(said: &str, rest: &str) -> Result<Option<VoteValue>, String> {
    let rest = rest.trim();
    if rest.chars().next().is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
        return Ok(None);
    }
    let Some(said) = word(said) else { return Ok(None) };
    let words = rest.split(|letter: char| !letter.is_alphanumeric());
    if words.filter_map(word).any(|other| other != said) {
        return Err("a line has both yes and no".to_owned());
    }
    Ok(Some(if said { VoteValue::Yes } else { VoteValue::No }))
}

/// `7`, `Mark: 7`, `7/10`.
fn mark(line: &str, low: i64, high: i64) -> Result<Option<VoteValue>, String> {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^[\s*_#•]*(?:(?:the\s+)?(?:final\s+)?(?:mark|score|rating|评分|得分)\s*[*_]*\s*[:：=]\s*)?[*_]*(-?\d{1,18})[*_]*(?:\s*(?:/|out of)\s*(\d{1,18}))?[*_.\s]*$",
        )
        .ok()
    });
    let Some(found) = MARK.as_ref().and_then(|pattern| pattern.captures(line)) else {
        return Ok(None);
    };
    let number = |at: usize| found.get(at).and_then(|digits| digits.as_str().parse::<i64>().ok());
    if number(2).is_some_and(|of| of != high) {
        return Err("its mark is on another scale".to_owned());
    }
    let Some(mark) = number(1) else { return Ok(None) };
    require_range(mark, low, high)?;
    Ok(Some(VoteValue::Mark(mark)))
}
