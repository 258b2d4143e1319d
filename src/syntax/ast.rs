//! The syntax tree, with spans and without meaning.
//!
//! Every node keeps its span. Keywords are enums; names, numbers and strings are kept as written,
//! so that the formatter can reproduce them.

mod expression;

use std::sync::Arc;

use crate::source::{FileId, Span};

pub use expression::*;

/// One parsed file.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    pub file: FileId,
    pub edition: Option<Edition>,
    /// Shared, so that the checker can hold one while it changes its own state.
    pub items: Vec<Arc<Item>>,
    /// All `//` comments in order; the formatter restores them by position.
    pub comments: Vec<Comment>,
    /// Names in lines with syntax errors. An unknown one of them is not reported again.
    pub poisoned: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Edition {
    pub number: i64,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Comment {
    pub text: String,
    pub span: Span,
    /// Whether code is before it on the same line.
    pub trailing: bool,
}

/// A word with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `std.constraints.length`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub names: Vec<Name>,
    pub span: Span,
}

impl Path {
    pub fn text(&self) -> String {
        self.names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(".")
    }
}

/// A string literal: its value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub value: String,
    /// Written with three quotation marks.
    pub block: bool,
    pub span: Span,
}

/// The `///` lines above an item, without the slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs {
    pub lines: Vec<Name>,
}

impl Docs {
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    pub docs: Docs,
    pub span: Span,
    pub kind: ItemKind,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Benchmark(Benchmark),
    Use(Use),
    Import(Import),
    Let(Let),
    Def(Def),
    Tags(Tags),
    Group(Group),
    Constraint(Constraint),
    Test(Test),
    Mask(Mask),
    Feed(Feed),
    Scene(Scene),
    Flow(Flow),
    Dialogue(Dialogue),
    Split(Split),
    Release(Release),
}

/// `benchmark evolif { version "1.0.0" }`
#[derive(Clone, Debug)]
pub struct Benchmark {
    pub name: Name,
    pub fields: Vec<(Name, Text)>,
}

/// `use std.constraints.*`
#[derive(Clone, Debug)]
pub struct Use {
    pub path: Path,
    pub all: bool,
    pub rename: Option<Name>,
}

/// `import topics "banks/topics.jsonl" { name: text }`
#[derive(Clone, Debug)]
pub struct Import {
    pub name: Name,
    pub path: Text,
    pub fields: Option<Vec<BankField>>,
}

#[derive(Clone, Debug)]
pub struct BankField {
    pub name: Name,
    pub optional: bool,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `text`, `int`, `float`, `bool`, `clock`, `image`, `any`
    Named(Name),
    List(Box<Type>),
    Record(Vec<BankField>),
}

#[derive(Clone, Debug)]
pub struct Let {
    pub name: Name,
    pub value: Expr,
}

/// `def total(plays, team: text) { return sum((plays where it.team == team).points) }`
#[derive(Clone, Debug)]
pub struct Def {
    pub name: Name,
    pub params: Vec<DefParam>,
    pub stmts: Vec<DefStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct DefParam {
    pub name: Name,
    pub ty: Option<Type>,
}

#[derive(Clone, Debug)]
pub struct DefStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: DefStmtKind,
}

#[derive(Clone, Debug)]
pub enum DefStmtKind {
    Let(Let),
    Return(Expr),
}

/// `tags ability { content { word_count { exact } } }`
#[derive(Clone, Debug)]
pub struct Tags {
    pub root: Tag,
}

#[derive(Clone, Debug)]
pub struct Tag {
    pub docs: Docs,
    pub name: Name,
    pub children: Vec<Tag>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: Name,
    pub members: Vec<Member>,
    /// Whether a line in it has a syntax error, so that missing statements are not reported.
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub docs: Docs,
    pub span: Span,
    pub kind: MemberKind,
}

#[derive(Clone, Debug)]
pub enum MemberKind {
    Constraint(Constraint),
    Test(Test),
}

#[derive(Clone, Debug)]
pub struct Constraint {
    pub name: Name,
    pub params: Vec<Param>,
    pub body: Vec<ConstraintStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub domain: Domain,
    pub span: Span,
}

