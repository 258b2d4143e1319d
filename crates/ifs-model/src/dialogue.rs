//! Dialogues: their statements, each lowered into the dialogue's table.

mod by_data;
mod complete;
mod effect;
mod flow;
mod from_turn;
mod given;
mod loops;
mod messages;
mod metric_form;
pub mod metrics;
mod phrases;
mod placement;
mod speakers;
mod uses;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use super::check::Checker;
use super::lower::Lowering;
use super::names::{ItemAt, Symbol};
use super::table::{
    Context, Dialogue, Domain, DrawFrom, Feedback, JudgeSees, Overflow, Scope, ScopeSentence, Step,
};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic, Severity};
use ifs_base::source::Span;
use ifs_predicate::evaluate::record_meets;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Expr, FlowStmt, Name, Path, Stmt, StmtKind};
use ifs_syntax::statement::StatementPlace;

/// Counts that guards and conditions may refer to.
/// The most draws of a turn with `redraw until witness`.
const DEFAULT_WITNESS_DRAWS: u32 = 100;

pub(super) const COUNTS: [TurnFact; 7] = [
    TurnFact::Turn,
    TurnFact::Turns,
    TurnFact::Topics,
    TurnFact::TopicTurns,
    TurnFact::Constraints,
    TurnFact::Groups,
    TurnFact::Given,
];

impl Checker<'_> {
    pub fn dialogue(&mut self, module: usize, written: &ast::Dialogue, docs: &ast::Docs) {
        let name = self.unique(&written.name.text, module, |model, name| {
            model.dialogues.iter().any(|dialogue| dialogue.name == name)
        });
        self.doc(&name, docs);
        let mut dialogue = Dialogue::new(name, written.name.span);
        let mut vars = Vars::new("a dialogue").counts(&COUNTS).fact(TurnFact::Style, Type::Unknown);
        let has_topic = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Topic(_));
        if written.stmts.iter().any(has_topic) {
            vars.push_fact(TurnFact::Topic, self.topic.clone());
        }
        if let Some((path, name)) = &written.over {
            self.check_name(name, "the name of a record");
            vars.push(&name.text, Type::Unknown);
            if let Some((from, ty)) = self.source_of_records(module, path) {
                vars.push(&name.text, ty);
                dialogue.over = Some((from, name.text.clone()));
            }
        }
        self.meanings(module);
        let mut builder = DialogueChecker::new(self, module, vars);
        builder.statements(&mut dialogue, &written.stmts, StatementPlace::Dialogue);
        builder.finish(&mut dialogue, written);
        builder.check_voice(&dialogue, &written.stmts);
        builder.check_demands(&dialogue, &written.stmts);
        if !written.broken && !builder.misplaced {
            builder.check_messages(&dialogue, &[], &written.stmts);
        }
        dialogue.variants = builder.variants(&dialogue, &written.stmts);
        builder.check_effects(&dialogue, written);
        self.model.dialogues.push(dialogue);
    }

    /// The bank or feed of a dialogue's `over`, and the type of its records.
    fn source_of_records(&mut self, module: usize, path: &Path) -> Option<(String, Type)> {
        match self.find(module, path)? {
            Symbol::Feed(at) => {
                let feed = self.feed_named(at)?;
                Some((feed.name.clone(), feed.ty.clone()))
            }
            _ => self.bank(module, path),
        }
    }

    /// Reads the constraints that define relations, as far as a module sees them.
    fn meanings(&mut self, module: usize) {
        for at in self.names.groups(module) {
            if self.is_meaning(at) {
                self.group(at);
            }
        }
    }

    /// Whether an item is a constraint that defines a relation.
    pub fn is_meaning(&self, at: ItemAt) -> bool {
        let item = &self.loader.modules[at.module].ast.items[at.item];
        let ast::ItemKind::Constraint(constraint) = &item.kind else { return false };
        let is_relation =
            |stmt: &ast::ConstraintStmt| matches!(stmt.kind, ast::ConstraintStmtKind::Relation(_));
        constraint.body.iter().any(is_relation)
    }

    /// The names of the groups that paths refer to: groups, or all groups of modules.
    pub fn groups_named(&mut self, module: usize, paths: &[Path]) -> Vec<String> {
        let mut groups = Vec::new();
        for path in paths {
            if self.is_member_alone(module, path) {
                continue;
            }
            let found: Vec<ItemAt> = match self.find(module, path) {
                Some(Symbol::Module(inner)) => {
                    let own = self.names.own_groups(inner).into_iter();
                    own.filter(|at| !self.is_meaning(*at)).collect()
                }
                Some(Symbol::Group(at)) => vec![at],
                Some(other) => {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::WRONG_TYPE,
                            format!("`{}` is {}, not a group", path.text(), other.noun()),
                        )
                        .label(path.span, "")
                        .help("name groups, or a module to mean all its groups"),
                    );
                    Vec::new()
                }
                None => Vec::new(),
            };
            for at in found {
                if let Some(name) = self.group(at)
                    && !groups.contains(&name)
                {
                    groups.push(name);
                }
            }
        }
        groups
    }
}

