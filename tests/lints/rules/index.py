"""docs/README.md is the index of the documentation: each page in docs/ has its line there."""

import posixpath
import re

from tree import paths

INDEX = "docs/README.md"


def findings(tree):
    targets = re.findall(r"\]\(([^)#\s]+)", tree.get(INDEX, ""))
    indexed = {posixpath.normpath(posixpath.join("docs", target)) for target in targets}
    for path in paths(tree, ".md", under="docs/"):
        if path != INDEX and path not in indexed:
            yield f"{path}: has no line in {INDEX}"
