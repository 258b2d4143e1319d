//! Readers of feeds on small files: the form of each source, its deliberate quirks, and
//! damage.

use ifs::feed::{self, EventRole, EventTable, FeedNotice, FeedSchema};
use ifs::predicate::types::Type;

fn read(
    reader: &str,
    text: impl AsRef<[u8]>,
    beside: Option<&str>,
) -> (EventTable, Vec<FeedNotice>) {
    let known = feed::find(reader).unwrap_or_else(|| panic!("no reader {reader}"));
    let beside = beside.map(str::as_bytes);
    let read = known.read("games/one.json", text.as_ref(), beside, &FeedSchema::default());
    let mut read = read.unwrap_or_else(|fault| panic!("{reader}: {fault:?}"));
    assert_eq!(read.tables.len(), 1);
    (read.tables.remove(0), read.notices)
}

/// The points of each scoring play with who made them, and the score after the last.
fn reported(table: &EventTable) -> String {
    let scoring = table.events.iter().filter(|event| event.scoring());
    let plays: Vec<String> = scoring
        .map(|event| {
            format!("{}:{} {} +{}", event.period, event.clock, event.player(), event.points)
        })
        .collect();
    let [away, home] = table.score();
    format!("{} = {away}-{home}", plays.join(", "))
}

fn kinds(notices: &[FeedNotice]) -> Vec<&'static str> {
    notices.iter().map(|notice| notice.kind.word()).collect()
}

/// Period, clock, text, score, points, team.
type Play<'a> = (u32, &'a str, &'a str, [i64; 2], i64, &'a str);

