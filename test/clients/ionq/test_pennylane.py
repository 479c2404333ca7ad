"""pennylane-ionq: observables, gradients, batches, evolution and failures; and what its own CI runs of PennyLane's device suite."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pennylane as qml
import pytest
from pennylane import numpy as pnp
from pennylane_ionq import ops
from pennylane_ionq.api_client import APIClient

#: Five standard deviations of a mean of ±1.
SHOTS = 20_000
TOLERANCE = 5 / np.sqrt(SHOTS)


@pytest.fixture(autouse=True)
def pointed_at_this_service(service, url, monkeypatch):
    monkeypatch.setattr(APIClient, "BASE_URL", url)


@pytest.fixture
def device(service):
    np.random.seed(11)
    return lambda wires, **options: qml.device(
        "ionq.simulator", wires=wires, api_key=service.key, **{"shots": SHOTS, **options}
    )


def test_bell_pair(device):
    @qml.qnode(device(2))
    def bell():
        qml.Hadamard(0)
        qml.CNOT([0, 1])
        return qml.counts()

    assert set(bell()) == {"00", "11"}


def test_observables_in_other_bases(device):
    def circuit():
        qml.RY(0.7, 0)
        qml.CNOT([0, 1])
        qml.RX(0.4, 1)
        return qml.expval(qml.X(0) @ qml.Y(1)), qml.expval(qml.Z(1)), qml.var(qml.Y(0))

    found = qml.QNode(circuit, device(2))()
    wanted = qml.QNode(circuit, qml.device("default.qubit"))()
    assert np.array(found) == pytest.approx(np.array(wanted), abs=2 * TOLERANCE)


def test_a_gradient_by_shifts_is_one_batch(device):
    def circuit(a):
        qml.RX(a[0], 0)
        qml.RY(a[1], 1)
        qml.CNOT([0, 1])
        return qml.expval(qml.Z(1))

    angles = pnp.array([0.4, 0.9], requires_grad=True)
    found = qml.grad(qml.QNode(circuit, device(2), diff_method="parameter-shift"))(angles)
    wanted = qml.grad(qml.QNode(circuit, qml.device("default.qubit")))(angles)
    assert found == pytest.approx(wanted, abs=2 * TOLERANCE)


def test_gates_of_the_plugin(device):
    def circuit(xx, yy, zz):
        qml.RY(0.4, 0), qml.RY(0.8, 1)
        xx(0.3, wires=[0, 1]), yy(0.5, wires=[1, 0]), zz(0.7, wires=[0, 1])
        qml.S(0), qml.T(1), qml.adjoint(qml.S(1)), qml.SX(0), qml.adjoint(qml.SX(1)), qml.SWAP([0, 1])
        return qml.probs([0, 1])

    found = qml.QNode(circuit, device(2))(ops.XX, ops.YY, ops.ZZ)
    wanted = qml.QNode(circuit, qml.device("default.qubit"))(qml.IsingXX, qml.IsingYY, qml.IsingZZ)
    assert found == pytest.approx(wanted, abs=TOLERANCE)


def test_native_gates(device):
    @qml.qnode(device(2, gateset="native"))
    def circuit():
        ops.GPI2(0.5, wires=0)
        ops.GPI(0.25, wires=1)
        ops.MS(0, 0, wires=[0, 1])
        return qml.probs([0, 1])

    # GPi(0.25) is Y. A maximal MS on |q₀ 1⟩ mixes states of two flipped qubits, half and half.
    assert circuit() == pytest.approx([0.25, 0.25, 0.25, 0.25], abs=TOLERANCE)


@pytest.mark.parametrize("hamiltonian", [0.4 * qml.X(0) @ qml.X(1) + 0.3 * qml.Z(0) @ qml.Z(1), qml.X(0) + 0.5 * qml.Z(0)])
def test_evolution(device, hamiltonian):
    def circuit():
        qml.RY(0.3, 0), qml.RY(0.9, 1)
        qml.evolve(hamiltonian, 0.6)
        qml.Hadamard(0)
        return qml.probs([0, 1])

    found = qml.QNode(circuit, device(2))()
    wanted = qml.QNode(circuit, qml.device("default.qubit"))()
    assert found == pytest.approx(wanted, abs=TOLERANCE)


def test_the_qpu(service):
    qpu = qml.device("ionq.qpu", backend="forte-1", wires=1, shots=500, api_key=service.key)

    @qml.qnode(qpu)
    def circuit():
        qml.X(0)
        return qml.expval(qml.Z(0))

    # The noise of the QPU flips a bit in a few shots of 10,000.
    assert circuit() == pytest.approx(-1, abs=0.03)


def test_a_fault_is_an_error_with_this_services_words(device):
    @qml.qnode(device(12, noise_model="harmony"))
    def circuit():
        qml.X(11)
        return qml.expval(qml.Z(11))

    with pytest.raises(Exception, match="12 qubits with the noise of harmony; that device has 11"):
        circuit()


@pytest.mark.parametrize("model", ["ideal", "harmony", "aria-1", "aria-2", "forte-1", "forte-enterprise-1"])
def test_every_noise_model_that_the_plugin_names(device, model):
    @qml.qnode(device(2, noise_model=model))
    def circuit():
        qml.X(0)
        qml.CNOT(wires=[0, 1])
        return qml.expval(qml.Z(1))

    assert circuit() == pytest.approx(-1, abs=0.1)


@pytest.mark.filterwarnings("ignore:The ionq_qpu backend is deprecated")
def test_the_qpu_that_the_plugin_asks_for_by_default(service, url):
    @qml.qnode(qml.device("ionq.qpu", wires=1, shots=1000))
    def circuit():
        qml.X(0)
        return qml.expval(qml.Z(0))

    assert circuit() == pytest.approx(-1, abs=0.1)


def test_what_the_plugins_own_ci_runs_of_the_device_suite(service, url):
    """`pl-device-test --device=ionq.simulator --skip-ops --shots=10000`, as PennyLane-IonQ runs it against IonQ."""
    here = Path(__file__).parent
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(here),
        # The plugin has no setting for its address.
        "PYTEST_ADDOPTS": "-p point_pennylane -p no:cacheprovider",
        "IONQ_API_URL": url,
        "IONQ_API_KEY": service.key,
    }
    command = ["pl-device-test", "--device=ionq.simulator", "--tb=short", "--skip-ops", "--shots=10000"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=here)
    summary = run.stdout.strip().splitlines()[-1]
    print(summary)
    failed = set(re.findall(r"^FAILED \S+::(\S+)", run.stdout, re.MULTILINE))
    assert failed == set(), run.stdout[-4000:]
    assert int(re.search(r"(\d+) passed", summary)[1]) > 0
