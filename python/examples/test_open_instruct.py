"""The labels of open-instruct's IFEval data, in each form that they come in.

open-instruct is not on PyPI. Where it is not installed, two classes of its interface are in its place.
"""

import asyncio
import importlib.util
import json
import sys
import types
from dataclasses import dataclass

import pytest

if importlib.util.find_spec("open_instruct") is None:

    @dataclass
    class VerificationResult:
        score: float
        cost: float = 0.0
        reasoning: str | None = None

    class VerifierFunction:
        def __init__(self, name, weight=1.0, verifier_config=None):
            self.name, self.weight, self.verifier_config = name, weight, verifier_config

        async def async_call(self, *given):
            return await asyncio.to_thread(self, *given)

    interface = types.ModuleType("open_instruct.ground_truth_utils")
    interface.VerificationResult, interface.VerifierFunction = VerificationResult, VerifierFunction
    sys.modules["open_instruct"] = types.ModuleType("open_instruct")
    sys.modules["open_instruct.ground_truth_utils"] = interface

from open_instruct_verifier import Verifier  # noqa: E402

RECORD = {
    "instruction_id": ["punctuation:no_comma", "length_constraints:number_words"],
    "kwargs": [None, {"num_words": 3, "relation": "at least", "unused": None}],
}


def score(prediction, label, *more):
    return Verifier()([], prediction, label, *more).score


@pytest.mark.parametrize(
    "label",
    [str([RECORD]), json.dumps([RECORD]), str([json.dumps(RECORD)]), [RECORD], RECORD],
    ids=["python", "json", "json in python", "list", "record"],
)
def test_labels_are_read_in_each_form(label):
    assert score("<think>One, two.</think>One two three.", label) == 1.0
    assert score("One, two three.", label) == 0.5
    assert score("<answer>One, two.</answer>", label, "A question.", None) == 0.0


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        ("One, two.</think>One two three.", 1.0),
        ("<|assistant|><think>One.</think> Here: <answer>one two</answer>", 1.0),
        ("One, <answer>two three four</answer>", 0.5),
        ("<think>One two three.</think>", 0.0),
        ("", 0.0),
    ],
    ids=["no opening tag", "text before the answer", "a comma before it", "no answer", "empty"],
)
def test_what_is_verified_is_the_text_after_the_reasoning(prediction, expected):
    assert score(prediction, [RECORD]) == expected


def test_it_is_called_as_open_instruct_calls_it():
    verify = Verifier(None)
    assert (verify.name, verify.weight) == ("ifs", 1.0)
    result = asyncio.run(verify.async_call([], "One, two three.", str([RECORD]), "A question."))
    assert result.score == 0.5 and "the response contains" in result.reasoning


def test_a_label_that_cannot_be_read_is_not_a_zero():
    with pytest.raises(ValueError, match="the label cannot be verified"):
        score("One.", {"instruction_id": ["no:such"], "kwargs": [{}]})
