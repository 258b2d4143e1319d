//! Contradictory constraints in many wordings: what is reported when a scenario is checked, and
//! what is not.

use std::fs;
use std::path::Path;

use ifs::diagnostic::{Code, Diagnostic, Severity};
use ifs::world::{FolderWorld, MemoryWorld};

use crate::ui::check_program;

mod planted;
mod sets;

const TOPICS: &str = r#"{"name":"tides","request":"Why?","keywords":["tide","moon","coast"]}
{"name":"bread","request":"How?","keywords":["dough","yeast","crust"]}"#;

/// Constraints, each in its own group, that a dialogue draws from.
fn found(constraints: &[&str]) -> Vec<Diagnostic> {
    let mut program = "ifs 1\nimport topics \"topics.jsonl\" { name: text  request: text  keywords: list of text }\n".to_owned();
    for (at, constraint) in constraints.iter().enumerate() {
        let (params, check) = constraint.split_once(" => ").unwrap_or(("", constraint));
        program.push_str(&format!("constraint c{at}{params} {{ say \"So.\" check {check} }}\n"));
    }
    program.push_str(
        "dialogue talk {\n topic from topics\n start with 1 constraint\n flow { switch 50% }\n \
         evolve one per turn { add 50%  drop 50% }\n end when turns >= 10\n}\n",
    );
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("topics.jsonl", TOPICS)]);
    let (found, _) = check_program(&world, "main.ifs");
    // Neither the wording of these constraints nor texts that satisfy them matter here.
    let passed_over = [Code::UNSAID_PARAMETER, Code::UNPROVEN_TURN];
    found.list.into_iter().filter(|found| !passed_over.contains(&found.code)).collect()
}

fn codes(constraints: &[&str]) -> Vec<Code> {
    found(constraints).iter().map(|diagnostic| diagnostic.code).collect()
}

/// The pairs without a diagnostic.
fn without_diagnostic(pairs: &[(&str, &str)]) -> Vec<String> {
    let mut missed = Vec::new();
    for (one, other) in pairs {
        let found = found(&[one, other]);
        let all: Vec<&str> = found.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        let reported = found.iter().any(|diagnostic| {
            diagnostic.code == Code::CONTRADICTORY_CONSTRAINTS
                && diagnostic.severity == Severity::Warning
                && diagnostic.labels.len() >= 2
                && diagnostic.help.is_some()
        });
        if !reported && !found.iter().any(|found| found.code == Code::IMPOSSIBLE_CONSTRAINT) {
            missed.push(format!("{one} | {other} | {}", all.join("; ")));
        }
    }
    missed
}

