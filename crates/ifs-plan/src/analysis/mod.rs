//! Analyses of a plan before a model sees it: one file each.

mod condition;
mod conflicts;
mod endless;
mod expectations;
mod fact_bounds;
mod guards;
mod length;
mod names;
mod observations;
mod relations;
mod scope;
mod shares;
mod unreachable;

pub use conflicts::is_total;
pub use conflicts::{PartialConflict, partial};
pub use expectations::{Expectations, expectations};

use super::{DialoguePlan, Plan};
use ifs_base::diagnostic::{Diagnostic, Diagnostics};

/// All diagnostics of the analyses, in source order. A mistake in a flow is reported once, however
/// many dialogues use it.
pub fn check(plan: &Plan) -> Vec<Diagnostic> {
    let mut all = Diagnostics { list: guards::check(plan) };
    all.extend(conflicts::check(plan));
    for dialogue in plan.dialogues() {
        all.extend(endless::check(plan, dialogue));
        all.extend(scope::check(dialogue));
        all.extend(unreachable::check(plan, dialogue));
        all.extend(relations::check(plan, dialogue));
        all.extend(observations::check(plan, dialogue));
        // Statements that a variant shares with its dialogue are reported for the dialogue.
        for (_, table, graph) in plan.variants(dialogue.table) {
            let variant = DialoguePlan { table, graph: &graph };
            let mut own = unreachable::check(plan, variant);
            own.extend(relations::check(plan, variant));
            own.extend(observations::check(plan, variant));
            own.retain(|one| !all.list.iter().any(|known| known.span() == one.span()));
            all.extend(own);
        }
    }
    all.sort();
    all.list
}
