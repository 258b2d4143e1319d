//! Feeds: the files that they read, and the resulting tables.

use std::sync::Arc;

use super::budget;
use super::check::Checker;
use super::load::line_span;
use super::names::ItemAt;
use super::table::{Feed, FeedLog};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_base::world::{self, ReadError};
use ifs_feed::simulate::{RareCase, SimulatedSport, SourceWording};
use ifs_feed::{
    self as feed, ColumnSource, EventTable, FILLED, FeedColumn, FeedColumnRule, FeedError,
    FeedSchema, FeedTables, KNOWN, LogReader, Periods, READERS, ReadMethod, TableFormat,
};
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::tree::Tree;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, ColumnFrom, FeedStmtKind, ItemKind, Name, TextLiteral};

/// The expression of a column.
#[derive(Debug)]
struct ColumnRule(Tree);

impl FeedColumnRule for ColumnRule {
    fn value(&self, before: &dyn Fn(&str) -> Option<Value>) -> Result<Value, String> {
        let nothing = ifs_text::Text::new("");
        let scene = TextContext { it: &nothing, variables: &EarlierColumns(before) };
        evaluate(&self.0, &scene).map_err(|fault| fault.to_string())
    }
}

/// The columns before one, by name.
struct EarlierColumns<'b>(&'b dyn Fn(&str) -> Option<Value>);

impl Variables for EarlierColumns<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        (self.0)(name)
    }
}