#[test]
fn pairs_that_never_hold_together() {
    let missed = without_diagnostic(&[
        ("is_json", "starts_with(text \"“\")"),
        ("is_json", "opens_with_pair_as_released(\"“\", \"”\")"),
        ("is_json", "matches(/^“/)"),
        ("is_json and starts_with(text \"\\\"\")", "count(item.released) >= 3"),
        ("is_json", "every line.entry: starts_with(text \"* \")"),
        ("is_json", "ends_with(text \"!\")"),
        ("is_table", "count(heading) == 2"),
        ("is_json", "is_table"),
        ("is_json", "is_numbered"),
        ("is_xml", "starts_with(text \"Dear\")"),
        ("is_bullets", "is_json"),
        (
            "len(it) < 100",
            "every k in [\"harbour\", \"lighthouse\", \"seagull\"]: count(word (k)) >= 10",
        ),
        (
            "count(char) < 100",
            "count(word \"harbour\") == 10 and count(word \"beacon\") == 10 and count(word \"storm\") == 10",
        ),
        ("count(char) <= 99", "every k in topic.keywords: count(keyword (k)) == 10"),
        (
            "(n: int in 50..=99) => len(it) < n",
            "(n: int in 10..=20) => every k in [\"harbour\", \"lighthouse\", \"seagull\"]: count(word (k)) >= n",
        ),
        ("is_upper", "starts_with(\"a\")"),
        ("is_upper", "letter[1]: is_lower"),
        ("is_upper", "letter[1] == \"a\""),
        ("is_upper", "matches(/^[a-z]/)"),
        ("has_no_lower", "some word: is_lower"),
        ("has_no_lower", "word[1]: is_lower"),
        ("share_upper == 100", "char[1]: is_lower"),
        ("is_upper", "contains(\"Tide\")"),
        ("is_upper", "word[-1] == \"amen\""),
        ("is_lower and count(sentence) >= 1", "every sentence: starts_with(\"The\")"),
        ("count(paragraph) == 3", "count(sentence) <= 2"),
        ("count(paragraph) == 3 and every paragraph: count(sentence) >= 1", "count(sentence) < 3"),
        ("count(paragraph) >= 3 and every paragraph: count(sentence) >= 2", "count(sentence) < 6"),
        ("ends_with(\"?\")", "ends_with(\"!\")"),
        ("ends_with(\"?\")", "paragraph[-1]: ends_with(\"!\")"),
        ("ends_with(\"?\")", "sentence[-1]: ends_with(\"!\")"),
        ("count(line) >= 1 and every line: ends_with(\"?\")", "ends_with(\".\")"),
        ("sentence[1]: ends_with(\"?\")", "sentence[1]: ends_with(\"!\")"),
        ("matches(/\\?$/)", "ends_with(\"!\")"),
        ("starts_with(\"Dear\")", "starts_with(\"Hello\")"),
        ("word[1] == \"Dear\"", "word[1] == \"Hello\""),
        ("starts_with(letter \"a\")", "starts_with(word \"the\")"),
        ("contains(word \"moon\")", "not contains(word \"moon\")"),
        ("contains(\"moon\")", "count(\"moon\") == 0"),
        ("\"moon\" in it", "not contains(\"moon\")"),
        ("count(keyword \"moon\") >= 3", "count(keyword \"moon\") <= 2"),
        (
            "no k in topic.keywords: contains(keyword (k))",
            "some k in topic.keywords: contains(keyword (k))",
        ),
        (
            "(t: one_of topic.keywords) => contains(keyword (t))",
            "no k in topic.keywords: contains(keyword (k))",
        ),
        ("count(letter \"e\") == 0", "contains(word \"tree\")"),
        ("not contains(\",\")", "is_csv"),
        ("not contains(\".\")", "ends_with(text \".\")"),
        ("language == \"de\"", "language == \"en\""),
        ("count(word) >= 40 and count(line) <= 4", "every line: count(word) <= 5"),
        ("count(word) < 100", "count(sentence) >= 40 and every sentence: count(word) >= 5"),
        ("count(word) <= 50", "count(word) >= 60"),
        ("count(word) < 50", "count(word) * 2 >= 100"),
        ("(n: int in 10..=30) => count(word) <= n", "(n: int in 40..=900) => count(word) >= n"),
        (
            "(n: int in 10..=300) => count(word) <= n",
            "(n: int in 400..=9000) => count(word) in n..=n + 10",
        ),
        ("(n: one_of [1, 2]) => count(line) <= n", "count(paragraph) >= 3"),
        ("count(item) >= 5", "count(line) < 5"),
        ("count(emoji) == 0", "ends_with(emoji \"🎉\")"),
        ("count(line) == 1", "count(paragraph) == 2"),
        (
            "every paragraph: count(word) <= 20 and count(word) >= 1",
            "count(paragraph) == 2 and count(word) > 40",
        ),
        ("share_upper >= 50", "share_upper < 30"),
        ("wrapped_in(\"\\\"\", \"\\\"\")", "starts_with(text \"Dear\")"),
    ]);
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The two sides use different functions: positions and counts, marks and shapes, letters and
/// words.
#[test]
fn pairs_of_unlike_functions_that_never_hold_together() {
    let missed = without_diagnostic(&[
        ("starts_with(\"In short\")", "paragraph[1]: starts_with(\"At length\")"),
        ("ends_with(\"Amen.\")", "sentence[-1]: ends_with(\"?\")"),
        ("line[-1]: ends_with(\"!\")", "ends_with(\".\")"),
        ("count(line) <= 3", "count(item.numbered) == 5"),
        ("count(heading) >= 4", "count(line) < 4"),
        ("count(table_row) >= 6", "count(line) <= 5"),
        ("not contains(\"<\")", "is_html"),
        ("is_lower", "word[1]: is_upper"),
        ("is_lower", "contains(text \"NASA\")"),
        ("is_upper", "ends_with(\"the end\")"),
        ("has_no_upper", "starts_with(\"Dear\")"),
        ("count(char) <= 40", "contains(\"the quick brown fox jumps over the lazy dogs\")"),
        ("len(it) < 20", "starts_with(\"It was a dark and stormy night\")"),
        ("count(keyword.released \"moon\") >= 5", "count(word.pattern) < 5"),
        ("count(letter \"z\") >= 12", "count(char) < 10"),
        ("count(emoji) >= 3", "count(emoji) < 2"),
        ("wrapped_in(\"(\", \")\")", "ends_with(text \"!\")"),
        ("wrapped_in(\"\\\"\", \"\\\"\")", "ends_with(text \".\")"),
        ("is_xml", "starts_with(text \"{\")"),
        ("is_html", "ends_with(text \"?\")"),
        ("share_upper <= 10", "share_upper in 40..=60"),
        ("matches(/^Dear/)", "starts_with(\"Hello\")"),
        ("contains(\"§\")", "every line: not contains(\"§\")"),
        ("count(paragraph) == 2", "paragraph[4]: contains(\"so\")"),
        ("count(sentence) == 2", "sentence[3]: ends_with(\"?\")"),
        ("count(word) < 6", "word[8] == \"sea\""),
        ("count(word) in 10..=20", "count(word) in 30..=40"),
        ("every line: count(word) <= 3", "count(line) == 2 and count(word) >= 8"),
        ("every sentence: ends_with(\"!\")", "sentence[2]: ends_with(\"?\")"),
        ("some sentence: ends_with(\"?\")", "not contains(\"?\")"),
        ("at_least(3) line: starts_with(\"- \")", "count(line) <= 2"),
        ("at_least(2) paragraph: contains(word \"however\")", "count(word \"however\") == 1"),
        ("exactly(4) sentence: contains(\"tide\")", "count(sentence) == 3"),
        ("count(\"tide\") >= 2", "not contains(\"tide\")"),
        ("is_blank", "count(word) >= 1"),
        ("it == \"Yes.\"", "count(word) >= 2"),
        ("len(word) == 4", "count(word) > 5"),
        ("count(letter \"e\") == 0", "ends_with(phrase \"the end\")"),
        ("letter[-1] == \"x\"", "ends_with(letter \"y\")"),
        ("count(char) == 10", "count(word) == 40"),
        ("count(placeholder) >= 1", "not contains(\"[\")"),
        ("count(highlight) >= 2", "not contains(\"*\")"),
    ]);
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn pairs_that_may_hold_together() {
    for (one, other) in [
        ("is_json", "starts_with(\"[\")"),
        ("is_json", "opens_with_pair(\"{\", \"}\")"),
        ("is_json", "is_upper"),
        ("is_json", "count(sentence) >= 3"),
        ("is_json", "count(paragraph) == 3"),
        ("is_markdown", "count(item) == 5"),
        (
            "(n: int in 50..=120) => len(it) < n",
            "(n: int in 1..=5) => count(word \"harbour\") >= n",
        ),
        ("is_upper", "starts_with(\"A\")"),
        ("is_upper", "contains(word \"tide\")"),
        ("count(paragraph) == 3", "count(sentence) <= 9"),
        ("ends_with(\"?\")", "sentence[1]: ends_with(\"!\")"),
        ("every sentence: ends_with(\"?\")", "count(sentence) == 2"),
        ("sentence[1]: ends_with(\"?\")", "sentence[-1]: ends_with(\"!\")"),
        ("contains(word \"moon\")", "not contains(word \"sun\")"),
        (
            "(t: one_of topic.keywords) => contains(keyword (t))",
            "(t: one_of topic.keywords) => not contains(keyword (t))",
        ),
        ("language == \"de\"", "is_upper"),
        ("(n: int in 10..=50) => count(word) <= n", "(n: int in 40..=90) => count(word) >= n"),
        ("count(word) <= 50", "count(char) >= 200"),
        ("if reply % 2 == 1 then is_upper", "if reply % 2 == 0 then is_lower"),
        ("count(line) == 2", "line[2]: count(word) < 30"),
        ("similarity(\"so\") < 0.5", "contains(\"so\")"),
        // Letters that are several, or another, without their case.
        ("it == \"İstanbul\"", "count(word \"İstanbul\") == 1"),
        ("it == \"ıssız\"", "starts_with(letter \"ı\")"),
        ("matches(/^[ıs]+z$/)", "starts_with(letter \"i\")"),
        ("upper == \"STRASSE\"", "contains(\"ß\")"),
        ("upper == \"FINE\"", "starts_with(\"ﬁ\")"),
        ("upper == \"STRASSE\"", "count(letter) == 6"),
        ("it == \"ſea\"", "contains(word \"sea\")"),
        ("lower == \"kelvin\"", "contains(\"\u{212a}\")"),
        ("it == \"σας\"", "contains(word \"ΣΑΣ\")"),
        ("it == \"\u{212b}\"", "contains(letter \"å\")"),
        ("starts_with_as_released(keyword \"fine\")", "starts_with(\"ﬁne\")"),
        ("unique(letter)", "count(letter \"i\") == 2"),
    ] {
        let found = codes(&[one, other]);
        assert_eq!(found, [], "{one}\n{other}");
    }
}

/// Three constraints each two of which hold together: the diagnostics for each case.
fn of_three(threes: &[[&str; 3]]) -> Vec<(String, Vec<String>)> {
    let reported = |three: &[&str; 3]| {
        let messages = found(three).into_iter().map(|diagnostic| diagnostic.message).collect();
        (three.join(" | "), messages)
    };
    threes.iter().map(reported).collect()
}

#[test]
fn three_that_never_hold_together() {
    let reported = "`c0`, `c1` and `c2` can never hold together";
    let threes = of_three(&[
        ["count(sentence) >= 40", "every sentence: count(word) >= 5", "count(word) < 150"],
        ["count(paragraph) == 3", "every paragraph: count(word) >= 50", "count(word) <= 120"],
        [
            "count(keyword.released \"tide\") >= 10",
            "count(keyword.released \"moon\") >= 10",
            "count(word.pattern) <= 15",
        ],
        ["count(line) >= 12", "every line: len(it) >= 30", "len(it) <= 300"],
        [
            "(n: int in 6..=9) => count(paragraph) >= n",
            "every paragraph: count(word) >= 4",
            "count(word) <= 20",
        ],
        ["is_json", "starts_with(text \"[\")", "ends_with(text \"}\")"],
        [
            "every item: starts_with(letter \"a\")",
            "every item: starts_with(letter \"b\")",
            "count(item) >= 3",
        ],
        [
            "every line.entry: contains(\"tide\")",
            "no line.entry: contains(\"tide\")",
            "count(line.entry) in 3..=5",
        ],
        [
            "every sentence: count(word) >= 12",
            "(n: int in 5..=9) => count(sentence) == n",
            "(m: int in 20..=40 step 5) => count(word) <= m",
        ],
    ]);
    for (three, messages) in threes {
        assert_eq!(messages, [reported], "{three}");
    }
    // A line alone may be a comment, which has no words, where the text has it in a block of code.
    let reported = "`c0`, `c1` and `c2` are unlikely to hold together: prose does not satisfy them";
    let threes = of_three(&[
        ["count(line) <= 4", "every line: count(word) <= 20", "count(word) >= 100"],
        [
            "count(line) <= 2",
            "every line: count(word) <= 3",
            "(n: int in 10..=20) => count(word) >= n",
        ],
    ]);
    for (three, messages) in threes {
        assert_eq!(messages, [reported], "{three}");
    }
}

#[test]
fn three_that_may_hold_together() {
    let threes = of_three(&[
        ["count(sentence) >= 30", "every sentence: count(word) >= 5", "count(word) <= 150"],
        ["count(paragraph) == 3", "every paragraph: count(word) >= 50", "count(word) <= 150"],
        ["count(word \"tide\") >= 10", "count(word \"moon\") >= 10", "count(word) <= 20"],
        ["count(sentence) <= 40", "every sentence: count(word) >= 5", "count(word) < 150"],
        ["count(paragraph) >= 4", "every paragraph: count(word) <= 20", "count(word) >= 100"],
        ["count(line) >= 12", "some line: len(it) >= 30", "len(it) <= 300"],
        // Items need not be lists, and each may be empty of sentences.
        ["count(item) >= 9", "every sentence: count(word) >= 9", "count(word) <= 40"],
        ["is_json", "starts_with(\"[\")", "ends_with(\"]\")"],
        ["is_json", "contains(\"[\")", "ends_with(\"}\")"],
        // Without items, a condition on every item holds.
        [
            "every item: starts_with(letter \"a\")",
            "every item: starts_with(letter \"b\")",
            "count(paragraph) >= 3",
        ],
        // A number in the range is small enough.
        [
            "(n: int in 2..=9) => count(sentence) == n",
            "every sentence: count(word) >= 12",
            "count(word) <= 40",
        ],
        // The words of the one are in those of the other.
        ["contains(phrase \"by and large\")", "contains(phrase \"and large\")", "count(word) <= 3"],
        [
            "if reply % 2 == 0 then count(sentence) >= 40",
            "every sentence: count(word) >= 5",
            "count(word) < 150",
        ],
    ]);
    for (three, messages) in threes {
        assert_eq!(messages, [""; 0], "{three}");
    }
}

#[test]
fn checks_that_never_hold_or_always_do() {
    for never in [
        "count(word) >= 100 and count(word) < 50",
        "is_upper and is_lower",
        "count(word) in 9..=3",
        "ends_with(\"?\") and ends_with(\"!\")",
        "contains(\"so\") and not contains(\"so\")",
        "is_json and is_xml",
        "(n: int in 1..=9) => count(word) > n + 5 and count(word) <= n",
        "(n: int in 1..=9000) => count(word) > 9500 and count(word) <= n",
        "(c: one_of [\"b\", \"c\"]) => starts_with(letter \"a\") and starts_with(letter (c))",
        "false",
        "some sentence: count(word) < 3 and count(word) > 5",
    ] {
        assert_eq!(codes(&[never]), [Code::IMPOSSIBLE_CONSTRAINT], "{never}");
    }
    for always in [
        "count(word) >= 0",
        "count(word) > 5 or count(word) <= 5",
        "(n: int in 1..=9) => count(sentence) > -n",
        "contains(\"so\") or not contains(\"so\")",
        "true",
    ] {
        assert_eq!(codes(&[always]), [Code::TRIVIAL_CONSTRAINT], "{always}");
    }
    for sound in [
        "count(word) > 5",
        "paragraph[2]: count(word) >= 0",
        "(n: int in 1..=9) => count(word) > 5 and count(word) <= n",
    ] {
        assert_eq!(codes(&[sound]), [], "{sound}");
    }
}

#[test]
fn implied_constraints_are_reported() {
    for (one, other) in [
        ("count(word) >= 200", "count(word) >= 20"),
        ("count(sentence) >= 40 and every sentence: count(word) >= 5", "count(word) >= 100"),
        ("is_upper", "has_no_lower"),
        ("starts_with(text \"Dear\")", "contains(\"Dear\")"),
        ("count(keyword \"moon\") == 3", "contains(keyword \"moon\")"),
        ("(n: int in 100..=900) => count(word) >= n", "count(word) >= 50"),
    ] {
        assert_eq!(codes(&[one, other]), [Code::REDUNDANT_CONSTRAINT], "{one}\n{other}");
    }
}

/// The library and the scenarios contain no contradictions.
#[test]
fn no_false_alarms_on_what_is_shipped() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut programs = Vec::new();
    for folder in fs::read_dir(&scenarios).expect("scenarios are there").flatten() {
        for file in fs::read_dir(folder.path()).expect("a folder").flatten() {
            if file.path().extension().is_some_and(|ending| ending == "ifs") {
                programs.push((folder.path(), file.file_name().into_string().expect("a name")));
            }
        }
    }
    assert!(programs.len() >= 11, "{programs:?}");
    for (folder, name) in programs {
        let world = FolderWorld::new(&folder).expect("a folder");
        let (found, _) = check_program(&world, &name);
        let reported: Vec<&str> = found.list.iter().map(|found| found.message.as_str()).collect();
        assert!(reported.is_empty(), "{name}: {reported:?}");
    }
}

/// Contradictions between two constraints of one library module are not reported in scenarios, so
/// they are checked here, with the module as the scenario's own file.
#[test]
fn library_modules_have_no_contradictions() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/std");
    for module in ["evolif", "evolif_as_released", "mmmt", "mmmt_as_released"] {
        let mut program = fs::read_to_string(library.join(format!("{module}.ifs"))).expect(module);
        program.push_str(
            "import topics \"topics.jsonl\" { name: text  request: text  keywords: list of text }\n\
             dialogue talk {\n topic from topics\n start with 1 constraint\n flow { switch 50% }\n \
             evolve one per turn { add 50%  drop 50% }\n end when turns >= 10\n}\n",
        );
        let world = MemoryWorld::new([("main.ifs", program.as_str()), ("topics.jsonl", TOPICS)]);
        let (found, _) = check_program(&world, "main.ifs");
        let reported: Vec<&str> = found.list.iter().map(|found| found.message.as_str()).collect();
        assert!(reported.is_empty(), "{module}: {reported:?}");
    }
}