/// The steps of a variant. The bindings of the dialogue stay, except for a `let` that the variant
/// has too, which is computed in the dialogue's place. The turns and the flow of the variant
/// replace those of the dialogue.
fn replace_steps(outer: Vec<Step>, own: Vec<Step>) -> Vec<Step> {
    let binds = |step: &Step| matches!(step, Step::Let(..) | Step::Param(_));
    let flows = |step: &Step| *step == Step::Flow;
    let speaks = |step: &Step| matches!(step, Step::Turn(_) | Step::For { .. } | Step::When { .. });
    let (mut steps, turns): (Vec<Step>, Vec<Step>) = outer.into_iter().partition(binds);
    let has_flow = turns.iter().any(flows);
    let (more, own): (Vec<Step>, Vec<Step>) = own.into_iter().partition(binds);
    for step in more {
        let again = match &step {
            Step::Let(name, _) => {
                steps.iter().position(|one| matches!(one, Step::Let(known, _) if known == name))
            }
            _ => None,
        };
        match again {
            Some(at) => steps[at] = step,
            None => steps.push(step),
        }
    }
    match (own.iter().any(speaks), own.iter().any(flows)) {
        // A named flow of the dialogue comes before the turns of the variant.
        (true, false) if has_flow => steps.push(Step::Flow),
        (true, _) => {}
        (false, true) if !has_flow => steps.push(Step::Flow),
        (false, _) => {
            steps.extend(turns);
            return steps;
        }
    }
    steps.extend(if own.iter().any(speaks) { own } else { turns });
    steps
}

/// The names of observations, with the first place of each.
pub(super) fn observed<'a>(turns: impl Iterator<Item = &'a ast::Turn>) -> BTreeMap<String, Span> {
    let mut found = BTreeMap::new();
    for stmt in turns.flat_map(|turn| turn.body.iter().flatten()) {
        if let StmtKind::Observe(observe) = &stmt.kind {
            found.entry(observe.name.text.clone()).or_insert(observe.name.span);
        }
    }
    found
}

/// Reads the statements of one dialogue.
pub(super) struct DialogueChecker<'c, 'w> {
    pub checker: &'c mut Checker<'w>,
    pub module: usize,
    pub vars: Vars,
    /// The span of the pool of constraints, if it is declared.
    pool: Option<Span>,
    /// Whether constraints are imposed from the pool.
    imposes: bool,
    /// Groups from which constraints are imposed by name, with their spans.
    imposed: Vec<(String, Span)>,
    /// Turns by name, for relations.
    pub turns: BTreeMap<String, Span>,
    /// The names of the observations of its turns.
    pub observed: BTreeMap<String, Span>,
    /// The number of turns without a name so far.
    pub unnamed: u32,
    /// Whether a statement was in the wrong place, so that statements may be misplaced instead of
    /// missing.
    misplaced: bool,
    /// Spans that were already reported and that a variant would report again.
    reported: BTreeSet<Span>,
    /// The `let`s of the dialogue with their types, while a variant is read.
    computed: BTreeMap<String, (Type, Span)>,
    /// The spans of a variant's own `let`s, outside of its loops.
    own_lets: BTreeSet<Span>,
    /// The expression of `report … by`, if it is about names that turns bind, and whether one does.
    pub by: Option<Expr>,
    pub sliced: bool,
    /// The expression of the dialogue's `report … by`, while a variant is read.
    outer_by: Option<Expr>,
}

