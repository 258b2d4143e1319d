//! Assigns names to teams, even if logs and rosters spell them differently.

use std::collections::HashMap;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::notice::QuirkKind;
use super::table::Team;

/// A team's index, and the name of one of its players.
type ListedPlayer = Option<(u8, Arc<str>)>;

/// The names of both teams. A player has the name that the log uses first, because that is what its
/// readers see. Results come only from lookups, never from the order of the map.
pub struct Roster {
    exact: HashMap<Arc<str>, (u8, Arc<str>)>,
    /// Each name that was looked up, with its result.
    asked: HashMap<Arc<str>, ListedPlayer>,
    /// The log's names for players of the rosters.
    called: HashMap<Arc<str>, Arc<str>>,
    /// The team, the folded name, and the name.
    all: Vec<(u8, String, Arc<str>)>,
}

impl Roster {
    pub fn new(teams: &[Team]) -> Roster {
        let (mut exact, mut all) = (HashMap::new(), Vec::new());
        for (at, team) in (0..).zip(teams) {
            for name in &team.players {
                exact.entry(Arc::clone(name)).or_insert((at, Arc::clone(name)));
                all.push((at, folded(name), Arc::clone(name)));
            }
        }
        Roster { exact, asked: HashMap::new(), called: HashMap::new(), all }
    }

    /// If a log uses a roster's name anywhere, that name is used for the player
    /// everywhere.
    pub fn spelled_in(&mut self, log: &str) {
        let log = log.as_bytes();
        for (.., name) in &self.all {
            if memchr::memmem::find(log, name.as_bytes()).is_some() {
                self.called.insert(Arc::clone(name), Arc::clone(name));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The team of a player and his name, with a notice for the first occurrence.
    pub fn player(&mut self, name: &str) -> (ListedPlayer, Option<(QuirkKind, String)>) {
        if let Some(found) = self.asked.get(name) {
            return (found.clone(), None);
        }
        let exact = self.exact.get(name).cloned();
        let reported = |found: &ListedPlayer| match found {
            Some((_, known)) if **known == *name => None,
            Some((_, known)) => Some((
                QuirkKind::OtherSpelling,
                format!("`{name}` is taken for `{known}` of the roster"),
            )),
            None => Some((QuirkKind::UnknownPlayer, format!("`{name}` is in no roster"))),
        };
        let listed = exact.or_else(|| self.find_similar(name));
        let reported = reported(&listed);
        let found = listed.map(|(team, listed)| {
            let called = self.called.entry(listed).or_insert_with(|| Arc::from(name));
            (team, Arc::clone(called))
        });
        self.asked.insert(Arc::from(name), found.clone());
        (found, reported)
    }

    /// The only player whose name differs just in accents, suffixes or a shortened first name.
    fn find_similar(&self, name: &str) -> ListedPlayer {
        let sought = folded(name);
        if sought.is_empty() {
            return None;
        }
        let last = |name: &str| name.rsplit(' ').next().map(str::to_owned);
        let ways: [&dyn Fn(&str) -> bool; 4] = [
            &|known| known == sought,
            &|known| same_letters(known, &sought),
            &|known| last(known) == last(&sought) && known.chars().next() == sought.chars().next(),
            &|known| sought.contains(' ') && last(known) == last(&sought),
        ];
        ways.iter().find_map(|fits| {
            let mut found = self.all.iter().filter(|(_, known, _)| fits(known));
            match (found.next(), found.next()) {
                (Some((team, _, name)), None) => Some((*team, Arc::clone(name))),
                _ => None,
            }
        })
    }
}

/// Whether two names have the same parts in another order.
fn same_letters(one: &str, other: &str) -> bool {
    let parts = |name: &str| {
        let mut parts: Vec<String> = name.split(' ').map(str::to_owned).collect();
        parts.sort();
        parts
    };
    one.len() == other.len() && parts(one) == parts(other)
}

/// Lower case without accents, punctuation and suffixes.
fn folded(name: &str) -> String {
    let plain: String = name
        .nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .map(|letter| match letter {
            'ø' => 'o',
            'đ' => 'd',
            'ł' => 'l',
            'ß' => 's',
            letter if letter.is_alphanumeric() => letter,
            '\'' | '’' | '.' => '\0',
            _ => ' ',
        })
        .filter(|letter| *letter != '\0')
        .collect();
    let parts: Vec<&str> = plain
        .split_whitespace()
        .filter(|part| !matches!(*part, "jr" | "sr" | "ii" | "iii" | "iv"))
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let team = |names: &[&str]| Team {
            players: names.iter().map(|name| Arc::from(*name)).collect(),
            ..Team::default()
        };
        let teams = [
            team(&["Alexis Lindqvist", "Anthony Dorn", "Gary Trent Jr.", "Bo Li"]),
            team(&["Kristaps Ozols", "Bo Lindt", "Ada Lindt", "王-小二"]),
        ];
        let mut roster = Roster::new(&teams);
        let mut of =
            |name: &str| roster.player(name).0.map(|(team, name)| (team, name.to_string()));
        let cases = [
            ("Aléxis Lindqvist", 0, "Aléxis Lindqvist"),
            // A second spelling in one log refers to the same player.
            ("Alexis Lindqvist", 0, "Aléxis Lindqvist"),
            ("Tony Dorn", 0, "Tony Dorn"),
            ("Gary Trent", 0, "Gary Trent"),
            ("Ozols, Kristaps", 1, "Ozols, Kristaps"),
            ("小二 王", 1, "小二 王"),
        ];
        for (name, team, called) in cases {
            assert_eq!(of(name), Some((team, called.to_owned())));
        }
        assert_eq!(of("Cy Lindt"), None);
        assert_eq!(of("Nobody"), None);
        assert!(roster.player("Nobody").1.is_none());
        let mut roster = Roster::new(&teams);
        roster.spelled_in("Alexis Lindqvist defensive rebound");
        let called = roster.player("Aléxis Lindqvist").0.map(|(_, name)| name.to_string());
        assert_eq!(called.as_deref(), Some("Alexis Lindqvist"));
    }
}
