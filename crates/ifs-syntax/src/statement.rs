//! The table of the statements of dialogues, flows and turns, and of the blocks that they may be
//! in.
//!
//! The grammar accepts any of these statements in any of these blocks, and the checker uses this
//! table to report misplaced ones. The parser has its keywords from here, and the language
//! reference its table. `tests/suite/matrix.rs` reads every row, and tests for each cell
//! that the statement has an observable effect or is an error. [`BLOCK_TABLE`] has the statements of
//! all other blocks.

mod blocks;

pub use blocks::{BLOCK_TABLE, BlockKind, BlockRow, BlockStatement};

use super::ast::StmtKind;

/// A block of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementPlace {
    /// `dialogue NAME { … }`
    Dialogue,
    /// `variant NAME { … }`
    Variant,
    /// `for NAME in LIST { … }` around turns
    Loop,
    /// `when NAME { … } else { … }` around turns
    Branch,
    /// `flow NAME { … }`
    Flow,
    /// `flow { … }` in a dialogue
    Topics,
    /// `turn NAME { … }`
    Turn,
    /// `for NAME in LIST { … }` in a turn
    TurnLoop,
}

impl StatementPlace {
    pub const ALL: [StatementPlace; 8] = [
        StatementPlace::Dialogue,
        StatementPlace::Variant,
        StatementPlace::Loop,
        StatementPlace::Branch,
        StatementPlace::Flow,
        StatementPlace::Topics,
        StatementPlace::Turn,
        StatementPlace::TurnLoop,
    ];

    pub fn noun(self) -> &'static str {
        match self {
            StatementPlace::Dialogue => "a dialogue",
            StatementPlace::Variant => "a variant",
            StatementPlace::Loop => "a loop around turns",
            StatementPlace::Branch => "a branch",
            StatementPlace::Flow => "a named flow",
            StatementPlace::Topics => "a flow of topics",
            StatementPlace::Turn => "a turn",
            StatementPlace::TurnLoop => "a loop in a turn",
        }
    }
}

/// Any block of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementBlock {
    /// Of dialogues, flows and turns.
    Place(StatementPlace),
    Other(BlockKind),
}

impl StatementBlock {
    /// The words that begin its statements, each with its form and its documentation. Words that begin
    /// several statements are there for each of them.
    pub fn statements(self) -> Vec<(&'static str, &'static str, &'static str)> {
        match self {
            StatementBlock::Place(place) => TABLE
                .iter()
                .filter(|row| row.times(place).is_some() && row.statement != Statement::Relation)
                .map(|row| (row.word, row.form, row.doc))
                .collect(),
            StatementBlock::Other(kind) => {
                kind.statements().map(|row| (row.word, row.form, row.doc)).collect()
            }
        }
    }

    /// The block that a statement with this word opens in this one, if it opens one.
    pub fn opened_by(self, word: &str) -> Option<StatementBlock> {
        use StatementPlace as Place;

        let place = |place| Some(StatementBlock::Place(place));
        let other = |kind| Some(StatementBlock::Other(kind));
        match (self, word) {
            (StatementBlock::Other(BlockKind::File), "flow") => place(Place::Flow),
            (_, "dialogue") => place(Place::Dialogue),
            (_, "group") => other(BlockKind::Group),
            (_, "constraint") => other(BlockKind::Constraint),
            (_, "test") => other(BlockKind::Test),
            (_, "def" | "metric") => other(BlockKind::Function),
            (_, "feed") => other(BlockKind::Feed),
            (_, "scene") => other(BlockKind::Scene),
            (_, "question") => other(BlockKind::Question),
            (_, "evolve") => other(BlockKind::Evolution),
            (_, "switch") => other(BlockKind::Switch),
            (_, "release") => other(BlockKind::Release),
            (_, "split") => other(BlockKind::Split),
            (_, "audit") => other(BlockKind::Audit),
            (StatementBlock::Other(BlockKind::Scene), "for") => Some(self),
            (StatementBlock::Other(_), _) => None,
            (StatementBlock::Place(_), "variant") => place(Place::Variant),
            (StatementBlock::Place(_), "turn") => place(Place::Turn),
            (StatementBlock::Place(_), "flow") => place(Place::Topics),
            (StatementBlock::Place(Place::Turn | Place::TurnLoop), "for") => place(Place::TurnLoop),
            (StatementBlock::Place(_), "for") => place(Place::Loop),
            (StatementBlock::Place(Place::Topics), "when") => Some(self),
            (StatementBlock::Place(_), "when" | "else") => place(Place::Branch),
            (StatementBlock::Place(_), _) => None,
        }
    }
}

