//! Parses the program of a coder model; error messages help the model to correct it.

use super::{ExtractionProgram, MAX_PROGRAM_BYTES, MAX_STEPS, ProgramStep, StepTarget};
use crate::parts::{PartReader, TableColumn};
use ifs_predicate::tree::Pattern;

/// Why a program could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct BadProgram {
    /// The line, from 1.
    pub line: usize,
    pub message: String,
}

/// The steps with their arguments, as the prompt and the messages show them.
const STEP_FORMS: &[(&str, &str)] = &[
    ("after", "after \"text\" or after /regex/"),
    ("before", "before \"text\" or before /regex/"),
    ("between", "between \"text\" and \"text\""),
    ("bullets", "bullets"),
    ("code", "code"),
    ("drop", "drop \"text\" or drop /regex/"),
    ("find", "find /regex/"),
    ("first", "first 3"),
    ("json", "json \"path\""),
    ("keep", "keep \"text\" or keep /regex/"),
    ("label", "label \"text\""),
    ("last", "last 3"),
    ("lines", "lines"),
    ("numbered", "numbered"),
    ("paragraphs", "paragraphs"),
    ("quoted", "quoted"),
    ("section", "section \"text\""),
    ("sentences", "sentences"),
    ("skip", "skip 3"),
    ("span", "span"),
    ("split", "split \"text\" or split /regex/"),
    ("strip", "strip \"text\" or strip /regex/"),
    ("table", "table, table 2 or table \"column\""),
    ("whole", "whole"),
];

/// The program in a reply: the first fenced block; without one, the lines that begin with the word
/// of a step.
pub fn written_in(reply: &str) -> String {
    let mut fenced: Option<Vec<&str>> = None;
    for line in reply.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match &mut fenced {
            None if is_fence => fenced = Some(Vec::new()),
            Some(_) if is_fence => break,
            Some(lines) => lines.push(line),
            None => {}
        }
    }
    if let Some(lines) = fenced {
        return lines.join("\n");
    }
    let is_step = |line: &&str| {
        let word = line.split_whitespace().next().unwrap_or("");
        STEP_FORMS.iter().any(|(name, _)| *name == word)
    };
    let steps: Vec<&str> = reply.lines().map(str::trim).filter(is_step).collect();
    if steps.is_empty() { reply.to_owned() } else { steps.join("\n") }
}

/// Parses a program.
///
/// # Errors
/// Returns the first line that is not a step, and what to write instead.
pub fn parse(text: &str) -> Result<ExtractionProgram, BadProgram> {
    if text.len() > MAX_PROGRAM_BYTES {
        let message =
            format!("a program has at most {MAX_PROGRAM_BYTES} bytes, and this one {}", text.len());
        return Err(BadProgram { line: 1, message });
    }
    let mut steps = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |message| BadProgram { line: at + 1, message };
        if steps.len() == MAX_STEPS {
            return Err(bad(format!("a program has at most {MAX_STEPS} steps")));
        }
        steps.push(step(line).map_err(bad)?);
    }
    if steps.is_empty() {
        let message = "there is no step; write one to a line, for example `numbered`".to_owned();
        return Err(BadProgram { line: 1, message });
    }
    Ok(ExtractionProgram { steps })
}

