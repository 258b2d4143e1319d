//! Functions of an author (`def`): checked for the types of each call's arguments, then inlined
//! into the calling expression.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::Checker;
use super::lower::{Lowering, NO_NAMES, noun};
use super::names::ItemAt;
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic, Label};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use ifs_predicate::closed::compared_with_language;
use ifs_predicate::tree::{Applied, Node, Tree};
use ifs_predicate::types::{Field, Type};
use ifs_syntax::ast::{self, Arg, DefStmtKind, ItemKind};

/// Limits the size of inlined expressions: nested functions could otherwise exceed the stack and
/// the memory.
const MAX_INLINED_NODES: usize = 20_000;
const MAX_CALL_DEPTH: usize = 200;
/// The most fields and members of the type of a record, at any depth.
const MAX_TYPE_PARTS: usize = 5_000;

/// A body for certain argument types.
struct TypedBody {
    lets: Vec<(String, Tree)>,
    result: Tree,
    ty: Type,
}

impl Checker<'_> {
    /// Checks a function on its own: its names, statements and body for the declared types.
    pub fn def(&mut self, at: ItemAt, written: &ast::Def) {
        if self.defs.sound.contains_key(&at) {
            return;
        }
        // Assumed until it is known, so that a cycle ends.
        self.defs.sound.insert(at, true);
        let errors = self.diagnostics.errors();
        self.def_form(written);
        if self.diagnostics.errors() == errors {
            let types: Vec<Type> =
                written.params.iter().map(|param| self.declared(param)).collect();
            self.lowering(at.module).body(at, written, &types);
        }
        self.defs.sound.insert(at, self.diagnostics.errors() == errors);
    }

    fn declared(&mut self, param: &ast::DefParam) -> Type {
        param.ty.as_ref().map_or(Type::Unknown, |ty| self.written_type(ty))
    }

    /// Reports mistakes that do not depend on arguments.
    pub(super) fn def_form(&mut self, written: &ast::Def) {
        if let Some(function) = ifs_predicate::functions::lookup(&written.name.text) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    format!("`{}` is a function of the language", function.name),
                )
                .label(written.name.span, "")
                .help("choose another name"),
            );
        }
        self.check_name(&written.name, "the name of a function");
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        let lets = written.stmts.iter().filter_map(|stmt| match &stmt.kind {
            DefStmtKind::Let(item) => Some(&item.name),
            DefStmtKind::Return(_) => None,
        });
        let params = written.params.iter().map(|param| &param.name);
        for (name, what) in params
            .map(|name| (name, "the name of a parameter"))
            .chain(lets.map(|name| (name, "the name of a `let`")))
        {
            self.check_name(name, what);
            if let Some(first) = names.insert(&name.text, name.span) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is named twice in `{}`", name.text, written.name.text),
                    )
                    .label(name.span, "second time")
                    .label(first, "first time")
                    .help("give one of them another name"),
                );
            }
        }
        let is_return = |stmt: &&ast::DefStmt| matches!(stmt.kind, DefStmtKind::Return(_));
        let returns: Vec<&ast::DefStmt> = written.stmts.iter().filter(is_return).collect();
        let last = written.stmts.last().map(|stmt| stmt.span);
        match returns.as_slice() {
            _ if written.broken => {}
            [one] if Some(one.span) == last => {}
            [] => self.diagnostics.push(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("`{}` returns nothing", written.name.text),
                )
                .label(written.name.span, "")
                .help("end it with `return EXPRESSION`"),
            ),
            [one, ..] => self.diagnostics.push(
                Diagnostic::error(
                    Code::DUPLICATE_STATEMENT,
                    "what follows `return` is never evaluated",
                )
                .label(one.span, "the result of the function")
                .help("write one `return`, at the end; `if … then … else …` chooses between two"),
            ),
        }
    }
}

