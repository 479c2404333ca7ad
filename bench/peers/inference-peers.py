"""The deployed classifier's circuit on other simulators, called as their users would; run by hand, not
in CI.

    python bench/peers/inference-peers.py [--node NODE]

Runs whichever of these can be imported, one thread each: Qiskit Aer (transpiled once, parameters bound
in each call), PennyLane's lightning.qubit (a QNode with shots; broadcast over rows), Qulacs (a
parametric circuit). Three things:

  single    one row, as many shots as an inference draws, to the estimate of <Z0>
  batch     256 rows of that
  gradient  the mean <Z0> of 100 rows by all 12 parameters, exact, as a training step needs it:
            Lightning's adjoint method through qml.grad, Qulacs' backprop

Every peer's exact values and gradients are held to ours first, and its sampled ones to six standard
errors. Then all take turns, A B A B; medians, and beside them the ratio to ours of the same round.
Results: inference-peers.json in the folder QCS_BENCH_RESULTS, or bench/results.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

# Before the libraries are loaded, which read it then.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

ANSWERS = Path(__file__).with_name("inference-answers.ts")
ROUNDS = 7
GRADIENT_ROWS = 100
TOLERANCE = 1e-9
STANDARD_ERRORS = 6
REPEATS = {"single": 20, "batch": 1, "gradient": 1}


class Model:
    """The deployed circuit: its gates, its angles as functions of parameters and inputs."""

    def __init__(self, told):
        self.num_qubits, self.gates, self.forms = told["numQubits"], told["gates"], told["angles"]
        self.theta, self.shots = np.array(told["theta"]), told["shots"]
        self.inputs, self.exact = np.array(told["inputs"]), np.array(told["exact"])
        by_row = np.array(told["gradients"]).reshape(GRADIENT_ROWS, len(self.theta))
        self.gradient = np.mean(by_row, axis=0)

    def angle(self, slot, theta, x):
        """An angle for one row of inputs, or for many at once where `x` has a row for each feature."""
        angle = self.forms[slot]["offset"]
        for term in self.forms[slot]["terms"]:
            part = term["coefficient"]
            part = part * theta[term["parameter"]] if "parameter" in term else part
            angle = angle + (part * x[term["feature"]] if "feature" in term else part)
        return angle

    def angles(self, row):
        return [self.angle(slot, self.theta, self.inputs[row]) for slot in range(len(self.forms))]

    def to_theta(self, by_angle, row):
        """Chain rule, from derivatives by angles to those by parameters."""
        gradient = np.zeros(len(self.theta))
        for form, slope in zip(self.forms, by_angle, strict=True):
            for term in form["terms"]:
                factor = self.inputs[row][term["feature"]] if "feature" in term else 1.0
                gradient[term["parameter"]] += term["coefficient"] * factor * slope
        return gradient


def estimate(counts):
    """<Z0> of counts whose labels have qubit 0 rightmost."""
    shots = sum(counts.values())
    return sum(n if label[-1] == "0" else -n for label, n in counts.items()) / shots


class Aer:
    """Qiskit Aer's state vector simulator."""

    name, package = "qiskit-aer", "qiskit-aer"
    gradient = None

    def __init__(self, model):
        from qiskit import QuantumCircuit, transpile
        from qiskit.circuit import ParameterVector
        from qiskit.quantum_info import SparsePauliOp
        from qiskit_aer import AerSimulator

        self.model = model
        self.parameters = ParameterVector("a", len(model.forms))
        circuit, slot = QuantumCircuit(model.num_qubits), 0
        for name, targets, controls, num_angles in model.gates:
            angles = self.parameters[slot : slot + num_angles]
            getattr(circuit, name.lower())(*angles, *controls, *targets)
            slot += num_angles
        self.simulator = AerSimulator(method="statevector", max_parallel_threads=1)
        sampled, exact = circuit.copy(), circuit.copy()
        sampled.measure_all()
        exact.save_expectation_value(SparsePauliOp("I" * (model.num_qubits - 1) + "Z"), range(model.num_qubits))
        self.sampled = transpile(sampled, self.simulator)
        self.exact_circuit = transpile(exact, self.simulator)

    def _bound(self, rows):
        columns = np.array([self.model.angles(row) for row in rows]).T
        return [{p: list(column) for p, column in zip(self.parameters, columns, strict=True)}]

    def exact(self, rows):
        result = self.simulator.run([self.exact_circuit], parameter_binds=self._bound(rows), shots=1).result()
        return [result.data(i)["expectation_value"] for i in range(len(rows))]

    def infer(self, rows):
        run = self.simulator.run([self.sampled], parameter_binds=self._bound(rows), shots=self.model.shots)
        counts = run.result().get_counts()
        return [estimate(c) for c in (counts if isinstance(counts, list) else [counts])]


