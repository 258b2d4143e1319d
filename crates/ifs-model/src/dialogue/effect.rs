//! Reports statements of a dialogue without an effect: it acts in the form of the dialogue, and the
//! things that it needs exist. The needs are declared in the table of statements and searched for
//! here.

use super::DialogueChecker;
use super::uses::Uses;
use super::{from_turn, speakers};
use crate::lower::known_value;
use crate::table::{
    Constraint, Context, DecidedBy, Dialogue, Feedback, Flow, Impose, ImposedConstraint, Move,
    Question, Scope, SemanticModel, Share, Step, Turn, TurnPart,
};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template::ANSWER_TEMPLATE;
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Name, Stmt, StmtKind};
use ifs_syntax::statement::{DialogueForm, Need, Statement};

impl DialogueChecker<'_, '_> {
    /// Reports statements without an effect, in a dialogue and in its variants.
    pub(super) fn check_effects(&mut self, dialogue: &Dialogue, written: &ast::Dialogue) {
        // After another mistake, a need may only seem to be missing.
        let wrong = self.checker.diagnostics.errors() + self.checker.loader.diagnostics.errors();
        if written.broken || self.misplaced || wrong > 0 {
            return;
        }
        let mut found = self.without_effect(dialogue, written);
        let own = written.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Variant { name, stmts } => Some((name, stmts)),
            _ => None,
        });
        for ((name, own), (_, variant)) in own.zip(&dialogue.variants) {
            found.extend(self.without_effect_in(variant, written, name, own));
        }
        for diagnostic in found {
            if diagnostic.span().is_none_or(|at| self.reported.insert(at)) {
                self.report(diagnostic);
            }
        }
    }

    fn without_effect(&self, dialogue: &Dialogue, written: &ast::Dialogue) -> Vec<Diagnostic> {
        let stmts: Vec<&Stmt> = written.stmts.iter().collect();
        let over = written.over.as_ref().map(|(_, name)| name);
        let mut found = form(&stmts, over, None);
        if !found.is_empty() {
            return found;
        }
        let whole = DialogueView::new(dialogue, &self.checker.model);
        found.extend(stmts.iter().filter(|stmt| !whole.has_effect(stmt)).map(|stmt| idle(stmt)));
        let unnamed = over.filter(|name| !whole.uses_name(&name.text));
        found.extend(unnamed.map(|name| never_named(&name.text, name.span)));
        found.extend(whole.found(&stmts));
        // A variant may disable what the dialogue has.
        let evolve = dialogue.evolve.as_ref().filter(|evolve| is_none(&evolve.high));
        found.extend(
            evolve.map(|evolve| no_effect_warning("evolve", "changes nothing", evolve.high.span)),
        );
        found
    }

    fn without_effect_in(
        &self,
        variant: &Dialogue,
        written: &ast::Dialogue,
        name: &Name,
        own: &[Stmt],
    ) -> Vec<Diagnostic> {
        if own.is_empty() {
            let message = format!("the variant `{}` is the dialogue itself", name.text);
            let help = "write what is different in it, such as `variant often { sample 4 }`";
            return vec![
                Diagnostic::error(Code::NO_EFFECT, message)
                    .label(name.span, "no statements")
                    .help(help),
            ];
        }
        let stmts = in_effect(&written.stmts, own);
        let mut found = form(&stmts, written.over.as_ref().map(|(_, name)| name), Some(name));
        if found.is_empty() {
            let whole = DialogueView::new(variant, &self.checker.model);
            found.extend(own.iter().filter(|stmt| !whole.has_effect(stmt)).map(idle));
            found.extend(whole.found(&stmts));
        }
        found
    }
}

/// The statements of a dialogue, overridden by those of a variant.
fn in_effect<'s>(outer: &'s [Stmt], own: &'s [Stmt]) -> Vec<&'s Stmt> {
    let written = |stmt: &Stmt| {
        let kind = &stmt.kind;
        matches!(kind, StmtKind::Turn(_) | StmtKind::For(_) | StmtKind::When { .. })
            && !kind.only_imposes()
    };
    let beside = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::Let(_) | StmtKind::Param(_)) || stmt.kind.only_imposes()
    };
    let replaced = |stmt: &&Stmt| {
        let word = stmt.kind.statement().word();
        !beside(stmt)
            && own
                .iter()
                .any(|one| one.kind.statement().word() == word || written(one) && written(stmt))
    };
    outer.iter().filter(|stmt| !replaced(stmt)).chain(own).collect()
}

