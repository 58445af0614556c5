"""No marks of unfinished work or of unfinished merges, and no paths that exist on one machine only."""

import re

from tree import numbered_lines, paths

# Spelt with brackets so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b")
CONFLICT = re.compile(r"^([<]{7}|[>]{7}|[|]{7}) ")
MACHINE_PATH = re.compile(r"(?<![\w.*~})$-])/(ho[m]e|ro[o]t|Us[e]rs|wo[r]k)/[\w.]")
DATA = ("tests/fuzz/corpus/", "tests/golden/", "tests/lints/self_test.py")


def findings(tree):
    for path in paths(tree):
        if path.startswith(DATA):
            continue
        for number, line in numbered_lines(tree[path]):
            if word := UNFINISHED.search(line):
                yield f"{path}:{number}: {word[0]}: finish it, or leave it out"
            if CONFLICT.search(line):
                yield f"{path}:{number}: {line[:7]}: a merge that was not finished"
            if place := MACHINE_PATH.search(line):
                yield f"{path}:{number}: {place[0]}...: a path of one machine"
