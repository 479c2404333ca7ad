"""tket's exports, with qelib1.inc and with Quantinuum's hqslib1.inc."""

import numpy as np
from program import Program, State
from pytket import Circuit, OpType
from pytket.passes import AutoRebase, DecomposeBoxes
from pytket.qasm import circuit_to_qasm_str

GATES = {
    1: "X Y Z H S Sdg T Tdg SX SXdg V Vdg noop", 2: "CX CY CZ CH SWAP CSX CSXdg CV CVdg CS CSdg ECR ZZMax ISWAPMax Sycamore", 3: "CCX CSWAP BRIDGE",
}
ANGLED = {
    1: {"Rx": 1, "Ry": 1, "Rz": 1, "U1": 1, "U2": 2, "U3": 3, "TK1": 3, "PhasedX": 2, "GPI": 1, "GPI2": 1},
    2: {"CRx": 1, "CRy": 1, "CRz": 1, "CU1": 1, "CU3": 3, "XXPhase": 1, "YYPhase": 1, "ZZPhase": 1, "TK2": 3, "ISWAP": 1, "ESWAP": 1, "FSim": 2, "PhasedISWAP": 2, "AAMS": 3},
    3: {"XXPhase3": 1},
}


def corpora(_):
    yield "tket, circuit_to_qasm_str", programs, lambda _: None


def programs():
    for name, circuit in circuits():
        for header in ("qelib1", "hqslib1"):
            for rebased in (False, True):
                made = circuit.copy()
                try:
                    if rebased:
                        DecomposeBoxes().apply(made)
                        natives = {OpType.CX, OpType.Rz, OpType.H} if header == "qelib1" else {OpType.ZZPhase, OpType.PhasedX, OpType.Rz}
                        AutoRebase(natives).apply(made)
                    text = circuit_to_qasm_str(made, header=header)
                except Exception:  # noqa: BLE001: what is not written is no program
                    continue
                yield Program(f"{name} ({header}{', rebased' if rebased else ''})", text, lambda made=made: expectation(made))


def expectation(circuit):
    plain = Circuit(circuit.n_qubits)
    for command in circuit.get_commands():
        if command.op.type not in (OpType.Measure, OpType.Barrier):
            plain.add_gate(command.op, [circuit.qubits.index(q) for q in command.qubits])
    state = np.asarray(plain.get_statevector())
    # The first qubit is the highest bit there.
    return State(state.reshape([2] * circuit.n_qubits).transpose().reshape(-1))


def spread(n):
    circuit = Circuit(n, n)
    for i in range(n):
        circuit.Ry(0.13 + 0.1 * i, i).Rz(0.22 + 0.16 * i, i)
    for i in range(n - 1):
        circuit.CX(i, i + 1).Rx(0.06 + 0.03 * i, i)
    return circuit


def circuits():
    for width, names in GATES.items():
        for name in names.split():
            circuit = spread(max(width, 2))
            circuit.add_gate(getattr(OpType, name), list(range(width)))
            yield name, circuit
    for width, gates in ANGLED.items():
        for name, angles in gates.items():
            circuit = spread(max(width, 2))
            circuit.add_gate(getattr(OpType, name), [0.3 + 0.4 * i for i in range(angles)], list(range(width)))
            yield name, circuit
    for n in range(1, 5):
        circuit = spread(n + 1)
        circuit.add_gate(OpType.CnX, list(range(n + 1)))
        circuit.add_gate(OpType.CnRy, [0.3], list(range(n + 1)))
        yield f"CnX {n}", circuit
    chance = np.random.default_rng(1)
    for seed in range(20):
        circuit = spread(4)
        for _ in range(20):
            a, b = (int(q) for q in chance.permutation(4)[:2])
            x, y, z = (float(v) for v in chance.uniform(-4, 4, 3))
            [lambda: circuit.TK1(x, y, z, a), lambda: circuit.ZZPhase(x, a, b), lambda: circuit.CU3(x, y, z, a, b), lambda: circuit.CV(a, b)][chance.integers(4)]()
        circuit.measure_all()
        yield f"random {seed}", circuit
