//! Each request of an editor, by its result on scenarios that are shipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::client::{Client, apply, offset, path, position, root, uri};
use serde_json::{Value, json};

fn scenario(name: &str) -> PathBuf {
    root().join("scenarios").join(name)
}

/// A server with one open scenario.
fn opened(name: &str) -> (Client, PathBuf) {
    let file = scenario(name);
    let mut client = Client::start(file.parent().unwrap());
    client.open(&file);
    (client, file)
}

fn labels(items: &Value) -> BTreeSet<String> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

fn messages(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|it| it["message"].as_str().unwrap()).collect()
}

fn is_error(diagnostic: &Value) -> bool {
    diagnostic["severity"] == 1
}

/// The text that a range covers.
fn covered<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

#[test]
fn diagnostics_have_codes_places_and_related_places() {
    let (mut client, file) = opened("evolif/evolif.ifs");
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
    client.replace(&file, "import styles", "import topics");
    let found = client.diagnostics(&file);
    let twice = found.iter().find(|it| it["code"] == "ifs::duplicate-name").expect("a duplicate");
    let text = client.text(&file);
    assert_eq!(
        twice["message"],
        "`topics` is named twice (second time)\nhelp: give one of them another name"
    );
    assert_eq!(twice["source"], "ifs");
    assert!(is_error(twice));
    assert_eq!(covered(text, &twice["range"]), "topics");
    let related = &twice["relatedInformation"][0];
    assert_eq!(related["message"], "first time");
    let first = &related["location"]["range"];
    assert!(offset(text, &first["start"]) < offset(text, &twice["range"]["start"]));
}

#[test]
fn what_only_drawing_finds_follows() {
    let folder = tempfile();
    let file = folder.join("a.ifs");
    let text = "ifs 1\n\nlet names = [\"a\", \"b\"]\n\ndialogue d {\n  turn a {\n    \
                param n: int in 1..=3\n    let name = names[n]\n    ask \"Say {{ name }}.\"\n    \
                require said contains(name)\n  }\n}\n";
    let mut client = Client::start(&folder);
    client.open_text(&file, text);
    let found = client.diagnostics_until(&file, |list| !list.is_empty());
    assert!(messages(&found).iter().any(|it| it.contains("member")), "{found:?}");
    // An edit takes it away at once: it was about another text.
    client.replace(&file, "1..=3", "1..=2");
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
}

/// A folder of its own for the test that asks.
fn tempfile() -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};

    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("ifs-lsp-test-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn modules_banks_and_templates_have_diagnostics_at_their_places() {
    let folder = tempfile();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let main = "ifs 1\nimport m \"m.ifs\"\nimport topics \"topics.jsonl\" { name: text }\n\n\
                dialogue d {\n  topic from topics\n  constraints from m.g\n  turn a {\n    \
                ask template \"ask.j2\"\n    impose 1\n  }\n  turn b { ask topic.name }\n}\n";
    write("main.ifs", main);
    write(
        "m.ifs",
        "ifs 1\n\ngroup g {\n  constraint c {\n    say \"c\"\n    check count(word) > 1\n  }\n}\n",
    );
    write("topics.jsonl", "{\"name\": \"tides\"}\n{\"name\": \"yeast\"}\n");
    write("ask.j2", "Write about {{ topic.name }}.");
    let [main, module, bank, template] =
        ["main.ifs", "m.ifs", "topics.jsonl", "ask.j2"].map(|name| folder.join(name));
    let mut client = Client::start(&folder);
    client.open(&main);
    assert_eq!(messages(&client.diagnostics(&main)), Vec::<&str>::new());
    // The module is checked by the scenario that imports it.
    client.open(&module);
    client.replace(&module, "count(word)", "cuont(word)");
    let found = client.diagnostics(&module);
    assert!(messages(&found)[0].starts_with("there is no function `cuont`"), "{found:?}");
    client.replace(&module, "cuont", "count");
    assert_eq!(client.diagnostics(&module), Vec::<Value>::new());
    // A group that is renamed in the module is missing in the scenario.
    client.replace(&module, "group g", "group h");
    let found = client.diagnostics_until(&main, |list| !list.is_empty());
    assert!(messages(&found)[0].contains("no `g`"), "{found:?}");
    client.replace(&module, "group h", "group g");
    client.diagnostics_until(&main, <[Value]>::is_empty);
    client.open(&bank);
    client.replace(&bank, "\"yeast\"", "7");
    let found = client.diagnostics_until(&bank, |list| !list.is_empty());
    assert_eq!(found[0]["range"]["start"]["line"], 1, "{found:?}");
    client.replace(&bank, "7", "\"yeast\"");
    client.diagnostics_until(&bank, <[Value]>::is_empty);
    client.open(&template);
    client.replace(&template, "topic.name", "topic.nam");
    let found = client.diagnostics_until(&template, |list| !list.is_empty());
    assert!(messages(&found)[0].contains("nam"), "{found:?}");
    assert_eq!(covered(client.text(&template), &found[0]["range"]), "topic.nam");
    // A name of a template leads to its declaration, and what is not saved is what counts.
    client.replace(&template, "topic.nam", "topic.name");
    client.diagnostics_until(&template, <[Value]>::is_empty);
    // A closed file is read from the disk again.
    client.replace(&module, "group g", "group h");
    client.close(&module);
    client.diagnostics_until(&main, <[Value]>::is_empty);
}

