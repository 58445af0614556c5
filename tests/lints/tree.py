"""The files of the repository as a dictionary from path to text, which is all that a rule sees."""

import os
import subprocess

EXECUTABLE = "\0executable"  # key under which the set of paths with a run bit stands


def make_tree(texts, executable=()):
    """A tree from a dictionary of texts."""
    return {**texts, EXECUTABLE: frozenset(executable)}


def paths(tree, *suffixes, under=""):
    """Paths in order, of files that end in one of the suffixes (any, if none is given) and begin with `under`."""
    return [p for p in sorted(tree) if p != EXECUTABLE and p.startswith(under) and (not suffixes or p.endswith(suffixes))]


def numbered_lines(text):
    return enumerate(text.split("\n"), start=1)


def read_tree(root):
    """What git tracks or would track; without git every file outside of build folders. Files that are not text are empty."""
    texts, executable = {}, set()
    for path in sorted(_listed_by_git(root) or _walked(root)):
        full = os.path.join(root, path)
        if not os.path.isfile(full):
            continue
        if os.access(full, os.X_OK):
            executable.add(path)
        try:
            with open(full, encoding="utf-8", newline="") as file:
                texts[path] = file.read()
        except UnicodeDecodeError:
            texts[path] = ""
    return make_tree(texts, executable)


def _listed_by_git(root):
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return []
    return [path for path in listed.split("\0") if path]


def _walked(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", ".git") and not f.endswith(".fit")]
        for file in files:
            yield os.path.relpath(os.path.join(folder, file), root)
