//! Splits: what is held out of the scenario, and drawn by the split alone.
//!
//! A split adds a variant to each dialogue that draws something of it. The dialogue itself, and its
//! other variants, are left without what any split holds out.

use std::collections::BTreeSet;

use super::check::Checker;
use super::dialogue::DialogueChecker;
use super::names::Symbol;
use super::table::{Dialogue, DrawFrom, Flow, Impose, Split, Step, TurnPart};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::evaluate::record_meets;
use ifs_predicate::tree::{Node, Tree};
use ifs_syntax::ast::{self, ItemKind, Path, SplitStmtKind};

/// What a split holds out, and what its sets draw in addition.
struct HeldOut {
    name: String,
    span: Span,
    groups: BTreeSet<String>,
    with: BTreeSet<String>,
    topics: Vec<(DrawFrom, Span)>,
    styles: Vec<(DrawFrom, Span)>,
    flows: BTreeSet<String>,
    words: Vec<String>,
    /// Templates by their names.
    templates: std::collections::BTreeMap<String, String>,
    /// The groups and flows with their spans, for what no dialogue draws.
    named: Vec<(String, Span, &'static str)>,
}

impl HeldOut {
    fn into_split(self) -> Split {
        let HeldOut { name, span: _, groups, with, topics, styles, flows, words, .. } = self;
        let draws = |from: Vec<(DrawFrom, Span)>| from.into_iter().map(|(from, _)| from).collect();
        let (topics, styles) = (draws(topics), draws(styles));
        Split { name, groups, with, topics, styles, flows, words, templates: self.templates }
    }
}

/// The name of a variant in a split: `hidden`, `strict@hidden`.
pub fn variant_of(split: &str, variant: Option<&str>) -> String {
    match variant {
        None => split.to_owned(),
        Some(variant) => format!("{variant}@{split}"),
    }
}

/// For people: `variant strict, split hidden`.
pub fn described(variant: &str, splits: &[String]) -> String {
    match variant.split_once('@') {
        Some((variant, split)) => format!("variant {variant}, split {split}"),
        None if splits.iter().any(|split| split == variant) => format!("split {variant}"),
        None => format!("variant {variant}"),
    }
}

/// The variant in the name of a variant in a split: `strict` of `strict@hidden`.
pub fn of_variant(name: &str) -> Option<&str> {
    name.split_once('@').map(|(variant, _)| variant)
}

impl Checker<'_> {
    /// Takes what the splits of a module hold out of the dialogues, and adds the splits to them.
    pub(super) fn splits(&mut self, module: usize, items: &[std::sync::Arc<ast::Item>]) {
        let mut all: Vec<HeldOut> = Vec::new();
        for item in items {
            let ItemKind::Split(written) = &item.kind else { continue };
            if let Some(first) = all.iter().find(|held| held.name == written.name.text) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("there are two splits called `{}`", written.name.text),
                    )
                    .label(written.name.span, "second one")
                    .label(first.span, "first one")
                    .help("give one of them another name"),
                );
                continue;
            }
            self.doc(&written.name.text, &item.docs);
            if let Some(held) = self.held_out(module, written) {
                all.push(held);
            }
        }
        if all.is_empty() || self.diagnostics.errors() > 0 {
            return;
        }
        self.check_shared(&all);
        let flows = self.model.flows.clone();
        let mut dialogues = std::mem::take(&mut self.model.dialogues);
        let mut undivided = self.model.undivided.take().unwrap_or_default();
        for dialogue in &dialogues {
            let name = dialogue.name.clone();
            undivided.dialogues.entry(name).or_insert_with(|| dialogue.clone());
        }
        let mut used: BTreeSet<String> = BTreeSet::new();
        for dialogue in &mut dialogues {
            let own = std::mem::take(&mut dialogue.variants);
            let mut added: Vec<(String, Box<Dialogue>)> = Vec::new();
            for held in &all {
                if own.iter().any(|(name, _)| *name == held.name) {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::DUPLICATE_NAME,
                            format!(
                                "`{}` has a variant `{}`, and a split has this name",
                                dialogue.name, held.name
                            ),
                        )
                        .label(held.span, "the split")
                        .label(dialogue.span, "the dialogue")
                        .help("remove the variant: the split is one, for every dialogue"),
                    );
                    continue;
                }
                let forms = std::iter::once((None, &*dialogue))
                    .chain(own.iter().map(|(name, table)| (Some(name.as_str()), &**table)));
                for (variant, table) in forms.collect::<Vec<_>>() {
                    if let Some(split) = self.split_variant(table, held, &all, &flows, &mut used) {
                        added.push((variant_of(&held.name, variant), Box::new(split)));
                    }
                }
            }
            let mut own = own;
            for (variant, table) in own.iter_mut() {
                self.remove_held_out(table, &all, &flows, Some(variant));
            }
            self.remove_held_out(dialogue, &all, &flows, None);
            dialogue.variants = own;
            dialogue.variants.extend(added);
        }
        self.model.dialogues = dialogues;
        self.check_used(&all, &used);
        self.model.splits.extend(all.iter().map(|held| held.name.clone()));
        undivided.splits.extend(all.into_iter().map(HeldOut::into_split));
        self.model.undivided = Some(undivided);
    }

    fn held_out(&mut self, module: usize, written: &ast::Split) -> Option<HeldOut> {
        let name = &written.name;
        let mut held = HeldOut {
            name: name.text.clone(),
            span: name.span,
            groups: BTreeSet::new(),
            with: BTreeSet::new(),
            topics: Vec::new(),
            styles: Vec::new(),
            flows: BTreeSet::new(),
            words: Vec::new(),
            templates: std::collections::BTreeMap::new(),
            named: Vec::new(),
        };
        for stmt in &written.stmts {
            match &stmt.kind {
                SplitStmtKind::Groups { held: paths, with } => {
                    for path in paths {
                        let groups = self.groups_named(module, std::slice::from_ref(path));
                        for group in groups {
                            held.named.push((group.clone(), path.span, "group"));
                            held.groups.insert(group);
                        }
                    }
                    held.with.extend(self.groups_named(module, with));
                }
                SplitStmtKind::Topics(draw) | SplitStmtKind::Styles(draw) => {
                    let vars = Vars::new("a split");
                    let from = DialogueChecker::new(self, module, vars).draw_from(draw)?;
                    match &stmt.kind {
                        SplitStmtKind::Topics(_) => held.topics.push((from, stmt.span)),
                        _ => held.styles.push((from, stmt.span)),
                    }
                }
                SplitStmtKind::Templates(folder) => {
                    let vars = Vars::new("a split");
                    let mut scratch = Dialogue::new(name.text.clone(), name.span);
                    DialogueChecker::new(self, module, vars).own_templates(&mut scratch, folder);
                    held.templates = scratch.words;
                }
                SplitStmtKind::Words(texts) => {
                    held.words.extend(texts.iter().map(|text| text.value.clone()));
                    texts.iter().for_each(|text| self.check_words(text));
                }
                SplitStmtKind::Flows(paths) => {
                    for path in paths {
                        if let Some(flow) = self.flow_named(module, path) {
                            held.named.push((flow.clone(), path.span, "flow"));
                            held.flows.insert(flow);
                        }
                    }
                }
            }
        }
        if written.stmts.is_empty() && !written.broken {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the split `{}` holds nothing out", name.text),
                )
                .label(name.span, "")
                .help("write `groups NAMES`, `topics from BANK where CONDITION` or `flows NAMES`"),
            );
        }
        Some(held)
    }

    fn flow_named(&mut self, module: usize, path: &Path) -> Option<String> {
        match self.find(module, path)? {
            Symbol::Flow(at) => self.flow(at),
            other => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::WRONG_TYPE,
                        format!("`{}` is {}, not a flow", path.text(), other.noun()),
                    )
                    .label(path.span, "")
                    .help("write the name of a `flow NAME { … }`"),
                );
                None
            }
        }
    }

    /// Whether any constraint or phrase bank has this wording.
    fn check_words(&mut self, text: &ast::TextLiteral) {
        let constraints = self.model.groups.iter().flat_map(|group| &group.constraints);
        let said: Vec<&String> = constraints
            .flat_map(|one| one.say.iter().chain(&one.change).chain(&one.withdraw))
            .collect();
        let tables = self.model.dialogues.iter();
        let quoted = serde_json::to_string(&text.value).unwrap_or_default();
        let in_banks =
            tables.flat_map(|table| table.words.values()).any(|bank| bank.contains(&quoted));
        if said.contains(&&text.value) || in_banks {
            return;
        }
        let diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            "no constraint and no phrase has this wording".to_owned(),
        )
        .label(text.span, "")
        .help("copy a text of a `say`, `change` or `withdraw`, or of a bank of phrases, exactly");
        self.diagnostics.push(diagnostic);
    }

    /// Reports what one split holds out and another one draws.
    fn check_shared(&mut self, all: &[HeldOut]) {
        for held in all {
            for other in all {
                let shared = held.groups.iter().find(|group| {
                    other.with.contains(*group)
                        || (held.name < other.name && other.groups.contains(*group))
                });
                let Some(group) = shared else { continue };
                let spans = held.named.iter().find(|(name, ..)| name == group);
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!(
                            "`{}` holds out `{group}`, and `{}` draws it",
                            held.name, other.name
                        ),
                    )
                    .label(spans.map_or(held.span, |(_, span, _)| *span), "held out here")
                    .label(other.span, "drawn by this split")
                    .help("name the group in one of the two"),
                );
            }
        }
    }

    /// Reports what is held out and drawn by no dialogue.
    fn check_used(&mut self, all: &[HeldOut], used: &BTreeSet<String>) {
        for held in all {
            let of_banks = [("topics", &held.topics), ("styles", &held.styles)];
            let banks = of_banks.into_iter().flat_map(|(what, from)| {
                from.iter().map(move |(from, span)| (format!("{what} {}", from.bank), *span, what))
            });
            let named = held
                .named
                .iter()
                .map(|(name, span, what)| (format!("{what} {name}"), *span, *what))
                .chain(banks);
            for (key, span, what) in named {
                if used.contains(&format!("{} {key}", held.name)) {
                    continue;
                }
                let (message, help) = match what {
                    "group" => (
                        "no dialogue draws from this group",
                        "add it to the `constraints from` of a dialogue: the split takes it out",
                    ),
                    "flow" => (
                        "no dialogue chooses this flow among others",
                        "write `flow one_of [NAME, …]` with it in a dialogue: the split takes it out",
                    ),
                    _ => (
                        "no dialogue draws these records",
                        "the bank is that of a `topic from` or `style from`, and the dialogue's own `where` leaves some of these records",
                    ),
                };
                self.diagnostics.push(
                    Diagnostic::error(Code::MISSING_STATEMENT, message).label(span, "").help(help),
                );
            }
        }
    }

    /// The variant of a dialogue that a split draws; `None` if the split holds nothing out of it.
    fn split_variant(
        &mut self,
        table: &Dialogue,
        held: &HeldOut,
        all: &[HeldOut],
        flows: &[Flow],
        used: &mut BTreeSet<String>,
    ) -> Option<Dialogue> {
        let mut split = table.clone();
        split.variants = Vec::new();
        let mut holds_out = false;
        let mut mark = |what: &str, name: &str| {
            holds_out = true;
            used.insert(format!("{} {what} {name}", held.name));
        };
        let others: BTreeSet<&String> = all
            .iter()
            .filter(|other| other.name != held.name)
            .flat_map(|other| &other.groups)
            .collect();
        let own = |groups: &[String]| -> Vec<String> {
            let has = groups.iter().any(|group| held.groups.contains(group));
            let drawn = |group: &&String| match has {
                true => held.groups.contains(*group) || held.with.contains(*group),
                false => !others.contains(*group),
            };
            groups.iter().filter(drawn).cloned().collect()
        };
        table.all_imposes(flows).flat_map(|impose| &impose.from).chain(&table.groups).for_each(
            |group| {
                if held.groups.contains(group) {
                    mark("group", group);
                }
            },
        );
        split.groups = own(&table.groups);
        each_impose(&mut split, &mut |impose| {
            if impose.draws() {
                impose.from = own(&impose.from);
            }
        });
        let records = [("topics", &held.topics), ("styles", &held.styles)];
        for (what, from) in records {
            let drawn = if what == "topics" { &mut split.topic } else { &mut split.style };
            let Some(drawn) = drawn else { continue };
            for (from, _) in from {
                if from.bank != drawn.bank {
                    continue;
                }
                let narrowed = conjunction(drawn.condition.as_ref(), from.condition.clone());
                if self.count(&drawn.bank, narrowed.as_ref()) > 0 {
                    mark(what, &from.bank);
                    drawn.condition = narrowed;
                }
            }
        }
        if split.flows.iter().any(|flow| held.flows.contains(flow)) {
            split
                .flows
                .iter()
                .filter(|flow| held.flows.contains(*flow))
                .for_each(|f| mark("flow", f));
            keep_flows(&mut split, |flow| held.flows.contains(flow));
        }
        split.words.extend(held.templates.clone());
        split.only_words = self.words_of(table, flows, &held.words);
        // With `with`, a split may draw from all groups: what it holds out is not drawn elsewhere.
        if !holds_out && split == *table {
            return None;
        }
        // Parts that other splits hold out stay held out.
        let rest: Vec<&HeldOut> = all.iter().filter(|other| other.name != held.name).collect();
        self.take_out(&mut split, &rest, flows, &format!("the split `{}`", held.name));
        Some(split)
    }

    /// Takes what splits hold out of a dialogue.
    fn remove_held_out(
        &mut self,
        table: &mut Dialogue,
        all: &[HeldOut],
        flows: &[Flow],
        variant: Option<&str>,
    ) {
        let all: Vec<&HeldOut> = all.iter().collect();
        let of = match variant {
            None => format!("the dialogue `{}`", table.name),
            Some(variant) => format!("the variant `{variant}` of `{}`", table.name),
        };
        self.take_out(table, &all, flows, &of);
    }

    fn take_out(&mut self, table: &mut Dialogue, all: &[&HeldOut], flows: &[Flow], of: &str) {
        for held in all {
            self.take_out_one(table, held, flows, of);
        }
    }

    fn take_out_one(&mut self, table: &mut Dialogue, held: &HeldOut, flows: &[Flow], of: &str) {
        let mut wrong: Vec<(String, Span, &str)> = Vec::new();
        let place = |span: Span| if span == Span::default() { held.span } else { span };
        if !table.flows.is_empty() && table.flows.iter().all(|flow| held.flows.contains(flow)) {
            wrong.push((
                format!("no flow of {of} is left"),
                held.span,
                "hold out fewer flows: `flow one_of` needs one that is drawn outside of the split",
            ));
        } else {
            keep_flows(table, |flow| !held.flows.contains(flow));
        }
        let left: Vec<String> =
            table.groups.iter().filter(|group| !held.groups.contains(*group)).cloned().collect();
        if left.is_empty() && !table.groups.is_empty() {
            wrong.push((
                format!("no group of {of} is left to draw from"),
                held.span,
                "hold out fewer groups, or add one to its `constraints from`",
            ));
        } else {
            table.groups = left;
        }
        // Only the flows that are left.
        let reached: Vec<Impose> = table.all_imposes(flows).cloned().collect();
        for impose in &reached {
            let out = impose.from.iter().filter(|group| held.groups.contains(*group)).count();
            let of_flow = table
                .flows
                .iter()
                .filter_map(|name| flows.iter().find(|flow| flow.name == *name))
                .any(|flow| flow.turns().iter().any(|turn| turn.imposes().contains(&impose)));
            if out > 0 && (out == impose.from.len() || of_flow) {
                wrong.push((
                    format!("`{}` is imposed in {of}, and held out", impose.from.join("`, `")),
                    place(impose.span),
                    "impose it in a flow that is held out too, or hold out another group",
                ));
            }
        }
        each_impose(table, &mut |impose| {
            if impose.from.iter().any(|group| !held.groups.contains(group)) {
                impose.from.retain(|group| !held.groups.contains(group));
            }
        });
        let records = [("topic", &held.topics), ("style", &held.styles)];
        for (what, from) in records {
            let drawn = if what == "topic" { &mut table.topic } else { &mut table.style };
            let Some(drawn) = drawn else { continue };
            for (from, span) in from {
                if from.bank != drawn.bank {
                    continue;
                }
                let before = self.count(&drawn.bank, drawn.condition.as_ref());
                let not = from
                    .condition
                    .clone()
                    .map(|tree| Tree::without_place(Node::Not(Box::new(tree))));
                let narrowed = conjunction(drawn.condition.as_ref(), not);
                match self.count(&drawn.bank, narrowed.as_ref()) {
                    0 => wrong.push((
                        format!("no {what} of {of} is left: all {before} are held out"),
                        *span,
                        "hold out fewer records",
                    )),
                    left if left < before => drawn.condition = narrowed,
                    _ => {}
                }
            }
        }
        table.without_words.extend(self.words_of(table, flows, &held.words));
        for constraint in self.model.groups.iter().flat_map(|group| &group.constraints) {
            let is_out = |text: &String| held.words.contains(text);
            if !constraint.say.is_empty() && constraint.say.iter().all(is_out) {
                wrong.push((
                    format!("no wording of `{}` is left", constraint.name),
                    held.span,
                    "hold out fewer texts of its `say`, or add one",
                ));
            }
        }
        for (message, span, help) in wrong {
            let same = |found: &Diagnostic| found.message == message;
            if !self.diagnostics.list.iter().any(same) {
                self.diagnostics.push(
                    Diagnostic::error(Code::EMPTY_DOMAIN, message)
                        .label(span, format!("the split `{}` holds them out", held.name))
                        .help(help),
                );
            }
        }
    }

    /// The wordings that a dialogue could use.
    fn words_of(&self, table: &Dialogue, flows: &[Flow], texts: &[String]) -> Vec<String> {
        let imposed = table.all_imposes(flows).flat_map(|impose| &impose.from);
        let drawn: BTreeSet<&String> = table.groups.iter().chain(imposed).collect();
        let groups = self.model.groups.iter().filter(|group| drawn.contains(&group.name));
        let said: BTreeSet<&String> = groups
            .flat_map(|group| &group.constraints)
            .flat_map(|one| one.say.iter().chain(&one.change).chain(&one.withdraw))
            .collect();
        let quoted = |text: &String| serde_json::to_string(text).unwrap_or_default();
        let in_bank =
            |text: &&String| table.words.values().any(|bank| bank.contains(&quoted(text)));
        texts.iter().filter(|text| said.contains(*text) || in_bank(text)).cloned().collect()
    }

    /// The number of records of a bank that meet a condition.
    fn count(&self, bank: &str, condition: Option<&Tree>) -> usize {
        let bank = self.model.banks.iter().find(|known| known.name == bank);
        let meets = |record: &&ifs_predicate::value::Value| {
            condition.is_none_or(|condition| record_meets(condition, record))
        };
        bank.map_or(0, |bank| bank.records.iter().filter(meets).count())
    }
}

