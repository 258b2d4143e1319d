//! Caveats about the numbers of a report.

use super::replay::Replay;
use super::{DialogueSource, Ending, EndingCount, ScoreTotals};

pub(super) fn caveats(
    dialogues: &impl DialogueSource,
    totals: &ScoreTotals,
    endings: &[EndingCount],
    replay: Option<&Replay>,
) -> Vec<String> {
    let (mut not_begun, mut stopped, mut lost, mut unspent) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut cut, mut withheld, mut unread) = (0, 0, 0_u64);
    for dialogue in dialogues.each() {
        let has_begun = !dialogue.turns.is_empty();
        not_begun += u64::from(!has_begun);
        stopped += u64::from(has_begun && dialogue.ending == Ending::Interrupted);
        lost += u64::from(dialogue.ending == Ending::Patience);
        unspent += u64::from(matches!(dialogue.ending, Ending::Script | Ending::MaxTurns));
        for turn in &dialogue.turns {
            cut += turn.cut;
            withheld += turn.withheld;
            unread += turn.observations.iter().filter(|(_, seen)| seen.is_none()).count() as u64;
        }
    }
    let broken = totals.broken_dialogues;
    let unjudged = totals.constraints.unjudged;
    let too_short = replay.map_or(0, |replay| replay.too_short);

    let cause = endings.iter().find_map(|count| match &count.ending {
        Ending::Failed(why) => Some(why.as_str()),
        _ => None,
    });
    let cause = cause.unwrap_or_default();

    let all = [
        without_text(totals),
        (unjudged > 0).then(|| {
            format!(
                "{} could not be judged; {} undecided and left out of every built-in rate",
                counted_noun(unjudged, "constraint outcome"),
                count_with_verb(totals.undecided_turns, "turn"),
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
        (too_short > 0).then(|| {
            format!(
                "{} recorded with less patience than was replayed and would have continued",
                count_with_verb(too_short, "dialogue")
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
    all.into_iter().flatten().collect()
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
        assert_eq!(caveats.len(), 9, "{caveats:#?}");
        assert!(caveats.iter().any(|caveat| caveat.starts_with("2 responses were cut")));
        assert!(caveats.iter().any(|caveat| caveat.starts_with("1 dialogue was stopped before")));
        assert!(caveats.iter().any(|caveat| {
            caveat.starts_with("1 dialogue is incomplete because a request failed (no route)")
        }));
    }
}
