//! Numbers that a user quotes: scores over all responses to a turn, the ends of dialogues under other
//! verdicts, the noise of simulated models, what was run and what it is called.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::cli::ifs;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn json_of(at: &Path, args: &[&str]) -> Json {
    serde_json::from_str(&ifs(at, &[args, &["--format", "json"]].concat()).ends(0).out).unwrap()
}

fn metric(report: &Json, name: &str) -> f64 {
    let all = report["metrics"].as_array().unwrap();
    let found = all.iter().find(|metric| metric["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {all:?}"));
    found["value"].as_f64().unwrap_or_else(|| panic!("{found}"))
}

fn transcripts(at: &Path, run: &str) -> Vec<Json> {
    let text = fs::read_to_string(at.join(run).join("transcripts.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn turns(at: &Path, run: &str) -> Vec<Json> {
    let all = transcripts(at, run).into_iter();
    all.flat_map(|dialogue| dialogue["turns"].as_array().unwrap().clone()).collect()
}

/// For each response to each turn, whether all verdicts on it are held.
fn held(turn: &Json) -> Vec<bool> {
    let samples = turn["samples"].as_array().unwrap().iter();
    let verdicts = samples.map(|sample| sample["verdicts"].as_array().unwrap());
    verdicts.map(|all| all.iter().all(|verdict| verdict["outcome"] == "held")).collect()
}

#[track_caller]
fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-9, "{found}, not {wanted}");
}

/// Five responses to each of two turns.
const MANY: &str = r#"ifs 1
benchmark many { version "0.1.0" }
constraint short(n: int in 5..=60) { say "Use at most {{ n }} words." withdraw "Any." check count(word) <= n }
metric mean_of_samples of turn { return mean(samples each it.held) }
metric some_of_two of turn { return 1 - chance_of_all(2, count(samples where not it.held), len(samples)) }
dialogue d {
  param k: int in 1..=100000
  impose 1 from short scope dialogue
  sample 5
  report mean_of_samples, some_of_two, CSR_mean, ISR_mean, ISR
  turn a { ask "Question {{ k }}?" }
  turn b { ask "And {{ k }} again?" }
}
"#;

#[test]
fn every_response_counts_in_the_mean_and_in_own_metrics() {
    let folder = folder(&[("a.ifs", MANY)]);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/noisy:0.4", "-n", "30", "--out", "run"]).ends(0);
    let all: Vec<Vec<bool>> = turns(at, "run").iter().map(held).collect();
    assert_eq!((all.len(), all.iter().map(Vec::len).sum::<usize>()), (60, 300));
    let share = |turn: &Vec<bool>| turn.iter().filter(|held| **held).count() as f64 / 5.0;
    let mean = all.iter().map(share).sum::<f64>() / 60.0;
    let first = all.iter().filter(|turn| turn[0]).count() as f64 / 60.0;
    assert!(mean != first && (0.2..0.9).contains(&mean), "{mean} {first}");
    let report = json_of(at, &["score", "run"]);
    near(metric(&report, "ISR"), first);
    near(metric(&report, "ISR_mean"), mean);
    near(metric(&report, "CSR_mean"), mean);
    near(metric(&report, "mean_of_samples"), mean);
    // pass@k and pass^k by counting all pairs, triples, … of the five responses.
    let subsets = |turn: &[bool], k: u32, counts: &dyn Fn(&[bool]) -> bool| {
        let chosen = (0_u32..32).filter(|bits| bits.count_ones() == k);
        let members = |bits: u32| -> Vec<bool> {
            (0..5).filter(|at| bits & (1 << at) != 0).map(|at| turn[at]).collect()
        };
        let (good, of) = chosen
            .fold((0, 0), |(good, of), bits| (good + u32::from(counts(&members(bits))), of + 1));
        f64::from(good) / f64::from(of)
    };
    let by_count = report["samples"]["by_count"].as_array().unwrap();
    assert_eq!((by_count.len(), &report["samples"]["responses"]), (5, &json!(300)));
    for row in by_count {
        let k = row["k"].as_u64().unwrap() as u32;
        let over = |counts: &dyn Fn(&[bool]) -> bool| {
            all.iter().map(|turn| subsets(turn, k, counts)).sum::<f64>() / 60.0
        };
        let some = over(&|members| members.contains(&true));
        near(row["pass_at_k"]["value"]["number"].as_f64().unwrap(), some);
        near(
            row["pass_all_k"]["value"]["number"].as_f64().unwrap(),
            over(&|members| !members.contains(&false)),
        );
        if k == 2 {
            near(metric(&report, "some_of_two"), some);
        }
        // Thirty dialogues, and not three hundred responses.
        assert_eq!(row["pass_at_k"]["count"], 60);
    }
    for format in ["text", "html", "markdown", "latex"] {
        let shown = ifs(at, &["report", "run", "--format", format]).ends(0);
        let plain = shown.out.replace("&#64;", "@");
        assert!(plain.contains("pass@"), "{format}: {}", shown.out);
    }
}

