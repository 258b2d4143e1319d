//! Runs the `test` blocks of a scenario.

use ifs_base::source::Span;
use ifs_model::table::{Constraint, DecidedBy, SemanticModel, Test, TestCase};
use ifs_predicate::evaluate::{TextContext, TurnFacts, Variables, Verdict, verdict};
use ifs_predicate::explain::explain;
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_text::Text;

/// The outcome of one example.
#[derive(Clone, Debug, PartialEq)]
pub struct TestResult {
    /// `length.at_least`
    pub constraint: String,
    /// Whether the constraint is of the standard library.
    pub library: bool,
    pub args: Vec<(String, Value)>,
    pub answer: String,
    /// Whether the example expects the check to hold.
    pub pass: bool,
    pub outcome: TestOutcome,
    /// The position of the example.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TestOutcome {
    AsSaid,
    /// Why the example failed.
    Otherwise(String),
    /// The constraint has a judge and no rule.
    Judged,
}

impl TestResult {
    /// Whether the example did not fail.
    pub fn is_good(&self) -> bool {
        !matches!(self.outcome, TestOutcome::Otherwise(_))
    }
}

/// Runs every example of a model, in source order.
pub fn run_tests(model: &SemanticModel) -> Vec<TestResult> {
    let constraint = |name: &str| {
        model.groups.iter().flat_map(|group| &group.constraints).find(|one| one.name == name)
    };
    let mut results = Vec::new();
    for test in &model.tests {
        let Some(constraint) = constraint(&test.constraint) else { continue };
        results.extend(test.cases.iter().map(|case| TestResult {
            constraint: test.constraint.clone(),
            library: constraint.library,
            args: test.args.clone(),
            answer: case.answer.clone(),
            pass: case.pass,
            outcome: outcome(constraint, test, case),
            span: case.span,
        }));
    }
    results
}

fn outcome(constraint: &Constraint, test: &Test, case: &TestCase) -> TestOutcome {
    let DecidedBy::Rule(check) = &constraint.by else { return TestOutcome::Judged };
    let answer = Text::new(&case.answer);
    let facts = case_facts(case);
    let (args, facts) = (test.args.as_slice(), TurnFacts(&facts));
    let variables: (&dyn Variables, &dyn Variables) = (&args, &facts);
    let scene = TextContext { it: &answer, variables: &variables };
    match (verdict(check, &scene), case.pass) {
        (Verdict::Holds, true) => TestOutcome::AsSaid,
        (Verdict::Holds, false) => TestOutcome::Otherwise("the check holds for it".to_owned()),
        (Verdict::Undecided(why), _) => TestOutcome::Otherwise(why),
        (Verdict::Fails | Verdict::Exhausted, false) => TestOutcome::AsSaid,
        (Verdict::Fails | Verdict::Exhausted, true) => TestOutcome::Otherwise(
            explain(check, &scene).map_or_else(String::new, |explanation| explanation.text),
        ),
    }
}

/// Whether a check holds for a response, with the values of a test.
pub fn holds_for(check: &Tree, variables: &dyn Variables, answer: &str) -> bool {
    let scene = TextContext { it: &Text::new(answer), variables };
    ifs_predicate::evaluate::holds(check, &scene)
}

/// The facts of a turn with this response.
pub fn case_facts(case: &TestCase) -> [(TurnFact, Value); 5] {
    let reply = i64::try_from(case.replies.len()).unwrap_or(i64::MAX).saturating_add(1);
    let replies = Value::list(case.replies.iter().map(|reply| Value::text(reply)));
    [
        (TurnFact::Prompt, Value::text(&case.prompt)),
        (TurnFact::Replies, replies),
        (TurnFact::Reply, Value::Int(reply)),
        (TurnFact::Turn, Value::Int(reply)),
        (TurnFact::Age, Value::Int(0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::{TestOutcome, run_tests};
    use ifs_base::world::MemoryWorld;
    use ifs_model::check;

    #[test]
    fn examples_are_evaluated() {
        let program = r#"ifs 1
group length {
  constraint short(n: int in 1..=9) {
    say   "Use at most {{ n }} words."
    check count(word) <= n
  }
  constraint again {
    say   "Begin as last time."
    check starts_with(replies[-1]) and reply == 2
    test {
      reply "So"
      pass  "So it is."
    }
  }
  constraint kind {
    say   "Be kind."
    judge "Is it kind?"
    test { pass "Dear you." }
  }
  test short(n: 2) {
    pass "one two"
    pass "one two three"
    fail "one"
  }
}
"#;
        let checked = check(&MemoryWorld::new([("a.ifs", program)]), "a.ifs");
        let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let results = run_tests(&model);
        let outcomes: Vec<&TestOutcome> = results.iter().map(|result| &result.outcome).collect();
        let [again, kind, good, long, short] = outcomes.as_slice() else { panic!("{outcomes:?}") };
        assert_eq!(
            (*again, *kind, *good),
            (&TestOutcome::AsSaid, &TestOutcome::Judged, &TestOutcome::AsSaid)
        );
        assert!(matches!(long, TestOutcome::Otherwise(why) if why.contains("3 words")), "{long:?}");
        assert!(matches!(short, TestOutcome::Otherwise(_)));
        assert_eq!(results.iter().filter(|result| result.is_good()).count(), 3);
    }
}
