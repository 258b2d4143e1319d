//! A chat as lines of a terminal.

use unicode_segmentation::UnicodeSegmentation;

use super::super::columns::{cut, pad_right, width};
use super::super::terminal::page::{Page, TextStyle};
use super::super::words::{ending, one_line, verdict_mark};
use super::{ChatAnswer, ChatView, TurnView, of_criterion, reasons, with_arguments};
use ifs_base::diagnostic::visible_lines;
use ifs_draw::ShownContent;
use ifs_draw::proof::Proof;
use ifs_judge::VerdictRecord;
use ifs_model::table::Change;
use ifs_score::{Outcome, TurnOutcome};

const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 110;

/// The turns of a dialogue that are shown.
#[derive(Clone, Debug, Default)]
pub struct TurnFilter {
    /// Only those that failed; with a constraint, those on which it was missed.
    pub failed: bool,
    /// Only those on which this constraint, group or criterion is judged.
    pub constraint: Option<String>,
    pub turn: Option<u32>,
}

impl TurnFilter {
    /// Whether a name is the constraint, its group, or the criterion.
    fn matches(&self, verdict: &VerdictRecord) -> bool {
        self.constraint.as_ref().is_none_or(|wanted| {
            let name = &verdict.constraint;
            let of_group =
                name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('.'));
            name == wanted || of_group || verdict.key() == *wanted
        })
    }

    fn is_selected(&self, turn: &TurnView<'_>) -> bool {
        if self.turn.is_some_and(|wanted| wanted != turn.script.turn) {
            return false;
        }
        let missed = |verdict: &VerdictRecord| !self.failed || verdict.is_missed();
        match &self.constraint {
            None => !self.failed || turn.outcome == Some(TurnOutcome::Failure),
            Some(_) => turn
                .answers
                .iter()
                .flat_map(|answer| &answer.verdicts)
                .any(|verdict| self.matches(verdict) && missed(verdict)),
        }
    }
}

/// The wanted turns of a dialogue; `None` if there is none.
pub fn text(
    chat: &ChatView<'_>,
    wanted: &TurnFilter,
    color: bool,
    columns: usize,
) -> Option<String> {
    let turns: Vec<&TurnView<'_>> =
        chat.turns.iter().filter(|turn| wanted.is_selected(turn)).collect();
    let selects = wanted.failed || wanted.constraint.is_some() || wanted.turn.is_some();
    if turns.is_empty() && selects {
        return None;
    }
    let mut page = Page::new(color, columns.clamp(MIN_WIDTH, MAX_WIDTH));
    let mut title = format!("dialogue {} number {}", chat.dialogue, chat.index);
    title.extend(chat.seed.map(|seed| format!(", seed {seed}")));
    page.wrapped(TextStyle::Strong, "", &one_line(&title));
    let facts: Vec<String> = chat.outcome().into_iter().chain(chat.ending.map(ending)).collect();
    page.wrapped(TextStyle::Faint, "", &one_line(&facts.join(" · ")));
    if chat.ending.is_some() {
        marks(&mut page, chat);
    }
    for turn in turns {
        self::turn(&mut page, turn, wanted);
    }
    page.gap();
    Some(page.finish())
}

fn style(outcome: TurnOutcome) -> TextStyle {
    match outcome {
        TurnOutcome::Success => TextStyle::Good,
        TurnOutcome::Failure => TextStyle::Bad,
        TurnOutcome::Undecided | TurnOutcome::Empty => TextStyle::Faint,
    }
}

/// One mark for each turn, as many lines as necessary.
fn marks(page: &mut Page, chat: &ChatView<'_>) {
    let all: Vec<(TextStyle, String)> = chat
        .turns
        .iter()
        .filter_map(|turn| turn.outcome)
        .map(|outcome| (style(outcome), verdict_mark(outcome).to_string()))
        .collect();
    for line in all.chunks(page.width) {
        let parts: Vec<(TextStyle, &str)> =
            line.iter().map(|(style, mark)| (*style, mark.as_str())).collect();
        page.line(&parts);
    }
}

