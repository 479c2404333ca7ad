"""Arrays of numbers and of bits, as they are on the wire."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
ComplexArray: TypeAlias = NDArray[np.complex128]
BitMatrix: TypeAlias = NDArray[np.uint8]


def pack(values: Any) -> dict[str, Any]:
    """Base64 form of an array of numbers, which batches take as the values of an input."""
    array = np.ascontiguousarray(values, dtype="<f8")
    return {
        "dtype": "<f8",
        "shape": list(array.shape),
        "data": base64.b64encode(array.tobytes()).decode("ascii"),
    }


def unpack(value: Any) -> FloatArray:
    """Array from its base64 form, or from nested lists; null becomes NaN."""
    if isinstance(value, Mapping):
        flat = np.frombuffer(base64.b64decode(value["data"]), dtype=value["dtype"])
        return flat.reshape(value["shape"]).astype(np.float64, copy=False)
    return np.asarray(value, dtype=np.float64)


def unpack_complex(value: Any) -> ComplexArray:
    """Complex array from pairs [re, im] in the last dimension, in either form."""
    return np.ascontiguousarray(unpack(value)).view(np.complex128)[..., 0]


def labels_to_bits(labels: Sequence[str], num_bits: int) -> BitMatrix:
    """Bits of labels of ``num_bits`` characters: one row for each label, column b is classical bit b."""
    flat = np.frombuffer("".join(labels).encode("ascii"), dtype=np.uint8)
    return (flat.reshape(len(labels), num_bits) - ord("0"))[:, ::-1]


def shots_of(
    counts: Sequence[Mapping[str, int]], num_bits: int, seed: int
) -> tuple[BitMatrix, NDArray[np.int64]]:
    """Single shots of counts at several points that have equally many shots.

    Counts do not say in which order their outcomes came; the shots of a point are put in a random order, so that
    a part of them is a fair sample. The order follows from ``seed``.

    Returns:
        Distinct outcomes, one a row, column b is classical bit b; and for each point (row) and shot the index of its
        outcome. ``outcomes[index]`` has shape (points, shots, bits).
    """
    outcomes = labels_to_bits([label for point in counts for label in point], num_bits)
    repeats = np.fromiter((n for point in counts for n in point.values()), np.int64, count=len(outcomes))
    index = np.repeat(np.arange(len(outcomes)), repeats).reshape(len(counts), -1)
    return outcomes, np.random.default_rng(seed).permuted(index, axis=1)
