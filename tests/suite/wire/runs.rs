//! Successful runs: what is sent to endpoints, and what is recorded.

use super::server::{JSON, chat, response};
use super::*;

#[test]
fn dialogues_are_equal_on_every_api() {
    let server = Server::start(|asked| {
        let text = format!("Answer number {}.", asked.texts().len());
        let body = if asked.path.contains("generateContent") {
            serde_json::json!({"candidates": [{"finishReason": "STOP",
                "content": {"parts": [{"text": text}]}}]})
        } else if asked.path.ends_with("/messages") {
            serde_json::json!({"content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn"})
        } else {
            chat(&text)
        };
        response("200 OK", &[JSON], &body.to_string())
    });
    let said = |model: &str| {
        let folder = scenario();
        let args = run_args(model, "2", &["--system", "Be brief.", "--temperature", "0.5"]);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let answers = |held: &Value| {
            let turns = held["turns"].as_array().unwrap().iter();
            turns
                .map(|turn| (turn["ask"].clone(), turn["samples"][0]["answer"].clone()))
                .collect::<Vec<_>>()
        };
        transcripts(&folder).iter().map(answers).collect::<Vec<_>>()
    };
    let first = said("openai/m");
    assert_eq!(first[0][3].1, "Answer number 8.", "a system message, three turns, and the fourth");
    let without_system = |model| {
        let found = said(model);
        assert_eq!(found[0][3].1, "Answer number 7.", "{model}");
        let asks = |all: &[Vec<(Value, Value)>]| -> Vec<Value> {
            all.iter().flatten().map(|(ask, _)| ask.clone()).collect()
        };
        assert_eq!(asks(&found), asks(&first), "{model}");
    };
    without_system("anthropic/m");
    without_system("google/m");
    let log = server.log();
    let sent = |path: &str| log.iter().find(|asked| asked.path.contains(path)).unwrap();
    let openai = sent("/v1/chat/completions");
    assert_eq!(openai.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(openai.body["messages"][0]["content"], "Be brief.");
    assert_eq!(sent("/v1/messages").header("x-api-key"), Some(KEY));
    assert_eq!(sent("/v1/messages").body["system"], "Be brief.");
    let google = sent("/v1beta/models/m:generateContent");
    assert_eq!(google.header("x-goog-api-key"), Some(KEY));
    assert_eq!(google.body["generationConfig"]["temperature"], 0.5);
}

#[test]
fn parameters_and_headers_are_sent() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let more = [
        ["--top-p", "0.9"],
        ["--max-tokens", "64"],
        ["--model-seed", "7"],
        ["--stop", "END"],
        ["--body", r#"{"user": "tester"}"#],
        ["--header", "X-Team: blue"],
    ]
    .concat();
    run(&folder, &server, "1", &more).ends(0);
    let asked = &server.log()[0];
    let body = serde_json::json!({
        "model": "m", "top_p": 0.9, "max_completion_tokens": 64, "seed": 7, "stop": ["END"],
        "user": "tester", "messages": asked.body["messages"],
    });
    assert_eq!(asked.body, body);
    assert_eq!(asked.header("x-team"), Some("blue"));
    let manifest = manifest(&folder);
    assert_eq!(manifest["headers"], serde_json::json!(["x-team"]));
    assert_eq!(manifest["parameters"]["body"]["user"], "tester");
    assert_eq!(manifest["simulated_model"], false);
}

#[test]
fn keys_and_addresses_from_a_file() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let env = format!("MY_LAB_BASE_URL={}\nexport MY_LAB_API_KEY='{KEY}'\n", server.base());
    std::fs::write(folder.path().join(".env"), env).unwrap();
    let deep = folder.path().join("deep");
    std::fs::create_dir(&deep).unwrap();
    let args = ["run", "../wire.ifs", "-m", "openai-api/my-lab/org/m", "-n", "1", "--out", "out"];
    Ran::of(command(&deep, &server, &args).output().unwrap()).ends(0);
    assert_eq!(server.log()[0].body["model"], "org/m");
    assert_eq!(server.log()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

/// With or without the start of the path, and with a trailing slash.
#[test]
fn base_address_spellings() {
    let server = Server::start(|asked| super::judges::on_wire(asked, "Short enough."));
    let paths = ["/v1/messages", "/v1beta/models/m:generateContent", "/v1/chat/completions"];
    for (model, variable, behind, path) in [
        ("anthropic/m", "ANTHROPIC_BASE_URL", "", paths[0]),
        ("anthropic/m", "ANTHROPIC_BASE_URL", "/v1/", paths[0]),
        ("google/m", "GOOGLE_BASE_URL", "/", paths[1]),
        ("google/m", "GOOGLE_BASE_URL", "/v1beta", paths[1]),
        ("openai/m", "OPENAI_BASE_URL", "/v1/", paths[2]),
        ("openai/m", "OPENAI_BASE_URL", "/v1/chat/completions", paths[2]),
    ] {
        let (folder, before) = (scenario(), server.log().len());
        let mut command = command(folder.path(), &server, &run_args(model, "1", &[]));
        command.env(variable, format!("{}{behind}", server.root()));
        Ran::of(command.output().unwrap()).ends(0);
        assert_eq!(server.log().len(), before + 4);
        assert!(server.log()[before..].iter().all(|asked| asked.path == path), "{behind}");
    }
}

#[test]
fn unknown_models() {
    let server = Server::start(dutiful);
    let folder = scenario();
    for (model, why) in [
        ("gpt-4o", "PROVIDER/MODEL"),
        ("opnai/m", "no provider `opnai`"),
        ("opnai/m", "did you mean `openai`?"),
        ("openrouter/m", "OPENROUTER_API_KEY"),
        ("openai-api/my-lab/m", "MY_LAB_BASE_URL"),
        ("openai-api/m", "openai-api/NAME/MODEL"),
        ("sim/none", "no simulated model `sim/none`"),
        ("google/a?b", "cannot be the name of a model"),
    ] {
        let args = run_args(model, "1", &[]);
        let mut command = command(folder.path(), &server, &args);
        command.env_remove("OPENROUTER_API_KEY");
        Ran::of(command.output().unwrap()).ends(2).says(why);
    }
    for base in ["ftp://x", "nonsense", "localhost:80/v1", "http://user:pass@x", ""] {
        let mut command =
            command(folder.path(), &server, &run_args("openai-api/my-lab/m", "1", &[]));
        command.env("MY_LAB_BASE_URL", base).env("MY_LAB_API_KEY", KEY);
        Ran::of(command.output().unwrap()).ends(2).says("MY_LAB_BASE_URL");
    }
    let mut torn = command(folder.path(), &server, &run_args("openai/m", "1", &[]));
    let torn = Ran::of(torn.env("OPENAI_API_KEY", format!("{KEY}\n")).output().unwrap()).ends(2);
    assert!(!torn.all.contains(KEY), "{}", torn.all);
    torn.says("OPENAI_API_KEY holds letters that no key has, such as the end of a line");
    run(&folder, &server, "1", &["--temperature", "-1"]).ends(2).says("a number from 0 on");
    let seeded = run_args("anthropic/m", "1", &["--model-seed", "1"]);
    Ran::of(command(folder.path(), &server, &seeded).output().unwrap()).ends(2).says("no seed");
    run(&folder, &server, "1", &["--header", "Host: x"]).ends(2).says("set by ifs itself");
    run(&folder, &server, "1", &["--body", "[1]"]).ends(2).says("--body");
    assert!(server.log().is_empty());
}

#[test]
fn cache_returns_recorded_responses() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let go = |out: &str, more: &[&str]| {
        let mut args = vec!["run", "wire.ifs", "-m", "openai/m", "-n", "3", "--cache", "kept"];
        args.extend(["--out", out]);
        args.extend(more);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0)
    };
    let text =
        |out: &str| std::fs::read(folder.path().join(out).join("transcripts.jsonl")).unwrap();
    go("out", &[]).says("cache: 0 hits, 12 misses");
    go("again", &[]).says("cache: 12 hits, 0 misses").says("total: 0 calls");
    assert_eq!(server.log().len(), 12);
    assert_eq!(text("out"), text("again"));
    // Streaming makes no difference; another temperature does.
    go("streamed", &["--stream"]).says("12 hits");
    go("warm", &["--temperature", "1"]).says("12 misses");
    assert_eq!(server.log().len(), 24);
}

