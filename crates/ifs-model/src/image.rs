//! Pictures of banks and expressions: located, validated once, and identified by their names in the
//! scenario.

use super::check::Checker;
use super::load::{BankFile, line_span};
use super::lower::Lowering;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::image::{decode, is_address};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{Arg, ExprKind, TextLiteral};

impl Checker<'_> {
    /// The records, with every picture replaced by its name within the scenario. Mistakes are
    /// reported at the line of the record.
    pub(super) fn bank_images(
        &mut self,
        records: Vec<Value>,
        ty: &Type,
        bank: &BankFile<'_>,
    ) -> Option<Vec<Value>> {
        if !holds_images(ty) {
            return Some(records);
        }
        let errors = self.errors();
        let records = records
            .into_iter()
            .enumerate()
            .map(|(at, record)| {
                let line = bank.lines.get(at).copied().unwrap_or(1);
                let place = line_span(bank.source, bank.file, line);
                self.located(record, ty, bank.name, place)
            })
            .collect();
        (self.errors() == errors).then_some(records)
    }

    fn errors(&self) -> usize {
        self.diagnostics.errors() + self.loader.diagnostics.errors()
    }

    fn located(&mut self, value: Value, ty: &Type, from: &str, place: Span) -> Value {
        match (value, ty) {
            (Value::Text(path), Type::Image) => {
                self.image(&path, from, place).map_or(Value::Text(path), |name| Value::text(&name))
            }
            (Value::List(members), Type::List(of)) if holds_images(of) => {
                Value::list(members.iter().map(|one| self.located(one.clone(), of, from, place)))
            }
            (Value::Record(fields), Type::Record(types)) => {
                let located = fields.iter().map(|(name, value)| {
                    let value = match types.get(name) {
                        Some(field) => self.located(value.clone(), &field.ty, from, place),
                        None => value.clone(),
                    };
                    (name.to_owned(), value)
                });
                Value::record(located.collect::<Vec<_>>())
            }
            (value, _) => value,
        }
    }

    /// The name of a picture within the scenario, or its URL. It is read and decoded once.
    fn image(&mut self, path: &str, from: &str, place: Span) -> Option<String> {
        if is_address(path) {
            return Some(path.to_owned());
        }
        let written = TextLiteral { value: path.to_owned(), span: place, block: false };
        let name = self.loader.resolve(from, false, &written)?;
        if self.model.pictures.contains_key(&name) || !self.pictures_told.insert(name.clone()) {
            return Some(name);
        }
        let bytes = self.loader.bytes(&name, Some(place))?;
        match decode(bytes) {
            Ok(picture) => {
                self.model.pictures.insert(name.clone(), picture);
                Some(name)
            }
            Err(fault) => {
                let shown = self.loader.world.display(&name);
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::BAD_IMAGE,
                        format!("`{shown}` is not a picture that can be sent: {}", fault.message),
                    )
                    .label(place, "shown here")
                    .help(fault.help),
                );
                None
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// `image("PATH")`: a picture by its file or URL.
    pub(super) fn image_call(&mut self, args: &[Arg], span: Span) -> Option<(Tree, Type)> {
        let [Arg { name: None, value, .. }] = args else {
            self.report(
                Diagnostic::error(Code::BAD_ARGUMENT, "`image` takes one path or address")
                    .label(span, "")
                    .help("write `image(\"pictures/1.png\")`"),
            );
            return None;
        };
        let ExprKind::Text(text) = &value.kind else {
            self.report(
                Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    "the path of a picture must be a string, so that the file can be checked now",
                )
                .label(value.span, "not a string")
                .help("write `image(\"pictures/1.png\")`, or a bank with fields of type `image`"),
            );
            return None;
        };
        let module = self.checker.loader.modules.get(self.module)?;
        let from = module.name.clone();
        let name = self.checker.image(&text.value, &from, text.span)?;
        Some((Tree::new(Node::Value(Value::text(&name)), span), Type::Image))
    }
}

fn holds_images(ty: &Type) -> bool {
    match ty {
        Type::Image => true,
        Type::List(of) => holds_images(of),
        Type::Record(fields) => fields.values().any(|field| holds_images(&field.ty)),
        _ => false,
    }
}
