"""Qiskit: provider, backends and jobs."""

from __future__ import annotations

import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import ClassicalRegister, QuantumCircuit, transpile
from qiskit.circuit.library import (
    QFTGate,
    get_standard_gate_name_mapping,
)
from qiskit.exceptions import QiskitError
from qiskit.providers import BackendV2, JobStatus, JobV1
from qiskit.providers.exceptions import QiskitBackendNotFoundError
from qiskit.quantum_info import Pauli, Statevector
from qiskit_circuits import bell, rotations


def _strings(n):
    """A few Pauli strings on n qubits that see populations and phases."""
    return [letter * n for letter in "XYZ"] + [
        "I" * k + letter + "I" * (n - k - 1) for k in range(n) for letter in "XYZ"
    ]


def test_every_processor_is_a_backend(provider, client):
    backends = provider.backends()
    assert [backend.name for backend in backends] == [processor["id"] for processor in client.processors()]
    assert all(isinstance(backend, BackendV2) for backend in backends)
    assert "superconducting-1" not in {backend.name for backend in provider.backends(available=True)}


def test_an_unknown_backend_is_qiskits_exception_and_names_the_known_ones(provider):
    with pytest.raises(QiskitBackendNotFoundError, match="statevector-sim"):
        provider.get_backend("nowhere")


def test_the_target_has_the_gates_and_the_width_of_the_processor(provider, backend, client):
    assert backend.num_qubits == client.processor("statevector-sim")["max_qubits"]
    assert provider.get_backend("qvm").num_qubits == 20_000
    assert {"h", "cx", "u", "rzz", "xx_plus_yy", "measure", "reset", "if_else", "while_loop"} <= set(
        backend.operation_names
    )


@pytest.mark.parametrize(
    "name", sorted(get_standard_gate_name_mapping().keys() - {"measure", "reset", "delay"})
)
def test_every_gate_of_the_target_has_qiskits_matrix(name, backend, estimator):
    if name not in backend.operation_names:
        pytest.skip(f"{name} is not in the target")
    gate = get_standard_gate_name_mapping()[name]
    gate = gate.base_class(*[0.3 + 0.4 * k for k in range(len(gate.params))]) if gate.params else gate
    n = max(1, gate.num_qubits)
    circuit = QuantumCircuit(n)
    for qubit in range(n):
        circuit.u(0.3 + qubit, 0.5, 0.7, qubit)
    circuit.append(gate, range(gate.num_qubits))
    observables = [Pauli("".join(letters)) for letters in _strings(n)]
    expected = [Statevector(circuit).expectation_value(pauli).real for pauli in observables]
    assert estimator.run([(circuit, observables)]).result()[0].data.evs == pytest.approx(expected, abs=1e-12)


def test_run_takes_transpiled_circuits_and_gives_counts_by_register(backend):
    circuit = QuantumCircuit(3)
    a, b = ClassicalRegister(1, "a"), ClassicalRegister(2, "b")
    circuit.add_register(a, b)
    circuit.append(QFTGate(3), range(3))
    circuit.append(QFTGate(3).inverse(), range(3))
    circuit.x(2)
    circuit.measure([2, 0, 1], [0, 1, 2])
    job = backend.run(transpile(circuit, backend), shots=50, memory=True)
    assert isinstance(job, JobV1)
    assert job.result().get_counts() == {"00 1": 50}
    assert job.result().get_memory() == ["00 1"] * 50
    assert job.status() is JobStatus.DONE
    assert job.backend() is backend


def test_several_circuits_are_one_job(backend, client):
    x = QuantumCircuit(1, 1)
    x.x(0)
    x.measure(0, 0)
    result = backend.run([x, bell()], shots=20, seed_simulator=3).result()
    assert result.get_counts(0) == {"1": 20}
    assert sum(result.get_counts(1).values()) == 20


def test_faults_are_qiskits_exceptions_with_the_services_message(backend, provider):
    with pytest.raises(QiskitError, match="shots"):
        backend.run(bell(), shots=0)
    with pytest.raises(QiskitError, match="parameters without values: a, b"):
        backend.run(rotations())
    with pytest.raises(QiskitError, match="measures nothing"):
        backend.run(QuantumCircuit(1, 1))
    with pytest.raises(QiskitError, match="no option shot"):
        backend.run(bell(), shot=5)
    with pytest.raises(QiskitError, match="No hardware provider"):
        provider.get_backend("superconducting-1").run(bell())