/// How often a statement may be in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    Once,
    Many,
}

/// The form of a dialogue's turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DialogueForm {
    /// `flow { … }`: the turns move between topics.
    Topics,
    /// `turn`, `for` and `flow NAME`: the turns are written out.
    Written,
}

/// What a statement needs elsewhere in the dialogue to have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A statement that draws from the dialogue's pool of constraints.
    Draws,
    /// `start` or `evolve`, whose constraints have the scope of the dialogue.
    Scoped,
    /// A statement that makes constraints active.
    Active,
    /// A statement with which the user makes constraints active.
    Said,
    /// Constraints, relations or requirements that a response can miss.
    Judged,
    /// A yes-or-no question for a judge.
    Asked,
    /// A constraint that a judge decides.
    Questions,
    /// Judges that see the history.
    SeenHistory,
    /// A fact that a rule could read.
    RuledFact,
    /// A later turn.
    LaterTurn,
    /// `answer` on each turn that a later turn follows.
    Answers,
    /// An `end` that uses `patience`.
    Spent,
    /// A constraint, relation or requirement with that tag or group.
    Weighed,
    /// A template of the folder that is used.
    Template,
    /// An expression or a text that uses it, or a turn that opens with it.
    Named,
    /// Constraints that contradict those of another speaker.
    Against,
    /// Statements in its block.
    Statements,
    /// A turn in its block.
    Turns,
}

impl Need {
    /// What is needed, after "needs".
    pub fn noun(self) -> &'static str {
        match self {
            Need::Draws => "`start`, `evolve`, or an `impose` without `from`",
            Need::Scoped => "`start` or `evolve` (and `topic`, for `scope topic`)",
            Need::Active => "`start`, `evolve` or `impose`",
            Need::Said => "`start`, `evolve` or an `impose` of the user",
            Need::Judged => "something that a response can miss",
            Need::Asked => "a yes-or-no question to a judge",
            Need::Questions => "something that a judge reads",
            Need::SeenHistory => "`history` among what `judge sees` names",
            Need::RuledFact => "an `expect` or `void` with `check`",
            Need::LaterTurn => "a second turn",
            Need::Answers => "`answer` in each turn that another follows",
            Need::Spent => "an `end` whose condition uses `patience`",
            Need::Weighed => "something of that tag or group",
            Need::Template => "a turn that uses one of the templates",
            Need::Named => "a use of its name",
            Need::Against => "an `impose … against SPEAKER`",
            Need::Statements => "a statement in it",
            Need::Turns => "a turn in it",
        }
    }
}

/// Where the effect of a statement can be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// In the system message.
    System,
    /// In a user message.
    Message,
    /// In the responses that later requests contain as history.
    History,
    /// In the verdicts, or in the questions to a judge.
    Verdict,
    /// In the number of turns, or in the ending.
    Ending,
    /// In the number of requests.
    Calls,
    /// In a report.
    Report,
}

/// The properties of a statement.
#[derive(Debug)]
pub struct StatementRow {
    pub statement: Statement,
    /// The rule of the grammar that parses it.
    pub rule: &'static str,
    /// The word that begins it.
    pub word: &'static str,
    /// Its form, for documentation.
    pub form: &'static str,
    /// The blocks that it may be in; anywhere else, an error lists them.
    pub at: &'static [(StatementPlace, Times)],
    /// The forms of dialogue in which it has an effect; in others it is an error.
    pub acts: &'static [DialogueForm],
    /// Without these it would have no effect, which is an error.
    pub needs: &'static [Need],
    pub shows: Shows,
    /// Its effect, for `ifs explain`.
    pub doc: &'static str,
}

