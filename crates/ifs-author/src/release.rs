//! Releases of dialogues with fixed messages: a scenario and its bank.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The scenario for the bank of dialogues, and the files that it reads.
const SCENARIO: &str = include_str!("../../../scenarios/structflowbench/published.ifs");
const CHECKLIST_TEMPLATE: &str =
    include_str!("../../../scenarios/structflowbench/judge/checklist.j2");
const QUALITY_SCENARIO: &str = include_str!("../../../scenarios/structflowbench/quality.ifs");
const BANK_PATH: &str = "banks/published.jsonl";

/// The most dialogues in the study of quality, as in the paper.
const MAX_QUALITY_DIALOGUES: usize = 50;

/// A dialogue, as a record of the scenario's bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedDialogue {
    pub name: String,
    pub task: String,
    /// The description of the task.
    pub about: String,
    pub topic: String,
    pub user: String,
    /// The user's goal.
    pub purpose: String,
    pub turns: Vec<ReleaseTurn>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTurn {
    pub name: String,
    /// A summary of the user message.
    pub plan: String,
    /// How the message fits the relations of the turn.
    #[serde(default)]
    pub explanation: String,
    pub ask: String,
    pub answer: String,
    pub relations: Vec<ReleaseRelation>,
    pub checks: Vec<ReleaseQuestion>,
}

/// The relation of a turn to an earlier one, which is given by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseRelation {
    pub kind: String,
    pub to: Vec<String>,
}

/// A question to a judge, with its type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseQuestion {
    pub kind: String,
    pub question: String,
    /// The explanation of its type.
    #[serde(default)]
    pub explanation: String,
}

/// The files of a release, by their names in its folder.
pub fn files(talks: &[ReleasedDialogue]) -> BTreeMap<&'static str, String> {
    let mut bank = String::new();
    for talk in talks {
        // Serializing texts and lists to memory cannot fail.
        bank.push_str(&serde_json::to_string(talk).unwrap_or_default());
        bank.push('\n');
    }
    let count = match talks.len() {
        1 => "1 dialogue of".to_owned(),
        count => format!("{count} dialogues of"),
    };
    BTreeMap::from([
        (BANK_PATH, bank),
        ("judge/checklist.j2", CHECKLIST_TEMPLATE.to_owned()),
        (
            "quality.ifs",
            QUALITY_SCENARIO.replace("banks/quality.jsonl", BANK_PATH).replace(
                "50 dialogues of",
                &match talks.len().min(MAX_QUALITY_DIALOGUES) {
                    1 => "1 dialogue of".to_owned(),
                    count => format!("{count} dialogues of"),
                },
            ),
        ),
        (MAIN_FILE, SCENARIO.replace("2 dialogues of", &count)),
    ])
}

/// The scenario's file.
pub const MAIN_FILE: &str = "published.ifs";

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_base::world::MemoryWorld;
    use ifs_model::check;

    #[test]
    fn releases_compile() {
        let turn = ReleaseTurn {
            ask: "Why?".to_owned(),
            checks: vec![ReleaseQuestion {
                kind: "style".to_owned(),
                question: "Plain?".to_owned(),
                ..ReleaseQuestion::default()
            }],
            ..ReleaseTurn::default()
        };
        let talk = ReleasedDialogue {
            name: "d001".to_owned(),
            turns: vec![turn],
            ..ReleasedDialogue::default()
        };
        let files = files(&[talk]);
        let world = MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_str())));
        let checked = check(&world, MAIN_FILE);
        assert_eq!(checked.diagnostics.errors(), 0);
        let model = checked.model.unwrap();
        assert_eq!(model.releases[0].counts, [(1, "published".to_owned())]);
        assert_eq!(model.banks[0].keys, ["d001"]);
    }
}
