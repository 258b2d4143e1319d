//! Right answers in the forms that people and models use, and wrong ones that try to pass, for drawn turns of every scenario
//! whose facts are read by what a response asserts.
//!
//! The forms are in `answers/`: a line is right (`+`) or wrong (`-`), and its places are filled with the values of a
//! turn, which are read from its golden answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ifs::judge::{Exchange, VerdictRecord, evaluate_constraints};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::predicate::value::Value;
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::FolderWorld;
use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn plan(path: &str) -> Plan {
    let path = root().join("scenarios").join(path);
    let world = FolderWorld::new(path.parent().unwrap()).unwrap();
    let checked = check(&world, path.file_name().unwrap().to_str().unwrap());
    build(checked.model.expect("a scenario without mistakes"))
}

/// The values that a form is filled with, and those of each row.
#[derive(Clone, Debug, Default)]
struct Values {
    single: BTreeMap<String, String>,
    rows: Vec<BTreeMap<String, String>>,
    /// The sentence of the golden answer that a form replaces; empty for all of it.
    replaced: String,
}

impl Values {
    fn of<const N: usize>(pairs: [(&str, String); N]) -> Values {
        let single = pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Values { single, ..Values::default() }
    }
}

fn row<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

fn english(number: usize) -> String {
    match number {
        0..=19 => SMALL[number].to_owned(),
        20..=99 if number.is_multiple_of(10) => TENS[number / 10].to_owned(),
        20..=99 => format!("{}-{}", TENS[number / 10], SMALL[number % 10]),
        100..=999 if number.is_multiple_of(100) => format!("{} hundred", SMALL[number / 100]),
        100..=999 => format!("{} hundred and {}", SMALL[number / 100], english(number % 100)),
        _ => number.to_string(),
    }
}

fn chinese(number: usize) -> String {
    let digit = |at: usize| "零一二三四五六七八九".chars().nth(at).unwrap().to_string();
    match number {
        0..=9 => digit(number),
        10 => "十".to_owned(),
        11..=19 => format!("十{}", digit(number % 10)),
        20..=99 if number.is_multiple_of(10) => format!("{}十", digit(number / 10)),
        20..=99 => format!("{}十{}", digit(number / 10), digit(number % 10)),
        100..=999 if number.is_multiple_of(100) => format!("{}百", digit(number / 100)),
        100..=999 if number % 100 < 10 => {
            format!("{}百零{}", digit(number / 100), digit(number % 10))
        }
        100..=999 if number % 100 < 20 => {
            format!("{}百一{}", digit(number / 100), chinese(number % 100))
        }
        100..=999 => format!("{}百{}", digit(number / 100), chinese(number % 100)),
        _ => number.to_string(),
    }
}

fn german(number: usize) -> String {
    const SMALL: [&str; 20] = [
        "null",
        "eins",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
        "dreizehn",
        "vierzehn",
        "fünfzehn",
        "sechzehn",
        "siebzehn",
        "achtzehn",
        "neunzehn",
    ];
    const TENS: [&str; 10] = [
        "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig",
        "neunzig",
    ];
    let ones = |at: usize| if at == 1 { "ein" } else { SMALL[at] };
    match number {
        0..=19 => SMALL[number].to_owned(),
        20..=99 if number.is_multiple_of(10) => TENS[number / 10].to_owned(),
        20..=99 => format!("{}und{}", ones(number % 10), TENS[number / 10]),
        100..=999 if number.is_multiple_of(100) => format!("{}hundert", ones(number / 100)),
        100..=999 => format!("{}hundert{}", ones(number / 100), german(number % 100)),
        _ => number.to_string(),
    }
}

