"""Qiskit Aer's density matrices as a peer of bench/density.ts; not in CI.

Reads a line of JSON per circuit from standard input and answers with one on standard output:

    {"numQubits": 10, "gates": [["u", [q], [theta, phi, lambda]], ["cx", [control, target], []]],
     "gamma": 0.001, "depolarizing": 0.01, "precision": "double"}
    -> {"ms": ..., "simulationMs": ..., "probabilities": [...]}

Amplitude damping follows every u, depolarizing noise every cx; its probability is that of any error. The first
time is that of the whole call of the simulator, the second the one that it states for itself.
"""

import json
import os
import sys
import time
from importlib.metadata import version

from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel, amplitude_damping_error, depolarizing_error


def answer(request):
    circuit = QuantumCircuit(request["numQubits"])
    for name, qubits, angles in request["gates"]:
        getattr(circuit, name)(*angles, *qubits)
    circuit.save_probabilities()
    noise = NoiseModel()
    noise.add_all_qubit_quantum_error(amplitude_damping_error(request["gamma"]), ["u"])
    # Aer's parameter is that of the mixture with the maximally mixed state.
    mixed = request["depolarizing"] * 16 / 15
    noise.add_all_qubit_quantum_error(depolarizing_error(mixed, 2), ["cx"])
    simulator = AerSimulator(
        method="density_matrix",
        noise_model=noise,
        precision=request["precision"],
        max_parallel_threads=os.cpu_count(),
    )
    started = time.perf_counter()
    result = simulator.run(circuit, shots=1).result()
    ended = time.perf_counter()
    if not result.success:
        raise RuntimeError(result.status)
    return {
        "ms": 1000 * (ended - started),
        "simulationMs": 1000 * result.results[0].time_taken,
        "probabilities": [float(p) for p in result.data()["probabilities"]],
    }


print(json.dumps({"name": f"qiskit-aer {version('qiskit-aer')}"}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
