"""Grading and drawing as maps over Arrow tables, for engines that hold millions of rows.

Input is anything with the Arrow PyCapsule interface (`__arrow_c_stream__` or `__arrow_c_array__`): tables of
pyarrow, Polars, DuckDB, Daft, pandas. Output is a `Table`, which has it, too: `pyarrow.table(graded)`,
`polars.DataFrame(graded)`. No other package is needed.
"""

from __future__ import annotations

from typing import Any

from . import _ifs
from ._ifs import Benchmark, Schema, Table

__all__ = ["DRAWN", "SCHEMA", "Schema", "Table", "draw", "grade"]

SCHEMA: Schema = _ifs.graded()
"""The columns of graded rows; other columns of the input follow."""

DRAWN: Schema = _ifs.drawn()
"""The columns of drawn turns; `args` are those of the constraints, as JSON."""


def grade(
    batch: Any,
    *,
    benchmark: Benchmark | None = None,
    num_threads: int | None = None,
    brief: bool = False,
    loose: bool = True,
    raw_text: bool = False,
) -> Table:
    """Grade the rows of a table: `SCHEMA`, then the columns that grading does not use.

    A row that cannot be graded has an `error` and nulls; no row raises. Columns are those of `ifs grade`.
    Values with structure are lists and structs, or texts of JSON.
    """
    return _ifs.grade_table(batch, benchmark, num_threads, brief, loose, raw_text)


def draw(benchmark: Benchmark, seed: int, start: int, count: int, *, max_turns: int = 30) -> Table:
    """Draw the turns of dialogues `start` to `start + count`, one row each (`DRAWN`)."""
    return _ifs.draw_table(benchmark, seed, start, count, max_turns)
