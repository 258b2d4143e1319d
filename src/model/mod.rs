//! What a program means: names resolved, types and units checked, defaults filled in.
//!
//! A `Model` cannot hold a mistake that the checker finds: it exists only when
//! there was none. Its tables go into the plan as they are.

pub mod table;
