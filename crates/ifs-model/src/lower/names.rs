//! Names, units and patterns, fields and members of what they are.

use super::{Lowering, RESPONSE, TypedTree, foreign_function, noun};

use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use ifs_predicate::functions;
use ifs_predicate::tree::{Node, Pattern, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Expr, Name};
use ifs_text::{LANGUAGES_ARE_IDENTIFIED, UNITS, Unit};

/// The bytes of an automaton that take as long to make as a step of other work.
const BYTES_PER_STEP: u64 = 5;

impl Lowering<'_, '_> {
    pub fn early_part(&mut self, name: &str, span: Span) {
        self.report(
            Diagnostic::error(
                Code::UNKNOWN_NAME,
                format!("`{name}` is a part of the response, which does not exist yet"),
            )
            .label(span, "comes before the answer")
            .help("parts have values in `require`, and in the `check` of a fact"),
        );
    }

    pub(super) fn name(&mut self, name: &Name, vars: &Vars) -> Option<TypedTree> {
        let span = name.span;
        if let Some(ty) = vars.get(&name.text) {
            let ty = ty.clone();
            if vars.is_early(&name.text) {
                self.early_part(&name.text, span);
                return None;
            }
            self.checker.use_var(&name.text);
            self.checker.use_let(vars, &name.text);
            self.checker.note_type(span, &ty);
            let node = match vars.fact_called(&name.text) {
                Some(fact) => Node::Fact(fact),
                None => Node::Var(name.text.clone()),
            };
            return Some((Tree::new(node, span), ty));
        }
        if let Some((value, ty)) = self.checker.constant_named(self.module, name) {
            self.checker.note_type(span, &ty);
            return Some((Tree::new(Node::Value(value), span), ty));
        }
        if self.checker.names.has_syntax_error(self.module, &name.text)
            || self.checker.failed_let(self.module, &name.text)
        {
            return None;
        }
        if matches!(vars.place, "a check" | "a parameter" | "`applies when`")
            && let Some(diagnostic) = self.of_a_dialogue(&name.text, span)
        {
            self.report(diagnostic);
            return None;
        }
        let mut diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("there is no `{}` in {}", name.text, vars.place),
        )
        .label(span, "");
        if let Some(symbol) = self.checker.names.look_up_quietly(self.module, &name.text) {
            diagnostic.message = format!(
                "`{}` is {}, which has no value in {}",
                name.text,
                symbol.noun(),
                vars.place
            );
            let units = UNITS.iter().map(|unit| unit.name);
            diagnostic = diagnostic.did_you_mean(&name.text, units);
        } else if vars.place == "a column" {
            diagnostic = diagnostic.help(format!(
                "an expression knows the columns above it: declare `column {}: TYPE` there",
                name.text
            ));
        } else if matches!(vars.place, "`when`" | "`end when`") {
            let truths = vars.known_names().filter(|known| vars.get(known) == Some(&Type::Bool));
            diagnostic = diagnostic
                .help(format!(
                    "what a response shows is observed in a turn before: `observe {} CONDITION`, or \
                     `observe {} judge \"QUESTION?\"`",
                    name.text, name.text
                ))
                .did_you_mean(&name.text, truths);
        } else if let Some(function) = functions::lookup(&name.text) {
            diagnostic = diagnostic.help(format!(
                "`{}` is a function: `{}`",
                name.text,
                function.signature()
            ));
            if function.subject && function.least_arguments() == 1 {
                return self.call(name, &[], vars, span);
            }
        } else {
            let known = vars.known_names().chain(self.checker.names.known_names(self.module));
            let units = UNITS.iter().map(|unit| unit.name);
            diagnostic = diagnostic.did_you_mean(&name.text, known.chain(units));
            if vars.it.is_some() && RESPONSE.contains(&name.text.as_str()) {
                diagnostic.help = Some(
                    "the response is called `it`, and what counts or searches is about it already: \
                     `len(it)`, `count(word)`, `contains(\"…\")`"
                        .to_owned(),
                );
            } else if diagnostic.help.is_none() && matches!(vars.it, Some(Type::Record(_))) {
                diagnostic.help = Some(format!(
                    "the current record is called `it`: write `it` in the place of `{}`",
                    name.text
                ));
            } else if let Some(instead) = foreign_function(&name.text) {
                diagnostic.help = Some(instead.to_owned());
            } else if diagnostic.help.is_none() && vars.it.is_some() {
                diagnostic =
                    diagnostic.help(format!("a text is written with quotes: `\"{}\"`", name.text));
            }
        }
        self.report(diagnostic);
        None
    }

    pub(super) fn unit(&mut self, name: &Name) -> Option<Unit> {
        if let Some(unit) = Unit::from_name(&name.text) {
            if unit == Unit::WordIcu && !LANGUAGES_ARE_IDENTIFIED {
                return self.report_missing_feature(Code::BAD_UNIT, name, "languages");
            }
            return Some(unit);
        }
        let mut diagnostic =
            Diagnostic::error(Code::BAD_UNIT, format!("there is no unit `{}`", name.text))
                .label(name.span, "")
                .did_you_mean(&name.text, UNITS.iter().map(|unit| unit.name));
        if let Some((unit, _)) = name.text.split_once('.')
            && diagnostic.help.is_none()
        {
            diagnostic = diagnostic
                .help(format!("`{unit}` is a unit of text, so a record needs another name"));
        }
        self.report(diagnostic);
        None
    }

    pub(super) fn regex(&mut self, regex: &ast::Regex, span: Span) -> Option<TypedTree> {
        if let Some(flag) = regex.flags.chars().find(|flag| !"ims".contains(*flag)) {
            return self.fail(
                Code::BAD_REGEX,
                span,
                &format!("there is no flag `{flag}`; there are `i`, `m` and `s`"),
            );
        }
        let key = (regex.pattern.clone(), regex.flags.clone());
        let known = self.checker.patterns.get(&key).cloned();
        let pattern = match known {
            Some(known) => Ok(known),
            // Nothing is claimed of a scenario that takes too much work.
            None if work::is_exhausted() => return None,
            None => Pattern::new(&regex.pattern, &regex.flags).compiled(),
        };
        match pattern {
            Ok(pattern) => {
                self.checker.patterns.insert(key, pattern.clone());
                Some((Tree::new(Node::Pattern(pattern), span), Type::Pattern))
            }
            Err(error) => {
                if let regex::Error::CompiledTooBig(bytes) = &error {
                    work::spend(Task::Evaluation, *bytes as u64 / BYTES_PER_STEP);
                }
                let message = error.to_string();
                let why = message
                    .lines()
                    .last()
                    .unwrap_or("")
                    .trim()
                    .trim_start_matches("error: ")
                    .to_owned();
                let mut diagnostic =
                    Diagnostic::error(Code::BAD_REGEX, format!("not a regular expression: {why}"))
                        .label(span, "");
                if why.contains("look-around") || why.contains("backreference") {
                    diagnostic = diagnostic
                        .help("patterns run in linear time, so they cannot look around or back; use `and`, `not` and several patterns");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn list(&mut self, members: &[Expr], vars: &Vars, span: Span) -> Option<TypedTree> {
        let (mut trees, mut of) = (Vec::new(), Type::Unknown);
        for member in members {
            let (tree, ty) = self.lower(member, vars)?;
            if ty.fits(&of) {
                if of == Type::Unknown {
                    of = ty;
                }
            } else if of.fits(&ty) {
                of = ty;
            } else {
                let message =
                    format!("{} in a list of which the first member is {}", noun(&ty), noun(&of));
                return self.fail(Code::WRONG_TYPE, member.span, &message);
            }
            trees.push(tree);
        }
        let values: Option<Vec<Value>> = trees
            .iter()
            .map(|tree| match &tree.node {
                Node::Value(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        let node = values.map_or(Node::List(trees), |values| Node::Value(Value::list(values)));
        Some((Tree::new(node, span), Type::list(of)))
    }

    /// The type of a field; of a list of records, the list of that field.
    pub(super) fn field(&mut self, ty: &Type, name: &Name) -> Option<Type> {
        match ty {
            Type::Unknown => Some(Type::Unknown),
            Type::List(of) if matches!(**of, Type::Record(_)) => {
                self.field(of, name).map(Type::list)
            }
            Type::Record(fields) => match fields.get(&name.text) {
                Some(field) => {
                    self.checker.note_type(name.span, &field.ty);
                    Some(field.ty.clone())
                }
                None => {
                    let have: Vec<String> =
                        fields.keys().map(|field| format!("`{field}`")).collect();
                    let diagnostic = Diagnostic::error(
                        Code::UNKNOWN_FIELD,
                        format!("there is no field `{}`", name.text),
                    )
                    .label(name.span, "")
                    .help(format!("there are {}", have.join(", ")))
                    .did_you_mean(&name.text, fields.keys().map(String::as_str));
                    self.report(diagnostic);
                    None
                }
            },
            other => {
                self.fail(Code::UNKNOWN_FIELD, name.span, &format!("{} has no fields", noun(other)))
            }
        }
    }

    pub(super) fn member(&mut self, ty: &Type, span: Span) -> Option<Type> {
        match ty {
            Type::List(of) => Some((**of).clone()),
            Type::Unknown => Some(Type::Unknown),
            other => {
                let diagnostic = Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("{} where a list is expected", noun(other)),
                )
                .label(span, "")
                .help("write a unit (`every sentence: …`) or a list");
                self.report(diagnostic);
                None
            }
        }
    }

    pub(super) fn index(
        &mut self,
        inner: &Expr,
        at: &Expr,
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
        let (list, list_ty) = self.lower(inner, vars)?;
        let member = self.member(&list_ty, inner.span)?;
        let (at_tree, at_ty) = self.lower(at, vars)?;
        let ty = match at_ty {
            Type::Int | Type::Unknown => member,
            Type::Range => list_ty,
            other => {
                return self.fail(
                    Code::WRONG_TYPE,
                    at.span,
                    &format!("{} as an ordinal", noun(&other)),
                );
            }
        };
        if matches!(at_tree.node, Node::Value(Value::Int(0))) {
            let diagnostic = Diagnostic::error(Code::BAD_NUMBER, "there is no member 0")
                .label(at.span, "")
                .help("the first is 1, the last is -1");
            self.report(diagnostic);
            return None;
        }
        Some((Tree::new(Node::Index(Box::new(list), Box::new(at_tree)), span), ty))
    }
}
