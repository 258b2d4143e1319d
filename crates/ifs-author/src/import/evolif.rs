//! EvolIF's files: one dialogue per file, with a line of JSON for each turn. `dialog_N.jsonl` has
//! the user messages and the active constraints; `eval_N.jsonl` also has a model's responses and
//! verdicts.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::field::{FieldReader, kind};
use super::judged::recorded_turn;
use super::{Defect, DefectKind, SEED};
use ifs_draw::{Criterion, DrawError, Drawer};
use ifs_judge::VerdictRecord;
use ifs_plan::Plan;
use ifs_run::{Transcript, TranscriptTurn};
use ifs_score::{Ending, Outcome};

/// The scenario for the bank of dialogues.
const SCENARIO: &str = include_str!("../../../../scenarios/evolif/published.ifs");
const BANK_PATH: &str = "banks/published.jsonl";

/// Groups with rules, and groups with a judge.
const RULE_GROUPS: [&str; 9] = [
    "startwith",
    "endwith",
    "format",
    "countableItems",
    "length",
    "existence",
    "forbidden",
    "case",
    "punctuation",
];
const JUDGED_GROUPS: [&str; 3] = ["emotion", "reader_age", "style"];

/// The marker in a check that the log's verdict counts.
const RECORDED_MARKER: &str = "judged";

/// A dialogue, as a record of the scenario's bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedDialogue {
    pub name: String,
    pub turns: Vec<PublishedTurn>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTurn {
    pub ask: String,
    pub checks: Vec<PublishedConstraint>,
}

/// An active constraint with its arguments; those that its group does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedConstraint {
    pub id: String,
    pub mode: String,
    pub value: String,
    pub left: String,
    pub right: String,
    pub relation: String,
    pub number: i64,
    pub wants: Vec<RequiredWord>,
    pub terms: Vec<String>,
    /// The judge's question, or the user message.
    pub about: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredWord {
    pub value: String,
    pub times: i64,
}

/// The additional fields of a turn in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedTurn {
    pub response: Option<String>,
    /// Whether each constraint held, by its id, and why not.
    pub held: BTreeMap<String, (bool, Option<String>)>,
    /// The user's remaining patience.
    pub patience: Option<u32>,
}

/// Dialogues, the logs of each of their turns, and the defects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logs {
    pub dialogues: Vec<PublishedDialogue>,
    pub recorded: Vec<Vec<LoggedTurn>>,
    pub defects: Vec<Defect>,
}

impl Logs {
    /// Reads another file; its name is the dialogue's.
    pub fn parse_constraint(&mut self, name: &str, text: &str) {
        let mut dialogue = PublishedDialogue { name: name.to_owned(), turns: Vec::new() };
        let mut recorded = Vec::new();
        for (number, line) in (1..).zip(text.lines().filter(|line| !line.trim().is_empty())) {
            let turn = Some(format!("turn {number}"));
            let mut reader = FieldReader { record: name, turn, defects: &mut self.defects };
            match serde_json::from_str::<Value>(line) {
                Ok(line) => {
                    let mut checks = checks(&line, &mut reader);
                    let said = read_logged_turn(&line, &mut reader);
                    // A log may have verdicts on constraints that it does not list.
                    for id in said.held.keys() {
                        if checks.iter().all(|check| check.id != *id) {
                            let (id, mode, about) =
                                (id.clone(), RECORDED_MARKER.to_owned(), id.clone());
                            checks.push(PublishedConstraint {
                                id,
                                mode,
                                about,
                                ..PublishedConstraint::default()
                            });
                        }
                    }
                    dialogue.turns.push(PublishedTurn { ask: asked(&line, &mut reader), checks });
                    recorded.push(said);
                }
                Err(error) => reader.note(DefectKind::Unusable, format!("not JSON: {error}")),
            }
        }
        if dialogue.turns.is_empty() {
            let mut reader = FieldReader { record: name, turn: None, defects: &mut self.defects };
            reader.note(DefectKind::Unusable, "it has no turns");
            return;
        }
        self.dialogues.push(dialogue);
        self.recorded.push(recorded);
    }

