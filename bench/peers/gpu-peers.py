"""Other simulators on the common circuits, on the GPU of this host or on its CPU; run by hand or by
gpu-session.ts, not in CI.

    python bench/peers/gpu-peers.py --qubits 27,30 [--device cpu] [--node NODE] [--limit SECONDS]

Runs whichever of these can be imported and support the device: Qiskit Aer (on a GPU its cuStateVec
path too, where built with it), qsimcirq (CUDA and cuStateVec builds), PennyLane Lightning-GPU,
Microsoft's qdk (at most 27 qubits). Those that cannot are named with the reason; where none is left,
it says so and ends with 3.

Every peer first gives the state of each circuit at 12 qubits, which is held to the reference engine's
up to a global phase (qdk, which gives outcomes only: GHZ's two). Then all take turns, A B A B, in
single precision; medians of the wall times of one run, which reads back one number. A peer's own
report of its evolution is given beside where there is one. Results: gpu-peers.json in the folder
QCS_BENCH_RESULTS, or bench/results.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAMILIES = ["ghz", "qft", "qaoa", "adder", "rqc"]
VERIFIED_QUBITS = 12
TOLERANCE = 1e-4
REPEATS = 5


class Unavailable(Exception):
    """Why a peer does not run here."""


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


class Aer:
    """Qiskit Aer's state vector simulator."""

    def __init__(self, device, custatevec=False):
        from qiskit import QuantumCircuit, transpile
        from qiskit_aer import AerSimulator

        self.name = "qiskit-aer cuStateVec" if custatevec else "qiskit-aer"
        self.version = next(
            (v for p in ("qiskit-aer-gpu", "qiskit-aer-gpu-cu11", "qiskit-aer") if (v := version_of(p)) != "unknown"),
            "unknown",
        )
        self.max_qubits = 32
        self.circuit_class, self.transpile = QuantumCircuit, transpile
        options = {"method": "statevector", "precision": "single"}
        if device == "gpu":
            if "GPU" not in AerSimulator().available_devices():
                raise Unavailable("this build of Qiskit Aer has no GPU, or finds none")
            options["device"] = "GPU"
            if custatevec:
                options["cuStateVec_enable"] = True
        elif custatevec:
            raise Unavailable("cuStateVec is for GPUs")
        self.simulator = AerSimulator(**options)

    def _gates(self, spec):
        circuit = self.circuit_class(spec["numQubits"])
        for name, targets, controls, angles in spec["gates"]:
            getattr(circuit, name.lower())(*angles, *controls, *targets)
        return circuit

    def build(self, spec):
        from qiskit_aer.library import SaveAmplitudes

        circuit = self._gates(spec)
        circuit.append(SaveAmplitudes(spec["numQubits"], [0]), range(spec["numQubits"]))
        return self.transpile(circuit, self.simulator, optimization_level=0)

    def run(self, circuit):
        result = self.simulator.run(circuit, shots=1).result()
        if not result.success:
            raise RuntimeError(result.status)
        return result.results[0].time_taken

    def state(self, spec):
        circuit = self._gates(spec)
        circuit.save_statevector()
        built = self.transpile(circuit, self.simulator, optimization_level=0)
        return self.simulator.run(built, shots=1).result().get_statevector().data


class Qsim:
    """qsim through qsimcirq."""

    def __init__(self, device, gpu_mode=0):
        import cirq
        import qsimcirq

        self.name = "qsimcirq" if device == "cpu" else f"qsimcirq {'cuStateVec' if gpu_mode else 'CUDA'}"
        self.version = version_of("qsimcirq")
        self.max_qubits = 32
        self.cirq = cirq
        if device == "gpu":
            built = qsimcirq.qsim_custatevec if gpu_mode else qsimcirq.qsim_gpu
            if built is None:
                raise Unavailable(f"this build of qsimcirq has no {self.name.split()[1]}")
            options = qsimcirq.QSimOptions(use_gpu=True, gpu_mode=gpu_mode, max_fused_gate_size=4)
        else:
            options = qsimcirq.QSimOptions(cpu_threads=os.cpu_count(), max_fused_gate_size=3)
        self.simulator = qsimcirq.QSimSimulator(options)

    def build(self, spec):
        cirq = self.cirq
        # Qubit 0 is the most significant bit there.
        qubits = cirq.LineQubit.range(spec["numQubits"])[::-1]
        plain = {
            "H": cirq.H, "X": cirq.X, "T": cirq.T, "TDG": cirq.T**-1, "CX": cirq.CX, "CZ": cirq.CZ,
        }
        turned = {
            "SX": lambda: cirq.X**0.5,
            "RX": cirq.rx,
            "RY": cirq.ry,
            "CP": lambda angle: cirq.CZPowGate(exponent=angle / 3.141592653589793),
            "RZZ": lambda angle: cirq.ZZPowGate(exponent=angle / 3.141592653589793, global_shift=-0.5),
            "U": lambda theta, phi, lam: cirq.MatrixGate(_u3(theta, phi, lam)),
        }
        operations = []
        for name, targets, controls, angles in spec["gates"]:
            gate = plain[name] if name in plain else turned[name](*angles)
            operations.append(gate(*(qubits[q] for q in [*controls, *targets])))
        return cirq.Circuit(operations), qubits[::-1]

    def run(self, built):
        circuit, order = built
        self.simulator.compute_amplitudes(circuit, bitstrings=[0], qubit_order=order)
        return None

    def state(self, spec):
        circuit, order = self.build(spec)
        return self.simulator.simulate(circuit, qubit_order=order).final_state_vector


