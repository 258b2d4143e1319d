//! `impose`: constraints that are drawn, and one that is given with its arguments.

use super::{COUNTS, DialogueChecker};
use crate::allowed::{notation, unfit};
use crate::check::Checker;
use crate::lower::known_value;
use crate::names::Symbol;
use crate::table::{
    CalledConstraint, Constraint, Domain, Impose, ImposedConstraint, Param, Scope, Speaker,
};
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Arg, Expr, ExprKind, ItemKind, MemberKind, Path};

/// The imposed constraints: a number of them from groups, or one constraint.
enum ImposedSource {
    Drawn { low: Tree, high: Tree, new_group: bool, from: Vec<String> },
    Given(ImposedConstraint, String),
    Called(CalledConstraint, Vec<String>),
}

impl DialogueChecker<'_, '_> {
    /// Lowers an `impose`. `names` are those of its turn; `None` in a dialogue.
    pub fn impose(
        &mut self,
        written: &ast::Impose,
        span: Span,
        names: Option<&Vars>,
    ) -> Option<Impose> {
        let mut vars = names.unwrap_or(&self.vars).for_place("`impose`");
        for count in COUNTS {
            if vars.get(count.name()).is_none() {
                vars.push_fact(count, Type::Int);
            }
        }
        let since = written.since.as_ref().map(|turn| self.imposed_since(turn, &vars));
        let what = match &written.what {
            ast::ImposeTarget::Drawn { count, new_group, from } => {
                self.drawn(count, *new_group, from, span, &vars)
            }
            ast::ImposeTarget::Called { name, given, from, unsaid } => {
                self.imposed_by_alias(name, given.as_ref(), from, *unsaid, &vars)
            }
            ast::ImposeTarget::Given { path, args, span: place } => {
                match count_of(path, args.as_deref(), &vars) {
                    Some(count) => self.drawn(&count, false, &[], span, &vars),
                    None => {
                        self.imposed_by_name(path, args.as_deref().unwrap_or(&[]), *place, &vars)
                    }
                }
            }
        };
        let (by, against) = self.spoken(written, span, names.is_some(), &vars)?;
        let scope = match &written.scope {
            // The system message is for the dialogue.
            None if by == Speaker::System => Some(Scope::Dialogue),
            Some(name) => self.scope(name),
            // The dialogue's own constraints are for all its turns, and imposed once.
            None if names.is_none()
                && matches!(what, Some(ImposedSource::Given(..) | ImposedSource::Called(..))) =>
            {
                Some(Scope::Dialogue)
            }
            None => Some(Scope::Turn),
        };
        let probability = match &written.probability {
            Some(expr) => Some(self.lowering().expect(expr, &Type::Float, &vars)?),
            None => None,
        };
        let applies = match &written.applies {
            Some(expr) => {
                let vars = vars.clone().counts(&[TurnFact::Reply, TurnFact::Age]);
                Some(self.lowering().expect(expr, &Type::Bool, &vars)?)
            }
            None => None,
        };
        if let Some(Value::Float(share)) = probability.as_ref().and_then(known_value)
            && !(0.0..=1.0).contains(&share)
        {
            self.report(
                Diagnostic::error(Code::BAD_WEIGHT, format!("{share} is not a probability"))
                    .label(written.probability.as_ref().map_or(span, |expr| expr.span), "")
                    .help("a probability is from 0 to 1"),
            );
        }
        let since = match since {
            Some(since) => Some(since?),
            None => None,
        };
        let scope = scope?;
        let one = || Tree::without_place(Node::Value(Value::Int(1)));
        let (mut low, mut high, mut is_new, mut of_name, mut of_alias) =
            (one(), one(), false, None, None);
        let from = match what? {
            ImposedSource::Drawn { low: least, high: most, new_group, from } => {
                (low, high, is_new) = (least, most, new_group);
                from
            }
            ImposedSource::Given(given, group) => {
                of_name = Some(given);
                vec![group]
            }
            ImposedSource::Called(called, from) => {
                of_alias = Some(Box::new(called));
                from
            }
        };
        Some(Impose {
            low,
            high,
            new_group: is_new,
            from,
            given: of_name,
            called: of_alias,
            since,
            scope,
            by,
            against,
            probability,
            applies,
            span,
        })
    }