/// The domain of a drawn value.
#[derive(Clone, Debug)]
pub struct Domain {
    pub kind: DomainKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DomainKind {
    /// `int in 50..=400 step 10`, `float in 0.0..=1.0 step 0.1`
    Number { float: bool, range: Option<Expr>, step: Option<Expr> },
    /// `one_of ["a", "b"]`, `one_of ["a" 40%, "b" 60%]`, `one_of topic.keywords`
    OneOf(OneOf),
    /// `1..=3 of topic.keywords with times: int in 1..=3`
    Some { count: Expr, of: Expr, with: Vec<Param> },
    /// `window in period where len(plays) in 3..=8`
    Window { within: Expr, by: Option<Expr>, condition: Option<Expr> },
    /// `scene shelf`: a picture that is drawn for each use
    Scene(Path),
    /// Only a type: the value must be given where the name is used.
    Plain(Type),
}

#[derive(Clone, Debug)]
pub enum OneOf {
    Of(Expr),
    Choices(Vec<Choice>),
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub value: Expr,
    pub weight: Option<Percent>,
}

#[derive(Clone, Debug)]
pub struct Percent {
    /// As written, without the sign: `12.5`.
    pub digits: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ConstraintStmt {
    pub span: Span,
    pub kind: ConstraintStmtKind,
}

#[derive(Clone, Debug)]
pub enum ConstraintStmtKind {
    /// Alternatives; one is drawn.
    Say(Vec<Text>),
    Change(Vec<Text>),
    Withdraw(Vec<Text>),
    Check(Expr),
    Judge(Judge),
    Applies(Expr),
    Evolve(EvolveList),
    Excludes(Vec<Path>),
    Weight(Expr),
    Tag(Vec<Path>),
    /// `relation refines`
    Relation(RelationKind),
    Alias(Alias),
    Test(Test),
}

/// `alias "length:max" (n: given.limit) when given.unit == "word"`
#[derive(Clone, Debug)]
pub struct Alias {
    pub name: Text,
    pub args: Vec<Arg>,
    pub condition: Option<Expr>,
}

/// `judge "Does it sound sad?" scale 1..=10 pass > 6`
#[derive(Clone, Debug)]
pub struct Judge {
    pub form: JudgeForm,
    /// The question, the rubric, or the file that contains it.
    pub question: Text,
    pub scale: Option<(Expr, CompareOp, Expr)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeForm {
    Question,
    /// `judge rubric "…"`
    Rubric,
    /// `judge rubric by "FILE"`
    RubricFile,
}

/// `evolve words { add 1..=3  drop 1..=2  when len(words) == 1 { add 100% } }`
#[derive(Clone, Debug)]
pub struct EvolveList {
    pub param: Name,
    pub rules: EvolveRules,
}

#[derive(Clone, Debug)]
pub struct Test {
    /// The tested constraint; `None` inside a constraint.
    pub target: Option<Path>,
    pub args: Vec<Arg>,
    pub cases: Vec<Case>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub kind: CaseKind,
    pub text: Expr,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    Pass,
    Fail,
    /// The user message, for constraints that use it.
    Prompt,
    /// An earlier response, for constraints that use it.
    Reply,
}

/// `mask forbidden.words against required.words, start.keyword.word`
#[derive(Clone, Debug)]
pub struct Mask {
    pub left: Vec<Path>,
    pub right: Vec<Path>,
}

#[derive(Clone, Debug)]
pub struct Feed {
    pub name: Name,
    pub stmts: Vec<FeedStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct FeedStmt {
    pub span: Span,
    pub kind: FeedStmtKind,
}

#[derive(Clone, Debug)]
pub enum FeedStmtKind {
    /// `read espn_basketball "feeds/*.json"`
    Read { reader: Name, path: Text },
    /// `simulate basketball 20 as espn_text with overtime, tied_top seed 7`
    Simulate {
        sport: Name,
        /// Without it, each dialogue has its own game.
        count: Option<i64>,
        wording: Option<Name>,
        cases: Vec<Name>,
        seed: Option<i64>,
        count_span: Span,
    },
    /// `column clock: clock from "Time"`, `column points: int = if kind == "goal" then 1 else 0`
    Column { name: Name, ty: Type, from: Option<ColumnFrom> },
    /// `order by clock`
    Order { by: Vec<Name> },
    /// `periods 4 of "12:00" then "5:00"`
    Periods { count: i64, length: Option<Text>, overtime: Option<Text> },
}

/// The source of a column's value.
#[derive(Clone, Debug)]
pub enum ColumnFrom {
    Field(Text),
    Rule(Expr),
}

/// `scene shelf 480 by 360 { … }`
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: Name,
    /// Width and height in pixels, as written.
    pub size: (i64, i64),
    pub size_span: Span,
    pub stmts: Vec<SceneStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct SceneStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: SceneStmtKind,
}

#[derive(Clone, Debug)]
pub enum SceneStmtKind {
    Param(Param),
    Let(Let),
    /// `draw rect { x: 1, y: 2, width: 30, height: 40, fill: "red" }`
    Draw {
        shape: Name,
        fields: Vec<(Name, Expr)>,
        fields_span: Span,
    },
    For(For<SceneStmt>),
    /// `question how_many { ask "…" answer "…" }`
    Question {
        name: Name,
        stmts: Vec<QuestionStmt>,
        broken: bool,
    },
}

#[derive(Clone, Debug)]
pub struct QuestionStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: QuestionStmtKind,
}

#[derive(Clone, Debug)]
pub enum QuestionStmtKind {
    Param(Box<Param>),
    Let(Let),
    /// Alternatives; one is drawn.
    Ask(Vec<Text>),
    Answer(Text),
}

#[derive(Clone, Debug)]
pub struct Flow {
    pub name: Name,
    pub stmts: Vec<Stmt>,
    pub broken: bool,
}

impl Flow {
    /// Its turns; the checker reports other statements.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Turn(turn) => Some(turn),
            _ => None,
        })
    }
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub span: Span,
    pub name: Option<Name>,
    pub relations: Vec<Relation>,
    pub body: Option<Vec<Stmt>>,
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub kind: RelationKind,
    pub to: Vec<Name>,
    pub span: Span,
}

