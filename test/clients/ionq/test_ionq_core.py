"""ionq-core, IonQ's own client, which is generated from its document: jobs, listings, sessions, bulk operations and errors."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest
from ionq_core import IonQClient, SessionManager, gpi2_matrix, gpi_matrix, iter_jobs, ms_matrix, wait_for_job, zz_matrix
from ionq_core.api.backends import get_backends
from ionq_core.api.default import (
    cancel_job,
    cancel_jobs,
    create_job,
    delete_jobs,
    get_job,
    get_job_artifact,
    get_job_cost,
    get_job_probabilities,
    get_session,
    get_session_jobs,
)
from ionq_core.exceptions import AuthenticationError, BadRequestError, NotFoundError
from ionq_core.models.circuit_job_creation_payload import CircuitJobCreationPayload
from ionq_core.models.jobs_bulk_operation_request import JobsBulkOperationRequest
from ionq_core.models.json_multi_circuit_job import JSONMultiCircuitJob
from ionq_document import ionq_core_sources
from service import wait_until
import numpy as np

BELL = [{"gate": "h", "target": 0}, {"gate": "cnot", "control": 0, "target": 1}]


@pytest.fixture
def client(service, url):
    return IonQClient(api_key=service.key, base_url=url)


def circuit(gates, *, gateset="qis", qubits=2, **fields) -> CircuitJobCreationPayload:
    body = {
        "type": "ionq.circuit.v1",
        "backend": "simulator",
        "shots": 100,
        "input": {"gateset": gateset, "qubits": qubits, "circuit": gates},
    }
    return CircuitJobCreationPayload.from_dict({**body, **fields})


def run(client, body):
    return wait_for_job(client, create_job.sync(client=client, body=body).id, poll_interval=0.1)


def probabilities(client, job) -> dict[str, float]:
    return get_job_probabilities.sync(uuid=job.id, client=client).additional_properties


def test_bell_pair(client):
    job = run(client, circuit(BELL, name="bell", metadata={"course": "1"}))
    assert job.name == "bell"
    assert job.metadata.additional_properties == {"course": "1"}
    assert job.stats.gate_counts.additional_properties == {"1q": 1, "2q": 1}
    assert probabilities(client, job) == {"0": pytest.approx(0.5), "3": pytest.approx(0.5)}


def test_results_by_format(client):
    job = run(client, circuit([{"gate": "x", "target": 0}], shots=3))
    read = lambda name: get_job_artifact.sync_detailed(job.id, job.results[name].id, client=client).content
    assert read("ionq.result.probabilities.json.v1") == b'{"1":1}'
    assert read("ionq.result.probabilities.json.v2") == b'{"probabilities":{"registers":{"output_all":{"01":1}}}}'
    assert read("ionq.result.histogram.json.v1") == b'{"1":3}'
    assert read("ionq.result.histogram.json.v2") == b'{"histogram":{"registers":{"output_all":{"01":3}}}}'
    assert read("ionq.result.shots.json.v1") == b'["1","1","1"]'
    shot = b'{"registers":{"output_all":[1,0]}}'
    assert read("ionq.result.shots.json.v2") == b'{"shots":[' + b",".join([shot] * 3) + b"]}"


def test_several_circuits(client):
    body = JSONMultiCircuitJob.from_dict(
        {
            "type": "ionq.multi-circuit.v1",
            "backend": "simulator",
            "shots": 10,
            "input": {
                "gateset": "native",
                "qubits": 2,
                "circuits": [
                    {"name": "other gates", "gateset": "qis", "circuit": BELL},
                    {"circuit": [{"gate": "gpi", "target": 1, "phase": 0.3}]},
                ],
            },
        }
    )
    job = run(client, body)
    assert len(job.child_job_ids) == 2
    children = [get_job.sync(uuid=each, client=client) for each in job.child_job_ids]
    assert [child.parent_job_id for child in children] == [job.id, job.id]
    assert children[0].name == "other gates"
    assert probabilities(client, children[0]).keys() == {"0", "3"}
    assert probabilities(client, children[1]) == {"2": pytest.approx(1)}


@pytest.mark.parametrize(
    ("gate", "matrix"),
    [
        ({"gate": "gpi", "target": 0, "phase": 0.3}, np.kron(np.eye(2), gpi_matrix(0.3))),
        ({"gate": "gpi2", "target": 1, "phase": 0.7}, np.kron(gpi2_matrix(0.7), np.eye(2))),
        # Its first qubit is the most significant one; here the targets name it second.
        ({"gate": "ms", "targets": [1, 0], "phases": [0.1, 0.35], "angle": 0.2}, np.array(ms_matrix(0.1, 0.35, 0.2))),
        ({"gate": "ms", "targets": [1, 0], "phases": [0.1, 0.35]}, np.array(ms_matrix(0.1, 0.35))),
        ({"gate": "zz", "targets": [0, 1], "angle": 0.15}, np.array(zz_matrix(0.15))),
    ],
)
def test_native_gates_have_the_matrices_that_ionq_core_gives_them(client, gate, matrix):
    turn = lambda phase, qubit: {"gate": "gpi2", "target": qubit, "phase": phase}
    before = np.kron(gpi2_matrix(0.15), gpi2_matrix(0.4))
    after = np.kron(gpi2_matrix(0.85), gpi2_matrix(0.6))
    amplitudes = (after @ matrix @ before)[:, 0]
    gates = [turn(0.4, 0), turn(0.15, 1), gate, turn(0.6, 0), turn(0.85, 1)]
    found = probabilities(client, run(client, circuit(gates, gateset="native")))
    wanted = {str(index): abs(value) ** 2 for index, value in enumerate(amplitudes)}
    assert {key: found.get(key, 0) for key in wanted} == pytest.approx(wanted, abs=1e-9)


def test_pages_of_jobs(client):
    for _ in range(3):
        run(client, circuit(BELL))
    jobs = list(itertools.islice(iter_jobs(client, limit=1), 3))
    assert len({job.id for job in jobs}) == 3
    assert [job.id for job in iter_jobs(client, status="failed", target="qpu.forte-1")] == []


def test_bulk_operations(client):
    created = [create_job.sync(client=client, body=circuit(BELL)).id for _ in range(2)]
    body = JobsBulkOperationRequest(ids=created)
    assert cancel_jobs.sync(client=client, body=body).ids == created
    assert delete_jobs.sync(client=client, body=body).ids == created
    for job_id in created:
        with pytest.raises(NotFoundError):
            get_job.sync(uuid=job_id, client=client)


def test_cost_and_cancel(client):
    job = run(client, circuit(BELL))
    assert get_job_cost.sync(uuid=job.id, client=client).cost.value == 0
    assert cancel_job.sync(uuid=job.id, client=client).status == "canceled"
    assert get_job.sync(uuid=job.id, client=client).status == "completed"


def test_a_running_job_is_cancelled(client):
    layer = [{"gate": "h", "targets": list(range(24))}, *({"gate": "cnot", "control": i, "target": i + 1} for i in range(23))]
    job_id = create_job.sync(client=client, body=circuit(layer * 60, qubits=24)).id
    wait_until(lambda: get_job.sync(uuid=job_id, client=client).status == "started")
    assert cancel_job.sync(uuid=job_id, client=client).status == "canceled"
    job = get_job.sync(uuid=job_id, client=client)
    assert (job.status, job.results) == ("canceled", None)
    # The engine is free for the next job.
    assert run(client, circuit(BELL)).status == "completed"


def test_a_session(client):
    with SessionManager(client, "simulator", max_jobs=2, max_time=5, max_cost=1.5) as session:
        assert session.status() == "created"
        job = run(client, circuit(BELL, session_id=session.session_id))
        assert job.session_id == session.session_id
        assert session.status() == "started"
        assert [each.id for each in get_session_jobs.sync(session.session_id, client=client).jobs] == [job.id]
    ended = get_session.sync(session.session_id, client=client)
    assert (ended.status, ended.active) == ("ended", False)
    with pytest.raises(BadRequestError, match="takes no further job"):
        create_job.sync(client=client, body=circuit(BELL, session_id=session.session_id))


def test_errors_are_of_their_kind_and_name_the_gate(client, url):
    with pytest.raises(BadRequestError) as raised:
        create_job.sync(client=client, body=circuit([*BELL, {"gate": "rx", "target": 7, "rotation": 0.1}]))
    assert "input.circuit[2].target" in raised.value.message
    assert raised.value.body["validation"]["keys"] == ["input.circuit[2].target"]
    with pytest.raises(AuthenticationError):
        create_job.sync(client=IonQClient(api_key="qcs_wrong", base_url=url), body=circuit(BELL))


def test_backends_need_no_key(url):
    from ionq_core import Client

    backends = get_backends.sync(client=Client(base_url=url))
    devices = ["forte-1", "forte-enterprise-1", "aria-1", "aria-2", "harmony"]
    assert [each.backend for each in backends] == ["simulator", *(f"qpu.{name}" for name in devices)]


def test_ionq_cores_own_integration_tests(service, url, client):
    """The suite that IonQ runs against its own interface. It reads jobs that an account already has."""
    for _ in range(3):
        run(client, circuit(BELL))
    environment = {**os.environ, "IONQ_API_KEY": service.key, "IONQ_API_URL": url}
    # Its options ask for coverage, and make an error of the warning that an address has no TLS.
    options = ["-o", "addopts=", "-o", "filterwarnings=default", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "integration", *options, "tests/integration"]
    suite = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=ionq_core_sources()
    )
    print(suite.stdout.strip().splitlines()[-1])
    assert suite.returncode == 0, suite.stdout[-4000:]
