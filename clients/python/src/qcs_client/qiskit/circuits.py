"""Circuits of Qiskit as OpenQASM 3 text for the service.

The text has one flat register of qubits and one of bits, Qiskit's standard gates, and everything else as its contents:
what a gate is defined by, synthesized from, or its matrix. Qiskit's own exporter is not used. It refuses gates whose
parameters are not numbers and registers that share bits, knows gates by their names alone, and takes the parameters of a gate for
those of its definition.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import (
    AnnotatedOperation,
    Barrier,
    BreakLoopOp,
    Clbit,
    ContinueLoopOp,
    ControlFlowOp,
    ControlledGate,
    ControlModifier,
    Delay,
    ForLoopOp,
    Gate,
    IfElseOp,
    InverseModifier,
    Measure,
    Parameter,
    ParameterExpression,
    PowerModifier,
    Reset,
    Store,
    SwitchCaseOp,
    WhileLoopOp,
)
from qiskit.circuit.classical import expr
from qiskit.circuit.controlflow import CASE_DEFAULT, BoxOp
from qiskit.circuit.library import UnitaryGate, get_standard_gate_name_mapping
from qiskit.transpiler.passes import HighLevelSynthesis

from ..arrays import ComplexArray
from ..gates import GateObject
from ..requests import Program
from ..results import ProgramResult
from .classical import Expressions, bits_text, duration_text, number_text, type_text
from .errors import QcsQiskitError

#: Standard gates of Qiskit that the service has under the same name.
_SAME_NAME = (
    "ccx", "ccz", "ch", "cp", "crx", "cry", "crz", "cs", "csdg", "cswap", "csx", "cu", "cu1", "cu3", "cx", "cy", "cz",
    "dcx", "ecr", "h", "id", "iswap", "p", "r", "rx", "rxx", "ry", "ryy", "rz", "rzx", "rzz", "s", "sdg", "swap", "sx",
    "sxdg", "t", "tdg", "u1", "u2", "u3", "x", "xx_minus_yy", "xx_plus_yy", "y", "z",
)  # fmt: skip
_STANDARD = get_standard_gate_name_mapping()
#: Names in the text, and numbers of parameters.
_NAMES: Mapping[type, tuple[str, int]] = {
    _STANDARD[name].base_class: (text, len(_STANDARD[name].params))
    for name, text in (*((name, name) for name in _SAME_NAME), ("u", "U"), ("global_phase", "gphase"))
}
#: Matrices on more qubits are written as gates, which takes less text, and less work for most methods.
MAX_MATRIX_QUBITS = 4
#: Functions in Qiskit's expressions of parameters that OpenQASM lacks.
_UNKNOWN_FUNCTION = re.compile(r"\b(sign|conj|conjugate|re|im|I)\b")
#: The service reads a whole number of so many digits only with a point.
_LONG_NUMBER = re.compile(r"(?<![\w.])\d{16,}(?![\w.])")


@dataclass(frozen=True)
class ServiceCircuit:
    """A circuit as the service reads it."""

    source: str | list[GateObject] | None
    """Its text or gate objects; None for a circuit that cannot be written before its parameters have values."""
    inputs: list[str]
    """Names of the inputs, in the order of ``circuit.parameters``."""
    circuit: QuantumCircuit
    """The circuit itself."""
    state: ComplexArray | None
    """Amplitudes that it begins in; None for |0…0⟩."""
    changes_bits: bool
    """Whether it writes classical bits. The service measures all qubits of a circuit that measures none; Qiskit none."""

    @property
    def registers(self) -> dict[str, list[int]]:
        """Bits of each classical register in an outcome, the least significant first."""
        index = {bit: number for number, bit in enumerate(self.circuit.clbits)}
        return {register.name: [index[bit] for bit in register] for register in self.circuit.cregs}

    @property
    def is_sweep(self) -> bool:
        """Whether one program has many points. Without inputs, each point is a program of its own."""
        return self.source is not None and bool(self.inputs)

    def program(self, values: Any, **fields: Any) -> Program:
        """Program with a row of ``values`` for each point, its columns in the order of ``circuit.parameters``."""
        if self.source is None:
            [row] = values
            bound = _written(self.circuit.assign_parameters(row), self.state is not None)
            return bound.program(np.empty((1, 0)), **fields)
        if self.state is not None:
            fields["initial_state"] = self.state
        elif isinstance(self.source, list):
            fields["qubits"] = max(1, self.circuit.num_qubits)
        inputs = {name: values[:, column] for column, name in enumerate(self.inputs)}
        return Program(source_json=Program(self.source).source_json, inputs=inputs, **fields)

    def shots(self, result: ProgramResult) -> tuple[Any, Any]:
        """As ``result.shots_by_point()``; of gate objects the last bits that are never measured are 0."""
        outcomes, index = result.shots_by_point()
        return np.pad(outcomes, ((0, 0), (0, max(0, self.circuit.num_clbits - outcomes.shape[1])))), index


def service_circuit(circuit: QuantumCircuit, takes_states: bool) -> ServiceCircuit:
    """Translates a circuit; its layout, global phase and metadata make no difference to the service.

    Args:
        takes_states: whether the processor and the method begin in any amplitudes. A circuit that begins with
            ``initialize``, ``prepare_state`` or Aer's ``set_statevector`` then needs no gates for it.

    Raises:
        QcsQiskitError: naming what cannot be written. A circuit that can be once its parameters have values, such as one with
            the matrix of a ``HamiltonianGate``, is translated for each of its points.
    """
    try:
        return _written(circuit, takes_states)
    except QcsQiskitError:
        if not circuit.parameters:
            raise
        trial = _written(circuit.assign_parameters([0.5] * circuit.num_parameters), takes_states)
        return replace(trial, source=None, circuit=circuit)


def _written(circuit: QuantumCircuit, takes_states: bool) -> ServiceCircuit:
    state, rest = first_state(circuit) if takes_states else (None, circuit)
    writer = _Writer(rest)
    return ServiceCircuit(writer.text(), writer.inputs, circuit, state, writer.changes_bits)


#: Most qubits whose amplitudes fit into a request.
_MAX_STATE_QUBITS = 21
#: Most other qubits, in |0⟩, beside those that a circuit prepares: each doubles the request.
_MAX_OTHER_QUBITS = 2


def first_state(circuit: QuantumCircuit) -> tuple[ComplexArray | None, QuantumCircuit]:
    """Amplitudes that the first operation of a circuit prepares, and the circuit without it."""
    place = next((i for i, each in enumerate(circuit.data) if not isinstance(each.operation, Barrier)), None)
    if place is None or circuit.num_qubits > _MAX_STATE_QUBITS:
        return None, circuit
    operation = circuit.data[place].operation
    amplitudes = operation.params
    if operation.name == "set_statevector":
        amplitudes = np.asarray(amplitudes[0])
    elif operation.name not in ("initialize", "state_preparation"):
        return None, circuit
    others = circuit.num_qubits - operation.num_qubits
    # Labels and numbers of basis states are few gates.
    if len(amplitudes) != 2**operation.num_qubits or others > _MAX_OTHER_QUBITS:
        return None, circuit
    if any(isinstance(each, (str, ParameterExpression)) for each in amplitudes):
        return None, circuit
    values = np.arange(len(amplitudes))
    index = np.zeros(len(amplitudes), dtype=np.int64)
    for bit, qubit in enumerate(circuit.data[place].qubits):
        index |= (values >> bit & 1) << circuit.find_bit(qubit).index
    state = np.zeros(2**circuit.num_qubits, dtype=np.complex128)
    state[index] = np.asarray(amplitudes, dtype=np.complex128)
    rest = circuit.copy()
    del rest.data[place]
    return state, rest


#: Where the classical bits are that a block may name: its own, which stand for bits of blocks around it, and theirs.
_Bits = ChainMap[Clbit, int]


class _Writer:
    """The text of a circuit."""

    def __init__(self, circuit: QuantumCircuit) -> None:
        self._circuit = circuit
        self._lines: list[str] = []
        #: Parameters, variables and stretches in the text.
        self._names: dict[Any, str] = {}
        self._num_names = 0
        self._measures = False
        self._stores = False
        variables = [*circuit.iter_input_vars(), *circuit.iter_captured_vars()]
        if variables:
            self._refuse(f"its variable {variables[0].name} has no value")
        self.inputs = [self._named(parameter, parameter.name) for parameter in circuit.parameters]
        bits = ChainMap({bit: index for index, bit in enumerate(circuit.clbits)})
        self._body(circuit, range(circuit.num_qubits), bits, "")
        if self._stores and not self._measures:
            # The service would measure all qubits instead of answering what is in the bits.
            self._lines += ["bit measured_0;", "measured_0 = measure q[0];"]

    @property
    def changes_bits(self) -> bool:
        return self._measures or self._stores

    def text(self) -> str:
        circuit = self._circuit
        index = {bit: number for number, bit in enumerate(circuit.clbits)}
        head = ["OPENQASM 3.0;", 'include "stdgates.inc";']
        head += [f"input float[64] {name};" for name in self.inputs]
        head.append(f"qubit[{max(circuit.num_qubits, 1)}] q;")
        if circuit.clbits:
            head.append(f"bit[{circuit.num_clbits}] c;")
        for register in circuit.cregs:
            if register.size:
                head.append(f"// {_word(register.name)}: {bits_text(index[bit] for bit in register)}")
        return "\n".join([*head, *self._lines, ""])

    def _refuse(self, why: str, cause: Exception | None = None) -> NoReturn:
        raise QcsQiskitError(f"The circuit {self._circuit.name} cannot be sent: {why}.") from cause

    def _named(self, key: Any, name: str) -> str:
        self._names[key] = numbered(name, self._num_names)
        self._num_names += 1
        return self._names[key]

    def _body(
        self, circuit: QuantumCircuit, qubits: Sequence[int], bits: _Bits, indent: str
    ) -> None:
        """Writes the contents of a circuit or block on these qubits of the whole circuit."""
        for variable in circuit.iter_declared_vars():
            name = self._named(variable, variable.name)
            self._lines.append(f"{indent}{type_text(variable.type)} {name};")
        for stretch in circuit.iter_declared_stretches():
            self._lines.append(f"{indent}stretch {self._named(stretch, stretch.name)};")
        place = dict(zip(circuit.qubits, qubits, strict=True))
        for instruction in circuit.data:
            operands = [place[qubit] for qubit in instruction.qubits]
            self._operation(instruction.operation, operands, instruction.clbits, bits, indent)

    def _operation(
        self,
        operation: Any,
        qubits: Sequence[int],
        clbits: Sequence[Clbit],
        bits: _Bits,
        indent: str,
    ) -> None:
        operands = ", ".join(f"q[{qubit}]" for qubit in qubits)
        if isinstance(operation, ControlFlowOp):
            self._flow(operation, qubits, clbits, bits, indent)
        elif isinstance(operation, Store):
            values = Expressions(self._names, bits)
            self._stores |= values.writes_bits(operation.lvalue)
            value = operation.rvalue.accept(values)
            self._lines.append(f"{indent}{values.target(operation.lvalue)} = {value};")
        elif isinstance(operation, (BreakLoopOp, ContinueLoopOp)):
            self._lines.append(f"{indent}{'break' if isinstance(operation, BreakLoopOp) else 'continue'};")
        elif (statement := self._statement(operation, clbits, bits)) is not None:
            if operands:
                self._lines.append(f"{indent}{statement} {operands};")
        elif (gate := _gate(operation)) is not None:
            name, params = gate
            angles = f"({', '.join(map(self._angle, params))})" if params else ""
            self._lines.append(f"{indent}{name}{angles} {operands};")
        elif isinstance(operation, UnitaryGate) and operation.num_qubits <= MAX_MATRIX_QUBITS:
            # Braket's first qubit is the most significant one.
            reverse = ", ".join(f"q[{qubit}]" for qubit in reversed(qubits))
            matrix = _matrix_text(operation.to_matrix())
            self._lines += [f"#pragma braket unitary({matrix}) {reverse}"]
        else:
            contents = definition_of(self._circuit, operation)
            own = dict(zip(contents.clbits, (bits[bit] for bit in clbits), strict=True))
            self._body(contents, qubits, ChainMap(own), indent)

    def _statement(self, operation: Any, clbits: Sequence[Clbit], bits: _Bits) -> str | None:
        """A statement on qubits that is no gate, without its qubits."""
        if isinstance(operation, Measure):
            self._measures = True
            return f"c[{bits[clbits[0]]}] = measure"
        if isinstance(operation, Barrier):
            return "barrier"
        if isinstance(operation, Reset):
            return "reset"
        if isinstance(operation, Delay):
            return f"delay[{self._duration(operation.duration, operation.unit, bits)}]"
        return None

    def _flow(
        self,
        operation: ControlFlowOp,
        qubits: Sequence[int],
        clbits: Sequence[Clbit],
        bits: _Bits,
        indent: str,
    ) -> None:
        values = Expressions(self._names, bits)
        lines = self._lines

        def block(head: str, body: QuantumCircuit) -> None:
            own = dict(zip(body.clbits, (bits[bit] for bit in clbits), strict=True))
            lines.append(f"{indent}{head} {{")
            self._body(body, qubits, bits.new_child(own), indent + "  ")
            lines.append(f"{indent}}}")

        if isinstance(operation, IfElseOp):
            heads = (f"if ({values.condition(operation.condition)})", "else")
            for head, body in zip(heads, operation.blocks, strict=False):
                block(head, body)
        elif isinstance(operation, WhileLoopOp):
            block(f"while ({values.condition(operation.condition)})", operation.blocks[0])
        elif isinstance(operation, SwitchCaseOp):
            lines.append(f"{indent}switch ({values.choice(operation.target)}) {{")
            for labels, body in operation.cases_specifier():
                is_default = CASE_DEFAULT in labels
                block("default" if is_default else f"case {', '.join(str(int(each)) for each in labels)}", body)
            lines.append(f"{indent}}}")
        elif isinstance(operation, BoxOp):
            if operation.annotations:
                self._refuse(f"a box has the annotation {operation.annotations[0].namespace}")
            length = operation.duration
            box = "box" if length is None else f"box[{self._duration(length, operation.unit, bits)}]"
            block(box, operation.blocks[0])
        elif isinstance(operation, ForLoopOp):
            indices, variable, body = operation.params
            if indices:
                outer, self._names = self._names, dict(self._names)
                block(self._loop_head(indices, variable), body)
                self._names = outer
        else:
            self._refuse(f"OpenQASM has no form of the operation {operation.name}")

    def _loop_head(self, indices: range | Sequence[int], variable: Any) -> str:
        name = self._named(variable, getattr(variable, "name", ""))
        if isinstance(variable, expr.Var):
            kind = type_text(variable.type)
        else:
            # A parameter is a real number in the angles that it stands in: half of 1 is not 0.
            kind = "int" if variable is None else "float[64]"
        if isinstance(indices, range):
            # OpenQASM has the last index in its range.
            return f"for {kind} {name} in [{indices[0]}:{indices.step}:{indices[-1]}]"
        return f"for {kind} {name} in {{{', '.join(map(number_text, indices))}}}"

    def _duration(self, duration: Any, unit: str, bits: _Bits) -> str:
        if unit == "expr":
            return str(duration.accept(Expressions(self._names, bits)))
        if isinstance(duration, ParameterExpression):
            return f"({self._angle(duration)}) * {duration_text(1, unit)}"
        return duration_text(duration, unit)

    def _angle(self, value: Any) -> str:
        if isinstance(value, ParameterExpression) and value.parameters:
            unknown = [each.name for each in value.parameters if each not in self._names]
            if unknown:
                self._refuse(f"a gate has the parameter {unknown[0]}, which the circuit lacks")
            if isinstance(value, Parameter):
                return str(self._names[value])
            text = str(value.subs({each: Parameter(self._names[each]) for each in value.parameters}))
            if function := _UNKNOWN_FUNCTION.search(text):
                self._refuse(f"OpenQASM has no {function[0]} for the angle {value}")
            return _LONG_NUMBER.sub(r"\g<0>.0", text)
        number = complex(value.numeric() if isinstance(value, ParameterExpression) else value)
        if number.imag:
            self._refuse(f"the angle {value} is not real")
        return repr(number.real)


def standard_gate(operation: Any) -> tuple[str, list[Any]] | None:
    """Name of a standard gate and its parameters; None for any other operation.

    Gates are known by their class, since gates of others may have the same names.
    """
    if not isinstance(operation, Gate):
        return None
    name, num_params = _NAMES.get(operation.base_class, (None, 0))
    # What CU controls twice is a U that has an angle too many.
    return (name, operation.params) if name and len(operation.params) == num_params else None


def _gate(operation: Any) -> tuple[str, list[Any]] | None:
    """As :func:`standard_gate`, with modifiers in the name."""
    if isinstance(operation, AnnotatedOperation):
        inner = _gate(operation.base_op)
        return inner and ("".join(map(_modifier, reversed(operation.modifiers))) + inner[0], inner[1])
    if not isinstance(operation, ControlledGate):
        return standard_gate(operation)
    name, _ = _NAMES.get(operation.base_class, (None, 0))
    count, state = operation.num_ctrl_qubits, operation.ctrl_state
    if name and state == 2**count - 1:
        return name, operation.params
    inner = _gate(operation.base_gate)
    # CU has an angle more than its base, and some gates have ancillas.
    if inner is None or len(operation.params) != len(inner[1]):
        return None
    if operation.num_qubits != count + operation.base_gate.num_qubits:
        return None
    return _modifier(ControlModifier(count, state)) + inner[0], inner[1]


def _modifier(modifier: Any) -> str:
    if isinstance(modifier, InverseModifier):
        return "inv @ "
    if isinstance(modifier, PowerModifier):
        return f"pow({number_text(modifier.power)}) @ "
    count, state = modifier.num_ctrl_qubits, modifier.ctrl_state
    if state == 2**count - 1:
        return f"ctrl({count}) @ "
    return "".join("ctrl @ " if state >> bit & 1 else "negctrl @ " for bit in range(count))


def definition_of(circuit: QuantumCircuit, operation: Any) -> QuantumCircuit:
    """What an operation of a circuit consists of: its definition, its matrix, or what Qiskit synthesizes for it."""

    def refuse(why: str, cause: Exception | None = None) -> NoReturn:
        raise QcsQiskitError(f"The circuit {circuit.name} cannot be sent: {why}.") from cause

    try:
        definition: QuantumCircuit | None = getattr(operation, "definition", None)
        if definition is not None:
            return definition
        whole = QuantumCircuit(operation.num_qubits, operation.num_clbits)
        if has_matrix(operation):
            whole.append(UnitaryGate(operation.to_matrix()), whole.qubits)
            return whole
        whole.append(operation, whole.qubits, whole.clbits)
        synthesized: QuantumCircuit = HighLevelSynthesis(qubits_initially_zero=False)(whole)
    except Exception as error:  # noqa: BLE001
        # Definitions are code of Qiskit and of others, and raise what they like.
        refuse(f"{operation.name} cannot be written as gates ({error})", error)
    if any(each.operation.name == operation.name for each in synthesized.data):
        refuse(f"{operation.name} is neither defined by gates nor has a matrix")
    return synthesized


def has_matrix(operation: Any) -> bool:
    if isinstance(operation, AnnotatedOperation):
        # Qiskit synthesizes negative fractional powers on another branch than that of its matrices.
        return any(isinstance(each, PowerModifier) and each.power % 1 for each in operation.modifiers)
    return isinstance(operation, Gate) and (
        hasattr(operation, "__array__") or type(operation).to_matrix is not Gate.to_matrix
    )


def _matrix_text(matrix: Any) -> str:
    rows = (
        ", ".join(f"{entry.real!r}{entry.imag:+}im" for entry in row)
        for row in np.asarray(matrix, complex).tolist()
    )
    return f"[[{'], ['.join(rows)}]]"


def numbered(name: str, number: int) -> str:
    """The name of a parameter or variable in a program. The number keeps names apart, and from words of OpenQASM."""
    return f"{_word(name)}_{number}"


def _word(name: str) -> str:
    """The name as a word of OpenQASM."""
    word = re.sub(r"[^A-Za-zΑ-Ωα-ω0-9]", "_", name)
    return word if word[:1].isalpha() else f"_{word}"


def gates_of_service(operations: list[dict[str, Any]]) -> list[Any]:
    """Qiskit's gates, measurement, reset and delay among the operations that the service lists."""
    names = {"delay", *_SAME_NAME}
    for operation in operations:
        openqasm = operation.get("openqasm")
        names.update(
            operation["aliases"], [operation["gate"].lower()], [openqasm["name"]] if openqasm else []
        )
    # The service calls the gate with three angles U, and the phase of the whole state gphase.
    names.update(("u", "global_phase"))
    names.discard("barrier")
    return [gate for name, gate in _STANDARD.items() if name in names]
