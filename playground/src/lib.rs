//! What the page asks for: diagnostics, drawn dialogues with witnesses, and verdicts on responses.
//!
//! Everything goes in and out as JSON, so the page and the tests see the same.

use ifs::diagnostic::{Code, to_json};
use ifs::model::table::DecidedBy;
use ifs::plan::Plan;
use ifs::predicate::print::print;
use ifs::program::find_in;
use ifs::proof::{Proof, Prover};
use ifs::script::{Drawer, MessagePart, ScriptTurn, Seed};
use ifs::source::FileId;
use ifs::syntax::statement::{StatementPlace, keywords_of};
use ifs::{Benchmark, Dialogue, Error, MemoryWorld, Outcome, Verdict};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The most turns that the page draws at a time.
const MAX_TURNS: usize = 100;

/// A scenario, checked as `ifs check` does.
#[wasm_bindgen]
pub struct Scenario {
    problems: Value,
    checked: Option<(Benchmark, Plan)>,
}

#[wasm_bindgen]
impl Scenario {
    /// Checks a scenario. `files` is a JSON object of texts by file name; `main` names the first file.
    #[wasm_bindgen(constructor)]
    pub fn new(files: &str, main: &str) -> Scenario {
        let files: Vec<(String, String)> = match serde_json::from_str(files) {
            Ok(Value::Object(files)) => files
                .into_iter()
                .filter_map(|(name, text)| Some((name, text.as_str()?.to_owned())))
                .collect(),
            _ => Vec::new(),
        };
        let world = MemoryWorld::new(files.iter().map(|(name, text)| (&**name, &**text)));
        let mut found = find_in(&world, main);
        found.draw_first();
        let problems = to_json(&found.diagnostics, &found.sources);
        let plan = found.checked.as_ref().map(|(plan, _)| plan.clone());
        let checked = plan.and_then(|plan| Some((Benchmark::from_checked(found).ok()?, plan)));
        Scenario { problems, checked }
    }

    /// The diagnostics, the names of dialogues and variants, and the definition hash; as JSON.
    pub fn summary(&self) -> String {
        let all = self.checked.iter().flat_map(|(_, plan)| &plan.model.dialogues);
        let dialogues = all.map(|dialogue| {
            let variants: Vec<&str> =
                dialogue.variants.iter().map(|(name, _)| name.as_str()).collect();
            json!({ "name": dialogue.name, "variants": variants })
        });
        let hash = self.checked.as_ref().map(|(benchmark, _)| benchmark.definition_hash());
        json!({
            "problems": self.problems,
            "dialogues": dialogues.collect::<Vec<Value>>(),
            "hash": hash,
        })
        .to_string()
    }

    /// The first `turns` turns of a dialogue, each with a witness where one is found; as JSON.
    pub fn draw(
        &self,
        dialogue: &str,
        variant: &str,
        seed: u64,
        index: u64,
        turns: usize,
    ) -> String {
        let drawn = self.drawn(dialogue, variant, seed, index, turns);
        drawn.unwrap_or_else(|error| json!({ "error": error })).to_string()
    }

    /// The verdicts on a response to the turn with this number, where earlier turns were answered by
    /// their witnesses; as JSON.
    pub fn grade(
        &self,
        dialogue: &str,
        variant: &str,
        seed: u64,
        index: u64,
        turn: u32,
        response: &str,
    ) -> String {
        let graded = self.graded(dialogue, variant, (seed, index), turn, response);
        graded.unwrap_or_else(|error| json!({ "error": error })).to_string()
    }
}

/// The page about a diagnostic's code; empty if there is none.
#[wasm_bindgen]
pub fn explain(code: &str) -> String {
    let name = code.strip_prefix("ifs::").unwrap_or(code);
    Code::find(name).map(|code| code.page().to_owned()).unwrap_or_default()
}

/// A file in the canonical format; the same text where it has a syntax error.
#[wasm_bindgen]
pub fn format(text: &str) -> String {
    let mut diagnostics = ifs::diagnostic::Diagnostics::default();
    let ast = ifs::syntax::parse(FileId(0), text, &mut diagnostics);
    if diagnostics.errors() > 0 { text.to_owned() } else { ifs::syntax::format(&ast, text) }
}

/// The words of all statements and declarations, for colours in the editor; as JSON.
#[wasm_bindgen]
pub fn keywords() -> String {
    let mut all: Vec<&str> = StatementPlace::ALL.into_iter().flat_map(keywords_of).collect();
    all.extend(DECLARATIONS);
    all.sort_unstable();
    all.dedup();
    json!(all).to_string()
}