impl<'c, 'w> DialogueChecker<'c, 'w> {
    pub fn new(checker: &'c mut Checker<'w>, module: usize, vars: Vars) -> DialogueChecker<'c, 'w> {
        DialogueChecker {
            checker,
            module,
            vars,
            pool: None,
            imposes: false,
            imposed: Vec::new(),
            turns: BTreeMap::new(),
            observed: BTreeMap::new(),
            unnamed: 0,
            misplaced: false,
            reported: BTreeSet::new(),
            computed: BTreeMap::new(),
            own_lets: BTreeSet::new(),
            by: None,
            sliced: false,
            outer_by: None,
        }
    }

    pub fn lowering(&mut self) -> Lowering<'_, 'w> {
        Lowering { checker: self.checker, module: self.module }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.checker.diagnostics.push(diagnostic);
    }

    /// Whether an error was already found within this span.
    pub fn has_error_within(&self, place: Span) -> bool {
        let parsed = &self.checker.loader.diagnostics;
        let within = |span: Span| {
            span.file == place.file && span.start >= place.start && span.end <= place.end
        };
        parsed.list.iter().chain(&self.checker.diagnostics.list).any(|found| {
            found.severity == Severity::Error && found.labels.iter().any(|at| within(at.span))
        })
    }

    fn count(&mut self, expr: &Expr, what: &str) -> Option<u32> {
        self.count_to(1_000_000, "1,000,000", expr, what)
    }

    fn count_to(&mut self, most: i64, shown: &str, expr: &Expr, what: &str) -> Option<u32> {
        match self.lowering().constant(expr, &Type::Int)? {
            Value::Int(count) if (1..=most).contains(&count) => u32::try_from(count).ok(),
            other => {
                self.report(
                    Diagnostic::error(
                        Code::BAD_NUMBER,
                        format!("{other} is not a number of {what}"),
                    )
                    .label(expr.span, "")
                    .help(format!("write an integer from 1 to {shown}")),
                );
                None
            }
        }
    }

    /// The number of earlier turns that judges see, which may be 0.
    fn turns_shown(&mut self, expr: &Expr) -> Option<u32> {
        match self.lowering().constant(expr, &Type::Int)? {
            Value::Int(0) => Some(0),
            _ => self.count(expr, "turns"),
        }
    }

