//! Grades recorded responses under another definition: `ifs score RUN --under SIDE`.

use std::path::Path;

use super::Format;
use super::exit::CommandError;
use super::load::{CheckedScenario, show, summary};
use super::output::Output;
use super::revision::ScenarioAt;
use ifs_plan::Plan;
use ifs_run::{RegradeCounts, Regrader, RunManifest};

/// The plan of another definition, with the variant of the run.
pub(super) fn plan(
    side: &str,
    run: &Path,
    manifest: &RunManifest,
    output: &mut Output,
) -> Result<Plan, CommandError> {
    let place = ScenarioAt::parse(side);
    let found = place.find()?;
    let CheckedScenario { checked: Some((plan, _)), .. } = found else {
        show(&found, Format::Text, output);
        output.note(&summary(found.errors(), found.warnings()));
        return Err(CommandError::already_printed());
    };
    let dialogue = &manifest.dialogue;
    let missing = |what: String| {
        CommandError::input(format!(
            "`{}` is a run of {what}, which `{side}` does not have",
            run.display()
        ))
        .help("name the scenario of the run as it is now, or as it was: `HEAD:desk.ifs`")
    };
    if plan.dialogue(dialogue).is_none() {
        return Err(missing(format!("the dialogue `{dialogue}`")));
    }
    match &manifest.variant {
        None => Ok(plan),
        Some(variant) => plan
            .varied(dialogue, variant)
            .ok_or_else(|| missing(format!("the variant `{variant}` of `{dialogue}`"))),
    }
}

/// Prints what became of recorded dialogues under other verdicts.
pub(super) fn warn(regrader: &Regrader<'_>, graded: u64, output: &mut Output) {
    /// More dialogues that would have gone on are not listed.
    const MAX_LISTED: usize = 5;

    let RegradeCounts { left_out, dropped, cut, unrecorded } = &regrader.counts;
    if let Some(class) = regrader.class.filter(|_| *left_out > 0) {
        output.warn(&format!(
            "{left_out} of {} dialogues are left out: their messages differ under this definition ({})",
            graded + left_out,
            class.phrase()
        ));
    }
    if *dropped > 0 {
        output.warn(&format!(
            "{dropped} verdicts of judges answer other questions and are not counted"
        ));
    }
    if *cut > 0 {
        output.note(&format!(
            "{cut} of {graded} dialogues end before their recording, by the new verdicts"
        ));
    }
    if !unrecorded.is_empty() {
        let listed = unrecorded.iter().take(MAX_LISTED);
        let listed: Vec<String> =
            listed.map(|(index, turn)| format!("number {index} after turn {turn}")).collect();
        let more = match unrecorded.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        output.warn(&format!(
            "{} of {graded} dialogues would have gone on where their recording ends: {}{more}",
            unrecorded.len(),
            listed.join(", ")
        ));
    }
}