class Lightning:
    """PennyLane's lightning.qubit."""

    name, package = "lightning.qubit", "pennylane-lightning"

    def __init__(self, model):
        import pennylane as qml
        from pennylane import numpy as qnp

        self.model, self.qml, self.qnp = model, qml, qnp
        make = {"H": qml.Hadamard, "CX": qml.CNOT, "RX": qml.RX, "RZ": qml.RZ}
        device = qml.device("lightning.qubit", wires=model.num_qubits)

        def circuit(theta, columns):
            slot = 0
            for name, targets, controls, num_angles in model.gates:
                angles = [model.angle(slot + i, theta, columns) for i in range(num_angles)]
                make[name](*angles, wires=[*controls, *targets])
                slot += num_angles
            return qml.expval(qml.PauliZ(0))

        self.exact_node = qml.QNode(circuit, device, diff_method="adjoint")
        self.sampled = qml.set_shots(qml.QNode(circuit, device, diff_method=None), model.shots)

    def _columns(self, rows):
        inputs = self.model.inputs[rows]
        return inputs[0] if len(rows) == 1 else inputs.T

    def exact(self, rows):
        return np.atleast_1d(self.exact_node(self.model.theta, self._columns(rows)))

    def infer(self, rows):
        return np.atleast_1d(self.sampled(self.model.theta, self._columns(rows)))

    def gradient(self, rows):
        theta = self.qnp.array(self.model.theta, requires_grad=True)
        columns = self.qnp.array(self._columns(rows), requires_grad=False)
        # One number to differentiate: a jacobian would go back through the circuits once for each row.
        mean = self.qml.grad(lambda theta: self.qnp.mean(self.exact_node(theta, columns)))
        return np.array(mean(theta))


class Qulacs:
    """Qulacs, whose rotations turn the other way."""

    name, package = "qulacs", "qulacs"

    def __init__(self, model):
        from qulacs import Observable, ParametricQuantumCircuit, QuantumState

        self.model, self.seed = model, 0
        self.state = QuantumState(model.num_qubits)
        self.observable = Observable(model.num_qubits)
        self.observable.add_operator(1.0, "Z 0")
        self.circuit = ParametricQuantumCircuit(model.num_qubits)
        for name, targets, controls, _ in model.gates:
            if name == "CX":
                self.circuit.add_CNOT_gate(controls[0], targets[0])
            elif name == "H":
                self.circuit.add_H_gate(targets[0])
            else:
                getattr(self.circuit, f"add_parametric_{name}_gate")(targets[0], 0.0)

    def _run(self, row):
        for slot, angle in enumerate(self.model.angles(row)):
            self.circuit.set_parameter(slot, -angle)
        self.state.set_zero_state()
        self.circuit.update_quantum_state(self.state)

    def exact(self, rows):
        values = []
        for row in rows:
            self._run(row)
            values.append(self.observable.get_expectation_value(self.state))
        return values

    def infer(self, rows):
        values = []
        for row in rows:
            self._run(row)
            self.seed += 1
            samples = np.array(self.state.sampling(self.model.shots, self.seed))
            values.append(1 - 2 * np.mean(samples & 1))
        return values

    def gradient(self, rows):
        gradients = []
        for row in rows:
            for slot, angle in enumerate(self.model.angles(row)):
                self.circuit.set_parameter(slot, -angle)
            by_angle = -np.array(self.circuit.backprop(self.observable))
            gradients.append(self.model.to_theta(by_angle, row))
        return np.mean(gradients, axis=0)


