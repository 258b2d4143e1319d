//! Grades, and grading of rows.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use ifs::{Grader, Outcome, TurnGrade};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::benchmark::Benchmark;
use crate::error::OrRaise;
use crate::rows;
use crate::values::Reduced;

/// The verdict on one constraint.
#[pyclass(frozen, module = "ifs", from_py_object)]
#[derive(Clone)]
pub(crate) struct Verdict {
    name: Arc<str>,
    group: Option<Arc<str>>,
    /// Whether it holds; None if it does not apply or needs a judge.
    #[pyo3(get)]
    held: Option<bool>,
    /// Whether it holds by the loose reading.
    #[pyo3(get)]
    loose: Option<bool>,
    /// Why it failed.
    #[pyo3(get)]
    why: Option<String>,
    /// Whether the verdict comes, or has to come, from a judge.
    #[pyo3(get)]
    by_judge: bool,
    /// Its weight in weighted scores; None if the scenario declares none.
    #[pyo3(get)]
    weight: Option<f64>,
    speaker: Cow<'static, str>,
}

#[pymethods]
impl Verdict {
    #[new]
    #[pyo3(signature = (
        name, group=None, held=None, loose=None, why=None, by_judge=false, weight=None, speaker="user"
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        name: &str,
        group: Option<&str>,
        held: Option<bool>,
        loose: Option<bool>,
        why: Option<String>,
        by_judge: bool,
        weight: Option<f64>,
        speaker: &str,
    ) -> Verdict {
        let (name, group) = (name.into(), group.map(Into::into));
        let speaker = Cow::Owned(speaker.to_owned());
        Verdict { name, group, held, loose, why, by_judge, weight, speaker }
    }

    /// Who states the constraint: `system`, `user` or `tool`.
    #[getter]
    fn speaker(&self) -> &str {
        &self.speaker
    }

    /// The name of the constraint, or the key of a criterion.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The name of the constraint's group; None for a criterion.
    #[getter]
    fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, VerdictArgs> {
        let args = (
            self.name.to_string(),
            self.group.as_deref().map(str::to_owned),
            self.held,
            self.loose,
            self.why.clone(),
            self.by_judge,
            self.weight,
            self.speaker.to_string(),
        );
        Ok((py.get_type::<Verdict>().into_any(), args))
    }

    fn __repr__(&self) -> String {
        let held = match self.held {
            Some(true) => "held",
            Some(false) => "missed",
            None if self.by_judge => "needs a judge",
            None => "does not apply",
        };
        match &self.why {
            Some(why) => format!("<{}: {held}: {why}>", self.name),
            None => format!("<{}: {held}>", self.name),
        }
    }
}

type VerdictArgs =
    (String, Option<String>, Option<bool>, Option<bool>, Option<String>, bool, Option<f64>, String);

/// The grade of a response.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Grade {
    /// The share of constraints that hold, from 0 to 1, of those that a rule decides; None if there
    /// is none, or if the row cannot be graded.
    #[pyo3(get)]
    reward: Option<f64>,
    /// Whether everything holds; None if that needs a judge, or if the row cannot be graded.
    #[pyo3(get)]
    strict: Option<bool>,
    /// The same by the loose reading.
    #[pyo3(get)]
    loose: Option<bool>,
    constraints: Vec<Verdict>,
    /// Why the row cannot be graded. Such a row is neither a pass nor a miss.
    #[pyo3(get)]
    error: Option<String>,
}

#[pymethods]
impl Grade {
    #[new]
    #[pyo3(signature = (reward=None, strict=None, loose=None, constraints=Vec::new(), error=None))]
    fn new(
        reward: Option<f64>,
        strict: Option<bool>,
        loose: Option<bool>,
        constraints: Vec<Verdict>,
        error: Option<String>,
    ) -> Grade {
        Grade { reward, strict, loose, constraints, error }
    }

    /// The verdicts on the constraints.
    #[getter]
    fn constraints(&self) -> Vec<Verdict> {
        self.constraints.clone()
    }

    /// The names of the constraints that were missed.
    #[getter]
    fn missed(&self) -> Vec<&str> {
        let missed = self.constraints.iter().filter(|one| one.held == Some(false));
        missed.map(|one| &*one.name).collect()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Bound<'py, PyTuple>> {
        let args = (self.reward, self.strict, self.loose, self.constraints.clone());
        let args = (args.0, args.1, args.2, args.3, self.error.clone()).into_pyobject(py)?;
        Ok((py.get_type::<Grade>().into_any(), args))
    }

    fn __repr__(&self) -> String {
        if let Some(error) = &self.error {
            return format!("<Grade error={error:?}>");
        }
        let reward = self.reward.map_or("None".to_owned(), |reward| format!("{reward:.2}"));
        let strict = match self.strict {
            Some(true) => "True",
            Some(false) => "False",
            None => "None",
        };
        format!("<Grade reward={reward} strict={strict} missed=[{}]>", self.missed().join(", "))
    }
}

