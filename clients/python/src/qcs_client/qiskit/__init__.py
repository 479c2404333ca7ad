"""Qiskit on the quantum compute service: provider, backends and primitives."""

from .backend import QcsBackend, QcsProvider
from .errors import QcsQiskitError
from .estimator import EstimatorV2
from .jobs import QcsJob, QcsPrimitiveJob
from .noise import noise_from_aer
from .sampler import SamplerV2

__all__ = [
    "EstimatorV2",
    "QcsBackend",
    "QcsJob",
    "QcsPrimitiveJob",
    "QcsProvider",
    "QcsQiskitError",
    "SamplerV2",
    "noise_from_aer",
]
