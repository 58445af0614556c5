#!/usr/bin/env python3
"""Rows of the ACE basis for the built-in probe, with 40 digits and more, from the formulas alone.

Origin of the numbers of the ACE basis in common/model/probe.cpp. Run it without arguments (python3-mpmath); it prints
the entries of the self-test. What differs from the program on purpose: SBessel functions come from their definition by
sinc functions, Chebyshev polynomials from cosines, Legendre polynomials from their coefficients, Clebsch-Gordan
coefficients from Racah's formula with factorials; products are summed over all tuples m; and forces and virials are
differences of energies of displaced structures, so that no derivative is written down anywhere.
"""
import re
from functools import lru_cache
from itertools import product

from mpmath import acos, cos, exp, factorial, mp, mpc, mpf, pi, sin, sqrt

mp.dps = 90
STEP = mpf(10) ** -24  # central differences: the error is of the order of STEP², 1e-48

ELEMENTS = ["Si", "O"]
CELL = [[mpf("3.5"), 0, 0], [mpf("1.25"), mpf("3.25"), 0], [mpf("-0.75"), mpf("0.5"), mpf("3.75")]]
SPECIES = [0, 1, 0]
POSITIONS = [[mpf("0.125"), mpf("0.25"), mpf("-0.5")], [mpf("1.75"), mpf("0.5"), mpf(1)],
             [mpf("0.75"), mpf("1.875"), mpf("2.25")]]

FUNCTIONS = {
    "Si": ["Si(1,0)", "Si(2,0)", "O(1,0)", "O(3,0)",
           "Si(1,0) O(1,0)", "O(2,0) O(2,0)", "Si(1,1) Si(2,1)", "Si(1,1) O(1,1)", "O(1,1) O(1,1)", "Si(1,2) O(2,2)",
           "O(1,3) O(1,3)", "Si(1,4) Si(1,4)",
           "Si(1,1) O(1,1) Si(1,2)", "Si(1,1) Si(1,1) O(1,2)", "Si(1,2) Si(2,2) O(1,2)",
           "Si(1,1) Si(2,1) O(1,1) O(2,1)", "Si(1,1) Si(1,1) O(1,1) O(1,1)",
           "Si(1,0) O(1,0) Si(1,1) O(1,1) O(1,2)",
           "Si(1,0) O(1,0) Si(1,1) Si(1,1) O(1,1) O(1,1)"],
    "O": ["Si(1,0)", "O(1,0)", "O(2,0)", "Si(1,1) Si(1,1)"],
}

# (row, column): rows are the energy, nine forces, six virial components. Left out are entries whose terms nearly cancel:
# they would have to be compared with more tolerance.
ENTRIES = [(0, c) for c in range(27) if c not in (12, 17)] + [
    (2, 14), (2, 21), (4, 10), (4, 13), (4, 18), (9, 11), (9, 15), (9, 19), (9, 20), (9, 22), (10, 6), (10, 18), (13, 3),
    (14, 10), (14, 20), (14, 26)]
FITTED = [0, 2, 4, 9, 10, 14]  # rows of the fitted potential, whose coefficients are coefficient(column)
ONE_BODY = {"Si": mpf("-1.5"), "O": mpf("0.25")}


def coefficient(column):
    return mpf((7 * column) % 11 - 5) / 8


# ---- radial functions ---------------------------------------------------------------------------------------------

def sinc(u):
    return sin(u) / u


def sbessel(r, size, cutoff):
    """g_1 ... g_size (docs/explanation/ace-radial.md)."""
    def f(n):
        return ((-1) ** n * sqrt(mpf(2)) * pi / cutoff ** mpf("1.5") * (n + 1) * (n + 2) / sqrt(mpf((n + 1) ** 2 + (n + 2) ** 2))
                * (sinc((n + 1) * pi * r / cutoff) + sinc((n + 2) * pi * r / cutoff)))
    g, d = [f(0)], mpf(1)
    for n in range(1, size):
        e = mpf(n ** 2 * (n + 2) ** 2) / (4 * (n + 1) ** 4 + 1)
        d_n = 1 - e / d
        g.append((f(n) + sqrt(e / d) * g[-1]) / sqrt(d_n))
        d = d_n
    return g


def chebyshev(n, x):
    return cos(n * acos(x))


