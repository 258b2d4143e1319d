//! A chat as HTML. All texts are escaped here, and nothing else writes them.

use super::super::words::{ending, verdict_mark};
use super::{
    ChatAnswer, ChatView, Instruction, TurnView, arguments, of_criterion, reasons, speaker,
};
use crate::diagnostic::visible_lines;
use crate::judge::VerdictRecord;
use crate::model::table::Change;
use crate::proof::Proof;
use crate::score::{Outcome, TurnOutcome};
use crate::script::{ShownContent, ShownImage};

/// The picture of an image as a `data:` URL, if it is part of the page.
type PictureUrl<'p> = &'p mut dyn FnMut(&ShownImage) -> Option<String>;

/// A dialogue as an `article`, with the anchors `dialogue-12` and `dialogue-12-turn-3`; among
/// several runs, `run-2-dialogue-12`.
pub fn article(chat: &ChatView<'_>, picture: PictureUrl<'_>) -> String {
    let (index, name, at) = (chat.index, escape_text(chat.dialogue), chat.anchor());
    let seed = chat.seed.map(|seed| format!(" · seed {seed}")).unwrap_or_default();
    let mut page = format!(
        "<article class=\"chat\" id=\"{at}\">\n<header><h3><a href=\"#{at}\">\
         Dialogue {index}</a></h3>\n<p>{name}{seed}"
    );
    if let Some(outcome) = chat.outcome() {
        page.push_str(&format!(" · {outcome}"));
    }
    if let Some(end) = chat.ending {
        page.push_str(&format!(" · {}", escape_text(&ending(end))));
    }
    page.push_str("</p>\n");
    if chat.ending.is_some() {
        page.push_str("<p class=\"marks\">");
        for turn in &chat.turns {
            let outcome = turn.outcome.unwrap_or(TurnOutcome::Empty);
            page.push_str(&format!(
                "<a class=\"{}\" href=\"#{at}-turn-{number}\" title=\"turn {number}\">{}</a>",
                class(outcome),
                verdict_mark(outcome),
                number = turn.script.turn,
            ));
        }
        page.push_str("</p>\n");
    }
    page.push_str("</header>\n");
    for turn in &chat.turns {
        self::turn(&mut page, chat, turn, picture);
    }
    page.push_str("</article>\n");
    page
}

pub(super) fn class(outcome: TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Success => "good",
        TurnOutcome::Failure => "bad",
        TurnOutcome::Undecided | TurnOutcome::Empty => "unknown",
    }
}

fn turn(page: &mut String, chat: &ChatView<'_>, turn: &TurnView<'_>, picture: PictureUrl<'_>) {
    let (script, number) = (turn.script, turn.script.turn);
    let at = format!("{}-turn-{number}", chat.anchor());
    let failed = if turn.outcome == Some(TurnOutcome::Failure) { " failed" } else { "" };
    page.push_str(&format!(
        "<section class=\"turn{failed}\" id=\"{at}\" tabindex=\"-1\">\n<header><h4><a href=\"#{at}\">Turn \
         {number}</a></h4>\n<p>{}</p>",
        escape_text(&turn.facts().join(" · "))
    ));
    if let (Some(outcome), Some(state)) = (turn.outcome, turn.state()) {
        let mark = verdict_mark(outcome);
        page.push_str(&format!("<p class=\"state {}\">{mark} {state}</p>", class(outcome)));
    }
    page.push_str("</header>\n");
    instructions(page, &turn.instructions());
    match chat.prompts {
        true => messages(page, turn, picture),
        false => page.push_str(LEFT_OUT),
    }
    for answer in &turn.answers {
        self::write_answer(page, chat, turn, answer);
    }
    for (what, said) in [
        ("Golden answer", &script.golden),
        ("In the history", &turn.other_history().map(str::to_owned)),
    ] {
        if let Some(said) = said.as_ref().filter(|_| chat.prompts) {
            page.push_str(&format!("<details class=\"more\"><summary>{what}</summary>"));
            page.push_str(&format!(
                "<div class=\"text\" dir=\"auto\">{}</div></details>\n",
                escape_text(said)
            ));
        }
    }
    if turn.answers.is_empty() {
        criteria(page, turn);
    }
    match &turn.proof {
        Some(Proof::Witness(witness)) => page.push_str(&format!(
            "<details class=\"more\"><summary><span class=\"good\">✓ satisfiable</span> by this witness</summary>\
             <div class=\"text\" dir=\"auto\">{}</div></details>\n",
            escape_text(witness)
        )),
        Some(Proof::Nothing) => {
            page.push_str("<p class=\"none\">No rule is active: a judge grades the turn, or nothing does.</p>\n");
        }
        Some(Proof::Missing(names)) => page.push_str(&format!(
            "<p class=\"bad\">✗ no witness was found for {}</p>\n",
            escape_text(&names.join(", "))
        )),
        None => {}
    }
    if let Some(patience) = turn.patience {
        page.push_str(&format!("<p class=\"none\">Patience left: {patience}</p>\n"));
    }
    page.push_str("</section>\n");
}

