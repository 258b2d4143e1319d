//! What functions and units notice of a text, held against texts: if a form changes a value, the row
//! names something that the form changes; and everything that a row names matters to some text.

use std::collections::BTreeMap;

use ifs::forms::{Apply, BaseText, CheckSubject, Form, Tongue, forms};
use ifs::model::check;
use ifs::model::table::DecidedBy;
use ifs::predicate::aspects::aspects;
use ifs::predicate::evaluate::{TextContext, evaluate};
use ifs::predicate::functions::{Expect, Sees, all};
use ifs::predicate::needles::SearchKind;
use ifs::predicate::tree::{Node, Tree};
use ifs::predicate::value::Value;
use ifs::text::{Aspect, Aspects, Text, UNITS};
use ifs::world::MemoryWorld;

/// The tree of an expression: the checked half of a comparison, if it is no check itself.
fn tree(expression: &str, expect: Option<Expect>) -> Option<Tree> {
    let checks = match expect {
        Some(Expect::Holds | Expect::Fails) => vec![expression.to_owned()],
        Some(Expect::Int(_)) => vec![format!("({expression}) == 1")],
        Some(Expect::Float(_)) => vec![format!("({expression}) >= 0")],
        Some(Expect::Text(_)) => vec![format!("({expression}) == \"q\"")],
        Some(Expect::Texts(_)) => vec![format!("({expression}) == [\"q\"]")],
        Some(Expect::Ints(_)) => vec![format!("({expression}) == [1]")],
        Some(Expect::Faults) | None => return None,
    };
    checks.into_iter().find_map(|written| {
        let program = format!("ifs 1\nconstraint c {{ say \"So.\" check {written} }}\n");
        let checked = check(&MemoryWorld::new([("a.ifs", program.as_str())]), "a.ifs");
        let model = checked.model?;
        let constraint = model.groups.first()?.constraints.first()?.clone();
        let DecidedBy::Rule(tree) = constraint.by else { return None };
        match (written == expression, &tree.node) {
            (false, Node::Compare(_, left, _)) => Some((**left).clone()),
            _ => Some(tree),
        }
    })
}

/// Pieces of texts as people and models write them.
const PIECES: [&str; 40] = [
    "It is so. ",
    "Don't you say \"yes\"? ",
    "A well-known café. ",
    "No! ",
    "One, two, three.\n",
    "\n",
    "- an item\n",
    "- another item\n",
    "* a third\n",
    "1. first\n",
    "2. second\n",
    "# A heading\n",
    "**bold** and *italic* ",
    "`code` ",
    "42 ",
    "3.5 km ",
    "90000 ",
    "2024-05-31 ",
    "9:30 ",
    "😀 ",
    "⚡ ",
    "(so it is) ",
    "[name] ",
    "<p>tag</p>",
    "{\"a\": 1}",
    "\n\n",
    "ALL CAPITALS ",
    "Title Case Words ",
    "Grüße aus Köln. ",
    "你好，世界。",
    "共3个:好,对。",
    "a tree\n",
    "by the sea\n",
    "me and thee\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a,b\n1,2\n",
    "the cat sat on the mat ",
    "per se ",
    "like ",
    "She’s “here” – now. ",
];

/// Texts that are the same every time.
fn texts(count: usize) -> Vec<String> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let text = |_| {
        let length = 1 + next() % 7;
        (0..length).map(|_| PIECES[next() % PIECES.len()]).collect::<String>()
    };
    (0..count).map(text).collect()
}

fn value(tree: &Tree, text: &str) -> Option<Value> {
    evaluate(tree, &TextContext { it: &Text::new(text), variables: &() }).ok()
}

/// Whether an expression compares characters: texts in quotation marks, regular expressions and
/// values. Other characters for the same sign are a fault of such a check, not something that it is
/// about.
fn is_exact(tree: &Tree) -> bool {
    let own = match &tree.node {
        Node::Pattern(_) => true,
        Node::Needle(kind, _) => {
            return !matches!(kind, SearchKind::Word | SearchKind::Phrase | SearchKind::Keyword);
        }
        Node::Value(Value::Text(_) | Value::List(_)) => true,
        _ => false,
    };
    own || tree.children().into_iter().any(is_exact)
}

fn base(text: &str) -> BaseText<'_> {
    BaseText { text, tongue: Tongue::of_text(text).unwrap_or(Tongue::English), rosters: &[] }
}

/// Whether a form changes a value, apart from its words.
fn changes(tree: &Tree, form: &Form, text: &str) -> bool {
    let base = base(text);
    // A right answer is not blank.
    let Some(before) = value(tree, text).filter(|_| !text.trim().is_empty()) else { return false };
    let Some(changed) = form.applied(&base, 0) else { return false };
    let differs = |text: &str| value(tree, text).as_ref() != Some(&before);
    differs(&changed) && form.control(&base, 0).is_none_or(|control| differs(&control))
}

