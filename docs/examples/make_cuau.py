#!/usr/bin/python3
"""Makes cuau_train.xyz and cuau_test.xyz, the data of the example fit cuau.toml.

    ./docs/examples/make_cuau.py [FOLDER]      (Debian package: python3-ase; takes about a minute)

Copper-gold alloys, labelled by the effective-medium potential of ASE (K. W. Jacobsen, P. Stoltze, J. K. Nørskov, Surf. Sci. 366, 394
(1996)) in place of an electronic-structure code: it takes no time, is many-body, and its forces and virials are exact
derivatives. Positions are rounded before they are labelled, so the labels belong to the numbers that are written; with the
fixed seed the files come out the same byte for byte.

Units: Å, eV, eV/Å; virial = -dE/dstrain = -volume * stress, eV, positive trace under compression (checked below).
"""

import pathlib
import sys

import numpy as np
from ase import Atoms, units
from ase.build import bulk, fcc100, fcc110, fcc111
from ase.calculators.emt import EMT
from ase.md.langevin import Langevin
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution

SEED = 20
LATTICE = {"Cu": 3.615, "Au": 4.065}  # Å, fcc
TEST_SHARE = 5  # every 5th structure of a group is kept for testing


def lattice_constant(gold_share):
    """Vegard's rule, Å."""
    return LATTICE["Cu"] + gold_share * (LATTICE["Au"] - LATTICE["Cu"])


def strained(atoms, rng, size):
    """The atoms after a random symmetric strain, each component up to `size`."""
    strain = rng.uniform(-size, size, (3, 3))
    atoms.set_cell(atoms.cell.array @ (np.eye(3) + (strain + strain.T) / 2), scale_atoms=True)
    return atoms


def displaced(atoms, rng, size):
    """The atoms moved by normal random numbers of width `size`, Å."""
    atoms.positions += rng.normal(0.0, size, atoms.positions.shape)
    return atoms


def random_alloy(atoms, rng, gold_share):
    """The same sites with gold atoms at random."""
    gold = rng.permutation(len(atoms)) < round(gold_share * len(atoms))
    atoms.symbols = ["Au" if is_gold else "Cu" for is_gold in gold]
    return atoms


def elements_under_strain(rng):
    """One atom in the primitive cell, four in the cubic one: cells smaller than any useful cutoff."""
    for element in ("Cu", "Au"):
        for _ in range(14):
            yield strained(bulk(element, "fcc", LATTICE[element]), rng, 0.06)
        for _ in range(8):
            yield displaced(strained(bulk(element, "fcc", LATTICE[element], cubic=True), rng, 0.05), rng, 0.08)


def ordered_alloys(rng):
    """L1_2 Cu3Au and CuAu3, L1_0 CuAu: strained and displaced."""
    for symbols in (["Au", "Cu", "Cu", "Cu"], ["Cu", "Au", "Au", "Au"], ["Cu", "Cu", "Au", "Au"]):
        for _ in range(16):
            atoms = bulk("Cu", "fcc", lattice_constant(symbols.count("Au") / 4), cubic=True)
            atoms.symbols = symbols
            yield displaced(strained(atoms, rng, 0.05), rng, 0.08)


def disordered_alloys(rng):
    """Solid solutions of every composition, 8 or 16 atoms, as displaced as in a warm crystal."""
    for n in range(64):
        gold_share = (n % 9) / 8
        cell = bulk("Cu", "fcc", lattice_constant(gold_share), cubic=n % 2 == 0)
        atoms = random_alloy(cell.repeat((2, 2, 1) if n % 2 == 0 else (2, 2, 2)), rng, gold_share)
        yield displaced(strained(atoms, rng, 0.03), rng, rng.uniform(0.03, 0.15))


def surfaces(rng):
    """Slabs, periodic along the surface only; so they have no virial."""
    for n in range(36):
        gold_share = (n % 5) / 4
        make = (fcc111, fcc100, fcc110)[n % 3]
        slab = make("Cu", size=(2, 2, 3), a=lattice_constant(gold_share), vacuum=8.0, orthogonal=make is not fcc111)
        slab.pbc = (True, True, False)
        yield displaced(random_alloy(slab, rng, gold_share), rng, rng.uniform(0.03, 0.15))


