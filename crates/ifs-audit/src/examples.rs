//! The responses in the `test` blocks of constraints, which a person wrote: those that pass are right
//! answers, those that fail are wrong ones.

use std::collections::BTreeSet;

use super::checks::{CheckId, TurnCheck};
use super::survey::{Options, applies};
use ifs_draw::ScriptTurn;
use ifs_forms::{BaseText, CheckSubject, Form, Tongue, forms};
use ifs_judge::testing::{case_facts, holds_for};
use ifs_model::table::{DecidedBy, Test, TestCase};
use ifs_plan::Plan;
use ifs_predicate::aspects::aspects;
use ifs_predicate::evaluate::{TurnFacts, Variables};
use ifs_predicate::tree::Tree;

/// What was found on one response of a test.
pub(crate) struct ExampleResult {
    pub check: TurnCheck,
    /// Whether the response is right.
    pub right: bool,
    /// Whether the check says so.
    pub as_written: bool,
    pub text: String,
    /// The forms that were tried, and those that change the verdict, with the text.
    pub tried: Vec<&'static Form>,
    pub changed: Vec<(&'static str, String)>,
}

/// The responses of the tests of these constraints.
pub(crate) fn examples(
    plan: &Plan,
    dialogue: &str,
    tests: &[Test],
    constraints: &BTreeSet<String>,
    options: &Options,
) -> Vec<ExampleResult> {
    let mut results = Vec::new();
    for test in tests.iter().filter(|test| constraints.contains(&test.constraint)) {
        let Some(constraint) = plan.constraint(&test.constraint) else { continue };
        let DecidedBy::Rule(tree) = &constraint.by else { continue };
        for case in &test.cases {
            results.push(example(plan, dialogue, &constraint.name, tree, test, case, options));
        }
    }
    results
}

fn example(
    plan: &Plan,
    dialogue: &str,
    name: &str,
    tree: &Tree,
    test: &Test,
    case: &TestCase,
    options: &Options,
) -> ExampleResult {
    let facts = case_facts(case);
    let (args, facts) = (test.args.as_slice(), TurnFacts(&facts));
    let variables: (&dyn Variables, &dyn Variables) = (&args, &facts);
    let span = tree.span;
    let id =
        CheckId { turn: String::new(), start: (span.file.0, span.start), name: name.to_owned() };
    let check = TurnCheck {
        id,
        span,
        subject: CheckSubject::Response,
        sees: aspects(tree, &variables, &[]),
        kind: None,
        unread: false,
        points: 0.0,
    };
    let holds = |text: &str| holds_for(tree, &variables, super::received(text));
    let as_written = holds(&case.answer) == case.pass;
    let mut result = ExampleResult {
        check,
        right: case.pass,
        as_written,
        text: case.answer.clone(),
        tried: Vec::new(),
        changed: Vec::new(),
    };
    if !as_written || case.answer.trim().is_empty() {
        return result;
    }
    let tongue = Tongue::of_text(&case.answer).unwrap_or(Tongue::English);
    let base = BaseText { text: &case.answer, tongue, rosters: &[] };
    let wanted = |form: &&Form| {
        options.forms.as_ref().is_none_or(|names| names.contains(form.name))
            && applies(plan, dialogue, &ScriptTurn::default(), form, &result.check)
    };
    let tried: Vec<&'static Form> = forms().filter(wanted).collect();
    for form in tried {
        let Some((text, changes)) = in_form(form, &base, case.pass, &holds) else { continue };
        result.tried.push(form);
        if changes {
            result.changed.push((form.name, text));
        }
    }
    result
}

/// The response in the first neutral wording of a form, and whether the verdict changes.
fn in_form(
    form: &Form,
    base: &BaseText<'_>,
    right: bool,
    holds: &dyn Fn(&str) -> bool,
) -> Option<(String, bool)> {
    for attempt in 0..form.wordings() {
        let Some(text) = form.applied(base, attempt) else { continue };
        if holds(&text) == right {
            return Some((text, false));
        }
        match form.control(base, attempt) {
            Some(control) if holds(&control) == right => {}
            _ => return Some((text, true)),
        }
    }
    None
}
