//! Grading of recorded responses.

use std::sync::Arc;

use super::Error;
use ifs_base::parallel;
use ifs_judge::grade::{Catalogue, Grader as Inner, RowGrades, RowReading, share};
use ifs_model::SemanticModel;

/// Grades recorded responses, row by row. Cheap to clone.
#[derive(Clone)]
pub struct Grader {
    catalogue: Arc<Catalogue>,
    raw_text: bool,
    brief: bool,
    reading: RowReading,
}

impl Grader {
    /// Returns a grader with the constraints of the standard library alone, such as those of
    /// IFEval.
    pub fn library() -> Grader {
        Grader::with([])
    }

    pub(crate) fn with(scenarios: impl IntoIterator<Item = SemanticModel>) -> Grader {
        Grader {
            catalogue: Arc::new(Catalogue::new(scenarios)),
            raw_text: false,
            brief: false,
            reading: RowReading::Both,
        }
    }

    /// Grades responses unchanged, including a leading `<think>` block.
    #[must_use]
    pub fn raw_text(mut self, raw_text: bool) -> Grader {
        self.raw_text = raw_text;
        self
    }

    /// Leaves the reasons out, which is faster.
    #[must_use]
    pub fn brief(mut self, brief: bool) -> Grader {
        self.brief = brief;
        self
    }

    /// Whether the loose reading is graded too; it is by default.
    #[must_use]
    pub fn loose(mut self, loose: bool) -> Grader {
        self.reading = if loose { RowReading::Both } else { RowReading::Strict };
        self
    }

    /// Grades a row: a JSON object with `answer` (or `response`), and `constraint` with its `args`,
    /// or several `constraints`, or `instruction_id_list` with `kwargs` as in published data.
    ///
    /// # Errors
    /// Returns [`Error::Row`] if the row cannot be graded. Such a row is neither a pass nor a miss.
    pub fn row(&self, row: &[u8]) -> Result<Grade, Error> {
        let (_, graded) = self.inner().line(row);
        Ok(Grade::from_row(graded?))
    }

    fn inner(&self) -> Inner<'_> {
        Inner {
            catalogue: &self.catalogue,
            prompts: None,
            reading: self.reading,
            brief: self.brief,
            raw_text: self.raw_text,
        }
    }

    /// Grades rows on several threads. The grades are in the order of the rows.
    ///
    /// # Errors
    /// Returns [`Error::Infrastructure`] if no thread can be started. Rows that cannot be graded are errors
    /// in their places.
    pub fn rows<R: AsRef<[u8]> + Sync>(
        &self,
        rows: &[R],
        threads: usize,
    ) -> Result<Vec<Result<Grade, Error>>, Error> {
        in_order_of(rows, threads, |row| self.row(row.as_ref()))
    }

    /// Grades the rows of a table's batch on several threads.
    ///
    /// # Errors
    /// Returns [`Error::Infrastructure`] if no thread can be started. Rows that cannot be graded have an
    /// error in their column.
    #[cfg(feature = "arrow")]
    #[doc(hidden)]
    pub fn batches(
        &self,
        table: &ifs_judge::grade::table::TableOptions,
        batch: &arrow_array::RecordBatch,
        threads: usize,
    ) -> Result<Vec<arrow_array::RecordBatch>, Error> {
        table.grade(batch, &self.inner(), threads, |_| {}).map_err(infrastructure)
    }
}

/// Maps items on several threads. The results are in the order of the items.
///
/// # Errors
/// Returns [`Error::Infrastructure`] if no thread can be started.
pub fn in_order_of<I: Sync, O: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> O + Sync,
) -> Result<Vec<O>, Error> {
    parallel::in_order_of(items, threads, work).map_err(infrastructure)
}

fn infrastructure(error: std::io::Error) -> Error {
    Error::Infrastructure { message: error.to_string() }
}

impl std::fmt::Debug for Grader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grader").field("raw_text", &self.raw_text).finish_non_exhaustive()
    }
}

/// The grade of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grade {
    /// Whether every constraint holds. `None` if no rule is violated and the rest needs a judge.
    pub strict: Option<bool>,
    /// The same for lenient readings: without the first or last line, or without asterisks.
    pub loose: Option<bool>,
    /// The grades of the constraints.
    pub constraints: Vec<ConstraintGrade>,
}

/// The grade of one constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstraintGrade {
    /// The name of the constraint.
    pub name: Arc<str>,
    /// The name of its group.
    pub group: Arc<str>,
    /// Whether the constraint holds. `None` if it does not apply on this turn, or needs a judge.
    pub strict: Option<bool>,
    /// The same for lenient readings: without the first or last line, or without asterisks.
    pub loose: Option<bool>,
    /// Whether the constraint needs a judge, so that it neither holds nor fails here.
    pub unjudged: bool,
    /// Why the constraint failed.
    pub why: Option<String>,
}

impl Grade {
    /// The share of constraints that hold, of those that apply and need no judge: a reward with
    /// partial credit. `None` if there is none.
    pub fn share(&self) -> Option<f64> {
        share(self.constraints.iter().map(|one| one.strict))
    }

    fn from_row(graded: RowGrades) -> Grade {
        let constraints = graded.constraints.into_iter().map(|verdict| ConstraintGrade {
            name: verdict.constraint,
            group: verdict.group,
            strict: verdict.strict,
            loose: verdict.loose,
            unjudged: verdict.unjudged,
            why: verdict.why,
        });
        Grade { strict: graded.strict, loose: graded.loose, constraints: constraints.collect() }
    }
}
