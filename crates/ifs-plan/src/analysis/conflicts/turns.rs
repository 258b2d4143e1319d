//! The numbers that a turn of a dialogue may have.

use ifs_predicate::bound::AnalysedCheck;
use ifs_predicate::tree::{CompareOp, Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// Numbers of turns, from the least to the greatest; without the latter if there is none.
#[derive(Clone, Copy)]
pub(super) struct TurnNumbers {
    least: i64,
    most: Option<i64>,
}

/// The place of what is known of a turn among the checks, which no reason names.
const NO_CHECK: usize = usize::MAX;

impl TurnNumbers {
    /// Before the first turn.
    pub fn none() -> TurnNumbers {
        TurnNumbers { least: 0, most: Some(0) }
    }

    pub fn next(self) -> TurnNumbers {
        TurnNumbers { least: self.least + 1, most: self.most.map(|most| most + 1) }
    }

    /// These or any greater numbers.
    pub fn or_more(self) -> TurnNumbers {
        TurnNumbers { most: None, ..self }
    }

    /// From the least of these to the greatest of others.
    pub fn to(self, other: TurnNumbers) -> TurnNumbers {
        let most = self.most.zip(other.most).map(|(one, two)| one.max(two));
        TurnNumbers { least: self.least.min(other.least), most }
    }

    /// That a turn has one of these numbers, and its response too.
    pub fn reading(self) -> AnalysedCheck {
        let number = |fact| Box::new(Tree::without_place(Node::Fact(fact)));
        let value = |number| Box::new(Tree::without_place(Node::Value(Value::Int(number))));
        let bounds = [TurnFact::Turn, TurnFact::Reply].into_iter().flat_map(|fact| {
            let least = Node::Compare(CompareOp::MoreEqual, number(fact), value(self.least));
            let most = self
                .most
                .map(|most| Node::Compare(CompareOp::LessEqual, number(fact), value(most)));
            [Some(least), most]
        });
        let bounds = bounds.flatten().map(Tree::without_place).collect();
        AnalysedCheck::new((&Tree::without_place(Node::And(bounds)), &()), NO_CHECK)
    }
}
