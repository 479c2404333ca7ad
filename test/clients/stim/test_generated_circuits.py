"""Circuits of ``qcs gen`` are equal to those of Stim's generator, and the honeycomb code keeps its distance."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import stim

ROOT = Path(__file__).parents[3]
TASKS = {
    "repetition_code:memory": [(2, 1), (3, 2), (8, 30)],
    "surface_code:rotated_memory_x": [(2, 1), (3, 2), (4, 3), (7, 30)],
    "surface_code:rotated_memory_z": [(2, 1), (3, 2), (4, 3), (7, 30)],
    "surface_code:unrotated_memory_x": [(2, 1), (3, 2), (4, 3), (6, 30)],
    "surface_code:unrotated_memory_z": [(2, 1), (3, 2), (4, 3), (6, 30)],
    "color_code:memory_xyz": [(3, 2), (3, 3), (5, 4), (9, 30)],
}
NOISE = {
    "after_clifford_depolarization": 0.001,
    "before_round_data_depolarization": 1e-7,
    "before_measure_flip_probability": 1 / 3,
    "after_reset_flip_probability": 0.25,
}


@pytest.mark.parametrize(("name", "distance", "rounds"), [(name, *size) for name in TASKS for size in TASKS[name]])
def test_generated_circuits_are_those_of_stim(name: str, distance: int, rounds: int) -> None:
    for noise in ({}, NOISE):
        found = generated(name, distance, rounds, noise)
        assert found == stim.Circuit.generated(name, distance=distance, rounds=rounds, **noise)


@pytest.mark.parametrize(("distance", "rounds"), [(2, 3), (2, 21), (4, 5), (4, 13), (6, 7), (6, 11)])
def test_the_honeycomb_code_keeps_its_distance_without_random_detectors(distance: int, rounds: int) -> None:
    circuit = generated("honeycomb_code:memory", distance, rounds, NOISE)
    circuit.detector_error_model()
    assert len(circuit.shortest_graphlike_error()) == distance
    quiet = generated("honeycomb_code:memory", distance, rounds, {})
    assert not quiet.compile_detector_sampler().sample(100, append_observables=True).any()


def generated(name: str, distance: int, rounds: int, noise: dict[str, float]) -> stim.Circuit:
    code, task = name.split(":")
    options = {"code": code, "task": task, "distance": distance, "rounds": rounds, **noise}
    arguments = [part for option, value in options.items() for part in (f"--{option}", str(value))]
    command = [ROOT / "node_modules/.bin/node", ROOT / "src/cli.ts", "gen", *arguments]
    return stim.Circuit(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
