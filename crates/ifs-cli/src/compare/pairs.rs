//! Every two of several runs, as text and as CSV: each metric, and PIF turn by turn.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{ComparisonOutput, table};
use crate::exit::CommandError;
use crate::load::counted;
use ifs_score::compare::{
    Dominance, LogRank, McNemar, Method, MetricComparison, MetricPair, RunPair, RunSummary,
    Unmatched,
};

/// The warnings above the tables on a terminal.
pub(super) fn wrapped_warnings(found: &ComparisonOutput, columns: usize) -> String {
    let lines = warnings(found);
    let fits = |line: &str| ifs_report::wrap(line, columns.saturating_sub(2)).join("\n  ");
    let wrapped = lines.lines().map(|line| match line.starts_with('!') {
        true => fits(line),
        false => line.to_owned(),
    });
    wrapped.map(|line| line + "\n").collect()
}

/// The text in lines of at most this many columns; continued lines are indented further.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    let fits = |line: &str| {
        let words = line.trim_start();
        let before = line.len() - words.len();
        let pieces = ifs_report::wrap(words, columns.saturating_sub(before + 2));
        let (first, next) = (" ".repeat(before), " ".repeat(before + 2));
        format!("{first}{}\n", pieces.join(&format!("\n{next}")))
    };
    text.lines().map(fits).collect()
}

/// The warnings above the text formats.
pub(super) fn warnings(found: &ComparisonOutput) -> String {
    let mut text = String::new();
    for warning in found.incomplete.iter().chain(&found.endpoints) {
        writeln!(text, "! {warning}").unwrap_or_default();
    }
    if !found.simulated.is_empty() {
        let names = found.simulated.join(", ");
        writeln!(text, "! SIMULATED: the numbers of {names} say nothing about a real model")
            .unwrap_or_default();
    }
    if !found.unjudged.is_empty() {
        let names = found.unjudged.join(", ");
        writeln!(
            text,
            "! nothing was judged on any turn of {names}: left out (`ifs score --judge` asks a judge)"
        )
        .unwrap_or_default();
    }
    for side in &found.comparison.sides {
        let missing = missing_dialogues(found, &side.name);
        if !missing.is_empty() {
            let (all, numbers) = (counted(missing.len(), "dialogue"), ranges(&missing));
            writeln!(
                text,
                "! `{}` lacks {all} that another run has (number {numbers}): its scores are those of \
                 the dialogues it has, and two runs are tested on the dialogues that both have",
                side.name
            )
            .unwrap_or_default();
        }
    }
    for unlike in &found.differences {
        writeln!(text, "! `{}` and `{}` {}:", unlike.one, unlike.other, unlike.what())
            .unwrap_or_default();
        for line in unlike.lines() {
            writeln!(text, "  {line}").unwrap_or_default();
        }
        text.push('\n');
    }
    text
}

/// The numbers of dialogues that another run has and this one has not.
fn missing_dialogues(found: &ComparisonOutput, run: &str) -> Vec<u64> {
    let missing = found.comparison.pairs.iter().flat_map(|pair| {
        let Unmatched { only_one, only_other, .. } = &pair.unmatched;
        match (pair.one == run, pair.other == run) {
            (true, _) => only_other.as_slice(),
            (_, true) => only_one.as_slice(),
            _ => &[],
        }
    });
    missing.copied().collect::<BTreeSet<u64>>().into_iter().collect()
}

/// PIF turn by turn, and every two runs.
pub(super) fn pairs_text(found: &ComparisonOutput) -> String {
    let mut text =
        "\nPIF, the share of a turn's instructions that the response follows\n".to_owned();
    for side in &found.comparison.sides {
        text.push_str(&side_text(side));
    }
    for pair in &found.comparison.pairs {
        text.push_str(&pair_text(pair));
        text.push_str(&metrics_text(found, pair));
    }
    text
}