/// What is written outside of dialogues, and within declarations.
const DECLARATIONS: [&str; 26] = [
    "alias",
    "and",
    "at",
    "benchmark",
    "change",
    "constraint",
    "def",
    "dialogue",
    "else",
    "every",
    "fail",
    "from",
    "group",
    "if",
    "import",
    "in",
    "let",
    "metric",
    "not",
    "or",
    "param",
    "pass",
    "return",
    "some",
    "use",
    "withdraw",
];

impl Scenario {
    fn checked(&self) -> Result<&(Benchmark, Plan), String> {
        self.checked.as_ref().ok_or_else(|| "the scenario has errors".to_owned())
    }

    fn drawn(
        &self,
        dialogue: &str,
        variant: &str,
        seed: u64,
        index: u64,
        turns: usize,
    ) -> Result<Value, String> {
        let (_, plan) = self.checked()?;
        let varied;
        let plan = if variant.is_empty() {
            plan
        } else {
            let missing = || format!("there is no variant `{variant}`");
            varied = plan.clone().varied(dialogue, variant).ok_or_else(missing)?;
            &varied
        };
        let drawer = Drawer::new(plan, dialogue).map_err(|error| Error::from(error).to_string())?;
        let mut prover = Prover::new(plan, dialogue);
        let mut list = Vec::new();
        for turn in drawer.script(Seed(seed), index).take(turns.min(MAX_TURNS)) {
            let turn = turn.map_err(|error| Error::from(error).to_string())?;
            let proof = prover.prove(&turn);
            list.push(turn_to_json(plan, &turn, &proof));
        }
        Ok(json!({ "turns": list }))
    }

    fn graded(
        &self,
        dialogue: &str,
        variant: &str,
        (seed, index): (u64, u64),
        turn: u32,
        response: &str,
    ) -> Result<Value, String> {
        let say = |error: Error| error.to_string();
        let (benchmark, _) = self.checked()?;
        let mut chosen: Dialogue = benchmark.dialogue(dialogue).map_err(say)?;
        if !variant.is_empty() {
            chosen = chosen.variant(variant).map_err(say)?;
        }
        // The turns are those on the page, whatever branch a response would take.
        let before = turn.saturating_sub(1) as usize;
        let drawn = self.drawn(dialogue, variant, seed, index, before)?;
        let responses: Vec<String> = drawn["turns"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|turn| turn["witness"].as_str().unwrap_or_default().to_owned())
            .collect();
        let grade = chosen.draw(seed, index).grade(turn, response, &responses).map_err(say)?;
        let list: Vec<Value> = grade.verdicts.iter().map(verdict_to_json).collect();
        Ok(json!({ "verdicts": list }))
    }
}

fn turn_to_json(plan: &Plan, turn: &ScriptTurn, proof: &Proof) -> Value {
    let constraints = turn.active_constraints.iter().map(|active| {
        let args: Vec<String> =
            active.args.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let constraint = plan.constraint(&active.constraint);
        let judged = constraint.is_some_and(|found| matches!(found.by, DecidedBy::Judge(_)));
        let rule = constraint.and_then(|found| match &found.by {
            DecidedBy::Rule(tree) => Some(print(tree)),
            DecidedBy::Judge(_) => None,
        });
        json!({
            "name": active.standing(),
            "args": args,
            "since": active.since,
            "judged": judged,
            "rule": rule,
        })
    });
    let (witness, missing) = match proof {
        Proof::Witness(text) => (Some(text), None),
        Proof::Nothing => (None, None),
        Proof::Missing(names) => (None, Some(names)),
    };
    let said = turn.message(&turn.ask).into_iter().map(|part| match part {
        MessagePart::Text(text) => text,
        MessagePart::Image(_) => "(a picture)".to_owned(),
    });
    let shown = turn.tools().map(|(tool, text)| json!({ "tool": tool, "text": text }));
    json!({
        "number": turn.turn,
        "name": turn.name,
        "move": turn.transition,
        "topic": turn.topic,
        "system": turn.system,
        "ask": said.collect::<Vec<String>>().join("\n"),
        "shown": shown.collect::<Vec<Value>>(),
        "constraints": constraints.collect::<Vec<Value>>(),
        "witness": witness,
        "missing": missing,
    })
}

fn verdict_to_json(verdict: &Verdict) -> Value {
    let outcome = match verdict.outcome {
        Outcome::Unjudged => "unjudged",
        outcome => outcome.word(),
    };
    json!({ "key": verdict.key, "outcome": outcome, "why": verdict.why })
}
