//! The report of `ifs audit`: on a terminal, and as a page with the texts that flipped.

use std::collections::BTreeMap;

use ifs_audit::{Audit, CheckRow, ExampleKind, FlippedText, FormRow};
use ifs_base::diagnostic::visible_text;

use super::document::{HtmlPage, escape};
use super::words::percent;

/// The width of the text.
const WIDTH: usize = 80;
/// The rows of a table, unless all are wanted.
const ROWS: usize = 10;

/// The report as text: what fails first, then by share. Without `all`, tables are cut.
#[must_use]
pub fn text(audit: &Audit, file: &str, all: bool) -> String {
    let rows = if all { usize::MAX } else { ROWS };
    let mut lines = head(audit);
    golden(audit, rows, &mut lines);
    forms(audit, rows, &mut lines);
    checks(audit, rows, &mut lines);
    answers(audit, rows, &mut lines);
    formal(audit, rows, &mut lines);
    evaded(audit, rows, &mut lines);
    declared(audit, rows, &mut lines);
    judge(audit, rows, &mut lines);
    bases(audit, &mut lines);
    limits(audit, file, &mut lines);
    lines.join("\n")
}

/// `1 turn`, `2 turns`
fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn head(audit: &Audit) -> Vec<String> {
    let sample = &audit.sample;
    let version = &audit.benchmark_version;
    let name =
        if version.is_empty() { audit.title.clone() } else { format!("{} {version}", audit.title) };
    let judged = match sample.judged {
        0 => "none by judges".to_owned(),
        judged => format!("{judged} by judges"),
    };
    let mut lines = vec![
        format!(
            "{name} · {}, {}, seed {}",
            counted(sample.dialogues, "dialogue"),
            counted(sample.turns, "turn"),
            audit.seed
        ),
        format!(
            "{} by rules, {judged}; {}",
            counted(sample.verdicts, "verdict"),
            counted(sample.texts, "text")
        ),
    ];
    let sources = [
        (sample.recorded, "recorded"),
        (sample.golden, "golden"),
        (sample.witnesses, "constructed"),
        (sample.test_responses, "in tests"),
    ];
    let sources: Vec<String> = sources
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, source)| format!("{count} {source}"))
        .collect();
    if !sources.is_empty() {
        lines.push(format!("right answers: {}", sources.join(", ")));
    }
    lines
}

fn golden(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let missed = &audit.golden_missed;
    if missed.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(format!(
        "Golden answers that miss something: {} of {}",
        missed.len(),
        audit.sample.with_golden
    ));
    for one in missed.iter().take(rows) {
        let place = format!("{} number {}, turn {}", one.dialogue, one.index, one.turn);
        lines.push(clipped(&format!("  {place}: {}: {}", one.check, one.why), WIDTH));
    }
    rest(missed.len(), rows, lines);
}

/// Turns that a form was tried on.
fn forms(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let mut changed: Vec<&FormRow> = audit.forms.iter().filter(|row| row.changed > 0).collect();
    changed.sort_by(|one, other| {
        share(other.changed, other.applied).total_cmp(&share(one.changed, one.applied))
    });
    let quiet = audit.forms.iter().filter(|row| row.changed == 0 && row.applied > 0).count();
    let exempt = audit.forms.iter().filter(|row| row.changed == 0 && row.applied == 0).count();
    let absent = ifs_forms::forms().count().saturating_sub(audit.forms.len());
    lines.push(String::new());
    if changed.is_empty() {
        lines.push(format!(
            "Forms that should not matter: none of {} changes a verdict",
            quiet.max(1)
        ));
        return;
    }
    lines.push(columns("Forms that should not matter", &["turns", "changed"], "seen by"));
    for row in changed.iter().take(rows) {
        let example = ifs_forms::form(&row.name).map_or("", |form| form.example.1);
        let name = format!(
            "  {:<17} {}",
            row.name,
            clipped(&visible_text(&example.replace('\n', " ")), 20)
        );
        let figures = [row.applied.to_string(), percent(share(row.changed, row.applied))];
        lines.push(line(&name, &figures, &most(&row.by_check)));
    }
    let mut others = Vec::new();
    if changed.len() > rows {
        others.push(format!("{} more change a verdict (--all)", changed.len() - rows));
    }
    others.push(format!("{quiet} change none"));
    if exempt > 0 {
        others.push(format!("{exempt} are about what is checked"));
    }
    if absent > 0 {
        others.push(format!("{absent} do not occur here"));
    }
    lines.push(format!("  {}", others.join(", ")));
}

