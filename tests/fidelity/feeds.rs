//! Published logs: the totals of events agree with the totals in the files, and two sources of one
//! game have the same scoring plays.

use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use ifs::feed::{self, EventTable, FeedNotice, FeedSchema, PeriodKind, QuirkKind};

use crate::Row;

/// A folder of published logs, its reader, the ending of their file names, and whether the files
/// state the final score.
const FOLDERS: [(&str, &str, &str, bool); 9] = [
    ("espn_nba", "espn_basketball", "", true),
    ("espn_nhl", "espn_hockey", "", true),
    ("mlb_statsapi", "mlb_statsapi", "", true),
    ("nba_cdn", "nba_cdn", "_playbyplay", true),
    ("nba_data_net", "data_nba_net", "", false),
    ("nba_stats_v2", "nba_stats_v2", "", true),
    ("nba_stats_v3", "nba_stats_v3", "", false),
    ("nhl_statsapi", "nhl_statsapi", "", true),
    ("statsbomb", "statsbomb", "_events", false),
];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for (folder, reader, ending, states_score) in FOLDERS {
        for name in logs(data, folder, ending) {
            let (table, notices) = read(data, reader, &name);
            rows.push(states(reader, &name, states_score, &table, &notices));
        }
    }
    rows.extend(two_sources(data));
    rows.extend(logs_in_words(data));
    rows
}

/// The logs in a folder, without second files.
fn logs(data: &Path, folder: &str, ending: &str) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(data.join("feeds").join(folder)) else { return Vec::new() };
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let logs = names.filter_map(|name| {
        let name = name.strip_suffix(".json.gz")?;
        let is_log = name.ends_with(ending) && !name.ends_with("_summary");
        is_log.then(|| format!("{folder}/{name}"))
    });
    let mut logs: Vec<String> = logs.collect();
    logs.sort_unstable();
    logs
}

