//! Judges of a run that was recorded before: judgings, their votes and agreement.

use super::*;

#[test]
fn judges_are_asked_about_a_recorded_run() {
    let server = judging(|asked| verdict(asked, "no", 7));
    let folder = judged();
    held(&folder, &server, &["-m", "openai/m"]).ends(0).says("could not be judged");
    let tested = server.log().len();
    assert_eq!(tested, 6);
    let before = read(&folder, "transcripts.jsonl");
    score(&folder, &server, &["--judge", "google/j", "--dry-run"])
        .ends(0)
        .says("judge google/j")
        .says("calls        18");
    assert_eq!(server.log().len(), tested);
    score(&folder, &server, &["--judge", "google/j"]).ends(0).says("judged by google/j");
    let log = server.log();
    assert_eq!(log.len(), tested + 18);
    assert!(log[tested..].iter().all(is_judge), "the model under test is not asked");
    assert_eq!(read(&folder, "transcripts.jsonl"), before, "the run stays as it was");
    let path = judging_of(&folder);
    let judged = lines(&path.join("verdicts.jsonl"));
    assert_eq!(outcomes(&judged, "calm"), ["missed"; 6]);
    assert_eq!(outcomes(&judged, "deep"), ["held"; 6]);
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(path.join("judging.json")).unwrap()).unwrap();
    assert_eq!((&manifest["complete"], &manifest["spent"]["calls"]), (&json!(true), &json!(18)));
    // Again: everything is in its journal.
    let verdicts = std::fs::read(path.join("verdicts.jsonl")).unwrap();
    score(&folder, &server, &["--judge", "google/j"]).ends(0);
    assert_eq!(server.log().len(), tested + 18);
    assert_eq!(std::fs::read(path.join("verdicts.jsonl")).unwrap(), verdicts);
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    for command_of in [["score", "out", "--judging", &name], ["report", "out", "--judging", &name]]
    {
        Ran::of(command(folder.path(), &server, &command_of).output().unwrap())
            .ends(0)
            .says("judged by google/j");
    }
    score(&folder, &server, &["--judging", "none"]).ends(3).says(&name);
    // Other judges, or the same otherwise, are another judging.
    score(&folder, &server, &["--judge", "google/j", "--judge-apart"]).ends(0);
    assert_eq!(server.log().len(), tested + 18 + 24, "each question in a call of its own");
}

