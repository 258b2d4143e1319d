//! Revisions, as in `HEAD~2`, `v1.0^{commit}` or `main@{1}`.

use crate::object::ObjectKind;
use crate::store::damaged;
use crate::{Error, Id, Repository};

/// How many tags lead to one another.
const MAX_TAGS: usize = 16;

/// The shortest beginning of an id.
const MIN_DIGITS: usize = 4;

impl Repository {
    /// The commit that a revision names: a reference (`HEAD`, `main`, `v1.0`, `origin/main`), an id or
    /// its beginning, or what `git describe` prints; then any of `@{N}`, `@{-N}`, `@{yesterday}`,
    /// `@{2 days ago}`, `~N`, `^N`, `^{}` and `^{commit}`. `now` is in seconds since 1970.
    ///
    /// # Errors
    /// Returns an error if there is no such commit, or if the revision has another form.
    pub fn commit(&self, revision: &str, now: u64) -> Result<Id, Error> {
        let steps = revision.find(['~', '^']).unwrap_or(revision.len());
        let (base, mut steps) = revision.split_at(steps);
        let no_revision = || Error::NoRevision(revision.to_owned());
        let unsupported = |why| Error::Unsupported { revision: revision.to_owned(), why };
        let mut id = match base.split_once("@{") {
            Some((name, rest)) => {
                let selector = rest.strip_suffix('}').ok_or_else(no_revision)?;
                match self.logged(name, selector, now)? {
                    Logged::Commit(id) => id,
                    Logged::Nothing => return Err(no_revision()),
                    Logged::Unsupported(why) => return Err(unsupported(why)),
                }
            }
            None => self.named(base)?.ok_or_else(no_revision)?,
        };
        while !steps.is_empty() {
            let is_parent = steps.starts_with('^');
            steps = steps.strip_prefix(['~', '^']).ok_or_else(no_revision)?;
            if let Some(rest) = steps.strip_prefix('{').filter(|_| is_parent) {
                let (kind, rest) = rest.split_once('}').ok_or_else(no_revision)?;
                if !["", "commit"].contains(&kind) {
                    return Err(unsupported("of `^{…}`, ifs knows `^{}` and `^{commit}`"));
                }
                steps = rest;
                id = self.peel(id)?;
                continue;
            }
            let digits = steps.find(|letter: char| !letter.is_ascii_digit());
            let (digits, rest) = steps.split_at(digits.unwrap_or(steps.len()));
            let number: u64 = match digits {
                "" => 1,
                digits => digits.parse().map_err(|_| no_revision())?,
            };
            steps = rest;
            id = self.peel(id)?;
            id = match is_parent {
                false => self.ancestor(id, number)?.ok_or_else(no_revision)?,
                true if number == 0 => id,
                true => {
                    let place = usize::try_from(number - 1).map_err(|_| no_revision())?;
                    *self.parents(&id)?.get(place).ok_or_else(no_revision)?
                }
            };
        }
        self.peel(id)
    }

    fn parents(&self, id: &Id) -> Result<Vec<Id>, Error> {
        let object = self.store.object(&self.disk, id)?;
        if object.kind == ObjectKind::Commit { Ok(object.parents()) } else { Err(damaged(id)) }
    }

