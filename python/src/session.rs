//! Dialogues that the program runs itself, turn by turn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ifs::{TurnGrade, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::benchmark::Benchmark;
use crate::dialogue::Turn;
use crate::error::{OrRaise, usage};
use crate::grade::Grade;
use crate::values::of_messages;

/// A dialogue in progress: `next` gives the messages, `answer` takes the response.
#[pyclass(frozen, subclass, module = "ifs")]
pub(crate) struct Session {
    #[pyo3(get)]
    benchmark: Py<Benchmark>,
    state: Mutex<State>,
}

struct State {
    seed: u64,
    index: u64,
    session: Option<ifs::Session>,
    ask: Option<ifs::Ask>,
    /// The responses so far, from which a copy in another process continues.
    responses: Vec<String>,
}

impl Session {
    pub(crate) fn new(benchmark: Py<Benchmark>, seed: u64, index: u64) -> Session {
        let session = Some(benchmark.get().dialogue.session(seed, index));
        let state = State { seed, index, session, ask: None, responses: Vec::new() };
        Session { benchmark, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State, &mut ifs::Session) -> Result<T, ifs::Error> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| {
            let mut state = self.state();
            let state = &mut *state;
            let mut session = state.session.take()?;
            let done = work(state, &mut session);
            state.session = Some(session);
            Some(done)
        });
        match done {
            Some(done) => done.or_raise(py),
            None => Err(usage(py, "the session is finished: call `reset`")),
        }
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (benchmark, seed=1, index=0))]
    fn start(benchmark: Py<Benchmark>, seed: u64, index: u64) -> Session {
        Session::new(benchmark, seed, index)
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.state().seed
    }

    #[getter]
    fn index(&self) -> u64 {
        self.state().index
    }

    /// The responses so far.
    #[getter]
    fn responses(&self) -> Vec<String> {
        self.state().responses.clone()
    }

    /// Begins a dialogue again, or another one, and returns its first messages.
    #[pyo3(signature = (seed=None, index=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
        index: Option<u64>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        {
            let mut state = self.state();
            state.seed = seed.unwrap_or(state.seed);
            state.index = index.unwrap_or(state.index);
            state.session = Some(self.benchmark.get().dialogue.session(state.seed, state.index));
            state.ask = None;
            state.responses.clear();
        }
        self.next(py)
    }

    /// The messages to send; None when the dialogue is over.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let ask = self.with(py, |state, session| {
            let ask = session.next()?;
            let messages = ask.as_ref().map(|ask| ask.messages.clone());
            state.ask = ask;
            Ok(messages)
        })?;
        ask.map(|messages| of_messages(py, &messages)).transpose()
    }

    /// The turn of the last messages.
    #[getter]
    fn turn(&self) -> Option<Turn> {
        self.state().ask.as_ref().map(|ask| Turn { turn: ask.turn.clone() })
    }

    /// The round of feedback of the last messages; 0 for the first response.
    #[getter]
    fn round(&self) -> u32 {
        self.state().ask.as_ref().map_or(0, |ask| ask.round)
    }

    /// The grade that a response to the last messages would get. It is not accepted: several
    /// candidates can be graded before one of them is the answer.
    fn grade(&self, py: Python<'_>, text: &str) -> PyResult<Grade> {
        let verdicts = self.with(py, |_, session| session.verdicts(text))?;
        Ok(graded(verdicts))
    }

    /// Accepts a response to the last messages, and returns its grade.
    fn answer(&self, py: Python<'_>, text: String) -> PyResult<Grade> {
        let verdicts = self.with(py, |state, session| {
            let verdicts = session.answer(text.as_str())?;
            state.responses.push(text);
            Ok(verdicts)
        })?;
        Ok(graded(verdicts))
    }

    /// The questions about the last response that need a judge: pairs of a key and a text.
    fn questions(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let questions = self.with(py, |_, session| session.questions())?;
        Ok(questions.into_iter().map(|question| (question.key, question.text)).collect())
    }

    /// Answers a question about the last response, and returns the grade with it.
    #[pyo3(signature = (key, held, why=None))]
    fn judge(&self, py: Python<'_>, key: &str, held: bool, why: Option<&str>) -> PyResult<Grade> {
        let verdicts = self.with(py, |_, session| session.judge(key, held, why))?;
        Ok(graded(verdicts))
    }

    /// Ends the dialogue and returns its transcript as a line of JSON.
    fn _finish(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.state().session.take();
        match session {
            Some(session) => Ok(py.detach(|| session.finish().to_json())),
            None => Err(usage(py, "the session is finished: call `reset`")),
        }
    }

    fn __repr__(&self) -> String {
        let state = self.state();
        let (seed, index) = (state.seed, state.index);
        format!("<Session seed={seed} index={index} responses={}>", state.responses.len())
    }
}

fn graded(verdicts: Vec<Verdict>) -> Grade {
    Grade::of_turn(&TurnGrade::from_verdicts(verdicts))
}
