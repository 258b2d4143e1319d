//! MARS-Bench's published answers, recomputed from the logs with the queries in `mars.ifs`. This
//! file only parses the published texts.

use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use ifs::model::SemanticModel;
use ifs::model::table::DecidedBy;
use ifs::predicate::evaluate::{TextContext, evaluate};
use ifs::predicate::value::Value;
use ifs::text::Text;
use ifs::world::MemoryWorld;
use regex::{Captures, Regex};
use serde_json::Value as Json;

use super::Row;

const PROGRAM: &str = include_str!("mars.ifs");

const TASKS: [&str; 4] =
    ["Context_Retrieval", "Information_Reasoning", "Instruction_Following", "Task_Switching"];

/// Kinds of questions, each with its distinguishing phrase.
const KINDS: [&str; 12] = [
    "segments",
    "score",
    "anchored",
    "anchored_faceoff",
    "interval",
    "interval_faceoff",
    "lead",
    "asked",
    "top_impact",
    "impact",
    "most_faceoffs",
    "faceoffs",
];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let folder = data.join("mars_bench");
    let mut tallies: Vec<Tally> = Vec::new();
    for task in TASKS {
        let path = folder.join(format!("{task}.jsonl.gz"));
        let Ok(file) = std::fs::File::open(&path) else { continue };
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).expect("a gzip file of text");
        for line in text.lines().filter(|line| !line.is_empty()) {
            let row: Json = serde_json::from_str(line).expect("a dialogue");
            dialogue(&row, task, &mut tallies);
        }
    }
    tallies.into_iter().map(Tally::row).collect()
}

/// Answers of one kind.
struct Tally {
    kind: String,
    compared: usize,
    agreeing: usize,
    left_out: usize,
    first: Option<String>,
}

impl Tally {
    fn row(self) -> Row {
        let note = match (self.left_out, self.first) {
            (_, Some(first)) => first,
            (0, None) => String::new(),
            (left_out, None) => format!("{left_out} published answers are defective"),
        };
        Row {
            suite: format!("mars {}", self.kind),
            compared: self.compared,
            agreeing: self.agreeing,
            note,
        }
    }
}

fn tally<'t>(tallies: &'t mut Vec<Tally>, kind: &str) -> &'t mut Tally {
    let at = match tallies.iter().position(|tally| tally.kind == kind) {
        Some(at) => at,
        None => {
            let kind = kind.to_owned();
            tallies.push(Tally { kind, compared: 0, agreeing: 0, left_out: 0, first: None });
            tallies.len() - 1
        }
    };
    &mut tallies[at]
}

/// One published dialogue: its log, and its questions.
fn dialogue(row: &Json, task: &str, tallies: &mut Vec<Tally>) {
    let (game, sort) = (text_of(&row["game_id"]), text_of(&row["game_type"]));
    let (chinese, hockey) = (sort.ends_with("zh"), sort == "NHL");
    let turns: Vec<&str> = row["prompt"]
        .as_array()
        .expect("turns")
        .iter()
        .filter(|turn| turn["role"] == "user")
        .map(|turn| text_of(&turn["content"]))
        .collect();
    let answers: Vec<&str> =
        row["answer"].as_array().expect("answers").iter().map(text_of).collect();

    let mut log = head(text_of(&row["SP"]));
    let (mut counts, mut lines, mut period, mut reported) = (Vec::new(), 0, 0, false);
    let mut questions: Vec<(&str, Vec<(&str, Value)>)> = Vec::new();
    let mut leads: Vec<(i64, bool)> = Vec::new();
    for (turn, answer) in turns.iter().zip(&answers) {
        let table =
            between(turn, &["Table>\n", "比赛记录>\n"], &["\n</Time", "\n</时间"]).unwrap_or("");
        let question = between(turn, &["has said:\n", "朋友说：\n"], &[]).unwrap_or(turn).trim();
        let answer = answer.split_once("> ").map_or(*answer, |(_, answer)| answer);
        if table.contains('\t') {
            if !reported {
                period += 1;
                reported = true;
                leads.push((period, false));
            }
            log.push_str(table);
            log.push('\n');
            let new = table.lines().filter(|line| !line.trim().is_empty()).count() as i64;
            counts.push(Value::Int(new));
            lines += new;
        } else if table.contains("End of") || table.contains("结束") {
            reported = false;
        }
        let asked = ask(question, answer, lines, period, chinese);
        if asked.as_ref().is_some_and(|(kind, _)| *kind == "lead") {
            leads.last_mut().expect("a period").1 = true;
        }
        questions.extend(asked);
    }
    questions.push(("segments", vec![("counts", Value::list(counts))]));
    if matches!(task, "Information_Reasoning" | "Task_Switching") {
        for (period, asked) in leads {
            questions.push((
                "asked",
                vec![("period", Value::Int(period)), ("asked", Value::Bool(asked))],
            ));
        }
    }

    let reader = if hockey {
        "espn_hockey_text"
    } else if chinese {
        "hupu_text"
    } else {
        "espn_text"
    };
    let program = PROGRAM.replace("espn_text", reader);
    let world = MemoryWorld::new([("main.ifs", program.as_str()), ("game.txt", log.as_str())]);
    let checked = ifs::model::check(&world, "main.ifs");
    let Some(model) = checked.model else {
        panic!("{game}: {:?}\n{log}", checked.diagnostics.list);
    };
    for (kind, fields) in questions {
        assert!(KINDS.contains(&kind) || kind == "top_of_period");
        let question = Value::record(fields);
        let name = if chinese && kind == "interval" { "interval (Chinese)" } else { kind };
        let tally = tally(tallies, name);
        let holds = holds(&model, kind, &question);
        // In the first and the third quarter only the plays at both ends are listed (defect 13 in
        // the notes about the data), so the list does not answer the question.
        if name == "interval (Chinese)" && !holds && only_the_ends(&question) {
            tally.left_out += 1;
            continue;
        }
        tally.compared += 1;
        if holds {
            tally.agreeing += 1;
        } else if tally.first.is_none() {
            tally.first = Some(format!("{game} in {task}: {question}"));
        }
    }
}

