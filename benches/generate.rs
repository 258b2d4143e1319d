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

use std.evolif.*

import topics \"banks/topics.jsonl\" { name: text  request: text  keywords: list of text }
";

pub fn scenario_of_lines(lines: usize) -> String {
    scenario(|text| text.lines().count() >= lines)
}

pub fn scenario_of_bytes(bytes: usize) -> String {
    scenario(|text| text.len() >= bytes)
}

/// Groups of four constraints with tests, and a dialogue after every fourth.
fn scenario(enough: impl Fn(&str) -> bool) -> String {
    let mut text = HEAD.to_owned();
    for group in 0.. {
        let _ = writeln!(text, "\n/// Generated, number {group}.\ngroup g{group} {{");
        for constraint in 0..4 {
            let _ = write!(
                text,
                "  constraint c{constraint}(n: int in {}..=400 step 10, who: one_of [\"a\", \"b\", \"c\"]) {{
    say \"Write at least {{{{ n }}}} words for {{{{ who }}}} in part {group}.\",
        \"Part {group} needs {{{{ n }}}} words or more, {{{{ who }}}} says.\"
    change \"Make it {{{{ n }}}} words instead of {{{{ old.n }}}}.\"
    withdraw \"The length of part {group} no longer matters.\"
    check count(word) >= n and every sentence: count(word) <= 40 and not contains(\"{constraint}{group}\")
    test (n: 10, who: \"a\") {{
      fail \"Too short for part {group}.\"
    }}
  }}\n",
                10 + constraint * 10
            );
        }
        let _ = writeln!(text, "}}");
        if group % 4 == 3 {
            let _ = writeln!(
                text,
                "\ndialogue d{group} {{
  topic from topics
  constraints from g{}, g{}, g{group}
  start with 1 constraint
  patience 3
  flow {{ stay at least 4 turns  switch 80% {{ new 40%  backtrack 60% }} }}
  evolve one per turn {{ add 50%  modify 40%  drop 10% }}
  end when patience == 0 or turns >= 100
}}",
                group - 2,
                group - 1
            );
            if enough(&text) {
                return text;
            }
        }
    }
    text
}
