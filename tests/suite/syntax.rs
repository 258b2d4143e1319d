//! The parser on invalid input: it does not panic or hang, reports that something is wrong, and its
//! spans exist.

use ifs::diagnostic::Diagnostic;
use ifs::source::Span;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use crate::random_programs::program;
use crate::time_limit::ends;
use crate::tree_shape::read;

const GOOD: &str = include_str!("samples/evolving.ifs");

/// The stack of a test's thread.
const STACK: usize = 2 << 20;

/// Parses a text and checks the result. Returns the diagnostics.
fn survives(text: &str) -> Vec<Diagnostic> {
    let (ast, diagnostics) = if text.len() < 10_000 {
        read(text)
    } else {
        let what = format!("{:?}…", text.chars().take(40).collect::<String>());
        let text = text.to_owned();
        ends(&what, STACK, move || read(&text))
    };
    let exists = |span: Span| {
        let range = span.range();
        assert!(range.start <= range.end, "{range:?}");
        assert!(text.get(range.clone()).is_some(), "{range:?} of {}", text.len());
    };
    for diagnostic in &diagnostics.list {
        assert!(!diagnostic.labels.is_empty(), "{diagnostic:?}");
        diagnostic.labels.iter().for_each(|label| exists(label.span));
    }
    ast.comments.iter().for_each(|comment| exists(comment.span));
    if text.len() < 100_000 {
        for (start, end) in spans(&format!("{ast:?}")) {
            assert!(text.get(start..end).is_some(), "{start}..{end} of {}", text.len());
        }
    }
    diagnostics.list
}

/// The places in a tree's `Debug` output. What strings contain is not mistaken
/// for one here: the texts of this file have no `span: 0:` in them.
fn spans(debug: &str) -> impl Iterator<Item = (usize, usize)> {
    debug.split("span: 0:").skip(1).filter_map(|text| {
        let (start, rest) = text.split_once("..")?;
        let end = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
        Some((start.parse().ok()?, end.parse().ok()?))
    })
}

fn fails(text: &str) {
    let found = survives(text);
    assert!(
        !found.is_empty(),
        "nothing wrong with {:?}…",
        text.chars().take(60).collect::<String>()
    );
}

#[test]
fn every_prefix_of_a_scenario() {
    for (at, _) in GOOD.char_indices().filter(|(at, _)| at % 5 == 0) {
        survives(&GOOD[..at]);
    }
}

#[test]
fn missing_and_duplicate_lines() {
    let lines: Vec<&str> = GOOD.split_inclusive('\n').collect();
    let mut many = Vec::new();
    let mut counts = [0; 10];
    for at in 0..lines.len() {
        let mut less = lines.clone();
        let line = less.remove(at);
        let found = survives(&less.concat()).len();
        counts[found.min(9)] += 1;
        if found > 2 {
            many.push((line, found));
        }
        let mut twice = lines.clone();
        twice.insert(at, line);
        let found = survives(&twice.concat()).len();
        if found > 2 {
            many.push((line, found));
        }
    }
    assert_eq!(counts.iter().sum::<usize>(), lines.len());
    assert!(many.len() * 20 <= lines.len(), "{many:?}");
}

#[test]
fn deep_nesting() {
    const MANY: usize = 20_000;
    for open in [
        "{",
        "(",
        "[",
        "a(",
        "{ a: ",
        "group a {",
        "not ",
        "if a then ",
        "- ",
        "-",
        "every a: ",
        "a[",
        "..=",
    ] {
        fails(&open.repeat(MANY));
        fails(&format!("let x = {}", open.repeat(MANY)));
        fails(&format!("constraint c {{ check {}", open.repeat(MANY)));
        fails(&format!("dialogue c {{ {}", open.repeat(MANY)));
    }
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]"), ("group a {", "}"), ("f(", ")")] {
        fails(&format!("{}{}", open.repeat(MANY), close.repeat(MANY)));
        fails(&format!("let x = {}1{}", open.repeat(MANY), close.repeat(MANY)));
    }
    for chain in ["1+", "1 + ", "a and ", "a or\n  ", "1..", "a.", "a: ", "a == ", "a where "] {
        fails(&format!("let x = {}1", chain.repeat(MANY)));
        fails(&format!("group g {{ constraint c {{ check {}1 }} }}", chain.repeat(MANY)));
    }
}

/// Deeply nested scenarios of several kinds.
const DEEP: [fn(usize) -> String; 16] = [
    |depth| format!("let x = {}1{}", "(".repeat(depth), ")".repeat(depth)),
    |depth| format!("let x = {}1{}", "[".repeat(depth), "]".repeat(depth)),
    |depth| format!("let x = {}1{}", "f(".repeat(depth), ")".repeat(depth)),
    |depth| format!("let x = {}1{}", "f(x: ".repeat(depth), ")".repeat(depth)),
    |depth| format!("let x = {}1{}", "{ a: ".repeat(depth), "}".repeat(depth)),
    |depth| format!("let x = {}1{}", "every a: (".repeat(depth), ")".repeat(depth)),
    |depth| format!("let x = {}a", "not ".repeat(depth)),
    |depth| format!("let x = {}a", "-".repeat(depth)),
    |depth| format!("let x = {}a", "if a then ".repeat(depth)),
    |depth| format!("let x = {}a", "every a: ".repeat(depth)),
    |depth| format!("let x = a{}", " + a".repeat(depth)),
    |depth| format!("let x = a{}", ".b".repeat(depth)),
    |depth| format!("let x = a{}", "[1]".repeat(depth)),
    |depth| format!("dialogue d {{ {} {} }}", "variant v {".repeat(depth), "}".repeat(depth)),
    |depth| format!("tags a {} {}", "{ a ".repeat(depth), "}".repeat(depth)),
    |depth| format!("constraint c(x: {}int) {{}}", "1 of a with x: ".repeat(depth)),
];

