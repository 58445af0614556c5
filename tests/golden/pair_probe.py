#!/usr/bin/env python3
"""Rows of the pair basis for the built-in probe, with 50 digits, from the formulas alone.

Origin of the numbers in common/model/probe.cpp. Run it without arguments (Python 3, standard library only): it prints
the entries of the self-test. What differs from the program on purpose: the polynomials are summed from their explicit
form (DLMF 18.5.7) instead of a recurrence, their derivatives come from DLMF 18.9.15, slopes are taken by r and not by
r squared, each pair is counted once per ordered pair of atoms and images of a plain box of images, and a force is
scattered to both atoms.
"""
from decimal import Decimal, getcontext
from itertools import product
from math import comb

getcontext().prec = 50
D = Decimal

CUTOFF = D(4)
SIZE = 4
ELEMENTS = [14, 8]
CELL = [[D("3.5"), D(0), D(0)], [D("1.25"), D("3.25"), D(0)], [D("-0.75"), D("0.5"), D("3.75")]]
SPECIES = [14, 8, 14]
POSITIONS = [[D("0.125"), D("0.25"), D("-0.5")], [D("1.75"), D("0.5"), D("1.0")], [D("0.75"), D("1.875"), D("2.25")]]

# (row, column): rows are the energy, nine forces, six virial components; see PairSpec for the columns.
ENTRIES = [(0, 1), (0, 6), (1, 0), (5, 7), (9, 6), (10, 2), (12, 5), (13, 3)]


def jacobi(k, alpha, beta, x):
    """P_k^(alpha, beta)(x) = sum_l (k+alpha+beta+1)_l (alpha+l+1)_(k-l) / (l! (k-l)!) ((x-1)/2)^l, DLMF 18.5.7."""
    total = D(0)
    for l in range(k + 1):
        # For integer alpha, beta: the Pochhammer quotients are binomial coefficients.
        total += comb(k + alpha + beta + l, l) * comb(k + alpha, k - l) * ((x - 1) / 2) ** l
    return total


def phi(k, r):
    """Value and slope by r of the k-th function."""
    s = (r / CUTOFF) ** 2
    x = (4 * s - 1) / (1 + 2 * s)
    dx = 6 / (1 + 2 * s) ** 2 * 2 * r / CUTOFF**2
    norm = ((2 * D(k) + 7) / 2).sqrt()
    envelope = ((1 - x) / 2) ** 3
    polynomial = jacobi(k, 6, 0, x)
    # DLMF 18.9.15: dP_k^(a,b)/dx = (k+a+b+1)/2 P_(k-1)^(a+1,b+1)
    derivative = D(k + 7) / 2 * jacobi(k - 1, 7, 1, x) if k > 0 else D(0)
    slope = derivative * envelope - D(3) / 2 * ((1 - x) / 2) ** 2 * polynomial
    return norm * polynomial * envelope, norm * slope * dx


def column(a, b, k):
    pairs = [(i, j) for i in range(len(ELEMENTS)) for j in range(i, len(ELEMENTS))]
    low, high = sorted((ELEMENTS.index(a), ELEMENTS.index(b)))
    return pairs.index((low, high)) * SIZE + k


def rows():
    n = len(SPECIES)
    columns = len(ELEMENTS) * (len(ELEMENTS) + 1) // 2 * SIZE
    out = [[D(0)] * columns for _ in range(1 + 3 * n + 6)]
    voigt = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    for i, j, image in product(range(n), range(n), product(range(-4, 5), repeat=3)):
        bond = [POSITIONS[j][a] - POSITIONS[i][a] + sum(image[d] * CELL[d][a] for d in range(3)) for a in range(3)]
        r = sum(b * b for b in bond).sqrt()
        if r == 0 or r >= CUTOFF:
            continue
        for k in range(SIZE):
            value, slope = phi(k, r)
            c = column(SPECIES[i], SPECIES[j], k)
            out[0][c] += value / 2
            for a in range(3):
                out[1 + 3 * i + a][c] += slope / 2 * bond[a] / r
                out[1 + 3 * j + a][c] -= slope / 2 * bond[a] / r
            for v, (a, b) in enumerate(voigt):
                out[1 + 3 * n + v][c] -= slope / 2 * bond[a] * bond[b] / r
    return out


if __name__ == "__main__":
    matrix = rows()
    for row, col in ENTRIES:
        print(f"row {row:2d} column {col:2d}  {matrix[row][col]:.20e}")
