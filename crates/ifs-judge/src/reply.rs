//! Parses a judge's reply strictly: an ambiguous reply is unreadable, which is neither a pass
//! nor a zero.
//!
//! A verdict is JSON, alone, in a fenced block or between other words, or it is lines such as `1:
//! yes`. A verdict with the prompt's code may be anywhere. One without it must begin or end the
//! reply: elsewhere it may be quoted from the response, which may contain a forged verdict.

mod json;
mod lines;

use json::Json;

use super::votes::VoteValue;
use ifs_text::part_reasoning;

/// The expected content of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFormat {
    /// Yes or no to a number of questions.
    Checklist(usize),
    /// An integer in a range, inclusive.
    Mark { low: i64, high: i64 },
}

/// The verdict of a judge on one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeFinding {
    pub value: VoteValue,
    pub why: Option<String>,
}

/// A longer reply is unreadable.
const MAX_REPLY_BYTES: usize = 1 << 18;

/// The findings in the order of the questions, or why the reply is unreadable.
pub fn parse_reply(
    reply: &str,
    wanted: ReplyFormat,
    code: &str,
) -> Result<Vec<JudgeFinding>, String> {
    if reply.len() > MAX_REPLY_BYTES {
        return Err(format!("it is longer than {MAX_REPLY_BYTES} bytes"));
    }
    let (thought, text) = part_reasoning(reply).unwrap_or((String::new(), reply));
    let text = text.trim();
    if text.is_empty() {
        let why = if thought.is_empty() { "it is empty" } else { "it ends during reasoning" };
        return Err(why.to_owned());
    }
    let (found, rest) = json::blocks(text);
    let mut verdicts = verdicts(&found, wanted);
    // Python writes its texts in other quotation marks.
    let (again, other_rest) = match verdicts.is_empty() && text.contains("{'") {
        true => json::blocks(&text.replace('\'', "\"")),
        false => (Vec::new(), String::new()),
    };
    let rest = if again.is_empty() { rest } else { other_rest };
    verdicts.extend(self::verdicts(&again, wanted));
    let coded: Vec<_> = verdicts
        .iter()
        .filter(|(block, _)| block.value.field("code").is_some_and(|said| said.is_text(code)))
        .collect();
    let said_in_lines = lines::parse(&rest, wanted)?;
    let findings = match (&coded[..], &verdicts[..]) {
        ([(_, verdict)], _) => verdict.clone()?,
        ([], [(block, verdict)]) => {
            if block.value.field("code").is_some() {
                return Err("its code is not that of this prompt".to_owned());
            }
            if !block.begins && !block.ends {
                return Err(
                    "its verdict is in the middle of other text, like a quotation".to_owned()
                );
            }
            verdict.clone()?
        }
        ([], []) => {
            return said_in_lines.findings.ok_or_else(|| "it has no verdict".to_owned());
        }
        _ => return Err("it has more than one verdict".to_owned()),
    };
    let agrees = said_in_lines
        .stray
        .iter()
        .all(|(at, said)| findings.get(*at).is_some_and(|finding| finding.value == *said));
    if !agrees {
        return Err("its JSON and its text disagree".to_owned());
    }
    Ok(findings)
}

/// The fragments that are verdicts.
fn verdicts(
    found: &[json::JsonFragment],
    wanted: ReplyFormat,
) -> Vec<(&json::JsonFragment, Result<Vec<JudgeFinding>, String>)> {
    found.iter().filter_map(|block| Some((block, verdict(&block.value, wanted)?))).collect()
}

const LIST_KEYS: [&str; 5] = ["items", "answers", "verdicts", "results", "judge result"];
const ANSWER_KEYS: [&str; 5] = ["answer", "verdict", "judgement", "judgment", "result"];
const MARK_KEYS: [&str; 7] =
    ["mark", "score", "rating", "grade", "final_mark", "final_score", "overall_score"];
const REASON_KEYS: [&str; 4] = ["reason", "why", "explanation", "rationale"];
const NUMBER_KEYS: [&str; 3] = ["id", "number", "question"];

