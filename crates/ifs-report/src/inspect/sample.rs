//! A dialogue as a sample of the log: its messages, its scores, and an event for each request and
//! for the verdicts on each response.

use serde_json::{Map, Value, json};

use super::super::chat::{ChatAnswer, ChatView, TurnView, reasons};
use super::super::words::{ending, verdict_mark};
use super::{LEFT_OUT, LoggedRun, metric_names, usage};
use ifs_draw::{MessagePart, ScriptTurn, ShownContent, ShownImage};
use ifs_inference::provider::{StopReason, Usage};
use ifs_judge::VerdictRecord;
use ifs_run::system_message;
use ifs_score::{DialogueSource, Ending, NoText, OutcomeTally, Scorecard, TurnOutcome};

/// The picture of an image as a `data:` URL; `None` if it is not part of the log.
pub type PictureData<'p> = &'p mut dyn FnMut(&ShownImage) -> Option<String>;

/// A sample, and its line in the list of samples.
pub(super) struct InspectSample {
    pub(super) full: Value,
    pub(super) summary: Value,
    pub(super) usage: Usage,
}

/// The messages of each request, and the events.
struct SampleWriter<'a, 'p> {
    run: &'a LoggedRun<'a>,
    chat: &'a ChatView<'a>,
    picture: PictureData<'p>,
    /// The first request, and the last one with its response: positions in `pool`.
    first: Option<Vec<usize>>,
    last: Vec<usize>,
    /// The last response.
    response: Option<Value>,
    /// Every message of a request, once.
    pool: Vec<Value>,
    /// The positions in `pool` of the messages before the next request.
    history: Vec<usize>,
    events: Vec<Value>,
    /// Milliseconds since the sample began, by the latencies that are known.
    elapsed: u64,
    usage: Usage,
}

pub(super) fn sample(
    run: &LoggedRun<'_>,
    chat: &ChatView<'_>,
    card: &Scorecard,
    picture: PictureData<'_>,
) -> InspectSample {
    let mut writer = SampleWriter {
        run,
        chat,
        picture,
        first: None,
        last: Vec::new(),
        response: None,
        pool: Vec::new(),
        history: Vec::new(),
        events: Vec::new(),
        elapsed: 0,
        usage: Usage::default(),
    };
    let system = chat.turns.first().and_then(|turn| turn.script.system.as_deref());
    if let Some(system) = system_message(run.manifest.parameters.system.as_deref(), system) {
        let shown = if chat.prompts { &*system } else { LEFT_OUT };
        let system = writer.stored_as("system", "system", json!(shown));
        writer.history.push(system);
    }
    chat.turns.iter().for_each(|turn| writer.turn(turn));
    let scores = scores(run, card);
    let SampleWriter { first, last, response, pool, mut events, elapsed, usage: tokens, .. } =
        writer;
    events.push(end(run, elapsed, &scores));
    let of_pool = |at: &[usize]| at.iter().map(|at| pool[*at].clone()).collect::<Vec<Value>>();
    let messages = of_pool(&last);
    let input = match first {
        None => vec![json!({ "role": "user", "content": "no request was answered" })],
        Some(first) => of_pool(&first),
    };
    let golden: Vec<&str> = match chat.prompts {
        true => chat.turns.iter().filter_map(|turn| turn.script.golden.as_deref()).collect(),
        false => Vec::new(),
    };
    let ended = chat.ending;
    let error = ended.and_then(|ending| match ending {
        Ending::Failed(why) | Ending::PermanentFailure(why) => Some(why.clone()),
        Ending::Interrupted => Some("the run was interrupted".to_owned()),
        Ending::Patience
        | Ending::Condition(_)
        | Ending::Script
        | Ending::MaxTurns
        | Ending::ContextLength
        | Ending::Unrecorded => None,
    });
    let limit = ended.and_then(|ending| limit(run, chat, ending));
    let output = response.map(|last| output(run, last, None, &Usage::default(), None));
    let turns = chat.turns.len();
    let metadata = metadata(chat, ended);
    let seconds = (elapsed > 0).then_some(elapsed as f64 / 1000.0);
    let model_usage = match tokens.is_unknown() {
        true => json!({}),
        false => json!({ &run.manifest.model: usage(&tokens) }),
    };
    let target = match golden.as_slice() {
        [] => json!(""),
        golden => json!(golden),
    };
    let uuid = format!("{}-{}", run.id, chat.index);
    let begun = run.time(0);
    let summary = json!({
        "id": chat.index, "epoch": 1, "input": brief(&input), "target": target,
        "metadata": metadata, "scores": scores, "model_usage": model_usage, "role_usage": {},
        "started_at": begun, "total_time": seconds, "working_time": seconds, "uuid": uuid,
        "error": error, "limit": limit.as_ref().map(|limit| &limit["type"]),
        "limit_reason": limit.as_ref().map(|limit| &limit["reason"]),
        "retries": 0, "completed": true, "message_count": messages.len(), "turn_count": turns,
    });
    let error = error.map(|why| json!({ "message": why, "traceback": "", "traceback_ansi": "" }));
    let full = json!({
        "id": chat.index, "epoch": 1, "input": input, "target": target, "messages": messages,
        "output": output.unwrap_or_else(|| json!({ "model": run.manifest.model })),
        "scores": scores, "metadata": metadata, "store": {}, "events": events,
        "model_usage": model_usage, "role_usage": {}, "started_at": begun,
        "total_time": seconds, "working_time": seconds, "uuid": uuid, "error": error,
        "error_retries": [], "attachments": {}, "limit": limit, "turn_count": turns,
        "events_data": { "messages": pool, "calls": [] },
    });
    InspectSample { full, summary, usage: tokens }
}

