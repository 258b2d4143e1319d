//! A cache of constructed and searched texts. A search may take seconds, and its goals recur in
//! many turns and dialogues, so each is done once. A result depends only on its goals and seed, so
//! it is the same whichever thread is first.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ifs_parts::parts::witness::{WitnessPart, name_with_parts, witness};
use ifs_predicate::witness::{Goal, TextTopic, WitnessFailure};

/// The maximum number of cached results.
const MAX_CACHED_RESULTS: usize = 4096;

type WitnessResult = Result<String, WitnessFailure>;

/// Texts by their goals.
#[derive(Debug, Default)]
pub struct WitnessCache(Mutex<BTreeMap<[u8; 32], WitnessResult>>);

impl WitnessCache {
    /// A text that satisfies all goals, searched for if necessary.
    pub fn text(
        &self,
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
    ) -> WitnessResult {
        let Some(key) = name_with_parts(parts, goals, about) else {
            return witness(parts, goals, about, 0);
        };
        self.get_or_search(key, || {
            let [a, b, c, d, ..] = key;
            witness(parts, goals, about, u64::from(u32::from_le_bytes([a, b, c, d])))
        })
    }

    /// The result of `make` for these goals and this seed, computed once.
    pub fn seeded(
        &self,
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
        seed: u64,
        make: impl FnOnce() -> WitnessResult,
    ) -> WitnessResult {
        let Some(key) = name_with_parts(parts, goals, about) else { return make() };
        let key = blake3::keyed_hash(&key, &seed.to_le_bytes()).into();
        self.get_or_search(key, make)
    }

    fn get_or_search(
        &self,
        key: [u8; 32],
        search: impl FnOnce() -> WitnessResult,
    ) -> WitnessResult {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcome) = known().get(&key) {
            return outcome.clone();
        }
        let outcome = search();
        let mut known = known();
        if known.len() >= MAX_CACHED_RESULTS {
            known.clear();
        }
        known.insert(key, outcome.clone());
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_predicate::evaluate::Variables;
    use ifs_predicate::tree::{Node, Tree};
    use ifs_predicate::value::Value;

    #[test]
    fn searches_are_not_repeated() {
        let found = WitnessCache::default();
        let mut searches = 0;
        for key in [[1; 32], [2; 32], [1; 32], [2; 32], [1; 32]] {
            let text = found.get_or_search(key, || {
                searches += 1;
                Ok(format!("text {}", key[0]))
            });
            assert_eq!(text, Ok(format!("text {}", key[0])));
        }
        let none = || Err(WitnessFailure { goals: vec![0], contrived: None });
        assert_eq!(found.get_or_search([3; 32], none), none());
        let again = found.get_or_search([3; 32], || panic!("that there is none is known"));
        assert_eq!((again, searches), (none(), 2));
    }

    #[test]
    fn goals_are_named_after_their_checks() {
        let tree = Tree::without_place(Node::Var("n".to_owned()));
        let about = TextTopic::default();
        let named = |value: i64, wanted: bool| {
            let values = vec![("n".to_owned(), Value::Int(value))];
            let variables: &dyn Variables = &values;
            name_with_parts(&[], &[Goal { tree: &tree, variables, wanted }], &about).unwrap()
        };
        assert_eq!(named(1, true), named(1, true));
        assert_ne!(named(1, true), named(2, true));
        assert_ne!(named(1, true), named(1, false));
        let other = TextTopic { subject: "tides", ..about };
        let goals: [Goal<'_>; 0] = [];
        assert_ne!(name_with_parts(&[], &goals, &about), name_with_parts(&[], &goals, &other));
    }
}
