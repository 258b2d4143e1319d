//! The gaps of an incomplete run, and the warning about them.

use serde::Serialize;

use super::manifest::RunManifest;
use ifs_score::Ending;

/// The gaps of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Gaps {
    /// The number of dialogues that were selected.
    pub dialogues: u64,
    /// Dialogues without a recorded turn.
    pub missing: u64,
    /// Dialogues that were stopped by an error, and interrupted ones.
    pub failed: u64,
    pub interrupted: u64,
    /// Those that were stopped by an error that the same request would have again.
    #[serde(skip_serializing_if = "ifs_value::is_default")]
    pub permanent: u64,
    /// Dialogues that ended.
    pub complete: u64,
    /// The end of the run is not recorded: it was killed, or is still running.
    pub unfinished: bool,
    /// Dialogues that the judging lacks, or responses for which a judge's request failed, if a
    /// judging was selected.
    #[serde(skip_serializing_if = "ifs_value::is_default")]
    pub unjudged: u64,
}

impl Gaps {
    /// The gaps of a run before any transcript is read.
    pub fn declared_by(manifest: &RunManifest) -> Gaps {
        Gaps {
            dialogues: manifest.dialogues,
            missing: manifest.dialogues,
            unfinished: !manifest.complete && manifest.failed == 0,
            ..Gaps::default()
        }
    }

    /// Counts a transcript; `empty` if it has no turn.
    pub fn found(&mut self, ending: &Ending, empty: bool) {
        self.permanent += u64::from(matches!(ending, Ending::PermanentFailure(_)));
        let count = match ending {
            Ending::Failed(_) | Ending::PermanentFailure(_) => &mut self.failed,
            Ending::Interrupted if empty => return,
            Ending::Interrupted => &mut self.interrupted,
            Ending::Patience
            | Ending::Condition(_)
            | Ending::Script
            | Ending::MaxTurns
            | Ending::ContextLength
            | Ending::Unrecorded => &mut self.complete,
        };
        *count += 1;
        self.missing = self.missing.saturating_sub(1);
    }

    /// Whether every dialogue of the run ended and, if a judging was selected, was judged.
    pub fn is_none(&self) -> bool {
        self.has_all_dialogues() && self.unjudged == 0
    }

    /// Whether `ifs run --resume` can help: something besides permanent errors is left.
    pub fn is_resumable(&self) -> bool {
        !self.has_all_dialogues()
            && (self.missing + self.interrupted + self.failed > self.permanent || self.failed == 0)
    }

    fn has_all_dialogues(&self) -> bool {
        self.missing + self.failed + self.interrupted == 0 && !self.unfinished
    }

    /// The warning, in full sentences; `None` for a complete run.
    pub fn warning(&self) -> Option<String> {
        let mut said = Vec::new();
        if !self.has_all_dialogues() {
            said.push(self.run_warning());
        }
        if self.unjudged > 0 {
            said.push(format!(
                "INCOMPLETE JUDGING: {} not judged. The same `ifs score --judge` completes it.",
                count_with_verb(self.unjudged, "answer")
            ));
        }
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn run_warning(&self) -> String {
        let Gaps { dialogues, missing, failed, interrupted, permanent, .. } = *self;
        let parts =
            [(missing, "missing"), (failed, "stopped by an error"), (interrupted, "interrupted")];
        let mut parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let lacking = match parts.next() {
            None => format!(
                "run.json does not record its end, though {} a transcript",
                match dialogues {
                    1 => "its dialogue has".to_owned(),
                    many => format!("all {many} dialogues have"),
                }
            ),
            Some((count, what)) => {
                let noun = if dialogues == 1 { "dialogue" } else { "dialogues" };
                let verb = if count == 1 { "is" } else { "are" };
                let verb = if what == "missing" {
                    verb
                } else if count == 1 {
                    "was"
                } else {
                    "were"
                };
                let first = format!("{count} of {dialogues} {noun} {verb} {what}");
                parts.fold(first, |text, (count, what)| format!("{text}, {count} {what}"))
            }
        };
        let advice = match permanent {
            0 => "`ifs run --resume` completes the run.".to_owned(),
            _ => format!(
                "{} stopped by an error that the same request has again: `ifs run --resume` {} once its \
                 cause is removed.",
                count_with_verb(permanent, "dialogue"),
                if self.is_resumable() { "completes the others, and these" } else { "helps" },
            ),
        };
        format!(
            "INCOMPLETE RUN: {lacking}. Short dialogues end first and fail less often, so the numbers are \
             biased towards them. {advice}"
        )
    }
}

fn count_with_verb(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun} was"),
        many => format!("{many} {noun}s were"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(complete: bool, endings: &[(Ending, bool)]) -> Gaps {
        let manifest = RunManifest { dialogues: 4, complete, ..RunManifest::default() };
        let mut gaps = Gaps::declared_by(&manifest);
        endings.iter().for_each(|(ending, empty)| gaps.found(ending, *empty));
        gaps
    }

    #[test]
    fn missing_dialogues_are_counted() {
        let end = || (Ending::Script, false);
        let whole = [end(), end(), end(), end()];
        assert_eq!(gaps(true, &whole).warning(), None);
        let killed = gaps(false, &whole).warning().unwrap();
        assert!(killed.contains("does not record its end, though all 4 dialogues"), "{killed}");
        let cut = [end(), (Ending::Interrupted, true), (Ending::Interrupted, false)];
        let warning = gaps(false, &cut).warning().unwrap();
        assert!(
            warning.starts_with("INCOMPLETE RUN: 2 of 4 dialogues are missing, 1 interrupted."),
            "{warning}"
        );
        let failed = [end(), end(), end(), (Ending::Failed("no".to_owned()), false)];
        let failed = gaps(true, &failed).warning().unwrap();
        assert!(failed.contains("1 of 4 dialogues was stopped by an error. Short"), "{failed}");
        let why = || "no".to_owned();
        let permanent = [end(), end(), end(), (Ending::PermanentFailure(why()), false)];
        let refused = gaps(true, &permanent);
        assert!(!refused.is_resumable());
        let refused = refused.warning().unwrap();
        assert!(
            refused.ends_with("`ifs run --resume` helps once its cause is removed."),
            "{refused}"
        );
        let both =
            [end(), (Ending::Failed(why()), false), (Ending::PermanentFailure(why()), false)];
        let both = gaps(true, &both);
        assert!(both.is_resumable() && gaps(true, &cut).is_resumable());
        let both = both.warning().unwrap();
        assert!(both.contains("`ifs run --resume` completes the others, and these once"), "{both}");
        let beyond = [end(), end(), end(), (Ending::ContextLength, false)];
        assert_eq!(gaps(true, &beyond).warning(), None);
        let nothing = gaps(false, &[]).warning().unwrap();
        assert!(nothing.contains("4 of 4 dialogues are missing. Short"), "{nothing}");
    }
}
