//! The loop of the server: messages in, answers and diagnostics out.
//!
//! Everything that is fast happens on one thread, in the order of the messages: an edit is applied, and
//! when no message waits the scenarios that it affects are checked. So no answer and no diagnostic is
//! about an older text. Only the drawing of dialogues goes to another thread, which an edit stops.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use gen_lsp_types as lsp;
use lsp::{Notification as _, Request as _};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::check::{Checked, check};
use crate::complete::Types;
use crate::files::{Buffers, library_module, library_path, path_of, uri_of};
use crate::fixes::FixTrial;
use crate::hover::Explain;
use crate::index::NameKind;
use crate::project::{FileKey, Meaning, NamePlace, Project};
use crate::text::{Encoding, Lines};
use crate::workspace::Workspace;
use crate::{complete, format, hints, hover, outline, tokens};
use ifs_base::diagnostic::Diagnostic;
use ifs_base::work;
use ifs_draw::program::CheckedScenario;
use ifs_predicate::types::Type;

/// How long a text has to stay as it is until dialogues are drawn.
const DRAWN_AFTER: Duration = Duration::from_millis(150);
/// How often the loop looks for what was found by drawing.
const DRAWN_EVERY: Duration = Duration::from_millis(15);
/// Drawing deep scenarios takes as large a stack as the command line has.
const DEEP_STACK: usize = 64 << 20;

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The client does not follow the protocol.
    #[error("{0}")]
    Protocol(String),
    #[error("the client ended without a shutdown")]
    Disconnected,
}

/// Serves a client on standard input and output until it shuts the server down.
///
/// # Errors
/// Returns an error if the client does not follow the protocol.
pub fn serve_stdio(explain: Explain) -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    let result = serve(connection, explain);
    // The reading thread waits for input that may not come.
    if result.is_ok() {
        threads.join().map_err(|error| ServerError::Protocol(error.to_string()))?;
    }
    result
}

