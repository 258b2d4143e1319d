//! Chats over pictures from a table with a row for each turn, as MMMT-IF publishes its data: a
//! scenario with its bank and pictures.
//!
//! A row has the chat that it belongs to, the number of the turn and the prompt; and optionally the
//! instructions so far, the names of the chat's pictures, a right answer, and the topic of the
//! question. Instructions of the data are recognized, and scored by the released definitions in
//! `std.mmmt_as_released`; the user messages keep the words of the data. Chats without instructions
//! get the schedule of the paper (arXiv:2409.18216, section 2.1).

use std::collections::BTreeMap;

use serde::Serialize;

/// The maximum numbers of pictures and turns of a chat; the paper filters by both (appendix D.2).
pub const MAX_IMAGES: usize = 5;
pub const MAX_TURNS: usize = 20;

const MMMT_MODULE: &str = include_str!("../../../../scenarios/std/mmmt_as_released.ifs");
const ASKED_TEMPLATE: &str = include_str!("../../../../scenarios/mmmt/words/asked.j2");
const REPEATED_TEMPLATE: &str = include_str!("../../../../scenarios/mmmt/words/repeated.j2");
const BANK_PATH: &str = "banks/chats.jsonl";
/// The text before an instruction in a prompt.
const MARK: &str = "Instruction:";

/// The result of reading a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chats {
    pub chats: Vec<ImportedChat>,
    pub faults: Vec<ChatError>,
    /// The wording of each instruction in the data, by constraint.
    pub says: BTreeMap<&'static str, String>,
    /// Turns beyond the maximum of a chat, which are left out.
    pub cut: usize,
}

/// A chat, as a record of the bank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedChat {
    pub name: String,
    /// Names of files, or URLs.
    pub images: Vec<String>,
    pub turns: Vec<ImportedTurn>,
    #[serde(skip)]
    line: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedTurn {
    pub ask: String,
    /// The constraint that is given before the question; empty if there is none.
    pub instruction: String,
    pub answer: String,
    pub capability: String,
    pub topic: String,
}

/// A mistake at a position in the table. Its chat is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatError {
    pub line: u64,
    /// The column by its name.
    pub column: String,
    pub chat: String,
    pub what: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ChatsError {
    #[error("line {line}: {why}")]
    NoTable { line: u64, why: String },
    #[error(
        "line 1: no column is known to hold {what}: name it with `--column {role}=NAME`; the columns are {found}"
    )]
    NoColumn { role: &'static str, what: &'static str, found: String },
    #[error("line 1: the table has no column `{column}`; its columns are {found}")]
    NotThere { column: String, found: String },
    #[error("a column cannot hold `{role}`: expected one of {roles}")]
    NoRole { role: String, roles: String },
    #[error("the table has no rows")]
    Empty,
}

/// The role of a column: its description, its usual names (letters and digits in lower case), and
/// whether it is required.
struct ColumnRole {
    name: &'static str,
    what: &'static str,
    called: &'static [&'static str],
    needed: bool,
}

const fn role(
    name: &'static str,
    what: &'static str,
    called: &'static [&'static str],
    needed: bool,
) -> ColumnRole {
    ColumnRole { name, what, called, needed }
}

const CHAT: ColumnRole = role(
    "chat",
    "the chat",
    &["chat", "chatid", "conversationid", "conversation", "dialogue", "id"],
    true,
);
const TURN: ColumnRole =
    role("turn", "the number of the turn", &["turn", "turnnumber", "turnid"], true);
const PROMPT: ColumnRole =
    role("prompt", "the prompt", &["prompt", "question", "usermessage", "ask"], true);
const INSTRUCTIONS: ColumnRole = role(
    "instructions",
    "the instructions so far",
    &["allinstructions", "instructions", "instruction"],
    false,
);
const ANSWER: ColumnRole = role(
    "answer",
    "a right answer",
    &["answer", "reference", "referenceanswer", "rewrittenanswer"],
    false,
);
const CAPABILITY: ColumnRole = role(
    "capability",
    "what the question asks of a model",
    &["capability", "llmcapability", "questioncapability"],
    false,
);
const TOPIC: ColumnRole = role("topic", "the topic", &["topic", "questiontopic"], false);
/// There may be several, `image1` to `image5`.
const IMAGE: ColumnRole = role("image", "a picture", &["image", "picture"], false);