#[test]
fn killed_judgings_resume() {
    let slow = |asked: &Asked| {
        let mut steps = vec![Step::Sleep(Duration::from_millis(3))];
        steps.extend(if is_judge(asked) {
            on_wire(asked, &verdict(asked, "yes", 7))
        } else {
            on_wire(asked, "The sea rises.")
        });
        steps
    };
    let (server, folder) = (Server::start(slow), judged());
    // Enough topics for eight dialogues that are different.
    let topic = |at: u32| format!("{{\"name\": \"t{at}\", \"request\": \"Why is it {at}?\"}}\n");
    let topics: String = (0..20).map(topic).collect();
    std::fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    held(&folder, &server, &["-m", "openai/m", "-n", "8"]).ends(0);
    let args = ["score", "out", "--judge", "anthropic/j", "--max-connections", "3"];
    let tested = server.log().len();
    // Undisturbed, elsewhere.
    let whole = {
        let copy = judged();
        let from = folder.path().join("out");
        std::fs::create_dir(copy.path().join("out")).unwrap();
        for file in ["run.json", "plan.json", "transcripts.jsonl"] {
            std::fs::copy(from.join(file), copy.path().join("out").join(file)).unwrap();
        }
        Ran::of(command(copy.path(), &server, &args).output().unwrap()).ends(0);
        std::fs::read(judging_of(&copy).join("verdicts.jsonl")).unwrap()
    };
    let begun = server.log().len();
    assert_eq!(begun - tested, 72);
    for requests in [9, 20, 31] {
        let asked = server.log().len() + requests;
        let mut child = command(folder.path(), &server, &args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        server.until_asked(asked, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        server.settle();
    }
    let journal = std::fs::read_to_string(judging_of(&folder).join("journal")).unwrap_or_default();
    let recorded =
        journal.split_inclusive('\n').filter(|line| line.ends_with('\n')).count().saturating_sub(1);
    let before = server.log().len();
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let after = &server.log()[before..];
    assert_eq!(after.len(), 72 - recorded, "what was not recorded was asked, once");
    let mut times: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for asked in after {
        *times.entry(asked.texts()).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1));
    assert_eq!(std::fs::read(judging_of(&folder).join("verdicts.jsonl")).unwrap(), whole);
}

/// Judges that agree except on turn 2, and people who agree with the first
/// judge.
#[test]
fn agreement_of_recorded_judges() {
    let server = judging(|asked| {
        let second =
            last(asked).contains("earlier answer 1") && !last(asked).contains("earlier answer 2");
        let strict = asked.body["model"] == "strict" && second;
        verdict(asked, if strict { "no" } else { "yes" }, if strict { 5 } else { 9 })
    });
    let folder = judged();
    let judges = ["--judge", "openai/a", "--judge", "openai/strict"];
    held(&folder, &server, &[&["-m", "sim/oracle", "-n", "4"][..], &judges].concat()).ends(0);
    let mut labels = "dialogue,index,turn,constraint,label,rater\n".to_owned();
    for index in 0..4 {
        for turn in 1..=3 {
            labels.push_str(&format!("talk,{index},{turn},calm,yes,ada\n"));
            labels.push_str(&format!("talk,{index},{turn},deep,9,ada\n"));
        }
    }
    std::fs::write(folder.path().join("labels.csv"), &labels).unwrap();
    let asked = server.log().len();
    let agreement = |more: &[&str]| {
        let args = [&["agreement", "out"][..], more].concat();
        Ran::of(command(folder.path(), &server, &args).output().unwrap())
    };
    let ran = agreement(&["--labels", "labels.csv", "--format", "json"]).ends(0);
    let json: Value = serde_json::from_str(ran.all.trim()).unwrap();
    assert_eq!(json["simulated"], false);
    let found = |raters: &[&str], measure: Value, of: &str| -> Value {
        let all = json["comparisons"].as_array().unwrap();
        let same = |one: &&Value| {
            one["raters"] == json!(raters) && one["measure"] == measure && one["of"] == of
        };
        all.iter()
            .find(same)
            .unwrap_or_else(|| panic!("no {measure} of {raters:?} in {json:#}"))
            .clone()
    };
    let pair = ["openai/a", "openai/strict"];
    // 48 verdicts, of which 16 are of second turns: 2 of 3 agree. The first judge
    // always says yes, so that chance explains all of it.
    let share = found(&pair, json!("agreement"), "verdicts");
    assert_eq!((&share["things"], &share["dialogues"]), (&json!(48), &json!(4)));
    assert!((share["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(found(&pair, json!("cohen_kappa"), "verdicts")["value"], 0.0);
    let fleiss = found(&pair, json!("fleiss_kappa"), "verdicts")["value"].as_f64().unwrap();
    // Five of six are yes: (2/3 - 26/36) / (10/36) = -1/5.
    assert!((fleiss + 0.2).abs() < 1e-12, "{fleiss}");
    let interval = json!({"krippendorff_alpha": "interval"});
    let marks = found(&pair, interval, "marks");
    // 12 pairs of marks, 4 of them 9 and 5: 1 - 23 (8 * 16) / (2 * 20 * 4 * 16).
    assert!(
        (marks["value"].as_f64().unwrap() - (1.0 - 23.0 * 8.0 / 160.0)).abs() < 1e-12,
        "{marks}"
    );
    let with_ada = found(&["openai/a", "ada"], json!("agreement"), "verdicts");
    assert_eq!((&with_ada["value"], &with_ada["things"]), (&json!(1.0), &json!(24)));
    assert_eq!(found(&["openai/a", "ada"], json!("cohen_kappa"), "verdicts")["value"], Value::Null);
    let panel = found(&["panel", "ada"], json!("agreement"), "verdicts");
    // Where the two differ there is no majority.
    assert_eq!((&panel["value"], &panel["things"]), (&json!(1.0), &json!(16)));
    agreement(&["--labels", "labels.csv"])
        .ends(0)
        .says("Fleiss' kappa")
        .says("undefined, all agree");
    assert_eq!(
        agreement(&["--labels", "labels.csv"]).all,
        agreement(&["--labels", "labels.csv"]).all
    );
    for (line, why) in [
        ("talk,9,1,calm,yes,ada", "nothing was judged about `calm` on turn 1 of talk 9"),
        ("talk,0,1,calm,7,ada", "7 is a mark, and this has no scale"),
        ("talk,0,1,deep,11,ada", "not on the scale from 1 to 10"),
        ("talk,0,1,calm,so so,ada", "`so so` is not a label"),
        ("talk,0,1,calm,yes,ada\ntalk,0,1,calm,no,ada", "line 3: `ada` labels this twice"),
    ] {
        let text = format!("dialogue,index,turn,constraint,label,rater\n{line}\n");
        std::fs::write(folder.path().join("wrong.csv"), text).unwrap();
        agreement(&["--labels", "wrong.csv"]).ends(3).says(why);
    }
    // A judging is one more judge.
    score(&folder, &server, &["--judge", "google/j"]).ends(0);
    agreement(&[]).ends(0).says("google/j (");
    assert_eq!(server.log().len() - asked, 36);
}

const AFTER: &str = r#"ifs 1
dialogue told {
  turn first {
    ask "Tell me of the sea."
    require calm judge "Is it calm?"
    require deep judge "Is it deep?" after calm
  }
}
"#;

/// A criterion that another blocks is not sent, so another rule that lifts the block leaves it open.
#[test]
fn what_was_blocked_is_unjudged_by_another_rule() {
    // Two of three find that it is not calm; no one finds it deep.
    let server = judging(|asked| {
        let said = verdict(asked, "no", 0);
        let kind = asked.body["model"] == "kind";
        if kind { said.replacen("\"answer\":\"no\"", "\"answer\":\"yes\"", 1) } else { said }
    });
    let folder = scenario();
    std::fs::write(folder.path().join("judged.ifs"), AFTER).unwrap();
    let panel = ["--judge", "openai/a", "--judge", "openai/b", "--judge", "openai/kind"];
    held(&folder, &server, &[&["-m", "openai/m", "-n", "1"][..], &panel].concat()).ends(0);
    let reported = transcripts(&folder);
    assert_eq!(outcomes(&reported, "calm"), ["missed"]);
    assert_eq!(outcomes(&reported, "deep"), ["blocked"]);
    assert_eq!(verdicts(&reported, "deep")[0].get("votes"), None);
    // By consensus the first is undecided, and nobody was asked about the other.
    let asked = server.log().len();
    let args = ["--judge-rule", "consensus", "--format", "json"];
    let ran = score(&folder, &server, &args).ends(0);
    let json: Value = serde_json::from_str(ran.all.trim()).unwrap();
    let tally = &json["totals"]["constraints"];
    let counts = ["held", "missed", "unjudged"].map(|name| tally[name].as_u64().unwrap());
    assert_eq!(counts, [0, 0, 2], "{tally}");
    assert_eq!(server.log().len(), asked);
}
