//! Completion: what the grammar accepts at the cursor, and the names that are in scope there.

use std::collections::BTreeSet;

use gen_lsp_types as lsp;

use crate::context::context;
use crate::index::{NameKind, UseKind};
use crate::project::{FileKey, Meaning, Project};
use ifs_model::LIBRARY;
use ifs_predicate::functions;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::{Field, Type};
use ifs_syntax::expected;
use ifs_syntax::statement::StatementBlock;
use ifs_text::UNITS;

/// One proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub label: String,
    pub kind: lsp::CompletionItemKind,
    pub detail: String,
    pub docs: String,
}

impl Proposal {
    fn new(label: &str, kind: lsp::CompletionItemKind, detail: &str, docs: &str) -> Proposal {
        let [label, detail, docs] = [label, detail, docs].map(str::to_owned);
        Proposal { label, kind, detail, docs }
    }
}

/// The statements whose paths name only some kinds of names.
const NAMED_BY: [(&str, &[NameKind]); 15] = [
    ("after", &[NameKind::Requirement]),
    ("constraints", &[NameKind::Group, NameKind::Constraint, NameKind::Import]),
    ("every", &[NameKind::Dialogue]),
    ("excludes", &[NameKind::Group, NameKind::Constraint, NameKind::Import]),
    ("flow", &[NameKind::Flow, NameKind::Import]),
    ("flows", &[NameKind::Flow, NameKind::Import]),
    ("groups", &[NameKind::Group, NameKind::Constraint, NameKind::Import]),
    ("mask", &[NameKind::Group, NameKind::Constraint, NameKind::Import]),
    ("over", &[NameKind::Import, NameKind::Feed, NameKind::Let]),
    ("style", &[NameKind::Import]),
    ("styles", &[NameKind::Import]),
    ("tag", &[NameKind::Tag]),
    ("test", &[NameKind::Group, NameKind::Constraint, NameKind::Import]),
    ("topic", &[NameKind::Import]),
    ("turn", &[NameKind::Turn]),
];

/// The types of names, which the last check knows.
pub(crate) trait Types {
    /// The type of a name in a file; of one that is declared, wherever it is used.
    fn type_of(&self, key: &FileKey, name: &str, meaning: Option<&Meaning>) -> Option<Type>;
}

pub(crate) fn proposals(
    project: &Project,
    types: &dyn Types,
    key: &FileKey,
    text: &str,
    offset: usize,
) -> Vec<Proposal> {
    let context = context(text, offset);
    let word = crate::text::word_at(text, offset).start;
    if context.is_text {
        return Vec::new();
    }
    let scope = CompletionScope { project, types, key, offset };
    let found = if let Some(owner) = owner(&text[..word]) {
        scope.members(&owner)
    } else if context.in_template {
        scope.names(NameKind::is_value)
    } else if context.statement.is_empty() {
        statements(context.block)
    } else {
        scope.after(context.block, &text[context.statement])
    };
    let mut known = BTreeSet::new();
    let is_new = |one: &Proposal| !one.label.is_empty() && known.insert(one.label.clone());
    found.into_iter().filter(is_new).collect()
}

/// The names of a path before the cursor: `["std", "evolif"]` of `std.evolif.`.
fn owner(before: &str) -> Option<Vec<String>> {
    let path = before.strip_suffix('.')?;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.');
    let start = path
        .rfind(|letter| !is_part(letter))
        .map_or(0, |at| at + path[at..].chars().next().map_or(1, char::len_utf8));
    let names: Vec<String> = path[start..].split('.').map(str::to_owned).collect();
    let is_name =
        |name: &String| name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    names.iter().all(is_name).then_some(names)
}

fn statements(block: StatementBlock) -> Vec<Proposal> {
    let rows = block.statements().into_iter().filter(|(word, form, _)| form.starts_with(word));
    let keyword = lsp::CompletionItemKind::Keyword;
    rows.map(|(word, form, doc)| Proposal::new(word, keyword, form, doc)).collect()
}

struct CompletionScope<'p> {
    project: &'p Project,
    types: &'p dyn Types,
    key: &'p FileKey,
    offset: usize,
}

