"""Requests to one service, with retries.

A request that may be repeated safely is repeated after a lost connection, after 502 and 504, and after 429 and 503
if the service says when to come back. GET and DELETE may be repeated as they are, POST with an Idempotency-Key,
which every submission gets. A service that has answered before is waited for, as it may be restarting; one that never
has is most likely not there, which is said within seconds.
"""

from __future__ import annotations

import json
import os
import random
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from .errors import QcsError, UnreachableError, service_error
from .http_io import Io, Request

DEFAULT_URL = "http://127.0.0.1:8080"
_PREFIX = "/api/v1"
_FIRST_DELAY_S = 0.25
#: Time for connecting to a service that has not answered yet.
_FIRST_CONTACT_S = 2.0
_LONGEST_DELAY_S = 30.0


class Transport:
    """Requests to one service with one key.

    Args:
        url: with or without ``/api/v1``; by default ``QCS_URL``, or the service on this machine.
        key: by default ``QCS_API_KEY``.
    """

    def __init__(self, url: str | None, key: str | None, *, retry_for: float, io: Io) -> None:
        key = key or os.environ.get("QCS_API_KEY")
        if not key:
            raise QcsError("There is no API key: pass key=… or set QCS_API_KEY.")
        url = url or os.environ.get("QCS_URL") or DEFAULT_URL
        self.url = url.strip().rstrip("/").removesuffix(_PREFIX).rstrip("/")
        self._has_answered = False
        self._retry_for = retry_for
        self._headers = {"X-API-Key": key}
        self._io = io

    async def close(self) -> None:
        await self._io.close()

    def delays(self, total_s: float) -> Delays:
        """Times between attempts, within a total time."""
        return Delays(total_s, self._io)

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """``data`` of the answer."""
        return await self._request("GET", path, params=params)

    async def get_bytes(self, path: str, params: Mapping[str, Any] | None = None) -> bytes:
        """The answer as it is."""
        return (await self._answer("GET", path, params=params)).content

    async def post(
        self,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        wait: int | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """``data`` of the answer. ``body`` is JSON, as an object or as text already.

        ``wait`` is the longest time in seconds that the service holds the answer until the job has ended; 0 answers
        at once.
        """
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        if wait is not None:
            headers["Prefer"] = f"wait={wait}" if wait > 0 else "respond-async"
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        return await self._request("POST", path, content=content, headers=headers)

    async def delete(self, path: str) -> None:
        await self._request("DELETE", path)

    @asynccontextmanager
    async def stream(
        self, path: str, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AsyncGenerator[AsyncIterator[str], None]:
        """Lines of an answer as they come. It is not retried."""
        everything = {**self._headers, **headers}
        async with self._io.stream(self._at(path), headers=everything, timeout=timeout) as (answer, lines):
            if answer.is_error:
                raise service_error(answer.status_code, _json(answer))
            yield lines

    def _at(self, path: str) -> str:
        return f"{self.url}{_PREFIX}{path}"

    async def _request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        answer = await self._answer(method, path, params=params, content=content, headers=headers)
        return _json(answer)["data"] if answer.content else None

    async def _answer(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        everything = {**self._headers, **(headers or {})}
        request = Request(method, self._at(path), everything, params, content)
        delays = self.delays(self._retry_for)
        first_contact = self.delays(min(_FIRST_CONTACT_S, self._retry_for))
        while True:
            try:
                answer = await self._io.request(request)
            except httpx.TransportError as error:
                is_new = isinstance(error, _NOT_CONNECTED) and not self._has_answered
                if await (first_contact if is_new else delays).sleep():
                    continue
                raise UnreachableError(
                    f"No service answers at {self.url}: {error}. `npx qcs serve` or `npm start` starts one; url=… or "
                    "QCS_URL names another."
                ) from error
            self._has_answered = True
            if answer.is_success:
                return answer
            if _may_be_repeated(answer) and await delays.sleep(_retry_after(answer)):
                continue
            raise service_error(answer.status_code, _json(answer))


_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)


class Delays:
    """Times between attempts: each twice as long as the last, with a random part, within a total time."""

    def __init__(self, total_s: float, io: Io) -> None:
        self._io = io
        self._end = time.monotonic() + total_s
        self._next = _FIRST_DELAY_S

    async def sleep(self, at_least: float = 0.0) -> bool:
        """Waits before the next attempt; False, without waiting, if the total time does not allow one."""
        delay = max(at_least, self._next * random.uniform(0.5, 1.0))
        if time.monotonic() + delay > self._end:
            return False
        await self._io.sleep(delay)
        self._next = min(2 * self._next, _LONGEST_DELAY_S)
        return True


def _may_be_repeated(answer: httpx.Response) -> bool:
    if answer.status_code in (429, 503):
        return "retry-after" in answer.headers
    return answer.status_code in (502, 504)


def _retry_after(answer: httpx.Response) -> float:
    """Seconds; 0 if the header is missing, or is a date, which the service never sends."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdigit() else 0.0


def _json(answer: httpx.Response) -> Any:
    try:
        return json.loads(answer.content)
    except ValueError:
        return None
