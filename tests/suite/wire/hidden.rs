//! Runs of hidden sets leave no prompt behind: not in the folder of the run, in caches, in logs, in
//! errors or in reports.

use std::collections::BTreeSet;

use serde_json::json;

use super::batches::provider::{Row, Settings, start};
use super::judges::{is_judge, verdict};
use super::server::{JSON, chat, error, response};
use super::*;

/// A dialogue in every form: topics with a flow, written turns with a loop, records of a bank and
/// simulated games, rounds of feedback, judges, golden answers, samples, reminders, system messages.
const FORMS: &str = r#"ifs 1
benchmark forms { version "1.0" }
import topics "topics.jsonl" { name: text, request: text }
import tones "tones.jsonl" { name: text, manner: text }
import cards "cards.jsonl" { name: text, question: text, right: text }
feed games { simulate hockey }
group length {
  constraint short(n: int in 5..=60) {
    say "Never write more than {{ n }} words in all of this."
    check count(word) <= n
  }
}
constraint mood(how: one_of ["kind", "warm", "calm"]) {
  say "All of your sentences should sound {{ how }} to a child."
  judge "Do all of its sentences sound {{ how }} to a child?"
}
constraint word(w: one_of ["harbour", "lantern", "orchard"]) {
  say "The answer must have the word {{ w }} somewhere in it."
  check contains(word (w))
}
dialogue flows {
  system "You are the patient clerk of a very small town hall."
  topic from topics
  style from tones
  constraints from length, mood, word
  start with 3 constraints
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 60%  modify 40% }
  retry up to 1 round with feedback
  report CSR, ISR by topic.name
  end when turns >= 4
  variant reminded { repeat instructions at end }
}
dialogue written {
  param city: one_of ["Rome", "Oslo", "Lima", "Bonn", "Kyiv", "Cairo"]
  param day: int in 1..=28
  sample 2
  context golden
  turn first {
    ask "Please tell me how the weather in {{ city }} will be on day {{ day }} of the month."
    answer "In {{ city }} it will rain on day {{ day }} of this month."
    impose 1 from word
    require named contains(city) say "The answer names the city {{ city }} in its first line"
  }
  for hour in [6, 12, 18] {
    turn later {
      ask "And what about hour {{ hour }} of that same day in {{ city }}, please?"
      answer "It will rain at hour {{ hour }} in the whole city of {{ city }}."
    }
  }
}
dialogue carded over cards as card {
  system "You know the old town and all of {{ card.name }}."
  param floor: int in 1..=900
  turn {
    ask "Please answer this about house {{ floor }} of the old town: {{ card.question }}"
    answer "{{ card.right }}"
    require right contains(card.right) say "The answer has to name {{ card.right }} and nobody else"
  }
  turn { ask "And who was it before {{ card.right }} came to the old town?" }
  retry up to 1 round with feedback
}
dialogue watched over games as game {
  for period in game.periods {
    turn {
      show period.lines
      ask "What is the score at the end of the {{ period.name }} of this game now?"
      answer "{{ game.away.name }} {{ period.score.away }}, {{ game.home.name }} {{ period.score.home }}."
      require named contains(game.home.name) say "The answer names the home side {{ game.home.name }}"
    }
  }
}
"#;

fn forms() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("forms.ifs"), FORMS).unwrap();
    let topics: String = ["tides of the northern sea and its coasts", "kites", "bread", "snow"]
        .iter()
        .map(|name| {
            let request = format!("Please write me a short note about {name} for our paper.");
            format!("{}\n", json!({ "name": name, "request": request }))
        })
        .collect();
    std::fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    let cards: String = ["mill", "gate", "well", "inn", "pond"]
        .iter()
        .map(|name| {
            let question = format!("who owned the {name} before the great fire of that year?");
            format!("{}\n", json!({ "name": name, "question": question, "right": "Storm" }))
        })
        .collect();
    std::fs::write(folder.path().join("cards.jsonl"), cards).unwrap();
    let tones = "{\"name\": \"plain\", \"manner\": \"plainly\"}\n{\"name\": \"stiff\", \"manner\": \"stiffly\"}\n";
    std::fs::write(folder.path().join("tones.jsonl"), tones).unwrap();
    folder
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

