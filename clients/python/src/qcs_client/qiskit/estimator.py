"""EstimatorV2 on batches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import BaseEstimatorV2, DataBin, PrimitiveResult, PubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub, EstimatorPubLike

from ..results import ProgramResult
from .backend import QcsBackend, QcsProvider
from .circuits import ServiceCircuit
from .errors import QcsQiskitError
from .jobs import QcsPrimitiveJob, method_metadata, submit_pubs
from .noise import as_noise
from .objects import sent_circuit

#: As that of Qiskit's own estimator for backends.
_DEVICE_PRECISION = 1 / 64


class EstimatorV2(BaseEstimatorV2):
    """Expectation values at the service. All PUBs of a ``run`` are one request, and a sweep is sent as one program.

    A precision of 0 gives exact values, which hardware does not have; under noise they come from a density matrix. Any other
    gives estimates from ceil(1 / precision²) shots, with their standard errors as ``stds``.

    Args:
        backend: where to run; by default the statevector simulator of the service that ``QCS_URL`` names.
        default_precision: precision of PUBs that name none; unless given 0, and on hardware 1/64, which is 4096 shots.
        seed: the same PUBs with the same seed give the same result.
        noise: a noise model of the service, the name of one, or one of Qiskit Aer (see :func:`noise_from_aer`). Exact
            values with noise need the processor ``qvm`` or an emulated device.
        method: how the service simulates, such as ``"density_matrix"``; by default it chooses.
        max_bond_dimension, truncation_threshold: limits of matrix product states; beyond the largest bond (256), and
            below the weight (1e-12), the service cuts. The metadata of a result has what that left out.
        approximate, max_terms, min_coefficient, max_weight: limits of the method ``pauli_propagation``, which leaves
            strings out if ``approximate``. The ``truncation_error`` of a result's metadata then bounds the error of values.
        device: the device that the processor ``emulator`` emulates: its coupling map, native gates and noise.
    """

    def __init__(
        self,
        backend: QcsBackend | None = None,
        *,
        default_precision: float | None = None,
        seed: int | None = None,
        noise: Any = None,
        method: str | None = None,
        max_bond_dimension: int | None = None,
        truncation_threshold: float | None = None,
        approximate: bool | None = None,
        max_terms: int | None = None,
        min_coefficient: float | None = None,
        max_weight: int | None = None,
        device: Mapping[str, Any] | None = None,
    ) -> None:
        self.backend = backend or QcsProvider().get_backend()
        if default_precision is None:
            default_precision = _DEVICE_PRECISION if self.backend.gives_counts_only else 0.0
        self.default_precision = default_precision
        self.seed = seed
        self.noise = as_noise(noise)
        self.method = method
        self.device = device
        self.max_bond_dimension = max_bond_dimension
        self.truncation_threshold = truncation_threshold
        self.approximate = approximate
        self.max_terms = max_terms
        self.min_coefficient = min_coefficient
        self.max_weight = max_weight

    def run(
        self, pubs: Iterable[EstimatorPubLike], *, precision: float | None = None
    ) -> QcsPrimitiveJob[PrimitiveResult[PubResult]]:
        default = self.default_precision if precision is None else precision
        takes_states = self.backend.takes_states(self.method)
        keeps = self.backend.keeps_evolutions(self.noise)
        coerced = [EstimatorPub.coerce(pub, default) for pub in pubs]
        plans = [_Plan(pub, sent_circuit(pub.circuit, takes_states, keeps)) for pub in coerced]
        fields = {
            "seed": self.seed,
            "noise": self.noise,
            "method": self.method,
            "max_bond_dimension": self.max_bond_dimension,
            "truncation_threshold": self.truncation_threshold,
            "approximate": self.approximate,
            "max_terms": self.max_terms,
            "min_coefficient": self.min_coefficient,
            "max_weight": self.max_weight,
            "device": self.device,
        }
        return submit_pubs(self.backend, plans, return_=["expectation"], **fields)


class _Plan:
    """A PUB and the programs that it needs: one for each set of observables that some points have in common."""

    def __init__(self, pub: EstimatorPub, circuit: ServiceCircuit) -> None:
        self.pub = pub
        self.shots = math.ceil(1 / pub.precision**2) if pub.precision else None
        self.terms, which = _distinct_observables(pub)
        points = np.arange(pub.parameter_values.size).reshape(pub.parameter_values.shape)
        self.point_of, self.observable_of = np.broadcast_arrays(points, which)
        self.groups = _groups(self.point_of.ravel(), self.observable_of.ravel())
        values = pub.parameter_values.as_array(pub.circuit.parameters)
        values = values.reshape(points.size, pub.circuit.num_parameters)
        if not circuit.is_sweep:
            # Without parameters all points are the same point; shots differ, so estimates need each of them.
            self.groups = [([point], columns) for rows, columns in self.groups for point in rows]
        self.programs = [
            circuit.program(
                values[rows], observables=[self.terms[column] for column in columns], shots=self.shots
            )
            for rows, columns in self.groups
        ]

    def read(self, results: list[ProgramResult]) -> PubResult:
        shape = (self.pub.parameter_values.size, len(self.terms))
        values, errors = np.zeros(shape), np.zeros(shape)
        for (rows, columns), result in zip(self.groups, results, strict=True):
            values[np.ix_(rows, columns)] = result.expectation
            if result.standard_error is not None:
                errors[np.ix_(rows, columns)] = result.standard_error
        at = (self.point_of, self.observable_of)
        data = DataBin(evs=values[at], stds=errors[at], shape=self.pub.shape)
        metadata = {
            "target_precision": self.pub.precision,
            "shots": self.shots,
            "circuit_metadata": self.pub.circuit.metadata,
            **method_metadata(results),
        }
        return PubResult(data, metadata=metadata)


def _distinct_observables(pub: EstimatorPub) -> tuple[list[list[dict[str, Any]]], NDArray[np.int64]]:
    """Terms of each distinct observable, and for each element of the PUB's array the index of its observable."""
    indices: dict[str, int] = {}
    listed: list[list[dict[str, Any]]] = []
    array = pub.observables.sparse_observables_array()
    which = np.empty(array.shape, dtype=np.int64)
    for place, observable in np.ndenumerate(array):
        terms = [
            {"pauli": _pauli(letters, qubits), "coefficient": _real(coefficient)}
            for letters, qubits, coefficient in observable.as_paulis().simplify().to_sparse_list()
        ] or [{"pauli": "I", "coefficient": 0.0}]
        which[place] = indices.setdefault(repr(terms), len(listed))
        if which[place] == len(listed):
            listed.append(terms)
    return listed, which


def _pauli(letters: str, qubits: list[int]) -> str:
    return " ".join(f"{letter}{qubit}" for letter, qubit in zip(letters, qubits, strict=True)) or "I"


def _real(coefficient: complex) -> float:
    if abs(coefficient.imag) > 1e-10:
        raise QcsQiskitError(f"An observable must be Hermitian; it has the coefficient {coefficient}.")
    return float(coefficient.real)


def _groups(points: NDArray[np.int64], observables: NDArray[np.int64]) -> list[tuple[list[int], list[int]]]:
    """Points that need the same observables, and these observables."""
    needed: dict[int, set[int]] = {}
    for point, observable in zip(points.tolist(), observables.tolist(), strict=True):
        needed.setdefault(point, set()).add(observable)
    groups: dict[tuple[int, ...], list[int]] = {}
    for point, columns in needed.items():
        groups.setdefault(tuple(sorted(columns)), []).append(point)
    return [(rows, list(columns)) for columns, rows in groups.items()]
