//! Logs as their sources publish them: what the events add up to is what the files state of the
//! game, and two sources of one game have the same scoring plays.

use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use ifs::feed::{self, EventTable, Notice, Noticed, PeriodKind, Schema};

use crate::Row;

/// A reader, a file, and how many numbers the file states of its game: final scores, scores of
/// periods, points of players; and one for what the reader did not expect.
const GAMES: [(&str, &str, usize); 11] = [
    ("espn_basketball", "espn_nba/401772994", 37),
    ("espn_hockey", "espn_nhl/401559593", 45),
    ("espn_hockey", "espn_nhl/401774292", 45),
    ("espn_hockey", "espn_nhl/401774292_early_snapshot", 45),
    ("mlb_statsapi", "mlb_statsapi/livefeed", 21),
    ("nba_cdn", "nba_cdn/0022000001_playbyplay", 45),
    ("nba_stats_v2", "nba_stats_v2/0021600270", 13),
    ("nba_stats_v2", "nba_stats_v2/0021900001", 13),
    ("nba_stats_v3", "nba_stats_v3/0022400001", 1),
    ("nhl_statsapi", "nhl_statsapi/2017020006", 47),
    ("statsbomb", "statsbomb/3788741_events", 1),
];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let mut rows: Vec<Row> = GAMES
        .iter()
        .map(|(reader, name, stated)| {
            let (table, notices) = read(data, reader, name);
            states(reader, name, *stated, &table, &notices)
        })
        .collect();
    rows.push(two_sources(data));
    rows.extend(logs_in_words(data));
    rows
}

fn unpacked(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read(data: &Path, reader: &str, name: &str) -> (EventTable, Vec<Notice>) {
    let file = |name: &str| unpacked(&data.join("feeds").join(format!("{name}.json.gz")));
    let reader = feed::find(reader).expect("a reader");
    let bytes = file(name).unwrap_or_else(|| panic!("{name} is not there"));
    assert_eq!(feed::guess(&bytes).expect("a text").map(|reader| reader.name), Some(reader.name));
    let beside = reader.beside(name).and_then(|name| file(&name));
    let read = reader.read(name, &bytes, beside.as_deref(), &Schema::default());
    let mut read = read.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    assert_eq!(read.tables.len(), 1, "{name}");
    (read.tables.remove(0), read.notices)
}

/// Each stated number against the sum of the events.
fn states(
    reader: &str,
    name: &str,
    expected: usize,
    table: &EventTable,
    notices: &[Notice],
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
            // The one goal that a shoot-out gives its winner is nobody's.
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
        matches!(notice.kind, Noticed::UnknownWording | Noticed::StaleScore | Noticed::NoTeam)
    });
    same("surprises", unknown.map_or(0, |_| 1), 0);
    if let Some(notice) = unknown {
        note = notice.message.clone();
    }
    if compared != expected {
        (agreeing, note) = (0, format!("{compared} numbers were compared, {expected} expected"));
    }
    Row { suite: format!("feeds: {reader} {name}"), compared, agreeing, note }
}

/// Period, seconds on the clock, side and points of each scoring play.
fn scoring(table: &EventTable) -> Vec<(u32, i64, Option<u8>, i64)> {
    let seconds = |clock: &str| feed::parse_clock(clock).unwrap_or(-1) / 1000;
    let plays = table.events.iter().filter(|event| event.scoring());
    plays.map(|event| (event.period, seconds(&event.clock), event.team, event.points)).collect()
}

fn two_sources(data: &Path) -> Row {
    let (one, _) = read(data, "nba_stats_v2", "nba_stats_v2/0021600270");
    let (other, _) = read(data, "data_nba_net", "nba_data_net/0021600270");
    let (one, other) = (scoring(&one), scoring(&other));
    let agreeing = one.iter().zip(&other).filter(|(one, other)| one == other).count();
    Row {
        suite: "feeds: one game from two sources".to_owned(),
        compared: one.len().max(other.len()).max(100),
        agreeing,
        note: String::new(),
    }
}

/// The ten published logs in words: each of their sentences is understood.
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
            &Schema::default(),
        );
        let read = read.unwrap_or_else(|fault| panic!("{fault:?}"));
        let table = &read.tables[0];
        let known = |event: &&feed::Event| !matches!(event.kind, feed::Kind::Other);
        let strange = table.events.iter().find(|event| !known(event));
        rows.push(Row {
            suite: format!("feeds: {reader} {}", game["game_id"].as_str().unwrap_or("")),
            compared: table.events.len().max(300),
            agreeing: table.events.iter().filter(known).count(),
            note: strange.map_or_else(String::new, |event| event.text.to_string()),
        });
    }
    rows
}

/// The log that a published dialogue shows piece by piece, under its rosters.
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
