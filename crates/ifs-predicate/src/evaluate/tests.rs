//! The values of trees.

use super::{TextContext, evaluate, holds};
use crate::test_parser::{self, tree};
use crate::value::Value;
use ifs_text::Text;

fn value(source: &str, text: &str) -> Result<Value, String> {
    let text = Text::new(text);
    evaluate(&tree(source), &TextContext { it: &text, variables: &() })
        .map_err(|fault| fault.message)
}

#[test]
fn measures_and_quantifiers() {
    let text = "Some say so. She left! It was 7 or 9.";
    for (source, expected) in [
        ("count(word) >= 9", true),
        ("count(sentence) in 3..=5", true),
        ("count(sentence) in 3..3", false),
        ("every sentence: starts_with(\"S\")", false),
        ("at_least(2) sentence: starts_with(\"S\")", true),
        ("exactly(2) sentence: starts_with(\"S\")", true),
        ("at_most(1) sentence: starts_with(\"S\")", false),
        ("no sentence: starts_with(\"X\")", true),
        ("some number: it > 5 and it % 2 == 1", true),
        ("some number: it > 5 and it % 2 == 0", false),
        ("sentence[-1]: contains(\"7\")", true),
        ("sentence[2]: ends_with(\"!\")", true),
        ("sentence[4]: ends_with(\"!\")", false),
        ("not (sentence[4]: ends_with(\"!\"))", false),
        ("(sentence[4]: ends_with(\"!\")) or count(sentence) == 3", true),
        ("count(word in sentence[1]) == 3", true),
        ("count(sentence where count(word) >= 3) == 2", true),
        ("every s in sentence: count(word in s) <= 5", true),
        ("every n in 1..=3: count(word in sentence[n]) >= 2", true),
        ("if count(word) > 100 then count(sentence) == 1", true),
        ("\"say\" in it", true),
        ("3 not in [1, 2]", true),
        ("unique(sentence)", true),
        ("count(first(2, sentence)) == 2", true),
        ("len(sentence[2..=3]) == 2", true),
        ("every item: false", true),
        ("some item: true", false),
        ("1 / 3 + 1 / 3 + 1 / 3 == 1", true),
        ("40% == 0.4", true),
        ("{ left: \"(\", right: \")\" }.left == \"(\"", true),
        ("count(word) > \"a\"", false),
        ("some /[0-9]/ in it: it == \"9\"", true),
    ] {
        assert_eq!(test_parser::holds(source, text), expected, "{source}");
    }
}

#[test]
fn faults_are_reported_in_source_terms() {
    let text = "One. Two.";
    for (source, message) in [
        ("sentence[3]: starts_with(\"X\")", "there is no sentence 3, only 2 sentences"),
        ("item[1]: starts_with(\"X\")", "there is no list item"),
        ("count(word) / 0", "nothing can be divided by 0"),
        ("n + 1", "`n` has no value"),
        ("word + 1", "`+` does not work on a list and a number"),
        ("1..=2", "a range is not a value by itself"),
        ("every [1][0]: true", "members are counted from 1, or from the end from -1"),
    ] {
        assert_eq!(value(source, text), Err(message.to_owned()), "{source}");
    }
}

#[test]
fn names_are_bound_from_the_inside_out() {
    let variables = [("n", Value::Int(2)), ("words", Value::list([Value::text("tide")]))];
    let text = Text::new("The tide turns.");
    let scene = TextContext { it: &text, variables: &variables };
    for (source, expected) in [
        ("count(word) > n", true),
        ("every w in words: contains(word (w))", true),
        ("every n in [5]: count(word) < n", true),
        ("\"tide\" in words", true),
        ("words[1]: starts_with(letter \"t\")", true),
    ] {
        assert_eq!(holds(&tree(source), &scene), expected, "{source}");
    }
}

#[test]
fn deserialized_trees_fault_without_panic() {
    use crate::tree::{Node, Tree};
    let mut deep = Tree::without_place(Node::Value(Value::Bool(true)));
    for _ in 0..319 {
        deep = Tree::without_place(Node::Not(Box::new(deep)));
    }
    let text = Text::new("");
    let scene = TextContext { it: &text, variables: &() };
    assert!(evaluate(&deep, &scene).is_ok());
    let deeper = Tree::without_place(Node::Not(Box::new(deep)));
    assert!(evaluate(&deeper, &scene).is_err());
}

#[test]
fn deepest_trees_do_not_overflow() {
    use crate::tree::{Node, Quantified, Quantifier, Tree};
    use crate::{bound, explain, print, witness};
    let leaf = || tree("count(word) > 3");
    let boxed = |tree: Tree| Box::new(tree);
    let wrap: [&dyn Fn(Tree) -> Node; 6] = [
        &|inner| Node::Not(boxed(inner)),
        &|inner| Node::And(vec![leaf(), inner]),
        &|inner| Node::Or(vec![leaf(), inner]),
        &|inner| Node::If(boxed(leaf()), boxed(inner), None),
        &|inner| Node::At(boxed(tree("sentence[1]")), boxed(inner)),
        &|inner| {
            Node::Quantified(Box::new(Quantified {
                quantifier: Quantifier::Every,
                binder: Some("s".to_owned()),
                domain: tree("sentence"),
                body: inner,
            }))
        },
    ];
    for wrap in wrap {
        let mut deep = leaf();
        for _ in 0..250 {
            deep = Tree::without_place(wrap(deep));
        }
        let text = Text::new("One two.");
        let scene = TextContext { it: &text, variables: &() };
        let held = holds(&deep, &scene);
        assert_eq!(explain::explain(&deep, &scene).is_none(), held);
        assert!(!print::print(&deep).is_empty());
        let goals = [(&deep, &() as &dyn super::Variables)];
        let _ = bound::conflict(&goals);
        // Quantifiers in quantifiers run into the budget, again for each text that is tried.
        if matches!(deep.node, Node::Quantified(_)) {
            continue;
        }
        let goal = witness::Goal { tree: &deep, variables: &(), wanted: true };
        let _ = witness::witness(&[goal], &witness::TextTopic::default(), 1);
    }
}
