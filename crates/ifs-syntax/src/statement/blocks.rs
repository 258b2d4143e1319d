//! The table of the items of a file and of the statements of all blocks but those of dialogues,
//! flows and turns.
//!
//! The parser has the keywords of these blocks from here, `ifs explain` its texts, and the language
//! reference its table. A test holds the table against the grammar.

/// A block, or the top level of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// The top level of a file.
    File,
    /// `group NAME { … }`
    Group,
    /// `constraint NAME { … }`
    Constraint,
    /// `test NAME { … }`
    Test,
    /// `def NAME(…) { … }`
    Function,
    /// `feed NAME { … }`
    Feed,
    /// `scene NAME … { … }`
    Scene,
    /// `question NAME { … }` in a scene
    Question,
    /// `evolve … { … }`, also of a list
    Evolution,
    /// `switch N% { … }`
    Switch,
    /// `release NAME { … }`
    Release,
    /// `split NAME { … }`
    Split,
    /// `audit { … }`
    Audit,
}

impl BlockKind {
    pub const ALL: [BlockKind; 13] = [
        BlockKind::File,
        BlockKind::Group,
        BlockKind::Constraint,
        BlockKind::Test,
        BlockKind::Function,
        BlockKind::Feed,
        BlockKind::Scene,
        BlockKind::Question,
        BlockKind::Evolution,
        BlockKind::Switch,
        BlockKind::Release,
        BlockKind::Split,
        BlockKind::Audit,
    ];

    pub fn noun(self) -> &'static str {
        match self {
            BlockKind::File => "a file",
            BlockKind::Group => "a group",
            BlockKind::Constraint => "a constraint",
            BlockKind::Test => "a test",
            BlockKind::Function => "a function",
            BlockKind::Feed => "a feed",
            BlockKind::Scene => "a scene",
            BlockKind::Question => "a question",
            BlockKind::Evolution => "an evolution",
            BlockKind::Switch => "a `switch`",
            BlockKind::Release => "a release",
            BlockKind::Split => "a split",
            BlockKind::Audit => "an audit",
        }
    }

    /// Its rows of the table.
    pub fn statements(self) -> impl Iterator<Item = &'static BlockRow> {
        BLOCK_TABLE.iter().filter(move |row| row.at.contains(&self))
    }
}

/// The properties of an item or statement.
#[derive(Debug)]
pub struct BlockRow {
    pub statement: BlockStatement,
    /// The rule of the grammar that parses it.
    pub rule: &'static str,
    /// The keyword that begins it. `N dialogues of NAME` begins with a number instead.
    pub word: &'static str,
    /// Its form, for documentation.
    pub form: &'static str,
    /// The blocks that it may be in.
    pub at: &'static [BlockKind],
    /// Its effect.
    pub doc: &'static str,
}

macro_rules! table {
    ($($statement:ident $rule:ident $word:literal $form:literal [$($at:ident)+] $doc:literal;)*) => {
        /// An item of a file, or a statement of a block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum BlockStatement {
            $($statement,)*
        }

        /// All of them, by block.
        pub static BLOCK_TABLE: &[BlockRow] = &[$(BlockRow {
            statement: BlockStatement::$statement,
            rule: stringify!($rule),
            word: $word,
            form: $form,
            at: &[$(BlockKind::$at),+],
            doc: $doc,
        }),*];
    };
}