    fn ancestor(&self, mut id: Id, number: u64) -> Result<Option<Id>, Error> {
        for _ in 0..number {
            match self.parents(&id)?.first() {
                Some(parent) => id = *parent,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }

    /// The commit that a tag names, or the commit itself.
    fn peel(&self, id: Id) -> Result<Id, Error> {
        let mut target = id;
        for _ in 0..MAX_TAGS {
            let object = self.store.object(&self.disk, &target)?;
            match object.kind {
                ObjectKind::Commit => return Ok(target),
                ObjectKind::Tag => target = object.target().ok_or_else(|| damaged(&target))?,
                ObjectKind::Tree | ObjectKind::Blob => {
                    return Err(Error::NoRevision(id.to_string()));
                }
            }
        }
        Err(damaged(&id))
    }

    /// What a name without further steps names, in the order that git looks it up.
    fn named(&self, name: &str) -> Result<Option<Id>, Error> {
        if name == "@" {
            return self.head();
        }
        if let Some(id) = Id::parse(name.as_bytes()) {
            return Ok(Some(id));
        }
        if let Some((_, id)) = self.full_name(name)? {
            return Ok(Some(id));
        }
        let described = name.rsplit_once("-g").map_or(name, |(_, digits)| digits);
        self.abbreviated(described)
    }

    /// The reference that a short name stands for, and what it names.
    fn full_name(&self, name: &str) -> Result<Option<(String, Id)>, Error> {
        const PLACES: [(&str, &str); 6] = [
            ("", ""),
            ("refs/", ""),
            ("refs/tags/", ""),
            ("refs/heads/", ""),
            ("refs/remotes/", ""),
            ("refs/remotes/", "/HEAD"),
        ];
        for (before, after) in PLACES {
            let full = format!("{before}{name}{after}");
            // Other files of the repository are not references: `config`, `index`.
            let is_special = |letter: char| letter.is_ascii_uppercase() || letter == '_';
            if !full.starts_with("refs/") && !full.chars().all(is_special) {
                continue;
            }
            if let Some(id) = self.reference(&full)? {
                return Ok(Some((full, id)));
            }
        }
        Ok(None)
    }

    /// The only commit or tag whose id begins with these digits.
    fn abbreviated(&self, digits: &str) -> Result<Option<Id>, Error> {
        const SHA1_BYTES: usize = 20;
        let length = self.head()?.map_or(SHA1_BYTES, |id| id.length());
        let is_digit = |letter: char| letter.is_ascii_hexdigit();
        if digits.len() < MIN_DIGITS || digits.len() > 2 * length || !digits.chars().all(is_digit) {
            return Ok(None);
        }
        let digits = digits.to_ascii_lowercase();
        let mut commits = Vec::new();
        for id in self.store.beginning(&self.disk, &digits, length)? {
            let kind = self.store.object(&self.disk, &id)?.kind;
            if matches!(kind, ObjectKind::Commit | ObjectKind::Tag) {
                commits.push(id);
            }
        }
        match commits.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            _ => Err(Error::Unsupported {
                revision: digits,
                why: "several commits begin so; write more digits",
            }),
        }
    }

    /// What a reference named earlier, according to its log in this clone.
    fn logged(&self, name: &str, selector: &str, now: u64) -> Result<Logged, Error> {
        if let Some(number) = selector.strip_prefix('-') {
            let Ok(number @ 1..) = number.parse::<usize>() else { return Ok(Logged::Nothing) };
            return if name.is_empty() { self.left(number) } else { Ok(Logged::Nothing) };
        }
        let full = match name {
            // The branch that is checked out.
            "" => match self.value("HEAD")? {
                Some(crate::refs::RefTarget::Symbolic(branch)) => branch,
                _ => "HEAD".to_owned(),
            },
            "@" => "HEAD".to_owned(),
            name => match self.full_name(name)? {
                Some((full, _)) => full,
                None => return Ok(Logged::Nothing),
            },
        };
        let number = selector.parse::<usize>().ok();
        let Some(time) = number.map_or_else(|| moment(selector, now), |_| Some(0)) else {
            return Ok(Logged::Unsupported(
                "of `@{…}`, ifs knows `@{N}`, `@{-N}`, `@{yesterday}` and `@{N days ago}`",
            ));
        };
        let Some(log) = self.log(&full)? else {
            return Ok(Logged::Unsupported("the reference has no log that ifs can read"));
        };
        let entry = match number {
            Some(number) if number == log.len() => {
                log.first().map(|entry| entry.old).filter(|id| !id.is_null())
            }
            Some(number) => log.iter().rev().nth(number).map(|entry| entry.new),
            None => log.iter().rev().find(|entry| entry.time <= time).map(|entry| entry.new),
        };
        Ok(entry.map_or(Logged::Nothing, Logged::Commit))
    }

    /// The branch or commit that was checked out before the present one, and so on.
    fn left(&self, number: usize) -> Result<Logged, Error> {
        let Some(log) = self.log("HEAD")? else {
            return Ok(Logged::Unsupported("HEAD has no log that ifs can read"));
        };
        let mut names = log.iter().rev().filter_map(|entry| {
            let moved = entry.message.strip_prefix("checkout: moving from ")?;
            moved.split_once(" to ").map(|(from, _)| from)
        });
        let Some(name) = names.nth(number - 1) else { return Ok(Logged::Nothing) };
        Ok(self.named(name)?.map_or(Logged::Nothing, Logged::Commit))
    }
}

enum Logged {
    Commit(Id),
    Nothing,
    Unsupported(&'static str),
}

/// The time that `yesterday` or `2 days ago` means, which depends on no time zone.
fn moment(text: &str, now: u64) -> Option<u64> {
    const DAY: u64 = 24 * 60 * 60;
    let words: Vec<&str> = text.split([' ', '.']).filter(|word| !word.is_empty()).collect();
    let before = match words.as_slice() {
        ["now"] => 0,
        ["yesterday"] => DAY,
        [number, unit, "ago"] => {
            let unit = match unit.strip_suffix('s').unwrap_or(unit) {
                "second" => 1,
                "minute" => 60,
                "hour" => 60 * 60,
                "day" => DAY,
                "week" => 7 * DAY,
                _ => return None,
            };
            number.parse::<u64>().ok()?.checked_mul(unit)?
        }
        _ => return None,
    };
    Some(now.saturating_sub(before))
}
