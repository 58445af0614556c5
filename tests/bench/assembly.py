#!/usr/bin/env python3
"""How busy workers and manager are while the rows of a data set are assembled, and how much memory the manager takes.

    tests/bench/assembly.py DATA.xyz [--bin build/release/bin] [--cutoff 8.0] [--size 20] [--workers 2] [--runs 3]

Runs `ipfit fit` with the pair basis, reads CPU times and memory of all its processes from /proc while the store grows, and prints
for each run: seconds of the assembly, share of the cores that the evaluators used, the same with the time in which they were ready and
something else had the core, the manager's share of all CPU time, and its peak memory against the size of the matrix. Start-up, reading of the data and solving are not counted."""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


def schedstat(pid):
    """Of each thread of a process: seconds on a core, and seconds ready to run while others had the cores."""
    threads = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        running, ready, _ = map(int, (task / "schedstat").read_text().split())
        threads.append((running * 1e-9, ready * 1e-9))
    return threads


def cpu_seconds(pid):
    """User and system time of a process, all threads."""
    return sum(running for running, _ in schedstat(pid))


def wanted_seconds(pid):
    """The time in which the thread that evaluates ran or wanted to: what is left is waiting for work or for the disk."""
    return max(running + ready for running, ready in schedstat(pid))


def descendants(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found + [deeper for child in found for deeper in descendants(child)]


def is_evaluator(pid):
    return b"--evaluator" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def sample(manager):
    """Time, CPU of the manager, CPU and time wanted of each evaluator."""
    evaluators = {}
    for pid in descendants(manager):
        try:
            if is_evaluator(pid):
                evaluators[pid] = (cpu_seconds(pid), wanted_seconds(pid))
        except OSError:
            pass
    return time.monotonic(), cpu_seconds(manager), evaluators


def measure(arguments, directory):
    fit = directory / "fit.toml"
    fit.write_text(
        f'[data]\ntrain = ["{arguments.data.resolve()}"]\n[basis]\nkind = "pair"\n'
        f"cutoff = {arguments.cutoff}\nsize = {arguments.size}\n"
    )
    out = directory / "out"
    process = subprocess.Popen(
        [arguments.bin / "ipfit", "fit", fit, "--out", out, "--workers", str(arguments.workers), "--quiet"]
    )
    first = last = None
    log = out / "log"
    while process.poll() is None:
        try:
            text = log.read_text()
            started = "already stored" in text and text.count(" joined") >= arguments.workers
            ended = "structures evaluated in" in text
            if ended:
                break
            if started:
                now = sample(process.pid)
                first = first or now
                last = now
        except OSError:
            pass
        time.sleep(0.02)  # often enough for a run of seconds, seldom enough not to take part in it
    peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text()).group(1)) * 1024
    if process.wait() != 0:
        raise SystemExit("the fit failed")
    seconds = last[0] - first[0]
    busy = sum(last[2][pid][0] - first[2].get(pid, (0.0, 0.0))[0] for pid in last[2])
    wanted = sum(last[2][pid][1] - first[2].get(pid, (0.0, 0.0))[1] for pid in last[2])
    manager = last[1] - first[1]
    matrix = (out / "system" / "blocks.f64").stat().st_size
    print(
        f"assembly {seconds:6.2f} s   evaluators {100 * busy / seconds / arguments.workers:5.1f} % of {arguments.workers} cores, "
        f"{100 * wanted / seconds / arguments.workers:5.1f} % with those taken by others   "
        f"all processes {100 * (busy + manager) / seconds / os.cpu_count():5.1f} % of the machine   "
        f"manager {manager:5.2f} s = {100 * manager / (manager + busy):4.1f} % of all CPU   "
        f"manager's peak {peak / 1e6:.0f} MB, matrix {matrix / 1e6:.0f} MB"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--cutoff", type=float, default=8.0)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory(prefix="ipfit-bench-", dir=".") as directory:
            measure(arguments, pathlib.Path(directory).resolve())


if __name__ == "__main__":
    main()
