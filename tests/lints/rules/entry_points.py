"""A newcomer needs two commands, the README names them, they can be run, and continuous integration runs the same tests."""

import re

from tree import EXECUTABLE, paths

COMMANDS = {"deploy/quickstart", "deploy/test"}


def findings(tree):
    named = set(re.findall(r"\./(deploy/[\w-]+)", tree.get("README.md", "")))
    if named != COMMANDS:
        yield f"README.md: names {sorted(named)} as ./deploy/ commands, expected {sorted(COMMANDS)}"
    for path in sorted(COMMANDS | {".ci/run"}):
        if path not in tree:
            yield f"{path}: missing"
    for path in paths(tree):
        if tree[path].startswith("#!") and path not in tree[EXECUTABLE]:
            yield f"{path}: a script without a run bit"
    if not re.search(r"^[^#\n]*\./deploy/test\b", tree.get(".ci/run", ""), re.M):
        yield ".ci/run: does not run ./deploy/test"