def cheb_exp_cos(r, size, cutoff, lam, width):
    x = 1 - 2 * (exp(-lam * r / cutoff) - exp(-lam)) / (1 - exp(-lam))
    envelope = (1 + cos(pi * r / cutoff)) / 2
    if r > cutoff - width:
        envelope *= (1 + cos(pi * (r - cutoff + width) / width)) / 2
    return [envelope] + [(1 - chebyshev(k - 1, x)) / 2 * envelope for k in range(2, size + 1)]


def cheb_pow(r, size, cutoff, lam):
    x = 1 - 2 * (1 - r / cutoff) ** lam
    return [(1 - chebyshev(k, x)) / 2 for k in range(1, size + 1)]


def radial(pair, r):
    """b_1, b_2, ... of a pair of elements; none beyond its cutoff."""
    if pair == (0, 0):
        return sbessel(r, 2, mpf(4)) if r < 4 else []
    if pair == (1, 1):
        return cheb_pow(r, 2, mpf(4), mpf(3)) if r < 4 else []
    cutoff, inner, width = mpf("3.75"), mpf("2.5"), mpf("0.75")
    if r >= cutoff:
        return []
    t = min(max((r - (inner - width)) / width, mpf(0)), mpf(1))
    step = t ** 3 * (10 - 15 * t + 6 * t ** 2)
    g = [step * each for each in cheb_exp_cos(r, 3, cutoff, mpf("3.5"), mpf("0.5"))]
    transform = [[mpf(1)], [mpf("0.5"), mpf("1.25")], [mpf("-0.25"), mpf("0.75"), mpf("1.5")]]
    return [sum(t_nk * g_k for t_nk, g_k in zip(row, g)) for row in transform]


# ---- harmonics and couplings --------------------------------------------------------------------------------------

@lru_cache(None)
def legendre(l, m):
    """Coefficients of d^m P_l/dz^m, by Rodrigues' formula: the l-th derivative of (z² - 1)^l / (2^l l!)."""
    p = [mpf(0)] * (2 * l + 1)
    for k in range(l + 1):
        p[2 * k] = (-1) ** (l - k) * factorial(l) / factorial(k) / factorial(l - k) / 2 ** l / factorial(l)
    for _ in range(l + m):
        p = [i * p[i] for i in range(1, len(p))]
    return p


def harmonic(l, m, unit):
    if m < 0:
        return (-1) ** m * harmonic(l, -m, unit).conjugate()
    x, y, z = unit
    value = sum(c * z ** i for i, c in enumerate(legendre(l, m)))
    return (-1) ** m * sqrt((2 * l + 1) * factorial(l - m) / factorial(l + m)) * mpc(x, y) ** m * value


@lru_cache(None)
def clebsch_gordan(j1, m1, j2, m2, J, M):
    """<j1 m1 j2 m2 | J M> (Racah's formula)."""
    if m1 + m2 != M or abs(m1) > j1 or abs(m2) > j2 or abs(M) > J or not abs(j1 - j2) <= J <= j1 + j2:
        return mpf(0)
    f = factorial
    total = mpf(0)
    for k in range(j1 + j2 - J + 1):
        below = [k, j1 + j2 - J - k, j1 - m1 - k, j2 + m2 - k, J - j2 + m1 + k, J - j1 - m2 + k]
        if min(below) >= 0:
            term = mpf((-1) ** k)
            for each in below:
                term /= f(each)
            total += term
    return total * sqrt((2 * J + 1) * f(J + j1 - j2) * f(J - j1 + j2) * f(j1 + j2 - J) / f(j1 + j2 + J + 1)) * sqrt(
        f(J + M) * f(J - M) * f(j1 - m1) * f(j1 + m1) * f(j2 - m2) * f(j2 + m2))


