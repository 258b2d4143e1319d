//! A client of the server, in memory. It keeps the text of each open file as an editor would, with its own
//! arithmetic of positions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// The server answers at once, and draws within seconds.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    requests: i32,
    texts: BTreeMap<PathBuf, (i32, String)>,
    /// The version and the diagnostics of each file that were published last.
    published: BTreeMap<PathBuf, (Option<i64>, Vec<Value>)>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap()
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn path(uri: &str) -> PathBuf {
    PathBuf::from(uri.strip_prefix("file://").unwrap())
}

pub fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// The offset of a position; one within a surrogate pair is before it.
pub fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut left = position["character"].as_u64().unwrap() as usize;
    for (at, letter) in text[start..].char_indices() {
        if left < letter.len_utf16() || letter == '\n' || text[start + at..].starts_with("\r\n") {
            return start + at;
        }
        left -= letter.len_utf16();
    }
    text.len()
}

fn explained(word: &str) -> Option<String> {
    (word != "unknown").then(|| format!("{word} (explained)\n"))
}

impl Client {
    /// A server that works in a folder.
    pub fn start(folder: &Path) -> Client {
        let (server, connection) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || ifs_lsp::serve(server, explained).unwrap())
            .unwrap();
        let mut client = Client {
            connection,
            server: Some(server),
            requests: 0,
            texts: BTreeMap::new(),
            published: BTreeMap::new(),
        };
        let folders = json!([{ "uri": uri(folder), "name": "folder" }]);
        let params = json!({ "processId": null, "capabilities": {}, "workspaceFolders": folders });
        let result = client.request("initialize", params);
        assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
        client.notify("initialized", json!({}));
        client
    }

    pub fn notify(&self, method: &str, params: Value) {
        let message = Notification::new(method.to_owned(), params);
        self.connection.sender.send(message.into()).unwrap();
    }

    fn receive(&mut self) -> Option<Response> {
        let message = self.connection.receiver.recv_timeout(PATIENCE).expect("the server answers");
        match message {
            Message::Response(response) => Some(response),
            Message::Notification(Notification { method, params }) => {
                assert_eq!(method, "textDocument/publishDiagnostics");
                let file = path(params["uri"].as_str().unwrap());
                let list = params["diagnostics"].as_array().unwrap().clone();
                self.published.insert(file, (params["version"].as_i64(), list));
                None
            }
            Message::Request(request) => panic!("{request:?}"),
        }
    }

    /// The response to a request, which may be an error.
    pub fn respond(&mut self, method: &str, params: Value) -> Response {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request::new(id.clone(), method.to_owned(), params);
        self.connection.sender.send(request.into()).unwrap();
        loop {
            if let Some(response) = self.receive() {
                assert_eq!(response.id, id);
                return response;
            }
        }
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.respond(method, params);
        response.response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    pub fn open(&mut self, file: &Path) -> &str {
        let text = std::fs::read_to_string(file).unwrap();
        self.open_text(file, &text);
        self.text(file)
    }

    pub fn open_text(&mut self, file: &Path, text: &str) {
        self.texts.insert(file.to_owned(), (1, text.to_owned()));
        let document = json!({ "uri": uri(file), "languageId": "ifs", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn close(&mut self, file: &Path) {
        self.texts.remove(file);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(file) } }));
    }

    pub fn text(&self, file: &Path) -> &str {
        &self.texts[file].1
    }

    /// Replaces what is between two positions.
    pub fn edit(&mut self, file: &Path, start: &Value, end: &Value, new: &str) {
        let (version, text) = self.texts.get_mut(file).unwrap();
        *version += 1;
        let (from, to) = (offset(text, start), offset(text, end));
        text.replace_range(from.min(to)..from.max(to), new);
        let document = json!({ "uri": uri(file), "version": *version });
        let change = json!({ "range": { "start": start, "end": end }, "text": new });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.notify("textDocument/didChange", params);
    }

    /// Replaces the first occurrence of a text.
    #[track_caller]
    pub fn replace(&mut self, file: &Path, old: &str, new: &str) {
        let text = self.text(file);
        let at = text.find(old).unwrap_or_else(|| panic!("no {old:?}"));
        let (start, end) = (position(text, at), position(text, at + old.len()));
        self.edit(file, &start, &end, new);
    }

    /// The diagnostics of the present text of a file.
    pub fn diagnostics(&mut self, file: &Path) -> Vec<Value> {
        let version = self.texts.get(file).map(|(version, _)| i64::from(*version));
        loop {
            match self.published.get(file) {
                Some((of, list)) if *of == version => return list.clone(),
                _ => assert!(self.receive().is_none()),
            }
        }
    }

    /// The diagnostics of a file once some condition holds of them.
    pub fn diagnostics_until(
        &mut self,
        file: &Path,
        done: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        loop {
            let list = self.diagnostics(file);
            if done(&list) {
                return list;
            }
            assert!(self.receive().is_none());
        }
    }

    /// The parameters of a request at the `|` of a text that is in the file without it.
    #[track_caller]
    pub fn at(&self, file: &Path, marked: &str) -> Value {
        let before = marked.find('|').expect("a mark");
        let text = self.text(file);
        let found = text.find(&marked.replacen('|', "", 1));
        let at = found.unwrap_or_else(|| panic!("no {marked:?}")) + before;
        json!({ "textDocument": { "uri": uri(file) }, "position": position(text, at) })
    }

    pub fn file(&self, file: &Path) -> Value {
        json!({ "textDocument": { "uri": uri(file) } })
    }

    /// The texts of files after an edit of the workspace.
    pub fn edited(&self, edit: &Value) -> BTreeMap<PathBuf, String> {
        let changes = edit["changes"].as_object().unwrap();
        let texts = changes.iter().map(|(of, edits)| {
            let file = path(of);
            let mut text = match self.texts.get(&file) {
                Some((_, text)) => text.clone(),
                None => std::fs::read_to_string(&file).unwrap(),
            };
            apply(&mut text, edits.as_array().unwrap());
            (file, text)
        });
        texts.collect()
    }
}

/// Applies edits that are all about the same text.
pub fn apply(text: &mut String, edits: &[Value]) {
    let ranges = edits.iter().map(|edit| {
        let place = |end: &str| offset(text, &edit["range"][end]);
        (place("start")..place("end"), edit["newText"].as_str().unwrap())
    });
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by_key(|(range, _)| range.start);
    for (range, new) in ranges.into_iter().rev() {
        text.replace_range(range, new);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join().expect("the server ended without a panic");
    }
}