/// Responses to dialogues nested in them vary more between dialogues than within: the error is that of
/// the thirty dialogues, so ten copies of one response to each turn change nothing.
#[test]
fn copies_of_a_response_make_no_error_smaller() {
    let folder = folder(&[("a.ifs", MANY)]);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/noisy:0.4", "-n", "30", "--samples", "1", "--out", "one"])
        .ends(0);
    let lines: String = transcripts(at, "one")
        .iter()
        .flat_map(|dialogue| {
            dialogue["turns"].as_array().unwrap().iter().flat_map(move |turn| {
                (0..5).map(move |sample| {
                    json!({"dialogue": "d", "index": dialogue["index"], "turn": turn["turn"], "sample": sample,
                        "answer": turn["samples"][0]["answer"]}).to_string() + "\n"
                })
            })
        })
        .collect();
    fs::write(at.join("copies.jsonl"), lines).unwrap();
    ifs(at, &["run", "a.ifs", "-m", "replay:copies.jsonl", "-n", "30", "--out", "five"]).ends(0);
    let error = |run: &str, name: &str| {
        let report = json_of(at, &["score", run]);
        let all = report["metrics"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["standard_error"].as_f64().unwrap()
    };
    near(error("five", "mean_of_samples"), error("one", "mean_of_samples"));
    near(error("five", "ISR_mean"), error("one", "ISR"));
}

/// Ten turns of a patient user, whose responses have five words.
const PATIENT: &str = r#"ifs 1
benchmark patient { version "1.0.0" }
dialogue d {
  param k: int in 1..=100000
  patience 3
  report EDR_len, CSR
  end when patience == 0
  for t in 1..=10 {
    turn a { ask "Question {{ k }}, part {{ t }}?" require brief count(word) <= 9 }
  }
}
"#;

fn patient() -> TempDir {
    let strict = PATIENT.replace("<= 9", "<= 3").replace("1.0.0", "1.1.0");
    let hasty = strict.replace("patience 3", "patience 1");
    let mut lines = String::new();
    for index in 0..4 {
        for turn in 1..=10 {
            let answer = "One two three four five.";
            let line = json!({"dialogue": "d", "index": index, "turn": turn, "answer": answer});
            lines.push_str(&(line.to_string() + "\n"));
        }
    }
    folder(&[
        ("a.ifs", PATIENT),
        ("strict.ifs", &strict),
        ("hasty.ifs", &hasty),
        ("given.jsonl", &lines),
    ])
}

#[test]
fn other_verdicts_end_dialogues_where_a_run_would() {
    let folder = patient();
    let at = folder.path();
    for (scenario, run) in [("a.ifs", "mild"), ("strict.ifs", "strict"), ("hasty.ifs", "hasty")] {
        ifs(at, &["run", scenario, "-m", "replay:given.jsonl", "-n", "4", "--out", run]).ends(0);
    }
    let length = |args: &[&str]| metric(&json_of(at, args), "EDR_len");
    near(length(&["score", "mild"]), 10.0);
    for (scenario, run, wanted) in [("strict.ifs", "strict", 3.0), ("hasty.ifs", "hasty", 1.0)] {
        near(length(&["score", run]), wanted);
        near(length(&["score", "mild", "--under", scenario]), wanted);
    }
    // A milder definition would have gone on after the recording's end: that is not its end.
    let ran = ifs(at, &["score", "strict", "--under", "a.ifs"]).ends(0);
    ran.says("would have gone on");
    let endings = json_of(at, &["score", "strict", "--under", "a.ifs"])["endings"].clone();
    assert!(endings.to_string().contains("unrecorded"), "{endings}");
    // Under its own definition nothing is cut, and nothing goes on.
    let own = ifs(at, &["score", "strict", "--under", "strict.ifs"]).ends(0);
    assert!(!own.err.contains("would have gone on"), "{}", own.err);
}

#[test]
fn simulated_models_draw_their_mistakes_independently() {
    let folder = folder(&[("a.ifs", MANY)]);
    let at = folder.path();
    let mistakes = |model: &str, run: &str| -> Vec<bool> {
        let args = ["run", "a.ifs", "-m", model, "-n", "100", "--samples", "1", "--out", run];
        ifs(at, &args).ends(0);
        turns(at, run).iter().map(|turn| !held(turn)[0]).collect()
    };
    let both = |one: &[bool], other: &[bool]| {
        one.iter().zip(other).filter(|(one, other)| **one && **other).count()
    };
    let (one, other) = (mistakes("sim/noisy:0.5", "a"), mistakes("sim/noisy:0.50", "b"));
    let counts = [&one, &other].map(|all| all.iter().filter(|missed| **missed).count());
    // Of 200 turns each misses a hundred, and a quarter of all is missed by both: within 4 errors.
    assert!(counts.iter().all(|count| (70..=130).contains(count)), "{counts:?}");
    let shared = both(&one, &other);
    assert!((26..=75).contains(&shared), "{shared} of {counts:?}");
    let same = mistakes("sim/noisy:0.5,shared", "c");
    assert_eq!(same, mistakes("sim/noisy:0.50,shared", "d"));
    // With shared noise whoever errs less errs where the other does.
    let fewer = mistakes("sim/noisy:0.3,shared", "e");
    assert_eq!(both(&fewer, &same), fewer.iter().filter(|missed| **missed).count());
    // A model is the same on every machine and in every run.
    assert_eq!(one, mistakes("sim/noisy:0.5", "f"));
}

/// Thirty runs of two models that differ by 0.15: the planned number of dialogues finds the difference
/// about as often as planned, and not always.
#[test]
fn comparisons_separate_as_often_as_planned() {
    let scenario = MANY.replace("sample 5", "").replace("metric", "// metric");
    let scenario = scenario
        .replace("report mean_of_samples, some_of_two, CSR_mean, ISR_mean, ISR", "report ISR");
    let folder = folder(&[("a.ifs", &scenario)]);
    let at = folder.path();
    let mut found = 0;
    for seed in 1..=30 {
        let seed = seed.to_string();
        for model in ["sim/noisy:0.30", "sim/noisy:0.45"] {
            let out = format!("{}-{seed}", &model[10..]);
            let args = ["run", "a.ifs", "-m", model, "-n", "60", "--seed", &seed, "--out", &out];
            ifs(at, &args).ends(0);
        }
        let (one, other) = (format!("0.30-{seed}"), format!("0.45-{seed}"));
        let compared = json_of(at, &["compare", &one, &other, "--metric", "ISR"]);
        let p = compared["metrics"][0]["pairs"][0]["p"].as_f64().unwrap();
        found += u32::from(p < 0.05);
    }
    // 60 dialogues of two turns: errors of 0.042 and 0.045 give a difference of 0.15 in 0.062, so a
    // power of 68 %; within 4 errors of 30 trials. With shared noise all 30 are found.
    assert!((10..=29).contains(&found), "{found}");
}

#[test]
fn replayed_responses_of_real_models_are_not_simulated() {
    let folder = patient();
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "replay:given.jsonl", "-n", "4", "--out", "run"]).ends(0);
    let shown = ifs(at, &["score", "run"]).ends(0);
    assert!(!shown.out.contains("SIMULATED"), "{}", shown.out);
    shown.says("the responses were replayed from a file");
    let report = json_of(at, &["score", "run"]);
    assert_eq!(report["simulated"]["model"], false);
    // Those of a simulated model stay simulated.
    ifs(at, &["run", "a.ifs", "-m", "sim/noisy:0.1", "-n", "4", "--out", "sim"]).ends(0);
    let replayed = "replay:sim/transcripts.jsonl";
    ifs(at, &["run", "a.ifs", "-m", replayed, "-n", "4", "--out", "again"]).ends(0);
    ifs(at, &["score", "again"]).ends(0).says("SIMULATED MODEL");
    assert_eq!(json_of(at, &["score", "again"])["replayed"]["model"], "sim/noisy:0.1");
}

