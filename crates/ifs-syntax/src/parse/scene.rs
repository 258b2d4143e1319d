//! Scenes and their questions.

use super::TreeBuilder;
use super::grammar::{GrammarPair, PairChildren, Rule};
use crate::ast::*;

impl TreeBuilder<'_> {
    pub(super) fn scene(&mut self, pair: GrammarPair<'_>) -> Option<Scene> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (width, height) =
            (parts.skip_to_optional(Rule::int)?, parts.skip_to_optional(Rule::int)?);
        let size_span = self.span(&width).to(self.span(&height));
        let size = (self.int(&width), self.int(&height));
        let (stmts, broken) = self.scene_body(parts.skip_to_optional(Rule::scene_body)?)?;
        Some(Scene { name, size, size_span, stmts, broken })
    }

    fn scene_body(&mut self, pair: GrammarPair<'_>) -> Option<(Vec<SceneStmt>, bool)> {
        let mut parts = PairChildren::new(pair);
        let (stmts, broken) = self.block(&mut parts, Rule::scene, |this, pair| {
            let mut parts = PairChildren::new(pair);
            let docs = parts.skip_to_optional(Rule::docs);
            let inner = parts.next()?;
            let span = this.span(&inner);
            let docs = this.docs(docs, span);
            Some(SceneStmt { docs, span, kind: this.scene_stmt(inner)? })
        })?;
        Some((stmts, broken))
    }

    fn scene_stmt(&mut self, pair: GrammarPair<'_>) -> Option<SceneStmtKind> {
        use SceneStmtKind as Kind;
        let rule = pair.as_rule();
        let whole = pair.clone();
        let mut parts = PairChildren::new(pair);
        Some(match rule {
            Rule::param_stmt => Kind::Param(self.param(parts.skip_to_optional(Rule::param)?)?),
            Rule::let_item => Kind::Let(self.let_item(whole)?),
            Rule::draw => {
                let shape = self.name(parts.skip_to_optional(Rule::label)?);
                let record = parts.skip_to_optional(Rule::record)?;
                let fields_span = self.span(&record);
                let mut fields = Vec::new();
                for entry in PairChildren::new(record).all(Rule::entry) {
                    let mut parts = PairChildren::new(entry);
                    let name = self.entry_name(&mut parts)?;
                    fields.push((name, self.expr(parts.skip_to_optional(Rule::expr)?)?));
                }
                Kind::Draw { shape, fields, fields_span }
            }
            Rule::scene_for => Kind::For(For {
                name: self.name(parts.skip_to_optional(Rule::label)?),
                list: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                by: None,
                body: self.scene_body(parts.skip_to_optional(Rule::scene_body)?)?.0,
            }),
            Rule::question => {
                let name = self.name(parts.skip_to_optional(Rule::label)?);
                let (stmts, broken) =
                    self.question_body(parts.skip_to_optional(Rule::question_body)?)?;
                Kind::Question { name, stmts, broken }
            }
            _ => return None,
        })
    }

    fn question_body(&mut self, pair: GrammarPair<'_>) -> Option<(Vec<QuestionStmt>, bool)> {
        use QuestionStmtKind as Kind;
        let mut parts = PairChildren::new(pair);
        let (stmts, broken) = self.block(&mut parts, Rule::question, |this, pair| {
            let mut parts = PairChildren::new(pair);
            let docs = parts.skip_to_optional(Rule::docs);
            let inner = parts.next()?;
            let span = this.span(&inner);
            let docs = this.docs(docs, span);
            let rule = inner.as_rule();
            let whole = inner.clone();
            let mut parts = PairChildren::new(inner);
            let kind = match rule {
                Rule::param_stmt => {
                    Kind::Param(Box::new(this.param(parts.skip_to_optional(Rule::param)?)?))
                }
                Rule::let_item => Kind::Let(this.let_item(whole)?),
                Rule::question_ask => {
                    Kind::Ask(this.parse_texts(parts.skip_to_optional(Rule::texts)?))
                }
                Rule::answer => Kind::Answer(this.string(parts.skip_to_optional(Rule::string)?)),
                _ => return None,
            };
            Some(QuestionStmt { docs, span, kind })
        })?;
        Some((stmts, broken))
    }
}
