//! The tables of statements against the grammar: what the grammar reads in a block is in the table,
//! and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use ifs::syntax::statement::{BLOCK_TABLE, BlockKind, BlockStatement, Statement, TABLE};
use tempfile::TempDir;

use crate::cli::ifs;

const GRAMMAR: &str = include_str!("../../grammar/ifs.pest");

/// The blocks with the rule that reads one of their statements.
const RULES: [(BlockKind, &str); 13] = [
    // What is above an item is read with it.
    (BlockKind::File, "allow|item"),
    (BlockKind::Group, "group_member"),
    (BlockKind::Constraint, "constraint_stmt"),
    (BlockKind::Test, "case"),
    (BlockKind::Function, "def_stmt"),
    (BlockKind::Feed, "feed_stmt"),
    (BlockKind::Scene, "scene_stmt"),
    (BlockKind::Question, "question_stmt"),
    (BlockKind::Evolution, "guard|weighted"),
    (BlockKind::Switch, "weighted"),
    (BlockKind::Release, "release_stmt"),
    (BlockKind::Split, "split_stmt"),
    (BlockKind::Audit, "audit_stmt"),
];

/// The rules of the grammar by name.
fn rules() -> BTreeMap<&'static str, String> {
    // A rule with slashes in a string is cut, too; no statement begins with one.
    let code = |line: &'static str| line.split("//").next().unwrap_or_default();
    let mut rules: BTreeMap<&str, String> = BTreeMap::new();
    let mut name = "";
    for line in GRAMMAR.lines().map(code) {
        let body = match line.split_once(" = ") {
            Some((head, body)) if !line.starts_with(' ') => {
                name = head.trim();
                body
            }
            _ => line,
        };
        let rule = rules.entry(name).or_default();
        rule.push_str(body);
        rule.push('\n');
    }
    rules
}

