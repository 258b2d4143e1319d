"""A verifier for open-instruct that takes the labels of its IFEval data: `--remap_verifier ifeval=ifs`.

open-instruct builds all subclasses of `VerifierFunction` that are imported when it starts, so import this module
beside it. Labels are a list of one record with `instruction_id` and `kwargs`, as JSON or as Python writes it. A
response has the share of its instructions as its score. A label that cannot be read raises: it is a mistake of the
data, and no response deserves a 0 for it.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from open_instruct.ground_truth_utils import VerificationResult, VerifierFunction

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


class Verifier(VerifierFunction):
    def __init__(self, verifier_config: Any = None) -> None:
        super().__init__("ifs", weight=1.0, verifier_config=verifier_config)

    def __call__(
        self,
        tokenized_prediction: list[int],
        prediction: str,
        label: Any,
        query: str | None = None,
        rollout_state: dict[str, Any] | None = None,
    ) -> VerificationResult:
        [grade] = ifs.grade([row(label, prediction, query)], raw_text=True)
        if grade.error is not None:
            raise ValueError(f"the label cannot be verified: {grade.error}")
        if grade.reward is None:
            raise ValueError("no rule decides the constraints of this label")
        missed = [f"{one.name}: {one.why}" for one in grade.constraints if one.held is False]
        return VerificationResult(score=grade.reward, reasoning="\n".join(missed) or None)
