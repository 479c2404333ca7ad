"""Shots that ``qcs run`` and the service write are read by Stim, in each of its formats, as the same shots."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import numpy as np
import pytest
import stim
from qcs_client import Client
from service import Service

ROOT = Path(__file__).parents[3]
SHOTS = 256


@pytest.fixture(scope="module")
def circuit(tmp_path_factory: pytest.TempPathFactory) -> tuple[stim.Circuit, Path]:
    circuit = stim.Circuit.generated(
        "surface_code:rotated_memory_x",
        distance=5,
        rounds=12,
        after_clifford_depolarization=0.01,
        before_measure_flip_probability=0.01,
    )
    # The same operator on the next column of data qubits, as the third observable.
    circuit.append("OBSERVABLE_INCLUDE", [stim.target_rec(back) for back in (-4, -9, -14, -19, -24)], 2)
    path = tmp_path_factory.mktemp("shots") / "memory.stim"
    circuit.to_file(path)
    return circuit, path


def run(path: Path, *options: str) -> str:
    command = [ROOT / "node_modules/.bin/node", ROOT / "src/cli.ts", "run", path, "--target", "qvm", "--seed", "5"]
    return subprocess.run([*command, "--shots", str(SHOTS), *options], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", ["01", "b8", "r8", "ptb64", "hits", "dets"])
def test_files_are_read_by_stim(circuit: tuple[stim.Circuit, Path], tmp_path: Path, name: str) -> None:
    theirs, path = circuit
    events, measured, flips, alone = (tmp_path / each for each in ("events", "measured", "flips", "alone"))
    reference = tmp_path / "reference"
    report = run(path, "--detection-events", str(events), "--measurements", str(measured), "--out-format", name)
    assert f"{SHOTS} shots" in report
    run(path, "--detection-events", str(alone), "--observables", str(flips), "--out-format", name)
    read = stim.read_shot_data_file
    bits = read(path=measured, format=name, num_measurements=theirs.num_measurements)
    found = read(path=events, format=name, num_detectors=theirs.num_detectors, num_observables=theirs.num_observables)
    assert bits.shape == (SHOTS, theirs.num_measurements)
    if name != "ptb64":
        run(path, "--reference-sample", str(reference), "--out-format", name)
        sample = read(path=reference, format=name, num_measurements=theirs.num_measurements)
        assert np.array_equal(sample, [theirs.reference_sample()])
    converter = theirs.compile_m2d_converter()
    assert np.array_equal(found, converter.convert(measurements=bits, append_observables=True))
    detectors = read(path=alone, format=name, num_detectors=theirs.num_detectors)
    observables = read(path=flips, format=name, num_observables=theirs.num_observables)
    assert np.array_equal(np.concatenate([detectors, observables], axis=1), found)
    assert found[:, : theirs.num_detectors].any()


def test_answers_are_read_by_stim(circuit: tuple[stim.Circuit, Path], service: Service, tmp_path: Path) -> None:
    theirs, _ = circuit
    outputs = ["detection_events", "measurements"]
    with Client(service.origin, service.key) as client:
        run = lambda **fields: client.circuits.run(  # noqa: E731
            theirs, shots=SHOTS, processor="qvm", seed=5, return_=outputs, **fields
        )
        expected = run()
        for name in ("01", "b8", "r8", "ptb64", "hits", "dets"):
            record = run(shot_format=name).record
            for output, widths in (
                ("detection_events", {"num_detectors": theirs.num_detectors, "num_observables": theirs.num_observables}),
                ("measurements", {"num_measurements": theirs.num_measurements}),
            ):
                shots = record[output]
                assert (shots["format"], shots["shots"]) == (name, SHOTS)
                data = shots["data"]
                file = tmp_path / "shots"
                file.write_bytes(data.encode() if name in ("01", "hits", "dets") else base64.b64decode(data))
                found = stim.read_shot_data_file(path=file, format=name, **widths)
                bits = getattr(expected, output)
                assert np.array_equal(found, bits if output == "measurements" else np.concatenate(bits, axis=1))