/// The declared tools, none of which may be called.
fn tools(script: &ScriptTurn) -> Vec<Value> {
    let mut names: Vec<&str> =
        script.show.iter().filter_map(ShownContent::of_tool).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let tool = |name: &&str| {
        json!({
            "name": name, "description": "",
            "parameters": { "type": "object", "properties": {}, "required": [] },
        })
    };
    names.iter().map(tool).collect()
}

/// The texts of the input without pictures, for the list of samples.
fn brief(input: &[Value]) -> Vec<Value> {
    let without = |one: &Value| {
        let mut one = one.clone();
        if let Some(parts) = one["content"].as_array() {
            let texts = parts.iter().filter(|part| part["type"] == "text");
            one["content"] = texts.cloned().collect();
        }
        one
    };
    input.iter().map(without).collect()
}

impl SampleWriter<'_, '_> {
    /// A message. Ids are unique among all logs: a data frame has a row for each.
    fn message(&self, role: &str, place: &str, content: Value) -> Value {
        let source = if role == "assistant" { "generate" } else { "input" };
        let id = format!("{}-{}-{place}", self.run.id, self.chat.index);
        json!({ "id": id, "role": role, "source": source, "content": content })
    }

    fn stored_as(&mut self, role: &str, place: &str, content: Value) -> usize {
        let message = self.message(role, place, content);
        self.stored(message)
    }

    /// Stores a message for requests, and returns its position.
    fn stored(&mut self, message: Value) -> usize {
        self.pool.push(message);
        self.pool.len() - 1
    }

    fn turn(&mut self, turn: &TurnView<'_>) {
        let script = turn.script;
        let span = format!("turn-{}", script.turn);
        let name = std::iter::once(format!("turn {}", script.turn)).chain(turn.facts());
        let name = name.collect::<Vec<_>>().join(" · ");
        self.event("span_begin", &span, json!({ "id": span, "type": "turn", "name": name }));
        let before = self.history.clone();
        let id = format!("{span}-user");
        let asked = self.user(turn, &id, true);
        // A reminder is part of one request only.
        let later = match script.reminder {
            Some(_) => self.user(turn, &format!("{id}-later"), false),
            None => asked,
        };
        let shown = self.tool_messages(script, &span);
        let asked = [&[asked], &shown[..]].concat();
        let mut conversation = [&before[..], &[later], &shown[..]].concat();
        let mut reply: Option<usize> = None;
        for answer in &turn.answers {
            let place = match (answer.round, answer.sample) {
                (0, 0) => span.clone(),
                (0, sample) => format!("{span}-sample-{}", sample + 1),
                (round, _) => format!("{span}-round-{round}"),
            };
            let request = match answer.feedback {
                None => [&before[..], &asked[..]].concat(),
                Some(feedback) => {
                    let said = if self.chat.prompts { feedback } else { LEFT_OUT };
                    let said = self.stored_as("user", &format!("{place}-user"), json!(said));
                    match reply.take().filter(|_| !self.run.fresh_rounds) {
                        // The message has the question and the response.
                        None => [&before[..], &[said], &shown[..]].concat(),
                        Some(given) => {
                            conversation.extend([given, said]);
                            conversation.clone()
                        }
                    }
                }
            };
            let given = self.reply_message(answer, &format!("{place}-assistant"));
            self.push_answer(turn, answer, (&span, &request), given.clone());
            if answer.sample == 0 {
                let given_at = self.stored(given.clone());
                self.response = Some(given);
                self.last = [&request[..], &[given_at]].concat();
                reply = Some(given_at);
            }
            self.first.get_or_insert(request);
        }
        // With `context golden`, and after a given turn, the dialogue continues from another
        // response, without the model's own ones and the feedback on them.
        if let Some(history) = turn.history {
            let history = if self.chat.prompts { history } else { LEFT_OUT };
            let mut given = self.message("assistant", &format!("{span}-history"), json!(history));
            given["source"] = json!("input");
            reply = Some(self.stored(given));
            conversation = [&before[..], &[later], &shown[..]].concat();
        }
        conversation.extend(reply);
        if turn.answers.is_empty() {
            self.last.clone_from(&conversation);
        }
        self.history = conversation;
        self.event("span_end", &span, json!({ "id": span }));
    }

