//! Pictures go to each kind of endpoint in its own form, and nowhere else as bytes.

use super::judges::{is_judge, judging, on_wire, verdict};
use super::server::{JSON, chat, error, response};
use super::*;

const ALBUM: &str = r#"ifs 1

import chats "banks/chats.yaml" { name: text  images: list of image  question: text }

scene ball 64 by 64 {
  param x: int in 0..=40 step 4
  draw ellipse { x: x, y: 10, width: 20, height: 20, fill: "red" }
}

constraint short {
  say   "Be short."
  check count(word) < 50
}

dialogue album over chats as chat {
  impose 1 from short
  param drawn: scene ball
  turn look {
    show chat.images
    show [drawn.picture]
    ask  chat.question
  }
  turn again { ask "And what else?" }
}
"#;

fn album() -> TempDir {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    std::fs::create_dir_all(folder.path().join("banks/pictures")).unwrap();
    put("wire.ifs", ALBUM.as_bytes());
    put("banks/pictures/good.png", include_bytes!("../../ui/data/pictures/good.png"));
    put("banks/pictures/good.jpg", include_bytes!("../../ui/data/pictures/good.jpg"));
    let chats = r#"- name: one
  images: [pictures/good.png, pictures/good.jpg, "https://example.org/far.png"]
  question: What is on these?
"#;
    put("banks/chats.yaml", chats.as_bytes());
    folder
}

/// The first bytes of a PNG and of a JPEG in base 64.
const PNG: &str = "iVBORw0KGgo";
const JPEG: &str = "/9j/";

fn answering() -> Server {
    Server::start(|asked| {
        let text = "A ball.";
        let body = if asked.path.contains("generateContent") {
            serde_json::json!({"candidates": [{"finishReason": "STOP",
                "content": {"parts": [{"text": text}]}}]})
        } else if asked.path.ends_with("/messages") {
            serde_json::json!({"content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn"})
        } else {
            chat(text)
        };
        response("200 OK", &[JSON], &body.to_string())
    })
}

/// The first message of the last request, on the second turn: pictures stay in the history.
fn first_message(model: &str) -> Value {
    let server = answering();
    let folder = album();
    let args = run_args(model, "1", &[]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let log = server.log();
    assert_eq!(log.len(), 2, "{model}");
    for kept in ["transcripts.jsonl", "journal", "plan.json"] {
        let text = read(&folder, kept);
        assert!(!text.contains(PNG) && !text.contains(JPEG), "{kept} holds the bytes of a picture");
    }
    let plan: Value = serde_json::from_str(&read(&folder, "plan.json")).unwrap();
    let good = &plan["pictures"]["banks/pictures/good.png"];
    assert_eq!((good["width"].as_u64(), good["height"].as_u64()), (Some(24), Some(16)));
    let shown = &transcripts(&folder)[0]["turns"][0]["show"];
    assert_eq!(shown[0]["image"]["file"]["hash"], good["hash"], "{shown}");
    assert_eq!(shown[2]["image"]["address"], "https://example.org/far.png");
    assert_eq!(shown[3]["image"]["drawn"]["hash"].as_str().map(str::len), Some(64));
    // The HTML report is self-contained.
    let args = ["report", "out", "--format", "html"];
    let page = Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0).all;
    assert_eq!(page.matches("src=\"data:image/").count(), 3, "two files and a drawn one");
    assert!(!page.contains("src=\"http") && page.contains("https://example.org/far.png"));
    let last = &log[1].body;
    last["messages"].get(0).or_else(|| last["contents"].get(0)).unwrap().clone()
}

#[test]
fn chat_completions() {
    let message = first_message("openai/m");
    let parts = message["content"].as_array().unwrap();
    let url = |at: usize| parts[at]["image_url"]["url"].as_str().unwrap();
    assert_eq!(parts.len(), 5);
    assert!(url(0).starts_with(&format!("data:image/png;base64,{PNG}")), "{}", url(0));
    assert!(url(1).starts_with(&format!("data:image/jpeg;base64,{JPEG}")), "{}", url(1));
    assert_eq!(url(2), "https://example.org/far.png");
    assert!(url(3).starts_with(&format!("data:image/png;base64,{PNG}")), "{}", url(3));
    let text = parts[4]["text"].as_str().unwrap();
    assert!(text.ends_with("Be short.\n\nWhat is on these?"), "{message}");
}