#[test]
fn budgets_are_respected() {
    let server = Server::start(dutiful);
    let folder = scenario();
    run(&folder, &server, "5", &["--budget-calls", "7"])
        .ends(4)
        .says("the budget of 7 calls is spent");
    assert_eq!(server.log().len(), 7);
    // Earlier costs count.
    resume(&folder, &server, &["--budget-calls", "9"]).ends(4);
    assert_eq!(server.log().len(), 9);
    resume(&folder, &server, &[]).ends(0).says("total: 20 calls, 220 tokens in, 140 tokens out");
    assert_eq!(manifest(&folder)["spent"]["calls"], 20);
}

/// Reservations for requests in flight exceed their cost, and are no reason to stop.
#[test]
fn budget_waits_for_requests_in_flight() {
    let server = Server::start(dutiful);
    let folder = scenario();
    // Each request may use a thousand tokens and uses 18.
    let more = ["--max-tokens", "1000", "--budget-tokens", "3000"];
    run(&folder, &server, "20", &more).ends(0).says("80 requests answered");
    let folder = scenario();
    let ran = run(&folder, &server, "100", &more).ends(4);
    ran.says("the budget of 3000 tokens is spent");
    let spent = manifest(&folder)["spent"].clone();
    let tokens = spent["input"].as_u64().unwrap() + spent["output"].as_u64().unwrap();
    assert!((1700..=3000).contains(&tokens), "{tokens}");
}

