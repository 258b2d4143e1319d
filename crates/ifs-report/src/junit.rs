//! Test results in the form of JUnit, which build servers read: a suite for each run, and a case for
//! each dialogue, or for each threshold of `ifs gate`.

use super::Report;
use super::document::escape;
use super::words::{ending, one_line};
use ifs_score::{DialogueSource, DialogueSummary, Ending};

/// The most misses that a failed dialogue lists.
const MAX_MISSES: usize = 20;

/// The cases of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    pub name: String,
    /// What identifies the run: names and values.
    pub properties: Vec<(&'static str, String)>,
    pub cases: Vec<JunitCase>,
    /// Warnings about the complete run.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitCase {
    pub class: String,
    pub name: String,
    pub result: CaseResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    Passed,
    /// It was not decided.
    Skipped(String),
    /// A line, and details in further lines.
    Failed(String, Vec<String>),
    /// An infrastructure error.
    Error(String),
}

/// The suite of a run: a dialogue passes if no turn of it failed.
#[must_use]
pub fn suite(report: &Report<'_>) -> Suite {
    let dialogues = report.scorecard.dialogues.each().map(|it| DialogueSummary::from_dialogue(&it));
    let mut suite = Suite {
        cases: dialogues.map(|one| test_case(report, &one)).collect(),
        ..suite_of_report(report)
    };
    // Missing dialogues would go unnoticed among those that passed.
    if let Some(warning) = report.gaps.warning() {
        suite.cases.push(JunitCase {
            class: report.title.to_owned(),
            name: "every dialogue".to_owned(),
            result: CaseResult::Error(warning),
        });
    }
    suite
}

/// The suite of a run, without cases.
#[must_use]
pub fn suite_of_report(report: &Report<'_>) -> Suite {
    let (label, drawn_from) = report.drawn_from();
    let properties = [
        ("model", report.model.to_owned()),
        ("benchmark_version", report.benchmark_version.to_owned()),
        ("definition_hash", report.plan_hash.to_owned()),
        ("ifs_version", report.origin.ifs_version.to_owned()),
        (label, drawn_from),
    ];
    let variant = report.variant.map(|variant| ("variant", variant.to_owned()));
    let served = report.answered_by().join(", ");
    let served = (!served.is_empty()).then_some(("answered_by", served));
    let mut warnings = report.warnings();
    warnings.extend(report.caveats());
    let available = report.available.map(|count| ("available", count.to_string()));
    // Serializing numbers and texts to memory cannot fail.
    let spending = (!report.spending.is_empty())
        .then(|| ("spending", serde_json::to_string(report.spending).unwrap_or_default()));
    let further = variant.into_iter().chain(available).chain(report.credits()).chain(spending);
    Suite {
        name: format!("{} · {}", report.title, report.model),
        properties: properties.into_iter().chain(further).chain(served).collect(),
        cases: Vec::new(),
        warnings,
    }
}

fn test_case(report: &Report<'_>, dialogue: &DialogueSummary) -> JunitCase {
    let decided = dialogue.successes + dialogue.failures;
    let result = match &dialogue.ending {
        Ending::Failed(_) | Ending::PermanentFailure(_) | Ending::Interrupted => {
            CaseResult::Error(ending(&dialogue.ending))
        }
        _ if dialogue.failures > 0 => {
            let line = |miss: &ifs_score::Miss| {
                let why = miss.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
                one_line(&format!("turn {}: {}{why}", miss.turn, miss.constraint))
            };
            let mut lines: Vec<String> =
                dialogue.misses.iter().take(MAX_MISSES).map(line).collect();
            if dialogue.misses.len() > MAX_MISSES {
                lines.push(format!("and {} more", dialogue.misses.len() - MAX_MISSES));
            }
            let why = match dialogue.ending {
                Ending::ContextLength => format!(", {}", ending(&dialogue.ending)),
                _ => String::new(),
            };
            let failed = format!("{} of {decided} turns failed{why}", dialogue.failures);
            CaseResult::Failed(failed, lines)
        }
        // Passed turns say nothing about those that the model never saw.
        Ending::ContextLength => CaseResult::Skipped(ending(&dialogue.ending)),
        _ if decided == 0 => CaseResult::Skipped("no turn was decided".to_owned()),
        _ => CaseResult::Passed,
    };
    JunitCase {
        class: format!("{}.{}", report.title, dialogue.dialogue),
        name: format!("dialogue {}", dialogue.index),
        result,
    }
}

pub(super) fn write(report: &Report<'_>) -> String {
    document(&[suite(report)])
}

/// The document of several suites.
#[must_use]
pub fn document(suites: &[Suite]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&JunitCase> = suites.iter().flat_map(|suite| &suite.cases).collect();
    // Jenkins' schema gives the number that was skipped to suites alone.
    text.push_str(&format!("<testsuites name=\"ifs\"{}>\n", counts(&all)));
    for suite in suites {
        let cases: Vec<&JunitCase> = suite.cases.iter().collect();
        let is_skipped = |case: &&&JunitCase| matches!(case.result, CaseResult::Skipped(_));
        let skipped = cases.iter().filter(is_skipped).count();
        let name = attribute(&suite.name);
        let head = format!("name=\"{name}\"{} skipped=\"{skipped}\"", counts(&cases));
        text.push_str(&format!("  <testsuite {head}>\n    <properties>\n"));
        for (name, value) in &suite.properties {
            let value = attribute(value);
            text.push_str(&format!("      <property name=\"{name}\" value=\"{value}\"/>\n"));
        }
        text.push_str("    </properties>\n");
        for case in &suite.cases {
            write_case(&mut text, case);
        }
        if !suite.warnings.is_empty() {
            let warnings: Vec<String> = suite.warnings.iter().map(|it| attribute(it)).collect();
            text.push_str(&format!("    <system-err>{}</system-err>\n", warnings.join("\n")));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn write_case(text: &mut String, case: &JunitCase) {
    let (class, name) = (attribute(&case.class), attribute(&case.name));
    text.push_str(&format!("    <testcase classname=\"{class}\" name=\"{name}\""));
    let (element, message, lines) = match &case.result {
        CaseResult::Passed => return text.push_str("/>\n"),
        CaseResult::Skipped(why) => ("skipped", why, &[][..]),
        CaseResult::Failed(why, lines) => ("failure", why, &lines[..]),
        CaseResult::Error(why) => ("error", why, &[][..]),
    };
    text.push_str(&format!(">\n      <{element} message=\"{}\"", attribute(message)));
    match lines {
        [] => text.push_str("/>\n"),
        lines => {
            let lines: Vec<String> = lines.iter().map(|line| attribute(line)).collect();
            text.push_str(&format!(">{}</{element}>\n", lines.join("\n")));
        }
    }
    text.push_str("    </testcase>\n");
}

fn counts(cases: &[&JunitCase]) -> String {
    let count =
        |wanted: fn(&CaseResult) -> bool| cases.iter().filter(|case| wanted(&case.result)).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        count(|result| matches!(result, CaseResult::Failed(..))),
        count(|result| matches!(result, CaseResult::Error(_))),
    )
}

/// Escapes text and attributes. XML has no place for two noncharacters.
fn attribute(text: &str) -> String {
    escape(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
