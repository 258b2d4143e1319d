//! Caveats about the numbers of a report.

use std::collections::BTreeMap;

use super::{
    DialogueSource, Ending, EndingCount, MetricScore, NoText, ScoreTotals, ScoredDialogue,
    ScoredTurn, UndecidedBounds,
};

pub(super) fn caveats(
    dialogues: &impl DialogueSource,
    totals: &ScoreTotals,
    endings: &[EndingCount],
    metrics: &[MetricScore],
) -> Vec<String> {
    let (mut not_begun, mut stopped, mut lost, mut unspent) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut cut, mut withheld, mut unread, mut unrecorded) = (0, 0, 0_u64, 0_u64);
    for dialogue in dialogues.each() {
        let has_begun = !dialogue.turns.is_empty() || dialogue.ending == Ending::ContextLength;
        not_begun += u64::from(!has_begun);
        stopped += u64::from(has_begun && dialogue.ending == Ending::Interrupted);
        lost += u64::from(dialogue.ending == Ending::Patience);
        unrecorded += u64::from(dialogue.ending == Ending::Unrecorded);
        unspent += u64::from(matches!(dialogue.ending, Ending::Script | Ending::MaxTurns));
        for turn in &dialogue.turns {
            cut += turn.cut;
            withheld += turn.withheld;
            unread += turn.observations.iter().filter(|(_, seen)| seen.is_none()).count() as u64;
        }
    }
    let broken = totals.broken_dialogues;
    let unjudged = totals.constraints.unjudged;

    let cause = endings.iter().find_map(|count| count.ending.failure());
    let cause = cause.unwrap_or_default();

    let all = [
        beginnings(&totals.unknown_reasoning).map(|(responses, markers)| {
            format!(
                "{responses} in a block that no known model writes ({markers}); it was kept apart \
                 as reasoning and not scored"
            )
        }),
        beginnings(&totals.unknown_blocks).map(|(responses, markers)| {
            format!(
                "{responses} in a block that may be reasoning ({markers}); it was scored as part \
                 of the response and sent back in later turns"
            )
        }),
        (unjudged > 0).then(|| {
            format!(
                "{} could not be judged{}; {} undecided and left out of every built-in rate{}",
                counted_noun(unjudged, "constraint outcome"),
                unjudged_reasons(totals),
                count_with_verb(totals.undecided_turns, "turn"),
                bounds_in_words(metrics),
            )
        }),
        (not_begun > 0).then(|| {
            format!(
                "{} never started and {} left out of every mean",
                counted_noun(not_begun, "dialogue"),
                verb_for(not_begun)
            )
        }),
        (broken > 0).then(|| {
            format!(
                "{} incomplete because a request failed ({cause}); the turns before it count",
                count_are(broken, "dialogue")
            )
        }),
        (stopped > 0).then(|| {
            format!(
                "{} stopped before the end, by Ctrl-C or a spent budget; the turns before it count",
                count_with_verb(stopped, "dialogue")
            )
        }),
        (lost > 0 && unspent > 0).then(|| {
            format!(
                "{} ran out of turns with patience left, so endurance (EDR) is a lower bound",
                counted_noun(unspent, "dialogue")
            )
        }),
        (cut > 0).then(|| {
            format!(
                "{} cut at the token limit (`--max-tokens`); what is missing counts as missed",
                count_with_verb(cut, "response")
            )
        }),
        (unread > 0).then(|| {
            format!(
                "{} could not be read; a branch that depends on one took its `else`",
                counted_noun(unread, "observation")
            )
        }),
        (withheld > 0).then(|| {
            format!(
                "{} withheld or cut by the endpoint's filter and scored unchanged",
                count_with_verb(withheld, "response")
            )
        }),
        (unrecorded > 0).then(|| {
            format!(
                "{} would have gone on after the recorded turns: lengths and endurance (EDR) are lower bounds",
                counted_noun(unrecorded, "dialogue")
            )
        }),
        (totals.empty_turns > 0).then(|| {
            let empty = totals.empty_turns;
            format!(
                "{} no active constraint and no requirement, and {} left out of every rate",
                count_has(empty, "turn"),
                verb_for(empty)
            )
        }),
        (totals.distinct_dialogues < totals.dialogues).then(|| {
            format!(
                "{} have {}: repeats of a text are one cluster in every standard error, interval \
                 and test",
                counted_noun(totals.dialogues, "dialogue"),
                counted_noun(totals.distinct_dialogues, "distinct text"),
            )
        }),
    ];
    let mut caveats = of_endpoints(dialogues, totals);
    caveats.extend(all.into_iter().flatten());
    caveats
}