/// The most frequent names: `told fact 2, 4 more`.
fn most(counts: &BTreeMap<String, u64>) -> String {
    let mut names: Vec<(&String, &u64)> = counts.iter().collect();
    names.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    match names.as_slice() {
        [] => String::new(),
        [(name, _)] => (*name).clone(),
        [(name, _), others @ ..] => format!("{name}, {} more", others.len()),
    }
}

fn checks(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let mut changed: Vec<&CheckRow> =
        audit.checks.iter().filter(|row| row.changed_by_any > 0).collect();
    if changed.is_empty() {
        return;
    }
    changed.sort_by(|one, other| {
        share(other.changed_by_any, other.verdicts)
            .total_cmp(&share(one.changed_by_any, one.verdicts))
            .then(other.changed_by_any.cmp(&one.changed_by_any))
    });
    lines.push(String::new());
    lines.push(columns("Checks whose verdict a form changes", &["verdicts", "changed"], "by most"));
    for row in changed.iter().take(rows) {
        let figures = [row.verdicts.to_string(), percent(share(row.changed_by_any, row.verdicts))];
        lines.push(line(&format!("  {}", row.name), &figures, &most(&row.changed)));
        lines.push(written(row));
    }
    rest(changed.len(), rows, lines);
}

/// The expression of a check and its place.
fn written(row: &CheckRow) -> String {
    let place = if row.place.is_empty() { String::new() } else { format!("  {}", row.place) };
    let left = WIDTH.saturating_sub(4 + place.chars().count());
    format!("    {}{place}", clipped(&row.check, left.max(20)))
}

fn answers(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    if audit.answers.is_empty() {
        return;
    }
    let mut all: Vec<_> = audit.answers.iter().collect();
    all.sort_by(|one, other| {
        one.limit_met
            .cmp(&other.limit_met)
            .then(other.floor.total_cmp(&one.floor))
            .then(other.points.total_cmp(&one.points))
    });
    lines.push(String::new());
    lines.push(format!(
        "{:<44}{:>10}{:>11}{:>11}",
        "Answers that know nothing", "points", "all held", "declared"
    ));
    let shown: Vec<_> =
        all.iter().filter(|row| row.floor > 0.0 || !row.limit_met).take(rows).collect();
    for row in &shown {
        let example = match row.dropped {
            0 => ifs_forms::answer(&row.name)
                .map_or(String::new(), |answer| answer.example.to_owned()),
            dropped => format!("{dropped} of {} dropped: right", row.applied + dropped),
        };
        let name = format!("  {:<12} {}", row.name, clipped(&example, 28));
        let mark = if row.limit_met { "" } else { "  !" };
        lines.push(format!(
            "{name:<44}{:>10}{:>11}{:>11}{mark}",
            percent(row.points),
            percent(row.floor),
            percent(row.declared)
        ));
    }
    let others = all.len() - shown.len();
    if others > 0 {
        let name =
            if shown.is_empty() { format!("  all {others}") } else { format!("  {others} more") };
        let most = all.iter().filter(|row| !shown.iter().any(|one| one.name == row.name));
        let most = most.map(|row| row.floor).fold(0.0, f64::max);
        lines.push(format!("{name:<54}{:>11}", percent(most)));
    }
    // Each kind of turn with the answer that passes most of them.
    let above = audit.turns.iter().filter_map(|turn| {
        let share = |name: &String| turn.all_held.get(name).copied().unwrap_or(0.0);
        let best =
            turn.above.iter().rev().max_by(|one, other| share(one).total_cmp(&share(other)))?;
        Some((turn, best, share(best)))
    });
    let mut above: Vec<_> = above.collect();
    above.sort_by(|one, other| other.2.total_cmp(&one.2));
    if above.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(columns("Turns that they pass", &["turns", "passed"], "by"));
    for (turn, best, found) in above.iter().take(rows) {
        let figures = [turn.count.to_string(), percent(*found)];
        let by = match turn.above.len() - 1 {
            0 => (*best).clone(),
            others => format!("{best}, {others} more"),
        };
        lines.push(line(&format!("  {}", turn.name), &figures, &by));
    }
    rest(above.len(), rows, lines);
}

