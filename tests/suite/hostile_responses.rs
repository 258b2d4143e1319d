//! Pathological responses: every rule of the library reaches a verdict on each.

use ifs::grade::{Catalogue, Grader, RowReading};

use crate::hostile_texts::{answers, rules};

#[test]
fn every_rule_judges_every_answer() {
    let rules = rules(None);
    assert!(rules.len() > 200, "{}", rules.len());
    let catalogue = Catalogue::new([]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: RowReading::Both,
        brief: false,
        raw_text: false,
    };
    for (name, answer) in answers(500) {
        for rule in &rules {
            let graded = grader.line(rule.row(&answer).as_bytes()).1;
            let graded = graded
                .unwrap_or_else(|error| panic!("{} {name}: {}", rule.constraint, error.message));
            assert_eq!(graded.constraints.len(), 1, "{} {name}", rule.constraint);
        }
    }
}