/// The relation of a turn to earlier ones (StructFlowBench, section 3.1).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    Follows,
    Recalls,
    Refines,
    Expands,
    Summarizes,
    Unrelated,
}

impl RelationKind {
    /// Whether it relates a turn to an earlier one, so that a response can violate it.
    pub fn is_judged(self) -> bool {
        self != RelationKind::Unrelated
    }

    pub const ALL: [RelationKind; 6] = [
        RelationKind::Follows,
        RelationKind::Recalls,
        RelationKind::Refines,
        RelationKind::Expands,
        RelationKind::Summarizes,
        RelationKind::Unrelated,
    ];

    pub fn word(self) -> &'static str {
        match self {
            RelationKind::Follows => "follows",
            RelationKind::Recalls => "recalls",
            RelationKind::Refines => "refines",
            RelationKind::Expands => "expands",
            RelationKind::Summarizes => "summarizes",
            RelationKind::Unrelated => "unrelated",
        }
    }
}

/// The source of a message: a string, a template file, or a computed text.
#[derive(Clone, Debug)]
pub enum TextSource {
    Template(Text),
    Expr(Expr),
}

/// `part casual: list "the casual comments"`
#[derive(Clone, Debug)]
pub struct Part {
    pub name: Name,
    pub list: bool,
    /// `from bullets`, `from between("<a>", "</a>")`
    pub reader: Option<Expr>,
    pub about: Option<Text>,
}

/// `require r2 len(casual) == 3 after r0 tag element_number`
#[derive(Clone, Debug)]
pub struct Require {
    pub name: Name,
    pub by: RequireBy,
    /// Its wording in the user message and in feedback.
    pub says: Option<Text>,
    pub after: Vec<Path>,
    pub tags: Vec<Path>,
}

#[derive(Clone, Debug)]
pub enum RequireBy {
    Check(Expr),
    Judge(Judge),
    /// `fits { type: "object", … }`: a requirement for each field of a JSON Schema.
    Fits(Expr),
}

