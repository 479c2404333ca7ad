"""The client with asyncio. What it asks the service is the code of the client that waits, whose tests hold it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator

import httpx
import numpy as np
import pytest

import qcs_client
from qcs_client import AsyncClient, Client, Program
from qcs_client.async_client import AsyncBatches, AsyncCircuits
from qcs_client.async_jobs import AsyncJob
from qcs_client.client import Batches, Circuits
from qcs_client.jobs import Job

BELL = [{"gate": "H", "qubit": 0}, {"gate": "CX", "control": 0, "target": 1}]
SWEEP = [{"gate": "RY", "qubit": 0, "theta": {"input": "a"}}]
#: Runs for many seconds unless it is cancelled.
LONG = [{"gate": "RX", "qubit": q, "theta": 0.1} for _ in range(800) for q in range(24)]


def with_client(service, use):
    async def run():
        async with AsyncClient(service.url, service.key) as client:
            return await use(client)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("blocking", "awaited"),
    [(Client, AsyncClient), (Circuits, AsyncCircuits), (Batches, AsyncBatches), (Job, AsyncJob)],
)
def test_both_clients_have_the_same_methods_with_the_same_parameters(blocking, awaited):
    def surface(kind):
        methods = {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
        return {
            name: [(p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()]
            if callable(method)
            else None
            for name, method in methods.items()
        }

    assert surface(blocking) == surface(awaited)


def test_circuits_that_are_gathered_have_the_results_of_those_that_are_waited_for(service, client):
    async def use(other):
        return await asyncio.gather(
            *(other.circuits.run(BELL, shots=100, seed=seed) for seed in range(5)),
            other.batches.run([Program(SWEEP, inputs={"a": np.array([0, np.pi])}, shots=7)]),
            other.processors(),
        )

    *circuits, batch, processors = with_client(service, use)
    wanted = [client.circuits.run(BELL, shots=100, seed=seed).counts for seed in range(5)]
    assert [result.counts for result in circuits] == wanted
    assert batch[0].counts == [{"0": 7}, {"1": 7}]
    assert {one["id"] for one in processors} == {one["id"] for one in client.processors()}


def test_a_job_is_followed_listed_found_and_deleted(service):
    async def use(client):
        job = await client.circuits.submit(BELL, shots=10, name="awaited")
        types = [event.type async for event in job.events()]
        result = await job.result()
        listed = [found.id async for found in client.circuits.list(name="awaited")]
        found = await client.job(job.id)
        await found.delete()
        with pytest.raises(qcs_client.NotFoundError):
            await found.refresh()
        return types[-1], sum(result.counts.values()), listed == [job.id]

    assert with_client(service, use) == ("done", 10, True)


def test_waiting_ends_with_the_time_of_the_caller_or_of_asyncio_and_the_job_goes_on(service):
    async def use(client):
        job = await client.circuits.submit(LONG, shots=1)
        with pytest.raises(qcs_client.WaitTimeoutError):
            await job.wait(timeout=0.05)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(job.result(), 0.05)
        assert (await job.refresh()).status in ("queued", "running")
        await job.cancel()
        with pytest.raises(qcs_client.JobCancelledError):
            await job.result()
        again = await job.retry()
        assert again.id != job.id
        await again.cancel()

    with_client(service, use)


def test_other_coroutines_run_while_a_job_is_waited_for(service):
    async def use(client):
        job = await client.circuits.submit(LONG, shots=1)
        waiting = asyncio.ensure_future(job.wait())
        processors = await client.processors()
        assert not waiting.done()
        await job.cancel()
        assert (await waiting).status == "cancelled"
        return processors

    assert with_client(service, use)


def test_errors_are_those_of_the_other_client(service):
    async def use(client):
        with pytest.raises(qcs_client.BadRequestError, match='no gate called "HX"'):
            await client.circuits.run([{"gate": "HX", "qubit": 0}])
        with pytest.raises(qcs_client.QcsError, match="no id of a job"):
            await client.job("nothing")

    with_client(service, use)


def test_a_lost_connection_is_tried_again_under_the_same_idempotency_key(monkeypatch):
    requests, slept = [], []
    record = {"circuit_id": "circ_1", "status": "queued"}
    answers = [httpx.ReadError("lost"), httpx.Response(200, json={"data": record})]

    def handle(request):
        requests.append(request)
        answer = answers[len(requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(seconds):
        slept.append(seconds)

    async def run():
        http = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        async with AsyncClient("http://service", "key", http=http) as client:
            monkeypatch.setattr(qcs_client.http_io.asyncio, "sleep", sleep)
            return await client.circuits.submit([], shots=1)

    assert asyncio.run(run()).id == "circ_1"
    assert len({request.headers["Idempotency-Key"] for request in requests}) == 1
    assert len(slept) == 1


def test_the_client_that_waits_may_be_used_within_a_running_loop(service, client):
    async def run():
        job = client.circuits.submit(BELL, shots=3)
        events = job.events()
        next(events)
        events.close()
        return job.result().counts

    assert sum(asyncio.run(run()).values()) == 3


def test_events_and_listings_are_iterators(service, client):
    async def use(other):
        job = await other.circuits.submit(BELL, shots=1)
        return isinstance(job.events(), AsyncIterator), isinstance(other.circuits.list(), AsyncIterator)

    assert with_client(service, use) == (True, True)
    assert isinstance(client.circuits.list(), Iterator)
