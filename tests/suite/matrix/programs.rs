//! Programs of each form with a statement at a place.

use ifs::syntax::statement::StatementPlace;

use super::examples::Example;

/// The forms that a statement is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A flow of topics.
    Topics,
    /// A named flow.
    Flow,
    /// Turns written out.
    Written,
    /// Turns in a `for` loop.
    Loop,
    /// Turns in a branch, which is taken.
    Branch,
    /// A written turn, and a flow of topics after it.
    Mixed,
}

impl Base {
    /// Whether a form has such a block.
    pub fn has(self, place: StatementPlace) -> bool {
        if self == Base::Branch {
            return place == StatementPlace::Branch;
        }
        match place {
            StatementPlace::Branch => false,
            StatementPlace::Dialogue | StatementPlace::Variant => true,
            StatementPlace::Loop => self == Base::Loop,
            StatementPlace::Flow => self == Base::Flow,
            StatementPlace::Topics => matches!(self, Base::Topics | Base::Mixed),
            StatementPlace::Turn | StatementPlace::TurnLoop => true,
        }
    }
}

pub struct Program {
    pub files: Vec<(&'static str, String)>,
    pub variant: Option<&'static str>,
    /// The inserted line.
    pub write: String,
}

impl Program {
    pub fn text(&self) -> &str {
        self.files.iter().find(|(name, _)| *name == "main.ifs").map_or("", |(_, text)| text)
    }
}

const HEAD: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
import styles "styles.jsonl" { name: text  voice: text }
import people "people.jsonl" { name: text }
import others "others.jsonl" { name: text }
tags kind { marked }
constraint plain { say "Be PLAIN." check contains("ok") tag marked }
constraint other { say "Be OTHER." check contains("ok") }
constraint styled { say "Write for {{ style.name }}." check contains("ok") }
constraint brief { say "Be brief." check count(word) <= 5 }
constraint fitting { say "FITS." check contains("ok") }
group wide_a { constraint long { say "Long." weight 1000 check count(word) >= 9 }
  constraint fine { say "Fine." check contains("ok") } }
group wide_b { constraint long { say "Long." weight 1000 check count(word) >= 9 }
  constraint fine { say "Fine." check contains("ok") } }
group wide_c { constraint long { say "Long." weight 1000 check count(word) >= 9 }
  constraint fine { say "Fine." check contains("ok") } }
group wide_d { constraint long { say "Long." weight 1000 check count(word) >= 9 }
  constraint fine { say "Fine." check contains("ok") } }
group tricky { constraint marks { say "Marks." weight 100 check matches(/^[!-.]{3}$/) }
  constraint words { say "SOLVED." check contains("ok") } }
group published { constraint marked(n: int) { say "N {{ n }}." check contains("ok") alias "data:marked" } }
constraint short { say "SHORT." check count(word) <= 5 }
constraint long { say "LONG." check count(word) >= 50 }
constraint judged { say "Be good." judge "Is it MARKQ?" }
flow marked { turn g1 { ask "MARKFLOW." answer "GOLDEN." } }
"#;

const FILES: &[(&str, &str)] = &[
    (
        "topics.jsonl",
        r#"{"name": "TIDES", "request": "About TIDES?"}
{"name": "bread", "request": "About bread?"}
{"name": "leaves", "request": "About leaves?"}
{"name": "stones", "request": "About stones?"}
"#,
    ),
    (
        "styles.jsonl",
        "{\"name\": \"ODD\", \"voice\": \"terse\"}\n{\"name\": \"even\", \"voice\": \"plain\"}\n",
    ),
    ("people.jsonl", "{\"name\": \"ADA\"}\n"),
    ("others.jsonl", "{\"name\": \"BOB\"}\n"),
    ("words/open.j2", "MARKASK {{ topic.request }} {% include \"changes.j2\" %}\n"),
    ("words/asked.j2", "MARKASK {{ ask }} {% include \"changes.j2\" %}\n"),
    ("judge.j2", "MARKLIST\n{% for one in questions %}{{ one }}\n{% endfor %}\n"),
];

/// Lines of a block with an inserted one, which replaces those with the same keyword if that may
/// occur once.
fn block(lines: &[&str], write: &str, once: bool) -> String {
    let word = |line: &str| line.split_whitespace().next().unwrap_or("").to_owned();
    let mut all = String::new();
    let new: Vec<String> = write.lines().map(word).collect();
    for line in lines {
        if !(once && new.contains(&word(line))) {
            all += &format!("  {line}\n");
        }
    }
    // Before the turns, which see the names bound before them.
    write.lines().map(|line| format!("  {line}\n")).collect::<String>() + &all
}

/// The program of a form with an example at a place, or without it.
pub fn program(base: Base, place: StatementPlace, example: &Example, with: bool) -> Program {
    let write = match with {
        true => example.write.clone(),
        false => String::new(),
    };
    let at = |wanted: StatementPlace| if place == wanted { write.as_str() } else { "" };
    let beside = match (with, place) {
        (true, _) => &example.with,
        (false, _) => &example.without,
    };
    // What is next to a statement of a variant is in the variant too.
    let (of_dialogue, of_variant) = match (place, with) {
        (StatementPlace::Variant, true) => ("", beside.as_str()),
        _ => (beside.as_str(), ""),
    };
    let around = &example.around;
    let in_loop = match at(StatementPlace::TurnLoop) {
        "" => String::new(),
        write => format!("for m in [1] {{ {write} }}"),
    };
    let turn = |name: &str, ask: &str, first: bool| {
        let own = if first { at(StatementPlace::Turn) } else { "" };
        let body = if first { format!("{}\n{in_loop}", example.body) } else { String::new() };
        let mut lines = vec![format!("ask \"{ask}\""), "answer \"GOLDEN.\"".to_owned()];
        // A turn that is given has no golden answer.
        let of_own = |word: &str| {
            own.lines()
                .any(|line| line.starts_with(word) || word == "answer" && line.starts_with("reply"))
        };
        lines.retain(|line| !of_own(line.split(' ').next().unwrap_or("")));
        if name.is_empty() {
            // Of a flow of topics, whose turns ask what the topic says.
            lines.retain(|line| !line.starts_with("ask"));
        }
        format!("turn {name} {{ {}\n{body}\n{own} }}", lines.join("\n"))
    };
    let turns = format!(
        "{}\n{}\n{}",
        turn("one", "First.", true),
        turn("two", "Second.", false),
        turn("three", "Third.", false)
    );
    let of_moves = turn("", "", base == Base::Topics);
    let inner =
        block(&["switch 100% { new }", &of_moves], at(StatementPlace::Topics), example.replaces);
    let flow = format!("flow {{\n{inner}}}");
    let topic = "topic from topics where it.name != \"TIDES\"";
    let mut named = String::new();
    let lines: Vec<String> = match base {
        Base::Topics => vec![topic.into(), flow, "end when turns >= 3".into()],
        Base::Mixed => {
            vec![topic.into(), turn("one", "First.", true), flow, "end when turns >= 4".into()]
        }
        Base::Flow => {
            named = format!("flow f {{\n{turns}\n{} }}\n", at(StatementPlace::Flow));
            vec!["flow f".into()]
        }
        Base::Written => vec![turns],
        Base::Branch => {
            let body = turn("one", "Branch.", true);
            vec![
                "turn lead { ask \"Lead.\" observe led contains(\"zzz\") }".into(),
                format!("when not led {{ {}\n{body} }}", at(StatementPlace::Branch)),
            ]
        }
        Base::Loop => {
            let body = turn("one", "Round {{ n }}.", true);
            vec![format!("for n in [1, 2, 3] {{ {}\n{body} }}", at(StatementPlace::Loop))]
        }
    };
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let own = at(StatementPlace::Dialogue);
    let mut written = block(&lines, &format!("{own}\n{of_dialogue}\n{around}"), example.replaces);
    let variant = place == StatementPlace::Variant && with;
    if variant {
        written += &format!("  variant v {{\n{write}\n{of_variant}\n}}\n");
    }
    let over = match (example.over, with) {
        (Some(over), true) => over,
        (_, _) => example.over_without.unwrap_or(""),
    };
    let main = format!("{HEAD}{named}dialogue d {over} {{\n{written}}}\n");
    let mut files = vec![("main.ifs", main)];
    files.extend(FILES.iter().map(|(name, text)| (*name, (*text).to_owned())));
    let chosen = variant || with && example.as_variant;
    Program { files, variant: chosen.then_some("v"), write: format!("{}\n{}", example.write, over) }
}