/// Six models with verdicts, and one without a single judged item.
#[test]
fn a_run_with_nothing_judged_leaves_the_others() {
    let scenario = PATIENT.replace("count(word) <= 9", "judge \"Is it brief?\"");
    let folder = folder(&[("a.ifs", &scenario)]);
    let at = folder.path();
    let noisy: Vec<String> = (1..=6).map(|step| format!("sim/noisy:0.{step}")).collect();
    for model in &noisy {
        let out = model.replace(['/', ':'], "-");
        let args = ["run", "a.ifs", "-m", model, "--judge", "sim/judge", "-n", "8", "--out", &out];
        ifs(at, &args).ends(0);
    }
    let lines: String = (0..8)
        .flat_map(|index| (1..=10).map(move |turn| (index, turn)))
        .map(|(index, turn)| {
            json!({"dialogue": "d", "index": index, "turn": turn, "answer": "Yes."}).to_string()
                + "\n"
        })
        .collect();
    fs::write(at.join("bare.jsonl"), lines).unwrap();
    ifs(at, &["run", "a.ifs", "-m", "replay:bare.jsonl", "-n", "8", "--out", "bare"]).ends(0);
    let runs: Vec<String> = noisy.iter().map(|model| model.replace(['/', ':'], "-")).collect();
    let mut args = vec!["compare", "bare"];
    args.extend(runs.iter().map(String::as_str));
    let all = ifs(at, &args).ends(0);
    for model in &noisy {
        assert!(all.out.contains(model.as_str()), "{model}: {}", all.out);
    }
    all.says("nothing was judged");
    // Of two runs there must be something to compare.
    let pair = ifs(at, &["compare", "bare", &runs[0]]);
    assert_ne!(pair.status, Some(0), "{}", pair.out);
}

