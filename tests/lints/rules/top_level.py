"""The top of the repository is its table of contents: what appears there is decided, not left behind."""

from tree import paths

ALLOWED = {"CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"}
ALLOWED |= {"common", "proto", "worker", "manager", "tests", "deploy", "docs"}


def findings(tree):
    entries = {path.split("/")[0] for path in paths(tree)}
    for entry in sorted(entries - ALLOWED):
        if not entry.startswith("."):
            yield f"{entry}: not one of the entries that belong at the top (tests/lints/rules/top_level.py)"
    for entry in sorted(ALLOWED - entries):
        yield f"{entry}: missing at the top"