/// Reports statements that do not act in the form of the dialogue, once for each kind.
fn form(stmts: &[&Stmt], over: Option<&Name>, variant: Option<&Name>) -> Vec<Diagnostic> {
    let topics = stmts.iter().find(|stmt| stmt.kind.statement() == Statement::Topics);
    let Some(topics) = topics else { return Vec::new() };
    let flow = Span { end: topics.span.start + "flow".len() as u32, ..topics.span };
    let mut reported: Vec<Statement> = Vec::new();
    let mut found = Vec::new();
    let written = stmts.iter().map(|stmt| (stmt.kind.statement(), stmt.span));
    let mut all: Vec<_> = written.chain(over.map(|name| (Statement::Records, name.span))).collect();
    // Two forms in one dialogue are one mistake, even if other statements belong to one of them.
    let acts = |statement: Statement| statement.row().acts.contains(&DialogueForm::Topics);
    let turns = |one: &&(Statement, Span)| {
        matches!(one.0, Statement::Turn | Statement::For | Statement::Branch)
    };
    if let Some(turns) = all.iter().find(turns).filter(|one| !acts(one.0)) {
        all = vec![*turns];
    }
    for (statement, span) in all {
        let row = statement.row();
        if acts(statement) || reported.contains(&statement) {
            continue;
        }
        reported.push(statement);
        let message = format!("`{}` has no effect in a dialogue with a flow of topics", row.word);
        let mut diagnostic = Diagnostic::error(Code::MISPLACED_STATEMENT, message)
            .label(span, "")
            .label(flow, "the flow of topics")
            .help("write the turns out, with `turn` or `flow NAME`, or leave the statement out");
        if let Some(name) = variant {
            diagnostic = diagnostic.label(name.span, "in this variant");
        }
        found.push(diagnostic);
    }
    found
}

fn idle(stmt: &Stmt) -> Diagnostic {
    let row = stmt.kind.statement().row();
    if let StmtKind::For(inner) = &stmt.kind {
        return Diagnostic::error(Code::NO_EFFECT, "a loop without a turn")
            .label(inner.name.span, "nothing is required of its members")
            .help("write `turn { ask … }` in it");
    }
    if let StmtKind::When { block, .. } = &stmt.kind {
        return Diagnostic::error(Code::NO_EFFECT, "a `when` without a turn")
            .label(block.span, "nothing is asked")
            .help("write `turn { ask … }` in it");
    }
    let needs: Vec<&str> = row.needs.iter().map(|need| need.noun()).collect();
    Diagnostic::error(Code::NO_EFFECT, format!("`{}` has no effect in this dialogue", row.word))
        .label(stmt.span, "")
        .help(format!("it needs {}", needs.join(", and ")))
}

/// Whether a number is known to be zero.
fn is_none(number: &Tree) -> bool {
    match known_value(number) {
        Some(Value::Int(number)) => number <= 0,
        Some(Value::Float(number)) => number <= 0.0,
        _ => false,
    }
}

fn no_effect_warning(word: &str, does: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::NO_EFFECT, format!("`{word}` {does}"))
        .label(span, "this is never more than 0")
        .help(format!("write a larger number, or leave the `{word}` out"))
}

fn never_named(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::NO_EFFECT, format!("nothing in the dialogue names `{name}`"))
        .label(span, "the record of each dialogue")
        .help(format!("use it, as in `ask \"… {{{{ {name}.name }}}}\"`, or leave `over` out"))
}

/// A dialogue, with the items that its statements may need.
struct DialogueView<'m> {
    dialogue: &'m Dialogue,
    model: &'m SemanticModel,
    flows: Vec<&'m Flow>,
    turns: Vec<&'m Turn>,
    /// The constraints that may become active, and those that define relations.
    drawable: Vec<&'m Constraint>,
    meanings: Vec<&'m Constraint>,
    draws: bool,
    scoped: bool,
    active: bool,
}

