"""Memory experiments of Stim's generator, and how well PyMatching decodes them."""

from __future__ import annotations

import numpy as np
import pymatching
import stim

TASKS = (
    "surface_code:rotated_memory_x",
    "surface_code:rotated_memory_z",
    "surface_code:unrotated_memory_x",
    "surface_code:unrotated_memory_z",
    "repetition_code:memory",
    "color_code:memory_xyz",
)


def memory_experiment(task: str, distance: int, probability: float) -> stim.Circuit:
    """As many rounds as the distance, with errors of one probability everywhere."""
    return stim.Circuit.generated(
        task,
        distance=distance,
        rounds=distance,
        after_clifford_depolarization=probability,
        before_round_data_depolarization=probability,
        before_measure_flip_probability=probability,
        after_reset_flip_probability=probability,
    ).flattened()


def model_of(circuit: stim.Circuit) -> stim.DetectorErrorModel:
    """Stim's model for a matching decoder. Some errors of colour codes have no decomposition."""
    return circuit.detector_error_model(
        decompose_errors=True, ignore_decomposition_failures=circuit_is_of_colours(circuit)
    )


def circuit_is_of_colours(circuit: stim.Circuit) -> bool:
    return any(instruction.name == "C_XYZ" for instruction in circuit)


def matching_of(model: stim.DetectorErrorModel | str) -> pymatching.Matching:
    """A decoder that leaves out errors with a part of more than two detectors."""
    graphlike = stim.DetectorErrorModel()
    for instruction in stim.DetectorErrorModel(str(model)).flattened():
        parts = instruction.target_groups() if instruction.type == "error" else []
        widths = [sum(target.is_relative_detector_id() for target in part) for part in parts]
        if max(widths, default=0) <= 2:
            graphlike.append(instruction)
    return pymatching.Matching.from_detector_error_model(graphlike)


def logical_errors(model: stim.DetectorErrorModel | str, events: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """For each shot, whether the decoder is wrong about a logical observable."""
    return (matching_of(model).decode_batch(events).astype(bool) != flips).any(axis=1)