/// Serves a client until it shuts the server down.
///
/// # Errors
/// Returns an error if the client does not follow the protocol.
pub fn serve(connection: Connection, explain: Explain) -> Result<(), ServerError> {
    let protocol = |error: lsp_server::ProtocolError| ServerError::Protocol(error.to_string());
    let (id, params) = connection.initialize_start().map_err(protocol)?;
    let params: lsp::InitializeParams = serde_json::from_value(params)
        .map_err(|error| ServerError::Protocol(format!("`initialize`: {error}")))?;
    let encoding = encoding(&params);
    let result = lsp::InitializeResult {
        capabilities: crate::capabilities::capabilities(encoding),
        server_info: Some(lsp::ServerInfo {
            name: "ifs".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    let result = serde_json::to_value(result).unwrap_or_default();
    connection.initialize_finish(id, result).map_err(protocol)?;
    let mut server = Server::new(connection, explain, encoding);
    server.workspace.folders = folders(&params);
    server.workspace.search(&server.buffers);
    server.run()
}

/// UTF-8 where the client knows it, since that is how texts are stored.
fn encoding(params: &lsp::InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_ref());
    match offered.is_some_and(|offered| offered.contains(&lsp::PositionEncodingKind::UTF8)) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

fn folders(params: &lsp::InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders_initialize_params.workspace_folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().map(|folder| path_of(&folder.uri)).collect()
        }
        // Older clients name one folder.
        _ => {
            #[expect(deprecated, reason = "Neovim 0.7 sends it")]
            let root = &params.root_uri;
            root.iter().map(path_of).collect()
        }
    }
}

/// What drawing dialogues found, of a state of the texts.
struct DrawnCheck {
    state: u64,
    root: PathBuf,
    /// None if drawing failed.
    diagnostics: Option<Vec<Diagnostic>>,
}

struct Server {
    connection: Connection,
    explain: Explain,
    encoding: Encoding,
    buffers: Buffers,
    workspace: Workspace,
    project: Project,
    checked: BTreeMap<PathBuf, Checked>,
    /// What each scenario reports, by file.
    reports: BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<lsp::Diagnostic>>>,
    /// What the client was told last.
    published: BTreeMap<PathBuf, Vec<lsp::Diagnostic>>,
    /// Files that changed since the last check.
    changed: BTreeSet<PathBuf>,
    /// Scenarios whose dialogues are being drawn.
    drawing: BTreeSet<PathBuf>,
    /// Counts the states of the texts. Drawing ends when it changes.
    state: &'static AtomicU64,
    drawn: (mpsc::Sender<DrawnCheck>, mpsc::Receiver<DrawnCheck>),
}

impl Server {
    fn new(connection: Connection, explain: Explain, encoding: Encoding) -> Server {
        Server {
            connection,
            explain,
            encoding,
            buffers: Buffers::default(),
            workspace: Workspace::default(),
            project: Project::default(),
            checked: BTreeMap::new(),
            reports: BTreeMap::new(),
            published: BTreeMap::new(),
            changed: BTreeSet::new(),
            drawing: BTreeSet::new(),
            // One number for each server of the process, which has one.
            state: Box::leak(Box::default()),
            drawn: mpsc::channel(),
        }
    }

    fn run(&mut self) -> Result<(), ServerError> {
        loop {
            let Some(message) = self.next_message()? else { continue };
            match message {
                Message::Request(request) => {
                    let shutdown = self.connection.handle_shutdown(&request);
                    if shutdown.map_err(|error| ServerError::Protocol(error.to_string()))? {
                        self.state.fetch_add(1, Ordering::Relaxed);
                        return Ok(());
                    }
                    let response = self.answer(request);
                    self.send(response.into())?;
                }
                Message::Notification(notification) => self.note(notification),
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), ServerError> {
        self.connection.sender.send(message).map_err(|_| ServerError::Disconnected)
    }

    /// The next message. While none waits, what changed is checked, and what drawing found is published.
    fn next_message(&mut self) -> Result<Option<Message>, ServerError> {
        if let Ok(message) = self.connection.receiver.try_recv() {
            return Ok(Some(message));
        }
        if !self.changed.is_empty() {
            self.refresh()?;
            return Ok(None);
        }
        while let Ok(drawn) = self.drawn.1.try_recv() {
            self.take_drawn(drawn)?;
        }
        if self.drawing.is_empty() {
            let message = self.connection.receiver.recv().map_err(|_| ServerError::Disconnected)?;
            return Ok(Some(message));
        }
        match self.connection.receiver.recv_timeout(DRAWN_EVERY) {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.is_timeout() => Ok(None),
            Err(_) => Err(ServerError::Disconnected),
        }
    }

    // ---- what changed ----------------------------------------------------------------

    /// Takes a notification. One that cannot be read has no answer and no effect.
    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        macro_rules! routes {
            ($($notification:ident $handler:ident)*) => {
                match method.as_str() {
                    $(method if method == lsp::$notification::METHOD.as_str() => {
                        serde_json::from_value(params).map(|params| self.$handler(params)).is_ok()
                    })*
                    _ => false,
                }
            };
        }
        _ = catch_unwind(AssertUnwindSafe(|| {
            routes! {
                DidChangeTextDocumentNotification edited
                DidChangeWatchedFilesNotification watched
                DidCloseTextDocumentNotification closed
                DidOpenTextDocumentNotification opened
            }
        }));
    }

    fn opened(&mut self, params: lsp::DidOpenTextDocumentParams) {
        let document = params.text_document;
        let path = path_of(&document.uri);
        self.buffers.open(path.clone(), document.text, document.version);
        self.change(path);
    }

    fn edited(&mut self, params: lsp::DidChangeTextDocumentParams) {
        let path = path_of(&params.text_document.text_document_identifier.uri);
        let version = params.text_document.version;
        self.buffers.edit(&path, version, params.content_changes, self.encoding);
        self.change(path);
    }

    fn closed(&mut self, params: lsp::DidCloseTextDocumentParams) {
        let path = path_of(&params.text_document.uri);
        self.buffers.close(&path);
        self.change(path);
    }

    fn watched(&mut self, params: lsp::DidChangeWatchedFilesParams) {
        params.changes.iter().for_each(|change| self.change(path_of(&change.uri)));
    }

    fn change(&mut self, path: PathBuf) {
        self.workspace.update(&path, &self.buffers);
        self.changed.insert(path);
        // Drawing the former texts is of no use.
        self.state.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks what is affected by changes, and publishes it.
    fn refresh(&mut self) -> Result<(), ServerError> {
        let changed = std::mem::take(&mut self.changed);
        let reach = |path: &PathBuf| self.workspace.roots_of(path);
        let mut roots: BTreeSet<PathBuf> = changed.iter().flat_map(reach).collect();
        // Files that were drawn when a change stopped that.
        roots.append(&mut self.drawing);
        roots.retain(|root| library_module(root).is_none());
        let mut scenarios = Vec::new();
        for root in roots {
            match self.is_wanted(&root) {
                true => scenarios.extend(self.check(&root).map(|scenario| (root, scenario))),
                false => self.forget(&root),
            }
        }
        let open = self.buffers.paths().filter(|path| library_module(path).is_none());
        let known = self.checked.keys().chain(open).cloned().collect::<Vec<_>>();
        self.project.read(known, &self.buffers);
        self.publish()?;
        self.draw(scenarios);
        Ok(())
    }

    /// Whether an open file belongs to a scenario.
    fn is_wanted(&self, root: &Path) -> bool {
        self.buffers.paths().any(|path| self.workspace.roots_of(path).contains(root))
    }

    fn forget(&mut self, root: &Path) {
        self.checked.remove(root);
        self.reports.remove(root);
    }

    fn check(&mut self, root: &Path) -> Option<CheckedScenario> {
        let result = catch_unwind(AssertUnwindSafe(|| check(root, &self.buffers)));
        let Ok((checked, scenario)) = result else {
            // A fault of the compiler takes the diagnostics of this state, and no other.
            self.forget(root);
            return None;
        };
        self.workspace.note_reads(root, checked.reads(&scenario));
        self.reports.insert(root.to_owned(), checked.report(self.encoding));
        self.checked.insert(root.to_owned(), checked);
        scenario.checked.is_some().then_some(scenario)
    }

    /// Draws the first dialogues of scenarios without errors, on another thread.
    fn draw(&mut self, scenarios: Vec<(PathBuf, CheckedScenario)>) {
        if scenarios.is_empty() {
            return;
        }
        self.drawing = scenarios.iter().map(|(root, _)| root.clone()).collect();
        let (counter, sender) = (self.state, self.drawn.0.clone());
        let state = counter.load(Ordering::Relaxed);
        let work = move || {
            std::thread::sleep(DRAWN_AFTER);
            for (root, mut scenario) in scenarios {
                if counter.load(Ordering::Relaxed) != state {
                    return;
                }
                let draw = || work::while_current(counter, state, || scenario.draw_first());
                let drawn = catch_unwind(AssertUnwindSafe(draw));
                let diagnostics = drawn.is_ok().then_some(scenario.diagnostics);
                _ = sender.send(DrawnCheck { state, root, diagnostics });
            }
        };
        if std::thread::Builder::new().stack_size(DEEP_STACK).spawn(work).is_err() {
            self.drawing.clear();
        }
    }

    fn take_drawn(&mut self, drawn: DrawnCheck) -> Result<(), ServerError> {
        if drawn.state != self.state.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.drawing.remove(&drawn.root);
        if let (Some(checked), Some(diagnostics)) =
            (self.checked.get_mut(&drawn.root), drawn.diagnostics)
        {
            checked.diagnostics = diagnostics;
            self.reports.insert(drawn.root, checked.report(self.encoding));
        }
        self.publish()
    }

    /// Sends the diagnostics of files for which they changed, each once for all scenarios.
    fn publish(&mut self) -> Result<(), ServerError> {
        let mut current: BTreeMap<PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
        for report in self.reports.values() {
            for (path, diagnostics) in report {
                let all = current.entry(path.clone()).or_default();
                for diagnostic in diagnostics {
                    if !all.contains(diagnostic) {
                        all.push(diagnostic.clone());
                    }
                }
            }
        }
        // An open file without a mistake has none, also for a client that waits for that.
        for path in self.buffers.paths() {
            current.entry(path.clone()).or_default();
        }
        for path in self.published.keys() {
            current.entry(path.clone()).or_default();
        }
        for (path, diagnostics) in current {
            let version = self.buffers.get(&path).map(|buffer| buffer.version);
            let is_open = version.is_some();
            if !is_open && self.published.get(&path) == Some(&diagnostics) {
                continue;
            }
            let params = lsp::PublishDiagnosticsParams {
                uri: uri_of(&path),
                version,
                diagnostics: diagnostics.clone(),
            };
            let method = lsp::PublishDiagnosticsNotification::METHOD.as_str().to_owned();
            self.send(Notification::new(method, params).into())?;
            match diagnostics.is_empty() {
                true => _ = self.published.remove(&path),
                false => _ = self.published.insert(path, diagnostics),
            }
        }
        Ok(())
    }

    // ---- requests --------------------------------------------------------------------

    fn answer(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        // The answer is about the texts as they are now.
        let fresh = if self.changed.is_empty() { Ok(()) } else { self.refresh() };
        let answered = catch_unwind(AssertUnwindSafe(|| self.dispatch(request)));
        match (fresh, answered) {
            (Ok(()), Ok(response)) => response,
            _ => {
                let message = "the server failed to answer".to_owned();
                Response::new_err(id, ErrorCode::InternalError as i32, message)
            }
        }
    }

    fn dispatch(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        macro_rules! routes {
            ($($request:ident $handler:ident)*) => {
                match method.as_str() {
                    $(method if method == lsp::$request::METHOD.as_str() => {
                        respond::<lsp::$request, _>(id, params, |params| self.$handler(params))
                    })*
                    _ => {
                        let message = format!("`{method}` is not supported");
                        Response::new_err(id, ErrorCode::MethodNotFound as i32, message)
                    }
                }
            };
        }
        routes! {
            CodeActionRequest code_actions
            CodeLensRequest code_lenses
            CompletionRequest completion
            DefinitionRequest definition
            DocumentFormattingRequest format
            DocumentHighlightRequest highlights
            DocumentRangeFormattingRequest format_range
            DocumentSymbolRequest symbols
            FoldingRangeRequest folds
            HoverRequest hover
            InlayHintRequest inlay_hints
            PrepareRenameRequest prepare_rename
            ReferencesRequest references
            RenameRequest rename
            SemanticTokensRequest tokens
        }
    }

    /// A file of the client by its key, with its text.
    fn document(&self, uri: &lsp::Uri) -> Option<(FileKey, std::sync::Arc<String>)> {
        let path = path_of(uri);
        let text = self.buffers.text(&path)?;
        let key = library_module(&path).map_or(FileKey::File(path), FileKey::Library);
        Some((key, text))
    }

    /// The file and the offset of a position.
    fn place(&self, at: &lsp::TextDocumentPositionParams) -> Option<(FileKey, usize)> {
        let (key, text) = self.document(&at.text_document.uri)?;
        Some((key, Lines::new(&text, self.encoding).offset(at.position)))
    }

    fn location(&self, place: &NamePlace) -> Option<lsp::Location> {
        let text = self.project.text(&place.file)?;
        let path = match &place.file {
            FileKey::File(path) => path.clone(),
            FileKey::Library(module) => library_path(module)?,
        };
        let range = Lines::new(&text, self.encoding).range(&place.range);
        Some(lsp::Location { uri: uri_of(&path), range })
    }

    fn meaning(&self, at: &lsp::TextDocumentPositionParams) -> Option<(Meaning, Range<usize>)> {
        let (key, offset) = self.place(at)?;
        self.project.meaning_at(&key, offset)
    }

    fn definition(
        &mut self,
        params: lsp::DefinitionParams,
    ) -> RequestResult<lsp::DefinitionResponse> {
        let Some((meaning, _)) = self.meaning(&params.text_document_position_params) else {
            return Ok(None);
        };
        let place = match &meaning {
            Meaning::Module(file) => Some(NamePlace { file: file.clone(), range: 0..0 }),
            Meaning::Declared(..) => self.project.places(&meaning).into_iter().next(),
        };
        let location = place.and_then(|place| self.location(&place));
        Ok(location.map(|it| lsp::DefinitionResponse::Definition(it.into())))
    }

    fn references(&mut self, params: lsp::ReferenceParams) -> RequestResult<Vec<lsp::Location>> {
        let Some((meaning, _)) = self.meaning(&params.text_document_position_params) else {
            return Ok(None);
        };
        let places = self.project.places(&meaning);
        let skipped = usize::from(!params.context.include_declaration);
        Ok(Some(places.iter().skip(skipped).filter_map(|place| self.location(place)).collect()))
    }

    fn highlights(
        &mut self,
        params: lsp::DocumentHighlightParams,
    ) -> RequestResult<Vec<lsp::DocumentHighlight>> {
        let at = &params.text_document_position_params;
        let Some((meaning, _)) = self.meaning(at) else { return Ok(None) };
        let here = path_of(&at.text_document.uri);
        let places = self.project.places(&meaning);
        let locations = places.iter().filter_map(|place| self.location(place));
        let ranges = locations.filter(|it| path_of(&it.uri) == here).map(|it| it.range);
        Ok(Some(ranges.map(|range| lsp::DocumentHighlight { range, kind: None }).collect()))
    }

    fn prepare_rename(
        &mut self,
        params: lsp::PrepareRenameParams,
    ) -> RequestResult<lsp::PrepareRenameResult> {
        let at = params.text_document_position_params;
        let Some((meaning, range)) = self.meaning(&at) else { return Ok(None) };
        self.renamed_places(&meaning, &at, &range)?;
        let Some((_, text)) = self.document(&at.text_document.uri) else { return Ok(None) };
        Ok(Some(Lines::new(&text, self.encoding).range(&range).into()))
    }

    fn rename(&mut self, params: lsp::RenameParams) -> RequestResult<lsp::WorkspaceEdit> {
        let at = params.text_document_position_params;
        let Some((meaning, range)) = self.meaning(&at) else { return Ok(None) };
        let is_start = |it: char| it.is_ascii_alphabetic() || it == '_';
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let name = params.new_name.as_str();
        if !name.starts_with(is_start) || !name.chars().all(is_part) {
            return Err("a name has letters, digits and `_`, and begins with no digit".to_owned());
        }
        let mut edit = lsp::WorkspaceEdit::default();
        for place in self.renamed_places(&meaning, &at, &range)? {
            let Some(location) = self.location(&place) else { continue };
            let changes = edit.changes.get_or_insert_default().entry(location.uri).or_default();
            changes.push(lsp::TextEdit { range: location.range, new_text: name.to_owned() });
        }
        Ok(Some(edit))
    }

    /// The places to rename, or why there are none.
    fn renamed_places(
        &self,
        meaning: &Meaning,
        at: &lsp::TextDocumentPositionParams,
        range: &Range<usize>,
    ) -> Result<Vec<NamePlace>, String> {
        let Some((key, file, declared)) = self.project.declaration(meaning) else {
            return Err("a module of the library cannot be renamed".to_owned());
        };
        let name = file.word(&declared.name);
        if matches!(key, FileKey::Library(_)) {
            return Err(format!("`{name}` is in the library, which cannot be changed"));
        }
        if declared.kind == NameKind::Column {
            return Err(format!("`{name}` is a field of events, which a rename cannot follow"));
        }
        let written = self.document(&at.text_document.uri);
        let written = written.and_then(|(_, text)| Some(text.get(range.clone())?.to_owned()));
        match written {
            Some(written) if written != name => {
                Err(format!("`{written}` is another name of `{name}`; rename it at its `use`"))
            }
            _ => Ok(self.project.places(meaning)),
        }
    }

    fn hover(&mut self, params: lsp::HoverParams) -> RequestResult<lsp::Hover> {
        let at = &params.text_document_position_params;
        let Some((key, offset)) = self.place(at) else { return Ok(None) };
        let found = hover::hover(&self.project, self, self.explain, &key, offset);
        let Some((text, range)) = found else { return Ok(None) };
        let Some((_, written)) = self.document(&at.text_document.uri) else { return Ok(None) };
        let kind = lsp::MarkupKind::Markdown;
        Ok(Some(lsp::Hover {
            contents: lsp::MarkupContent { kind, value: text }.into(),
            range: Some(Lines::new(&written, self.encoding).range(&range)),
        }))
    }

    fn completion(
        &mut self,
        params: lsp::CompletionParams,
    ) -> RequestResult<lsp::CompletionResponse> {
        let at = &params.text_document_position_params;
        let Some((key, text)) = self.document(&at.text_document.uri) else { return Ok(None) };
        let offset = Lines::new(&text, self.encoding).offset(at.position);
        let found = complete::proposals(&self.project, self, &key, &text, offset);
        let items = found.into_iter().enumerate().map(|(place, proposal)| lsp::CompletionItem {
            label: proposal.label,
            kind: Some(proposal.kind),
            detail: (!proposal.detail.is_empty()).then_some(proposal.detail),
            documentation: (!proposal.docs.is_empty()).then(|| {
                let kind = lsp::MarkupKind::Markdown;
                lsp::MarkupContent { kind, value: proposal.docs }.into()
            }),
            sort_text: Some(format!("{place:05}")),
            ..lsp::CompletionItem::default()
        });
        Ok(Some(items.collect::<Vec<_>>().into()))
    }

    fn symbols(
        &mut self,
        params: lsp::DocumentSymbolParams,
    ) -> RequestResult<lsp::DocumentSymbolResponse> {
        let found = self.with_file(&params.text_document.uri, |server, key, lines| {
            Some(outline::symbols(server.project.file(key)?, lines))
        });
        Ok(found.map(Into::into))
    }

    fn folds(&mut self, params: lsp::FoldingRangeParams) -> RequestResult<Vec<lsp::FoldingRange>> {
        Ok(self.with_file(&params.text_document.uri, |server, key, lines| {
            Some(outline::folds(server.project.file(key)?, lines))
        }))
    }

    fn tokens(&mut self, params: lsp::SemanticTokensParams) -> RequestResult<lsp::SemanticTokens> {
        let found = self.with_file(&params.text_document.uri, |server, key, lines| {
            Some(tokens::tokens(&server.project, key, lines))
        });
        Ok(found.map(|data| lsp::SemanticTokens { result_id: None, data }))
    }

    fn inlay_hints(&mut self, params: lsp::InlayHintParams) -> RequestResult<Vec<lsp::InlayHint>> {
        let wanted = params.range;
        let path = path_of(&params.text_document.uri);
        let found = self.with_file(&params.text_document.uri, |server, key, lines| {
            let checked = server.checked_of(&path);
            let mut hints = hints::hints(&server.project, server, checked, key, lines);
            hints.retain(|it| wanted.start <= it.position && it.position <= wanted.end);
            Some(hints)
        });
        Ok(found)
    }

    fn code_lenses(&mut self, params: lsp::CodeLensParams) -> RequestResult<Vec<lsp::CodeLens>> {
        let path = path_of(&params.text_document.uri);
        let root = self.workspace.roots_of(&path).pop_first().unwrap_or(path.clone());
        Ok(self.with_file(&params.text_document.uri, |server, key, lines| {
            Some(hints::lenses(server.project.file(key)?, &path, &root, lines))
        }))
    }

    fn format(
        &mut self,
        params: lsp::DocumentFormattingParams,
    ) -> RequestResult<Vec<lsp::TextEdit>> {
        Ok(self.formatted(&params.text_document.uri, None))
    }

    fn format_range(
        &mut self,
        params: lsp::DocumentRangeFormattingParams,
    ) -> RequestResult<Vec<lsp::TextEdit>> {
        Ok(self.formatted(&params.text_document.uri, Some(params.range)))
    }

    /// The edits that format a file, or the lines of a range.
    fn formatted(&self, uri: &lsp::Uri, within: Option<lsp::Range>) -> Option<Vec<lsp::TextEdit>> {
        let (FileKey::File(path), text) = self.document(uri)? else { return None };
        if !crate::workspace::is_scenario(&path) {
            return None;
        }
        let lines = Lines::new(&text, self.encoding);
        let edits = format::edits(&text)?.into_iter();
        let edits =
            edits.map(|(range, new_text)| lsp::TextEdit { range: lines.range(&range), new_text });
        let is_within = |edit: &lsp::TextEdit| {
            within.is_none_or(|within| {
                edit.range.start.line <= within.end.line && within.start.line <= edit.range.end.line
            })
        };
        Some(edits.filter(is_within).collect())
    }

    fn code_actions(
        &mut self,
        params: lsp::CodeActionParams,
    ) -> RequestResult<Vec<lsp::CodeActionResponse>> {
        /// Diagnostics of one place for which fixes are sought.
        const MAX_DIAGNOSTICS: usize = 4;
        let uri = &params.text_document.uri;
        let Some((key, text)) = self.document(uri) else { return Ok(None) };
        let (FileKey::File(path), Some(index)) = (&key, self.project.file(&key)) else {
            return Ok(None);
        };
        let lines = Lines::new(&text, self.encoding);
        let wanted = lines.bytes(params.range);
        let scenarios = self.checked.iter().filter(|(_, checked)| checked.file(path).is_some());
        let scenarios = scenarios.map(|(root, it)| (root.as_path(), it.fast.as_slice()));
        let trial =
            FixTrial { path, index, scenarios: scenarios.collect(), buffers: &self.buffers };
        let mut actions = Vec::new();
        for diagnostic in self.diagnostics_in(path, &wanted).into_iter().take(MAX_DIAGNOSTICS) {
            for fix in trial.fixes(&diagnostic) {
                let range = lines.range(&fix.range);
                let edits = vec![lsp::TextEdit { range, new_text: fix.text }];
                let edit = lsp::WorkspaceEdit {
                    changes: Some([(uri.clone(), edits)].into()),
                    ..lsp::WorkspaceEdit::default()
                };
                let is_answered = |one: &&lsp::Diagnostic| {
                    let message = serde_json::to_value(&one.message).unwrap_or_default();
                    message.as_str().is_some_and(|text| text.starts_with(&diagnostic.message))
                };
                let answered = params.context.diagnostics.iter().filter(is_answered).cloned();
                let action = lsp::CodeAction {
                    title: fix.title,
                    kind: Some(lsp::CodeActionKind::QuickFix),
                    diagnostics: Some(answered.collect()),
                    edit: Some(edit),
                    ..lsp::CodeAction::default()
                };
                actions.push(action.into());
            }
        }
        Ok(Some(actions))
    }

    /// The diagnostics of a file that touch a range.
    fn diagnostics_in(&self, path: &Path, range: &Range<usize>) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for checked in self.checked.values() {
            let Some(file) = checked.file(path) else { continue };
            let touches = |diagnostic: &&Diagnostic| {
                diagnostic.span().is_some_and(|span| {
                    let place = span.range();
                    span.file == file && place.start <= range.end && range.start <= place.end
                })
            };
            let here = checked.diagnostics.iter().filter(touches);
            found.extend(here.filter(|it| !found.contains(it)).cloned().collect::<Vec<_>>());
        }
        found
    }

    fn with_file<T>(
        &self,
        uri: &lsp::Uri,
        work: impl FnOnce(&Server, &FileKey, &Lines<'_>) -> Option<T>,
    ) -> Option<T> {
        let (key, text) = self.document(uri)?;
        work(self, &key, &Lines::new(&text, self.encoding))
    }

    /// A scenario that reads a file.
    fn checked_of(&self, path: &Path) -> Option<&Checked> {
        self.workspace.roots_of(path).iter().find_map(|root| self.checked.get(root))
    }
}

impl Types for Server {
    fn type_of(&self, key: &FileKey, name: &str, meaning: Option<&Meaning>) -> Option<Type> {
        let FileKey::File(path) = key else { return None };
        let checked = self.checked_of(path)?;
        let Some(meaning) = meaning else {
            let file = checked.file(path)?;
            let mut uses = checked.types.iter().filter(|(span, _)| span.file == file);
            let found = uses.find(|(span, _)| checked.sources.text(**span) == name);
            return found.map(|(_, ty)| ty.clone()).or_else(|| self.bound_by(key, name));
        };
        self.project.places(meaning).iter().find_map(|place| {
            let FileKey::File(path) = &place.file else { return None };
            checked.type_at(checked.file(path)?, &place.range).cloned()
        })
    }
}

impl Server {
    /// The type of `topic` and `style`, which the statements `topic from BANK` and `style from BANK` bind.
    fn bound_by(&self, key: &FileKey, name: &str) -> Option<Type> {
        let file = self.project.file(key)?;
        let statement = file.nodes.iter().position(|node| node.rule == name)?;
        let path = file.node_text(file.child(statement, "path")?);
        let names: Vec<String> = path.split('.').map(str::to_owned).collect();
        let bank = self.project.path(key, &names)?;
        self.type_of(key, path, Some(&bank))
    }
}

/// The result of a request, or why it is refused.
type RequestResult<T> = Result<Option<T>, String>;

fn respond<R, T>(
    id: RequestId,
    params: serde_json::Value,
    answer: impl FnOnce(R::Params) -> RequestResult<T>,
) -> Response
where
    R: lsp::Request<Result = Option<T>>,
    R::Params: DeserializeOwned,
    T: Serialize,
{
    let params = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let message = format!("`{}`: {error}", R::METHOD.as_str());
            return Response::new_err(id, ErrorCode::InvalidParams as i32, message);
        }
    };
    match answer(params) {
        Ok(result) => Response::new_ok(id, result),
        Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
    }
}
