"""How dialogues travel between processes: as a definition's hash, a seed and an index."""

from __future__ import annotations

from typing import Any

from ._errors import DefinitionChanged
from ._ifs import Benchmark, Dialogue, of_sources, open as open_path

# A worker compiles a scenario once, however many dialogues it is sent.
_known: dict[tuple[str, str], Benchmark] = {}


def benchmark(definition_hash: str, origin: tuple[Any, ...]) -> Benchmark:
    """Find a benchmark again, with the same definition as where it was pickled."""
    key = (definition_hash, repr(origin))
    if key not in _known:
        kind, place, *which = origin
        if kind == "path":
            found = open_path(place, tuple(which), origin)
        else:
            found = of_sources(place, "main.ifs", tuple(which), origin)
        if found.definition_hash != definition_hash:
            where = f"`{place}`" if kind == "path" else "the scenario"
            raise DefinitionChanged(
                f"{where} has the definition {found.definition_hash} here, and had "
                f"{definition_hash} where it was pickled; give both processes the same files"
            )
        _known[key] = found
    return _known[key]


def dialogue(benchmark: Benchmark, seed: int, index: int) -> Dialogue:
    return benchmark.draw(seed, index)


def session(
    cls: Any, benchmark: Benchmark, seed: int, index: int, responses: list[str]
) -> Any:
    """A session goes on after the same responses."""
    found = cls(benchmark, seed, index)
    for response in responses:
        found.next()
        found.answer(response)
    return found
