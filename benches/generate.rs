//! Scenarios of a given size.

use std::fmt::Write as _;

pub fn topics(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let _ = writeln!(
            text,
            r#"{{"name": "topic {at}", "request": "Tell me of topic {at}.", "keywords": ["a{at}", "b{at}", "c{at}"]}}"#
        );
    }
    text
}

const HEAD: &str = "ifs 1

benchmark generated { title \"Generated\" version \"1.0.0\" }
";

const LIBRARY: &str = "\nuse std.evolif.*\n";

const TOPICS: &str = "
import topics \"banks/topics.jsonl\" { name: text  request: text  keywords: list of text }
";

/// About 250 lines: one dialogue that draws from all of five groups, and from those of the library
/// where they are asked for.
pub fn one_pool(library: bool) -> String {
    let mut text = [HEAD, if library { LIBRARY } else { "" }, TOPICS].concat();
    for number in 0..5 {
        group(&mut text, number);
    }
    dialogue(&mut text, "all", "");
    text
}

/// A dialogue after every fourth group, until there is as much as was asked for.
pub fn scenario_of_bytes(bytes: usize) -> String {
    let mut text = [HEAD, LIBRARY, TOPICS].concat();
    for number in 0.. {
        group(&mut text, number);
        if number % 4 == 3 {
            let of = format!("  constraints from g{}, g{}, g{number}\n", number - 2, number - 1);
            dialogue(&mut text, &number.to_string(), &of);
            if text.len() >= bytes {
                break;
            }
        }
    }
    text
}

/// Four constraints with tests.
fn group(text: &mut String, number: usize) {
    let _ = writeln!(text, "\n/// Generated, number {number}.\ngroup g{number} {{");
    for constraint in 0..4 {
        let _ = write!(
            text,
            "  constraint c{constraint}(n: int in {}..=400 step 10, who: one_of [\"a\", \"b\", \"c\"]) {{
    say \"Write at least {{{{ n }}}} words for {{{{ who }}}} in part {number}.\",
        \"Part {number} needs {{{{ n }}}} words or more, {{{{ who }}}} says.\"
    change \"Make it {{{{ n }}}} words instead of {{{{ old.n }}}}.\"
    withdraw \"The length of part {number} no longer matters.\"
    check count(word) >= n and every sentence: count(word) <= 40 and not contains(\"{constraint}{number}\")
    test (n: 10, who: \"a\") {{
      fail \"Too short for part {number}.\"
    }}
  }}\n",
            10 + constraint * 10
        );
    }
    let _ = writeln!(text, "}}");
}

fn dialogue(text: &mut String, name: &str, constraints: &str) {
    let _ = writeln!(
        text,
        "\ndialogue d{name} {{
  topic from topics
{constraints}  start with 1 constraint
  patience 3
  flow {{ stay at least 4 turns  switch 80% {{ new 40%  backtrack 60% }} }}
  evolve one per turn {{ add 50%  modify 40%  drop 10% }}
  end when patience == 0 or turns >= 100
}}"
    );
}