#[test]
fn completion_follows_the_grammar_and_the_names() {
    let (mut client, file) = opened("intake/desk.ifs");
    let mut complete = |marked: &str| {
        let place = client.at(&file, marked);
        client.request("textDocument/completion", place)
    };
    let items = complete("    |change   \"{{ n }} words");
    let words = labels(&items);
    for word in ["say", "check", "withdraw", "test", "excludes"] {
        assert!(words.contains(word), "{word}: {words:?}");
    }
    assert!(!words.contains("ask") && !words.contains("count"), "{words:?}");
    let check = items.as_array().unwrap().iter().find(|item| item["label"] == "check").unwrap();
    assert_eq!(check["detail"], "check …");
    assert!(check["documentation"]["value"].as_str().unwrap().starts_with("Decides by a rule"));
    let names = labels(&complete("check    count(word) in 1..=|n\n"));
    for name in ["n", "interview", "asked_in", "count", "paragraph", "not"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    assert!(!names.contains("mark"), "a parameter of another constraint: {names:?}");
    assert!(labels(&complete("applies  |when turn <= interview")).contains("when"));
    // In a template of a string.
    let inside = labels(&complete("\"keep each reply to {{ |n }} words"));
    assert!(inside.contains("n") && !inside.contains("count"), "{inside:?}");
    assert!(labels(&complete("\"keep |each reply")).is_empty());
    assert!(labels(&complete("// form|.")).is_empty());
    let top = labels(&complete("|group opening"));
    assert!(top.contains("dialogue") && top.contains("import") && !top.contains("say"), "{top:?}");
}

#[test]
fn completion_knows_fields_modules_and_the_library() {
    let (mut client, file) = opened("evolif/evolif.ifs");
    let mut complete = |new: &str, old: &str, marked: &str| {
        client.replace(&file, old, new);
        let place = client.at(&file, marked);
        let found = labels(&client.request("textDocument/completion", place));
        client.replace(&file, new, old);
        found
    };
    let fields = complete("{% topic.x %}{{ topic. }}", "Respond to the", "{{ topic.| }}");
    assert!(fields.contains("keywords") && fields.contains("neutral"), "{fields:?}");
    let modules = complete("use std.", "use std.evolif.*", "use std.|");
    assert!(modules.contains("evolif") && modules.contains("sport"), "{modules:?}");
    let groups = complete("use std.evolif.", "use std.evolif.*", "use std.evolif.|");
    assert!(groups.contains("startwith"), "{groups:?}");
    let banks = complete("topic from s", "topic from topics", "topic from s|");
    assert_eq!(banks, BTreeSet::from(["styles".to_owned(), "topics".to_owned()]));
    assert_eq!(
        complete("topic  \n", "topic from topics\n", "\n  topic | \n"),
        BTreeSet::from(["from".to_owned()])
    );
}

#[test]
fn hovers_say_what_a_word_is() {
    let (mut client, file) = opened("intake/desk.ifs");
    let mut hover = |marked: &str| {
        let place = client.at(&file, marked);
        let found = client.request("textDocument/hover", place);
        found["contents"]["value"].as_str().map(str::to_owned).unwrap_or_default()
    };
    let statement = hover("    ch|eck    count(word) in 1..=n");
    assert!(statement.contains("Decides by a rule whether a response satisfies"), "{statement}");
    assert_eq!(hover("count(wo|rd)"), "```ifs\nword (explained)\n```\n");
    assert_eq!(hover("cou|nt(word)"), "```ifs\ncount (explained)\n```\n");
    let parameter = hover("1..=n|\n");
    assert!(parameter.contains("n: int in 25..=60 step 5"), "{parameter}");
    assert!(parameter.contains("`n` is a parameter: int"), "{parameter}");
    let constant = hover("turn <= inter|view");
    assert!(constant.contains("Replies of the interview, before the records begin."), "{constant}");
    let function = hover("let inter|view = 10");
    assert!(function.contains("let interview = 10"), "{function}");
    let constraint = hover("constraint sen|tences");
    assert!(constraint.contains("check    count(sentence) == n"), "{constraint}");
    assert!(!constraint.contains("I see. When did it begin?"), "{constraint}");
    assert_eq!(hover("\"keep ea|ch reply"), "");
}

#[test]
fn definitions_lead_into_the_library() {
    let (mut client, file) = opened("evolif/evolif.ifs");
    let place = client.at(&file, "use std.evo|lif.*");
    let found = client.request("textDocument/definition", place);
    let target = path(found["uri"].as_str().unwrap());
    let module = std::fs::read_to_string(&target).unwrap();
    assert!(module.contains("constraint "), "{}", target.display());
    assert!(std::fs::metadata(&target).unwrap().permissions().readonly());
    // The library itself can be looked around in.
    client.open(&target);
    let outline = client.file(&target);
    let symbols = client.request("textDocument/documentSymbol", outline);
    assert!(symbols.as_array().unwrap().len() > 5);
    let (mut client, file) = opened("intake/desk.ifs");
    let place = client.at(&file, "applies  when turn <= inter|view");
    let found = client.request("textDocument/definition", place);
    assert_eq!(covered(client.text(&file), &found["range"]), "interview");
    assert_eq!(
        found["range"]["start"],
        position(client.text(&file), client.text(&file).find("interview = 10").unwrap())
    );
    // The same from a template in a string.
    let place = client.at(&file, "\"keep each reply to {{ |n }} words");
    let found = client.request("textDocument/definition", place);
    let target = offset(client.text(&file), &found["range"]["start"]);
    assert!(client.text(&file)[target..].starts_with("n: int in 25..=60"), "{found}");
}

#[test]
fn references_and_renames_cross_files_and_templates() {
    let folder = tempfile();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "main.ifs",
        "ifs 1\nimport m \"m.ifs\"\n\ndialogue d {\n  turn a {\n    let place = \"Kiel\"\n    \
         ask template \"ask.j2\"\n    impose m.g.c(n: 3)\n  }\n  turn b follows a { ask \"Go on.\" }\n}\n",
    );
    write(
        "m.ifs",
        "ifs 1\n\ngroup g {\n  constraint c(n: int in 1..=3) {\n    say \"{{ n }} words\"\n    \
         change \"{{ n }}, not {{ old.n }}\"\n    check count(word) <= n\n    \
         test (n: 2) { pass \"a b\" fail \"a b c\" }\n  }\n}\n",
    );
    write("ask.j2", "Write about {{ place }}.");
    let [main, module, template] = ["main.ifs", "m.ifs", "ask.j2"].map(|name| folder.join(name));
    let mut client = Client::start(&folder);
    client.open(&main);
    client.open(&module);
    assert_eq!(client.diagnostics(&main), Vec::<Value>::new());
    let rename = |client: &mut Client, file: &Path, marked: &str| {
        let mut params = client.at(file, marked);
        params["newName"] = json!("renamed");
        let edit = client.request("textDocument/rename", params);
        client.edited(&edit)
    };
    let texts = rename(&mut client, &module, "check count(word) <= |n");
    assert_eq!(texts[&main].matches("renamed").count(), 1, "{texts:?}");
    assert!(texts[&main].contains("m.g.c(renamed: 3)"));
    assert!(texts[&module].contains("{{ renamed }}, not {{ old.renamed }}"), "{texts:?}");
    assert_eq!(texts[&module].matches("renamed").count(), 6, "{texts:?}");
    let texts = rename(&mut client, &main, "let pl|ace");
    assert_eq!(texts[&template], "Write about {{ renamed }}.");
    let texts = rename(&mut client, &main, "m.|g.c");
    assert!(texts[&module].contains("group renamed") && texts[&main].contains("m.renamed.c"));
    let texts = rename(&mut client, &main, "turn |a {");
    assert!(texts[&main].contains("turn b follows renamed"), "{texts:?}");
    let mut params = client.at(&main, "m.|g.c");
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", params);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    let highlights = client.at(&module, "check count(word) <= |n");
    let found = client.request("textDocument/documentHighlight", highlights);
    assert_eq!(found.as_array().unwrap().len(), 6, "{found}");
    // What cannot be renamed says so.
    let mut params = client.at(&main, "m.|g.c");
    params["newName"] = json!("two words");
    assert!(client.respond("textDocument/rename", params).response_result.is_err());
    let place = client.at(&module, "check |count(word)");
    assert_eq!(client.request("textDocument/prepareRename", place), Value::Null);
}

