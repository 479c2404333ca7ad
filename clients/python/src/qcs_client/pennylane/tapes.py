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
from pennylane.devices.qubit_mixed.measure import measure as measure_mixed
from pennylane.measurements import ExpectationMP, ProbabilityMP, SampleMP, VarianceMP
from pennylane.ops.mid_measure import MidMeasure
from pennylane.ops.op_math.condition import Conditional
from pennylane.ops.qubit.observables import BasisStateProjector

from ..arrays import ComplexArray, state_field
from ..gates import Angle
from ..openqasm import If, Repeat, Statement, negated, openqasm, reads, where
from ..requests import Program
from ..results import ProgramResult
from .midcircuit import MeasuredBit, SpareWire, base_of, mid_measurements
from .observables import TermsCache, pauli_sentence
from .operations import gate_objects, is_channel, num_inputs, structure


@dataclass(frozen=True)
class Form:
    """What tapes of one structure have in common."""

    source_json: str
    num_inputs: int
    measured: tuple[Any, ...]
    """Wires of the first classical bits, bit 0 last; empty without measurement gates."""
    postselected: tuple[tuple[int, int], ...]
    """Places among the wires, and the measurements in the middle after them, with the value that counts."""


@dataclass(frozen=True)
class DensityMatrices:
    """Results of a group of noisy tapes, shape (points, 2^wires, 2^wires)."""

    density_matrix: ComplexArray


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

    @property
    def is_mixed(self) -> bool:
        """Whether its results are density matrices, which batches do not have."""
        return self.outputs == ["density_matrix"]

    def circuits(self) -> list[dict[str, Any]]:
        """Fields of a circuit for each point."""
        source = json.loads(f"{{{self.form.source_json}}}")
        return [
            {**source, "inputs": {f"p{column}": float(value) for column, value in enumerate(row)} or None}
            for row in np.concatenate(self.values)
        ]

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

    def __init__(self, device_wires: Any, *, is_noisy: bool = False) -> None:
        self._device_wires = device_wires
        self._is_noisy = is_noisy
        self._forms: dict[Any, Form] = {}
        self._terms = TermsCache()

    def groups(
        self, tapes: Sequence[qml.tape.QuantumScript], *, gradient: bool = False, fill_shots: bool = False
    ) -> list[Group]:
        """Programs of tapes. With ``gradient``, derivatives of all expectation values are asked for, too. With
        ``fill_shots``, a shot that does not count is made again."""
        groups: dict[Any, Group] = {}
        for index, tape in enumerate(tapes):
            group = self._group(tape, gradient, fill_shots)
            points = tape.batch_size or 1
            key = (id(group.form), group.observables_json, tuple(group.outputs), group.shots)
            # Without inputs there is no sweep, so that such a tape is a program of its own.
            group = groups.setdefault(key if group.form.num_inputs else (key, index), group)
            group.tapes.append(index)
            group.values.append(_values(tape, points))
        return list(groups.values())

    def _group(self, tape: qml.tape.QuantumScript, gradient: bool, fill_shots: bool) -> Group:
        used = [wire for wire in tape.wires if not isinstance(wire, MeasuredBit)]
        wires = qml.wires.Wires(used)
        if self._device_wires is not None:
            spare = [wire for wire in used if isinstance(wire, SpareWire)]
            wires = qml.wires.Wires([*self._device_wires, *spare]) if spare else self._device_wires
        shots = tape.shots.total_shots
        if shots is not None:
            form = self._form(tape, wires, tuple(wires), fill_shots)
            return Group(form, wires, None, ["counts"], shots)
        expected = [mp.obs for mp in tape.measurements if has_terms(mp)]
        is_plain = [has_terms(mp) or _is_plain_probability(mp) for mp in tape.measurements]
        postselected = any(isinstance(op, BasisStateProjector) for op in tape.operations)
        if postselected or not all(is_plain):
            is_mixed = self._is_noisy or any(is_channel(op) for op in tape.operations)
            if is_mixed or postselected:
                # All results are computed here.
                outputs = ["density_matrix" if is_mixed else "statevector"]
                return Group(self._form(tape, wires, (), False), wires, None, outputs, None)
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
        if not all(is_plain):
            outputs.append("statevector")
        observables = None
        if expected:
            qubit_of = _qubits(wires)
            observables = "[" + ",".join(self._terms.json(obs, wires, qubit_of) for obs in expected) + "]"
        form = self._form(tape, wires, measured, False)
        if gradient and form.num_inputs:
            outputs.append("gradient")
        return Group(form, wires, observables, outputs, None)

    def _form(
        self, tape: qml.tape.QuantumScript, wires: Any, measured: tuple[Any, ...], fill_shots: bool
    ) -> Form:
        bits = {op.meas_uid: index for index, op in enumerate(mid_measurements(tape))}
        key = (wires, measured, fill_shots, tuple((_structure(op, bits), op.wires) for op in tape.operations))
        form = self._forms.pop(key, None) or _form(tape, wires, measured, bits, fill_shots)
        self._forms[key] = form
        if len(self._forms) > self._SIZE:
            del self._forms[next(iter(self._forms))]
        return form


