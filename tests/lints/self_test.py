"""Shows each rule a made-up tree that it must accept, and trees that it must refuse with a finding that says so."""

import unittest

import lint
from tree import EXECUTABLE, make_tree

RESULT = "enum class ErrorKind {\n  kInternal = 1,  ///< a bug\n  kInput = 3,\n};\n"
EXIT_CODES = "| code | name |\n|---|---|\n| 0 | success |\n| 1 | internal |\n| 3 | input |\n| 130 | interrupted |\n"
SCRIPT = "#!/usr/bin/env bash\n"

# A repository in small in which every rule is kept.
GOOD = make_tree(
    {
        ".ci/run": SCRIPT + "FAST=1 ./deploy/test --all\n",
        "CHANGELOG.md": "# Changes\n",
        "CMakeLists.txt": "project(ipfit)\n",
        "CMakePresets.json": "{}\n",
        "CONTRIBUTING.md": "See [the docs](docs/README.md#what-is-where) and `[x](not/a/link)`.\n",
        "LICENSE": "MIT\n",
        "README.md": "Run `./deploy/quickstart`, then `./deploy/test`. [Docs](docs/) on [the web](https://example.org).\n",
        "common/blas.cpp": '#include "common/blas.h"\n\n#include <cblas.h>\n',
        "common/blas.h": "// What it is.\n\n#pragma once\n",
        "common/json.h": "#pragma once\n#include <nlohmann/json.hpp>\n",
        "common/result.h": "#pragma once\n" + RESULT,
        "deploy/quickstart": SCRIPT,
        "deploy/test": SCRIPT,
        "docs/README.md": "# Docs\n\n## What is `where`?\n\n- [Codes](reference/exit-codes.md)\n```\n[code](is/not/a/link)\n# nor-a-heading\n```\n",
        "docs/reference/exit-codes.md": EXIT_CODES,
        "manager/cli/app.cpp": '#include <CLI/CLI.hpp>\n#include "proto/frame.h"\n',
        "proto/convert.cpp": '#include <capnp/message.h>\n#include "proto/ipfit.capnp.h"\n',
        "proto/frame.h": '#pragma once\n#include "common/result.h"\n/// docs/reference/exit-codes.md\n',
        "proto/zmq_transport.cpp": "#include <zmq.h>\n",
        "tests/common/blas_test.cpp": '#include <lapacke.h>\n#include "worker/evaluate.h"\n// mkdtemp needs XXXXXX\n',
        "worker/evaluate.h": '#pragma once\n#include "proto/frame.h"\n#include "proto/zmq_transport.h"\n',
    },
    executable=[".ci/run", "deploy/quickstart", "deploy/test"],
)

