"""What a fit leaves behind for LAMMPS, and ipfit export."""

import shutil
import unittest

from support import IpfitTest

NAMES = ("potential.yace", "in.lammps", "structure.data")


class Export(IpfitTest):
    def fit(self, kind, basis):
        fit = self.write_fit(kind=kind, basis=basis, extra='[solver]\nkind = "ridge"\nlambda = 1e-3\n')
        self.run_ipfit("fit", fit, "--out", self.directory / "out", "--quiet")
        return self.directory / "out"

    def test_an_ace_fit_leaves_a_potential_for_lammps_with_all_that_it_takes_to_try_it(self):
        out = self.fit("ace", "cutoff = 4.5\nsize = 20")
        solution = out / "solutions" / "default"
        files = {name: (solution / name).read_text() for name in NAMES}
        self.assertIn("elements: [Cu, Au]\n", files["potential.yace"])
        self.assertIn("read_data    structure.data\n", files["in.lammps"])
        self.assertRegex(files["in.lammps"], r"pair_coeff +\* \* potential.yace Cu Au\n")
        self.assertIn("1 63.546  # Cu\n2 196.97  # Au\n", files["structure.data"])

        # Elsewhere the same, under another name; what stands there already is left alone.
        elsewhere = self.directory / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "in.lammps").write_text("mine\n")
        text = self.run_ipfit("export", out, "--out", elsewhere / "cuau.yace")
        self.assertEqual((elsewhere / "cuau.yace").read_text(), files["potential.yace"])
        self.assertEqual((elsewhere / "structure.data").read_text(), files["structure.data"])
        self.assertEqual((elsewhere / "in.lammps").read_text(), "mine\n")
        self.assertIn("in.lammps is there already", text)
        (elsewhere / "in.lammps").unlink()
        self.run_ipfit("export", out, "--solution", "default", "--format", "yace", "--out", elsewhere / "cuau.yace")
        self.assertEqual(
            (elsewhere / "in.lammps").read_text(), files["in.lammps"].replace("potential.yace", "cuau.yace")
        )

        # A potential that was taken away comes back.
        (solution / "potential.yace").unlink()
        self.run_ipfit("export", out)
        self.assertEqual((solution / "potential.yace").read_text(), files["potential.yace"])
        (solution / "potential.yace").unlink()
        self.run_ipfit("solve", out)
        self.assertEqual((solution / "potential.yace").read_text(), files["potential.yace"])

        # Without the data set, as in results fetched from a manager, the structure is one that was made up.
        (out / "dataset.bin").unlink()
        (solution / "structure.data").unlink()
        self.run_ipfit("export", out)
        self.assertIn("made up", (solution / "structure.data").read_text())

    def test_a_potential_of_other_elements_than_the_data_is_tried_with_what_it_knows(self):
        out = self.fit("ace", "cutoff = 4.5\nsize = 20")
        solution = out / "solutions" / "default"
        copper = self.directory / "copper.xyz"
        copper.write_text((self.directory / "train.xyz").read_text().replace("Au ", "Cu "))
        fit = self.directory / "copper.toml"
        fit.write_text('[data]\ntrain = ["copper.xyz"]\n[basis]\nkind = "ace"\ncutoff = 4.5\nsize = 20\n')
        self.run_ipfit("fit", fit, "--out", self.directory / "copper", "--quiet")
        shutil.copy(self.directory / "copper" / "solutions" / "default" / "potential.json", solution)
        (solution / "structure.data").unlink()
        self.run_ipfit("export", out)
        self.assertIn("1 atom types", (solution / "structure.data").read_text())

    def test_a_pair_fit_leaves_nothing_for_lammps_and_export_says_why(self):
        out = self.fit("pair", "cutoff = 4.5\nsize = 4")
        for name in NAMES:
            self.assertFalse((out / "solutions" / "default" / name).exists())
        text = self.run_ipfit("export", out, expect=3)
        self.assertIn("LAMMPS has no pair style for potentials of the pair basis", text)
        self.assertIn(str(out / "solutions" / "default" / "potential.json"), text)

    def test_mistakes_are_named(self):
        nowhere = self.directory / "nowhere"
        self.assertIn("nowhere", self.run_ipfit("export", nowhere, expect=3))
        self.assertIn("does not end in .yace", self.run_ipfit("export", nowhere, "--out", "potential.txt", expect=2))
        self.run_ipfit("export", nowhere, "--format", "xml", expect=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
