//! `ifs new --domain`: the files of a complete domain.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::load;
use super::output::Output;
use ifs_base::diagnostic::{Diagnostics, render};
use ifs_base::source::FileId;
use ifs_base::world::{MemoryWorld, read_text};
use ifs_judge::testing::run_tests;
use ifs_model::check;
use ifs_predicate::value::Value;
use ifs_syntax as syntax;

/// The parts of a new domain. A terminal prompts for those that are not given; elsewhere they have
/// their defaults.
#[derive(Debug, clap::Args)]
pub(crate) struct DomainOptions {
    /// Title of the domain; its name by default
    #[arg(long, requires = "domain")]
    title: Option<String>,
    /// Language of users and constraints; en by default
    #[arg(long, value_enum, requires = "domain")]
    language: Option<Language>,
    /// Bank of topics (CSV, TSV, JSONL, JSON, YAML) with name and request, and optionally
    /// keywords, angles and hidden; five examples by default
    #[arg(long, value_name = "FILE", requires = "domain")]
    topics: Option<PathBuf>,
    /// Groups of constraints, separated by commas; all by default
    #[arg(long, value_delimiter = ',', requires = "domain")]
    groups: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    En,
    De,
}

const ENGLISH_SCENARIO: &str = include_str!("../../../templates/new/domain_en.ifs");
const GERMAN_SCENARIO: &str = include_str!("../../../templates/new/domain_de.ifs");
const README: &str = include_str!("../../../templates/new/README.md");
/// The groups of `std.german` that a new domain has, and the one that is its own.
const GERMAN_GROUPS: [&str; 12] = [
    "laenge",
    "anrede",
    "person",
    "anfang",
    "schluss",
    "satzbau",
    "zahlen",
    "zeichen",
    "wortwahl",
    "gliederung",
    "ton",
    "hinweis",
];
/// How a group begins in the English template.
const MARK: &str = "//# ";
/// Every fourth topic is hidden where the bank does not say which are.
const HIDDEN_INTERVAL: usize = 4;
/// The longest bank that is read.
const MAX_BANK_BYTES: u64 = 64 << 20;

/// The files of a domain, by their paths in its folder.
pub(crate) fn files(
    name: &str,
    wanted: DomainOptions,
    output: &mut Output,
) -> Result<Vec<(String, String)>, CommandError> {
    let asked = prompt_for(output, wanted.title.is_some(), "Title", name);
    let title = wanted.title.or(asked).unwrap_or_else(|| name.to_owned());
    let title = title.replace(['"', '\\', '{', '}', '\n'], " ");
    let asked = prompt_for(output, wanted.language.is_some(), "Language (en, de)", "en");
    let language = match (wanted.language, asked.as_deref()) {
        (Some(language), _) => language,
        (None, None | Some("en")) => Language::En,
        (None, Some("de")) => Language::De,
        (None, Some(other)) => {
            return Err(CommandError::usage(format!("`{other}` is not a language of `ifs new`"))
                .help("write `en` or `de`"));
        }
    };
    let asked = prompt_for(output, wanted.topics.is_some(), "File with topics", "five examples");
    let topics = match wanted.topics.or(asked.map(PathBuf::from)) {
        Some(path) => read_topics(&path, output)?,
        None => examples(language),
    };
    let known = groups_of(language);
    let asked =
        prompt_for(output, wanted.groups.is_some(), "Groups of constraints", &known.join(","));
    let asked = asked.map(|line| line.split(',').map(|name| name.trim().to_owned()).collect());
    let groups: Vec<String> = wanted
        .groups
        .or(asked)
        .unwrap_or_else(|| known.iter().map(|name| (*name).to_owned()).collect());
    if let Some(other) = groups.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(CommandError::usage(format!("there is no group `{other}` for a new domain"))
            .help(format!("choose from {}", known.join(", "))));
    }
    if groups.len() < 2 {
        return Err(CommandError::usage("a new domain needs two groups or more")
            .help(format!("choose from {}", known.join(", "))));
    }
    let hidden = topics.iter().filter(|topic| topic["hidden"] == true).count();
    let count = (topics.len() * 2).clamp(20, 200).to_string();
    let fill = |text: &str| {
        let words = match language {
            Language::De => {
                "| `words/` | templates and phrases of the user messages, in German |\n"
            }
            Language::En => "",
        };
        text.replace("TITLE", &title)
            .replace("GROUPS", &groups.join(", "))
            .replace("COUNT", &count)
            .replace("MOST", &groups.len().min(4).to_string())
            .replace("TOPICS", &topics.len().to_string())
            .replace("HIDDEN", &hidden.to_string())
            .replace("WORDS\n", &format!("{words}\n"))
            .replace("NAME", name)
    };
    let lines: Vec<String> = topics.iter().map(|topic| format!("{topic}\n")).collect();
    let mut files = vec![
        ("README.md".to_owned(), fill(README)),
        ("banks/topics.jsonl".to_owned(), lines.concat()),
    ];
    let scenario = match language {
        Language::En => {
            files.push(("banks/users.jsonl".to_owned(), ENGLISH_USERS.to_owned()));
            english(&groups)
        }
        Language::De => {
            files.push(("banks/users.jsonl".to_owned(), GERMAN_USERS.to_owned()));
            for (path, text) in GERMAN_TEMPLATES {
                let text = text.replace("topic.dativ", "(\"„\" ~ topic.name ~ \"“\")");
                files.push((format!("words/{path}"), text));
            }
            german(&groups)
        }
    };
    let text = fill(&scenario);
    let ast = syntax::parse(FileId(0), &text, &mut Diagnostics::default());
    files.push((format!("{name}.ifs"), syntax::format(&ast, &text)));
    Ok(files)
}

