//! Logs with declared columns: what cannot be right is an error in every command, and what is right is
//! read.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::cli::ifs;

const COMMANDS: [&[&str]; 4] = [
    &["check", "a.ifs"],
    &["draw", "a.ifs"],
    &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"],
    &["feed", "check", "a.ifs"],
];

/// A scenario over `log.json` or another log, with these columns and a question.
fn scenario(reader: &str, log: &str, columns: &str, asked: &str) -> String {
    format!(
        "ifs 1\nfeed games {{\n  read {reader} \"{log}\"\n{columns}\n}}\n\
         dialogue live over games as game {{\n  turn {{\n    ask \"{asked}\"\n    \
         answer \"{{{{ game.away.name }}}} {{{{ game.score.away }}}}, {{{{ game.home.name }}}} {{{{ game.score.home }}}}.\"\n  }}\n}}\n"
    )
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Every command says the same, and none writes anything.
#[track_caller]
fn refused(at: &Path, words: &[&str]) {
    for command in COMMANDS {
        let ran = ifs(at, command);
        let all =
            format!("{}{}", ran.out, ran.err).replace("\n  │ ", " ").replace("\n        ", " ");
        assert!(!matches!(ran.status, Some(0)), "{command:?}: {all}");
        for word in words {
            assert!(all.contains(word), "{command:?}: no `{word}` in\n{all}");
        }
    }
    assert!(!at.join("out").exists());
}

#[track_caller]
fn accepted(at: &Path, answer: &str) {
    ifs(at, COMMANDS[0]).ends(0);
    ifs(at, COMMANDS[1]).ends(0).says(answer);
    ifs(at, COMMANDS[2]).ends(0);
    ifs(at, COMMANDS[3]).ends(0);
}

const NFL: &str = "  column period: int from \"period.number\"\n  column clock: clock\n  \
    column away: int from \"awayScore\"\n  column home: int from \"homeScore\"\n  column text: text";

fn nfl(plays: &[(u32, &str, u32, u32)]) -> String {
    let play = |(period, clock, away, home): &(u32, &str, u32, u32)| {
        format!(
            r#"{{"id":"{clock}{away}{home}","period":{{"number":{period}}},"clock":"{clock}","awayScore":{away},"homeScore":{home},"text":"A play."}}"#
        )
    };
    format!("{{\"drives\":[{}]}}", plays.iter().map(play).collect::<Vec<_>>().join(",\n"))
}

#[test]
fn a_misspelt_field_is_an_error_in_every_command() {
    let log = nfl(&[(1, "14:10", 7, 0), (2, "3:05", 7, 3)]);
    let right = scenario("json", "log.json", NFL, "What is the score?");
    accepted(folder(&[("a.ifs", &right), ("log.json", &log)]).path(), "away 7, home 3.");
    for (field, wrong) in [
        ("awayScore", "awayScoer"),
        ("period.number", "period.nummer"),
        ("homeScore", "home.score"),
    ] {
        let folder = folder(&[("a.ifs", &right.replace(field, wrong)), ("log.json", &log)]);
        let missing = format!("no event has a field `{wrong}`");
        refused(folder.path(), &[&missing, "log.json", &format!("`{field}`")]);
    }
    // In lines of JSON as well, and a field that is null everywhere is there.
    let lines = "{\"clock\":\"0:10\",\"who\":\"Reds\",\"kind\":null}\n{\"clock\":\"0:20\",\"who\":\"Blues\",\"kind\":null}\n";
    let columns = "  column clock: clock\n  column team: text from \"who\"\n  column kind: text";
    let lined = scenario("jsonl", "log.jsonl", columns, "Who?");
    accepted(folder(&[("a.ifs", &lined), ("log.jsonl", lines)]).path(), "Reds 0, Blues 0.");
    let wrong = lined.replace("\"who\"", "\"whom\"");
    refused(
        folder(&[("a.ifs", &wrong), ("log.jsonl", lines)]).path(),
        &["no event has a field `whom`"],
    );
}

/// Records omit empty fields: a field that another log has is no mistake.
#[test]
fn a_field_that_one_log_lacks() {
    let columns = "  column clock: clock\n  column team: text\n  column assist: text";
    let text = scenario("json", "logs/*.json", columns, "Who?");
    let log = |assist: &str| {
        format!(r#"[{{"clock":"0:10","team":"Reds"{assist}}},{{"clock":"0:20","team":"Blues"}}]"#)
    };
    let (with, without) = (log(r#","assist":"Al Ma""#), log(""));
    let both = folder(&[("a.ifs", &text), ("logs/a.json", &with), ("logs/b.json", &without)]);
    accepted(both.path(), "Reds 0, Blues 0.");
    ifs(both.path(), &["feed", "check", "a.ifs"])
        .ends(0)
        .says("no-field: no event has a field `assist`");
    let alone = folder(&[("a.ifs", &text), ("logs/a.json", &without), ("logs/b.json", &without)]);
    refused(alone.path(), &["no event has a field `assist`"]);
}

/// Deliveries of cricket, nested as cricsheet has them: the runs are records themselves.
#[test]
fn nested_fields_are_listed() {
    let log = r#"{"innings":[{"team":"Alpha","overs":[
        {"over":0,"deliveries":[{"batter":"A","runs":{"batter":1,"total":1}},{"batter":"A","runs":{"batter":1,"total":1}}]}]}]}"#;
    let columns = "  column player: text from \"batter\"\n  column points: int from \"runs.total\"";
    let text = scenario("json", "log.json", columns, "Who?").replace(
        "answer \"{{ game.away.name }} {{ game.score.away }}, {{ game.home.name }} {{ game.score.home }}.\"",
        "answer \"Nobody.\"",
    );
    let folder = folder(&[("a.ifs", &text), ("log.json", log)]);
    let ran = ifs(folder.path(), &["check", "a.ifs"]);
    let all = format!("{}{}", ran.out, ran.err);
    // Lists that are nested so deeply are not read: that is said, and no score of 0 is told.
    assert!(ran.status != Some(0) && all.contains("no event has a field"), "{all}");
}