table! {
    Allow allow "allow" "allow CODE because \"REASON\"" [File]
        "Silences a warning for the item or statement below it, with the reason. It may be above any \
         of them, as a doc comment may be.";
    Edition edition "ifs" "ifs 1" [File]
        "Names the edition of the language, on the first line of each file.";
    Benchmark benchmark "benchmark" "benchmark NAME { … }" [File]
        "Names the benchmark and gives its title, version, authors and sources.";
    Use use_item "use" "use PATH" [File]
        "Makes the names of another file or of a module of the library available: one, or all \
         with `.*`.";
    Import import "import" "import NAME \"FILE\" { … }" [File]
        "Reads a bank of records from a file, with the types of their fields.";
    Let let_item "let" "let NAME = …" [File Function Scene Question]
        "Names the value of an expression.";
    Def def "def" "def NAME(…) { … }" [File]
        "Defines a function.";
    Metric metric "metric" "metric NAME of dialogue { … }" [File]
        "Defines a score by an expression: of each outcome, turn or dialogue, or of the run.";
    Tags tags "tags" "tags NAME { … }" [File]
        "Declares a tree of tags; reports score each tag separately.";
    Group group "group" "group NAME { … }" [File]
        "Collects constraints of which at most one is active at a time.";
    Constraint constraint "constraint" "constraint NAME(…) { … }" [File Group]
        "Defines an instruction: how the user states it, and how a response is checked.";
    Test test "test" "test NAME (…) { … }" [File Group]
        "Gives examples of responses that a constraint passes or fails; `ifs test` runs them.";
    Mask mask "mask" "mask NAME, … against NAME, …" [File]
        "Prevents a value from being drawn for one parameter while another has it.";
    Feed feed "feed" "feed NAME { … }" [File]
        "Reads logs of events, or simulates them.";
    Scene scene "scene" "scene NAME WIDTH by HEIGHT { … }" [File]
        "Draws a picture from parameters, with questions about it.";
    Flow flow "flow" "flow NAME { … }" [File]
        "Names a sequence of turns for dialogues.";
    Dialogue dialogue "dialogue" "dialogue NAME { … }" [File]
        "Defines a dialogue: its topics, constraints, turns and end.";
    Split split "split" "split NAME { … }" [File]
        "Holds parts of the scenario out of everything else; `--split NAME` draws them.";
    Release release "release" "release NAME { … }" [File]
        "Defines which dialogues are published.";
    Audit audit "audit" "audit { … }" [File]
        "Declares what `ifs audit` may find by design: in a module, for what it defines; in the file \
         of the benchmark, for everything.";
    Say say "say" "say \"…\", …" [Constraint]
        "Gives the texts with which the user states the constraint; one is drawn.";
    Change change "change" "change \"…\", …" [Constraint]
        "Gives the texts with which the user states a change of its parameters; `old` has the \
         previous values.";
    Withdraw withdraw "withdraw" "withdraw \"…\", …" [Constraint]
        "Gives the texts with which the user withdraws it.";
    Check check "check" "check …" [Constraint]
        "Decides by a rule whether a response satisfies the constraint.";
    Judge judge_stmt "judge" "judge \"…\"" [Constraint]
        "Lets a judge decide: a question, a mark on a `scale`, or a `rubric`.";
    Applies applies "applies" "applies when …" [Constraint]
        "Evaluates the constraint only on turns on which the condition holds.";
    EvolveList evolve_list "evolve" "evolve PARAMETER { … }" [Constraint]
        "Defines how a list changes from turn to turn.";
    Excludes excludes "excludes" "excludes NAME, …" [Constraint]
        "Names constraints of other groups that are never active together with it.";
    Weight weight "weight" "weight N" [Constraint]
        "Sets how often the constraint is drawn relative to the others of its group; the default is 1.";
    Relation means "relation" "relation WORD" [Constraint]
        "Makes the constraint the definition of a relation between turns.";
    Tag tag_stmt "tag" "tag NAME, …" [Constraint]
        "Gives the constraint its categories in reports.";
    Alias alias "alias" "alias \"…\" (…) when …" [Constraint]
        "Maps the name and the arguments of published data to the constraint.";
    OwnTest test_here "test" "test (…) { … }" [Constraint]
        "Gives examples of responses to the constraint with these arguments.";
    Pass case "pass" "pass \"…\"" [Test]
        "Gives a response that satisfies the constraint.";
    Fail case "fail" "fail \"…\"" [Test]
        "Gives a response that violates the constraint.";
    Prompt case "prompt" "prompt \"…\"" [Test]
        "Gives the user message of the cases, for constraints that read it.";
    Reply case "reply" "reply \"…\"" [Test]
        "Gives an earlier response, for constraints that read those.";
    Return return_stmt "return" "return …" [Function]
        "Gives the result of the function.";
    Read read "read" "read READER \"FILES\"" [Feed]
        "Reads the logs in files with the reader of their source.";
    Simulate simulate "simulate" "simulate SPORT N" [Feed]
        "Generates games in the format of a log instead of reading them.";
    Column column "column" "column NAME: TYPE" [Feed]
        "Adds a column to the events, from a field of the source or by an expression.";
    Order order "order" "order by COLUMN, …" [Feed]
        "Sorts the events.";
    Periods periods "periods" "periods N of \"12:00\"" [Feed]
        "Gives the number and length of the periods, for logs that do not have them.";
    Param param_stmt "param" "param NAME: DOMAIN" [Scene Question]
        "Draws a value for the picture or the question.";
    Draw draw "draw" "draw SHAPE { … }" [Scene]
        "Draws a shape.";
    For scene_for "for" "for NAME in LIST { … }" [Scene]
        "Repeats statements of the scene for each member of a list.";
    Question question "question" "question NAME { … }" [Scene]
        "Asks a question about the picture and gives its answer.";
    QuestionAsk question_ask "ask" "ask \"…\", …" [Question]
        "Gives the texts of the question; one is drawn.";
    QuestionAnswer answer "answer" "answer \"…\"" [Question]
        "Gives the golden answer.";
    Add weighted "add" "add N%" [Evolution]
        "Gives the share of changes that add a constraint; for a list, the number of members to \
         add.";
    Modify weighted "modify" "modify N%" [Evolution]
        "Gives the share of changes that draw new values for a constraint.";
    Drop weighted "drop" "drop N%" [Evolution]
        "Gives the share of changes that withdraw a constraint; for a list, the number of members \
         to drop.";
    When guard "when" "when … { … }" [Evolution]
        "Replaces the shares while a condition holds.";
    New weighted "new" "new N%" [Switch]
        "Gives the share of switches to a topic that was not open before.";
    Backtrack weighted "backtrack" "backtrack N%" [Switch]
        "Gives the share of switches to a topic that was open before.";
    Dialogues release_count "dialogues" "N dialogues of NAME" [Release]
        "Sets how many dialogues of that name the release has.";
    Every release_every "every" "every record of NAME" [Release]
        "Takes each record of the dialogue's `over` once, in order.";
    Keep release_keep "keep" "keep where …" [Release]
        "Keeps the candidates for which the condition holds; others are skipped.";
    Seed release_seed "seed" "seed N" [Release]
        "Sets the seed of the candidates; `--seed` overrides it, and it is 1 without either.";
    Cover release_cover "cover" "cover … at least N times" [Release]
        "Requires that each pair of groups, or each constraint, group, move, relation, style or \
         topic occurs this often.";
    Quota release_quota "quota" "quota at most N dialogues with …" [Release]
        "Requires that at least or at most this many dialogues have a feature; with `each`, every \
         feature of a kind.";
    Alike release_alike "alike" "alike at most N%" [Release]
        "Skips a dialogue that shares more of its 4-grams of words with an earlier one.";
    Anchors release_anchors "anchors" "anchors N" [Release]
        "Makes the first dialogues the same for every seed and every epoch of a hidden set.";
    Groups split_groups "groups" "groups NAME, … with NAME, …" [Split]
        "Holds out groups of constraints; the split draws those after `with` too.";
    Topics split_topics "topics" "topics from BANK where …" [Split]
        "Holds out the topics for which the condition holds.";
    Styles split_styles "styles" "styles from BANK where …" [Split]
        "Holds out the styles for which the condition holds.";
    Templates templates_from "templates" "templates from \"FOLDER\"" [Split]
        "Replaces the templates of user messages in the split.";
    Words split_words "words" "words \"…\", …" [Split]
        "Holds out texts: alternatives of constraints and phrases.";
    Flows split_flows "flows" "flows NAME, …" [Split]
        "Holds out named flows.";
    Limit audit_limit "limit" "limit NAME N%" [Audit]
        "Sets the largest share that an audit accepts: of turns that a form changes (`changed`), of \
         wrong answers that it lets pass (`evaded`), of golden answers that miss something (`golden`), \
         of turns that an answer passes which knows nothing (`floor`).";
    Minds audit_minds "minds" "minds FORM, … in NAME because \"…\"" [Audit]
        "Says that a form of the answer matters by design to a constraint, a group, a dialogue, a turn \
         or a requirement; without `in`, to everything that the file defines.";
    Tolerates audit_tolerates "tolerates" "tolerates FORM, … in NAME" [Audit]
        "Says that a form must not matter to a check, although the check notices it: `ifs audit` tries \
         it, and a verdict that it changes is a fault.";
    Floor audit_floor "floor" "floor N% of ANSWER, … in NAME because \"…\"" [Audit]
        "Says which share of the turns answers that know nothing may pass by design; without `of`, any \
         of them.";
}
