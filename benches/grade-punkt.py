"""Writes the parameters of the Punkt procedure as nltk reads them, out of the table of ifs-text.

For machines that reach package indices but not nltk's own data. Both hold the same parameters.
Usage: python grade-punkt.py crates/ifs-text/src/punkt.txt NLTK_DATA_FOLDER
"""

import pathlib
import sys

table, data = (pathlib.Path(path) for path in sys.argv[1:])
lines = [line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
learnt = {name: words.split(" ") for name, words in (line.split(" ", 1) for line in lines)}
folder = data / "tokenizers/punkt_tab/english"
folder.mkdir(parents=True, exist_ok=True)


def write(name, lines):
    (folder / name).write_text("\n".join(sorted(lines)), encoding="utf-8")


collocations = learnt["collocations"]
write("abbrev_types.txt", learnt["abbreviations"])
write("sent_starters.txt", learnt["starters"])
write("collocations.tab", ("\t".join(pair) for pair in zip(collocations[::2], collocations[1::2])))
write("ortho_context.tab", (f"{word}\t{name}" for name, words in learnt.items() if name.isdecimal() for word in words))