#[test]
fn money_needs_prices() {
    let server = Server::start(dutiful);
    let folder = scenario();
    run(&folder, &server, "5", &["--budget", "1"]).ends(2).says("`openai/m` has no price");
    let prices =
        r#"{"as_of": "2026-02-03", "models": {"openai/m": {"input": 1000000, "output": 0}}}"#;
    std::fs::write(folder.path().join("prices.json"), prices).unwrap();
    let ran = run(
        &folder,
        &server,
        "5",
        &["--budget", "100", "--prices", "prices.json", "--max-connections", "1"],
    );
    // Eleven dollars a request.
    ran.ends(4).says("the budget of $100.00 is spent").says("prices of 2026-02-03");
    assert!((1..=9).contains(&server.log().len()), "{}", server.log().len());
    std::fs::write(folder.path().join("prices.json"), "{").unwrap();
    run(&folder, &server, "5", &["--prices", "prices.json"]).ends(3).says("prices.json");
}

#[test]
fn a_dry_run_sends_no_request() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let prices = r#"{"as_of": "2026-02-03", "models": {"openai/m": {"input": 1, "output": 1}}}"#;
    std::fs::write(folder.path().join("prices.json"), prices).unwrap();
    run(&folder, &server, "5", &["--dry-run", "--prices", "prices.json"])
        .ends(0)
        .says("calls        20")
        .says("prices of 2026-02-03")
        .says("No request was sent");
    // The total is compared with the budget.
    run(&folder, &server, "5", &["--dry-run", "--budget-calls", "19"])
        .ends(0)
        .says("That is more than the budget of 19 calls: the run would stop before its end.");
    let ran = run(&folder, &server, "5", &["--dry-run", "--budget-calls", "20"]).ends(0);
    assert!(!ran.all.contains("more than"), "{}", ran.all);
    assert!(server.log().is_empty());
    assert!(!folder.path().join("out").exists());
    // An estimate needs no key.
    let mut keyless = command(folder.path(), &server, &run_args("openai/m", "5", &["--dry-run"]));
    Ran::of(keyless.env_remove("OPENAI_API_KEY").output().unwrap()).ends(0).says("calls        20");
}

#[test]
fn dialogues_continue_from_the_first_sample() {
    let server = Server::start(|asked| super::server::answer(&format!("Answer {}.", asked.number)));
    let folder = scenario();
    let program = SCENARIO.replace("start with", "sample 3\n  start with");
    std::fs::write(folder.path().join("wire.ifs"), program).unwrap();
    run(&folder, &server, "2", &["--cache", "kept"]).ends(0);
    let log = server.log();
    assert_eq!(log.len(), 2 * 4 * 3);
    for held in transcripts(&folder) {
        let turns = held["turns"].as_array().unwrap();
        let answers: Vec<&str> =
            turns.iter().map(|turn| turn["samples"][0]["answer"].as_str().unwrap()).collect();
        for (at, turn) in turns.iter().enumerate() {
            let samples = turn["samples"].as_array().unwrap();
            assert_eq!(samples.len(), 3);
            let all = samples.iter().map(|sample| sample["answer"].as_str().unwrap());
            let all: std::collections::BTreeSet<&str> = all.collect();
            assert_eq!(all.len(), 3, "none of them came out of the cache");
            for sample in samples {
                assert_eq!(sample["verdicts"].as_array().unwrap().len(), 1);
                assert_eq!(sample["usage"], serde_json::json!({"input": 11, "output": 7}));
            }
            // All three were requested after the first responses to the previous turns.
            let ask = turn["ask"].as_str().unwrap();
            let asked = log.iter().filter(|asked| {
                let texts = asked.texts();
                let said: Vec<&String> = texts.iter().skip(1).step_by(2).collect();
                texts.last().unwrap() == ask && said == answers[..at]
            });
            assert_eq!(asked.count(), 3, "turn {at}");
        }
    }
}