/// The tokens of a rule: names, strings and signs.
fn tokens(body: &str) -> Vec<String> {
    let body = body.trim().trim_start_matches(['_', '@', '$', '!']);
    let mut found = Vec::new();
    let mut rest = body.trim().strip_prefix('{').unwrap_or(body);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').unwrap() + 2,
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|at: char| !at.is_alphanumeric() && at != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() {
            found.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    found
}

/// The words with which a text of a rule may begin, and whether the rule accepts an empty text. A
/// text that begins with something else than a word has the name of its rule.
struct Beginnings {
    rules: BTreeMap<&'static str, String>,
}

impl Beginnings {
    fn of(&self, rule: &str) -> BTreeSet<String> {
        let tokens = tokens(&self.rules[rule]);
        self.alternatives(&tokens, &mut 0).0
    }

    fn alternatives(&self, tokens: &[String], at: &mut usize) -> (BTreeSet<String>, bool) {
        let (mut words, mut empty) = (BTreeSet::new(), false);
        loop {
            let (more, is_empty) = self.sequence(tokens, at);
            words.extend(more);
            empty |= is_empty;
            if tokens.get(*at).map(String::as_str) != Some("|") {
                return (words, empty);
            }
            *at += 1;
        }
    }

    fn sequence(&self, tokens: &[String], at: &mut usize) -> (BTreeSet<String>, bool) {
        let (mut words, mut empty) = (BTreeSet::new(), true);
        while let Some(token) =
            tokens.get(*at).filter(|token| !["|", ")", "}"].contains(&&***token))
        {
            if token == "~" {
                *at += 1;
                continue;
            }
            if !empty {
                skip(tokens, at);
                continue;
            }
            let (more, is_empty) = self.term(tokens, at);
            words.extend(more);
            empty = is_empty;
        }
        (words, empty)
    }

    fn term(&self, tokens: &[String], at: &mut usize) -> (BTreeSet<String>, bool) {
        let token = &tokens[*at];
        *at += 1;
        let (words, mut empty) = match token.as_str() {
            "!" | "&" => {
                skip(tokens, at);
                (BTreeSet::new(), true)
            }
            "(" => {
                let inner = self.alternatives(tokens, at);
                *at += 1;
                inner
            }
            text if text.starts_with('"') => {
                (BTreeSet::from([text.trim_matches('"').into()]), false)
            }
            // Layout, and documentation before a statement.
            "docs" => (BTreeSet::new(), true),
            "operand" | "label" | "expr" | "string" | "path" => {
                (BTreeSet::from([format!("<{token}>")]), false)
            }
            rule => (self.of(rule), false),
        };
        while let Some("?" | "*") = tokens.get(*at).map(String::as_str) {
            empty = true;
            *at += 1;
        }
        (words, empty)
    }
}

/// Skips a term and the signs after it.
fn skip(tokens: &[String], at: &mut usize) {
    let mut depth = 0;
    loop {
        match tokens[*at].as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        let is_sign = matches!(tokens[*at].as_str(), "!" | "&");
        *at += 1;
        if depth == 0 && !is_sign {
            break;
        }
    }
    while matches!(tokens.get(*at).map(String::as_str), Some("?" | "*" | "+")) {
        *at += 1;
    }
}

#[test]
fn the_tables_have_what_the_grammar_reads() {
    let beginnings = Beginnings { rules: rules() };
    for (block, rule) in RULES {
        let read: BTreeSet<String> = rule.split('|').flat_map(|one| beginnings.of(one)).collect();
        let word = |statement, word: &str| match statement {
            BlockStatement::Dialogues => "<operand>".to_owned(),
            _ => word.to_owned(),
        };
        let mut table: BTreeSet<String> =
            block.statements().map(|row| word(row.statement, row.word)).collect();
        match block {
            // The same rule reads the moves of a flow and the changes of an evolution.
            BlockKind::Evolution | BlockKind::Switch => {
                table.extend(["add", "modify", "drop", "new", "backtrack"].map(str::to_owned));
            }
            _ => {}
        }
        assert_eq!(read, table, "{}", block.noun());
    }
    let words = TABLE.iter().filter(|row| row.statement != Statement::Relation);
    let table: BTreeSet<String> = words.map(|row| row.word.to_owned()).collect();
    assert_eq!(beginnings.of("stmt"), table);
}

/// A rule that the grammar repeats next to `broken` lines is a block.
#[test]
fn the_tables_have_every_block_of_the_grammar() {
    let rules = rules();
    let mut of_blocks: BTreeSet<&str> =
        RULES.iter().flat_map(|(_, rule)| rule.split('|')).collect();
    // Its fields have names that the checker knows.
    of_blocks.extend(["stmt", "benchmark_field"]);
    let mut found = 0;
    for (name, body) in &rules {
        let Some((before, _)) = body.split_once("| broken)*") else { continue };
        let inner = before.rsplit('(').next().unwrap();
        for rule in inner.split('|').map(|rule| rule.trim().split(' ').next().unwrap()) {
            found += 1;
            assert!(of_blocks.contains(rule), "`{rule}` of `{name}` is in no table");
        }
    }
    assert!(found >= 13, "{found}");
}

#[test]
fn every_statement_is_explained() {
    let folder = TempDir::new().unwrap();
    let list = ifs(folder.path(), &["explain"]).ends(0).out;
    let words = TABLE.iter().map(|row| row.word).chain(BLOCK_TABLE.iter().map(|row| row.word));
    for word in words {
        assert!(list.lines().any(|line| line.trim() == word), "{word} is not listed");
    }
    for row in
        BLOCK_TABLE.iter().filter(|row| [BlockKind::Release, BlockKind::Split].contains(&row.at[0]))
    {
        let page = ifs(folder.path(), &["explain", row.word]).ends(0).out;
        assert!(page.contains(row.form) && page.contains(row.doc), "{page}");
        assert!(page.contains(&format!("in {}", row.at[0].noun())), "{page}");
    }
}