# Rule, what is changed in the good tree (None: the file is taken away), and what the finding must mention.
BAD = [
    ("dependencies", {"common/a.h": '#include "proto/frame.h"\n'}, "common/a.h:1"),
    ("dependencies", {"proto/a.cpp": '\n# include "worker/evaluate.h"\n'}, "proto/a.cpp:2"),
    ("dependencies", {"worker/a.cpp": '#include "manager/plan.h"\n'}, "worker/a.cpp:1"),
    ("dependencies", {"manager/a.cpp": '#include "worker/evaluate.h"\n'}, "manager/a.cpp:1"),
    ("dependencies", {"manager/a.cpp": '#include "tests/support/data.h"\n'}, "tests/support/data.h"),
    ("dependencies", {"manager/a.cpp": '#include "plan.h"\n'}, "plan.h"),
    ("libraries", {"worker/a.cpp": "#include <capnp/message.h>\n"}, "Cap'n Proto"),
    ("libraries", {"proto/convert.h": '#include "proto/ipfit.capnp.h"\n'}, "Cap'n Proto"),
    ("libraries", {"manager/a.cpp": "#include <zmq.hpp>\n"}, "ZeroMQ"),
    ("libraries", {"manager/a.cpp": "#include <lapacke.h>\n"}, "LAPACKE"),
    ("libraries", {"common/fit/a.cpp": "#include <toml++/toml.h>\n"}, "toml++"),
    ("libraries", {"common/fit/a.cpp": "#include <nlohmann/json.hpp>\n"}, "nlohmann"),
    ("libraries", {"common/file_system.cpp": "#include <xxhash.h>\n"}, "xxHash"),
    ("libraries", {"common/a.cpp": "#include <CLI/CLI.hpp>\n"}, "CLI11"),
    ("libraries", {"worker/a.cpp": "#include <spdlog/spdlog.h>\n"}, "spdlog"),
    ("links", {"CHANGELOG.md": "[gone](reference/gone.md)\n"}, "reference/gone.md"),
    ("links", {"CHANGELOG.md": "[up](deploy/gone)\n"}, "deploy/gone"),
    ("links", {"CHANGELOG.md": "[no heading](docs/README.md#nor-a-heading)\n"}, "#nor-a-heading"),
    ("links", {"CHANGELOG.md": "# Here\n[not here](#there)\n"}, "#there"),
    ("links", {"common/a.h": "/// see docs/reference/gone.md\n"}, "docs/reference/gone.md"),
    ("exit_codes", {"common/result.h": RESULT.replace("};", "  kDisk = 4,\n};")}, "4 (disk) is missing"),
    ("exit_codes", {"common/result.h": RESULT.replace("  kInput = 3,\n", "")}, "3 (input) is not in"),
    ("exit_codes", {"docs/reference/exit-codes.md": EXIT_CODES.replace("input", "data")}, "called data"),
    ("index", {"docs/how-to/fly.md": "# Fly\n"}, "docs/how-to/fly.md"),
    ("top_level", {"notes.txt": ""}, "notes.txt"),
    ("top_level", {"scripts/build": ""}, "scripts"),
    ("top_level", {"LICENSE": None}, "LICENSE"),
    ("words", {"common/a.h": "int x;  // TODO later\n"}, "common/a.h:1: TODO"),
    ("words", {"CHANGELOG.md": "\nFIXME\n"}, "CHANGELOG.md:2: FIXME"),
    ("words", {"CHANGELOG.md": "one\n=======\n>>>>>>> branch\n"}, "CHANGELOG.md:3"),
    ("words", {"CHANGELOG.md": "cd /home/me/ipfit\n"}, "/home/m"),
    ("words", {"tests/a.cpp": 'open("/root/x");\n'}, "/root/x"),
    ("headers", {"common/a.h": "#include <vector>\n#pragma once\n"}, "common/a.h"),
    ("headers", {"common/a.h": "// nothing\n"}, "common/a.h"),
    ("headers", {"common/blas.cpp": '#include <cblas.h>\n#include "common/blas.h"\n'}, "common/blas.cpp"),
    ("headers", {"common/blas.cpp": "int main() {}\n"}, "common/blas.cpp"),
    ("entry_points", {"README.md": "Run `./deploy/quickstart`.\n"}, "deploy/test"),
    ("entry_points", {"README.md": "./deploy/quickstart ./deploy/test ./deploy/more\n"}, "deploy/more"),
    ("entry_points", {"deploy/test": None}, "deploy/test: missing"),
    ("entry_points", {"deploy/other": SCRIPT}, "deploy/other: a script without a run bit"),
    ("entry_points", {".ci/run": SCRIPT + "# ./deploy/test\n"}, ".ci/run"),
]


def changed(tree, changes):
    texts = {**tree, **changes}
    return {path: text for path, text in texts.items() if text is not None}


class Lints(unittest.TestCase):
    def test_a_good_tree_is_accepted_by_every_rule(self):
        for rule in lint.RULES:
            with self.subTest(rule=rule):
                self.assertEqual(lint.findings(rule, GOOD), [])

    def test_each_bad_tree_is_refused_with_one_finding_that_names_the_place(self):
        for rule, changes, mention in BAD:
            with self.subTest(rule=rule, changes=changes):
                found = lint.findings(rule, changed(GOOD, changes))
                self.assertEqual(len(found), 1, found)
                self.assertIn(mention, found[0])

    def test_a_script_that_lost_its_run_bit_is_found(self):
        tree = {**GOOD, EXECUTABLE: GOOD[EXECUTABLE] - {"deploy/quickstart"}}
        self.assertEqual(len(lint.findings("entry_points", tree)), 1)

    def test_every_rule_has_a_bad_tree(self):
        self.assertEqual({rule for rule, _, _ in BAD}, set(lint.RULES))


if __name__ == "__main__":
    unittest.main()
