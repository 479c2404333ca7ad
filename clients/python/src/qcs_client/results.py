"""Results of circuits and batches, with numbers as numpy arrays."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import BitMatrix, BoolMatrix, ComplexArray, FloatArray, PointCounts, unpack, unpack_complex
from .errors import QcsError

_LISTED_OUTCOMES = 16


class CircuitResult:
    """Result of one circuit. A result that was not asked for is None."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        """The record as the service answered it."""
        self.counts: dict[str, int] | None = record.get("counts")
        """Number of shots of each bit string, classical bit 0 rightmost."""
        self.seed: int = record["seed"]
        self.measured_qubits: list[int | None] | None = record.get("measured_qubits")
        """Measured qubit of each classical bit."""

    @cached_property
    def probabilities(self) -> dict[str, float] | None:
        """Exact probability of each bit string that can come up."""
        return self.record.get("probabilities")

    @cached_property
    def statevector(self) -> ComplexArray | None:
        """Amplitudes before the final measurement, length 2^qubits, qubit 0 the least significant bit."""
        value = self.record.get("statevector")
        return None if value is None else unpack_complex(value)

    @cached_property
    def amplitudes(self) -> dict[str, complex] | None:
        """Amplitude of each of ``basis_states`` before the final measurement, by its label as it was given."""
        value = self.record.get("amplitudes")
        return None if value is None else {label: complex(*parts) for label, parts in value.items()}

    @cached_property
    def expectation(self) -> FloatArray | None:
        """Exact value of each element of ``observables``."""
        value = self.record.get("expectation")
        return None if value is None else unpack(value["values"])

    @cached_property
    def standard_error(self) -> FloatArray | None:
        """Of values that are means over trajectories of noise."""
        value = (self.record.get("expectation") or {}).get("standard_error")
        return None if value is None else unpack(value)

    @cached_property
    def density_matrix(self) -> ComplexArray | None:
        """Density matrix before the final measurement, shape (2^qubits, 2^qubits), qubit 0 the least significant bit."""
        value = self.record.get("density_matrix")
        return None if value is None else unpack_complex(value)

    @property
    def saved(self) -> dict[str, Any] | None:
        """What the circuit saves by SAVE, by label, in the form of the record; several of one label are a list."""
        return self.record.get("saved")

    @cached_property
    def unitary(self) -> ComplexArray | None:
        """Unitary matrix of the circuit, shape (2^qubits, 2^qubits), qubit 0 the least significant bit."""
        value = self.record.get("unitary")
        return None if value is None else unpack_complex(value)

    @property
    def recorded_outputs(self) -> list[dict[str, Any]] | None:
        """Values that a program in QIR records, in its order: type, label, first classical bit and number of bits."""
        return self.record.get("recorded_outputs")

    @property
    def purity(self) -> float | None:
        """Trace of the square of the density matrix."""
        return self.record.get("purity")

    @property
    def memory(self) -> list[str] | None:
        """Bit string of each shot, in a random order."""
        return self.record.get("memory")

    @property
    def measurements(self) -> BoolMatrix | None:
        """Classical bits of all shots, shape (shots, bits), as ``sample`` of a Stim sampler returns them."""
        packed = self.record.get("measurements")
        return None if packed is None else _unpacked_bits(packed, packed["num_bits"])

    @property
    def reference_sample(self) -> NDArray[np.bool_] | None:
        """Classical bits of the reference sample, shape (bits,), as ``reference_sample`` of a Stim circuit returns them."""
        packed = self.record.get("reference_sample")
        return None if packed is None else _unpacked_bits(packed, packed["num_bits"])[0]

    @property
    def detection_events(self) -> tuple[BoolMatrix, BoolMatrix] | None:
        """Detectors that fired and logical observables that were flipped: two matrices with a row for each shot, as
        ``sample(shots, separate_observables=True)`` of a Stim detector sampler returns them."""
        packed = self.record.get("detection_events")
        if packed is None:
            return None
        num_detectors = packed["num_detectors"]
        bits = _unpacked_bits(packed, num_detectors + packed["num_logical_observables"])
        return bits[:, :num_detectors], bits[:, num_detectors:]

    @property
    def detector_error_model(self) -> str | None:
        """Text that ``stim.DetectorErrorModel`` reads."""
        return self.record.get("detector_error_model")

    @property
    def method(self) -> str | None:
        """How the service simulated the circuit; ``method_reason`` of the record says why."""
        return self.record.get("method")

    @property
    def truncation_error(self) -> float | None:
        """Weight that ``matrix_product_state`` cut, about one minus the fidelity with the exact state, under noise
        of the worst trajectory; by ``pauli_propagation`` a bound on the error of each expectation value."""
        return self.record.get("truncation_error")

    @property
    def error_bound(self) -> float | None:
        """Bound on the error of product formulas of ``EVOLVE``, in spectral norm; None where there are none."""
        return self.record.get("error_bound")

    @property
    def largest_bond(self) -> int | None:
        """Largest bond dimension of a run by the method ``matrix_product_state``."""
        return self.record.get("largest_bond")

    def bits(self) -> BitMatrix:
        """One row for each shot in a random order, column b is classical bit b."""
        counts = PointCounts.read([_counts_of(self.counts)], len(self.measured_qubits or []))
        shots: BitMatrix = counts.outcomes[counts.shots(self.seed)[0]]
        return shots

    def plot(self, ax: Any = None) -> Any:
        """Histogram of the counts, drawn with matplotlib on ``ax`` or on axes of its own."""
        return plot_counts(_counts_of(self.counts), ax=ax)

    def __repr__(self) -> str:
        return f"<CircuitResult {self.record.get('circuit_id')} counts={_short(self.counts)}>"

    def _repr_html_(self) -> str:
        heading = f"circuit {self.record.get('circuit_id')} on {self.record.get('processor')}"
        return _heading(heading) + (counts_table(self.counts) if self.counts else "")


class ProgramResult:
    """Result of one program of a batch. A result that was not asked for is None.

    The first index of every array, and of ``counts``, is the point.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        """The entry of ``programs`` as the service answered it."""
        self.points: int = fields["points"]
        self.qubits: int = fields["qubits"]
        self.name: str | None = fields.get("name")
        self.shots: int | None = fields.get("shots")
        self.seed: int = fields["seed"]
        self.measured_qubits: list[int | None] | None = fields.get("measured_qubits")
        """Measured qubit of each classical bit."""

    @cached_property
    def counts(self) -> list[dict[str, int]] | None:
        """For each point, the number of shots of each bit string, classical bit 0 rightmost."""
        value = self.fields.get("counts")
        return value if value is None or isinstance(value, list) else self.point_counts.by_label()

    @cached_property
    def point_counts(self) -> PointCounts:
        """Counts of all points as arrays."""
        return PointCounts.read(_counts_of(self.fields.get("counts")), len(self.measured_qubits or []))

    @cached_property
    def probabilities(self) -> FloatArray | None:
        """Exact probabilities, shape (points, 2^bits); the index is the value of the classical register."""
        return self._numbers("probabilities")

    @cached_property
    def expectation(self) -> FloatArray | None:
        """Shape (points, observables)."""
        return self._numbers("expectation")

    @cached_property
    def standard_error(self) -> FloatArray | None:
        """Of values that were estimated from shots. Shape (points, observables)."""
        return self._numbers("standard_error")

    @cached_property
    def variance(self) -> FloatArray | None:
        """Exact variance of each observable in the state. Shape (points, observables)."""
        return self._numbers("variance")

    @cached_property
    def gradient(self) -> FloatArray | None:
        """Shape (points, observables, inputs), by inputs in the order of ``inputs``; NaN where there is none."""
        return self._numbers("gradient")

    @cached_property
    def statevector(self) -> ComplexArray | None:
        """Shape (points, 2^qubits), qubit 0 the least significant bit."""
        value = self.fields.get("statevector")
        return None if value is None else unpack_complex(value)

    @property
    def method(self) -> str | None:
        """How the service simulated the points; ``method_reason`` of the fields says why."""
        return self.fields.get("method")

    @cached_property
    def truncation_error(self) -> FloatArray | None:
        """Weight that ``matrix_product_state`` cut of each point, or the bound on errors of ``pauli_propagation``.

        Shape (points,).
        """
        return self._numbers("truncation_error")

    @cached_property
    def error_bound(self) -> FloatArray | None:
        """Bound on the error of product formulas of ``EVOLVE`` at each point, in spectral norm. Shape (points,)."""
        return self._numbers("error_bound")

    @cached_property
    def largest_bond(self) -> FloatArray | None:
        """Largest bond dimension of each point by the method ``matrix_product_state``. Shape (points,)."""
        return self._numbers("largest_bond")

    @property
    def saved(self) -> list[dict[str, Any]] | None:
        """What the circuit of each point saves by SAVE, as :attr:`CircuitResult.saved`."""
        return self.fields.get("saved")

    def shots_by_point(self) -> tuple[BitMatrix, NDArray[np.int64]]:
        """Distinct outcomes of each point, and for each point and shot the index of its outcome."""
        return self.point_counts.outcomes, self.point_counts.shots(self.seed)

    def bits(self) -> BitMatrix:
        """All shots, shape (points, shots, bits); column b is classical bit b, shots are in a random order."""
        outcomes, index = self.shots_by_point()
        shots: BitMatrix = np.take(outcomes, index, axis=0)
        return shots

    def plot(self, point: int = 0, ax: Any = None) -> Any:
        """Histogram of the counts of a point, drawn with matplotlib on ``ax`` or on axes of its own."""
        return plot_counts(_counts_of(self.counts)[point], ax=ax)

    def _numbers(self, field: str) -> FloatArray | None:
        value = self.fields.get(field)
        return None if value is None else unpack(value)

    def _results(self) -> list[str]:
        return [field for field in _RESULT_FIELDS if field in self.fields]

    def __repr__(self) -> str:
        name = f"{self.name!r} " if self.name else ""
        return f"<ProgramResult {name}points={self.points} results={self._results()}>"


