"""Experiments against Sinter: its tasks are taken, its tables are written, and the rates agree."""

from __future__ import annotations

import csv
import io
import json
import math

import httpx
import numpy as np
import pytest
import sinter
import stim

from qcs_client import Client, QcsError


@pytest.fixture(scope="module")
def client(service):
    with Client(service.origin, service.key) as made:
        yield made


def surface_code(distance: int, p: float) -> stim.Circuit:
    return stim.Circuit.generated(
        "surface_code:rotated_memory_z",
        distance=distance,
        rounds=distance,
        after_clifford_depolarization=p,
        before_measure_flip_probability=p,
        after_reset_flip_probability=p,
    )


def test_rates_of_surface_codes_agree_with_those_of_sinter(client, tmp_path):
    tasks = [
        sinter.Task(circuit=surface_code(d, p), json_metadata={"d": d, "p": p})
        for d in (3, 5)
        for p in (0.004, 0.012)
    ]
    limits = {"max_shots": 200_000, "max_errors": 2000}
    result = client.collect(tasks, seed=5, decoder="pymatching", **limits)
    expected = {
        (stats.json_metadata["d"], stats.json_metadata["p"]): stats
        for stats in sinter.collect(tasks=tasks, decoders=["pymatching"], num_workers=1, **limits)
    }
    assert [task.metadata for task in result] == [task.json_metadata for task in tasks]
    for task in result:
        other = expected[task.metadata["d"], task.metadata["p"]]
        assert task.decoder == "matching"
        rate, of_sinter = task.errors / task.shots, other.errors / other.shots
        pooled = (task.errors + other.errors) / (task.shots + other.shots)
        sigma = math.sqrt(pooled * (1 / task.shots + 1 / other.shots))
        assert abs(rate - of_sinter) < 5 * sigma
        assert task.interval[0] <= rate <= task.interval[1]
    table = tmp_path / "stats.csv"
    table.write_text(result.csv())
    read = sinter.stats_from_csv_files(table)
    assert {stats.strong_id: (stats.shots, stats.errors, stats.json_metadata) for stats in read} == {
        task.strong_id: (task.shots, task.errors, task.metadata) for task in result
    }
    assert [stats.errors for stats in result.stats()] == [task.errors for task in result]


def test_the_table_of_the_service_is_that_of_the_client(client, service):
    tasks = [{"stim": surface_code(3, 0.01), "metadata": {"text": 'a, "b"\n'}}]
    job = client.experiments.submit(tasks, max_shots=5000, seed=1, wait=30)
    path = f"{service.origin}/api/v1/quantum/experiments/{job.id}/csv"
    of_service = httpx.get(path, headers={"X-API-Key": service.key}).text
    of_client = job.result().csv()
    for table in (of_service, of_client):
        (row,) = csv.DictReader(io.StringIO(table))
        (task,) = job.result()
        assert (row["shots"], row["errors"]) == (str(task.shots), str(task.errors))
        assert json.loads(row["json_metadata"]) == task.metadata
        assert row["strong_id"] == task.strong_id


def test_post_selection_of_a_sinter_task_discards_the_shots_that_sinter_discards(client):
    circuit = stim.Circuit("X_ERROR(0.25) 0\nCX 0 1\nM 1 0\nDETECTOR rec[-2]\nOBSERVABLE_INCLUDE(0) rec[-1]")
    task = sinter.Task(
        circuit=circuit, decoder="vacuous", postselection_mask=np.array([1], dtype=np.uint8)
    )
    (counts,) = client.collect([task], max_shots=20_000)
    (other,) = sinter.collect(tasks=[task], num_workers=1, max_shots=20_000)
    assert counts.errors == other.errors == 0
    assert counts.decoder == "none"
    assert abs(counts.discards - 5000) < 5 * math.sqrt(20_000 * 0.25 * 0.75)


def test_a_circuit_is_a_task_too_and_limits_of_a_task_are_its_own(client):
    circuit = surface_code(3, 0.01)
    options = sinter.CollectionOptions(max_shots=3000)
    result = client.collect([circuit, sinter.Task(circuit=circuit, collection_options=options)], max_shots=1000)
    assert [task.shots for task in result] == [1000, 3000]
    assert result[0].seed != result[1].seed
    (one,) = client.collect(circuit, max_shots=500, max_errors=1, seed=3)
    assert (one.shots, one.seed) == (500, 3)


def test_stratified_shots_have_the_rate_that_sinter_finds_and_are_not_in_its_table(client):
    circuit = surface_code(3, 0.004)
    sampling = {"method": "stratified"}
    result = client.collect(circuit, max_shots=100_000, seed=1, sampling=sampling)
    (counts,) = result
    (other,) = sinter.collect(
        tasks=[sinter.Task(circuit=circuit)], decoders=["pymatching"], num_workers=1, max_shots=200_000
    )
    sigma = math.sqrt(other.errors) / other.shots
    assert abs(counts.logical_error_rate - other.errors / other.shots) < 5 * sigma
    faults = counts.sampling["strata"]
    model = circuit.detector_error_model(decompose_errors=False, flatten_loops=True)
    probabilities = [line.args_copy()[0] for line in model if line.type == "error"]
    assert counts.sampling["num_faults"] == len(probabilities)
    assert math.isclose(counts.sampling["mean_faults"], sum(probabilities), rel_tol=1e-9)
    # The distribution of the number of faults, one error of Stim's after the other.
    by_number = np.zeros(len(faults))
    by_number[0] = 1
    for p in probabilities:
        by_number[1:] = (1 - p) * by_number[1:] + p * by_number[:-1]
        by_number[0] *= 1 - p
    assert np.allclose([each["probability"] for each in faults], by_number, rtol=1e-9)
    assert result.csv().count("\n") == 1
    assert result.stats() == []


def test_a_task_with_an_error_model_of_its_own_is_refused(client):
    circuit = surface_code(3, 0.01)
    model = circuit.detector_error_model(decompose_errors=True)
    with pytest.raises(QcsError, match="error_model"):
        client.collect([sinter.Task(circuit=circuit, detector_error_model=model)], max_shots=10)
