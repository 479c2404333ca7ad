"""Measurements of a key: which bits of the outcome they are, and what Cirq reports of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import QcsCirqError


@dataclass
class OneRecord:
    """One measurement, into bits of the register ``c`` from ``start`` on.

    Cirq's confusion maps come before its inverted bits.
    """

    start: int
    inverted: Sequence[bool]
    confusion: Mapping[tuple[int, ...], Any]
    """Probabilities of what is reported, by the places of the bits; empty where they are applied as the circuit runs."""

    def read(self, bits: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
        measured = bits[:, self.start : self.start + len(self.inverted)]
        reported = measured.copy()
        for indices, matrix in self.confusion.items():
            places = list(indices)
            weights = 1 << np.arange(len(places))[::-1]
            limits = np.cumsum(np.asarray(matrix, dtype=np.float64), axis=1)[measured[:, places] @ weights]
            # The last limit is 1, up to rounding.
            drawn = (rng.random(len(bits))[:, None] >= limits[:, :-1]).sum(axis=1)
            reported[:, places] = (drawn[:, None] & weights) > 0
        return reported ^ np.array(self.inverted, dtype=np.uint8)


class Records:
    """Measurements of a key that is measured a known number of times."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._all: list[OneRecord] = []

    def add(self, record: OneRecord) -> None:
        self._all.append(record)

    def bits(self, index: int) -> list[str]:
        """Bits of a measurement so far, as the program names them; raises IndexError if there is none."""
        start = self._all[index].start
        return [f"c[{start + k}]" for k in range(self.width)]

    def inverted(self, index: int) -> Sequence[bool]:
        return self._all[index].inverted

    def read(
        self, bits: NDArray[np.uint8], starts: Mapping[str, int], rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        """What is reported, shape (repetitions, measurements, qubits)."""
        own = bits[:, starts["c"] :]
        return np.stack([record.read(own, rng) for record in self._all], axis=1)


class LoopRecords(Records):
    """Measurements of a key that is measured in a loop: a register of its own with the last ``capacity`` ones.

    The newest measurement has the lowest bits, as reported, with a further bit that is 1.
    """

    def __init__(self, key: str, width: int, register: str, capacity: int) -> None:
        super().__init__(width)
        self._key = key
        self._register = register
        self._capacity = capacity

    @property
    def num_bits(self) -> int:
        # One more than are kept, to see whether there were more.
        return (self._capacity + 1) * (self.width + 1)

    def make_room(self) -> list[str]:
        return [f"{self._register} <<= {self.width + 1};", f"{self._register}[{self.width}] = 1;"]

    def bits(self, index: int) -> list[str]:
        if index != -1:
            raise QcsCirqError(
                f"The index {index} of the key {self._key} is not supported, as it is measured in a loop; the last "
                "measurement, of index -1, is."
            )
        return [f"{self._register}[{k}]" for k in range(self.width)]

    def inverted(self, index: int) -> Sequence[bool]:
        return [False] * self.width

    def read(
        self, bits: NDArray[np.uint8], starts: Mapping[str, int], rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        start = starts[self._register]
        table = bits[:, start : start + self.num_bits].reshape(len(bits), -1, self.width + 1)
        counts = table[:, :, self.width].sum(axis=1, dtype=np.int64)
        most = int(counts.max(initial=1))
        if most > self._capacity:
            raise QcsCirqError(
                f"The key {self._key} was measured more than {self._capacity} times by a loop in one repetition; "
                "loop_records of QcsSimulator keeps more."
            )
        # As Cirq does, repetitions with fewer measurements are filled with zeros.
        places = counts[:, None] - 1 - np.arange(most)
        ordered = np.take_along_axis(table[:, :, : self.width], np.maximum(places, 0)[:, :, None], axis=1)
        return np.where(places[:, :, None] >= 0, ordered, 0).astype(np.uint8)