/// No dialogue missed anything: the interval says that it is of one value, and is within the range.
#[test]
fn intervals_stay_in_their_range() {
    let folder = patient();
    let at = folder.path();
    ifs(at, &["run", "strict.ifs", "-m", "replay:given.jsonl", "-n", "4", "--out", "run"]).ends(0);
    let report = json_of(at, &["score", "run"]);
    let all = report["metrics"].as_array().unwrap();
    let length = all.iter().find(|metric| metric["name"] == "EDR_len").unwrap();
    assert_eq!(length["interval"], json!({"lower": 3.0, "upper": 3.0, "single": true}));
    ifs(at, &["score", "run"]).ends(0).says("in every dialogue");
    // Half of a few dialogues are short: no interval of lengths goes below zero.
    let mixed = "ifs 1\nbenchmark m { version \"1.0.0\" }\nmetric misses of dialogue lower is better { return count(turns where it.missed) }\n\
        dialogue d {\n  param k: int in 1..=100000\n  report misses\n  turn a { ask \"Question {{ k }}?\" require brief count(word) <= 3 }\n  \
        turn b { ask \"Again, {{ k }}?\" require brief count(word) <= 3 }\n}\n";
    fs::write(at.join("mixed.ifs"), mixed).unwrap();
    let lines: String = (0..9)
        .flat_map(|index| (1..=2).map(move |turn| (index, turn)))
        .map(|(index, turn)| {
            let answer = if index == 8 { "One two three four." } else { "Yes." };
            json!({"dialogue": "d", "index": index, "turn": turn, "answer": answer}).to_string()
                + "\n"
        })
        .collect();
    fs::write(at.join("mixed.jsonl"), lines).unwrap();
    ifs(at, &["run", "mixed.ifs", "-m", "replay:mixed.jsonl", "-n", "9", "--out", "mixed"]).ends(0);
    let report = json_of(at, &["score", "mixed"]);
    let misses = report["metrics"].as_array().unwrap();
    let misses = misses.iter().find(|metric| metric["name"] == "misses").unwrap();
    near(misses["value"].as_f64().unwrap(), 2.0 / 9.0);
    assert!(misses["interval"]["lower"].as_f64().unwrap() >= 0.0, "{misses}");
}

/// Author, licence, paper and address are where the numbers are, and when they were made.
#[test]
fn credits_and_dates_are_in_every_format() {
    let scenario = "ifs 1\nbenchmark b { title \"T\" version \"1.0.0\" author \"Ada Example\" licence \"CC-BY-4.0\" \
        cites \"arXiv:2501.00001\" homepage \"https://example.org/lic\" }\n\
        constraint s { say \"Be short.\" check count(word) < 90 }\n\
        dialogue d { impose s turn a { ask \"Hi?\" } }\n";
    let folder = folder(&[("a.ifs", scenario)]);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "run"]).ends(0);
    ifs(at, &["release", "a.ifs", "-n", "1", "--out", "set"]).ends(0);
    let manifest: Json =
        serde_json::from_str(&fs::read_to_string(at.join("run/run.json")).unwrap()).unwrap();
    let started = manifest["started"].as_str().unwrap();
    let ended = manifest["ended"].as_str().unwrap();
    ifs(at, &["run", "--resume", "run"]).ends(0);
    let resumed: Json =
        serde_json::from_str(&fs::read_to_string(at.join("run/run.json")).unwrap()).unwrap();
    assert_eq!(
        (&resumed["started"], &resumed["ended"]),
        (&manifest["started"], &manifest["ended"])
    );
    assert!(started < ended && started.starts_with("20"), "{started}");
    let set = fs::read_to_string(at.join("set/manifest.json")).unwrap();
    let credits = ["Ada Example", "CC-BY-4.0", "arXiv:2501.00001", "https://example.org/lic"];
    for credit in credits {
        assert!(set.contains(credit) && manifest["about"].to_string().contains(credit), "{credit}");
    }
    // Whoever copies the folder changes the dates of its files.
    let (day, _) = started.split_once('T').unwrap();
    for format in ["text", "json", "html", "latex", "markdown", "csv", "junit", "every-eval-ever"] {
        let shown = ifs(at, &["report", "run", "--format", format]).ends(0).out;
        for credit in credits {
            assert!(shown.contains(credit), "{format}: no {credit} in\n{shown}");
        }
        assert!(format == "csv" || shown.contains(day), "{format}: no {day} in\n{shown}");
    }
}

