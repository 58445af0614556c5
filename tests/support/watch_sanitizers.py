"""Runs a test of a sanitizer build so that no report gets lost: watch_sanitizers.py COMMAND...

A sanitizer reports on the standard error of the process that it watches, and changes its exit code. Both are lost when the
process is killed, replaced or simply not looked at, which is what many tests do to managers, workers and solvers. Here each process
under the test writes its reports to a file. They are printed when the test has ended, and fail it whatever its own exit code.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SUPPRESSIONS = pathlib.Path(__file__).with_name("tsan.supp")


def environment(reports):
    """What the caller has set already is kept, and wins where it is not about the reports."""
    common = f"log_path={reports}/report:log_exe_name=1"
    ours = {
        "ASAN_OPTIONS": common,
        "LSAN_OPTIONS": common,
        "UBSAN_OPTIONS": f"{common}:print_stacktrace=1",
        "TSAN_OPTIONS": f"{common}:suppressions={SUPPRESSIONS}",
    }
    return {**os.environ, **{name: f"{os.environ.get(name, '')}:{options}" for name, options in ours.items()}}


def main(command):
    with tempfile.TemporaryDirectory(prefix="ipfit-reports-") as reports:
        code = subprocess.run(command, env=environment(reports), check=False).returncode
        found = sorted(pathlib.Path(reports).iterdir())
        for report in found:
            print(f"\n== {report.name}\n{report.read_text(errors='replace')}", flush=True)
        if found:
            print(f"{len(found)} processes left a report of a sanitizer, see above", flush=True)
        if code < 0:
            print(f"the test was ended by signal {-code}", flush=True)
        return 1 if found or code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
