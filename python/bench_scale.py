"""The figures of docs/scale.md: grades the same rows in several ways and compares the totals.

    python -P python/bench_scale.py rows ROWS FOLDER       write rows, as files of Parquet
    python -P python/bench_scale.py plain FOLDER           grade them with checks in plain Python
    python -P python/bench_scale.py published FOLDER       … with the checkers of if-verifiable, of PyPI
    python -P python/bench_scale.py command FOLDER         … with `ifs grade`, one thread
    python -P python/bench_scale.py library FOLDER         … with `ifs.arrow.grade`, one thread
    python -P python/bench_scale.py ray FOLDER WORKERS     … with Ray
    python -P python/bench_scale.py killed FOLDER WORKERS  … with Ray, and a worker is killed

Needs pyarrow and, for workers, `ray[data]` and aiohttp. Prints wall time, processor time of what grades, and totals.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
from pyarrow import compute, parquet

import ifs.arrow

TEXT = "The tide comes twice a day. It follows the moon, and the sun helps a little. "
COMMAS = "A tide rises, and it falls, so a shore is dry, wet, and dry again. "
FILE = 100_000
WORDS = 30


def table(start: int, rows: int) -> pa.Table:
    at = range(start, start + rows)
    ids = ["punctuation:no_comma", "length_constraints:number_words"]
    kwargs = ["[{}]", f'[{{"num_words": {WORDS}, "relation": "at least"}}]']
    texts = [TEXT.replace(",", "") * 3, TEXT, COMMAS * 3, TEXT * 4, COMMAS]
    return pa.table(
        {
            "id": pa.array(at),
            "response": [f"{texts[one % 5]}{one}" for one in at],
            "instruction_id_list": [[ids[one % 2]] for one in at],
            "kwargs": [kwargs[one % 2] for one in at],
        }
    )


def files(folder: str) -> list[str]:
    return sorted(str(path) for path in pathlib.Path(folder).glob("*.parquet"))


def write(rows: int, folder: str) -> None:
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for start in range(0, rows, FILE):
        part = table(start, min(FILE, rows - start))
        parquet.write_table(part, f"{folder}/{start:09}.parquet")


def follows(text: str, name: str) -> bool:
    if name == "punctuation:no_comma":
        return "," not in text
    return len(re.findall(r"\w+", text)) >= WORDS


def variants(text: str) -> list[str]:
    """A response, and what the loose reading also tries."""
    lines = text.split("\n")
    cut = [lines, lines[1:], lines[:-1], lines[1:-1]]
    texts = ["\n".join(part).strip() for part in cut]
    return texts + [text.replace("*", "") for text in texts]


def plain(folder: str) -> tuple[int, int, int]:
    rows = strict = loose = 0
    for path in files(folder):
        for batch in parquet.ParquetFile(path).iter_batches():
            for row in batch.to_pylist():
                text, [name] = row["response"], row["instruction_id_list"]
                rows += 1
                strict += bool(text.strip()) and follows(text, name)
                loose += any(one.strip() and follows(one, name) for one in variants(text))
    return rows, strict, loose


def published(folder: str) -> tuple[int, int, int]:
    """IFEval's own code, as a package: https://pypi.org/project/if-verifiable/."""
    from if_verifiable.common import evaluate_instructions
    from if_verifiable.ifeval.instructions_registry import INSTRUCTION_DICT

    rows = strict = loose = 0
    for path in files(folder):
        for batch in parquet.ParquetFile(path).iter_batches():
            for row in batch.to_pylist():
                _, scores = evaluate_instructions(
                    response=row["response"],
                    instruction_id_list=row["instruction_id_list"],
                    kwargs_list=json.loads(row["kwargs"]),
                    prompt="",
                    instruction_registry=INSTRUCTION_DICT,
                )
                rows += 1
                strict += scores.binary_strict == 1.0
                loose += scores.binary_loose == 1.0
    return rows, strict, loose


def counted(graded: pa.Table) -> tuple[int, int, int]:
    totals = [compute.sum(graded[name]).as_py() or 0 for name in ("strict", "loose")]
    return (graded.num_rows, *totals)


def library(folder: str) -> tuple[int, int, int]:
    parts = [
        counted(pa.table(ifs.arrow.grade(batch)))
        for path in files(folder)
        for batch in parquet.ParquetFile(path).iter_batches()
    ]
    return tuple(map(sum, zip(*parts, strict=True)))


def command(folder: str) -> tuple[int, int, int]:
    given = ["grade", "--format", "parquet", "--workers", "1", *files(folder)]
    with tempfile.TemporaryDirectory() as own:
        # The verdicts are written, too, as the other ways make them.
        made = [sys.executable, "-m", "ifs", *given, "--out", f"{own}/graded.parquet"]
        subprocess.run(made, check=True, capture_output=True)
        graded = parquet.read_table(f"{own}/graded.parquet", columns=["strict", "loose"])
    return counted(graded)


class Counts:
    """Grades batches in a worker of Ray, and returns their totals and the time of the processor."""

    def __init__(self, marker: str | None) -> None:
        self.marker = marker

    def __call__(self, batch: pa.Table) -> pa.Table:
        if self.marker is not None:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), 9)
        begun = time.process_time()
        rows, strict, loose = counted(pa.table(ifs.arrow.grade(batch)))
        used = time.process_time() - begun
        return pa.table({"rows": [rows], "strict": [strict], "loose": [loose], "used": [used]})


def on_ray(folder: str, workers: int, is_killed: bool) -> tuple[tuple[int, int, int], float]:
    import ray

    with tempfile.TemporaryDirectory() as own:
        marker = f"{own}/killed" if is_killed else None
        graded = ray.data.read_parquet(files(folder)).map_batches(
            Counts,
            fn_constructor_args=[marker],
            batch_format="pyarrow",
            batch_size=16_384,
            concurrency=workers,
            num_cpus=0.5,
            max_restarts=3,
            max_task_retries=3,
        )
        found = pa.concat_tables(ray.get(graded.to_arrow_refs()))
        assert marker is None or os.path.exists(marker), "no worker was killed"
    totals = [compute.sum(found[name]).as_py() for name in ("rows", "strict", "loose")]
    return tuple(totals), compute.sum(found["used"]).as_py()


def used() -> float:
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in own)


def main() -> None:
    way, *given = sys.argv[1:]
    if way == "rows":
        return write(int(given[0]), given[1])
    workers = f" with {given[1]} workers" if len(given) > 1 else ""
    if workers:
        import ray

        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    if way == "published":
        # Importing it takes seconds.
        importlib.import_module("if_verifiable.ifeval.instructions_registry")
    begun, before = time.perf_counter(), used()
    if workers:
        totals, took = on_ray(given[0], int(given[1]), way == "killed")
    else:
        ways = {"plain": plain, "published": published, "command": command, "library": library}
        totals = ways[way](given[0])
        took = used() - before
    wall = time.perf_counter() - begun
    each = took / totals[0] * 1e6
    print(f"{way}{workers}: {wall:.1f} s, {took:.1f} s of the processor, {each:.1f} µs a row; totals {totals}")


if __name__ == "__main__":
    main()
