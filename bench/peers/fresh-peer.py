"""Qiskit Aer as a peer of the benchmark of fresh circuits; started by bench/fresh.ts, not in CI.

Reads a line of JSON per circuit from standard input and answers with one on standard output:

    {"qasm": TEXT, "shots": 1000, "precision": "single"} -> {"ms": ..., "readMs": ..., "counts": {...}}
    {"qasm": TEXT, "state": true, "precision": "single"} -> {"state": [re, im, ...]}

The time is that of the whole call: reading the OpenQASM 2 text, running it, and counts as a dictionary. The
first line that it prints names its version.
"""

import json
import sys
import time
from importlib.metadata import version

from qiskit import qasm2
from qiskit.circuit.library import RYYGate
from qiskit_aer import AerSimulator

# With these the gates of the library are Aer's own, RYY included, which the text defines.
GATES = [
    *qasm2.LEGACY_CUSTOM_INSTRUCTIONS,
    qasm2.CustomInstruction("ryy", 1, 2, RYYGate),
]
SIMULATORS = {}


def simulator(precision):
    if precision not in SIMULATORS:
        SIMULATORS[precision] = AerSimulator(method="statevector", precision=precision)
    return SIMULATORS[precision]


def answer(request):
    started = time.perf_counter()
    circuit = qasm2.loads(request["qasm"], custom_instructions=GATES)
    read = time.perf_counter()
    if request.get("state"):
        circuit.remove_final_measurements()
        circuit.save_statevector()
    result = simulator(request["precision"]).run(circuit, shots=request.get("shots", 1)).result()
    if not result.success:
        raise RuntimeError(result.status)
    if request.get("state"):
        return {"state": [part for z in result.get_statevector().data for part in (z.real, z.imag)]}
    counts = result.get_counts()
    ended = time.perf_counter()
    return {"ms": 1000 * (ended - started), "readMs": 1000 * (read - started), "counts": counts}


print(json.dumps({"name": f"qiskit-aer {version('qiskit-aer')}"}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
