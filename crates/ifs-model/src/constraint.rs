//! Groups and their constraints.

mod examples;
mod texts;
mod unsaid;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::check::Checker;
use super::lower::Lowering;
use super::names::{ItemAt, Symbol, member_names};
use super::table::{Alias, Constraint, DecidedBy, Domain, Group, Mask, Param, Question};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, ConstraintStmtKind, ItemKind, MemberKind, Path, RelationKind};
pub(super) use uses::TemplateOrigin;

/// The names that a check may use in addition to its parameters.
const CHECK_FACTS: [TurnFact; 7] = [
    TurnFact::Reply,
    TurnFact::Turn,
    TurnFact::Age,
    TurnFact::Prompt,
    TurnFact::Replies,
    TurnFact::Topic,
    TurnFact::Style,
];

impl Checker<'_> {
    /// Lowers a group once, and returns its name in the model.
    pub fn group(&mut self, at: ItemAt) -> Option<String> {
        if let Some(done) = self.groups.get(&at) {
            return done.clone();
        }
        let item = self.loader.modules[at.module].ast.items[at.item].clone();
        let (written, constraints, tests, broken) = match &item.kind {
            ItemKind::Group(group) => {
                let (mut constraints, mut tests) = (Vec::new(), Vec::new());
                for member in &group.members {
                    match &member.kind {
                        MemberKind::Constraint(constraint) => {
                            constraints.push((&member.docs, constraint))
                        }
                        MemberKind::Test(test) => tests.push(test),
                    }
                }
                (&group.name, constraints, tests, group.broken)
            }
            ItemKind::Constraint(constraint) => {
                (&constraint.name, vec![(&item.docs, constraint)], Vec::new(), false)
            }
            _ => return None,
        };
        let single = matches!(item.kind, ItemKind::Constraint(_));
        let name =
            self.unique(&written.text, at.module, |_, name| self.group_places.contains_key(name));
        // Entered before its constraints, so that they can refer to each other.
        self.groups.insert(at, Some(name.clone()));
        let place = self.model.groups.len();
        self.group_places.insert(name.clone(), place);
        self.model.groups.push(Group {
            name: name.clone(),
            constraints: Vec::new(),
            span: written.span,
        });
        self.doc(&name, &item.docs);
        if constraints.is_empty() && !broken {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the group `{}` has no constraint", written.text),
                )
                .label(written.span, "")
                .help("write `constraint NAME { say \"…\" check … }` in it"),
            );
        }
        let mut known: BTreeMap<&str, &ast::Name> = BTreeMap::new();
        for (docs, constraint) in constraints {
            if let Some(first) = known.get(constraint.name.text.as_str()) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is named twice", constraint.name.text),
                    )
                    .label(constraint.name.span, "second time")
                    .label(first.span, "first time")
                    .help("give one of them another name"),
                );
                continue;
            }
            known.insert(&constraint.name.text, &constraint.name);
            let full =
                if single { name.clone() } else { format!("{name}.{}", constraint.name.text) };
            if !single {
                self.doc(&full, docs);
            }
            let lowered = self.lowering(at.module).constraint(&full, constraint);
            if let Some(mut lowered) = lowered {
                lowered.library = self.loader.modules[at.module].library;
                let constraints = &mut self.model.groups[place].constraints;
                self.constraint_places.insert(full, (place, constraints.len()));
                constraints.push(lowered);
            }
        }
        for (_, constraint) in constraints_of(&item.kind) {
            for stmt in &constraint.body {
                if let ConstraintStmtKind::Test(test) = &stmt.kind {
                    let full = if single {
                        name.clone()
                    } else {
                        format!("{name}.{}", constraint.name.text)
                    };
                    self.test_of(at.module, &full, test, stmt.span);
                }
            }
        }
        for test in tests {
            self.test(at.module, Some(&name), test);
        }
        Some(name)
    }

    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        let (group, at) = self.constraint_places.get(name)?;
        self.model.groups.get(*group)?.constraints.get(*at)
    }

    /// The constraints that a path names: one, or all of a group. Members of the group `inside` may
    /// be named without it.
    pub fn constraints_named(
        &mut self,
        module: usize,
        path: &Path,
        inside: Option<&str>,
    ) -> Vec<String> {
        if let (Some(group), [only]) = (inside, path.names.as_slice()) {
            let full = format!("{group}.{}", only.text);
            if self.constraint(&full).is_some() {
                return vec![full];
            }
            if self.names.look_up_quietly(module, &only.text).is_none()
                && !self.names.has_syntax_error(module, &only.text)
            {
                let known: Vec<String> =
                    self.names.known_names(module).map(str::to_owned).collect();
                let members = self.model.groups.iter().filter(|known| known.name == group);
                let members = members.flat_map(|group| &group.constraints);
                let members = members.filter_map(|member| member.name.rsplit('.').next());
                let diagnostic = Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    format!("there is no constraint `{}`", only.text),
                )
                .label(path.span, "neither in this group nor outside")
                .did_you_mean(&only.text, members.chain(known.iter().map(String::as_str)));
                self.diagnostics.push(diagnostic);
                return Vec::new();
            }
        }
        let Some((symbol, rest)) = self.find_first(module, path) else { return Vec::new() };
        let Symbol::Group(at) = symbol else {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("`{}` is {}, not a constraint", path.text(), symbol.noun()),
                )
                .label(path.span, ""),
            );
            return Vec::new();
        };
        let rest = rest.to_vec();
        let members = member_names(&self.loader.modules[at.module].ast.items[at.item].kind);
        let Some(group) = self.group(at) else { return Vec::new() };
        match rest.as_slice() {
            [] if members.is_empty() => vec![group],
            [] => members.iter().map(|member| format!("{group}.{member}")).collect(),
            [member] if members.contains(&member.text) => vec![format!("{group}.{}", member.text)],
            [member, ..] => {
                if !self.names.has_syntax_error(at.module, &member.text) {
                    let diagnostic = Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("`{group}` has no constraint `{}`", member.text),
                    )
                    .label(member.span, "")
                    .did_you_mean(&member.text, members.iter().map(String::as_str));
                    self.diagnostics.push(diagnostic);
                }
                Vec::new()
            }
        }
    }

    // ---- masks -----------------------------------------------------------------------

    pub fn mask(&mut self, module: usize, written: &ast::Mask) {
        let left = self.masked(module, &written.left);
        let right = self.masked(module, &written.right);
        if let (Some(left), Some(right)) = (left, right) {
            self.model.masks.push(Mask { left, right });
        }
    }

    fn masked(&mut self, module: usize, paths: &[Path]) -> Option<Vec<(String, String)>> {
        let mut found = Vec::new();
        for path in paths {
            let Some((last, before)) =
                path.names.split_last().filter(|(_, before)| !before.is_empty())
            else {
                self.diagnostics.push(
                    Diagnostic::error(Code::BAD_ARGUMENT, "a mask names parameters")
                        .label(path.span, "")
                        .help("write `GROUP.CONSTRAINT.PARAMETER`"),
                );
                return None;
            };
            let span = before[0].span.to(before[before.len() - 1].span);
            let names =
                self.constraints_named(module, &Path { names: before.to_vec(), span }, None);
            if names.is_empty() {
                return None;
            }
            for name in names {
                let params = self.constraint(&name)?.params.clone();
                let Some(param) = params.iter().find(|param| param.name == last.text) else {
                    let diagnostic = Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("`{name}` has no parameter `{}`", last.text),
                    )
                    .label(last.span, "")
                    .did_you_mean(&last.text, params.iter().map(|param| param.name.as_str()));
                    self.diagnostics.push(diagnostic);
                    return None;
                };
                found.push((name, param.name.clone()));
            }
        }
        Some(found)
    }
}

