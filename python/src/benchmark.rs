//! Compiled scenarios.

use ifs::{DrawnDialogue, Grader, MemoryWorld};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use std::sync::OnceLock;

use crate::dialogue::Dialogue;
use crate::error::{OrRaise, problem_of, usage};
use crate::grade::{Grade, threads};
use crate::run::{Finished, Runnable};
use crate::values::Reduced;

/// A compiled scenario, with the dialogue and the variant that are drawn.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Benchmark {
    benchmark: ifs::Benchmark,
    pub(crate) dialogue: ifs::Dialogue,
    hash: String,
    /// How a process finds it again: the arguments of `ifs._pickle.benchmark`, except the hash.
    origin: Py<PyAny>,
    grader: OnceLock<Grader>,
}

/// The selection to draw: the names of a dialogue, a variant and a split.
type Which<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// Compiles the scenario at a path.
#[pyfunction]
pub(crate) fn open(
    py: Python<'_>,
    path: std::path::PathBuf,
    which: Which<'_>,
    origin: Py<PyAny>,
) -> PyResult<Benchmark> {
    Benchmark::compile(py, which, origin, || ifs::Benchmark::open(path))
}

/// Compiles a scenario from texts by the names of their files.
#[pyfunction]
pub(crate) fn of_sources(
    py: Python<'_>,
    files: Vec<(String, String)>,
    name: &str,
    which: Which<'_>,
    origin: Py<PyAny>,
) -> PyResult<Benchmark> {
    Benchmark::compile(py, which, origin, || {
        let each = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        ifs::Benchmark::check(&MemoryWorld::new(each), name)
    })
}

impl Benchmark {
    fn compile(
        py: Python<'_>,
        (dialogue, variant, split): Which<'_>,
        origin: Py<PyAny>,
        compile: impl FnOnce() -> Result<ifs::Benchmark, ifs::Error> + Send,
    ) -> PyResult<Benchmark> {
        let (benchmark, dialogue) = py
            .detach(|| {
                let benchmark = compile()?;
                let dialogue = benchmark.select(dialogue, variant, split)?;
                Ok((benchmark, dialogue))
            })
            .or_raise(py)?;
        let hash = benchmark.definition_hash();
        Ok(Benchmark { benchmark, dialogue, hash, origin, grader: OnceLock::new() })
    }

    /// The grader of the scenario's constraints and the library's.
    pub(crate) fn grader(&self) -> &Grader {
        self.grader.get_or_init(|| self.benchmark.grader())
    }
}

#[pymethods]
impl Benchmark {
    /// The benchmark's name; empty if the scenario has none.
    #[getter]
    fn name(&self) -> &str {
        self.benchmark.name()
    }

    /// The version of the benchmark; empty if the scenario has none.
    #[getter]
    fn version(&self) -> &str {
        self.benchmark.version()
    }

    /// The hash of the definition: it changes only if the meaning of the scenario changes.
    #[getter]
    pub(crate) fn definition_hash(&self) -> &str {
        &self.hash
    }

    /// The name of the dialogue that is drawn.
    #[getter]
    fn dialogue(&self) -> &str {
        self.dialogue.name()
    }

    /// The name of the variant that is drawn.
    #[getter]
    fn variant(&self) -> Option<&str> {
        self.dialogue.variant_name()
    }

    /// The names of all dialogues.
    #[getter]
    fn dialogues(&self) -> Vec<&str> {
        self.benchmark.dialogues().collect()
    }

    /// The names of the dialogue's variants.
    #[getter]
    fn variants(&self) -> Vec<&str> {
        self.dialogue.variants().collect()
    }

    /// The names of the scenario's splits.
    #[getter]
    fn splits(&self) -> Vec<&str> {
        self.benchmark.splits().collect()
    }

    /// The names of the constraints, each with its group.
    #[getter]
    fn constraints(&self) -> Vec<(&str, &str)> {
        self.benchmark.constraints().collect()
    }

    /// The warnings of the compiler.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for problem in self.benchmark.warnings() {
            list.append(problem_of(py, problem)?)?;
        }
        Ok(list)
    }

    /// Draws the dialogue with this index.
    #[pyo3(signature = (seed=1, index=0))]
    fn draw(this: Py<Self>, seed: u64, index: u64) -> Dialogue {
        let drawn: DrawnDialogue = this.get().dialogue.draw(seed, index);
        Dialogue::new(this, drawn)
    }

    /// Grades responses to turns: tuples of a dialogue, a turn and a response, and optionally the
    /// responses to earlier turns. What cannot be graded has an error instead of a reward.
    #[pyo3(signature = (items, *, num_threads=None))]
    fn grade_batch(
        &self,
        items: &Bound<'_, PyAny>,
        num_threads: Option<usize>,
    ) -> PyResult<Vec<Grade>> {
        let py = items.py();
        let mut given = Vec::with_capacity(items.len().unwrap_or(0));
        for item in PyIterator::from_object(items)? {
            let item = item?;
            let count = item.len()?;
            if !(3..=4).contains(&count) {
                return Err(usage(
                    py,
                    "an item of `grade_batch` is (dialogue, turn, text) or (dialogue, turn, text, \
                     responses)",
                ));
            }
            let dialogue = item.get_item(0)?.cast_into::<Dialogue>()?;
            let drawn = dialogue.get().drawn.clone();
            let turn: u32 = item.get_item(1)?.extract()?;
            // A missing response of an endpoint is not a response of the model.
            let text: Option<String> = item.get_item(2)?.extract()?;
            let responses: Vec<String> = match count {
                4 => item.get_item(3)?.extract()?,
                _ => Vec::new(),
            };
            given.push((drawn, turn, text, responses));
        }
        let graded = py.detach(|| {
            ifs::in_order_of(&given, threads(num_threads), |(drawn, turn, text, responses)| {
                match text {
                    None => Err(NO_RESPONSE.to_owned()),
                    Some(text) => {
                        drawn.grade(*turn, text, responses).map_err(|error| error.to_string())
                    }
                }
            })
        });
        let graded = graded.or_raise(py)?;
        let each = graded.into_iter().map(|grade| match grade {
            Ok(grade) => Grade::of_turn(&grade),
            Err(error) => Grade::failed(error),
        });
        Ok(each.collect())
    }

    /// Grades rows that name constraints of this scenario or of the library, as `ifs.grade` does.
    #[pyo3(signature = (rows, **options))]
    fn grade<'py>(
        this: &Bound<'py, Self>,
        rows: &Bound<'py, PyAny>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let options = options.unwrap_or_else(|| PyDict::new(py));
        options.set_item("benchmark", this)?;
        py.import("ifs._ifs")?.getattr("grade")?.call((rows,), Some(&options))
    }

    /// Runs dialogues with a model. `ifs.run` and `ifs.run_async` are for programs.
    fn _run(&self, py: Python<'_>, settings: &Bound<'_, PyAny>) -> PyResult<Finished> {
        let run = Runnable::read(settings)?;
        run.start(py, |model| Ok(self.dialogue.run(model)))
    }

    fn __repr__(&self) -> String {
        let variant = self.variant().map(|name| format!(" variant={name}")).unwrap_or_default();
        format!("<Benchmark {} dialogue={}{variant}>", self.name(), self.dialogue())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, Py<PyAny>)> {
        let load = py.import("ifs._pickle")?.getattr("benchmark")?;
        Ok((load, (self.definition_hash(), self.origin.clone_ref(py))))
    }
}

const NO_RESPONSE: &str = "there is no response to grade";
