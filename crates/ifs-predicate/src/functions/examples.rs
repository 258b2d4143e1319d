//! Every function does what its examples say.

use std::fs;
use std::path::Path;

use super::{Expect, all, lookup};
use crate::evaluate::{TextContext, evaluate};
use crate::test_parser;
use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_text::Text;

#[test]
fn function_examples_hold() {
    for function in all() {
        assert!(!function.examples.is_empty(), "{} has no example", function.name);
        for (expression, text, expect) in function.examples {
            let tree = test_parser::tree(expression);
            let text = Text::new(text);
            let found = evaluate(&tree, &TextContext { it: &text, variables: &() });
            let fits = match (expect, &found) {
                (Expect::Holds, Ok(Value::Bool(value))) => *value,
                (Expect::Fails, Ok(Value::Bool(value))) => !value,
                (Expect::Int(want), Ok(Value::Int(value))) => want == value,
                (Expect::Float(want), Ok(Value::Float(value))) => (want - value).abs() < 1e-9,
                (Expect::Text(want), Ok(Value::Text(value))) => *want == &**value,
                (Expect::Texts(want), Ok(Value::List(values))) => {
                    want.iter().map(|text| Some(*text)).eq(values.iter().map(Value::as_str))
                }
                (Expect::Ints(want), Ok(Value::List(values))) => {
                    want.iter().map(|number| Some(*number)).eq(values.iter().map(Value::as_int))
                }
                (Expect::Faults, Err(_)) => true,
                _ => false,
            };
            assert!(fits, "{expression} on {:?}: {found:?}, not {expect:?}", text.str());
        }
    }
}

#[test]
fn names_are_found_and_occur_once() {
    let names: Vec<&str> = all().map(|function| function.name).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    assert!(names.iter().all(|name| lookup(name).is_some_and(|found| found.name == *name)));
    assert!(lookup("startswith").is_none());
}

#[test]
fn optional_parameters_come_last_and_subjects_are_texts() {
    for function in all() {
        let optional = function.params.iter().skip_while(|param| !param.optional);
        assert!(optional.clone().all(|param| param.optional), "{}", function.name);
        if function.subject {
            assert_eq!(function.params.first().map(|param| param.ty), Some(super::ParamType::Text));
        }
    }
}

/// A total function has a value for the texts of all examples.
#[test]
fn total_functions_always_have_a_value() {
    let texts: Vec<&str> = all().flat_map(|function| function.examples).map(|row| row.1).collect();
    let may_lack = |tree: &Tree| matches!(tree.node, Node::Index(..) | Node::At(..));
    fn any_node(tree: &Tree, test: &dyn Fn(&Tree) -> bool) -> bool {
        test(tree) || tree.children().into_iter().any(|child| any_node(child, test))
    }
    for function in all().filter(|function| function.total) {
        for (expression, ..) in function.examples {
            let tree = test_parser::tree(expression);
            if any_node(&tree, &may_lack) {
                continue;
            }
            for text in &texts {
                let found = evaluate(&tree, &TextContext { it: &Text::new(text), variables: &() });
                assert!(found.is_ok(), "{expression} on {text:?}: {found:?}");
            }
        }
    }
}

/// Outside of this folder a function is a type, not a name in quotation marks. Words of JSON Schema
/// and of phrases are spelled like some of them.
#[test]
fn function_names_are_not_matched_elsewhere() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.extend((!["functions", "schema"].contains(&&*name)).then_some(path));
                continue;
            }
            if ["tests.rs", "laws.rs", "property.rs", "schema.rs"].contains(&&*name) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let phrases = name == "quantified.rs";
            for function in all().map(|function| function.name) {
                let is_place = phrases && ["count", "least", "len"].contains(&function);
                let found = code.contains(&format!("\"{function}\""));
                assert!(!found || is_place, "{}: \"{function}\"", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} files");
}
