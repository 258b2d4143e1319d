//! The standard library, written in the language and embedded in the binary, with the trees that
//! the parser makes of its modules: reading one anew takes as long as all else that `ifs check`
//! does with it.

use crate::diagnostic::Diagnostics;
use crate::source::FileId;
use crate::stable_hash::name_number;
use crate::syntax::ast::Ast;
use crate::syntax::parse;

macro_rules! library {
    ($($module:literal)*) => {
        /// Name of the module (`std.constraints` is `constraints`) and its text.
        pub const LIBRARY: &[(&str, &str)] = &[
            $(($module, include_str!(concat!("../../scenarios/std/", $module, ".ifs"))),)*
        ];
        /// What `packed` made of each of them.
        const TREES: &[&[u8]] = &[$(include_bytes!(concat!("library/", $module, ".tree")),)*];
    };
}

library! {
    "answers"
    "evolif"
    "evolif_as_released"
    "ifbench"
    "ifbench_as_released"
    "ifbench_training_as_released"
    "ifeval"
    "meeseeks"
    "meeseeks_as_released"
    "meeseeks_english_as_released"
    "mmmt"
    "mmmt_as_released"
    "scenes"
    "sport"
    "structflow"
}

/// What the types of a tree look like: bytes of other types would be read as anything.
const SHAPE: u64 =
    spread(include_str!("../syntax/ast.rs")) ^ spread(include_str!("../syntax/ast/expression.rs"));

/// A text as a number, when the program is built (FNV-1a).
const fn spread(text: &str) -> u64 {
    let (bytes, mut number, mut at) = (text.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
    while at < bytes.len() {
        number = (number ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    number
}

/// What a tree is made of: it is taken for this text and these types only.
fn stamp(text: &str) -> u64 {
    name_number(text) ^ SHAPE
}

/// How messages call a file of the library.
pub fn file_name(module: &str) -> String {
    format!("std/{module}.ifs")
}

/// The file of a module, by the module's place in `LIBRARY`: the same in every compilation, since
/// the trees have it in them.
pub fn file_id(at: usize) -> FileId {
    FileId(FileId::FIXED.0 + at as u16)
}

/// The tree of a module. One that was made of another text, or by another version, is not taken.
pub fn tree(at: usize, diagnostics: &mut Diagnostics) -> Ast {
    let text = LIBRARY[at].1;
    let unpacked = TREES[at].split_first_chunk().and_then(|(stamped, tree)| {
        let fits = u64::from_le_bytes(*stamped) == stamp(text);
        fits.then(|| postcard::from_bytes(tree).ok()).flatten()
    });
    unpacked.unwrap_or_else(|| parse(file_id(at), text, diagnostics))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module's tree as bytes behind its stamp, without comments.
    fn packed(at: usize) -> Vec<u8> {
        let mut diagnostics = Diagnostics::default();
        let ast = parse(file_id(at), LIBRARY[at].1, &mut diagnostics);
        assert!(diagnostics.list.is_empty(), "{:?}", diagnostics.list);
        let ast = Ast { comments: Vec::new(), ..ast };
        let mut bytes = stamp(LIBRARY[at].1).to_le_bytes().to_vec();
        bytes.extend(postcard::to_allocvec(&ast).expect("a tree as bytes"));
        bytes
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "whether the trees are to be written anew")]
    fn trees_are_those_of_the_texts() {
        let bless = std::env::var_os("IFS_BLESS").is_some();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model/library");
        for (at, (module, _)) in LIBRARY.iter().enumerate() {
            let (path, packed) = (format!("{folder}/{module}.tree"), packed(at));
            if bless {
                std::fs::write(&path, &packed).expect("a tree is written");
            }
            let known = std::fs::read(&path).expect("the tree of a module");
            assert!(known == packed, "{path}: `IFS_BLESS=1 cargo test library` writes it anew");
        }
    }

    #[test]
    fn a_tree_of_another_text_is_not_taken() {
        for (at, (_, text)) in LIBRARY.iter().enumerate() {
            let mut diagnostics = Diagnostics::default();
            let read = parse(file_id(at), text, &mut diagnostics);
            let taken = tree(at, &mut diagnostics);
            assert_eq!(format!("{:?}", taken.items), format!("{:?}", read.items));
        }
    }
}