    /// The files of a release, by their names in its folder.
    pub fn files(&self) -> BTreeMap<&'static str, String> {
        let mut bank = String::new();
        for dialogue in &self.dialogues {
            // Serializing texts, numbers and lists to memory cannot fail.
            bank.push_str(&serde_json::to_string(dialogue).unwrap_or_default());
            bank.push('\n');
        }
        let count = match self.dialogues.len() {
            1 => "1 dialogue of".to_owned(),
            count => format!("{count} dialogues of"),
        };
        let scenario = SCENARIO.replace("2 dialogues of", &count);
        BTreeMap::from([(BANK_PATH, bank), (super::MAIN, scenario)])
    }

    /// The logs as runs of the release: verdicts of rules are recomputed when it is scored, all
    /// others are those of the logs.
    ///
    /// # Errors
    /// Returns an error if the plan does not draw the dialogues.
    pub fn transcripts(&self, plan: &Plan, dialogue: &str) -> Result<Vec<Transcript>, DrawError> {
        let drawer = Drawer::new(plan, dialogue)?;
        let one =
            |(index, (published, recorded)): (u64, (&PublishedDialogue, &Vec<LoggedTurn>))| {
                let turns = drawer.script(SEED, index).zip(published.turns.iter().zip(recorded));
                let turns = turns.map(|(script, (turn, recorded))| {
                    let script = script?;
                    let mut left: VecDeque<&PublishedConstraint> =
                        turn.checks.iter().filter(|check| is_recorded(check)).collect();
                    let verdicts = script.criteria.iter().map(|criterion| {
                        let id = match RULE_GROUPS
                            .iter()
                            .chain(&JUDGED_GROUPS)
                            .find(|id| criterion.name == **id)
                        {
                            Some(id) => id,
                            None => left.pop_front().map_or("", |check| check.id.as_str()),
                        };
                        verdict(criterion, recorded.held.get(id))
                    });
                    let verdicts = verdicts.collect();
                    let patience = recorded.patience;
                    let turn = recorded_turn(script, recorded.response.as_ref(), verdicts);
                    Ok(TranscriptTurn { patience, ..turn })
                });
                let spent = recorded.last().is_some_and(|last| last.patience == Some(0));
                Ok(Transcript {
                    dialogue: dialogue.to_owned(),
                    index,
                    seed: SEED.0,
                    turns: turns.collect::<Result<_, DrawError>>()?,
                    ending: if spent { Ending::Patience } else { Ending::Script },
                })
            };
        (0..).zip(self.dialogues.iter().zip(&self.recorded)).map(one).collect()
    }
}

fn is_recorded(check: &PublishedConstraint) -> bool {
    check.mode == RECORDED_MARKER && !JUDGED_GROUPS.contains(&check.id.as_str())
}

fn verdict(criterion: &Criterion, held: Option<&(bool, Option<String>)>) -> VerdictRecord {
    let (outcome, why) = match held {
        Some((true, _)) => (Outcome::Held, None),
        Some((false, why)) => (Outcome::Missed, why.clone()),
        None => (Outcome::Unjudged, Some("the log says nothing of it".to_owned())),
    };
    super::judged::as_recorded(criterion, outcome, why)
}

/// The user message: the checked one, or the written one if no check passed.
fn asked(line: &Value, reader: &mut FieldReader<'_>) -> String {
    let text = |field: &str| line.get(field).and_then(Value::as_str).filter(|it| !it.is_empty());
    if let Some(ask) = text("user_query_verified") {
        return ask.to_owned();
    }
    match text("user_query") {
        Some(ask) => {
            reader.note(DefectKind::NotJudged, "`user_query_verified` is empty: no check passed");
            ask.to_owned()
        }
        None => reader.text(line, "user_query_verified"),
    }
}

