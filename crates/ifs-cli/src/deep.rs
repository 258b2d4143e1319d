//! `ifs check --deep`: a report on a sample of dialogues.

use serde::Serialize;

use super::exit::CommandError;
use super::load::counted;
use ifs_audit::{AuditSummary, summary};
use ifs_base::diagnostic::visible_text;
use ifs_draw::proof::{Survey, survey};
use ifs_draw::{ChoiceKind, Drawer, Frequency, Seed};
use ifs_plan::{Plan, analysis};

pub(crate) struct SurveyedSample {
    pub dialogues: u64,
    pub turns: u32,
    pub seed: Seed,
}

#[derive(Serialize)]
pub(crate) struct DeepCheck {
    /// Constraints that exclude one another for some values of their parameters.
    partial: Vec<analysis::PartialConflict>,
    dialogues: Vec<Survey>,
    /// What audits of the dialogues found, in their order.
    audits: Vec<AuditSummary>,
}

pub(crate) fn deep_check(plan: &Plan, sample: &SurveyedSample) -> Result<DeepCheck, CommandError> {
    let mut deep =
        DeepCheck { partial: analysis::partial(plan), dialogues: Vec::new(), audits: Vec::new() };
    for dialogue in plan.dialogues() {
        let name = &dialogue.table.name;
        let drawer = Drawer::new(plan, name)?;
        deep.dialogues.push(survey(&drawer, sample.seed, sample.dialogues, sample.turns)?);
        deep.audits.push(summary(plan, name, sample.seed)?);
    }
    Ok(deep)
}

/// The maximum number of lines of a kind; further ones are only counted.
const MAX_LINES: usize = 8;

impl DeepCheck {
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        for (survey, audit) in self.dialogues.iter().zip(&self.audits) {
            lines.push(format!(
                "  sample of {}: {} with seed {}, {}",
                survey.dialogue,
                counted(survey.dialogues as usize, "dialogue"),
                survey.seed,
                counted(survey.turns as usize, "turn")
            ));
            lines.push(format!(
                "    witness found at the first draw {}, at a later draw {}, not found {}",
                share(survey.proven_at_first, survey.turns),
                share(survey.proven_later, survey.turns),
                share(survey.unproven, survey.turns),
            ));
            if survey.nothing_to_prove > 0 {
                lines.push(format!(
                    "    no rules {}: these turns have no active rule",
                    share(survey.nothing_to_prove, survey.turns)
                ));
            }
            let most = match survey.rejects_most() {
                Some((name, times)) => format!("; most often rejected: `{name}` ({times})"),
                None => String::new(),
            };
            let taken = survey.draws - survey.refused;
            lines.push(format!("    draws accepted {}{most}", share(taken, survey.draws)));
            for pair in survey.refusals.iter().take(MAX_LINES) {
                let beside: Vec<String> =
                    pair.beside.iter().map(|name| format!("`{name}`")).collect();
                lines.push(format!(
                    "      `{}` was rejected {} next to {}",
                    pair.drawn,
                    counted(pair.times as usize, "time"),
                    beside.join(" and "),
                ));
            }
            push_count_of_rest(survey.refusals.len(), &mut lines);
            skewed(survey, &mut lines);
            for set in survey.missing.iter().take(MAX_LINES) {
                let names: Vec<String> =
                    set.constraints.iter().map(|name| format!("`{name}`")).collect();
                lines.push(format!(
                    "      no witness for {} on {}",
                    names.join(", "),
                    counted(set.turns as usize, "turn")
                ));
            }
            push_count_of_rest(survey.missing.len(), &mut lines);
            lines.extend(audit_lines(audit));
        }
        if !self.partial.is_empty() {
            lines.push("  values that are never drawn together:".to_owned());
        }
        for partial in self.partial.iter().take(MAX_LINES) {
            let [one, other] = &partial.constraints;
            let [here, there] = &partial.example;
            lines.push(format!(
                "    `{one}` and `{other}`: {} of {}, such as ({here}) and ({there})",
                partial.excluded, partial.of
            ));
        }
        push_count_of_rest(self.partial.len(), &mut lines);
        lines.join("\n")
    }
}

/// What the audit of a dialogue found; nothing if no rule is on its turns.
pub(crate) fn audit_lines(audit: &AuditSummary) -> Vec<String> {
    if audit.turns == 0 {
        return Vec::new();
    }
    let changed = match (&audit.worst_form, &audit.worst_check) {
        (Some(form), Some(check)) => format!(", most often `{form}`, and of `{check}`"),
        _ => String::new(),
    };
    let passed = match &audit.best_answer {
        Some(answer) => format!("`{answer}` passes {}", percent(audit.floor)),
        None => "none passes a turn with facts or requirements".to_owned(),
    };
    let mut lines = vec![
        format!(
            "    forms of a right answer that should not matter change verdicts on {} of {}{changed}",
            percent(audit.changed),
            counted(audit.turns as usize, "turn"),
        ),
        format!("    answers that know nothing: {passed}"),
    ];
    if audit.evaded > 0.0 {
        lines.push(format!("    {} of wrong answers pass in another form", percent(audit.evaded)));
    }
    if !audit.limits_missed.is_empty() {
        lines.push(format!(
            "    limits missed: {} (`ifs audit` has the details)",
            audit.limits_missed.join(", ")
        ));
    }
    lines
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Lists what was drawn more often, or less often, than its declared weight.
fn skewed(survey: &Survey, lines: &mut Vec<String>) {
    let mut far: Vec<&Frequency> =
        survey.frequencies.iter().filter(|one| one.is_significant()).collect();
    if survey.frequencies.is_empty() {
        return;
    }
    if far.is_empty() {
        lines.push("    drawn frequencies match the declared ones".to_owned());
        return;
    }
    far.sort_by(|one, other| other.deviations.abs().total_cmp(&one.deviations.abs()));
    lines.push(
        "    drawn frequencies that differ from the declared ones, because draws were rejected or impossible:"
            .to_owned(),
    );
    for one in far.iter().take(MAX_LINES) {
        let name = visible_text(&one.name);
        let what = match one.choice {
            ChoiceKind::Change => format!("`{name}` among changes"),
            ChoiceKind::Added => format!("`{name}` among groups to add"),
            ChoiceKind::Modified => format!("`{name}` among groups to modify"),
            ChoiceKind::Constraint => format!("`{name}` in its group"),
            ChoiceKind::Value => format!("{name} for `{}`", one.of),
            ChoiceKind::Case => format!("{name} by {}", one.of),
        };
        lines.push(format!(
            "      {what}: declared {:.2} %, drawn {:.2} % ({} of {})",
            one.declared * 100.0,
            one.effective * 100.0,
            one.drawn,
            one.choices
        ));
    }
    push_count_of_rest(far.len(), lines);
    lines.push(
        "      (with `redraw on conflict`, the dialogue draws a rejected change again)".to_owned(),
    );
}

fn push_count_of_rest(all: usize, lines: &mut Vec<String>) {
    if all > MAX_LINES {
        lines.push(format!("      and {} more", all - MAX_LINES));
    }
}

/// `99.80 % (4990)`
fn share(part: u64, of: u64) -> String {
    let percent = if of == 0 { 100.0 } else { part as f64 * 100.0 / of as f64 };
    format!("{percent:.2} % ({part})")
}