/// A summary as ESPN frames it, with these plays.
fn espn(sport: &str, stated: [&str; 2], plays: &[Play<'_>]) -> String {
    let plays: Vec<String> = plays
        .iter()
        .map(|(period, clock, text, [away, home], points, team)| {
            let team = if team.is_empty() { String::new() } else { format!(r#","team":{{"id":"{team}"}}"#) };
            format!(
                r#"{{"id":"1","text":{},"awayScore":{away},"homeScore":{home},"period":{{"number":{period}}},"clock":{{"displayValue":"{clock}"}},"scoringPlay":{},"scoreValue":{points}{team}}}"#,
                serde_json::to_string(text).unwrap(),
                *points > 0,
            )
        })
        .collect();
    let team = |side: &str, id: &str, name: &str, score: &str| {
        format!(
            r#"{{"homeAway":"{side}","team":{{"id":"{id}","displayName":"North {name}","name":"{name}","abbreviation":"{id}"}},"score":"{score}","linescores":[{{"displayValue":"{score}"}}]}}"#
        )
    };
    format!(
        "{{\"header\":{{\"id\":\"77\",\"uid\":\"{sport}\",\"competitions\":[{{\"competitors\":[{},{}]}}]}},\n\"plays\":[\n{}\n]}}",
        team("home", "2", "Otters", stated[1]),
        team("away", "1", "Gulls", stated[0]),
        plays.join(",\n"),
    )
}

#[test]
fn espn_basketball() {
    let text = espn(
        "s:40~",
        ["6", "2"],
        &[
            (1, "11:47", "Bo Li makes 26-foot running pullup jump shot", [3, 0], 3, "1"),
            (1, "11:20", "Cy Ng makes two point shot (Di Ro assists)", [3, 2], 2, "2"),
            // Inserted later, so the following rows do not include it.
            (1, "11:20", "Al Ma makes free throw 1 of 1", [4, 2], 1, "1"),
            (1, "11:01", "Di Ro shooting foul", [3, 2], 0, "2"),
            (1, "10:58", "Di Ro enters the game for ", [3, 2], 0, "2"),
            (1, "10:40", "Bo Li makes layup", [6, 2], 2, "1"),
            (1, "9.2", "(00:09.9) [Gulls] COACH'S CHALLENGE (CALL STANDS)", [6, 2], 0, ""),
            (1, "9.2", "defensive 3-seconds (technical foul)\n", [6, 2], 0, "2"),
            (1, "0.0", "End of the 1st Quarter", [6, 2], 0, ""),
        ],
    );
    let (table, notices) = read("espn_basketball", &text, None);
    assert_eq!(
        reported(&table),
        "1:11:47 Bo Li +3, 1:11:20 Cy Ng +2, 1:11:20 Al Ma +1, 1:10:40 Bo Li +2 = 6-2"
    );
    assert_eq!((&*table.name, &*table.teams[0].name), ("77", "North Gulls"));
    assert_eq!(table.events[1].by(EventRole::Assist).collect::<Vec<_>>(), ["Di Ro"]);
    let expected = ["silent-three", "stale-score", "no-name", "other-clock", "blank-line"];
    assert_eq!(kinds(&notices), expected);
    assert_eq!((notices[1].line, table.events[3].score), (6, [4, 2]));
    // The same with a mark of byte order, with other line ends, and as UTF-16.
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(read("espn_basketball", marked, None).0, table);
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read("espn_basketball", wide, None).0, table);
}

#[test]
fn espn_hockey() {
    let text = espn(
        "s:70~",
        ["1", "0"],
        &[
            (1, "0:00", "Start of 1st Period", [0, 0], 0, ""),
            (1, "0:00", "Bo Li faceoff won against Cy Ng", [0, 0], 0, "1"),
            (1, "8:30", "Al Ma Goal (7) Snap Shot, assists: Bo Li (10)", [1, 0], 1, "1"),
            (1, "9:00", "Di Ro Wrist Shot saved by Ed Po", [1, 0], 0, "2"),
            (1, "20:00", "End of 1st Period", [1, 0], 0, ""),
        ],
    );
    let (table, notices) = read("espn_hockey", text, None);
    assert_eq!(reported(&table), "1:8:30 Al Ma +1 = 1-0");
    assert_eq!(kinds(&notices), Vec::<&str>::new());
    let faceoff = &table.events[1];
    assert_eq!((faceoff.player(), faceoff.by(EventRole::Against).next()), ("Bo Li", Some("Cy Ng")));
    assert_eq!(table.events[4].time, 1_200_000);
}

const LOG: &str = "Match: Gulls vs Otters\nGulls: Bo Li, Alexis Moreau\nOtters: Cy Ng, Di Ro\n\n";

#[test]
fn logs_in_words() {
    let log = format!(
        "{LOG}12:00\tBo Li vs. Cy Ng (Bo Li gains possession)\n11:47\tAléxis Moreau makes three pointer\n\
         \n11:30\tEd Po makes layup\n0.0\tEnd of the 1st Quarter\n11:50\tCy Ng makes dunk\n\
         0.0\tEnd of the 4th Quarter\n"
    );
    let (table, notices) = read("espn_text", log, None);
    // Points without a team are not counted, and the blank line is not an event.
    assert_eq!(reported(&table), "1:11:47 Aléxis Moreau +3, 2:11:50 Cy Ng +2 = 3-2");
    assert_eq!(kinds(&notices), ["other-spelling", "blank-line", "unknown-player", "no-team"]);
    assert_eq!(table.periods.len(), 2);
    assert_eq!(table.events[4].time, 720_000 + 10_000);

    let log = "比赛：山狐 vs 海燕\n球队信息：山狐: 周-三宝\n海燕: 李-四平\n\n11:50\t周-三宝 三分球进\n59.0\"\t李-四平 罚球命中 2罚中第1罚\n";
    let (table, notices) = read("hupu_text", log, None);
    assert_eq!(reported(&table), "1:11:50 周-三宝 +3, 1:59.0\" 李-四平 +1 = 3-1");
    assert_eq!(kinds(&notices), Vec::<&str>::new());

    let log = format!(
        "{LOG}0:00\tStart of 1st Period\n4:01\tCy Ng Goal (1) Backhand, assists: none\n20:00\tEnd of 1st Period\n0:00\tStart of 2nd Period\n1:00\tBo Li hit Di Ro\n"
    );
    let (table, _) = read("espn_hockey_text", log, None);
    assert_eq!((reported(&table).as_str(), table.periods.len()), ("1:4:01 Cy Ng +1 = 0-1", 2));
}

#[test]
fn nba_live_data() {
    let action = |order: i64,
                  clock: &str,
                  kind: &str,
                  result: &str,
                  team: i64,
                  score: [i64; 2],
                  who: &str| {
        format!(
            r#"{{"orderNumber":{order},"clock":"PT{clock}S","period":1,"actionType":"{kind}","subType":"","personId":{},"playerNameI":"{who}","teamId":{team},"teamTricode":"T{team}","shotResult":"{result}","scoreAway":"{}","scoreHome":"{}","description":"{who} {kind}"}}"#,
            who.len(),
            score[0],
            score[1]
        )
    };
    // Out of order in the file; team 2 is the one at home.
    let actions = [
        action(20, "11M30.00", "3pt", "Made", 2, [2, 3], "C. Ng"),
        action(10, "11M50.00", "2pt", "Made", 1, [2, 0], "B. Lim"),
        action(30, "11M20.50", "freethrow", "Missed", 1, [2, 3], "B. Lim"),
    ];
    let text = format!(r#"{{"game":{{"gameId":"9","actions":[{}]}}}}"#, actions.join(","));
    let (table, notices) = read("nba_cdn", &text, None);
    assert_eq!(reported(&table), "1:11:50 B. Lim +2, 1:11:30 C. Ng +3 = 2-3");
    assert_eq!((&*table.teams[1].tricode, table.events[2].time), ("T2", 39_500));
    assert_eq!(kinds(&notices), Vec::<&str>::new());
    let player = |id: usize, name: &str, points: i64| {
        format!(r#"{{"personId":{id},"name":"{name}","statistics":{{"points":{points}}}}}"#)
    };
    let team = |city: &str, score: i64, player: String| {
        format!(
            r#"{{"teamName":"Ducks","teamCity":"{city}","teamTricode":"X","score":{score},"periods":[],"players":[{player}]}}"#
        )
    };
    let boxed = format!(
        r#"{{"game":{{"homeTeam":{},"awayTeam":{}}}}}"#,
        team("Home", 3, player(5, "Cyril Ng", 4)),
        team("Away", 2, player(6, "Boris Lim", 2))
    );
    let (table, notices) = read("nba_cdn", &text, Some(&boxed));
    assert_eq!(reported(&table), "1:11:50 Boris Lim +2, 1:11:30 Cyril Ng +3 = 2-3");
    assert_eq!(kinds(&notices), ["box-score"]);
}

#[test]
fn nba_statistics() {
    let v2 = "GAME_ID,EVENTMSGTYPE,PERIOD,PCTIMESTRING,HOMEDESCRIPTION,VISITORDESCRIPTION,SCORE,PERSON1TYPE,PLAYER1_NAME,PLAYER1_TEAM_NICKNAME\n\
              21,12,1,12:00,,,,0,,\n\
              21,1,1,11:39,,Lim 12' Jump Shot (2 PTS),2 - 0,5,Boris Lim,Ducks\n\
              21,3,1,11:20,Ng Free Throw 2PT 1 of 1,,2 - 2,4,Cy Ng,Geese\n\
              21,2,1,11:01,,MISS Lim 25' 3PT Jump Shot,,5,Boris Lim,Ducks\n";
    let (table, notices) = read("nba_stats_v2", v2, None);
    assert_eq!(reported(&table), "1:11:39 Boris Lim +2, 1:11:20 Cy Ng +2 = 2-2");
    assert_eq!(kinds(&notices), ["large-free-throw"]);
    assert_eq!((table.events[3].worth, table.events[3].made), (3, false));

    let v3 = r#"{"game":{"gameId":"3","actions":[
        {"clock":"PT11M43.00S","period":1,"teamId":5,"teamTricode":"DUX","personId":7,"playerName":"Lim","playerNameI":"B. Lim","location":"v","description":"Lim 26' 3PT (3 PTS) (Voss 1 AST)","actionType":"Made Shot","shotValue":3,"scoreHome":"0","scoreAway":"3"},
        {"clock":"PT11M40.00S","period":1,"teamId":5,"teamTricode":"DUX","personId":8,"playerName":"Voss","playerNameI":"A. Voss","location":"v","description":"MISS Voss Free Throw 1 of 2","actionType":"Free Throw","scoreHome":"","scoreAway":""},
        {"clock":"PT11M39.00S","period":1,"teamId":0,"personId":287,"playerName":"Someone","playerNameI":"E. Someone","location":"","description":"Instant Replay","actionType":"Instant Replay","scoreHome":"","scoreAway":""}]}}"#;
    let (table, _) = read("nba_stats_v3", v3, None);
    assert_eq!(reported(&table), "1:11:43 B. Lim +3 = 3-0");
    assert_eq!(table.events[0].by(EventRole::Assist).collect::<Vec<_>>(), ["A. Voss"]);
    assert_eq!(table.events[2].player(), "");

    let net = r#"{"g":{"gid":"4","pd":[{"p":1,"pla":[
        {"cl":"11:39","de":"[DUX 2-0] Lim Jump Shot: Made (2 PTS)","etype":1,"opt1":2,"tid":5,"pid":7,"hs":0,"vs":2},
        {"cl":"11:20","de":"[GEE 1-2] Ng Free Throw 1 of 2 (1 PTS)","etype":3,"opt1":1,"tid":6,"pid":9,"hs":1,"vs":2},
        {"cl":"11:20","de":"[GEE] Ng Free Throw 2 of 2 Missed","etype":3,"opt1":1,"tid":6,"pid":9,"hs":1,"vs":2},
        {"cl":"11:52","de":"[DUX] Lim Rebound","etype":4,"tid":5,"pid":7,"hs":1,"vs":2}]}]}}"#;
    let (table, notices) = read("data_nba_net", net, None);
    assert_eq!(reported(&table), "1:11:39 Lim +2, 1:11:20 Ng +1 = 2-1");
    assert_eq!(kinds(&notices), ["out-of-order"]);
}