/// Writes a secret and a hidden set of a dialogue.
fn release(folder: &TempDir, server: &Server, dialogue: &str, count: &str, more: &[&str]) {
    if !folder.path().join("key").exists() {
        ifs(folder, server, &["secret", "key"]).ends(0);
    }
    let set = format!("set-{dialogue}");
    let args = ["release", "forms.ifs", "-d", dialogue, "-n", count, "--secret", "key"];
    ifs(folder, server, &[&args[..], &["--epoch", "e", "--out", &set], more].concat()).ends(0);
}

fn words(text: &str) -> Vec<String> {
    let plain = text.replace("\\n", " ").replace("\\\"", " ").to_lowercase();
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Every five words in a row of a text.
fn spans(text: &str) -> BTreeSet<Vec<String>> {
    words(text).windows(5).map(<[String]>::to_vec).collect()
}

/// Every five words in a row of what was sent. The model's own responses have fewer.
fn sent(server: &Server) -> BTreeSet<Vec<String>> {
    let log = server.log();
    let messages = log.iter().flat_map(|asked| asked.body["messages"].as_array().unwrap().clone());
    let all = messages.flat_map(|message| spans(message["content"].as_str().unwrap()));
    // A judge's reply has the form that it was given.
    let has = |span: &[String], word: &str| span.iter().any(|known| known == word);
    all.filter(|span| !(has(span, "id") && (has(span, "items") || has(span, "reason")))).collect()
}

/// The texts and names of every file below a folder, except those of the owner and of the public.
fn files(folder: &Path, into: &mut Vec<(String, String)>) {
    let public = [
        "forms.ifs",
        "topics.jsonl",
        "tones.jsonl",
        "cards.jsonl",
        "key",
        "dialogues.jsonl",
        "plan.json",
    ];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            files(&path, into);
        } else if !public.contains(&name.as_str()) {
            let bytes = std::fs::read(&path).unwrap();
            into.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            into.push((format!("the name {name}"), name.replace(['-', '_'], " ")));
        }
    }
}

#[track_caller]
fn no_prompts(prompts: &BTreeSet<Vec<String>>, texts: &[(String, String)]) {
    assert!(prompts.len() > 20, "{} spans were sent", prompts.len());
    for (name, text) in texts {
        let found = spans(text).into_iter().find(|span| prompts.contains(span));
        assert_eq!(found, None, "{name}");
    }
}

#[track_caller]
fn nothing_in(folder: &TempDir, server: &Server, printed: &[&Ran]) {
    let mut texts = Vec::new();
    files(folder.path(), &mut texts);
    texts.extend(printed.iter().map(|ran| ("the terminal".to_owned(), ran.all.clone())));
    no_prompts(&sent(server), &texts);
}

/// A model that responds "Rain" with reasoning about its prompt; a judge that always rejects
/// moods, and whose reasons quote its prompt.
fn talkative(asked: &Asked) -> Vec<Step> {
    let said = asked.texts().pop().unwrap();
    if is_judge(asked) {
        let quoted = words(&said).join(" ");
        return answer(&verdict(asked, "no", 3).replace("plainly", &quoted));
    }
    response("200 OK", &[JSON], &rain(&said).to_string())
}

fn rain(said: &str) -> Value {
    json!({
        "model": "m",
        "choices": [{
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Rain.", "reasoning_content": format!("I am asked: {said}")},
        }],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    })
}

/// In batches, every form of dialogue gives the same result and keeps no prompts.
#[test]
fn every_form_of_dialogue_in_batches() {
    for (dialogue, more) in [
        ("flows", &["--judge", "openai/j"][..]),
        ("written", &[]),
        ("carded", &[]),
        ("watched", &[]),
    ] {
        let folder = forms();
        let one_by_one = Server::start(talkative);
        release(&folder, &one_by_one, dialogue, "4", &[]);
        let settings = Settings {
            row: Box::new(|asked, _| {
                let said = asked.texts().pop().unwrap();
                Row::Body(match is_judge(asked) {
                    true => {
                        let quoted = words(&said).join(" ");
                        chat(&verdict(asked, "no", 3).replace("plainly", &quoted))
                    }
                    false => rain(&said),
                })
            }),
            ..Settings::default()
        };
        let (batches, _) = start(settings);
        let set = format!("set-{dialogue}");
        let held = |server: &Server, out: &str, kept: &[&str]| {
            let args = [&RUN[..], &["--set", &set, "--out", out], more, kept].concat();
            let ran = ifs(&folder, server, &args).ends(0);
            let path = folder.path().join(out).join("transcripts.jsonl");
            (ran, std::fs::read_to_string(path).unwrap())
        };
        let (_, whole) = held(&one_by_one, "plain", &[]);
        let (ran, batched) = held(&batches, "batched", &["--batch", "--batch-poll", "2ms"]);
        assert_eq!(batched, whole, "{dialogue}");
        assert!(batches.log().iter().all(|asked| !asked.path.ends_with("completions")));
        nothing_in(&folder, &one_by_one, &[&ran]);
    }
}

