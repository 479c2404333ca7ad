"""Qiskit Aer's matrix product states as a peer of bench/matrix-products.ts; started by it, not in CI.

Reads a line of JSON per request from standard input and answers with one:

    {"qubits": 3, "gates": [["cx", [0, 1]], ["rzz", [1, 2], 0.4], ...], "bond": 256, "threshold": 1e-12}
        prepares a circuit -> {}
    {"counts": 1000, "seed": 1} -> {"counts": {"010": 125, ...}, "ms": ..., "own_ms": ...}: all qubits measured, qubit 0
        rightmost; milliseconds of the whole call, and of it the simulator's own
    {"expectations": [[["ZZ", [0, 1]], ...], ...]} -> {"expectations": [...]}: sums of Pauli strings; the letter of qubit
        i of a list is number i from the right

The first line that it prints names its version.
"""

import json
import sys
import time
from importlib.metadata import version

from qiskit import QuantumCircuit
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator


def circuit_of(num_qubits, gates):
    circuit = QuantumCircuit(num_qubits)
    for name, qubits, *angles in gates:
        getattr(circuit, name)(*angles, *qubits)
    return circuit


def answer(request, state):
    if "gates" in request:
        state["circuit"] = circuit_of(request["qubits"], request["gates"])
        state["measured"] = state["circuit"].copy()
        state["measured"].measure_all()
        state["simulator"] = AerSimulator(
            method="matrix_product_state",
            matrix_product_state_max_bond_dimension=request["bond"],
            matrix_product_state_truncation_threshold=request["threshold"],
        )
        return {}
    simulator = state["simulator"]
    if "counts" in request:
        start = time.perf_counter()
        result = simulator.run(state["measured"], shots=request["counts"], seed_simulator=request["seed"]).result()
        counts = result.get_counts()
        ms = 1000 * (time.perf_counter() - start)
        return {"counts": counts, "ms": ms, "own_ms": 1000 * result.results[0].time_taken}
    circuit = state["circuit"].copy()
    for number, terms in enumerate(request["expectations"]):
        operator = SparsePauliOp.from_sparse_list(
            [(letters, qubits, 1.0) for letters, qubits in terms], circuit.num_qubits
        )
        circuit.save_expectation_value(operator, circuit.qubits, label=str(number))
    data = simulator.run(circuit).result().data()
    return {"expectations": [float(data[str(number)]) for number in range(len(request["expectations"]))]}


def main():
    print(json.dumps({"name": f"qiskit-aer {version('qiskit-aer')}"}), flush=True)
    state = {}
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), state)), flush=True)


main()