#[test]
fn other_sports() {
    let team = |id: u32, name: &str| {
        format!(r#"{{"id":{id},"name":"{name}","teamName":"{name}","triCode":"T{id}"}}"#)
    };
    let play = |kind: &str, period: u32, stage: &str, time: &str, id: u32| {
        format!(
            r#"{{"players":[{{"player":{{"fullName":"Bo Li"}},"playerType":"Scorer"}}],"result":{{"eventTypeId":"{kind}","description":"{kind}"}},"about":{{"period":{period},"periodType":"{stage}","periodTime":"{time}","goals":{{"away":0,"home":0}}}},"team":{{"id":{id}}}}}"#
        )
    };
    let plays =
        [play("FACEOFF", 1, "REGULAR", "00:00", 1), play("GOAL", 5, "SHOOTOUT", "00:00", 2)];
    let text = format!(
        r#"{{"gamePk":8,"gameData":{{"teams":{{"away":{},"home":{}}}}},"liveData":{{"plays":{{"allPlays":[{}]}},"linescore":{{"periods":[],"teams":{{"away":{{"goals":0}},"home":{{"goals":1}}}}}}}}}}"#,
        team(1, "Gulls"),
        team(2, "Otters"),
        plays.join(",")
    );
    let (table, notices) = read("nhl_statsapi", text, None);
    // The goal of a shoot-out has no scorer.
    assert_eq!(reported(&table), " = 0-0");
    assert_eq!(kinds(&notices), ["final-score", "shootout"]);

    let row = |kind: &str, team: &str, more: &str, time: &str| {
        format!(
            r#"{{"id":"{kind}{time}","period":1,"timestamp":"00:{time}","type":{{"name":"{kind}"}},"team":{{"name":"{team}"}}{more}}}"#
        )
    };
    let text = format!(
        "[{},{},{},{}]",
        row("Starting XI", "Reds", "", "00:00.000"),
        row(
            "Shot",
            "Reds",
            r#","player":{"name":"Bo Li"},"shot":{"outcome":{"name":"Goal"}}"#,
            "12:00.500"
        ),
        row("Own Goal Against", "Reds", r#","player":{"name":"Al Ma"}"#, "20:00.000"),
        row("Own Goal For", "Blues", "", "20:00.000"),
    );
    let (table, notices) = read("statsbomb", text, None);
    assert_eq!(reported(&table), "1:12:00.5 Bo Li +1, 1:20:00  +1 = 1-1");
    assert_eq!(kinds(&notices), ["own-goal"]);

    let at_bat = |inning: u32, top: bool, score: [i64; 2]| {
        format!(
            r#"{{"result":{{"event":"Home Run","description":"He homers.","awayScore":{},"homeScore":{}}},"about":{{"inning":{inning},"isTopInning":{top},"halfInning":"top"}},"matchup":{{"batter":{{"fullName":"Bo Li"}},"pitcher":{{"fullName":"Cy Ng"}}}}}}"#,
            score[0], score[1]
        )
    };
    let text = format!(
        r#"{{"gamePk":9,"gameData":{{"teams":{{"away":{{"name":"Gulls"}},"home":{{"name":"Otters"}}}}}},"liveData":{{"plays":{{"allPlays":[{},{}]}}}}}}"#,
        at_bat(1, true, [2, 0]),
        at_bat(1, false, [2, 1])
    );
    assert_eq!(reported(&read("mlb_statsapi", text, None).0), "1: Bo Li +2, 1: Bo Li +1 = 2-1");
}

/// Columns by their names, types and fields.
fn schema(columns: &[(&str, Type, &str)]) -> FeedSchema {
    let column = |(name, ty, field): &(&str, Type, &str)| feed::FeedColumn {
        name: (*name).into(),
        ty: ty.clone(),
        from: feed::ColumnSource::Field((*field).to_owned()),
    };
    FeedSchema { columns: columns.iter().map(column).collect(), ..FeedSchema::default() }
}

/// A sport with sets: each set has its own score, and columns name the home side.
#[test]
fn verification_recounts_coverage() {
    let columns = [
        ("period", Type::Int, "set"),
        ("team", Type::Text, "point"),
        ("home", Type::Int, "home_pts"),
        ("away", Type::Int, "away_pts"),
        ("points", Type::Int, "worth"),
    ];
    let log = "set,point,home_pts,away_pts,worth\n1,Lions,1,0,1\n1,Bears,1,1,1\n1,Bears,1,2,1\n\
               2,Lions,1,0,1\n2,Lions,2,0,1\n";
    let csv = feed::find("csv").expect("a reader");
    let read = |log: &str| csv.read("v.csv", log.as_bytes(), None, &schema(&columns)).expect(log);
    let sets = read(log);
    assert_eq!(sets.notices, []);
    let table = &sets.tables[0];
    assert_eq!(table.teams.iter().map(|team| &*team.name).collect::<Vec<_>>(), ["Bears", "Lions"]);
    let points: Vec<[i64; 2]> = table.periods.iter().map(|set| table.line_score(set)).collect();
    assert_eq!((points, table.score()), (vec![[2, 1], [0, 2]], [2, 3]));
    let twice = log.replace("point,", "set,");
    let fault = csv.read("v.csv", twice.as_bytes(), None, &schema(&columns)).expect_err("twice");
    assert_eq!(fault.message, "the columns 1 and 2 are both `set`");
    // A score that is neither the match's nor the set's is reported, with its line.
    let wrong = read(&log.replace("2,Lions,2,0,1", "2,Lions,5,0,1"));
    assert_eq!(kinds(&wrong.notices), ["stale-score"]);
    assert!(wrong.notices[0].message.ends_with("on 1 event from line 6"), "{:?}", wrong.notices);
}

/// The list of events is in records of records.
#[test]
fn logs_may_be_nested_in_json() {
    let columns = [("player", Type::Text, "by.name"), ("kind", Type::Text, "how")];
    let log = r#"{"match": {"id": 7, "umpires": ["Ed"], "rally":
        {"points": [{"by": {"name": "Ada"}, "how": "ace"}]}}}"#;
    let json = feed::find("json").expect("a reader");
    let read = |log: &str| json.read("t.json", log.as_bytes(), None, &schema(&columns));
    let table = &read(log).expect("a log").tables[0];
    assert_eq!((table.events[0].player(), &*table.events[0].text), ("Ada", "Ada, ace"));
    let wrong = read(&log.replace("how", "What")).expect("a log");
    assert_eq!(wrong.absent, ["how"]);
    assert_eq!(wrong.fields, ["What", "by.name"]);
    assert_eq!(wrong.notices[0].message, "no event has a field `how`");
    // Of two lists, the one with the fields of the columns is read; of two such lists, neither.
    let two = log.replace(r#""id": 7"#, r#""sets": [{"won": 1}]"#);
    assert_eq!(read(&two).expect("a log").tables[0].events[0].player(), "Ada");
    let alike = log.replace(r#""id": 7"#, r#""sets": [{"by": {"name": "Bo"}, "how": "net"}]"#);
    let fault = read(&alike).expect_err("two lists");
    assert!(fault.message.ends_with("`match.rally.points`, `match.sets`"), "{}", fault.message);
}

/// Periods with their plays, as the WNBA's pages have them: a row for each play, with the period
/// around it.
#[test]
fn nested_lists_of_records_are_the_log() {
    let columns = [
        ("period", Type::Int, "period"),
        ("clock", Type::Clock, "clock"),
        ("player", Type::Text, "who"),
        ("points", Type::Int, "points"),
    ];
    let log = r#"{"game": {"periods": [
        {"period": 1, "plays": [{"clock": "9:30", "who": "Ada", "points": 2}, {"clock": "0:10", "who": "Bea", "points": 3}]},
        {"period": 2, "plays": [{"clock": "8:00", "who": "Ada", "points": 1}]}]}}"#;
    let json = feed::find("json").expect("a reader");
    let read = json.read("w.json", log.as_bytes(), None, &schema(&columns)).expect("a log");
    let events = read.tables[0].events.iter();
    let reported: Vec<(u32, String, i64)> =
        events.map(|event| (event.period, event.player().to_owned(), event.points)).collect();
    assert_eq!(
        reported,
        [(1, "Ada".to_owned(), 2), (1, "Bea".to_owned(), 3), (2, "Ada".to_owned(), 1)]
    );
}