/// A value after an operation: `x w` in words, `x z` in Chinese, `x g` in German, `x d` with a decimal comma, `x+1`.
fn value(place: &str, values: &BTreeMap<String, String>) -> Option<String> {
    if let Some(value) = values.get(place) {
        return Some(value.clone());
    }
    if let Some((name, operation)) = place.split_once(' ') {
        let value = values.get(name)?;
        let number = || value.parse::<usize>().ok();
        return match operation {
            "w" => number().map(english),
            "z" => number().map(chinese),
            "g" => number().map(german),
            "d" => Some(value.replace('.', ",")),
            _ => None,
        };
    }
    let (name, more) = place.split_once('+')?;
    let value = values.get(name)?;
    let more: f64 = more.parse().ok()?;
    if value.contains('.') {
        return value.parse::<f64>().ok().map(|number| format!("{:.2}", number + more));
    }
    value.parse::<f64>().ok().map(|number| (number + more).to_string())
}

/// A form with its places filled; `None` if a value is missing, as the words of a number above 999.
fn filled(form: &str, values: &Values) -> Option<String> {
    let form = form.replace("\\n", "\n").replace("\\t", "\t").replace("\\u00a0", "\u{a0}");
    let mut text = String::new();
    let mut rest = form.as_str();
    while let Some((before, block)) = rest.split_once('«') {
        let (block, after) = block.split_once('»')?;
        let (template, separator) = block.split_once('¦')?;
        let rows: Option<Vec<String>> =
            values.rows.iter().map(|row| places(template, &[row, &values.single])).collect();
        text.push_str(&places(before, &[&values.single])?);
        text.push_str(&rows?.join(separator));
        rest = after;
    }
    text.push_str(&places(rest, &[&values.single])?);
    Some(text)
}

fn places(template: &str, values: &[&BTreeMap<String, String>]) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    loop {
        let at = rest.find(['{', '}']);
        let Some(at) = at else {
            text.push_str(rest);
            return Some(text);
        };
        text.push_str(&rest[..at]);
        let doubled = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(doubled) {
            text.push_str(doubled);
            rest = after;
            continue;
        }
        let (place, after) = rest.split_once('}')?;
        text.push_str(&values.iter().find_map(|values| value(place, values))?);
        rest = after;
    }
}

/// The verdicts on an answer that are not held.
fn missed(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    answer: &str,
    replies: &[String],
) -> Vec<String> {
    let exchange = Exchange { dialogue, turn, answer, note: None, replies, extracted: &[] };
    let verdicts = evaluate_constraints(plan, &exchange, &[]);
    assert!(!verdicts.is_empty(), "turn {} has nothing to hold", turn.turn);
    let missed = verdicts.iter().filter(|one| one.outcome.is_missed());
    missed
        .map(|one: &VerdictRecord| format!("{}: {}", one.key(), one.why.as_deref().unwrap_or("")))
        .collect()
}

/// A scenario and its drawn turns.
struct System {
    plan: Plan,
    dialogue: &'static str,
    indices: std::ops::Range<u64>,
}

impl System {
    fn new(
        path: &str,
        dialogue: &'static str,
        variant: &str,
        indices: std::ops::Range<u64>,
    ) -> System {
        let plain = plan(path);
        let plan =
            if variant.is_empty() { plain } else { plain.varied(dialogue, variant).unwrap() };
        System { plan, dialogue, indices }
    }
}

/// What was tried of a set of forms.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    rejected: Vec<String>,
    passed: Vec<String>,
}

