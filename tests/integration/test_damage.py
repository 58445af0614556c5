"""Files of a fit directory that are damaged: it is found, named, and mended by the same command, with the same bits."""

import shutil
import subprocess
import unittest

from support import BIN, PATIENCE, SLOWNESS, IpfitTest, read_journal


class Damage(IpfitTest):
    def flip(self, path):
        content = bytearray(path.read_bytes())
        at = self.random.randrange(len(content))
        content[at] ^= 1 << self.random.randrange(8)
        path.write_bytes(content)
        return at

    def setUp(self):
        super().setUp()
        self.fit = self.write_fit(copies=2)
        self.out = self.directory / "out"
        self.run_ipfit("fit", self.fit, "--out", self.out, "--quiet")
        self.expected = self.coefficients(self.out)

    def test_a_fit_directory_that_is_whole_is_said_to_be(self):
        rows = read_journal(self.out / "system").total_rows
        line = self.run_ipfit("verify", self.out).splitlines()[-1]
        self.assertRegex(line, rf"^{self.out}: whole: \d+ rows in \d+ blocks, .*, 1 solution; .* MB read in .* s$")
        self.assertGreater(int(line.split()[2]), rows)  # predictions and dimers too
        self.assertEqual(self.run_ipfit("verify", self.out, "--quiet"), "")
        self.run_ipfit("verify", self.directory, expect=2)

    def test_damaged_rows_are_evaluated_again_by_the_same_command(self):
        matrix = self.out / "system" / "blocks.f64"
        whole = matrix.read_bytes()
        at = self.flip(matrix)
        found = self.run_ipfit("verify", self.out, expect=4)
        self.assertRegex(found, r"blocks\.f64: rows \d+ to \d+ \(bytes \d+ to \d+\) do not have the checksum")
        self.assertIn(": damaged in 1 place: ", found)
        first, last = map(int, found.split("(bytes ")[1].split(")")[0].split(" to "))
        self.assertTrue(first <= at <= last)
        self.assertIn("rows", self.run_ipfit("solve", self.out, expect=4))
        # Another weight, so that there is something to solve.
        self.fit.write_text(self.fit.read_text() + "[weights.default]\nenergy = 7.0\n")
        self.run_ipfit("fit", self.fit, "--out", self.out, "--quiet")
        self.assertEqual(matrix.read_bytes(), whole)
        self.assertIn("will be evaluated again", (self.out / "log").read_text())
        self.run_ipfit("verify", self.out)
        fresh = self.directory / "fresh"
        self.run_ipfit("fit", self.fit, "--out", fresh, "--quiet")
        self.assertEqual(self.coefficients(fresh), self.coefficients(self.out))

    def test_damage_of_any_other_file_is_found_and_mended(self):
        kept = self.directory / "kept"
        shutil.copytree(self.out, kept)
        solution = self.out / "solutions" / "default"
        for path in (
            self.out / "system" / "journal",
            self.out / "dataset.bin",
            solution / "predictions" / "blocks.f64",
            solution / "predictions" / "journal",
            solution / "dimers" / "blocks.f64",
            solution / "potential.json",
        ):
            with self.subTest(path=path.name):
                self.flip(path)
                self.assertIn(str(path), self.run_ipfit("verify", self.out, expect=4))
                self.run_ipfit("fit", self.fit, "--out", self.out, "--quiet")
                self.assertEqual(self.coefficients(self.out), self.expected)
                self.run_ipfit("verify", self.out)
                for name in ("system/blocks.f64", "dataset.bin", "solutions/default/errors.json"):
                    self.assertEqual((self.out / name).read_bytes(), (kept / name).read_bytes(), name)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    @unittest.skipIf(SLOWNESS > 1.0, "the leak check of a sanitizer does not work under strace")
    def test_a_sync_that_fails_is_said_and_the_same_command_goes_on(self):
        for number in (3, 4, 5, 7, 9):  # of a thread: creation of files, blocks.f64, journal
            with self.subTest(number=number):
                out = self.directory / f"sync{number}"
                inject = f"inject=fdatasync:error=EIO:when={number}"
                command = ["strace", "-f", "-qq", "-o", self.directory / "trace", "-e", "trace=fdatasync", "-e", inject]
                command += [BIN / "ipfit", "fit", self.fit, "--out", out, "--quiet", "--workers", "2"]
                ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 2)
                if "INJECTED" not in (self.directory / "trace").read_text():
                    self.skipTest("strace cannot inject here: " + ended.stderr)
                self.assertEqual(ended.returncode, 4, ended.stderr)
                self.assertIn("while syncing it", ended.stderr)
                self.run_ipfit("fit", self.fit, "--out", out, "--quiet")
                self.assertEqual(self.coefficients(out), self.expected)
                self.run_ipfit("verify", out)

    def test_a_damaged_data_set_is_not_solved_with(self):
        self.flip(self.out / "dataset.bin")
        self.assertIn("dataset.bin", self.run_ipfit("solve", self.out, expect=4))
        self.assertIn("dataset.bin", self.run_ipfit("errors", self.out, expect=4))

    def test_a_damaged_potential_predicts_nothing(self):
        potential = self.out / "solutions" / "default" / "potential.json"
        text = potential.read_text()
        at = text.index('"coefficients"') + text[text.index('"coefficients"') :].index("0.") + 3
        potential.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :])
        found = self.run_ipfit("predict", potential, self.directory / "test.xyz", expect=3)
        self.assertIn("was changed after it was written", found)


if __name__ == "__main__":
    unittest.main(verbosity=2)
