//! Hedging responses: everything at once, both sides of an alternative, values exchanged or off by
//! one, nothing, the question repeated. Each is evaluated for every drawn turn of the shipped
//! scenarios that has facts, and must not pass; the right answer must.

use std::path::Path;

use ifs::judge::{Exchange, VerdictRecord, evaluate_constraints};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::script::{CriterionKind, Drawer, ScriptTurn, Seed, ShownContent};
use ifs::world::FolderWorld;
use regex::Regex;

fn plan(path: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(path);
    let world = FolderWorld::new(path.parent().unwrap()).unwrap();
    let checked = check(&world, path.file_name().unwrap().to_str().unwrap());
    build(checked.model.expect("a scenario without mistakes"))
}

fn turns(plan: &Plan, dialogue: &str, index: u64) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, dialogue).unwrap();
    drawer.script(Seed(1), index).map(|turn| turn.unwrap()).collect()
}

/// The metric `points` of a response, and whether all rules held.
struct Marked {
    points: f64,
    all_held: bool,
    missed: Vec<String>,
}

fn mark(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    answer: &str,
    replies: &[String],
) -> Marked {
    let exchange = Exchange { dialogue, turn, answer, note: None, replies, extracted: &[] };
    let verdicts = evaluate_constraints(plan, &exchange, &[]);
    let held = |kind, name: &str| {
        let found = verdicts.iter().find(|one| one.kind == Some(kind) && one.constraint == name);
        found.is_some_and(|one| !one.outcome.is_missed())
    };
    let facts = || turn.criteria.iter().filter(|one| one.kind == CriterionKind::Fact);
    let worth: f64 = facts().filter_map(|fact| fact.points).sum();
    let got: f64 =
        facts().filter(|fact| held(fact.kind, &fact.name)).filter_map(|fact| fact.points).sum();
    let is_void = turn
        .criteria
        .iter()
        .any(|one| one.kind == CriterionKind::Void && !held(one.kind, &one.name));
    let missed: Vec<String> =
        verdicts.iter().filter(|one| one.outcome.is_missed()).map(VerdictRecord::key).collect();
    let points = if is_void || worth <= 0.0 { 0.0 } else { got / worth };
    Marked { points, all_held: missed.is_empty(), missed }
}

/// Whether a response to the turn is right or wrong: it states facts, or something is required of
/// it.
fn is_scored(turn: &ScriptTurn) -> bool {
    let scored = [CriterionKind::Fact, CriterionKind::Requirement];
    turn.criteria.iter().any(|one| scored.contains(&one.kind))
}

/// Whether a response passes: all verdicts hold; if it has
/// only points, it has all of them.
fn passes(turn: &ScriptTurn, marked: &Marked) -> bool {
    let requires = turn.criteria.iter().any(|one| one.kind == CriterionKind::Requirement);
    marked.all_held || (!requires && marked.points >= 1.0 - 1e-9)
}

