"""Evolutions of Qiskit as EVOLVE: the states are those of the gates that Qiskit's own synthesis consists of."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import PauliEvolutionGate
from qiskit.quantum_info import Pauli, SparseObservable, SparsePauliOp, Statevector
from qiskit.synthesis import LieTrotter, MatrixExponential, QDrift, SuzukiTrotter

from qcs_client.qiskit import EstimatorV2, SamplerV2
from qcs_client.qiskit.objects import sent_circuit


def random_sum(random, num_qubits, num_terms):
    labels = ["".join(random.choice(list("IXYZ"), num_qubits)) for _ in range(num_terms)]
    return SparsePauliOp(["I" * num_qubits, *labels], random.normal(size=num_terms + 1))


def between_gates(evolution):
    """The gate on qubits in another order, after gates that leave no amplitude 0."""
    n = evolution.num_qubits
    made = QuantumCircuit(n + 1, global_phase=0.3)
    for qubit in range(n + 1):
        made.u(0.3 + qubit, 0.2, 0.1 * qubit, qubit)
    made.cx(0, n)
    made.append(evolution, [*range(n, 1, -1), 0])
    made.cry(0.4, n, 1)
    return made


def by_definition(made):
    """The circuit with the gates of the synthesis; Qiskit's own simulators take the exact exponential."""
    only = QuantumCircuit(made.num_qubits, global_phase=made.global_phase)
    for each in made.data:
        gate = each.operation
        on = [made.find_bit(qubit).index for qubit in each.qubits]
        if isinstance(gate, PauliEvolutionGate):
            only.compose(gate.synthesis.synthesize(gate), on, inplace=True)
        else:
            only.append(gate, on)
    return only


def state_of(provider, made):
    sent = sent_circuit(made, True, True)
    [program] = provider.client.batches.run([sent.program(np.empty((1, 0)), return_=["statevector"])])
    return sent, program


@pytest.mark.parametrize(
    "synthesis",
    [
        LieTrotter(),
        LieTrotter(reps=3, insert_barriers=True, cx_structure="fountain"),
        LieTrotter(reps=2, preserve_order=False),
        SuzukiTrotter(order=2, reps=2, wrap=True),
        SuzukiTrotter(order=4, reps=2),
        SuzukiTrotter(order=2, preserve_order=False),
        MatrixExponential(),
    ],
    ids=lambda each: f"{type(each).__name__}-{vars(each)}",
)
def test_a_state_is_that_of_the_synthesis(synthesis, provider):
    random = np.random.default_rng(7)
    made = between_gates(PauliEvolutionGate(random_sum(random, 4, 6), -0.7, synthesis=synthesis))
    sent, program = state_of(provider, made)
    assert "EVOLVE" in [each["gate"] for each in sent.source]
    np.testing.assert_allclose(program.statevector[0], Statevector(by_definition(made)).data, atol=1e-9)


SUM = SparsePauliOp(["XX", "ZI", "IZ", "YY"], [0.4, -0.3, 1.1, 0.2])
COMMUTING = SparsePauliOp(["XX", "ZZ"])
NOT_COMMUTING = SparsePauliOp(["XI", "ZI"], [0.5, 0.3])


@pytest.mark.parametrize(
    ("evolution", "is_kept"),
    [
        (PauliEvolutionGate(Pauli("XY"), 0.3), True),
        (PauliEvolutionGate([SUM, NOT_COMMUTING], 0.3), True),
        (PauliEvolutionGate([COMMUTING, SparsePauliOp(["IZ", "ZI"])], 0.3, synthesis=SuzukiTrotter()), True),
        # A formula of second order turns round the terms of EVOLVE, and Qiskit only whole sums of a list.
        (PauliEvolutionGate([NOT_COMMUTING, SparsePauliOp(["YI"])], 0.3, synthesis=SuzukiTrotter()), False),
        (PauliEvolutionGate(SUM, 0.3, synthesis=SuzukiTrotter(order=6)), False),
        (PauliEvolutionGate(SUM, 0.3).control(1, ctrl_state=0), True),
        (PauliEvolutionGate(SparseObservable.from_list([("+1", 0.4), ("Zl", 0.3), ("YX", 0.2)]), 0.6), True),
        (PauliEvolutionGate(SparsePauliOp(["II"], [0.8]), 0.6), True),
    ],
)
def test_what_evolve_cannot_say_keeps_the_gates_of_its_definition(evolution, is_kept, provider):
    made = between_gates(evolution)
    sent, program = state_of(provider, made)
    assert isinstance(sent.source, list) is is_kept
    expected = Statevector(by_definition(made)).data
    # Text leaves out the global phase of the circuit itself.
    phase = 1 if is_kept else np.vdot(expected, program.statevector[0])
    np.testing.assert_allclose(program.statevector[0], phase * expected, atol=1e-9)


