//! `report CSR, ISR`: the metrics that a report shows.

use super::{DialogueChecker, metric_form};
use crate::check::Checker;
use crate::names::Symbol;
use crate::table::{MetricForm, MetricOf, OwnMetric, Speaker};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_predicate::types::{Field, Type};
use ifs_syntax::ast::{self, ItemKind, Name};

/// The names of all metrics, which `score` computes.
pub const METRICS: &[&str] = &[
    "CSR",
    "ISR",
    "CSR_mean",
    "ISR_mean",
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

impl DialogueChecker<'_, '_> {
    /// The metrics in order, without duplicates, and those of them that are defined by expressions.
    pub(super) fn metrics(&mut self, written: &[Name]) -> (Vec<String>, Vec<OwnMetric>) {
        let mut named: Vec<String> = Vec::new();
        let mut own = Vec::new();
        for (at, name) in written.iter().enumerate() {
            let defined = match self.checker.names.look_up_quietly(self.module, &name.text) {
                Some(Symbol::Metric(at)) => Some(at),
                _ => None,
            };
            if let Some(defined) = defined.filter(|_| !named.contains(&name.text)) {
                let module = &self.checker.loader.modules[defined.module];
                let item = &module.ast.items[defined.item];
                let ItemKind::Metric(metric) = &item.kind else { continue };
                let (metric, doc) = (metric.clone(), item.docs.text().replace('\n', " "));
                if let Some(metric) = self.checker.own_metric(defined.module, &metric) {
                    own.push(OwnMetric { name: name.text.clone(), doc, ..metric });
                    named.push(name.text.clone());
                }
            } else if defined.is_none() && !METRICS.contains(&name.text.as_str()) {
                self.report(
                    Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("there is no metric `{}`", name.text),
                    )
                    .label(name.span, "")
                    .help(format!(
                        "the metrics are {}; `use std.metrics.*` has further ones, and `metric NAME \
                         of dialogue {{ … }}` defines one",
                        METRICS.join(", ")
                    ))
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
        (named, own)
    }
}

/// The kinds of outcomes: `score` writes these words.
pub const OUTCOME_KINDS: [&str; 6] =
    ["constraint", "relation", "requirement", "fact", "void", "observation"];

/// The names in a metric. The values are those of `score::own`.
fn visible_names(of: MetricOf) -> Vec<(&'static str, Field)> {
    let field = |ty| Field::new(ty, false);
    let outcome = vec![
        ("name", field(Type::Text)),
        ("kind", Field::one_of(OUTCOME_KINDS)),
        ("group", field(Type::Text)),
        ("speaker", Field::one_of(Speaker::ALL.map(Speaker::word))),
        ("tags", field(Type::list(Type::Text))),
        ("held", field(Type::Bool)),
        ("missed", field(Type::Bool)),
        ("loose", field(Type::Bool)),
        ("weight", field(Type::Float)),
    ];
    let observation = [("name", Type::Text), ("held", Type::Bool), ("read", Type::Bool)];
    let sample = [
        ("held", field(Type::Bool)),
        ("missed", field(Type::Bool)),
        ("outcomes", field(Type::list(Type::record_of(outcome.clone())))),
    ];
    let turn = vec![
        ("position", field(Type::Int)),
        ("classes", field(Type::list(Type::Text))),
        ("slice", field(Type::Text)),
        ("held", field(Type::Bool)),
        ("missed", field(Type::Bool)),
        ("observations", field(Type::list(Type::record(observation)))),
        ("outcomes", field(Type::list(Type::record_of(outcome.clone())))),
        ("overruled", field(Type::list(Type::record_of(outcome.clone())))),
        ("samples", field(Type::list(Type::record_of(sample)))),
    ];
    let turns = ("turns", Type::list(Type::record_of(turn.clone())));
    match of {
        MetricOf::Outcome => outcome,
        MetricOf::Turn => turn,
        MetricOf::Dialogue => vec![(turns.0, field(turns.1)), ("slice", field(Type::Text))],
        MetricOf::Run => {
            let dialogue = Type::record([turns, ("slice", Type::Text)]);
            vec![("dialogues", field(Type::list(dialogue)))]
        }
    }
}

impl Checker<'_> {
    /// A metric of a module, with its expression.
    pub fn own_metric(&mut self, module: usize, written: &ast::Metric) -> Option<OwnMetric> {
        let (def, of) = (&written.def, &written.of);
        let errors = self.diagnostics.errors();
        let words = MetricOf::ALL.map(MetricOf::word);
        let Some(of) = MetricOf::ALL.into_iter().find(|one| one.word() == of.text) else {
            if !self.diagnostics.list.iter().any(|one| one.span() == Some(of.span)) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("there is no metric of a `{}`", of.text),
                    )
                    .label(of.span, "")
                    .help(format!("it is of one of {}", words.join(", ")))
                    .did_you_mean(&of.text, words),
                );
            }
            return None;
        };
        if self.diagnostics.list.iter().any(|one| {
            one.span().is_some_and(|at| at.file == def.name.span.file && at == def.name.span)
        }) {
            return None;
        }
        if METRICS.contains(&def.name.text.as_str()) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    format!("`{}` is a built-in metric", def.name.text),
                )
                .label(def.name.span, "")
                .help("choose another name"),
            );
            return None;
        }
        self.def_form(def);
        if self.diagnostics.errors() > errors {
            return None;
        }
        let (tree, ty) = self.lowering(module).metric(def, &visible_names(of))?;
        if !matches!(ty, Type::Bool | Type::Int | Type::Float | Type::Unknown) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("`{}` gives {}, and a metric is a number", def.name.text, ty.noun()),
                )
                .label(def.name.span, "")
                .help("return a number, or a condition: it counts 1 where it holds"),
            );
            return None;
        }
        let form = match ty {
            Type::Bool => MetricForm::Share,
            _ if metric_form::is_share(&tree) => MetricForm::Share,
            _ if written.percent.is_some() => MetricForm::Percent,
            _ => MetricForm::Number,
        };
        (self.diagnostics.errors() == errors).then(|| OwnMetric {
            name: def.name.text.clone(),
            of,
            not_negative: metric_form::is_not_negative(&tree),
            tree,
            lower: written.lower.is_some(),
            form,
            doc: String::new(),
        })
    }
}
