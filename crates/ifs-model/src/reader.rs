//! Readers, which extract a part of a response: `numbered`, `between("<c>", "</c>")`, `bullets in
//! section("Formal")`.

use super::dialogue::DialogueChecker;
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::parts::{PartReader, READERS, ReaderEntry, ReaderTree};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_syntax::ast::{Arg, Expr, ExprKind, Name};

/// The maximum nesting of readers.
const MAX_DEPTH: usize = 4;

impl DialogueChecker<'_, '_> {
    pub(super) fn reader(&mut self, written: &Expr, vars: &Vars) -> Option<ReaderTree> {
        self.reader_within(written, vars, 1)
    }

    fn reader_within(&mut self, written: &Expr, vars: &Vars, depth: usize) -> Option<ReaderTree> {
        let (name, args) = match &written.kind {
            ExprKind::Paren(inner) => return self.reader_within(inner, vars, depth),
            ExprKind::In { negated: false, left, right } if depth < MAX_DEPTH => {
                let reader = self.reader_within(left, vars, depth + 1)?;
                let source = self.reader_within(right, vars, depth + 1)?;
                return Some(ReaderTree::Within(Box::new(reader), Box::new(source)));
            }
            ExprKind::Name(name) => (name, Vec::new()),
            ExprKind::Call(name, args) => (name, self.unnamed(args)?),
            // `table` and `section` are units elsewhere.
            ExprKind::Unit(name) => (name, Vec::new()),
            ExprKind::Needle(name, arg) => (name, vec![&**arg]),
            _ => {
                self.report(
                    Diagnostic::error(Code::BAD_ARGUMENT, "this is not a reader of parts")
                        .label(written.span, "")
                        .help(known_readers()),
                );
                return None;
            }
        };
        let Some(entry) = READERS.iter().find(|entry| entry.name == name.text) else {
            let diagnostic = Diagnostic::error(
                Code::UNKNOWN_FUNCTION,
                format!("there is no reader `{}`", name.text),
            )
            .label(name.span, "")
            .help(known_readers())
            .did_you_mean(&name.text, READERS.iter().map(|entry| entry.name));
            self.report(diagnostic);
            return None;
        };
        let args = self.arguments(entry, name, &args, vars)?;
        // Arguments that are not drawn can be checked here.
        let is_fixed = args.iter().all(|arg| matches!(arg.node, Node::Value(_)));
        let tree = ReaderTree::Call(name.text.clone(), args);
        match PartReader::evaluate(&tree, &()) {
            Err(fault) if is_fixed => {
                self.report(
                    Diagnostic::error(Code::BAD_ARGUMENT, fault.message)
                        .label(written.span, "")
                        .help(format!("write `{}`", entry.written)),
                );
                None
            }
            _ => Some(tree),
        }
    }

    fn unnamed<'e>(&mut self, args: &'e [Arg]) -> Option<Vec<&'e Expr>> {
        let named = args.iter().find_map(|arg| arg.name.as_ref());
        if let Some(name) = named {
            self.report(
                Diagnostic::error(Code::BAD_ARGUMENT, "arguments of readers have no names")
                    .label(name.span, "")
                    .help("leave the name out"),
            );
            return None;
        }
        Some(args.iter().map(|arg| &arg.value).collect())
    }

    fn arguments(
        &mut self,
        entry: &ReaderEntry,
        name: &Name,
        args: &[&Expr],
        vars: &Vars,
    ) -> Option<Vec<Tree>> {
        let (least, most) = entry.arguments;
        if args.len() < least || args.len() > most {
            let place = args.get(most).map_or(name.span, |arg| arg.span);
            let wanted = match (least, most) {
                (_, 0) => "none".to_owned(),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} or {most}"),
            };
            self.report(
                Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!(
                        "`{}` has {}, not {wanted}",
                        entry.name,
                        argument_count_text(args.len())
                    ),
                )
                .label(place, "")
                .help(format!("write `{}`", entry.written)),
            );
            return None;
        }
        let mut trees = Vec::new();
        for arg in args {
            let (tree, ty) = self.lowering().lower(arg, vars)?;
            let fits = match ty {
                Type::Text | Type::Unknown => true,
                Type::Int => entry.name == "table",
                _ => false,
            };
            if !fits {
                self.report(unfit(entry, arg.span));
                return None;
            }
            trees.push(tree);
        }
        Some(trees)
    }
}

fn unfit(entry: &ReaderEntry, place: Span) -> Diagnostic {
    Diagnostic::error(Code::WRONG_TYPE, format!("`{}` takes texts", entry.name))
        .label(place, "not a text")
        .help(format!("write `{}`", entry.written))
}

fn argument_count_text(number: usize) -> String {
    match number {
        1 => "1 argument".to_owned(),
        number => format!("{number} arguments"),
    }
}

fn known_readers() -> String {
    let names: Vec<String> = READERS.iter().map(|entry| format!("`{}`", entry.name)).collect();
    format!("write one of {}, or one `in` another", names.join(", "))
}
