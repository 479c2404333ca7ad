"""What both kinds of jobs have in common: their kinds, their records, and how they show themselves."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .experiments import ExperimentResult
from .results import BatchResult, CircuitResult

Progress: TypeAlias = bool | Callable[[float], None]
"""Progress is shown by a bar on stderr (True), or given to a function as a number from 0 to 1."""

_FINAL = frozenset({"completed", "failed", "cancelled"})
_BAR_WIDTH = 40


def task_result(record: Mapping[str, Any]) -> Any:
    """Result of a task or a TPU job, as the service answers it."""
    return record.get("result")


#: Path and reader of results of each kind of job, by the prefix of its ids.
KINDS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {
    "circ_": ("/quantum/circuits", CircuitResult),
    "batch_": ("/quantum/batches", BatchResult),
    "exp_": ("/quantum/experiments", ExperimentResult),
    "task_": ("/tasks", task_result),
    "tpujob_": ("/tpu/jobs", task_result),
}


@dataclass
class JobState:
    """A job as it was last fetched."""

    id: str
    record: Mapping[str, Any]


class JobView:
    """A job without what asks the service."""

    def __init__(self, state: JobState) -> None:
        self._state = state

    @property
    def id(self) -> str:
        return self._state.id

    @property
    def record(self) -> Mapping[str, Any]:
        """The record as it was last fetched."""
        return self._state.record

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``completed``, ``failed`` or ``cancelled``, as last fetched."""
        return str(self.record["status"])

    @property
    def ended(self) -> bool:
        """Whether the status, as last fetched, is final."""
        return self.status in _FINAL

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status}>"

    def _repr_html_(self) -> str:
        keys = ("status", "processor", "created_at", "started_at", "finished_at", "progress")
        rows = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td>{html.escape(str(self.record[key]))}</td></tr>"
            for key in keys
            if self.record.get(key) is not None
        )
        return f"<p><b>{html.escape(self.id)}</b></p><table>{rows}</table>"


class shown:
    """Shows progress while its block runs."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> Callable[[float], None]:
        if callable(self._progress):
            return self._progress
        return self._draw if self._progress else lambda fraction: None

    def _draw(self, fraction: float) -> None:
        filled = round(_BAR_WIDTH * fraction)
        bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
        sys.stderr.write(f"\r{bar} {100 * fraction:3.0f} %")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._progress is True:
            sys.stderr.write("\n")
