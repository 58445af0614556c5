"""Checks a source tree: lint.py ROOT [RULE...]; without a rule all of them. Exit code 1 where something was found."""

import importlib
import pathlib
import sys

from tree import read_tree

RULES = sorted(path.stem for path in (pathlib.Path(__file__).parent / "rules").glob("[a-z]*.py"))


def findings(rule, tree):
    return list(importlib.import_module("rules." + rule).findings(tree))


def main(root, *rules):
    tree = read_tree(root)
    found = [f"{rule}: {finding}" for rule in rules or RULES for finding in findings(rule, tree)]
    print("\n".join(found) if found else "nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(RULES):
        sys.exit(f"usage: lint.py ROOT [RULE...]; rules: {' '.join(RULES)}")
    sys.exit(main(*sys.argv[1:]))
