"""Qiskit's exports, in both versions: its circuit library, every standard gate, random circuits, circuits
transpiled for devices, and dynamic circuits."""

import cmath
import math
import random
import re

import numpy as np
import qiskit_side
from program import Program
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, qasm2, qasm3, transpile
from qiskit.circuit import AnnotatedOperation, ControlModifier, InverseModifier, Parameter, PowerModifier, library
from qiskit.circuit.classical import expr, types
from qiskit.circuit.random import random_circuit, random_clifford_circuit
from qiskit.quantum_info import SparsePauliOp, random_clifford, random_unitary

VERSIONS = {"2": qasm2, "3": qasm3}


def corpora(_):
    def of(circuits):
        return lambda: (program for name, circuit in circuits() for program in exports(name, circuit))

    yield "Qiskit, circuit library", of(library_circuits), qiskit_side.opinion
    yield "Qiskit, standard gates", of(gate_circuits), qiskit_side.opinion
    yield "Qiskit, random circuits", lambda: random_programs(60), qiskit_side.opinion
    yield "Qiskit, transpiled", of(transpiled_circuits), qiskit_side.opinion
    # Qiskit's own reader takes few of these; all of them are what its simulator runs.
    yield "Qiskit, dynamic circuits by hand", of(dynamic_circuits), lambda _: None
    yield "Qiskit, random dynamic circuits", lambda: random_dynamic_programs(150), lambda _: None


def exports(name, circuit, is_printed=False):
    """The circuit in every version that Qiskit can say it in, with values for its parameters."""
    values = {p: 0.3 + 0.4 * i for i, p in enumerate(circuit.parameters)}
    bound = circuit.assign_parameters(values)
    expected = lambda: qiskit_side.expectation(bound)  # noqa: E731
    for version, module in VERSIONS.items():
        try:
            # What version 2 has no words for is exported with its numbers.
            text = module.dumps(bound if version == "2" else circuit)
        except Exception:  # noqa: BLE001: what is not written is no program
            continue
        names = re.findall(r"^input float\[64\] (\S+);", text, re.MULTILINE) if version == "3" else []
        by_name = {plain(p.name): value for p, value in values.items()}
        inputs = {name: by_name[plain(name)] for name in names}
        yield Program(f"{name} ({version})", text, expected, inputs, is_printed)


def plain(name):
    """A parameter's name, which an export changes to what the language allows."""
    return re.sub(r"\W", "_", name).strip("_")


def spread(num_qubits, *registers):
    """A circuit in a state with all amplitudes different."""
    circuit = QuantumCircuit(num_qubits, *registers)
    for qubit in range(num_qubits):
        circuit.ry(0.4 + 0.3 * qubit, qubit)
        circuit.rz(0.7 + 0.5 * qubit, qubit)
    for qubit in range(num_qubits - 1):
        circuit.cx(qubit, qubit + 1)
        circuit.ry(0.2 + 0.1 * qubit, qubit)
    return circuit


def on_spread(gate):
    circuit = spread(gate.num_qubits, gate.num_clbits)
    circuit.append(gate, range(gate.num_qubits), range(gate.num_clbits))
    return circuit


def measured(circuit):
    circuit = circuit.copy()
    circuit.measure_all()
    return circuit