impl StatementRow {
    /// How often it may be in a block; `None` if it may not.
    pub fn times(&self, place: StatementPlace) -> Option<Times> {
        self.at.iter().find(|(at, _)| *at == place).map(|(_, times)| *times)
    }

    /// The blocks that it may be in, as in "a turn or a loop in a turn".
    pub fn places(&self) -> String {
        let nouns: Vec<&str> = self.at.iter().map(|(place, _)| place.noun()).collect();
        match nouns.split_last() {
            None => String::new(),
            Some((only, [])) => (*only).to_owned(),
            Some((last, [one])) => format!("{one} or {last}"),
            Some((last, rest)) => format!("{}, or {last}", rest.join(", ")),
        }
    }
}

impl Statement {
    pub fn row(self) -> &'static StatementRow {
        &TABLE[self as usize]
    }

    /// The words that distinguish statements that a block may have once each.
    pub fn reported_as(self) -> &'static str {
        match self {
            Statement::Judge => "judge checklist",
            Statement::JudgeHistory => "judge history",
            Statement::JudgeSees => "judge sees",
            Statement::Redraw => "redraw on",
            Statement::RedrawUntil => "redraw until",
            other => other.word(),
        }
    }

    pub fn word(self) -> &'static str {
        self.row().word
    }
}

impl StmtKind {
    pub fn statement(&self) -> Statement {
        match self {
            StmtKind::Topic(_) => Statement::Topic,
            StmtKind::Style(_) => Statement::Style,
            StmtKind::Constraints(_) => Statement::Constraints,
            StmtKind::Param(_) => Statement::Param,
            StmtKind::Let(_) => Statement::Let,
            StmtKind::Start { .. } => Statement::Start,
            StmtKind::Scope { .. } => Statement::Scope,
            StmtKind::Flow(super::ast::FlowStmt::Topics(_)) => Statement::Topics,
            StmtKind::Flow(super::ast::FlowStmt::Of(_)) => Statement::Flow,
            StmtKind::Evolve(_) => Statement::Evolve,
            StmtKind::Redraw => Statement::Redraw,
            StmtKind::RedrawUntil(_) => Statement::RedrawUntil,
            StmtKind::Impose(impose) if impose.since.is_some() => Statement::Since,
            StmtKind::Impose(impose)
                if matches!(impose.what, super::ast::ImposeTarget::Called { .. }) =>
            {
                Statement::Called
            }
            StmtKind::Impose(impose) if impose.by.is_some() || impose.against.is_some() => {
                Statement::Spoken
            }
            StmtKind::Impose(_) => Statement::Impose,
            StmtKind::Priority(_) => Statement::Priority,
            StmtKind::Patience(_) => Statement::Patience,
            StmtKind::End(_) => Statement::End,
            StmtKind::Endless => Statement::Endless,
            StmtKind::Turn(_) => Statement::Turn,
            StmtKind::For(_) if self.only_imposes() => Statement::ImposeLoop,
            StmtKind::For(_) => Statement::For,
            StmtKind::Variant { .. } => Statement::Variant,
            StmtKind::Retry { .. } => Statement::Retry,
            StmtKind::Context(_) => Statement::Context,
            StmtKind::Overflow { .. } => Statement::Overflow,
            StmtKind::JudgeBy { .. } => Statement::Judge,
            StmtKind::JudgeHistory(_) => Statement::JudgeHistory,
            StmtKind::JudgeSees(_) => Statement::JudgeSees,
            StmtKind::Weigh(_) => Statement::Weigh,
            StmtKind::Report { .. } => Statement::Report,
            StmtKind::Sample(_) => Statement::Sample,
            StmtKind::System(_) => Statement::System,
            StmtKind::Templates(_) => Statement::Templates,
            StmtKind::Repeat => Statement::Repeat,
            StmtKind::FactsByJudge => Statement::Facts,
            StmtKind::Over(_) => Statement::Over,
            StmtKind::Ask(_) => Statement::Ask,
            StmtKind::Show(show) if show.by.is_some() => Statement::ToolMessage,
            StmtKind::Show(_) => Statement::Show,
            StmtKind::Part(_) => Statement::Part,
            StmtKind::Require(_) => Statement::Require,
            StmtKind::Answer(_) => Statement::Answer,
            StmtKind::Reply(_) => Statement::Reply,
            StmtKind::Class(_) => Statement::Class,
            StmtKind::Expect { .. } => Statement::Expect,
            StmtKind::Void(..) => Statement::Void,
            StmtKind::Stay { .. } => Statement::Stay,
            StmtKind::Switch { .. } => Statement::Switch,
            StmtKind::Observe(_) => Statement::Observe,
            StmtKind::When { block, otherwise, .. } => {
                let rule = |stmt: &super::ast::Stmt| {
                    matches!(
                        stmt.kind,
                        StmtKind::Stay { .. } | StmtKind::Switch { .. } | StmtKind::Until(_)
                    )
                };
                let is_rule = block.stmts.iter().any(rule) || block.stmts.is_empty();
                match otherwise.is_none() && is_rule {
                    true => Statement::When,
                    false => Statement::Branch,
                }
            }
            StmtKind::Until(_) => Statement::Until,
        }
    }
}

