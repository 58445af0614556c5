"""Mistakes of people and failures of machines: one clear message each, the documented exit code, nothing left broken."""

import os
import subprocess
import unittest

from support import IpfitTest, free_port


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
