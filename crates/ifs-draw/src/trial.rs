//! Draws the first dialogues of a scenario, to check that they can be drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::DrawError;
use super::drawer::Drawer;
use super::stream::Seed;
use super::words::MessageTemplates;
use ifs_base::diagnostic::Diagnostics;
use ifs_model::split::described;
use ifs_model::table::{DecidedBy, Dialogue, TurnPart};
use ifs_plan::Plan;

/// The number of dialogues that are drawn, and of turns of each.
const TRIAL_DIALOGUES: u64 = 8;
const TRIAL_TURNS: usize = 24;

/// The number of dialogues where constraints have to contradict others.
const CONTRADICTION_TRIALS: u64 = 200;

/// The number of dialogues of a variant with the draws and the templates of its dialogue.
const VARIANT_TRIALS: u64 = 2;

/// Where a dialogue names things by its record, every record is drawn, up to this many turns in all.
const MAX_RECORDS: u64 = 100_000;
const TURNS_OF_RECORDS: usize = 50_000;

/// Draws the first dialogues of each dialogue and variant, and reports the first error of each. The
/// same cause in several dialogues is reported once.
pub fn try_dialogues(plan: &Plan) -> Diagnostics {
    let mut found = Diagnostics::default();
    let mut places = BTreeSet::new();
    let mut compiled = Compiled::default();
    for dialogue in plan.dialogues() {
        let name = &dialogue.table.name;
        let count = tried(plan, dialogue.table);
        let mut errors = Vec::from_iter(compiled.first_error(plan, dialogue.table, count));
        for (variant, table) in &dialogue.table.variants {
            let alike = is_drawn_alike(dialogue.table, table);
            let count = if alike { VARIANT_TRIALS } else { tried(plan, table) };
            let varied = plan.clone().varied(name, variant);
            let error = varied.and_then(|plan| compiled.first_error(&plan, table, count));
            let of = described(variant, &plan.model.splits);
            errors.extend(error.map(|error| error.in_variant(of)));
        }
        for error in errors {
            let diagnostic = error.diagnostic();
            if places.insert((diagnostic.code, diagnostic.span())) {
                found.push(diagnostic);
            }
        }
    }
    found
}

/// The number of dialogues that are drawn: many where a draw may lack what contradicts another.
fn tried(plan: &Plan, table: &Dialogue) -> u64 {
    let mut imposes = table.all_imposes(&plan.model.flows);
    let related = imposes.any(|impose| impose.against.is_some() || !impose.by.is_user());
    if related { CONTRADICTION_TRIALS } else { TRIAL_DIALOGUES }
}

/// Whether a variant has the draws and the templates of its dialogue, so that at most its system
/// message, its slice and how it is run and scored differ.
fn is_drawn_alike(dialogue: &Dialogue, variant: &Dialogue) -> bool {
    let same = Dialogue {
        name: dialogue.name.clone(),
        scope_said: dialogue.scope_said.clone(),
        scope_unsaid: dialogue.scope_unsaid,
        scope_span: dialogue.scope_span,
        endless_span: dialogue.endless_span,
        context: dialogue.context,
        retry: dialogue.retry,
        retry_rounds: dialogue.retry_rounds.clone(),
        sample: dialogue.sample,
        system: dialogue.system.clone(),
        judge_template: dialogue.judge_template.clone(),
        judge_history: dialogue.judge_history,
        weights: dialogue.weights.clone(),
        metrics: dialogue.metrics.clone(),
        slice: dialogue.slice.clone(),
        slices_turns: dialogue.slices_turns,
        variants: dialogue.variants.clone(),
        span: dialogue.span,
        end_span: dialogue.end_span,
        ..variant.clone()
    };
    same == *dialogue
}

/// Whether a turn has something that only the record decides about: a given response, or a
/// constraint that it names.
fn names_data(plan: &Plan, table: &Dialogue) -> bool {
    fn names(parts: &[TurnPart]) -> bool {
        parts.iter().any(|part| match part {
            TurnPart::Require { by, tagged, weight, .. } => {
                !tagged.is_empty()
                    || weight.is_some()
                    || matches!(by, DecidedBy::Judge(question) if question.good.is_some())
            }
            TurnPart::Observe { by: DecidedBy::Judge(question), .. } => question.good.is_some(),
            TurnPart::For { body, .. } => names(body),
            _ => false,
        })
    }
    let turns = table.written_turns(&plan.model.flows);
    table.retry_rounds.is_some()
        || turns.into_iter().any(|turn| turn.is_given() || names(&turn.body))
        || table
            .all_imposes(&plan.model.flows)
            .any(|impose| impose.called.is_some() || impose.against.is_some())
}

/// Whether a game of a feed has no two sides, whose names it might tell.
fn lacks_sides(plan: &Plan, feed: &str) -> bool {
    let feed = plan.model.feeds.iter().find(|known| known.name == feed);
    feed.is_some_and(|feed| feed.games.iter().any(|game| game.teams.len() != 2))
}

/// The templates of the dialogues and variants so far. Those of a variant are often the same.
#[derive(Default)]
struct Compiled<'p>(Vec<(&'p Dialogue, Arc<MessageTemplates>)>);

impl<'p> Compiled<'p> {
    /// The first error of the dialogue or variant with this table, which has the dialogue's name in
    /// the plan.
    fn first_error(&mut self, plan: &Plan, table: &'p Dialogue, count: u64) -> Option<DrawError> {
        // A scenario may be published without its logs: the checker has warned of the feed.
        let feed = table.over.as_ref().and_then(|(list, _)| plan.feed(list));
        if feed.is_some_and(|feed| feed.games.is_empty()) {
            return None;
        }
        let drawer = match self.templates(plan, table) {
            Some(templates) => Drawer::with_templates(plan, &table.name, templates),
            None => Drawer::new(plan, &table.name),
        };
        let drawer = match drawer {
            Ok(drawer) => drawer,
            Err(error) => return Some(error),
        };
        let error = |index| drawer.script(Seed(1), index).take(TRIAL_TURNS).find_map(Result::err);
        if let Some(first) = (0..count).find_map(error) {
            return Some(first);
        }
        let (records, _) = table.over.as_ref()?;
        if !names_data(plan, table) && !lacks_sides(plan, records) {
            return None;
        }
        let (keys, _) = plan.records(records)?;
        let mut left = TURNS_OF_RECORDS;
        (count..(keys.len() as u64).min(MAX_RECORDS)).find_map(|index| {
            let most = TRIAL_TURNS.min(left);
            let mut turns = drawer.script(Seed(1), index).take(most);
            turns.find_map(|turn| {
                left -= 1;
                turn.err()
            })
        })
    }

    fn templates(&mut self, plan: &Plan, table: &'p Dialogue) -> Option<Arc<MessageTemplates>> {
        let same = |known: &Dialogue| {
            known.words == table.words
                && known.without_words == table.without_words
                && known.only_words == table.only_words
        };
        if let Some((_, templates)) = self.0.iter().find(|(known, _)| same(known)) {
            return Some(Arc::clone(templates));
        }
        let templates = Arc::new(MessageTemplates::compile(plan, table).ok()?);
        self.0.push((table, Arc::clone(&templates)));
        Some(templates)
    }
}