/// Caveats about what endpoints did besides answering.
pub(super) fn of_endpoints(dialogues: &impl DialogueSource, totals: &ScoreTotals) -> Vec<String> {
    let (mut beyond_missed, mut beyond_omitted) = (0_u64, 0_u64);
    let mut shortened: Vec<ShortenedPrompt> = Vec::new();
    for dialogue in dialogues.each() {
        let is_beyond = |why: &NoText| *why == NoText::ContextLength;
        let mut silent = dialogue.turns.iter().flat_map(|turn| &turn.no_text);
        match silent.any(is_beyond) {
            true => beyond_missed += 1,
            false => beyond_omitted += u64::from(dialogue.ending == Ending::ContextLength),
        }
        shortened.extend(ShortenedPrompt::find(&dialogue));
    }
    let all = [
        without_text(totals),
        (beyond_missed > 0).then(|| {
            format!(
                "{} the context window of the model; the turns from there on count as missed",
                counted_with_verb(beyond_missed, "dialogue", "exceeds", "exceed")
            )
        }),
        (beyond_omitted > 0).then(|| {
            format!(
                "{} the context window of the model; the turns from there on are left out of every \
                 score",
                counted_with_verb(beyond_omitted, "dialogue", "exceeds", "exceed")
            )
        }),
        shortened_prompts(&shortened),
        (totals.without_stop_reason > 0).then(|| {
            format!(
                "{} no stop reason, so the endpoint does not say whether {} complete",
                count_has(totals.without_stop_reason, "response"),
                if totals.without_stop_reason == 1 { "it is" } else { "they are" }
            )
        }),
        (totals.served.len() > 1).then(|| {
            let names: Vec<String> =
                totals.served.iter().map(|(name, count)| format!("`{name}` {count}")).collect();
            format!("{} models gave the responses: {}", totals.served.len(), names.join(", "))
        }),
    ];
    all.into_iter().flatten().collect()
}

/// The most frequent reasons are listed.
const MAX_REASONS: usize = 4;

/// ` (8 since a reply of a judge cannot be read, 2 since no judge was asked)`
fn unjudged_reasons(totals: &ScoreTotals) -> String {
    let mut reasons: Vec<(&String, &u64)> = totals.unjudged_reasons.iter().collect();
    // The map is sorted by text, so equal counts have a fixed order.
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let listed: Vec<String> = reasons
        .iter()
        .take(MAX_REASONS)
        .map(|(why, count)| format!("{count} since {why}"))
        .collect();
    let more = reasons.len().saturating_sub(MAX_REASONS);
    let more = if more > 0 { format!(", and {more} more reasons") } else { String::new() };
    match listed.is_empty() {
        true => String::new(),
        false => format!(" ({}{more})", listed.join(", ")),
    }
}

/// `: CSR is 20.0 % if all were missed and 60.0 % if all held, ISR …`
fn bounds_in_words(metrics: &[MetricScore]) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let bounded = metrics.iter().filter(|metric| ["CSR", "ISR"].contains(&metric.name.as_str()));
    let bounded: Vec<String> = bounded
        .filter_map(|metric| {
            let UndecidedBounds { all_missed, all_held } = metric.undecided?;
            let (name, low, high) = (&metric.name, percent(all_missed), percent(all_held));
            Some(format!("{name} is {low} if all were missed and {high} if all held"))
        })
        .collect();
    match bounded.is_empty() {
        true => String::new(),
        false => format!(": {}", bounded.join(", ")),
    }
}

