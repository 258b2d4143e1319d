//! The same work without a language: structures, minijinja and serde_json.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;

use minijinja::{Environment, context};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize)]
struct Topic {
    name: String,
    request: String,
    keywords: Vec<String>,
    angles: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Style {
    name: String,
    voice: String,
    phrases: Vec<String>,
}

#[derive(Serialize)]
struct Turn<'a> {
    index: u64,
    turn: u64,
    topic: &'a str,
    style: &'a str,
    active_constraints: Vec<(&'a str, u64)>,
    ask: String,
}

pub fn run(args: &[String]) {
    let path = Path::new(args.get(1).map_or("", String::as_str));
    match args[0].as_str() {
        // What every process pays.
        "nothing" => {}
        // A look at every byte of a file.
        "read" => {
            let text = std::fs::read_to_string(path).expect("a scenario");
            black_box(text.split_whitespace().map(str::len).max());
        }
        "banks" => {
            black_box((records::<Topic>(path, "topics"), records::<Style>(path, "styles")));
        }
        "draw" => draw(path),
        other => panic!("no prototype `{other}`"),
    }
}

fn records<T: for<'de> Deserialize<'de>>(banks: &Path, name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(banks.join(format!("{name}.jsonl"))).expect("a bank");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

const TEMPLATE: &str = "{% if first %}Hello. {{ request }}{% else %}Now tell me about {{ angle }}.\
    {% endif %} {% for change in changes %}Use at least {{ change[1] }} words, {{ change[0] }}.\
    {% if not loop.last %} {% endif %}{% endfor %}";

fn draw(banks: &Path) {
    let topics: Vec<Topic> = records(banks, "topics");
    let styles: Vec<Style> = records(banks, "styles");
    let mut environment = Environment::new();
    environment.add_template("turn", TEMPLATE).expect("a template");
    let template = environment.get_template("turn").expect("the template");
    let groups = ["length", "keywords", "start", "end", "format", "case"];
    let mut out = std::io::BufWriter::new(std::io::stdout());
    let mut state = 1u64;
    let mut number = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for index in 0..150 {
        let style = &styles[number(styles.len())];
        let mut topic = &topics[number(topics.len())];
        let mut active_constraints: Vec<(&str, u64)> = Vec::new();
        for turn in 1..=30 {
            let first = turn == 1 || number(5) == 0;
            if first {
                topic = &topics[number(topics.len())];
                active_constraints.clear();
            }
            let change = (groups[number(groups.len())], number(400) as u64);
            active_constraints.retain(|(group, _)| *group != change.0);
            active_constraints.push(change);
            let angle = &topic.angles[number(topic.angles.len())];
            let ask = template
                .render(context! { first, angle, request => topic.request.as_str(), changes => [change] })
                .expect("a text");
            let turn = Turn {
                index,
                turn,
                topic: &topic.name,
                style: &style.name,
                active_constraints: active_constraints.clone(),
                ask,
            };
            serde_json::to_writer(&mut out, &turn).expect("a line");
            out.write_all(b"\n").expect("a line");
        }
    }
}
