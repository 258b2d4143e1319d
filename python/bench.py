"""The figures of docs/python.md: `python -P python/bench.py [prompts.jsonl responses.jsonl]`.

Prompts and responses are files of IFEval's form; without them, rows are made up. Times are of the processor.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import time

import ifs

ROOT = pathlib.Path(__file__).resolve().parents[1]


def best(work, times: int = 5) -> float:
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def made_up() -> list[dict]:
    text = "The tide comes twice a day. It follows the moon, and the sun helps a little.\n\n"
    ids = ["punctuation:no_comma", "length_constraints:number_words", "keywords:existence"]
    kwargs = [{}, {"num_words": 100, "relation": "at least"}, {"keywords": ["tide", "moon"]}]
    return [
        {
            "response": f"{text * (10 + at % 15)}{at}",
            "instruction_id_list": [ids[at % 3]],
            "kwargs": [kwargs[at % 3]],
        }
        for at in range(20_000)
    ]


def recorded(prompts: str, responses: str) -> list[dict]:
    def lines(path: str) -> list[dict]:
        return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]

    known = {row[name]: row for row in lines(prompts) for name in ("key", "prompt")}
    answered = lines(responses)
    return [
        {**known[row["key"] if "key" in row else row["prompt"]], "response": row["response"]}
        for row in answered
    ] * 20


def main() -> None:
    code = "import time; t = time.process_time(); import ifs; print(time.process_time() - t)"
    starts = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(10)
    ]
    print(f"import ifs: {min(starts) * 1e3:.1f} ms")

    rows = recorded(*sys.argv[1:3]) if len(sys.argv) > 2 else made_up()
    ifs.grade(rows[:100])
    count = sum(len(row["instruction_id_list"]) for row in rows)
    length = sum(len(row["response"]) for row in rows) / len(rows)
    print(f"{len(rows)} rows with {count} instructions, {length:.0f} characters a response")
    for name, options in (
        ("strict and loose, with reasons", {}),
        ("strict and loose", {"brief": True}),
        ("strict", {"brief": True, "loose": False}),
    ):
        took = best(lambda options=options: ifs.grade(rows, **options))
        each, instructions = len(rows) / took, count / took
        print(f"{name}: {each:.0f} rows, {instructions:.0f} instructions a core-second")

    benchmark = ifs.load(ROOT / "scenarios" / "evolif")
    draws = 2_000
    took = best(lambda: [benchmark.draw(1, at).messages(1) for at in range(draws)])
    print(f"draw and first message (EvolIF): {took / draws * 1e6:.1f} µs")
    dialogues = [benchmark.draw(1, at) for at in range(draws)]
    items = [(dialogue, 1, "A response of some words, with commas.") for dialogue in dialogues]
    benchmark.grade_batch(items)
    took = best(lambda: benchmark.grade_batch(items))
    print(f"grade of a drawn turn (EvolIF): {took / draws * 1e6:.1f} µs")


if __name__ == "__main__":
    main()
