//! Basketball in English, as ESPN words it.

use super::{Sentence, bracketed, ending};
use crate::table::{EventKind, EventRole};

/// The distance in feet from which a shot counts three even if the sentence does not say so. A
/// 22-foot jumper is a two: the line is nearer to the basket only in the corners.
const THREE_POINT_FEET: u32 = 23;

/// Parses a sentence; `Kind::Other` for an unknown wording.
pub fn basketball(text: &str) -> Sentence<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Sentence::new(EventKind::Blank);
    }
    if let Some(said) = shot(text).or_else(|| blocked_shot(text)) {
        return said;
    }
    if text.starts_with("End of Game") || text.starts_with("Game End") {
        return Sentence::new(EventKind::GameEnd);
    }
    if text.starts_with("End of ") {
        return Sentence::new(EventKind::PeriodEnd);
    }
    if text.starts_with("Start of ") {
        return Sentence::new(EventKind::PeriodStart);
    }
    if let Some(said) = review(text) {
        return said;
    }
    if let Some(who) = text.strip_prefix("Double technical foul:") {
        let (one, other) = who.split_once(" and ").unwrap_or((who, ""));
        return Sentence::new(EventKind::Foul)
            .detail("double technical")
            .who(EventRole::Player, one)
            .who(EventRole::Against, other);
    }
    if let Some((one, rest)) = text.split_once(" enters the game for") {
        return Sentence::new(EventKind::Substitution)
            .who(EventRole::Player, one)
            .who(EventRole::Out, rest);
    }
    if let Some((one, rest)) = text.split_once(" vs. ") {
        let (other, gains) = bracketed(rest, "gains possession").unwrap_or((rest, ""));
        return Sentence::new(EventKind::JumpBall)
            .who(EventRole::Player, one)
            .who(EventRole::Against, other)
            .who(EventRole::Gains, gains);
    }
    let rebounds = [" offensive team rebound", " defensive team rebound"];
    if let Some((team, ending)) = ending(text, &rebounds) {
        let mut said = Sentence::new(EventKind::Rebound).detail(side(ending));
        said.team = Some(team);
        return said;
    }
    if let Some((who, ending)) =
        ending(text, &[" offensive rebound", " defensive rebound", " rebound"])
    {
        return Sentence::new(EventKind::Rebound).detail(side(ending)).who(EventRole::Player, who);
    }
    if let Some((team, what)) = timeout(text) {
        let mut said = Sentence::new(EventKind::Timeout).detail(what);
        said.team = Some(team);
        return said;
    }
    other_event(text)
}

fn side(ending: &'static str) -> &'static str {
    if ending.contains("offensive") {
        "offensive"
    } else if ending.contains("defensive") {
        "defensive"
    } else {
        ""
    }
}

/// `P makes 26-foot three point jumper (Q assists)`
fn shot(text: &str) -> Option<Sentence<'_>> {
    let (who, what, made) = match text.split_once(" makes ") {
        Some((who, what)) => (who, what, true),
        None => text.split_once(" misses ").map(|(who, what)| (who, what, false))?,
    };
    let (what, assist) = bracketed(what, "assists").unwrap_or((what, ""));
    let said = if what.contains("free throw") {
        Sentence::new(EventKind::FreeThrow).shot(made, 1)
    } else {
        with_points(Sentence::new(EventKind::FieldGoal), what, made)
    };
    Some(said.detail(what).who(EventRole::Player, who).who(EventRole::Assist, assist))
}

fn with_points<'t>(said: Sentence<'t>, what: &str, made: bool) -> Sentence<'t> {
    let by_word = what.contains("three");
    let feet = what.split_once("-foot").and_then(|(feet, _)| feet.trim().parse::<u32>().ok());
    let by_distance = feet.is_some_and(|feet| feet >= THREE_POINT_FEET) && !what.contains("two");
    let mut said = said.shot(made, if by_word || by_distance { 3 } else { 2 });
    said.silent_three = by_distance && !by_word;
    said
}