fn formal(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let formal: Vec<&CheckRow> =
        audit.checks.iter().filter(|row| row.formal && !row.declared).collect();
    if formal.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push("Facts that read no content: word salad passes them".to_owned());
    for row in formal.iter().take(rows) {
        lines.push(format!("  {}", row.name));
        lines.push(written(row));
    }
    rest(formal.len(), rows, lines);
}

fn evaded(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let evaded: Vec<&CheckRow> = audit.checks.iter().filter(|row| !row.evaded.is_empty()).collect();
    if evaded.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(columns("Wrong answers that a form lets pass", &["missed", "evaded"], "by most"));
    for row in evaded.iter().take(rows) {
        let figures = [row.missed.to_string(), percent(share(row.evaded_by_any, row.missed))];
        lines.push(line(&format!("  {}", row.name), &figures, &most(&row.evaded)));
        lines.push(written(row));
    }
    rest(evaded.len(), rows, lines);
}

/// What is by design, with its reason.
fn declared(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let minded: Vec<&CheckRow> = audit.checks.iter().filter(|row| !row.minded.is_empty()).collect();
    if minded.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push("Changes that are declared".to_owned());
    for row in minded.iter().take(rows) {
        let count: u64 = row.minded.values().sum();
        let text = format!(
            "  {}: {} by {}: {}",
            row.name,
            counted(count, "change"),
            most(&row.minded),
            row.because.join("; ")
        );
        lines.push(clipped(&text, WIDTH));
    }
    rest(minded.len(), rows, lines);
}

/// What is known of the judge.
fn judge(audit: &Audit, rows: usize, lines: &mut Vec<String>) {
    let Some(judge) = &audit.judge else { return };
    lines.push(String::new());
    lines.push(format!(
        "Judge {}: {} on {}, {} unreadable",
        judge.judges.join(", "),
        counted(judge.verdicts, "verdict"),
        counted(judge.texts, "text"),
        percent(judge.unreadable)
    ));
    lines.push(format!(
        "  right answers hold {}, and are decided otherwise the second time {}",
        percent(judge.right),
        percent(judge.noise)
    ));
    for form in &judge.forms {
        lines.push(format!(
            "  {:<18} changes {} of {}, beyond that {} ({} to {})",
            form.name,
            form.changed,
            form.verdicts,
            percent(form.beyond_noise),
            percent(form.lower),
            percent(form.upper)
        ));
    }
    for answer in &judge.answers {
        let name = clipped(&answer.name, 40);
        lines.push(format!(
            "  {name:<40} holds {:>8} of {}",
            percent(answer.held),
            answer.verdicts
        ));
    }
    if judge.known.is_empty() {
        return;
    }
    lines.push(format!(
        "  constraints whose truth is known: right texts accepted {}, wrong ones refused {}",
        percent(judge.sensitivity),
        percent(judge.specificity)
    ));
    let wrong = judge.known.iter().filter(|row| row.accepted + row.refused < row.right + row.wrong);
    for row in wrong.take(rows) {
        lines.push(clipped(
            &format!(
                "    {}: {} of {} right ones accepted, {} of {} wrong ones refused",
                row.constraint, row.accepted, row.right, row.refused, row.wrong
            ),
            WIDTH,
        ));
    }
}

