"""Writes src/punkt.txt from the parameters that Punkt learnt of English.

Usage: python3 punkt_table.py english.json > ../src/punkt.txt

`english.json` is in the crate punkt_n 1.0.5 (src/data; MIT or Apache-2.0), which has it from NLTK's `punkt` package.
"""

import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    learnt = json.load(file)

print("# What the Punkt procedure (Kiss and Strunk 2006) learnt of English from news texts, as NLTK distributes it.")
print("# Written by scripts/punkt_table.py from english.json of the crate punkt_n 1.0.5 (MIT or Apache-2.0).")
print("# A number is the sum of the orthographic contexts that its words were seen in (see punkt_data.rs).")
# A token has no blanks, so the abbreviation ". . " is never looked up.
print("abbreviations", *sorted(word for word in learnt["abbrev_types"] if " " not in word))
print("starters", *sorted(learnt["sentence_starters"]))
print("collocations", *(word for pair in sorted(learnt["collocations"]) for word in pair))
contexts = collections.defaultdict(list)
for word, context in learnt["ortho_context"].items():
    contexts[context].append(word)
for context, words in sorted(contexts.items()):
    print(context, *sorted(words))