    /// The constraint with an alias, which only the record of the dialogue names.
    fn imposed_by_alias(
        &mut self,
        name: &Expr,
        given: Option<&Expr>,
        from: &[Path],
        unsaid: bool,
        vars: &Vars,
    ) -> Option<ImposedSource> {
        let name = self.lowering().expect(name, &Type::Text, vars);
        let given = match given {
            Some(expr) => {
                let (tree, ty) = self.lowering().lower(expr, vars)?;
                if !matches!(ty, Type::Record(_) | Type::Unknown) {
                    self.report(
                        Diagnostic::error(
                            Code::WRONG_TYPE,
                            format!("{} where a record of arguments is expected", ty.noun()),
                        )
                        .label(expr.span, "the arguments by their published names")
                        .help("write a field of the record, or `{ NAME: VALUE }`"),
                    );
                    return None;
                }
                Some(tree)
            }
            None => None,
        };
        let groups = self.checker.groups_named(self.module, from);
        let place = from.first()?.span;
        let named = |group: &String| {
            let at = self.checker.group_places.get(group)?;
            let group = self.checker.model.groups.get(*at)?;
            group.constraints.iter().any(|one| !one.aliases.is_empty()).then_some(())
        };
        if !groups.is_empty() && groups.iter().filter_map(named).next().is_none() {
            self.report(
                Diagnostic::error(Code::UNKNOWN_NAME, "no constraint here has an alias")
                    .label(place, "`called` looks for an `alias`")
                    .help(
                        "write `alias \"NAME\"` in the constraints, or name a module that has them, \
                         such as `std.ifeval`",
                    ),
            );
            return None;
        }
        (!groups.is_empty()).then_some(ImposedSource::Called(
            CalledConstraint { name: name?, given, unsaid },
            groups,
        ))
    }

    fn imposed_since(&mut self, turn: &Expr, vars: &Vars) -> Option<Tree> {
        let tree = self.lowering().expect(turn, &Type::Int, vars)?;
        if let Some(Value::Int(number @ ..=0)) = known_value(&tree) {
            self.report(
                Diagnostic::error(Code::BAD_NUMBER, format!("there is no turn {number}"))
                    .label(turn.span, "")
                    .help("turns are counted from 1: `from turn 1 impose …` acts on all of them"),
            );
            return None;
        }
        Some(tree)
    }

    fn drawn(
        &mut self,
        count: &Expr,
        new_group: bool,
        from: &[Path],
        span: Span,
        vars: &Vars,
    ) -> Option<ImposedSource> {
        if self.is_constraint_called(count) {
            return None;
        }
        let ends = self.lowering().ends(count, &Type::Int, vars);
        let from = self.checker.groups_named(self.module, from);
        self.imposes |= from.is_empty();
        self.imposed.extend(from.iter().map(|group| (group.clone(), span)));
        let (low, high) = ends?;
        Some(ImposedSource::Drawn { low, high, new_group, from })
    }

    /// Reports a constraint whose arguments have no names, which looks like a function call.
    fn is_constraint_called(&mut self, count: &Expr) -> bool {
        let (first, name) = match &count.kind {
            ExprKind::Call(name, _) => (name, name),
            ExprKind::Method(of, name, _) => match first_name(of) {
                Some(first) => (first, name),
                None => return false,
            },
            _ => return false,
        };
        let symbol = self.checker.names.look_up_quietly(self.module, &first.text);
        if !matches!(symbol, Some(Symbol::Group(_))) && first.text != "std" {
            return false;
        }
        self.report(
            Diagnostic::error(Code::BAD_ARGUMENT, "the arguments of a constraint have names")
                .label(count.span, "")
                .help(format!("write `{}(PARAMETER: VALUE, …)`", name.text)),
        );
        true
    }

