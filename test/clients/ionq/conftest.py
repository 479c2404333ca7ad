"""IonQ's clients, unmodified, against a service that is started once. Every answer is validated against IonQ's document."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import requests

sys.path.insert(0, str(Path(__file__).parents[1]))
from ionq_document import Document, ionq_core_sources  # noqa: E402
from service import Service, running_service  # noqa: E402


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    # Loops end early, so that a job can be made to fail while it runs.
    with running_service({"QCS_MAX_LOOP_ROUNDS": "10"}) as running:
        os.environ["IONQ_API_KEY"] = running.key
        os.environ["IONQ_API_URL"] = f"{running.origin}/v0.4"
        yield running


@pytest.fixture(scope="session")
def url(service: Service) -> str:
    return f"{service.origin}/v0.4"


@pytest.fixture(scope="session")
def document() -> Document:
    return Document.read(ionq_core_sources() / "openapi.json")


@pytest.fixture(autouse=True)
def every_answer_is_valid(document: Document, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Validates the answers that the clients' HTTP libraries get."""
    faults: list[str] = []

    def check(method: str, where: str, status: int, text: str) -> None:
        faults.extend(document.faults(method, where, status, text))

    send_requests = requests.Session.send
    send_httpx = httpx.HTTPTransport.handle_request

    def requests_send(self, request, **kwargs):
        response = send_requests(self, request, **kwargs)
        check(request.method, request.url, response.status_code, response.text)
        return response

    def httpx_send(self, request):
        response = send_httpx(self, request)
        response.read()
        check(request.method, str(request.url), response.status_code, response.text)
        return response

    monkeypatch.setattr(requests.Session, "send", requests_send)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", httpx_send)
    yield
    assert not faults, "\n".join(faults)
