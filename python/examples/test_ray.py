"""Ray Data on a local Ray of several workers, one of which is killed in the middle."""

import os

import pytest

ray = pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")

import ifs.arrow  # noqa: E402
import ifs.ray  # noqa: E402

COMMA = "std.ifeval.punctuation.no_comma"
ROWS = 20_000


@pytest.fixture(scope="module", autouse=True)
def local():
    path = os.pathsep.join(filter(None, [str(os.path.dirname(__file__)), os.environ.get("PYTHONPATH")]))
    ray.init(
        num_cpus=3,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    yield
    ray.shutdown()


def table():
    return pa.table(
        {
            "id": list(range(ROWS)),
            "answer": [f"{'One, two. ' if at % 3 else 'Three. '}{at}" for at in range(ROWS)],
            "constraint": [COMMA if at % 101 else "std.ifeval.nothing" for at in range(ROWS)],
        }
    )


def totals(graded):
    columns = graded.to_pydict()
    held = sum(strict is True for strict in columns["strict"])
    missed = sum(strict is False for strict in columns["strict"])
    errors = sum(error is not None for error in columns["error"])
    return held, missed, errors, sorted(map(int, columns["id"])) == list(range(ROWS))


class Dies(ifs.ray.Grade):
    """Grades, and is killed once: the process that takes the marker's place ends at once."""

    def __init__(self, marker):
        super().__init__()
        self.marker = marker

    def __call__(self, batch):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().__call__(batch)
        os.kill(os.getpid(), 9)


def graded(of, **more):
    dataset = ray.data.from_arrow(table()).repartition(40)
    out = dataset.map_batches(of, batch_format="pyarrow", batch_size=500, concurrency=2, **more)
    return pa.concat_tables(ray.get(out.to_arrow_refs()))


def test_totals_are_those_of_one_process():
    expected = totals(pa.table(ifs.arrow.grade(table())))
    assert expected[2] == len(range(0, ROWS, 101)) and expected[3]
    assert totals(graded(ifs.ray.Grade)) == expected


def test_a_worker_that_is_killed_costs_no_row_and_doubles_none(tmp_path):
    marker = tmp_path / "killed"
    again = graded(Dies, fn_constructor_args=[str(marker)], max_restarts=3, max_task_retries=3)
    assert marker.exists()
    assert totals(again) == totals(pa.table(ifs.arrow.grade(table())))
