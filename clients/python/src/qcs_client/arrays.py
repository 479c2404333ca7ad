"""Arrays of numbers and of bits, as they are on the wire."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]
BitMatrix: TypeAlias = NDArray[np.uint8]
BoolMatrix: TypeAlias = NDArray[np.bool_]

#: Labels of more bits are hexadecimal numbers.
_MAX_BINARY_BITS = 64


def pack(values: Any) -> dict[str, Any]:
    """Base64 form of an array of numbers, which batches take as the values of an input."""
    array = np.ascontiguousarray(values, dtype="<f8")
    return {
        "dtype": "<f8",
        "shape": list(array.shape),
        "data": base64.b64encode(array.tobytes()).decode("ascii"),
    }


def state_field(state: Any) -> dict[str, Any]:
    """The field ``initial_state`` of a request.

    Args:
        state: a label such as ``"01+-rl"`` with qubit 0 rightmost, 2^n amplitudes, a density matrix, or the field itself.
    """
    if isinstance(state, Mapping):
        return dict(state)
    if isinstance(state, str):
        return {"product": state}
    array: ComplexArray = np.asarray(state, dtype=np.complex128)
    if array.ndim == 1:
        return {"dtype": "<c16", "data": base64.b64encode(array.astype("<c16").tobytes()).decode("ascii")}
    if array.ndim == 2:
        return {"density_matrix": np.stack([array.real, array.imag], axis=-1).tolist()}
    raise ValueError(f"An initial state is a vector or a matrix, not an array of {array.ndim} dimensions.")


def unpack(value: Any) -> FloatArray:
    """Array from its base64 form, or from nested lists; null becomes NaN."""
    if isinstance(value, Mapping):
        flat = np.frombuffer(base64.b64decode(value["data"]), dtype=value["dtype"])
        return flat.reshape(value["shape"]).astype(np.float64, copy=False)
    return np.asarray(value, dtype=np.float64)


def unpack_complex(value: Any) -> ComplexArray:
    """Complex array from pairs [re, im] in the last dimension, in either form."""
    return np.ascontiguousarray(unpack(value)).view(np.complex128)[..., 0]


def unpack_integers(value: Mapping[str, Any]) -> NDArray[Any]:
    """Array of whole numbers from its base64 form."""
    return np.frombuffer(base64.b64decode(value["data"]), dtype=value["dtype"]).reshape(value["shape"])


@dataclass(frozen=True)
class PointCounts:
    """Counts at several points. The outcomes of all points are in one array, those of point 0 first."""

    outcomes: BitMatrix
    """A row for each outcome, column b is classical bit b."""
    occurrences: NDArray[np.int64]
    """Number of shots of each row."""
    lengths: NDArray[np.int64]
    """Number of rows of each point."""

    @classmethod
    def read(cls, value: Any, num_bits: int) -> PointCounts:
        """Counts from their base64 form, or from one mapping of labels for each point."""
        if isinstance(value, Mapping):
            packed = unpack_integers(value["outcomes"])
            return cls(
                np.unpackbits(packed, axis=1, count=value["bits"], bitorder="little"),
                unpack_integers(value["occurrences"]).astype(np.int64),
                unpack_integers(value["outcomes_per_point"]).astype(np.int64),
            )
        labels = "".join(_binary(label, num_bits) for point in value for label in point)
        characters = np.frombuffer(labels.encode("ascii"), dtype=np.uint8)
        return cls(
            (characters.reshape(-1, num_bits) - ord("0"))[:, ::-1],
            np.array([number for point in value for number in point.values()], dtype=np.int64),
            np.array([len(point) for point in value], dtype=np.int64),
        )

    def by_label(self) -> list[dict[str, int]]:
        """For each point, the number of shots of each label, classical bit 0 rightmost, as the service writes labels."""
        num_bits = self.outcomes.shape[1]
        characters = (self.outcomes[:, ::-1] + ord("0")).tobytes().decode("ascii")
        labels = [characters[at : at + num_bits] for at in range(0, len(characters), num_bits)]
        if num_bits > _MAX_BINARY_BITS:
            labels = [f"0x{int(label, 2):0{-(-num_bits // 4)}x}" for label in labels]
        entries = iter(zip(labels, self.occurrences.tolist(), strict=True))
        return [dict(itertools.islice(entries, length)) for length in self.lengths.tolist()]

    def shots(self, seed: int) -> NDArray[np.int64]:
        """For each point (row) and shot the index of its outcome; all points need equally many shots.

        Counts do not say in which order their outcomes came; the shots of a point are put in a random order, so that
        a part of them is a fair sample. The order follows from ``seed``. ``outcomes[index]`` has shape
        (points, shots, bits).
        """
        index = np.repeat(np.arange(len(self.outcomes)), self.occurrences).reshape(len(self.lengths), -1)
        return np.random.default_rng(seed).permuted(index, axis=1)


def label_value(label: str) -> int:
    """Number that a label of either form stands for."""
    return int(label, 16 if label.startswith("0x") else 2)


def _binary(label: str, num_bits: int) -> str:
    return f"{label_value(label):0{num_bits}b}" if label.startswith("0x") else label