/// The keywords of a block's statements, in alphabetical order.
pub fn keywords_of(place: StatementPlace) -> Vec<&'static str> {
    let may =
        |row: &&StatementRow| row.times(place).is_some() && row.statement != Statement::Relation;
    let mut words: Vec<&str> = TABLE.iter().filter(may).map(|row| row.word).collect();
    words.sort_unstable();
    words.dedup();
    words
}

const ONCE_A_DIALOGUE: &[(StatementPlace, Times)] =
    &[(StatementPlace::Dialogue, Times::Once), (StatementPlace::Variant, Times::Once)];
const IN_ANY_BODY: &[(StatementPlace, Times)] = &[
    (StatementPlace::Dialogue, Times::Many),
    (StatementPlace::Variant, Times::Many),
    (StatementPlace::Loop, Times::Many),
    (StatementPlace::Branch, Times::Many),
    (StatementPlace::Turn, Times::Many),
    (StatementPlace::TurnLoop, Times::Many),
];
const TURNS: &[(StatementPlace, Times)] = &[
    (StatementPlace::Dialogue, Times::Many),
    (StatementPlace::Variant, Times::Many),
    (StatementPlace::Loop, Times::Many),
    (StatementPlace::Branch, Times::Many),
    (StatementPlace::Flow, Times::Many),
    (StatementPlace::Topics, Times::Many),
];
const BRANCHES: &[(StatementPlace, Times)] = &[
    (StatementPlace::Dialogue, Times::Many),
    (StatementPlace::Variant, Times::Many),
    (StatementPlace::Loop, Times::Many),
    (StatementPlace::Branch, Times::Many),
    (StatementPlace::Flow, Times::Many),
];
const IN_TURN_ONLY: &[(StatementPlace, Times)] = &[(StatementPlace::Turn, Times::Many)];
const IN_TURN: &[(StatementPlace, Times)] =
    &[(StatementPlace::Turn, Times::Many), (StatementPlace::TurnLoop, Times::Many)];
const ONCE_A_TURN: &[(StatementPlace, Times)] = &[(StatementPlace::Turn, Times::Once)];
const TOPIC_RULES: &[(StatementPlace, Times)] = &[(StatementPlace::Topics, Times::Once)];

const ANY_FORM: &[DialogueForm] = &[DialogueForm::Topics, DialogueForm::Written];
const WRITTEN_FORM: &[DialogueForm] = &[DialogueForm::Written];
const TOPICS_FORM: &[DialogueForm] = &[DialogueForm::Topics];

