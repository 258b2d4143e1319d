"""Tables in, tables out."""

import json
import subprocess
import sys

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.ipc  # noqa: E402

import ifs.arrow  # noqa: E402

COMMA = "std.ifeval.punctuation.no_comma"


def graded(table, **options):
    return pa.table(ifs.arrow.grade(table, **options))


def test_the_schema_is_fixed_and_extra_columns_pass_through():
    table = pa.table(
        {
            "key": [7, 8, 9],
            "response": ["One two.", "One, two.", None],
            "constraint": [COMMA, COMMA, COMMA],
            "source": ["a", "b", "c"],
        }
    )
    found = graded(table)
    assert found.schema.names == [*ifs.arrow.SCHEMA.names, "source"]
    wanted = pa.schema(ifs.arrow.SCHEMA)
    assert [found.schema.field(name) for name in wanted.names] == list(wanted)
    first, second, third = found.to_pylist()
    assert (first["id"], first["strict"], first["share"], first["error"]) == ("7", True, 1.0, None)
    assert (second["strict"], second["loose"], second["source"]) == (False, False, "b")
    assert second["constraints"][0]["name"] == COMMA
    # A missing response is neither a pass nor a miss.
    assert third["strict"] is None and third["constraints"] is None
    assert "the row has no response" in third["error"]


def test_structs_of_published_data_lose_the_fields_that_are_null():
    rows = [
        {
            "response": "THIS IS A TEXT IN CAPITALS THAT SAYS VERY LITTLE.",
            "instruction_id_list": ["change_case:english_capital", "length_constraints:number_words"],
            "kwargs": [
                {"relation": None, "num_words": None},
                {"relation": "at least", "num_words": 20},
            ],
        }
    ]
    [from_structs] = graded(pa.Table.from_pylist(rows)).to_pylist()
    rows[0]["kwargs"] = json.dumps([{}, rows[0]["kwargs"][1]])
    [from_json] = graded(pa.Table.from_pylist(rows)).to_pylist()
    assert from_structs == from_json
    assert (from_json["strict"], from_json["share"]) == (False, 0.5)


def test_no_row_raises():
    table = pa.table(
        {
            "answer": ["A.", "A.", "A."],
            "constraint": ["std.ifeval.nothing", COMMA, COMMA],
            "args": ["{}", "{not json", "[1]"],
        }
    )
    errors = graded(table)["error"].to_pylist()
    assert all(errors)
    assert "there is no constraint" in errors[0] and "is not JSON" in errors[1]
    empty = graded(table.slice(0, 0))
    assert empty.num_rows == 0 and empty.schema.names == ifs.arrow.SCHEMA.names


def test_anything_with_the_capsule_interface():
    class Capsule:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    table = pa.table({"answer": ["A."], "constraint": [COMMA]})
    assert graded(Capsule(table))["strict"].to_pylist() == [True]
    assert graded(table.to_batches()[0])["strict"].to_pylist() == [True]
    with pytest.raises(TypeError, match="list has no Arrow PyCapsule interface"):
        graded([1])
    with pytest.raises(TypeError, match="Array is not a table or a record batch"):
        graded(pa.array([1]))
    with pytest.raises(TypeError, match="ChunkedArray is not a table or a record batch"):
        graded(pa.chunked_array([[1]]))


def test_a_table_says_what_it_is():
    table = ifs.arrow.grade(pa.table({"answer": ["A.", "B."], "constraint": [COMMA] * 2}))
    assert (len(table), table.num_rows) == (2, 2)
    assert table.column_names == table.schema.names == ifs.arrow.SCHEMA.names
    assert repr(table) == "<Table of 2 rows: id, strict, loose, share, constraints, error>"
    # It can be read more than once, and after its input is gone.
    assert pa.table(table) == pa.table(table)


def test_a_stream_that_breaks_off_raises():
    def batches():
        yield pa.record_batch({"answer": ["A."], "constraint": [COMMA]})
        raise OSError("the disk is gone")

    schema = pa.schema({"answer": pa.string(), "constraint": pa.string()})
    with pytest.raises(ValueError, match="the disk is gone"):
        ifs.arrow.grade(pa.RecordBatchReader.from_batches(schema, batches()))


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
    ],
)
def test_texts_of_all_kinds(kind):
    texts = pa.table({"answer": ["A.", "A, b.", None], "constraint": [COMMA] * 3})
    other = texts.set_column(0, "answer", texts["answer"].cast(kind))
    assert graded(other) == graded(texts)


