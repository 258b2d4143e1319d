//! Whether the `keep` of a release holds for a dialogue.

use ifs_draw::{DrawError, Drawer, ScriptTurn, Seed};
use ifs_predicate::evaluate::{TextContext, evaluate};
use ifs_predicate::value::Value;
use ifs_text::Text;

/// The number of turns that the `keep` of a release sees.
pub(super) const EXAMINED_TURNS: usize = 20;

/// The maximum number of candidates per dialogue of a release.
pub(super) const MAX_CANDIDATES: u64 = 1000;

pub(super) fn is_kept(
    drawer: &Drawer<'_>,
    keep: &[ifs_predicate::tree::Tree],
    seed: Seed,
    index: u64,
) -> Result<bool, DrawError> {
    let turns: Vec<ScriptTurn> = drawer
        .script(seed, index)
        .take_both_sides()
        .plain()
        .take(EXAMINED_TURNS)
        .collect::<Result<_, _>>()?;
    let topics: std::collections::BTreeSet<&str> =
        turns.iter().map(|turn| turn.topic.as_str()).collect();
    let record = |turn: &ScriptTurn| {
        let change = turn.changes.first().map_or("none", |changed| changed.change.word());
        Value::record([
            ("turn", Value::Int(i64::from(turn.turn))),
            ("topic", Value::text(&turn.topic)),
            ("transition", Value::text(turn.transition.word())),
            ("change", Value::text(change)),
            ("constraints", Value::Int(turn.active_constraints.len() as i64)),
        ])
    };
    let facts = [
        ("turns", Value::list(turns.iter().map(record))),
        ("topics", Value::Int(topics.len() as i64)),
    ];
    let nothing = Text::new("");
    let scene = TextContext { it: &nothing, variables: &facts };
    Ok(keep.iter().all(|condition| evaluate(condition, &scene) == Ok(Value::Bool(true))))
}