/// Without a column for it, a period begins where the clock is set back, if the feed says how long
/// periods are: basketball-reference's tables have a clock alone.
#[test]
fn periods_are_counted_by_the_clock() {
    let columns = [("clock", Type::Clock, "TimeRemaining"), ("text", Type::Text, "HomePlay")];
    let csv = feed::find("csv").expect("a reader");
    let log = "TimeRemaining,HomePlay\n11:38.0,A\n0:00.3,B\n12:00.0,C\n5:10.0,D\n5:00.0,E\n0:00.0,F\n11:59.0,G\n";
    let mut lengths = schema(&columns);
    let fault = csv.read("b.csv", log.as_bytes(), None, &lengths).expect_err("no periods");
    assert_eq!(fault.line, 4);
    assert!(fault.help.is_some_and(|help| help.contains("periods 4 of")));
    let (length, overtime) = (Some(720_000), Some(300_000));
    lengths.periods = Some(ifs::feed::Periods { count: 4, length, overtime });
    let read = csv.read("b.csv", log.as_bytes(), None, &lengths).expect("a log");
    let found: Vec<u32> = read.tables[0].events.iter().map(|event| event.period).collect();
    assert_eq!(found, [1, 1, 2, 2, 2, 2, 3]);
    assert_eq!(read.tables[0].events[2].time, 720_000);
}