/// A dialogue over a bank runs all of it; less is told in every report.
#[test]
fn a_bank_is_run_as_a_whole_unless_less_is_asked_for() {
    let scenario = "ifs 1\nimport words \"words.jsonl\" { name: text }\n\
        dialogue d over words as one { turn a { ask \"Write {{ one.name }}.\" require there contains(word (one.name)) } }\n";
    let words: String = (0..27).map(|at| format!("{{\"name\": \"w{at}x\"}}\n")).collect();
    let folder = folder(&[("a.ifs", scenario), ("words.jsonl", &words)]);
    let at = folder.path();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "all"]).ends(0);
    assert_eq!(transcripts(at, "all").len(), 27);
    let all = ifs(at, &["score", "all"]).ends(0);
    assert!(!all.out.contains("a part of the benchmark"), "{}", all.out);
    all.says("27 dialogues, 27 turns");
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "20", "--out", "part"])
        .ends(0)
        .says("20 of 27 dialogues");
    for format in ["text", "html", "markdown", "latex"] {
        let shown = ifs(at, &["report", "part", "--format", format]).ends(0);
        assert!(shown.out.contains("20 of 27 dialogues"), "{format}: {}", shown.out);
    }
    assert_eq!(json_of(at, &["score", "part"])["available"], 27);
    let eee = ifs(at, &["report", "part", "--format", "every-eval-ever"]).ends(0).out;
    assert!(eee.contains("20 of 27 dialogues"), "{eee}");
    let more = ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "-n", "28", "--out", "more"]);
    assert_ne!(more.status, Some(0));
    more.says("leave out `-n` to run each once");
    // A release that says less is what there is.
    fs::write(at.join("b.ifs"), format!("{scenario}release {{ 5 dialogues of d }}\n")).unwrap();
    ifs(at, &["run", "b.ifs", "-m", "sim/oracle", "--out", "five"]).ends(0);
    assert_eq!(transcripts(at, "five").len(), 5);
    ifs(at, &["run", "b.ifs", "-m", "sim/oracle", "-n", "3", "--out", "three"])
        .ends(0)
        .says("3 of 5 dialogues");
}

#[test]
fn written_dialogues_are_drawn_to_their_end() {
    let long = "ifs 1\ndialogue d { for t in 1..=32 { turn a { ask \"Part {{ t }}?\" } } }\n";
    let endless = "ifs 1\nimport topics \"topics.jsonl\"\ngroup g { constraint c(n: int in 1..=90) { say \"At most {{ n }}.\" \
        change \"Now {{ n }}.\" withdraw \"Any.\" check count(word) <= n } }\n\
        dialogue d { topic from topics constraints from g start with 1 constraint flow { stay at least 9 turns } end when turns >= 100 }\n";
    let topics = "{\"name\":\"tides\",\"request\":\"Why do tides turn?\"}\n{\"name\":\"yeast\",\"request\":\"What does yeast eat?\"}\n";
    let folder = folder(&[("long.ifs", long), ("endless.ifs", endless), ("topics.jsonl", topics)]);
    let at = folder.path();
    let lines = |args: &[&str]| {
        let ran = ifs(at, &[args, &["--format", "jsonl", "--no-witness"]].concat()).ends(0);
        (ran.out.lines().count(), ran.err)
    };
    let (count, said) = lines(&["draw", "long.ifs"]);
    assert!(count == 32 && !said.contains("cut"), "{count} {said}");
    let (count, said) = lines(&["draw", "endless.ifs", "-n", "2"]);
    assert!(count == 40 && said.contains("2 of 2 dialogues cut after 20 turns"), "{count} {said}");
    let (count, said) = lines(&["draw", "endless.ifs", "--turns", "30"]);
    assert!(count == 30 && !said.contains("cut"), "{count} {said}");
    let (count, _) = lines(&["draw", "long.ifs", "--turns", "5"]);
    assert_eq!(count, 5);
}
