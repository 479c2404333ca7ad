"""Cirq: the sampler and exact expectation values, held to cirq.Simulator."""

from __future__ import annotations

import numpy as np
import pytest

cirq = pytest.importorskip("cirq")
import itertools

import sympy

from qcs_client.cirq import QcsCirqError, QcsSimulator

A, B = sympy.symbols("a b")
Q = cirq.LineQubit.range(4)


@pytest.fixture
def simulator(client):
    return QcsSimulator(client=client, seed=11)


def entangled(qubits):
    """A state without symmetries."""
    yield [cirq.PhasedXZGate(x_exponent=0.3 + 0.1 * k, z_exponent=0.2 * k, axis_phase_exponent=0.1).on(q)
           for k, q in enumerate(qubits)]  # fmt: skip
    yield [cirq.CNOT(first, second) for first, second in itertools.pairwise(qubits)]


def paulis(qubits):
    """Observables that tell states on a few qubits apart."""
    return [
        cirq.PauliString({q: p for q, p in zip(qubits, row) if p is not None})
        for row in np.array(np.meshgrid(*[[None, cirq.X, cirq.Y, cirq.Z]] * len(qubits)))
        .reshape(len(qubits), -1)
        .T
    ]


GATES = [
    cirq.X**0.3, cirq.Y**0.7, cirq.Z**-0.2, cirq.H, cirq.H**0.4, cirq.S, cirq.T**-1, cirq.rx(0.3), cirq.ry(0.4),
    cirq.rz(0.5), cirq.XPowGate(exponent=0.3, global_shift=0.4), cirq.PhasedXPowGate(phase_exponent=0.3, exponent=0.4),
    cirq.PhasedXZGate(x_exponent=0.1, z_exponent=0.2, axis_phase_exponent=0.3), cirq.CNOT, cirq.CNOT**0.3, cirq.CZ,
    cirq.CZ**0.4, cirq.ControlledGate(cirq.Y), cirq.SWAP, cirq.SWAP**0.3, cirq.ISWAP, cirq.ISWAP**0.3, cirq.XX**0.3, cirq.YY**0.4,
    cirq.ZZ**0.5, cirq.ms(0.3), cirq.FSimGate(0.3, 0.4), cirq.PhasedFSimGate(0.1, 0.2, 0.3, 0.4, 0.5),
    cirq.PhasedISwapPowGate(phase_exponent=0.2, exponent=0.3), cirq.givens(0.3), cirq.TOFFOLI, cirq.CCZ**0.3,
    cirq.TOFFOLI**0.3, cirq.FREDKIN, cirq.ControlledGate(cirq.X**0.3), cirq.ControlledGate(cirq.rx(0.3)),
    cirq.ControlledGate(cirq.ISWAP**0.3, control_values=[0]), cirq.ControlledGate(cirq.XX**0.4),
    cirq.ControlledGate(cirq.GlobalPhaseGate(1j**0.3), num_controls=2),
    cirq.ControlledGate(cirq.X**0.2, control_values=cirq.SumOfProducts([[0, 1], [1, 0]])),
    cirq.ControlledGate(cirq.CNOT**0.3), cirq.ControlledGate(cirq.YPowGate(exponent=0.3, global_shift=0.2)),
    cirq.MatrixGate(cirq.testing.random_unitary(8, random_state=3)), cirq.QuantumFourierTransformGate(3),
    cirq.DiagonalGate([0.1, 0.2, 0.3, 0.4]), cirq.TwoQubitDiagonalGate([0.1, 0.2, 0.3, 0.4]),
    cirq.PauliString({Q[0]: cirq.X, Q[2]: cirq.Y}) ** 0.3, cirq.QubitPermutationGate([2, 0, 1]),
    cirq.ThreeQubitDiagonalGate([0.2 * k**2 for k in range(8)]), cirq.DiagonalGate([0.2 * k**2 for k in range(8)]),
    cirq.ControlledGate(cirq.TwoQubitDiagonalGate([0.1, 0.3, 0.7, 1.2]), control_values=[0]), cirq.CSWAP**1,
    cirq.ControlledGate(cirq.SWAP**0.3), cirq.MatrixGate(cirq.testing.random_unitary(4, random_state=3)), cirq.ParallelGate(cirq.X**0.3, 3),
    cirq.BooleanHamiltonianGate(["a", "b", "c"], ["a & (b ^ ~c)"], 0.4),
]  # fmt: skip