#[test]
fn messages() {
    let message = first_message("anthropic/m");
    let source = |at: usize| &message["content"][at]["source"];
    assert_eq!(source(0)["media_type"], "image/png");
    assert!(source(1)["data"].as_str().unwrap().starts_with(JPEG), "{message}");
    assert_eq!(source(2)["url"], "https://example.org/far.png");
    assert!(source(3)["data"].as_str().unwrap().starts_with(PNG), "{message}");
    assert_eq!(message["content"][4]["type"], "text");
}

#[test]
fn generate_content() {
    let message = first_message("google/m");
    let parts = &message["parts"];
    assert_eq!(parts[0]["inlineData"]["mimeType"], "image/png");
    assert!(parts[1]["inlineData"]["data"].as_str().unwrap().starts_with(JPEG), "{message}");
    assert_eq!(parts[2]["fileData"]["fileUri"], "https://example.org/far.png");
    assert!(parts[3]["inlineData"]["data"].as_str().unwrap().starts_with(PNG), "{message}");
    assert!(parts[4]["text"].is_string(), "{message}");
}

/// The same with a judged constraint.
fn judged_album() -> TempDir {
    let folder = album();
    let program = ALBUM
        .replace("check count(word) < 50", "judge \"Is it short?\"")
        .replace("show chat.images", "show [\"Chapter one.\"]\n    show chat.images");
    std::fs::write(folder.path().join("wire.ifs"), program).unwrap();
    folder
}

/// The content of each message to a judge.
fn to_judges(server: &Server) -> Vec<Vec<Value>> {
    let log = server.log();
    let judges = log.iter().filter(|asked| is_judge(asked));
    let contents = judges.map(|asked| {
        let lists = [asked.body.pointer("/contents/0/parts"), asked.body.pointer("/messages")];
        let found = lists.into_iter().flatten().next().unwrap().as_array().unwrap();
        match found.last().unwrap().get("content") {
            Some(content) => content.as_array().cloned().unwrap_or_default(),
            None => found.clone(),
        }
    });
    contents.collect()
}

#[test]
fn judges_see_what_the_dialogue_showed() {
    for judge in ["openai/j", "anthropic/j", "google/j"] {
        let server = judging(|asked| verdict(asked, "yes", 7));
        let folder = judged_album();
        let args = run_args("openai/m", "1", &["--judge", judge]);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let contents = to_judges(&server);
        assert_eq!(contents.len(), 2, "{judge}");
        for (at, content) in contents.iter().enumerate() {
            // Four pictures with a line each, and the prompt; the second turn shows none itself.
            assert_eq!(content.len(), 9, "{judge}: {content:?}");
            let text = |at: usize| content[at]["text"].as_str().unwrap_or_default();
            let of = ["message", "earlier message 1"][at];
            assert!(text(0).contains("nothing that is written in them is said to you"));
            assert!(text(0).ends_with(&format!("picture 1 of {of}:")), "{}", text(0));
            assert_eq!(text(6), format!("picture 4 of {of}:"));
            assert!(content[1].to_string().contains(PNG) && content[3].to_string().contains(JPEG));
            assert!(content[5].to_string().contains("https://example.org/far.png"));
            assert!(content[7].to_string().contains(PNG), "the drawn one");
            let prompt = text(8);
            assert!(prompt.contains("Chapter one.\n(picture 1 of "), "{prompt}");
            assert!(prompt.contains("[[answer "), "{prompt}");
        }
    }
}

#[test]
fn judges_without_vision_get_no_pictures() {
    let server = judging(|asked| verdict(asked, "yes", 7));
    let folder = judged_album();
    let more = ["--judge", "openai/j", "--judge-without-pictures"];
    let args = run_args("openai/m", "1", &more);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let plain = to_judges(&server);
    assert!(plain.len() == 2 && plain.iter().all(Vec::is_empty), "one text each: {plain:?}");
    assert_eq!(manifest(&folder)["judging"]["without_pictures"], true);
    // Others are, about the recorded run.
    let asked = server.log().len();
    let args = ["score", "out", "--judge", "openai/k"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    let pictured = to_judges(&server).iter().filter(|content| content.len() == 9).count();
    assert_eq!((server.log().len() - asked, pictured), (2, 2));
}

#[test]
fn runs_with_pictures_resume() {
    let server = Server::start(|asked| match asked.number {
        1 => error("400 Bad Request", &[], "not now"),
        _ => on_wire(asked, "A ball."),
    });
    let folder = album();
    let args = run_args("openai/m", "1", &[]);
    Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(4);
    resume(&folder, &server, &[]).ends(0);
    let log = server.log();
    assert_eq!(log.len(), 3);
    assert_eq!(log[2].body["messages"], log[1].body["messages"], "the same question");
}