const TEAMS: &str = "  column clock: clock from \"Time\"\n  column team: text from \"Club\"\n  \
    column points: int from \"Points\"";

#[test]
fn a_game_without_two_named_teams_tells_no_name() {
    let text = scenario("csv", "log.csv", TEAMS, "What is the score?");
    let rows = "Time,Club,Points\n1:00,Reds,1\n2:00,Blues,2\n";
    accepted(folder(&[("a.ifs", &text), ("log.csv", rows)]).path(), "Reds 1, Blues 2.");
    for rows in ["Time,Club,Points\n1:00,Reds,1\n2:00,,2\n", "Time,Club,Points\n1:00,,1\n2:00,,2\n"]
    {
        refused(folder(&[("a.ifs", &text), ("log.csv", rows)]).path(), &["game.away.name"]);
    }
    // Of many games the tenth: every one is drawn.
    let games: Vec<(String, String)> = (0..12)
        .map(|at| {
            let other = if at == 10 { "Reds" } else { "Blues" };
            (
                format!("logs/{at:02}.csv"),
                format!("Time,Club,Points\n1:00,Reds,1\n2:00,{other},{at}\n"),
            )
        })
        .collect();
    let text = text.replace("log.csv", "logs/*.csv");
    let mut files = vec![("a.ifs", text.as_str())];
    files.extend(games.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let many = folder(&files);
    for command in [COMMANDS[0], COMMANDS[2], COMMANDS[3]] {
        let ran = ifs(many.path(), command);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(ran.status != Some(0) && all.contains("game.away.name"), "{command:?}: {all}");
        assert!(all.contains("10"), "{command:?}: {all}");
    }
    // Names that nothing tells may be absent.
    let plain = text.replace("{{ game.away.name }} ", "").replace("{{ game.home.name }} ", "");
    files[0] = ("a.ifs", &plain);
    ifs(folder(&files).path(), &["check", "a.ifs"]).ends(0);
}

#[test]
fn events_that_are_told_twice() {
    let text = scenario("csv", "log.csv", TEAMS, "What is the score?");
    let twice = "Time,Club,Points\n1:00,Reds,1\n2:00,Blues,2\n1:00,Reds,1\n";
    refused(
        folder(&[("a.ifs", &text), ("log.csv", twice)]).path(),
        &["line 4", "told a second time", "line 2"],
    );
    // Two free throws at the same second, which something tells apart.
    let free = "Time,Club,Points,No\n1:00,Reds,1,1\n1:00,Reds,1,2\n2:00,Blues,2,3\n";
    accepted(folder(&[("a.ifs", &text), ("log.csv", free)]).path(), "Reds 2, Blues 2.");
    // The same in JSON, with the fields in another order.
    let columns = "  column clock: clock\n  column team: text\n  column points: int";
    let json = scenario("json", "log.json", columns, "What is the score?");
    let twice = r#"[{"clock":"1:00","team":"Reds","points":1},
{"clock":"2:00","team":"Blues","points":2},
{"points":1,"team":"Reds","clock":"1:00"}]"#;
    refused(
        folder(&[("a.ifs", &json), ("log.json", twice)]).path(),
        &["told a second time", "line 1"],
    );
    // Without a clock, equal events are usual: two dots of an over.
    let columns = "  column team: text\n  column points: int";
    let untimed = scenario("json", "log.json", columns, "What is the score?");
    let overs =
        r#"[{"team":"Reds","points":1},{"team":"Reds","points":1},{"team":"Blues","points":0}]"#;
    accepted(folder(&[("a.ifs", &untimed), ("log.json", overs)]).path(), "Reds 2, Blues 0.");
    // Two games of a file may have equal events.
    let games = "  column game: text from \"Game\"\n".to_owned() + TEAMS;
    let several = scenario("csv", "log.csv", &games, "What is the score?");
    let rows =
        "Game,Time,Club,Points\n1,1:00,Reds,1\n1,2:00,Blues,2\n2,1:00,Reds,1\n2,2:00,Blues,2\n";
    accepted(folder(&[("a.ifs", &several), ("log.csv", rows)]).path(), "Reds 1, Blues 2.");
}