fn shown(turn: &ScriptTurn) -> String {
    let lines = turn.show.iter().filter_map(|shown| match shown {
        ShownContent::Text(line) | ShownContent::Tool { text: line, .. } => Some(line.as_str()),
        ShownContent::Image(_) => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text with two of its parts in each other's place.
fn swapped(text: &str, one: &str, other: &str) -> String {
    text.replace(one, "\u{1}").replace(other, one).replace('\u{1}', other)
}

/// The names of the sides and the players of the current record, by side.
fn names(plan: &Plan, dialogue: &str, turn: &ScriptTurn) -> (Vec<String>, Vec<String>) {
    let record = turn.over.as_ref().and_then(|key| {
        let (from, _) = plan.dialogue(dialogue)?.table.over.as_ref()?;
        plan.record_called(from, key)
    });
    let (mut sides, mut players) = (Vec::new(), Vec::new());
    for team in record
        .iter()
        .flat_map(|game| game.field("teams"))
        .flat_map(|teams| teams.as_list())
        .flatten()
    {
        sides.extend(team.field("name").and_then(|name| name.as_str()).map(str::to_owned));
        let of = team.field("players").and_then(|players| players.as_list());
        players.extend(of.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)));
    }
    (sides, players)
}

/// The numbers of a text, with their places.
fn numbers(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let number = Regex::new(r"\d+(?:[:.]\d+)?").unwrap();
    number.find_iter(text).map(|found| (found.range(), found.as_str().to_owned())).collect()
}

fn one_more(number: &str) -> String {
    let end = number.rfind([':', '.']).map_or(0, |at| at + 1);
    let (head, tail) = number.split_at(end);
    format!("{head}{:0width$}", tail.parse::<u64>().unwrap() + 1, width = tail.len())
}

/// Whether a text has a word of the kind of the right answer's words (letters, digits or both) that is not one of them;
/// only then does it say something else.
fn says_else(text: &str, golden: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts =
            text.split(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty());
        parts.map(str::to_lowercase).collect()
    };
    let kind = |word: &String| {
        (word.contains(|mark: char| mark.is_ascii_digit()), word.contains(char::is_alphabetic))
    };
    let right = words(golden);
    words(text)
        .iter()
        .any(|word| !right.contains(word) && right.iter().any(|own| kind(own) == kind(word)))
}

/// Whether all lines of a text are the same but for their numbers.
fn is_list_of_numbers(text: &str) -> bool {
    let plain = |line: &str| line.replace(|mark: char| mark.is_ascii_digit(), "");
    let mut lines = text.trim().lines().map(plain);
    lines.next().is_some_and(|first| {
        let rest: Vec<String> = lines.collect();
        !rest.is_empty() && rest.iter().all(|line| *line == first)
    })
}

/// Whether a text gives two names the same number, each behind the name.
fn have_the_same(text: &str, one: &str, other: &str) -> bool {
    let after = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        numbers(rest).into_iter().next().map(|(_, number)| number)
    };
    after(one).is_some() && after(one) == after(other)
}

/// Wrong responses derived from the right one, each with its change.
fn wrong(right: &str, sides: &[String], players: &[String]) -> Vec<(&'static str, String)> {
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    // The text between `<Summary>` marks and above a verse has its own numbers: each is changed
    // alone.
    let mut found = numbers(right);
    found.truncate(8);
    for (place, number) in &found {
        let with = |new: &str| format!("{}{new}{}", &right[..place.start], &right[place.end..]);
        let more = one_more(number);
        wrong.push(("a number off by one", with(&more)));
        wrong.push(("a number or the next one", with(&format!("{number} or {more}"))));
        // One more of a list names what the list has anyway.
        if !is_list_of_numbers(right) || found.iter().all(|(_, other)| *other != more) {
            wrong.push(("a number and the next one", with(&format!("{number}, {more}"))));
        }
        wrong.push(("a number and the next one", with(&format!("{more}/{number}"))));
    }
    for pair in found.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let value = |number: &str| number.parse::<f64>().ok();
        if first != second && (value(first).is_none() || value(first) != value(second)) {
            let text = format!(
                "{}{second}{}{first}{}",
                &right[..one.start],
                &right[one.end..other.start],
                &right[other.end..]
            );
            wrong.push(("two numbers swapped", text));
        }
    }
    let tied = found.windows(2).any(|pair| pair[0].1 == pair[1].1);
    if let [one, other] = sides {
        let named = right.contains(one.as_str()) || right.contains(other.as_str());
        if named && !tied {
            wrong.push(("the sides swapped", swapped(right, one, other)));
        }
        for side in [one, other].into_iter().filter(|side| right.contains(side.as_str())) {
            wrong.push(("either side", right.replace(side.as_str(), &format!("{one} or {other}"))));
            // `Gulls 3, Gulls, Cranes 3` gives both their number if it is the same.
            if !have_the_same(right, one, other) {
                let both = format!("{one}, {other}");
                wrong.push(("both sides", right.replace(side.as_str(), &both)));
            }
        }
        if named && !tied {
            let both = format!("{right} Or else: {}", swapped(right, one, other));
            wrong.push(("it and its opposite", both));
        }
    }
    for player in players.iter().filter(|player| right.contains(player.as_str())).take(2) {
        // A name that is a part of another one is distinguished by the scenario, and not here.
        if players.iter().filter(|other| other.contains(player.as_str())).count() > 1 {
            continue;
        }
        let Some(other) = players.iter().find(|other| !right.contains(other.as_str())) else {
            continue;
        };
        wrong.push(("another player", right.replace(player.as_str(), other)));
        let all = players.join(", ");
        wrong.push(("all players", right.replace(player.as_str(), &all)));
        wrong.push((
            "either player",
            right.replace(player.as_str(), &format!("{player} or {other}")),
        ));
    }
    wrong
}

