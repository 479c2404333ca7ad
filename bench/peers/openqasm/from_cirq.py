"""Cirq's exports (Circuit.to_qasm), in both versions."""

import re
from collections import Counter

import cirq
import numpy as np
import sympy
from program import Counts, Program, State

# It runs them one after the other.
SHOTS = 1000


def corpora(_):
    yield "Cirq, to_qasm", lambda: (p for name, c in circuits() for p in exports(name, c)), lambda _: None


def exports(name, circuit):
    for version in ("2.0", "3.0"):
        try:
            text = circuit.to_qasm(version=version)
        except Exception:  # noqa: BLE001: what is not written is no program
            continue
        yield Program(f"{name} ({version})", text, lambda text=text: expectation(circuit, text))


def expectation(circuit, text):
    """Qubits are written in their order, and Cirq's first one is the highest bit of its states."""
    qubits = sorted(circuit.all_qubits())
    if not circuit.are_all_measurements_terminal() or any(is_dynamic(op) for op in circuit.all_operations()):
        return counts(circuit, text)
    unmeasured = cirq.Circuit(op for op in circuit.all_operations() if not cirq.is_measurement(op))
    state = cirq.Simulator(dtype=np.complex128).simulate(unmeasured, qubit_order=qubits).final_state_vector
    return State(state.reshape([2] * len(qubits)).transpose().reshape(-1))


def is_dynamic(operation):
    # An inverted measurement is written as X before and after it.
    gate = operation.gate
    return (
        bool(cirq.control_keys(operation))
        or isinstance(gate, cirq.ResetChannel)
        or (isinstance(gate, cirq.MeasurementGate) and any(gate.invert_mask))
    )


def counts(circuit, text):
    """Registers m_KEY come in the order of the text; a key's first qubit is its bit 0."""
    found = cirq.Simulator(dtype=np.complex128, seed=1).run(circuit, repetitions=SHOTS).records
    outcome, at = np.zeros(SHOTS, dtype=np.int64), 0
    for old, size, new in re.findall(r"creg (\w+)\[(\d+)\];|\bbit\[\d+\] (\w+);", text):
        name = old or new
        key = next(k for k in found if f"m_{k}" == name)
        # The last record of a key is what its register holds at the end.
        for bit in range(found[key].shape[2]):
            outcome |= found[key][:, -1, bit].astype(np.int64) << at
            at += 1
    return Counts(dict(Counter(outcome.tolist())), at)


def circuits():
    q = cirq.LineQubit.range(4)
    yield from one_gate_each(q)
    for seed in range(40):
        yield f"random {seed}", cirq.testing.random_circuit(q, 8, 0.7, random_state=seed)
    for seed in range(10):
        matrix = cirq.testing.random_unitary(4, random_state=seed)
        yield f"two-qubit unitary {seed}", cirq.Circuit(spread(q[:3]), cirq.MatrixGate(matrix)(q[2], q[0]))
        yield f"one-qubit unitary {seed}", cirq.Circuit(
            spread(q[:2]), cirq.MatrixGate(cirq.testing.random_unitary(2, random_state=seed))(q[1])
        )
    for seed in range(5):
        yield f"random, for sycamore {seed}", cirq.optimize_for_target_gateset(
            cirq.testing.random_circuit(q, 6, 0.7, random_state=seed), gateset=cirq.SqrtIswapTargetGateset()
        )
        yield f"random, for CZ {seed}", cirq.optimize_for_target_gateset(
            cirq.testing.random_circuit(q, 6, 0.7, random_state=seed), gateset=cirq.CZTargetGateset()
        )
    yield "QFT", cirq.Circuit(spread(q), cirq.qft(*q))
    yield "inverse QFT", cirq.Circuit(spread(q), cirq.qft(*q, inverse=True, without_reverse=True))
    yield "GHZ", cirq.Circuit(cirq.H(q[0]), [cirq.CNOT(a, b) for a, b in zip(q, q[1:])], cirq.measure(*q, key="m"))
    yield "measured with odd keys", cirq.Circuit(spread(q), cirq.measure(q[0], key="a.b"), cirq.measure(q[1], q[2], key="x y"))
    yield "inverted measurement", cirq.Circuit(spread(q), cirq.measure(q[0], q[1], key="m", invert_mask=(True, False)), cirq.X(q[2]))
    yield "grid qubits", cirq.Circuit(cirq.H(cirq.GridQubit(0, 1)), cirq.ISWAP(cirq.GridQubit(0, 1), cirq.GridQubit(1, 1)))
    yield "named qubits", cirq.Circuit(cirq.H(cirq.NamedQubit("b")), cirq.CX(cirq.NamedQubit("b"), cirq.NamedQubit("a")))
    yield from controlled_by_measurement(q)


def spread(qubits):
    """Operations that make all amplitudes different."""
    yield [cirq.ry(0.4 + 0.3 * i)(q) for i, q in enumerate(qubits)]
    yield [cirq.rz(0.7 + 0.5 * i)(q) for i, q in enumerate(qubits)]
    yield [cirq.CNOT(a, b) for a, b in zip(qubits, qubits[1:])]
    yield [cirq.rx(0.2 + 0.1 * i)(q) for i, q in enumerate(qubits)]