impl Lowering<'_, '_> {
    /// Lowers a call of an author's function.
    pub fn apply(
        &mut self,
        at: ItemAt,
        args: &[Arg],
        vars: &Vars,
        span: Span,
    ) -> Option<(Tree, Type)> {
        let item = self.checker.loader.modules[at.module].ast.items[at.item].clone();
        let ItemKind::Def(written) = &item.kind else { return None };
        let name = &written.name.text;
        if self.checker.defs.open.len() >= MAX_CALL_DEPTH {
            // One chain has many calls that are too deep.
            if std::mem::replace(&mut self.checker.defs.is_too_deep, true) {
                return None;
            }
            self.report(
                Diagnostic::error(
                    Code::TOO_DEEP,
                    format!("`{name}` is called by more than {MAX_CALL_DEPTH} functions in a row"),
                )
                .label(span, "")
                .help("write shorter chains of functions"),
            );
            return None;
        }
        if self.checker.defs.open.contains(&at) {
            self.report(
                Diagnostic::error(
                    Code::DEPENDENCY_CYCLE,
                    format!("`{name}` calls itself"),
                )
                .label(span, "")
                .help("functions cannot be recursive; `each`, `where` and `running` go through a list"),
            );
            return None;
        }
        let outside = self.checker.take_used_variables();
        self.checker.def(at, written);
        let mut arguments = Vec::new();
        let mut types = Vec::new();
        self.checker.use_vars(outside);
        for (place, arg) in args.iter().enumerate() {
            if let Some(named) = &arg.name {
                self.report(Diagnostic::error(Code::BAD_ARGUMENT, NO_NAMES).label(named.span, ""));
                return None;
            }
            let (tree, ty) = self.lower(&arg.value, vars)?;
            let Some(param) = written.params.get(place) else {
                self.report(
                    Diagnostic::error(
                        Code::BAD_ARGUMENT,
                        format!("`{name}` takes no more arguments"),
                    )
                    .label(arg.value.span, "")
                    .help(format!("write `{}`", signature(written))),
                );
                return None;
            };
            let wanted = self.checker.declared(param);
            if !ty.fits(&wanted) {
                self.report(
                    Diagnostic::error(
                        Code::BAD_ARGUMENT,
                        format!(
                            "`{}` of `{name}` is {}, not {}",
                            param.name.text,
                            noun(&wanted),
                            noun(&ty)
                        ),
                    )
                    .label(arg.value.span, ""),
                );
                return None;
            }
            arguments.push((param.name.text.clone(), tree));
            types.push(if ty == Type::Unknown { wanted } else { ty });
        }
        if let Some(missing) = written.params.get(args.len()) {
            self.report(
                Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!("`{name}` needs `{}`", missing.name.text),
                )
                .label(span, "")
                .help(format!("write `{}`", signature(written))),
            );
            return None;
        }
        if self.checker.defs.sound.get(&at) == Some(&false) {
            return None;
        }
        let outside = self.checker.take_used_variables();
        let known = self.checker.diagnostics.list.len();
        let body = self.checker.lowering(at.module).body(at, written, &types);
        self.checker.use_vars(outside);
        let Some(TypedBody { lets, result, ty }) = body else {
            // The body is correct for the declared types, so the arguments are wrong.
            for diagnostic in self.checker.diagnostics.list.iter_mut().skip(known) {
                diagnostic.labels.push(Label { span, text: format!("`{name}` is called here") });
            }
            return None;
        };
        let languages = compared_with_language(&result);
        for (_, value) in arguments.iter().filter(|(name, _)| languages.contains(name)) {
            self.compared_argument(value, vars);
        }
        let applied = Applied {
            function: name.clone(),
            arguments,
            lets: Arc::new(lets),
            body: Arc::new(result),
        };
        let tree = Tree::new(Node::Applied(Box::new(applied)), span);
        let mut nodes = 0;
        if !is_small(&tree, 0, &mut nodes) {
            self.report(
                Diagnostic::error(Code::TOO_DEEP, format!("`{name}` is too large here"))
                    .label(span, "with the functions that it calls, it is too long or too deep")
                    .help("give a name to what is used more than once: `let NAME = …` before `return`"),
            );
            return None;
        }
        Some((tree, ty))
    }

    /// Whether the type of a record is small enough to be copied to where it is used. Records of records
    /// may double with each function and each `let`.
    pub(super) fn is_small_type(&mut self, ty: &Type, span: Span) -> bool {
        let parts = ty.parts(MAX_TYPE_PARTS);
        let may_go_on = work::spend(Task::Types, parts.unwrap_or(MAX_TYPE_PARTS) as u64);
        if parts.is_none() {
            self.report(
                Diagnostic::error(
                    Code::TOO_LARGE,
                    format!("the type of this record has more than {MAX_TYPE_PARTS} parts"),
                )
                .label(span, "")
                .help("put fewer records into one another"),
            );
        }
        parts.is_some() && may_go_on
    }

    /// A metric as an expression over the names that it sees.
    pub fn metric(&mut self, written: &ast::Def, names: &[(&str, Field)]) -> Option<(Tree, Type)> {
        let mut vars = Vars::new("a metric");
        for (name, field) in names {
            vars.push_field(name, field);
        }
        let TypedBody { lets, result, ty } = self.in_vars(written, vars)?;
        let own = |(name, _): &(&str, Field)| {
            ((*name).to_owned(), Tree::without_place(Node::Var((*name).to_owned())))
        };
        let function = written.name.text.clone();
        let applied = Applied {
            function,
            arguments: names.iter().map(own).collect(),
            lets: Arc::new(lets),
            body: Arc::new(result),
        };
        Some((Tree::new(Node::Applied(Box::new(applied)), written.name.span), ty))
    }

    /// The body for parameters of these types.
    fn body(&mut self, at: ItemAt, written: &ast::Def, types: &[Type]) -> Option<TypedBody> {
        let mut vars = Vars::new("a function");
        for (param, ty) in written.params.iter().zip(types) {
            vars.push(&param.name.text, ty.clone());
        }
        self.checker.defs.open.push(at);
        let body = self.in_vars(written, vars);
        self.checker.defs.open.pop();
        body
    }

    fn in_vars(&mut self, written: &ast::Def, mut vars: Vars) -> Option<TypedBody> {
        let (mut lets, mut result) = (Vec::new(), None);
        for stmt in &written.stmts {
            match &stmt.kind {
                DefStmtKind::Let(item) => {
                    let lowered = self.lower(&item.value, &vars);
                    let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
                    self.checker.inner_let(&mut vars, &item.name, ty);
                    lets.push(lowered.map(|(tree, _)| (item.name.text.clone(), tree)));
                }
                DefStmtKind::Return(expr) => result = self.lower(expr, &vars),
            }
        }
        let lets: Option<Vec<(String, Tree)>> = lets.into_iter().collect();
        let (lets, (result, ty)) = (lets?, result?);
        Some(TypedBody { lets, result, ty })
    }
}

/// `total(plays, team)`
fn signature(written: &ast::Def) -> String {
    let names: Vec<&str> = written.params.iter().map(|param| param.name.text.as_str()).collect();
    format!("{}({})", written.name.text, names.join(", "))
}

fn is_small(tree: &Tree, depth: usize, nodes: &mut usize) -> bool {
    *nodes += 1;
    depth < MAX_CALL_DEPTH
        && *nodes < MAX_INLINED_NODES
        && tree.children().into_iter().all(|child| is_small(child, depth + 1, nodes))
}
