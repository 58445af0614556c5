"""Mistakes of people and failures of machines: one clear message each, the documented exit code, nothing left broken."""

import os
import resource
import subprocess
import unittest

from support import COPIES, EXAMPLES, SLOWNESS, IpfitTest, frames_of, free_port, wait_until


class Mistakes(IpfitTest):
    def test_a_wrong_key_is_named_with_its_line_and_the_nearest_right_one(self):
        fit = self.write_fit(basis="cutof = 6.0\nsize = 12")
        output = self.run_ipfit("fit", fit, "--out", self.directory / "out", expect=3)
        self.assertIn(f"{fit}:7:", output)
        self.assertIn("cutoff", output)
        self.assertFalse((self.directory / "out").exists())

    def test_all_mistakes_of_a_fit_file_are_said_at_once(self):
        fit = self.write_fit(basis='cutoff = -1.0\nsize = "many"\ncolour = 3')
        output = self.run_ipfit("check", fit, expect=3)
        self.assertEqual(len([line for line in output.splitlines() if line.startswith("ipfit: ")]), 3, output)

    def test_an_impossible_cutoff_is_refused(self):
        for cutoff in ("0.0", "-5.0", "1e9", "nan"):
            output = self.run_ipfit("check", self.write_fit(basis=f"cutoff = {cutoff}\nsize = 12"), expect=3)
            self.assertIn("cutoff", output)

    def test_two_ways_to_choose_functions_are_refused_with_both_lines(self):
        output = self.run_ipfit("check", self.write_fit(kind="ace", basis="size = 100\ndegree = 8"), expect=3)
        self.assertRegex(output, r"fit\.toml:8:\d+: basis\.degree .* basis\.size in line 7")

    def test_weights_without_measure_are_refused(self):
        fit = self.write_fit(extra="[weights.default]\nenergy = 1e308\nforces = 1e308\n")
        output = self.run_ipfit("check", fit, expect=3)
        self.assertIn("weights.default.energy", output)
        self.assertIn("1e+30", output)
        fit = self.write_fit()
        data = self.directory / "train.xyz"
        data.write_text(data.read_text().replace("Properties=", "energy_weight=1e305 Properties=", 1))
        self.assertIn("train.xyz:2", self.run_ipfit("check", fit, expect=3))

    def test_a_missing_data_file_is_named(self):
        fit = self.write_fit()
        (self.directory / "train.xyz").unlink()
        self.assertIn("train.xyz", self.run_ipfit("fit", fit, "--out", self.directory / "out", expect=3))

    def test_a_missing_fit_file_is_named(self):
        self.assertIn("nowhere.toml", self.run_ipfit("fit", self.directory / "nowhere.toml", expect=3))

    def test_a_truncated_data_file_is_refused_with_its_line(self):
        fit = self.write_fit()
        data = self.directory / "train.xyz"
        text = data.read_text()
        data.write_text(text[: len(text) - 400])
        output = self.run_ipfit("fit", fit, "--out", self.directory / "out", expect=3)
        self.assertRegex(output, r"train\.xyz:\d+")
        data.write_text(text)
        self.run_ipfit("fit", fit, "--out", self.directory / "out", "--quiet")

    def test_a_port_in_use_is_named(self):
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        self.start("ipfit", "manager", "--state", self.directory / "one", "--listen", endpoint)
        self.run_ipfit("list", "--manager", endpoint)
        output = self.run_ipfit("manager", "--state", self.directory / "two", "--listen", endpoint, expect=5)
        self.assertIn(endpoint, output)

    def test_a_state_directory_in_use_names_the_holder(self):
        state = self.directory / "state"
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        first = self.start("ipfit", "manager", "--state", state, "--listen", endpoint)
        self.run_ipfit("list", "--manager", endpoint)
        output = self.run_ipfit("manager", "--state", state, "--listen", f"tcp://127.0.0.1:{free_port()}", expect=4)
        self.assertIn(str(first.pid), output)

    def test_an_endpoint_that_others_can_reach_needs_insecure_typed(self):
        output = self.run_ipfit("manager", "--state", self.directory / "state", "--listen", f"tcp://*:{free_port()}", expect=2)
        self.assertIn("--insecure", output)

    def test_a_manager_that_is_not_there_is_said(self):
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        output = self.run_ipfit("list", "--manager", endpoint, expect=5)
        self.assertIn(endpoint, output)

    def test_an_unknown_fit_is_said(self):
        endpoint = f"tcp://127.0.0.1:{free_port()}"
        self.start("ipfit", "manager", "--state", self.directory / "state", "--listen", endpoint)
        self.assertIn("ipfit list", self.run_ipfit("status", "nothing", "--manager", endpoint, expect=2))

    def test_wrong_arguments_exit_with_the_code_of_usage(self):
        self.run_ipfit("fit", expect=2)
        self.run_ipfit("dance", expect=2)
        self.run_ipfit("fit", "a.toml", "--workers", "0", expect=2)

    def test_a_foreign_directory_is_left_alone(self):
        out = self.directory / "out"
        out.mkdir()
        (out / "thesis.tex").write_text("precious")
        self.run_ipfit("fit", self.write_fit(), "--out", out, expect=2)
        self.assertEqual([entry.name for entry in out.iterdir()], ["thesis.tex"])

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a small file system")
    def test_a_full_disk_is_said_before_any_work_and_the_same_command_goes_on_when_there_is_space(self):
        small = self.directory / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount here")
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=False)
        fit = self.write_fit()
        output = self.run_ipfit("fit", fit, "--out", small / "out", "--quiet", expect=4)
        self.assertIn("space", output)
        subprocess.run(["mount", "-o", "remount,size=200m", small], check=True)
        self.run_ipfit("fit", fit, "--out", small / "out", "--quiet")
        self.coefficients(small / "out")

    @unittest.skipIf(SLOWNESS > 1, "sanitizers need more addresses than any limit leaves")
    def test_a_solve_that_does_not_fit_into_memory_says_what_it_takes(self):
        frame = next(frame for frame in frames_of(EXAMPLES / "cuau_train.xyz") if "Au " in frame and "Cu " in frame)
        (self.directory / "one.xyz").write_text(frame)
        fit = self.directory / "fit.toml"
        fit.write_text('[data]\ntrain = ["one.xyz"]\n[basis]\ncutoff = 3.0\nsize = 20000\n')
        self.assertRegex(self.run_ipfit("check", fit), r"[\d.]+ GB for the solve")
        few = 4_000_000_000  # bytes; one triangle of 40000 columns takes 13e9
        output = self.run_ipfit(
            "fit",
            fit,
            "--out",
            self.directory / "out",
            expect=7,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (few, few)),
        )
        self.assertRegex(output, r"not enough memory: 40000 columns take about [\d.]+ GB; choose a smaller basis")

    def test_vectors_that_this_processor_does_not_know_are_refused(self):
        fit = self.write_fit(kind="ace", basis="cutoff = 4.0\nsize = 5")
        for wrong in ("AVX2", "avx3", "none"):
            environment = {**os.environ, "IPFIT_VECTORS": wrong}
            output = self.run_ipfit("fit", fit, "--out", self.directory / "out", expect=2, env=environment)
            self.assertIn(f'IPFIT_VECTORS: is "{wrong}", expected "baseline"', output)
        for right in ("", "baseline"):
            environment = {**os.environ, "IPFIT_VECTORS": right}
            self.run_ipfit("fit", fit, "--out", self.directory / "out", "--quiet", env=environment)

    @unittest.skipIf(SLOWNESS > 1, "sanitizers need more addresses than any limit leaves")
    def test_a_limit_on_memory_never_leaves_a_program_hanging(self):
        fit = self.write_fit()
        # As on a machine with many cores, for which OpenBLAS would start as many threads.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "64"}
        for megabytes in (100, 150, 200, 300, 500, 2000):
            limit = megabytes << 20

            def limited(limit=limit):
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

            options = {"env": environment, "preexec_fn": limited}
            self.run_ipfit("--version", **options)
            self.assertEqual(self.end(self.start("ipfit-worker", "--version", **options))[0], 0)
            out = self.directory / f"out{megabytes}"
            code, output = self.end(self.start("ipfit", "fit", fit, "--out", out, "--quiet", **options))
            if code != 0:
                self.assertEqual(code, 7, output)
                self.assertIn("memory", output)
                self.assertLess(megabytes, 300, output)
                self.run_ipfit("fit", fit, "--out", out, "--quiet")
            self.coefficients(out)

    def test_a_limit_on_open_files_is_named_with_what_to_do(self):
        fit = self.write_fit()
        # A sanitizer takes some itself.
        for number in (8, 12, 16, 20, 24, 30, 50, 63) if SLOWNESS == 1 else (30, 50, 63):

            def limited(number=number):
                resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

            for command in (
                ("ipfit", "fit", fit, "--out", self.directory / f"out{number}"),
                ("ipfit", "manager", "--state", self.directory / f"state{number}", "--listen", "tcp://127.0.0.1:*"),
                ("ipfit", "list", "--manager", "tcp://127.0.0.1:1"),
                ("ipfit-worker", "ipc:///nowhere", "--slots", 1),
            ):
                code, output = self.end(self.start(*command, preexec_fn=limited))
                self.assertIn(code, (5, 7), f"{command}: {output}")  # no socket, or not even the messaging library
                self.assertIn("ulimit -n", output)
                self.assertNotIn("bug", output)

    def test_tmpdir_may_be_missing_or_too_deep_for_a_socket(self):
        fit = self.write_fit()
        deep = self.directory / "/".join(["directory-of-somebody"] * 8)
        deep.mkdir(parents=True)
        nowhere = self.directory / "nowhere"
        for number, place in enumerate((deep, nowhere)):
            out = self.directory / f"out{number}"
            environment = {**os.environ, "TMPDIR": str(place)}
            self.run_ipfit("fit", fit, "--out", out, "--quiet", env=environment)
            self.coefficients(out)
        predict = ("predict", self.directory / "out0", self.directory / "test.xyz", "--out", self.directory / "p.xyz")
        self.run_ipfit(*predict, env={**os.environ, "TMPDIR": str(deep)})
        for command in (predict, ("submit", fit, "--manager", "tcp://127.0.0.1:1")):
            output = self.run_ipfit(*command, expect=4, env={**os.environ, "TMPDIR": str(nowhere)})
            self.assertIn(str(nowhere), output)
            self.assertIn("set TMPDIR", output)

    def test_files_without_an_end_are_refused(self):
        fit = self.write_fit()
        self.run_ipfit("fit", "/dev/zero", "--out", self.directory / "out", expect=3)
        self.run_ipfit("check", "/dev/zero", expect=3)
        self.run_ipfit("predict", "/dev/zero", self.directory / "test.xyz", expect=3)
        (self.directory / "train.xyz").unlink()
        (self.directory / "train.xyz").symlink_to("/dev/zero")
        self.assertIn("train.xyz:1", self.run_ipfit("check", fit, expect=3))

    def test_a_killed_fit_leaves_nothing_in_tmpdir_once_the_next_one_has_begun(self):
        fit = self.write_fit(copies=COPIES)
        place = self.directory / "tmp"
        place.mkdir()
        environment = {**os.environ, "TMPDIR": str(place)}
        process = self.start("ipfit", "fit", fit, "--out", self.directory / "out", "--quiet", env=environment)
        wait_until(lambda: process.poll() is not None or list(place.glob("*/manager")), "the socket")
        process.kill()
        self.end(process)
        self.run_ipfit("fit", fit, "--out", self.directory / "out", "--quiet", env=environment)
        self.assertEqual(list(place.iterdir()), [])

    def test_a_structure_with_atoms_on_top_of_each_other_is_named_and_can_be_skipped(self):
        fit = self.write_fit()
        data = self.directory / "train.xyz"
        good = data.read_text()
        bad = (
            '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 energy=-1.0 pbc="T T T"\n'
            "Cu 1 1 1\nCu 1 1 1\n"
        )
        data.write_text(good + bad)
        frame = good.count("Lattice=") + 1
        output = self.run_ipfit("fit", fit, "--out", self.directory / "out", "--quiet", expect=7)
        self.assertIn(f"frame {frame}", output)
        self.assertIn("on_bad_structure", output)
        fit = self.write_fit(extra='[assembly]\non_bad_structure = "skip"\n')
        data.write_text(good + bad)
        output = self.run_ipfit("fit", fit, "--out", self.directory / "skipped")
        self.assertIn(f"frame {frame}", output)
        self.coefficients(self.directory / "skipped")


if __name__ == "__main__":
    unittest.main(verbosity=2)
