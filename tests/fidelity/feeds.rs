//! Feeds as their sources publish them: what the logs add up to is what the files state.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use ifs::feed::{self, EventTable, Notice, Noticed, Schema};

use crate::data;

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

/// A game of the shared feeds with what was noticed.
fn game(reader: &str, name: &str) -> Option<(EventTable, Vec<Notice>)> {
    let path: PathBuf = data()?.join("feeds").join(name);
    let reader = feed::find(reader).expect("a reader");
    let read = reader.read(name, &unpacked(&path), &Schema::default());
    let mut read = read.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    assert_eq!(read.tables.len(), 1);
    Some((read.tables.remove(0), read.notices))
}

fn count(notices: &[Notice], kind: Noticed) -> usize {
    notices.iter().filter(|notice| notice.kind == kind).count()
}

/// Final scores, line scores and points of players agree with the file's own.
fn agrees(table: &EventTable, notices: &[Notice]) {
    for (team, score) in table.teams.iter().zip(table.score()) {
        assert_eq!(team.stated, Some(score), "{}", team.name);
        assert_eq!(team.stated_periods.len(), table.periods.len());
        assert!(team.stated_points.len() > 7);
    }
    for kind in [Noticed::FinalScore, Noticed::LineScore, Noticed::BoxScore, Noticed::UnknownWording] {
        let found: Vec<&Notice> = notices.iter().filter(|notice| notice.kind == kind).collect();
        assert_eq!(found, Vec::<&Notice>::new());
    }
}

#[test]
fn espn_basketball() {
    let Some((table, notices)) = game("espn_basketball", "espn_nba/401772994.json.gz") else { return };
    agrees(&table, &notices);
    assert_eq!(table.score(), [108, 125]);
}

#[test]
fn espn_hockey() {
    for name in ["401559593", "401774292", "401774292_early_snapshot"] {
        let Some((table, notices)) = game("espn_hockey", &format!("espn_nhl/{name}.json.gz")) else { return };
        agrees(&table, &notices);
        assert_eq!(count(&notices, Noticed::StaleScore), 0);
    }
}