    fn statements(&mut self, dialogue: &mut Dialogue, stmts: &[Stmt], place: StatementPlace) {
        let stmts = self.placed_statements(stmts, place);
        // The pool comes first: its position among the statements has no meaning.
        for stmt in &stmts {
            if let StmtKind::Constraints(paths) = &stmt.kind {
                dialogue.groups = self.checker.groups_named(self.module, paths);
                self.pool = Some(stmt.span);
            }
        }
        self.note_observed(&stmts);
        // The turns of a variant have the parts of the dialogue's report, unless it has one of its own,
        // whose parts are those of dialogues: it may have the turns of its dialogue.
        let reports = stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Report { .. }));
        self.sliced = false;
        self.by = match place {
            StatementPlace::Dialogue => {
                self.outer_by = by_data::report_by(&stmts).cloned();
                self.outer_by.clone()
            }
            _ => {
                let by_turn = dialogue.slices_turns && dialogue.slice.is_none();
                self.outer_by.clone().filter(|_| by_turn && !reports)
            }
        };
        let steps = self.steps(dialogue, &stmts);
        if !steps.is_empty() {
            let outer = std::mem::take(&mut dialogue.steps);
            dialogue.steps = replace_steps(outer, steps);
        }
        self.check_sliced(dialogue, &stmts, place);
    }

    /// Collects the names of observations, of variants too: `end when` is for all of them.
    fn note_observed(&mut self, stmts: &[&Stmt]) {
        for stmt in stmts {
            let inner: &[Stmt] = match &stmt.kind {
                StmtKind::Variant { stmts, .. } | StmtKind::Flow(FlowStmt::Topics(stmts)) => stmts,
                _ => std::slice::from_ref(*stmt),
            };
            self.observed.extend(observed(ast::turns(inner).into_iter()));
            for flow in self.flows_of(inner) {
                self.observed.extend(observed(flow.turns()));
            }
        }
    }

    /// The same dialogue with the statements of each variant.
    fn variants(&mut self, dialogue: &Dialogue, outer: &[Stmt]) -> Vec<(String, Box<Dialogue>)> {
        let mut variants: Vec<(String, Box<Dialogue>)> = Vec::new();
        let mut named: BTreeMap<&str, Span> = BTreeMap::new();
        for stmt in outer {
            let StmtKind::Variant { name, stmts } = &stmt.kind else { continue };
            if let Some(first) = named.insert(&name.text, name.span) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("the variant `{}` is named twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first, "first time")
                    .help("give one of them another name"),
                );
            }
            // Turns of a variant replace those of the dialogue, so their names can be reused.
            self.turns.clear();
            self.unnamed = 0;
            let (vars, pool, imposes) = (self.vars.clone(), self.pool, self.imposes);
            let mut variant = dialogue.clone();
            self.computed = self.let_types(outer);
            let is_let = |stmt: &Stmt| match &stmt.kind {
                StmtKind::Let(item) => Some(item.name.span),
                _ => None,
            };
            self.own_lets = stmts.iter().filter_map(is_let).collect();
            if stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Topic(_))) {
                self.vars.push_fact(TurnFact::Topic, self.checker.topic.clone());
            }
            self.statements(&mut variant, stmts, StatementPlace::Variant);
            let draws = self.default_pool(&mut variant);
            self.check_drawn(&variant, draws && variant.groups != dialogue.groups, name);
            self.check_messages(&variant, stmts, outer);
            self.check_voice(&variant, stmts);
            self.check_demands(&variant, stmts);
            (self.vars, self.pool, self.imposes) = (vars, pool, imposes);
            self.computed.clear();
            variants.push((name.text.clone(), Box::new(variant)));
        }
        variants
    }

    /// The `let`s of a dialogue, with their types.
    fn let_types(&self, stmts: &[Stmt]) -> BTreeMap<String, (Type, Span)> {
        let mut found = BTreeMap::new();
        for stmt in stmts {
            let StmtKind::Let(item) = &stmt.kind else { continue };
            if let Some(ty) = self.vars.get(&item.name.text) {
                found.insert(item.name.text.clone(), (ty.clone(), item.name.span));
            }
        }
        found
    }

    /// Whether a variant overrides a `let` of the dialogue, which requires the same type.
    fn is_computed_again(&mut self, name: &Name, ty: &Type) -> bool {
        let found = self.computed.get(&name.text).filter(|_| self.own_lets.contains(&name.span));
        let Some((was, first)) = found.cloned() else { return false };
        if was != *ty && was != Type::Unknown && *ty != Type::Unknown {
            self.report(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!(
                        "`{}` is {} here and {} in the dialogue",
                        name.text,
                        ty.noun(),
                        was.noun()
                    ),
                )
                .label(name.span, "")
                .label(first, "the dialogue's, in whose place it is")
                .help("give it a value of the same type, or another name"),
            );
        }
        true
    }

    /// The records of a variant, which replace the dialogue's and have the same type.
    fn other_records(&mut self, dialogue: &mut Dialogue, path: &Path) {
        let Some((from, name)) = &dialogue.over else {
            self.report(
                Diagnostic::error(
                    Code::MISPLACED_STATEMENT,
                    "the dialogue has no `over` that a variant could replace",
                )
                .label(path.span, "")
                .help("write `dialogue NAME over BANK as record { … }` around the variant"),
            );
            return;
        };
        let known = self.checker.model.feeds.iter().map(|feed| (&feed.name, &feed.ty));
        let banks = self.checker.model.banks.iter().map(|bank| (&bank.name, &bank.ty));
        let was = known.chain(banks).find(|(known, _)| *known == from).map(|(_, ty)| ty.clone());
        let name = name.clone();
        let Some((other, ty)) = self.checker.source_of_records(self.module, path) else { return };
        if was.is_some_and(|was| was != ty) {
            self.report(
                Diagnostic::error(Code::WRONG_TYPE, "records of another type than the dialogue's")
                    .label(path.span, "")
                    .help("the dialogue's uses of its records must be valid for these as well"),
            );
            return;
        }
        dialogue.over = Some((other, name));
    }

    /// Lowers statements: steps in time are returned; others are stored in the dialogue.
    fn steps(&mut self, dialogue: &mut Dialogue, stmts: &[&Stmt]) -> Vec<Step> {
        let mut steps = Vec::new();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Turn(turn) => {
                    let turn = self.turn(turn);
                    steps.push(Step::Turn(Box::new(turn)));
                }
                StmtKind::Flow(_) => {
                    self.describe(dialogue, stmt);
                    steps.push(Step::Flow);
                }
                StmtKind::Let(item) => {
                    let vars = self.vars.clone();
                    self.checker.check_name(&item.name, "the name of a `let`");
                    let lowered = self.lowering().lower(&item.value, &vars);
                    let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
                    if !self.is_computed_again(&item.name, &ty) {
                        self.checker.inner_let(&mut self.vars, &item.name, ty);
                    }
                    steps.extend(lowered.map(|(tree, _)| Step::Let(item.name.text.clone(), tree)));
                }
                StmtKind::Param(param) => {
                    let vars = self.vars.clone();
                    let lowered = self.lowering().param(param, &vars);
                    match &lowered {
                        Some(lowered) => self.vars.push_param(lowered),
                        None => self.vars.push(&param.name.text, Type::Unknown),
                    }
                    if let Some(given) =
                        lowered.as_ref().filter(|param| param.domain == Domain::Given)
                    {
                        let span = given.span;
                        self.report(
                            Diagnostic::error(
                                Code::BAD_DOMAIN,
                                "a parameter of a dialogue is drawn, and this one has no domain",
                            )
                            .label(span, "")
                            .help("write `int in 1..=9`, `one_of […]` or `1..=3 of […]`"),
                        );
                    }
                    steps.extend(lowered.map(|param| Step::Param(Box::new(param))));
                }
                StmtKind::For(inner) if !stmt.kind.only_imposes() => {
                    let vars = self.vars.clone();
                    let (list, member) = self.loop_over(inner, &vars);
                    self.checker.check_name(&inner.name, "a loop's name");
                    self.vars.push(&inner.name.text, member);
                    let vars_of_by = self.vars.for_place("`by`").about_answer();
                    let by = inner.by.as_ref();
                    let by = by.and_then(|by| self.lowering().expect(by, &Type::Bool, &vars_of_by));
                    let body = self.placed_statements(&inner.body, StatementPlace::Loop);
                    let body = self.steps(dialogue, &body);
                    self.vars = vars;
                    if let Some(list) = list {
                        steps.push(Step::For { name: inner.name.text.clone(), list, by, body });
                    }
                }
                StmtKind::When { condition, block, otherwise } => {
                    let condition = self.observation(condition);
                    let body = self.branch(dialogue, &block.stmts);
                    let otherwise = otherwise.as_ref();
                    let otherwise = otherwise
                        .map_or_else(Vec::new, |block| self.branch(dialogue, &block.stmts));
                    let step = |condition| Step::When { condition, body, otherwise };
                    steps.extend(condition.map(step));
                }
                _ => self.describe(dialogue, stmt),
            }
        }
        steps
    }

    /// The steps of one side of a `when`, whose names hold in it alone.
    fn branch(&mut self, dialogue: &mut Dialogue, stmts: &[Stmt]) -> Vec<Step> {
        let vars = self.vars.clone();
        let placed = self.placed_statements(stmts, StatementPlace::Branch);
        let steps = self.steps(dialogue, &placed);
        self.vars = vars;
        steps
    }

    fn describe(&mut self, dialogue: &mut Dialogue, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Topic(from) => {
                dialogue.topic = self.draw_from(from);
            }
            StmtKind::Style(from) => {
                dialogue.style = self.draw_from(from);
            }
            StmtKind::Start { count } => {
                let vars = self.counts("`start with`");
                if self.lowering().meant_as_range(count) {
                    return;
                }
                if let Some(tree) = self.lowering().expect(count, &Type::Int, &vars) {
                    dialogue.start = tree;
                }
            }
            StmtKind::Scope { name, says, unsaid } => {
                dialogue.scope = self.scope(name).unwrap_or(Scope::Dialogue);
                if dialogue.scope != Scope::Topic && (says.is_some() || *unsaid) {
                    self.report(
                        Diagnostic::error(
                            Code::BAD_SCOPE,
                            format!("nothing is said of the scope `{}`", name.text),
                        )
                        .label(span, "`says` and `unsaid` are for `scope topic`")
                        .help("leave them out: only topics have instructions that rest and return"),
                    );
                }
                let vars = self.vars.clone();
                let words = says.as_ref().and_then(|says| self.lower_text_source(says, &vars));
                dialogue.scope_said = words.map(|words| ScopeSentence { words, again: !unsaid });
                dialogue.scope_unsaid = *unsaid;
                dialogue.scope_span = span;
            }
            StmtKind::Redraw => dialogue.redraws = true,
            StmtKind::RedrawUntil(within) => {
                let draws = match within {
                    Some(draws) => self.count_to(1000, "1000", draws, "draws"),
                    None => Some(DEFAULT_WITNESS_DRAWS),
                };
                dialogue.witness_draws = Some(draws.unwrap_or(DEFAULT_WITNESS_DRAWS));
            }
            StmtKind::Endless => {
                dialogue.endless = true;
                dialogue.endless_span = span;
            }
            StmtKind::Flow(FlowStmt::Topics(rules)) => {
                dialogue.flows.clear();
                dialogue.flow_shares.clear();
                dialogue.topics = self.topic_rules(rules, span);
            }
            StmtKind::Flow(FlowStmt::Of(choices)) => {
                dialogue.topics = None;
                self.named_flows(dialogue, choices, span);
            }
            StmtKind::Evolve(evolve) => {
                dialogue.evolve = self.evolve(evolve);
            }
            StmtKind::Impose(_) | StmtKind::For(_) => {
                dialogue.imposes.extend(self.imposes(stmt));
            }
            StmtKind::Priority(names) => dialogue.priority = self.priority(names, span),
            StmtKind::Patience(expr) => {
                dialogue.patience = self.count(expr, "failed turns");
            }
            StmtKind::End(expr) => {
                let mut vars =
                    self.counts("`end when`").counts(&[TurnFact::Patience, TurnFact::Tokens]);
                self.push_observed(&mut vars);
                dialogue.end = self.lowering().expect(expr, &Type::Bool, &vars);
                dialogue.end_span = expr.span;
            }
            StmtKind::Retry { rounds, form } => {
                let form = form.as_ref().map_or(Feedback::Chat, |form| self.feedback(form));
                (dialogue.retry, dialogue.retry_rounds) = self.retry(rounds, form);
            }
            StmtKind::Context(name) => {
                dialogue.context = match name.text.as_str() {
                    "own" => Context::Own,
                    "golden" => Context::Golden,
                    other => {
                        self.report(
                            Diagnostic::error(Code::BAD_CONTEXT, format!("there is no context `{other}`"))
                                .label(name.span, "")
                                .help("write `own` (the model's own answers) or `golden` (a fixed history)"),
                        );
                        Context::Own
                    }
                };
            }
            StmtKind::Overflow { is_omitted: true } => dialogue.overflow = Overflow::Omitted,
            StmtKind::Overflow { is_omitted: false } => dialogue.overflow = Overflow::Missed,
            StmtKind::JudgeBy { template } => {
                dialogue.judge_template = self.checklist(template);
            }
            StmtKind::JudgeSees(what) => {
                dialogue.judge_sees = self.judge_sees(what);
            }
            StmtKind::JudgeHistory(turns) => {
                dialogue.judge_history = match turns {
                    Some(turns) => self.turns_shown(turns),
                    None => Some(u32::MAX),
                };
            }
            StmtKind::Weigh(weights) => {
                for (at, (name, weight)) in weights.iter().enumerate() {
                    self.check_weighed(name);
                    let same = |(known, _): &&(Name, Expr)| known.text == name.text;
                    if let Some((first, _)) = weights[..at].iter().find(same) {
                        self.report(
                            Diagnostic::error(
                                Code::DUPLICATE_NAME,
                                format!("`{}` has two weights", name.text),
                            )
                            .label(name.span, "second time")
                            .label(first.span, "first time")
                            .help("keep one of them"),
                        );
                    }
                    let lowered = self.lowering().constant(weight, &Type::Float);
                    if let Some(value) = lowered {
                        let tree = Tree::new(Node::Value(value), weight.span);
                        dialogue.weights.insert(name.text.clone(), tree);
                    }
                }
            }
            StmtKind::Report { metrics, by: _ } => {
                (dialogue.metrics, dialogue.own_metrics) = self.metrics(metrics);
            }
            StmtKind::Sample(expr) => {
                // The same limit as for `--samples`.
                dialogue.sample = self.count_to(1000, "1000", expr, "samples").unwrap_or(1);
            }
            StmtKind::System(words) => {
                let vars = self.vars.clone();
                dialogue.system = self.lower_text_source(words, &vars);
            }
            StmtKind::Templates(folder) => {
                self.own_templates(dialogue, folder);
            }
            StmtKind::FactsByJudge => {
                dialogue.facts_by_judge = true;
            }
            StmtKind::Over(path) => {
                self.other_records(dialogue, path);
            }
            StmtKind::Repeat => {
                dialogue.repeat_instructions = true;
            }
            StmtKind::Constraints(_)
            | StmtKind::Variant { .. }
            | StmtKind::Turn(_)
            | StmtKind::Let(_)
            | StmtKind::Param(_) => {}
            // Statements of turns and flows, which are not in a dialogue.
            StmtKind::Ask(_)
            | StmtKind::Show(_)
            | StmtKind::Part(_)
            | StmtKind::Require(_)
            | StmtKind::Answer(_)
            | StmtKind::Reply(_)
            | StmtKind::Class(_)
            | StmtKind::Expect { .. }
            | StmtKind::Void(..)
            | StmtKind::Observe(_)
            | StmtKind::Stay { .. }
            | StmtKind::Switch { .. }
            | StmtKind::When { .. }
            | StmtKind::Until(_) => {}
        }
    }

    fn judge_sees(&mut self, what: &[Name]) -> Option<JudgeSees> {
        const MESSAGE_KINDS: [&str; 4] = ["system", "history", "message", "answer"];
        for name in what {
            if !MESSAGE_KINDS.contains(&name.text.as_str()) {
                self.report(
                    Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("a judge is not shown a `{}`", name.text),
                    )
                    .label(name.span, "")
                    .help(format!("it is shown some of {}", MESSAGE_KINDS.join(", ")))
                    .did_you_mean(&name.text, MESSAGE_KINDS),
                );
                return None;
            }
        }
        let has = |word: &str| what.iter().any(|name| name.text == word);
        if !has("answer") {
            self.report(
                Diagnostic::error(Code::BAD_JUDGE, "a judge needs the response that it judges")
                    .label(what.first()?.span, "")
                    .help("add `answer`: `judge sees message, answer`"),
            );
            return None;
        }
        Some(JudgeSees { system: has("system"), history: has("history"), message: has("message") })
    }

    fn feedback(&mut self, name: &Name) -> Feedback {
        match name.text.as_str() {
            "chat" => Feedback::Chat,
            "fresh" => Feedback::Fresh,
            other => {
                self.report(
                    Diagnostic::error(
                        Code::BAD_CONTEXT,
                        format!("there is no feedback `as {other}`"),
                    )
                    .label(name.span, "")
                    .help("write `as chat` (the next message of the dialogue) or `as fresh` (one message that replaces the first)"),
                );
                Feedback::Chat
            }
        }
    }

    fn counts(&self, place: &'static str) -> Vars {
        self.vars.for_place(place)
    }

    pub fn draw_from(&mut self, written: &ast::DrawFrom) -> Option<DrawFrom> {
        let (bank, ty) = self.checker.bank(self.module, &written.from)?;
        let condition = match &written.condition {
            Some(condition) => {
                let vars = Vars::new("a choice of records").with_it(ty);
                let tree = self.lowering().expect(condition, &Type::Bool, &vars)?;
                self.check_any(&bank, &tree, condition.span);
                Some(tree)
            }
            None => None,
        };
        Some(DrawFrom { bank, condition })
    }

    /// Reports a condition that no record of a bank satisfies.
    fn check_any(&mut self, bank: &str, condition: &Tree, span: Span) {
        let Some(bank) = self.checker.model.banks.iter().find(|known| known.name == bank) else {
            return;
        };
        let met = bank.records.iter().any(|record| record_meets(condition, record));
        if !met {
            let message = format!("no record of `{}` meets this", bank.name);
            self.report(
                Diagnostic::error(Code::EMPTY_DOMAIN, message).label(span, "nothing to draw from"),
            );
        }
    }
}