/// `P blocks Q 's 4-foot driving layup`: a missed shot of Q.
fn blocked_shot(text: &str) -> Option<Sentence<'_>> {
    let (blocker, rest) = text.split_once(" blocks ")?;
    let (shooter, what) = rest.split_once(" 's ").or_else(|| rest.rsplit_once("'s "))?;
    let said = with_points(Sentence::new(EventKind::FieldGoal), what, false);
    Some(said.detail(what).who(EventRole::Player, shooter).who(EventRole::Block, blocker))
}

/// `(06:09) [Suns] COACH'S CHALLENGE (…)`, `Spurs Coach's Challenge`
fn review(text: &str) -> Option<Sentence<'_>> {
    if let Some((clock, rest)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        let mut said = Sentence::new(EventKind::Review).detail(rest);
        said.clock = Some(clock);
        said.team = rest.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0));
        return Some(said);
    }
    let small = text.to_ascii_lowercase();
    if let Some(team) = text.strip_suffix(" Coach's Challenge") {
        let mut said = Sentence::new(EventKind::Review).detail("coach's challenge");
        said.team = Some(team);
        return Some(said);
    }
    let words = ["replay", "challenge", "review"];
    words
        .iter()
        .any(|word| small.contains(word))
        .then(|| Sentence::new(EventKind::Review).detail(text))
}

/// `Suns Full timeout`
fn timeout(text: &str) -> Option<(&str, &str)> {
    let endings = [" Full timeout", " 20 Sec. timeout", " timeout", " Timeout"];
    endings.iter().find_map(|ending| Some((text.strip_suffix(ending)?, ending.trim())))
}

fn other_event(text: &str) -> Sentence<'_> {
    let (plain, steal) = bracketed(text, "steals").unwrap_or((text, ""));
    if let Some(who) = plain.strip_suffix(" ejected") {
        return Sentence::new(EventKind::Ejection).who(EventRole::Player, who);
    }
    // The shot clock and other times belong to no team.
    if plain.starts_with("shot clock") || plain.starts_with("team ") {
        return Sentence::new(EventKind::Turnover).detail(plain);
    }
    // The form that occurs first: `P out of bounds lost ball turnover`.
    let found = SECOND_PART_FORMS.iter().flat_map(|(kind, forms)| {
        forms.iter().filter_map(move |form| Some((split_before(plain, form)?, kind)))
    });
    if let Some(((who, what), kind)) = found.min_by_key(|((who, _), _)| who.len()) {
        let (what, drawn) = bracketed(what, "draws the foul").unwrap_or((what, ""));
        return Sentence::new(kind.clone())
            .detail(what)
            .who(EventRole::Player, who)
            .who(EventRole::Steal, steal)
            .who(EventRole::Against, drawn);
    }
    Sentence::new(EventKind::Other)
}

/// The beginnings of the second part of a sentence, with their kinds. Of forms at one position the
/// first counts.
const SECOND_PART_FORMS: [(EventKind, &[&str]); 3] = [
    (
        EventKind::Turnover,
        &[
            "bad pass",
            "lost ball",
            "out of bounds",
            "traveling",
            "offensive foul turnover",
            "palming",
            "double dribble",
            "backcourt",
            "lane violation turnover",
            "discontinue dribble",
            "stepped out",
            "inbound turnover",
            "illegal assist",
            "illegal screen",
            "inbound",
            "3 second turnover",
            "5 second turnover",
            "8 second turnover",
            "10 second turnover",
            "kicked ball turnover",
            "offensive goaltending turnover",
            "basket from below",
            "turnover",
        ],
    ),
    (
        EventKind::Foul,
        &[
            "shooting foul",
            "shooting block foul",
            "personal foul",
            "personal block foul",
            "personal take foul",
            "transition take foul",
            "take foul",
            "loose ball foul",
            "offensive foul",
            "offensive charge",
            "technical foul",
            "flagrant foul",
            "away from play foul",
            "away from play",
            "clear path foul",
            "inbound foul",
            "double personal foul",
            "defensive 3-seconds",
            "hanging technical foul",
            "hanging on rim",
            "excess timeout technical",
            "foul",
        ],
    ),
    (
        EventKind::Violation,
        &[
            "defensive goaltending",
            "offensive goaltending",
            "goaltending",
            "kicked ball",
            "delay of game",
            "delay technical",
            "lane violation",
            "jump ball violation",
            "double lane",
            "violation",
        ],
    ),
];