def test_values_of_all_kinds():
    words = "length_constraints:number_words"
    plain = [{"relation": "at least", "num_words": 2}]
    fields = pa.struct({"relation": pa.string(), "num_words": pa.int16()})
    maps = pa.map_(pa.string(), pa.string())
    for kwargs in (
        pa.array([json.dumps(plain)], pa.large_string()),
        pa.array([plain], pa.large_list(fields)),
        pa.array([plain], pa.list_(fields, 1)),
        pa.array([[{"relation": "at least", "num_words": 2, "absent": None}]]),
        pa.array([json.dumps([{**plain[0], "absent": None}])]),
    ):
        table = pa.table({"answer": ["One two."], "instruction_id_list": [[words]], "kwargs": kwargs})
        [row] = graded(table).to_pylist()
        assert (row["strict"], row["error"]) == (True, None), kwargs.type
    # The arguments of an instruction without any.
    for kwargs in ([[None]], ["[null]"], pa.array([[[]]], pa.list_(maps))):
        names = '["punctuation:no_comma"]'
        table = pa.table({"answer": ["One."], "instruction_id_list": [names], "kwargs": kwargs})
        assert graded(table)["error"].to_pylist() == [None]
    days = pa.table({"answer": ["A."], "constraint": [COMMA], "args": pa.array([1], pa.date32())})
    assert "`args` of the row is of type Date32" in graded(days)["error"].to_pylist()[0]


def test_json_in_a_text_is_one_value():
    table = pa.table({"answer": ["A, b."], "constraint": [COMMA], "args": ['{}, "answer": "A."']})
    assert "is not JSON" in graded(table)["error"].to_pylist()[0]


def test_names_of_rows_are_texts():
    for names in ([7], ["7"], pa.array(["7"], pa.dictionary(pa.int8(), pa.string()))):
        table = pa.table({"key": names, "answer": ["A."], "constraint": [COMMA]})
        assert graded(table)["id"].to_pylist() == ["7"]
    both = pa.table({"key": ["a"], "id": [None], "answer": ["A."], "constraint": [COMMA]})
    assert graded(both).schema.names == [*ifs.arrow.SCHEMA.names, "key"]


@pytest.mark.parametrize("package", ["polars", "pandas", "duckdb", "nanoarrow"])
def test_packages_with_the_interface(package):
    """In a process of its own, without pyarrow where the package works without it."""
    pytest.importorskip(package)
    code = f"""
import sys
if {package!r} in ("polars", "nanoarrow"):
    sys.modules["pyarrow"] = None
import ifs.arrow, {package} as of
columns = {{"id": ["a", "b"], "answer": ["A.", "A, b."], "constraint": ["{COMMA}"] * 2, "n": [1, 2]}}
if {package!r} == "polars":
    table = of.DataFrame(columns)
    read = lambda graded: of.DataFrame(graded).rows(named=True)
    assert of.DataFrame(ifs.arrow.grade(table.lazy().collect())).schema["constraints"] == of.List(
        of.Struct({{"name": of.String, "group": of.String, "held": of.Boolean, "loose": of.Boolean,
                   "why": of.String}}))
elif {package!r} == "pandas":
    table = of.DataFrame(columns)
    read = lambda graded: of.DataFrame.from_arrow(graded).to_dict("records")
elif {package!r} == "duckdb":
    table = of.sql("select * from (values ('a', 'A.', '{COMMA}', 1), ('b', 'A, b.', '{COMMA}', 2)) "
                   "as t(id, answer, 'constraint', n)".replace("'constraint'", '"constraint"'))
    def read(graded):
        found = of.sql("select * from graded order by id")
        return [dict(zip(found.columns, row)) for row in found.fetchall()]
else:
    kinds = {{"id": of.string(), "answer": of.string(), "constraint": of.string(), "n": of.int64()}}
    arrays = [of.c_array(values, kinds[name]) for name, values in columns.items()]
    table = of.c_array_from_buffers(of.struct(kinds), 2, [None], children=arrays)
    read = lambda graded: of.Array(graded).to_pylist()
rows = read(ifs.arrow.grade(table))
assert [(row["id"], row["strict"], row["share"], row["n"]) for row in rows] == [
    ("a", True, 1.0, 1), ("b", False, 0.0, 2)], rows
assert rows[1]["constraints"][0]["why"], rows
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_package_is_needed():
    code = """
