"""The client without a framework."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import qcs_client
from qcs_client import Client, Program, Qir

ROOT = Path(__file__).resolve().parents[3]
BELL = [{"gate": "H", "qubit": 0}, {"gate": "CX", "control": 0, "target": 1}]
ROTATION = [{"gate": "RY", "qubit": 0, "theta": {"input": "a"}}, {"gate": "CX", "control": 0, "target": 1}]
#: Runs for many seconds unless it is cancelled.
LONG = [
    {"gate": gate, "qubit": q, **({"theta": 0.1} if gate == "RX" else {})}
    for _ in range(400)
    for gate in ("H", "RX")
    for q in range(24)
]


def test_counts_of_a_bell_pair_have_equal_bits_and_sum_to_the_shots(client):
    result = client.circuits.run(BELL, shots=500, seed=7)
    assert set(result.counts) == {"00", "11"}
    assert sum(result.counts.values()) == 500
    bits = result.bits()
    assert bits.shape == (500, 2)
    assert (bits[:, 0] == bits[:, 1]).all()


def test_the_same_seed_gives_the_same_counts(client):
    first, second = (client.circuits.run(BELL, shots=500, seed=7).counts for _ in range(2))
    assert first == second


def test_openqasm_text_is_a_circuit_too(client):
    assert client.circuits.run("OPENQASM 3.0; qubit[2] q; x q[0];", shots=10).counts == {"01": 10}


def test_a_program_in_qir_is_a_circuit_too(client):
    text = (ROOT / "examples" / "bell.ll").read_text()
    result = client.circuits.run(Qir(text), shots=200, seed=7)
    assert set(result.counts) == {"00", "11"}
    labels = [(each["type"], each["label"]) for each in result.recorded_outputs]
    assert labels == [("tuple", ""), ("result", "alice"), ("result", "bob")]
    with pytest.raises(qcs_client.BadRequestError, match="there is no module"):
        client.circuits.run(Qir(b"BC\xc0\xde"))


def test_a_circuit_of_stim_is_sent_as_it_is_and_its_bits_are_matrices(client):
    stim = pytest.importorskip("stim")
    circuit = stim.Circuit(
        "R 0 1\nX_ERROR(0.25) 0\nH 2\nM 2\nCX 0 1\nMR 1\nDETECTOR(1) rec[-1]\nM !0\nOBSERVABLE_INCLUDE(0) rec[-1]"
    )
    outputs = ["detection_events", "detector_error_model", "measurements"]
    result = client.circuits.run(circuit, shots=400, seed=3, processor="qvm", return_=outputs)
    events, flips = result.detection_events
    assert events.shape == flips.shape == (400, 1)
    assert (events == flips).all()
    assert 60 < events.sum() < 140
    assert result.measurements.shape == (400, 3)
    assert (result.measurements[:, 1] == events[:, 0]).all()
    assert (result.measurements[:, 2] != events[:, 0]).all()
    theirs = circuit.detector_error_model()
    assert stim.DetectorErrorModel(result.detector_error_model).approx_equals(theirs, atol=1e-12)


@pytest.mark.parametrize("state", ["1+", np.array([0, 0, 1, 1]) / math.sqrt(2), {"product": "1+"}])
def test_a_circuit_begins_in_a_label_or_an_array(client, state):
    assert client.circuits.run([{"gate": "H", "qubit": 0}], shots=10, initial_state=state).counts == {"10": 10}
    program = {"circuit": [{"gate": "Z", "qubit": 0}], "initial_state": state, "return": ["statevector"]}
    [vector] = client.batches.run([program])[0].statevector
    assert np.allclose(vector, np.array([0, 0, 1, -1]) / math.sqrt(2))


def test_a_circuit_begins_in_a_density_matrix(client):
    rho = np.array([[0.25, 0.1j], [-0.1j, 0.75]])
    result = client.circuits.run([], shots=1, initial_state=rho, processor="qvm", return_=["density_matrix"])
    assert np.allclose(result.density_matrix, rho)


def test_statevector_and_expectation_are_arrays(client):
    result = client.circuits.run(
        BELL, return_=["statevector", "expectation"], observables=[{"pauli": "X0 X1"}]
    )
    assert result.statevector == pytest.approx(np.array([1, 0, 0, 1]) / math.sqrt(2))
    assert result.expectation == pytest.approx([1.0])


def test_a_sweep_returns_arrays_by_point_observable_and_input(client):
    angles = np.linspace(0, 3, 7)
    program = Program(
        ROTATION,
        inputs={"a": angles},
        observables=[{"pauli": "Z0"}, [{"pauli": "X0 X1"}, {"pauli": "I", "coefficient": 2}]],
        return_=["expectation", "variance", "gradient", "probabilities", "statevector"],
    )
    (result,) = client.batches.run([program])
    assert result.expectation == pytest.approx(np.stack([np.cos(angles), np.sin(angles) + 2], axis=1))
    assert result.variance[:, 0] == pytest.approx(np.sin(angles) ** 2)
    assert result.gradient == pytest.approx(np.stack([-np.sin(angles), np.cos(angles)], axis=1)[:, :, None])
    assert result.probabilities[:, 3] == pytest.approx(np.sin(angles / 2) ** 2)
    assert result.statevector[:, 3] == pytest.approx(np.sin(angles / 2))


def test_programs_as_objects_and_as_programs_give_the_same(client):
    as_object = {"circuit": ROTATION, "inputs": {"a": [0.1, 0.2]}, "observables": [{"pauli": "Z0"}]}
    as_program = Program(ROTATION, inputs={"a": [0.1, 0.2]}, observables=[{"pauli": "Z0"}])
    again = Program(
        source_json=as_program.source_json,
        observables_json=as_program.observables_json,
        inputs={"a": [0.1, 0.2]},
    )
    first, second, third = client.batches.run([as_object, as_program, again])
    assert first.expectation.tolist() == second.expectation.tolist() == third.expectation.tolist()


def test_counts_of_points_become_bits_in_the_order_of_classical_bits(client):
    circuit = [{"gate": "X", "qubit": 2}, {"gate": "M", "qubits": [2, 0], "bits": [1, 0]}]
    (result,) = client.batches.run([{"circuit": circuit}], shots=5)
    assert result.bits().tolist() == [[[0, 1]] * 5]


def test_a_submitted_job_is_found_again_and_followed_to_its_result(client):
    job = client.circuits.submit(BELL, shots=10, name="found again")
    events = [event.type for event in job.events()]
    assert events[-1] == "done"
    assert client.job(job.id).result().counts.keys() <= {"00", "11"}
    assert [found.id for found in client.circuits.list(name="found again")] == [job.id]


def test_listings_go_on_over_pages(client):
    jobs = [client.circuits.submit(BELL, shots=1, tags=["paged"]) for _ in range(3)]
    assert [job.id for job in client.circuits.list(tag="paged", limit=1)] == [
        job.id for job in reversed(jobs)
    ]


def test_a_cancelled_job_has_no_result(client):
    job = client.circuits.submit(LONG, shots=1).cancel()
    assert job.status == "cancelled"
    with pytest.raises(qcs_client.JobCancelledError):
        job.result()
    job.delete()
    with pytest.raises(qcs_client.NotFoundError):
        client.job(job.id)


def test_waiting_ends_with_the_callers_time(client):
    job = client.circuits.submit(LONG, shots=1)
    with pytest.raises(TimeoutError):
        job.result(timeout=0.01)
    assert job.refresh().status in ("queued", "running")
    job.cancel()


def test_progress_is_shown_by_a_bar(client, capsys):
    program = Program(ROTATION, inputs={"a": np.linspace(0, 1, 50_000)}, shots=100)
    job = client.batches.submit([program])
    assert len(job.result(progress=True)[0].counts) == 50_000
    assert "%" in capsys.readouterr().err


def test_the_same_idempotency_key_runs_once(client):
    jobs = [client.circuits.submit(BELL, shots=10, idempotency_key="once") for _ in range(2)]
    assert jobs[0].id == jobs[1].id


def test_every_fault_of_a_request_is_in_the_exception(client):
    with pytest.raises(qcs_client.BadRequestError) as caught:
        client.circuits.run([{"gate": "HX", "qubit": 0}], shots=0)
    assert [detail.path for detail in caught.value.details] == ["shots", "circuit[0].gate"]
    assert 'There is no gate called "HX"' in str(caught.value)
    assert caught.value.request_id


def test_a_wrong_key_is_unauthorized(service):
    with Client(service.url, "qcs_0000000000000000_" + "0" * 64) as stranger:
        with pytest.raises(qcs_client.UnauthorizedError):
            stranger.processors()


def test_a_processor_that_is_offline_is_unavailable_at_once(client):
    with pytest.raises(qcs_client.UnavailableError, match="No hardware provider"):
        client.circuits.run(BELL, processor="superconducting-1")


def test_a_failed_job_says_why(client):
    qasm = "OPENQASM 3.0; qubit q; bit b; while (b == 0) { b = measure q; }"
    with pytest.raises(qcs_client.ServiceError) as caught:
        client.circuits.run(qasm, shots=1)
    assert caught.value.details[0].code == "ENGINE_TOO_MANY_ROUNDS" or "10,000" in str(caught.value)


def test_address_and_key_come_from_the_environment(service, monkeypatch):
    monkeypatch.setenv("QCS_URL", service.url)
    monkeypatch.setenv("QCS_API_KEY", service.key)
    assert {"statevector-sim", "gpu-fleet"} <= {processor["id"] for processor in Client().processors()}
    monkeypatch.delenv("QCS_API_KEY")
    with pytest.raises(qcs_client.QcsError, match="QCS_API_KEY"):
        Client()


def test_nobody_at_the_address_is_unreachable():
    with pytest.raises(qcs_client.UnreachableError, match="No service answers"):
        Client("http://127.0.0.1:9", "key", retry_for=0).processors()


def test_results_show_themselves_in_a_notebook(client):
    assert "<code>11</code>" in client.circuits.run(BELL, shots=50)._repr_html_()
    batch = client.batches.run([Program(ROTATION, inputs={"a": [0.1]}, shots=5, name="<sweep>")])
    assert "&lt;sweep&gt;" in batch._repr_html_()
    job = client.circuits.submit(BELL, shots=5, wait=5)
    assert job.id in job._repr_html_()


def test_histograms_are_drawn_with_matplotlib(client):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = client.circuits.run([{"gate": "X", "qubit": 0}], shots=9).plot()
    assert [bar.get_height() for bar in axes.patches] == [9]


NOISE = {
    "gates": [{"gates": ["CX"], "channel": {"type": "depolarizing", "probability": 0.3}}],
    "readout": [{"qubits": [0], "p1_given_0": 0.0, "p0_given_1": 1.0}],
}


def test_noise_and_a_method_are_fields_of_circuits_and_batches(client):
    wanted = {
        "processor": "qvm",
        "noise": NOISE,
        "method": "density_matrix",
        "observables": [{"pauli": "X0 X1"}],
    }
    single = client.circuits.run(
        BELL, return_=["density_matrix", "purity", "expectation", "memory"], shots=9, **wanted
    )
    assert single.method == "density_matrix"
    # X X commutes with 7 of the 15 Pauli strings; the other 8 turn its sign.
    value = 1 - 2 * 0.3 * 8 / 15
    assert single.expectation == pytest.approx([value])
    assert single.density_matrix.shape == (4, 4)
    assert np.trace(single.density_matrix @ single.density_matrix).real == pytest.approx(single.purity)
    assert [label[-1] for label in single.memory] == ["0"] * 9
    (batch,) = client.batches.run(
        [{"circuit": BELL, "observables": wanted["observables"]}], processor="qvm", noise=NOISE
    )
    assert batch.expectation == pytest.approx(np.array([[value]]))


def test_amplitudes_of_given_basis_states_are_complex_numbers_by_label(client):
    ghz = [
        {"gate": "H", "qubit": 0},
        {"gate": "S", "qubit": 0},
        *({"gate": "CX", "control": i, "target": i + 1} for i in range(69)),
    ]
    labels = ["0" * 70, "1" * 70, "0x1"]
    result = client.circuits.run(
        ghz, return_=["amplitudes"], basis_states=labels, shots=1, processor="qvm"
    )
    assert result.amplitudes == pytest.approx({labels[0]: 0.5**0.5, labels[1]: 0.5**0.5 * 1j, "0x1": 0})
    assert result.counts is None


def test_trajectories_have_means_with_standard_errors(client):
    result = client.circuits.run(
        BELL,
        processor="qvm",
        noise=NOISE,
        method="statevector",
        shots=2000,
        seed=4,
        return_=["expectation"],
        observables=[{"pauli": "X0 X1"}],
    )
    assert abs(result.expectation[0] - (1 - 2 * 0.3 * 8 / 15)) < 5 * result.standard_error[0]


def test_a_noise_model_is_taken_by_its_name(client):
    result = client.circuits.run(BELL, processor="qvm", noise="ibm-fez", shots=10)
    assert sum(result.counts.values()) == 10
    with pytest.raises(qcs_client.BadRequestError, match="no noise model"):
        client.circuits.run(BELL, processor="qvm", noise="ibm-fezz", shots=10)


#: Three qubits in a line. The CZ of qubits 0 and 1 has errors.
DEVICE = {
    "coupling_map": [[0, 1], [1, 2]],
    "noise": {
        "gates": [
            {"gates": ["CZ"], "qubits": [[0, 1]], "channel": {"type": "depolarizing", "probability": 0.3}}
        ]
    },
}


def test_circuits_batches_and_compile_take_a_device(client):
    wanted = {"processor": "emulator", "device": DEVICE}
    observables = [{"pauli": "X0 X1"}]
    fields = {"return_": ["expectation"], "observables": observables}
    single = client.circuits.run(BELL, **fields, **wanted)
    (batch,) = client.batches.run([{"circuit": BELL, "observables": observables}], **wanted)
    # X X commutes with 7 of the 15 Pauli strings; the other 8 turn its sign.
    value = 1 - 2 * 0.3 * 8 / 15
    assert single.expectation == pytest.approx([value])
    assert batch.expectation == pytest.approx(np.array([[value]]))
    compiled = client.compile(BELL, target_processor="emulator", device=DEVICE)
    assert {"CZ", "M"} < {gate["gate"] for gate in compiled["circuit"]} <= {"CZ", "RZ", "SX", "X", "M"}
    with pytest.raises(qcs_client.BadRequestError, match="takes a device"):
        client.circuits.run(BELL, device=DEVICE)


def test_estimates_say_what_runs_would_take(client):
    before = len(list(client.circuits.list()))
    single = client.circuits.estimate(BELL, shots=50)
    assert (single["kind"], single["method"], single["shots"]) == ("circuit", "statevector", 50)
    assert single["memory_bytes"] == 64
    assert single["run_ms"] > 0
    inputs = {"a": np.linspace(0, 1, 7)}
    program = {"circuit": [{"gate": "RY", "qubit": 0, "theta": {"input": "a"}}], "inputs": inputs}
    batch = client.batches.estimate([program], shots=10)
    assert [(each["points"], each["shots"]) for each in batch["programs"]] == [(7, 70)]
    text = "X_ERROR(0.1) 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n"
    experiment = client.experiments.estimate({"stim": text}, max_shots=1000)
    assert (experiment["kind"], experiment["tasks"][0]["shots"]) == ("experiment", 1000)
    assert len(list(client.circuits.list())) == before
    with pytest.raises(qcs_client.BadRequestError):
        client.circuits.estimate([{"gate": "NOPE", "qubit": 0}])


def test_noise_of_a_device_is_taken_by_its_name(client):
    line = {"coupling_map": [[0, 1]], "noise": "ibm-fez"}
    result = client.circuits.run(BELL, processor="emulator", device=line, shots=10)
    assert sum(result.counts.values()) == 10
    with pytest.raises(qcs_client.BadRequestError, match=r"device\.noise\.model"):
        client.circuits.run(BELL, processor="emulator", device={**line, "noise": "ibm-fezz"})


def test_counts_of_many_bits_have_their_labels_as_numbers(client):
    circuit = [{"gate": "X", "qubit": 1}, {"gate": "M", "qubits": [0, 1], "bits": [0, 69]}]
    single = client.circuits.run(circuit, shots=3)
    (batch,) = client.batches.run([{"circuit": circuit}], shots=3)
    assert single.counts == batch.counts[0] == {f"0x{1 << 69:018x}": 3}
    bits = single.bits()
    assert bits.shape == (3, 70)
    assert np.flatnonzero(bits.sum(axis=0)).tolist() == [69]
