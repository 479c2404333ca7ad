"""Noise models of Qiskit Aer as noise of the service."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import permutations
from typing import Any

import numpy as np
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.exceptions import QiskitError
from qiskit.quantum_info import Kraus, Pauli

from ..gates import complex_rows
from .errors import QcsQiskitError

#: Widest channel that the service takes as Kraus matrices.
_MAX_KRAUS_QUBITS = 3
#: Standard gates of Qiskit that reach the service as others, or are no gates.
_WITHOUT_NOISE = frozenset({"c3sx", "csdg", "delay", "global_phase", "measure", "rccx", "rcccx", "reset"})
_GATES = frozenset(get_standard_gate_name_mapping()) - _WITHOUT_NOISE
#: Older names of gates that the service does not tell from the newer ones.
_SAME = {"u1": "p", "u3": "u", "cu1": "cp"}

#: Channels by gate and operands; None stands for all operands that are not listed for that gate.
_Channels = dict[str, dict[tuple[int, ...] | None, dict[str, Any]]]


def noise_from_aer(
    model: Any, *, num_qubits: int | None = None, leave_out: Collection[str] = ()
) -> dict[str, Any]:
    """A ``qiskit_aer.noise.NoiseModel`` as ``noise`` of a circuit or a batch.

    Mixtures of Pauli strings stay mixtures; a depolarizing error becomes the service's, whose probability is that of
    any error. All other errors become Kraus matrices.

    Args:
        model: errors of gates and of reading out single qubits. Gates are those that the circuit has when it is sent;
            transpile it to the basis of the model first, as ``AerSimulator`` does.
        num_qubits: number of qubits of the circuits. It is needed where a model has errors of some qubits and others of
            all other qubits.
        leave_out: instructions whose errors are left out, such as ``["reset", "delay"]``.

    Raises:
        QcsQiskitError: if the service has no such noise; the message names the instruction.
    """
    for noise_pass in getattr(model, "_custom_noise_passes", ()):
        name = type(noise_pass).__name__
        if name == "RelaxationNoisePass" and "delay" in leave_out:
            continue
        raise QcsQiskitError(
            f"The noise pass {name} cannot be translated. RelaxationNoisePass acts on delays; "
            'leave_out=["delay"] goes without it.'
        )
    channels: _Channels = {}
    readout: dict[int | None, dict[str, Any]] = {}
    for error in model.to_dict()["errors"]:
        places: list[tuple[int, ...] | None] = [tuple(qubits) for qubits in error.get("gate_qubits", ())]
        for name in error["operations"]:
            if name in leave_out:
                continue
            for place in places or [None]:
                if error["type"] == "roerror":
                    qubit, entry = _readout(error["probabilities"], place)
                    readout[qubit] = entry
                else:
                    _add(channels, name, place, error)
    return {
        "gates": [
            entry for name, by_place in channels.items() for entry in _entries(name, by_place, num_qubits)
        ],
        "readout": _readout_entries(readout, num_qubits),
    }


def as_noise(noise: Any) -> Any:
    """Noise in the form of the service; a model of Aer is translated."""
    return noise if noise is None or isinstance(noise, (str, Mapping)) else noise_from_aer(noise)


def _add(channels: _Channels, name: str, place: tuple[int, ...] | None, error: Mapping[str, Any]) -> None:
    if name not in _GATES:
        raise QcsQiskitError(
            f"The service has no noise of the instruction {name}; leave_out=[{name!r}] goes without it."
        )
    channel = _channel(name, error)
    gate = _SAME.get(name, name)
    if channels.setdefault(gate, {}).setdefault(place, channel) != channel:
        same = [gate, *(old for old, new in _SAME.items() if new == gate)]
        raise QcsQiskitError(
            f"The service does not tell {' and '.join(same)} apart, and their errors differ."
        )


def _channel(name: str, error: Mapping[str, Any]) -> dict[str, Any]:
    from qiskit_aer.noise import QuantumError

    quantum: Any = QuantumError.from_dict(dict(error))
    probabilities = _pauli_probabilities(quantum)
    if probabilities is not None:
        return _pauli_channel(probabilities, quantum.num_qubits)
    if quantum.num_qubits > _MAX_KRAUS_QUBITS:
        raise QcsQiskitError(
            f"The error of {name} is no mixture of Pauli strings, and acts on {quantum.num_qubits} qubits; "
            f"the service takes others on up to {_MAX_KRAUS_QUBITS}."
        )
    matrices = Kraus(quantum.to_quantumchannel()).data
    if isinstance(matrices, tuple):
        raise QcsQiskitError(f"The error of {name} is no quantum channel: it is not completely positive.")
    return {"type": "kraus", "matrices": [complex_rows(matrix) for matrix in matrices]}


def _pauli_probabilities(error: Any) -> dict[str, float] | None:
    """Probability of each Pauli string but the identity; None if the error is no mixture of them."""
    probabilities: dict[str, float] = {}
    for circuit, probability in zip(error.circuits, error.probabilities, strict=True):
        try:
            label = Pauli(circuit).to_label().lstrip("-i")
        except QiskitError:
            return None
        probabilities[label] = probabilities.get(label, 0.0) + float(probability)
    return {label: p for label, p in probabilities.items() if set(label) != {"I"} and p > 0}


def _pauli_channel(probabilities: dict[str, float], num_qubits: int) -> dict[str, Any]:
    values = np.array(list(probabilities.values()))
    if len(values) == 4**num_qubits - 1 and np.ptp(values) < 1e-15:
        return {"type": "depolarizing", "probability": float(values.sum()), "num_qubits": num_qubits}
    return {"type": "pauli", "probabilities": probabilities or {"X" * num_qubits: 0.0}}


def _readout(rows: Any, place: tuple[int, ...] | None) -> tuple[int | None, dict[str, Any]]:
    table = np.asarray(rows, dtype=np.float64)
    if table.shape != (2, 2):
        raise QcsQiskitError(
            f"The readout error of the qubits {place} is of several qubits together; "
            "the service has those of single qubits."
        )
    entry = {"p1_given_0": float(table[0, 1]), "p0_given_1": float(table[1, 0])}
    return (None if place is None else place[0]), entry


def _entries(
    name: str, by_place: dict[tuple[int, ...] | None, dict[str, Any]], num_qubits: int | None
) -> list[dict[str, Any]]:
    """Entries of a gate. In Aer errors of some operands replace those of all, at the service both would act."""
    local = {place: channel for place, channel in by_place.items() if place is not None}
    entries: list[dict[str, Any]] = []
    if None in by_place:
        entry: dict[str, Any] = {"gates": [name]}
        if local:
            width = len(next(iter(local)))
            rest = [list(p) for p in permutations(range(_needed(num_qubits, name)), width) if p not in local]
            entry["qubits"] = rest
        if entry.get("qubits") != []:
            entries.append({**entry, "channel": by_place[None]})
    grouped: dict[str, dict[str, Any]] = {}
    for place, channel in local.items():
        group = grouped.setdefault(repr(channel), {"gates": [name], "qubits": [], "channel": channel})
        group["qubits"].append(list(place))
    return [*entries, *grouped.values()]


def _readout_entries(
    by_qubit: dict[int | None, dict[str, Any]], num_qubits: int | None
) -> list[dict[str, Any]]:
    local = [{"qubits": [qubit], **entry} for qubit, entry in by_qubit.items() if qubit is not None]
    if None not in by_qubit:
        return local
    if not local:
        return [by_qubit[None]]
    rest = [qubit for qubit in range(_needed(num_qubits, "measure")) if qubit not in by_qubit]
    return [*([{"qubits": rest, **by_qubit[None]}] if rest else []), *local]


def _needed(num_qubits: int | None, name: str) -> int:
    if num_qubits is None:
        raise QcsQiskitError(
            f"The model has errors of {name} for some qubits and another for all others. "
            "Pass num_qubits=… to noise_from_aer, so that the others can be listed."
        )
    return num_qubits
