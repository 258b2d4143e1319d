//! The report for a terminal: the scores, their meaning, and what failed.

pub(super) mod page;

use std::collections::BTreeMap;

use self::page::{Page, TextStyle};
use super::columns::{bar, cut, pad_left, pad_right, width, wrap};
use super::words::{
    Headline, ending, miss_rate, one_line, percent, percent_or_none, sample_grid, scored,
    spending_grid, verdict_mark,
};
use super::{Grid, MetricRow, Report, breakdown, profile, svg};
use ifs_score::{BreakdownRow, DialogueSummary, RoundScore, SurvivalPoint, TurnOutcome};

const MIN_WIDTH: usize = 60;
const MAX_WIDTH: usize = 120;
const SURVIVAL_ROWS: usize = 20;
const WORST_TOPICS: usize = 5;
const WORST_DIALOGUES: usize = 3;
const FIRST_MISSES: usize = 4;

pub(super) fn write(report: &Report<'_>, color: bool, columns: usize) -> String {
    let mut page = Page::new(color, columns.clamp(MIN_WIDTH, MAX_WIDTH));
    let card = report.scorecard;
    page_head(&mut page, report);
    if card.totals.turns == 0 && report.nothing_to_score().is_some() {
        return page.finish();
    }
    scores(&mut page, report);
    slices(&mut page, report);
    by_turn(&mut page, report);
    rounds(&mut page, &card.rounds);
    samples(&mut page, report);
    survival(&mut page, &card.survival);

    instructions(&mut page, report);
    answer_points(&mut page, report);
    for section in breakdown::sections(&card.breakdown, report.docs, WORST_TOPICS) {
        table(&mut page, section.title, &section.rows, section.docs);
    }
    endings(&mut page, report);
    requests(&mut page, report);
    worst(&mut page, report);
    page.finish()
}

fn page_head(page: &mut Page, report: &Report<'_>) {
    if let Some(warning) = report.gaps.warning() {
        page.wrapped(TextStyle::Warning, "! ", &warning);
        page.gap();
    }
    if let Some(warning) = report.nothing_to_score() {
        page.wrapped(TextStyle::Warning, "! ", &one_line(&warning));
        page.gap();
    }
    let title = one_line(&format!("{} {}", report.title, report.benchmark_version));
    page.line(&[(TextStyle::Strong, &cut(&title, page.width))]);
    let variant = report.variation().map(|variation| format!("{variation} · "));
    let (label, drawn_from) = report.drawn_from();
    let run = format!(
        "model {} · {}{label} {drawn_from} · {}",
        report.model,
        variant.unwrap_or_default(),
        report.plan_hash
    );
    page.line(&[(TextStyle::Faint, &cut(&one_line(&run), page.width))]);
    page.wrapped(TextStyle::Faint, "", &one_line(&report.origin.description()));
    let credits = report.credits();
    let credits: Vec<String> =
        credits.iter().map(|(label, value)| format!("{label} {}", one_line(value))).collect();
    if !credits.is_empty() {
        page.wrapped(TextStyle::Faint, "", &credits.join(" · "));
    }
    let mut scored = scored(report);
    if let Some(replay) = &report.scorecard.replay {
        scored.push_str(&format!("; patience {} replayed", replay.patience));
    }
    page.wrapped(TextStyle::Faint, "", &scored);
    let served = report.answered_by().join(", ");
    if !served.is_empty() {
        page.wrapped(TextStyle::Faint, "", &format!("answered by {}", one_line(&served)));
    }
    if let Some(judges) = report.judges() {
        page.wrapped(TextStyle::Faint, "", &format!("judged by {}", one_line(&judges)));
    }
    if let Some(warning) = report.simulation() {
        page.gap();
        page.wrapped(TextStyle::Warning, "! ", warning);
    }
    let caveats = report.caveats();
    let nothing = report.scorecard.totals.turns == 0 && report.nothing_to_score().is_some();
    if !nothing && !caveats.is_empty() {
        page.heading("Before you quote a number");
        for caveat in &caveats {
            page.wrapped(TextStyle::Plain, "• ", &one_line(caveat));
        }
    }
}

