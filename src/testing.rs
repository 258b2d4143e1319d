//! temporary
use crate::model::Model;
pub enum TestOutcome {
    Passed,
    NeedsJudge,
    Failed { why: String },
}
pub struct TestResult {
    pub constraint: String,
    pub answer: String,
    pub pass: bool,
    pub outcome: TestOutcome,
}
pub fn run_tests(_model: &Model) -> Vec<TestResult> {
    Vec::new()
}