/// The number of responses that begin in unknown markers, and the markers.
fn beginnings(counts: &BTreeMap<String, u64>) -> Option<(String, String)> {
    let all: u64 = counts.values().sum();
    let verb = if all == 1 { "begins" } else { "begin" };
    let markers: Vec<String> =
        counts.iter().map(|(marker, count)| format!("`{marker}` {count}")).collect();
    (all > 0).then(|| (format!("{} {verb}", counted_noun(all, "response")), markers.join(", ")))
}

/// Responses without text, by cause, and the outcome of their turns.
fn without_text(totals: &ScoreTotals) -> Option<String> {
    let all: u64 = totals.without_text.values().sum();
    let reasons: Vec<String> =
        totals.without_text.iter().map(|(why, count)| format!("{count} {why}")).collect();
    let reasons = reasons.join(", ");
    let withheld = totals.withheld_responses;
    let what = match all - withheld {
        0 => {
            "their turns are undecided and left out of every rate, since the endpoint is the cause"
        }
        said if said == all => "they count as missed, and their turns as failed",
        _ => {
            "those of the model count as missed, and turns that the endpoint is the cause of are \
             undecided and left out of every rate"
        }
    };
    (all > 0).then(|| {
        let verb = if all == 1 { "has" } else { "have" };
        format!("{} {verb} no text ({reasons}): {what}", counted_noun(all, "response"))
    })
}

/// A dialogue in which the endpoint seems to have cut the history.
struct ShortenedPrompt {
    /// `talk 3`
    dialogue: String,
    /// The turn with the most tokens, and their number.
    turn: u32,
    tokens: u64,
}

/// A prompt of this many tokens may be cut from the first turn on.
const LARGE_PROMPT_TOKENS: u64 = 1000;

/// Characters that no tokenizer reads as nothing.
const MIN_GROWTH: u64 = 16;

impl ShortenedPrompt {
    /// A conversation only grows, and so do the tokens of its requests. An endpoint that reports the
    /// same few for every request counts something else.
    fn find(dialogue: &ScoredDialogue) -> Option<ShortenedPrompt> {
        let known = |turn: &ScoredTurn| Some((turn.turn, turn.sent?, turn.prompt_tokens?));
        let mut known = dialogue.turns.iter().filter_map(known);
        let (mut turn, mut sent, mut tokens) = known.next()?;
        let mut has_grown = tokens >= LARGE_PROMPT_TOKENS;
        for next in known {
            if next.2 > tokens {
                (turn, sent, tokens) = next;
                has_grown = true;
            } else if has_grown && next.1 >= sent + MIN_GROWTH {
                let dialogue = format!("{} {}", dialogue.dialogue, dialogue.index);
                return Some(ShortenedPrompt { dialogue, turn, tokens });
            }
        }
        None
    }
}

fn shortened_prompts(all: &[ShortenedPrompt]) -> Option<String> {
    let ShortenedPrompt { dialogue, turn, tokens } = all.first()?;
    Some(format!(
        "the prompt tokens that the endpoint reports stop growing in {} while the conversation grows \
         ({dialogue}: {tokens} from turn {turn} on): the endpoint seems to cut the history, the \
         oldest messages first (Ollama: raise `num_ctx`)",
        counted_noun(all.len() as u64, "dialogue"),
    ))
}

fn counted_noun(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

fn count_with_verb(count: u64, noun: &str) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", counted_noun(count, noun))
}

fn counted_with_verb(count: u64, noun: &str, one: &str, many: &str) -> String {
    format!("{} {}", counted_noun(count, noun), if count == 1 { one } else { many })
}

fn count_are(count: u64, noun: &str) -> String {
    format!("{} {}", counted_noun(count, noun), verb_for(count))
}

fn count_has(count: u64, noun: &str) -> String {
    let verb = if count == 1 { "has" } else { "have" };
    format!("{} {verb}", counted_noun(count, noun))
}

