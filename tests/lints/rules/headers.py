"""#pragma once opens each header; each source includes its own header first, which shows that the header stands alone."""

import re

from tree import paths


def _first_code_line(text):
    for line in text.split("\n"):
        line = line.strip()
        if line and not line.startswith("//"):
            return line
    return ""


def findings(tree):
    for path in paths(tree, ".h"):
        if _first_code_line(tree[path]) != "#pragma once":
            yield f"{path}: the first line that is not a comment is not #pragma once"
    for path in paths(tree, ".cpp"):
        own = path[: -len(".cpp")] + ".h"
        included = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', tree[path], re.M)
        if own in tree and (not included or included[0] != own):
            yield f'{path}: the first include is not "{own}"'
