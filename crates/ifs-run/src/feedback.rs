//! Rounds of feedback: whether there is another one, and its message.

use super::success;
use ifs_draw::{CriterionKind, DrawError, Drawer, MissCause, Missed, language};
use ifs_judge::{AggregatedVote, Exchange, Reasons, VerdictRecord, VoteValue, read_in};
use ifs_model::table::Feedback;
use ifs_predicate::explain::Wording;
use ifs_score::{DecisionMethod, NoText, Outcome};

/// Whether a response is requested again. After one without text there may be no failed constraint
/// to report.
pub fn needs_feedback(no_text: Option<&NoText>, verdicts: &[VerdictRecord]) -> bool {
    let missed_any = verdicts.iter().any(VerdictRecord::is_missed);
    success(no_text, verdicts) == Some(false) && missed_any
}

/// The message of a round: the failed constraints and the reasons.
///
/// # Errors
/// Returns the error of the scenario's template.
pub fn feedback(
    drawer: &Drawer<'_>,
    index: u64,
    exchange: &Exchange<'_>,
    verdicts: &[VerdictRecord],
    round: u32,
    form: Feedback,
) -> Result<String, DrawError> {
    let turn = exchange.turn;
    let worded = worded(drawer, exchange, verdicts);
    let verdicts = worded.as_deref().unwrap_or(verdicts);
    // A blocked requirement does not repeat the reason of the one that blocked it.
    let reported = |why: &str| verdicts.iter().any(|it| it.why.as_deref() == Some(why));
    let of_judges: Vec<String> = verdicts.iter().map(reasons_of_judges).collect();
    let missed: Vec<Missed<'_>> = verdicts
        .iter()
        .zip(&of_judges)
        .filter(|(verdict, _)| verdict.is_missed())
        .map(|(verdict, of_judges)| Missed {
            kind: verdict.kind,
            name: &verdict.constraint,
            speaker: verdict.speaker,
            // A simulated judge gives no reason.
            why: match verdict.outcome {
                Outcome::Blocked => verdict.itself.as_deref().filter(|why| !reported(why)),
                _ if !verdict.votes.is_empty() => {
                    Some(of_judges.as_str()).filter(|why| !why.is_empty())
                }
                _ => verdict.why.as_deref(),
            }
            .filter(|_| verdict.by != DecisionMethod::SimulatedJudge),
            because: root_cause(verdict, verdicts),
        })
        .collect();
    drawer.feedback(turn, exchange.answer, &missed, round, form).map_err(|error| {
        let from = drawer.dialogue().table.over.as_ref().map(|(from, _)| from.as_str());
        let record = from.zip(turn.over.as_deref());
        drawer.blame(error, Some(index), turn.turn, record.as_slice())
    })
}

/// The reasons of the judges that voted for a miss, each once. Feedback does not name the judges;
/// reports do.
fn reasons_of_judges(verdict: &VerdictRecord) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for vote in &verdict.votes {
        let reason = vote.why.as_deref().unwrap_or_default().trim().trim_end_matches(['.', '。']);
        let is_against = matches!(vote.value, VoteValue::No | VoteValue::Mark(_));
        if is_against && !reason.is_empty() && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.join("; ")
}

/// The same verdicts with reasons for the model, in the language of the turn; `None` without text.
fn worded(
    drawer: &Drawer<'_>,
    exchange: &Exchange<'_>,
    verdicts: &[VerdictRecord],
) -> Option<Vec<VerdictRecord>> {
    if NoText::from_text(exchange.answer).is_some() {
        return None;
    }
    let words = Wording::for_language(&language(exchange.turn)).unwrap_or(Wording::english());
    let aggregated: Vec<AggregatedVote> =
        verdicts.iter().filter_map(VerdictRecord::aggregated).collect();
    let reasons = Reasons { words, for_model: true };
    Some(read_in(drawer.plan(), exchange, &aggregated, reasons))
}

/// The first failed requirement in a chain of blocked ones.
fn root_cause<'v>(verdict: &'v VerdictRecord, all: &'v [VerdictRecord]) -> MissCause<'v> {
    let mut at = verdict;
    // A chain is never longer than the list of verdicts.
    for _ in all {
        let Some(cause) = at.cause.as_deref() else { break };
        match at.outcome {
            Outcome::Unextracted if std::ptr::eq(at, verdict) => return MissCause::Part(cause),
            Outcome::Blocked => {
                let before = all.iter().find(|other| {
                    other.kind == Some(CriterionKind::Requirement) && other.constraint == cause
                });
                match before {
                    Some(before) => at = before,
                    None => return MissCause::Requirement(cause),
                }
            }
            _ => break,
        }
    }
    match std::ptr::eq(at, verdict) {
        true => MissCause::Answer,
        false => MissCause::Requirement(&at.constraint),
    }
}
