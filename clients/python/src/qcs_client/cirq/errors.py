"""The exception of this layer."""

from __future__ import annotations


class QcsCirqError(ValueError):
    """A circuit that cannot be sent, or that the service refused."""
