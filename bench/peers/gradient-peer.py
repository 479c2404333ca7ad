"""PennyLane's lightning.qubit as a peer of the benchmark of gradients; started by bench/gradients.ts, not in CI.

Reads a line of JSON from standard input and answers with one on standard output:

    {"name": NAME, "qubits": N, "gates": [[GATE, [QUBIT, ...], [ANGLE]], ...]} -> {}
        keeps a circuit; controls come before targets
    {"run": NAME} -> {"ms": ..., "value": ..., "gradient": [...]}

The observable is the sum of Z on all qubits, and the gradient is by all angles, by Lightning's adjoint method. The time
is the processor time of the device's call, from operations that are there already. The first line that it prints names its version.
"""

import json
import os
import sys
import time
from importlib.metadata import version

import pennylane as qml

GATES = {
    "H": qml.Hadamard,
    "CX": qml.CNOT,
    "RX": qml.RX,
    "RY": qml.RY,
    "RZ": qml.RZ,
    "RXX": qml.IsingXX,
    "RYY": qml.IsingYY,
    "RZZ": qml.IsingZZ,
    "CRX": qml.CRX,
    "CP": qml.ControlledPhaseShift,
}
ADJOINT = qml.devices.ExecutionConfig(gradient_method="adjoint")
KEPT = {}


def keep(request):
    qubits = request["qubits"]
    operations = [GATES[gate](*angles, wires=wires) for gate, wires, angles in request["gates"]]
    z = [qml.PauliZ(qubit) for qubit in range(qubits)]
    measured = [qml.expval(qml.Hamiltonian([1.0] * qubits, z))]
    numbers = list(range(sum(len(angles) for _, _, angles in request["gates"])))
    tape = qml.tape.QuantumScript(operations, measured, trainable_params=numbers)
    KEPT[request["name"]] = (qml.device("lightning.qubit", wires=qubits), tape)
    return {}


def run(name):
    device, tape = KEPT[name]
    started = time.process_time()
    value, gradient = device.execute_and_compute_derivatives(tape, ADJOINT)
    ms = 1000 * (time.process_time() - started)
    return {"ms": ms, "value": float(value), "gradient": [float(slope) for slope in gradient]}


threads = os.environ.get("OMP_NUM_THREADS", "all")
print(json.dumps({"name": f"pennylane-lightning {version('pennylane-lightning')}, {threads} threads"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(run(request["run"]) if "run" in request else keep(request)), flush=True)
