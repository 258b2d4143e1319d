//! The command line: the only module that prints or exits. One file per subcommand.

mod agreement;
mod audit;
mod by;
mod check;
mod collect;
mod compare;
mod compare_sets;
mod construct;
mod debug;
mod deep;
mod diff;
mod diff_file;
mod distinct;
mod draw;
mod equate;
mod estimate;
mod exit;
mod explain;
mod export;
mod extraction;
mod feed;
mod files;
mod fmt;
mod gate;
mod grade;
mod graph;
mod import;
mod import_chats;
mod judges;
mod judging;
mod line_diff;
mod load;
mod lock;
mod lsp;
mod new;
mod new_domain;
mod output;
mod pager;
mod power;
mod preview;
mod progress;
mod prove;
mod recorded;
mod redact;
mod release;
mod report;
mod requests;
mod review;
mod review_dialogues;
mod review_set;
mod revision;
mod run;
mod runs;
mod runs_table;
mod same_messages;
mod scene;
mod schema;
mod score;
mod set_files;
mod sets;
mod shell;
mod show;
mod shrink;
mod sign;
mod spending;
mod suggestions;
mod synthesize;
mod test;
mod trace;
mod turn;
mod under;
mod utterances;
mod variety;
mod view;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

pub use exit::Exit;
use output::Output;

/// A language for multi-turn instruction-following benchmarks.
///
/// Write a benchmark as an .ifs file, check it, draw dialogues from a
/// seed, run them against a model and score the responses.
#[derive(Debug, Parser)]
#[command(name = "ifs", version, about, long_about, after_help = EXAMPLES, after_long_help = LONG_EXAMPLES)]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Human-readable text
    Text,
    /// JSON, for programs
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a new scenario that compiles, passes its tests and runs
    New(new::Args),
    /// Check scenarios and explain every mistake
    Check(check::Args),
    /// Format scenarios
    Fmt(fmt::Args),
    /// Show what changed between two definitions, and what it means for scores
    Diff(diff::Args),
    /// Pin the files, banks and parts of a scenario
    Lock(lock::Args),
    /// Run the `test` blocks of a scenario
    Test(test::Args),
    /// Explain a word of the language, a metric, an option or a code
    Explain(explain::Args),
    /// Serve an editor: diagnostics, completion, hovers, renames while a scenario is written
    Lsp(lsp::Args),
    /// Draw a dialogue's plan as a graph
    Graph(graph::Args),
    /// Draw dialogues from a seed, without a model
    Draw(draw::Args),
    /// Print a witness of a turn, or the constraints that rule one out
    Prove(prove::Args),
    /// Examine the checks of a scenario: right answers in other forms, answers that know nothing
    Audit(Box<audit::Args>),
    /// Write an HTML page to review a scenario before a release
    Preview(preview::Args),
    /// Draw the pictures of a scene, with their facts and questions
    Scene(scene::Args),
    /// Run dialogues against a model and score the responses
    Run(Box<run::Args>),
    /// Merge the shards of a run
    Runs(runs::Args),
    /// Run dialogues by hand: write the requests of the next turn, take the responses
    Turn(Box<turn::Args>),
    /// Have models write user messages
    Synthesize(Box<synthesize::Args>),
    /// Review the flagged messages of a set, and freeze it
    Review(review::Args),
    /// Score a recorded run again
    Score(Box<score::Args>),
    /// Measure the agreement of judges with one another and with human labels
    Agreement(agreement::Args),
    /// Report on a recorded run
    Report(report::Args),
    /// Fail if a metric of a recorded run misses a threshold
    Gate(gate::Args),
    /// Print the JSON Schema of a command's JSON output
    Schema(schema::Args),
    /// Show the dialogues of a recorded run as chats
    Show(show::Args),
    /// Serve the HTML report of a run on this computer, also during the run
    View(view::Args),
    /// Shrink a dialogue in which the model failed to the shortest one that still fails
    Shrink(Box<shrink::Args>),
    /// Compare runs, or judges with human marks
    Compare(compare::Args),
    /// Grade recorded responses, row by row
    Grade(grade::Args),
    /// Have models construct dialogues along flows
    Construct(Box<construct::Args>),
    /// Draw a set of dialogues, freeze its messages, and commit to it
    Release(release::Args),
    /// Compute how many dialogues separate two models, or two sets
    Power(power::Args),
    /// Test whether two sets come from one distribution
    CompareSets(compare_sets::Args),
    /// Equate the scores of two epochs by their common anchors
    Equate(equate::Args),
    /// Check a set against its manifest, one opened dialogue, or a signature
    Verify(release::VerifyArgs),
    /// Print one dialogue of a hidden set with a proof that anyone can check
    Open(release::OpenArgs),
    Reveal(release::RevealArgs),
    /// Write a new secret for hidden sets
    Secret(release::SecretArgs),
    /// Write a new key that signs runs and manifests
    Key(sign::KeyArgs),
    /// Sign a recorded run, or the manifest of a set
    Sign(sign::Args),
    /// Convert published data into a release
    Import(import::Args),
    /// Check, print and simulate event logs
    Feed(feed::Args),
    /// Print a completion script for a shell
    Completions(shell::Completions),
    /// Write the man pages into a folder
    Man(shell::Man),
    /// Print what a compiler pass produces
    #[command(hide = true)]
    Debug(debug::Args),
}