def _structure(op: Any, bits: dict[Any, int]) -> Any:
    """What tells an operation of a tape from others, apart from the wires and the numbers that are inputs."""
    if isinstance(op, MidMeasure):
        return (op.name, op.reset, op.postselect)
    if isinstance(op, Conditional):
        of_bits = tuple(bits[m.meas_uid] for m in op.meas_val.measurements)
        return (op.name, of_bits, _test(op, bits), structure(op.base))
    if isinstance(op, BasisStateProjector):
        return (op.name, tuple(op.parameters[0]))
    if isinstance(op, qml.StatePrep):
        return (op.name, _amplitudes(op, op.wires).tobytes())
    return structure(op)


def _test(op: Any, bits: dict[Any, int]) -> str:
    """Expression of bits that is true where a conditional operation runs."""
    value = op.meas_val
    names = [f"c[{bits[m.meas_uid]}]" for m in value.measurements]
    return where(names, lambda values: bool(value.processing_fn(*values)))


def _form(
    tape: qml.tape.QuantumScript,
    wires: Any,
    measured: tuple[Any, ...],
    bits: dict[Any, int],
    fill_shots: bool,
) -> Form:
    qubit_of = _qubits(wires)
    # Bits of the final measurement come first.
    bits = {uid: len(measured) + index for uid, index in bits.items()}
    statements: list[Statement] = []
    postselected: list[tuple[int, int]] = []
    count = 0
    state = None
    for op in tape.operations:
        if isinstance(op, qml.StatePrep):
            # The first operation; others were decomposed.
            state = _amplitudes(op, wires)
            continue
        number = num_inputs(op)
        angles = [Angle(f"p{count + k}") for k in range(number)]
        count += number
        if isinstance(op, MidMeasure):
            qubits, bit = [qubit_of(op.wires[0])], bits[op.meas_uid]
            statements.append({"gate": "M", "qubits": qubits, "bits": [bit]})
            if op.postselect is not None:
                postselected.append((len(wires) + bit - len(measured), op.postselect))
            if op.reset:
                statements.append({"gate": "RESET", "qubits": qubits})
        elif isinstance(op, BasisStateProjector):
            postselected += [
                (wires.index(wire), int(value))
                for wire, value in zip(op.wires, op.parameters[0], strict=True)
            ]
        elif isinstance(op, Conditional):
            if gates := gate_objects(op.base, qubit_of, angles):
                statements.append(If(_test(op, bits), gates))
        else:
            statements += gate_objects(op, qubit_of, angles)
    if measured:
        qubits = [qubit_of(wire) for wire in reversed(measured)]
        statements.append({"gate": "M", "qubits": qubits, "bits": list(range(len(measured)))})
    if fill_shots and postselected:
        statements = _again_until(statements, postselected, len(wires))
    source = _source(statements, max(1, len(wires)), len(measured) + len(bits), count)
    return Form(
        source if state is None else f'{source},"initial_state":{json.dumps(state_field(state))}',
        count,
        measured,
        tuple(postselected),
    )


def _amplitudes(op: qml.StatePrep, wires: Any) -> ComplexArray:
    """Amplitudes on all wires, whose first one is the most significant bit, as it is at the service."""
    vector = op.state_vector(wire_order=qml.wires.Wires(wires))
    return np.asarray(qml.math.toarray(vector), dtype=np.complex128).reshape(-1)


def _again_until(
    statements: list[Statement], postselected: Sequence[tuple[int, int]], num_wires: int
) -> list[Statement]:
    """Makes a shot again until it counts."""
    bits = [f"c[{num_wires - 1 - place if place < num_wires else place}]" for place, _ in postselected]
    counts = reads(bits, [value for _, value in postselected])
    reset: Statement = {"gate": "RESET", "qubits": list(range(num_wires))}
    return [Repeat([*statements, If(negated(counts), [reset])], counts)]


def _source(statements: list[Statement], num_qubits: int, num_bits: int, num_inputs: int) -> str:
    if all(isinstance(one, dict) for one in statements):
        text = json.dumps(statements, separators=(",", ":"))
        return f'"circuit":{text},"qubits":{num_qubits}'
    text = openqasm(statements, num_qubits=num_qubits, registers={"c": num_bits}, num_inputs=num_inputs)
    return f'"qasm":{json.dumps(text)}'


def _qubits(wires: Any) -> Any:
    places = {wire: len(wires) - 1 - index for index, wire in enumerate(wires)}
    return places.__getitem__


