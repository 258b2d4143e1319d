//! Finds the names that the expressions and texts of a dialogue use.

use crate::table::{
    ChangeRules, Constraint, DecidedBy, Dialogue, Domain, Impose, ImposedConstraint, Param, Step,
    TextSource, TurnPart,
};
use ifs_parts::template;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// Visits expressions and texts to find uses of a name.
pub(super) struct Uses<'n> {
    name: &'n str,
    pub found: bool,
}

impl<'n> Uses<'n> {
    pub fn uses_of_name(name: &'n str) -> Uses<'n> {
        Uses { name, found: false }
    }

    pub fn tree(&mut self, tree: &Tree) {
        self.found = self.found || tree.refers_to(self.name);
    }

    pub fn trees<'t>(&mut self, trees: impl IntoIterator<Item = &'t Tree>) {
        trees.into_iter().for_each(|tree| self.tree(tree));
    }

    /// A template. A syntax error in it is reported when it is lowered.
    pub fn collect_template_uses(&mut self, text: &str) {
        let root = |name: &String| name.split('.').next() == Some(self.name);
        self.found = self.found
            || text.contains('{')
                && template::names_in(text).is_ok_and(|names| names.iter().any(root));
    }

    pub fn collect_text_uses(&mut self, words: &TextSource) {
        match words {
            TextSource::Template { text, .. } => self.collect_template_uses(text),
            TextSource::Expr(tree) => {
                if let Node::Value(Value::Text(text)) = &tree.node {
                    self.collect_template_uses(text);
                }
                self.tree(tree);
            }
        }
    }

    fn collect_checker_uses(&mut self, by: &DecidedBy) {
        match by {
            DecidedBy::Rule(tree) => self.tree(tree),
            DecidedBy::Judge(question) => self.collect_template_uses(&question.text),
        }
    }

    fn collect_change_uses(&mut self, changes: &ChangeRules) {
        let guarded = changes.guards.iter().flat_map(|(_, changes)| changes);
        self.trees(changes.guards.iter().map(|(guard, _)| guard));
        self.trees(changes.changes.iter().chain(guarded).filter_map(|rule| rule.amount.as_ref()));
    }

    pub fn param(&mut self, param: &Param) {
        param.evolve.iter().for_each(|changes| self.collect_change_uses(changes));
        match &param.domain {
            Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
                self.trees([low, high, step]);
            }
            Domain::Choices(choices) => self.trees(choices.iter().map(|(tree, _)| tree)),
            Domain::OneOf(of) => self.tree(of),
            Domain::Some { low, high, of, with } => {
                self.trees([low, high, of]);
                with.iter().for_each(|param| self.param(param));
            }
            Domain::Window { within, by, condition } => {
                self.tree(within);
                self.trees(by.iter().chain(condition));
            }
            // A scene has its own names, and arguments are visited where they are given.
            Domain::Scene(_) | Domain::Given => {}
        }
    }

    pub fn constraint(&mut self, constraint: &Constraint) {
        constraint.params.iter().for_each(|param| self.param(param));
        let texts = constraint.say.iter().chain(&constraint.change).chain(&constraint.withdraw);
        texts.for_each(|text| self.collect_template_uses(text));
        self.collect_checker_uses(&constraint.by);
        self.trees(&constraint.applies);
    }

    pub fn impose(&mut self, impose: &Impose) {
        self.trees([&impose.low, &impose.high]);
        self.trees(impose.probability.iter().chain(&impose.applies).chain(&impose.since));
        self.trees(impose.against.iter().filter_map(|against| against.case.as_ref()));
        let called = impose.called.iter();
        self.trees(called.flat_map(|called| called.given.iter().chain([&called.name])));
        self.trees(impose.given.iter().flat_map(ImposedConstraint::args).map(|(_, value)| value));
    }

    pub fn parts(&mut self, parts: &[TurnPart]) {
        for part in parts {
            match part {
                TurnPart::Ask(words) | TurnPart::Reply(words) => self.collect_text_uses(words),
                TurnPart::Show(show) => self.tree(&show.what),
                TurnPart::Let(_, tree) => self.tree(tree),
                TurnPart::Param(param) => self.param(param),
                TurnPart::Part { reader, about, .. } => {
                    self.trees(reader.iter().flat_map(|reader| reader.arguments()));
                    about.iter().for_each(|about| self.collect_template_uses(about));
                }
                TurnPart::Require { by, says, tagged, weight, .. } => {
                    self.trees(tagged.iter().map(|(_, text)| text).chain(weight));
                    if let DecidedBy::Judge(question) = by {
                        self.trees(&question.good);
                    }
                    self.collect_checker_uses(by);
                    says.iter().for_each(|says| self.collect_template_uses(says));
                }
                TurnPart::Observe { by, .. } => {
                    if let DecidedBy::Judge(question) = by {
                        self.trees(&question.good);
                    }
                    self.collect_checker_uses(by);
                }
                TurnPart::Answer(text) | TurnPart::Class(text) => self.collect_template_uses(text),
                TurnPart::Expect { points, fact, check } => {
                    self.tree(points);
                    self.collect_template_uses(fact);
                    self.trees(check);
                }
                TurnPart::Void(text, check) => {
                    self.collect_template_uses(text);
                    self.trees(check);
                }
                TurnPart::Impose(impose) => self.impose(impose),
                TurnPart::For { list, body, .. } => {
                    self.tree(list);
                    self.parts(body);
                }
            }
        }
    }

    pub fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Turn(turn) => self.parts(&turn.body),
                Step::Flow => {}
                Step::Let(_, tree) => self.tree(tree),
                Step::Param(param) => self.param(param),
                Step::For { list, by, body, .. } => {
                    self.tree(list);
                    self.trees(by);
                    self.steps(body);
                }
                Step::When { condition, body, otherwise } => {
                    self.tree(condition);
                    self.steps(body);
                    self.steps(otherwise);
                }
            }
        }
    }

    /// Visits everything in a dialogue.
    pub fn dialogue(&mut self, dialogue: &Dialogue) {
        self.steps(&dialogue.steps);
        self.tree(&dialogue.start);
        self.trees(dialogue.end.iter().chain(&dialogue.slice).chain(&dialogue.retry_rounds));
        dialogue.system.iter().for_each(|words| self.collect_text_uses(words));
        self.parts(&dialogue.imposes);
        if let Some(evolve) = &dialogue.evolve {
            self.trees([&evolve.low, &evolve.high]);
            self.collect_change_uses(&evolve.rules);
        }
        if let Some(rules) = &dialogue.topics {
            self.trees(rules.rules.iter().filter_map(|rule| rule.guard.as_ref()));
            self.trees(&rules.until);
        }
        dialogue.words.values().for_each(|text| self.collect_template_uses(text));
    }
}
