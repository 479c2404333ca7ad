"""qiskit-ionq: circuits of Qiskit's own gates, results in the caller's classical bits, batches, sessions and failures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from qiskit import QuantumCircuit, transpile
from qiskit.circuit import Parameter
from qiskit.circuit.library import PauliEvolutionGate, QFTGate
from qiskit.quantum_info import Operator, SparsePauliOp, Statevector
from qiskit_ionq import GPI2Gate, GPIGate, IonQProvider, MSGate, ZZGate
from qiskit_ionq.exceptions import IonQAPIError, IonQJobFailureError, IonQJobStateError
from qiskit_ionq.ionq_session import Session
from service import wait_until


@pytest.fixture
def provider(service, url) -> IonQProvider:
    return IonQProvider(service.key, url)


@pytest.fixture
def simulator(provider):
    return provider.get_backend("simulator")


def exact(job) -> dict[str, float]:
    """Probabilities by bit string, as the job has them."""
    client, status = job._client, job.status()
    assert status.name == "DONE", status
    answer = client.get_results(job._results_urls["probabilities"])
    return {int(outcome): value for outcome, value in answer.items()}


def expected(circuit: QuantumCircuit) -> dict[int, float]:
    """Probabilities of basis states by Qiskit's own simulation; qubit 0 is the least significant bit, as IonQ has it."""
    probabilities = Statevector(circuit).probabilities()
    return {index: value for index, value in enumerate(probabilities) if value > 1e-12}


def assert_same(found: dict[int, float], wanted: dict[int, float]) -> None:
    assert found.keys() == wanted.keys()
    for outcome, value in wanted.items():
        assert found[outcome] == pytest.approx(value, abs=1e-9)


def done(job):
    job.wait_for_final_state(timeout=60, wait=0.1)
    return job


def test_bell_pair_gives_counts_in_the_callers_bits(simulator):
    bell = QuantumCircuit(2, 2)
    bell.h(0)
    bell.cx(0, 1)
    bell.measure([0, 1], [0, 1])
    job = simulator.run(bell, shots=2000, sampler_seed=7)
    counts = job.result(wait=0.1).get_counts()
    assert set(counts) == {"00", "11"}
    assert sum(counts.values()) == 2000
    assert job.get_probabilities() == {"00": pytest.approx(0.5), "11": pytest.approx(0.5)}


def test_classical_bits_are_those_of_the_measurements(simulator):
    circuit = QuantumCircuit(3, 2)
    circuit.x(2)
    circuit.measure(2, 0)
    circuit.measure(0, 1)
    assert simulator.run(circuit, shots=50).result(wait=0.1).get_counts() == {"01": 50}


def test_ghz_state_of_twelve_qubits(simulator):
    ghz = QuantumCircuit(12)
    ghz.h(0)
    for qubit in range(11):
        ghz.cx(qubit, qubit + 1)
    ghz.measure_all()
    assert set(simulator.run(ghz).result(wait=0.1).get_counts()) == {"0" * 12, "1" * 12}


def every_gate() -> QuantumCircuit:
    """All gates that qiskit-ionq translates, on a state that tells phases apart."""
    circuit = QuantumCircuit(4)
    for qubit in range(4):
        circuit.ry(0.3 + 0.4 * qubit, qubit)
    circuit.x(0), circuit.y(1), circuit.z(2), circuit.h(3)
    circuit.s(0), circuit.sdg(1), circuit.t(2), circuit.tdg(3)
    circuit.sx(0), circuit.sxdg(1), circuit.rx(0.7, 2), circuit.rz(0.9, 3), circuit.p(1.1, 0)
    circuit.cx(0, 1), circuit.cy(1, 2), circuit.cz(2, 3), circuit.ch(3, 0), circuit.csx(0, 2)
    circuit.crx(0.4, 0, 1), circuit.cry(0.5, 1, 2), circuit.crz(0.6, 2, 3), circuit.cp(0.8, 3, 1)
    circuit.rxx(0.3, 0, 1), circuit.ryy(0.4, 1, 2), circuit.rzz(0.5, 2, 3), circuit.swap(0, 3)
    circuit.ccx(0, 1, 2), circuit.mcx([0, 1, 2], 3), circuit.mcp(0.7, [0, 1], 2)
    circuit.ry(0.2, 0), circuit.h(1), circuit.ry(0.4, 2), circuit.h(3)
    return circuit


