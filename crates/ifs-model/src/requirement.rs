//! The requirements of a turn, their order, and the parts that they are about.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::dialogue::DialogueChecker;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_syntax::ast::{self, Name};

/// The names of a turn.
#[derive(Default)]
pub(super) struct Requirements {
    requirements: BTreeMap<String, (Span, Vec<Name>)>,
    parts: BTreeMap<String, Span>,
    used: BTreeSet<String>,
    observed: BTreeMap<String, Span>,
}

impl Requirements {
    pub fn add_part(&mut self, builder: &mut DialogueChecker<'_, '_>, name: &Name) {
        if let Some(first) = self.parts.insert(name.text.clone(), name.span) {
            builder.report(duplicate("part", name, first));
        }
    }

    pub fn observe(&mut self, builder: &mut DialogueChecker<'_, '_>, name: &Name) {
        if let Some(first) = self.observed.insert(name.text.clone(), name.span) {
            builder.report(duplicate("observation", name, first));
        }
    }

    pub fn require(&mut self, builder: &mut DialogueChecker<'_, '_>, written: &ast::Require) {
        let after = written.after.iter();
        let after = after.map(|path| Name { text: path.text(), span: path.span }).collect();
        self.add_named(builder, &written.name, after);
    }

    /// The requirement of a schema's field, which comes after that of the enclosing field.
    pub fn field(&mut self, builder: &mut DialogueChecker<'_, '_>, name: &Name, of: &Name) {
        self.add_named(builder, name, vec![of.clone()]);
    }

    fn add_named(&mut self, builder: &mut DialogueChecker<'_, '_>, name: &Name, after: Vec<Name>) {
        if let Some((first, _)) = self.requirements.insert(name.text.clone(), (name.span, after)) {
            builder.report(duplicate("requirement", name, first));
        }
    }

    /// Records a name that a requirement or a question uses.
    pub fn uses(&mut self, asks_for: impl Fn(&str) -> bool) {
        let asked = self.parts.keys().filter(|name| asks_for(name));
        self.used.extend(asked.cloned());
    }

    /// Checks that names are known, that there is no cycle, and that every part is used.
    pub fn check(&self, builder: &mut DialogueChecker<'_, '_>, turn: Span) {
        for (_, after) in self.requirements.values() {
            for needed in after {
                if !self.requirements.contains_key(&needed.text) {
                    builder.report(self.unknown(needed));
                }
            }
        }
        let circle = self.first_in_circle().and_then(|name| Some((name, self.circle(name)?)));
        if let Some((name, circle)) = circle {
            builder.report(in_circle(name, &circle));
        }
        // The meaning of a statement with a syntax error is unknown.
        let is_whole = !builder.has_error_within(turn);
        let unused = |name: &String| is_whole && !self.used.contains(name);
        for (name, span) in self.parts.iter().filter(|(name, _)| unused(name)) {
            builder.report(
                Diagnostic::error(
                    Code::UNUSED_NAME,
                    format!("nothing is required of the part `{name}`"),
                )
                .label(*span, "extracted from every response, but never used")
                .help(format!("write a `require` that uses `{name}`, or leave the part out")),
            );
        }
    }

    fn unknown(&self, needed: &Name) -> Diagnostic {
        let message = if self.parts.contains_key(&needed.text) {
            format!("`{}` is a part, and a requirement comes after requirements", needed.text)
        } else {
            format!("there is no requirement `{}` in this turn", needed.text)
        };
        Diagnostic::error(Code::UNKNOWN_NAME, message)
            .label(needed.span, "")
            .did_you_mean(&needed.text, self.requirements.keys().map(String::as_str))
    }

    /// The first requirement that comes after itself.
    fn first_in_circle(&self) -> Option<&String> {
        let names: Vec<&String> = self.requirements.keys().collect();
        let needed = |after: &Name| names.binary_search(&&after.text).ok().map(NodeIndex::new);
        let mut order = DiGraph::<(), ()>::new();
        names.iter().for_each(|_| {
            order.add_node(());
        });
        for (at, (_, after)) in self.requirements.values().enumerate() {
            for needed in after.iter().filter_map(needed) {
                order.add_edge(NodeIndex::new(at), needed, ());
            }
        }
        let circles = kosaraju_scc(&order).into_iter();
        let circles = circles.filter(|all| all.len() > 1 || order.contains_edge(all[0], all[0]));
        circles.flatten().min().map(|first| names[first.index()])
    }

    /// The shortest cycle through a requirement: the span of each `after`.
    fn circle(&self, name: &str) -> Option<Vec<&Name>> {
        let mut open: VecDeque<Vec<&Name>> = VecDeque::from([Vec::new()]);
        let mut known: BTreeSet<&str> = BTreeSet::new();
        while let Some(path) = open.pop_front() {
            let at = path.last().map_or(name, |last| last.text.as_str());
            let Some((_, after)) = self.requirements.get(at) else { continue };
            for next in after {
                let mut longer = path.clone();
                longer.push(next);
                if next.text == name {
                    return Some(longer);
                }
                if known.insert(&next.text) {
                    open.push_back(longer);
                }
            }
        }
        None
    }
}

fn duplicate(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DUPLICATE_NAME, format!("the {what} `{}` is named twice", name.text))
        .label(name.span, "second time")
        .label(first, "first time")
}

fn in_circle(name: &str, circle: &[&Name]) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::error(Code::DEPENDENCY_CYCLE, format!("`{name}` comes after itself"));
    let mut at = name;
    for next in circle {
        diagnostic = diagnostic.label(next.span, format!("`{at}` comes after `{}`", next.text));
        at = &next.text;
    }
    diagnostic.help("a requirement may only come after others that do not come after it")
}