impl Tally {
    /// Tries each form on each turn that `read` has values for.
    fn add(
        &mut self,
        system: &System,
        forms: &str,
        read: &dyn Fn(&ScriptTurn, &Plan) -> Option<Values>,
    ) {
        let path: PathBuf = root().join("tests/suite/answers").join(forms);
        let text = std::fs::read_to_string(&path).unwrap();
        let forms: Vec<(bool, &str)> = text
            .lines()
            .filter(|line| line.starts_with(['+', '-']))
            .map(|line| (line.starts_with('+'), line[1..].trim_start_matches(' ')))
            .collect();
        let mut turns = 0;
        for index in system.indices.clone() {
            let drawer = Drawer::new(&system.plan, system.dialogue).unwrap();
            let script: Vec<ScriptTurn> =
                drawer.script(Seed(11), index).map(|turn| turn.unwrap()).collect();
            let golden: Vec<String> =
                script.iter().map(|turn| turn.golden.clone().unwrap_or_default()).collect();
            for (at, turn) in script.iter().enumerate() {
                let Some(values) = read(turn, &system.plan) else { continue };
                turns += 1;
                for (is_right, form) in &forms {
                    let Some(said) = filled(form, &values) else { continue };
                    let answer = match values.replaced.as_str() {
                        "" => said,
                        part => golden[at].replacen(part, &said, 1),
                    };
                    let missed =
                        missed(&system.plan, system.dialogue, turn, &answer, &golden[..at]);
                    let place = || {
                        format!(
                            "{} {index} turn {} {}: {form:?} as {answer:?}",
                            system.dialogue, turn.turn, turn.name
                        )
                    };
                    if *is_right {
                        self.right += 1;
                        if !missed.is_empty() {
                            self.rejected.push(format!(
                                "{}\n    {}",
                                place(),
                                missed.join("\n    ")
                            ));
                        }
                    } else {
                        self.wrong += 1;
                        if missed.is_empty() {
                            self.passed.push(place());
                        }
                    }
                }
            }
        }
        assert!(turns > 0, "no turn of {} is read with {}", system.dialogue, path.display());
    }

    /// At least 97 of 100 right answers are accepted, and at most 1 of 100 wrong ones pass.
    fn settle(self, name: &str) {
        let Tally { right, wrong, rejected, passed } = self;
        let shown = format!(
            "{name}: right {} of {right} accepted, wrong {} of {wrong} passed\n{}\n--- passed\n{}",
            right - rejected.len(),
            passed.len(),
            rejected.iter().take(60).cloned().collect::<Vec<_>>().join("\n"),
            passed.iter().take(60).cloned().collect::<Vec<_>>().join("\n")
        );
        println!("{shown}");
        assert!(right >= 60 && wrong >= 60, "{shown}");
        assert!(100 * rejected.len() <= 3 * right && 100 * passed.len() <= wrong, "{shown}");
    }
}

fn captures(pattern: &str, text: &str) -> Option<Vec<String>> {
    let found = Regex::new(pattern).unwrap().captures(text)?;
    Some(
        found
            .iter()
            .skip(1)
            .map(|group| group.map_or(String::new(), |group| group.as_str().to_owned()))
            .collect(),
    )
}

fn last_word(name: &str) -> String {
    name.rsplit([' ', '-', '·']).next().unwrap_or(name).to_owned()
}

fn golden(turn: &ScriptTurn) -> &str {
    turn.golden.as_deref().unwrap_or("")
}

/// The teams of a game.
fn teams(turn: &ScriptTurn, plan: &Plan, dialogue: &str) -> Vec<Value> {
    let record = turn.over.as_ref().and_then(|key| {
        let (from, _) = plan.dialogue(dialogue)?.table.over.as_ref()?;
        plan.record_called(from, key)
    });
    record
        .iter()
        .flat_map(|game| game.field("teams"))
        .flat_map(|teams| teams.as_list())
        .flatten()
        .cloned()
        .collect()
}

/// The names of the sides of a game.
fn sides(turn: &ScriptTurn, plan: &Plan, dialogue: &str) -> Vec<String> {
    let teams = teams(turn, plan, dialogue);
    teams.iter().filter_map(|team| team.field("name")?.as_str().map(str::to_owned)).collect()
}

fn players(turn: &ScriptTurn, plan: &Plan, dialogue: &str) -> Vec<String> {
    let teams = teams(turn, plan, dialogue);
    let players = teams.iter().filter_map(|team| team.field("players")?.as_list()).flatten();
    players.filter_map(|player| player.as_str().map(str::to_owned)).collect()
}

fn other_side(sides: &[String], name: &str) -> String {
    sides.iter().find(|side| side.as_str() != name).cloned().unwrap_or_default()
}

