"""Channels of Cirq at the service, against Cirq's density matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

cirq = pytest.importorskip("cirq")

import sympy

from qcs_client.cirq import QcsSimulator

A, B, C = cirq.LineQubit.range(3)
OBSERVABLES = [
    cirq.Z(A) * 1.0,
    cirq.X(B) * 0.5 + cirq.Z(C) * 2.0,
    cirq.Y(A) * cirq.X(B) * cirq.Z(C),
    cirq.X(A) * cirq.Y(C),
    cirq.Z(A) * cirq.Z(B),
]


@pytest.fixture(scope="module")
def qvm(client):
    return lambda **options: QcsSimulator("qvm", client=client, **options)


def around(*channels):
    """A circuit with the channels in its middle, so that they act on a state without symmetries."""
    return cirq.Circuit(
        [cirq.rx(0.4)(A), cirq.ry(1.1)(B), cirq.rx(2.0)(C), cirq.CNOT(A, B), cirq.ISWAP(B, C) ** 0.3],
        channels,
        [cirq.CNOT(C, A), cirq.ry(0.3)(A), cirq.rz(0.2)(B)],
    )


class TwoQubits(cirq.Gate):
    """A channel by its matrices alone, not the same with its qubits exchanged."""

    def _num_qubits_(self):
        return 2

    def _kraus_(self):
        damping = cirq.kraus(cirq.amplitude_damp(0.3))
        return [np.kron(damping[0], np.diag([1, 1j])), np.kron(damping[1], np.eye(2))]


CHANNELS = {
    "depolarize": [cirq.depolarize(0.1)(A)],
    "depolarize two": [cirq.depolarize(0.2, n_qubits=2)(A, C)],
    "asymmetric": [cirq.asymmetric_depolarize(0.1, 0.02, 0.05)(B)],
    "asymmetric two": [
        cirq.asymmetric_depolarize(error_probabilities={"XI": 0.2, "ZY": 0.1, "II": 0.7})(C, A)
    ],
    "bit flip": [cirq.bit_flip(0.2)(A), cirq.bit_flip(0.1)(B)],
    "phase flip": [cirq.phase_flip(0.2)(A)],
    "amplitude damp": [cirq.amplitude_damp(0.3)(B)],
    "generalized": [cirq.generalized_amplitude_damp(0.7, 0.3)(C)],
    "phase damp": [cirq.phase_damp(0.4)(A)],
    "reset": [cirq.reset(B)],
    "random gate": [cirq.Y(A).with_probability(0.25), cirq.CZ(A, B).with_probability(0.5)],
    "matrices": [cirq.KrausChannel(cirq.kraus(cirq.amplitude_damp(0.2)))(C)],
    "mixture": [cirq.MixedUnitaryChannel([(0.5, cirq.unitary(cirq.T)), (0.5, cirq.unitary(cirq.H))])(A)],
    "two qubits": [TwoQubits()(C, A)],
}


def by_cirq(circuit, noise=None, resolver=None):
    result = cirq.DensityMatrixSimulator(noise=noise, dtype=np.complex128).simulate(
        circuit, resolver, qubit_order=[A, B, C]
    )
    places = {qubit: place for place, qubit in enumerate((A, B, C))}
    return [
        cirq.PauliSum.wrap(one).expectation_from_density_matrix(result.final_density_matrix, places).real
        for one in OBSERVABLES
    ]


@pytest.mark.parametrize("name", CHANNELS)
def test_exact_values_are_those_of_cirq(name, qvm):
    circuit = around(*CHANNELS[name])
    found = qvm(method="density_matrix").simulate_expectation_values(
        circuit, OBSERVABLES, qubit_order=[A, B, C]
    )
    assert found == pytest.approx(by_cirq(circuit), abs=1e-8)


@pytest.mark.parametrize(
    "noise", [cirq.depolarize(0.05), cirq.ConstantQubitNoiseModel(cirq.amplitude_damp(0.1))]
)
def test_noise_of_the_simulator_is_put_into_circuits_as_cirq_does(noise, qvm):
    found = qvm(noise=noise).simulate_expectation_values(around(), OBSERVABLES)
    assert found == pytest.approx(by_cirq(around(), noise), abs=1e-8)


def test_a_sweep_of_a_noisy_circuit_is_one_program(qvm):
    a = sympy.Symbol("a")
    circuit = around(cirq.rx(a)(A), cirq.depolarize(0.1)(A))
    points = [{"a": value} for value in (0.0, 0.7, 2.0)]
    found = qvm().simulate_expectation_values_sweep(circuit, OBSERVABLES, points)
    for values, point in zip(found, points, strict=True):
        assert values == pytest.approx(by_cirq(circuit, resolver=point), abs=1e-8)


def test_samples_have_the_noise_before_a_measurement_and_none_after_it(qvm):
    shots = 20_000
    circuit = cirq.Circuit(cirq.X(A), cirq.bit_flip(0.3)(A), cirq.measure(A, key="m"), cirq.bit_flip(1.0)(A))
    ones = qvm(seed=5).run(circuit, repetitions=shots).histogram(key="m")[1] / shots
    assert abs(ones - 0.7) < 5 * math.sqrt(0.21 / shots)


def test_noise_that_a_channel_carries_to_a_measured_qubit_is_kept(qvm):
    exchange = cirq.MixedUnitaryChannel([(0.5, np.eye(4)), (0.5, cirq.unitary(cirq.SWAP))])
    circuit = cirq.Circuit(cirq.bit_flip(1.0)(B), exchange(A, B), cirq.measure(A, key="m"))
    shots = 20_000
    ones = qvm(seed=5).run(circuit, repetitions=shots).histogram(key="m")[1] / shots
    assert abs(ones - 0.5) < 5 * math.sqrt(0.25 / shots)


def test_noise_between_two_measurements_is_kept(qvm):
    circuit = cirq.Circuit(cirq.measure(A, key="first"), cirq.bit_flip(1.0)(A), cirq.measure(A, key="second"))
    result = qvm(noise=cirq.phase_flip(0.1)).run(circuit, repetitions=10)
    assert result.measurements["first"].sum() == 0
    assert result.measurements["second"].sum() == 10


def test_a_processor_without_density_matrices_says_which_has_them(client):
    with pytest.raises(ValueError, match="shots: Required: with noise"):
        QcsSimulator(client=client).simulate_expectation_values(around(cirq.depolarize(0.1)(A)), OBSERVABLES)


def test_a_device_of_the_request_is_emulated(client):
    line = {
        "coupling_map": [[0, 1]],
        "noise": {"readout": [{"qubits": [1], "p1_given_0": 1, "p0_given_1": 0}]},
    }
    a, b = cirq.LineQubit.range(2)
    simulator = QcsSimulator("emulator", client=client, device=line)
    result = simulator.run(cirq.Circuit(cirq.measure(a, b, key="m")), repetitions=20)
    assert result.histogram(key="m") == {0b01: 20}
