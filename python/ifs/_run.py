"""Runs with a model of the program's own: any function that takes messages and returns a text."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _ifs
from ._ifs import Benchmark, Finished

# Importing the package takes half of the time without it.
if TYPE_CHECKING:
    import asyncio


class Response(NamedTuple):
    """A response with the numbers of tokens, if the model reports them."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class Transient(Exception):
    """Raised by a model: the request is sent again after a delay."""


class Overloaded(Exception):
    """Raised by a model: the request is sent again, and fewer are in flight from then on."""


class Permanent(Exception):
    """Raised by a model: this dialogue is incomplete. It never counts as a miss of the model."""


class Refused(Exception):
    """Raised by a model: every request will fail. The run stops, unless some were answered before."""


Messages = list[dict[str, Any]]
Answer = Union[str, Response]
Model = Callable[[Messages], Union[Answer, Awaitable[Answer]]]

_KINDS = (
    (Overloaded, "overloaded"),
    (Refused, "refused"),
    (Permanent, "permanent"),
    # `OSError` has the errors of connections, and `TimeoutError`.
    ((Transient, OSError), "transient"),
)

# These are `OSError`s of files: no connection is to blame, so sending the request again is no use.
_FILES = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def _kind(error: Exception) -> str | None:
    """What an exception says about its request; `None` for a mistake of the program."""
    if isinstance(error, _FILES):
        return None
    return next((kind for types, kind in _KINDS if isinstance(error, types)), None)


class _Adapter:
    """Calls a model on the event loop of the program."""

    def __init__(
        self, model: Model, loop: asyncio.AbstractEventLoop, fail: Callable[[Exception], None]
    ) -> None:
        self.name = getattr(model, "name", None) or "own/" + getattr(
            model, "__name__", type(model).__name__
        )
        self.model = model
        self.loop = loop
        self.fail = fail

    def submit(self, messages: Messages, sample: int, at: str, reply: Callable[..., None]) -> None:
        import asyncio

        asyncio.run_coroutine_threadsafe(self._answer(messages, reply), self.loop)

    async def _answer(self, messages: Messages, reply: Callable[..., None]) -> None:
        import asyncio
        import inspect

        try:
            answer: Any
            if inspect.iscoroutinefunction(self.model) or inspect.iscoroutinefunction(
                getattr(self.model, "__call__", None)
            ):
                called: Any = self.model(messages)
                answer = await called
            else:
                # A function that blocks gets a thread, so that other requests go on.
                answer = await self.loop.run_in_executor(None, self.model, messages)
                if inspect.isawaitable(answer):
                    answer = await answer
            if isinstance(answer, Response):
                reply("text", answer.text, answer.input_tokens, answer.output_tokens)
            elif isinstance(answer, str):
                reply("text", answer)
            else:
                kind = type(answer).__name__
                raise TypeError(f"`{self.name}` returned {kind}; return a text or `ifs.Response`")
        except asyncio.TimeoutError as error:
            # Until Python 3.11 it is not the `TimeoutError` of the system.
            reply("transient", f"TimeoutError: {error}")
        except Exception as error:
            failure = _kind(error)
            if failure is None:
                self.fail(error)
            reply(failure or "permanent", f"{type(error).__name__}: {error}")
        except BaseException as error:
            # Cancelled, interrupted or ended by `sys.exit`. Without a reply the run would wait for ever.
            reply("refused", f"the program stopped it: {type(error).__name__}")
            raise


def _settings(
    model: Any, judge: Any, loop: asyncio.AbstractEventLoop, given: dict[str, Any]
) -> dict[str, Any]:
    judges = judge if isinstance(judge, (list, tuple)) else [] if judge is None else [judge]
    stop = _ifs.Stop()
    errors: list[Exception] = []

    def fail(error: Exception) -> None:
        errors.append(error)
        stop.stop()

    def adapted(model: Any) -> Any:
        return model if isinstance(model, str) else _Adapter(model, loop, fail)

    settings: dict[str, Any] = {
        "folder": None,
        "dialogues": None,
        "samples": None,
        "seed": None,
        "max_turns": None,
        "concurrency": 100,
        "retries": 5,
        "retry_wait": 1.0,
        "system": None,
        "temperature": None,
        "max_tokens": None,
        "budget_responses": None,
        "budget_tokens": None,
        "budget_dollars": None,
        "progress": None,
    }
    unknown = sorted(set(given) - set(settings))
    if unknown:
        raise TypeError(f"unknown setting `{unknown[0]}`; there is {', '.join(settings)}")
    settings |= {name: value for name, value in given.items() if value is not None}
    if settings["budget_dollars"] is not None:
        settings["budget_dollars"] = str(settings["budget_dollars"])
    settings |= {"model": adapted(model), "judges": [adapted(one) for one in judges]}
    return settings | {"stop": stop, "errors": errors}


async def _started(start: Callable[[dict[str, Any]], Finished], settings: dict[str, Any]) -> Finished:
    import asyncio

    working = asyncio.get_running_loop().run_in_executor(None, start, settings)
    try:
        await asyncio.wait([working])
    except asyncio.CancelledError:
        # Requests in flight are finished, so that no response is lost.
        settings["stop"].stop()
        await asyncio.wait([working])
        raise
    if settings["errors"]:
        # A mistake of the program is raised where it called, and not told as a fault of the model.
        error: Exception = settings["errors"][0]
        folder = settings["folder"] if working.exception() else working.result().folder
        if folder is not None and sys.version_info >= (3, 11):
            error.add_note(f"it stopped the run in `{folder}`; `ifs.resume` continues it")
        raise error
    return working.result()


async def run_async(
    benchmark: Benchmark, model: str | Model, *, judge: Any = None, **settings: Any
) -> Finished:
    """Run dialogues with a model: a name such as `openai/gpt-4o`, or a function.

    The function takes messages and returns a text or `Response`; it may be async. Settings are
    `folder`, `dialogues`, `samples`, `seed`, `max_turns`, `concurrency`, `retries`, `retry_wait`, `system`,
    `temperature`, `max_tokens`, `budget_responses`, `budget_tokens`, `budget_dollars` and
    `progress`, a function of the numbers of dialogues that are done, of all, and of responses.

    An exception of the function that says nothing about a request stops the run and is raised here.
    Cancelling it finishes the requests in flight and sends no further one: `resume` continues the run.
    """
    import asyncio

    made = _settings(model, judge, asyncio.get_running_loop(), settings)
    return await _started(benchmark._run, made)


def run(benchmark: Benchmark, model: str | Model, *, judge: Any = None, **settings: Any) -> Finished:
    """The same for programs without an event loop: blocks until the run ends."""
    import asyncio

    return asyncio.run(run_async(benchmark, model, judge=judge, **settings))


def resume(
    folder: str | os.PathLike[str], model: str | Model, *, judge: Any = None, **settings: Any
) -> Finished:
    """Resume the run in a folder: recorded requests are not sent again.

    `dialogues` and `samples` may be larger than those of the run.
    """

    import asyncio

    async def resumed() -> Finished:
        made = _settings(model, judge, asyncio.get_running_loop(), settings)
        return await _started(lambda made: _ifs.resume(os.fspath(folder), made), made)

    return asyncio.run(resumed())