/// The score of a golden answer, which a sentence of it gives.
fn score(turn: &ScriptTurn) -> Option<Values> {
    let found = captures(
        r"(?m)^(?:\[[^\n]*\]\n)?(\S[^\n,，]*?) ?(\d+)[,，] ?(\S[^\n,，]*?) ?(\d+)分?[.。]?",
        golden(turn),
    )?;
    let [a, x, b, y] = found.try_into().ok()?;
    Some(Values::of([
        ("a", last_word(&a)),
        ("b", last_word(&b)),
        ("A", a),
        ("B", b),
        ("x", x),
        ("y", y),
    ]))
}

fn has_facts(turn: &ScriptTurn) -> bool {
    !turn.criteria.is_empty()
}

const ORDINALS: [&str; 5] = ["", "first", "second", "third", "fourth"];
const SHORT_ORDINALS: [&str; 5] = ["", "1st", "2nd", "3rd", "4th"];

/// A time of a log in parts.
fn time_parts(time: &str) -> Vec<(&'static str, String)> {
    let (period, clock) = time.split_once(' ').unwrap_or(("", time));
    let number: usize =
        period.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    let minutes = match clock.split_once(':') {
        Some((minutes, seconds)) => format!("{minutes}分{}秒", seconds.trim_start_matches('0')),
        None => format!("{}秒", clock.trim_end_matches('"')),
    };
    vec![
        ("t", time.to_owned()),
        ("c", clock.to_owned()),
        ("q", number.to_string()),
        ("o", SHORT_ORDINALS[number].to_owned()),
        ("f", ORDINALS[number].to_owned()),
        ("z", chinese(number)),
        ("m", minutes),
    ]
}

fn plays(turn: &ScriptTurn) -> Option<Values> {
    let mut values = Values::default();
    let comma = Regex::new("[,，] ?").unwrap();
    for line in golden(turn).lines() {
        let [name, points, time] =
            comma.split(line).map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        let mut one = row([("l", last_word(&name)), ("n", name), ("p", points)]);
        one.extend(time_parts(&time).into_iter().map(|(name, value)| (name.to_owned(), value)));
        values.rows.push(one);
    }
    (!values.rows.is_empty()).then_some(values)
}

fn changes(turn: &ScriptTurn, sides: &[String]) -> Option<Values> {
    let mut lines = golden(turn).lines();
    let count = lines.next()?.to_owned();
    let times = match count.as_str() {
        "1" => "once".to_owned(),
        "2" => "twice".to_owned(),
        other => format!("{other} times"),
    };
    let mut values = Values::of([("k", count), ("times", times)]);
    for line in lines {
        let found = captures(r"^(.+?)[,，] ?(.+)$", line)?;
        let [clock, name] = found.try_into().ok()?;
        let other = other_side(sides, &name);
        values.rows.push(row([
            ("c", clock),
            ("l", last_word(&name)),
            ("n", name),
            ("r", last_word(&other)),
        ]));
    }
    Some(values)
}

fn leads(turn: &ScriptTurn) -> Option<Values> {
    let lines: Vec<&str> = golden(turn).lines().collect();
    let (who, cases) = lines.split_at(lines.len().checked_sub(2)?);
    let case = |line: &str| captures(r"^(.+?)(?: by)? (\d+)$", line);
    let ([n, i], [m, j]) = (case(cases[0])?.try_into().ok()?, case(cases[1])?.try_into().ok()?);
    Some(Values::of([
        ("who", who.first().map_or("", |who| who).to_owned()),
        ("n", n),
        ("i", i),
        ("m", m),
        ("j", j),
    ]))
}

