//! The native part of the Python package: handles over the library's own, `ifs`.
//!
//! Everything is drawn and graded without the GIL. The command line is compiled from the sources of
//! the binary, so that installing the package installs it, too.

#[cfg(feature = "arrow")]
mod arrow;
mod benchmark;
mod dialogue;
mod error;
mod grade;
mod rows;
mod run;
mod session;
mod values;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line with these arguments, and returns its exit status.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| ifs_cli::main(args))
}

#[pymodule]
fn _ifs(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(benchmark::open, module)?)?;
    module.add_function(wrap_pyfunction!(benchmark::of_sources, module)?)?;
    module.add_function(wrap_pyfunction!(grade::grade, module)?)?;
    module.add_function(wrap_pyfunction!(run::resume, module)?)?;
    module.add_class::<benchmark::Benchmark>()?;
    module.add_class::<dialogue::Dialogue>()?;
    module.add_class::<dialogue::Turn>()?;
    module.add_class::<dialogue::Constraint>()?;
    module.add_class::<grade::Grade>()?;
    module.add_class::<grade::Verdict>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<run::Finished>()?;
    module.add_class::<run::Stop>()?;
    #[cfg(feature = "arrow")]
    {
        module.add_class::<arrow::Table>()?;
        module.add_class::<arrow::Schema>()?;
        module.add_function(wrap_pyfunction!(arrow::graded, module)?)?;
        module.add_function(wrap_pyfunction!(arrow::drawn, module)?)?;
        module.add_function(wrap_pyfunction!(arrow::draw_table, module)?)?;
        module.add_function(wrap_pyfunction!(arrow::grade_table, module)?)?;
    }
    Ok(())
}