/// The verdict in a JSON value; `None` if it is something else.
fn verdict(value: &Json, wanted: ReplyFormat) -> Option<Result<Vec<JudgeFinding>, String>> {
    match wanted {
        ReplyFormat::Mark { low, high } => {
            let named = MARK_KEYS.iter().any(|name| value.field(name).is_some());
            named.then(|| mark(value, low, high).map(|finding| vec![finding]))
        }
        ReplyFormat::Checklist(count) => {
            let items = match value {
                Json::List(items) if items.iter().any(is_item) => Some(items),
                Json::List(items)
                    if !items.is_empty() && items.iter().all(|item| yes_or_no(item).is_some()) =>
                {
                    Some(items)
                }
                Json::Object(_) => LIST_KEYS.iter().find_map(|name| match value.field(name) {
                    Some(Json::List(items)) => Some(items),
                    _ => None,
                }),
                _ => None,
            };
            if let Some(items) = items {
                return Some(value.whole().and_then(|()| checklist(items, count)));
            }
            let Json::Object(fields) = value else { return None };
            let numbered: Vec<(usize, &Json)> = fields
                .iter()
                .filter_map(|(name, value)| Some((name.parse().ok()?, value)))
                .collect();
            if !numbered.is_empty() {
                let given = numbered.into_iter().map(|(id, value)| (Some(id), value));
                return Some(value.whole().and_then(|()| sorted(given, count)));
            }
            let single = count == 1 && is_item(value);
            single.then(|| sorted([(None, value)].into_iter(), 1))
        }
    }
}

fn is_item(value: &Json) -> bool {
    ANSWER_KEYS.iter().any(|name| value.field(name).is_some())
}

fn checklist(items: &[Json], count: usize) -> Result<Vec<JudgeFinding>, String> {
    let given = items.iter().map(|item| {
        let id = NUMBER_KEYS.iter().find_map(|name| item.field(name)?.whole_number());
        (id.and_then(|id| usize::try_from(id).ok()), item)
    });
    sorted(given, count)
}

/// Checks that every question is answered once: by number, or all of them in order.
fn sorted<'j>(
    given: impl Iterator<Item = (Option<usize>, &'j Json)>,
    count: usize,
) -> Result<Vec<JudgeFinding>, String> {
    let given: Vec<(Option<usize>, &Json)> = given.collect();
    let all_named = given.iter().all(|(id, _)| id.is_some());
    if !all_named && given.iter().any(|(id, _)| id.is_some()) {
        return Err("some of its items have a number and some have none".to_owned());
    }
    let mut findings: Vec<Option<JudgeFinding>> = vec![None; count];
    for (at, (id, item)) in given.into_iter().enumerate() {
        let number = id.unwrap_or(at + 1);
        let place = number.checked_sub(1).and_then(|at| findings.get_mut(at));
        let Some(place) = place else {
            return Err(format!("it answers a question {number} that was not asked"));
        };
        if place.is_some() {
            return Err(format!("it answers question {number} twice"));
        }
        *place = Some(answer(item, number)?);
    }
    let missing = findings.iter().position(Option::is_none);
    match missing {
        Some(at) => Err(format!("it does not answer question {}", at + 1)),
        None => Ok(findings.into_iter().flatten().collect()),
    }
}

fn answer(item: &Json, number: usize) -> Result<JudgeFinding, String> {
    item.whole()?;
    let unclear = || format!("its answer to question {number} is neither yes nor no");
    let said = match item {
        Json::Object(_) => {
            let mut named = ANSWER_KEYS.iter().filter_map(|name| item.field(name));
            let only = named.next().filter(|_| named.next().is_none());
            only.and_then(yes_or_no)
        }
        other => yes_or_no(other),
    };
    Ok(JudgeFinding { value: said.ok_or_else(unclear)?, why: reason(item) })
}

fn mark(value: &Json, low: i64, high: i64) -> Result<JudgeFinding, String> {
    value.whole()?;
    let mut named = MARK_KEYS.iter().filter_map(|name| value.field(name));
    let only = named.next().filter(|_| named.next().is_none());
    let mark = match only {
        Some(Json::Text(text)) => lines::mark_alone(text, low, high)?,
        other => other.and_then(Json::whole_number).map(VoteValue::Mark),
    };
    let mark = mark.ok_or("its mark is not an integer")?;
    if let VoteValue::Mark(mark) = mark {
        require_range(mark, low, high)?;
    }
    Ok(JudgeFinding { value: mark, why: reason(value) })
}

fn require_range(mark: i64, low: i64, high: i64) -> Result<(), String> {
    if (low..=high).contains(&mark) {
        return Ok(());
    }
    Err(format!("its mark {mark} is not on the scale from {low} to {high}"))
}

fn reason(item: &Json) -> Option<String> {
    let text = REASON_KEYS.iter().find_map(|name| item.field(name)?.text())?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn yes_or_no(value: &Json) -> Option<VoteValue> {
    match value {
        Json::Truth(true) => Some(VoteValue::Yes),
        Json::Truth(false) => Some(VoteValue::No),
        Json::Text(text) => lines::decided(text).ok().flatten(),
        Json::Nothing | Json::Number(_) | Json::List(_) | Json::Object(_) => None,
    }
}

/// The words for yes and no.
fn word(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "true" | "是" | "是的" | "对" | "ja" => Some(true),
        "no" | "false" | "否" | "不是" | "不" | "nein" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