fn text_of(json: &Json) -> &str {
    json.as_str().unwrap_or("")
}

/// The teams, from the system prompt.
fn head(prompt: &str) -> String {
    let (_, block) = prompt.split_once("---\n").expect("the match in the system prompt");
    let block = block.trim_end().trim_end_matches('-').trim_end();
    format!("{block}\n\n")
}

/// The text after the first of `starts` that occurs, up to one of `ends`.
fn between<'t>(text: &'t str, starts: &[&str], ends: &[&str]) -> Option<&'t str> {
    let rest = starts.iter().find_map(|start| text.split_once(start))?.1;
    Some(ends.iter().find_map(|end| rest.split_once(end)).map_or(rest, |(inner, _)| inner))
}

/// `quarter1 4:29`, `1 quarter 4:29`, `period 1 0:00`, `第1节 13.0"`, `1节 6:25`
fn place(captures: &Captures<'_>) -> Value {
    let period = captures[1].parse().expect("a period");
    Value::record([("period", Value::Int(period)), ("clock", Value::text(&captures[2]))])
}

const PLACE: &str =
    r"(?:quarter ?|period ?|第)?(\d)(?: ?quarter| ?period|节)? (\d+(?::\d+)?(?:\.\d+)?)";

fn regex(pattern: &str) -> Regex {
    Regex::new(&pattern.replace("PLACE", PLACE)).expect("a pattern")
}

/// The parameters of a published question, and the answer to it; `None` for open questions.
fn ask<'k>(
    question: &str,
    answer: &str,
    lines: i64,
    period: i64,
    chinese: bool,
) -> Option<(&'k str, Vec<(&'k str, Value)>)> {
    let places: Vec<Value> =
        regex("PLACE").captures_iter(question).map(|found| place(&found)).collect();
    let ends = || vec![("from", places[0].clone()), ("to", places[1].clone())];
    let has = |english: &str, other: &str| question.contains(english) || question.contains(other);
    if has("What is the current score", "现在的比分是多少") {
        let found = regex(r"(\d+) - .+? (\d+)\.?$").captures(answer.trim())?;
        let number = |at: usize| Value::Int(found[at].parse().expect("a score"));
        return Some((
            "score",
            vec![("lines", Value::Int(lines)), ("away", number(1)), ("home", number(2))],
        ));
    }
    if has("later, it seemed", "秒之后，似乎") {
        let found = regex(r"([\d.]+) (?:minutes?|分钟)(?: and)? ([\d.]+) (?:seconds?|秒)")
            .captures(question)?;
        let part = |at: usize| found[at].parse::<f64>().expect("a number");
        let gap = (part(1) * 60_000.0 + part(2) * 1000.0).round() as i64;
        let faceoff = question.contains("faceoff");
        let kind = if faceoff { "anchored_faceoff" } else { "anchored" };
        let expected = if faceoff { faceoffs(answer) } else { scorings(answer) };
        return Some((
            kind,
            vec![("from", places[0].clone()), ("gap", Value::Int(gap)), ("expected", expected)],
        ));
    }
    if has("phone call", "接电话") {
        let faceoff = question.contains("faceoff");
        let kind = if faceoff { "interval_faceoff" } else { "interval" };
        let expected = if faceoff { faceoffs(answer) } else { scorings(answer) };
        return Some((kind, [ends(), vec![("expected", expected)]].concat()));
    }
    if has("how many times did one team take the lead", "落后的情况下领先了多少次") {
        let changes = regex(r"(?m)^ ?(\d[\d:.]*).?: (.+?)'s score had surpassed");
        let changes = changes.captures_iter(answer);
        let expected = changes.map(|found| Value::text(&format!("{}|{}", &found[1], &found[2])));
        return Some((
            "lead",
            vec![("period", Value::Int(period)), ("expected", Value::list(expected))],
        ));
    }
    if has("Who has the most faceoffs", "\0") {
        let player = regex(r"(?m)^(.+?) has the most faceoffs").captures(answer)?;
        return Some((
            "most_faceoffs",
            [
                ends(),
                vec![("player", Value::text(&player[1])), ("less", percent(answer, "decrease")?)],
            ]
            .concat(),
        ));
    }
    if has("wins all his faceoffs", "\0") {
        let player = regex(r"How about (.+?)\?").captures(question)?;
        return Some((
            "faceoffs",
            [
                ends(),
                vec![
                    ("player", Value::text(&player[1])),
                    ("less", percent(answer, "decrease")?),
                    ("more", percent(answer, "increase")?),
                ],
            ]
            .concat(),
        ));
    }
    if has("scored the most goals", "谁进的球最多") {
        let player = regex(r"(?:top scorer is |得分最多的球员是)(.+?)\.\s").captures(answer)?;
        let more = vec![
            ("player", Value::text(&player[1])),
            ("chinese", Value::Bool(chinese)),
            ("expected", outcomes(answer)),
        ];
        return Some(("top_impact", [ends(), more].concat()));
    }
    if has("all of his goals during", "所有进球都没有进球") {
        let player = regex(r"(?:How about (.+?)\?)|^(.+?)怎么样").captures(question)?;
        let player = player.get(1).or(player.get(2)).expect("a name").as_str();
        let more = vec![("player", Value::text(player)), ("expected", outcomes(answer))];
        return Some(("impact", [ends(), more].concat()));
    }
    if let Some(found) = regex(r"top scorer\(s\) (.+?), who").captures(question) {
        let players = Value::list(found[1].split(", ").map(Value::text));
        return Some(("top_of_period", vec![("period", Value::Int(period)), ("players", players)]));
    }
    None
}

