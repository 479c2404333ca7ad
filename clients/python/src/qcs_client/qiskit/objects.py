"""Circuits as gate objects: those with time evolutions, which OpenQASM has no form of, and those with snapshots."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import (
    Barrier,
    ControlFlowOp,
    ControlledGate,
    Delay,
    Measure,
    Parameter,
    ParameterExpression,
    Reset,
    Store,
)
from qiskit.circuit.library import PauliEvolutionGate
from qiskit.quantum_info import Operator, SparseObservable, SparsePauliOp
from qiskit.synthesis import LieTrotter, MatrixExponential, SuzukiTrotter

from ..gates import Angle, GateObject, gate, unitary
from .circuits import (
    MAX_MATRIX_QUBITS,
    ServiceCircuit,
    definition_of,
    first_state,
    has_matrix,
    numbered,
    service_circuit,
    standard_gate,
)
from .errors import QcsQiskitError

#: Orders of the product formulas of EVOLVE.
_ORDERS = (1, 2, 4)
#: Most terms of its Hamiltonian, and most qubits of one that is exact whatever its terms are.
_MAX_TERMS = 10_000
_MAX_EXACT_QUBITS = 6
#: Projectors of Qiskit's observables as half the sum of I and a Pauli letter.
_PROJECTORS = {"0": ("Z", 1), "1": ("Z", -1), "+": ("X", 1), "-": ("X", -1), "r": ("Y", 1), "l": ("Y", -1)}
#: Angles of gates, where they are not the first of these.
_ANGLES = ("theta", "phi", "lambda_")
_OTHER_ANGLES = {
    "u2": ("phi", "lambda_"),
    "gphase": ("gamma",),
    "xx_plus_yy": ("theta", "beta"),
    "xx_minus_yy": ("theta", "beta"),
}


def sent_circuit(circuit: QuantumCircuit, takes_states: bool, keeps_evolutions: bool) -> ServiceCircuit:
    """A circuit as it is sent: as gate objects if it has evolutions that EVOLVE can say, and otherwise as text.

    Args:
        takes_states: as of :func:`service_circuit`.
        keeps_evolutions: whether ``PauliEvolutionGate`` may become EVOLVE. Noise acts on gates, and those of EVOLVE are
            not those of Qiskit's definition.

    Raises:
        QcsQiskitError: as :func:`service_circuit`.
    """
    if keeps_evolutions and any(_evolve(each.operation) for each in circuit.data):
        state, rest = first_state(circuit) if takes_states else (None, circuit)
        try:
            writer = ObjectWriter(rest, keeps_evolutions)
        except QcsQiskitError:
            # Control flow, and expressions of parameters: as text they can be written.
            return service_circuit(circuit, takes_states)
        if not writer.has_unbounded:
            return ServiceCircuit(writer.gates, writer.inputs, circuit, state, writer.measures)
    return service_circuit(circuit, takes_states)


class ObjectWriter:
    """Gate objects of a circuit."""

    def __init__(self, circuit: QuantumCircuit, keeps_evolutions: bool) -> None:
        self._circuit = circuit
        self._keeps_evolutions = keeps_evolutions
        self._names = {
            parameter: numbered(parameter.name, number) for number, parameter in enumerate(circuit.parameters)
        }
        self.inputs = list(self._names.values())
        self.gates: list[GateObject] = []
        self.measures = False
        self.has_unbounded = False
        """Whether an evolution is written as gates of its definition: the error bound of the others is not the circuit's."""
        self._body(circuit, list(range(circuit.num_qubits)), list(range(circuit.num_clbits)))

    def refuse(self, why: str) -> NoReturn:
        raise QcsQiskitError(f"The circuit {self._circuit.name} cannot be sent: {why}.")

    def _body(self, circuit: QuantumCircuit, qubits: list[int], bits: list[int]) -> None:
        phase = self._angle(circuit.global_phase)
        if phase != 0:
            self.gates.append(gate("GPHASE", [], gamma=phase))
        for each in circuit.data:
            on = [qubits[circuit.find_bit(qubit).index] for qubit in each.qubits]
            into = [bits[circuit.find_bit(bit).index] for bit in each.clbits]
            self._operation(each.operation, on, into)

    def _operation(self, operation: Any, qubits: list[int], bits: list[int]) -> None:
        if isinstance(operation, Measure):
            self.measures = True
            self.gates.append({"gate": "M", "qubits": qubits, "bits": bits})
        elif isinstance(operation, Reset):
            self.gates.append({"gate": "RESET", "qubits": qubits})
        elif isinstance(operation, Barrier):
            self.gates.append({"gate": "BARRIER", "qubits": qubits})
        elif isinstance(operation, (ControlFlowOp, Store, Delay)):
            self.refuse(f"a circuit that is sent as gate objects has no {operation.name}")
        elif self._keeps_evolutions and (evolve := _evolve(operation)) is not None:
            self.gates.append(evolve(qubits, self._angle(operation.time)))
        elif (written := self._standard(operation, qubits)) is not None:
            self.gates.append(written)
        elif (
            has_matrix(operation)
            and not isinstance(operation, PauliEvolutionGate)
            and operation.num_qubits <= MAX_MATRIX_QUBITS
            and not any(_is_open(value) for value in operation.params)
        ):
            self.gates.append(unitary(Operator(operation).data, qubits))
        else:
            base = getattr(operation, "base_op", getattr(operation, "base_gate", operation))
            self.has_unbounded |= isinstance(base, PauliEvolutionGate)
            self._body(definition_of(self._circuit, operation), qubits, bits)

    def _standard(self, operation: Any, qubits: Sequence[int]) -> GateObject | None:
        """A standard gate of Qiskit by its name, under its controls; None for any other operation."""
        if isinstance(operation, ControlledGate):
            base, count = operation.base_gate, operation.num_ctrl_qubits
            # CU has an angle more than its base, and some gates have ancillas.
            is_plain = operation.ctrl_state == 2**count - 1 and len(operation.params) == len(base.params)
            if not is_plain or operation.num_qubits != count + base.num_qubits:
                return None
            inner = self._standard(base, qubits[count:])
            return inner and {**inner, "controls": [*qubits[:count], *inner.get("controls", [])]}
        found = standard_gate(operation)
        if found is None:
            return None
        name, params = found
        names = _OTHER_ANGLES.get(name, _ANGLES)
        angles: dict[str, Any] = dict(zip(names, map(self._angle, params), strict=False))
        return gate(name, qubits, **angles)

    def _angle(self, value: Any) -> Angle | float:
        """A number, or a straight line in one parameter."""
        if not _is_open(value):
            number = complex(value.numeric() if isinstance(value, ParameterExpression) else value)
            if number.imag:
                self.refuse(f"the angle {value} is not real")
            return number.real
        [parameter, *others] = value.parameters
        if others or parameter not in self._names:
            self.refuse(f"the angle {value} is no multiple of a parameter of the circuit")
        if isinstance(value, Parameter):
            return Angle(self._names[parameter])
        slope = value.gradient(parameter)
        if _is_open(slope) or complex(slope).imag:
            self.refuse(f"the angle {value} is no multiple of a parameter of the circuit")
        offset = complex(value.bind({parameter: 0.0}).numeric())
        return Angle(self._names[parameter], complex(slope).real, offset.real)


