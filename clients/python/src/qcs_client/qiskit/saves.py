"""Circuits with Aer's ``save_*`` instructions, as gate objects with SAVE: OpenQASM has no form of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from qiskit import QuantumCircuit
from qiskit.quantum_info import DensityMatrix, Operator, Pauli, Statevector
from qiskit.result.distributions import ProbDistribution

from ..arrays import unpack_complex
from .circuits import ServiceCircuit, first_state
from .objects import ObjectWriter

#: Density matrices of so many qubits are made of expectation values of Pauli strings, which every method has.
_MAX_PAULI_QUBITS = 4
#: Unitaries are state vectors of twice the qubits, of which the service answers 16.
_MAX_UNITARY_QUBITS = 8
#: Ways of collecting values over shots that the service has: of the one state, or the mean.
_SUBTYPES = ("single", "average")

_Read = Callable[[Any], Any]


@dataclass(frozen=True)
class SavedCircuit(ServiceCircuit):
    """A circuit with snapshots; the label of each SAVE is its number."""

    keys: list[str]
    """Keys of the data of the result, by number."""
    reads: list[_Read]
    """How values are read from what the service saved, by number."""

    def data(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Values by key, in Aer's types, of one point of a program's ``saved``."""
        values = (read(saved[str(number)]) for number, read in enumerate(self.reads))
        return dict(zip(self.keys, values, strict=True))


def has_saves(circuit: QuantumCircuit) -> bool:
    """Whether a circuit has instructions of Aer that save something, not counting blocks of control flow."""
    return any(_is_save(each.operation) for each in circuit.data)


def _is_save(operation: Any) -> bool:
    return operation.name.startswith("save_") and type(operation).__module__.startswith("qiskit_aer.")


def saved_circuit(
    circuit: QuantumCircuit, takes_states: bool, keeps_evolutions: bool, method: str | None
) -> SavedCircuit:
    """Translates a circuit with ``save_*`` instructions.

    Args:
        takes_states, keeps_evolutions: as of :func:`sent_circuit`.
        method: of the run: ``save_state`` saves a density matrix by that method, and otherwise a state vector.

    Raises:
        QcsQiskitError: naming the instruction that the service has no form of.
    """
    state, rest = first_state(circuit) if takes_states else (None, circuit)
    writer = _Writer(rest, method, keeps_evolutions)
    if writer.has_unbounded:
        writer = _Writer(rest, method, keeps_evolutions=False)
    if writer.num_unitaries > 0:
        if state is not None or not takes_states or writer.num_unitaries < len(writer.keys):
            writer.refuse("save_unitary goes with no other snapshot and no initial state")
        state = _bell_pairs(writer, circuit.num_qubits)
    return SavedCircuit(writer.gates, [], circuit, state, writer.measures, writer.keys, writer.reads)


def _bell_pairs(writer: _Writer, num_qubits: int) -> Any:
    """Gates on one half of the pairs leave the columns of their unitary, each beside its number."""
    if num_qubits > _MAX_UNITARY_QUBITS:
        writer.refuse(f"save_unitary takes up to {_MAX_UNITARY_QUBITS} qubits, not {num_qubits}")
    if writer.measures:
        writer.refuse("save_unitary needs a circuit without measurements")
    d = 2**num_qubits
    return np.eye(d, dtype=np.complex128).reshape(-1) / np.sqrt(d)


class _Writer(ObjectWriter):
    """Gate objects of a circuit with snapshots."""

    def __init__(self, circuit: QuantumCircuit, method: str | None, keeps_evolutions: bool) -> None:
        self._method = method
        self.keys: list[str] = []
        self.reads: list[_Read] = []
        self.num_unitaries = 0
        super().__init__(circuit, keeps_evolutions)

    def _operation(self, operation: Any, qubits: list[int], bits: list[int]) -> None:
        if _is_save(operation):
            self._save(operation, qubits)
        else:
            super()._operation(operation, qubits, bits)

    def _save(self, operation: Any, qubits: list[int]) -> None:
        name, key = operation.name, operation._label
        if operation._subtype not in _SUBTYPES:
            self.refuse(f"{name} with pershot, conditional or unnormalized is none of the service's")
        if name == "save_state":
            name = "save_density_matrix" if self._method == "density_matrix" else "save_statevector"
            if key == "_method_":
                key = name.removeprefix("save_")
        if key in self.keys:
            self.refuse(f"two of its save_* instructions have the key {key}")
        what, read = self._what(name, operation, qubits)
        self.gates.append({"gate": "SAVE", "label": str(len(self.keys)), **what})
        self.keys.append(key)
        self.reads.append(read)

    def _what(self, name: str, operation: Any, qubits: list[int]) -> tuple[dict[str, Any], _Read]:
        """Fields of the SAVE of an instruction, and how its value is read."""
        numbers = unpack_complex
        d = 2 ** len(qubits)
        if name == "save_statevector":
            return {"what": "statevector"}, lambda saved: Statevector(numbers(saved))
        if name == "save_unitary":
            self.num_unitaries += 1
            # Columns come one after the other.
            return {"what": "statevector"}, lambda saved: Operator(
                np.sqrt(d) * np.asarray(numbers(saved)).reshape(d, d).T
            )
        if name == "save_probabilities":
            return _distribution(qubits), lambda saved: _dense(saved, d)
        if name == "save_probabilities_dict":
            return _distribution(qubits), lambda saved: ProbDistribution(_by_value(saved))
        if name in ("save_amplitudes", "save_amplitudes_sq"):
            states = [hex(int(index)) for index in operation.params]
            of_states = {"what": "amplitudes", "basis_states": states}

            def amplitudes(saved: Any) -> Any:
                return np.array([complex(*saved[state]) for state in states])

            if name == "save_amplitudes":
                return of_states, amplitudes
            return of_states, lambda saved: np.abs(amplitudes(saved)) ** 2
        if name == "save_expval":
            terms = [_term(label, factor, qubits) for label, (factor, _) in operation.params]
            of_sum = {"what": "expectation", "observables": [terms]}
            return of_sum, lambda saved: float(saved["values"][0])
        if name == "save_density_matrix":
            if len(qubits) > _MAX_PAULI_QUBITS:
                of_matrix = {"what": "density_matrix", "qubits": qubits}
                return of_matrix, lambda saved: DensityMatrix(numbers(saved))
            labels = ["".join(letters) for letters in itertools.product("IXYZ", repeat=len(qubits))]
            strings = [_term(label, 1.0, qubits) for label in labels]

            def density(saved: Any) -> Any:
                parts = zip(saved["values"], labels, strict=True)
                return DensityMatrix(sum(value * Pauli(label).to_matrix() for value, label in parts) / d)

            return {"what": "expectation", "observables": strings}, density
        self.refuse(f"the service has no form of {name}")


def _distribution(qubits: list[int]) -> dict[str, Any]:
    return {"what": "probabilities", "qubits": qubits}


def _by_value(saved: Mapping[str, float]) -> dict[int, float]:
    return {int(label, 2): probability for label, probability in saved.items()}


def _dense(saved: Mapping[str, float], size: int) -> Any:
    values = np.zeros(size)
    for value, probability in _by_value(saved).items():
        values[value] = probability
    return values


def _term(label: str, factor: float, qubits: list[int]) -> dict[str, Any]:
    """A Pauli term; the last letter of a label is that of the first qubit."""
    letters = zip(reversed(label), qubits, strict=True)
    factors = [f"{letter}{qubit}" for letter, qubit in letters if letter != "I"]
    return {"pauli": " ".join(factors) or "I", "coefficient": float(np.real(factor))}
