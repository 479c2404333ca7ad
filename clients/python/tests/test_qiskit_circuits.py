"""What circuits of Qiskit become."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")

from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import (
    AnnotatedOperation,
    Annotation,
    Clbit,
    ControlModifier,
    Gate,
    Instruction,
    InverseModifier,
    Parameter,
    ParameterVector,
    PowerModifier,
    Qubit,
    library,
)
from qiskit.circuit.classical import expr, types
from qiskit.circuit.library import UnitaryGate, quantum_volume
from qiskit.exceptions import QiskitError
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import Kraus, Pauli, SparsePauliOp, Statevector, random_clifford, random_unitary
from qiskit.synthesis import SuzukiTrotter

from qcs_client.qiskit.circuits import service_circuit


def test_measurement_in_the_middle_and_if_else(sampler):
    circuit = QuantumCircuit(2, 3)
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.if_test((circuit.clbits[0], 1)) as otherwise:
        circuit.x(1)
    with otherwise:
        circuit.reset(0)
    circuit.measure([0, 1], [1, 2])
    counts = sampler.run([circuit], shots=200).result()[0].data.c.get_counts()
    assert set(counts) == {"000", "111"}


def test_while_loops_switches_and_classical_variables(sampler):
    circuit = QuantumCircuit(2, 2)
    tries = circuit.add_var("tries", expr.lift(0, types.Uint(8)))
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.while_loop((circuit.clbits[0], 0)):
        circuit.h(0)
        circuit.measure(0, 0)
        circuit.store(tries, expr.add(tries, 1))
    with circuit.switch(circuit.cregs[0]) as case:
        with case(1):
            circuit.x(1)
        with case(case.DEFAULT):
            circuit.id(1)
    circuit.measure(1, 1)
    assert sampler.run([circuit], shots=100).result()[0].data.c.get_counts() == {"11": 100}


def test_gates_that_are_not_in_the_target_are_sent_as_their_definition(sampler):
    unitary = random_unitary(8, seed=5)
    circuit = QuantumCircuit(3)
    circuit.append(UnitaryGate(unitary), range(3))
    circuit.append(UnitaryGate(unitary).inverse(), range(3))
    inner = quantum_volume(2, seed=1).to_gate()
    circuit.append(inner.control(1, ctrl_state=0), range(3))
    circuit.append(inner.inverse().control(1, ctrl_state=0), range(3))
    circuit.x(1)
    circuit.measure_all()
    assert sampler.run([circuit], shots=10).result()[0].data.meas.get_counts() == {"010": 10}


def test_appended_circuits_and_initial_states_run_as_their_contents(sampler, estimator):
    angle = Parameter("angle")
    turn = QuantumCircuit(1, name="turn")
    turn.rx(angle, 0)
    inner = QuantumCircuit(2, name="two turns")
    inner.append(turn.to_instruction({angle: 0.3}), [0])
    inner.append(turn.to_instruction({angle: 0.9}), [1])
    inner.cx(0, 1)
    circuit = QuantumCircuit(2)
    circuit.append(inner.to_instruction(), [1, 0])
    circuit.append(turn.to_instruction(), [1])
    observables = ["ZI", "IZ", "YI"]
    expected = StatevectorEstimator().run([(circuit, observables, [0.4])]).result()[0].data.evs
    assert np.allclose(estimator.run([(circuit, observables, [0.4])]).result()[0].data.evs, expected)

    prepared = QuantumCircuit(2, 2)
    prepared.x(1)
    prepared.measure(1, 1)
    with prepared.if_test((prepared.clbits[1], 1)):
        prepared.initialize([0, 1j, 0, 0])
        prepared.measure(0, 0)
        prepared.prepare_state("1", 1)
    prepared.measure(1, 1)
    assert sampler.run([prepared], shots=50).result()[0].data.c.get_counts() == {"11": 50}


@pytest.mark.parametrize("qubits", [[2, 0, 1], [2, 0]])
def test_a_state_at_the_beginning_is_sent_as_amplitudes(backend, estimator, qubits):
    rng = np.random.default_rng(3)
    amplitudes = rng.normal(size=2 ** len(qubits)) + 1j * rng.normal(size=2 ** len(qubits))
    circuit = QuantumCircuit(3)
    circuit.initialize(amplitudes / np.linalg.norm(amplitudes), qubits)
    circuit.rx(Parameter("angle"), 1)
    circuit.cx(0, 2)
    assert "reset" not in service_circuit(circuit, True).source
    assert "reset" in service_circuit(circuit, False).source
    observables = ["ZII", "IYI", "IIX", "XYZ"]
    expected = StatevectorEstimator().run([(circuit, observables, [0.4])]).result()[0].data.evs
    assert np.allclose(estimator.run([(circuit, observables, [0.4])]).result()[0].data.evs, expected)


A, B = Parameter("a"), Parameter("b")
V = ParameterVector("v", 12)
INVERSE = InverseModifier()


class MatrixGate(Gate):
    """A gate that is its matrix, and that another gate lends its name."""

    def __init__(self):
        super().__init__("swap", 2, [])

    def __array__(self, dtype=None, copy=None):
        return random_unitary(4, seed=3).data


class DefinedGate(Gate):
    """A gate whose parameters come in another order than those of its definition, under the name of another gate."""

    def __init__(self, first, second):
        super().__init__("iswap", 2, [second, first])

    def _define(self):
        second, first = self.params
        self.definition = QuantumCircuit(2, global_phase=0.4)
        self.definition.rx(first, 0)
        self.definition.ry(second / 2, 1)
        self.definition.cx(1, 0)


def contents():
    circuit = QuantumCircuit(2, name="cz")
    circuit.rx(A, 0)
    circuit.cx(0, 1)
    circuit.ry(2 * B, 1)
    return circuit


def annotated(base, *modifiers):
    return AnnotatedOperation(base, list(modifiers))


PAIR = SparsePauliOp(["XX", "ZZ"], [0.4, 0.6])
MATRIX = np.array([[1, 0.5], [0.5, -1]])
GATES = {
    "diagonal": library.DiagonalGate([1, 1j, -1, 1]),
    "diagonal, controlled": library.DiagonalGate([1, 1j]).control(2, ctrl_state=1),
    "UCRX": library.UCRXGate([0.1, 0.2, 0.3, 0.4]),
    "UCRY": library.UCRYGate([0.1, 0.2]),
    "UCRZ, inverted": library.UCRZGate([0.1, 0.2]).inverse(),
    "UCGate": library.UCGate([random_unitary(2, seed=i).data for i in range(4)]),
    "UCPauliRot": library.UCPauliRotGate([0.1, 0.2], "Y"),
    "MCMT": library.MCMTGate(library.RXGate(0.3), 1, 2),
    "linear function": library.LinearFunction([[1, 1, 0], [0, 1, 0], [0, 1, 1]]),
    "permutation": library.PermutationGate([2, 0, 1]),
    "Hamiltonian": library.HamiltonianGate(MATRIX, 0.3),
    "Hamiltonian, controlled": library.HamiltonianGate(MATRIX, 0.3).control(1),
    "Hamiltonian of a parameter": library.HamiltonianGate(MATRIX, A * B),
    "matrix of 5 qubits": UnitaryGate(random_unitary(32, seed=4)),
    "matrix, controlled": UnitaryGate(random_unitary(4, seed=2)).control(1, ctrl_state=0),
    "S, annotated": library.SGate().control(2, annotated=True),
    "QFT, annotated": annotated(library.QFTGate(2), INVERSE, ControlModifier(1, 0), PowerModifier(2)),
    "RX of a parameter, annotated": annotated(library.RXGate(A), ControlModifier(2, 1), INVERSE),
    "U of parameters to a power": annotated(library.UGate(A, B, A * B), PowerModifier(-0.3), ControlModifier(1)),
    "negative fractional power": annotated(library.HGate(), PowerModifier(-0.5), ControlModifier(1)),
    "annotated twice": annotated(annotated(library.SwapGate(), ControlModifier(1)), INVERSE, ControlModifier(1, 0)),
    "appended circuit to a power": annotated(contents().to_gate(), PowerModifier(0.3), ControlModifier(1, 0)),
    "Pauli string": library.PauliGate("XYZ"),
    "evolution for a product": library.PauliEvolutionGate(PAIR, A * B),
    "evolution for twice a parameter": library.PauliEvolutionGate(PAIR, 2 * A),
    "evolution for elements of a vector": library.PauliEvolutionGate(PAIR, V[10] * V[2]),
    "evolution, controlled": library.PauliEvolutionGate(PAIR, 0.3).control(1),
    "rotation about a Pauli string": library.PauliProductRotationGate(SparsePauliOp("XZY").paulis[0], A * B)
    if hasattr(library, "PauliProductRotationGate")
    else library.RXGate(A * B),
    "isometry": library.Isometry(random_unitary(8, seed=3).data, 0, 0),
    "state preparation": library.StatePreparation([0.6, 0.8j, 0, 0]),
    "state preparation by letters, inverted": library.StatePreparation("1+r").inverse(),
    "QFT": library.QFTGate(3),
    "Clifford": random_clifford(3, seed=1),
    "oracle": library.PhaseOracleGate("x & ~y | z") if hasattr(library, "PhaseOracleGate") else library.ZGate(),
    "comparator": library.IntegerComparatorGate(2, 2),
    "appended circuit": contents().to_gate(),
    "appended circuit with other parameters": contents().to_gate({A: 2 * B, B: A}),
    "matrix under another gate's name": MatrixGate(),
    "definition under another gate's name": DefinedGate(A + B, 2 * A),
    "parameters in another order": DefinedGate(B, A),
    "CU, controlled": library.CUGate(A, 0.2, A * B, 0.4).control(1),
    "CU of control 0": library.CUGate(0.1, 0.2, 0.3, 0.4, ctrl_state=0),
    "phase, controlled": library.GlobalPhaseGate(A).control(2, ctrl_state=2),
    "X of mixed controls": library.MCXGate(3, ctrl_state=5),
    "phase of three controls": library.MCPhaseGate(A * B, 3),
    "RC3X": library.RC3XGate(),
}


@pytest.mark.parametrize("name", GATES)
def test_gates_act_as_their_matrices(name, client):
    gate = GATES[name]
    width = gate.num_qubits
    circuit = QuantumCircuit(2 * width)
    # Pairs in Bell states let one state tell the whole matrix.
    for qubit in range(width):
        circuit.h(qubit)
        circuit.cx(qubit, width + qubit)
    circuit.append(gate, np.random.default_rng(7).permutation(width).tolist())
    values = [0.3 + 0.25 * number for number in range(circuit.num_parameters)]
    program = service_circuit(circuit, False).program(np.array([values]), return_=["statevector"])
    [result] = client.batches.run([program])
    overlap = np.vdot(Statevector(circuit.assign_parameters(values)).data, result.statevector[0])
    assert abs(overlap) == pytest.approx(1, abs=1e-9)


def test_evolution_is_the_product_formula_of_its_gate(estimator):
    hamiltonian = SparsePauliOp(["XX", "ZI", "YY"], [0.4, 0.6, 0.1])
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.append(library.PauliEvolutionGate(hamiltonian, A * B, synthesis=SuzukiTrotter(2, reps=3)), [0, 1])
    values = [[0.3, 0.9], [1.2, 2.0]]
    pub = (circuit, ["XY", "ZI", "YZ"], values)
    for point, value in enumerate(values):
        written = circuit.assign_parameters(value).decompose()
        expected = [Statevector(written).expectation_value(Pauli(label)).real for label in pub[1]]
        found = [estimator.run([(circuit, label, values)]).result()[0].data.evs[point] for label in pub[1]]
        assert np.allclose(found, expected)


def test_a_circuit_that_needs_its_values_is_sent_for_each_point(estimator, sampler):
    circuit = QuantumCircuit(2, 2)
    circuit.append(library.HamiltonianGate(MATRIX, A), [0])
    circuit.rx(B.sign() * A, 1)
    values = np.array([[0.3, 0.9], [1.2, -2.0], [0.5, 0.1]])
    pub = (circuit, [["ZI"], ["IY"], ["ZX"]], values)
    expected = StatevectorEstimator().run([pub]).result()[0].data.evs
    assert np.allclose(estimator.run([pub]).result()[0].data.evs, expected)
    circuit.measure([0, 1], [0, 1])
    bits = sampler.run([(circuit, [[0, 1], [np.pi, 1]])], shots=10).result()[0].data.c
    assert bits.get_counts(0) == {"00": 10}
    assert {label[0] for label in bits.get_counts(1)} == {"1"}


def shared_bits():
    """Ones in bits 1 and 3 of four; registers that share bits, in other orders."""
    bits = [Clbit() for _ in range(4)]
    circuit = QuantumCircuit([Qubit() for _ in range(4)], bits)
    for name, chosen in (("a", [0, 1]), ("b", [1, 2, 3]), ("c", [3, 0, 1])):
        circuit.add_register(ClassicalRegister(bits=[bits[bit] for bit in chosen], name=name))
    circuit.add_register(QuantumRegister(bits=circuit.qubits[:3], name="low"))
    circuit.add_register(QuantumRegister(bits=circuit.qubits[:0:-1], name="high"))
    circuit.x([1, 3])
    circuit.measure(range(4), range(4))
    return circuit


def test_registers_that_share_bits_have_labels_of_their_own(sampler, backend):
    circuit = shared_bits()
    data = sampler.run([circuit], shots=5).result()[0].data
    assert {name: bits.get_counts() for name, bits in data.items()} == {
        "a": {"10": 5},
        "b": {"101": 5},
        "c": {"101": 5},
    }
    result = backend.run(circuit, shots=5, memory=True).result()
    assert result.get_counts() == {"101 101 10": 5}
    assert result.get_memory() == ["101 101 10"] * 5


def test_conditions_on_registers_that_share_bits(sampler):
    circuit = shared_bits()
    a, b, c = circuit.cregs
    result = QuantumCircuit(circuit.qubits, circuit.clbits, *circuit.cregs, *circuit.qregs)
    result.compose(circuit, inplace=True)
    result.add_register(QuantumRegister(1, "found"), ClassicalRegister(1, "found"))
    flip = result.qubits[-1]
    with result.if_test((c, 5)):
        result.x(flip)
    with result.if_test(expr.less(a, b)), result.switch(b) as case:
        with case(5):
            result.y(flip)
        with case(case.DEFAULT):
            result.h(flip)
    with result.if_test(expr.equal(expr.bit_xor(b, c), 0)):
        result.x(flip)
    result.measure(flip, result.clbits[-1])
    assert sampler.run([result], shots=5).result()[0].data.found.get_counts() == {"1": 5}


@pytest.mark.parametrize("position", ["before", "after"])
def test_bits_and_qubits_in_no_register_keep_their_places(position, sampler, estimator, backend):
    loose, registers = [[Qubit(), Clbit()]], [QuantumRegister(2, "q"), ClassicalRegister(2, "c")]
    circuit = QuantumCircuit(*(loose + registers if position == "before" else registers + loose))
    circuit.x(1)
    observables = ["IIZ", "IZI", "ZII"]
    assert estimator.run([(circuit, observables)]).result()[0].data.evs == pytest.approx([1, -1, 1])
    circuit.measure(range(3), range(3))
    label = "01" if position == "before" else "10"
    assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {label: 5}
    assert backend.run(circuit, shots=5).result().get_counts() == {label: 5}


def test_stored_bits_are_answered_though_nothing_is_measured(sampler):
    circuit = QuantumCircuit(2, 3)
    circuit.x(0)
    circuit.store(circuit.clbits[1], True)
    assert sampler.run([circuit], shots=5).result()[0].data.c.get_counts() == {"010": 5}


def test_loops_run_over_the_indices_that_qiskit_has(sampler):
    step = Parameter("pi")
    circuit = QuantumCircuit(5, 5)
    # The indices of each loop sum to this number.
    loops = [(range(4, 0, -1), 10), ((3, -1, 8), 10), ((1, 1, 5), 7), (range(1, 6, 3), 5)]
    for qubit, (indices, total) in enumerate(loops):
        with circuit.for_loop(indices, step):
            circuit.rx(np.pi / total * step, qubit)
    with circuit.for_loop((1,), step):
        # Half of 1 is no whole number.
        circuit.rx(step / 2 + (np.pi - 0.5), 4)
    with circuit.for_loop(range(0), step):
        circuit.x(0)
    circuit.measure(range(5), range(5))
    assert sampler.run([circuit], shots=20).result()[0].data.c.get_counts() == {"11111": 20}


def test_waits_have_any_unit(sampler):
    circuit = QuantumCircuit(1, 1)
    for duration, unit in [(100, "dt"), (0.25, "ps"), (100, "ns"), (1e-7, "s"), (2.5, "us"), (Parameter("t"), "ms")]:
        circuit.delay(duration, 0, unit)
    with circuit.box(duration=300, unit="ns"):
        circuit.x(0)
    circuit.measure(0, 0)
    assert sampler.run([(circuit, [0.5])], shots=5).result()[0].data.c.get_counts() == {"1": 5}


def with_input_variable():
    circuit = QuantumCircuit(1, 1, inputs=[expr.Var.new("theta", types.Float())])
    circuit.measure(0, 0)
    return circuit


def with_operation(operation):
    circuit = QuantumCircuit(operation.num_qubits, 1)
    circuit.append(operation, range(operation.num_qubits))
    circuit.measure(0, 0)
    return circuit


def with_annotation():
    class Twirl(Annotation):
        namespace = "some.twirl"

    circuit = QuantumCircuit(1, 1)
    with circuit.box(annotations=[Twirl()]):
        circuit.measure(0, 0)
    return circuit


@pytest.mark.parametrize(
    ("circuit", "named"),
    [
        (with_input_variable(), "variable theta has no value"),
        (with_operation(Gate("mystery", 2, [])), "mystery is neither defined by gates nor has a matrix"),
        (with_operation(Instruction("save_state", 2, 0, [])), "save_state is neither"),
        (with_operation(Kraus([np.eye(2) * 0.6, np.diag([0.8, -0.8])]).to_instruction()), "kraus is neither"),
        (with_annotation(), "annotation some.twirl"),
    ],
    ids=["input variable", "gate", "instruction", "channel", "annotation"],
)
def test_what_cannot_be_written_is_refused_by_name(circuit, named, sampler, backend):
    with pytest.raises(QiskitError, match=named):
        sampler.run([circuit])
    with pytest.raises(QiskitError, match=named):
        backend.run(circuit)
