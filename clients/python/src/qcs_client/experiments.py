"""Experiments: logical errors of many circuits. Tasks may be those of Sinter, and results are read by it."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .errors import QcsError
from .requests import source

Task: TypeAlias = Any
"""A ``sinter.Task``, a ``stim.Circuit``, or an object as in the request, whose ``stim`` may be a ``stim.Circuit``."""

#: The service's names of Sinter's decoders.
_DECODERS = {"pymatching": "matching", "vacuous": "none"}
_COLUMNS = ("shots", "errors", "discards", "seconds", "decoder", "strong_id", "json_metadata", "custom_counts")


@dataclass(frozen=True)
class TaskCounts:
    """Counts of one task."""

    shots: int
    """Shots taken, discarded ones included."""
    errors: int
    """Kept shots in which an observable is not as predicted."""
    discards: int
    seconds: float
    """Sampling and decoding, summed over all threads."""
    logical_error_rate: float | None
    """Errors per kept shot; None if none was kept."""
    interval: tuple[float, float] | None
    """Wilson's interval at 95 %, or that of the strata."""
    decoder: str
    seed: int
    strong_id: str
    metadata: Any
    sampling: Mapping[str, Any] | None = None
    """Counts by the number of faults, where shots are stratified. The rate is not errors by shots then."""

    @staticmethod
    def read(fields: Mapping[str, Any]) -> TaskCounts:
        interval = fields["interval"]
        return TaskCounts(
            **{name: fields[name] for name in ("shots", "errors", "discards", "seconds", "logical_error_rate")},
            interval=None if interval is None else (interval[0], interval[1]),
            **{name: fields[name] for name in ("decoder", "seed", "strong_id")},
            metadata=fields.get("metadata"),
            sampling=fields.get("sampling"),
        )


class ExperimentResult(Sequence[TaskCounts]):
    """Counts of the tasks of an experiment, in their order."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        """The record as the service answered it."""
        self._tasks = [TaskCounts.read(task) for task in record.get("tasks", [])]

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: Any) -> Any:
        return self._tasks[index]

    def __iter__(self) -> Iterator[TaskCounts]:
        return iter(self._tasks)

    def csv(self) -> str:
        """Table that ``sinter.stats_from_csv_files`` and ``sinter plot`` read, without tasks of stratified shots."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for task in self._tasks:
            if task.shots == 0 or task.sampling is not None:
                continue
            metadata = json.dumps(task.metadata, separators=(",", ":"), sort_keys=True)
            writer.writerow(
                [task.shots, task.errors, task.discards, task.seconds, task.decoder, task.strong_id, metadata, ""]
            )
        return text.getvalue()

    def stats(self) -> list[Any]:
        """The counts as ``sinter.TaskStats``, without tasks of stratified shots. Needs the package ``sinter``."""
        import sinter  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return [
            sinter.TaskStats(
                strong_id=task.strong_id,
                decoder=task.decoder,
                json_metadata=task.metadata,
                shots=task.shots,
                errors=task.errors,
                discards=task.discards,
                seconds=task.seconds,
            )
            for task in self._tasks
            if task.sampling is None
        ]

    def __repr__(self) -> str:
        return f"<ExperimentResult {self.record.get('experiment_id')} of {len(self)} tasks>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(json.dumps(task.metadata))}</td><td>{task.decoder}</td><td>{task.shots}</td>"
            f"<td>{task.errors}</td><td>{task.discards}</td><td>{task.logical_error_rate}</td></tr>"
            for task in self._tasks
        )
        names = ("metadata", "decoder", "shots", "errors", "discards", "logical error rate")
        heads = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><tr>{heads}</tr>{rows}</table>"


def experiment_body(
    tasks: Task | Sequence[Task], processor: str | None, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Body of a submission. One task may come without a list."""
    listed = tasks if isinstance(tasks, Sequence) and not isinstance(tasks, str) else [tasks]
    body = {"tasks": [_task(task) for task in listed], "target_processor": processor, **fields}
    return {name: value for name, value in _with_decoder(body).items() if value is not None}


def _task(task: Task) -> dict[str, Any]:
    if isinstance(task, Mapping):
        fields = dict(task)
        if not isinstance(fields.get("stim", ""), str):
            fields["stim"] = str(fields["stim"])
        return _with_decoder(fields)
    if type(task).__module__.split(".")[0] == "sinter":
        return _of_sinter(task)
    return source(task)


def _of_sinter(task: Any) -> dict[str, Any]:
    """Fields of a ``sinter.Task``."""
    if task.circuit is None:
        raise QcsError("The circuit of a sinter.Task is in a file: load it as a stim.Circuit.")
    if task.detector_error_model is not None:
        raise QcsError(
            "A sinter.Task has a detector_error_model of its own; the service decodes with that of the circuit."
        )
    options = task.collection_options
    postselect = {
        "detectors": _numbers(task.postselection_mask),
        "observables": _numbers(task.postselected_observables_mask),
    }
    fields = {
        "stim": str(task.circuit),
        "decoder": task.decoder,
        "max_shots": options.max_shots,
        "max_errors": options.max_errors,
        "metadata": task.json_metadata,
        "postselect": {name: numbers for name, numbers in postselect.items() if numbers} or None,
    }
    return _with_decoder({name: value for name, value in fields.items() if value is not None})


def _numbers(mask: Any) -> list[int]:
    """Numbers of the bits that are set in a mask of bytes."""
    if mask is None:
        return []
    bits = np.unpackbits(np.asarray(mask, dtype=np.uint8), bitorder="little")
    return [int(number) for number in np.flatnonzero(bits)]


def _with_decoder(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with the service's name of the decoder."""
    named = dict(fields)
    if isinstance(named.get("decoder"), str):
        named["decoder"] = _DECODERS.get(named["decoder"], named["decoder"])
    return named