class TestExpectationValues:
    @pytest.mark.parametrize("order", [(2, 1, 0), (1, 2, 0)])
    @pytest.mark.parametrize("one", GATES, ids=str)
    def test_each_gate_is_that_of_cirq(self, one, order, simulator):
        """Also off the order of the line, which some decompositions of Cirq get wrong."""
        op = one if isinstance(one, cirq.Operation) else one.on(*[Q[k] for k in order][: one.num_qubits()])
        circuit = cirq.Circuit(entangled(Q[:3]), op)
        observables = paulis(Q[:3])
        ours = simulator.simulate_expectation_values(circuit, observables)
        theirs = cirq.Simulator(dtype=np.complex128).simulate_expectation_values(circuit, observables)
        assert ours == pytest.approx(np.real(theirs), abs=1e-7)

    def test_sweeps_of_expressions_are_one_request(self, simulator, client):
        circuit = cirq.Circuit(
            entangled(Q[:3]), cirq.rx(A * B)(Q[0]), cirq.CZ(*Q[:2]) ** (A + 2), cirq.FSimGate(B, A / 3)(*Q[:2]),
            cirq.PhasedXPowGate(phase_exponent=B**2, exponent=A)(Q[1]), cirq.ControlledGate(cirq.Y**A)(*Q[:2]),
            cirq.ThreeQubitDiagonalGate([A * k**2 + B for k in range(8)])(Q[1], Q[2], Q[0]), cirq.TwoQubitDiagonalGate([A, 0, B, 1])(Q[2], Q[1]),
        )  # fmt: skip
        sweep = cirq.Product(cirq.Linspace("a", 0.1, 2, 3), cirq.Points("b", [0.3, -1]))
        observables = [cirq.X(Q[0]) * cirq.Y(Q[1]) + 2 * cirq.Z(Q[0]), cirq.PauliSum() + 1.5]
        before = sum(1 for _ in client.batches.list(limit=100))
        ours = simulator.simulate_expectation_values_sweep(circuit, observables, sweep)
        assert sum(1 for _ in client.batches.list(limit=100)) == before + 1
        theirs = cirq.Simulator(dtype=np.complex128).simulate_expectation_values_sweep(
            circuit, observables, sweep
        )
        assert np.array(ours) == pytest.approx(np.real(theirs), abs=1e-7)

    def test_initial_states_and_orders(self, simulator):
        circuit = cirq.Circuit(cirq.CNOT(Q[1], Q[0]), cirq.H(Q[2]))
        observables = [1.5 * cirq.Z(Q[0]), cirq.Z(Q[1]) * cirq.X(Q[2])]
        options = {"initial_state": 2, "qubit_order": [Q[2], Q[1], Q[0]]}
        ours = simulator.simulate_expectation_values(circuit, observables, **options)
        theirs = cirq.Simulator().simulate_expectation_values(circuit, observables, **options)
        assert ours == pytest.approx(theirs, abs=1e-6)

    @pytest.mark.parametrize("form", ["vector", "tensor", "product"])
    def test_initial_states_of_amplitudes(self, simulator, form):
        rng = np.random.default_rng(4)
        vector = rng.normal(size=8) + 1j * rng.normal(size=8)
        vector /= np.linalg.norm(vector)
        state = {
            "vector": vector,
            "tensor": vector.reshape(2, 2, 2),
            "product": cirq.KET_PLUS(Q[0]) * cirq.KET_IMAG(Q[1]) * cirq.KET_ONE(Q[2]),
        }[form]
        circuit = cirq.Circuit(cirq.CNOT(Q[1], Q[0]), cirq.T(Q[2]))
        observables = [1.5 * cirq.Z(Q[0]), cirq.Y(Q[1]) * cirq.X(Q[2]), cirq.Z(Q[2]) + cirq.Y(Q[0])]
        options = {"initial_state": state, "qubit_order": Q[:3]}
        ours = simulator.simulate_expectation_values(circuit, observables, **options)
        theirs = cirq.Simulator(dtype=np.complex128).simulate_expectation_values(circuit, observables, **options)
        assert ours == pytest.approx(np.real(theirs), abs=1e-6)

    @pytest.mark.parametrize("state", [8, [1, 1, 0, 0, 0, 0, 0, 0], [1, 0]])
    def test_initial_states_that_are_none(self, simulator, state):
        state = np.array(state) if isinstance(state, list) else state
        with pytest.raises(QcsCirqError, match="initial state is none of 3 qubits"):
            simulator.simulate_expectation_values(
                cirq.Circuit(cirq.X(Q[0])), cirq.Z(Q[0]), initial_state=state, qubit_order=Q[:3]
            )

    def test_measurements_at_the_end_are_left_out_where_permitted(self, simulator):
        circuit = cirq.Circuit(cirq.X(Q[0]), cirq.measure(Q[0]))
        with pytest.raises(ValueError, match="permit_terminal_measurements"):
            simulator.simulate_expectation_values(circuit, cirq.Z(Q[0]))
        values = simulator.simulate_expectation_values(
            circuit, cirq.Z(Q[0]), permit_terminal_measurements=True
        )
        assert values == pytest.approx([-1])


