//! Scenes and their questions as nodes.

use super::items::Writer;
use super::node::{Node, NodeKind};
use crate::source::Span;
use crate::syntax::ast::*;

impl<'t> Writer<'t> {
    pub fn scene(self, span: Span, scene: &'t Scene) -> Node<'t> {
        let (width, height) = scene.size;
        let head = self.words("scene", |phrase| {
            phrase.word(&scene.name.text).word(&width.to_string());
            phrase.word("by").word(&height.to_string());
        });
        self.node(span, head).body(self.source, scene.size_span.end, self.scene_stmts(&scene.stmts))
    }

    fn scene_stmts(self, stmts: &'t [SceneStmt]) -> Vec<Node<'t>> {
        let node = |stmt: &'t SceneStmt| self.scene_stmt(stmt).docs(self.source, &stmt.docs);
        stmts.iter().map(node).collect()
    }

    fn scene_stmt(self, stmt: &'t SceneStmt) -> Node<'t> {
        use SceneStmtKind as Kind;
        let span = stmt.span;
        let head = match &stmt.kind {
            Kind::Param(param) => self.words("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.words("let", |phrase| phrase.binding(each)),
            Kind::Draw { shape, fields, .. } => self.words("draw", |phrase| {
                phrase.word(&shape.text).space().record(fields);
            }),
            Kind::For(each) => {
                let stmts = self.scene_stmts(&each.body);
                return self.for_each(span, &each.name, (&each.list, each.by.as_ref()), stmts);
            }
            Kind::Question { name, stmts, .. } => {
                let head = self.words("question", |phrase| _ = phrase.word(&name.text));
                let node =
                    |stmt: &'t QuestionStmt| self.question_stmt(stmt).docs(self.source, &stmt.docs);
                let stmts = stmts.iter().map(node).collect();
                return self.node(span, head).body(self.source, name.span.end, stmts);
            }
        };
        self.node(span, head).kind(NodeKind::Aligned)
    }

    fn question_stmt(self, stmt: &'t QuestionStmt) -> Node<'t> {
        use QuestionStmtKind as Kind;
        let head = match &stmt.kind {
            Kind::Param(param) => self.words("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.words("let", |phrase| phrase.binding(each)),
            Kind::Ask(texts) => self.texts("ask", texts),
            Kind::Answer(text) => self.words("answer", |phrase| _ = phrase.string(text)),
        };
        self.node(stmt.span, head).kind(NodeKind::Aligned)
    }
}