fn checks(line: &Value, reader: &mut FieldReader<'_>) -> Vec<PublishedConstraint> {
    let mut checks = Vec::new();
    for instruction in reader.list(line, "instructions") {
        let id = reader.text(instruction, "id");
        if !RULE_GROUPS.iter().chain(&JUDGED_GROUPS).any(|known| *known == id) {
            reader.note(DefectKind::UnknownType, format!("`{id}` is not a group of EvolIF"));
            continue;
        }
        let described = instruction.get("description").and_then(Value::as_str).unwrap_or_default();
        let about = if described.is_empty() { &id } else { described };
        let args = instruction.get("args").unwrap_or(&Value::Null);
        let check = read(&id, args).unwrap_or_else(|| {
            if RULE_GROUPS.contains(&id.as_str()) {
                reader.note(
                    DefectKind::MissingField,
                    format!("`args` of `{id}` are {}, which no rule can read", shown(args)),
                );
            }
            PublishedConstraint {
                mode: RECORDED_MARKER.to_owned(),
                ..PublishedConstraint::default()
            }
        });
        checks.push(PublishedConstraint {
            about: if check.about.is_empty() { about.to_owned() } else { check.about },
            id,
            ..check
        });
    }
    checks
}

fn shown(args: &Value) -> String {
    match args {
        Value::Object(fields) if fields.is_empty() => "empty".to_owned(),
        Value::Array(members) if members.is_empty() => "empty".to_owned(),
        other => kind(other).to_owned(),
    }
}

/// The arguments of a constraint, if its group has them.
fn read(id: &str, args: &Value) -> Option<PublishedConstraint> {
    let none = Map::new();
    let fields = args.as_object().unwrap_or(&none);
    let text = |field: &str| Some(fields.get(field)?.as_str()?.to_owned());
    let int = |field: &str| fields.get(field)?.as_i64();
    let mode = |known: &[&str]| text("mode").filter(|mode| known.contains(&mode.as_str()));
    let judged = |about: String| {
        Some(PublishedConstraint {
            mode: RECORDED_MARKER.to_owned(),
            about,
            ..PublishedConstraint::default()
        })
    };
    Some(match id {
        "startwith" | "endwith" => match mode(&["letter", "emoji", "keyword", "quotation"])? {
            mode if mode == "quotation" => PublishedConstraint {
                mode,
                left: text("left")?,
                right: text("right")?,
                ..PublishedConstraint::default()
            },
            mode => PublishedConstraint {
                mode,
                value: text("value")?,
                ..PublishedConstraint::default()
            },
        },
        "format" => PublishedConstraint {
            mode: mode(&["json", "html", "xml", "csv", "markdown"])?,
            ..PublishedConstraint::default()
        },
        "countableItems" => PublishedConstraint {
            mode: "counted".to_owned(),
            number: int("num")?,
            ..PublishedConstraint::default()
        },
        "length" => PublishedConstraint {
            mode: mode(&["word", "paragraph", "characters", "sentence"])?,
            relation: text("relation")
                .filter(|it| ["less_than", "more_than", "exactly"].contains(&it.as_str()))?,
            number: int("number")?,
            ..PublishedConstraint::default()
        },
        "existence" if !fields.is_empty() => {
            let want = |(value, times): (&String, &Value)| {
                Some(RequiredWord { value: value.clone(), times: times.as_i64()? })
            };
            let wants = fields.iter().map(want).collect::<Option<_>>()?;
            PublishedConstraint {
                mode: "counted".to_owned(),
                wants,
                ..PublishedConstraint::default()
            }
        }
        "forbidden" => {
            let terms = args.as_array().filter(|terms| !terms.is_empty())?;
            let terms = terms.iter().map(|term| term.as_str().map(str::to_owned));
            let terms = terms.collect::<Option<_>>()?;
            PublishedConstraint {
                mode: "listed".to_owned(),
                terms,
                ..PublishedConstraint::default()
            }
        }
        "case" => match mode(&["all_upper", "all_lower", "min_upper"])? {
            mode if mode == "min_upper" => {
                PublishedConstraint { mode, number: int("min")?, ..PublishedConstraint::default() }
            }
            mode => PublishedConstraint { mode, ..PublishedConstraint::default() },
        },
        "punctuation" => PublishedConstraint {
            mode: mode(&["must_include", "must_not_include"])?,
            value: text("value")?,
            ..PublishedConstraint::default()
        },
        "emotion" => {
            let mood = text("emotion")?;
            return judged(format!("How clearly does the response sound {mood}?"));
        }
        "reader_age" => {
            let reader = match text("reader_age")?.as_str() {
                "child" => "a child (under 14)".to_owned(),
                "youth" => "a young person (15 to 24)".to_owned(),
                "adult" => "an adult (25 to 64)".to_owned(),
                "senior" => "a senior (65 or older)".to_owned(),
                other => other.to_owned(),
            };
            return judged(format!("How well does the response suit {reader} as its reader?"));
        }
        "style" => {
            let manner = match text("style")?.as_str() {
                "formal" => "formal language".to_owned(),
                "informal" => "informal language".to_owned(),
                other => format!("the {other}"),
            };
            return judged(format!("How consistently is the response written in {manner}?"));
        }
        _ => return None,
    })
}

