//! What is known of a check replaces its names.

use ifs::model::check;
use ifs::model::table::DecidedBy;
use ifs::predicate::partial_eval::partial_eval;
use ifs::predicate::print::print;
use ifs::predicate::value::Value;
use ifs::world::MemoryWorld;

fn evaluated(written: &str) -> String {
    let program = format!(
        "ifs 1\nconstraint c(n: int in 1..=9, words: 2 of [\"a\", \"b\"], w: one_of [\"aa\", \"b\"]) {{\n  say \"x\"\n  check {written}\n}}\n"
    );
    let checked = check(&MemoryWorld::new([("a.ifs", program.as_str())]), "a.ifs");
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let DecidedBy::Rule(tree) = &model.groups[0].constraints[0].by else { panic!("a rule") };
    let words = Value::list([Value::text("a"), Value::text("b")]);
    let names = [("n", Value::Int(3)), ("words", words), ("w", Value::text("aa"))];
    print(&partial_eval(tree, &names, &[]))
}

#[test]
fn drawn_names_become_values() {
    assert_eq!(evaluated("count(word) in n..=2 * n"), "count(word) in 3..=6");
    assert_eq!(
        evaluated("every w in words where it != \"b\": contains(word (w))"),
        "every w in [\"a\"]: contains(word (w))"
    );
    assert_eq!(evaluated("starts_with(word (words[n - 2]))"), "starts_with(word \"a\")");
}

#[test]
fn quantifier_names_stay_bound() {
    let written = "every words in [1, 2]: count(line) > words";
    assert_eq!(evaluated(written), written);
    let written = "count(word where len(it) > n) == 1";
    assert_eq!(evaluated(written), "count(word where len(it) > 3) == 1");
}

#[test]
fn a_known_text_is_counted_in_the_response() {
    assert_eq!(evaluated("count(w) == 2"), "count(\"aa\") == 2");
    assert_eq!(evaluated("count(words) + count(line) > 3"), "2 + count(line) > 3");
    let written = "every v in words: count(v) == n";
    assert_eq!(evaluated(written), "every v in [\"a\", \"b\"]: count(v) == 3");
}
