"""Qiskit's pauli-prop as a peer of bench/pauli-propagation.ts; started by it, not in CI.

Reads a line of JSON per request from standard input and answers with one:

    {"qubits": 127, "gates": [["rx", [q], angle], ["rzz", [a, b], angle], ...], "observable": [["Z", q], ...]}
        prepares a circuit and an observable of one term -> {}
    {"max_terms": ..., "atol": ...} -> {"ms": ..., "value": ..., "bound": ..., "strings": ...}: propagation from the
        prepared circuit to the value in |0...0>; the time includes that Clifford gates are moved out of the circuit

The first line that it prints names its version.
"""

import json
import sys
import time
from importlib.metadata import version

from pauli_prop import propagate_through_circuit
from qiskit import QuantumCircuit
from qiskit.quantum_info import SparsePauliOp

print(json.dumps({"name": f"pauli-prop {version('pauli-prop')}"}), flush=True)
circuit = observable = None
for line in sys.stdin:
    request = json.loads(line)
    if "gates" in request:
        circuit = QuantumCircuit(request["qubits"])
        for name, qubits, *angles in request["gates"]:
            getattr(circuit, name)(*angles, *qubits)
        letters, qubits = zip(*request["observable"])
        observable = SparsePauliOp.from_sparse_list([("".join(letters), list(qubits), 1.0)], request["qubits"])
        print("{}", flush=True)
        continue
    started = time.perf_counter()
    strings, bound = propagate_through_circuit(observable, circuit, request["max_terms"], request["atol"], "h")
    value = float(strings.coeffs[~strings.paulis.x.any(axis=1)].real.sum())
    ms = 1000 * (time.perf_counter() - started)
    print(json.dumps({"ms": ms, "value": value, "bound": float(bound), "strings": len(strings)}), flush=True)