fn turn(page: &mut Page, turn: &TurnView<'_>, wanted: &TurnFilter) {
    page.gap();
    let state = turn.state().unwrap_or_default();
    let about = turn.facts().join(" · ");
    let title = format!("turn {}", turn.script.turn);
    let room = page.width.saturating_sub(width(&title) + width(&state) + 9);
    let about = cut(&one_line(&about), room.max(8));
    let about = if about.is_empty() { String::new() } else { format!(" · {about}") };
    let used =
        3 + width(&title) + width(&about) + 1 + width(&state) + usize::from(!state.is_empty());
    let rule = "─".repeat(page.width.saturating_sub(used).max(1));
    page.line(&[
        (TextStyle::Faint, "── "),
        (TextStyle::Strong, &title),
        (TextStyle::Plain, &about),
        (TextStyle::Faint, &format!(" {rule} ")),
        (turn.outcome.map_or(TextStyle::Plain, style), &state),
    ]);
    instructions(page, turn);
    let script = turn.script;
    if let Some(system) = &script.system {
        message_lines(page, "system", TextStyle::Faint, &plain(system));
    }
    let mut shown = String::new();
    for part in &script.show {
        match part {
            ShownContent::Text(text) => shown.push_str(text),
            ShownContent::Image(image) => shown.push_str(&format!("[{}]", image.label())),
            ShownContent::Tool { .. } => continue,
        }
        shown.push('\n');
    }
    if !shown.is_empty() {
        message_lines(page, "shown", TextStyle::Faint, &plain(shown.trim_end()));
    }
    match script.ask.as_str() {
        "" => page.line(&[
            (TextStyle::Strong, "user"),
            (TextStyle::Faint, "     the message is left out"),
        ]),
        ask => message_lines(page, "user", TextStyle::Accent, &plain(ask)),
    }
    for (name, text) in script.tools() {
        message_lines(page, "tool", TextStyle::Faint, &plain(&format!("{name}: {text}")));
    }
    if let Some(reminder) = &script.reminder {
        message_lines(page, "reminder", TextStyle::Accent, &plain(reminder));
    }
    for answer in &turn.answers {
        self::write_answer(page, turn, answer, wanted);
    }
    for (who, text) in [("golden", script.golden.as_deref()), ("history", turn.other_history())] {
        if let Some(text) = text {
            message_lines(page, who, TextStyle::Faint, &plain(text));
        }
    }
    if turn.answers.is_empty() {
        for criterion in &script.criteria {
            page.hanging(
                TextStyle::Plain,
                "  · ",
                &format!("{}: {}", criterion.key(), of_criterion(criterion)),
            );
        }
    }
    match &turn.proof {
        Some(Proof::Witness(witness)) => {
            message_lines(page, "witness", TextStyle::Good, &plain(witness))
        }
        Some(Proof::Nothing) => page.line(&[(TextStyle::Faint, "  no rule is active")]),
        Some(Proof::Missing(names)) => {
            page.hanging(
                TextStyle::Bad,
                "  ✗ ",
                &format!("no witness was found for {}", names.join(", ")),
            );
        }
        None => {}
    }
    if let Some(patience) = turn.patience {
        page.line(&[(TextStyle::Faint, &format!("  patience left: {patience}"))]);
    }
}

/// The changes, then the other active constraints.
fn instructions(page: &mut Page, turn: &TurnView<'_>) {
    let all = turn.instructions();
    for one in &all {
        let (Some(change), mark) = (one.change, one.mark()) else { continue };
        let style = match change {
            Change::Add => TextStyle::Good,
            Change::Modify => TextStyle::Warning,
            Change::Drop => TextStyle::Faint,
        };
        let before = one.earlier().map(|it| format!(", before: {it}")).unwrap_or_default();
        page.hanging(
            style,
            &format!("  {mark} "),
            &format!("{}{before}", with_arguments(one.active)),
        );
    }
    let rest: Vec<String> = all
        .iter()
        .filter(|one| one.change.is_none())
        .map(|one| with_arguments(one.active))
        .collect();
    if !rest.is_empty() {
        page.hanging(TextStyle::Faint, "  = ", &rest.join(", "));
    }
}

