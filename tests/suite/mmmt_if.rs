//! MMMT-IF from end to end: instructions accumulate as in the paper, and two runs are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use ifs::script::{Drawer, Seed};
use ifs::world::FolderWorld;
use serde_json::Value as Json;
use tempfile::TempDir;

fn scenario() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/mmmt/mmmt.ifs")
}

/// Before every question a new instruction is drawn with probability 1 - given/6, from a category
/// without one, with equal chances (section 2.1).
#[test]
fn instructions_accumulate_as_in_the_paper() {
    let world = FolderWorld::new(scenario().parent().unwrap()).unwrap();
    let model = ifs::model::check(&world, "mmmt.ifs").model.expect("the scenario has no mistakes");
    let plan = ifs::plan::build(model);
    let drawer = Drawer::new(&plan, "photos").unwrap();
    // By the number of earlier instructions: turns, and turns with a new one.
    let mut chances: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut first: BTreeMap<String, f64> = BTreeMap::new();
    let dialogues = 1_500;
    for index in 0..dialogues {
        let mut given: BTreeSet<String> = BTreeSet::new();
        for turn in drawer.script(Seed(11), index) {
            let turn = turn.unwrap();
            let groups: Vec<String> =
                turn.active_constraints.iter().map(|active| active.group().to_owned()).collect();
            let now: BTreeSet<String> = groups.iter().cloned().collect();
            assert_eq!(now.len(), groups.len(), "two of one category");
            assert!(now.is_superset(&given), "one was taken back");
            let added: Vec<&String> = now.difference(&given).collect();
            assert!(added.len() <= 1, "{added:?}");
            let chance = chances.entry(given.len()).or_default();
            chance.0 += 1.0;
            if let Some(group) = added.first() {
                chance.1 += 1.0;
                if given.is_empty() {
                    *first.entry((*group).clone()).or_default() += 1.0;
                }
            }
            given = now;
        }
    }
    for (given, (turns, added)) in &chances {
        let share = 1.0 - *given as f64 / 6.0;
        let error = (share * (1.0 - share) / turns).sqrt();
        let found = added / turns;
        assert!(
            (found - share).abs() <= 4.0 * error,
            "{given} given: {found} for {share}, {turns}"
        );
    }
    assert_eq!(chances.len(), 7, "{chances:?}");
    // The first instruction is of each category equally often: chi-square with five degrees of
    // freedom, 0.1 %.
    let wanted = dialogues as f64 / 6.0;
    let square: f64 = first.values().map(|found| (found - wanted).powi(2) / wanted).sum();
    assert!(first.len() == 6 && square < 20.52, "{square} {first:?}");
}

fn ifs(folder: &Path, args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_ifs")).current_dir(folder).args(args).output();
    let ran = ran.unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{args:?}\n{out}\n{err}");
    out.into_owned()
}

fn run(folder: &Path, out: &str, more: &[&str]) -> Json {
    let scenario = scenario();
    let scenario = scenario.to_str().unwrap();
    let base = ["run", scenario, "-d", "photos", "-n", "6", "--seed", "7", "--out", out];
    ifs(folder, &[&base, more].concat());
    serde_json::from_str(&ifs(folder, &["report", out, "--format", "json"])).unwrap()
}