/// A reply without the line of its tags, which are not about the match.
fn without_tags(text: &str) -> &str {
    text.split_once('\n').filter(|(first, _)| first.starts_with('[')).map_or(text, |(_, rest)| rest)
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.trim().lines().collect();
    lines.sort_unstable();
    lines
}

/// The errors of a dialogue: each wrong response that passes, each right one that does not.
fn faults(plan: &Plan, name: &str, dialogue: &str, index: u64) -> (usize, Vec<String>) {
    let turns = turns(plan, dialogue, index);
    let right: Vec<String> =
        turns.iter().map(|turn| turn.golden.clone().unwrap_or_default()).collect();
    let everything = right.join("\n");
    let said: Vec<String> = turns.iter().map(shown).collect();
    let (mut faults, mut tried) = (Vec::new(), 0);
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| is_scored(turn)) {
        let replies = &right[..at];
        let place = format!("{name} {index} turn {} {}", turn.turn, turn.name);
        let golden = right[at].as_str();
        let marked = mark(plan, dialogue, turn, golden, replies);
        let states = turn.criteria.iter().any(|one| one.kind == CriterionKind::Fact);
        if !marked.all_held || (states && marked.points < 1.0 - 1e-9) {
            faults.push(format!("{place}: the right answer misses {:?}: {golden}", marked.missed));
        }
        // The first turn of a name represents those after it.
        if turns[..at].iter().any(|other| other.name == turn.name && is_scored(other)) {
            continue;
        }
        let (sides, players) = names(plan, dialogue, turn);
        let mut tries = wrong(golden, &sides, &players);
        let others = right.iter().zip(&turns).filter(|(text, other)| {
            other.name == turn.name && without_tags(text) != without_tags(golden)
        });
        for (other, _) in others.take(2) {
            tries.push(("another turn's answer", other.clone()));
            tries.push(("it or another turn's answer", format!("{golden} or {other}")));
            if says_else(other, golden) {
                tries.push(("another turn's answer first", format!("{other}\n{golden}")));
            }
        }
        let listed = said[at.saturating_sub(2)..=at].join("\n");
        let all_numbers: Vec<String> = (0..150).map(|number| number.to_string()).collect();
        let dump = format!("{} {} {}", sides.join(" "), players.join(" "), all_numbers.join(" "));
        let mut rest = right.iter().zip(&turns).filter(|(_, other)| is_scored(other));
        if rest.any(|(other, _)| says_else(other, golden)) {
            tries.push(("everything that was shown", format!("{golden}\n{listed}\n{everything}")));
            tries.push(("all answers at once", everything.clone()));
        }
        // Without another answer of its kind, a response that begins and ends with the right one only quotes what it
        // was shown, which counts against it no more than other text. The quotation alone is no answer.
        tries.push(("what was shown", listed.clone()));
        tries.push(("every name and number", dump.clone()));
        tries.push(("every name and number in each line", [dump.as_str(); 6].join("\n")));
        tries.push(("nothing", String::new()));
        tries.push(("blanks", " \n ".to_owned()));
        tries.push(("one word", "Yes.".to_owned()));
        tries.push(("one number", "777".to_owned()));
        tries.push(("a denial", format!("It is not so that {golden}").replace('\n', "\nnot ")));
        tries.push(("the question", turn.ask.clone()));
        tries.push(("the message", format!("{}\n{}", said[at], turn.ask)));
        for (what, text) in tries {
            // A list may be in any order.
            if sorted(&text) == sorted(golden) {
                continue;
            }
            tried += 1;
            let marked = mark(plan, dialogue, turn, &text, replies);
            if passes(turn, &marked) {
                let text: String = text.chars().take(300).collect();
                let all = if marked.all_held { "all held" } else { "all points" };
                faults.push(format!("{place}: {what}, {all}: {text:?} for {golden:?}"));
            }
        }
    }
    (tried, faults)
}

