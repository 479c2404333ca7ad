"""MQT Bench: all of its benchmarks at a few sizes, on every level, as its own writer writes them."""

import io

import qiskit_side
from mqt.bench import BenchmarkLevel, get_benchmark
from mqt.bench.benchmarks import get_available_benchmark_names
from mqt.bench.output import OutputFormat, write_circuit
from mqt.bench.targets.devices import get_available_device_names, get_device
from mqt.bench.targets.gatesets import get_available_gateset_names, get_target_for_gateset
from program import Program

# Benchmarks take sizes of their own; the first of these that they take are used.
SIZES = [3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 17]


def corpora(_):
    yield "MQT Bench, algorithms", lambda: level(BenchmarkLevel.ALG), qiskit_side.opinion
    yield "MQT Bench, independent of a target", lambda: level(BenchmarkLevel.INDEP), qiskit_side.opinion
    yield "MQT Bench, native gates", native_gates, qiskit_side.opinion
    yield "MQT Bench, mapped", mapped, qiskit_side.opinion


def level(which, sizes=3, target=None, label=""):
    for name in get_available_benchmark_names():
        done = 0
        for size in SIZES:
            if done == sizes:
                break
            try:
                circuit = get_benchmark(name, which, size, target=target)
            except Exception:  # noqa: BLE001: not a size of this benchmark
                continue
            done += 1
            yield from written(f"{name} {size}{label}", circuit, which, target)


def written(name, circuit, which, target):
    bound = circuit.assign_parameters({p: 0.3 + 0.4 * i for i, p in enumerate(circuit.parameters)})
    for version in (OutputFormat.QASM2, OutputFormat.QASM3):
        stream = io.StringIO()
        try:
            write_circuit(bound, stream, which, version, target)
        except Exception:  # noqa: BLE001: what is not written is no program
            continue
        yield Program(f"{name} ({version.value})", stream.getvalue(), lambda: qiskit_side.expectation(bound))


def native_gates():
    # Synthesis into Clifford gates and T takes minutes a circuit.
    for gateset in (name for name in get_available_gateset_names() if "clifford" not in name):
        yield from level(BenchmarkLevel.NATIVEGATES, 1, get_target_for_gateset(gateset, max(SIZES)), f" {gateset}")


def mapped():
    # On devices of hundreds of qubits a mapped circuit has as many.
    small = [name for name in get_available_device_names() if get_device(name).num_qubits <= 20]
    for device in small:
        yield from level(BenchmarkLevel.MAPPED, 1, get_device(device), f" {device}")
