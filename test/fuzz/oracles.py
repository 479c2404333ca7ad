"""Oracles and clients in Python, for the fuzzer: each line of JSON on standard input is answered by one."""

import json
import math
import os
import sys
from importlib.metadata import PackageNotFoundError, version


def versions(_):
    found = {"python": sys.version.split()[0]}
    for name in ("stim", "qiskit", "qiskit-aer", "cirq-core", "pennylane"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def stim(request):
    """The detector error model of a circuit; null where Stim would have to approximate a channel."""
    import stim

    try:
        return str(stim.Circuit(request["text"]).detector_error_model(flatten_loops=True))
    except ValueError as error:
        if "approximate" in str(error) or "disjoint" in str(error).lower():
            return None
        raise


def qiskit(request):
    """Counts and expectation values of a circuit through the plug-in, and the probabilities and values of Qiskit."""
    from qcs_client.qiskit import EstimatorV2, QcsProvider, SamplerV2
    from qiskit import QuantumCircuit
    from qiskit.quantum_info import SparsePauliOp, Statevector

    circuit = QuantumCircuit(request["qubits"])
    for op in request["ops"]:
        method = {"ISWAP": "iswap", "ID": "id"}.get(op["gate"], op["gate"].lower())
        getattr(circuit, method)(*op["angles"], *op["qubits"])
    state = Statevector(circuit)
    observable = SparsePauliOp(request["pauli"])
    backend = QcsProvider().get_backend(request["processor"])
    sampled = circuit.copy()
    sampled.measure_all()
    counts = SamplerV2(backend, seed=1).run([sampled], shots=request["shots"]).result(600)[0].data.meas.get_counts()
    [value] = EstimatorV2(backend).run([(circuit, observable)]).result(600)
    return {
        "counts": counts,
        "probabilities": state.probabilities_dict(),
        "values": [float(value.data.evs)],
        "exact": [float(state.expectation_value(observable).real)],
    }


def cirq(request):
    """The same through Cirq; its qubit 0 is the most significant, so labels are turned around."""
    import cirq as framework
    import numpy
    from qcs_client.cirq import QcsSimulator

    qubits = framework.LineQubit.range(request["qubits"])
    gates = {
        "CX": framework.CNOT, "CZ": framework.CZ, "SWAP": framework.SWAP, "CCX": framework.CCX, "CSWAP": framework.CSWAP,
        "SDG": framework.S**-1, "TDG": framework.T**-1, "SX": framework.X**0.5, "ID": framework.I, "CCZ": framework.CCZ,
        "ISWAP": framework.ISWAP, "CY": framework.ControlledGate(framework.Y), "CH": framework.ControlledGate(framework.H),
    }  # fmt: skip
    turned = {
        "RX": framework.rx, "RY": framework.ry, "RZ": framework.rz,
        "P": lambda theta: framework.ZPowGate(exponent=theta / math.pi),
        "CP": lambda theta: framework.CZPowGate(exponent=theta / math.pi),
        "CRX": lambda theta: framework.ControlledGate(framework.rx(theta)),
        "RZZ": lambda theta: framework.ZZPowGate(exponent=theta / math.pi, global_shift=-0.5),
        "RXX": lambda theta: framework.XXPowGate(exponent=theta / math.pi, global_shift=-0.5),
    }  # fmt: skip
    circuit = framework.Circuit([framework.I(q) for q in qubits])
    for op in request["ops"]:
        name = op["gate"]
        gate = gates.get(name) or (turned[name](*op["angles"]) if name in turned else getattr(framework, name))
        circuit.append(gate(*(qubits[i] for i in op["qubits"])))
    letters = {"X": framework.X, "Y": framework.Y, "Z": framework.Z, "I": framework.I}
    paulis = zip(reversed(request["pauli"]), qubits)
    observable = framework.PauliString({q: letters[letter] for letter, q in paulis if letter != "I"}) * 1.0
    simulator = QcsSimulator(request["processor"], seed=1)
    measured = circuit + framework.measure(*reversed(qubits), key="m")
    histogram = simulator.run(measured, repetitions=request["shots"]).histogram(key="m")
    state = framework.Simulator(dtype=numpy.complex128).simulate(circuit, qubit_order=list(reversed(qubits)))
    width = request["qubits"]
    own = framework.Simulator(dtype=numpy.complex128).simulate_expectation_values(circuit, observable)
    theirs = simulator.simulate_expectation_values(circuit, observable)
    return {
        "counts": {format(outcome, f"0{width}b"): count for outcome, count in histogram.items()},
        "probabilities": {format(i, f"0{width}b"): abs(a) ** 2 for i, a in enumerate(state.final_state_vector)},
        "values": [complex(value).real for value in theirs],
        "exact": [complex(value).real for value in own],
    }


def pennylane(request):
    """The same through PennyLane, with the gradient by the first angle."""
    import pennylane as qml
    from qcs_client.pennylane import QcsDevice

    names = {"H": "Hadamard", "X": "PauliX", "Y": "PauliY", "Z": "PauliZ", "CX": "CNOT", "P": "PhaseShift", "ID": "Identity",
             "CP": "ControlledPhaseShift", "CCX": "Toffoli", "RXX": "IsingXX", "RZZ": "IsingZZ", "SDG": "adjoint(S)",
             "TDG": "adjoint(T)"}  # fmt: skip
    width = request["qubits"]

    def ansatz(angles):
        left = iter(angles)
        for op in request["ops"]:
            name = names.get(op["gate"], op["gate"])
            wires = op["qubits"]
            parameters = [next(left) for _ in op["angles"]]
            if name.startswith("adjoint"):
                qml.adjoint(getattr(qml, name[8:-1]))(wires=wires)
            else:
                getattr(qml, name)(*parameters, wires=wires)

    def values(angles):
        ansatz(angles)
        letters = [(getattr(qml, "Pauli" + letter)(i)) for i, letter in enumerate(reversed(request["pauli"])) if letter != "I"]
        return qml.expval(qml.prod(*letters) if letters else qml.Identity(0))

    def probabilities(angles):
        ansatz(angles)
        return qml.probs(wires=list(reversed(range(width))))

    angles = qml.numpy.array([float(angle) for op in request["ops"] for angle in op["angles"]], requires_grad=True)
    found = []
    for device in (QcsDevice(wires=width, processor=request["processor"]), qml.device("default.qubit", wires=width)):
        node = qml.QNode(values, device)
        gradient = [float(x) for x in qml.grad(node)(angles)] if len(angles) else []
        found.append(([float(node(angles)), *gradient], qml.QNode(probabilities, device)(angles)))
    (got, _), (exact, chances) = found
    given = [float(p) for p in found[0][1]]
    labels = [format(i, f"0{width}b") for i in range(2**width)]
    return {
        "values": [*got, *given],
        "exact": [*exact, *(float(p) for p in chances)],
        "probabilities": dict(zip(labels, (float(p) for p in chances))),
    }


def aer(request):
    """Amplitudes of an OpenQASM 2 or 3 text by Qiskit Aer; null where Qiskit does not read it."""
    import qiskit.qasm2
    from qiskit import transpile
    from qiskit_aer import AerSimulator

    try:
        circuit = qiskit.qasm2.loads(request["qasm"], custom_instructions=qiskit.qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    except qiskit.qasm2.QASM2ParseError:
        return None
    circuit.save_statevector()
    simulator = AerSimulator(method="statevector")
    state = simulator.run(transpile(circuit, simulator, optimization_level=0)).result().get_statevector()
    return [[a.real, a.imag] for a in state.data.tolist()]


TASKS = {
    "versions": versions,
    "stim": stim,
    "qiskit": qiskit,
    "cirq": cirq,
    "pennylane": pennylane,
    "aer": aer,
}

for line in sys.stdin:
    request = json.loads(line)
    os.environ.update({name: request[field] for name, field in (("QCS_URL", "url"), ("QCS_API_KEY", "key")) if field in request})
    try:
        reply = {"value": TASKS[request["task"]](request)}
    except Exception as error:  # noqa: BLE001 - the fuzzer shows it
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