const RUN: [&str; 9] =
    ["run", "forms.ifs", "-m", "openai/m", "--secret", "key", "--retry-wait", "1ms", "-vv"];

#[test]
fn hidden_runs_of_every_form_keep_no_prompts() {
    let folder = forms();
    for (dialogue, variant, more) in [
        ("flows", &[][..], &["--judge", "openai/j", "--cache", "kept"][..]),
        ("flows", &["--variant", "reminded"], &["--judge", "openai/j"]),
        ("written", &[], &["--cache", "kept"]),
        ("carded", &[], &["--cache", "kept"]),
        ("watched", &[], &[]),
    ] {
        let server = Server::start(talkative);
        _ = std::fs::remove_dir_all(folder.path().join(format!("set-{dialogue}")));
        release(&folder, &server, dialogue, "4", variant);
        let (set, out) = (format!("set-{dialogue}"), format!("run-{dialogue}"));
        let args = [&RUN[..], &["--set", &set, "--out", &out], more].concat();
        let ran = ifs(&folder, &server, &args).ends(0).says("prompts are left out");
        let mut printed = vec![ran];
        let read = |name: &str| std::fs::read_to_string(folder.path().join(&set).join(name));
        let manifest: Value = serde_json::from_str(&read("manifest.json").unwrap()).unwrap();
        let ledger: Value = serde_json::from_str(&read("ledger.jsonl").unwrap()).unwrap();
        assert_eq!(ledger["canary"], manifest["canary"]);
        let verify = ["verify", &set, "--scenario", "forms.ifs", "--secret", "key"];
        let verified = ifs(&folder, &server, &verify).ends(0);
        let judged = verified.all.contains("openai/j (as a judge, 4 of 4 dialogues)");
        assert_eq!(judged, more.contains(&"--judge"), "{}", verified.all);
        for format in ["text", "json", "html", "csv", "markdown", "latex", "junit"] {
            printed.push(ifs(&folder, &server, &["report", &out, "--format", format]).ends(0));
        }
        let logs = ["report", &out, "--format", "inspect", "--out", "logs"];
        let log = ifs(&folder, &server, &logs).ends(0);
        let path = log.all.lines().find(|line| line.ends_with(".eval")).unwrap();
        let bytes = std::fs::read(folder.path().join(path)).unwrap();
        let files = crate::cli::exports::unpacked(&bytes);
        assert!(files.contains_key("header.json") && files.len() > 5);
        std::fs::write(folder.path().join("logs/text"), format!("{files:?}")).unwrap();
        printed.push(log);
        let scores = || {
            let path = folder.path().join(&out).join("scores.json");
            let text = std::fs::read_to_string(path).unwrap();
            let json: Value = serde_json::from_str(&text).unwrap();
            // Reasons and long names are left out; every number is the same.
            let keys = ["metrics", "totals", "rounds", "survival", "endings", "by_turn"];
            keys.map(|key| json[key].clone())
        };
        let before = scores();
        printed.push(ifs(&folder, &server, &["score", &out]).ends(0));
        printed.push(ifs(&folder, &server, &["show", &out]).ends(0).says("(hidden)"));
        assert_eq!(scores(), before, "scores of {dialogue} need no prompts");
        // Reduced dialogues are sent, and left out like complete ones.
        let exposures = || read("ledger.jsonl").unwrap().lines().count();
        let shrink = ["shrink", &out, "--repeats", "1", "--secret", "key"];
        let shrink = |more: &[&'static str]| [&shrink[..], more].concat();
        let exposed = exposures();
        ifs(&folder, &server, &shrink(&["--dialogue", "0"])).ends(2).says("--set FOLDER");
        assert_eq!(exposures(), exposed, "nothing was sent");
        let into = ["--set", &set];
        let one = [&shrink(&["--dialogue", "0", "-vv"])[..], &into].concat();
        printed.push(ifs(&folder, &server, &one).ends(0).says("Run it again:"));
        assert_eq!(exposures(), exposed + 1);
        let shrink = [&shrink(&["--all", "--trials", "1"])[..], &into].concat();
        printed.push(ifs(&folder, &server, &[&shrink[..], &["--format", "json"]].concat()));
        nothing_in(&folder, &server, &printed.iter().collect::<Vec<_>>());
        // What is left is the definition, as a public run has it.
        let public = ["run", "forms.ifs", "-d", dialogue, "-n", "1", "--out", "public"];
        ifs(&folder, &server, &[&public[..], variant].concat()).ends(0);
        let plan = |run: &str| std::fs::read(folder.path().join(run).join("plan.json")).unwrap();
        assert_eq!(plan(&out), plan("public"));
        std::fs::remove_dir_all(folder.path().join("public")).unwrap();
        // Judging again needs prompts, and says where they come from.
        let again = ["score", &out, "--judge", "openai/k"];
        ifs(&folder, &server, &again)
            .ends(2)
            .says("--keep-prompts` writes them into its transcripts");
        let sent_before = server.log().len();
        let keep = ["run", "--resume", &out, "--secret", "key", "--keep-prompts"];
        ifs(&folder, &server, &keep).ends(0);
        assert_eq!(server.log().len(), sent_before, "everything is in the journal");
        assert_eq!(scores(), before, "scores of {dialogue} are the same with prompts");
        let path = folder.path().join(&out).join("transcripts.jsonl");
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(!kept.contains("\"ask\":\"(hidden)\"") && !kept.contains("\"hidden\":{"));
        assert!(spans(&kept).intersection(&sent(&server)).count() > 20);
        // Whoever judges it is written down, too.
        let exposed = exposures();
        ifs(&folder, &server, &again).ends(2).says("--set FOLDER");
        ifs(&folder, &server, &[&again[..], &into].concat()).ends(0);
        assert_eq!(exposures(), exposed + 1);
        std::fs::remove_dir_all(folder.path().join(&out)).unwrap();
    }
}

/// The same set is paid for once, although no plain hash of a prompt is a name in the cache.
/// The ledger of a hidden set is a chain: whatever was changed in it is found, and nothing is sent.
#[test]
fn a_changed_ledger_is_found() {
    let (server, folder) = (Server::start(talkative), forms());
    let dialogue = "carded";
    release(&folder, &server, dialogue, "2", &[]);
    let set = format!("set-{dialogue}");
    let run =
        |out: &str| ifs(&folder, &server, &[&RUN[..], &["--set", &set, "--out", out]].concat());
    for out in ["first", "second", "third"] {
        run(out).ends(0);
    }
    let path = folder.path().join(&set).join("ledger.jsonl");
    let ledger = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 3);
    let verify = ["verify", &set, "--scenario", "forms.ifs", "--secret", "key"];
    ifs(&folder, &server, &verify).ends(0).says("exposed: it was sent to");
    // The folder of a run has its own line, which its receipt binds.
    let own = std::fs::read_to_string(folder.path().join("third/exposure.jsonl")).unwrap();
    assert_eq!(own, lines[2]);
    let sent = server.log().len();
    let removed = |line: u32| format!("a line before line {line} was removed or changed");
    for (changed, says) in [
        (lines[1..].concat(), removed(1)),
        ([lines[0], lines[2]].concat(), removed(2)),
        ([lines[1], lines[0], lines[2]].concat(), removed(1)),
        ([&ledger, lines[2]].concat(), removed(4)),
        (ledger.replacen("\"of\":2", "\"of\":3", 1), removed(2)),
        (ledger.replacen("\"canary\":\"", "\"canary\":\"0", 1), "another set".to_owned()),
        ("{}\n".to_owned(), "line 1".to_owned()),
    ] {
        std::fs::write(&path, &changed).unwrap();
        ifs(&folder, &server, &verify).ends(1).says(&says);
        run("more").ends(3).says(&says);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
        _ = std::fs::remove_dir_all(folder.path().join("more"));
    }
    assert_eq!(server.log().len(), sent);
    std::fs::write(&path, &ledger).unwrap();
    ifs(&folder, &server, &verify).ends(0);
}

