"""A verifier for open-instruct that takes the labels of its IFEval data.

Labels are a list of one record with `instruction_id` and `kwargs`, as JSON or as Python writes it. A response has
the share of its instructions as its score. A label that cannot be read raises: it is a mistake of the data, and
no response deserves a 0 for it.

Written against the interface of `open_instruct.ground_truth_utils`, and not run with open-instruct, which is not on
PyPI. In its code:

    class IFVerifier(VerifierFunction):
        def __init__(self, verifier_config=None):
            super().__init__("ifeval", weight=1.0)

        def __call__(self, tokenized_prediction, prediction, label, query=None):
            score = Verifier()(tokenized_prediction, prediction, label, query)
            return VerificationResult(score=score)
"""

from __future__ import annotations

import ast
import json
from typing import Any

import ifs


def answer(prediction: str) -> str:
    """What is verified: the text after the reasoning, without the tags of an answer."""
    text = prediction.replace("<|assistant|>", "").rpartition("</think>")[2]
    return text.replace("<answer>", "").replace("</answer>", "").strip()


def row(label: Any, prediction: str, query: str | None = None) -> dict[str, Any]:
    """The row of `ifs.grade` for a label and a prediction."""
    if isinstance(label, str):
        try:
            label = json.loads(label)
        except ValueError:
            label = ast.literal_eval(label)
    while isinstance(label, list):
        label = label[0]
    if isinstance(label, str):
        label = json.loads(label)
    given = [
        {name: value for name, value in (one or {}).items() if value is not None}
        for one in label["kwargs"]
    ]
    made = {
        "response": answer(prediction),
        "instruction_id_list": label["instruction_id"],
        "kwargs": given,
    }
    return made if query is None else {**made, "prompt": query}


class Verifier:
    """What a `VerifierFunction` of open-instruct calls; its score as a number."""

    name, weight = "ifeval", 1.0

    def __call__(
        self,
        tokenized_prediction: list[int],
        prediction: str,
        label: Any,
        query: str | None = None,
        rollout_state: dict | None = None,
    ) -> float:
        [grade] = ifs.grade([row(label, prediction, query)], raw_text=True)
        if grade.error is not None:
            raise ValueError(f"the label cannot be verified: {grade.error}")
        if grade.reward is None:
            raise ValueError("no rule decides the constraints of this label")
        return grade.reward
