"""Runs with functions as models."""

import asyncio
import json
import subprocess
import sys

import pytest

import ifs


def responses(folder):
    lines = (folder / "transcripts.jsonl").read_text().splitlines()
    return [[turn["samples"][0]["answer"] for turn in json.loads(line)["turns"]] for line in lines]


def test_an_async_function_is_a_model(tides, tmp_path):
    async def model(messages):
        await asyncio.sleep(0)
        return f"You said {len(messages)} things."

    steps = []
    finished = ifs.run(
        tides,
        model,
        judge="sim/judge",
        dialogues=3,
        folder=tmp_path / "run",
        progress=lambda done, of, answered: steps.append((done, of)),
    )
    assert finished.is_complete and finished.incomplete == 0 and finished.stopped is None
    assert finished.folder == tmp_path / "run"
    assert finished.definition_hash == tides.definition_hash
    assert 0.0 <= finished.metrics["CSR"] <= 1.0
    assert responses(finished.folder) == [
        [f"You said {n} things." for n in (1, 3, 5)] for _ in range(len(responses(finished.folder)))
    ]
    assert steps[-1][0] == steps[-1][1] == len(responses(finished.folder))


def test_a_plain_function_is_a_model(tides, tmp_path):
    finished = ifs.run(
        tides,
        lambda messages: ifs.Response("Fine.", input_tokens=7, output_tokens=2),
        judge="sim/judge",
        dialogues=1,
        folder=tmp_path / "run",
    )
    usage = json.loads((finished.folder / "transcripts.jsonl").read_text())["turns"][0]["samples"][0]["usage"]
    assert usage["output"] == 2


def test_errors_of_the_connection_are_retried(tides, tmp_path):
    calls = []

    async def model(messages):
        calls.append(len(messages))
        if len(calls) % 2:
            raise ConnectionError("reset by peer")
        return "Fine."

    finished = ifs.run(
        tides, model, judge="sim/judge", dialogues=1, folder=tmp_path / "run", retry_wait=0.001
    )
    assert finished.is_complete and len(calls) == 6


@pytest.mark.parametrize(
    "mistake",
    [
        lambda messages: messages[0]["contnet"],
        lambda messages: open("no such file"),
        lambda messages: 1 / 0,
        lambda messages: 7,
    ],
)
def test_a_mistake_of_the_program_stops_the_run_and_is_raised(tides, tmp_path, mistake):
    asked = []

    def model(messages):
        asked.append(len(messages))
        return mistake(messages) if len(messages) == 3 else "Fine."

    folder = tmp_path / "run"
    wanted = (KeyError, FileNotFoundError, ZeroDivisionError, TypeError)
    with pytest.raises(wanted) as raised:
        ifs.run(tides, model, judge="sim/judge", dialogues=2, folder=folder, concurrency=1)
    if sys.version_info >= (3, 11):
        assert "`ifs.resume` continues it" in raised.value.__notes__[0]
    assert asked == [1, 3]

    def mended(messages):
        asked.append(len(messages))
        return "Fine."

    mended.name = "own/model"
    assert ifs.resume(folder, mended, judge="sim/judge").is_complete
    turns = sum(len(turns) for turns in responses(folder))
    assert len(asked) == turns + 1


def test_a_mistake_of_a_judge_is_raised(tides, tmp_path):
    async def own_judge(messages):
        raise AttributeError("verdict")

    with pytest.raises(AttributeError, match="verdict"):
        ifs.run(tides, lambda messages: "Fine.", judge=own_judge, dialogues=1, folder=tmp_path / "run")


def test_a_mistake_among_many_requests_is_raised_once(tides, tmp_path):
    async def model(messages):
        await asyncio.sleep(0)
        raise LookupError(str(len(messages)))

    with pytest.raises(LookupError, match="1"):
        asyncio.run(ifs.run_async(tides, model, judge="sim/judge", folder=tmp_path / "run"))


def test_samples_and_more_of_them(tides, tmp_path):
    asked = []

    def model(messages):
        asked.append(len(messages))
        return "Fine."

    folder = tmp_path / "run"
    settings = {"judge": "sim/judge", "folder": folder, "dialogues": 1}
    assert ifs.run(tides, model, samples=2, **settings).is_complete
    before = len(asked)
    assert ifs.resume(folder, model, judge="sim/judge", samples=3).is_complete
    turns = json.loads((folder / "transcripts.jsonl").read_text())["turns"]
    assert [len(turn["samples"]) for turn in turns] == [3] * len(turns)
    assert len(asked) - before == len(turns)


def test_a_refusal_before_any_response_stops_the_run_and_it_goes_on_later(tides, tmp_path):
    asked = []

    async def model(messages):
        asked.append(len(messages))
        if len(asked) == 1:
            raise ifs.Refused("the key is wrong")
        return "Fine."

    settings = {"judge": "sim/judge", "folder": tmp_path / "run", "dialogues": 2, "concurrency": 1}
    finished = ifs.run(tides, model, **settings)
    assert "the key is wrong" in finished.stopped

    finished = ifs.resume(tmp_path / "run", model, judge="sim/judge")
    assert finished.is_complete and finished.stopped is None
    turns = sum(len(turns) for turns in responses(finished.folder))
    assert len(asked) == turns + 1