fn conjunction(one: Option<&Tree>, other: Option<Tree>) -> Option<Tree> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Tree::without_place(Node::And(vec![one.clone(), other]))),
        (one, other) => other.or_else(|| one.cloned()),
    }
}

fn keep_flows(table: &mut Dialogue, keep: impl Fn(&String) -> bool) {
    let shares = std::mem::take(&mut table.flow_shares);
    let flows = std::mem::take(&mut table.flows);
    for (at, flow) in flows.into_iter().enumerate() {
        if keep(&flow) {
            table.flow_shares.extend(shares.get(at));
            table.flows.push(flow);
        }
    }
}

/// Changes the `impose` statements of a dialogue, except those of named flows.
fn each_impose(table: &mut Dialogue, change: &mut impl FnMut(&mut Impose)) {
    fn parts(body: &mut [TurnPart], change: &mut impl FnMut(&mut Impose)) {
        for part in body {
            match part {
                TurnPart::Impose(impose) => change(impose),
                TurnPart::For { body, .. } => parts(body, change),
                _ => {}
            }
        }
    }
    fn steps(body: &mut [Step], change: &mut impl FnMut(&mut Impose)) {
        for step in body {
            match step {
                Step::Turn(turn) => parts(&mut turn.body, change),
                Step::For { body, .. } => steps(body, change),
                Step::When { body, otherwise, .. } => {
                    steps(body, change);
                    steps(otherwise, change);
                }
                Step::Flow | Step::Let(..) | Step::Param(_) => {}
            }
        }
    }
    parts(&mut table.imposes, change);
    steps(&mut table.steps, change);
    for (_, turn) in table.topics.iter_mut().flat_map(|rules| &mut rules.turns) {
        parts(&mut turn.body, change);
    }
}
