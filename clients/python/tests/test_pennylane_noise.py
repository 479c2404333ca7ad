"""Channels of PennyLane at the service, against default.mixed."""

from __future__ import annotations

import math

import numpy as np
import pytest

qml = pytest.importorskip("pennylane")

from pennylane import numpy as pnp
from pennylane.exceptions import DeviceError, QuantumFunctionError

from qcs_client.pennylane import QcsDevice

RELAXATION = np.array([[1, 0], [0, np.sqrt(0.6)]]), np.array([[0, np.sqrt(0.4)], [0, 0]])
#: Not the same with its wires exchanged.
TWO_WIRES = [np.kron(RELAXATION[0], np.diag([1, 1j])), np.kron(RELAXATION[1], np.eye(2))]
CHANNELS = {
    "depolarizing": lambda: qml.DepolarizingChannel(0.1, wires=0),
    "amplitude damping": lambda: qml.AmplitudeDamping(0.3, wires=1),
    "generalized": lambda: qml.GeneralizedAmplitudeDamping(0.3, 0.7, wires=0),
    "phase damping": lambda: qml.PhaseDamping(0.4, wires=0),
    "bit flip": lambda: qml.BitFlip(0.2, wires=2),
    "phase flip": lambda: qml.PhaseFlip(0.2, wires=0),
    "pauli": lambda: qml.PauliError("XY", 0.3, wires=[2, 0]),
    "reset": lambda: qml.ResetError(0.1, 0.2, wires=1),
    "thermal, T2 < T1": lambda: qml.ThermalRelaxationError(0.1, 50, 30, 9, wires=0),
    "thermal, T2 > T1": lambda: qml.ThermalRelaxationError(0.1, 50, 70, 9, wires=0),
    "matrices": lambda: qml.QubitChannel(RELAXATION, wires=1),
    "matrices of two wires": lambda: qml.QubitChannel(TWO_WIRES, wires=[2, 0]),
}


@pytest.fixture(scope="module")
def device(client):
    return lambda **options: QcsDevice(3, client=client, processor="qvm", **options)


def prepared(angle):
    qml.RX(angle, 0)
    qml.RY(1.1, 1)
    qml.CNOT([0, 1])
    qml.IsingXX(0.6, [1, 2])


def measured():
    qml.CNOT([2, 0])
    qml.RY(0.3, 0)
    return (
        qml.expval(qml.Z(0)),
        qml.expval(qml.X(0) @ qml.Y(1) @ qml.Z(2)),
        qml.var(qml.X(2) + 0.5 * qml.Z(0)),
        qml.probs([2, 0]),
    )


def both(device, function):
    return qml.QNode(function, device), qml.QNode(function, qml.device("default.mixed", wires=3))


@pytest.mark.parametrize("name", CHANNELS)
def test_exact_results_are_those_of_default_mixed(name, device):
    def circuit(angle):
        prepared(angle)
        CHANNELS[name]()
        return measured()

    here, there = both(device(), circuit)
    for found, expected in zip(here(0.4), there(0.4), strict=True):
        assert found == pytest.approx(expected, abs=1e-8)


def test_gradients_of_noisy_circuits_come_from_the_service(device):
    def circuit(angle):
        prepared(angle)
        qml.AmplitudeDamping(0.3, wires=0)
        qml.RX(2 * angle, 1)
        qml.DepolarizingChannel(0.1, wires=1)
        qml.CNOT([1, 0])
        return qml.expval(qml.Z(0) @ qml.Z(1))

    here, there = both(device(), circuit)
    angle = pnp.array(0.4, requires_grad=True)
    with qml.Tracker(here.device) as tracker:
        found = qml.grad(here)(angle)
    assert found == pytest.approx(qml.grad(there)(angle), abs=1e-8)
    assert tracker.totals.get("batches", 1) == 1


def test_derivatives_by_a_parameter_of_noise_are_by_parameter_shift(device):
    def circuit(p):
        prepared(0.4)
        qml.BitFlip(p, wires=0)
        return qml.expval(qml.Z(0))

    here, there = both(device(), circuit)
    p = pnp.array(0.2, requires_grad=True)
    assert qml.grad(here)(p) == pytest.approx(qml.grad(there)(p), abs=1e-8)
    adjoint = qml.QNode(circuit, device(), diff_method="adjoint")
    with pytest.raises(QuantumFunctionError, match="does not support adjoint"):
        qml.grad(adjoint)(p)


