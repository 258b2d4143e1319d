//! Checks the names, fields, filters and loops of templates against the values that they are
//! rendered with. Errors are found here instead of in the middle of a run.

use std::collections::BTreeSet;

use super::super::lower::{Lowering, noun};
use super::super::names::Symbol;
use super::super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template::{self, NameKind, TemplateFault, TemplateUse};
use ifs_predicate::types::Type;

/// The source of a template.
#[derive(Clone, Copy)]
pub enum TemplateOrigin<'t> {
    /// A string of the scenario.
    Program(Span),
    /// A template file, and the span of its name in the scenario.
    File { name: &'t str, asked: Span },
}

impl TemplateOrigin<'_> {
    fn span(self) -> Span {
        match self {
            TemplateOrigin::Program(span) | TemplateOrigin::File { asked: span, .. } => span,
        }
    }
}

/// The state of checking a template.
struct TemplateCheckState<'a> {
    text: &'a str,
    origin: TemplateOrigin<'a>,
    vars: &'a Vars,
    old: bool,
    /// Names that the template itself binds, in the enclosing loops.
    own: Vec<(String, Type)>,
}

impl Lowering<'_, '_> {
    /// Checks a template: records the names that it uses, and reports invalid ones.
    pub fn template_at(
        &mut self,
        text: &str,
        origin: TemplateOrigin<'_>,
        vars: &Vars,
        old: bool,
        used: &mut BTreeSet<String>,
    ) {
        let names = match template::names_in(text) {
            Ok(names) => names,
            Err(fault) => return self.unreadable(&fault, origin.span()),
        };
        let uses = template::outline(text);
        let mut looked = TemplateCheckState { text, origin, vars, old, own: Vec::new() };
        let called = |name: &str| {
            let is = |found: &TemplateUse| match found {
                TemplateUse::Unknown { what: NameKind::Function, name: called, .. } => {
                    called == name
                }
                _ => false,
            };
            uses.iter().any(is) || NameKind::Function.known().contains(&name)
        };
        let mut missing: BTreeSet<String> = BTreeSet::new();
        for name in names {
            let first = name.split('.').next().unwrap_or(&name).to_owned();
            if vars.is_early(&first) {
                let place = self.span_of_name(&looked, &name);
                self.early_part(&first, place);
            } else if vars.get(&first).is_some() {
                self.checker.use_let(vars, &first);
                used.insert(first);
            } else if !(old && first == "old" || called(&first)) && missing.insert(first.clone()) {
                self.no_name(&looked, &first, &name);
            }
        }
        for found in &uses {
            self.record_use(&mut looked, found);
        }
        self.single_braces(&looked, used);
        if text.trim().is_empty() {
            self.report(
                Diagnostic::error(Code::BAD_TEMPLATE, "this says nothing")
                    .label(origin.span(), "")
                    .help("write what a user would say"),
            );
        }
    }

    fn unreadable(&mut self, fault: &TemplateFault, span: Span) {
        self.report(
            Diagnostic::error(
                Code::BAD_TEMPLATE,
                format!("the template cannot be read: {}", fault.message),
            )
            .label(span, "")
            .help(
                "only names may be in `{{ … }}`; bind computed values above: \
                 `let NAME = …`",
            ),
        );
    }

    /// The span of a name or path in a template; the complete template if it cannot be located.
    fn span_of_name(&mut self, looked: &TemplateCheckState<'_>, name: &str) -> Span {
        if let TemplateOrigin::Program(span) = looked.origin {
            return self.place_in(span, name);
        }
        let uses = template::outline(looked.text);
        let range = uses.iter().find_map(|found| match found {
            TemplateUse::Name { path, range, .. } if path.join(".").starts_with(name) => {
                Some(*range)
            }
            _ => None,
        });
        self.span_in_template(looked, range.unwrap_or((0, 0)), name)
    }

    /// Bytes of a template as a span. In a string the word is searched for, because escapes make
    /// the source longer than the text.
    fn span_in_template(
        &mut self,
        looked: &TemplateCheckState<'_>,
        range: (usize, usize),
        word: &str,
    ) -> Span {
        let (name, asked) = match looked.origin {
            TemplateOrigin::Program(span) => return self.place_in(span, word),
            TemplateOrigin::File { name, asked } => (name, asked),
        };
        let file = self.checker.template_source(name, looked.text);
        file.map_or(asked, |file| Span::new(file, range.0, range.1))
    }

