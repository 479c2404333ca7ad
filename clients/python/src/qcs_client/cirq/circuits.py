"""Circuits of Cirq as the service reads them: gate objects, or OpenQASM where they compute with measured bits.

Parameters stay open: each distinct expression of an angle is an input, and its values are computed here, so that a
sweep over any expressions is one program.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import cirq
import numpy as np
import sympy
from numpy.typing import NDArray

from ..errors import QcsError
from ..gates import Angle, GateObject, gate, kraus
from ..openqasm import If, Repeat, Statement, all_of, openqasm, reads
from ..requests import Program
from .conditions import condition_text
from .errors import QcsCirqError
from .operations import MAX_UNITARY, builder_of
from .records import LoopRecords, OneRecord, Records

_MAX_KRAUS = 3


class ServiceCircuit:
    """A circuit as the service reads it.

    Args:
        loop_records: measurements of a key that are kept where it is measured in a loop.
    """

    def __init__(
        self,
        circuit: cirq.AbstractCircuit,
        qubits: Sequence[cirq.Qid],
        *,
        is_sampled: bool = False,
        loop_records: int = 1,
    ) -> None:
        wide = [qubit for qubit in qubits if qubit.dimension != 2]
        if wide:
            raise QcsCirqError(f"The service has qubits only; {wide[0]} has {wide[0].dimension} levels.")
        self.expressions: list[sympy.Basic] = []
        """Expression of each input, in order."""
        self._indices: dict[sympy.Basic, int] = {}
        self._place = {qubit: index for index, qubit in enumerate(qubits)}
        #: Bits of each register of the program, in the order of the outcome; ``c`` has those of single measurements.
        self._registers = {"c": 0}
        self._records: dict[str, Records] = {}
        self._loop_records = loop_records
        self._die: int | None = None
        operations = list(_flat(circuit))
        self._keys_in_loops = {
            key for op in operations if _loop(op) is not None for key in cirq.measurement_key_names(op)
        }
        self._keys_read = {str(key) for key in _keys_read(operations)}
        try:
            statements = self._statements(operations)
            self.source_json = self._source(statements, is_sampled)
        except QcsError as error:
            raise QcsCirqError(str(error)) from error

    @property
    def has_die(self) -> bool:
        """Whether a further qubit is measured for random bits."""
        return self._die is not None

    def program(self, resolvers: Sequence[cirq.ParamResolver], **fields: Any) -> list[Program]:
        """Programs of a sweep: one, or one for each point if the circuit has no parameters."""
        if not self.expressions:
            return [Program(source_json=self.source_json, **fields) for _ in resolvers]
        inputs = {
            f"p{index}": np.array([_number(resolver.value_of(expression)) for resolver in resolvers])
            for index, expression in enumerate(self.expressions)
        }
        return [Program(source_json=self.source_json, inputs=inputs, **fields)]

    def records(self, bits: NDArray[np.uint8], rng: np.random.Generator) -> dict[str, NDArray[np.uint8]]:
        """Records by key, shape (repetitions, measurements of the key, qubits), from bits of the outcome."""
        ends = itertools.accumulate(self._registers.values())
        starts = dict(zip(self._registers, (0, *ends), strict=False))
        return {key: records.read(bits, starts, rng) for key, records in self._records.items()}

    def _source(self, statements: list[Statement], is_sampled: bool) -> str:
        num_qubits = max(1, len(self._place) + self.has_die)
        if all(isinstance(one, dict) for one in statements):
            gates: list[Any] = list(statements)
            if is_sampled:
                gates = _without_last_noise(gates)
            return Program(gates, qubits=num_qubits).to_json()[1:-1]
        text = openqasm(
            statements,
            num_qubits=num_qubits,
            registers=self._registers,
            num_inputs=len(self.expressions),
        )
        return f'"qasm":{json.dumps(text)}'

    def _statements(self, operations: Iterable[cirq.Operation]) -> list[Statement]:
        statements: list[Statement] = []
        for op in operations:
            loop = _loop(op)
            if loop is None:
                statements += self._operation(op)
            else:
                body = self._statements(_flat(loop.replace(repeat_until=None).mapped_circuit()))
                statements.append(Repeat(body, self._test(loop._mapped_repeat_until)))
        return statements

    def _operation(self, op: cirq.Operation) -> list[Statement]:
        bare = op.without_classical_controls().untagged
        places = [self._place[qubit] for qubit in bare.qubits]
        if isinstance(bare.gate, cirq.MeasurementGate):
            return self._measurement(bare.gate, places)
        gates: list[Statement]
        if isinstance(bare.gate, cirq.ResetChannel):
            gates = [{"gate": "RESET", "qubits": places}]
        elif isinstance(bare.gate, (cirq.IdentityGate, cirq.WaitGate)):
            gates = []
        elif (build := builder_of(bare)) is not None:
            # A phase of the whole state is seen through controls alone.
            built = build(places, self._angle)
            gates = [one for one in built if one["gate"] != "GPHASE" or "controls" in one]
        elif keys := cirq.measurement_key_names(bare):
            raise QcsCirqError(
                f"The key {', '.join(sorted(keys))} of the channel {bare} is not supported: the service does not "
                "say which of its operators acted."
            )
        else:
            # Cirq's first qubit is the most significant bit of the index.
            gates = [kraus(cirq.kraus(bare), places[::-1])]
        conditions = _conditions(op)
        return [If(all_of([self._test(one) for one in conditions]), gates)] if conditions and gates else gates

    def _test(self, condition: Any) -> str:
        return condition_text(condition, self._records)

    def _angle(self, expression: Any, factor: float) -> Angle | float:
        """``factor`` times a number or an expression, in radians."""
        if not cirq.is_parameterized(expression):
            return factor * float(expression)
        index = self._indices.setdefault(expression, len(self.expressions))
        if index == len(self.expressions):
            self.expressions.append(expression)
        return Angle(f"p{index}", factor)

    def _measurement(self, measurement: cirq.MeasurementGate, places: list[int]) -> list[Statement]:
        key, width = measurement.key, len(places)
        inverted = measurement.full_invert_mask()
        confusion = dict(measurement.confusion_map)
        known = self._records.get(key)
        if known is not None and known.width != width:
            raise QcsCirqError(f"The key {key} is measured on {known.width} qubits and on {width}.")
        if key in self._keys_in_loops:
            loop = known if isinstance(known, LoopRecords) else self._new_loop_records(key, width)
            bits = loop.bits(-1)
            return [
                *loop.make_room(),
                *self._measured(places, bits, confusion),
                *(f"{bit} = !{bit};" for bit, flip in zip(bits, inverted, strict=True) if flip),
            ]
        start = self._new_bits("c", width)
        self._records.setdefault(key, Records(width)).add(
            # Bits that decide on operations are confused while the circuit runs.
            OneRecord(start, inverted, {} if key in self._keys_read else confusion)
        )
        if confusion and key in self._keys_read:
            return self._measured(places, [f"c[{start + k}]" for k in range(width)], confusion)
        return [{"gate": "M", "qubits": places, "bits": list(range(start, start + width))}]

    def _new_loop_records(self, key: str, width: int) -> LoopRecords:
        register = f"m{len(self._registers)}"
        made = LoopRecords(key, width, register, self._loop_records)
        self._registers[register] = made.num_bits
        self._records[key] = made
        return made

    def _measured(
        self, places: Sequence[int], bits: Sequence[str], confusion: dict[tuple[int, ...], Any]
    ) -> list[Statement]:
        """Measures into bits. Those of the confusion map are drawn by measurements of a further qubit, the die."""
        true_bits = list(bits)
        confused = {k for indices in confusion for k in indices}
        if confused:
            self._die = len(self._place)
            for k in confused:
                true_bits[k] = f"t[{self._new_bits('t', 1)}]"
        statements: list[Statement] = [
            f"{bit} = measure q[{place}];" for bit, place in zip(true_bits, places, strict=True)
        ]
        for indices, matrix in confusion.items():
            statements += self._drawn([true_bits[k] for k in indices], [bits[k] for k in indices], matrix)
        return statements

    def _drawn(self, given: Sequence[str], drawn: Sequence[str], matrix: Any) -> Iterator[Statement]:
        """Draws bits, one after the other, with the probabilities of the row of the matrix that the given bits name."""
        assert self._die is not None
        tensor = np.reshape(np.asarray(matrix, dtype=np.float64), [2] * (2 * len(given)))
        for k, bit in enumerate(drawn):
            yield f"reset q[{self._die}];"
            for values in itertools.product((0, 1), repeat=len(given) + k):
                zero, one = (float(tensor[(*values, value)].sum()) for value in (0, 1))
                if one > 0:
                    turn = gate("RY", [self._die], theta=2 * math.atan2(math.sqrt(one), math.sqrt(zero)))
                    yield If(reads([*given, *drawn[:k]], values), [turn])
            yield f"{bit} = measure q[{self._die}];"

    def _new_bits(self, register: str, count: int) -> int:
        """Adds bits to a register and gives the first one."""
        start = self._registers.get(register, 0)
        self._registers[register] = start + count
        return start


def _flat(circuit: cirq.AbstractCircuit) -> Iterable[cirq.Operation]:
    """Operations that the service has, and loops."""
    flat: Iterable[cirq.Operation] = cirq.decompose(
        circuit, keep=_is_known, fallback_decomposer=_as_matrix, on_stuck_raise=_stuck
    )
    return flat


def _is_known(op: cirq.Operation) -> bool:
    bare = op.without_classical_controls().untagged
    kinds = (cirq.MeasurementGate, cirq.ResetChannel, cirq.IdentityGate, cirq.WaitGate)
    if isinstance(bare.gate, kinds) or _loop(bare) is not None:
        return True
    return builder_of(bare) is not None or _is_channel(bare)


def _is_channel(op: cirq.Operation) -> bool:
    """Whether an operation is noise, and not made of others."""
    return (
        len(op.qubits) <= _MAX_KRAUS
        and cirq.decompose_once(op, None) is None
        and not cirq.has_unitary(op)
        and cirq.has_kraus(op)
    )


def _loop(op: cirq.Operation) -> Any:
    """The operation as a loop; None if it is none."""
    bare = op.untagged
    return bare if isinstance(bare, cirq.CircuitOperation) and bare.repeat_until is not None else None


def _conditions(op: cirq.Operation) -> list[Any]:
    """Conditions under which an operation runs."""
    bare: Any = op.untagged
    return sorted(bare._conditions, key=str) if isinstance(bare, cirq.ClassicallyControlledOperation) else []


def _keys_read(operations: Iterable[cirq.Operation]) -> Iterator[cirq.MeasurementKey]:
    """Keys that decide on what runs."""
    for op in operations:
        loop = _loop(op)
        if loop is None:
            yield from cirq.control_keys(op)
        else:
            yield from loop._mapped_repeat_until.keys
            yield from _keys_read(_flat(loop.replace(repeat_until=None).mapped_circuit()))


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


def _as_matrix(op: cirq.Operation) -> Any:
    if len(op.qubits) <= MAX_UNITARY and cirq.has_unitary(op):
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
