"""Spark itself: `mapInArrow` with two local workers."""

import os
import sys

import pytest

pyspark = pytest.importorskip("pyspark")

from pyspark.sql import SparkSession  # noqa: E402

import ifs.spark  # noqa: E402

COMMA = "std.ifeval.punctuation.no_comma"


@pytest.fixture(scope="module")
def spark():
    # Workers have the packages of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


def rows(count):
    texts = ["Three. ", "One, two. "]
    return [
        (str(at), texts[at % 2] if at % 7 else None, COMMA if at % 5 else "std.ifeval.nothing")
        for at in range(count)
    ]


def test_partitions_total_what_one_process_does(spark):
    given = rows(3_000)
    frame = spark.createDataFrame(given, "id string, answer string, constraint string")
    graded = frame.repartition(6).mapInArrow(ifs.spark.grade(), ifs.spark.SCHEMA).collect()
    lines = [
        {"answer": answer, "constraint": constraint} for _, answer, constraint in given
    ]
    expected = dict(zip([row[0] for row in given], ifs.grade(lines), strict=True))
    assert len(graded) == len(expected) == 3_000
    for row in graded:
        grade = expected[row.id]
        assert (row.strict, row.loose, row.share) == (grade.strict, grade.loose, grade.reward)
        assert row.error == grade.error
        held = None if grade.error else [one.held for one in grade.constraints]
        assert (row.constraints and [one.held for one in row.constraints]) == held


def test_a_scenario_in_the_workers(spark, tides_path):
    given = [("One two.", "length.at_most", '{"n": 5}'), ("1 2 3 4 5 6", "length.at_most", '{"n": 5}')]
    frame = spark.createDataFrame(given, "answer string, constraint string, args string")
    graded = frame.mapInArrow(ifs.spark.grade(tides_path), ifs.spark.SCHEMA).collect()
    assert [row.strict for row in graded] == [True, False]
    assert "words" in graded[1].constraints[0].why
