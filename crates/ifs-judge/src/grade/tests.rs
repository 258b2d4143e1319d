//! Rows that can be graded, and rows that cannot.

use std::sync::LazyLock;

use super::{Catalogue, GradeTotals, Grader, RowError, RowGrades, RowPrompts, RowReading};
use ifs_base::world::MemoryWorld;
use ifs_model::check;

const SCENARIO: &str = r#"ifs 1
group again {
  constraint opens_alike {
    say   "Begin with what you said last time."
    check starts_with(replies[-1])
  }
  constraint in_third {
    say     "In each third answer, be brief."
    check   count(word) <= 2
    applies when reply % 3 == 0
  }
}
group size {
  constraint words(n: int) {
    say   "At most {{ n }} words."
    check count(word) <= n
    alias "size" (n: given.limit) when given.unit == "word"
  }
  constraint lines(n: int) {
    say   "At most {{ n }} lines."
    check count(line) <= n
    alias "size" (n: given.limit) when given.unit == "line"
    alias "either"
  }
  constraint marks(n: int) {
    say   "At most {{ n }} commas."
    check count(",") <= n
    alias "either"
  }
}
constraint pairs {
  say   "No letter above another."
  check every a in char: every b in char: a <= b
}
constraint kind {
  say   "Be kind."
  judge "Is it kind?"
}
"#;

/// Read once, because it has the rules of the library.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let checked = check(&MemoryWorld::new([("a.ifs", SCENARIO)]), "a.ifs");
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    Catalogue::new([model])
});

fn grade(row: &str) -> Result<RowGrades, RowError> {
    let grader = Grader {
        catalogue: &CATALOGUE,
        prompts: None,
        reading: RowReading::Both,
        brief: false,
        raw_text: false,
    };
    grader.line(row.as_bytes()).1
}

fn reported(row: &str) -> (bool, Option<bool>) {
    let graded = grade(row).unwrap_or_else(|error| panic!("{row}: {error:?}"));
    (graded.strict == Some(true), graded.loose)
}

#[test]
fn strictly_and_loosely() {
    let row = |answer: &str| {
        let args = r#"{"end_phrase":"The end."}"#;
        format!(
            r#"{{"answer":"{answer}","constraint":"std.ifeval.startend.end_checker_as_released","args":{args}}}"#
        )
    };
    assert_eq!(reported(&row("So it was. The end.")), (true, Some(true)));
    assert_eq!(reported(&row("So it was. The end.\\nBye!")), (false, Some(true)));
    assert_eq!(reported(&row("**So it was. The end.**")), (false, Some(true)));
    assert_eq!(reported(&row("So it was.")), (false, Some(false)));
    assert_eq!(reported(&row("")), (false, Some(false)));
}

#[test]
fn reasons_and_measures() {
    let row = r#"{"answer":"one two three","constraint":"size.words","args":{"n":2}}"#;
    let graded = grade(row).unwrap();
    let [verdict] = graded.constraints.as_slice() else { panic!("{graded:?}") };
    assert!(verdict.why.as_ref().is_some_and(|why| why.contains("3 words")), "{verdict:?}");
    let measures = verdict.measures.as_ref().and_then(|all| all.field("count(word)"));
    assert_eq!(measures.and_then(|count| count.as_int()), Some(3));
}

#[test]
fn several_constraints_of_one_answer() {
    let row = r#"{"answer":"one two three","constraints":[
        {"constraint":"size.words","args":{"n":3}}, {"constraint":"size.lines","args":{"n":0}}]}"#;
    let graded = grade(row).unwrap();
    let each: Vec<Option<bool>> = graded.constraints.iter().map(|one| one.strict).collect();
    assert_eq!((graded.strict, each), (Some(false), vec![Some(true), Some(false)]));
}

#[test]
fn constraints_by_the_names_of_published_data() {
    let row = |unit: &str| {
        format!(
            r#"{{"response":"one two","instruction_id_list":["size"],"kwargs":[{{"limit":1,"unit":"{unit}"}}]}}"#
        )
    };
    assert!(!reported(&row("word")).0);
    assert!(reported(&row("line")).0);
    assert_eq!(code(&row("page")), "ifs::unknown-name");
    let both = r#"{"response":"a","instruction_id_list":["either"],"kwargs":[{"n":1}]}"#;
    assert_eq!(code(both), "ifs::duplicate-name");
    let library = r#"{"response":"a b c","instruction_id_list":["length_constraints:number_words"],
        "kwargs":[{"num_words":3.0,"relation":"at least","other":null}]}"#;
    assert_eq!(reported(library), (true, Some(true)));
    let logged = |times: u8| {
        format!(
            r#"{{"turn":1,"response":"Tide on tide: a moon.","instructions":[
            {{"id":"existence","args":{{"tide":{times},"moon":1}},"description":"Use them."}},
            {{"id":"forbidden","args":["sun"]}},{{"id":"format","args":{{"mode":"markdown"}}}}]}}"#
        )
    };
    assert_eq!((reported(&logged(2)).0, reported(&logged(3)).0), (true, false));
    assert_eq!(grade(&logged(2)).unwrap().constraints.len(), 3);
}