fn constraints_of(item: &ItemKind) -> Vec<(&ast::Docs, &ast::Constraint)> {
    static NO_DOCS: ast::Docs = ast::Docs { lines: Vec::new(), allows: Vec::new() };
    match item {
        ItemKind::Group(group) => group
            .members
            .iter()
            .filter_map(|member| match &member.kind {
                MemberKind::Constraint(constraint) => Some((&member.docs, constraint)),
                MemberKind::Test(_) => None,
            })
            .collect(),
        ItemKind::Constraint(constraint) => vec![(&NO_DOCS, constraint)],
        _ => Vec::new(),
    }
}

/// The parameters that a relation passes to the constraint that defines it.
const GIVEN_BY_RELATION: [(&str, &str); 4] = [
    ("about", "text` or `list of text"),
    ("earlier", "text` or `list of text"),
    ("angle", "text"),
    ("last", "bool"),
];

impl Lowering<'_, '_> {
    /// Checks the definition of a relation: there is one, with the relation's parameters.
    fn check_relation(&mut self, kind: RelationKind, span: Span, constraint: &Constraint) {
        let word = kind.word();
        let mut others = self.checker.model.groups.iter().flat_map(|group| &group.constraints);
        if let Some(other) = others.find(|other| other.relation == Some(kind)) {
            let message = format!("`{word}` is already defined by `{}`", other.name);
            let (label, first) = ("second meaning", other.span);
            self.report(
                Diagnostic::error(Code::DUPLICATE_NAME, message)
                    .label(span, label)
                    .label(first, "first meaning")
                    .help("keep one of them"),
            );
        }
        for param in &constraint.params {
            let fits = match (param.name.as_str(), &param.ty) {
                ("about" | "earlier", Type::Text)
                | ("angle", Type::Text)
                | ("last", Type::Bool) => true,
                ("about" | "earlier", ty) => *ty == Type::list(Type::Text),
                _ => false,
            };
            if param.domain != Domain::Given || !fits {
                let known = GIVEN_BY_RELATION.map(|(name, ty)| format!("`{name}: {ty}`"));
                let message = format!("no relation provides `{}` with this type", param.name);
                self.report(
                    Diagnostic::error(Code::BAD_DOMAIN, message)
                        .label(param.span, "")
                        .help(format!("the parameters of a relation are {}", known.join(", "))),
                );
            }
        }
    }

