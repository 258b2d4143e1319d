//! Whether two runs had the same messages, and what differs if not.

use schemars::JsonSchema;
use serde::Serialize;

use super::exit::CommandError;
use super::load::counted;
use ifs_draw::{ScriptTurn, ShownContent};
use ifs_model::table::Context;
use ifs_plan::Plan;
use ifs_plan::canonical::short;
use ifs_run::{Folder, RunManifest, Transcript};
use ifs_score::compare::{ComparedRun, DifferenceKind, TurnDifference, differences};

/// The differences between two runs.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct RunDifferences {
    pub one: String,
    pub other: String,
    /// Differences of the runs: their definitions, variants, banks and settings.
    pub settings: Vec<Setting>,
    /// Dialogues that both runs have.
    pub dialogues: usize,
    /// The first turn that differs, for each dialogue that does.
    pub turns: Vec<TurnDifference>,
    /// The messages of the first of these turns in each run.
    pub first: Option<(String, String)>,
}

/// A setting that differs in two runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Setting {
    pub what: &'static str,
    pub one: String,
    pub other: String,
}

/// A run with the data for comparing its messages.
pub(crate) struct MessagesOfRun<'a> {
    pub folder: &'a Folder,
    pub manifest: &'a RunManifest,
    pub plan: &'a Plan,
    pub side: &'a ComparedRun,
}

/// The differences; empty if both runs had the same messages.
pub(crate) fn find_differences(
    one: &MessagesOfRun<'_>,
    other: &MessagesOfRun<'_>,
) -> Result<Option<RunDifferences>, CommandError> {
    let settings = settings(one, other);
    let (turns, dialogues) = differences(one.side, other.side);
    if settings.is_empty() && turns.is_empty() {
        return Ok(None);
    }
    let first = match turns.iter().find(|turn| turn.what == DifferenceKind::Messages) {
        None => None,
        Some(at) => {
            let words = |side: &MessagesOfRun<'_>| recorded_messages(side, at);
            let (mine, theirs) = (words(one)?, words(other)?);
            Some(match mine == theirs {
                true => (kept_history(one, at), kept_history(other, at)),
                false => difference_excerpts(&mine, &theirs),
            })
        }
    };
    let name = |side: &MessagesOfRun<'_>| side.folder.path().display().to_string();
    Ok(Some(RunDifferences {
        one: name(one),
        other: name(other),
        settings,
        dialogues,
        turns,
        first,
    }))
}

fn settings(one: &MessagesOfRun<'_>, other: &MessagesOfRun<'_>) -> Vec<Setting> {
    let (mine, theirs) = (one.manifest, other.manifest);
    let some = |text: &Option<String>| match text {
        Some(text) => format!("`{text}`"),
        None => "none".to_owned(),
    };
    let version = |manifest: &RunManifest| {
        format!("{} {}", manifest.benchmark, manifest.benchmark_version).trim().to_owned()
    };
    type Describe<'a> = &'a dyn Fn(&RunManifest) -> String;
    let of: [(&'static str, Describe<'_>); 8] = [
        ("benchmark", &version),
        ("dialogue", &|it| it.dialogue.clone()),
        ("variant", &|it| some(&it.variant)),
        ("definition", &|it| short(&it.plan_hash, 12).to_owned()),
        ("seed", &|it| it.seed.to_string()),
        ("set", &|it| it.set.as_ref().map_or("none".to_owned(), |set| set.root.clone())),
        ("system message (`--system`)", &|it| some(&it.parameters.system)),
        ("utterance set", &|it| some(&it.utterances)),
    ];
    let mut found: Vec<Setting> = of
        .into_iter()
        .map(|(what, of)| Setting { what, one: of(mine), other: of(theirs) })
        .filter(|setting| setting.one != setting.other)
        .collect();
    if mine.plan_hash != theirs.plan_hash {
        found.extend(banks(one.plan, other.plan));
    }
    found
}

/// The banks that differ, by name.
fn banks(one: &Plan, other: &Plan) -> Vec<Setting> {
    let names = one.model.banks.iter().chain(&other.model.banks).map(|bank| &bank.name);
    let names: std::collections::BTreeSet<&String> = names.collect();
    let reported = |plan: &Plan, name: &str| match plan.bank(name) {
        None => format!("has no `{name}`"),
        Some(bank) => format!("`{name}` with {}", counted(bank.records.len(), "record")),
    };
    let differs = |name: &&String| match (one.bank(name), other.bank(name)) {
        (Some(mine), Some(theirs)) => {
            (&mine.keys, &mine.records) != (&theirs.keys, &theirs.records)
        }
        _ => true,
    };
    let setting = |name: &String| Setting {
        what: "bank",
        one: reported(one, name),
        other: format!("{}, not the same", reported(other, name)),
    };
    names.into_iter().filter(differs).map(setting).collect()
}