#[test]
fn formatting_is_that_of_fmt() {
    let (mut client, file) = opened("intake/desk.ifs");
    let original = client.text(&file).to_owned();
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let mut params = client.file(&file);
    params["options"] = options.clone();
    assert_eq!(client.request("textDocument/formatting", params.clone()), json!([]));
    client.replace(&file, "let interview = 10", "let   interview=10");
    client.replace(&file, "    say      \"keep", "say \"keep");
    let edits = client.request("textDocument/formatting", params.clone());
    let mut text = client.text(&file).to_owned();
    apply(&mut text, edits.as_array().unwrap());
    assert_eq!(text, original);
    // Of a range, only its lines.
    let at = client.at(&file, "let   inter|view=10")["position"].clone();
    let mut part = params.clone();
    part["range"] = json!({ "start": at, "end": at });
    let edits = client.request("textDocument/rangeFormatting", part);
    assert_eq!(edits.as_array().unwrap().len(), 1, "{edits}");
    // A file with a syntax error would lose lines.
    client.replace(&file, "group length {", "group {");
    assert_eq!(client.request("textDocument/formatting", params), Value::Null);
}

#[test]
fn outlines_folds_and_tokens() {
    let (mut client, file) = opened("intake/desk.ifs");
    let document = client.file(&file);
    let symbols = client.request("textDocument/documentSymbol", document.clone());
    let symbols = symbols.as_array().unwrap().clone();
    let length = symbols.iter().find(|it| it["name"] == "length").unwrap();
    let names: Vec<&str> = length["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["at_most", "sentences"]);
    assert_eq!(covered(client.text(&file), &length["selectionRange"]), "length");
    let folds = client.request("textDocument/foldingRange", document.clone());
    let line = |marked: &str| client.at(&file, marked)["position"]["line"].as_u64().unwrap();
    let (start, end) = (line("|group length"), line("|/// How a reply begins."));
    let has = |fold: &Value| fold["startLine"] == start && fold["endLine"] == end - 3;
    assert!(folds.as_array().unwrap().iter().any(has), "{folds}");
    let is_comment = |fold: &Value| fold["kind"] == "comment" && fold["startLine"] == 2;
    assert!(folds.as_array().unwrap().iter().any(is_comment), "{folds}");
    let tokens = client.request("textDocument/semanticTokens/full", document);
    let tokens = decoded(client.text(&file), &tokens["data"]);
    for (word, kind) in [
        ("group", 1),
        ("length", 7),
        ("at_most", 13),
        ("n", 9),
        ("25", 3),
        ("count", 8),
        ("word", 6),
        ("interview", 10),
        ("..=", 5),
        ("says", 99),
        (
            "// message, changes and withdraws them. They apply during the interview; records have their own",
            0,
        ),
    ] {
        let has = tokens.iter().any(|(text, of)| *text == word && *of == kind);
        assert_eq!(has, kind != 99, "{word}");
    }
    // A name in a string is a token of its own.
    let keep = tokens.iter().position(|(text, _)| *text == "\"keep each reply to {{ ").unwrap();
    assert_eq!(tokens[keep + 1], ("n", 9));
    assert_eq!(tokens[keep + 2].1, 2);
}

/// Tokens with their texts.
fn decoded<'t>(text: &'t str, data: &Value) -> Vec<(&'t str, u64)> {
    let numbers: Vec<u64> =
        data.as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    let (mut line, mut character) = (0, 0);
    let tokens = numbers.chunks(5).map(|token| {
        if token[0] > 0 {
            (line, character) = (line + token[0], 0);
        }
        character += token[1];
        let start = offset(text, &json!({ "line": line, "character": character }));
        let end = offset(text, &json!({ "line": line, "character": character + token[2] }));
        (&text[start..end], token[3])
    });
    tokens.collect()
}

