//! The explanations that a user reads for failed constraints: for every failing example of the
//! library.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ifs::grade::{Catalogue, Grader, RowReading};
use ifs::model::table::{DecidedBy, SemanticModel};
use ifs::model::{LIBRARY, check};
use ifs::predicate::evaluate::TextContext;
use ifs::predicate::explain::{Wording, explain_in};
use ifs::text::Text;
use ifs::world::MemoryWorld;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/samples/reasons.txt")
}

fn module(name: &str, text: &str) -> SemanticModel {
    let file = format!("{name}.ifs");
    let world = MemoryWorld::new([(file.as_str(), text)]);
    check(&world, &file).model.unwrap_or_else(|| panic!("std.{name}"))
}

/// The example, its constraint with the arguments, and the explanation of `ifs grade`.
fn reasons() -> String {
    let catalogue = Catalogue::new([]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: RowReading::Strict,
        brief: false,
        raw_text: true,
    };
    let mut reported = String::new();
    for (name, text) in LIBRARY {
        let model = module(name, text);
        for test in &model.tests {
            let groups = model.groups.iter().flat_map(|group| &group.constraints);
            let judged = groups
                .filter(|one| one.name == test.constraint)
                .any(|one| !matches!(one.by, DecidedBy::Rule(_)));
            let constraint = format!("std.{name}.{}", test.constraint);
            for case in test.cases.iter().filter(|case| !case.pass && !judged) {
                let args: serde_json::Map<String, serde_json::Value> = test
                    .args
                    .iter()
                    .map(|(name, value)| (name.clone(), serde_json::to_value(value).unwrap()))
                    .collect();
                let row = serde_json::json!({
                    "answer": case.answer, "constraint": constraint, "args": args,
                    "prompt": case.prompt, "replies": case.replies, "age": 0,
                });
                let (_, graded) = grader.line(row.to_string().as_bytes());
                let graded = graded.unwrap_or_else(|error| panic!("{constraint}: {error:?}"));
                let why = graded.constraints[0].why.clone().unwrap_or_default();
                assert!(!why.is_empty() && why.chars().count() < 600, "{constraint}: {why}");
                // The found and the expected value, in the terms of the check.
                let expected = [" must", "expected: ", " may"];
                assert!(expected.iter().any(|says| why.contains(says)), "{constraint}: {why}");
                // Explanations are in words and not in code.
                for code in ["count(", "p[1]", "split(", "replace(", "lower("] {
                    assert!(!why.contains(code), "{constraint}: {why}");
                }
                let args = serde_json::Value::from(args);
                let args: String = args.to_string().chars().take(100).collect();
                let answer: String = case.answer.chars().take(100).collect();
                writeln!(reported, "{constraint} {args}\n  {answer:?}\n  {why}").unwrap();
            }
        }
    }
    reported
}

/// Line by line; `IFS_BLESS=1` writes it again, and a person reads it aloud.
#[test]
fn the_reasons_on_file() {
    let reported = reasons();
    if std::env::var_os("IFS_BLESS").is_some() {
        std::fs::write(golden(), &reported).unwrap();
    }
    let kept = std::fs::read_to_string(golden()).unwrap_or_default();
    for (kept, reported) in kept.lines().zip(reported.lines()) {
        assert_eq!(kept, reported, "a reason changed");
    }
    assert_eq!(kept.lines().count(), reported.lines().count());
}

/// The reasons that a model is sent, in each language: of the rules that people write with, none only
/// quotes the response. What has no words for its demand says so, and the instruction is added.
#[test]
fn reasons_name_what_was_found_and_what_was_expected() {
    let languages = ["en", "de", "zh"].map(|code| (code, Wording::for_language(code).unwrap()));
    let mut read = 0;
    for (name, text) in LIBRARY.iter().filter(|(name, _)| !name.ends_with("_as_released")) {
        let model = module(name, text);
        for test in &model.tests {
            let groups = model.groups.iter().flat_map(|group| &group.constraints);
            let Some(constraint) = groups.into_iter().find(|one| one.name == test.constraint)
            else {
                continue;
            };
            let DecidedBy::Rule(check) = &constraint.by else { continue };
            for case in &test.cases {
                // Long responses, of which an excerpt says little.
                let long = format!("{}\n\n{}", case.answer, case.answer.repeat(9));
                for answer in [case.answer.as_str(), long.as_str()] {
                    let answer = Text::new(answer);
                    let variables = test.args.as_slice();
                    let scene = TextContext { it: &answer, variables: &variables };
                    for (code, words) in languages {
                        let Some(why) = explain_in(check, &scene, words, &[]) else { continue };
                        let place =
                            format!("std.{name}.{} ({code}): {}", test.constraint, why.text);
                        read += 1;
                        assert!(!why.is_excerpt, "only quotes the response: {place}");
                        let demands = [
                            " must", " may", "soll", "verlangt", "erlaubt", "nötig", "应当",
                            "应有", "允许",
                        ];
                        let is_said = demands.iter().any(|word| why.text.contains(word));
                        assert!(is_said || why.unsaid, "demands nothing: {place}");
                    }
                }
            }
        }
    }
    assert!(read > 1_000, "{read} reasons");
}
