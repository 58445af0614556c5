#!/usr/bin/env python3
"""How accurate the default recipe is, and what changes when one choice of it is another: the tables of docs/explanation/accuracy.md.

    tests/bench/accuracy.py DATA [--bin build/release/bin] [--out DIR] [--tables recipe,cutoff,...] [--elements si,mo]

DATA is the folder with si_train.xyz, si_test.xyz, mo_train.xyz and mo_test.xyz. Everything goes through `ipfit fit` and, where the rows do not change,
`ipfit solve` on rows that are there; fits are kept in --out, so a second run only prints. Mean absolute errors of test files: energies and virials in meV per atom, force
components in eV/Å. Some minutes on two cores."""

import argparse
import json
import pathlib
import subprocess
import tempfile

CUTOFF = {"si": 5.5, "mo": 5.2}
WEIGHTS = {"energy": 30.0, "forces": 1.0, "virial": 0.0}
LARGE, SMALL = {"size": 1040}, {"size": 320, "order": 3}


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def fit_file(data, element, basis, sections):
    sections = {
        "data": {key: [str(data / f"{element}_{key}.xyz")] for key in ("train", "test")},
        "basis": {"elements": [element.capitalize()], "cutoff": CUTOFF[element]} | basis,
        "weights.default": WEIGHTS,
    } | sections
    return "".join(
        f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items()) for name, keys in sections.items()
    )


class Bench:
    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out or tempfile.mkdtemp(prefix="ipfit-accuracy-"))
        self.out.mkdir(parents=True, exist_ok=True)

    def ipfit(self, *arguments):
        done = subprocess.run([self.options.bin / "ipfit", *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"ipfit {' '.join(map(str, arguments))}:\n{done.stderr}")

    def errors(self, element, basis, name="default", sections=None):
        """Mean absolute errors of a fit, or of another solution of its rows: of training and test file by kind."""
        tag = "-".join([element] + [f"{key}{value}" for key, value in sorted(basis.items())])
        directory = self.out / tag
        file = self.out / f"{tag}-{name}.toml"
        file.write_text(fit_file(self.options.data, element, basis, sections or {}))
        if name == "default":
            self.ipfit("fit", file, "--out", directory, "--quiet")
        else:
            self.errors(element, basis)
            self.ipfit("solve", directory, "--from", file, "--name", name)
        found = json.loads((directory / "solutions" / name / "errors.json").read_text())
        return {part: {kind: found[part]["total"][kind]["mae"] for kind in ("energy", "forces", "virial")} for part in ("train", "test")}

    def table(self, title, rows):
        """rows: (words, basis, name, sections)."""
        elements = self.options.elements
        print(f"\n### {title}\n")
        print("| | " + " | ".join(f"{e.capitalize()} energy | forces | virial | training energy | forces" for e in elements) + " |")
        print("|---" * (1 + 5 * len(elements)) + "|")
        for words, basis, name, sections in rows:
            cells = []
            for element in elements:
                found = self.errors(element, basis, name, sections)
                test, train = found["test"], found["train"]
                cells += [f"{test['energy']:.2f}", f"{test['forces']:.4f}", f"{test['virial']:.0f}"]
                cells += [f"{train['energy']:.2f}", f"{train['forces']:.4f}"]
            print(f"| {words} | " + " | ".join(cells) + " |", flush=True)


def other_basis(changes):
    return [(words, LARGE | change, "default", None) for words, change in changes]


def other_solution(basis, changes):
    return [(words, basis, f"s{number}", sections) for number, (words, sections) in enumerate(changes)]


def solver(kind, **keys):
    return {"solver": {"kind": kind} | keys}


def prior(kind, **keys):
    return solver("blr", prior={"kind": kind} | keys)


TABLES = {
    "recipe": lambda: [("320 functions, order 3", SMALL, "default", None), ("1040 functions", LARGE, "default", None)],
    "size": lambda: other_basis((str(size), {"size": size}) for size in (80, 160, 320, 640, 1040, 1500)),
    "order": lambda: other_basis((str(order), {"order": order}) for order in (2, 3, 4, 5)),
    "cutoff": lambda: other_basis((f"{cutoff} Å", {"cutoff": cutoff}) for cutoff in (4.6, 5.0, 5.2, 5.5, 6.0)),
    "radial": lambda: other_basis(
        [("SBessel", {}), ("ChebExpCos, lambda 5.25", {"radial": "ChebExpCos"}), ("ChebPow, lambda 2", {"radial": "ChebPow", "lambda": 2.0})]
    ),
    "solver": lambda: other_solution(
        LARGE,
        [
            ("blr, algebraic p = 2", prior("algebraic", power=2.0)),
            ("blr, algebraic p = 4", prior("algebraic", power=4.0)),
            ("blr, exponential, wl = 8/3, wn = 4", prior("exponential", wl=2.667, wn=4.0)),
            ("blr, no prior", prior("none")),
            ("ridge by cross-validation, algebraic p = 2", solver("ridge", **{"lambda": "gcv", "prior": {"kind": "algebraic", "power": 2.0}})),
            ("qr", solver("qr")),
            ("rrqr, rtol 1e-5", solver("rrqr", rtol=1e-5)),
        ],
    ),
    "weights": lambda: other_solution(
        LARGE,
        [(f"energy {energy}", {"weights.default": WEIGHTS | {"energy": energy}}) for energy in (5.0, 10.0, 30.0, 100.0)]
        + [(f"energy 30, virial {virial}", {"weights.default": WEIGHTS | {"virial": virial}}) for virial in (0.02, 0.1, 0.3, 1.0)],
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--out")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=list(TABLES))
    parser.add_argument("--elements", type=lambda text: text.split(","), default=list(CUTOFF))
    options = parser.parse_args()
    bench = Bench(options)
    for name in options.tables:
        bench.table(name, TABLES[name]())


if __name__ == "__main__":
    main()
