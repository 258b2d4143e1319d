//! What the language says and this version does not run yet.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::table::{Context, Dialogue};

/// Why a dialogue cannot be drawn and held by this version, if it cannot.
pub fn not_yet_runnable(dialogue: &Dialogue) -> Option<Diagnostic> {
    let reasons = [
        (!dialogue.flows.is_empty(), "`flow NAME`: turns with relations between them"),
        (!dialogue.steps.is_empty(), "`turn`, `param`, `let` and `for`: turns written out"),
        (dialogue.topics.is_none(), "a dialogue without a flow of topics"),
        (dialogue.over.is_some(), "`over`: a dialogue over a bank or a feed"),
        (!dialogue.imposes.is_empty(), "`impose`"),
        (dialogue.retry.is_some(), "`retry`"),
        (dialogue.context == Context::Golden, "`context golden`"),
        (dialogue.system.is_some(), "`system`"),
        (!dialogue.weights.is_empty(), "`weigh`"),
        (dialogue.repeat_instructions, "`repeat instructions at end`"),
    ];
    let (_, what) = reasons.into_iter().find(|(stands, _)| *stands)?;
    let message = format!("the dialogue `{}` is not yet runnable", dialogue.name);
    Some(
        Diagnostic::error(Code::NOT_YET_RUNNABLE, message)
            .label(dialogue.span, format!("this version checks {what}, but does not run it"))
            .help("`ifs check`, `ifs fmt` and `ifs graph` work on it; a flow of topics runs"),
    )
}