/// `Bol Bol|3|1|1.1` for each line of an answer.
fn scorings(answer: &str) -> Value {
    let lines =
        regex(r"(?m)^(.+?) (?:scored|得了) (\d)(?: in| 分) [（(](?:quarter|第)(\d)节? (\d[\d:.]*)");
    Value::list(lines.captures_iter(answer).map(|found| {
        Value::text(&format!("{}|{}|{}|{}", &found[1], &found[2], &found[3], &found[4]))
    }))
}

fn faceoffs(answer: &str) -> Value {
    let lines = regex(r"in \(period(\d) (\d[\d:.]*)\), (.+?) won and (.+?) lost");
    Value::list(lines.captures_iter(answer).map(|found| {
        Value::text(&format!("{}|{}|{}|{}", &found[1], &found[2], &found[3], &found[4]))
    }))
}

/// `San Antonio Spurs|5` or `|0`, for both assumptions.
fn outcomes(answer: &str) -> Value {
    let lines =
        answer.lines().filter(|line| line.contains("difference") || line.contains("得分差"));
    let leader = regex(r"(?:leading team should be |领先的球队应该是)(.+?)(?: and the|，得分差)");
    let margin = regex(r"(\d+)[.。]?\s*$");
    Value::list(lines.map(|line| {
        let leader = leader.captures(line).map_or(String::new(), |found| found[1].to_owned());
        let margin = margin.captures(line).expect("a difference");
        Value::text(&format!("{leader}|{}", &margin[1]))
    }))
}

fn percent(answer: &str, word: &str) -> Option<Value> {
    let found = regex(&format!(r"{word} ([\d.]+)%")).captures(answer)?;
    Some(Value::Float(found[1].parse().ok()?))
}

/// Whether a published list contains only what was scored at the two printed ends.
fn only_the_ends(question: &Value) -> bool {
    let clock = |end: &str| question.field(end)?.field("clock")?.as_str().map(str::to_owned);
    let ends = [clock("from"), clock("to")];
    let listed = question.field("expected").and_then(Value::as_list).unwrap_or(&[]);
    listed.iter().all(|line| {
        let at = line.as_str().and_then(|line| line.rsplit('|').next()).map(str::to_owned);
        ends.contains(&at)
    })
}

/// Whether the check for that kind of question holds.
fn holds(model: &SemanticModel, kind: &str, question: &Value) -> bool {
    let mut constraints = model.groups.iter().flat_map(|group| &group.constraints);
    let constraint =
        constraints.find(|constraint| constraint.name == kind).expect("a check for it");
    let DecidedBy::Rule(check) = &constraint.by else { panic!("{kind} is read by rule") };
    let variables = [("q", question.clone())];
    match evaluate(check, &TextContext { it: &Text::new(""), variables: &variables }) {
        Ok(value) => value == Value::Bool(true),
        Err(fault) => panic!("{kind} of {question}: {fault}"),
    }
}
