"""Server-Sent Events of a job, read across lost connections."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx

from .errors import RateLimitError, UnavailableError, UnreachableError, WaitTimeoutError
from .http_io import timeouts
from .transport import Transport

_SILENCE_S = 60.0


@dataclass(frozen=True)
class Event:
    """One event of a job: ``status``, ``progress`` or, as the last, ``done``."""

    type: str
    id: str
    data: dict[str, Any]


class EventParser:
    """Makes events of the lines of a stream. Comments, and fields that this service does not send, are skipped.

    See the HTML standard, section "Server-sent events".
    """

    def __init__(self) -> None:
        self._kind, self._last_id = "message", ""
        self._data: list[str] = []

    def read(self, line: str) -> Event | None:
        """The event that ends with this line, if one does."""
        if line == "":
            kind, data = self._kind, self._data
            self._kind, self._data = "message", []
            return Event(kind, self._last_id, json.loads("\n".join(data))) if data else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._kind = value
        elif field == "id":
            self._last_id = value
        elif field == "data":
            self._data.append(value)
        return None


async def follow(
    transport: Transport, path: str, *, reconnect_for: float, timeout: float | None = None
) -> AsyncGenerator[Event, None]:
    """Events of the job at ``path`` up to ``done``.

    A lost connection is opened again after the last event that came. ``reconnect_for`` limits the time in seconds
    without any event while the service cannot be reached.

    Raises:
        WaitTimeoutError: when ``done`` has not come after ``timeout`` seconds.
    """
    end = None if timeout is None else time.monotonic() + timeout
    last_id: str | None = None
    delays = transport.delays(reconnect_for)
    while True:
        cause: Exception | None = None
        try:
            headers = {"Accept": "text/event-stream"}
            if last_id is not None:
                headers["Last-Event-ID"] = last_id
            async with transport.stream(f"{path}/events", headers, _timeouts(end)) as lines:
                parser = EventParser()
                async for line in lines:
                    if end is not None and time.monotonic() >= end:
                        break
                    event = parser.read(line)
                    if event is None:
                        continue
                    last_id = event.id
                    delays = transport.delays(reconnect_for)
                    yield event
                    if event.type == "done":
                        return
        except (httpx.TransportError, RateLimitError, UnavailableError) as error:
            cause = error
        if end is not None and time.monotonic() >= end:
            raise WaitTimeoutError(f"{path} had not ended after {timeout} s.") from cause
        if not await delays.sleep():
            raise UnreachableError(f"The events of {path} ended, and the service does not answer.") from cause


def _timeouts(end: float | None) -> httpx.Timeout:
    """A connection counts as lost after some time without a byte; the service sends some every 15 s."""
    if end is None:
        return timeouts(read_s=_SILENCE_S)
    left = max(0.001, end - time.monotonic())
    return timeouts(read_s=min(_SILENCE_S, left), pool_s=left)
