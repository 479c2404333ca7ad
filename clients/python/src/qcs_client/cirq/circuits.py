"""Circuits of Cirq as gate objects.

Parameters stay open: each distinct expression of an angle is an input, and its values are computed here, so that a
sweep over any expressions is one program.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cirq
import numpy as np
import sympy
from numpy.typing import NDArray

from ..gates import Angle, GateObject, controlled, gate, kraus, unitary
from ..requests import Program

_MAX_UNITARY = 6
_MAX_KRAUS = 3
#: Copies of an operation for the values of the bits that it depends on.
_MAX_CONDITION_VALUES = 64


class QcsCirqError(ValueError):
    """A circuit that cannot be sent, or that the service refused."""


@dataclass
class Record:
    """One measurement of a key."""

    bits: range
    inverted: NDArray[np.uint8]
    """For each bit, 1 if Cirq reports the opposite of what is measured."""


class ServiceCircuit:
    """A circuit as the service reads it."""

    def __init__(
        self, circuit: cirq.AbstractCircuit, qubits: Sequence[cirq.Qid], *, is_sampled: bool = False
    ) -> None:
        wide = [qubit for qubit in qubits if qubit.dimension != 2]
        if wide:
            raise QcsCirqError(f"The service has qubits only; {wide[0]} has {wide[0].dimension} levels.")
        self.expressions: list[sympy.Basic] = []
        """Expression of each input, in order."""
        self.records: dict[str, list[Record]] = {}
        """Measurements of each key, in order."""
        self._indices: dict[sympy.Basic, int] = {}
        self._place = {qubit: index for index, qubit in enumerate(qubits)}
        self._num_bits = 0
        gates: list[GateObject] = []
        for op in cirq.decompose(
            circuit, keep=self._is_known, fallback_decomposer=_as_matrix, on_stuck_raise=_stuck
        ):
            gates += self._operation(op)
        # A phase of the whole state is seen through controls alone.
        gates = [one for one in gates if one["gate"] != "GPHASE" or "controls" in one]
        if is_sampled:
            gates = _without_last_noise(gates)
        self.source_json = Program(gates, qubits=max(1, len(qubits))).to_json()[1:-1]

    def program(self, resolvers: Sequence[cirq.ParamResolver], **fields: Any) -> list[Program]:
        """Programs of a sweep: one, or one for each point if the circuit has no parameters."""
        if not self.expressions:
            return [Program(source_json=self.source_json, **fields) for _ in resolvers]
        inputs = {
            f"p{index}": np.array([_number(resolver.value_of(expression)) for resolver in resolvers])
            for index, expression in enumerate(self.expressions)
        }
        return [Program(source_json=self.source_json, inputs=inputs, **fields)]

    def _is_known(self, op: cirq.Operation) -> bool:
        bare = op.without_classical_controls().untagged
        return _is_structural(bare) or _builder(bare) is not None or _is_channel(bare)

    def _operation(self, op: cirq.Operation) -> list[GateObject]:
        bare = op.without_classical_controls().untagged
        places = [self._place[qubit] for qubit in bare.qubits]
        if isinstance(bare.gate, cirq.MeasurementGate):
            gates = [self._measurement(bare.gate, places)]
        elif isinstance(bare.gate, cirq.ResetChannel):
            gates = [{"gate": "RESET", "qubits": places}]
        elif isinstance(bare.gate, (cirq.IdentityGate, cirq.WaitGate)):
            gates = []
        elif (build := _builder(bare)) is not None:
            gates = build(places, self._angle)
        else:
            # Cirq's first qubit is the most significant bit of the index.
            gates = [kraus(cirq.kraus(bare), places[::-1])]
        conditions = self._conditions(op)
        return gates if conditions is None else [{**one, "condition": c} for c in conditions for one in gates]

    def _angle(self, expression: Any, factor: float) -> Angle | float:
        """``factor`` times a number or an expression, in radians."""
        if not cirq.is_parameterized(expression):
            return factor * float(expression)
        index = self._indices.setdefault(expression, len(self.expressions))
        if index == len(self.expressions):
            self.expressions.append(expression)
        return Angle(f"p{index}", factor)

    def _measurement(self, measurement: cirq.MeasurementGate, places: list[int]) -> GateObject:
        if measurement.confusion_map:
            raise QcsCirqError(
                f"The confusion map of {measurement.key} is not supported; noise={{'readout': …}} has readout errors."
            )
        bits = range(self._num_bits, self._num_bits + len(places))
        self._num_bits = bits.stop
        inverted = np.array(measurement.full_invert_mask(), dtype=np.uint8)
        self.records.setdefault(measurement.key, []).append(Record(bits, inverted))
        return {"gate": "M", "qubits": places, "bits": list(bits)}

    def _conditions(self, op: cirq.Operation) -> list[dict[str, Any]] | None:
        """Values of bits under which an operation runs, one condition each; None if it always runs."""
        bare: Any = op.untagged
        if not isinstance(bare, cirq.ClassicallyControlledOperation):
            return None
        bits: list[int] = []
        choices: list[list[tuple[int, ...]]] = []
        for condition in bare._conditions:
            if not isinstance(condition, cirq.KeyCondition):
                raise QcsCirqError(f"The condition {condition} is not supported; a measurement key alone is.")
            records = self.records.get(str(condition.key))
            if records is None:
                raise QcsCirqError(f"The condition {condition} comes before the measurement of its key.")
            record = records[condition.index]
            bits += record.bits
            inverted = tuple(int(flip) for flip in record.inverted)
            # A key counts as true unless all that it reports is zero.
            choices.append([v for v in itertools.product((0, 1), repeat=len(inverted)) if v != inverted])
        if math.prod(len(choice) for choice in choices) > _MAX_CONDITION_VALUES:
            raise QcsCirqError("A condition depends on too many bits; 6 are supported.")
        values = [sum(values, ()) for values in itertools.product(*choices)]
        return [{"bits": bits, "value": sum(bit << place for place, bit in enumerate(v))} for v in values]


def _without_last_noise(gates: list[GateObject]) -> list[GateObject]:
    """Leaves out noise that no measurement comes after, as Cirq's noise models put it after measurements, too."""
    measured: set[int] = set()
    kept: list[GateObject] = []
    for one in reversed(gates):
        operands = {*one.get("qubits", ()), *one.get("targets", ()), *one.get("controls", ())}
        if one["gate"] == "M" or operands & measured:
            measured |= operands
        elif one["gate"] == "NOISE":
            continue
        kept.append(one)
    return kept[::-1]


