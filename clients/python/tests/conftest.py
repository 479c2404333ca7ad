"""A service for all tests, with a data directory of its own and on a free port."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from qcs_client import Client

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "test/clients"))
from service import running_service


@pytest.fixture(scope="session")
def service() -> Iterator[SimpleNamespace]:
    with running_service() as started:
        yield SimpleNamespace(url=started.origin, key=started.key)


@pytest.fixture(scope="session")
def client(service: SimpleNamespace) -> Iterator[Client]:
    with Client(service.url, service.key) as made:
        yield made


@pytest.fixture(scope="session")
def provider(client: Client):
    return pytest.importorskip("qcs_client.qiskit").QcsProvider(client=client)


@pytest.fixture(scope="session")
def backend(provider):
    return provider.get_backend()


@pytest.fixture
def sampler(backend):
    return pytest.importorskip("qcs_client.qiskit").SamplerV2(backend, seed=15)


@pytest.fixture
def estimator(backend):
    return pytest.importorskip("qcs_client.qiskit").EstimatorV2(backend, seed=15)
