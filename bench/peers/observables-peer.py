"""Qulacs, Qiskit Aer and PennyLane Lightning as peers of bench/observables.ts; started by it, not in CI.

The argument names the library. Reads a line of JSON per request from standard input and answers with one:

    {"qubits": 14, "gates": [["ry", [q], angle], ["cx", [c, t]], ...], "terms": [[1.5, [["Z", 0], ...]], ...]}
        prepares a circuit and an observable -> {}
    {"run": true} -> {"ms": ..., "value": ...}: evolution from |0...0> and the expectation value, double precision

The first line that it prints names its version.
"""

import json
import sys
import time
from importlib.metadata import version


def qulacs():
    from qulacs import GeneralQuantumOperator, QuantumCircuit, QuantumState

    def prepare(qubits, gates, terms):
        circuit = QuantumCircuit(qubits)
        for name, on, *angle in gates:
            if name == "ry":
                # Qulacs rotates the other way round.
                circuit.add_RY_gate(on[0], -angle[0])
            else:
                circuit.add_CNOT_gate(*on)
        operator = GeneralQuantumOperator(qubits)
        for coefficient, factors in terms:
            operator.add_operator(coefficient, " ".join(f"{p} {q}" for p, q in factors))
        state = QuantumState(qubits)

        def run():
            state.set_zero_state()
            circuit.update_quantum_state(state)
            return operator.get_expectation_value(state).real

        return run

    return "qulacs", prepare


def aer():
    from qiskit import QuantumCircuit
    from qiskit.quantum_info import SparsePauliOp
    from qiskit_aer import AerSimulator

    simulator = AerSimulator(method="statevector", precision="double")

    def prepare(qubits, gates, terms):
        circuit = QuantumCircuit(qubits)
        for name, on, *angle in gates:
            if name == "ry":
                circuit.ry(angle[0], on[0])
            else:
                circuit.cx(*on)
        sparse = [("".join(p for p, _ in f), [q for _, q in f], c) for c, f in terms]
        circuit.save_expectation_value(SparsePauliOp.from_sparse_list(sparse, qubits), range(qubits))

        def run():
            return simulator.run(circuit, shots=1).result().data()["expectation_value"]

        return run

    return "qiskit-aer", prepare


def lightning():
    import pennylane as qml

    paulis = {"X": qml.PauliX, "Y": qml.PauliY, "Z": qml.PauliZ}

    def prepare(qubits, gates, terms):
        device = qml.device("lightning.qubit", wires=qubits)
        words = [qml.prod(*(paulis[p](q) for p, q in f)) if f else qml.Identity(0) for _, f in terms]
        observable = qml.Hamiltonian([c for c, _ in terms], words)

        @qml.qnode(device, diff_method=None)
        def node():
            for name, on, *angle in gates:
                if name == "ry":
                    qml.RY(angle[0], wires=on[0])
                else:
                    qml.CNOT(wires=on)
            return qml.expval(observable)

        return lambda: float(node())

    return "pennylane-lightning", prepare


package, prepare = {"qulacs": qulacs, "aer": aer, "lightning": lightning}[sys.argv[1]]()
print(json.dumps({"name": f"{package} {version(package)}"}), flush=True)
run = None
for line in sys.stdin:
    request = json.loads(line)
    if "run" not in request:
        run = prepare(**request)
        print("{}", flush=True)
        continue
    started = time.perf_counter()
    value = run()
    print(json.dumps({"ms": 1000 * (time.perf_counter() - started), "value": value}), flush=True)
