"""Writing gate objects, for the frameworks whose circuits become gate objects.

An angle is written as an input with a factor, so that a circuit is one text for all values of its angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

GateObject = dict[str, Any]


@dataclass(frozen=True)
class Angle:
    """``scale`` times the value of an input, plus ``offset``, in radians."""

    input: str
    scale: float = 1.0
    offset: float = 0.0

    def __mul__(self, factor: float) -> Angle:
        return replace(self, scale=factor * self.scale, offset=factor * self.offset)

    def __add__(self, term: float) -> Angle:
        return replace(self, offset=self.offset + term)

    def __neg__(self) -> Angle:
        return self * -1.0

    def json(self) -> dict[str, Any]:
        parts: dict[str, Any] = {"input": self.input}
        if self.scale != 1:
            parts["scale"] = self.scale
        if self.offset:
            parts["offset"] = self.offset
        return parts


def gate(
    name: str, targets: Sequence[int], controls: Sequence[int] = (), **angles: Angle | float
) -> GateObject:
    """Gate object with its targets and controls. ``lambda_`` stands for the angle ``lambda``."""
    written: GateObject = {"gate": name}
    if targets:
        written["targets"] = list(targets)
    if controls:
        written["controls"] = list(controls)
    for angle, value in angles.items():
        written[angle.rstrip("_")] = value.json() if isinstance(value, Angle) else value
    return written


def unitary(matrix: Any, qubits: Sequence[int]) -> GateObject:
    """Unitary matrix on ``qubits``, of which the first is the least significant bit of its index."""
    return {"gate": "UNITARY", "qubits": list(qubits), "matrix": complex_rows(matrix)}


def kraus(matrices: Sequence[Any], qubits: Sequence[int]) -> GateObject:
    """Channel of Kraus matrices on ``qubits``, of which the first is the least significant bit of an index."""
    given = np.asarray(matrices, dtype=np.complex128)
    size = 2 ** len(qubits)
    if len(given) > size**2:
        # The eigenvectors of the Choi matrix are matrices of the same channel, of which there are no more than that.
        rows = given.reshape(len(given), -1)
        values, vectors = np.linalg.eigh(rows.T @ rows.conj())
        given = (np.sqrt(np.clip(values, 0, None)) * vectors).T.reshape(-1, size, size)
    channel = {"type": "kraus", "matrices": [complex_rows(matrix) for matrix in given]}
    return {"gate": "NOISE", "qubits": list(qubits), "channel": channel}


def complex_rows(matrix: Any) -> list[list[list[float]]]:
    """Rows of pairs [re, im]."""
    entries = np.asarray(matrix, dtype=np.complex128)
    rows: list[list[list[float]]] = np.stack([entries.real, entries.imag], axis=-1).tolist()
    return rows


def controlled(
    gates: Sequence[GateObject], controls: Sequence[int], values: Sequence[bool | int]
) -> list[GateObject]:
    """The gates under further controls; those with value 0 are inverted around them."""
    flips = [gate("X", [control]) for control, value in zip(controls, values, strict=True) if not value]
    inner = [{**one, "controls": [*controls, *one.get("controls", [])]} for one in gates]
    return [*flips, *inner, *flips]