fn scores(page: &mut Page, report: &Report<'_>) {
    page.heading("Scores, with 95 % intervals over distinct dialogues");
    let lines: Vec<Headline> = report
        .shown_metrics(&report.scorecard.metrics)
        .into_iter()
        .map(Headline::from_score)
        .collect();
    let names = lines.iter().map(|line| width(&line.name)).max().unwrap_or(0);
    let intervals = lines.iter().map(|line| width(&line.interval)).max().unwrap_or(0);
    let before = names + 14 + intervals;
    let room = page.width.saturating_sub(before);
    for line in &lines {
        let name = pad_right(&line.name, names);
        let value = pad_left(&line.value, 8);
        let interval = pad_right(&line.interval, intervals);
        let docs = wrap(line.doc, room);
        page.line(&[
            (TextStyle::Plain, &format!("{name}  ")),
            (TextStyle::Strong, &value),
            (TextStyle::Faint, &format!("  {interval}  ")),
            (TextStyle::Plain, docs.first().map_or("", String::as_str)),
        ]);
        let indent = " ".repeat(before);
        for doc in docs.iter().skip(1) {
            page.line(&[(TextStyle::Plain, &format!("{indent}{doc}"))]);
        }
        for note in line.note.iter().flat_map(|note| wrap(&one_line(note), room)) {
            page.line(&[(TextStyle::Faint, &format!("{indent}{note}"))]);
        }
    }
}

fn slices(page: &mut Page, report: &Report<'_>) {
    let slices = report.scorecard.slices.iter();
    let parts: Vec<MetricRow<'_>> = slices
        .map(|slice| (slice.name.as_str(), slice.dialogues, slice.metrics.as_slice()))
        .collect();
    let by = report.by.map(|by| format!(": {}", one_line(by))).unwrap_or_default();
    breakdown(page, report, &format!("By slice{by}"), "dialogues", &parts);
}

fn by_turn(page: &mut Page, report: &Report<'_>) {
    let turns = report.scorecard.by_turn.iter();
    let parts: Vec<MetricRow<'_>> =
        turns.map(|turn| (turn.name.as_str(), turn.turns, turn.metrics.as_slice())).collect();
    breakdown(page, report, "By turn name", "turns", &parts);
}

/// A row for each part, a column for each metric that is shown; further columns below if they do not
/// fit.
fn breakdown(page: &mut Page, report: &Report<'_>, title: &str, of: &str, parts: &[MetricRow<'_>]) {
    const MIN_CELL_WIDTH: usize = 10;
    let Some((.., first)) = parts.first() else { return };
    page.heading(&cut(title, page.width));
    let column = parts.iter().map(|(name, ..)| width(&one_line(name))).max().unwrap_or(0);
    let column = column.clamp(6, page.width / 3);
    let room = page.width.saturating_sub(column + 10);
    let names = report.shown_metrics(first).into_iter().map(|score| &*score.name);
    let names: Vec<&str> = names.collect();
    let longest = names.iter().map(|name| width(name) + 1).max().unwrap_or(0);
    let cell = longest.clamp(MIN_CELL_WIDTH, room.max(MIN_CELL_WIDTH));
    let most = (room / cell).max(1);
    for (at, names) in names.chunks(most).enumerate() {
        if at > 0 {
            page.gap();
        }
        let mut titles = format!("{} {}", pad_right("", column), pad_left(of, 9));
        for name in names {
            titles.push_str(&pad_left(&cut(name, cell - 1), cell));
        }
        page.line(&[(TextStyle::Faint, &titles)]);
        for (name, count, metrics) in parts {
            let name = pad_right(&cut(&one_line(name), column), column);
            let mut row = format!("{name} {count:>9}");
            let shown = report.shown_metrics(metrics).into_iter().skip(at * most);
            for score in shown.take(names.len()) {
                row.push_str(&pad_left(&Headline::from_score(score).value, cell));
            }
            page.line(&[(TextStyle::Plain, &row)]);
        }
    }
}

