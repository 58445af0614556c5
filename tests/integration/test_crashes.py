"""Processes that are killed in the middle of a fit: the same bits come out, and nothing stored is evaluated twice."""

import os
import pathlib
import signal
import unittest

from support import COPIES, IpfitTest, children, evaluators, read_journal, wait_until


class Crashes(IpfitTest):
    def undisturbed(self, fit):
        out = self.directory / "undisturbed"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        return self.coefficients(out)

    def start_and_wait_for_rows(self, fit, out, rows_stored=1):
        process = self.start("ipfit", "fit", fit, "--out", out, "--workers", 2, "--quiet")
        wait_until(
            lambda: process.poll() is not None or len(read_journal(out / "system").rows) >= rows_stored, "the first rows"
        )
        return process

    def test_kill_of_evaluators_changes_nothing(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.undisturbed(fit)
        out = self.directory / "out"
        process = self.start_and_wait_for_rows(fit, out)
        killed = 0
        while process.poll() is None and killed < 4:
            found = wait_until(lambda: evaluators(process.pid) or process.poll() is not None, "an evaluator")
            if found is True:
                break
            os.kill(self.random.choice(found), signal.SIGKILL)
            killed += 1
            stored = len(read_journal(out / "system").rows)
            wait_until(
                lambda: process.poll() is not None or len(read_journal(out / "system").rows) > stored, "more rows"
            )
        code, output = self.end(process)
        self.assertEqual(code, 0, output)
        self.assertGreater(killed, 0)
        self.assertEqual(expected, self.coefficients(out))

    def test_kill_of_the_manager_and_the_same_command_goes_on(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.undisturbed(fit)
        out = self.directory / "out"
        rounds = 0
        for rounds in range(1, 6):
            stored = len(read_journal(out / "system").rows) if (out / "system").exists() else 0
            process = self.start_and_wait_for_rows(fit, out, stored + 1)
            family = children(process.pid)
            if process.poll() is not None:
                break
            process.kill()
            self.end(process)
            wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in family), "the workers to be gone")
        self.assertGreater(rounds, 1)
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.assertEqual(expected, self.coefficients(out))
        rows = read_journal(out / "system").rows
        self.assertEqual(len(rows), len(set(rows)), "a stored range was evaluated twice")
        self.assertEqual(sum(count for _, count in rows), read_journal(out / "system").total_rows)

    def test_ctrl_c_keeps_what_is_stored_and_the_same_command_goes_on(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.undisturbed(fit)
        out = self.directory / "out"
        process = self.start_and_wait_for_rows(fit, out)
        process.send_signal(signal.SIGINT)
        code, output = self.end(process)
        self.assertIn(code, (0, 130), output)
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.assertEqual(expected, self.coefficients(out))

    def test_kill_of_the_solver_is_said_and_the_same_command_goes_on(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.undisturbed(fit)
        out = self.directory / "out"
        process = self.start("ipfit", "fit", fit, "--out", out, "--quiet")

        def solver():
            for child in children(process.pid):
                try:
                    if b"solve" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                        return child
                except OSError:
                    pass
            return process.poll() is not None

        pid = wait_until(solver, "the solver")
        if pid is not True:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        code, output = self.end(process)
        if code != 0:
            self.assertEqual(code, 7, output)
            self.assertIn("signal 9", output)
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.assertEqual(expected, self.coefficients(out))


if __name__ == "__main__":
    unittest.main(verbosity=2)