/// The log of a turn; `None` in a file of dialogues.
fn read_logged_turn(line: &Value, reader: &mut FieldReader<'_>) -> LoggedTurn {
    let response = line.get("response").and_then(Value::as_str).map(str::to_owned);
    let mut held = BTreeMap::new();
    let eval = line.get("eval").unwrap_or(&Value::Null);
    if let Some(details) = eval.get("details").and_then(Value::as_object) {
        for (id, value) in details {
            let rationale = || {
                let of = eval.get("sub_details")?.get(id)?;
                let why = of.as_array().and_then(|pair| pair.get(1)).unwrap_or(of);
                Some(why.as_str()?.to_owned())
            };
            // Logs write true both as `true` and as `1`.
            let truth = value.as_bool().or_else(|| Some(value.as_f64()? != 0.0));
            match truth {
                Some(truth) => _ = held.insert(id.clone(), (truth, rationale())),
                None => reader.note(
                    DefectKind::OddJudgement,
                    format!("`details` has {} for `{id}`", kind(value)),
                ),
            }
        }
    } else if response.is_some() {
        reader.note(DefectKind::NotJudged, "it has a response and no `details` in `eval`");
    }
    let patience = line.get("remaining_patience").and_then(Value::as_u64);
    LoggedTurn { response, held, patience: patience.and_then(|left| u32::try_from(left).ok()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, args: &str) -> Option<PublishedConstraint> {
        read(id, &serde_json::from_str(args).unwrap())
    }

    #[test]
    fn arguments_of_every_group() {
        let mode = |id, args| check(id, args).map(|check| check.mode);
        for (id, args, wanted) in [
            ("startwith", r#"{"mode": "letter", "value": "K"}"#, "letter"),
            ("endwith", r#"{"mode": "quotation", "left": "(", "right": ")"}"#, "quotation"),
            ("format", r#"{"mode": "json"}"#, "json"),
            ("countableItems", r#"{"num": 5}"#, "counted"),
            ("length", r#"{"mode": "word", "relation": "exactly", "number": 300}"#, "word"),
            ("existence", r#"{"tide": 2}"#, "counted"),
            ("forbidden", r#"["tide", "moon"]"#, "listed"),
            ("case", r#"{"mode": "min_upper", "min": 40}"#, "min_upper"),
            ("punctuation", r#"{"mode": "must_include", "value": "§"}"#, "must_include"),
            ("emotion", r#"{"emotion": "sad"}"#, RECORDED_MARKER),
            ("reader_age", r#"{"reader_age": "child"}"#, RECORDED_MARKER),
            ("style", r#"{"style": "active voice"}"#, RECORDED_MARKER),
        ] {
            assert_eq!(mode(id, args).as_deref(), Some(wanted), "{id}");
            assert_eq!(mode(id, "{}"), None, "{id} without arguments");
        }
        assert_eq!(check("length", r#"{"mode": "word", "relation": "about", "number": 3}"#), None);
        let about = check("style", r#"{"style": "formal"}"#).unwrap().about;
        assert_eq!(about, "How consistently is the response written in formal language?");
    }
}