/// Asks at the terminal for a value that was not given.
fn prompt_for(output: &mut Output, given: bool, question: &str, default: &str) -> Option<String> {
    if given || !std::io::stdin().is_terminal() || !output.has_terminal() {
        return None;
    }
    output.print(&format!("{question} [{default}] "));
    output.flush();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).ok()?;
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

const ENGLISH_USERS: &str = include_str!("../../../templates/new/users_en.jsonl");
const GERMAN_USERS: &str = include_str!("../../../templates/new/users_de.jsonl");
/// The words of the German scenario.
const GERMAN_TEMPLATES: [(&str, &str); 5] = [
    ("open.j2", include_str!("../../../scenarios/schreibstube/words/open.j2")),
    ("continue.j2", include_str!("../../../scenarios/schreibstube/words/continue.j2")),
    ("return.j2", include_str!("../../../scenarios/schreibstube/words/return.j2")),
    ("changes.j2", include_str!("../../../scenarios/schreibstube/words/changes.j2")),
    ("voices.yaml", include_str!("../../../scenarios/schreibstube/words/voices.yaml")),
];

fn groups_of(language: Language) -> Vec<&'static str> {
    match language {
        Language::En => ENGLISH_SCENARIO
            .lines()
            .filter_map(|line| line.strip_prefix(MARK))
            .filter(|name| *name != "end")
            .collect(),
        Language::De => GERMAN_GROUPS.to_vec(),
    }
}