fn verb_for(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::super::{ScoreOptions, score};
    use super::*;

    #[test]
    fn clean_runs_have_no_caveats() {
        assert!(score(&dialogues(&["SFS", "SSS"]), &ScoreOptions::default()).caveats.is_empty());
    }

    #[test]
    fn prompts_that_stop_growing() {
        let cut = |tokens: &[u64], sent: &[u64]| {
            let mut given = dialogues(&[&"S".repeat(tokens.len())]);
            for (turn, (tokens, sent)) in given[0].turns.iter_mut().zip(tokens.iter().zip(sent)) {
                (turn.prompt_tokens, turn.sent) = (Some(*tokens), Some(*sent));
            }
            ShortenedPrompt::find(&given[0]).map(|found| (found.turn, found.tokens))
        };
        let sent = [3600, 7200, 10_800, 14_400];
        assert_eq!(cut(&[900, 1800, 2050, 2050], &sent), Some((3, 2050)));
        assert_eq!(cut(&[900, 1800, 2050, 1990], &sent), Some((3, 2050)));
        assert_eq!(cut(&[2048, 2048, 2048, 2048], &sent), Some((1, 2048)));
        assert_eq!(cut(&[9, 18, 20, 20], &[36, 72, 108, 144]), Some((3, 20)));
        // Honest ones, a constant that counts nothing, a conversation that does not grow, one turn.
        assert_eq!(cut(&[900, 901, 1350, 1800], &sent), None);
        assert_eq!(cut(&[11, 11, 11, 11], &sent), None);
        assert_eq!(cut(&[900, 1800, 1800, 1900], &[3600, 7200, 7200, 7600]), None);
        assert_eq!(cut(&[2048], &sent), None);
    }

    #[test]
    fn outcomes_of_endpoints_are_reported() {
        let mut given = dialogues(&["SF", "S", "SS"]);
        given[0].turns[1].no_text = Some(NoText::ContextLength);
        given[1].ending = Ending::ContextLength;
        given[2].turns[0].without_stop_reason = 2;
        given[2].turns[0].served = vec!["m-1".to_owned(), "m-2".to_owned()];
        given[2].turns[1].served = vec!["m-1".to_owned()];
        let caveats = score(&given, &ScoreOptions::default()).caveats;
        for text in [
            "1 response has no text (1 beyond the context window): they count as missed",
            "1 dialogue exceeds the context window of the model; the turns from there on count as \
             missed",
            "1 dialogue exceeds the context window of the model; the turns from there on are left out",
            "2 responses have no stop reason, so the endpoint does not say whether they are complete",
            "2 models gave the responses: `m-1` 2, `m-2` 1",
        ] {
            assert!(caveats.iter().any(|caveat| caveat.starts_with(text)), "{text}: {caveats:#?}");
        }
        assert_eq!(caveats.len(), 5, "{caveats:#?}");
    }

    #[test]
    fn every_oddity_is_reported() {
        let mut given = dialogues(&["S?", "E", "", "SFF", "SS"]);
        for (dialogue, ending) in given.iter_mut().zip([
            Ending::Script,
            Ending::Interrupted,
            Ending::Failed("no route".to_owned()),
            Ending::Patience,
            Ending::Script,
        ]) {
            dialogue.ending = ending;
        }
        (given[0].turns[0].cut, given[0].turns[1].withheld) = (2, 1);
        let caveats =
            score(&given, &ScoreOptions { patience: Some(3), ..ScoreOptions::default() }).caveats;
        assert_eq!(caveats.len(), 8, "{caveats:#?}");
        assert!(caveats.iter().any(|caveat| caveat.starts_with("2 responses were cut")));
        assert!(caveats.iter().any(|caveat| caveat.starts_with("1 dialogue was stopped before")));
        assert!(caveats.iter().any(|caveat| {
            caveat.starts_with("1 dialogue is incomplete because a request failed (no route)")
        }));
    }
}
