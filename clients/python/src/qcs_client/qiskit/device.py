"""Devices whose circuits the caller fits, as targets of Qiskit's transpiler."""

from __future__ import annotations

from typing import Any

from qiskit.circuit import Gate, IfElseOp, Measure, Reset
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.transpiler import Target


def device_target(processor: dict[str, Any], operations: list[dict[str, Any]]) -> Target:
    """Native gates on the device's qubits and couplers, so that ``transpile`` fits circuits to it."""
    num_qubits = processor["max_qubits"]
    target = Target(description=processor["name"], num_qubits=num_qubits)
    pairs = [tuple(pair) for pair in processor["coupling_map"]]
    if processor["symmetric_couplers"]:
        pairs += [(second, first) for first, second in pairs]
    each = [(qubit,) for qubit in range(num_qubits)]
    for gate in _native_gates(processor["native_gates"], operations):
        target.add_instruction(gate, dict.fromkeys(pairs if gate.num_qubits == 2 else each), name=gate.name)
    target.add_instruction(Measure(), dict.fromkeys(each))
    abilities = processor["abilities"]
    if abilities["reset"]:
        target.add_instruction(Reset(), dict.fromkeys(each))
    if abilities["condition"]:
        target.add_instruction(IfElseOp, name="if_else")
    return target


def _native_gates(native: list[str], operations: list[dict[str, Any]]) -> list[Gate]:
    """Qiskit's gates for canonical names of the service."""
    standard = get_standard_gate_name_mapping()
    gates = []
    for operation in operations:
        if operation["gate"] in native:
            names = (operation["gate"].lower(), *operation["aliases"])
            gates.append(next(standard[name] for name in names if name in standard))
    return gates
