//! The columns of graded rows.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};

use super::super::{RowError, RowGrades};

fn verdict() -> Fields {
    Fields::from(vec![
        Field::new("name", DataType::Utf8, false),
        Field::new("group", DataType::Utf8, true),
        Field::new("held", DataType::Boolean, true),
        Field::new("loose", DataType::Boolean, true),
        Field::new("why", DataType::Utf8, true),
    ])
}

/// The item of the lists in `constraints`.
fn item() -> Field {
    Field::new("item", DataType::Struct(verdict()), true)
}

/// The columns of graded rows; other columns of the input follow.
pub fn schema() -> Schema {
    Schema::new(vec![
        Field::new("id", DataType::Utf8, true),
        Field::new("strict", DataType::Boolean, true),
        Field::new("loose", DataType::Boolean, true),
        Field::new("share", DataType::Float64, true),
        Field::new("constraints", DataType::List(Arc::new(item())), true),
        Field::new("error", DataType::Utf8, true),
    ])
}

/// The columns that are being filled, except `id`.
#[derive(Default)]
pub(super) struct GradeColumns {
    strict: BooleanBuilder,
    loose: BooleanBuilder,
    share: Float64Builder,
    error: StringBuilder,
    /// The number of verdicts of each row; `None` where it has an error.
    verdicts: Vec<Option<usize>>,
    name: StringBuilder,
    group: StringBuilder,
    held: BooleanBuilder,
    held_loosely: BooleanBuilder,
    why: StringBuilder,
}

impl GradeColumns {
    pub fn add(&mut self, grade: &Result<RowGrades, RowError>) {
        let graded = grade.as_ref().ok();
        self.strict.append_option(graded.and_then(|grade| grade.strict));
        self.loose.append_option(graded.and_then(|grade| grade.loose));
        self.share.append_option(graded.and_then(RowGrades::share));
        self.error.append_option(grade.as_ref().err().map(ToString::to_string));
        self.verdicts.push(graded.map(|grade| grade.constraints.len()));
        for one in graded.iter().flat_map(|grade| &grade.constraints) {
            self.name.append_value(&one.constraint);
            self.group.append_value(&one.group);
            self.held.append_option(one.strict);
            self.held_loosely.append_option(one.loose);
            self.why.append_option(one.why.as_deref());
        }
    }

    pub fn finish(mut self) -> Result<[ArrayRef; 5], ArrowError> {
        let each: Vec<ArrayRef> = vec![
            Arc::new(self.name.finish()),
            Arc::new(self.group.finish()),
            Arc::new(self.held.finish()),
            Arc::new(self.held_loosely.finish()),
            Arc::new(self.why.finish()),
        ];
        let verdicts = StructArray::try_new(verdict(), each, None)?;
        let lengths = self.verdicts.iter().map(|count| count.unwrap_or(0));
        let there: NullBuffer = self.verdicts.iter().map(Option::is_some).collect();
        let constraints = ListArray::try_new(
            Arc::new(item()),
            OffsetBuffer::from_lengths(lengths),
            Arc::new(verdicts),
            Some(there),
        )?;
        Ok([
            Arc::new(self.strict.finish()),
            Arc::new(self.loose.finish()),
            Arc::new(self.share.finish()),
            Arc::new(constraints),
            Arc::new(self.error.finish()),
        ])
    }
}