    /// Stores the user message of a turn, with what is known about the turn.
    fn user(&mut self, turn: &TurnView<'_>, id: &str, reminded: bool) -> usize {
        let content = self.user_content(turn.script, reminded);
        let mut asked = self.message("user", id, content);
        let active = turn.script.active_constraints.iter().map(|active| match self.chat.prompts {
            true => super::super::chat::with_arguments(active),
            false => active.standing(),
        });
        asked["metadata"] = json!({
            "turn": turn.script.turn,
            "active_constraints": active.collect::<Vec<String>>(),
        });
        self.stored(asked)
    }

    /// The content of the user message of a turn.
    fn user_content(&mut self, script: &ScriptTurn, reminded: bool) -> Value {
        if !self.chat.prompts {
            return json!(LEFT_OUT);
        }
        let mut message = script.message(&script.ask);
        let reminder = script.reminder.as_deref().filter(|_| reminded);
        if let (Some(MessagePart::Text(text)), Some(reminder)) = (message.last_mut(), reminder) {
            text.push_str("\n\n");
            text.push_str(reminder);
        }
        if let [MessagePart::Text(text)] = message.as_slice() {
            return json!(text);
        }
        let part = |part: MessagePart<'_>| match part {
            MessagePart::Text(text) => json!({ "type": "text", "text": text }),
            MessagePart::Image(image) => match ((self.picture)(image), image) {
                (Some(data), _) => json!({ "type": "image", "image": data }),
                (None, ShownImage::Address(address)) => {
                    json!({ "type": "image", "image": address })
                }
                (None, image) => json!({ "type": "text", "text": format!("[{}]", image.label()) }),
            },
        };
        json!(message.into_iter().map(part).collect::<Vec<Value>>())
    }

    /// The messages of tools after the user message, each a call and its result, as they are sent.
    fn tool_messages(&mut self, script: &ScriptTurn, span: &str) -> Vec<usize> {
        let mut shown = Vec::new();
        for (name, text) in script.show.iter().filter_map(ShownContent::of_tool) {
            let id = format!("{span}-call-{}", shown.len() / 2 + 1);
            let mut call = self.message("assistant", &id, json!(""));
            call["source"] = json!("input");
            call["tool_calls"] =
                json!([{ "id": id, "function": name, "arguments": {}, "type": "function" }]);
            let mut result = self.message("tool", &format!("{id}-result"), json!(text));
            result["tool_call_id"] = json!(id);
            result["function"] = json!(name);
            for message in [call, result] {
                shown.push(self.stored(message));
            }
        }
        shown
    }

    /// The events of a response: the request, and the verdicts.
    fn push_answer(
        &mut self,
        turn: &TurnView<'_>,
        answer: &ChatAnswer<'_>,
        (span, request): (&str, &[usize]),
        given: Value,
    ) {
        let time = answer.latency_ms.map(|ms| ms as f64 / 1000.0);
        let output = output(self.run, given, answer.stop, &answer.usage, time);
        let begun = self.elapsed;
        self.elapsed += answer.latency_ms.unwrap_or_default();
        let call = json!({
            "model": self.run.manifest.model, "input": [], "input_refs": ranges(request),
            "tools": tools(turn.script), "tool_choice": "none", "config": self.run.config(), "output": output,
            "working_start": begun as f64 / 1000.0, "working_time": time,
            "completed": self.run.time(self.elapsed),
        });
        self.event("model", span, call);
        let score = self.verdicts(turn, answer);
        let score = json!({ "score": score, "scorer": "turn", "intermediate": true, "target": "" });
        self.event("score", span, score);
        self.usage = self.usage.plus(answer.usage);
    }

    fn reply_message(&self, answer: &ChatAnswer<'_>, id: &str) -> Value {
        let content = match answer.reasoning {
            "" => json!(answer.text),
            reasoning => json!([
                { "type": "reasoning", "reasoning": reasoning },
                { "type": "text", "text": answer.text },
            ]),
        };
        let mut given = self.message("assistant", id, content);
        given["model"] = json!(answer.served.unwrap_or(&self.run.manifest.model));
        if let Some(why) = &answer.no_text {
            given["metadata"] = json!({ "no_text": why.to_string() });
        }
        given
    }

    /// The verdicts on a response as a score.
    fn verdicts(&self, turn: &TurnView<'_>, answer: &ChatAnswer<'_>) -> Value {
        let constraints: Vec<Value> =
            answer.verdicts.iter().map(|one| self.verdict(turn, one)).collect();
        let count = |wanted: fn(&VerdictRecord) -> bool| {
            let required = answer.verdicts.iter().filter(|one| one.counts());
            required.filter(|verdict| wanted(verdict)).count()
        };
        let (missed, all) = (count(VerdictRecord::is_missed), count(|_| true));
        let unjudged = count(|one| one.outcome == ifs_score::Outcome::Unjudged);
        // An undecided turn has no value; the reader turns null into NaN.
        let value = match (all, missed, unjudged) {
            (0, ..) => None,
            (_, 0, 0) => Some(1.0),
            (_, 0, _) => None,
            _ => Some(0.0),
        };
        let value = if answer.no_text.as_ref().is_some_and(NoText::is_caused_by_model) && all > 0 {
            Some(0.0)
        } else {
            value
        };
        let lines = constraints.iter().map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            match text("why") {
                why if why.is_empty() => format!("{} {}", text("outcome"), text("constraint")),
                why => format!("{} {}: {why}", text("outcome"), text("constraint")),
            }
        });
        json!({
            "value": value, "explanation": lines.collect::<Vec<_>>().join("\n"),
            "metadata": {
                "turn": turn.script.turn, "round": answer.round, "sample": answer.sample,
                "missed": missed, "constraints": constraints,
            },
        })
    }

    fn verdict(&self, turn: &TurnView<'_>, verdict: &VerdictRecord) -> Value {
        let mut found = Map::new();
        let name = if self.chat.prompts { turn.verdict_name(verdict) } else { verdict.key() };
        found.insert("constraint".to_owned(), json!(name));
        found.insert("outcome".to_owned(), json!(verdict.outcome));
        found.insert("by".to_owned(), json!(verdict.by));
        let why = if self.chat.prompts { reasons(verdict) } else { Vec::new() };
        if !why.is_empty() {
            found.insert("why".to_owned(), json!(why.join("; ")));
        }
        Value::Object(found)
    }

    fn event(&mut self, kind: &str, span: &str, content: Value) {
        let number = self.events.len();
        let elapsed = self.elapsed;
        let mut event = event(self.run, kind, elapsed, content);
        event["uuid"] = json!(format!("{}-{}-{number}", self.run.id, self.chat.index));
        event["span_id"] = json!(span);
        self.events.push(event);
    }
}

