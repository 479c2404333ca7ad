"""Emulated devices as targets of Qiskit's transpiler, with the errors and times that the service lists."""

from __future__ import annotations

import math
from typing import Any

from qiskit.circuit import Gate, IfElseOp, Measure, Reset
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.providers import QubitProperties
from qiskit.transpiler import InstructionProperties, Target

_NS = 1e-9
_US = 1e-6


def device_target(processor: dict[str, Any], operations: list[dict[str, Any]]) -> Target:
    """Native gates on the device's qubits and couplers, so that ``transpile`` fits circuits to it.

    Errors of gates are average infidelities, as IBM's backends report them.
    """
    num_qubits = processor["max_qubits"]
    t1, t2 = (_scaled(processor.get(name), _US) for name in ("t1_us", "t2_us"))
    properties = [QubitProperties(t1=t1, t2=t2) for _ in range(num_qubits)] if t1 or t2 else None
    target = Target(description=processor["name"], num_qubits=num_qubits, qubit_properties=properties)
    pairs = [tuple(pair) for pair in processor["coupling_map"]]
    if processor["symmetric_couplers"]:
        pairs += [(second, first) for first, second in pairs]
    each = [(qubit,) for qubit in range(num_qubits)]
    noise, durations = processor.get("noise", {}), processor.get("durations_ns", {})
    for name, gate in _native_gates(processor["native_gates"], operations):
        # A gate without a duration on a device that lists durations is virtual.
        duration = durations.get(name, 0 if durations else None)
        gate_properties = {
            qubits: InstructionProperties(
                duration=_scaled(duration, _NS), error=_gate_error(noise.get("gates", []), name, qubits)
            )
            for qubits in (pairs if gate.num_qubits == 2 else each)
        }
        target.add_instruction(gate, gate_properties, name=gate.name)
    measure_duration = _scaled(durations.get("M"), _NS)
    target.add_instruction(
        Measure(),
        {
            (qubit,): InstructionProperties(
                duration=measure_duration, error=_readout_error(noise.get("readout", []), qubit)
            )
            for (qubit,) in each
        },
    )
    abilities = processor["abilities"]
    if abilities["reset"]:
        target.add_instruction(Reset(), dict.fromkeys(each))
    if abilities["condition"]:
        target.add_instruction(IfElseOp, name="if_else")
    return target


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


def _gate_error(entries: list[dict[str, Any]], gate: str, qubits: tuple[int, ...]) -> float | None:
    """Average infidelity of the channels that follow a gate, to first order; None where it is not known for one of them."""
    error = 0.0
    for entry in entries:
        names = {gate, f"*{len(qubits)}", "*"}
        if not names & set(entry["gates"]) or list(qubits) not in entry.get("qubits", [list(qubits)]):
            continue
        infidelity = _infidelity(entry["channel"], len(qubits))
        if infidelity is None:
            return None
        error += infidelity
    return error


def _infidelity(channel: dict[str, Any], num_qubits: int) -> float | None:
    """Average infidelity of a channel after a gate; None for one that has no simple formula."""
    kind = channel["type"]
    if kind == "depolarizing":
        width = channel.get("num_qubits", num_qubits)
        return float(num_qubits / width * channel["probability"] / (1 + 2**-width))
    if kind == "thermal_relaxation" and channel.get("excited", 0) == 0:
        t1, t2, duration = channel["t1_us"], channel["t2_us"], channel["duration_ns"] / 1000
        fidelity = 1 / 2 + math.exp(-duration / t2) / 3 + math.exp(-duration / t1) / 6
        return num_qubits * (1 - fidelity)
    return None


def _readout_error(entries: list[dict[str, Any]], qubit: int) -> float:
    """Mean of the probabilities that a 0 and a 1 are misread."""
    errors = [
        (entry["p1_given_0"] + entry["p0_given_1"]) / 2
        for entry in entries
        if qubit in entry.get("qubits", [qubit])
    ]
    return float(sum(errors))


def _native_gates(native: list[str], operations: list[dict[str, Any]]) -> list[tuple[str, Gate]]:
    """Qiskit's gates for canonical names of the service, with these names."""
    standard = get_standard_gate_name_mapping()
    gates = []
    for operation in operations:
        if operation["gate"] in native:
            names = (operation["gate"].lower(), *operation["aliases"])
            gates.append((operation["gate"], next(standard[name] for name in names if name in standard)))
    return gates
