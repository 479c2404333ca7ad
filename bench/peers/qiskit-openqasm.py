"""Cross-check of OpenQASM in and out against Qiskit; run by hand, not in CI.

    python bench/peers/qiskit-openqasm.py [NUMBER_OF_CIRCUITS]

Needs qiskit, qiskit-aer and qiskit-qasm3-import, and Node on the PATH. Random Qiskit circuits are
exported to OpenQASM 2 and 3 and run by the service's parser, compiler and reference engine:

  read     amplitudes equal Qiskit's up to a global phase
  dynamic  circuits with measurements in between and conditions: counts near those of Aer
  printed  what the service prints of the circuit, read by Qiskit, has the same amplitudes

Prints how many of how many agree, and each one that does not.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from qiskit import QuantumCircuit, qasm2, qasm3
from qiskit.circuit.random import random_circuit
from qiskit.quantum_info import Statevector
from qiskit_aer import AerSimulator

SHOTS = 20_000
ANSWERS = Path(__file__).with_name("openqasm-answers.ts")


def answers(programs):
    """What the service makes of programs, in order."""
    lines = "".join(json.dumps(program) + "\n" for program in programs)
    done = subprocess.run(
        ["node", str(ANSWERS)], input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def same_state(amplitudes, circuit):
    """Whether amplitudes, interleaved, are the circuit's up to a global phase."""
    mine = np.array(amplitudes[0::2]) + 1j * np.array(amplitudes[1::2])
    return abs(abs(np.vdot(mine, Statevector(circuit).data)) - 1) < 1e-9


def feed_forward(seed):
    """A random circuit that measures in between and acts on what it read."""
    chance = random.Random(seed)
    qubits, bits = chance.randint(2, 4), chance.randint(2, 3)
    circuit = QuantumCircuit(qubits, bits)
    for q in range(qubits):
        circuit.ry(chance.uniform(0, 3), q)
    for _ in range(chance.randint(3, 8)):
        kind = chance.randrange(4)
        q = chance.randrange(qubits)
        if kind == 0:
            circuit.measure(q, chance.randrange(bits))
        elif kind == 1:
            circuit.cx(q, (q + 1) % qubits)
        elif kind == 2:
            circuit.reset(q)
        else:
            register = circuit.cregs[0]
            whole = (register, chance.randrange(2**bits))
            condition = chance.choice([whole, (circuit.clbits[0], chance.randrange(2))])
            with circuit.if_test(condition) as otherwise:
                circuit.rx(chance.uniform(0, 3), q)
            if chance.random() < 0.5:
                with otherwise:
                    circuit.ry(chance.uniform(0, 3), q)
    circuit.measure(range(min(qubits, bits)), range(min(qubits, bits)))
    return circuit


class Tally:
    """Counts agreements, and tells of what does not agree."""

    def __init__(self):
        self.counts = {}

    def add(self, name, agrees, told):
        good, all_ = self.counts.get(name, (0, 0))
        self.counts[name] = (good + bool(agrees), all_ + 1)
        if not agrees:
            print(f"--- {name}: {told}")


def exports(circuit):
    """The circuit in every version that Qiskit can say it in."""
    programs = {}
    for version, module in (("2", qasm2), ("3", qasm3)):
        try:
            programs[version] = module.dumps(circuit)
        except (qasm2.QASM2ExportError, qasm3.QASM3ExporterError):
            pass
    return programs


def check_read_and_printed(number, tally):
    circuits = [
        random_circuit(2 + seed % 5, 2 + seed % 6, max_operands=1 + seed % 4, seed=seed)
        for seed in range(number)
    ]
    cases = [(c, version, text) for c in circuits for version, text in exports(c).items()]
    found = answers([{"qasm": text} for _, _, text in cases])
    for (circuit, version, text), answer in zip(cases, found, strict=True):
        if "error" in answer:
            tally.add(f"read {version}", False, f"{answer['error']}\n{text}")
            continue
        tally.add(f"read {version}", same_state(answer["amplitudes"], circuit), text)
        for target, module in (("2", qasm2), ("3", qasm3)):
            printed = answer["printed"][target]
            try:
                again = qiskit_reads(module, printed)
                agrees = same_state(answer["amplitudes"], again)
            except Exception as error:  # noqa: BLE001: whatever Qiskit refuses is a finding
                agrees, printed = False, f"{error}\n{printed}"
            tally.add(f"printed {target}", agrees, printed)


def qiskit_reads(module, text):
    if module is qasm3:
        return qasm3.loads(text)
    return qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)


def check_dynamic(number, tally):
    circuits = [feed_forward(seed) for seed in range(number)]
    programs = [qasm3.dumps(circuit) for circuit in circuits]
    found = answers([{"qasm": text, "shots": SHOTS} for text in programs])
    simulator = AerSimulator(seed_simulator=1)
    for circuit, text, answer in zip(circuits, programs, found, strict=True):
        if "error" in answer:
            tally.add("dynamic 3", False, f"{answer['error']}\n{text}")
            continue
        result = simulator.run(circuit, shots=SHOTS).result()
        if not result.success:
            print(f'Aer: {result.status}')
            continue
        expected = result.get_counts()
        theirs = {int(label.replace(" ", ""), 2): count for label, count in expected.items()}
        mine = dict(answer["counts"])
        distance = sum(abs(mine.get(k, 0) - theirs.get(k, 0)) for k in {*mine, *theirs}) / 2 / SHOTS
        tally.add("dynamic 3", distance < 0.03, f"distance {distance}\n{text}")


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    tally = Tally()
    check_read_and_printed(number, tally)
    check_dynamic(number // 2, tally)
    for name, (good, all_) in sorted(tally.counts.items()):
        print(f"{name}: {good} of {all_} agree")
    sys.exit(any(good < all_ for good, all_ in tally.counts.values()))


main()
