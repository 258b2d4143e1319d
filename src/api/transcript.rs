//! Finished dialogues, and their scores.

use std::fmt;

use ifs_run as run;
use ifs_score::{self as score, Ending, ScoreOptions, ScoredDialogue};

/// A finished dialogue: its turns, responses and verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    pub(crate) inner: run::Transcript,
    pub(crate) scored: ScoredDialogue,
}

impl Transcript {
    /// Why the dialogue ended.
    pub fn ending(&self) -> &Ending {
        &self.inner.ending
    }

    /// The number of turns with a response.
    pub fn len(&self) -> usize {
        self.inner.turns.len()
    }

    /// Whether no turn has a response.
    pub fn is_empty(&self) -> bool {
        self.inner.turns.is_empty()
    }

    /// The responses from which the dialogue continued, turn by turn.
    pub fn responses(&self) -> impl Iterator<Item = &str> {
        self.inner.turns.iter().map(run::TranscriptTurn::reply)
    }

    /// A line of JSON, as in the `transcripts.jsonl` of a run.
    pub fn to_json(&self) -> String {
        // A transcript contains only texts and numbers, which always serialize.
        serde_json::to_string(&self.inner).unwrap_or_default()
    }
}

/// The scores of dialogues.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    inner: score::Scorecard,
}

impl Scorecard {
    /// Scores dialogues, in any order.
    pub fn from_transcripts<'t>(
        transcripts: impl IntoIterator<Item = &'t Transcript>,
    ) -> Scorecard {
        let dialogues = transcripts.into_iter().map(|transcript| transcript.scored.clone());
        Scorecard::new(dialogues, ScoreOptions::default())
    }

    pub(crate) fn new(
        dialogues: impl IntoIterator<Item = ScoredDialogue>,
        options: ScoreOptions,
    ) -> Scorecard {
        Scorecard { inner: score::score_all(dialogues.into_iter().collect(), &options) }
    }

    /// The value of a metric, such as `CSR`; `None` if it is not defined. docs/metrics.md has all
    /// metrics with their formulas.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.inner.metric(name)?.number()
    }

    /// All metrics that are defined, by name.
    pub fn metrics(&self) -> impl Iterator<Item = (&str, f64)> {
        let all = self.inner.metrics.iter();
        all.filter_map(|metric| Some((metric.name.as_str(), metric.measured.number()?)))
    }

    /// All scores, with their details, as JSON.
    pub fn to_json(&self) -> String {
        // Scores are finite numbers and texts, which always serialize.
        serde_json::to_string_pretty(&self.inner).unwrap_or_default()
    }
}

/// One line per metric.
impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.metrics().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.metrics().try_for_each(|(name, value)| writeln!(f, "{name:width$}  {value:.4}"))
    }
}