/// A row for each round, and the abilities sorted by their share after the last one.
fn rounds(page: &mut Page, rounds: &[RoundScore]) {
    // Without a second round, the scores above and the tags say the same.
    let [_, .., last] = rounds else { return };
    page.heading("Round by round");
    let row = |cells: [&dyn std::fmt::Display; 7]| {
        let [round, asked, utility, score, fixed, broken, never] = cells;
        format!(
            "{round:>7}  {asked:>5}  {utility:>7}  {score:>8}  {fixed:>5}  {broken:>6}  {never:>5}"
        )
    };
    for titles in [
        row([&"round", &"asked", &"utility", &"Meeseeks", &"fixed", &"broken", &"never"]),
        row([&"", &"", &"rate", &"score", &"", &"", &"fixed"]),
    ] {
        page.line(&[(TextStyle::Faint, titles.trim_end())]);
    }
    for score in rounds {
        let row = row([
            &score.round,
            &score.asked,
            &percent_or_none(score.utility_rate.number()),
            &percent_or_none(score.meeseeks_score.number()),
            &score.fixed,
            &score.broken,
            &score.never_fixed,
        ]);
        page.line(&[(TextStyle::Plain, &row)]);
    }
    if last.tags.is_empty() {
        return;
    }
    page.heading("Share held by ability and round");
    let names = last.tags.iter().map(|row| width(&tag_name(&row.name))).max().unwrap_or(0);
    for (at, tag) in last.tags.iter().enumerate() {
        let mut row = pad_right(&tag_name(&tag.name), names);
        for score in rounds {
            let rate = score.tags.get(at).and_then(|row| row.rate);
            row.push_str(&pad_left(&percent_or_none(rate), 9));
        }
        page.line(&[(TextStyle::Plain, &row)]);
    }
}

/// Over all responses to a turn: the means, and a row for each number of responses.
fn samples(page: &mut Page, report: &Report<'_>) {
    let Some(samples) = &report.scorecard.samples else { return };
    let grid = sample_grid(samples);
    page.heading("Several responses to a turn");
    page.wrapped(TextStyle::Faint, "", &grid.title);
    grid_lines(page, grid);
}

/// The last name of a tag, indented by its level.
fn tag_name(path: &str) -> String {
    let depth = path.matches('.').count();
    format!("{}{}", "  ".repeat(depth), path.rsplit('.').next().unwrap_or(path))
}

fn instructions(page: &mut Page, report: &Report<'_>) {
    let Some(found) = profile::requested_profile(report) else { return };
    for (title, points) in profile::sections(&found) {
        page.heading(title);
        let longest = points.iter().map(|point| width(&point.name)).max().unwrap_or(0);
        let room = longest.min(page.width.saturating_sub(32));
        for point in points {
            let [mean, interval, count] = profile::columns(point);
            let name = cut(&one_line(&point.name), room);
            let name = format!("{name}{}", " ".repeat(room.saturating_sub(width(&name))));
            page.line(&[
                (TextStyle::Plain, &name),
                (TextStyle::Strong, &format!("  {mean}")),
                (TextStyle::Faint, &format!("  {interval}  of {count}")),
            ]);
        }
    }
}

/// Points and lengths of responses, by class and by turn.
fn answer_points(page: &mut Page, report: &Report<'_>) {
    let Some(found) = profile::answered(report) else { return };
    for (title, rows) in profile::tables(&found) {
        page.heading(title);
        let longest = rows.iter().map(|row| width(&one_line(&row.name))).max().unwrap_or(0);
        let room = longest.clamp(5, page.width.saturating_sub(44).max(5));
        let line = |cells: [String; 4]| -> String {
            let [turns, pif, points, characters] = cells;
            format!("{turns:>8}{pif:>9}{points:>9}{characters:>12}")
        };
        let head = line(profile::ANSWER_COLUMNS.map(str::to_owned));
        page.line(&[(TextStyle::Faint, &format!("{}{head}", " ".repeat(room)))]);
        for row in rows {
            let name = pad_right(&cut(&one_line(&row.name), room), room);
            page.line(&[(TextStyle::Plain, &format!("{name}{}", line(profile::cells(row))))]);
        }
    }
    let sentences = profile::sentences(&found);
    if !sentences.is_empty() {
        page.heading("Responses");
    }
    for sentence in sentences {
        page.wrapped(TextStyle::Plain, "", &sentence);
    }
}

