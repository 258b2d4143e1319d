//! What only the whole dialogue shows.

use std::collections::BTreeMap;

use super::Builder;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::check::known;
use crate::model::names::Symbol;
use crate::model::table::{Dialogue, Domain, Tag};
use crate::predicate::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, Name, StmtKind};

impl Builder<'_, '_> {
    pub(super) fn finish(&mut self, dialogue: &mut Dialogue, written: &ast::Dialogue) {
        let draws = self.default_pool(dialogue);
        if written.broken || self.misplaced {
            return;
        }
        let name = &written.name;
        let has =
            |wanted: fn(&StmtKind) -> bool| written.stmts.iter().any(|stmt| wanted(&stmt.kind));
        let moves =
            has(|stmt| matches!(stmt, StmtKind::Flow(_) | StmtKind::Turn(_) | StmtKind::For(_)));
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
            && end.mentions("patience")
        {
            self.report(
                Diagnostic::error(Code::BAD_END, "this dialogue has no patience to lose")
                    .label(end.span, "asks for `patience`")
                    .help("write `patience 3` in the dialogue"),
            );
        }
        if let Some(span) = dialogue
            .patience
            .and(dialogue.end.as_ref())
            .filter(|end| !end.mentions("patience"))
            .map(|end| end.span)
        {
            self.report(
                Diagnostic::warning(Code::BAD_END, "the dialogue goes on when patience is spent")
                    .label(span, "does not ask for `patience`")
                    .help("write `end when patience == 0 or …`"),
            );
        }
    }

    /// Where no pool is written and something is drawn, it is all that the file
    /// sees. Gives whether something is drawn.
    pub(super) fn default_pool(&mut self, dialogue: &mut Dialogue) -> bool {
        let draws = dialogue.evolve.is_some()
            || self.imposes
            || known(&dialogue.start) != Some(Value::Int(0));
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

    /// What is drawn from the pool, where something is, and what is imposed from groups by name.
    pub(super) fn check_drawn(&mut self, dialogue: &Dialogue, pool: bool, name: &Name) {
        if pool {
            let place = self.pool.unwrap_or(name.span);
            let groups = dialogue.groups.iter().map(|group| (group.clone(), place)).collect();
            self.check_pool(groups);
        }
        let imposed = std::mem::take(&mut self.imposed);
        self.check_pool(imposed);
    }

    /// Constraints that are drawn need a domain for each parameter. The groups come with the
    /// place that draws from them.
    fn check_pool(&mut self, groups: Vec<(String, Span)>) {
        self.check_weights(&groups);
        let mut wrong = Vec::new();
        for (name, place) in groups {
            let at = self.checker.group_places.get(&name).copied();
            let Some(group) = at.and_then(|at| self.checker.model.groups.get(at)) else {
                continue;
            };
            for constraint in &group.constraints {
                for param in constraint.params.iter().filter(|param| param.domain == Domain::Given)
                {
                    wrong.push((constraint.name.clone(), param.name.clone(), param.span, place));
                }
            }
        }
        for (constraint, param, declared, place) in wrong {
            self.report(
                Diagnostic::error(
                    Code::BAD_DOMAIN,
                    format!("`{constraint}` cannot be drawn: `{param}` has no domain"),
                )
                .label(place, "drawn from here")
                .label(declared, "a type alone")
                .help("give it values to draw, or name the groups to draw from without this one"),
            );
        }
    }

    /// Of what is drawn from at one place, something has a weight, and so has a member of each
    /// group. A constraint on its own may have the weight 0: it is left out.
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

    /// What is weighed is a tag or a group.
    pub(super) fn check_weighed(&mut self, name: &Name) {
        fn all<'t>(tag: &'t Tag, names: &mut Vec<&'t str>) {
            names.push(tag.name.rsplit('.').next().unwrap_or(&tag.name));
            tag.children.iter().for_each(|child| all(child, names));
        }
        let group = self.checker.names.peek(self.module, &name.text);
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