/// In place of the messages of a hidden set.
const LEFT_OUT: &str = "<p class=\"none\">The message is left out.</p>\n";

/// The messages of a turn: of the system, and of the user with what is shown.
fn messages(page: &mut String, turn: &TurnView<'_>, picture: PictureUrl<'_>) {
    let script = turn.script;
    if let Some(system) = &script.system {
        bubble(page, "system", "System", system);
    }
    page.push_str("<div class=\"bubble user\"><h5>User</h5>\n");
    for shown in &script.show {
        match shown {
            ShownContent::Text(shown) => {
                page.push_str(&format!(
                    "<div class=\"shown\" dir=\"auto\">{}</div>\n",
                    escape_text(shown)
                ));
            }
            ShownContent::Tool { .. } => {}
            ShownContent::Image(image) => {
                let label = escape_text(&image.label());
                let data = picture(image).map(|data| {
                    format!("<img src=\"{}\" alt=\"{label}\" loading=\"lazy\">", escape_text(&data))
                });
                page.push_str(&format!(
                    "<figure>{}<figcaption><code>{label}</code></figcaption></figure>\n",
                    data.unwrap_or_default()
                ));
            }
        }
    }
    match script.ask.as_str() {
        "" => page.push_str(LEFT_OUT),
        ask => {
            page.push_str(&format!("<div class=\"text\" dir=\"auto\">{}</div>\n", escape_text(ask)))
        }
    }
    if let Some(reminder) = &script.reminder {
        page.push_str(&format!(
            "<h5>Reminder</h5>\n<div class=\"text\" dir=\"auto\">{}</div>\n",
            escape_text(reminder)
        ));
    }
    page.push_str("</div>\n");
    for (name, said) in script.tools() {
        bubble(page, "tool", &format!("Tool {name}"), said);
    }
}