/// An event with the fields that every event has.
fn event(run: &LoggedRun<'_>, kind: &str, elapsed: u64, mut content: Value) -> Value {
    content["event"] = json!(kind);
    content["timestamp"] = json!(run.time(elapsed));
    if content.get("working_start").is_none() {
        content["working_start"] = json!(elapsed as f64 / 1000.0);
    }
    content
}

/// The scores of the dialogue at its end.
fn end(run: &LoggedRun<'_>, elapsed: u64, scores: &Value) -> Value {
    let values: Map<String, Value> = scores
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, score)| (name.clone(), score["value"].clone()))
        .collect();
    event(run, "info", elapsed, json!({ "source": "scores", "data": values }))
}

/// Positions as ranges without their ends.
fn ranges(positions: &[usize]) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for position in positions {
        match ranges.last_mut() {
            Some([_, end]) if *end == *position => *end += 1,
            _ => ranges.push([*position, position + 1]),
        }
    }
    ranges
}

fn output(
    run: &LoggedRun<'_>,
    message: Value,
    stop: Option<&StopReason>,
    tokens: &Usage,
    time: Option<f64>,
) -> Value {
    let reason = match stop {
        None | Some(StopReason::End) => "stop",
        Some(StopReason::Length) => "max_tokens",
        Some(StopReason::Filter) => "content_filter",
        Some(StopReason::ContextLength) => "model_length",
        Some(StopReason::Missing | StopReason::Other(_)) => "unknown",
    };
    let completion = match &message["content"] {
        Value::Array(parts) => {
            parts.iter().rfind(|part| part["type"] == "text").map(|part| &part["text"])
        }
        text => Some(text),
    };
    json!({
        "model": message.get("model").unwrap_or(&json!(run.manifest.model)),
        "completion": completion, "time": time,
        "usage": (!tokens.is_unknown()).then(|| usage(tokens)),
        "choices": [{ "message": message, "stop_reason": reason }],
    })
}

