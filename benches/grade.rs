//! How many answers are graded in a second of a processor's time, against IFEval's released
//! checkers in Python on the same answers in the same run.
//!
//! `cargo bench --bench grade` sets those checkers up under `target/` (`benches/grade-peer.sh`; needs
//! python3 and its package index, once) and runs both sides in turn; medians are printed. `-- alone`
//! leaves Python out, `-- each` looks at one check after the other (`-- each keywords` at those with that
//! in their name), `-- hostile` at every rule of the library on answers that no one would write (of a
//! megabyte each; `-- hostile 10 ifeval` of ten, and one module alone). Nothing here fails when it is slow. The answers are GPT-4's to IFEval's prompts where
//! the published data lies next to the checkout or in `$IFS_DATA`, else the paragraphs of this repository's
//! documents.

#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock and for data")]

#[path = "../tests/suite/hostile_texts.rs"]
mod hostile_texts;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ifs::grade::{Catalogue, Grader, RowPrompts, RowReading};
use serde_json::{Value, json};

/// How often both sides run, in turn.
const PAIRS: usize = 5;
/// How many answers Python is given; ifs goes through all of them as often as takes a second.
const ANSWERS: usize = 60;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut args = std::env::args().skip_while(|arg| arg != "hostile").skip(1);
    if std::env::args().any(|arg| arg == "hostile") {
        let megabytes = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(1);
        return hostile(megabytes, args.next().as_deref());
    }
    let answers = answers(root);
    let bytes: usize = answers.iter().map(String::len).sum();
    println!("{} answers of {:.1} KB", answers.len(), bytes as f64 / 1e3 / answers.len() as f64);
    let peer = match std::env::args().any(|arg| arg == "alone") {
        true => None,
        false => peer(root),
    };
    if std::env::args().any(|arg| arg == "each") {
        let wanted = std::env::args().skip_while(|arg| arg != "each").nth(1).unwrap_or_default();
        for check in checks().into_iter().chain(language()) {
            if check.0.contains(&wanted) {
                compare(check.0, &[check], &answers, None);
            }
        }
        return;
    }
    println!("{:<40} {:>10} {:>10} {:>7}", "answers per CPU second", "ifs", "Python", "ratio");
    compare("24 checks, none of language", &checks(), &answers, peer.as_deref());
    compare("language", &language(), &answers, peer.as_deref());
}

fn compare(name: &str, instructions: &[(&str, Value)], answers: &[String], peer: Option<&Path>) {
    let mut alone = std::env::temp_dir();
    alone.push(format!("ifs-grade-{}.json", std::process::id()));
    let work = json!({ "answers": answers, "instructions": instructions });
    std::fs::write(&alone, work.to_string()).expect("a file for the work");
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let (fast, held) = grade(instructions, answers);
        ours.push(fast);
        let Some(peer) = peer else { continue };
        let output = Command::new(peer)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/grade.py"))
            .arg(&alone)
            .env("NLTK_DATA", peer.with_file_name("").join("../nltk_data"))
            .output()
            .expect("Python starts");
        let told: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        // Both sides did the same work, or the figures mean nothing.
        assert_eq!(told["held"], json!(held), "{name}: verdicts differ");
        let slow = answers.len() as f64 / told["seconds"].as_f64().expect("seconds");
        theirs.push(slow);
        ratios.push(fast / slow);
    }
    let _ = std::fs::remove_file(&alone);
    let shown = |numbers: Vec<f64>| match numbers.is_empty() {
        true => "-".to_owned(),
        false => format!("{:.0}", median(numbers)),
    };
    println!("{name:<40} {:>10} {:>10} {:>7}", shown(ours), shown(theirs), shown(ratios));
}

/// What each rule of the library takes for each of these answers, reasons and loose reading included.
fn hostile(megabytes: usize, only: Option<&str>) {
    let answers = hostile_texts::answers(megabytes << 20);
    let catalogue = Catalogue::new([]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: RowReading::Both,
        brief: false,
        raw_text: false,
    };
    let mut slowest = Vec::new();
    let rules = hostile_texts::rules(only);
    for rule in &rules {
        for (name, answer) in &answers {
            let line = rule.row(answer);
            let start = cpu_seconds();
            let (_, graded) = grader.line(line.as_bytes());
            let took = cpu_seconds() - start;
            if let Err(error) = graded {
                println!("{} {name}: {}", rule.constraint, error.message);
            }
            if took > 0.1 * megabytes as f64 {
                println!("{:<70} {name:<20} {took:.2} s", rule.constraint);
            }
            slowest.push((took, rule.constraint.clone(), *name));
        }
    }
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = slowest.iter().map(|(took, ..)| took).sum();
    println!("{} answers of {megabytes} MB in {all:.1} s; the slowest:", slowest.len());
    for (took, constraint, name) in slowest.iter().take(20) {
        println!("{constraint:<70} {name:<20} {took:.3} s");
    }
}