@lru_cache(None)
def couplings(shape):
    """For each function of a shape, given as groups (l, 1) or (l, 2) of equal labels: its coefficient by tuple m.
    Two equal factors couple to even momenta only; the groups are coupled one after the other."""
    states = [(0, {(): {0: mpf(1)}})]  # J, amplitude by tuple and M
    for l, k in shape:
        group = ([(l, {(m,): {m: mpf(1)} for m in range(-l, l + 1)})] if k == 1 else
                 [(J, {(m, n): {m + n: clebsch_gordan(l, m, l, n, J, m + n)}
                       for m in range(-l, l + 1) for n in range(-l, l + 1)}) for J in range(0, 2 * l + 1, 2)])
        coupled = []
        for J1, first in states:
            for J2, second in group:
                for J in range(abs(J1 - J2), J1 + J2 + 1):
                    amplitudes = {}
                    for (a, at_a), (b, at_b) in product(first.items(), second.items()):
                        for (M1, x), (M2, y) in product(at_a.items(), at_b.items()):
                            if value := x * y * clebsch_gordan(J1, M1, J2, M2, J, M1 + M2):
                                amplitudes.setdefault(a + b, {})[M1 + M2] = value
                    coupled.append((J, amplitudes))
        states = coupled
    return [{m: by_M[0] for m, by_M in state.items() if 0 in by_M} for J, state in states if J == 0]


# ---- energies -----------------------------------------------------------------------------------------------------

def columns():
    """(centre, labels, coefficient by tuple m) of each column."""
    out = []
    for centre, texts in FUNCTIONS.items():
        for text in texts:
            labels = [(ELEMENTS.index(e), int(n), int(l)) for e, n, l in re.findall(r"(\w+)\((\d+),(\d+)\)", text)]
            groups = []
            for t, label in enumerate(labels):
                if t > 0 and label == labels[t - 1]:
                    groups[-1] = (groups[-1][0], groups[-1][1] + 1)
                else:
                    groups.append((label[2], 1))
            out += [(ELEMENTS.index(centre), labels, c) for c in couplings(tuple(groups))]
    return out


COLUMNS = columns()


def energies(positions, strain):
    """The energy row: all columns for displaced atoms and a strained space."""
    out = [mpf(0)] * len(COLUMNS)
    wanted = {label for _, labels, _ in COLUMNS for label in labels}
    for i in range(len(SPECIES)):
        A = {(label, m): mpc(0) for label in wanted for m in range(-label[2], label[2] + 1)}
        for j, image in product(range(len(SPECIES)), product(range(-4, 5), repeat=3)):
            plain = [positions[j][a] - positions[i][a] + sum(image[d] * CELL[d][a] for d in range(3)) for a in range(3)]
            bond = [plain[a] + sum(strain[a][b] * plain[b] for b in range(3)) for a in range(3)]
            r = sqrt(sum(b * b for b in bond))
            if r == 0 or r >= 4:
                continue
            b = radial(tuple(sorted((SPECIES[i], SPECIES[j]))), r)
            if not b:
                continue
            unit = [each / r for each in bond]
            Y = {(l, m): harmonic(l, m, unit) for l in range(5) for m in range(-l, l + 1)}
            for (element, n, l), m in A:
                if element == SPECIES[j] and n <= len(b):
                    A[(element, n, l), m] += b[n - 1] * Y[l, m]
        for c, (centre, labels, tuples) in enumerate(COLUMNS):
            if centre != SPECIES[i]:
                continue
            total = mpc(0)
            for ms, weight in tuples.items():
                term = mpc(weight)
                for label, m in zip(labels, ms):
                    term *= A[label, m]
                total += term
            assert abs(total.imag) < mpf(10) ** -60
            out[c] += total.real
    return out


VOIGT = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]


@lru_cache(None)
def row(index):
    """All columns of a row: the energy, or minus its derivative by a position or a symmetric strain."""
    def moved(step):
        positions = [list(r) for r in POSITIONS]
        strain = [[mpf(0)] * 3 for _ in range(3)]
        if 1 <= index < 10:
            positions[(index - 1) // 3][(index - 1) % 3] += step
        elif index >= 10:
            a, b = VOIGT[index - 10]
            strain[a][b] += step / 2
            strain[b][a] += step / 2
        return energies(positions, strain)
    if index == 0:
        return moved(mpf(0))
    return [-(up - down) / (2 * STEP) for up, down in zip(moved(STEP), moved(-STEP))]


def fitted(index):
    total = sum(coefficient(c) * value for c, value in enumerate(row(index)))
    return total + (sum(ONE_BODY[ELEMENTS[s]] for s in SPECIES) if index == 0 else 0)


if __name__ == "__main__":
    for r, c in ENTRIES:
        print(f"row {r:2d} column {c:2d}  {mp.nstr(row(r)[c], 21)}")
    for r in FITTED:
        print(f"row {r:2d} fitted     {mp.nstr(fitted(r), 21)}")
