"""PennyLane's own suite for devices, exact and with 10,000 shots.

Of tests for operations and templates, those that no device for qubits can pass are skipped by the suite itself. The
others that it skips are listed here, so that a new one is noticed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("pennylane")
pytest.importorskip("pytest_mock")

#: Reasons that the suite gives. Its own spelling.
BOTH = {
    "test is old interface specific.",
    "test specific for old device interface.",
    "test specific to old device interface.",
    "test is specific to old device interface",
    "QutritBasisState template only works on qutrit devices",
    # QubitDensityMatrix, which prepares a mixed state.
    "operation not supported on the device",
    # Tests of one method of differentiation are run with each of them.
    "test only works with backprop",
    "test only works with parameter-shift",
    # These packages are not installed for the tests; both are large.
    "could not import 'jax': No module named 'jax'",
    "could not import 'torch': No module named 'torch'",
}
REASONS = {
    None: BOTH
    | {
        "device does not support diff_method",
        "Device is in analytic mode, cannot test sampling.",
        "Shots must be specified in the device to compute a sampled measurement.",
        "If shots=None no warning is raised.",
    },
    10_000: BOTH
    | {
        "test should only be run in analytic mode",
        "Device is in non-analytical mode.",
        "test only works with analytic-mode simulations",
        "test only works with analytic-mode pure statevector simulators",
        "Some plugins don't update state information when shots is not None.",
        "SparseHamiltonian only supported in analytic mode",
        "If shots!=None no error is raised.",
    },
}


@pytest.mark.parametrize("shots", [None, 10_000])
def test_all_tests_that_apply_pass(shots, service, tmp_path):
    # The suite starts the pytest that it finds on the PATH.
    scripts = Path(sys.executable).parent
    command = [scripts / "pl-device-test"]
    options = ["--device", "qcs.simulator", "--shots", str(shots), "--skip-ops", "-q", "-rs", "--tb=short"]
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "QCS_URL": service.url, "QCS_API_KEY": service.key}
    done = subprocess.run(
        [*command, *options, "-p", "no:warnings", "-p", "no:cacheprovider"],
        check=False,
        capture_output=True, text=True, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    (summary,) = re.findall(r"^\d+ passed.*", done.stdout, re.MULTILINE) or [done.stdout[-4000:]]
    skipped: Counter[str] = Counter()
    for number, reason in re.findall(r"^SKIPPED \[(\d+)\] [^:]+:\d+: (.*)$", done.stdout, re.MULTILINE):
        skipped[reason] += int(number)
    print(summary)
    assert int(summary.split()[0]) > 300
    assert set(skipped) <= set(REASONS[shots])