const ROLES: [&ColumnRole; 8] =
    [&CHAT, &TURN, &PROMPT, &INSTRUCTIONS, &IMAGE, &ANSWER, &CAPABILITY, &TOPIC];

/// The columns of roles that are not recognized by name.
pub type ColumnRoles = [(String, String)];

/// The column numbers of the roles.
struct ColumnNumbers {
    names: Vec<String>,
    chat: usize,
    turn: usize,
    prompt: usize,
    instructions: Option<usize>,
    images: Vec<usize>,
    answer: Option<usize>,
    capability: Option<usize>,
    topic: Option<usize>,
}

impl ColumnNumbers {
    fn find(names: Vec<String>, named: &ColumnRoles) -> Result<ColumnNumbers, ChatsError> {
        let listed = || {
            let found: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            found.join(", ")
        };
        for (role, column) in named {
            if !ROLES.iter().any(|known| known.name == role) {
                let roles = ROLES.map(|role| format!("`{}`", role.name)).join(", ");
                return Err(ChatsError::NoRole { role: role.clone(), roles });
            }
            if !names.contains(column) {
                let (column, found) = (column.clone(), listed());
                return Err(ChatsError::NotThere { column, found });
            }
        }
        let bare = |name: &String| -> String {
            name.chars()
                .filter(|sign| sign.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        let bares: Vec<String> = names.iter().map(bare).collect();
        let by_name = |role: &ColumnRole| -> Vec<usize> {
            let columns = named.iter().filter(|(name, _)| name == role.name);
            columns.filter_map(|(_, column)| names.iter().position(|name| name == column)).collect()
        };
        let find = |role: &ColumnRole| -> Result<Option<usize>, ChatsError> {
            let called =
                || role.called.iter().find_map(|known| bares.iter().position(|it| it == known));
            match by_name(role).first().copied().or_else(called) {
                None if role.needed => {
                    Err(ChatsError::NoColumn { role: role.name, what: role.what, found: listed() })
                }
                at => Ok(at),
            }
        };
        let needed = |role: &ColumnRole| find(role).map(|at| at.unwrap_or_default());
        let mut images = by_name(&IMAGE);
        if images.is_empty() {
            images.extend((0..bares.len()).filter(|at| {
                let number = IMAGE.called.iter().find_map(|name| bares[*at].strip_prefix(name));
                number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
            }));
        }
        Ok(ColumnNumbers {
            chat: needed(&CHAT)?,
            turn: needed(&TURN)?,
            prompt: needed(&PROMPT)?,
            instructions: find(&INSTRUCTIONS)?,
            images,
            answer: find(&ANSWER)?,
            capability: find(&CAPABILITY)?,
            topic: find(&TOPIC)?,
            names,
        })
    }

    fn name(&self, at: usize) -> String {
        self.names.get(at).cloned().unwrap_or_default()
    }
}

/// The source of pictures.
pub trait PictureSource {
    /// What is wrong with a picture, by its name.
    ///
    /// # Errors
    /// Returns an error if it cannot be read or sent.
    fn check_picture(&mut self, name: &str) -> Result<(), String>;

    /// The names of the pictures of a chat whose rows name none.
    fn of_chat(&mut self, chat: &str) -> Vec<String>;
}

/// Reads a table. Columns that are not in `named` are recognized by name.
///
/// # Errors
///
/// Returns an error if the text is not a table, if it has no column for the chat, the turn or the
/// prompt, or if a named column is missing.
pub fn read(
    text: &str,
    named: &ColumnRoles,
    pictures: &mut dyn PictureSource,
) -> Result<Chats, ChatsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let no_table = |error: &csv::Error| ChatsError::NoTable {
        line: error.position().map_or(1, csv::Position::line),
        why: match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("it has {len} fields, and the first line has {expected_len}")
            }
            _ => error.to_string(),
        },
    };
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| no_table(&error))?;
    let names = names.iter().map(|name| name.trim().to_owned()).collect();
    let columns = ColumnNumbers::find(names, named)?;
    let mut chats = Chats::default();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    // The instructions of each chat so far, in their wording.
    let mut given: Vec<Vec<String>> = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| no_table(&error))?;
        let line = row.position().map_or(0, csv::Position::line);
        let field = |at: usize| row.get(at).unwrap_or_default().trim().to_owned();
        let optional = |at: Option<usize>| at.map(field).unwrap_or_default();
        let name = field(columns.chat);
        let number = *at.entry(name.clone()).or_insert_with(|| {
            chats.chats.push(ImportedChat { name: name.clone(), line, ..ImportedChat::default() });
            given.push(Vec::new());
            chats.chats.len() - 1
        });
        let mut faults: Vec<(usize, String)> = Vec::new();
        if name.is_empty() {
            faults.push((columns.chat, "the chat has no name".to_owned()));
        }
        let chat = &mut chats.chats[number];
        let expected = chat.turns.len() + 1;
        if field(columns.turn).parse() != Ok(expected) {
            let found = field(columns.turn);
            faults.push((columns.turn, format!("expected turn {expected}, found `{found}`")));
        }
        for column in &columns.images {
            let image = field(*column);
            if image.is_empty() || chat.images.contains(&image) {
                continue;
            }
            if let Err(why) = pictures.check_picture(&image) {
                faults.push((*column, format!("picture `{image}`: {why}")));
            }
            chat.images.push(image);
            if chat.images.len() == MAX_IMAGES + 1 {
                let what = format!("a chat has at most {MAX_IMAGES} pictures, and this is another");
                faults.push((*column, what));
            }
        }
        let (ask, in_prompt) = without_instructions(&field(columns.prompt));
        if ask.is_empty() {
            faults.push((columns.prompt, "the prompt asks nothing".to_owned()));
        }
        let (listed, from) = match columns.instructions {
            Some(at) => (instructions(&field(at)), at),
            None => (in_prompt.clone(), columns.prompt),
        };
        let known = &mut given[number];
        let fresh: Vec<String> =
            listed.into_iter().chain(in_prompt).fold(Vec::new(), |mut all, one| {
                if !known.contains(&one) && !all.contains(&one) {
                    all.push(one);
                }
                all
            });
        let mut instruction = "";
        for text in fresh {
            match recognised(&text) {
                _ if !instruction.is_empty() => {
                    let what = format!("a turn gives one instruction, and `{text}` is another");
                    faults.push((from, what));
                }
                None => faults.push((
                    from,
                    format!(
                        "`{text}` is none of MMMT-IF's 13 instructions (arXiv:2409.18216, table 5)"
                    ),
                )),
                Some(found) => {
                    instruction = found;
                    chats.says.entry(found).or_insert_with(|| text.clone());
                }
            }
            known.push(text);
        }
        if chat.turns.len() < MAX_TURNS {
            chat.turns.push(ImportedTurn {
                ask,
                instruction: instruction.to_owned(),
                answer: optional(columns.answer),
                capability: optional(columns.capability),
                topic: optional(columns.topic),
            });
        } else {
            // Turns beyond the maximum are left out, whatever they contain.
            chats.cut += 1;
            continue;
        }
        chats.faults.extend(faults.into_iter().map(|(column, what)| ChatError {
            line,
            column: columns.name(column),
            chat: name.clone(),
            what,
        }));
    }
    let column = columns.images.first().map_or_else(|| "image1".to_owned(), |at| columns.name(*at));
    for chat in chats.chats.iter_mut().filter(|chat| chat.images.is_empty()) {
        let mut fault = |what: String| {
            let (line, column, chat) = (chat.line, column.clone(), chat.name.clone());
            chats.faults.push(ChatError { line, column, chat, what });
        };
        let images = pictures.of_chat(&chat.name);
        if images.is_empty() {
            fault("the chat has no picture".to_owned());
        }
        if images.len() > MAX_IMAGES {
            fault(format!(
                "a chat has at most {MAX_IMAGES} pictures, and there are {}",
                images.len()
            ));
        }
        for image in &images {
            if let Err(why) = pictures.check_picture(image) {
                fault(format!("picture `{image}`: {why}"));
            }
        }
        chat.images = images;
    }
    if chats.chats.is_empty() {
        return Err(ChatsError::Empty);
    }
    chats.faults.sort_by_key(|fault| fault.line);
    Ok(chats)
}