def liquids(rng):
    """Snapshots of molecular dynamics at 2200 K, 32 atoms, from a crystal expanded by 4 %."""
    for gold_share in (0.0, 0.25, 0.5, 0.75, 1.0):
        atoms = bulk("Cu", "fcc", 1.04 * lattice_constant(gold_share), cubic=True).repeat(2)
        atoms = random_alloy(atoms, rng, gold_share)
        atoms.calc = EMT()
        MaxwellBoltzmannDistribution(atoms, temperature_K=4400, rng=rng)
        dynamics = Langevin(atoms, 3 * units.fs, temperature_K=2200, friction=0.02, rng=rng)
        for snapshot in range(20):
            dynamics.run(25)
            # Trajectories amplify the last bits, which differ between CPU types; rounding takes them away.
            atoms.positions = np.round(atoms.positions, 6)
            atoms.set_momenta(np.round(atoms.get_momenta(), 6))
            if snapshot >= 10:
                yield atoms.copy()


GROUPS = {
    "strained": elements_under_strain,
    "ordered": ordered_alloys,
    "disordered": disordered_alloys,
    "surface": surfaces,
    "liquid": liquids,
}


def rounded(atoms):
    """A copy with the positions and the cell that the file will have, and a calculator."""
    copy = Atoms(atoms.symbols, np.round(atoms.positions, 8), cell=np.round(atoms.cell.array, 8), pbc=atoms.pbc)
    copy.calc = EMT()
    return copy


def virial(atoms):
    """eV, 3 x 3."""
    return -atoms.get_volume() * atoms.get_stress(voigt=False)


def check_derivatives(atoms):
    """Forces and virial against central differences of the energy: the sign and the unit of what is written."""

    def energy(change):
        other = rounded(atoms)
        change(other)
        return other.get_potential_energy()

    step = 1e-4
    for axis in range(3):

        def move(other, size, axis=axis):
            other.positions[0, axis] += size

        slope = (energy(lambda a: move(a, step)) - energy(lambda a: move(a, -step))) / (2 * step)
        assert abs(slope + atoms.get_forces()[0, axis]) < 1e-5, "force is not -dE/dr"
        for other_axis in range(axis, 3):

            def strain(other, size, i=axis, j=other_axis):
                shape = np.eye(3)
                shape[i, j] += size / 2
                shape[j, i] += size / 2
                other.set_cell(other.cell.array @ shape, scale_atoms=True)

            slope = (energy(lambda a: strain(a, step)) - energy(lambda a: strain(a, -step))) / (2 * step)
            assert abs(slope + virial(atoms)[axis, other_axis]) < 1e-4, "virial is not -dE/dstrain"


def frame(atoms, group):
    """The structure and its labels as one frame of an extended-XYZ file."""

    def numbers(values):
        return " ".join(f"{value + 0.0:.8f}" for value in np.round(np.ravel(values), 8))

    comment = [
        f'Lattice="{numbers(atoms.cell.array)}"',
        "Properties=species:S:1:pos:R:3:forces:R:3",
        f"energy={numbers(atoms.get_potential_energy())}",
    ]
    if atoms.pbc.all():
        comment.append(f'virial="{numbers(virial(atoms))}"')
    comment += [f"config_type={group}", 'pbc="{}"'.format(" ".join("T" if p else "F" for p in atoms.pbc))]
    lines = [str(len(atoms)), " ".join(comment)]
    for symbol, position, force in zip(atoms.symbols, atoms.positions, atoms.get_forces()):
        lines.append(f"{symbol:2} {numbers(position)} {numbers(force)}")
    return "\n".join(lines) + "\n"


def main(folder):
    rng = np.random.RandomState(SEED)
    train, test = [], []
    for group, make in GROUPS.items():
        for n, atoms in enumerate(make(rng)):
            atoms = rounded(atoms)
            if atoms.pbc.all() and n % 16 == 7:
                check_derivatives(atoms)
            (test if n % TEST_SHARE == TEST_SHARE - 1 else train).append(frame(atoms, group))
    for name, frames in (("cuau_train.xyz", train), ("cuau_test.xyz", test)):
        (folder / name).write_text("".join(frames), encoding="ascii")
        print(f"{folder / name}: {len(frames)} structures")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