#[test]
fn scores_that_fall() {
    let columns = "  column period: int from \"Set\"\n  column team: text from \"Club\"\n  column points: int from \"Points\"\n  \
        column away: int from \"Away\"\n  column home: int from \"Home\"";
    let text = scenario("csv", "log.csv", columns, "What is the score?");
    let head = "Set,Club,Points,Away,Home\n";
    let log = |rows: &str| format!("{head}{rows}");
    let falls = log("1,Reds,1,1,0\n1,Blues,1,1,1\n1,Reds,1,0,1\n");
    refused(
        folder(&[("a.ifs", &text), ("log.csv", &falls)]).path(),
        &["line 4", "the score falls from 1-1 to 0-1", "order by"],
    );
    // A set begins at zero, and points may be taken back.
    let sets = log("1,Reds,1,1,0\n1,Blues,1,1,1\n2,Blues,1,0,1\n2,Reds,1,1,1\n");
    accepted(folder(&[("a.ifs", &text), ("log.csv", &sets)]).path(), "Reds 2, Blues 2.");
    let back = log("1,Reds,1,1,0\n1,Blues,1,1,1\n1,Reds,-1,0,1\n");
    accepted(folder(&[("a.ifs", &text), ("log.csv", &back)]).path(), "Reds 0, Blues 1.");
    // In the order that the feed asks for, and not in that of the file.
    let rows = "No,Club,Points,Away,Home\n2,Blues,1,1,1\n1,Reds,1,1,0\n";
    let columns = "  column number_in_file: int from \"No\"\n  column team: text from \"Club\"\n  column points: int from \"Points\"\n  \
        column away: int from \"Away\"\n  column home: int from \"Home\"";
    let unsorted = scenario("csv", "log.csv", columns, "What is the score?");
    refused(folder(&[("a.ifs", &unsorted), ("log.csv", rows)]).path(), &["the score falls"]);
    let sorted = unsorted.replace("from \"Home\"", "from \"Home\"\n  order by number_in_file");
    accepted(folder(&[("a.ifs", &sorted), ("log.csv", rows)]).path(), "Reds 1, Blues 1.");
}

/// A summary of another sport is named as that, whatever sports its news mention.
#[test]
fn a_file_of_another_kind_is_no_game_to_come() {
    let summary = |sport: &str, plays: &str| {
        format!(
            r#"{{"news":[{{"uid":"s:40~l:46~a:1"}}],"header":{{"id":"7","uid":"{sport}","competitions":[{{"competitors":[
            {{"homeAway":"home","team":{{"id":"2","displayName":"B"}}}},{{"homeAway":"away","team":{{"id":"1","displayName":"A"}}}}]}}]}},
            "drives":{{}},"plays":[{plays}]}}"#
        )
    };
    let play = r#"{"text":"Bo Li faceoff won against Cy Ng","awayScore":0,"homeScore":0,"period":{"number":1},"clock":{"displayValue":"1:00"}}"#;
    let folder = folder(&[
        ("nfl.json", &summary("s:20~l:28~e:7", "")),
        (
            "nhl.json",
            &summary("s:70~l:90~e:7", play)
                .replace("s:40~l:46~a:1\"", "s:40~l:46~a:1\",\"b\":\"s:70~\""),
        ),
        ("empty.json", &summary("s:40~l:46~e:7", "")),
    ]);
    let at = folder.path();
    let said = |args: &[&str]| {
        let ran = ifs(at, args);
        (ran.status, format!("{}{}", ran.out, ran.err))
    };
    for args in [
        &["feed", "check", "nfl.json"][..],
        &["feed", "check", "nfl.json", "--reader", "espn_hockey"],
    ] {
        let (status, all) = said(args);
        assert!(status != Some(0) && all.contains("another sport"), "{all}");
        assert!(!all.contains("not played"), "{all}");
    }
    let (status, all) = said(&["feed", "check", "nhl.json"]);
    assert!(status == Some(0) && all.contains("(espn_hockey)"), "{all}");
    let (status, all) = said(&["feed", "check", "empty.json"]);
    assert!(
        status != Some(0) && all.contains("it has no events in the form of this reader"),
        "{all}"
    );
}
