"""Detector error models are those of Stim, line by line, and so are detection events and what PyMatching makes of both."""

from __future__ import annotations

import urllib.error
from typing import Any

import numpy as np
import pytest
import stim
from memory_experiments import TASKS, logical_errors, memory_experiment, model_of
from service import Service
from stim_requests import assert_same, body_of, events_of, submit

#: Circuits whose noise the generator does not have.
CHANNELS = {
    "a Y error": "R 0 1\nH 0\nCX 0 1\nY_ERROR(0.1) 0\nCX 0 1\nH 0\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
    "depolarizing": "R 0 1\nH 0\nCX 0 1\nDEPOLARIZE1(0.1) 0\nCX 0 1\nH 0\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
    "fully depolarizing": "R 0 1\nDEPOLARIZE2(0.9375) 0 1\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
    "X or Y": "R 0\nPAULI_CHANNEL_1(0.1, 0.1, 0) 0\nM 0\nDETECTOR rec[-1]",
    "independent errors": "R 0\nPAULI_CHANNEL_1(0.14, 0.06, 0.24) 0\nM 0\nDETECTOR rec[-1]",
    "disjoint errors": "R 0 1\nPAULI_CHANNEL_2(0,0.1,0,0,0.1,0.05,0,0,0,0,0,0,0,0,0) 0 1\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
    "a correlated error": "R 0 1 2\nE(0.1) X0 Y1 X2\nX_ERROR(0.2) 0\nM 0 1 2\nDETECTOR rec[-1]\nDETECTOR rec[-2]\nDETECTOR rec[-3]",
    "readout": "R 0\nX_ERROR(0.1) 0\nMR(0.05) 0\nM(0.05) 0\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
    "feedback": "R 0 1\nH 0\nX_ERROR(0.1) 0\nMR 0\nDEPOLARIZE1(0.1) 1\nH 1\nCZ rec[-1] 1\nX_ERROR(0.1) 0\nM 0\nH 1\nCX rec[-2] 1\nM 1\nDETECTOR rec[-2]\nOBSERVABLE_INCLUDE(0) rec[-2]",
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("distance", [3, 5])
def test_models_of_memory_experiments_are_those_of_stim(service: Service, task: str, distance: int) -> None:
    circuit = memory_experiment(task, distance, 0.002)
    assert_same(submit(service, body_of(circuit))["detector_error_model"], model_of(circuit))
    whole = {"decompose_errors": False}
    answer = submit(service, body_of(circuit, detector_error_model=whole))
    assert_same(answer["detector_error_model"], circuit.detector_error_model(**whole))


@pytest.mark.parametrize("name", CHANNELS)
def test_models_of_channels_are_those_of_stim(service: Service, name: str) -> None:
    circuit = stim.Circuit(CHANNELS[name])
    for decompose_errors in (True, False):
        options = {"decompose_errors": decompose_errors, "approximate_disjoint_errors": True}
        answer = submit(service, body_of(circuit, detector_error_model=options))
        assert_same(answer["detector_error_model"], circuit.detector_error_model(**options))


@pytest.mark.parametrize("name", [*CHANNELS, *TASKS])
def test_events_have_the_rates_of_stim(service: Service, name: str) -> None:
    circuit = stim.Circuit(CHANNELS[name]) if name in CHANNELS else memory_experiment(name, 3, 0.01)
    shots = 100_000
    events = events_of(submit(service, body_of(circuit, shots=shots, seed=1, **{"return": ["detection_events"]})))
    theirs = circuit.compile_detector_sampler(seed=1).sample(shots, append_observables=True)
    rates = np.stack([events.mean(axis=0), theirs.mean(axis=0)])
    deviation = np.sqrt((rates * (1 - rates)).sum(axis=0) / shots)
    assert (abs(rates[0] - rates[1]) <= 6 * deviation).all()


@pytest.mark.parametrize("task", TASKS)
def test_matching_decodes_as_well_as_with_the_model_of_stim(service: Service, task: str) -> None:
    circuit = memory_experiment(task, 3, 0.005)
    ours = submit(service, body_of(circuit))["detector_error_model"]
    events, flips = circuit.compile_detector_sampler(seed=2).sample(20_000, separate_observables=True)
    found, expected = (logical_errors(model, events, flips) for model in (ours, model_of(circuit)))
    # A shot may have two corrections of equal weight, and the order of the errors then decides.
    assert abs(int(found.sum()) - int(expected.sum())) <= 3 * np.sqrt(1 + (found != expected).sum())


@pytest.mark.parametrize(
    ("text", "options", "path"),
    [
        ("R 0\nH 0\nM 0\nDETECTOR rec[-1]", {}, "detectors[0]"),
        (
            "R 0 1\nPAULI_CHANNEL_2(0,0.1,0,0,0.1,0,0,0,0,0,0,0,0,0,0) 0 1\nM 0 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]",
            {},
            "detector_error_model.approximate_disjoint_errors",
        ),
        (
            "R 0 1 2\nE(0.1) X0 X1 X2\nM 0 1 2\nDETECTOR rec[-1]\nDETECTOR rec[-2]\nDETECTOR rec[-3]",
            {"ignore_decomposition_failures": False},
            "detector_error_model.ignore_decomposition_failures",
        ),
    ],
)
def test_what_stim_refuses_is_refused(service: Service, text: str, options: dict[str, Any], path: str) -> None:
    circuit = stim.Circuit(text)
    with pytest.raises(ValueError):
        circuit.detector_error_model(decompose_errors=True)
    with pytest.raises(urllib.error.HTTPError) as refused:
        submit(service, body_of(circuit, detector_error_model=options))
    assert refused.value.code == 400
    assert path in refused.value.read().decode()
