"""``sinter.collect`` on the service: the same arguments, statistics and files.

Rows have Sinter's own ``strong_id``, so that a file that ``sinter.collect`` began is continued here, and the other way
round. Each run of a task draws a seed of its own: shots of a continued file are new ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from ..client import Client
from ..errors import QcsError
from ..job_view import shown

#: Shots of a task that is limited by its errors alone: the most that the service takes.
_MAX_SHOTS = 10**12
_NUMBERS = ("shots", "errors", "discards", "seconds")


def collect(
    client: Client,
    *,
    tasks: Iterable[Any],
    num_workers: int | None = None,
    existing_data_filepaths: Iterable[str | Path] = (),
    save_resume_filepath: str | Path | None = None,
    progress_callback: Callable[[Any], None] | None = None,
    max_shots: int | None = None,
    max_errors: int | None = None,
    count_observable_error_combos: bool = False,
    count_detection_events: bool = False,
    decoders: Iterable[str] | None = None,
    max_batch_seconds: int | None = None,
    max_batch_size: int | None = None,
    start_batch_size: int | None = None,
    print_progress: bool = False,
    hint_num_tasks: int | None = None,
    custom_decoders: Mapping[str, Any] | None = None,
    custom_error_count_key: str | None = None,
    allowed_cpu_affinity_ids: Iterable[int] | None = None,
    processor: str | None = None,
) -> list[Any]:
    """Samples and decodes tasks on the service, as ``sinter.collect`` does on this machine. Needs ``sinter``.

    The arguments are those of ``sinter.collect``. ``decoders`` are names of Sinter (``pymatching``, ``vacuous``) or of
    the service (``matching``, ``union_find``, ``bp_osd``, ``lookup``, ``none``). Counts are written to ``save_resume_filepath``, and
    given to ``progress_callback``, as the service reports them, about once a second. When the call is interrupted, the
    experiment is cancelled, and the file has its counts.

    ``num_workers``, ``max_batch_seconds``, ``max_batch_size``, ``start_batch_size``, ``hint_num_tasks`` and
    ``allowed_cpu_affinity_ids`` have no effect: the service divides the work among its own threads.

    Returns:
        ``sinter.TaskStats`` of all tasks, and of all rows of the files that were read.

    Raises:
        QcsError: if ``custom_decoders``, ``custom_error_count_key``, ``count_observable_error_combos`` or
            ``count_detection_events`` are used, which the service does not have; if a task has no decoder, an error
            model of its own, or is given twice.
    """
    _refuse(
        custom_decoders=custom_decoders,
        custom_error_count_key=custom_error_count_key,
        count_observable_error_combos=count_observable_error_combos,
        count_detection_events=count_detection_events,
    )
    import sinter

    limits = sinter.CollectionOptions(max_shots=max_shots, max_errors=max_errors)
    named = [decoders] if isinstance(decoders, str) else decoders
    resolved = _by_id(_resolved(tasks, None if named is None else list(named)))
    files = [Path(path) for path in existing_data_filepaths]
    file = None if save_resume_filepath is None else Path(save_resume_filepath)
    if file in files:
        raise QcsError("save_resume_filepath is among existing_data_filepaths: its rows would count twice.")
    if file is not None and file.exists():
        files.append(file)
    stats = {one.strong_id: one for one in sinter.read_stats_from_csv_files(*files)}
    left = {id: _rest(task, limits, stats.get(id)) for id, task in resolved.items()}
    wanted = {id: task for id, task in left.items() if task is not None}
    # Closed at once when the loop is left, which cancels the experiment.
    ran = contextlib.closing(_ran(client, wanted, processor, print_progress))
    with _appended(file) as out, ran as incoming:
        for progress in incoming:
            for new in progress.new_stats:
                stats[new.strong_id] = stats[new.strong_id] + new if new.strong_id in stats else new
                if out is not None:
                    print(new.to_csv_line(), file=out, flush=True)
            if progress_callback is not None:
                progress_callback(progress)
    return list(stats.values())


def _refuse(**given: Any) -> None:
    used = [name for name, value in given.items() if value]
    if used:
        raise QcsError(f"The service has no {', '.join(used)}; sinter.collect has, on this machine.")


def _resolved(tasks: Iterable[Any], decoders: list[str] | None) -> Iterator[Any]:
    """Tasks with their circuit, each with one decoder."""
    import sinter
    import stim

    for number, task in enumerate(tasks):
        if task.detector_error_model is not None:
            raise QcsError(
                f"Task {number} has a detector_error_model of its own; the service decodes with that of the circuit."
            )
        circuit = stim.Circuit.from_file(task.circuit_path) if task.circuit is None else task.circuit
        named = decoders if task.decoder is None else [task.decoder]
        if not named:
            raise QcsError(f"Task {number} has no decoder: name some in decoders=[…], or give it one.")
        for decoder in named:
            yield sinter.Task(
                circuit=circuit,
                decoder=decoder,
                postselection_mask=task.postselection_mask,
                postselected_observables_mask=task.postselected_observables_mask,
                json_metadata=task.json_metadata,
                collection_options=task.collection_options,
            )


def _by_id(tasks: Iterable[Any]) -> dict[str, Any]:
    """Tasks by Sinter's ``strong_id``."""
    by_id: dict[str, Any] = {}
    for task in tasks:
        id = _strong_id(task)
        if id in by_id:
            raise QcsError(f"A task is given twice: {task.json_metadata!r}, decoder {task.decoder}.")
        by_id[id] = task
    return by_id


