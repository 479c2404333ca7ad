"""Cross-check of whole suites of OpenQASM files against Qiskit; run by hand, not in CI.

    python bench/peers/benchmark-suites.py FOLDER...

Needs qiskit, qiskit-aer and qiskit-qasm3-import, and Node on the PATH. Every .qasm and .qasm3 file
under a FOLDER (say, QASMBench, or what MQT Bench has written) is read by the service's parser,
whatever its size. Those of up to MAX_QUBITS qubits that both sides finish in time are then compared:

  exact    no measurement before the end: the total variation between both distributions is below
           1e-9, and so is what the states are apart up to a global phase
  sampled  measurements in between: the total variation between both sides' counts is below what
           two samples of one distribution pass only once in 10^9 (see sampling_bound)

Prints how many are parsed and agree, and each one that is refused, skipped or does not agree.
"""

import json
import math
import select
import signal
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import qiskit
from qiskit import QuantumCircuit, qasm2, qasm3, transpile
from qiskit.quantum_info import Statevector
from qiskit_aer import AerSimulator

MAX_QUBITS = 16
MAX_SAMPLED_BITS = 12
SHOTS = 20_000
SECONDS = 10
TOLERANCE = 1e-9
ANSWERS = Path(__file__).with_name("openqasm-answers.ts")


class Skipped(Exception):
    """Why a file is not compared."""


