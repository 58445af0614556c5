"""Links between documents lead somewhere, with their anchors; so does every docs/ page that is named in any text."""

import posixpath
import re

from tree import paths

SKIPPED = ("tests/lints/self_test.py",)  # made-up trees


def anchors(text):
    """The anchors of a Markdown text, as GitHub makes them from headings."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*$", _without_code(text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain)))
    return found


def _without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def _exists(tree, path):
    return path in tree or any(p.startswith(path.rstrip("/") + "/") for p in paths(tree))


def findings(tree):
    for path in paths(tree, ".md"):
        prose = re.sub(r"`[^`\n]*`", "", _without_code(tree[path]))
        for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            if not _exists(tree, goal):
                yield f"{path}: the link to {target} leads nowhere"
            elif anchor and goal.endswith(".md") and anchor not in anchors(tree[goal]):
                yield f"{path}: {goal} has no heading for #{anchor}"
    for path in paths(tree):
        if path in SKIPPED:
            continue
        for named in set(re.findall(r"(?<![\w/.-])docs/[\w./-]*\.md", tree[path])):
            if not _exists(tree, named):
                yield f"{path}: names {named}, which does not exist"
