"""Grading of rows."""

import json

import pytest

import ifs

COMMA = "std.ifeval.punctuation.no_comma"


def test_rows_name_constraints_of_the_library():
    held, missed = ifs.grade(
        [
            {"answer": "One two.", "constraint": COMMA},
            {"response": "One, two.", "constraint": COMMA},
        ]
    )
    assert (held.strict, held.reward, held.missed) == (True, 1.0, [])
    assert (missed.strict, missed.reward, missed.missed) == (False, 0.0, [COMMA])
    [verdict] = missed.constraints
    assert verdict.group == "std.ifeval.punctuation" and "must not contain" in verdict.why


def test_rows_of_published_data():
    row = {
        "prompt": "Write two paragraphs in capitals.",
        "response": "THIS IS A TEXT IN CAPITALS THAT SAYS VERY LITTLE.",
        "instruction_id_list": ["change_case:english_capital", "length_constraints:number_words"],
        "kwargs": [{}, {"relation": "at least", "num_words": 20}],
    }
    [grade] = ifs.grade([row])
    assert [one.held for one in grade.constraints] == [True, False]
    assert (grade.reward, grade.strict) == (0.5, False)


def test_rows_are_dictionaries_texts_or_bytes():
    row = {"answer": 'A "quoted" text,\n𝄞.', "constraint": COMMA, "other": (1, 2.5, None, True)}
    text = json.dumps(row)
    grades = ifs.grade([row, text, text.encode()])
    assert [grade.strict for grade in grades] == [False] * 3
    assert ifs.grade(iter([row]))[0].strict is False


def test_a_row_that_cannot_be_graded_is_neither_a_pass_nor_a_miss():
    bad = [
        {"constraint": COMMA},
        {"answer": "A.", "constraint": "std.ifeval.nothing"},
        {"answer": "A.", "constraint": "std.ifeval.length_constraints.number_words"},
        "not a row",
        {"answer": None, "constraint": COMMA},
    ]
    good = {"answer": "A.", "constraint": COMMA}
    grades = ifs.grade([*bad, good])
    assert all(grade.error and grade.reward is None and grade.strict is None for grade in grades[:5])
    assert grades[5].strict is True and grades[5].error is None


def test_what_json_cannot_have_is_a_type_error():
    with pytest.raises(TypeError, match="this is of type set"):
        ifs.grade([{"answer": {1, 2}, "constraint": COMMA}])
    endless: list = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        ifs.grade([{"answer": "A.", "constraint": COMMA, "x": endless}])


def test_threads_change_nothing():
    rows = [{"answer": f"{'One, two. ' * (at % 7)}{at}", "constraint": COMMA} for at in range(1000)]
    alone = [repr(grade) for grade in ifs.grade(rows)]
    assert [repr(grade) for grade in ifs.grade(rows, num_threads=4)] == alone
    assert [repr(grade) for grade in ifs.grade(rows, num_threads=0)] == alone


def test_brief_grades_have_no_reasons():
    row = {"answer": "One, two.", "constraint": COMMA}
    [grade] = ifs.grade([row], brief=True, loose=False)
    assert (grade.strict, grade.loose, grade.constraints[0].why) == (False, None, None)


def test_rows_of_a_scenario(tides):
    row = {"answer": "One two three.", "constraint": "length.at_most", "args": {"n": 2}}
    [grade] = tides.grade([row])
    assert (grade.strict, grade.constraints[0].group) == (False, "length")


def test_reasoning_is_not_graded():
    row = {"answer": "<think>One, two.</think>Three.", "constraint": COMMA}
    assert ifs.grade([row])[0].strict is True
    assert ifs.grade([row], raw_text=True)[0].strict is False
    for block in ["[THINK]One, two.[/THINK]", "<reasoning>One, two.</reasoning>", "【思考】一, 二。【/思考】"]:
        assert ifs.grade([{**row, "answer": f"{block}Three."}])[0].strict is True, block