/// The active constraints; what changed on this turn is marked.
fn instructions(page: &mut String, all: &[Instruction<'_>]) {
    if all.is_empty() {
        return;
    }
    page.push_str("<ul class=\"chips\" aria-label=\"Active constraints\">\n");
    for one in all {
        let (class, word) = match one.change {
            Some(Change::Add) => (" class=\"added\"", "added"),
            Some(Change::Modify) => (" class=\"modified\"", "modified"),
            Some(Change::Drop) => (" class=\"dropped\"", "removed"),
            None => ("", ""),
        };
        let mark = match one.mark() {
            "" => String::new(),
            mark => format!(
                "<b title=\"{word} on this turn\">{mark}<span class=\"spoken\"> {word}</span></b> "
            ),
        };
        let arguments = match arguments(one.active).as_str() {
            "" => String::new(),
            arguments => format!(" <small>{}</small>", escape_text(arguments)),
        };
        let before =
            one.earlier().map(|it| format!(" <small>before: {}</small>", escape_text(&it)));
        page.push_str(&format!(
            "<li{class}>{mark}<code>{}</code>{arguments}{}{}</li>\n",
            escape_text(&one.active.constraint),
            escape_text(&speaker(one.active)),
            before.unwrap_or_default()
        ));
    }
    page.push_str("</ul>\n");
}

fn bubble(page: &mut String, class: &str, who: &str, said: &str) {
    page.push_str(&format!(
        "<div class=\"bubble {class}\"><h5>{who}</h5>\n<div class=\"text\" dir=\"auto\">{}</div></div>\n",
        escape_text(said)
    ));
}

fn write_answer(
    page: &mut String,
    chat: &ChatView<'_>,
    turn: &TurnView<'_>,
    answer: &ChatAnswer<'_>,
) {
    if let Some(feedback) = answer.feedback.filter(|_| chat.prompts) {
        bubble(page, "user", "Feedback", feedback);
    }
    let label = answer.label().map(|label| format!(", {label}")).unwrap_or_default();
    page.push_str(&format!("<div class=\"bubble model\"><h5>Model{label}</h5>\n"));
    if !answer.reasoning.is_empty() {
        page.push_str(&format!(
            "<details class=\"more\"><summary>Reasoning</summary><div class=\"text\" dir=\"auto\">{}</div></details>\n",
            escape_text(answer.reasoning)
        ));
    }
    match &answer.no_text {
        Some(why) => page.push_str(&format!(
            "<p class=\"bad\">No text: {}</p>\n",
            escape_text(&why.to_string())
        )),
        None => {
            page.push_str("<div class=\"text\" dir=\"auto\">");
            for (stretch, by) in answer.stretches() {
                match by.is_empty() {
                    true => page.push_str(&escape_text(stretch)),
                    false => {
                        let by: Vec<String> = by.iter().map(ToString::to_string).collect();
                        page.push_str(&format!(
                            "<mark>{}<sup>{}</sup></mark>",
                            escape_text(stretch),
                            by.join(", ")
                        ));
                    }
                }
            }
            page.push_str("</div>\n");
        }
    }
    page.push_str("</div>\n");
    let cost = answer.cost();
    if !cost.is_empty() {
        page.push_str(&format!("<p class=\"cost\">{}</p>\n", escape_text(&cost.join(" · "))));
    }
    let (held, other): (Vec<&VerdictRecord>, Vec<&VerdictRecord>) = answer
        .verdicts
        .iter()
        .partition(|verdict| verdict.outcome == Outcome::Held && verdict.counts());
    if !other.is_empty() {
        page.push_str("<ul class=\"verdicts\">\n");
        other.into_iter().for_each(|verdict| self::verdict(page, chat, turn, answer, verdict));
        page.push_str("</ul>\n");
    }
    if !held.is_empty() {
        page.push_str(&format!(
            "<details class=\"more\"><summary><span class=\"good\">✓ {} held</span></summary>\n<ul class=\"verdicts\">\n",
            held.len()
        ));
        held.into_iter().for_each(|verdict| self::verdict(page, chat, turn, answer, verdict));
        page.push_str("</ul></details>\n");
    }
}

fn verdict(
    page: &mut String,
    chat: &ChatView<'_>,
    turn: &TurnView<'_>,
    answer: &ChatAnswer<'_>,
    verdict: &VerdictRecord,
) {
    let class = match verdict.outcome {
        _ if !verdict.counts() => "unknown",
        Outcome::Held => "good",
        Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => "bad",
        Outcome::Unjudged => "unknown",
    };
    let number = answer.number(verdict).map(|number| format!("<sup>{number}</sup>"));
    let (mark, spoken) = super::mark(verdict);
    let word = match verdict.outcome {
        _ if !verdict.counts() => spoken,
        Outcome::Held | Outcome::Missed => "",
        _ => spoken,
    };
    page.push_str(&format!(
        "<li><b class=\"{class}\">{mark}<span class=\"spoken\"> {spoken}</span></b> <code>{}</code>{} {word}",
        escape_text(&turn.verdict_name(verdict)),
        number.unwrap_or_default(),
    ));
    if let Some(asked) = turn.asked_by(verdict).filter(|_| chat.prompts) {
        page.push_str(&format!("<small>{}</small>", escape_text(&asked)));
    }
    for reason in reasons(verdict) {
        page.push_str(&format!("<p dir=\"auto\">{}</p>", escape_text(&reason)));
    }
    page.push_str("</li>\n");
}

/// What a response is judged on in addition to the active constraints.
fn criteria(page: &mut String, turn: &TurnView<'_>) {
    let criteria = &turn.script.criteria;
    if criteria.is_empty() {
        return;
    }
    page.push_str("<ul class=\"verdicts\">\n");
    for criterion in criteria {
        page.push_str(&format!(
            "<li><code>{}</code> <small>{}</small></li>\n",
            escape_text(&criterion.key()),
            escape_text(&of_criterion(criterion))
        ));
    }
    page.push_str("</ul>\n");
}

/// Escapes an untrusted text, and keeps its line breaks. Control characters and those that reverse
/// or hide text are made visible.
pub fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for letter in visible_lines(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