impl Grade {
    pub(crate) fn of_turn(grade: &TurnGrade) -> Grade {
        let verdicts = grade.verdicts.iter().zip(&grade.lenient);
        Grade {
            reward: grade.share(),
            strict: grade.strict,
            loose: grade.loose,
            constraints: verdicts.map(|(one, loose)| verdict(one, *loose)).collect(),
            error: None,
        }
    }

    pub(crate) fn of_row(grade: Result<ifs::Grade, ifs::Error>) -> Grade {
        let grade = match grade {
            Ok(grade) => grade,
            Err(error) => return Grade::failed(error.to_string()),
        };
        Grade {
            reward: grade.share(),
            strict: grade.strict,
            loose: grade.loose,
            constraints: grade
                .constraints
                .into_iter()
                .map(|one| Verdict {
                    name: one.name,
                    group: Some(one.group),
                    held: one.strict,
                    loose: one.loose,
                    why: one.why,
                    by_judge: one.unjudged,
                    weight: None,
                    speaker: Cow::Borrowed("user"),
                })
                .collect(),
            error: None,
        }
    }

    /// The grade of something that cannot be graded: no reward, instead of a reward of 0.
    pub(crate) fn failed(error: String) -> Grade {
        Grade {
            reward: None,
            strict: None,
            loose: None,
            constraints: Vec::new(),
            error: Some(error),
        }
    }
}

fn verdict(one: &ifs::Verdict, loose: Option<bool>) -> Verdict {
    Verdict {
        name: one.key.as_str().into(),
        group: one.group.as_deref().map(Into::into),
        held: match one.outcome {
            Outcome::Unjudged => None,
            outcome => Some(outcome == Outcome::Held),
        },
        loose,
        why: one.why.clone(),
        by_judge: one.by_judge || one.outcome == Outcome::Unjudged,
        weight: one.weight,
        speaker: Cow::Borrowed(one.speaker),
    }
}

/// How rows are graded.
pub(crate) struct Settings {
    pub threads: usize,
    pub brief: bool,
    pub loose: bool,
    pub raw_text: bool,
}

/// The number of threads: one, unless another number is given.
pub(crate) fn threads(given: Option<usize>) -> usize {
    match given {
        None => 1,
        Some(0) => std::thread::available_parallelism().map_or(1, usize::from),
        Some(threads) => threads,
    }
}

/// Rows that are converted and graded at once, so that any number of them fits into memory twice.
const CHUNK_ROWS: usize = 1 << 16;

impl Settings {
    /// The grader with these settings.
    pub(crate) fn apply(&self, grader: &Grader) -> Grader {
        grader.clone().brief(self.brief).loose(self.loose).raw_text(self.raw_text)
    }
}

/// Grades rows with a grader, without the GIL.
pub(crate) fn grade_with(
    grader: &Grader,
    given: &Bound<'_, PyAny>,
    settings: &Settings,
) -> PyResult<Vec<Grade>> {
    let py = given.py();
    let grader = settings.apply(grader);
    let mut grades = Vec::with_capacity(given.len().unwrap_or(0));
    let mut left = PyIterator::from_object(given)?;
    loop {
        let mut lines = Vec::new();
        for row in left.by_ref().take(CHUNK_ROWS) {
            lines.push(rows::row(&row?)?);
        }
        if lines.is_empty() {
            return Ok(grades);
        }
        let part = py.detach(|| grader.rows(&lines, settings.threads)).or_raise(py)?;
        grades.extend(part.into_iter().map(Grade::of_row));
    }
}

/// The grader of the library's constraints, or of a scenario's own as well.
pub(crate) fn grader(benchmark: Option<&Benchmark>) -> &Grader {
    static LIBRARY: OnceLock<Grader> = OnceLock::new();
    match benchmark {
        Some(benchmark) => benchmark.grader(),
        None => LIBRARY.get_or_init(Grader::library),
    }
}

/// Grades rows that name constraints of the library, or of a scenario.
#[pyfunction]
#[pyo3(signature = (rows, *, benchmark=None, num_threads=None, brief=false, loose=true, raw_text=false))]
pub(crate) fn grade(
    rows: &Bound<'_, PyAny>,
    benchmark: Option<&Bound<'_, Benchmark>>,
    num_threads: Option<usize>,
    brief: bool,
    loose: bool,
    raw_text: bool,
) -> PyResult<Vec<Grade>> {
    let settings = Settings { threads: threads(num_threads), brief, loose, raw_text };
    grade_with(grader(benchmark.map(Bound::get)), rows, &settings)
}
