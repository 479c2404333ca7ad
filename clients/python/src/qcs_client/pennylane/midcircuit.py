"""Measurements in the middle of a tape.

With shots the service makes them, each into a bit of its own, which is the place of a :class:`MeasuredBit` among the
wires of the tape's results. Exact results come from deferred measurements, which need a wire for most of them: one of
the device that the tape does not use, or a :class:`SpareWire`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pennylane as qml
from pennylane.devices.preprocess import validate_device_wires
from pennylane.exceptions import DeviceError
from pennylane.measurements import CountsMP
from pennylane.ops.mid_measure import MeasurementValue, MidMeasure
from pennylane.ops.op_math.condition import Conditional
from pennylane.ops.qubit.observables import BasisStateProjector
from pennylane.transforms import broadcast_expand, defer_measurements, split_non_commuting
from pennylane.transforms.core import transform

Postprocess = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True)
class MeasuredBit:
    """Label of the bit of a measurement in the middle, counted in the order of the tape."""

    index: int


@dataclass(frozen=True)
class SpareWire:
    """Label of a wire beyond those of the device, which no result is read from but by measurements in the middle."""

    index: int


def is_own(wire: Any) -> bool:
    """Whether a label is one of this module."""
    return isinstance(wire, (MeasuredBit, SpareWire))


def mid_measurements(tape: qml.tape.QuantumScript) -> list[Any]:
    return [op for op in tape.operations if isinstance(op, MidMeasure)]


def postselects(tape: qml.tape.QuantumScript) -> bool:
    """Whether some shots of a tape do not count."""
    return any(op.postselect is not None for op in mid_measurements(tape)) or any(
        isinstance(op, BasisStateProjector) for op in tape.operations
    )


def _first(results: Sequence[Any]) -> Any:
    return results[0]


@transform
def measure_bits(tape: qml.tape.QuantumScript, wires: Any, deferred: bool) -> Any:
    """Defers the measurements in the middle of exact tapes, and has those with shots read from their bits."""
    if deferred or not tape.shots:
        tapes, merge = defer_measurements(tape)
        if wires is None:
            return tapes, merge
        beyond = [wire for wire in tapes[0].wires if wire not in tape.wires and wire not in wires]
        spare = {wire: SpareWire(index) for index, wire in enumerate(beyond)}
        return [qml.map_wires(one, spare)[0][0] for one in tapes] if spare else tapes, merge
    measured = {op.meas_uid: MeasuredBit(index) for index, op in enumerate(mid_measurements(tape))}
    if not measured:
        return (tape,), _first
    with qml.QueuingManager.stop_recording():
        read = tape.copy(measurements=[_read_from(mp, measured) for mp in tape.measurements])
    # Points of a sweep may have different numbers of shots that count.
    return broadcast_expand(read) if postselects(read) and read.batch_size else ((read,), _first)


def _read_from(mp: Any, measured: dict[Any, MeasuredBit]) -> Any:
    """A measurement of values of measurements in the middle, read from their bits."""
    if mp.mv is None:
        return mp

    def of_bits(value: Any) -> Any:
        mapped = [qml.map_wires(m, {m.wires[0]: measured[m.meas_uid]}) for m in value.measurements]
        return MeasurementValue(mapped, value.processing_fn if value.has_processing else None)

    value = of_bits(mp.mv) if isinstance(mp.mv, MeasurementValue) else [of_bits(each) for each in mp.mv]
    if isinstance(mp, CountsMP):
        return CountsMP(obs=value, all_outcomes=mp.all_outcomes)
    return type(mp)(obs=value)


@transform
def last_postselection(tape: qml.tape.QuantumScript) -> Any:
    """Moves projectors to the end. A wire that is used after its projector is first copied to a further wire."""
    if not any(isinstance(op, BasisStateProjector) for op in tape.operations):
        return (tape,), _first
    following: set[Any] = set()
    operations: list[Any] = []
    projectors: list[Any] = []
    further = (SpareWire(index) for index in itertools.count() if SpareWire(index) not in tape.wires)
    with qml.QueuingManager.stop_recording():
        for op in reversed(tape.operations):
            if not isinstance(op, BasisStateProjector):
                operations.append(op)
                following.update(op.wires)
                continue
            for wire, value in zip(op.wires, op.parameters[0], strict=True):
                if wire in following:
                    copied = next(further)
                    operations.append(qml.CNOT([wire, copied]))
                    wire = copied
                projectors.append(qml.Projector([int(value)], wires=wire))
    return (tape.copy(operations=[*reversed(operations), *projectors]),), _first


@transform
def on_device_wires(tape: qml.tape.QuantumScript, wires: Any, name: str) -> Any:
    """PennyLane's check of wires, which does not know of the labels of this module."""
    own = [any(map(is_own, mp.wires)) for mp in tape.measurements]
    plain = [mp for mp, is_one in zip(tape.measurements, own, strict=True) if not is_one]
    with qml.QueuingManager.stop_recording():
        acted = [qml.Identity(wire) for wire in tape.wires if not is_own(wire)]
    (checked,), _ = validate_device_wires(tape.copy(operations=acted, measurements=plain), wires, name=name)
    left = iter(checked.measurements)
    measurements = [mp if is_one else next(left) for mp, is_one in zip(tape.measurements, own, strict=True)]
    return (tape.copy(measurements=measurements),), _first


@transform
def samples_of_commuting(tape: qml.tape.QuantumScript) -> Any:
    """With shots, tapes whose measurements are all read from one set of samples in the computational basis."""
    if not tape.shots:
        return (tape,), _first
    tapes, merge = split_non_commuting(tape)
    return [one.copy(operations=[*one.operations, *one.diagonalizing_gates]) for one in tapes], merge


_DIFFERENCES = (None, "finite-diff", "spsa", qml.gradients.finite_diff, qml.gradients.spsa_grad)


def check_gradient(tape: qml.tape.QuantumScript | None, method: Any) -> None:
    """Refuses gradients by rules that do not hold: they would be wrong in silence."""
    if tape is None or not tape.trainable_params or method in _DIFFERENCES:
        return
    advice = 'use diff_method="finite-diff", or None for values alone.'
    if postselects(tape):
        # Such a value is a ratio of expectation values.
        raise DeviceError(f"The rules for gradients do not hold for circuits with postselection; {advice}")
    trained = (tape.par_info[index]["op"] for index in tape.trainable_params)
    if tape.shots and any(isinstance(op, Conditional) for op in trained):
        # PennyLane takes differences of neighbouring points, of which shots leave only noise.
        raise DeviceError(f"From shots there is no gradient by an angle of qml.cond; {advice}")


def base_of(op: Any) -> Any:
    """What an operation does where its condition holds."""
    return op.base if isinstance(op, Conditional) else op