import sys
sys.modules["pyarrow"] = None
import ifs.arrow
scenario = 'ifs 1\\ndialogue talk { turn one { ask "Why?" } turn two { ask "And?" } }\\n'
drawn = ifs.arrow.draw(ifs.loads(scenario), 1, 0, 3)
assert len(drawn) == 6, drawn
# Its own tables are tables, too: these rows have no answer.
assert ifs.arrow.grade(drawn).column_names[:2] == ["id", "strict"]
assert not [name for name in sys.modules if name.split(".")[0] in ("numpy", "polars", "pandas")]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_batches_total_what_one_table_does(tides):
    rows = [
        {"answer": f"{'word ' * (at % 12)}.", "constraint": "length.at_most", "args": '{"n": 5}'}
        for at in range(500)
    ]
    table = pa.Table.from_pylist(rows)
    whole = graded(table, benchmark=tides, num_threads=2)
    parts = [graded(part, benchmark=tides) for part in table.to_batches(max_chunksize=77)]
    assert pa.concat_tables(parts).to_pylist() == whole.to_pylist()


def test_turns_are_drawn_into_a_table(tides):
    drawn = pa.table(ifs.arrow.draw(tides, seed=1, start=3, count=2))
    assert drawn.schema == pa.schema(ifs.arrow.DRAWN)
    assert drawn["index"].to_pylist() == [3, 3, 3, 4, 4, 4]
    assert drawn["ask"].to_pylist()[0] == tides.draw(1, 3).turn(1).ask
    assert json.loads(drawn["args"].to_pylist()[0]) == [tides.draw(1, 3).turn(1).constraints[0].args]
    assert ifs.arrow.draw(tides, 1, 0, 2, max_turns=1).num_rows == 2


@pytest.mark.parametrize("form", ["arrow-stream", "parquet"])
def test_the_command_grades_shards_of_a_pipe(form, tmp_path):
    table = pa.table(
        {
            "id": [str(at) for at in range(100)],
            "answer": ["One, two." if at % 3 else "Three." for at in range(100)],
            "constraint": [COMMA] * 100,
            "source": list(range(100)),
        }
    )
    if form == "parquet":
        from pyarrow import parquet

        parquet.write_table(table, tmp_path / "rows", compression="zstd")
    else:
        with pa.ipc.new_stream(tmp_path / "rows", table.schema) as writer:
            writer.write_table(table, max_chunksize=7)

    def part(shard):
        command = [sys.executable, "-m", "ifs", "grade", "-", "--format", form, "--shard", shard]
        with open(tmp_path / "rows", "rb") as rows:
            done = subprocess.run(command, stdin=rows, capture_output=True, check=True)
        if form == "parquet":
            return parquet.read_table(pa.BufferReader(done.stdout))
        return pa.ipc.open_stream(done.stdout).read_all()

    parts = [part(f"{index}/3") for index in (1, 2, 3)]
    assert [part.num_rows for part in parts] == [34, 33, 33]
    rows = sorted((row for part in parts for row in part.to_pylist()), key=lambda row: row["source"])
    assert rows == graded(table).to_pylist()


def test_the_function_for_spark_takes_and_gives_record_batches():
    import ifs.spark

    table = pa.table({"answer": ["A.", "A, b."], "constraint": [COMMA] * 2, "source": ["a", "b"]})
    [batch] = ifs.spark.grade()(iter(table.to_batches()))
    assert isinstance(batch, pa.RecordBatch) and batch.schema.names == ifs.arrow.SCHEMA.names
    assert batch["strict"].to_pylist() == [True, False]
