"""No report gets lost: a test that ignores the exit code and the words of a process, or kills it, fails all the same."""

import os
import pathlib
import subprocess
import sys
import unittest

FAULTY = os.environ["IPFIT_FAULTY"]
SANITIZERS = os.environ["IPFIT_SANITIZE"].split(",")
WATCH = pathlib.Path(__file__).with_name("watch_sanitizers.py")
WORDS = {"address": "heap-use-after-free", "undefined": "signed integer overflow", "thread": "data race"}

# Waits until the fault is done, by word or by death, kills what is left of the process, and sees nothing wrong.
CARELESS = f"""
import subprocess
process = subprocess.Popen(["{FAULTY}", "%s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
process.stdout.readline()
process.kill()
process.wait()
"""


def careless_test(fault):
    return subprocess.run(
        [sys.executable, WATCH, sys.executable, "-c", CARELESS % fault], capture_output=True, text=True, check=False
    )


class WatchSanitizers(unittest.TestCase):
    def test_a_report_of_a_process_that_nobody_looks_at_fails_the_test(self):
        for sanitizer in SANITIZERS:
            with self.subTest(sanitizer):
                outcome = careless_test(sanitizer)
                self.assertNotEqual(outcome.returncode, 0)
                self.assertIn(WORDS[sanitizer], outcome.stdout)
                self.assertIn("report.faulty", outcome.stdout)

    def test_without_a_report_the_exit_code_is_that_of_the_test(self):
        self.assertEqual(careless_test("nothing").returncode, 0)
        for code, expected in (("0", 0), ("5", 5)):
            command = [sys.executable, WATCH, sys.executable, "-c", f"raise SystemExit({code})"]
            self.assertEqual(subprocess.run(command, check=False).returncode, expected)

    def test_a_test_that_dies_by_a_signal_fails(self):
        command = [sys.executable, WATCH, "sh", "-c", "kill -9 $$"]
        self.assertNotEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
