"""Operations of PennyLane as gate objects.

Wire i of n is qubit n − 1 − i. PennyLane reads wire 0 as the most significant bit and the service qubit n − 1, so
that basis indices, amplitudes and probabilities are the same on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pennylane as qml
from pennylane.ops.mid_measure import MidMeasure
from pennylane.ops.op_math.condition import Conditional
from pennylane.ops.qubit.observables import BasisStateProjector

from ..gates import Angle, GateObject, controlled, gate, kraus, unitary

Builder = Callable[[Sequence[int], Sequence[Angle]], list[GateObject]]

#: Widest matrix that the service takes.
MAX_UNITARY = 6
#: Widest channel that the service takes as Kraus matrices.
MAX_KRAUS = 3


def _plain(name: str, *angles: str) -> Builder:
    """A gate of the service with these names of its angles."""

    def build(qubits: Sequence[int], values: Sequence[Angle]) -> list[GateObject]:
        named: dict[str, Any] = dict(zip(angles, values, strict=True))
        return [gate(name, qubits, **named)]

    return build


def _single_excitation(qubits: Sequence[int], values: Sequence[Angle]) -> list[GateObject]:
    return [gate("XX+YY", [qubits[1], qubits[0]], theta=values[0], beta=math.pi / 2)]


def _double_excitation(qubits: Sequence[int], values: Sequence[Angle]) -> list[GateObject]:
    """The rotation of |0011⟩ and |1100⟩, which three CX make differ in the first qubit alone."""
    a, b, c, d = qubits
    spread = [gate("CX", [target], [a]) for target in (b, c, d)] + [gate("X", [b])]
    return [*spread, gate("RY", [a], [b, c, d], theta=values[0]), *reversed(spread)]


def _rotation(qubits: Sequence[int], values: Sequence[Angle]) -> list[GateObject]:
    first, middle, last = values
    return [gate("RZ", qubits, theta=first), gate("RY", qubits, theta=middle), gate("RZ", qubits, theta=last)]


#: Gate objects of operations, by PennyLane's name. Controlled operations follow from what they control.
BUILDERS: dict[str, Builder] = {
    "Identity": lambda qubits, values: [],
    "Barrier": lambda qubits, values: [],
    "PauliX": _plain("X"),
    "PauliY": _plain("Y"),
    "PauliZ": _plain("Z"),
    "Hadamard": _plain("H"),
    "S": _plain("S"),
    "T": _plain("T"),
    "SX": _plain("SX"),
    "Adjoint(S)": _plain("SDG"),
    "Adjoint(T)": _plain("TDG"),
    "Adjoint(SX)": _plain("SXDG"),
    "RX": _plain("RX", "theta"),
    "RY": _plain("RY", "theta"),
    "RZ": _plain("RZ", "theta"),
    "PhaseShift": _plain("P", "theta"),
    "U1": _plain("P", "theta"),
    "U2": _plain("U2", "phi", "lambda_"),
    "U3": _plain("U", "theta", "phi", "lambda_"),
    "Rot": _rotation,
    "SWAP": _plain("SWAP"),
    "ISWAP": _plain("ISWAP"),
    "SISWAP": _plain("SQRTISWAP"),
    "SQISW": _plain("SQRTISWAP"),
    "IsingXX": _plain("RXX", "theta"),
    "IsingYY": _plain("RYY", "theta"),
    "IsingZZ": _plain("RZZ", "theta"),
    "IsingXY": lambda qubits, values: [gate("XX+YY", qubits, theta=-values[0], beta=0.0)],
    "SingleExcitation": _single_excitation,
    "DoubleExcitation": _double_excitation,
    "GlobalPhase": lambda qubits, values: [gate("GPHASE", [], gamma=-values[0])],
}  # fmt: skip


def accepts(op: qml.operation.Operator) -> bool:
    """Whether the service runs an operation as it is."""
    if isinstance(op, Conditional):
        return accepts(op.base)
    if isinstance(op, (MidMeasure, BasisStateProjector)):
        return True
    if isinstance(op, qml.ops.ControlledOp):
        return accepts(op.base)
    if op.name in BUILDERS:
        return True
    if is_channel(op):
        return len(op.wires) <= MAX_KRAUS and len(op.kraus_matrices()[0]) == 2 ** len(op.wires)
    # Of other operations the service takes the matrix, but has no derivative by its entries.
    only_matrix = isinstance(op, qml.QubitUnitary) or (op.has_matrix and not op.has_decomposition)
    return (
        only_matrix and len(op.wires) <= MAX_UNITARY and not any(qml.math.requires_grad(d) for d in op.data)
    )


#: Orders of the product formulas of EVOLVE.
_ORDERS = (1, 2, 4)
_MAX_TERMS = 10_000


def evolution(op: qml.operation.Operator) -> Evolution | None:
    """What EVOLVE needs of a ``TrotterProduct`` or an ``ApproxTimeEvolution``; None for what it cannot say."""
    if any(
        qml.math.ndim(number) or qml.math.requires_grad(number) or qml.math.is_abstract(number)
        for number in op.data
    ):
        return None
    if type(op) is qml.ApproxTimeEvolution:
        # It leaves the identity out.
        words = [each for each in op.hyperparameters["hamiltonian"].pauli_rep.items() if each[0]]
        order, sign = 1, 1
    elif type(op) is qml.TrotterProduct:
        reps = [operand.pauli_rep for operand in op.hyperparameters["base"].operands]
        if any(rep is None or len(rep) != 1 for rep in reps):
            return None
        words = [each for rep in reps for each in rep.items()]
        # It is the exponential of +iHt, and in first order its last term acts first.
        order, sign = op.hyperparameters["order"], -1
        words = words[::-1] if order == 1 else words
    else:
        return None
    steps = op.hyperparameters["n"]
    numbers = [complex(coefficient) for _, coefficient in words]
    if order not in _ORDERS or steps < 1 or not 0 < len(words) <= _MAX_TERMS:
        return None
    if any(number.imag for number in numbers):
        return None
    strings = tuple(tuple(word.items()) for word, _ in words)
    coefficients = tuple(number.real for number in numbers)
    return Evolution(strings, coefficients, sign * float(op.data[-1]), order, int(steps))


class Evolution(NamedTuple):
    """A product formula of e^{-iHt}."""

    strings: tuple[tuple[tuple[Any, str], ...], ...]
    """Wires and letters of the Pauli strings; the first acts first."""
    coefficients: tuple[float, ...]
    time: float
    order: int
    steps: int

    def gate_object(self, qubit_of: Callable[[Any], int]) -> GateObject:
        terms = [
            {
                "pauli": " ".join(f"{letter}{qubit_of(wire)}" for wire, letter in string) or "I",
                "coefficient": number,
            }
            for string, number in zip(self.strings, self.coefficients, strict=True)
        ]
        fields = {"time": self.time, "order": self.order, "steps": self.steps, "exact": False}
        return {"gate": "EVOLVE", "hamiltonian": terms, **fields}


def is_channel(op: qml.operation.Operator) -> bool:
    """Whether an operation is noise. Its numbers are part of the structure of a tape."""
    return isinstance(op, qml.operation.Channel)


def num_inputs(op: qml.operation.Operator) -> int:
    """Number of parameters of an accepted operation that are inputs; a matrix is part of the structure."""
    if isinstance(op, (qml.ops.ControlledOp, Conditional)):
        return num_inputs(op.base)
    return len(op.data) if op.name in BUILDERS else 0


def structure(op: qml.operation.Operator) -> tuple[Any, ...]:
    """What tells an accepted operation from others, apart from the wires and the numbers that are inputs."""
    if isinstance(op, qml.ops.ControlledOp):
        return (op.name, tuple(op.control_values), structure(op.base))
    if is_channel(op):
        return (op.name, np.asarray(op.kraus_matrices(), dtype=np.complex128).tobytes())
    if (evolved := evolution(op)) is not None:
        return (op.name, *evolved)
    if op.name not in BUILDERS:
        return (op.name, np.asarray(op.matrix(), dtype=np.complex128).tobytes())
    return (op.name,)


def gate_objects(
    op: qml.operation.Operator, qubit_of: Callable[[Any], int], angles: Sequence[Angle]
) -> list[GateObject]:
    """Gate objects of an accepted operation."""
    if isinstance(op, qml.ops.ControlledOp):
        inner = gate_objects(op.base, qubit_of, angles)
        return controlled(inner, [qubit_of(wire) for wire in op.control_wires], op.control_values)
    qubits = [qubit_of(wire) for wire in op.wires]
    if is_channel(op):
        return [kraus(op.kraus_matrices(), qubits[::-1])]
    if (evolved := evolution(op)) is not None:
        return [evolved.gate_object(qubit_of)]
    if op.name not in BUILDERS:
        # PennyLane's first wire is the most significant bit of the matrix's index.
        return [unitary(op.matrix(), qubits[::-1])]
    return BUILDERS[op.name](qubits, angles)
