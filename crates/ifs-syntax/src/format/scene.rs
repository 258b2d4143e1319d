//! Scenes and their questions as nodes.

use super::items::HeadWriter;
use super::node::{FormatNode, FormatNodeKind};
use crate::ast::*;
use ifs_base::source::Span;

impl<'t> HeadWriter<'t> {
    pub fn scene(self, span: Span, scene: &'t Scene) -> FormatNode<'t> {
        let (width, height) = scene.size;
        let head = self.head("scene", |phrase| {
            phrase.push_word(&scene.name.text).push_word(&width.to_string());
            phrase.push_word("by").push_word(&height.to_string());
        });
        self.node(span, head).body(self.source, scene.size_span.end, self.scene_stmts(&scene.stmts))
    }

    fn scene_stmts(self, stmts: &'t [SceneStmt]) -> Vec<FormatNode<'t>> {
        let node = |stmt: &'t SceneStmt| self.scene_stmt(stmt).docs(self.source, &stmt.docs);
        stmts.iter().map(node).collect()
    }

    fn scene_stmt(self, stmt: &'t SceneStmt) -> FormatNode<'t> {
        use SceneStmtKind as Kind;
        let span = stmt.span;
        let head = match &stmt.kind {
            Kind::Param(param) => self.head("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.head("let", |phrase| phrase.binding(each)),
            Kind::Draw { shape, fields, .. } => self.head("draw", |phrase| {
                phrase.push_word(&shape.text).space().record(fields);
            }),
            Kind::For(each) => {
                let stmts = self.scene_stmts(&each.body);
                return self.for_each(span, &each.name, (&each.list, each.by.as_ref()), stmts);
            }
            Kind::Question { name, stmts, .. } => {
                let head = self.head("question", |phrase| _ = phrase.push_word(&name.text));
                let node =
                    |stmt: &'t QuestionStmt| self.question_stmt(stmt).docs(self.source, &stmt.docs);
                let stmts = stmts.iter().map(node).collect();
                return self.node(span, head).body(self.source, name.span.end, stmts);
            }
        };
        self.node(span, head).kind(FormatNodeKind::Aligned)
    }

    fn question_stmt(self, stmt: &'t QuestionStmt) -> FormatNode<'t> {
        use QuestionStmtKind as Kind;
        let head = match &stmt.kind {
            Kind::Param(param) => self.head("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.head("let", |phrase| phrase.binding(each)),
            Kind::Ask(texts) => self.text_list("ask", texts),
            Kind::Answer(text) => self.head("answer", |phrase| _ = phrase.string(text)),
        };
        self.node(stmt.span, head).kind(FormatNodeKind::Aligned)
    }
}
