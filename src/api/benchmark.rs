//! Benchmarks, their dialogues, and the scripts drawn from them.

use std::path::Path;
use std::sync::Arc;

use self_cell::self_cell;

use super::{DrawnDialogue, Error, Grader, Problem, Session, Turn};
use ifs_base::world::World;
use ifs_draw::program::{CheckedScenario, find, find_in};
use ifs_draw::{self as script, Drawer, Seed};
use ifs_model::SemanticModel as Constraints;
use ifs_model::split::variant_of;
use ifs_model::table::Test;
use ifs_plan::Plan;

/// A compiled scenario. Cheap to clone; every clone is the same benchmark.
#[derive(Clone)]
pub struct Benchmark {
    plan: Arc<Plan>,
    tests: Arc<[Test]>,
    warnings: Arc<[Problem]>,
}

impl Benchmark {
    /// Compiles the scenario in a file, or in a folder that has one.
    ///
    /// # Errors
    /// Returns [`Error::NoScenario`], or [`Error::Scenario`] with all diagnostics.
    pub fn open(path: impl AsRef<Path>) -> Result<Benchmark, Error> {
        Benchmark::from_checked(find(path.as_ref())?)
    }

    /// Compiles a scenario from files that are not on a disk, such as [`crate::MemoryWorld`]. `name`
    /// is the name of its first file.
    ///
    /// # Errors
    /// Returns [`Error::Scenario`] with all diagnostics.
    pub fn check(world: &dyn World, name: &str) -> Result<Benchmark, Error> {
        Benchmark::from_checked(find_in(world, name))
    }

    #[doc(hidden)]
    pub fn from_checked(found: CheckedScenario) -> Result<Benchmark, Error> {
        let problems = Problem::all(&found.diagnostics, &found.sources);
        let Some((plan, tests)) = found.checked else {
            let rendered = Problem::rendered(&found.diagnostics, &found.sources);
            return Err(Error::Scenario { problems, rendered });
        };
        Ok(Benchmark { plan: Arc::new(plan), tests: tests.into(), warnings: problems.into() })
    }

    /// The benchmark's name, from the scenario's `benchmark` statement; empty if there is none.
    pub fn name(&self) -> &str {
        &self.plan.model.benchmark.name
    }

    /// The version of the benchmark; empty if the scenario has none.
    pub fn version(&self) -> &str {
        &self.plan.model.benchmark.version
    }

    /// The definition hash, `plan-v1:…`: it changes only if the meaning of the scenario changes.
    pub fn definition_hash(&self) -> String {
        self.plan.hash()
    }

    /// The warnings of the compiler.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The names of the dialogues, in source order.
    pub fn dialogues(&self) -> impl Iterator<Item = &str> {
        self.plan.model.dialogues.iter().map(|dialogue| dialogue.name.as_str())
    }

    /// Returns the dialogue with this name.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`], or [`Error::Draw`] if the dialogue cannot be drawn.
    pub fn dialogue(&self, name: &str) -> Result<Dialogue, Error> {
        if self.plan.dialogue(name).is_none() {
            return Err(Error::unknown("dialogue", name, self.dialogues()));
        }
        Dialogue::new(Arc::clone(&self.plan), name, None)
    }

    /// Returns a dialogue as the command line selects it: the first one without a name, one of its
    /// variants, what a split holds out of it.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`], or [`Error::Draw`] if the dialogue cannot be drawn.
    pub fn select(
        &self,
        name: Option<&str>,
        variant: Option<&str>,
        split: Option<&str>,
    ) -> Result<Dialogue, Error> {
        let name = match name.or_else(|| self.dialogues().next()) {
            Some(name) => name,
            None => return Err(Error::usage("the scenario has no dialogue")),
        };
        let dialogue = self.dialogue(name)?;
        match (split, variant) {
            (None, None) => Ok(dialogue),
            (None, Some(variant)) => dialogue.variant(variant),
            (Some(split), _) if !self.splits().any(|known| known == split) => {
                Err(Error::unknown("split", split, self.splits()))
            }
            (Some(split), variant) => dialogue.variant(&variant_of(split, variant)),
        }
    }

    /// The names of the splits: each holds a part of the scenario out, and is a variant of the
    /// dialogues that it changes.
    pub fn splits(&self) -> impl Iterator<Item = &str> {
        self.plan.model.splits.iter().map(String::as_str)
    }

