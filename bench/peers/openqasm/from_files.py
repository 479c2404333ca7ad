"""Programs that lie in folders: QASMBench, and the examples of the OpenQASM project."""

import math

import numpy as np
import qiskit_side
from program import Counts, Program, Skipped, State


def certain(outcome, num_bits):
    return Counts({outcome: 1.0}, num_bits, is_exact=True)


# Of the OpenQASM project, what Qiskit does not read, with what its text says comes out.
KNOWN = {
    # 1 + 15.
    "adder.qasm": certain(0b10000, 5),
    "alignment.qasm": State(np.array([math.cos(math.pi / 8), 0, 0, 0, math.sin(math.pi / 8), 0, 0, 0])),
    # The inverse transform of a sum of all states with equal amplitudes.
    "inverseqft1.qasm": certain(0, 4),
    "inverseqft2.qasm": certain(0, 4),
    # The syndrome says that the first qubit is wrong, and it is put right.
    "qec.qasm": certain(0b01_000, 5),
    # Of the bits c0, c1, c2: any of the first two, and the last as u3(0.3, 0.2, 0.1) says.
    "teleport.qasm": Counts(
        {v: (math.sin(0.15) ** 2 if v & 4 else math.cos(0.15) ** 2) / 4 for v in range(8)}, 3, is_exact=True
    ),
    # rz(pi/4) on |+>, through ten teleportations.
    "varteleport.qasm": Counts({0: math.cos(math.pi / 8) ** 2, 1: math.sin(math.pi / 8) ** 2}, 1, is_exact=True),
}


def corpora(folder):
    if folder is None:
        return
    for size in ("small", "medium", "large"):
        yield f"QASMBench, {size}", lambda size=size: files(folder / "QASMBench" / size), qiskit_side.opinion
    yield "OpenQASM project, examples", lambda: files(folder / "openqasm" / "examples"), of_the_project


# Of the OpenQASM project, what breaks the language's own rules.
INVALID = {
    "arrays.qasm": "declares first_dimension twice",
    "cphase.qasm": "a fragment: q is not declared",
    "dd.qasm": "applies u without its angles",
    "defcal.qasm": "a sketch: it has ... in the place of arguments",
    "msd.qasm": "uses success, which is not declared there, and scratch[3] of three qubits",
}


def of_the_project(program):
    return INVALID.get(program.name)


def files(folder):
    for file in sorted(f for f in folder.rglob("*") if f.suffix in (".qasm", ".qasm3")):
        text = file.read_text(encoding="utf-8", errors="replace")
        yield Program(str(file.relative_to(folder)), text, lambda text=text, name=file.name: KNOWN.get(name) or by_qiskit(text))


def by_qiskit(text):
    try:
        circuit = qiskit_side.read(text)
    except Exception as error:
        raise Skipped(f"Qiskit refuses it: {qiskit_side.first_line(error)}") from error
    return qiskit_side.expectation(circuit)
