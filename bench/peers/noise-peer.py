"""Qiskit Aer and Cirq as peers of bench/noise.ts; started by it, not in CI.

The argument names the library. Reads a line of JSON per request from standard input and answers with one:

    {"qubits": 3, "gates": [["cx", [0, 1]], ["ry", [2], 0.4], ...], "noise": MODEL}
        prepares a circuit with the noise of a model, in the form of the service's API -> {}
    {"density": true} -> {"density": [re, im, ...]}: the density matrix at the end, row by row, in double precision
    {"counts": 1000, "seed": 1} -> {"counts": {"010": 125, ...}, "ms": ...}: trajectories, all qubits measured,
        qubit 0 rightmost

The first line that it prints names its version.
"""

import json
import math
import sys
import time
from importlib.metadata import version

import numpy as np


def applied(entries, name, on):
    """Channels after a gate: of every entry that matches, each with the qubits that it acts on."""
    for entry in entries:
        names = [each.lower() for each in entry["gates"]]
        if name not in names and "*" not in names and f"*{len(on)}" not in names:
            continue
        if "qubits" in entry and list(on) not in entry["qubits"]:
            continue
        channel = entry["channel"]
        if width(channel, len(on)) == len(on):
            yield channel, list(on)
        else:
            yield from ((channel, [qubit]) for qubit in on)


def width(channel, num_operands):
    if channel["type"] == "depolarizing":
        return channel.get("num_qubits", num_operands)
    if channel["type"] == "pauli":
        return len(next(iter(channel["probabilities"])))
    if channel["type"] == "kraus":
        return int(math.log2(len(channel["matrices"][0])))
    return 1


def matrices_of(channel):
    return [np.array([[complex(*entry) for entry in row] for row in matrix]) for matrix in channel["matrices"]]


FLIPS = {"bit_flip": "X", "phase_flip": "Z", "bit_phase_flip": "Y"}


def paulis_of(channel, num_qubits):
    """Probabilities of Pauli strings, the identity among them; None for channels that are something else."""
    if channel["type"] in FLIPS:
        errors = {FLIPS[channel["type"]]: channel["probability"]}
    elif channel["type"] == "pauli":
        errors = channel["probabilities"]
    else:
        return None
    return {**errors, "I" * num_qubits: 1 - sum(errors.values())}


def aer():
    from qiskit import QuantumCircuit
    from qiskit_aer import AerSimulator
    from qiskit_aer.noise import (
        NoiseModel,
        ReadoutError,
        amplitude_damping_error,
        depolarizing_error,
        kraus_error,
        pauli_error,
        phase_damping_error,
        reset_error,
        thermal_relaxation_error,
    )

    def error_of(channel, num_qubits):
        kind = channel["type"]
        paulis = paulis_of(channel, num_qubits)
        if paulis is not None:
            return pauli_error(list(paulis.items()))
        if kind == "depolarizing":
            # Aer's parameter mixes in the identity, too.
            strings = 4**num_qubits
            return depolarizing_error(channel["probability"] * strings / (strings - 1), num_qubits)
        if kind in ("amplitude_damping", "generalized_amplitude_damping"):
            return amplitude_damping_error(channel["gamma"], channel.get("excited", 0))
        if kind == "phase_damping":
            return phase_damping_error(channel["gamma"])
        if kind == "thermal_relaxation":
            times = channel["t1_us"] * 1000, channel["t2_us"] * 1000, channel["duration_ns"]
            return thermal_relaxation_error(*times, channel.get("excited", 0))
        if kind == "reset":
            probabilities = [0, 0]
            probabilities[channel.get("value", 0)] = channel["probability"]
            return reset_error(*probabilities)
        return kraus_error(matrices_of(channel))

    def on_operands(channel, qubits, on):
        """An error on all operands of a gate; the identity where the channel does not act."""
        own = error_of(channel, len(qubits))
        if len(qubits) == len(on):
            return own
        identity = pauli_error([("I", 1)])
        whole = None
        for qubit in on:
            part = own if qubit in qubits else identity
            whole = part if whole is None else whole.expand(part)
        return whole

    def model_of(gates, noise, num_qubits):
        model = NoiseModel()
        for name, on in {(name, tuple(on)) for name, on, *_ in gates}:
            error = None
            for channel, qubits in applied(noise.get("gates", []), name, on):
                then = on_operands(channel, qubits, on)
                error = then if error is None else error.compose(then)
            if error is not None:
                model.add_quantum_error(error, name, list(on))
        for entry in noise.get("readout", []):
            p10, p01 = entry["p1_given_0"], entry["p0_given_1"]
            for qubit in entry.get("qubits", range(num_qubits)):
                model.add_readout_error(ReadoutError([[1 - p10, p10], [p01, 1 - p01]]), [qubit])
        return model

    def prepare(qubits, gates, noise):
        model = model_of(gates, noise, qubits)
        circuit = QuantumCircuit(qubits)
        for name, on, *angles in gates:
            getattr(circuit, name)(*angles, *on)
        final = circuit.copy()
        final.save_density_matrix()
        measured = circuit.copy()
        measured.measure_all()

        def run(what, method, **options):
            simulator = AerSimulator(method=method, noise_model=model)
            result = simulator.run(what, **options).result()
            if not result.success:
                raise RuntimeError(result.status)
            return result

        return (
            lambda: np.asarray(run(final, "density_matrix").data()["density_matrix"]),
            lambda shots, seed: run(measured, "statevector", shots=shots, seed_simulator=seed).get_counts(),
        )

    return "qiskit-aer", prepare


