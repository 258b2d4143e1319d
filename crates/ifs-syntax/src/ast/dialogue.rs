//! Dialogues and flows, and the statements of their blocks.

use super::{
    Arg, Docs, EvolveRules, Expr, For, Let, Name, Observe, Param, Part, Path, Percent, Require,
    Show, TextLiteral, TextSource, Turn, Weighted,
};
use ifs_base::source::Span;

#[derive(Clone, Debug)]
pub struct Flow {
    pub name: Name,
    pub stmts: Vec<Stmt>,
    pub broken: bool,
}

impl Flow {
    /// Its turns; the checker reports other statements.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        turns(&self.stmts).into_iter()
    }
}

/// The turns among statements, including those in loops and branches.
pub fn turns(stmts: &[Stmt]) -> Vec<&Turn> {
    let mut all = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Turn(turn) => all.push(turn),
            kind => kind.blocks().for_each(|inner| all.extend(turns(inner))),
        }
    }
    all
}

impl StmtKind {
    /// Whether it is an `impose`, or a loop of nothing else.
    pub fn only_imposes(&self) -> bool {
        match self {
            StmtKind::Impose(_) => true,
            StmtKind::For(inner) => {
                !inner.body.is_empty() && inner.body.iter().all(|stmt| stmt.kind.only_imposes())
            }
            _ => false,
        }
    }

    /// The statements in a loop or a branch around turns.
    pub fn blocks(&self) -> impl Iterator<Item = &[Stmt]> {
        let (first, second): (&[Stmt], &[Stmt]) = match self {
            StmtKind::For(inner) => (&inner.body, &[]),
            StmtKind::When { block, otherwise, .. } => {
                (&block.stmts, otherwise.as_ref().map_or(&[], |block| &block.stmts))
            }
            _ => (&[], &[]),
        };
        [first, second].into_iter()
    }
}

#[derive(Clone, Debug)]
pub struct Dialogue {
    pub name: Name,
    /// `over chats as chat`
    pub over: Option<(Path, Name)>,
    pub stmts: Vec<Stmt>,
    pub broken: bool,
}

/// A statement of a dialogue, a flow, a turn or a nested block. The grammar accepts any of them in
/// any of these blocks; `syntax::statement` lists the allowed blocks, and the checker enforces
/// them.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: StmtKind,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Topic(DrawFrom),
    Style(DrawFrom),
    Constraints(Vec<Path>),
    Param(Param),
    Let(Let),
    Start {
        count: Expr,
    },
    /// `scope topic says "…" unsaid`
    Scope {
        name: Name,
        says: Option<TextSource>,
        unsaid: bool,
    },
    Flow(FlowStmt),
    Evolve(Evolve),
    /// `redraw on conflict`
    /// `redraw on conflict`
    Redraw,
    /// `redraw until witness within 50 draws`
    RedrawUntil(Option<Expr>),
    Impose(Box<Impose>),
    /// `priority system > user > tool`
    Priority(Vec<Name>),
    Patience(Expr),
    End(Expr),
    Endless,
    Turn(Turn),
    For(For<Stmt>),
    Variant {
        name: Name,
        stmts: Vec<Stmt>,
    },
    Retry {
        rounds: Expr,
        form: Option<Name>,
    },
    Context(Name),
    /// `overflow omitted`, or `overflow missed`.
    Overflow {
        is_omitted: bool,
    },
    JudgeBy {
        template: TextLiteral,
    },
    /// `judge history all`, or a number of turns.
    JudgeHistory(Option<Expr>),
    /// `judge sees system, answer`
    JudgeSees(Vec<Name>),
    Weigh(Vec<(Name, Expr)>),
    /// `report CSR, ISR by task.name`
    Report {
        metrics: Vec<Name>,
        by: Option<Expr>,
    },
    Sample(Expr),
    System(TextSource),
    Templates(TextLiteral),
    Repeat,
    /// `facts by judge`
    FactsByJudge,
    /// `over hidden`: a variant's records.
    Over(Path),
    Ask(TextSource),
    Show(Show),
    Part(Part),
    Require(Require),
    Answer(TextLiteral),
    Reply(TextSource),
    /// `expect 0.5 "they have 12" check contains(word "12")`
    Expect {
        points: Expr,
        fact: TextLiteral,
        check: Option<Expr>,
    },
    Void(TextLiteral, Option<Expr>),
    /// `stay at least 4 turns`
    Stay {
        turns: Expr,
    },
    /// `switch 80% { new 40% backtrack 60% }`
    Switch {
        share: Percent,
        moves: Vec<Weighted>,
    },
    /// `observe gave judge "…"`
    Observe(Observe),
    /// `when turns >= 50 { switch 100% }` in a flow of topics, `when gave { … } else { … }` around
    /// turns.
    When {
        condition: Expr,
        block: Block,
        otherwise: Option<Block>,
    },
    /// `until topics == 3`
    Until(Expr),
    /// `class "comparison"`: a label for grouping scores.
    Class(TextLiteral),
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

/// `topic from topics where it.subject == "law"`
#[derive(Clone, Debug)]
pub struct DrawFrom {
    pub from: Path,
    pub condition: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum FlowStmt {
    /// `flow { stay at least 4 turns  switch 80% { new 40% backtrack 60% } }`
    Topics(Vec<Stmt>),
    /// `flow fan_out` or `flow one_of [fan_out 60%, chain 40%]`
    Of(Vec<FlowChoice>),
}

/// A flow among several: `fan_out 60%`
#[derive(Clone, Debug)]
pub struct FlowChoice {
    pub flow: Path,
    pub share: Option<Percent>,
}

/// `evolve one per turn { add 50% … when constraints == 1 { … } }`
#[derive(Clone, Debug)]
pub struct Evolve {
    pub count: Expr,
    pub rules: EvolveRules,
}

/// `impose 1 new group from std.mmmt scope dialogue with probability 1 - given / groups`
#[derive(Clone, Debug)]
pub struct Impose {
    /// `from turn 6`
    pub since: Option<Expr>,
    pub what: ImposeTarget,
    pub scope: Option<Name>,
    /// `by system`
    pub by: Option<Name>,
    pub against: Option<Against>,
    pub probability: Option<Expr>,
    pub applies: Option<Expr>,
}

/// `against system case kind`
#[derive(Clone, Debug)]
pub struct Against {
    pub speaker: Name,
    pub case: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum ImposeTarget {
    /// `1..=2 new group from length`
    Drawn { count: Expr, new_group: bool, from: Vec<Path> },
    /// `length.at_most(n: 50)`, or only a name, which may also be that of a number.
    Given { path: Path, args: Option<Vec<Arg>>, span: Span },
    /// `called c.id given c.kwargs from std.ifeval unsaid`
    Called { name: Expr, given: Option<Expr>, from: Vec<Path>, unsaid: bool },
}