#[derive(Clone, Debug)]
pub struct For<S> {
    pub name: Name,
    pub list: Expr,
    pub body: Vec<S>,
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
    Redraw,
    Impose(Impose),
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
    JudgeBy {
        template: Text,
    },
    /// `judge history all`, or a number of turns.
    JudgeHistory(Option<Expr>),
    Weigh(Vec<(Name, Expr)>),
    /// `report CSR, ISR by task.name`
    Report {
        metrics: Vec<Name>,
        by: Option<Expr>,
    },
    Sample(Expr),
    System(TextSource),
    Templates(Text),
    Repeat,
    /// `facts by judge`
    FactsByJudge,
    /// `over hidden`: a variant's records.
    Over(Path),
    Ask(TextSource),
    Show(Expr),
    Part(Part),
    Require(Require),
    Answer(Text),
    /// `expect 0.5 "they have 12" check contains(word "12")`
    Expect {
        points: Expr,
        fact: Text,
        check: Option<Expr>,
    },
    Void(Text, Option<Expr>),
    /// `stay at least 4 turns`
    Stay {
        turns: Expr,
    },
    /// `switch 80% { new 40% backtrack 60% }`
    Switch {
        share: Percent,
        ways: Vec<Weighted>,
    },
    /// `when turns >= 50 { switch 100% }`
    When {
        condition: Expr,
        rules: Vec<Stmt>,
    },
    /// `until topics == 3`
    Until(Expr),
    /// `class "comparison"`: a label for grouping scores.
    Class(Text),
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

/// `new 40%`
#[derive(Clone, Debug)]
pub struct Weighted {
    pub name: Name,
    pub amount: Option<Expr>,
    pub share: Option<Percent>,
    pub span: Span,
}

/// `evolve one per turn { add 50% … when constraints == 1 { … } }`
#[derive(Clone, Debug)]
pub struct Evolve {
    pub count: Expr,
    pub rules: EvolveRules,
}

#[derive(Clone, Debug)]
pub struct EvolveRules {
    pub ways: Vec<Weighted>,
    pub guards: Vec<Guard>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Guard {
    pub condition: Expr,
    pub ways: Vec<Weighted>,
    pub span: Span,
}

/// `impose 1 new group from std.mmmt scope dialogue with probability 1 - given / groups`
#[derive(Clone, Debug)]
pub struct Impose {
    /// `from turn 6`
    pub since: Option<Expr>,
    pub what: Imposed,
    pub scope: Option<Name>,
    pub probability: Option<Expr>,
    pub applies: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum Imposed {
    /// `1..=2 new group from length`
    Drawn { count: Expr, new_group: bool, from: Vec<Path> },
    /// `length.at_most(n: 50)`, or only a name, which may also be that of a number.
    Given { path: Path, args: Option<Vec<Arg>>, span: Span },
}

/// `split hidden { groups layout  topics from cases where it.rare }`
#[derive(Clone, Debug)]
pub struct Split {
    pub name: Name,
    pub stmts: Vec<SplitStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct SplitStmt {
    pub span: Span,
    pub kind: SplitStmtKind,
}

/// What a split holds out.
#[derive(Clone, Debug)]
pub enum SplitStmtKind {
    /// `groups layout, tone with length`
    Groups {
        held: Vec<Path>,
        with: Vec<Path>,
    },
    Topics(DrawFrom),
    Styles(DrawFrom),
    Templates(Text),
    Words(Vec<Text>),
    Flows(Vec<Path>),
}

#[derive(Clone, Debug)]
pub struct Release {
    pub name: Option<Name>,
    pub stmts: Vec<ReleaseStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct ReleaseStmt {
    pub span: Span,
    pub kind: ReleaseStmtKind,
}

#[derive(Clone, Debug)]
pub enum ReleaseStmtKind {
    /// `150 dialogues of evolving`
    Count {
        count: Expr,
        of: Path,
    },
    /// `keep where mean(first(20, turns).constraints) >= 2`
    Keep(Expr),
    Seed(Expr),
    /// `cover pairs of groups at least 5 times`
    Cover {
        what: Covered,
        least: Expr,
    },
    /// `quota at most 20 dialogues with group length`
    Quota {
        least: bool,
        count: Expr,
        of: QuotaOf,
    },
    /// `alike at most 80%`
    Alike(Percent),
    /// `anchors 20`
    Anchors(Expr),
}

/// What a release covers.
#[derive(Clone, Debug)]
pub enum Covered {
    /// Pairs of these groups, or of all that are drawn.
    Pairs(Option<Vec<Path>>),
    /// `constraints`, `relations`, …
    All(Name),
}

/// The dialogues that a quota counts.
#[derive(Clone, Debug)]
pub enum QuotaOf {
    /// `each style`
    Each(Name),
    /// `group length`
    Group(Name, Path),
    /// `topic "tides"`
    Text(Name, Text),
}
