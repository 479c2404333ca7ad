"""Stim's circuits as requests of the service, and detector error models in a form that can be compared."""

from __future__ import annotations

import base64
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import stim
from service import Service

#: Gates before a measurement in Z that make it one in this basis; after a reset, their inverses in reverse order.
BASES: dict[str, list[str]] = {"Z": [], "X": ["H"], "Y": ["SDG", "H"]}
INVERSE = {"H": "H", "S": "SDG", "SDG": "S"}
GATES = {
    "H": ["H"],
    "S": ["S"],
    "S_DAG": ["SDG"],
    "X": ["X"],
    "Y": ["Y"],
    "Z": ["Z"],
    # X becomes Y, Y becomes Z, Z becomes X.
    "C_XYZ": ["SDG", "H"],
    "C_ZYX": ["H", "S"],
}
PAULIS = ("I", "X", "Y", "Z")
#: Operations that do nothing to qubits.
IGNORED = ("TICK", "QUBIT_COORDS", "SHIFT_COORDS", "I")


def body_of(circuit: stim.Circuit, **fields: Any) -> dict[str, Any]:
    """The body of a request that runs a circuit.

    :param fields: Further fields of the body, such as ``shots``.
    """
    detectors: list[list[int]] = []
    observables: dict[int, list[int]] = {}
    readout: set[float] = set()
    operations = list(_operations(circuit.flattened(), detectors, observables, readout))
    if len(readout) > 1:
        raise ValueError("Measurements with different errors")
    error = readout.pop() if readout else 0
    body = {
        "circuit": operations,
        "target_processor": "qvm",
        "shots": 1,
        "return": ["detector_error_model"],
        "detectors": detectors,
        "logical_observables": [observables[i] for i in range(len(observables))],
        **({"noise": {"readout": [{"p1_given_0": error, "p0_given_1": error}]}} if error else {}),
        **fields,
    }
    return {name: value for name, value in body.items() if value != []}


def _operations(
    circuit: stim.Circuit, detectors: list[list[int]], observables: dict[int, list[int]], readout: set[float]
) -> Iterator[dict[str, Any]]:
    num_bits = 0
    for instruction in circuit:
        name, targets, values = instruction.name, instruction.targets_copy(), instruction.gate_args_copy()
        qubits = [target.value for target in targets]
        if name in IGNORED:
            continue
        if name == "DETECTOR":
            detectors.append([num_bits + target.value for target in targets])
        elif name == "OBSERVABLE_INCLUDE":
            observables.setdefault(int(values[0]), []).extend(num_bits + target.value for target in targets)
        elif name in GATES:
            yield from ({"gate": gate, "qubit": qubit} for qubit in qubits for gate in GATES[name])
        elif name in ("CX", "CZ"):
            for control, target in instruction.target_groups():
                if not control.is_measurement_record_target:
                    yield {"gate": name, "control": control.value, "target": target.value}
                    continue
                condition = {"bits": [num_bits + control.value], "value": 1}
                yield {"gate": name[1], "qubit": target.value, "condition": condition}
        elif name in ("M", "MX", "MY", "MR", "MRX", "MRY", "R", "RX", "RY"):
            gates = BASES[name[-1] if name[-1] in "XY" else "Z"]
            after = [INVERSE[gate] for gate in reversed(gates)]
            for qubit in qubits:
                if name[0] == "M":
                    readout.update(values or [0.0])
                    yield from ({"gate": gate, "qubit": qubit} for gate in gates)
                    yield {"gate": "M", "qubits": [qubit], "bits": [num_bits]}
                    num_bits += 1
                if "R" in name:
                    yield {"gate": "RESET", "qubits": [qubit]}
                yield from ({"gate": gate, "qubit": qubit} for gate in after)
        else:
            for operands, channel in _channels(name, targets, values):
                yield {"gate": "NOISE", "qubits": operands, "channel": channel}


def _channels(
    name: str, targets: list[stim.GateTarget], values: list[float]
) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """Operands and channels of a noise operation."""
    qubits = [target.value for target in targets]
    if name == "E":
        string = "".join(target.pauli_type for target in reversed(targets))
        yield qubits, {"type": "pauli", "probabilities": {string: values[0]}}
        return
    width = 2 if name.endswith("2") else 1
    if name.startswith("DEPOLARIZE"):
        channel = {"type": "depolarizing", "probability": values[0], "num_qubits": width}
    elif name in ("X_ERROR", "Y_ERROR", "Z_ERROR"):
        channel = {"type": "pauli", "probabilities": {name[0]: values[0]}}
    elif name.startswith("PAULI_CHANNEL"):
        # The rightmost letter of a string is that of the first qubit.
        strings = list(PAULIS) if width == 1 else [second + first for first in PAULIS for second in PAULIS]
        channel = {"type": "pauli", "probabilities": dict(zip(strings[1:], values, strict=True))}
    else:
        raise NotImplementedError(name)
    for i in range(0, len(qubits), width):
        yield qubits[i : i + width], channel


def submit(service: Service, body: dict[str, Any]) -> dict[str, Any]:
    """Data of the answer."""
    request = urllib.request.Request(
        f"{service.origin}/api/v1/quantum/circuits",
        data=json.dumps(body).encode(),
        headers={"X-API-Key": service.key, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]


def canonical(model: stim.DetectorErrorModel | str) -> list[tuple[str, float]]:
    """The errors of a model in one order, each with its targets and its parts in one order."""
    errors = []
    for instruction in stim.DetectorErrorModel(str(model)).flattened():
        if instruction.type != "error":
            continue
        parts = (" ".join(sorted(map(str, part))) for part in instruction.target_groups())
        errors.append((" ^ ".join(sorted(parts)), instruction.args_copy()[0]))
    return sorted(errors)


def assert_same(found: stim.DetectorErrorModel | str, expected: stim.DetectorErrorModel | str) -> None:
    """Holds two models to the same errors, with probabilities that differ by 1e-12 of their value."""
    ours, theirs = canonical(found), canonical(expected)
    assert [flipped for flipped, _ in ours] == [flipped for flipped, _ in theirs]
    np.testing.assert_allclose([p for _, p in ours], [p for _, p in theirs], rtol=1e-12, atol=0)


def events_of(answer: dict[str, Any]) -> np.ndarray:
    """Detection events of an answer: a row for each shot, of the detectors, then of the logical observables."""
    events = answer["detection_events"]
    rows = np.frombuffer(base64.b64decode(events["data"]), dtype=np.uint8).reshape(-1, events["bytes_per_shot"])
    width = events["num_detectors"] + events["num_logical_observables"]
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :width].astype(bool)
