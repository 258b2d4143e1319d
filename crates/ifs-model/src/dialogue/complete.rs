//! Checks that need the complete dialogue.

use std::collections::{BTreeMap, BTreeSet};

use super::DialogueChecker;
use super::given::example_call;
use crate::lower::known_value;
use crate::names::Symbol;
use crate::table::{Constraint, Dialogue, Domain, Tag};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Name, StmtKind};

impl DialogueChecker<'_, '_> {
    pub(super) fn finish(&mut self, dialogue: &mut Dialogue, written: &ast::Dialogue) {
        let draws = self.default_pool(dialogue);
        if written.broken || self.misplaced {
            return;
        }
        let name = &written.name;
        let has =
            |wanted: fn(&StmtKind) -> bool| written.stmts.iter().any(|stmt| wanted(&stmt.kind));
        let moves = has(|stmt| match stmt {
            StmtKind::Flow(_) | StmtKind::Turn(_) => true,
            StmtKind::For(_) => !stmt.only_imposes(),
            _ => false,
        }) || !ifs_syntax::ast::turns(&written.stmts).is_empty();
        if !moves {
            self.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the dialogue `{}` has no turns", name.text),
                )
                .label(name.span, "")
                .help("write `flow { … }`, `flow NAME` or `turn … { ask … }` in it"),
            );
        }
        if dialogue.topics.is_some() && !has(|stmt| matches!(stmt, StmtKind::Topic(_))) {
            self.report(
                Diagnostic::error(Code::MISSING_STATEMENT, "a flow of topics without topics")
                    .label(name.span, "no `topic from …`")
                    .help("write `topic from BANK`"),
            );
        }
        if draws && dialogue.groups.is_empty() && self.checker.diagnostics.errors() == 0 {
            self.report(
                Diagnostic::error(Code::EMPTY_DOMAIN, "there are no constraints to draw")
                    .label(name.span, "")
                    .help("declare a `group`, or `use std.evolif.*`"),
            );
        }
        self.check_drawn(dialogue, draws, name);
        if let Some(end) = &dialogue.end
            && !has(|stmt| matches!(stmt, StmtKind::Patience(_)))
            && end.reads(TurnFact::Patience)
        {
            self.report(
                Diagnostic::error(Code::BAD_END, "this dialogue has no patience to lose")
                    .label(end.span, "uses `patience`")
                    .help("write `patience 3` in the dialogue"),
            );
        }
    }

    /// If no pool is declared and something is drawn, the pool is everything that the file sees.
    /// Returns whether something is drawn.
    pub(super) fn default_pool(&mut self, dialogue: &mut Dialogue) -> bool {
        let draws = dialogue.evolve.is_some()
            || self.imposes
            || known_value(&dialogue.start) != Some(Value::Int(0));
        if draws && self.pool.is_none() {
            let groups = self.checker.names.groups(self.module);
            for at in groups {
                if !self.checker.is_meaning(at) {
                    dialogue.groups.extend(self.checker.group(at));
                }
            }
        }
        dialogue.groups.sort();
        draws
    }

    /// Checks the constraints that are drawn from the pool, and those that are imposed from groups
    /// by name.
    pub(super) fn check_drawn(&mut self, dialogue: &Dialogue, pool: bool, name: &Name) {
        if pool {
            let place = self.pool.unwrap_or(name.span);
            let groups = dialogue.groups.iter().map(|group| (group.clone(), place)).collect();
            self.check_pool(groups);
        }
        let imposed = std::mem::take(&mut self.imposed);
        self.check_pool(imposed);
    }

    /// Checks that constraints which are drawn have a domain for each parameter. Each group comes
    /// with the span that draws from it.
    fn check_pool(&mut self, groups: Vec<(String, Span)>) {
        self.check_weights(&groups);
        // Each constraint once, with all spans that would draw it.
        let mut wrong: Vec<(Constraint, BTreeSet<Span>)> = Vec::new();
        for (name, place) in groups {
            let at = self.checker.group_places.get(&name).copied();
            let Some(group) = at.and_then(|at| self.checker.model.groups.get(at)) else {
                continue;
            };
            for constraint in &group.constraints {
                if constraint.params.iter().all(|param| param.domain != Domain::Given) {
                    continue;
                }
                match wrong.iter_mut().find(|(known, _)| known.name == constraint.name) {
                    Some((_, places)) => _ = places.insert(place),
                    None => wrong.push((constraint.clone(), BTreeSet::from([place]))),
                }
            }
        }
        let (library, own): (Vec<_>, Vec<_>) =
            wrong.into_iter().partition(|(constraint, _)| constraint.library);
        for (constraint, places) in own {
            let open = constraint.params.iter().filter(|param| param.domain == Domain::Given);
            let open: Vec<(String, Span)> =
                open.map(|param| (param.name.clone(), param.span)).collect();
            let names: Vec<String> = open.iter().map(|(name, _)| format!("`{name}`")).collect();
            let have = if names.len() == 1 { "has no domain" } else { "have no domain" };
            let mut diagnostic = Diagnostic::error(
                Code::BAD_DOMAIN,
                format!("`{}` cannot be drawn: {} {have}", constraint.name, names.join(", ")),
            );
            for place in places {
                diagnostic = diagnostic.label(place, "drawn from here");
            }
            for (_, declared) in open {
                diagnostic = diagnostic.label(declared, "a type alone");
            }
            self.report(diagnostic.help(format!(
                "give it values to draw, name the groups to draw from without this one, or impose \
                 it with values: `impose {}`",
                example_call(&constraint, &constraint.name)
            )));
        }
        self.library_pool(&library);
    }

    /// One diagnostic for all library constraints that have no values to draw.
    fn library_pool(&mut self, wrong: &[(Constraint, BTreeSet<Span>)]) {
        let Some((first, _)) = wrong.first() else { return };
        let modules = &self.checker.loader.modules;
        let home = modules
            .iter()
            .find(|module| module.ast.items.iter().any(|item| item.span.file == first.span.file));
        let module = home.map_or("std", |module| module.name.as_str());
        let example = example_call(first, &format!("std.{module}.{}", first.name));
        let message = match wrong.len() {
            1 => format!("`{}` cannot be drawn: it has no values to draw from", first.name),
            more => format!(
                "{more} constraints here cannot be drawn, `{}` first: they have no values to draw \
                 from",
                first.name
            ),
        };
        let places: BTreeSet<Span> = wrong.iter().flat_map(|(_, places)| places.clone()).collect();
        let mut diagnostic = Diagnostic::error(Code::BAD_DOMAIN, message);
        for place in places {
            diagnostic = diagnostic.label(place, "drawn from here");
        }
        self.report(diagnostic.help(format!(
            "their parameters have types and no domains: give the values, as in `impose {example}`, or name \
             groups whose parameters have domains"
        )));
    }

    /// Among the alternatives of one draw, at least one must have a weight, and so must a member of
    /// each group. A constraint without a group may have the weight 0: it is left out.
    fn check_weights(&mut self, groups: &[(String, Span)]) {
        let mut drawable: BTreeMap<Span, bool> = BTreeMap::new();
        let mut never = Vec::new();
        for (name, place) in groups {
            let at = self.checker.group_places.get(name).copied();
            let Some(group) = at.and_then(|at| self.checker.model.groups.get(at)) else {
                continue;
            };
            if group.constraints.is_empty() {
                continue;
            }
            let weighs = group.constraints.iter().any(|constraint| constraint.weight > 0);
            *drawable.entry(*place).or_default() |= weighs;
            if !weighs && group.constraints.len() > 1 {
                never.push((group.name.clone(), group.span, *place));
            }
        }
        for (place, _) in drawable.into_iter().filter(|(_, weighs)| !weighs) {
            never.retain(|(.., drawn)| *drawn != place);
            self.report(
                Diagnostic::error(Code::BAD_WEIGHT, "nothing here can be drawn")
                    .label(place, "every constraint has the weight 0")
                    .help("give one of them a weight, or leave `weight 0` out"),
            );
        }
        for (name, declared, place) in never {
            self.report(
                Diagnostic::error(Code::BAD_WEIGHT, format!("nothing of `{name}` can be drawn"))
                    .label(declared, "every member has the weight 0")
                    .label(place, "drawn from here")
                    .help("give one of them a weight, or name the groups to draw from without it"),
            );
        }
    }

    /// Checks that the names in `weigh` are tags or groups.
    pub(super) fn check_weighed(&mut self, name: &Name) {
        fn all<'t>(tag: &'t Tag, names: &mut Vec<&'t str>) {
            names.push(tag.name.rsplit('.').next().unwrap_or(&tag.name));
            tag.children.iter().for_each(|child| all(child, names));
        }
        let group = self.checker.names.look_up_quietly(self.module, &name.text);
        if matches!(group, Some(Symbol::Group(_))) {
            return;
        }
        let model = &self.checker.model;
        let mut known = Vec::new();
        model.tags.iter().for_each(|tag| all(tag, &mut known));
        if known.contains(&name.text.as_str()) {
            return;
        }
        let diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("there is no tag or group `{}` to weigh", name.text),
        )
        .label(name.span, "")
        .help("declare it: `tags kind { … }`, and `tag …` in the constraints that carry it")
        .did_you_mean(&name.text, known);
        self.report(diagnostic);
    }
}