class TestSampler:
    def test_bell_pair(self, simulator):
        circuit = cirq.Circuit(cirq.H(Q[0]), cirq.CNOT(Q[0], Q[1]), cirq.measure(*Q[:2], key="m"))
        result = simulator.run(circuit, repetitions=300)
        assert set(result.histogram(key="m")) == {0, 3}
        assert result.measurements["m"].shape == (300, 2)
        assert list(result.data["m"][:2]) != []

    def test_keys_their_qubits_and_inverted_bits(self, simulator):
        circuit = cirq.Circuit(
            cirq.X(Q[0]),
            cirq.measure(Q[2], Q[0], key="first"),
            cirq.measure(Q[0], Q[1], key="z", invert_mask=(True,)),
        )
        result = simulator.run(circuit, repetitions=4)
        assert result.measurements["first"].tolist() == [[0, 1]] * 4
        assert result.measurements["z"].tolist() == [[0, 0]] * 4

    def test_a_key_that_is_measured_twice(self, simulator):
        circuit = cirq.Circuit(cirq.measure(Q[0], key="m"), cirq.X(Q[0]), cirq.measure(Q[0], key="m"))
        assert simulator.run(circuit, repetitions=3).records["m"].tolist() == [[[0], [1]]] * 3

    def test_sweeps_keep_the_order_of_their_points(self, simulator):
        circuit = cirq.Circuit(
            cirq.rx(A * sympy.pi)(Q[0]), cirq.X(Q[1]) ** (1 - A), cirq.measure(*Q[:2], key="m")
        )
        results = simulator.run_sweep(circuit, cirq.Points("a", [0, 1, 0]), repetitions=5)
        assert [result.params["a"] for result in results] == [0, 1, 0]
        assert [result.histogram(key="m") for result in results] == [{1: 5}, {2: 5}, {1: 5}]

    def test_a_list_of_circuits_is_one_request(self, simulator, client):
        zero, one = (cirq.Circuit(cirq.X(Q[0]) ** k, cirq.measure(Q[0], key="m")) for k in (0, 1))
        swept = cirq.Circuit(cirq.X(Q[0]) ** A, cirq.measure(Q[0], key="m"))
        before = sum(1 for _ in client.batches.list(limit=100))
        results = simulator.run_batch([zero, swept, one], [None, cirq.Points("a", [0, 1]), None], [2, 3, 4])
        assert sum(1 for _ in client.batches.list(limit=100)) == before + 1
        assert [[dict(result.histogram(key="m")) for result in sweep] for sweep in results] == [
            [{0: 2}], [{0: 3}, {1: 3}], [{1: 4}],
        ]  # fmt: skip

    def test_a_sweep_without_parameters_samples_each_point(self, simulator):
        circuit = cirq.Circuit(cirq.H(Q[0]), cirq.measure(Q[0], key="m"))
        first, second = simulator.run_sweep(circuit, cirq.Points("unused", [0, 1]), repetitions=64)
        assert first != second

    def test_classical_controls_and_resets(self, simulator):
        circuit = cirq.Circuit(
            cirq.H.on_each(*Q[:2]),
            cirq.measure(*Q[:2], key="m", invert_mask=(False, True)),
            cirq.X(Q[2]).with_classical_controls("m"),
            cirq.reset(Q[0]),
            cirq.measure(Q[0], key="zero"),
            cirq.measure(Q[2], key="any"),
        )
        result = simulator.run(circuit, repetitions=200)
        reported = result.measurements["m"]
        assert (result.measurements["any"][:, 0] == reported.any(axis=1)).all()
        assert len(np.unique(reported, axis=0)) == 4
        assert not result.measurements["zero"].any()

    def test_circuits_within_circuits(self, simulator):
        inner = cirq.FrozenCircuit(cirq.X(Q[0]) ** A)
        op = cirq.CircuitOperation(inner, repetitions=2, param_resolver={"a": 0.5}, qubit_map={Q[0]: Q[3]})
        result = simulator.run(cirq.Circuit(op, cirq.measure(Q[3], key="m")), repetitions=5)
        assert result.histogram(key="m") == {1: 5}

    def test_the_same_seed_gives_the_same_samples(self, client):
        circuit = cirq.Circuit(cirq.H.on_each(*Q), cirq.measure(*Q, key="m"))
        first, second = (QcsSimulator(client=client, seed=2).run(circuit, repetitions=50) for _ in range(2))
        assert first == second

    def test_faults_are_value_errors(self, simulator):
        with pytest.raises(ValueError, match="no measurements"):
            simulator.run(cirq.Circuit(cirq.X(Q[0])))
        measured = cirq.measure(Q[0], key="m")
        with pytest.raises(QcsCirqError, match="parameter a has no value"):
            simulator.run(cirq.Circuit(cirq.X(Q[0]) ** A, measured))
        with pytest.raises(QcsCirqError, match="depolarize.*not made of others"):
            simulator.run(cirq.Circuit(cirq.depolarize(0.1, n_qubits=4)(*cirq.LineQubit.range(4)), measured))
        with pytest.raises(QcsCirqError, match="1000000|1,000,000"):
            simulator.run(cirq.Circuit(cirq.X(Q[0]), measured), repetitions=2_000_000)
        with pytest.raises(QcsCirqError, match="Hermitian"):
            simulator.simulate_expectation_values(cirq.Circuit(cirq.X(Q[0])), 1j * cirq.Z(Q[0]))
        with pytest.raises(QcsCirqError, match="3 levels"):
            simulator.run(cirq.Circuit(cirq.measure(cirq.LineQid(0, 3), key="m")))