fn option(turn: &ScriptTurn) -> Option<Values> {
    let letter = golden(turn).chars().next().filter(|_| golden(turn).len() == 1)?;
    let texts: BTreeMap<char, String> = Regex::new(r"(?m)^([A-E])\. (.+)$")
        .unwrap()
        .captures_iter(&turn.ask)
        .map(|found| (found[1].chars().next().unwrap(), found[2].to_owned()))
        .collect();
    let others: Vec<&char> = texts.keys().filter(|other| **other != letter).collect();
    Some(Values::of([
        ("L", letter.to_string()),
        ("v", texts.get(&letter)?.clone()),
        ("K", others[0].to_string()),
        ("u", texts.get(others[0])?.clone()),
        ("M", others[1].to_string()),
    ]))
}

fn number(turn: &ScriptTurn) -> Option<Values> {
    let found = captures(r"^(\d+)$", golden(turn))?;
    Some(Values::of([("x", found[0].clone())]))
}

#[test]
fn mars_scores() {
    let mut tally = Tally::default();
    for (file, indices) in [("mars/ablations.ifs", 0..1), ("mars/ablations_hockey.ifs", 0..1)] {
        let system = System::new(file, "kept_up", "in_ten", indices);
        tally.add(&system, "score.txt", &|turn, _| {
            score(turn).filter(|values| values.single["x"] != values.single["y"])
        });
    }
    let system = System::new("mars/mars.ifs", "reasoned", "", 0..2);
    tally.add(&system, "score.txt", &|turn, _| {
        score(turn).filter(|_| turn.name == "told" && has_facts(turn))
    });
    let system = System::new("mars/chinese.ifs", "reasoned", "", 0..6);
    tally.add(&system, "score_zh.txt", &|turn, _| {
        score(turn).filter(|_| turn.name == "told" && has_facts(turn))
    });
    tally.settle("MARS-Bench, scores");
}

#[test]
fn mars_plays() {
    let mut tally = Tally::default();
    let system = System::new("mars/mars.ifs", "retrieved", "", 0..2);
    tally.add(&system, "plays.txt", &|turn, _| plays(turn).filter(|_| has_facts(turn)));
    let system = System::new("mars/chinese.ifs", "retrieved", "", 0..2);
    tally.add(&system, "plays_zh.txt", &|turn, _| plays(turn).filter(|_| has_facts(turn)));
    tally.settle("MARS-Bench, plays");
}

#[test]
fn mars_changes_of_the_lead() {
    let mut tally = Tally::default();
    for (file, indices) in
        [("mars/mars.ifs", 0..3), ("mars/hockey.ifs", 0..3), ("mars/chinese.ifs", 0..3)]
    {
        let system = System::new(file, "reasoned", "", indices);
        tally.add(&system, "changes.txt", &|turn, plan| {
            if turn.name == "lead" { changes(turn, &sides(turn, plan, "reasoned")) } else { None }
        });
    }
    tally.settle("MARS-Bench, changes of the lead");
}

#[test]
fn mars_impact() {
    let mut tally = Tally::default();
    let is_impact = |turn: &ScriptTurn| turn.name == "impact" || turn.name == "named_impact";
    let system = System::new("mars/mars.ifs", "reasoned", "", 0..3);
    tally.add(&system, "leads.txt", &|turn, _| leads(turn).filter(|_| is_impact(turn)));
    let system = System::new("mars/chinese.ifs", "reasoned", "", 0..3);
    tally.add(&system, "leads_zh.txt", &|turn, _| leads(turn).filter(|_| is_impact(turn)));
    tally.settle("MARS-Bench, impact of a player");
}

#[test]
fn mars_problems() {
    let mut tally = Tally::default();
    for (file, variant) in [
        ("mars/mars.ifs", ""),
        ("mars/mars.ifs", "of_mathqa"),
        ("mars/chinese.ifs", ""),
        ("mars/hockey.ifs", ""),
    ] {
        let system = System::new(file, "switched", variant, 0..1);
        tally.add(&system, "option.txt", &|turn, _| {
            option(turn).filter(|_| turn.name.starts_with("aside"))
        });
    }
    tally.settle("MARS-Bench, problems");
}