fn step(line: &str) -> Result<ProgramStep, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let Some((_, written)) = STEP_FORMS.iter().find(|(name, _)| *name == word) else {
        let names: Vec<&str> = STEP_FORMS.iter().map(|(name, _)| *name).collect();
        let shown: String = word.chars().take(40).collect();
        return Err(format!("`{shown}` is not a step; the steps are {}", names.join(", ")));
    };
    let usage = |why: String| format!("{why}; write `{written}`");
    let mut arguments = StepText { rest: rest.trim() };
    let step = match word {
        "after" => ProgramStep::After(arguments.parse_target().map_err(usage)?),
        "before" => ProgramStep::Before(arguments.parse_target().map_err(usage)?),
        "split" => ProgramStep::Split(arguments.parse_target().map_err(usage)?),
        "keep" => ProgramStep::Keep(arguments.parse_target().map_err(usage)?),
        "drop" => ProgramStep::Drop(arguments.parse_target().map_err(usage)?),
        "strip" => ProgramStep::Strip(arguments.parse_target().map_err(usage)?),
        "find" => match arguments.parse_target().map_err(usage)? {
            StepTarget::Pattern(pattern) => ProgramStep::Find(pattern),
            StepTarget::Text(text) => {
                ProgramStep::Find(Pattern::new(regex_syntax::escape(&text), ""))
            }
        },
        "between" => {
            let open = arguments.text().map_err(usage)?;
            arguments.word("and");
            ProgramStep::Between(open, arguments.text().map_err(usage)?)
        }
        "first" => ProgramStep::First(arguments.number().map_err(usage)?),
        "last" => ProgramStep::Last(arguments.number().map_err(usage)?),
        "skip" => ProgramStep::Skip(arguments.number().map_err(usage)?),
        "span" => ProgramStep::Span,
        "section" => ProgramStep::Read(PartReader::Section(arguments.text().map_err(usage)?)),
        "label" => ProgramStep::Read(PartReader::Label(arguments.text().map_err(usage)?)),
        "json" if arguments.rest.is_empty() => ProgramStep::Read(PartReader::Json(String::new())),
        "json" => ProgramStep::Read(PartReader::Json(arguments.text().map_err(usage)?)),
        "table" if arguments.rest.is_empty() => ProgramStep::Read(PartReader::Table(None)),
        "table" if arguments.rest.starts_with('"') => ProgramStep::Read(PartReader::Table(Some(
            TableColumn::Name(arguments.text().map_err(usage)?),
        ))),
        "table" => {
            let number = arguments.number().map_err(usage)?.max(1);
            ProgramStep::Read(PartReader::Table(Some(TableColumn::Number(
                u32::try_from(number).unwrap_or(1),
            ))))
        }
        "lines" => ProgramStep::Read(PartReader::Lines),
        "paragraphs" => ProgramStep::Read(PartReader::Paragraphs),
        "sentences" => ProgramStep::Read(PartReader::Sentences),
        "numbered" => ProgramStep::Read(PartReader::Numbered),
        "bullets" => ProgramStep::Read(PartReader::Bullets),
        "quoted" => ProgramStep::Read(PartReader::Quoted),
        "code" => ProgramStep::Read(PartReader::Code),
        _ => ProgramStep::Read(PartReader::Whole),
    };
    if arguments.rest.is_empty() {
        Ok(step)
    } else {
        let shown: String = arguments.rest.chars().take(40).collect();
        Err(usage(format!("`{shown}` is too much here")))
    }
}

/// The text after the word of a step.
struct StepText<'l> {
    rest: &'l str,
}

