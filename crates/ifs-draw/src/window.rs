//! Draws a range of consecutive members of a list.

use super::stream::Stream;
use ifs_base::work::{self, Task};
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::operand::Operand;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::Text;

/// In a list with more ranges than this, only this many of them are tried.
const MAX_TRIED_RANGES: u64 = 20_000;

/// A range for which the condition holds, each with the same probability; `None` if there is none.
pub(super) fn drawn(
    members: &[Value],
    by: Option<&Tree>,
    condition: Option<&Tree>,
    variables: &dyn Variables,
    stream: &mut Stream,
) -> Option<Value> {
    let ends = ends(members, by, variables)?;
    let mut condition = condition.map(RangeCondition::new);
    let count = ends.len() as u64;
    let all = count * (count + 1) / 2;
    // In a random order, so that a range is found if there is one.
    let mut order: Vec<u32> =
        if all <= MAX_TRIED_RANGES { (0..all as u32).collect() } else { Vec::new() };
    for tried in 0..all.min(MAX_TRIED_RANGES) {
        if work::is_exhausted() {
            return None;
        }
        let at = match order.len() as u64 {
            0 => stream.int(0, all as i64 - 1) as u64,
            len => {
                let other = stream.int(tried as i64, len as i64 - 1) as usize;
                order.swap(tried as usize, other);
                u64::from(*order.get(tried as usize)?)
            }
        };
        let (first, last) = pair(at);
        let stretch = members.get(ends.get(first)?.0..ends.get(last)?.1)?;
        work::spend(Task::Draws, 1 + stretch.len() as u64 / 16);
        let stretch = Value::list(stretch.iter().cloned());
        if condition.as_mut().is_none_or(|condition| condition.holds(&stretch, variables)) {
            return Some(stretch);
        }
    }
    None
}

/// The ranges are numbered by their end, and then by their start.
fn pair(at: u64) -> (usize, usize) {
    let last = ((8 * at + 1).isqrt() - 1) / 2;
    ((at - last * (last + 1) / 2) as usize, last as usize)
}

/// The bounds of the members with each key, from 0. A member without a key has its own range.
fn ends(
    members: &[Value],
    by: Option<&Tree>,
    variables: &dyn Variables,
) -> Option<Vec<(usize, usize)>> {
    let Some(by) = by else { return Some((0..members.len()).map(|at| (at, at + 1)).collect()) };
    let list = Tree::without_place(Node::Value(Value::list(members.iter().cloned())));
    let keys = Tree::without_place(Node::Each(Box::new(list), Box::new(by.clone())));
    let nothing = Text::new("");
    let keys = evaluate(&keys, &TextContext { it: &nothing, variables }).ok()?;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<&Value> = None;
    for (at, key) in keys.as_list()?.iter().enumerate() {
        match ends.last_mut() {
            Some(end) if before == Some(key) => end.1 = at + 1,
            _ => ends.push((at, at + 1)),
        }
        before = Some(key);
    }
    Some(ends)
}

/// A condition of ranges, as `it`. It is copied once, and not for each range.
struct RangeCondition(Tree);

impl RangeCondition {
    fn new(condition: &Tree) -> RangeCondition {
        let nothing = Tree::without_place(Node::Value(Value::Nothing));
        let asked = Node::At(Box::new(nothing), Box::new(condition.clone()));
        RangeCondition(Tree::without_place(asked))
    }

    fn holds(&mut self, stretch: &Value, variables: &dyn Variables) -> bool {
        if let Node::At(of, _) = &mut self.0.node {
            of.node = Node::Value(stretch.clone());
        }
        let nothing = Text::new("");
        let it = evaluate(&self.0, &TextContext { it: &nothing, variables });
        it.ok().and_then(|value| Operand::Value(value).as_bool()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_is_numbered() {
        let mut all: Vec<(usize, usize)> = (0..55).map(pair).collect();
        assert!(all.iter().all(|(first, last)| first <= last && *last < 10));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 55);
        assert_eq!(pair(3_000_000_000_000), (594_695, 2_449_489));
    }
}