#[test]
fn mars_faceoffs() {
    let mut tally = Tally::default();
    let system = System::new("mars/hockey.ifs", "retrieved", "", 0..3);
    tally.add(&system, "faceoffs.txt", &|turn, _| {
        let mut values = Values::default();
        for line in golden(turn).lines() {
            let [time, winner, loser] =
                line.split(", ").map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
            let mut one = row([("l", last_word(&winner)), ("n", winner), ("m", loser)]);
            let parts = time_parts(&time).into_iter().filter(|(name, _)| *name != "m");
            one.extend(parts.map(|(name, value)| (name.to_owned(), value)));
            values.rows.push(one);
        }
        (!values.rows.is_empty() && has_facts(turn)).then_some(values)
    });
    tally.settle("MARS-Bench, faceoffs");
}

#[test]
fn mars_shares() {
    let mut tally = Tally::default();
    let system = System::new("mars/hockey.ifs", "reasoned", "", 0..4);
    tally.add(&system, "share.txt", &|turn, plan| {
        let lines: Vec<&str> = golden(turn).lines().collect();
        let (who, rest) = lines.split_at(lines.len().checked_sub(1)?);
        let [name, share] = captures(r"^(.+): ([\d.]+)$", rest[0])?.try_into().ok()?;
        let is_share = turn.name == "most" || turn.name == "named_share";
        let other = other_side(&sides(turn, plan, "reasoned"), &name);
        is_share.then(|| {
            Values::of([
                ("who", who.first().map_or("", |who| who).to_owned()),
                ("n", name),
                ("r", other),
                ("x", share),
            ])
        })
    });
    tally.settle("MARS-Bench, shares");
}

#[test]
fn mars_figures() {
    let mut tally = Tally::default();
    let system = System::new("mars/mars.ifs", "formatted", "", 0..3);
    tally.add(&system, "figures.txt", &|turn, _| {
        let pattern = r"(?:The )?([A-Z][^\n.,]*?) made twos (\d+), threes (\d+), free throws (\d+), points (\d+)\.";
        let found = Regex::new(pattern).unwrap();
        let all: Vec<_> = found.captures_iter(golden(turn)).collect();
        let [one] = all.as_slice() else { return None };
        let mut values = Values::of([("n", one[1].to_owned())]);
        for at in 2..=5 {
            values.single.insert(format!("f{}", at - 1), one[at].to_owned());
        }
        values.replaced = one[0].to_owned();
        Some(values)
    });
    tally.settle("MARS-Bench, figures");
}

#[test]
fn mars_one_number_or_name() {
    let mut tally = Tally::default();
    for file in ["mars/ablations.ifs", "mars/ablations_hockey.ifs", "mars/ablations_chinese.ifs"] {
        let system = System::new(file, "looked_back", "", 0..2);
        tally.add(&system, "number.txt", &|turn, _| number(turn).filter(|_| has_facts(turn)));
    }
    let system = System::new("mars/ablations.ifs", "looked_back", "", 0..3);
    tally.add(&system, "name.txt", &|turn, plan| {
        let answer = golden(turn);
        let names = players(turn, plan, "looked_back");
        let other = names.iter().find(|name| *name != answer)?;
        (has_facts(turn) && names.iter().any(|name| name == answer)).then(|| {
            Values::of([("n", answer.to_owned()), ("m", other.clone()), ("all", names.join(", "))])
        })
    });
    tally.settle("MARS-Bench, one number or name");
}