/// A receipt names exposures that were removed from the end of a ledger.
#[test]
fn a_receipt_shows_what_a_ledger_lacks() {
    let (server, folder) = (Server::start(talkative), forms());
    let dialogue = "carded";
    release(&folder, &server, dialogue, "2", &[]);
    let set = format!("set-{dialogue}");
    ifs(&folder, &server, &["key", "signing"]).ends(0);
    for out in ["first", "second"] {
        ifs(&folder, &server, &[&RUN[..], &["--set", &set, "--out", out]].concat()).ends(0);
        ifs(&folder, &server, &["sign", out, "--key", "signing"]).ends(0);
    }
    let verify = |run: &str| {
        let receipt = format!("{run}/receipt.json");
        let args = ["verify", &set, "--receipt", &receipt, "--public", "signing.pub"];
        ifs(&folder, &server, &args)
    };
    verify("first").ends(0).says("the ledger has 1 exposure");
    verify("second").ends(0);
    let path = folder.path().join(&set).join("ledger.jsonl");
    let ledger = std::fs::read_to_string(&path).unwrap();
    let first = ledger.split_inclusive('\n').next().unwrap();
    std::fs::write(&path, first).unwrap();
    verify("first").ends(0);
    verify("second").ends(1).says("lacks an exposure that the receipt binds").says("`second`");
    std::fs::remove_file(folder.path().join("second/exposure.jsonl")).unwrap();
    verify("second").ends(1).says("lacks exposures that the receipt binds");
    std::fs::remove_file(&path).unwrap();
    verify("first").ends(1).says("lacks an exposure that the receipt binds");
}

