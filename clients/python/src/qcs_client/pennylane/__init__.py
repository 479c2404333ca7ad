"""PennyLane on the quantum compute service: ``qml.device("qcs.simulator", wires=2)``."""

from .device import QcsDevice

__all__ = ["QcsDevice"]
