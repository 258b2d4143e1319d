//! A chat as HTML. All texts are escaped here, and nothing else writes them.

use std::fmt::Write as _;

use super::super::words::{ending, verdict_mark};
use super::{
    ChatAnswer, ChatView, Instruction, TurnView, arguments, of_criterion, reasons, speaker,
};
use ifs_base::diagnostic::visible;
use ifs_draw::proof::Proof;
use ifs_draw::{ShownContent, ShownImage};
use ifs_judge::VerdictRecord;
use ifs_model::table::Change;
use ifs_score::{Outcome, TurnOutcome};

/// Writes to a page, which can always be written to.
macro_rules! put {
    ($page:expr, $($args:tt)*) => {
        write!($page, $($args)*).unwrap_or_default()
    };
}

/// The picture of an image as a `data:` URL, if it is part of the page.
type PictureUrl<'p> = &'p mut dyn FnMut(&ShownImage) -> Option<String>;

/// A dialogue as an `article`, with the anchors `dialogue-12` and `dialogue-12-turn-3`; among
/// several runs, `run-2-dialogue-12`.
pub fn article(chat: &ChatView<'_>, picture: PictureUrl<'_>) -> String {
    let (index, name, at) = (chat.index, Escaped(chat.dialogue), chat.anchor());
    let seed = chat.seed.map(|seed| format!(" · seed {seed}")).unwrap_or_default();
    let mut page = format!(
        "<article class=\"chat\" id=\"{at}\">\n<header><h3><a href=\"#{at}\">\
         Dialogue {index}</a></h3>\n<p>{name}{seed}"
    );
    if let Some(outcome) = chat.outcome() {
        put!(page, " · {outcome}");
    }
    if let Some(end) = chat.ending {
        put!(page, " · {}", Escaped(&ending(end)));
    }
    page.push_str("</p>\n");
    if chat.ending.is_some() {
        page.push_str("<p class=\"marks\">");
        for turn in &chat.turns {
            let outcome = turn.outcome.unwrap_or(TurnOutcome::Empty);
            put!(
                page,
                "<a class=\"{}\" href=\"#{at}-turn-{number}\" title=\"turn {number}\">{}</a>",
                class(outcome),
                verdict_mark(outcome),
                number = turn.script.turn
            );
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
    put!(
        page,
        "<section class=\"turn{failed}\" id=\"{at}\" tabindex=\"-1\">\n<header><h4><a href=\"#{at}\">Turn \
         {number}</a></h4>\n<p>{}</p>",
        Escaped(&turn.facts().join(" · "))
    );
    if let (Some(outcome), Some(state)) = (turn.outcome, turn.state()) {
        let mark = verdict_mark(outcome);
        put!(page, "<p class=\"state {}\">{mark} {state}</p>", class(outcome));
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
            put!(page, "<details class=\"more\"><summary>{what}</summary>");
            put!(page, "<div class=\"text\" dir=\"auto\">{}</div></details>\n", Escaped(said));
        }
    }
    if turn.answers.is_empty() {
        criteria(page, turn);
    }
    match &turn.proof {
        Some(Proof::Witness(witness)) => put!(
            page,
            "<details class=\"more\"><summary><span class=\"good\">✓ satisfiable</span> by this witness</summary>\
             <div class=\"text\" dir=\"auto\">{}</div></details>\n",
            Escaped(witness)
        ),
        Some(Proof::Nothing) => {
            page.push_str("<p class=\"none\">No rule is active: a judge grades the turn, or nothing does.</p>\n");
        }
        Some(Proof::Missing(names)) => put!(
            page,
            "<p class=\"bad\">✗ no witness was found for {}</p>\n",
            Escaped(&names.join(", "))
        ),
        None => {}
    }
    if let Some(patience) = turn.patience {
        put!(page, "<p class=\"none\">Patience left: {patience}</p>\n");
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
                put!(page, "<div class=\"shown\" dir=\"auto\">{}</div>\n", Escaped(shown));
            }
            ShownContent::Tool { .. } => {}
            ShownContent::Image(image) => {
                let label = Escaped(&image.label());
                let data = picture(image).map(|data| {
                    format!("<img src=\"{}\" alt=\"{label}\" loading=\"lazy\">", Escaped(&data))
                });
                put!(
                    page,
                    "<figure>{}<figcaption><code>{label}</code></figcaption></figure>\n",
                    data.unwrap_or_default()
                );
            }
        }
    }
    match script.ask.as_str() {
        "" => page.push_str(LEFT_OUT),
        ask => {
            put!(page, "<div class=\"text\" dir=\"auto\">{}</div>\n", Escaped(ask))
        }
    }
    if let Some(reminder) = &script.reminder {
        put!(
            page,
            "<h5>Reminder</h5>\n<div class=\"text\" dir=\"auto\">{}</div>\n",
            Escaped(reminder)
        );
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
            arguments => format!(" <small>{}</small>", Escaped(arguments)),
        };
        let before = one.earlier().map(|it| format!(" <small>before: {}</small>", Escaped(&it)));
        put!(
            page,
            "<li{class}>{mark}<code>{}</code>{arguments}{}{}</li>\n",
            Escaped(&one.active.constraint),
            Escaped(&speaker(one.active)),
            before.unwrap_or_default()
        );
    }
    page.push_str("</ul>\n");
}