#[test]
fn sharded() {
    let mut tally = Tally::default();
    let system = System::new("sharded/sharded.ifs", "sharded", "full", 0..14);
    let tasks =
        std::fs::read_to_string(root().join("scenarios/sharded/banks/tasks.jsonl")).unwrap();
    let tasks: Vec<serde_json::Value> =
        tasks.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let task = |turn: &ScriptTurn| {
        let first = |task: &&serde_json::Value| {
            turn.ask.starts_with(task["shards"][0]["text"].as_str().unwrap())
        };
        tasks.iter().find(first).map(|task| -> (String, String) {
            (task["kind"].as_str().unwrap().to_owned(), task["answer"].as_str().unwrap().to_owned())
        })
    };
    tally.add(&system, "number.txt", &|turn, _| {
        let (_, answer) = task(turn)?;
        answer.parse::<usize>().ok().map(|_| Values::of([("x", answer)]))
    });
    tally.add(&system, "time.txt", &|turn, _| {
        let (_, answer) = task(turn)?;
        let [hour, minute] = captures(r"^(\d+):(\d+)$", &answer)?.try_into().ok()?;
        let evening = (hour.parse::<usize>().unwrap() - 12).to_string();
        Some(Values::of([("h", hour), ("mm", minute), ("h12", evening)]))
    });
    tally.add(&system, "order.txt", &|turn, _| {
        let (kind, answer) = task(turn)?;
        let names: [String; 4] =
            answer.split(", ").map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
        let capital = |name: &str| name[..1].to_uppercase() + &name[1..];
        let [a, b, c, d] = names;
        (kind == "orders").then(|| {
            Values::of([
                ("A", capital(&a)),
                ("B", capital(&b)),
                ("C", capital(&c)),
                ("D", capital(&d)),
                ("a", a),
                ("b", b),
                ("c", c),
                ("d", d),
            ])
        })
    });
    tally.add(&system, "call.txt", &|turn, _| {
        let (kind, call) = task(turn)?;
        let call: String = call;
        let arguments = captures(r"^(\w+)\((.*)\)$", &call).filter(|_| kind == "calls")?;
        let list: Vec<&str> = Regex::new(r#"\w+=(?:\[[^\]]*\]|"[^"]*"|[^,]+)"#)
            .unwrap()
            .find_iter(&arguments[1])
            .map(|one| one.as_str())
            .collect();
        let call_of = |list: &[&str]| format!("{}({})", arguments[0], list.join(", "));
        let turned: Vec<&str> = list.iter().rev().copied().collect();
        let other = Regex::new(r"\d").unwrap().replace(&call, "7").into_owned();
        Some(Values::of([
            ("spaced", call.replace('=', " = ")),
            ("single", call.replace('"', "'")),
            ("curly", Regex::new(r#""([^"]*)""#).unwrap().replace_all(&call, "“$1”").into_owned()),
            ("short", call_of(&list[..list.len() - 1])),
            ("turned", call_of(&turned)),
            ("other", other),
            ("call", call),
        ]))
    });
    // The tests observe, so nothing is required: what is observed counts.
    tally.settle("sharded instructions");
}

#[test]
fn support() {
    let mut tally = Tally::default();
    let system = System::new("support/support.ifs", "shift", "", 0..4);
    let desks = ["Billing", "Network", "Hardware", "Accounts", "Software"];
    tally.add(&system, "desk.txt", &|turn, _| {
        let [name, minutes] = captures(r"^(.+): (\d+)$", golden(turn))?.try_into().ok()?;
        let shown = format!("{:?}", turn.show);
        let other = desks.iter().find(|desk| **desk != name && shown.contains(*desk))?;
        Some(Values::of([("n", name), ("m", (*other).to_owned()), ("x", minutes)]))
    });
    tally.add(&system, "tickets.txt", &|turn, _| {
        let found = captures(r"from (\w+) to (\w+), both", &turn.ask)?;
        let [first, last] = found.try_into().ok()?;
        let number = |ticket: &str| ticket[1..].parse::<usize>().ok();
        let urgent: Vec<String> = golden(turn).lines().map(str::to_owned).collect();
        let all =
            (number(&first)?..=number(&last)?).map(|number| format!("{}{number:03}", &first[..1]));
        let rest: Vec<String> = all.filter(|ticket| !urgent.contains(ticket)).collect();
        let mut values = Values::of([("first", first), ("last", last), ("rest", rest.join(", "))]);
        values.rows = urgent.into_iter().map(|ticket| row([("n", ticket)])).collect();
        (!rest.is_empty()).then_some(values)
    });
    tally.add(&system, "number.txt", &|turn, _| number(turn).filter(|_| turn.name == "lead"));
    tally.add(&system, "pause.txt", &|turn, _| {
        let [a, b, x] = captures(r"^(\w+) (\w+) (\d+)$", golden(turn))?.try_into().ok()?;
        Some(Values::of([("a", a), ("b", b), ("x", x)]))
    });
    tally.add(&system, "percent.txt", &|turn, _| {
        (turn.name == "share").then(|| Values::of([("x", golden(turn).to_owned())]))
    });
    tally.settle("support");
}

#[test]
fn chess() {
    let mut tally = Tally::default();
    let system = System::new("chess/chess.ifs", "board", "", 0..6);
    tally.add(&system, "pair.txt", &|turn, _| {
        let [x, y] = captures(r"^(\d+), (\d+)$", golden(turn))?.try_into().ok()?;
        (x != y).then(|| Values::of([("x", x), ("y", y)]))
    });
    tally.add(&system, "pieces.txt", &|turn, _| {
        let rows = golden(turn).lines().map(|piece| row([("n", piece.to_owned())])).collect();
        (turn.name == "taken").then(|| Values { rows, ..Values::default() })
    });
    tally.add(&system, "number.txt", &|turn, _| number(turn).filter(|_| turn.name == "lead"));
    tally.add(&system, "sides.txt", &|turn, _| {
        let parts = |piece: &str| {
            piece.split_once(' ').map(|(side, kind)| {
                row([("n", piece.to_owned()), ("s", side.to_owned()), ("k", kind.to_owned())])
            })
        };
        let rows: Option<Vec<_>> = golden(turn).lines().map(parts).collect();
        (turn.name == "busiest").then_some(Values { rows: rows?, ..Values::default() })
    });
    tally.settle("chess");
}

/// The expected answer of a question about pictures, for a set of forms.
fn picture_answer(answer: &str, forms: &str) -> Option<Values> {
    let bare = answer
        .trim_start_matches("in ")
        .trim_start_matches("to ")
        .trim_start_matches("the ")
        .trim_start_matches("a ")
        .trim_start_matches("an ");
    let kinds: [&[&str]; 6] = [
        &["red", "green", "blue", "yellow", "purple", "orange"],
        &["kitchen", "bedroom", "bathroom", "study", "hall", "nursery", "pantry"],
        &["tea", "soup", "juice", "milk", "water", "cocoa"],
        &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        &["left", "right"],
        &["warmer", "colder"],
    ];
    match forms {
        "number.txt" => {
            let found = captures(r"(?:^|= )(\d+)$", answer)?;
            Some(Values::of([("x", found[0].clone())]))
        }
        "yes.txt" => (answer == "yes").then(Values::default),
        "no.txt" => (answer == "no").then(Values::default),
        _ => {
            let kind = kinds.iter().find(|kind| kind.contains(&bare))?;
            let other = kind.iter().find(|other| **other != bare)?;
            Some(Values::of([
                ("n", bare.to_owned()),
                ("m", (*other).to_owned()),
                ("all", kind.join(", ")),
            ]))
        }
    }
}

#[test]
fn mmmt_if() {
    let mut tally = Tally::default();
    let system = System::new("mmmt/mmmt.ifs", "answered", "", 0..4);
    for forms in ["number.txt", "yes.txt", "no.txt", "name.txt"] {
        tally.add(&system, forms, &|turn, _| {
            let values = picture_answer(golden(turn), forms)?;
            // The other name must not be one that the question has.
            let other = values.single.get("m").cloned().unwrap_or_default();
            (other.is_empty()
                || !turn.ask.contains(&other)
                || matches!(other.as_str(), "left" | "right" | "warmer" | "colder"))
            .then_some(values)
        });
    }
    tally.settle("MMMT-IF");
}