def _values(tape: qml.tape.QuantumScript, points: int) -> NDArray[np.float64]:
    """A row of inputs for each point of a tape."""
    numbers = [value for op in tape.operations if num_inputs(op) for value in base_of(op).data]
    if points == 1:
        return np.array([[float(np.reshape(value, ())) for value in numbers]], dtype=np.float64)
    columns = [np.broadcast_to(np.asarray(value, dtype=np.float64), (points,)) for value in numbers]
    return np.stack(columns, axis=1) if columns else np.empty((points, 0))


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

    def __init__(self, group: Group, result: ProgramResult | DensityMatrices) -> None:
        self._group = group
        self._result: Any = result
        self._shots = (
            None if isinstance(result, DensityMatrices) or not group.shots else result.shots_by_point()
        )

    def value(self, tape: qml.tape.QuantumScript, first: int) -> Any:
        """Result of a tape whose first point is ``first``."""
        points = slice(first, first + (tape.batch_size or 1))
        if self._shots is not None:
            outcomes, index = self._shots
            bits = outcomes[index[points]].astype(np.int64)
            width = len(self._group.wires)
            samples = np.concatenate([bits[:, :, :width][:, :, ::-1], bits[:, :, width:]], axis=2)
            return _sampled(tape, samples if tape.batch_size else samples[0], self._group)
        if self._group.outputs == ["density_matrix"] or self._group.form.postselected:
            found = [self._from_state(mp, points if tape.batch_size else first) for mp in tape.measurements]
            return found[0] if len(found) == 1 else tuple(found)
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
        on_places = mp.map_wires({wire: place for place, wire in enumerate(wires)})
        shape = [2] * max(1, len(wires))
        if isinstance(self._result, DensityMatrices):
            matrices = _normal(
                self._result.density_matrix.reshape(-1, *shape, *shape), self._group.form, len(shape)
            )
            if isinstance(points, int):
                return measure_mixed(on_places, matrices[points])
            return measure_mixed(on_places, matrices[points], is_state_batched=True)
        states = _normal(self._result.statevector.reshape(-1, *shape), self._group.form)
        if isinstance(points, int):
            return measure(on_places, states[points])
        return measure(on_places, states[points], is_state_batched=True)


def _normal(states: ComplexArray, form: Form, num_wires: int = 0) -> ComplexArray:
    """States after postselection, with norm or trace 1; NaN where its probability is zero. Axis 0 is the point.

    Density matrices have ``num_wires`` axes of rows, and then as many of columns.
    """
    if not form.postselected:
        return states
    kept = np.zeros_like(states)
    index: list[Any] = [slice(None)] * states.ndim
    for place, value in form.postselected:
        for axis in {1 + place, 1 + place + num_wires}:
            wanted = slice(value, value + 1)
            # Two values of one wire leave nothing.
            index[axis] = wanted if index[axis] in (slice(None), wanted) else slice(0)
    kept[tuple(index)] = states[tuple(index)]
    flat = kept.reshape(len(kept), -1)
    if num_wires:
        size = 2**num_wires
        norms = np.trace(flat.reshape(-1, size, size), axis1=1, axis2=2).real
    else:
        norms = np.linalg.norm(flat, axis=1)
    norms[norms < _IMPOSSIBLE] = np.nan
    with np.errstate(invalid="ignore"):
        normal: ComplexArray = kept / norms.reshape(-1, *[1] * (states.ndim - 1))
    return normal


#: Norm, or trace, of a state that only rounding left.
_IMPOSSIBLE = 1e-8


def _sampled(tape: qml.tape.QuantumScript, samples: NDArray[np.int64], group: Group) -> Any:
    """Results from samples, shape (shots, wires) or (points, shots, wires), one for each part of the shots.

    Bits of measurements in the middle come after the wires.
    """
    num_bits = samples.shape[-1] - len(group.wires)
    labels = qml.wires.Wires([*group.wires, *(MeasuredBit(index) for index in range(num_bits))])
    parts = []
    for lower, upper in tape.shots.bins():
        part = samples[..., lower:upper, :]
        if group.form.postselected:
            part = part[np.all([part[:, place] == value for place, value in group.form.postselected], axis=0)]
        values = tuple(_of_samples(mp, part, labels, len(group.wires)) for mp in tape.measurements)
        parts.append(values[0] if len(values) == 1 else values)
    return tuple(parts) if tape.shots.has_partitioned_shots else parts[0]


def _of_samples(mp: Any, samples: NDArray[np.int64], labels: Any, num_wires: int) -> Any:
    if samples.shape[-2] == 0 and not isinstance(mp, SampleMP):
        # As PennyLane has it where no shot counts.
        return np.full(2 ** len(mp.wires), np.nan) if isinstance(mp, ProbabilityMP) else np.nan
    if not mp.wires and mp.mv is None:
        # All wires, without the measurements in the middle.
        return mp.process_samples(samples[..., :num_wires], labels[:num_wires])
    return mp.process_samples(samples, labels)
