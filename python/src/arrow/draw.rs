//! Drawn turns as a table.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{ListBuilder, StringBuilder, UInt32Builder, UInt64Builder};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use ifs::{ActiveConstraint, Turn};
use pyo3::prelude::*;

use super::{Schema, Table, unreadable};
use crate::benchmark::Benchmark;

/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

fn schema() -> SchemaRef {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    Arc::new(arrow_schema::Schema::new(vec![
        Field::new("definition", DataType::Utf8, false),
        Field::new("seed", DataType::UInt64, false),
        Field::new("index", DataType::UInt64, false),
        Field::new("turn", DataType::UInt32, false),
        Field::new("system", DataType::Utf8, true),
        Field::new("ask", DataType::Utf8, false),
        Field::new("constraints", list.clone(), true),
        Field::new("args", DataType::Utf8, true),
        Field::new("speakers", list.clone(), true),
        Field::new("overruled", list, true),
        Field::new("error", DataType::Utf8, true),
    ]))
}

/// The columns of drawn turns.
#[pyfunction]
pub(crate) fn drawn() -> Schema {
    Schema { schema: schema() }
}

/// Draws the turns of `count` dialogues from `start` on, one row each, without the GIL.
#[pyfunction]
pub(crate) fn draw_table(
    py: Python<'_>,
    benchmark: &Bound<'_, Benchmark>,
    seed: u64,
    start: u64,
    count: u64,
    max_turns: u32,
) -> PyResult<Table> {
    let (dialogue, definition) = (&benchmark.get().dialogue, benchmark.get().definition_hash());
    let made = py.detach(|| {
        let (mut rows, mut batches) = (Rows::default(), Vec::new());
        for index in start..start.saturating_add(count) {
            let drawn = dialogue.draw(seed, index);
            for number in 1..=max_turns {
                let turn = match drawn.turn(number) {
                    Ok(None) => break,
                    Ok(Some(turn)) => Ok(turn),
                    Err(error) => Err(error.to_string()),
                };
                rows.add((definition, seed, index, number), turn.as_ref());
                if turn.is_err() {
                    break;
                }
            }
            if rows.count >= BATCH_ROWS {
                batches.push(std::mem::take(&mut rows).finish()?);
            }
        }
        if rows.count > 0 {
            batches.push(rows.finish()?);
        }
        Ok::<_, ArrowError>(batches)
    });
    Ok(Table { schema: schema(), batches: made.map_err(unreadable)? })
}

#[derive(Default)]
struct Rows {
    count: usize,
    definition: StringBuilder,
    seed: UInt64Builder,
    index: UInt64Builder,
    turn: UInt32Builder,
    system: StringBuilder,
    ask: StringBuilder,
    constraints: ListBuilder<StringBuilder>,
    args: StringBuilder,
    speakers: ListBuilder<StringBuilder>,
    overruled: ListBuilder<StringBuilder>,
    error: StringBuilder,
}

impl Rows {
    fn add(
        &mut self,
        (definition, seed, index, number): (&str, u64, u64, u32),
        turn: Result<&Turn, &String>,
    ) {
        self.count += 1;
        self.definition.append_value(definition);
        self.seed.append_value(seed);
        self.index.append_value(index);
        self.turn.append_value(number);
        let drawn = turn.ok();
        self.system.append_option(drawn.and_then(|turn| turn.system.as_deref()));
        self.ask.append_value(drawn.map_or("", |turn| &turn.ask));
        for constraint in drawn.iter().flat_map(|turn| &turn.constraints) {
            self.constraints.values().append_value(&constraint.name);
            self.speakers.values().append_value(&constraint.speaker);
            self.overruled.values().append_option(constraint.overruled.as_deref());
        }
        for list in [&mut self.constraints, &mut self.speakers, &mut self.overruled] {
            list.append(drawn.is_some());
        }
        self.args.append_option(drawn.map(|turn| json(&turn.constraints)));
        self.error.append_option(turn.err());
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(
            schema(),
            vec![
                Arc::new(self.definition.finish()),
                Arc::new(self.seed.finish()),
                Arc::new(self.index.finish()),
                Arc::new(self.turn.finish()),
                Arc::new(self.system.finish()),
                Arc::new(self.ask.finish()),
                Arc::new(self.constraints.finish()),
                Arc::new(self.args.finish()),
                Arc::new(self.speakers.finish()),
                Arc::new(self.overruled.finish()),
                Arc::new(self.error.finish()),
            ],
        )
    }
}

/// The arguments of constraints as JSON: a list of objects, in the order of their parameters.
fn json(constraints: &[ActiveConstraint]) -> String {
    let args = |constraint: &ActiveConstraint| {
        let text = |value: &serde_json::Value| value.to_string();
        let each = constraint.args.iter();
        let each: Vec<String> = each
            .map(|(name, value)| format!("{}:{}", text(&name.as_str().into()), text(value)))
            .collect();
        format!("{{{}}}", each.join(","))
    };
    format!("[{}]", constraints.iter().map(args).collect::<Vec<_>>().join(","))
}
