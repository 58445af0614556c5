"""Rows that a worker of `ipfit fit` writes into the store itself: the manager does not touch them, and they are the same bits whoever
wrote or sent them and whatever happened on the way."""

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import unittest

from support import IpfitTest, children, evaluators, read_journal, wait_until

COPIES = 12


def bytes_written(pid):
    """By a process, to files."""
    lines = pathlib.Path(f"/proc/{pid}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


def endpoint_of(pid):
    """The private socket of a local fit."""
    for child in children(pid):
        for word in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0"):
            if word.startswith("ipc://"):
                return word
    return None


def limit_files(pid, size):
    """From now on a write of the process beyond so many bytes fails; nothing happens where it has ended."""
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, size))


class RowsInPlace(IpfitTest):
    def setUp(self):
        super().setUp()
        self.fit = self.write_fit(copies=COPIES)
        self.out = self.directory / "out"

    def expected(self):
        out = self.directory / "undisturbed"
        self.run_ipfit("fit", self.fit, "--out", out, "--quiet")
        return self.coefficients(out)

    def start_fit(self, workers):
        return self.start("ipfit", "fit", self.fit, "--out", self.out, "--workers", workers, "--quiet")

    def journal(self):
        return read_journal(self.out / "system")

    def log(self):
        path = self.out / "log"
        return path.read_text() if path.exists() else ""

    def wait_for_evaluators(self, process, count):
        def found():
            pids = evaluators(process.pid)
            return pids if len(pids) == count else None

        return wait_until(found, "the evaluators")

    def finish(self, process):
        code, output = self.end(process)
        self.assertEqual(code, 0, output)
        rows = self.journal().rows
        self.assertEqual(len(rows), len(set(rows)), "a stored range was evaluated twice")
        self.assertEqual(sum(count for _, count in rows), self.journal().total_rows)
        return self.coefficients(self.out)

    def test_the_manager_of_a_local_fit_does_not_write_the_rows(self):
        process = self.start_fit(2)
        written = 0
        while process.poll() is None and "evaluated in" not in self.log():
            try:
                written = bytes_written(process.pid)
            except OSError:
                break
        self.finish(process)
        self.assertGreater(written, 0)
        self.assertLess(written, (self.out / "system" / "blocks.f64").stat().st_size / 2)

    def test_a_worker_that_sends_its_rows_beside_one_that_writes_them_gives_the_same_bits(self):
        expected = self.expected()
        process = self.start_fit(1)
        (own,) = self.wait_for_evaluators(process, 1)
        wait_until(lambda: self.journal().rows or process.poll() is not None, "the first rows")
        os.kill(own, signal.SIGSTOP)  # wherever it is: evaluating, writing, waiting
        stranger = self.start("ipfit-worker", endpoint_of(process.pid), "--slots", 1)
        wait_until(lambda: len(self.journal().workers) > 1 or process.poll() is not None, "rows of the other worker")
        os.kill(own, signal.SIGCONT)
        self.assertEqual(expected, self.finish(process))
        self.assertGreater(len(self.journal().workers), 1)
        self.end(stranger)

    def test_a_fit_does_not_wait_for_a_worker_that_is_stopped_wherever_it_is(self):
        expected = self.expected()
        process = self.start_fit(2)
        pids = self.wait_for_evaluators(process, 2)
        wait_until(lambda: self.journal().rows or process.poll() is not None, "the first rows")
        os.kill(self.random.choice(pids), signal.SIGSTOP)
        self.assertEqual(expected, self.finish(process))

    def test_rows_that_cannot_be_written_in_place_are_sent_and_are_the_same_bits(self):
        expected = self.expected()
        process = self.start_fit(2)
        for pid in self.wait_for_evaluators(process, 2):
            limit_files(pid, 1_000_000)
        self.assertEqual(expected, self.finish(process))
        self.assertIn("sends rows that it might have written in place", self.log())

    def test_a_disk_that_fails_under_workers_and_manager_ends_the_fit_in_words_and_the_same_command_goes_on(self):
        expected = self.expected()
        for _ in range(20):  # until the limit comes before the last row
            shutil.rmtree(self.out, ignore_errors=True)
            process = self.start_fit(2)
            pids = self.wait_for_evaluators(process, 2)
            wait_until(lambda: self.journal().rows or process.poll() is not None, "the first rows")
            if process.poll() is None:
                for pid in [process.pid, *pids]:
                    limit_files(pid, 5_000_000)
            code, output = self.end(process)
            if code != 0:
                break
        self.assertEqual(code, 4, output)
        self.assertIn("blocks.f64", output)
        self.assertIn("File too large", output)
        self.assertGreater(len(self.journal().rows), 0)
        stored = set(self.journal().rows)
        self.assertEqual(expected, self.finish(self.start_fit(2)))
        self.assertLessEqual(stored, set(self.journal().rows))


if __name__ == "__main__":
    unittest.main(verbosity=2)
