"""Circuits of ``qcs gen`` are equal to those of Stim's generator."""

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
    code, task = name.split(":")
    for noise in ({}, NOISE):
        options = {"code": code, "task": task, "distance": distance, "rounds": rounds, **noise}
        arguments = [part for option, value in options.items() for part in (f"--{option}", str(value))]
        command = [ROOT / "node_modules/.bin/node", ROOT / "src/cli.ts", "gen", *arguments]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert stim.Circuit(text) == stim.Circuit.generated(name, distance=distance, rounds=rounds, **noise)
