//! Runs with a model of the program's own: a Python function that is called on its event loop.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_channel::oneshot;
use ifs::{Model, ModelError, ModelHandle, Progress, Request, Respond, Response, Run};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::OrRaise;
use crate::values::of_messages;

/// The settings of a run, as `ifs._run` gives them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Runnable {
    model: Py<PyAny>,
    judges: Vec<Py<PyAny>>,
    folder: Option<PathBuf>,
    dialogues: Option<u64>,
    samples: Option<u32>,
    seed: Option<u64>,
    max_turns: Option<u32>,
    concurrency: usize,
    retries: u32,
    retry_wait: f64,
    system: Option<String>,
    temperature: Option<f64>,
    max_tokens: Option<u64>,
    budget_responses: Option<u64>,
    budget_tokens: Option<u64>,
    budget_dollars: Option<String>,
    progress: Option<Py<PyAny>>,
    stop: Py<Stop>,
}

/// Stops a run between requests.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Stop {
    stop: ifs::Stop,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Stop {
        Stop::default()
    }

    /// Lets the requests in flight finish, and sends no further one.
    fn stop(&self) {
        self.stop.stop();
    }
}

impl Runnable {
    pub(crate) fn read(settings: &Bound<'_, PyAny>) -> PyResult<Runnable> {
        settings.extract()
    }

    /// Starts the run and blocks until it ends, without the GIL.
    pub(crate) fn start(
        self,
        py: Python<'_>,
        begin: impl FnOnce(ModelHandle) -> Result<Run, ifs::Error> + Send,
    ) -> PyResult<Finished> {
        let model = handle(self.model.bind(py))?;
        let mut judges = Vec::new();
        for judge in &self.judges {
            judges.push(handle(judge.bind(py))?);
        }
        let progress = self.progress.as_ref().map(|progress| progress.clone_ref(py));
        let failed: Mutex<Option<PyErr>> = Mutex::new(None);
        let finished = py.detach(|| {
            let mut run = begin(model)?;
            for judge in judges {
                run = run.judge(judge);
            }
            self.settle(run)?.start_with(|step| {
                if let Some(progress) = &progress {
                    let called = Python::attach(|py| progress.call1(py, shown(step)).map(drop));
                    if let Err(error) = called {
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.get_or_insert(error);
                    }
                }
            })
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        Ok(Finished { finished: finished.or_raise(py)? })
    }

    fn settle(&self, mut run: Run) -> Result<Run, ifs::Error> {
        if let Some(folder) = &self.folder {
            run = run.folder(folder);
        }
        if let Some(count) = self.dialogues {
            run = run.dialogues(count);
        }
        if let Some(samples) = self.samples {
            run = run.samples(samples);
        }
        if let Some(seed) = self.seed {
            run = run.seed(seed);
        }
        if let Some(turns) = self.max_turns {
            run = run.max_turns(turns);
        }
        if let Some(system) = &self.system {
            run = run.system(system);
        }
        if let Some(temperature) = self.temperature {
            run = run.temperature(temperature);
        }
        if let Some(tokens) = self.max_tokens {
            run = run.max_tokens(tokens);
        }
        if let Some(responses) = self.budget_responses {
            run = run.budget_responses(responses);
        }
        if let Some(tokens) = self.budget_tokens {
            run = run.budget_tokens(tokens);
        }
        if let Some(dollars) = &self.budget_dollars {
            run = run.budget_dollars(dollars)?;
        }
        // A negative wait, or one without end, is none.
        let wait = Duration::try_from_secs_f64(self.retry_wait).unwrap_or_default();
        let run = run.stop(&self.stop.get().stop);
        Ok(run.concurrency(self.concurrency).retries(self.retries, wait))
    }
}

/// Resumes the run in a folder.
#[pyfunction]
pub(crate) fn resume(
    py: Python<'_>,
    folder: PathBuf,
    settings: &Bound<'_, PyAny>,
) -> PyResult<Finished> {
    let own = Runnable::read(settings)?;
    own.start(py, |model| Ok(Run::resume(folder).model(model)))
}

fn shown(step: &Progress) -> (usize, usize, u64) {
    (step.done, step.of, step.responses)
}

/// A name, or an adapter of `ifs._run` for a function.
fn handle(model: &Bound<'_, PyAny>) -> PyResult<ModelHandle> {
    if let Ok(name) = model.extract::<String>() {
        return Ok(ModelHandle::named(name));
    }
    let name = model.getattr("name")?.extract::<String>()?;
    let submit = model.getattr("submit")?.unbind();
    Ok(ModelHandle::own(Own { name, submit }))
}

/// A function of the program, as a model. `submit(messages, sample, at, reply)` starts the function
/// and returns at once; `reply` is called with what it returned.
struct Own {
    name: String,
    submit: Py<PyAny>,
}

impl Model for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn respond<'a>(&'a self, request: &'a Request) -> Respond<'a> {
        Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            let started = Python::attach(|py| {
                let reply = Py::new(py, Reply { sender: Arc::new(Mutex::new(Some(sender))) })?;
                let messages = of_messages(py, &request.messages)?;
                self.submit.call1(py, (messages, request.sample, &request.at, reply)).map(drop)
            });
            if let Err(error) = started {
                return Err(ModelError::permanent(error.to_string()));
            }
            receiver.await.unwrap_or_else(|_| {
                Err(ModelError::permanent("the function gave no response".to_owned()))
            })
        })
    }
}

