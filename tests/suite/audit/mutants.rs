//! Rules of the library with one operator replaced: the audit of a rule and of its mutant differ.

use std::collections::BTreeMap;

use ifs::audit::{Audit, Options};
use ifs::model::table::{DecidedBy, Test};
use ifs::model::{LIBRARY, check};
use ifs::plan::{Plan, build};
use ifs::predicate::needles::SearchKind;
use ifs::predicate::partial_eval::simplified;
use ifs::predicate::print::print;
use ifs::predicate::tree::{CompareOp, Node, Quantified, Quantifier, Tree};
use ifs::predicate::value::Value;
use ifs::world::MemoryWorld;

use super::audited_with;

/// The modules whose rules are changed.
const MODULES: [&str; 4] = ["ifeval", "evolif", "german", "mmmt"];

/// The share in per cent of the mutants that must change the audit: what is reached. 90 is the aim;
/// 176 of 218 were before mutants that say the same with the arguments of a test were left out.
const REACHED: usize = 81;

/// The trees that differ from a tree in one operator.
fn mutants(tree: &Tree) -> Vec<Tree> {
    let mut found = Vec::new();
    let with = |node: Node| Tree::new(node, tree.span);
    match &tree.node {
        Node::Compare(CompareOp::Equal, left, right) => {
            found.push(with(Node::Compare(CompareOp::MoreEqual, left.clone(), right.clone())));
        }
        Node::Compare(CompareOp::LessEqual, left, right) => {
            found.push(with(Node::Compare(CompareOp::MoreEqual, left.clone(), right.clone())));
        }
        Node::Compare(CompareOp::MoreEqual, left, right) => {
            found.push(with(Node::Compare(CompareOp::LessEqual, left.clone(), right.clone())));
        }
        Node::Needle(SearchKind::Word | SearchKind::Phrase | SearchKind::Keyword, value) => {
            found.push(with(Node::Needle(SearchKind::Text, value.clone())));
        }
        Node::Quantified(quantified) if quantified.quantifier == Quantifier::Every => {
            let some = Quantified { quantifier: Quantifier::Some, ..(**quantified).clone() };
            found.push(with(Node::Quantified(Box::new(some))));
        }
        Node::And(parts) if parts.len() > 1 => {
            // The second conjunct: the first one often says that there is something at all.
            let kept = parts.iter().enumerate().filter(|(at, _)| *at != 1);
            found.push(with(Node::And(kept.map(|(_, part)| part.clone()).collect())));
        }
        _ => {}
    }
    // One place at a time.
    let children = tree.children();
    for (at, child) in children.iter().enumerate() {
        for mutant in mutants(child) {
            let mut place = 0;
            found.push(tree.map_children(&mut |child| {
                place += 1;
                if place == at + 1 { mutant.clone() } else { child.clone() }
            }));
        }
    }
    found
}

/// A value as it is written.
fn written(value: &Value) -> Option<String> {
    Some(match value {
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Bool(truth) => truth.to_string(),
        Value::Text(text) => format!("{:?}", &**text),
        Value::List(members) => {
            let members: Option<Vec<String>> = members.iter().map(written).collect();
            format!("[{}]", members?.join(", "))
        }
        Value::Nothing | Value::Record(_) => return None,
    })
}

/// A dialogue in which a constraint is active with the arguments of its test.
fn imposing(module: &str, test: &Test) -> Option<(Plan, Vec<Test>)> {
    let args: Option<Vec<String>> = test
        .args
        .iter()
        .map(|(name, value)| Some(format!("{name}: {}", written(value)?)))
        .collect();
    let args = args?;
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    let program = format!(
        "ifs 1\nuse std.{module}.*\n\
         dialogue talk {{ turn asked {{ ask \"Write about the tides.\" impose {}{args} }} }}\n",
        test.constraint
    );
    let checked = check(&MemoryWorld::new([("a.ifs", program.as_str())]), "a.ifs");
    let model = checked.model?;
    let tests = model.tests.clone();
    let mut plan = build(model);
    plan.sources = std::sync::Arc::new(checked.sources);
    Some((plan, tests))
}

/// What an audit found, without the texts.
fn figures(audit: &Audit) -> String {
    let rows: Vec<_> = audit
        .checks
        .iter()
        .map(|row| (&row.verdicts, &row.changed, &row.missed, &row.evaded, &row.floor, &row.sees))
        .collect();
    let golden: Vec<&String> = audit.golden_missed.iter().map(|one| &one.answer).collect();
    format!("{rows:?} {:?} {golden:?} {:?}", audit.limits, audit.sample)
}

/// The mutants of the rules of modules, how many of them change the audit, and the others.
fn mutated(modules: &[&str]) -> (usize, usize, BTreeMap<String, Vec<String>>) {
    let (mut all, mut seen) = (0, 0);
    let mut survivors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for module in modules {
        let (_, text) = LIBRARY.iter().find(|(name, _)| name == module).expect(module);
        let checked = check(&MemoryWorld::new([("a.ifs", *text)]), "a.ifs");
        let mut names = Vec::new();
        for test in checked.model.expect(module).tests {
            if names.contains(&test.constraint) {
                continue;
            }
            let Some((plan, tests)) = imposing(module, &test) else { continue };
            names.push(test.constraint.clone());
            let options = Options { tests: tests.clone(), ..Options::default() };
            let before = figures(&audited_with(&plan, &options));
            let rule = plan.constraint(&test.constraint).map(|constraint| constraint.by.clone());
            let Some(DecidedBy::Rule(tree)) = rule else { continue };
            let bound = |tree: &Tree| print(&simplified(tree, &test.args.as_slice()));
            // One that says the same with these arguments is no other rule.
            let differs = |mutant: &Tree| bound(mutant) != bound(&tree);
            for mutant in mutants(&tree).into_iter().filter(differs).take(3) {
                let mut changed = plan.clone();
                for group in &mut changed.model.groups {
                    for constraint in &mut group.constraints {
                        if constraint.name == test.constraint {
                            constraint.by = DecidedBy::Rule(mutant.clone());
                        }
                    }
                }
                all += 1;
                match figures(&audited_with(&changed, &options)) == before {
                    true => {
                        survivors.entry(test.constraint.clone()).or_default().push(print(&mutant))
                    }
                    false => seen += 1,
                }
            }
        }
    }
    (all, seen, survivors)
}

#[test]
fn mutants_of_rules_of_mmmt_if_change_the_audit() {
    let (all, seen, survivors) = mutated(&["mmmt"]);
    println!("{seen} of {all}: {survivors:#?}");
    assert!(all > 10, "{all}");
    assert!(seen * 100 >= all * REACHED, "{seen} of {all}: {survivors:#?}");
}

#[test]
#[ignore = "some minutes: `just audits`"]
fn mutants_of_library_rules_change_the_audit() {
    let (all, seen, survivors) = mutated(&MODULES);
    println!("{seen} of {all}: {survivors:#?}");
    assert!(all > 60, "{all}");
    assert!(seen * 100 >= all * REACHED, "{seen} of {all}: {survivors:#?}");
}
