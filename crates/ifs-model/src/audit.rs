//! What `ifs audit` may find by design.

use super::check::Checker;
use super::names::{ItemAt, Symbol};
use super::table::{AuditScope, Floor, Minds, Tolerates, Turn, TurnPart};
use ifs_base::diagnostic::{Code, Diagnostic, closest};
use ifs_forms::{ANSWERS, FormGroup, forms};
use ifs_syntax::ast::{AuditStmtKind, ItemKind, Name, Path};

/// The limits that a scenario can set.
const LIMITS: [&str; 4] = ["changed", "evaded", "floor", "golden"];

impl Checker<'_> {
    /// The declarations of one file. In the main file they are about everything unless they name
    /// something, in other files about what these define.
    pub fn audits_of(&mut self, module: usize, root: bool) {
        let items = self.loader.modules[module].ast.items.clone();
        for item in &items {
            let ItemKind::Audit(audit) = &item.kind else { continue };
            for stmt in &audit.stmts {
                match &stmt.kind {
                    AuditStmtKind::Limit { what, share } => {
                        let Some(share) = self.lowering(module).share(share) else { continue };
                        if self.known_name(what, "limit", LIMITS.into_iter()) {
                            self.model.audit.limits.insert(what.text.clone(), share);
                        }
                    }
                    AuditStmtKind::Minds { forms, within, because } => {
                        let forms = self.form_names(forms);
                        let within = self.audit_scopes(module, root, within);
                        let because = because.value.clone();
                        if !forms.is_empty() && !within.is_empty() {
                            let minds = Minds { forms, within, because, span: stmt.span };
                            self.model.audit.minds.push(minds);
                        }
                    }
                    AuditStmtKind::Tolerates { forms, within } => {
                        let forms = self.form_names(forms);
                        let within = self.audit_scopes(module, root, within);
                        if !forms.is_empty() && !within.is_empty() {
                            let tolerates = Tolerates { forms, within, span: stmt.span };
                            self.model.audit.tolerates.push(tolerates);
                        }
                    }
                    AuditStmtKind::Floor { share, answers, within, because } => {
                        let Some(share) = self.lowering(module).share(share) else { continue };
                        let names = || ANSWERS.iter().map(|answer| answer.name);
                        let known: Vec<bool> = answers
                            .iter()
                            .map(|name| self.known_name(name, "answer", names()))
                            .collect();
                        let within = self.audit_scopes(module, root, within);
                        if known.iter().all(|known| *known) && !within.is_empty() {
                            let answers = answers.iter().map(|name| name.text.clone()).collect();
                            let because = because.value.clone();
                            let floor = Floor { share, answers, within, because, span: stmt.span };
                            self.model.audit.floors.push(floor);
                        }
                    }
                }
            }
        }
    }

    /// Reports a name that is none of these.
    fn known_name<'n>(
        &mut self,
        name: &Name,
        kind: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> bool {
        let known: Vec<&str> = known.collect();
        if known.contains(&name.text.as_str()) {
            return true;
        }
        let near = closest(&name.text, known);
        let help = match near {
            Some(near) => format!("did you mean `{near}`? `ifs audit --list` has all"),
            None => "`ifs audit --list` has all".to_owned(),
        };
        self.diagnostics.push(
            Diagnostic::error(
                Code::UNKNOWN_NAME,
                format!("there is no {kind} called `{}`", name.text),
            )
            .label(name.span, "")
            .help(help),
        );
        false
    }

    /// The forms of names and of groups.
    fn form_names(&mut self, names: &[Name]) -> Vec<String> {
        let mut selected = Vec::new();
        for name in names {
            let known = forms().map(|form| form.name).chain(FormGroup::ALL.map(FormGroup::name));
            if self.known_name(name, "form", known) {
                selected.extend(ifs_forms::selected(&name.text).into_iter().map(str::to_owned));
            }
        }
        selected
    }

    /// What declarations are about.
    fn audit_scopes(&mut self, module: usize, root: bool, within: &[Path]) -> Vec<AuditScope> {
        if within.is_empty() {
            return match root {
                true => vec![AuditScope::default()],
                false => self.defined_in(module),
            };
        }
        within.iter().flat_map(|path| self.audit_scope(module, path)).collect()
    }

    /// Everything that a file defines and this scenario has.
    fn defined_in(&self, module: usize) -> Vec<AuditScope> {
        let groups = self.groups.iter().filter(|(at, _)| at.module == module);
        let groups = groups.filter_map(|(_, name)| name.clone());
        let mut scopes: Vec<AuditScope> =
            groups.map(|name| AuditScope { check: Some(name), ..AuditScope::default() }).collect();
        for item in &self.loader.modules[module].ast.items {
            match &item.kind {
                ItemKind::Dialogue(dialogue) => scopes.push(AuditScope {
                    dialogue: Some(dialogue.name.text.clone()),
                    ..AuditScope::default()
                }),
                ItemKind::Flow(flow) => {
                    let flows = self.model.flows.iter();
                    let own = flows.filter(|one| is_named(&one.name, &flow.name.text));
                    scopes.extend(own.flat_map(|flow| turn_names(&flow.turns())).map(of_turn));
                }
                _ => {}
            }
        }
        scopes
    }

    /// What a path names: a group or a constraint, a dialogue, a turn of it or of a flow, or a
    /// requirement of such a turn.
    fn audit_scope(&mut self, module: usize, path: &Path) -> Vec<AuditScope> {
        let library = self.loader.modules[module].library;
        let Some((symbol, rest)) = self.find_first(module, path) else { return Vec::new() };
        let rest: Vec<String> = rest.iter().map(|name| name.text.clone()).collect();
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let found = match symbol {
            Symbol::Group(at) => self.audited_group(at, &rest, library),
            Symbol::Dialogue(at) => {
                let name = match &self.loader.modules[at.module].ast.items[at.item].kind {
                    ItemKind::Dialogue(dialogue) => dialogue.name.text.clone(),
                    _ => String::new(),
                };
                self.audited_dialogue(&name, &rest)
            }
            Symbol::Flow(at) => {
                let name = match &self.loader.modules[at.module].ast.items[at.item].kind {
                    ItemKind::Flow(flow) => flow.name.text.clone(),
                    _ => String::new(),
                };
                let flow = self.model.flows.iter().find(|flow| is_named(&flow.name, &name));
                flow.and_then(|flow| audited_turns(None, &flow.turns(), &rest))
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    format!("`{}` has no checks for an audit", path.text()),
                )
                .label(path.span, "")
                .help(
                    "name a group, a constraint, a dialogue, or `DIALOGUE.TURN`, or \
                     `DIALOGUE.TURN.REQUIREMENT`",
                ),
            );
            Vec::new()
        })
    }

    fn audited_group(
        &mut self,
        at: ItemAt,
        rest: &[&str],
        library: bool,
    ) -> Option<Vec<AuditScope>> {
        // What a module of the library has and no scenario uses is not read.
        let known = self.groups.get(&at).cloned();
        let group = match known {
            Some(group) => group?,
            None if library => return Some(Vec::new()),
            None => self.group(at)?,
        };
        let scope =
            |check: String| vec![AuditScope { check: Some(check), ..AuditScope::default() }];
        match rest {
            [] => Some(scope(group)),
            [name] => {
                let full = format!("{group}.{name}");
                let groups = self.model.groups.iter().flat_map(|group| &group.constraints);
                let mut all = groups.map(|constraint| &constraint.name);
                all.any(|name| *name == full).then(|| scope(full))
            }
            _ => None,
        }
    }

    fn audited_dialogue(&self, name: &str, rest: &[&str]) -> Option<Vec<AuditScope>> {
        let dialogue = self.model.dialogues.iter().find(|one| one.name == name)?;
        let of_dialogue = AuditScope { dialogue: Some(name.to_owned()), ..AuditScope::default() };
        match rest {
            [] => Some(vec![of_dialogue]),
            _ => {
                let turns = dialogue.written_turns(&self.model.flows);
                let variants = dialogue.variants.iter();
                let varied = variants.flat_map(|(_, one)| one.written_turns(&self.model.flows));
                let turns: Vec<&Turn> = turns.into_iter().chain(varied).collect();
                audited_turns(Some(name), &turns, rest)
            }
        }
    }
}