def _strong_id(task: Any) -> str:
    """Id of a task by its circuit, decoder, metadata and the error model that Sinter makes of the circuit."""
    import sinter

    circuit = task.circuit
    try:
        model = circuit.detector_error_model(decompose_errors=True, approximate_disjoint_errors=True)
    except ValueError:
        model = circuit.detector_error_model(approximate_disjoint_errors=True)
    fields = ("decoder", "postselection_mask", "postselected_observables_mask", "json_metadata")
    with_model = sinter.Task(
        circuit=circuit, detector_error_model=model, **{name: getattr(task, name) for name in fields}
    )
    return str(with_model.strong_id())


def _rest(task: Any, limits: Any, done: Any) -> Any:
    """The task with the shots and errors that are left of its limits and those of the call; None if none are."""
    import sinter

    both = task.collection_options.combine(limits)
    shots = _MAX_SHOTS if both.max_shots is None and both.max_errors is not None else both.max_shots
    errors = both.max_errors
    if done is not None:
        shots = None if shots is None else shots - done.shots
        errors = None if errors is None else errors - done.errors
    if (shots is not None and shots <= 0) or (errors is not None and errors <= 0):
        return None
    task.collection_options = sinter.CollectionOptions(max_shots=shots, max_errors=errors)
    return task


@contextlib.contextmanager
def _appended(file: Path | None) -> Generator[TextIO | None, None, None]:
    """The file at its end, below Sinter's head."""
    import sinter

    if file is None:
        yield None
        return
    is_new = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        if is_new:
            print(sinter.CSV_HEADER, file=out, flush=True)
        yield out


def _ran(
    client: Client, tasks: Mapping[str, Any], processor: str | None, print_progress: bool
) -> Generator[Any, None, None]:
    """Runs tasks as one experiment, and yields what comes in as ``sinter.Progress``."""
    import sinter

    if not tasks:
        return
    counted = Counted(tasks)
    with shown(print_progress) as show:
        job = client.experiments.submit(list(tasks.values()), processor=processor)
        try:
            for event in job.events():
                if event.type != "progress":
                    continue
                show(event.data["progress"])
                new = counted.new(event.data.get("tasks", []))
                if new:
                    yield sinter.Progress(new_stats=new, status_message=event.data.get("message", ""))
            yield sinter.Progress(new_stats=counted.new(job.result().record["tasks"]), status_message="")
        except BaseException:
            # Without its caller nobody would want the rest. A job that has ended stays as it is.
            with contextlib.suppress(QcsError):
                job.cancel()
            raise


class Counted:
    """Counts of the tasks of an experiment so far."""

    def __init__(self, tasks: Mapping[str, Any]) -> None:
        self._tasks = list(tasks.items())
        self._last: dict[int, Mapping[str, Any]] = {}

    def new(self, counts: Iterable[Mapping[str, Any]]) -> tuple[Any, ...]:
        """What the counts of some tasks have more than before, as ``sinter.TaskStats``."""
        import sinter

        found = []
        for now in counts:
            last = self._last.get(now["task"], dict.fromkeys(_NUMBERS, 0))
            # A service that restarts goes on from what it had stored, and takes the same shots again.
            if now["shots"] <= last["shots"]:
                continue
            self._last[now["task"]] = now
            id, task = self._tasks[now["task"]]
            more = {name: max(0, now[name] - last[name]) for name in _NUMBERS}
            found.append(
                sinter.TaskStats(strong_id=id, decoder=task.decoder, json_metadata=task.json_metadata, **more)
            )
        return tuple(found)
