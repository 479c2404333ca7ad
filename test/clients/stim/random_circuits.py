"""Random circuits of all instructions of Stim, with the detectors that Stim finds in them."""

from __future__ import annotations

import random
from collections.abc import Callable

import stim

GATES = stim.gate_data()
ON_ONE = [name for name, gate in GATES.items() if gate.is_unitary and gate.is_single_qubit_gate]
ON_TWO = [name for name, gate in GATES.items() if gate.is_unitary and gate.is_two_qubit_gate]


class RandomCircuit:
    """Draws the lines of a circuit of some qubits."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._num_qubits = self._draw.randint(2, 5)
        self._num_bits = 0
        self._kinds: list[tuple[int, Callable[[], str]]] = [
            (25, self._gate_on_one),
            (25, self._gate_on_two),
            (12, self._measurement),
            (4, lambda: f"{self._alias(self._draw.choice(['R', 'RX', 'RY']))} {self._qubit()}"),
            (6, self._pair_measurement),
            (6, self._product_measurement),
            (4, lambda: f"{self._draw.choice(['SPP', 'SPP_DAG'])} {self._product()}"),
            (4, self._feedback),
            (16, self._noise),
        ]

    def text(self) -> str:
        """A circuit with all of its detectors; the first is an observable, too."""
        lines = [*self._some_lines(3, 30), self._measure_all()]
        detectors = _detectors_of(lines)
        observable = [line.replace("DETECTOR", "OBSERVABLE_INCLUDE(1)") for line in detectors[:1]]
        return "\n".join([*lines, *detectors, *observable])

    def text_with_random_detectors(self) -> str:
        """A circuit with detectors of any measurements."""
        lines = [*self._some_lines(3, 30), self._measure_all()]
        count = self._num_bits + self._num_qubits
        for _ in range(self._draw.randint(1, 6)):
            some = self._draw.sample(range(1, count + 1), self._draw.randint(1, min(4, count)))
            lines.append("DETECTOR " + " ".join(f"rec[-{back}]" for back in some))
        return "\n".join(lines)

    def text_with_pauli_observables(self) -> str:
        """A circuit with three observables that begin as Pauli operators in its middle and end as what these become."""
        before = self._some_lines(0, 12)
        # Feedback in the middle is from there alone, so that its flows are known.
        self._num_bits = 0
        middle = self._some_lines(2, 12)
        circuit = stim.Circuit("\n".join(middle))
        flows = circuit.without_noise().flow_generators()
        self._draw.shuffle(flows)
        starts, ends = [], []
        for number, flow in enumerate(flows[:3]):
            count = circuit.num_measurements
            bits = [f"rec[{bit - count if bit >= 0 else bit}]" for bit in flow.measurements_copy()]
            operators = [[f"{'_XYZ'[p]}{q}" for q, p in enumerate(end) if p != 0] for end in (flow.input_copy(), flow.output_copy())]
            starts.append(" ".join([f"OBSERVABLE_INCLUDE({number})", *(self._sign() + each for each in operators[0])]))
            ends.append(" ".join([f"OBSERVABLE_INCLUDE({number})", *(self._sign() + each for each in operators[1]), *bits]))
        lines = [*before, *starts, *middle, *ends, self._measure_all()]
        return "\n".join([*lines, *_detectors_of(lines)])

    def _some_lines(self, least: int, most: int) -> list[str]:
        weights, kinds = zip(*self._kinds, strict=True)
        return [self._draw.choices(kinds, weights)[0]() for _ in range(self._draw.randint(least, most))]

    def _measure_all(self) -> str:
        return "M " + " ".join(map(str, range(self._num_qubits)))

    def _qubit(self) -> int:
        return self._draw.randrange(self._num_qubits)

    def _pair(self) -> list[int]:
        return self._draw.sample(range(self._num_qubits), 2)

    def _alias(self, name: str) -> str:
        return self._draw.choice(GATES[name].aliases)

    def _sign(self) -> str:
        return "!" if self._draw.random() < 0.2 else ""

    def _probability(self, most: float = 0.2) -> float:
        return round(self._draw.random() * most, 4)

    def _flip(self) -> str:
        return f"({self._probability()})" if self._draw.random() < 0.3 else ""

    def _paulis(self) -> list[str]:
        qubits = self._draw.sample(range(self._num_qubits), self._draw.randint(1, self._num_qubits))
        return [f"{self._draw.choice('XYZ')}{qubit}" for qubit in qubits]

    def _product(self) -> str:
        return "*".join(self._sign() + pauli for pauli in self._paulis())

    def _gate_on_one(self) -> str:
        targets = [str(self._qubit()) for _ in range(self._draw.randint(1, 3))]
        return f"{self._alias(self._draw.choice(ON_ONE))} {' '.join(targets)}"

    def _gate_on_two(self) -> str:
        a, b = self._pair()
        return f"{self._alias(self._draw.choice(ON_TWO))} {a} {b}"

    def _measurement(self) -> str:
        targets = [self._sign() + str(self._qubit()) for _ in range(self._draw.randint(1, 3))]
        self._num_bits += len(targets)
        name = self._draw.choice(["M", "MX", "MY", "MR", "MRX", "MRY"])
        return f"{self._alias(name)}{self._flip()} {' '.join(targets)}"

    def _pair_measurement(self) -> str:
        self._num_bits += 1
        a, b = self._pair()
        return f"{self._draw.choice(['MXX', 'MYY', 'MZZ'])}{self._flip()} {self._sign()}{a} {self._sign()}{b}"

    def _product_measurement(self) -> str:
        products = [self._product() for _ in range(self._draw.randint(1, 2))]
        self._num_bits += len(products)
        return f"MPP{self._flip()} {' '.join(products)}"

    def _feedback(self) -> str:
        if self._num_bits == 0:
            return "TICK"
        bit = f"sweep[{self._draw.randrange(5)}]"
        if self._draw.random() < 0.85:
            bit = f"rec[-{self._draw.randint(1, self._num_bits)}]"
        name = self._draw.choice(["CX", "CY", "CZ", "XCZ", "YCZ"])
        return f"{name} {bit} {self._qubit()}" if name[0] == "C" else f"{name} {self._qubit()} {bit}"

    def _noise(self) -> str:
        p, q = self._probability, self._qubit()
        a, b = self._pair()
        name = self._draw.choice(
            ["X_ERROR", "Y_ERROR", "Z_ERROR", "I_ERROR", "DEPOLARIZE1", "DEPOLARIZE2", "PAULI_CHANNEL_1"]
            + ["PAULI_CHANNEL_2", "HERALDED_ERASE", "HERALDED_PAULI_CHANNEL_1", "E", "CHAIN", "MPAD"]
        )
        if name == "MPAD":
            self._num_bits += 2
            return f"MPAD({p()}) {self._draw.randrange(2)} {self._draw.randrange(2)}"
        if name == "E":
            return f"E({p()}) {' '.join(self._paulis())}"
        if name == "CHAIN":
            chain = [f"ELSE_CORRELATED_ERROR({p()}) X{a} Y{b}", f"ELSE_CORRELATED_ERROR({p()}) Z{b}"]
            return "\n".join([f"CORRELATED_ERROR({p()}) Y{a}", *chain[: self._draw.randint(1, 2)]])
        if name.startswith("HERALDED"):
            self._num_bits += 1
        count = {"PAULI_CHANNEL_1": 3, "PAULI_CHANNEL_2": 15, "HERALDED_PAULI_CHANNEL_1": 4}.get(name, 1)
        values = ",".join(str(p(0.03 if count == 15 else 0.2)) for _ in range(count))
        return f"{name}({values}) {f'{a} {b}' if name.endswith('2') else q}"


def _detectors_of(lines: list[str]) -> list[str]:
    return str(stim.Circuit("\n".join(lines)).missing_detectors(unknown_input=False)).splitlines()