/// A text without marks.
fn plain(text: &str) -> Vec<(&str, Vec<usize>)> {
    vec![(text, Vec::new())]
}

/// A message: who says it, then its lines behind a bar.
fn message_lines(page: &mut Page, who: &str, style: TextStyle, stretches: &[(&str, Vec<usize>)]) {
    let who = pad_right(who, 8);
    let room = page.width.saturating_sub(11);
    for (at, line) in lines(stretches, room).into_iter().enumerate() {
        let start = if at == 0 { who.clone() } else { " ".repeat(8) };
        let mut parts = vec![(TextStyle::Strong, start), (style, " │ ".to_owned())];
        parts.extend(line.into_iter().map(|(marked, text)| {
            (if marked { TextStyle::Marked } else { TextStyle::Plain }, text)
        }));
        let parts: Vec<(TextStyle, &str)> =
            parts.iter().map(|(style, text)| (*style, text.as_str())).collect();
        page.line(&parts);
    }
}

/// A line of a text: stretches, and whether each is marked.
type MarkedLine = Vec<(bool, String)>;

/// The lines of a text, at most so wide, with its own line breaks: broken after spaces, and within
/// longer words. A marked stretch is within brackets, with its numbers, because there may be no
/// colours.
fn lines(stretches: &[(&str, Vec<usize>)], most: usize) -> Vec<MarkedLine> {
    let mut cells: Vec<(bool, String)> = Vec::new();
    for (text, by) in stretches {
        let text = visible_lines(text).replace('\t', "    ");
        let graphemes = text.graphemes(true).map(str::to_owned);
        if by.is_empty() {
            cells.extend(graphemes.map(|it| (false, it)));
            continue;
        }
        let by: Vec<String> = by.iter().map(ToString::to_string).collect();
        cells.push((true, "⟦".to_owned()));
        cells.extend(graphemes.map(|it| (true, it)));
        cells.extend([(true, format!("⟧{}", by.join(",")))]);
    }
    let mut all = Vec::new();
    for paragraph in cells.split(|(_, cell)| cell == "\n") {
        let mut rest = paragraph;
        loop {
            let end = cells_that_fit(rest, most);
            let mut line: MarkedLine = Vec::new();
            for (marked, cell) in &rest[..end] {
                match line.last_mut() {
                    Some((before, text)) if before == marked => text.push_str(cell),
                    _ => line.push((*marked, cell.clone())),
                }
            }
            all.push(line);
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
        }
    }
    all
}

/// How many cells are on a line: up to the last space before the edge, or up to the edge.
fn cells_that_fit(cells: &[(bool, String)], most: usize) -> usize {
    let (mut used, mut space) = (0, None);
    for (at, (_, cell)) in cells.iter().enumerate() {
        used += width(cell);
        if used > most && cell != " " {
            return space.unwrap_or(at).max(1);
        }
        if cell == " " {
            space = Some(at + 1);
        }
    }
    cells.len()
}

