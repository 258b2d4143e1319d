//! Draws the first dialogues of a scenario, to check that they can be drawn.

use std::collections::BTreeSet;

use super::drawer::Drawer;
use super::stream::Seed;
use crate::diagnostic::Diagnostics;
use crate::plan::Plan;

/// The number of dialogues that are drawn, and of turns of each.
const DIALOGUES: u64 = 8;
const TURNS: usize = 24;

/// Draws the first dialogues of each dialogue and variant, and reports the first error of each. The
/// same cause in several dialogues is reported once.
pub fn try_dialogues(plan: &Plan) -> Diagnostics {
    let mut found = Diagnostics::default();
    let mut places = BTreeSet::new();
    let mut attempt = |plan: &Plan, name: &str| {
        if let Some(error) = first_error(plan, name) {
            let diagnostic = error.diagnostic();
            if places.insert((diagnostic.code, diagnostic.span())) {
                found.push(diagnostic);
            }
        }
    };
    for dialogue in &plan.dialogues {
        let name = &dialogue.table.name;
        attempt(plan, name);
        for (variant, _) in plan.variants(dialogue) {
            if let Some(varied) = plan.clone().varied(name, variant) {
                attempt(&varied, name);
            }
        }
    }
    found
}

fn first_error(plan: &Plan, name: &str) -> Option<super::DrawError> {
    let drawer = match Drawer::new(plan, name) {
        Ok(drawer) => drawer,
        Err(error) => return Some(error),
    };
    (0..DIALOGUES).find_map(|index| drawer.script(Seed(1), index).take(TURNS).find_map(Result::err))
}
