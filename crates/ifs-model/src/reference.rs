//! The library for its documentation: names, doc comments, parameters, wording and examples, as
//! written in the files of `scenarios/std`.

use super::library::LIBRARY;
use ifs_base::diagnostic::Diagnostics;
use ifs_base::source::{FileId, Span};
use ifs_syntax::ast::{
    Ast, CaseKind, Constraint, ConstraintStmtKind, Docs, ExprKind, ItemKind, MemberKind,
    SceneStmtKind, Test, TextLiteral,
};
use ifs_syntax::parse;

/// An item of the library.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryItem {
    /// `std.evolif.length.at_least`
    pub name: String,
    pub kind: LibraryItemKind,
    /// Its doc comment; for a module, the comment at the top of its file.
    pub doc: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LibraryItemKind {
    Module,
    /// The number of its constraints.
    Group(usize),
    Constraint(ConstraintDoc),
    /// The names of its turns.
    Flow(Vec<String>),
    /// The source of a function.
    Function(String),
    /// The size of its pictures, and the names of its questions.
    Scene((i64, i64), Vec<String>),
}

/// The documentation of a constraint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintDoc {
    /// Parameters with their domains, as written.
    pub params: Vec<(String, String)>,
    pub say: Vec<String>,
    /// The source of its `check` or `judge`.
    pub by: String,
    /// Its names in published data, with their arguments, as written.
    pub aliases: Vec<String>,
    pub alias_names: Vec<String>,
    /// A response that passes and one that fails, each with its arguments.
    pub pass: Option<(String, String)>,
    pub fail: Option<(String, String)>,
}

/// All items of the library: modules sorted by name, and their items in source order.
pub fn entries() -> Vec<LibraryItem> {
    LIBRARY.iter().flat_map(|(name, text)| module(name, text)).collect()
}

/// The modules of the library that have a constraint with this alias.
pub fn modules_with_alias(alias: &str) -> Vec<String> {
    let has = |item: &LibraryItem| match &item.kind {
        LibraryItemKind::Constraint(facts) => facts.alias_names.iter().any(|name| name == alias),
        _ => false,
    };
    let modules = LIBRARY.iter().filter(|(name, text)| {
        // Only files that have the name are read.
        text.contains(alias) && module(name, text).iter().any(has)
    });
    modules.map(|(name, _)| format!("std.{name}")).collect()
}

fn module(name: &str, text: &str) -> Vec<LibraryItem> {
    let ast = parse(FileId(0), text, &mut Diagnostics::default());
    let module = format!("std.{name}");
    let mut entries = vec![LibraryItem {
        name: module.clone(),
        kind: LibraryItemKind::Module,
        doc: leading_comment(&ast),
    }];
    for item in &ast.items {
        match &item.kind {
            ItemKind::Group(group) => {
                let name = format!("{module}.{}", group.name.text);
                let own: Vec<(&Constraint, &Docs)> = group
                    .members
                    .iter()
                    .filter_map(|member| match &member.kind {
                        MemberKind::Constraint(constraint) => Some((constraint, &member.docs)),
                        MemberKind::Test(_) => None,
                    })
                    .collect();
                let kind = LibraryItemKind::Group(own.len());
                entries.push(LibraryItem { name: name.clone(), kind, doc: item.docs.text() });
                for (constraint, docs) in own {
                    entries.push(self::constraint(&name, constraint, docs, text));
                }
            }
            ItemKind::Constraint(alone) => {
                entries.push(constraint(&module, alone, &item.docs, text));
            }
            ItemKind::Scene(scene) => {
                let questions = scene.stmts.iter().filter_map(|stmt| match &stmt.kind {
                    SceneStmtKind::Question { name, .. } => Some(name.text.clone()),
                    _ => None,
                });
                let kind = LibraryItemKind::Scene(scene.size, questions.collect());
                let name = format!("{module}.{}", scene.name.text);
                entries.push(LibraryItem { name, kind, doc: item.docs.text() });
            }
            ItemKind::Flow(flow) => {
                let turns = flow.turns().filter_map(|turn| turn.name.as_ref());
                let turns = turns.map(|name| name.text.clone()).collect();
                let name = format!("{module}.{}", flow.name.text);
                entries.push(LibraryItem {
                    name,
                    kind: LibraryItemKind::Flow(turns),
                    doc: item.docs.text(),
                });
            }
            ItemKind::Def(_) | ItemKind::Metric(_) => {
                let (own, word) = match &item.kind {
                    ItemKind::Metric(metric) => (&metric.def.name, "metric "),
                    ItemKind::Def(def) => (&def.name, "def "),
                    _ => continue,
                };
                let name = format!("{module}.{}", own.text);
                let written = text.get(item.span.range()).unwrap_or("");
                let start = written.lines().position(|line| line.starts_with(word)).unwrap_or(0);
                let lines: Vec<&str> = written.lines().skip(start).collect();
                let kind = LibraryItemKind::Function(lines.join("\n").trim_end().to_owned());
                entries.push(LibraryItem { name, kind, doc: item.docs.text() });
            }
            _ => {}
        }
    }
    entries
}

