"""What the integration tests share: the programs, data made for the test, and an independent reader of the journal."""

import json
import os
import pathlib
import random
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["IPFIT_BIN"])
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
SLOWNESS = float(os.environ.get("IPFIT_SLOWNESS", 1))  # above 1: a sanitizer build
SEED = int(os.environ.get("IPFIT_SEED", random.SystemRandom().randrange(10**6)))
# Seconds: far longer than anything takes, even on a busy machine.
PATIENCE = 60.0 * SLOWNESS


def wait_until(condition, what, seconds=PATIENCE):
    """Polls until the condition gives something true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def frames_of(path):
    """The frames of an extended-XYZ file as texts."""
    lines = path.read_text().splitlines(keepends=True)
    frames = []
    while lines:
        count = int(lines[0])
        frames.append("".join(lines[: count + 2]))
        lines = lines[count + 2 :]
    return frames


def children(pid):
    """Process ids of the children, and theirs."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            pass
    return found + [grandchild for child in found for grandchild in children(child)]


def evaluators(pid):
    """Those descendants that evaluate."""
    found = []
    for child in children(pid):
        try:
            if b"--evaluator" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                found.append(child)
        except OSError:
            pass
    return found


class IpfitTest(unittest.TestCase):
    """A test with a directory of its own, whose processes are ended with it."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="ipfit-test-"))
        self.processes = []
        self.random = random.Random(SEED)
        print(f"{self.id()}: seed {SEED}", flush=True)

    def tearDown(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, *arguments, **options):
        process = subprocess.Popen(
            [str(BIN / arguments[0]), *map(str, arguments[1:])],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )
        self.processes.append(process)
        return process

    def end(self, process):
        """Waits for the end; gives exit code and output."""
        output, _ = process.communicate(timeout=PATIENCE * 2)
        return process.returncode, output

    def run_ipfit(self, *arguments, expect=0, **options):
        code, output = self.end(self.start("ipfit", *arguments, **options))
        self.assertEqual(code, expect, output)
        return output

    def write_fit(self, name="fit.toml", copies=1, basis="cutoff = 6.0\nsize = 12", extra="", kind="pair"):
        """A fit file on copies of the example's training data, so that it takes long enough to be disturbed."""
        frames = frames_of(EXAMPLES / "cuau_train.xyz")
        data = self.directory / "train.xyz"
        data.write_text("".join(frames * copies))
        shutil.copy(EXAMPLES / "cuau_test.xyz", self.directory / "test.xyz")
        path = self.directory / name
        path.write_text(
            '[data]\ntrain = ["train.xyz"]\ntest = ["test.xyz"]\n'
            f'[basis]\nkind = "{kind}"\nelements = ["Cu", "Au"]\n{basis}\n{extra}'
        )
        return path

    def coefficients(self, directory):
        """The coefficients as text, so that equal means the same bits."""
        content = json.loads(
            (directory / "solutions" / "default" / "coefficients.json").read_text(), parse_float=str, parse_int=str
        )
        self.assertEqual(len(content["columns"]), len(content["coefficients"]))
        return content["coefficients"]


class Journal:
    """Rows stored, in the order in which they were written, and the rows of the whole matrix."""

    def __init__(self):
        self.rows = []
        self.workers = set()  # who evaluated them, "host:pid"
        self.total_rows = 0


def read_journal(directory):
    """Reads DIRECTORY/journal by docs/reference/store-format.md, up to the first record that is not whole."""
    journal = Journal()
    try:
        data = (directory / "journal").read_bytes()
    except OSError:
        return journal
    at = 0
    while at + 32 <= len(data) and data[at : at + 4] == b"IPFJ":
        _, kind, length = struct.unpack_from("<HHI", data, at + 4)
        if at + length > len(data):
            break
        body = at + 32
        if kind == 1:
            (journal.total_rows,) = struct.unpack_from("<q", data, body)
        elif kind == 2:
            journal.rows.append(struct.unpack_from("<qq", data, body))
            (letters,) = struct.unpack_from("<I", data, body + 32)
            journal.workers.add(data[body + 36 : body + 36 + letters].decode())
        at += length
    return journal