fn bases(audit: &Audit, lines: &mut Vec<String>) {
    let sample = &audit.sample;
    lines.push(String::new());
    let of = |label: &str, count: u64, all: u64| format!("{label:<41} {count} of {all}");
    let content = audit.turns.iter().filter(|turn| turn.has_content);
    let (formal, all) =
        content.fold((0, 0), |(formal, all), turn| (formal + turn.formal, all + turn.count));
    if all > 0 {
        lines.push(of("Turns whose checks read no content", formal, all));
    }
    let missed: u64 = audit.checks.iter().map(|row| row.missed).sum();
    let evaded: u64 = audit.checks.iter().map(|row| row.evaded_by_any).sum();
    lines.push(of("Wrong answers that another form lets pass", evaded, missed));
    if sample.no_natural_base > 0 {
        lines.push(of(
            "Turns without a natural right answer",
            sample.no_natural_base,
            sample.turns,
        ));
    }
    if sample.without_base > 0 {
        lines.push(of(
            "Turns without any right answer",
            sample.without_base,
            sample.turns + sample.without_base,
        ));
    }
    if sample.too_large > 0 {
        lines.push(format!(
            "{:<41} {} (too many checks of too long answers)",
            "Turns that were left out", sample.too_large
        ));
    }
    if sample.without_rule > 0 {
        lines.push(format!(
            "{:<41} {} (only a judge decides, or nothing)",
            "Turns without a rule", sample.without_rule
        ));
    }
}

fn limits(audit: &Audit, file: &str, lines: &mut Vec<String>) {
    let missed: Vec<&str> =
        audit.limits.iter().filter(|limit| !limit.met).map(|limit| limit.name.as_str()).collect();
    lines.push(String::new());
    if missed.is_empty() {
        lines.push(match audit.sample.turns {
            0 => "nothing was examined: no turn has both a rule and a right answer".to_owned(),
            _ => "all limits are met".to_owned(),
        });
        return;
    }
    let worst = audit
        .checks
        .iter()
        .find(|row| row.changed_by_any > 0 || !row.evaded.is_empty())
        .map(|row| row.name.clone())
        .or_else(|| {
            audit.turns.iter().find(|turn| !turn.above.is_empty()).map(|turn| turn.name.clone())
        });
    let show = worst.map_or_else(String::new, |name| {
        let quoted = if name.contains(' ') { format!("\"{name}\"") } else { name };
        format!("\nthe texts: ifs audit {file} --show {quoted}")
    });
    lines.push(format!(
        "{} of {} limits missed: {}{show}",
        missed.len(),
        audit.limits.len(),
        missed.join(", ")
    ));
}

fn columns(title: &str, figures: &[&str; 2], last: &str) -> String {
    format!("{title:<40}{:>8}{:>9}  {last}", figures[0], figures[1])
}

fn line(name: &str, figures: &[String; 2], last: &str) -> String {
    let last = clipped(last, WIDTH.saturating_sub(59).max(12));
    let name = clipped(name, 40);
    format!("{name:<40}{:>8}{:>9}  {last}", figures[0], figures[1])
}

fn rest(all: usize, rows: usize, lines: &mut Vec<String>) {
    if all > rows {
        lines.push(format!("  and {} more (--all)", all - rows));
    }
}

