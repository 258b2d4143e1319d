#!/usr/bin/env bash
# JUnit against the schema that Jenkins' xUnit plugin and pytest use, LaTeX compiled, Parquet and Arrow read by
# pyarrow and polars. Sets up an environment of its own under target/interop. LaTeX is skipped where pdflatex is
# missing, and Parquet and Arrow where ifs (IFS_PROGRAM) was built without the feature `arrow`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/tools.sh"
environment formats "polars, pyarrow, xmlschema" "polars pyarrow xmlschema"
# The schema is in pytest's sources.
[ -f "$place/junit-10.xsd" ] || {
  "$place/bin/pip" download --quiet --no-deps --no-binary :all: --dest "$place" 'pytest==8.3.4'
  tar -xzf "$place/pytest-8.3.4.tar.gz" -C "$place" --strip-components 3 pytest-8.3.4/testing/example_scripts/junit-10.xsd
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run() {
  "$ifs" run "$root/scenarios/$1/$1.ifs" -n 4 --max-turns 6 -m "$2" --judge sim/judge --out "$3" > run.log 2>&1 || {
    cat run.log
    exit 1
  }
}
for system in evolif structflowbench meeseeks mars mmmt sysbench hierarchy; do
  run "$system" sim/forgetful "$system"
  for format in junit latex; do
    "$ifs" report "$system" --format "$format" > "$system.$format"
  done
done
run evolif sim/noisy:0.4 other
"$ifs" report evolif other --format latex > several.latex
"$ifs" report evolif other --format junit > several.junit
"$ifs" compare evolif other --by group --format latex > compare.latex
"$ifs" compare evolif other --format junit > compare.junit
"$ifs" gate evolif other --fail-under ISR=0.9 --fail-under CSR=0.1 --format junit > gate.junit || [ $? = 1 ]

"$place/bin/python" - "$place/junit-10.xsd" ./*.junit <<'END'
import sys
import xmlschema

schema = xmlschema.XMLSchema(sys.argv[1])
for path in sys.argv[2:]:
    schema.validate(path)
print(f"ok: {len(sys.argv) - 2} JUnit files are valid")
END
if command -v pdflatex > /dev/null; then
  for table in *.latex; do
    printf '\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\\begin{document}\n\\input{%s}\n\\end{document}\n' \
      "$table" > document.tex
    pdflatex -interaction=nonstopmode -halt-on-error document.tex > latex.log || {
      cat latex.log
      exit 1
    }
    if grep 'Overfull \\hbox' latex.log; then
      echo "$table is wider than the page"
      exit 1
    fi
    echo "ok: $table is compiled"
  done
else
  echo "skipped: pdflatex is missing (Debian: texlive-latex-recommended)"
fi
if "$ifs" report evolif --format parquet > rows.parquet 2> parquet.log; then
  "$ifs" report evolif --format arrow > rows.arrow
  "$ifs" report evolif --format csv > rows.csv
  "$place/bin/python" - <<'END'
import csv

import polars
import pyarrow.ipc
import pyarrow.parquet

rows = list(csv.DictReader(open("rows.csv")))
tables = [pyarrow.parquet.read_table("rows.parquet"), pyarrow.ipc.open_file("rows.arrow").read_all()]
frames = [polars.read_parquet("rows.parquet"), polars.read_ipc("rows.arrow")]
for table in [*tables, *(frame.to_arrow() for frame in frames)]:
    assert table.column_names == list(rows[0]), table.column_names
    assert table.num_rows == len(rows), table.num_rows
    for name in table.column_names:
        for cell, row in zip(table[name].to_pylist(), rows):
            given = row[name]
            same = given == "" if cell is None else float(given) == cell if isinstance(cell, float) else str(cell) == given
            assert same, (name, cell, given)
print(f"ok: pyarrow and polars read {len(rows)} rows with the cells of the CSV")
END
else
  grep -q "feature" parquet.log || {
    cat parquet.log
    exit 1
  }
  echo "skipped: Parquet and Arrow, without the feature arrow"
fi