#[test]
fn replies_with_exclusive_constraints() {
    let found = found(&["if reply % 4 == 1 then is_upper", "if reply % 2 == 1 then is_lower"]);
    let messages: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages, ["`c0` and `c1` cannot hold together on reply 1, 5, 9, 13, …"]);
}

/// A `let` of a dialogue or a turn is treated like a constant of the file.
#[test]
fn lets_are_resolved() {
    let program = "ifs 1
        constraint many(n: int in 1..=90) { say \"At least {{ n }}.\" check count(sentence) >= n }
        constraint long(k: int in 1..=90) {
          say \"Of {{ k }} words.\" check every sentence: count(word) >= k
        }
        constraint short(m: int in 1..=900) { say \"At most {{ m }}.\" check count(word) <= m }
        dialogue d {
          let total = 20 + 20
          turn a {
            let size = 5
            ask \"Write.\"
            impose many(n: total)
            impose long(k: size)
            impose short(m: MOST)
          }
        }";
    let found = |most: &str| {
        let program = program.replace("MOST", most);
        let world = MemoryWorld::new([("main.ifs", program.as_str())]);
        check_program(&world, "main.ifs").0.list
    };
    let [one] = <[Diagnostic; 1]>::try_from(found("2 * total")).expect("one");
    assert_eq!(
        (one.code, one.severity),
        (Code::CONTRADICTORY_CONSTRAINTS, Severity::Error),
        "{}",
        one.message
    );
    let sum = "40 sentences x 5 words = 200 words, more than 80";
    assert!(one.labels.iter().any(|label| label.text.contains(sum)), "{:?}", one.labels);
    assert!(found("5 * total").is_empty());
}
