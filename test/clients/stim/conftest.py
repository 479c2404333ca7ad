"""Stim and PyMatching against a service that is started once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from service import Service, running_service  # noqa: E402


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with running_service() as running:
        yield running