def library_circuits():
    vector = np.array([cmath.rect(1 + i % 3, 0.3 * i) for i in range(8)])
    vector /= np.linalg.norm(vector)
    hamiltonian = SparsePauliOp(["XXI", "IYZ", "ZIZ", "IIX"], [0.4, -0.7, 1.1, 0.2])
    cost = SparsePauliOp(["ZZI", "IZZ", "ZIZ"], [1, 0.5, -0.3])
    oracle = QuantumCircuit(3)
    oracle.ccz(0, 1, 2)
    unitary = QuantumCircuit(2)
    unitary.cp(0.9, 0, 1)
    unitary.rx(0.4, 0)
    L = library
    gates = {
        "QFTGate": lambda: L.QFTGate(4),
        "HalfAdderGate": lambda: L.HalfAdderGate(3),
        "FullAdderGate": lambda: L.FullAdderGate(2),
        "ModularAdderGate": lambda: L.ModularAdderGate(3),
        "MultiplierGate": lambda: L.MultiplierGate(2),
        "IntegerComparatorGate": lambda: L.IntegerComparatorGate(3, 5),
        "WeightedSumGate": lambda: L.WeightedSumGate(3, [1, 2, 1]),
        "QuadraticFormGate": lambda: L.QuadraticFormGate(3, [[1, 2], [0, -1]], [1, 0], 1),
        "LinearPauliRotationsGate": lambda: L.LinearPauliRotationsGate(3, 0.3, 0.2),
        "PolynomialPauliRotationsGate": lambda: L.PolynomialPauliRotationsGate(2, [0.1, 0.2, 0.3]),
        "PiecewiseLinearPauliRotationsGate": lambda: L.PiecewiseLinearPauliRotationsGate(3, [0, 4], [0.1, 0.3], [0.2, 0.5]),
        "PiecewisePolynomialPauliRotationsGate": lambda: L.PiecewisePolynomialPauliRotationsGate(2, [0, 2], [[0.1, 0.2], [0.3]]),
        "PiecewiseChebyshevGate": lambda: L.PiecewiseChebyshevGate(lambda x: np.arcsin(1 / (x + 2)), 2, 2, [0, 2]),
        "LinearAmplitudeFunctionGate": lambda: L.LinearAmplitudeFunctionGate(2, 0.5, 0.1, (0, 1), (0, 1)),
        "ExactReciprocalGate": lambda: L.ExactReciprocalGate(3, 0.5),
        "StatePreparation": lambda: L.StatePreparation(vector),
        "StatePreparation, label": lambda: L.StatePreparation("01+-rl"),
        "StatePreparation, number": lambda: L.StatePreparation(5, 4),
        "Isometry": lambda: L.Isometry(random_unitary(4, seed=3).data[:, :2], 0, 0),
        "DiagonalGate": lambda: L.DiagonalGate([cmath.exp(0.7j * i) for i in range(8)]),
        "PermutationGate": lambda: L.PermutationGate([2, 0, 3, 1]),
        "UniformSuperpositionGate": lambda: L.UniformSuperpositionGate(5, 3),
        "LinearFunction": lambda: L.LinearFunction([[1, 1, 0], [0, 1, 1], [0, 0, 1]]),
        "HamiltonianGate": lambda: L.HamiltonianGate(hamiltonian.to_matrix(), 0.3),
        "PauliEvolutionGate": lambda: L.PauliEvolutionGate(hamiltonian, 0.4),
        "PauliGate": lambda: L.PauliGate("XYZI"),
        "PauliProductRotationGate": lambda: L.PauliProductRotationGate(hamiltonian.paulis[0], 0.4),
        "AndGate": lambda: L.AndGate(3, [1, -1, 1]),
        "OrGate": lambda: L.OrGate(3, [1, -1, 1]),
        "InnerProductGate": lambda: L.InnerProductGate(2),
        "BitwiseXorGate": lambda: L.BitwiseXorGate(3, 5),
        "GraphStateGate": lambda: L.GraphStateGate([[0, 1, 1], [1, 0, 0], [1, 0, 0]]),
        "PhaseOracleGate": lambda: L.PhaseOracleGate("(a & b) | ~c"),
        "BitFlipOracleGate": lambda: L.BitFlipOracleGate("(a & b) | ~c"),
        "UCGate": lambda: L.UCGate([random_unitary(2, seed=s).data for s in range(4)]),
        "UCRXGate": lambda: L.UCRXGate([0.1, 0.5, 0.9, 1.3]),
        "UCRYGate": lambda: L.UCRYGate([0.1, 0.5, 0.9, 1.3]),
        "UCRZGate": lambda: L.UCRZGate([0.1, 0.5, 0.9, 1.3]),
        "UCPauliRotGate": lambda: L.UCPauliRotGate([0.1, 0.5, 0.9, 1.3], "Y"),
        "MCGupDiag": lambda: L.MCGupDiag(random_unitary(2, seed=4).data, 2, 0, 0),
        "MCMTGate": lambda: L.MCMTGate(L.RYGate(0.3), 2, 2),
        "GMS": lambda: L.GMS(3, [[0, 0.2, 0.3], [0.2, 0, 0.4], [0.3, 0.4, 0]]).to_gate(),
        "GR": lambda: L.GR(3, 0.3, 0.5).to_gate(),
        "RVGate": lambda: L.RVGate(0.1, 0.2, 0.3),
        "MSGate": lambda: L.MSGate(3, 0.4),
        "Clifford": lambda: random_clifford(4, seed=5).to_instruction(),
    }
    for n in range(1, 6):
        gates[f"UnitaryGate {n}"] = lambda n=n: L.UnitaryGate(random_unitary(2**n, seed=n))
        gates[f"MCXGate {n}"] = lambda n=n: L.MCXGate(n)
        gates[f"MCXGate {n}, open controls"] = lambda n=n: L.MCXGate(n, ctrl_state=n // 2)
        gates[f"MCPhaseGate {n}"] = lambda n=n: L.MCPhaseGate(0.7, n)
        gates[f"MCU1Gate {n}"] = lambda n=n: L.MCU1Gate(0.7, n)
    for name, unitary_gate in {"controlled": L.UnitaryGate(random_unitary(4, seed=9)).control(1, annotated=False)}.items():
        gates[f"UnitaryGate {name}"] = lambda gate=unitary_gate: gate
    circuits = {
        "QFT": lambda: L.QFT(5, approximation_degree=1, inverse=True),
        "CDKMRippleCarryAdder": lambda: L.CDKMRippleCarryAdder(3),
        "CDKMRippleCarryAdder, half": lambda: L.CDKMRippleCarryAdder(3, "half"),
        "DraperQFTAdder": lambda: L.DraperQFTAdder(3),
        "VBERippleCarryAdder": lambda: L.VBERippleCarryAdder(2),
        "HRSCumulativeMultiplier": lambda: L.HRSCumulativeMultiplier(2),
        "RGQFTMultiplier": lambda: L.RGQFTMultiplier(2),
        "IntegerComparator": lambda: L.IntegerComparator(3, 5),
        "WeightedAdder": lambda: L.WeightedAdder(3, [1, 2, 1]),
        "real_amplitudes": lambda: L.real_amplitudes(4, reps=2),
        "RealAmplitudes": lambda: L.RealAmplitudes(3, entanglement="circular"),
        "efficient_su2": lambda: L.efficient_su2(3),
        "excitation_preserving": lambda: L.excitation_preserving(3, mode="fsim"),
        "n_local": lambda: L.n_local(3, ["rx", "ry"], "crz"),
        "TwoLocal": lambda: L.TwoLocal(3, ["ry", "rz"], "cz", reps=1),
        "pauli_two_design": lambda: L.pauli_two_design(3, seed=1),
        "qaoa_ansatz": lambda: L.qaoa_ansatz(cost, reps=2),
        # Not as it is: Qiskit's version 3 then swaps the angles of the gate that it defines for it.
        "QAOAAnsatz": lambda: L.QAOAAnsatz(cost, reps=1).decompose(),
        "evolved_operator_ansatz": lambda: L.evolved_operator_ansatz([hamiltonian, cost]),
        "hamiltonian_variational_ansatz": lambda: L.hamiltonian_variational_ansatz(hamiltonian),
        "grover_operator": lambda: L.grover_operator(oracle),
        "GroverOperator": lambda: L.GroverOperator(oracle),
        "phase_estimation": lambda: L.phase_estimation(3, unitary),
        "PhaseEstimation": lambda: L.PhaseEstimation(3, unitary),
        "PhaseOracle": lambda: L.PhaseOracle("(a | b) & ~c"),
        "quantum_volume": lambda: L.quantum_volume(4, seed=3),
        "iqp": lambda: L.iqp([[6, 5, 3], [5, 4, 5], [3, 5, 1]]),
        "random_iqp": lambda: L.random_iqp(4, seed=2),
        "hidden_linear_function": lambda: L.hidden_linear_function([[1, 1, 0], [1, 0, 1], [0, 1, 1]]),
        "fourier_checking": lambda: L.fourier_checking([1, -1, -1, -1], [1, 1, -1, -1]),
        "z_feature_map": lambda: L.z_feature_map(3),
        "zz_feature_map": lambda: L.zz_feature_map(3),
        "pauli_feature_map": lambda: L.pauli_feature_map(3, paulis=["Z", "YY", "ZXZ"]),
        "unitary_overlap": lambda: L.unitary_overlap(L.real_amplitudes(2, parameter_prefix="a"), L.real_amplitudes(2, parameter_prefix="b")),
        "MCXGrayCode": lambda: on_spread(L.MCXGrayCode(4)),
        "MCXRecursive": lambda: on_spread(L.MCXRecursive(5)),
        "MCXVChain": lambda: on_spread(L.MCXVChain(4)),
        "MCMTVChain": lambda: L.MCMTVChain("z", 3, 2),
        "XOR": lambda: L.XOR(3, 5, seed=1),
        "Initialize": lambda: initialised(vector),
        "Initialize, label": lambda: initialised("0+r-"),
        "Initialize, number": lambda: initialised(6, 3),
        "Initialize, part": lambda: initialised_part(vector[:4] / np.linalg.norm(vector[:4])),
    }
    for name, make in gates.items():
        yield name, on_spread(make())
        yield f"{name}, measured", measured(on_spread(make()))
    for name, make in circuits.items():
        yield name, make()
        yield f"{name}, flat", make().decompose(reps=2)
    yield "annotated", annotated()
    yield "registers", several_registers()
    yield "boxes and delays", boxes()


def initialised(what, num_qubits=None):
    circuit = QuantumCircuit(num_qubits or int(math.log2(len(what))) if not isinstance(what, str) else len(what))
    circuit.initialize(what, circuit.qubits)
    circuit.h(0)
    return circuit


def initialised_part(vector):
    circuit = QuantumCircuit(3, 3)
    circuit.initialize(vector, [2, 0])
    circuit.cx(0, 1)
    circuit.measure(range(3), [2, 1, 0])
    return circuit


def annotated():
    circuit = spread(5)
    circuit.append(library.RXGate(0.3).control(2, annotated=True), [0, 1, 2])
    circuit.append(AnnotatedOperation(library.SwapGate(), [ControlModifier(2, 1), InverseModifier()]), [0, 1, 2, 3])
    circuit.append(AnnotatedOperation(library.RZGate(0.4), [PowerModifier(2), ControlModifier(1)]), [0, 4])
    return circuit


def several_registers():
    q, r = QuantumRegister(2, "q"), QuantumRegister(3, "_weird-name")
    c, d = ClassicalRegister(2, "c"), ClassicalRegister(3, "measure")
    circuit = QuantumCircuit(q, r, c, d, name="my circuit")
    circuit.h(q)
    circuit.cx(q[0], r[1])
    circuit.barrier(r)
    circuit.barrier()
    circuit.ch(r[1], r[2])
    circuit.id(r[0])
    circuit.measure(r, d)
    circuit.measure(q, c)
    return circuit


def boxes():
    circuit = spread(2, 1)
    circuit.delay(100, 0, unit="ns")
    circuit.delay(3, 1, unit="dt")
    circuit.delay(1.5, 1, unit="us")
    circuit.measure(0, 0)
    return circuit


def gate_circuits():
    """Every standard gate alone, controlled, inverted and to a power."""
    for name, gate in sorted(library.get_standard_gate_name_mapping().items()):
        if name in ("measure", "delay", "reset", "barrier"):
            continue
        gate = gate.base_class(*[0.3 + 0.5 * i for i, _ in enumerate(gate.params)]) if gate.params else gate
        yield name, on_spread(gate)
        try:
            yield f"{name}, inverse", on_spread(gate.inverse())
            yield f"{name}, controlled", on_spread(gate.control(1, annotated=False))
            yield f"{name}, two controls, one open", on_spread(gate.control(2, ctrl_state=1, annotated=False))
            yield f"{name}, square root", on_spread(gate.power(0.5, annotated=False))
        except Exception:  # noqa: BLE001: not every gate has all of these
            continue


def random_programs(number):
    for seed in range(number):
        circuit = random_circuit(2 + seed % 5, 2 + seed % 6, max_operands=1 + seed % 4, seed=seed)
        yield from exports(f"random {seed}", circuit, is_printed=True)
    for seed in range(number // 10):
        yield from exports(f"random Clifford {seed}", random_clifford_circuit(4, 20, seed=seed))


def transpiled_circuits():
    bases = {
        "heron": ["cz", "rz", "sx", "x", "rzz", "rx"],
        "eagle": ["ecr", "rz", "sx", "x"],
        "cx": ["cx", "u"],
        "u3": ["cx", "u1", "u2", "u3"],
        "iswap": ["iswap", "rz", "rx"],
        "rzx": ["rzx", "rx", "rz", "cx"],
        "ions": ["rxx", "r", "rz"],
        "csx": ["csx", "cx", "h", "sxdg", "rz"],
    }
    line = [[i, i + 1] for i in range(5)] + [[i + 1, i] for i in range(5)]
    for name, basis in bases.items():
        for seed in range(4):
            circuit = measured(random_circuit(5, 4, max_operands=3, seed=seed))
            yield f"{name} {seed}", transpile(circuit, basis_gates=basis, optimization_level=1, seed_transpiler=1)
            if seed < 2:
                mapped = transpile(circuit, basis_gates=basis, coupling_map=line, optimization_level=2, seed_transpiler=1)
                yield f"{name} {seed}, mapped", mapped


def dynamic_circuits():
    """Feed-forward as its users write it."""
    yield "teleport", teleport()
    yield "repeat until success", repeat_until_success()
    yield "iterative phase estimation", iterative_phase_estimation()
    yield "switch", switch()
    yield "switch on a register, no default", switch(False)
    yield "for over a range", for_loop(range(0, 6, 2))
    yield "for over a set", for_loop((0, 3, 1))
    yield "for with a parameter", for_with_parameter()
    yield "while on a register", while_register()
    yield "break and continue", break_and_continue()
    yield "nested", nested()
    yield "expressions on registers", register_expressions()
    yield "stored variables", stored_variables()
    yield "counter", counter()
    yield "bit store", bit_store()
    yield "unsigned arithmetic", unsigned_arithmetic()
    yield "index and shift", index_and_shift()
    yield "reset by measurement", reset_by_measurement()
    yield "loose bits", loose_bits()
    yield "wide register", wide_register()
    yield "input variable", captured_input()
    yield "box", box()


def teleport():
    q, a, b, c = QuantumRegister(3, "q"), ClassicalRegister(1, "a"), ClassicalRegister(1, "b"), ClassicalRegister(1, "c")
    circuit = QuantumCircuit(q, a, b, c)
    circuit.u(0.3, 0.2, 0.1, 0)
    circuit.h(1)
    circuit.cx(1, 2)
    circuit.cx(0, 1)
    circuit.h(0)
    circuit.measure(0, a)
    circuit.measure(1, b)
    with circuit.if_test((b, 1)):
        circuit.x(2)
    with circuit.if_test((a, 1)):
        circuit.z(2)
    circuit.measure(2, c)
    return circuit


def repeat_until_success():
    q, flags, out = QuantumRegister(3, "q"), ClassicalRegister(2, "flags"), ClassicalRegister(1, "out")
    circuit = QuantumCircuit(q, flags, out)
    circuit.h(2)

    def segment():
        circuit.h([0, 1])
        circuit.ccx(0, 1, 2)
        circuit.s(2)
        circuit.ccx(0, 1, 2)
        circuit.h([0, 1])
        circuit.measure([0, 1], flags)

    segment()
    with circuit.while_loop(expr.not_equal(flags, 0)):
        circuit.z(2)
        circuit.reset([0, 1])
        segment()
    circuit.h(2)
    circuit.measure(2, out)
    return circuit


def iterative_phase_estimation():
    circuit = QuantumCircuit(2, 3)
    circuit.x(1)
    for k in range(3):
        circuit.reset(0)
        circuit.h(0)
        circuit.cp(2 * math.pi * 0.3 * 2 ** (2 - k), 0, 1)
        for value in range(2**k):
            with circuit.if_test((circuit.cregs[0], value)):
                circuit.p(-math.pi * value / 2**k, 0)
        circuit.h(0)
        circuit.measure(0, k)
    return circuit


def switch(has_default=True):
    c, d = ClassicalRegister(2, "c"), ClassicalRegister(1, "d")
    circuit = QuantumCircuit(QuantumRegister(3, "q"), c, d)
    circuit.ry(0.8, 0)
    circuit.ry(1.7, 1)
    circuit.measure([0, 1], c)
    with circuit.switch(c) as case:
        with case(0):
            circuit.rx(0.4, 2)
        with case(1, 2):
            circuit.rx(1.4, 2)
        if has_default:
            with case(case.DEFAULT):
                circuit.x(2)
    with circuit.switch(c[1]) as case:
        with case(False):
            circuit.h(2)
        with case(True):
            circuit.ry(0.3, 2)
    circuit.measure(2, d)
    return circuit


def for_loop(values):
    circuit = QuantumCircuit(2, 2)
    circuit.h(0)
    with circuit.for_loop(values):
        circuit.rx(0.3, 1)
        circuit.cx(0, 1)
        circuit.measure(0, 0)
        with circuit.if_test((circuit.clbits[0], 1)):
            circuit.h(0)
    circuit.measure([0, 1], [0, 1])
    return circuit


def for_with_parameter():
    circuit = QuantumCircuit(1, 1)
    k = Parameter("k")
    with circuit.for_loop(range(5), loop_parameter=k):
        circuit.rx(k * 0.2 + 0.1, 0)
    circuit.measure(0, 0)
    return circuit


def while_register():
    circuit = QuantumCircuit(2, 2)
    circuit.h([0, 1])
    circuit.measure([0, 1], [0, 1])
    with circuit.while_loop((circuit.cregs[0], 0)):
        circuit.h([0, 1])
        circuit.measure([0, 1], [0, 1])
    return circuit


def break_and_continue():
    circuit = QuantumCircuit(2, 3)
    with circuit.for_loop(range(4)):
        circuit.ry(0.9, 0)
        circuit.measure(0, 0)
        with circuit.if_test((0, 1)):
            circuit.x(1)
            circuit.break_loop()
        circuit.ry(0.5, 1)
        circuit.measure(1, 1)
        with circuit.if_test((1, 0)):
            circuit.continue_loop()
        circuit.h(1)
    circuit.measure(1, 2)
    return circuit


def nested():
    circuit = QuantumCircuit(3, 3)
    circuit.h([0, 1, 2])
    circuit.measure([0, 1], [0, 1])
    with circuit.if_test((0, 1)) as otherwise:
        with circuit.if_test((1, 1)):
            circuit.rx(0.4, 2)
        with circuit.while_loop((1, 0)):
            circuit.h(1)
            circuit.measure(1, 1)
    with otherwise:
        with circuit.switch(circuit.clbits[1]) as case:
            with case(0):
                circuit.ry(0.7, 2)
            with case(case.DEFAULT):
                with circuit.for_loop(range(3)):
                    circuit.rz(0.2, 2)
                    circuit.h(2)
    circuit.measure(2, 2)
    return circuit


def register_expressions():
    a, b, c = ClassicalRegister(2, "a"), ClassicalRegister(2, "b"), ClassicalRegister(1, "c")
    circuit = QuantumCircuit(QuantumRegister(5, "q"), a, b, c)
    for qubit in range(4):
        circuit.ry(0.5 + 0.4 * qubit, qubit)
    circuit.measure([0, 1], a)
    circuit.measure([2, 3], b)
    conditions = [
        expr.less(a, b),
        expr.equal(expr.bit_and(a, b), 1),
        expr.logic_or(a[0], expr.logic_not(b[1])),
        expr.greater_equal(expr.bit_or(a, b), 3),
        expr.not_equal(expr.bit_xor(a, b), 0),
        expr.equal(expr.bit_not(a), 2),
    ]
    for i, condition in enumerate(conditions):
        with circuit.if_test(condition):
            circuit.ry(0.3 + 0.1 * i, 4)
    circuit.measure(4, c)
    return circuit


def stored_variables():
    circuit = QuantumCircuit(3, 3)
    flag = circuit.add_var("flag", expr.lift(False))
    total = circuit.add_var("total", expr.lift(0, types.Uint(8)))
    circuit.h([0, 1])
    circuit.measure([0, 1], [0, 1])
    circuit.store(flag, expr.bit_xor(circuit.clbits[0], circuit.clbits[1]))
    circuit.store(total, expr.bit_or(expr.cast(circuit.cregs[0], types.Uint(8)), 4))
    with circuit.if_test(flag):
        circuit.x(2)
    with circuit.if_test(expr.equal(total, 7)):
        circuit.ry(0.7, 2)
    circuit.measure(2, 2)
    return circuit


def counter():
    circuit = QuantumCircuit(2, 2)
    rounds = circuit.add_var("rounds", expr.lift(0, types.Uint(4)))
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.while_loop(expr.logic_and(circuit.clbits[0], expr.less(rounds, 5))):
        circuit.store(rounds, expr.add(rounds, expr.lift(1, types.Uint(4))))
        circuit.h(0)
        circuit.measure(0, 0)
    with circuit.if_test(expr.greater(rounds, 1)):
        circuit.x(1)
    circuit.measure(1, 1)
    return circuit


def bit_store():
    circuit = QuantumCircuit(2, 3)
    circuit.h(0)
    circuit.measure(0, 0)
    circuit.store(circuit.clbits[1], expr.logic_not(circuit.clbits[0]))
    with circuit.if_test((1, 1)):
        circuit.ry(1.1, 1)
    circuit.measure(1, 2)
    return circuit


def unsigned_arithmetic():
    a, b = ClassicalRegister(3, "a"), ClassicalRegister(1, "b")
    circuit = QuantumCircuit(QuantumRegister(4, "q"), a, b)
    circuit.h([0, 1, 2])
    circuit.measure([0, 1, 2], a)
    x = circuit.add_var("x", expr.cast(a, types.Uint(8)))
    circuit.store(x, expr.mul(x, 3))
    circuit.store(x, expr.sub(x, 2))
    circuit.store(x, expr.div(x, expr.lift(2, types.Uint(8))))
    with circuit.if_test(expr.less(x, 5)):
        circuit.ry(0.8, 3)
    with circuit.if_test(expr.greater(x, 100)):
        circuit.ry(0.4, 3)
    circuit.measure(3, b)
    return circuit


def index_and_shift():
    a, b = ClassicalRegister(3, "a"), ClassicalRegister(1, "b")
    circuit = QuantumCircuit(QuantumRegister(4, "q"), a, b)
    circuit.h([0, 1, 2])
    circuit.measure([0, 1, 2], a)
    with circuit.if_test(expr.index(a, 1)):
        circuit.ry(0.9, 3)
    with circuit.if_test(expr.equal(expr.shift_right(a, 1), 3)):
        circuit.ry(0.5, 3)
    with circuit.if_test(expr.equal(expr.shift_left(a, 2), 4)):
        circuit.ry(0.3, 3)
    circuit.measure(3, b)
    return circuit


def reset_by_measurement():
    circuit = QuantumCircuit(2, 2)
    for _ in range(3):
        circuit.ry(1.1, 0)
        circuit.cx(0, 1)
        circuit.measure(0, 0)
        with circuit.if_test((0, 1)):
            circuit.x(0)
    circuit.measure([0, 1], [0, 1])
    return circuit


def loose_bits():
    from qiskit.circuit import Clbit, Qubit

    circuit = QuantumCircuit([Qubit(), Qubit()], [Clbit(), Clbit()])
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.if_test((circuit.clbits[0], 1)):
        circuit.ry(0.6, 1)
    circuit.measure(1, 1)
    return circuit


def wide_register():
    c, d = ClassicalRegister(40, "c"), ClassicalRegister(1, "d")
    circuit = QuantumCircuit(QuantumRegister(3, "q"), c, d)
    circuit.h([0, 1])
    circuit.measure(0, c[0])
    circuit.measure(1, c[39])
    with circuit.if_test((c, 2**39 + 1)):
        circuit.x(2)
    circuit.measure(2, d)
    return circuit


def captured_input():
    circuit = QuantumCircuit(1, 1)
    theta = Parameter("theta[0]")
    circuit.rx(theta, 0)
    circuit.measure(0, 0)
    with circuit.if_test((0, 1)):
        circuit.ry(2 * theta, 0)
    circuit.measure(0, 0)
    return circuit


def box():
    circuit = spread(3, 1)
    with circuit.box(duration=100, unit="ns"):
        circuit.cx(0, 1)
        circuit.delay(20, 2, unit="ns")
    stretch = circuit.add_stretch("a")
    circuit.delay(stretch, 0)
    circuit.delay(expr.mul(2, stretch), 1)
    circuit.measure(2, 0)
    return circuit


class DynamicCircuit:
    """A random circuit with control flow of every kind, which ends with certainty."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.qubits, self.bits = self.chance.randint(2, 4), self.chance.randint(2, 4)
        split = self.chance.randint(1, self.bits - 1)
        self.registers = [ClassicalRegister(split, "c"), ClassicalRegister(self.bits - split, "d")]
        self.circuit = QuantumCircuit(QuantumRegister(self.qubits, "q"), *self.registers)
        self.variables = []
        if self.chance.random() < 0.6:
            self.variables.append(self.circuit.add_var("v", expr.lift(self.chance.randrange(8), types.Uint(3))))
        if self.chance.random() < 0.6:
            self.variables.append(self.circuit.add_var("b", expr.lift(False)))
        for qubit in range(self.qubits):
            self.circuit.ry(self.chance.uniform(0, 3), qubit)
        self.block(self.chance.randint(4, 9), 0)
        self.circuit.measure(range(min(self.qubits, self.bits)), range(min(self.qubits, self.bits)))

    def number(self, register):
        return expr.lift(self.chance.randrange(2 ** register.size), types.Uint(register.size))

    def truth(self, depth=0):
        """A condition on bits, registers and variables."""
        kind = self.chance.randrange(7 if depth < 2 else 3)
        register = self.chance.choice(self.registers)
        if kind == 0:
            return expr.lift(self.chance.choice(self.circuit.clbits))
        if kind == 1:
            compare = self.chance.choice([expr.less, expr.equal, expr.not_equal, expr.greater_equal])
            return compare(register, self.number(register))
        if kind == 2 and self.variables:
            variable = self.chance.choice(self.variables)
            return variable if variable.type.kind is types.Bool else expr.less(variable, self.chance.randrange(1, 8))
        if kind == 3:
            return expr.logic_not(self.truth(depth + 1))
        if kind == 4:
            return expr.equal(expr.bit_xor(register, self.number(register)), self.number(register))
        combine = self.chance.choice([expr.logic_and, expr.logic_or])
        return combine(self.truth(depth + 1), self.truth(depth + 1))

    def condition(self):
        if self.chance.random() < 0.4:
            register = self.chance.choice(self.registers)
            whole = (register, self.chance.randrange(2 ** register.size))
            return self.chance.choice([whole, (self.chance.choice(self.circuit.clbits), self.chance.randrange(2))])
        return self.truth()

    def store(self):
        if not self.variables or self.chance.random() < 0.3:
            self.circuit.store(self.chance.choice(self.circuit.clbits), self.truth())
            return
        variable = self.chance.choice(self.variables)
        if variable.type.kind is types.Bool:
            self.circuit.store(variable, self.truth())
            return
        # Aer knows no sums.
        combine = self.chance.choice([expr.bit_xor, expr.bit_and, expr.bit_or])
        register = self.chance.choice(self.registers)
        value = expr.cast(register, types.Uint(3))
        self.circuit.store(variable, combine(variable, value))

    def block(self, steps, depth):
        circuit, chance = self.circuit, self.chance
        for _ in range(steps):
            kind = chance.randrange(11 if depth < 2 else 6)
            q = chance.randrange(self.qubits)
            if kind == 0:
                circuit.rx(chance.uniform(0, 3), q)
            elif kind == 1:
                circuit.cx(q, (q + 1) % self.qubits)
            elif kind in (2, 3):
                circuit.measure(q, chance.randrange(self.bits))
            elif kind == 4:
                circuit.reset(q)
            elif kind == 5:
                self.store()
            elif kind in (6, 7):
                with circuit.if_test(self.condition()) as otherwise:
                    self.block(chance.randint(1, 3), depth + 1)
                if chance.random() < 0.5:
                    with otherwise:
                        self.block(chance.randint(1, 2), depth + 1)
            elif kind == 8:
                register = chance.choice(self.registers)
                with circuit.switch(register) as case:
                    values = chance.sample(range(2**register.size), chance.randint(1, 2**register.size))
                    for value in values:
                        with case(value):
                            self.block(1, depth + 1)
                    if chance.random() < 0.5:
                        with case(case.DEFAULT):
                            self.block(1, depth + 1)
            elif kind == 9:
                with circuit.for_loop(range(chance.randint(1, 3))):
                    self.block(chance.randint(1, 2), depth + 1)
                    if chance.random() < 0.4:
                        with circuit.if_test(self.condition()):
                            chance.choice([circuit.break_loop, circuit.continue_loop])()
            else:
                bit = chance.randrange(self.bits)
                with circuit.while_loop((circuit.clbits[bit], 1)):
                    self.block(1, 2)
                    circuit.h(q)
                    circuit.measure(q, bit)


def random_dynamic_programs(number):
    for seed in range(number):
        yield from exports(f"random dynamic {seed}", DynamicCircuit(seed).circuit)