macro_rules! table {
    ($($statement:ident $rule:ident $word:literal $form:literal $at:ident $acts:ident
        [$($need:ident)*] $shows:ident $doc:literal;)*) => {
        /// The statements; relations and the records of a dialogue are clauses, and have rows too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Statement {
            $($statement,)*
        }

        /// All statements, in the order of [`Statement`].
        pub static TABLE: &[StatementRow] = &[$(StatementRow {
            statement: Statement::$statement,
            rule: stringify!($rule),
            word: $word,
            form: $form,
            at: $at,
            acts: $acts,
            needs: &[$(Need::$need),*],
            shows: Shows::$shows,
            doc: $doc,
        }),*];
    };
}

const DRAWN: &[(StatementPlace, Times)] = &[
    (StatementPlace::Dialogue, Times::Many),
    (StatementPlace::Variant, Times::Many),
    (StatementPlace::Turn, Times::Many),
    (StatementPlace::TurnLoop, Times::Many),
];
const VARIANT: &[(StatementPlace, Times)] = &[(StatementPlace::Variant, Times::Once)];
const DIALOGUE: &[(StatementPlace, Times)] = &[(StatementPlace::Dialogue, Times::Many)];
const HEAD: &[(StatementPlace, Times)] = &[(StatementPlace::Dialogue, Times::Once)];
const TOPIC_GUARDS: &[(StatementPlace, Times)] = &[(StatementPlace::Topics, Times::Many)];

