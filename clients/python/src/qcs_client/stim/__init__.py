"""Stim and Sinter on the service: samples of a ``stim.Circuit``, and logical error rates of Sinter's tasks.

Their functions take a :class:`qcs_client.Client` first, and otherwise what Stim's and Sinter's own take.
"""

from typing import Any

from ..client import Client
from ..requests import StimText
from ..samples import Samples
from .collecting import collect

__all__ = ["StimText", "collect", "reference_sample", "sample", "sample_detectors"]


def sample(client: Client, circuit: Any, shots: int, **options: Any) -> Samples:
    """Measurements of a circuit: :meth:`qcs_client.Client.sample`."""
    return client.sample(circuit, shots, **options)


def reference_sample(client: Client, circuit: Any, **options: Any) -> Samples:
    """Measurements of one run without noise: :meth:`qcs_client.Client.reference_sample`."""
    return client.reference_sample(circuit, **options)


def sample_detectors(
    client: Client, circuit: Any, shots: int, **options: Any
) -> Samples | tuple[Samples, Samples]:
    """Detection events of a circuit: :meth:`qcs_client.Client.sample_detectors`."""
    return client.sample_detectors(circuit, shots, **options)
