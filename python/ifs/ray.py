"""Grading in Ray Data: `dataset.map_batches(ifs.ray.Grade, batch_format="pyarrow", concurrency=8)`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from . import arrow
from ._load import load


class Grade:
    """Grades batches. A worker compiles the scenario once, or none for the library's constraints."""

    def __init__(self, path: str | None = None, **options: Any) -> None:
        which = {name: options.pop(name) for name in ("variant", "split") if name in options}
        self.benchmark = load(path, **which) if path is not None else None
        self.options = options

    def __call__(self, batch: pa.Table) -> pa.Table:
        return pa.table(arrow.grade(batch, benchmark=self.benchmark, **self.options))
