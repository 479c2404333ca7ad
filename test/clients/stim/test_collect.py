"""``qcs_client.stim.collect`` against ``sinter.collect``: arguments, statistics, and files that both continue."""

from __future__ import annotations

import math

import pytest
import sinter
import stim

from qcs_client import Client, QcsError
from qcs_client.stim import collect
from qcs_client.stim.collecting import Counted


@pytest.fixture(scope="module")
def client(service):
    with Client(service.origin, service.key) as made:
        yield made


def task(p: float, **fields) -> sinter.Task:
    circuit = stim.Circuit.generated(
        "repetition_code:memory", distance=3, rounds=3, before_round_data_depolarization=p
    )
    return sinter.Task(circuit=circuit, json_metadata={"p": p}, **fields)


TASKS = [task(0.05), task(0.1)]


def by_id(stats):
    return {one.strong_id: one for one in stats}


def test_statistics_are_those_of_sinter_with_its_ids(client):
    options = {"tasks": TASKS, "decoders": ["pymatching", "vacuous"], "max_shots": 20_000, "num_workers": 1}
    ours, theirs = by_id(collect(client, **options)), by_id(sinter.collect(**options))
    assert ours.keys() == theirs.keys()
    assert len(ours) == 4
    for id, one in ours.items():
        other = theirs[id]
        assert isinstance(one, sinter.TaskStats)
        assert (one.decoder, one.json_metadata) == (other.decoder, other.json_metadata)
        assert one.shots == other.shots == 20_000
        pooled = (one.errors + other.errors) / 40_000
        assert abs(one.errors - other.errors) < 6 * math.sqrt(2 * 20_000 * pooled * (1 - pooled))


def test_a_file_of_sinter_is_continued_and_the_other_way_round(client, tmp_path):
    file = tmp_path / "new" / "stats.csv"
    file.parent.mkdir()
    options = {"tasks": TASKS, "decoders": ["pymatching"], "save_resume_filepath": file, "num_workers": 1}
    sinter.collect(**options, max_shots=1000)
    assert [one.shots for one in collect(client, **options, max_shots=3000)] == [3000, 3000]
    assert [one.shots for one in sinter.read_stats_from_csv_files(file)] == [3000, 3000]
    assert [one.shots for one in sinter.collect(**options, max_shots=4000)] == [4000, 4000]
    before = file.read_text()
    assert [one.shots for one in collect(client, **options, max_shots=4000)] == [4000, 4000]
    assert file.read_text() == before


def test_rows_of_existing_files_count_towards_the_limits(client, tmp_path):
    file = tmp_path / "made" / "first.csv"
    collect(client, tasks=TASKS[:1], decoders="pymatching", max_shots=600, save_resume_filepath=file)
    options = {"tasks": TASKS, "decoders": ["pymatching"], "existing_data_filepaths": [file], "max_shots": 1000}
    new = []
    stats = collect(client, **options, progress_callback=lambda progress: new.extend(progress.new_stats))
    assert [one.shots for one in stats] == [1000, 1000]
    assert sum(one.shots for one in new) == 1400
    with pytest.raises(QcsError, match="save_resume_filepath"):
        collect(client, **options, save_resume_filepath=file)


def test_the_smaller_one_of_two_limits_holds_and_errors_alone_are_a_limit(client):
    own = task(0.1, decoder="pymatching", collection_options=sinter.CollectionOptions(max_shots=700))
    assert [one.shots for one in collect(client, tasks=[own], max_shots=500)] == [500]
    assert [one.shots for one in collect(client, tasks=[own], max_shots=900)] == [700]
    (one,) = collect(client, tasks=[task(0.1, decoder="vacuous")], max_errors=100)
    assert one.errors >= 100
    assert one.shots < 100_000


def test_a_circuit_may_be_in_a_file(client, tmp_path):
    path = tmp_path / "code.stim"
    TASKS[0].circuit.to_file(path)
    (one,) = collect(
        client, tasks=[sinter.Task(circuit_path=path, decoder="pymatching")], max_shots=100, num_workers=4
    )
    assert one.shots == 100


@pytest.mark.parametrize(
    "options",
    [
        {"custom_decoders": {"mine": object()}},
        {"custom_error_count_key": "k"},
        {"count_detection_events": True},
        {"count_observable_error_combos": True},
    ],
)
def test_what_the_service_does_not_have_is_refused_by_name(client, options):
    with pytest.raises(QcsError, match=next(iter(options))):
        collect(client, tasks=TASKS, decoders=["pymatching"], max_shots=10, **options)


def test_tasks_without_a_decoder_given_twice_or_with_an_own_model_are_refused(client):
    with pytest.raises(QcsError, match="no decoder"):
        collect(client, tasks=TASKS, max_shots=10)
    with pytest.raises(QcsError, match="twice"):
        collect(client, tasks=[*TASKS, *TASKS], decoders=["pymatching"], max_shots=10)
    model = TASKS[0].circuit.detector_error_model(decompose_errors=True)
    with pytest.raises(QcsError, match="detector_error_model"):
        collect(client, tasks=[task(0.05, detector_error_model=model, decoder="pymatching")], max_shots=10)


def test_an_interrupted_call_cancels_the_experiment_and_keeps_its_counts(client, tmp_path):
    file = tmp_path / "stats.csv"

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(
            client,
            tasks=TASKS,
            decoders=["pymatching"],
            max_shots=10**12,
            save_resume_filepath=file,
            progress_callback=interrupt,
        )
    (job, *_) = client.experiments.list(limit=1)
    assert job.wait(60).status == "cancelled"
    assert sum(one.shots for one in sinter.read_stats_from_csv_files(file)) > 0


def test_shots_that_a_restarted_service_takes_again_count_once():
    counted = Counted({"id": task(0.05, decoder="pymatching")})
    shots = []
    for number in (1024, 4096, 2048, 3072, 5120):
        counts = {"task": 0, "shots": number, "errors": number // 64, "discards": 0, "seconds": 0.5}
        shots.append([(one.shots, one.errors) for one in counted.new([counts])])
    assert shots == [[(1024, 16)], [(3072, 48)], [], [], [(1024, 16)]]
