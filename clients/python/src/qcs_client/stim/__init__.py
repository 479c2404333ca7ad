"""Stim and Sinter on the service: samples of a ``stim.Circuit``, and logical error rates of Sinter's tasks.

Their functions take a :class:`qcs_client.Client` first, and otherwise what Stim's and Sinter's own take.
"""

from .collecting import collect
from .sampling import sample, sample_detectors

__all__ = ["collect", "sample", "sample_detectors"]