#[test]
fn rows_name_their_turn() {
    let row = |more: &str| format!(r#"{{"answer":"So it is.","constraint":"again.{more}}}"#);
    assert!(reported(&row(r#"opens_alike","replies":["So"]"#)).0);
    assert_eq!(code(&row(r#"opens_alike""#)), "ifs::bad-row");
    assert!(!reported(&row(r#"in_third","turn":3"#)).0);
    let elsewhere = grade(&row(r#"in_third","turn":4"#)).unwrap();
    assert_eq!((elsewhere.strict, elsewhere.constraints[0].strict), (Some(true), None));
    assert_eq!(code(&row(r#"in_third""#)), "ifs::bad-row");
}

fn code(row: &str) -> String {
    match grade(row) {
        Ok(graded) => panic!("{row}: {graded:?}"),
        Err(error) => error.code.to_string(),
    }
}

#[test]
fn ungradable_rows_are_errors() {
    let std = "std.ifeval.length_constraints.number_words";
    for (row, wanted) in [
        ("nope".to_owned(), "ifs::bad-row"),
        ("[1]".to_owned(), "ifs::bad-row"),
        (r#"{"constraint":"size.words","args":{"n":1}}"#.to_owned(), "ifs::bad-row"),
        (r#"{"answer":null,"constraint":"size.words","args":{"n":1}}"#.to_owned(), "ifs::bad-row"),
        (r#"{"answer":7,"constraint":"size.words","args":{"n":1}}"#.to_owned(), "ifs::bad-row"),
        (
            r#"{"answer":"\ud800","constraint":"size.words","args":{"n":1}}"#.to_owned(),
            "ifs::bad-row",
        ),
        (r#"{"answer":"a"}"#.to_owned(), "ifs::bad-row"),
        (r#"{"answer":"a","constraint":"x","constraints":[]}"#.to_owned(), "ifs::bad-row"),
        (r#"{"answer":"a","constraint":"size.words","args":[1]}"#.to_owned(), "ifs::bad-row"),
        (
            r#"{"answer":"a","instruction_id_list":["size"],"kwargs":[{},{}]}"#.to_owned(),
            "ifs::bad-row",
        ),
        (
            r#"{"answer":"a","constraint":"size.wrds","args":{"n":1}}"#.to_owned(),
            "ifs::unknown-name",
        ),
        (r#"{"answer":"a","constraint":"std.none.wrds"}"#.to_owned(), "ifs::unknown-name"),
        (r#"{"answer":"a","constraint":"size.words"}"#.to_owned(), "ifs::bad-argument"),
        (
            r#"{"answer":"a","constraint":"size.words","args":{"n":1,"m":2}}"#.to_owned(),
            "ifs::bad-argument",
        ),
        (
            r#"{"answer":"a","constraint":"size.words","args":{"n":"1"}}"#.to_owned(),
            "ifs::wrong-type",
        ),
        (r#"{"answer":"a","constraint":"kind"}"#.to_owned(), "ifs::needs-judge"),
        (
            format!(
                r#"{{"answer":"a","constraint":"{std}","args":{{"num_words":1,"relation":"at most"}}}}"#
            ),
            "ifs::bad-argument",
        ),
    ] {
        assert_eq!(code(&row), wanted, "{row}");
    }
    let grader = Grader {
        catalogue: &CATALOGUE,
        prompts: None,
        reading: RowReading::Strict,
        brief: true,
        raw_text: false,
    };
    for (row, said) in [
        ("[1]", "does not begin with `{`"),
        ("\"a\"", "does not begin with `{`"),
        (r#"{"answer":1}"#, "expected a string (column 11)"),
        (r#"{"answer":"\ud83d"}"#, "hex escape (column"),
    ] {
        let error = grader.line(row.as_bytes()).1.unwrap_err();
        assert!(error.message.contains(said), "{row}: {error:?}");
    }
    let row = br#"{"answer":"a","constraint":"std.ifeval.number_sentences"}"#;
    let help = grader.line(row).1.unwrap_err().help.unwrap_or_default();
    assert!(help.contains("`std.ifeval.length_constraints.number_sentences`"), "{help}");
    for row in [r#"{"answer":"a","constraints":[]}"#, r#"{"answer":"a","instructions":[]}"#] {
        let error = grader.line(row.as_bytes()).1.unwrap_err();
        assert!(error.message.contains("is empty"), "{row}: {error:?}");
    }
    let error = grader.line(b"{\"answer\":\"\xff\"}").1.unwrap_err();
    assert!(error.message.contains("UTF-8 from byte 12 on"), "{error:?}");
}

#[test]
fn prompts_in_separate_files() {
    let mut prompts = RowPrompts::default();
    for line in [
        r#"{"key":1,"prompt":"Why?","instruction_id_list":["size"],"kwargs":[{"limit":1,"unit":"word"}]}"#,
        r#"{"key":2,"prompt":"How?","constraint":"size.lines","args":{"n":1}}"#,
        r#"{"key":3,"prompt":"How?","constraint":"again.opens_alike"}"#,
        r#"{"key":4,"prompt":"Who?","constraint":"kind"}"#,
    ] {
        prompts.add(line.as_bytes(), &CATALOGUE).unwrap();
    }
    let again = r#"{"key":4,"prompt":"Who?","constraint":"kind"}"#;
    assert_eq!(
        prompts.add(again.as_bytes(), &CATALOGUE).unwrap_err().code.name(),
        "duplicate-name"
    );
    let grader = Grader {
        catalogue: &CATALOGUE,
        prompts: Some(&prompts),
        reading: RowReading::Strict,
        brief: true,
        raw_text: false,
    };
    let strict = |row: &str| match grader.line(row.as_bytes()).1 {
        Ok(graded) => (graded.strict == Some(true)).to_string(),
        Err(error) => error.code.to_string(),
    };
    assert_eq!(strict(r#"{"prompt":"Why?","response":"Because"}"#), "true");
    assert_eq!(strict(r#"{"key":1,"response":"Just because"}"#), "false");
    assert_eq!(strict(r#"{"key":2,"response":"a\nb"}"#), "false");
    assert_eq!(strict(r#"{"prompt":"How?","response":"a"}"#), "ifs::duplicate-name");
    assert_eq!(strict(r#"{"prompt":"Where?","response":"a"}"#), "ifs::unknown-name");
    assert_eq!(strict(r#"{"response":"a"}"#), "ifs::bad-row");
    assert_eq!(strict(r#"{"key":3,"response":"a"}"#), "ifs::bad-row");
    assert_eq!(prompts.unanswered(), 1);
    assert_eq!(strict(r#"{"key":4,"response":"a"}"#), "ifs::needs-judge");
}

#[test]
fn judged_constraints_stay_unjudged_next_to_rules() {
    let row = |answer: &str| {
        let wanted = r#"[{"constraint":"size.words","args":{"n":1}},{"constraint":"kind"}]"#;
        grade(&format!(r#"{{"answer":"{answer}","constraints":{wanted}}}"#)).unwrap()
    };
    // Never a pass: only a judge can decide it.
    let held = row("one");
    assert_eq!((held.strict, held.loose), (None, None));
    let reported: Vec<_> = held.constraints.iter().map(|one| (one.strict, one.unjudged)).collect();
    assert_eq!(reported, [(Some(true), false), (None, true)]);
    // A violated rule decides.
    let missed = row("two words");
    assert_eq!((missed.strict, missed.loose), (Some(false), Some(false)));
    let mut totals = GradeTotals::default();
    [held, missed].iter().for_each(|graded| totals.add(graded));
    assert_eq!((totals.answers.of, totals.answers.strict), (1, 0));
    assert_eq!((totals.constraints.of, totals.constraints.strict), (2, 1));
    assert_eq!((totals.unjudged.answers, totals.unjudged.constraints), (1, 2));
}

#[test]
fn checks_over_the_work_limit_fail_with_a_reason() {
    let row =
        |letters: usize| format!(r#"{{"answer":"{}","constraint":"pairs"}}"#, "a".repeat(letters));
    assert_eq!(reported(&row(50)), (true, Some(true)));
    let graded = grade(&row(3_000)).unwrap();
    assert_eq!((graded.strict, graded.loose), (Some(false), Some(false)));
    assert_eq!(graded.constraints[0].why.as_deref(), Some("the expression takes too long"));
}

#[test]
fn judged_evolif_groups_have_their_ids() {
    for (id, args, wanted) in [
        ("emotion", r#"{"emotion":"sad"}"#, "ifs::needs-judge"),
        ("reader_age", r#"{"reader_age":"youth"}"#, "ifs::needs-judge"),
        ("style", r#"{"style":"passive voice"}"#, "ifs::needs-judge"),
        ("style", r#"{"style":"formal"}"#, "ifs::needs-judge"),
        ("style", r#"{"style":"baroque"}"#, "ifs::unknown-name"),
        ("reader_age", r#"{"reader_age":"elder"}"#, "ifs::unknown-name"),
    ] {
        let row = format!(r#"{{"response":"a","instructions":[{{"id":"{id}","args":{args}}}]}}"#);
        assert_eq!(code(&row), wanted, "{row}");
    }
}