/// The metrics of two runs, on the dialogues that both have.
fn metrics_text(found: &ComparisonOutput, pair: &RunPair) -> String {
    let mut text = String::new();
    for standing in &found.metrics {
        let of = |it: &&MetricPair| it.one == pair.one && it.other == pair.other;
        let Some(MetricPair { tested, adjusted_p, .. }) = standing.pairs.iter().find(of) else {
            continue;
        };
        let error = tested.standard_error.map(|error| format!(" ± {error:.3}")).unwrap_or_default();
        let interval = tested.interval.map(|it| format!(" [{:+.3}, {:+.3}]", it.lower, it.upper));
        let interval = interval.unwrap_or_default();
        let corrected = match found.comparison.sides.len() {
            2 => String::new(),
            _ => format!(", {} after Holm's correction", p_value_text(*adjusted_p)),
        };
        writeln!(
            text,
            "  {} {:+.3}{error}{interval}: p {} by randomization{corrected}",
            standing.metric,
            tested.difference,
            p_value_text(tested.p),
        )
        .unwrap_or_default();
    }
    text
}

fn side_text(side: &RunSummary) -> String {
    let pif = side.pif.map_or("none".to_owned(), |pif| format!("{pif:.3}"));
    let mut dialogues = counted(side.dialogues, "dialogue");
    if side.distinct < side.dialogues {
        write!(dialogues, " ({} distinct)", side.distinct).unwrap_or_default();
    }
    let unjudged = match side.unjudged {
        0 => String::new(),
        unjudged => format!("; {} not judged and left out", counted(unjudged, "turn")),
    };
    format!(
        "  {}: {pif} over {} of {dialogues}{unjudged}\n",
        side.name,
        counted(side.turns, "turn"),
    )
}

fn pair_text(pair: &RunPair) -> String {
    let RunPair {
        one,
        other,
        turns,
        dialogues,
        difference,
        wilcoxon,
        mcnemar,
        log_rank,
        dominance,
        by_turn,
        ..
    } = pair;
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
        "\n{one} minus {other}\n  mean difference {difference:+.3}{error} over {} of {} that both \
         have\n  Wilcoxon signed-rank over distinct dialogues ({method}): {} of {dialogues} differ, \
         W+ {}, W- {},\n    p {} (two-sided), {} (first larger), {} (second larger)\n  first better in \
         {} dialogues, equal in {}, worse in {}\n  stochastic dominance of turns: {ahead};\n    turns on which it dominates: first {}, second {}, equal {}, \
         neither {}\n",
        counted(*turns, "turn"),
        counted(*dialogues, "distinct dialogue"),
        wilcoxon.differing,
        wilcoxon.plus,
        wilcoxon.minus,
        p_value_text(wilcoxon.two_sided),
        p_value_text(wilcoxon.first_larger),
        p_value_text(wilcoxon.second_larger),
        pair.wins,
        pair.ties,
        pair.losses,
        count(Dominance::First),
        count(Dominance::Second),
        count(Dominance::Equal),
        count(Dominance::Neither),
    );
    let most = pair.most.iter().map(|it| format!("{} ({:+.2})", it.index, it.difference));
    let most: Vec<String> = most.collect();
    if !most.is_empty() {
        writeln!(text, "  dialogues that differ most: {}", most.join(", ")).unwrap_or_default();
    }
    text.push_str(&success_text(mcnemar));
    if let Some(found) = log_rank {
        text.push_str(&patience_text(found));
    }
    let Unmatched { only_one, only_other, turns_one, turns_other, parted } = &pair.unmatched;
    for (name, dialogues, turns) in [(one, only_one, turns_one), (other, only_other, turns_other)] {
        if !dialogues.is_empty() {
            let (all, numbers) = (counted(dialogues.len(), "dialogue"), ranges(dialogues));
            writeln!(text, "  left out: {all} of `{name}` alone (number {numbers})")
                .unwrap_or_default();
        }
        if *turns > 0 {
            let turns = counted(*turns, "turn");
            writeln!(
                text,
                "  left out: {turns} that only `{name}` has, of dialogues that both have"
            )
            .unwrap_or_default();
        }
    }
    if *parted > 0 {
        writeln!(
            text,
            "  of these, {} of both with other messages before: the responses led to other turns",
            counted(*parted, "turn")
        )
        .unwrap_or_default();
    }
    text
}