    fn constraint(&mut self, full: &str, written: &ast::Constraint) -> Option<Constraint> {
        let topic = Rc::clone(&self.checker.topic);
        let facts = |place| {
            Vars::new(place)
                .counts(&[TurnFact::Reply, TurnFact::Turn, TurnFact::Age])
                .fact(TurnFact::Topic, Rc::clone(&topic))
                .fact(TurnFact::Style, Type::Unknown)
        };
        self.checker.take_used_variables();
        let errors = self.checker.diagnostics.errors();
        let mut drawn = facts("a parameter");
        // The user message and the response are not known before the turn.
        let mut said = facts("a text");
        let mut vars = facts("a check")
            .fact(TurnFact::Prompt, Type::Text)
            .fact(TurnFact::Replies, Type::list(Type::Text))
            .about_answer();
        let mut params: Vec<Param> = Vec::new();
        let mut good = true;
        for param in &written.params {
            good &= self.checker.check_name(&param.name, "the name of a parameter");
        }
        if !good {
            // In the rest of it the name has another meaning.
            return None;
        }
        for param in &written.params {
            good &= self.check_param(param, &written.params);
            let Some(param) = self.param(param, &drawn) else {
                // Further mistakes about it would only repeat this one.
                drawn.push(&param.name.text, Type::Unknown);
                said.push(&param.name.text, Type::Unknown);
                vars.push(&param.name.text, Type::Unknown);
                good = false;
                continue;
            };
            drawn.push_param(&param);
            said.push_param(&param);
            vars.push_param(&param);
            params.push(param);
        }
        let mut used = self.checker.take_used_variables();
        let mut constraint = Constraint {
            name: full.to_owned(),
            params,
            say: Vec::new(),
            change: Vec::new(),
            withdraw: Vec::new(),
            // Replaced below; a constraint without a check is never returned.
            by: DecidedBy::Judge(Question::default()),
            applies: None,
            weight: 1,
            excludes: Vec::new(),
            tags: Vec::new(),
            relation: None,
            aliases: Vec::new(),
            library: false,
            span: written.name.span,
        };
        let (mut by, mut checks) = (None, 0);
        // The names in a question to a judge.
        let mut asked = BTreeSet::new();
        let mut once = SingleStatements::default();
        for stmt in &written.body {
            match &stmt.kind {
                ConstraintStmtKind::Say(texts) => {
                    good &= self.first_use(&mut once, "say", stmt.span);
                    constraint.say = self.templates(texts, &said, false, &mut used);
                }
                ConstraintStmtKind::Change(texts) => {
                    good &= self.first_use(&mut once, "change", stmt.span);
                    constraint.change = self.templates(texts, &said, true, &mut used);
                }
                ConstraintStmtKind::Withdraw(texts) => {
                    good &= self.first_use(&mut once, "withdraw", stmt.span);
                    constraint.withdraw = self.templates(texts, &said, false, &mut used);
                }
                ConstraintStmtKind::Check(expr) => {
                    checks += 1;
                    good &= self.first_use(&mut once, "check", stmt.span);
                    by = self.expect(expr, &Type::Bool, &vars).map(DecidedBy::Rule);
                    good &= by.is_some();
                }
                ConstraintStmtKind::Judge(judge) => {
                    checks += 1;
                    good &= self.first_use(&mut once, "judge", stmt.span);
                    let question = self.question(judge, &vars, &mut asked);
                    if let Some(good) = judge.good.as_ref()
                        && question.as_ref().is_some_and(|question| question.good.is_some())
                    {
                        good_of_constraint(self, good);
                    }
                    by = question.map(DecidedBy::Judge);
                    good &= by.is_some();
                }
                ConstraintStmtKind::Applies(expr) => {
                    good &= self.first_use(&mut once, "applies", stmt.span);
                    let vars = vars.for_place("`applies when`");
                    constraint.applies = self.expect(expr, &Type::Bool, &vars);
                }
                ConstraintStmtKind::Evolve(evolve) => {
                    self.evolve_list(&mut constraint, evolve, &drawn)
                }
                ConstraintStmtKind::Excludes(paths) => {
                    let group = full.rsplit_once('.').map(|(group, _)| group.to_owned());
                    for path in paths {
                        let named =
                            self.checker.constraints_named(self.module, path, group.as_deref());
                        constraint.excludes.extend(named);
                    }
                }
                ConstraintStmtKind::Weight(expr) => {
                    good &= self.first_use(&mut once, "weight", stmt.span);
                    match self.constant(expr, &Type::Int) {
                        Some(Value::Int(weight @ 0..=1_000_000)) => {
                            constraint.weight = weight as u32
                        }
                        Some(other) => self.report(
                            Diagnostic::error(Code::BAD_WEIGHT, format!("{other} is not a weight"))
                                .label(expr.span, "")
                                .help(
                                    "a weight is an integer from 0 to 1,000,000, and 1 by default",
                                ),
                        ),
                        None => {}
                    }
                }
                ConstraintStmtKind::Relation(kind) => {
                    good &= self.first_use(&mut once, "relation", stmt.span);
                    self.check_relation(*kind, stmt.span, &constraint);
                    constraint.relation = Some(*kind);
                }
                ConstraintStmtKind::Tag(paths) => constraint.tags = self.checker.tags(paths),
                ConstraintStmtKind::Alias(alias) => {
                    let alias = self.alias(alias, &constraint.params);
                    good &= alias.is_some();
                    constraint.aliases.extend(alias);
                }
                ConstraintStmtKind::Test(_) => {}
            }
        }
        if checks > 1 && by.is_some() {
            self.reject_rule_and_judge(written);
        }
        if !written.broken {
            self.missing(written, &once);
        }
        used.extend(self.checker.take_used_variables());
        used.extend(asked.iter().cloned());
        // It may be used where there is a mistake, or in a line with a syntax error.
        let whole = !written.broken && self.checker.diagnostics.errors() == errors;
        for param in &constraint.params {
            if whole && !used.contains(&param.name) {
                self.report(
                    Diagnostic::warning(
                        Code::UNUSED_NAME,
                        format!("the parameter `{}` is never used", param.name),
                    )
                    .label(param.span, "neither stated nor checked")
                    .help("use it in `say` and `check`, or remove it"),
                );
            }
        }
        constraint.by = by?;
        if whole {
            self.report_unsaid(&constraint, &asked);
        }
        good.then_some(constraint)
    }