    fn imposed_by_name(
        &mut self,
        path: &Path,
        args: &[Arg],
        place: Span,
        vars: &Vars,
    ) -> Option<ImposedSource> {
        let names = self.checker.constraints_named(self.module, path, None);
        let [name] = names.as_slice() else {
            if !names.is_empty() {
                self.report_several(path, &names);
            }
            return None;
        };
        let constraint = self.checker.constraint(name)?.clone();
        if constraint.relation.is_some() {
            self.report(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("`{name}` is the meaning of a relation, and is not imposed"),
                )
                .label(path.span, "")
                .help("write the relation after the name of a turn: `turn b refines a`"),
            );
            return None;
        }
        let group = self.checker.group_of(name)?;
        let params = self.given_params(&constraint, args, place, vars)?;
        Some(ImposedSource::Given(ImposedConstraint { constraint: name.clone(), params }, group))
    }

    fn report_several(&mut self, path: &Path, names: &[String]) {
        let example = names.first().and_then(|name| self.checker.constraint(name));
        let example = example.map(|constraint| example_call(constraint, &path.text()));
        self.report(
            Diagnostic::error(
                Code::WRONG_TYPE,
                format!("`{}` is a group of {} constraints", path.text(), names.len()),
            )
            .label(path.span, "one constraint is imposed by its name")
            .help(format!(
                "name one of them: `impose {}`, or draw one: `impose 1 from {}`",
                example.unwrap_or_default(),
                path.text()
            )),
        );
    }

    /// The parameters of a constraint, with their arguments.
    fn given_params(
        &mut self,
        constraint: &Constraint,
        args: &[Arg],
        place: Span,
        vars: &Vars,
    ) -> Option<Vec<Param>> {
        let before = self.checker.diagnostics.errors();
        let known_params = || constraint.params.iter().map(|param| param.name.as_str());
        for (at, arg) in args.iter().enumerate() {
            let Some(name) = &arg.name else { continue };
            let same = |other: &&Arg| other.name.as_ref().is_some_and(|it| it.text == name.text);
            if let Some(first) = args[..at].iter().find(same).and_then(|arg| arg.name.as_ref()) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is given twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first.span, "first time")
                    .help("keep one of them"),
                );
            }
            if !known_params().any(|known| known == name.text) {
                let parameters: Vec<String> =
                    known_params().map(|name| format!("`{name}`")).collect();
                let diagnostic = Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    format!("`{}` has no parameter `{}`", constraint.name, name.text),
                )
                .label(name.span, "");
                let diagnostic = diagnostic.did_you_mean(&name.text, known_params());
                let diagnostic = match parameters.as_slice() {
                    [] => diagnostic.help("it has no parameters: leave the parentheses out"),
                    all => diagnostic.help(format!("its parameters are {}", all.join(", "))),
                };
                self.report(diagnostic);
            }
        }
        let of = |param: &Param| {
            args.iter().find(|arg| arg.name.as_ref().is_some_and(|name| name.text == param.name))
        };
        let missing: Vec<&Param> =
            constraint.params.iter().filter(|param| of(param).is_none()).collect();
        // A misspelt argument is not reported as missing too.
        if !missing.is_empty() && self.checker.diagnostics.errors() == before {
            let names: Vec<String> =
                missing.iter().map(|param| format!("`{}`", param.name)).collect();
            let mut diagnostic = Diagnostic::error(
                Code::BAD_ARGUMENT,
                format!("`{}` needs {}", constraint.name, names.join(", ")),
            )
            .label(place, "every parameter is given")
            .help(format!("write `impose {}`", example_call(constraint, &constraint.name)));
            if !constraint.library {
                for param in &missing {
                    diagnostic = diagnostic.label(param.span, "declared here");
                }
            }
            self.report(diagnostic);
        }
        let mut given: Vec<Param> = Vec::new();
        let mut values: Vec<(String, Value)> = Vec::new();
        for param in &constraint.params {
            let Some(arg) = of(param) else { continue };
            let Some(tree) = self.lowering().expect(&arg.value, &param.ty, vars) else { continue };
            if let Some(value) = known_value(&tree) {
                let value = as_declared(value, &param.ty);
                self.check_allowed(constraint, param, &value, arg.value.span, &values);
                values.push((param.name.clone(), value));
            }
            let domain = Domain::Choices(vec![(tree, 1)]);
            given.push(Param { domain, evolve: None, ..param.clone() });
        }
        (self.checker.diagnostics.errors() == before).then_some(given)
    }

    fn check_allowed(
        &mut self,
        constraint: &Constraint,
        param: &Param,
        value: &Value,
        place: Span,
        before: &[(String, Value)],
    ) {
        let before: &dyn Variables = &before;
        let Some(wanted) = unfit(constraint, param, value, before) else { return };
        let mut diagnostic = Diagnostic::error(
            Code::BAD_DOMAIN,
            format!(
                "`{}` is outside of the domain of `{}` of `{}`",
                notation(value),
                param.name,
                constraint.name
            ),
        )
        .label(place, "not a value of the parameter")
        .help(format!("`{}` is {wanted}", param.name));
        if !constraint.library {
            diagnostic = diagnostic.label(param.span, "declared here");
        }
        self.report(diagnostic);
    }
}

