//! The simulated judge: it knows which constraints a simulated model violated, and misreads them
//! with a given probability.

use ifs_judge::{Exchange, JudgeItem, Vote, VoteValue};
use ifs_value::stable_hash::StreamKey;

/// The probability of misreading in `sim/judge` or `sim/judge:0.1`.
pub fn misreading(name: &str) -> Option<Result<f64, &str>> {
    let rest = name.strip_prefix("sim/judge")?;
    if rest.is_empty() {
        return Some(Ok(0.0));
    }
    let given = rest.strip_prefix(':')?;
    let share = given.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    Some(share.ok_or(given))
}

/// The judge's vote on one item. `place` distinguishes dialogues.
pub fn vote(
    (name, misreads): (&str, f64),
    repeat: u32,
    item: &JudgeItem<'_>,
    exchange: &Exchange<'_>,
    place: &str,
) -> Vote {
    let judge = name.to_owned();
    let Some(note) = exchange.note else {
        let why = Some("a simulated judge cannot judge this response".to_owned());
        return Vote {
            judge,
            repeat,
            value: VoteValue::Unreadable,
            no_is_good: false,
            why,
            reply: None,
        };
    };
    let missed = note.missed.contains(&item.name);
    let key = StreamKey::new(name).and(place).and(&item.name).and_number(u64::from(repeat));
    let chance = (ifs_value::stable_hash::mix(key.number()) >> 11) as f64 / (1u64 << 53) as f64;
    let passed = missed == (chance < misreads);
    let said = match &item.question.scale {
        None if passed => VoteValue::Yes,
        None => VoteValue::No,
        Some(scale) => {
            let fitting = (scale.low..=scale.high).find(|mark| scale.passes(*mark) == passed);
            fitting.map_or(VoteValue::Unreadable, VoteValue::Mark)
        }
    };
    let why = (!passed).then(|| "the simulated judge says so".to_owned());
    Vote { judge, repeat, value: said, no_is_good: false, why, reply: None }
}