    /// Its expressions see only the published arguments.
    fn alias(&mut self, written: &ast::Alias, params: &[Param]) -> Option<Alias> {
        let vars = Vars::new("an alias").with("given", Type::Unknown);
        let mut args: Vec<(String, Tree)> = Vec::new();
        for arg in &written.args {
            let Some(name) = &arg.name else {
                self.report(
                    Diagnostic::error(Code::BAD_ARGUMENT, "an alias names its parameters")
                        .label(arg.value.span, "")
                        .help("write `alias \"NAME\" (PARAMETER: given.FIELD)`"),
                );
                return None;
            };
            let Some(param) = params.iter().find(|param| param.name == name.text) else {
                let diagnostic = Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!("there is no parameter `{}`", name.text),
                )
                .label(name.span, "")
                .did_you_mean(&name.text, params.iter().map(|param| param.name.as_str()));
                self.report(diagnostic);
                return None;
            };
            let same = |known: &&ast::Name| known.text == name.text;
            let given = written.args.iter().filter_map(|arg| arg.name.as_ref());
            if let Some(first) = given.take_while(|known| known.span != name.span).find(same) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is given twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first.span, "first time")
                    .help("keep one of them"),
                );
                return None;
            }
            args.push((name.text.clone(), self.expect(&arg.value, &param.ty, &vars)?));
        }
        let condition = match &written.condition {
            Some(condition) => Some(self.expect(condition, &Type::Bool, &vars)?),
            None => None,
        };
        Some(Alias { name: written.name.value.clone(), args, condition })
    }

    fn check_param(&mut self, param: &ast::Param, all: &[ast::Param]) -> bool {
        let name = &param.name;
        if let Some(first) = all.iter().find(|other| other.name.text == name.text)
            && first.name.span != name.span
        {
            self.report(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("the parameter `{}` is declared twice", name.text),
                )
                .label(name.span, "second time")
                .label(first.name.span, "first time")
                .help("give one of them another name"),
            );
            return false;
        }
        if TurnFact::from_name(&name.text).is_some_and(|fact| CHECK_FACTS.contains(&fact))
            || name.text == "old"
        {
            self.report(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    format!("`{}` cannot be the name of a parameter", name.text),
                )
                .label(name.span, "means something else in a constraint")
                .help("choose another name"),
            );
            return false;
        }
        if let Some(symbol @ (Symbol::Let(_) | Symbol::Bank(_))) =
            self.checker.names.look_up_quietly(self.module, &name.text)
        {
            self.report(
                Diagnostic::warning(
                    Code::SHADOWED_NAME,
                    format!("the parameter `{}` hides {} of that name", name.text, symbol.noun()),
                )
                .label(name.span, "")
                .help("give one of them another name"),
            );
        }
        true
    }

    fn first_use(&mut self, seen: &mut SingleStatements, word: &'static str, span: Span) -> bool {
        match seen.0.iter().find(|(known, _)| *known == word) {
            Some((_, first)) => {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_STATEMENT,
                        format!("`{word}` is written twice"),
                    )
                    .label(span, "second time")
                    .label(*first, "first time")
                    .help(match word {
                        "check" => "join them with `and`",
                        "say" | "change" | "withdraw" => {
                            "write the alternatives in one statement, separated by commas"
                        }
                        _ => "keep one of them",
                    }),
                );
                false
            }
            None => {
                seen.0.push((word, span));
                true
            }
        }
    }

    fn reject_rule_and_judge(&mut self, written: &ast::Constraint) {
        let judged =
            written.body.iter().find(|stmt| matches!(stmt.kind, ConstraintStmtKind::Judge(_)));
        let checked =
            written.body.iter().find(|stmt| matches!(stmt.kind, ConstraintStmtKind::Check(_)));
        if let (Some(judged), Some(checked)) = (judged, checked) {
            self.report(
                Diagnostic::error(
                    Code::DUPLICATE_STATEMENT,
                    "a constraint has a rule or a judge, not both",
                )
                .label(judged.span, "by a judge")
                .label(checked.span, "by a rule")
                .help("keep one of them, or make two constraints"),
            );
        }
    }

    fn missing(&mut self, written: &ast::Constraint, once: &SingleStatements) {
        let name = &written.name;
        if !once.was_written("say") {
            self.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("`{}` never states its instruction", name.text),
                )
                .label(name.span, "no `say`")
                .help("write `say \"…\"`: how a user states it"),
            );
        }
        if !once.was_written("check") && !once.was_written("judge") {
            self.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("`{}` has neither a rule nor a judge", name.text),
                )
                .label(name.span, "neither `check` nor `judge`")
                .help("write `check …` for a rule, or `judge \"…?\"` for a question to a judge"),
            );
        }
    }

    fn evolve_list(&mut self, constraint: &mut Constraint, evolve: &ast::EvolveList, drawn: &Vars) {
        let vars = drawn.for_place("an evolution");
        let known: Vec<String> = constraint.params.iter().map(|param| param.name.clone()).collect();
        let is_list = constraint.params.iter().any(|param| {
            param.name == evolve.param.text && matches!(param.domain, Domain::Some { .. })
        });
        if !known.contains(&evolve.param.text) {
            let diagnostic = Diagnostic::error(
                Code::UNKNOWN_NAME,
                format!("there is no parameter `{}`", evolve.param.text),
            )
            .label(evolve.param.span, "")
            .did_you_mean(&evolve.param.text, known.iter().map(String::as_str));
            self.report(diagnostic);
            return;
        }
        if !is_list {
            self.report(
                Diagnostic::error(
                    Code::BAD_DOMAIN,
                    format!("`{}` is not a list that can change", evolve.param.text),
                )
                .label(evolve.param.span, "")
                .help("`evolve` is for parameters drawn with `1..=3 of …`; others are drawn again"),
            );
            return;
        }
        if let Some(changes) = self.lower_changes(&evolve.rules, &vars)
            && let Some(param) =
                constraint.params.iter_mut().find(|param| param.name == evolve.param.text)
        {
            param.evolve = Some(changes);
        }
    }
}

/// The good answer to the question of a constraint is the same wherever it is imposed.
fn good_of_constraint(lowering: &mut Lowering<'_, '_>, good: &ast::Expr) {
    lowering.report(
        Diagnostic::error(Code::BAD_JUDGE, "the good answer of a constraint is `yes` or `no`")
            .label(good.span, "known only for a record")
            .help("write `pass == \"no\"`, or the question in a `require` of the turn"),
    );
}

/// Statements that may occur once, with their spans.
#[derive(Default)]
struct SingleStatements(Vec<(&'static str, Span)>);

impl SingleStatements {
    fn was_written(&self, word: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == word)
    }
}