impl CompletionScope<'_> {
    /// What may follow an incomplete statement.
    fn after(&self, block: StatementBlock, statement: &str) -> Vec<Proposal> {
        let expected = expected(block, statement);
        let has = |rules: &[&str]| expected.rules.iter().any(|rule| rules.contains(rule));
        let mut found = Vec::new();
        if has(&["operand", "name", "call", "primary", "named", "expr", "units"]) {
            found.extend(self.names(NameKind::is_value));
            found.extend(self.names(|kind| kind == NameKind::Function));
            found.extend(self.facts());
            found.extend(functions());
            found.extend(units());
        }
        let words = expected.words.iter().map(|word| keyword(word));
        let mut found: Vec<Proposal> = words.chain(found).collect();
        if has(&["label", "path"]) {
            found.extend(self.named_by(statement));
        }
        found
    }

    /// The names that a statement may name.
    fn named_by(&self, statement: &str) -> Vec<Proposal> {
        let words = statement.split(|letter: char| !letter.is_ascii_alphabetic());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        if words == ["use"] {
            return vec![module("std")];
        }
        let wanted = |word: &&str| NAMED_BY.iter().find(|(named, _)| named == word);
        // The last word decides: `require x … after`.
        let kinds = words.iter().rev().find_map(wanted).map(|(_, kinds)| *kinds);
        match kinds {
            Some(kinds) => self.names(|kind| kinds.contains(&kind)),
            None => self.names(|_| true),
        }
    }

    /// The names in scope of some kinds, and the names that the file uses of others.
    fn names(&self, wanted: impl Fn(NameKind) -> bool) -> Vec<Proposal> {
        let Some(file) = self.project.file(self.key) else { return Vec::new() };
        let node = file.node_at(self.offset);
        let mut meanings: Vec<(String, Meaning)> = Vec::new();
        for at in file.in_scope(node) {
            let declared = &file.declarations[at];
            // The name that is being written is not a proposal for itself.
            if wanted(declared.kind) && !declared.name.contains(&self.offset) {
                let name = file.word(&declared.name).to_owned();
                meanings.push((name, Meaning::Declared(self.key.clone(), at)));
            }
        }
        for (all, path) in self.project.use_paths(self.key) {
            let Some(meaning) = self.project.path(self.key, &path) else { continue };
            match self.project.module_of(&meaning) {
                Some(module) if all => meanings.extend(self.declared_in(&module, None)),
                _ => meanings.extend(path.last().map(|name| (name.clone(), meaning))),
            }
        }
        let is_wanted = |meaning: &Meaning| {
            self.project.declaration(meaning).is_some_and(|(_, _, declared)| wanted(declared.kind))
        };
        let meanings = meanings.into_iter().filter(|(_, meaning)| is_wanted(meaning));
        meanings.map(|(name, meaning)| self.proposal(name, &meaning)).collect()
    }

    fn declared_in(&self, key: &FileKey, scope: Option<usize>) -> Vec<(String, Meaning)> {
        let Some(file) = self.project.file(key) else { return Vec::new() };
        let here = file.declarations.iter().enumerate().filter(|(_, it)| it.scope == scope);
        let named = here.map(|(at, declared)| {
            (file.word(&declared.name).to_owned(), Meaning::Declared(key.clone(), at))
        });
        named.collect()
    }

    fn proposal(&self, label: String, meaning: &Meaning) -> Proposal {
        let Some((_, file, declared)) = self.project.declaration(meaning) else {
            return module(&label);
        };
        let ty = self.types.type_of(self.key, &label, Some(meaning));
        let detail = match ty.filter(|_| declared.kind.is_value()) {
            Some(ty) => format!("{}: {ty}", declared.kind.noun()),
            None => declared.kind.noun().to_owned(),
        };
        let kind = match declared.kind {
            NameKind::Function | NameKind::Metric => lsp::CompletionItemKind::Function,
            NameKind::Import | NameKind::Group => lsp::CompletionItemKind::Module,
            NameKind::Constraint | NameKind::Requirement => lsp::CompletionItemKind::Method,
            NameKind::Column => lsp::CompletionItemKind::Field,
            kind if kind.is_value() => lsp::CompletionItemKind::Variable,
            _ => lsp::CompletionItemKind::Reference,
        };
        Proposal { label, kind, detail, docs: file.docs(declared) }
    }

    /// What may follow a path and a dot.
    fn members(&self, names: &[String]) -> Vec<Proposal> {
        if names == ["std"] {
            return LIBRARY.iter().map(|(name, _)| module(name)).collect();
        }
        let Some(file) = self.project.file(self.key) else { return Vec::new() };
        let node = file.node_at(self.offset);
        let local =
            |name: &str| self.project.known_as(self.key, name, node, self.offset, UseKind::General);
        let first = names.first().and_then(|name| local(name));
        let ty = |meaning| names.first().and_then(|it| self.types.type_of(self.key, it, meaning));
        if let Some(ty) = ty(first.as_ref()).or_else(|| ty(None)) {
            return fields(&ty, &names[1..]);
        }
        let meaning = match names {
            [_] => first,
            _ => self.project.path(self.key, names),
        };
        let Some(meaning) = meaning else { return Vec::new() };
        let members = match self.project.module_of(&meaning) {
            Some(module) => self.declared_in(&module, None),
            None => {
                self.project.declaration(&meaning).map_or_else(Vec::new, |(key, _, declared)| {
                    self.declared_in(key, Some(declared.node))
                })
            }
        };
        members.into_iter().map(|(name, meaning)| self.proposal(name, &meaning)).collect()
    }

    fn facts(&self) -> Vec<Proposal> {
        let known = TurnFact::ALL.iter().map(|fact| {
            let ty = self.types.type_of(self.key, fact.name(), None);
            let detail = ty.map_or("a fact of the turn".to_owned(), |ty| ty.to_string());
            Proposal::new(fact.name(), lsp::CompletionItemKind::Variable, &detail, "")
        });
        known.collect()
    }
}

