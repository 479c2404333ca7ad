"""Oracles and clients in Python, for the fuzzer: each line of JSON on standard input is answered by one."""

import json
import math
import os
import re
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


def stim_text(request):
    """What is wrong with an answer to a text in Stim's format, by what Stim has of it; null if nothing is."""
    import numpy
    import stim

    text, why, found = request["text"], request["why"], request["found"]
    try:
        circuit = stim.Circuit(text)
    except (ValueError, IndexError, OverflowError) as error:
        return found and f"Stim refuses it: {error}"
    rounds = math.prod(int(count) for count in re.findall(r"(?i)repeat\S*\s+(\d+)", text))
    is_short = rounds * len(text) < 1e6 and circuit.num_qubits < 1000
    try:
        model = circuit.detector_error_model(approximate_disjoint_errors=True, flatten_loops=True) if is_short else None
        is_fixed = model is not None
    except ValueError:
        is_fixed = False
    if found is None:
        is_allowed = request["code"].endswith("LIMIT_EXCEEDED") or any(words in why for words in NOT_OF_STIM)
        if "differs between runs" in why and not is_fixed:
            return None
        return None if is_allowed else f"Stim takes it: {why}"
    # A text without measurements has all qubits measured; the qubits of bits in loops are not listed.
    if 0 != circuit.num_measurements != found["bits"] != 0:
        return f"{circuit.num_measurements} measurements"
    value, output = found["value"], found["output"]
    if output == "detection_events":
        sizes = [value["num_detectors"], value["num_logical_observables"]]
        if sizes != [circuit.num_detectors, circuit.num_observables]:
            return f"{circuit.num_detectors} detectors and {circuit.num_observables} observables"
    elif output == "reference_sample" and is_fixed and circuit.num_measurements > 0:
        bits = numpy.array([[bit == "1" for bit in value["data"].strip()]])
        events = circuit.without_noise().compile_m2d_converter().convert(measurements=bits, append_observables=True)
        if events.any():
            return f"events in the reference sample {value['data']}"
    elif output == "detector_error_model":
        ours = stim.DetectorErrorModel(value)
        if (ours.num_detectors, ours.num_observables) != (circuit.num_detectors, circuit.num_observables):
            return f"{circuit.num_detectors} detectors and {circuit.num_observables} observables"
        if is_fixed and not same_errors(ours, model):
            return f"the model {model}"
    return None


#: Words of refusals of texts that Stim takes.
NOT_OF_STIM = (
    "acts on no qubit",
    "has no DETECTOR and no OBSERVABLE",
    "rounds of a REPEAT block are not alike",
    "kept as loops",
    "has Pauli operators",
    "comes right after",
    "CX changes qubits",
    "takes the number of an observable",
    # In Stim a missing argument is 0.
    "in parentheses, and has 0",
    "Expected a number in the parentheses",
    # Stim refuses them when it runs the circuit.
    "before the first measurement",
    "The last measurement is",
)


def same_errors(ours, theirs):
    """Whether two models have errors of the same probabilities, and detectors at the same coordinates."""

    def errors(model):
        found = {}
        for line in model.flattened():
            if line.type == "error":
                flips = frozenset(str(target) for target in line.targets_copy() if not target.is_separator())
                p, q = line.args_copy()[0], found.get(flips, 0)
                found[flips] = p + q - 2 * p * q
        return {flips: p for flips, p in found.items() if p > 1e-12 and flips}

    mine, right = errors(ours), errors(theirs)
    is_same = mine.keys() == right.keys() and all(math.isclose(mine[flips], right[flips], abs_tol=1e-9) for flips in mine)
    return is_same and ours.get_detector_coordinates() == theirs.get_detector_coordinates()


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
    "stim_text": stim_text,
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