impl Chats {
    /// Leaves out the chats with faults.
    pub fn leave_out(&mut self) {
        let faults = &self.faults;
        self.chats.retain(|chat| !faults.iter().any(|fault| fault.chat == chat.name));
    }

    /// Whether the data has instructions.
    #[must_use]
    pub fn instructs(&self) -> bool {
        !self.says.is_empty()
    }
}

/// A prompt without its instructions, and the instructions.
fn without_instructions(prompt: &str) -> (String, Vec<String>) {
    let mut found = Vec::new();
    let mut ask = String::new();
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once(MARK) {
        ask.push_str(before);
        let end = end_of_sentence(after);
        found.push(single_blanks_without_separators(&after[..end]));
        rest = &after[end..];
    }
    ask.push_str(rest);
    (ask.trim().to_owned(), found)
}

/// The instructions of a text, each after the mark.
fn instructions(text: &str) -> Vec<String> {
    let all = text.split(MARK).map(single_blanks_without_separators).filter(|one| !one.is_empty());
    all.collect()
}

/// The end of a sentence: a full stop before a blank or the end, or the end of the line.
fn end_of_sentence(text: &str) -> usize {
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let ends = signs.peek().is_none_or(|(_, next)| next.is_whitespace());
        match sign {
            '.' if ends => return at + 1,
            '\n' if !text[..at].trim().is_empty() => return at,
            _ => {}
        }
    }
    text.len()
}