/// A ledger whose last line has lost its end goes on with a line of its own; one whose last line is
/// incomplete is refused, since it may be about a run that took place.
#[test]
fn a_ledger_without_its_last_line_end() {
    let (server, folder) = (Server::start(talkative), forms());
    let dialogue = "carded";
    release(&folder, &server, dialogue, "2", &[]);
    let set = format!("set-{dialogue}");
    let run =
        |out: &str| ifs(&folder, &server, &[&RUN[..], &["--set", &set, "--out", out]].concat());
    let verify = ["verify", &set, "--scenario", "forms.ifs", "--secret", "key"];
    run("first").ends(0);
    let path = folder.path().join(&set).join("ledger.jsonl");
    let first = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, first.trim_end()).unwrap();
    ifs(&folder, &server, &verify).ends(0);
    run("second").ends(0);
    let ledger = std::fs::read_to_string(&path).unwrap();
    assert!(ledger.starts_with(&first) && ledger.lines().count() == 2, "{ledger}");
    ifs(&folder, &server, &verify).ends(0);
    let sent = server.log().len();
    for cut in [1, 2, 40] {
        let cut = &ledger[..ledger.len() - 1 - cut];
        std::fs::write(&path, cut).unwrap();
        let says = "line 2 is incomplete";
        ifs(&folder, &server, &verify).ends(1).says(says).says("`exposure.jsonl`");
        run("more").ends(3).says(says);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), cut);
        _ = std::fs::remove_dir_all(folder.path().join("more"));
    }
    assert_eq!(server.log().len(), sent);
}

#[test]
fn caches_are_keyed_by_the_secret() {
    let (folder, server) = (forms(), Server::start(talkative));
    release(&folder, &server, "written", "3", &[]);
    let run = |out: &str| {
        let args = ["--set", "set-written", "--cache", "kept", "--out", out];
        ifs(&folder, &server, &[&RUN[..], &args].concat()).ends(0)
    };
    run("one");
    let asked = server.log().len();
    run("other");
    assert_eq!(server.log().len(), asked);
    // Two runs of one set are compared dialogue by dialogue.
    ifs(&folder, &server, &["compare", "one", "other"]).ends(0);
    let keyed = std::fs::read_to_string(folder.path().join("one/journal")).unwrap();
    let keep = ["run", "--resume", "other", "--secret", "key", "--keep-prompts"];
    ifs(&folder, &server, &keep).ends(0);
    ifs(&folder, &server, &["compare", "one", "other"]).ends(0);
    // The same requests of a public set have other names.
    let public =
        ["run", "forms.ifs", "-d", "written", "-n", "40", "-m", "openai/m", "--out", "public"];
    ifs(&folder, &server, &public).ends(0);
    let journal = std::fs::read_to_string(folder.path().join("public/journal")).unwrap();
    let names = |text: &str| -> BTreeSet<String> {
        let records = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(&line[line.find('{')?..]).ok());
        records.filter_map(|record| Some(record["call"]["asked"].as_str()?.to_owned())).collect()
    };
    assert!(!names(&keyed).is_empty() && names(&keyed).is_disjoint(&names(&journal)));
}