    /// The names of the constraints with their groups, in source order.
    pub fn constraints(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.plan.model.groups.iter();
        groups.flat_map(|group| {
            let each = group.constraints.iter();
            each.map(|constraint| (constraint.name.as_str(), group.name.as_str()))
        })
    }

    /// Returns a grader for recorded responses, with the constraints of this scenario and of the
    /// standard library.
    pub fn grader(&self) -> Grader {
        let (groups, tests) = (self.plan.model.groups.clone(), self.tests.to_vec());
        Grader::with([Constraints { groups, tests, ..Constraints::default() }])
    }
}

impl std::fmt::Debug for Benchmark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dialogues: Vec<&str> = self.dialogues().collect();
        f.debug_struct("Benchmark")
            .field("name", &self.name())
            .field("dialogues", &dialogues)
            .finish_non_exhaustive()
    }
}

self_cell!(
    /// A drawer with its plan.
    pub(crate) struct OwnedDrawer {
        owner: Arc<Plan>,
        #[covariant]
        dependent: Drawer,
    }
);

self_cell!(
    /// A script with its drawer.
    pub(super) struct OwnedScript {
        owner: Arc<OwnedDrawer>,
        #[not_covariant]
        dependent: InnerScript,
    }
);

type InnerScript<'d> = script::Script<'d>;

/// A dialogue of a benchmark, or a variant of one. Cheap to clone.
#[derive(Clone)]
pub struct Dialogue {
    pub(crate) drawer: Arc<OwnedDrawer>,
    name: Arc<str>,
    variant: Option<Arc<str>>,
}

impl Dialogue {
    fn new(plan: Arc<Plan>, name: &str, variant: Option<&str>) -> Result<Dialogue, Error> {
        let drawer = OwnedDrawer::try_new(plan, |plan| Drawer::new(plan, name))?;
        Ok(Dialogue {
            drawer: Arc::new(drawer),
            name: name.into(),
            variant: variant.map(Into::into),
        })
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        self.drawer.borrow_owner()
    }

    /// The dialogue's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the variant, if it is one.
    pub fn variant_name(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// The names of the dialogue's variants.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        let table = &self.drawer.borrow_dependent().dialogue().table;
        table.variants.iter().map(|(name, _)| name.as_str())
    }

    /// Returns a variant: the same dialogue with some statements replaced.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`].
    pub fn variant(&self, name: &str) -> Result<Dialogue, Error> {
        match Plan::clone(self.plan()).varied(&self.name, name) {
            Some(plan) => Dialogue::new(Arc::new(plan), &self.name, Some(name)),
            None => Err(Error::unknown("variant", name, self.variants())),
        }
    }

    /// Draws the script with this index: its turns, drawn one by one as if every response satisfied
    /// everything. A script may be endless: `take` as many turns as you need.
    pub fn script(&self, seed: u64, index: u64) -> Script {
        Script { cell: self.owned_script(seed, index) }
    }

    pub(super) fn owned_script(&self, seed: u64, index: u64) -> OwnedScript {
        let drawer = Arc::clone(&self.drawer);
        OwnedScript::new(drawer, |drawer| draw(drawer, seed, index))
    }

    /// Draws the dialogue with this index, with its turns by number: messages, grades, witnesses.
    pub fn draw(&self, seed: u64, index: u64) -> DrawnDialogue {
        DrawnDialogue::new(self, seed, index)
    }

    /// Starts a session for the dialogue with this index: the session gives the messages to send,
    /// and the program returns the responses.
    pub fn session(&self, seed: u64, index: u64) -> Session {
        Session::new(self, seed, index)
    }

    /// Runs the dialogue with a model: a name such as `openai/gpt-4o`, or a model of your own.
    #[cfg(feature = "run")]
    pub fn run(&self, model: impl Into<super::ModelHandle>) -> super::Run {
        super::Run::new(self.clone(), model.into())
    }
}

fn draw(drawer: &Arc<OwnedDrawer>, seed: u64, index: u64) -> InnerScript<'_> {
    drawer.borrow_dependent().script(Seed(seed), index)
}

impl std::fmt::Debug for Dialogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialogue")
            .field("name", &self.name)
            .field("variant", &self.variant)
            .finish_non_exhaustive()
    }
}

/// The turns of one drawn dialogue.
pub struct Script {
    cell: OwnedScript,
}

impl Iterator for Script {
    type Item = Result<Turn, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let turn = self.cell.with_dependent_mut(|_, script| script.next())?;
        Some(turn.map(|turn| Turn::from(&turn)).map_err(Error::from))
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}