fn unpacked(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read(data: &Path, reader: &str, name: &str) -> (EventTable, Vec<FeedNotice>) {
    let file = |name: &str| unpacked(&data.join("feeds").join(format!("{name}.json.gz")));
    let reader = feed::find(reader).expect("a reader");
    let bytes = file(name).unwrap_or_else(|| panic!("{name} is not there"));
    assert_eq!(
        feed::detect_reader(&bytes).expect("a text").map(|reader| reader.name),
        Some(reader.name)
    );
    let companion = reader.companion(name).and_then(|name| file(&name));
    let read = reader.read(name, &bytes, companion.as_deref(), &FeedSchema::default());
    let mut read = read.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    assert_eq!(read.tables.len(), 1, "{name}");
    (read.tables.remove(0), read.notices)
}

/// Compares each stated number with the sum of the events.
fn states(
    reader: &str,
    name: &str,
    states_score: bool,
    table: &EventTable,
    notices: &[FeedNotice],
) -> Row {
    let shootout = table.periods.iter().any(|period| period.kind == PeriodKind::Shootout);
    let (mut compared, mut agreeing) = (0, 0);
    let mut note = String::new();
    let mut same = |what: &str, sum: i64, stated: i64| {
        compared += 1;
        agreeing += usize::from(sum == stated);
        if sum != stated && note.is_empty() {
            note = format!("{what}: {sum}, stated {stated}");
        }
    };
    for (at, team) in table.teams.iter().enumerate() {
        let score = table.score()[at];
        if let Some(stated) = team.stated {
            // The additional goal for the winner of a shoot-out has no scorer.
            let won = i64::from(shootout && stated == score + 1);
            same("final score", score + won, stated);
        }
        for (period, stated) in table.periods.iter().zip(&team.stated_periods) {
            same("period", table.line_score(period)[at], *stated);
        }
        for (player, stated) in &team.stated_points {
            let of_player = table
                .events
                .iter()
                .filter(|event| event.team == u8::try_from(at).ok() && event.player() == &**player);
            same(player, of_player.map(|event| event.points).sum(), *stated);
        }
    }
    let unknown = notices.iter().find(|notice| {
        matches!(notice.kind, QuirkKind::UnknownWording | QuirkKind::StaleScore | QuirkKind::NoTeam)
    });
    same("surprises", unknown.map_or(0, |_| 1), 0);
    if let Some(notice) = unknown {
        note = notice.message.clone();
    }
    let scored: i64 = table.score().iter().sum();
    if table.events.len() < 10 || (states_score && (compared < 3 || scored == 0)) {
        (agreeing, note) = (0, "nothing was read, or the file states no score".to_owned());
    }
    Row { suite: format!("feeds: {reader} {name}"), compared, agreeing, note }
}

/// Period, seconds on the clock, side and points of each scoring play.
fn scoring(table: &EventTable) -> Vec<(u32, i64, Option<u8>, i64)> {
    let seconds = |clock: &str| feed::parse_clock(clock).unwrap_or(-1) / 1000;
    let plays = table.events.iter().filter(|event| event.scoring());
    plays.map(|event| (event.period, seconds(&event.clock), event.team, event.points)).collect()
}

/// Games that are available from two sources.
fn two_sources(data: &Path) -> Vec<Row> {
    let known = logs(data, "nba_data_net", "");
    let both = known.iter().filter_map(|other| {
        let game = other.split_once('/')?.1;
        let one = format!("nba_stats_v2/{game}");
        logs(data, "nba_stats_v2", "").contains(&one).then_some((one, other))
    });
    let rows = both.map(|(one, other)| {
        let (one, _) = read(data, "nba_stats_v2", &one);
        let (theirs, _) = read(data, "data_nba_net", other);
        let (one, theirs) = (scoring(&one), scoring(&theirs));
        let agreeing = one.iter().zip(&theirs).filter(|(one, other)| one == other).count();
        Row {
            suite: format!("feeds: {other} from two sources"),
            compared: one.len().max(theirs.len()).max(1),
            agreeing,
            note: String::new(),
        }
    });
    rows.collect()
}

/// In the published text logs, every sentence is parsed.
fn logs_in_words(data: &Path) -> Vec<Row> {
    let path = data.join("mars_bench/Context_Retrieval.jsonl.gz");
    let Some(bytes) = unpacked(&path) else { return Vec::new() };
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines() {
        let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let reader = match game["game_type"].as_str() {
            Some("NBA") => "espn_text",
            Some("NHL") => "espn_hockey_text",
            _ => "hupu_text",
        };
        let log = log_of(&game);
        let read = feed::find(reader).expect("a reader").read(
            "game.txt",
            log.as_bytes(),
            None,
            &FeedSchema::default(),
        );
        let read = read.unwrap_or_else(|fault| panic!("{fault:?}"));
        let table = &read.tables[0];
        let known = |event: &&feed::Event| !matches!(event.kind, feed::EventKind::Other);
        let strange = table.events.iter().find(|event| !known(event));
        rows.push(Row {
            suite: format!("feeds: {reader} {}", game["game_id"].as_str().unwrap_or("")),
            compared: table.events.len().max(1),
            agreeing: table.events.iter().filter(known).count(),
            note: strange.map_or_else(String::new, |event| event.text.to_string()),
        });
    }
    rows
}

/// The log that a published dialogue shows in parts, under its rosters.
pub(crate) fn log_of(game: &serde_json::Value) -> String {
    let system = game["SP"].as_str().unwrap_or("");
    let mut log = system.split("---").nth(1).unwrap_or("").trim().to_owned();
    log.push_str("\n\n");
    for message in game["prompt"].as_array().into_iter().flatten().skip(1) {
        let content = message["content"].as_str().unwrap_or("");
        // `<TAG>\n…\n</TAG>`
        let Some((tag, rest)) =
            content.split_once('<').and_then(|(_, rest)| rest.split_once(">\n"))
        else {
            continue;
        };
        let piece = rest.split(&format!("</{tag}>")).next().unwrap_or("");
        if piece.contains('\t') {
            log.push_str(piece.trim_end_matches('\n'));
            log.push('\n');
        }
    }
    log
}