/// An endpoint that quotes the prompt in every error, and a kill in the middle.
#[cfg(unix)]
#[test]
fn errors_and_kills_leave_no_prompts_behind() {
    let folder = forms();
    let server = Server::start(|asked| {
        let said = asked.texts().pop().unwrap_or_default();
        match asked.number % 7 {
            2 => error("500 Internal Server Error", &[], &format!("cannot serve: {said}")),
            4 if asked.number > 30 => error("400 Bad Request", &[], &format!("will not: {said}")),
            5 => response(
                "200 OK",
                &[JSON],
                &format!("{{\"choices\": 3, \"echo\": {}}}", json!(said)),
            ),
            _ => talkative(asked),
        }
    });
    release(&folder, &server, "flows", "6", &[]);
    let more = ["--judge", "openai/j", "--set", "set-flows", "--out", "out", "--cache", "kept"];
    let mut child = command(folder.path(), &server, &[&RUN[..], &more].concat());
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    server.until_asked(20, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    server.settle();
    nothing_in(&folder, &server, &[]);
    let resume = ["run", "--resume", "out", "--secret", "key", "--retry-wait", "1ms", "-v"];
    let ran = ifs(&folder, &server, &resume).ends(4);
    assert!(ran.all.contains("the endpoint's words are left out"), "{}", ran.all);
    let report = ifs(&folder, &server, &["report", "out", "--allow-incomplete"]).ends(0);
    nothing_in(&folder, &server, &[&ran, &report]);
    // With `--keep-prompts`, nothing is left out.
    let keep = [&resume[..], &["--keep-prompts"]].concat();
    let ran = ifs(&folder, &server, &keep);
    assert!(ran.all.contains("will not: "), "{}", ran.all);
}

/// A judge that quotes the prompt: its replies are sealed in the journal and in the cache, and a run
/// that is resumed opens them.
#[test]
fn reasons_of_judges_are_left_out() {
    let (folder, server) = (forms(), Server::start(talkative));
    release(&folder, &server, "flows", "2", &[]);
    let more = ["--judge", "openai/j", "--set", "set-flows", "--cache", "kept", "--out", "out"];
    let ran = ifs(&folder, &server, &[&RUN[..], &more].concat()).ends(0);
    nothing_in(&folder, &server, &[&ran]);
    let journal = std::fs::read_to_string(folder.path().join("out/journal")).unwrap();
    let of_judge = journal.lines().filter(|line| line.contains("openai/j")).count();
    assert!(of_judge > 0 && journal.matches("\"sealed:").count() > of_judge, "{journal}");
    let outcomes = |run: &str| {
        let text = std::fs::read_to_string(folder.path().join(run).join("scores.json")).unwrap();
        let scores: Value = serde_json::from_str(&text).unwrap();
        ["metrics", "totals", "groups"].map(|key| scores[key].clone())
    };
    let asked = server.log().len();
    let again = [&RUN[..], &more[..6], &["--out", "again"]].concat();
    ifs(&folder, &server, &again).ends(0);
    assert_eq!(server.log().len(), asked, "every response is in the cache");
    assert_eq!(outcomes("again"), outcomes("out"));
}

/// `ifs score --under` draws a hidden set again with its secret.
#[test]
fn a_hidden_run_is_graded_under_another_definition() {
    let (folder, server) = (forms(), Server::start(talkative));
    release(&folder, &server, "written", "4", &[]);
    let more = ["--set", "set-written", "--out", "out"];
    ifs(&folder, &server, &[&RUN[..], &more].concat()).ends(0);
    let under = ["score", "out", "--under", "new.ifs", "--format", "json"];
    let laxer = FORMS.replace("check contains(word (w))", "check contains(\"a\")");
    assert_ne!(laxer, FORMS);
    std::fs::write(folder.path().join("new.ifs"), laxer).unwrap();
    ifs(&folder, &server, &under).ends(2).says("--secret FILE");
    let with_secret = [&under[..], &["--secret", "key"]].concat();
    let rate = |text: &str| {
        let json: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
        let metrics = json["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == "CSR").unwrap()["value"].as_f64().unwrap()
    };
    let graded = ifs(&folder, &server, &with_secret).ends(0);
    assert!(!graded.all.contains("dialogues are left out"), "{}", graded.all);
    let before = ifs(&folder, &server, &["score", "out", "--format", "json"]).ends(0);
    assert!(rate(&graded.all) > rate(&before.all), "{} {}", rate(&graded.all), rate(&before.all));
    // Other messages, and not one dialogue is left.
    std::fs::write(folder.path().join("new.ifs"), FORMS.replace("And what", "So what")).unwrap();
    ifs(&folder, &server, &with_secret).says("4 of 4 dialogues are left out");
    let public = ["score", "out", "--secret", "key"];
    ifs(&folder, &server, &public).ends(2).says("--under");
}

/// Every format of a report, and the transcript on the terminal.
fn all_reports(folder: &TempDir, server: &Server, more: &[&str]) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut ran = |args: &[&str]| {
        let all = ifs(folder, server, &[args, more].concat()).ends(0).all;
        texts.push((args.join(" "), all.clone()));
        all
    };
    for format in ["text", "json", "csv", "markdown", "latex", "junit"] {
        ran(&["report", "out", "--format", format]);
    }
    ran(&["show", "out"]);
    let page = ran(&["report", "out", "--format", "html"]);
    let log = ran(&["report", "out", "--format", "inspect", "--out", "logs"]);
    let path = log.lines().find(|line| line.ends_with(".eval")).unwrap();
    let files = crate::cli::exports::unpacked(&std::fs::read(folder.path().join(path)).unwrap());
    texts.push(("the log".to_owned(), format!("{files:?}")));
    texts.push(("the chats".to_owned(), super::pages::chats(&page)));
    texts
}

#[test]
fn redacted_reports_have_no_prompts_or_no_responses() {
    const RAIN: &str = "Over seven grey hills the rain fell softly until the morning bells rang";
    let folder = forms();
    let server = Server::start(|asked| match is_judge(asked) {
        true => answer(&verdict(asked, "no", 3)),
        false => answer(RAIN),
    });
    let run = ["run", "forms.ifs", "-d", "flows", "-m", "openai/m", "-n", "2", "--out", "out"];
    let more =
        ["--judge", "openai/j", "--system", "Speak as all of the old millers here once spoke"];
    ifs(&folder, &server, &[&run[..], &more].concat()).ends(0);
    // A response is sent again in later requests.
    let said = spans(RAIN);
    let asked: BTreeSet<Vec<String>> = sent(&server).difference(&said).cloned().collect();
    let has = |texts: &[(String, String)], wanted: &BTreeSet<Vec<String>>, name: &str| {
        let (_, text) = texts.iter().find(|(known, _)| known == name).unwrap();
        spans(text).iter().any(|span| wanted.contains(span))
    };
    let plain = all_reports(&folder, &server, &[]);
    for name in ["show out", "the log", "the chats"] {
        assert!(has(&plain, &asked, name) && has(&plain, &said, name), "{name}");
    }
    let prompts = all_reports(&folder, &server, &["--redact", "prompts"]);
    no_prompts(&asked, &prompts);
    assert!(has(&prompts, &said, "the log") && has(&prompts, &said, "the chats"));
    let responses = all_reports(&folder, &server, &["--redact", "responses"]);
    for (name, text) in &responses {
        assert_eq!(spans(text).intersection(&said).next(), None, "{name}");
    }
    assert!(has(&responses, &asked, "the log") && has(&responses, &asked, "the chats"));
    let both = all_reports(&folder, &server, &["--redact", "prompts,responses"]);
    no_prompts(&asked, &both);
    // The numbers are the same.
    let scores = |texts: &[(String, String)]| {
        let (_, text) = texts.iter().find(|(name, _)| name.ends_with("json")).unwrap();
        let json: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
        ["metrics", "totals", "survival"].map(|key| json[key].clone())
    };
    assert_eq!(scores(&plain), scores(&both));
    let (_, json) = &both[1];
    assert!(json.contains("\"redacted\""), "{json}");
}