/// The limit of one second is used at once, the rest evenly: never faster than the limit per
/// minute.
#[test]
fn rate_limit_per_minute() {
    let server = Server::start(dutiful);
    // Four a second, and 18 tokens for each request, of 72 a second. Requests wait for the tokens of
    // the longest response.
    for pace in [&["--rpm", "240"][..], &["--tpm", "4320", "--max-tokens", "16"]] {
        let (folder, begun) = (scenario(), std::time::Instant::now());
        run(&folder, &server, "3", pace).ends(0).says("12 requests answered");
        assert!(begun.elapsed() >= std::time::Duration::from_millis(1500), "{pace:?}");
    }
}

/// An invalid cache file is ignored, and a file that cannot be written is reported.
#[test]
fn damaged_cache() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let kept = folder.path().join("kept");
    let go = |out: &str| {
        let args =
            ["run", "wire.ifs", "-m", "openai/m", "-n", "1", "--cache", "kept", "--out", out];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0)
    };
    go("one").says("0 hits, 4 misses");
    let files = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut answers: Vec<_> = files(&kept).iter().flat_map(|folder| files(folder)).collect();
    answers.sort();
    assert_eq!(answers.len(), 4, "nothing is left beside");
    std::fs::write(&answers[0], "{\"version\": 1").unwrap();
    std::fs::write(&answers[1], "").unwrap();
    // A folder has the name of the file.
    std::fs::remove_file(&answers[2]).unwrap();
    std::fs::create_dir_all(answers[2].join("x")).unwrap();
    go("two").says("1 hit, 3 misses").says("1 response that could not be cached");
    go("three").says("3 hits, 1 miss");
    assert_eq!(server.log().len(), 4 + 3 + 1);
}

/// The server has a limit for concurrent requests, which the runner finds.
#[test]
fn overload_reduces_concurrency() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let server = Server::start(|asked| {
        let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
        MOST.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(2));
        NOW.fetch_sub(1, Ordering::SeqCst);
        match now {
            ..=4 => dutiful(asked),
            _ => super::server::error("429 Too Many Requests", &[], "slower"),
        }
    });
    let folder = scenario();
    run(&folder, &server, "40", &["--max-connections", "30", "--max-retries", "50"]).ends(0);
    assert_eq!(server.answered().len(), 160);
    let most = MOST.load(Ordering::SeqCst);
    assert!((5..=30).contains(&most), "{most}");
}

#[test]
fn results_do_not_depend_on_thread_order() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let go = |out: &str, at_once: &str| {
        let args = ["run", "wire.ifs", "-m", "openai/m", "-n", "30", "--out", out];
        let mut command = command(folder.path(), &server, &args);
        Ran::of(command.args(["--max-connections", at_once]).output().unwrap()).ends(0);
        std::fs::read(folder.path().join(out).join("transcripts.jsonl")).unwrap()
    };
    assert_eq!(go("one", "1"), go("many", "30"));
}

/// The pages about models, batches, judges and words name every option of `ifs run` and `ifs synthesize`.
#[test]
fn every_option_is_documented() {
    let page = |name: &str| {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        std::fs::read_to_string(page).unwrap()
    };
    // Options that select dialogues or the output format are not about models.
    let elsewhere =
        ["--dialogue", "--variant", "--split", "--model", "--count", "--seed", "--max-turns"];
    let common = ["--format", "--color", "--help"];
    let models = page("models.md") + &page("runs.md");
    let of_run = [&models, &page("judges.md")[..], &page("batches.md")].concat();
    let pages = [("run", of_run), ("synthesize", format!("{models}{}", page("synthesis.md")))];
    for (command, page) in pages {
        let help =
            Command::new(env!("CARGO_BIN_EXE_ifs")).args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let mut options = 0;
        for line in help.lines().map(str::trim).filter(|line| line.starts_with('-')) {
            let Some(name) = line.split([' ', ',']).find(|word| word.starts_with("--")) else {
                continue;
            };
            let name = name.trim_end_matches('.');
            if elsewhere.contains(&name) || common.contains(&name) {
                continue;
            }
            options += 1;
            assert!(
                page.contains(&format!("{name} ")) || page.contains(&format!("{name}`")),
                "{name}"
            );
        }
        assert!(options > 20, "{help}");
    }
    for provider in ifs::provider::PROVIDERS {
        assert!(models.contains(&format!("`{}/MODEL`", provider.name)), "{}", provider.name);
        assert!(models.contains(provider.base), "{}", provider.name);
    }
}
