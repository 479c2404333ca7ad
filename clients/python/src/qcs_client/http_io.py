"""Input and output of the clients.

All that the clients do is written once, as coroutines over this interface. :class:`AsyncClient` awaits them. With
:class:`BlockingIo` a coroutine waits within its calls instead of handing control back, so that :func:`now` runs it to
its end like a function.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import httpx

ValueT = TypeVar("ValueT")

_CONNECT_TIMEOUT_S = 10.0
#: A waiting POST may take long; a read that brings nothing for this long is tried again under the same key.
_READ_TIMEOUT_S = 90.0


def timeouts(*, read_s: float, pool_s: float | None = None) -> httpx.Timeout:
    """Limits of one request.

    Args:
        read_s: seconds without a byte.
        pool_s: seconds until one of the client's connections is free; no limit by default, as other requests of this
            client may hold all of them for as long as their jobs take.
    """
    return httpx.Timeout(_CONNECT_TIMEOUT_S, read=read_s, write=_READ_TIMEOUT_S, pool=pool_s)


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    params: Mapping[str, Any] | None = None
    content: bytes | None = None


class Io(Protocol):
    """Requests and pauses."""

    async def request(self, request: Request) -> httpx.Response: ...

    def stream(
        self, url: str, *, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AbstractAsyncContextManager[tuple[httpx.Response, AsyncIterator[str]]]:
        """Answer to a GET with the lines of its body as they come. The body of an error has been read."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    async def close(self) -> None: ...


class AsyncIo:
    """On the running event loop."""

    def __init__(self, http: httpx.AsyncClient | None) -> None:
        self._http = http or httpx.AsyncClient(timeout=timeouts(read_s=_READ_TIMEOUT_S))

    async def request(self, request: Request) -> httpx.Response:
        return await self._http.request(**vars(request))

    @asynccontextmanager
    async def stream(
        self, url: str, *, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AsyncGenerator[tuple[httpx.Response, AsyncIterator[str]], None]:
        async with self._http.stream("GET", url, headers=headers, timeout=timeout) as answer:
            if answer.is_error:
                await answer.aread()
            yield answer, answer.aiter_lines()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


class BlockingIo:
    """In the thread of the caller, which waits."""

    def __init__(self, http: httpx.Client | None) -> None:
        self._http = http or httpx.Client(timeout=timeouts(read_s=_READ_TIMEOUT_S))

    async def request(self, request: Request) -> httpx.Response:
        return self._http.request(**vars(request))

    @asynccontextmanager
    async def stream(
        self, url: str, *, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AsyncGenerator[tuple[httpx.Response, AsyncIterator[str]], None]:
        with self._http.stream("GET", url, headers=headers, timeout=timeout) as answer:
            if answer.is_error:
                answer.read()
            yield answer, _each(answer.iter_lines())

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def close(self) -> None:
        self._http.close()


async def _each(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


def now(awaitable: Awaitable[ValueT]) -> ValueT:
    """Result of a coroutine over :class:`BlockingIo`."""
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        value: ValueT = end.value
        return value
    raise RuntimeError("unreachable: blocking input and output ends within its call")


def iterate_now(items: AsyncGenerator[ValueT, None]) -> Iterator[ValueT]:
    """Items of an asynchronous generator over :class:`BlockingIo`."""
    try:
        while True:
            try:
                item = now(anext(items))
            except StopAsyncIteration:
                return
            yield item
    finally:
        now(items.aclose())