impl Checker<'_> {
    /// The group of a constraint.
    fn group_of(&self, constraint: &str) -> Option<String> {
        let (group, _) = self.constraint_places.get(constraint)?;
        Some(self.model.groups.get(*group)?.name.clone())
    }

    /// Reports a path to a member where groups are expected.
    pub(super) fn is_member_alone(&mut self, module: usize, path: &Path) -> bool {
        let [.., last] = path.names.as_slice() else { return false };
        let before = self.diagnostics.list.len();
        let found = self.find_first(module, path);
        // Mistakes in the path are reported where it is resolved completely.
        self.diagnostics.list.truncate(before);
        let Some((Symbol::Group(at), [_])) = found else {
            return false;
        };
        let ItemKind::Group(group) = &self.loader.modules[at.module].ast.items[at.item].kind else {
            return false;
        };
        let is_member = group.members.iter().any(|member| match &member.kind {
            MemberKind::Constraint(constraint) => constraint.name.text == last.text,
            MemberKind::Test(_) => false,
        });
        if !is_member {
            return false;
        }
        let constraint = self
            .group(at)
            .and_then(|group| self.constraint(&format!("{group}.{}", last.text)))
            .map(|constraint| example_call(constraint, &path.text()));
        let names = &path.names[..path.names.len() - 1];
        let group: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let group = group.join(".");
        self.diagnostics.push(
            Diagnostic::error(
                Code::WRONG_TYPE,
                format!("`{}` is a member of the group `{group}`", path.text()),
            )
            .label(path.span, "constraints are drawn from groups")
            .help(format!(
                "draw from the group, `from {group}`, or impose this one: `impose {}`",
                constraint.unwrap_or_else(|| path.text())
            )),
        );
        true
    }
}

/// A single name that is a number instead of a constraint.
fn count_of(path: &Path, args: Option<&[Arg]>, vars: &Vars) -> Option<Expr> {
    let (first, rest) = path.names.split_first()?;
    if args.is_some() || vars.get(&first.text).is_none() {
        return None;
    }
    let start = Expr { kind: ExprKind::Name(first.clone()), span: first.span };
    Some(rest.iter().fold(start, |of, name| {
        let span = of.span.to(name.span);
        Expr { kind: ExprKind::Field(Box::new(of), name.clone()), span }
    }))
}

fn first_name(expr: &Expr) -> Option<&ast::Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Field(of, _) => first_name(of),
        _ => None,
    }
}

/// Converts an integer for a parameter that is a fraction.
fn as_declared(value: Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Int(number), Type::Float) => Value::Float(number as f64),
        (value, _) => value,
    }
}

/// An example of a constraint with values for its parameters, for the reader to edit.
pub(super) fn example_call(constraint: &Constraint, name: &str) -> String {
    fn example(param: &Param) -> String {
        let first = match &param.domain {
            Domain::Int { low, .. } | Domain::Float { low, .. } => known_value(low),
            Domain::Choices(choices) => choices.first().and_then(|(tree, _)| known_value(tree)),
            Domain::OneOf(list) => match known_value(list) {
                Some(Value::List(members)) => members.first().cloned(),
                _ => None,
            },
            Domain::Some { .. } | Domain::Window { .. } | Domain::Scene(_) | Domain::Given => None,
        };
        first.map_or_else(|| of_type(&param.ty), |value| notation(&value))
    }
    fn of_type(ty: &Type) -> String {
        match ty {
            Type::Int => "50".to_owned(),
            Type::Float => "0.5".to_owned(),
            Type::Bool => "true".to_owned(),
            Type::List(of) => format!("[{}]", of_type(of)),
            Type::Text => "\"…\"".to_owned(),
            _ => "…".to_owned(),
        }
    }
    let name = match name.rsplit_once('.') {
        _ if constraint.name.ends_with(name) || name.ends_with(&constraint.name) => name.to_owned(),
        // A group that has another name here.
        _ => {
            let member = constraint.name.rsplit('.').next().unwrap_or_default();
            format!("{name}.{member}")
        }
    };
    if constraint.params.is_empty() {
        return name;
    }
    let args: Vec<String> = constraint
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, example(param)))
        .collect();
    format!("{name}({})", args.join(", "))
}