/// Reader, file, line and words of the message.
const DAMAGED: [(&str, &str, usize, &str); 18] = [
    ("espn_basketball", "", 1, "the file is empty"),
    ("espn_basketball", " \n\n", 1, "the file is empty"),
    ("espn_basketball", "{\"header\":\n{\"id\"", 2, "cut off"),
    ("espn_basketball", "<html>", 1, "not valid JSON"),
    ("nba_cdn", "{\"game\":{}}", 1, "it is not a play-by-play"),
    (
        "nba_stats_v2",
        "EVENTMSGTYPE,PCTIMESTRING,SCORE\n1,12:00,\n",
        1,
        "there is no column `PERIOD`",
    ),
    (
        "nba_stats_v2",
        "EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\n1,1,11:00,2月7日\n",
        2,
        "is not a score",
    ),
    ("nba_stats_v2", "EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\n1,,11:00,\n", 2, "PERIOD is empty"),
    (
        "nba_stats_v2",
        "GAME_ID,EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\n1,12,1,12:00,\n2,12,1,12:00,\n",
        3,
        "more than one game",
    ),
    ("espn_text", "11:47\tBo Li makes layup\n", 1, "rosters"),
    ("espn_text", "A: Bo Li\nB: Cy Ng\n", 1, "no line of clock"),
    (
        "espn_text",
        "A: Bo Li\nB: Cy Ng\n\n11:47\tBo Li makes layup\nand then\n",
        5,
        "no clock before the tab",
    ),
    (
        "espn_text",
        "A: Bo Li\nB: Cy Ng\n\n11:47\tBo Li makes layup\nMatch: A vs C\n",
        5,
        "a second game",
    ),
    // Line ends as Windows has them.
    (
        "nba_stats_v2",
        "EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\r\n12,1,12:00,\r\n1,1,11:38,2月7日\r\n",
        3,
        "`2月7日` is not a score",
    ),
    (
        "nba_stats_v2",
        "EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\r\n12,1,12:00,\r\n1,1,11:38\r\n",
        3,
        "this row has 3 cells, the first has 4",
    ),
    ("nba_stats_v2", "EVENTMSGTYPE,PERIOD,PCTIMESTRING,SCORE\n", 1, "no event"),
    ("espn_text", "A: Bo Li\nB: C\0y\0\n", 2, "a zero byte"),
    ("nba_cdn", "", 1, "the file is empty"),
];

