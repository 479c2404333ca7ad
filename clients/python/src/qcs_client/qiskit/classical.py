"""Classical values of Qiskit's circuits as OpenQASM 3: types, expressions, conditions and durations.

Every value is written with its type, as Qiskit holds it: ``uint[8](200) + v``. OpenQASM's own rules for numbers without a
width are never needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qiskit.circuit import Clbit
from qiskit.circuit.classical import expr, types

from .errors import QcsQiskitError

#: Widest whole number of the service. Wider registers are compared as bits.
_MAX_WIDTH = 53

_BINARY = {
    "BIT_AND": "&",
    "BIT_OR": "|",
    "BIT_XOR": "^",
    "LOGIC_AND": "&&",
    "LOGIC_OR": "||",
    "EQUAL": "==",
    "NOT_EQUAL": "!=",
    "LESS": "<",
    "LESS_EQUAL": "<=",
    "GREATER": ">",
    "GREATER_EQUAL": ">=",
    "SHIFT_LEFT": "<<",
    "SHIFT_RIGHT": ">>",
    "ADD": "+",
    "SUB": "-",
    "MUL": "*",
    "DIV": "/",
}
#: Bitwise operators between bool values, which OpenQASM has for bits alone.
_OF_BOOLS = {"BIT_AND": "&&", "BIT_OR": "||", "BIT_XOR": "!="}


def bits_text(bits: Iterable[int]) -> str:
    """Bits of the register ``c``, the least significant first."""
    indices = list(bits)
    if len(indices) > 1 and indices == list(range(indices[0], indices[-1] + 1)):
        return f"c[{indices[0]}:{indices[-1]}]"
    return f"c[{{{', '.join(map(str, indices))}}}]"


def type_text(kind: types.Type) -> str:
    """Name of a type."""
    if isinstance(kind, types.Uint):
        return f"uint[{kind.width}]"
    return {types.Bool: "bool", types.Float: "float[64]", types.Duration: "duration"}[type(kind)]


def duration_text(value: float, unit: str) -> str:
    """A duration; OpenQASM has no picoseconds."""
    return f"{number_text(value / 1000)}ns" if unit == "ps" else f"{number_text(value)}{unit}"


def number_text(value: float) -> str:
    """A number with all its digits; a whole one without a point."""
    return repr(int(value)) if value == int(value) else repr(float(value))


class Expressions(expr.ExprVisitor[str]):
    """Text of expressions.

    Args:
        names: variables in the text.
        bits: indices in the register ``c`` of the bits that the expressions may name.
    """

    def __init__(self, names: Mapping[Any, str], bits: Mapping[Clbit, int]) -> None:
        self._names = names
        self._bits = bits

    def condition(self, condition: Any) -> str:
        """A condition, also in the older form of a register or bit with its value."""
        lifted = condition if isinstance(condition, expr.Expr) else expr.lift_legacy_condition(condition)
        return str(lifted.accept(self))

    def choice(self, target: Any) -> str:
        """The number that a ``switch`` looks at."""
        lifted = expr.lift(target)
        text = lifted.accept(self)
        return f"uint[1]({text})" if isinstance(lifted.type, types.Bool) else text

    def target(self, node: expr.Expr) -> str:
        """The left side of an assignment."""
        if isinstance(node, expr.Index):
            if isinstance(node.index, expr.Value):
                return self._bit(node.target, node.index.value)
        elif isinstance(node, expr.Var):
            if node.standalone:
                return self._names[node]
            return bits_text(self._register(node)) if self._is_register(node) else node.accept(self)
        raise QcsQiskitError(f"A value cannot be stored in {node}; store it in a bit of a constant index.")

    def writes_bits(self, node: expr.Expr) -> bool:
        """Whether an assignment to ``node`` changes classical bits of the circuit."""
        while isinstance(node, expr.Index):
            node = node.target
        return isinstance(node, expr.Var) and not node.standalone

    def visit_var(self, node: expr.Var, /) -> str:
        if node.standalone:
            return self._names[node]
        if not self._is_register(node):
            return f"c[{self._bits[node.var]}]"
        bits = bits_text(self._register(node))
        return bits if node.type.width > _MAX_WIDTH else f"{type_text(node.type)}({bits})"

    def visit_stretch(self, node: Any, /) -> str:
        return self._names[node]

    def visit_value(self, node: expr.Value, /) -> str:
        if isinstance(node.type, types.Bool):
            return "true" if node.value else "false"
        if isinstance(node.type, types.Uint):
            if node.type.width > _MAX_WIDTH:
                return f'"{node.value:0{node.type.width}b}"'
            return f"{type_text(node.type)}({node.value})"
        if isinstance(node.type, types.Float):
            return repr(float(node.value))
        return duration_text(node.value.value(), node.value.unit())

    def visit_cast(self, node: expr.Cast, /) -> str:
        return f"{type_text(node.type)}({node.operand.accept(self)})"

    def visit_unary(self, node: expr.Unary, /) -> str:
        operand = node.operand.accept(self)
        if node.op.name == "NEGATE":
            return f"(-{operand})"
        return f"(!{operand})" if isinstance(node.type, types.Bool) else f"(~{operand})"

    def visit_binary(self, node: expr.Binary, /) -> str:
        names = {**_BINARY, **_OF_BOOLS} if isinstance(node.left.type, types.Bool) else _BINARY
        return f"({node.left.accept(self)} {names[node.op.name]} {node.right.accept(self)})"

    def visit_index(self, node: expr.Index, /) -> str:
        if isinstance(node.index, expr.Value) and isinstance(node.target, expr.Var):
            return self._bit(node.target, node.index.value)
        kind = type_text(node.target.type)
        shifted = f"{node.target.accept(self)} >> {node.index.accept(self)}"
        return f"((({shifted}) & {kind}(1)) == {kind}(1))"

    def _bit(self, target: expr.Expr, index: int) -> str:
        if not isinstance(target, expr.Var):
            raise QcsQiskitError(f"A value cannot be stored in a bit of {target}; only in bits of variables.")
        if target.standalone:
            return f"{self._names[target]}[{index}]"
        return f"c[{self._register(target)[index]}]"

    @staticmethod
    def _is_register(node: expr.Var) -> bool:
        return not isinstance(node.var, Clbit)

    def _register(self, node: expr.Var) -> list[int]:
        return [self._bits[bit] for bit in node.var]
