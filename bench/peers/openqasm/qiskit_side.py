"""Qiskit and Aer: reading programs, and what comes out of circuits."""

import multiprocessing

import numpy as np
import qiskit_branches
from compare import exact_fault
from program import Counts, Skipped, State
from qiskit import QuantumCircuit, qasm2, qasm3, transpile
from qiskit.circuit import ControlFlowOp, Store
from qiskit_aer import AerSimulator

SHOTS = 4000
MAX_MATRIX_QUBITS = 4
SECONDS = 30
# Wider circuits have too many branches to follow.
MAX_BRANCH_QUBITS = 6


def read(text):
    """The circuit of a program, by Qiskit's own readers."""
    if "OPENQASM 2" in text[:2000]:
        return qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    return qasm3.loads(text)


def opinion(program):
    """Why Qiskit does not read or run a program, or None."""
    try:
        circuit = read(program.text)
    except Exception as error:  # noqa: BLE001: any refusal will do
        return f"Qiskit does not read it: {first_line(error)}"
    try:
        expectation(circuit)
    except Exception as error:  # noqa: BLE001
        return f"Qiskit reads it, but does not run it: {first_line(error)}"
    return None


def first_line(error):
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def expectation(circuit):
    """The state where the circuit has one at its end, else what `dynamic` says."""
    plain = without_measurements(circuit)
    return dynamic(circuit) if plain is None else State(state(plain[0]), plain[1])


def dynamic(circuit):
    """Counts of Aer, where they are those of every branch followed exactly, else the latter."""
    if circuit.num_qubits > MAX_BRANCH_QUBITS:
        return counts(circuit)
    exact = qiskit_branches.distribution(circuit)
    try:
        sampled = counts(circuit)
    except Skipped:
        return exact
    return sampled if exact_fault(sampled.by_outcome, exact.by_outcome) is None else exact


def without_measurements(circuit):
    """The circuit's gates and which qubit each bit is read from; None where it is dynamic."""
    gates = QuantumCircuit(circuit.qubits, global_phase=circuit.global_phase)
    read_from, touched, measured = {}, set(), set()
    for step in circuit.data:
        name = step.operation.name
        if name in ("barrier", "delay"):
            continue
        if name == "reset" and not touched.intersection(step.qubits):
            continue
        if isinstance(step.operation, (ControlFlowOp, Store)) or name == "reset":
            return None
        if name == "measure":
            qubit = circuit.find_bit(step.qubits[0]).index
            read_from[circuit.find_bit(step.clbits[0]).index] = qubit
            measured.update(step.qubits)
        elif step.clbits or measured.intersection(step.qubits):
            return None
        elif not append_flat(gates, step.operation, step.qubits, touched):
            return None
        touched.update(step.qubits)
    return gates, read_from


def append_flat(circuit, gate, qubits, touched):
    """Appends a gate, or its parts where its matrix would be slow to work out; False if one is dynamic."""
    if gate.name == "reset":
        return not touched.intersection(qubits)
    if gate.name in ("barrier", "delay"):
        return True
    if gate.definition is None or (hasattr(gate, "to_matrix") and gate.num_qubits <= MAX_MATRIX_QUBITS):
        circuit.append(gate, qubits)
        touched.update(qubits)
        return True
    inner = gate.definition
    circuit.global_phase += inner.global_phase
    for step in inner.data:
        where = [qubits[inner.find_bit(q).index] for q in step.qubits]
        if step.clbits or not append_flat(circuit, step.operation, where, touched):
            return False
    return True


def state(circuit):
    run = circuit.copy()
    run.save_statevector()
    simulator = AerSimulator(method="statevector", precision="double")
    result = simulator.run(transpile(run, simulator, optimization_level=0), shots=1).result()
    if not result.success:
        raise Skipped(f"Aer: {result.status}")
    return np.asarray(result.get_statevector().data)


def counts(circuit):
    """
    Counts over the circuit's bits, in the order of its registers.

    Aer ends the process on some circuits with control flow, so it runs in one of its own.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=send_counts, args=(sender, circuit))
    process.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(SECONDS) else f"takes more than {SECONDS} s"
    except EOFError:
        found = "its process ends"
    process.kill()
    process.join()
    if isinstance(found, str):
        raise Skipped(f"Aer: {found}")
    return Counts(found, circuit.num_clbits)


def send_counts(sender, circuit):
    try:
        sender.send(counts_here(circuit))
    except Exception as error:  # noqa: BLE001: told to whoever waits
        sender.send(first_line(error))


def counts_here(circuit):
    simulator = AerSimulator(seed_simulator=1)
    run = circuit.decompose(["initialize", "state_preparation"], reps=2)
    result = simulator.run(transpile(run, simulator, optimization_level=0), shots=SHOTS).result()
    if not result.success:
        raise Skipped(f"Aer: {result.status}")
    by_outcome = {}
    for label, count in result.get_counts().items():
        outcome = int(label.replace(" ", ""), 2)
        by_outcome[outcome] = by_outcome.get(outcome, 0) + count
    return by_outcome