/// The recorded messages of a turn.
fn recorded_messages(
    asking: &MessagesOfRun<'_>,
    at: &TurnDifference,
) -> Result<String, CommandError> {
    let mut found = String::new();
    asking.folder.each_transcript(asking.manifest, |transcript: Transcript| {
        if transcript.dialogue != at.dialogue || transcript.index != at.index {
            return;
        }
        let turn = transcript.turns.iter().find(|turn| turn.script.turn == at.turn);
        found = turn.map(|turn| messages(&turn.script)).unwrap_or_default();
    })?;
    Ok(found)
}

/// The text that replaces the response to a turn in later turns.
fn kept_history(asking: &MessagesOfRun<'_>, at: &TurnDifference) -> String {
    let dialogue = asking.plan.dialogue(&at.dialogue);
    let golden = dialogue.is_some_and(|dialogue| dialogue.table.context == Context::Golden);
    let what = if golden { "the golden answer" } else { "the model's own response" };
    format!("the same messages; then the history has {what}")
}

fn messages(turn: &ScriptTurn) -> String {
    let shown = turn.show.iter().map(|shown| match shown {
        ShownContent::Text(text) => text.clone(),
        ShownContent::Image(image) => format!("[{}]", image.label()),
        ShownContent::Tool { name, text } => format!("tool {name}: {text}"),
    });
    let system = turn.system.iter().map(|system| format!("system: {system}"));
    let said = [turn.ask.clone()].into_iter().chain(turn.reminder.clone());
    let given = turn.given.iter().map(|given| format!("reply: {given}"));
    let golden = turn.golden.iter().map(|golden| format!("answer: {golden}"));
    let all: Vec<String> = system.chain(shown).chain(said).chain(given).chain(golden).collect();
    all.join(" ⏎ ")
}

/// Two texts, from shortly before their first difference.
fn difference_excerpts(one: &str, other: &str) -> (String, String) {
    const CONTEXT_CHARACTERS: usize = 24;
    const MAX_EXCERPT_CHARACTERS: usize = 60;
    let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<char>>());
    let same = one.iter().zip(&other).take_while(|(mine, theirs)| mine == theirs).count();
    let from = same.saturating_sub(CONTEXT_CHARACTERS);
    let cut = |text: &[char]| {
        let piece: String = text.iter().skip(from).take(MAX_EXCERPT_CHARACTERS).collect();
        let before = if from > 0 { "…" } else { "" };
        let after = if text.len() > from + MAX_EXCERPT_CHARACTERS { "…" } else { "" };
        let shown = format!("{before}{piece}{after}");
        shown.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
    };
    (cut(&one), cut(&other))
}

impl RunDifferences {
    /// What is different, in words.
    pub fn what(&self) -> &'static str {
        let differs = |what: DifferenceKind| self.turns.iter().any(|turn| turn.what == what);
        match () {
            () if differs(DifferenceKind::Messages) => "sent different messages",
            () if differs(DifferenceKind::Judged) => {
                "sent the same messages and judge them differently"
            }
            () if self.dialogues == 0 => "have no dialogue in common",
            () => "sent the same messages under different settings",
        }
    }

    /// The differences, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .settings
            .iter()
            .map(|Setting { what, one, other }| format!("{what}: {one} | {other}"))
            .collect();
        for (what, word) in
            [(DifferenceKind::Messages, "messages"), (DifferenceKind::Judged, "what is judged")]
        {
            let of = |turn: &&TurnDifference| turn.what == what;
            let Some(first) = self.turns.iter().find(of) else { continue };
            let (number, all) = (self.turns.iter().filter(of).count(), self.dialogues);
            let rest: Vec<String> = self
                .turns
                .iter()
                .filter(of)
                .take(MAX_LISTED_DIALOGUES)
                .map(|it| it.index.to_string())
                .collect();
            let more = if number > MAX_LISTED_DIALOGUES { ", …" } else { "" };
            let (name, index, turn) = (&first.dialogue, first.index, first.turn);
            lines.push(format!(
                "{word}: differ in {number} of the {} that both have (number {}{more}), first in \
                 `{name}` {index}, turn {turn}",
                counted(all, "dialogue"),
                rest.join(", ")
            ));
            if let (DifferenceKind::Messages, Some((mine, theirs))) = (what, &self.first) {
                lines.push(format!("  {mine}"));
                lines.push(format!("  {theirs}"));
            }
        }
        if self.turns.is_empty() && self.dialogues > 0 {
            let all = counted(self.dialogues, "dialogue");
            lines.push(format!("the messages of the {all} that both have are equal"));
        }
        lines
    }
}

/// The maximum number of dialogues that are listed.
const MAX_LISTED_DIALOGUES: usize = 8;

#[cfg(test)]
mod tests {
    use super::difference_excerpts;

    #[test]
    fn differing_texts_show_the_difference() {
        let (one, other) = difference_excerpts(
            &format!("{}cats", "a".repeat(50)),
            &format!("{}dogs", "a".repeat(50)),
        );
        assert_eq!(one, format!("…{}cats", "a".repeat(24)));
        assert_eq!(other, format!("…{}dogs", "a".repeat(24)));
        assert_eq!(difference_excerpts("a\u{1b}", "a"), ("a ".to_owned(), "a".to_owned()));
    }
}