impl StepText<'_> {
    fn word(&mut self, word: &str) {
        if let Some(rest) = self.rest.strip_prefix(word) {
            self.rest = rest.trim_start();
        }
    }

    fn number(&mut self) -> Result<usize, String> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &self.rest[..self.rest.len() - rest.len()];
        let number = digits.parse().map_err(|_| "a number is missing".to_owned())?;
        self.rest = rest.trim_start();
        Ok(number)
    }

    fn text(&mut self) -> Result<String, String> {
        match self.parse_target()? {
            StepTarget::Text(text) => Ok(text),
            StepTarget::Pattern(_) => {
                Err("a text in quotes is needed here, not a pattern".to_owned())
            }
        }
    }

    /// `"text"` with `\n`, `\t`, `\"` and `\\`, or `/regex/flags` with `\/`.
    fn parse_target(&mut self) -> Result<StepTarget, String> {
        let mut chars = self.rest.char_indices();
        let Some((_, quote @ ('"' | '/'))) = chars.next() else {
            return Err(
                "a text in double quotes or a pattern between slashes is missing".to_owned()
            );
        };
        let mut text = String::new();
        let mut end = None;
        while let Some((at, c)) = chars.next() {
            if c == quote {
                end = Some(at + 1);
                break;
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match (chars.next().map(|(_, c)| c), quote) {
                (Some('n'), '"') => text.push('\n'),
                (Some('t'), '"') => text.push('\t'),
                (Some(c), '"') => text.push(c),
                (Some('/'), _) => text.push('/'),
                (Some(c), _) => text.extend(['\\', c]),
                (None, _) => {}
            }
        }
        let Some(end) = end else { return Err(format!("a closing {quote} is missing")) };
        self.rest = self.rest[end..].trim_start();
        if text.is_empty() {
            return Err("there is nothing between the quotes".to_owned());
        }
        if quote == '"' {
            return Ok(StepTarget::Text(text));
        }
        let rest = self.rest.trim_start_matches(['i', 'm', 's']);
        let flags = self.rest[..self.rest.len() - rest.len()].to_owned();
        self.rest = rest.trim_start();
        match Pattern::new(text, flags).compiled() {
            Ok(pattern) => Ok(StepTarget::Pattern(pattern)),
            Err(regex::Error::CompiledTooBig(_)) => Err("this pattern is too large".to_owned()),
            Err(error) => {
                let error = error.to_string();
                let last = error.lines().last().unwrap_or("").trim_start_matches("error: ");
                Err(format!("this pattern cannot be read ({last})"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        parse(text).expect_err(text).to_string()
    }

    #[test]
    fn a_reply_with_prose_and_a_fence() {
        let reply =
            "Here is the program:\n\n```text\nafter \"Casual\"\nnumbered\n```\nIt cuts the list.";
        assert_eq!(written_in(reply), "after \"Casual\"\nnumbered");
        assert_eq!(
            written_in("I would write:\nafter \"Casual\"\n  numbered\nDone."),
            "after \"Casual\"\nnumbered"
        );
        assert_eq!(written_in("def extract(): pass"), "def extract(): pass");
        assert_eq!(written_in("```\nlines"), "lines");
    }

    #[test]
    fn mistakes_suggest_a_correction() {
        assert!(
            wrong("import re").starts_with("line 1: `import` is not a step; the steps are after,")
        );
        assert_eq!(
            wrong("lines\nafter Casual"),
            "line 2: a text in double quotes or a pattern between slashes is missing; write \
             `after \"text\" or after /regex/`"
        );
        assert_eq!(wrong("find /a"), "line 1: a closing / is missing; write `find /regex/`");
        assert!(wrong("find /(?=a)/").contains("cannot be read (look-around"));
        assert!(wrong("find /(\\pL{1000}){1000}/").contains("too large"));
        assert_eq!(wrong("first x"), "line 1: a number is missing; write `first 3`");
        assert_eq!(wrong("lines 3"), "line 1: `3` is too much here; write `lines`");
        assert!(wrong("").contains("there is no step"));
        assert!(
            wrong(&"lines\n".repeat(17)).starts_with("line 17: a program has at most 16 steps")
        );
        assert!(wrong(&"#".repeat(MAX_PROGRAM_BYTES + 1)).contains("at most 4000 bytes"));
    }

    #[test]
    fn texts_and_patterns() {
        let program = parse("# cut\nbetween \"a\\n\" and \"\\\"\"\nfind /a\\/b/i").unwrap();
        assert_eq!(program.steps[0], ProgramStep::Between("a\n".into(), "\"".into()));
        assert_eq!(program.steps[1], ProgramStep::Find(Pattern::new("a/b", "i")));
    }

    #[test]
    fn every_step_can_be_written_as_it_is_shown() {
        for (name, written) in STEP_FORMS {
            let first = written.split(" or ").next().unwrap().split(',').next().unwrap();
            assert!(parse(first).is_ok(), "{name}");
        }
        assert!(STEP_FORMS.is_sorted_by_key(|(name, _)| name));
    }
}
