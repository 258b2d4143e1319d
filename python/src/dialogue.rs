//! Drawn dialogues.

use std::sync::Arc;

use ifs::{DrawnDialogue, Witness};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::benchmark::Benchmark;
use crate::error::OrRaise;
use crate::grade::Grade;
use crate::values::{Reduced, of_json, of_messages};

/// A dialogue that is drawn from a seed, as if every response satisfied everything.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Dialogue {
    pub(crate) drawn: Arc<DrawnDialogue>,
    #[pyo3(get)]
    benchmark: Py<Benchmark>,
}

impl Dialogue {
    pub(crate) fn new(benchmark: Py<Benchmark>, drawn: DrawnDialogue) -> Dialogue {
        Dialogue { drawn: Arc::new(drawn), benchmark }
    }
}

#[pymethods]
impl Dialogue {
    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.drawn.seed()
    }

    /// The index.
    #[getter]
    fn index(&self) -> u64 {
        self.drawn.index()
    }

    /// A turn by its number, from 1; None after the last one.
    fn turn(&self, py: Python<'_>, turn: u32) -> PyResult<Option<Turn>> {
        let found = py.detach(|| self.drawn.turn(turn)).or_raise(py)?;
        Ok(found.map(|turn| Turn { turn }))
    }

    /// The messages to send on a turn, after these responses to the turns before it.
    #[pyo3(signature = (turn, responses=Vec::new()))]
    fn messages<'py>(
        &self,
        py: Python<'py>,
        turn: u32,
        responses: Vec<String>,
    ) -> PyResult<Bound<'py, PyList>> {
        let messages = py.detach(|| self.drawn.messages(turn, &responses)).or_raise(py)?;
        of_messages(py, &messages)
    }

    /// Grades a response to a turn by rule.
    #[pyo3(signature = (turn, text, responses=Vec::new()))]
    fn grade(
        &self,
        py: Python<'_>,
        turn: u32,
        text: &str,
        responses: Vec<String>,
    ) -> PyResult<Grade> {
        let grade = py.detach(|| self.drawn.grade(turn, text, &responses)).or_raise(py)?;
        Ok(Grade::of_turn(&grade))
    }

    /// A text that satisfies every rule of a turn; None if none is active, or none was found.
    #[pyo3(signature = (turn, responses=Vec::new()))]
    fn witness(
        &self,
        py: Python<'_>,
        turn: u32,
        responses: Vec<String>,
    ) -> PyResult<Option<String>> {
        let found = py.detach(|| self.drawn.witness(turn, &responses)).or_raise(py)?;
        Ok(match found {
            Witness::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The turns, one by one; a dialogue may be endless.
    fn __iter__(this: Py<Self>) -> Turns {
        Turns { dialogue: this, next: 1 }
    }

    fn __repr__(&self) -> String {
        let Dialogue { drawn, .. } = self;
        let name = drawn.dialogue().name();
        format!("<Dialogue {name} seed={} index={}>", drawn.seed(), drawn.index())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Py<Benchmark>, u64, u64)> {
        let load = py.import("ifs._pickle")?.getattr("dialogue")?;
        Ok((load, (self.benchmark.clone_ref(py), self.seed(), self.index())))
    }
}

/// The turns of a dialogue.
#[pyclass]
pub(crate) struct Turns {
    dialogue: Py<Dialogue>,
    next: u32,
}

#[pymethods]
impl Turns {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Turn>> {
        let turn = self.dialogue.get().turn(py, self.next)?;
        self.next += u32::from(turn.is_some());
        Ok(turn)
    }
}

/// A turn of a drawn dialogue.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Turn {
    pub(crate) turn: ifs::Turn,
}

#[pymethods]
impl Turn {
    /// The number, from 1.
    #[getter]
    fn number(&self) -> u32 {
        self.turn.number
    }

    /// The name of a written turn; otherwise empty.
    #[getter]
    fn name(&self) -> &str {
        &self.turn.name
    }

    /// The key of the topic's record; empty without a topic.
    #[getter]
    fn topic(&self) -> &str {
        &self.turn.topic
    }

    /// The move of the flow: new, stay or backtrack.
    #[getter]
    fn transition(&self) -> &str {
        &self.turn.transition
    }

    /// The system message of the dialogue, on the first turn.
    #[getter]
    fn system(&self) -> Option<&str> {
        self.turn.system.as_deref()
    }

    /// The user message.
    #[getter]
    fn ask(&self) -> &str {
        &self.turn.ask
    }

    /// The golden answer, if the scenario gives one.
    #[getter]
    fn golden(&self) -> Option<&str> {
        self.turn.golden.as_deref()
    }

    /// The active constraints, sorted by name.
    #[getter]
    fn constraints(&self) -> Vec<Constraint> {
        let each = self.turn.constraints.iter();
        each.map(|constraint| Constraint { constraint: constraint.clone() }).collect()
    }

    fn __repr__(&self) -> String {
        let constraints: Vec<&str> =
            self.turn.constraints.iter().map(|constraint| constraint.name.as_str()).collect();
        format!("<Turn {} {:?} {constraints:?}>", self.turn.number, self.turn.ask)
    }
}

/// A constraint that applies on a turn.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Constraint {
    constraint: ifs::ActiveConstraint,
}

#[pymethods]
impl Constraint {
    /// The name of the constraint.
    #[getter]
    fn name(&self) -> &str {
        &self.constraint.name
    }

    /// Its arguments by name.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let args = PyDict::new(py);
        for (name, value) in &self.constraint.args {
            args.set_item(name, of_json(py, value)?)?;
        }
        Ok(args)
    }

    /// The turn on which it was imposed, or last changed.
    #[getter]
    fn since(&self) -> u32 {
        self.constraint.since
    }

    fn __repr__(&self) -> String {
        let args: Vec<String> =
            self.constraint.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("<{}({})>", self.constraint.name, args.join(", "))
    }
}