/// A text of at most so many characters.
fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// The texts that flipped: before, after, what differs, and the reason.
#[must_use]
pub fn shown(examples: &[&FlippedText]) -> String {
    let mut lines = Vec::new();
    for example in examples {
        let what = match (example.kind, example.undecided) {
            (ExampleKind::Changed, false) => "a right answer is missed",
            (ExampleKind::Changed, true) => "a right answer is undecided",
            (ExampleKind::Evaded, _) => "a wrong answer passes",
            (ExampleKind::Passed, _) => "an answer that knows nothing passes",
        };
        lines.push(format!("{} · {} · {what}", example.check, example.form));
        lines.push(format!("{} number {}, turn {}", example.dialogue, example.index, example.turn));
        let before = if example.kind == ExampleKind::Evaded { "wrong" } else { "right" };
        lines.push(format!("  {before}:"));
        lines.extend(quoted(&example.base));
        lines.push(format!("  {}:", example.form));
        lines.extend(quoted(&example.text));
        if let Some(difference) = difference(&example.base, &example.text) {
            lines.push(format!("  differs: {difference}"));
        }
        if let Some(why) = &example.why {
            lines.push(format!("  reason: {why}"));
        }
        lines.push(String::new());
    }
    lines.join("\n")
}

fn quoted(text: &str) -> Vec<String> {
    let lines: Vec<String> =
        text.lines().map(|line| format!("    {}", visible_text(line))).collect();
    if lines.is_empty() { vec!["    (nothing)".to_owned()] } else { lines }
}

/// The stretch in which two texts differ, with the names of characters that cannot be seen.
#[must_use]
pub fn difference(before: &str, after: &str) -> Option<String> {
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let start = before.chars().zip(after.chars()).take_while(same).count();
    let end = before
        .chars()
        .rev()
        .zip(after.chars().rev())
        .take(before.chars().count().min(after.chars().count()) - start)
        .take_while(same)
        .count();
    let middle = |text: &str| -> String {
        let count = text.chars().count();
        text.chars().skip(start).take(count - start - end).collect()
    };
    let (old, new) = (middle(before), middle(after));
    if old.is_empty() && new.is_empty() {
        return None;
    }
    Some(format!("{} → {}", spelled(&old), spelled(&new)))
}