def _is_open(value: Any) -> bool:
    return isinstance(value, ParameterExpression) and bool(value.parameters)


def _evolve(operation: Any) -> Callable[[Sequence[int], Angle | float], GateObject] | None:
    """EVOLVE with the operator that Qiskit's synthesis has, given its qubits and its time; None if there is none."""
    if not isinstance(operation, PauliEvolutionGate):
        return None
    fields = _formula(operation.synthesis, operation.num_qubits)
    if fields is None or not _is_of_commuting(operation.operator, fields):
        return None
    terms = _terms(operation.operator, getattr(operation.synthesis, "preserve_order", True))
    if terms is None:
        return None

    def evolve(qubits: Sequence[int], time: Angle | float) -> GateObject:
        hamiltonian = [
            {
                "pauli": " ".join(f"{letter}{qubits[place]}" for letter, place in factors) or "I",
                "coefficient": number,
            }
            for factors, number in terms
        ]
        at = time.json() if isinstance(time, Angle) else time
        return {"gate": "EVOLVE", "hamiltonian": hamiltonian, "time": at, **fields}

    return evolve


def _formula(synthesis: Any, num_qubits: int) -> dict[str, Any] | None:
    """Fields of EVOLVE that stand for a synthesis of Qiskit."""
    # Classes that are derived from these may do anything else.
    if type(synthesis) is MatrixExponential:
        return {"exact": True} if num_qubits <= _MAX_EXACT_QUBITS else None
    if type(synthesis) not in (LieTrotter, SuzukiTrotter) or synthesis.atomic_evolution is not None:
        return None
    if synthesis.order not in _ORDERS or synthesis.reps < 1:
        return None
    return {"order": synthesis.order, "steps": synthesis.reps, "exact": False}


def _is_of_commuting(operator: Any, fields: dict[str, Any]) -> bool:
    """Whether an operator is a sum, or a list of sums of which each commutes within itself if the formula turns them round."""
    if not isinstance(operator, list) or fields.get("order", 1) == 1:
        return True
    sums = (
        SparsePauliOp.from_sparse_observable(each) if isinstance(each, SparseObservable) else each
        for each in operator
    )
    return all(len(each.group_commuting()) == 1 for each in sums)


_Terms = list[tuple[list[tuple[str, int]], float]]


def _terms(operator: Any, preserve_order: bool) -> _Terms | None:
    """Pauli strings with their coefficients in the order in which Qiskit has them; None if they are none or too many."""
    first_order = SuzukiTrotter(order=1, preserve_order=preserve_order)
    # The angles are twice the time, so that these are the coefficients.
    listed = first_order.expand(PauliEvolutionGate(operator, 0.5))
    if sum(2 ** sum(letter in _PROJECTORS for letter in label) for label, _, _ in listed) > _MAX_TERMS:
        return None
    terms: _Terms = []
    for label, places, coefficient in listed:
        choices = [_strings(letter) for letter in label]
        for chosen in itertools.product(*choices):
            number = float(np.real(coefficient)) * float(np.prod([part for _, part in chosen]))
            factors = [
                (letter, place) for (letter, _), place in zip(chosen, places, strict=True) if letter != "I"
            ]
            terms.append((factors, number))
    return terms or None


def _strings(letter: str) -> list[tuple[str, float]]:
    """Pauli letters that a letter of an observable is the sum of."""
    if letter not in _PROJECTORS:
        return [(letter, 1.0)]
    pauli, sign = _PROJECTORS[letter]
    return [("I", 0.5), (pauli, sign / 2)]
