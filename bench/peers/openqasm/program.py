"""A program of a corpus, and what its own tool says comes out of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


class Skipped(Exception):
    """Why a program is not compared."""


@dataclass
class State:
    """The state before the measurements at the end; qubit 0, as declared, is the lowest bit."""

    amplitudes: np.ndarray
    # Which qubit a bit is read from; None where the program's measurements are not compared.
    read: dict[int, int] | None = None


@dataclass
class Counts:
    """Counts of outcomes by the values of bits, bit 0, as declared, lowest."""

    by_outcome: dict[int, int]
    # How many bits, from bit 0 on, are compared.
    num_bits: int
    # Exact: the outcomes that can occur, each with its probability.
    is_exact: bool = False


@dataclass
class Program:
    """An OpenQASM text. `expected` runs the tool's own simulator; it raises Skipped where it cannot."""

    name: str
    text: str
    expected: Callable[[], State | Counts]
    inputs: dict = field(default_factory=dict)
    # Whether what the service prints of it is read back by Qiskit and compared too.
    is_printed: bool = False
