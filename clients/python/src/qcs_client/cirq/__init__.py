"""Cirq on the quantum compute service: a sampler, and exact expectation values."""

from .errors import QcsCirqError
from .simulator import QcsSimulator

__all__ = ["QcsCirqError", "QcsSimulator"]