def test_every_gate_has_the_matrix_that_qiskit_gives_it(simulator):
    circuit = every_gate()
    measured = circuit.copy()
    measured.measure_all()
    assert_same(exact(done(simulator.run(measured))), expected(circuit))


@pytest.mark.parametrize("terms", [["XXI", "ZZI", "IZZ"], ["XYZ"], ["ZIY", "IXI"]])
def test_evolution_by_pauli_strings(simulator, terms):
    operator = SparsePauliOp(terms, [0.3 + 0.2 * i for i in range(len(terms))])
    commute = all(
        SparsePauliOp(a).dot(SparsePauliOp(b)) == SparsePauliOp(b).dot(SparsePauliOp(a)) for a in terms for b in terms
    )
    circuit = QuantumCircuit(3)
    for qubit in range(3):
        circuit.ry(0.4 + 0.5 * qubit, qubit)
    before = circuit.copy()
    circuit.append(PauliEvolutionGate(operator, 0.8), [2, 0, 1])
    for qubit in range(3):
        circuit.h(qubit), before.id(qubit)
    # exp(−iHt) itself: Qiskit's own circuit of the gate is a product formula.
    matrix = Operator(operator).data
    values, vectors = np.linalg.eigh(matrix)
    unitary = vectors @ np.diag(np.exp(-0.8j * values)) @ vectors.conj().T
    before.unitary(unitary, [2, 0, 1])
    for qubit in range(3):
        before.h(qubit)
    measured = circuit.copy()
    measured.measure_all()
    metadata = {} if commute else {"ionq_compiler_synthesis": True}
    assert_same(exact(done(simulator.run(measured, extra_metadata=metadata))), expected(before))


def test_a_transpiled_circuit_runs(simulator):
    circuit = QuantumCircuit(4)
    circuit.x(1)
    circuit.append(QFTGate(4), range(4))
    circuit.append(QFTGate(4).inverse(), range(4))
    circuit.measure_all()
    counts = simulator.run(transpile(circuit, simulator, optimization_level=1)).result(wait=0.1).get_counts()
    assert counts == {"0010": 1024}


def test_a_bound_parameter_is_an_angle(simulator):
    angle = Parameter("angle")
    circuit = QuantumCircuit(1)
    circuit.ry(angle, 0)
    circuit.measure_all()
    for value in (0.0, 0.6, math.pi):
        job = done(simulator.run(circuit.assign_parameters({angle: value})))
        assert exact(job).get(1, 0) == pytest.approx(math.sin(value / 2) ** 2, abs=1e-9)


def test_several_circuits_are_one_job(simulator):
    circuits = []
    for number in range(3):
        circuit = QuantumCircuit(2, name=f"number {number}")
        for qubit in range(2):
            if number >> qubit & 1:
                circuit.x(qubit)
        circuit.measure_all()
        circuits.append(circuit)
    job = simulator.run(circuits, shots=20)
    result = job.result(wait=0.1)
    assert [result.get_counts(number) for number in range(3)] == [{"00": 20}, {"01": 20}, {"10": 20}]
    assert job.status(detailed=True)["completed"] == 3


@pytest.mark.parametrize(("name", "two_qubits"), [("simulator", MSGate(0.1, 0.2, 0.15)), ("qpu.forte-1", ZZGate(0.2))])
def test_native_gates_have_the_matrices_that_qiskit_ionq_gives_them(provider, name, two_qubits):
    backend = provider.get_backend(name, gateset="native")
    circuit = QuantumCircuit(2)
    circuit.append(GPI2Gate(0.1), [0])
    circuit.append(GPIGate(0.3), [1])
    circuit.append(GPI2Gate(0.4), [1])
    circuit.append(two_qubits, [1, 0])
    circuit.append(GPI2Gate(0.7), [0])
    circuit.append(GPI2Gate(0.2), [1])
    wanted = expected(circuit)
    circuit.measure_all()
    found = exact(done(backend.run(circuit, shots=10_000)))
    if name == "simulator":
        assert_same(found, wanted)
    else:
        # A QPU answers what it counted; 5 standard deviations.
        for outcome, value in wanted.items():
            assert found.get(outcome, 0) == pytest.approx(value, abs=5 * math.sqrt(value / 10_000))