fn hold(path: &str, dialogue: &str, variant: &str, indices: std::ops::Range<u64>) {
    let plain = plan(path);
    let plan = if variant.is_empty() { plain } else { plain.varied(dialogue, variant).unwrap() };
    let (mut all, mut tried) = (Vec::new(), 0);
    for index in indices {
        let (count, faults) =
            faults(&plan, &format!("{path} {dialogue} {variant}"), dialogue, index);
        tried += count;
        all.extend(faults);
    }
    assert!(tried >= 20, "{path} {dialogue}: {tried}");
    let shown: Vec<&String> = all.iter().take(40).collect();
    assert!(all.is_empty(), "{} of {tried}\n{shown:#?}", all.len());
}

macro_rules! hedged {
    ($($name:ident: $path:literal $dialogue:literal $variant:literal $indices:expr;)*) => {
        $(#[test] fn $name() { hold($path, $dialogue, $variant, $indices); })*
    };
}

hedged! {
    formatted: "mars/mars.ifs" "formatted" "" 0..1;
    formatted_as_released: "mars/mars.ifs" "formatted" "as_released" 0..1;
    retrieved: "mars/mars.ifs" "retrieved" "" 0..1;
    retrieved_logs: "mars/mars.ifs" "retrieved" "logs" 0..1;
    reasoned: "mars/mars.ifs" "reasoned" "" 0..1;
    switched: "mars/mars.ifs" "switched" "" 0..1;
    switched_of_mathqa: "mars/mars.ifs" "switched" "of_mathqa" 0..1;
    told_in: "mars/ablations.ifs" "told_in" "" 0..1;
    told_at_once: "mars/ablations.ifs" "told_in" "at_once" 0..1;
    looked_back: "mars/ablations.ifs" "looked_back" "" 0..2;
    kept_up: "mars/ablations.ifs" "kept_up" "" 0..1;
    told_at_once_hockey: "mars/ablations_hockey.ifs" "told_in" "at_once" 0..1;
    looked_back_hockey: "mars/ablations_hockey.ifs" "looked_back" "" 0..2;
    kept_up_hockey: "mars/ablations_hockey.ifs" "kept_up" "at_once" 0..1;
    formatted_hockey: "mars/hockey.ifs" "formatted" "" 0..1;
    retrieved_hockey: "mars/hockey.ifs" "retrieved" "" 0..1;
    reasoned_hockey: "mars/hockey.ifs" "reasoned" "" 0..2;
    switched_hockey: "mars/hockey.ifs" "switched" "" 0..1;
    formatted_chinese: "mars/chinese.ifs" "formatted" "" 0..1;
    retrieved_chinese: "mars/chinese.ifs" "retrieved" "" 0..1;
    reasoned_chinese: "mars/chinese.ifs" "reasoned" "" 0..1;
    switched_chinese: "mars/chinese.ifs" "switched" "" 0..1;
    told_in_chinese: "mars/ablations_chinese.ifs" "told_in" "" 0..1;
    looked_back_chinese: "mars/ablations_chinese.ifs" "looked_back" "" 0..2;
    shift: "support/support.ifs" "shift" "" 0..4;
    board: "chess/chess.ifs" "board" "" 0..4;
    pictures: "mmmt/mmmt.ifs" "answered" "" 0..3;
}

#[path = "hedging/form.rs"]
mod form;
