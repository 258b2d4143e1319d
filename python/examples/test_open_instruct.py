"""The labels of open-instruct's IFEval data, in each form that they come in."""

import json

import pytest
from open_instruct_verifier import Verifier

RECORD = {
    "instruction_id": ["punctuation:no_comma", "length_constraints:number_words"],
    "kwargs": [None, {"num_words": 3, "relation": "at least", "unused": None}],
}


@pytest.mark.parametrize(
    "label",
    [str([RECORD]), json.dumps([RECORD]), str([json.dumps(RECORD)]), [RECORD], RECORD],
    ids=["python", "json", "json in python", "list", "record"],
)
def test_labels_are_read_in_each_form(label):
    verify = Verifier()
    assert verify([], "<think>One, two.</think>One two three.", label) == 1.0
    assert verify([], "One, two three.", label) == 0.5
    assert verify([], "<answer>One, two.</answer>", label, "A question.", None) == 0.0


@pytest.mark.parametrize(
    ("prediction", "score"),
    [
        ("One, two.</think>One two three.", 1.0),
        ("<|assistant|><think>One.</think> Here: <answer>one two</answer>", 1.0),
        ("One, <answer>two three four</answer>", 0.5),
        ("<think>One two three.</think>", 0.0),
        ("", 0.0),
    ],
    ids=["no opening tag", "text before the answer", "a comma before it", "no answer", "empty"],
)
def test_what_is_verified_is_the_text_after_the_reasoning(prediction, score):
    assert Verifier()([], prediction, [RECORD]) == score


def test_a_label_that_cannot_be_read_is_not_a_zero():
    with pytest.raises(ValueError, match="the label cannot be verified"):
        Verifier()([], "One.", {"instruction_id": ["no:such"], "kwargs": [{}]})
