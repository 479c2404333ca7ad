"""Circuits of several tests with Qiskit."""

from __future__ import annotations

from qiskit import QuantumCircuit
from qiskit.circuit import Parameter


def bell():
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    return circuit


def rotations():
    """Circuit with two parameters whose outcomes are sure for multiples of π."""
    a, b = Parameter("a"), Parameter("b")
    circuit = QuantumCircuit(2)
    circuit.rx(a, 0)
    circuit.rx(b, 1)
    circuit.measure_all()
    return circuit
