//! Every two of several runs, for people and as CSV.

use std::fmt::Write as _;

use super::{Found, table};
use crate::cli::exit::Problem;
use crate::cli::load::counted;
use ifs::compare::{Comparison, Dominance, Method, Pair, Summary, Unmatched};

pub(super) fn comparison_text(found: &Found) -> String {
    let mut text = String::new();
    for warning in &found.incomplete {
        writeln!(text, "! {warning}").unwrap_or_default();
    }
    for unlike in &found.differences {
        writeln!(text, "! `{}` and `{}` did not ask the same:", unlike.one, unlike.other)
            .unwrap_or_default();
        for line in unlike.told() {
            writeln!(text, "  {line}").unwrap_or_default();
        }
        text.push('\n');
    }
    text.push_str("PIF, the share of what a turn asks for that the response follows\n");
    for side in &found.comparison.sides {
        text.push_str(&side_text(side));
    }
    for pair in &found.comparison.pairs {
        text.push_str(&pair_text(pair));
    }
    text
}

fn side_text(side: &Summary) -> String {
    let pif = side.pif.map_or("none".to_owned(), |pif| format!("{pif:.3}"));
    let below: Vec<String> = side
        .distribution
        .iter()
        .map(|step| format!("{:.2}: {:.1} %", step.value, 100.0 * step.up_to))
        .collect();
    let mut dialogues = counted(side.dialogues, "dialogue");
    if side.distinct < side.dialogues {
        write!(dialogues, " ({} distinct)", side.distinct).unwrap_or_default();
    }
    let unjudged = match side.unjudged {
        0 => String::new(),
        unjudged => format!("; {} not judged and left out", counted(unjudged, "turn")),
    };
    format!(
        "  {}: {pif} over {} of {dialogues}{unjudged}\n    turns up to a share of {}\n",
        side.name,
        counted(side.turns, "turn"),
        below.join(", ")
    )
}

fn pair_text(pair: &Pair) -> String {
    let Pair { one, other, turns, dialogues, difference, wilcoxon, dominance, by_turn, .. } = pair;
    let method = match wilcoxon.method {
        Method::Exact => "exact",
        Method::Normal => "normal approximation",
        Method::None => "nothing differs",
    };
    let ahead = match dominance {
        Dominance::First => format!("`{one}` dominates"),
        Dominance::Second => format!("`{other}` dominates"),
        Dominance::Equal => "the same distribution".to_owned(),
        Dominance::Neither => "neither dominates".to_owned(),
    };
    let error = pair.standard_error.map(|error| format!(" ± {error:.3}")).unwrap_or_default();
    let count = |wanted: Dominance| by_turn.iter().filter(|turn| turn.dominance == wanted).count();
    let mut text = format!(
        "\n{one} less {other}\n  mean difference {difference:+.3}{error} over {} of {} that both \
         have\n  Wilcoxon signed-rank over distinct dialogues ({method}): {} of {dialogues} differ, \
         W+ {}, W- {},\n    p {} (two-sided), {} (first larger), {} (second larger)\n  stochastic \
         dominance of turns: {ahead};\n    by number of the turn: first {}, second {}, equal {}, \
         neither {}\n",
        counted(*turns, "turn"),
        counted(*dialogues, "distinct dialogue"),
        wilcoxon.differing,
        wilcoxon.plus,
        wilcoxon.minus,
        chance(wilcoxon.two_sided),
        chance(wilcoxon.first_larger),
        chance(wilcoxon.second_larger),
        count(Dominance::First),
        count(Dominance::Second),
        count(Dominance::Equal),
        count(Dominance::Neither),
    );
    let Unmatched { only_one, only_other, turns_one, turns_other } = &pair.unmatched;
    for (name, dialogues, turns) in [(one, only_one, turns_one), (other, only_other, turns_other)] {
        if !dialogues.is_empty() {
            let (all, numbers) = (counted(dialogues.len(), "dialogue"), ranges(dialogues));
            writeln!(text, "  left out: {all} of `{name}` alone (number {numbers})")
                .unwrap_or_default();
        }
        if *turns > 0 {
            let turns = counted(*turns, "turn");
            writeln!(text, "  left out: {turns} of `{name}` alone, of dialogues that both have")
                .unwrap_or_default();
        }
    }
    text
}

/// `3, 5 to 9, 12` of numbers in their order.
fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[u64]| match run {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] => format!("{first} to {last}"),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

fn chance(number: f64) -> String {
    if number < 0.000_1 { format!("{number:.1e}") } else { format!("{number:.4}") }
}

pub(super) fn comparison_csv(found: &Comparison, incomplete: &str) -> Result<String, Problem> {
    let head = [
        "incomplete",
        "one",
        "other",
        "turns",
        "dialogues",
        "difference",
        "standard_error",
        "differing",
        "w_plus",
        "w_minus",
        "p_two_sided",
        "p_first_larger",
        "p_second_larger",
        "dominance",
    ];
    let rows = found.pairs.iter().map(|pair| {
        let Pair { one, other, turns, dialogues, difference, wilcoxon, dominance, .. } = pair;
        let error = pair.standard_error.map(|error| error.to_string()).unwrap_or_default();
        let dominance = format!("{dominance:?}").to_lowercase();
        vec![
            incomplete.to_owned(),
            one.clone(),
            other.clone(),
            turns.to_string(),
            dialogues.to_string(),
            difference.to_string(),
            error,
            wilcoxon.differing.to_string(),
            wilcoxon.plus.to_string(),
            wilcoxon.minus.to_string(),
            wilcoxon.two_sided.to_string(),
            wilcoxon.first_larger.to_string(),
            wilcoxon.second_larger.to_string(),
            dominance,
        ]
    });
    table(&head, rows)
}