/// A short text in quotation marks; characters that look like others or like nothing by their code
/// points.
fn spelled(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let mut names = Vec::new();
    let mut shown = String::new();
    for letter in text.chars().take(40) {
        let special = matches!(letter, '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{300}'..='\u{36f}')
            || matches!(letter, '\u{2000}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ff00}'..='\u{ffef}')
            || letter.is_control() && letter != '\n';
        if special && names.len() < 3 {
            let name = format!("U+{:04X}", u32::from(letter));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        shown.push(if letter == '\n' { '⏎' } else { letter });
    }
    if text.chars().count() > 40 {
        shown.push('…');
    }
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    format!("“{}”{names}", visible_text(&shown))
}

/// The report as a page: the tables, and the texts that flipped side by side.
#[must_use]
pub fn page(audit: &Audit) -> String {
    let sample = &audit.sample;
    let mut body = format!(
        "<h1>Audit of {}</h1>\n<p class=\"run\">{} · {}, {}, seed {} · {} by rules, {} by judges · definition {}</p>\n",
        escape(&audit.title),
        escape(&audit.benchmark_version),
        counted(sample.dialogues, "dialogue"),
        counted(sample.turns, "turn"),
        audit.seed,
        counted(sample.verdicts, "verdict"),
        sample.judged,
        escape(&audit.plan_hash.chars().take(12).collect::<String>()),
    );
    body.push_str("<table><thead><tr><th>Limit</th><th class=\"number\">limit</th><th class=\"number\">found</th><th></th></tr></thead><tbody>\n");
    for limit in &audit.limits {
        body.push_str(&format!(
            "<tr><th>{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            escape(&limit.name),
            percent(limit.limit),
            percent(limit.found),
            if limit.met { "met" } else { "missed" }
        ));
    }
    body.push_str("</tbody></table>\n");
    golden_table(audit, &mut body);
    form_table(audit, &mut body);
    check_table(audit, &mut body);
    answer_table(audit, &mut body);
    let mut known = Vec::new();
    judge(audit, usize::MAX, &mut known);
    if !known.is_empty() {
        body.push_str(&format!("<h2>Judge</h2>\n<pre>{}</pre>\n", lines(known.join("\n").trim())));
    }
    examples(audit, &mut body);
    let page = HtmlPage {
        title: &format!("Audit of {}", audit.title),
        styles: &[STYLE],
        body: &[&body],
        script: None,
    };
    page.text()
}

/// The tables of an audit as a section of another page.
pub(super) fn section(audit: &Audit, body: &mut String) {
    body.push_str("<h2 id=\"audit\">Audit of the checks</h2>\n");
    if audit.sample.turns == 0 {
        body.push_str("<p>No turn has a rule and a right answer.</p>\n");
        return;
    }
    form_table(audit, body);
    answer_table(audit, body);
}

const STYLE: &str = "\
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 20px; }
.sides pre { white-space: pre-wrap; background: var(--block); padding: 8px 12px; margin: 4px 0 12px; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; }
details { margin: 4px 0; }
";

fn golden_table(audit: &Audit, body: &mut String) {
    if audit.golden_missed.is_empty() {
        return;
    }
    body.push_str("<h2>Golden answers that miss something</h2>\n<table><thead><tr><th>Turn</th><th>Check</th><th>Answer</th><th>Reason</th></tr></thead><tbody>\n");
    for one in &audit.golden_missed {
        body.push_str(&format!(
            "<tr><td>{} number {}, turn {}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            escape(&one.dialogue),
            one.index,
            one.turn,
            escape(&one.check),
            escape(&one.answer),
            escape(&one.why)
        ));
    }
    body.push_str("</tbody></table>\n");
}

fn form_table(audit: &Audit, body: &mut String) {
    body.push_str("<h2>Forms that should not matter</h2>\n<table><thead><tr><th>Form</th><th>What it does</th><th class=\"number\">turns</th><th class=\"number\">changed</th><th class=\"number\">evaded</th><th class=\"number\">declared</th></tr></thead><tbody>\n");
    for row in &audit.forms {
        let doc = ifs_forms::form(&row.name).map_or("", |form| form.doc);
        body.push_str(&format!(
            "<tr><th>{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            linked(audit, &row.name),
            escape(doc),
            row.applied,
            percent(share(row.changed, row.applied)),
            row.evaded,
            row.minded
        ));
    }
    body.push_str("</tbody></table>\n");
}

/// A name, as a link to its texts if there are any.
fn linked(audit: &Audit, name: &str) -> String {
    let has_texts = audit.examples.iter().any(|example| example.form == name);
    let name = escape(name);
    if has_texts { format!("<a href=\"#{name}\">{name}</a>") } else { name }
}

fn check_table(audit: &Audit, body: &mut String) {
    body.push_str("<h2>Checks</h2>\n<table><thead><tr><th>Check</th><th>Expression</th><th>Notices</th><th class=\"number\">verdicts</th><th class=\"number\">changed</th><th>by</th></tr></thead><tbody>\n");
    for row in &audit.checks {
        let mut by = most(&row.changed);
        if row.formal && !row.declared {
            by.push_str(" reads no content");
        }
        body.push_str(&format!(
            "<tr><th>{}<br><small>{}</small></th><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            escape(&row.name),
            escape(&row.place),
            escape(&row.check),
            escape(&if row.subject == "answer" { "nothing: a fact".to_owned() } else { row.sees.join(", ") }),
            row.verdicts,
            percent(share(row.changed_by_any, row.verdicts)),
            escape(by.trim())
        ));
    }
    body.push_str("</tbody></table>\n");
}

fn answer_table(audit: &Audit, body: &mut String) {
    body.push_str("<h2>Answers that know nothing</h2>\n<table><thead><tr><th>Answer</th><th>What it is</th><th class=\"number\">turns</th><th class=\"number\">right by chance</th><th class=\"number\">points</th><th class=\"number\">all held</th><th class=\"number\">declared</th><th></th></tr></thead><tbody>\n");
    for row in &audit.answers {
        let doc = ifs_forms::answer(&row.name).map_or("", |answer| answer.doc);
        body.push_str(&format!(
            "<tr><th>{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            linked(audit, &row.name),
            escape(doc),
            row.applied,
            row.dropped,
            percent(row.points),
            percent(row.floor),
            percent(row.declared),
            if row.limit_met { "" } else { "above its limit" }
        ));
    }
    body.push_str("</tbody></table>\n");
    let above: Vec<_> = audit.turns.iter().filter(|turn| !turn.above.is_empty()).collect();
    if above.is_empty() {
        return;
    }
    body.push_str("<h3>Turns that they pass</h3>\n<ul>\n");
    for turn in above {
        let passed: Vec<String> = turn
            .above
            .iter()
            .map(|name| {
                format!("{name} {}", percent(turn.all_held.get(name).copied().unwrap_or(0.0)))
            })
            .collect();
        body.push_str(&format!(
            "<li>{} ({}): {}</li>\n",
            escape(&turn.name),
            counted(turn.count, "turn"),
            escape(&passed.join(", "))
        ));
    }
    body.push_str("</ul>\n");
}

fn examples(audit: &Audit, body: &mut String) {
    if audit.examples.is_empty() {
        return;
    }
    body.push_str("<h2>The texts</h2>\n");
    let mut by_form: BTreeMap<&str, Vec<&FlippedText>> = BTreeMap::new();
    for example in &audit.examples {
        by_form.entry(&example.form).or_default().push(example);
    }
    for (form, examples) in by_form {
        body.push_str(&format!("<h3 id=\"{0}\">{0}</h3>\n", escape(form)));
        for example in examples {
            let (before, after) = marked(&example.base, &example.text);
            let why = example
                .why
                .as_deref()
                .map_or_else(String::new, |why| format!("<p><small>{}</small></p>\n", escape(why)));
            body.push_str(&format!(
                "<details><summary>{} · {} number {}, turn {}</summary>\n<div class=\"sides\"><pre>{before}</pre><pre>{after}</pre></div>\n{why}</details>\n",
                escape(&example.check),
                escape(&example.dialogue),
                example.index,
                example.turn,
            ));
        }
    }
}

/// Two texts with the stretch in which they differ marked.
fn marked(before: &str, after: &str) -> (String, String) {
    let start = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    let (many, others) = (before.chars().count(), after.chars().count());
    let end = before
        .chars()
        .rev()
        .zip(after.chars().rev())
        .take(many.min(others) - start)
        .take_while(|(one, other)| one == other)
        .count();
    let side = |text: &str, count: usize| {
        let chars: Vec<char> = text.chars().collect();
        let part = |from: usize, to: usize| lines(&chars[from..to].iter().collect::<String>());
        format!(
            "{}<mark>{}</mark>{}",
            part(0, start),
            part(start, count - end),
            part(count - end, count)
        )
    };
    (side(before, many), side(after, others))
}

/// A text of several lines, escaped.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{difference, marked};

    #[test]
    fn differences_are_named() {
        for (before, after, named) in [
            ("don't", "don’t", "“'” → “’” (U+2019)"),
            ("a b", "a\u{a0}b", "“ ” → “\u{a0}” (U+00A0)"),
            ("30", "Answer: 30", "nothing → “Answer: ”"),
            ("a", "a\nb", "nothing → “⏎b”"),
        ] {
            assert_eq!(difference(before, after).as_deref(), Some(named), "{before} {after}");
        }
        assert_eq!(difference("a", "a"), None);
        assert_eq!(marked("<a>", "<b>").1, "&lt;<mark>b</mark>&gt;");
    }
}