def test_a_synthesis_of_ones_own_and_control_flow_keep_the_gates():
    def atomic(circuit, operator, time):
        circuit.h(0)

    own = LieTrotter(atomic_evolution=atomic, atomic_evolution_sparse_observable=True)
    for synthesis in (own, QDrift()):
        made = between_gates(PauliEvolutionGate(SUM, 0.3, synthesis=synthesis))
        assert isinstance(sent_circuit(made, True, True).source, str)
    made = between_gates(PauliEvolutionGate(SUM, 0.3))
    assert isinstance(sent_circuit(made, True, False).source, str)
    mixed = made.compose(between_gates(PauliEvolutionGate(SUM, 0.3, synthesis=QDrift())))
    assert isinstance(sent_circuit(mixed, True, True).source, str)
    made.add_bits([qiskit.circuit.Clbit()])
    with made.if_test((made.clbits[0], 1)):
        made.x(0)
    assert isinstance(sent_circuit(made, True, True).source, str)


@pytest.mark.parametrize("squared", [False, True])
def test_times_are_a_sweep_with_an_error_bound(squared, provider):
    t, a = Parameter("t"), Parameter("a")
    made = QuantumCircuit(2)
    made.ry(2 * a - 0.1, 0)
    made.append(PauliEvolutionGate(SUM, t * t if squared else -t / 2, synthesis=SuzukiTrotter(reps=3)), [1, 0])
    observable = SparsePauliOp(["ZX", "IZ"])
    values = np.array([[0.1, 0.4], [0.2, 0.9], [0.3, 1.5]])
    backend = provider.get_backend("qvm")
    [found] = EstimatorV2(backend).run([(made, observable, values)]).result()
    expected = [
        Statevector(by_definition(made.assign_parameters(row))).expectation_value(observable).real
        for row in values
    ]
    np.testing.assert_allclose(found.data.evs, expected, atol=1e-9)
    assert ("error_bound" in found.metadata) is not squared
    if not squared:
        exact = [
            Statevector(made.assign_parameters(row)).expectation_value(observable).real for row in values
        ]
        error = np.abs(np.subtract(exact, expected)).max()
        norm = np.linalg.norm(observable.to_matrix(), 2)
        assert 0 < error <= 2 * norm * found.metadata["error_bound"] < 100 * error


def test_counts_have_the_bits_that_are_measured_and_the_error_bound(provider):
    made = QuantumCircuit(2, 3)
    made.x(0)
    made.append(PauliEvolutionGate(SUM, 1e-9), [0, 1])
    made.measure([0, 1], [1, 0])
    backend = provider.get_backend("qvm")
    result = backend.run(made, shots=5, memory=True).result()
    assert result.get_counts() == {"010": 5}
    assert result.get_memory() == ["010"] * 5
    assert 0 < result.results[0].metadata["error_bound"] < 1e-15
    [sampled] = SamplerV2(backend).run([made], shots=4).result()
    assert sampled.data.c.get_counts() == {"010": 4}
    assert 0 < sampled.metadata["error_bound"] < 1e-15


def test_a_snapshot_after_an_evolution_is_that_of_its_synthesis(provider):
    pytest.importorskip("qiskit_aer")
    made = between_gates(PauliEvolutionGate(SUM, 0.9))
    expected = Statevector(by_definition(made))
    made.save_statevector()
    found = provider.get_backend("qvm").run(made).result().data(0)["statevector"]
    np.testing.assert_allclose(found.data, expected.data, atol=1e-9)
