"""Circuits of Qiskit as OpenQASM 3 text for the service.

The text is the one way: it carries control flow, classical expressions, and parameters as inputs, of which the
service takes any formula. Gates that the service knows by their Qiskit name go by that name; all others are defined
in the text by the exporter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from qiskit import QuantumCircuit, qasm3
from qiskit.circuit import ControlFlowOp, Gate, Instruction
from qiskit.circuit.library import get_standard_gate_name_mapping

from ..requests import Program
from .errors import QcsQiskitError

_INPUT = re.compile(r"^input float\[64\] (\S+);$", re.MULTILINE)
#: Gates of Qiskit that the exporter does not find in stdgates.inc, and the service defines with that include.
_FURTHER_GATES = (
    "ccz", "cs", "csdg", "csx", "cu1", "cu3", "dcx", "ecr", "iswap", "r", "rxx", "ryy", "rzx", "rzz", "sxdg",
    "xx_minus_yy", "xx_plus_yy",
)  # fmt: skip


@dataclass(frozen=True)
class ServiceCircuit:
    """A circuit as the service reads it."""

    source_json: str
    """Its text, as in :class:`qcs_client.Program`."""
    inputs: list[str]
    """Names of the inputs, in the order of ``circuit.parameters``."""
    registers: dict[str, range]
    """Classical bits of each classical register in an outcome."""
    measures: bool
    """Whether it measures anything. The service measures all qubits of a circuit that does not; Qiskit none."""

    def program(self, values: Any, **fields: Any) -> Program:
        """Program with a row of ``values`` for each point, its columns in the order of ``circuit.parameters``."""
        inputs = {name: values[:, column] for column, name in enumerate(self.inputs)}
        return Program(source_json=self.source_json, inputs=inputs, **fields)


def service_circuit(circuit: QuantumCircuit) -> ServiceCircuit:
    """Translates a circuit; its layout, global phase and metadata make no difference to the service."""
    try:
        text = qasm3.dumps(
            _inlined(circuit),
            includes=("stdgates.inc",),
            basis_gates=("U", *_FURTHER_GATES),
            disable_constants=True,
        )
    except qasm3.QASM3ExporterError as error:
        raise QcsQiskitError(f"The circuit {circuit.name} cannot be sent: {error}") from error
    # The exporter declares bits outside of registers first, then the registers in their order.
    first = sum(not circuit.find_bit(bit).registers for bit in circuit.clbits)
    registers = {}
    for register in circuit.cregs:
        registers[register.name] = range(first, first + register.size)
        first += register.size
    return ServiceCircuit(Program(text).source_json, _INPUT.findall(text), registers, "= measure " in text)


def _inlined(circuit: QuantumCircuit) -> QuantumCircuit:
    """The circuit with the contents of composite instructions that OpenQASM has no form for.

    Qiskit's exporter defines gates of real parameters alone: no appended circuits, and no ``Initialize``.
    """
    while names := _composites(circuit):
        circuit = circuit.decompose([*names, ControlFlowOp])
    return circuit


def _composites(circuit: QuantumCircuit) -> set[str]:
    names: set[str] = set()
    for instruction in circuit.data:
        operation = instruction.operation
        if isinstance(operation, ControlFlowOp):
            names = names.union(*map(_composites, operation.blocks))
        elif isinstance(operation, Instruction) and not _is_definable(operation):
            names.add(operation.name)
    return names


def _is_definable(operation: Instruction) -> bool:
    if isinstance(operation, Gate):
        # State preparation has amplitudes, or letters, as its parameters.
        return not any(isinstance(value, (complex, str)) for value in operation.params)
    return operation.definition is None


def gates_of_service(operations: list[dict[str, Any]]) -> list[Any]:
    """Qiskit's gates, measurement, reset and delay among the operations that the service lists."""
    names = {"delay", *_FURTHER_GATES}
    for operation in operations:
        openqasm = operation.get("openqasm")
        names.update(
            operation["aliases"], [operation["gate"].lower()], [openqasm["name"]] if openqasm else []
        )
    # The service calls the gate with three angles U, and the phase of the whole state gphase.
    names.update(("u", "global_phase"))
    names.discard("barrier")
    return [gate for name, gate in get_standard_gate_name_mapping().items() if name in names]