fn success_text(found: &McNemar) -> String {
    let method = match found.method {
        Method::Exact => "exact",
        Method::Normal => "clustered by dialogue",
        Method::None => "nothing differs",
    };
    format!(
        "  McNemar on successful turns ({method}):\n    only first {}, only second {}, both {}, \
         neither {}, p {}\n",
        found.first_only,
        found.second_only,
        found.both,
        found.neither,
        p_value_text(found.p),
    )
}

fn patience_text(found: &LogRank) -> String {
    let [one, other] = found.lost;
    format!(
        "  log-rank on spent patience: first lost {one} ({:.1} expected), second lost {other},\n    \
         chi-square {:.2}, p {}; with pairs of dialogues {:.2}, p {}\n",
        found.expected_one,
        found.statistic,
        p_value_text(found.p),
        found.paired_statistic,
        p_value_text(found.paired_p),
    )
}

/// `3, 5 to 9, 12` from sorted numbers.
fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[u64]| match run {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] => format!("{first} to {last}"),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

fn p_value_text(number: f64) -> String {
    if number < 0.000_1 { format!("{number:.1e}") } else { format!("{number:.4}") }
}

/// A row for each two runs and each metric; the rows of `PIF_by_turn` have the tests over turns.
pub(super) fn csv(found: &ComparisonOutput) -> Result<String, CommandError> {
    let incomplete = found.incomplete.join(" ");
    let head = [
        "incomplete",
        "metric",
        "one",
        "other",
        "dialogues",
        "difference",
        "standard_error",
        "lower",
        "upper",
        "p",
        "adjusted_p",
        "turns",
        "wins",
        "ties",
        "losses",
        "differing",
        "w_plus",
        "w_minus",
        "p_first_larger",
        "p_second_larger",
        "dominance",
        "first_alone",
        "second_alone",
        "p_mcnemar",
        "p_log_rank",
        "p_log_rank_paired",
    ];
    let some = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let metric = |standing: &MetricComparison| -> Vec<Vec<String>> {
        let row = |pair: &MetricPair| {
            let mut row = vec![
                incomplete.clone(),
                standing.metric.clone(),
                pair.one.clone(),
                pair.other.clone(),
                pair.dialogues.to_string(),
                pair.tested.difference.to_string(),
                some(pair.tested.standard_error),
                some(pair.tested.interval.map(|it| it.lower)),
                some(pair.tested.interval.map(|it| it.upper)),
                pair.tested.p.to_string(),
                pair.adjusted_p.to_string(),
            ];
            row.resize(head.len(), String::new());
            row
        };
        standing.pairs.iter().map(row).collect()
    };
    let by_turn = found.comparison.pairs.iter().map(|pair| {
        let RunPair {
            one,
            other,
            turns,
            dialogues,
            difference,
            wilcoxon,
            mcnemar,
            log_rank,
            dominance,
            ..
        } = pair;
        vec![
            incomplete.clone(),
            "PIF_by_turn".to_owned(),
            one.clone(),
            other.clone(),
            dialogues.to_string(),
            difference.to_string(),
            some(pair.standard_error),
            String::new(),
            String::new(),
            wilcoxon.two_sided.to_string(),
            String::new(),
            turns.to_string(),
            pair.wins.to_string(),
            pair.ties.to_string(),
            pair.losses.to_string(),
            wilcoxon.differing.to_string(),
            wilcoxon.plus.to_string(),
            wilcoxon.minus.to_string(),
            wilcoxon.first_larger.to_string(),
            wilcoxon.second_larger.to_string(),
            format!("{dominance:?}").to_lowercase(),
            mcnemar.first_only.to_string(),
            mcnemar.second_only.to_string(),
            mcnemar.p.to_string(),
            some(log_rank.map(|it| it.p)),
            some(log_rank.map(|it| it.paired_p)),
        ]
    });
    table(&head, found.metrics.iter().flat_map(metric).chain(by_turn))
}