/// The deepest accepted scenario can also be printed, cloned, formatted and dropped on this thread,
/// with a stack of 2 MB.
#[test]
fn deepest_accepted_nesting() {
    for deep in DEEP {
        let depths: Vec<usize> = (0..=210).collect();
        let depth = depths.partition_point(|depth| read(&deep(*depth)).1.list.is_empty());
        assert!((20..210).contains(&depth), "{depth} is too deep in {:?}", deep(1));
        let text = deep(depth - 1);
        let (ast, _) = read(&text);
        assert!(!format!("{:?}", ast.clone()).is_empty());
        assert!(!ifs::syntax::format(&ast, &text).is_empty());
    }
}

/// What is not moved to a thread with a large stack fits a small one.
#[test]
fn shallow_nesting_on_a_small_stack() {
    let all = || {
        for deep in DEEP {
            for depth in (1..60).step_by(2) {
                survives(&deep(depth));
            }
        }
        for open in ["{", "group g { x {", "(", "check (", "dialogue d { for x in (["] {
            for depth in (1..30).step_by(2) {
                survives(&open.repeat(depth));
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(all);
    thread.expect("a thread").join().expect("it fits");
}

#[test]
fn a_very_long_line() {
    const SIZE: usize = 1 << 17;
    for piece in
        ["a", "\"", "{", "/", "7", "x ", "}", "(/a/", "/\\", ".", "\u{3c6}", "\\", "'", "a,"]
    {
        let text = piece.repeat(SIZE / piece.len());
        match piece {
            // A very long comment is valid.
            "/" => assert_eq!(survives(&text), []),
            _ => fails(&text),
        }
        for before in ["let x = ", "group g { constraint c { say "] {
            let fails = |text: &str| _ = survives(text);
            fails(&format!("{before}{}", piece.repeat(SIZE / 4 / piece.len())));
        }
    }
}

/// The thousandth mistake costs no more than the first, and is not reported.
#[test]
fn very_many_mistakes() {
    for line in [
        "x",
        "\"",
        "let x =",
        "x {",
        "}",
        "group g { x",
        "group g { x }",
        "'",
        "\\",
        "/// a",
        "use 1",
    ] {
        for before in ["", "dialogue c {\n", "constraint c {\n  check "] {
            let text = format!("{before}{}", format!("{line}\n").repeat(2_000));
            fails(&text);
            assert!(survives(&text).len() < 1000);
        }
    }
}

#[test]
fn odd_bytes() {
    for text in ["\0", "let x\0 = 1", "let x = 1\0", "\u{FEFF}\0", "let x = \"\0", "\u{2028}"] {
        fails(text);
    }
    for text in [
        "",
        " ",
        "\n",
        "\r\n",
        "\u{FEFF}",
        "// a",
        "// a\r\n// b",
        "\u{FEFF}ifs 1\r\nlet x = 1\r\n",
    ] {
        assert_eq!(survives(text), [], "{text:?}");
    }
    assert_eq!(survives(&GOOD.replace('\n', "\r\n")), []);
    assert_eq!(survives(&format!("\u{FEFF}{GOOD}")), []);
    survives(&GOOD.replace('\n', "\r"));
    fails("/// a");
}

#[test]
fn random_bytes() {
    let mut bytes = vec![0_u8; 1 << 20];
    SmallRng::seed_from_u64(7).fill_bytes(&mut bytes);
    fails(&String::from_utf8_lossy(&bytes));
    // Only ASCII, so that strings and brackets occur more often.
    let typed: String = bytes.iter().map(|byte| char::from(byte % 95 + 32)).collect();
    fails(&typed);
    let lines: String =
        typed.chars().map(|letter| if letter == 'q' { '\n' } else { letter }).collect();
    fails(&lines);
}

#[test]
fn repeated_keywords() {
    let grammar = include_str!("../../grammar/ifs.pest");
    let words =
        grammar.lines().filter_map(|line| line.strip_prefix("k_")?.split_whitespace().next());
    for word in words {
        fails(&word.repeat(2));
        for before in ["", "let x = ", "dialogue d { ", "constraint c { check "] {
            survives(&format!("{before}{}", format!("{word} ").repeat(100)));
            survives(&format!("{before}{}", format!("{word}\n").repeat(100)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn pieces_of_programs(pieces in prop::collection::vec((0..GOOD.len(), 1..30_usize), 1..40)) {
        let text: String = pieces
            .iter()
            .filter_map(|(start, length)| GOOD.get(*start..(start + length).min(GOOD.len())))
            .collect();
        survives(&text);
    }

    #[test]
    fn programs_with_a_hole(numbers in prop::collection::vec(any::<u16>(), 0..300), at in any::<prop::sample::Index>(), length in 1..20_usize) {
        let text = program(&numbers);
        let letters: Vec<char> = text.chars().collect();
        let start = at.index(letters.len());
        let kept = letters.iter().enumerate().filter(|(at, _)| *at < start || *at >= start + length);
        survives(&kept.map(|(_, letter)| *letter).collect::<String>());
    }
}