fn fields(ty: &Type, names: &[String]) -> Vec<Proposal> {
    match ty {
        Type::List(of) => fields(of, names),
        Type::Record(known) => match names.split_first() {
            Some((first, rest)) => {
                known.get(first).map_or_else(Vec::new, |field| fields(&field.ty, rest))
            }
            None => {
                let kind = lsp::CompletionItemKind::Field;
                let proposal = |(name, field): (&String, &Field)| {
                    Proposal::new(name, kind, &field.ty.to_string(), "")
                };
                known.iter().map(proposal).collect()
            }
        },
        _ => Vec::new(),
    }
}

fn functions() -> impl Iterator<Item = Proposal> {
    let kind = lsp::CompletionItemKind::Function;
    functions::all().map(move |it| Proposal::new(it.name, kind, &it.signature(), it.doc))
}

fn units() -> impl Iterator<Item = Proposal> {
    let kind = lsp::CompletionItemKind::Unit;
    UNITS.iter().map(move |unit| Proposal::new(unit.name, kind, "a unit", unit.doc))
}

fn keyword(word: &str) -> Proposal {
    Proposal::new(word, lsp::CompletionItemKind::Keyword, "", "")
}

fn module(name: &str) -> Proposal {
    Proposal::new(name, lsp::CompletionItemKind::Module, "a module of the library", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_before_a_dot() {
        let names = |text: &str| owner(text).map(|names| names.join("/"));
        assert_eq!(names("use std.evolif."), Some("std/evolif".to_owned()));
        assert_eq!(names("ü.").as_deref(), None);
        assert_eq!(names("1..").as_deref(), None);
        assert_eq!(names("in topic."), Some("topic".to_owned()));
    }

    #[test]
    fn every_statement_with_names_is_in_a_table() {
        let mut words: Vec<&str> =
            ifs_syntax::statement::TABLE.iter().map(|row| row.word).collect();
        words.extend(ifs_syntax::statement::BLOCK_TABLE.iter().map(|row| row.word));
        // A clause of `require`.
        words.push("after");
        for (word, _) in NAMED_BY {
            assert!(words.contains(&word), "{word}");
        }
    }
}
