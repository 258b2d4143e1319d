//! The standard library, written in the language and embedded in the binary.

/// Name of the module (`std.constraints` is `constraints`) and its text.
pub const LIBRARY: &[(&str, &str)] = &[
    ("evolif", include_str!("../../scenarios/std/evolif.ifs")),
    ("evolif_as_released", include_str!("../../scenarios/std/evolif_as_released.ifs")),
    ("ifbench", include_str!("../../scenarios/std/ifbench.ifs")),
    ("ifbench_as_released", include_str!("../../scenarios/std/ifbench_as_released.ifs")),
    ("ifeval", include_str!("../../scenarios/std/ifeval.ifs")),
    ("meeseeks", include_str!("../../scenarios/std/meeseeks.ifs")),
    ("meeseeks_as_released", include_str!("../../scenarios/std/meeseeks_as_released.ifs")),
    ("mmmt", include_str!("../../scenarios/std/mmmt.ifs")),
    ("mmmt_as_released", include_str!("../../scenarios/std/mmmt_as_released.ifs")),
    ("scenes", include_str!("../../scenarios/std/scenes.ifs")),
    ("sport", include_str!("../../scenarios/std/sport.ifs")),
    ("structflow", include_str!("../../scenarios/std/structflow.ifs")),
];

/// How messages call a file of the library.
pub fn file_name(module: &str) -> String {
    format!("std/{module}.ifs")
}
