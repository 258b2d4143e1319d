"""Dialogues that the program runs itself, as an environment with `reset` and `step`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ._ifs import Grade, Session as _Session
from ._pickle import session as _load

Judge = Callable[[str, str], "bool | tuple[bool, str]"]


class Step(NamedTuple):
    """What follows from a response."""

    grade: Grade
    """The grade of the response."""
    messages: list[dict[str, Any]] | None
    """The next messages to send; None if the dialogue is over."""

    @property
    def reward(self) -> float | None:
        """The share of constraints that the response satisfies; None if no rule decides one."""
        return self.grade.reward

    @property
    def done(self) -> bool:
        """Whether the dialogue is over."""
        return self.messages is None


class Session(_Session):
    """A dialogue in progress, with its rounds of feedback, patience and ends."""

    def step(self, text: str, *, judge: Judge | None = None) -> Step:
        """Accept a response, and return its grade with the next messages.

        `judge(key, question)` decides what no rule can; it returns whether the answer is yes, or a
        pair of that and a reason. Without it such constraints have no part in the reward.
        """
        grade = self.answer(text)
        if judge is not None:
            for key, question in self.questions():
                verdict = judge(key, question)
                held, why = verdict if isinstance(verdict, tuple) else (verdict, None)
                grade = self.judge(key, held, why)
        return Step(grade, self.next())

    def finish(self) -> dict[str, Any]:
        """End the dialogue, and return its transcript as in `transcripts.jsonl` of a run."""
        import json

        transcript: dict[str, Any] = json.loads(self._finish())
        return transcript

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (type(self), self.benchmark, self.seed, self.index, self.responses)