def test_nothing_is_asked_twice(tides, tmp_path):
    asked = []

    async def model(messages):
        asked.append(len(messages))
        if len(asked) == 3:
            raise ifs.Permanent("out of memory")
        return "Fine."

    folder = tmp_path / "run"
    finished = ifs.run(tides, model, judge="sim/judge", folder=folder, dialogues=2, concurrency=1)
    assert finished.incomplete == 1
    assert ifs.resume(folder, model, judge="sim/judge").is_complete
    turns = sum(len(turns) for turns in responses(folder))
    assert len(asked) == turns + 1


def test_what_is_no_response_is_named(tides, tmp_path):
    with pytest.raises(TypeError, match="returned int; return a text or `ifs.Response`"):
        ifs.run(
            tides, lambda messages: 7, judge="sim/judge", dialogues=1, folder=tmp_path / "run"
        )


def test_an_async_judge(tides, tmp_path):
    async def model(messages):
        return "Fine."

    async def own_judge(messages):
        raise ifs.Permanent("no idea")

    finished = ifs.run(tides, model, judge=own_judge, dialogues=1, folder=tmp_path / "run")
    assert finished.incomplete == 1


def test_within_an_event_loop_and_cancelled(tides, tmp_path):
    async def program():
        never = asyncio.Event()

        async def model(messages):
            if len(messages) > 1:
                started.set()
                await asyncio.wait_for(never.wait(), 60)
            return "Fine."

        started = asyncio.Event()
        task = asyncio.create_task(
            ifs.run_async(tides, model, judge="sim/judge", dialogues=1, folder=tmp_path / "run")
        )
        await started.wait()
        task.cancel()
        never.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(program())
    finished = ifs.resume(tmp_path / "run", _named("own/model"), judge="sim/judge")
    assert finished.is_complete


def test_a_cancelled_run_keeps_what_was_in_flight_and_asks_nothing_twice(tides, tmp_path):
    asked = []

    async def program():
        asking, go_on = asyncio.Event(), asyncio.Event()

        async def model(messages):
            asked.append(len(messages))
            if len(asked) == 3:
                asking.set()
                await go_on.wait()
            return "Fine."

        started = ifs.run_async(
            tides, model, judge="sim/judge", dialogues=9, folder=tmp_path / "run", concurrency=1
        )
        task = asyncio.create_task(started)
        await asking.wait()
        task.cancel()
        # The task has been woken, and has stopped the run, before the request in flight is answered.
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(program())
    assert len(asked) == 3

    def model(messages):
        asked.append(len(messages))
        return "Fine."

    finished = ifs.resume(tmp_path / "run", model, judge="sim/judge")
    assert finished.is_complete
    assert len(asked) == sum(len(turns) for turns in responses(finished.folder))


def test_a_model_by_name_is_cancelled_too(tmp_path):
    seen = []
    many = ifs.loads(
        'ifs 1\ngroup length { constraint at_most(n: int in 5..=90000) '
        '{ say "At most {{ n }} words." check count(word) <= n } }\n'
        'dialogue talk { turn first { ask "Why?" impose 1 from length } }\n'
    )

    async def program():
        task = asyncio.create_task(
            ifs.run_async(
                many,
                "sim/noisy:0.2",
                dialogues=300,
                folder=tmp_path / "run",
                progress=lambda done, of, _: seen.append((done, of)),
            )
        )
        while not seen and not task.done():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(program())
    assert 0 <= seen[-1][0] < 300
    finished = ifs.resume(tmp_path / "run", "sim/noisy:0.2")
    assert finished.is_complete and len(responses(finished.folder)) == 300


# The program interrupts itself while a request is in flight, so that no time passes between the two. A shell starts
# what runs in the background with SIGINT ignored: then Python has no handler of its own.
def _interrupted(tides_source, tmp_path, how):
    path, folder = tmp_path / "tides.ifs", tmp_path / "run"
    path.write_text(tides_source)
    code = f"""
import asyncio, signal, sys, ifs
signal.signal(signal.SIGINT, signal.default_int_handler)
async def model(messages):
    print("asked", flush=True)
    {how}
    await asyncio.sleep(0)
    return "Fine."
ifs.run(ifs.load({str(path)!r}), model, judge="sim/judge", folder={str(folder)!r}, concurrency=1)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout == "asked\n"
    finished = ifs.resume(folder, _named("own/model"), judge="sim/judge")
    assert finished.is_complete
    return ended


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.run handles Ctrl-C from 3.11 on")
def test_ctrl_c_ends_a_run_between_requests(tides_source, tmp_path):
    ended = _interrupted(tides_source, tmp_path, "signal.raise_signal(signal.SIGINT)")
    assert ended.returncode != 0 and "KeyboardInterrupt" in ended.stderr


def test_a_model_that_exits_ends_the_run(tides_source, tmp_path):
    ended = _interrupted(tides_source, tmp_path, "sys.exit(7)")
    assert ended.returncode == 7 and ended.stderr == ""


def _named(name):
    def model(messages):
        return "Fine."

    model.name = name
    return model


def test_settings_have_names(tides):
    with pytest.raises(TypeError, match="unknown setting `dialogs`; there is folder, dialogues"):
        ifs.run(tides, "sim/oracle", dialogs=3)


def test_models_by_name(tides, tmp_path):
    finished = ifs.run(tides, "sim/oracle", dialogues=2, folder=tmp_path / "run")
    assert finished.is_complete and finished.metrics["CSR"] == 1.0
    with pytest.raises(ifs.FolderError, match="already contains a run"):
        ifs.run(tides, "sim/oracle", dialogues=2, folder=tmp_path / "run")