/// One row per turn, or per several turns if there are many.
fn survival(page: &mut Page, points: &[SurvivalPoint]) {
    if !svg::any_decided(points) {
        return;
    }
    let lost = points.iter().any(|point| point.lost > 0);
    page.heading("Turn by turn");
    let cells = ((page.width - 40) / 2).min(24);
    let step = points.len().div_ceil(SURVIVAL_ROWS);
    let mut titles = format!("{} {}  ", pad_left("turn", 7), pad_left("in play", 7));
    if lost {
        titles.push_str(&pad_right("patience left after it", cells + 11));
    }
    titles.push_str("success rate");
    page.line(&[(TextStyle::Faint, &titles)]);
    for points in points.chunks(step) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let turns = if first.turn == last.turn {
            first.turn.to_string()
        } else {
            format!("{}-{}", first.turn, last.turn)
        };
        let played: u64 = points.iter().map(|point| point.at_risk).sum();
        let successes: u64 = points.iter().map(|point| point.successes).sum();
        let left_out = points.iter().map(|point| point.undecided + point.empty).sum::<u64>();
        let decided = played - left_out;
        let successful = (decided > 0).then(|| successes as f64 / decided as f64);
        let mut parts = vec![(TextStyle::Plain, format!("{turns:>7} {:>7}  ", first.at_risk))];
        if lost {
            share(&mut parts, TextStyle::Accent, Some(last.patient), cells);
            parts.push((TextStyle::Plain, "  ".to_owned()));
        }
        share(&mut parts, TextStyle::Good, successful, cells);
        let parts: Vec<_> = parts.iter().map(|(style, text)| (*style, text.as_str())).collect();
        page.line(&parts);
    }
}

/// A bar and its number, `cells + 9` columns wide.
fn share(parts: &mut Vec<(TextStyle, String)>, style: TextStyle, share: Option<f64>, cells: usize) {
    let (filled, rest) = bar(share.unwrap_or(0.0), cells);
    parts.push((style, filled));
    parts.push((TextStyle::Faint, rest));
    parts.push((TextStyle::Plain, format!(" {}", pad_left(&percent_or_none(share), 8))));
}

