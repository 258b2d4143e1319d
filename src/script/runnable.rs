//! What the language says and this version does not run yet.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::table::Dialogue;
use crate::plan::Plan;

/// Why a dialogue cannot be drawn and held by this version, if it cannot.
pub fn not_yet_runnable(plan: &Plan, dialogue: &Dialogue) -> Option<Diagnostic> {
    let (from, _) = dialogue.over.as_ref()?;
    if plan.records(from).is_some() {
        return None;
    }
    let message = format!("the dialogue `{}` is not yet runnable", dialogue.name);
    Some(
        Diagnostic::error(Code::NOT_YET_RUNNABLE, message)
            .label(dialogue.span, format!("goes over `{from}`, and this version reads no feeds"))
            .help("`ifs check`, `ifs fmt` and `ifs graph` work on it; a bank of records runs"),
    )
}
