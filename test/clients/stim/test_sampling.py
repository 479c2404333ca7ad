"""``qcs_client.stim`` against the samplers that Stim compiles: shapes, types, columns and rates."""

from __future__ import annotations

import numpy as np
import pytest
import stim

from qcs_client import Client, samples
from qcs_client.stim import StimText, reference_sample, sample, sample_detectors

from random_circuits import RandomCircuit

SHOTS = 4000

SURFACE_CODE = stim.Circuit.generated(
    "surface_code:rotated_memory_x", distance=3, rounds=3, after_clifford_depolarization=0.01
)
NO_PARITIES = stim.Circuit("X 0\nM 0")
NO_MEASUREMENTS = stim.Circuit("H 0")


@pytest.fixture(scope="module")
def client(service):
    with Client(service.origin, service.key) as made:
        yield made


def same_kind(ours, theirs):
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)


def same_rates(ours, theirs):
    """Rates of the columns, within six standard deviations of their difference."""
    pooled = (ours.mean(axis=0) + theirs.mean(axis=0)) / 2
    sigma = np.sqrt(2 * pooled * (1 - pooled) / SHOTS)
    assert np.all(np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) <= 6 * sigma)


def unpacked(rows, width):
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :width].astype(bool)


@pytest.mark.parametrize("bit_packed", [False, True])
def test_measurements_are_those_of_a_sampler(client, bit_packed):
    ours = sample(client, SURFACE_CODE, SHOTS, seed=5, bit_packed=bit_packed)
    theirs = SURFACE_CODE.compile_sampler(seed=5).sample(SHOTS, bit_packed=bit_packed)
    same_kind(ours, theirs)
    if bit_packed:
        width = SURFACE_CODE.num_measurements
        assert np.array_equal(unpacked(ours, width), sample(client, SURFACE_CODE, SHOTS, seed=5))
        ours, theirs = unpacked(ours, width), unpacked(theirs, width)
    same_rates(ours, theirs)


#: The first is what a text has that `qcs gen` prints, the others have correlated random outcomes.
REFERENCES = [
    str(SURFACE_CODE),
    "REPEAT 100 {\n" + str(SURFACE_CODE) + "\n}",
    "RX 0\nCX 0 1\nY 0\nM !1 0\nMX 1\nRY 1\nMPP !X0*Y1 Z0\nCX rec[-1] 0\nMR 0 1",
    *(str(stim.Circuit(RandomCircuit(seed).text())) for seed in range(20)),
]


def test_rounds_that_are_not_unrolled_have_all_their_measurements(client):
    circuit = stim.Circuit("REPEAT 100000 {\n  X 0\n  M 0\n}")
    expected = circuit.reference_sample()
    assert np.array_equal(sample(client, circuit, 2), [expected, expected])
    assert np.array_equal(reference_sample(client, StimText(str(circuit)).text), expected)


@pytest.mark.parametrize("bit_packed", [False, True])
@pytest.mark.parametrize("text", REFERENCES)
def test_a_reference_sample_is_that_of_the_circuit(client, text, bit_packed):
    theirs = stim.Circuit(text)
    ours = reference_sample(client, theirs, bit_packed=bit_packed)
    expected = theirs.reference_sample(bit_packed=bit_packed)
    same_kind(ours, expected)
    assert np.array_equal(ours, expected)


@pytest.mark.parametrize("bit_packed", [False, True])
@pytest.mark.parametrize(
    "columns", [{}, {"append_observables": True}, {"prepend_observables": True, "append_observables": True}]
)
def test_detection_events_are_those_of_a_sampler(client, columns, bit_packed):
    ours = sample_detectors(client, SURFACE_CODE, SHOTS, seed=3, bit_packed=bit_packed, **columns)
    theirs = SURFACE_CODE.compile_detector_sampler().sample(SHOTS, bit_packed=bit_packed, **columns)
    same_kind(ours, theirs)
    if not bit_packed:
        same_rates(ours, theirs)


@pytest.mark.parametrize("bit_packed", [False, True])
def test_observables_come_separately(client, bit_packed):
    options = {"separate_observables": True, "bit_packed": bit_packed}
    ours = sample_detectors(client, SURFACE_CODE, SHOTS, seed=3, **options)
    theirs = SURFACE_CODE.compile_detector_sampler().sample(SHOTS, **options)
    for one, other in zip(ours, theirs, strict=True):
        same_kind(one, other)
    if not bit_packed:
        together = sample_detectors(client, SURFACE_CODE, SHOTS, seed=3, append_observables=True)
        assert np.array_equal(np.concatenate(ours, axis=1), together)
    with pytest.raises(ValueError, match="separate_observables"):
        sample_detectors(client, SURFACE_CODE, 1, separate_observables=True, append_observables=True)


def test_a_seed_draws_the_same_shots_again_and_no_seed_others(client):
    first, again = (sample(client, SURFACE_CODE, 50, seed=8) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(sample(client, SURFACE_CODE, 50), sample(client, SURFACE_CODE, 50))


def test_shots_that_are_too_many_for_a_request_are_drawn_by_several(client, monkeypatch):
    whole = [sample(client, SURFACE_CODE, shots, seed=seed) for shots, seed in ((40, 7), (40, 8), (20, 9))]
    widest = 8 * -(-SURFACE_CODE.num_measurements // 8)
    monkeypatch.setattr(samples, "_MAX_BITS", 40 * widest)
    assert np.array_equal(sample(client, SURFACE_CODE, 100, seed=7), np.concatenate(whole))


@pytest.mark.parametrize("bit_packed", [False, True])
def test_nothing_has_the_shape_of_nothing(client, bit_packed):
    for circuit, shots in ((SURFACE_CODE, 0), (NO_PARITIES, 3), (NO_MEASUREMENTS, 3)):
        same_kind(
            sample(client, circuit, shots, bit_packed=bit_packed),
            circuit.compile_sampler().sample(shots, bit_packed=bit_packed),
        )
        same_kind(
            sample_detectors(client, circuit, shots, append_observables=True, bit_packed=bit_packed),
            circuit.compile_detector_sampler().sample(shots, append_observables=True, bit_packed=bit_packed),
        )


def test_a_text_is_sampled_as_its_circuit_however_many_requests_that_takes(client, monkeypatch):
    text = str(SURFACE_CODE)
    assert np.array_equal(client.sample(text, 50, seed=8), client.sample(SURFACE_CODE, 50, seed=8))
    separately = {"seed": 8, "separate_observables": True}
    for one, other in zip(
        client.sample_detectors(text, 50, **separately),
        client.sample_detectors(SURFACE_CODE, 50, **separately),
        strict=True,
    ):
        assert np.array_equal(one, other)
    # The first request does not know how many bits a shot has.
    monkeypatch.setattr(samples, "_MAX_WIDTH", samples._MAX_BITS // 10)
    parts = [client.sample(SURFACE_CODE, shots, seed=seed) for shots, seed in ((9, 8), (41, 9))]
    assert np.array_equal(client.sample(text, 50, seed=8), np.concatenate(parts))
    same_kind(client.sample(text, 0), SURFACE_CODE.compile_sampler().sample(0))


def test_a_text_may_have_gates_that_stim_does_not_read(client):
    text = "H 0\nT 0\nT 0\nS_DAG 0\nH 0\nM !0\nDETECTOR rec[-1]"
    assert client.sample(text, 3).tolist() == [[True]] * 3
    assert client.sample_detectors(text, 3).tolist() == [[False]] * 3
    assert client.circuits.run(StimText(text), shots=3, processor="qvm").counts == {"1": 3}
