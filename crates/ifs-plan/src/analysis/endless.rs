//! Reports a dialogue that can never end.

use super::condition::possible;
use super::fact_bounds::FactBounds;
use super::guards::impossible_because;
use super::length::bound_of;
use super::names::with_computed_names;
use crate::{DialoguePlan, Plan};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_model::table::Dialogue;
use ifs_predicate::print::print as condition;
use ifs_predicate::tree::Tree;

/// Written turns end by themselves. A flow between topics continues until its `end` holds, so some
/// number of turns must ensure that.
pub(super) fn check(plan: &Plan, dialogue: DialoguePlan<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = check_dialogue(plan, dialogue.table).into_iter().collect();
    for (_, variant) in &dialogue.table.variants {
        let more = check_dialogue(plan, variant);
        let reported = |more: &Diagnostic| found.iter().any(|found| found.labels == more.labels);
        found.extend(more.filter(|more| !reported(more)));
    }
    found
}

fn check_dialogue(plan: &Plan, dialogue: &Dialogue) -> Option<Diagnostic> {
    let Some(rules) = &dialogue.topics else {
        return dialogue
            .endless
            .then(|| unneeded_end_warning(dialogue, "its turns are written out".to_owned()));
    };
    let message = format!("dialogue `{}` can never end", dialogue.name);
    let error = Diagnostic::error(Code::ENDLESS_FLOW, message);
    let lifted = with_computed_names(dialogue);
    let until = lifted.topics.as_ref().and_then(|rules| rules.until.as_ref());
    let ends = [("end when", lifted.end.as_ref(), &dialogue.end), ("until", until, &rules.until)];
    let ends: Vec<_> = ends
        .into_iter()
        .filter_map(|(word, lifted, written)| Some((word, lifted?, written.as_ref()?)))
        .collect();
    let Some((word, _, end)) = ends.first() else {
        if dialogue.endless {
            return None;
        }
        return Some(error.label(dialogue.span, "its flow repeats, and no `end` stops it").help(
            "add a line such as `end when turns >= 100`, or `endless` if it should have no bound",
        ));
    };
    let facts = FactBounds::for_dialogue(plan, &lifted);
    let at = |end: &Tree| if end.span == Span::default() { dialogue.end_span } else { end.span };
    let never = ends.iter().find(|(_, lifted, _)| !possible(&facts, &[lifted], &[]));
    if let Some((word, lifted, end)) = never {
        return Some(
            error
                .label(at(end), format!("this never holds: {}", impossible_because(&facts, lifted)))
                .help(format!(
                    "add an end that can be reached: `{word} {} or turns >= 100`",
                    condition(end)
                )),
        );
    }
    match (bound_of(plan, &lifted, &facts), dialogue.endless) {
        (None, false) => Some(
            Diagnostic::error(
                Code::ENDLESS_FLOW,
                format!("dialogue `{}` may never end", dialogue.name),
            )
            .label(at(end), "no number of turns ensures that this holds")
            .help(format!(
                "give it a bound: `{word} {} or turns >= 100`; or write `endless` if there should be none",
                condition(end)
            )),
        ),
        (Some(turns), true) => Some(unneeded_end_warning(dialogue, format!("it has {turns} turns at most"))),
        (None, true) | (Some(_), false) => None,
    }
}

fn unneeded_end_warning(dialogue: &Dialogue, why: String) -> Diagnostic {
    Diagnostic::error(
        Code::ENDLESS_FLOW,
        format!("dialogue `{}` is not endless: {why}", dialogue.name),
    )
    .label(dialogue.endless_span, "says that there is no bound")
    .help("leave `endless` out")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::sample::{and, at_least, evolif, less_than, loops, plan_of};

    fn first(dialogue: ifs_model::table::Dialogue) -> Option<String> {
        let plan = plan_of(dialogue);
        let found = check(&plan, plan.dialogues().next()?);
        found.first().map(|found| found.labels.first().map_or("", |label| &label.text).to_owned())
    }

    #[test]
    fn ends() {
        assert_eq!(first(evolif()), None);
        assert_eq!(first(loops()), None);
    }

    #[test]
    fn endless_flows_are_reported() {
        let mut dialogue = evolif();
        dialogue.end = None;
        let text = "its flow repeats, and no `end` stops it";
        assert_eq!(first(dialogue.clone()).as_deref(), Some(text));
        dialogue.end = Some(at_least("topics", 600));
        let text = "this never holds: the bank `topics` has 541 records";
        assert_eq!(first(dialogue.clone()).as_deref(), Some(text));
        dialogue.end = Some(and([at_least("turns", 9), less_than("turns", 3)]));
        let text = "this never holds: its parts exclude one another";
        assert_eq!(first(dialogue.clone()).as_deref(), Some(text));
        dialogue.end = Some(at_least("patience", 4));
        let text = "this never holds: `patience` is 3 at most";
        assert_eq!(first(dialogue).as_deref(), Some(text));
    }
}