_RESULT_FIELDS = (
    "counts",
    "probabilities",
    "expectation",
    "standard_error",
    "variance",
    "gradient",
    "statevector",
    "error_bound",
    "truncation_error",
    "largest_bond",
    "saved",
)


class BatchResult(Sequence[ProgramResult]):
    """Results of a batch: a sequence with one entry for each program."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        """The record as the service answered it."""
        self.programs = [ProgramResult(fields) for fields in record["programs"]]

    def __getitem__(self, index: Any) -> Any:
        return self.programs[index]

    def __len__(self) -> int:
        return len(self.programs)

    def __iter__(self) -> Iterator[ProgramResult]:
        return iter(self.programs)

    def __repr__(self) -> str:
        return f"<BatchResult {self.record.get('batch_id')} programs={len(self)}>"

    def _repr_html_(self) -> str:
        heading = f"batch {self.record.get('batch_id')} on {self.record.get('processor')}"
        rows = "".join(
            f"<tr><td>{index}</td><td>{html.escape(program.name or '')}</td><td>{program.points}</td>"
            f"<td>{', '.join(program._results())}</td></tr>"
            for index, program in enumerate(self.programs[:_LISTED_OUTCOMES])
        )
        more = len(self) - _LISTED_OUTCOMES
        rest = f"<p>and {more} more programs</p>" if more > 0 else ""
        header = "<tr><th></th><th>name</th><th>points</th><th>results</th></tr>"
        return f"{_heading(heading)}<table>{header}{rows}</table>{rest}"


def plot_counts(counts: Mapping[str, int], *, ax: Any = None) -> Any:
    """Bar chart of counts in the order of the bit strings. Needs matplotlib."""
    import matplotlib.pyplot as plt

    axes = ax if ax is not None else plt.subplots()[1]
    labels = sorted(counts)
    axes.bar(labels, [counts[label] for label in labels])
    axes.set_xlabel("outcome")
    axes.set_ylabel("shots")
    axes.tick_params(axis="x", rotation=90 if len(labels) > 8 else 0)
    return axes


def counts_table(counts: Mapping[str, int]) -> str:
    """HTML table of the most frequent outcomes with bars."""
    total = sum(counts.values())
    listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_LISTED_OUTCOMES]
    rows = "".join(
        f"<tr><td><code>{html.escape(label)}</code></td><td>{count}</td><td style='text-align:left'>"
        f"<div style='background:#4c72b0;height:0.8em;width:{200 * count / total:.0f}px'></div></td></tr>"
        for label, count in listed
    )
    more = len(counts) - len(listed)
    rest = f"<p>and {more} more outcomes</p>" if more > 0 else ""
    return f"<table><tr><th>outcome</th><th>shots</th><th></th></tr>{rows}</table>{rest}"


def _heading(text: str) -> str:
    return f"<p><b>{html.escape(text)}</b></p>"


def _unpacked_bits(packed: Mapping[str, Any], width: int) -> BoolMatrix:
    """Rows of bits from Stim's format ``b8``."""
    if packed.get("format", "b8") != "b8":
        raise QcsError(f"These shots are in the format {packed['format']}: read ``data`` of the record.")
    rows = np.frombuffer(base64.b64decode(packed["data"]), dtype=np.uint8).reshape(
        packed.get("shots", -1), packed["bytes_per_shot"]
    )
    bits: BoolMatrix = np.unpackbits(rows, axis=1, bitorder="little")[:, :width].astype(bool)
    return bits


def _counts_of(counts: Any) -> Any:
    if counts is None:
        raise ValueError("The request did not ask for counts.")
    return counts


def _short(counts: Mapping[str, int] | None) -> str:
    if counts is None or len(counts) <= 8:
        return str(counts)
    return f"{{{len(counts)} outcomes}}"
