//! A field that a record lacks is left out of requests, and never sent as `null`, `none` or the
//! like.

use super::*;

fn sent(statements: &str) -> Vec<Vec<String>> {
    let server = Server::start(|_| answer("Fine."));
    let folder = TempDir::new().unwrap();
    let task = format!(
        "ifs 1\n\nbenchmark absent {{ title \"Absent\" version \"1.0.0\" }}\n\n\
         import tickets \"tickets.jsonl\" {{ name: text  mood?: text  lines?: list of text }}\n\n\
         dialogue talk over tickets as ticket {{\n{statements}\n}}\n"
    );
    std::fs::write(folder.path().join("wire.ifs"), task).unwrap();
    let tickets =
        "{\"name\":\"Ada\",\"mood\":\"angry\",\"lines\":[\"late\",\"wet\"]}\n{\"name\":\"Bo\"}\n";
    std::fs::write(folder.path().join("tickets.jsonl"), tickets).unwrap();
    run(&folder, &server, "2", &[]).ends(0);
    let mut sent: Vec<Vec<String>> = server.log().iter().map(Asked::texts).collect();
    sent.sort();
    sent
}

#[test]
fn absent_system_texts_are_not_sent() {
    let hello = "turn only { ask \"I am {{ ticket.name }}.\" }";
    let whole = sent(&format!("system ticket.mood\n{hello}"));
    assert_eq!(whole, [vec!["I am Bo."], vec!["angry", "I am Ada."]]);
    let alone = sent(&format!("system \"{{{{ ticket.mood }}}}\"\n{hello}"));
    assert_eq!(alone, whole);
    let within = sent(&format!("system \"A talk. {{{{ ticket.mood }}}}\"\n{hello}"));
    assert_eq!(within, [["A talk. ", "I am Bo."], ["A talk. angry", "I am Ada."]]);
}

#[test]
fn an_absent_list_shows_nothing() {
    let shown = sent("turn only {\nshow ticket.lines\nask \"I am {{ ticket.name }}.\"\n}");
    assert_eq!(shown, [["I am Bo."], ["late\nwet\n\nI am Ada."]]);
    let guarded = sent(
        "turn only { ask \"I am {{ ticket.name }}{% if ticket.mood %} and {{ ticket.mood }}{% endif %}.\" }",
    );
    assert_eq!(guarded, [["I am Ada and angry."], ["I am Bo."]]);
}
