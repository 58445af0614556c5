"""A whole fit on one machine: what is written, what is printed, and that the bits do not depend on the workers."""

import json
import math
import re
import shutil
import subprocess
import unittest

from support import BIN, EXAMPLES, IpfitTest, frames_of


class LocalFit(IpfitTest):
    def test_a_fit_ends_with_error_tables_and_files_that_scripts_can_read(self):
        fit = self.write_fit()
        out = self.directory / "out"
        text = self.run_ipfit("fit", fit, "--out", out, "--workers", 1)
        self.assertIn("train", text)
        self.assertIn(str(out / "solutions" / "default"), text)

        errors = json.loads((out / "solutions" / "default" / "errors.json").read_text())
        frames = {"train": len(frames_of(EXAMPLES / "cuau_train.xyz")), "test": len(frames_of(EXAMPLES / "cuau_test.xyz"))}
        for part in ("train", "test"):
            total = errors[part]["total"]
            for kind in ("energy", "forces", "virial"):
                self.assertGreater(total[kind]["count"], 0)
                self.assertLessEqual(total[kind]["mae"], total[kind]["rmse"])
            self.assertEqual(total["energy"]["count"], frames[part])
            groups = errors[part]["groups"]
            self.assertGreater(len(groups), 1)
            for kind in ("energy", "forces", "virial"):
                self.assertEqual(sum(group[kind]["count"] for group in groups.values()), total[kind]["count"])
        for name in ("coefficients.json", "potential.json", "errors.json", "errors.txt"):
            self.assertTrue((out / "solutions" / "default" / name).stat().st_size > 0)
        self.assertIn("cutoff", (out / "fit.toml").read_text())

        # The same command again has nothing left to do, and changes nothing.
        before = self.coefficients(out)
        self.run_ipfit("fit", fit, "--out", out, "--workers", 1)
        self.assertEqual(before, self.coefficients(out))

    def test_a_fit_file_that_only_names_training_data_gives_an_ace_fit_that_goes_on_from_its_resolved_file(self):
        self.write_fit()
        fit = self.directory / "least.toml"
        fit.write_text('[data]\ntrain = ["train.xyz"]\n')
        text = self.run_ipfit("check", fit)
        self.assertIn("basis    ace: 600 functions", text)
        self.assertRegex(text, r"(?m)^Cu .* 300( \(\d+\))?$")
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        before, journal = self.coefficients(out), (out / "system" / "journal").read_bytes()
        self.assertEqual(len(before), 600)
        resolved = (out / "fit.toml").read_text()
        self.assertIn('elements = ["Cu", "Au"]', resolved)
        self.assertRegex(resolved, r"(?m)^cutoff = \d")
        self.assertNotRegex(resolved, r"(?m)^(degree|n_max|lambda) =")
        self.run_ipfit("fit", out / "fit.toml", "--out", out, "--quiet")
        self.assertEqual(before, self.coefficients(out))
        self.assertEqual(journal, (out / "system" / "journal").read_bytes())

    def test_coefficients_are_the_same_bits_for_one_two_and_three_workers(self):
        fit = self.write_fit()
        results = []
        for workers in (1, 2, 3):
            out = self.directory / f"out{workers}"
            self.run_ipfit("fit", fit, "--out", out, "--workers", workers, "--quiet")
            results.append(self.coefficients(out))
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_predictions_of_the_training_data_give_the_training_errors(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        predicted = self.directory / "predicted.xyz"
        output = self.run_ipfit("predict", out, self.directory / "train.xyz", "--out", predicted, "--workers", 1)
        self.assertIn("Predictions against labels", output)
        # Nothing is fitted, so no word of what only a fit has.
        for word in ("evaluating errors", "Training set", "Test set", "assembling", "solving"):
            self.assertNotIn(word, output)

        def energies(path):
            return [
                float(word.split("=")[1])
                for frame in frames_of(path)
                for word in frame.splitlines()[1].split()
                if word.startswith("energy=")
            ]

        labels, found = energies(self.directory / "train.xyz"), energies(predicted)
        atoms = [int(frame.split(None, 1)[0]) for frame in frames_of(predicted)]
        self.assertEqual(len(labels), len(found))
        mae = sum(abs(a - b) / n for a, b, n in zip(labels, found, atoms)) / len(atoms) * 1000.0
        errors = json.loads((out / "solutions" / "default" / "errors.json").read_text())
        # Sums of some hundred terms in another order: rounding only.
        self.assertTrue(math.isclose(mae, errors["train"]["total"]["energy"]["mae"], rel_tol=1e-9), mae)

    def test_data_made_by_a_potential_with_a_repulsion_give_that_potential_back(self):
        self.write_fit()
        made = {
            "format": "ipfit potential",
            "version": 1,
            "basis": {"kind": "pair", "elements": ["Cu", "Au"], "cutoff": 6.0, "size": 5},
            "one_body": {"Cu": -3.5, "Au": -3.0},
            # Longer than the shortest distances of the data, so that most structures feel it.
            "zbl": {"inner": 1.5, "outer": 3.25},
            "coefficients": [self.random.uniform(-1.0, 1.0) for _ in range(15)],
        }
        potential = self.directory / "made.json"
        potential.write_text(json.dumps(made))
        for part in ("train", "test"):
            data = self.directory / f"{part}.xyz"
            self.run_ipfit("predict", potential, data, "--out", self.directory / f"{part}_made.xyz", "--quiet")
        fit = self.directory / "made.toml"
        text = (
            '[data]\ntrain = ["train_made.xyz"]\ntest = ["test_made.xyz"]\n'
            '[basis]\nkind = "pair"\nelements = ["Cu", "Au"]\ncutoff = 6.0\nsize = 5\n'
            "[reference]\none_body = { Cu = -3.5, Au = -3.0 }\n"
        )
        fit.write_text(text + "zbl = true\nzbl_inner = 1.5\nzbl_outer = 3.25\n")
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--workers", 2, "--quiet")
        found = json.loads((out / "solutions" / "default" / "potential.json").read_text())
        self.assertEqual(found["zbl"], made["zbl"])
        # The labels are exact but for rounding, and the condition of so few functions is below 1e5.
        for a, b in zip(found["coefficients"], made["coefficients"]):
            self.assertTrue(math.isclose(a, b, rel_tol=0.0, abs_tol=1e-8), (a, b))
        errors = json.loads((out / "solutions" / "default" / "errors.json").read_text())
        for part in ("train", "test"):
            self.assertLess(errors[part]["total"]["forces"]["rmse"], 1e-9)
            self.assertLess(errors[part]["total"]["energy"]["rmse"], 1e-6)  # meV

        # Without it the fit is another one; its rows are others too.
        fit.write_text(text)
        self.assertIn("ZBL", self.run_ipfit("fit", fit, "--out", out, expect=6))
        self.run_ipfit("fit", fit, "--out", self.directory / "without", "--quiet")
        errors = json.loads((self.directory / "without" / "solutions" / "default" / "errors.json").read_text())
        self.assertGreater(errors["train"]["total"]["forces"]["rmse"], 1e-6)

    def test_the_ends_of_a_repulsion_that_are_left_out_stand_in_the_resolved_fit_file(self):
        fit = self.write_fit(extra="[reference]\nzbl = true\n")
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        resolved = (out / "fit.toml").read_text()
        self.assertIn("zbl_inner = 1.28", resolved)
        self.assertIn("zbl_outer = 2.56", resolved)
        self.run_ipfit("fit", out / "fit.toml", "--out", out, "--quiet")

    def test_another_weight_solves_again_and_evaluates_nothing(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        before, journal = self.coefficients(out), (out / "system" / "journal").read_bytes()
        self.write_fit(extra="[weights.default]\nenergy = 1.0\n")
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.assertNotEqual(before, self.coefficients(out))
        self.assertEqual(journal, (out / "system" / "journal").read_bytes())

    def test_other_data_or_another_basis_are_refused_and_nothing_is_lost(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        before = self.coefficients(out)
        self.write_fit(basis="cutoff = 6.5\nsize = 12")
        self.assertIn("basis", self.run_ipfit("fit", fit, "--out", out, expect=6))
        self.write_fit(copies=2)
        self.assertIn("data", self.run_ipfit("fit", fit, "--out", out, expect=6))
        self.write_fit()
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        self.assertEqual(before, self.coefficients(out))

    def test_errors_never_stay_beside_another_potential(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        errors = out / "solutions" / "default" / "errors.json"
        before = errors.read_text()
        resolved = (out / "fit.toml").read_text()
        (out / "fit.toml").write_text(resolved.replace("energy = 30.0", "energy = 3.0"))
        self.run_ipfit("solve", out, "--no-errors")
        self.assertFalse(errors.exists())
        self.run_ipfit("errors", out, "--quiet")
        self.assertNotEqual(errors.read_text(), before)

    def test_a_damaged_potential_is_made_again(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        potential = out / "solutions" / "default" / "potential.json"
        whole = potential.read_text()
        number = json.loads(whole)["coefficients"][0]
        for damaged in ("", whole[: len(whole) // 2], whole.replace(repr(number), repr(2 * number), 1)):
            potential.write_text(damaged)
            self.run_ipfit("fit", fit, "--out", out, "--quiet")
            self.assertEqual(whole, potential.read_text())

    def test_predictions_never_replace_their_input(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        data = self.directory / "test.xyz"
        before = data.read_text()
        self.run_ipfit("predict", out, data, "--out", self.directory / "out" / ".." / "test.xyz", expect=2)
        self.assertEqual(before, data.read_text())

    def test_closed_standard_streams_do_no_harm(self):
        fit = self.write_fit()
        out = self.directory / "out"
        command = f"'{BIN}/ipfit' fit '{fit}' --out '{out}' --workers 1 <&- >&- 2>&-"
        self.assertEqual(subprocess.run(["sh", "-c", command], check=False).returncode, 0)
        self.coefficients(out)

    def test_solve_refuses_a_basis_that_was_not_assembled(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        before = self.coefficients(out)
        resolved = (out / "fit.toml").read_text()
        for old, new in (("cutoff = 6.0", "cutoff = 5.5"), ("size = 12", "size = 13")):
            (out / "fit.toml").write_text(resolved.replace(old, new))
            self.assertIn("basis", self.run_ipfit("solve", out, expect=6))
        self.assertEqual(before, self.coefficients(out))

    def test_the_resolved_fit_file_goes_on_from_anywhere(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit.name, "--out", out, "--quiet", cwd=self.directory)
        journal = (out / "system" / "journal").read_bytes()
        self.run_ipfit("fit", out / "fit.toml", "--out", out, "--quiet", cwd="/")
        self.run_ipfit("fit", fit, "--out", out, "--quiet", cwd="/")
        self.assertEqual(journal, (out / "system" / "journal").read_bytes())

    def test_solve_and_errors_work_on_the_directory_alone(self):
        fit = self.write_fit()
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        table = (out / "solutions" / "default" / "errors.txt").read_text()
        moved = self.directory / "elsewhere"
        out.rename(moved)
        self.assertIn("nothing to do", self.run_ipfit("solve", moved))
        self.assertEqual(self.run_ipfit("errors", moved), table)


class Reduced(IpfitTest):
    """Of the rows only triangular factors are kept: less to send and to store, the same fit. Its condition number is 5e3, so
    that rounding is all that may differ."""

    BASIS = "cutoff = 6.0\nsize = 4"

    def values(self, out, name="default"):
        content = json.loads((out / "solutions" / name / "coefficients.json").read_text())
        return content["coefficients"], content["residual"]

    def assert_same(self, one, other, name="default", coefficients=1e-10, residual=1e-12):
        (a, ra), (b, rb) = self.values(one, name), self.values(other, name)
        scale = math.sqrt(sum(x * x for x in a))
        self.assertLessEqual(math.dist(a, b), coefficients * scale)
        self.assertLessEqual(abs(ra - rb), residual * ra)

    def two_fits(self, extra="", **options):
        """The same fit with all rows, and with reduced ones."""
        outs = []
        for keep in ("blocks", "reduced"):
            extended = f'{extra}[assembly]\nkeep = "{keep}"\n'
            fit = self.write_fit(name=f"{keep}.toml", basis=self.BASIS, extra=extended, **options)
            outs.append(self.directory / keep)
            self.run_ipfit("fit", fit, "--out", outs[-1], "--quiet")
        return outs

    def test_a_fit_of_reduced_rows_is_that_of_all_rows(self):
        blocks, reduced = self.two_fits()
        self.assert_same(blocks, reduced)
        tables = [(out / "solutions" / "default" / "errors.txt").read_text() for out in (blocks, reduced)]
        self.assertEqual(*tables)
        size = [sum(f.stat().st_size for f in (out / "system").iterdir()) for out in (blocks, reduced)]
        self.assertLess(size[1], 0.5 * size[0])
        # Other weights and other groups, of the rows that are there.
        weights = self.directory / "weights.toml"
        weights.write_text("[weights.default]\nenergy = 3\nforces_sigma = 0.3\nvirial = 0\n")
        group = sorted(json.loads((blocks / "solutions" / "default" / "errors.json").read_text())["train"]["groups"])[0]
        for out in (blocks, reduced):
            journal = (out / "system" / "journal").read_bytes()
            output = self.run_ipfit(
                "solve", out, "--name", "other", "--weights", weights, "--without-group", group, "--solver", "blr"
            )
            self.assertEqual(journal, (out / "system" / "journal").read_bytes())
        self.assertIn("ipfit predict", output)
        self.assert_same(blocks, reduced, "other")
        # Errors of the other solution are not known, which is no failure, however often it is asked for.
        self.assertIn("ipfit predict", self.run_ipfit("solve", reduced, "--name", "other", "--from",
                                                      reduced / "solutions" / "other" / "fit.toml"))
        self.assertTrue((reduced / "solutions" / "other" / "report.txt").exists())
        self.assertIn("ipfit predict", self.run_ipfit("errors", reduced, "--solution", "other", expect=7))
        self.assertIn("no errors of other, since", self.run_ipfit("compare", reduced))

    def test_weights_of_single_structures_and_validation_sets_come_through(self):
        outs = []
        for keep in ("blocks", "reduced"):
            fit = self.write_fit(name=f"{keep}.toml", basis=self.BASIS)
            frames = frames_of(self.directory / "train.xyz")
            own = self.directory / "own.xyz"
            marked = []
            for i, frame in enumerate(frames):
                head, comment, rest = frame.split("\n", 2)
                comment += " energy_sigma=0.01 force_weight=2.5" if i % 3 == 0 else ""
                marked.append("\n".join((head, comment, rest)))
            own.write_text("".join(marked))
            text = fit.read_text().replace('train = ["train.xyz"]', 'train = ["own.xyz"]\nvalidation_fraction = 0.2')
            fit.write_text(text + f'[solver]\nkind = "ridge"\nlambda = "validation"\n[assembly]\nkeep = "{keep}"\n')
            outs.append(self.directory / keep)
            self.run_ipfit("fit", fit, "--out", outs[-1], "--quiet")
        # The strength is found by a search that ends at a relative width of some 1e-6 to 1e-4.
        self.assert_same(*outs, coefficients=1e-5, residual=1e-6)

    def test_a_repulsion_is_reduced_with_the_rows(self):
        for one_body in ("{ Cu = -3.0, Au = -2.5 }", '"fit"'):
            blocks, reduced = self.two_fits(extra=f"[reference]\nzbl = true\none_body = {one_body}\n")
            self.assert_same(blocks, reduced)
            shutil.rmtree(blocks)
            shutil.rmtree(reduced)

    def test_the_bits_are_the_same_for_any_workers_and_another_keep_needs_another_directory(self):
        results = []
        for workers in (1, 3):
            fit = self.write_fit(extra='[assembly]\nkeep = "reduced"\n')
            out = self.directory / f"out{workers}"
            self.run_ipfit("fit", fit, "--out", out, "--workers", workers, "--quiet")
            results.append(self.coefficients(out))
        self.assertEqual(*results)
        kept = (out / "fit.toml").read_text()
        self.assertIn("assembly.keep", self.run_ipfit("fit", self.write_fit(), "--out", out, expect=6))
        self.assertEqual((out / "fit.toml").read_text(), kept)  # or ipfit solve would not know its rows any more


class Uncertainty(IpfitTest):
    """Standard deviations of predictions come from the committee of the solution."""

    def predictions(self, path):
        """Energy, forces and their deviations of each frame, where the file has them."""
        frames = []
        for frame in frames_of(path):
            count, comment, *atoms = frame.splitlines()
            value = lambda key: float(re.search(rf" {key}=(\S+)", comment)[1]) if f" {key}=" in comment else None
            rows = [[float(number) for number in atom.split()[1:]] for atom in atoms]
            frames.append((value("energy"), [row[3:6] for row in rows], value("energy_std"), [row[6:9] for row in rows]))
            self.assertEqual(int(count), len(atoms))
        return frames

    def test_deviations_are_the_spread_of_the_potentials_of_the_committee(self):
        fit = self.write_fit(basis="cutoff = 5.0\nsize = 6", extra='[solver]\nkind = "blr"\ncommittee = 3\n')
        out = self.directory / "out"
        self.run_ipfit("fit", fit, "--out", out, "--quiet")
        solution = out / "solutions" / "default"
        structures = self.directory / "test.xyz"
        predicted = self.directory / "predicted.xyz"
        self.run_ipfit("predict", out, structures, "--out", predicted, "--uncertainty", "--quiet")

        # The same by hand: each member as a potential of its own.
        found = json.loads((solution / "coefficients.json").read_text())
        potential = json.loads((solution / "potential.json").read_text())
        potential.pop("checksum")
        members = []
        for i, coefficients in enumerate(found["committee"]):
            potential["coefficients"] = coefficients
            potential["one_body"] = found["committee_one_body"][i]
            member = self.directory / f"member{i}.json"
            member.write_text(json.dumps(potential))
            self.run_ipfit("predict", member, structures, "--out", self.directory / f"{i}.xyz", "--quiet")
            members.append(self.predictions(self.directory / f"{i}.xyz"))
        frames = self.predictions(predicted)
        self.assertEqual(len(frames), len(frames_of(structures)))
        spread = lambda value, others: math.sqrt(sum((other - value) ** 2 for other in others) / len(others))
        for i, (energy, forces, energy_std, forces_std) in enumerate(frames):
            expected = spread(energy, [member[i][0] for member in members])
            self.assertTrue(math.isclose(energy_std, expected, rel_tol=1e-9), (energy_std, expected))
            self.assertGreater(energy_std, 0.0)
            for atom, (force, std) in enumerate(zip(forces, forces_std)):
                for axis in range(3):
                    expected = spread(force[axis], [member[i][1][atom][axis] for member in members])
                    self.assertTrue(math.isclose(std[axis], expected, rel_tol=1e-6, abs_tol=1e-12))
        # Without the option the file has none, and what is written can be read again.
        self.run_ipfit("predict", out, predicted, "--out", self.directory / "again.xyz", "--quiet")
        self.assertIsNone(self.predictions(self.directory / "again.xyz")[0][2])

    def test_without_a_committee_it_is_said_what_to_do(self):
        out = self.directory / "out"
        self.run_ipfit("fit", self.write_fit(), "--out", out, "--quiet")
        output = self.run_ipfit("predict", out, self.directory / "test.xyz", "--uncertainty", expect=6)
        self.assertIn("committee = 16", output)
        alone = self.directory / "alone.json"
        shutil.copy(out / "solutions" / "default" / "potential.json", alone)
        output = self.run_ipfit("predict", alone, self.directory / "test.xyz", "--uncertainty", expect=3)
        self.assertIn("coefficients.json", output)


class ManySolutions(IpfitTest):
    """Assembled once, solved many times."""

    def setUp(self):
        super().setUp()
        self.fit = self.write_fit()
        self.out = self.directory / "out"
        self.run_ipfit("fit", self.fit, "--out", self.out, "--quiet")

    def solution(self, name, file="coefficients.json"):
        return json.loads((self.out / "solutions" / name / file).read_text())

    def test_solutions_stand_side_by_side_and_nothing_is_evaluated(self):
        journal = (self.out / "system" / "journal").read_bytes()
        default = self.coefficients(self.out)
        text = self.run_ipfit("solve", self.out, "--name", "ridge", "--solver", "ridge", "--lambda", "0.5", "-v")
        self.assertIn("Test set", text)
        self.assertIn("share of the weighted sum", text)
        weights = self.directory / "w.toml"
        weights.write_text("[weights.default]\nenergy_sigma = 0.002\n")
        self.run_ipfit("solve", self.out, "--name", "sigma", "--weights", weights, "--quiet")
        self.assertEqual(journal, (self.out / "system" / "journal").read_bytes())
        self.assertEqual(default, self.coefficients(self.out))
        self.assertEqual(self.solution("ridge")["solver"]["lambda"], 0.5)
        self.assertIn("energy_sigma = 0.002", (self.out / "solutions" / "sigma" / "fit.toml").read_text())
        norm = lambda name: sum(c * c for c in self.solution(name)["coefficients"])
        self.assertLess(norm("ridge"), norm("default"))
        rmse = lambda name: self.solution(name, "errors.json")["train"]["total"]["energy"]["rmse"]
        self.assertLess(rmse("sigma"), rmse("default"))

        # What a solution was solved with gives the same solution where it is the fit file.
        self.run_ipfit("solve", self.out, "--name", "again", "--from", self.out / "solutions" / "sigma" / "fit.toml", "--quiet")
        self.assertEqual(self.solution("sigma")["coefficients"], self.solution("again")["coefficients"])
        other = self.directory / "other.toml"
        other.write_text(self.fit.read_text() + "[weights.default]\nenergy_sigma = 0.002\n")
        fresh = self.directory / "fresh"
        self.run_ipfit("fit", other, "--out", fresh, "--quiet")
        self.assertEqual(
            json.loads((fresh / "solutions" / "default" / "coefficients.json").read_text())["coefficients"],
            self.solution("sigma")["coefficients"],
        )

    def test_errors_from_stored_rows_are_those_of_the_potential_evaluated(self):
        predicted = self.directory / "predicted.xyz"
        text = self.run_ipfit("predict", self.out, self.directory / "test.xyz", "--out", predicted)
        table = lambda text, title: text[text.index(title) :].splitlines()[1:8]
        errors = (self.out / "solutions" / "default" / "errors.txt").read_text()
        self.assertEqual(table(text, "Predictions against labels"), table(errors, "Test set"))

    def test_solves_of_one_name_at_once_do_not_mix_their_files(self):
        for _ in range(3):
            strengths = ("0.1", "1.0", "10.0")
            solves = [
                self.start("ipfit", "solve", self.out, "--name", "s", "--solver", "ridge", "--lambda", strength, "--quiet")
                for strength in strengths
            ]
            ended = [self.end(solve) for solve in solves]
            self.assertTrue(all(code in (0, 4) for code, _ in ended), ended)
            self.assertIn(0, [code for code, _ in ended])
            found = self.solution("s")
            potential = self.solution("s", "potential.json")
            self.assertEqual(found["coefficients"], potential["coefficients"])
            written = (self.out / "solutions" / "s" / "fit.toml").read_text()
            self.assertIn(f"lambda = {found['solver']['lambda']}", written)
            self.run_ipfit("verify", self.out)

    def test_the_fit_file_of_a_solution_is_checked_and_made_again(self):
        written = self.out / "solutions" / "default" / "fit.toml"
        whole = written.read_text()
        written.write_text("garbage")
        self.assertIn(str(written), self.run_ipfit("verify", self.out, expect=4))
        self.run_ipfit("fit", self.fit, "--out", self.out, "--quiet")
        self.assertEqual(written.read_text(), whole)
        written.write_text(whole.replace("forces = 1.0", "forces = 2.0"))
        self.run_ipfit("solve", self.out, "--quiet")
        self.assertEqual(written.read_text(), whole)

    def test_a_solution_is_a_name_and_no_path(self):
        for command in ("errors", "report", "export"):
            for name in ("../default", "", ".hidden"):
                self.assertIn("--solution", self.run_ipfit(command, self.out, "--solution", name, expect=2))

    def test_output_that_cannot_be_written_is_no_success(self):
        with open("/dev/full", "w") as full:
            command = [BIN / "ipfit", "compare", self.out]
            ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ended.returncode, 4)
        self.assertIn("standard output", ended.stderr)

    def test_a_smaller_basis_is_solved_for_with_the_rows_of_the_larger_one(self):
        self.run_ipfit("solve", self.out, "--name", "small", "--solver", "qr", "--functions", 4)
        fit = self.write_fit(name="small.toml", basis="cutoff = 6.0\nsize = 4", extra='[solver]\nkind = "qr"\n')
        small = self.directory / "small"
        self.run_ipfit("fit", fit, "--out", small, "--quiet")
        expected = json.loads((small / "solutions" / "default" / "coefficients.json").read_text())
        found = self.solution("small")
        values = dict(zip(found["columns"], found["coefficients"]))
        kept = [values.pop(column) for column in expected["columns"]]
        # Another way through the same numbers; the condition number is 5e3.
        self.assertLessEqual(math.dist(kept, expected["coefficients"]), 1e-11 * math.hypot(*kept))
        self.assertEqual(set(values.values()), {0})
        self.assertEqual(found["solver"]["functions"], 4)

    def test_groups_are_left_out_and_it_is_said_how_many_rows(self):
        errors = self.solution("default", "errors.json")
        groups = sorted(errors["train"]["groups"])
        text = self.run_ipfit("solve", self.out, "--name", "less", "--without-group", groups[0])
        self.assertIn(f"weight 0, not fitted to: rows of {groups[0]}", text)
        less = self.solution("less", "errors.json")
        left_out = less["contributions"]["groups"][groups[0]]["forces"]
        self.assertEqual(left_out["rows"], 0)
        self.assertEqual(left_out["left_out"], errors["train"]["groups"][groups[0]]["forces"]["count"])
        self.run_ipfit("solve", self.out, "--name", "same", "--groups", ",".join(groups[1:]), "--quiet")
        self.assertEqual(self.solution("less")["coefficients"], self.solution("same")["coefficients"])
        # Without it the rest can only be fitted better.
        weighted = lambda errors: sum(
            kind["sum"] for group in groups[1:] for kind in errors["contributions"]["groups"][group].values()
        )
        self.assertLess(weighted(less), weighted(errors))

    def test_contributions_are_the_squared_residual(self):
        contributions = self.solution("default", "errors.json")["contributions"]
        residual = self.solution("default")["residual"]
        # Sums of some thousand terms in another order.
        self.assertTrue(math.isclose(contributions["total"], residual**2, rel_tol=1e-9))
        shares = [kind["share"] for group in contributions["groups"].values() for kind in group.values()]
        self.assertTrue(math.isclose(sum(shares), 1.0, rel_tol=1e-9))

    def test_all_solutions_are_compared_in_one_table(self):
        self.run_ipfit("solve", self.out, "--name", "strong", "--solver", "ridge", "--lambda", "100", "--quiet")
        text = self.run_ipfit("compare", self.out)
        self.assertRegex(text, r"(?m)^strong .* ridge, lambda = 100.0 *$")
        training = text[text.index("training set") : text.index("test set")].splitlines()
        self.assertEqual([line.count("*") for line in training if line.startswith("default")], [6])
        solutions = json.loads(self.run_ipfit("compare", self.out, "--json"))["solutions"]
        self.assertEqual([solution["name"] for solution in solutions], ["default", "strong"])
        self.assertEqual(
            solutions[1]["errors"]["test"]["forces"], self.solution("strong", "errors.json")["test"]["total"]["forces"]
        )

    def test_wrong_options_are_refused_in_words(self):
        solve = lambda *options, expect: self.run_ipfit("solve", self.out, *options, expect=expect)
        self.assertIn("--name", solve("--lambda", "1", expect=2))
        self.assertIn("--name", solve("--name", "../x", expect=2))
        self.assertIn("lambda", solve("--name", "x", "--solver", "ridge", expect=3))
        self.assertIn("there are:", solve("--name", "x", "--groups", "nowhere", expect=3))
        weights = self.directory / "w.toml"
        weights.write_text("[weights.nowhere]\nenergy = 1\n")
        self.assertIn("there are:", solve("--name", "x", "--weights", weights, expect=3))
        other = self.directory / "other.toml"
        other.write_text(self.fit.read_text().replace("size = 12", "size = 13"))
        self.assertIn("another basis", solve("--name", "x", "--from", other, expect=6))
        self.assertFalse((self.out / "solutions" / "x").exists())

    def test_a_share_kept_for_validation_has_no_say_and_errors_of_its_own(self):
        self.fit.write_text(self.fit.read_text().replace("[basis]", "validation_fraction = 0.2\n[basis]"))
        out = self.directory / "split"
        self.assertIn("Validation set", self.run_ipfit("fit", self.fit, "--out", out))
        errors = json.loads((out / "solutions" / "default" / "errors.json").read_text())
        whole = self.solution("default", "errors.json")
        for group, kinds in whole["train"]["groups"].items():
            kept = errors["validation"]["groups"].get(group, {"energy": {"count": 0}})["energy"]["count"]
            count = kinds["energy"]["count"]
            self.assertEqual(kept + errors["train"]["groups"][group]["energy"]["count"], count)
            self.assertLessEqual(abs(kept - 0.2 * count), 0.5)

        # The same structures in another order give the same split.
        train = self.directory / "train.xyz"
        frames = frames_of(train)
        self.random.shuffle(frames)
        train.write_text("".join(frames))
        shuffled = self.directory / "shuffled"
        self.run_ipfit("fit", self.fit, "--out", shuffled, "--quiet")
        again = json.loads((shuffled / "solutions" / "default" / "errors.json").read_text())
        for kind, error in errors["validation"]["total"].items():
            self.assertEqual(error["count"], again["validation"]["total"][kind]["count"])
            self.assertTrue(math.isclose(error["rmse"], again["validation"]["total"][kind]["rmse"], rel_tol=1e-6))

    def test_weights_of_single_structures_come_from_the_data(self):
        train = self.directory / "train.xyz"
        frames = frames_of(train)
        train.write_text("".join([frames[0].replace("energy=", "energy_weight=0 energy=", 1)] + frames[1:]))
        out = self.directory / "weighted"
        text = self.run_ipfit("fit", self.fit, "--out", out)
        self.assertIn("own weights: the key 'energy_weight', in 1 structures", text)
        self.assertIn("1 energy", text[text.index("weight 0, not fitted to") :])


if __name__ == "__main__":
    unittest.main(verbosity=2)
