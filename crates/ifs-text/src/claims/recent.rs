//! The values that were made last on a thread. The checks of a turn ask for the same names, and a check that
//! rewrites a text before it reads it does so for each thing that it asks for.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Values by their keys, the latest first.
pub(super) struct Recent<K, V> {
    entries: RefCell<VecDeque<(K, Arc<V>)>>,
    capacity: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    pub(super) const fn new(capacity: usize) -> Recent<K, V> {
        Recent { entries: RefCell::new(VecDeque::new()), capacity }
    }

    /// The value of a key, made if it is not among the latest.
    pub(super) fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> Arc<V> {
        let place = self.entries.borrow().iter().position(|(own, _)| *own == key);
        let entry = place.and_then(|at| self.entries.borrow_mut().remove(at));
        // Nothing is borrowed while a value is made, since that may ask for other ones.
        let entry = entry.unwrap_or_else(|| {
            let value = Arc::new(make(&key));
            (key, value)
        });
        let value = Arc::clone(&entry.1);
        let mut entries = self.entries.borrow_mut();
        entries.push_front(entry);
        entries.truncate(self.capacity);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_values_are_kept() {
        let recent: Recent<u8, u8> = Recent::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = recent.get(key, |key| {
                made.push(*key);
                *key + 10
            });
            assert_eq!(*value, key + 10);
        }
        assert_eq!(made, [1, 2, 3, 2]);
    }
}
