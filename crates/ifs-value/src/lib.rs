//! Values with their types, stable hashes, and random streams that are the same on every machine.
//!
//! * [`value`]: numbers, texts, lists and records, as data files have them; they are cheap to clone;
//! * [`types`]: the types of values;
//! * [`number`]: exact comparison and arithmetic of integers and floats;
//! * [`stable_hash`]: hashes of names that no version of a library changes;
//! * [`random`]: a generator and uniform sampling with golden numbers.

pub mod number;
pub mod random;
pub mod record;
pub mod shared;
pub mod stable_hash;
pub mod types;
pub mod value;
mod value_serde;

/// Whether a field has its default, with which it is left out of what is written.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
