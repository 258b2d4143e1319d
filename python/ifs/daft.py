"""Grading in Daft: `ifs.daft.grade(frame)`."""

from __future__ import annotations

from typing import Any

import daft
import pyarrow as pa

from . import arrow
from ._load import load


def grade(frame: daft.DataFrame, path: str | None = None, **options: Any) -> daft.DataFrame:
    """Grade the rows of a frame, partition by partition, as it is iterated."""
    benchmark = load(path) if path is not None else None
    batches = frame.to_arrow_iter()
    tables = [pa.table(arrow.grade(batch, benchmark=benchmark, **options)) for batch in batches]
    return daft.from_arrow(tables)
