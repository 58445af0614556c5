"""deploy/quickstart with a build that does what the test says: it shows how far it is, and why it failed."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT

STEPS = 'for step in 1 2 3; do echo "[$step/3] Building CXX object $step"; done'


def read_all(descriptor):
    """What was written to the other end of a terminal, which says EIO where a pipe says that it ends."""
    found = b""
    try:
        while piece := os.read(descriptor, 1 << 16):
            found += piece
    except OSError:
        pass
    os.close(descriptor)
    return found.decode()


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="ipfit-test-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "deploy").mkdir()
        shutil.copy(ROOT / "deploy" / "quickstart", self.root / "deploy")
        self.program("deploy/install-packages", "true")
        self.program("build/release/bin/ipfit", "echo fitted")

    def program(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def quickstart(self, **options):
        """Exit code and output, of a shell that finds the `cmake` of this test."""
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        outcome = subprocess.run(
            [self.root / "deploy" / "quickstart"], env=environment, stderr=subprocess.STDOUT, text=True, check=False, **options
        )
        return outcome.returncode, outcome.stdout

    def test_in_a_log_it_says_now_and_then_how_far_the_build_is(self):
        self.program("bin/cmake", STEPS)
        code, output = self.quickstart(stdout=subprocess.PIPE)
        self.assertEqual(code, 0, output)
        self.assertIn("1 of 3 steps\n", output)
        self.assertNotIn("Building CXX", output)
        self.assertIn("fitted", output)
        self.assertIn("Building CXX object 3", (self.root / "build" / "quickstart.log").read_text())

    def test_on_a_terminal_one_line_counts(self):
        self.program("bin/cmake", STEPS)
        ours, theirs = pty.openpty()
        code, _ = self.quickstart(stdout=theirs)
        os.close(theirs)
        output = read_all(ours)
        self.assertEqual(code, 0, output)
        for step in (1, 2, 3):
            self.assertRegex(output, rf"\r *\d+ s  {step} of 3 steps")

    def test_a_build_that_fails_shows_the_end_of_its_log_and_fails(self):
        self.program("bin/cmake", f'[ "$1" = --build ] || exit 0; {STEPS}; echo "error: no such type"; exit 3')
        code, output = self.quickstart(stdout=subprocess.PIPE)
        self.assertEqual(code, 3, output)
        self.assertIn("error: no such type", output)
        self.assertIn("failed with exit code 3", output)
        self.assertNotIn("fitted", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