/// Expressions with texts that they have a value for. Those whose value is a part of the text change
/// with it.
fn expressions() -> Vec<(String, Tree, Vec<&'static str>)> {
    let functions = all().flat_map(|function| {
        function
            .examples
            .iter()
            .map(|(expression, text, expect)| ((*expression).to_owned(), Some(*expect), *text))
    });
    let units = UNITS.iter().flat_map(|entry| {
        let expression = format!("count({})", entry.name);
        entry
            .examples
            .iter()
            .map(move |(text, _)| (expression.clone(), Some(Expect::Int(1)), *text))
    });
    let mut trees: BTreeMap<String, (Tree, Vec<&'static str>)> = BTreeMap::new();
    for (expression, expect, text) in functions.chain(units) {
        if matches!(expect, Some(Expect::Text(_) | Expect::Texts(_))) {
            continue;
        }
        if let Some((_, texts)) = trees.get_mut(&expression) {
            texts.push(text);
        } else if let Some(tree) = tree(&expression, expect) {
            trees.insert(expression, (tree, vec![text]));
        }
    }
    trees.into_iter().map(|(expression, (tree, texts))| (expression, tree, texts)).collect()
}

/// What is left to mend in the readings: a list of HTML is none if a sentence stands before or after
/// it, and a response of one line in bold is read as a heading, which has no sentences.
const LEFT: [(&str, &str); 8] = [
    ("count(item)", "both_ends"),
    ("count(item)", "closing"),
    ("count(item)", "explained_after"),
    ("count(item)", "explained_before"),
    ("count(item)", "preamble"),
    ("count(item)", "preamble_line"),
    ("count(sentence where count(word) >= 3)", "bold"),
    ("count(sentence)", "bold"),
];

#[test]
fn what_a_form_changes_is_what_a_check_notices() {
    let generated = texts(2_000);
    let mut wrong: BTreeMap<(String, &str), String> = BTreeMap::new();
    for (at, (expression, tree, own)) in expressions().iter().enumerate() {
        let seen = aspects(tree, &(), &[]);
        let exact = is_exact(tree);
        for (number, form) in forms().enumerate() {
            let glyphs = matches!(form.group.name(), "typography" | "transport" | "wraps");
            let applies = form.subjects.contains(&CheckSubject::Response)
                && form.group.name() != "reasoning"
                // Removed where a response is received.
                && form.name != "bom"
                && !form.touches.meets(seen)
                && !(exact && glyphs);
            if !applies {
                continue;
            }
            let start = (at * 31 + number * 17) % generated.len();
            let some = generated.iter().cycle().skip(start).take(12).map(String::as_str);
            for text in own.iter().copied().chain(some) {
                if changes(tree, form, text) {
                    wrong.insert((expression.clone(), form.name), text.to_owned());
                }
            }
        }
    }
    wrong.retain(|(expression, form), _| !LEFT.contains(&(expression.as_str(), form)));
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
}

#[test]
fn everything_that_a_row_notices_matters_to_some_text() {
    let generated = texts(200);
    let mut idle = Vec::new();
    let matters = |tree: &Tree, own: &[&str], aspect: Aspect| {
        let touching = forms().filter(|form| form.touches.meets(aspect.set()));
        let mut touching: Vec<&Form> = touching.collect();
        touching.sort_by_key(|form| matches!(form.apply, Apply::Frame(_)));
        touching.iter().any(|form| {
            let some = generated.iter().map(String::as_str);
            own.iter().copied().chain(some).any(|text| changes(tree, form, text))
        })
    };
    for function in all() {
        let (Sees::Also(own) | Sees::Sought(own)) = function.sees else { continue };
        let trees: Vec<(Tree, &str)> = function
            .examples
            .iter()
            .filter_map(|(expression, text, expect)| {
                Some((tree(expression, Some(*expect))?, *text))
            })
            .collect();
        // No form changes the language.
        for aspect in own.iter().filter(|aspect| *aspect != Aspect::Language) {
            if !trees.iter().any(|(tree, text)| matters(tree, &[*text], aspect)) {
                idle.push(format!("{}: {}", function.name, aspect.name()));
            }
        }
    }
    for entry in UNITS {
        let tree = tree(&format!("count({})", entry.name), Some(Expect::Int(1))).unwrap();
        let own: Vec<&str> = entry.examples.iter().map(|(text, _)| *text).collect();
        for aspect in entry.unit.sees().iter() {
            if !matters(&tree, &own, aspect) {
                idle.push(format!("{}: {}", entry.name, aspect.name()));
            }
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
    assert!(Aspects::ALL.iter().count() > 10);
}
