//! The registry of diagnostic codes: each has a page, which `ifs explain` shows.
//!
//! A code is never reused for another mistake. A page says what is wrong and why it matters. Then
//! it shows a scenario with the mistake (compiled in a test, which must yield that code) and a
//! scenario without it.

use std::fmt;

use serde::{Serialize, Serializer};

/// A code such as `ifs::unknown-name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Finds a code by its name, with or without `ifs::`.
    pub fn find(name: &str) -> Option<Code> {
        let name = name.strip_prefix("ifs::").unwrap_or(name);
        CODES.iter().find(|(code, _)| code.0 == name).map(|(code, _)| *code)
    }

    /// The page that explains the code, in Markdown.
    pub fn page(self) -> &'static str {
        CODES.iter().find(|(code, _)| *code == self).map_or("", |(_, page)| page)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ifs::{}", self.0)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

macro_rules! codes {
    ($($constant:ident = $name:literal;)*) => {
        impl Code {
            $(pub const $constant: Code = Code($name);)*
        }

        /// Every code with its page, in alphabetical order.
        pub static CODES: &[(Code, &str)] = &[
            $((Code($name), include_str!(concat!("pages/", $name, ".md"))),)*
        ];
    };
}

codes! {
    BAD_ALLOW = "bad-allow";
    BAD_ARGUMENT = "bad-argument";
    BAD_BANK = "bad-bank";
    BAD_BRANCH = "bad-branch";
    BAD_CONTEXT = "bad-context";
    BAD_DOMAIN = "bad-domain";
    BAD_EDITION = "bad-edition";
    BAD_END = "bad-end";
    BAD_FEED = "bad-feed";
    BAD_IMAGE = "bad-image";
    BAD_JUDGE = "bad-judge";
    BAD_NEEDLE = "bad-needle";
    BAD_NUMBER = "bad-number";
    BAD_PATH = "bad-path";
    BAD_REGEX = "bad-regex";
    BAD_RELATION = "bad-relation";
    BAD_ROW = "bad-row";
    BAD_SCENE = "bad-scene";
    BAD_SCHEMA = "bad-schema";
    BAD_SCOPE = "bad-scope";
    BAD_SPEAKER = "bad-speaker";
    BAD_STRING = "bad-string";
    BAD_TEMPLATE = "bad-template";
    BAD_TYPE = "bad-type";
    BAD_UNIT = "bad-unit";
    BAD_CHANGE = "bad-change";
    BAD_WEIGHT = "bad-weight";
    CLASHING_RECORD = "clashing-record";
    CONTRADICTORY_CONSTRAINTS = "contradictory-constraints";
    CONTRADICTORY_GUARD = "contradictory-guard";
    DAMAGED_FEED = "damaged-feed";
    DANGLING_DOC = "dangling-doc";
    DEPENDENCY_CYCLE = "dependency-cycle";
    DIALOGUE_NAME = "dialogue-name";
    DUPLICATE_NAME = "duplicate-name";
    DUPLICATE_STATEMENT = "duplicate-statement";
    EMPTY_DOMAIN = "empty-domain";
    EMPTY_FEED = "empty-feed";
    EMPTY_FILE = "empty-file";
    ENDLESS_FLOW = "endless-flow";
    FAILED_TEST = "failed-test";
    IMPORT_CYCLE = "import-cycle";
    IMPOSSIBLE_CONSTRAINT = "impossible-constraint";
    LOCK_DRIFT = "lock-drift";
    MISPLACED_STATEMENT = "misplaced-statement";
    MISSING_STATEMENT = "missing-statement";
    NEEDS_JUDGE = "needs-judge";
    NO_EFFECT = "no-effect";
    NO_VALUE = "no-value";
    NOTHING_TO_DRAW = "nothing-to-draw";
    OUTSIDE_ROOT = "outside-root";
    QUOTED_PATTERN = "quoted-pattern";
    REDUNDANT_CONSTRAINT = "redundant-constraint";
    RELATION_TO_LATER = "relation-to-later";
    RESERVED_NAME = "reserved-name";
    SAME_FAMILY = "same-family";
    SHADOWED_IT = "shadowed-it";
    SHADOWED_NAME = "shadowed-name";
    SINGLE_BRACES = "single-braces";
    STALE_VERSION = "stale-version";
    SYNTAX = "syntax";
    TOO_DEEP = "too-deep";
    TOO_LARGE = "too-large";
    TRIVIAL_CONSTRAINT = "trivial-constraint";
    UNCLOSED = "unclosed";
    UNFILLED_TEXT = "unfilled-text";
    UNKNOWN_FIELD = "unknown-field";
    UNKNOWN_FILTER = "unknown-filter";
    UNKNOWN_FUNCTION = "unknown-function";
    UNKNOWN_NAME = "unknown-name";
    UNKNOWN_VALUE = "unknown-value";
    UNKNOWN_VOICE = "unknown-voice";
    UNNEEDED_ALLOW = "unneeded-allow";
    UNNEEDED_MINDS = "unneeded-minds";
    UNPROVEN_TURN = "unproven-turn";
    UNREACHABLE_TURN = "unreachable-turn";
    UNREADABLE_FILE = "unreadable-file";
    UNSAID_PARAMETER = "unsaid-parameter";
    UNSAID_SCOPE = "unsaid-scope";
    UNSHOWN_ANSWER = "unshown-answer";
    UNSTATED_CONSTRAINT = "unstated-constraint";
    UNUSED_NAME = "unused-name";
    WEIGHTS_DO_NOT_ADD_UP = "weights-do-not-add-up";
    WRONG_TYPE = "wrong-type";
}