class Ours:
    """This service's engine, in a process of its own that is asked for times."""

    def __init__(self, node):
        self.process = subprocess.Popen([node, str(ANSWERS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.model = Model(json.loads(self.process.stdout.readline()))

    def time_us(self, work):
        self.process.stdin.write(f"{work}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["us"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def verify(peer, model):
    """Raises where a peer's answers are not ours; gives how far its exact ones are off."""
    rows = list(range(len(model.inputs)))
    off = float(np.max(np.abs(np.array(peer.exact(rows)) - model.exact)))
    if not off < TOLERANCE:
        raise RuntimeError(f"an expectation value is off by {off}")
    error = np.sqrt(np.maximum(1 / model.shots, 1 - model.exact**2) / model.shots)
    for some in (rows, rows[:1]):
        sampled = np.abs(np.array(peer.infer(some)) - model.exact[some]) / error[some]
        if not np.max(sampled) <= STANDARD_ERRORS:
            raise RuntimeError(f"an estimate is off by {np.max(sampled)} standard errors")
    found = {"expectation_error": off}
    if peer.gradient is not None:
        found["gradient_error"] = float(np.max(np.abs(peer.gradient(rows[:GRADIENT_ROWS]) - model.gradient)))
        if not found["gradient_error"] < TOLERANCE:
            raise RuntimeError(f"a derivative is off by {found['gradient_error']}")
    return found


def open_peers(model, left_out):
    peers = []
    for kind in (Aer, Lightning, Qulacs):
        try:
            peer = kind(model)
            peers.append((peer, verify(peer, model)))
        # A peer may fail in any way that its packages find.
        except Exception as error:  # noqa: BLE001
            left_out.append({"peer": kind.name, "reason": f"{type(error).__name__}: {str(error).strip()[:300]}"})
            print(f"  {kind.name}: left out, {left_out[-1]['reason']}", flush=True)
    return peers


def time_us(peer, work, model):
    rows = {"single": [0], "batch": list(range(len(model.inputs))), "gradient": list(range(GRADIENT_ROWS))}[work]
    call = peer.gradient if work == "gradient" else peer.infer
    started = time.perf_counter()
    for _ in range(REPEATS[work]):
        call(rows)
    return 1e6 * (time.perf_counter() - started) / REPEATS[work]


def measure(ours, peers, work):
    """Times of all in turns; the first round is not counted."""
    model, own, theirs = ours.model, [], {peer.name: [] for peer, _ in peers}
    for number in range(ROUNDS + 1):
        us = ours.time_us(work)
        if number > 0:
            own.append(us)
        for peer, _ in peers:
            if work == "gradient" and peer.gradient is None:
                continue
            us = time_us(peer, work, model)
            if number > 0:
                theirs[peer.name].append(us)
    rows = [row_of("this engine", work, own)]
    for name, times in theirs.items():
        if times:
            ratios = [us / mine for us, mine in zip(times, own, strict=True)]
            rows.append({**row_of(name, work, times), "timesOurs": statistics.median(ratios)})
    return rows


def row_of(name, work, times):
    return {"peer": name, "work": work, "us": statistics.median(times), "spreadUs": [min(times), max(times)]}


def cpu_model():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", default="node")
    options = parser.parse_args()
    ours, left_out = Ours(options.node), []
    peers = open_peers(ours.model, left_out)
    results = {
        "bench": "inference-peers",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "python": platform.python_version()},
        "threads": 1,
        "shots": ours.model.shots,
        "peers": [
            {"peer": peer.name, "version": importlib.metadata.version(peer.package), **found} for peer, found in peers
        ],
        "left_out": left_out,
        "measurements": [],
    }
    for work in REPEATS:
        for row in measure(ours, peers, work):
            ratio = f", {row['timesOurs']:.1f} times ours" if "timesOurs" in row else ""
            print(f"  {work} {row['peer']}: {row['us']:.0f} µs{ratio}", flush=True)
            results["measurements"].append(row)
    ours.close()
    folder = Path(os.environ.get("QCS_BENCH_RESULTS", "bench/results"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inference-peers.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
