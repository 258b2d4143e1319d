//! The standard library, written in the language and embedded in the binary.

use ifs_base::source::FileId;

macro_rules! library {
    ($($module:literal)*) => {
        /// The name of the module (`std.constraints` is `constraints`) and its text.
        pub static LIBRARY: &[(&str, &str)] = &[
            $(($module, include_str!(concat!("../../../scenarios/std/", $module, ".ifs"))),)*
        ];
    };
}

library! {
    "answers"
    "evolif"
    "evolif_as_released"
    "german"
    "ifbench"
    "ifbench_as_released"
    "ifbench_training_as_released"
    "ifeval"
    "meeseeks"
    "meeseeks_as_released"
    "meeseeks_english_as_released"
    "metrics"
    "mmmt"
    "mmmt_as_released"
    "scenes"
    "sport"
    "structflow"
}

/// The name of a library file in messages.
pub fn file_name(module: &str) -> String {
    format!("std/{module}.ifs")
}

/// The file of a module, by the module's index in `LIBRARY`: the same in every compilation.
pub fn file_id(at: usize) -> FileId {
    FileId(FileId::FIRST_FIXED.0 + at as u16)
}