def _u3(theta, phi, lam):
    import numpy as np

    c, s = np.cos(theta / 2), np.sin(theta / 2)
    return np.array([[c, -np.exp(1j * lam) * s], [np.exp(1j * phi) * s, np.exp(1j * (phi + lam)) * c]])


class Lightning:
    """PennyLane's Lightning, the GPU's or the CPU's."""

    def __init__(self, device):
        import numpy as np
        import pennylane as qml

        self.name = "lightning.gpu" if device == "gpu" else "lightning.qubit"
        self.version = version_of("pennylane-lightning-gpu" if device == "gpu" else "pennylane-lightning")
        self.max_qubits = 32
        self.qml, self.dtype = qml, np.complex64
        try:
            qml.device(self.name, wires=1, c_dtype=self.dtype)
        except Exception as error:
            raise Unavailable(str(error)) from error

    def _tape(self, spec, measurement):
        qml = self.qml
        # Wire 0 is the most significant bit there.
        last = spec["numQubits"] - 1
        make = {
            "H": qml.Hadamard, "X": qml.PauliX, "T": qml.T, "TDG": lambda wires: qml.adjoint(qml.T(wires)),
            "CX": qml.CNOT, "CZ": qml.CZ, "SX": qml.SX, "RX": qml.RX, "RY": qml.RY, "U": qml.U3,
            "CP": qml.ControlledPhaseShift, "RZZ": qml.IsingZZ,
        }
        operations = [
            make[name](*angles, wires=[last - q for q in [*controls, *targets]])
            for name, targets, controls, angles in spec["gates"]
        ]
        device = self.qml.device(self.name, wires=spec["numQubits"], c_dtype=self.dtype)
        return self.qml.tape.QuantumScript(operations, [measurement]), device

    def build(self, spec):
        return self._tape(spec, self.qml.expval(self.qml.PauliZ(0)))

    def run(self, built):
        tape, device = built
        self.qml.execute([tape], device, diff_method=None)
        return None

    def state(self, spec):
        tape, device = self._tape(spec, self.qml.state())
        return self.qml.execute([tape], device, diff_method=None)[0]


class Qdk:
    """Microsoft's simulators of full states, which give outcomes and no amplitudes."""

    def __init__(self, device):
        from qdk import TargetProfile, init, openqasm
        from qdk.simulation import run_qir

        self.name, self.version, self.max_qubits = f"qdk {device}", version_of("qdk"), 27
        self.device, self.openqasm, self.run_qir = device, openqasm, run_qir
        init(target_profile=TargetProfile.Base)
        if device == "gpu":
            try:
                from qdk._native import try_create_gpu_adapter
            except ImportError:
                from qsharp._native import try_create_gpu_adapter
            try:
                self.name += f" ({try_create_gpu_adapter()})"
            except OSError as error:
                raise Unavailable(str(error)) from error

    def build(self, spec):
        return self.openqasm.compile(spec["openqasm3"])

    def run(self, qir):
        self.outcomes(qir, 1)
        return None

    def outcomes(self, qir, shots):
        return self.run_qir(qir, shots=shots, seed=1, type=self.device)

    def state(self, spec):
        return None


CANDIDATES = {
    "gpu": [
        ("qiskit-aer", lambda: Aer("gpu")),
        ("qiskit-aer cuStateVec", lambda: Aer("gpu", custatevec=True)),
        ("qsimcirq CUDA", lambda: Qsim("gpu", 0)),
        ("qsimcirq cuStateVec", lambda: Qsim("gpu", 1)),
        ("lightning.gpu", lambda: Lightning("gpu")),
        ("qdk", lambda: Qdk("gpu")),
    ],
    "cpu": [
        ("qiskit-aer", lambda: Aer("cpu")),
        ("qsimcirq", lambda: Qsim("cpu")),
        ("lightning.qubit", lambda: Lightning("cpu")),
        ("qdk", lambda: Qdk("cpu")),
    ],
}


