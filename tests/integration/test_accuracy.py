"""The default recipe on published data: a fit file that names elements, cutoff and size is as accurate as it was when its choices were made."""

import json
import os
import pathlib
import unittest

from support import ROOT, SLOWNESS, IpfitTest

DATA = pathlib.Path(os.environ.get("IPFIT_DATA", ROOT.parent / "shared" / "data"))


class DefaultRecipe(IpfitTest):
    @unittest.skipUnless((DATA / "si_train.xyz").exists(), "no reference data; set IPFIT_DATA to the folder that has si_train.xyz")
    @unittest.skipIf(SLOWNESS > 1, "too long under a sanitizer, and nothing there that shorter tests do not run")
    def test_silicon_with_320_functions_is_as_accurate_as_docs_explanation_accuracy_says(self):
        fit = self.directory / "si.toml"
        fit.write_text(
            f"[data]\ntrain = ['{DATA / 'si_train.xyz'}']\ntest = ['{DATA / 'si_test.xyz'}']\n"
            "[basis]\nelements = ['Si']\ncutoff = 5.5\nsize = 320\norder = 3\n"
        )
        # With virials as the default weighs them, and without.
        (self.directory / "w.toml").write_text("[weights.default]\nenergy = 30.0\nforces = 1.0\nvirial = 0.0\n")
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.run_ipfit("solve", out, "--weights", self.directory / "w.toml", "--name", "no-virial")
        for name in ("default", "no-virial"):
            errors = json.loads((out / "solutions" / name / "errors.json").read_text())
            test = {kind: values["mae"] for kind, values in errors["test"]["total"].items()}
            # 2.7 meV/atom and 0.072 eV/Å, and 3 %: better than that is welcome.
            self.assertLess(test["energy"], 1.03 * 2.7, name)
            self.assertLess(test["forces"], 1.03 * 0.072, name)
            # Energies and forces are not bought with a matrix that is solved badly.
            self.assertLess(errors["train"]["total"]["forces"]["mae"], test["forces"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