const EXAMPLES: &str = "\
Examples:
  ifs new reviews                      write a first scenario
  ifs check reviews/reviews.ifs        explain every mistake in it
  ifs draw reviews/reviews.ifs         read a dialogue drawn from it
  ifs run reviews/reviews.ifs          run 20 dialogues against a simulated model";

const LONG_EXAMPLES: &str = "\
Examples:
  ifs new reviews                      write a first scenario
  ifs check reviews/reviews.ifs        explain every mistake in it
  ifs draw reviews/reviews.ifs         read a dialogue drawn from it
  ifs run reviews/reviews.ifs          run 20 dialogues against a simulated model

Exit status:
  0    success
  1    a check failed: a test of a scenario, `fmt --check`, warnings under --deny-warnings; a metric
       misses a threshold of `ifs gate`; or the scored run is not complete
  2    the command line is invalid
  3    the input is invalid: a scenario with mistakes, a missing or damaged file
  4    an infrastructure error: a file cannot be written, requests to a model failed, a budget is spent
  130  interrupted

Colours are off if the output is not a terminal or NO_COLOR is set.";

/// Stack size in bytes; the system allocates only what is used.
const DEEP_STACK: usize = 64 << 20;

/// Runs the program with these arguments, the first of which is its name, and returns its exit
/// status. The Python package has this module, too.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(turn::with_resume(args.into_iter().collect())) {
        Ok(cli) => cli,
        Err(error) => {
            let status = if error.use_stderr() { Exit::Usage } else { Exit::Good };
            // Colours are for a terminal only, also in errors about the arguments.
            let mut output = Output::new(Color::Auto);
            let text = error.render();
            match error.use_stderr() {
                true if output.color_err() => {
                    output.painted_note(text.ansi().to_string().trim_end())
                }
                true => output.note(text.to_string().trim_end()),
                false if output.color() => output.painted(&text.ansi().to_string()),
                false => output.print(&text.to_string()),
            }
            if let Some(help) = suggestions::suggestion(&error) {
                output.help(help);
            }
            output.flush();
            return status.status();
        }
    };
    let work = || {
        let mut output = Output::new(cli.color);
        let exit =
            run(cli.command, &mut output).unwrap_or_else(|problem| problem.report(&mut output));
        output.finish(exit)
    };
    // A build that does not unwind has the same exit status. What a run has recorded is kept, as
    // when it is killed.
    #[cfg(panic = "abort")]
    {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            print(panic);
            std::process::exit(Exit::Infrastructure.status().into());
        }));
    }
    // Deeply nested scenarios are checked on a large stack. On a separate thread, glibc would
    // request memory from the system page by page, which took half of the time of `ifs check`.
    let deep = || stacker::grow(DEEP_STACK, work);
    let exit = std::panic::catch_unwind(std::panic::AssertUnwindSafe(deep))
        .unwrap_or(Exit::Infrastructure);
    exit.status()
}

fn run(command: Command, output: &mut Output) -> Result<Exit, exit::CommandError> {
    match command {
        Command::New(args) => new::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Fmt(args) => fmt::run(args, output),
        Command::Diff(args) => diff::run(args, output),
        Command::Lock(args) => lock::run(args, output),
        Command::Test(args) => test::run(args, output),
        Command::Explain(args) => explain::run(args, output),
        Command::Lsp(args) => lsp::run(args),
        Command::Graph(args) => graph::run(args, output),
        Command::Draw(args) => draw::run(args, output),
        Command::Prove(args) => prove::run(args, output),
        Command::Audit(args) => audit::run(*args, output),
        Command::Preview(args) => preview::run(args, output),
        Command::Scene(args) => scene::run(args, output),
        Command::Run(args) => run::run(*args, output),
        Command::Runs(args) => runs::run(args, output),
        Command::Turn(args) => turn::run(*args, output),
        Command::Synthesize(args) => synthesize::run(*args, output),
        Command::Review(args) => review::run(args, output),
        Command::Score(args) => score::run(*args, output),
        Command::Agreement(args) => agreement::run(args, output),
        Command::Report(args) => report::run(args, output),
        Command::Gate(args) => gate::run(args, output),
        Command::Schema(args) => schema::run(&args, output),
        Command::Show(args) => show::run(args, output),
        Command::View(args) => view::run(args, output),
        Command::Shrink(args) => shrink::run(*args, output),
        Command::Compare(args) => compare::run(args, output),
        Command::Grade(args) => grade::run(args, output),
        Command::Construct(args) => construct::run(*args, output),
        Command::Release(args) => release::run(args, output),
        Command::Equate(args) => equate::run(args, output),
        Command::Power(args) => power::run(args, output),
        Command::CompareSets(args) => compare_sets::run(args, output),
        Command::Verify(args) => release::verify(args, output),
        Command::Open(args) => release::open_dialogue(args, output),
        Command::Reveal(args) => release::reveal(args, output),
        Command::Secret(args) => release::secret(args, output),
        Command::Key(args) => sign::key(args, output),
        Command::Sign(args) => sign::run(args, output),
        Command::Import(args) => import::run(args, output),
        Command::Feed(args) => feed::run(args, output),
        Command::Completions(args) => shell::completions(args, Cli::command(), output),
        Command::Man(args) => shell::man_pages(args, Cli::command()),
        Command::Debug(args) => debug::run(args, output),
    }
}