/// Why the dialogue ended before its script did, as a limit.
fn limit(run: &LoggedRun<'_>, chat: &ChatView<'_>, reason: &Ending) -> Option<Value> {
    let (kind, at) = match reason {
        Ending::Patience => ("custom", chat.turns.len() as u64),
        Ending::MaxTurns => ("turn", u64::from(run.manifest.max_turns)),
        Ending::ContextLength => ("context", chat.turns.len() as u64),
        Ending::Condition(_)
        | Ending::Script
        | Ending::Interrupted
        | Ending::Failed(_)
        | Ending::PermanentFailure(_)
        | Ending::Unrecorded => return None,
    };
    Some(json!({ "type": kind, "limit": at, "reason": ending(reason) }))
}

/// What is known about the dialogue as a whole.
fn metadata(chat: &ChatView<'_>, ended: Option<&Ending>) -> Value {
    let outcome = |turn: &TurnView<'_>| verdict_mark(turn.outcome.unwrap_or(TurnOutcome::Empty));
    let mut known = json!({
        "dialogue": chat.dialogue,
        "turns": chat.turns.len(),
        "outcomes": chat.turns.iter().map(outcome).collect::<String>(),
        "ending": ended.map(ending),
    });
    if let Some(seed) = chat.seed {
        // Readers of JSON in Python and in browsers differ on large integers.
        known["seed"] = json!(seed.to_string());
    }
    known
}

/// The metrics of this dialogue alone. One that is undefined for it is left out.
fn scores(run: &LoggedRun<'_>, card: &Scorecard) -> Value {
    let mut turns: Vec<Value> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for dialogue in card.dialogues.each() {
        for turn in &dialogue.turns {
            let tally = OutcomeTally::from_constraints(&turn.constraints);
            let missed = turn.constraints.iter().filter(|one| one.outcome.is_missed());
            let missed: Vec<&str> = missed.map(|one| one.constraint.as_str()).collect();
            let mark = verdict_mark(turn.verdict());
            let what = if missed.is_empty() {
                String::new()
            } else {
                format!(": missed {}", missed.join(", "))
            };
            lines.push(format!("turn {} {mark}{what}", turn.turn));
            turns.push(json!({
                "turn": turn.turn, "outcome": turn.verdict(), "held": tally.held,
                "missed": missed, "unjudged": tally.unjudged,
            }));
        }
    }
    let mut scores = Map::new();
    for name in metric_names(run.metrics) {
        let Some(score) = card.metrics.iter().find(|score| score.name == name) else { continue };
        let (measured, doc) = (&score.measured, score.doc());
        let Some(value) = measured.number() else { continue };
        let mut explanation = format!("{doc}\n{} of {}", measured.numerator, measured.denominator);
        let mut about = json!({
            "numerator": measured.numerator, "denominator": measured.denominator,
            "count": measured.count,
        });
        if scores.is_empty() {
            explanation.push_str(&format!("\n{}", lines.join("\n")));
            about["turns"] = json!(turns);
        }
        scores
            .insert(name, json!({ "value": value, "explanation": explanation, "metadata": about }));
    }
    Value::Object(scores)
}
