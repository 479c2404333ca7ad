"""Observables of PennyLane as Pauli terms."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pennylane as qml
from pennylane.pauli import PauliSentence

#: Widest observable given by a matrix that is written as a sum of Pauli strings, of which it may have 4^n.
_MAX_MATRIX_WIRES = 5


def pauli_sentence(observable: Any) -> PauliSentence | None:
    """The observable as a sum of Pauli strings; None if it has no such form of reasonable length."""
    if observable is None:
        return None
    sentence = observable.pauli_rep
    if sentence is None and observable.has_matrix and len(observable.wires) <= _MAX_MATRIX_WIRES:
        matrix = observable.matrix()
        if qml.math.ndim(matrix) == 2:
            return qml.pauli_decompose(matrix, wire_order=observable.wires, pauli=True)
    return sentence


class TermsCache:
    """JSON of the terms of observables.

    A variational loop measures the same observable thousands of times, and a molecule has thousands of terms.
    PennyLane copies observables on the way, but copies share their Pauli sentence; one that was seen before has the
    terms that it had.
    """

    _SIZE = 64

    def __init__(self) -> None:
        self._known: dict[tuple[int, Any], tuple[Any, str]] = {}

    def json(self, observable: Any, wires: Any, qubit_of: Callable[[Any], int]) -> str:
        """Terms on the qubits of ``wires``, the wires of the circuit in their order."""
        sentence = pauli_sentence(observable)
        key = (id(sentence), wires)
        known = self._known.pop(key, None)
        if known is None or known[0] is not sentence:
            known = (sentence, json.dumps(_terms(sentence, qubit_of)))
        self._known[key] = known
        if len(self._known) > self._SIZE:
            del self._known[next(iter(self._known))]
        return known[1]


def _terms(sentence: PauliSentence | None, qubit_of: Callable[[Any], int]) -> list[dict[str, Any]]:
    terms = []
    for word, coefficient in (sentence or {}).items():
        value = complex(qml.math.unwrap([coefficient])[0])
        if abs(value.imag) > 1e-9 * max(1.0, abs(value)):
            raise ValueError(f"An observable must be Hermitian; {word} has the coefficient {value}.")
        pauli = " ".join(f"{letter}{qubit_of(wire)}" for wire, letter in word.items())
        terms.append({"pauli": pauli or "I", "coefficient": value.real})
    return terms or [{"pauli": "I", "coefficient": 0.0}]