fn write_answer(
    page: &mut Page,
    turn: &TurnView<'_>,
    answer: &ChatAnswer<'_>,
    wanted: &TurnFilter,
) {
    if let Some(feedback) = answer.feedback {
        message_lines(page, "feedback", TextStyle::Accent, &plain(feedback));
    }
    if let Some(label) = answer.label() {
        page.line(&[(TextStyle::Faint, &format!("  {label}"))]);
    }
    if !answer.reasoning.is_empty() {
        message_lines(page, "thought", TextStyle::Faint, &plain(answer.reasoning));
    }
    match &answer.no_text {
        Some(why) => page.line(&[
            (TextStyle::Strong, "model"),
            (TextStyle::Bad, &format!("    no text: {why}")),
        ]),
        None => message_lines(page, "model", TextStyle::Good, &answer.stretches()),
    }
    let cost = answer.cost();
    if !cost.is_empty() {
        page.hanging(TextStyle::Faint, "           ", &cost.join(" · "));
    }
    let (held, other): (Vec<&VerdictRecord>, Vec<&VerdictRecord>) =
        answer.verdicts.iter().partition(|verdict| {
            let asked = wanted.constraint.is_some() && wanted.matches(verdict);
            let held = verdict.outcome == Outcome::Held && verdict.counts();
            held && verdict.votes.is_empty() && !asked
        });
    for verdict in other {
        self::verdict(page, turn, answer, verdict);
    }
    if !held.is_empty() {
        let names: Vec<String> = held.iter().map(|verdict| verdict.key()).collect();
        page.hanging(TextStyle::Good, "  ✓ ", &names.join(", "));
    }
}

fn verdict(page: &mut Page, turn: &TurnView<'_>, answer: &ChatAnswer<'_>, verdict: &VerdictRecord) {
    let style = match verdict.outcome {
        _ if !verdict.counts() => TextStyle::Plain,
        Outcome::Held => TextStyle::Good,
        Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => TextStyle::Bad,
        Outcome::Unjudged => TextStyle::Faint,
    };
    let number = answer.number(verdict).map(|number| format!(" ⟦{number}⟧")).unwrap_or_default();
    let (mark, word) = super::mark(verdict);
    let word = match verdict.outcome {
        _ if !verdict.counts() => format!(": {word}"),
        Outcome::Held | Outcome::Missed => String::new(),
        _ => format!(", {word}"),
    };
    let mark = format!("  {mark} ");
    page.hanging(style, &mark, &format!("{}{number}{word}", turn.verdict_name(verdict)));
    if let Some(asked) = turn.asked_by(verdict) {
        page.hanging(TextStyle::Faint, "      ", &asked);
    }
    for reason in reasons(verdict) {
        page.hanging(TextStyle::Plain, "      ", &reason);
    }
}

impl Page {
    /// A text of one paragraph, its further lines indented, without truncation.
    fn hanging(&mut self, style: TextStyle, mark: &str, text: &str) {
        let room = self.width.saturating_sub(width(mark));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (at, line) in lines(&plain(&text), room).into_iter().enumerate() {
            let start = if at == 0 { mark.to_owned() } else { " ".repeat(width(mark)) };
            let line: String = line.into_iter().map(|(_, text)| text).collect();
            self.line(&[(style, &start), (if at == 0 { style } else { TextStyle::Plain }, &line)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout_lines(text: &str, most: usize) -> Vec<String> {
        let lines = lines(&plain(text), most).into_iter();
        lines.map(|line| line.into_iter().map(|(_, text)| text).collect()).collect()
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing() {
        let text = "Tea is\n\n  a drink of 茶茶茶茶茶茶 and Donaudampfschifffahrt.\tEnd";
        for most in 4..60 {
            let lines = layout_lines(text, most);
            assert!(lines.iter().all(|line| width(line.trim_end()) <= most), "{most}: {lines:?}");
            let kept: String = lines.concat().split_whitespace().collect();
            assert_eq!(kept, text.split_whitespace().collect::<String>(), "{most}");
        }
        assert_eq!(layout_lines("one two three", 7), ["one two ", "three"]);
        assert_eq!(layout_lines("a\n\nb", 9), ["a", "", "b"]);
    }

    #[test]
    fn marked_spans_are_in_brackets() {
        let lines = lines(&[("It is ", vec![]), ("too long", vec![1, 3]), (".", vec![])], 80);
        let text: String = lines[0].iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text, "It is ⟦too long⟧1,3.");
        assert_eq!(lines[0][1], (true, "⟦too long⟧1,3".to_owned()));
    }
}
