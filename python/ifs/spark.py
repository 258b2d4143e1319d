"""Grading in Spark: `frame.mapInArrow(ifs.spark.grade(), ifs.spark.SCHEMA)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from . import arrow
from ._load import load

SCHEMA = (
    "id string, strict boolean, loose boolean, share double, constraints array<struct<name: string, "
    "group: string, held: boolean, loose: boolean, why: string>>, error string"
)


def grade(
    path: str | None = None, **options: Any
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function for `mapInArrow`; extra columns are left out, as `SCHEMA` does not name them."""

    def graded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        benchmark = load(path) if path is not None else None
        for batch in batches:
            table = pa.table(arrow.grade(batch, benchmark=benchmark, **options))
            yield from table.select(arrow.SCHEMA.names).to_batches()

    return graded