AngleOf = Callable[[Any, float], Angle | float]
Builder = Callable[[list[int], AngleOf], list[GateObject]]


def _is_structural(op: cirq.Operation) -> bool:
    kinds = (cirq.MeasurementGate, cirq.ResetChannel, cirq.IdentityGate, cirq.WaitGate)
    return isinstance(op.gate, kinds)


def _is_channel(op: cirq.Operation) -> bool:
    """Whether an operation is noise, and not made of others."""
    return (
        len(op.qubits) <= _MAX_KRAUS
        and cirq.decompose_once(op, None) is None
        and not cirq.has_unitary(op)
        and cirq.has_kraus(op)
    )


def _builder(op: Any) -> Builder | None:
    """What writes an operation; None if the service has no such gate, and it needs to be decomposed."""
    if isinstance(op, cirq.ControlledOperation):
        return _under_controls(_builder(op.sub_operation.untagged), op.control_values, len(op.controls))
    return None if op.gate is None else _gate_builder(op.gate)


def _gate_builder(one: Any) -> Builder | None:
    if isinstance(one, cirq.ControlledGate):
        return _under_controls(_gate_builder(one.sub_gate), one.control_values, one.num_controls())
    for kind, builder in _BUILDERS:
        if isinstance(one, kind):
            return builder(one)
    return None


def _under_controls(inner: Builder | None, values: Any, count: int) -> Builder | None:
    if inner is None or not isinstance(values, cirq.ProductOfSums):
        return None
    single = [value[0] for value in values if len(value) == 1]
    if len(single) < count:
        return None
    return lambda qubits, angle: controlled(inner(qubits[count:], angle), qubits[:count], single)


def _rotation(name: str, controls: int = 0) -> Callable[[Any], Builder]:
    """P^e for a Pauli string P, which is a rotation by π·e and the phase π·e/2."""

    def of(power: Any) -> Builder:
        def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
            turn = angle(power.exponent, math.pi)
            inner = [gate(name, qubits[controls:], theta=turn), _phase(angle, power.exponent, 0.5)]
            # The phase of the gate without its controls is seen through them, its global shift is not.
            return [
                *controlled(inner, qubits[:controls], [1] * controls),
                _phase(angle, power.exponent, power.global_shift),
            ]

        return build

    return of


