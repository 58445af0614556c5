#!/usr/bin/env python3
"""What scikit-learn and SciPy make of two small systems that are given by formulas.

Origin of tests/golden/solver_references.txt: `/usr/bin/python3 tests/golden/solver_references.py > ...txt`, with the
Debian packages python3-sklearn and python3-scipy ([golden] in deploy/packages.txt). tests/manager/solve/
references_test.cpp sets up the same systems and compares. Each line is a name and numbers.
"""
import warnings

import numpy as np
import scipy
import scipy.sparse.linalg
import sklearn
from sklearn.linear_model import ARDRegression, BayesianRidge, OrthogonalMatchingPursuit, lars_path


def smooth():
    """40 x 6: columns that fall in size."""
    i, j = np.meshgrid(np.arange(1, 41), np.arange(1, 7), indexing="ij")
    a = np.cos(0.37 * i * j) / j
    return a, a @ (-1.0) ** np.arange(6) + 0.1 * np.sin(7.3 * np.arange(1, 41) ** 2)


def sparse():
    """60 x 10: three columns matter."""
    i, j = np.meshgrid(np.arange(1, 61), np.arange(1, 11), indexing="ij")
    a = np.cos(1.1 * i * j + 0.4 * j)
    return a, 2.0 * a[:, 1] - a[:, 4] + 0.5 * a[:, 7] + 0.05 * np.sin(3.7 * np.arange(1, 61) ** 2)


def show(name, values):
    print(name, " ".join(f"{value:.17e}" for value in np.atleast_1d(values)))


def bayesian(name, a, y):
    none = {"alpha_1": 0.0, "alpha_2": 0.0, "lambda_1": 0.0, "lambda_2": 0.0}
    ridge = BayesianRidge(n_iter=100000, tol=1e-15, fit_intercept=False, compute_score=True, **none).fit(a, y)
    show(f"{name}.bayesian_ridge.coefficients", ridge.coef_)
    show(f"{name}.bayesian_ridge.noise_precision", ridge.alpha_)
    show(f"{name}.bayesian_ridge.prior_precision", ridge.lambda_)
    show(f"{name}.bayesian_ridge.log_evidence", ridge.scores_[-1])
    show(f"{name}.bayesian_ridge.deviations", np.sqrt(np.diag(ridge.sigma_)))
    ard = ARDRegression(n_iter=100000, tol=1e-14, fit_intercept=False, threshold_lambda=1e10, **none).fit(a, y)
    kept = ard.coef_ != 0.0
    show(f"{name}.ard.coefficients", ard.coef_)
    show(f"{name}.ard.noise_precision", ard.alpha_)
    show(f"{name}.ard.precisions", np.where(kept, ard.lambda_, np.inf))


def main():
    print(f"# scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}")
    for name, (a, y) in {"smooth": smooth(), "sparse": sparse()}.items():
        bayesian(name, a, y)
        # scikit-learn divides the squared residual by 2 rows, so its penalties are ours divided by the rows.
        penalties, _, path = lars_path(a, y, method="lasso")
        show(f"{name}.lasso.penalties", penalties * len(y))
        for k, c in enumerate(path.T):
            show(f"{name}.lasso.{k}", c)
        for size in range(1, a.shape[1] + 1):
            omp = OrthogonalMatchingPursuit(n_nonzero_coefs=size, fit_intercept=False, normalize=False).fit(a, y)
            show(f"{name}.omp.{size}", omp.coef_)
        for damp in [0.0, 0.5]:
            for steps in range(1, 5):
                x = scipy.sparse.linalg.lsqr(a, y, damp=damp, atol=0.0, btol=0.0, conlim=0.0, iter_lim=steps)[0]
                show(f"{name}.lsqr.{damp}.{steps}", x)


if __name__ == "__main__":
    warnings.simplefilter("ignore", FutureWarning)
    main()
