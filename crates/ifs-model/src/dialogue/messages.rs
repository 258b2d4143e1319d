//! Whether every turn of a dialogue has a user message.

use super::DialogueChecker;
use crate::names::{ItemAt, Symbol};
use crate::table::Dialogue;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::evaluate::record_meets;
use ifs_syntax::ast::{self, FlowStmt, Stmt, StmtKind, turns};

/// The template that sends a topic's `request`.
const OPENING_TEMPLATE: &str = "open.j2";

impl DialogueChecker<'_, '_> {
    /// Reports turns without a message. `own` are a variant's statements, which override those of
    /// its dialogue.
    pub(super) fn check_messages(&mut self, dialogue: &Dialogue, own: &[Stmt], outer: &[Stmt]) {
        let topic = own.iter().chain(outer).find_map(|stmt| match &stmt.kind {
            StmtKind::Topic(from) => Some(from),
            _ => None,
        });
        if dialogue.topics.is_some() {
            self.check_request(dialogue, topic, None);
            return;
        }
        let steps = match turns(own) {
            steps if steps.is_empty() => turns(outer),
            steps => steps,
        };
        let flows = self.flows_of(if has_flow(own) { own } else { outer });
        let of_flows = flows.iter().flat_map(ast::Flow::turns);
        for turn in of_flows.chain(steps.iter().copied()) {
            if topic.is_none() && !has_ask(turn) && !self.has_error_within(turn.span) {
                self.report_no_message(turn);
            }
        }
        let opening = flows.iter().filter_map(|flow| flow.turns().next());
        let alone = steps.first().copied().filter(|_| flows.is_empty());
        if let Some(first) = opening.chain(alone).find(|turn| !has_ask(turn)) {
            self.check_request(dialogue, topic, Some(first.span));
        }
    }

    fn report_no_message(&mut self, turn: &ast::Turn) {
        let place = turn.name.as_ref().map_or(turn.span, |name| name.span);
        if !self.reported.insert(place) {
            return;
        }
        self.report(
            Diagnostic::error(Code::MISSING_STATEMENT, "this turn has no message")
                .label(place, "neither `ask` nor a topic")
                .help("write `ask \"…\"` in it, or `topic from BANK` in the dialogue"),
        );
    }

    /// If a topic is opened by its request, every record that may be drawn must have one.
    fn check_request(
        &mut self,
        dialogue: &Dialogue,
        topic: Option<&ast::DrawFrom>,
        turn: Option<Span>,
    ) {
        let (Some(drawn), Some(topic)) = (&dialogue.topic, topic) else { return };
        if dialogue.words.contains_key(OPENING_TEMPLATE) {
            return;
        }
        let banks = &self.checker.model.banks;
        let Some(bank) = banks.iter().find(|bank| bank.name == drawn.bank) else { return };
        let may_open = |at: &usize| {
            let meets = |condition| record_meets(condition, &bank.records[*at]);
            drawn.condition.as_ref().is_none_or(meets)
        };
        let open: Vec<usize> = (0..bank.records.len()).filter(may_open).collect();
        let lacks = |at: &&usize| bank.records[**at].field("request").is_none();
        let Some(first) = open.iter().find(lacks) else { return };
        let message = match open.iter().filter(lacks).count() {
            all if all == open.len() => {
                format!("the topics of `{}` have no `request`", bank.name)
            }
            _ => format!("the topic `{}` of `{}` has no `request`", bank.keys[*first], bank.name),
        };
        if !self.reported.insert(topic.from.span) {
            return;
        }
        let mut diagnostic = Diagnostic::error(Code::UNKNOWN_FIELD, message)
            .label(topic.from.span, "a topic opens with its `request`")
            .help(
                "add the field `request` to the bank, or put an `open.j2` of your own into a \
                 folder and write `templates from \"FOLDER\"`",
            );
        if let Some(import) = self.import_of(topic) {
            diagnostic = diagnostic.label(import, "imported here");
        }
        if let Some(turn) = turn {
            diagnostic = diagnostic.label(turn, "says nothing of its own");
        }
        self.report(diagnostic);
    }

    fn import_of(&mut self, topic: &ast::DrawFrom) -> Option<Span> {
        let Some(Symbol::Bank(ItemAt { module, item })) =
            self.checker.find(self.module, &topic.from)
        else {
            return None;
        };
        match &self.checker.loader.modules[module].ast.items[item].kind {
            ast::ItemKind::Import(import) => Some(import.name.span),
            _ => None,
        }
    }

    /// The flows that statements name.
    pub(super) fn flows_of(&mut self, stmts: &[Stmt]) -> Vec<ast::Flow> {
        let paths = stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Flow(FlowStmt::Of(paths)) => Some(paths),
            _ => None,
        });
        let mut flows = Vec::new();
        for name in paths.flatten().filter_map(|choice| choice.flow.names.first()) {
            let Some(Symbol::Flow(at)) =
                self.checker.names.look_up_quietly(self.module, &name.text)
            else {
                continue;
            };
            let item = &self.checker.loader.modules[at.module].ast.items[at.item];
            if let ast::ItemKind::Flow(flow) = &item.kind {
                flows.push(flow.clone());
            }
        }
        flows
    }
}

fn has_flow(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Flow(_)))
}

fn has_ask(turn: &ast::Turn) -> bool {
    fn any_message(stmts: &[Stmt]) -> bool {
        stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Ask(_) => true,
            StmtKind::For(inner) => any_message(&inner.body),
            _ => false,
        })
    }
    turn.body.as_deref().is_some_and(any_message)
}