class Service:
    """The service's side, one process for as long as it answers in time."""

    def __init__(self):
        self.process = None

    def answer(self, program):
        if self.process is None:
            self.process = subprocess.Popen(
                ["node", str(ANSWERS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        self.process.stdin.write(json.dumps(program).encode() + b"\n")
        self.process.stdin.flush()
        # An answer is written at once, so that what can be read is soon a whole line.
        if not select.select([self.process.stdout], [], [], SECONDS)[0]:
            self.close()
            raise Skipped(f"the service takes more than {SECONDS} s")
        return json.loads(self.process.stdout.readline())

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def time_limit():
    def stop(*_):
        raise Skipped(f"Qiskit takes more than {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def qiskit_reads(text):
    try:
        if "OPENQASM 3" in text[:2000]:
            return qasm3.loads(text)
        return qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    except Skipped:
        raise
    except Exception as error:  # noqa: BLE001: whatever Qiskit refuses cannot be compared
        raise Skipped(f"Qiskit refuses it: {str(error).splitlines()[0]}") from error


def opinion(text):
    """Whether Qiskit reads what the service refuses."""
    try:
        with time_limit():
            qiskit_reads(text)
    except Skipped as why:
        return str(why)
    return "Qiskit reads it"


def without_measurements(circuit):
    """The circuit's gates and which qubit each bit is read from, or None if it is dynamic."""
    gates = QuantumCircuit(circuit.qubits, global_phase=circuit.global_phase)
    read, touched = {}, set()
    for step in circuit.data:
        name = step.operation.name
        if name == "barrier":
            continue
        if name == "reset" and not touched.intersection(step.qubits):
            continue
        if name == "measure":
            read[step.clbits[0]] = step.qubits[0]
            touched.update(step.qubits)
            continue
        if step.clbits or name == "reset" or set(read.values()).intersection(step.qubits):
            return None
        touched.update(step.qubits)
        append_flat(gates, step.operation, step.qubits)
    return gates, read


def append_flat(circuit, gate, qubits):
    """Appends gate, or its parts where it is so wide that its matrix would be slow to work out."""
    if gate.num_qubits <= 4 or gate.definition is None:
        circuit.append(gate, qubits)
        return
    inner = gate.definition
    circuit.global_phase += inner.global_phase
    for step in inner.data:
        append_flat(circuit, step.operation, [qubits[inner.find_bit(q).index] for q in step.qubits])


def distribution(state, circuit, read):
    """The exact distribution over all classical bits."""
    index = np.arange(len(state), dtype=np.int64)
    outcome = np.zeros_like(index)
    for bit, qubit in read.items():
        value = (index >> circuit.find_bit(qubit).index) & 1
        outcome |= value << circuit.find_bit(bit).index
    return np.bincount(outcome, weights=abs(state) ** 2, minlength=2**circuit.num_clbits)


def sampling_bound(bits):
    """
    What the total variation between two samples passes with a probability of at most 10^-9.

    One sample's is on average at most sqrt(outcomes / shots) / 2 from its distribution, and further
    away by t with a probability of at most exp(-2 shots t^2) (McDiarmid).
    """
    average = math.sqrt(2**bits / SHOTS) / 2
    return 2 * (average + math.sqrt(math.log(2e9) / 2 / SHOTS))


def total_variation(mine, theirs):
    return sum(abs(mine[key] - theirs[key]) for key in {*mine, *theirs}) / 2


def compare(service, text, parsed):
    """The kind of comparison made, and what does not agree if anything."""
    if parsed["numQubits"] > MAX_QUBITS:
        raise Skipped(f"more than {MAX_QUBITS} qubits")
    with time_limit():
        circuit = qiskit_reads(text)
        plain = without_measurements(circuit)
        if plain is None:
            return compare_sampled(service, text, circuit)
        state = Statevector(plain[0]).data
    answer = service.answer({"qasm": text, "wants": "state"})
    if "error" in answer:
        return "exact", answer["error"]
    amplitudes = np.array(answer["amplitudes"])
    mine = amplitudes[0::2] + 1j * amplitudes[1::2]
    apart = abs(abs(np.vdot(mine, state)) - 1)
    if apart > TOLERANCE:
        return "exact", f"the states' overlap is {apart} from 1"
    if plain[1]:
        if circuit.num_clbits > MAX_QUBITS + 4:
            raise Skipped("too many classical bits")
        answer = service.answer({"qasm": text, "wants": "probabilities"})
        if "error" in answer:
            return "exact", answer["error"]
        expected = distribution(state, circuit, plain[1])
        apart = abs(np.array(answer["probabilities"]) - expected).sum() / 2
        if apart > TOLERANCE:
            return "exact", f"total variation {apart}"
    return "exact", None


def compare_sampled(service, text, circuit):
    if circuit.num_clbits > MAX_SAMPLED_BITS:
        raise Skipped(f"dynamic with more than {MAX_SAMPLED_BITS} classical bits")
    simulator = AerSimulator(seed_simulator=1)
    result = simulator.run(transpile(circuit, simulator, optimization_level=0), shots=SHOTS).result()
    if not result.success:
        raise Skipped(f"Aer: {result.status}")
    theirs = Counter()
    for label, count in result.get_counts().items():
        theirs[int(label.replace(" ", ""), 2)] += count / SHOTS
    answer = service.answer({"qasm": text, "wants": "counts", "shots": SHOTS})
    if "error" in answer:
        return "sampled", answer["error"]
    mine = Counter({outcome: count / SHOTS for outcome, count in answer["counts"]})
    apart, bound = total_variation(mine, theirs), sampling_bound(circuit.num_clbits)
    return "sampled", f"total variation {apart}, over {bound}" if apart > bound else None


def main():
    folders = [Path(name) for name in sys.argv[1:]]
    files = sorted(f for d in folders for f in d.rglob("*") if f.suffix in (".qasm", ".qasm3"))
    service = Service()
    parsed, skipped, agreed, compared = 0, Counter(), Counter(), Counter()
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            answer = service.answer({"qasm": text, "wants": "parse"})
            if "error" in answer:
                print(f"refused {file}: {answer['error']}; {opinion(text)}", flush=True)
                continue
            parsed += 1
            kind, fault = compare(service, text, answer)
        except Skipped as why:
            skipped[str(why).split(":")[0]] += 1
            if not str(why).startswith("more than"):
                print(f"skipped {file}: {why}", flush=True)
            continue
        compared[kind] += 1
        agreed[kind] += fault is None
        if fault is not None:
            print(f"DIFFERS {file}: {kind}: {fault}", flush=True)
    service.close()
    print(f"qiskit {qiskit.__version__}")
    print(f"parsed {parsed} of {len(files)}")
    for kind, number in sorted(compared.items()):
        print(f"{kind}: agreed {agreed[kind]} of {number}")
    for why, number in skipped.most_common():
        print(f"not compared: {number}: {why}")
    sys.exit(agreed != compared)


main()
