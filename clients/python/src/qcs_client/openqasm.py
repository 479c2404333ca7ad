"""Circuits that compute with measured bits, as OpenQASM 3.

Gate objects have conditions that compare bits with one value. Programs of OpenQASM have any conditions, loops and bits
that are assigned. A circuit with any of these is a list of statements: gate objects, and the classes below.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .errors import QcsError
from .gates import GateObject, complex_rows

#: Qubits of the widest matrix.
_MAX_UNITARY = 6
#: Bits of the widest condition that is given by its values, of which there are 2^bits.
MAX_CONDITION_BITS = 12

ALWAYS = "true"
NEVER = "false"


@dataclass(frozen=True)
class If:
    """Statements that run where an expression of bits is true."""

    test: str
    body: Sequence[Statement]


@dataclass(frozen=True)
class Repeat:
    """Statements that run once, and again until an expression of bits is true after them."""

    body: Sequence[Statement]
    until: str


Statement: TypeAlias = "GateObject | If | Repeat | str"
"""A string is a statement of OpenQASM as it stands."""


def all_of(tests: Sequence[str]) -> str:
    """Expression that is true where all are."""
    if NEVER in tests:
        return NEVER
    return " && ".join(f"({test})" for test in tests if test != ALWAYS) or ALWAYS


def reads(bits: Sequence[str], values: Sequence[int]) -> str:
    """Expression that is true where the bits have these values."""
    return " && ".join(bit if value else f"!{bit}" for bit, value in zip(bits, values, strict=True)) or ALWAYS


def negated(test: str) -> str:
    return {ALWAYS: NEVER, NEVER: ALWAYS}.get(test, f"!({test})")


def where(bits: Sequence[str], holds: Callable[[tuple[int, ...]], bool]) -> str:
    """Expression that is true for the values of the bits for which ``holds`` is."""
    if len(bits) > MAX_CONDITION_BITS:
        raise QcsError(
            f"A condition depends on {len(bits)} measured bits; {MAX_CONDITION_BITS} are supported."
        )
    return _expanded(bits, [bool(holds(values)) for values in itertools.product((0, 1), repeat=len(bits))])


def _expanded(bits: Sequence[str], table: Sequence[bool]) -> str:
    """Shannon's expansion of a truth table, whose index has the first bit as the most significant."""
    if all(table):
        return ALWAYS
    if not any(table):
        return NEVER
    bit, half = bits[0], len(table) // 2
    low, high = _expanded(bits[1:], table[:half]), _expanded(bits[1:], table[half:])
    if low == high:
        return low
    if high == ALWAYS:
        return bit if low == NEVER else f"({bit} || {low})"
    if low == ALWAYS:
        return f"!{bit}" if high == NEVER else f"(!{bit} || {high})"
    if high == NEVER:
        return f"(!{bit} && {low})"
    one = f"({bit} && {high})"
    return one if low == NEVER else f"({one} || (!{bit} && {low}))"


def openqasm(
    statements: Sequence[Statement], *, num_qubits: int, registers: Mapping[str, int], num_inputs: int
) -> str:
    """Program with qubits ``q``, inputs ``p0``, ``p1``, …, and registers of bits, whose bits are the outcome in this
    order. The bits of measurements of gate objects are those of the register ``c``."""
    writer = _Writer()
    body = writer.block(statements, "")
    return "\n".join(
        [
            "OPENQASM 3.0;",
            'include "stdgates.inc";',
            *(f"input float[64] p{index};" for index in range(num_inputs)),
            f"qubit[{num_qubits}] q;",
            *(f"bit[{size}] {name};" for name, size in registers.items() if size > 0),
            *(f"bool again{index};" for index in range(writer.num_loops)),
            *body,
            "",
        ]
    )


class _Writer:
    def __init__(self) -> None:
        self.num_loops = 0

    def block(self, statements: Sequence[Statement], indent: str) -> list[str]:
        return [indent + line for statement in statements for line in self._lines(statement)]

    def _lines(self, statement: Statement) -> list[str]:
        if isinstance(statement, str):
            return [statement]
        if isinstance(statement, If):
            return [f"if ({statement.test}) {{", *self.block(statement.body, "  "), "}"]
        if isinstance(statement, Repeat):
            again = f"again{self.num_loops}"
            self.num_loops += 1
            return [
                f"{again} = true;",
                f"while ({again}) {{",
                *self.block(statement.body, "  "),
                f"  {again} = {negated(statement.until)};",
                "}",
            ]
        return _gate_lines(statement)


#: Names of OpenQASM that are not the name of the gate in lower case. All controls of a gate are written as modifiers.
_NAMES = {"U": "U", "XX+YY": "xx_plus_yy", "CX": "x"}
_OPERANDS = ("gate", "targets", "controls", "qubits", "bits", "matrix", "channel")


def _gate_lines(one: GateObject) -> list[str]:
    name, qubits, controls = one["gate"], one.get("qubits", []), one.get("controls", [])
    if name == "M":
        return [f"c[{bit}] = measure q[{qubit}];" for qubit, bit in zip(qubits, one["bits"], strict=True)]
    if name == "RESET":
        return [f"reset q[{qubit}];" for qubit in qubits]
    if name == "NOISE":
        matrices = ", ".join(_matrix(rows) for rows in one["channel"]["matrices"])
        return [f"#pragma braket noise kraus({matrices}) {_listed(qubits[::-1])}"]
    if name == "UNITARY":
        operands = [*qubits, *controls]
        if len(operands) > _MAX_UNITARY:
            raise QcsError(
                f"A matrix on {len(qubits)} qubits with {len(controls)} controls cannot be sent in a circuit that "
                f"computes with measured bits; {_MAX_UNITARY} qubits in all can."
            )
        return [f"#pragma braket unitary({_matrix(_with_controls(one))}) {_listed(operands[::-1])}"]
    angles = [_angle(value) for field, value in one.items() if field not in _OPERANDS]
    modifier = f"ctrl({len(controls)}) @ " if controls else ""
    arguments = f"({', '.join(angles)})" if angles else ""
    operands = [*controls, *one.get("targets", [])]
    return [f"{modifier}{_NAMES.get(name, name.lower())}{arguments} {_listed(operands)};"]


def _listed(qubits: Sequence[int]) -> str:
    return ", ".join(f"q[{qubit}]" for qubit in qubits)


def _angle(value: Any) -> str:
    if not isinstance(value, Mapping):
        return _number(value)
    return f"{_number(value.get('scale', 1.0))}*{value['input']} + {_number(value.get('offset', 0.0))}"


def _number(value: float) -> str:
    return json.dumps(float(value), allow_nan=False)


def _with_controls(one: GateObject) -> Any:
    """Rows of a matrix under its controls, which are the most significant bits of the index."""
    rows, controls = one["matrix"], one.get("controls", [])
    if not controls:
        return rows
    entries = np.asarray(rows, dtype=np.float64)
    whole = np.eye(len(rows) << len(controls), dtype=np.complex128)
    whole[-len(rows) :, -len(rows) :] = entries[..., 0] + 1j * entries[..., 1]
    return complex_rows(whole)


def _matrix(rows: Sequence[Sequence[Sequence[float]]]) -> str:
    return "[" + ", ".join("[" + ", ".join(_complex(*entry) for entry in row) + "]" for row in rows) + "]"


def _complex(re: float, im: float) -> str:
    return f"{_number(re)} {'-' if im < 0 else '+'} {_number(abs(im))}im"