    fn no_name(&mut self, looked: &TemplateCheckState<'_>, first: &str, name: &str) {
        let place = self.span_of_name(looked, name);
        let in_constraint = matches!(looked.vars.place, "a text" | "a check");
        if in_constraint && let Some(diagnostic) = self.of_a_dialogue(first, place) {
            self.report(diagnostic);
            return;
        }
        let known: Vec<String> = looked.vars.known_names().map(str::to_owned).collect();
        let mut diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("there is no `{first}` in this template"),
        )
        .label(place, "");
        let symbol = self.checker.names.look_up_quietly(self.module, first);
        if first == "old" {
            diagnostic = diagnostic.help("only `change` can use the old values");
        } else if matches!(symbol, Some(Symbol::Let(_))) {
            diagnostic = diagnostic.help(match in_constraint {
                true => format!(
                    "texts see no constants of the file: write the value of `{first}`, or give it \
                     to a parameter"
                ),
                false => format!(
                    "texts see no constants of the file: write `let NAME = {first}` in the \
                     dialogue, and `{{{{ NAME }}}}` here"
                ),
            });
            self.report(diagnostic);
            return;
        } else if let (TemplateOrigin::File { .. }, [_, ..]) = (looked.origin, known.as_slice()) {
            let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
            let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
            diagnostic = diagnostic.help(format!("it knows {}", known.join(", ")));
        }
        let diagnostic = diagnostic.did_you_mean(first, known.iter().map(String::as_str));
        self.report(diagnostic);
    }

    fn record_use(&mut self, looked: &mut TemplateCheckState<'_>, found: &TemplateUse) {
        match found {
            TemplateUse::Name { path, range, guarded } => {
                if !guarded {
                    self.path(looked, path, *range);
                }
            }
            TemplateUse::For { members, list, range } => {
                let ty = list.as_ref().and_then(|path| looked.ty(path));
                // The names of a loop end with it.
                looked.own.push((String::new(), Type::Unknown));
                let member = match ty {
                    Some(Type::List(of)) => *of,
                    Some(Type::Text) => Type::Text,
                    Some(
                        ty @ (Type::Int | Type::Float | Type::Bool | Type::Clock | Type::Image),
                    ) => {
                        let path = list.as_ref().map(|path| path.join(".")).unwrap_or_default();
                        let place = self.span_in_template(looked, *range, &path);
                        self.report(
                            Diagnostic::error(
                                Code::WRONG_TYPE,
                                format!("`{path}` is {}, but `for` requires a list", noun(&ty)),
                            )
                            .label(place, "")
                            .help(format!(
                                "write `{{{{ {path} }}}}` for the value itself, or go through a list"
                            )),
                        );
                        Type::Unknown
                    }
                    _ => Type::Unknown,
                };
                let [only] = members.as_slice() else {
                    looked.own.extend(members.iter().map(|name| (name.clone(), Type::Unknown)));
                    return;
                };
                looked.own.push((only.clone(), member));
            }
            TemplateUse::EndFor => {
                let start = looked.own.iter().rposition(|(name, _)| name.is_empty());
                looked.own.truncate(start.unwrap_or(0));
            }
            TemplateUse::Set { name, value } => {
                let ty = value.as_ref().and_then(|path| looked.ty(path));
                looked.own.push((name.clone(), ty.unwrap_or(Type::Unknown)));
            }
            TemplateUse::Unknown { what, name, range } => self.unknown(looked, *what, name, *range),
        }
    }

    /// Reports fields that do not exist.
    fn path(&mut self, looked: &TemplateCheckState<'_>, path: &[String], range: (usize, usize)) {
        let Some((first, fields)) = path.split_first() else { return };
        let Some(mut ty) = looked.name(first) else { return };
        let mut before = first.clone();
        for field in fields {
            let next = match &ty {
                Type::Record(known) => match known.get(field) {
                    Some(known) => known.ty.clone(),
                    None => {
                        let have: Vec<String> =
                            known.keys().map(|field| format!("`{field}`")).collect();
                        let diagnostic = Diagnostic::error(
                            Code::UNKNOWN_FIELD,
                            format!("`{before}` has no field `{field}`"),
                        )
                        .label(self.span_in_template(looked, range, &path.join(".")), "")
                        .help(format!("it has {}", have.join(", ")))
                        .did_you_mean(field, known.keys().map(String::as_str));
                        self.report(diagnostic);
                        return;
                    }
                },
                Type::Unknown => return,
                Type::List(_) => {
                    let place = self.span_in_template(looked, range, &path.join("."));
                    self.report(
                        Diagnostic::error(
                            Code::UNKNOWN_FIELD,
                            format!("`{before}` is a list, and a list has no field `{field}`"),
                        )
                        .label(place, "")
                        .help(format!(
                            "go through it: `{{% for one in {before} %}}{{{{ one.{field} }}}}{{% endfor %}}`"
                        )),
                    );
                    return;
                }
                other => {
                    let message =
                        format!("`{before}` is {}, and has no field `{field}`", noun(other));
                    let place = self.span_in_template(looked, range, &path.join("."));
                    self.report(Diagnostic::error(Code::UNKNOWN_FIELD, message).label(place, ""));
                    return;
                }
            };
            ty = next;
            before = format!("{before}.{field}");
        }
    }

    fn unknown(
        &mut self,
        looked: &TemplateCheckState<'_>,
        what: NameKind,
        name: &str,
        range: (usize, usize),
    ) {
        let place = match (looked.origin, what) {
            (TemplateOrigin::Program(span), NameKind::Method) => {
                let written = self.checker.loader.sources.text(span).find(&format!(".{name}"));
                written.map_or(span, |at| {
                    let start = span.start as usize + at + 1;
                    Span::new(span.file, start, start + name.len())
                })
            }
            _ => self.span_in_template(looked, range, name),
        };
        let diagnostic = match what {
            NameKind::Method => {
                let filter = NameKind::Filter.known().contains(&name);
                let help = match filter {
                    true => format!("write it as a filter: `{{{{ VALUE | {name} }}}}`"),
                    false => "filters do such things: `{{ VALUE | upper }}`".to_owned(),
                };
                Diagnostic::error(
                    Code::UNKNOWN_FILTER,
                    format!("values of a template have no method `{name}`"),
                )
                .label(place, "")
                .help(help)
            }
            NameKind::Function if NameKind::Filter.known().contains(&name) => Diagnostic::error(
                Code::UNKNOWN_FILTER,
                format!("templates have no function `{name}`"),
            )
            .label(place, "")
            .help(format!("it is a filter: `{{{{ VALUE | {name} }}}}`")),
            what => Diagnostic::error(
                Code::UNKNOWN_FILTER,
                format!("templates have no {} `{name}`", what.word()),
            )
            .label(place, "")
            .help("`ifs explain unknown-filter` says which there are")
            .did_you_mean(name, what.known().iter().copied()),
        };
        self.report(diagnostic);
    }

    /// `{n}` for a known name `n`, which would be sent unchanged.
    fn single_braces(&mut self, looked: &TemplateCheckState<'_>, used: &mut BTreeSet<String>) {
        for (path, range) in template::single_braces(looked.text) {
            let first = path.split('.').next().unwrap_or(&path);
            if looked.vars.get(first).is_none() {
                continue;
            }
            // It counts as used, so there is no further diagnostic.
            used.insert(first.to_owned());
            self.checker.use_let(looked.vars, first);
            let place = match looked.origin {
                TemplateOrigin::Program(span) => {
                    let source = self.checker.loader.sources.text(span);
                    let written = source.find(&looked.text[range.0..range.1]);
                    written.map_or(span, |at| {
                        let start = span.start as usize + at;
                        Span::new(span.file, start, start + range.1 - range.0)
                    })
                }
                TemplateOrigin::File { .. } => self.span_in_template(looked, range, &path),
            };
            self.report(
                Diagnostic::warning(
                    Code::SINGLE_BRACES,
                    format!("`{{{path}}}` is sent as it is written, not as the value of `{path}`"),
                )
                .label(place, "single braces")
                .help(format!(
                    "write `{{{{ {path} }}}}`; if braces are meant, `{{{{ \"{{{path}}}\" }}}}`"
                )),
            );
        }
    }
}

impl TemplateCheckState<'_> {
    /// The type of a name, if it is known.
    fn name(&self, name: &str) -> Option<Type> {
        let own = self.own.iter().rev().find(|(known, _)| known == name);
        if let Some((_, ty)) = own {
            return Some(ty.clone());
        }
        if self.old && name == "old" {
            return None;
        }
        self.vars.get(name).cloned()
    }

    /// The type of a path, if it is known.
    fn ty(&self, path: &[String]) -> Option<Type> {
        let (first, fields) = path.split_first()?;
        fields.iter().try_fold(self.name(first)?, |ty, field| match ty {
            Type::Record(fields) => fields.get(field).map(|field| field.ty.clone()),
            _ => None,
        })
    }
}
