//! JSON Schemas among the arguments of a call: read from their files during compilation, so that a
//! plan contains them.

use super::lower::{Lowering, constant_value};
use ifs_base::diagnostic::{Code, Diagnostic, closest};
use ifs_base::source::Span;
use ifs_predicate::functions::{Function, ParamType};
use ifs_predicate::schema::{ANNOTATION_KEYWORDS, KEYWORDS, Schema, unknown};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_syntax::ast::TextLiteral;

impl Lowering<'_, '_> {
    /// Replaces the path of a schema by its contents, and reports an invalid schema. A schema in a
    /// parameter is read when the check is evaluated.
    pub(super) fn schemas(&mut self, function: &Function, arguments: &mut [Tree]) -> Option<()> {
        for (param, tree) in function.params.iter().zip(arguments) {
            if param.ty != ParamType::Schema {
                continue;
            }
            let Ok(mut value) = constant_value(tree) else { continue };
            let span = tree.span;
            if let Value::Text(path) = &value
                && path.ends_with(".json")
            {
                value = Value::text(&self.schema_file(path, span)?);
                tree.node = Node::Value(value.clone());
            }
            if let Err(unfit) = Schema::from_value(&value) {
                let message = format!("not a JSON Schema: {unfit}");
                let mut diagnostic = Diagnostic::error(Code::BAD_SCHEMA, message).label(span, "");
                if unfit.why.contains("keyword") {
                    let known = format!(
                        "supported keywords are {} and {}",
                        KEYWORDS.join(", "),
                        ANNOTATION_KEYWORDS.join(", ")
                    );
                    diagnostic = diagnostic.help(known);
                }
                self.report(diagnostic);
                return None;
            }
            self.unknown_keywords(&unknown(&value), span);
        }
        Some(())
    }

    /// Reports keywords of a schema that have no effect: one may be misspelt.
    pub(super) fn unknown_keywords(&mut self, keywords: &[String], span: Span) {
        for keyword in keywords {
            let message = format!("`{keyword}` is not a keyword of JSON Schema and is ignored");
            let mut warning = Diagnostic::warning(Code::BAD_SCHEMA, message).label(span, "");
            warning = match closest(keyword, KEYWORDS.iter().copied()) {
                Some(known) => warning.help(format!("did you mean `{known}`?")),
                None => warning.help("names of your own may begin with `x-`"),
            };
            if !keyword.starts_with("x-") {
                self.report(warning);
            }
        }
    }

    pub(super) fn schema_file(&mut self, path: &str, span: Span) -> Option<String> {
        let module = self.checker.loader.modules.get(self.module)?;
        let (from, library) = (module.name.clone(), module.library);
        let path = TextLiteral { value: path.to_owned(), span, block: false };
        let name = self.checker.loader.resolve(&from, library, &path)?;
        self.checker.loader.read_text(&name, Some(span))
    }
}