table! {
    Topic topic "topic" "topic from BANK" ONCE_A_DIALOGUE ANY_FORM [Named] Message
        "Names the bank that topics are drawn from. Its records are `topic` in texts and checks.";
    Style style "style" "style from BANK" ONCE_A_DIALOGUE ANY_FORM [Named] Message
        "Names the bank that the user's style is drawn from, once for the dialogue. Its record \
         is `style`.";
    Constraints constraints "constraints" "constraints from GROUP" ONCE_A_DIALOGUE ANY_FORM [Draws] Message
        "Lists the groups that `start`, `evolve` and `impose` draw from; all that the file knows \
         without it.";
    Start start "start" "start with N constraints" ONCE_A_DIALOGUE ANY_FORM [] Message
        "Adds this many constraints on the first turn and, with `scope topic`, whenever a topic \
         opens.";
    Scope scope "scope" "scope turn" ONCE_A_DIALOGUE ANY_FORM [Scoped] Message
        "Sets how long a constraint stays active: for a turn, for its topic, or for the \
         dialogue.";
    Evolve evolve "evolve" "evolve N per turn { … }" ONCE_A_DIALOGUE ANY_FORM [LaterTurn] Message
        "Adds, modifies and drops constraints from turn to turn, with these shares.";
    Redraw redraw "redraw" "redraw on conflict" ONCE_A_DIALOGUE ANY_FORM [Active] Message
        "Draws a change that contradicts an active constraint again, instead of taking the next \
         candidate, so that weights keep their proportions.";
    RedrawUntil redraw "redraw" "redraw until witness" ONCE_A_DIALOGUE ANY_FORM [Active] Message
        "Draws the changes of a turn again until a text is found that satisfies all that is active, at \
         most 100 times or as many as `within N draws` says.";
    Impose impose "impose" "impose …" DRAWN ANY_FORM [] Message
        "Adds constraints on a turn, drawn from groups or given by name with arguments.";
    Since impose "from" "from turn N impose …" DRAWN ANY_FORM [] Message
        "Adds constraints from this turn on.";
    Called impose "impose" "impose called NAME given RECORD from MODULE" DRAWN ANY_FORM [] Verdict
        "Adds the constraint that has this alias, with the arguments of published data; `unsaid` \
         if the message already states it.";
    Spoken impose "impose" "impose … by SPEAKER against SPEAKER" DRAWN ANY_FORM [] Message
        "Lets the system message, the user or a tool's text state the constraints; with `against`, \
         they contradict what that speaker said, or relate to it as `case` says.";
    Priority priority "priority" "priority system > user > tool" ONCE_A_DIALOGUE ANY_FORM [Against] Verdict
        "Sets whose constraints count where those of two speakers contradict; the others \
         are overruled.";
    Patience patience "patience" "patience N" ONCE_A_DIALOGUE ANY_FORM [Judged Spent] Ending
        "Counts failed turns in a row; `end when patience == 0` ends the dialogue after this many.";
    End end "end" "end when …" ONCE_A_DIALOGUE ANY_FORM [LaterTurn] Ending
        "Ends the dialogue when the condition holds after a turn.";
    Endless endless "endless" "endless" ONCE_A_DIALOGUE TOPICS_FORM [] Ending
        "Declares that the flow of topics needs no bound; `--max-turns` then ends a run.";
    System system "system" "system TEXT" ONCE_A_DIALOGUE ANY_FORM [] System
        "Sets the system message.";
    Param param_stmt "param" "param NAME: DOMAIN" IN_ANY_BODY ANY_FORM [] Message
        "Draws a value from a domain, for the dialogue or for a turn.";
    Let let_item "let" "let NAME = …" IN_ANY_BODY ANY_FORM [] Message
        "Names the value of an expression.";
    Templates templates_from "templates" "templates from \"FOLDER\"" ONCE_A_DIALOGUE ANY_FORM [Template] Message
        "Replaces the templates of user messages by files of the same name in a folder.";
    Context context "context" "context golden" ONCE_A_DIALOGUE ANY_FORM [LaterTurn Answers] History
        "Chooses the history that the model sees: its own responses, or the golden answers that \
         `answer` gives.";
    Overflow overflow "overflow" "overflow omitted" ONCE_A_DIALOGUE ANY_FORM [] Report
        "Says what turns count as that do not fit into the context window of the model: `missed`, \
         as without it, or `omitted`, in no score.";
    Sample sample "sample" "sample N" ONCE_A_DIALOGUE ANY_FORM [] Calls
        "Requests this many responses to each turn; the dialogue continues from the first.";
    Retry retry "retry" "retry up to N rounds with feedback" ONCE_A_DIALOGUE ANY_FORM [Judged] Calls
        "Repeats a turn after a miss, with feedback on what was missed, for up to this many rounds.";
    Repeat repeat "repeat" "repeat instructions at end" ONCE_A_DIALOGUE ANY_FORM [Said] Message
        "Repeats the user's active constraints at the end of the last user message.";
    Judge judge_by "judge" "judge checklist by \"FILE\"" ONCE_A_DIALOGUE ANY_FORM [Asked] Verdict
        "Replaces the built-in prompt of a judge's checklist by a template.";
    JudgeHistory judge_history "judge" "judge history all" ONCE_A_DIALOGUE ANY_FORM [LaterTurn Questions SeenHistory] Verdict
        "Sets how many earlier turns judges see: all, or a number; the default is 3.";
    JudgeSees judge_sees "judge" "judge sees system, message, answer" ONCE_A_DIALOGUE ANY_FORM [Questions] Verdict
        "Selects what judges are shown of the system message, the history, the message and the response.";
    Facts facts "facts" "facts by judge" ONCE_A_DIALOGUE ANY_FORM [RuledFact] Verdict
        "Lets a judge decide every fact, including those with a rule.";
    Weigh weigh "weigh" "weigh NAME N" ONCE_A_DIALOGUE ANY_FORM [Weighed] Report
        "Gives a tag or a group its weight in `WCSR`; `weigh N` after a requirement gives its own.";
    Report report "report" "report NAME by …" ONCE_A_DIALOGUE ANY_FORM [] Report
        "Chooses the metrics of reports; with `by`, also scores dialogues, or turns, separately by a text.";
    Records over_other "over" "dialogue … over BANK as NAME" HEAD ANY_FORM [Named] Message
        "Runs one dialogue for each record of a bank, with its fields under a name.";
    Over over_other "over" "over BANK" VARIANT ANY_FORM [Named] Message
        "Runs the variant over another bank than the dialogue.";
    Variant variant "variant" "variant NAME { … }" DIALOGUE ANY_FORM [Statements] Message
        "Names a version of the dialogue in which these statements replace its own; `ifs run \
         --variant NAME` runs it.";
    Topics flow_stmt "flow" "flow { … }" ONCE_A_DIALOGUE TOPICS_FORM [] Message
        "Defines how the dialogue moves between topics: `stay`, `switch`, `when`, `until`.";
    Flow flow_stmt "flow" "flow NAME" ONCE_A_DIALOGUE WRITTEN_FORM [] Message
        "Inserts the turns of a named flow, or of one drawn from several.";
    Turn turn "turn" "turn NAME { … }" TURNS ANY_FORM [] Calls
        "Defines a written turn.";
    Relation turn "follows" "turn … follows NAME" TURNS ANY_FORM [] Verdict
        "Relates the turn to an earlier one (follow-up, refinement, recall, summary, expansion); \
         a judge checks it.";
    For for_stmt "for" "for NAME in LIST { … }" IN_ANY_BODY ANY_FORM [Turns] Calls
        "Repeats turns, or statements of a turn, for each member of a list; around turns, \
         `by (CHECK)` lets the last response choose the next member.";
    ImposeLoop for_stmt "for" "for NAME in LIST { impose … }" DRAWN ANY_FORM [] Message
        "Imposes for each member of a list, such as the constraints of a record.";
    Branch when_stmt "when" "when NAME { … } else { … }" BRANCHES ANY_FORM [Turns] Message
        "Runs its turns if an observation holds, and those of `else` if it does not.";
    Ask ask "ask" "ask TEXT" ONCE_A_TURN ANY_FORM [] Message
        "Sets the user message of the turn.";
    Show show "show" "show LIST" IN_TURN ANY_FORM [] Message
        "Attaches pictures to the user message.";
    ToolMessage show "show" "show TEXT by tool \"NAME\"" IN_TURN ANY_FORM [] Message
        "Sends a tool's message after the user message: a call of the tool and its text.";
    Part part "part" "part NAME: list" IN_TURN ANY_FORM [] Verdict
        "Names a part that is extracted from the response, for requirements about it.";
    Require require "require" "require NAME …" IN_TURN ANY_FORM [] Verdict
        "Requires something of the response, checked by a rule or a judge.";
    Expect expect "expect" "expect N \"…\"" IN_TURN ANY_FORM [] Verdict
        "Expects a fact in the response, worth this many points.";
    Void void "void" "void \"…\"" IN_TURN ANY_FORM [] Verdict
        "Voids the points of the response when the condition holds.";
    Observe observe "observe" "observe NAME …" IN_TURN_ONLY ANY_FORM [] Verdict
        "Reads a value from the response, by a rule or a judge, without scoring it; `when` and \
         `end when` refer to it by name.";
    Answer answer "answer" "answer \"…\"" ONCE_A_TURN ANY_FORM [] History
        "Gives the golden answer of the turn: the history for `context golden`, and what judges \
         compare with.";
    Reply reply "reply" "reply TEXT" ONCE_A_TURN ANY_FORM [] History
        "Gives the response of a turn that is part of a given history: no model is called, and \
         nothing is judged on it.";
    Class class "class" "class \"…\"" IN_TURN ANY_FORM [] Report
        "Assigns the turn to a class, by which reports score turns separately.";
    Stay stay "stay" "stay at least N turns" TOPIC_RULES TOPICS_FORM [] Ending
        "Keeps a topic for at least this many turns.";
    Switch switch "switch" "switch N% { … }" TOPIC_RULES TOPICS_FORM [] Message
        "Leaves the topic with this probability, for a new one or one that was open before.";
    When when_stmt "when" "when … { … }" TOPIC_GUARDS TOPICS_FORM [] Message
        "Changes the probabilities of a flow, or the shares of `evolve`, while a condition \
         holds.";
    Until until "until" "until …" TOPIC_RULES TOPICS_FORM [LaterTurn] Ending
        "Leaves the flow when the condition holds.";
}
