"""``qcs distance`` finds as few errors as Stim's search, and errors of the circuit that do what it says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import stim
from random_circuits import RandomCircuit

ROOT = Path(__file__).parents[3]
NOISE = {
    "after_clifford_depolarization": 0.001,
    "before_round_data_depolarization": 0.001,
    "before_measure_flip_probability": 0.001,
    "after_reset_flip_probability": 0.001,
}


def distance(path: Path) -> list[str] | None:
    command = [ROOT / "node_modules/.bin/node", ROOT / "src/cli.ts", "distance", path, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode == 1 and "has no graphlike logical error" in ended.stderr:
        return None
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)["errors"]


def check(circuit: stim.Circuit, tmp_path: Path) -> None:
    path = tmp_path / "circuit.stim"
    circuit.to_file(path)
    ours = distance(path)
    try:
        theirs = circuit.shortest_graphlike_error()
    except ValueError:
        assert ours is None
        return
    assert ours is not None
    assert len(ours) == len(theirs)
    model = circuit.detector_error_model(approximate_disjoint_errors=True, flatten_loops=True)
    known = {frozenset(map(str, error.targets_copy())) for error in model if error.type == "error"}
    flipped: frozenset[str] = frozenset()
    for error in ours:
        targets = frozenset(error.split())
        assert targets in known
        flipped ^= targets
    assert flipped and all(target.startswith("L") for target in flipped)


@pytest.mark.parametrize(
    ("task", "size"),
    [
        ("repetition_code:memory", 7),
        ("surface_code:rotated_memory_x", 4),
        ("surface_code:rotated_memory_z", 7),
        ("surface_code:unrotated_memory_x", 5),
        ("color_code:memory_xyz", 5),
    ],
)
def test_generated_circuits_have_the_distance_of_stim(task: str, size: int, tmp_path: Path) -> None:
    check(stim.Circuit.generated(task, distance=size, rounds=size, **NOISE), tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_random_circuits_have_the_distance_of_stim(seed: int, tmp_path: Path) -> None:
    circuit = stim.Circuit(RandomCircuit(seed).text())
    try:
        circuit.detector_error_model(approximate_disjoint_errors=True)
    except ValueError:
        pytest.skip("Stim has no model")
    if circuit.num_detectors == 0:
        pytest.skip("all outcomes are random")
    check(circuit, tmp_path)