def cirq():
    import cirq

    def operations_of(channel, qubits):
        kind = channel["type"]
        paulis = paulis_of(channel, len(qubits))
        if paulis is not None:
            # Cirq writes the first operand's letter first.
            letters = {string[::-1]: probability for string, probability in paulis.items()}
            return [cirq.asymmetric_depolarize(error_probabilities=letters).on(*qubits)]
        if kind == "depolarizing":
            return [cirq.depolarize(channel["probability"], n_qubits=len(qubits)).on(*qubits)]
        if kind == "amplitude_damping":
            return [cirq.amplitude_damp(channel["gamma"]).on(*qubits)]
        if kind == "generalized_amplitude_damping":
            return [cirq.generalized_amplitude_damp(1 - channel["excited"], channel["gamma"]).on(*qubits)]
        if kind == "phase_damping":
            return [cirq.phase_damp(channel["gamma"]).on(*qubits)]
        if kind == "thermal_relaxation":
            time_us = channel["duration_ns"] / 1000
            decay, coherence = math.exp(-time_us / channel["t1_us"]), math.exp(-time_us / channel["t2_us"])
            return [
                cirq.generalized_amplitude_damp(1 - channel.get("excited", 0), 1 - decay).on(*qubits),
                cirq.phase_damp(max(0, 1 - coherence**2 / decay)).on(*qubits),
            ]
        if kind == "reset":
            flip = [cirq.X.on(*qubits)] if channel.get("value", 0) == 1 else []
            reset = cirq.ResetChannel().with_probability(channel["probability"]).on(*qubits)
            return [*flip, reset, *flip]
        # Cirq's first qubit is the most significant bit of a matrix.
        return [cirq.KrausChannel(matrices_of(channel)).on(*reversed(qubits))]

    gate_of = {
        "h": cirq.H,
        "x": cirq.X,
        "t": cirq.T,
        "cx": cirq.CNOT,
        "cz": cirq.CZ,
        "swap": cirq.SWAP,
        "ccx": cirq.CCX,
        "rx": cirq.rx,
        "ry": cirq.ry,
        "rz": cirq.rz,
    }

    def prepare(qubits, gates, noise):
        line = cirq.LineQubit.range(qubits)
        circuit = cirq.Circuit(cirq.I.on_each(*line))
        for name, on, *angles in gates:
            gate = gate_of[name](*angles) if angles else gate_of[name]
            circuit.append(gate.on(*(line[qubit] for qubit in on)))
            for channel, operands in applied(noise.get("gates", []), name, on):
                circuit.append(operations_of(channel, [line[qubit] for qubit in operands]))

        def density():
            simulator = cirq.DensityMatrixSimulator(dtype=np.complex128)
            return simulator.simulate(circuit, qubit_order=line[::-1]).final_density_matrix

        return density, None

    return "cirq-core", prepare


package, prepare = {"aer": aer, "cirq": cirq}[sys.argv[1]]()
print(json.dumps({"name": f"{package} {version(package)}"}), flush=True)
density = counts = None
for line in sys.stdin:
    request = json.loads(line)
    if "gates" in request:
        density, counts = prepare(**request)
        answer = {}
    elif "density" in request:
        answer = {"density": [part for entry in density().flat for part in (entry.real, entry.imag)]}
    else:
        started = time.perf_counter()
        found = counts(request["counts"], request["seed"])
        answer = {"ms": 1000 * (time.perf_counter() - started), "counts": found}
    print(json.dumps(answer), flush=True)
