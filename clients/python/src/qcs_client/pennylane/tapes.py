"""Tapes as programs of a batch.

A tape is its structure and its numbers. The structure (operations, wires, measurements) is written once and kept;
the numbers are inputs. Tapes of one structure, such as the shifted ones of a gradient, are points of one program.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pennylane as qml
from numpy.typing import NDArray
from pennylane.devices.qubit.measure import measure
from pennylane.exceptions import DeviceError
from pennylane.measurements import ExpectationMP, ProbabilityMP, VarianceMP

from ..gates import Angle
from ..requests import Program
from ..results import ProgramResult
from .observables import TermsCache, pauli_sentence
from .operations import gate_objects, is_channel, num_inputs, structure


@dataclass(frozen=True)
class Form:
    """What tapes of one structure have in common."""

    source_json: str
    num_inputs: int
    measured: tuple[Any, ...]
    """Wires of the classical bits, bit 0 last; empty without measurement gates."""


@dataclass
class Group:
    """Tapes of one structure, which are one program."""

    form: Form
    wires: Any
    observables_json: str | None
    outputs: list[str]
    shots: int | None
    tapes: list[int] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)

    def program(self) -> Program:
        values = np.concatenate(self.values)
        inputs = {
            f"p{column}": float(values[0, column]) if len(values) == 1 else values[:, column]
            for column in range(self.form.num_inputs)
        }
        return Program(
            source_json=self.form.source_json,
            observables_json=self.observables_json,
            inputs=inputs,
            return_=self.outputs,
            shots=self.shots,
        )


class TapeWriter:
    """Writes tapes as programs. It keeps what it wrote of the last structures and observables."""

    _SIZE = 128

    def __init__(self, device_wires: Any) -> None:
        self._device_wires = device_wires
        self._forms: dict[Any, Form] = {}
        self._terms = TermsCache()

    def groups(self, tapes: Sequence[qml.tape.QuantumScript], *, gradient: bool = False) -> list[Group]:
        """Programs of tapes. With ``gradient``, derivatives of all expectation values are asked for, too."""
        groups: dict[Any, Group] = {}
        for index, tape in enumerate(tapes):
            group = self._group(tape, gradient)
            points = tape.batch_size or 1
            key = (id(group.form), group.observables_json, tuple(group.outputs), group.shots)
            # Without inputs there is no sweep, so that such a tape is a program of its own.
            group = groups.setdefault(key if group.form.num_inputs else (key, index), group)
            group.tapes.append(index)
            group.values.append(_values(tape, points))
        return list(groups.values())

    def _group(self, tape: qml.tape.QuantumScript, gradient: bool) -> Group:
        wires = self._device_wires if self._device_wires is not None else tape.wires
        shots = tape.shots.total_shots
        if shots is not None:
            return Group(self._form(tape, wires, tuple(wires)), wires, None, ["counts"], shots)
        expected = [mp.obs for mp in tape.measurements if has_terms(mp)]
        outputs = []
        if any(isinstance(mp, ExpectationMP) and has_terms(mp) for mp in tape.measurements):
            outputs.append("expectation")
        if any(isinstance(mp, VarianceMP) and has_terms(mp) for mp in tape.measurements):
            outputs.append("variance")
        plain = [mp for mp in tape.measurements if _is_plain_probability(mp)]
        measured: tuple[Any, ...] = ()
        if plain:
            union = qml.wires.Wires.all_wires([mp.wires or wires for mp in plain])
            measured = tuple(wire for wire in wires if wire in union)
            outputs.append("probabilities")
        if len(expected) + len(plain) < len(tape.measurements):
            _check_has_state(tape)
            outputs.append("statevector")
        observables = None
        if expected:
            qubit_of = _qubits(wires)
            observables = "[" + ",".join(self._terms.json(obs, wires, qubit_of) for obs in expected) + "]"
        form = self._form(tape, wires, measured)
        if gradient and form.num_inputs:
            outputs.append("gradient")
        return Group(form, wires, observables, outputs, None)

    def _form(self, tape: qml.tape.QuantumScript, wires: Any, measured: tuple[Any, ...]) -> Form:
        key = (wires, measured, tuple((structure(op), op.wires) for op in tape.operations))
        form = self._forms.pop(key, None) or _form(tape, wires, measured)
        self._forms[key] = form
        if len(self._forms) > self._SIZE:
            del self._forms[next(iter(self._forms))]
        return form


def _form(tape: qml.tape.QuantumScript, wires: Any, measured: tuple[Any, ...]) -> Form:
    qubit_of = _qubits(wires)
    circuit = []
    count = 0
    for op in tape.operations:
        number = num_inputs(op)
        angles = [Angle(f"p{count + k}") for k in range(number)]
        count += number
        circuit += gate_objects(op, qubit_of, angles)
    if measured:
        circuit.append({"gate": "M", "qubits": [qubit_of(wire) for wire in reversed(measured)]})
    text = json.dumps(circuit, separators=(",", ":"))
    return Form(f'"circuit":{text},"qubits":{max(1, len(wires))}', count, measured)


def _qubits(wires: Any) -> Any:
    places = {wire: len(wires) - 1 - index for index, wire in enumerate(wires)}
    return places.__getitem__


def _values(tape: qml.tape.QuantumScript, points: int) -> NDArray[np.float64]:
    """A row of inputs for each point of a tape."""
    numbers = [value for op in tape.operations if num_inputs(op) for value in op.data]
    if points == 1:
        return np.array([[float(np.reshape(value, ())) for value in numbers]], dtype=np.float64)
    columns = [np.broadcast_to(np.asarray(value, dtype=np.float64), (points,)) for value in numbers]
    return np.stack(columns, axis=1) if columns else np.empty((points, 0))


def _check_has_state(tape: qml.tape.QuantumScript) -> None:
    """Refuses exact results that are computed from the amplitudes where noise leaves none."""
    noise = next((op for op in tape.operations if is_channel(op)), None)
    if noise is None:
        return
    others = [mp for mp in tape.measurements if not has_terms(mp) and not _is_plain_probability(mp)]
    raise DeviceError(
        f"With noise ({noise.name}) the service gives expval and var of Pauli sums, and probs of wires; "
        f"{others[0]} needs a state vector."
    )


def trains_channels(tape: qml.tape.QuantumScript) -> bool:
    """Whether a derivative by a parameter of noise is asked for."""
    operations = tape.operations
    places = (tape.par_info[index]["op_idx"] for index in tape.trainable_params)
    return any(place < len(operations) and is_channel(operations[place]) for place in places)


def has_terms(mp: qml.measurements.MeasurementProcess) -> bool:
    """Whether the service gives the exact value of a measurement from a sum of Pauli strings."""
    return (
        isinstance(mp, (ExpectationMP, VarianceMP))
        and mp.eigvals is not None
        and pauli_sentence(mp.obs) is not None
    )


def _is_plain_probability(mp: qml.measurements.MeasurementProcess) -> bool:
    return isinstance(mp, ProbabilityMP) and mp.obs is None and mp._eigvals is None and mp.mv is None


def inputs_of_trainable(tape: qml.tape.QuantumScript) -> list[int | None]:
    """For each trainable parameter the number of its input; None for one of an observable."""
    first: list[int] = []
    count = 0
    for op in tape.operations:
        first.append(count)
        count += num_inputs(op)
    places = [tape.par_info[index] for index in tape.trainable_params]
    return [
        first[place["op_idx"]] + place["p_idx"] if place["op_idx"] < len(first) else None for place in places
    ]


class Reader:
    """Reads the results of a group for each of its tapes."""

    def __init__(self, group: Group, result: ProgramResult) -> None:
        self._group = group
        self._result = result
        self._shots = result.shots_by_point() if group.shots else None

    def value(self, tape: qml.tape.QuantumScript, first: int) -> Any:
        """Result of a tape whose first point is ``first``."""
        points = slice(first, first + (tape.batch_size or 1))
        if self._shots is not None:
            outcomes, index = self._shots
            samples = outcomes[index[points]][:, :, ::-1].astype(np.int64)
            return _sampled(tape, samples if tape.batch_size else samples[0], self._group.wires)
        column = 0
        values = []
        for mp in tape.measurements:
            if has_terms(mp):
                table = self._result.variance if isinstance(mp, VarianceMP) else self._result.expectation
                assert table is not None
                values.append(table[points, column] if tape.batch_size else table[first, column])
                column += 1
            elif _is_plain_probability(mp):
                values.append(self._probabilities(mp, points if tape.batch_size else first))
            else:
                values.append(self._from_state(mp, points if tape.batch_size else first))
        return values[0] if len(values) == 1 else tuple(values)

    def gradient(self, tape: qml.tape.QuantumScript, point: int) -> Any:
        """Jacobian of a tape in PennyLane's nesting: observables, then parameters."""
        inputs = inputs_of_trainable(tape)
        table = self._result.gradient
        rows: list[Any] = []
        for observable in range(len(tape.measurements)):
            # As in PennyLane's own devices, parameters of observables are given zero, after a warning.
            row = [
                np.zeros(())
                if table is None or number is None
                else np.array(table[point, observable, number])
                for number in inputs
            ]
            rows.append(row[0] if len(row) == 1 else tuple(row) or np.zeros(0))
        return rows[0] if len(rows) == 1 else tuple(rows)

    def _probabilities(self, mp: ProbabilityMP, points: Any) -> NDArray[np.float64]:
        """Marginal of the measured wires; the first wire of ``mp`` is the most significant bit."""
        measured = list(self._group.form.measured)
        assert self._result.probabilities is not None
        wanted = list(mp.wires or self._group.wires)
        table = np.atleast_2d(self._result.probabilities[points])
        tensor = table.reshape((-1, *[2] * len(measured)))
        axes = [1 + measured.index(wire) for wire in wanted]
        others = tuple(range(1 + len(axes), tensor.ndim))
        marginal = np.moveaxis(tensor, axes, range(1, 1 + len(axes))).sum(axis=others)
        flat: NDArray[np.float64] = marginal.reshape(len(table), -1)
        return flat[0] if isinstance(points, int) else flat

    def _from_state(self, mp: qml.measurements.MeasurementProcess, points: Any) -> Any:
        """Any other exact measurement, computed here from the amplitudes."""
        wires = self._group.wires
        state = self._result.statevector
        assert state is not None
        on_places = mp.map_wires({wire: place for place, wire in enumerate(wires)})
        shape = [2] * max(1, len(wires))
        if isinstance(points, int):
            return measure(on_places, state[points].reshape(shape))
        return measure(on_places, state[points].reshape([-1, *shape]), is_state_batched=True)


def _sampled(tape: qml.tape.QuantumScript, samples: NDArray[np.int64], wires: Any) -> Any:
    """Results from samples, shape (shots, wires) or (points, shots, wires), one for each part of the shots."""
    parts = []
    for lower, upper in tape.shots.bins():
        part = samples[..., lower:upper, :]
        values = tuple(mp.process_samples(part, wires) for mp in tape.measurements)
        parts.append(values[0] if len(values) == 1 else values)
    return tuple(parts) if tape.shots.has_partitioned_shots else parts[0]
