"""Dependencies point one way: common <- proto <- worker, manager. Worker and manager do not know each other."""

import re

from tree import numbered_lines, paths

MAY_INCLUDE = {
    "common": {"common"},
    "proto": {"common", "proto"},
    "worker": {"common", "proto", "worker"},
    "manager": {"common", "proto", "manager"},
}


def findings(tree):
    for path in paths(tree, ".h", ".cpp"):
        folder = path.split("/")[0]
        if folder not in MAY_INCLUDE:
            continue
        for number, line in numbered_lines(tree[path]):
            included = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if included and included[1].split("/")[0] not in MAY_INCLUDE[folder]:
                allowed = ", ".join(sorted(MAY_INCLUDE[folder]))
                yield f'{path}:{number}: includes "{included[1]}"; {folder}/ includes only from {allowed}'