impl Checker<'_> {
    /// A feed by its name in the model; it is read on first use.
    pub fn feed_named(&mut self, at: ItemAt) -> Option<&Feed> {
        if !self.feeds.contains_key(&at) {
            let item = self.loader.modules[at.module].ast.items[at.item].clone();
            let ItemKind::Feed(written) = &item.kind else { return None };
            self.feed(at, written);
        }
        let name = self.feeds.get(&at)?;
        self.model.feeds.iter().find(|feed| feed.name == *name)
    }

    pub fn feed(&mut self, at: ItemAt, written: &ast::Feed) {
        if self.feeds.contains_key(&at) {
            return;
        }
        let module = at.module;
        let errors = self.diagnostics.errors();
        let schema = self.schema(module, written);
        let (mut games, mut logs, mut fresh) = (Vec::new(), Vec::new(), None);
        for stmt in &written.stmts {
            match &stmt.kind {
                FeedStmtKind::Read { reader, path } => {
                    let found = self.read_feed(module, written, &schema, reader, path, errors);
                    for (log, tables) in found {
                        logs.push(log);
                        games.extend(tables);
                    }
                }
                FeedStmtKind::Simulate { .. } => {
                    fresh = self.simulate(&written.name.text, &stmt.kind, &mut games).or(fresh);
                }
                FeedStmtKind::Column { .. }
                | FeedStmtKind::Order { .. }
                | FeedStmtKind::Periods { .. } => {}
            }
        }
        let reads = |stmt: &ast::FeedStmt| {
            matches!(stmt.kind, FeedStmtKind::Read { .. } | FeedStmtKind::Simulate { .. })
        };
        if fresh.is_some() && written.stmts.iter().filter(|stmt| reads(stmt)).count() > 1 {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_FEED,
                    format!("`{}` has a game for each dialogue, and others", written.name.text),
                )
                .label(written.name.span, "")
                .help("write the number of simulated games, or put them into a separate feed"),
            );
        }
        if !written.stmts.iter().any(reads) && !written.broken {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the feed `{}` reads nothing", written.name.text),
                )
                .label(written.name.span, "")
                .help("add its source: `read espn_basketball \"feeds/*.json\"`, or `simulate basketball 20`"),
            );
        }
        let name = self.unique(&written.name.text, module, |model, name| {
            model.feeds.iter().any(|feed| feed.name == name)
        });
        self.feeds.insert(at, name.clone());
        let feed = Feed::new(name, feed::game_type(&schema.added_columns()), games);
        self.model.feeds.push(Feed { fresh, logs, ..feed });
    }

    // ---- columns -------------------------------------------------------------------

    fn schema(&mut self, module: usize, written: &ast::Feed) -> FeedSchema {
        let mut schema = FeedSchema::default();
        let mut vars = Vars::new("a column");
        let mut first: Vec<&Name> = Vec::new();
        for stmt in &written.stmts {
            match &stmt.kind {
                FeedStmtKind::Read { .. } | FeedStmtKind::Simulate { .. } => {}
                FeedStmtKind::Column { name, ty, from } => {
                    let ty = self.written_type(ty);
                    if let Some(first) = first.iter().find(|first| first.text == name.text) {
                        self.diagnostics.push(
                            Diagnostic::error(
                                Code::DUPLICATE_NAME,
                                format!("the column `{}` is declared twice", name.text),
                            )
                            .label(name.span, "second time")
                            .label(first.span, "first time")
                            .help("keep one of them"),
                        );
                        continue;
                    }
                    first.push(name);
                    self.check_column(name, &ty);
                    let from = match from {
                        None => ColumnSource::Field(name.text.clone()),
                        Some(ColumnFrom::Field(field)) => ColumnSource::Field(field.value.clone()),
                        Some(ColumnFrom::Rule(rule)) => {
                            let rule = self.lowering(module).expect(rule, &ty, &vars);
                            match rule {
                                None => ColumnSource::Field(name.text.clone()),
                                Some(tree) => ColumnSource::Rule(Arc::new(ColumnRule(tree))),
                            }
                        }
                    };
                    vars.push(&name.text, ty.clone());
                    schema.columns.push(FeedColumn {
                        name: Arc::from(name.text.as_str()),
                        ty,
                        from,
                    });
                }
                FeedStmtKind::Order { by } => {
                    for name in by {
                        if schema.find(&name.text).is_none() {
                            let columns = schema.columns.iter().map(|column| &*column.name);
                            let diagnostic = Diagnostic::error(
                                Code::UNKNOWN_NAME,
                                format!("there is no column `{}`", name.text),
                            )
                            .label(name.span, "")
                            .help("declare columns before `order by`")
                            .did_you_mean(&name.text, columns);
                            self.diagnostics.push(diagnostic);
                        }
                        schema.order.push(name.text.clone());
                    }
                }
                FeedStmtKind::Periods { count, length, overtime } => {
                    let count = match u32::try_from(*count) {
                        Ok(count @ 1..) => count,
                        _ => {
                            self.diagnostics.push(
                                Diagnostic::error(
                                    Code::BAD_NUMBER,
                                    "a game has at least one period",
                                )
                                .label(stmt.span, ""),
                            );
                            1
                        }
                    };
                    let mut time = |text: &Option<TextLiteral>| {
                        text.as_ref().and_then(|text| self.log_length(text))
                    };
                    schema.periods =
                        Some(Periods { count, length: time(length), overtime: time(overtime) });
                }
            }
        }
        schema
    }

    fn log_length(&mut self, text: &TextLiteral) -> Option<i64> {
        let time = feed::parse_clock(&text.value).filter(|time| *time > 0);
        if time.is_none() {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_FEED,
                    format!("`{}` is not the length of a period", text.value),
                )
                .label(text.span, "")
                .help("write minutes and seconds, as in `\"12:00\"`"),
            );
        }
        time
    }

    /// The standard columns of feeds have fixed types.
    fn check_column(&mut self, name: &Name, ty: &Type) {
        if FILLED.contains(&name.text.as_str()) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    format!("`{}` cannot be a column", name.text),
                )
                .label(name.span, "filled in by ifs for every feed")
                .help(format!("choose another name, such as `the_{}`", name.text)),
            );
        }
        let known = KNOWN.iter().find(|(known, _)| *known == name.text);
        if let Some((_, wanted)) = known.filter(|(_, wanted)| wanted != ty && *ty != Type::Unknown)
        {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("the column `{}` is {} in every feed", name.text, wanted.noun()),
                )
                .label(name.span, "")
                .help(format!("write `column {}: {wanted}`, or choose another name", name.text)),
            );
        }
    }

    // ---- simulated games -----------------------------------------------------------

    /// Adds the simulated games; if each dialogue has its own game, their settings and one example.
    fn simulate(
        &mut self,
        feed: &str,
        stmt: &FeedStmtKind,
        games: &mut Vec<EventTable>,
    ) -> Option<SimulatedSport> {
        /// More games would take hours to review, and too much memory.
        const MAX_GAMES: i64 = 1_000;
        /// Memory of a game with its events. The simulation takes half as much again.
        const GAME_BYTES: u64 = 512 << 10;
        let FeedStmtKind::Simulate { sport, count, wording, cases, seed, count_span } = stmt else {
            return None;
        };
        let usual = SourceWording::for_sport(&sport.text).next();
        let Some(usual) = usual else {
            self.unknown(sport, "sport that is simulated", &["basketball", "hockey"]);
            return None;
        };
        let chosen = match wording {
            None => usual,
            Some(name) => {
                let of_sport = || SourceWording::for_sport(&sport.text);
                let Some(chosen) = of_sport().find(|known| known.reader() == name.text) else {
                    let names: Vec<&str> = of_sport().map(SourceWording::reader).collect();
                    self.unknown(name, &format!("wording of {}", sport.text), &names);
                    return None;
                };
                chosen
            }
        };
        let mut wanted = Vec::new();
        for case in cases {
            let known = || RareCase::ALL.into_iter().filter(|known| known.happens_in(chosen));
            match known().find(|known| known.word() == case.text) {
                Some(known) => wanted.push(known),
                None => {
                    let names: Vec<&str> = known().map(RareCase::word).collect();
                    self.unknown(case, &format!("case of `{}`", chosen.reader()), &names);
                    return None;
                }
            }
        }
        if let (None, Some(_)) = (count, seed) {
            self.diagnostics.push(
                Diagnostic::error(Code::BAD_FEED, "a `seed`, and a game for each dialogue")
                    .label(*count_span, "it has no number of games")
                    .help("remove `seed`, since the seed of the dialogues is used, or write the number of games"),
            );
            return None;
        }
        if !(1..=MAX_GAMES).contains(&count.unwrap_or(1)) {
            let count = count.unwrap_or_default();
            self.diagnostics.push(
                Diagnostic::error(Code::BAD_NUMBER, format!("{count} games cannot be simulated"))
                    .label(*count_span, "")
                    .help(format!("from 1 to {MAX_GAMES} can")),
            );
            return None;
        }
        if !self.loader.budget.take(count.unwrap_or(1).unsigned_abs() * GAME_BYTES) {
            self.too_large("these games", *count_span);
            return None;
        }
        let simulated = SimulatedSport { wording: chosen, cases: wanted };
        let seed = seed.unwrap_or(1).unsigned_abs();
        for number in 0..count.unwrap_or(1).unsigned_abs() {
            let Some(game) = simulated.game(seed, feed, number) else {
                self.diagnostics.push(
                    Diagnostic::error(Code::BAD_FEED, "no game with all of these cases was found")
                        .label(*count_span, format!("game {} of these", number + 1))
                        .help("request fewer cases, or use another `seed`"),
                );
                return None;
            };
            games.push(game);
        }
        count.is_none().then_some(simulated)
    }

    fn unknown(&mut self, name: &Name, what: &str, names: &[&str]) {
        let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        self.diagnostics.push(
            Diagnostic::error(Code::BAD_FEED, format!("`{}` is not a {what}", name.text))
                .label(name.span, "")
                .help(match listed.as_slice() {
                    [only] => format!("there is {only}"),
                    all => format!("there are {}", all.join(", ")),
                })
                .did_you_mean(&name.text, names.iter().copied()),
        );
    }

    // ---- files ---------------------------------------------------------------------

    /// Reads the files, each with its games.
    fn read_feed(
        &mut self,
        module: usize,
        written: &ast::Feed,
        schema: &FeedSchema,
        reader: &Name,
        path: &TextLiteral,
        errors: usize,
    ) -> Vec<(FeedLog, Vec<EventTable>)> {
        let mut found = Vec::new();
        // The fields that no log so far has, with the file and the fields of the first one.
        let mut absent: Option<(Vec<String>, String, Vec<String>)> = None;
        let Some(known) = feed::find(&reader.text) else {
            let names = || READERS.iter().map(|reader| reader.name);
            let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            self.diagnostics.push(
                Diagnostic::error(Code::BAD_FEED, format!("there is no reader `{}`", reader.text))
                    .label(reader.span, "")
                    .help(format!("readers are {}", listed.join(", ")))
                    .did_you_mean(&reader.text, names()),
            );
            return found;
        };
        match (&known.reading, schema.columns.is_empty()) {
            (ReadMethod::Columns(_), true) if !written.broken => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::MISSING_STATEMENT,
                        format!("the feed `{}` declares no column", written.name.text),
                    )
                    .label(reader.span, "reads declared columns")
                    .help("write one for each: `column player: text from \"Player\"`"),
                );
                return found;
            }
            (ReadMethod::Source(_), false) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::BAD_FEED,
                        format!("`{}` knows its columns", reader.text),
                    )
                    .label(reader.span, "")
                    .help("leave `column` out; `csv`, `json` and `jsonl` read declared columns"),
                );
                return found;
            }
            _ => {}
        }
        // Files are read only if the reader is valid.
        if self.diagnostics.errors() > errors {
            return found;
        }
        let (from, library) = {
            let module = &self.loader.modules[module];
            (module.name.clone(), module.library)
        };
        let Some(pattern) = self.loader.resolve(&from, library, path) else { return found };
        let names = self.matching(&pattern, path);
        // A second file next to another one is read with it.
        let seconds: Vec<String> = names.iter().filter_map(|name| known.companion(name)).collect();
        for name in names.iter().filter(|name| !seconds.contains(name)) {
            let companion =
                known.companion(name).and_then(|name| self.loader.world.read(&name).ok());
            let bytes = match self.loader.world.read(name) {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.report_unreadable(name, &error, path.span);
                    continue;
                }
            };
            let companion_it = companion.as_ref().map_or(0, |bytes| bytes.len() as u64);
            if !self.loader.budget.take(Self::events(known, &bytes, schema) + companion_it) {
                let shown = self.loader.world.display(name);
                self.too_large(&format!("`{shown}`"), path.span);
                break;
            }
            match known.read(name, &bytes, companion.as_deref(), schema) {
                Ok(FeedTables { tables, notices, absent: lacks, fields }) => {
                    let file = self.loader.world.display(name);
                    match &mut absent {
                        Some((names, ..)) => names.retain(|name| lacks.contains(name)),
                        None => absent = Some((lacks, file.clone(), fields)),
                    }
                    found.push((FeedLog { file, games: tables.len(), notices }, tables));
                }
                Err(fault) => self.damaged(name, &bytes, fault, path.span),
            }
        }
        for (field, (_, file, fields)) in
            absent.iter().flat_map(|absent| absent.0.iter().map(move |field| (field, absent)))
        {
            self.absent_field(field, (file, fields), path.span);
        }
        found
    }

    /// Refuses a field that no event of any log has, as a column that a table lacks is refused.
    fn absent_field(&mut self, field: &str, (file, fields): (&str, &[String]), at: Span) {
        let FeedError { message, help, .. } = FeedError::absent(field, fields);
        self.diagnostics.push(
            Diagnostic {
                help,
                ..Diagnostic::error(Code::DAMAGED_FEED, format!("`{file}`: {message}"))
            }
            .label(at, "read here")
            .did_you_mean(field, fields.iter().map(String::as_str)),
        );
    }

    /// The files that match a path, sorted by name.
    fn matching(&mut self, pattern: &str, path: &TextLiteral) -> Vec<String> {
        let (folder, file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        if folder.contains('*') {
            self.diagnostics.push(
                Diagnostic::error(Code::BAD_PATH, "a `*` in the name of a folder")
                    .label(path.span, "")
                    .help("a `*` matches a part of a file name; `read` each folder separately"),
            );
            return Vec::new();
        }
        if !file.contains('*') {
            return vec![pattern.to_owned()];
        }
        let listed = match self.loader.world.list(folder) {
            Ok(listed) => listed,
            Err(ReadError::Missing) => Vec::new(),
            Err(error) => {
                self.report_unreadable(folder, &error, path.span);
                return Vec::new();
            }
        };
        let fitting = listed.into_iter().filter(|name| world::matches(file, name));
        let names: Vec<String> = fitting
            .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
            .collect();
        if names.is_empty() {
            // A benchmark may be distributed without its logs.
            let message = format!("no file matches `{}`", self.loader.world.display(pattern));
            self.diagnostics.push(
                Diagnostic::warning(Code::EMPTY_FEED, message)
                    .label(path.span, "the feed has no game of it")
                    .help("put the logs there: they are read when the scenario is checked"),
            );
        }
        names
    }

    /// The approximate memory of a file's events: rows are small in a file but have a field for
    /// each column here.
    fn events(known: &LogReader, bytes: &[u8], schema: &FeedSchema) -> u64 {
        const EVENT_BYTES: u64 = 400;
        const CELL_BYTES: u64 = 40;
        const TREE: u64 = 4;
        let count = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count() as u64;
        let rows = match known.reading {
            ReadMethod::Source(_) => return bytes.len() as u64 * TREE,
            ReadMethod::Columns(TableFormat::Csv | TableFormat::JsonLines) => count(b'\n'),
            ReadMethod::Columns(TableFormat::Json) => count(b'{'),
        };
        bytes.len() as u64 + rows * (EVENT_BYTES + CELL_BYTES * schema.columns.len() as u64)
    }

    fn too_large(&mut self, what: &str, at: Span) {
        if !self.loader.budget.report_once() {
            return;
        }
        let message = format!("with {what} the scenario needs more than {}", budget::limit());
        self.diagnostics.push(Diagnostic::error(Code::TOO_LARGE, message).label(at, "").help(
            "read fewer logs and simulate fewer games; dialogues are drawn from few of them",
        ));
    }

    fn report_unreadable(&mut self, name: &str, error: &ReadError, at: Span) {
        let code = match error {
            ReadError::Outside => Code::OUTSIDE_ROOT,
            ReadError::TooLarge(..) => Code::TOO_LARGE,
            _ => Code::UNREADABLE_FILE,
        };
        let message = format!("`{}` cannot be read: {error}", self.loader.world.display(name));
        self.diagnostics.push(
            Diagnostic::error(code, message)
                .label(at, "asked for here")
                .help("a path is relative to the folder of its file"),
        );
    }

    /// Shows the line that cannot be read.
    fn damaged(&mut self, name: &str, bytes: &[u8], fault: FeedError, at: Span) {
        let shown = self.loader.world.display(name);
        let mut diagnostic = Diagnostic::error(
            Code::DAMAGED_FEED,
            format!("`{shown}`, line {}: {}", fault.line, fault.message),
        );
        if let Ok(text) = feed::decode(bytes)
            && let Some(file) = self.loader.sources.add(shown, &*text)
            && let Some(source) = self.loader.sources.get(file)
        {
            diagnostic = diagnostic.label(line_span(source, file, fault.line), "");
        }
        diagnostic = diagnostic.label(at, "read here");
        diagnostic.help = fault.help;
        self.diagnostics.push(diagnostic);
    }
}
