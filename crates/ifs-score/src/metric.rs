//! What a metric is: a row of [`METRICS`].

use serde::{Deserialize, Serialize};

use super::interval::interval;
use super::measurement::{Direction, Measurement, MetricUnit, OwnKind};
use super::statistics::RatioTerm;
use super::{DialogueSource, METRICS, ScoredDialogue};

#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: &'static str,
    /// A one-line description.
    pub doc: &'static str,
    pub unit: MetricUnit,
    pub direction: Direction,
    /// The paper and the equation.
    pub source: &'static str,
    /// Whether terminal and HTML reports show it only if a dialogue's `report` names it.
    pub on_request: bool,
    /// What a dialogue contributes; `None` without a term.
    pub(super) part: fn(&ScoredDialogue) -> Option<RatioTerm>,
    /// The value, from the terms of a number of dialogues.
    pub(super) whole: fn(&[RatioTerm], usize) -> Measurement,
}

/// The terms of every metric, collected dialogue by dialogue.
pub(super) struct MetricTerms {
    dialogues: usize,
    terms: Vec<Vec<RatioTerm>>,
}

impl Default for MetricTerms {
    fn default() -> Self {
        Self { dialogues: 0, terms: vec![Vec::new(); METRICS.len()] }
    }
}

impl MetricTerms {
    pub fn add(&mut self, dialogue: &ScoredDialogue) {
        self.dialogues += 1;
        for (metric, terms) in METRICS.iter().zip(&mut self.terms) {
            terms.extend((metric.part)(dialogue));
        }
    }

    pub fn dialogues(&self) -> u64 {
        self.dialogues as u64
    }

    /// One score for each of [`METRICS`], in that order.
    pub fn scores(&self) -> Vec<MetricScore> {
        let score = |(metric, terms): (&Metric, &Vec<RatioTerm>)| MetricScore {
            name: metric.name.to_owned(),
            measured: metric.measured(terms, self.dialogues),
            own: None,
            undecided: None,
        };
        METRICS.iter().zip(&self.terms).map(score).collect()
    }
}

/// Every metric of some dialogues, which are read once.
pub(super) fn scores(dialogues: &impl DialogueSource) -> Vec<MetricScore> {
    let mut terms = MetricTerms::default();
    dialogues.each().for_each(|dialogue| terms.add(&dialogue));
    terms.scores()
}

impl Metric {
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    fn measured(&self, terms: &[RatioTerm], dialogues: usize) -> Measurement {
        let measured = (self.whole)(terms, dialogues);
        Measurement { interval: interval(&measured, self.unit.into()), ..measured }
    }

    /// The two sums of one dialogue; 0 without a term.
    #[must_use]
    pub fn sums(&self, dialogue: &ScoredDialogue) -> (f64, f64) {
        let part = (self.part)(dialogue);
        let measured = (self.whole)(part.as_slice(), 1);
        (measured.numerator, measured.denominator)
    }

    /// The value for some dialogues.
    #[cfg(test)]
    pub(super) fn compute(&self, dialogues: &(impl DialogueSource + ?Sized)) -> Measurement {
        let all: Vec<ScoredDialogue> = dialogues.each().collect();
        let terms: Vec<RatioTerm> = all.iter().filter_map(self.part).collect();
        self.measured(&terms, all.len())
    }
}

/// The properties of a metric that a comparison needs, built in or by an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedMetric {
    pub name: String,
    pub unit: MetricUnit,
    pub direction: Direction,
}

impl From<&Metric> for ComparedMetric {
    fn from(metric: &Metric) -> Self {
        let Metric { name, unit, direction, .. } = *metric;
        ComparedMetric { name: name.to_owned(), unit, direction }
    }
}

impl From<&MetricScore> for ComparedMetric {
    fn from(score: &MetricScore) -> Self {
        let (unit, direction) = (score.unit(), score.direction());
        ComparedMetric { name: score.name.clone(), unit, direction }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct MetricScore {
    pub name: String,
    pub measured: Measurement,
    /// For a metric by an expression: the properties that the table has for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnKind>,
    /// The value if everything that was not judged had been missed, and if it had held; absent if
    /// everything was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<UndecidedBounds>,
}

/// The values between which a metric is, whatever the undecided turns are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct UndecidedBounds {
    pub all_missed: f64,
    pub all_held: f64,
}

impl MetricScore {
    /// The row of the table, if the metric is built in.
    fn known(&self) -> Option<&'static Metric> {
        Metric::named(&self.name)
    }

    #[must_use]
    pub fn unit(&self) -> MetricUnit {
        let own = self.own.as_ref().map_or(MetricUnit::Number, |own| own.unit);
        self.known().map_or(own, |metric| metric.unit)
    }

    #[must_use]
    pub fn direction(&self) -> Direction {
        let own = self.own.as_ref().map_or(Direction::HigherIsBetter, |own| own.direction);
        self.known().map_or(own, |metric| metric.direction)
    }

    /// A one-line description.
    #[must_use]
    pub fn doc(&self) -> &str {
        self.known().map_or_else(|| self.own.as_ref().map_or("", |own| &own.doc), |it| it.doc)
    }

    /// The paper and the equation, or that it is defined by the scenario.
    #[must_use]
    pub fn source(&self) -> &'static str {
        let own = if self.own.is_some() { "defined by the scenario" } else { "" };
        self.known().map_or(own, |metric| metric.source)
    }

    #[must_use]
    pub fn is_on_request(&self) -> bool {
        self.known().is_some_and(|metric| metric.on_request)
    }
}
