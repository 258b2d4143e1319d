//! The notes of a picture about turns and dialogues: instructions, requirements,
//! variants.

use std::collections::BTreeSet;

use ifs_model::table::{Dialogue, Impose, Scope, Show, Speaker, Turn, TurnPart};
use ifs_predicate::print::print as condition;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// The notes on the turns of a node.
#[derive(Clone, Default)]
pub(super) struct Notes {
    /// The fewest and the most of one turn.
    requirements: Option<(usize, usize)>,
    facts: Option<(usize, usize)>,
    imposes: BTreeSet<String>,
    observes: BTreeSet<String>,
    tools: BTreeSet<String>,
}

/// Characters of a row in a mark, and instructions that are listed there.
const MAX_ROW_CHARACTERS: usize = 30;
const MAX_INSTRUCTIONS: usize = 3;

impl Notes {
    pub fn from_turns(turns: &[&Turn]) -> Notes {
        let (mut requirements, mut facts) = (0, 0);
        let (mut imposes, mut observes, mut tools) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut open: Vec<&TurnPart> = turns.iter().flat_map(|turn| &turn.body).collect();
        while let Some(part) = open.pop() {
            match part {
                TurnPart::Require { .. } => requirements += 1,
                TurnPart::Expect { .. } | TurnPart::Void(..) => facts += 1,
                TurnPart::Impose(impose) => drop(imposes.insert(instruction(impose))),
                TurnPart::Observe { name, .. } => drop(observes.insert(name.clone())),
                TurnPart::Show(Show { tool: Some(tool), .. }) => drop(tools.insert(tool.clone())),
                TurnPart::For { body, .. } => open.extend(body),
                TurnPart::Ask(_)
                | TurnPart::Show(_)
                | TurnPart::Let(..)
                | TurnPart::Param(_)
                | TurnPart::Part { .. }
                | TurnPart::Answer(_)
                | TurnPart::Reply(_)
                | TurnPart::Class(_) => {}
            }
        }
        Notes {
            requirements: Some((requirements, requirements)),
            facts: Some((facts, facts)),
            imposes,
            observes,
            tools,
        }
    }

    /// Those of another turn that is drawn in the same place.
    pub fn add(&mut self, other: &Notes) {
        let wider = |one: Option<(usize, usize)>, other: Option<(usize, usize)>| match (one, other)
        {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
        self.requirements = wider(self.requirements, other.requirements);
        self.facts = wider(self.facts, other.facts);
        self.imposes.extend(other.imposes.iter().cloned());
        self.observes.extend(other.observes.iter().cloned());
        self.tools.extend(other.tools.iter().cloned());
    }

    pub fn rows(&self) -> Vec<String> {
        let counted = |range: Option<(usize, usize)>, noun: &str| match range? {
            (_, 0) => None,
            (1, 1) => Some(format!("1 {noun}")),
            (low, high) if low == high => Some(format!("{low} {noun}s")),
            (low, high) => Some(format!("{low} to {high} {noun}s")),
        };
        let counts = [counted(self.requirements, "requirement"), counted(self.facts, "fact")];
        let imposes = match self.imposes.len() {
            many if many > MAX_INSTRUCTIONS => vec![format!("imposes {many} instructions")],
            _ => self.imposes.iter().map(|impose| format!("imposes {impose}")).collect(),
        };
        let observes = self.observes.iter().map(|name| format!("observes {name}"));
        let tools = self.tools.iter().map(|name| format!("tool {name}"));
        imposes
            .into_iter()
            .chain(observes)
            .chain(tools)
            .chain(counts.into_iter().flatten())
            .flat_map(|row| wrap(&row, MAX_ROW_CHARACTERS))
            .collect()
    }
}

/// `length.short`, `1 to 2 from length, tone for the turn`
fn instruction(impose: &Impose) -> String {
    let what = match (&impose.given, &impose.called) {
        (Some(given), _) => given.constraint.clone(),
        (None, Some(called)) => {
            format!("`{}` from {}", condition(&called.name), impose.from.join(", "))
        }
        (None, None) => {
            let from = match &impose.from[..] {
                [] => String::new(),
                from => format!(" from {}", from.join(", ")),
            };
            format!("{}{from}", range_text(&impose.low, &impose.high))
        }
    };
    let scope = match impose.scope {
        Scope::Turn => " for the turn",
        Scope::Topic => " for the topic",
        Scope::Dialogue => "",
    };
    let by = match impose.by {
        Speaker::User => String::new(),
        speaker => format!(" by {}", speaker.word()),
    };
    let against = impose.against.as_ref().map(|against| {
        let case = against.case.as_ref().map(|case| format!(", case {}", condition(case)));
        format!(" against {}{}", against.speaker.word(), case.unwrap_or_default())
    });
    let by = format!("{by}{}", against.unwrap_or_default());
    let since = impose.since.as_ref().map(|turn| format!(" from turn {}", condition(turn)));
    let chance = impose.probability.as_ref().map(|it| format!(" with {}", condition(it)));
    format!("{what}{scope}{by}{}{}", since.unwrap_or_default(), chance.unwrap_or_default())
}

/// `2`, `1 to 2`
pub(super) fn range_text(low: &Tree, high: &Tree) -> String {
    match (constant_integer(low), constant_integer(high)) {
        (Some(low), Some(high)) if low == high => low.to_string(),
        _ => format!("{} to {}", condition(low), condition(high)),
    }
}

fn constant_integer(tree: &Tree) -> Option<i64> {
    match &tree.node {
        Node::Value(Value::Int(value)) => Some(*value),
        _ => None,
    }
}

/// The instructions of all turns, and the variants: boxes with a title and rows.
pub(super) fn boxes(table: &Dialogue, longest: usize) -> Vec<(String, Vec<String>)> {
    let mut boxes = Vec::new();
    let mut start = Vec::new();
    if constant_integer(&table.start) != Some(0) {
        let scope = match table.scope {
            Scope::Turn => ", for a turn",
            Scope::Topic => ", for a topic",
            Scope::Dialogue => "",
        };
        start.extend(wrap(&format!("start with {}{scope}", condition(&table.start)), longest));
    }
    let imposes =
        table.own_imposes().into_iter().map(|impose| format!("impose {}", instruction(impose)));
    start.extend(imposes.flat_map(|row| wrap(&row, longest)));
    if !table.priority.is_empty() {
        let order: Vec<&str> = table.priority.iter().map(|speaker| speaker.word()).collect();
        start.push(format!("priority {}", order.join(" > ")));
    }
    if !start.is_empty() {
        boxes.push(("instructions".to_owned(), start));
    }
    let mut limits = Vec::new();
    limits.extend(table.patience.map(|turns| format!("patience {turns}")));
    limits.extend(table.retry.map(|retry| match retry.rounds {
        _ if table.retry_rounds.is_some() => "rounds of feedback from data".to_owned(),
        1 => "1 round of feedback".to_owned(),
        many => format!("{many} rounds of feedback"),
    }));
    let end =
        table.end.iter().flat_map(|end| wrap(&format!("ends when {}", condition(end)), longest));
    limits.extend(end);
    if !limits.is_empty() {
        boxes.push(("limits".to_owned(), limits));
    }
    if !table.variants.is_empty() {
        let names: Vec<&str> = table.variants.iter().map(|(name, _)| name.as_str()).collect();
        boxes.push(("variants".to_owned(), wrap(&names.join(", "), longest)));
    }
    boxes
}

/// Rows of at most this many characters, broken between words.
pub(super) fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= most => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_owned()),
        }
    }
    rows
}