def test_a_qpu_gives_the_outcome_of_each_shot(provider):
    circuit = QuantumCircuit(2)
    circuit.x(1)
    circuit.h(0)
    circuit.measure_all()
    job = provider.get_backend("qpu.forte-1").run(circuit, shots=200, memory=True)
    result = job.result(wait=0.1)
    memory = result.get_memory()
    assert len(memory) == 200
    assert {outcome: memory.count(outcome) for outcome in set(memory)} == result.get_counts()
    # The noise of the QPU flips a bit in a few shots of 10,000.
    assert memory.count("10") + memory.count("11") > 190


def test_a_measurement_in_the_middle_goes_as_openqasm(provider):
    circuit = QuantumCircuit(2, 3)
    circuit.x(0)
    circuit.measure(0, 0)
    circuit.reset(0)
    circuit.cx(0, 1)
    circuit.x(1)
    circuit.measure([0, 1], [1, 2])
    job = provider.get_backend("qpu.forte-1").run(circuit, shots=30)
    assert job.result(wait=0.1).get_counts()["101"] > 20


def test_metadata_and_name_come_back_as_they_were_sent(simulator):
    circuit = QuantumCircuit(1, 1, name="a name — with a dash")
    circuit.h(0)
    circuit.measure(0, 0)
    sent = {"text": 'a "quoted" text, "body":{"x":1}', "empty": "", "unicode": "ψ✓\n"}
    job = done(simulator.run(circuit, extra_metadata=sent))
    answer = simulator.client.retrieve_job(job.job_id())
    assert {name: answer["metadata"][name] for name in sent} == sent
    assert answer["name"] == circuit.name
    assert simulator.retrieve_job(job.job_id()).result(wait=0.1).get_counts().keys() == {"0", "1"}


def test_a_dry_run_is_checked_and_not_run(simulator):
    circuit = QuantumCircuit(1)
    circuit.h(0)
    circuit.measure_all()
    job = done(simulator.run(circuit, dry_run=True))
    assert job.dry_run
    with pytest.raises(Exception, match="dry_run"):
        job.result()


def test_a_fault_is_an_error_with_this_services_words(simulator):
    circuit = QuantumCircuit(1)
    circuit.measure_all()
    with pytest.raises(IonQAPIError, match="noise.model: The noise model .*aria-9.* is not available; there are ideal, forte-1"):
        simulator.run(circuit, noise_model="aria-9")


def test_noise_models_have_the_errors_that_ionq_publishes(simulator):
    circuit = QuantumCircuit(2)
    for _ in range(40):
        circuit.cx(0, 1)
    circuit.measure_all()
    counts = done(simulator.run(circuit, shots=20_000, noise_model="aria-1", sampler_seed=5)).get_counts()
    # Each gate keeps a fraction 1 − r of the state; the rest is fully mixed.
    kept = (1 - 0.0133) ** 40
    assert counts["00"] / 20_000 == pytest.approx(kept + (1 - kept) / 4, abs=0.02)
    ideal = done(simulator.run(circuit, shots=100, noise_model="ideal")).get_counts()
    assert ideal == {"00": 100}


def test_an_unknown_backend_is_an_error_that_names_the_others(provider):
    circuit = QuantumCircuit(1)
    circuit.measure_all()
    with pytest.raises(IonQAPIError, match="there are simulator, qpu.forte-1, .* and qpu.harmony"):
        provider.get_backend("qpu.tempo-1").run(circuit)