/// Whether a flow in the model has this name in its file.
fn is_named(full: &str, name: &str) -> bool {
    full == name || full.rsplit('.').next() == Some(name)
}

fn turn_names(turns: &[&Turn]) -> Vec<String> {
    turns.iter().map(|turn| turn.name.clone()).filter(|name| !name.is_empty()).collect()
}

fn of_turn(turn: String) -> AuditScope {
    AuditScope { turn: Some(turn), ..AuditScope::default() }
}

/// A turn among these, or one of its requirements and observations.
fn audited_turns(
    dialogue: Option<&str>,
    turns: &[&Turn],
    rest: &[&str],
) -> Option<Vec<AuditScope>> {
    let dialogue = dialogue.map(str::to_owned);
    let [name, rest @ ..] = rest else {
        return Some(turn_names(turns).into_iter().map(of_turn).collect());
    };
    let turn = turns.iter().find(|turn| turn.name == *name)?;
    let scope = AuditScope { dialogue, turn: Some((*name).to_owned()), check: None };
    match rest {
        [] => Some(vec![scope]),
        [check] => has_criterion(&turn.body, check)
            .then(|| vec![AuditScope { check: Some((*check).to_owned()), ..scope }]),
        _ => None,
    }
}

/// Whether a turn has a requirement or an observation of this name.
fn has_criterion(body: &[TurnPart], name: &str) -> bool {
    body.iter().any(|part| match part {
        TurnPart::Require { name: own, .. } | TurnPart::Observe { name: own, .. } => own == name,
        TurnPart::For { body, .. } => has_criterion(body, name),
        _ => false,
    })
}