/// Answers per second of this thread's time, and how many checks held.
fn grade(instructions: &[(&str, Value)], answers: &[String]) -> (f64, usize) {
    let catalogue = Catalogue::new([]);
    let mut prompts = RowPrompts::default();
    let names: Vec<&str> = instructions.iter().map(|(name, _)| *name).collect();
    let kwargs: Vec<&Value> = instructions.iter().map(|(_, kwargs)| kwargs).collect();
    let prompt = json!({ "key": 1, "prompt": "", "instruction_id_list": names, "kwargs": kwargs });
    prompts.add(prompt.to_string().as_bytes(), &catalogue).expect("a prompt");
    let grader = Grader {
        catalogue: &catalogue,
        prompts: Some(&prompts),
        reading: RowReading::Strict,
        brief: true,
        raw_text: false,
    };
    let rows: Vec<String> =
        answers.iter().map(|answer| json!({ "key": 1, "response": answer }).to_string()).collect();
    let once = || {
        let mut held = 0;
        for row in &rows {
            let graded = grader.line(row.as_bytes()).1.expect("a row");
            held += graded.constraints.iter().filter(|one| one.strict == Some(true)).count();
        }
        held
    };
    let held = once();
    let (start, mut times) = (cpu_seconds(), 0);
    loop {
        assert_eq!(once(), held);
        times += 1;
        let took = cpu_seconds() - start;
        if took >= 0.5 {
            return ((times * rows.len()) as f64 / took, held);
        }
    }
}

/// The time this process has had a processor, from Linux; elsewhere the time that has gone by.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(0.0, |since| since.as_secs_f64())
        },
        |nanoseconds| nanoseconds / 1e9,
    )
}

fn peer(root: &Path) -> Option<PathBuf> {
    let output = Command::new(root.join("benches/grade-peer.sh")).output().ok()?;
    if !output.status.success() {
        eprintln!("no peer: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn answers(root: &Path) -> Vec<String> {
    let data = std::env::var_os("IFS_DATA").map_or(root.join("../shared/data"), PathBuf::from);
    let published = data.join("ifeval/responses/gpt4_20231107.jsonl.gz");
    if let Ok(file) = std::fs::File::open(published) {
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a file of lines");
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let long = rows.filter_map(|row| row["response"].as_str().map(str::to_owned));
        return long.filter(|text| (2_000..5_000).contains(&text.len())).take(ANSWERS).collect();
    }
    let chapters = std::fs::read_dir(root.join("docs/language")).expect("chapters");
    let mut chapters: Vec<_> = chapters.map(|entry| entry.expect("a chapter").path()).collect();
    chapters.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a chapter");
    let document: String = chapters.iter().map(read).collect();
    let mut answers = vec![String::new()];
    for paragraph in document.split_inclusive("\n\n") {
        match answers.last_mut() {
            Some(last) if last.len() < 3_000 => last.push_str(paragraph),
            _ => answers.push(paragraph.to_owned()),
        }
    }
    answers.truncate(ANSWERS);
    answers
}

/// IFEval's instructions with arguments as in its data.
fn checks() -> Vec<(&'static str, Value)> {
    let repeated = "Write a short story about the sea and the moon.";
    vec![
        ("keywords:existence", json!({ "keywords": ["story", "water"] })),
        (
            "keywords:frequency",
            json!({ "keyword": "time", "frequency": 3, "relation": "at least" }),
        ),
        ("keywords:forbidden_words", json!({ "forbidden_words": ["reason", "hotel", "budget"] })),
        (
            "keywords:letter_frequency",
            json!({ "letter": "q", "let_frequency": 4, "let_relation": "less than" }),
        ),
        (
            "length_constraints:number_sentences",
            json!({ "num_sentences": 15, "relation": "at least" }),
        ),
        ("length_constraints:number_paragraphs", json!({ "num_paragraphs": 4 })),
        ("length_constraints:number_words", json!({ "num_words": 400, "relation": "at least" })),
        (
            "length_constraints:nth_paragraph_first_word",
            json!({ "num_paragraphs": 5, "nth_paragraph": 2, "first_word": "however" }),
        ),
        ("detectable_content:number_placeholders", json!({ "num_placeholders": 3 })),
        ("detectable_content:postscript", json!({ "postscript_marker": "P.S." })),
        ("detectable_format:number_bullet_lists", json!({ "num_bullets": 5 })),
        ("detectable_format:constrained_response", json!({})),
        ("detectable_format:number_highlighted_sections", json!({ "num_highlights": 3 })),
        (
            "detectable_format:multiple_sections",
            json!({ "section_spliter": "Section", "num_sections": 3 }),
        ),
        ("detectable_format:json_format", json!({})),
        ("detectable_format:title", json!({})),
        ("combination:two_responses", json!({})),
        ("combination:repeat_prompt", json!({ "prompt_to_repeat": repeated })),
        (
            "startend:end_checker",
            json!({ "end_phrase": "Is there anything else I can help with?" }),
        ),
        ("startend:quotation", json!({})),
        (
            "change_case:capital_word_frequency",
            json!({ "capital_frequency": 5, "capital_relation": "at least" }),
        ),
        ("punctuation:no_comma", json!({})),
        ("keywords:forbidden_words", json!({ "forbidden_words": ["awesome"] })),
        (
            "length_constraints:number_sentences",
            json!({ "num_sentences": 8, "relation": "less than" }),
        ),
    ]
}

fn language() -> Vec<(&'static str, Value)> {
    vec![("language:response_language", json!({ "language": "en" }))]
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