#[test]
fn damage_is_reported_with_its_line() {
    for (reader, text, line, words) in DAMAGED {
        let known = feed::find(reader).expect("a reader");
        let fault =
            known.read("one", text.as_bytes(), None, &FeedSchema::default()).expect_err(text);
        assert!(fault.message.contains(words), "{text}: {}", fault.message);
        assert_eq!(fault.line, line, "{text}");
        assert!(fault.help.is_some(), "{text}: nothing says what to do");
    }
    // Half of a file whose source does not show yet.
    let half = feed::detect_reader(b"{\"boxscore\":\n{\"te").err().expect("half");
    assert_eq!((half.line, half.message.as_str()), (2, "the JSON is cut off in column 4"));
    assert_eq!(feed::detect_reader(b"[]").expect("JSON").map(|reader| reader.name), None);
    let latin = feed::find("espn_text").expect("a reader").read(
        "one",
        b"A: Bo\nB: C\xe9",
        None,
        &FeedSchema::default(),
    );
    assert_eq!(latin.expect_err("not UTF-8").line, 2);
}

/// No bytes make a reader panic: pieces of good files, cut and mixed.
#[test]
fn any_truncation_is_handled() {
    let good = [
        espn("s:40~", ["0", "0"], &[(1, "11:47", "Bo Li makes layup", [2, 0], 2, "1")]),
        format!("{LOG}11:47\tBo Li makes layup\n"),
        r#"{"g":{"gid":"4","pd":[{"p":1,"pla":[{"cl":"11:39","de":"[DUX 2-0] Lim","etype":1,"pid":7}]}]}}"#.to_owned(),
    ];
    for text in &good {
        for end in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for reader in feed::READERS.iter().filter(|reader| reader.is_source()) {
                let cut = &text.as_bytes()[..end];
                let read = reader.read("one", cut, Some(cut), &FeedSchema::default());
                if let Err(fault) = read {
                    assert!(fault.line >= 1 && !fault.message.is_empty());
                }
            }
        }
    }
}