#[test]
fn hints_and_lenses() {
    let (mut client, file) = opened("evolif/evolif.ifs");
    let mut params = client.file(&file);
    let end = position(client.text(&file), client.text(&file).len());
    params["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let hints = client.request("textDocument/inlayHint", params);
    let hints: Vec<&str> =
        hints.as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert!(hints.iter().any(|hint| hint.contains("turns")), "{hints:?}");
    let lenses = client.file(&file);
    let lenses = client.request("textDocument/codeLens", lenses);
    let commands = |lenses: &Value| -> Vec<(String, String)> {
        let commands = lenses.as_array().unwrap().iter().map(|lens| &lens["command"]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        commands.map(|it| (text(&it["command"]), text(&it["arguments"][1]))).collect()
    };
    let found = commands(&lenses);
    assert!(found.contains(&("ifs.draw".to_owned(), "evolving".to_owned())), "{found:?}");
    assert!(found.contains(&("ifs.prove".to_owned(), "evolving".to_owned())), "{found:?}");
    let (mut client, file) = opened("intake/desk.ifs");
    let lenses = client.file(&file);
    let found = commands(&client.request("textDocument/codeLens", lenses));
    assert!(found.contains(&("ifs.test".to_owned(), "at_most".to_owned())), "{found:?}");
    let mut params = client.file(&file);
    params["range"] =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 20, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", params);
    let of_jargon = hints.as_array().unwrap().iter().any(|it| it["label"] == ": list of text");
    assert!(of_jargon, "{hints}");
}

#[test]
fn bad_requests_are_refused_and_nothing_else_happens() {
    let (mut client, file) = opened("evolif/evolif.ifs");
    for (method, params) in [
        ("textDocument/unknown", json!({})),
        ("textDocument/hover", json!({})),
        ("textDocument/hover", json!([1, 2])),
        ("textDocument/rename", json!({ "textDocument": { "uri": uri(&file) } })),
        ("textDocument/completion", json!({ "textDocument": { "uri": 7 }, "position": {} })),
    ] {
        let error = client.respond(method, params).response_result.expect_err(method);
        // Not a failure of the server.
        assert_ne!(error.code, lsp_server::ErrorCode::InternalError as i32, "{method} {error:?}");
    }
    for far in [
        json!({ "line": 9_999_999, "character": 0 }),
        json!({ "line": 0, "character": 4_294_967_295_u32 }),
    ] {
        let params = json!({ "textDocument": { "uri": uri(&file) }, "position": far });
        for method in ["hover", "completion", "definition", "documentHighlight", "prepareRename"] {
            assert!(
                client
                    .respond(&format!("textDocument/{method}"), params.clone())
                    .response_result
                    .is_ok()
            );
        }
    }
    let nowhere = json!({ "textDocument": { "uri": "file:///nowhere/x.ifs" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.request("textDocument/hover", nowhere), Value::Null);
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    let change = json!({ "textDocument": { "uri": "file:///nowhere/x.ifs", "version": 3 }, "contentChanges": [{ "text": "x" }] });
    client.notify("textDocument/didChange", change);
    client.notify("$/unknown", json!({}));
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
}

#[test]
fn odd_texts_are_served() {
    let folder = tempfile();
    let mut client = Client::start(&folder);
    let huge = format!("ifs 1\nlet a = [{}]\n", "\"word\", ".repeat(60_000));
    let deep = format!("ifs 1\nlet a = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000));
    let texts = [
        ("empty", String::new()),
        ("blank", "\r\n \t\n".to_owned()),
        ("letters", "ifs 1\r\nlet ü = \"😀\"\r\n// 日本\r\n\"".to_owned()),
        ("controls", "ifs 1\0\u{1}\n\u{FEFF}{{{{".to_owned()),
        ("huge", huge),
        ("deep", deep),
        ("open", "ifs 1\ngroup g {\n  constraint c(".to_owned()),
    ];
    for (name, text) in &texts {
        let file = folder.join(format!("{name}.ifs"));
        client.open_text(&file, text);
        let found = client.diagnostics(&file);
        assert_eq!(found.iter().any(is_error), *name != "huge", "{name}: {:?}", messages(&found));
        let end = position(text, text.len());
        let params = json!({
            "textDocument": { "uri": uri(&file) }, "position": end,
            "range": { "start": { "line": 0, "character": 0 }, "end": end },
            "context": { "diagnostics": [], "includeDeclaration": true, "triggerKind": 1 },
            "options": { "tabSize": 2, "insertSpaces": true }, "newName": "a",
        });
        for method in METHODS {
            let response = client.respond(method, params.clone());
            assert!(response.response_result.is_ok(), "{name} {method} {response:?}");
        }
        client.close(&file);
    }
}

const METHODS: [&str; 14] = [
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/hover",
    "textDocument/inlayHint",
    "textDocument/prepareRename",
    "textDocument/rangeFormatting",
    "textDocument/references",
    "textDocument/semanticTokens/full",
];

#[test]
fn fixes_write_what_the_help_says() {
    let (mut client, file) = opened("intake/desk.ifs");
    let fix = |client: &mut Client, old: &str, new: &str| {
        client.replace(&file, old, new);
        let found = client.diagnostics(&file);
        let context = json!({ "diagnostics": found });
        let range = found.iter().find(|it| is_error(it)).map(|it| it["range"].clone()).unwrap();
        let params =
            json!({ "textDocument": { "uri": uri(&file) }, "range": range, "context": context });
        let actions = client.request("textDocument/codeAction", params);
        let action = actions.as_array().unwrap().first().cloned().expect("a fix");
        assert_eq!(action["kind"], "quickfix");
        let text = client.edited(&action["edit"])[&file].clone();
        client.replace(&file, new, old);
        assert_eq!(text, client.text(&file));
        action["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(fix(&mut client, "count(word) in", "cuont(word) in"), "Replace `cuont` by `count`");
    assert_eq!(
        fix(&mut client, "turn <= interview", "turn <= intervew"),
        "Replace `intervew` by `interview`"
    );
    assert_eq!(fix(&mut client, "ifs 1\n", ""), "Add `ifs 1`");
}
