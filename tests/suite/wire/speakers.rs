//! Speakers on the wire: what arrives of the system message and of tools, in three formats; and
//! no command scores overruled constraints.

use super::*;

const DESK: &str = r#"ifs 1

benchmark desk { title "Desk" version "1.0.0" }

import pages "pages.jsonl" { name: text  page: text }

group letters {
  constraint large { say "Large letters." check is_upper }
  constraint little { say "Little letters." check is_lower }
}
constraint closing { say "End with a full stop." check ends_with(".") }

metric astray of turn lower is better { return count(overruled where it.held) / count(overruled) }
metric by_system of outcome { return (if speaker == "system" then [held] else [])[1] }

dialogue desk over pages as p {
  priority system > user > tool
  system   "You help."
  patience 2
  report   CSR, ISR, PIF, astray, by_system
  impose   letters.large by system
  turn plea {
    ask    "Look up {{ p.name }}."
    show   p.page by tool "search"
    impose closing by tool
    impose 1 from letters by user against system
  }
  turn more { ask "And now?"  show "Nothing found." by tool "open_page" }
  end when patience == 0
  variant retried { retry up to 1 round with feedback as fresh }
}
"#;

const PAGES: &str = "{\"name\":\"kettles\",\"page\":\"Kettles boil.\\n```\\nsteam\\n```\"}\n";

fn desk(said: &'static str) -> (TempDir, Server) {
    let server = Server::start(move |asked| match &*asked.path {
        path if path.contains("messages") => as_json(&serde_json::json!({
            "content": [{ "type": "text", "text": said }], "stop_reason": "end_turn",
        })),
        path if path.contains("generateContent") => as_json(&serde_json::json!({
            "candidates": [{ "finishReason": "STOP", "content": { "parts": [{ "text": said }] } }],
        })),
        _ => answer(said),
    });
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    std::fs::write(folder.path().join("pages.jsonl"), PAGES).unwrap();
    (folder, server)
}

fn as_json(body: &Value) -> Vec<Step> {
    server::response("200 OK", &[("content-type", "application/json")], &body.to_string())
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

fn run_desk(folder: &TempDir, server: &Server, model: &str, more: &[&str]) -> Ran {
    let args = ["run", "desk.ifs", "-m", model, "-n", "1", "--retry-wait", "1ms", "--out", "out"];
    ifs(folder, server, &[&args, more].concat())
}

const TOOL: &str = "Kettles boil.\n```\nsteam\n```\n\nEnd with a full stop.";

#[test]
fn tools_have_messages_in_the_format_of_each_api() {
    let (folder, server) = desk("YES.");
    run_desk(&folder, &server, "openai/m", &[]).ends(0);
    let log = server.log();
    let body = &log[1].body;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["content"], "You help.\n\nLarge letters.");
    let roles: Vec<&str> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
    let roles_wanted =
        ["system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"];
    assert_eq!(roles, roles_wanted);
    assert!(messages[1]["content"].as_str().unwrap().contains("ittle letters"), "{messages:?}");
    assert!(!messages[1]["content"].as_str().unwrap().contains("Kettles boil"));
    let call = &messages[2]["tool_calls"][0];
    assert_eq!(
        (&call["function"]["name"], &call["function"]["arguments"]),
        (&"search".into(), &"{}".into())
    );
    assert_eq!(messages[3]["tool_call_id"], call["id"]);
    assert_eq!(messages[3]["content"], TOOL);
    assert_ne!(messages[7]["tool_call_id"], call["id"]);
    assert_eq!(body["tool_choice"], "none");
    let names: Vec<&Value> =
        body["tools"].as_array().unwrap().iter().map(|it| &it["function"]["name"]).collect();
    assert_eq!(names, ["search", "open_page"]);
    assert_eq!(log[0].body["tools"].as_array().unwrap().len(), 1, "what was called so far");

    let (folder, server) = desk("YES.");
    run_desk(&folder, &server, "anthropic/m", &[]).ends(0);
    let body = &server.log()[0].body;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(body["system"], "You help.\n\nLarge letters.");
    assert_eq!(messages[1]["content"][0]["type"], "tool_use");
    assert_eq!(messages[2]["role"], "user");
    let result = &messages[2]["content"][0];
    assert_eq!(result["tool_use_id"], messages[1]["content"][0]["id"]);
    assert_eq!(result["content"], TOOL);
    assert_eq!(body["tool_choice"]["type"], "none");
    assert_eq!(body["tools"][0]["name"], "search");

    let (folder, server) = desk("YES.");
    run_desk(&folder, &server, "google/m", &[]).ends(0);
    let body = &server.log()[0].body;
    let contents = body["contents"].as_array().unwrap();
    assert_eq!(contents[1]["parts"][0]["functionCall"]["name"], "search");
    let result = &contents[2]["parts"][0]["functionResponse"];
    assert_eq!(result["response"]["result"], TOOL);
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"], "NONE");
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "search");
}

