"""Retries and reconnection, against answers that a real service gives rarely."""

from __future__ import annotations

import itertools

import httpx
import pytest

import qcs_client
from qcs_client import Client, transport
from qcs_client.events import EventParser


def client_of(answers, **options):
    """Client whose requests are answered by ``answers`` in turn, and the requests that it made."""
    requests = []
    left = iter(answers)

    def handle(request):
        requests.append(request)
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    http = httpx.Client(transport=httpx.MockTransport(handle))
    return Client("http://service", "key", http=http, **options), requests


def data(fields):
    return httpx.Response(200, json={"success": True, "data": fields})


def refusal(status, code, headers=None):
    return httpx.Response(
        status, headers=headers, json={"success": False, "error": {"code": code, "message": code}}
    )


@pytest.fixture(autouse=True)
def slept(monkeypatch):
    """Times that retries would have waited."""
    times = []
    monkeypatch.setattr(transport.time, "sleep", times.append)
    return times


def test_a_lost_connection_is_tried_again_under_the_same_idempotency_key():
    lost = httpx.ReadError("lost")
    record = {"circuit_id": "circ_1", "status": "queued"}
    client, requests = client_of([lost, httpx.Response(502), data(record)])
    assert client.circuits.submit([], shots=1).id == "circ_1"
    assert len({request.headers["Idempotency-Key"] for request in requests}) == 1


def test_retry_after_is_obeyed(slept):
    client, _ = client_of(
        [refusal(429, "RATE_LIMIT_EXCEEDED", {"Retry-After": "7"}), data({"processors": []})]
    )
    assert client.processors() == []
    assert slept == [7.0]


def test_delays_grow(slept):
    answer = data({"processors": []})
    client, _ = client_of([answer, *[httpx.ConnectError("no")] * 4, answer])
    client.processors()
    client.processors()
    assert all(0.125 * 2**k <= delay <= 0.25 * 2**k for k, delay in enumerate(slept))


def test_a_service_that_never_answered_is_missed_within_two_seconds(slept, monkeypatch):
    monkeypatch.setattr(transport.time, "monotonic", lambda: sum(slept))
    client, _ = client_of(itertools.repeat(httpx.ConnectError("refused")))
    with pytest.raises(qcs_client.UnreachableError, match="http://service: refused.*npx qcs serve.*QCS_URL"):
        client.processors()
    assert 0 < sum(slept) <= 2


def test_a_service_that_has_answered_is_waited_for_while_it_restarts(slept, monkeypatch):
    monkeypatch.setattr(transport.time, "monotonic", lambda: sum(slept))
    answer = data({"processors": []})
    client, _ = client_of(itertools.chain([answer], itertools.repeat(httpx.ConnectError("refused"))))
    client.processors()
    with pytest.raises(qcs_client.UnreachableError):
        client.processors()
    assert 60 < sum(slept) <= 120


@pytest.mark.parametrize("url", ["", "/", "/api/v1", "/api/v1/", "//"])
def test_an_address_has_the_path_of_the_interface_or_not(url, monkeypatch):
    monkeypatch.setenv("QCS_URL", f"http://service{url}")
    requests = []

    def handle(request):
        requests.append(str(request.url))
        return data({"processors": []})

    client = Client(key="key", http=httpx.Client(transport=httpx.MockTransport(handle)))
    client.processors()
    assert requests == ["http://service/api/v1/quantum/processors"]
    assert client.url == "http://service"


def test_a_refusal_without_retry_after_is_not_tried_again(slept):
    client, requests = client_of([refusal(503, "SERVICE_UNAVAILABLE")])
    with pytest.raises(qcs_client.UnavailableError):
        client.processors()
    assert len(requests) == 1


def test_retries_end_after_their_time(slept):
    client, _ = client_of([refusal(429, "RATE_LIMIT_EXCEEDED", {"Retry-After": "60"})], retry_for=30)
    with pytest.raises(qcs_client.RateLimitError):
        client.processors()
    assert slept == []


def test_an_answer_that_is_not_the_services_is_an_error_with_its_status():
    client, _ = client_of([httpx.Response(500, text="<html>proxy</html>")])
    with pytest.raises(qcs_client.ServiceError) as caught:
        client.processors()
    assert caught.value.status == 500


def test_events_go_on_after_the_last_one_that_came():
    record = {"circuit_id": "circ_1", "status": "queued"}
    first = 'retry: 1000\n\nid: 1.queued\nevent: status\ndata: {"status":"queued"}\n\n: comment\n\n'
    rest = (
        'id: 1.final\nevent: status\ndata: {"status":"completed"}\n\n'
        'id: 1.done\nevent: done\ndata: {"status":"completed"}\n\n'
    )
    done = {"circuit_id": "circ_1", "status": "completed", "seed": 1, "counts": {"0": 1}}
    client, requests = client_of(
        [
            data(record),
            httpx.Response(200, text=first),
            httpx.ReadError("lost"),
            httpx.Response(200, text=rest),
            data(done),
        ]
    )
    assert client.circuits.submit([], shots=1).result().counts == {"0": 1}
    assert [request.headers.get("Last-Event-ID") for request in requests[1:4]] == [
        None,
        "1.queued",
        "1.queued",
    ]


def test_data_of_several_lines_is_one_event():
    parser = EventParser()
    *before, event = [parser.read(line) for line in ("event: status", "data: {", 'data: "a": 1}', "")]
    assert before == [None] * 3
    assert (event.type, event.data) == ("status", {"a": 1})


def test_nan_is_refused_before_it_is_sent():
    client, requests = client_of([])
    with pytest.raises(ValueError, match="JSON"):
        client.circuits.run([{"gate": "RX", "qubit": 0, "theta": float("nan")}])
    assert requests == []