type Sender = oneshot::Sender<Result<Response, ModelError>>;

/// What a request waits for.
#[pyclass(frozen)]
struct Reply {
    sender: Arc<Mutex<Option<Sender>>>,
}

#[pymethods]
impl Reply {
    /// Gives the response, or the error with its kind.
    #[pyo3(signature = (kind, text, input_tokens=None, output_tokens=None))]
    fn __call__(
        &self,
        kind: &str,
        text: String,
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
    ) {
        let result = match kind {
            "text" => {
                let mut response = Response::from(text);
                (response.input_tokens, response.output_tokens) = (input_tokens, output_tokens);
                Ok(response)
            }
            "transient" => Err(ModelError::transient(text)),
            "overloaded" => Err(ModelError::overloaded(text)),
            "refused" => Err(ModelError::refused(text)),
            _ => Err(ModelError::permanent(text)),
        };
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // The run may have ended meanwhile.
            let _ = sender.send(result);
        }
    }
}

/// The outcome of a run.
#[pyclass(frozen, module = "ifs")]
pub(crate) struct Finished {
    finished: ifs::Finished,
}

#[pymethods]
impl Finished {
    /// The folder of the run, which `ifs report` and `ifs score` read.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.finished.folder().to_owned()
    }

    /// The metrics by name.
    #[getter]
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metrics = PyDict::new(py);
        for (name, value) in self.finished.scorecard().metrics() {
            metrics.set_item(name, value)?;
        }
        Ok(metrics)
    }

    /// Whether every dialogue ran to its end.
    #[getter]
    fn is_complete(&self) -> bool {
        self.finished.is_complete()
    }

    /// How many dialogues are incomplete because a request failed: never a miss of the model.
    #[getter]
    fn incomplete(&self) -> u64 {
        self.finished.incomplete()
    }

    /// Why the run stopped early; None if it did not.
    #[getter]
    fn stopped(&self) -> Option<&str> {
        self.finished.stopped()
    }

    /// The hash of the definition.
    #[getter]
    fn definition_hash(&self) -> &str {
        self.finished.definition_hash()
    }

    /// The scores with their details, as JSON.
    fn to_json(&self) -> String {
        self.finished.scorecard().to_json()
    }

    fn __repr__(&self) -> String {
        let folder = self.finished.folder().display();
        format!("<Finished {folder} complete={}>", self.finished.is_complete())
    }
}