/// With single blanks, without the separators that lists put after an instruction.
fn single_blanks_without_separators(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_end_matches([',', ';', '|', ' ']).trim_matches(['[', ']']).trim().to_owned()
}

/// Recognizes which of the 13 instructions a sentence is.
fn recognised(text: &str) -> Option<&'static str> {
    const INSTRUCTION_MARKERS: [(&str, &[&str], &[&str]); 13] = [
        ("sentence_start.with_s", &["start", "(s)"], &[]),
        ("sentence_start.with_b", &["start", "(b)"], &[]),
        ("sentence_end.question_mark", &["end", "question mark"], &[]),
        ("sentence_end.exclamation_mark", &["end", "exclamation mark"], &[]),
        ("favorite_word.like", &["word", "'like'"], &[]),
        ("favorite_word.itself", &["word", "'itself'"], &[]),
        ("favorite_word.per_se", &["word", "'per se'"], &[]),
        ("sentence_length.short", &["18 words"], &["at least", "or more"]),
        ("sentence_length.long", &["18 words"], &["at most", "no more", "or fewer"]),
        ("include_number.even", &["even number", "5"], &[]),
        ("include_number.odd", &["odd number", "5"], &[]),
        ("response_length.short", &["4 sentences"], &["at least"]),
        ("response_length.long", &["5 sentences"], &["at most", "no more"]),
    ];
    let text = text.to_lowercase().replace(['"', '‘', '’', '“', '”'], "'");
    let is = |(_, has, lacks): &&(&str, &[&str], &[&str])| {
        has.iter().all(|one| text.contains(one)) && !lacks.iter().any(|one| text.contains(one))
    };
    INSTRUCTION_MARKERS.iter().find(is).map(|(name, ..)| *name)
}

/// The files of the scenario by name; pictures are put next to them as `images/NAME`.
#[must_use]
pub fn files(chats: &Chats) -> BTreeMap<&'static str, String> {
    let mut bank = String::new();
    for chat in &chats.chats {
        let mut chat = chat.clone();
        for image in &mut chat.images {
            if !ifs_parts::image::is_address(image) {
                *image = format!("../images/{image}");
            }
        }
        // Serializing texts and lists to memory cannot fail.
        bank.push_str(&serde_json::to_string(&chat).unwrap_or_default());
        bank.push('\n');
    }
    let mut files = BTreeMap::from([
        ("published.ifs", scenario(chats)),
        (BANK_PATH, bank),
        ("words/asked.j2", ASKED_TEMPLATE.to_owned()),
        ("words/repeated.j2", REPEATED_TEMPLATE.to_owned()),
    ]);
    if chats.instructs() {
        files.insert("instructions.ifs", module(chats));
    }
    files
}

/// The module with the released definitions that reproduce the published verdicts, each instruction
/// in the words of the data.
fn module(chats: &Chats) -> String {
    let mut text = MMMT_MODULE.to_owned();
    for (name, says) in &chats.says {
        let Some((group, constraint)) = name.split_once('.') else { continue };
        let place = text.find(&format!("group {group} {{")).and_then(|group| {
            let at = group + text[group..].find(&format!("constraint {constraint} {{"))?;
            let from = at + text[at..].find("    say ")?;
            Some(from..from + text[from..].find("\n    withdraw ")?)
        });
        if let Some(place) = place {
            text.replace_range(place, &format!("    say      \"{}\"", quoted(says)));
        }
    }
    text
}

/// Quotes a text for the language, where braces mark templates.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace("{{", "{ {").replace("{%", "{ %")
}

