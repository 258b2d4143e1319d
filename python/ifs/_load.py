"""Finding and compiling scenarios."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ._errors import NoScenarioError
from ._ifs import Benchmark, of_sources, open as open_path


def load(
    path: str | os.PathLike[str],
    *,
    dialogue: str | None = None,
    variant: str | None = None,
    split: str | None = None,
) -> Benchmark:
    """Compile the scenario in a file, or in a folder that has one.

    `dialogue` is the first one by default; `split` draws what a split holds out.
    """
    path = os.path.abspath(path)
    if not os.path.exists(path):
        raise NoScenarioError(f"`{path}` does not exist; `ifs new NAME` writes a first scenario")
    which = (dialogue, variant, split)
    return open_path(path, which, ("path", path, *which))


def loads(
    source: str,
    *,
    files: Mapping[str, str] | None = None,
    dialogue: str | None = None,
    variant: str | None = None,
    split: str | None = None,
) -> Benchmark:
    """Compile a scenario from its text; `files` has the texts that it imports, by name."""
    texts = [("main.ifs", source), *(files or {}).items()]
    which = (dialogue, variant, split)
    return of_sources(texts, "main.ifs", which, ("source", texts, *which))