/// `Q1` is a quarter; in hockey there are periods, overtime and a shoot-out.
#[test]
fn times_are_named_by_the_sport() {
    use ifs::feed::simulate::{RareCase, SimulatedSport, SourceWording};
    let shorts = |wording: SourceWording| -> (Vec<String>, String) {
        let game =
            SimulatedSport { wording, cases: vec![RareCase::Overtime] }.game(1, "", 0).unwrap();
        let value = game.value();
        let text = |value: &ifs::predicate::value::Value, name: &str| {
            value.field(name).unwrap().as_str().unwrap().to_owned()
        };
        let periods = value.field("periods").unwrap().as_list().unwrap();
        let plays = value.field("plays").unwrap().as_list().unwrap();
        let first = &plays[0];
        assert_eq!(
            text(first, "at"),
            format!("{} {}", text(&periods[0], "short"), text(first, "clock"))
        );
        (periods.iter().map(|period| text(period, "short")).collect(), text(first, "at"))
    };
    let (quarters, first) = shorts(SourceWording::EspnText);
    assert_eq!(quarters[..5], ["Q1", "Q2", "Q3", "Q4", "OT"]);
    assert!(first.starts_with("Q1 12:00"), "{first}");
    let (periods, first) = shorts(SourceWording::EspnHockeyText);
    assert_eq!(periods[..4], ["P1", "P2", "P3", "OT"]);
    assert!(periods[4..].iter().all(|period| period == "SO" || period.ends_with("OT")));
    assert!(first.starts_with("P1 0:00"), "{first}");
}