def spec_of(node, family, qubits, *flags):
    script = HERE / "circuit-gates.ts"
    out = subprocess.run([node, str(script), family, str(qubits), *flags], check=True, capture_output=True)
    return json.loads(out.stdout)


def verify(peer, specs):
    """Raises where a peer's circuit is not the one that is timed."""
    import numpy as np

    for family, spec in specs.items():
        found = peer.state(spec)
        if found is None:
            if family != "ghz":
                continue
            outcomes = {str(outcome).count("One") for outcome in peer.outcomes(peer.build(spec), 100)}
            if outcomes != {0, spec["numQubits"]}:
                raise RuntimeError(f"{family}: {outcomes} qubits came out 1")
            continue
        parts = np.array(spec["amplitudes"])
        expected = parts[0::2] + 1j * parts[1::2]
        overlap = np.vdot(np.asarray(found), expected)
        error = np.max(np.abs(np.asarray(found) * overlap / abs(overlap) - expected))
        if not error < TOLERANCE:
            raise RuntimeError(f"{family}: an amplitude is off by {error}")


def store(results):
    folder = Path(os.environ.get("QCS_BENCH_RESULTS", "bench/results"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gpu-peers.json").write_text(json.dumps(results, indent=2) + "\n")


def device_name(device):
    if device == "cpu":
        return f"{os.cpu_count()} cores"
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def open_peers(device, specs, left_out):
    peers = []
    for name, make in CANDIDATES[device]:
        try:
            peer = make()
            verify(peer, specs)
            peers.append(peer)
            print(f"  {peer.name} {peer.version}: its circuits are right", flush=True)
        # A peer may fail in any way that its driver finds.
        except Exception as error:  # noqa: BLE001
            reason = f"{type(error).__name__}: {str(error).strip()[:300]}"
            left_out.append({"peer": name, "reason": reason})
            print(f"  {name}: left out, {reason}", flush=True)
    return peers


def measure(peers, family, qubits, spec, ends_at):
    """Wall and own milliseconds by peer, taken in turns; those that fail are left out from then on."""
    built, wall, own, failed = {}, {}, {}, {}
    for repeat in range(REPEATS + 1):
        for peer in peers:
            if peer.name in failed or qubits > peer.max_qubits or time.monotonic() > ends_at:
                continue
            try:
                if peer.name not in built:
                    built[peer.name] = peer.build(spec)
                started = time.perf_counter()
                reported = peer.run(built[peer.name])
                seconds = time.perf_counter() - started
            except Exception as error:  # noqa: BLE001
                failed[peer.name] = f"{type(error).__name__}: {str(error).strip()[:300]}"
                continue
            # The first warms up.
            if repeat > 0:
                wall.setdefault(peer.name, []).append(1000 * seconds)
                if reported is not None:
                    own.setdefault(peer.name, []).append(1000 * reported)
    rows = []
    for peer in peers:
        row = {"peer": peer.name, "version": peer.version, "circuit": family, "numQubits": qubits}
        if peer.name in failed:
            rows.append({**row, "failed": failed[peer.name]})
        elif peer.name in wall:
            times = wall[peer.name]
            row |= {"wallMs": statistics.median(times), "spreadMs": [min(times), max(times)], "runs": len(times)}
            if peer.name in own:
                row["reportedMs"] = statistics.median(own[peer.name])
            rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--qubits", default="20")
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--node", default="node")
    parser.add_argument("--limit", type=float, default=1e9)
    options = parser.parse_args()
    ends_at = time.monotonic() + options.limit

    specs = {f: spec_of(options.node, f, VERIFIED_QUBITS, "--amplitudes") for f in FAMILIES}
    left_out = []
    peers = open_peers(options.device, specs, left_out)
    results = {
        "bench": "gpu-peers",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "device": device_name(options.device),
        "left_out": left_out,
        "measurements": [],
    }
    store(results)
    if not peers:
        print(f"No peer runs on the {options.device} here: nothing was measured.")
        return 3
    for qubits in map(int, options.qubits.split(",")):
        for family in FAMILIES:
            rows = measure(peers, family, qubits, spec_of(options.node, family, qubits), ends_at)
            for row in rows:
                text = row.get("failed") or f"{row['wallMs']:.1f} ms"
                print(f"  {family} {qubits} {row['peer']}: {text}", flush=True)
            results["measurements"] += rows
            store(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