def test_shots_have_the_noise(device):
    shots = 20_000

    @qml.set_shots(shots)
    @qml.qnode(device(seed=7))
    def circuit():
        qml.X(0)
        qml.BitFlip(0.3, wires=0)
        return qml.probs(0)

    assert abs(circuit()[1] - 0.7) < 5 * math.sqrt(0.21 / shots)


def test_tapes_that_differ_in_noise_are_different_programs(device):
    def circuit(p):
        qml.X(0)
        qml.BitFlip(p, wires=0)
        return qml.expval(qml.Z(0))

    node = qml.QNode(circuit, device())
    assert [float(node(p)) for p in (0.0, 0.25, 1.0)] == pytest.approx([-1, -0.5, 1], abs=1e-12)


#: Results of a mixed state beside those of sums of Pauli strings.
OF_DENSITY_MATRICES = {
    "density matrix": lambda: qml.density_matrix([2, 0]),
    "state": lambda: qml.state(),
    "purity": lambda: qml.purity([0, 1]),
    "entropy": lambda: qml.vn_entropy([1]),
    "entropy in bits": lambda: qml.vn_entropy([1, 2], log_base=2),
    "mutual information": lambda: qml.mutual_info([0], [1, 2]),
    "probs of an observable": lambda: qml.probs(op=qml.X(0) @ qml.Y(1)),
    "several": lambda: (qml.purity([2]), qml.expval(qml.X(2)), qml.probs([2, 0]), qml.var(qml.Y(1))),
}


@pytest.mark.parametrize("name", OF_DENSITY_MATRICES)
@pytest.mark.parametrize("batched", [False, True])
def test_results_of_mixed_states_are_those_of_default_mixed(name, batched, device):
    def circuit(angle):
        prepared(angle)
        qml.DepolarizingChannel(0.1, wires=0)
        qml.AmplitudeDamping(0.3, wires=1)
        qml.CNOT([2, 0])
        qml.RY(0.3, 0)
        return OF_DENSITY_MATRICES[name]()

    here, there = both(device(), circuit)
    angle = np.array([0.4, 1.3]) if batched else 0.4
    found, expected = here(angle), there(angle)
    for mine, other in zip(*((found, expected) if name == "several" else ([found], [expected])), strict=True):
        assert np.shape(mine) == np.shape(other)
        assert mine == pytest.approx(other, abs=1e-8)


def test_a_noise_model_of_the_service_gives_a_mixed_state(device):
    noise = {"gates": [{"gates": ["X"], "channel": {"type": "bit_flip", "probability": 0.25}}]}

    @qml.qnode(device(noise=noise))
    def circuit():
        qml.X(0)
        return qml.density_matrix(0), qml.purity(0)

    matrix, purity = circuit()
    assert matrix == pytest.approx(np.diag([0.25, 0.75]), abs=1e-12)
    assert purity == pytest.approx(0.625)


def test_postselection_of_a_mixed_state(device):
    def circuit():
        prepared(0.4)
        qml.AmplitudeDamping(0.3, wires=1)
        qml.measure(1, postselect=1)
        qml.CNOT([1, 2])
        return qml.probs([2, 0]), qml.expval(qml.X(0))

    here = qml.QNode(circuit, device())()

    # AmplitudeDamping by a further wire, so that the oracle has a state vector.
    def purified():
        prepared(0.4)
        qml.CRY(2 * np.arcsin(np.sqrt(0.3)), [1, 3])
        qml.CNOT([3, 1])
        qml.measure(1, postselect=1)
        qml.CNOT([1, 2])
        return qml.probs([2, 0]), qml.expval(qml.X(0))

    for mine, other in zip(here, qml.QNode(purified, qml.device("default.qubit"))(), strict=True):
        assert mine == pytest.approx(other, abs=1e-8)


def test_states_too_wide_for_density_matrices_are_refused(client):
    @qml.qnode(QcsDevice(8, client=client, processor="qvm"))
    def circuit():
        qml.BitFlip(0.3, wires=7)
        return qml.purity(0)

    with pytest.raises(DeviceError, match="density_matrix of 8 qubits"):
        circuit()