/// The English template with some of its groups.
fn english(groups: &[String]) -> String {
    let mut kept = true;
    let mut text = String::new();
    for line in ENGLISH_SCENARIO.lines() {
        if let Some(name) = line.strip_prefix(MARK) {
            kept = name == "end" || groups.iter().any(|group| group == name);
            continue;
        }
        if kept {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The German template; the others of its groups are in the library.
fn german(groups: &[String]) -> String {
    match groups.iter().any(|group| group == "hinweis") {
        true => GERMAN_SCENARIO.to_owned(),
        false => {
            let from = GERMAN_SCENARIO.find("/// Eine Anweisung dieser").unwrap_or(0);
            let to = GERMAN_SCENARIO.find("/// Jemand ändert").unwrap_or(from);
            format!("{}{}", &GERMAN_SCENARIO[..from], &GERMAN_SCENARIO[to..])
        }
    }
}

fn examples(language: Language) -> Vec<serde_json::Value> {
    let text = match language {
        Language::En => include_str!("../../../templates/new/topics.jsonl"),
        Language::De => include_str!("../../../templates/new/topics_de.jsonl"),
    };
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
    let mut topics: Vec<serde_json::Value> = text.lines().filter_map(read).collect();
    for (at, topic) in topics.iter_mut().enumerate() {
        topic["hidden"] = (at % HIDDEN_INTERVAL == HIDDEN_INTERVAL - 1).into();
    }
    topics
}

/// The topics of a file, read as a bank with its diagnostics.
fn read_topics(path: &Path, output: &mut Output) -> Result<Vec<serde_json::Value>, CommandError> {
    let text = read_text(path, MAX_BANK_BYTES).map_err(|error| {
        CommandError::input(format!("`{}`: {error}", path.display())).help("name a bank of topics")
    })?;
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or("topics");
    let fields =
        "name: text  request: text  keywords?: list of text  angles?: list of text  hidden?: bool";
    let scenario = format!("ifs 1\nimport topics \"{file}\" {{ {fields} }}\n");
    let checked =
        check(&MemoryWorld::new([("topics.ifs", &*scenario), (file, &*text)]), "topics.ifs");
    let Some(bank) = checked.model.as_ref().and_then(|model| model.banks.first()) else {
        let said = render(
            &checked.diagnostics.list,
            &checked.sources,
            output.color_err(),
            Output::width(),
        );
        output.painted_note(said.trim_end_matches('\n'));
        return Err(CommandError { exit: Exit::Input, ..CommandError::already_printed() });
    };
    if bank.records.len() < 2 {
        return Err(CommandError::input(format!("`{}` has fewer than two topics", path.display()))
            .help("a dialogue goes from one topic to another: write two or more"));
    }
    let of_bank = bank.records.iter().any(|topic| topic.field("hidden").is_some_and(is_said));
    let text = |topic: &Value, name: &str| -> String {
        topic.field(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let list = |topic: &Value, name: &str| -> Vec<String> {
        let members = topic.field(name).and_then(Value::as_list).unwrap_or_default();
        members.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    Ok(bank
        .records
        .iter()
        .enumerate()
        .map(|(at, topic)| {
            let request = text(topic, "request");
            let mut keywords = list(topic, "keywords");
            if keywords.is_empty() {
                keywords = longest_words(&request);
            }
            let hidden = match of_bank {
                true => topic.field("hidden") == Some(&Value::Bool(true)),
                false => at % HIDDEN_INTERVAL == HIDDEN_INTERVAL - 1,
            };
            serde_json::json!({
                "name": text(topic, "name"),
                "request": request,
                "keywords": keywords,
                "angles": list(topic, "angles"),
                "hidden": hidden,
            })
        })
        .collect())
}

fn is_said(value: &Value) -> bool {
    *value != Value::Nothing
}

/// The four longest words of a request, in its order: what a topic without keywords is about.
fn longest_words(request: &str) -> Vec<String> {
    let mut words: Vec<&str> = Vec::new();
    for word in request.split(|letter: char| !letter.is_alphabetic()) {
        if word.chars().count() >= 4 && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        words.extend(request.split_whitespace().take(1));
    }
    let mut lengths: Vec<usize> = words.iter().map(|word| word.chars().count()).collect();
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let least = lengths.get(3).copied().unwrap_or(0);
    words
        .into_iter()
        .filter(|word| word.chars().count() >= least)
        .take(4)
        .map(str::to_owned)
        .collect()
}

/// Checks what was written and runs its tests: a domain is complete when both are good.
pub(crate) fn prove(file: &Path, output: &mut Output) -> Result<(), CommandError> {
    let program = load::load(file, output)?;
    let results = run_tests(&program.tested());
    let passed = results.iter().filter(|result| result.is_good()).count();
    output.line(&format!("checked: {passed} of {} tests passed", results.len()));
    Ok(())
}