def _z_power(controls: int) -> Callable[[Any], Builder]:
    def of(power: Any) -> Builder:
        def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
            inner = [gate("P", qubits[controls:], theta=angle(power.exponent, math.pi))]
            return [
                *controlled(inner, qubits[:controls], [1] * controls),
                _phase(angle, power.exponent, power.global_shift),
            ]

        return build

    return of


def _whole(name: str) -> Callable[[Any], Builder | None]:
    """A gate that the service has only as itself, not to a power."""

    def of(power: Any) -> Builder | None:
        if power.exponent != 1:
            return None
        return lambda qubits, angle: [gate(name, qubits), _phase(angle, 1, power.global_shift)]

    return of


def _iswap(power: Any) -> Builder:
    def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
        turn = angle(power.exponent, -math.pi)
        return [
            gate("XX+YY", qubits, theta=turn, beta=0.0),
            _phase(angle, power.exponent, power.global_shift),
        ]

    return build


def _phased_x(power: cirq.PhasedXPowGate) -> Builder:
    def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
        theta, phi = angle(power.exponent, math.pi), angle(power.phase_exponent, math.pi)
        return [
            gate("PRX", qubits, theta=theta, phi=phi),
            _phase(angle, power.exponent, 0.5 + power.global_shift),
        ]

    return build


def _phase(angle: AngleOf, exponent: Any, halves: float) -> GateObject:
    """The phase π · exponent · halves of the whole state, which controls around the gate see."""
    return gate("GPHASE", [], gamma=angle(exponent, math.pi * halves))


def _matrix(one: cirq.MatrixGate) -> Builder | None:
    if one.num_qubits() > _MAX_UNITARY:
        return None
    # Cirq's first qubit is the most significant bit of the index.
    return lambda qubits, angle: [unitary(cirq.unitary(one), qubits[::-1])]


def _fsim(one: cirq.FSimGate) -> Builder:
    return lambda qubits, angle: [gate("FSIM", qubits, theta=angle(one.theta, 1.0), phi=angle(one.phi, 1.0))]


def _global_phase(one: cirq.GlobalPhaseGate) -> Builder | None:
    if cirq.is_parameterized(one):
        return None
    return lambda qubits, angle: [gate("GPHASE", [], gamma=float(np.angle(one.coefficient)))]


_BUILDERS: list[tuple[type, Callable[[Any], Builder | None]]] = [
    (cirq.PhasedXPowGate, _phased_x),
    (cirq.XPowGate, _rotation("RX")),
    (cirq.YPowGate, _rotation("RY")),
    (cirq.ZPowGate, _z_power(0)),
    (cirq.HPowGate, _whole("H")),
    (cirq.CXPowGate, _rotation("RX", 1)),
    (cirq.CCXPowGate, _rotation("RX", 2)),
    (cirq.CZPowGate, _z_power(1)),
    (cirq.CCZPowGate, _z_power(2)),
    (cirq.SwapPowGate, _whole("SWAP")),
    (cirq.ISwapPowGate, _iswap),
    (cirq.XXPowGate, _rotation("RXX")),
    (cirq.YYPowGate, _rotation("RYY")),
    (cirq.ZZPowGate, _rotation("RZZ")),
    (cirq.FSimGate, _fsim),
    (cirq.MatrixGate, _matrix),
    (cirq.GlobalPhaseGate, _global_phase),
]


def _as_matrix(op: cirq.Operation) -> Any:
    if len(op.qubits) <= _MAX_UNITARY and cirq.has_unitary(op):
        return [cirq.MatrixGate(cirq.unitary(op)).on(*op.qubits)]
    return NotImplemented


def _stuck(op: cirq.Operation) -> Exception:
    return QcsCirqError(f"The service has no operation for {op!r}, and it is not made of others.")


def _number(value: Any) -> float:
    if cirq.is_parameterized(value):
        raise QcsCirqError(f"The parameter {value} has no value.")
    if abs(complex(value).imag) > 0:
        raise QcsCirqError(f"An angle must be real; it is {value}.")
    return float(complex(value).real)
