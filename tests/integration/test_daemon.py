"""A manager, workers that come and go, and clients, each a process of its own."""

import signal
import unittest

from support import COPIES, IpfitTest, evaluators, free_port, wait_until


class Daemon(IpfitTest):
    def start_manager(self, state):
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        manager = self.start("ipfit", "manager", "--state", state, "--listen", endpoint)
        self.run_ipfit("list", "--manager", endpoint)
        return manager, endpoint

    def status(self, endpoint, fit):
        return self.run_ipfit("status", fit, "--manager", endpoint)

    def submit(self, fit, endpoint):
        text = self.run_ipfit("submit", fit, "--manager", endpoint)
        return text.split("submitted as ")[1].split()[0]

    def fetch(self, fit, endpoint):
        out = self.directory / f"fetched-{fit}"
        self.run_ipfit("fetch", fit, "--out", out, "--manager", endpoint)
        return out

    def expected(self, fit):
        out = self.directory / "local"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        return self.coefficients(out)

    def test_workers_join_late_and_leave_half_way_and_the_bits_are_those_of_a_local_fit(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.expected(fit)
        _, endpoint = self.start_manager(self.directory / "state")
        name = self.submit(fit, endpoint)
        self.assertIn("no workers", self.status(endpoint, name))
        first = self.start("ipfit-worker", endpoint, "--slots", 1)
        wait_until(lambda: " %" in self.status(endpoint, name) and "  0 %" not in self.status(endpoint, name), "progress")
        second = self.start("ipfit-worker", endpoint, "--slots", 2)
        wait_until(lambda: len(evaluators(second.pid)) == 2, "the second worker")
        first.send_signal(signal.SIGTERM)
        code, output = self.end(first)
        self.assertEqual(code, 0, output)
        watched = self.run_ipfit("watch", name, "--manager", endpoint)
        self.assertIn("is done", watched)
        self.assertEqual(expected, self.coefficients(self.fetch(name, endpoint)))
        self.assertIn(name, self.run_ipfit("list", "--manager", endpoint))
        second.send_signal(signal.SIGTERM)
        code, output = self.end(second)
        self.assertEqual(code, 0, output)

    def test_a_killed_manager_goes_on_when_started_again_and_its_workers_come_back(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.expected(fit)
        state = self.directory / "state"
        manager, endpoint = self.start_manager(state)
        worker = self.start("ipfit-worker", endpoint, "--slots", 2)
        name = self.submit(fit, endpoint)
        wait_until(lambda: "  0 %" not in self.status(endpoint, name), "progress")
        manager.kill()
        self.end(manager)
        self.start("ipfit", "manager", "--state", state, "--listen", endpoint)
        self.assertIn("is done", self.run_ipfit("watch", name, "--manager", endpoint))
        self.assertEqual(expected, self.coefficients(self.fetch(name, endpoint)))
        self.assertIsNone(worker.poll(), "the worker stayed")

    def test_a_manager_that_is_stopped_in_good_order_keeps_its_workers_too(self):
        fit = self.write_fit(copies=COPIES)
        expected = self.expected(fit)
        state = self.directory / "state"
        manager, endpoint = self.start_manager(state)
        worker = self.start("ipfit-worker", endpoint, "--slots", 2)
        name = self.submit(fit, endpoint)
        wait_until(lambda: "  0 %" not in self.status(endpoint, name), "progress")
        manager.send_signal(signal.SIGTERM)
        code, output = self.end(manager)
        self.assertEqual(code, 0, output)
        self.start("ipfit", "manager", "--state", state, "--listen", endpoint)
        self.assertIn("is done", self.run_ipfit("watch", name, "--manager", endpoint))
        self.assertEqual(expected, self.coefficients(self.fetch(name, endpoint)))
        self.assertIsNone(worker.poll(), "the worker stayed")

    def test_a_cancelled_fit_stops_and_stays_cancelled(self):
        fit = self.write_fit(copies=COPIES)
        state = self.directory / "state"
        manager, endpoint = self.start_manager(state)
        name = self.submit(fit, endpoint)
        self.run_ipfit("cancel", name, "--manager", endpoint)
        self.assertIn("cancelled", self.status(endpoint, name))
        self.run_ipfit("watch", name, "--manager", endpoint, expect=7)
        manager.send_signal(signal.SIGTERM)
        code, output = self.end(manager)
        self.assertEqual(code, 0, output)
        _, endpoint = self.start_manager(state)
        self.assertIn("cancelled", self.status(endpoint, name))

    def test_fits_that_are_over_are_listed_the_same_by_the_next_manager(self):
        fit = self.write_fit()
        data = self.directory / "train.xyz"
        bad = '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 energy=-1 pbc="T T T"\nCu 1 1 1\nCu 1 1 1\n'
        data.write_text(data.read_text() + bad)
        fit.write_text(fit.read_text() + '[assembly]\non_bad_structure = "skip"\n')
        state = self.directory / "state"
        manager, endpoint = self.start_manager(state)
        done, cancelled = self.submit(fit, endpoint), self.submit(fit, endpoint)
        wait_until(lambda: "0 %" in self.status(endpoint, cancelled), "its size")
        self.run_ipfit("cancel", cancelled, "--manager", endpoint)
        worker = self.start("ipfit-worker", endpoint, "--slots", 1)
        self.run_ipfit("watch", done, "--manager", endpoint)
        worker.send_signal(signal.SIGTERM)
        self.end(worker)
        wait_until(lambda: "no workers" in self.status(endpoint, done), "the worker to be gone")
        before = [self.status(endpoint, done), self.status(endpoint, cancelled)]
        self.assertIn("set aside", before[0])
        for text in before:
            self.assertIn("243", text)  # 197 to be fitted to, 46 to test
        manager.send_signal(signal.SIGTERM)
        self.end(manager)
        _, endpoint = self.start_manager(state)
        self.assertEqual([self.status(endpoint, done), self.status(endpoint, cancelled)], before)

    def test_submit_with_watch_ends_when_the_fit_has_ended(self):
        fit = self.write_fit()
        _, endpoint = self.start_manager(self.directory / "state")
        self.start("ipfit-worker", endpoint, "--slots", 1)
        self.assertIn("is done", self.run_ipfit("submit", fit, "--watch", "--manager", endpoint))


if __name__ == "__main__":
    unittest.main(verbosity=2)
