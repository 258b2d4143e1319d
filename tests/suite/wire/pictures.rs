//! Pictures go to each kind of endpoint in its own form, and nowhere else as bytes.

use super::server::{JSON, chat, response};
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

/// The first message of the last request, which is the second turn: pictures stay in what was said.
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
    // The page of the report needs nothing else.
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
    assert!(parts[4]["text"].as_str().unwrap().starts_with("What is on these?"), "{message}");
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
