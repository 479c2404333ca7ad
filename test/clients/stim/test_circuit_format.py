"""Circuits in Stim's format mean what they mean to Stim: parities without errors, error models, and rates of events."""

from __future__ import annotations

import base64
import urllib.error
from typing import Any

import numpy as np
import pytest
import stim
from memory_experiments import TASKS
from random_circuits import RandomCircuit
from service import Service
from stim_requests import assert_same, events_of, submit


def body_of(text: str, outputs: list[str], **fields: Any) -> dict[str, Any]:
    return {"stim": text, "target_processor": "qvm", "shots": 1, "return": outputs, **fields}


@pytest.mark.parametrize("seed", range(60))
def test_random_circuits_have_the_model_and_the_signs_of_stim(service: Service, seed: int) -> None:
    text = RandomCircuit(seed).text()
    circuit = stim.Circuit(text)
    options = {"decompose_errors": False, "approximate_disjoint_errors": True}
    if circuit.num_detectors == 0:
        pytest.skip("all outcomes are random")
    try:
        theirs = circuit.detector_error_model(**options)
    except ValueError:
        # Feedback may leave a detector that Stim finds and then calls random.
        pytest.skip("Stim has no model")
    body = body_of(text, ["detector_error_model"], detector_error_model=options)
    assert_same(submit(service, body)["detector_error_model"], theirs)
    # Without noise all detectors stay silent; the bits have Stim's parities.
    quiet = circuit.without_noise()
    answer = submit(service, body_of(str(quiet), ["detection_events", "measurements"], shots=20))
    assert not events_of(answer).any()
    packed = answer["measurements"]
    rows = np.frombuffer(base64.b64decode(packed["data"]), dtype=np.uint8).reshape(packed["shots"], -1)
    bits = np.unpackbits(rows, axis=1, bitorder="little")[:, : quiet.num_measurements].astype(bool)
    converter = quiet.compile_m2d_converter()
    assert not converter.convert(measurements=bits, append_observables=True).any()


@pytest.mark.parametrize("seed", range(40))
def test_random_detectors_have_the_model_and_the_events_of_stim(service: Service, seed: int) -> None:
    text = RandomCircuit(seed).text_with_random_detectors()
    options = {"decompose_errors": False, "approximate_disjoint_errors": True, "allow_gauge_detectors": True}
    outputs = ["detector_error_model", "detection_events"]
    answer = submit(service, body_of(text, outputs, detector_error_model=options, shots=20_000, seed=1))
    circuit = stim.Circuit(text)
    assert_same(answer["detector_error_model"], circuit.detector_error_model(**options))
    assert_same_rates(events_of(answer), circuit)


@pytest.mark.parametrize("seed", range(40))
def test_observables_of_pauli_operators_have_the_model_and_the_events_of_stim(service: Service, seed: int) -> None:
    text = RandomCircuit(seed).text_with_pauli_observables()
    circuit = stim.Circuit(text)
    options = {"decompose_errors": False, "approximate_disjoint_errors": True}
    if circuit.num_detectors + circuit.num_observables == 0:
        pytest.skip("nothing to compare")
    try:
        theirs = circuit.detector_error_model(**options)
    except ValueError:
        # Feedback may leave a detector that Stim finds and then calls random.
        pytest.skip("Stim has no model")
    outputs = ["detector_error_model", "detection_events"]
    answer = submit(service, body_of(text, outputs, detector_error_model=options, shots=20_000, seed=1))
    assert_same(answer["detector_error_model"], theirs)
    assert_same_rates(events_of(answer), circuit)


def assert_same_rates(events: np.ndarray, circuit: stim.Circuit) -> None:
    """Holds events to the rates of Stim: of each parity, and of each pair to differ."""
    theirs = circuit.compile_detector_sampler(seed=1).sample(len(events), append_observables=True)
    pairs = [(i, j) for j in range(events.shape[1]) for i in range(j)]
    rates = np.stack(
        [
            np.array([*all.mean(axis=0), *((all[:, i] ^ all[:, j]).mean() for i, j in pairs)])
            for all in (events, theirs)
        ]
    )
    deviation = np.sqrt((rates * (1 - rates)).sum(axis=0) / len(events))
    assert (abs(rates[0] - rates[1]) <= 6 * deviation).all()


@pytest.mark.parametrize("task", TASKS)
def test_generated_circuits_run_as_they_are(service: Service, task: str) -> None:
    circuit = stim.Circuit.generated(
        task,
        distance=3,
        rounds=20,
        after_clifford_depolarization=0.004,
        before_measure_flip_probability=0.003,
        after_reset_flip_probability=0.002,
    )
    shots = 50_000
    answer = submit(
        service,
        body_of(str(circuit), ["detection_events", "detector_error_model"], shots=shots, seed=1),
    )
    options = {"decompose_errors": True, "ignore_decomposition_failures": True, "flatten_loops": True}
    theirs = circuit.detector_error_model(**options)
    assert_same(answer["detector_error_model"], theirs)
    ours = stim.DetectorErrorModel(answer["detector_error_model"])
    assert ours.get_detector_coordinates() == circuit.get_detector_coordinates()
    events = circuit.compile_detector_sampler(seed=1).sample(shots, append_observables=True)
    rates = np.stack([events_of(answer).mean(axis=0), events.mean(axis=0)])
    deviation = np.sqrt((rates * (1 - rates)).sum(axis=0) / shots)
    assert (abs(rates[0] - rates[1]) <= 6 * deviation).all()


@pytest.mark.parametrize("text", ["H 0\nCX 0 0", "X_ERROR(1.5) 0", "REPEAT 9 {\nH 0"])
def test_what_stim_refuses_is_refused_with_its_line(service: Service, text: str) -> None:
    with pytest.raises(ValueError):
        stim.Circuit(text)
    with pytest.raises(urllib.error.HTTPError) as refused:
        submit(service, body_of(text, ["counts"]))
    assert refused.value.code == 400
    assert "Stim line" in refused.value.read().decode()