/// Splits a sentence before a form at its start or after a blank.
fn split_before<'t>(text: &'t str, form: &str) -> Option<(&'t str, &'t str)> {
    let at = text.find(form)?;
    let (who, what) = text.split_at(at);
    (who.is_empty() || who.ends_with(' ')).then_some((who, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (EventKind, bool, i64, Vec<(EventRole, &str)>) {
        let said = basketball(text);
        (said.kind, said.made, said.worth, said.who)
    }

    #[test]
    fn shots() {
        use EventRole::{Assist, Block, Player};
        let a = "K'Andre Ohm Jr.";
        let cases = [
            (
                "makes 26-foot three point jumper (Bo Li assists)",
                true,
                3,
                vec![(Player, a), (Assist, "Bo Li")],
            ),
            ("makes 26-foot running pullup jump shot", true, 3, vec![(Player, a)]),
            ("makes 22-foot jumper", true, 2, vec![(Player, a)]),
            ("misses 24-foot two point shot", false, 2, vec![(Player, a)]),
            ("makes three pointer", true, 3, vec![(Player, a)]),
            ("misses driving floating jump shot", false, 2, vec![(Player, a)]),
        ];
        for (what, made, worth, who) in cases {
            let text = format!("{a} {what}");
            assert_eq!(read(&text), (EventKind::FieldGoal, made, worth, who), "{text}");
        }
        let blocked = vec![(Player, "Bo Li"), (Block, a)];
        for text in [
            "K'Andre Ohm Jr. blocks Bo Li 's 4-foot driving layup",
            "K'Andre Ohm Jr. blocks Bo Li's dunk",
        ] {
            assert_eq!(read(text), (EventKind::FieldGoal, false, 2, blocked.clone()), "{text}");
        }
        assert_eq!(read("Bo Li makes technical free throw").0, EventKind::FreeThrow);
        assert!(!read("Bo Li misses free throw flagrant 1 of 2").1);
    }

    #[test]
    fn other_sentences() {
        let cases = [
            ("Suns offensive team rebound", EventKind::Rebound),
            ("Bo Li defensive rebound", EventKind::Rebound),
            ("Bo Li bad pass (Al Ma steals)", EventKind::Turnover),
            ("shot clock turnover ", EventKind::Turnover),
            ("Bo Li traveling", EventKind::Turnover),
            ("Bo Li offensive foul", EventKind::Foul),
            ("Double technical foul: Bo Li and Al Ma", EventKind::Foul),
            ("defensive 3-seconds (technical foul)\n", EventKind::Foul),
            ("Bo Li enters the game for ", EventKind::Substitution),
            ("Suns Full timeout", EventKind::Timeout),
            (
                "(06:09) [Suns] COACH'S CHALLENGE (CALL STANDS) [Suns] charged with a timeout",
                EventKind::Review,
            ),
            ("Bo Li vs. Al Ma (Cy Ng gains possession)", EventKind::JumpBall),
            ("Bo Li ejected", EventKind::Ejection),
            ("Bo Li kicked ball violation", EventKind::Violation),
            ("End of the 1st Quarter", EventKind::PeriodEnd),
            ("End of Game", EventKind::GameEnd),
            ("Nothing of the kind", EventKind::Other),
        ];
        for (text, kind) in cases {
            assert_eq!(read(text).0, kind, "{text}");
        }
        assert_eq!(basketball("Bo Li bad pass (Al Ma steals)").who[1], (EventRole::Steal, "Al Ma"));
        assert_eq!(basketball("(00:09.9) [Suns] REF-INITIATED REVIEW").clock, Some("00:09.9"));
    }
}
