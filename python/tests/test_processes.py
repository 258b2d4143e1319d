"""Dialogues in other threads and processes."""

import concurrent.futures
import multiprocessing
import operator

import pytest

import ifs

TEXT = "One, two three four five six seven eight nine ten."


def graded(pool, dialogues):
    grade = operator.methodcaller("grade", 2, TEXT)
    return [(one.reward, one.missed) for one in pool.map(grade, dialogues)]


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_processes_grade_the_same(tides, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} here")
    dialogues = [tides.draw(1, index) for index in range(20)]
    # Threads of the library that were used before a fork are no threads of the child.
    items = [(dialogue, 2, TEXT) for dialogue in dialogues]
    expected = [(one.reward, one.missed) for one in tides.grade_batch(items, num_threads=2)]
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert graded(pool, dialogues) == expected


def _run(folder, benchmark):
    finished = ifs.run(benchmark, "sim/oracle", judge="sim/judge", dialogues=2, folder=folder)
    return finished.is_complete, finished.metrics["CSR"]


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_run_dialogues(tides, tmp_path, method):
    expected = _run(tmp_path / "own", tides)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(_run, tmp_path / "other", tides).result(60) == expected


def test_threads_share_a_benchmark(tides):
    dialogues = [tides.draw(1, index) for index in range(50)] * 4
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert graded(pool, dialogues) == [
            (one.reward, one.missed) for one in (dialogue.grade(2, TEXT) for dialogue in dialogues)
        ]


def test_a_session_in_two_threads_is_one_dialogue(tides):
    """Its calls wait for one another: a response has one request."""
    session = ifs.Session(tides)
    session.reset()

    def answer(_):
        try:
            return session.answer("One two.").error
        except ifs.UsageError as error:
            return str(error)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(answer, range(8)))
    assert found.count(None) == 1 and session.responses == ["One two."]