fn scenario(chats: &Chats) -> String {
    let imposes: String = match chats.instructs() {
        true => {
            let one = |name: &&str| {
                format!(
                    "      for one in [question.member] where it.instruction == \"{name}\" {{\n        \
                     impose instructions.{name} scope dialogue\n      }}\n"
                )
            };
            chats.says.keys().map(one).collect()
        }
        false => String::new(),
    };
    let (uses, schedule) = match chats.instructs() {
        true => ("import instructions \"instructions.ifs\"\n", ""),
        false => (
            "use std.mmmt.*\n",
            "  impose 1 new group scope dialogue with probability 1 - given / groups\n",
        ),
    };
    format!(
        "ifs 1\n\n/// Chats over pictures, one dialogue each. Made by `ifs import chats`.\n\
         benchmark chats {{\n  title   \"Chats over pictures\"\n  version \"1.0.0\"\n}}\n\n{uses}\
         import chats \"{BANK_PATH}\" {{\n  name: text\n  images: list of image\n  \
         turns: list of {{ ask: text, instruction: text, answer: text, capability: text, topic: text }}\n\
         }}\n\ndialogue published over chats as chat {{\n{schedule}  templates from \"words\"\n  \
         report PIF, PIF_as_released, PIF_N_1, PIF_N_N\n  sample 4\n\n  \
         for question in numbered(chat.turns) {{\n    turn {{\n      \
         for picture in chat.images where question.number == 1 {{\n        show [picture]\n      }}\n      \
         for one in [question.member] where it.capability != \"\" {{\n        \
         class \"capability: {{{{ one.capability }}}}\"\n      }}\n      \
         for one in [question.member] where it.topic != \"\" {{\n        \
         class \"topic: {{{{ one.topic }}}}\"\n      }}\n      \
         ask    question.member.ask\n      answer \"{{{{ question.member.answer }}}}\"\n{imposes}    }}\n  }}\n\n  \
         variant reminded {{\n    repeat instructions at end\n  }}\n}}\n\n\
         release {{\n  {} of published\n}}\n",
        match chats.chats.len() {
            1 => "1 dialogue".to_owned(),
            more => format!("{more} dialogues"),
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name that ends in `.png` is a picture.
    struct PngImages;

    impl PictureSource for PngImages {
        fn check_picture(&mut self, name: &str) -> Result<(), String> {
            if name.ends_with(".png") { Ok(()) } else { Err("it is not a picture".to_owned()) }
        }

        fn of_chat(&mut self, _chat: &str) -> Vec<String> {
            Vec::new()
        }
    }

    fn of(text: &str) -> Chats {
        read(text, &[], &mut PngImages).unwrap()
    }

    #[test]
    fn instructions_differ_from_questions() {
        let (ask, found) = without_instructions(
            "Instruction: End every sentence with a question mark (?). What is it? Instruction: Use 'like'.",
        );
        assert_eq!(ask, "What is it?");
        assert_eq!(found, ["End every sentence with a question mark (?).", "Use 'like'."]);
        let names: Vec<_> = [
            "Make all the following responses no more than 4 sentences.",
            "Make all the following responses at least 5 sentences.",
            "Start every sentence with the letter (S).",
            "Only use responses to questions where each sentence in the response is at most 18 words.",
            "Include at least one odd number in the range bigger than 5 in each of your responses.",
            "Use the word \"per se\" at least once in all future responses.",
            "Be kind.",
        ]
        .into_iter()
        .map(recognised)
        .collect();
        assert_eq!(
            names,
            [
                Some("response_length.short"),
                Some("response_length.long"),
                Some("sentence_start.with_s"),
                Some("sentence_length.short"),
                Some("include_number.odd"),
                Some("favorite_word.per_se"),
                None
            ]
        );
    }

    #[test]
    fn chats_beyond_the_papers_limits() {
        let mut text = "chat,turn,prompt,image1,image2,image3,image4,image5,image6\n".to_owned();
        for turn in 1..=22 {
            text.push_str(&format!("a,{turn},Q{turn}?,1.png,2.png,,,,\n"));
        }
        text.push_str("b,1,Q?,1.png,2.png,3.png,4.png,5.png,6.png\n");
        let found = of(&text);
        assert_eq!((found.chats[0].turns.len(), found.cut), (20, 2));
        let [fault] = found.faults.as_slice() else { panic!("{:?}", found.faults) };
        assert_eq!((fault.line, fault.column.as_str()), (24, "image6"));
    }
}