fn table(
    page: &mut Page,
    title: &str,
    rows: &[&BreakdownRow],
    docs: Option<&BTreeMap<String, String>>,
) {
    if rows.is_empty() {
        return;
    }
    page.heading(title);
    let names: Vec<String> = rows.iter().map(|row| one_line(&row.name)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let column = widest.clamp(6, page.width / 3);
    let counts: Vec<String> = rows.iter().map(|row| counts(row)).collect();
    let tail = counts.iter().map(|text| width(text)).max().unwrap_or(0);
    let cells = page.width.saturating_sub(column + tail + 14).clamp(8, 30);
    for ((row, name), counts) in rows.iter().zip(&names).zip(&counts) {
        let mut parts = vec![(TextStyle::Plain, format!("{}  ", pad_right(name, column)))];
        share(&mut parts, TextStyle::Bad, miss_rate(row), cells);
        let room = page.width.saturating_sub(column + cells + 13);
        parts.push((TextStyle::Faint, format!("  {}", cut(counts, room))));
        let parts: Vec<_> = parts.iter().map(|(style, text)| (*style, text.as_str())).collect();
        page.line(&parts);
        if let Some(doc) = docs.and_then(|docs| docs.get(&row.name)) {
            let doc = cut(&one_line(doc), page.width.saturating_sub(column + 2));
            page.line(&[(TextStyle::Faint, &format!("{}  {doc}", " ".repeat(column)))]);
        }
    }
}

fn counts(row: &BreakdownRow) -> String {
    let missed = format!("missed {} of {}", row.missed, row.held + row.missed);
    match row.unjudged {
        0 => missed,
        unjudged => format!("{missed}, {unjudged} unjudged"),
    }
}

fn endings(page: &mut Page, report: &Report<'_>) {
    let endings = &report.scorecard.endings;
    if endings.is_empty() {
        return;
    }
    page.heading("How dialogues ended");
    for entry in endings {
        let share = entry.count as f64 / report.scorecard.totals.dialogues as f64;
        let text = cut(&one_line(&ending(&entry.ending)), page.width - 18);
        let number = format!("{:>5} {}  ", entry.count, pad_left(&percent(share), 8));
        page.line(&[(TextStyle::Plain, &number), (TextStyle::Plain, &text)]);
    }
}

fn requests(page: &mut Page, report: &Report<'_>) {
    if !report.spending.is_empty() {
        let grid = spending_grid(report.spending);
        page.heading(&grid.title);
        grid_lines(page, grid);
    }
}

/// The lines of a table below a heading of its own.
fn grid_lines(page: &mut Page, grid: Grid) {
    let untitled = Grid { title: String::new(), ..grid };
    let text = untitled.text(page.width);
    text.lines().skip(1).for_each(|line| page.line(&[(TextStyle::Plain, line)]));
}

fn worst(page: &mut Page, report: &Report<'_>) {
    let found = report.scorecard.worst(WORST_DIALOGUES);
    if found.is_empty() {
        return;
    }
    page.heading("Worst dialogues");
    for (place, dialogue) in found.iter().enumerate() {
        if place > 0 {
            page.gap();
        }
        one_dialogue(page, dialogue);
    }
}

fn one_dialogue(page: &mut Page, dialogue: &DialogueSummary) {
    let decided = dialogue.successes + dialogue.failures;
    let title = format!(
        "{} (index {}, seed {}): {} of {} turns successful, {}",
        dialogue.dialogue,
        dialogue.index,
        dialogue.seed,
        dialogue.successes,
        decided,
        ending(&dialogue.ending),
    );
    page.wrapped(TextStyle::Strong, "", &one_line(&title));
    let shown = page.width - 3;
    let mut marks: Vec<(TextStyle, String)> = vec![(TextStyle::Plain, "  ".to_owned())];
    for verdict in dialogue.verdicts.iter().take(shown) {
        let style = match verdict {
            TurnOutcome::Success => TextStyle::Good,
            TurnOutcome::Failure => TextStyle::Bad,
            TurnOutcome::Undecided | TurnOutcome::Empty => TextStyle::Faint,
        };
        marks.push((style, verdict_mark(*verdict).to_string()));
    }
    if dialogue.verdicts.len() > shown {
        marks.push((TextStyle::Faint, "…".to_owned()));
    }
    let marks: Vec<_> = marks.iter().map(|(style, text)| (*style, text.as_str())).collect();
    page.line(&marks);
    for miss in dialogue.misses.iter().take(FIRST_MISSES) {
        let why = miss.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let text = one_line(&format!("{}{why}", miss.constraint));
        page.wrapped(TextStyle::Plain, &format!("  turn {:<3} ", miss.turn), &text);
    }
    let more = dialogue.misses.len().saturating_sub(FIRST_MISSES);
    if more > 0 {
        page.line(&[(TextStyle::Faint, &format!("  and {more} more"))]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge_case_scorecard, report};
    use super::*;

    #[test]
    fn fits_its_width_with_and_without_colour() {
        let card = edge_case_scorecard();
        let docs = BTreeMap::from([("length".to_owned(), "how long ".repeat(40))]);
        for columns in [0, 60, 80, 100, 4000] {
            let plain = write(&report(&card, &docs), false, columns);
            let most = columns.clamp(MIN_WIDTH, MAX_WIDTH);
            for line in plain.lines() {
                assert!(width(line) <= most, "{} > {most}: {line}", width(line));
                assert_eq!(line, line.trim_end());
            }
            let colored = write(&report(&card, &docs), true, columns);
            assert!(colored.contains("\u{1b}["));
            assert_ne!(plain, colored);
        }
    }

    #[test]
    fn terminal_report_has_its_sections() {
        let (card, docs) = (edge_case_scorecard(), BTreeMap::new());
        let text = write(&report(&card, &docs), false, 80);
        for part in ["EDR_lss", "patience left", "Worst dialogues", "format was missed", "ended"] {
            assert!(text.contains(part), "{part}");
        }
    }
}
