//! Limits on memory and time while a scenario is checked: its files, the values in them and in its
//! constants, its feeds and simulated games are counted together. An untrusted scenario is refused
//! before it exhausts the machine.

use std::cell::Cell;

use ifs_predicate::value::Value;

/// Bytes, approximately.
const MEMORY_BYTES: u64 = 512 << 20;
/// Constants are copied to where they are used, so each byte counts this often.
const COPIES_PER_CONSTANT: u64 = 8;
/// Steps of evaluating constants.
const CONSTANT_STEPS: usize = 10_000_000;
/// The size of a value without its contents, and of a record without its fields.
const VALUE_BYTES: u64 = 32;
const RECORD_BYTES: u64 = 128;

pub(crate) struct ResourceBudget {
    memory: u64,
    pub steps: Cell<usize>,
    reported: bool,
}

impl Default for ResourceBudget {
    fn default() -> ResourceBudget {
        ResourceBudget { memory: MEMORY_BYTES, steps: Cell::new(CONSTANT_STEPS), reported: false }
    }
}

impl ResourceBudget {
    /// Takes this many bytes, and returns whether they were available. Takes nothing otherwise.
    pub fn take(&mut self, bytes: u64) -> bool {
        let left = self.memory.checked_sub(bytes);
        self.memory = left.unwrap_or(self.memory);
        left.is_some()
    }

    /// Takes the memory of a constant.
    pub fn take_constant(&mut self, value: &Value) -> bool {
        weight(value, self.memory / COPIES_PER_CONSTANT)
            .is_some_and(|bytes| self.take(bytes * COPIES_PER_CONSTANT))
    }

    /// Whether the limit should be reported now. It is reported once: everything after it exceeds
    /// the limit as well.
    pub fn report_once(&mut self) -> bool {
        !std::mem::replace(&mut self.reported, true)
    }

    /// Whether the scenario is refused, so that nothing more needs to be read.
    pub fn is_reported(&self) -> bool {
        self.reported
    }

    pub fn remaining(&self) -> u64 {
        self.memory
    }
}

/// The approximate size of a value; `None` if it is more than `most`, which is decided early.
pub(crate) fn weight(value: &Value, most: u64) -> Option<u64> {
    let mut left = most;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let own = match value {
            Value::Nothing | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
            Value::Text(text) => text.len() as u64,
            Value::List(members) => {
                // Counted before they are visited: a nested list may be long.
                if members.len() as u64 * VALUE_BYTES > left {
                    return None;
                }
                open.extend(members.iter());
                0
            }
            Value::Record(fields) => {
                open.extend(fields.iter().map(|(_, value)| value));
                RECORD_BYTES
            }
        };
        left = left.checked_sub(VALUE_BYTES + own)?;
    }
    Some(most - left)
}

/// The limit, as reported.
pub(crate) fn limit() -> String {
    format!("{} MiB", MEMORY_BYTES >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_values_are_detected_early() {
        let mut doubled = Value::list([Value::Int(1), Value::Int(2)]);
        for _ in 0..60 {
            doubled = Value::list([doubled.clone(), doubled]);
        }
        assert_eq!(weight(&doubled, 1 << 20), None);
        assert!(!ResourceBudget::default().take_constant(&doubled));
        assert_eq!(weight(&Value::text("abc"), 100), Some(35));
    }
}
