"""cirq-ionq: circuits of Cirq, where qubit 0 is the most significant bit, batches, native gates, listings and failures."""

from __future__ import annotations

import cirq
import cirq_ionq
import numpy as np
import pytest
import sympy
from cirq_ionq.ionq_exceptions import IonQException, IonQNotFoundException, IonQUnsuccessfulJobException
from service import wait_until

QUBITS = cirq.LineQubit.range(3)


@pytest.fixture
def ionq(service) -> cirq_ionq.Service:
    return cirq_ionq.Service(remote_host=service.origin, api_key=service.key, default_target="simulator")


def probabilities(result: cirq_ionq.SimulatorResult, num_qubits: int) -> np.ndarray:
    found = np.zeros(2**num_qubits)
    for outcome, value in result.probabilities().items():
        found[outcome] = value
    return found


def expected(circuit: cirq.Circuit) -> np.ndarray:
    """Probabilities by Cirq's own simulation, of all qubits in order."""
    state = cirq.Simulator(dtype=np.complex128).simulate(circuit, qubit_order=QUBITS).final_state_vector
    return np.abs(state) ** 2


def test_bell_pair(ionq):
    a, b = QUBITS[:2]
    circuit = cirq.Circuit(cirq.H(a), cirq.CNOT(a, b), cirq.measure(a, b, key="m"))
    result = ionq.run(circuit, repetitions=500, seed=1)
    assert set(result.histogram(key="m")) == {0b00, 0b11}
    assert result.repetitions == 500


def test_qubit_0_is_the_most_significant_bit_of_an_outcome(ionq):
    circuit = cirq.Circuit(cirq.X(QUBITS[0]), cirq.Z(QUBITS[2]), cirq.measure(*QUBITS, key="m"))
    assert ionq.run(circuit, repetitions=10).histogram(key="m") == {0b100: 10}


def test_gates_have_the_matrices_that_cirq_gives_them(ionq):
    a, b, c = QUBITS
    circuit = cirq.Circuit(
        cirq.ry(0.4)(a), cirq.ry(0.9)(b), cirq.ry(1.3)(c),
        cirq.X(a) ** 0.5, cirq.X(b) ** -0.5, cirq.Z(c) ** 0.25, cirq.Z(a) ** 0.3, cirq.Y(b) ** 0.2, cirq.X(c) ** 0.7,
        cirq.CNOT(c, a), cirq.SWAP(a, b), cirq.XX(a, b) ** 0.3, cirq.YY(b, c) ** 0.4, cirq.ZZ(c, a) ** 0.6,
        cirq.H(a), cirq.S(b), cirq.T(c), cirq.H(b), cirq.H(c),
        cirq.PauliStringPhasor(cirq.X(a) * cirq.Y(b) * cirq.Z(c), exponent_neg=0.4, exponent_pos=0.1),
        cirq.H(a), cirq.H(b), cirq.H(c),
    )  # fmt: skip
    result = ionq.create_job(circuit + cirq.Circuit(cirq.measure(*QUBITS))).results(polling_seconds=0.1)
    assert probabilities(result, 3) == pytest.approx(expected(circuit), abs=1e-9)


def test_native_gates_have_the_matrices_that_cirq_ionq_gives_them(ionq):
    a, b, c = QUBITS
    circuit = cirq.Circuit(
        cirq_ionq.GPI2Gate(phi=0.1)(a), cirq_ionq.GPI2Gate(phi=0.6)(b), cirq_ionq.GPI2Gate(phi=0.3)(c),
        cirq_ionq.MSGate(phi0=0.1, phi1=0.4, theta=0.2)(a, b), cirq_ionq.ZZGate(theta=0.15)(b, c),
        cirq_ionq.GPIGate(phi=0.2)(c), cirq_ionq.GPI2Gate(phi=0.8)(a), cirq_ionq.GPI2Gate(phi=0.5)(b),
        cirq_ionq.GPI2Gate(phi=0.9)(c),
    )  # fmt: skip
    result = ionq.create_job(circuit + cirq.Circuit(cirq.measure(*QUBITS))).results(polling_seconds=0.1)
    assert probabilities(result, 3) == pytest.approx(expected(circuit), abs=1e-9)


def test_a_batch_of_circuits_of_several_widths(ionq):
    circuits = [
        cirq.Circuit(cirq.X(QUBITS[0]), cirq.measure(QUBITS[0], key="m")),
        cirq.Circuit(cirq.X(QUBITS[1]), cirq.measure(*QUBITS[:2], key="m")),
    ]
    first, second = ionq.run_batch(circuits, repetitions=20)
    assert first.histogram(key="m") == {1: 20}
    assert second.histogram(key="m") == {0b01: 20}


def test_a_sweep_of_a_parameter(ionq):
    angle = sympy.Symbol("angle")
    circuit = cirq.Circuit(cirq.ry(angle)(QUBITS[0]), cirq.measure(QUBITS[0], key="m"))
    results = ionq.sampler(seed=3).run_sweep(circuit, cirq.Linspace("angle", 0, np.pi, 3), repetitions=400)
    ones = [result.histogram(key="m")[1] for result in results]
    assert ones[0] == 0
    assert ones[1] == pytest.approx(200, abs=5 * 10)
    assert ones[2] == 400


def test_the_qpu_counts(ionq):
    circuit = cirq.Circuit(cirq.H(QUBITS[0]), cirq.measure(QUBITS[0], key="m"))
    job = ionq.create_job(circuit, repetitions=300, target="qpu")
    result = job.results(polling_seconds=0.1)
    assert isinstance(result, cirq_ionq.QPUResult)
    assert job.target() == "qpu.forte-1"
    assert sum(result.counts(key="m").values()) == 300


def test_all_jobs_are_listed_once(ionq):
    circuit = cirq.Circuit(cirq.X(QUBITS[0]), cirq.measure(QUBITS[0]))
    sent = [ionq.create_job(circuit, name=f"listed {i}") for i in range(3)]
    for job in sent:
        job.results(polling_seconds=0.1)
    listed = [job.job_id() for job in ionq.list_jobs(status="completed", limit=10_000)]
    assert len(listed) == len(set(listed))
    assert {job.job_id() for job in sent} <= set(listed)
    assert ionq.get_job(sent[0].job_id()).name() == "listed 0"


def test_a_deleted_job_is_gone(ionq):
    job = ionq.create_job(cirq.Circuit(cirq.X(QUBITS[0]), cirq.measure(QUBITS[0])))
    job.delete()
    assert job.status() == "deleted"
    with pytest.raises(IonQNotFoundException):
        ionq.get_job(job.job_id())


def test_a_cancelled_job_has_no_results(ionq):
    many = cirq.LineQubit.range(24)
    layer = [cirq.H.on_each(*many), [cirq.CNOT(a, b) for a, b in zip(many, many[1:])]]
    job = ionq.create_job(cirq.Circuit(layer * 60, cirq.measure(*many, key="m")))
    wait_until(lambda: job.status() == "started")
    job.cancel()
    assert job.status() == "canceled"
    with pytest.raises(IonQUnsuccessfulJobException):
        ionq.get_job(job.job_id()).target()


def test_mixed_sets_of_gates_are_refused_with_the_gate(ionq):
    circuit = cirq.Circuit(cirq.H(QUBITS[0]), cirq_ionq.GPIGate(phi=0.1)(QUBITS[0]), cirq.measure(QUBITS[0]))
    with pytest.raises(IonQException, match=r"input.circuit\[1\].gate.*gpi"):
        ionq.create_job(circuit)