/// The comment before the first item.
fn leading_comment(ast: &Ast) -> String {
    let first = ast.items.first().map_or(u32::MAX, |item| item.span.start);
    let lines = ast.comments.iter().take_while(|comment| comment.span.start < first);
    let lines: Vec<&str> =
        lines.map(|comment| comment.text.trim_start_matches('/').trim()).collect();
    lines.join("\n")
}

fn constraint(owner: &str, constraint: &Constraint, docs: &Docs, text: &str) -> LibraryItem {
    let mut facts = ConstraintDoc::default();
    for param in &constraint.params {
        facts.params.push((param.name.text.clone(), source_line(text, param.domain.span)));
    }
    for stmt in &constraint.body {
        match &stmt.kind {
            ConstraintStmtKind::Say(texts) => facts.say = values(texts),
            ConstraintStmtKind::Check(_) | ConstraintStmtKind::Judge(_) => {
                facts.by = source_line(text, stmt.span);
            }
            ConstraintStmtKind::Alias(alias) => {
                facts.aliases.push(source_line(text, stmt.span));
                facts.alias_names.push(alias.name.value.clone());
            }
            ConstraintStmtKind::Test(test) => examples(test, text, &mut facts),
            _ => {}
        }
    }
    let name = format!("{owner}.{}", constraint.name.text);
    LibraryItem { name, kind: LibraryItemKind::Constraint(facts), doc: docs.text() }
}

/// The first example of each kind that is short enough to print.
fn examples(test: &Test, text: &str, facts: &mut ConstraintDoc) {
    const MAX_EXAMPLE_CHARACTERS: usize = 200;
    let alone = |kind| matches!(kind, CaseKind::Prompt | CaseKind::Reply);
    if test.cases.iter().any(|case| alone(case.kind)) {
        // Such an example includes earlier messages.
        return;
    }
    let args: Vec<String> = test.args.iter().map(|arg| arg_text(arg, text)).collect();
    for case in &test.cases {
        let ExprKind::Text(answer) = &case.text.kind else { continue };
        if answer.value.chars().count() > MAX_EXAMPLE_CHARACTERS {
            continue;
        }
        let place = if case.kind == CaseKind::Pass { &mut facts.pass } else { &mut facts.fail };
        place.get_or_insert_with(|| (args.join(", "), answer.value.clone()));
    }
}

fn arg_text(arg: &ifs_syntax::ast::Arg, text: &str) -> String {
    let value = source_line(text, arg.value.span);
    arg.name.as_ref().map_or_else(|| value.clone(), |name| format!("{}: {value}", name.text))
}

fn values(texts: &[TextLiteral]) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

/// A range of a file on one line.
fn source_line(text: &str, span: Span) -> String {
    let lines = text.get(span.range()).unwrap_or("").lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{LibraryItemKind, entries};

    #[test]
    fn every_constraint_can_be_looked_up() {
        let entries = entries();
        let find = |name: &str| entries.iter().find(|entry| entry.name == name);
        let letter = find("std.evolif.startwith.letter_first").expect("it is in the library");
        let LibraryItemKind::Constraint(facts) = &letter.kind else { panic!("{letter:?}") };
        assert_eq!(facts.params, [("c".to_owned(), "one_of letters".to_owned())]);
        assert_eq!(facts.by, "check starts_with(letter (c))");
        assert!(facts.say.len() > 1 && facts.pass.is_some() && facts.fail.is_some());
        assert!(find("std.evolif.startwith").is_some_and(|group| !group.doc.is_empty()));
        for entry in &entries {
            match &entry.kind {
                LibraryItemKind::Constraint(facts) => {
                    assert!(!facts.say.is_empty() && !facts.by.is_empty(), "{}", entry.name);
                }
                LibraryItemKind::Module => {
                    assert!(!entry.doc.is_empty(), "{} says nothing", entry.name)
                }
                LibraryItemKind::Group(count) => assert!(*count > 0, "{}", entry.name),
                LibraryItemKind::Scene(_, questions) => {
                    assert!(questions.len() > 1, "{}", entry.name)
                }
                LibraryItemKind::Flow(turns) => assert!(!turns.is_empty(), "{}", entry.name),
                LibraryItemKind::Function(written) => {
                    assert!(
                        ["def ", "metric "].iter().any(|word| written.starts_with(word))
                            && written.ends_with('}'),
                        "{written}"
                    );
                    assert!(!entry.doc.is_empty(), "{} says nothing", entry.name);
                }
            }
        }
    }
}