@pytest.mark.parametrize(
    ("name", "qubits"), [("qpu.aria-1", 25), ("qpu.aria-2", 25), ("qpu.forte-enterprise-1", 36), ("qpu.harmony", 11)]
)
def test_every_qpu_has_the_noise_of_its_device(provider, simulator, name, qubits):
    backend = provider.get_backend(name)
    assert backend.status()
    assert backend.num_qubits <= qubits
    assert backend.calibration().backend == name
    circuit = QuantumCircuit(2)
    for _ in range(20):
        circuit.cx(0, 1)
    circuit.measure_all()
    counts = done(backend.run(circuit, shots=2000)).get_counts()
    alike = done(simulator.run(circuit, shots=2000, noise_model=name.removeprefix("qpu."))).get_counts()
    # A Pauli error in twenty gates shows in some of the shots; 5 standard deviations of a difference.
    assert 0 < sum(counts.values()) - counts["00"] < 1500
    assert counts["00"] == pytest.approx(alike["00"], abs=5 * math.sqrt(1000))


def test_too_many_qubits_are_an_error_with_the_limit_of_the_backend(provider, simulator):
    for backend, extra in ((simulator, {}), (simulator, {"noise_model": "aria-1"}), (provider.get_backend("qpu.aria-1"), {})):
        width = 25 if extra or backend is not simulator else simulator.num_qubits
        circuit = QuantumCircuit(width + 1)
        circuit.h(range(width + 1))
        circuit.measure_all()
        with pytest.raises(IonQAPIError, match=f"{width + 1} qubits.* {width}"):
            backend.run(circuit, **extra)


def test_a_wrong_key_is_an_error(url):
    with pytest.raises(IonQAPIError) as raised:
        IonQProvider("qcs_wrong", url).get_backend("simulator").run(QuantumCircuit(1, 1))
    assert raised.value.status_code == 401


ENDLESS = """OPENQASM 3.0;
include "stdgates.inc";
qubit q;
bit c;
reset q;
c = measure q;
while (c == 0) { c = measure q; }
"""


def test_a_job_that_fails_says_why(simulator):
    # A loop that never ends: its job fails while it runs.
    client = simulator.client
    body = {"type": "ionq.qasm3.v1", "backend": "simulator", "input": {"data": ENDLESS}}
    job_id = client.post("jobs", json_body=body)["id"]
    with pytest.raises(IonQJobFailureError, match="loop"):
        done(simulator.retrieve_job(job_id))


def test_a_cancelled_job_has_no_result(simulator):
    # Wide enough to run until it is cancelled.
    circuit = QuantumCircuit(24)
    for _ in range(60):
        circuit.h(range(24))
        for qubit in range(23):
            circuit.cx(qubit, qubit + 1)
    circuit.measure_all()
    job = simulator.run(circuit)
    wait_until(lambda: job.status().name == "RUNNING")
    job.cancel()
    with pytest.raises(IonQJobStateError, match="canceled"):
        job.result(wait=0.1)


def test_estimates_cost_nothing(simulator):
    estimate = simulator.client.estimate_job(backend="simulator", oneq_gates=5, twoq_gates=5, qubits=10, shots=100)
    assert estimate.cost == 0
    assert estimate.qubits == 10
    assert estimate.total_runtime >= 0


def test_the_qpu_is_available_and_all_to_all(provider):
    backend = provider.get_backend("qpu.forte-1")
    assert backend.status()
    calibration = backend.calibration()
    assert calibration.qubits == backend.num_qubits >= 20
    assert len(calibration.connectivity) == calibration.qubits * (calibration.qubits - 1) // 2
    assert calibration.median_spam_fidelity == 1


def test_a_session_groups_jobs_until_it_ends(provider):
    backend = provider.get_backend("qpu.forte-1")
    circuit = QuantumCircuit(1)
    circuit.x(0)
    circuit.measure_all()
    with Session(backend, max_jobs=1) as session:
        job = done(backend.run(circuit, shots=10))
        listed = backend.client.get_with_retry(
            backend.client.make_path("sessions", session.session_id, "jobs"), headers=backend.client.api_headers
        ).json()["jobs"]
        assert [each["id"] for each in listed] == [job.job_id()]
        with pytest.raises(IonQAPIError, match="job_count_limit"):
            backend.run(circuit, shots=10)
    assert session.details()["status"] == "ended"