fn bubble(page: &mut String, class: &str, who: &str, said: &str) {
    put!(
        page,
        "<div class=\"bubble {class}\"><h5>{who}</h5>\n<div class=\"text\" dir=\"auto\">{}</div></div>\n",
        Escaped(said)
    );
}

fn write_answer(
    page: &mut String,
    chat: &ChatView<'_>,
    turn: &TurnView<'_>,
    answer: &ChatAnswer<'_>,
) {
    // Further samples are folded: they answer what the first response answers.
    if answer.sample > 0 {
        let missed = answer.verdicts.iter().filter(|verdict| verdict.is_missed()).count();
        let (class, state) = match missed {
            0 => ("good", "nothing missed".to_owned()),
            missed => ("bad", format!("{missed} missed")),
        };
        put!(
            page,
            "<details class=\"more sample\"><summary>Sample {}: <span class=\"{class}\">{state}</span></summary>\n",
            answer.sample + 1
        );
    }
    if let Some(feedback) = answer.feedback.filter(|_| chat.prompts) {
        bubble(page, "user", "Feedback", feedback);
    }
    let label = answer.label().map(|label| format!(", {label}")).unwrap_or_default();
    put!(page, "<div class=\"bubble model\"><h5>Model{label}</h5>\n");
    if !answer.reasoning.is_empty() {
        put!(
            page,
            "<details class=\"more\"><summary>Reasoning</summary><div class=\"text\" dir=\"auto\">{}</div></details>\n",
            Escaped(answer.reasoning)
        );
    }
    match &answer.no_text {
        Some(why) => put!(page, "<p class=\"bad\">No text: {}</p>\n", Escaped(&why.to_string())),
        None => {
            page.push_str("<div class=\"text\" dir=\"auto\">");
            for (stretch, by) in answer.stretches() {
                match by.is_empty() {
                    true => put!(page, "{}", Escaped(stretch)),
                    false => {
                        let by: Vec<String> = by.iter().map(ToString::to_string).collect();
                        put!(page, "<mark>{}<sup>{}</sup></mark>", Escaped(stretch), by.join(", "));
                    }
                }
            }
            page.push_str("</div>\n");
        }
    }
    page.push_str("</div>\n");
    let cost = answer.cost();
    if !cost.is_empty() {
        put!(page, "<p class=\"cost\">{}</p>\n", Escaped(&cost.join(" · ")));
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
        put!(
            page,
            "<details class=\"more\"><summary><span class=\"good\">✓ {} held</span></summary>\n<ul class=\"verdicts\">\n",
            held.len()
        );
        held.into_iter().for_each(|verdict| self::verdict(page, chat, turn, answer, verdict));
        page.push_str("</ul></details>\n");
    }
    if answer.sample > 0 {
        page.push_str("</details>\n");
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
    put!(
        page,
        "<li><b class=\"{class}\">{mark}<span class=\"spoken\"> {spoken}</span></b> <code>{}</code>{} {word}",
        Escaped(&turn.verdict_name(verdict)),
        number.unwrap_or_default()
    );
    if let Some(asked) = turn.asked_by(verdict).filter(|_| chat.prompts) {
        put!(page, "<small>{}</small>", Escaped(&asked));
    }
    for reason in reasons(verdict) {
        put!(page, "<p dir=\"auto\">{}</p>", Escaped(&reason));
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
        put!(
            page,
            "<li><code>{}</code> <small>{}</small></li>\n",
            Escaped(&criterion.key()),
            Escaped(&of_criterion(criterion))
        );
    }
    page.push_str("</ul>\n");
}

/// An untrusted text where it is written: escaped, with its line breaks. Control characters and those
/// that reverse or hide text are made visible.
struct Escaped<'t>(&'t str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0;
        // Most of a text is plain letters, which are written at once.
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte)) {
            let (plain, other) = rest.split_at(at);
            out.write_str(plain)?;
            let Some(letter) = other.chars().next() else { break };
            match letter {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                // A Windows line ending.
                '\r' if other.starts_with("\r\n") => {}
                letter => out.write_char(visible(letter))?,
            }
            rest = &other[letter.len_utf8()..];
        }
        out.write_str(rest)
    }
}

/// Whether a byte is ASCII that needs no escaping.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | b' '..=b'~')
        && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

/// The same as a text of its own.
pub fn escape_text(text: &str) -> String {
    Escaped(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_made_visible() {
        let strange = "a <b>&\"'\r\nc\td\u{1b}[2J\u{202e}é茶\u{7f}\r";
        let wanted = "a &lt;b&gt;&amp;&quot;&#39;\nc\td␛[2J\u{fffd}é茶␡␍";
        assert_eq!(escape_text(strange), wanted);
        assert_eq!(escape_text(""), "");
    }
}
