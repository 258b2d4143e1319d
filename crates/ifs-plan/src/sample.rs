//! Plans for tests of the analyses and pictures, built by hand.

use super::{Plan, build};
use ifs_base::source::Span;
use ifs_model::table::{
    Bank, Change, ChangeRule, ChangeRules, Dialogue, DrawFrom, Evolve, Flow, Group, Relation,
    RelationKind, Scope, SemanticModel, Share, Step, TopicRule, TopicRules, Turn,
};
use ifs_predicate::tree::{ArithmeticOp, CompareOp, Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;

fn compare(op: CompareOp, name: &str, value: i64) -> Tree {
    Tree::without_place(Node::Compare(op, Box::new(var(name)), Box::new(int(value))))
}

/// A fact of the turn, or else a name.
pub fn var(name: &str) -> Tree {
    Tree::without_place(
        TurnFact::from_name(name).map_or_else(|| Node::Var(name.to_owned()), Node::Fact),
    )
}

pub fn int(value: i64) -> Tree {
    Tree::without_place(Node::Value(Value::Int(value)))
}

pub fn less_than(name: &str, value: i64) -> Tree {
    compare(CompareOp::Less, name, value)
}

pub fn at_least(name: &str, value: i64) -> Tree {
    compare(CompareOp::MoreEqual, name, value)
}

pub fn equal(name: &str, value: i64) -> Tree {
    compare(CompareOp::Equal, name, value)
}

pub fn remainder(name: &str, by: i64, value: i64) -> Tree {
    let rest = Node::Arithmetic(ArithmeticOp::Remainder, Box::new(var(name)), Box::new(int(by)));
    Tree::without_place(Node::Compare(
        CompareOp::Equal,
        Box::new(Tree::without_place(rest)),
        Box::new(int(value)),
    ))
}

pub fn and(parts: impl IntoIterator<Item = Tree>) -> Tree {
    Tree::without_place(Node::And(parts.into_iter().collect()))
}

pub fn or(parts: impl IntoIterator<Item = Tree>) -> Tree {
    Tree::without_place(Node::Or(parts.into_iter().collect()))
}

pub fn not(tree: Tree) -> Tree {
    Tree::without_place(Node::Not(Box::new(tree)))
}

pub fn turn(name: &str, relations: &[(RelationKind, &str)]) -> Turn {
    let relations = relations
        .iter()
        .map(|(kind, to)| Relation {
            kind: *kind,
            to: to.split_whitespace().map(str::to_owned).collect(),
            span: Span::default(),
        })
        .collect();
    Turn { name: name.to_owned(), relations, body: Vec::new(), slice: None, span: Span::default() }
}

pub fn dialogue(name: &str) -> Dialogue {
    Dialogue { scope: Scope::Topic, ..Dialogue::new(name.to_owned(), Span::default()) }
}

fn move_changes(shares: [u32; 3]) -> Vec<ChangeRule> {
    [Change::Add, Change::Modify, Change::Drop]
        .into_iter()
        .zip(shares)
        .filter(|(_, share)| *share > 0)
        .map(|(change, share)| ChangeRule { change, share: Share(share * 10_000), amount: None })
        .collect()
}

const GROUP_NAMES: [&str; 12] = [
    "start_with",
    "end_with",
    "format",
    "items",
    "length",
    "keywords",
    "forbidden",
    "letter_case",
    "punctuation",
    "emotion",
    "reader_age",
    "style",
];

/// The first example of the language reference.
pub fn evolif() -> Dialogue {
    let full = Tree::without_place(Node::Compare(
        CompareOp::Equal,
        Box::new(var("constraints")),
        Box::new(var("groups")),
    ));
    Dialogue {
        topic: Some(DrawFrom { bank: "topics".to_owned(), condition: None }),
        groups: GROUP_NAMES.map(str::to_owned).to_vec(),
        start: int(1),
        topics: Some(TopicRules {
            rules: vec![TopicRule {
                guard: None,
                stay: 4,
                switch: Share(800_000),
                new: Share(400_000),
                backtrack: Share(600_000),
                span: Span::default(),
            }],
            until: None,
            turns: Vec::new(),
        }),
        steps: vec![Step::Flow],
        evolve: Some(Evolve {
            low: int(1),
            high: int(1),
            rules: ChangeRules {
                changes: move_changes([50, 40, 10]),
                guards: vec![
                    (equal("constraints", 1), move_changes([50, 50, 0])),
                    (full, move_changes([0, 50, 50])),
                ],
                span: Span::default(),
            },
        }),
        patience: Some(3),
        end: Some(or([equal("patience", 0), at_least("turns", 100)])),
        ..dialogue("evolving")
    }
}

/// The second example: seven turns that refer to one another.
pub fn fan_dialogue() -> Dialogue {
    Dialogue {
        flows: vec!["fan_out_and_in".to_owned()],
        steps: vec![Step::Flow],
        ..dialogue("structured")
    }
}

fn steps(turns: Vec<Turn>) -> Vec<Step> {
    turns.into_iter().map(|turn| Step::Turn(Box::new(turn))).collect()
}

fn fan_flow() -> Flow {
    use RelationKind::{Expands, Follows, Recalls, Refines, Summarizes};
    let turns = vec![
        turn("c1", &[]),
        turn("c2", &[(Expands, "c1")]),
        turn("c3", &[(Expands, "c1")]),
        turn("c4", &[(Follows, "c3"), (Recalls, "c1")]),
        turn("c5", &[(Refines, "c4")]),
        turn("c6", &[(Summarizes, "c1 c2 c3")]),
        turn("c7", &[(RelationKind::Unrelated, "")]),
    ];
    Flow { name: "fan_out_and_in".to_owned(), steps: steps(turns), span: Span::default() }
}

/// Forty turns, every fifth of which goes back five.
fn long_flow() -> Flow {
    let mut turns: Vec<Turn> = Vec::new();
    for at in 1..=40usize {
        let name = format!("turn_{at}");
        let back = format!("turn_{}", at.saturating_sub(5));
        let kind = RelationKind::ALL[at / 5 % 5];
        let relations =
            if at % 5 == 1 && at > 5 { vec![(kind, back.as_str())] } else { Vec::new() };
        turns.push(turn(&name, &relations));
    }
    Flow { name: "long".to_owned(), steps: steps(turns), span: Span::default() }
}

pub fn long_dialogue() -> Dialogue {
    Dialogue { flows: vec!["long".to_owned()], steps: vec![Step::Flow], ..dialogue("forty") }
}

/// Several flows, one of which is drawn, and a turn after them.
pub fn several_flows() -> Dialogue {
    let flows = ["fan_out_and_in", "pair", "fan_out_and_in"].map(str::to_owned).to_vec();
    Dialogue {
        flows,
        steps: vec![Step::Flow, Step::Turn(Box::new(turn("goodbye", &[])))],
        ..dialogue("several")
    }
}

fn pair_flow() -> Flow {
    let turns = vec![
        turn("a_first_question", &[]),
        turn("a_second_question", &[(RelationKind::Follows, "a_first_question")]),
    ];
    Flow { name: "pair".to_owned(), steps: steps(turns), span: Span::default() }
}

/// A greeting, then for each period its segments and a question on it.
pub fn loops() -> Dialogue {
    let inner = Step::For {
        name: "segment".to_owned(),
        list: var("segments"),
        by: None,
        body: vec![Step::Turn(Box::new(turn("track", &[(RelationKind::Follows, "greet")])))],
    };
    let outer = Step::For {
        name: "period".to_owned(),
        list: var("periods"),
        by: None,
        body: vec![inner, Step::Turn(Box::new(turn("missed", &[])))],
    };
    let steps = vec![
        Step::Turn(Box::new(turn("greet", &[]))),
        outer,
        Step::Turn(Box::new(turn("thank", &[]))),
    ];
    Dialogue { steps, ..dialogue("live") }
}

pub fn plan_of(dialogue: Dialogue) -> Plan {
    let group = |name: &str| Group {
        name: name.to_owned(),
        constraints: Vec::new(),
        span: Span::default(),
    };
    let bank = Bank {
        name: "topics".to_owned(),
        ty: Type::record([]),
        records: vec![Value::Nothing; 541],
        keys: (0..541).map(|at| at.to_string()).collect(),
        place: ifs_model::table::BankPlace::default(),
    };
    let docs = [("evolving", "Topics are switched and revisited while instructions evolve.")];
    build(SemanticModel {
        edition: 1,
        banks: vec![bank],
        groups: GROUP_NAMES.iter().map(|name| group(name)).collect(),
        flows: vec![fan_flow(), pair_flow(), long_flow()],
        dialogues: vec![dialogue],
        docs: docs.map(|(name, doc)| (name.to_owned(), doc.to_owned())).into(),
        ..SemanticModel::default()
    })
}
