//! `report CSR, ISR`: the metrics that a report shows.

use super::Builder;
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::ast::Name;

/// The names of all metrics, which `score` computes.
pub const METRICS: &[&str] = &[
    "CSR",
    "ISR",
    "ROB",
    "EDR_len",
    "EDR_acc",
    "EDR_succ",
    "EDR_lss",
    "REC",
    "REC_as_released",
    "DRFR",
    "WCSR",
    "CSR_as_released",
    "ISR_as_released",
    "WCSR_as_released",
    "points",
    "utility_rate",
    "Meeseeks_score",
    "PIF",
    "PIF_as_released",
    "PIF_N_1",
    "PIF_N_N",
    "MARK",
    "CF",
];

impl Builder<'_, '_> {
    /// The metrics in order, without duplicates.
    pub(super) fn metrics(&mut self, written: &[Name]) -> Vec<String> {
        let mut named: Vec<String> = Vec::new();
        for (at, name) in written.iter().enumerate() {
            if !METRICS.contains(&name.text.as_str()) {
                self.report(
                    Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("there is no metric `{}`", name.text),
                    )
                    .label(name.span, "")
                    .help(format!("the metrics are {}", METRICS.join(", ")))
                    .did_you_mean(&name.text, METRICS.iter().copied()),
                );
            } else if let Some(first) = written[..at].iter().find(|one| one.text == name.text) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is reported twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first.span, "first time")
                    .help("keep one of them"),
                );
            } else {
                named.push(name.text.clone());
            }
        }
        named
    }
}