def one_gate_each(q):
    gates = [
        cirq.I, cirq.X, cirq.Y, cirq.Z, cirq.H, cirq.S, cirq.T, cirq.S**-1, cirq.T**-1, cirq.X**0.5, cirq.X**-0.5,
        cirq.Y**0.25, cirq.Z**0.3, cirq.H**0.5, cirq.X**0.37, cirq.rx(0.3), cirq.ry(0.4), cirq.rz(0.5),
        cirq.PhasedXPowGate(phase_exponent=0.2, exponent=0.7), cirq.PhasedXZGate(x_exponent=0.3, z_exponent=0.4, axis_phase_exponent=0.1),
        cirq.XPowGate(exponent=0.4, global_shift=-0.5), cirq.ZPowGate(exponent=0.4, global_shift=0.2),
        cirq.CNOT, cirq.CZ, cirq.SWAP, cirq.ISWAP, cirq.ISWAP**0.5, cirq.ISWAP**-1, cirq.CNOT**0.3, cirq.CZ**0.4, cirq.SWAP**0.5,
        cirq.XX**0.3, cirq.YY**0.4, cirq.ZZ**0.5, cirq.XX, cirq.YY, cirq.ZZ, cirq.ms(0.3), cirq.givens(0.4), cirq.riswap(0.3),
        cirq.FSimGate(0.3, 0.4), cirq.PhasedFSimGate(0.3, 0.1, 0.2, 0.4, 0.5), cirq.PhasedISwapPowGate(phase_exponent=0.2, exponent=0.3),
        cirq.cphase(0.4), cirq.CCNOT, cirq.CCZ, cirq.CSWAP, cirq.CCX**0.4, cirq.CCZ**0.3, cirq.ControlledGate(cirq.Y), cirq.ControlledGate(cirq.H),
        cirq.ControlledGate(cirq.ry(0.4)), cirq.ControlledGate(cirq.X**0.5), cirq.ControlledGate(cirq.rz(0.3)), cirq.ControlledGate(cirq.S),
        cirq.ControlledGate(cirq.T), cirq.ControlledGate(cirq.SWAP), cirq.ControlledGate(cirq.ISWAP), cirq.X.controlled(3), cirq.Z.controlled(2),
        cirq.X.controlled(control_values=[0]), cirq.H.controlled(2), cirq.QuantumFourierTransformGate(3), cirq.DiagonalGate([0.1, 0.2, 0.3, 0.4]),
        cirq.TwoQubitDiagonalGate([0.1, 0.2, 0.3, 0.4]), cirq.ThreeQubitDiagonalGate([0.1 * i for i in range(8)]),
        cirq.QuantumFourierTransformGate(2, without_reverse=True), cirq.BooleanHamiltonianGate(["a", "b"], ["a & b"], 0.3),
        cirq.QubitPermutationGate([1, 2, 0]), 
        cirq.PhaseGradientGate(num_qubits=3, exponent=1), cirq.IdentityGate(2), cirq.WaitGate(cirq.Duration(nanos=10)),
        cirq.GlobalPhaseGate(1j), cirq.PauliInteractionGate(cirq.X, True, cirq.Z, False, exponent=0.3), cirq.DensePauliString("XYZ"),
        cirq.SingleQubitCliffordGate.X_sqrt, cirq.MatrixGate(cirq.testing.random_unitary(8, random_state=1)),
    ]
    for gate in gates:
        width = cirq.num_qubits(gate)
        if width <= 4:
            yield f"{gate}".replace("\n", " ")[:60], cirq.Circuit(spread(q[: max(width, 2)]), gate(*q[:width]))
    yield "Pauli string exponential", cirq.Circuit(spread(q[:3]), cirq.PauliStringPhasor(cirq.X(q[0]) * cirq.Y(q[2]), exponent_neg=0.3))
    yield "parallel gate", cirq.Circuit(spread(q[:3]), cirq.ParallelGate(cirq.Y**0.3, 3)(*q[:3]))
    yield "circuit operation", cirq.Circuit(spread(q[:2]), cirq.CircuitOperation(cirq.FrozenCircuit(cirq.H(q[0]), cirq.CZ(q[0], q[1]))).repeat(2))


def controlled_by_measurement(q):
    yield "classical control", cirq.Circuit(
        spread(q[:2]), cirq.measure(q[0], key="a"), cirq.X(q[1]).with_classical_controls("a"), cirq.measure(q[1], key="b")
    )
    yield "classical control on two keys", cirq.Circuit(
        spread(q[:3]), cirq.measure(q[0], key="a"), cirq.measure(q[1], key="b"),
        cirq.ry(0.7)(q[2]).with_classical_controls("a", "b"), cirq.measure(q[2], key="c"),
    )
    yield "classical control on a register", cirq.Circuit(
        spread(q[:3]), cirq.measure(q[0], q[1], key="a"), cirq.H(q[2]).with_classical_controls("a"), cirq.measure(q[2], key="c")
    )
    yield "classical control by an expression", cirq.Circuit(
        spread(q[:2]), cirq.measure(q[0], key="a"), cirq.X(q[1]).with_classical_controls(sympy.Eq(sympy.Symbol("a"), 0)), cirq.measure(q[1], key="c")
    )
    yield "reset", cirq.Circuit(spread(q[:2]), cirq.reset(q[0]), cirq.H(q[0]), cirq.measure(q[0], q[1], key="m"))
    yield "measured twice", cirq.Circuit(spread(q[:2]), cirq.measure(q[0], key="a"), cirq.H(q[0]), cirq.measure(q[0], key="b"))
