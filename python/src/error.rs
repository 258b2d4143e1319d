//! Errors of the library as exceptions of `ifs._errors`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

/// The module with the exceptions, which is plain Python: its classes are documented and typed there.
const ERRORS_MODULE: &str = "ifs._errors";

/// Makes an exception of an error.
pub(crate) fn raise(py: Python<'_>, error: &ifs::Error) -> PyErr {
    match exception(py, error) {
        Ok(exception) => exception,
        // An exception about the exception.
        Err(other) => other,
    }
}

fn exception(py: Python<'_>, error: &ifs::Error) -> PyResult<PyErr> {
    let text = error.to_string();
    let (class, text) = match error {
        ifs::Error::Scenario { problems, rendered, .. } => {
            let list = PyList::empty(py);
            for problem in problems {
                list.append(problem_of(py, problem)?)?;
            }
            let made = class(py, "ScenarioError")?.call1((rendered.trim_end(), list))?;
            return Ok(PyErr::from_value(made));
        }
        ifs::Error::NoScenario { .. } => ("NoScenarioError", text),
        ifs::Error::Unknown { .. } => ("UnknownNameError", text),
        ifs::Error::Draw { .. } => ("DrawError", text),
        ifs::Error::Row { code, .. } => {
            let made = class(py, "RowError")?.call1((text, code))?;
            return Ok(PyErr::from_value(made));
        }
        ifs::Error::Usage { .. } => ("UsageError", text),
        ifs::Error::Request { .. } => ("RequestError", text),
        ifs::Error::Folder { .. } => ("FolderError", text),
        _ => ("MachineError", text),
    };
    Ok(PyErr::from_value(self::class(py, class)?.call1((text,))?))
}

pub(crate) fn usage(py: Python<'_>, message: &str) -> PyErr {
    match class(py, "UsageError").and_then(|class| class.call1((message,))) {
        Ok(made) => PyErr::from_value(made),
        Err(other) => other,
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static ERROR_CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module =
        ERROR_CLASSES.get_or_try_init(py, || py.import(ERRORS_MODULE).map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

/// A diagnostic as `ifs.Problem`.
pub(crate) fn problem_of<'py>(
    py: Python<'py>,
    problem: &ifs::Problem,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("is_error", problem.is_error)?;
    fields.set_item("code", &problem.code)?;
    fields.set_item("message", &problem.message)?;
    fields.set_item("help", problem.help.as_deref())?;
    let place = problem.place.as_ref();
    fields.set_item("file", place.map(|(file, ..)| file))?;
    fields.set_item("line", place.map(|(_, line, _)| line))?;
    fields.set_item("column", place.map(|(.., column)| column))?;
    class(py, "Problem")?.call((), Some(&fields))
}

/// The result of the library, or its error as an exception.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, ifs::Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, &error))
    }
}