impl<'m> DialogueView<'m> {
    fn new(dialogue: &'m Dialogue, model: &'m SemanticModel) -> DialogueView<'m> {
        let turns = dialogue.written_turns(&model.flows);
        let imposes: Vec<_> = dialogue.all_imposes(&model.flows).collect();
        let starts = known_value(&dialogue.start) != Some(Value::Int(0));
        let scoped = starts || dialogue.evolve.is_some();
        let draws = scoped || imposes.iter().any(|impose| impose.from.is_empty());
        let active = scoped || !imposes.is_empty();
        let given = |name: &String| {
            draws && dialogue.groups.contains(name)
                || imposes.iter().any(|impose| impose.from.contains(name))
        };
        let groups = model.groups.iter();
        let drawable = groups.clone().filter(|group| given(&group.name));
        let related = |constraint: &&Constraint| {
            let kinds = || turns.iter().flat_map(|turn| &turn.relations);
            constraint.relation.is_some_and(|kind| kinds().any(|one| one.kind == kind))
        };
        DialogueView {
            dialogue,
            model,
            flows: model.flows.iter().filter(|flow| dialogue.flows.contains(&flow.name)).collect(),
            drawable: drawable.flat_map(|group| &group.constraints).collect(),
            meanings: groups.flat_map(|group| &group.constraints).filter(related).collect(),
            turns,
            draws,
            scoped,
            active,
        }
    }

    /// Problems of the complete dialogue, in which each statement alone has an effect.
    fn found(&self, stmts: &[&Stmt]) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = self.unanswered(stmts).into_iter().collect();
        found.extend(self.unseen_relation(stmts));
        found.extend(self.never_moved());
        found.extend(self.misused_given_turns());
        found.extend(self.never_imposed(self.model));
        found.extend(from_turn::never_begun(self.dialogue, self.model));
        found.extend(speakers::check(self.dialogue, self.model));
        found
    }

    /// Whether the need of a statement is met.
    fn has_effect(&self, stmt: &Stmt) -> bool {
        stmt.kind.statement().row().needs.iter().all(|need| self.meets_need(*need, stmt))
    }

    fn meets_need(&self, need: Need, stmt: &Stmt) -> bool {
        match need {
            Need::Draws => self.draws,
            Need::Scoped => {
                let topics = self.dialogue.scope != Scope::Topic || self.dialogue.topic.is_some();
                self.scoped && topics
            }
            Need::Active => self.active,
            Need::Said => {
                let mut imposes = self.dialogue.all_imposes(&self.model.flows);
                self.scoped || imposes.any(|impose| impose.by.is_user())
            }
            Need::Judged => self.judged(),
            Need::Asked => self.asks_judge(),
            Need::Questions => self.questions(),
            Need::SeenHistory => self.dialogue.judge_sees.as_ref().is_none_or(|sees| sees.history),
            Need::RuledFact => self.any_part(|part| {
                matches!(part, TurnPart::Expect { check: Some(_), .. } | TurnPart::Void(_, Some(_)))
            }),
            Need::LaterTurn => self.has_later_turn(),
            // Each turn is checked separately, in `unanswered`.
            Need::Answers => true,
            Need::Spent => {
                self.dialogue.end.as_ref().is_some_and(|end| end.reads(TurnFact::Patience))
            }
            Need::Weighed => self.weighs(),
            Need::Template => self.uses_template(),
            Need::Named => match &stmt.kind {
                StmtKind::Topic(_) => self.opens_topics() || self.uses_name("topic"),
                StmtKind::Style(_) => self.active || self.opens_topics() || self.uses_name("style"),
                _ => self.dialogue.over.as_ref().is_none_or(|(_, name)| self.uses_name(name)),
            },
            Need::Against => {
                self.dialogue.all_imposes(&self.model.flows).any(|impose| impose.against.is_some())
            }
            // Variants are checked one by one.
            Need::Statements => true,
            Need::Turns => match &stmt.kind {
                StmtKind::For(_) | StmtKind::When { .. } => has_turn(stmt),
                _ => true,
            },
        }
    }

    fn any_part(&self, is: impl Fn(&TurnPart) -> bool + Copy) -> bool {
        fn any_part(parts: &[TurnPart], is: impl Fn(&TurnPart) -> bool + Copy) -> bool {
            parts.iter().any(|part| match part {
                TurnPart::For { body, .. } => any_part(body, is),
                part => is(part),
            })
        }
        self.turns.iter().any(|turn| any_part(&turn.body, is))
    }

    fn judged(&self) -> bool {
        self.active
            || self.turns.iter().any(|turn| turn.relations.iter().any(|one| one.kind.is_judged()))
            || !self.meanings.is_empty()
            || self.any_part(|part| {
                matches!(
                    part,
                    TurnPart::Require { .. } | TurnPart::Expect { .. } | TurnPart::Void(..)
                )
            })
    }

    /// Whether a judge gets a question that belongs in a checklist.
    fn asks_judge(&self) -> bool {
        let listed = |question: &Question| question.scale.is_none() && !question.rubric;
        let by = |by: &DecidedBy| matches!(by, DecidedBy::Judge(question) if listed(question));
        let facts = self.dialogue.facts_by_judge;
        let plain = |turn: &&Turn| {
            let meant = |kind| self.meanings.iter().any(|meaning| meaning.relation == Some(kind));
            turn.relations.iter().any(|relation| relation.kind.is_judged() && !meant(relation.kind))
        };
        self.drawable.iter().chain(&self.meanings).any(|constraint| by(&constraint.by))
            || self.turns.iter().any(plain)
            || self.any_part(|part| match part {
                TurnPart::Require { by: one, .. } | TurnPart::Observe { by: one, .. } => by(one),
                TurnPart::Expect { check, .. } | TurnPart::Void(_, check) => {
                    facts || check.is_none()
                }
                _ => false,
            })
    }

    /// Whether a judge decides anything: a question of a checklist, a mark or a rubric.
    fn questions(&self) -> bool {
        let read = |by: &DecidedBy| matches!(by, DecidedBy::Judge(_));
        let constraints = self.drawable.iter().chain(&self.meanings);
        let required = |part: &TurnPart| matches!(part, TurnPart::Require { by, .. } | TurnPart::Observe { by, .. } if read(by));
        self.asks_judge() || constraints.clone().any(|one| read(&one.by)) || self.any_part(required)
    }

    /// Reports a question about a relation between turns that a judge would not be shown.
    fn unseen_relation(&self, stmts: &[&Stmt]) -> Option<Diagnostic> {
        let sees = self.dialogue.judge_sees.as_ref()?;
        let hidden: Vec<&str> = [("history", sees.history), ("message", sees.message)]
            .into_iter()
            .filter(|(_, is_shown)| !is_shown)
            .map(|(word, _)| word)
            .collect();
        let by_rule = |kind| {
            let mut meant = self.meanings.iter().filter(|one| one.relation == Some(kind));
            meant.any(|one| matches!(one.by, DecidedBy::Rule(_)))
        };
        let mut relations = self.turns.iter().flat_map(|turn| &turn.relations);
        let judged = relations.find(|one| one.kind.is_judged() && !by_rule(one.kind))?;
        let at = stmts.iter().find(|stmt| stmt.kind.statement() == Statement::JudgeSees)?;
        let first = hidden.first()?;
        let seen = ["system", "history", "message", "answer"].into_iter().filter(|word| {
            hidden.contains(word)
                || *word == "answer"
                || match *word {
                    "system" => sees.system,
                    "history" => sees.history,
                    _ => sees.message,
                }
        });
        let seen = seen.collect::<Vec<_>>().join(", ");
        let what = if *first == "history" { "the earlier turn" } else { "the message" };
        Some(
            Diagnostic::error(
                Code::BAD_JUDGE,
                format!(
                    "a judge decides the relation `{}` and is not shown {what}",
                    judged.kind.word()
                ),
            )
            .label(at.span, format!("without {}", hidden.join(" and ")))
            .label(judged.span, "a question about both turns")
            .help(format!("write `judge sees {seen}`, or leave the relation out")),
        )
    }

    /// Whether the responses decide which turns are run.
    fn is_reactive(&self) -> bool {
        self.dialogue
            .steps
            .iter()
            .chain(self.flows.iter().flat_map(|flow| &flow.steps))
            .any(Step::is_reactive)
    }

    /// Whether there may be a second turn.
    fn has_later_turn(&self) -> bool {
        let own = self.dialogue.steps.iter().any(|step| matches!(step, Step::For { .. }));
        let longest = self.flows.iter().map(|flow| flow.turns().len()).max().unwrap_or(0);
        let of_flows: usize = self.flows.iter().map(|flow| flow.turns().len()).sum();
        self.dialogue.topics.is_some() || own || self.turns.len() - of_flows + longest > 1
    }

    fn weighs(&self) -> bool {
        let named = |name: &str| {
            let tagged =
                |tags: &[String]| tags.iter().any(|tag| tag.split('.').any(|level| level == name));
            let of_group = |constraint: &Constraint| {
                constraint.name.split('.').next() == Some(name)
                    || constraint.name.rsplit('.').nth(1) == Some(name)
                    || constraint.name.ends_with(name)
            };
            let constraints = self.drawable.iter().chain(&self.meanings);
            constraints.clone().any(|one| tagged(&one.tags) || of_group(one))
                || self.any_part(|part| match part {
                    // Which tags texts name, only the records say.
                    TurnPart::Require { tags, tagged: by_text, .. } => {
                        tagged(tags) || !by_text.is_empty()
                    }
                    _ => false,
                })
        };
        self.dialogue.weights.keys().any(|name| named(name))
    }

    /// Whether a turn has its message from a template.
    fn opens_topics(&self) -> bool {
        self.dialogue.topics.is_some() || self.turns.iter().any(|turn| !turn.has_ask())
    }

    fn uses_template(&self) -> bool {
        let opens = self.opens_topics();
        let retry = self.dialogue.retry.as_ref().map(|retry| retry.form);
        self.dialogue.words.keys().any(|name| match name.as_str() {
            "open.j2" | "continue.j2" | "return.j2" => opens,
            "changes.j2" => self.active,
            "asked.j2" => self.active && self.turns.iter().any(|turn| turn.has_ask()),
            "related.j2" => {
                self.turns.iter().any(|turn| !turn.has_ask() && !turn.relations.is_empty())
            }
            "repeated.j2" => self.dialogue.repeat_instructions,
            "feedback.j2" => retry == Some(Feedback::Chat),
            "fresh.j2" => retry == Some(Feedback::Fresh),
            "relation.j2" => self.turns.iter().any(|turn| !turn.relations.is_empty()),
            "coder.j2" | "extractor.j2" => {
                self.any_part(|part| matches!(part, TurnPart::Part { reader: None, .. }))
            }
            // Prompts for models that write user messages, which any dialogue may use.
            _ => true,
        })
    }

    /// Reports statements for a move that the flow of topics never makes.
    fn never_moved(&self) -> Vec<Diagnostic> {
        let Some(topics) = &self.dialogue.topics else { return Vec::new() };
        let never = |to: Option<Move>| match to {
            // If no topic is left, a switch to a new one returns to another.
            Some(Move::Backtrack) => topics.rules.iter().all(|rule| rule.switch == Share(0)),
            Some(Move::Stay) => {
                topics.rules.iter().all(|rule| rule.stay <= 1 && rule.switch == Share::ONE)
            }
            _ => false,
        };
        let turns = topics.turns.iter().filter(|(to, _)| never(*to));
        turns
            .map(|(to, turn)| {
                let to = to.map_or("", Move::word);
                Diagnostic::error(Code::NO_EFFECT, format!("no turn of the flow is a `{to}`"))
                    .label(turn.span, "of these turns")
                    .help("change `stay` or `switch`, or leave this turn out")
            })
            .collect()
    }

    /// Reports a dialogue in which no model is called, and given turns in a flow of topics,
    /// which does not end.
    fn misused_given_turns(&self) -> Option<Diagnostic> {
        let given: Vec<&&Turn> = self.turns.iter().filter(|turn| turn.is_given()).collect();
        let first = given.first()?;
        let moves = self.dialogue.topics.iter().flat_map(|rules| &rules.turns);
        if let Some((_, turn)) = moves.clone().find(|(_, turn)| turn.is_given()) {
            return Some(
                Diagnostic::error(
                    Code::MISPLACED_STATEMENT,
                    "`reply` does not belong in a turn of a flow of topics",
                )
                .label(turn.span, "the moves of a flow are drawn")
                .help("write the given turns before the flow: `turn { ask \"…\"  reply \"…\" }`"),
            );
        }
        if self.dialogue.topics.is_some() || given.len() < self.turns.len() {
            return None;
        }
        Some(
            Diagnostic::error(Code::NO_EFFECT, "every turn of this dialogue is given")
                .label(first.span, "no model is called")
                .help("add a turn without `reply`, to which the model responds"),
        )
    }

    /// Reports an `impose` that never gives a constraint.
    fn never_imposed(&self, model: &SemanticModel) -> Vec<Diagnostic> {
        let imposes = self.dialogue.all_imposes(&model.flows);
        let none = imposes.filter_map(|impose| {
            let never = impose.probability.as_ref().filter(|share| is_none(share));
            Some(never.or(Some(&impose.high).filter(|high| is_none(high)))?.span)
        });
        let mut found: Vec<Diagnostic> =
            none.map(|span| no_effect_warning("impose", "imposes nothing", span)).collect();
        // A group gives one constraint at a time, whoever says it.
        let always = |impose: &&Impose| {
            impose.probability.is_none() && impose.applies.is_none() && impose.since.is_none()
        };
        let given = self.dialogue.own_imposes().into_iter().filter(always);
        let given = given.filter_map(|impose| Some((impose, impose.given.as_ref()?)));
        let given: Vec<(&Impose, &ImposedConstraint)> = given.collect();
        for impose in self.dialogue.all_imposes(&model.flows) {
            let taken = |group: &String| {
                given.iter().find(|(given, _)| given.from.first() == Some(group)).copied()
            };
            let drawn = impose.draws() && impose.against.is_none();
            let all: Option<Vec<_>> = impose.from.iter().map(taken).collect();
            let Some((first, named)) = all.filter(|_| drawn).and_then(|all| all.first().copied())
            else {
                continue;
            };
            found.push(
                Diagnostic::error(Code::NO_EFFECT, "`impose` imposes nothing")
                    .label(impose.span, "a group gives one constraint at a time")
                    .label(first.span, format!("`{}` is always active", named.constraint))
                    .help(
                        "draw from another group; or, for another speaker, write `against` with \
                         the one who says that",
                    ),
            );
        }
        found
    }

    fn uses_name(&self, name: &str) -> bool {
        let mut uses = Uses::uses_of_name(name);
        uses.dialogue(self.dialogue);
        self.turns.iter().for_each(|turn| uses.parts(&turn.body));
        self.drawable.iter().chain(&self.meanings).for_each(|one| uses.constraint(one));
        uses.found
    }

    /// Reports `context golden` with a turn that has no golden answer although a later turn has it
    /// in its history.
    fn unanswered(&self, stmts: &[&Stmt]) -> Option<Diagnostic> {
        let at = |stmt: &&&Stmt| stmt.kind.statement() == Statement::Context;
        let context = stmts.iter().find(at)?;
        if self.dialogue.context != Context::Golden
            || self.dialogue.words.contains_key(ANSWER_TEMPLATE)
        {
            return None;
        }
        let answers = |turn: &Turn| {
            turn.body.iter().any(|part| matches!(part, TurnPart::Answer(_) | TurnPart::Reply(_)))
        };
        if self.is_reactive() {
            return Some(
                Diagnostic::error(
                    Code::BAD_CONTEXT,
                    "`context golden` gives every model the same history, and `when` does not",
                )
                .label(context.span, "the responses are not in the history")
                .help("write `context own`, or ask the same turns of every model"),
            );
        }
        let own = Step::turns(&self.dialogue.steps);
        let last_of_flows = self.flows.iter().filter_map(|flow| flow.turns().last().copied());
        let mut lasts: Vec<&Turn> = Vec::new();
        match self.dialogue.steps.iter().rev().find(|step| !binds(step)) {
            Some(Step::Turn(turn)) => lasts.push(turn),
            Some(Step::Flow) => lasts.extend(last_of_flows),
            // In a loop the last turn is followed by the first.
            _ => {}
        }
        // In a flow of topics, each move needs one.
        let moves = self.dialogue.topics.iter().filter(|rules| {
            !Move::ALL.iter().all(|to| rules.turns_for(*to).any(|(_, turn)| answers(turn)))
        });
        let moves =
            moves.map(|rules| rules.rules.last().map_or(self.dialogue.span, |rule| rule.span));
        let of_flows = self.flows.iter().flat_map(|flow| flow.turns());
        let silent =
            |turn: &&Turn| !answers(turn) && !lasts.iter().any(|last| std::ptr::eq(*last, *turn));
        let written = of_flows.chain(own).filter(silent).map(|turn| turn.span);
        let missing: Vec<Span> = moves.chain(written).collect();
        let first = missing.first()?;
        let label = match missing.len() {
            1 => "no `answer`, and another turn follows".to_owned(),
            many => format!("no `answer`, and another turn follows; so it is in {} more", many - 1),
        };
        Some(
            Diagnostic::error(
                Code::BAD_CONTEXT,
                "`context golden` needs the golden answers that form the history",
            )
            .label(context.span, "")
            .label(*first, label)
            .help(
                "write `answer \"…\"` in each turn that another follows, in a flow of topics in \
                 `turn { … }`; or `context own`",
            ),
        )
    }
}

fn binds(step: &Step) -> bool {
    matches!(step, Step::Let(..) | Step::Param(_))
}

/// Whether a turn is in a loop, or in each block of a `when`.
fn has_turn(stmt: &Stmt) -> bool {
    let turns = |stmts: &[Stmt]| !ast::turns(stmts).is_empty();
    match &stmt.kind {
        StmtKind::When { block, otherwise, .. } => {
            turns(&block.stmts) && otherwise.as_ref().is_none_or(|block| turns(&block.stmts))
        }
        kind => kind.blocks().any(turns),
    }
}
