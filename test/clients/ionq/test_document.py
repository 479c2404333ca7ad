"""Answers that no client asks for, and the formats of artifacts, against IonQ's document."""

from __future__ import annotations

import httpx
import jsonschema
import pytest


@pytest.fixture
def http(service, url):
    with httpx.Client(base_url=url, headers={"authorization": f"apiKey {service.key}"}) as client:
        yield client


def completed(http, body) -> dict:
    job = {"status": None, "id": http.post("/jobs", json=body).json()["id"]}
    while job["status"] not in ("completed", "failed"):
        job = http.get(f"/jobs/{job['id']}").json()
    assert job["status"] == "completed", job
    return job


TEXT = """OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] data;
bit flag;
x q[0];
flag = measure q[0];
reset q[0];
data = measure q;
"""
BODIES = {
    "gates": {
        "type": "ionq.circuit.v1",
        "backend": "simulator",
        "shots": 20,
        "noise": {"model": "ideal", "seed": 5},
        "settings": {"error_mitigation": {"debiasing": False}, "compilation": {"opt": 1, "precision": "1E-3"}},
        "input": {"gateset": "qis", "qubits": 2, "circuit": [{"gate": "h", "targets": [0, 1]}]},
    },
    "text": {"type": "ionq.qasm3.v1", "backend": "qpu.forte-1", "shots": 20, "input": {"data": TEXT}},
}


@pytest.mark.parametrize("name", BODIES)
def test_artifacts_have_the_form_of_their_format(http, document, name):
    job = completed(http, BODIES[name])
    catalog = document.root["components"]["schemas"]["ResultFormatsCatalog"]["properties"]
    formats = [each for each in job["results"] if each in catalog]
    assert len(formats) == 6
    for each in formats:
        artifact = http.get(f"/jobs/{job['id']}/artifacts/{job['results'][each]['id']}").json()
        jsonschema.Draft202012Validator({**document.root, **catalog[each]}).validate(artifact)


def test_registers_are_those_of_the_program(http):
    job = completed(http, BODIES["text"])
    read = lambda format: http.get(f"/jobs/{job['id']}/artifacts/ionq.result.{format}").json()
    assert read("histogram.json.v2") == {"histogram": {"registers": {"data": {"00": 20}, "flag": {"1": 20}}}}
    assert read("shots.json.v2")["shots"][0] == {"registers": {"data": [0, 0], "flag": [1]}}
    # The registers in the order of their declaration: bits 0 and 1 are data, bit 2 is flag.
    assert read("probabilities.json.v1") == {"4": 1}


def test_the_remaining_routes(http):
    backend = http.get("/backends/qpu.forte-1").json()
    listed = http.get("/backends/qpu.forte-1/characterizations", params={"limit": 1}).json()["characterizations"]
    assert [each["id"] for each in listed] == [backend["characterization_id"]]
    found = http.get(f"/backends/qpu.forte-1/characterizations/{listed[0]['id']}").json()
    assert found["connectivity"] == listed[0]["connectivity"]
    assert http.get("/backends/qpu.forte-1/characterizations/other").status_code == 404
    assert http.get("/whoami").json()["key_name"] == "first key"
    assert http.get("/jobs/estimate", params={"backend": "qpu.forte-1", "qubits": 5}).json()["estimated_total_cost"] == 0
    assert http.get("/sessions", params={"active": "true"}).status_code == 200
    assert http.get("/nothing").status_code == 404