#[test]
fn overruled_constraints_are_not_scored() {
    // It obeys the system message and the tool, and not the user.
    let (folder, server) = desk("YES.");
    let ran = run_desk(&folder, &server, "openai/m", &[]).ends(0);
    ran.says("Overruled").says("Constraints by speaker");
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    let of = |scores: &Value, name: &str| {
        let all = scores["metrics"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["name"] == name).unwrap()["value"].clone()
    };
    for name in ["CSR", "ISR", "by_system"] {
        assert_eq!(of(&scores, name), 1.0, "{name}");
    }
    assert_eq!(of(&scores, "astray"), 0.0);
    let breakdown = &scores["breakdown"];
    assert_eq!(breakdown["by_speaker"][0]["name"], "system");
    assert_eq!(breakdown["overruled"][0]["missed"], 1);
    assert!(!breakdown["by_constraint"].to_string().contains("little"), "{breakdown}");
    let turn = &transcripts(&folder)[0]["turns"][0];
    let active = turn["active_constraints"].to_string();
    assert!(active.contains("\"overruled\":\"letters.large by system\""), "{active}");

    ifs(&folder, &server, &["show", "out"])
        .ends(0)
        .says("letters.large by system")
        .says("letters.little by user, overruled by letters.large by system")
        .says("not obeyed")
        .says("search: Kettles boil.");
    ifs(&folder, &server, &["score", "out"]).ends(0).says("100.0 %");
    for format in ["text", "csv", "json", "markdown", "latex", "junit", "every-eval-ever"] {
        ifs(&folder, &server, &["report", "out", "--format", format]).ends(0);
    }
    ifs(&folder, &server, &["report", "out", "--format", "inspect", "--out", "logs"]).ends(0);

    // It obeys the user, and not the system message.
    let (other, server) = desk("yes.");
    run_desk(&other, &server, "openai/m", &[]).ends(0);
    let scores: Value = serde_json::from_str(&read(&other, "scores.json")).unwrap();
    assert_eq!((of(&scores, "ISR"), of(&scores, "astray")), (0.0.into(), 1.0.into()));
    assert_eq!(transcripts(&other)[0]["ending"], "patience");
    ifs(&other, &server, &["preview", "desk.ifs", "-n", "1", "--out", "page.html"]).ends(0);
    let page = std::fs::read_to_string(other.path().join("page.html")).unwrap();
    for part in ["Tool search", " by user, overruled by letters.large by system"] {
        assert!(page.contains(part), "{part}");
    }
    let csv = ifs(&other, &server, &["report", "out", "--format", "csv"]).ends(0);
    csv.says(",obeyed,").says(",0.1.0,,system,").says(",0.1.0,,tool,");
    // Reasons quote responses, those of overruled constraints too.
    let csv = |more: &[&str]| {
        let args = [&["report", "out", "--format", "csv"], more].concat();
        ifs(&folder, &server, &args).ends(0).all
    };
    let why = "it must be in small letters";
    assert!(
        csv(&[]).contains(why) && !csv(&["--redact", "responses"]).contains(why),
        "{}",
        csv(&[])
    );
    let proved = ifs(&folder, &server, &["prove", "desk.ifs"]).ends(0);
    let proved = proved.says("\noverruled: letters.little by user, overruled by letters.large");
    assert!(
        proved.all.contains("\nactive: closing by tool, letters.large by system\n"),
        "{}",
        proved.all
    );
    let both = [folder.path().join("out"), other.path().join("out")];
    let both: Vec<&str> = both.iter().map(|path| path.to_str().unwrap()).collect();
    ifs(&folder, &server, &[&["compare"], &both[..]].concat()).ends(0);
    // The overruled side does not count as a failure and is not shrunk.
    let shrunk = ifs(&other, &server, &["shrink", "out", "--all"]).ends(0);
    assert!(!shrunk.all.contains("little"), "{}", shrunk.all);
    shrunk.says("letters.large");
}

#[test]
fn feedback_omits_overruled_constraints() {
    let (folder, server) = desk("yes.");
    run_desk(&folder, &server, "openai/m", &["--variant", "retried"]).ends(0);
    let fresh = server.log()[1].body["messages"].as_array().unwrap().clone();
    let said = fresh[1]["content"].as_str().unwrap();
    assert!(said.contains("It does not follow every instruction:"), "{said}");
    assert!(said.contains("Large letters") && !said.contains("overruled"), "{said}");
    assert_eq!(fresh[3]["content"], TOOL, "the tool's message follows the new one");
}

#[test]
fn runs_with_tools_resume_without_repeats() {
    let (folder, server) = desk("YES.");
    run_desk(&folder, &server, "openai/m", &[]).ends(0);
    let (asked, before) = (server.log().len(), read(&folder, "transcripts.jsonl"));
    std::fs::remove_file(folder.path().join("out/transcripts.jsonl")).unwrap();
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), asked, "the journal has every response");
    assert_eq!(read(&folder, "transcripts.jsonl"), before);
}

#[test]
fn releases_preserve_the_scenario() {
    let (folder, server) = desk("YES.");
    let scenario = DESK.to_owned() + "\nrelease { 1 dialogue of desk }\n";
    std::fs::write(folder.path().join("desk.ifs"), scenario).unwrap();
    ifs(&folder, &server, &["release", "desk.ifs", "-n", "1", "--out", "released"]).ends(0);
    ifs(&folder, &server, &["verify", "released", "--scenario", "desk.ifs"]).ends(0);
    let rows = std::fs::read_to_string(folder.path().join("released/dialogues.jsonl")).unwrap();
    for part in [
        "\"overruled\":\"letters.large by system\"",
        "{\"tool\":{\"name\":\"search\"",
        "Large letters.",
    ] {
        assert!(rows.contains(part), "{part}: {rows}");
    }
}
