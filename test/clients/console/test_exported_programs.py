"""The Python programs that the composer exports run in their frameworks, and compute the state that the composer shows."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cirq
import numpy as np
import pytest
from qiskit.quantum_info import Statevector

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/clients"))

from service import Service, running_service  # noqa: E402

FRAMEWORKS = ("Qiskit", "Cirq", "PennyLane")


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with running_service() as service:
        yield service


@pytest.fixture(scope="session")
def cases(service: Service) -> list[dict[str, Any]]:
    command = ["node", "test/clients/console/exported-programs.ts", service.origin]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(printed.stdout)


def run(program: str) -> dict[str, Any]:
    """Runs a program, and returns its names."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, "circuit.py", "exec"), names)
    return names


def state_of(framework: str, names: dict[str, Any], num_qubits: int) -> np.ndarray:
    """Amplitudes by basis index, qubit 0 least significant."""
    if framework == "Qiskit":
        return Statevector(names.get("bound", names["qc"])).data
    if framework == "Cirq":
        order = cirq.LineQubit.range(num_qubits)[::-1]
        circuit = names.get("resolved", names["circuit"])
        return circuit.final_state_vector(qubit_order=order, dtype=np.complex128)
    values = names.get("values", {})
    amplitudes = np.asarray(names["circuit"](**values)).reshape([2] * num_qubits)
    return amplitudes.transpose().ravel()


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_exported_programs_compute_the_state(framework: str, cases: list[dict[str, Any]]) -> None:
    compared = 0
    for case in cases:
        names = run(case["programs"][framework])
        if "state" not in case:
            continue
        expected = np.asarray(case["state"]).view(np.complex128)
        found = state_of(framework, names, case["qubits"])
        np.testing.assert_allclose(found, expected, atol=1e-7, err_msg=case["name"])
        compared += 1
    assert compared > 100


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_exported_programs_run_at_the_service(
    framework: str, cases: list[dict[str, Any]], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QCS_API_KEY", service.key)
    for case in cases[::25]:
        names = run(case["atService"][framework])
        if framework == "Qiskit":
            assert sum(names["result"].join_data().get_counts().values()) == 1000, case["name"]


def test_every_case_is_exported_to_each_framework(cases: list[dict[str, Any]]) -> None:
    assert all(set(case["programs"]) == set(FRAMEWORKS) for case in cases)
