"""Gates of Cirq as gate objects."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import cirq
import numpy as np

from ..gates import Angle, GateObject, controlled, gate, unitary

#: Widest matrix that the service takes.
MAX_UNITARY = 6
#: Widest gate without a translation of its own that goes by its matrix rather than by Cirq's decomposition.
_MAX_PREFERRED = 3

AngleOf = Callable[[Any, float], Angle | float]
Builder = Callable[[list[int], AngleOf], list[GateObject]]


def builder_of(op: Any) -> Builder | None:
    """What writes an operation; None if the service has no such gate, and it needs to be decomposed."""
    if isinstance(op, cirq.ControlledOperation):
        inner = builder_of(op.sub_operation.untagged)
        found = _under_controls(inner, op.control_values, len(op.controls))
        return found or _by_matrix(op)
    return None if op.gate is None else _gate_builder(op.gate)


def _gate_builder(one: Any) -> Builder | None:
    found = None
    if isinstance(one, cirq.ControlledGate):
        found = _under_controls(_gate_builder(one.sub_gate), one.control_values, one.num_controls())
    for kind, builder in _BUILDERS:
        if isinstance(one, kind):
            found = builder(one)
            break
    return found or _by_matrix(one)


def _by_matrix(one: Any, widest: int = _MAX_PREFERRED) -> Builder | None:
    """A gate by what Cirq defines it by, rather than by a decomposition, of which some are wrong."""
    if cirq.num_qubits(one) > widest or not cirq.has_unitary(one):
        return None
    # Cirq's first qubit is the most significant bit of the index.
    return lambda qubits, angle: [unitary(cirq.unitary(one), qubits[::-1])]


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


def _fredkin(one: cirq.CSwapGate) -> Builder:
    return lambda qubits, angle: [gate("SWAP", qubits[1:], qubits[:1])]


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


def _matrix(one: Any) -> Builder | None:
    return _by_matrix(one, MAX_UNITARY)


def _diagonal(one: Any) -> Builder | None:
    """A diagonal gate: its matrix, or with open parameters a phase under controls for each of its entries."""
    if not cirq.is_parameterized(one):
        return _matrix(one)
    angles = one._diag_angles_radians

    def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
        gates: list[GateObject] = []
        for values, radians in zip(itertools.product((0, 1), repeat=len(qubits)), angles, strict=True):
            gates += controlled([gate("GPHASE", [], gamma=angle(radians, 1.0))], qubits, values)
        return gates

    return build


def _parallel(one: cirq.ParallelGate) -> Builder | None:
    inner, width = _gate_builder(one.sub_gate), one.sub_gate.num_qubits()
    if inner is None:
        return None

    def build(qubits: list[int], angle: AngleOf) -> list[GateObject]:
        return [
            each
            for start in range(0, len(qubits), width)
            for each in inner(qubits[start : start + width], angle)
        ]

    return build


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
    (cirq.CSwapGate, _fredkin),
    (cirq.ISwapPowGate, _iswap),
    (cirq.XXPowGate, _rotation("RXX")),
    (cirq.YYPowGate, _rotation("RYY")),
    (cirq.ZZPowGate, _rotation("RZZ")),
    (cirq.FSimGate, _fsim),
    (cirq.MatrixGate, _matrix),
    (cirq.TwoQubitDiagonalGate, _diagonal),
    (cirq.ThreeQubitDiagonalGate, _diagonal),
    (cirq.DiagonalGate, _diagonal),
    (cirq.ParallelGate, _parallel),
    (cirq.GlobalPhaseGate, _global_phase),
]