fn metric(report: &Json, name: &str) -> f64 {
    let all = report["metrics"].as_array().unwrap();
    all.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn from_pictures_to_a_comparison() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let oracle = run(at, "oracle", &["-m", "sim/oracle"]);
    assert_eq!((metric(&oracle, "PIF"), metric(&oracle, "PIF_N_N")), (1.0, 1.0));
    let plain = run(at, "plain", &["-m", "sim/forgetful:0.1"]);
    let reminded = run(at, "reminded", &["-m", "sim/forgetful:0.1", "--variant", "reminded"]);
    let (low, high) = (metric(&plain, "PIF"), metric(&reminded, "PIF"));
    assert!(low < high && high < 1.0, "{low} {high}");
    assert!(metric(&plain, "PIF_N_N") <= metric(&plain, "PIF_N_1"));
    // Without reminders, the oldest instruction is forgotten most often.
    let ages = plain["instructions"]["by_age"].as_array().unwrap();
    let mean = |age: &Json| age["mean"].as_f64().unwrap();
    assert!(mean(&ages[0]) > mean(&ages[8]), "{ages:?}");
    let said =
        ifs(at, &["compare", "--allow-differences", "plain", "reminded", "--format", "json"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    let pair = &said["pairs"][0];
    assert_eq!(pair["other"], "sim/forgetful:0.1, reminded");
    assert!(pair["difference"].as_f64().unwrap() < 0.0, "{pair}");
    assert_eq!(pair["dominance"], "second", "{pair}");
    // Six dialogues are six observations, however many turns they have: p is at least 1 in 64.
    assert!(pair["wilcoxon"]["second_larger"].as_f64().unwrap() < 0.05, "{pair}");
    assert!(
        ifs(at, &["compare", "--allow-differences", "plain", "reminded"]).contains("dominates")
    );
    let three = ["compare", "--allow-differences", "plain", "reminded", "oracle"];
    let rows = ifs(at, &[&three[..], &["--pairs", "--format", "csv"]].concat());
    let by_turn = rows.lines().filter(|row| row.contains(",PIF_by_turn,"));
    assert_eq!(by_turn.count(), 3, "{rows}");
    std::fs::write(at.join("marks.csv"), "judge,model,item,mark\nhuman,a,1,4\na,a,1,9\n").unwrap();
    let said = ifs(at, &["compare", "--marks", "marks.csv"]);
    assert!(said.contains("its own"), "{said}");
    marks_beside_runs(at, &plain);
}

/// Human marks of turns and dialogues against their PIF, and the preferred model.
fn marks_beside_runs(at: &Path, plain: &Json) {
    // Marks that are the PIF of the turn, from 1 to 10, and one for a turn that does not exist.
    let by_dialogue = plain["dialogues"].as_array().unwrap();
    let mut marks = "judge,model,item,mark,quality\n".to_owned();
    for turn in transcripts(&at.join("plain")) {
        let (place, share) = turn;
        marks.push_str(&format!(
            "human,sim/forgetful:0.1,{place},{},instructions\n",
            1.0 + 9.0 * share
        ));
    }
    marks.push_str("human,sim/forgetful:0.1,0/99,5,instructions\n");
    std::fs::write(at.join("turns.csv"), &marks).unwrap();
    let found = ifs(at, &["compare", "plain", "--marks", "turns.csv", "--format", "json"]);
    let found: Json = serde_json::from_str(&found).unwrap();
    let row = &found["rows"][0];
    assert_eq!((&row["score"], &row["model"]), (&Json::from("PIF"), &Json::Null), "{row}");
    assert!(row["pearson"].as_f64().unwrap() > 0.999_9, "{row}");
    assert!(row["count"].as_u64().unwrap() > by_dialogue.len() as u64, "{row}");
    assert_eq!(found["unmatched"], 1);
    let text = ifs(at, &["compare", "plain", "--marks", "turns.csv"]);
    assert!(text.contains("Marks of human on instructions beside PIF"), "{text}");
    assert!(text.contains("all runs") && text.contains("Pearson  1.00"), "{text}");
    let refused = Command::new(env!("CARGO_BIN_EXE_ifs"))
        .current_dir(at)
        .args(["compare", "plain", "--marks", "marks.csv"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("the marks are for a, and the runs are of sim/forgetful:0.1"), "{said}");
    std::fs::write(
        at.join("chosen.csv"),
        "judge,model,other,item,mark\nhuman,a,b,0/1,1\nhuman,b,a,0/2,1\nhuman,a,b,0/3,0\nhuman,a,b,0/4,1\n",
    )
    .unwrap();
    let said = ifs(at, &["compare", "--marks", "chosen.csv"]);
    assert!(said.contains("a to b: win 50.0 %, tie 25.0 %, loss 25.0 %, of 4"), "{said}");
}

/// The place of each turn of a run, and the share of its constraints that hold.
fn transcripts(folder: &Path) -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(folder.join("transcripts.jsonl")).unwrap();
    let mut found = Vec::new();
    for line in text.lines() {
        let dialogue: Json = serde_json::from_str(line).unwrap();
        for turn in dialogue["turns"].as_array().unwrap() {
            let verdicts = turn["samples"][0]["verdicts"].as_array().unwrap();
            let held = verdicts.iter().filter(|one| one["outcome"] == "held").count();
            let number = turn["script"]["turn"].as_u64().or(turn["turn"].as_u64()).unwrap();
            let place = format!("{}/{number}", dialogue["index"]);
            found.push((place, held as f64 / verdicts.len() as f64));
        }
    }
    found
}

/// The reminder at the end repeats the instructions word for word, in the order in which they were
/// given.
#[test]
fn reminders_repeat_the_instructions_word_for_word() {
    let world = FolderWorld::new(scenario().parent().unwrap()).unwrap();
    let model = ifs::model::check(&world, "mmmt.ifs").model.expect("the scenario has no mistakes");
    let plan = ifs::plan::build(model).varied("photos", "reminded").unwrap();
    let drawer = Drawer::new(&plan, "photos").unwrap();
    let mut several = 0;
    for index in 0..8 {
        let mut given: Vec<String> = Vec::new();
        for turn in drawer.script(Seed(3), index) {
            let turn = turn.unwrap();
            let of = |text: &str| -> Vec<String> {
                let lines = text.lines().filter(|line| line.starts_with("Instruction: "));
                lines.map(str::to_owned).collect()
            };
            given.extend(of(&turn.ask));
            assert_eq!(of(turn.reminder.as_deref().unwrap()), given);
            several += usize::from(given.len() == 6);
        }
    }
    assert!(several > 0, "{several} turns with six instructions");
}

/// One to twenty turns, two to five pictures, all kinds of scenes and all thirteen instructions,
/// each before its question.
#[test]
fn albums_match_the_paper() {
    let world = FolderWorld::new(scenario().parent().unwrap()).unwrap();
    let model = ifs::model::check(&world, "mmmt.ifs").model.expect("the scenario has no mistakes");
    let plan = ifs::plan::build(model);
    let drawer = Drawer::new(&plan, "album").unwrap();
    let (mut topics, mut capabilities) = (BTreeSet::new(), BTreeSet::new());
    let (mut instructions, mut sizes) = (BTreeSet::new(), BTreeSet::new());
    let mut longest = 0;
    for index in 0..16 {
        let turns: Vec<_> = drawer.script(Seed(5), index).map(Result::unwrap).collect();
        assert!((1..=20).contains(&turns.len()), "{}", turns.len());
        longest = longest.max(turns.len());
        sizes.insert(turns[0].show.len());
        assert!((2..=5).contains(&turns[0].show.len()), "{}", turns[0].show.len());
        assert!(turns[1..].iter().all(|turn| turn.show.is_empty()));
        for turn in &turns {
            let said = turn.changes.iter().filter_map(|changed| changed.after.as_ref());
            instructions.extend(said.map(|active| active.constraint.clone()));
            let (before, asked) = turn.ask.rsplit_once("\n\n").unwrap_or(("", &turn.ask));
            assert!(!asked.contains("Instruction:"), "{}", turn.ask);
            assert_eq!(before.matches("Instruction: ").count(), turn.changes.len(), "{}", turn.ask);
            let [capability, topic] = turn.classes.as_slice() else { panic!("{:?}", turn.classes) };
            capabilities.insert(capability.clone());
            topics.insert(topic.clone());
            let makes_up = capability == "capability: creating";
            assert_eq!(turn.criteria.is_empty(), makes_up, "{}", turn.ask);
        }
    }
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert_eq!((topics.len(), capabilities.len()), (6, 8), "{topics:?} {capabilities:?}");
    assert!(instructions.len() >= 12, "{instructions:?}");
    assert!(longest > 15, "{longest}");
}

/// The answer is in square brackets, or else the first number or name of a response other than
/// those of the question and of the working.
#[test]
fn right_answers_are_found_in_responses_of_any_form() {
    let folder = TempDir::new().unwrap();
    std::fs::copy(scenario().with_file_name("reading.ifs"), folder.path().join("reading.ifs"))
        .unwrap();
    std::fs::write(
        folder.path().join("main.ifs"),
        r#"ifs 1
import reading "reading.ifs"
use reading.*
constraint jars {
  say   "In picture 1: Count the jars."
  check is_right(it, "4", "In picture 1: Count the jars.")
  test {
    pass "There are 4 jars in picture 1, next to 8 other things."
    pass "Surely four jars are there! Seven other things are next to them!"
    pass "Besides 8 boxes and 2 tins there are [4] jars! Sixteen things are on the shelf!"
    pass "So I count 1 red jar, 2 blue ones and 1 green one: [4 jars] in all."
    pass "**[four]**, which is not bigger than 6."
    pass "\\[ 4 \\]"
    pass "In [picture 1] there are [4] jars."
    fail "There are 4 jars, and the number is [6]."
    fail "It is [3] or [4]."
    fail "[3 or 4], 4 being likely."
    fail "[1, 2, 3, 4, 5]"
    fail "1, 2, 3, 4, 5 jars."
    fail "Picture 4 has 3 jars."
    fail "Sorry, I cannot tell."
    fail ""
  }
}
constraint price {
  say   "What do the two cost together?"
  check is_right(it, "3 + 4 = 7", "In picture 2: What do the red tin and the blue jar cost together?")
  test {
    pass "They cost 3 and 4, so 7 together."
    pass "Together they cost 7."
    pass "The tin costs 3, the jar 4. That makes [3 + 4 = 7]!"
    pass "Seeing 10 prices in all, [7] is what they cost together."
    fail "They cost [3] and [4]."
    fail "3 + 4 = [8]"
    fail "They cost 3 and 4, so 8 together."
    fail "3, 4."
  }
}
constraint room {
  say   "Which room is below the hall?"
  check is_right(it, "the study", "In picture 2: Which room is directly below the hall on the plan?")
  test {
    pass "Below the hall is the study, not the kitchen."
    pass "Some 8 rooms later: beside the kitchen, below the hall, is [the study]!"
    pass "[The study is below the hall]"
    fail "The study is beside [the kitchen]."
    fail "[the kitchen or the study]"
    fail "The kitchen or the study."
    fail "The hall."
  }
}
constraint door {
  say   "Is there a door between them?"
  check is_right(it, "no", "Is there a door between the hall and the study?")
  test {
    pass "No, there is a wall."
    pass "Yes and no are the choices, so: [no]."
    pass "[There is no door]"
    fail "No door is drawn? [Yes]"
    fail "[yes] [no]"
    pass "Sadly, there is not any door between the hall and the study!"
    fail "Yes, there is no wall."
    fail "A door leads from the hall to the study."
    fail "Sorry, I cannot see it."
    fail ""
  }
}
constraint tin {
  say   "What is the cheapest thing?"
  check is_right(it, "the red tin", "What is the cheapest thing on the shelf?")
  test {
    pass "The red tin, which costs 2."
    pass "Beside the blue jar, with 8 others, is the cheapest thing: [a red tin]."
    fail "The red tin is not it, but [the blue tin]."
    fail "[the red tin or the red jar]"
    fail "The red jar."
    fail "The blue tin."
  }
}
// Two names and then two numbers are in the same order.
constraint sold {
  say   "List the drinks with the cups sold of each."
  check every thing in ["tea 12", "soup 3"]: is_listed(it, thing)
  test {
    pass "2 drinks: tea 12, soup 3"
    pass "Surely 12 cups of tea and 3 cups of soup were sold!"
    pass "| tea | 12 |\n| soup | 3 |"
    pass "Tea: 12. Soup: 3. That is 8 more than 7."
    fail "Tea 3, soup 12."
    pass "Tea, soup: 12, 3."
    fail "Tea, soup: 3, 12."
    fail "12 cups of tea were sold."
  }
}
constraint board {
  say   "Which shapes are there?"
  check every thing in ["large red triangle", "small blue square"]: is_listed(it, thing)
  test {
    pass "A large red triangle and two small blue squares."
    pass "A RED large triangle is next to a blue small square."
    fail "A large blue triangle and a small red square."
    fail "A small red triangle, large blue square, small blue circle."
    fail "Large and small red and blue triangles and squares."
    fail "A red triangle and a blue square."
  }
}
constraint noon {
  say   "How warm was it on Monday?"
  check is_right(it, "about 21 degrees", "About how warm was it on Monday?")
  test {
    pass "About 20 degrees."
    pass "On a scale up to 30 it was [about 20 degrees]."
    fail "It was [20 to 22 degrees]."
    pass "22."
    fail "About 25 degrees."
  }
}
"#,
    )
    .unwrap();
    let said = ifs(folder.path(), &["test", "main.ifs"]);
    assert!(said.contains(" 0 failed"), "{said}");
}
